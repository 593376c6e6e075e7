# SPDX-License-Identifier: Apache-2.0
"""More calls at once than can run: they wait for their turn; and what is beyond the bound is told when to come back. In both eras."""
import json
import os

import pytest

import talk

WAIT_FOR = "sandbox_wait"


@pytest.fixture(name="place")
def _place(tmp_path):
    for name in ("project", "state"):
        (tmp_path / name).mkdir()
    return tmp_path


def sleeper(ask):
    """A run that goes on, by its id."""
    said = ask("tools/call", {"name": "sandbox_run", "arguments": {"command": "sleep 1000", "detach": True}})
    return said["result"]["structuredContent"]["run"]


def modern(client, method, params):
    return client.begin(method, {**params, "_meta": talk.meta()})


@pytest.mark.parametrize("era", ["2025-11-25", talk.MODERN])
def test_a_thousand_calls_are_answered(place, era):
    client = talk.Stdio(place)
    if era != talk.MODERN:
        client.open()
    begin = client.begin if era != talk.MODERN else lambda m, p: modern(client, m, p)
    ids = [begin("tools/call", {"name": "sandbox_list", "arguments": {}}) for _ in range(1000)]
    came = [client.take(lambda m: "id" in m) for _ in ids]
    assert sorted(m["id"] for m in came) == ids and all(m["result"]["isError"] is False for m in came)
    assert client.close() == 0


def test_beyond_the_bound(place):
    """It is told beforehand; who waits is cancelled at once, and who goes takes all of it along."""
    client = talk.Stdio(place)
    bound = client.open()["capabilities"]["experimental"]["aisbx/limits"]
    assert bound == {"requests": 4096, "calls": 128, "waiting_bytes": 64 << 20}
    told = client.ask("server/discover", {"_meta": talk.meta()})["result"]["capabilities"]["experimental"]["aisbx/limits"]
    assert told == bound
    run = sleeper(client.ask)
    ids = [client.begin("tools/call", {"name": WAIT_FOR, "arguments": {"run": run}}) for _ in range(bound["requests"])]
    error = client.ask("tools/call", {"name": "sandbox_list", "arguments": {}})["error"]
    assert error["data"]["kind"] == "limit" and 50 <= error["data"]["retry_after_ms"] <= 30000
    assert f"try again in {error['data']['retry_after_ms']} ms" in error["message"]
    client.notify("notifications/cancelled", {"requestId": ids[-1]})
    assert "result" in client.ask("ping"), "there is room for one again"
    assert client.close() == 0
    assert not client.others, "nobody was answered meanwhile"
    assert talk.runs(place)[0]["run"] == run
    talk.subprocess.run([talk.box.aisbx(), "kill", run], env={**os.environ, "XDG_STATE_HOME": str(place / "state")}, check=True)


def fill(begin, run):
    """All places of a session are taken."""
    return [begin("tools/call", {"name": WAIT_FOR, "arguments": {"run": run}}) for _ in range(128)]


@pytest.mark.parametrize("door", ["stdio", "http"])
def test_whose_turn_does_not_come(place, door):
    """It is answered before its client gives up, and did not run; what ends others finds a place."""
    command = {"name": "sandbox_run", "arguments": {"command": "echo >ran"}}
    if door == "stdio":
        client = talk.Stdio(place, "--answer-within", "1s")
        client.open()
        run = sleeper(client.ask)
        ids = fill(client.begin, run)
        error = client.ask("tools/call", command)["error"]
        assert client.tool("sandbox_kill", {"runs": [run]})["isError"] is False
        assert [client.answer(ident)["result"]["structuredContent"]["status"] for ident in ids] == ["interrupted"] * 128
        assert client.close() == 0
    else:
        with talk.Server(place, "--no-token", "--answer-within", "1s") as server:
            run = sleeper(server.ask)
            open_ones = fill(lambda method, params: _begin(server, params), run)
            connection, response = server.modern("tools/call", command)
            error = talk.last(response)["error"]
            assert response.status == 503 and int(response.getheader("Retry-After")) >= 1
            assert server.ask("tools/call", {"name": "sandbox_kill", "arguments": {"runs": [run]}})["result"]["isError"] is False
            for one in (connection, *open_ones):
                one.close()
    assert error["data"]["kind"] == "limit" and error["data"]["retry_after_ms"] >= 50 and "did not start" in error["message"]
    assert not (place / "project" / "ran").exists() and talk.runs(place) == []


def _begin(server, params):
    """Sent; the answer is for nobody."""
    connection = talk.http.client.HTTPConnection(server.address, timeout=talk.WAIT)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**params, "_meta": talk.meta()}})
    connection.request("POST", "/mcp", body, {"Accept": "application/json, text/event-stream", "Content-Type": "application/json",
                                              "MCP-Protocol-Version": talk.MODERN, "Mcp-Method": "tools/call", "Mcp-Name": params["name"]})
    return connection


def test_a_rate_for_each_token(place):
    """Requests beyond it are refused with the time to come back; others and the health of the server are not concerned."""
    (place / "tokens").write_text("one 0123456789abcdef0123456789abcdef\ntwo fedcba9876543210fedcba9876543210 2/h\n")
    os.chmod(place / "tokens", 0o600)
    one, two = ({"Authorization": "Bearer " + t} for t in ("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"))
    with talk.Server(place, "--token-file", str(place / "tokens"), "--rate", "4/m") as server:
        for headers, allowed, wait in ((two, 2, 1800), (one, 4, 15)):
            for _ in range(allowed):
                assert server.modern("tools/list", headers=headers)[1].status == 200
            response = server.modern("tools/list", headers=headers)[1]
            data = json.loads(response.read())["error"]["data"]
            assert response.status == 429 and data["kind"] == "limit"
            assert wait * 900 < data["retry_after_ms"] <= wait * 1000 and int(response.getheader("Retry-After")) * 1000 >= data["retry_after_ms"]
        (place / "tokens").write_text("two fedcba9876543210fedcba9876543210 2/h\n\none 0123456789abcdef0123456789abcdef\n")
        assert server.modern("tools/list", headers=two)[1].status == 429, "a changed file forgives nothing"
        connection = talk.http.client.HTTPConnection(server.address, timeout=talk.WAIT)
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200


@pytest.mark.parametrize("rate", ["0", "ten", "1/d"])
def test_what_is_no_rate(place, rate):
    done = talk.subprocess.run([talk.box.aisbx(), "serve", "--listen", "127.0.0.1:0", "--rate", rate], cwd=place / "project",
                               env={**os.environ, "XDG_STATE_HOME": str(place / "state")}, stderr=talk.subprocess.PIPE, check=False)
    assert done.returncode == 125 and b"10/s" in done.stderr
