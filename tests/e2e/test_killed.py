# SPDX-License-Identifier: Apache-2.0
"""A supervisor is killed: who takes its box next does so behind the last process of the old run, never beside it.

Two overlays on one upper layer are undefined, and a snapshot of a layer that is still written is of no moment.
"""
import json
import os
import subprocess
import time

import pytest

from box import aisbx, wait_until

TRIES = 50 if os.environ.get("AISBX_LONG") else 8

# Many processes with some memory each, which take a while to die.
CROWD = """
import os, signal, sys
print("up", flush=True)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
room = bytearray(1 << 18)
for i in range(200):
    if os.fork() == 0:
        room[::4096] = bytes(64)
        signal.pause()
open("log", "a").write(sys.argv[1] + "\\n")
print("all", flush=True)
signal.pause()
"""


class Shelf:
    def __init__(self, root):
        self.project, self.state, self.started = root / "project", root / "state" / "aisbx", []
        self.project.mkdir()
        (root / "home").mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "HOME": str(root / "home")}
        self.box = self.ok("create", "b")["id"]

    def start(self, *words):
        p = subprocess.Popen([aisbx(), *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.started.append(p)
        return p

    def call(self, op, *words):
        p = self.start(op, "--json", *words)
        out, err = p.communicate(timeout=120)
        assert out, err
        return p.returncode, json.loads(out)

    def ok(self, op, *words):
        status, result = self.call(op, *words)
        assert status == 0, result
        return result

    def crowd(self, mark):
        p = self.start("run", "--box", "b", "--mem", "4g", "--pids", "1000", "--timeout", "10m", "--",
                       "/usr/bin/python3", "-c", CROWD, mark)
        assert p.stdout.readline() == b"up\n", p.stderr.read()
        return p

    @staticmethod
    def gather(p):
        assert p.stdout.readline() == b"all\n", p.stderr.read()
        return family(p.pid)

    def note(self, text):
        (self.state / "pids" / self.box).write_text(text, encoding="ascii")


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    made = Shelf(tmp_path)
    yield made
    for p in made.started:
        if p.poll() is None:
            p.kill()
        p.communicate()


def state_of(pid):
    """(state, ticks at which it was started); None: there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            fields = f.read().rpartition(")")[2].split()
    except OSError:
        return None
    return fields[0], fields[19]


def family(pid):
    """Everybody below PID: who it was when it was seen."""
    found, todo = {}, [pid]
    while todo:
        who = todo.pop()
        found[who] = state_of(who)
        try:
            with open(f"/proc/{who}/task/{who}/children", encoding="ascii") as f:
                todo += map(int, f.read().split())
        except OSError:
            pass
    del found[pid]
    return found


def alive(members):
    """Of MEMBERS those that still are: a zombie has nothing but its number."""
    found = []
    for pid, was in members.items():
        now = state_of(pid)
        if was and now and now[1] == was[1] and now[0] not in "ZX":
            found.append((pid, now[0]))
    return found


def test_never_two_at_once(shelf):
    """Each is killed with its crowd, and is the one that the next must wait for; each writes to the same layer."""
    old = shelf.crowd("0")
    for i in range(1, TRIES + 1):
        members = shelf.gather(old)
        assert len(members) > 200, members
        old.kill()
        new = shelf.crowd(str(i))
        assert not alive(members), f"try {i}: the old box and the new one were there at once"
        old = new
    shelf.gather(old)
    old.kill()
    assert shelf.ok("run", "--box", "b", "--", "cat", "log")["stdout"].split() == [str(i) for i in range(TRIES + 1)]


def test_nor_beside_one_that_had_joined_nor_under_a_snapshot(shelf):
    first = shelf.crowd("0")
    shelf.gather(first)
    guest = shelf.start("run", "--box", "b", "--mem", "4g", "--pids", "1000", "--timeout", "10m", "--",
                        "sh", "-c", "sleep 600 & echo up; wait")
    assert guest.stdout.readline() == b"up\n", guest.stderr.read()
    members = family(first.pid)
    first.kill()
    shelf.ok("snap", "b", "s")
    assert not alive(members), "the snapshot was taken of a box that still lived"
    guest.communicate(timeout=60)
    assert shelf.ok("run", "--box", "b", "--", "cat", "log")["stdout"] == "0\n"


def test_nothing_is_noted_of_a_run_that_ended(shelf):
    shelf.ok("run", "--box", "b", "--", "true")
    assert (shelf.state / "pids" / shelf.box).read_text(encoding="ascii") == ""
    shelf.ok("rm", "b")
    assert os.listdir(shelf.state / "pids") == []


def test_who_was_noted_is_waited_for(shelf):
    shelf.ok("run", "--box", "b", "--", "true")
    slow = subprocess.Popen(["sleep", "600"])
    shelf.note(f"{slow.pid:10d} {state_of(slow.pid)[1]:>20}\n")
    run = shelf.start("run", "--box", "b", "--", "echo", "there")
    lock = os.stat(shelf.state / "locks" / shelf.box).st_ino
    wait_until(lambda: any(f":{lock} " in line for line in open("/proc/locks", encoding="ascii")), 60, "the lock")
    assert run.poll() is None
    slow.kill()  # nobody reaps it: a zombie will do
    assert run.communicate(timeout=60)[0] == b"there\n"
    slow.wait()


def test_who_does_not_end_is_told_of(shelf):
    shelf.ok("run", "--box", "b", "--", "true")
    pid, began = os.getpid(), time.monotonic()
    shelf.note(f"{pid:10d} {state_of(pid)[1]:>20}\n")
    status, result = shelf.call("run", "--box", "b", "--", "true")
    assert status == 125 and result["error"]["code"] == "EBUSY", result
    assert f"(process {pid}) has not ended" in result["error"]["text"]
    assert time.monotonic() - began >= 10


@pytest.mark.parametrize("text", ("", "x", "0 0", "-1 5", "1 1", "99999999 17", "4194304 18446744073709551616"))
def test_a_note_that_is_of_nobody_holds_nobody_up(shelf, text):
    """Another process has the number now, or the machine was switched off while the note was written."""
    shelf.ok("run", "--box", "b", "--", "true")
    shelf.note(text)
    assert shelf.ok("run", "--box", "b", "--", "true")["exit_code"] == 0
