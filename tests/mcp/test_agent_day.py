# SPDX-License-Identifier: Apache-2.0
"""An agent's day: a scripted client without a model plays five tasks of about 80 tool calls, over stdio and HTTP, in both eras. The
server is killed and started again, calls are cancelled, output floods, many sessions come at once. Of every answer: it is as its schema
says, nothing over 24 KiB arrives, and no text speaks of options; of all of it: nothing is left when the day is over.

AISBX_LONG=1: 100 sessions at once instead of 8.
"""
import base64
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import threading

import box
import jsonschema
import pytest
import talk

MOST = 24 << 10
SESSIONS = 100 if os.environ.get("AISBX_LONG") else 8
MARK = f"1003.{os.getpid()}"  # in no other command of this machine
OPTION = re.compile(r"(?:^|[\s'`\"(])--[a-z]")
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
CALC = "def add(a, b):\n    return a - b\n"
TESTS = "import unittest\nimport calc\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n"


def check(result, schema):
    """What is true of every answer."""
    beside = {**result, "content": [c for c in result["content"] if c["type"] != "image"]}
    wire = json.dumps(beside, separators=(",", ":"), ensure_ascii=False).encode()
    assert len(wire) <= MOST, len(wire)
    jsonschema.validate(result["structuredContent"], schema)
    for text in [c["text"] for c in result["content"] if c["type"] == "text"] + [result["structuredContent"].get("error") or "-"]:
        assert text and not OPTION.search(text.replace("diff --git ", "")), text
        assert not re.search(r"['`]aisbx [a-z]", text) or "person" in text or "terminal" in text, text
    return result


class Pipe:
    """Standard input and output; a named owner comes back after a restart."""

    def __init__(self, place, modern):
        self.place, self.extra = place, {"_meta": talk.meta()} if modern else {}
        self.modern = modern
        self.start()

    def start(self):
        self.client = talk.Stdio(self.place, "--owner", "day")
        if not self.modern:
            self.client.open()

    def ask(self, method, **params):
        return self.client.ask(method, {**params, **self.extra})

    def begin(self, name, arguments):
        return self.client.begin("tools/call", {"name": name, "arguments": arguments, **self.extra})

    def end(self, ident):
        return self.client.answer(ident)

    def cancel(self, ident):
        self.client.notify("notifications/cancelled", {"requestId": ident, **self.extra})

    def kill(self):
        self.client.process.kill()
        self.client.process.wait()
        self.client.process.stdin.close()

    def stop(self):
        assert self.client.close() == 0


class Port:
    """HTTP: a session, or requests that stand for themselves."""

    def __init__(self, place, modern):
        self.place, self.modern = place, modern
        self.start()

    def start(self):
        self.server = talk.Server(self.place, "--no-token", "--share")
        self.session = None if self.modern else talk.Session(self.server)
        self.number = 0

    def ask(self, method, **params):
        return self.server.ask(method, params) if self.modern else self.session.ask(method, params)

    def begin(self, name, arguments):
        """Each call on a connection of its own, and all at once."""
        self.number += 1
        params, number = {"name": name, "arguments": arguments}, self.number
        if self.modern:
            open_call = lambda: self.server.modern("tools/call", params, ident=number)
        else:
            self.session.last += 1
            message = {"id": self.session.last, "method": "tools/call", "params": params}
            open_call = lambda: self.session.post(message)
        call = {"id": self.session.last if self.session else number, "answer": None}

        def run():
            try:
                call["connection"], response = open_call()
                call["answer"] = talk.last(response)
            except (OSError, ValueError, IndexError):  # it was cancelled, or the server is gone
                pass

        call["thread"] = threading.Thread(target=run, daemon=True)
        call["thread"].start()
        return call

    def end(self, call):
        call["thread"].join(talk.WAIT)
        return call["answer"]

    def cancel(self, call):
        if self.session:
            self.session.post({"method": "notifications/cancelled", "params": {"requestId": call["id"]}})
        else:
            box.wait_until(lambda: "connection" in call or not call["thread"].is_alive(), 60, "a stream")
            call["connection"].sock.shutdown(2)

    def kill(self):
        self.server.process.kill()
        self.server.process.wait()
        self.server.process.stdout.close()
        self.server.log.close()

    def stop(self):
        self.server.__exit__(None, None, None)


class Day:
    def __init__(self, place, door):
        self.place, self.door, self.calls, self.project = place, door, 0, place / "project"
        self.learn()

    def learn(self):
        self.schemas = {t["name"]: t["outputSchema"] for t in self.door.ask("tools/list")["result"]["tools"]}

    def take(self, name, answer, wrong):
        self.calls += 1
        assert "result" in answer, (name, answer)
        result = check(answer["result"], self.schemas[name])
        assert result.get("isError", False) == wrong, (name, result)
        self.blocks = result["content"]
        return {**result["structuredContent"], "said": result["content"][0]["text"]}

    def call(self, tool, wrong=False, **arguments):
        return self.take(tool, self.door.end(self.door.begin(tool, arguments)), wrong)

    def at_once(self, *calls):
        begun = [(tool, self.door.begin(tool, arguments)) for tool, arguments in calls]
        return [self.take(tool, self.door.end(call), False) for tool, call in begun]

    def uri(self):
        return next(c["uri"] for c in self.blocks if c["type"] == "resource_link")

    def read(self, uri):
        return self.door.ask("resources/read", uri=uri)["result"]["contents"][0]

    # The tasks.

    def fix_a_bug(self):
        self.call("sandbox_list_files", wrong=True, box="fix")
        assert self.call("sandbox_intent", intent="test")["exit_code"] == 1
        self.call("sandbox_create", name="fix")
        assert "there already is" in self.call("sandbox_create", wrong=True, name="fix")["said"]
        assert {"calc.py", "test_calc.py"} <= {e["path"] for e in self.call("sandbox_list_files", box="fix")["entries"]}
        assert self.call("sandbox_read_file", box="fix", path="calc.py")["content"] == CALC
        self.call("sandbox_snapshot", box="fix", name="before")
        self.call("sandbox_write_file", wrong=True, box="fix", path="calc.py", replace="a * b", **{"with": "a + b"})
        self.call("sandbox_write_file", box="fix", path="calc.py", replace="a - b", **{"with": "a + b  # fixed"})
        assert not self.call("sandbox_gate", box="fix", checks=["test", "changes > 1"])["passed"]
        tried = self.call("sandbox_intent", intent="test", box="fix", tests=["grep -q fixed calc.py"], gates=["changes == 1"])
        assert tried["exit_code"] == 0 and tried["gate"]["passed"], tried
        assert "+    return a + b  # fixed" in self.call("sandbox_diff", box="fix")["patch"]
        self.call("sandbox_rollback", wrong=True, box="fix", snapshot="never")
        made = self.call("sandbox_commit", box="fix", message="calc: add adds")
        assert [f["path"] for f in made["files"]] == ["calc.py"], made
        assert not self.call("sandbox_promote", box="fix", dry_run=True)["applied"]
        assert "a - b" in (self.project / "calc.py").read_text()
        done = self.call("sandbox_promote", box="fix")
        assert done["applied"] and "a + b" in (self.project / "calc.py").read_text(), done
        self.call("sandbox_remove", boxes=["fix"])
        return done["promotion"]

    def try_ideas(self):
        self.call("sandbox_create", name="idea")
        self.call("sandbox_snapshot", box="idea", name="s")
        names = [b["name"] for b in self.call("sandbox_fork", **{"from": "idea@s", "count": 3, "name": "i"})["boxes"]]
        ran = self.at_once(*(("sandbox_run", {"box": n, "command": f"echo {n} > idea.txt; cat idea.txt"}) for n in names))
        assert [r["stdout"] for r in ran] == [n + "\n" for n in names]
        assert "idea.txt" in self.call("sandbox_diff", box=names[0], other=names[1])["patch"]
        won = self.call("sandbox_experiment", branches=["echo 1 > x", "false"], test="test -e x", box="idea@s")
        assert won["winner"], won
        self.call("sandbox_write_file", box="i-1", path=".vscode/tasks.json", content='{"tasks": [{"runOptions": {"runOn": "folderOpen"}}]}')
        stopped = self.call("sandbox_promote", wrong=True, box="i-1")
        assert "only the person can promote it" in stopped["said"] and not (self.project / ".vscode").exists(), stopped
        done = self.call("sandbox_promote", box="i-2", paths=["idea.txt"])
        assert (self.project / "idea.txt").read_text() == "i-2\n"
        self.call("sandbox_undo", promotion=done["promotion"])
        assert not (self.project / "idea.txt").exists()
        self.call("sandbox_undo", wrong=True, promotion=done["promotion"])
        assert len(self.call("sandbox_list")["boxes"]) == 5
        self.call("sandbox_remove", boxes=[*names, "idea", won["box"]])

    def look_at_data(self):
        assert self.call("sandbox_run_code", lang="python", code="print(6 * 7)")["stdout"] == "42\n"
        assert "ValueError: no" in self.call("sandbox_run_code", lang="python", code="raise ValueError('no')")["said"]
        self.call("sandbox_run_code", lang="shell", code="seq 1 400000")
        self.call("sandbox_create", name="data")
        flood = self.call("sandbox_run", box="data", command="seq 1 400000; seq 1 400000 >&2")
        assert flood["truncated"]["stdout"] > 1000000 and self.read(self.uri())["text"].endswith("\n400000\n")
        self.call("sandbox_run", box="data", command="mkdir many; cd many; seq 1 3000 | xargs touch")
        many = self.call("sandbox_list_files", box="data", path="many")
        assert many["not_shown"]["entries"] > 1000 or many["more"], many.keys()
        self.call("sandbox_diff", box="data")
        self.call("sandbox_write_file", box="data", path="dot.b64", content=DOT)
        self.call("sandbox_run", box="data", command="base64 -d dot.b64 > dot.png")
        self.call("sandbox_read_file", box="data", path="dot.png")
        assert self.blocks[1] == {"type": "image", "mimeType": "image/png", "data": DOT}
        saved = self.call("sandbox_save_artifact", box="data", path="dot.png", name="dot")
        self.call("sandbox_remove", boxes=["data"])
        assert base64.b64decode(self.read(f"aisbx://artifacts/{saved['id']}")["blob"]) == base64.b64decode(DOT)

    def follow_a_plan(self):
        self.call("sandbox_create", name="plan")
        plan = self.call("sandbox_plan", goal="make it", step=["echo one > made", "test -e other", "test", "cat made"], box="plan")["plan"]
        assert self.call("sandbox_step", plan=plan)["result"]["status"] == "ok"
        assert self.call("sandbox_step", plan=plan)["state"] == "failed"
        stopped = self.call("sandbox_step", wrong=True, plan=plan)["said"]
        assert "'again' repeats it, 'skip' continues without it" in stopped, stopped
        self.call("sandbox_step", plan=plan, again=True)
        self.call("sandbox_run", box="plan", command="touch other")
        self.call("sandbox_step", plan=plan, again=True)
        assert self.call("sandbox_step", plan=plan)["result"]["tests"]["passed"] == 1
        last = self.call("sandbox_step", plan=plan)
        assert last["result"]["stdout"] == "one\n" and last["state"] == "done", last
        self.call("sandbox_step", wrong=True, plan=plan)
        self.call("sandbox_step", wrong=True, plan="plan-none")
        self.call("sandbox_gate", box="plan", checks=["changes < 9"], command=["true"])
        self.call("sandbox_plan", wrong=True, goal="nothing", step=[])
        self.call("sandbox_remove", boxes=["plan"])

    def work_for_long(self):
        self.call("sandbox_create", name="long")
        begun = self.call("sandbox_run", box="long", command="echo one; until [ -e go ]; do sleep 0.02; done; echo two", detach=True)
        assert self.call("sandbox_wait", run=begun["run"], timeout=0.1)["status"] == "running"
        self.call("sandbox_write_file", box="long", path="go", content="")
        assert self.call("sandbox_wait", run=begun["run"])["stdout"] == "one\ntwo\n"
        begun = self.call("sandbox_run", command=["sleep", MARK], detach=True)
        self.call("sandbox_kill", runs=[begun["run"]])
        late = self.call("sandbox_run", command="sleep 10", timeout=0.2)
        assert "'timeout' changes it" in late["said"], late
        cancelled = self.door.begin("sandbox_run", {"box": "long", "command": f"(sleep {MARK} & sleep {MARK}) & sleep {MARK}"})
        box.wait_until(lambda: len(processes()) == 3, 60, "what is to be cancelled")
        self.door.cancel(cancelled)
        box.wait_until(lambda: not processes() and not talk.runs(self.place), 60, "that nothing of it is left")
        self.at_once(*(("sandbox_run", {"box": "long", "command": f"echo {n}"}) for n in range(12)))
        for tool, arguments in (("sandbox_run", {"comand": "ls"}), ("sandbox_run", {"command": "x", "rw": ["/"]}), ("sandbox_diff", {"box": "nobody"}),
                                ("sandbox_read_file", {"box": "long", "path": "none"}), ("sandbox_wait", {"run": "r-none"}), ("sandbox_kill", {"runs": ["r-none"]}),
                                ("sandbox_run_code", {"lang": "python", "code": "1", "context": "c"}), ("sandbox_intent", {"intent": "bench"}),
                                ("sandbox_run", {"command": ["export", "A=1"]}), ("sandbox_fork", {"from": "long@none"}), ("sandbox_gate", {"box": "long", "checks": ["no such thing"]})):
            self.call(tool, wrong=True, **arguments)

    def killed(self):
        """The server dies in the middle of a call; what was made is there when it comes back."""
        self.call("sandbox_write_file", box="long", path="kept", content="kept\n")
        begun = self.door.begin("sandbox_run", {"box": "long", "command": f"sleep {MARK}"})
        box.wait_until(processes, 60, "a run to be interrupted")
        self.door.kill()
        box.wait_until(lambda: not processes(), 60, "its end with its server")
        self.door.start()
        self.learn()
        assert [b["name"].split("/")[-1] for b in self.call("sandbox_list")["boxes"]] == ["long"]
        assert self.call("sandbox_read_file", box="long", path="kept")["content"] == "kept\n"
        return begun


def processes():
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path] if MARK.encode() in path.read_bytes().split(b"\0") else []
        except OSError:
            continue
    return found


def check_nothing_is_left(place):
    """No run, no box, nothing of one on disk, no process; others use this machine, too."""
    def person(*words):
        env = {**os.environ, "XDG_STATE_HOME": str(place / "state")}
        return json.loads(subprocess.run([box.aisbx(), *words, "--json"], env=env, cwd=place, stdout=subprocess.PIPE, check=False).stdout)

    assert not person("ps", "--all")["runs"] and not person("ls", "--all")["boxes"] and not processes()
    found = person("doctor", "--leaks")["leaks"]["found"]
    assert not [line for line in found if str(place) in line or "run r-" in line], found
    layers = list((place / "state").glob("aisbx/layers/*"))
    assert not layers, layers


@pytest.fixture
def place(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "calc.py").write_text(CALC)
    (project / "test_calc.py").write_text(TESTS)
    for words in (["init", "-q", "-b", "main"], ["config", "user.name", "A Person"], ["config", "user.email", "person@example.org"], ["add", "."],
                  ["commit", "-q", "-m", "begin"]):
        subprocess.run(["git", *words], cwd=project, check=True)
    yield tmp_path
    subprocess.run(["chmod", "-R", "u+rwX", str(tmp_path)], check=True)


@pytest.mark.parametrize("era", ["2025-11-25", pytest.param("2026-07-28", marks=pytest.mark.big)])
@pytest.mark.parametrize("kind", [Pipe, Port], ids=["stdio", "http"])
def test_a_day(place, kind, era, tell):
    day = Day(place, kind(place, era == talk.MODERN))
    promotion = day.fix_a_bug()
    day.try_ideas()
    day.look_at_data()
    day.follow_a_plan()
    day.work_for_long()
    day.killed()
    day.call("sandbox_remove", boxes=["long"])
    day.call("sandbox_undo", promotion=promotion)
    assert day.call("sandbox_list")["boxes"] == []
    day.door.stop()
    tell(f"an agent's day over {kind.__name__.lower()}, {era}: {day.calls} tool calls")
    assert day.calls >= 80
    check_nothing_is_left(place)


def test_many_sessions_at_once(place, tell):
    """Each has a box of the same name, sees its own, and leaves none of its runs behind."""
    with talk.Server(place, "--no-token") as server:
        before = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        wrong, all_there = [], threading.Event()

        def unanswered(session):
            """A call that is under way when its session ends."""
            try:
                connection, response = session.begin("tools/call", {"name": "sandbox_run", "arguments": {"command": ["sleep", MARK]}})
                response.read()
                connection.close()
            except (OSError, http.client.HTTPException):
                pass

        def one(number):
            try:
                session = talk.Session(server)
                schemas = {t["name"]: t["outputSchema"] for t in session.ask("tools/list")["result"]["tools"]}

                def call(tool, **arguments):
                    return check(session.ask("tools/call", {"name": tool, "arguments": arguments})["result"], schemas[tool])["structuredContent"]

                call("sandbox_create", name="t1")
                call("sandbox_write_file", box="t1", path="who", content=f"{number}\n")
                assert call("sandbox_run", box="t1", command="cat who; seq 1 20000")["stdout"].startswith(f"{number}\n1\n")
                assert [b["name"] for b in call("sandbox_list")["boxes"]] == ["t1"]
                late = threading.Thread(target=unanswered, args=(session,), daemon=True)
                late.start()
                assert all_there.wait(talk.WAIT)
                assert call("sandbox_remove", boxes=["t1"])["removed"]
                connection, response = server.request("DELETE", headers=session.headers)
                assert response.status in (200, 204), response.status
                connection.close()
                late.join(talk.WAIT)
            except Exception as e:  # pylint: disable=broad-exception-caught
                wrong.append(f"{number}: {type(e).__name__}: {e}")

        threads = [threading.Thread(target=one, args=(n,)) for n in range(SESSIONS)]
        for thread in threads:
            thread.start()
        box.wait_until(lambda: wrong or len(processes()) == SESSIONS, 120, "a run of each session")
        all_there.set()
        for thread in threads:
            thread.join()
        assert not wrong, wrong[:3]
        box.wait_until(lambda: not processes() and not talk.runs(place), 60, "the end of the sessions' runs")
        box.wait_until(lambda: len(os.listdir(f"/proc/{server.process.pid}/fd")) <= before + 2, 60, "the end of their files")
        tell(f"{SESSIONS} sessions at once")
    check_nothing_is_left(place)
