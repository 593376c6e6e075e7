#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to read and write a file of a box from outside, beside a command in the box that does the same.

Whole commands, from spawn to end, in milliseconds, in an idle box and in a live one. Interleaved: each round runs every command
once, in a shuffled order; `aisbx --version` is the floor of starting a program.

    bench/files.py [--rounds N] [--size BYTES] [--dir DIR] [--aisbx PATH]
"""
import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

NULL = os.open("/dev/null", os.O_RDWR)


def once(argv, env, cwd):
    actions = [(os.POSIX_SPAWN_DUP2, NULL, fd) for fd in (0, 1)]
    os.chdir(cwd)
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        sys.exit(f"bench: {' '.join(argv)[:200]} failed with status {status}")
    return (time.perf_counter() - start) * 1e3


def contest(title, aisbx, env, cwd, rounds, size):
    entries = {
        "aisbx --version": ["--version"],
        "run --box B -- cat f": ["run", "--box", "b", "--", "cat", "f"],
        "file read B f": ["file", "read", "b", "f"],
        "file stat B f": ["file", "stat", "b", "f"],
        "file ls B": ["file", "ls", "b"],
        "run --box B -- sh -c '> g'": ["run", "--box", "b", "--", "sh", "-c", "cat f > g"],
        "file write B g": ["file", "write", "b", "g", "--content", "x" * min(size, 100000)],
    }
    times = {name: [] for name in entries}
    for i in range(-2, rounds):
        for name in random.sample(list(entries), len(entries)):
            took = once([aisbx, *entries[name]], env, cwd)
            if i >= 0:
                times[name].append(took)
    print(f"{title}: {'':{30 - len(title)}} p50 ms   p90 ms")
    for name, all_times in times.items():
        print(f"  {name:30} {statistics.median(all_times):7.2f}  {statistics.quantiles(all_times, n=10)[-1]:7.2f}")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--rounds", type=int, default=40)
    p.add_argument("--size", type=int, default=1024)
    p.add_argument("--dir")
    p.add_argument("--aisbx", default=str(pathlib.Path(__file__).resolve().parents[1] / "build/src/aisbx"))
    a = p.parse_args()
    root = pathlib.Path(tempfile.mkdtemp(prefix="bench-files-", dir=a.dir))
    project = root / "project"
    project.mkdir()
    (project / "f").write_bytes(b"x" * a.size)
    env = {**os.environ, "XDG_STATE_HOME": str(root / "state")}
    try:
        subprocess.run([a.aisbx, "create", "b"], cwd=project, env=env, check=True, stdout=NULL)
        contest("idle box", a.aisbx, env, project, a.rounds, a.size)
        live = subprocess.Popen([a.aisbx, "run", "--timeout", "0", "--box", "b", "--", "cat"], cwd=project, env=env,
                                stdin=subprocess.PIPE, stdout=NULL)
        while subprocess.run([a.aisbx, "exec", "b", "--", "true"], env=env, stderr=NULL, check=False).returncode:
            pass
        contest("live box", a.aisbx, env, project, a.rounds, a.size)
        live.communicate()
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
