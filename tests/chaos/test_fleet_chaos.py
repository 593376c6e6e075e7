# SPDX-License-Identifier: Apache-2.0
"""Jobs of four tenants, while nodes, hubs, submitters, leaders of streams, S3 and PostgreSQL are killed, stopped and cut off from each other, a bit of
one replica flips, and one server's disk goes back to an older copy. Only root can make the machines for it. AISBX_LONG=1: all 20,000 jobs.

A node that is offline for days: tests/fleet/test_fleet_history.py::test_three_days_offline.
"""
import os
import time

import pytest

import chaos_checker
import chaos_content
import chaos_faults
import chaos_world

LONG = bool(os.environ.get("AISBX_LONG"))
JOBS = int(os.environ.get("AISBX_CHAOS_JOBS", "20000" if LONG else "800"))
PER_SECOND = 30 if LONG else 6
SEED = int(os.environ.get("AISBX_CHAOS_SEED", "1"))
SECONDS = 3 * JOBS / PER_SECOND + 900  # by then it has failed


def catch_up(world):
    """All is well again: jobs end, and their history arrives."""
    def jobs_are_done():
        world.keep_alive()
        return world.is_done()

    def history_is_there():
        world.keep_alive()
        return chaos_checker.history(world)[1] == 0

    world.until(jobs_are_done, "all jobs have ended", SECONDS)
    world.until(history_is_there, "the history of all nodes is in PostgreSQL", 300)


@pytest.mark.timeout(0)  # its own bound: SECONDS
def test_jobs_while_everything_fails(tmp_path, tell):
    world = chaos_world.World(tmp_path, PER_SECOND, JOBS, once_every=5)
    try:
        world.start()
        content = chaos_content.Content(world)
        content.start()
        for tenant in chaos_world.TENANTS:
            world.load(tenant)
        chaos, end = chaos_faults.Chaos(world, SEED), time.monotonic() + SECONDS
        while not (chaos.is_over() and (world.is_done() or not LONG)):
            assert time.monotonic() < end, world.words()
            chaos.step()
            world.keep_alive()
            time.sleep(0.2)
        chaos.heal()
        catch_up(world)
        figures, wrong = chaos_checker.check(world)
        lost = content.lost()
    finally:
        if "content" in locals():
            content.over.set()
        world.close()
    tell(f"{chaos.n} faults; " + ", ".join(f"{name} {figures[name]}" for name in ("submitted", "ended", "lost", "double", "unknown", *sorted(set(figures) - {
        "submitted", "ended", "lost", "double", "unknown"}))))
    tell(f"content in S3: pushed {len(content.pushed)}, {content.failed} tries failed, lost {lost}")
    assert not wrong, "\n".join(wrong[:30])
    assert figures["lost"] == figures["double"] == figures["history rows missing"] == lost == 0
