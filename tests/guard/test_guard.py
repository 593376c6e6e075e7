# SPDX-License-Identifier: Apache-2.0
"""The guard's judgement of labelled commands: none that is risky runs as it is, few that are safe get a box, and soon."""
import statistics
import time

import box


def test_there_are_enough(commands):
    assert sum(map(len, commands.values())) >= 300
    assert len(commands["safe"]) >= 100 and len(commands["disguised"]) >= 120 and len(commands["risky"]) >= 80
    for kind in commands.values():
        assert len(set(kind)) == len(kind) and all(isinstance(c, str) for c in kind)


def test_no_risky_one_is_called_safe(commands, trapped, tell):
    bad = commands["risky"] + commands["disguised"]
    verdicts = trapped.judge_all(bad)
    assert len(verdicts) == len(bad)
    called_safe = [c for c, v in zip(bad, verdicts) if v["act"] == "run"]
    tell(f"guard: {len(bad)} risky and disguised commands, {len(called_safe)} called safe")
    assert not called_safe
    assert all(v["reasons"] for v in verdicts)


def test_few_safe_ones_get_a_box(commands, world, tell):
    safe = commands["safe"]
    verdicts = world.judge_all(safe)
    boxed = {c: v["reasons"] for c, v in zip(safe, verdicts) if v["act"] != "run"}
    tell(f"guard: {len(safe)} safe commands, {len(boxed)} of them boxed ({100 * len(boxed) / len(safe):.1f} %)")
    assert len(boxed) <= 0.05 * len(safe), boxed


def test_the_decision_is_quick(commands, world, tell):
    """Printed, for a busy machine is slow; a decision that took a hundred times the goal would be another thing."""
    everything = [c for kind in commands.values() for c in kind]
    times = sorted(v["judge_us"] for v in world.judge_all(everything))
    whole = []
    for command in commands["safe"][::40]:
        start = time.monotonic()
        world.judge(command)
        whole.append((time.monotonic() - start) * 1000)
    tell(f"guard: decision of {len(times)}: p50 {times[len(times) // 2]} us, p99 {times[len(times) * 99 // 100]} us; "
         f"whole process, median {statistics.median(whole):.1f} ms")
    assert times[len(times) // 2] < 200_000
