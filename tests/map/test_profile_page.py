# SPDX-License-Identifier: Apache-2.0
"""Keeps docs/profiles.md true: it is what tools/profile-doc makes now; and each of its examples is tried on its own."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/profiles.md").read_text()
MISTAKES = re.findall(r"^\*\*(.+)\*\*\n\n```yaml\n((?:.+\n)+?)```\n\n    (.+)$", PAGE.split("## Mistakes")[1], re.M)


def aisbx(*words, env):
    done = subprocess.run([os.environ["AISBX"], *words, "--json"], stdout=subprocess.PIPE, env=env, check=False)
    return json.loads(done.stdout)


@pytest.fixture(name="env")
def fixture_env(tmp_path):
    return {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}


def test_the_page_is_what_the_tool_makes(env):
    made = subprocess.run([ROOT / "tools/profile-doc", os.environ["AISBX"]], stdout=subprocess.PIPE, env=env, check=True).stdout.decode()
    assert made == PAGE, "tools/profile-doc build/src/aisbx > docs/profiles.md"


@pytest.mark.parametrize("title,text,told", MISTAKES, ids=[m[0] for m in MISTAKES])
def test_each_mistake_has_its_message(env, title, text, told):
    with tempfile.TemporaryDirectory() as folder:  # short: messages cut long paths
        path = pathlib.Path(folder, "mine.yaml")
        path.write_text(text)
        path.chmod(0o644)
        got = aisbx("profile", "check", str(path), env=env)["error"]["text"]
        assert got.replace(str(path), "FILE").replace(folder, "FOLDER") == told, title


def test_every_key_and_every_kind_of_mistake_is_there(env):
    keys = set(re.findall(r"^\| `([a-z.-]+)` \|", PAGE.split("## Keys")[1].split("\n## ")[0], re.M))
    schema = aisbx("profile", "schema", env=env)["properties"]
    assert keys == {*schema, *(f"env.{name}" for name in schema["env"]["properties"])} - {"env"}
    assert len(MISTAKES) > 30 and all(told.startswith(("FILE", "profile")) for _, _, told in MISTAKES)
    source = "".join((ROOT / "src/policy" / name).read_text() for name in ("profile_key.c", "profile_read.c"))
    told = "\n".join(message for _, _, message in MISTAKES)
    for message in re.findall(r'AISBX_AREA_POLICY, \w+,\s*"((?:[^"\\]|\\.)*)"', source) + re.findall(r'doc_complain\(&r->doc, \w+,\s*"((?:[^"\\]|\\.)*)"', source):
        words = max(re.split(r"%[-+.*0-9]*[a-z]+", message), key=len)
        assert words in told or message in NOT_SHOWN, f"no example of: {message}"


# Too long for a page, or told in another way there.
NOT_SHOWN = {"more than %u values", "'mounts' must be a list of {host: PATH, guest: PATH, mode: ro}", "'lifetime' must be %s, not '%.40s'",
             "'keep-output' must be %s, or 0, not '%.40s'",
             "'%.40s' is neither the name of a profile nor, with a '/', the path of a file"}


def test_the_first_example_is_good(tmp_path, env):
    text = re.search(r"```yaml\n(.*?)```", PAGE, re.S).group(1)
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    path.chmod(0o644)
    shown = aisbx("profile", "check", str(path), env=env)["profile"]
    assert shown["mem"] == yaml.safe_load(text)["mem"] == "1g" and shown["timeout"] == "30s"
