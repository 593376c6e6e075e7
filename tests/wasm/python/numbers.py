# SPDX-License-Identifier: Apache-2.0
# Integers, floats, fractions, decimals, complex numbers and number theory.
#: divmod-signs
for a, b in [(7, 3), (-7, 3), (7, -3), (-7, -3)]:
    q, r = divmod(a, b)
    print(a, b, q, r, q * b + r == a)
#: round-half-even
print([round(x) for x in (0.5, 1.5, 2.5, -0.5, -1.5)])
print(round(2.675, 2), round(1234.5678, -2), round(1250, -2), round(1350, -2))
print(type(round(1.0)).__name__, type(round(1.0, 0)).__name__)
#: float-traps
print(0.1 + 0.2 == 0.3, abs(0.1 + 0.2 - 0.3) < 1e-9)
print((0.1).as_integer_ratio())
print((0.1).hex(), float.fromhex("0x1.8p+1"))
#: float-specials
inf, nan = float("inf"), float("nan")
print(inf > 10**400, -inf < inf, nan == nan, nan != nan)
print(inf - inf, inf * 2, 1 / inf, max(1.0, inf))
print(sorted([3.0, -inf, 0.0, inf]))
#: big-factorial
import math
n = math.factorial(100)
print(n)
print(len(str(n)), sum(map(int, str(n))), n.bit_length())
#: power-mod
print(pow(3, 200, 13), pow(7, -1, 26), pow(2, 10), pow(2, -2))
try:
    pow(2, -1, 4)
except ValueError as e:
    print(e)
#: sieve
def sieve(n):
    flags = bytearray([1]) * (n + 1)
    flags[:2] = b"\0\0"
    for i in range(2, int(n**0.5) + 1):
        if flags[i]:
            flags[i * i::i] = bytes(len(range(i * i, n + 1, i)))
    return [i for i, f in enumerate(flags) if f]
p = sieve(10000)
print(len(p), p[:10], p[-1])
#: miller-rabin
def prime(n):
    if n < 2: return False
    for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        if n % p == 0: return n == p
    d, s = n - 1, 0
    while d % 2 == 0: d, s = d // 2, s + 1
    for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        x = pow(a, d, n)
        if x in (1, n - 1): continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1: break
        else: return False
    return True
print([n for n in range(90, 130) if prime(n)], prime(2**61 - 1), prime(2**67 - 1), prime(561))
#: factorise
def factors(n):
    out, d = {}, 2
    while d * d <= n:
        while n % d == 0:
            out[d] = out.get(d, 0) + 1
            n //= d
        d += 1
    if n > 1: out[n] = 1
    return out
for n in (360, 97, 1001, 2**20, 600851475143):
    print(n, "=", " * ".join(f"{p}^{e}" if e > 1 else str(p) for p, e in factors(n).items()))
#: pollard-rho
from math import gcd
def rho(n, c=1):
    x = y = 2
    d = 1
    while d == 1:
        x = (x * x + c) % n
        y = (y * y + c) % n
        y = (y * y + c) % n
        d = gcd(abs(x - y), n)
    return d if d != n else rho(n, c + 1)
for n in (8051, 10403, 455459):
    d = rho(n)
    print(n, sorted((d, n // d)))
#: extended-euclid
def egcd(a, b):
    x0, x1, y0, y1 = 1, 0, 0, 1
    while b:
        q, a, b = a // b, b, a % b
        x0, x1 = x1, x0 - q * x1
        y0, y1 = y1, y0 - q * y1
    return a, x0, y0
for a, b in [(240, 46), (17, 3120), (35, 15)]:
    g, x, y = egcd(a, b)
    print(f"{a}*{x} + {b}*{y} = {g}", a * x + b * y == g)
#: chinese-remainder
from math import prod
def crt(rs, ms):
    M = prod(ms)
    return sum(r * (M // m) * pow(M // m, -1, m) for r, m in zip(rs, ms)) % M
print(crt([2, 3, 2], [3, 5, 7]), crt([1, 4, 6], [3, 5, 7]))
#: totient
from math import gcd
phi = lambda n: sum(gcd(k, n) == 1 for k in range(1, n + 1))
print([phi(n) for n in range(1, 21)])
print(sum(phi(d) for d in range(1, 61) if 60 % d == 0))
#: perfect-amicable
def s(n):
    return sum(d for d in range(1, n // 2 + 1) if n % d == 0)
print("perfect", [n for n in range(2, 500) if s(n) == n])
print("amicable", [(a, s(a)) for a in range(2, 300) if s(a) > a and s(s(a)) == a])
#: collatz
def steps(n):
    k = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        k += 1
    return k
print(max(range(1, 1000), key=steps), [steps(n) for n in range(1, 16)])
#: digits-armstrong
print([n for n in range(1, 10000) if n == sum(int(d) ** len(str(n)) for d in str(n))])
print([n for n in range(10, 100) if n == sum(map(int, str(n))) * (n % 10 + 1)])
print(sum(int(d) for d in str(2**1000)))
#: roman-numerals
V = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
def roman(n):
    out = ""
    for v, s in V:
        out += s * (n // v)
        n %= v
    return out
def back(s):
    d = dict((c, v) for v, c in V if len(c) == 1)
    v = [d[c] for c in s]
    return sum(-a if a < b else a for a, b in zip(v, v[1:] + [0]))
print([roman(n) for n in (4, 9, 14, 40, 90, 400, 1994, 2024, 3999)], all(back(roman(n)) == n for n in range(1, 4000)))
#: base-conversion
D = "0123456789abcdefghijklmnopqrstuvwxyz"
def to(n, b):
    s = ""
    while n:
        n, r = divmod(n, b)
        s = D[r] + s
    return s or "0"
for b in (2, 3, 8, 12, 16, 36):
    t = to(123456789, b)
    print(b, t, int(t, b))
#: negative-base
def negabin(n):
    s = ""
    while n:
        n, r = divmod(n, -2)
        if r < 0:
            n, r = n + 1, r + 2
        s = str(r) + s
    return s or "0"
print([(n, negabin(n)) for n in range(-4, 5)])
#: integer-literals
print(0b1010, 0o17, 0xFF, 1_000_000)
print(bin(-10), oct(64), hex(255), f"{255:#x} {255:#o} {255:#b}")
print(int("0x1f", 16), int("-0b11", 0), int(" 42 "), int("1_000"))
#: int-bytes
n = 1024 + 7
print(n.to_bytes(4, "big"), n.to_bytes(4, "little"), int.from_bytes(b"\x04\x07", "big"))
print((-2).to_bytes(2, "big", signed=True), int.from_bytes(b"\xff\xfe", "big", signed=True))
try:
    (300).to_bytes(1, "big")
except OverflowError as e:
    print(e)
#: bit-rotate
def rotl(x, n, w=32):
    return (x << n | x >> w - n) & (1 << w) - 1
x = 0x80000001
for n in (1, 4, 31):
    print(f"{rotl(x, n):08x}")
print(~5, -5 >> 1, -5 & 0xFF, 5 ^ 3)
#: crc32-by-hand
import binascii
def crc(data):
    c = 0xFFFFFFFF
    for b in data:
        c ^= b
        for _ in range(8):
            c = c >> 1 ^ (0xEDB88320 if c & 1 else 0)
    return c ^ 0xFFFFFFFF
print(hex(crc(b"123456789")), crc(b"hello") == binascii.crc32(b"hello"))
#: luhn
def valid(s):
    d = [int(c) for c in s if c.isdigit()][::-1]
    return sum(d[::2] + [sum(divmod(2 * x, 10)) for x in d[1::2]]) % 10 == 0
for s in ("4539 1488 0343 6467", "8273 1232 7352 0569", "79927398713"):
    print(s, valid(s))
#: isbn
def isbn10(s):
    return sum((10 - i) * (10 if c == "X" else int(c)) for i, c in enumerate(s)) % 11 == 0
def isbn13(s):
    return sum(int(c) * (1, 3)[i % 2] for i, c in enumerate(s)) % 10 == 0
print(isbn10("080442957X"), isbn10("0804429570"), isbn13("9780306406157"), isbn13("9780306406158"))
#: pascal
row = [1]
for n in range(8):
    print(" ".join(map(str, row)).center(36).rstrip())
    row = [a + b for a, b in zip([0] + row, row + [0])]
#: catalan-bell-stirling
from math import comb
print([comb(2 * n, n) // (n + 1) for n in range(12)])
bell = [[1]]
for _ in range(7):
    r = [bell[-1][-1]]
    for x in bell[-1]:
        r.append(r[-1] + x)
    bell.append(r)
print([r[0] for r in bell])
#: fibonacci-ways
def fib_matrix(n):
    def mul(a, b):
        return (a[0] * b[0] + a[1] * b[1], a[0] * b[1] + a[1] * b[2], a[1] * b[1] + a[2] * b[2])
    r, m = (1, 0, 1), (1, 1, 0)
    while n:
        if n & 1: r = mul(r, m)
        m, n = mul(m, m), n >> 1
    return r[1]
print([fib_matrix(n) for n in range(15)])
print(fib_matrix(300))
#: pi-digits
def digits():
    q, r, t, k, n, l = 1, 0, 1, 1, 3, 3
    while True:
        if 4 * q + r - t < n * t:
            yield n
            q, r, n = 10 * q, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
        else:
            q, r, t, k, n, l = q * k, (2 * q + r) * l, t * l, k + 1, (q * (7 * k + 2) + r * l) // (t * l), l + 2
g = digits()
print("".join(str(next(g)) for _ in range(60)))
#: isqrt-newton
from math import isqrt
def newton(n):
    x = n
    while (y := (x + n // x) // 2) < x:
        x = y
    return x
for n in (10, 99, 10**20, 2 * 10**40):
    print(n, isqrt(n), newton(n) == isqrt(n))
#: continued-fraction
from fractions import Fraction
def terms(f):
    while True:
        i = f.numerator // f.denominator
        yield i
        if f == i: return
        f = 1 / (f - i)
t = list(terms(Fraction(415, 93)))
print(t)
x = Fraction(t[-1])
for i in t[-2::-1]:
    x = i + 1 / x
print(x)
#: egyptian-fractions
from fractions import Fraction
def egypt(f):
    while f:
        d = -(-f.denominator // f.numerator)
        yield d
        f -= Fraction(1, d)
for f in (Fraction(2, 3), Fraction(7, 15), Fraction(43, 48)):
    print(f, "=", " + ".join(f"1/{d}" for d in egypt(f)))
#: fraction-basics
from fractions import Fraction as F
print(F(6, 4), F("0.125"), F(0.5), F("-3/9"), repr(F(1, 3)))
print(F(1, 3) + F(1, 6), F(2, 3) * 3, F(1, 2) ** 3, F(7, 2) // 1, F(7, 2) % 1, -F(1, 2))
print(F(1, 3) < 0.34, F(1, 2) == 0.5, float(F(1, 8)), int(F(7, 2)), round(F(5, 2)))
#: fraction-limit
from fractions import Fraction
import math
for d in (1, 10, 100, 1000, 10000):
    print(d, Fraction(math.pi).limit_denominator(d))
#: farey
from fractions import Fraction
n = 5
print(sorted({Fraction(a, b) for b in range(1, n + 1) for a in range(b + 1)}))
print(*[f"{a}/{b}" for a, b in [(0, 1), (1, 2), (1, 1)]])
#: harmonic-exact
from fractions import Fraction
h = Fraction(0)
for k in range(1, 11):
    h += Fraction(1, k)
    print(k, h)
#: bernoulli
from fractions import Fraction
from math import comb
B = [Fraction(1)]
for m in range(1, 13):
    B.append(-sum(comb(m + 1, k) * B[k] for k in range(m)) / (m + 1))
for i, b in enumerate(B):
    if b:
        print(i, b)
#: decimal-money
from decimal import Decimal, ROUND_HALF_UP, ROUND_DOWN
price, rate = Decimal("19.99"), Decimal("0.0825")
tax = (price * rate).quantize(Decimal("0.01"), ROUND_HALF_UP)
print(tax, price + tax, (price * 3).quantize(Decimal("1"), ROUND_DOWN))
print(Decimal("0.1") + Decimal("0.2") == Decimal("0.3"))
#: decimal-roundings
import decimal
from decimal import Decimal as D
for mode in sorted(m for m in dir(decimal) if m.startswith("ROUND_")):
    print(f"{mode:16}", *[D(x).quantize(D(1), getattr(decimal, mode)) for x in ("2.5", "-2.5", "1.1", "-1.6")])
#: decimal-context
from decimal import Decimal, getcontext, localcontext
with localcontext() as ctx:
    ctx.prec = 50
    print(Decimal(2).sqrt())
    print(Decimal(1) / 7)
print(getcontext().prec, Decimal(1) / 7)
#: decimal-signals
from decimal import Decimal, DivisionByZero, InvalidOperation, Inexact, localcontext
for a, b in (("1", "0"), ("0", "0")):
    try:
        print(Decimal(a) / Decimal(b))
    except (DivisionByZero, InvalidOperation) as e:
        print(type(e).__name__)
with localcontext() as c:
    c.traps[Inexact] = True
    try:
        Decimal(1) / 3
    except Inexact:
        print("inexact")
#: decimal-forms
from decimal import Decimal as D
for s in ("1.200", "1E+3", "-0.00", "Infinity", "NaN", "123.456E-5"):
    d = D(s)
    print(s, d.as_tuple(), d.normalize() if d.is_finite() else d, d.adjusted() if d.is_finite() else "")
#: decimal-functions
from decimal import Decimal as D, getcontext
getcontext().prec = 30
print(D(1).exp(), D(10).ln(), D(1000).log10())
print(D("3.7") // 1, D("-3.7") % 1, D(5).fma(2, 3), D("2") ** D("0.5"))
print(D("1.30").compare(D("1.3")), D("7").next_plus(), max(D(1), D("1.0")))
#: decimal-compound-interest
from decimal import Decimal, ROUND_HALF_EVEN
bal = Decimal("1000.00")
for year in range(1, 6):
    bal = (bal * Decimal("1.035")).quantize(Decimal(".01"), ROUND_HALF_EVEN)
    print(year, f"{bal:>10,}")
#: decimal-pi
from decimal import Decimal, getcontext
getcontext().prec = 42
lasts, t, s, n, na, d, da = 0, Decimal(3), 3, 1, 0, 0, 24
while s != lasts:
    lasts = s
    n, na = n + na, na + 8
    d, da = d + da, da + 32
    t = (t * n) / d
    s += t
getcontext().prec = 40
print(+s)
#: complex-basics
z = complex(3, -4)
print(z, abs(z), z.conjugate(), z * 1j, z ** 2, z / (1 + 1j))
print(complex("1+2j"), z.real, z.imag, z == 3 - 4j, -z)
try:
    z < 1
except TypeError as e:
    print("no order")
#: cmath-roots
import cmath
for k in range(6):
    r = cmath.rect(1, 2 * cmath.pi * k / 6)
    print(f"{r.real + 0:+.4f} {r.imag + 0:+.4f}j")
print(cmath.sqrt(-4), cmath.isclose(cmath.exp(1j * cmath.pi), -1))
#: quadratic
import cmath
def roots(a, b, c):
    d = cmath.sqrt(b * b - 4 * a * c)
    return (-b + d) / (2 * a), (-b - d) / (2 * a)
for abc in [(1, -3, 2), (1, 2, 5), (1, 4, 4)]:
    print(abc, roots(*abc))
#: mandelbrot
rows = []
for y in range(-8, 9):
    row = ""
    for x in range(-28, 9):
        z, c = 0, complex(x / 14, y / 7)
        for i in range(30):
            z = z * z + c
            if abs(z) > 2:
                break
        row += "#" if i == 29 else "." if i > 4 else " "
    rows.append(row.rstrip())
print("\n".join(rows))
#: bisection-root
def root(f, a, b, eps=1e-12):
    n = 0
    while b - a > eps:
        m = (a + b) / 2
        if f(a) * f(m) <= 0: b = m
        else: a = m
        n += 1
    return round((a + b) / 2, 9), n
print(root(lambda x: x**3 - x - 2, 1, 2), root(lambda x: x * x - 2, 0, 2))
#: newton-method
def newton(f, df, x):
    for i in range(20):
        nx = x - f(x) / df(x)
        if abs(nx - x) < 1e-12:
            return i, f"{nx:.10f}"
        x = nx
print(newton(lambda x: x**3 - 2, lambda x: 3 * x * x, 1.0))
print(newton(lambda x: x**5 - x - 1, lambda x: 5 * x**4 - 1, 1.5))
#: simpson-trapezoid
def trap(f, a, b, n):
    h = (b - a) / n
    return h * (f(a) / 2 + f(b) / 2 + sum(f(a + i * h) for i in range(1, n)))
def simpson(f, a, b, n):
    return (4 * trap(f, a, b, 2 * n) - trap(f, a, b, n)) / 3
f = lambda x: x**4 - 2 * x
for n in (2, 8, 32):
    print(n, f"{trap(f, 0, 2, n):.6f} {simpson(f, 0, 2, n):.6f}")
#: euler-runge-kutta
def rk4(f, y, h, n):
    t = 0
    for _ in range(n):
        k1 = f(t, y); k2 = f(t + h / 2, y + h * k1 / 2)
        k3 = f(t + h / 2, y + h * k2 / 2); k4 = f(t + h, y + h * k3)
        y += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        t += h
    return y
for n in (5, 10, 100):
    print(n, f"{rk4(lambda t, y: y, 1.0, 1 / n, n):.8f}")
#: math-exact
import math
print(math.gcd(12, 18, 27), math.lcm(4, 6, 10), math.comb(50, 6), math.perm(10, 3), math.prod(range(1, 8)))
print(math.floor(-2.5), math.ceil(-2.5), math.trunc(-2.5), math.fmod(-7, 3), -7 % 3, math.remainder(7, 4))
print(math.modf(3.25), math.frexp(40.0), math.ldexp(0.625, 6), math.fsum([0.1] * 10))
#: math-isclose
import math
print(math.isclose(1.0, 1.0 + 1e-10), math.isclose(0, 1e-12), math.isclose(0, 1e-12, abs_tol=1e-9))
print(math.isnan(math.nan), math.isinf(-math.inf), math.isfinite(1e308))
print(math.nextafter(1.0, 2.0), math.ulp(1.0), math.copysign(3, -0.0))
#: math-errors
import math
for f, x in ((math.sqrt, -1), (math.log, 0), (math.acos, 2), (math.factorial, -1), (math.exp, 1000)):
    try:
        print(f(x))
    except (ValueError, OverflowError) as e:
        print(f.__name__, type(e).__name__)
#: hypot-distance
import math
print(math.hypot(3, 4), math.dist((1, 2, 3), (4, 6, 3)), math.degrees(math.pi), math.radians(180) == math.pi)
print(round(math.sin(math.pi / 6), 10), round(math.cos(math.pi / 3), 10), round(math.atan2(1, -1), 10))
print(math.log2(1024), math.log10(1000), math.log(8, 2))
#: haversine
from math import radians, sin, cos, asin, sqrt
def dist(a, b):
    la, lo, lb, lp = map(radians, (*a, *b))
    h = sin((lb - la) / 2) ** 2 + cos(la) * cos(lb) * sin((lp - lo) / 2) ** 2
    return 2 * 6371 * asin(sqrt(h))
print(f"{dist((52.52, 13.405), (48.8566, 2.3522)):.1f} km")
print(f"{dist((0, 0), (0, 180)):.1f} km")
#: numeric-tower
import numbers
from fractions import Fraction
from decimal import Decimal
for x in (1, 1.0, 1j, Fraction(1), Decimal(1), True):
    print(type(x).__name__, [c for c in ("Integral", "Rational", "Real", "Complex", "Number") if isinstance(x, getattr(numbers, c))])
#: bool-arithmetic
print(True + True, True * 10, sum([True, False, True]), isinstance(True, int))
print(["no", "yes"][True], bool(0.0), bool("False"), bool([]), bool([0]), not None)
print(1 < 2 < 3, 1 < 3 > 2, (1 < 2) == True, 3 == 3.0 == (3 + 0j))
#: statistics-summary
import statistics as st
data = [2, 4, 4, 4, 5, 5, 7, 9]
print(st.mean(data), st.median(data), st.mode(data), st.pstdev(data), st.pvariance(data))
print(st.median_low(data), st.median_high(data), st.median_grouped(data), st.multimode([1, 1, 2, 2, 3]))
print(st.quantiles(data, n=4), f"{st.stdev(data):.6f}", f"{st.harmonic_mean([40, 60]):.3f}", f"{st.geometric_mean([54, 24, 36]):.6f}")
#: statistics-fractions
from fractions import Fraction as F
from decimal import Decimal as D
import statistics as st
print(st.mean([F(3, 7), F(1, 21), F(5, 3)]), st.mean([D("0.5"), D("0.75")]), st.variance([F(1, 6), F(1, 2), F(5, 3)]))
try:
    st.mean([])
except st.StatisticsError as e:
    print(e)
#: normal-dist
from statistics import NormalDist
iq = NormalDist(100, 15)
print(f"{iq.cdf(115) - iq.cdf(85):.4f} {iq.inv_cdf(0.975):.4f} {iq.pdf(100):.6f}")
print(iq + 10, iq * 2, NormalDist(3, 4) + NormalDist(1, 3), f"{iq.zscore(130):.1f} {iq.overlap(NormalDist(110, 15)):.4f}")
#: weighted-and-moving-average
xs = [3, 8, 1, 9, 4, 6, 2, 7]
print([round(sum(xs[i:i + 3]) / 3, 3) for i in range(len(xs) - 2)])
ema, out = xs[0], []
for x in xs:
    ema += 0.5 * (x - ema)
    out.append(ema)
print(out)
#: linear-regression-exact
from fractions import Fraction as F
pts = [(1, 2), (2, 3), (3, 5), (4, 4), (5, 6)]
n, sx, sy = len(pts), sum(x for x, _ in pts), sum(y for _, y in pts)
sxy, sxx = sum(x * y for x, y in pts), sum(x * x for x, _ in pts)
m = F(n * sxy - sx * sy, n * sxx - sx * sx)
b = F(sy - m * sx, n)
print(f"y = {m} x + {b}", [str(y - m * x - b) for x, y in pts])
#: matrix-multiply
def mul(a, b):
    return [[sum(x * y for x, y in zip(r, c)) for c in zip(*b)] for r in a]
a, b = [[1, 2], [3, 4], [5, 6]], [[7, 8, 9], [10, 11, 12]]
for r in mul(a, b):
    print(r)
print([list(r) for r in zip(*a)])
#: determinant
def det(m):
    if len(m) == 1:
        return m[0][0]
    return sum((-1) ** c * v * det([r[:c] + r[c + 1:] for r in m[1:]]) for c, v in enumerate(m[0]) if v)
print(det([[2, 0, 1], [1, 3, 2], [1, 1, 1]]), det([[1, 2], [2, 4]]), det([[3, 0, 0, 1], [0, 2, 0, 0], [0, 0, 5, 0], [1, 0, 0, 4]]))
#: gauss-elimination
from fractions import Fraction as F
m = [[F(x) for x in r] for r in [[2, 1, -1, 8], [-3, -1, 2, -11], [-2, 1, 2, -3]]]
n = len(m)
for i in range(n):
    p = next(r for r in range(i, n) if m[r][i])
    m[i], m[p] = m[p], m[i]
    m[i] = [x / m[i][i] for x in m[i]]
    for r in range(n):
        if r != i:
            m[r] = [x - m[r][i] * y for x, y in zip(m[r], m[i])]
print([str(r[-1]) for r in m])
#: matrix-inverse-mod
def inv2(m, p):
    (a, b), (c, d) = m
    k = pow(a * d - b * c, -1, p)
    return [[d * k % p, -b * k % p], [-c * k % p, a * k % p]]
m = [[3, 3], [2, 5]]
i = inv2(m, 26)
print(i, [[sum(m[r][k] * i[k][c] for k in (0, 1)) % 26 for c in (0, 1)] for r in (0, 1)])
#: game-of-life
live = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
for gen in range(4):
    print(gen, sorted(live))
    near = [(x + a, y + b) for x, y in live for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]
    live = {p for p in set(near) if near.count(p) == 3 or near.count(p) == 2 and p in live}
#: magic-square
n = 5
sq = [[0] * n for _ in range(n)]
r, c = 0, n // 2
for k in range(1, n * n + 1):
    sq[r][c] = k
    nr, nc = (r - 1) % n, (c + 1) % n
    if sq[nr][nc]:
        nr, nc = (r + 1) % n, c
    r, c = nr, nc
for row in sq:
    print(" ".join(f"{x:2}" for x in row), sum(row))
#: polynomial
class Poly:
    def __init__(self, *c):
        self.c = list(c)
    def __call__(self, x):
        r = 0
        for k in self.c:
            r = r * x + k
        return r
    def __mul__(self, o):
        out = [0] * (len(self.c) + len(o.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(o.c):
                out[i + j] += a * b
        return Poly(*out)
    def derive(self):
        n = len(self.c) - 1
        return Poly(*[k * (n - i) for i, k in enumerate(self.c[:-1])])
p = Poly(1, -3, 2) * Poly(2, 1)
print(p.c, p(3), p.derive().c)
#: rsa-toy
p, q, e = 61, 53, 17
n, phi = p * q, (p - 1) * (q - 1)
d = pow(e, -1, phi)
msg = "HI!"
enc = [pow(ord(c), e, n) for c in msg]
print(n, d, enc, "".join(chr(pow(c, d, n)) for c in enc))
#: diffie-hellman
p, g = 0xFFFFFFFB, 5
a, b = 123457, 987653
A, B = pow(g, a, p), pow(g, b, p)
print(A, B, pow(A, b, p) == pow(B, a, p))
#: int-limits
import sys
try:
    int("9" * 5000)
except ValueError as e:
    print("too many digits")
sys.set_int_max_str_digits(0)
print(len(str(10**5000)), int("9" * 5000) % 1000)
#: clock-angle
for h, m in [(3, 0), (12, 30), (6, 45), (9, 15)]:
    a = abs(30 * h - 5.5 * m) % 360
    print(f"{h:02}:{m:02} {min(a, 360 - a)}")
#: temperature-table
print(f"{'C':>6}|{'F':>8}|{'K':>8}")
for c in range(-40, 101, 35):
    print(f"{c:6}|{c * 9 / 5 + 32:8.1f}|{c + 273.15:8.2f}")
#: prime-gaps-goldbach
ps = [p for p in range(2, 200) if all(p % d for d in range(2, int(p**0.5) + 1))]
print(max((b - a, a, b) for a, b in zip(ps, ps[1:])))
for n in (28, 100, 188):
    print(n, next((p, n - p) for p in ps if n - p in ps))
#: happy-numbers
def happy(n):
    seen = set()
    while n != 1 and n not in seen:
        seen.add(n)
        n = sum(int(c) ** 2 for c in str(n))
    return n == 1
print([n for n in range(1, 100) if happy(n)])
#: look-and-say
from itertools import groupby
s = "1"
for _ in range(9):
    print(s)
    s = "".join(f"{len(list(g))}{c}" for c, g in groupby(s))
#: josephus
def last(n, k):
    r = 0
    for i in range(2, n + 1):
        r = (r + k) % i
    return r + 1
print([last(n, 2) for n in range(1, 17)], last(41, 3))
#: partitions
def parts(n, m=None):
    m = m or n
    if n == 0:
        yield []
    for k in range(min(n, m), 0, -1):
        for r in parts(n - k, k):
            yield [k] + r
for p in parts(5):
    print(" + ".join(map(str, p)))
print([sum(1 for _ in parts(n)) for n in range(1, 15)])
#: pythagorean-triples
print([(a, b, c) for c in range(1, 50) for b in range(1, c) for a in range(1, b) if a * a + b * b == c * c])
from math import gcd
print([(m * m - n * n, 2 * m * n, m * m + n * n) for m in range(2, 6) for n in range(1, m) if (m - n) % 2 and gcd(m, n) == 1])
#: mixed-type-results
for e in ("1 + 1.0", "3 / 1", "3 // 1", "3 // 1.0", "2 ** -1", "True + 1", "10 % 3.5", "-2 ** 2", "(-8) ** (1 / 3)"):
    v = eval(e)
    print(f"{e:16} {type(v).__name__:8}", v if not isinstance(v, complex) else "complex")
