# SPDX-License-Identifier: Apache-2.0
"""How commits come home, sentence by sentence, as a person would use it."""
import collections
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile

import pytest

from box import IS_ROOT, need, wait_until
from git_home import Home
from promote import LONG
from promotion import paths


@pytest.fixture(name="home")
def fixture_home(tmp_path):
    return Home(tmp_path)


def branches(result):
    return {b["branch"].removeprefix("refs/heads/").removeprefix("refs/tags/"): b["how"] for b in result["branches"]}


COMMIT = "echo 2 >f; git commit -qam two"


# What travels.

def test_a_commit_goes_forward(home):
    old = home.at()
    home.box(script=COMMIT)
    result = home.promoted("b")
    (row,) = result["branches"]
    assert row == {"path": "", "branch": "refs/heads/main", "from": "refs/heads/main", "old": old, "new": home.at(), "how": "forward", "commits": 1}
    assert home.subjects() == ["two", "one"] and home.status() == "" and home.read("f") == "2\n"
    assert result["stayed"] == [] and result["switched"] is None
    home.sound()


def test_the_reflog_says_who_it_was(home):
    home.box(script=COMMIT)
    promotion = home.promoted("b")["promotion"]
    assert home.git("log", "-g", "-1", "--format=%gs", "main") == f"aisbx promote: box b, promotion {promotion}"
    assert home.git("log", "-g", "-1", "--format=%gs", "HEAD") == f"aisbx promote: box b, promotion {promotion}"


def test_objects_come_as_one_pack(home):
    before = {p.name for p in (home.project / ".git/objects").rglob("*") if p.is_file()}
    home.box(script="for i in 2 3 4; do echo $i >f; git commit -qam $i; done")
    home.promoted("b")
    new = {p.name for p in (home.project / ".git/objects").rglob("*") if p.is_file()} - before
    assert {n.rsplit(".")[-1] for n in new} <= {"pack", "idx", "rev"} and len([n for n in new if n.endswith(".pack")]) == 1


def test_words(home):
    home.box(script="echo 2 >f; git commit -qam two; echo 3 >f; git commit -qam three; git config core.pager x; echo x >.git/hooks/pre-commit")
    said = home.said("promote", "b").splitlines()
    assert "G main  2 commits" in said and "- in '.git' these stayed in the box: config, hooks" in said, said


def test_words_of_one_commit(home):
    home.box(script=COMMIT)
    assert "G main  1 commit" in home.said("promote", "b").splitlines()


def test_a_dry_run_moves_nothing(home):
    home.box(script=COMMIT)
    before = home.everything()
    status, result = home.promote("b", "--dry-run")
    assert status == 0 and branches(result) == {"main": "forward"} and not result["applied"]
    assert home.everything() == before and home.read("f") == "1\n"
    assert "G main  1 commit" in home.said("promote", "b", "--dry-run")


def test_a_commit_alone_is_a_promotion(home):
    """Nothing differs in the tree: a commit without a change, or of what the host has as well."""
    home.box(script="git commit -q --allow-empty -m two")
    result = home.promoted("b")
    assert branches(result) == {"main": "forward"} and home.subjects() == ["two", "one"]
    home.undo()
    assert home.subjects() == ["one"]


def test_twice_is_nothing(home):
    home.box(script=COMMIT)
    home.promoted("b")
    status, result = home.promote("b")
    assert status == 0 and not result["applied"] and result["branches"] == []


def test_going_on_in_the_same_box(home):
    home.box(script=COMMIT)
    home.promoted("b")
    home.work("echo 3 >f; git commit -qam three")
    home.promoted("b")
    home.work("echo 4 >f; git add f")
    home.promoted("b")
    assert home.subjects() == ["three", "two", "one"] and home.read("f") == "4\n"
    home.sound()


def test_what_is_not_committed_comes_as_files(home):
    home.box(script=COMMIT + "; echo 3 >f; echo new >g")
    home.promoted("b")
    assert home.subjects() == ["two", "one"] and home.status() == " M f\n?? g"


def test_what_is_staged_in_the_box_comes_as_files(home):
    home.box(script="echo 2 >f; git add f")
    result = home.promoted("b")
    assert home.status() == " M f" and result["branches"] == []


@pytest.mark.parametrize("words", [["f"], ["--to", "../other"], ["--artifact", "f", "--to", "../other"]])
def test_only_a_whole_promotion_brings_commits(home, words):
    (home.root / "other").mkdir()
    if "--artifact" not in words:
        (home.root / "other/f").write_text("1\n")
    home.box(script=COMMIT)
    status, result = home.promote("b", *words)
    assert status == 0 and not result.get("branches"), result
    assert home.subjects() == ["one"] and not (home.root / "other/.git").exists()


# Two that went apart.

def test_apart_goes_to_a_branch_of_the_box(home):
    home.commit("before", g="1\n")
    home.box(script=COMMIT)
    mine = home.commit("mine", g="2\n")
    result = home.promoted("b")
    assert branches(result) == {"aisbx/b": "aside"} and home.at("main") == mine and home.head() == "main"
    assert home.subjects("aisbx/b") == ["two", "before", "one"] and home.read("f") == "2\n" and home.read("g") == "2\n"
    assert home.status() == " M f"
    home.undo()
    assert home.at("refs/heads/aisbx/b") is None and home.status() == ""


def test_apart_again_and_again(home):
    home.box(script=COMMIT)
    home.commit("mine", g="2\n")
    home.promoted("b")
    home.work("echo 3 >f; git commit -qam three")
    home.promoted("b")
    assert home.subjects("aisbx/b") == ["three", "two", "one"]  # the same branch went on
    home.work("git reset -q --hard HEAD~1; echo 4 >f; git commit -qam four")
    result = home.promoted("b")
    assert branches(result) == {"aisbx/b-2": "aside"} and home.subjects("aisbx/b-2") == ["four", "two", "one"]
    assert home.subjects("aisbx/b") == ["three", "two", "one"] and home.subjects() == ["mine", "one"]
    home.sound()


def test_a_conflict_of_files_stops_the_commits_as_well(home):
    home.box(script=COMMIT)
    home.commit("mine", f="mine\n")
    before = home.everything()
    result = home.halted("promote", "b")
    assert paths(result["conflicts"]) == ["f"] and home.everything() == before
    home.promoted("b", "--conflict", "keep")
    assert home.read("f") == "mine\n" and home.subjects("aisbx/b") == ["two", "one"]


def test_the_host_is_ahead(home):
    """The box's commit is there already: it came, and the host went on."""
    home.box(script=COMMIT)
    home.promoted("b")
    mine = home.commit("mine", g="1\n")
    home.work("echo more >h")
    result = home.promoted("b")
    assert result["branches"] == [] and home.at() == mine and home.read("h") == "more\n"


def test_amend_and_rebase_in_the_box(home):
    """What the box rewrote is not what the host has: nothing is lost."""
    second = home.commit("second", g="1\n")
    home.box(script="git commit -q --amend -m other")
    assert branches(home.promoted("b")) == {"aisbx/b": "aside"} and home.at() == second
    assert home.subjects("aisbx/b") == ["other", "one"]


def test_reset_in_the_box(home):
    """The box is behind: the host keeps what it has."""
    second = home.commit("second", g="1\n")
    home.box(script="git reset -q --hard HEAD~1")
    status, result = home.promote("b")
    assert status == 0 and result["branches"] == [] and home.at() == second, result


def test_a_repository_that_git_cannot_read_is_told(home):
    """Files without the commits that belong to them are not what was asked for."""
    home.box(script=COMMIT + "; echo new >g; echo '[bad' >>.git/config")
    status, result = home.promote("b")
    text = result["error"]["text"]
    assert status == 125 and "of box 'b'" in text and "bad config line" in text and "PATH" in text, result
    assert home.read("f") == "1\n" and home.subjects() == ["one"] and home.status() == ""
    status, result = home.promote("b", "g")
    assert status == 0 and home.read("g") == "new\n", result


def test_what_only_looks_like_a_repository_is_none(home):
    home.box(script="mkdir -p d/.git; echo x >d/.git/config; echo new >d/g; " + COMMIT)
    home.promoted("b")
    assert home.subjects() == ["two", "one"] and home.read("d/g") == "new\n"


# Branches and tags.

def test_a_new_branch_of_the_box(home):
    home.box(script="git switch -q -c idea; " + COMMIT)
    result = home.promoted("b")
    assert home.head() == "idea" and home.subjects("main") == ["one"] and home.subjects("idea") == ["two", "one"] and home.status() == ""
    assert branches(result)["idea"] == "created", result
    home.undo()
    assert home.head() == "main" and home.at("refs/heads/idea") is None and home.status() == "" and home.read("f") == "1\n"


def test_the_box_switched_and_the_head_follows(home):
    home.git("branch", "other")
    home.box(script="git switch -q other")
    result = home.promoted("b")
    assert home.head() == "other" and "switched" in [b["how"] for b in result["branches"]], result
    home.undo()
    assert home.head() == "main"


def test_the_host_switched_meanwhile(home):
    home.git("branch", "other")
    home.box(script=COMMIT)
    home.git("switch", "-q", "other")
    before = home.everything()
    status, result = home.promote("b")
    assert status == 1 and "main" in result["switched"] and "other" in result["switched"] and not result["applied"], result
    assert home.everything() == before and home.read("f") == "1\n"
    result = home.promoted("b", "--conflict", "keep")
    assert home.head() == "other" and home.subjects("main") == ["two", "one"] and home.subjects("other") == ["one"]
    assert home.read("f") == "2\n" and home.status() == " M f"
    home.undo()
    assert home.everything() == before


def test_both_switched_to_the_same(home):
    home.git("branch", "other")
    home.box(script="git switch -q other; " + COMMIT)
    home.git("switch", "-q", "other")
    result = home.promoted("b")
    assert result["switched"] is None and branches(result)["other"] == "forward" and home.status() == ""


def test_the_host_is_detached(home):
    home.box(script=COMMIT)
    home.git("checkout", "-q", "--detach")
    status, result = home.promote("b")
    assert status == 1 and result["switched"] and home.subjects() == ["one"], result


def test_the_box_is_detached(home):
    old = home.at()
    home.box(script="git checkout -q --detach; " + COMMIT)
    result = home.promoted("b")
    assert home.at("main") == old and home.head() == "main", result
    assert [b["how"] for b in result["branches"]] == ["aside"] and home.subjects("aisbx/b") == ["two", "one"]


def test_both_are_detached(home):
    home.git("checkout", "-q", "--detach")
    home.box(script=COMMIT)
    home.promoted("b")
    assert home.subjects() == ["two", "one"] and home.subjects("main") == ["one"] and home.status() == ""
    home.undo()
    assert home.subjects() == ["one"] and home.status() == ""


def test_other_branches_stay_and_it_is_said(home):
    home.box(script="git branch side; git tag v1; " + COMMIT)
    result = home.promoted("b")
    assert home.refs().keys() == {"refs/heads/main"}
    assert any("side" in s and "v1" in s and "--refs" in s for s in result["stayed"]), result["stayed"]


def test_refs_brings_them(home):
    home.git("branch", "ahead")
    home.git("branch", "apart")
    home.git("tag", "moved")
    home.box(script="""for b in ahead apart; do git switch -q $b; echo $b >$b; git add .; git commit -qm $b; done
        git switch -q main; git tag v1 ahead; git tag -a -m note v2; git tag -f moved ahead; git branch new""")
    home.git("switch", "-q", "apart")
    apart = home.commit("mine", h="1\n")
    home.git("switch", "-q", "main")
    result = home.promoted("b", "--refs")
    assert home.subjects("ahead") == ["ahead", "one"] and home.at("apart") == apart
    assert home.git("cat-file", "-t", "v2") == "tag" and home.at("v1") == home.at("ahead") and home.at("moved") == home.at("main")
    assert branches(result) == {"ahead": "forward", "new": "created", "v1": "created", "v2": "created"}
    assert any("apart" in s for s in result["stayed"]) and any("moved" in s for s in result["stayed"]), result["stayed"]
    home.sound()
    home.undo()
    assert home.refs().keys() == {"refs/heads/main", "refs/heads/ahead", "refs/heads/apart", "refs/tags/moved"}


def test_a_deleted_branch_is_not_deleted_outside(home):
    home.git("branch", "old")
    home.box(script="git branch -D old; git tag -d x 2>/dev/null || :; " + COMMIT)
    home.promoted("b", "--refs")
    assert home.at("refs/heads/old")


# The index.

def test_staged_things_stay_staged(home):
    home.commit("g", g="1\n")
    home.box(script=COMMIT)
    home.write(g="staged\n", h="new\n")
    home.git("add", "g", "h")
    home.write(g="staged and more\n")
    home.promoted("b")
    assert home.status() == "MM g\nA  h" and home.git("show", ":g") == "staged" and home.read("g") == "staged and more\n"
    home.undo()
    assert home.status() == "MM g\nA  h" and home.read("f") == "1\n"


def test_flags_in_the_index_stay(home):
    home.commit("more", g="1\n", h="1\n")
    home.git("update-index", "--skip-worktree", "g")
    home.git("update-index", "--assume-unchanged", "h")
    home.box(script=COMMIT)
    home.write(n="n\n")
    home.git("add", "-N", "n")
    before = home.git("ls-files", "-v", "--debug", "g", "h", "n").splitlines()[0::6], home.status()
    for act in (lambda: home.promoted("b"), home.undo):
        act()
        assert (home.git("ls-files", "-v", "--debug", "g", "h", "n").splitlines()[0::6], home.status()) == before
    assert home.status() == " A n"


def test_a_sparse_work_tree_stays_sparse(home):
    home.commit("more", d__x="1\n", e__x="1\n")
    home.git("sparse-checkout", "set", "--cone", "d")
    home.box(script=COMMIT)
    home.promoted("b")
    assert home.status() == "" and not (home.project / "e").exists() and home.read("d/x") == "1\n"


def test_the_index_is_in_use(home):
    home.box(script=COMMIT)
    (home.project / ".git/index.lock").touch()
    home.promoted("b")
    assert home.subjects() == ["two", "one"] and home.read("f") == "2\n"
    (home.project / ".git/index.lock").unlink()
    home.git("reset", "-q")
    assert home.status() == ""


def test_status_alone_is_no_change_to_undo(home):
    home.box(script=COMMIT)
    home.promoted("b")
    for _ in range(2):
        assert home.status() == ""
    home.undo()
    assert home.subjects() == ["one"] and home.status() == ""


def test_undo_stops_where_somebody_went_on(home):
    home.box(script=COMMIT)
    home.promoted("b")
    mine = home.commit("mine", g="1\n")
    status, result = home.call("undo")
    assert status == 1 and ".git (refs/heads/main)" in paths(result["conflicts"]), result
    assert home.at() == mine and home.read("f") == "2\n"


def test_undo_of_undo_words(home):
    home.box(script=COMMIT)
    promotion = home.promoted("b")["promotion"]
    home.undo()
    assert home.git("log", "-g", "-1", "--format=%gs", "main") == f"aisbx undo: box b, promotion {promotion}"


# Where it is.

def test_below_var_tmp():
    """Where boxes have layers of their own for."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as top:
        home = Home(pathlib.Path(top))
        home.box(script=COMMIT)
        home.promoted("b")
        assert home.subjects() == ["two", "one"]
        home.ok("rm", "b")
        home.ok("gc")


@pytest.mark.parametrize("name", ["with space", "-dash", "quote'\"$(touch x)`", "tab\tand;semi", "ümläut"])
def test_names_of_projects(tmp_path, name):
    home = Home(tmp_path / name)
    home.box(script=COMMIT + "; mkdir \"n'\\\"\\$x\"; cd n*; git init -q; echo 1 >x; git add x; git commit -qm x")
    result = home.promoted("b")
    assert home.subjects() == ["two", "one"] and home.subjects(at="n'\"$x") == ["x"], result
    home.undo()
    assert home.subjects() == ["one"]


# Repositories.

def test_init_in_a_box_makes_a_clean_one(tmp_path):
    home = Home(tmp_path, repository=False)
    home.write(f="1\n")
    home.box(script="git init -q; git add f; git commit -qm one; git config core.pager evil; echo evil >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; "
                    "git tag t; mkdir -p .git/info; echo evil >.git/info/attributes")
    result = home.promoted("b")
    assert {b["how"] for b in result["branches"]} <= {"repository", "created"} and result["branches"], result
    assert home.subjects() == ["one"] and home.head() == "main" and home.status() == ""
    left = [str(p) for p in (home.project / ".git").rglob("*") if p.is_file() and b"evil" in p.read_bytes()]
    assert not left and not os.path.exists(home.project / ".git/hooks/pre-commit")
    home.sound()
    home.undo()
    assert not (home.project / ".git").exists() and home.read("f") == "1\n"


def test_a_new_repository_somebody_added_to_stays(tmp_path):
    home = Home(tmp_path, repository=False)
    home.write(f="1\n")
    home.box(script="git init -q; git add f; git commit -qm one")
    home.promoted("b")
    home.commit("mine", g="1\n")
    status, result = home.call("undo")
    assert status == 1 and any(p.startswith(".git") for p in paths(result["conflicts"])), result
    assert home.subjects() == ["mine", "one"]


def test_init_without_a_commit(tmp_path):
    home = Home(tmp_path, repository=False)
    home.write(f="1\n")
    home.box(script="git init -q; git add f; echo 2 >f")
    home.promoted("b")
    assert home.read("f") == "2\n"


def test_the_first_commit_of_an_unborn_branch(tmp_path):
    home = Home(tmp_path, repository=False)
    home.git("init", "-q")
    home.write(f="1\n")
    home.box(script="git add f; git commit -qm one")
    result = home.promoted("b")
    assert branches(result) == {"main": "created"} and home.subjects() == ["one"] and home.status() == ""
    home.undo()
    assert home.at() is None and home.status() == "?? f"


def test_a_nested_init(home):
    home.box(script="mkdir new; cd new; git init -q; echo 1 >g; git add g; git commit -qm inner")
    result = home.promoted("b")
    assert home.subjects(at="new") == ["inner"] and home.status("new") == "" and [b["path"] for b in result["branches"]] == ["new"], result
    home.undo()
    assert not (home.project / "new").exists()


@pytest.fixture(name="family")
def fixture_family(tmp_path):
    """With a submodule and a linked work tree."""
    home = Home(tmp_path)
    (home.root / "origin").mkdir()
    home.git("init", "-q", at="../origin")
    home.commit("inner", at="../origin", i="1\n")
    home.git("submodule", "--quiet", "add", "../origin", "sub")
    home.commit("sub")
    home.git("worktree", "add", "-q", "-b", "wt", "wt")
    (home.project / ".git/info").mkdir(exist_ok=True)
    (home.project / ".git/info/exclude").write_text("wt\n")
    return home


def test_a_submodule_by_its_own_repository(family):
    family.box(script="cd sub; echo 2 >i; git commit -qam inner2; cd ..; git add sub; git commit -qm outer")
    result = family.promoted("b")
    assert {(b["path"], b["how"]) for b in result["branches"]} == {("", "forward"), ("sub", "forward")}
    assert family.subjects(at="sub") == ["inner2", "inner"] and family.subjects() == ["outer", "sub", "one"]
    assert family.status() == "" and family.status("sub") == ""
    family.sound()
    family.undo()
    assert family.subjects(at="sub") == ["inner"] and family.status() == "" and family.status("sub") == ""


def test_a_linked_work_tree(family):
    family.box(script="cd wt; echo 2 >f; git commit -qam wt2")
    result = family.promoted("b")
    assert {(b["path"], b["branch"]) for b in result["branches"]} == {("wt", "refs/heads/wt")}
    assert family.subjects(at="wt") == ["wt2", "sub", "one"] and family.status("wt") == "" and family.status() == "" and family.subjects() == ["sub", "one"]
    family.undo()
    assert family.subjects(at="wt") == ["sub", "one"] and family.status("wt") == ""


def test_two_work_trees_went_apart(family):
    """Each gets a branch of its own."""
    family.box(script="echo 2 >g; git add g; git commit -qm b-main; cd wt; echo 3 >h; git add h; git commit -qm b-wt")
    family.git("commit", "-q", "--allow-empty", "-m", "mine")
    family.git("commit", "-q", "--allow-empty", "-m", "mine", at="wt")
    result = family.promoted("b")
    assert sorted(b["how"] for b in result["branches"]) == ["aside", "aside"], result
    assert {"b-main", "b-wt"} <= set(family.git("log", "--all", "--format=%s").split()) and family.read("g") == "2\n" and family.read("wt/h") == "3\n"
    family.sound()
    family.undo()
    assert not [r for r in family.refs() if "aisbx" in r]


def test_a_new_linked_work_tree_stays(home):
    home.box(script="git worktree add -q -b side new; " + COMMIT)
    result = home.promoted("b")
    assert not (home.project / "new/.git").exists() and not (home.project / ".git/worktrees").exists()
    assert any("new" in s for s in result["stayed"]), result["stayed"]
    assert home.at("refs/heads/side") is None
    home.promoted("b", "--refs")
    assert home.at("refs/heads/side")


def test_a_sentence_is_said_once(family):
    family.git("branch", "side")
    family.box(script=COMMIT + "; git switch -q side; cd wt; echo 3 >f; git commit -qam 3")
    family.commit("mine", g="4\n")
    status, result = family.promote("b", "--refs", "--conflict", "keep")
    assert status == 0 and len(result["stayed"]) == len(set(result["stayed"])) > 0, result


def test_a_new_submodule(family):
    family.box(script="git init -q /tmp/o; (cd /tmp/o; echo 1 >x; git add x; git commit -qm o); git submodule --quiet add /tmp/o two; git commit -qm two")
    family.promoted("b", "--yes")
    assert family.subjects()[0] == "two" and "two" in family.read(".gitmodules")
    family.sound()


def test_a_directory_with_a_repository_is_never_removed(home):
    home.write(lib__x="1\n")
    home.git("init", "-q", at="lib")
    home.commit("inner", at="lib")
    home.box(script="rm -rf lib")
    before = home.subjects(at="lib")
    for words in ([], ["--conflict", "overwrite"], ["--yes", "--conflict", "overwrite"]):
        home.promote("b", *words)
        assert home.subjects(at="lib") == before, words
    assert paths(home.halted("promote", "b")["conflicts"]) == ["lib"]


def test_the_repository_itself_is_never_removed(home):
    home.box(script="rm -rf .git; echo 2 >f")
    before = home.everything()
    home.promote("b", "--yes", "--conflict", "overwrite")
    assert home.everything().keys() == before.keys() and home.subjects() == ["one"]


def test_diff_leaves_git_directories_out(home):
    home.box(script=COMMIT + "; mkdir docs; git init -q --bare docs; mkdir -p x/.git/hooks; echo 1 >x/.git/hooks/h")
    assert not [p for p in paths(home.ok("diff", "b")["changes"]) if ".git" in p.split("/") or p.startswith("docs/")]


# Attack 150.

def test_pruned_in_the_box_and_in_use_outside(home):
    """The box cleaned away what the host came to need meanwhile."""
    lost = home.commit("lost", f="lost\n")
    home.git("reset", "-q", "--hard", "HEAD~1")
    home.box(script="git reflog expire --expire=now --all; git gc -q --prune=now; " + COMMIT)
    home.git("branch", "found", lost)
    home.promoted("b")
    assert home.subjects("found") == ["lost", "one"] and home.subjects() == ["two", "one"]
    home.sound()


def test_packed_in_the_box(home):
    home.git("branch", "other")
    home.box(script=COMMIT + "; git gc -q --prune=now; git pack-refs --all --prune")
    home.promoted("b")
    assert home.subjects() == ["two", "one"] and home.at("refs/heads/other")
    home.sound()


# Boxes that lie.

def test_a_script_called_git_in_the_project(home):
    home.box(script="printf '#!/bin/sh\\necho lies\\n' >git; chmod +x git; mkdir bin; cp git bin; " + COMMIT.replace("git", "/usr/bin/git"))
    home.promoted("b", "--yes")
    assert home.subjects() == ["two", "one"]
    home.sound()


LIES = {
    "nothing": "exit 0", "fails": "exit 1", "noise": "head -c 100000 /dev/urandom", "long": "yes tree . | head -c 200000",
    "half": "case \" $* \" in *pack-objects*) exit 0;; esac; exec /usr/bin/git.real \"$@\"",
    "pack of noise": "case \" $* \" in *pack-objects*) printf 'PACK\\0\\0\\0\\2\\0\\0\\0\\1xxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; exit 0;; esac; exec /usr/bin/git.real \"$@\"",
    "bad names": "case \" $* \" in *for-each-ref*) echo \"ref $(printf '%040d' 1) refs/heads/../../config\"; exit 0;; esac; exec /usr/bin/git.real \"$@\"",
    "outside": "case \" $* \" in *absolute-git-dir*) echo /etc; exit 0;; esac; exec /usr/bin/git.real \"$@\"",
}


@pytest.mark.parametrize("lie", LIES)
def test_git_itself_lies(home, lie):
    """Root's box can have another git; a user's can have one in a directory of the project that is first in the path."""
    where = "/usr/bin" if IS_ROOT else f"{home.project}/bin"
    (home.project / "bin").mkdir()
    home.env["PATH"] = f"{home.project}/bin:{home.env['PATH']}"
    home.box(script=COMMIT + f"""
        cp /usr/bin/git {where}/git.real; printf '%s\\n' '#!/bin/sh' >/tmp/lie; cat >>/tmp/lie <<'END'\n{LIES[lie].replace("/usr/bin/git.real", f"{where}/git.real")}\nEND
        chmod +x /tmp/lie; rm -f {where}/git; cp /tmp/lie {where}/git""")
    before = home.everything()
    status, result = home.promote("b", "--yes")
    assert status in (0, 125), result
    if status == 125:
        assert home.everything() == before and home.read("f") == "1\n" and result["error"]["text"]
    home.sound()
    assert home.subjects() in (["one"], ["two", "one"])


def test_a_git_that_was_promoted_is_not_asked(home):
    """It is in a directory of the project that is in the path, as of a virtual environment: the next promotion does not run it."""
    home.env["PATH"] = f"{home.project}/bin:{home.env['PATH']}"
    home.box(script=f"""mkdir bin; printf '%s\\n' '#!/bin/sh' ': >{home.project}/.git/hooks/post-checkout' 'exec /usr/bin/git "$@"' >bin/git; chmod +x bin/git
        /usr/bin/git add bin; /usr/bin/git -c user.name=x -c user.email=x commit -qm bin""")
    (home.project / ".git/hooks").mkdir(exist_ok=True)
    home.promoted("b", "--yes")
    assert (home.project / "bin/git").exists()
    home.work("echo 2 >f; /usr/bin/git commit -qam two")
    home.promoted("b", "--yes")
    home.undo()
    assert not (home.project / ".git/hooks/post-checkout").exists()


@pytest.mark.big
def test_refs_of_many(home):
    home.box(script="c=$(git rev-parse HEAD); for i in $(seq 3000); do echo \"create refs/heads/n/$i $c\"; done | git update-ref --stdin; " + COMMIT)
    home.promoted("b")
    assert len(home.refs()) == 1
    home.promoted("b", "--refs")
    assert len(home.refs()) == 3001
    home.undo()
    assert len(home.refs()) == 1


def test_names_of_refs(home):
    """Git refuses to make them; files in the box do not ask it."""
    home.box(script=COMMIT + r"""
        c=$(git rev-parse HEAD); cd .git/refs/heads
        for n in -x --upload-pack=x 'a b' 'a..b' a.lock "$(printf 'a\nb')" "$(printf 'a\033[31mb')" 'a~1' '@{0}' 'x;touch y' '$(touch y)' HEAD; do echo $c >"$n"; done
        cd ../tags; for n in -d "$(printf 'x\001y')"; do echo $c >"$n"; done""")
    status, result = home.promote("b", "--refs")
    assert status in (0, 125)
    for name in home.refs():
        assert not any(c in name.rsplit("/", 1)[1] for c in " ~^:?*[\\\n\033\001") and not name.rsplit("/", 1)[1].startswith("-"), name
    assert not (home.project / "y").exists()
    home.sound()
    said = "".join(result.get("stayed", [])) + str(result.get("error", ""))
    assert "\033" not in said


# Objects that git would not have made.

def loose(kind, body):
    """A shell line that writes an object into the box's repository whatever is in it, and says its name."""
    text = "".join(f"\\{byte:03o}" for byte in body)
    return f"printf '{text}' >/tmp/o; git hash-object -t {kind} -w --literally /tmp/o"


def tree_of(*entries):
    return b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)


EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
TREES = {
    "dot git": tree_of((b"100755", b".git", EMPTY)), "dot git directory": tree_of((b"40000", b".GIT", TREE)), "git~1": tree_of((b"40000", b"git~1", TREE)),
    "dot dot": tree_of((b"40000", b"..", TREE)), "dot": tree_of((b"40000", b".", TREE)), "twice": tree_of((b"100644", b"a", EMPTY), (b"100644", b"a", EMPTY)),
    "slash": tree_of((b"100644", b"a/b", EMPTY)), "no name": tree_of((b"100644", b"", EMPTY)), "hidden": tree_of((b"40000", ".g\u200cit".encode(), TREE)),
    "not sorted": tree_of((b"100644", b"b", EMPTY), (b"100644", b"a", EMPTY)), "null": tree_of((b"100644", b"a", "0" * 40)),
    "missing": tree_of((b"100644", b"a", "1" * 40)), "odd mode": tree_of((b"160777", b"a/../b", EMPTY)), "cut": b"100644 a\0abc",
    "modules link": tree_of((b"120000", b".gitmodules", EMPTY)),
}


def refused_whole(home, script):
    home.box(script=script)
    before = home.everything()
    status, result = home.call("promote", "b", "--yes")
    assert status == 125 and result["error"]["text"], result
    assert home.everything() == before and home.read("f") == "1\n"
    home.sound()
    return result["error"]["text"]


@pytest.mark.parametrize("name", TREES)
def test_hostile_trees(home, name):
    said = refused_whole(home, f"""git hash-object -w -t blob /dev/null >/dev/null; git hash-object -w -t tree /dev/null >/dev/null
        t=$({loose("tree", TREES[name])}); c=$(echo bad | git commit-tree $t -p HEAD) || c=$(printf 'tree %s\\nparent %s\\nauthor a <a> 1 +0000\\ncommitter a <a> 1 +0000\\n\\nx\\n' \\
            $t $(git rev-parse HEAD) | git hash-object -t commit -w --literally --stdin); echo $c >.git/refs/heads/main""")
    assert "stay" in said or "pack" in said, said


COMMITS = {
    "zero byte": "tree %s\\nparent %s\\nauthor a <a@b> 1 +0000\\ncommitter a <a@b> 1 +0000\\n\\nx\\000y\\n",
    "no author": "tree %s\\nparent %s\\n\\nx\\n", "no date": "tree %s\\nparent %s\\nauthor a <a@b>\\ncommitter a <a@b>\\n\\nx\\n",
    "odd parent": "tree %s\\nparent %s\\nparent 1234\\nauthor a <a@b> 1 +0000\\ncommitter a <a@b> 1 +0000\\n\\nx\\n",
    "missing parent": "tree %s\\nparent %s\\nparent 1111111111111111111111111111111111111111\\nauthor a <a@b> 1 +0000\\ncommitter a <a@b> 1 +0000\\n\\nx\\n",
}


@pytest.mark.parametrize("name", COMMITS)
def test_hostile_commits(home, name):
    refused_whole(home, f"""echo 2 >f; c=$(printf '{COMMITS[name]}' $(git rev-parse 'HEAD^{{tree}}') $(git rev-parse HEAD) |
        git hash-object -t commit -w --literally --stdin); echo $c >.git/refs/heads/main""")


BARE = "mkdir -p docs/objects docs/refs; echo 'ref: refs/heads/main' >docs/HEAD; echo >docs/objects/x; echo >docs/refs/x; echo >docs/config"


@pytest.mark.parametrize("script", [
    f"{BARE}; git add -A; git commit -qm docs", f"{BARE}; git add -A; git commit -qm docs; git rm -rq docs; git commit -qm gone",
    f"{BARE}; git add docs/HEAD docs/config; git commit -qm 1; git add -A; git commit -qm 2",
    "mkdir d; echo .. >d/commondir; echo 'ref: refs/heads/x' >d/HEAD; git add -A; git commit -qm d"])
def test_a_bare_repository_in_commits(home, script):
    """Attack 130 in one more step: checked out, git would obey it."""
    assert "git would obey" in refused_whole(home, script)


def test_a_bare_repository_behind_many_branches(home):
    """Whichever of them has it, and however many there are."""
    home.box(script="for i in $(seq 150); do git commit -q --allow-empty -m $i; git branch n/$i; git reset -q --hard HEAD~1; done; "
                    f"git switch -qc evil; {BARE}; git add -A; git commit -qm docs; git switch -q main")
    status, said = home.call("promote", "b", "--refs")
    assert status == 125 and "git would obey" in said["error"]["text"], said
    assert home.call("promote", "b")[1]["branches"] == []


def test_a_tag_of_a_tree(home):
    home.box(script=f"{BARE}; git add -A; git tag -a -m x t $(git write-tree); git reset -q --hard")
    status, said = home.call("promote", "b", "--refs")
    assert status == 125 and "something else than a commit" in said["error"]["text"], said
    assert "t" not in home.refs()


def test_a_bare_repository_of_the_hosts_own_is_in_nobodys_way(home):
    """As fixtures of tests: only who changes something in it is refused."""
    subprocess.run(["sh", "-ec", BARE], cwd=home.project, timeout=60, check=True)
    home.git("add", "-A")
    home.git("commit", "-qm", "fixtures")
    home.ok("create", "fine")
    home.work("echo 2 >f; git commit -qam two", "fine")
    assert home.promoted("fine")["branches"][0]["how"] == "forward"
    home.ok("create", "bad")
    home.work("echo evil >docs/config; git commit -qam bad", "bad")
    status, said = home.call("promote", "bad")
    assert status == 125 and "git would obey" in said["error"]["text"], said


def test_a_missing_object(home):
    refused_whole(home, COMMIT + "; o=$(git rev-parse HEAD:f); rm -f .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)")


def test_hostile_submodules(home):
    """A configuration that makes git run something or write elsewhere."""
    for i, text in enumerate(('[submodule "../../x"]\\n path = x\\n url = y\\n', '[submodule "x"]\\n path = x\\n url = --upload-pack=touch\\n',
                              '[submodule "x"]\\n path = -x\\n url = y\\n', '[submodule "x"]\\n path = x\\n url = y\\n update = !touch z\\n')):
        home.ok("create", f"c{i}")
        home.work(f"printf '{text}' >.gitmodules; git add .gitmodules; git commit -qm evil", f"c{i}")
        before = home.everything()
        status, result = home.call("promote", f"c{i}", "--yes")
        assert status == 125 and result["error"]["text"], result
        assert home.everything() == before


# Joined.

def apart(home):
    """The box and the host each have a commit of their own, in other files."""
    home.commit("before", g="1\n")
    home.box(script=COMMIT)
    return home.commit("mine", g="mine\n")


def test_merge(home):
    mine = apart(home)
    result = home.promoted("b", "--merge")
    assert [(b["how"], b["old"], b["branch"]) for b in result["branches"]] == [("forward", mine, "refs/heads/main")]
    assert home.read("f") == "2\n" and home.read("g") == "mine\n" and home.status() == ""
    assert set(home.subjects()) >= {"two", "mine", "before", "one"} and len(home.git("rev-list", "--parents", "-1", "HEAD").split()) == 3
    assert [b["name"] for b in home.ok("ls", "--all")["boxes"]] == ["b"], "the fork is gone"
    home.sound()
    home.undo()
    assert home.at() == mine and home.status() == "" and home.read("f") == "1\n"


def test_rebase(home):
    mine = apart(home)
    home.promoted("b", "--rebase")
    assert home.subjects() == ["two", "mine", "before", "one"] and home.at("HEAD~1") == mine and home.status() == ""
    home.sound()
    home.undo()
    assert home.at() == mine and home.status() == ""


def test_merge_and_rebase_with_things_uncommitted_in_the_box(home):
    mine = apart(home)
    home.work("echo 3 >f; echo new >new")
    for how in ("--merge", "--rebase"):
        home.promoted("b", how)
        assert home.status() == " M f\n?? new" and home.read("f") == "3\n" and home.read("g") == "mine\n"
        home.undo()
        assert home.at() == mine and home.status() == ""


def test_merge_that_would_conflict(home):
    """Nothing is changed, in the box neither; and what is said to do then works."""
    home.box(script=COMMIT)
    mine = home.commit("mine", f="mine\n")
    before, in_box = home.everything(), home.work("git log --format=%H; git status -s")
    for how in ("--merge", "--rebase"):
        status, result = home.call("promote", "b", how)
        assert status == 125 and "conflicts in f" in result["error"]["text"], result
        assert home.everything() == before and home.work("git log --format=%H; git status -s") == in_box
    home.work(f"git merge -q {mine[:12]}", want=1)
    home.work("grep -q '<<<<<<<' f; echo both >f; git commit -qam joined")
    home.promoted("b")
    assert home.read("f") == "both\n" and home.status() == "" and home.subjects()[0] == "joined"
    home.sound()


def test_merge_where_nothing_went_apart(home):
    home.box(script=COMMIT)
    home.promoted("b", "--merge")
    assert home.subjects() == ["two", "one"]


def test_merge_is_judged_by_the_gates(home):
    """Each side holds by itself, both together do not."""
    (home.project / "aisbx.yaml").write_text("gates:\n  fit: [{command: '! (grep 2 f && grep mine g)'}]\n")
    home.commit("gates", g="1\n")
    home.box(script=COMMIT)
    mine = home.commit("mine", g="mine\n")
    status, result = home.call("promote", "b", "--merge")
    assert status == 125 and "do not pass the gate" in result["error"]["text"] and home.at() == mine, result
    home.write(g="other\n")
    home.git("commit", "-qam", "other")
    home.promoted("b", "--merge")
    assert home.status() == ""


@pytest.mark.parametrize("words", [["--merge", "--rebase"], ["--merge", "f"], ["--rebase", "--to", "../home"]])
def test_merge_of_parts_is_refused(home, words):
    home.box(script=COMMIT)
    assert "--" in home.refused("EINVAL", "promote", "b", *words)


def test_hooks_of_the_host_do_not_run(home):
    """Neither for the commits that come nor for those that join."""
    canary = home.root / "canary"
    for name in ("reference-transaction", "post-checkout", "post-merge", "pre-merge-commit", "commit-msg", "post-commit", "pre-rebase", "post-rewrite", "post-index-change"):
        path = home.project / ".git/hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n: >'{canary}'\n")
        path.chmod(0o755)
    home.git("config", "core.hooksPath", "/dev/null")
    apart(home)
    home.git("config", "--unset", "core.hooksPath")
    home.promoted("b", "--merge")
    home.undo()
    home.promoted("b", "--rebase")
    assert not canary.exists()


# What git ignores.

@pytest.fixture(name="ignoring")
def fixture_ignoring(tmp_path):
    home = Home(tmp_path)
    (home.project / ".gitignore").write_text("*.o\nbuild/\n!keep.o\n")
    home.commit("ignore")
    return home


def test_what_git_ignores_stays(ignoring):
    ignoring.box(script="echo 1 >a.o; echo 1 >keep.o; mkdir -p build/deep src; echo 1 >build/deep/x; echo 1 >src/b.o; echo 1 >src/c; " + COMMIT)
    result = ignoring.promoted("b")
    assert paths(result["changes"]) == ["f", "keep.o", "src", "src/c"] and result["ignored"]["files"] == 3, result
    assert "3 files" in ignoring.said("promote", "b")
    result = ignoring.promoted("b", "--ignored")
    assert set(paths(result["changes"])) >= {"a.o", "build/deep/x", "src/b.o"} and ignoring.read("build/deep/x") == "1\n"
    ignoring.undo()
    assert ignoring.read("a.o") is None


def test_a_tracked_file_is_not_ignored(ignoring):
    (ignoring.project / "known.o").write_text("1\n")
    ignoring.git("add", "-f", "known.o")
    ignoring.git("commit", "-qm", "known")
    ignoring.box(script="echo 2 >known.o")
    ignoring.promoted("b")
    assert ignoring.read("known.o") == "2\n"


def test_a_path_that_is_named_comes(ignoring):
    """Who names it wants it."""
    ignoring.box(script="echo 1 >a.o; mkdir build; echo 1 >build/x")
    ignoring.promote("b", "build")
    ignoring.promote("b", "a.o")
    assert (ignoring.read("build/x"), ignoring.read("a.o")) == ("1\n", "1\n")


def test_an_ignored_file_the_box_deleted(ignoring):
    """It stays on the host, too."""
    (ignoring.project / "old.o").write_text("1\n")
    ignoring.box(script="rm -f old.o; echo 2 >f")
    ignoring.promoted("b")
    assert ignoring.read("old.o") == "1\n"


def test_an_ignore_file_of_the_box_hides_nothing_that_is_tracked(ignoring):
    ignoring.box(script="echo '*' >.gitignore; echo 2 >f")
    ignoring.promoted("b")
    assert ignoring.read("f") == "2\n" and ignoring.read(".gitignore") == "*\n"


# A branch as the target of a stage.

def test_a_stage_brings_a_branch(home):
    (home.project / "aisbx.yaml").write_text("stages:\n  - {name: review, gates: [not secrets], to: {branch: review}}\n")
    home.commit("stages")
    home.box(script=COMMIT + "; git config core.pager x; echo x >.git/hooks/pre-commit")
    with home.start("pipeline", "run", "b", "--yes", "--json", text=True) as p:
        said = p.communicate(timeout=120)
    assert p.returncode == 0, said
    assert home.head() == "main" and home.subjects() == ["stages", "one"] and home.git("show", "review:f") == "2"
    assert "pager" not in (home.project / ".git/config").read_text() and not (home.project / ".git/hooks/pre-commit").exists()
    assert home.status() == ""
    home.sound()


# Crashes.

CALLS = ("rename", "renameat", "renameat2", "fsync", "fdatasync", "syncfs", "unlinkat", "mkdir", "mkdirat", "vfork", "clone", "clone3", "wait4", "waitid", "ppoll",
         "epoll_wait", "flock", "exit_group")


def traced(home, *inject):
    log = home.root / "log"
    home.before = ("strace", "-qq", "-o", str(log), "-e", "trace=" + ",".join(f"?{c}" for c in CALLS), *inject)
    p = home.start("promote", "b", "--json")
    p.communicate(timeout=120)
    home.before = ()
    return p.returncode, log.read_text(errors="replace")


def work_to_kill(top):
    home = Home(top)
    home.box(script=COMMIT + "; git switch -q -c side; echo 3 >g; git add g; git commit -qm three; mkdir n; cd n; git init -q; echo 1 >x; git add x; git commit -qm x")
    return home


@pytest.mark.big
def test_killed_at_any_moment(tmp_path):
    """kill -9 of a promotion before one of its calls, then `recover`: files and branches are both old or both new."""
    need("/usr/bin/strace")
    dice = random.Random(int(os.environ.get("AISBX_SEED", "7")))
    status, log = traced(work_to_kill(tmp_path / "whole"))
    counts, moments = collections.Counter(), []
    for call in re.findall(r"^([a-z0-9_]+)\(", log, re.M):
        counts[call] += 1
        moments.append((call, counts[call]))
    assert status == 0 and len(moments) > 30, (status, counts)
    chosen = moments if LONG else dice.sample(moments[len(moments) // 2:], 6) + dice.sample(moments, 2)
    ends = collections.Counter()
    for i, (call, number) in enumerate(chosen):
        home = work_to_kill(tmp_path / str(i))
        status, _ = traced(home, "-e", f"inject={call}:signal=KILL:when={number}")
        wait_until(lambda home=home: home.call("recover")[0] == 0, what="recover")
        state = home.head(), home.read("f"), home.read("g"), home.at("refs/heads/side") is not None, (home.project / "n/.git").exists(), home.status()
        assert state in (("main", "1\n", None, False, False, ""), ("side", "2\n", "3\n", True, True, "?? n/")), (call, number, status, state)
        home.sound()
        left = [n for n in os.listdir(home.project / ".git") if n.endswith((".lock", ".aisbx"))]
        assert not left, (call, number, left)
        ends[(status == -signal.SIGKILL, state[0])] += 1
        home.promote("b")
        assert home.head() == "side" and home.status() == "?? n/" and home.subjects(at="n") == ["x"], (call, number)
    print(dict(ends))
    assert ends[(True, "main")] + ends[(True, "side")] > len(chosen) // 2, ends
