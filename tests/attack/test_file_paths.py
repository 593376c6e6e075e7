# SPDX-License-Identifier: Apache-2.0
"""Attack 123: a box that wants out through the operations on its files. Whoever asks for a path of the box gets a file of the box."""
import os
import pathlib
import shutil
import subprocess
import time

import pytest

import box
import pace
from files import FileBox

CANARY = "canary of the host"


@pytest.fixture(params=box.PROFILES)
def b(request, tmp_path):
    """A box, and beside its project a directory of the host that is none of its business."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "canary").write_text(CANARY)
    made = FileBox(tmp_path, request.param)
    made.outside = outside
    return made


@pytest.mark.big
def test_123_paths(b):
    """The control is the same path on the host, where it leads to the canary."""
    canary = b.outside / "canary"
    (b.project / "link").symlink_to(canary)
    (b.project / "dir").symlink_to(b.outside)
    (b.project / "up").symlink_to("../outside")
    b.sh(f"ln -s {canary} inner; ln -s {b.outside} innerdir; mkdir -p deep/er")
    paths = [str(canary), "../outside/canary", "deep/er/../../../outside/canary", "link", "dir/canary", "up/canary", "inner",
             "innerdir/canary", f"/proc/self/root{canary}", f"/proc/self/cwd{canary}", f"/proc/1/root{canary}",
             f"/dev/fd/../cwd{canary}", f"/proc/self/task/../root{canary}", "../" * 40 + str(canary)[1:]]
    with box.Watch(b.outside):
        for path in paths:
            status, read = b.call("file read", "b", path)
            assert status == 125 and read["error"]["code"] in ("ENOENT", "EACCES"), (path, read)
            status, stat = b.call("file stat", "b", path)
            assert status == 125 or stat["type"] == "link", (path, stat)
            raw = subprocess.run([box.aisbx(), "file", "read", "b", path, "--raw"], cwd=b.project, env=b.env, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, check=False)
            assert raw.returncode == 125 and raw.stdout == b"", (path, raw)
            b.call("file write", "b", path, "--content", "overwritten")
            b.call("file write", "b", path, data=b"overwritten")
            b.call("file mv", "b", path, path + "-moved", "--force")
            b.call("file rm", "b", path, "--recursive")
        b.call("file ls", "b", str(b.outside))
    for path in paths:
        if path.startswith(("link", "dir", "up", "..", "/proc/self/root", "/proc/self/cwd", str(b.outside))) and ".." * 9 not in path:
            with open(b.project / path.replace("/proc/self/cwd", "/proc/self/root"), encoding="ascii") as f:
                assert f.read() == CANARY, f"control: {path}"


def test_123_a_link_to_the_passwords(b):
    (b.project / "shadow").symlink_to("/etc/shadow")
    status, read = b.call("file read", "b", "shadow")
    assert status == 125 or not any(line.split(":")[1].startswith("$") for line in read["content"].splitlines()), read
    if box.IS_ROOT:
        assert ":" in pathlib.Path("/etc/shadow").read_text()  # control: it can be read


@pytest.mark.quiet
def test_123_races_with_rename(b):
    """A directory that is a link to the outside every other moment, and a file that is a pipe."""
    swap = (f"mkdir real; echo in > real/f; ln -s {b.outside} trap; mkfifo pipe; echo text > plain; "
            "(while :; do ln -sfn real d; ln -sfn trap d; cp plain n; mv n x; mkfifo n; mv n x; done) 2>/dev/null & ")
    with box.Watch(b.outside), b.live(swap):
        seen = set()
        for _ in range(10):
            began = time.monotonic()
            for act in (("file read", "b", "d/canary"), ("file write", "b", "d/canary", "--content", "x"), ("file read", "b", "x"),
                        ("file rm", "b", "d/f")):
                status, result = b.call(*act)
                seen.add((act[0], status))
                assert CANARY not in str(result)
            assert time.monotonic() - began < pace.seconds(15)
    assert len(seen) > 3, seen


@pytest.mark.quiet
def test_123_what_must_not_be_waited_for(b):
    b.sh("mkfifo fifo; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'; ln -s fifo to-fifo; ln -s loop loop")
    for path in ("fifo", "to-fifo", "sock", "/dev/zero", "/dev/null", "/dev/tty", "/dev/full", "/dev/stdin", "/proc/self/fd/2"):
        began = time.monotonic()
        for act in (("file read",), ("file write", "--content", "x")):
            status, result = b.call(act[0], "b", path, *act[1:], timeout=50)
            assert status == 125 or path.startswith(("/dev/stdin", "/proc")), (path, act, result)
        assert time.monotonic() - began < pace.seconds(10), path
    assert b.ok("file stat", "b", "fifo")["type"] == "other"
    b.refused("ELOOP", "file read", "b", "loop")
    b.refused("ELOOP", "file write", "b", "loop", "--content", "x")
    assert [e["type"] for e in b.ok("file ls", "b", "--pattern", "*fifo")["entries"]] == ["other", "link"]


def test_123_hidden_places_and_decoys(b):
    (b.home / ".ssh").mkdir(mode=0o700)
    (b.home / ".ssh" / "id_rsa").write_text(CANARY)
    r = b.ok("file read", "b", str(b.home / ".ssh/id_rsa"))
    assert CANARY not in r["content"]
    assert [v["kind"] for v in r["violations"]] == ["decoy"]
    for path in (b.state, b.state / "aisbx", b.state / "aisbx/store.db"):
        status, found = b.call("file ls", "b", str(path))
        assert status == 125 or found["entries"] == [], found
    assert (b.home / ".ssh" / "id_rsa").read_text() == CANARY


def test_123_nobody_in_the_box_reaches_into_the_helper(b):
    """Its memory, its answer and its question are out of reach, while other processes of the same user are not."""
    spy = """
import os, time
mine = os.fork() or [time.sleep(600)]
got = set()
while not os.path.exists("enough"):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for what in ("fd/0", "fd/1", "mem", "exe"):
            try:
                os.close(os.open(f"/proc/{pid}/{what}", os.O_RDWR if what != "exe" else os.O_RDONLY))
            except OSError:
                continue
            got.add(open(f"/proc/{pid}/comm").read().strip() + " " + what)
os.kill(mine, 9)
open("spied", "w").write(repr(sorted(got)))
"""
    (b.project / "spy.py").write_text(spy)
    (b.project / "big").write_bytes(os.urandom(1 << 20))
    python = shutil.which("python3", path="/usr/bin")
    p = b.start("run", "--box", "b", "--", python, "spy.py")
    box.wait_until(lambda: b.ok("ps", "--all")["runs"], what="the spy")
    for _ in range(8):
        b.ok("file read", "b", "big", "--encoding", "base64")
    b.ok("file write", "b", "enough", "--content", "")
    p.communicate(timeout=50)
    got = b.ok("file read", "b", "spied")["content"]
    assert "python3 mem" in got, got  # control: it can do that to its own
    assert "aisbx-file" not in got and "'0 " not in got, got
