#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What `aisbx look` costs: the start of `true`, `git status` of 20,000 files and `find /usr`, beside the same without it.

Interleaved: each round runs both once, in turns, so that a noisy moment of the machine hits both. Prints medians, the difference
and the ratio; of the ratio also the median over pairs of neighbours.

    bench/look.py [--rounds N] [--files N] [--aisbx PATH]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time


def repository(where, files):
    """A repository of so many files, whose index is up to date."""
    for i in range(files):
        path = pathlib.Path(where, f"d{i // 1000}", f"e{i // 100 % 10}", f"f{i}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{i}\n")
    for words in (["init", "-q", "."], ["add", "."], ["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "all"], ["status", "-s"]):
        subprocess.run(["git", "-c", "gc.auto=0", "-c", "maintenance.auto=false", *words], cwd=where, check=True, stdout=subprocess.DEVNULL)


def once(argv, null):
    """Seconds from spawn to the end; posix_spawn, since Python's own fork would dominate."""
    start = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)])
    os.waitpid(pid, 0)
    return time.perf_counter() - start


def compare(argv, aisbx, rounds):
    """(median bare, median behind the glass, median of the ratios of neighbours), in milliseconds."""
    null = os.open("/dev/null", os.O_RDWR)
    pairs = []
    for i in range(rounds + 1):
        both = [(argv, 0), ([aisbx, "look", "--", *argv], 1)]
        took = [0.0, 0.0]
        for words, which in both if i % 2 else reversed(both):
            took[which] = once(words, null)
        pairs.append(took)
    os.close(null)
    pairs = pairs[1:]  # the first one fills caches
    bare, look = (statistics.median(p[i] for p in pairs) * 1e3 for i in range(2))
    return bare, look, statistics.median(p[1] / p[0] for p in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--files", type=int, default=20000)
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", "aisbx"))
    args = parser.parse_args()
    os.environ["GIT_OPTIONAL_LOCKS"] = "0"
    with tempfile.TemporaryDirectory() as where:
        repository(where, args.files)
        print(f"look, {args.rounds} rounds interleaved ({20 * args.rounds} of true), uid {os.getuid()}")
        for name, argv, rounds in (("true", ["true"], 20 * args.rounds), (f"git status, {args.files} files", ["git", "-C", where, "status", "-s"], args.rounds),
                                   ("find /usr", ["find", "/usr"], args.rounds)):
            bare, look, ratio = compare(argv, args.aisbx, rounds)
            print(f"{name:30} bare {bare:8.2f} ms   look {look:8.2f} ms   {look - bare:+6.2f} ms   {look / bare:.3f} x   pairs {ratio:.3f} x")


if __name__ == "__main__":
    main()
