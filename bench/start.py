#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long `aisbx run -- true` takes, beside bwrap, unshare and a bare fork+exec.

Interleaved: each round runs every contender once, in a shuffled order, so that a noisy
moment of the machine hits all of them. Prints p50, p95 and the ratio of p50 to bwrap's.

    bench/start.py [--rounds N] [--aisbx PATH]
"""
import argparse
import os
import random
import shutil
import statistics
import sys
import time


def contenders(aisbx):
    true = shutil.which("true")
    return {
        "fork+exec": [true],
        "unshare": ["unshare", "--user", "--map-current-user", "--mount", "--pid", "--fork", "--net", "--ipc",
                    "--uts", "--cgroup", "--mount-proc", true],
        "bwrap": ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs",
                  "/tmp", true],
        "aisbx strict": [aisbx, "run", "--profile", "strict", "--", true],
        "aisbx": [aisbx, "run", "--", true],
    }


def once(argv, null):
    """Milliseconds from spawn to the end; posix_spawn, since Python's own fork would dominate."""
    actions = [(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    took = (time.perf_counter() - start) * 1e3
    if status != 0:
        sys.exit(f"bench: {' '.join(argv)} failed with status {status}")
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", "aisbx"))
    args = parser.parse_args()
    todo = contenders(args.aisbx)
    null = os.open("/dev/null", os.O_RDWR)
    times = {name: [] for name in todo}
    for name, argv in todo.items():
        once(argv, null)
    for _ in range(args.rounds):
        names = list(todo)
        random.shuffle(names)
        for name in names:
            times[name].append(once(todo[name], null))
    base = statistics.median(times["bwrap"])
    print(f"start of `true`, {args.rounds} rounds interleaved, uid {os.getuid()}")
    print(f"{'':14} {'p50 ms':>8} {'p95 ms':>8} {'x bwrap':>8}")
    for name, values in times.items():
        p95 = statistics.quantiles(values, n=20)[18]
        p50 = statistics.median(values)
        print(f"{name:14} {p50:8.2f} {p95:8.2f} {p50 / base:8.2f}")


if __name__ == "__main__":
    main()
