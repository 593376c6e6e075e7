#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a long history costs: noting a run, importing, asking with each filter, bringing a store of the first format up.

Notes are written by bench/history.c through the program's own function, every one beside a bare write(2) of as many
bytes; the ratio is of those two. Questions are whole commands, from spawn to end, in shuffled turns with
`aisbx --version` as the floor of starting a program.

    bench/history.py [--runs N] [--rounds N] [--aisbx PATH] [--fill PATH]
"""
import argparse
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

FIRST_FORMAT = """
CREATE TABLE runs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, box TEXT, status TEXT NOT NULL,
 exit_code INTEGER, started_ms INTEGER NOT NULL, wall_ms REAL NOT NULL, command TEXT NOT NULL, result TEXT);
CREATE INDEX runs_by_box ON runs(box, seq);
CREATE INDEX runs_by_status ON runs(status, seq);
CREATE INDEX runs_by_time ON runs(started_ms);
CREATE TABLE layers (id TEXT PRIMARY KEY, parent TEXT, frozen INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE boxes (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, top TEXT NOT NULL, profile TEXT NOT NULL,
 project TEXT, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL, watermark_s INTEGER NOT NULL,
 watermark_ns INTEGER NOT NULL, autosnap INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE snapshots (id TEXT PRIMARY KEY, box TEXT NOT NULL, name TEXT NOT NULL, layer TEXT NOT NULL,
 created_ms INTEGER NOT NULL, automatic INTEGER NOT NULL, seq INTEGER NOT NULL, UNIQUE (box, name)) WITHOUT ROWID;
PRAGMA user_version=1;
"""
QUESTIONS = ([], ["--limit", "1000"], ["--full"], ["--box", "b-few"], ["--box", "b-17"], ["--status", "failed"],
             ["--status", "denied"], ["--since", "1h"], ["--since", "1ms"], ["--since", "100d"],
             ["--match", "pytest"], ["--match", "seed 123456"], ["--match", "no such text"], ["--match", "zz"],
             ["--match", "~"], ["--match", "99"], ["--match", "test tests"], ["--box", "b-few", "--match", "make"],
             ["--box", "b-17", "--match", "no such text"], ["--status", "denied", "--match", "make"],
             ["--box", "b-17", "--status", "failed", "--match", "make", "--since", "100d"])


def at(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def once(argv, env):
    actions = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1)]
    start = time.perf_counter()
    _, status = os.waitpid(os.posix_spawn(argv[0], argv, env, file_actions=actions), 0)
    if status != 0:
        sys.exit(f"bench: {' '.join(argv)} failed with status {status}")
    return (time.perf_counter() - start) * 1e3


def fill(args, state):
    """RUNS runs noted; every 20th is timed. Some find many notes and import them: those are the longest."""
    os.makedirs(state)
    start = time.perf_counter()
    boxes = ["b-few", *(f"b-{i}" for i in range(100))]
    out = subprocess.run([args.fill, state, "0", str(args.runs), "20", *boxes], check=True, capture_output=True, text=True)
    took = time.perf_counter() - start
    notes, writes = zip(*(tuple(int(n) / 1e3 for n in line.split()) for line in out.stdout.splitlines()))
    print(f"{args.runs} runs noted in {took:.1f} s, {took / args.runs * 1e6:.1f} us each with their imports")
    print(f"{'':28} {'p50 us':>9} {'p95 us':>9} {'p99 us':>9} {'max us':>9}")
    for name, values in (("store_run_note", notes), ("bare write of its line", writes)):
        print(f"{name:28} " + " ".join(f"{at(values, s):9.1f}" for s in (0.5, 0.95, 0.99, 1)))
    print(f"ratio of the p50: {statistics.median(notes) / statistics.median(writes):.1f}")


def ask(args, env):
    words = {" ".join(["history", *q]): ["history", "--json", *q] for q in QUESTIONS}
    words["--version"] = ["--version"]
    times = {name: [] for name in words}
    for i in range(-2, args.rounds):
        for name in random.sample(list(words), len(words)):
            took = once([args.aisbx, *words[name]], env)
            if i >= 0:
                times[name].append(took)
    print(f"\nhistory of {args.runs} runs; {args.rounds} rounds interleaved, uid {os.getuid()}")
    print(f"{'':72} {'p50 ms':>8} {'p95 ms':>8}")
    for name, values in times.items():
        print(f"{name:72} {statistics.median(values):8.2f} {at(values, 0.95):8.2f}")


def bring_up(args, root):
    """A store of the first format with as many runs: how long its first question takes, and the second."""
    os.makedirs(f"{root}/old/aisbx")
    db = sqlite3.connect(f"{root}/old/aisbx/store.db")
    db.execute("PRAGMA journal_mode=WAL")
    db.executescript(FIRST_FORMAT)
    with db:
        db.executemany("INSERT INTO runs (id, box, status, exit_code, started_ms, wall_ms, command) VALUES (?,?,?,?,?,?,?)",
                       ((f"r-{i:016x}", f"b-{i % 100}", "ok", 0, i * 1000, 1.0, f"make test --seed {i}")
                        for i in range(args.runs)))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    env = {**os.environ, "XDG_STATE_HOME": f"{root}/old"}
    first, second = (once([args.aisbx, "history", "--match", "no such text"], env) for _ in range(2))
    print(f"\na store of the first format with {args.runs} runs: first question {first:.0f} ms, second {second:.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", "aisbx"))
    parser.add_argument("--fill", help="default: ../bench/history-fill beside aisbx in its build directory")
    parser.add_argument("--dir", help="where to work; default: a new directory in TMPDIR")
    args = parser.parse_args()
    args.aisbx = os.path.abspath(shutil.which(args.aisbx) or sys.exit(f"bench: there is no {args.aisbx}"))
    args.fill = args.fill or os.path.join(os.path.dirname(args.aisbx), "../bench/history-fill")
    root = tempfile.mkdtemp(prefix="aisbx-bench-", dir=args.dir)
    try:
        fill(args, f"{root}/state/aisbx")
        env = {**os.environ, "XDG_STATE_HOME": f"{root}/state"}
        print(f"import of what was left: {once([args.aisbx, 'history', '--limit', '1'], env):.1f} ms")
        ask(args, env)
        bring_up(args, root)
    finally:
        subprocess.run(["rm", "-rf", root], check=False)


if __name__ == "__main__":
    main()
