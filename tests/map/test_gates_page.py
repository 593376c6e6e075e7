# SPDX-License-Identifier: Apache-2.0
"""Keeps docs/gates.md true: it has the facts that aisbx has, its examples are taken, its mistakes are told as it says."""
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/gates.md").read_text()
AISBX = os.environ["AISBX"]


def check(folder, *words):
    env = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    done = subprocess.run([AISBX, "gate", "check", "--json", *words], cwd=folder, env=env, stdout=subprocess.PIPE, timeout=60, check=False)
    return json.loads(done.stdout)


def test_the_facts_are_those_that_there_are():
    told = {name: text.replace("\\|", "|") for name, text in re.findall(r"^\| `([a-z._-]+)` \| [a-z]+ \| (.+) \|$", PAGE.split("## Facts")[1], re.M)}
    shown = subprocess.run([AISBX, "gate", "check", "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()
    facts = dict(re.findall(r"^  ([a-z._-]+): (.+)$", shown.split("Facts:\n")[1].split("\n\n")[0], re.M))
    assert told == facts and len(facts) > 30


def test_examples_are_taken(tmp_path):
    examples = re.findall(r"^    (.+)$", PAGE.split("## Expressions")[1].split("| what")[0], re.M)
    assert len(examples) == 6
    for text in examples:  # read from left to right: what is wrong on purpose is told only if nothing before it is
        result = check(tmp_path, ".", f"({text}) and ?")
        assert result["error"]["text"].startswith("'?' has no meaning here"), result


def test_mistakes_are_told_so(tmp_path):
    message, text, mark = re.search(r"^    (risk is .+)\n    ( .+)\n    (.+)$", PAGE, re.M).groups()
    assert check(tmp_path, ".", text.strip())["error"]["text"] == f"{message}\n{text}\n{mark}"


def test_the_file_of_the_example_is_good(tmp_path):
    (tmp_path / "aisbx.yaml").write_text(re.search(r"```yaml\n(.+?)```", PAGE, re.S).group(1))
    assert check(tmp_path, ".", "ready", "?")["error"]["text"].startswith("'?' has no meaning"), "the file was read before"
