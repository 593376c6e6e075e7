#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a live box costs that does nothing: N detached runs of `sleep`, all at once.

Prints per box the proportional set size (PSS) of supervisor, pid 1 and command, what of it is the box's alone, the
kernel's share (what MemAvailable lost beyond that, and what of it is slab), and the processor time of a supervisor.

    bench/idle.py [--boxes N] [--seconds N] [--aisbx PATH]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

GOAL_KIB = 300


def meminfo():
    with open("/proc/meminfo", encoding="ascii") as f:
        return {line.split(":")[0]: int(line.split()[1]) for line in f}


def settle():
    """MemAvailable moves for a while after a thousand processes were started."""
    last = meminfo()["MemAvailable"]
    for _ in range(50):
        time.sleep(0.2)
        now = meminfo()["MemAvailable"]
        if abs(now - last) < 512:
            return
        last = now


def rollup(pid):
    """KiB: PSS, and of that private."""
    found = {}
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
        for line in f:
            key, _, rest = line.partition(":")
            if rest.strip().endswith("kB"):
                found[key] = int(rest.split()[0])
    return found["Pss"], found["Private_Clean"] + found["Private_Dirty"]


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


def cpu_ms(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as f:
        return int(f.read().split()[0]) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boxes", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", "aisbx"))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-idle-") as place:
        env = {**os.environ, "XDG_STATE_HOME": os.path.join(place, "state")}
        project = os.path.join(place, "project")
        os.mkdir(project)

        def call(*words, **kw):
            return subprocess.run([args.aisbx, *words], env=env, cwd=project, check=True, stdout=subprocess.PIPE, **kw).stdout

        call("run", "--", "true")
        settle()
        before = meminfo()
        begin = time.monotonic()
        with ThreadPoolExecutor(4) as pool:
            ids = list(pool.map(lambda _: call("run", "--detach", "--timeout", "0", "--", "sleep", "100000").decode().strip(),
                                range(args.boxes)))
        took = time.monotonic() - begin
        try:
            settle()
            after = meminfo()
            begin = time.monotonic()
            runs = json.loads(call("ps", "--all", "--json"))["runs"]
            asked = time.monotonic() - begin
            assert len(runs) == args.boxes and all(r["state"] == "running" for r in runs)
            report(args, runs, before, after, took, asked)
        finally:
            begin = time.monotonic()
            for at in range(0, len(ids), 200):
                call("kill", *ids[at:at + 200])
            print(f"ended in {time.monotonic() - begin:.1f} s")


def report(args, runs, before, after, took, asked):
    roles = {"supervisor": [r["pid"] for r in runs]}
    roles["pid 1"] = [children(pid)[0] for pid in roles["supervisor"]]
    roles["command"] = [children(pid)[0] for pid in roles["pid 1"]]
    n, total, private, missing = args.boxes, 0.0, 0.0, ""
    print(f"{n} idle boxes, started in {took:.1f} s ({took / n * 1e3:.1f} ms each), listed in {asked * 1e3:.0f} ms, uid {os.getuid()}")
    print(f"{'':12} {'PSS KiB':>8} {'private':>8}")
    for role, pids in roles.items():
        try:
            values = [rollup(pid) for pid in pids]
        except PermissionError:  # pid 1 of an ordinary user lets nobody look into it
            print(f"{role:12} {'-':>8} {'-':>8}   (not readable; root sees it)")
            missing = f" (without {role})"
            continue
        pss, own = sum(v[0] for v in values) / n, sum(v[1] for v in values) / n
        total, private = total + pss, private + own
        print(f"{role:12} {pss:8.1f} {own:8.1f}")
    print(f"{'user memory':12} {total:8.1f} {private:8.1f}   goal {GOAL_KIB}{missing}")
    lost = (before["MemAvailable"] - after["MemAvailable"]) / n
    slab = (after["SUnreclaim"] - before["SUnreclaim"]) / n
    others = {k: (after[k] - before[k]) / n for k in ("KernelStack", "PageTables", "Percpu", "Shmem")}
    print(f"all memory   {lost:8.1f} KiB per box by MemAvailable; of it slab {slab:.1f}, "
          + ", ".join(f"{k} {v:.1f}" for k, v in others.items()))
    used = [cpu_ms(pid) for pid in roles["supervisor"]]
    time.sleep(args.seconds)
    used = [cpu_ms(pid) - was for pid, was in zip(roles["supervisor"], used)]
    print(f"a supervisor takes {sum(used) / n / args.seconds:.3f} ms of processor time a second")
    if total > GOAL_KIB:
        sys.exit(f"bench: {total:.0f} KiB of user memory per box, more than {GOAL_KIB}")


if __name__ == "__main__":
    main()
