# SPDX-License-Identifier: Apache-2.0
# Classes: special methods, descriptors, metaclasses, dataclasses, enums, protocols, patterns, weak references.
#: vector-operators
class V:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return V(self.x + o.x, self.y + o.y)
    def __sub__(self, o): return V(self.x - o.x, self.y - o.y)
    def __mul__(self, k): return V(self.x * k, self.y * k) if isinstance(k, (int, float)) else NotImplemented
    __rmul__ = __mul__
    def __matmul__(self, o): return self.x * o.x + self.y * o.y
    def __neg__(self): return self * -1
    def __abs__(self): return (self @ self) ** 0.5
    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)
    def __repr__(self): return f"V({self.x}, {self.y})"
a, b = V(3, 4), V(1, -1)
print(a + b, a - b, a * 2, 2 * a, a @ b, -a, abs(a), a == V(3, 4), a != b)
#: reflected-inplace
class M:
    def __init__(self, v): self.v = v
    def __add__(self, o): print("add"); return M(self.v + getattr(o, "v", o))
    def __radd__(self, o): print("radd"); return M(o + self.v)
    def __iadd__(self, o): print("iadd"); self.v += o; return self
m = M(1)
n = m + 2; n = 5 + m; m += 10
print(m.v, sum([M(1), M(2)]).v)
try:
    m * 2
except TypeError as e:
    print(type(e).__name__)
#: repr-str
class A:
    def __repr__(self): return "<A repr>"
class B(A):
    def __str__(self): return "B str"
print(A(), str(A()), [A()], f"{A()!s} {B()!r} {B()}", [B()], {"k": B()})
print("%s %r" % (B(), B()))
#: equality-hash
class P:
    def __init__(self, x): self.x = x
    def __eq__(self, o): return isinstance(o, P) and self.x == o.x
class Q(P):
    def __hash__(self): return hash(self.x)
print(P(1) == P(1), P(1) != P(2), P(1) == 1, len({Q(1), Q(1), Q(2)}))
try:
    {P(1)}
except TypeError as e:
    print(e)
#: container-protocol
class Stack:
    def __init__(self): self._d = []
    def __len__(self): return len(self._d)
    def __bool__(self): return bool(self._d)
    def __contains__(self, x): return x in self._d
    def __getitem__(self, i): return self._d[i]
    def __setitem__(self, i, v): self._d[i] = v
    def __delitem__(self, i): del self._d[i]
    def __reversed__(self): return iter(self._d[::-1])
    def push(self, x): self._d.append(x); return self
s = Stack().push(1).push(2).push(3)
s[0] = 9; del s[1]
print(len(s), list(s), 9 in s, list(reversed(s)), s[-1], s[0:1], bool(Stack()))
#: attribute-access
class Loose:
    def __getattr__(self, n): return f"<{n}>"
    def __setattr__(self, n, v): print("set", n, v); object.__setattr__(self, n, v)
    def __delattr__(self, n): print("del", n); object.__delattr__(self, n)
x = Loose()
x.a = 1
print(x.a, x.b); del x.a
print(x.a, getattr(x, "z"), hasattr(x, "anything"), vars(x))
#: getattribute
class T:
    v = 1
    def __getattribute__(self, n):
        if n == "secret":
            raise AttributeError("no " + n)
        return object.__getattribute__(self, n)
t = T()
print(t.v, getattr(t, "secret", "hidden"), T.__name__)
try:
    t.secret
except AttributeError as e:
    print(e)
#: properties
class Temp:
    def __init__(self, c): self.c = c
    @property
    def f(self): return self.c * 9 / 5 + 32
    @f.setter
    def f(self, v): self.c = (v - 32) * 5 / 9
    @f.deleter
    def f(self): self.c = 0
t = Temp(100); print(t.f); t.f = 50; print(t.c); del t.f; print(t.c, t.f)
print(type(Temp.f).__name__, Temp.f.fset is not None)
#: descriptor-validation
class Positive:
    def __set_name__(self, owner, name): self.n = "_" + name; print("named", name, "in", owner.__name__)
    def __get__(self, o, t=None): return self if o is None else getattr(o, self.n)
    def __set__(self, o, v):
        if v <= 0: raise ValueError(f"{self.n[1:]} must be > 0")
        setattr(o, self.n, v)
class Item:
    price = Positive(); qty = Positive()
    def __init__(self, p, q): self.price, self.qty = p, q
i = Item(2, 3); print(i.price * i.qty, vars(i))
try:
    i.qty = -1
except ValueError as e:
    print(e)
#: descriptor-precedence
class D:
    def __get__(self, o, t): return "data"
    def __set__(self, o, v): pass
class N:
    def __get__(self, o, t): return "nondata"
class A:
    d, n = D(), N()
a = A()
a.__dict__.update(d="inst", n="inst")
print(a.d, a.n, A.d, A.n)
#: lazy-attribute
class lazy:
    def __init__(self, f): self.f = f
    def __get__(self, o, t):
        if o is None: return self
        print("computing")
        v = o.__dict__[self.f.__name__] = self.f(o)
        return v
class C:
    @lazy
    def big(self): return sum(range(1000))
c = C(); print(c.big, c.big, list(vars(c)))
#: class-static-methods
class Date:
    count = 0
    def __init__(self, y, m): self.y, self.m = y, m; type(self).count += 1
    @classmethod
    def parse(cls, s): return cls(*map(int, s.split("-")))
    @staticmethod
    def leap(y): return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
class Sub(Date): pass
d, s = Date.parse("2024-02"), Sub.parse("1999-12")
print(type(s).__name__, d.y, s.m, Date.count, Sub.count, [y for y in (1900, 2000, 2023, 2024) if Date.leap(y)])
#: class-vs-instance
class A:
    shared = []
    n = 0
a, b = A(), A()
a.shared.append(1); a.n += 5
print(b.shared, b.n, A.n, a.__dict__, "n" in vars(b))
A.n = 9; print(a.n, b.n); del a.n; print(a.n)
#: mro-diamond
class A:
    def hi(self): return ["A"]
class B(A):
    def hi(self): return ["B"] + super().hi()
class C(A):
    def hi(self): return ["C"] + super().hi()
class D(B, C):
    def hi(self): return ["D"] + super().hi()
print(D().hi(), [c.__name__ for c in D.__mro__], issubclass(D, A), D.__bases__ == (B, C))
try:
    type("X", (A, B), {})
except TypeError as e:
    print(type(e).__name__)
#: super-cooperative
class Base:
    def __init__(self, **k): print("Base", k)
class Named(Base):
    def __init__(self, name, **k): self.name = name; super().__init__(**k)
class Aged(Base):
    def __init__(self, age, **k): self.age = age; super().__init__(**k)
class Person(Named, Aged): pass
p = Person(name="Al", age=3); print(vars(p))
#: mixins
import json
class JsonMixin:
    def to_json(self): return json.dumps(vars(self), sort_keys=True)
class ReprMixin:
    def __repr__(self): return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in sorted(vars(self).items()))})"
class Pt(JsonMixin, ReprMixin):
    def __init__(self, x, y): self.x, self.y = x, y
print(Pt(1, "a"), Pt(1, 2).to_json())
#: slots
class S:
    __slots__ = ("a", "b")
    def __init__(self): self.a = 1
s = S()
print(s.a, hasattr(s, "b"), hasattr(s, "__dict__"))
try:
    s.c = 1
except AttributeError:
    print("no c")
class T(S): pass
t = T(); t.c = 5; print(t.c, t.__dict__)
#: init-subclass
class Plugin:
    known = {}
    def __init_subclass__(cls, /, key=None, **k):
        super().__init_subclass__(**k)
        Plugin.known[key or cls.__name__.lower()] = cls
class Csv(Plugin): pass
class Js(Plugin, key="json"): pass
print({k: v.__name__ for k, v in Plugin.known.items()})
#: class-getitem
class Box:
    def __class_getitem__(cls, k): return f"{cls.__name__}[{k.__name__}]"
print(Box[int], list[int], dict[str, list[int]], list[int].__args__, tuple[int, ...])
print(int | str, isinstance(3, int | str), (int | None).__args__ == (int, type(None)))
#: new-singleton
class One:
    _i = None
    def __new__(cls, *a):
        if cls._i is None:
            print("creating")
            cls._i = super().__new__(cls)
        return cls._i
    def __init__(self, v): self.v = v
a, b = One(1), One(2)
print(a is b, a.v)
class Up(str):
    def __new__(cls, s): return super().__new__(cls, s.upper())
print(Up("abc"), isinstance(Up("x"), str), Up("a") + "b")
#: metaclass-registry
class Meta(type):
    all = []
    def __new__(m, n, b, ns, **k):
        ns["tag"] = n.lower()
        return super().__new__(m, n, b, ns)
    def __init__(cls, n, b, ns, **k): Meta.all.append((n, k)); super().__init__(n, b, ns)
    def __call__(cls, *a): print("calling", cls.__name__, a); return super().__call__(*a)
    def __len__(cls): return 42
class A(metaclass=Meta, opt=1): pass
class B(A):
    def __init__(self, x): self.x = x
print(B(5).x, B.tag, Meta.all, len(A), type(A) is Meta)
#: metaclass-prepare
class Order(type):
    @classmethod
    def __prepare__(m, n, b): print("prepare", n); return {"extra": 1}
    def __new__(m, n, b, ns):
        c = super().__new__(m, n, b, ns)
        c.names = [k for k in ns if not k.startswith("__")]
        return c
class C(metaclass=Order):
    z = 1
    def a(self): ...
    m = 2
print(C.names)
#: metaclass-instancecheck
class Duck(type):
    def __instancecheck__(cls, o): return hasattr(o, "quack")
    def __subclasscheck__(cls, c): return hasattr(c, "quack")
class D(metaclass=Duck): pass
class Robot:
    def quack(self): ...
print(isinstance(Robot(), D), issubclass(Robot, D), isinstance(3, D))
#: type-call
def area(self): return self.w * self.h
R = type("R", (), {"__init__": lambda s, w, h: s.__dict__.update(w=w, h=h), "area": area, "sides": 4})
r = R(2, 5)
print(r.area(), R.__name__, R.sides, type(r) is R, type(R) is type)
R.peri = lambda s: 2 * (s.w + s.h)
print(r.peri())
#: abc-shape
from abc import ABC, abstractmethod
import math
class Shape(ABC):
    @property
    @abstractmethod
    def area(self): ...
    def __lt__(self, o): return self.area < o.area
    def __str__(self): return f"{type(self).__name__} {self.area:.2f}"
class Circle(Shape):
    def __init__(self, r): self.r = r
    area = property(lambda s: math.pi * s.r ** 2)
class Sq(Shape):
    def __init__(self, a): self.a = a
    area = property(lambda s: s.a ** 2)
for s in sorted([Circle(1), Sq(3), Circle(0.5), Sq(1)]): print(s)
try:
    Shape()
except TypeError:
    print("abstract")
#: abc-register
from abc import ABC
class Drawable(ABC):
    @classmethod
    def __subclasshook__(cls, c): return True if any("draw" in b.__dict__ for b in c.__mro__) else NotImplemented
class Pic:
    def draw(self): ...
class Other: pass
Drawable.register(Other)
print(issubclass(Pic, Drawable), isinstance(Other(), Drawable), issubclass(int, Drawable), Drawable in Other.__mro__)
#: protocol
from typing import Protocol, runtime_checkable
@runtime_checkable
class Closer(Protocol):
    def close(self) -> None: ...
class F:
    def close(self): print("bye")
print(isinstance(F(), Closer), isinstance(1, Closer))
def shut(c: Closer) -> None: c.close()
shut(F())
#: typing-introspection
from typing import Optional, Union, List, Dict, get_type_hints, get_origin, get_args, Literal, Annotated
def f(a: int, b: "Optional[str]" = None, *c: List[float]) -> Dict[str, int]: ...
print(get_type_hints(f))
print(get_origin(Dict[str, int]), get_args(Union[int, str, None]), Optional[int], Literal["a", 1], get_args(Annotated[int, "m"]))
#: typing-generic
from typing import Generic, TypeVar, NamedTuple, TypedDict, NewType, cast
T = TypeVar("T")
class Stack(Generic[T]):
    def __init__(self) -> None: self.d: list[T] = []
    def push(self, x: T) -> None: self.d.append(x)
s = Stack[int](); s.push(1); print(s.d, Stack[int], T)
class P(NamedTuple):
    x: int
    y: int = 0
    def norm(self): return abs(self.x) + abs(self.y)
class TD(TypedDict, total=False):
    a: int
Id = NewType("Id", int)
print(P(3), P(1, -2).norm(), TD(a=1), TD.__annotations__, Id(5) + 1, cast(str, 3))
#: dataclass-basics
from dataclasses import dataclass, field, asdict, astuple, replace, fields
@dataclass(order=True)
class Item:
    name: str = field(compare=False)
    price: float = 0.0
    tags: list = field(default_factory=list, repr=False)
a, b = Item("pen", 1.5), Item("ink", 4)
print(a, a < b, asdict(b), astuple(a), replace(a, price=9), [f.name for f in fields(Item)], Item("x") == Item("y"))
a.tags.append(1); print(a.tags, b.tags)
#: dataclass-frozen
from dataclasses import dataclass, FrozenInstanceError, field, InitVar
@dataclass(frozen=True)
class P:
    x: int
    y: int = 2
    def __post_init__(self):
        if self.x < 0: raise ValueError("negative")
p = P(1); print(p, {p: "k"}[P(1, 2)])
try:
    p.x = 5
except FrozenInstanceError as e:
    print(e)
try:
    P(-1)
except ValueError as e:
    print(e)
#: dataclass-advanced
from dataclasses import dataclass, field, InitVar, KW_ONLY, make_dataclass
from typing import ClassVar
@dataclass
class Base:
    n: int
    seen: ClassVar[int] = 0
    scale: InitVar[int] = 1
    total: int = field(init=False)
    def __post_init__(self, scale): self.total = self.n * scale; Base.seen += 1
@dataclass
class Kid(Base):
    _: KW_ONLY
    label: str = "kid"
print(Base(2, 3), Kid(5, label="z"), Base.seen, make_dataclass("D", [("a", int), ("b", str, "q")])(1))
#: dataclass-slots-match
from dataclasses import dataclass
@dataclass(slots=True)
class Cmd:
    op: str
    arg: int = 0
def run(c):
    match c:
        case Cmd("add", n): return n + 1
        case Cmd(op="neg", arg=n) if n: return -n
        case Cmd(): return c.op
print([run(Cmd("add", 4)), run(Cmd("neg", 3)), run(Cmd("neg")), run(7)], Cmd.__slots__, Cmd.__match_args__)
#: dataclass-inherit-errors
from dataclasses import dataclass, is_dataclass
try:
    @dataclass
    class Bad:
        a: int = 0
        b: str
except TypeError as e:
    print(type(e).__name__)
try:
    @dataclass
    class Bad2:
        a: list = []
except ValueError as e:
    print(type(e).__name__)
print(is_dataclass(int))
#: enum-basics
from enum import Enum, auto, unique
class Colour(Enum):
    RED = 1
    GREEN = auto()
    CRIMSON = 1
print(Colour.RED, repr(Colour.GREEN), Colour(2), Colour["RED"], Colour.CRIMSON is Colour.RED, list(Colour), list(Colour.__members__))
print(Colour.RED.name, Colour.RED.value, isinstance(Colour.RED, Colour), Colour.RED == 1, {Colour.RED: "r"}[Colour(1)])
try:
    Colour(9)
except ValueError as e:
    print(e)
#: enum-methods
from enum import Enum
class Planet(Enum):
    EARTH = (5.976e24, 6.37814e6)
    MARS = (6.421e23, 3.3972e6)
    def __init__(self, m, r): self.m, self.r = m, r
    @property
    def g(self): return 6.6743e-11 * self.m / self.r ** 2
for p in Planet:
    print(p.name, f"{p.g:.2f}")
try:
    Planet.EARTH = 1
except AttributeError as e:
    print("fixed")
#: enum-kinds
from enum import IntEnum, StrEnum, Enum, unique
class L(IntEnum):
    LOW = 1
    HIGH = 5
class S(StrEnum):
    A = "a"
    B = "b"
print(L.HIGH > 3, L.LOW + 1, sorted([L.HIGH, L.LOW]), S.A + "x", S("b").upper(), f"{L.LOW} {S.A}")
try:
    @unique
    class U(Enum):
        X = 1
        Y = 1
except ValueError as e:
    print(e)
#: enum-flags
from enum import Flag, IntFlag, auto
class Perm(Flag):
    R = auto(); W = auto(); X = auto()
    RW = R | W
p = Perm.R | Perm.X
print(p, Perm.R in p, Perm.W in p, Perm.RW, p & Perm.R, p ^ Perm.RW, bool(p & Perm.W), [m.name for m in p], len(Perm.RW), Perm(0))
class I(IntFlag):
    A = 1; B = 2
print(I.A | I.B == 3, int(I.A | I.B), I(2).name)
#: enum-auto-custom
from enum import Enum, auto
class Lower(Enum):
    def _generate_next_value_(name, start, count, last): return name.lower() + str(count)
    FOO = auto()
    BAR = auto()
    @classmethod
    def _missing_(cls, v): return cls.FOO if v == "?" else None
print([m.value for m in Lower], Lower("?"), Enum("Dyn", "A B").B.value, Enum("D2", {"X": 7}).X)
#: match-statements
def f(x):
    match x:
        case 0 | 1: return "small"
        case int(n) if n < 0: return f"neg {n}"
        case str() as s: return "text " + s
        case []: return "empty"
        case [a]: return f"one {a}"
        case [a, *rest]: return f"first {a} rest {rest}"
        case {"type": t, **kw}: return f"map {t} {kw}"
        case None | True | False: return "const"
        case _: return "other"
for v in (0, -5, "hi", [], [1], (1, 2, 3), {"type": "a", "k": 2}, None, 2.5, 77):
    print(f(v))
#: match-classes
class Pt:
    __match_args__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
def where(p):
    match p:
        case Pt(0, 0): return "origin"
        case Pt(x=0): return "y axis"
        case Pt(x, y) if x == y: return f"diagonal {x}"
        case Pt(): return "somewhere"
        case (Pt(x, _), Pt(_, y)): return f"pair {x} {y}"
print([where(p) for p in (Pt(0, 0), Pt(0, 3), Pt(2, 2), Pt(1, 2), (Pt(1, 2), Pt(3, 4)), 5)])
#: match-evaluator
def ev(e, env):
    match e:
        case int() | float(): return e
        case str(): return env[e]
        case ("let", name, v, body): return ev(body, env | {name: ev(v, env)})
        case (("+" | "*") as op, a, b): return ev(a, env) + ev(b, env) if op == "+" else ev(a, env) * ev(b, env)
        case ("if", c, a, b): return ev(a if ev(c, env) else b, env)
        case _: raise SyntaxError(f"bad {e!r}")
print(ev(("let", "x", 5, ("+", "x", ("*", 2, "x"))), {}), ev(("if", 0, 1, 2), {}))
ev(("?", 1), {})
#: weakref
import weakref, gc
class A:
    def __init__(self, n): self.n = n
    def __del__(self): print("del", self.n)
a = A(1)
r = weakref.ref(a, lambda _: print("callback"))
d = weakref.WeakValueDictionary(k=a)
print(r().n, len(d), weakref.getweakrefcount(a))
del a
print(r(), len(d))
f = A(2); weakref.finalize(f, print, "finalized"); del f
#: gc-cycle
import gc, weakref
class N: pass
a, b = N(), N()
a.o, b.o = b, a
r = weakref.ref(a)
gc.disable(); del a, b
print(r() is None); gc.collect(); print(r() is None, gc.isenabled(), gc.get_threshold()[1:])
#: del-order
class T:
    def __init__(self, n): self.n = n
    def __del__(self): print("gone", self.n)
def f():
    a, b = T("a"), T("b")
    print("leaving")
f()
x = T("x"); x = T("y"); l = [x]; del x; print("list holds"); l.clear(); print("end")
#: call-and-index
class Poly:
    def __init__(self, *c): self.c = c
    def __call__(self, x): return sum(k * x ** i for i, k in enumerate(self.c))
    def __getitem__(self, i): return self.c[i] if isinstance(i, int) else Poly(*self.c[i])
    def __index__(self): return len(self.c)
p = Poly(1, 2, 3)
print(p(2), p[1], p[1:].c, list(range(p)), [10, 20, 30, 40][p], callable(p), hex(p))
#: bank-account
class Account:
    def __init__(self, owner, balance=0): self.owner, self._b, self.log = owner, balance, []
    @property
    def balance(self): return self._b
    def deposit(self, n):
        if n <= 0: raise ValueError("deposit must be positive")
        self._b += n; self.log.append(("+", n))
    def withdraw(self, n):
        if n > self._b: raise RuntimeError(f"{self.owner} has only {self._b}")
        self._b -= n; self.log.append(("-", n))
a = Account("Zoe", 100)
a.deposit(50); a.withdraw(30)
for f, n in ((a.withdraw, 500), (a.deposit, -1)):
    try: f(n)
    except (ValueError, RuntimeError) as e: print(type(e).__name__, e)
print(a.balance, a.log)
#: observer-state
class Light:
    def __init__(self): self.state, self.watch = "off", []
    def toggle(self):
        old, self.state = self.state, {"off": "on", "on": "off"}[self.state]
        for w in self.watch: w(old, self.state)
l = Light()
l.watch += [lambda a, b: print(a, "->", b), lambda a, b: print(len(b))]
l.toggle(); l.toggle()
#: fluent-builder
class Query:
    def __init__(self): self.p = {"select": "*"}
    def __getattr__(self, n):
        if n.startswith("_"): raise AttributeError(n)
        return lambda *a: self.p.__setitem__(n, ", ".join(map(str, a))) or self
    def __str__(self): return " ".join(f"{k.upper()} {v}" for k, v in self.p.items())
print(Query().select("a", "b").table("t").where("x > 1").limit(5))
#: visitor
class Num:
    def __init__(s, v): s.v = v
class Add:
    def __init__(s, l, r): s.l, s.r = l, r
class Mul(Add): pass
class Visitor:
    def visit(self, n): return getattr(self, "visit_" + type(n).__name__.lower())(n)
class Eval(Visitor):
    visit_num = lambda s, n: n.v
    visit_add = lambda s, n: s.visit(n.l) + s.visit(n.r)
    visit_mul = lambda s, n: s.visit(n.l) * s.visit(n.r)
class Show(Visitor):
    visit_num = lambda s, n: str(n.v)
    visit_add = lambda s, n: f"({s.visit(n.l)} + {s.visit(n.r)})"
    visit_mul = lambda s, n: f"{s.visit(n.l)} * {s.visit(n.r)}"
t = Mul(Num(3), Add(Num(4), Num(5)))
print(Show().visit(t), "=", Eval().visit(t))
#: name-mangling
class A:
    def __init__(self): self.__x = 1; self._y = 2
    def get(self): return self.__x
class B(A):
    def __init__(self): super().__init__(); self.__x = 9
b = B()
print(b.get(), sorted(vars(b)), b._A__x, b._B__x, hasattr(b, "__x"))
#: subclass-builtins
class D(dict):
    def __missing__(self, k): return k * 2
class L(list):
    def __getitem__(self, i): return super().__getitem__(i % len(self))
class I(int):
    def __add__(self, o): return I(int(self) + o + 1000)
print(D(a=1)["zz"], L([1, 2, 3])[7], I(1) + 1, sum([I(1)]), type(I(2) * 2).__name__, D().get("q"))
#: dir-and-vars
class A:
    x = 1
    def __init__(self): self.y = 2
    def m(self): ...
    def __dir__(self): return ["only", "these"]
print(dir(A()), [n for n in dir(A) if not n.startswith("_")], vars(A()), A.__dict__["x"], A.m.__qualname__, A().m.__self__.y)
setattr(A, "z", 3); print(A.z, getattr(A, "q", None), delattr(A, "z"), hasattr(A, "z"))
#: simple-namespace
from types import SimpleNamespace, MappingProxyType, MethodType
n = SimpleNamespace(a=1, b="x")
n.c = [1]
print(n, n == SimpleNamespace(a=1, b="x", c=[1]), vars(n))
ro = MappingProxyType({"k": 1})
try:
    ro["k"] = 2
except TypeError:
    print("read only", dict(ro))
n.hi = MethodType(lambda s, x: s.a + x, n); print(n.hi(4))
