# SPDX-License-Identifier: Apache-2.0
"""How slow this machine is just now: bounds of tests are meant for a machine with nothing else to do, and stretch with it.

TIMEOUT_MULTIPLIER says how much slower the build under test is by itself (sanitizers, an emulated processor).
"""
import os
import statistics
import time

BUILD = float(os.environ.get("TIMEOUT_MULTIPLIER", "1"))
START_S = 0.0012  # to start a program and wait for its end, on two idle processors
HANGS = 180 * BUILD  # seconds: what has not come by then on any machine will not
MOST = 30  # where a machine is slower than this, something else is wrong


def start_once():
    began = time.monotonic()
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
    return time.monotonic() - began


def crowd():
    """How many want each processor: now, or on average in the last minute."""
    with open("/proc/loadavg", encoding="ascii") as f:
        minute, _, _, now, _ = f.read().split()
    return max(float(minute), int(now.split("/")[0])) / os.cpu_count()


def slowness():
    """1 on an idle machine; on a busy one how many times as long things take, beyond what BUILD says. The kernel lets who has slept
    go first, so a start alone would not tell."""
    return min(MOST, max(1.0, crowd(), statistics.median(start_once() for _ in range(5)) / START_S / BUILD))


def seconds(bound):
    """A bound for something that has to happen now."""
    return bound * BUILD * slowness()


class Deadline:
    """Runs out after so many seconds of a machine with nothing else to do: on a busy one its seconds are longer."""

    def __init__(self, bound):
        self.left, self.last = bound * BUILD, time.monotonic()

    def is_over(self):
        passed = time.monotonic() - self.last
        if passed > min(1, self.left):  # to measure takes some of it, so not each time
            self.left -= passed / slowness()
            self.last = time.monotonic()
        return self.left <= 0
