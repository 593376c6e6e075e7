# SPDX-License-Identifier: Apache-2.0
"""Secrets of jobs: a real nats-server without any permissions, whose operator reads and writes everything (nats_raw); hub and nodes with keys. The command
has the value; nobody else has, and nothing is stored."""
import base64
import contextlib
import hashlib
import json
import pathlib
import secrets
import shutil
import signal
import subprocess

import nats_raw
import own_fleet
import pace
import pytest

USERS = pathlib.Path(__file__).resolve().parents[2] / "packaging/fleet/fleet-users"
HASH = ["sh", "-c", "sha256sum /run/secrets/T | cut -c1-64"]


class Fleet(own_fleet.Fleet):
    """A hub that knows the keys of the nodes a to d, and of no other. Each test that ends a node has one of its own."""

    def __init__(self, directory):
        super().__init__(directory)
        self.add("hub", "h")
        for name in "abcd":
            self.add("node", name)
        self.keys = ["--hub-keys", self.dir / "hub-keys.json"]
        self.begin("h", [own_fleet.box.aisbx(), "fleet", "hub", "--name", "h", "--key", self.dir / "hub-h.key", "--node-keys", self.dir / "node-keys.json"])
        own_fleet.until(lambda: "is active" in self.log("h"), "the hub is active")

    def add(self, role, name, where=None):
        subprocess.run([USERS, "add", role, name, "--dir", where or self.dir], check=True, capture_output=True, timeout=pace.HANGS)

    def hidden_keys(self):
        """Keys of tenants, where no box of a node sees them."""
        where = self.dir / "home/keys"
        shutil.copytree(self.dir / "keys", where)
        where.chmod(0o700)
        return where

    def signed_node(self, name, labels, key=None, wait=True, more=()):
        where = self.dir / f"of-{name}-{secrets.token_hex(2)}"
        where.mkdir(mode=0o700)
        (where / "key").write_bytes((key or self.dir / f"node-{name}.key").read_bytes())
        (where / "key").chmod(0o600)
        self.node(name, "--labels", labels, "--dir", where, "--key", where / "key", *self.keys, *more, wait=wait)

    def words(self, on, secret, command, *more):
        return ["run", "--on", on, *self.keys, *more, *(w for s in ([secret] if isinstance(secret, str) else secret) for w in ("--secret", s)), "--", *command]

    def operator(self):
        """Hears everything from now on."""
        raw = nats_raw.Raw(self.port)
        raw.sock.settimeout(pace.HANGS)
        raw.subscribe(">")
        raw.flush()
        return raw


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    f = Fleet(tmp_path_factory.mktemp("secrets"))
    try:
        f.signed_node("a", "zone=a")
        yield f
    finally:
        f.finish()


@pytest.fixture
def value():
    return f"value-{secrets.token_hex(16)}"


def forms(value):
    """How it would stand in clear: as it is, and in base64 at each place within a longer text."""
    data = value.encode()
    coded = [base64.b64encode(b"x" * i + data)[4:-4] for i in range(3)]
    return [data, data.hex().encode(), *coded]


def files_with(directory, wanted):
    found = []
    for path in pathlib.Path(directory).rglob("*"):
        with contextlib.suppress(OSError):
            if path.is_file() and any(w in path.read_bytes() for w in wanted):
                found.append(path)
    return found


def sha(data):
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("source", ["env:MINE", "file:secret.txt", "cmd:cat secret.txt", "env:MINE,as=both"])
def test_the_command_has_it(fleet, value, source):
    (fleet.dir / "project/secret.txt").write_text(value)
    done = fleet.call(*fleet.words("zone=a", f"T={source}", HASH), env={"MINE": value})
    assert (done.returncode, done.stdout.decode().strip(), done.stderr) == (0, sha(value.encode()), b"")


def test_as_a_variable_and_any_bytes(fleet, value):
    binary = value.encode() + bytes(range(256)) + b"\n\n"
    (fleet.dir / "project/binary").write_bytes(binary)
    wanted = ["T=file:binary", "V=env:MINE,as=env", "T=file:binary,as=file"]
    command = ["sh", "-c", 'sha256sum </run/secrets/T; printf %s "$V" | sha256sum; ls /run/secrets']
    done = fleet.call(*fleet.words("zone=a", wanted, command), env={"MINE": value})
    assert done.stdout.decode().replace("  -", "").split() == [sha(binary), sha(value.encode()), "T"], done.stderr


def test_output_is_without_it(fleet, value):
    command = ["sh", "-c", "cat /run/secrets/T; base64 -w0 /run/secrets/T; cat /run/secrets/T >&2"]
    done = fleet.call(*fleet.words("zone=a", "T=env:MINE", command), env={"MINE": value})
    assert done.returncode == 0 and b"[secret T]" in done.stdout and b"[secret T]" in done.stderr
    assert not any(form in done.stdout + done.stderr for form in forms(value))


def test_with_a_project_and_once(fleet, value):
    """The node asks when the project is there; a job that may begin once is let begin first."""
    (fleet.dir / "keys").mkdir(mode=0o700)
    (fleet.dir / "store").mkdir()
    (fleet.dir / "keys/default.key").touch(0o600)
    (fleet.dir / "keys/default.key").write_bytes(secrets.token_bytes(32))
    store = f"dir:{fleet.dir}/store"
    more = ["--project", "--store", store, "--store-key", fleet.dir / "keys/default.key"]
    command = ["sh", "-c", "cat own; sha256sum /run/secrets/T >made"]
    fleet.signed_node("c", "zone=p", more=["--store", store, "--keys", fleet.hidden_keys()])
    (fleet.dir / "project/own").write_text("of the project\n")
    done = fleet.call(*fleet.words("zone=p", "T=env:MINE", command, *more, "--once", "--json"), env={"MINE": value})
    result = json.loads(done.stdout)
    assert (result["stdout"], result["exit_status"]) == ("of the project\n", 0), done
    made = fleet.call("file", "read", result["fleet"]["job"], "made").stdout
    assert made.split()[0].decode() == sha(value.encode())
    assert files_with(fleet.dir / "store", forms(value)) == []
    fleet.end("c", signal.SIGKILL)


def test_it_is_nowhere_in_clear(fleet, value):
    """Neither on its way, nor stored, nor in what others on these machines see of processes."""
    wanted = forms(value)
    (fleet.dir / "given").mkdir()
    (fleet.dir / "given/secret").write_text(value)
    operator = fleet.operator()
    p = fleet.popen(*fleet.words("zone=a", f"T=file:{fleet.dir}/given/secret", ["sh", "-c", "sha256sum /run/secrets/T; read x"]), stdin=subprocess.PIPE)
    assert p.stdout.readline().split()[0].decode() == sha(value.encode())
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            with contextlib.suppress(OSError):
                assert not any(form in (place / name).read_bytes() for form in wanted), place
    p.communicate(b"\n", timeout=pace.HANGS)
    assert p.returncode == 0
    operator.flush()
    said = b"\n".join(m.header + m.data for m in operator.messages)
    assert any(m.subject.startswith("aisbx.in.a.") and len(m.data) > 150 for m in operator.messages), "the values came by another way"
    assert any(m.subject.startswith("aisbx.jobs.") and b"T=env:T" in m.data for m in operator.messages)
    assert not any(form in said for form in wanted)
    assert files_with(fleet.dir, [value.encode()]) == [fleet.dir / "given/secret"]
    assert files_with(fleet.dir, wanted[1:]) == []
    assert b"T=env:T" in b"".join(path.read_bytes() for path in fleet.dir.glob("state/aisbx-fleet/jobs/jobs.db*"))


def answers(operator, since=0):
    """Messages to nodes that are as long as one with a value."""
    operator.flush()
    return [m for m in operator.messages[since:] if m.subject.startswith("aisbx.in.") and len(m.data) > 150]


def queued(operator, since=0):
    operator.flush()
    return [json.loads(m.data)["id"] for m in operator.messages[since:] if m.subject.startswith("aisbx.jobs.")]


def test_who_asks_again_gets_nothing(fleet, value):
    """The operator repeats the question of a node: while the command runs, of another job that waits, and in words of its own."""
    operator = fleet.operator()
    p = fleet.popen(*fleet.words("zone=a", "T=env:MINE", ["sh", "-c", "echo begun; read x"]), env={"MINE": value}, stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"begun\n"
    assert len(answers(operator)) == 1
    asked = [m for m in operator.messages if m.subject.startswith("aisbx.out.")][0]
    given = answers(operator)[0]
    before = len(operator.messages)
    other = fleet.popen(*fleet.words("zone=none", "T=env:MINE", HASH), env={"MINE": value})
    own_fleet.until(lambda: queued(operator, before), "the other job is in the queue")
    job, key = queued(operator, before)[0], json.loads((fleet.dir / "node-keys.json").read_text())
    subject = f"{asked.subject.rsplit('.', 1)[0]}.{job}"
    plain = json.dumps({"secrets": list(key.values())[0], "attempt": 1, "node": "a"})
    for to, what in ((asked.subject, asked.data), (asked.subject, plain), (subject, asked.data), (subject, plain), (given.subject, given.data)):
        operator.publish(to, what)
    operator.flush()
    p.communicate(b"\n", timeout=pace.HANGS)
    assert p.returncode == 0
    assert [m for m in answers(operator, before) if m.data != given.data] == []
    assert other.poll() is None
    other.send_signal(signal.SIGINT)
    other.communicate(timeout=pace.HANGS)


def test_a_node_whose_key_is_not_listed_gets_nothing(fleet, value, tmp_path):
    """It has a key, which another made; the hub gives it no job, and no submitter an answer."""
    fleet.add("node", "x", tmp_path)
    operator = fleet.operator()
    fleet.signed_node("x", "zone=x", tmp_path / "node-x.key", wait=False)
    p = fleet.popen(*fleet.words("zone=x", "T=env:MINE", HASH, "--deadline", "3s"), env={"MINE": value})
    out, _ = p.communicate(timeout=pace.HANGS)
    assert p.returncode == 125 and out == b""
    assert "node x has no key in --node-keys" in fleet.log("h")
    assert answers(operator) == []


def test_a_hub_that_is_not_trusted(fleet, value, tmp_path):
    """The node's claim is of another hub than those of the submitter: nothing runs, for nobody answers the node."""
    fleet.add("hub", "other", tmp_path)
    operator = fleet.operator()
    words = fleet.words("zone=a", "T=env:MINE", HASH, "--attempts", "1")
    words[words.index("--hub-keys") + 1] = tmp_path / "hub-keys.json"
    p = fleet.popen(*words, env={"MINE": value})
    own_fleet.until(lambda: "has not answered the question" in fleet.log("a"), "the node gives it back")
    assert answers(operator) == []
    p.kill()
    assert p.communicate(timeout=pace.HANGS)[0] == b""


def gone_submitter(fleet, operator, labels, value):
    """The id of a job that waits for a node, and whose command was killed."""
    since = len(operator.messages)
    p = fleet.popen(*fleet.words(labels, "T=env:MINE", HASH, "--attempts", "1"), env={"MINE": value})
    own_fleet.until(lambda: queued(operator, since), "the job is in the queue")
    p.kill()
    p.communicate(timeout=pace.HANGS)
    return queued(operator, since)[0]


def test_a_submitter_that_is_gone(fleet, value):
    """Nothing runs without its secrets; who waits for the job is told why."""
    operator = fleet.operator()
    alone, waited = (gone_submitter(fleet, operator, labels, value) for labels in ("node=b", "node=b,zone=b"))
    waiting = fleet.popen("fleet", "wait", waited, *fleet.keys)
    fleet.signed_node("b", "zone=b")
    out, err = waiting.communicate(timeout=pace.HANGS)
    assert (waiting.returncode, out) == (125, b"") and b"gone with the command that submitted it" in err
    own_fleet.until(lambda: f"{alone} could not be started: the job needs secrets" in fleet.log("b"), "the node gives it back")
    done = fleet.call("fleet", "wait", alone, *fleet.keys)
    assert (done.returncode, done.stdout) == (125, b"") and b"has not answered the question" in done.stderr
    again = fleet.call("fleet", "again", alone, *fleet.keys)
    assert again.returncode == 125 and b"needs secrets, which are kept nowhere" in again.stderr
    assert answers(operator) == []
    fleet.end("b", signal.SIGKILL)


def test_the_next_attempt_asks_again(fleet, value):
    """By another key, for the values are sealed to the attempt."""
    operator = fleet.operator()
    fleet.signed_node("d", "zone=r")
    p = fleet.popen(*fleet.words("zone=r", "T=env:MINE", ["sh", "-c", "sha256sum /run/secrets/T; read x"]), env={"MINE": value}, stdin=subprocess.PIPE)
    first = p.stdout.readline()
    fleet.end("d", signal.SIGKILL)
    fleet.signed_node("d", "zone=r")
    assert p.stdout.readline() == first and first.split()[0].decode() == sha(value.encode())
    p.communicate(b"\n", timeout=pace.HANGS)
    assert p.returncode == 0 and len(answers(operator)) == 2
    fleet.end("d", signal.SIGKILL)


@pytest.mark.parametrize("words, reason", [
    (["run", "--detach"], b"--secret and --detach exclude each other"),
    (["run", "--no-keys"], b"needs --hub-keys"),
    (["run", "--secret", "V=env:NONE"], b"variable 'NONE' is not set"),
    (["run", "--secret", "V"], b"the source of secret 'V' is missing"),
    (["try"], b"'try' takes no --secret on another machine"),
    (["exec", "box"], b"'exec' takes no --secret on another machine"),
])
def test_what_is_refused(fleet, value, words, reason):
    """Before anything is in the queue."""
    operator = fleet.operator()
    keys = [] if "--no-keys" in words else fleet.keys
    words = [word for word in words if word != "--no-keys"]
    done = fleet.call(words[0], "--on", "zone=a", *keys, "--secret", "T=env:MINE", *words[1:], "--", "true", env={"MINE": value})
    assert done.returncode == 125 and reason in done.stderr and done.stdout == b""
    assert queued(operator) == []


def test_without_a_fleet_it_runs_here(fleet, value):
    nobody = f"nats://127.0.0.1:{own_fleet.free_port()}"
    done = fleet.call(*fleet.words("zone=a", "T=env:MINE", HASH, "--or-here=1s"), env={"MINE": value, "AISBX_NATS": nobody})
    assert (done.returncode, done.stdout.decode().strip()) == (0, sha(value.encode())), done.stderr


def test_calls_over_a_fleet_take_none(fleet, value):
    """Those of aisbx rpc: what gives the values there could not tell who asks."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "run.exec", "params": {"command": ["true"], "secret": ["T=env:MINE"]}}
    more = {**call, "id": 2, "params": {"command": ["true"], "_secrets": {"T": "QUJDREVGR0g="}}}
    done = fleet.call("rpc", "--on", "zone=a", *fleet.keys, input=f"{json.dumps(call)}\n{json.dumps(more)}\n".encode(), env={"MINE": value})
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["error"]["data"]["kind"] for row in said] == ["unsupported"] * 2, done
