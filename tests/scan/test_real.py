# SPDX-License-Identifier: Apache-2.0
"""Programs as they are out there, and as nobody writes them: read to their end, without a crash, in time.

They go to the helper as aisbx would send them, many to one process, so that the figures are its own.
"""
import os
import pathlib
import resource
import subprocess
import sysconfig

import box
import pace
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / ".modules" / "node_modules"
EXTENSIONS = {".py": "python", ".js": "javascript", ".cjs": "javascript", ".mjs": "javascript", ".ts": "typescript",
              ".sh": "shell"}
LONG = bool(os.environ.get("AISBX_LONG"))
SAMPLE = 4 << 20  # bytes that are enough where not all of them are asked for
SLOW = int(os.environ.get("TIMEOUT_MULTIPLIER", 1))  # sanitizers or counters: some of the files show what they can show


def helper():
    return box.need(os.path.join(os.path.dirname(box.aisbx()), "aisbx-scan"))


def below(folder, extensions):
    for here, dirs, files in os.walk(folder):
        dirs[:] = sorted(d for d in dirs if d not in ("site-packages", "dist-packages"))
        for name in sorted(files):
            if os.path.splitext(name)[1] in extensions:
                yield os.path.join(here, name)


def read_all(programs, tmp_path):
    """[(language, bytes)] through one helper. Seconds of processor time, facts, and those that say that a part was not read."""
    requests = tmp_path / "requests"
    with open(requests, "wb") as f:
        for language, text in programs:
            f.write(b"%s %d\n" % (language.encode(), len(text)) + text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(requests, "rb") as f:
        done = subprocess.run([helper()], stdin=f, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=1500)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = done.stdout.split(b"\n")[:-1]
    ends = sum(line.startswith(b'{"end"') for line in lines)
    assert (done.returncode, ends) == (0, len(programs)), f"it ended with {done.returncode} {done.stderr} after {ends} programs"
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, len(lines) - ends, [line for line in lines if line.startswith(b'{"kind":"unread"')]


def measure(name, paths, tmp_path, tell):
    programs = []
    for path in paths:
        with open(path, "rb") as f:
            programs.append((EXTENSIONS[os.path.splitext(path)[1]], f.read()))
    size = sum(len(text) for _, text in programs)
    seconds, facts, unread = read_all(programs, tmp_path)
    assert not unread
    assert facts > len(programs), "there is nothing in them?"
    tell(f"scan of {name}: {len(programs)} files, {size / 1e6:.1f} MB, {facts} facts, {size / 1e6 / seconds:.1f} MB/s")


def sample(paths, size):
    """Every so many of them, so that they have about SIZE bytes; all of them when that is asked for."""
    paths = list(paths)
    total = sum(os.path.getsize(p) for p in paths)
    if SLOW > 1:
        paths, size = [p for p in paths if os.path.getsize(p) < 50000], size / 8
    return paths if LONG else paths[::max(1, round(total / size))]


def test_the_standard_library_of_python(tmp_path, tell):
    paths = list(below(sysconfig.get_paths()["stdlib"], {".py"}))
    assert len(paths) > 400
    measure("the standard library of Python", sample(paths, SAMPLE), tmp_path, tell)


def test_node_modules(tmp_path, tell):
    box.need(MODULES, "the test (fetch them with tests/scan/fetch-modules)")
    paths = list(below(MODULES, {".js", ".cjs", ".mjs", ".ts"}))
    assert len(paths) >= 2000
    measure("node_modules", sample(paths, SAMPLE), tmp_path, tell)


NESTED = 100000 // SLOW
HOSTILE = {
    "open brackets": b"(" * 300000,
    "nested brackets": b"(" * NESTED + b"1" + b")" * NESTED,
    "nested subscripts": b"a[" * 10000 + b"0" + b"]" * 10000,
    "nested commands": b"echo $(" * 10000 + b")" * 10000,
    "nested calls": b"f(" * NESTED + b"1" + b")" * NESTED,
    "a chain of attributes": b"a" + b".b" * NESTED,
    "signs": b"-" * NESTED + b"1",
    "quotes": b"'" * 9999,
    "a line of sums": b"a + " * NESTED + b"1\n",
    "a text put together": b"x = " + b"'a' + " * NESTED + b"'b'\n",
    "a text that doubles": b"x = 'a'\n" + b"x = x + x\n" * 1000 + b"y = '%s' % x\n" * 1000,
    "assignments": b"".join(b"v%d = v%d\n" % (i + 1, i) for i in range(20000)),
    "braces": b"{" * 300000,
    "every byte": bytes(range(256)) * 400,
    "nothing": b"",
    "NULs": b"\0" * 100000,
    "no UTF-8": b"\xff\xfe\xc3" * 30000,
}


@pytest.mark.parametrize("language", ("python", "javascript", "typescript", "shell"))
@pytest.mark.big
def test_hostile_programs_end(language, tmp_path):
    """Whatever is in them costs no stack, and next to no time."""
    seconds, _, _ = read_all([(language, text) for text in HOSTILE.values()], tmp_path)
    assert seconds < pace.seconds(30)


@pytest.mark.big
def test_a_program_that_takes_too_long_is_a_fact(tmp_path):
    """Recovering from this many errors takes the parser minutes. The next program in line is read all the same."""
    seconds, _, unread = read_all([("javascript", b"'" * 99999), ("shell", b"ls\n")], tmp_path)
    assert [line for line in unread if b'"name":"time"' in line] and len(unread) == 1
    assert seconds < pace.seconds(10)
