#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Many runs at once, beside bwrap on the same work: throughput, time of one run, memory of supervisors, and what is left.

Eight of ten run `true`, one fails, one never ends and is killed after 60 ms. Both take turns, a block of runs each, so that a noisy
moment of the machine hits both. Percentiles are those of `true`. The memory of a supervisor (VmHWM) is read
while its command waits to be killed. Ends with status 1 if a run ended otherwise than it should, or if anything was left behind.

    bench/load.py [--runs N] [--at-once N] [--block N] [--aisbx PATH]
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

KILL_AFTER = 0.06


def contenders(aisbx):
    """Name to the words before a command, those before one to be killed, and the status that then comes."""
    bwrap = ["bwrap", "--ro-bind", "/", "/", "--unshare-all", "--die-with-parent"]
    return {
        "aisbx": ([aisbx, "run", "--"], [aisbx, "run", "--timeout", f"{KILL_AFTER * 1000:.0f}ms", "--"], 124),
        "bwrap": (bwrap, ["timeout", "-s", "KILL", str(KILL_AFTER), *bwrap], -9),
    }


WORK = {"true": (["true"], 0), "fails": (["sh", "-c", "exit 3"], 3), "killed": (["sleep", "60"], None)}


def kind_of(number):
    return {3: "fails", 7: "killed"}.get(number % 10, "true")


def high_water(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            return next((int(line.split()[1]) for line in f if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


class Load:
    def __init__(self, args):
        self.env = dict(os.environ)
        self.null = os.open("/dev/null", os.O_RDWR)
        self.todo = contenders(args.aisbx)
        self.args = args
        self.times = {name: [] for name in self.todo}    # ms of each `true`
        self.seconds = dict.fromkeys(self.todo, 0.0)     # of all blocks together
        self.memory, self.wrong = [], []                 # (number, KiB); (name, kind, status)

    def one(self, name, number):
        kind = kind_of(number)
        words, status = WORK[kind]
        plain, deadly, killed_status = self.todo[name]
        argv = (deadly if kind == "killed" else plain) + words
        actions = [(os.POSIX_SPAWN_DUP2, self.null, fd) for fd in (0, 1, 2)]
        begin = time.perf_counter()
        pid = os.posix_spawnp(argv[0], argv, self.env, file_actions=actions)
        if kind == "killed" and name == "aisbx":
            time.sleep(KILL_AFTER * 0.7)
            self.memory.append((number, high_water(pid)))
        _, got = os.waitpid(pid, 0)
        took = (time.perf_counter() - begin) * 1000
        got = os.waitstatus_to_exitcode(got)
        if got != (killed_status if kind == "killed" else status):
            self.wrong.append((name, kind, got))
        if kind == "true":
            self.times[name].append(took)

    def go(self):
        with ThreadPoolExecutor(self.args.at_once) as pool:
            for first in range(0, self.args.runs, self.args.block):
                numbers = range(first, min(first + self.args.block, self.args.runs))
                for name in list(self.todo) if first // self.args.block % 2 else reversed(self.todo):
                    begin = time.perf_counter()
                    list(pool.map(self.one, [name] * len(numbers), numbers))
                    self.seconds[name] += time.perf_counter() - begin

    def left(self):
        out = subprocess.run([self.args.aisbx, "doctor", "--leaks", "--json"], stdout=subprocess.PIPE, env=self.env, check=False)
        found = json.loads(out.stdout)["leaks"]
        return {key: found[key] for key in ("processes", "mounts", "cgroups", "namespaces", "files")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10000)
    parser.add_argument("--at-once", type=int, default=32)
    parser.add_argument("--block", type=int, default=250)
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", shutil.which("aisbx")))
    args = parser.parse_args()
    args.aisbx = os.path.abspath(args.aisbx)
    with tempfile.TemporaryDirectory(prefix="load-") as place:
        os.chdir(place)
        os.environ["XDG_STATE_HOME"] = place + "/state"
        load = Load(args)
        before = load.left()
        load.go()
        until = time.monotonic() + 20
        after = load.left()
        while any(after[what] > before[what] for what in after) and time.monotonic() < until:
            time.sleep(0.5)  # what others do on this machine counts as well
            after = load.left()
        os.chdir("/")
    print(f"{args.runs} runs, {args.at_once} at a time, in turns of {args.block}, uid {os.getuid()}")
    print(f"{'':8} {'a second':>9} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8}")
    for name, values in load.times.items():
        parts = statistics.quantiles(values, n=100)
        print(f"{name:8} {args.runs / load.seconds[name]:9.1f} {parts[49]:8.1f} {parts[94]:8.1f} {parts[98]:8.1f}")
    tenth = max(args.runs // 10, 1)
    first = max(kib for n, kib in load.memory if n < tenth)
    last = max(kib for n, kib in load.memory if n >= args.runs - tenth)
    print(f"memory of a supervisor: at most {first} KiB in the first {tenth} runs, {last} KiB in the last {tenth}")
    print(f"left behind: {after} (before: {before})")
    bad = []
    if load.wrong:
        bad.append(f"{len(load.wrong)} runs ended otherwise than they should: {load.wrong[:5]}")
    if any(after[what] > before[what] for what in after):
        bad.append("something was left behind")
    if last > first * 1.1 + 256:
        bad.append("the memory of supervisors grows")
    for line in bad:
        print("bench:", line, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
