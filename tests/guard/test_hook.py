# SPDX-License-Identifier: Apache-2.0
"""The guard as a hook of five agents: answers as their documentation says, and blocks whatever is wrong.

That the clients themselves understand it is tested with them, in tests/agents.
"""
import json
import os
import shlex
import subprocess

import box
import pytest

AGENTS = ("claude-code", "codex", "cursor", "vscode", "gemini")
NO_QUESTION = ["", "{", "[]", "null", "\x01", "{}", '{"tool_name": 1}', '{"tool_name": "Bash"}', '{"tool_name": "Bash", "tool_input": {}}',
               '{"tool_name": "Bash", "tool_input": {"command": ["ls"]}}', '{"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "relative"}',
               '{"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "/not/there"}', '{"tool_name": "Edit", "tool_name": "Bash"}',
               "[" * 100000, '{"tool_name": "Bash", "tool_input": {"command": "ls\\u0000rm"}}',
               '{"tool_name": "Bash", "tool_input": {"command": "ls"}} and more']


def ask(world, agent, question, **more):
    text = question if isinstance(question, str) else json.dumps(question)
    done = world.aisbx("guard", "--hook", agent, input=text, **more)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def bash(world, command, **more):
    return {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(world.project),
            "tool_input": {"command": command, "description": "what it is for", "timeout": 1000}, **more}


def told(answer):
    assert set(answer) == {"hookSpecificOutput"} and answer["hookSpecificOutput"]["hookEventName"] == "PreToolUse"
    return answer["hookSpecificOutput"]


def test_claude_runs_what_only_looks(world):
    status, answer, _ = ask(world, "claude-code", bash(world, "git status"))
    said = told(answer)
    assert status == 0 and said["permissionDecision"] == "allow"
    assert shlex.split(said["updatedInput"]["command"]) == [box.aisbx(), "look", "--", "/bin/bash", "-c", "git status"]
    done = subprocess.run(["sh", "-c", said["updatedInput"]["command"]], cwd=world.project, env=world.env, timeout=60, text=True, stdout=subprocess.PIPE)
    assert done.returncode == 0 and "On branch" in done.stdout


def test_a_change_of_directory_is_the_agents_own(world):
    """In a process of its own it would be lost."""
    assert "updatedInput" not in told(ask(world, "claude-code", bash(world, "cd src"))[1])
    assert "updatedInput" not in told(ask(world, "claude-code", bash(world, "aisbx ls"))[1])


TOOLS = [("Bash", {"command": "touch new"}), ("shell", {"command": ["touch", "new"]}), ("exec_command", {"cmd": "touch new"}),
         ("mcp__other__run", {"script": "touch new"}), ("local_shell", {"command": ["bash", "-lc", "touch new"]}), ("Run", {"CommandLine": "touch new"})]


@pytest.mark.parametrize("tool, given", TOOLS)
def test_whatever_carries_a_command_is_judged(world, tool, given):
    key, value = next(iter(given.items()))
    question = {"tool_name": tool, "tool_input": {**given, "more": 1}, "cwd": str(world.project)}
    updated = told(ask(world, "claude-code", question)[1])["updatedInput"]
    words = updated[key] if isinstance(value, list) else shlex.split(updated[key])
    assert updated["more"] == 1 and words == [box.aisbx(), "guard", "--", *(value if isinstance(value, list) else [value])]
    assert told(ask(world, "codex", question)[1])["permissionDecision"] == "deny"
    question["tool_input"][key] = {"not": "a command"}
    assert ask(world, "claude-code", question)[0] == 2
    question = {"tool_name": "mcp__aisbx__sandbox_run", "tool_input": given}
    assert ask(world, "claude-code", question)[:2] == (0, None)


@pytest.mark.parametrize("command", ["touch new", "echo 'it''s' > \"a b\"", "printf '%s' \"$(id)\" > new\n# two lines\n", "touch 'x'\\''y'"])
def test_claude_runs_the_rest_in_a_box(world, command):
    status, answer, _ = ask(world, "claude-code", bash(world, command))
    said = told(answer)
    assert status == 0 and said["permissionDecision"] == "allow" and said["permissionDecisionReason"]
    assert {k: v for k, v in said["updatedInput"].items() if k != "command"} == {"description": "what it is for", "timeout": 1000}
    assert shlex.split(said["updatedInput"]["command"]) == [box.aisbx(), "guard", "--", command]
    with box.Watch(world.project):
        subprocess.run(["sh", "-c", said["updatedInput"]["command"]], cwd=world.project, env=world.env, timeout=60, check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_what_the_hook_says_to_run_is_let_through(world, agent):
    """Else an agent would be sent round in circles."""
    said = told(ask(world, agent, bash(world, "touch new"))[1])
    command = said["updatedInput"]["command"] if agent == "claude-code" else said["permissionDecisionReason"].split("Run this instead: ")[1]
    status, answer, _ = ask(world, agent, bash(world, command))
    assert status == 0 and (answer is None if agent == "codex" else told(answer)["permissionDecision"] == "allow")
    assert answer is None or "updatedInput" not in told(answer)


def test_ask_and_refuse(world):
    world.personal("guard:\n  rules:\n  - {command: 'git push*', do: refuse, why: never}\n  - {command: 'curl *', do: ask}\n")
    assert told(ask(world, "claude-code", bash(world, "curl x"))[1])["permissionDecision"] == "ask"
    said = told(ask(world, "claude-code", bash(world, "git push"))[1])
    assert said["permissionDecision"] == "deny" and "never" in said["permissionDecisionReason"]
    for command in ("curl x", "git push"):  # Codex has no "ask", and takes one for no objection
        assert told(ask(world, "codex", bash(world, command))[1])["permissionDecision"] == "deny"


def test_codex_is_silent_or_denies(world):
    assert ask(world, "codex", bash(world, "cd src"))[:2] == (0, None)
    said = told(ask(world, "codex", bash(world, "ls"))[1])
    assert said["permissionDecision"] == "allow" and shlex.split(said["updatedInput"]["command"])[1] == "look"
    said = told(ask(world, "codex", bash(world, "git status"))[1])  # older ones do not know of another command
    assert said["permissionDecision"] == "deny"
    assert shlex.split(said["permissionDecisionReason"].split("instead: ")[1]) == [box.aisbx(), "look", "--", "/bin/bash", "-c", "git status"]
    said = told(ask(world, "codex", bash(world, "touch new"))[1])
    assert said["permissionDecision"] == "deny"
    assert shlex.split(said["permissionDecisionReason"].split("instead: ")[1]) == [box.aisbx(), "guard", "--", "touch new"]


@pytest.mark.parametrize("agent", AGENTS)
def test_other_tools_are_not_its_business(world, agent):
    question = {"tool_name": "Edit", "tool_input": {"file_path": "x"}, "cwd": str(world.project)}
    assert ask(world, agent, question)[:2] == (0, {} if agent in ("cursor", "gemini") else None), "these two expect an object"


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_no_question_is_blocked(world, agent):
    for question in NO_QUESTION:
        status, answer, words = ask(world, agent, question)
        assert status == 2 and answer is None and "blocked" in words, question[:100]


def test_a_question_too_large_is_blocked(world):
    assert ask(world, "claude-code", bash(world, "ls", more="x" * (5 << 20)))[0] == 2


def test_a_question_that_does_not_come_is_blocked(world):
    reader, writer = os.pipe()
    try:
        assert world.aisbx("guard", "--hook", "claude-code", stdin=reader).returncode == 2
    finally:
        os.close(reader)
        os.close(writer)


def test_rules_that_cannot_be_read_let_nothing_run_as_it_is(world):
    world.personal("guard: [\n")
    assert "updatedInput" in told(ask(world, "claude-code", bash(world, "ls"))[1])


FILES = {"claude-code": ("PreToolUse", ".claude/settings.local.json", ".claude/settings.json", 30),
         "codex": ("PreToolUse", ".codex/hooks.json", ".codex/hooks.json", 30), "cursor": ("preToolUse", ".cursor/hooks.json", ".cursor/hooks.json", 30),
         "vscode": ("PreToolUse", ".github/hooks/aisbx.json", ".copilot/hooks/aisbx.json", 30),
         "gemini": ("BeforeTool", ".gemini/settings.json", ".gemini/settings.json", 30000)}


def hooks_of(path, agent):
    """What the file makes the agent run, by event."""
    found = {}
    for event, entries in json.loads(path.read_text())["hooks"].items():
        assert len(entries) == 1
        entry = entries[0]
        if "hooks" in entry:
            assert entry["matcher"] == ".*" and len(entry["hooks"]) == 1
            entry = entry["hooks"][0]
        assert entry["timeout"] == FILES[agent][3] and entry.get("type", "command") == "command"
        assert entry.get("failClosed", agent != "cursor") is True
        found[event] = entry["command"]
    return found


@pytest.mark.parametrize("scope", ["project", "user"])
@pytest.mark.parametrize("agent", AGENTS)
def test_install_puts_the_hook_in_and_takes_it_out(world, agent, scope):
    event, *names = FILES[agent][:3]
    path = (world.home if scope == "user" else world.project) / names[scope == "user"]
    before = '{\n  "other": true,\n  "version": 1\n}\n'
    for text in (None, before):
        if text:
            path.write_text(text)
        assert world.aisbx("install", agent, "--guard", "--scope", scope).returncode == 0
        hooks = hooks_of(path, agent)
        assert set(hooks) == {event} | ({"beforeShellExecution"} if agent == "cursor" else set())
        new = json.loads(path.read_text())
        assert new.get("version") == (1 if text or agent in ("cursor", "vscode") else None) and new.get("other") == (True if text else None)
        again = json.loads(world.aisbx("install", agent, "--guard", "--scope", scope, "--json").stdout)
        assert again["action"] == "unchanged"
        assert world.aisbx("uninstall", agent, "--guard", "--scope", scope).returncode == 0
        assert path.read_text() == text if text else not path.exists()
    assert not list(world.home.glob("**/.mcp.json"))


@pytest.mark.parametrize("agent", AGENTS)
def test_what_install_writes_runs(world, agent):
    """By the shell of a person whose PATH has aisbx, as the agent starts it."""
    (world.home / "bin").mkdir()
    (world.home / "bin/aisbx").symlink_to(box.aisbx())
    env = {**world.env, "PATH": f"{world.home}/bin:{world.env['PATH']}"}
    assert world.aisbx("install", agent, "--guard", "--scope", "project", env=env).returncode == 0
    for event, command in hooks_of(world.project / FILES[agent][1], agent).items():
        asked = {"hook_event_name": event, "command": "ls", "cwd": str(world.project)} if event == "beforeShellExecution" else bash(world, "ls")
        for question, status in (({**asked, "hook_event_name": event}, 0), ("nonsense", 2)):
            text = question if isinstance(question, str) else json.dumps(question)
            for path, want in ((env["PATH"], status), (world.env["PATH"], status if agent == "claude-code" else 2)):  # 2: a missing aisbx blocks
                done = subprocess.run(["sh", "-c", command], input=text, text=True, cwd=world.project, env={**env, "PATH": path}, timeout=60,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                assert done.returncode == want and (done.stdout != "") == (want == 0), (command, path, done)


@pytest.mark.parametrize("agent", ["cursor", "vscode"])
def test_a_file_that_would_not_be_read_is_left_alone(world, agent):
    path = world.project / FILES[agent][1]
    path.parent.mkdir(parents=True)
    path.write_text('{"hooks": {}}')
    done = world.aisbx("install", agent, "--guard")
    assert done.returncode == 125 and '"version": 1' in done.stderr and "--guard --print" in done.stderr and path.read_text() == '{"hooks": {}}'


def test_install_leaves_hooks_of_others_alone(world):
    path = world.home / ".claude/settings.json"
    path.parent.mkdir()
    text = '{"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": []}]}}'
    path.write_text(text)
    done = world.aisbx("install", "claude-code", "--guard", "--scope", "user", "--force")
    assert done.returncode == 125 and "other hooks" in done.stderr and "--print" in done.stderr and path.read_text() == text
    assert world.aisbx("uninstall", "claude-code", "--guard", "--scope", "user").returncode == 0 and path.read_text() == text


def test_a_hook_whose_aisbx_is_gone_blocks(world):
    world.aisbx("install", "claude-code", "--guard")
    hook = json.loads((world.project / ".claude/settings.local.json").read_text())["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    gone = hook.replace(box.aisbx(), "/not/there/aisbx")
    assert gone != hook and subprocess.run(["sh", "-c", gone], input="", text=True, stderr=subprocess.DEVNULL, timeout=60).returncode == 2
