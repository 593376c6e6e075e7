# SPDX-License-Identifier: Apache-2.0
"""A session of 50 commands with Claude Code: how often it would ask the person, and that it never does with the guard.

docs/agents.md has the numbers. Nobody is there to be asked, so what it would ask for is refused, in its own words.
"""
import pathlib
import re
import subprocess

import pytest

from client import Place, command
from model import Model

HERE = pathlib.Path(__file__).resolve().parent
COMMANDS = (HERE / "session.txt").read_text().splitlines()
PAGE = (HERE.parents[1] / "docs/agents.md").read_text()
ASKED = re.compile(r"requires? approval|needs approval|can't be checked before it runs")
FILES = {
    "src/shop.py": "import sys\n\n\ndef total(prices):\n    # TODO: taxes\n    return sum(prices)\n",
    "tests/test_shop.py": 'import sys, unittest\nsys.path.insert(0, "src")\nimport shop\n\n\nclass T(unittest.TestCase):\n    def test(self):\n'
                          "        self.assertEqual(shop.total([1, 2]), 3)\n",
    "Makefile": "test:\n\tpython3 -m unittest discover -s tests\nclean:\n\trm -rf src/__pycache__\n",
}


@pytest.fixture(name="place")
def _place(tmp_path):
    place = Place(tmp_path)
    for name, text in FILES.items():
        (place.project / name).parent.mkdir(exist_ok=True)
        (place.project / name).write_text(text)
    place.git("add", ".")
    place.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "second")
    yield place
    subprocess.run(["chmod", "-R", "u+rwX", str(tmp_path)], check=True)


def session(place, commands):
    with Model([command("claude-code", text) for text in commands]) as model:
        place.talk("claude-code", model)
    assert len(model.results) == len(commands)
    return dict(zip(commands, model.results))


def questions(results):
    return [text for text, result in results.items() if ASKED.search(result)]


def test_how_often_it_would_ask(place):
    assert len(COMMANDS) == len(set(COMMANDS)) == 50
    asked = questions(session(place, COMMANDS))
    assert f"asks {len(asked)} times" in PAGE, asked
    place.aisbx("install", "claude-code", "--guard")
    results = session(place, COMMANDS)
    assert not questions(results)
    assert "OK" in results["make test"] and "in a box" in results[COMMANDS[18]]
    status = subprocess.run(["git", "status", "--porcelain"], cwd=place.project, env=place.env, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert status == "?? .claude/\n", "every change waits in its box"
    boxes = len(place.aisbx("ls")["boxes"])
    assert f"{boxes} boxes" in PAGE, boxes


def test_what_the_gates_pass_goes_in(place):
    """So the next command sees it; the rest waits for the person."""
    rules = place.home / ".config/aisbx"
    rules.mkdir(parents=True)
    (rules / "guard.yaml").write_text("guard:\n  promote: auto\n  gates: ['changes.deleted<1']\n")
    place.aisbx("install", "claude-code", "--guard")
    results = session(place, ["echo hello > new", "cat new", "rm README", "cat README", "cat new README"])
    assert results["cat new"] == "hello" and "a project" in results["cat README"] and "aisbx promote" in results["rm README"], results
    assert not questions(results) and (place.project / "new").read_text() == "hello\n" and (place.project / "README").exists()
    assert len(place.aisbx("ls")["boxes"]) == 1
