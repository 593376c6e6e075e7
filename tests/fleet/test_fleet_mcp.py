# SPDX-License-Identifier: Apache-2.0
"""`aisbx fleet mcp`: the Model Context Protocol over a fleet. Real servers, nodes and boxes."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys

import box
import own_fleet
import pytest

MCP = pathlib.Path(__file__).resolve().parents[1] / "mcp"
sys.path.append(str(MCP))
import talk

CACHE = pathlib.Path(os.environ.get("AISBX_TEST_CACHE", "/nowhere"))
TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
FEW = {"sandbox_run", "sandbox_wait", "sandbox_kill", "sandbox_run_code", "sandbox_contexts", "sandbox_experiment", "sandbox_create", "sandbox_list", "sandbox_fork",
       "sandbox_snapshot", "sandbox_rollback", "sandbox_remove", "sandbox_diff", "sandbox_read_file", "sandbox_write_file", "sandbox_list_files"}


@contextlib.contextmanager
def agent(fleet, *options, command=("fleet", "mcp"), **env):
    client = talk.Stdio(fleet.dir, *options, command=command, env={**fleet.env, **env})
    try:
        yield client
    finally:
        assert client.process.poll() is not None or client.close() == 0


@contextlib.contextmanager
def session(fleet, *options, **more):
    with agent(fleet, *options, **more) as client:
        client.said = client.open()
        yield client


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
    with session(shared) as client:
        yield client


def good(client, tool, **arguments):
    result = client.tool(tool, arguments)
    assert not result["isError"], result
    return {**result["structuredContent"], "text": text(result), "links": [p["uri"] for p in result["content"] if p["type"] == "resource_link"]}


def wrong(client, tool, **arguments):
    result = client.tool(tool, arguments)
    assert result["isError"], result
    return result["structuredContent"]


def text(result):
    return "".join(part.get("text", "") for part in result["content"])


def read(client, uri):
    answer = client.ask("resources/read", {"uri": uri})
    assert "result" in answer, answer
    return answer["result"]["contents"][0]["text"]


def open_jobs(fleet):
    return [job for job in json.loads(fleet.call("fleet", "jobs", "--json").stdout) if job["phase"] == "open"]


def begin(client, mark):
    """A command that goes on and is found by MARK; the id of its call, once it runs."""
    call = client.begin("tools/call", {"name": "sandbox_run", "arguments": {"command": f"echo began; sleep 600 # {mark}"}, "_meta": {"progressToken": mark}})
    client.take(lambda m: m.get("method") == "notifications/progress" and m["params"]["progressToken"] == mark)
    return call


# ---- what is offered ----

def test_what_a_fleet_can_do_is_offered_and_nothing_else(any_node):
    assert "nodes of a fleet" in any_node.said["instructions"] and "promote" not in any_node.said["instructions"]
    tools = {tool["name"]: tool for tool in any_node.ask("tools/list")["result"]["tools"]}
    assert set(tools) == FEW
    assert set(tools["sandbox_run"]["inputSchema"]["properties"]) == {"box", "cwd", "command", "env", "timeout"}
    for tool in tools.values():
        for word in ("promote", "undo", "intent", "this machine", "real project", "real files"):
            assert word not in tool["description"], (tool["name"], tool["description"])
    assert [p["name"] for p in any_node.ask("prompts/list")["result"]["prompts"]] == ["investigate"]
    assert [t["uriTemplate"] for t in any_node.ask("resources/templates/list")["result"]["resourceTemplates"]] == [
        "aisbx://boxes/{box}/diff", "aisbx://boxes/{box}/files/{+path}"]


def test_more_tools_are_those_of_jobs(shared):
    with session(shared, "--tools", "all") as client:
        names = {tool["name"] for tool in client.ask("tools/list")["result"]["tools"]}
        assert FEW < names and {"sandbox_file_mv", "sandbox_box_show", "sandbox_run_pause", "sandbox_run_ls"} <= names
        assert not names & {"sandbox_promote", "sandbox_undo", "sandbox_run_history", "sandbox_doctor", "sandbox_artifact_ls", "sandbox_box_rename"}
        assert good(client, "sandbox_run_ls")["runs"] == []


@pytest.mark.parametrize("tool", ["sandbox_promote", "sandbox_undo", "sandbox_intent", "sandbox_run_logs", "sandbox_doctor"])
def test_a_tool_of_this_machine_is_refused(any_node, tool):
    assert f"there is no tool '{tool}'" in any_node.ask("tools/call", {"name": tool, "arguments": {}})["error"]["message"]


@pytest.mark.parametrize("arguments", [{"detach": True}, {"project": "/"}, {"rw": ["/etc"]}, {"secret": ["A=env:HOME"]}, {"profile": "/etc/passwd"}],
                         ids=lambda arguments: next(iter(arguments)))
def test_an_argument_of_this_machine_is_refused(any_node, arguments):
    assert wrong(any_node, "sandbox_run", command="true", **arguments)["error_kind"] == "usage"


def test_resources_prompts_and_names_of_this_machine_are_refused(any_node):
    for uri in ("aisbx://runs/r-1/stdout", "aisbx://runs/r-1/result", "aisbx://artifacts/a-1"):
        assert "there is no resource" in any_node.ask("resources/read", {"uri": uri})["error"]["message"]
    assert "there is no prompt" in any_node.ask("prompts/get", {"name": "safe-change", "arguments": {"task": "t"}})["error"]["message"]
    completed = any_node.ask("completion/complete", {"ref": {"type": "ref/resource", "uri": "aisbx://artifacts/{artifact}"},
                                                     "argument": {"name": "artifact", "value": ""}})
    assert completed["result"]["completion"]["values"] == []


# ---- how it is started ----

@pytest.mark.parametrize("command", [("mcp", "--on", "zone=b"), ("--on", "zone=b", "mcp"), ("fleet", "mcp", "--on=zone=b")], ids=" ".join)
def test_behind_the_operation_it_is_the_same(shared, command):
    with session(shared, "--tools", "few", command=command) as client:
        assert good(client, "sandbox_run", command="true")["node"] == "b"


def test_rpc_behind_the_operation_is_the_same_as_well(shared):
    with agent(shared, command=("rpc", "--on", "zone=b")) as client:
        assert client.ask("rpc.hello", {})["result"]["fleet"]["on"] == "zone=b"


@pytest.mark.parametrize("words, why", [
    (("mcp", "--on", "any", "--project"), b"none of"), (("mcp", "--on", "any", "--detach"), b"none of"),
    (("mcp", "--tools", "all", "--on", "any"), b"directly behind"),
    (("mcp", "--on", "any", "--owner", "me"), b"no option '--owner'"), (("mcp", "--on", "any", "more"), b"takes no argument 'more'"),
    (("fleet", "mcp", "--tools", "some"), b"few or all"), (("fleet", "mcp", "--answer-within", "soon"), b"must be a time"),
    (("serve", "--on", "any"), b"not for other machines"),
], ids=lambda part: " ".join(part) if isinstance(part, tuple) else "")
def test_what_makes_no_sense_is_refused(shared, words, why):
    done = shared.call(*words)
    assert done.returncode == 125 and why in done.stderr, done.stderr


def test_its_options_are_shown(shared):
    for words in (("fleet", "mcp", "--help"), ("mcp", "--on", "any", "--help")):
        done = shared.call(*words)
        assert done.returncode == 0 and b"--answer-within" in done.stdout and b"--tools" in done.stdout


def test_without_a_hub_this_machine_does_it_if_asked(fleet):
    with session(fleet, "--tools", "few", "--or-here=1s") as client:
        assert "sandbox_promote" in [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
        assert "node" not in good(client, "sandbox_run", command="true")


def test_without_nats_it_says_so_and_ends(fleet):
    done = fleet.call("fleet", "mcp", env={"AISBX_NATS": f"nats://127.0.0.1:{own_fleet.free_port()}"})
    assert done.returncode == 125 and b"aisbx: " in done.stderr and not done.stdout


def test_the_official_client(shared):
    box.need(CACHE / "mcp-python", "the official client")
    for scene in ("connect", "fleet"):
        done = subprocess.run(["/usr/bin/python3", "-B", MCP / "doors.py", scene], cwd=shared.dir / "project", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=240, text=True, check=False,
                              env={**shared.env, "AISBX": box.aisbx(), "PYTHONPATH": str(CACHE / "mcp-python"), "MCP_WORDS": "--on zone=b"})
        assert done.returncode == 0 and done.stdout.rstrip().endswith("the end"), done.stdout[-4000:]


# ---- runs ----

def test_a_command_has_its_output_and_its_node(shared):
    for zone in "ab":
        with session(shared, "--on", f"zone={zone}") as client:
            result = good(client, "sandbox_run", command="echo out; echo err >&2; exit 3")
            assert (result["stdout"], result["stderr"], result["exit_code"], result["node"]) == ("out\n", "err\n", 3, zone)
            assert f"node {zone}]" in result["text"] and "out\n" in result["text"]


def test_live_output_comes_as_progress(any_node):
    call = any_node.begin("tools/call", {"name": "sandbox_run", "arguments": {"command": "echo first; sleep 3; echo last"}, "_meta": {"progressToken": "t"}})
    assert any_node.take(lambda m: m.get("method") == "notifications/progress" and m["params"]["progressToken"] == "t")["params"]["message"] == "first\n"
    result = any_node.answer(call)["result"]["structuredContent"]
    assert (result["stdout"], result["status"]) == ("first\nlast\n", "ok")


def test_what_is_long_is_complete_by_its_link(any_node):
    result = good(any_node, "sandbox_run", command="seq 9000; echo err >&2")
    link, = set(result["links"])
    assert link.startswith("aisbx://results/") and "runs/" not in result["text"] and link in result["text"]
    assert result["stdout"].startswith("1\n2\n") and result["stdout"].endswith("9000\n") and result["truncated"]["stdout"] > 10000
    whole = json.loads(read(any_node, link))
    assert whole["stdout"] == "".join(f"{n}\n" for n in range(1, 9001)) and whole["stderr"] == "err\n"


def test_a_program_runs(any_node):
    result = good(any_node, "sandbox_run_code", lang="python", code="print(6 * 7)")
    assert result["stdout"] == "42\n" and result["node"] in "ab"


def test_several_at_once(any_node):
    calls = [any_node.begin("tools/call", {"name": "sandbox_run", "arguments": {"command": f"echo {n}"}}) for n in range(20)]
    for n, call in enumerate(calls):
        assert any_node.answer(call)["result"]["structuredContent"]["stdout"] == f"{n}\n"


def test_a_cancelled_call_leaves_nothing(shared, any_node):
    mark = f"cancelled-{os.getpid()}"
    call = begin(any_node, mark)
    any_node.notify("notifications/cancelled", {"requestId": call})
    own_fleet.until(lambda: not own_fleet.processes_with(mark), "the command is gone")
    own_fleet.until(lambda: not open_jobs(shared), "its job is gone")
    assert any_node.ask("ping")["result"] == {} and [m for m in any_node.others if m.get("id") == call] == []


def test_the_end_of_input_ends_calls_and_leaves_nothing(shared):
    mark = f"left-{os.getpid()}"
    with session(shared) as client:
        begin(client, mark)
        assert client.close() == 0
    own_fleet.until(lambda: not own_fleet.processes_with(mark), "the command is gone")
    assert not open_jobs(shared)


def test_a_signal_ends_it_with_its_calls(shared):
    mark = f"ended-{os.getpid()}"
    with session(shared) as client:
        begin(client, mark)
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(own_fleet.WAIT) == 128 + signal.SIGTERM
    own_fleet.until(lambda: not own_fleet.processes_with(mark), "the command is gone")


def test_a_long_run_is_answered_early_and_waited_for(shared):
    with session(shared, "--answer-within", "500ms") as client:
        early = good(client, "sandbox_run", command="echo first; sleep 5; echo last; exit 4")
        assert early["status"] == "running" and f"run {early['run']}; sandbox_wait" in early["text"]
        own_fleet.until(lambda: good(client, "sandbox_wait", run=early["run"], timeout=0.1)["stdout"].startswith("first\n"), "its output so far")
        for _ in range(2):  # its end is kept
            last = good(client, "sandbox_wait", run=early["run"])
            assert (last["status"], last["exit_code"], last["stdout"], last["run"]) == ("failed", 4, "first\nlast\n", early["run"])
            assert last["node"] in "ab" and f"node {last['node']}]" in last["text"]
        with session(shared) as other:
            assert wrong(other, "sandbox_wait", run=early["run"])["error_kind"] == "not_found"


def test_a_run_that_is_waited_for_can_be_ended(shared):
    with session(shared, "--answer-within", "500ms") as client:
        run = good(client, "sandbox_run", command="echo on; sleep 600")["run"]
        waiting = client.begin("tools/call", {"name": "sandbox_wait", "arguments": {"run": run}})
        assert good(client, "sandbox_kill", runs=[run])["runs"] == [run]
        assert client.answer(waiting)["result"]["structuredContent"]["status"] == "interrupted"


def test_a_wait_can_be_cancelled(shared):
    with session(shared, "--answer-within", "500ms") as client:
        run = good(client, "sandbox_run", command="sleep 600")["run"]
        client.notify("notifications/cancelled", {"requestId": client.begin("tools/call", {"name": "sandbox_wait", "arguments": {"run": run}})})
        assert good(client, "sandbox_wait", run=run, timeout=0.1)["status"] == "running"
        assert client.close() == 0
    assert not open_jobs(shared)


def test_who_knows_tasks_gets_one(shared):
    with agent(shared) as client:
        made = client.ask("tools/call", {"name": "sandbox_run", "arguments": {"command": "sleep 4; echo done"}, "_meta": talk.meta(TASKS)})["result"]
        assert made["resultType"] == "task" and made["status"] == "working"

        def look():
            return client.ask("tasks/get", {"taskId": made["taskId"], "_meta": talk.meta(TASKS)})["result"]
        own_fleet.until(lambda: look()["status"] == "completed", "it ends")
        assert look()["result"]["structuredContent"]["stdout"] == "done\n"


# ---- boxes ----

def test_a_box_stays_on_its_node(shared, any_node):
    with session(shared, "--on", "zone=b") as there:
        made = good(there, "sandbox_create", name="housed")
        assert made["node"] == "b" and "node b" in made["text"]
    for name in ("housed", made["id"], "node=b/housed"):
        assert good(any_node, "sandbox_run", box=name, command="echo x >>f")["node"] == "b"
    assert good(any_node, "sandbox_read_file", box="housed", path="f")["content"] == "x\n" * 3
    assert good(any_node, "sandbox_write_file", box="housed", path="d/g", content="written\n")["node"] == "b"
    assert good(any_node, "sandbox_run", box="housed", command="cat d/g")["stdout"] == "written\n"
    assert {c["path"] for c in good(any_node, "sandbox_diff", box="housed")["changes"]} >= {"f", "d/g"}
    snap = good(any_node, "sandbox_snapshot", box="housed")["name"]
    assert [b["node"] for b in good(any_node, "sandbox_fork", **{"from": f"housed@{snap}", "count": 2})["boxes"]] == ["b", "b"]
    assert good(any_node, "sandbox_remove", boxes=["housed"])["removed"] == ["housed"]
    assert wrong(any_node, "sandbox_run", box="node=a/housed", command="true")["error_kind"] == "not_found"


def test_boxes_are_listed_and_read_where_they_are(shared, any_node):
    with session(shared, "--on", "zone=a") as there:
        good(there, "sandbox_create", name="read")
    good(any_node, "sandbox_write_file", box="read", path="d/g", content="written\n")
    assert read(any_node, "aisbx://boxes/read/files/d/g") == "written\n"
    assert "+written" in read(any_node, "aisbx://boxes/read/diff")
    assert [(b["name"], b["node"]) for b in json.loads(read(any_node, "aisbx://boxes"))["boxes"] if b["name"] == "read"] == [("read", "a")]
    assert "aisbx://boxes/read/diff" in [r["uri"] for r in any_node.ask("resources/list")["result"]["resources"]]
    listed = good(any_node, "sandbox_list")
    assert [b["node"] for b in listed["boxes"] if b["name"] == "read"] == ["a"] and "missing" not in listed
    completed = any_node.ask("completion/complete", {"ref": {"type": "ref/resource", "uri": "aisbx://boxes/{box}/diff"},
                                                     "argument": {"name": "box", "value": "rea"}})
    assert completed["result"]["completion"]["values"] == ["read"]
    assert good(any_node, "sandbox_remove", boxes=["node=a/read"])["node"] == "a"


def test_a_node_that_is_lost_is_named(fleet):
    fleet.hub()
    fleet.node("a")
    with session(fleet, "--answer-within", "1s") as client:
        good(client, "sandbox_create", name="there")
        run = good(client, "sandbox_run", box="there", command="echo began; sleep 600")["run"]
        fleet.end("a", signal.SIGKILL)

        def end():
            last = client.tool("sandbox_wait", {"run": run})["structuredContent"]
            return last["status"] == "error" and last
        ended = own_fleet.until(end, "its end is known")
        assert "node a" in ended["error"]
        assert "node a" in wrong(client, "sandbox_read_file", box="there", path="f")["error"]
        listed = good(client, "sandbox_list")
        assert [m["node"] for m in listed["missing"]] == ["a"] and "the boxes of node a are missing" in listed["text"]
