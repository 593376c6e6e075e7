# SPDX-License-Identifier: Apache-2.0
"""A pipeline is killed before every call by which it writes something down, makes a change or starts a program.

Whatever was done until then: every target is exactly as before or exactly as after, up to some stage as after and behind it
as before; going on completes it, or stops where it would have stopped; taking it back makes everything as it was. Trees
are compared byte by byte. A kill before any other call leaves what a kill before the next of these leaves.
"""
import collections
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import box  # noqa: E402
from pipeline import Place, states, tree  # noqa: E402

LONG = os.environ.get("AISBX_LONG") == "1"
# By these a state is written down, a change is made, a program is started.
CALLS = ("fdatasync", "pwrite64", "fsync", "rename", "renameat", "renameat2", "symlink", "symlinkat", "link", "linkat", "unlink", "unlinkat", "mkdir",
         "mkdirat", "vfork", "clone", "clone3", "flock", "wait4", "exit_group")
ALWAYS = ("symlink", "vfork", "clone", "clone3", "wait4")
# The command fails when what it brings is there already: so nobody sees it run twice and miss it.
STAGES = """
stages:
  - {name: verified, gates: ["not traps"]}
  - {name: dev, to: {directory: .}}
  - {name: staging, to: {directory: ../staging}%s}
  - {name: production, to: {command: 'set -e; test ! -e ../live/a; cp $AISBX_EXPORT/a ../live/a', rollback: rm -f ../live/a}}
"""
STAMP = "2021-03-04 05:06:07"
Kill = collections.namedtuple("Kill", "call number")


def clear(top):
    """Layers have directories of mode 0."""
    subprocess.run(["sh", "-c", 'test ! -e "$1" || chmod -R u+rwX "$1"; rm -rf "$1"', "-", top], check=True, timeout=60)


class Lab(Place):
    """A place that is made anew for every try: a box knows the files of its project by their inodes."""

    def __init__(self, top, gate):
        clear(top)
        top.mkdir()
        super().__init__(top)
        self.write(STAGES % gate, a="one\n", mode="m\n")
        self.box(f"echo two > a; chmod 700 mode; mkdir d; echo n > d/n; ln -s a l; find . ! -type d -exec touch -h -d '{STAMP}' {{}} +")

    def trees(self):
        return [tree(where) for where in (self.project, self.staging, self.live)]

    def traced(self, *options):
        log = self.top / "strace.log"
        status, _, result = self.call("pipeline", "run", "b", "--yes", under=("strace", "-qq", "-o", log, "-e", "trace=" + ",".join(f"?{c}" for c in CALLS),
                                                                            *options))
        return status, result, log.read_text(errors="replace")

    def settle(self):
        """Nobody is at it any more: neither what it started, nor a promotion that was cut off."""
        box.wait_until(lambda: not box.processes_with(str(self.top)), what="the command has ended")
        self.ok("recover")

    def end(self, how, key):
        """By resume or undo; a command that was started before the kill may still run."""
        box.wait_until(lambda: self.call("pipeline", how, key)[0] != 125, what="nobody is at it")
        return self.ok("pipeline", "show", key)


@pytest.fixture(name="top")
def fixture_top(tmp_path):
    yield tmp_path / "lab"
    clear(tmp_path / "lab")


def places(log, steps):
    """STEPS: only where a state is written down, a promotion is begun or a program started."""
    counts, every, commits = collections.Counter(), [], []
    for call in re.findall(r"^([a-z0-9_]+)\(", log, re.M):
        counts[call] += 1
        if call == "fdatasync" and counts["pwrite64"]:  # what the database wrote last before it is what commits
            commits.append(Kill("pwrite64", counts["pwrite64"]))
        every.append(Kill(call, counts[call]))
    assert len(set(commits)) > 10 and counts["renameat2"] > 3, counts
    # Before each state is written down, and of what comes between; of what is many of a kind, some.
    return [k for i, k in enumerate(every) if (LONG and k.call != "pwrite64") or k in commits or k.call in ALWAYS or
            (not steps and k.call != "pwrite64" and (k.call == "renameat2" or i % 12 == 0))]


def check(lab, kill, old, new, last, turn):
    """What is wrong after a kill; TURN: it is taken back instead of resumed."""
    lab.settle()
    now = lab.trees()
    came = [t == n for t, n in zip(now, new)]
    if any(t not in (o, n) for t, o, n in zip(now, old, new)) or came != sorted(came, reverse=True):
        return [f"{kill}: not the state of one stage: {came}"]
    rows = lab.ok("pipeline", "ls")["pipelines"]
    if not rows:
        return [] if now == old else [f"{kill}: changes without a pipeline"]
    if turn:
        end = lab.end("undo", rows[0]["pipeline"])
        return [] if lab.trees() == old and end["state"] == "undone" else [f"{kill}: not taken back: {states(end)}"]
    end = lab.end("resume", rows[0]["pipeline"])
    return [] if lab.trees() == last and end["state"] in ("done", "stopped") else [f"{kill}: {states(end)} {end}"]


@pytest.mark.parametrize("gate, stopped", [("", False), (', after: ["not traps"]', True)])  # of a directory nobody knows traps: it does not hold
def test_killed_at_every_step(top, gate, stopped):
    lab = Lab(top, gate)
    old = lab.trees()
    status, result, log = lab.traced()
    last = lab.trees()
    assert status == (1 if stopped else 0), result
    assert states(result) == ["passed", "passed"] + (["undone", "pending"] if stopped else ["passed", "passed"])
    assert [t == o for t, o in zip(last, old)] == [False, stopped, stopped]
    new = [last[0], last[0], {"never": None} if stopped else last[2]]
    bad, killed = [], 0
    for i, kill in enumerate(places(log, stopped)):
        lab = Lab(top, gate)
        status, _, _ = lab.traced("-e", f"inject={kill.call}:signal=KILL:when={kill.number}")
        killed += status == -signal.SIGKILL
        bad += check(lab, kill, old, new, last, i % 3 == 2)
    print(f"killed {killed} times")
    assert not bad, "\n".join(bad)
    assert killed > 15
