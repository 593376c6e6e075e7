# SPDX-License-Identifier: Apache-2.0
"""A pinned box keeps the project as it was: nothing that is done to it outside is seen, and it can still be promoted.

The same file runs as root and as an ordinary user.
"""
import os
import signal
import subprocess

import pytest

import box
import promote
from test_drift import git, kinds, later, said, write


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    shelf = promote.Shelf(tmp_path)
    shelf.write = lambda **files: write(shelf, files)
    shelf.write(a="1\n", b="1\n", src__c="1\n", text="".join(f"{i}\n" for i in range(20)))
    yield shelf
    for kept in shelf.ok("ls", "--all")["boxes"]:  # a layer has directories that nobody else can remove
        shelf.ok("rm", kept["id"])
    shelf.ok("gc")
    if (shelf.state / "layers").exists():
        assert os.listdir(shelf.state / "layers") == []


def upset(shelf):
    """Everything that can be done to the project outside."""
    later(shelf)
    shelf.write(a="outside\n", new="1\n")
    (shelf.project / "b").unlink()
    os.rename(shelf.project / "src", shelf.project / "source")


AS_IT_WAS = "1\n1\n1\n"
LOOK = "cat a b src/c; test ! -e new; test ! -e source"


def test_pinned(shelf):
    assert said(shelf, "create", "--pin", "b")[0].startswith("the box uses a copy of the project as it is now: 5 files, ")
    upset(shelf)
    assert shelf.sh("b", LOOK) == AS_IT_WAS
    told = said(shelf, "diff", "b")
    assert told == ["5 files of the project changed outside since the box was pinned:", "  b (deleted)", "  src (deleted)", "  a (changed)", "  new (added)",
                    "  source (added)"]
    shown = shelf.ok("show", "b")
    assert shown["pinned_ms"] and shown["drift"]["of"] == "pin"
    assert kinds(shown["drift"]) == {"b": "deleted", "src": "deleted", "a": "changed", "new": "added", "source": "added"}
    shelf.write(a="1\n")
    (shelf.project / "source" / "c").chmod(0o644)
    os.utime(shelf.project / "text")
    assert "a" not in kinds(shelf.ok("diff", "b")["drift"]) and "text" not in kinds(shelf.ok("diff", "b")["drift"]), "what is the same again is no news"
    assert shelf.ok("diff", "b")["changes"] == []
    shelf.ok("create", "live")
    assert shelf.ok("show", "live")["pinned_ms"] is None
    assert shelf.sh("live", "cat source/c new") == "1\n1\n", "control: one that is not pinned sees it"


def test_the_project_itself_goes(shelf):
    shelf.ok("create", "--pin", "b")
    os.rename(shelf.project, shelf.root / "elsewhere")
    status, result = shelf.call("run", "--box", "b", "--", "sh", "-c", "cat a; echo 2 > a; cat a", cwd=shelf.root)
    assert status == 0 and result["stdout"] == "1\n2\n", result
    os.rename(shelf.root / "elsewhere", shelf.project)
    assert shelf.ok("show", "b")["drift"]["files"] == []


def test_forks_and_snapshots_have_it(shelf):
    shelf.ok("create", "--pin", "b")
    shelf.sh("b", "echo box > own")
    shelf.ok("snap", "b", "s")
    shelf.ok("fork", "b", "--count", "2", "--name", "f")
    shelf.ok("rm", "b")
    upset(shelf)
    assert shelf.sh("f-1", LOOK + "; cat own") == AS_IT_WAS + "box\n"
    shelf.ok("snap", "f-1", "t")
    shelf.sh("f-1", "rm -r src own")
    shelf.ok("rollback", "f-1", "t")
    assert shelf.sh("f-1", LOOK + "; cat own") == AS_IT_WAS + "box\n"
    shelf.ok("gc")
    assert sum(name.startswith("pin-") for name in os.listdir(shelf.state / "layers")) == 1, "one copy for all"
    assert shelf.sh("f-2", LOOK) == AS_IT_WAS


def test_a_snapshot_pins(shelf):
    shelf.ok("create", "b")
    shelf.sh("b", "echo box > own")
    shelf.ok("snap", "b", "before")
    later(shelf)
    shelf.write(c="1\n")
    told = said(shelf, "snap", "--pin", "b", "here")
    assert told[:2] == ["1 file of the project changed outside since the box was made:", "  c (added)"]
    assert told[2].startswith("the box uses a copy of the project as it is now, with these changes: 6 files, ") and len(told) == 3
    upset(shelf)
    assert shelf.sh("b", LOOK + "; cat c own; echo 2 > a") == AS_IT_WAS + "1\nbox\n"
    status, result = shelf.call("snap", "--pin", "b", "again")
    assert status == 125 and "box 'b' is pinned already" in result["error"]["text"]
    shelf.ok("rollback", "b", "before")
    assert shelf.sh("b", "cat a source/c own") == "outside\n1\nbox\n", "that was before"
    shelf.ok("rollback", "b", "here")
    assert shelf.sh("b", LOOK + "; cat own") == AS_IT_WAS + "box\n"
    assert {s["name"]: bool(s["parent"]) for s in shelf.ok("tree", "--all")["snapshots"]} == {"before": False, "here": True}


def test_a_live_box_is_not_pinned(shelf):
    shelf.ok("create", "b")
    with shelf.start("run", "--box", "b", "--", "sh", "-c", "echo ready; read end", stdin=subprocess.PIPE) as p:
        assert p.stdout.readline() == b"ready\n"
        status, result = shelf.call("snap", "--pin", "b")
        assert status == 125 and "pin it when they have ended" in result["error"]["text"]
        p.communicate(b"\n", timeout=60)
    shelf.ok("snap", "--pin", "b")


def test_it_goes_home(shelf):
    (shelf.project / "large").write_bytes(b"x" * (5 << 20))  # more than what is kept of a project that is not pinned
    shelf.ok("create", "--pin", "b")
    later(shelf)
    shelf.sh("b", "sed -i s/^3$/box/ text; echo box > own; rm b; printf y | dd of=large conv=notrunc 2>&1")
    shelf.write(text="".join("host\n" if i == 15 else f"{i}\n" for i in range(20)), a="outside\n")
    os.utime(shelf.project / "large")
    result = shelf.promoted("b")
    assert result["summary"]["merged"] == 1 and result["conflicts"] == []
    lines = (shelf.project / "text").read_text().split()
    assert lines[3] == "box" and lines[15] == "host" and (shelf.project / "a").read_text() == "outside\n"
    assert not (shelf.project / "b").exists() and (shelf.project / "own").read_text() == "box\n"
    assert (shelf.project / "large").read_bytes()[:2] == b"yx"
    assert shelf.call("promote", "b")[1]["promotion"] is None, "all of it is there"
    shelf.sh("b", "sed -i s/^15$/both/ text")
    assert [c["path"] for c in shelf.stopped("b")["conflicts"]] == ["text"]
    shelf.undo("--conflict", "overwrite")
    assert (shelf.project / "b").read_text() == "1\n"


def test_commits_go_home(shelf):
    git(shelf, "init", "-q", "-b", "main")
    git(shelf, "add", ".")
    git(shelf, "commit", "-qm", "first")
    shelf.ok("create", "--pin", "b")
    git(shelf, "checkout", "-qb", "aside")
    git(shelf, "checkout", "-q", "main")
    shelf.sh("b", "git config user.name n; git config user.email n@example.org; test -z \"$(git status --short)\"; "
             "git branch --list aside; echo 2 > a; git commit -qam 'in the box'")
    result = shelf.promoted("b")
    assert [x["how"] for x in result["branches"]] == ["forward"]
    done = subprocess.run(["git", "log", "--format=%s"], cwd=shelf.project, env=shelf.env, capture_output=True, text=True, check=True)
    assert done.stdout == "in the box\nfirst\n" and (shelf.project / "a").read_text() == "2\n"


def test_it_is_the_same_in_every_way(shelf):
    p = shelf.project
    os.link(p / "a", p / "src" / "twin")
    os.symlink("nowhere", p / "link")
    os.mkfifo(p / "pipe")
    with open(p / "sparse", "wb") as f:
        f.seek(64 << 20)
        f.write(b"end")
    os.setxattr(p / "b", "user.note", b"kept")
    (p / "shut").write_text("own\n")
    (p / "shut").chmod(0)
    (p / "closed").mkdir()
    (p / "closed" / "f").write_text("1\n")
    os.utime(p / "closed" / "f", ns=(1, 1_000_000_001))
    (p / "closed").chmod(0o500)
    if box.IS_ROOT:
        os.chown(p / "b", 1234, 1234)
    result = shelf.ok("create", "--pin", "b")
    assert result["pin"]["unreadable"] == 0 and not (p / ".links").exists()
    copy, = (shelf.state / "layers").glob("pin-*/pin/up")
    want, have = (promote.tree(d) for d in (p, copy))
    promote.assert_same(want, have, "the copy")
    assert os.stat(copy / "sparse").st_blocks <= os.stat(p / "sparse").st_blocks + 64
    (p / "closed").chmod(0o700)


def test_cut_off(shelf):
    for i in range(3000):
        (shelf.project / f"f{i}").touch()
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with shelf.start("create", "--pin", "b") as p:
            box.wait_until(lambda: list((shelf.state / "layers").glob("pin-*")) if (shelf.state / "layers").exists() else [], what="the copy's begin")
            p.send_signal(signal.SIGSTOP)
            p.send_signal(how)
            p.send_signal(signal.SIGCONT)
            p.communicate(timeout=60)
            assert p.returncode == -how, p.returncode
        if how == signal.SIGKILL:
            assert shelf.ok("gc")["leftovers"] == 1
        assert os.listdir(shelf.state / "layers") == [] and shelf.ok("ls", "--all")["boxes"] == []
    shelf.ok("create", "--pin", "b")


def test_no_room(shelf):
    """On a file system that is too small for it, which only this process sees."""
    (shelf.project / "large").write_bytes(os.urandom(3 << 20))
    state = shelf.root / "small"
    state.mkdir()
    words = [box.aisbx(), "create", "--pin", "b", "--project", shelf.project]
    script = 'mount -t tmpfs -o size=2m none "$1"; shift; XDG_STATE_HOME="$1" exec "${@:2}"'
    done = subprocess.run(["unshare", "-rm" if not box.IS_ROOT else "-m", "bash", "-ec", script, "sh", state, state, *words], cwd=shelf.project,
                          env={**shelf.env}, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 125 and "a copy of the project needs 3" in done.stderr and " of disk space, and " in done.stderr, done


def test_a_long_chain(shelf):
    """Folding leaves the copy where it is."""
    shelf.ok("create", "--pin", "b")
    upset(shelf)
    for i in range(66):
        if i % 20 == 0:
            shelf.sh("b", f"echo {i} > own")
        shelf.ok("snap", "b", f"s{i}")
    assert shelf.sh("b", LOOK + "; cat own") == AS_IT_WAS + "60\n"
    shelf.ok("rollback", "b", "s3")
    assert shelf.sh("b", LOOK + "; cat own") == AS_IT_WAS + "0\n"


def test_two_pins_are_not_one_project(shelf):
    shelf.ok("create", "--pin", "b")
    shelf.ok("create", "--pin", "c")
    shelf.ok("fork", "b", "--name", "d")
    shelf.sh("b", "echo b > of-b")
    shelf.sh("d", "echo d > of-d")
    status, result = shelf.call("combine", "b", "c")
    assert status == 125 and "are not based on the same project" in result["error"]["text"]
    upset(shelf)
    shelf.ok("combine", "b", "d", "--name", "both")
    assert shelf.sh("both", LOOK + "; cat of-b of-d") == AS_IT_WAS + "b\nd\n"


def test_a_copy_that_is_gone_is_no_copy(shelf):
    shelf.ok("create", "--pin", "b")
    copy, = (shelf.state / "layers").glob("pin-*/pin/up")
    aside = shelf.root / "aside"
    os.rename(copy, aside)
    status, result = shelf.call("run", "--box", "b", "--", "true")
    assert status == 125 and "that the box is pinned to" in result["error"]["text"], "it does not see the real one instead"
    os.rename(aside, copy)
    assert shelf.sh("b", LOOK) == AS_IT_WAS
