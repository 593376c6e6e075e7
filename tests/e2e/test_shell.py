# SPDX-License-Identifier: Apache-2.0
"""A person at a terminal: the shell in a box, commands that have a terminal, names of runs, attaching to them.

Runs as root and as an ordinary user.
"""
import json
import os
import re
import shutil
import signal
import subprocess

import pytest

from box import IS_ROOT, aisbx, need, wait_until
from person import Person
from rpc import Rpc

WORDS = r"[a-z]{3,8}-[a-z]{3,8}"
LEAVE = "\x10\x11"
# As in src/base/screen.h.
RESET = ("\033[?47l\0337\033[?6l\033[r\0338\033[0m\033(B\017\033[?25h\033[?7h\033[4l\033[?1l\033>\033[?1000l"
         "\033[?1002l\033[?1003l\033[?1006l\033[?2004l")


class Desk:
    """A project and a state directory of its own."""

    def __init__(self, root):
        self.project = root / "project"
        self.project.mkdir()
        (self.project / "a").write_text("one\n")
        (root / "home").mkdir()
        self.home = root / "home"
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "HOME": str(self.home), "TERM": "xterm", "SHELL": "/bin/bash"}
        for name in ("PS1", "PROMPT_COMMAND", "AISBX_BOX"):
            self.env.pop(name, None)

    def call(self, *words, status=0, env=None, **popen):
        done = subprocess.run([aisbx(), *map(os.fspath, words)], cwd=self.project, env={**self.env, **(env or {})}, timeout=120, text=True,
                              **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen})
        assert status is None or done.returncode == status, (words, done)
        return done

    def out(self, *words, **kw):
        return self.call(*words, **kw).stdout

    def ok(self, op, *words, **kw):
        return json.loads(self.out(op, "--json", *words, **kw).splitlines()[-1])

    def person(self, *words, env=None, **kw):
        return Person([aisbx(), *words], cwd=self.project, env={**self.env, **(env or {})}, **kw)

    def boxes(self):
        return [b["name"] for b in self.ok("ls", "--all")["boxes"]]

    def last(self):
        return self.ok("history", self.ok("history", "--limit", "1")["runs"][0]["run"])["runs"][0]

    def finish(self):
        for r in self.ok("ps")["runs"]:
            self.call("kill", r["run"], status=None)
        for name in self.boxes():
            self.call("rm", name, status=None)


@pytest.fixture(name="desk")
def fixture_desk(tmp_path):
    made = Desk(tmp_path)
    yield made
    made.finish()


# Which box it is

SAY = 'printf "%s %s %s\\n" "$AISBX_BOX" "$(uname -n)" "$(getent hosts "$(uname -n)" | cut -d" " -f1)"'


def test_every_command_knows_its_box(desk):
    desk.call("create", "try1")
    told = "try1 try1 127.0.1.1\n"
    assert desk.out("run", "-b", "try1", "--", "sh", "-c", SAY) == told
    result = desk.ok("run", "--", "sh", "-c", SAY)
    assert result["stdout"] == f"{result['run']} {result['run']} 127.0.1.1\n"
    name = desk.out("run", "-d", "-b", "try1", "--", "sleep", "60").strip()
    assert desk.out("exec", "try1", "--", "sh", "-c", SAY) == told, "by exec"
    assert desk.out("run", "-b", "try1", "--", "sh", "-c", SAY) == told, "by joining"
    assert desk.out("exec", name, "--", "sh", "-c", SAY) == told, "by the name of the run"
    alone = desk.out("run", "-d", "--", "sleep", "60").strip()
    assert desk.out("exec", alone, "--", "sh", "-c", SAY) == f"{alone} {alone} 127.0.1.1\n"
    made = desk.ok("run-code", "--box", "try1", "--context", "c", "--lang", "python", stdin=None,
                   input="import os; print(os.environ['AISBX_BOX'], os.uname().nodename)")
    assert made["stdout"] == "try1 try1\n"


def test_nobody_lies_about_the_box(desk):
    """Not an option, the caller's variable, a profile, a secret or the variables of a service."""
    profiles = desk.home / ".config" / "aisbx" / "profiles"
    profiles.mkdir(parents=True)
    (profiles / "liar.yaml").write_text("name: liar\nextends: dev\nenv:\n  set:\n    AISBX_BOX: lie\n")
    (desk.project / "aisbx.yaml").write_text(
        "services:\n  teller:\n    command: [sh, -c, 'echo service $AISBX_BOX; exec sleep 60']\n    env:\n      AISBX_BOX: lie\n")
    desk.call("create", "-p", "liar", "truth")
    done = desk.call("run", "--json", "-b", "truth", "-e", "AISBX_BOX=lie", "--secret", "AISBX_BOX=env:LIE,as=env", "--",
                     "sh", "-c", "echo $AISBX_BOX; sleep 0.2", env={"LIE": "lie" * 10, "AISBX_BOX": "lie"})
    result = json.loads(done.stdout)
    assert result["stdout"] == "truth\n"
    assert result["services"][0]["output"] == "service truth\n"


@pytest.mark.parametrize("name, host", [("my_box.x", "my-box.x"), ("_", "box"), ("a..b", "a.b"), ("x_-", "x"),
                                        ("n" * 64, "n" * 63), ("A.1", "A.1"), ("a._b", "a.b")])
def test_a_host_name_is_a_valid_one(desk, name, host):
    desk.call("create", name)
    assert desk.out("run", "-b", name, "--", "sh", "-c", SAY) == f"{name} {host} 127.0.1.1\n"


def test_the_hosts_of_the_host_stay(desk):
    """What the box has there is the host's list and its own name; nothing a box writes there is kept or real."""
    with open("/etc/hosts", encoding="utf-8") as f:
        real = f.read()
    desk.call("create", "b")
    script = "cat /etc/hosts; echo 1.2.3.4 planted >>/etc/hosts 2>/dev/null && getent hosts planted >&2"
    first = desk.call("run", "-b", "b", "--", "sh", "-c", script, status=None)
    assert first.stdout == real + ("" if real.endswith("\n") else "\n") + "127.0.1.1\tb\n"
    assert ("planted" in first.stderr) == IS_ROOT, "root's system is writable"
    assert desk.out("run", "-b", "b", "--", "cat", "/etc/hosts") == first.stdout
    with open("/etc/hosts", encoding="utf-8") as f:
        assert f.read() == real


# A terminal by itself

@pytest.mark.parametrize("options, streams, has", [
    ([], {}, True), (["-T"], {}, False), (["--no-tty"], {}, False), ([], {"stdin": subprocess.DEVNULL}, False),
    ([], {"stdout": subprocess.PIPE}, False), ([], {"stderr": subprocess.PIPE}, False), (["--record"], {}, False),
])
def test_a_command_at_a_terminal_has_one(desk, options, streams, has):
    with desk.person("run", *options, "--", "sh", "-c", "if test -t 0 && test -t 1 && test -t 2; then echo all; else echo no; fi; exit 5",
                     **streams) as person:
        assert person.end() == 5
        text = person.process.stdout.read().decode() if streams.get("stdout") == subprocess.PIPE else person.text()
        for f in (person.process.stdout, person.process.stderr):
            if f:
                f.close()
        assert text.startswith("all\n" if has else "no\n"), text
        assert person.is_as_before()
    result = desk.last()["result"]
    assert (result["exit_code"], result["status"]) == (5, "failed")
    assert "wall_time" in result["limits"], "nobody asked for no deadline"


def test_no_terminal_for_programs(desk):
    with desk.person("run", "--json", "--", "tty") as person:
        assert person.end() == 1 and json.loads(person.text())["stdout"] == "not a tty\n"
    with desk.person("run", "-d", "--", "tty") as person:
        assert person.end() == 0
        name = person.text().strip()
    assert re.fullmatch(WORDS, name)
    assert desk.call("wait", name, status=1) and desk.out("logs", name) == "not a tty\n"
    assert "contradict" in desk.call("run", "-tT", "--", "true", status=125).stderr


def test_in_the_background_the_terminal_is_another_s(desk):
    """A job that took it would be stopped, and the shell with it."""
    with Person(["bash", "--norc", "-i"], cwd=desk.project, env={**desk.env, "PS1": "$ "}) as person:
        person.see("$ ")
        person.type(f"{aisbx()} run --rw {desk.project} -- sh -c 'tty; until test -e go; do sleep 0.05; done; echo d''one' &\n")
        person.see("not a tty")
        person.type("echo ty''ped; touch go; wait $!; echo st''atus $?\n")  # for the shell, not for the job, which would be stopped by reading
        person.see("typed")
        person.see("done")
        person.see("status 0")
        person.type("exit\n")
        person.end()


def test_brought_to_the_front(desk):
    """Its terminal has the settings of a command's, not those of the shell that was reading a line when it began."""
    with Person(["bash", "--norc", "-i"], cwd=desk.project, env={**desk.env, "PS1": "$ "}) as person:
        person.see("$ ")
        person.type(f"{aisbx()} run -t -- sh -c 'read line; echo g''ot $line' &\n")
        person.type("until jobs -s | grep -q run; do sleep 0.05; done; echo st''opped\n")
        person.see("stopped")
        person.type("fg\n")
        person.see("aisbx run")
        person.type("hello\n")
        person.see("got hello")
        person.see("$ ")  # what is typed earlier is the command's
        person.type("exit\n")
        person.end()


def test_ctrl_c_is_the_command_s(desk):
    # No shell: dash catches the signal, and one that comes while it starts its child is lost, without a box, too.
    with desk.person("run", "--", "perl", "-e", '$| = 1; print "ready\\n"; sleep 60') as person:
        person.see("ready")
        person.type("\x03")
        assert person.end() == 130 and person.is_as_before()
    result = desk.last()["result"]
    assert (result["status"], result["signal"]) == ("interrupted", 2)
    with desk.person("run", "--", "sh", "-c", "trap 'echo caught; exit 9' INT; echo ready; sleep 60 & wait") as person:
        person.see("ready")
        person.type("\x03")
        person.see("caught")
        assert person.end() == 9
    assert desk.last()["result"]["status"] == "failed"


def test_ctrl_z_and_fg(desk):
    with Person(["bash", "--norc", "-i"], cwd=desk.project, env={**desk.env, "PS1": "$ "}) as person:
        person.see("$ ")
        person.type(f"{aisbx()} run -- sh -c 'echo re''ady; read line; echo got $line'\n")
        person.see("ready")
        person.type("\x1a")
        person.see("Stopped")
        person.see("$ ")
        person.type("fg\n")
        person.see("aisbx run")
        person.type("more\n")
        person.see("got more")
        person.see("$ ")
        person.type("exit\n")
        person.end()


# The shell

SHELLS = {"bash": "/bin/bash", "zsh": "/usr/bin/zsh", "fish": "/usr/bin/fish", "dash": "/bin/dash", "sh": "/bin/sh"}


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_says_where_it_is(desk, shell):
    path = need(SHELLS[shell])
    with desk.person("shell", "try1", env={"SHELL": path}) as person:
        person.see("made box 'try1', a clone of")
        person.see("[try1] ")
        person.type("echo new >b; echo $AISBX_BOX-$SHELL\r")
        person.see(f"\ntry1-{path}\n")
        person.see("[try1] ")
        person.type("cd /; echo on''ce\r")
        person.see("\nonce\n")
        person.see("[try1] ")
        person.type("exit 3\r")
        assert person.end() == 3
        assert person.text().endswith("\nbox try1: 1 created; next: aisbx diff try1, aisbx promote try1\n")
        assert "[try1] [try1]" not in person.text() and person.is_as_before()
    assert desk.out("file", "read", "try1", str(desk.project / "b")) == "new\n"
    assert not (desk.project / "b").exists()


def test_zsh_asks_nothing_and_reads_the_person_s_settings(desk):
    (desk.project / "z").mkdir()
    (desk.project / "z" / ".zshrc").write_text("PROMPT='mine> '\nalias hi='echo hel''lo'\n")
    (desk.project / "z" / ".zshenv").write_text("export FROM_ENV=seen\n")
    with desk.person("shell", "-e", f"ZDOTDIR={desk.project}/z", "b", env={"SHELL": need("/usr/bin/zsh")}) as person:
        person.see("[b] mine> ")
        person.type("hi; echo $FROM_ENV; ls -d /tmp/aisbx* | wc -l; echo $ZDOTDIR\r")
        person.see(f"hello\nseen\n")
        person.see(f"0\n{desk.project}/z\n")
        person.see("[b] ")
        person.type("\x04")
        assert person.end() == 0


def test_bash_keeps_what_others_do_before_a_prompt(desk):
    with desk.person("shell", "b", env={"PROMPT_COMMAND": "echo before"}) as person:
        person.see("before\n[b] ")
        person.type("PS1='new> '\r")
        person.see("before\n[b] new> ")
        person.type("exit\r")
        assert person.end() == 0


def test_the_size_of_the_window(desk):
    with desk.person("shell", "b", rows=30, columns=90) as person:
        person.see("[b] ")
        person.type("stty size\r")
        person.see("\n30 90\n")
        person.resize(20, 70)
        person.type("stty size\r")
        person.see("\n20 70\n")
        person.see("[b] ")
        person.type("\x04")
        assert person.end() == 0


def test_a_box_in_which_nothing_happened_goes(desk):
    with desk.person("shell") as person:
        text = person.see("] ")
        name = re.search(f"made box '({WORDS})'", text).group(1)
        person.type("cat a\r")
        person.see("\none\n")
        person.see("] ")
        person.type("\x04")
        assert person.end() == 0
        assert person.text().endswith(f"\nbox {name}: nothing changed, so it was removed\n")
    assert desk.boxes() == []


def test_a_box_that_was_there_stays(desk):
    desk.call("create", "b")
    with desk.person("shell", "b") as person:
        person.see("[b] ")
        person.type("exit\r")
        assert person.end() == 0
        assert person.text().endswith("\nbox b: no changes; next: aisbx shell b, or aisbx rm b\n")
        assert "made" not in person.text()
    assert desk.boxes() == ["b"]


def test_counts_are_those_of_diff(desk):
    with desk.person("shell", "b") as person:
        person.see("[b] ")
        person.type("mkdir d; touch d/x; echo two >>a; chmod 700 d/x\r")
        person.see("[b] ")
        person.type("exit\r")
        person.end()
        assert "\nbox b: 2 created, 1 modified; next:" in person.text()
    with desk.person("shell", "b") as person:
        person.see("[b] ")
        person.type("rm -r d a; exit\r")
        person.end()
        assert "\nbox b: 1 deleted; next:" in person.text()
    assert desk.ok("diff", "b")["summary"]["deleted"] == 1


def test_a_live_box_is_joined(desk):
    desk.call("create", "b")
    run = desk.ok("run", "-d", "-b", "b", "--", "sh", "-c", "touch /tmp/here; exec sleep 60")["run"]
    wait_until(lambda: desk.call("exec", "b", "--", "ls", "/tmp/here", status=None).returncode == 0, 30, "the run is live")
    for shell in ("bash", "zsh"):
        with desk.person("shell", "b", env={"SHELL": SHELLS[shell]}) as person:
            person.see("[b] ")
            person.type("ls /tmp/here\r")
            person.see("\n/tmp/here\n")
            person.type("exit 4\r")
            assert person.end() == 4
            assert "\nbox b: no changes" in person.text()
    assert [r["run"] for r in desk.ok("ps")["runs"]] == [run]


def test_a_shell_that_the_box_does_not_have(desk):
    """It lies in the home directory, which is hidden: another one is taken."""
    own = desk.home / "myshell"
    shutil.copy("/bin/bash", own)
    for shell in (str(own), "/usr/sbin/nologin", "/not/there", "relative"):
        with desk.person("shell", "b", env={"SHELL": shell}) as person:
            person.see("[b] ")
            person.type("echo $SHELL\r")
            person.see("\n/bin/bash\n")
            person.type("exit\r")
            assert person.end() == 0


def test_no_deadline_at_a_terminal_unless_it_is_asked_for(desk):
    with desk.person("shell", "-p", "strict", "b") as person:
        person.see("[b] ")
        person.type("exit\r")
        person.end()
    assert "wall_time" not in desk.last()["result"]["limits"]
    with desk.person("shell", "-p", "strict", "--timeout", "1s", "b") as person:
        person.see("[b] ")
        assert person.end() == 124
        assert person.is_as_before()


def test_without_a_terminal_it_reads_commands(desk):
    done = desk.call("shell", "b", input="echo $AISBX_BOX; echo x >n; exit 6\n", stdin=None, status=6)
    assert done.stdout == "b\n"
    assert done.stderr.splitlines()[-1] == "box b: 1 created; next: aisbx diff b, aisbx promote b"
    result = json.loads(desk.call("shell", "--json", "b", input="exit 2\n", stdin=None, status=2).stdout)
    assert (result["box"], result["made"], result["removed"], result["summary"]["created"]) == ("b", False, False, 1)
    assert result["run"]["exit_code"] == 2


def test_a_program_cannot_hide_or_fake_the_last_line(desk):
    """It leaves the alternate screen, hidden text, another character set, and a line like ours without an end."""
    with desk.person("shell", "b") as person:
        person.see("[b] ")
        person.type("touch n; printf '\\033[?1049h\\033[8m\\033(0\\033[2;2r\\033[?25l\\033[?1000h"
                    "box b: nothing changed'; kill -9 $$\r")
        assert person.end() == 137
        out = person.out
        assert person.is_as_before()
    last = b"\r\nbox b: 1 created; next: aisbx diff b, aisbx promote b\r\n"
    assert out.endswith(RESET.encode() + last), out[-300:]


def test_answers_of_the_terminal_are_not_typed_at_the_next_prompt(desk):
    """A program asks the terminal something and ends: what the terminal answers is no command."""
    with Person(["bash", "--norc", "-i"], cwd=desk.project, env={**desk.env, "PS1": "$ "}) as person:
        person.see("$ ")
        person.type(f"{aisbx()} shell b\n")
        person.see("[b] ")
        person.type("exit\recho inj''ected\r")
        person.see("removed\n")
        person.type("echo ne''xt\n")
        assert "injected" not in person.see("next")
        person.type("exit\n")
        person.end()


def test_a_box_whose_project_is_gone(desk, tmp_path):
    desk.call("create", "b")
    desk.project.rename(tmp_path / "moved")
    desk.project = tmp_path
    with desk.person("shell", "b") as person:
        assert person.end() == 125
        assert "project" in person.text() and person.is_as_before()
    assert desk.boxes() == ["b"]


def test_what_cannot_be_a_box_is_told(desk):
    assert "not a valid name" in desk.call("shell", "a/../b", status=125).stderr
    assert "no profile 'x'" in desk.call("shell", "-p", "x", "new", status=125).stderr
    assert desk.boxes() == []


# Names of runs

def test_a_detached_run_has_a_name(desk):
    name = desk.out("run", "-d", "-i", "--", "sh", "-c", "echo hello; cat; exit 4").strip()
    assert re.fullmatch(WORDS, name)
    run = desk.ok("ps")["runs"][0]
    assert run["name"] == name and desk.out("ps").splitlines()[1].split()[0] == name
    assert desk.ok("stats", name)["runs"][0]["run"] == run["run"]
    assert desk.ok("pause", name) and desk.ok("resume", name)
    assert desk.out("exec", name, "--", "echo", "inside") == "inside\n"
    desk.call("input", "--close", name, input="typed\n", stdin=None)
    result = desk.ok("wait", name, status=4)
    assert (result["run"], result["name"]) == (run["run"], name)
    assert desk.out("logs", name) == "hello\ntyped\n"
    assert desk.ok("history", name)["runs"][0]["result"]["name"] == name
    desk.call("run", "-d", "--name", "mine", "--", "sleep", "60")
    desk.call("kill", "mine")
    assert desk.ok("wait", "mine", status=137)["status"] == "interrupted"


def test_a_name_is_one_live_run_s(desk):
    first = desk.ok("run", "-d", "--name", "work", "--", "sh", "-c", "echo first; sleep 60")
    assert first["name"] == "work"
    wait_until(lambda: desk.out("logs", "work") == "first\n", 30, "its output")
    done = desk.call("run", "-d", "--name", "work", "--", "true", status=125)
    assert "a live run is called 'work'" in done.stderr
    desk.call("kill", "work")
    assert desk.out("logs", "work") == "first\n", "also after its end"
    second = desk.ok("run", "-d", "--name", "work", "--", "echo", "second")
    desk.call("wait", "work")
    assert desk.out("logs", "work") == "second\n" and desk.out("logs", first["run"]) == "first\n"
    assert desk.ok("history", "work")["runs"][0]["run"] == second["run"]
    desk.call("run", "-d", "--name", "bad", "--profile", "none", "--", "true", status=125)
    assert "no run 'bad'" in desk.call("logs", "bad", status=125).stderr, "it never started"
    for name in ("r-1", "a/b", "..", "", "-x", "n" * 65):
        assert "name" in desk.call("run", "-d", f"--name={name}", "--", "true", status=125).stderr


def test_many_at_once_want_one_name(desk):
    ask = [aisbx(), "run", "-d", "--name", "one", "--", "sleep", "60"]
    all_of_them = [subprocess.Popen(ask, cwd=desk.project, env=desk.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                   for _ in range(8)]
    ends = [p.communicate()[1] for p in all_of_them]
    assert sorted(p.returncode for p in all_of_them) == [0] + [125] * 7, ends
    assert len(desk.ok("ps")["runs"]) == 1


def test_names_are_an_owner_s_own(desk):
    """One session's name is neither seen nor taken by another, nor by the person's."""
    desk.call("run", "-d", "--name", "work", "--", "sleep", "60")
    with Rpc(cwd=desk.project, env=desk.env) as one, Rpc(cwd=desk.project, env=desk.env) as two:
        one.call("rpc.hello", owner="one")
        two.call("rpc.hello", owner="two")
        run = one.call("run.exec", command=["sleep", "60"], detach=True, name="work")
        assert one.call("run.kill", runs=["work"])["runs"] == [run["run"]]
        assert two.error("run.logs", run="work")["data"]["kind"] in ("usage", "not-found")
    assert [r["name"] for r in desk.ok("ps")["runs"]] == ["work"]


def test_where_a_box_and_a_run_have_one_name_the_box_is_meant(desk):
    desk.call("create", "both")
    desk.call("run", "-d", "--name", "both", "--", "sleep", "60")
    assert "nothing runs in box 'both'" in desk.call("exec", "both", "--", "true", status=125).stderr


# Attaching

def test_a_terminal_is_left_and_found_again(desk):
    desk.call("run", "-d", "-t", "--name", "work", "--", "bash", "--norc", env={"PS1": "in> "})
    with desk.person("attach", "work", rows=30, columns=90) as person:
        person.see("attached to work; Ctrl-P Ctrl-Q leaves it running\n")
        person.type("stty size; trap 'echo size' WINCH\r")
        person.see("\n30 90\n")
        person.resize(20, 60)
        person.type("stty size\r")
        person.see("\n20 60\n")
        person.type("x=ke''pt\r")
        person.type(LEAVE)
        assert person.end() == 0 and person.is_as_before()
        assert "left run work, which goes on" in person.text()
    with desk.person("attach", "work") as person:
        person.see("\n20 60\n")
        person.type("echo $x\r")
        person.see("\nkept\n")
        person.type("cat\r")
        person.type("a\x10b\r")  # the first key alone is the command's
        person.see("a\x10b")
        person.type("\x03")
        person.see("in> ")
        person.type("exit 7\r")
        assert person.end() == 7 and person.is_as_before()
    assert desk.ok("history", "work")["runs"][0]["exit_code"] == 7
    assert "has ended" in desk.call("attach", "work", status=125).stderr


def test_several_attach_and_one_is_killed(desk):
    desk.call("run", "-d", "-t", "--name", "work", "--", "bash", "--norc", env={"PS1": "in> "})
    with desk.person("attach", "work") as one, desk.person("attach", "work") as two:
        one.see("in> ")
        two.see("in> ")
        one.type("echo on''e\r")
        two.see("\none\n")
        one.process.send_signal(signal.SIGKILL)
        assert one.end() == -9
        wait_until(one.is_as_before, 30, "the terminal is given back")
        two.type("echo tw''o\r")
        two.see("\ntwo\n")
        two.process.send_signal(signal.SIGHUP)
        assert two.end() == 0, "a terminal that hangs up takes nobody along"
    assert desk.ok("ps")["runs"][0]["name"] == "work"
    with desk.person("attach", "work") as three:
        three.see("\ntwo\n")
        three.type("exit\r")
        assert three.end() == 0


def test_lines_for_a_command_without_a_terminal(desk):
    desk.call("run", "-d", "-i", "--name", "cat", "--", "sh", "-c", "cat; echo end; exit 6")
    with desk.person("attach", "cat") as person:
        person.see("attached to cat")
        person.type("one\n")
        person.see("one\none\n")
        person.type(LEAVE)
        assert person.end() == 0 and person.is_as_before()
    with desk.person("attach", "cat") as person:
        person.see("one\n")
        person.type("two\n")
        person.see("two\ntwo\n")
        person.type("\x04")
        person.see("end\n")
        assert person.end() == 6 and person.is_as_before()


def test_keys_of_one_who_only_watches(desk):
    desk.call("run", "-d", "--name", "count", "--", "sh", "-c", "seq 1 1000; echo err >&2; exec sleep 60")
    wait_until(lambda: "1000\n" in desk.out("logs", "count"), 30, "its output")
    with desk.person("attach", "count", rows=10) as person:
        person.see("which takes no input")
        person.see("1000\nerr\n")
        assert "\n993\n" in person.text() and "\n990\n" not in person.text(), "a screenful"
        person.type(LEAVE)
        assert person.end() == 0
    with desk.person("attach", "count") as person:
        person.see("1000\n")
        person.type("\x03")
        assert person.end() == 130
    assert desk.ok("history", "count")["runs"][0]["status"] == "interrupted"


def test_attach_without_a_terminal(desk):
    desk.call("run", "-d", "-i", "--name", "cat", "--", "sh", "-c", "head -n1; exit 3")
    done = desk.call("attach", "cat", input="line\n", stdin=None, status=3)
    assert done.stdout == "line\n" and done.stderr == ""
    assert "logs --follow" in desk.call("attach", "--json", "cat", status=125).stdout


def test_only_a_detached_run_is_attached_to(desk):
    with desk.person("run", "--", "sh", "-c", "echo ready; sleep 60") as person:
        person.see("ready")
        run = desk.ok("ps")["runs"][0]["run"]
        assert "was not detached" in desk.call("attach", run, status=125).stderr
        person.type("\x03")
        person.end()


def test_a_stopped_command_of_a_detached_terminal_goes_on(desk):
    """Ctrl-Z there has no shell that could bring it back."""
    desk.call("run", "-d", "-t", "--name", "work", "--", "sh", "-c", "echo ready; read line; echo got $line")
    with desk.person("attach", "work") as person:
        person.see("ready\n")
        person.type("\x1a")
        person.type("more\r")
        person.see("got more\n")
        assert person.end() == 0


def test_input_and_its_end_for_a_detached_terminal(desk):
    desk.call("run", "-d", "-t", "--name", "work", "--", "cat")
    desk.call("input", "work", input="typed\n", stdin=None)
    desk.call("input", "--close", "work")
    assert desk.call("wait", "work").returncode == 0
    assert desk.out("logs", "work").replace("\r", "").startswith("typed\ntyped\n")
