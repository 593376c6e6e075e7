# SPDX-License-Identifier: Apache-2.0
"""The protocol where the conformance suite does not look: real runs cancelled, answered early, as tasks; approvals; sessions."""
import json
import os
import signal
import subprocess

import pytest

import box
import talk

ELICIT = {"elicitation": {}}
TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


@pytest.fixture
def place(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "file").write_text("as it was\n")
    return tmp_path


@pytest.fixture
def client(place):
    """A session on stdio; its end leaves nothing."""
    c = talk.Stdio(place)
    c.open()
    yield c
    assert c.close() == 0
    assert talk.runs(place) == []


def sleeper(seconds=60):
    return {"name": "sandbox_run", "arguments": {"command": f"echo begun; sleep {seconds}; echo ended"}}


def forged(sealed, data):
    """What the server gave out, with other data in it."""
    mac, payload = sealed.split(".", 1)
    return mac + "." + json.dumps({**json.loads(payload), "data": data}, separators=(",", ":"))


def text(result):
    return "".join(part.get("text", "") for part in result["content"])


# ---- cancelling ----

def test_a_cancelled_call_is_not_answered_and_leaves_nothing(client, place):
    call = client.begin("tools/call", {**sleeper(), "_meta": {"progressToken": "t"}})
    client.notification("notifications/progress")
    assert len(talk.runs(place)) == 1
    client.notify("notifications/cancelled", {"requestId": call, "reason": "test"})
    talk.until(lambda: talk.runs(place) == [], "the run goes on")
    assert client.ask("ping")["result"] == {}
    client.notify("notifications/cancelled", {"requestId": call})
    client.notify("notifications/cancelled", {"requestId": "nobody's"})
    client.notify("notifications/cancelled", {})
    assert client.ask("ping")["result"] == {}
    assert [m for m in client.others if m.get("id") == call] == []


def test_an_id_in_use_is_refused_and_the_first_goes_on(client):
    client.send({"id": "same", "method": "tools/call", "params": sleeper(1)})
    client.send({"id": "same", "method": "ping"})
    assert client.answer("same")["error"]["code"] == -32600
    assert "ended" in text(client.answer("same")["result"])


def test_end_of_input_ends_what_runs(place):
    client = talk.Stdio(place)
    client.open()
    client.begin("tools/call", {**sleeper(), "_meta": {"progressToken": 1}})
    client.notification("notifications/progress")
    assert client.close() == 0
    assert talk.runs(place) == []


@pytest.mark.parametrize("number, status", [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_server_that_is_ended_leaves_nothing(place, number, status):
    client = talk.Stdio(place)
    client.open()
    client.begin("tools/call", {**sleeper(), "_meta": {"progressToken": 1}})
    client.notification("notifications/progress")
    client.process.send_signal(number)
    assert client.process.wait(talk.WAIT) == status
    talk.until(lambda: talk.runs(place) == [], "the run goes on")


# ---- what is told on the way ----

def test_output_is_told_while_it_comes(client):
    assert client.ask("logging/setLevel", {"level": "info"})["result"] == {}
    call = client.begin("tools/call", {"name": "sandbox_run", "_meta": {"progressToken": 7}, "arguments": {
        "command": "for i in 1 2 3; do echo line $i; sleep 0.3; done; echo to stderr >&2"}})
    assert "line 3" in text(client.answer(call)["result"])
    progress = [m["params"] for m in client.others if m["method"] == "notifications/progress"]
    assert len(progress) >= 3 and {p["progressToken"] for p in progress} == {7}
    assert all(a["progress"] < b["progress"] for a, b in zip(progress, progress[1:]))
    logs = [m["params"] for m in client.others if m["method"] == "notifications/message"]
    for stream, whole in (("stdout", "line 1\nline 2\nline 3\n"), ("stderr", "to stderr\n")):
        assert "".join(m["data"]["text"] for m in logs if m["data"]["stream"] == stream) == whole


def test_nothing_is_told_that_was_not_asked_for(client):
    assert client.ask("logging/setLevel", {"level": "error"})["result"] == {}
    client.tool("sandbox_run", {"command": "echo hello"})
    assert [m for m in client.others if m["method"] in ("notifications/progress", "notifications/message")] == []
    assert client.ask("logging/setLevel", {"level": "loud"})["error"]["code"] == -32602


# ---- long runs ----

def test_a_long_run_is_answered_before_its_end_and_can_be_waited_for(place):
    client = talk.Stdio(place, "--answer-within", "1s")
    client.open()
    result = client.tool("sandbox_run", {"command": "echo first; sleep 3; echo last"})
    assert result["structuredContent"]["status"] == "running" and "first" in text(result)
    run = result["structuredContent"]["run"]
    done = client.tool("sandbox_wait", {"run": run})
    assert done["structuredContent"]["status"] in ("ok", "exited", "succeeded"), done
    assert client.close() == 0


def test_a_long_run_is_a_task_for_who_knows_tasks(place):
    client = talk.Stdio(place)
    made = client.ask("tools/call", {**sleeper(3), "_meta": talk.meta(TASKS)})["result"]
    assert made["resultType"] == "task" and made["status"] == "working"
    which = {"taskId": made["taskId"], "_meta": talk.meta(TASKS)}
    talk.until(lambda: client.ask("tasks/get", which)["result"]["status"] == "completed", "the task goes on")
    assert "ended" in text(client.ask("tasks/get", which)["result"]["result"])
    stranger = {**which, "_meta": talk.meta()}
    assert client.ask("tasks/get", stranger)["error"]["code"] == -32021
    assert client.close() == 0


def test_a_cancelled_task_leaves_nothing(place):
    client = talk.Stdio(place)
    made = client.ask("tools/call", {**sleeper(), "_meta": talk.meta(TASKS)})["result"]
    which = {"taskId": made["taskId"], "_meta": talk.meta(TASKS)}
    assert client.ask("tasks/cancel", which)["result"]["resultType"] == "complete"
    assert client.ask("tasks/get", which)["result"]["status"] == "cancelled"
    talk.until(lambda: talk.runs(place) == [], "the run goes on")
    assert client.close() == 0


def test_tasks_as_2025_11_25_has_them(client, place):
    made = client.ask("tools/call", {**sleeper(1), "task": {"ttl": 60000}})["result"]["task"]
    assert made["status"] == "working"
    which = {"taskId": made["taskId"]}
    assert which["taskId"] in [t["taskId"] for t in client.ask("tasks/list")["result"]["tasks"]]
    result = client.ask("tasks/result", which)["result"]  # waits
    assert "ended" in text(result) and result["_meta"]["io.modelcontextprotocol/related-task"] == which
    assert client.ask("tasks/get", which)["result"]["status"] == "completed"
    assert client.ask("tasks/cancel", which)["error"]["code"] == -32602
    other = client.ask("tools/call", {**sleeper(), "task": {}})["result"]["task"]["taskId"]
    waiting = client.begin("tasks/result", {"taskId": other})
    assert client.ask("tasks/cancel", {"taskId": other})["result"]["status"] == "cancelled"
    assert "error" in client.answer(waiting)
    talk.until(lambda: talk.runs(place) == [], "the run goes on")


# ---- approvals ----

def changed_box(client, **params):
    made = client.tool("sandbox_create", {}, **params)["structuredContent"]["id"]
    client.tool("sandbox_run", {"box": made, "command": "echo changed > file"}, **params)
    return made


@pytest.mark.parametrize("answer, approved", [({"action": "accept", "content": {"approve": True}}, True),
                                              ({"action": "accept", "content": {"approve": False}}, False),
                                              ({"action": "decline"}, False), ({"action": "cancel"}, False), (None, False)])
def test_a_person_is_asked_before_a_promotion(place, answer, approved):
    client = talk.Stdio(place)
    client.open(capabilities=ELICIT)
    call = client.begin("tools/call", {"name": "sandbox_promote", "arguments": {"box": changed_box(client)}})
    question = client.take(lambda m: m.get("method") == "elicitation/create")
    assert "file" in question["params"]["message"]
    assert (place / "project" / "file").read_text() == "as it was\n"
    client.send({"id": question["id"], **({"result": answer} if answer else {"error": {"code": -1, "message": "no"}})})
    assert client.answer(call)["result"]["isError"] is not approved
    assert (place / "project" / "file").read_text() == ("changed\n" if approved else "as it was\n")
    assert client.close() == 0


def test_a_person_is_asked_in_a_second_round_and_only_the_question_put_counts(place):
    client = talk.Stdio(place)
    envelope = {"_meta": talk.meta(ELICIT)}
    made = changed_box(client, **envelope)
    call = {"name": "sandbox_promote", "arguments": {"box": made}, **envelope}
    yes = {"inputResponses": {"approval": {"action": "accept", "content": {"approve": True}}}}
    asked = client.ask("tools/call", {**call, **yes})["result"]  # an answer to what was not asked
    assert asked["resultType"] == "input_required" and "file" in asked["inputRequests"]["approval"]["params"]["message"]
    state = {"requestState": asked["requestState"]}
    said_yes = {"requestState": forged(asked["requestState"], yes["inputResponses"])}
    assert client.ask("tools/call", {**call, **said_yes})["error"]["code"] == -32602
    other = {**call, "arguments": {"box": made, "force": True}}
    assert client.ask("tools/call", {**other, **yes, **state})["error"]["code"] == -32602
    assert (place / "project" / "file").read_text() == "as it was\n"
    assert client.ask("tools/call", {**call, **yes, **state})["result"]["isError"] is False
    assert (place / "project" / "file").read_text() == "changed\n"
    assert client.close() == 0


@pytest.mark.parametrize("capabilities", [ELICIT, {}])
def test_a_trap_is_never_for_the_client(place, capabilities):
    """Whatever the client can: it is not even asked, and the answer names what the person can type."""
    client = talk.Stdio(place)
    client.open(capabilities=capabilities)
    made = changed_box(client)
    client.tool("sandbox_run", {"box": made, "command": "mkdir .vscode; echo x > .vscode/tasks.json"})
    call = client.begin("tools/call", {"name": "sandbox_promote", "arguments": {"box": made}})
    result = client.answer(call)["result"]
    assert result["isError"] and "aisbx promote" in text(result) and "promote -y " in text(result) and "--" not in text(result) and ".vscode/tasks.json" in text(result)
    assert client.tool("sandbox_promote", {"box": made, "yes": True})["isError"]
    assert (place / "project" / "file").read_text() == "as it was\n" and not (place / "project" / ".vscode").exists()
    # Control: without the trap the same goes on, once the person was asked where that can be.
    client.tool("sandbox_run", {"box": made, "command": "rm -r .vscode"})
    call = client.begin("tools/call", {"name": "sandbox_promote", "arguments": {"box": made}})
    if capabilities:
        question = client.take(lambda m: m.get("method") == "elicitation/create")
        client.send({"id": question["id"], "result": {"action": "accept", "content": {"approve": True}}})
    assert client.answer(call)["result"]["isError"] is False
    assert (place / "project" / "file").read_text() == "changed\n"
    assert client.close() == 0


def test_a_trap_that_comes_while_the_person_is_asked(place):
    """A yes is to what was shown: what came since stops it."""
    client = talk.Stdio(place)
    client.open(capabilities=ELICIT)
    made = changed_box(client)
    call = client.begin("tools/call", {"name": "sandbox_promote", "arguments": {"box": made}})
    question = client.take(lambda m: m.get("method") == "elicitation/create")
    client.tool("sandbox_run", {"box": made, "command": "echo x > .envrc"})
    client.send({"id": question["id"], "result": {"action": "accept", "content": {"approve": True}}})
    assert client.answer(call)["result"]["isError"]
    assert (place / "project" / "file").read_text() == "as it was\n" and not (place / "project" / ".envrc").exists()
    assert client.close() == 0


STAGES = "stages: [{name: dev, to: {directory: .}, approve: true}, {name: live, to: {directory: ../live}, approve: true}]\n"


def staged(place):
    """A project with two stages that ask."""
    (place / "live").mkdir()
    (place / "project" / "aisbx.yaml").write_text(STAGES)
    for name in ("file", "aisbx.yaml"):
        (place / "live" / name).write_text((place / "project" / name).read_text())
    return [place / name / "file" for name in ("project", "live")]


def said(action, approve=None):
    return {"action": action, **({} if approve is None else {"content": {"approve": approve}})}


@pytest.mark.parametrize("answers, states", [((said("accept", True), said("accept", True)), ["passed", "passed"]),
                                             ((said("accept", True), said("accept", False)), ["passed", "failed"]),
                                             ((said("accept", True), said("decline")), ["passed", "waiting"]),
                                             ((said("cancel"),), ["waiting", "pending"])])
def test_a_person_is_asked_at_each_stage(place, answers, states):
    files = staged(place)
    client = talk.Stdio(place, "--tools", "all")
    client.open(capabilities=ELICIT)
    call = client.begin("tools/call", {"name": "sandbox_pipeline_run", "arguments": {"box": changed_box(client)}})
    for stage, answer in zip(("dev", "live"), answers):
        question = client.take(lambda m: m.get("method") == "elicitation/create")
        assert f"'{stage}'" in question["params"]["message"] and "1 modified" in question["params"]["message"]
        client.send({"id": question["id"], "result": answer})
    result = client.answer(call)["result"]["structuredContent"]
    assert [s["state"] for s in result["stages"]] == states
    assert [f.read_text() for f in files] == ["changed\n" if s == "passed" else "as it was\n" for s in states]
    assert client.close() == 0


def test_a_person_is_asked_at_each_stage_in_rounds(place):
    """A client of 2026-07-28 asks anew with the answers: the same pipeline goes on, and each stage is asked about."""
    files = staged(place)
    client = talk.Stdio(place, "--tools", "all")
    envelope = {"_meta": talk.meta(ELICIT)}
    call = {"name": "sandbox_pipeline_run", "arguments": {"box": changed_box(client, **envelope)}, **envelope}
    more, keys = {}, []
    for stage in ("dev", "live"):
        asked = client.ask("tools/call", {**call, **more})["result"]
        (key, question), = asked["inputRequests"].items()
        assert f"'{stage}'" in question["params"]["message"] and key.endswith(stage)
        keys.append(key)
        more = {"requestState": asked["requestState"], "inputResponses": {key: said("accept", True)}}
        assert files[1].read_text() == "as it was\n"
    result = client.ask("tools/call", {**call, **more})["result"]["structuredContent"]
    assert [s["state"] for s in result["stages"]] == ["passed", "passed"] and keys[0][:30] == keys[1][:30]
    assert [s["approval"]["way"] for s in result["stages"]] == ["asked", "asked"]
    assert [f.read_text() for f in files] == ["changed\n"] * 2
    assert client.close() == 0


@pytest.mark.parametrize("name", [".vscode/tasks.json", "deploy.sh"])
def test_a_stage_with_a_trap_is_never_for_the_client(place, name):
    """Nor is what a stage's command would run: it waits, without a question, until the person approves of it at a terminal."""
    (place / "project" / "aisbx.yaml").write_text(STAGES.replace("]\n", ", {name: out, to: {command: [sh, deploy.sh]}}]\n"))
    client = talk.Stdio(place, "--tools", "all")
    client.open(capabilities=ELICIT)
    made = changed_box(client)
    client.tool("sandbox_run", {"box": made, "command": f"mkdir -p .vscode; echo true > {name}"})
    call = client.begin("tools/call", {"name": "sandbox_pipeline_run", "arguments": {"box": made}})
    result = client.answer(call)["result"]["structuredContent"]
    assert [s["state"] for s in result["stages"]] == ["waiting", "pending", "pending"], result
    assert (place / "project" / "file").read_text() == "as it was\n"
    assert client.close() == 0
    # Control: the person's own command.
    subprocess.run([box.aisbx(), "approve", result["pipeline"]], cwd=place / "project", check=False, stdout=subprocess.DEVNULL,
                   env={**os.environ, "XDG_STATE_HOME": str(place / "state")}, stdin=subprocess.DEVNULL)
    assert (place / "project" / "file").read_text() == "changed\n"


def test_a_model_has_no_say_in_approvals(place):
    files = staged(place)
    client = talk.Stdio(place, "--tools", "all")
    client.open()  # a client that cannot ask
    waits = client.tool("sandbox_pipeline_run", {"box": changed_box(client)})["structuredContent"]
    assert waits["state"] == "waiting"
    assert "no tool" in client.ask("tools/call", {"name": "sandbox_pipeline_approve", "arguments": {"pipeline": waits["pipeline"]}})["error"]["message"]
    assert client.tool("sandbox_pipeline_resume", {"pipeline": waits["pipeline"], "person": True})["isError"]
    assert client.tool("sandbox_pipeline_resume", {"pipeline": waits["pipeline"]})["structuredContent"]["state"] == "waiting"
    assert client.tool("sandbox_pipeline_run", {"box": waits["box"], "yes": True})["isError"]
    assert [f.read_text() for f in files] == ["as it was\n"] * 2
    assert client.close() == 0


# ---- what there is ----

def test_lists_come_in_pages_with_cursors_nobody_else_can_make(place):
    client = talk.Stdio(place, "--page-size", "3")
    client.open()
    names, params = [], {}
    while True:
        page = client.ask("tools/list", params)["result"]
        assert len(page["tools"]) <= 3
        names += [tool["name"] for tool in page["tools"]]
        if "nextCursor" not in page:
            break
        params = {"cursor": page["nextCursor"]}
    assert len(names) == len(set(names)) > 9
    for wrong in ("3", params["cursor"][:-1], forged(params["cursor"], 1), 5):
        assert client.ask("tools/list", {"cursor": wrong})["error"]["code"] == -32602
    assert client.ask("prompts/list", params)["error"]["code"] == -32602, "a cursor of another list"
    assert client.close() == 0


def test_subscribers_hear_of_changes(client):
    assert client.ask("resources/subscribe", {"uri": "aisbx://boxes"})["result"] == {}
    assert client.ask("resources/subscribe", {"uri": "aisbx://nothing"})["error"]["code"] == -32002
    client.tool("sandbox_create", {})
    assert client.notification("notifications/resources/updated")["params"]["uri"] == "aisbx://boxes"
    client.notification("notifications/resources/list_changed")
    assert client.ask("resources/unsubscribe", {"uri": "aisbx://boxes"})["result"] == {}
    client.others.clear()
    client.tool("sandbox_create", {})
    assert [m for m in client.others if m["method"] == "notifications/resources/updated"] == []


def test_versions_and_methods_that_are_not_there(place):
    client = talk.Stdio(place)
    assert client.ask("tools/list")["error"]["code"] == -32600
    assert client.ask("initialize", {})["error"]["code"] == -32602
    assert client.open(version="1999-01-01")["protocolVersion"] == "2025-11-25"
    assert client.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})["error"]["code"] == -32600
    wrong = client.ask("tool/list")
    assert wrong["error"]["code"] == -32601 and "tools/list" in wrong["error"]["message"]
    future = client.ask("server/discover", {"_meta": {**talk.meta(), talk.META + "protocolVersion": "2099-01-01"}})
    assert future["error"]["code"] == -32022 and future["error"]["data"]["supported"] == [talk.MODERN]
    for message in ([], {"id": None, "method": "ping"}, {"id": 1.5, "method": "ping"}, {"id": 1, "method": "ping", "params": []}):
        line = message if isinstance(message, list) else {"jsonrpc": "2.0", **message}
        client.process.stdin.write(json.dumps(line).encode() + b"\n")
        client.process.stdin.flush()
        assert client.take(lambda m: "error" in m)["error"]["code"] == -32600
    assert client.close() == 0


@pytest.mark.parametrize("version, links", [("2024-11-05", False), ("2025-03-26", False), ("2025-06-18", True)])
def test_older_clients_get_no_links_they_do_not_know(place, version, links):
    client = talk.Stdio(place)
    assert client.open(version)["protocolVersion"] == version
    result = client.tool("sandbox_run", {"command": "head -c 3000000 /dev/zero | tr '\\0' x"})
    kinds = {part["type"] for part in result["content"]}
    assert ("resource_link" in kinds) == links, kinds
    assert len(json.dumps(result)) < 1 << 21
    assert client.close() == 0


# ---- over HTTP ----

def test_sessions_do_not_see_each_other(place):
    (place / "tokens").write_text("one 0123456789abcdef0123456789abcdef\ntwo fedcba9876543210fedcba9876543210\n")
    os.chmod(place / "tokens", 0o600)
    one, two = ({"Authorization": "Bearer " + t} for t in ("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"))
    with talk.Server(place, "--token-file", str(place / "tokens")) as server:
        a, b = talk.Session(server, headers=one), talk.Session(server, headers=one)
        made = a.ask("tools/call", {"name": "sandbox_create", "arguments": {}})["result"]["structuredContent"]["id"]
        diff = {"name": "sandbox_diff", "arguments": {"box": made}}
        assert a.ask("tools/call", diff)["result"]["isError"] is False
        assert b.ask("tools/call", diff)["result"]["isError"] is True
        assert made not in json.dumps(b.ask("tools/call", {"name": "sandbox_list"}))
        assert server.request("POST", {"id": 1, "method": "ping"}, {**a.headers, **two})[1].status == 404
        assert server.request("DELETE", headers={**a.headers, **two})[1].status == 404
        # Without sessions a box belongs to the token.
        def create_and_look(*tokens):
            box = server.ask("tools/call", {"name": "sandbox_create", "arguments": {}}, headers=tokens[0])
            look = {"name": "sandbox_diff", "arguments": {"box": box["result"]["structuredContent"]["id"]}}
            return [server.ask("tools/call", look, headers=token)["result"]["isError"] for token in tokens]
        assert create_and_look(one, one, two) == [False, False, True]


def test_sessions_end(place):
    with talk.Server(place, "--no-token") as server:
        session = talk.Session(server)
        connection, response = session.begin("tools/call", {**sleeper(), "_meta": {"progressToken": 1}})
        stream = talk.events(response)
        while not next(stream)[1]:
            pass
        assert len(talk.runs(place)) == 1
        assert server.request("DELETE", headers=session.headers)[1].status == 204
        assert [data for _, data in stream if data and "id" in data] == []
        talk.until(lambda: talk.runs(place) == [], "the run goes on")
        connection.close()
        assert session.post({"id": 5, "method": "ping"})[1].status == 404
        assert server.request("POST", {"id": 5, "method": "ping"})[1].status == 400
        assert server.request("GET")[1].status == 405


def test_who_hangs_up_cancels_a_request_that_stands_for_itself(place):
    with talk.Server(place, "--no-token") as server:
        connection, response = server.modern("tools/call", sleeper(), progressToken=1)
        next(talk.events(response))
        assert len(talk.runs(place)) == 1
        response.close()
        connection.close()
        talk.until(lambda: talk.runs(place) == [], "the run goes on")


@pytest.mark.parametrize("when", ["while it runs", "after its end"])
def test_a_session_goes_on_where_it_was_cut_off(place, when):
    with talk.Server(place, "--no-token") as server:
        session = talk.Session(server)
        connection, response = session.begin("tools/call", {**sleeper(2), "_meta": {"progressToken": 1}})
        for ident, data in talk.events(response):
            if data:
                break
        response.close()
        connection.close()
        if when == "after its end":
            talk.until(lambda: talk.runs(place) == [], "the run goes on")
        again, response = server.request("GET", headers={**session.headers, "Last-Event-ID": ident})
        came = list(talk.events(response))
        assert "ended" in text(came[-1][1]["result"]), came
        assert ident not in [i for i, _ in came], "what had come is not sent twice"
        again.close()


def test_streams_of_changes(place):
    with talk.Server(place, "--no-token") as server:
        connection, response = server.modern("subscriptions/listen", {"notifications": {
            "resourcesListChanged": True, "toolsListChanged": True, "resourceSubscriptions": ["aisbx://boxes", "aisbx://none"]}}, ident="l")
        stream = talk.events(response)
        first = next(stream)[1]
        assert first["method"] == "notifications/subscriptions/acknowledged"
        assert first["params"]["notifications"] == {"resourcesListChanged": True, "resourceSubscriptions": ["aisbx://boxes"]}
        server.ask("tools/call", {"name": "sandbox_create", "arguments": {}})
        came = [next(stream)[1], next(stream)[1]]
        assert {m["method"] for m in came} == {"notifications/resources/updated", "notifications/resources/list_changed"}
        assert {m["params"]["_meta"][talk.META + "subscriptionId"] for m in (first, *came)} == {"l"}
        connection.close()


def test_headers_that_contradict_the_body(place):
    with talk.Server(place, "--no-token") as server:
        for headers in ({"Mcp-Method": "tools/call"}, {"MCP-Protocol-Version": "2025-11-25"}, {"Mcp-Method": "TOOLS/LIST"}):
            _, response = server.modern("tools/list", headers=headers)
            assert response.status == 400 and json.loads(response.read())["error"]["code"] == -32020
        _, response = server.modern("prompts/get", {"name": "safe-change"}, headers={"Mcp-Name": "=?base64?c2FmZS1jaGFuZ2U=?="})
        assert response.status == 400 and "task" in json.loads(response.read())["error"]["message"], "the argument is missing, not the header"


def test_a_server_that_is_ended_lets_go_of_everything(place):
    with talk.Server(place, "--no-token") as server:
        session = talk.Session(server)
        _, response = session.begin("tools/call", {**sleeper(), "_meta": {"progressToken": 1}})
        while not next(talk.events(response))[1]:
            pass
        _, standing = server.request("GET", headers=session.headers)
        _, listen = server.modern("subscriptions/listen", {"notifications": {}})
        stream = talk.events(listen)
        next(stream)
    assert next(stream)[1]["result"]["_meta"][talk.META + "subscriptionId"] == 1, "who listens is told of the end"
    assert standing.status == 200
    assert talk.runs(place) == []
