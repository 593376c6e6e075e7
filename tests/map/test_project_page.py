# SPDX-License-Identifier: Apache-2.0
"""Keeps docs/project.md true: its example is a file that can be used and has every key, its tables have every key, its transcript is real."""
import json
import os
import pathlib
import re
import subprocess
import textwrap

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/project.md").read_text()
EXAMPLE = re.search(r"```yaml\n(.*?)```", PAGE, re.S).group(1)
# Pages of their own.
ELSEWHERE = {"services", "intents"}


def aisbx(*words):
    return subprocess.run([os.environ["AISBX"], *map(str, words)], stdout=subprocess.PIPE, check=False)


@pytest.fixture(name="schema", scope="module")
def fixture_schema():
    return json.loads(aisbx("project", "schema").stdout)


def keys_below(schema, path=""):
    """Paths of all keys, names that people give left out: "stages.to.branch"."""
    for key, value in schema.get("properties", {}).items():
        yield path + key
        if key not in ELSEWHERE:
            yield from keys_below(value, f"{path}{key}.")
    for inner in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            yield from keys_below(inner, path)
    if not schema.get("properties"):  # of checks: their table is another
        for inner in schema.get("anyOf", []):
            yield from (f"{path}<check>.{key}" for key in inner.get("properties", {}))


def test_the_example_is_good(tmp_path):
    path = tmp_path / "aisbx.yaml"
    path.write_text(EXAMPLE)
    done = aisbx("project", "check", path)
    assert done.returncode == 0, done.stdout.decode()


def used(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from used(inner)
    if isinstance(value, list):
        for inner in value:
            yield from used(inner)


def test_the_example_has_every_key(schema):
    names = {path.split(".")[-1] for path in keys_below(schema)}
    assert len(names) > 25 and names <= set(used(yaml.safe_load(EXAMPLE)))


def test_the_tables_have_every_key(schema):
    tables = {"": "| key |", "stages": "| key of a stage |", "experiments": "| key of an experiment |", "guard": "| key of the guard |"}
    for section, head in tables.items():
        table = re.search(re.escape(head) + r".*\n(?:\|.*\n)+", PAGE).group(0)
        written = set(re.findall(r"^\| `([a-z.]+)`", table, re.M))
        wanted = {p for p in keys_below(schema) if "<check>" not in p}
        wanted = {p.removeprefix(section + ".") for p in wanted if p.startswith(section + ".")} if section else {p for p in wanted if "." not in p}
        assert written == wanted, section
    checks = PAGE.split("## Checks")[1].split("\n## ")[0]
    for key in {p.split("<check>.")[1] for p in keys_below(schema) if "<check>" in p}:
        assert f"{key}: " in checks


def test_the_transcript_is_real(tmp_path):
    path = tmp_path / "aisbx.yaml"
    file, told = re.search(r"\$ cat aisbx.yaml\n((?:    .*\n)+?)    \$ aisbx project check\n((?:    .*\n)+)", PAGE).groups()
    path.write_text(textwrap.dedent(file))
    said = aisbx("project", "check", path).stdout.decode().replace(str(path), "/home/ann/shop/aisbx.yaml")
    assert said == textwrap.dedent(told)
