# SPDX-License-Identifier: Apache-2.0
"""What all Python tests share: figures for whoever reads the log, a choice of tests for a second try, an end to what failed tests began.

Tests run side by side (.ci/suite, pytest-xdist), so they look only at what they started themselves. One that is marked `quiet` runs
alone, after all others. What a failed test started and did not end is ended here.
"""
import contextlib
import fnmatch
import os
import pathlib
import signal
import sys

import pytest
from _pytest.junitxml import bin_xml_escape, mangle_test_address

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "tests/lib"))

if "AISBX_TEST_DRIVER" in os.environ:
    import other_driver

    other_driver.use()


def pytest_configure():
    """The kernel shares processors out among sessions first: what works beside others is one of them by itself."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        os.setsid()


def pytest_collection_modifyitems(config, items):
    """AISBX_TEST_ONLY: a file with classes and names of tests, as in a JUnit report, one a line. AISBX_TEST_ELSEWHERE: patterns of files and
    directories that another step runs, but for what is big."""
    only, elsewhere = os.environ.get("AISBX_TEST_ONLY"), os.environ.get("AISBX_TEST_ELSEWHERE")
    wanted = {tuple(line.split("\t")) for line in pathlib.Path(only).read_text().splitlines()} if only else None
    others = [str(TOP / pattern) for pattern in elsewhere.split("\t")] if elsewhere else []

    def is_chosen(item):
        if wanted is not None:
            return as_reported(item.nodeid) in wanted
        return item.get_closest_marker("big") or not any(fnmatch.fnmatch(item.path, pattern + rest) for pattern in others for rest in ("", "/*"))

    left = [item for item in items if not is_chosen(item)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if is_chosen(item)]


def as_reported(nodeid):
    """Class and name of a test in a JUnit report."""
    *names, last = mangle_test_address(nodeid)
    return ".".join(names), bin_xml_escape(last)


def children():
    found = set()
    for task in pathlib.Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            found.update(map(int, (task / "children").read_text().split()))
    return found


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    before = children()
    outcome = yield
    if outcome.excinfo is not None:
        for pid in children() - before:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def tell(record_property):
    """tell("line"): into the summary of the run, also when all is well."""
    return lambda line: record_property("figure", line)


def pytest_terminal_summary(terminalreporter):
    reports = [report for reports in terminalreporter.stats.values() for report in reports if getattr(report, "when", None) == "call"]
    for report in reports:
        for name, line in report.user_properties:
            if name == "figure":
                terminalreporter.write_line(f"figure: {line}")
