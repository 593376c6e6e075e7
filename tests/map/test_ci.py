# SPDX-License-Identifier: Apache-2.0
"""CI itself (.ci/ci.py): what it says of tests that fail always, once or every second time; the order of steps; what they may cost.

The suites are small ones made for it, run by the same steps, scripts and conftest.py as the real ones.
"""
import ast
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pace
import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
SOURCE = TESTS.parent
sys.path.insert(0, str(SOURCE / ".ci"))

import ci as ci_module  # noqa: E402
import cost  # noqa: E402
import reports  # noqa: E402
import steps  # noqa: E402

EVERY_SECOND_TIME = """
import pathlib, pytest
HERE = pathlib.Path(__file__).parent
def times(name):
    path = HERE / name
    n = int(path.read_text()) + 1 if path.exists() else 1
    path.write_text(str(n))
    return n
"""


class Small:
    """A run of CI with steps of its own."""

    def __init__(self, top, text, workers=2):
        (top / "src/tests/planted").mkdir(parents=True)
        for name in ("out", "again", "log"):
            (top / name).mkdir()
        shutil.copytree(SOURCE / ".ci", top / "src/.ci", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("conftest.py", "pytest.ini"):
            shutil.copy(TESTS / name, top / "src/tests" / name)
        shutil.copytree(TESTS / "lib", top / "src/tests/lib", ignore=shutil.ignore_patterns("__pycache__"))
        (top / "src/tests/planted/test_it.py").write_text(EVERY_SECOND_TIME + text)
        self.ci = ci_module.Ci(top)
        self.steps = [steps.tests("planted", "root", "build", (), ["tests/planted"], c_tests="", workers=workers)]
        self.times = lambda name: int((top / "src/tests/planted" / name).read_text())

    def run(self):
        """Exit status and what was printed."""
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.ci.run(self.steps)
            self.ci.again(self.steps)
            status = ci_module.conclude(self.ci, False)
        return status, said.getvalue()


def last(said):
    return said.splitlines()[-1]


def test_no_two_files_have_the_same_name():
    """pytest imports them by that name, and refuses the second."""
    names = [path.name for path in TESTS.rglob("test_*.py")]
    assert not [name for name in names if names.count(name) > 1]


@pytest.mark.parametrize("workers", [0, 2])
def test_who_fails_every_second_time_is_flaky(tmp_path, workers):
    small = Small(tmp_path, """
def test_now_and_then():
    assert times("then") % 2 == 0, "not the first time"
def test_good():
    assert times("good") == 1
""", workers)
    status, said = small.run()
    assert status == 0 and last(said) == "3 passed, 0 failed", said  # the step counts, too
    assert "\nflaky: planted: planted.test_it test_now_and_then\n" in said and "not the first time" in said and "ci: 1 flaky" in said
    told = said[said.index("\nflaky:"):]
    assert "once more, alone: passed" in told and "1 passed, 1 deselected" in told, "both logs"
    assert small.times("then") == 2 and small.times("good") == 1


FOUR = """
@pytest.mark.parametrize("n", range(%d))
def test_now_and_then(n):
    assert times(f"then-{n}") %% 2 == 0
"""


@pytest.mark.parametrize(("number", "code", "words"), [(3, 0, "4 passed, 0 failed"), (4, 1, "5 passed, 1 failed")])
def test_four_flaky_ones_are_too_many(tmp_path, number, code, words):
    status, said = Small(tmp_path, FOUR % number).run()
    assert (status, last(said)) == (code, words), said
    assert f"ci: {number} flaky" in said and said.count("\nflaky: ") == number


@pytest.mark.parametrize("text", [
    "def test_bad():\n    times('bad')\n    assert False, 'never'\n",
    "@pytest.fixture\ndef broken():\n    times('bad')\n    yield\n    assert False, 'never'\ndef test_bad(broken):\n    pass\n",
    "def test_bad():\n    times('bad')\n    pytest.skip('never')\n",
], ids=["fails", "cleaning up fails", "skips"])
def test_who_fails_twice_has_failed(tmp_path, text):
    small = Small(tmp_path, text + "def test_good():\n    pass\n")
    status, said = small.run()
    assert status == 1 and last(said) == "2 passed, 1 failed", said
    assert "\nfailed: planted: planted.test_it test_bad\n" in said and "never" in said and "flaky" not in said
    assert small.times("bad") == 2


@pytest.mark.parametrize("text", ["import nothing_of_this_name\n", "def test_end():\n    import os\n    os._exit(3)\n", ""],
                         ids=["no import", "dies", "no test"])
def test_a_suite_that_cannot_say_which_test_failed_has_failed(tmp_path, text):
    status, said = Small(tmp_path, text, workers=0).run()
    assert status == 1 and not last(said).endswith(" 0 failed") and "failed: planted" in said, said


def test_names_of_any_kind_are_tried_again(tmp_path):
    small = Small(tmp_path, r"""
class TestIn:
    @pytest.mark.parametrize("n", ["a::b", "a b", "[x]", "ü\n\x00", "--only", "t\tt"])
    def test_name(self, n):
        assert times(n.encode().hex()) % 2 == 0 or len(n) > 5
""", workers=0)
    status, said = small.run()
    assert status == 1 and said.count("\nflaky: ") == 5 and last(said) == "7 passed, 1 failed", said


LEAVES = """
import subprocess
@pytest.fixture(scope="module")
def server():
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process
def test_fails(server):
    (HERE / "pid").write_text(str(subprocess.Popen(["sleep", "600"]).pid))
    assert times("fails") > 1
def test_after(server):
    state = pathlib.Path(f"/proc/{(HERE / 'pid').read_text()}/stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"
    assert server.poll() is None
"""


def test_what_a_failed_test_left_is_ended(tmp_path):
    """And nothing else: what several tests share was not begun by it."""
    small = Small(tmp_path, LEAVES, workers=0)
    status, said = small.run()
    os.kill(int((tmp_path / "src/tests/planted/pid").read_text()), 9)  # of the second try, which passed
    assert (status, last(said)) == (0, "3 passed, 0 failed"), said


def test_figures_are_told(tmp_path):
    _, said = Small(tmp_path, "def test_it(tell):\n    tell('17 of 17')\n").run()
    assert "ci: planted: 17 of 17\n" in said


def noted(name, needs=(), quiet=False, code=0):
    """A step that writes down when it began and ended."""
    text = "import json, sys, time; b = time.monotonic(); time.sleep(0.2); print(json.dumps([b, time.monotonic()])); sys.exit(%d)" % code
    return steps.Step(name, lambda ci: [sys.executable, "-c", text], needs, quiet)


def test_steps_run_after_what_they_need_and_quiet_ones_alone(tmp_path):
    small = Small(tmp_path, "")
    small.steps = [noted("hush", quiet=True), noted("a"), noted("b"), noted("c", ("a", "b")), noted("bad", code=1), noted("never", ("bad",)),
                   noted("whisper", ("bad",), quiet=True)]
    status, said = small.run()
    times = {name: json.loads((tmp_path / "log" / name).read_text()) for name in ("hush", "a", "b", "c", "bad")}
    assert times["c"][0] > max(times["a"][1], times["b"][1]) > min(times["a"][1], times["b"][1]) > max(times["a"][0], times["b"][0])
    assert times["hush"][0] > max(times[name][1] for name in ("a", "b", "c", "bad"))
    assert status == 1 and last(said) == "4 passed, 3 failed" and said.count("what it needs failed") == 2, said


def test_who_takes_too_long_is_ended(tmp_path, monkeypatch):
    small = Small(tmp_path, "")
    small.steps = [steps.Step("long", lambda ci: ["sleep", "600"]), noted("late", quiet=True)]
    monkeypatch.setattr(ci_module, "AT_MOST", 0.2)
    status, said = small.run()
    assert status == 1 and "not done in time" in said and last(said) == "0 passed, 2 failed", said


def test_every_step_has_its_budget():
    assert list(cost.budgets(SOURCE / "CONTRIBUTING.md")) == [step.name for step in steps.STEPS]


def test_a_step_over_its_budget_is_told(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("| `cheap` | words | 10 | 100 |\n| `dear` | words | 10 | 100 |\n")
    spent = {"cheap": 100 * cost.SLACK, "dear": 100 * cost.SLACK * 40 + cost.FEW, "unknown": cost.FEW + 1}
    told = list(cost.exceeded(page, spent))
    assert [text.split()[0] for text in told] == ["dear", "unknown"] and "are allowed" in told[0]


def test_needs_are_steps_before():
    seen = set()
    for step in steps.STEPS:
        assert set(step.needs) <= seen, step.name
        assert step.name not in seen
        seen.add(step.name)
    assert [step.name for step in steps.closure("root-clang")] == ["grammars", "wasmtime", "build-clang", "root-clang"]


def test_every_fuzzer_runs_in_ci():
    targets = re.search(r"targets=\((.*?)\)", (SOURCE / ".ci/fuzz").read_text(), re.S).group(1).split()
    assert {target.split(":")[0] for target in targets} == \
        {path.stem.removeprefix("fuzz_").replace("_", "-") for path in (TESTS / "fuzz").glob("fuzz_*.c")}


def test_what_one_step_leaves_out_another_runs():
    """As the same user; files of tests/e2e are parted by their names."""
    assert set(steps.ROOT_PART) <= set(steps.CHECKED_ROOT) and set(steps.USER_PART) <= set(steps.CHECKED_USER)
    parts = [path for part in (steps.ROOT_PART, steps.USER_PART) for pattern in part for path in SOURCE.glob(pattern)]
    assert sorted(path for path in parts if path.parent.name == "e2e") == sorted((TESTS / "e2e").glob("test_*.py"))


def test_of_what_runs_elsewhere_only_what_is_big_is_left():
    def collected(elsewhere):
        done = subprocess.run(["/usr/bin/python3", "-B", "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q", TESTS / "guard", TESTS / "mcp"],
                              env={**os.environ, "AISBX_TEST_ELSEWHERE": elsewhere}, stdout=subprocess.PIPE, text=True, timeout=pace.HANGS)
        return {line for line in done.stdout.splitlines() if "::" in line}
    everything, left = collected(""), collected("tests/guard\ttests/mcp/test_[a-s]*.py")
    assert "guard/test_harmless.py::test_what_only_looks_changes_nothing" in left
    assert "guard/test_harmless.py::test_mutated_commands_that_only_look_change_nothing" in everything - left
    assert {name for name in left if name.startswith("mcp/test_t")} == {name for name in everything if name.startswith("mcp/test_t")} != set()


def test_failed_tests_of_the_vm_are_named(tmp_path):
    (tmp_path / "vm-root.xml").write_text("<testsuites><testcase classname='tests.limits.test_counts.TestProcesses' name='test_under[threads]'>"
                                          "<failure/></testcase><testcase classname='tests.vm.test_quota' name='test_disk'/></testsuites>")
    ci = ci_module.Ci(tmp_path)
    ci.source = SOURCE
    words = steps.vm_again(ci, tmp_path, tmp_path / "second")
    assert words[-1] == "tests/limits/test_counts.py::TestProcesses::test_under[threads]" and "::" not in str(words[-2])
    assert words[words.index("--out") + 1] == tmp_path / "second"


def test_a_report_that_cannot_be_read_is_a_failure(tmp_path):
    (tmp_path / "c.xml").write_text("<testsuites><testcase")
    assert reports.failed(tmp_path) and not reports.explains(tmp_path)


def in_a_hurry(module):
    """Lines that want something within so many seconds of the clock, however busy the machine."""
    for node in ast.walk(module):
        if isinstance(node, ast.Compare) and "time.monotonic()" in ast.unparse(node):
            bounds = [right for op, right in zip(node.ops, node.comparators) if isinstance(op, (ast.Lt, ast.LtE))]
            if any(isinstance(bound, ast.Constant) for bound in bounds):
                yield node.lineno


@pytest.mark.parametrize("path", sorted(TESTS.glob("*/*.py")), ids=lambda path: path.parent.name + "/" + path.name)
def test_nobody_is_in_a_hurry(path):
    found = [f"{path.name}:{line}" for line in in_a_hurry(ast.parse(path.read_text()))]
    assert not found, f"a busy machine takes longer; pace.seconds(N): {found}"


def test_waits_stretch_with_the_machine(monkeypatch):
    monkeypatch.setattr(pace, "slowness", lambda: 20.0)
    deadline, began = pace.Deadline(0.2), time.monotonic()
    while not deadline.is_over():
        time.sleep(0.01)
    assert time.monotonic() - began > 0.2 * pace.BUILD
    assert pace.seconds(3) == 60 * pace.BUILD
