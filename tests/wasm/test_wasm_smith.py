# SPDX-License-Identifier: Apache-2.0
"""Modules that nobody would write (tests/wasm/smith), valid, changed and broken, given to aisbx-wasm by itself, outside of any box.

Each run ends in one of the ways that docs/wasm.md knows, whatever the module is: with a status, a trap, a limit, or an error in one line.
With AISBX_LONG=1 a hundred thousand are tried. Where one fails, `smith SEED COUNT DIR` with the numbers in the test's name writes it again.
"""
import collections
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

import box
import pace
import pytest
import wasm

SEEDS = range(1, 201) if os.environ.get("AISBX_LONG") else range(1, 4)
COUNT = 500 if os.environ.get("AISBX_LONG") else 200  # of each seed
FUEL, MEMORY = 100_000, 64 << 20
# Of a whole process, beside the limit: the engine, its compiler, and what is written before the watch looks again.
MOST = (MEMORY + (512 << 20)) * (2 if pace.BUILD > 1 else 1)
SECONDS = 20 * pace.BUILD  # of processors: the largest takes less than one

TRAPS = "stack_overflow memory_out_of_bounds table_out_of_bounds call_to_null bad_signature integer_overflow division_by_zero bad_conversion unreachable other".split()
STOPPED = re.compile(rb"aisbx: the program was stopped: [^\n]{5,2000}\n\Z")
NO_FUEL = b"aisbx: the program was stopped: its fuel is used up\n"
ERROR = re.compile(r"error [^\n]{10,1000}\Z")
COMPILE = re.compile(rb"(compile it: |it is no WebAssembly module: )[^\n]{5,1000}\n\Z")
NOT_PREPARED = re.compile(rb"[^\n]{10,1000}\n\Z")
OF_SANITIZERS = re.compile(rb"runtime error:|Sanitizer")
NUMBERS = itertools.count()


class Done:
    """How one process ended: its status, output, what it took. It has been killed when it hung."""

    def __init__(self, words, data=b""):
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(data)
            given.seek(0)
            process = subprocess.Popen(list(map(str, words)), stdin=given, stdout=out, stderr=err, env={})
            hang = threading.Timer(pace.HANGS, os.kill, (process.pid, signal.SIGKILL))
            hang.start()
            _, status, usage = os.wait4(process.pid, 0)
            hang.cancel()
            process.returncode = self.status = os.waitstatus_to_exitcode(status)
            self.memory, self.seconds = usage.ru_maxrss << 10, usage.ru_utime + usage.ru_stime
            out.seek(0)
            err.seek(0)
            self.out, self.err, self.report = out.read(), err.read(), None

    def __repr__(self):
        return f"status {self.status}, {self.out[-300:]!r}, {self.err[-3000:]!r}, {self.report}, {self.memory >> 20} MiB, {self.seconds:.2f} s"

    def check(self):
        """What holds of every process."""
        assert self.status >= 0, f"no signal ended it: {self}"
        assert not OF_SANITIZERS.search(self.err), self
        assert self.memory < MOST, self
        assert self.seconds < SECONDS, self
        return self


def check_run(done, module):
    """In which of the known ways it ended, all of which is checked: "ended", "fuel", "memory", "refused", or "trap NAME"."""
    done.check()
    assert done.report, f"there is a report: {done}"
    *before, last = done.report
    # Only with this function of WASI a program can write anything itself.
    assert b"fd_write" in module or (done.out == b"" and done.err.count(b"\n") <= 1), done
    if last.startswith("error "):
        assert done.status == 126 and ERROR.match(last) and (done.out, done.err) == (b"", b""), done
        assert all(re.fullmatch(r"import [!-~]{1,80} [!-~]{1,80}", line) for line in before) and len(before) <= 64, done
        return "refused"
    if last.startswith("limit memory "):
        assert done.status == 137 and before == [] and int(last.split()[2]) > MEMORY, done
        return "memory"
    assert re.fullmatch(r"fuel \d{1,19}", done.report[0]) and len(done.report) <= 2, done
    used = int(done.report[0].split()[1])
    if last == done.report[0]:
        assert used <= FUEL and STOPPED.search(done.err) is None, done
        return "ended"
    if last == "limit fuel":
        assert done.status == 134 and used >= FUEL and done.err.endswith(NO_FUEL), done
        return "fuel"
    kind, name = last.split(" ")
    assert done.status == 134 and kind == "trap" and name in TRAPS and used <= FUEL and STOPPED.search(done.err), done
    return last


class Place:
    """A tree with one module after the other in it."""

    def __init__(self, folder, program=None):
        self.folder, self.program, self.tree = folder, program or wasm.helper(), folder / "tree"
        (self.tree / "p").mkdir(parents=True)
        (self.folder / "empty").mkdir()

    def run(self, module):
        """The whole of it, and how it ended."""
        (self.tree / "p/m.wasm").write_bytes(module)
        report = self.folder / f"report-{next(NUMBERS)}"
        done = Done([self.program, "run", "--report", report, "--root", self.tree, "--cwd", "/p", "--module", "m.wasm", "--fuel", FUEL, "--memory", MEMORY, "--", "m.wasm"])
        if report.exists():  # by line feeds alone, as aisbx reads it: names have what else Python takes for the end of a line
            *lines, rest = report.read_bytes().decode(errors="replace").split("\n")
            done.report = lines if not rest else None  # cut off
        return done, check_run(done, module)

    def compile(self, module):
        """Whether it can be."""
        done = Done([self.program, "compile"], module).check()
        if done.status:
            assert done.status == 1 and done.out == b"" and COMPILE.match(done.err), done
        else:
            assert done.err == b"" and len(done.out) > 1000, done
        return done.status == 0

    def prepare(self, module):
        """As if it were Python, which it is not."""
        done = Done([self.program, "prepare", "python", self.folder / "empty", ""], module).check()
        assert done.status == 1 and done.out == b"" and NOT_PREPARED.search(done.err) and (b"fd_write" in module or done.err.count(b"\n") == 1), done


def first_words(done):
    """Why it was refused, without where and what."""
    return re.sub(r" \(at offset.*|[0-9]+|'.*'", "", done.report[-1])[-40:]


@pytest.mark.parametrize("seed", SEEDS)
def test_each_ends_in_a_way_that_is_known(tmp_path, seed):
    place, ways, why = Place(tmp_path), collections.Counter(), collections.Counter()
    modules = wasm.smithed(seed, COUNT, tmp_path / "modules")
    assert len(modules) == COUNT
    for i, path in enumerate(modules):
        module = path.read_bytes()
        assert len(module) <= 64 << 10, path
        try:
            done, way = place.run(module)
            compiled = place.compile(module)
            # What can be compiled outside of a box can be in it, and nothing else.
            assert compiled == (way != "refused" or not re.search(r": (compile it|it is no WebAssembly module): ", done.report[-1])), (compiled, done)
            if i % 5 == 3 and way not in ("fuel", "memory"):  # there is no limit of either there
                place.prepare(module)
        except AssertionError as e:
            raise AssertionError(f"smith {seed} {COUNT}, {path.name}: {e}") from None
        ways[way.split()[0]] += 1
        if way == "refused":
            why[first_words(done)] += 1
    # Were all refused at the first byte, all of the above would hold, too.
    assert ways["ended"] >= COUNT // 20 and ways["fuel"] >= COUNT // 100 and ways["trap"] >= COUNT // 100 and ways["refused"] >= COUNT // 4 and len(why) >= 20, (ways, why)


@pytest.mark.parametrize("seed", SEEDS)
def test_our_own_reader_takes_or_refuses_them(tmp_path, seed):
    """The target of the fuzzer, once for each; .ci/fuzz takes them as seeds."""
    wasm.smithed(seed, COUNT, tmp_path / "modules")
    replay = box.need(os.path.join(os.environ["AISBX_TEST_BIN"], "replay-wasm-module"))
    done = subprocess.run([replay, tmp_path / "modules"], capture_output=True, text=True, errors="replace", timeout=pace.HANGS)
    assert done.returncode == 0 and done.stderr.endswith(f"replay: {COUNT} inputs\n"), done.stderr[-3000:]


def test_a_seed_gives_the_same_modules_each_time(tmp_path):
    first, second, other = (wasm.smithed(seed, COUNT, tmp_path / name) for seed, name in ((1, "first"), (1, "second"), (2, "other")))
    assert [(p.name, p.read_bytes()) for p in first] == [(p.name, p.read_bytes()) for p in second]
    assert len({p.read_bytes() for p in [*first, *other]}) > 1.5 * COUNT
    assert collections.Counter(p.stem.split("-")[1] for p in first) == dict.fromkeys(("valid", "same", "other", "broken"), COUNT // 4)
    fewer = wasm.smithed(1, 10, tmp_path / "fewer")
    assert [(p.name, p.read_bytes()) for p in fewer] == [(p.name, p.read_bytes()) for p in first[:10]]


# --- that the above would see it ---


# A program in place of aisbx-wasm: each ends as one could, but for one thing. $3 is the report.
SAYS = """#!/bin/sh
say() { printf "%b" "$1" >"$report"; }
told() { echo "aisbx: the program was stopped: $1" >&2; }
report=$3
"""
WRONG = {
    "crash": r"say 'fuel 1\n'; kill -SEGV $$", "hang": r"say 'fuel 1\n'; exec sleep 1000", "busy": r"say 'fuel 1\n'; exec python3 -c 'import time; any(time.process_time() > 0.3 for _ in iter(int, 1))'",
    "large": rf"say 'fuel 1\n'; exec python3 -c 'x = bytes([1]) * {MOST}'", "address": r"say 'fuel 1\n'; echo '==1==ERROR: AddressSanitizer: use' >&2",
    "undefined": r"say 'fuel 1\n'; echo 'x.c:1:2: runtime error: shift exponent' >&2", "no report": "exit 0", "empty": "say ''", "cut off": r"say 'fuel 1\ntra'", "word": r"say 'hello\n'",
    "no fuel": r"say 'trap other\n'; told 'why not'; exit 134", "odd fuel": r"say 'fuel many\n'", "negative fuel": r"say 'fuel -1\n'", "free": r"say 'fuel 100001\n'",
    "three lines": r"say 'fuel 1\nfuel 1\ntrap other\n'; told 'why not'; exit 134", "odd trap": r"say 'fuel 1\ntrap nice\n'; told 'why not'; exit 134",
    "odd word": r"say 'fuel 1\ntrip other\n'; told 'why not'; exit 134", "status of a trap": r"say 'fuel 1\ntrap other\n'; told 'why not'; exit 1",
    "silent trap": r"say 'fuel 1\ntrap other\n'; exit 134", "a trap too late": r"say 'fuel 100001\ntrap other\n'; told 'why not'; exit 134",
    "too early": r"say 'fuel 1\nlimit fuel\n'; told 'its fuel is used up'; exit 134", "status of fuel": r"say 'fuel 100001\nlimit fuel\n'; told 'its fuel is used up'; exit 1",
    "silent fuel": r"say 'fuel 100001\nlimit fuel\n'; exit 134", "talk": r"say 'fuel 1\n'; echo hello", "two lines": r"say 'fuel 1\n'; echo a >&2; echo b >&2",
    "a trap of none": r"say 'fuel 1\n'; told 'why not'", "short": r"say 'error no\n'; exit 126", "status of an error": r"say 'error it is a failure\n'; exit 1",
    "error with words": r"say 'error it is a failure\n'; echo a >&2; exit 126", "odd import": r"say 'import a\nerror it is a failure\n'; exit 126",
    "imports": r"say "'"$(yes "import a b" | head -n 70)\\nerror it is a failure\\n"; exit 126', "little memory": r"say 'limit memory 5\n'; exit 137",
    "status of memory": r"say 'limit memory 99999999999\n'", "memory after fuel": r"say 'fuel 1\nlimit memory 99999999999\n'; exit 137",
}
BOTH_WRONG = {"none": "", "signal": "echo 'compile it: why not' >&2; kill -SEGV $$", "two lines": r"printf 'compile it: why not\nor so it seems\n' >&2; exit 1",
              "output": "echo out; echo 'compile it: why not' >&2; exit 1", "status": "echo 'compile it: why not' >&2; exit 2", "silent": "exit 1", "short": "echo no >&2; exit 1",
              "words": "head -c 2000 /dev/zero; echo 'compile it: why not' >&2"}


def planted(folder, text):
    folder.mkdir(exist_ok=True)
    program = folder / "program"
    program.write_text(SAYS + text)
    program.chmod(0o755)
    return Place(folder, program)


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_end_is_seen(tmp_path, monkeypatch, fault):
    if fault == "hang":
        monkeypatch.setattr(pace, "HANGS", 1)
    if fault == "busy":
        monkeypatch.setattr(sys.modules[__name__], "SECONDS", 0.2)
    with pytest.raises(AssertionError):
        planted(tmp_path, WRONG[fault]).run(b"\0asm")


@pytest.mark.parametrize("fault", BOTH_WRONG)
def test_a_wrong_end_of_compiling_or_preparing_is_seen(tmp_path, fault):
    place = planted(tmp_path, BOTH_WRONG[fault])
    for what in (place.compile, place.prepare):
        with pytest.raises(AssertionError):
            what(b"\0asm")


def test_how_it_ended_is_told():
    """The same ways by hand, so that one which the modules above never take is tried, too."""
    def done(status, report, err=b""):
        made = Done.__new__(Done)
        made.status, made.report, made.out, made.err, made.memory, made.seconds = status, report, b"", err, 0, 0
        return made
    for expected, *rest in [("ended", 0, ["fuel 7"]), ("ended", 77, ["fuel 7"]), ("fuel", 134, ["fuel 100001", "limit fuel"], NO_FUEL), ("memory", 137, [f"limit memory {MEMORY + 1}"]),
                            ("refused", 126, ["import a b", "error the module imports 'b' of 'a'"]), ("trap other", 134, ["fuel 7", "trap other"], b"aisbx: the program was stopped: why not\n")]:
        assert check_run(done(*rest), b"") == expected
