# SPDX-License-Identifier: Apache-2.0
"""What the key of a node is good for, once it is stolen: on three real servers by the files of packaging/fleet, with keys of hubs and nodes. The thief
has all that node x has, the seed for NATS and the key that it signs with, and speaks byte by byte (nats_raw); node y and the submitters are real. It
reads no result of another's job, no command takes what it forges, no node runs what it offers; what it overwrites is put right."""
import base64
import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import time

import pytest

import fleet_shipped
import nats_raw
import pace

AISBX = pathlib.Path(os.environ["AISBX"])
USERS = [("hub", "h"), ("node", "x"), ("node", "y"), ("tenant", "b"), ("admin", "ops"), ("backup", "k")]
JOB = re.compile(r"\bj-[0-9a-f]{20}\b")
RESULT = '{"operation":"run","exit_status":0,"pieces":0,"result":{"exit_status":0,"stdout":"FORGED","stderr":"","truncated":{"stdout":0,"stderr":0}}}'


def environment(directory):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "AISBX_NATS", "AISBX_FLEET"))}
    return {**kept, "HOME": str(directory), "XDG_STATE_HOME": f"{directory}/state", "XDG_CONFIG_HOME": f"{directory}/config", "XDG_DATA_HOME": f"{directory}/data"}


def until(true, what, seconds=60):
    deadline = pace.Deadline(seconds)
    while not (got := true()):
        assert not deadline.is_over(), what()
        time.sleep(0.05)
    return got


def signing_key(path):
    """A file of fleet-users, as openssl signs with it."""
    key = nats_raw.Key()
    key.der = nats_raw.PKCS8 + base64.b64decode(path.read_text().split()[2])
    return lambda text: base64.b64encode(base64.urlsafe_b64decode(key.sign(text) + "==")).decode()


class World:
    def __init__(self, directory, stack):
        self.dir, self.stack = directory, stack
        self.fleet = fleet_shipped.Fleet(directory, USERS)
        stack.callback(self.fleet.kill)
        self.fleet.start().wait("backup", "k")
        self.hub_keys = directory / "hub-keys.json"
        self.begin("hub", "hub", "h", "fleet", "hub", "--replicas", "3", "--name", "h", "--key", directory / "hub-h.key", "--node-keys", directory / "node-keys.json")
        until(lambda: "is active" in self.log("hub"), lambda: self.log("hub") + self.fleet.words())

    def log(self, name):
        return (self.dir / f"{name}.log").read_text(errors="replace")

    def options(self, role, name):
        return ["--nats", self.fleet.url, "--creds", self.fleet.seed(role, name), "--ca", self.fleet.ca, "--hub-keys", self.hub_keys]

    def begin(self, log, role, name, *words):
        with open(self.dir / f"{log}.log", "wb") as f:
            process = subprocess.Popen([AISBX, *words, *self.options(role, name)], env=environment(self.dir), stdin=subprocess.DEVNULL, stdout=f, stderr=f)
        self.stack.callback(process.wait, pace.HANGS)
        self.stack.callback(process.kill)
        return process

    def node(self, name, labels, log=None):
        """A real one, with its keys where boxes do not see them."""
        where = self.dir / f"of-{log or name}"
        where.mkdir(mode=0o700)
        (where / "key").write_bytes((self.dir / f"node-{name}.key").read_bytes())
        (where / "key").chmod(0o600)
        process = self.begin(log or name, "node", name, "fleet", "node", "--name", name, "--slots", "2", "--dir", where, "--labels", labels, "--key", where / "key")
        until(lambda: any(row["name"] == name and row["silent_ms"] < 3000 for row in self.ask("nodes").get("nodes", [])), lambda: self.log(log or name) + self.log("hub"))
        return process

    def call(self, *words, role="tenant", name="b", keys=True):
        options = self.options(role, name)[: None if keys else -2]
        return subprocess.run([AISBX, *words, *options], env=environment(self.dir), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=pace.HANGS)

    def ask(self, what):
        done = self.call("fleet", what, "--json", role="admin", name="ops")
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def run(self, on, *command, more=(), keys=True):
        """A submitter that is there; `out` and `err` are files, to look into while it runs."""
        options = [*self.options("tenant", "b")[: None if keys else -2], "--tenant", "b", *more]
        n = len(list(self.dir.glob("run*.out")))
        paths = [self.dir / f"run{n}.out", self.dir / f"run{n}.err"]
        with open(paths[0], "wb") as out, open(paths[1], "wb") as err:
            process = subprocess.Popen([AISBX, "run", "--on", on, *options, "--", *command], env=environment(self.dir), cwd=self.dir, stdin=subprocess.PIPE, stdout=out, stderr=err)
        self.stack.callback(process.wait, pace.HANGS)
        self.stack.callback(process.kill)
        process.out, process.err = (lambda path=path: path.read_text(errors="replace") for path in paths)
        return process

    def newest(self):
        """The newest job of this table."""
        with contextlib.closing(sqlite3.connect(f"file:{self.dir}/state/aisbx-fleet/jobs/jobs.db?mode=ro", uri=True)) as table:
            return table.execute("SELECT id FROM jobs ORDER BY rowid DESC LIMIT 1").fetchone()[0]

    def thief(self):
        return self.stack.enter_context(self.fleet.connect("node", "x"))


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with contextlib.ExitStack() as stack:
        w = World(tmp_path_factory.mktemp("seals"), stack)
        w.y, w.y_log = w.node("y", "zone=a"), "y"
        w.sign_as_x = signing_key(w.dir / "node-x.key")
        yield w


def record(thief, job):
    """As anybody with a node's key reads it."""
    answer = thief.request(f"$JS.API.DIRECT.GET.AISBX_STATE.aisbx.state.b.{job}")
    return answer.json() if answer.status == 0 else None


def forge(thief, job, text):
    assert thief.request(f"aisbx.state.b.{job}", text if isinstance(text, str) else json.dumps(text)).json()["seq"] > 0
    thief.publish(f"aisbx.tenant.b.{job}.ended", json.dumps({"v": 1, "kind": "ended", "from": "y", "to": job, "job": job, "tenant": "b"}))
    thief.flush()


def signed(sign, said, job, result=RESULT):
    """SAID with a result, as a node signs it."""
    text = f"aisbx fleet result 1\n{job}\nb\n{said.get('epoch', 0)}\n{said.get('revision', 0)}\n{said.get('attempt', 0)}\nended\nresult\n{result}"
    return {**said, "phase": "ended", "result": result, "sig": sign(text)}


def test_the_whole_way(world):
    """With keys: output, status, input; a job that may begin once; a command without keys of hubs says that it does not know."""
    p = world.run("any", "sh", "-c", "read x; echo got $x; exit 3")
    p.communicate(b"typed\n", timeout=pace.HANGS)
    assert (p.returncode, p.out(), p.err()) == (3, "got typed\n", "")
    p = world.run("any", "echo", "once", more=["--once"])
    p.communicate(timeout=pace.HANGS)
    assert (p.returncode, p.out(), p.err()) == (0, "once\n", "")
    p = world.run("any", "echo", "unverified", keys=False)
    p.communicate(timeout=pace.HANGS)
    assert (p.returncode, p.out()) == (0, "unverified\n")
    assert world.ask("status")["results"] == "verified"
    assert "results  not verified" in world.call("fleet", "status", role="admin", name="ops", keys=False).stdout
    assert "forged" not in world.log("hub") + world.log(world.y_log)


def test_a_stolen_key_reads_no_result(world):
    """Nor what the job is, nor what it prints; whoever reads all messages of the tenant does not, either."""
    thief = world.thief()
    for subject in ("aisbx.node.x.*", "aisbx.grant.x.*", "aisbx.in.x.>"):
        thief.subscribe(subject)
    reader = world.stack.enter_context(world.fleet.connect("tenant", "b"))
    for subject in ("aisbx.out.b.*", "aisbx.tenant.b.*.*"):
        reader.subscribe(subject)
    reader.flush()
    p = world.run("any", "sh", "-c", "echo print-$((40+2)); read x; echo error-$x-$((40+2)) >&2; : body-mark")
    p.communicate(b"typed-mark\n", timeout=pace.HANGS)
    assert (p.returncode, p.out(), p.err()) == (0, "print-42\n", "error-typed-mark-42\n")
    said = record(thief, world.newest())
    assert said["phase"] == "ended" and said["result"].startswith("sealed:")
    thief.flush()
    reader.flush()
    seen = json.dumps(said) + repr([m.data for m in thief.messages + reader.messages])
    assert len(reader.messages) > 2
    for mark in ("print-42", "error-", "typed-mark", "body-mark", base64.b64encode(b"print-42\n").decode()):
        assert mark not in seen
    # Jobs that wait are the hubs' alone.
    for question in ("$JS.API.DIRECT.GET.AISBX_JOBS", "$JS.API.DIRECT.GET.AISBX_JOBS.aisbx.jobs.any.b", "$JS.API.STREAM.MSG.GET.AISBX_JOBS"):
        assert "Violation" in thief.refuses(lambda q=question: thief.publish(q, '{"next_by_subj":"aisbx.jobs.>","seq":1}'))


@pytest.mark.parametrize("how", ["garbage", "nobody", "as-x", "over-its-claim", "dead"])
def test_a_forged_end_of_a_job_that_runs(world, how):
    """It is told, and not taken; what is printed as if by the job is not shown; the node writes its own result over it."""
    thief = world.thief()
    p = world.run("any", "sh", "-c", "echo begun; read x; echo end")
    until(lambda: p.out() == "begun\n", p.err)
    job = world.newest()
    claim = record(thief, job)
    assert claim["phase"] == "claimed" and claim["node"] == "y" and claim["seal"]
    mine = {**claim, "node": "x"}
    forged = {
        "garbage": "{",
        "nobody": {"v": 1, "phase": "ended", "epoch": claim["epoch"], "revision": 1, "node": "y", "attempt": 1, "result": RESULT},
        "as-x": signed(world.sign_as_x, mine, job),
        "over-its-claim": signed(world.sign_as_x, claim, job),
        "dead": {"v": 1, "phase": "dead", "epoch": claim["epoch"], "result": "its attempts are used up", "sig": world.sign_as_x("x")},
    }[how]
    thief.publish(f"aisbx.out.b.{job}", json.dumps({"n": 2, "attempt": 1, "node": "y", "stream": "stdout", "data": "FORGED\n"}))
    thief.publish(f"aisbx.out.b.{job}", json.dumps({"n": 1, "attempt": 7, "node": "x", "stream": "stdout", "data": "FORGED\n"}))
    forge(thief, job, forged)
    until(lambda: "is not taken" in p.err(), lambda: p.err() + world.log(world.y_log))
    assert p.poll() is None and p.out() == "begun\n"
    p.communicate(b"\n", timeout=pace.HANGS)
    assert (p.returncode, p.out()) == (0, "begun\nend\n"), p.err() + world.log(world.y_log) + world.log("hub")
    assert f"the record of job {job} of b is forged, and is replaced" in world.log(world.y_log)
    assert record(thief, job)["result"].startswith("sealed:")


def test_a_forged_end_of_a_job_that_waits(world):
    """The hub takes it for nothing: the job is run, and not lost."""
    thief = world.thief()
    p = world.run("zone=z", "echo", "true end")
    job = until(lambda: JOB.search(p.err()), p.err).group()
    forge(thief, job, {"v": 1, "phase": "ended", "epoch": 1, "revision": 1, "node": "y", "attempt": 1, "result": RESULT})
    until(lambda: "is not taken" in p.err(), p.err)
    restart_y(world, "zone=a,zone=z")
    p.communicate(timeout=pace.HANGS)
    assert (p.returncode, p.out()) == (0, "true end\n"), p.err() + world.log("hub")
    assert f"the record of job {job} of b is forged, and counts as none" in world.log("hub")


def restart_y(world, labels):
    """With other labels."""
    world.y.send_signal(signal.SIGTERM)
    world.y.wait(pace.HANGS)
    world.y_log = f"y-{len(list(world.dir.glob('of-y*')))}"
    world.y = world.node("y", labels, world.y_log)


def test_an_old_result_is_not_put_back(world):
    """Node x had the job, and was lost; another has it. Whoever has the key of x signs a result for the old claim, which is a true one of the hub."""
    x = world.node("x", "zone=r")
    p = world.run("zone=r", "sh", "-c", "echo begun; read x; echo end")
    until(lambda: p.out() == "begun\n", p.err)
    thief, job = world.thief(), world.newest()
    claim = record(thief, job)
    assert claim["node"] == "x"
    x.kill()
    x.wait(pace.HANGS)
    restart_y(world, "zone=a,zone=r")
    until(lambda: p.out() == "begun\nbegun\n", lambda: p.err() + world.log("hub"), 90)
    forge(thief, job, {**signed(world.sign_as_x, {**claim, "revision": 1}, job)})
    until(lambda: "a newer claim was seen" in p.err(), p.err)
    assert p.poll() is None
    p.communicate(b"\n", timeout=pace.HANGS)
    assert (p.returncode, p.out()) == (0, "begun\nbegun\nend\n"), p.err()


def test_a_forged_offer_is_not_run(world):
    """By a thief of a hub's seed for NATS, who has not the key that it signs with; with a true claim of another job, too."""
    hub = world.stack.enter_context(world.fleet.connect("hub", "h"))
    hub.subscribe("aisbx.hub.beat.y")
    beat = until(lambda: (hub.flush(), hub.messages)[1], lambda: "no beat")[-1].json()
    p = world.run("any", "true")
    p.communicate(timeout=pace.HANGS)
    true = record(world.thief(), world.newest())
    mark = world.dir / "offered"
    body = json.dumps({"operation": "run", "arguments": {"command": ["sh", "-c", f"echo ran > {mark}"]}, "stdin": False})
    for more in ({}, {"seal": true["seal"], "sig": world.sign_as_x("x")}):
        job = f"j-forged{len(more)}"
        offered = {"id": job, "tenant": "b", "class": "any", "submitter": "s", "effect": "repeatable", "priority": 5, "attempts": 5, "body": body}
        offer = {"v": 1, "kind": "offer", "from": "h-1", "to": "y", "incarnation": beat["incarnation"], "number": beat["beat"], "epoch": beat["seen"], "revision": 10**6, "attempt": 1,
                 "offered": offered, **more}
        hub.publish("aisbx.node.y.offer", json.dumps(offer))
        hub.flush()
        until(lambda job=job: f"the offer of job {job} is not taken" in world.log(world.y_log), lambda: world.log(world.y_log))
        time.sleep(1.1)  # refusals are told once a second
    p = world.run("any", "echo", "after")
    p.communicate(timeout=pace.HANGS)
    assert p.out() == "after\n"
    assert not mark.exists()
    assert record(world.thief(), "j-forged0") is None


def test_other_hubs_than_those_that_are_trusted(world, tmp_path):
    """Whatever the fleet says, nothing of it is taken; and a node without a key gets nothing."""
    made = subprocess.run([fleet_shipped.SHIPPED / "fleet-users", "add", "hub", "other", "--dir", tmp_path], check=True, capture_output=True, text=True, timeout=pace.HANGS)
    assert "hub-other.key" in made.stdout
    p = world.run("any", "echo", "hello", keys=False, more=["--hub-keys", tmp_path / "hub-keys.json"])
    until(lambda: "is not taken" in p.err(), p.err)
    assert p.out() == "" and p.poll() is None
    p.kill()
    keys = json.loads((world.dir / "node-keys.json").read_text())
    (world.dir / "new").write_text(json.dumps({name: key for name, key in keys.items() if name != "y"}))
    os.replace(world.dir / "new", world.dir / "node-keys.json")
    until(lambda: "node y has no key in --node-keys" in world.log("hub"), lambda: world.log("hub"))
    (world.dir / "new").write_text(json.dumps(keys))
    os.replace(world.dir / "new", world.dir / "node-keys.json")
    p = world.run("any", "echo", "again")
    p.communicate(timeout=pace.HANGS)
    assert p.out() == "again\n"


@pytest.mark.parametrize("words, reason", [
    (["fleet", "node", "--name", "y", "--key", "KEY"], "a node that signs needs"),
    (["fleet", "node", "--name", "y", "--hub-keys", "HUBS"], "a node that signs needs"),
    (["fleet", "node", "--name", "y", "--key", "/etc/hostname", "--hub-keys", "HUBS"], "could read its credentials"),
    (["fleet", "hub", "--key", "KEY"], "a hub that signs needs"),
    (["fleet", "hub", "--key", "KEY", "--node-keys", "NODES", "--hub-keys", "HUBS"], "is not in --hub-keys"),
    (["fleet", "hub", "--key", "HUBS", "--node-keys", "NODES"], "read the key"),
    (["run", "--on", "any", "--hub-keys", "KEY", "--", "true"], "is no list of public keys"),
    (["run", "--on", "any", "--hub-keys", "/none", "--", "true"], "is no list of public keys"),
])
def test_keys_that_are_none(world, words, reason):
    files = {"KEY": world.dir / "node-x.key", "HUBS": world.hub_keys, "NODES": world.dir / "node-keys.json"}
    role, name = {"node": ("node", "y"), "hub": ("hub", "h")}.get(words[1], ("tenant", "b"))
    more = ["--nats", world.fleet.url, "--creds", world.fleet.seed(role, name), "--ca", world.fleet.ca]
    at = words.index("--") if "--" in words else len(words)
    words = [files.get(word, word) for word in words]
    if words[1] == "node":
        where = world.dir / "of-none"
        where.mkdir(mode=0o700, exist_ok=True)
        (where / "seed").write_bytes(world.fleet.seed("node", "y").read_bytes())
        more += ["--dir", where, "--creds", where / "seed"]
    done = subprocess.run([AISBX, *words[:at], *more, *words[at:]], env=environment(world.dir), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=pace.HANGS)
    assert done.returncode == 125 and reason in done.stderr, done.stderr
