# SPDX-License-Identifier: Apache-2.0
# Files in the current directory, and the language's own tools: ast, tokenize, inspect, unittest, doctest, importlib.
#: write-read-lines
with open("notes.txt", "w", encoding="utf-8") as f:
    print(f.write("first\nsecond\nthird é\n"), f.mode, f.closed)
with open("notes.txt", encoding="utf-8") as f:
    print(f.readline(), [l.rstrip() for l in f])
print(f.closed, sum(1 for _ in open("notes.txt", "rb")))
#: append-and-seek
with open("a.log", "a+") as f:
    f.write("one\n"); f.write("two\n"); f.seek(0); print(f.read().split())
with open("a.log", "r+b") as f:
    f.seek(-4, 2); f.write(b"TWO"); f.seek(0); print(f.read(), f.tell()); f.truncate(4)
print(open("a.log").read())
#: newline-handling
open("n.txt", "wb").write(b"a\r\nb\rc\n")
for n in (None, "", "\n", "\r\n"):
    print(repr(n), open("n.txt", newline=n).readlines())
with open("m.txt", "w", newline="\r\n") as f: f.write("x\ny\n")
print(open("m.txt", "rb").read())
#: open-modes-errors
open("e.txt", "w").write("x")
for n, m in (("e.txt", "x"), ("none.txt", "r"), ("no/dir.txt", "w"), ("e.txt", "q"), ("e.txt", "rw")):
    try: open(n, m); print("ok")
    except (OSError, ValueError) as e: print(n, m, type(e).__name__)
with open("e.txt") as f:
    try: f.write("y")
    except OSError as e: print(type(e).__name__, e)
#: pathlib-pure
from pathlib import PurePosixPath as P, PureWindowsPath as W
p = P("/usr/lib/../share/a.tar.gz")
print(p.name, p.stem, p.suffix, p.suffixes, p.parent, p.parts, p.is_absolute(), p.with_suffix(".zip"), p.with_name("b"), p.root)
print(P("a") / "b" / "../c", P("a/b/c").relative_to("a"), P("a.py").match("*.py"), W("C:\\x\\y.txt").drive, W("C:/a").as_posix(), P("a//b/./c"), P("a") < P("b"), P("x").with_stem("y") )
#: pathlib-files
from pathlib import Path
d = Path("proj"); (d / "src" / "deep").mkdir(parents=True)
(d / "src" / "a.py").write_text("print(1)\n"); (d / "src" / "deep" / "b.py").write_text("x"); (d / "r.md").write_bytes(b"# hi")
print(sorted(str(p) for p in d.rglob("*.py")), sorted(p.name for p in d.iterdir()), (d / "r.md").read_text(), (d / "src").is_dir(), (d / "r.md").stat().st_size)
(d / "r.md").rename(d / "s.md"); (d / "s.md").unlink(); (d / "nope").unlink(missing_ok=True); print((d / "s.md").exists(), sorted(p.as_posix() for p in d.glob("**/*")))
#: os-path
import os.path as p
print(p.join("a", "b", "/c"), p.join("a", ""), p.split("/x/y/z.txt"), p.splitext("f.tar.gz"), p.basename("/a/b/"), p.dirname("/a/b"), p.normpath("a/./b/../../c//d"))
print(p.relpath("/a/b/c", "/a/d"), p.isabs("/x"), p.commonpath(["/a/b/c", "/a/b/d"]), p.exists("nothing"), p.splitext(".bashrc"), p.expandvars("$NOPE_X/z"))
print(p.splitdrive("/a"), p.normpath(""), p.join("", "x"))
#: os-walk
import os
for n in ("t/a/b", "t/c"): os.makedirs(n)
for n in ("t/1.txt", "t/a/2.txt", "t/a/b/3.log"): open(n, "w").write(n)
for root, ds, fs in os.walk("t"):
    ds.sort(); print(root, ds, sorted(fs), sum(os.path.getsize(os.path.join(root, f)) for f in fs))
for root, ds, fs in os.walk("t", topdown=False):
    for f in fs: os.remove(os.path.join(root, f))
    for x in ds: os.rmdir(os.path.join(root, x))
print(os.listdir("t"))
#: os-scandir-rename
import os
os.mkdir("d")
for i in range(3): open(f"d/IMG_{i}.JPG", "w").close()
for e in sorted(os.scandir("d"), key=lambda e: e.name):
    os.rename(e.path, os.path.join("d", e.name.lower().replace("img_", f"photo-{e.stat().st_size}-")))
print(sorted(os.listdir("d")), [e.is_file() for e in os.scandir("d")])
os.replace("d/photo-0-0.jpg", "d/photo-0-1.jpg"); print(len(os.listdir("d")))
#: shutil-ops
import shutil, os
os.makedirs("src/sub"); open("src/a.txt", "w").write("A"); open("src/sub/b.bak", "w").write("B")
shutil.copytree("src", "dst", ignore=shutil.ignore_patterns("*.bak"))
shutil.copyfile("src/a.txt", "c.txt"); shutil.move("c.txt", "dst/moved.txt")
print(sorted(os.path.join(r, f) for r, _, fs in os.walk("dst") for f in fs))
shutil.rmtree("src"); print(os.path.exists("src"))
try: shutil.rmtree("src")
except FileNotFoundError: print("already gone")
#: shutil-archive
import shutil, os, zipfile
os.mkdir("in"); open("in/x.txt", "w").write("x" * 100)
for kind in ("zip", "gztar", "bztar", "tar"):
    name = os.path.basename(shutil.make_archive("out", kind, "in"))
    shutil.unpack_archive(name, "un-" + kind)
    print(name, open(f"un-{kind}/x.txt").read() == "x" * 100)
#: tempfile-here
import tempfile, os
with tempfile.TemporaryDirectory(dir=".") as d:
    p = os.path.join(d, "f"); open(p, "w").write("t"); print(os.path.exists(p))
print(os.path.exists(d))
with tempfile.NamedTemporaryFile("w+", dir=".", suffix=".txt") as f:
    f.write("hello"); f.seek(0); print(f.read(), f.name.endswith(".txt"), os.path.exists(f.name))
print(os.path.exists(f.name))
with tempfile.SpooledTemporaryFile(max_size=10, mode="w+") as s: s.write("small"); s.seek(0); print(s.read())
#: glob-and-filecmp
import glob, filecmp, os
os.makedirs("g/h")
for n, t in (("g/a.txt", "1"), ("g/b.txt", "1"), ("g/c.dat", "22"), ("g/h/d.txt", "1"), ("g/.hid", "x")): open(n, "w").write(t)
print(sorted(glob.glob("g/*.txt")), sorted(glob.glob("g/**/*", recursive=True)), glob.glob("[c]*", root_dir="g"), glob.escape("a[1]"))
print(filecmp.cmp("g/a.txt", "g/b.txt", shallow=False), filecmp.cmp("g/a.txt", "g/c.dat", shallow=False))
c = filecmp.dircmp("g", "g/h"); print(sorted(c.left_only), c.right_only, c.common)
#: duplicate-finder
import os, hashlib
from collections import defaultdict
os.mkdir("dup")
for n, t in (("a", "same"), ("b", "diff"), ("c", "same"), ("d", "same")): open("dup/" + n, "w").write(t)
by = defaultdict(list)
for n in sorted(os.listdir("dup")): by[hashlib.sha256(open("dup/" + n, "rb").read()).hexdigest()[:8]].append(n)
print({k: v for k, v in by.items() if len(v) > 1})
#: fileinput-linecache
import fileinput, linecache
open("f1.txt", "w").write("a\nb\n"); open("f2.txt", "w").write("c\n")
with fileinput.input(["f1.txt", "f2.txt"]) as f:
    for l in f: print(f.filename(), f.filelineno(), f.lineno(), l.strip(), f.isfirstline())
print(repr(linecache.getline("f1.txt", 2)), repr(linecache.getline("f1.txt", 99)), linecache.getlines("none.txt"))
with fileinput.input("f1.txt", inplace=True) as f:
    for l in f: print(l.strip().upper())
print(open("f1.txt").read())
#: shelve-db
import shelve, dbm.dumb
with dbm.dumb.open("raw", "c") as d:
    d["k"] = "v"; d[b"z"] = b"1"; print(sorted(d.keys()), d["k"], "q" in d, len(d))
with shelve.Shelf(dbm.dumb.open("objs", "c")) as s:
    s["a"] = [1, {"b": 2}]; s["t"] = (1,); s["a"].append("lost"); print(s["a"], sorted(s))
with shelve.Shelf(dbm.dumb.open("objs"), writeback=True) as s:
    s["a"].append("kept"); s.sync(); print(s["a"])
#: csv-file-report
import csv, json
with open("in.csv", "w", newline="") as f: csv.writer(f).writerows([["who", "pts"], ["al", 3], ["bo", 5], ["al", 4]])
tot = {}
with open("in.csv", newline="") as f:
    for r in csv.DictReader(f): tot[r["who"]] = tot.get(r["who"], 0) + int(r["pts"])
with open("out.json", "w") as f: json.dump(tot, f, indent=1)
print(open("out.json").read(), open("in.csv", "rb").read()[:9])
#: symlinks-and-stat
import os, stat
open("real", "w").write("data"); os.symlink("real", "ln"); os.link("real", "hard")
print(os.readlink("ln"), os.path.islink("ln"), open("ln").read(), os.path.samefile("real", "hard"), os.stat("real").st_nlink)
print(stat.S_ISLNK(os.lstat("ln").st_mode), stat.S_ISREG(os.stat("ln").st_mode), stat.S_ISDIR(os.stat(".").st_mode), stat.filemode(0o100644), stat.filemode(0o40755))
os.utime("real", (100, 200)); print(os.path.getmtime("real"), os.path.getatime("hard"))
os.remove("real"); print(os.path.exists("ln"), os.path.lexists("ln"))
#: os-fd-level
import os
fd = os.open("raw.bin", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
print(os.write(fd, b"hello world"), os.lseek(fd, 6, os.SEEK_SET), os.read(fd, 5), os.fstat(fd).st_size)
os.pwrite(fd, b"J", 0); print(os.pread(fd, 5, 0)); os.ftruncate(fd, 5); os.close(fd)
print(os.path.getsize("raw.bin"), os.sep, os.linesep == "\n", os.curdir, os.extsep)
try: os.read(fd, 1)
except OSError as e: print(type(e).__name__)
#: chdir-relative
import os
os.makedirs("deep/er"); start = os.getcwd()
os.chdir("deep"); open("x", "w").close(); os.chdir("er")
print(os.path.relpath(os.getcwd(), start), os.listdir(".."), os.path.basename(os.getcwd()))
os.chdir(start); print(os.path.exists("deep/x"))
#: environ
import os
os.environ["MY_SETTING"] = "on"
print(os.getenv("MY_SETTING"), os.environ.get("MISSING_ONE", "dflt"), "MY_SETTING" in os.environ, os.path.expandvars("<$MY_SETTING>"))
del os.environ["MY_SETTING"]; print(os.getenv("MY_SETTING"))
try: os.environ["N"] = 1
except TypeError: print("strings only")
#: own-module
import sys, importlib
open("helper_mod.py", "w").write("X = 5\ndef twice(n):\n    return n * 2\nprint('loaded', __name__)\n")
sys.path.insert(0, "."); importlib.invalidate_caches(); sys.dont_write_bytecode = True
import helper_mod
from helper_mod import twice
print(helper_mod.X, twice(4), "helper_mod" in sys.modules)
open("helper_mod.py", "w").write("X = 66666\n"); importlib.reload(helper_mod); print(helper_mod.X)
#: own-package
import os, sys, importlib, pkgutil, runpy
os.makedirs("pkg/sub")
open("pkg/__init__.py", "w").write("from .core import f\n__all__ = ['f']\n"); open("pkg/core.py", "w").write("from . import sub\ndef f(): return sub.V + 1\n")
open("pkg/sub/__init__.py", "w").write("V = 41\n"); open("pkg/__main__.py", "w").write("print('run as', __name__)\n")
sys.path.insert(0, os.getcwd()); importlib.invalidate_caches()
import pkg
print(pkg.f(), pkg.core.__package__, [m.name for m in pkgutil.iter_modules(pkg.__path__)]); runpy.run_module("pkg", run_name="__main__")
#: importlib-dynamic
import importlib, importlib.util, sys, types
m = importlib.import_module("json.decoder"); print(m.__name__, importlib.util.find_spec("no_such_thing"), importlib.util.find_spec("heapq").name)
v = types.ModuleType("virt", "doc"); exec("def g(): return 'from virt'", v.__dict__); sys.modules["virt"] = v
import virt
print(virt.g(), virt.__doc__, __import__("math").floor(2.5), "builtins" in sys.builtin_module_names)
#: ast-transform
import ast
t = ast.parse("x = 1 + 2 * y\nprint(x)")
class Swap(ast.NodeTransformer):
    def visit_BinOp(self, n):
        self.generic_visit(n)
        return ast.BinOp(n.left, ast.Sub(), n.right) if isinstance(n.op, ast.Add) else n
print(ast.unparse(ast.fix_missing_locations(Swap().visit(t))), [n.id for n in ast.walk(t) if isinstance(n, ast.Name)])
print(ast.dump(ast.parse("a if b else c", mode="eval").body), ast.literal_eval("{'a': [1, (2.5, None)], 'b': {1}}"))
#: ast-safe-calculator
import ast, operator as o
OPS = {ast.Add: o.add, ast.Sub: o.sub, ast.Mult: o.mul, ast.Div: o.truediv, ast.Pow: o.pow, ast.USub: o.neg, ast.Mod: o.mod}
def calc(n):
    if isinstance(n, ast.Expression): return calc(n.body)
    if isinstance(n, ast.Constant) and isinstance(n.value, (int, float)): return n.value
    if isinstance(n, ast.BinOp): return OPS[type(n.op)](calc(n.left), calc(n.right))
    if isinstance(n, ast.UnaryOp): return OPS[type(n.op)](calc(n.operand))
    raise ValueError(type(n).__name__)
for s in ("2 + 3 * 4", "-(2 ** 10) % 7", "(1 + 2) / 4", "__import__('os')", "a + 1"):
    try: print(s, "=", calc(ast.parse(s, mode="eval")))
    except ValueError as e: print(s, "rejected", e)
#: ast-visitor
import ast
src = "import os, sys as s\nfrom a.b import c\nclass K:\n    def m(self): return 1\nasync def z(q, *r): await q\nfor i in x: pass\n"
class V(ast.NodeVisitor):
    def visit_Import(self, n): print("import", [(a.name, a.asname) for a in n.names])
    def visit_ImportFrom(self, n): print("from", n.module, n.names[0].name)
    def visit_ClassDef(self, n): print("class", n.name, n.lineno); self.generic_visit(n)
    def visit_FunctionDef(self, n): print("def", n.name, [a.arg for a in n.args.args], n.end_lineno)
    visit_AsyncFunctionDef = visit_FunctionDef
V().visit(ast.parse(src))
#: tokenize-source
import tokenize, io, token, keyword
src = "def f(x):  # note\n    return x**2 if x else -1.5e3\n"
for t in tokenize.generate_tokens(io.StringIO(src).readline):
    print(token.tok_name[t.exact_type], repr(t.string), t.start)
print(keyword.iskeyword("for"), keyword.softkwlist[-1] in ("type", "match"), tokenize.untokenize(tokenize.generate_tokens(io.StringIO("a = 1\n").readline)))
#: compile-exec-eval
c = compile("a * 2 + b", "<expr>", "eval")
print(eval(c, {"a": 5, "b": 1}), c.co_names, eval("x", {"__builtins__": {}}, {"x": 3}))
ns = {}
exec("def f(n):\n    return n + k\nk = 10", ns); print(ns["f"](5), sorted(k for k in ns if k[0] != "_"))
try: eval("open('x')", {"__builtins__": {}})
except NameError as e: print(e)
#: inspect-source
import inspect
def sample(a, b=2):
    """Doc line.

    More."""
    # comment
    return a + b
print(inspect.getdoc(sample), inspect.getsource(sample).count("\n"), inspect.getsourcelines(sample)[1], inspect.isfunction(sample))
def caller(): return inspect.currentframe().f_back.f_lineno, inspect.stack()[1].function
print(caller(), inspect.getfullargspec(sample).args, inspect.cleandoc("  a\n    b"), inspect.unwrap(sample) is sample)
#: unittest-run
import unittest, sys, io
class T(unittest.TestCase):
    def setUp(self): self.x = [1]
    def test_ok(self): self.assertEqual(self.x, [1]); self.assertIn(1, self.x); self.assertRaises(KeyError, {}.__getitem__, 1)
    def test_bad(self): self.assertTrue(False, "nope")
    @unittest.skip("later")
    def test_skip(self): pass
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i): self.assertNotEqual(i, 1)
r = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))
print(r.testsRun, len(r.failures), len(r.errors), len(r.skipped), r.wasSuccessful(), [f[0].id().split(".")[-1][:8] for f in r.failures])
#: unittest-main-pass
import unittest
class Calc(unittest.TestCase):
    @classmethod
    def setUpClass(cls): print("class setup")
    def test_add(self): print("adding"); self.assertAlmostEqual(0.1 + 0.2, 0.3)
    def tearDown(self): print("teardown")
unittest.main(argv=["x"])
#: unittest-main-fail
import unittest
class Calc(unittest.TestCase):
    def test_zero(self): print("dividing"); self.assertEqual(1, 2)
    def test_err(self): raise OSError
unittest.main(argv=["x"])
#: unittest-mock
from unittest.mock import Mock, MagicMock, patch, call, ANY, sentinel
m = Mock(return_value=3, name="m")
print(m(1, a=2), m.call_args, m.called, m.mock_calls == [call(1, a=2)], m.x.y.z.return_value is m.x.y.z())
m.side_effect = [1, ValueError("x")]; print(m())
try: m()
except ValueError as e: print(e)
with patch("os.getcwd", return_value="/fake"):
    import os; print(os.getcwd())
mm = MagicMock(); mm.__len__.return_value = 7; print(len(mm), mm[3] is mm["k"], ANY == 5, sentinel.a)
try: m.assert_called_once_with(9)
except AssertionError: print("assert fails")
#: doctest-run
if __name__ == "__main__":
    import doctest
    def add(a, b):
        """
        >>> add(1, 2)
        3
        >>> add("a", 1)
        Traceback (most recent call last):
        TypeError: ...
        >>> [add(i, i) for i in range(5)]  # doctest: +ELLIPSIS
        [0, ..., 8]
        """
        return a + b
    r = doctest.testmod(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    print(r.failed, r.attempted)
#: doctest-failure
if __name__ == "__main__":
    import doctest, io, contextlib
    def sq(n):
        """
        >>> sq(3)
        10
        """
        return n * n
    b = io.StringIO()
    with contextlib.redirect_stdout(b): r = doctest.testmod()
    print(r.failed, "Expected:\n    10\nGot:\n    9" in b.getvalue())
    raise SystemExit(r.failed)
#: dis-opnames
import dis
f = lambda x: x
print(any(i.opname.startswith("RETURN") for i in dis.get_instructions(f)), f.__code__.co_nlocals, f.__code__.co_name)
print(dis.code_info(f).splitlines()[0].split(), "LOAD_FAST" in dis.opmap)
#: symtable-pyclbr
import symtable, pyclbr
t = symtable.symtable("def f(a):\n    global g\n    b = a\n    return lambda: b\n", "s", "exec")
f = t.get_children()[0]
print(f.get_name(), f.get_parameters(), sorted(f.get_locals()), f.get_globals(), f.lookup("b").is_free(), f.has_children())
open("modx.py", "w").write("class A:\n    def m(self): pass\ndef top(): pass\n")
print({k: (type(v).__name__, v.lineno) for k, v in pyclbr.readmodule_ex("modx", ["."]).items()})
#: sys-facts
import sys
print(sys.byteorder, sys.float_info.max, sys.float_info.dig, sys.float_info.epsilon, sys.implementation.name, sys.version_info[0], sys.maxunicode)
print(sys.intern("abc") is sys.intern("a" + "bc"), sys.getrecursionlimit(), sys.stdout.encoding.lower(), sys.getdefaultencoding(), len(sys.argv))
print(sys.stdin.read() == "", sys.flags.optimize, sys.exc_info()[0], callable(sys.displayhook))
#: settrace-profile
import sys
ev = []
def tr(f, e, a):
    if f.f_code.co_name == "g": ev.append((e, f.f_lineno - f.f_code.co_firstlineno))
    return tr
def g(x):
    y = x + 1
    return y
sys.settrace(tr); g(1); sys.settrace(None)
print(ev)
import cProfile, pstats, io
p = cProfile.Profile(); p.runcall(g, 2); b = io.StringIO(); pstats.Stats(p, stream=b).print_stats(); print("function calls" in b.getvalue())
#: codeop-complete
import codeop
for src in ("print(1)", "for a in b:", "x = (1,", "if x:\n    y = 2\n"):
    c = codeop.compile_command(src)
    print(repr(src), "complete" if c else "needs more")
try:
    codeop.compile_command("1 1")
except SyntaxError:
    print("wrong")
#: cmd-shell
import cmd, io
class Sh(cmd.Cmd):
    prompt = ""
    def do_add(self, a): print(sum(map(int, a.split())))
    def do_quit(self, a): return True
    def default(self, l): print("unknown", l)
    def emptyline(self): print("empty")
s = Sh(stdin=io.StringIO("add 1 2 3\nfly\n\nquit\n")); s.use_rawinput = False; s.cmdloop()
s.onecmd("help add"); print(s.completenames("a"), s.parseline("add 1"))
#: input-eof
try:
    name = input("name? ")
except EOFError:
    print("\nno input")
import sys
print(repr(sys.stdin.readline()), list(sys.stdin))
#: print-options
import sys, io
print(1, 2, 3, sep="-", end="!\n"); print(); print("a", "b", sep="")
print("x", file=sys.stdout, flush=True); b = io.StringIO(); print("to", "buffer", file=b); print(repr(b.getvalue()))
sys.stdout.write("direct\n"); sys.stdout.buffer.flush(); sys.stdout.flush(); sys.stdout.buffer.write(b"bytes \xc3\xa9\n"); sys.stdout.buffer.flush()
print(*range(5), sep=","); print("no newline", end="")
#: locale-free
import locale, gettext
print(locale.localeconv()["decimal_point"], locale.format_string("%.2f", 1234.5), locale.atof("1.5"), locale.str(2.25), locale.strcoll("a", "b") < 0)
print(gettext.gettext("hi"), gettext.ngettext("file", "files", 2), gettext.NullTranslations().gettext("x"))
print(sorted(["b", "A", "a"], key=locale.strxfrm))
#: types-module
import types
def g(): yield
async def c(): pass
for v, t in ((g(), types.GeneratorType), (lambda: 0, types.FunctionType), (len, types.BuiltinFunctionType), (types, types.ModuleType), ([].append, types.BuiltinMethodType), (None, types.NoneType), (..., types.EllipsisType), (int.__add__, types.WrapperDescriptorType)):
    print(t.__name__, isinstance(v, t))
K = types.new_class("K", (dict,), {}, lambda ns: ns.update(z=1)); print(K.z, K.__mro__[1], types.resolve_bases((list,)))
f = types.FunctionType((lambda: q).__code__, {"q": 9}); print(f(), f.__code__.replace(co_name="zz").co_name)
