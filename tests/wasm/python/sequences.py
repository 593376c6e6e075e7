# SPDX-License-Identifier: Apache-2.0
# Integer sequences by formula, with sums and differences.
#: triangular
def term(n):
    return n * (n + 1) // 2
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: hexagonal
def term(n):
    return n * (2 * n - 1)
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: pentagonal
def term(n):
    return n * (3 * n - 1) // 2
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: digital-root
def term(n):
    return 1 + (n ** 3 - 1) % 9 if n else 0
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: binary-ones
def term(n):
    return bin(n * 7).count("1")
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: divisors
def term(n):
    return sum(n % d == 0 for d in range(1, n + 1))
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: divisor-sum
def term(n):
    return sum(d for d in range(1, n + 1) if n % d == 0)
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: mersenne
def term(n):
    return 2 ** n - 1
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: central-binomial
def term(n):
    return __import__("math").comb(2 * n, n)
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: subfactorial
def term(n):
    return round(__import__("math").factorial(n) / 2.718281828459045) if 0 < n < 15 else n == 0
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: lucas
def term(n):
    return __import__("functools").reduce(lambda p, _: (p[1], sum(p)), range(n), (2, 1))[0]
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: fibonacci
def term(n):
    return __import__("functools").reduce(lambda p, _: (p[1], sum(p)), range(n), (0, 1))[0]
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: jacobsthal
def term(n):
    return (2 ** n - (-1) ** n) // 3
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: padovan
def term(n):
    return __import__("functools").reduce(lambda p, _: (p[1], p[2], p[0] + p[1]), range(n), (1, 1, 1))[0]
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: lazy-caterer
def term(n):
    return (n * n + n + 2) // 2
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: fermat-mod
def term(n):
    return pow(2, 2 ** n, 1000007)
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: gray
def term(n):
    return n ^ n >> 1
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: evil
def term(n):
    return n * 2 + bin(n).count("1") % 2
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
#: base3
def term(n):
    return "".join(str(n // 3 ** k % 3) for k in (3, 2, 1, 0))
xs = [term(n) for n in range(16)]
print(xs)
print(sorted(set(xs)), len(xs))
#: collatz-peak
def term(n):
    return max(iter(lambda s=[n + 1]: (s.append(s[-1] // 2 if s[-1] % 2 == 0 else 3 * s[-1] + 1), s[-1])[1], 1), default=1)
xs = [term(n) for n in range(16)]
print(xs)
print(sum(xs), max(xs), [b - a for a, b in zip(xs, xs[1:])][:6])
