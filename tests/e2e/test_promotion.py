# SPDX-License-Identifier: Apache-2.0
"""Promotion as a person drives it: paths, other targets, artifacts, dry runs, traps, undo, staleness, bases.

What two changes of one path make together is in test_promote_matrix.py. The same file runs as root and as an ordinary
user. Every test has a state directory and a project of its own; every result is checked against its schema.
"""
import fcntl
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import tempfile

import pytest

from box import IS_ROOT, aisbx, changed, facts, need, wait_until
from promotion import Shelf, paths, tree


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    return Shelf(tmp_path)


# Paths.

@pytest.fixture(name="three")
def fixture_three(shelf):
    """A box that changed something in three directories, one of which begins like another."""
    shelf.write(src__a="1\n", src__b="1\n", src2__a="1\n", docs__c="1\n")
    shelf.box("b", "for f in src/a src/b src2/a docs/c; do echo 2 > $f; done; echo n > src/new; rm -f docs/none")
    return shelf


def test_a_path_is_relative_to_where_one_stands(three):
    result = three.promoted("b", "a", cwd=three.project / "src")
    assert paths(result["changes"]) == ["src/a"]
    assert [three.read(f) for f in ("src/a", "src/b", "src2/a", "docs/c")] == ["2\n", "1\n", "1\n", "1\n"]


def test_a_path_is_relative_to_the_project_for_who_stands_outside(three):
    result = three.promoted("b", "src/b", cwd=three.root)
    assert paths(result["changes"]) == ["src/b"]


def test_a_directory_means_all_below_it_and_nothing_beside_it(three):
    result = three.promoted("b", "src")
    assert paths(result["changes"]) == ["src/a", "src/b", "src/new"]
    assert three.read("src2/a") == "1\n" and three.read("docs/c") == "1\n"
    rest = three.promoted("b")
    assert paths(rest["changes"]) == ["docs/c", "src2/a"]
    assert three.ok("promote", "b")["promotion"] is None


def test_this_directory(three):
    assert paths(three.promoted("b", ".", cwd=three.project / "src")["changes"]) == ["src/a", "src/b", "src/new"]


def test_absolute_paths_and_several(three):
    result = three.promoted("b", three.project / "docs", three.project / "src/../src/new")
    assert paths(result["changes"]) == ["docs/c", "src/new"]


def test_a_file_deep_in_a_new_directory(shelf):
    shelf.box("b", "mkdir -p new/deep; echo 1 > new/deep/f; echo 2 > new/deep/g; echo 3 > new/h")
    shelf.promoted("b", "new/deep/f")
    assert tree(shelf.project).keys() == {"new", "new/deep", "new/deep/f"}
    shelf.promoted("b")
    assert shelf.read("new/deep/g") == "2\n" and shelf.read("new/h") == "3\n"


@pytest.mark.parametrize("path", ["/etc/passwd", "../other", "src/../../other", "/", ".."])
def test_paths_outside_are_refused(three, path):
    assert "not in the box's project" in three.refused("EINVAL", "promote", "b", path)


def test_a_directory_that_only_begins_like_the_project_is_outside(three):
    three.refused("EINVAL", "promote", "b", f"{three.project}-2/x")


def test_directories_on_the_way_stay_as_they_are(three):
    three.sh("b", "chmod 700 src")
    before = (three.project / "src").stat()
    assert paths(three.promoted("b", "src/a")["changes"]) == ["src/a"]
    after = (three.project / "src").stat()
    assert after.st_mode == before.st_mode
    assert paths(three.promoted("b", "src")["changes"]) == ["src", "src/b", "src/new"]
    assert (three.project / "src").stat().st_mode & 0o777 == 0o700


def test_paths_the_box_did_not_touch(three):
    three.write(quiet="q")
    status, result = three.call("promote", "b", "quiet")
    assert (status, result["promotion"], result["changes"]) == (0, None, [])
    before = facts(three.project)
    for path in ("missing", "src/missing", "quiet/below", "qiet"):
        for words in ((path,), ("quiet", path), (path, "--dry-run")):
            assert f"neither the box nor the project has '{path}'" in three.refused("ENOENT", "promote", "b", *words)
    assert facts(three.project) == before
    assert "did you mean 'quiet'?" in three.refused("ENOENT", "promote", "b", "qiet")


def test_paths_that_are_gone_may_be_named(three):
    """What only the box removed, and what was removed and promoted."""
    three.write(gone="g", keep="k")
    three.box("r", "rm gone")
    assert three.promoted("r", "gone")["summary"]["deleted"] == 1
    status, result = three.call("promote", "r", "gone")
    assert (status, result["changes"]) == (0, [])


# Another directory.

def test_another_target(shelf):
    shelf.write(f="1\n", gone="g")
    shutil.copytree(shelf.project, shelf.root / "copy")
    shelf.box("b", "echo 2 > f; echo n > new; rm gone")
    before = facts(shelf.project)
    result = shelf.promoted("b", "--to", "copy", cwd=shelf.root)
    assert result["target"] == str(shelf.root / "copy")
    assert sorted(os.listdir(shelf.root / "copy")) == ["f", "new"] and (shelf.root / "copy/f").read_text() == "2\n"
    assert not changed(before, facts(shelf.project))
    shelf.promoted("b")  # the project is still to come
    assert shelf.read("f") == "2\n" and shelf.read("gone") is None
    assert shelf.ok("undo")["target"] == str(shelf.project)
    assert shelf.ok("undo")["target"] == str(shelf.root / "copy")
    assert (shelf.root / "copy/f").read_text() == "1\n" and (shelf.root / "copy/gone").exists()


def test_another_target_that_is_another_project(shelf):
    """What the box modified is not there: nothing to modify. What it made can go anywhere."""
    shelf.write(f="1\n")
    (shelf.root / "empty").mkdir()
    shelf.box("b", "echo 2 > f; echo n > new")
    status, result = shelf.call("promote", "b", "--to", shelf.root / "empty")
    assert status == 1 and [(c["path"], c["box"], c["host"]) for c in result["conflicts"]] == [("f", "modified", "deleted")]
    assert os.listdir(shelf.root / "empty") == []
    shelf.promoted("b", "--to", shelf.root / "empty", "--conflict", "keep")
    assert os.listdir(shelf.root / "empty") == ["new"]


def test_targets_that_are_none(shelf):
    shelf.write(f="1\n")
    shelf.box("b", "echo 2 > f")
    shelf.refused("ENOENT", "promote", "b", "--to", shelf.root / "missing")
    shelf.refused("ENOTDIR", "promote", "b", "--to", shelf.project / "f")


def test_a_target_by_a_link_is_what_it_points_to(shelf):
    shelf.write(f="1\n")
    os.symlink("project", shelf.root / "link")
    shelf.box("b", "echo 2 > f")
    assert shelf.promoted("b", "--to", shelf.root / "link")["target"] == str(shelf.project)
    assert shelf.read("f") == "2\n"


# Artifacts.

@pytest.fixture(name="built")
def fixture_built(shelf):
    """A box that built something, and directories for it."""
    shelf.write(quiet="as it was\n")
    shelf.box("b", """
        mkdir -p build/lib; echo one > build/app; chmod 755 build/app; echo l > build/lib/l; ln -s l build/lib/m""")
    (shelf.root / "bin").mkdir()
    return shelf


def test_an_artifact_into_a_directory(built):
    before = facts(built.project)
    for i, to in enumerate(("bin/", "bin", str(built.root / "bin"))):
        result = built.ok("promote", "b", "--artifact", built.project / "build/app", "--to", to, cwd=built.root)
        assert (result["promotion"] is None) == (i > 0), "the second time it is there already"
    app = built.root / "bin/app"
    assert app.read_text() == "one\n" and app.stat().st_mode & 0o777 == 0o755
    assert not changed(before, facts(built.project))
    assert result["target"] == str(built.root / "bin")


def test_an_artifact_under_another_name(built):
    result = built.promoted("b", "--artifact", "build/app", "--to", built.root / "bin/other")
    assert [(c["path"], c["kind"], c["type"]) for c in result["changes"]] == [("other", "created", "file")]
    assert (built.root / "bin/other").read_text() == "one\n"
    built.ok("undo")
    assert os.listdir(built.root / "bin") == []


def test_an_artifact_without_a_place_goes_to_its_own(built):
    (built.project / "build").mkdir()
    built.promoted("b", "--artifact", "build/app")
    assert built.read("build/app") == "one\n" and built.read("build/lib/l") is None


def test_an_artifact_that_is_a_directory(built):
    result = built.promoted("b", "--artifact", "build", "--to", f"{built.root}/bin/")
    assert paths(result["changes"]) == ["build", "build/app", "build/lib", "build/lib/l", "build/lib/m"]
    assert os.readlink(built.root / "bin/build/lib/m") == "l"
    assert tree(built.root / "bin/build").keys() == {"app", "lib", "lib/l", "lib/m"}
    built.sh("b", "echo two > build/app; rm build/lib/m")
    built.promoted("b", "--artifact", "build", "--to", f"{built.root}/bin/")
    assert tree(built.root / "bin/build").keys() == {"app", "lib", "lib/l"}
    assert (built.root / "bin/build/app").read_text() == "two\n"
    built.ok("undo")
    assert (built.root / "bin/build/app").read_text() == "one\n" and (built.root / "bin/build/lib/m").is_symlink()
    built.ok("undo")
    assert os.listdir(built.root / "bin") == []


def test_an_artifact_the_box_never_touched(built):
    built.promoted("b", "--artifact", "quiet", "--to", f"{built.root}/bin/")
    assert (built.root / "bin/quiet").read_text() == "as it was\n"


def test_an_artifact_again_after_a_new_build(built):
    built.promoted("b", "--artifact", "build/app", "--to", f"{built.root}/bin/")
    built.sh("b", "echo two > build/app")
    result = built.promoted("b", "--artifact", "build/app", "--to", f"{built.root}/bin/")
    assert [(c["path"], c["kind"], c["outcome"]) for c in result["changes"]] == [("app", "modified", "apply")]
    assert (built.root / "bin/app").read_text() == "two\n"
    built.ok("undo")
    assert (built.root / "bin/app").read_text() == "one\n"
    built.promoted("b", "--artifact", "build/app", "--to", f"{built.root}/bin/")  # what lies there is still its own
    assert (built.root / "bin/app").read_text() == "two\n"


@pytest.mark.parametrize("ours", [True, False])
def test_an_artifact_over_what_somebody_else_wrote(built, ours):
    app = built.root / "bin/app"
    if ours:
        built.promoted("b", "--artifact", "build/app", "--to", f"{built.root}/bin/")
        built.sh("b", "echo two > build/app")
    app.write_text("by hand")
    result = built.halted("promote", "b", "--artifact", "build/app", "--to", f"{built.root}/bin/")
    assert paths(result["conflicts"]) == ["app"] and app.read_text() == "by hand"
    assert result["conflicts"][0]["reason"]
    result = built.ok("promote", "b", "--artifact", "build/app", "--to", f"{built.root}/bin/", "--conflict", "keep")
    assert result["promotion"] is None and app.read_text() == "by hand"
    built.promoted("b", "--artifact", "build/app", "--to", f"{built.root}/bin/", "--conflict", "both")
    assert app.read_text() == "by hand" and (built.root / "bin/app.b").read_text() == ("two\n" if ours else "one\n")
    built.promoted("b", "--artifact", "build/app", "--to", f"{built.root}/bin/", "--conflict", "overwrite")
    assert app.read_text() == ("two\n" if ours else "one\n")
    built.ok("undo")
    assert app.read_text() == "by hand"


def test_an_artifact_directory_in_which_somebody_wrote(built):
    """A directory that is ours as a whole must not take with it what somebody put into it since."""
    built.promoted("b", "--artifact", "build", "--to", f"{built.root}/bin/")
    (built.root / "bin/build/lib/notes").write_text("by hand")
    built.sh("b", "echo two > build/app")
    status, result = built.call("promote", "b", "--artifact", "build", "--to", f"{built.root}/bin/")
    assert status == 1 and result["conflicts"], result
    assert (built.root / "bin/build/lib/notes").read_text() == "by hand"


def test_artifacts_that_are_none(built):
    assert "missing" in built.refused("ENOENT", "promote", "b", "--artifact", "missing", "--to", f"{built.root}/bin/")
    built.refused("ENOENT", "promote", "b", "--artifact", "build/app", "--to", f"{built.root}/none/")
    built.refused("EINVAL", "promote", "b", "--artifact", "/etc/passwd", "--to", f"{built.root}/bin/")
    built.refused("EINVAL", "promote", "b", "build/lib", "--artifact", "build/app", "--to", f"{built.root}/bin/")
    assert os.listdir(built.root / "bin") == []


def test_an_artifact_can_be_a_trap(built):
    built.sh("b", "chmod 4755 build/app; mkdir -p .git/hooks; cp build/lib/l .git/hooks/x")
    result = built.halted("promote", "b", "--artifact", "build/app", "--to", f"{built.root}/bin/")
    assert [(t["path"], t["kind"]) for t in result["traps"]] == [("app", "setuid")] and os.listdir(built.root / "bin") == []
    built.promoted("b", "--artifact", "build/app", "--to", f"{built.root}/bin/", "--yes")
    assert (built.root / "bin/app").stat().st_mode & 0o7777 == 0o4755
    (built.root / "bin/.vscode").mkdir()
    result = built.halted("promote", "b", "--artifact", "build/lib/l", "--to", built.root / "bin/.vscode/x")
    assert [t["kind"] for t in result["traps"]] == ["editor"], "by where it goes, not by what it is called there"


def test_an_artifact_goes_into_no_git_directory(built):
    (built.root / "bin/.git/hooks").mkdir(parents=True)
    for name in ("objects", "refs", "HEAD"):
        (built.root / "bin/bare" / name).mkdir(parents=True)
    for target in ("bin/.git/hooks/pre-commit", "bin/.git/", "bin/.git", "bin/bare/config", "bin/new/.git"):
        (built.root / "bin/new").mkdir(exist_ok=True)
        assert "git directory" in built.refused("EPERM", "promote", "b", "--yes", "--artifact", "build/lib/l", "--to", f"{built.root}/{target}")
    assert os.listdir(built.root / "bin/.git/hooks") == os.listdir(built.root / "bin/new") == []


# Only asking.

def test_a_dry_run_changes_nothing(shelf):
    shelf.write(same=".", both="".join(f"{i}\n" for i in range(20)), hit="1\n", gone="g", d__f="1\n")
    shelf.box("b", """
        echo 2 > d/f; rm gone; echo n > new; sed -i s/^3$/box/ both; echo box > hit; echo x > .envrc; mkdir e; echo 1 > e/f""")
    shelf.write(both="".join("host\n" if i == 15 else f"{i}\n" for i in range(20)), hit="host\n")
    shelf.ok("promote", "b", "d", "--conflict", "keep")
    before, journals = facts(shelf.project), facts(shelf.state / "promotions")
    for words in ((), ("--yes",), ("--conflict", "keep"), ("--conflict", "mark", "--yes"), ("--conflict", "both"), ("new",)):
        status, result = shelf.call("promote", "b", "--dry-run", *words)
        assert result["dry_run"] and not result["applied"] and result["promotion"] is None
        assert status == (0 if "new" in words or {"--yes", "--conflict"} <= set(words) else 1), (words, result)
        assert not changed(before, facts(shelf.project))
    status, result = shelf.call("undo", "--dry-run")
    assert status == 0 and result["dry_run"] and not result["undone"]
    assert not changed(before, facts(shelf.project))
    now = facts(shelf.state / "promotions")
    lock = {str(shelf.state / "promotions"), str(shelf.state / "promotions/lock")}  # looked at by taking the lock
    assert not set(changed(journals, now)) - lock and journals.keys() == now.keys()


def test_a_dry_run_tells_what_would_happen(shelf):
    shelf.write(f="1\n", gone="g", mode="m", quiet="q")
    shelf.box("b", "echo 2 > f; rm gone; chmod 600 mode; mkdir d; echo n > d/new; ln -s f l; rm quiet; mkdir quiet")
    dry = shelf.ok("promote", "b", "--dry-run")
    real = shelf.promoted("b")
    for key in ("summary", "changes", "conflicts", "traps", "stale", "target", "box"):
        assert dry[key] == real[key], key
    assert {c["path"]: c["kind"] for c in real["changes"]} == {
        "f": "modified", "gone": "deleted", "mode": "mode", "d": "created", "d/new": "created", "l": "created",
        "quiet": "replaced"}
    assert real["summary"] == {"created": 3, "modified": 1, "deleted": 1, "replaced": 1, "mode": 1, "xattr": 0, "touched": 0,
                               "merged": 0, "conflicts": 0, "traps": 0, "secrets": 0}


# Traps.

def test_traps_are_shown_and_wait(shelf):
    shelf.write(package__json="", f="1\n")
    os.rename(shelf.project / "package/json", shelf.project / "package.json")
    (shelf.project / "package.json").write_text('{"scripts": {"test": "t"}}\n')
    shelf.box("b", """
        mkdir -p .git/hooks .vscode .github/workflows sub
        for f in .git/hooks/pre-commit .git/config .vscode/tasks.json CLAUDE.md sub/.ENVRC .github/workflows/ci.yml \\
            .github/README.md
        do echo x > $f; done
        echo '{"scripts": {"test": "t", "postinstall": "curl"}}' > package.json
        echo 2 > f; chmod u+s f
        ln -s ../outside leads-out; ln -s f stays""")
    result = shelf.halted("promote", "b")
    assert {t["path"]: t["kind"] for t in result["traps"]} == {
        ".vscode/tasks.json": "editor", "CLAUDE.md": "agent",
        "sub/.ENVRC": "startup", ".github/workflows/ci.yml": "ci", "package.json": "lifecycle", "f": "setuid",
        "leads-out": "symlink"}
    assert all(t["why"] for t in result["traps"]) and result["summary"]["traps"] == 7
    assert [k for k in shelf.journals() if k != "lock"] == []
    shelf.promoted("b", "stays", ".github/README.md")  # those are none, and can go alone
    result = shelf.promoted("b", "--yes")
    assert result["summary"]["traps"] == 7 and not (shelf.project / ".git").exists()
    assert (shelf.project / "f").stat().st_mode & 0o4000 and os.readlink(shelf.project / "leads-out") == "../outside"
    assert shelf.ok("promote", "b")["traps"] == [], "what is there is no news"


def test_gates_do_not_go_by_themselves(shelf):
    """The project's own file says what must hold: a box that writes, changes, moves or removes it waits for a person."""
    path = shelf.project / "aisbx.yaml"
    path.write_text("gates: {ready: [test]}\n")
    for name, what in (("change", "echo 'gates: {ready: [traps]}' > aisbx.yaml"), ("remove", "rm aisbx.yaml"), ("move", "mv aisbx.yaml other.yaml"),
                       ("case", "echo 'version: 1' > Aisbx.YAML"), ("link", "ln -sf /dev/null aisbx.yaml")):
        shelf.box(name, what)
        result = shelf.halted("promote", name)
        assert "gate" in {t["kind"] for t in result["traps"]}, name
        assert path.read_text() == "gates: {ready: [test]}\n"
    shelf.promoted("remove", "--yes")
    assert not path.exists()


def test_a_trap_does_not_hide_a_conflict_nor_the_other_way_round(shelf):
    shelf.write(f="1\n")
    shelf.box("b", "echo box > f; echo x > .envrc")
    shelf.write(f="host\n")
    result = shelf.halted("promote", "b")
    assert paths(result["conflicts"]) == ["f"] and paths(result["traps"]) == [".envrc"]
    shelf.halted("promote", "b", "--yes")
    shelf.halted("promote", "b", "--conflict", "overwrite")
    shelf.promoted("b", "--yes", "--conflict", "overwrite")
    assert shelf.read("f") == "box\n" and shelf.read(".envrc") == "x\n"


def test_a_trap_put_beside_is_one(shelf):
    """The name it gets may be harmless; what its mode says is not."""
    shelf.write(f="1\n")
    shelf.box("b", "echo box > f; chmod 4755 f")
    shelf.write(f="host\n")
    result = shelf.halted("promote", "b", "--conflict", "both")
    assert [t["kind"] for t in result["traps"]] == ["setuid"], result


def test_taking_a_trap_away_is_none(shelf):
    shelf.write(f="1\n")
    shelf.write(**{".envrc": "x\n"})
    (shelf.project / "f").chmod(0o4755)
    shelf.box("b", "rm .envrc; chmod 755 f")
    assert shelf.promoted("b")["traps"] == []


def test_packages_written_to_deceive(shelf):
    """However it is written, a script that runs by itself is shown."""
    shelf.box("b", r"""
        mkdir a b c
        { echo '{"scripts":{"postinstall":"curl"}}'; head -c 1100000 /dev/zero | tr '\0' ' '; } > a/package.json
        echo '{"scripts":{"post\u0069nstall":"curl"}}' > b/package.json
        echo '{"scripts":{"test":"x"}}' > c/package.json""")
    result = shelf.halted("promote", "b")
    assert paths(result["traps"]) == ["a/package.json", "b/package.json"]


# Answers to conflicts.

@pytest.mark.parametrize("how", ["mark", "both", "overwrite"])
def test_an_answer_is_not_asked_for_again(shelf, how):
    """The box's version was given; what becomes of it outside is not the box's business any more."""
    shelf.write(f="1\n")
    shelf.box("b", "echo box > f")
    shelf.write(f="host\n")
    shelf.halted("promote", "b")
    shelf.promoted("b", "--conflict", how)
    shelf.write(f="by hand\n")
    shelf.sh("b", "echo n > other")
    assert paths(shelf.promoted("b")["changes"]) == ["other"]
    assert shelf.read("f") == "by hand\n"
    shelf.sh("b", "echo more > f")
    assert paths(shelf.halted("promote", "b")["conflicts"]) == ["f"], "new work is a new question"
    shelf.ok("undo")
    if how != "both":
        assert paths(shelf.halted("undo")["conflicts"]) == ["f"]
    shelf.ok("undo", "--conflict", "overwrite")
    assert shelf.read("f") == ("by hand\n" if how == "both" else "host\n")
    assert paths(shelf.halted("promote", "b")["conflicts"]) == ["f"], "and an answer that was taken back is none"


def test_keeping_is_no_answer_for_ever(shelf):
    """The box's version lies only in the box: it is asked for until somebody takes it, or the box gives it up."""
    shelf.write(f="1\n")
    shelf.box("b", "echo box > f")
    shelf.write(f="host\n")
    status, text = words(shelf, "promote", "b", "--conflict", "keep")
    assert status == 0 and "C f" in text and "--conflict" not in text, "what was answered is not asked"
    assert shelf.ok("promote", "b", "--conflict", "keep")["promotion"] is None
    assert paths(shelf.halted("promote", "b")["conflicts"]) == ["f"]
    shelf.sh("b", "echo 1 > f")
    result = shelf.ok("promote", "b")
    assert result["conflicts"] == [] and shelf.read("f") == "host\n"


# Taking back.

@pytest.fixture(name="twice")
def fixture_twice(shelf):
    """Two promotions of different files; the second also changes one that the first made."""
    shelf.write(a="1\n", b="1\n", gone="g\n", mode="m\n")
    (shelf.project / "mode").chmod(0o640)
    shelf.empty = tree(shelf.project, times=True)
    shelf.box("x", "echo 2 > a; rm gone; mkdir d; echo n > d/new; chmod 600 mode")
    shelf.first = shelf.promoted("x")["promotion"]
    shelf.middle = tree(shelf.project, times=True)
    shelf.sh("x", "echo 2 > b")
    shelf.second = shelf.promoted("x")["promotion"]
    return shelf


def test_undo_takes_the_newest_then_the_one_before(twice):
    result = twice.ok("undo")
    assert (result["promotion"], result["undone"], result["box"], result["conflicts"]) == (twice.second, True, "x", [])
    assert tree(twice.project, times=True) == twice.middle
    assert twice.ok("undo")["promotion"] == twice.first
    assert tree(twice.project, times=True) == twice.empty
    assert "undone" in twice.refused("ENOENT", "undo")
    assert list(twice.journals()) == ["lock"]


def test_undo_by_id_of_the_older_one(twice):
    assert twice.ok("undo", twice.first)["undone"]
    assert twice.read("a") == "1\n" and twice.read("gone") == "g\n" and twice.read("b") == "2\n"
    assert not (twice.project / "d").exists() and (twice.project / "mode").stat().st_mode & 0o777 == 0o640
    assert twice.first in twice.refused("EALREADY", "undo", twice.first)
    assert twice.ok("undo")["promotion"] == twice.second
    assert tree(twice.project, times=True) == twice.empty


def test_undo_of_what_there_never_was(twice):
    assert "no promotion" in twice.refused("ENOENT", "undo", "p-0123456789abcdef")
    for odd in ("", "..", "lock", "../layers", "p-"):
        status, result = twice.call("undo", odd)
        assert status == 125, (odd, result)


def test_undo_of_the_older_when_the_newer_changed_the_same(shelf):
    """What it put there is not there any more: somebody, here the second promotion, changed it since."""
    shelf.write(a="1\n", other="1\n")
    shelf.box("x", "echo 2 > a; echo 2 > other")
    first = shelf.promoted("x")["promotion"]
    shelf.sh("x", "echo 3 > a")
    shelf.promoted("x")
    assert paths(shelf.halted("undo", first)["conflicts"]) == ["a"]
    shelf.ok("undo", first, "--conflict", "keep")
    assert shelf.read("a") == "3\n" and shelf.read("other") == "1\n"
    shelf.ok("undo")
    assert shelf.read("a") == "2\n"


def test_undone_and_promoted_into_a_directory_that_is_there(shelf):
    """What an undo took away is not there, whatever the promotion before it wrote down."""
    shelf.box("x", "mkdir -p d/e; echo n > d/new; echo n > d/e/new")
    shelf.promoted("x")
    shelf.ok("undo")
    assert os.listdir(shelf.project) == []
    (shelf.project / "d").mkdir()
    assert paths(shelf.promoted("x")["changes"]) == ["d/e", "d/e/new", "d/new"]
    assert shelf.read("d/e/new") == "n\n"


def test_a_part_is_promoted_and_undone(shelf):
    shelf.box("x", "mkdir n; echo 1 > n/x; echo 1 > n/y")
    shelf.promoted("x", "n/x")
    shelf.ok("undo")
    shelf.promoted("x", "n/y")
    assert paths(shelf.promoted("x")["changes"]) == ["n/x"]


def test_promote_again_after_undo_of_the_second(shelf):
    """The first promotion still counts."""
    shelf.write(a="0\n")
    shelf.box("x", "echo 1 > a")
    shelf.promoted("x")
    shelf.sh("x", "echo 2 > a")
    shelf.promoted("x")
    for _ in range(2):
        shelf.ok("undo")
        assert shelf.read("a") == "1\n"
        assert [c["outcome"] for c in shelf.promoted("x")["changes"]] == ["apply"]
        assert shelf.read("a") == "2\n"


def test_undo_keeping_keeps_the_base(shelf):
    """What was kept was not taken back: what the box does next is compared with it."""
    shelf.write(a="0\n", other="0\n")
    shelf.box("x", "echo 1 > a; echo 1 > other")
    first = shelf.promoted("x")["promotion"]
    shelf.sh("x", "echo 2 > a")
    shelf.promoted("x")
    shelf.ok("undo", first, "--conflict", "keep")
    shelf.sh("x", "echo 3 > a")
    assert {c["path"]: c["outcome"] for c in shelf.promoted("x")["changes"]} == {"a": "apply", "other": "apply"}
    assert (shelf.read("a"), shelf.read("other")) == ("3\n", "1\n")


def test_what_was_promoted_and_removed_by_hand(shelf):
    """The box did nothing to it since: somebody does not want it. Only new work in the box is a conflict."""
    shelf.box("x", "mkdir d; echo n > d/new; echo f > f")
    shelf.promoted("x")
    shutil.rmtree(shelf.project / "d")
    (shelf.project / "f").unlink()
    assert shelf.ok("promote", "x")["promotion"] is None and os.listdir(shelf.project) == []
    shelf.sh("x", "echo more > d/new; echo more > f")
    assert set(paths(shelf.halted("promote", "x")["conflicts"])) >= {"f"}


def test_a_directory_that_went_with_an_undo(shelf):
    """The project had it from another box only: nobody deleted it, so what was made in it stands against nothing."""
    shelf.box("x", "mkdir -p new/d; echo x > new/d/x; mkdir other; echo x > other/x")
    shelf.promoted("x")
    shelf.box("y", "echo y > new/d/y")
    shelf.box("z", "echo z > new/d/z; echo more >> other/x")
    shelf.ok("undo")
    shelf.sh("y", "echo later > new/d/later; mkdir new/e; echo y > new/e/y")
    shelf.promoted("y")
    assert shelf.read("new/d/y") == "y\n" and shelf.read("new/d/x") is None
    assert shelf.read("new/d/later") == "later\n" and shelf.read("new/e/y") == "y\n"
    shelf.ok("undo")
    assert not (shelf.project / "new").exists()
    assert paths(shelf.halted("promote", "z")["conflicts"]) == ["other"], "it changed what is not there any more"
    shelf.box("w", "true")
    shelf.write(new__d__x="x")
    shelf.sh("w", "echo w > new/d/w")
    shutil.rmtree(shelf.project / "new")
    assert paths(shelf.halted("promote", "w")["conflicts"]) == ["new"], "that was somebody's own"


@pytest.mark.parametrize("meanwhile", ["nothing", "work", "removed", "snapped"])
def test_a_fork_after_a_promotion_and_its_undo(shelf, meanwhile):
    """What the box promoted and took back is not there for its fork either."""
    shelf.write(a="1\n")
    shelf.box("x", "echo 2 > a; mkdir d; echo n > d/new")
    shelf.ok("fork", "x", "--name", "y")
    shelf.promoted("x")
    assert shelf.ok("promote", "y")["promotion"] is None
    if meanwhile == "work":
        shelf.sh("x", "echo x > other")
    elif meanwhile == "removed":
        shelf.ok("rm", "x")
        shelf.ok("gc")
    elif meanwhile == "snapped":
        shelf.ok("snap", "x")
    shelf.ok("undo")
    assert shelf.read("a") == "1\n" and not (shelf.project / "d").exists()
    assert {c["outcome"] for c in shelf.promoted("y")["changes"]} == {"apply"}
    assert shelf.read("a") == "2\n" and shelf.read("d/new") == "n\n"


@pytest.fixture(name="edited")
def fixture_edited(shelf):
    """A promotion, after which somebody worked on: changed, deleted, replaced, made something in a new directory."""
    shelf.write(a="1\n", b="1\n", c="1\n", quiet="1\n")
    shelf.box("x", "for f in a b c quiet; do echo 2 > $f; done; mkdir d; echo n > d/new; echo m > made")
    shelf.id = shelf.promoted("x")["promotion"]
    shelf.write(a="by hand\n", d__more="by hand\n")
    (shelf.project / "b").unlink()
    (shelf.project / "c").unlink()
    (shelf.project / "c").mkdir()
    return shelf


def test_undo_stops_for_what_was_changed_since(edited):
    found = edited.halted("undo")
    assert set(paths(found["conflicts"])) >= {"a", "b", "c", "d"} and "quiet" not in paths(found["conflicts"])
    assert edited.halted("undo", "--dry-run")["conflicts"] == found["conflicts"]


def test_undo_keeping_what_was_changed_since(edited):
    assert edited.ok("undo", "--conflict", "keep")["undone"]
    assert tree(edited.project).keys() == {"a", "c", "d", "d/new", "d/more", "quiet"}
    assert edited.read("a") == "by hand\n" and edited.read("quiet") == "1\n" and edited.read("d/more") == "by hand\n"
    edited.refused("EALREADY", "undo", edited.id)


def test_undo_overwriting_what_was_changed_since(edited):
    assert edited.ok("undo", "--conflict", "overwrite")["undone"]
    assert {p: edited.read(p) for p in ("a", "b", "c", "quiet")} == dict.fromkeys(("a", "b", "c", "quiet"), "1\n")
    assert tree(edited.project).keys() == {"a", "b", "c", "quiet"}
    # Put aside, not lost.
    kept = (edited.state / "promotions" / edited.id).rglob("*")
    aside = [p for p in kept if p.is_file() and p.read_bytes() == b"by hand\n"]
    assert len(aside) == 2
    edited.ok("gc")
    assert all(p.exists() for p in aside), "for a month"


def test_undo_after_the_box_is_gone(shelf):
    shelf.write(f="1\n")
    shelf.box("x", "echo 2 > f")
    shelf.promoted("x")
    shelf.ok("rm", "x")
    shelf.ok("gc")
    assert shelf.ok("undo")["undone"] and shelf.read("f") == "1\n"


def test_undo_after_a_month(shelf):
    shelf.write(f="1\n")
    shelf.box("x", "echo 2 > f")
    name = shelf.promoted("x")["promotion"]
    (database,) = shelf.state.glob("*.db")
    with sqlite3.connect(database) as db:
        db.execute("UPDATE promotions SET created_ms = created_ms - 31 * 86400000")
    shelf.ok("gc")
    assert list(shelf.journals()) == ["lock"]
    assert "month" in shelf.refused("ENOENT", "undo", name)
    shelf.refused("ENOENT", "undo")
    assert shelf.read("f") == "2\n"


def test_nothing_is_broken(twice):
    assert twice.ok("recover") == {"recovered": []}
    assert twice.ok("recover") == {"recovered": []}
    assert twice.ok("undo")["promotion"] == twice.second


def killed(shelf, call, when, *words):
    """aisbx dies at a system call, as in a crash; the next command finishes what it began, or drops it."""
    need("/usr/bin/strace")
    p = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={when}", aisbx(), *words],
                       cwd=shelf.project, env=shelf.env, capture_output=True, timeout=60)
    assert p.returncode == -signal.SIGKILL, f"{call} {when} is not reached: {p}"


@pytest.mark.parametrize("call,when", [("fsync", 1), ("renameat2", 1), ("renameat2", 2), ("renameat", 3), ("unlink", 1)])
def test_work_goes_on_after_a_crash_of_a_promotion(shelf, call, when):
    """Whether it was finished or dropped: what the box does next is compared with what is there."""
    shelf.write(a="1\n", b="1\n")
    shelf.box("x", "echo 2 > a; echo 2 > b; mkdir d; echo n > d/new")
    killed(shelf, call, when, "promote", "x")
    action = [r["action"] for r in shelf.ok("recover")["recovered"]]
    assert action in (["discarded"], ["finished"])
    assert shelf.read("a") == ("1\n" if action == ["discarded"] else "2\n") and shelf.ok("recover") == {"recovered": []}
    shelf.sh("x", "echo 3 > a; rm -r d")
    result = shelf.promoted("x")
    assert {c["outcome"] for c in result["changes"]} == {"apply"}
    assert (shelf.read("a"), shelf.read("b")) == ("3\n", "2\n") and not (shelf.project / "d").exists()


@pytest.mark.parametrize("call,when", [("renameat2", 1), ("renameat2", 2), ("renameat", 1), ("renameat", 2), ("unlinkat", 1)])
def test_work_goes_on_after_a_crash_of_an_undo(shelf, call, when):
    shelf.write(a="1\n", b="1\n")
    shelf.box("x", "echo 2 > a; echo 2 > b; mkdir d; echo n > d/new")
    shelf.promoted("x")
    killed(shelf, call, when, "undo")
    shelf.ok("recover")
    if shelf.read("a") == "2\n":  # it had not begun
        assert shelf.ok("undo")["undone"]
    assert tree(shelf.project).keys() == {"a", "b"} and shelf.read("a") == "1\n"
    shelf.promoted("x")
    assert shelf.read("a") == "2\n" and shelf.read("d/new") == "n\n"
    shelf.ok("undo")
    assert shelf.read("b") == "1\n"


# What is left lying about.

def test_what_is_kept(shelf):
    shelf.write(f="1\n", both="".join(f"{i}\n" for i in range(20)))
    shelf.box("b", "echo 2 > f; mkdir d; echo n > d/new; sed -i s/^3$/box/ both; echo x > .envrc")
    shelf.write(both="".join("host\n" if i == 15 else f"{i}\n" for i in range(20)))
    shelf.halted("promote", "b")
    assert list(shelf.journals()) == ["lock"], "stopped: nothing"
    shelf.ok("promote", "b", "--dry-run", "both")
    assert list(shelf.journals()) == ["lock"], "asked: nothing"
    name = shelf.promoted("b", "--yes")["promotion"]
    assert list(shelf.journals()) == ["lock", name]
    assert set(shelf.journals()[name]) == {"commit", "done", "manifest", "plan", "slots", "where"}
    shelf.ok("gc")
    assert list(shelf.journals()) == ["lock", name], "gc leaves what can be taken back"
    assert not list(shelf.project.glob(".aisbx*"))
    shelf.ok("undo")
    shelf.ok("gc")
    assert list(shelf.journals()) == ["lock"]
    shelf.refused("EINVAL", "promote", "b", "/etc")
    assert list(shelf.journals()) == ["lock"]


# Another file system for the state.

@pytest.fixture(name="apart")
def fixture_apart(tmp_path):
    """The state on a file system of its own: in memory, as everybody can have it."""
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="test-promotion-") as state:
        assert os.stat(state).st_dev != os.stat(tmp_path).st_dev, "the test needs two file systems"
        yield Shelf(tmp_path, state=state)
        subprocess.run(["chmod", "-R", "u+rwX", state], check=True)


def work_apart(shelf):
    shelf.write(f="1\n", gone="g\n", mode="m\n", old__a="1\n", old__b="1\n", both="".join(f"{i}\n" for i in range(20)))
    before = tree(shelf.project, times=True)
    shelf.box("b", """
        echo 2 > f; rm gone; chmod 600 mode; mkdir -p d/e; echo n > d/e/new; ln -s f l; rm -r old; sed -i s/^3$/box/ both""")
    shelf.write(both="".join("host\n" if i == 15 else f"{i}\n" for i in range(20)))
    with_edit = tree(shelf.project, times=True)
    assert before.keys() == with_edit.keys()
    dry = shelf.ok("promote", "b", "--dry-run")
    assert not (shelf.project / ".aisbx").exists() and dry["summary"]["merged"] == 1
    name = shelf.promoted("b")["promotion"]
    assert shelf.read("f") == "2\n" and shelf.read("d/e/new") == "n\n" and shelf.read("gone") is None
    assert "box\n" in shelf.read("both") and "host\n" in shelf.read("both") and not (shelf.project / "old").exists()
    # What it keeps lies in the target, where nobody looks; the box does not promote it, and git does not see it.
    hidden = shelf.project / ".aisbx"
    assert os.listdir(hidden / name) and hidden.stat().st_mode & 0o777 == 0o700
    assert shelf.ok("promote", "b")["promotion"] is None
    assert not [c for c in shelf.ok("diff", "b")["changes"] if c["path"].startswith(".aisbx")]
    git = [*shelf.before, "git", "-c", "safe.directory=*"]
    where = {"check": True, "cwd": shelf.project, "env": shelf.env}
    subprocess.run([*git, "init", "-q"], **where)
    assert ".aisbx" not in subprocess.run([*git, "status", "--porcelain", "-uall"], capture_output=True, text=True,
                                          **where).stdout
    shutil.rmtree(shelf.project / ".git")
    shelf.sh("b", "echo 3 > f")
    second = shelf.promoted("b")["promotion"]
    assert sorted(n for n in os.listdir(hidden) if n.startswith("p-")) == sorted([name, second])
    shelf.ok("undo")
    assert shelf.read("f") == "2\n" and [n for n in os.listdir(hidden) if n.startswith("p-")] == [name]
    shelf.ok("undo")
    assert not hidden.exists(), "nothing is kept any more"
    assert tree(shelf.project, times=True) == with_edit
    assert list(shelf.journals()) == ["lock"]


def test_state_on_another_file_system(apart):
    work_apart(apart)


def test_a_stop_on_another_file_system_leaves_nothing(apart):
    apart.write(f="1\n")
    apart.box("b", "echo 2 > f; echo x > .envrc")
    apart.halted("promote", "b")
    assert sorted(os.listdir(apart.project)) == ["f"] and list(apart.journals()) == ["lock"]


def test_stale_does_not_list_what_aisbx_keeps(apart):
    apart.write(f="1\n")
    apart.box("b", "echo 2 > f")
    apart.promoted("b")
    assert not [p for p in paths(apart.ok("show", "b", "--stale")["stale"]) if p.startswith(".aisbx")]


def test_after_a_month_nothing_is_hidden_in_the_target(apart):
    apart.write(f="1\n")
    apart.box("b", "echo 2 > f")
    apart.promoted("b")
    assert (apart.project / ".aisbx").exists()
    (database,) = apart.state.glob("*.db")
    with sqlite3.connect(database) as db:
        db.execute("UPDATE promotions SET created_ms = created_ms - 31 * 86400000")
    apart.ok("gc")
    assert os.listdir(apart.project) == ["f"] and apart.read("f") == "2\n"


def check_mounted_project(tmp_path):
    """A file system of its own at the project, in a mount namespace that a sleeping process holds."""
    shelf = Shelf(tmp_path)
    holder = subprocess.Popen(["unshare", "-m", "--propagation", "private", "sh", "-c",
                               'mount -t tmpfs none "$0" && echo up && exec sleep 300', str(shelf.project)],
                              stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"up\n"
        shelf.project = pathlib.Path(f"/proc/{holder.pid}/root{shelf.project}")
        inside = str(tmp_path / "project")
        shelf.before = ("nsenter", "-t", str(holder.pid), "-m", f"--wd={inside}")
        work_apart(shelf)
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()


if IS_ROOT:  # nobody else can mount
    test_a_project_that_is_a_mount = check_mounted_project


# What was changed outside since.

def test_what_is_stale(shelf):
    shelf.write(a="1\n", b="1\n", c="1\n", d__e="1\n", quiet="1\n")
    shelf.box("b", "echo 2 > a; echo 2 > b; rm c")
    assert paths(shelf.ok("show", "b", "--stale")["stale"]) == []
    assert shelf.ok("promote", "b", "--dry-run")["stale"] == []
    shelf.write(a="host\n", d__e="host\n")
    (shelf.project / "c").chmod(0o600)
    (shelf.project / "b").unlink()
    shelf.write(new="n\n")
    found = set(paths(shelf.ok("show", "b", "--stale")["stale"]))
    assert {"a", "c", "d/e", "new"} <= found and not found & {"quiet", "d"}
    result = shelf.halted("promote", "b", "--dry-run")
    assert {s["path"]: s["host"] for s in result["stale"]} == {"a": "modified", "b": "deleted", "c": "mode"}
    assert "stale" not in shelf.ok("show", "b")


def test_what_is_merged_is_stale_too(shelf):
    shelf.write(f="".join(f"{i}\n" for i in range(20)))
    shelf.box("b", "sed -i s/^3$/box/ f")
    shelf.write(f="".join("host\n" if i == 15 else f"{i}\n" for i in range(20)))
    result = shelf.ok("promote", "b", "--dry-run")
    assert result["stale"] == [{"path": "f", "host": "modified"}] and result["conflicts"] == []


# Bases.

def during_a_run(shelf, box, script, meanwhile):
    """MEANWHILE happens on the host after SCRIPT ran in the box and before its run ends."""
    with shelf.start("run", "--box", box, "--", "sh", "-ec", script + "; echo ready; read end", stdin=subprocess.PIPE) as p:
        assert p.stdout.readline() == b"ready\n", p.communicate()
        meanwhile()
        p.stdin.write(b"\n")
        p.stdin.close()
        p.stdin = None
        p.communicate(timeout=60)
    assert p.returncode == 0


def test_both_change_it_during_one_run(shelf):
    shelf.write(f="1\n", same="1\n", other="1\n", quiet="1\n")
    shelf.ok("create", "b")

    def meanwhile():
        shelf.write(f="host\n", same="both\n", other="host\n")

    during_a_run(shelf, "b", "echo box > f; echo both > same; echo box > quiet", meanwhile)
    result = shelf.halted("promote", "b")
    assert paths(result["conflicts"]) == ["f"] and "at the same time" in result["conflicts"][0]["reason"]
    assert paths(result["changes"]) == ["f", "quiet"], "what both made the same is no conflict"
    shelf.promoted("b", "--conflict", "keep")
    assert [shelf.read(n) for n in ("f", "same", "other", "quiet")] == ["host\n", "both\n", "host\n", "box\n"]


def test_a_directory_is_swapped_during_a_run(shelf):
    """The file that is there now is older than the run, but it is not the one the box took."""
    shelf.write(d__f="1\n", e__f="other\n")
    shelf.ok("create", "b")

    def meanwhile():
        os.rename(shelf.project / "d", shelf.project / "old")
        os.rename(shelf.project / "e", shelf.project / "d")

    during_a_run(shelf, "b", "echo box >> d/f", meanwhile)
    assert paths(shelf.halted("promote", "b")["conflicts"]) == ["d/f"]


def test_changed_outside_during_one_run_and_inside_in_the_next(shelf):
    shelf.write(f="1\n")
    shelf.ok("create", "b")
    during_a_run(shelf, "b", "cat f >/dev/null", lambda: shelf.write(f="host\n"))
    assert shelf.sh("b", "cat f; echo box >> f") == "host\n"
    shelf.promoted("b")
    assert shelf.read("f") == "host\nbox\n"


def test_an_edit_just_before_a_run_is_none_during_it(shelf):
    """However short before: else what people do by script would be full of conflicts."""
    shelf.write(f="0\n")
    shelf.ok("create", "b")
    for i in range(10):
        os.stat(shelf.project / "f")  # so that the kernel gives the next change a time of its own
        shelf.write(f=f"host {i}\n")
        shelf.sh("b", f"echo box {i} > f")
        shelf.promoted("b")
        assert shelf.read("f") == f"box {i}\n"
        shelf.ok("rm", "b")
        shelf.ok("create", "b")


def test_a_directory_somebody_else_makes_later(shelf):
    """When the box made it there was none; the runs after that do not change what it was made on."""
    shelf.box("b", "mkdir -p n/m; echo 1 > n/m/1")
    (shelf.project / "n/m").mkdir(parents=True)
    shelf.write(n__m__other="host\n")
    shelf.sh("b", "echo x > f")
    assert paths(shelf.promoted("b")["changes"]) == ["f", "n/m/1"]
    assert sorted(os.listdir(shelf.project / "n/m")) == ["1", "other"]


def is_free(lock):
    with open(lock, "rb") as f:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def kill_run(shelf, key, script):
    """Runs SCRIPT in the box and kills its supervisor when it says "up". Looks only whether others may use the box: nobody settles it."""
    lock = shelf.state / "locks" / shelf.ok("show", key)["id"]
    with shelf.start("run", "--box", key, "--", "sh", "-ec", script) as p:
        assert p.stdout.readline() == b"up\n"
        assert not is_free(lock), "control: it is in use"
        os.kill(p.pid, signal.SIGKILL)
    wait_until(lambda: is_free(lock), what="the end of the killed run")


def test_a_run_that_was_killed_has_its_bases(shelf):
    shelf.write(f="1\n", later="1\n")
    shelf.ok("create", "b")
    kill_run(shelf, "b", "echo 2 > f; mkdir d; echo n > d/new; echo up; sleep 600")
    shelf.write(later="host\n")
    result = shelf.promoted("b")
    assert paths(result["changes"]) == ["d", "d/new", "f"] and {c["outcome"] for c in result["changes"]} == {"apply"}
    assert shelf.read("f") == "2\n" and shelf.read("later") == "host\n"
    shelf.sh("b", "echo 2 > later; echo 3 > f")
    shelf.promoted("b")
    assert shelf.read("later") == "2\n" and shelf.read("f") == "3\n"


def test_a_run_that_was_killed_and_an_edit_after_it(shelf):
    """Nobody was there to see what the host had: an edit since may have been one during the run."""
    shelf.write(f="1\n")
    shelf.ok("create", "b")
    kill_run(shelf, "b", "echo 2 > f; echo up; sleep 600")
    shelf.write(f="host\n")
    assert paths(shelf.halted("promote", "b")["conflicts"]) == ["f"]


def test_bases_of_forks_and_snapshots(shelf):
    """A fork knows what the host had when the box it comes from changed something."""
    shelf.write(f="".join(f"{i}\n" for i in range(20)))
    shelf.box("b", "sed -i s/^3$/box/ f")
    shelf.ok("snap", "b", "s")
    shelf.ok("fork", "b", "--name", "c")
    shelf.sh("c", "sed -i s/^5$/fork/ f")
    shelf.write(f="".join("host\n" if i == 15 else f"{i}\n" for i in range(20)))
    result = shelf.promoted("c")
    assert [c["outcome"] for c in result["changes"]] == ["merge"]
    text = shelf.read("f")
    assert all(word in text for word in ("box\n", "fork\n", "host\n"))
    assert shelf.ok("promote", "b@s")["promotion"] is None, "it is all there"


# Words for people.

def words(shelf, *args):
    p = subprocess.run([aisbx(), *map(os.fspath, args)], cwd=shelf.project, env=shelf.env, capture_output=True, text=True,
                       timeout=60)
    return p.returncode, p.stdout


def test_what_a_person_is_told_of_a_conflict(shelf):
    shelf.write(f="1\n")
    shelf.box("try", "echo box > f; echo n > new")
    shelf.write(f="host\n")
    status, text = words(shelf, "promote", "try")
    assert status == 1 and "Nothing was changed" in text and "C f" in text
    for how in ("mark", "both", "keep", "overwrite"):
        assert f"aisbx promote try --conflict {how}" in text
    assert "f.try" in text or "NAME.try" in text
    status, text = words(shelf, "promote", "try", "--conflict", "keep")
    assert status == 0 and "promoted to" in text and "aisbx undo" in text


def test_what_a_person_is_told_of_traps(shelf):
    shelf.box("try", "echo x > .envrc")
    status, text = words(shelf, "promote", "try")
    assert status == 1 and "T .envrc" in text and "--yes" in text and "Nothing was changed" in text
    status, text = words(shelf, "promote", "try", "--dry-run")
    assert "this would change" in text and ".envrc" in text


def test_what_a_person_is_told_of_undo_and_the_rest(shelf):
    shelf.write(f="1\n")
    shelf.box("try", "echo 2 > f")
    name = shelf.promoted("try")["promotion"]
    shelf.write(f="host\n")
    status, text = words(shelf, "undo")
    assert status == 1 and "C f" in text and f"aisbx undo {name} --conflict keep" in text
    status, text = words(shelf, "undo", "--conflict", "overwrite")
    assert status == 0 and "undid" in text and name in text
    assert words(shelf, "recover") == (0, "nothing to recover\n")
    shelf.write(untouched="x")
    status, text = words(shelf, "promote", "try", "untouched")
    assert (status, text) == (0, "nothing to promote\n")
    shelf.box("other", "echo 3 > f")
    status, text = words(shelf, "combine", "try", "other")
    assert status == 1 and "C f" in text and "--conflict keep" in text and "not combined" in text
