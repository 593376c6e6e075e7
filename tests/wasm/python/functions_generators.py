# SPDX-License-Identifier: Apache-2.0
# Functions, closures, decorators, generators, context managers and coroutines driven by hand.
#: closure-counter
def make():
    n = 0
    def step(by=1):
        nonlocal n
        n += by
        return n
    return step
a, b = make(), make()
print(a(), a(5), b(), a.__closure__[0].cell_contents, a.__code__.co_freevars)
#: global-nonlocal
x = 1
def f():
    x = 2
    def g():
        nonlocal x
        x += 10
        def h():
            global x
            x = 100
        h()
        return x
    return g(), x
print(f(), x)
#: unbound-local
n = 5
def f():
    try:
        print(n)
        n = 6
    except UnboundLocalError as e:
        print(type(e).__name__)
f()
try:
    print(undefined_name)
except NameError as e:
    print(e)
#: argument-kinds
def f(a, b=2, /, c=3, *args, d, e=5, **kw):
    return a, b, c, args, d, e, kw
print(f(1, d=4), f(1, 9, 8, 7, 6, d=0, z=1, a=2))
for bad in (lambda: f(), lambda: f(1), lambda: f(1, d=1, c=2, **{"c": 3})):
    try:
        bad()
    except TypeError:
        print("TypeError")
#: inspect-signature
import inspect
def f(a, /, b: int, *c, d=1, **e) -> str: ...
s = inspect.signature(f)
print(s)
for p in s.parameters.values():
    print(p.name, p.kind.name, p.default is p.empty, p.annotation if p.annotation is p.empty else p.annotation.__name__)
print(s.bind(1, 2, 3, d=4).arguments)
#: decorator-arguments
def repeat(n):
    def deco(f):
        def w(*a):
            return [f(*a) for _ in range(n)]
        return w
    return deco
@repeat(3)
def hi(x): return x * 2
print(hi("ab"), hi(4))
#: decorator-stack
def tag(t):
    return lambda f: lambda: f"<{t}>{f()}</{t}>"
@tag("b")
@tag("i")
def text(): return "hi"
print(text())
#: decorator-class
class Count:
    def __init__(self, f): self.f, self.n = f, 0
    def __call__(self, *a):
        self.n += 1
        return self.f(*a)
    def __get__(self, obj, cls): return lambda *a: self(obj, *a)
class A:
    @Count
    def m(self, x): return x + 1
@Count
def g(): return "g"
g(); g()
print(g.n, A().m(4), A.__dict__["m"].n)
#: decorator-registry
commands = {}
def command(name=None):
    def add(f):
        commands[name or f.__name__] = f
        return f
    return add
@command()
def start(): return "starting"
@command("halt")
def stop(): return "stopping"
for c in ("start", "halt", "jump"):
    print(c, commands.get(c, lambda: "unknown")())
#: decorator-validate
from functools import wraps
import inspect
def typed(f):
    sig = inspect.signature(f)
    @wraps(f)
    def w(*a, **k):
        for n, v in sig.bind(*a, **k).arguments.items():
            t = f.__annotations__.get(n)
            if t and not isinstance(v, t):
                raise TypeError(f"{n} should be {t.__name__}, not {type(v).__name__}")
        return f(*a, **k)
    return w
@typed
def area(w: int, h: int): return w * h
print(area(3, 4))
try:
    area(3, h="4")
except TypeError as e:
    print(e)
#: decorator-retry
def retry(times, on):
    def deco(f):
        def w():
            for i in range(1, times + 1):
                try:
                    return f()
                except on as e:
                    print("attempt", i, e)
            raise RuntimeError("gave up")
        return w
    return deco
state = iter([0, 0, 5])
@retry(3, ZeroDivisionError)
def job(): return 10 / next(state)
print(job())
#: memoize-dict
calls = []
def memo(f):
    seen = {}
    def w(*a):
        if a not in seen:
            calls.append(a)
            seen[a] = f(*a)
        return seen[a]
    return w
@memo
def paths(r, c): return 1 if 0 in (r, c) else paths(r - 1, c) + paths(r, c - 1)
print(paths(8, 8), len(calls))
#: currying-compose
from functools import reduce
def curry(f, n):
    return f() if n == 0 else lambda x: curry(lambda *a: f(x, *a), n - 1)
compose = lambda *fs: reduce(lambda f, g: lambda x: f(g(x)), fs)
print(curry(lambda a, b, c: a + b * c, 3)(1)(2)(3), compose(str, abs, int)("-5"))
#: y-combinator
Y = lambda f: (lambda x: f(lambda v: x(x)(v)))(lambda x: f(lambda v: x(x)(v)))
print(Y(lambda me: lambda n: 1 if n == 0 else n * me(n - 1))(10))
zero = lambda f: lambda x: x
succ = lambda n: lambda f: lambda x: f(n(f)(x))
three = succ(succ(succ(zero)))
print(three(lambda x: x + 1)(0), three(lambda s: s + "!")("hey"))
#: lambda-dispatch
ops = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b if b else float("nan")}
for e in ("3 + 4", "10 / 4", "2 * -3", "1 / 0"):
    a, o, b = e.split()
    print(e, "=", ops[o](float(a), float(b)))
#: function-attributes
def f(a, b=2, *, c=3):
    "Doc."
    f.calls = getattr(f, "calls", 0) + 1
    return a
f(1); f(2)
print(f.calls, f.__name__, f.__doc__, f.__defaults__, f.__kwdefaults__, f.__code__.co_varnames, f.__code__.co_argcount)
f.__defaults__ = (7,)
print(f.__annotations__, callable(f), f.__module__, f.__qualname__)
#: recursion-mutual
def even(n): return n == 0 or odd(n - 1)
def odd(n): return n != 0 and even(n - 1)
def ack(m, n): return n + 1 if m == 0 else ack(m - 1, 1) if n == 0 else ack(m - 1, ack(m, n - 1))
print(even(100), odd(7), ack(2, 3), ack(2, 10))
#: recursion-limit
def f(n): return f(n + 1)
try:
    f(0)
except RecursionError as e:
    print(type(e).__name__)
import sys
sys.setrecursionlimit(5000)
def s(n): return n and n + s(n - 1)
print(s(4000))
#: trampoline
def tramp(f, *a):
    r = f(*a)
    while callable(r):
        r = r()
    return r
def total(n, acc=0): return acc if n == 0 else lambda: total(n - 1, acc + n)
print(tramp(total, 20000))
#: generator-basics
def squares():
    n = 1
    while True:
        yield n * n
        n += 1
g = squares()
print([next(g) for _ in range(5)], next(x for x in g if x > 200))
e = (x for x in "ab")
print(next(e), next(e), next(e, None), list(e))
#: generator-send
def averager():
    total, n, avg = 0, 0, None
    while True:
        x = yield avg
        if x is None:
            return n
        total += x; n += 1
        avg = total / n
g = averager(); next(g)
print(g.send(10), g.send(20), g.send(30))
try:
    g.send(None)
except StopIteration as e:
    print("returned", e.value)
#: generator-throw-close
def g():
    try:
        while True:
            try:
                yield "ready"
            except ValueError as e:
                yield f"caught {e}"
    finally:
        print("cleanup")
x = g()
print(next(x), x.throw(ValueError("v")), next(x))
x.close()
try:
    x.throw(KeyError("k"))
except KeyError:
    print("closed")
#: yield-from
def inner():
    got = yield 1
    print("inner got", got)
    return "result"
def outer():
    r = yield from inner()
    yield r
    yield from "ab"
g = outer()
print(next(g), g.send("hello"), list(g))
#: generator-pipeline
def read(lines): yield from (l.strip() for l in lines)
def grep(p, it): return (l for l in it if p in l)
def fields(it):
    for l in it:
        yield l.split(":")
src = ["a:1:x\n", "b:2:y\n", "c:3:xx\n"]
print([f[1] for f in fields(grep("x", read(src)))])
#: generator-state
import inspect
def g():
    x = yield 1
    yield x
i = g()
print(inspect.getgeneratorstate(i), next(i), inspect.getgeneratorstate(i), i.gi_frame.f_locals)
i.send(5); print(i.gi_frame.f_locals); list(i)
print(inspect.getgeneratorstate(i), i.gi_frame)
#: generator-stopiteration
def g():
    yield 1
    raise StopIteration("inside")
it = g()
print(next(it))
try:
    next(it)
except RuntimeError as e:
    print(e, "|", repr(e.__cause__))
#: tree-generator
class T:
    def __init__(self, v, l=None, r=None): self.v, self.l, self.r = v, l, r
    def __iter__(self):
        if self.l: yield from self.l
        yield self.v
        if self.r: yield from self.r
t = T(4, T(2, T(1), T(3)), T(6, T(5)))
print(list(t), sum(t), max(t), 3 in t)
#: infinite-primes
def primes():
    comp, n = {}, 2
    while True:
        if n in comp:
            for p in comp.pop(n):
                comp.setdefault(n + p, []).append(p)
        else:
            yield n
            comp[n * n] = [n]
        n += 1
from itertools import islice, takewhile
print(list(islice(primes(), 15)), sum(takewhile(lambda p: p < 2000, primes())))
#: coroutine-scheduler
from collections import deque
def task(name, n):
    for i in range(n):
        print(name, i)
        yield
ready = deque([task("a", 2), task("b", 3), task("c", 1)])
while ready:
    t = ready.popleft()
    try:
        next(t)
        ready.append(t)
    except StopIteration:
        print("done", len(ready))
#: async-by-hand
class Sleep:
    def __init__(self, t): self.t = t
    def __await__(self):
        r = yield self.t
        return r
async def work():
    a = await Sleep(1)
    b = await Sleep(2)
    return a + b
c = work()
print(c.send(None), c.send(10))
try:
    c.send(5)
except StopIteration as e:
    print("result", e.value)
#: async-loop-by-hand
import heapq, itertools
class sleep:
    def __init__(self, t): self.t = t
    def __await__(self): yield self.t
async def tick(name, dt, n):
    for i in range(n):
        await sleep(dt)
        print(name, i)
def run(*cs):
    order, q = itertools.count(), []
    for c in cs:
        heapq.heappush(q, (0, next(order), c))
    while q:
        now, _, c = heapq.heappop(q)
        try:
            heapq.heappush(q, (now + c.send(None), next(order), c))
        except StopIteration:
            print("end at", now)
run(tick("slow", 3, 2), tick("fast", 1, 4))
#: async-generator-by-hand
def drive(c):
    try:
        while True:
            c.send(None)
    except StopIteration as e:
        return e.value
async def nums(n):
    for i in range(n):
        yield i
async def main():
    return [x * 2 async for x in nums(5) if x % 2], {x async for x in nums(3)}
print(drive(main()))
#: async-context-by-hand
class Ctx:
    async def __aenter__(self): print("enter"); return 7
    async def __aexit__(self, *e): print("exit", e[0] and e[0].__name__); return True
async def main():
    async with Ctx() as x:
        print(x)
        raise ValueError
    return "ok"
try:
    main().send(None)
except StopIteration as e:
    print(e.value)
#: asyncio-inspect
import asyncio, inspect
async def a(): ...
async def b(): yield
print(asyncio.iscoroutinefunction(a), inspect.isasyncgenfunction(b), inspect.iscoroutinefunction(len))
c = a(); print(inspect.iscoroutine(c), inspect.isawaitable(c), inspect.getcoroutinestate(c)); c.close()
print(asyncio.Queue(3).maxsize, asyncio.Lock().locked(), asyncio.Event().is_set())
#: context-manager-class
class Timer:
    def __init__(self, n): self.n = n
    def __enter__(self): print("begin", self.n); return self
    def __exit__(self, t, v, tb): print("end", self.n, t and t.__name__); return t is KeyError
with Timer("a") as t, Timer("b"):
    print("body", t.n)
with Timer("c"):
    {}["x"]
try:
    with Timer("d"):
        1 / 0
except ZeroDivisionError:
    print("passed on")
#: contextlib-contextmanager
from contextlib import contextmanager
@contextmanager
def tag(n):
    print(f"<{n}>")
    try:
        yield n.upper()
    except ValueError as e:
        print("swallowed", e)
    finally:
        print(f"</{n}>")
with tag("a") as x, tag("b"):
    print(x)
    raise ValueError("oops")
@tag("deco")
def f(): print("in f")
f()
#: contextlib-exitstack
from contextlib import ExitStack, closing, suppress, nullcontext
with ExitStack() as s:
    for i in range(3):
        s.callback(print, "bye", i)
    s.push(lambda *e: print("exc", e[0].__name__) or True)
    raise OSError
with suppress(KeyError, IndexError):
    [][1]
with nullcontext(5) as n:
    print(n)
class C:
    def close(self): print("closed")
with closing(C()): print("using")
#: contextlib-redirect
from contextlib import redirect_stdout, redirect_stderr
import io, sys
b, e = io.StringIO(), io.StringIO()
with redirect_stdout(b), redirect_stderr(e):
    print("hidden")
    print("err", file=sys.stderr)
print(repr(b.getvalue()), repr(e.getvalue()))
#: exitstack-pop-all
from contextlib import ExitStack, contextmanager
@contextmanager
def res(n):
    print("open", n)
    yield n
    print("close", n)
with ExitStack() as st:
    got = [st.enter_context(res(i)) for i in range(2)]
    keep = st.pop_all()
print("still open", got)
keep.close()
#: contextvars
from contextvars import ContextVar, copy_context
v = ContextVar("v", default="none")
t = v.set("outer")
ctx = copy_context()
ctx.run(v.set, "inner")
print(v.get(), ctx[v], v in ctx, len(ctx) >= 1)
v.reset(t); print(v.get(), t.old_value is t.MISSING)
#: partial-application-table
from functools import partial
from operator import mul
table = {f"x{n}": partial(mul, n) for n in (2, 3, 10)}
print({k: f(7) for k, f in table.items()}, [f.args for f in table.values()])
def log(level, msg, *, sep=": "): return level + sep + msg
warn = partial(log, "WARN", sep=" | ")
print(warn("disk"), warn("cpu", sep="-"))
#: star-args-forwarding
def show(*a, **k): return f"{a} {sorted(k.items())}"
def fwd(f, *a, **k): return f(*a[::-1], **{x.upper(): y for x, y in k.items()})
print(fwd(show, 1, 2, a=3, b=4), show(*"ab", *[1], **{"x": 1}, **{"y": 2}))
#: default-evaluation-order
log = []
def d(x): log.append(x); return x
def f(a=d("def-a"), b=d("def-b")): return a, b
log.append("call")
f(b=d("arg-b"), a=d("arg-a"))
print(log, [d(x) for x in "xy"][0] or d("z"), log[-1])
#: short-circuit
def t(x): print("t", x); return x
print(t(0) and t(1), t(2) or t(3), not t(""), t(1) if t(0) else t(9))
print(0 or [] or {}, 1 and "a" and [], None or 0, "" == False, 0 == False)
#: generator-expression-laziness
data = [1, 2, 3]
g = (x * 10 for x in data)
data.append(4)
print(list(g))
n = 2
h = (x * n for x in [1, 2])
n = 5
print(list(h), sum(1 for _ in range(1000) if _ % 7 == 0))
#: state-machine-generator
def light():
    colours = {"red": "green", "green": "amber", "amber": "red"}
    c = "red"
    while True:
        cmd = yield c
        c = "red" if cmd == "reset" else colours[c]
g = light()
print(next(g), [next(g) for _ in range(4)], g.send("reset"), next(g))
#: callable-introspection
import inspect
class A:
    "class doc"
    def m(self, x=1): "m doc"
    @staticmethod
    def s(): ...
    @classmethod
    def c(cls): ...
    @property
    def p(self): "p doc"
for n, v in sorted(vars(A).items()):
    if not n.startswith("__"):
        print(n, type(v).__name__, inspect.isfunction(getattr(A, n)), inspect.ismethod(getattr(A, n)), inspect.getdoc(v))
#: event-emitter
class Emitter:
    def __init__(self): self.h = {}
    def on(self, ev):
        return lambda f: self.h.setdefault(ev, []).append(f) or f
    def emit(self, ev, *a): return [f(*a) for f in self.h.get(ev, [])]
e = Emitter()
@e.on("x")
def one(v): return v + 1
@e.on("x")
def two(v): return v * 2
print(e.emit("x", 10), e.emit("none"))
