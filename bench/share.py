#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What snapshots of one project take on disk, beside copies of it.

usage: AISBX=PATH bench/share.py [SNAPSHOTS]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

AISBX = os.environ["AISBX"]
FILES, SIZE, CHANGED = 2000, 8000, 20


def disk(top):
    seen, total = set(), 0
    for place, dirs, files in os.walk(top):
        for name in dirs + files:
            st = os.lstat(os.path.join(place, name))
            if st.st_ino not in seen:
                seen.add(st.st_ino)
                total += st.st_blocks * 512
    return total


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    with tempfile.TemporaryDirectory(dir="/var/tmp") as top:
        project, env = pathlib.Path(top, "project"), {**os.environ, "XDG_STATE_HOME": top + "/state", "HOME": top}
        project.mkdir()

        def call(*words):
            return subprocess.run([AISBX, *words], cwd=project, env=env, check=True, capture_output=True, text=True).stdout

        call("create", "one")
        call("run", "--box", "one", "--", "sh", "-c", f"mkdir d; for i in $(seq {FILES}); do head -c {SIZE} /dev/urandom > d/$i; done")
        one = json.loads(call("du", "--json"))["layers"]
        for i in range(count):
            call("run", "--box", "one", "--", "sh", "-c", f"for i in $(seq {CHANGED}); do echo {i} > d/$i; done")
            call("snap", "one", f"s{i}")
        taken = json.loads(call("du", "--json"))["layers"]
        print(f"{count} snapshots of {FILES} files, {CHANGED} changed before each: {taken / MIB:.1f} MiB, {100 * taken / (count * one):.2f} % of {count} copies")
        for i in range(5):  # the same work in five boxes, with the times of files as an archive has them
            call("create", f"same{i}")
            call("run", "--box", f"same{i}", "--", "sh", "-c", f"mkdir e; for i in $(seq {FILES}); do yes $i | head -c {SIZE} > e/$i; done; find e -exec touch -d @1000 {{}} +")
            call("snap", f"same{i}", "s")
        before = disk(top + "/state/aisbx/layers")
        start = time.monotonic()
        call("gc", "--share")
        spent = time.monotonic() - start
        after = disk(top + "/state/aisbx/layers")
        print(f"5 boxes with {FILES} equal files each: {before / MIB:.1f} MiB, after gc {after / MIB:.1f} MiB; gc took {1000 * spent:.0f} ms")
        start = time.monotonic()
        call("gc", "--share")
        print(f"gc again: {1000 * (time.monotonic() - start):.0f} ms; du: ", end="")
        start = time.monotonic()
        call("du")
        print(f"{1000 * (time.monotonic() - start):.0f} ms")


MIB = 1 << 20
if __name__ == "__main__":
    main()
