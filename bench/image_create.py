#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""How long `create --from IMAGE` takes for an image of 100,000 files, beside `fork BOX@SNAPSHOT` of a box on it, and `create`.

Interleaved: each round does each of them once, in a shuffled order; what was made is removed untimed. Goal: at most 1.2 x of the fork.

    bench/image_create.py [--rounds N] [--files N] [--aisbx PATH]
"""
import argparse
import io
import json
import os
import pathlib
import random
import statistics
import subprocess
import tarfile
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[1]


def archive(path, files):
    """A root file system of FILES small files, a hundred in each directory."""
    with tarfile.open(path, "w") as out:
        for number in range(files):
            if number % 100 == 0:
                folder = tarfile.TarInfo(f"data/{number // 100}/")
                folder.type, folder.mode = tarfile.DIRTYPE, 0o755
                out.addfile(folder)
            entry = tarfile.TarInfo(f"data/{number // 100}/{number}")
            text = f"{number}\n".encode()
            entry.size = len(text)
            out.addfile(entry, io.BytesIO(text))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=100)
    options.add_argument("--files", type=int, default=100_000)
    options.add_argument("--aisbx", default=os.environ.get("AISBX", str(TOP / "build/src/aisbx")))
    said = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-image-", dir="/var/tmp") as place:
        env = {**os.environ, "XDG_STATE_HOME": f"{place}/state", "HOME": place}
        (pathlib.Path(place) / "p").mkdir()

        def call(*words):
            return subprocess.run([said.aisbx, *words], cwd=f"{place}/p", env=env, check=True, capture_output=True, text=True).stdout

        archive(f"{place}/many.tar", said.files)
        start = time.perf_counter()
        call("image", "import", f"{place}/many.tar")
        print(f"{said.files} files imported in {time.perf_counter() - start:.1f} s")
        call("create", "--from", "many", "base")
        call("snap", "base", "s")
        todo = {"create --from": ("create", "--from", "many", "it"), "fork": ("fork", "base@s", "--name", "it"), "create": ("create", "it")}
        times = {name: [] for name in todo}
        for turn in range(said.rounds + 3):  # the first ones warm up
            for name in random.sample(list(todo), len(todo)):
                start = time.perf_counter()
                call(*todo[name])
                took = time.perf_counter() - start
                if turn >= 3:
                    times[name].append(1000 * took)
                call("rm", "it")
        for name, took in times.items():
            print(f"{name:14} p50 {statistics.median(took):6.2f} ms  p95 {statistics.quantiles(took, n=20)[18]:6.2f} ms")
        print(f"ratio create --from / fork: p50 {statistics.median(times['create --from']) / statistics.median(times['fork']):.2f} (goal: 1.2)")
        for box in json.loads(call("ls", "--all", "--json"))["boxes"]:
            call("rm", box["id"])
        call("image", "rm", "many")
        call("gc")


if __name__ == "__main__":
    main()
