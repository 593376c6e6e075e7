# SPDX-License-Identifier: Apache-2.0
"""Where boxes and projects are: state inside of what is cloned, snapshots of a box that is in use, projects that were moved."""
import json
import os
import shutil
import tempfile

import pytest

from promotion import Shelf, paths


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    shelf = Shelf(tmp_path)
    yield shelf
    names = [b["name"] for b in shelf.ok("ls", "--all")["boxes"]]
    if names:
        shelf.ok("rm", *names)


# Root's boxes have the system to write to: layers that lie below it must not be in each other's way.

@pytest.fixture(name="var")
def fixture_var():
    where = tempfile.mkdtemp(dir="/var/lib" if os.getuid() == 0 else "/var/tmp", prefix="aisbx-test-")
    shelf = Shelf(where)
    yield shelf
    shelf.ok("rm", *[b["name"] for b in shelf.ok("ls", "--all")["boxes"]])
    shelf.ok("gc")
    shutil.rmtree(where)


def test_state_below_var(var):
    root = os.getuid() == 0
    var.write(a="one\n")
    var.box("b", "echo two >> a; " + ("echo x > /var/aisbx-test; ls /var/lib/dpkg >/dev/null" if root else "true"))
    assert var.sh("b", f"ls -A {var.state} || true").strip() == "", "the state itself is not to be seen"
    for name in ("s1", "s2"):
        var.ok("snap", "b", name)
        assert var.sh("b", f"echo {name} >> a; " + (f"cat /var/aisbx-test; echo {name} >> /var/aisbx-test" if root else "echo x")).startswith("x\n")
    assert var.sh("b", "cat a") == "one\ntwo\ns1\ns2\n"
    assert paths(var.ok("promote", "b")["changes"]) == ["a"] and var.read("a") == "one\ntwo\ns1\ns2\n"
    assert not os.path.exists("/var/aisbx-test")
    var.ok("undo")
    var.ok("rollback", "b", "s1")
    assert var.sh("b", "cat a" + ("; cat /var/aisbx-test" if root else "")) == "one\ntwo\n" + ("x\n" if root else "")
    var.ok("fork", "b@s1", "--name", "f")
    assert var.sh("f", "cat a") == "one\ntwo\n"


# A snapshot does not change: it can be promoted while its box is at work.

@pytest.fixture(name="live")
def fixture_live(shelf):
    """A box whose run waits for `go`, with a snapshot of it."""
    shelf.write(a="one\n")
    shelf.box("b", "echo two > a")
    shelf.ok("snap", "b", "idle")
    run = shelf.start("run", "--box", "b", "--", "sh", "-ec", "echo three > a; echo new > n; echo begun; while [ ! -e go ]; do sleep 0.02; done; echo four > a")
    assert run.stdout.readline() == b"begun\n"
    shelf.ok("snap", "b", "live")
    yield shelf
    if run.poll() is None:
        shelf.sh("b", "touch go")
    run.communicate(timeout=60)


def test_a_snapshot_of_a_live_box(live):
    assert "in use" in live.refused("EBUSY", "promote", "b"), "the control: as it is, it changes"
    assert paths(live.ok("promote", "b@live", "--dry-run")["changes"]) == ["a", "n"]
    done = live.ok("promote", "b@live")
    assert done["box"] == "b" and live.read("a") == "three\n" and live.read("n") == "new\n"
    assert [b["name"] for b in live.ok("ls", "--all")["boxes"]] == ["b"], "what held it still is gone"
    assert live.ok("undo", "--box", "b")["box"] == "b" and live.read("a") == "one\n" and live.read("n") is None


def test_an_older_snapshot_of_a_live_box(live):
    live.ok("promote", "b@idle")
    assert live.read("a") == "two\n" and live.read("n") is None


def pipeline(shelf, *words):
    process = shelf.start("pipeline", *words, "--json")
    out, _ = process.communicate(timeout=120)
    return json.loads(out.splitlines()[-1])


def test_a_pipeline_of_a_live_box(live):
    (live.project / "aisbx.yaml").write_text("stages: [{name: dev, to: {directory: .}, gates: [not traps, {command: grep three a}]}]\n")
    for words in (("b@live",), ("b",)):
        done = pipeline(live, "run", *words)
        assert done["state"] == "done" and live.read("a") == "three\n", done
        pipeline(live, "undo", done["pipeline"])
        assert live.read("a") == "one\n"


# A box belongs to a directory, whatever that is called.

@pytest.mark.parametrize("how", ("beside", "above", "away"))
def test_a_project_that_was_renamed(shelf, tmp_path, how):
    old = shelf.project = tmp_path / "work" / "shop"
    old.mkdir(parents=True)
    shelf.write(a="one\n")
    shelf.ok("create", "b", cwd=old)
    shelf.ok("run", "--box", "b", "--", "sh", "-c", "echo two > a; echo new > n", cwd=old)
    assert shelf.ok("show", "b", cwd=old)["project_is"] == "there"
    (tmp_path / "far" / "deep").mkdir(parents=True)
    now = {"beside": tmp_path / "work" / "store", "above": tmp_path / "work2" / "shop", "away": tmp_path / "far" / "deep" / "shop"}[how]
    if how == "above":
        os.rename(tmp_path / "work", tmp_path / "work2")
    else:
        os.rename(old, now)
    shelf.project = now
    there = {"cwd": now if how == "away" else tmp_path}
    seen = shelf.ok("show", "b", **there)
    assert (seen["project_is"], seen["project_now"]) == ("moved", str(now))
    assert [b["project_is"] for b in shelf.ok("ls", "--all", **there)["boxes"]] == ["missing"]
    for words in (("promote", "b"), ("diff", "b")):
        assert f"aisbx rename b --project {now}" in shelf.refused("ENOTDIR", *words, **there)
    if how == "away":
        assert shelf.ok("show", "b", cwd=tmp_path)["project_is"] == "missing", "the control: it is found because one stands in it"
        assert "--project DIR" in shelf.refused("ENOENT", "promote", "b", cwd=tmp_path)
    assert shelf.ok("rename", "b", "--project", now, **there)["project"] == str(now)
    assert shelf.ok("show", "b", **there)["project_is"] == "there"
    assert shelf.ok("run", "--box", "b", "--", "cat", "a", **there)["stdout"] == "two\n"
    assert paths(shelf.ok("promote", "b", **there)["changes"]) == ["a", "n"] and shelf.read("a") == "two\n"
    shelf.ok("undo", cwd=now)
    assert shelf.read("a") == "one\n" and shelf.read("n") is None


def test_another_directory_with_the_old_name(shelf, tmp_path):
    """Nothing goes into it, by whatever way, until a person says that it is the right one."""
    shelf.write(a="one\n")
    shelf.box("b", "echo two > a")
    os.rename(shelf.project, tmp_path / "kept")
    shelf.project.mkdir()
    shelf.write(a="one\n")
    assert shelf.ok("show", "b")["project_is"] == "moved" and shelf.ok("show", "b")["project_now"] == str(tmp_path / "kept")
    for words in (("promote", "b"), ("promote", "b", "--conflict", "overwrite", "--yes"), ("promote", "b", "--artifact", "a"), ("promote", "b", "a"),
                  ("run", "--box", "b", "--", "true")):
        assert "was moved" in shelf.refused("ENOTDIR", *words)
    os.system(f"rm -r {tmp_path}/kept")
    assert shelf.ok("show", "b")["project_is"] == "replaced"
    assert "is not the directory that box 'b' was made from" in shelf.refused("ENOTDIR", "promote", "b")
    shelf.ok("rename", "b", "c", "--project", shelf.project)
    shelf.ok("promote", "c", "--conflict", "overwrite")
    assert shelf.read("a") == "two\n"


def test_a_fork_remembers_the_directory_of_its_box(shelf, tmp_path):
    shelf.write(a="one\n")
    shelf.box("b", "echo two > a")
    shelf.ok("snap", "b", "s")
    os.rename(shelf.project, tmp_path / "kept")
    shelf.project.mkdir()
    shelf.ok("fork", "b@s", "--name", "f")
    assert shelf.ok("show", "f")["project_now"] == str(tmp_path / "kept")
    assert "was moved" in shelf.refused("ENOTDIR", "promote", "f")


def test_rename_wants_something_to_do(shelf):
    shelf.box("b")
    assert "new name" in shelf.refused("EINVAL", "rename", "b")
    shelf.refused("ENOENT", "rename", "b", "--project", "nowhere")
    assert "stores its boxes" in shelf.refused("EINVAL", "rename", "b", "--project", shelf.state.parent)
