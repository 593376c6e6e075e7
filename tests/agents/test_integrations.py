# SPDX-License-Identifier: Apache-2.0
"""The folder integrations: read by the clients it is for, by a checker of such files, and by the libraries it adapts."""
import json
import os
import pathlib
import re
import subprocess

import box
import pytest
import yaml

from client import CACHE, Place, command
from model import Model

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "integrations"
PYTHON = CACHE / "agents-python"


@pytest.fixture(name="place")
def _place(tmp_path):
    yield Place(tmp_path)
    subprocess.run(["chmod", "-R", "u+rwX", str(tmp_path)], check=True)


@pytest.mark.parametrize("library", ["openai", "langchain"])
def test_the_adapters(place, library):
    box.need(PYTHON, "the libraries, which tests/agents/prepare fetches")
    env = {**place.env, "PYTHONPATH": f"{FOLDER / 'python'}:{ROOT / 'sdk/python'}:{PYTHON}", "AISBX": box.aisbx(), "OPENAI_AGENTS_DISABLE_TRACING": "1"}
    done = subprocess.run(["/usr/bin/python3", "-B", ROOT / "tests/agents/adapters.py", library], cwd=place.project, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240, check=False)
    assert done.returncode == 0 and done.stdout.endswith("the end\n"), done.stdout[-4000:]
    assert not (place.project / "sub").exists() and not place.aisbx("ls")["boxes"]


def test_claude_code_reads_the_plugins(place):
    for part in ("", "aisbx", "aisbx-guard"):
        assert "Validation passed" in place.client("claude-code", "plugin", "validate", str(FOLDER / part))
    place.client("claude-code", "plugin", "marketplace", "add", str(FOLDER))
    for part in ("aisbx", "aisbx-guard"):
        place.client("claude-code", "plugin", "install", f"{part}@aisbx")
    assert re.search(r"plugin:aisbx:aisbx: aisbx mcp .*Connected", place.client("claude-code", "mcp", "list"))
    with Model([command("claude-code", "touch new; echo from-the-box")]) as model:
        place.talk("claude-code", model)
    assert "from-the-box" in model.results[0] and not (place.project / "new").exists(), model.results
    said = json.dumps([asked for _, asked in model.asked])
    assert "aisbx:aisbx" in said and "boxes, which are clones of this machine" in said, "the skill is offered to the model"


def test_gemini_reads_the_extension(place):
    place.client("gemini", "extensions", "link", str(FOLDER / "aisbx"), "--consent")
    assert re.search(r"aisbx .*aisbx mcp --owner gemini .*Connected", place.client("gemini", "mcp", "list"))


def test_a_checker_finds_nothing(place):
    """skillsaw knows the released schemas of the registry and what each client's files may contain."""
    subprocess.run(["cp", "-R", f"{FOLDER}/.", place.project], check=True)
    for agent in ("claude-code", "codex", "cursor", "vscode"):
        place.aisbx("install", agent, "--guard", "--scope", "project")
        place.aisbx("install", agent, "--scope", "project")

    def lint():
        return subprocess.run(["/usr/bin/python3", "-B", "-m", "skillsaw", "lint", "--format", "json", str(place.project)], env={**place.env, "PYTHONPATH": str(PYTHON)},
                              cwd=place.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False)

    done = lint()
    assert done.returncode == 0, (done.stdout, done.stderr)
    for name, right, wrong in (("server.json", "io.github.aisbx/aisbx", "aisbx"), (".cursor/hooks.json", '"timeout": 30', '"timeout": "30"'),
                               (".codex/hooks.json", '"PreToolUse"', '"PreToolUsed"')):
        text = (place.project / name).read_text()
        assert right in text
        (place.project / name).write_text(text.replace(right, wrong))
    done = lint()
    assert done.returncode == 1 and all(f"{rule}-valid" in done.stdout for rule in ("mcp-registry-server-json", "cursor-hooks", "codex-hooks")), done.stdout


def test_the_skill_names_what_there_is(place):
    text = (FOLDER / "aisbx/skills/aisbx/SKILL.md").read_text()
    head = yaml.safe_load(text.split("---")[1])
    assert head["name"] == "aisbx" and len(head["description"]) <= 1024
    page = (ROOT / "docs/mcp.md").read_text()
    named = set(re.findall(r"sandbox_\w+", text))
    assert len(named) >= 6 and named <= set(re.findall(r"^\| `(sandbox_\w+)`", page, re.M)), named
    for line in re.findall(r"^    aisbx (\w+)", text, re.M):
        assert subprocess.run([box.aisbx(), line, "--help"], stdout=subprocess.DEVNULL, check=False, env=place.env).returncode == 0, line


def test_one_version_everywhere():
    version = re.search(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text())[1]
    for name in ("server.json", "aisbx/.claude-plugin/plugin.json", "aisbx-guard/.claude-plugin/plugin.json", "aisbx/gemini-extension.json"):
        assert json.loads((FOLDER / name).read_text())["version"] == version, name
    assert f'version = "{version}"' in (FOLDER / "python/pyproject.toml").read_text()
    assert os.access(FOLDER / "server.json", os.R_OK) and len(json.loads((FOLDER / "server.json").read_text())["description"]) <= 100
