#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints line coverage per file of src and in total, over all objects of a build made by tools/coverage/run.

usage: report.py BUILD SOURCE [--missing]     --missing: also the numbers of the lines never run
"""
import collections
import json
import os
import pathlib
import subprocess
import sys


def real_path(directory, file):
    """gcov folds "../../../x" of a build far from its source into "x"; then it is counted from the root."""
    path = os.path.realpath(os.path.join(directory, file))
    return path if os.path.exists(path) else os.path.realpath("/" + file)


def read_lines(build, source):
    """file -> line -> count, summed over every object that the file was compiled into."""
    lines = collections.defaultdict(dict)
    for note in map(str, pathlib.Path(build).rglob("*.gcno")):
        if "/meson-private/" in note:
            continue
        done = subprocess.run(["gcov", "--json-format", "--stdout", note], cwd=build, capture_output=True, text=True,
                              check=False)
        for text in filter(None, done.stdout.splitlines()):
            document = json.loads(text)
            for file in document["files"]:
                path = real_path(document["current_working_directory"], file["file"])
                if path.startswith(source + "/src/"):
                    for line in file["lines"]:
                        number = line["line_number"]
                        lines[path][number] = lines[path].get(number, 0) + line["count"]
    return lines


def ranges(numbers):
    """1 2 3 7 -> "1-3 7"."""
    parts = []
    for n in numbers:
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return " ".join(f"{a}-{b}" if a != b else str(a) for a, b in parts)


def main():
    build, source = map(os.path.realpath, sys.argv[1:3])
    covered = total = 0
    for path, counts in sorted(read_lines(build, source).items()):
        run = sum(1 for count in counts.values() if count)
        covered, total = covered + run, total + len(counts)
        print(f"{os.path.relpath(path, source):32} {run:5}/{len(counts):<5} {100 * run / len(counts):6.1f} %")
        if "--missing" in sys.argv and run < len(counts):
            print("    never run:", ranges(sorted(n for n, count in counts.items() if not count)))
    print(f"{'TOTAL':32} {covered:5}/{total:<5} {100 * covered / max(total, 1):6.1f} %")


main()
