# SPDX-License-Identifier: Apache-2.0
"""What each step of CI may cost: the table in CONTRIBUTING.md, held against what was measured.

Seconds of processors are compared, not of the clock: they are much the same beside other load. Processors differ, and two that share
a core are slower each; so a piece of work of known cost tells how fast this one is just now.
"""
import re
import time

SLACK = 1.7
FEW = 30  # seconds that nobody argues about
KNOWN = 0.044  # seconds that known_work() takes on the machine that the table was measured on


def known_work():
    began = time.process_time()
    total = 0
    for i in range(1_000_000):
        total += i * i % 7
    return time.process_time() - began


def slowness():
    return max(1.0, sorted(known_work() for _ in range(5))[2] / KNOWN)


def budgets(contributing):
    """Step -> seconds of processors, of the rows "| STEP | what | clock | processors |"."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|[^|]*\| *\d+ *\| *(\d+) *\|$", contributing.read_text(), re.M)
    return {name: int(seconds) for name, seconds in rows}


def exceeded(contributing, spent):
    allowed, slow = budgets(contributing), slowness()
    for name, seconds in sorted(spent.items()):
        most = allowed.get(name, 0) * SLACK * slow + FEW
        if seconds > most:
            yield f"{name} took {seconds:.0f} s of processors; {most:.0f} s are allowed (CONTRIBUTING.md, with slack)"
