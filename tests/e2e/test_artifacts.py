# SPDX-License-Identifier: Apache-2.0
"""What is kept of a box beyond it: saved, listed, read, put somewhere, removed."""
import base64
import contextlib
import hashlib
import os
import stat
import subprocess

import pytest

from box import PROFILES, Watch
from files import FileBox


@pytest.fixture(params=PROFILES)
def b(request, tmp_path):
    with contextlib.closing(FileBox(tmp_path, request.param)) as made:
        made.out = tmp_path / "out"
        made.out.mkdir()
        yield made


@pytest.fixture
def dev(tmp_path):
    with contextlib.closing(FileBox(tmp_path)) as made:
        made.out = tmp_path / "out"
        made.out.mkdir()
        yield made


def contents(b):
    place = b.state / "aisbx/artifacts"
    return sorted(n for n in os.listdir(place) if not n.endswith(".manifest")) if place.exists() else []


def test_a_file_outlives_its_box(b):
    run = b.run("sh", "-c", "echo result > out.txt; chmod 755 out.txt")["run"]
    a = b.ok("artifact save", "b", "out.txt", "--note", "the first")
    assert a["type"] == "file" and a["name"] == "out.txt" and a["size"] == 7 and a["media"] == "text/plain" and a["files"] == 1
    assert a["sha256"] == hashlib.sha256(b"result\n").hexdigest() and a["run"] == run and a["box_name"] == "b" and a["note"] == "the first"
    b.ok("rm", "b")
    b.ok("gc")
    assert [x["id"] for x in b.ok("artifact ls")["artifacts"]] == [a["id"]]
    assert b.ok("artifact show", a["id"]) == {k: v for k, v in a.items() if k != "left_out"}
    assert b.ok("artifact read", "out.txt")["content"] == "result\n"
    b.ok("artifact get", a["id"], "--to", str(b.out / "x"))
    assert (b.out / "x").read_text() == "result\n" and os.access(b.out / "x", os.X_OK) and os.listdir(b.out) == ["x"]
    assert stat.S_IMODE(os.stat(b.state / "aisbx/artifacts").st_mode) == 0o700
    b.ok("artifact rm", "out.txt")
    assert b.ok("artifact ls")["artifacts"] == [] and contents(b) == []
    b.refused("ENOENT", "artifact show", a["id"])


def test_a_directory(b):
    b.sh("mkdir -p d/e d/empty; echo 1 > d/one; printf '\\000\\377' > d/e/two; ln -s ../one d/e/link; ln -s /etc/passwd d/out; chmod 750 d/e; "
         "mkfifo d/pipe; chmod 4755 d/one")
    a = b.ok("artifact save", "b", "d", "--name", "tree")
    assert a["type"] == "directory" and a["files"] == 4 and a["media"] == "inode/directory" and a["left_out"] == 1
    shown = b.ok("artifact show", "tree")
    assert [(e["path"], e["type"]) for e in shown["entries"]] == [
        ("e", "directory"), ("e/link", "link"), ("e/two", "file"), ("empty", "directory"), ("one", "file"), ("out", "link")]
    assert base64.b64decode(b.ok("artifact read", "tree", "e/two", "--encoding", "base64")["content"]) == b"\0\xff"
    b.refused("EISDIR", "artifact read", "tree")
    b.refused("ENOENT", "artifact read", "tree", "e/none")
    b.refused("EPERM", "artifact get", "tree", "--to", str(b.out / "t"))  # one of its links leads out
    b.ok("artifact get", "tree", "--to", str(b.out / "t"), "--yes")
    assert (b.out / "t/one").read_text() == "1\n" and (b.out / "t/e/two").read_bytes() == b"\0\xff"
    assert os.readlink(b.out / "t/e/link") == "../one" and os.readlink(b.out / "t/out") == "/etc/passwd"
    assert stat.S_IMODE(os.stat(b.out / "t/e").st_mode) == 0o750 and stat.S_IMODE(os.stat(b.out / "t/one").st_mode) == 0o755
    assert os.listdir(b.out / "t/empty") == [] and os.listdir(b.out) == ["t"]


def test_nothing_is_overwritten(dev):
    dev.ok("file write", "b", "f", "--content", "new")
    dev.ok("artifact save", "b", "f")
    (dev.out / "file").write_text("mine")
    (dev.out / "dir").mkdir()
    (dev.out / "link").symlink_to("file")
    os.mkfifo(dev.out / "fifo")
    with Watch(dev.out):
        assert "--force" in dev.refused("EEXIST", "artifact get", "f", "--to", str(dev.out / "file"))
        dev.refused("EEXIST", "artifact get", "f", "--to", str(dev.out / "link"))
        dev.refused("EEXIST", "artifact get", "f", "--to", str(dev.out / "dir"))
        dev.refused("EEXIST", "artifact get", "f", "--to", str(dev.out / "dir"), "--force")
        dev.refused("EEXIST", "artifact get", "f", "--to", str(dev.out / "fifo"), "--force")
        dev.refused("ENOENT", "artifact get", "f", "--to", str(dev.out / "none/f"))
    dev.ok("artifact get", "f", "--to", str(dev.out / "link"), "--force")  # the link, not what it leads to
    assert (dev.out / "file").read_text() == "mine" and not (dev.out / "link").is_symlink()
    assert (dev.out / "link").read_text() == "new"


def test_the_same_content_is_kept_once(dev):
    dev.sh("echo same > a; echo same > b")
    first, second = dev.ok("artifact save", "b", "a"), dev.ok("artifact save", "b", "b", "--name", "a")
    assert first["sha256"] == second["sha256"] and contents(dev) == [first["sha256"]]
    assert dev.ok("artifact show", "a")["id"] == second["id"]  # the newest of that name
    dev.ok("artifact rm", second["id"])
    assert contents(dev) == [first["sha256"]] and dev.ok("artifact read", "a")["content"] == "same\n"
    dev.ok("artifact rm", first["id"])
    assert contents(dev) == []


def test_of_a_live_box(dev):
    with dev.live("echo live > f"):
        dev.ok("exec", "b", "--", "sh", "-c", "until [ -s f ]; do :; done")
        dev.ok("artifact save", "b", "f")
    assert dev.ok("artifact read", "f")["content"] == "live\n"


def test_secrets_stop_it(dev):
    dev.env["S"] = "correct-horse-battery-staple"
    dev.sh("mkdir -p d/e; cat /run/secrets/s > d/e/plain; base64 /run/secrets/s > coded; touch d2; ln -s $(cat /run/secrets/s) l; mkdir n; "
           "cp d2 n/$(cat /run/secrets/s)", options=("--secret", "s=env:S"))
    for path in ("d", "d/e/plain", "coded", "n", "."):
        text = dev.refused("EPERM", "artifact save", "b", path)
        assert "'s'" in text and "correct-horse" not in text
    assert dev.ok("artifact ls")["artifacts"] == [] and contents(dev) == []
    dev.ok("artifact save", "b", "d", "--allow-secret", "s")
    assert "correct-horse" not in str(dev.ok("artifact read", "d", "e/plain"))
    dev.ok("artifact save", "b", "d2")


def test_what_cannot_be_kept(dev):
    b = dev
    b.sh("mkfifo pipe; ln -s none dangling; truncate -s 2G huge")
    b.refused("ENOENT", "artifact save", "b", "none")
    b.refused("ENOENT", "artifact save", "b", "dangling")
    b.refused("EINVAL", "artifact save", "b", "pipe")
    b.refused("EINVAL", "artifact save", "b", "/dev/zero")
    b.refused("EFBIG", "artifact save", "b", "huge")
    b.refused("EINVAL", "artifact save", "b", "pipe", "--name", "no/name")
    assert contents(b) == []


def test_a_content_that_was_changed_is_noticed(dev):
    dev.ok("file write", "b", "f", "--content", "right")
    a = dev.ok("artifact save", "b", "f")
    path = dev.state / "aisbx/artifacts" / a["sha256"]
    os.chmod(path, 0o600)
    path.write_text("wrong")
    dev.refused("EIO", "artifact get", "f", "--to", str(dev.out / "f"))
    assert os.listdir(dev.out) == []


def test_killed_in_the_middle(dev):
    dev.ok("file write", "b", "f", data=b"x" * (4 << 20))
    for i in range(8):
        p = dev.start("artifact save", "b", "f")
        try:
            p.wait(timeout=0.006 * i)
        except subprocess.TimeoutExpired:
            dev.slay(p)
        p.communicate()
        rows = dev.ok("artifact ls")["artifacts"]
        assert len(contents(dev)) <= 1
        if rows:
            assert contents(dev) == [rows[0]["sha256"]]
            dev.ok("artifact get", rows[0]["id"], "--to", str(dev.out / str(i)))
