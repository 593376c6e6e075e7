# SPDX-License-Identifier: Apache-2.0
"""What the guard does about its verdict: as it is, in a box, after gates, or not at all; and whose rules count."""
import json
import os
import pathlib
import pty
import select

import box
import pytest

PROMOTE = "guard:\n  promote: auto\n"


def test_what_only_looks_runs_as_it_is(world):
    done = world.aisbx("guard", "--", "ls", "src")
    assert (done.returncode, done.stdout) == (0, "main.c\nutil.c\n"), done.stderr
    done = world.aisbx("guard", "--", "grep -q nowhere README.md")
    assert done.returncode == 1
    done = world.aisbx("guard", "--", "cat | tr a-z A-Z", input="from outside\n")
    assert done.stdout == "FROM OUTSIDE\n"
    seen = world.guard("--", "ls src")
    assert seen["act"] == "run" and seen["stdout"] == "main.c\nutil.c\n" and seen["reasons"] == []


def test_from_below_a_box_is_of_the_whole_project(world):
    seen = world.guard("--", "pwd > made; touch ../up", cwd=world.project / "src")
    listed = json.loads(world.aisbx("ls", "--json").stdout)["boxes"]
    assert [b["name"] for b in listed] == [seen["box"]] and listed[0]["project"] == str(world.project)
    made = world.aisbx("file", "read", seen["box"], "src/made").stdout
    assert made == f"{world.project}/src\n" and not (world.project / "up").exists()


def test_what_writes_without_end_is_ended(world):
    """Where its output is kept for a result it is kept in memory, which has an end."""
    done = world.aisbx("guard", "--json", "--", "seq 1000000000")
    result = json.loads(done.stdout)
    assert done.returncode == 153 and len(result["stdout"]) == 1 << 20 and result["stdout"].startswith("1\n2\n")


def test_words_are_no_text(world):
    """Of several words no shell sees any."""
    assert world.judge(["echo", "$(rm x)", ">", "y"])["act"] == "run"
    assert world.guard("--", "echo", "*", "a;b")["stdout"] == "* a;b\n"
    assert world.judge(["cat", str(world.home / ".ssh/id_rsa")])["act"] == "box"


def test_everything_else_runs_in_a_box_and_is_shown(world):
    with box.Watch(world.project):
        done = world.guard("--", "echo new > new.txt; exit 3")
    assert done["act"] == "box" and done["aisbx_status"] == 3 and done["run"]["exit_status"] == 3
    assert done["changes"]["created"] == 1 and done["promoted"] is False
    assert done["next"][1] == f"aisbx promote {done['box']}"
    assert world.aisbx(*done["next"][1].split()[1:]).returncode == 0
    assert (world.project / "new.txt").read_text() == "new\n"


def test_what_cannot_be_told_is_tried_behind_the_glass(world):
    done = world.guard("--", "python3 -c 'print(1)'")
    assert done["act"] == "run" and done["looked"] is True and done["stdout"] == "1\n" and "box" not in done and done["reasons"]
    assert world.judge("python3 -c 'print(1)'")["act"] == "look" and world.judge("python3 -c 'print(1)'")["aisbx_status"] == 9
    done = world.aisbx("guard", "--", "for f in src/*.c; do wc -l $f; done; false")
    assert (done.returncode, done.stderr) == (1, "") and done.stdout == "2 src/main.c\n1 src/util.c\n"


def test_its_first_refused_write_sends_it_to_a_box(world):
    """Nothing of the attempt is seen: each line is there once."""
    with box.Watch(world.project):
        done = world.guard("--", "echo before; python3 -c 'open(\"new.txt\", \"w\").write(\"x\")'; echo after")
    assert done["act"] == "box" and done["wanted"] == f"to write '{world.project}/new.txt'", done
    assert done["run"]["stdout"] == "before\nafter\n" and done["changes"]["created"] == 1
    done = world.aisbx("guard", "--", "echo before; python3 -c 'import os; os.mkdir(\"made\")'; echo after")
    assert done.stdout == "before\nafter\n" and "in a box, because it tried to make the directory" in done.stderr, done.stderr


def test_what_it_read_of_its_input_is_read_again_in_the_box(world, tmp_path):
    command = "python3 -c 'import sys; t = sys.stdin.read(); open(\"new.txt\", \"w\").write(t); print(len(t))'"
    for text in ("short\n", "x" * 200_000):
        assert world.aisbx("guard", "--", command, input=text).stdout == f"{len(text)}\n"  # a pipe
        (tmp_path / "text").write_text(text)
        with open(tmp_path / "text", encoding="ascii") as file:
            assert world.aisbx("guard", "--", command, stdin=file).stdout == f"{len(text)}\n"


@pytest.mark.parametrize("command", ["cat ~/.ssh/id_rsa", "sh -c 'cat ~/.ssh/id_rsa'", "for f in ~/.ssh/*; do cat $f; done", "cat < $HOME/.netrc; true"])
def test_no_secret_is_shown(world, command):
    assert "a secret of the tests" not in json.dumps(world.guard("--", command))
    done = world.aisbx("guard", "--", command)
    assert "a secret of the tests" not in done.stdout + done.stderr


def test_a_box_that_failed_for_want_of_the_network_says_so(world):
    code = "import socket; socket.create_connection((\"127.0.0.1\", 9))"
    done = world.guard("--", f"python3 -c '{code}'")
    assert done["act"] == "box" and done["wanted"] == "a socket" and "loopback of its own" in done["failed_for"], done
    assert "failed_for" not in world.guard("--", "touch new; false")
    assert "reaches no other machine" in world.aisbx("guard", "--", f"python3 -c '{code}'").stderr


def test_a_box_without_changes_is_gone(world):
    done = world.guard("--", "rm -f nothing; python3 -c 'print(1)'")
    assert done["act"] == "box" and done["box"] is None and done["run"]["stdout"] == "1\n"
    assert json.loads(world.aisbx("ls", "--all", "--json").stdout)["boxes"] == []


def test_people_are_told_why(world):
    done = world.aisbx("guard", "--", "touch x")
    assert "in a box, because 'touch' is not known to be read-only" in done.stderr
    assert "1 created" in done.stderr and "aisbx promote" in done.stderr


@pytest.mark.parametrize("command, status", [("ls", 0), ("rm x", 10), ("aisbx promote x", 11)])
def test_explain_only_judges(world, command, status):
    with box.Watch(world.project):
        seen = world.judge(command)
    assert seen["aisbx_status"] == status
    if status:
        reason = seen["reasons"][0]
        assert command[reason["offset"]:].startswith(reason["part"]) and reason["why"]


def test_it_is_promoted_when_the_person_says_so_and_gates_hold(world):
    world.personal("guard:\n  promote: auto\n  gates: ['changes.deleted<1']\n")
    done = world.guard("--", "echo new > new.txt")
    assert done["promoted"] is True, done
    assert (world.project / "new.txt").read_text() == "new\n"
    assert world.aisbx(*done["undo"].split()[1:]).returncode == 0
    assert not (world.project / "new.txt").exists()
    done = world.guard("--", "rm README.md; true")
    assert done["promoted"] is False and (world.project / "README.md").exists()
    assert [g["passed"] for g in done["gates"]] == [False]


def test_a_command_that_failed_or_set_a_trap_is_not_promoted(world):
    world.personal(PROMOTE)
    assert world.guard("--", "echo new > new.txt; false")["promoted"] is False
    done = world.guard("--", "mkdir -p .vscode && echo '{}' > .vscode/tasks.json")
    assert done["promoted"] is False and done["promotion"]["traps"], done
    assert not (world.project / ".vscode/tasks.json").exists()


def test_a_project_cannot_have_itself_promoted(world):
    world.ours(PROMOTE)
    done = world.guard("--", "echo new > new.txt")
    assert done["promoted"] is False and "promote: auto" in done["ignored"]


def test_gates_of_the_project_count_beside_those_of_the_person(world):
    world.personal(PROMOTE)
    world.ours("guard:\n  gates: ['changes.created<1']\n")
    assert world.guard("--", "echo new > new.txt")["promoted"] is False


@pytest.mark.parametrize("mistake", [
    "guard: {gates: [tesst]}", "gates: {ready: [tesst]}\nguard: {gates: [ready]}", "guard: {gate: ['changes.created<1']}", "gaurd: {gates: ['changes.created<1']}",
    "intents: {tset: make}", "stages: [{nme: a}]", "judges: [/]", "what-is-this: 1", "version: 2", "guard: [",
])
def test_a_mistake_in_the_project_never_means_no_gate(world, mistake):
    world.personal(PROMOTE)
    world.ours(mistake + "\n")
    done = world.guard("--", "echo new > new.txt")
    assert done.get("promoted", False) is False, done  # where not even its services are known it does not run
    assert not (world.project / "new.txt").exists()


def test_a_mistake_elsewhere_takes_nothing_from_the_guard(world):
    world.personal("guard:\n  rules:\n  - {command: 'touch *', do: run}\n")
    world.ours("experiments: {x: {branchs: {}}}\nguard:\n  rules:\n  - {command: 'git push *', do: refuse}\n")
    assert world.judge("ls")["act"] in ("run", "look")
    assert world.judge("git push origin")["act"] == "refuse"
    assert world.judge("touch x")["act"] == "run"


@pytest.mark.parametrize("personal", ["guard: {rules: [{command: 'touch *', do: rn}, {command: 'make *', do: refuse}]}\n", "guard: [\n"])
def test_mistakes_of_the_person_leave_the_rules_of_the_project(world, personal):
    world.personal(personal)
    world.ours("guard:\n  rules:\n  - {command: 'git push *', do: refuse}\n")
    assert world.judge("git push origin")["act"] == "refuse"
    assert world.judge("ls")["act"] == "box"
    assert world.judge("make all")["act"] == ("box" if "[\n" in personal else "refuse")


def test_a_person_may_loosen_and_tighten(world):
    world.personal("guard:\n  rules:\n  - {command: 'touch *', do: run}\n  - {command: 'git log *', do: refuse, why: not today}\n"
                   "  - {command: 'curl *', do: ask}\n")
    assert world.judge("touch x")["act"] == "run"
    assert world.judge("touch x; ls")["act"] == "run"
    assert world.judge("touch x; rm y")["act"] == "box"
    assert world.judge("git log --oneline")["act"] == "refuse" and world.judge("git log")["act"] == "refuse"
    done = world.aisbx("guard", "--", "git log")
    assert done.returncode == 125 and "not today" in done.stderr
    assert world.judge("curl x")["act"] == "ask"
    assert world.aisbx("guard", "--", "curl x").returncode == 125


@pytest.mark.parametrize("command", ["touch $(cat words)", "touch *", "touch x > y", "t''ouch x", "touch $HOME/x; $x", "X=1 touch x", "touch x &"])
def test_a_loose_rule_counts_only_for_what_can_be_told(world, command):
    world.personal("guard:\n  rules:\n  - {command: 'touch *', do: run}\n")
    assert world.judge(command)["act"] in ("look", "box")
    with box.Watch(world.project):
        world.guard("--", command)


def test_strict_rules_find_what_cannot_be_read(world):
    world.personal("guard:\n  rules:\n  - {command: 'git push*', do: refuse}\n")
    assert world.judge("if true; then git push origin; fi")["act"] == "refuse"
    assert world.judge("(git push) > x &")["act"] == "refuse"


def test_a_project_may_only_tighten(world):
    world.ours("guard:\n  rules:\n  - {command: 'rm *', do: run}\n  - {command: 'cat *', do: ask}\n")
    seen = world.judge("rm x")
    assert seen["act"] == "box" and seen["ignored"] == ["rm *"]
    assert world.judge("cat README.md")["act"] == "ask"


def test_of_several_rules_the_strictest_counts(world):
    world.personal("guard:\n  rules:\n  - {command: 'make *', do: run}\n  - {command: '* deploy', do: refuse}\n")
    assert world.judge("make")["act"] == "run" and world.judge("make deploy")["act"] == "refuse"


@pytest.mark.parametrize("whose", ["personal", "ours"])
def test_rules_that_cannot_be_read_loosen_nothing(world, whose):
    getattr(world, whose)("guard:\n  rulez: []\n")
    seen = world.judge("ls")
    assert seen["act"] == "box" and seen["reasons"][0]["rule"] == "rules"


def test_the_history_has_it(world):
    world.judge("ls")
    world.judge("rm x")
    assert world.aisbx("history", "--json", "--events").stdout.count("guard.judged") == 2


@pytest.mark.parametrize("setting, value", [("core.fsmonitor", "./evil"), ("diff.external", "./evil"), ("core.pager", "./evil"),
                                            ("include.path", "evil"), ("alias.x", "!evil"), ("filter.x.clean", "./evil"),
                                            ("remote.origin.promisor", "true"), ("core.hooksPath", "evil"), ("core.sshCommand", "x")])
def test_what_a_repository_starts_changes_nothing(world, setting, value):
    """What git's configuration says is for git to read: the glass holds whatever it starts."""
    (world.project / "evil").write_text(f"#!/bin/sh\ntouch {world.project}/hacked {world.home}/hacked\ncat {world.home}/.ssh/id_rsa\n")
    (world.project / "evil").chmod(0o755)
    world.sh(f"git config {setting} '{value}'")
    with box.Watch(world.home):
        for command in ("git status", "git diff HEAD", "git log -p -1", "git x"):
            assert "a secret of the tests" not in json.dumps(world.guard("--", command))


def test_it_does_start_it_without_the_glass(world):
    """The control of the one above."""
    (world.project / "evil").write_text("#!/bin/sh\ntouch hacked\n")
    (world.project / "evil").chmod(0o755)
    world.sh("git config core.fsmonitor ./evil && git status")
    assert (world.project / "hacked").exists()


@pytest.mark.parametrize("text", ['[core]\n\tfsmonitor = "./evil" #]\n', "\r[core]\n\tfsmonitor = ./evil\n"])
def test_other_ways_to_a_hostile_repository(world, text):
    """Attack 132: configuration that another reader reads otherwise than git does; a hook, a bare repository in a directory."""
    evil = f"#!/bin/sh\ntouch {world.project}/hacked {world.home}/hacked\n"
    bare = world.project / "docs"
    for name in ("objects", "refs"):
        (bare / name).mkdir()
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    (bare / "config").write_text("[core]\n\tbare = true\n\tfsmonitor = ./evil\n")
    for place in (world.project / ".git/hooks/post-index-change", world.project / "evil", bare / "evil"):
        place.parent.mkdir(exist_ok=True)
        place.write_text(evil)
        place.chmod(0o755)
    with open(world.project / ".git/config", "a", encoding="ascii") as config:
        config.write(text)
    with box.Watch(world.home):
        for command in ("git status", "git -C docs status", "cd docs && git status", "cd src && cd .. && git diff"):
            world.guard("--", command)


def test_a_program_that_others_can_put_there_is_not_started(world):
    for directory in (world.project / "bin", pathlib.Path("bin"), pathlib.Path("."), world.root / "open"):
        where = directory if directory.is_absolute() else world.project / directory
        where.mkdir(exist_ok=True)
        (where / "ls").write_text("#!/bin/sh\n")
        (where / "ls").chmod(0o755)
        if directory.name == "open":
            where.chmod(0o777)
        env = {**world.env, "PATH": f"{directory}:{world.env['PATH']}"}
        assert world.judge("ls", env=env)["act"] == "look", directory
    assert world.judge("ls", env={**world.env, "BASH_FUNC_ls%%": "() { rm x; }"})["act"] == "look"
    assert world.judge("cd src && ls", env={**world.env, "CDPATH": "/"})["act"] == "look"


def test_names_that_are_options(world):
    (world.project / "-rf").write_text("")
    assert world.judge("sort *")["act"] == "look"
    (world.project / "-rf").unlink()
    assert world.judge("sort *.txt")["act"] == "run"


def test_launchers_that_the_project_leads_elsewhere(world):
    assert world.judge("cargo --version")["act"] == "run"
    (world.project / "rust-toolchain.toml").write_text("[toolchain]\npath = './evil'\n")
    assert world.judge("cargo --version")["act"] == "look" and world.judge("cd src && rustc --version")["act"] == "look"


def test_long_and_many(world):
    assert world.judge("ls " + "a" * 20000)["act"] == "look"
    assert world.judge("; ".join(["ls"] * 100))["act"] == "look"
    assert world.judge("ls " + "a " * 2000)["act"] == "look"
    assert world.judge("echo " + "$(echo " * 50 + "x" + ")" * 50)["act"] == "look"


def answer_at_terminal(world, command, line):
    """Runs guard at a terminal of its own, types LINE at the question; (status, output)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(world.project)
        os.execve(box.aisbx(), [box.aisbx(), "guard", "--", command], world.env)
    out, typed = b"", False
    while True:
        ready, _, _ = select.select([fd], [], [], 60)
        assert ready, out
        try:
            data = os.read(fd, 4096)
        except OSError:
            break
        if not data:
            break
        out += data
        if b"[y/N]" in out and not typed:
            os.write(fd, line)
            typed = True
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(fd)  # not before: that hangs up on who is still there
    return status, out.decode()


def test_a_person_at_a_terminal_is_asked(world):
    world.personal("guard:\n  rules:\n  - {command: 'touch *', do: ask}\n")
    status, out = answer_at_terminal(world, "touch x", b"n\n")
    assert status == 125 and not (world.project / "x").exists(), out
    status, out = answer_at_terminal(world, "touch x", b"y\n")
    assert status == 0 and (world.project / "x").exists(), out
