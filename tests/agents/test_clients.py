# SPDX-License-Identifier: Apache-2.0
"""What `aisbx install` writes, read by the agents themselves: their own parsers, their own hooks, with a model that thinks nothing.

Cursor and VS Code are no packages that could be run here: what they read is tested against their documentation, in
tests/e2e/test_agents.py and tests/guard/test_hook_clients.py.
"""
import json
import re
import subprocess

import box
import pytest

from client import Place, command
from model import Model

AGENTS = ("claude-code", "codex", "gemini")


@pytest.fixture(name="place")
def _place(tmp_path):
    yield Place(tmp_path)
    subprocess.run(["chmod", "-R", "u+rwX", str(tmp_path)], check=True)


def listed(place, agent, **env):
    """The server as the agent tells it: (where it found it, its command or address, whether it answered)."""
    if agent == "codex":
        server, = json.loads(place.client(agent, "mcp", "list", "--json", **env))
        assert server["name"] == "aisbx" and server["enabled"]
        transport = server["transport"]
        return transport.get("url") or " ".join([transport["command"], *transport["args"]]), transport.get("bearer_token_env_var")
    text = place.client(agent, "mcp", "list", **env)
    found = re.search(r"aisbx: (\S+(?: mcp --owner [\w-]+)?) .*- (.*)$", text, re.M)
    assert found, text
    return found[1], found[2]


@pytest.mark.parametrize("scope", ["project", "user"])
@pytest.mark.parametrize("agent", AGENTS)
def test_the_agent_reads_the_entry(place, agent, scope):
    if agent == "codex" and scope == "project":  # it reads such a file where a person trusts the project
        (place.home / ".codex").mkdir()
        (place.home / ".codex/config.toml").write_text(f'[projects."{place.project}"]\ntrust_level = "trusted"\n')
    place.aisbx("install", agent, "--scope", scope)
    program = "aisbx" if scope == "project" else box.aisbx()
    where, state = listed(place, agent)
    assert where == f"{program} mcp --owner {agent}"
    if agent == "claude-code" and scope == "project":
        assert "Pending approval" in state  # by the person, once per project
        assert "Project config (shared via .mcp.json)" in place.client(agent, "mcp", "get", "aisbx")
    elif agent != "codex":
        assert "Connected" in state  # by a real handshake with `aisbx mcp`
    place.aisbx("uninstall", agent, "--scope", scope)
    assert agent == "gemini" or "aisbx mcp" not in place.client(agent, "mcp", "list")


@pytest.mark.parametrize("agent", AGENTS)
def test_the_agent_reads_an_address(place, agent):
    """With the token in its environment; the two that try whether it answers get through."""
    with subprocess.Popen([box.aisbx(), "serve", "--listen", "127.0.0.1:0"], cwd=place.project, env=place.env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True) as server:
        try:
            url = server.stdout.readline().strip()
            token = subprocess.run([box.aisbx(), "serve", "--show-token"], env=place.env, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
            place.aisbx("install", agent, "--scope", "user", "--http", url)
            where, state = listed(place, agent, AISBX_TOKEN=token)
            assert where == url.rstrip("/") + "/mcp"
            assert state == "AISBX_TOKEN" if agent == "codex" else "Connected" in state
        finally:
            server.terminate()
            server.wait(60)


@pytest.mark.parametrize("agent", AGENTS)
def test_the_agent_obeys_the_hook(place, agent):
    """What only looks prints what it prints; what writes does so in a box; what a rule refuses does not run. Without the hook it would."""
    rules = place.home / ".config/aisbx"
    rules.mkdir(parents=True)
    (rules / "guard.yaml").write_text("guard:\n  rules:\n  - {command: 'rm *', do: refuse, why: not today}\n")
    place.aisbx("install", agent, "--guard", "--scope", "user")
    calls = [command(agent, text) for text in ("git status", "echo from-the-box; touch new", "rm README", "cat new")]
    with Model(calls) as model:
        place.talk(agent, model)
    looked, wrote, refused, read = model.results
    assert "On branch" in looked
    assert "from-the-box" in wrote and "1 created" in wrote, "what the box changed is told"
    assert "not today" in refused and "No such file" in read, (refused, read)
    assert (place.project / "README").exists() and not (place.project / "new").exists()
    assert [b["name"] for b in place.aisbx("ls")["boxes"]], "the box waits for a review"
    place.aisbx("uninstall", agent, "--guard", "--scope", "user")
    with Model([command(agent, "touch new")]) as model:
        place.talk(agent, model, *(["--allowedTools", "Bash"] if agent == "claude-code" else []))
    assert (place.project / "new").exists(), model.results
