# SPDX-License-Identifier: Apache-2.0
"""`promote --review`: each file and each part of a text; what is refused stays in the box; what is promoted is what was shown."""
import json
import os
import subprocess

import pytest

import promote
import pty_run

BASE = "".join(f"{i}\n" for i in range(1, 31))


@pytest.fixture(name="shelf")
def made(tmp_path):
    shelf = promote.Shelf(tmp_path)
    (shelf.project / "a.txt").write_text(BASE)
    (shelf.project / "gone").write_text("gone\n")
    (shelf.project / "m").write_text("1\n2\n")
    shelf.ok("create", "b")
    return shelf


EDITS = r"sed -i 's/^3$/three/; s/^6$/six/; s/^28$/28!/' a.txt"


def edited(three=False, six=False, last=False):
    return BASE.replace("\n3\n", "\nthree\n" if three else "\n3\n").replace("\n6\n", "\nsix\n" if six else "\n6\n").replace(
        "\n28\n", "\n28!\n" if last else "\n28\n")


def review(shelf, *answers, words=("b", "--review"), want=0, between=None):
    """Types ANSWERS, one at each question. Returns what the terminal showed."""
    with pty_run.Terminal(["promote", *words], shelf.project, {**shelf.env, "PAGER": "cat"}) as t:
        for answer in answers:
            t.wait("]?")
            if between:
                between()
                between = None
            os.write(t.master, answer.encode() + b"\n")
        status, _ = t.end()
        assert status == want, t.text()
        return t.text()


def left(shelf):
    return {c["path"] for c in shelf.ok("diff", "b")["changes"]}


def test_parts_of_a_text(shelf):
    shelf.sh("b", EDITS)
    text = review(shelf, "s", "n", "y", "n")
    assert "-3\n+three\n" in text and "@@ -25,6 +25,6 @@" in text
    assert (shelf.project / "a.txt").read_text() == edited(six=True)
    # What was refused is a change of the box, and the only one.
    patch = shelf.ok("diff", "b", "--patch")["patch"]
    assert [line for line in patch.splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")] == ["-3", "+three", "-28", "+28!"]
    assert "1 modified" in text
    shelf.undo()
    assert (shelf.project / "a.txt").read_text() == BASE
    shelf.promoted("b")
    assert (shelf.project / "a.txt").read_text() == edited(True, True, True)


def test_each_file_as_a_whole(shelf):
    shelf.sh("b", "rm gone; mkdir -p d/e; echo x > d/e/x; echo y > d/e/y; ln -s a.txt link; printf '\\000' > bin; mkdir empty")
    # bin, d/e/x, d/e/y, empty, gone, link
    text = review(shelf, "n", "y", "n", "y", "n", "y")
    assert "created file bin, binary, 1 B" in text and "deleted file gone" in text and "created symlink link" in text
    assert sorted(os.listdir(shelf.project)) == ["a.txt", "d", "empty", "gone", "link", "m"]
    assert os.listdir(shelf.project / "d/e") == ["x"]
    assert left(shelf) == {"bin", "d/e/y", "gone"}


def test_permissions_by_themselves(shelf):
    shelf.sh("b", "sed -i s/2/two/ m; chmod 755 m")
    text = review(shelf, "n", "y")
    assert "permissions 0644 -> 0755" in text
    assert (shelf.project / "m").read_text() == "1\ntwo\n" and (shelf.project / "m").stat().st_mode & 0o777 == 0o644
    assert [c["kind"] for c in shelf.ok("diff", "b")["changes"]] == ["mode"]


def test_nothing_everything_and_help(shelf):
    shelf.sh("b", EDITS + "; echo new > n")
    before = promote.tree(shelf.project)
    assert "Nothing was accepted, nothing was changed" in review(shelf, "q", want=1)
    assert "nothing was changed" in review(shelf, "y", "x", want=1)
    promote.assert_same(before, promote.tree(shelf.project), "a review that was stopped wrote")
    text = review(shelf, "?", "d", "A")
    assert "no to this and to everything" in text and "--- a/a.txt" in text
    assert (shelf.project / "a.txt").read_text() == edited(True, True, True) and (shelf.project / "n").exists()
    assert left(shelf) == set()


@pytest.mark.parametrize("where", ["box", "project"])
def test_what_changes_meanwhile_is_not_promoted(shelf, where):
    shelf.sh("b", EDITS)

    def change():
        if where == "box":
            shelf.sh("b", "sed -i 's/three/evil/' a.txt")
        else:
            (shelf.project / "a.txt").write_text(BASE + "31\n")
    text = review(shelf, "y", "y", want=125, between=change)
    assert "changed since you saw the changes" in text
    assert (shelf.project / "a.txt").read_text() == (BASE if where == "box" else BASE + "31\n")


def test_a_merge_in_parts(shelf):
    """The person's own change stays, the refused part stays in the box, and a later promotion brings just that."""
    shelf.sh("b", EDITS)
    (shelf.project / "a.txt").write_text(BASE.replace("\n15\n", "\nmine\n"))
    text = review(shelf, "n", "y")
    assert "merged with changes made outside" in text
    assert (shelf.project / "a.txt").read_text() == edited(last=True).replace("\n15\n", "\nmine\n")
    shelf.promoted("b")
    assert (shelf.project / "a.txt").read_text() == edited(True, True, True).replace("\n15\n", "\nmine\n")


def test_traps_are_judged_by_what_is_written(shelf):
    """A part without the install script is no trap; with it the person is asked, and sees the difference."""
    (shelf.project / "package.json").write_text('{\n"name": "p",\n"a": 1,\n"b": 1,\n"c": 1,\n"d": 1,\n"e": 1,\n"f": 1,\n"version": "1"\n}\n')
    shelf.ok("create", "c")
    shelf.sh("c", """sed -i 's/"name": "p",/"name": "p", "scripts": {"postinstall": "evil"},/; s/"version": "1"/"version": "2"/' package.json""")
    assert shelf.stopped("c")["traps"]
    text = review(shelf, "s", "n", "y", words=("c", "--review"))
    assert "all the same" not in text and '"version": "2"' in (shelf.project / "package.json").read_text()
    assert "evil" not in (shelf.project / "package.json").read_text()
    with pty_run.Terminal(["promote", "c"], shelf.project, {**shelf.env, "PAGER": "cat"}) as t:
        t.answer("[d]iff, ?", "d")
        t.wait("+\"name\": \"p\", \"scripts\"")
        t.answer("[d]iff, ?", "n")
        assert t.end()[0] == 1 and "Nothing was changed" in t.text()
    assert "evil" not in (shelf.project / "package.json").read_text()
    with pty_run.Terminal(["promote", "c"], shelf.project, shelf.env) as t:
        t.answer("[d]iff, ?", "y")
        assert t.end()[0] == 0
    assert "evil" in (shelf.project / "package.json").read_text()


def test_a_secret_in_a_part(shelf):
    """A refused part takes its secret with it; an accepted one is stopped, and a hasty 'y' does not let it out."""
    env = shelf.env
    env["TOKEN"] = "s3cr3t-value-that-is-long-enough"
    status, _ = shelf.call("run", "--box", "b", "--secret", "TOKEN=env:TOKEN,as=env", "--", "sh", "-c",
                           'sed -i "s/^3$/$TOKEN/; s/^28$/28!/" a.txt')
    assert status == 0
    review(shelf, "n", "y")
    assert (shelf.project / "a.txt").read_text() == edited(last=True)
    with pty_run.Terminal(["promote", "b"], shelf.project, env) as t:
        t.answer("[d]iff, ?", "y")
        t.answer("[d]iff, ?", "n")
        assert t.end()[0] == 1
    assert (shelf.project / "a.txt").read_text() == edited(last=True)


def test_other_kinds_of_change(shelf):
    """A file in place of a directory, a directory in place of a file, a removed directory, another target of a link, no line end."""
    root = shelf.project
    os.symlink("a.txt", root / "link")
    (root / "file").write_text("x\n")
    (root / "dir").mkdir()
    (root / "dir/in").write_text("x\n")
    (root / "old").mkdir()
    (root / "old/in").write_text("x\n")
    (root / "open").write_text("no end")
    before = promote.tree(root)
    shelf.sh("b", "ln -sfn m link; rm file; mkdir file; echo 1 > file/1; rm -r dir; echo 2 > dir; rm -r old; printf 'no end\\nmore' > open; "
                  "truncate -s 2000000 huge; mkfifo pipe")
    text = review(shelf, "y", "y", "n", "y", "y", "y")  # dir, file, huge, link, old, open
    assert "replaced directory file, with everything in it: 1" in text and "2000000" not in text and "1.9 MiB, too large to show" in text
    assert (root / "dir").read_text() == "2\n" and (root / "file/1").read_text() == "1\n" and not (root / "old").exists()
    assert os.readlink(root / "link") == "m" and (root / "open").read_text() == "no end\nmore" and not (root / "huge").exists()
    assert left(shelf) == {"huge", "pipe"}
    shelf.undo()
    promote.assert_same(before, promote.tree(root), "undo")


@pytest.mark.parametrize("all_of_it", [True, False])
def test_commits_come_only_with_everything(shelf, all_of_it):
    git = ["git", "-c", "user.name=Ann", "-c", "user.email=a@b"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=shelf.project, env=shelf.env, check=True, timeout=60)
    shelf.ok("create", "g")
    shelf.sh("g", EDITS + "; echo new > n; git add .; git -c user.name=Box -c user.email=b@b commit -qm two")
    text = review(shelf, *(["A"] if all_of_it else ["y", "y", "n"]), words=("g", "--review"))
    log = subprocess.run([*git, "log", "--format=%s"], cwd=shelf.project, env=shelf.env, check=True, timeout=60, capture_output=True)
    assert log.stdout.split() == ([b"two", b"one"] if all_of_it else [b"one"])
    assert ("stayed in the box: commits" in text) != all_of_it
    assert (shelf.project / "a.txt").read_text() == edited(True, True, True) and (shelf.project / "n").exists() == all_of_it


def test_a_conflict_stays_in_the_box(shelf):
    shelf.sh("b", EDITS + "; echo box > m")
    (shelf.project / "m").write_text("mine\n")
    text = review(shelf, "A")
    assert "1 conflict stays in the box" in text
    assert (shelf.project / "a.txt").read_text() == edited(True, True, True) and (shelf.project / "m").read_text() == "mine\n"
    assert left(shelf) == {"m"}


def test_hostile_text_is_shown_escaped(shelf):
    shelf.py("b", r"""
        open("esc", "w").write("\033[2Jgone\033]0;title\007\n")
        open("na\033[31mme\n", "w").write("x")
        """)
    with pty_run.Terminal(["promote", "b", "--review"], shelf.project, {**shelf.env, "NO_COLOR": "1"}) as t:
        t.answer("]?", "d")
        t.answer("]?", "n")
        t.answer("]?", "n")
        t.end()
    assert b"\x1b" not in t.seen.replace(b"\x1b[K", b""), t.seen


def test_the_pager_gets_a_long_difference(shelf, tmp_path):
    shelf.sh("b", "seq 1 2000 > long")
    env = {**shelf.env, "PAGER": f"cat > {tmp_path}/paged"}
    with pty_run.Terminal(["promote", "b", "--review"], shelf.project, env) as t:
        t.wait("more lines; d shows them")
        t.answer("]?", "d")
        t.answer("]?", "n")
        t.end()
    assert "+2000" in (tmp_path / "paged").read_text() and "+2000" not in t.text()


def test_without_a_terminal(shelf):
    shelf.sh("b", EDITS)
    with shelf.start("promote", "b", "--review") as p:
        assert b"asks at a terminal" in p.communicate(timeout=60)[1]
        assert p.returncode == 125
    seen = shelf.ok("promote", "b", "--review")["review"]
    assert seen["items"][0]["hunks"][0]["first"] == 1 and len(seen["items"][0]["hunks"][0]["parts"]) == 2
    assert (shelf.project / "a.txt").read_text() == BASE
    for bad in (["--accept", "1"], ["--reviewed", "0" * 40], ["--reviewed", seen["digest"], "--accept", "2"],
                ["--reviewed", seen["digest"], "--accept", "1:9"], ["--reviewed", seen["digest"], "--accept", "1:m"],
                ["--reviewed", "x"], ["--reviewed", seen["digest"], "--review"]):
        assert shelf.call("promote", "b", *bad)[0] == 125, bad
    assert (shelf.project / "a.txt").read_text() == BASE
    shelf.ok("promote", "b", "--reviewed", seen["digest"], "--accept", "1:1,3")
    assert (shelf.project / "a.txt").read_text() == edited(three=True, last=True)


def test_all_is_the_whole_promotion(shelf):
    """Accepting everything is what `promote` does: the same tree."""
    shelf.sh("b", EDITS + "; rm gone; mkdir -p d; echo x > d/x; chmod 600 m; touch -d 2001-01-01 d/x")
    shelf.ok("fork", "b", "--name", "other")
    seen = shelf.ok("promote", "b", "--review")["review"]
    parts = [f"{i + 1}" for i in range(len(seen["items"]))]
    shelf.ok("promote", "b", "--reviewed", seen["digest"], *(w for p in parts for w in ("--accept", p)))
    chosen = promote.tree(shelf.project)
    shelf.undo()
    shelf.promoted("other")
    whole = promote.tree(shelf.project)
    assert json.dumps(sorted(map(str, chosen))) == json.dumps(sorted(map(str, whole)))
