# SPDX-License-Identifier: Apache-2.0
"""Whole files of a box, of any size: out of it with --raw, into it from standard input."""
import contextlib
import hashlib
import os
import pathlib
import random
import subprocess

import pytest

from box import aisbx, wait_until
from files import FileBox

MIB = 1 << 20
WINDOW = 4 * MIB  # of the search for secrets


@pytest.fixture(params=["idle", "live"])
def b(request, tmp_path):
    with contextlib.closing(FileBox(tmp_path)) as made, made.live() if request.param == "live" else contextlib.nullcontext():
        yield made


@pytest.fixture
def idle(tmp_path):
    with contextlib.closing(FileBox(tmp_path)) as made:
        yield made


def command(box, *words, data=None, want=0):
    done = subprocess.run([aisbx(), *words], cwd=box.project, env=box.env, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120, check=False)
    assert done.returncode == want, done.stderr
    return done.stdout if want == 0 else done.stderr.decode()


def test_large_ones_come_and_go_whole(b):
    data = random.Random(1).randbytes(20 * MIB + 7)
    wrote = b.ok("file write", "b", "d/big", data=data)
    assert wrote["created"] and wrote["size"] == len(data) and wrote["sha256"] == hashlib.sha256(data).hexdigest()
    assert command(b, "file", "read", "b", "d/big", "--raw") == data
    assert b.sh("wc -c < d/big; stat -c %a d/big").split() == [str(len(data)), "644"]
    b.ok("file write", "b", "d/big", "--append", data=b"end")
    assert command(b, "file", "read", "b", "d/big", "--raw") == data + b"end"
    b.ok("file write", "b", "d/big", data=b"")
    assert command(b, "file", "read", "b", "d/big", "--raw") == b""
    assert not (b.project / "d").exists()


def test_files_of_the_kernel(idle):
    """Their size is told as 0, or as a page."""
    assert command(idle, "file", "read", "b", "/proc/version", "--raw").startswith(b"Linux")
    assert command(idle, "file", "read", "b", "/proc/self/comm", "--raw") == b"aisbx-file\n"


def test_what_does_not_go_with_it(idle):
    (idle.project / "f").write_text("old")
    assert "standard output" in idle.refused("EINVAL", "file read", "b", "f", "--raw")
    assert "'offset'" in command(idle, "file", "read", "b", "f", "--raw", "--offset", "1", want=125)
    assert "'size'" in idle.refused("EINVAL", "file write", "b", "f", "--content", "x", "--size", "1")
    assert "1024 MiB" in idle.refused("EFBIG", "file write", "b", "f", "--size", str((1 << 30) + 1), data=b"")
    assert "directory" in command(idle, "file", "read", "b", ".", "--raw", want=125)
    assert "No such file" in command(idle, "file", "read", "b", "none", "--raw", want=125)
    os.mkfifo(idle.project / "pipe")
    assert "pipe" in command(idle, "file", "read", "b", "pipe", "--raw", want=125)


def test_input_that_ends_before_its_time_changes_nothing(idle):
    (idle.project / "f").write_text("old")
    assert "3 of 10 bytes" in idle.refused("EPIPE", "file write", "b", "f", "--size", "10", data=b"abc")
    assert idle.ok("file read", "b", "f")["content"] == "old"
    idle.ok("file write", "b", "f", "--size", "3", data=b"abcdef")
    assert idle.ok("file read", "b", "f")["content"] == "abc"


def spool_of(pid):
    """Bytes that aisbx has of the file in its own, which has no name."""
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            if "(deleted)" in os.readlink(fd) and "/state/" in os.readlink(fd):
                return os.stat(fd).st_size
    return 0


def test_a_file_that_shrinks_is_not_taken_for_whole(idle):
    with open(idle.project / "f", "wb") as f:
        f.truncate(900 * MIB)
    with subprocess.Popen([aisbx(), "file", "read", "b", "f", "--raw"], cwd=idle.project, env=idle.env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as p:
        wait_until(lambda: spool_of(p.pid) > MIB, 20, "it is read")
        os.truncate(idle.project / "f", 0)
        out, err = p.communicate(timeout=60)
    assert p.returncode == 125 and out == b"" and b"became shorter" in err


def test_a_reader_that_goes_is_no_harm(idle):
    """And one that does not read does not keep the box: another operation is done meanwhile."""
    idle.ok("file write", "b", "f", data=bytes(8 * MIB))
    with subprocess.Popen([aisbx(), "file", "read", "b", "f", "--raw"], cwd=idle.project, env=idle.env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as p:
        assert p.stdout.read(1) == b"\0"
        idle.ok("file write", "b", "g", "--content", "x")
        p.stdout.close()
        assert p.wait(60) != 0


def test_secrets_are_removed_wherever_they_lie(idle):
    """Also across the windows in which they are searched for; each is told once."""
    value = b"a-value-that-nobody-guesses-0123456789"
    (idle.home / "value").write_bytes(value)
    idle.ok("run", "--box", "b", "--secret", f"TOKEN=file:{idle.home}/value", "--", "true")
    data = bytearray(random.Random(2).randbytes(3 * WINDOW))
    for at in (0, WINDOW - 1, 2 * WINDOW - len(value) + 1, 2 * WINDOW + 1000, len(data) - len(value)):
        data[at:at + len(value)] = value
    (idle.project / "f").write_bytes(data)
    got = command(idle, "file", "read", "b", "f", "--raw")
    assert value not in got and got == bytes(data).replace(value, b"[secret TOKEN]")
    assert command(idle, "file", "read", "b", "/proc/version", "--raw").startswith(b"Linux")
