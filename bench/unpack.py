#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Unpacking one layer, beside `tar x` and `umoci unpack` of the same bytes.

Interleaved: each round unpacks by each of them once, in a shuffled order, into an empty directory; removing it is not timed. A ratio over 1
says that we are faster. Each is timed from spawn to end. Only we write everything to the disk before the end (syncfs), and that is timed.
A root file system to try: `mmdebstrap --variant=standard bookworm rootfs.tar`.

    bench/unpack.py [--rounds N] [--aisbx PATH] [--how gzip|zstd|none] [--dir DIR] ROOTFS.tar
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "tests/lib"))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--aisbx", default=os.environ.get("AISBX", str(TOP / "build/src/aisbx")))
    options.add_argument("--how", choices=("gzip", "zstd", "none"), default="gzip")
    options.add_argument("--dir")
    options.add_argument("rootfs", type=pathlib.Path)
    said = options.parse_args()
    os.environ["AISBX"] = said.aisbx
    import layers
    place = pathlib.Path(tempfile.mkdtemp(prefix="bench-unpack-", dir=said.dir))
    try:
        contest(layers, place, said)
    finally:
        shutil.rmtree(place)


def contest(layers, place, said):
    data = said.rootfs.read_bytes()
    image = layers.layout(place / "image", [data], said.how)
    blob = max((image / "blobs/sha256").iterdir(), key=lambda one: one.stat().st_size)
    into = place / "into"
    ask = json.dumps(layers.request(blob, into, content=data)).encode()
    del data
    unzip = {"gzip": ["-z"], "zstd": ["--zstd"], "none": []}[said.how]
    contenders = {
        "aisbx": lambda: subprocess.run([layers.helper()], input=ask, stdout=subprocess.DEVNULL, check=True),
        "tar x": lambda: subprocess.run(["tar", "-x", *unzip, "-f", blob, "-C", into, "--xattrs", "--xattrs-include=*"], check=True),
    }
    if said.how != "zstd":  # which umoci does not know
        rootless = [] if layers.IS_ROOT else ["--rootless"]
        contenders["umoci unpack"] = lambda: subprocess.run(["umoci", "raw", "unpack", *rootless, "--image", f"{image}:it", into / "rootfs"], check=True,
                                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    times = {name: [] for name in contenders}
    for turn in range(said.rounds + 1):  # the first warms up
        for name in random.sample(list(contenders), len(contenders)):
            into.mkdir()
            os.sync()
            start = time.perf_counter()
            contenders[name]()
            took = time.perf_counter() - start
            if turn:
                times[name].append(took)
            shutil.rmtree(into)
    print(f"{blob.stat().st_size / 1e6:.0f} MB of {said.how}, {said.rounds} rounds, seconds")
    for name, took in times.items():
        print(f"{name:14} p50 {statistics.median(took):6.2f}  best {min(took):6.2f}")
    for name in list(times)[1:]:
        print(f"ratio {name + ' / aisbx':24} p50 {statistics.median(times[name]) / statistics.median(times['aisbx']):.2f}"
              f"  best {min(times[name]) / min(times['aisbx']):.2f}")


if __name__ == "__main__":
    main()
