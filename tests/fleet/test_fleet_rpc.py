# SPDX-License-Identifier: Apache-2.0
"""`aisbx fleet rpc`: the protocol of `aisbx rpc` over a fleet. Real servers, nodes and boxes."""
import contextlib
import json
import os
import signal
import time

import own_fleet
import pytest
import rpc

WAIT = 120


@contextlib.contextmanager
def client(fleet, *options, **env):
    with rpc.Rpc(cwd=fleet.dir / "project", env={**fleet.env, **env}, command=("fleet", "rpc", *options)) as r:
        yield r


@pytest.fixture(name="fleet")
def fixture_fleet(tmp_path):
    f = own_fleet.Fleet(tmp_path)
    try:
        yield f
    finally:
        f.finish()


@pytest.fixture(name="shared", scope="module")
def fixture_shared(tmp_path_factory):
    """One that no test harms: a hub, and the nodes a (zone=a) and b (zone=b)."""
    f = own_fleet.Fleet(tmp_path_factory.mktemp("fleet"))
    try:
        f.hub()
        f.node("a", "--labels", "zone=a")
        f.node("b", "--labels", "zone=b")
        yield f
    finally:
        f.finish()


@pytest.fixture(name="any_node", scope="module")
def fixture_any_node(shared):
    with client(shared) as r:
        yield r


def test_hello_names_the_fleet(any_node):
    said = any_node.call("rpc.hello")
    assert said["protocol"] == 1 and said["fleet"] == {"on": "any", "tenant": "default"}
    assert {"run.exec", "run.ls", "box.create", "file.read"} <= set(said["methods"]) and "promote" not in said["methods"]


def test_a_command_has_its_output_and_its_node(shared):
    for zone in "ab":
        with client(shared, "--on", f"zone={zone}") as r:
            result = r.call("run.exec", command=["sh", "-c", "echo out; echo err >&2; exit 3"])
            assert (result["stdout"], result["stderr"], result["exit_code"], result["node"]) == ("out\n", "err\n", 3, zone)


def test_output_is_live_and_input_arrives(any_node):
    i = any_node.sh("echo first; read line; echo got $line", _stream=True, _stdin=True)
    assert any_node.begun(i).startswith("r-")
    any_node.until(lambda: any_node.output(i) == b"first\n")
    any_node.ok(any_node.send_params("rpc.stdin", {"id": i, "data": "this\n", "eof": True}))
    assert any_node.ok(i)["stdout"] == ""
    assert any_node.output(i) == b"first\ngot this\n"


def test_much_input_and_its_end(any_node):
    i = any_node.sh("wc -c", _stdin=True)
    any_node.begun(i)
    for _ in range(5):
        own_fleet.until(lambda: "result" in any_node.answer(any_node.send_params("rpc.stdin", {"id": i, "data": "x" * (1 << 20)})), "room")
    any_node.notify("rpc.stdin", id=i, eof=True)
    assert any_node.ok(i, WAIT)["stdout"].split() == [str(5 << 20)]


def test_more_output_than_is_kept(any_node):
    result = any_node.ok(any_node.sh("head -c 5000000 /dev/zero | tr '\\0' x"), WAIT)
    cut = 5000000 - (4 << 20)
    assert result["truncated"] == {"stdout": cut, "stderr": 0}
    assert f"[aisbx: {cut} bytes cut here]" in result["stdout"] and len(result["stdout"]) > 4 << 20


def test_cancel_ends_it_with_its_result(any_node):
    mark = f"cancelled-{os.getpid()}"
    i = any_node.sh(f"echo began; sleep 600 # {mark}", _stream=True)
    any_node.until(lambda: any_node.output(i) == b"began\n")
    assert any_node.ok(any_node.send_params("rpc.cancel", {"id": i})) == {"found": True}
    assert any_node.ok(i)["status"] == "interrupted"
    own_fleet.until(lambda: not own_fleet.processes_with(mark), "the command is gone")


def test_runs_are_listed_paused_and_ended(any_node):
    i = any_node.sh("sleep 600")
    run = any_node.begun(i)
    assert [(r["run"], r["state"]) for r in any_node.call("run.ls")["runs"]] == [(run, "running")]
    assert any_node.call("run.pause", runs=[run])["runs"] == [run]
    assert any_node.call("run.ls")["runs"][0]["state"] == "paused"
    any_node.call("run.resume", runs=[run])
    assert any_node.call("run.kill", runs=[run]) == {"runs": [run]}
    assert any_node.answers[i][0]["result"]["status"] == "interrupted"
    assert any_node.call("run.ls") == {"runs": []}
    assert any_node.error("run.kill", runs=[run])["data"]["kind"] == "not_found"


def test_a_full_node_does_not_hinder_ending(fleet):
    fleet.hub()
    fleet.node("a", "--slots", "1")
    with client(fleet) as r:
        i = r.sh("sleep 600")
        assert r.call("run.kill", runs=[r.begun(i)])
        assert r.ok(i)["status"] == "interrupted"


def test_a_box_has_a_home(shared, any_node):
    with client(shared, "--on", "zone=b") as there:
        box = there.call("box.create", name="housed")
    assert box["node"] == "b"
    for name in ("housed", box["id"], "node=b/housed", f"node=b/{box['id']}"):
        result = any_node.call("run.exec", box=name, command=["sh", "-c", "echo x >>f; hostname"])
        assert result["node"] == "b"
    assert any_node.call("file.read", box="housed", path="f")["content"] == "x\n" * 4
    snap = any_node.call("box.snap", box="housed", name="then")
    assert any_node.call("box.fork", **{"from": f"housed@{snap['name']}", "count": 2})["boxes"][1]["node"] == "b"
    listed = any_node.call("box.ls")
    assert box["id"] in [b["id"] for b in listed["boxes"]] and listed["missing"] == []
    assert any_node.call("box.rm", boxes=["housed"])["removed"] == ["housed"]


def test_the_command_line_knows_the_home(shared):
    assert shared.call("create", "--on", "zone=b", "known").returncode == 0
    for on in ("any", "zone=a", "node=b"):
        done = shared.call("run", "--on", on, "--json", "--box", "known", "--", "true")
        assert json.loads(done.stdout)["fleet"]["node"] == "b"
    done = shared.call("run", "--on", "any", "--json", "--box", "node=b/known", "--", "true", env={"XDG_STATE_HOME": str(shared.dir / "other")})
    assert json.loads(done.stdout)["fleet"]["node"] == "b"
    assert b"there is no box 'known'" in shared.call("run", "--on", "node=a", "--box", "known", "--", "true").stderr
    assert b"is on node a" in shared.call("rm", "--on", "any", "known", "node=a/other").stderr
    assert shared.call("rm", "--on", "any", "known").returncode == 0


def test_one_name_on_two_nodes_is_not_guessed(shared, any_node):
    for zone in "ab":
        assert shared.call("create", "--on", f"node={zone}", "twin").returncode == 0
    wrong = any_node.error("box.show", box="twin")["data"]
    assert wrong["kind"] == "usage" and "node=" in wrong["text"]
    assert any_node.call("box.show", box="node=a/twin")["node"] == "a"
    assert shared.call("rm", "--on", "node=a", "twin").returncode == 0
    assert any_node.call("box.show", box="twin")["node"] == "b"
    any_node.call("box.rm", boxes=["twin"])


@pytest.mark.parametrize("method, params, kind", [
    ("promote", {"box": "b"}, "unsupported"), ("doctor", {}, "unsupported"), ("box.ports", {"box": "b"}, "unsupported"),
    ("run.exec", {"command": ["true"], "project": "/"}, "unsupported"), ("run.exec", {"command": ["true"], "rw": ["/etc"]}, "unsupported"),
    ("run.exec", {"command": ["true"], "box": "node=/b"}, "usage"), ("run.exec", {"command": ["true"], "box": "node=a/"}, "usage"),
    ("run.exec", {"command": ["true", "x" * 600000]}, "limit"), ("box.show", {"box": "none"}, "not_found"), ("run.exec", {}, "usage"),
    ("file.write", {"box": "node=a/x", "path": "p", "content": "c"}, "not_found"), ("box.rm", {"boxes": ["node=a/x", "node=b/y"]}, "usage"),
    ("rpc.hello", {"owner": "me"}, "unsupported"),
])
def test_what_cannot_be_is_told(shared, method, params, kind):
    with client(shared) as r:
        assert r.answer(r.send_params(method, params))["error"]["data"]["kind"] == kind
        assert r.call("rpc.ping") == {}


def test_a_hundred_at_once_over_one_connection(any_node):
    ids = [any_node.sh(f"echo {n}", _stream=n % 2 == 0) for n in range(100)]
    for n, i in enumerate(ids):
        result = any_node.ok(i, WAIT)
        assert (any_node.output(i) if n % 2 == 0 else result["stdout"].encode()) == b"%d\n" % n


def test_calls_beyond_what_runs_at_once_wait(shared):
    with client(shared) as r:
        limits = r.call("rpc.hello")["limits"]
        ids = [r.sh("sleep 600") for _ in range(limits["calls"] + 1)]
        assert r.call("rpc.ping") == {} and not r.answers[ids[-1]] and limits["waiting"] > 1000
        assert r.ok(r.send_params("rpc.cancel", {"id": ids[-1]}))["found"]
        assert r.answer(ids[-1], WAIT)["error"]["data"]["kind"] == "cancelled"
        r.process.stdin.close()
        r.to_the_end()
        assert all(r.answers[i] for i in ids) and r.process.wait(WAIT) == 0
    assert not open_jobs(shared)


def open_jobs(fleet):
    return [job for job in json.loads(fleet.call("fleet", "jobs", "--json").stdout) if job["phase"] == "open"]


def test_the_end_of_input_cancels_and_leaves_nothing(shared):
    mark = f"left-{os.getpid()}"
    with client(shared) as r:
        i = r.sh(f"echo began; sleep 600 # {mark}", _stream=True)
        r.until(lambda: r.output(i) == b"began\n")
        r.process.stdin.close()
        r.to_the_end()
        assert r.answers[i] and r.process.wait(own_fleet.WAIT) == 0
    own_fleet.until(lambda: not own_fleet.processes_with(mark), "the command is gone")
    assert not open_jobs(shared)


def test_a_node_that_is_lost_is_named(fleet):
    fleet.hub()
    fleet.node("a")
    with client(fleet) as r:
        r.call("box.create", name="there")
        i = r.sh("echo began; sleep 600", box="there", _stream=True)
        r.until(lambda: r.output(i) == b"began\n")
        fleet.end("a", signal.SIGKILL)
        later = r.send("box.show", box="there")
        for call in (i, later):
            wrong = r.answer(call, WAIT)["error"]["data"]
            assert wrong["code"] == "EHOSTDOWN" and "node a" in wrong["text"] and "aisbx fleet node" in wrong["text"]
        fleet.node("a")
        own_fleet.until(lambda: "result" in r.answer(r.send("box.show", box="there"), WAIT), "the box is there again", WAIT)


def test_a_drained_node_is_busy(fleet):
    fleet.hub()
    fleet.node("a")
    with client(fleet) as r:
        r.call("box.create", name="there")
        assert fleet.call("fleet", "drain", "a").returncode == 0
        wrong = r.answer(r.send("box.show", box="there"), WAIT)["error"]["data"]
        assert wrong["kind"] == "busy" and "drain --undo a" in wrong["text"]


def test_without_a_hub_calls_wait_for_one(fleet):
    fleet.hub()
    fleet.end("h")
    with client(fleet) as r:
        i = r.sh("echo at last")
        fleet.hub("h2")
        fleet.node("a")
        assert r.ok(i, WAIT)["stdout"] == "at last\n"


def test_a_deadline_ends_the_waiting(fleet):
    fleet.hub()
    with client(fleet, "--deadline", "2s") as r:
        began = time.monotonic()
        assert r.answer(r.sh("true"), WAIT)["error"]["data"]["kind"] == "timeout"
        assert time.monotonic() - began < WAIT / 2


def test_without_a_hub_this_machine_does_it_if_asked(fleet):
    with client(fleet, "--or-here=1s") as r:
        assert "fleet" not in r.call("rpc.hello")
        assert "node" not in r.call("run.exec", command=["true"])


def test_without_nats_it_says_so_and_ends(fleet):
    with client(fleet, AISBX_NATS=f"nats://127.0.0.1:{own_fleet.free_port()}") as r:
        assert r.process.wait(own_fleet.WAIT) == 125
    assert b"aisbx: " in r.stderr


def test_a_client_that_does_not_read_loses_nothing(shared):
    with client(shared) as r:
        i = r.sh("seq 1 600000", _stream=True)
        r.begun(i)
        time.sleep(2)  # far more than there is room for, on the way, waits meanwhile
        assert r.ok(i, WAIT)["status"] == "ok"
        assert r.output(i).count(b"\n") == 600000
