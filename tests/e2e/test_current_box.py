# SPDX-License-Identifier: Apache-2.0
"""Where a person is: the project that is found from there, and its current box.

The rules of the search are in tests/unit/project/test_root.c, with what others could put above; here is what a
person sees of it. The same file runs as root and as an ordinary user.
"""
import json
import os
import pathlib
import pty
import re
import subprocess

import pytest

from box import IS_ROOT, aisbx

TWO_WORDS = re.compile(r"[a-z]{3,8}-[a-z]{3,8}")
GIT = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
       "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_GLOBAL": "/dev/null"}


class Desk:
    """A person with a home, a state directory, and a repository with directories in it."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.repo = self.root / "work" / "repo"
        self.deep = self.repo / "vendor" / "lib"
        self.deep.mkdir(parents=True)
        (self.root / "home").mkdir()
        (self.repo / "top").write_text("top\n")
        (self.deep / "low").write_text("low\n")
        self.env = {**os.environ, **GIT, "XDG_STATE_HOME": str(self.root / "state"), "HOME": str(self.root / "home")}
        subprocess.run(["git", "init", "-q"], cwd=self.repo, env=self.env, check=True)
        subprocess.run(["git", "add", "."], cwd=self.repo, env=self.env, check=True)
        subprocess.run(["git", "commit", "-qm", "first"], cwd=self.repo, env=self.env, check=True)

    def run(self, *words, cwd=None, **more):
        return subprocess.run([aisbx(), *map(str, words)], cwd=cwd or self.repo, env=self.env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False, **more)

    def ok(self, *words, cwd=None):
        """Standard output."""
        done = self.run(*words, cwd=cwd)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def json(self, op, *words, cwd=None):
        return json.loads(self.ok(op, "--json", *words, cwd=cwd))

    def refused(self, *words, cwd=None):
        done = self.run(*words, cwd=cwd)
        assert done.returncode == 125, (words, done.returncode, done.stdout, done.stderr)
        return done.stderr

    def names(self, *words, cwd=None):
        return {b["name"] for b in self.json("ls", *words, cwd=cwd)["boxes"]}

    def at_terminal(self, *words, typed="", cwd=None):
        """(exit status, everything on the screen)."""
        leader, follower = pty.openpty()
        with subprocess.Popen([aisbx(), *map(str, words)], cwd=cwd or self.repo, env={**self.env, "TERM": "xterm"},
                              stdin=follower, stdout=follower, stderr=follower, start_new_session=True) as p:
            os.close(follower)
            shown = b""
            while True:
                try:
                    part = os.read(leader, 65536)
                except OSError:
                    break
                shown += part
                if typed and b"[y/N]" in shown:
                    os.write(leader, typed.encode())
                    typed = ""
            os.close(leader)
            return p.wait(60), shown.decode()


@pytest.fixture(name="desk")
def fixture_desk(tmp_path):
    return Desk(tmp_path)


# The project is found.

def test_git_works_from_below_and_the_directory_is_kept(desk):
    assert desk.ok("run", "--", "sh", "-ec", "pwd; git rev-parse --show-toplevel; cat low ../../top; touch ../../new",
                   cwd=desk.deep) == f"{desk.deep}\n{desk.repo}\nlow\ntop\n"
    assert not (desk.repo / "new").exists()
    assert desk.json("run", "--", "true", cwd=desk.deep)["project"] == str(desk.repo)


def test_what_here_and_project_mean(desk):
    assert desk.json("create", "a", cwd=desk.deep)["project"] == str(desk.repo)
    assert desk.json("create", "b", "--here", cwd=desk.deep)["project"] == str(desk.deep)
    assert desk.json("create", "c", "--project", "..", cwd=desk.deep)["project"] == str(desk.deep.parent)
    assert desk.ok("run", "--here", "--", "pwd", cwd=desk.deep) == f"{desk.deep}\n"
    assert desk.ok("run", "--project", "..", "--", "pwd", cwd=desk.deep) == f"{desk.deep.parent}\n"
    assert desk.run("run", "--here", "--", "git", "status", cwd=desk.deep).returncode == 128
    assert desk.ok("run", "-C", "..", "--", "pwd", cwd=desk.deep) == f"{desk.deep.parent}\n"


def test_a_file_of_the_project_is_nearer_than_its_repository(desk):
    (desk.repo / "vendor" / "aisbx.yaml").write_text("intents: {test: echo vendored}\n")
    assert desk.json("create", cwd=desk.deep)["project"] == str(desk.deep.parent)
    assert desk.json("create", cwd=desk.repo)["project"] == str(desk.repo)


def test_nothing_above_counts_that_is_home_or_that_others_can_write(desk):
    home = desk.root / "home"
    below = home / "x" / "y"
    below.mkdir(parents=True)
    (home / "aisbx.yaml").write_text("")
    assert desk.json("create", cwd=below)["project"] == str(below)
    work = desk.root / "work"
    plain = work / "plain" / "x"
    plain.mkdir(parents=True)
    (work / "aisbx.yaml").write_text("")
    assert desk.json("create", cwd=plain)["project"] == str(work)
    work.chmod(0o1777)
    assert desk.json("create", cwd=plain)["project"] == str(plain)
    assert desk.json("create", cwd=desk.deep)["project"] == str(desk.repo)
    if IS_ROOT:
        work.chmod(0o755)
        os.chown(work / "aisbx.yaml", 65534, 65534)
        assert desk.json("create", cwd=plain)["project"] == str(plain)
        (work / "aisbx.yaml").unlink()
        os.chown(desk.repo, 65534, 65534)
        assert desk.json("create", cwd=desk.deep)["project"] == str(desk.deep)


def test_links_and_deep_trees(desk):
    """A link into a repository leads into it; a link in it leads out."""
    (desk.root / "work" / "way").symlink_to(desk.deep)
    (desk.repo / "out").symlink_to(desk.root / "home")
    assert desk.json("create", cwd=desk.root / "work" / "way")["project"] == str(desk.repo)
    assert desk.json("create", cwd=desk.repo / "out")["project"] == str(desk.root / "home")
    deep = desk.repo.joinpath(*["d"] * 200)
    deep.mkdir(parents=True)
    assert desk.ok("run", "--", "git", "rev-parse", "--show-toplevel", cwd=deep) == f"{desk.repo}\n"


def test_worktrees_and_submodules_are_projects(desk):
    """As git has it: each is its own."""
    subprocess.run(["git", "worktree", "add", "-q", "../tree"], cwd=desk.repo, env=desk.env, check=True)
    below = desk.root / "work" / "tree" / "vendor"
    assert desk.json("create", cwd=below)["project"] == str(below.parent)
    (desk.deep / ".git").write_text("gitdir: ../../.git/modules/lib\n")
    (desk.deep / "src").mkdir()
    assert desk.json("create", cwd=desk.deep / "src")["project"] == str(desk.deep)


@pytest.mark.parametrize("mount, place, project", [
    ("mount -t tmpfs none vendor/lib; mkdir vendor/lib/x", "vendor/lib/x", "vendor/lib/x"),  # as git's search
    ("mount --bind ../../home vendor/lib", "vendor/lib/x", "vendor/lib/x"),  # home under another name
    ("mkdir ../else; mount --bind . ../else", "../else/vendor", "../else"),
])
def test_mounts(desk, mount, place, project):
    (desk.root / "home" / "x").mkdir()
    subprocess.run(["git", "init", "-q", desk.root / "home"], env=desk.env, check=True)
    done = subprocess.run(["unshare", "-m" if IS_ROOT else "-rm", "sh", "-ec",
                           mount + '; cd "$1"; exec "$2" create --json', "sh", place, aisbx()], cwd=desk.repo,
                          env=desk.env, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout)["project"] == os.path.normpath(desk.repo / project)


def test_the_nearest_command_is_done(desk):
    (desk.repo / "Makefile").write_text("test:\n\t@echo whole; pwd\nlint:\n\t@echo checked\n")
    pack = desk.repo / "packages" / "a"
    (pack / "src").mkdir(parents=True)
    (pack / "Makefile").write_text("test:\n\t@echo part; pwd\n")
    assert desk.ok("do", "test", cwd=pack / "src") == f"part\n{pack}\n"
    assert desk.ok("do", "lint", cwd=pack / "src") == "checked\n"
    assert desk.ok("do", "test", cwd=desk.deep) == f"whole\n{desk.repo}\n"
    assert desk.ok("do", "test", "-C", "..", cwd=pack / "src") == f"part\n{pack}\n"
    assert "knows no command" in desk.refused("do", "test", "--here", cwd=pack / "src")
    assert {i["intent"] for i in desk.json("intents", cwd=pack / "src")["intents"]} == {"test"}


def test_paths_are_relative_to_where_one_is(desk):
    desk.ok("create", "a")
    desk.ok("run", "-b", "a", "--", "sh", "-ec", "echo one > one; echo two > ../two; pwd", cwd=desk.deep)
    assert desk.ok("file", "read", "a", "one", cwd=desk.deep) == "one\n"
    assert desk.ok("file", "read", "a", "../two", cwd=desk.deep) == "two\n"
    assert desk.ok("file", "read", "a", "vendor/lib/one") == "one\n"
    desk.ok("promote", "a", "one", cwd=desk.deep)
    assert (desk.deep / "one").read_text() == "one\n" and not (desk.deep.parent / "two").exists()
    desk.ok("commit", "a", "-m", "two", "../two", cwd=desk.deep)
    assert desk.ok("run", "-b", "a", "--", "git", "show", "--name-only", "--format=") == "vendor/two\n"


def test_a_replay_starts_where_the_run_did(desk):
    run = desk.json("run", "--record", "--", "sh", "-c", "pwd; cat low", cwd=desk.deep)
    assert run["stdout"] == f"{desk.deep}\nlow\n"
    assert desk.run("replay", run["run"], cwd=desk.root).returncode == 0


def test_branches_of_an_experiment_run_where_one_is(desk):
    done = json.loads(desk.ok("try", "--json", "--test", "test -e mine", "--", "touch", "mine", "--", "touch", "../mine",
                              cwd=desk.deep).splitlines()[-1])
    assert [b["state"] for b in done["branches"]] == ["winner", "failed"], done


# The current box.

def test_a_box_that_is_used_needs_no_name(desk):
    name = desk.ok("create", "--use").strip()
    assert TWO_WORDS.fullmatch(name) and desk.ok("use", cwd=desk.deep) == name + "\n"
    desk.ok("run", "--", "sh", "-c", "echo new > new", cwd=desk.deep)
    assert desk.ok("run", "--", "cat", "vendor/lib/new") == "new\n"
    assert desk.run("run", "--fresh", "--", "test", "-e", "vendor/lib/new").returncode == 1
    assert desk.run("run", "--project", ".", "--", "test", "-e", "vendor/lib/new").returncode == 1
    seen = desk.json("diff")
    assert [c["path"] for c in seen["changes"]] == ["vendor/lib/new"] and seen["current_box"] == name
    assert "current_box" not in desk.json("diff", name)
    assert desk.ok("snap", "before") == "before\n"
    assert desk.json("show")["name"] == name
    assert desk.json("diff", "@before")["changes"] == seen["changes"]
    assert desk.ok("fork") == name + "-2\n"
    assert desk.ok("file", "read", "new", cwd=desk.deep) == "new\n"
    desk.ok("file", "mv", "new", "newer", cwd=desk.deep)
    assert "newer" in desk.ok("file", "ls", "vendor/lib")
    desk.ok("commit", "-m", "text", "vendor/lib/newer")
    desk.ok("promote", "vendor/lib/newer")
    assert (desk.deep / "newer").read_text() == "new\n"
    assert "no box 'newwer'" in desk.refused("file", "write", "newwer", "vendor/lib/newer")
    assert re.search(rf"^{name} .* current$", desk.ok("ls", cwd=desk.deep), re.M)
    assert name in desk.refused("exec", "--", "true") and name in desk.refused("exec", "true")


def test_what_destroys_needs_a_name(desk):
    name = desk.ok("create", "--use").strip()
    desk.ok("snap", "before")
    assert "needs BOX" in desk.refused("rm")
    assert desk.run("rollback", "before").returncode == 125
    assert desk.names() == {name}


def test_a_removed_one_is_told_once_and_nothing_is_done(desk):
    desk.ok("create", "gone", "--use")
    desk.ok("rm", "gone")
    for words in (("run", "--", "touch", "x"), ("diff",)):
        desk.ok("create", "gone", "--use")
        desk.ok("rm", "gone")
        text = desk.refused(*words)
        assert "'gone'" in text and "was removed" in text and "nothing was done" in text
    assert "has no current box" in desk.refused("diff")
    assert desk.ok("run", "--", "echo", "fresh") == "fresh\n"
    desk.ok("create", "gone", "--use")
    desk.ok("rm", "gone")
    assert "was removed" in desk.refused("use") and desk.ok("use") == ""


def test_each_project_has_its_own_and_a_moved_one_keeps_it(desk):
    other = desk.root / "work" / "other"
    other.mkdir()
    desk.ok("create", "a", "--use")
    assert desk.ok("use", cwd=other) == ""
    text = desk.refused("use", "a", cwd=other)
    assert str(desk.repo) in text and str(other) in text
    desk.ok("create", "b", "--use", cwd=other)
    assert (desk.ok("use"), desk.ok("use", cwd=other)) == ("a\n", "b\n")
    moved = other.rename(desk.root / "work" / "moved")
    assert desk.ok("use", cwd=moved) == "b\n"
    assert str(other) in desk.refused("run", "--", "true", cwd=moved)
    desk.ok("rename", "b", "--project", moved, cwd=moved)
    desk.ok("run", "--", "true", cwd=moved)
    desk.ok("use", "--none", cwd=moved)
    assert desk.ok("use", cwd=moved) == "" and desk.ok("use") == "a\n"
    desk.ok("rename", "a", "c")
    assert desk.ok("use") == "c\n"


def test_another_directory_in_its_place_is_not_taken_for_it(desk):
    other = desk.root / "work" / "other"
    other.mkdir()
    desk.ok("create", "b", "--use", cwd=other)
    other.rename(desk.root / "work" / "away")
    other.mkdir()
    assert "was moved" in desk.refused("run", "--", "true", cwd=other)


def test_a_terminal_says_which_box_it_is(desk):
    desk.ok("create", "a", "--use")
    status, shown = desk.at_terminal("run", "--", "echo", "hello")
    assert status == 0 and "aisbx: in box a" in shown and "hello" in shown
    assert "in box" not in desk.at_terminal("run", "-q", "--", "echo", "hello")[1]
    assert "in box" not in desk.at_terminal("run", "-b", "a", "--", "echo", "hello")[1]
    assert "in box" not in desk.run("run", "--", "true").stderr


def test_without_one_nothing_changes(desk):
    assert desk.run("run", "--", "sh", "-c", "touch new").returncode == 0
    assert not (desk.root / "state" / "aisbx" / "current").exists()
    assert "BOX" in desk.refused("diff") and "PATH" in desk.refused("file", "read", "top")


def test_programs_name_their_boxes(desk):
    """Over JSON-RPC there is neither a current box nor a project above."""
    desk.ok("create", "a", "--use")
    calls = [{"jsonrpc": "2.0", "id": 1, "method": "box.diff", "params": {}},
             {"jsonrpc": "2.0", "id": 2, "method": "run.exec", "params": {"command": ["pwd"], "here": True}},
             {"jsonrpc": "2.0", "id": 3, "method": "box.create", "params": {}},
             {"jsonrpc": "2.0", "id": 4, "method": "box.ls", "params": {}}]
    said = {}
    with subprocess.Popen([aisbx(), "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=desk.deep,
                          env=desk.env) as p:
        for call in calls:
            p.stdin.write(json.dumps(call) + "\n")
            p.stdin.flush()
            while call["id"] not in said:
                answer = json.loads(p.stdout.readline())
                said[answer.get("id")] = answer
        p.stdin.close()
    assert "needs BOX" in said[1]["error"]["message"]
    assert "takes no argument 'here'" in said[2]["error"]["message"]
    assert said[3]["result"]["project"] == str(desk.deep) and TWO_WORDS.fullmatch(said[3]["result"]["name"])
    assert "others" not in said[4]["result"]


# Names.

def test_names_that_people_can_say(desk):
    names = [desk.ok("create").strip() for _ in range(5)]
    assert all(TWO_WORDS.fullmatch(n) for n in names) and len(set(names)) == 5
    assert desk.ok("fork", names[0], "-n", "2").split() == [names[0] + "-2", names[0] + "-3"]
    assert desk.ok("fork", names[0] + "-3").strip() == names[0] + "-4"
    assert desk.ok("fork", desk.json("show", names[1])["id"]).strip() == names[1] + "-2"


# This project's.

def test_lists_are_about_the_project_one_is_in(desk):
    other = desk.root / "work" / "other"
    other.mkdir()
    desk.ok("create", "a")
    desk.ok("snap", "a", "s")
    desk.ok("fork", "a", "--name", "a2")
    desk.ok("create", "b", cwd=other)
    assert desk.names(cwd=desk.deep) == {"a", "a2"} and desk.names(cwd=other) == {"b"}
    assert desk.names("--all", cwd=other) == desk.names("-a") == {"a", "a2", "b"}
    assert desk.names("--project", other) == {"b"} and desk.names("--here", cwd=desk.deep) == set()
    tree = desk.json("tree", cwd=desk.deep)
    assert {b["name"] for b in tree["boxes"]} == {"a", "a2"} and [s["name"] for s in tree["snapshots"]] == ["s"]
    assert {b["name"] for b in desk.json("tree", "--all", cwd=other)["boxes"]} == {"a", "a2", "b"}
    assert desk.json("tree", cwd=other)["snapshots"] == []
    empty = desk.run("ls", cwd=desk.root)
    assert "no boxes of this project; 3 others: 'aisbx ls --all'" in empty.stderr


def test_live_runs_are_of_the_project_and_have_the_names_of_their_boxes(desk):
    other = desk.root / "work" / "other"
    other.mkdir()
    desk.ok("create", "a")
    run = desk.json("run", "-b", "a", "--detach", "--name", "naps", "--", "sleep", "60")["run"]
    try:
        listed = desk.json("ps", cwd=desk.deep)["runs"]
        assert [(r["run"], r["box_name"]) for r in listed] == [(run, "a")]
        assert re.search(r"^naps .* a +sleep 60$", desk.ok("ps"), re.M)
        assert desk.json("ps", cwd=other)["runs"] == [] and "1 other" in desk.run("ps", cwd=other).stderr
        assert [r["run"] for r in desk.json("ps", "--all", cwd=other)["runs"]] == [run]
    finally:
        desk.ok("kill", run)


def test_all_boxes_of_the_project_are_removed_after_a_question(desk):
    other = desk.root / "work" / "other"
    other.mkdir()
    desk.ok("create", "a")
    desk.ok("create", "b")
    desk.ok("create", "c", cwd=other)
    desk.ok("run", "-b", "a", "--", "touch", "x", "y")
    assert "--yes" in desk.refused("rm", "--all") and "either" in desk.refused("rm", "--all", "a")
    status, shown = desk.at_terminal("rm", "--all", typed="n\n", cwd=desk.deep)
    assert status == 125 and "nothing was removed" in shown and desk.names() == {"a", "b"}
    assert "2 boxes of" in shown and re.search(r"a +2 changes not promoted", shown) and \
        re.search(r"b +no changes", shown)
    assert desk.at_terminal("rm", "--all", typed="y\n")[0] == 0
    assert desk.names("--all") == {"c"}
    assert desk.json("rm", "--all", "--yes", cwd=other)["removed"] == ["c"]
    assert "no boxes of" in desk.refused("rm", "--all", "--yes")


def test_undo_is_about_the_project_one_is_in(desk):
    other = desk.root / "work" / "other"
    other.mkdir()
    desk.ok("create", "a")
    desk.ok("run", "-b", "a", "--", "touch", "new")
    desk.ok("promote", "a")
    text = desk.refused("undo", cwd=other)
    assert str(other) in text and str(desk.repo) in text and (desk.repo / "new").exists()
    desk.ok("undo", cwd=desk.deep)
    assert not (desk.repo / "new").exists()
