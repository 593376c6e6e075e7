# SPDX-License-Identifier: Apache-2.0
"""Tests that look at the clock have four tries, three of them alone (tests/conftest.py): tried with suites made for it."""
import ast
import json
import os
import pathlib
import subprocess
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]

TRIED = """
import pathlib, pytest
def count(name):
    path = pathlib.Path(name)
    tries = int(path.read_text()) + 1 if path.exists() else 1
    path.write_text(str(tries))
    return tries
@pytest.fixture(scope="module")
def shared():
    return count("shared")
@pytest.mark.clock
def test_third(shared):
    assert shared == count("third"), "a fixture of the failed try"
    assert shared == 3, "too early"
@pytest.mark.clock
def test_never():
    assert count("never") == 5, "far too early"
def test_plain():
    assert count("plain") == 2
@pytest.mark.clock
def test_once(shared):
    assert count("once") == 1
"""

# Each test notes when it began and ended, by a clock that all processes share.
SIDE_BY_SIDE = """
import json, os, pathlib, pytest, time
tried = set()
def stay(name):
    begin = time.monotonic_ns()
    time.sleep(0.02)
    with open("times", "a") as f:
        f.write(json.dumps([os.getpid(), name, begin, time.monotonic_ns()]) + "\\n")
@pytest.mark.parametrize("n", range(8))
def test_plain(n):
    stay("plain")
@pytest.mark.clock
@pytest.mark.parametrize("n", range(3))
def test_clock(n):
    stay("alone" if n in tried else "plain")
    assert n in tried or tried.add(n)
@pytest.mark.parametrize("n", range(8))
def test_more(n):
    stay("plain")
"""


def suite(place, text, **env):
    """pytest on a suite that has what every suite of ours has above it; but who waits for it holds the room of CI."""
    place.mkdir(exist_ok=True)
    for name in ("conftest.py", "pytest.ini"):
        (place / name).write_bytes((TESTS / name).read_bytes())
    (place / "test_it.py").write_text(text)
    return subprocess.Popen([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"], cwd=place,
                            env={**os.environ, "AISBX_TEST_QUIET": "", **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_tries(tmp_path):
    told = suite(tmp_path / "s", TRIED).communicate(timeout=120)[0]
    tries = {name: int((tmp_path / "s" / name).read_text()) for name in ("third", "never", "plain", "once", "shared")}
    # What several tests share is made anew for a new try only.
    assert tries == {"third": 3, "never": 4, "plain": 1, "once": 1, "shared": 4}, told
    assert "2 failed, 2 passed" in told
    said = told.partition(" tries ==")[2]
    assert [f"try {n} of test_it.py::test_third" in said for n in (1, 2, 3)] == [True, True, False], told
    assert all(f"try {n} of test_it.py::test_never: test_it.py:" in said for n in (1, 2, 3, 4)) and "far too early" in said, told


def test_nobody_beside_who_is_tried_again(tmp_path):
    quiet = tmp_path / "quiet"
    quiet.mkdir()
    both = [suite(tmp_path / "s", SIDE_BY_SIDE, AISBX_TEST_QUIET=str(quiet)) for _ in range(2)]
    for process in both:
        told = process.communicate(timeout=120)[0]
        assert process.returncode == 0, told
    times = [json.loads(line) for line in (tmp_path / "s/times").read_text().splitlines()]
    beside = [{a[1], b[1]} for a in times for b in times if a[0] < b[0] and a[2] < b[3] and b[2] < a[3]]
    assert len(times) == 44 and not [names for names in beside if "alone" in names], beside


LEAVES = """
import pathlib, subprocess, pytest
@pytest.fixture(scope="module")
def server():
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process
def test_fails(server):
    pathlib.Path("pid").write_text(str(subprocess.Popen(["sleep", "600"]).pid))
    assert False
def test_after(server):
    state = pathlib.Path(f"/proc/{pathlib.Path('pid').read_text()}/stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"
    assert server.poll() is None
"""


def test_what_a_failed_test_left_is_ended(tmp_path):
    """And nothing else: what several tests share was not begun by it."""
    told = suite(tmp_path / "s", LEAVES).communicate(timeout=120)[0]
    assert "1 failed, 1 passed" in told, told


def is_marked(node):
    return any("pytest.mark.clock" in ast.unparse(d) for d in node.decorator_list)


def hurried(test):
    """Lines of a test that want something soon: an elapsed time below 20 s, a wait of less than 10."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and "time.monotonic()" in ast.unparse(node):
            bounds = [right for op, right in zip(node.ops, node.comparators) if isinstance(op, (ast.Lt, ast.LtE))]
            if any(isinstance(b, ast.Constant) and b.value < 20 for b in bounds):
                yield node.lineno
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("wait_until"):
            given = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "seconds")]
            if any(isinstance(b, ast.Constant) and b.value < 10 for b in given):
                yield node.lineno


@pytest.mark.parametrize("path", sorted(TESTS.glob("*/test_*.py")), ids=lambda path: path.parent.name + "/" + path.name)
def test_who_is_in_a_hurry_says_so(path):
    module = ast.parse(path.read_text())
    if any(isinstance(n, ast.Assign) and "pytest.mark.clock" in ast.unparse(n) for n in module.body):
        return
    tests = [n for n in ast.walk(module) if isinstance(n, ast.FunctionDef) and n.name.startswith("test_") and not is_marked(n)]
    found = [f"{path.name}:{line}" for test in tests for line in hurried(test)]
    assert not found, f"generous bounds, or @pytest.mark.clock: {found}"
