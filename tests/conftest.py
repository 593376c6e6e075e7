# SPDX-License-Identifier: Apache-2.0
"""Tests that look at the clock have more than one try, and peace: machines are noisy, and CI runs two suites at once.

One that is marked `clock` and fails is tried again, up to three times within two minutes, while no other test runs; what was said at each
try is in the summary. What a failed test started and did not end is ended here: others look whether anything was left.
AISBX_TEST_QUIET names a directory that all suites of a machine share. Every test holds its file `room`, together with the
others, one that is tried again holds it alone. Who wants the room stands at the `gate` first, so nobody is passed by.
The kernel lets go of both when a suite dies.
"""
import contextlib
import fcntl
import os
import pathlib
import signal
import sys
import time

import pytest
from _pytest.runner import runtestprotocol

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))

TRIES = 4  # one in company, three alone
TRIES_SECONDS = 120  # what hangs does so every time
FAILED_TRIES = []


class Room:
    """Where tests run: many, or one that wants to be alone."""

    def __init__(self, directory):
        self.fds = [self.open(os.path.join(directory, name)) for name in ("gate", "room")]

    @staticmethod
    def open(path):
        """Whoever comes first makes the file, for every user; where others may not write is no place to create in again."""
        with contextlib.suppress(FileExistsError):
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
            os.fchmod(fd, 0o666)
            return fd
        return os.open(path, os.O_RDWR)

    def enter(self, alone):
        gate, room = self.fds
        fcntl.flock(gate, fcntl.LOCK_EX)
        try:
            fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        finally:
            fcntl.flock(gate, fcntl.LOCK_UN)

    def leave(self):
        fcntl.flock(self.fds[1], fcntl.LOCK_UN)


ROOM = Room(os.environ["AISBX_TEST_QUIET"]) if os.environ.get("AISBX_TEST_QUIET") else None


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    if ROOM:
        ROOM.enter(alone=False)
    yield
    if ROOM:
        ROOM.leave()


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


def told(report):
    """The last line of what a failed part of a test said, and the line of the test."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = f"{os.path.basename(crash.path)}:{crash.lineno}: {crash.message}" if crash else str(report.longrepr)
    return " ".join(text.split())[:300]


def tries(item, nextitem):
    """Reports of the try that went well, or of the last."""
    began = time.monotonic()
    for number in range(1, TRIES + 1):
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        failed = [r for r in reports if r.failed]
        if failed:
            FAILED_TRIES.append(f"try {number} of {item.nodeid}: {told(failed[0])}")
        if not failed or number == TRIES or time.monotonic() - began > TRIES_SECONDS:
            return reports
        # Nothing of the failed try is used again, nor what its fixtures made for several tests.
        item.session._setupstate.teardown_exact(None)
        item._initrequest()
        if ROOM and number == 1:
            ROOM.leave()
            ROOM.enter(alone=True)


class Again:
    """A plugin of its own, since a module has but one hook of a name."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        if item.get_closest_marker("clock") is None:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in tries(item, nextitem):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True


def pytest_configure(config):
    config.pluginmanager.register(Again())


def pytest_terminal_summary(terminalreporter):
    if FAILED_TRIES:
        terminalreporter.section("tries")
        for line in FAILED_TRIES:
            terminalreporter.write_line(line)
