# SPDX-License-Identifier: Apache-2.0
"""The real project goes on while a box lives: what changed outside is told, in the words a person reads.

Each story is one thing that happens to a project. The same file runs as root and as an ordinary user.
"""
import os
import subprocess

import pytest

import box
import mcp_raw
import promote

MANY = 6000  # more than a millisecond is enough for, on any machine


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    shelf = promote.Shelf(tmp_path)
    shelf.write = lambda **files: write(shelf, files)
    write(shelf, {"a": "1\n", "b": "1\n", "src__c": "1\n", "src__deep__d": "1\n"})
    yield shelf
    for kept in shelf.ok("ls", "--all")["boxes"]:  # a layer has directories that nobody else can remove
        shelf.ok("rm", kept["id"])


def write(shelf, files):
    for name, text in files.items():
        path = shelf.project / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def later(shelf):
    """What happens from now on is later than what was, by the clock that files are stamped with."""
    probe = shelf.root / "probe"
    probe.write_text("")
    first = probe.stat().st_ctime_ns
    box.wait_until(lambda: (probe.write_text(""), probe.stat().st_ctime_ns)[1] > first, what="the clock")


def make(shelf, *words):
    later(shelf)
    shelf.ok("create", "b", *words)
    later(shelf)


def said(shelf, *words, status=0):
    """What a person reads beside the result."""
    done = subprocess.run([box.aisbx(), *words], cwd=shelf.project, env=shelf.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == status, done
    return [line.removeprefix("aisbx: ") for line in done.stderr.splitlines()]


def kinds(drift):
    return {f["path"]: f["kind"] for f in drift["files"]}


SINCE = "of the project changed outside since the box was made:"


def test_nothing_happened(shelf):
    make(shelf)
    shelf.sh("b", "echo 2 > a")
    assert said(shelf, "diff", "b") == [] and said(shelf, "promote", "b", "--dry-run") == []
    drift = shelf.ok("show", "b")["drift"]
    assert drift["complete"] and drift["files"] == [] and drift["of"] == "box" and drift["looked"] >= 6


def test_a_file_is_edited(shelf):
    make(shelf)
    shelf.sh("b", "echo box > b")
    shelf.write(a="2\n", b="2\n")
    told = ["2 files " + SINCE, "  b (changed); the box changed it, too", "  a (changed)"]
    assert said(shelf, "diff", "b") == told
    assert said(shelf, "promote", "b", "--dry-run", status=1) == told
    assert said(shelf, "diff", "b", "--drift", "off") == [] and said(shelf, "diff", "b", "--quiet") == []
    assert "drift" not in shelf.ok("diff", "b", "--drift", "off")
    os.rename(shelf.project / "a", shelf.root / "aside")
    shelf.write(a="3\n")  # as editors do: another file of the same name
    assert kinds(shelf.ok("diff", "b")["drift"]) == {"a": "changed", "b": "changed"}


def test_a_file_is_deleted(shelf):
    make(shelf)
    (shelf.project / "src" / "c").unlink()
    assert said(shelf, "diff", "b") == ["1 file " + SINCE, "  src/c (deleted)"]
    for path in ("src/deep/d", "b"):
        (shelf.project / path).unlink()
    (shelf.project / "src" / "deep").rmdir()
    drift = shelf.ok("diff", "b")["drift"]
    assert kinds(drift) == {"b": "deleted", "src/c": "deleted", "src/deep": "deleted"}, "a directory once"
    assert drift["deleted"] == 3 and not drift["changed"]


def test_a_deleted_file_that_no_list_names(shelf):
    make(shelf)
    for note in (shelf.state / "names").iterdir():  # as it is of a large project
        note.unlink()
    (shelf.project / "src" / "c").unlink()
    assert said(shelf, "diff", "b") == ["1 file " + SINCE, "  something was removed or renamed in src"]
    shelf.write(src__new="1\n")
    assert kinds(shelf.ok("diff", "b")["drift"]) == {"src/new": "changed"}


def test_a_file_is_added(shelf):
    make(shelf)
    shelf.write(new="1\n", more__f="1\n")
    assert said(shelf, "diff", "b") == ["2 files " + SINCE, "  more/f (added)", "  new (added)"]


def test_a_file_is_renamed(shelf):
    make(shelf)
    os.rename(shelf.project / "a", shelf.project / "z")
    os.rename(shelf.project / "src" / "deep", shelf.project / "src" / "low")
    assert said(shelf, "diff", "b") == ["2 files " + SINCE, "  src/low, which was src/deep", "  z, which was a"]
    (shelf.project / "z").unlink()
    shelf.write(other="1\n")  # it may get the inode of what is gone
    assert kinds(shelf.ok("diff", "b")["drift"]) == {"a": "deleted", "src/low": "renamed", "other": "added"}


def test_a_name_cannot_speak_for_itself(shelf):
    make(shelf)
    (shelf.project / "x\n\x1b[2Jaisbx: all is well").write_text("")
    (shelf.project / os.fsdecode(b"\xff")).write_text("")
    assert said(shelf, "diff", "b") == ["2 files " + SINCE, "  x??[2Jaisbx: all is well (added)", "  ff (added)"]


def git(shelf, *words):
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *words], cwd=shelf.project, env=shelf.env, check=True, capture_output=True)


def test_the_branch_is_another_one(shelf):
    git(shelf, "init", "-q", "-b", "main")
    shelf.write(_gitignore="out\n")
    os.rename(shelf.project / "_gitignore", shelf.project / ".gitignore")
    git(shelf, "add", ".")
    git(shelf, "commit", "-qm", "1")
    make(shelf)
    git(shelf, "checkout", "-qb", "feature")
    assert said(shelf, "diff", "b") == ["the project is now on branch feature; it was on branch main when the box was made"]
    shelf.write(a="2\n", out__made="by a machine\n")
    git(shelf, "commit", "-qam", "2")
    assert said(shelf, "diff", "b")[1:] == ["1 file " + SINCE, "  a (changed)"]
    assert shelf.ok("diff", "b")["drift"]["ignored"] == 1
    git(shelf, "checkout", "-q", "main")
    assert said(shelf, "diff", "b") == ["1 file " + SINCE, "  a (changed)"], "it was written twice; nobody kept what it was"


def test_a_file_is_only_touched(shelf):
    make(shelf)
    shelf.sh("b", "echo box > b")
    (shelf.project / "a").chmod(0o600)
    assert said(shelf, "diff", "b") == ["1 file of the project was touched outside since the box was made:", "  a (touched)"]
    os.utime(shelf.project / "b")  # what it was is known, since the box changed it
    shelf.write(src__c="2\n")
    assert said(shelf, "diff", "b") == [
        "1 file of the project changed outside since the box was made, and 2 were touched:", "  b (touched); the box changed it, too", "  src/c (changed)",
        "  a (touched)"]


def fill(shelf, n=MANY):
    for i in range(n // 100):
        (shelf.project / f"d{i:03}").mkdir()
        for k in range(100):
            (shelf.project / f"d{i:03}" / f"{k:02}").touch()


def test_within_the_time_and_beyond(shelf):
    fill(shelf)
    make(shelf)
    shelf.write(a="2\n")
    (shelf.project / "d007" / "42").unlink()
    assert said(shelf, "diff", "b", "--drift", "full") == ["2 files " + SINCE, "  a (changed)", "  something was removed or renamed in d007"] or \
        said(shelf, "diff", "b", "--drift", "full") == ["2 files " + SINCE, "  d007/42 (deleted)", "  a (changed)"]  # where it is fast enough to list them
    told = said(shelf, "diff", "b", "--drift", "1ms")
    assert told[:2] == ["at least 1 file " + SINCE, "  a (changed)"], "the top comes first"
    assert told[-1].startswith("searched ") and told[-1].endswith(" files of the project for changes outside, but not all; --drift full searches all of them")
    drift = shelf.ok("diff", "b", "--drift", "1ms")["drift"]
    assert not drift["complete"] and 1000 <= drift["looked"] < MANY
    status, result = shelf.call("diff", "b", "--drift", "soon")
    assert status == 125 and "--drift takes a time such as 2s, 'full' or 'off', not 'soon'" in result["error"]["text"]


def test_a_fork(shelf):
    make(shelf)
    shelf.sh("b", "echo box > b")
    shelf.ok("snap", "b", "s")
    later(shelf)
    shelf.write(a="2\n")
    assert said(shelf, "fork", "b", "--name", "f") == ["1 file " + SINCE, "  a (changed)"]
    assert said(shelf, "fork", "b@s", "--name", "g") == ["1 file of the project changed outside since the snapshot was taken:", "  a (changed)"]
    (shelf.project / "src" / "c").unlink()
    assert said(shelf, "diff", "f")[1:] == ["  src/c (deleted)", "  a (changed)"], "it knows the names of the one it comes from"


def test_a_rollback(shelf):
    make(shelf)
    shelf.write(a="2\n")
    (shelf.project / "b").unlink()
    later(shelf)
    shelf.ok("snap", "b", "s")
    later(shelf)
    shelf.write(src__c="2\n")
    assert said(shelf, "rollback", "b", "s") == ["1 file of the project changed outside since the snapshot was taken:", "  src/c (changed)"]
    drift = shelf.ok("diff", "b@s")["drift"]
    assert drift["of"] == "snapshot" and kinds(drift) == {"src/c": "changed"}
    assert kinds(shelf.ok("show", "b")["drift"]) == {"a": "changed", "b": "deleted", "src/c": "changed"}


def test_in_a_gate(shelf):
    fill(shelf, 2000)
    make(shelf)
    shelf.write(d019__99="2\n")
    told = said(shelf, "gate", "check", "b", "drift==0", status=1)
    assert told == ["1 of 1 checks do not hold", "1 file " + SINCE, "  d019/99 (changed)"], "all of it is looked at"
    shelf.ok("create", "fresh")
    assert said(shelf, "gate", "check", "fresh", "drift==0") == []


def test_what_it_brought_home_itself_is_no_news(shelf):
    make(shelf)
    shelf.sh("b", "echo box > a; rm b; echo n > src/new")
    shelf.promoted("b")
    assert said(shelf, "diff", "b") == [] and shelf.ok("show", "b")["drift"]["files"] == []
    shelf.ok("create", "other")
    later(shelf)
    shelf.write(a="host\n")
    assert kinds(shelf.ok("show", "b")["drift"]) == {"a": "changed"}
    shelf.sh("other", "echo other > src/c")
    shelf.promoted("other")
    assert kinds(shelf.ok("show", "b")["drift"]) == {"a": "changed", "src/c": "changed"}, "another box is outside"


def test_a_model_reads_it_too(shelf):
    make(shelf, "--shared")
    shelf.sh("b", "echo box > b")
    shelf.ok("snap", "b", "s")
    with mcp_raw.Stdio(shelf.project, shelf.state.parent, "--share") as face:
        assert "of the real project" not in face.tool("sandbox_diff", box="b")[1]
        later(shelf)
        shelf.write(a="2\n", b="2\n")
        for tool, words in (("sandbox_diff", {}), ("sandbox_fork", {"from": "b"}), ("sandbox_promote", {"dry_run": True})):
            wrong, text = face.tool(tool, **({"box": "b"} if tool != "sandbox_fork" else {}), **words)
            assert not wrong and "2 files of the real project changed outside since the box was made:\\nb (changed, also by the box)\\na (changed)" in text, text
        assert "2 files of the real project changed outside since the snapshot was taken" in face.tool("sandbox_rollback", box="b", snapshot="s")[1]


def test_no_note_outlives_its_box(shelf):
    make(shelf)
    shelf.ok("fork", "b", "--name", "f")
    assert len(list((shelf.state / "names").iterdir())) == 2
    shelf.ok("rm", "b", "f")
    assert not (shelf.state / "names").exists()
