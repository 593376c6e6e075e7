#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes of the programs of builds, and how long `aisbx run -- true` takes by each, in turns: tests/debian13/run starts it.

usage: figures.py BUILD...       BUILD is a directory; "build" is Debian 13's, "host" that of the machine around it
"""
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAMS = ("aisbx", "aisbx-jail", "aisbx-file", "aisbx-merge", "aisbx-scan", "aisbx-seccomp", "aisbx-serve", "aisbx-http")
ROUNDS = 60


def release(build):
    """The compiler that wrote the program says which Debian it was."""
    text = subprocess.run(["readelf", "--string-dump=.comment", f"{build}/src/aisbx"], check=True, stdout=subprocess.PIPE, text=True).stdout
    words = next(line for line in text.splitlines() if "GCC" in line or "clang" in line).split("] ")[-1]
    return words.strip()


def sizes(build, scratch):
    """Program -> (bytes, bytes without what is for debuggers)."""
    found = {}
    for name in PROGRAMS:
        path = f"{build}/src/{name}"
        if os.path.exists(path):
            subprocess.run(["strip", "-o", f"{scratch}/stripped", path], check=True)
            found[name] = (os.path.getsize(path), os.path.getsize(f"{scratch}/stripped"))
    return found


def once(build, null):
    argv = [f"{build}/src/aisbx", "run", "--", shutil.which("true")]
    start = time.perf_counter()
    _, status = os.waitpid(os.posix_spawn(argv[0], argv, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)]), 0)
    assert status == 0, f"{argv}: {status}"
    return (time.perf_counter() - start) * 1e3


def main():
    builds = [os.path.abspath(word) for word in sys.argv[1:]]
    null = os.open("/dev/null", os.O_RDWR)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["XDG_STATE_HOME"] = f"{scratch}/state"
        os.chdir(scratch)
        table = {build: sizes(build, scratch) for build in builds}
        times = {build: [] for build in builds}
        for n in range(ROUNDS + 3):
            for build in random.sample(builds, len(builds)):
                took = once(build, null)
                if n >= 3:  # the first are for warming up
                    times[build].append(took)
    print("figures: " + "; ".join(f"{os.path.basename(build)} is by {release(build)}" for build in builds))
    print(f"{'KiB (stripped)':18}" + "".join(f"{os.path.basename(build):>18}" for build in builds))
    for name in PROGRAMS:
        cells = [table[build].get(name) for build in builds]
        print(f"{name:18}" + "".join(f"{f'{c[0] >> 10} ({c[1] >> 10})' if c else '-':>18}" for c in cells))
    print(f"{'run -- true, ms':18}" + "".join(f"{statistics.median(times[build]):18.2f}" for build in builds) +
          f"   median of {ROUNDS}, in turns, on this Debian 13 root")


if __name__ == "__main__":
    main()
