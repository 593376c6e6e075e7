# SPDX-License-Identifier: Apache-2.0
# Each function of math and cmath over the same numbers.
#: floor
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.floor(x)
    print(x, r)
try:
    math.floor("1")
except TypeError:
    print("no text")
#: ceil
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.ceil(x)
    print(x, r)
try:
    math.ceil("1")
except TypeError:
    print("no text")
#: fabs
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.fabs(x)
    print(x, f"{r:.10g}")
try:
    math.fabs("1")
except TypeError:
    print("no text")
#: frexp
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.frexp(x)
    print(x, r)
try:
    math.frexp("1")
except TypeError:
    print("no text")
#: degrees
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.degrees(x)
    print(x, f"{r:.10g}")
try:
    math.degrees("1")
except TypeError:
    print("no text")
#: radians
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.radians(x)
    print(x, f"{r:.10g}")
try:
    math.radians("1")
except TypeError:
    print("no text")
#: factorial
import math
for x in (0, 1, 2, 7, 12, 20):
    r = math.factorial(x)
    print(x, r)
try:
    math.factorial("1")
except TypeError:
    print("no text")
#: sqrt
import math
for x in (0.25, 1, 2, 9.5, 100):
    r = math.sqrt(x)
    print(x, f"{r:.10g}")
try:
    math.sqrt("1")
except TypeError:
    print("no text")
#: log
import math
for x in (0.25, 1, 2, 9.5, 100):
    r = math.log(x)
    print(x, f"{r:.10g}")
try:
    math.log("1")
except TypeError:
    print("no text")
#: log2
import math
for x in (0.25, 1, 2, 9.5, 100):
    r = math.log2(x)
    print(x, f"{r:.10g}")
try:
    math.log2("1")
except TypeError:
    print("no text")
#: log10
import math
for x in (0.25, 1, 2, 9.5, 100):
    r = math.log10(x)
    print(x, f"{r:.10g}")
try:
    math.log10("1")
except TypeError:
    print("no text")
#: expm1
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.expm1(x)
    print(x, f"{r:.10g}")
try:
    math.expm1("1")
except TypeError:
    print("no text")
#: sin
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.sin(x)
    print(x, f"{r:.10g}")
try:
    math.sin("1")
except TypeError:
    print("no text")
#: tan
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.tan(x)
    print(x, f"{r:.10g}")
try:
    math.tan("1")
except TypeError:
    print("no text")
#: asin
import math
for x in (-0.75, -0.1, 0, 0.3, 0.9):
    r = math.asin(x)
    print(x, f"{r:.10g}")
try:
    math.asin("1")
except TypeError:
    print("no text")
#: atan
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.atan(x)
    print(x, f"{r:.10g}")
try:
    math.atan("1")
except TypeError:
    print("no text")
#: sinh
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.sinh(x)
    print(x, f"{r:.10g}")
try:
    math.sinh("1")
except TypeError:
    print("no text")
#: tanh
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.tanh(x)
    print(x, f"{r:.10g}")
try:
    math.tanh("1")
except TypeError:
    print("no text")
#: asinh
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.asinh(x)
    print(x, f"{r:.10g}")
try:
    math.asinh("1")
except TypeError:
    print("no text")
#: erf
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.erf(x)
    print(x, f"{r:.10g}")
try:
    math.erf("1")
except TypeError:
    print("no text")
#: erfc
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.erfc(x)
    print(x, f"{r:.10g}")
try:
    math.erfc("1")
except TypeError:
    print("no text")
#: lgamma
import math
for x in (0.25, 1, 2, 9.5, 100):
    r = math.lgamma(x)
    print(x, f"{r:.10g}")
try:
    math.lgamma("1")
except TypeError:
    print("no text")
#: cbrt
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.cbrt(x)
    print(x, f"{r:.10g}")
try:
    math.cbrt("1")
except TypeError:
    print("no text")
#: ulp
import math
for x in (-2.5, -1, 0, 0.5, 1, 3.75):
    r = math.ulp(x)
    print(x, f"{r:.10g}")
try:
    math.ulp("1")
except TypeError:
    print("no text")
#: gcd-pairs
import math
for a in ((12, 18), (0, 5), (-4, 6), (17, 5), (0, 0)):
    r = math.gcd(*a)
    print(a, type(r).__name__, r)
#: lcm-pairs
import math
for a in ((4, 6), (3, 0), (7, 5), (21, 6)):
    r = math.lcm(*a)
    print(a, type(r).__name__, r)
#: perm-pairs
import math
for a in ((5, 2), (5, 5), (3, 4)):
    r = math.perm(*a)
    print(a, type(r).__name__, r)
#: hypot-pairs
import math
for a in ((3, 4), (1, 2, 2), (0, 0)):
    r = math.hypot(*a)
    print(a, type(r).__name__, round(r, 9))
#: remainder-pairs
import math
for a in ((7, 3), (8, 3), (-7, 4)):
    r = math.remainder(*a)
    print(a, type(r).__name__, r)
#: atan2-pairs
import math
for a in ((1, 1), (-1, 0), (0, -1)):
    r = math.atan2(*a)
    print(a, type(r).__name__, round(r, 9))
#: ldexp-pairs
import math
for a in ((0.75, 4), (1, -3)):
    r = math.ldexp(*a)
    print(a, type(r).__name__, r)
#: nextafter-pairs
import math
for a in ((1, 2), (0, 1), (5, 5)):
    r = math.nextafter(*a)
    print(a, type(r).__name__, r)
#: pow-pairs
import math
for a in ((2, 0.5), (9, -1), (0, 0), (-8, 3)):
    r = math.pow(*a)
    print(a, type(r).__name__, round(r, 9))
#: cmath-sqrt
import cmath
for z in (1 + 1j, 2 - 3j, -0.5 + 0.25j):
    r = cmath.sqrt(z)
    parts = r if isinstance(r, tuple) else (complex(r).real, complex(r).imag)
    print(z, *[f"{v + 0.0:.9f}" for v in parts])
#: cmath-log
import cmath
for z in (1 + 1j, 2 - 3j, -0.5 + 0.25j):
    r = cmath.log(z)
    parts = r if isinstance(r, tuple) else (complex(r).real, complex(r).imag)
    print(z, *[f"{v + 0.0:.9f}" for v in parts])
#: cmath-sin
import cmath
for z in (1 + 1j, 2 - 3j, -0.5 + 0.25j):
    r = cmath.sin(z)
    parts = r if isinstance(r, tuple) else (complex(r).real, complex(r).imag)
    print(z, *[f"{v + 0.0:.9f}" for v in parts])
#: cmath-tan
import cmath
for z in (1 + 1j, 2 - 3j, -0.5 + 0.25j):
    r = cmath.tan(z)
    parts = r if isinstance(r, tuple) else (complex(r).real, complex(r).imag)
    print(z, *[f"{v + 0.0:.9f}" for v in parts])
#: cmath-asin
import cmath
for z in (1 + 1j, 2 - 3j, -0.5 + 0.25j):
    r = cmath.asin(z)
    parts = r if isinstance(r, tuple) else (complex(r).real, complex(r).imag)
    print(z, *[f"{v + 0.0:.9f}" for v in parts])
#: cmath-atanh
import cmath
for z in (1 + 1j, 2 - 3j, -0.5 + 0.25j):
    r = cmath.atanh(z)
    parts = r if isinstance(r, tuple) else (complex(r).real, complex(r).imag)
    print(z, *[f"{v + 0.0:.9f}" for v in parts])
#: cmath-phase
import cmath
for z in (1 + 1j, 2 - 3j, -0.5 + 0.25j):
    r = cmath.phase(z)
    parts = r if isinstance(r, tuple) else (complex(r).real, complex(r).imag)
    print(z, *[f"{v + 0.0:.9f}" for v in parts])
