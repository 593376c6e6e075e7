# SPDX-License-Identifier: Apache-2.0
"""Undo: which promotion is meant where one stands, and times of directories."""
import os

import pytest

import rpc
from promotion import Shelf

STAMP = 1.5e9


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    shelf = Shelf(tmp_path)
    yield shelf
    names = [b["name"] for b in shelf.ok("ls", "--all")["boxes"]]
    if names:
        shelf.ok("rm", *names)


def times(top):
    """When everything below TOP, and TOP itself, changed last."""
    names = [os.path.join(here, n) for here, dirs, files in os.walk(top) for n in dirs + files]
    return {os.path.relpath(p, top): os.lstat(p).st_mtime_ns for p in [top, *names]}


def old(top):
    for here, dirs, files in os.walk(top, topdown=False):
        for name in dirs + files:
            os.utime(os.path.join(here, name), (STAMP, STAMP), follow_symlinks=False)
    os.utime(top, (STAMP, STAMP))


SCRIPT = "echo two > a; rm d/gone; echo new > d/e/new; mkdir made; echo x > made/x; touch -d 2021-01-01 made; touch -d 2019-01-01 t"


@pytest.fixture(name="project")
def fixture_project(shelf):
    shelf.write(a="one\n", d__gone="1\n", d__e__here="2\n", t__x="3\n", same__x="4\n")
    old(shelf.project)
    return shelf.project


def test_times_of_directories(shelf, project):
    before = times(project)
    shelf.box("b", SCRIPT)
    shelf.ok("promote", "b")
    new = times(project)
    assert {p for p in before if new.get(p) != before[p]} == {".", "a", "d", "d/gone", "d/e", "t"}
    assert new["made"] == 1609459200 * 10**9 and new["t"] == 1546300800 * 10**9, "what the box made has the times of the box"
    shelf.ok("undo")
    assert times(project) == before


def test_times_of_a_directory_that_somebody_put_something_into(shelf, project):
    """What came since stays, and the directory says so; the others are as they were."""
    before = times(project)
    shelf.box("b", SCRIPT)
    shelf.ok("promote", "b")
    (project / "d" / "mine").write_text("host\n")
    shelf.ok("undo")
    after = times(project)
    assert {p for p in after if after[p] != before.get(p)} == {"d", "d/mine"} and after["d"] > before["d"]


def test_times_where_slots_are_in_the_target(shelf, project, tmp_path_factory):
    """The state is on another mount: what aisbx needs in the target itself leaves no trace either."""
    other = Shelf(tmp_path_factory.mktemp("other"), state=f"/dev/shm/aisbx-{os.getpid()}-{os.getuid()}")
    try:
        other.project = project
        before = times(project)
        other.box("b", SCRIPT)
        other.ok("promote", "b")
        assert (project / ".aisbx").is_dir(), "the control: the slots are not in the target"
        other.ok("undo")
        assert times(project) == before
    finally:
        other.ok("rm", "b")
        os.system(f"rm -rf {other.state.parent}")


def second(shelf, name="other"):
    """Another project with a promotion of its own, newer than all others."""
    where = shelf.project.parent / name
    where.mkdir(exist_ok=True)
    (where / "x").write_text("one\n")
    shelf.ok("create", name, cwd=where)
    shelf.ok("run", "--box", name, "--", "sh", "-c", "echo two > x", cwd=where)
    return where, shelf.ok("promote", name, cwd=where)["promotion"]


def test_undo_is_of_the_project_one_stands_in(shelf):
    shelf.write(a="one\n", sub__b="1\n")
    shelf.box("b", "echo two > a")
    mine = shelf.ok("promote", "b")["promotion"]
    where, theirs = second(shelf)
    assert shelf.ok("undo", "--dry-run", cwd=where)["promotion"] == theirs
    assert shelf.ok("undo", cwd=shelf.project / "sub")["promotion"] == mine
    assert (where / "x").read_text() == "two\n" and shelf.read("a") == "one\n"
    said = shelf.refused("ENOENT", "undo")
    assert str(where) in said and f"aisbx undo {theirs}" in said and f"no promotion of '{shelf.project}'" in said
    shelf.refused("ENOENT", "undo", cwd=shelf.project.parent)
    assert shelf.ok("undo", theirs)["undone"], "by its id from anywhere"
    assert "no promotion that can be undone" in shelf.refused("ENOENT", "undo")


def test_undo_of_a_project_or_box_that_is_named(shelf):
    shelf.write(a="one\n")
    shelf.box("b", "echo two > a")
    mine = shelf.ok("promote", "b")["promotion"]
    where, theirs = second(shelf)
    assert shelf.ok("undo", "-n", "--project", where)["promotion"] == shelf.ok("undo", "-n", "--box", "other")["promotion"] == theirs
    assert shelf.ok("undo", "-n", "--box", "b", cwd=where)["promotion"] == mine
    assert "give only one of" in shelf.refused("EINVAL", "undo", mine, "--box", "b")
    with rpc.Rpc(cwd=shelf.project, env=shelf.env) as there:
        assert there.call("undo", box="b", dry_run=True)["promotion"] == mine
        assert there.call("undo", project=str(where), dry_run=True)["promotion"] == theirs
    shelf.ok("undo", "--box", "b")
    assert "of this box" in shelf.refused("ENOENT", "undo", "--box", "b")


def test_undo_in_a_project_within_another(shelf):
    shelf.write(a="one\n", inner__x="one\n")
    shelf.ok("create", "i", cwd=shelf.project / "inner")
    shelf.ok("run", "--box", "i", "--", "sh", "-c", "echo two > x", cwd=shelf.project / "inner")
    inner = shelf.ok("promote", "i")["promotion"]
    shelf.box("b", "echo two > a")
    outer = shelf.ok("promote", "b")["promotion"]
    assert shelf.ok("undo", "-n", cwd=shelf.project / "inner")["promotion"] == inner
    assert shelf.ok("undo", "-n")["promotion"] == outer


def test_what_went_elsewhere_is_of_its_boxs_project(shelf, tmp_path):
    there = tmp_path / "elsewhere"
    there.mkdir()
    shelf.write(a="one\n")
    shelf.box("b", "echo two > new")
    gone = shelf.ok("promote", "b", "--to", there)["promotion"]
    assert shelf.ok("undo", "-n")["promotion"] == shelf.ok("undo", "-n", cwd=there)["promotion"] == gone
    shelf.ok("rm", "b")
    shelf.refused("ENOENT", "undo")
    assert shelf.ok("undo", cwd=there)["promotion"] == gone and not (there / "new").exists()
