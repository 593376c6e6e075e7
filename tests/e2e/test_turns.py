# SPDX-License-Identifier: Apache-2.0
"""More runs than queue.yaml allows, or than there is memory for, wait their turn: fairly, seen by all, and nobody for one that is gone.

Runs as root and as an ordinary user.
"""
import json
import os
import signal
import time

import pytest

import mcp_raw
import pace
from box import wait_until
from runs import State

# Everybody who is under way has a file; how many there were is written down by each.
COUNTED = 'f=$(mktemp -p "$0"); ls "$0" | wc -l; sleep 0.2; rm "$f"'


class Queue(State):
    def __init__(self, root):
        super().__init__(root)
        self.env.pop("XDG_CONFIG_HOME", None)
        self.settings = root / "home/.config/aisbx/queue.yaml"
        self.settings.parent.mkdir(parents=True)

    def says(self, text):
        self.settings.write_text(text)

    def run(self, *words, of_another=False):
        """A run that is started. OF_ANOTHER: who starts it has a session of its own."""
        return self.start("run", "--json", *words, start_new_session=of_another)

    def hold(self, **kw):
        """One that has its turn, until it is killed."""
        p = self.run("--", "sleep", "1000", **kw)
        wait_until(lambda: self.of(p.pid).get("state") == "running", 30, "a run that is under way")
        return p

    def of(self, pid):
        return next((r for r in self.ps().values() if r["pid"] == pid), {})

    def waits(self, p):
        wait_until(lambda: self.of(p.pid).get("state") == "waiting", 30, "a run that waits")
        return self.of(p.pid)["run"]


def ended(p, timeout=60):
    out, err = p.communicate(timeout=timeout)
    return p.returncode, json.loads(out), err


@pytest.fixture(name="at")
def fixture_at(tmp_path):
    made = Queue(tmp_path)
    yield made
    made.finish()
    live = made.state / "live"
    assert not live.exists() or os.listdir(live) == [], "sockets of runs that are gone"


def test_never_more_at_once(at, tmp_path):
    at.says("at_once: 3\n")
    holders = [at.hold() for _ in range(3)]
    (tmp_path / "seen").mkdir()
    started = [at.run("--rw", tmp_path / "seen", "--", "sh", "-c", COUNTED, tmp_path / "seen") for _ in range(16)]
    for p in started:
        at.waits(p)
    for p in holders:
        p.send_signal(signal.SIGTERM)
    results = [ended(p) for p in started]
    assert all(status == 0 for status, _, _ in results), results
    assert max(int(r["stdout"]) for _, r, _ in results) <= 3
    assert all(r["usage"]["queued_ms"] > 0 for _, r, _ in results)
    assert "queued_ms" not in at.ok("run", "--", "true")["usage"]


def test_who_comes_with_one_is_next(at, tmp_path):
    """Another has sixteen waiting."""
    at.says("at_once: 1\n")
    first = at.hold()
    order = tmp_path / "order"
    order.touch()
    many = [at.run("--rw", order, "--", "sh", "-c", f"echo many >> {order}") for _ in range(16)]
    for p in many:
        at.waits(p)
    one = at.run("--rw", order, "--", "sh", "-c", f"echo one >> {order}", of_another=True)
    at.waits(one)
    first.kill()
    assert [ended(p)[0] for p in (one, *many)] == [0] * 17
    assert order.read_text() == "one\n" + "many\n" * 16


def test_of_one_caller(at):
    at.says("of_one_caller: 1\n")
    holder = at.hold()
    mine = at.run("--", "true")
    at.waits(mine)
    assert ended(at.run("--", "true", of_another=True))[0] == 0
    assert mine.poll() is None
    holder.send_signal(signal.SIGTERM)
    assert ended(mine)[0] == 0


def test_agents_are_callers(at, monkeypatch):
    """Whoever's session of the terminal their servers have."""
    at.says("of_one_caller: 1\n")
    at.hold()
    monkeypatch.setenv("HOME", at.env["HOME"])
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    with mcp_raw.Stdio(at.project, at.state.parent, "--owner", "a") as one, mcp_raw.Stdio(at.project, at.state.parent, "--owner", "b") as other:
        first = one.begin_tool("sandbox_run", {"command": "sleep 2000"})
        wait_until(lambda: len(at.ps()) == 2, 30, "a run of one agent")
        second = one.begin_tool("sandbox_run", {"command": "echo second"})
        wait_until(lambda: [r["state"] for r in at.ps().values()].count("waiting") == 1, 30, "a run that waits")
        failed, text = other.tool("sandbox_run", command="echo other")
        assert not failed and "other" in text
        at.ok("kill", next(r["run"] for r in at.ps().values() if "sleep 2000" in r["command"]), timeout=60)
        assert "second" in str([one.take(first, second), one.take(first, second)])


def test_an_agent_is_answered_while_its_run_waits(at, monkeypatch):
    at.says("at_once: 1\n")
    holder = at.hold()
    monkeypatch.setenv("HOME", at.env["HOME"])
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    with mcp_raw.Stdio(at.project, at.state.parent, "--owner", "a", "--answer-within", "1s") as agent:
        answer = agent.take(agent.begin_tool("sandbox_run", {"command": "echo hi"}))["result"]["structuredContent"]
        assert answer["status"] == "running" and at.ps()[answer["run"]]["state"] == "waiting"
        holder.send_signal(signal.SIGTERM)
        failed, text = agent.tool("sandbox_wait", run=answer["run"])
        assert not failed and "hi" in text


def test_a_minute(at):
    at.says("a_minute: 3\nlongest_wait: 1s\n")
    for _ in range(3):
        at.ok("run", "--", "true")
    began = time.monotonic()
    text = at.refused("EBUSY", "run", "--", "true")
    assert "a_minute 3" in text and time.monotonic() - began >= 1
    at.says("a_minute: 120\n")
    assert at.ok("run", "--", "true")["status"] == "ok"


def test_who_waits_too_long_is_refused(at):
    at.says("at_once: 1\nlongest_wait: 1s\n")
    at.hold()
    assert "at_once" in at.refused("EBUSY", "run", "--", "touch", at.project / "made")
    assert os.listdir(at.project) == []
    assert len(at.ps()) == 1


@pytest.mark.parametrize("sig", [signal.SIGKILL, signal.SIGTERM])
def test_the_turn_of_one_that_is_gone(at, sig):
    at.says("at_once: 1\n")
    holder = at.hold()
    waiting = at.run("--", "true")
    at.waits(waiting)
    holder.send_signal(sig)
    began = time.monotonic()
    assert ended(waiting)[0] == 0
    assert time.monotonic() - began < pace.seconds(5)


def test_one_that_waits_is_killed(at):
    """The oldest, who looks for all others."""
    at.says("at_once: 1\n")
    holder = at.hold()
    waiting = [at.run("--", "true") for _ in range(3)]
    for p in waiting:
        at.waits(p)
    waiting[0].kill()
    waiting[0].wait()
    holder.kill()
    assert [ended(p)[0] for p in waiting[1:]] == [0, 0]


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_wait(at, sig):
    at.says("at_once: 1\n")
    at.hold()
    waiting = at.run("--", "touch", at.project / "made")
    at.waits(waiting)
    waiting.send_signal(sig)
    status, result, _ = ended(waiting)
    assert status == 125 and result["error"]["code"] == "ECANCELED" and "nothing was run" in result["error"]["text"]
    assert os.listdir(at.project) == []


def test_kill_ends_the_wait(at):
    at.says("at_once: 1\n")
    at.hold()
    waiting = at.run("--", "true")
    run = at.waits(waiting)
    at.call("kill", run)
    assert ended(waiting)[1]["error"]["code"] == "ECANCELED"
    assert run not in at.ps()


def test_detached(at):
    at.says("at_once: 1\n")
    holder = at.hold()
    later = at.start("run", "--detach", "--json", "--", "echo", "hi")
    wait_until(lambda: any(r["state"] == "waiting" for r in at.ps().values()), 30, "a run that waits")
    holder.send_signal(signal.SIGTERM)
    run = ended(later)[1]["run"]
    assert at.wait(run)[0] == 0 and at.logs(run) == b"hi\n"


def test_a_person_is_told(at):
    at.says("at_once: 1\n")
    holder = at.hold()
    waiting = at.start("run", "--", "echo", "done")
    at.waits(waiting)
    assert waiting.stderr.readline() == b"aisbx: waits for its turn: 1 under way, as many as may be at once (at_once)\n"
    holder.send_signal(signal.SIGTERM)
    assert waiting.communicate(timeout=60) == (b"done\n", b"")


def test_a_command_that_joins_a_box_needs_none(at):
    """Its box has one, and may wait for this very command."""
    at.ok("create", "b")
    at.says("at_once: 1\n")
    run = at.sh("sleep 1000", options=["--box", "b"])
    assert at.ok("exec", "b", "--", "echo", "in")["stdout"] == "in\n"
    assert at.ok("run", "--box", "b", "--", "echo", "too")["stdout"] == "too\n"
    at.ok("kill", run)


def test_files_are_read_while_runs_wait(at):
    at.ok("create", "b")
    at.ok("run", "--box", "b", "--", "sh", "-c", f"echo x > {at.project}/made")
    at.says("at_once: 1\n")
    at.hold()
    assert at.ok("file read", "b", "made")["content"] == "x\n"


def test_limits_are_read_at_each_run(at):
    at.says("at_once: 1\n")
    holder = at.hold()
    waiting = at.run("--", "true")
    at.waits(waiting)
    at.says("at_once: 3\n")
    assert at.ok("run", "--", "true")["status"] == "ok"
    assert ended(waiting)[0] == 0 and holder.poll() is None


@pytest.mark.parametrize("text", ["at_once: many\n", "at_onse: 3\n", "[\n"])
def test_a_mistake_in_the_file(at, text):
    at.says(text)
    assert f"{at.settings}:" in at.refused("EINVAL", "run", "--", "true")


def test_shown(at):
    at.says("at_once: 1\n")
    assert at.ok("config explain", "queue")["values"][0]["value"] == str(at.settings)


def test_a_damaged_table(at):
    at.says("at_once: 1\n")
    at.ok("run", "--", "true")
    table = at.state / "turns"
    for content in (b"", b"\xff" * 100, b"\xff" * 200000, os.urandom(70000)):
        table.write_bytes(content)
        assert at.ok("run", "--", "true")["status"] == "ok"


def test_a_table_that_is_no_file(at):
    """Nobody can count, so with limits nothing runs; without them everything does."""
    at.ok("run", "--", "true")
    table = at.state / "turns"
    table.unlink()
    table.mkdir()
    assert at.ok("run", "--", "true")["status"] == "ok"
    at.says("at_once: 1\n")
    assert str(table) in at.refused("EISDIR", "run", "--", "true")
    table.rmdir()


def test_a_stopped_one_stops_nobody(at):
    at.says("at_once: 1\n")
    holder = at.hold()
    stopped = at.run("--", "true")
    at.waits(stopped)
    stopped.send_signal(signal.SIGSTOP)
    other = at.run("--", "true", of_another=True)
    wait_until(lambda: at.of(other.pid).get("state") == "waiting", 30, "a run that waits")
    holder.send_signal(signal.SIGTERM)
    holder.wait(timeout=60)
    # It has its turn, and does nothing with it; then it ends.
    stopped.kill()
    stopped.wait()
    assert ended(other)[0] == 0


def test_without_memory(at):
    """More must be free than any machine has: only who is alone runs, whom nobody can make room for."""
    at.says("free_memory: 100000g\n")
    assert at.ok("run", "--", "true")["status"] == "ok"
    holder = at.hold()
    waiting = at.start("run", "--", "true")
    at.waits(waiting)
    assert b"MiB of memory are free of the 102400000 that another run must find (free_memory)" in waiting.stderr.readline()
    holder.send_signal(signal.SIGTERM)
    assert waiting.wait(timeout=60) == 0
