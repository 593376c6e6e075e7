# SPDX-License-Identifier: Apache-2.0
"""Metadata and variables that a box keeps: who sees them, what boxes a filter finds, what becomes of them."""
import json
import os
import pathlib
import subprocess

import box
import pytest

VALUE = "hunter2-of-the-box"


class Place:
    """A project and a state of its own."""

    def __init__(self, tmp):
        self.project, self.state = tmp / "project", tmp / "state"
        self.project.mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state), "WHO": "caller"}

    def raw(self, *words):
        at = words.index("--") if "--" in words else len(words)
        return subprocess.run([box.aisbx(), *words[:at], "--json", *words[at:]], cwd=self.project, env=self.env, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False).stdout.decode()

    def do(self, *words):
        return json.loads(self.raw(*words))

    def out(self, *words):
        return self.do(*words)["stdout"]


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    return Place(tmp_path)


def test_metadata_is_told_and_filters(place):
    place.do("create", "--metadata", "user=ann", "--metadata", "task=a=b", "one")
    place.do("create", "--metadata", "user=bob", "two")
    place.do("create", "three")
    assert place.do("show", "one")["metadata"] == {"user": "ann", "task": "a=b"} and place.do("show", "three")["metadata"] == {}
    assert {b["name"]: b["metadata"] for b in place.do("ls")["boxes"]} == {
        "one": {"user": "ann", "task": "a=b"}, "two": {"user": "bob"}, "three": {}}

    def found(*wanted):
        return [b["name"] for b in place.do("ls", *(word for w in wanted for word in ("--metadata", w)))["boxes"]]
    assert found("user=ann") == ["one"] and found("user=ann", "task=a=b") == ["one"]
    assert found("user=ann", "task=x") == [] and found("user=") == []
    assert "KEY=VALUE" in place.do("ls", "--metadata", "user")["error"]["text"]
    assert "KEY=VALUE" in place.do("create", "--metadata", "user", "four")["error"]["text"]
    assert "four" not in place.raw("ls")  # nothing half made is left


def test_variables_are_for_commands_only(place):
    place.do("create", "-e", f"TOKEN={VALUE}", "--env", "WHO", "--env", "PORT=80", "one")
    command = ("sh", "-c", "echo $TOKEN $WHO $PORT | tr a-z A-Z")  # so that the output, which is kept, does not have it
    assert place.out("run", "--box", "one", "--", *command) == f"{VALUE.upper()} CALLER 80\n"
    assert place.out("run", "--box", "one", "--env", "PORT=81", "--", *command) == f"{VALUE.upper()} CALLER 81\n"  # a run's own counts more
    assert sorted(place.do("show", "one")["variables"]) == ["PORT", "TOKEN", "WHO"]
    told = "".join(place.raw(*words) for words in (
        ["show", "one"], ["ls", "--all"], ["ps", "--all"], ["tree"], ["fork", "one", "--name", "two"], ["create", "-e", VALUE + "=", "one"]))
    assert VALUE not in told.replace(VALUE + "=", "")
    kept = [path for path in pathlib.Path(place.state).rglob("*") if path.is_file() and VALUE.encode() in path.read_bytes()]
    assert [path.parent.name for path in kept] == ["variables"] * 2, kept
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)


def test_forks_have_them_and_gates_do_not_see_variables(place):
    place.do("create", "-e", "KEY=of-the-box", "--metadata", "user=ann", "one")
    place.do("fork", "one", "--name", "two")
    assert place.do("show", "two")["metadata"] == {"user": "ann"}
    assert place.out("run", "--box", "two", "--", "sh", "-c", "echo $KEY") == "of-the-box\n"
    (place.project / "aisbx.yaml").write_text("intents: {test: 'test -z \"$KEY\"'}\n")
    assert place.do("gate", "check", "one", "test")["passed"] is True
    place.do("rm", "one", "two")
    assert not list((place.state / "aisbx/variables").iterdir())


def test_they_survive_the_loss_of_the_store(place):
    place.do("create", "-e", "KEY=value", "--metadata", "user=ann", "one")
    for name in place.state.glob("aisbx/store.db*"):
        name.unlink()
    place.do("recover", "--rebuild")
    assert place.do("show", "one")["metadata"] == {"user": "ann"}
    assert place.out("run", "--box", "one", "--", "sh", "-c", "echo $KEY") == "value\n"


def test_too_much_is_refused(place):
    large = "x" * 20000
    assert "at most 16384 bytes" in place.do("create", "--metadata", f"a={large}", "one")["error"]["text"]
    error = place.do("create", *(word for n in range(4) for word in ("-e", f"V{n}={large}")), "one")["error"]["text"]
    assert "at most 65536 bytes" in error and "xxx" not in error
    place.do("create", "two")
    assert "omit --env" in place.do("create", "--from", "box:two", "--env", "A=1", "one")["error"]["text"]
