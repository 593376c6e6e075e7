# SPDX-License-Identifier: Apache-2.0
"""`aisbx look`: a command as it is on the real machine, its result, and what is said when there can be no glass."""
import json
import os
import pty
import signal
import subprocess

import box
import pytest
from looking import SECRET


def test_it_is_the_command(home):
    done = home.look("sh", "-c", "pwd; cat; echo err >&2; exit 3", input="from outside\n")
    assert (done.returncode, done.stdout, done.stderr) == (3, f"{home.project}\nfrom outside\n", "err\n")
    assert home.look("sh", "-c", "kill -9 $$").returncode == -signal.SIGKILL
    assert home.look("no-such-program").returncode == 127 and home.look(home.project / "b.txt").returncode == 126
    assert home.call([box.aisbx(), "look"]).returncode == 125


def test_its_result(home):
    done = home.json("sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done["status"], done["exit_code"], done["exit_status"], done["signal"]) == ("failed", 3, 3, None)
    assert (done["stdout"], done["stderr"], done["truncated"]) == ("out\n", "err\n", {"stdout": 0, "stderr": 0})
    assert done["isolation"] == {"driver": "look", "level": "look", "walls": ["landlock", "caps", "no_new_privs", "seccomp"], "missing": []}
    done = home.json("sh", "-c", "kill -15 $$")
    assert (done["exit_code"], done["signal"], done["exit_status"]) == (None, 15, 143)
    assert home.json("true")["status"] == "ok"
    done = home.json("head", "-c", str(3 << 20), "/dev/zero")
    assert done["truncated"]["stdout"] == 2 << 20


def test_it_sees_the_machine_as_it_is(home):
    for words in (["ls", "-ln", "/usr"], ["ls", "-l", str(home.home)], ["cat", "../plain.txt"], ["git", "status", "--short"], ["id"],
                  ["cat", "/etc/passwd"], ["readlink", "/proc/self/ns/mnt"], ["stat", "-c", "%U %i", "."]):
        assert home.look(*words).stdout == home.bare(*words).stdout, words


def test_nobody_has_more_rights_in_there(home):
    text = home.look("cat", "/proc/self/status").stdout
    lines = dict(line.split(":\t", 1) for line in text.splitlines())
    assert {lines[f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Amb")} == {"0" * 16} and lines["NoNewPrivs"] == "1" and lines["Seccomp"] == "2"


def test_no_secret_is_in_its_environment(home):
    env = json.loads(home.look("python3", "-c", "import json, os; print(json.dumps(dict(os.environ)))").stdout)
    assert SECRET not in env.values() and "GITHUB_TOKEN" not in env
    assert (env["GIT_OPTIONAL_LOCKS"], env["PYTHONDONTWRITEBYTECODE"], env["HOME"]) == ("0", "1", str(home.home))


def test_descriptors_of_the_caller_are_closed(home, tmp_path):
    with open(tmp_path / "mine", "w", encoding="ascii") as mine:
        command = ["bash", "-c", f"echo x >&{mine.fileno()}"]
        assert home.look(*command, pass_fds=[mine.fileno()]).returncode != 0 and (tmp_path / "mine").read_text() == ""
        assert home.bare(*command, pass_fds=[mine.fileno()]).returncode == 0 and (tmp_path / "mine").read_text() == "x\n"


def test_devices_that_keep_nothing(home):
    done = home.look("sh", "-c", "echo x > /dev/null && head -c 3 /dev/urandom | wc -c && echo x > /dev/stderr && cat /dev/fd/0 < README.md")
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n# A project\n", "x\n")


def test_its_own_terminal(home):
    """It may be opened once more by its name, and nobody can type into it."""
    def at_terminal(*words):
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(home.project)
            os.execve(words[0], words, home.env)
        out = b""
        try:
            while data := os.read(fd, 4096):
                out += data
        except OSError:
            pass
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(fd)
        return status, out.decode()

    look = (box.aisbx(), "look", "--", "sh", "-c")
    assert at_terminal(*look, "echo by its name > $(tty); echo more > /dev/tty; stty size >/dev/null") == (0, "by its name\r\nmore\r\n")
    code = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b'x')"
    status, out = at_terminal(box.aisbx(), "look", "--", "/usr/bin/python3", "-c", code)
    assert status == 1 and "Operation not permitted" in out


def test_it_works_behind_itself(home):
    done = home.look(box.aisbx(), "look", "--", "sh", "-c", "cat ../plain.txt; cat ../.netrc; echo x > new")
    assert done.stdout == "plain\n" and SECRET not in done.stderr and not (home.project / "new").exists()


NO_LANDLOCK = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
code = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50000 | 38), (0x06, 0, 0, 0x7fff0000)]
raw = b"".join(struct.pack("HBBI", *c) for c in code)
buffer = ctypes.create_string_buffer(raw)
libc.prctl(38, 1, 0, 0, 0)
assert libc.syscall(317, 1, 0, struct.pack("HxxxxxxP", len(code), ctypes.addressof(buffer))) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_without_landlock_nothing_is_started(home, more):
    done = home.bare("/usr/bin/python3", "-c", NO_LANDLOCK, box.aisbx(), "look", *more, "--", "echo", "started")
    assert done.returncode == 125 and "started" not in done.stdout and "no Landlock" in done.stdout + done.stderr
    assert "Linux 6.12" in done.stdout + done.stderr


@pytest.mark.parametrize("error", [38, 1])
def test_without_openat2_secrets_stay_hidden(home, error):
    """As in containers whose filter does not know it."""
    no_openat2 = NO_LANDLOCK.replace("444", "437").replace("| 38", f"| {error}")
    done = home.bare("/usr/bin/python3", "-c", no_openat2, box.aisbx(), "look", "--", "sh", "-c", "cat ../plain.txt; cat ../.netrc")
    assert done.stdout == "plain\n" and SECRET not in done.stderr, done


def test_without_landlock_the_guard_takes_a_box(home):
    done = home.bare("/usr/bin/python3", "-c", NO_LANDLOCK, box.aisbx(), "guard", "--json", "--", "ls")
    assert json.loads(done.stdout).get("act") != "run", done.stdout  # the box needs Landlock as well, so it ends there


def test_an_attempt_leaves_nobody_behind(home):
    """Whoever it started is ended with it, also who left its session."""
    script = "setsid sleep 987654 >/dev/null 2>&1 & sleep 987653 >/dev/null 2>&1 & echo started"
    assert home.json("sh", "-c", script)["stdout"] == "started\n"
    done = home.call([box.aisbx(), "guard", "--", f"for x in 1; do {script}; sleep 0.2; mkdir made; done"])
    assert done.stdout == "started\n", done
    seen = subprocess.run(["ps", "-eo", "args"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "sleep 98765" not in seen
