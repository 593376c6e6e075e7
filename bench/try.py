#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What `aisbx try` costs: N branches that only compute, at once, beside one such command alone.

Prints the time on the clock of all, over that of N alone divided by the processors, and the processor time of all over N times that of one;
the latter is the same on a machine that others use, too. One alone and all of them take turns; the median of the rounds counts.

    bench/try.py [--branches N] [--work N] [--rounds N] [--aisbx PATH]
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

GOAL = 1.15


def spent(command, **how):
    """Seconds on the clock, and of processors by the command with all it started; what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, **how)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--branches", type=int, default=32)
    parser.add_argument("--work", type=int, default=4_000_000, help="turns of a loop that each branch does")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", "build/src/aisbx"))
    args = parser.parse_args()
    program, cores = os.path.abspath(args.aisbx), len(os.sched_getaffinity(0))
    work = f"awk 'BEGIN {{ for (i = 0; i < {args.work}; i++) n += i % 7; print n }}'"
    rounds = []
    with tempfile.TemporaryDirectory(prefix="bench-try-") as place:
        project, state = os.path.join(place, "project"), os.path.join(place, "state")
        os.mkdir(project)
        how = {"cwd": project, "env": {**os.environ, "XDG_STATE_HOME": state}}
        for _ in range(args.rounds):
            one = spent([program, "run", "--json", "--", "sh", "-c", work], **how)
            many = spent([program, "try", "--json", "--test", "true", *(w for _ in range(args.branches) for w in ("--", work))], **how)
            result = json.loads(many[2].splitlines()[-1])
            assert result["state"] == "won" and len(result["branches"]) == args.branches, result
            ideal = args.branches * one[0] / min(cores, args.branches)
            rounds.append((many[0] / ideal, many[1] / (args.branches * one[1])))
            print(f"one alone {one[0]:.2f} s ({one[1]:.2f} s of processors); {args.branches} at once {many[0]:.2f} s ({many[1]:.2f} s), of {ideal:.2f} s")
            subprocess.run([program, "rm", "--quiet", result["box"]], check=True, stdout=subprocess.DEVNULL, **how)
    clock, processors = (statistics.median(column) for column in zip(*rounds))
    print(f"try with {args.branches} branches on {cores} processors: {clock:.3f} x of one alone shared out, by the clock (goal {GOAL})")
    print(f"and {processors:.3f} x the processor time of {args.branches} alone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
