# SPDX-License-Identifier: Apache-2.0
"""install and uninstall: one entry in the configuration of an agent, every other byte left alone, and out again."""
import json
import os
import pathlib
import random
import re
import stat
import subprocess
import threading
import tomllib

import pytest

import box

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/agents.md").read_text()
AGENTS = {"claude-code": (".mcp.json", ".claude.json", "mcpServers"), "codex": (".codex/config.toml", ".codex/config.toml", "mcp_servers"),
          "cursor": (".cursor/mcp.json", ".cursor/mcp.json", "mcpServers"),
          "vscode": (".vscode/mcp.json", ".config/Code/User/mcp.json", "servers"),
          "gemini": (".gemini/settings.json", ".gemini/settings.json", "mcpServers")}
JSON_AGENTS = [a for a in AGENTS if a != "codex"]


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    return tmp_path


def aisbx(place, *words, check=True, json_output=True, **env):
    done = subprocess.run([box.aisbx(), *words, *(["--json"] if json_output else [])], cwd=place / "project", stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False, env={"HOME": str(place / "home"), "PATH": os.environ["PATH"], **env})
    result = json.loads(done.stdout) if json_output else done
    assert not check or done.returncode == 0, done
    return result


def refused(place, *words, **env):
    result = aisbx(place, *words, check=False, **env)
    assert result["status"] == "error", result
    return result["error"]["text"]


def file_of(place, agent, scope):
    return place / ("project" if scope == "project" else "home") / AGENTS[agent][scope == "user"]


def load(path):
    return tomllib.loads(path.read_text()) if path.suffix == ".toml" else json.loads(path.read_bytes())


def entry(agent, *words, scope="project"):
    """In a project's file, which others read on their machines, there is no path."""
    return {"command": os.path.realpath(box.aisbx()) if scope == "user" else "aisbx", "args": ["mcp", "--owner", agent, *words]}


@pytest.mark.parametrize("scope", ["project", "user"])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_new_file_and_no_file(place, agent, scope):
    path = file_of(place, agent, scope)
    made = aisbx(place, "install", agent, "--scope", scope)
    assert (made["action"], made["file"], made["scope"]) == ("created", str(path), scope)
    assert path.read_text() == made["text"] and stat.S_IMODE(path.stat().st_mode) == 0o644
    want = entry(agent, scope=scope)
    assert load(path) == {AGENTS[agent][2]: {"aisbx": {"type": "stdio", **want} if agent == "vscode" else want}}
    again = path.stat()
    assert aisbx(place, "install", agent, "--scope", scope)["action"] == "unchanged"
    assert path.stat().st_ino == again.st_ino, "nothing to write, nothing written"
    assert aisbx(place, "install", agent, "--scope", scope, "--tools", "all")["action"] == "changed"
    assert load(path)[AGENTS[agent][2]]["aisbx"]["args"][-2:] == ["--tools", "all"]
    assert aisbx(place, "uninstall", agent, "--scope", scope)["action"] == "removed"
    assert not path.exists() and not [p for p in path.parent.iterdir() if "aisbx" in p.name]
    assert aisbx(place, "uninstall", agent, "--scope", scope)["action"] == "absent"


def test_the_customary_scope(place):
    scopes = {agent: aisbx(place, "install", agent, "--print")["scope"] for agent in AGENTS}
    assert scopes == {"claude-code": "project", "codex": "user", "cursor": "project", "vscode": "project", "gemini": "user"}
    assert not list((place / "home").iterdir()) and not list((place / "project").iterdir()), "--print writes nothing"


@pytest.mark.parametrize("agent", AGENTS)
def test_over_http(place, agent):
    """The token is named, never written."""
    aisbx(place, "install", agent, "--scope", "user", "--http", "http://127.0.0.1:8080", AISBX_TOKEN="very-secret")
    path = file_of(place, agent, "user")
    assert b"very-secret" not in path.read_bytes()
    got = load(path)[AGENTS[agent][2]]["aisbx"]
    header = {"claude-code": "Bearer ${AISBX_TOKEN}", "cursor": "Bearer ${env:AISBX_TOKEN}", "vscode": "Bearer ${env:AISBX_TOKEN}",
              "gemini": "Bearer $AISBX_TOKEN"}
    want = {"url": "http://127.0.0.1:8080/mcp"}
    want |= {"bearer_token_env_var": "AISBX_TOKEN"} if agent == "codex" else {"headers": {"Authorization": header[agent]}}
    want |= {"type": "http"} if agent in ("claude-code", "vscode", "gemini") else {}
    assert got == want
    for spelled in ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/mcp", "http://127.0.0.1:8080/mcp/"):
        assert aisbx(place, "install", agent, "--scope", "user", "--http", spelled)["action"] == "unchanged", spelled
    assert aisbx(place, "uninstall", agent, "--scope", "user")["action"] == "removed"
    assert "is not an address" in refused(place, "install", agent, "--http", "127.0.0.1:8080")


# Texts as people and editors leave them; %s is the key of the servers.
JSON_TEXTS = [
    '{}', '{}\n', '{ }', '{\n}\n', '\n {\t}\n\n', '{"a":1}', '{"a": 1}\n', '{"%s":{}}', '{"%s": {}}\n', '{"%s": { }}', '{\n  "%s": {\n  }\n}\n',
    '{"%s":{"x":{"command":"y"}}}', '{\n  "%s": {\n    "x": {\n      "command": "y"\n    }\n  }\n}\n',
    '{\n\t"%s": {\n\t\t"x": {"command": "y"}\n\t},\n\t"z": [1, 2, {"mcpServers": {"aisbx": 1}}]\n}',
    '{\r\n    "b" : "}{\\"",\r\n    "%s" : {\r\n        "x" : {}\r\n    }\r\n}\r\n',
    '{\n    "deep": {"%s": {"aisbx": {"command": "no"}}},\n    "list": [{"a": [[]]}, "]}"],\n    "n": -1.5e3, "t": true, "u": null\n}\n',
    '{"%s": {"a\\u0062": {}, "x,}": {}}  , "q":  2 }', '{\n      "odd": 1,\n      "indent": 2\n}', '{"caf\u00e9": "\u2603", "%s": {"\u2603": {}}}\n',
]


@pytest.mark.parametrize("agent", JSON_AGENTS)
@pytest.mark.parametrize("text", JSON_TEXTS)
def test_every_other_byte_stays(place, agent, text):
    key = AGENTS[agent][2]
    text = text.replace("%s", key)
    path = file_of(place, agent, "project")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    path.chmod(0o640)
    before = json.loads(text)
    assert aisbx(place, "install", agent, "--scope", "project")["action"] == "changed"
    after = json.loads(path.read_bytes())
    assert after[key].pop("aisbx")["args"][0] == "mcp"
    assert after == before or after == {**before, key: {}}
    new = path.read_bytes().decode()
    assert is_part(text, new), "bytes were lost"
    assert ("\r\n" in text) == ("\r\n" in new) and ("\r\n" not in text or "\n" not in new.replace("\r\n", ""))
    assert list(json.loads(new)) == [*before, *([key] if key not in before else [])], "order"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert aisbx(place, "uninstall", agent, "--scope", "project")["action"] == "changed"
    assert path.read_bytes().decode() == text and stat.S_IMODE(path.stat().st_mode) == 0o640


def is_part(old, new):
    """NEW is OLD with something put in at one place."""
    start = len(os.path.commonprefix([old, new]))
    return any(new.endswith(old[n:]) and new.startswith(old[:n]) for n in range(start + 1))


def any_value(rng, depth):
    kind = rng.randrange(7 if depth else 4)
    if kind < 4:
        return [rng.randrange(99), "a\"b,}{\\", True, None][kind]
    if kind == 4:
        return [any_value(rng, depth - 1) for _ in range(rng.randrange(3))]
    return {f"k{i}": any_value(rng, depth - 1) for i in range(rng.randrange(4))}


@pytest.mark.big
def test_any_text_comes_back(place):
    """Made up by chance, written in the styles of several programs; put in, changed, taken out."""
    rng = random.Random(6)
    path = place / "project" / ".mcp.json"
    for _ in range(120):
        value = {f"k{i}": any_value(rng, 3) for i in range(rng.randrange(4))}
        if rng.random() < 0.7:
            value["mcpServers"] = {f"s{i}": {"command": "x"} for i in range(rng.randrange(3))}
        items = list(value.items())
        rng.shuffle(items)
        style = rng.choice([{}, {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}, {"indent": 1, "separators": (" , ", " : ")}])
        text = json.dumps(dict(items), **style) + rng.choice(["", "\n"])
        path.write_text(text)
        aisbx(place, "install", "claude-code")
        aisbx(place, "install", "claude-code", "--tools", "all")
        after = json.loads(path.read_text())
        assert after["mcpServers"].pop("aisbx")["args"][-1] == "all"
        assert after == value or after == {**value, "mcpServers": {}}, text
        aisbx(place, "uninstall", "claude-code")
        assert path.read_text() == text


def test_others_may_add_theirs_behind_ours(place):
    path = place / "project" / ".mcp.json"
    aisbx(place, "install", "claude-code")
    config = json.loads(path.read_text())
    config["mcpServers"]["later"] = {"command": "x"}
    path.write_text(json.dumps(config, indent=2))
    aisbx(place, "uninstall", "claude-code")
    assert json.loads(path.read_text()) == {"mcpServers": {"later": {"command": "x"}}}


@pytest.mark.parametrize("text,told", [
    ('{\n  // servers\n  "mcpServers": {}\n}', "is not plain JSON"), ('{"a": 1,}', "is not plain JSON"), ("", "is not plain JSON"),
    ("[]", "a JSON object"), ('{"mcpServers": []}', "is not an object"), ('\ufeff{}', "is not plain JSON"), ('{"a":1}{', "is not plain JSON"),
    ('{"a":1,"a":2}', "is not plain JSON"), ('{"mcpServers":{"\\u0061isbx":{}}}', "another server|escape sequences"), ('{"x":"\0"}', "a JSON object"),
    ('{"mcpServers":{"aisbx":{"command":"/other/thing"}}}', "another server"),
])
def test_what_is_not_understood_is_left_alone(place, text, told):
    path = place / "project" / ".mcp.json"
    path.write_text(text)
    said = refused(place, "install", "claude-code")
    assert any(word in said for word in told.split("|")) and "--print" in said
    assert path.read_text() == text


def test_force(place):
    path = place / "project" / ".mcp.json"
    text = '{"mcpServers": {"aisbx": {"command": "/other/thing"}, "x": {}}}'
    path.write_text(text)
    assert "--force" in refused(place, "uninstall", "claude-code") and path.read_text() == text
    aisbx(place, "install", "claude-code", "--force")
    assert json.loads(path.read_text())["mcpServers"]["aisbx"] == entry("claude-code")
    aisbx(place, "uninstall", "claude-code")
    assert path.read_text() == '{"mcpServers": {"x": {}}}'


TOML_TEXTS = ["", "\n", 'model = "o3"', 'model = "o3"\n', "# only words", "[mcp_servers.other]\ncommand = 'x'\nargs = ['a', \"b\"]\n",
              'a = """\n[mcp_servers.aisbx]\n# <<< aisbx\n"""\n[t]\nb = \'\'\'"\'\'\'\nc = [\n  1, # ]\n  "]",\n]\nd = {e = "}", f = [1]}\n',
              "[mcp_servers]\n[mcp_servers.\"x.y\"]\ncommand = ''\n", "x.y = 1\n[[list]]\na = 1\n[[list]]\na = 2\n\n\n", 'a = "\\"" # "\r\n[b]\r\n',
              "[profiles.mcp_servers.aisbx]\ncommand = 'not a server'\n"]


@pytest.mark.parametrize("text", TOML_TEXTS)
def test_toml_comes_back(place, text):
    path = place / "home" / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    before = tomllib.loads(text)
    assert aisbx(place, "install", "codex")["action"] == "changed"
    assert path.read_bytes().startswith(text.encode())
    after = tomllib.loads(path.read_bytes().decode())
    assert after["mcp_servers"].pop("aisbx") == entry("codex", scope="user")
    assert after == before or after == {**before, "mcp_servers": {}}
    assert aisbx(place, "install", "codex")["action"] == "unchanged"
    aisbx(place, "install", "codex", "--tools", "all")
    assert tomllib.loads(path.read_bytes().decode())["mcp_servers"]["aisbx"] == entry("codex", "--tools", "all", scope="user")
    assert aisbx(place, "uninstall", "codex")["action"] == "changed"
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize("text,told", [
    ('a = "open\n', "as TOML"), ("a = '''\n", "as TOML"), ("a = [1\n", "as TOML"), ("a = [1}\n", "as TOML"), ("[a\n", "as TOML"), ("a\n", "as TOML"),
    ("[mcp_servers.aisbx]\ncommand = 'x'\n", "another server"), ("[ mcp_servers . 'aisbx' ]\n", "another server"),
    ("[mcp_servers.aisbx.env]\nA = 'b'\n", "another server"), ("[mcp_servers]\naisbx = {command = 'x'}\n", "another server"),
    ("mcp_servers = {}\n", "no table can be added"), ("mcp_servers.aisbx.command = 'x'\n", "no table can be added"),
    ("# >>> aisbx, written by 'aisbx install codex'; 'aisbx uninstall codex' removes it\na = 1\n", "markers"),
    ('["mcp_serv\\u0065rs".aisbx]\n', "as TOML"),
])
def test_toml_that_is_left_alone(place, text, told):
    path = place / "home" / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(text)
    assert told in refused(place, "install", "codex") and path.read_text() == text


def test_what_codex_adds_stays(place):
    path = place / "home" / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text("model = 'a'\n")
    aisbx(place, "install", "codex")
    path.write_text(path.read_text() + "\n[mcp_servers.later]\ncommand = 'x'\n")
    aisbx(place, "uninstall", "codex")
    assert path.read_text() == "model = 'a'\n\n[mcp_servers.later]\ncommand = 'x'\n"


def test_links(place):
    """In a project none is followed; in the home directory those that stay there."""
    home, project = place / "home", place / "project"
    victim = place / "victim.json"
    victim.write_text("{}")
    (project / ".mcp.json").symlink_to(victim)
    assert "symbolic link" in refused(place, "install", "claude-code")
    (project / ".cursor").symlink_to(place)
    refused(place, "install", "cursor")
    (home / ".claude.json").symlink_to(victim)
    assert "not below" in refused(place, "install", "claude-code", "--scope", "user")
    (home / ".gemini").symlink_to(place)
    assert "not below" in refused(place, "install", "gemini")
    assert victim.read_text() == "{}" and not (place / "settings.json").exists()
    (home / "dotfiles").mkdir()
    (home / "dotfiles" / "config.toml").write_text("a = 1\n")
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").symlink_to("../dotfiles/config.toml")
    aisbx(place, "install", "codex")
    assert (home / ".codex" / "config.toml").is_symlink() and "aisbx" in (home / "dotfiles" / "config.toml").read_text()
    os.mkfifo(project / ".vscode")
    refused(place, "install", "vscode")
    assert "regular file" in refused_after(place)


def refused_after(place):
    (place / "project" / ".vscode").unlink()
    (place / "project" / ".vscode").mkdir()
    os.mkfifo(place / "project" / ".vscode" / "mcp.json")
    return refused(place, "install", "vscode")


def test_other_places(place):
    aisbx(place, "install", "codex", CODEX_HOME=str(place / "elsewhere"))
    assert "aisbx" in tomllib.loads((place / "elsewhere" / "config.toml").read_text())["mcp_servers"]
    aisbx(place, "install", "vscode", "--scope", "user", XDG_CONFIG_HOME=str(place / "home" / "conf"))
    assert (place / "home" / "conf" / "Code" / "User" / "mcp.json").exists()
    assert "HOME does not name a directory" in refused(place, "install", "gemini", HOME="")


def test_readers_never_see_half_of_it(place):
    """Whoever reads meanwhile has the old text or the new one."""
    path = place / "project" / ".mcp.json"
    big = {"mcpServers": {f"s{i}": {"command": "x" * 1000} for i in range(200)}}
    path.write_text(json.dumps(big))
    stop, bad = threading.Event(), []

    def read():
        while not stop.is_set():
            try:
                json.loads(path.read_text())
            except (ValueError, FileNotFoundError) as err:
                bad.append(err)
    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(10):
        aisbx(place, "install", "claude-code")
        aisbx(place, "uninstall", "claude-code")
    stop.set()
    reader.join()
    assert not bad and json.loads(path.read_text()) == big


def test_words_for_people(place):
    on_path(place)
    done = aisbx(place, "install", "cursor", "--print", json_output=False, PATH=f"{place}/bin")
    assert json.loads(done.stdout)["mcpServers"]["aisbx"]["args"] == ["mcp", "--owner", "cursor"]
    assert done.stderr.decode() == f"aisbx: put this into {place}/project/.cursor/mcp.json\n"
    done = aisbx(place, "install", "claude-code", json_output=False, PATH=f"{place}/bin")
    assert done.stderr.decode().endswith("then check that it works: claude mcp list\n")


def on_path(place):
    (place / "bin").mkdir()
    (place / "bin/aisbx").symlink_to(box.aisbx())


def test_it_is_said_when_others_would_not_find_aisbx(place):
    own = os.path.realpath(box.aisbx())
    on_path(place)
    (place / "wrong").mkdir()
    (place / "wrong/aisbx").write_text("#!/bin/sh\n")
    assert aisbx(place, "install", "cursor", PATH=f"/nowhere:{place}/wrong:{place}/bin")["problem"] is None, "that one cannot be started"
    (place / "wrong/aisbx").chmod(0o755)
    for path, told in ((f"{place}/wrong:{place}/bin", f"another aisbx, '{place}/wrong/aisbx', not to '{own}'"), ("/nowhere", "is not on PATH"), ("", own)):
        problem = aisbx(place, "install", "cursor", PATH=path)["problem"]
        assert told in problem, (path, problem)
        assert problem.encode() in aisbx(place, "install", "cursor", PATH=path, json_output=False).stderr
        assert aisbx(place, "install", "cursor", "--guard", PATH=path)["problem"]
        for words in (("--scope", "user"), ("--http", "http://127.0.0.1:1")):
            assert aisbx(place, "install", "cursor", *words, PATH=path)["problem"] is None, "nothing is looked for"
        assert aisbx(place, "install", "claude-code", "--guard", PATH=path)["problem"] is None, "that file is nobody else's"


def test_no_file_of_a_project_names_this_machine(place):
    for agent in AGENTS:
        for words in ((), ("--guard",), ("--http", "http://127.0.0.1:1")):
            done = aisbx(place, "install", agent, "--scope", "project", *words)
            path = pathlib.Path(done["file"])
            if path.name != "settings.local.json":
                assert str(place) not in path.read_text() and os.path.dirname(os.path.realpath(box.aisbx())) not in path.read_text(), path


EXAMPLES = re.findall(r"^    (aisbx install ([\w-]+)[^\n]*--print[^\n]*)\n\n`([^`]+)`:\n\n```\w+\n(.*?)```", PAGE, re.M | re.S)


@pytest.mark.parametrize("command,agent,file,text", EXAMPLES, ids=[e[0] for e in EXAMPLES])
def test_the_page_shows_what_is_printed(place, command, agent, file, text):
    got = aisbx(place, *command.split()[1:])
    assert got["text"].replace(os.path.realpath(box.aisbx()), "/usr/bin/aisbx") == text, got["text"]
    assert got["file"].replace(str(place / "home"), "~").replace(str(place / "project") + "/", "") == file


def test_the_page_has_every_agent():
    assert {e[1] for e in EXAMPLES} == set(AGENTS) and len(EXAMPLES) == 2 * len(AGENTS), "each by a process and by HTTP"
