#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`aisbx logs --follow` of a detached run that prints much, beside `cat` through a pipe.

Interleaved: each round has both, in a changing order, with the same producer and the same reader behind it. Prints the
median of each, the median of the rounds' ratios (0.5: half as fast as cat), and the supervisor's resident memory at the start and at its
largest. Every byte is counted: a loss is an error.

    bench/logs.py [--rounds N] [--bytes N] [--aisbx PATH]
"""
import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1 << 20


def count(stream):
    total, room = 0, bytearray(1 << 18)
    while n := stream.readinto(room):
        total += n
    return total


def rss(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            return next((int(line.split()[1]) for line in f if line.startswith("VmRSS:")), 0)
    except OSError:
        return 0


class Watch(threading.Thread):
    """Largest resident set of a process, in KiB."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.first, self.most = pid, rss(pid), 0
        self.start()

    def run(self):
        while now := rss(self.pid):
            self.most = max(self.most, now)
            time.sleep(0.02)


def by_cat(command, size):
    begin = time.perf_counter()
    source = subprocess.Popen(command, stdout=subprocess.PIPE)
    reader = subprocess.Popen(["cat"], stdin=source.stdout, stdout=subprocess.PIPE, bufsize=0)
    source.stdout.close()
    assert count(reader.stdout) == size
    took = time.perf_counter() - begin
    reader.stdout.close()
    assert source.wait() == 0 and reader.wait() == 0
    return took


def by_logs(aisbx, command, size, env, memory):
    begin = time.perf_counter()
    run = subprocess.run([aisbx, "run", "--detach", "--output", "1g", "--", *command], env=env, check=True,
                         stdout=subprocess.PIPE, text=True).stdout.strip()
    reader = subprocess.Popen([aisbx, "logs", "--follow", run], stdout=subprocess.PIPE, env=env, bufsize=0)
    pid = next((name for name in os.listdir("/proc") if name.isdigit() and supervises(name, run, env)), None)
    watch = Watch(pid) if pid else None
    got = count(reader.stdout)
    took = time.perf_counter() - begin
    reader.stdout.close()
    assert reader.wait() == 0
    assert got == size, f"{size - got} bytes are missing"
    subprocess.run([aisbx, "wait", run], env=env, check=True)
    if watch:
        memory.append((watch.first, watch.most))
    os.remove(os.path.join(env["XDG_STATE_HOME"], "aisbx", "runs", run, "log"))
    return took


def supervises(pid, run, env):
    """A process whose only open socket name is the run's: the detached one has the log open."""
    log = os.path.join(env["XDG_STATE_HOME"], "aisbx", "runs", run, "log")
    try:
        return any(os.readlink(f"/proc/{pid}/fd/{fd}") == log and "w" in mode(pid, fd) for fd in os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return False


def mode(pid, fd):
    with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as f:
        flags = next(int(line.split()[1], 8) for line in f if line.startswith("flags:"))
    return "w" if flags & os.O_ACCMODE == os.O_WRONLY else "r"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--bytes", type=int, default=200 * MIB)
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", "aisbx"))
    args = parser.parse_args()
    kinds = {"blocks": ["head", "-c", str(args.bytes), "/dev/zero"],
             "lines": ["sh", "-c", f"yes 'a line of output, as programs write them, with some words' | head -c {args.bytes}"]}
    print(f"{args.bytes / MIB:.0f} MiB, {args.rounds} rounds interleaved, uid {os.getuid()}")
    print(f"{'':8} {'cat s':>8} {'logs s':>8} {'ratio':>7} {'RSS KiB at start':>18} {'largest':>8}")
    worst = 9.0
    with tempfile.TemporaryDirectory(prefix="bench-logs-") as state:
        env = {**os.environ, "XDG_STATE_HOME": state}
        for kind, command in kinds.items():
            times, memory = {"cat": [], "logs": []}, []
            for _ in range(args.rounds):
                for name in random.sample(["cat", "logs"], 2):
                    times[name].append(by_cat(command, args.bytes) if name == "cat"
                                       else by_logs(args.aisbx, command, args.bytes, env, memory))
            cat, logs = statistics.median(times["cat"]), statistics.median(times["logs"])
            ratio = statistics.median(c / l for c, l in zip(times["cat"], times["logs"]))
            worst = min(worst, ratio)
            print(f"{kind:8} {cat:8.3f} {logs:8.3f} {ratio:7.2f} {max(m[0] for m in memory):18} "
                  f"{max(m[1] for m in memory):8}")
    if worst < 0.5:
        sys.exit("bench: logs --follow is slower than half of cat")


if __name__ == "__main__":
    main()
