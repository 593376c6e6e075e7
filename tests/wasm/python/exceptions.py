# SPDX-License-Identifier: Apache-2.0
# Exceptions: handling, chaining, groups, cleanup order, warnings, traceback text and exit status.
#: try-else-finally
def f(x):
    try:
        r = 10 / x
    except ZeroDivisionError:
        return "zero"
    else:
        return r
    finally:
        print("finally", x)
print(f(2), f(0))
#: finally-overrides
def f():
    try:
        return "try"
    finally:
        return "finally"
def g():
    for i in range(3):
        try:
            continue
        finally:
            print(i)
print(f(), g())
#: multiple-handlers
for e in ("int('x')", "[][1]", "{}['k']", "None.x", "1/0", "open('missing-file')", "'a' + 1", "undefined"):
    try:
        eval(e)
    except (ValueError, TypeError) as x:
        print(e, "bad value", type(x).__name__)
    except LookupError as x:
        print(e, "lookup", type(x).__name__)
    except Exception as x:
        print(e, "other", type(x).__mro__[1].__name__)
#: custom-exception
class AppError(Exception):
    code = 1
class NotFound(AppError):
    code = 44
    def __init__(self, what, *a): super().__init__(what, *a); self.what = what
    def __str__(self): return f"{self.what} not found"
try:
    raise NotFound("page", 3)
except AppError as e:
    print(e, e.code, e.args, repr(e), isinstance(e, Exception))
#: chaining
def load():
    try:
        {}["key"]
    except KeyError as e:
        raise ValueError("bad config") from e
try:
    load()
except ValueError as e:
    print(e, "|", repr(e.__cause__), e.__suppress_context__)
try:
    try: 1 / 0
    except ZeroDivisionError: raise TypeError("second")
except TypeError as e:
    print(repr(e.__context__), e.__cause__, e.__suppress_context__)
try:
    try: 1 / 0
    except ZeroDivisionError: raise TypeError("third") from None
except TypeError as e:
    print(e.__cause__, e.__suppress_context__)
#: reraise
def f():
    try:
        int("zz")
    except ValueError:
        print("logging")
        raise
try:
    f()
except ValueError as e:
    print("outer", e)
try:
    raise
except RuntimeError as e:
    print(e)
#: exception-variable-deleted
e = "before"
try:
    raise ValueError("x")
except ValueError as e:
    saved = e
print("e" in globals(), saved, saved.__traceback__ is not None)
#: exception-groups
def f(n):
    errs = [ValueError("v1"), TypeError("t1"), ExceptionGroup("in", [ValueError("v2"), KeyError("k")])]
    raise ExceptionGroup("many", errs)
try:
    f(1)
except* ValueError as g:
    print("values", [str(x) for x in g.exceptions], len(g.exceptions))
except* (TypeError, KeyError) as g:
    print("others", g.message, [type(x).__name__ for x in g.exceptions])
#: exception-group-split
g = ExceptionGroup("g", [OSError(1), ExceptionGroup("h", [ValueError(2), OSError(3)])])
m, r = g.split(OSError)
print(m, "|", r)
print(repr(g.subgroup(lambda e: isinstance(e, ValueError))), g.subgroup(KeyError), g.derive([ValueError()]).message)
#: add-note
e = ValueError("base")
e.add_note("first note")
e.add_note("second")
try:
    raise e
except ValueError as x:
    print(x.__notes__, x)
import traceback
print("".join(traceback.format_exception_only(e)), end="")
#: traceback-walk
import traceback
def a(): b()
def b(): c()
def c(): raise LookupError("deep")
try:
    a()
except LookupError as e:
    tb = traceback.extract_tb(e.__traceback__)
    print([(f.name, f.lineno, f.line) for f in tb])
    print(traceback.format_exception_only(type(e), e))
#: traceback-frames
import sys
def f(x):
    y = x * 2
    raise ValueError(y)
try:
    f(21)
except ValueError as e:
    tb = e.__traceback__
    while tb.tb_next:
        tb = tb.tb_next
    print(tb.tb_frame.f_code.co_name, tb.tb_lineno, tb.tb_frame.f_locals, sys.exc_info()[0].__name__)
print(sys.exc_info())
#: traceback-print-to-stdout
import traceback, sys
class Boom(Exception): pass
try:
    raise Boom("with text")
except Boom:
    s = traceback.format_exc().splitlines()
    print(s[0], s[-1], len(s))
    te = traceback.TracebackException(*sys.exc_info())
    print(list(te.format_exception_only()), te.stack[0].lineno)
#: assertion
def mean(xs):
    assert len(xs) > 0, "need data"
    return sum(xs) / len(xs)
print(mean([1, 2]))
try:
    mean([])
except AssertionError as e:
    print(e, e.args)
assert (1 == 1)
print(__debug__)
#: with-suppressing
class Quiet:
    def __enter__(self): return self
    def __exit__(self, t, e, tb):
        print("exit", t.__name__ if t else None)
        return t is not None and issubclass(t, ArithmeticError)
with Quiet():
    1 / 0
with Quiet():
    pass
with Quiet():
    raise LookupError("gone")
#: exit-code-int
import sys
print("leaving")
sys.exit(3)
#: exit-code-text
import sys
print("about to stop")
sys.exit("message on stderr")
#: exit-zero-none
import sys
print("fine")
sys.exit(None)
#: exit-in-function
import sys
def main(argv):
    if not argv:
        print("usage: tool FILE")
        return 2
    return 0
sys.exit(main([]))
#: exit-caught
import sys
try:
    sys.exit(9)
except SystemExit as e:
    print("caught", e.code, repr(e))
print(issubclass(SystemExit, Exception), issubclass(SystemExit, BaseException))
#: exit-finally
import sys
try:
    sys.exit(4)
finally:
    print("cleanup runs")
#: exit-atexit
import atexit, sys
atexit.register(print, "last")
@atexit.register
def bye(): print("first")
atexit.unregister(len)
print("main")
sys.exit(7)
#: os-exit
import os, sys
print("flushed", flush=True)
try:
    os._exit(6)
finally:
    print("never")
#: raise-systemexit
print("x")
if True:
    raise SystemExit(11)
print("not reached")
#: exit-bool
import sys
print(int(True))
sys.exit(1 == 1)
#: uncaught-custom
class ConfigError(Exception):
    pass
print("before")
raise ConfigError("missing key 'port'")
#: uncaught-chained
print("start")
try:
    int("four")
except ValueError as e:
    raise RuntimeError("cannot parse") from e
#: uncaught-in-generator
def g():
    yield 1
    raise IndexError("in generator")
for x in g():
    print(x)
#: uncaught-group
print("group")
raise ExceptionGroup("two", [ValueError(1), TypeError(2)])
print("no")
#: uncaught-syntax
print("never printed because the file does not parse")
def broken(:
    pass
#: uncaught-indentation
print("never printed")
if True:
print("bad")
#: uncaught-await-outside
print("no output: does not compile")
x = [await y for y in range(3)]
print(x)
#: eval-syntax-error
for src in ("1 +", "(", "x = ", "def f(", "a b", "'unclosed", "1 = x", "f(**a, *b)", "for", "return 1"):
    try:
        compile(src, "<s>", "exec")
        print(src, "ok")
    except SyntaxError as e:
        print(repr(src), type(e).__name__, e.lineno)
#: excepthook
import sys
def hook(t, v, tb):
    print("hook", t.__name__, v, tb.tb_lineno)
sys.excepthook = hook
print("go")
raise ValueError("custom")
#: unraisable
import sys
sys.unraisablehook = lambda u: print("unraisable", type(u.exc_value).__name__, u.exc_value)
class A:
    def __del__(self): raise ValueError("in del")
a = A()
del a
print("continues")
#: warnings-catch
import warnings
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    warnings.warn("old api", DeprecationWarning)
    warnings.warn("careful")
    print([(x.category.__name__, str(x.message)) for x in w])
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        warnings.warn("now an error", FutureWarning)
    except FutureWarning as e:
        print("raised", e)
#: warnings-filters
import warnings
warnings.showwarning = lambda m, c, f, l, *a: print(c.__name__, m, l)
warnings.simplefilter("default")
for _ in range(2):
    warnings.warn("once per place", UserWarning)
warnings.filterwarnings("ignore", message="hush.*")
warnings.warn("hush now")
print(warnings.formatwarning("m", UserWarning, "f.py", 3, "code"), end="")
#: keyerror-repr
try:
    {}["it's"]
except KeyError as e:
    print(e, str(e), e.args)
print(str(ValueError("it's")), repr(ValueError("a", 1)), str(ValueError()), repr(OSError(2, "no", "f").filename))
print(KeyError("x").args, str(KeyError("x")), str(IndexError("x")))
#: oserror-kinds
for f in (lambda: open("nope.txt"), lambda: __import__("os").mkdir("a/b/c"), lambda: open("."), lambda: __import__("os").rmdir("nope")):
    try:
        f()
    except OSError as e:
        print(type(e).__name__, e.filename, e.errno is not None, e.strerror)
#: stopiteration-next
it = iter([1])
print(next(it))
try:
    next(it)
except StopIteration as e:
    print(repr(e), e.value)
print(next(it, "default"))
next(it)
#: exception-hierarchy
def tree(c, d=0, seen=("LookupError", "ArithmeticError", "ImportError", "RuntimeError", "ValueError")):
    print("  " * d + c.__name__)
    for s in sorted((s for s in c.__subclasses__() if s.__module__ == "builtins"), key=lambda s: s.__name__):
        if d or s.__name__ in seen:
            tree(s, d + 1)
tree(LookupError); tree(ArithmeticError)
print(issubclass(FileNotFoundError, OSError), IOError is OSError, EnvironmentError is OSError, issubclass(UnicodeDecodeError, ValueError))
#: import-errors
for n in ("no_such_module_xyz", "json.nothing", "os.path.nothing"):
    try:
        __import__(n)
    except ImportError as e:
        print(n, type(e).__name__, e.name)
try:
    from math import nothing
except ImportError as e:
    print(e.name, "cannot" in str(e))
#: unicode-error-details
try:
    b"abc\xffdef".decode("utf-8")
except UnicodeDecodeError as e:
    print(e.encoding, e.start, e.end, e.object[e.start:e.end], e.reason)
try:
    "naïve".encode("ascii")
except UnicodeEncodeError as e:
    print(e)
#: lookup-vs-attribute
class A: pass
for f in (lambda: A().x, lambda: A.y, lambda: A()[0], lambda: A()(), lambda: A() + 1, lambda: len(A()), lambda: iter(A()), lambda: A() < A(), lambda: -A()):
    try:
        f()
    except Exception as e:
        print(type(e).__name__)
#: error-accumulation
rows = ["1,2", "x,3", "4", "5,0"]
ok, bad = [], []
for i, r in enumerate(rows, 1):
    try:
        a, b = map(int, r.split(","))
        ok.append(a / b)
    except (ValueError, ZeroDivisionError) as e:
        bad.append((i, type(e).__name__))
print(ok, bad)
raise SystemExit(len(bad))
#: retry-backoff
import itertools
tries = itertools.count(1)
def flaky():
    n = next(tries)
    if n < 4:
        raise ConnectionError(f"try {n}")
    return "up"
for delay in (0, 1, 2, 4):
    try:
        print(flaky()); break
    except ConnectionError as e:
        print(e, "wait", delay)
else:
    print("gave up")
#: nested-cleanup-order
log = []
def f():
    try:
        try:
            raise KeyError("a")
        finally:
            log.append("inner")
            raise IndexError("b")
    except IndexError as e:
        log.append(repr(e.__context__))
    finally:
        log.append("outer")
f()
print(log)
#: loop-else
for n in (7, 9):
    for d in range(2, n):
        if n % d == 0:
            print(n, "divides by", d)
            break
    else:
        print(n, "prime")
while False: pass
else: print("while else")
