# SPDX-License-Identifier: Apache-2.0
"""Files of a box read, written and moved from outside, while it is idle and while it lives."""
import base64
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import time

import pytest

import pace
from box import IS_ROOT, PROFILES, wait_until
from files import FileBox, at_work


@pytest.fixture(params=PROFILES)
def b(request, tmp_path):
    with contextlib.closing(FileBox(tmp_path, request.param)) as made:
        yield made


@pytest.fixture
def dev(tmp_path):
    with contextlib.closing(FileBox(tmp_path)) as made:
        yield made


@pytest.fixture(params=["idle", "live"])
def any_box(request, tmp_path):
    box = FileBox(tmp_path)
    if request.param == "idle":
        yield box
        return
    with box.live():
        yield box


def sha(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def test_read_what_the_project_has(b):
    (b.project / "a.txt").write_text("hello\nwörld\n")
    r = b.ok("file read", "b", "a.txt")
    assert r["content"] == "hello\nwörld\n" and r["encoding"] == "utf-8" and r["next_offset"] is None
    assert r["path"] == str(b.project / "a.txt") and r["type"] == "file" and r["lines"] == 2
    assert r["size"] == 13 and r["sha256"] == sha("hello\nwörld\n") and r["mode"] == "0644" and not r["redacted"]
    assert abs(r["mtime_ms"] - os.stat(b.project / "a.txt").st_mtime * 1000) < 2
    assert b.ok("file read", "b", str(b.project / "a.txt"))["content"] == r["content"]


def test_write_stays_in_the_box(b):
    r = b.ok("file write", "b", "new/deep/n.txt", "--content", "one two")
    assert r["created"] and r["sha256"] == sha("one two") and r["size"] == 7
    assert not (b.project / "new").exists()
    assert b.sh("cat new/deep/n.txt") == "one two"
    assert not b.ok("file write", "b", "new/deep/n.txt", "--content", "")["created"]
    assert b.sh("wc -c < new/deep/n.txt").strip() == "0"
    b.ok("file write", "b", "new/deep/n.txt", data=b"\x00\xff raw \n" * 1000)
    assert b.ok("file stat", "b", "new/deep/n.txt")["sha256"] == sha(b"\x00\xff raw \n" * 1000)
    changes = {c["path"]: c["kind"] for c in b.ok("diff", "b")["changes"]}
    assert changes == dict.fromkeys(("new", "new/deep", "new/deep/n.txt"), "created")


def test_in_an_idle_and_in_a_live_box(any_box):
    b = any_box
    b.ok("file write", "b", "f", "--content", "abc")
    assert b.ok("file read", "b", "f")["content"] == "abc"
    b.ok("file mkdir", "b", "d/e")
    b.ok("file mv", "b", "f", "d/e/g")
    assert [(e["path"], e["type"]) for e in b.ok("file ls", "b", "--depth", "9")["entries"]] == [
        ("d", "directory"), ("d/e", "directory"), ("d/e/g", "file")]
    assert b.ok("file rm", "b", "d", "--recursive")["removed"]
    assert b.ok("file ls", "b")["entries"] == []


def test_who_lives_sees_it_at_once(dev):
    p = dev.start("run", "--box", "b", "--", "sh", "-c", "until [ -s sign ]; do :; done; cat sign")
    wait_until(lambda: dev.ok("ps", "--all")["runs"], what="a live run")
    dev.ok("file write", "b", "sign", "--content", "seen")
    out, _ = p.communicate(timeout=50)
    assert b'"stdout":"seen"' in out


def test_pieces(b):
    text = "".join(f"line {i} é\n" for i in range(1000))
    (b.project / "long").write_text(text)
    data, got, at = text.encode(), "", 0
    while at is not None:
        r = b.ok("file read", "b", "long", "--offset", str(at), "--limit", "4001")
        assert r["offset"] == at and r["sha256"] == sha(text) and r["lines"] == 1000
        got += r["content"]
        at = r["next_offset"]
    assert got == text
    assert base64.b64decode(b.ok("file read", "b", "long", "--offset", "7", "--limit", "5", "--encoding", "base64")["content"]) == data[7:12]
    r = b.ok("file read", "b", "long", "--offset", str(len(data) + 5))
    assert r["content"] == "" and r["next_offset"] is None


def test_lines(dev):
    (dev.project / "t").write_text("".join(f"{i}\n" for i in range(1, 11)) + "no newline")
    r = dev.ok("file read", "b", "t", "--from", "3", "--count", "2")
    assert (r["content"], r["line"], r["next_line"], r["lines"]) == ("3\n4\n", 3, 5, 11)
    r = dev.ok("file read", "b", "t", "--from", "10")
    assert (r["content"], r["next_line"]) == ("10\nno newline", None)
    assert dev.ok("file read", "b", "t", "--count", "1")["content"] == "1\n"
    assert dev.ok("file read", "b", "t", "--from", "99")["content"] == ""
    r = dev.ok("file read", "b", "t", "--from", "1", "--limit", "5")
    assert (r["content"], r["next_line"], r["next_offset"]) == ("1\n2\n", 3, 4)
    (dev.project / "one").write_text("x" * 100000)
    r = dev.ok("file read", "b", "one", "--from", "1", "--limit", "1000")
    assert (len(r["content"]), r["next_line"], r["next_offset"]) == (1000, None, 1000)
    dev.refused("EINVAL", "file read", "b", "t", "--from", "1", "--offset", "3")
    dev.refused("EINVAL", "file read", "b", "t", "--from", "0")


def test_what_is_no_text(dev):
    (dev.project / "bin").write_bytes(b"\x89PNG\xff\xfe")
    assert "base64" in dev.refused("EILSEQ", "file read", "b", "bin")
    assert base64.b64decode(dev.ok("file read", "b", "bin", "--encoding", "base64")["content"]) == b"\x89PNG\xff\xfe"
    (dev.project / "nul").write_bytes(b"a\0b")
    assert dev.ok("file read", "b", "nul")["content"] == "a\0b"
    dev.ok("file write", "b", "w", "--content", base64.b64encode(b"\xff\0").decode(), "--encoding", "base64")
    assert dev.ok("file stat", "b", "w")["sha256"] == sha(b"\xff\0")
    dev.refused("EINVAL", "file write", "b", "w", "--content", "no base64!", "--encoding", "base64")


def test_edit(b):
    (b.project / "f.py").write_text("a = 1\nb = 1\nc = 2\n")
    os.chmod(b.project / "f.py", 0o755)
    r = b.ok("file write", "b", "f.py", "--replace", "c = 2", "--with", "c = 3")
    assert r["mode"] == "0755" and b.ok("file read", "b", "f.py")["content"] == "a = 1\nb = 1\nc = 3\n"
    assert "2 times" in b.refused("EINVAL", "file write", "b", "f.py", "--replace", "= 1", "--with", "")
    assert "does not contain" in b.refused("EINVAL", "file write", "b", "f.py", "--replace", "c = 2", "--with", "x")
    b.refused("ENOENT", "file write", "b", "none/f.py", "--replace", "c", "--with", "x")
    b.refused("EINVAL", "file write", "b", "f.py", "--replace", "c")
    b.refused("EINVAL", "file write", "b", "f.py", "--replace", "", "--with", "x")
    assert b.ok("file read", "b", "f.py")["content"] == "a = 1\nb = 1\nc = 3\n"
    b.refused("ENOENT", "file stat", "b", "none")


def test_only_if_nobody_changed_it(dev):
    first = dev.ok("file write", "b", "f", "--content", "one", "--if", "absent")
    dev.refused("ESTALE", "file write", "b", "f", "--content", "two", "--if", "absent")
    second = dev.ok("file write", "b", "f", "--content", "two", "--if", first["sha256"])
    dev.refused("ESTALE", "file write", "b", "f", "--content", "three", "--if", first["sha256"])
    dev.refused("ESTALE", "file write", "b", "none", "--content", "x", "--if", first["sha256"])
    assert dev.ok("file read", "b", "f")["sha256"] == second["sha256"]
    dev.refused("EINVAL", "file write", "b", "f", "--content", "x", "--if", "abc")


def test_append_mode_and_links(dev):
    dev.ok("file write", "b", "log", "--content", "a\n", "--mode", "600")
    r = dev.ok("file write", "b", "log", "--content", "b\n", "--append")
    assert (r["mode"], r["sha256"]) == ("0600", sha("a\nb\n"))
    dev.sh("ln -s log link; ln -s nowhere/yet dangling")
    dev.ok("file write", "b", "link", "--content", "through")
    assert dev.ok("file stat", "b", "link")["type"] == "link" and dev.ok("file read", "b", "log")["content"] == "through"
    dev.ok("file write", "b", "dangling", "--content", "made")
    assert dev.ok("file read", "b", "nowhere/yet")["content"] == "made"
    dev.refused("EINVAL", "file write", "b", "log", "--content", "x", "--mode", "9")
    assert dev.ok("file ls", "b", "--pattern", ".aisbx*")["entries"] == []


def test_errors_in_words(b):
    assert "No such file" in b.refused("ENOENT", "file read", "b", "none")
    b.refused("ENOENT", "file read", "nobox", "x")
    (b.project / "d").mkdir()
    assert "directory" in b.refused("EISDIR", "file read", "b", "d")
    b.refused("EISDIR", "file write", "b", "d", "--content", "x")
    b.refused("EINVAL", "file read", "b", "")
    b.refused("ENAMETOOLONG", "file read", "b", "x" * 300)
    (b.project / "f").write_text("x")
    b.refused("ENOTDIR", "file write", "b", "f/x", "--content", "x")
    b.refused("ENOTDIR", "file ls", "b", "f")
    b.refused("EEXIST", "file mkdir", "b", "f")
    if not IS_ROOT:
        b.refused("EACCES", "file read", "b", "/etc/shadow")
        b.refused("EROFS", "file write", "b", "/usr/x", "--content", "x")


def test_list(b):
    for name in ("z.py", "a.py", "sub/c.py", "sub/d.txt", "sub/deep/e.py"):
        (b.project / name).parent.mkdir(parents=True, exist_ok=True)
        (b.project / name).write_text(name)
    (b.project / "l").symlink_to("a.py")
    r = b.ok("file ls", "b")
    assert [(e["path"], e["type"]) for e in r["entries"]] == [("a.py", "file"), ("l", "link"), ("sub", "directory"), ("z.py", "file")]
    assert r["entries"][1]["target"] == "a.py" and r["entries"][0]["size"] == 4 and not r["more"]
    assert [e["path"] for e in b.ok("file ls", "b", "--depth", "3", "--pattern", "*.py")["entries"]] == [
        "a.py", "sub/c.py", "sub/deep/e.py", "z.py"]
    assert [e["path"] for e in b.ok("file ls", "b", "--depth", "3", "--pattern", "sub/*.txt")["entries"]] == ["sub/d.txt"]
    r = b.ok("file ls", "b", "sub", "--limit", "2")
    assert [e["path"] for e in r["entries"]] == ["c.py", "d.txt"] and r["more"]
    assert "etc" in [e["path"] for e in b.ok("file ls", "b", "/")["entries"]]


def test_move_and_remove(b):
    (b.project / "d/e").mkdir(parents=True)
    (b.project / "d/e/f").write_text("content")
    (b.project / "d/l").symlink_to("e/f")
    assert b.ok("file mv", "b", "d", "x/y")["type"] == "directory"  # from below: the kernel will not rename it
    assert b.sh("cat x/y/e/f; readlink x/y/l; ls") == "contente/f\nx\n"
    b.ok("file write", "b", "other", "--content", "o")
    b.refused("EEXIST", "file mv", "b", "other", "x/y/e/f")
    b.ok("file mv", "b", "other", "x/y/e/f", "--force")
    assert b.ok("file read", "b", "x/y/e/f")["content"] == "o"
    b.refused("EINVAL", "file mv", "b", "x", "x/y/z")
    b.refused("ENOTEMPTY", "file rm", "b", "x")
    b.ok("file rm", "b", "x", "--recursive")
    b.refused("ENOENT", "file rm", "b", "x")
    assert not b.ok("file rm", "b", "x", "--force")["removed"]
    b.refused("EISDIR", "file rm", "b", "/", "--recursive")
    assert (b.project / "d/e/f").read_text() == "content"


def test_it_is_no_run_and_a_look_is_no_change(dev):
    dev.ok("rm", "b")
    (dev.project / "f").write_text("x")
    dev.ok("create", "b", "--autosnap")
    dev.ok("file read", "b", "f")
    dev.ok("file ls", "b")
    dev.ok("file stat", "b", "f")
    assert dev.ok("show", "b")["snapshots"] == 0
    dev.ok("file write", "b", "f", "--content", "y")
    assert dev.ok("show", "b")["snapshots"] == 1
    dev.ok("file read", "b", "f")
    assert dev.ok("show", "b")["snapshots"] == 1
    assert dev.ok("history")["runs"] == []
    dev.ok("promote", "b")
    assert (dev.project / "f").read_text() == "y"


@pytest.fixture(name="short")
def fixture_short():
    """A box remembers the path of its profile, if it is not too long."""
    with tempfile.TemporaryDirectory(prefix="p-", dir="/tmp") as folder:
        yield pathlib.Path(folder)


def test_limits_of_the_box_hold(tmp_path, short):
    profiles = short / "small.yaml"
    profiles.write_text("name: small\nextends: dev\ndisk: 2m\nfile-size: 1m\n")
    os.chmod(profiles, 0o600)
    b = FileBox(tmp_path, str(profiles))
    assert "file-size" in b.refused("EFBIG", "file write", "b", "f", data=b"x" * (1500 << 10))
    b.ok("file write", "b", "f", data=os.urandom(900 << 10))
    b.ok("file write", "b", "g", data=os.urandom(900 << 10))
    assert "--disk" in b.refused("EDQUOT", "file write", "b", "h", data=os.urandom(900 << 10))
    assert [e["path"] for e in b.ok("file ls", "b")["entries"]] == ["f", "g"]
    b.ok("file rm", "b", "g")
    b.ok("file write", "b", "h", data=os.urandom(900 << 10))


def test_secrets_do_not_come_out(tmp_path):
    value = "correct-horse-battery-staple"
    b = FileBox(tmp_path, "dev")
    b.env["S"] = value
    b.sh("(head -c 5000 /dev/zero | tr '\\0' x; cat /run/secrets/s; echo behind) > kept; base64 -w0 /run/secrets/s > coded",
         options=("--secret", "s=env:S"))
    r = b.ok("file read", "b", "kept")
    assert value not in r["content"] and "[secret s]" in r["content"] and r["redacted"]
    assert r["content"].startswith("xxx") and r["content"].endswith("behind\n")
    for at in range(4990, 5040, 7):  # a window that cuts through it
        piece = b.ok("file read", "b", "kept", "--offset", str(at), "--limit", "10")
        for i in range(len(value) - 3):
            assert value[i:i + 4] not in piece["content"]
    assert value not in base64.b64decode(b.ok("file read", "b", "kept", "--encoding", "base64")["content"]).decode()
    assert base64.b64encode(value.encode()).decode()[:20] not in b.ok("file read", "b", "coded")["content"]
    b.sh(f"touch '{value}'")
    assert value not in str(b.ok("file ls", "b"))
    with b.live(options=("--secret", "s=env:S")):
        assert value not in b.ok("file read", "b", "/run/secrets/s")["content"]


@pytest.mark.big
def test_killed_in_the_middle(dev):
    """The old file or the new one, and no other name beside it that stays."""
    size = 8 << 20
    dev.ok("file write", "b", "f", data=b"old" * 1000)
    whole = {b"old" * 1000, b"n" * size}
    ended = set()
    for i in range(14):
        p = dev.start("file write", "b", "f", stdin=-1)
        p.stdin.write(b"n" * size)
        p.stdin.close()
        while p.poll() is None and not at_work(p):
            pass
        try:
            p.wait(timeout=0.001 * (i % 7))
        except subprocess.TimeoutExpired:
            dev.slay(p)
        p.stdout.close()
        p.stderr.close()
        names = [e["path"] for e in dev.ok("file ls", "b")["entries"]]
        stat = dev.ok("file stat", "b", "f")
        assert names == ["f"]
        assert stat["sha256"] in {sha(w) for w in whole}
        ended.add(stat["size"])
        if stat["size"] == size:
            dev.ok("file write", "b", "f", data=b"old" * 1000)
    assert 3000 in ended


def test_many_at_once(dev):
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda i: dev.ok("file write", "b", f"f{i}", "--content", str(i)), range(24)))
    assert len(dev.ok("file ls", "b")["entries"]) == 24


class Watcher:
    """`file watch` under way; collects what it tells."""

    def __init__(self, b, *words):
        self.p = b.start("file watch", "b", *words)
        os.set_blocking(self.p.stdout.fileno(), False)
        self.text, self.seen = b"", []
        wait_until(lambda: self.has("ready"), 30, "the watch")

    def read(self):
        self.text += self.p.stdout.read() or b""
        *lines, self.text = self.text.split(b"\n")
        self.seen += map(json.loads, lines)
        return self.seen

    def has(self, change, path=None, **more):
        return any(e["type"] == change and path in (None, e["path"]) and more.items() <= e.items() for e in self.read())

    def wait(self, *what, **more):
        wait_until(lambda: self.has(*what, **more), 30, f"{what} {more} among {self.seen}")

    def end(self):
        self.p.terminate()
        self.p.communicate(timeout=50)


def test_watch(b):
    (b.project / "a").write_text("a")
    (b.project / "sub").mkdir()
    w = Watcher(b, "--recursive")
    b.ok("file write", "b", "new", "--content", "x")  # while it is idle
    w.wait("create", "new", kind="file")
    with b.live("echo more >> a; echo y > sub/deep; mkdir d"):  # by a command
        w.wait("modify", "a")
        w.wait("create", "sub/deep")
        w.wait("create", "d", kind="directory")
        b.ok("file mv", "b", "new", "moved")
        w.wait("rename", "moved", **{"from": "new"})
        b.ok("exec", "b", "--", "chmod", "600", "moved")
        w.wait("chmod", "moved")
        b.ok("exec", "b", "--", "rm", "-r", "sub")
        w.wait("remove", "sub/deep")
        w.wait("remove", "sub")
    b.sh("echo last > at-the-end")
    w.wait("create", "at-the-end")
    w.end()
    wait_until(lambda: b.processes() == [], what="the end of who watched in the box")


def test_a_watch_does_not_keep_a_box_alive(dev):
    (dev.project / "aisbx.yaml").write_text("services:\n  quick:\n    command: [sleep, '600']\n")
    with dev.live() as p:
        w = Watcher(dev)
        wait_until(lambda: dev.ok("file ls", "b"))
        began = time.monotonic()
        p.communicate(timeout=50)
        assert p.returncode == 0 and time.monotonic() - began < pace.seconds(40)
        dev.ok("file write", "b", "then", "--content", "x")
        w.wait("create", "then")
        w.end()
    out, _ = dev.start("file watch", "b", "--timeout", "300ms").communicate(timeout=50)
    assert json.loads(out.splitlines()[-1]) == {"path": str(dev.project), "events": 0}


def test_a_watched_box_that_is_rolled_back_or_removed(dev):
    dev.ok("file write", "b", "f", "--content", "1")
    dev.ok("snap", "b", "s")
    dev.ok("file write", "b", "g", "--content", "1")
    w = Watcher(dev)
    dev.ok("rollback", "b", "s")
    w.wait("remove", "g")
    dev.ok("rm", "b")
    out, _ = w.p.communicate(timeout=50)
    assert b"ENOENT" in w.text + out and w.p.returncode == 125
