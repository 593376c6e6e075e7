# SPDX-License-Identifier: Apache-2.0
"""Attacks 162 and 163: a supervisor that is killed while it has the terminal; programs started with standard descriptors closed.

And output that could not be written, which is no success.
"""
import itertools
import os
import pathlib
import subprocess
import termios

import box
import pytest

BIN = pathlib.Path(box.aisbx()).parent
ALL = [closed for n in range(4) for closed in itertools.combinations(range(3), n)]
FULL = "/dev/full"


def started_with(closed, command, cwd, given=b"", timeout=60):
    """COMMAND with CLOSED descriptors: its status, what it wrote. It must end by itself."""
    script = "exec \"$@\"" + "".join(f" {fd}{'<' if fd == 0 else '>'}&-" for fd in closed)
    done = subprocess.run(["sh", "-c", script, "sh", *map(str, command)], cwd=cwd, input=given, timeout=timeout, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("closed", ALL, ids=lambda closed: "".join(map(str, closed)) or "none")
def test_163_a_run(tmp_path, closed):
    """The first is the control. The deadline is a part of the attack: nobody kept it."""
    command = [box.aisbx(), "run", "--timeout", "30s", "--", "sh", "-c", "cat; echo out; echo err >&2"]
    status, out, err = started_with(closed, command, tmp_path, b"in\n")
    assert status in ((125, 141) if 1 in closed else (0,)), (status, out, err)  # 141: the command heard of it by SIGPIPE
    assert out == ("" if 1 in closed else "out\n" if 0 in closed else "in\nout\n")
    if 2 not in closed:
        assert ("Bad file descriptor" in err) == (1 in closed), err


@pytest.mark.parametrize("closed", ALL, ids=lambda closed: "".join(map(str, closed)) or "none")
def test_163_every_program(tmp_path, closed):
    """None opens a file or socket of its own where others expect input and output, and none waits for what never comes."""
    trace = tmp_path / "trace"
    for command in (["aisbx", "ls"], ["aisbx", "rpc"], ["aisbx", "mcp"], ["aisbx", "look", "--", "true"], ["aisbx-jail"], ["aisbx-serve", "rpc", "{}"],
                    ["aisbx-http", "x", "{}"], ["aisbx-merge"], ["aisbx-file"], ["aisbx-scan"], ["aisbx-seccomp"]):
        program = BIN / command[0]
        assert program.exists(), program
        started_with(closed, ["strace", "-o", trace, "-qq", "-e", "trace=openat,open,socket", program, *command[1:]], tmp_path)
        got = [(line, line.split(" = ")[-1].split()[0]) for line in trace.read_text().splitlines() if " = " in line]
        filled = [i for i, (line, fd) in enumerate(got) if '"/dev/null"' in line and fd in map(str, closed)]
        assert {got[i][1] for i in filled} == {str(fd) for fd in closed}, (command, got)
        # What the loader opened before is closed again before main() begins.
        after = got[filled[-1] + 1:] if filled else []
        assert not [line for line, fd in after if line.startswith(("open", "socket(")) and fd in ("0", "1", "2")], (command, got)


def write_to(path, command, cwd):
    with open(path, "wb") as out:
        return subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True, timeout=60, check=False)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["help", "run"], ["run", "--help"], ["doctor"], ["history", "--json"], ["ls", "--json"],
                                   ["run", "--json", "--", "true"], ["run", "--", "echo", "x"], ["run", "--", "seq", "100000"],
                                   ["schema"], ["guard", "--", "echo", "x"], ["look", "--", "echo", "x"]], ids=" ".join)
def test_output_that_cannot_be_written(tmp_path, words):
    done = write_to(FULL, [box.aisbx(), *words], tmp_path)
    assert done.returncode != 0 and "No space left on device" in done.stderr, done
    assert write_to(os.devnull, [box.aisbx(), *words], tmp_path).returncode == 0, "the control"


def test_an_answer_that_cannot_be_written(tmp_path):
    asked = b'{"jsonrpc": "2.0", "id": 1, "method": "box.list", "params": {}}\n'
    for door in ("rpc", "mcp"):
        with open(FULL, "wb") as out:
            done = subprocess.run([box.aisbx(), door], cwd=tmp_path, input=asked, stdout=out, stderr=subprocess.PIPE, timeout=60, check=False)
        assert done.returncode == 125 and b"No space left on device" in done.stderr, done


def test_a_reader_who_left_is_no_error(tmp_path):
    """As for every program: SIGPIPE, or with that ignored nothing at all."""
    for ignored in (False, True):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([box.aisbx(), "--help"], cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False,
                              restore_signals=not ignored)
        os.close(writer)
        assert (done.returncode, done.stderr) == (0 if ignored else -13, b""), done


def heir_of(pid):
    """The process that has the terminal's settings in trust, or None."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().split()
        except OSError:  # gone
            continue
        if words[1] == "(aisbx-terminal)" and words[3] == str(pid):
            return int(words[0])
    return None


class Terminal:
    """A run with a terminal of the test's own, up to where its command speaks; killed when the test is done with it."""

    def __init__(self, cwd, script):
        self.master, self.slave = os.openpty()
        self.before = self.settings()
        self.run = subprocess.Popen([box.aisbx(), "run", "-it", "--", "sh", "-c", "echo up; " + script], cwd=cwd, stdin=self.slave,
                                    stdout=self.slave, stderr=self.slave)
        seen = b""
        while b"up" not in seen:
            seen += os.read(self.master, 1024)
        box.wait_until(lambda: heir_of(self.run.pid), what="somebody has the settings in trust")
        self.heir = heir_of(self.run.pid)

    def settings(self):
        return termios.tcgetattr(self.slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run.kill()
        self.run.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.mark.parametrize("survivor", [True, False], ids=["attack", "control"])
def test_162_a_killed_supervisor_gives_the_terminal_back(tmp_path, survivor):
    with Terminal(tmp_path, "cat") as t:
        assert t.heir and t.settings() != t.before
        if not survivor:
            os.kill(t.heir, 9)
            box.wait_until(lambda: pathlib.Path(f"/proc/{t.heir}/stat").read_text().split()[2] == "Z", what="it is gone")
        t.run.kill()
        t.run.wait()
        box.wait_until(lambda: not os.path.exists(f"/proc/{t.heir}"), what="nobody is left")
        assert (t.settings() == t.before) == survivor


def test_162_it_goes_with_the_run(tmp_path):
    with Terminal(tmp_path, "read x; exit 3") as t:
        os.write(t.master, b"\n")
        assert t.run.wait(60) == 3
        assert t.heir and not os.path.exists(f"/proc/{t.heir}") and t.settings() == t.before


def test_162_it_costs_runs_without_a_terminal_nothing(tmp_path):
    with subprocess.Popen([box.aisbx(), "run", "-i", "--", "sh", "-c", "echo up; cat"], cwd=tmp_path, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as run:
        line, heir = run.stdout.readline(), heir_of(run.pid)
        run.stdin.close()
    assert (line, heir) == (b"up\n", None)
