# SPDX-License-Identifier: Apache-2.0
"""Removing a box in which something runs: refused, with what to say instead; and then it ends, whoever says it. Runs as root and as an ordinary user."""
import json
import os
import subprocess

import pytest

from box import aisbx
from rpc import Rpc


class Place:
    def __init__(self, root):
        self.project = root / "project"
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state")}
        self.project.mkdir()

    def aisbx(self, *words):
        return subprocess.run([aisbx(), *words], cwd=self.project, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def rpc(self, owner=None):
        client = Rpc(cwd=self.project, env=self.env)
        if owner:
            client.call("rpc.hello", owner=owner)
        return client

    def live(self):
        return [run["run"] for run in json.loads(self.aisbx("ps", "--all", "--json").stdout)["runs"]]

    def boxes(self):
        return [box["name"] for box in json.loads(self.aisbx("ls", "--all", "--json").stdout)["boxes"]]


@pytest.fixture(name="place")
def _place(tmp_path):
    return Place(tmp_path)


def busy_box(place, name, runs=2):
    """A box with runs in it; the second joins the first."""
    assert place.aisbx("create", name).returncode == 0
    for _ in range(runs):
        assert place.aisbx("run", "--box", name, "--detach", "--", "sh", "-c", "trap '' TERM; sleep 1000").returncode == 0
    assert len(place.live()) == runs


def test_by_command_line(place):
    busy_box(place, "b")
    assert place.aisbx("create", "free").returncode == 0
    refused = place.aisbx("rm", "free", "b")
    assert refused.returncode == 125 and b"in use by a run" in refused.stderr and b"kill ends what runs in it" in refused.stderr
    assert len(place.live()) == 2 and sorted(place.boxes()) == ["b", "free"], "none goes before all can"
    assert place.aisbx("rm", "--kill", "free", "b").returncode == 0
    assert place.live() == [] and place.boxes() == []


def test_over_rpc(place):
    busy_box(place, "b")
    with place.rpc() as rpc:
        error = rpc.error("box.rm", boxes=["b"])
        assert error["data"]["kind"] == "busy" and "kill ends" in error["message"]
        assert rpc.call("box.rm", boxes=["b"], kill=True)["removed"] == ["b"]
    assert place.live() == []


def test_what_another_runs_in_a_box_that_is_shared_goes_on(place):
    """A stranger may use a box that somebody shares, but not end what its owner runs there."""
    with place.rpc("ann") as ann, place.rpc("bob") as bob:
        ann.call("box.create", name="common", shared=True)
        run = ann.call("run.exec", box="common", detach=True, command=["sleep", "1000"])["run"]
        assert bob.error("box.rm", boxes=["common"], kill=True)["data"]["kind"] == "busy"
        assert place.live() == [run]
        assert ann.call("box.rm", boxes=["common"], kill=True)["removed"] == ["common"]
    assert place.live() == []
