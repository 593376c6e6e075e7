# SPDX-License-Identifier: Apache-2.0
"""A node sends the history of its tenants by itself, each row with its tenant; whatever becomes of the process that does it."""
import json
import os
import pathlib
import signal
import subprocess

import history_world
import own_fleet
import pytest

import box

OUTBOX = pathlib.Path(box.aisbx()).parent / "aisbx-outbox"


@pytest.fixture
def fleet(tmp_path):
    f = own_fleet.Fleet(tmp_path)
    try:
        yield f
    finally:
        f.finish()


@pytest.fixture
def centre(fleet):
    """The rows that a collector has put into a database."""
    postgres = history_world.Postgres()
    try:
        postgres.start()
        yield Centre(fleet, postgres)
    finally:
        postgres.remove()


class Centre:
    def __init__(self, fleet, postgres):
        self.fleet, self.postgres = fleet, postgres
        self.collector = [str(OUTBOX.parent / "aisbx-collect")]

    def collect(self):
        url = self.fleet.env["AISBX_NATS"]
        subprocess.run([*self.collector, "run", "--nats", url, "--postgres", self.postgres.dsn, "--once"], check=True, timeout=own_fleet.WAIT,
                       capture_output=True)

    def rows(self, where):
        self.collect()
        done = subprocess.run([*self.collector, "query", "--postgres", self.postgres.dsn, "--json", "--limit", "1000", "--where", where], check=True,
                              timeout=own_fleet.WAIT, capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]


def outboxes(fleet):
    return own_fleet.processes_with(f"--nats={fleet.env['AISBX_NATS']}")


def run(fleet, tenant, n, *options):
    for i in range(n):
        assert fleet.call("run", "--on", "any", "--tenant", tenant, *options, "--", "echo", f"{tenant}-{i}").returncode == 0


def test_each_tenants_runs_arrive_with_it(fleet, centre):
    fleet.hub()
    fleet.node("a")
    fleet.node("b")
    run(fleet, "acme", 3)
    run(fleet, "other", 2)
    assert fleet.call("create", "--on", "node=a", "--tenant", "acme", "kept").returncode == 0
    own_fleet.until(lambda: len(centre.rows("kind=run")) == 5, "five runs have come")
    assert len(centre.rows("kind=run tenant=acme")) == 3 and len(centre.rows("kind=run tenant=other")) == 2
    assert {row["body"]["command"] for row in centre.rows("kind=run tenant=other")} == {"echo other-0", "echo other-1"}
    own_fleet.until(lambda: [row["node"] for row in centre.rows("kind=box.created tenant=acme")] == ["a"], "the box has come, of the node that has it")
    assert centre.postgres.number("SELECT count(*) FROM aisbx.gaps") == 0 and centre.postgres.number("SELECT count(*) FROM aisbx.refused") == 0


def test_it_is_begun_again_and_ends_with_its_node(fleet, centre):
    fleet.hub()
    fleet.node("a")
    run(fleet, "acme", 1)
    first, = own_fleet.until(lambda: outboxes(fleet), "it runs")
    os.kill(first, signal.SIGKILL)
    run(fleet, "acme", 2)
    own_fleet.until(lambda: len(centre.rows("kind=run tenant=acme")) == 3, "all runs have come")
    assert "has ended; it begins again in 1 s" in fleet.log("a") and first not in outboxes(fleet)
    # What was recorded last is sent before the node ends.
    run(fleet, "acme", 1)
    assert fleet.end("a") == 0
    assert not outboxes(fleet) and len(centre.rows("kind=run tenant=acme")) == 4
    # A node that is killed leaves none behind; the next one goes on where it was.
    fleet.node("a")
    own_fleet.until(lambda: outboxes(fleet), "it runs")
    fleet.end("a", signal.SIGKILL)
    own_fleet.until(lambda: not outboxes(fleet), "it ends with its node")
    fleet.node("a")
    run(fleet, "acme", 1)
    own_fleet.until(lambda: len(centre.rows("kind=run tenant=acme")) == 5, "the last has come")
    assert centre.postgres.number("SELECT count(DISTINCT incarnation) FROM aisbx.history") == 1
    assert centre.postgres.number("SELECT count(*) FROM aisbx.repeated") == 0


def test_not_if_it_is_not_wanted(fleet, centre):
    fleet.hub()
    fleet.node("a", "--no-history")
    run(fleet, "acme", 1)
    assert not outboxes(fleet) and fleet.end("a") == 0
    assert centre.rows("kind=run") == []


def test_a_store_that_is_broken_keeps_nobody_back(fleet, centre):
    fleet.hub()
    home = fleet.dir / "node"
    fleet.node("a", "--dir", home)
    run(fleet, "acme", 1)
    own_fleet.until(lambda: len(centre.rows("kind=run")) == 1, "it has come")
    broken = home / "tenants/broken/state/aisbx"
    broken.mkdir(parents=True)
    (broken / "store.db").mkdir()
    own_fleet.until(lambda: "aisbx-outbox: " in fleet.log("a"), "the error is told")
    run(fleet, "other", 2)
    own_fleet.until(lambda: len(centre.rows("kind=run tenant=other")) == 2, "others go on")
