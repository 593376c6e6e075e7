# SPDX-License-Identifier: Apache-2.0
"""net:agent:ssh: the person's own ssh-agent in a box, the real one, with a question per signature. No terminal is no."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import types

import pytest
from inbox import rows, violations
from terminal import Terminal

AGENT = "net:agent:ssh"
QUESTION = r"your ssh key 'work laptop' to sign a commit or tag of git\. Allow it this once\? \[y/N\] "
SIGN = "ssh-keygen -q -Y sign -n git -f key.pub file"

pytestmark = pytest.mark.skipif(not shutil.which("ssh-agent"), reason="needs OpenSSH")


@pytest.fixture(name="agent")
def fixture_agent(project):
    """ssh-agent with one key, whose public half lies in the project."""
    with tempfile.TemporaryDirectory() as place:
        path = f"{place}/agent"
        out = subprocess.run(["ssh-agent", "-s", "-a", path], check=True, capture_output=True, text=True).stdout
        pid = int(out.partition("SSH_AGENT_PID=")[2].partition(";")[0])
        try:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "work laptop", "-f", f"{place}/key"], check=True)
            env = {**os.environ, "SSH_AUTH_SOCK": path}
            subprocess.run(["ssh-add", "-q", f"{place}/key"], env=env, check=True)
            shutil.copy(f"{place}/key.pub", project)
            (project / "file").write_text("what is signed\n")
            yield types.SimpleNamespace(path=path, keys=lambda: subprocess.run(["ssh-add", "-l"], env=env, capture_output=True, text=True, check=False).stdout)
        finally:
            os.kill(pid, signal.SIGTERM)


def in_box(world, project, agent, script, **run):
    return world.box("sh", "-c", script, net=AGENT, cwd=project, env=world.environment(project, SSH_AUTH_SOCK=agent.path), **run)


def terminal(world, project, agent, script):
    return Terminal(world, *world.box_words("sh", "-c", script, net=AGENT, json_output=False), cwd=project, SSH_AUTH_SOCK=agent.path)


def test_yes_once_is_one_signature(world, project, agent):
    script = f"{SIGN} && cat file.sig && rm file.sig; {SIGN} && echo signed || echo not-signed; echo over-$((40 + 2))"
    with terminal(world, project, agent, script) as t:
        t.read_until(QUESTION)
        t.type("y\n")
        t.read_until("END SSH SIGNATURE-----")
        (project / "sig").write_text("-----BEGIN" + t.text.partition("-----BEGIN")[2].replace("\r", "").partition("END SSH SIGNATURE-----")[0] + "END SSH SIGNATURE-----\n")
        t.read_until(QUESTION)
        t.type("n\n")
        t.read_until("over-42")
        assert "not-signed" in t.text
        assert t.p.wait(timeout=30) == 0
    (project / "allowed").write_text("me " + (project / "key.pub").read_text())
    with open(project / "file", "rb") as file:
        subprocess.run(["ssh-keygen", "-Y", "verify", "-f", project / "allowed", "-I", "me", "-n", "git", "-s", project / "sig"], stdin=file, check=True)


def test_on_a_terminal_of_the_box(world, project, agent):
    """The terminal is the person's while they are asked: the box hears nothing of the answer, and gets it back."""
    script = f"stty -echo; {SIGN} && echo si''gned; read word; echo got-$word-$((40 + 2))"
    words = world.box_words("sh", "-c", script, net=AGENT, json_output=False, options=["-t"])
    with Terminal(world, *words, cwd=project, SSH_AUTH_SOCK=agent.path) as t:
        t.read_until(QUESTION)
        t.type("yes\n")
        t.read_until("signed")
        t.type("mine\r")
        t.read_until("got-mine-42")
        assert t.p.wait(timeout=30) == 0


def test_who_says_no_is_not_worn_down(world, project, agent):
    with terminal(world, project, agent, f"for i in 1 2 3 4 5 6 7 8; do {SIGN} || echo not-$i; done; echo over-$((40 + 2))") as t:
        for _ in range(5):
            t.read_until(QUESTION)
            t.type("\n")
        t.read_until("over-42")
        assert "not-8" in t.text and "Allow" not in t.text, t.text
        assert t.p.wait(timeout=30) == 0


def test_without_a_terminal_it_is_no(world, project, agent):
    result = in_box(world, project, agent, f"ssh-add -l; {SIGN} || {SIGN} || echo not-signed; echo $SSH_AUTH_SOCK")
    assert "work laptop" in result["stdout"] and "not-signed" in result["stdout"] and "/run/aisbx/ssh-agent" in result["stdout"]
    assert agent.path not in result["stdout"]
    found = violations(result)["sign with ssh key work laptop"]
    assert found["count"] == 2 and not found["allow_with"] and "terminal" in found["rule"]
    row, = rows(result, act="sign")
    assert row | {"name": "work laptop", "verdict": "refused", "reason": "nobody", "rule": AGENT, "count": 2, "port": None} == row


def test_nothing_changes_the_agent(world, project, agent):
    before = agent.keys()
    result = in_box(world, project, agent, "ssh-add -D; ssh-add -d key.pub; ssh-keygen -q -t ed25519 -N '' -f mine; ssh-add mine; echo one | SSH_ASKPASS=/bin/true ssh-add -x </dev/null; ssh-add -l")
    assert "work laptop" in result["stdout"] and result["stdout"].count("ED25519") == 1
    assert agent.keys() == before and "work laptop" in before


FRAMES = """
import os, socket, struct
def talk(data, end=True):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(10)
        s.connect(os.environ["SSH_AUTH_SOCK"])
        try:
            s.sendall(data)
            if end:
                s.shutdown(socket.SHUT_WR)
            got = b""
            while len(got) < 5 or end:
                more = s.recv(65536)
                if not more:
                    break
                got += more
        except OSError:  # it hung up on us
            return b""
        return got
def frame(body):
    return struct.pack(">I", len(body)) + body
def text(data):
    return struct.pack(">I", len(data)) + data
NO = frame(b"\\x05")
assert talk(b"\\0\\0\\0\\0") == b"" and talk(b"\\xff" * 64) == b"" and talk(struct.pack(">I", 256 * 1024 + 1)) == b"" and talk(b"\\0\\0") == b""
for kind in range(256):
    if kind not in (11, 13):
        assert talk(frame(bytes([kind])), end=False) == NO, kind
keys = talk(frame(b"\\x0b"), end=False)
assert keys[4] == 12 and b"work laptop" in keys
assert talk(frame(b"\\x0bmore"), end=False) == NO
assert talk(frame(b"\\x1b" + text(b"session-bind@openssh.com")), end=False) == NO
for body in (b"", text(b"k"), text(b"k") + text(b"d"), b"\\xff\\xff\\xff\\xff", text(b"k") + text(b"d") + bytes(5), text(b"k" * 200000) + text(b"d") + bytes(4), text(b"no such key") + text(b"data") + bytes(4)):
    assert talk(frame(b"\\x0d" + body), end=False) == NO, body[:40]
many = [socket.socket(socket.AF_UNIX) for _ in range(16)]  # who holds them all waits for himself
for s in many:
    s.connect(os.environ["SSH_AUTH_SOCK"])
    s.sendall(b"\\0")
for s in many:
    s.close()
assert talk(frame(b"\\x0b"), end=False) == keys
one = socket.socket(socket.AF_UNIX)  # byte for byte, two in a row
one.connect(os.environ["SSH_AUTH_SOCK"])
for byte in frame(b"\\x0b") * 2:
    one.sendall(bytes([byte]))
got = b""
while len(got) < 2 * len(keys):
    got += one.recv(65536)
assert got == keys * 2
print("all", "well")
"""


def test_garbage(world, project, agent):
    (project / "frames.py").write_text(FRAMES)
    result = in_box(world, project, agent, "/usr/bin/python3 -B frames.py")
    assert result["exit_code"] == 0 and "all well" in result["stdout"], result
    assert "work laptop" in agent.keys() and not violations(result)


FLOOD = """
import os, socket, struct, time
def text(data):
    return struct.pack(">I", len(data)) + data
def connect():
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.environ["SSH_AUTH_SOCK"])
    return s
s = connect()
s.sendall(text(b"\\x0b"))
keys = s.recv(65536)
length, = struct.unpack(">I", keys[9:13])
end = time.monotonic() + 3
while time.monotonic() < end:  # asks, and is gone before it is answered
    for i in range(50):
        with connect() as c:
            c.sendall(text(b"\\x0d" + text(keys[13:13 + length]) + text(os.urandom(i)) + bytes(4)))
s.sendall(text(b"\\x0b"))
assert s.recv(65536) == keys
print("still", "there")
"""


def test_a_flood_of_questions(world, project, agent):
    """Who asks and hangs up does not stop the run, fill its record, or keep the person busy."""
    (project / "flood.py").write_text(FLOOD)
    result = in_box(world, project, agent, "/usr/bin/python3 -B flood.py")
    assert result["exit_code"] == 0 and "still there" in result["stdout"], result
    assert len(rows(result, act="sign")) <= 2 and violations(result)
    with terminal(world, project, agent, "/usr/bin/python3 -B flood.py; echo over-$((40 + 2))") as t:
        seen, answers = "", 0
        while "over-42" not in seen:  # the flood may be over before the fifth question is read
            seen += t.read_until("Allow it this once|over-42")
            if "Allow it this once" in t.text:
                answers += 1
                t.type("n\n")
        assert t.p.wait(timeout=30) == 0 and "still there" in seen and 1 <= answers <= 5, seen


def test_text_of_the_box_is_not_believed(world, project, agent):
    """What it signs for is quoted: no escape, no quote of its own."""
    with terminal(world, project, agent, r"ssh-keygen -q -Y sign -n \"$(printf \"x\\033[2J' for git\")\" -f key.pub file; echo over-$((40 + 2))".replace('\\"', '"')) as t:
        t.read_until(r"to sign a file, for 'x\?\[2J\? for git'\. Allow")
        assert "\033[2J" not in t.text
        t.type("n\n")
        t.read_until("over-42")


def test_no_agent(world, project):
    for path, said in ((None, "SSH_AUTH_SOCK is not set"), ("/nowhere/agent", "does not answer")):
        env = world.environment(project, **({"SSH_AUTH_SOCK": path} if path else {}))
        done = world.run(*world.box_words("true", net=AGENT, json_output=False), cwd=project, env=env)
        assert done.returncode == 125 and said in done.stderr, done


def test_gpg_is_refused(world, project):
    done = world.run(*world.box_words("true", net="net:agent:gpg", json_output=False), cwd=project)
    assert done.returncode == 125 and "gpg" in done.stderr, done


def sockets(runtime):
    """Those on the host that stay; other tests have theirs for a moment, too."""
    def now():
        return {path for place in (runtime, "/tmp") for path in pathlib.Path(place).glob("aisbx-agent-*")}
    first = now()
    time.sleep(1 if first else 0)
    return first & now()


def test_nothing_stays(world, project, agent):
    """No socket on the host, neither while the box runs nor afterwards; no process either, also when aisbx is killed. Root's own directory for
    sockets is of no use to its boxes, and does no harm."""
    with tempfile.TemporaryDirectory() as runtime:
        before, env = sockets(runtime), world.environment(project, SSH_AUTH_SOCK=agent.path, XDG_RUNTIME_DIR=runtime)
        with world.popen(*world.box_words("sh", "-c", "ssh-add -l; sleep 60", net=AGENT, json_output=False), cwd=project, env=env) as p:
            assert b"work laptop" in p.stdout.readline()
            assert sockets(runtime) <= before
            p.kill()
            p.wait()
            assert p.stdout.read() == b""  # nobody holds it
        assert sockets(runtime) <= before
