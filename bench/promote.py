#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A large promotion and its undo, next to `cp -a` of the same files and a sync of their file system.

    AISBX=build/src/aisbx bench/promote.py [--files 100000] [--rounds 3]

Half of the files are new, half were there and were changed. Every figure is the time of one command on one machine in one
run; ratios are what counts. Interleaved: copy, promotion, undo, and again.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PER_DIRECTORY = 500


def timed(*words, **more):
    began = time.monotonic()
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    took = time.monotonic() - began
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.returncode}: {done.stderr[-2000:]!r} {done.stdout[-500:]!r}")
    return took


def make_files(root, count, text):
    for i in range(count):
        if i % PER_DIRECTORY == 0:
            os.makedirs(f"{root}/d{i // PER_DIRECTORY:04}", exist_ok=True)
        with open(f"{root}/d{i // PER_DIRECTORY:04}/f{i:06}", "w", encoding="ascii") as f:
            f.write(f"{text} {i}\n" * 20)


# Run in the box: changes what is in old/ and makes as much in new/.
CHANGE = f"""
import os
for d, _, names in os.walk("old"):
    for n in names:
        with open(os.path.join(d, n), "a", encoding="ascii") as f:
            f.write("changed\\n")
for i in range(int(os.environ["COUNT"])):
    d = f"new/d{{i // {PER_DIRECTORY}:04}}"
    os.makedirs(d, exist_ok=True)
    with open(f"{{d}}/f{{i:06}}", "w", encoding="ascii") as f:
        f.write(f"new {{i}}\\n" * 20)
"""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--files", type=int, default=100_000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--dir", default=None, help="where to work")
    wish = options.parse_args()
    aisbx = os.path.abspath(os.environ["AISBX"])
    top = tempfile.mkdtemp(prefix="aisbx-bench-", dir=wish.dir)
    os.environ["XDG_STATE_HOME"] = top + "/state"
    project = top + "/project"
    half = wish.files // 2
    try:
        make_files(project + "/old", half, "old")
        time.sleep(0.05)
        subprocess.run([aisbx, "create", "b", "--project", project], check=True, stdout=subprocess.DEVNULL)
        run = timed(aisbx, "run", "--box", "b", "--timeout", "30m", "--env", f"COUNT={half}", "--", "python3", "-c", CHANGE,
                    cwd=project)
        figures = {"cp -a": [], "cp -a, sync": [], "promote": [], "undo": []}
        for i in range(wish.rounds):
            # The same files: what the box made of them lies in its layer.
            layers = [d for d in (f"{top}/state/aisbx/layers/{n}/project/up" for n in os.listdir(f"{top}/state/aisbx/layers"))
                      if os.path.isdir(d)]
            os.sync()
            copy = timed("cp", "-a", layers[0], f"{top}/copy{i}")
            figures["cp -a"].append(copy)
            figures["cp -a, sync"].append(copy + timed("sync", "-f", f"{top}/copy{i}"))
            shutil.rmtree(f"{top}/copy{i}")
            os.sync()
            figures["promote"].append(timed(aisbx, "promote", "b", "--json", cwd=project))
            figures["undo"].append(timed(aisbx, "undo", "--json", cwd=project))
        print(f"{wish.files} changes, half new, half to old files; {wish.rounds} rounds, uid {os.getuid()}; "
              f"the run that made them {run:.1f} s")
        base = statistics.median(figures["cp -a, sync"])
        for name, list_ in figures.items():
            middle = statistics.median(list_)
            print(f"{name:14} {middle:8.2f} s  {middle / wish.files * 1e6:7.1f} us a file  {middle / base:5.2f} x cp -a, sync")
    finally:
        shutil.rmtree(top, ignore_errors=True)


if __name__ == "__main__":
    main()
