# SPDX-License-Identifier: Apache-2.0
"""Who may do what, with the files of packaging/fleet as they are shipped, on three real servers with TLS: the whole way works, and a stolen key of a
tenant or of a node reaches nothing of others. What an enemy does is written byte by byte (nats_raw)."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import time

import pytest

import fleet_shipped
import nats_raw
import own_fleet
import pace

AISBX = pathlib.Path(os.environ["AISBX"])
USERS = [("hub", "h"), ("node", "x"), ("node", "y"), ("tenant", "a"), ("tenant", "b"), ("collector", "c"), ("admin", "ops"), ("backup", "k"), ("tenant", "gone")]
STREAMS = ["JOBS", "STATE", "DEAD", "TERM", "HISTORY"]
RECORD = '{"v":1,"phase":"ended","epoch":1,"revision":1,"node":"x","incarnation":1,"attempt":1}'


def command(fleet, role, name, *words):
    options = ["--nats", fleet.url, "--creds", fleet.seed(role, name), "--ca", fleet.ca]
    return [AISBX, *words, *options]


def environment(directory):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "AISBX_NATS"))}
    return {**kept, "HOME": str(directory), "XDG_STATE_HOME": f"{directory}/state", "XDG_CONFIG_HOME": f"{directory}/config", "XDG_DATA_HOME": f"{directory}/data"}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """Three servers, with a hub that has made the streams."""
    directory = tmp_path_factory.mktemp("fleet")
    made = fleet_shipped.Fleet(directory, USERS)
    with contextlib.ExitStack() as stack:
        stack.callback(made.kill)
        made.start().wait("backup", "k")
        with open(directory / "hub.log", "wb") as log:
            hub = subprocess.Popen(command(made, "hub", "h", "fleet", "hub", "--replicas", "3", "--name", "h"), env=environment(directory), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        stack.callback(hub.wait, pace.HANGS)
        stack.callback(hub.kill)
        deadline = pace.Deadline(60)
        while "is active" not in (directory / "hub.log").read_text():
            assert hub.poll() is None and not deadline.is_over(), (directory / "hub.log").read_text() + made.words()
            time.sleep(0.05)
        yield made


def states(fleet):
    """What each stream holds, as who makes backups sees it: subjects, and the place of the last message."""
    with fleet.connect("backup", "k") as c:
        found = {}
        for name in STREAMS:
            state = c.request(f"$JS.API.STREAM.INFO.AISBX_{name}", json.dumps({"subjects_filter": ">"})).json()["state"]
            found[name] = (state["last_seq"] if name != "TERM" else None, state.get("subjects", {}))
        return found


def settle(*connections):
    """All that was published has gone through all servers: there and back by a way that all messages take."""
    for _ in range(2):
        for c in connections:
            c.flush()
        time.sleep(0.15)


def run(fleet, role, name, *words, directory):
    return subprocess.run(command(fleet, role, name, *words), env=environment(directory), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=pace.HANGS)


@contextlib.contextmanager
def node(fleet, name, directory, *options):
    """`aisbx fleet node`. Its key is in its own directory, where boxes do not see it."""
    (directory / "node").mkdir(mode=0o700)
    seed = directory / "node/seed"
    seed.write_bytes(fleet.seed("node", name).read_bytes())
    with open(directory / "node.log", "wb") as log:
        words = [AISBX, "fleet", "node", "--nats", fleet.url, "--creds", seed, "--ca", fleet.ca, "--name", name, "--slots", "2", "--dir", directory / "node", *options]
        process = subprocess.Popen(words, env=environment(directory), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(pace.HANGS)


def test_the_whole_way(fleet, tmp_path):
    """A job of a tenant runs on a node, its output comes back; an admin looks and drains; nobody did what it may not."""
    with node(fleet, "x", tmp_path):
        on = ["run", "--on", "any", "--nats", fleet.url, "--creds", fleet.seed("tenant", "a"), "--ca", fleet.ca, "--tenant", "a", "--", "sh", "-c", "echo hello; exit 3"]
        done = subprocess.run([AISBX, *on], cwd=tmp_path, env=environment(tmp_path), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=pace.HANGS)
        assert (done.returncode, done.stdout) == (3, "hello\n"), done.stderr + (tmp_path / "node.log").read_text() + fleet.words()[-3000:]
        shown = run(fleet, "admin", "ops", "fleet", "nodes", "--json", directory=tmp_path)
        assert [row["name"] for row in json.loads(shown.stdout)["nodes"]] == ["x"], shown.stderr
        for more in ([], ["--undo"]):
            drained = run(fleet, "admin", "ops", "fleet", "drain", "x", *more, directory=tmp_path)
            assert drained.returncode == 0, drained.stderr
        # What the node did gets to the fleet's history, though the streams are in another account than its own.
        own_fleet.until(lambda: "aisbx.history.x.a" in states(fleet)["HISTORY"][1], "the history of node x")
    assert "Violation" not in fleet.words()
    jobs = [subject for subject in states(fleet)["STATE"][1] if subject.startswith("aisbx.state.a.")]
    assert len(jobs) == 1


# Everything that a fleet publishes, of tenant b and node y.
OTHERS = [
    "aisbx.jobs.any.b",
    "aisbx.lane.any.b",
    "aisbx.cancel.b",
    "aisbx.grant.x.b",
    "aisbx.in.x.b.j",
    "aisbx.state.b.j",
    "aisbx.dead.b.j",
    "aisbx.tenant.b.s.ended",
    "aisbx.tenant.b.s.may_i",
    "aisbx.out.b.j",
    "aisbx.hub.beat.y",
    "aisbx.hub.ended.y",
    "aisbx.hub.returned.y",
    "aisbx.node.y.offer",
    "aisbx.node.y.beat_ok",
    "aisbx.node.y.cancel",
    "aisbx.node.y.drain",
    "aisbx.grant.y.b",
    "aisbx.in.y.b.j",
    "aisbx.history.y",
    "aisbx.history.y.a",
    "aisbx.history.x.a.b",
    "aisbx.term",
    "aisbx.ask.queue",
    "aisbx.ask.jobs",
    "aisbx.ask.drain",
    *(f"aisbx.ask.{what}{whose}" for what in ("dead", "letter", "forget") for whose in ("", ".b", ".*", ".a.b")),
]
# What the engine itself can be asked, where it would tell, change or hand on something.
API = [
    "$JS.API.INFO",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.LIST",
    "$JS.API.META.LEADER.STEPDOWN",
    "$JS.API.SERVER.REMOVE",
    "$JS.API.ACCOUNT.PURGE.FLEET",
    *(
        f"$JS.API.{what}.AISBX_{stream}{rest}"
        for stream in STREAMS
        for what, rest in (
            ("STREAM.INFO", ""),
            ("STREAM.CREATE", ""),
            ("STREAM.UPDATE", ""),
            ("STREAM.DELETE", ""),
            ("STREAM.PURGE", ""),
            ("STREAM.SNAPSHOT", ""),
            ("STREAM.RESTORE", ""),
            ("STREAM.MSG.GET", ""),
            ("STREAM.MSG.DELETE", ""),
            ("STREAM.LEADER.STEPDOWN", ""),
            ("STREAM.PEER.REMOVE", ""),
            ("DIRECT.GET", ""),
            ("CONSUMER.CREATE", ""),
            ("CONSUMER.CREATE", ".thief"),
            ("CONSUMER.CREATE", ".thief.aisbx.jobs.any.b"),
            ("CONSUMER.DURABLE.CREATE", ".thief"),
            ("CONSUMER.NAMES", ""),
            ("CONSUMER.LIST", ""),
            ("CONSUMER.INFO", ".thief"),
            ("CONSUMER.DELETE", ".thief"),
            ("CONSUMER.MSG.NEXT", ".thief"),
        )
    ),
    "$JS.API.STREAM.CREATE.MINE",
    "$JS.API.DIRECT.GET.AISBX_STATE.aisbx.state.b.j",
    "$JS.API.DIRECT.GET.AISBX_STATE.aisbx.state.b.>",
    "$JS.API.DIRECT.GET.AISBX_STATE.>",
    "$JS.API.DIRECT.GET.AISBX_JOBS.aisbx.jobs.any.b",
    "$JS.API.DIRECT.GET.AISBX_DEAD.aisbx.dead.b.j",
    "$JS.API.DIRECT.GET.AISBX_TERM.aisbx.term",
    "$JS.API.DIRECT.GET.AISBX_HISTORY.aisbx.history.y",
    "$JS.API.DIRECT.GET.AISBX_HISTORY.aisbx.history.y.a",
    "$JS.ACK.AISBX_HISTORY.c.1.1.1.1.1",
    "$JS.FC.AISBX_JOBS.thief.x",
    "$SYS.REQ.SERVER.PING.CONNZ",
    "$SYS.REQ.ACCOUNT.FLEET.CONNZ",
]
LISTENED = [
    ">",
    "*",
    "*.>",
    "aisbx.>",
    "aisbx.*.*.*",
    "aisbx.jobs.>",
    "aisbx.state.>",
    "aisbx.tenant.>",
    "aisbx.tenant.*.s.ended",
    "aisbx.tenant.b.>",
    "aisbx.out.>",
    "aisbx.out.b.*",
    "aisbx.hub.>",
    "aisbx.node.>",
    "aisbx.node.y.*",
    "aisbx.grant.>",
    "aisbx.grant.y.*",
    "aisbx.in.>",
    "aisbx.in.y.>",
    "aisbx.history.>",
    "aisbx.term",
    "aisbx.lane.>",
    "aisbx.cancel.>",
    "aisbx.ask.>",
    "_INBOX.>",
    "_INBOX.*.*.>",
    "_INBOX.tenant.b.>",
    "_INBOX.node.y.>",
    "_INBOX.hub.>",
    "_INBOX.admin.>",
    "_R_.>",
    "$JS.>",
    "$JS.EVENT.>",
    "$SYS.>",
    "$JSC.>",
]
# What a role may say on another's subject after all. A node writes records, and tells the submitters of all tenants whose jobs it has.
MAY = {
    "tenant": set(),
    "node": {
        "aisbx.state.b.j",
        "aisbx.tenant.b.s.ended",
        "aisbx.tenant.b.s.may_i",
        "aisbx.out.b.j",
        "$JS.API.DIRECT.GET.AISBX_STATE.aisbx.state.b.j",
        "$JS.API.DIRECT.GET.AISBX_STATE.aisbx.state.b.>",
        "$JS.API.STREAM.INFO.AISBX_HISTORY",
    },
}


@pytest.mark.parametrize("role, name", [("tenant", "a"), ("node", "x")])
def test_what_is_of_others(fleet, role, name):
    """Each subject and each call of the engine is refused, and nothing has changed."""
    before = states(fleet)
    with fleet.connect(role, name, 1) as thief:
        open_doors = []
        for subject in [s for s in OTHERS + API if s not in MAY[role]]:
            if "Permissions Violation for Publish" not in thief.refuses(lambda s=subject: thief.publish(s, "{}", thief.inbox + ".r.x")):
                open_doors.append(subject)
        for subject in LISTENED:
            if "Permissions Violation for Subscription" not in thief.refuses(lambda s=subject: thief.subscribe(s)):
                open_doors.append(subject)
            if "Permissions Violation for Subscription" not in thief.refuses(lambda s=subject: thief.subscribe(s, "queue")):
                open_doors.append(subject + " queue")
        assert not open_doors
        settle(thief)
        assert not thief.messages
    assert states(fleet) == before


def test_a_node_is_none_but_itself(fleet):
    """It writes neither jobs nor terms, nor cancels, nor grants, nor speaks as a hub; and a tenant is no node."""
    for role, name, subjects in [
        ("node", "x", ["aisbx.jobs.any.a", "aisbx.lane.any.a", "aisbx.cancel.a", "aisbx.grant.x.a", "aisbx.in.x.a.j", "aisbx.node.x.offer", "aisbx.term", "aisbx.dead.a.j", "aisbx.ask.drain"]),
        ("tenant", "a", ["aisbx.hub.beat.x", "aisbx.hub.beat.a", "aisbx.hub.ended.x", "aisbx.state.a.j", "aisbx.dead.a.j", "aisbx.out.a.j", "aisbx.tenant.a.s.ended", "aisbx.history.a"]),
    ]:
        with fleet.connect(role, name) as c:
            for subject in subjects:
                assert "Permissions Violation for Publish" in c.refuses(lambda s=subject, c=c: c.publish(s, "{}")), subject


FORGED = ["aisbx.term", "aisbx.state.b.forged", "aisbx.jobs.any.b", "aisbx.dead.b.forged", "aisbx.history.y", "aisbx.hub.beat.y", "aisbx.cancel.b", "aisbx.node.y.offer", "aisbx.tenant.b.s.ended"]


def test_answers_forge_nothing(fleet):
    """The engine answers as itself, to where the question says: who asks for its own record with another's as the place for the answer would
    have that written. Accounts stop it."""
    with fleet.connect("node", "x") as x, fleet.connect("tenant", "a", 1) as a, fleet.connect("hub", "h", 2) as hub:
        with contextlib.ExitStack() as stack:
            ears = [stack.enter_context(fleet.connect(role, name, 2)) for role, name in (("node", "y"), ("tenant", "b"))]
            ears[0].subscribe("aisbx.node.y.*")
            ears[1].subscribe("aisbx.tenant.b.*.*")
            for subject in ("aisbx.hub.>", "aisbx.cancel.*"):
                hub.subscribe(subject)
            settle(hub, *ears)
            assert x.request("aisbx.state.a.own", RECORD).json()["seq"] > 0
            before = states(fleet)
            for subject in FORGED:
                for c, asked in ((a, "$JS.API.DIRECT.GET.AISBX_STATE.aisbx.state.a.own"), (x, "$JS.API.DIRECT.GET.AISBX_STATE.aisbx.state.a.own"), (x, "aisbx.api.STREAM.INFO.AISBX_HISTORY"), (a, "aisbx.ask.status"), (a, "aisbx.ask.nodes"), (a, "aisbx.ask.dead.a")):
                    c.publish(asked, "", subject)
            settle(a, x, hub, *ears)
            assert states(fleet) == before
            heard = [message.subject for c in (hub, *ears) for message in c.messages]
            assert not heard
            assert not hub.errors and not ears[0].errors and not ears[1].errors
            # The same with what is stored by it: the acknowledgement goes nowhere, either.
            for subject in FORGED:
                a.publish("aisbx.jobs.any.a", "no job", subject)
                x.publish("aisbx.history.x", "no row", subject)
            settle(a, x, hub, *ears)
            after = states(fleet)
            assert after["HISTORY"][1] == {**before["HISTORY"][1], "aisbx.history.x": len(FORGED)}
            assert all(after[name] == before[name] for name in ("STATE", "DEAD"))
            assert not any(subject.endswith(".b") for subject in after["JOBS"][1])
            assert not [message.subject for c in (hub, *ears) for message in c.messages]
            term = hub.request("$JS.API.DIRECT.GET.AISBX_TERM.aisbx.term")
            assert term.json()["hub"].startswith("h-")


@pytest.mark.parametrize("of_node, of_tenant", [(0, 0), (0, 1), (1, 1), (2, 0), (2, 2)])
def test_own_things_are_there(fleet, of_node, of_tenant):
    """So that the refusals above are not those of a server that refuses all; on the same server and on two."""
    with fleet.connect("node", "y", of_node) as y, fleet.connect("tenant", "b", of_tenant) as b, fleet.connect("tenant", "a", of_tenant) as a, fleet.connect("hub", "h", of_node) as hub:
        a.subscribe("aisbx.out.a.*")
        b.subscribe("aisbx.out.b.*")
        b.subscribe("aisbx.tenant.b.s.*")
        y.subscribe("aisbx.grant.y.*")
        y.subscribe("aisbx.in.y.>")
        y.subscribe("aisbx.node.y.*")
        hub.subscribe("aisbx.hub.>")
        settle(a, b, y, hub)
        assert y.request("aisbx.state.b.mine", RECORD).json()["seq"] > 0
        deadline = pace.Deadline(20)
        while b.request("$JS.API.DIRECT.GET.AISBX_STATE.aisbx.state.b.mine").data != RECORD.encode():  # reads may be old
            assert not deadline.is_over()
        assert b.request("$JS.API.DIRECT.GET.AISBX_STATE.aisbx.state.b.none").status == 404
        y.publish("aisbx.out.b.mine", "printed")
        y.publish("aisbx.tenant.b.s.may_i", "may I")
        b.publish("aisbx.grant.y.b", "yes")
        b.publish("aisbx.in.y.b.mine", "typed")
        hub.publish("aisbx.node.y.cancel", "stop")
        y.publish("aisbx.hub.returned.y", "back")
        settle(a, b, y, hub)
        assert sorted(m.data for m in b.messages) == [b"may I", b"printed"]
        assert sorted(m.data for m in y.messages) == [b"stop", b"typed", b"yes"]
        assert b"back" in [m.data for m in hub.messages]
        assert not a.messages and not a.errors and not b.errors and not y.errors and not hub.errors
        assert json.loads(b.request("aisbx.ask.status").data)["hub"].startswith("h-")


def test_dead_letters(fleet, tmp_path):
    """A tenant sees, sends again and forgets its own, and nobody else's; an admin those of all."""

    def dead(role, name, what, *words):
        done = run(fleet, role, name, "fleet", what, *words, directory=tmp_path)
        return done.returncode, (json.loads(done.stdout) if "--json" in words and done.returncode == 0 else done.stdout), done.stderr

    options = ["--nats", fleet.url, "--creds", fleet.seed("tenant", "a"), "--ca", fleet.ca, "--tenant", "a"]
    jobs = []
    for _ in range(2):
        given = subprocess.run([AISBX, "run", "--on", "any", "--deadline", "1ms", "--detach", *options, "--", "true"], cwd=tmp_path, env=environment(tmp_path), stdin=subprocess.DEVNULL, capture_output=True,
                               text=True, timeout=pace.HANGS)
        jobs.append(given.stdout.strip())
    deadline = pace.Deadline(60)
    while sorted(row["job"] for row in dead("tenant", "a", "dead", "--tenant", "a", "--json")[1]) != sorted(jobs):
        assert not deadline.is_over(), jobs
    assert dead("tenant", "b", "dead", "--tenant", "b", "--json")[:2] == (0, [])
    before = states(fleet)
    # With its own key it can name another tenant; nobody answers.
    for words in (["dead", "--tenant", "a", "--json"], ["dead", "--all-tenants", "--json"], ["forget", "--tenant", "a", "--all"], ["again", "--tenant", "a", jobs[0]], ["forget", "--tenant", "b", jobs[0]]):
        assert dead("tenant", "b", *words)[0] == 125, words
    assert states(fleet) == before
    assert dead("tenant", "a", "dead", "--tenant", "a", jobs[0], "--json")[1]["body"]["operation"] == "run"
    assert dead("tenant", "a", "forget", "--tenant", "a", jobs[0])[0] == 0
    assert [row["job"] for row in dead("admin", "ops", "dead", "--all-tenants", "--json")[1]] == [jobs[1]]
    assert dead("admin", "ops", "again", "--all-tenants", jobs[1], "--deadline", "1ms")[:2] == (0, jobs[1] + "-2\n")
    deadline = pace.Deadline(60)
    while [row["job"] for row in dead("tenant", "a", "dead", "--tenant", "a", "--json")[1]] != [jobs[1] + "-2"]:
        assert not deadline.is_over()
    assert dead("tenant", "a", "again", "--tenant", "a", jobs[1] + "-2")[:2] == (0, jobs[1] + "-3\n")
    assert dead("admin", "ops", "dead", "--all-tenants", "--json")[:2] == (0, [])


def test_who_makes_backups_and_who_collects(fleet):
    with fleet.connect("backup", "k") as k, fleet.connect("collector", "c") as c, fleet.connect("admin", "ops") as ops:
        for subject in ("aisbx.state.a.j", "aisbx.term", "aisbx.jobs.any.a", "$JS.API.STREAM.DELETE.AISBX_JOBS", "$JS.API.STREAM.PURGE.AISBX_JOBS"):
            for user in (k, c):
                assert "Violation" in user.refuses(lambda s=subject, u=user: u.publish(s, "{}")), subject
        for subject in ("aisbx.state.a.j", "aisbx.term", "$JS.API.STREAM.DELETE.AISBX_JOBS", "$JS.API.DIRECT.GET.AISBX_JOBS", "$JS.API.DIRECT.GET.AISBX_STATE", "$JS.API.DIRECT.GET.AISBX_DEAD"):
            assert "Violation" in ops.refuses(lambda s=subject: ops.publish(s, "{}")), subject
        made = c.request("$JS.API.CONSUMER.DURABLE.CREATE.AISBX_HISTORY.centre", json.dumps({"stream_name": "AISBX_HISTORY", "config": {"durable_name": "centre", "ack_policy": "explicit"}}))
        assert made.json()["name"] == "centre"


def test_an_unknown_key(fleet, tmp_path):
    with pytest.raises(nats_raw.Refused, match="Authorization"):
        nats_raw.Raw(fleet.ports[0], nats_raw.Key(), fleet.ca)
    with pytest.raises(nats_raw.Refused, match="Authorization"):
        nats_raw.Raw(fleet.ports[0], None, fleet.ca)
    key = nats_raw.Key(fleet.seed("node", "x").read_text().strip())
    key.sign = nats_raw.Key().sign  # who knows only the public key
    with pytest.raises(nats_raw.Refused, match="Authorization"):
        nats_raw.Raw(fleet.ports[0], key, fleet.ca)
    (tmp_path / "seed").write_text(nats_raw.Key().seed + "\n")
    done = subprocess.run([AISBX, "fleet", "status", "--nats", fleet.url, "--creds", tmp_path / "seed", "--ca", fleet.ca], env=environment(tmp_path), capture_output=True, text=True, timeout=pace.HANGS)
    assert done.returncode == 125 and "does not know this user" in done.stderr


def test_plain_text_and_false_certificates(fleet, tmp_path):
    """Neither does the server speak in clear, nor the client with a server whose certificate is somebody else's."""
    with socket.create_connection(("127.0.0.1", fleet.ports[0]), pace.HANGS) as s, s.makefile("rb") as lines:
        assert json.loads(lines.readline().split(b" ", 1)[1])["tls_required"]
        s.sendall(b'CONNECT {"verbose":true}\r\nPING\r\n')
        with contextlib.suppress(ConnectionResetError):
            assert b"PONG" not in lines.read()
    with pytest.raises(nats_raw.Refused):
        nats_raw.Raw(fleet.ports[0], nats_raw.Key(fleet.seed("node", "x").read_text().strip()))
    fleet_shipped.authority(tmp_path, "other")
    with pytest.raises(ssl.SSLError):
        nats_raw.Raw(fleet.ports[0], nats_raw.Key(), tmp_path / "other.crt")
    words = ["fleet", "status", "--nats", fleet.url, "--creds", fleet.seed("admin", "ops"), "--ca", tmp_path / "other.crt"]
    done = subprocess.run([AISBX, *words], env=environment(tmp_path), capture_output=True, text=True, timeout=pace.HANGS)
    assert done.returncode == 125 and "SSL" in done.stderr
    # Servers do not take in a stranger, either: the port between them asks for a certificate.
    context = ssl.create_default_context(cafile=fleet.ca)
    with socket.create_connection(("127.0.0.1", fleet.inner[0]), pace.HANGS) as s:
        s.recv(4096)
        with pytest.raises((ssl.SSLError, ConnectionResetError)), context.wrap_socket(s, server_hostname="localhost") as t:
            t.sendall(b"PING\r\n")
            while t.recv(4096):
                pass
            raise ConnectionResetError("it closed without a word")


def test_a_key_is_taken_away(fleet):
    """Who is no more in users.json is out after a reload, at once and for good; others do not notice."""
    with fleet.connect("tenant", "gone") as gone, fleet.connect("tenant", "a") as a:
        users = json.loads((fleet.directory / "users.json").read_text())
        del users["tenant"]["gone"]
        (fleet.directory / "users.json").write_text(json.dumps(users))
        subprocess.run([sys.executable, "-B", fleet_shipped.SHIPPED / "fleet-users", "write", "--dir", fleet.directory], check=True, timeout=pace.HANGS)
        for process in fleet.processes:
            process.send_signal(signal.SIGHUP)
        deadline = pace.Deadline(30)
        with pytest.raises(nats_raw.Refused):
            while not deadline.is_over():
                gone.flush()
                time.sleep(0.02)
        with pytest.raises(nats_raw.Refused, match="Authorization"):
            fleet.connect("tenant", "gone")
        assert a.request("aisbx.ask.status").json()["hub"].startswith("h-")


def test_the_example_is_what_is_written(tmp_path):
    """The shipped accounts.conf is what fleet-users writes from the users.json beside it, and is good."""
    shipped = fleet_shipped.SHIPPED / "example"
    (tmp_path / "users.json").write_bytes((shipped / "users.json").read_bytes())
    subprocess.run([sys.executable, "-B", fleet_shipped.SHIPPED / "fleet-users", "write", "--dir", tmp_path], check=True, timeout=pace.HANGS)
    assert (tmp_path / "accounts.conf").read_text() == (shipped / "accounts.conf").read_text()


@pytest.mark.parametrize("words", [["add", "node", "a.b"], ["add", "node", "*"], ["add", "king", "a"], ["show", "tenant", ">"], ["add", "node", ""]])
def test_names_that_are_none(tmp_path, words):
    """A name with a dot or a star would be more than one."""
    done = subprocess.run([sys.executable, "-B", fleet_shipped.SHIPPED / "fleet-users", *words, "--dir", tmp_path], capture_output=True, text=True, timeout=pace.HANGS)
    assert done.returncode != 0 and not list(tmp_path.iterdir())
