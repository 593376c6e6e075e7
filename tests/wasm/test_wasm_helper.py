# SPDX-License-Identifier: Apache-2.0
"""The program aisbx-wasm itself, outside of any box, with the words that the driver gives it: output, status, report, files, what it refuses.

No box is started but where a test says so, so much is tried in little time; and a run outside of a box leaves counters of lines."""
import concurrent.futures
import ctypes
import functools
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys

import box
import pace
import pytest
import wasm

CODE = {"python": "python-wasm.cwasm", "javascript": "javascript-wasm.cwasm"}
NOT_OURS = "aisbx-wasm is started by aisbx; use 'aisbx run --driver wasm'\n"
NUMBERS = itertools.count()


def call(*words, data=b"", before=(), **kw):
    """The program with these words: status, standard output, standard error."""
    done = subprocess.run([*before, wasm.helper(), *map(str, words)], input=data, timeout=pace.HANGS, **{"capture_output": True, **kw})
    return done.returncode, done.stdout, (done.stderr or b"").decode()


class Done:
    """How a run ended: .report is a list of lines, None without the file."""

    def __init__(self, ended, report):
        self.status, self.out, self.err = ended
        self.report = report.read_text().splitlines() if report.exists() else None

    def __repr__(self):
        return f"status {self.status}, {self.out!r}, {self.err!r}, {self.report}"

    def fuel(self):
        (line,) = [x for x in self.report if x.startswith("fuel ")]
        return int(line.split()[1])

    def error(self):
        """Why it was not started, in the words of the report."""
        assert self.status == 126 and self.out == b"", self
        at = next(i for i, line in enumerate(self.report) if line.startswith("error "))
        return "\n".join(self.report[at:])


class Place:
    """A tree as a program sees it, with /p, where it starts, and /tmp; and what lies beside the tree."""

    def __init__(self, folder):
        self.folder, self.tree, self.p = folder, folder / "tree", folder / "tree/p"
        self.p.mkdir(parents=True)
        (self.tree / "tmp").mkdir()

    def run(self, *words, options=(), cwd="/p", env=None, report=None, **kw):
        report = report or self.folder / f"report-{next(NUMBERS)}"
        return Done(call("run", "--report", report, "--root", self.tree, "--cwd", cwd, *options, "--", *words, env=env or {}, **kw), report)

    def module(self, name, *args, options=(), **kw):
        return self.run(name, *args, options=["--module", name, "--dir", "/p", "--dir", "/tmp", *options], **kw)

    def text(self, text, *args, **kw):
        """A module of its text form."""
        wasm.from_text(self.p / "text.wasm", text)
        return self.module("./text.wasm", *args, **kw)

    def language(self, lang, *words, options=(), code=None, **kw):
        return self.run(*words, options=["--language", lang, "--code", code or wasm.languages() / CODE[lang], "--dir", "/p", *options], **kw)

    def python(self, text, *args, **kw):
        return self.language("python", "python3", "-c", text, *args, **kw)

    def javascript(self, text, *args, name="main.js", **kw):
        (self.p / name).write_text(text)
        return self.language("javascript", "node", name, *args, **kw)


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    return Place(tmp_path)


START = '(module {imports} (memory (export "memory") 1) {more} (func (export "_start") {body}))'
EXIT = '(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))'
WRITE = '(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))'
HELLO = START.format(imports=WRITE, more='(data (i32.const 0) "\\08\\00\\00\\00\\03\\00\\00\\00hi\\n")',
                     body="(drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))")


def start(body, imports="", more=""):
    return START.format(imports=imports, more=more, body=body)


# --- words ---


@pytest.mark.parametrize("words", [
    [], ["--"], ["--", "x"], ["--report"], ["--report", "R", "--root", "/", "--", "x"], ["--report", "R", "--root", "/", "--code", "c", "--module", "m", "--", "x"],
    ["--report", "R", "--module", "m", "--", "x"], ["--root", "/", "--module", "m", "--", "x"], ["--report", "R", "--root", "/", "--module", "m", "--"],
    ["--report", "R", "--root", "/", "--module", "m"], ["--report", "R", "--root", "/", "--module", "m", "--what", "x", "--", "x"],
    ["--report", "R", "--root", "/", "--code", "c", "--language", "cobol", "--", "x"], ["--report", "R", "--root", "/", "--module", "m", "--fuel", "-1", "--", "x"],
    ["--report", "R", "--root", "/", "--module", "m", "--memory", "9" * 30, "--", "x"], ["--report", "R", "--root", "/", "--module", "m", "--fuel", "5k", "--", "x"],
    ["--report", "R", "--root", "/", "--module", "m", *["--dir", "/p"] * 64, "--", "x"],
], ids=" ".join)
def test_words_that_the_driver_never_says(tmp_path, words):
    report = tmp_path / "report"
    assert call("run", *(str(report) if word == "R" else word for word in words)) == (126, b"", NOT_OURS)
    assert not report.exists()


@pytest.mark.parametrize("words", [[], ["go"], ["compile", "more"], ["prepare", "python"], ["prepare", "python", "/", "", "more"]], ids=" ".join)
def test_it_is_for_aisbx_alone(words):
    assert call(*words) == (1, b"", NOT_OURS)


# --- what a program is given ---


GIVEN = r"""
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
static const char *why(void) { return errno == ENOENT ? "ENOENT" : errno == EPERM || errno == ENOTCAPABLE ? "refused" : strerror(errno); }
int main(int argc, char **argv) {
	char line[64];
	if (argc > 1 && !strcmp(argv[1], "exit")) _exit(atoi(argv[2]));
	if (argc > 1 && !strcmp(argv[1], "read")) {
		for (int i = 2; i < argc; i++) {
			int fd = open(argv[i], O_RDONLY);
			ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line);
			printf("%s: %.*s\n", argv[i], n < 0 ? 100 : (int)n, n < 0 ? why() : line);
		}
		return 0;
	}
	for (int i = 0; i < argc; i++) printf("[%s]", argv[i]);
	for (char **e = environ; *e; e++) printf("{%s}", *e);
	fputs("to stderr\n", stderr);
	if (fgets(line, sizeof line, stdin)) printf(" read %s", line);
	FILE *f = fopen("made.txt", "w");
	fputs("made\n", f);
	fclose(f);
	return puts("last") < 0;
}
"""


@pytest.fixture(scope="module", name="given")
def fixture_given(tmp_path_factory):
    return wasm.from_c(tmp_path_factory.mktemp("given") / "given.wasm", GIVEN).read_bytes()


# Beside what is asked for every box has these: they are no business of a program that is the same everywhere.
OF_BOX = {"HOME": "/root", "PATH": "/bin", "USER": "u", "LOGNAME": "u", "SHELL": "/bin/sh", "PWD": "/x", "OLDPWD": "/y", "LANG": "C", "LC_ALL": "C", "LC_TIME": "C",
          "LANGUAGE": "en", "TERM": "xterm", "AISBX_BOX": "b", "TMPDIR": "/t", "HOSTNAME": "h", "SHLVL": "1"}


def test_a_module_has_what_a_program_has(place, given):
    (place.p / "given.wasm").write_bytes(given)
    done = place.module("./given.wasm", "a b", "", "\u00e9", env={**OF_BOX, "A": "1", "EMPTY": "", "TWO": "a=b"}, data=b"one\ntwo\n")
    assert done.out.decode() == "[./given.wasm][a b][][\u00e9]{A=1}{EMPTY=}{TWO=a=b}{HOME=/tmp} read one\nlast\n", done
    assert done.err == "to stderr\n" and done.status == 0 and done.fuel() > 1000 and len(done.report) == 1
    assert (place.p / "made.txt").read_text() == "made\n"


@pytest.mark.parametrize("lang, text", [
    ("python", "import json, os, sys; print(json.dumps([sys.argv[1:], os.getcwd(), sorted(os.environ.items()), input()])); print('e', file=sys.stderr);"
     "open('made.txt', 'w').write('made\\n')"),
    ("javascript", "const fs = require('fs'); const line = fs.readFileSync(0, 'utf8').split('\\n')[0]; console.error('e');"
     "console.log(JSON.stringify([process.argv.slice(2), process.cwd(), Object.entries(process.env).sort(), line])); fs.writeFileSync('made.txt', 'made\\n')"),
])
def test_a_language_has_what_a_program_has(place, lang, text):
    done = getattr(place, lang)(text, "a b", 'q"\\\n\x01\u00e9', env={**OF_BOX, "A": '1"\n', "TWO": "a=b"}, data=b"one\ntwo\n")
    assert done.status == 0 and done.err == "e\n" and done.fuel() > 1000, done
    assert json.loads(done.out) == [["a b", 'q"\\\n\x01\u00e9'], "/p", [["A", '1"\n'], ["HOME", "/tmp"], ["TWO", "a=b"]], "one"], done
    assert (place.p / "made.txt").read_text() == "made\n"


def test_what_is_no_utf_8_is_refused(place):
    """WASI has texts, and no others."""
    for done in (place.python("print(1)", "\udcff"), place.text(start(""), "a\udcff"), place.javascript("1", env={"A": "\udcff"})):
        assert "has to be UTF-8" in done.error(), done


def test_too_many_words_for_python(place):
    done = place.python("print(1)", *["x" * 1000] * 300)
    assert done.status == 134 and done.out == b"" and "longer than 256 KiB together" in done.err and "trap other" in done.report, done
    assert place.python("import sys; print(len(sys.argv))", *["x" * 1000] * 250).out == b"251\n"


@pytest.mark.parametrize("status", [0, 1, 77, 125, 126, 134, 200, 255, 256 + 7])
def test_exit_statuses(place, given, status):
    (place.p / "given.wasm").write_bytes(given)
    for done in (place.module("./given.wasm", "exit", str(status)), place.python(f"import sys; sys.exit({status})"), place.python(f"import os; os._exit({status})"),
                 place.javascript(f"process.exit({status})"), place.javascript(f"process.exitCode = {status}")):
        assert done.status == status & 255 and done.err == "" and len(done.report) == 1 and done.fuel() > 0, done


def test_directories_one_by_one(place, given):
    """What is shown is the directory where it starts, and those that are named; links do not lead to others."""
    (place.p / "given.wasm").write_bytes(given)
    (place.folder / "secret").write_text("secret")
    for name in ("p/in", "tmp/in", "other", "shown/in"):
        (place.tree / name).parent.mkdir(exist_ok=True)
        (place.tree / name).write_text(name)
    for name, target in {"abs": place.folder / "secret", "rel": "../../secret", "up": "..", "inside": "in"}.items():
        (place.p / name).symlink_to(target)
    words = ["read", "in", "./in", "/p/in", "/tmp/in", "/shown/in", "inside", "abs", "rel", "up/other", "../other", "/other", "/p/../other", "/none", "none"]
    done = place.module("./given.wasm", *words)
    found = dict(line.split(": ", 1) for line in done.out.decode().splitlines())
    there = {name: text for name, text in found.items() if text not in ("ENOENT", "refused")}
    assert len(found) == len(words) - 1 and there == {"in": "p/in", "./in": "p/in", "/p/in": "p/in", "/tmp/in": "tmp/in", "inside": "p/in"}, done
    done = place.module("./given.wasm", "read", "/shown/in", options=["--dir", "/shown"])
    assert done.out == b"/shown/in: shown/in\n", done


def test_a_directory_that_is_not_there(place):
    assert "show the directory '/none'" in place.text(start(""), options=["--dir", "/none"]).error()
    done = place.python("print(1)", cwd="/none")
    assert done.status == 126 and done.err == "aisbx: change to the directory '/none': No such file or directory\n" and done.out == b"", done


@pytest.mark.parametrize("lang, text, status, shown", [
    ("python", "import sys\nsys.stdout.write('x' * 100000)\nsys.stdout.flush()", 1, "No space left on device"),
    ("python", "print('x')", 120, ""),
    ("javascript", "console.log('x'); console.error('on'); process.exit(3)", 3, "on\n"),
])
def test_output_that_cannot_be_written(place, lang, text, status, shown):
    with open("/dev/full", "wb") as full:
        done = getattr(place, lang)(text, stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert done.status == status and shown in done.err and done.fuel() > 0, done


def test_descriptors_that_are_closed(place):
    """They are /dev/null then: nothing is read, and no file of the program's gets their number."""
    done = place.python("import sys; print(repr(sys.stdin.read())); open('a', 'w').write('x')", before=["sh", "-c", 'exec "$@" <&-', "sh"])
    assert done.out == b"''\n" and (place.p / "a").read_text() == "x", done
    done = place.javascript("console.log('lost'); require('fs').writeFileSync('b', 'y')", before=["sh", "-c", 'exec "$@" >&-', "sh"])
    assert done.status == 0 and done.out == b"" and (place.p / "b").read_text() == "y", done


# --- how it ends: traps, fuel, what does not begin ---


TABLE = "(table 1 funcref)"
TRAPS = {
    "stack_overflow": ("(call $f)", "(func $f (call $f))", "nested too deep"),
    "memory_out_of_bounds": ("(i32.store (i32.const -4) (i32.const 1))", "", "memory that it does not have"),
    "table_out_of_bounds": ("(call_indirect (i32.const 7))", TABLE, "not in its table"),
    "call_to_null": ("(call_indirect (i32.const 0))", TABLE, "function that is not there"),
    "bad_signature": ("(call_indirect (i32.const 0))", f"(func $f (param i32)) {TABLE} (elem (i32.const 0) $f)", "other arguments"),
    "integer_overflow": ("(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))", "", "too large"),
    "division_by_zero": ("(drop (i64.rem_u (i64.const 1) (i64.const 0)))", "", "divided by zero"),
    "bad_conversion": ("(drop (i32.trunc_f64_s (f64.const nan)))", "", "integer of what is none"),
    "unreachable": ("unreachable", "", "it aborted"),
}


@pytest.mark.parametrize("name", TRAPS)
def test_traps(place, name):
    body, more, words = TRAPS[name]
    done = place.text(start(body, more=more))
    assert done.status == 134 and done.report[-1] == f"trap {name}" and len(done.report) == 2 and done.fuel() >= 0, done
    assert done.err.startswith("aisbx: the program was stopped: ") and words in done.err and done.err.count("\n") == 1


def test_a_trap_without_a_name(place):
    """A call by a reference to nothing: the tables of names end before it."""
    (place.p / "ref.wasm").write_bytes(b"\0asm\1\0\0\0\1\4\1\x60\0\0\3\2\1\0\5\3\1\0\1\7\x13\2\6memory\2\0\6_start\0\0\x0a\x08\1\6\0\xd0\0\x14\0\x0b")
    done = place.module("./ref.wasm")
    assert done.status == 134 and done.report[-1] == "trap other" and "it did what no program may" in done.err, done


def test_an_exception_that_nobody_catches(place):
    (place.p / "throw.wasm").write_bytes(b"\0asm\1\0\0\0\1\4\1\x60\0\0\3\2\1\0\5\3\1\0\1\x0d\3\1\0\0\7\x13\2\6memory\2\0\6_start\0\0\x0a\x06\1\4\0\x08\0\x0b")
    done = place.module("./throw.wasm")
    assert done.status == 134 and done.report[-1] == "trap other" and done.err == "aisbx: the program was stopped: thrown Wasm exception\n", done


@pytest.mark.parametrize("fuel", [1, 2, 1000, 12345])
def test_fuel_of_a_module(place, fuel):
    done = place.text(start("(loop $l (br $l))"), options=["--fuel", fuel])
    assert done.status == 134 and done.report[-1] == "limit fuel" and fuel <= done.fuel() <= fuel + 2, done
    assert done.err == "aisbx: the program was stopped: its fuel is used up\n"


@pytest.mark.parametrize("lang, name, text, output", [
    ("python", "", "print(sum(range(1000)))", b"499500\n"),
    ("javascript", "main.js", "let n = 0; for (let i = 0; i < 1000; i++) n += i; console.log(n)", b"499500\n"),
    ("javascript", "main.mjs", "let n = 0; for (let i = 0; i < 1000; i++) n += i; console.log(n)", b"499500\n"),
    ("javascript", "main.js", "console.log(require('vm').runInThisContext('let n = 0; for (let i = 0; i < 1000; i++) n += i; n'))", b"499500\n"),
    ("javascript", "main.js", "setTimeout(() => console.log(499500), 1)", b"499500\n"),
])
def test_fuel_of_a_language(place, lang, name, text, output):
    """Wherever it runs out, also in what the host calls for the program; just enough is enough, and changes nothing."""
    def run(*options):
        return place.python(text, options=options) if lang == "python" else place.javascript(text, name=name, options=options)
    used = run()
    assert used.out == output and used.status == 0, used
    is_exact = "setTimeout" not in text  # how often it looks whether a timer is due depends on the clock
    enough = run("--fuel", used.fuel() + 1000000)
    assert enough.out == output and (enough.report == used.report or not is_exact), enough
    for fuel in (1, used.fuel() // 2, *([used.fuel() - 100000] if is_exact else [])):
        done = run("--fuel", fuel)
        assert done.status == 134 and done.report[-1] == "limit fuel" and done.fuel() >= fuel and "fuel is used up" in done.err, done


def test_memory(place):
    """Too much ends it at once, whatever it is doing; a report tells how much that was, and nothing else."""
    grow = """(loop $l (drop (memory.grow (i32.const 16)))
        (memory.fill (i32.mul (i32.sub (memory.size) (i32.const 16)) (i32.const 65536)) (i32.const 7) (i32.const 1048576)) (br $l))"""
    text = start(grow).replace('"memory") 1)', '"memory") 17 4096)')
    for done in (place.text(text, options=["--memory", 64 << 20]), place.python("x = []\nwhile True: x.append(bytearray(10**6))", options=["--memory", 64 << 20]),
                 place.javascript("const x = []; for (;;) x.push('x'.repeat(1e6) + x.length)", options=["--memory", 64 << 20])):
        (line,) = done.report
        assert done.status == 137 and done.out == b"" and done.err == "" and line.startswith("limit memory ") and int(line.split()[2]) > 64 << 20, done
    for done in (place.python("x = b'x' * (64 << 20); print(len(x))", options=["--memory", 200 << 20]), place.python("print(64 << 20)", options=["--memory", 64 << 20])):
        assert done.out == b"67108864\n" and done.status == 0 and done.fuel() > 0, done


@pytest.mark.parametrize("body, status, report", [
    ("unreachable", 134, ["fuel", "trap unreachable"]), ("(call $exit (i32.const 3))", 3, ["fuel 5"]), ("(loop $l (br $l))", 134, ["fuel", "limit fuel"]),
])
def test_a_start_function_is_a_part_of_the_program(place, body, status, report):
    """It runs when the module is put together, with the same fuel and the same ends."""
    done = place.text(start("unreachable", more=f"(func $f {body}) (start $f)", imports=EXIT), options=["--fuel", 1000])
    assert done.status == status and done.report[-1] == report[-1] and done.report[0].startswith("fuel ") and len(done.report) == len(report), done


def test_imports_that_nobody_has(place):
    """All of them, in the order of the module; of WASI there are no sockets that could be opened."""
    imports = '(import "env" "one" (func)) (import "wasi_snapshot_preview1" "sock_open" (func (param i32) (result i32))) (import "env" "two" (global i32))' + EXIT
    done = place.text(start("", imports))
    assert "'one' of 'env', which no program gets here" in done.error(), done
    assert [x for x in done.report if x.startswith("import")] == ["import env one", "import wasi_snapshot_preview1 sock_open", "import env two"], done
    done = place.text(start("", '(import "x\\nlimit fuel\\ntrap fake\\nfuel 7" "a b\\1b[2J" (func)) (import "" "" (func))'))
    assert done.report[:2] == ["import x?limit?fuel?trap?fake?fuel?7 a?b?[2J", "import ? ?"] and len(done.report) == 3, "no name of a program's is a line of the report"
    assert done.error().startswith("error the module imports 'a b "), done
    done = place.text(start("", '(import "wasi_snapshot_preview1" "fd_write" (func (param i32)))'))
    assert "start the module: " in done.error() and "fd_write" in done.error(), done


# --- modules, and what was compiled before ---


@pytest.mark.parametrize("name, text", [
    ("./none.wasm", "read the module './none.wasm': No such file or directory"), ("none/x.wasm", "No such file or directory"), ("./folder", "Is a directory"),
    ("./text", "it is no WebAssembly module"), ("./empty", "it is no WebAssembly module"), ("./fifo", "it is no WebAssembly module"), ("./broken", "compile it: "),
    ("./library", "exports no function '_start', by which"), ("./outside", "No such file or directory"), ("./up/secret.wasm", "No such file or directory"),
    ("../../secret.wasm", "No such file or directory"), ("/p/../../../secret.wasm", "No such file or directory"), ("./loop", "Too many levels of symbolic links"),
    ("./text/x", "Not a directory"),
])
def test_what_is_no_program(place, name, text):
    (place.p / "folder").mkdir()
    (place.p / "text").write_text("(module)")
    (place.p / "empty").write_bytes(b"")
    os.mkfifo(place.p / "fifo")
    (place.p / "broken").write_bytes(b"\0asm\1\0\0\0\1\xff\xff\xff\xff\x0f")
    wasm.from_text(place.p / "library", '(module (memory (export "memory") 1) (global (export "_start") i32 (i32.const 1)))')
    wasm.from_text(place.folder / "secret.wasm", HELLO)
    for link, target in {"outside": place.folder / "secret.wasm", "up": "../..", "loop": "loop"}.items():
        (place.p / link).symlink_to(target)
    assert text in place.module(name).error()


@pytest.mark.parametrize("name, cwd", [
    ("./hello.wasm", "/p"), ("hello.wasm", "/p"), ("../p/hello.wasm", "/tmp"), ("/p/hello.wasm", "/"), ("./by-link", "/p"), ("./by-root", "/p"),
])
def test_where_a_module_may_be(place, name, cwd):
    """By its path in the tree; a link within is followed, an absolute one from the tree's own root."""
    wasm.from_text(place.p / "hello.wasm", HELLO)
    (place.p / "by-link").symlink_to("../p/hello.wasm")
    (place.p / "by-root").symlink_to("/p/hello.wasm")
    done = place.module(name, cwd=cwd)
    assert done.out == b"hi\n" and done.status == 0, done


def test_the_last_of_several_causes_is_told(place):
    """One that is found in a function, in a line, whatever the engine says before."""
    wasm.from_text(place.p / "m.wasm", start("(drop (i32.atomic.load (i32.const 0)))"), "--enable-threads")
    done = place.module("./m.wasm")
    words = r"compile it: failed to compile: wasm\[0\]::function\[0\]: Invalid input WebAssembly code at offset \d+: threads support is not enabled"
    assert re.fullmatch(r"error the module './m\.wasm': " + words, done.error()), done
    status, out, err = call("compile", data=(place.p / "m.wasm").read_bytes())
    assert (status, out) == (1, b"") and re.fullmatch(words + "\n", err), err


def test_names_of_a_module_are_no_business_of_a_terminal(place):
    wasm.from_text(place.p / "m.wasm", start("", '(import "e\\1b[2J" "a\\nb\\7f" (func))'))
    status, out, err = call("prepare", "python", place.tree / "tmp", "", data=(place.p / "m.wasm").read_bytes())
    assert (status, out) == (1, b"") and err.startswith("the module imports 'a?b?' of 'e?[2J', which no program gets here"), err


def test_a_module_that_is_too_large(place):
    with open(place.p / "big.wasm", "wb") as f:
        f.truncate((256 << 20) + 1)
    assert "the module './big.wasm' is larger than 256 MiB" in place.module("./big.wasm").error()


class Kept:
    """A module in a tree, and the directory of what was compiled."""

    def __init__(self, place, module):
        self.place, self.cache, self.copy = place, place.folder / "cache", place.folder / "copy"
        self.cache.mkdir()
        (place.p / "m.wasm").write_bytes(module)
        self.module, self.file = module, self.cache / hashlib.sha256(module).hexdigest()

    def run(self, **kw):
        return self.place.module("./m.wasm", options=["--cache", self.cache, "--copy", self.copy], **kw)


def compiled(module):
    status, out, err = call("compile", data=module)
    assert status == 0 and err == "" and len(out) > len(module), (status, err)
    return out


@pytest.fixture(scope="module", name="hello")
def fixture_hello(tmp_path_factory):
    return wasm.from_text(tmp_path_factory.mktemp("hello") / "hello.wasm", HELLO).read_bytes()


def test_a_module_is_put_where_it_is_compiled_for_next_time(place, hello):
    kept = Kept(place, hello)
    first = kept.run()
    assert first.out == b"hi\n" and kept.copy.read_bytes() == hello and kept.copy.stat().st_mode & 0o777 == 0o600, first
    kept.file.write_bytes(compiled(hello))
    kept.copy.unlink()
    second = kept.run()
    assert (second.out, second.report) == (first.out, first.report) and not kept.copy.exists(), second
    kept.file.unlink()
    kept.copy.write_bytes(b"there already")  # never written over
    assert kept.run().out == b"hi\n" and kept.copy.read_bytes() == b"there already"
    kept.copy.unlink()
    kept.copy.symlink_to(place.folder / "elsewhere")
    assert kept.run().out == b"hi\n" and not (place.folder / "elsewhere").exists()


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "version", "kind"])
def test_what_was_compiled_and_is_damaged_is_compiled_again(place, hello, damage):
    good = compiled(hello)
    version = good.index(b"aarch64" if os.uname().machine == "aarch64" else b"x86_64") if damage == "version" else 0
    kept = Kept(place, hello)
    kept.file.write_bytes({"empty": b"", "text": b"#!/bin/sh\n", "cut": good[:200], "version": good[:version] + b"other" + good[version + 5:],
                           "kind": compiled(component(OK))}[damage])
    done = kept.run()
    assert done.out == b"hi\n" and done.status == 0 and kept.copy.read_bytes() == hello, done


def test_code_that_is_none_of_a_language(place, hello):
    """Not there, damaged, of a plain module, of the other language."""
    other = place.folder / "other.cwasm"
    assert "load what was compiled" in place.language("python", "python3", "-c", "1", code=other).error()
    other.write_bytes(b"\x7fELF nothing of ours")
    assert "load what was compiled" in place.language("javascript", "node", "x.js", code=other).error()
    other.write_bytes(compiled(hello))
    done = place.language("python", "python3", "-c", "1", code=other)
    assert done.status == 134 and "this is no python that aisbx prepared" in done.err and "trap other" in done.report, done
    done = place.language("javascript", "node", "x.js", code=other)
    assert done.status == 134 and "the interpreter lacks a function" in done.err and "trap other" in done.report, done
    done = place.language("python", "python3", "-c", "1", code=wasm.languages() / CODE["javascript"])
    assert "import env host_call" in done.report and done.error(), done


# --- the report ---


def test_a_report_is_never_written_over_another_file(place, hello):
    (place.p / "m.wasm").write_bytes(hello)
    there, link = place.folder / "there", place.folder / "link"
    there.write_text("fuel 7\n")
    link.symlink_to(place.folder / "target")
    for report in (there, link, place.folder / "none/report"):
        done = place.module("./m.wasm", report=report)
        assert done.out == b"hi\n" and done.status == 0, done  # the program ran all the same
    assert there.read_text() == "fuel 7\n" and not (place.folder / "target").exists() and not (place.folder / "none").exists()
    assert place.module("./m.wasm").report != there.read_text().splitlines()


def test_no_room_for_report_and_copy(place):
    """Half a report would be a lie: there is none then, and no half of a module either."""
    kept = Kept(place, wasm.from_text(place.folder / "five.wasm", start("(call $exit (i32.const 5))", EXIT)).read_bytes())
    done = kept.run(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3, 3)), restore_signals=False)
    assert done.status == 5 and done.err == "" and done.report is None and not kept.copy.exists(), done
    assert kept.run().fuel() > 0 and kept.copy.read_bytes() == kept.module, "with room both are there"


# --- components ---


class Bytes(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.POINTER(ctypes.c_char))]


@functools.cache
def component(text):
    """The bytes of a component in text form, by the engine's own translator: wabt knows modules only."""
    beside = pathlib.Path(wasm.helper()).parent / "libwasmtime.so"
    engine = ctypes.CDLL(str(beside) if beside.exists() else "libwasmtime.so")
    engine.wasmtime_wat2wasm.restype = ctypes.c_void_p
    engine.wasmtime_wat2wasm.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Bytes)]
    found = Bytes()
    assert not engine.wasmtime_wat2wasm(text.encode(), len(text.encode()), ctypes.byref(found)), text
    return ctypes.string_at(found.data, found.size)


def command(body, before="", imports="", given="", version="0.2.0"):
    """A component that exports wasi:cli/run with this body."""
    return (f'(component {before} (core module $m {imports} (func (export "run") (result i32) {body})) (core instance $i (instantiate $m {given}))'
            f' (func $run (result (result)) (canon lift (core func $i "run"))) (instance $r (export "run" (func $run))) (export "wasi:cli/run@{version}" (instance $r)))')


OK = command("(i32.const 0)")
CLI_EXIT = {"before": '(import "wasi:cli/exit@0.2.0" (instance $x (export "exit" (func (param "status" (result)))))) (core func $x (canon lower (func $x "exit")))'
            ' (core instance $e (export "x" (func $x)))', "imports": '(import "e" "x" (func $x (param i32)))', "given": '(with "e" (instance $e))'}


@pytest.mark.parametrize("text, status, last", [
    (OK, 0, "fuel"), (command("(i32.const 0)", version="0.2.6"), 0, "fuel"), (command("(i32.const 1)"), 1, "fuel"), (command("unreachable"), 134, "trap unreachable"),
    (command("(loop $l (br $l)) (i32.const 0)"), 134, "limit fuel"), (command("(call $x (i32.const 0)) unreachable", **CLI_EXIT), 0, "fuel"),
    (command("(call $x (i32.const 1)) unreachable", **CLI_EXIT), 1, "fuel"),
], ids=["ok", "newer", "failed", "trap", "fuel", "exit", "exit-failed"])
def test_components(place, text, status, last):
    kept = Kept(place, component(text))
    for _ in range(2):  # compiled for this time, and from what was compiled
        done = place.module("./m.wasm", options=["--cache", kept.cache, "--fuel", "100000"])
        assert done.status == status and done.out == b"" and done.report[-1].startswith(last) and done.fuel() > 0, done
        assert bool(done.err) == (status == 134), done
        kept.file.write_bytes(compiled(kept.module))


@pytest.mark.parametrize("text, words", [
    ("(component)", "does not export wasi:cli/run, by which a program begins"),
    ('(component (import "other:thing/it@1.0.0" (instance (export "f" (func)))))', "other:thing/it@1.0.0"),
    ('(component (import "lonely" (func)))', "lonely"),
    ('(component (import "wasi:cli/exit@0.2.0" (instance (export "f" (func)))))', "wasi:cli/exit@0.2.0"),
])
def test_components_that_do_not_begin(place, text, words):
    (place.p / "m.wasm").write_bytes(component(text))
    done = place.module("./m.wasm")
    assert words in done.error() and bool([x for x in done.report if x.startswith("import ")]) == ("(import" in text), done


def test_a_component_that_fails_when_it_is_put_together(place):
    (place.p / "m.wasm").write_bytes(component("(component (core module $m (func $f unreachable) (start $f)) (core instance $i (instantiate $m)))"))
    done = place.module("./m.wasm")
    assert done.status in (126, 134) and "unreachable" in "\n".join(done.report), done


def test_a_component_that_is_broken(place):
    (place.p / "m.wasm").write_bytes(b"\0asm\x0d\0\1\0" + bytes(range(100, 200)))
    assert "the module './m.wasm': compile it: " in place.module("./m.wasm").error()


# --- python ---


@pytest.mark.parametrize("words, data, status, out, err", [
    (["-c", "print(__name__, __import__('sys').argv)", "a"], b"", 0, "__main__ ['-c', 'a']\n", ""),
    (["-I", "-X", "dev", "-W", "ignore", "-c", "print(1)"], b"", 0, "1\n", ""),
    (["-", "a"], b"import sys; print(sys.argv)", 0, "['-', 'a']\n", ""),
    ([], b"print('from standard input')", 0, "from standard input\n", ""),
    (["file.py", "a"], b"", 0, "/p/file.py ['file.py', 'a'] /p 3\n", ""),
    (["-m", "pack.tool"], b"", 0, "tool __main__\n", ""),
    (["-V"], b"", 0, "Python 3.12.", ""),
    (["-z"], b"", 2, "", "takes a FILE, -c TEXT"),
    (["none.py"], b"", 2, "", "can't open file '/p/none.py'"),
    (["-c", "1 +"], b"", 1, "", "SyntaxError"),
    (["-c", "print('before')\nraise ValueError('why')"], b"", 1, "before\n", 'File "<string>", line 2, in <module>\nValueError: why\n'),
    (["-c", "raise SystemExit('said')"], b"", 1, "", "said\n"),
    (["-c", "import atexit; atexit.register(print, 'last'); raise SystemExit(5)"], b"", 5, "last\n", ""),
    (["-c", "import socket; socket.create_connection(('127.0.0.1', 1))"], b"", 1, "", "Error"),
    (["-c", "import os; os.fork()"], b"", 1, "", "AttributeError"),
    (["-c", "import asyncio\nasync def f(): await asyncio.sleep(0.01); return 7\nprint(asyncio.run(f()))"], b"", 0, "7\n", ""),
])
def test_python(place, words, data, status, out, err):
    (place.p / "three.py").write_text("three = 3")
    (place.p / "file.py").write_text("import os, sys, three\nprint(os.path.abspath(__file__), sys.argv, sys.path[0], three.three)")
    (place.p / "pack").mkdir()
    (place.p / "pack/tool.py").write_text("print('tool', __name__)")
    done = place.language("python", "python3", *words, data=data)
    assert done.status == status and done.out.decode().startswith(out) and (err in done.err if err else done.err == ""), done
    assert done.fuel() > 0 and len(done.report) == 1


# --- javascript ---


def log_of(done):
    assert done.err == "" and done.status == 0, done
    return done.out.decode().splitlines()


# A call of fs, and what it gives or which error it is; "done": nothing and no error.
FILES = [
    (r"fs.writeFileSync('a', 'one\n')", "done"), (r"fs.appendFileSync('a', 'two\n')", "done"), ("fs.readFileSync('a', 'utf8')", "one\ntwo\n"),
    ("fs.writeFileSync('a', 'x', { flag: 'wx' })", "EEXIST open"), ("fs.writeFileSync('b', new Uint8Array([0, 255, 10]))", "done"),
    ("[...fs.readFileSync('b')].join()", "0,255,10"), ("fs.writeFileSync('empty', '')", "done"), ("fs.readFileSync('empty').length", 0),
    ("fs.truncateSync('a', 3)", "done"), ("fs.readFileSync('/p/a', 'utf8')", "one"), ("fs.truncateSync('none', 3)", "ENOENT truncate"), ("fs.mkdirSync('d')", "done"),
    ("fs.mkdirSync('d')", "EEXIST mkdir"), ("fs.mkdirSync('d/e/f', { recursive: true })", "/p/d/e"), ("fs.mkdirSync('none/e')", "ENOENT mkdir"),
    ("fs.renameSync('a', 'd/a')", "done"), ("fs.renameSync('none', 'd/a')", "ENOENT rename"), ("fs.renameSync('b', 'none/a')", "ENOENT rename"),
    ("fs.readdirSync('.').join()", "b,d,empty,fifo,link,main.js,odd,outside,root"),
    ("fs.readdirSync('d', { withFileTypes: true }).map((e) => e.name + (e.isDirectory() ? '/' : '')).join()", "a,e/"), ("fs.readdirSync('none')", "ENOENT scandir"),
    ("fs.readdirSync('b')", "ENOTDIR scandir"),
    ("fs.statSync('b').size + ' ' + fs.statSync('b').isFile() + ' ' + fs.statSync('d').isDirectory() + ' ' + (fs.statSync('b').mtimeMs > 1.6e12)", "3 true true true"),
    ("fs.statSync('none')", "ENOENT stat"), ("fs.lstatSync('link').isSymbolicLink() + ' ' + fs.statSync('link').isFile()", "true true"),
    ("fs.readlinkSync('link')", "../tmp/in"), ("fs.readlinkSync('b')", "EINVAL readlink"), ("fs.readlinkSync('none/x')", "ENOENT readlink"),
    ("fs.readFileSync('link', 'utf8')", "in"), ("fs.lstatSync('fifo').isFile() + ' ' + fs.readFileSync('fifo').length", "false 0"),
    ("fs.readFileSync('d')", "EISDIR read"), ("fs.readFileSync('none')", "ENOENT open"), ("fs.readFileSync('b/x')", "ENOTDIR open"),
    ("fs.readFileSync('n'.repeat(256))", "ENAMETOOLONG open"), (r"fs.readFileSync('x\0y')", "EINVAL open"), ("fs.writeFileSync('d', 'x')", "EISDIR open"),
    ("fs.rmdirSync('d')", "ENOTEMPTY rmdir"), ("fs.rmdirSync('b')", "ENOTDIR rmdir"), ("fs.rmdirSync('/')", "EINVAL rmdir"), ("fs.unlinkSync('d/a')", "done"),
    ("fs.unlinkSync('d/a')", "ENOENT unlink"), ("fs.unlinkSync('d')", "EISDIR unlink"), ("fs.rmSync('d', { recursive: true })", "done"),
    ("fs.existsSync('d')", False), ("fs.symlinkSync('/etc', 'l')", "ENOSYS symlink"), ("fs.copyFileSync('b', 'c') ?? fs.readFileSync('c').length", 3),
    ("fs.readFileSync('outside')", "ENOENT open"), ("fs.writeFileSync('outside', 'x')", "ENOENT open"), ("fs.readFileSync('../../secret')", "ENOENT open"),
    ("fs.readFileSync('root/secret')", "ENOENT open"), ("fs.readdirSync('/').join()", "p,tmp"),
    ("fs.readdirSync('odd').map((n) => JSON.stringify(n)).join(' ')", r'"a\"b" "c\\d" "e\nf"'),
]
TRY = r"""
const fs = require('fs');
for (const text of JSON.parse(process.argv[2])) {
	let shown;
	try {
		shown = eval(text);
		if (shown === undefined) shown = 'done';
	} catch (e) { shown = `${e.code} ${e.syscall ?? '-'}`; }
	console.log(JSON.stringify(shown));
}
"""


def test_files_of_javascript(place):
    (place.folder / "secret").write_text("secret")
    (place.tree / "tmp/in").write_text("in")
    (place.p / "odd").mkdir()
    for name in ('a"b', "c\\d", "e\nf"):
        (place.p / "odd" / name).touch()
    os.mkfifo(place.p / "fifo")
    for name, target in {"link": "../tmp/in", "outside": place.folder / "secret", "root": "../../.."}.items():
        (place.p / name).symlink_to(target)
    done = log_of(place.javascript(TRY, json.dumps([text for text, _ in FILES])))
    assert [(text, json.loads(line)) for (text, _), line in zip(FILES, done, strict=True)] == FILES
    assert (place.folder / "secret").read_text() == "secret" and sorted(os.listdir(place.tree)) == ["p", "tmp"]
    assert (place.p / "b").read_bytes() == (place.p / "c").read_bytes() == b"\0\xff\n" and not (place.p / "d").exists()


# One call of the host each; what a program that takes the runtime apart could ask for. Numbers are negative errors.
ASKED = [
    (["nothing"], -38), (["file.none"], -38), ([], -38), ([None], -38), (["promise.state"], -38), (["promise.result"], -38), (["file.read"], -2),
    (["file.read", 5], -2), (["file.read", True], -2), (["file.read", "a\0b"], -22), (["file.mkdir", "relative"], -22), (["file.mkdir", "/p/.."], -22),
    (["file.mkdir", "/p/new/"], -22), (["file.write", "/p/f"], -22), (["file.write", "/p/f", 5], -22), (["file.write", "/none/f", "x", "a"], -2),
    (["file.rename", "/p/f", 5], -22), (["file.rename", "/p/f", "f"], -22), (["file.truncate", "/p/f", -1], -22), (["file.truncate", "/p", 1], -21),
    (["file.list", "/p/f"], -20), (["file.stat", "/none", True], -2), (["write", 1], -22), (["write", 3, "x"], -22), (["write", 0, "x"], -22), (["write", 1, ""], 0),
    (["random", 0], "0 bytes"), (["random", -1], "0 bytes"), (["random", 2 << 20], "0 bytes"), (["random", 1000], "1000 bytes"), (["read", 0, 3], "3 bytes"),
    (["read", 0], "2 bytes"), (["read", 0, 5], "0 bytes"), (["sleep", -1], None), (["sleep"], None), (["eval"], None), (["eval", "6 * 7"], 42),
    (["eval", "throw new RangeError('up')"], "RangeError"), (["eval", "1 +", "x.js"], "SyntaxError"),
]
ASK = r"""
for (const words of JSON.parse(process.argv[2])) {
	let shown;
	try {
		const r = __runtime.host(...words);
		shown = r === undefined ? null : r instanceof ArrayBuffer ? `${r.byteLength} bytes` : r;
	} catch (e) { shown = e.name; }
	console.log(JSON.stringify(shown));
}
"""


def test_odd_calls_of_the_host(place):
    (place.p / "f").write_text("f")
    done = place.javascript(ASK, json.dumps([words for words, _ in ASKED]), data=b"12345")
    assert [json.loads(line) for line in log_of(done)] == [answer for _, answer in ASKED]
    assert os.listdir(place.tree / "tmp") == [] and not (place.p / "new").exists()


@pytest.mark.parametrize("name, text, status, out, err", [
    ("a.js", "console.log('before'); throw new TypeError('why')", 1, "before\n", "TypeError: why\n    at "),
    ("a.js", "const x = ;", 1, "", "SyntaxError"),
    ("a.mjs", "console.log(1); await Promise.resolve(); throw new Error('late')", 1, "1\n", "Error: late"),
    ("a.js", "Promise.reject(new Error('nobody'))", 1, "", "Error: nobody"),
    ("a.js", "const p = Promise.reject(new Error('x')); setTimeout(() => p.catch(() => {}), 1); process.on('unhandledRejection', (e) => console.log('told', e.message));"
     "process.on('rejectionHandled', () => console.log('handled'))", 0, "told x\nhandled\n", ""),
    ("a.js", "process.on('exit', (c) => console.log('exit', c)); process.exit(4); console.log('no')", 4, "exit 4\n", ""),
    ("a.js", "setTimeout(() => { console.log('timer'); process.exit(5) }, 1); setInterval(() => {}, 100000)", 5, "timer\n", ""),
    ("a.js", "process.abort()", 134, "", ""),
    ("a.mjs", "await new Promise(() => {})", 13, "", "unsettled top-level await"),
    ("a.mjs", "import { b } from './b.mjs'; import fs from 'node:fs'; import c from './c.js'; console.log(b, typeof fs.readFileSync, c.c)", 0, "2 function 3\n", ""),
    ("a.mjs", "import './none.mjs'", 1, "", "Cannot find module '/p/none.mjs'"),
    ("a.mjs", "import { nothing } from './b.mjs'", 1, "", "nothing"),
    ("a.mjs", "import './bad.mjs'", 1, "", "SyntaxError"),
    ("a.mjs", "console.log((await import('./b.mjs')).b, await import('./none.mjs').catch((e) => e.code))", 0, "2 ERR_MODULE_NOT_FOUND\n", ""),
    ("a.js", "console.log(require('./c').c, require('./d.json').d); require('./none')", 1, "3 4\n", "Cannot find module './none'"),
    ("a.js", "require('child_process')", 1, "", "needs a process of its own"),
    ("a.js", "function f() { f() }\ntry { f() } catch (e) { console.log(e.name) }", 0, "RangeError\n", ""),
    ("a.js", "const { createHash, randomBytes } = require('crypto'); console.log(createHash('sha256').update('abc').digest('hex').slice(0, 8), randomBytes(9).length,"
     "randomBytes(16).equals(randomBytes(16)))", 0, "ba7816bf 9 false\n", ""),
    ("a.js", "const p = Promise.resolve(7), q = new Promise(() => {}); p.then((v) => console.log(v, p, q))", 0, "7 Promise { 7 } Promise { <pending> }\n", ""),
    ("a.js", "process.stdin.on('data', (d) => console.log('got', String(d))).on('end', () => console.log('end'))", 0, "got in\nend\n", ""),
    ("a.js", "const d = new Date(0); console.log(d.getHours(), d.getTimezoneOffset(), d.toString().slice(-28))", 0, "0 0 (Coordinated Universal Time)\n", ""),
    ("a.js", "const t = Date.now(); setTimeout(() => console.log(Date.now() - t >= 19), 20)", 0, "true\n", ""),
    ("a.js", "process.chdir('/tmp'); console.log(process.cwd()); try { process.chdir('none') } catch (e) { console.log(e.code) }", 0, "/tmp\nENOENT\n", ""),
    ("none/a.js", None, 1, "", "ENOENT"),
])
def test_javascript(place, name, text, status, out, err):
    for file, content in {"b.mjs": "export const b = 2;", "c.js": "exports.c = 3", "d.json": '{"d": 4}', "bad.mjs": "export const = 1;", name: text}.items():
        if content is not None:
            (place.p / file).write_text(content)
    done = place.language("javascript", "node", name, data=b"in")
    assert done.status == status and done.out.decode() == out and (err in done.err if err else done.err == ""), done
    assert len(done.report) == 1 and done.fuel() > 0, done


# --- the walk through the tree, with and without openat2 ---


WITHOUT_OPENAT2 = r"""
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
rows = ((0x20, 0, 0, 0), (0x15, 0, 1, 437), (6, 0, 0, 0x50000 | int(sys.argv[1])), (6, 0, 0, 0x7fff0000))  # openat2 is 437 everywhere
text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
class Filter(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ushort), ("rows", ctypes.c_void_p)]
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(Filter(len(rows), ctypes.addressof(text))), 0, 0) == 0
os.execv(sys.argv[2], sys.argv[2:])
"""
BEFORE = {"openat2": (), "ENOSYS": (sys.executable, "-S", "-E", "-c", WITHOUT_OPENAT2, "38"), "EPERM": (sys.executable, "-S", "-E", "-c", WITHOUT_OPENAT2, "1")}

# (call, path, answer): the same whichever way the kernel lets it be resolved.
WALKS = [
    ("file.read", "/p/f", "file"), ("file.read", "//p///f", "file"), ("file.read", "/p/./d/../f", "file"), ("file.read", "p/f", "file"), ("file.read", "/p/d/g", "g"),
    ("file.read", "/p/to-f", "file"), ("file.read", "/p/to-d/g", "g"), ("file.read", "/p/to-to-f", "file"), ("file.read", "/p/by-root", "file"),
    ("file.read", "/p/d/up/f", "file"), ("file.read", "/p/d/up/../p/f", "file"), ("file.read", "/../../p/f", "file"), ("file.read", "/p/far-up/p/f", "file"),
    ("file.read", "/p/chain0", "file"), ("file.read", "/p/outside", -2), ("file.read", "/p/far-up/secret", -2), ("file.read", "/p/beside", -2),
    ("file.read", "/p/magic/secret", -2), ("file.read", "/p/dangling", -2), ("file.read", "/p/loop", -40), ("file.read", "/p/long-chain0", -40),
    ("file.read", "", -2), ("file.read", "/p/f/", -20), ("file.read", "/p/to-f/", -20), ("file.read", "/p/to-f-as-dir", -20), ("file.list", "/p/to-d/", '[["g","file"],["up","link"]]'),
    ("file.stat", "/p/to-d", "link"), ("file.stat", "/p/to-d/", "dir"), ("file.write", "/p/made/", -21),
    ("file.new", "/p/dangling", -17), ("file.new", "/p/to-f", -17), ("file.new", "/p/made-anew", 0),
    ("file.read", "/p/f/x", -20), ("file.read", "/p/f/..", -20), ("file.read", "/p/none/../f", -2), ("file.read", "/p/d", -21), ("file.read", "/p/d/..", -21),
    ("file.read", "/", -21), ("file.read", "/p/" + "n" * 256, -36), ("file.read", "/p/" + "n" * 256 + "/x", -36), ("file.read", "/p/" + "./" * 2100 + "f", -36),
    ("file.read", "/p/long-target/" + "./" * 2000 + "f", "file"), ("file.list", "/p/to-d", '[["g","file"],["up","link"]]'), ("file.list", "/p/loop", -40),
    ("file.stat", "/p/to-f", "link"), ("file.stat", "/p/to-d/.", "dir"), ("file.stat", "/p/d/..", "dir"), ("file.stat", "/p/none/..", -2),
    ("file.write", "/p/to-f", 0), ("file.write", "/p/new", 0), ("file.write", "/p/dangling", 0), ("file.write", "/p/outside", -2), ("file.write", "/p/d", -21),
    ("file.write", "/p/far-up/made", 0), ("file.mkdir", "/p/to-d/made", 0), ("file.unlink", "/p/to-d/g", 0), ("file.readlink", "/p/to-d/up", ".."),
    ("file.unlink", "/p/to-f", 0),
]
WALK = r"""
for (const [call, path] of JSON.parse(process.argv[2])) {
	const r = call === 'file.new' ? __runtime.host('file.write', path, 'file', 'wx') : __runtime.host(call, path, call === 'file.write' ? 'file' : false);
	console.log(JSON.stringify(r instanceof ArrayBuffer ? String(Buffer.from(r)) : call === 'file.stat' && typeof r === 'string' ? JSON.parse(r).type : r));
}
"""


@pytest.mark.parametrize("way", BEFORE)
def test_the_walk_through_the_tree(place, way):
    (place.folder / "secret").write_text("secret")
    (place.p / "d").mkdir()
    (place.p / "f").write_text("file")
    (place.p / "d/g").write_text("g")
    links = {"to-f": "f", "to-d": "d", "to-to-f": "./to-f", "by-root": "/p/f", "d/up": "..", "far-up": "../../../..", "outside": place.folder / "secret",
             "beside": "../../secret", "magic": "/proc/self/root", "dangling": "made-by-link", "to-f-as-dir": "f/", "loop": "loop", "long-target": "./" * 1500,
             **{f"chain{i}": f"chain{i + 1}" if i < 38 else "f" for i in range(39)}, **{f"long-chain{i}": f"long-chain{i + 1}" if i < 40 else "f" for i in range(41)}}
    for name, target in links.items():
        (place.p / name).symlink_to(target)
    done = place.javascript(WALK, json.dumps([walk[:2] for walk in WALKS]), before=BEFORE[way])
    found = [(*walk[:2], json.loads(line)) for walk, line in zip(WALKS, log_of(done), strict=True)]
    assert found == WALKS
    assert (place.folder / "secret").read_text() == "secret" and {p.name.split("-")[0] for p in place.folder.iterdir()} == {"secret", "tree", "report"}
    assert (place.tree / "made").exists() and (place.p / "made-by-link").exists() and not (place.p / "to-f").is_symlink() and (place.p / "f").exists()


@pytest.mark.parametrize("way, answer", [("openat2", "deep"), ("ENOSYS", -36)])
def test_how_deep_the_walk_goes(place, way, answer):
    """By names it keeps each directory open, so there is an end to it; .. leads back all the same."""
    deep = "/".join(["d"] * 130)
    (place.p / deep).mkdir(parents=True)
    (place.p / deep / "end").write_text("deep")
    for name, target in {"long": "longer/" + "./" * 1800, "longer": "longest/" + "./" * 1800, "longest": "/p/d"}.items():
        (place.p / "d/d" / name).symlink_to(target)
    (place.p / "d/near").write_text("near")
    paths = [f"/p/{deep}/end", "/p/" + "d/../" * 400 + "d/near", "/p/d/d/long/" + "./" * 1800 + "near"]
    found = log_of(place.javascript(WALK, json.dumps([["file.read", path] for path in paths]), before=BEFORE[way]))
    assert [json.loads(line) for line in found] == [answer, "near", "near" if way == "openat2" else -36]


# --- compile and prepare ---


def test_compile(hello):
    assert compiled(hello) == compiled(hello), "the same bytes, the same code"
    assert call("compile", data=b"#!/bin/sh\n")[::2] == (1, "it is no WebAssembly module: these begin with a NUL and 'asm'; a text (.wat) has to be translated first\n")
    status, out, err = call("compile", data=hello[:-3])
    assert status == 1 and out == b"" and err.startswith("compile it: ")
    with open("/dev/full", "wb") as full:
        status, _, err = call("compile", data=hello, stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert status == 1 and err == "write what was compiled: No space left on device\n"


def test_compile_reads_no_more_than_a_module(tmp_path):
    with open(tmp_path / "big", "wb+") as f:
        f.truncate((256 << 20) + 1)
        done = subprocess.run([wasm.helper(), "compile"], stdin=f, capture_output=True, timeout=pace.HANGS)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"the module is larger than 256 MiB\n")
    assert call("compile", data=None, before=["sh", "-c", f'exec "$@" <{tmp_path}', "sh"])[::2] == (1, "read the module: Is a directory\n")


# An interpreter that does what python does where it is prepared: says where its text and its job are, keeps its limits in its memory, and leaves
# two calls below its _start. Begun again it writes: what is left of calls in C, its stack pointer, a number that it kept, its job.
SNAKE = r"""(module {imports}
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  {globals}
  (global $kept (mut i64) (i64.const 0)) (global f32 (f32.const 1.5)) (global f64 (f64.const 2.5)) (global i32 (i32.const -1)) {more}
  {memory} (table 3 funcref) (elem (i32.const 1) $leave)
  (data (i32.const 1024) "{said}\n") (data (i32.const 200000) "of the first start")
  (func $put (param $at i32) (param $len i32)
    (i32.store (i32.const 0) (local.get $at)) (i32.store (i32.const 4) (local.get $len))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func $leave (param i32) (call $exit (local.get 0)))
  (func $limits (param $at i32)
    (i32.store (local.get $at) (i32.const 0x5ca1aaf)) (i32.store offset=4 (local.get $at) (i32.const 0x5ca1ab1)) (i32.store offset=8 (local.get $at) (i32.const 400)))
  (func $run (param $text i32) (param $flags i32) (result i32)
    (if (i64.eqz (global.get $kept)) (then
      (global.set $kept (i64.const -5)) {limits} (call $put (i32.const 1024) (i32.const {length})) {end}))
    (i32.store (i32.const 16) (i32.load (i32.const 8200))) (i32.store (i32.const 20) (global.get 0)) (i64.store (i32.const 24) (global.get $kept))
    (i32.store (i32.const 32) (local.get $text))
    (call $put (i32.const 16) (i32.const 20)) (call $put (i32.const 65536) (i32.const 64)) (call $put (i32.const 200000) (i32.const 18))
    (call $leave (i32.const 77)) (i32.const 0))
  (func (export "{name}") {start}))"""
SNAKE_PARTS = {"imports": "", "globals": "(global $sp (mut i32) (i32.const 60000))", "more": "", "memory": '(memory (export "memory") 6 1000)',
               "said": "ready 4096 65536", "length": "17", "limits": "(call $limits (i32.const 8192))", "end": "(call $leave (i32.const 0))",
               "name": "_start", "start": "(drop (call $run (i32.const 0) (i32.const 0)))"}


def snake(folder, **parts):
    return wasm.from_text(folder / "snake.wasm", SNAKE.format(**{**SNAKE_PARTS, **parts})).read_bytes()


def prepare(folder, module, language="python", extra=""):
    (folder / "empty").mkdir(exist_ok=True)
    return call("prepare", language, folder / "empty", extra, data=module)


def test_an_interpreter_is_prepared_and_begun_again(place):
    status, out, err = prepare(place.folder, snake(place.folder))
    assert status == 0 and err == "" and out.startswith(b"\0asm\1\0\0\0") and b"aisbx.job" in out, (status, err)
    code = place.folder / "snake.cwasm"
    code.write_bytes(compiled(out))
    for _ in range(2):  # nothing of one run is in the next
        done = place.language("python", "python3", "arg", code=code, cwd="/p", env={"A": "1", "PATH": "/bin"})
        assert done.status == 77 and done.err == "" and done.fuel() > 0, done
        number = functools.partial(int.from_bytes, byteorder="little")
        assert number(done.out[:4]) == 4000 and number(done.out[4:8]) == (6 << 16) + (16 << 20), "its limit of calls is lifted, and its stack lies behind all that it had"
        assert number(done.out[8:16]) == 2**64 - 5 and number(done.out[16:20]) == 4096, "globals as they were, and begun with its text"
        job = b"\2\0\0\0\2\0\0\0/p\0python3\0arg\0A=1\0HOME=/tmp\0"
        assert done.out[20:84] == job.ljust(64, b"\0") and done.out[84:] == b"of the first start", done
    with open("/dev/full", "wb") as full:
        ended = call("prepare", "python", place.folder / "empty", "", data=snake(place.folder), stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert ended[0] == 1 and ended[2] == "write what was prepared: No space left on device\n"


def test_globals_of_every_number_are_kept(tmp_path):
    before = "(global $f (mut f32) (f32.const 2.5)) (global $d (mut f64) (f64.const 2.5))"
    module = snake(tmp_path, more=before, start="(global.set $f (f32.const 7.25)) (global.set $d (f64.const 9.125)) " + SNAKE_PARTS["start"])
    status, out, err = prepare(tmp_path, module)
    assert status == 0, err
    for form, number in (("<f", 7.25), ("<d", 9.125)):
        assert (module.count(struct.pack(form, number)), out.count(struct.pack(form, number))) == (1, 2), "once in its code, and as the global's first value"


@pytest.mark.parametrize("parts, words", [
    ({"said": "steady 4096 6553"}, "it did not say that it is ready"),
    ({"end": "(call $leave (i32.const 3))"}, "it ended with status 3"),
    ({"end": "(return (i32.const 0))"}, "it ended with status 0"),
    ({"end": "unreachable"}, "it ended with status 0"),
    ({"start": "(call $put (i32.const 1024) (i32.const 17)) (call $exit (i32.const 0))"}, "it did not end where it should"),
    ({"limits": ""}, "its limits are in 0 places"),
    ({"limits": "(call $limits (i32.const 8192)) (call $limits (i32.const 12288))"}, "its limits are in 2 places"),
    ({"more": '(data "taken later")'}, "it has data that is not put into its memory at once"),
    ({"globals": "(global $sp i32 (i32.const 60000))"}, "its first global is no stack pointer"),
    ({"more": "(global (mut funcref) (ref.null func))"}, "it changes a global that is no number"),
    ({"more": "(global v128 (v128.const i32x4 1 2 3 4))"}, "its globals are not as expected"),
    ({"imports": '(import "e" "f" (func)) (import "e" "t" (table 1 2 funcref)) (import "e" "g" (global i32))'}, "the module imports 'f' of 'e'"),
    ({"imports": '(import "e" "m" (memory 1 2))', "memory": ""}, "the module imports 'm' of 'e'"),
    ({"name": "_begin"}, "exports no function '_start'"),
])
def test_an_interpreter_that_cannot_be_prepared(tmp_path, parts, words):
    status, out, err = prepare(tmp_path, snake(tmp_path, **parts))
    assert status == 1 and out == b"" and words in err, err


@pytest.mark.parametrize("module, words", [
    (b"", "it does not begin as a WebAssembly module does"), (b"\x7fELF" * 10, "it does not begin as"), (b"\0asm\x0d\0\1\0", "it does not begin as"),
    (b"\0asm\1\0\0\0\x63\0", "a section has an unknown kind, or stands there twice"), (b"\0asm\1\0\0\0\1\1\0\1\1\0", "stands there twice"),
    (b"\0asm\1\0\0\0\1\x50\0", "it is cut off"), (b"\0asm\1\0\0\0\1\xff\xff\xff\xff\x7f", "it is cut off, or a number in it is wrong"),
    (b"\0asm\1\0\0\0\1\x80\x80\x80\x80\x80\x01", "a number in it is wrong"), (b"\0asm\1\0\0\0\2\5\1\1e\1f", "it is cut off"),
    (b"\0asm\1\0\0\0\2\7\1\1e\1t\4\0", "a number in it is wrong"), (b"\0asm\1\0\0\0\6\5\1\x7f\1\x41\x80", "its globals are not as expected"),
    (b"\0asm\1\0\0\0\6\6\1\x7f\0\x41" + b"\x80" * 2, "its globals are not as expected"),
    (b"\0asm\1\0\0\0\6\x0f\1\x7f\0\x41" + b"\x80" * 11, "its globals are not as expected"),
    (b"\0asm\1\0\0\0\7\3\1\5a", "its exports are not as expected"), (b"\0asm\1\0\0\0\6\7\1\x7f\0\x41\1\x6a\x0b", "compile it: "),
])
def test_a_module_that_cannot_be_read(tmp_path, module, words):
    status, out, err = prepare(tmp_path, module)
    assert status == 1 and out == b"" and words in err, err


def test_what_prepare_is_asked_for(tmp_path):
    assert prepare(tmp_path, b"", language="cobol")[::2] == (1, "there is no language 'cobol'\n")
    assert prepare(tmp_path, b"", language="javascript", extra=tmp_path / "none")[::2] == (1, f"read '{tmp_path}/none': No such file or directory\n")
    assert prepare(tmp_path, b"", language="javascript", extra=tmp_path)[2].startswith(f"read '{tmp_path}': ")


# --- an interpreter of javascript that lies ---


# The functions that the host calls; each gives back a constant.
PARROT = {
    "wasm_malloc": (1, "(i32.const 4096)"), "wasm_free": (1, None), "qjs_init": (0, "(i32.const 0)"), "qjs_set_promise_rejection_handler": (1, None),
    "qjs_set_module_loader": (1, None), "qjs_new_host_function": (3, "(i32.const 1)"), "qjs_get_global": (0, "(i32.const 1)"),
    "qjs_set_prop_string": (3, "(i32.const 0)"), "qjs_new_string": (2, "(i32.const 1)"), "qjs_eval": (4, "(i32.const 1)"), "qjs_is_exception": (1, "(i32.const 0)"),
    "qjs_get_exception": (0, "(i32.const 1)"), "qjs_get_string": (1, "(i32.const 512)"), "qjs_free_value": (1, None), "qjs_is_string": (1, "(i32.const 1)"),
    "qjs_get_string_len": (2, "(i32.const 600)"), "qjs_free_cstring": (1, None),
    "qjs_set_max_stack_size": (1, "(drop (call $host (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 2) (i32.const 64)))"),  # by which a run begins
}


def parrot(folder, without=(), stack='(global (export "__stack_pointer") (mut i32) (i32.const 60000))', memory='(memory (export "memory") 1)', **says):
    functions = []
    for function, (n, body) in {**PARROT, **{k: (PARROT[k][0], v) for k, v in says.items()}}.items():
        result = "(result i32)" if PARROT[function][1] and function != "qjs_set_max_stack_size" else ""
        if function not in without:
            functions.append(f'(func (export "{function}") {"(param i32)" * n} {result} {body or ""})')
    return wasm.from_text(folder / "parrot.wasm", f"""(module (import "env" "host_call" (func $host (param i32 i32 i32 i32 i32) (result i32))) {stack}
        {memory} (data (i32.const 512) "its own words") (func (export "_initialize")) {" ".join(functions)})""", "--enable-multi-memory").read_bytes()


ROOM = {"memory": '(memory (export "memory") 100)', "wasm_malloc": "(i32.const 1024)"}  # for our own text


@pytest.mark.parametrize("parts, words", [
    ({"without": ["qjs_init"]}, "prepare javascript: the interpreter lacks a function"),
    ({"without": ["qjs_eval"]}, "the interpreter lacks a function"),
    ({"stack": ""}, "prepare javascript: the interpreter has no stack"),
    ({"stack": "(global (export \"__stack_pointer\") i32 (i32.const 60000))"}, "prepare javascript: "),
    ({"qjs_init": "(i32.const -1)"}, "the interpreter could not be set up"),
    ({"qjs_init": "unreachable"}, "unreachable"),
    ({"wasm_malloc": "(i32.const 0)"}, "the interpreter has no stack"),
    ({"wasm_malloc": "(i32.const -8)"}, "the interpreter has lost its memory"),
    ({"wasm_malloc": "(if (result i32) (i32.gt_u (local.get 0) (i32.const 100000)) (then (i32.const 4096)) (else (i32.const 0)))"}, "the interpreter has no memory left"),
    ({"qjs_is_exception": "(i32.const 1)"}, "its own words"),
    ({"qjs_is_exception": "(i32.const 1)", "qjs_get_string": "(i32.const -1)"}, "prepare javascript: "),
    ({"qjs_free_value": "unreachable"}, "unreachable"),
    ({"memory": '(memory (export "memory") 100) (memory 1)'}, "it has no memory of its own, or an unusual one"),
    ({"memory": "(memory 100)"}, "the interpreter has lost its memory"),
])
def test_a_javascript_that_cannot_be_prepared(tmp_path, parts, words):
    """Nothing that it says about its memory is believed."""
    status, out, err = prepare(tmp_path, parrot(tmp_path, **{**ROOM, **parts}), language="javascript")
    assert status == 1 and out == b"" and words in err, err


def test_a_javascript_is_prepared(tmp_path):
    """What would set it up a second time is no longer there, the rest is; the text beside ours is read."""
    (tmp_path / "extra.js").write_text("extra")
    module = parrot(tmp_path, **ROOM)
    status, out, err = prepare(tmp_path, module, language="javascript", extra=tmp_path / "extra.js")
    assert status == 0 and err == "" and b"_initialize" in module and b"_initialize" not in out and b"qjs_eval" in out, err
    assert len(compiled(out)) > len(out)


@pytest.mark.parametrize("parts, words", [
    ({}, "the interpreter lacks a function"),  # after its call of the host, which is answered
    ({"without": ["wasm_malloc"]}, "the interpreter lacks a function"),
    ({"wasm_malloc": "(i32.const -4)"}, "the interpreter has lost its memory"),
    ({"memory": "(memory 1)"}, "the interpreter has lost its memory"),
    ({"wasm_malloc": "unreachable"}, "it aborted"),
    ({"qjs_get_string_len": "(i32.store (local.get 1) (i32.const -1)) (i32.const 600)"}, "the interpreter has lost its memory"),
    ({"qjs_get_string_len": "(i32.store (local.get 1) (i32.const 10)) (i32.const 65530)"}, "the interpreter has lost its memory"),
    ({"qjs_set_max_stack_size": "(drop (call $host (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 9) (i32.const 65532)))"}, "the interpreter has lost its memory"),
    ({"qjs_set_max_stack_size": "(drop (call $host (i32.const 0) (i32.const 0) (i32.const 0) (i32.const -1) (i32.const -4)))"}, "the interpreter has lost its memory"),
    ({"qjs_is_string": "(loop $l (br $l)) (i32.const 1)"}, "its fuel is used up"),
])
def test_a_javascript_that_lies(place, parts, words):
    """The program has taken its interpreter over, and the host goes on checking every place that it names."""
    code = place.folder / "parrot.cwasm"
    code.write_bytes(compiled(parrot(place.folder, **parts)))
    done = place.language("javascript", "node", "x.js", code=code, options=["--fuel", "1000000"])
    assert done.status == 134 and words in done.err and done.out == b"" and len(done.report) == 2 and done.fuel() >= 0, done


# --- the same fuel every time ---


SAME = {
    "python": "import json, random\nd = {str(i): i * i for i in range(200)}\n"
    "print(json.dumps(sum(d.values())), len({hash(k) for k in d}), open('in').read(), random.random() < 2)",
    "javascript": "const m = new Map(); for (let i = 0; i < 200; i++) m.set('k' + i, i * i);"
    "console.log([...m.values()].reduce((a, b) => a + b), Object.keys(process.env).length, require('./own').own,"
    "require('fs').readFileSync('in', 'utf8'), Math.random() < 2)",
}
OUTPUT = {"python": b"2646700 200 in True\n", "javascript": b"2646700 4 5 in true\n"}


def surroundings(number):
    """What is around a run and no input of its program: variables of the box between those that it gets, how long they are."""
    choose = random.Random(number)
    words = [("AA", "1"), ("BB", "2"), ("CC", "33")]
    for name in choose.sample(sorted(OF_BOX), choose.randrange(8)):
        words.insert(choose.randrange(len(words) + 1), (name, "x" * choose.randrange(500)))
    return dict(words)


def same_fuel(place, times):
    (place.p / "in").write_text("in")
    (place.p / "own.js").write_text("exports.own = 5")
    (place.p / "main.js").write_text(SAME["javascript"])

    def run(number):
        lang = ("python", "javascript")[number % 2]
        (place.tree / choose[number] / f"other-{number}").write_text("x" * number)  # directories grow meanwhile
        words = ["python3", "-c", SAME[lang]] if lang == "python" else ["node", "main.js"]
        before = ["/bin/sh", "-c", f'ulimit -s {256 << number % 5}; exec "$@"', "sh"]
        return lang, place.language(lang, *words, env=surroundings(number), before=before, data=b"x" * (number % 3))

    choose = ["p" if number % 3 else "tmp" for number in range(2 * times)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(run, range(2 * times)))
    for lang, ended in done:
        assert ended.status == 0 and ended.out == OUTPUT[lang] and ended.err == "" and len(ended.report) == 1, ended
    return {lang: {ended.fuel() for other, ended in done if other == lang} for lang in OUTPUT}


def test_the_same_fuel(place):
    assert {lang: len(found) for lang, found in same_fuel(place, 10).items()} == {"python": 1, "javascript": 1}


@pytest.mark.big
def test_the_same_fuel_in_a_thousand_runs(place):
    assert {lang: len(found) for lang, found in same_fuel(place, 500).items()} == {"python": 1, "javascript": 1}


# --- what aisbx does with it; these start boxes, or what is in the place of the program ---


def test_where_a_program_starts_in_its_box(tmp_path, given):
    """Where it was asked to, if the box shows that, and else in its /tmp."""
    project, shown = tmp_path / "project", tmp_path / "shown"
    for folder in (project, shown):
        folder.mkdir()
        (folder / "in").write_text(folder.name)
    (project / "given.wasm").write_bytes(given)
    options = ["--ro", f"{shown}:/shown", "-C"]
    for place, answer in (("/shown", "shown"), (str(project), "project"), ("/usr", "ENOENT")):
        done = wasm.run(str(project / "given.wasm"), "read", "in", cwd=project, options=[*options, place])
        assert done["stdout"] == f"in: {answer}\n", done


def test_a_device_is_refused(tmp_path, hello):
    (tmp_path / "hello.wasm").write_bytes(hello)
    done = wasm.run("./hello.wasm", cwd=tmp_path, options=["--device", "/dev/null"])
    assert "the driver 'wasm' cannot show a device" in done["error"]["text"], done


@pytest.mark.parametrize("lang, text, driver, why", [
    ("python", "import " + "x" * 80, "native", "is no module of WebAssembly's"),
    ("javascript", "try { require('./x') } catch (e) { console.log(e.code) }", "wasm", "it needs nothing that WebAssembly lacks"),
])
def test_the_choice_of_a_driver(lang, text, driver, why):
    chosen = wasm.code(lang, text, driver="auto")["driver"]
    assert chosen["name"] == driver and why in chosen["why"], chosen


def test_languages_from_what_is_no_directory(tmp_path):
    (tmp_path / "file").write_text("x")
    env = {**os.environ, "AISBX_WASM_LANGUAGES": str(tmp_path / "file"), "XDG_STATE_HOME": str(tmp_path / "state")}
    done = box.run("python3", "-c", "1", cwd=tmp_path, options=["--driver", "wasm"], env=env)
    assert f"open the directory '{tmp_path}/file' of AISBX_WASM_LANGUAGES" in done["error"]["text"], done


def test_what_was_compiled_takes_no_more_than_its_share(tmp_path, hello):
    """Above it the oldest go, and nothing else."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p/hello.wasm").write_bytes(hello)
    kept = tmp_path / "state/aisbx/wasm/compiled"
    for folder in (tmp_path / "state", tmp_path / "state/aisbx", tmp_path / "state/aisbx/wasm", kept):
        folder.mkdir(mode=0o700)
    sizes = {"a" * 64: 300 << 20, "b" * 64: 300 << 20, "c" * 64: 100 << 20, "d" * 64: 1, "not-a-hash": 300 << 20}
    for age, (name, size) in enumerate(sizes.items()):
        with open(kept / name, "wb") as f:
            f.truncate(size)
        os.utime(kept / name, (10**9 - age, 10**9 - age))  # the later, the older
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    assert wasm.run("./hello.wasm", cwd=tmp_path / "p", env=env)["stdout"] == "hi\n"
    left = {"a" * 64, "not-a-hash", hashlib.sha256(hello).hexdigest()}
    box.wait_until(lambda: set(os.listdir(kept)) == left, what=f"{left} of {sizes}")


FALSE_HELPER = r"""
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
	char how[16] = "";
	FILE *f = fopen(HOW, "r");
	if (f) fgets(how, sizeof how, f);
	if (!strcmp(how, "killed")) raise(SIGKILL);
	if (!strcmp(how, "words")) fputs("first\nthe last line\n\n", stderr);
	return 3;
}
"""


def test_a_program_that_is_missing_or_fails(tmp_path):
    """What the engine says where a language is added is told, and nothing is left. Beside this aisbx there is no aisbx-wasm, and then a false one."""
    here = tmp_path / "bin"
    here.mkdir()
    other = shutil.copy(box.aisbx(), here / "aisbx")
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "PATH": f"{here}:{os.environ['PATH']}"}
    done = subprocess.run([other, "run", "--driver", "wasm", "--", "./x.wasm"], cwd=tmp_path, env=env, capture_output=True, timeout=pace.HANGS)
    assert done.returncode == 125 and b"this aisbx was built without WebAssembly" in done.stderr, done
    subprocess.run(["npm", "pack", "--silent", "quickjs-wasi@3.6.2", "node-inspect-extracted@3.0.2"], cwd=tmp_path, check=True, timeout=pace.HANGS, capture_output=True)

    def refusal(program):
        done = subprocess.run([program, "lang", "add", "javascript-wasm", "--from", tmp_path], cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=pace.HANGS)
        assert done.returncode == 125 and not [p for p in (tmp_path / "state/aisbx/wasm").iterdir() if p.name[0] != "."], done
        return done.stderr.decode()

    assert "there is no aisbx-wasm" in refusal(other)
    (tmp_path / "false.c").write_text(FALSE_HELPER)
    subprocess.run(["cc", f'-DHOW="{tmp_path}/how"', "-o", here / "aisbx-wasm", tmp_path / "false.c"], check=True, timeout=pace.HANGS)
    for how, words in (("killed", "aisbx-wasm was ended by signal 9"), ("silent", "aisbx-wasm failed without a word"), ("words", "add javascript-wasm: the last line\n")):
        (tmp_path / "how").write_text(how)
        assert words in refusal(other)
    tar = here / "tar"
    for script, words in (("echo this is no module", "it does not begin as a WebAssembly module does"), ("exit 2", "'tar' failed")):
        tar.write_text(f"#!/bin/sh\n{script}\n")
        tar.chmod(0o755)
        assert words in refusal(box.aisbx())
    tar.unlink()
    env["PATH"] = str(here)
    assert "run 'tar': No such file or directory" in refusal(box.aisbx())
