# SPDX-License-Identifier: Apache-2.0
"""allow, deny, ports and --publish as far as they need no network: what they refuse, what they are called, who may call them."""
import json
import os
import subprocess

import pytest

import box


@pytest.fixture(name="project")
def fixture_project(tmp_path):
    return box.make_canary(tmp_path / "project")


@pytest.fixture(name="env")
def fixture_env(tmp_path):
    return {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}


def call(*words, cwd, env):
    done = subprocess.run([box.aisbx(), *words], cwd=cwd, env=env, timeout=60, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words,told", [
    (["allow", "github.com:443"], "needs BOX|RUN"),
    (["deny", "--box", "x"], "needs RULE"),
    (["ports"], "needs BOX|RUN"),
    (["allow", "github.com:443", "--box", "nobody"], "there is no box 'nobody'"),
    (["ports", "nobody"], "there is no box 'nobody'"),
    (["allow", "not a rule", "--box", "nobody"], "not a rule"),
    (["allow", "https://", "--box", "nobody"], "https://"),
    (["ports", "--publish", "70000", "nobody"], "'70000' is not a port to publish; write 8080"),
    (["run", "--publish", "80:", "--", "true"], "'80:' is not a port to publish"),
])
def test_what_is_wrong_is_said(project, env, words, told):
    status, out, err = call(*words, cwd=project, env=env)
    assert status == 125 and not out and told in err, err
    assert err.count("\n") == 1


def test_a_box_that_is_not_live(project, env):
    call("create", "quiet", cwd=project, env=env)
    status, _, err = call("ports", "quiet", cwd=project, env=env)
    assert status == 125 and "nothing runs in box 'quiet'" in err


def rules(project, env, name):
    return json.loads(call("allow", "--json", "--box", name, cwd=project, env=env)[1])["rules"]


def test_a_box_keeps_its_rules(project, env):
    """For its next runs; taken away in whatever form they are written."""
    call("create", "keeps", "--net", "npm", cwd=project, env=env)
    preset = rules(project, env, "keeps")
    assert "net:egress:registry.npmjs.org:443" in preset
    status, out, err = call("allow", "github.com", "net:egress:10.0.0.0/8:5432", "--box", "keeps", cwd=project, env=env)
    assert (status, out, err) == (0, "", "")
    assert rules(project, env, "keeps") == [*preset, "net:egress:github.com:443", "net:egress:10.0.0.0/8:5432"]
    call("allow", "net:egress:github.com:443", "--box", "keeps", cwd=project, env=env)
    assert rules(project, env, "keeps").count("net:egress:github.com:443") == 1, "once is enough"
    assert call("deny", "GitHub.com:443", "--box", "keeps", cwd=project, env=env)[0] == 0
    assert rules(project, env, "keeps") == [*preset, "net:egress:10.0.0.0/8:5432"]
    assert call("deny", "npm", "--box", "keeps", cwd=project, env=env)[0] == 0
    assert call("allow", "--box", "keeps", cwd=project, env=env)[1] == "net:egress:10.0.0.0/8:5432\n"
    status, _, err = call("deny", "github.com:443", "--box", "keeps", cwd=project, env=env)
    assert status == 125 and "has no such rule; 'aisbx allow --box keeps' lists its rules" in err


def test_a_mode_without_rules_ends_where_there_is_one(project, env):
    call("create", "alone", "--net", "loopback", cwd=project, env=env)
    assert call("allow", "--box", "alone", cwd=project, env=env)[2].endswith("the box has no rules: it reaches nothing\n")
    assert call("allow", "github.com:443", "--box", "alone", cwd=project, env=env)[0] == 0
    assert rules(project, env, "alone") == ["net:egress:github.com:443"]


def test_a_typo_changes_nothing(project, env):
    """All rules are read before the first is passed on: also where nobody could take it."""
    status, _, err = call("allow", "github.com:443", "exa mple.org:443", "--box", "nobody", cwd=project, env=env)
    assert status == 125 and "exa mple.org" in err and "no box" not in err


def test_no_tool_for_a_model(project, env):
    """Whoever made the changes does not widen the walls; and what opens a port on the machine is a person's, too."""
    schema = json.loads(call("schema", "--json", cwd=project, env=env)[1])
    ops = {op["name"]: op for op in schema["operations"]}
    assert {name: ops[name]["grant"] for name in ("allow", "deny", "ports")} == {"allow": "host", "deny": "run", "ports": "run"}
    assert ops["allow"]["method"] == "box.allow" and ops["ports"]["method"] == "box.ports"
    asked = "".join(json.dumps(line) + "\n" for line in (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                                       "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}))
    said = subprocess.run([box.aisbx(), "mcp"], input=asked, cwd=project, env=env, timeout=60, capture_output=True, text=True,
                          check=False).stdout
    answer = next(json.loads(line) for line in said.splitlines() if json.loads(line).get("id") == 2)
    names = {tool["name"] for tool in answer["result"]["tools"]}
    assert "sandbox_run" in names and not {n for n in names if "allow" in n or "deny" in n or "ports" in n}


def test_help(project, env):
    for name in ("allow", "deny", "ports"):
        status, out, _ = call(name, "--help", cwd=project, env=env)
        assert status == 0 and f"usage: aisbx {name}" in out and "examples:" in out
    assert "--publish PORT[:BOXPORT]" in call("run", "--help", cwd=project, env=env)[1]
