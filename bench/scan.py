#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long a scan takes: from the start of aisbx to its end for small programs, and per megabyte for large trees.

usage: bench/scan.py --aisbx build/src/aisbx [--rounds 50] [FOLDER...]
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sysconfig
import time

EXTENSIONS = (".py", ".js", ".cjs", ".mjs", ".ts", ".sh")
SMALL = {"python": "import sys\nprint(sys.argv)\n", "javascript": "console.log(process.argv)\n", "shell": "echo \"$@\"\n"}


def files_below(folder):
    for here, _, names in os.walk(folder):
        yield from (os.path.join(here, name) for name in names if name.endswith(EXTENSIONS))


def used():
    """Seconds of the processor that children have used: a busy machine does not change them."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aisbx", required=True)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("folders", nargs="*", default=[sysconfig.get_paths()["stdlib"]])
    options = parser.parse_args()
    for language, text in SMALL.items():
        times, before = [], used()
        for _ in range(options.rounds):
            began = time.perf_counter()
            subprocess.run([options.aisbx, "scan", "--lang", language, "-"], input=text.encode(), stdout=subprocess.DEVNULL,
                           check=True)
            times.append((time.perf_counter() - began) * 1e3)
        print(f"one small program, {language}: median {statistics.median(times):.1f} ms of {options.rounds}, "
              f"{(used() - before) / options.rounds * 1e3:.1f} ms of the processor")
    for folder in options.folders:
        paths = sorted(files_below(folder))
        before, size, risks = used(), 0, {}
        for first in range(0, len(paths), 2000):  # a command line has an end
            out = subprocess.run([options.aisbx, "scan", "--json", *paths[first:first + 2000]], stdout=subprocess.PIPE).stdout
            result = json.loads(out)
            size += result["bytes"]
            for file in result["files"]:
                risks[file["risk"]] = risks.get(file["risk"], 0) + 1
        seconds = used() - before
        print(f"{folder}: {len(paths)} files, {size / 1e6:.1f} MB in {seconds:.1f} s of the processor, {size / 1e6 / seconds:.1f} MB/s; "
              f"risks {risks}")


if __name__ == "__main__":
    main()
