# SPDX-License-Identifier: Apache-2.0
"""aisbx as a thin remote over ssh: a real sshd on a loopback port, with keys that are made here and thrown away."""
import contextlib
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import pytest

import box
import pace
import pty_run

SSHD = "/usr/sbin/sshd"
# At the other end: says what arrived, or does what its first word says.
FAKE = f"""#!{sys.executable} -BS
import os, signal, sys
words = sys.argv[1:]
if words[:1] == ["exit"]:
    sys.exit(int(words[1]))
if words[:1] == ["copy"]:
    while data := os.read(0, 65536):
        while data:
            data = data[os.write(1, data):]
    sys.exit(0)
if words[:1] == ["both"]:
    os.write(1, b"out"), os.write(2, b"err")
    sys.exit(0)
if words[:1] == ["size"]:
    print("size", *os.get_terminal_size(1), [os.isatty(fd) for fd in range(3)], flush=True)
    sys.exit(0)
if words[:1] == ["wait"]:
    def on(sig, frame):
        with open(words[1], "w") as f:
            f.write(str(sig))
        os._exit(7)
    for sig in signal.SIGINT, signal.SIGHUP, signal.SIGTERM:
        signal.signal(sig, on)
    print("waiting", flush=True)
    while True:
        signal.pause()
print(repr([[w.encode(errors="surrogateescape") for w in words], os.getcwd(), {{k: v for k, v in os.environ.items() if k.startswith(("AISBX", "NO_"))}}]))
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Far:
    """Another machine, as ssh sees it. One connection for all calls; what is asked is the same, and much sooner answered."""

    def __init__(self, dir_, wrapper=()):
        self.dir, self.port, self.who = dir_, free_port(), pwd.getpwuid(os.geteuid()).pw_name
        self.bin, self.real = dir_ / "bin", dir_ / "real"
        beside = pathlib.Path(box.aisbx()).parent
        remote = beside / "aisbx-remote"
        for place, aisbx in (self.bin, None), (self.real, box.aisbx()):
            place.mkdir()
            (place / "aisbx-remote").symlink_to(box.need(remote))
            if aisbx:
                (place / "aisbx").symlink_to(aisbx)
        (self.bin / "aisbx").write_text(FAKE)
        (self.bin / "aisbx").chmod(0o755)
        for key in "host", "mine":
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", dir_ / key], check=True)
        if box.IS_ROOT:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # as Debian's own service does
        (dir_ / "sshd.conf").write_text(
            f"ListenAddress 127.0.0.1\nPort {self.port}\nHostKey {dir_}/host\nPidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin yes\n"
            f"AuthorizedKeysFile {dir_}/mine.pub\nSetEnv XDG_STATE_HOME={dir_}/state AISBX_REMOTE=nowhere\n")
        (dir_ / "ssh.conf").write_text(
            f"Host far\n HostName 127.0.0.1\n Port {self.port}\n User {self.who}\n IdentityFile {dir_}/mine\n IdentitiesOnly yes\n"
            f" UserKnownHostsFile {dir_}/known\n StrictHostKeyChecking accept-new\n LogLevel ERROR\n BatchMode yes\n"
            f" ControlMaster auto\n ControlPath {dir_}/c\n ControlPersist 60\n")
        self.log = open(dir_ / "log", "wb")
        self.server = subprocess.Popen([*wrapper, box.need(SSHD), "-D", "-e", "-f", dir_ / "sshd.conf"], stderr=self.log)
        box.wait_until(self.listens, what="sshd")

    def listens(self):
        assert self.server.poll() is None, (self.dir / "log").read_text()
        with contextlib.suppress(ConnectionError), socket.create_connection(("127.0.0.1", self.port), 5):
            return True
        return False

    def close(self):
        subprocess.run(["ssh", "-F", self.dir / "ssh.conf", "-O", "exit", "far"], stderr=subprocess.DEVNULL, check=False)
        self.server.kill()
        self.server.wait()
        self.log.close()
        shutil.rmtree(self.dir)

    def env(self, real=False, **more):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("AISBX_REMOTE", "AISBX_PROFILE", "NO_COLOR"))}
        return {**clean, "AISBX_SSH": f"ssh -F {self.dir}/ssh.conf",
                "AISBX_REMOTE_PROGRAM": str((self.real if real else self.bin) / "aisbx-remote"), **more}

    def call(self, *words, options=("--remote", "far"), env=None, real=False, cwd="/", **run):
        return subprocess.run([box.aisbx(), *options, *words], env=self.env(real, **(env or {})), cwd=cwd, capture_output=True, timeout=pace.seconds(120),
                              **({} if "input" in run else {"stdin": subprocess.DEVNULL}), **run)

    def told(self, *words, **call):
        """Words, directory and variables as they arrived."""
        done = self.call(*words, **call)
        assert done.returncode == 0, done
        return eval(done.stdout)  # pylint: disable=eval-used; what FAKE printed


@pytest.fixture(scope="module")
def far():
    with contextlib.closing(Far(pathlib.Path(tempfile.mkdtemp(prefix="far-", dir="/tmp")))) as made:
        yield made


@pytest.fixture(scope="module")
def far_terminal(far):
    """One that gives terminals. An sshd that is not root cannot give one to the group tty, so there it finds no group of that name."""
    if box.IS_ROOT:
        yield far
        return
    dir_ = pathlib.Path(tempfile.mkdtemp(prefix="far-", dir="/tmp"))
    group = "".join(line for line in open("/etc/group", encoding="utf-8") if not line.startswith("tty:"))
    (dir_ / "group").write_text(group)
    wrapper = ("unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "sh", "-ec", f'mount --bind {dir_}/group /etc/group; exec "$@"', "-")
    with contextlib.closing(Far(dir_, wrapper)) as made:
        yield made


def test_every_argument_arrives_as_it_is(far):
    odd = [b"", b" ", b"a b", b"'", b'"', b"\\", b"\\\\'", b"$HOME", b"`id`", b"$(id)", b"!!", b"*", b"?", b"[a]", b"{a,b}", b"~", b"~root", b"#", b"&", b";",
           b"|", b"<x", b">x", b"(", b")", b"\n", b"a\nb\n", b"\t", b"\r", b"--", b"-x", b"--remote", b"=", b"%s", b"\x7f", b"\xff\xfe", b"\xc3\xa4",
           bytes(range(1, 256)), b"'" * 50, b"x" * 50000]
    assert far.told(*odd)[0] == odd
    assert far.told()[0] == []


def test_every_exit_status(far):
    statuses = [0, 1, 2, 3, 42, 100, 124, 125, 126, 127, 128, 130, 137, 143, 200, 254, 255]
    if os.environ.get("AISBX_LONG"):
        statuses = range(256)
    for status in statuses:
        assert far.call("exit", str(status)).returncode == status


def test_bytes_pass_unchanged_in_both_directions(far):
    data = os.urandom(1 << 20)
    done = far.call("copy", input=data)
    assert done.returncode == 0 and done.stdout == data and done.stderr == b""


def test_the_two_outputs_stay_apart(far):
    done = far.call("both")
    assert done.stdout == b"out" and done.stderr == b"err"


def test_the_directory_is_the_one_of_the_same_path(far, tmp_path):
    assert far.told("x", cwd=tmp_path)[1] == str(tmp_path)
    inside = tmp_path / "a 'b' $c"
    inside.mkdir()
    assert far.told("x", cwd=inside)[1] == str(inside)
    assert far.told("x", cwd="/", options=("--remote", "far", "--remote-dir", str(inside)))[1] == str(inside)
    assert far.told("x", cwd="/", options=("--remote=far", f"--remote-dir={inside}"))[1] == str(inside)
    assert far.told("x", cwd="/", options=(), env={"AISBX_REMOTE": f"ssh://far{inside}"})[1] == str(inside)
    assert far.told("x", cwd=tmp_path, options=(), env={"AISBX_REMOTE": "far"})[1] == str(tmp_path)


def test_a_directory_that_is_not_there_is_an_error(far, tmp_path):
    done = far.call("x", options=("--remote", "far", "--remote-dir", str(tmp_path / "none")))
    assert done.returncode == 125 and b"has no directory" in done.stderr and done.stdout == b""
    done = far.call("x", options=("--remote", "far", "--remote-dir", "none"))
    assert done.returncode == 125 and b"begin with '/'" in done.stderr


def test_some_variables_count_there_too(far):
    there = far.told("x", env={"AISBX_PROFILE": "my 'own'", "NO_COLOR": "1"})[2]
    assert there == {"AISBX_PROFILE": "my 'own'", "NO_COLOR": "1"}  # nor does AISBX_REMOTE, which that machine has set, lead on


@pytest.mark.parametrize("place", ["-oProxyCommand=touch x", "ssh://-oProxyCommand=touch", "http://far", "far;id", "a b", ""])
def test_what_is_no_host_is_refused(far, place, tmp_path):
    done = far.call("x", options=(f"--remote={place}",), cwd=tmp_path)
    assert done.returncode == 125 and done.stderr and not os.listdir(tmp_path)


def test_a_host_that_does_not_answer(far):
    done = far.call("x", options=("--remote", f"ssh://127.0.0.1:{free_port()}"))
    assert done.returncode == 255 and done.stderr


def test_a_command_line_that_is_too_long_is_refused_here(far):
    done = far.call("x" * 100000)
    assert done.returncode == 125 and b"too long" in done.stderr


def test_a_terminal_and_its_size(far_terminal):
    with pty_run.Terminal(["--remote", "far", "size"], "/", far_terminal.env(), width=101, height=33) as t:
        t.wait("size 101 33 [True, True, True]")
        assert t.process.wait(timeout=pace.seconds(60)) == 0


def test_no_terminal_there_where_there_is_none_here(far):
    done = far.call("size")
    assert done.returncode == 1 and b"size" not in done.stdout


def ends_with(path):
    box.wait_until(lambda: path.exists() and path.read_text(), what="the end of the command over there")
    return int(path.read_text())


def test_ctrl_c_at_a_terminal(far_terminal, tmp_path):
    mark = tmp_path / "mark"
    with pty_run.Terminal(["--remote", "far", "wait", mark], "/", far_terminal.env()) as t:
        t.wait("waiting")
        os.write(t.master, b"\x03")
        assert ends_with(mark) == signal.SIGINT
        assert t.process.wait(timeout=pace.seconds(60)) == 7


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_command_does_not_outlive_who_started_it(far, tmp_path, sig):
    mark = tmp_path / "mark"
    with subprocess.Popen([box.aisbx(), "--remote", "far", "wait", mark], env=far.env(), cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as p:
        assert p.stdout.readline() == b"waiting\n"
        p.send_signal(sig)
        assert ends_with(mark) == signal.SIGHUP
        assert p.wait(timeout=pace.seconds(60)) != 0


def test_a_run_over_there(far, tmp_path):
    (tmp_path / "in").write_text("from the project\n")
    done = far.call("run", "--json", "--", "cat", "in", real=True, cwd=tmp_path)
    result = json.loads(done.stdout)
    assert result["exit_code"] == 0 and result["stdout"] == "from the project\n"
    assert far.call("run", "--", "sh", "-c", "exit 41", real=True, cwd=tmp_path).returncode == 41
    assert far.call("create", "there", real=True, cwd=tmp_path).returncode == 0
    assert "there" in [b["name"] for b in json.loads(far.call("ls", "--all", "--json", real=True).stdout)["boxes"]]
