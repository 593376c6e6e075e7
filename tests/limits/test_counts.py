# SPDX-License-Identifier: Apache-2.0
"""Processes, open files, the size of a file, disk, inodes, output: what is counted, and refused one by one."""
import json
import os
import socket
import subprocess
import time

import box
import pytest
from eat import KIB, MIB, about, finished, holder, limited, refused

# pid 1 of the box and the command itself.
OURS = 2


@pytest.mark.parametrize("what", ["forks", "threads"])
class TestProcesses:
    def test_under(self, table, what):
        result = finished(table.eat(what, 20 - OURS, pids=20))
        assert f"{what.replace('forks', 'forked')} {20 - OURS} OK\n" in result["stdout"]
        assert result["usage"]["pids_peak"] == 20

    def test_over(self, table, what):
        """The first that is one too many is refused."""
        result = table.eat(what, 30, pids=20)
        assert refused(result, "processes", 20) == 20
        assert f" {20 - OURS} EAGAIN\n" in result["stdout"], result["stdout"]
        assert result["usage"]["pids_peak"] == 20
        assert holder(result, "processes") in ("cgroup", "rlimit")

    def test_refused_and_content(self, table, what):
        """Who is refused and goes on has not failed, and no limit is to blame for anything."""
        result = box.started(box.run("sh", "-c", f"./eat {what} 30; echo done", cwd=table.project, options=["--pids", "20"]))
        finished(result)
        assert "EAGAIN" in result["stdout"]
        if holder(result, "processes") == "cgroup":  # which counts whom it refuses
            assert [(v["kind"], v["allow_with"]) for v in result["violations"]] == [("limit", "--pids 40")]


def test_processes_that_fail_for_another_reason(table):
    result = box.started(box.run("sh", "-c", "./eat forks 3; exit 3", cwd=table.project, options=["--pids", "20"]))
    assert result["status"] == "failed" and result["exit_code"] == 3 and result["limit"] is None, result


def test_too_few_processes_are_refused(table):
    result = box.run("./eat", "nothing", cwd=table.project, options=["--pids", "1"])
    assert result["aisbx_status"] == 125, result


@pytest.mark.parametrize("n", [16, 64, 1500])
def test_files(table, n):
    """0, 1 and 2 are open already. It stops nobody: the call fails. Who gave a number has it at once, without asking for more."""
    result = finished(table.eat("files", files=n))
    assert f"files {n - 3} EMFILE last {n - 1}\n" in result["stdout"]
    assert result["limits"]["files"] == {"value": n, "by": "rlimit"}


def test_files_while_others_hand_theirs_over(table):
    """What this user's processes have sent and not received counts against the limit; the run waits until they have."""
    here, there = socket.socketpair()
    with here, there, open("/dev/null", encoding="ascii") as null:
        for _ in range(4):
            socket.send_fds(here, [b"x"], [null.fileno()] * 16)
        child = subprocess.Popen(box.command("true", options=["--files", "16"]), cwd=table.project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        began = time.monotonic()
        box.wait_until(lambda: child.poll() is not None or time.monotonic() > began + 0.5, what="an end, or that it takes its time")
        assert box.IS_ROOT or child.poll() is None, "root's boxes have users of their own"
        for _ in range(4):
            for fd in socket.recv_fds(there, 1, 16)[1]:
                os.close(fd)
        assert json.loads(child.communicate(timeout=60)[0])["status"] == "ok"


def test_file_size_under(table):
    finished(table.eat("write", "f", MIB, file_size="1m"))


def test_file_size_over(table):
    result = table.eat("write", "f", MIB + 1, file_size="1m")
    assert limited(result, "file_size", MIB) == MIB
    assert result["signal"] == 25 and result["aisbx_status"] == 128 + 25, result
    assert result["usage"]["disk"] <= 1.05 * MIB


def test_file_size_over_with_the_signal_ignored(table):
    """The call fails at the very byte; nobody counts that, but the command's own words name it."""
    result = table.eat("write", "f", 2 * MIB, "ignore", file_size="1m")
    assert refused(result, "file_size", MIB) == MIB
    assert result["stdout"] == f"wrote {MIB} EFBIG\n" and result["limit"]["sure"] is False, result


def test_file_size_is_of_each_file(table):
    result = box.started(box.run("sh", "-c", "for i in 1 2 3; do ./eat write f$i 1m || exit; done", cwd=table.project,
                                 options=["--file-size", "1m"]))
    finished(result)
    about(result["usage"]["disk"], 3 * MIB, 0.05)


def counts(result, where):
    """Where the project's clone lies on the disk (before Linux 6.6), that is what is counted; the rest has a tmpfs of that size."""
    return holder(result, "disk") == "tmpfs" or where == "f"


@pytest.mark.parametrize("where", ["f", "/tmp/f", "/dev/shm/f"])
def test_disk_under(table, where):
    result = finished(table.eat("write", where, "15m", disk="16m"))
    assert result["limits"]["disk"]["value"] == 16 * MIB
    if counts(result, where):
        about(result["usage"]["disk"], 15 * MIB, 0.05)


@pytest.mark.parametrize("where", ["f", "/tmp/f", "/dev/shm/f"])
def test_disk_over(table, where):
    """A file system or a quota refuses the byte above it; who watches ends the box when it sees it."""
    result = table.eat("write", where, "17m", disk="16m")
    if counts(result, where) and holder(result, "disk") == "watch":
        assert limited(result, "disk", 16 * MIB) > 16 * MIB
        assert result["exit_code"] is None and result["aisbx_status"] == 137  # whether it had just got to its end or not
        return
    if counts(result, where):
        about(refused(result, "disk", 16 * MIB), 16 * MIB, 0.05)
    word, got, why = result["stdout"].split()
    assert word == "wrote" and why in ("ENOSPC", "EDQUOT")
    about(int(got), 16 * MIB, 0.05)


def test_disk_that_is_freed_counts_no_more(table):
    result = finished(box.started(box.run("sh", "-c", "for i in 1 2 3; do ./eat write f 12m && rm f || exit; done; echo done",
                                          cwd=table.project, options=["--disk", "16m"])))
    assert result["usage"]["disk"] < MIB


@pytest.mark.quiet
def test_disk_of_who_was_stopped(table):
    """Its own last word does not come; what it wrote is known all the same."""
    result = box.started(box.run("sh", "-c", "./eat write f 8m; exec sleep 60", cwd=table.project, options=["--timeout", "1500ms"]))
    assert limited(result, "wall_time", 1500) >= 1500
    about(result["usage"]["disk"], 8 * MIB, 0.05)


def test_inodes(table):
    """All of them are the command's: what the box is made of comes on top."""
    assert finished(table.eat("nothing", inodes=200))["usage"]["inodes"] == 0
    result = finished(table.eat("inodes", ".", 200, inodes=200))
    assert result["usage"]["inodes"] == 200
    result = table.eat("inodes", ".", 201, inodes=200)
    if holder(result, "inodes") == "watch":
        assert limited(result, "inodes", 200) > 200
        assert result["exit_code"] is None and result["aisbx_status"] == 137
        return
    assert refused(result, "inodes", 200) == 200
    assert result["stdout"] in ("inodes 200 ENOSPC\n", "inodes 200 EDQUOT\n")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output(table, stream):
    """Cut off, not stopped: the command goes on, and what was cut is counted to the byte."""
    target = {"stdout": "", "stderr": " >&2"}[stream]
    for size, cut in ((64 * KIB, 0), (64 * KIB + 1, 1), (MIB, MIB - 64 * KIB)):
        result = box.started(box.run("sh", "-c", f"head -c {size} /dev/zero | tr '\\0' x{target}", cwd=table.project,
                                     options=["--output", "64k"]))
        assert result["status"] == "ok" and result["limit"] is None, result
        assert result["truncated"] == {"stdout": 0, "stderr": 0, stream: cut}
        assert result[stream].count("x") >= 64 * KIB - 1
        assert result["limits"]["output"] == {"value": 64 * KIB, "by": "supervisor"}
