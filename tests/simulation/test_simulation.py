# SPDX-License-Identifier: Apache-2.0
"""Simulated fleets, by seeds: the core that runs on NATS, in a world in which everything that may fail does.

A violation is printed with its seed and with the command that shows all that led to it. With AISBX_LONG=1 a million seeds are tried.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess

import pytest

SIM = str(pathlib.Path(os.environ["AISBX_TEST_BIN"]) / "fleet-sim")
LONG = bool(os.environ.get("AISBX_LONG"))
SMALL = 1_000_000 if LONG else 1_000  # seeds
BIG = 100 if LONG else 5
PART = 10_000 if LONG else 500  # that one process tries
SIDE_BY_SIDE = 2
FAULTS = ("rollbacks", "stale_reads", "crashes", "lost_disks", "pauses", "partitions", "outages", "hub_changes", "reruns", "unknown", "dead", "cancelled")
PLANTED = subprocess.run([SIM, "--list-planted"], capture_output=True, text=True, check=True, timeout=60).stdout.split()


def simulate(*words):
    return subprocess.run([SIM, *map(str, words)], capture_output=True, text=True, timeout=None if LONG else 280)


def sums(run):
    assert run.returncode == 0, run.stderr + run.stdout
    return {name: int(number) for name, number in re.findall(r"(\w+) (\d+)", run.stdout)}


def simulate_all(seeds, part, *words):
    """Sums over that many seeds, tried side by side in parts."""
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        parts = pool.map(lambda first: sums(simulate("--seed", first, "--seeds", min(part, seeds + 1 - first), *words)), range(1, seeds + 1, part))
        total = {}
        for one in parts:
            total = {name: total.get(name, 0) + number for name, number in one.items()}
    return total


def describe(total):
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in total.items())


def test_small_fleets(tell):
    total = simulate_all(SMALL, PART)
    tell(f"simulation, small fleets: {describe(total)}")
    assert total["seeds"] == SMALL
    # Otherwise nothing was shown.
    assert all(total[fault] > SMALL / 50 for fault in FAULTS), total
    assert total["told"] + total["orphans"] >= total["jobs"] * 0.99


@pytest.mark.parametrize("seed", [8714])
def test_seeds_beyond_these_that_found_a_defect(seed):
    """8714: a hub that had been stopped called jobs lost by beats whose lists it had not read."""
    assert sums(simulate("--seed", seed))["jobs"] > 0


@pytest.mark.big
def test_big_fleets(tell):
    total = simulate_all(BIG, 1, "--nodes", 100, "--jobs", 10_000, "--slots", 4, "--submitters", 8)
    tell(f"simulation, 100 nodes and 10,000 jobs: {describe(total)}")
    assert total["seeds"] == BIG
    assert total["ended"] > total["jobs"] / 2


def find_planted(name):
    run = simulate("--planted", name, "--seeds", 1000)
    found = re.search(r"seed (\d+), after", run.stderr)
    return name, int(found[1]) if run.returncode == 1 and found else None, run.stderr


@pytest.mark.big
def test_planted_defects_are_found(tell):
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        found = list(pool.map(find_planted, PLANTED))
    tell("simulation, defects and the seed that shows them: " + ", ".join(f"{name} {seed}" for name, seed, _ in found))
    assert len(PLANTED) >= 10
    assert [name for name, seed, _ in found if seed is None] == []
    assert all(text.startswith("violation: ") for _, _, text in found)


def test_a_seed_is_the_same_world_each_time():
    for seed in (3, 42):
        first, second = (simulate("--seed", seed, "--trace") for _ in range(2))
        assert first.stdout == second.stdout
        assert first.stdout.count("\n") > 500
    assert simulate("--seed", 4, "--trace").stdout != first.stdout


def test_a_trace_of_one_job():
    """What is said of others is left out; faults are told in any case."""
    lines = simulate("--seed", 3, "--job", "j7").stdout.splitlines()[:-1]
    assert any(re.search(r"\bj7\b", line) for line in lines)
    assert not any(re.search(r" (offer|may_i) j(?!7\b)", line) for line in lines)
