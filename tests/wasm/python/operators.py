# SPDX-License-Identifier: Apache-2.0
# Arithmetic, comparison and bit operators as functions and as special methods.
#: add
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.add(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: sub
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.sub(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: mul
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.mul(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: floordiv
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.floordiv(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: mod
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.mod(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: lt
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.lt(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: le
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.le(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: ne
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.ne(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: gt
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.gt(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: and
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.and_(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: or
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.or_(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: lshift
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.lshift(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: rshift
import operator
for a in (7, 2, 0, -5):
    for b in (3, 1, 2.5):
        try:
            print(a, b, operator.rshift(a, b))
        except (TypeError, ValueError, ZeroDivisionError) as e:
            print(a, b, type(e).__name__)
#: pos
import operator
for v in (5, 0, -3, True, 10 ** 20, 1.5):
    try:
        print(v, operator.pos(v))
    except TypeError as e:
        print(v, type(e).__name__)
#: abs
import operator
for v in (5, 0, -3, True, 10 ** 20, 1.5):
    try:
        print(v, operator.abs(v))
    except TypeError as e:
        print(v, type(e).__name__)
#: not
import operator
for v in (5, 0, -3, True, 10 ** 20, 1.5):
    try:
        print(v, operator.not_(v))
    except TypeError as e:
        print(v, type(e).__name__)
#: truth
import operator
for v in (5, 0, -3, True, 10 ** 20, 1.5):
    try:
        print(v, operator.truth(v))
    except TypeError as e:
        print(v, type(e).__name__)
#: index
import operator
for v in (5, 0, -3, True, 10 ** 20, 1.5):
    try:
        print(v, operator.index(v))
    except TypeError as e:
        print(v, type(e).__name__)
#: dunder-sub
class N:
    def __init__(self, v): self.v = v
    def __sub__(self, o): return f"{self.v} - {getattr(o, 'v', o)}"
    def __rsub__(self, o): return f"reflected {o} - {self.v}"
    def __isub__(self, o): self.v = f"({self.v} -= {o})"; return self
a, b = N(1), N(2)
print(a - b, "|", a - 9, "|", 9 - b)
a -= 5
print(a.v)
#: dunder-mul
class N:
    def __init__(self, v): self.v = v
    def __mul__(self, o): return f"{self.v} * {getattr(o, 'v', o)}"
    def __rmul__(self, o): return f"reflected {o} * {self.v}"
    def __imul__(self, o): self.v = f"({self.v} *= {o})"; return self
a, b = N(1), N(2)
print(a * b, "|", a * 9, "|", 9 * b)
a *= 5
print(a.v)
#: dunder-mod
class N:
    def __init__(self, v): self.v = v
    def __mod__(self, o): return f"{self.v} % {getattr(o, 'v', o)}"
    def __rmod__(self, o): return f"reflected {o} % {self.v}"
    def __imod__(self, o): self.v = f"({self.v} %= {o})"; return self
a, b = N(1), N(2)
print(a % b, "|", a % 9, "|", 9 % b)
a %= 5
print(a.v)
#: dunder-pow
class N:
    def __init__(self, v): self.v = v
    def __pow__(self, o): return f"{self.v} ** {getattr(o, 'v', o)}"
    def __rpow__(self, o): return f"reflected {o} ** {self.v}"
    def __ipow__(self, o): self.v = f"({self.v} **= {o})"; return self
a, b = N(1), N(2)
print(a ** b, "|", a ** 9, "|", 9 ** b)
a **= 5
print(a.v)
#: dunder-and
class N:
    def __init__(self, v): self.v = v
    def __and__(self, o): return f"{self.v} & {getattr(o, 'v', o)}"
    def __rand__(self, o): return f"reflected {o} & {self.v}"
    def __iand__(self, o): self.v = f"({self.v} &= {o})"; return self
a, b = N(1), N(2)
print(a & b, "|", a & 9, "|", 9 & b)
a &= 5
print(a.v)
#: dunder-or
class N:
    def __init__(self, v): self.v = v
    def __or__(self, o): return f"{self.v} | {getattr(o, 'v', o)}"
    def __ror__(self, o): return f"reflected {o} | {self.v}"
    def __ior__(self, o): self.v = f"({self.v} |= {o})"; return self
a, b = N(1), N(2)
print(a | b, "|", a | 9, "|", 9 | b)
a |= 5
print(a.v)
#: dunder-matmul
class N:
    def __init__(self, v): self.v = v
    def __matmul__(self, o): return f"{self.v} @ {getattr(o, 'v', o)}"
    def __rmatmul__(self, o): return f"reflected {o} @ {self.v}"
    def __imatmul__(self, o): self.v = f"({self.v} @= {o})"; return self
a, b = N(1), N(2)
print(a @ b, "|", a @ 9, "|", 9 @ b)
a @= 5
print(a.v)
#: dunder-truediv
class N:
    def __init__(self, v): self.v = v
    def __truediv__(self, o): return f"{self.v} / {getattr(o, 'v', o)}"
    def __rtruediv__(self, o): return f"reflected {o} / {self.v}"
    def __itruediv__(self, o): self.v = f"({self.v} /= {o})"; return self
a, b = N(1), N(2)
print(a / b, "|", a / 9, "|", 9 / b)
a /= 5
print(a.v)
