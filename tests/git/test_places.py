# SPDX-License-Identifier: Apache-2.0
"""Repositories of every kind that people have, and others at work in them at the same moment."""
import os
import pathlib
import subprocess
import tempfile
import threading

import pytest

from box import IS_ROOT
from git_home import Home
from promotion import paths

COMMIT = "echo 2 >f; git commit -qam two"


@pytest.fixture(name="home")
def fixture_home(tmp_path):
    return Home(tmp_path)


# Kinds.

def test_sha256(tmp_path):
    home = Home(tmp_path, repository=False)
    home.git("init", "-q", "--object-format=sha256")
    home.commit("one", f="1\n")
    home.box(script=COMMIT + "; mkdir n; cd n; git init -q --object-format=sha256; echo 1 >x; git add x; git commit -qm x")
    home.promoted("b")
    assert home.subjects() == ["two", "one"] and len(home.at()) == 64 and home.subjects(at="n") == ["x"] and home.status("n") == ""
    home.sound()
    home.undo()
    assert home.subjects() == ["one"] and home.status() == ""


def cloned(tmp_path, *how):
    home = Home(tmp_path, repository=False)
    (home.root / "origin").mkdir()
    home.git("init", "-q", at="../origin")
    for i in range(3):
        home.commit(str(i), at="../origin", f=f"{i}\n")
    home.git("clone", "-q", *how, f"file://{home.root}/origin", ".")
    return home


def test_a_shallow_clone(tmp_path):
    home = cloned(tmp_path, "--depth", "1")
    home.box(script="echo x >f; git commit -qam two")
    home.promoted("b")
    assert home.subjects() == ["two", "2"] and home.status() == ""
    home.sound()


def test_a_clone_that_borrows_objects(tmp_path):
    """From a place that the box sees."""
    home = Home(tmp_path, repository=False)
    home.git("init", "-q", "store")
    home.commit("one", at="store", f="1\n")
    home.git("clone", "-q", "--shared", "store", "clone")
    home.box(script="cd clone; " + COMMIT)
    home.promoted("b")
    assert home.subjects(at="clone") == ["two", "one"] and home.status("clone") == ""
    home.sound()


def test_what_the_box_fetched_comes_with_its_commits(tmp_path):
    """A pull in the box; its remote branches stay."""
    home = cloned(tmp_path)
    home.commit("late", at="../origin", g="1\n")
    bundle = home.project / "late.bundle"
    home.git("bundle", "create", "-q", bundle, "main", at="../origin")
    home.box(script="git pull -q late.bundle main; rm late.bundle; git update-ref refs/remotes/origin/main HEAD")
    home.promoted("b")
    assert home.subjects() == ["late", "2", "1", "0"] and home.at("origin/main") == home.at("HEAD~1")


def test_packed_refs_on_the_host(home):
    home.git("branch", "side")
    home.git("pack-refs", "--all")
    home.box(script=COMMIT)
    home.promoted("b")
    assert home.subjects() == ["two", "one"] and home.at("refs/heads/side")
    home.undo()
    assert home.subjects() == ["one"] and home.refs().keys() == {"refs/heads/main", "refs/heads/side"}


def test_work_trees_with_a_configuration_of_their_own(home):
    home.git("config", "extensions.worktreeConfig", "true")
    home.git("config", "--worktree", "user.name", "Bob")
    home.box(script=COMMIT)
    home.promoted("b")
    assert home.subjects() == ["two", "one"] and home.git("config", "user.name") == "Bob"


def test_a_project_that_is_a_part_of_a_repository(tmp_path):
    """The repository is not the project's: files come, commits stay, and it is no error."""
    home = Home(tmp_path, repository=False)
    home.git("init", "-q", at="..")
    home.write(f="1\n")
    home.git("add", "project", at="..")
    home.git("commit", "-qm", "one", at="..")
    home.box(script="echo 2 >f; git commit -qam two || :")
    home.promoted("b")
    assert home.read("f") == "2\n" and home.subjects() == ["one"] and home.git("status", "-s", "f") == " M f"


@pytest.fixture(name="visible")
def fixture_visible():
    """A directory that a box sees as it is: /tmp and /var/tmp are its own."""
    with tempfile.TemporaryDirectory(dir="/opt" if IS_ROOT else pathlib.Path.home()) as top:
        yield pathlib.Path(top)
        subprocess.run(["chmod", "-R", "u+rwX", top], check=True)


def test_a_project_that_is_a_linked_work_tree(visible):
    """Its repository lies elsewhere: commits come, or it is said that they stayed."""
    home = Home(visible, repository=False)
    (home.root / "main").mkdir()
    home.git("init", "-q", at="../main")
    home.commit("one", at="../main", f="1\n")
    home.project.rmdir()
    subprocess.run(["git", "worktree", "add", "-q", "-b", "wt", home.project], cwd=home.root / "main", env=home.git_env, check=True)
    home.ok("create", "b")
    committed = "two" in home.work("echo 2 >f; git commit -qam two || :; git log --format=%s || :")
    assert committed or not IS_ROOT
    result = home.promoted("b")
    assert home.read("f") == "2\n" and home.subjects() in (["one"], ["two", "one"])
    assert not committed or home.subjects() == ["two", "one"] or any("stay" in s for s in result["stayed"]), result
    home.sound()
    home.ok("rm", "b")
    home.ok("gc")


def test_the_repository_is_a_link(home):
    os.rename(home.project / ".git", home.root / "store")
    os.symlink("../store", home.project / ".git")
    home.box(script="echo 2 >f; git commit -qam two || :")
    home.promote("b")
    assert os.readlink(home.project / ".git") == "../store" and home.read("f") in ("1\n", "2\n") and home.subjects() in (["one"], ["two", "one"])
    home.sound()


def test_in_the_middle_of_a_merge(home):
    home.git("switch", "-q", "-c", "other")
    home.commit("other", g="other\n")
    home.git("switch", "-q", "main")
    home.commit("main", g="main\n")
    home.box(script=COMMIT)
    home.git("merge", "-q", "other", want=1)
    conflict = home.git("ls-files", "-u")
    status, result = home.promote("b")
    assert status in (0, 1), result
    assert home.git("ls-files", "-u") == conflict and (home.project / ".git/MERGE_HEAD").exists()
    home.sound()


def test_a_snapshot(home):
    home.box(script=COMMIT)
    home.ok("snap", "b", "s")
    home.work("echo 3 >f; git commit -qam three")
    home.promoted("b@s")
    assert home.subjects() == ["two", "one"] and home.read("f") == "2\n" and home.status() == ""
    home.promoted("b")
    assert home.subjects() == ["three", "two", "one"]


def test_forks_of_a_box(home):
    home.box(script=COMMIT)
    home.ok("fork", "b", "--name", "c")
    home.work("echo c >c; git add c; git commit -qm c", "c")
    home.work("echo b >b; git add b; git commit -qm b")
    home.promoted("b")
    result = home.promoted("c")
    assert home.subjects() == ["b", "two", "one"] and home.subjects("aisbx/c") == ["c", "two", "one"], result
    assert home.read("b") == "b\n" and home.read("c") == "c\n"
    home.sound()


def test_combined_boxes(home):
    home.box(script=COMMIT)
    home.box("c", "echo c >c; git add c; git commit -qm c")
    status, result = home.call("combine", "b", "c")
    assert status in (0, 1), result
    if status == 0:
        name = result["box"] if isinstance(result["box"], str) else result["box"]["name"]
        home.promote(name)
    home.sound()
    assert home.subjects()[-1] == "one"


# Names that are taken.

def test_a_branch_in_the_way_of_the_directory(home):
    """Git cannot have both refs/heads/a and refs/heads/a/b: nothing is changed, or it is said and stays."""
    home.git("branch", "a")
    home.box(script="git branch -D a; git switch -q -c a/b; " + COMMIT)
    before = home.everything()
    status, result = home.promote("b")
    if status != 0:
        assert home.everything() == before and home.read("f") == "1\n", result
        assert "'a'" in result["error"]["text"] and "meanwhile" not in result["error"]["text"], result
    assert home.at("refs/heads/a") and not [n for n in os.listdir(home.project / ".git") if n.endswith(".lock")]
    home.sound()


def test_a_branch_called_aisbx(home):
    home.git("branch", "aisbx")
    home.box(script=COMMIT)
    home.commit("mine", g="1\n")
    before = home.everything()
    status, result = home.promote("b")
    if status == 0:
        assert "two" in home.git("log", "--all", "--format=%s").split(), result
    else:
        assert home.everything() == before and home.read("f") == "1\n", result
        assert "'aisbx'" in result["error"]["text"] and "meanwhile" not in result["error"]["text"], result
    home.sound()


@pytest.mark.parametrize("name", ["x.lock", "a..b", "a.", "-a", "HEAD", "@", "a" * 60])
def test_names_of_boxes(home, name):
    """What is not a valid name of a branch is none of a box, or its commits find another."""
    status, result = home.call("create", "--", name)
    if status != 0:
        assert status == 125, result
        return
    home.work(COMMIT, name)
    home.commit("mine", g="1\n")
    home.promoted(name)
    assert "two" in home.git("log", "--all", "--format=%s").split()
    home.sound()


# Others at work.

def test_two_promotions_at_once(home):
    for i in range(3):
        for name in ("x", "y"):
            home.box(f"{name}{i}", f"echo {name}{i} >{name}{i}; git add .; git commit -qm {name}{i}")
        both = [home.start("promote", f"{name}{i}", "--json") for name in ("x", "y")]
        ends = [home.end(p) for p in both]
        for name, (status, result) in zip(("x", "y"), ends):
            if status != 0:
                assert status in (1, 125), result
                home.promoted(f"{name}{i}")
        said = home.git("log", "--all", "--format=%s").split()
        assert {f"x{i}", f"y{i}"} <= set(said), ends
        home.sound()


def test_somebody_commits_at_the_same_moment(home):
    """No commit of theirs is lost, and none of the box's is without its files."""
    for i in range(3):
        home.box(f"b{i}", f"echo {i} >n{i}; git add .; git commit -qm box{i}")
        made, over = [], threading.Event()

        def commit(made=made, over=over):
            while not over.is_set():
                if subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "mine"], cwd=home.project, env=home.git_env, capture_output=True,
                                  check=False).returncode == 0:
                    made.append(home.at())

        other = threading.Thread(target=commit)
        other.start()
        try:
            status, result = home.promote(f"b{i}")
        finally:
            over.set()
            other.join()
        assert status in (0, 1, 125), result
        reached = set(home.git("rev-list", "--all").split())
        assert set(made) <= reached, "a commit of the host is lost"
        if status == 0:
            assert f"box{i}" in home.git("log", "--all", "--format=%s").split() and home.read(f"n{i}") == f"{i}\n"
        else:
            assert home.read(f"n{i}") is None, result
        home.sound()


def test_a_repository_one_may_not_write(home):
    """Nothing is changed, files neither. Root may."""
    home.box(script=COMMIT)
    for name in ("objects/pack", "refs/heads", "logs"):
        (home.project / ".git" / name).chmod(0o555)
    status, result = home.promote("b")
    for name in ("objects/pack", "refs/heads", "logs"):
        (home.project / ".git" / name).chmod(0o755)
    if IS_ROOT and status == 0:
        assert home.subjects() == ["two", "one"]
        return
    assert status == 125 and home.read("f") == "1\n" and home.subjects() == ["one"], result
    home.call("recover")
    assert home.read("f") == "1\n" and home.subjects() == ["one"] and home.status() == ""
    home.promoted("b")
    assert home.subjects() == ["two", "one"] and paths(home.ok("diff", "b")["changes"]) in ([], ["f"])


# Links on the host where the box has a repository.

NEW = "git init -q; echo 1 >x; git add x; git commit -qm x"


def outside_of(home):
    (home.root / "outside/n").mkdir(parents=True)
    return home.root / "outside"


def names_below(top):
    return sorted(str(p.relative_to(top)) for p in top.rglob("*"))


@pytest.mark.parametrize("script", [f"rm new; mkdir new; cd new; {NEW}", f"rm new; mkdir -p new/n; cd new/n; {NEW}"])
def test_a_link_becomes_a_repository(home, script):
    """Nothing is made where the link led."""
    outside = outside_of(home)
    os.symlink("../outside", home.project / "new")
    home.box(script=script)
    before = names_below(outside)
    for words in ([], ["--yes"], ["--yes", "--conflict", "keep"], ["--yes", "--conflict", "overwrite"]):
        home.promote("b", *words)
        assert names_below(outside) == before, words
    home.call("undo")
    assert names_below(outside) == before


@pytest.mark.parametrize("how", ["keep", "overwrite", "stop", "both", "mark"])
def test_a_directory_becomes_a_link_meanwhile(home, how):
    """On the host, while the box made a repository in it."""
    outside = outside_of(home)
    home.write(d__f="1\n")
    home.box(script=f"mkdir d/n; cd d/n; {NEW}; cd ..; {NEW}")
    os.rename(home.project / "d", home.root / "moved")
    os.symlink("../outside", home.project / "d")
    before = names_below(outside)
    home.promote("b", "--yes", "--conflict", how)
    assert names_below(outside) == before
    home.call("undo", "--conflict", "overwrite")
    assert names_below(outside) == before


def test_a_git_file_of_the_host_that_leads_out(home):
    """The host's submodule has its repository elsewhere: nothing is written there without a word of it."""
    outside = outside_of(home)
    home.git("init", "-q", f"--separate-git-dir={outside}/store", "sep")
    home.commit("one", at="sep", f="1\n")
    refs = home.refs("sep")
    home.box(script="cd sep; echo 2 >f; git commit -qam two || :")
    home.promote("b")
    assert home.refs("sep") == refs or home.subjects(at="sep") == ["two", "one"]
    home.sound()


def test_undo_takes_nothing_away_by_a_link(home):
    home.box(script=f"mkdir -p d/n; cd d/n; {NEW}")
    home.promoted("b")
    os.rename(home.project / "d", home.root / "moved")
    os.symlink("../moved", home.project / "d")
    before = names_below(home.root / "moved")
    home.call("undo")
    home.call("undo", "--conflict", "overwrite")
    assert names_below(home.root / "moved") == before


def test_a_repository_that_became_a_link(home):
    """After the promotion the host has a link to another repository there: that one is not moved back."""
    home.box(script="mkdir n; cd n; git init -q; echo 1 >x; git add x; git commit -qm x")
    home.promoted("b")
    home.work("cd n; echo 2 >x; git commit -qam y")
    home.promoted("b")
    os.rename(home.project / "n", home.root / "moved")
    os.symlink("../moved", home.project / "n")
    home.call("undo")
    home.call("undo", "--conflict", "overwrite")
    assert home.subjects(at="../moved") == ["y", "x"] and (home.root / "moved/x").read_text() == "2\n"
