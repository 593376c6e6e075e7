# SPDX-License-Identifier: Apache-2.0
"""Fails, and kills at, every system call of the three programs of a run, one at a time.

AISBX must be a build with -Dfault=true. Each call fails with one of four errors in turn; AISBX_LONG=1: with each of them.
Whatever fails: either the command did not start and a message says which step failed, or it ran behind every wall; and nothing
is left behind.
"""
import collections
import ctypes
import errno
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
import box  # noqa: E402
import pace  # noqa: E402

LONG = bool(os.environ.get("AISBX_LONG"))
PROGRAMS = ("aisbx", "jail", "init")
ERRORS = (errno.ENOMEM, errno.EIO, errno.ENOSPC, errno.EMFILE)
# Failures that a run survives behind all of its walls, by program and call.
TOLERATED = {
    # The last message, when everything is known already; a directory that cannot be listed is cloned unseen; a control
    # group that cannot be removed is left to the next one who sweeps; a look at what a running box uses is repeated.
    "aisbx": {"recvmsg", "getdents64", "unlinkat", "read"},
    "jail": set(),
    # A fresh directory that cannot be seen to be one of the stage's gets a mount of its own instead.
    "init": {"openat2", "fstatat", "mkdirat"},
}
# The command ran and ended, but the word of how was lost: the result says "interrupted".
LOST_ENDS = {("aisbx", "recvmsg"), ("init", None)}
# The last calls of a run say nothing when they are failed: look this far past a run that seems untouched.
PAST_THE_END = 4
MOST_CALLS = 2000
PR_SET_CHILD_SUBREAPER = 36

MOUNTS = box.own_mounts()  # before any of these tests

Outcome = collections.namedtuple("Outcome", "status exit_status result call")


@pytest.fixture(scope="module", autouse=True)
def orphans_are_ours():
    """Whatever outlives its parent becomes a child of this process, where it cannot hide."""
    assert ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    yield
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@pytest.fixture
def place(tmp_path):
    """A project and a home of their own, so that a file left behind is seen."""
    for name in ("project", "home", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "project" / "file").write_text("here\n")
    return tmp_path


def files(place):
    """Names only: the history of runs grows, but in files that are there after the first. Kept output has a file per run."""
    return sorted(str(p.relative_to(place)) for p in place.rglob("*") if p.parent.parent.name != "output" and p.parent.name != "output" and p.name != "output")


def children_left(seconds):
    """Processes of the run that are still alive after so long; those that ended are reaped."""
    end = pace.Deadline(seconds)
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            if end.is_over():
                return True
            time.sleep(0.002)


def run(place, program, number, what):
    env = {"PATH": "/usr/bin:/bin", "HOME": str(place / "home"), "TMPDIR": str(place / "tmp"),
           "AISBX_FAULT": f"{program}:{number}:{what}"}
    done = subprocess.run([os.environ["AISBX"], "run", "--json", "--", "cat", "file"], cwd=place / "project",
                          env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    try:
        result = json.loads(done.stdout)
    except ValueError:
        result = None
    # The jail's stderr is the command's; aisbx's is its own.
    said = done.stderr + ((result or {}).get("stderr") or "")
    call = re.search(rf"fault: {program} call {number} \((\w+)\)", said)
    return Outcome((result or {}).get("status"), done.returncode, result, call and call.group(1))


def assert_nothing_left(place, before, where):
    if children_left(1):
        left = subprocess.run(["ps", "-e", "-o", "pid,ppid,stat,args"], capture_output=True, text=True).stdout
        pytest.fail(f"{where}: a process outlived the run by a second\n{left}")
    if files(place) != before:  # the socket of a run that was killed is cleared away by who looks next
        subprocess.run([os.environ["AISBX"], "ps", "--all", "--json"], env={"HOME": str(place / "home")}, check=True,
                       stdout=subprocess.DEVNULL, timeout=60)
    assert files(place) == before, f"{where}: files were left or lost"
    assert box.own_mounts(place) <= MOUNTS, f"{where}: a mount was left"


def assert_walls(result, where):
    assert result["isolation"]["missing"] == [], where
    assert result["isolation"]["level"] == "full", where


def sweep(place, program, whats):
    """Yields (where, outcome) for call 1, 2, ... until runs are untouched, with each of WHATS in turn; checks what holds for all."""
    assert run(place, "none", 0, whats[0]).status == "ok"
    before, untouched = files(place), 0
    for number in range(1, MOST_CALLS):
        what = whats[number % len(whats)]
        where = f"{program}:{number}:{what}"
        outcome = run(place, program, number, what)
        assert_nothing_left(place, before, where)
        if outcome.result and "isolation" in outcome.result:
            assert_walls(outcome.result, where)
        if outcome.status == "ok":
            assert outcome.result["stdout"] == "here\n", where
        if outcome.status == "ok" and not outcome.call:
            untouched += 1
            if untouched == PAST_THE_END:
                assert number > PAST_THE_END + 2, f"{program} was never failed: is AISBX a build with -Dfault=true?"
                return
        else:
            untouched = 0
        yield where, outcome
    pytest.fail(f"{program} makes more than {MOST_CALLS} calls")


def names_the_step(program, o):
    """The message says what was attempted; the bare end of the jail is no answer to a failed call of its own."""
    text = o.result["error"]["text"]
    if text == "aisbx-jail ended before the walls were built":
        return program == "aisbx" and o.call == "recvmsg"  # aisbx is deaf: it cannot hear what happened
    return re.search(r"[a-z]{3,} .*[a-z]{2,}", text)


def is_good(program, o):
    if o.status == "error":
        return o.exit_status == 125 and names_the_step(program, o)
    if o.status == "interrupted":  # it ran, and how it ended was lost on the way
        return o.exit_status == 137 and (program, o.call) in LOST_ENDS
    return o.status == "ok" and (not o.call or o.call in TOLERATED[program])


@pytest.mark.parametrize("errors", [(e,) for e in ERRORS] if LONG else [ERRORS], ids=lambda e: "-".join(errno.errorcode[n] for n in e))
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_failed_call(program, errors, place):
    """On a busy machine a run takes long enough to be looked at, and a call of such a look is failed: not so each time."""
    bad, refused = [], 0
    for where, o in sweep(place, program, errors):
        refused += o.status == "error"
        if not is_good(program, o) and not any(is_good(program, run(place, *where.split(":"))) for _ in range(10)):
            bad.append((where, o.call, o.exit_status, o.status, (o.result or {}).get("error")))
    assert not bad
    assert refused > 5


@pytest.mark.parametrize("program", PROGRAMS)
def test_killed_at_a_call(program, place):
    bad, killed = [], 0
    for where, o in sweep(place, program, ("KILL",)):
        if program == "aisbx":
            good = o.exit_status == -signal.SIGKILL or not o.call
        else:
            good = o.exit_status in (125, 137) or (o.status == "ok" and not o.call)
        killed += o.exit_status != 0
        if not good:
            bad.append((where, o.call, o.exit_status, o.status))
    assert not bad
    assert killed > 5


def test_doctor_finds_nothing_left(tmp_path):
    """Files are counted above."""
    box.nothing_is_left(tmp_path)
