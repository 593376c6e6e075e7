# SPDX-License-Identifier: Apache-2.0
"""Boxes that stay do not sync while they work: what is on the disk when, and what a person is told when the machine stopped meanwhile.

Another boot is played by another id in the mark; tests/power cuts the power of a real file system.
"""
import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from box import aisbx, need, wait_until

OTHER_BOOT = "00000000-0000-4000-8000-000000000000"


class Shelf:
    def __init__(self, root):
        self.root, self.project, self.state, self.started = root, root / "project", root / "state" / "aisbx", []
        self.project.mkdir()
        (self.project / "f").write_text("host\n")
        (root / "home").mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "HOME": str(root / "home")}
        self.ok("create", "b")

    def start(self, *words, before=()):
        p = subprocess.Popen([*before, aisbx(), *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.started.append(p)
        return p

    def call(self, *words, before=()):
        p = self.start(*words, before=before)
        out, err = p.communicate(timeout=120)
        return p.returncode, out, err

    def ok(self, *words):
        status, out, err = self.call(*words)
        assert status == 0, (words, out, err)
        return out

    def sh(self, script, box="b"):
        return self.ok("run", "--box", box, "--", "sh", "-c", script)

    def refused(self, *words):
        status, out, err = self.call(*words)
        assert status != 0, (words, out)
        return err

    def marks(self):
        return list(self.state.glob("layers/*/unsynced"))

    def settled(self):
        wait_until(lambda: not self.marks(), what="everything on the disk")

    def live(self):
        """A box at work; the supervisor's process."""
        p = self.start("run", "--box", "b", "--timeout", "10m", "--", "sh", "-c", "echo half > f; echo up; exec sleep 600")
        assert p.stdout.readline() == "up\n"
        return p

    def kill(self, p):
        p.send_signal(signal.SIGKILL)
        p.wait()

    def reboot(self, boot=OTHER_BOOT):
        """What a box that is at work finds after a power cut."""
        self.kill(self.live())
        for mark in self.marks():
            mark.write_text(boot.ljust(36) + mark.read_text()[36:])

    def syncs(self, *words):
        """Calls that bring something to the disk, and when the database did."""
        need("/usr/bin/strace")
        trace = self.root / "trace"
        status, out, err = self.call(*words, before=("strace", "-f", "-qq", "-y", "-e", "trace=syncfs,fsync,fdatasync", "-o", str(trace)))
        assert status == 0, (out, err)
        return [line for line in trace.read_text().splitlines() if re.search(r"\w*sync\w*\(", line)]


@pytest.fixture
def shelf(tmp_path):
    s = Shelf(tmp_path)
    yield s
    for p in s.started:
        p.kill()
        p.wait()


def layers_of(text):
    return [line for line in text.splitlines() if " overlay " in line and "upperdir=" in line]


def test_the_kernel_does_not_sync_for_it(shelf):
    mounts = layers_of(shelf.sh("cat /proc/self/mountinfo"))
    assert mounts and all("volatile" in line for line in mounts), mounts
    shelf.settled()
    # The kernel refuses what it thinks is torn; its own marker is not in the way of the next run.
    shelf.sh("echo 1 >> f")
    shelf.sh("echo 2 >> f")
    assert shelf.sh("cat f") == "host\n1\n2\n"


def test_only_what_wrote_is_synced(shelf):
    shelf.sh("echo first > f")
    shelf.settled()
    assert not [line for line in shelf.syncs("run", "--box", "b", "--", "true") if "syncfs" in line]
    shelf.settled()
    assert [line for line in shelf.syncs("run", "--box", "b", "--", "sh", "-c", "echo second > f") if "syncfs" in line]  # control
    shelf.settled()


def test_a_snapshot_is_on_the_disk_before_its_row(shelf):
    shelf.kill(shelf.live())
    found = shelf.syncs("snap", "b", "x")
    order = ["layer" if "syncfs" in line else "row" for line in found if "syncfs" in line or "store.db" in line]
    assert "layer" in order and order[-1] == "row", found
    assert not shelf.marks()


def test_a_snapshot_of_a_live_box_too(shelf):
    p = shelf.live()
    found = shelf.syncs("snap", "b", "x")
    order = ["layer" if "syncfs" in line else "row" for line in found if "syncfs" in line or "store.db" in line]
    assert "layer" in order and order[-1] == "row", found
    assert len(shelf.marks()) == 1  # of the box itself, which goes on
    shelf.kill(p)
    shelf.ok("fork", "b@x", "--name", "whole")
    assert shelf.sh("cat f", box="whole") == "half\n"


def test_a_killed_supervisor_is_no_power_cut(shelf):
    shelf.kill(shelf.live())
    assert shelf.marks()
    status, out, err = shelf.call("run", "--box", "b", "--", "cat", "f")
    assert (status, out, err) == (0, "half\n", "")
    shelf.settled()


def test_gc_syncs_what_was_killed(shelf):
    shelf.kill(shelf.live())
    shelf.ok("gc")
    assert not shelf.marks()
    assert shelf.sh("cat f") == "half\n"


def test_a_torn_box_is_told(shelf):
    shelf.sh("echo whole > f")
    shelf.ok("snap", "b", "x")
    shelf.ok("create", "other")
    shelf.reboot()
    for words in (["run", "--box", "b", "--", "true"], ["snap", "b"], ["fork", "b"], ["promote", "b"], ["combine", "b", "other"],
                  ["combine", "other", "b"], ["file", "write", "--content", "x", "b", "f"], ["artifact", "save", "b", "f"]):
        said = shelf.refused(*words)
        assert "box 'b' was in use when the machine stopped" in said, (words, said)
        assert "'aisbx rollback b x'" in said and "'aisbx snap --as-is b'" in said, (words, said)
    assert (shelf.project / "f").read_text() == "host\n"
    assert json.loads(shelf.ok("show", "--json", "b"))["torn"]
    assert "f" in shelf.ok("diff", "b")
    assert shelf.ok("file", "read", "b", "f") == "half\n"
    shelf.ok("fork", "b@x", "--name", "c")
    assert shelf.sh("cat f", box="c") == "whole\n"


def test_back_to_its_last_snapshot(shelf):
    shelf.sh("echo whole > f")
    shelf.ok("snap", "b", "x")
    shelf.reboot()
    shelf.ok("rollback", "b", "x")
    assert shelf.sh("cat f") == "whole\n"
    assert not json.loads(shelf.ok("show", "--json", "b"))["torn"]
    shelf.ok("gc")
    assert not shelf.marks()


def test_taken_as_it_is(shelf):
    shelf.reboot()
    said = shelf.refused("run", "--box", "b", "--", "true")
    assert "it has no snapshot" in said and "'aisbx snap --as-is b'" in said, said
    shelf.ok("snap", "--as-is", "b", "torn")
    assert shelf.sh("cat f") == "half\n"
    shelf.settled()


def test_a_disk_that_failed_is_not_forgotten(shelf):
    shelf.reboot("failed")
    assert "wrote data that the disk did not store" in shelf.refused("run", "--box", "b", "--", "true")


@pytest.mark.parametrize("text, torn", [("", False), ("nonsense\n", True)])
def test_a_mark_that_is_none(shelf, text, torn):
    shelf.kill(shelf.live())
    for mark in shelf.marks():
        mark.write_text(text)
    assert json.loads(shelf.ok("show", "--json", "b"))["torn"] == torn


def test_the_present_boot_is_known():
    assert re.fullmatch(r"[0-9a-f-]{36}", pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip())
