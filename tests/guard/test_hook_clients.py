# SPDX-License-Identifier: Apache-2.0
"""Each client's own questions and answers, those of clients that run another's hooks, and versions that cannot run another command."""
import json
import os
import shlex

import box
import pytest


def ask(world, agent, question, **env):
    done = world.aisbx("guard", "--hook", agent, input=json.dumps(question), env={**world.env, **env})
    return done.returncode, json.loads(done.stdout) if done.stdout else None


def instead(command, verb="guard"):
    return [box.aisbx(), verb, "--", *(["/bin/bash", "-c"] if verb == "look" else []), command]


def told(answer):
    """The command a refusal says to run."""
    return shlex.split(answer.split("Run this instead: ")[1])


def question(world, tool, given, **more):
    return {"session_id": "s", "cwd": str(world.project), "tool_name": tool, "tool_input": given, "hook_event_name": "PreToolUse", **more}


# Cursor


def cursor(world, event, command, **more):
    common = {"conversation_id": "c", "generation_id": "g", "hook_event_name": event, "cursor_version": "2.4.1", "workspace_roots": [str(world.project)],
              "cwd": str(world.project)}
    if event == "beforeShellExecution":
        return {**common, "command": command, "sandbox": False, **more}
    return {**common, "tool_name": "Shell", "tool_input": {"command": command, "working_directory": str(world.project)}, "tool_use_id": "t", **more}


def test_cursor_rewrites_and_then_looks_at_what_will_run(world):
    """A version that ignores the first answer is stopped by the second."""
    for command, verb in (("git status", "look"), ("touch new", "guard")):
        first = ask(world, "cursor", cursor(world, "preToolUse", command))[1]
        assert first["permission"] == "allow" and first["updated_input"]["working_directory"] == str(world.project)
        assert shlex.split(first["updated_input"]["command"]) == instead(command, verb)
        status, second = ask(world, "cursor", cursor(world, "beforeShellExecution", first["updated_input"]["command"]))
        assert (status, second) == (0, {"permission": "allow"})
        ignored = ask(world, "cursor", cursor(world, "beforeShellExecution", command))[1]
        assert ignored["permission"] == "deny" and told(ignored["agent_message"]) == instead(command, verb) and ignored["user_message"]


def test_cursor_asks_where_it_can(world):
    world.personal("guard:\n  rules:\n  - {command: 'curl *', do: ask}\n  - {command: 'git push*', do: refuse, why: never}\n")
    assert ask(world, "cursor", cursor(world, "beforeShellExecution", "curl x"))[1]["permission"] == "ask"
    assert ask(world, "cursor", cursor(world, "preToolUse", "curl x"))[1]["permission"] == "deny", "there it takes a question for consent"
    for event in ("preToolUse", "beforeShellExecution"):
        answer = ask(world, "cursor", cursor(world, event, "git push"))[1]
        assert answer["permission"] == "deny" and "never" in answer["agent_message"]


def test_cursor_with_the_hook_of_claude_code(world):
    """It runs .claude/settings.json, too, where nothing looks a second time: so nothing is rewritten there."""
    answer = ask(world, "claude-code", cursor(world, "preToolUse", "touch new"))[1]
    assert answer["permission"] == answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert told(answer["agent_message"]) == instead("touch new") and "updated_input" not in answer


def test_tools_of_other_servers_in_cursor(world):
    """Their input is the text of an object, and their names do not tell whose they are."""
    given = json.dumps({"command": "touch new"})
    for name in ("MCP:run", "MCP:sandbox_run"):
        assert ask(world, "cursor", cursor(world, "preToolUse", "", tool_name=name, tool_input=given))[1]["permission"] == "deny"
    assert ask(world, "cursor", cursor(world, "preToolUse", "", tool_name="Read", tool_input={"path": "x"})) == (0, {})


# VS Code


def test_vscode_of_its_own(world):
    given = {"command": "touch new", "explanation": "e", "goal": "g", "isBackground": False}
    asked = {"timestamp": "2026-02-09T10:30:00.000Z", "sessionId": "s", "hookEventName": "PreToolUse", "cwd": str(world.project),
             "tool_name": "run_in_terminal", "tool_input": given, "tool_use_id": "t"}
    for agent in ("vscode", "claude-code"):  # it reads Claude Code's files as well
        said = ask(world, agent, asked)[1]["hookSpecificOutput"]
        assert said["hookEventName"] == "PreToolUse" and said["permissionDecision"] == "allow"
        assert shlex.split(said["updatedInput"].pop("command")) == instead("touch new")
        assert said["updatedInput"] == {k: v for k, v in given.items() if k != "command"}, "an input of another shape would be ignored"


def test_vscode_on_the_runtime_of_copilot(world):
    """It has another word for another command, so it is told "no"; its decisions are outside."""
    asked = question(world, "Bash", {"command": "touch new"}, timestamp="2026-02-09T10:30:00.000Z")
    for agent in ("vscode", "claude-code"):
        answer = ask(world, agent, asked)[1]
        assert answer["permissionDecision"] == answer["hookSpecificOutput"]["permissionDecision"] == "deny"
        assert told(answer["permissionDecisionReason"]) == instead("touch new") and "updatedInput" not in answer["hookSpecificOutput"]
    asked["tool_input"]["command"] = shlex.join(instead("touch new"))
    assert ask(world, "vscode", asked)[1]["permissionDecision"] == "allow"


def test_a_task_of_vscode(world):
    """A command inside other arguments cannot be replaced, so it does not run."""
    task = {"workspaceFolder": str(world.project), "task": {"label": "build", "type": "shell", "command": "touch new"}}
    asked = question(world, "create_and_run_task", task, timestamp="2026-02-09T10:30:00.000Z")
    for agent in ("vscode", "claude-code"):
        done = world.aisbx("guard", "--hook", agent, input=json.dumps(asked))
        assert done.returncode == 2 and not done.stdout and "inside other arguments" in done.stderr
    asked["tool_input"] = {"edits": [{"command": {"nested": ["cmd", {"script": ["a", "b"]}]}}]}
    assert ask(world, "vscode", asked)[0] == 2
    for given in ({"command": "ls", "script": "touch new"}, {"command": "ls", "more": {"cmd": "touch new"}}, "touch new", ["touch", "new"], 7):
        asked["tool_input"] = given
        assert ask(world, "vscode", asked)[0] == 2, given
    asked["tool_input"] = {"todos": [{"content": "run the script", "commands": 3}]}
    assert ask(world, "vscode", asked) == (0, None)


# Gemini


def gemini(world, command, **more):
    return question(world, "run_shell_command", {"command": command, "description": "d"}, hook_event_name="BeforeTool",
                    timestamp="2026-11-20T02:09:54.627Z", **more)


def test_gemini(world):
    world.personal("guard:\n  rules:\n  - {command: 'curl *', do: ask}\n  - {command: 'git push*', do: refuse, why: never}\n")
    for command, verb in (("git status", "look"), ("touch new", "guard")):
        answer = ask(world, "gemini", gemini(world, command))[1]
        assert answer["decision"] == "allow" and answer["hookSpecificOutput"]["hookEventName"] == "BeforeTool"
        assert shlex.split(answer["hookSpecificOutput"]["tool_input"]["command"]) == instead(command, verb)
        assert answer["hookSpecificOutput"]["tool_input"]["description"] == "d"
    assert ask(world, "gemini", gemini(world, "cd src"))[1] == {"decision": "allow", "reason": "aisbx: as it is"}
    assert ask(world, "gemini", gemini(world, "git push"))[1]["decision"] == "deny"
    assert ask(world, "gemini", gemini(world, "curl x"))[1]["decision"] == "deny", "before 0.36 it takes a question for consent"
    asked = ask(world, "gemini", gemini(world, "curl x"), GEMINI_PLANS_DIR="/x")[1]
    assert asked["decision"] == "ask" and asked["systemMessage"]
    own = gemini(world, "touch new")
    own["tool_name"] = "mcp_aisbx_sandbox_run"
    assert ask(world, "gemini", own) == (0, {})


def test_where_the_command_runs(world):
    """A directory of the tool's own: its project's rules hold."""
    (world.project / "sub").mkdir()
    (world.project / "sub/aisbx.yaml").write_text("guard:\n  rules:\n  - {command: 'ls*', do: refuse, why: not here}\n")
    asked = gemini(world, "ls")
    assert ask(world, "gemini", asked)[1]["decision"] == "allow"
    for place in ("sub", "./sub/", str(world.project / "sub")):
        asked["tool_input"]["dir_path"] = place
        assert ask(world, "gemini", asked)[1]["decision"] == "deny", place


# Codex


def codex(world, command, record=None, **more):
    return question(world, "Bash", {"command": command}, turn_id="t", transcript_path=record and str(record), **more)


def write_record(world, version, name="rollout.jsonl"):
    path = world.root / name
    line = {"type": "session_meta", "payload": {"id": "x", "cli_version": version, "base_instructions": {"text": "x" * 100000}}}
    path.write_text(json.dumps(line) + "\n" + "not read\n" * 10)
    return path


@pytest.mark.parametrize("version, rewrites", [("0.169.0", True), ("0.144.0", True), ("1.0.0", True), ("0.144.0-alpha.1", True), ("0.143.9", False),
                                               ("0.99.0", False), ("0.-5.0", False), ("-1.0.0", False), ("nonsense", False), ("", False), (None, False), (7, False)])
def test_codex_by_its_version(world, version, rewrites):
    """The record of its session says it. What is not known to run another command is told which to run."""
    said = ask(world, "codex", codex(world, "touch new", write_record(world, version)))[1]["hookSpecificOutput"]
    assert said["permissionDecision"] == ("allow" if rewrites else "deny")
    assert (shlex.split(said["updatedInput"]["command"]) if rewrites else told(said["permissionDecisionReason"])) == instead("touch new")


def test_a_record_that_is_none(world):
    good = write_record(world, "0.169.0")
    (world.root / "link").symlink_to(good)
    os.mkfifo(world.root / "pipe")
    (world.root / "cut").write_bytes(good.read_bytes().split(b"\n")[0])
    (world.root / "long").write_bytes(b'{"type": "' + b"x" * (2 << 20) + b'"}\n' + good.read_bytes())
    (world.root / "deep").write_bytes(b"[" * 100000 + b"\n")
    for record in (None, "", "relative", world.root, world.root / "gone", world.root / "link", world.root / "pipe", world.root / "cut", world.root / "long",
                   world.root / "deep", "/dev/zero"):
        said = ask(world, "codex", codex(world, "touch new", record))[1]["hookSpecificOutput"]
        assert said["permissionDecision"] == "deny", record


def test_a_patch_is_no_command(world):
    patch = question(world, "apply_patch", {"command": "*** Begin Patch\n*** Add File: x\n+x\n*** End Patch\n"})
    assert ask(world, "codex", patch) == (0, None)
    patch["tool_name"] = "other"
    assert ask(world, "codex", patch)[1]["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert ask(world, "claude-code", {**patch, "tool_name": "Workflow", "tool_input": {"script": "agent('x')"}}) == (0, None)
