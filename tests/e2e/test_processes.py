# SPDX-License-Identifier: Apache-2.0
"""Commands and terminals that stay, over RPC: their client leaves, another finds them; the size of a terminal."""
import json
import os
import subprocess

import box
import pytest
from box import wait_until


class Server:
    """An `aisbx rpc`, which is one client's."""

    def __init__(self, project, env):
        self.process = subprocess.Popen([box.aisbx(), "rpc"], cwd=project, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0

    def start(self, method, **params):
        self.last += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return self.last

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def call(self, method, **params):
        """The result or the error, and what came before it."""
        number, before = self.start(method, **params), []
        while True:
            message = self.hear()
            if message.get("id") == number:
                return message.get("result") or message["error"], before
            before.append(message)

    def feed(self, method, data, **params):
        number = self.start(method, **params, _stdin=True)
        self.start("rpc.stdin", id=number, data=data, eof=True)
        while True:
            message = self.hear()
            if message.get("id") == number:
                return message.get("result") or message["error"]

    def leave(self):
        self.process.stdin.close()
        assert self.process.wait(60) == 0
        self.process.stdout.close()


@pytest.fixture(name="server")
def fixture_server(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    servers = []

    def make():
        servers.append(Server(project, env))
        return servers[-1]
    yield make
    last = Server(project, env)
    runs = [run["run"] for run in last.call("run.ls")[0]["runs"]]
    if runs:
        last.call("run.kill", runs=runs)
    for one in [*servers, last]:
        if one.process.poll() is None:
            one.leave()


def begun_of(messages):
    return [m["params"]["run"] for m in messages if m.get("method") == "begun"]


def test_a_command_goes_on_when_its_client_leaves(server):
    one = server()
    one.call("box.create", name="b")
    run, before = one.call("run.exec", box="b", detach=True, interactive=True, command=["sh", "-c", "echo first; read x; echo got $x; exit 5"])
    assert begun_of(before) == [run["run"]]
    one.leave()
    two = server()
    assert [r["run"] for r in two.call("run.ls")[0]["runs"]] == [run["run"]]
    follow = two.start("run.logs", run=run["run"], follow=True, _stream=True)
    said = ""
    while "first\n" not in said:  # from the beginning
        said += two.hear()["params"]["data"]
    two.start("run.input", run=run["run"], _stdin=True)
    two.start("rpc.stdin", id=two.last, data="word\n", eof=True)
    ended = False
    while not ended:
        message = two.hear()
        ended = message.get("id") == follow
        said += message["params"]["data"] if message.get("method") == "output" else ""
    assert said == "first\ngot word\n"
    assert two.call("run.wait", run=run["run"])[0]["exit_code"] == 5


def test_what_cannot_be_started_has_not_begun(server):
    one = server()
    run, before = one.call("run.exec", detach=True, command=["no-such-program-at-all"])
    assert not begun_of(before)
    assert one.call("run.wait", run=run["run"])[0]["status"] == "error"


def test_a_terminal_has_a_size(server):
    one = server()
    one.call("box.create", name="b")
    run, _ = one.call("run.exec", box="b", detach=True, tty=True, rows=33, command=["sh", "-c", "stty size >a; read x; stty size >c"])

    def text(path):
        return one.call("file.read", box="b", path=path)[0].get("content")
    wait_until(lambda: text("a") == "33 80\n")
    assert one.call("run.resize", run=run["run"], cols=132)[0] == {"run": run["run"], "rows": 33, "cols": 132}
    assert one.feed("run.input", "x\n", run=run["run"])["bytes"] == 2
    assert one.call("run.wait", run=run["run"])[0]["exit_code"] == 0
    assert text("c") == "33 132\n"
    assert one.call("run.resize", run=run["run"], cols=80)[0]["data"]["kind"] == "not_found"  # it has ended


def test_sizes_that_are_none(server):
    one = server()
    run, _ = one.call("run.exec", detach=True, command=["sleep", "600"])
    assert "no terminal" in one.call("run.resize", run=run["run"], rows=5)[0]["message"]
    for wrong in ({"rows": 0}, {"cols": 4097}, {"rows": 70000}):
        assert "must be 1 to 4096" in one.call("run.resize", run=run["run"], **wrong)[0]["message"]
        assert "must be 1 to 4096" in one.call("run.exec", tty=True, detach=True, command=["true"], **wrong)[0]["message"]
    assert "give --tty" in one.call("run.exec", rows=5, command=["true"])[0]["message"]


def test_runs_of_another_owner_have_no_terminal_to_resize(server):
    one, two = server(), server()
    one.call("rpc.hello", owner="ann")
    two.call("rpc.hello", owner="bob")
    run, _ = one.call("run.exec", detach=True, tty=True, command=["sleep", "600"])
    other = two.call("run.resize", run=run["run"], rows=5)[0]
    none = two.call("run.resize", run="r-0000000000000000", rows=5)[0]
    assert other["data"]["kind"] == none["data"]["kind"] == "not_found"
    assert other["message"].replace(run["run"], "R") == none["message"].replace("r-0000000000000000", "R")
    one.call("run.kill", runs=[run["run"]])
