#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What boxes cost: create and diff by size of the tree, snapshot, rollback and fork by number of changes and of
snapshots before them, lists by number of boxes, history by its length.

Whole commands, from spawn to end, in milliseconds; `aisbx --version` runs beside them as the floor
of starting a program, so "own" is p50 without it. Interleaved: each round runs every command once,
in a shuffled order. A ratio compares the large one with the small one of the same kind.

    bench/boxes.py [--rounds N] [--files N] [--changes N] [--depth N] [--boxes N] [--runs N] [--dir DIR] [--aisbx PATH]
                   [--only create|diff|points|deep|many|history]...
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

NULL = os.open("/dev/null", os.O_RDWR)


def once(argv, env, cwd):
    """Milliseconds from spawn to the end; posix_spawn, since Python's own fork would dominate."""
    actions = [(os.POSIX_SPAWN_DUP2, NULL, fd) for fd in (0, 1)]
    os.chdir(cwd)
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    took = (time.perf_counter() - start) * 1e3
    if status != 0:
        sys.exit(f"bench: {' '.join(argv)} failed with status {status}")
    return took


class Contest:
    """Commands that take turns. Each is a function of the round that gives its words; BEFORE is not timed."""

    def __init__(self, aisbx, env, rounds):
        self.aisbx, self.env, self.rounds = aisbx, env, rounds
        self.entries, self.times = {}, {}
        self.add("aisbx --version", lambda i: ["--version"], "/")

    def add(self, name, words, cwd, before=None, env=None):
        self.entries[name] = (words, cwd, before, env or self.env)
        self.times[name] = []

    def run(self, title, ratios=()):
        for i in range(-2, self.rounds):  # the first two warm up
            names = list(self.entries)
            random.shuffle(names)
            for name in names:
                words, cwd, before, env = self.entries[name]
                if before:
                    before(i)
                took = once([self.aisbx, *words(i)], env, cwd)
                if i >= 0:
                    self.times[name].append(took)
        p50 = {name: statistics.median(v) for name, v in self.times.items()}
        floor = p50["aisbx --version"]
        print(f"\n{title}; {self.rounds} rounds interleaved, uid {os.getuid()}")
        print(f"{'':40} {'p50 ms':>8} {'p95 ms':>8} {'own ms':>8} {'ratio':>7}")
        for name, values in self.times.items():
            ratio = next((f"{p50[b] / p50[a]:7.2f}" for a, b in ratios if b == name), "")
            print(f"{name:40} {p50[name]:8.2f} {statistics.quantiles(values, n=20)[18]:8.2f} "
                  f"{p50[name] - floor:8.2f} {ratio}")
        sys.stdout.flush()


def make_tree(root, files):
    """FILES empty files, 1,000 to a directory; made once for all parts."""
    if os.path.exists(root):
        return
    start = time.perf_counter()
    for at in range(0, files, 1000):
        here = f"{root}/{at // 1000 // 100}/{at // 1000}"
        os.makedirs(here)
        for i in range(min(1000, files - at)):
            os.mknod(f"{here}/file{i}", 0o100644)
    print(f"made {files} files in {time.perf_counter() - start:.1f} s", file=sys.stderr)


def call(args, env, cwd, *words):
    subprocess.run([args.aisbx, *words], cwd=cwd, env=env, check=True, stdout=subprocess.DEVNULL)


def bench_create(args, env, root):
    contest = Contest(args.aisbx, env, args.rounds)
    names = []
    for files in (100, args.files):
        tree = f"{root}/../tree-{files}"
        make_tree(tree, files)
        names.append(f"create, {files} files")
        contest.add(names[-1], lambda i, n=files: ["create", f"c{n}-{i + 2}"], tree)
    contest.run("create by size of the tree", [names])
    contest = Contest(args.aisbx, env, args.rounds)
    runs = []
    for files in (100, args.files):
        call(args, env, f"{root}/../tree-{files}", "create", f"r{files}")
        runs.append(f"run --box -- true, {files} files")
        contest.add(runs[-1], lambda i, n=files: ["run", "--box", f"r{n}", "--", "/bin/true"], root)
    contest.run("run in a box by size of the tree", [runs])


def bench_diff(args, env, root):
    """1,000 changes, 100 in each of ten directories: half of them modify, the others create and delete."""
    contest = Contest(args.aisbx, env, max(10, args.rounds // 4))
    names = []
    for files in (10000, args.files):
        tree = f"{root}/../tree-{files}"
        make_tree(tree, files)
        call(args, env, tree, "create", f"d{files}")
        dirs = [f"{d // 100}/{d}" for d in range(0, files // 1000, files // 10000)]
        script = (f"import os\nfor d in {dirs!r}:\n for i in range(50): open(f'{{d}}/file{{i}}', 'w').write('changed')\n"
                  " for i in range(50, 75): os.remove(f'{d}/file{i}')\n"
                  " for i in range(25): open(f'{d}/new{i}', 'w').write('new')\n")
        call(args, env, root, "run", "--box", f"d{files}", "--", "/usr/bin/python3", "-c", script)
        done = subprocess.run([args.aisbx, "diff", "--json", f"d{files}"], env=env, check=True, stdout=subprocess.PIPE)
        found = json.loads(done.stdout)["changes"]
        assert sum(c["type"] != "directory" for c in found) == 1000, len(found)
        names.append(f"diff of 1000 changes, {files} files")
        contest.add(names[-1], lambda i, n=files: ["diff", "--json", f"d{n}"], root)
    contest.run("diff by size of the tree", [names])


class Loaded:
    """A box whose top layer always holds its changes: what an operation froze or dropped is put back by a rename."""

    def __init__(self, args, env, root, changes):
        self.name, self.changes = f"changed{changes}", changes
        self.state = pathlib.Path(env["XDG_STATE_HOME"]) / "aisbx"
        self.layer = None
        project = f"{root}/{self.name}"
        os.mkdir(project)
        script = (f"import os\nfor i in range({changes}):\n if i % 1000 == 0: os.mkdir(str(i)); os.chdir(str(i))\n"
                  " open(f'f{i}', 'w').close()\n if i % 1000 == 999: os.chdir('..')\n")
        for words in (["create", self.name], ["snap", self.name, "start"],
                      ["run", "--box", self.name, "--timeout", "0", "--", "/usr/bin/python3", "-c", script]):
            call(args, env, project, *words)

    def carry(self, _):
        with sqlite3.connect(f"file:{self.state}/store.db?mode=ro", uri=True) as db:
            top = db.execute("SELECT top FROM boxes WHERE name = ?", (self.name,)).fetchone()[0]
        db.close()
        if self.layer and self.layer != top:
            os.rename(self.state / "layers" / self.layer / "project", self.state / "layers" / top / "project")
        self.layer = top
        assert len(os.listdir(self.state / "layers" / top / "project" / "up")) == max(1, self.changes // 1000)


def bench_points(args, env, root):
    contest = Contest(args.aisbx, env, args.rounds)
    ratios = {}
    for changes in (10, args.changes):
        start = time.perf_counter()
        box = Loaded(args, env, root, changes)
        print(f"made {changes} changes in {time.perf_counter() - start:.1f} s", file=sys.stderr)
        for op, words in (("snap", lambda i, n=box.name: ["snap", n, f"s{i + 2}"]),
                          ("rollback", lambda i, n=box.name: ["rollback", n, "start"]),
                          ("fork", lambda i, n=box.name: ["fork", n, "--name", f"{n}-f{i + 2}"]),
                          ("fork of a snapshot", lambda i, n=box.name: ["fork", f"{n}@start", "--name", f"{n}-g{i + 2}"])):
            name = f"{op}, {changes} changes"
            contest.add(name, words, root, before=box.carry)
            ratios.setdefault(op, []).append(name)
    contest.run("points by number of changed files", ratios.values())


def grow(args, env, project, box, depth):
    """A box with DEPTH snapshots, each with a change of its own; how long each took."""
    took = []
    call(args, env, project, "create", box)
    for i in range(depth):
        call(args, env, project, "run", "--box", box, "--", "/bin/sh", "-c", f"echo {i} > f{i}; echo {i} > last")
        took.append(once([args.aisbx, "snap", box, f"s{i}"], env, project))
    return took


def bench_deep(args, env, root):
    project = f"{root}/project"
    os.mkdir(project)
    contest = Contest(args.aisbx, env, args.rounds)
    ratios = {}
    for depth in (1, args.depth):
        grow(args, env, project, f"d{depth}", depth)
        last = f"s{depth - 1}"
        for op, words in (("run -- true", lambda i, n=depth: ["run", "--box", f"d{n}", "--", "/bin/true"]),
                          ("rollback", lambda i, n=depth, s=last: ["rollback", f"d{n}", s]),
                          ("fork of a snapshot",
                           lambda i, n=depth, s=last: ["fork", f"d{n}@{s}", "--name", f"d{n}-g{i + 2}"]),
                          ("snap", lambda i, n=depth: ["snap", f"d{n}", f"t{i + 2}"])):
            ratios.setdefault(op, []).append(f"{op}, {depth} deep")
            contest.add(ratios[op][-1], words, project)
    contest.run("points by number of snapshots before them", ratios.values())
    for changes in (10, args.changes):
        box = Loaded(args, env, root, changes)
        took = [once([args.aisbx, "snap", box.name, f"s{i}"], env, root) for i in range(80)]
        print(f"snapshots of a box with {changes} changed files: p50 {statistics.median(took):.2f} ms, the one that folds "
              f"{max(took):.2f} ms")


def bench_many(args, env, root):
    """BOXES forks of one box."""
    project = f"{root}/project"
    os.mkdir(project)
    grow(args, env, project, "base", 10)
    took = once([args.aisbx, "fork", "base@s9", "--count", str(args.boxes), "--name", "n"], env, project)
    print(f"{args.boxes} forks in one command: {took:.1f} ms")
    contest = Contest(args.aisbx, env, max(10, args.rounds // 4))
    for words in (["ls"], ["ls", "--json"], ["tree"], ["tree", "--json"]):
        contest.add(" ".join(words), lambda i, w=words: w, project)
    contest.run(f"lists of {args.boxes} boxes")


def fill_history(env, runs, box):
    """Rows as `aisbx history` would have imported them; the box has 10 of them, spread over all."""
    commands = ("make test", "python3 -m pytest -q tests/unit", "sh -c 'npm ci && npm run build'", "cargo check",
                "git status --porcelain", "ls -la src")
    now = int(time.time() * 1000)

    def rows():
        for i in range(runs):
            yield (f"r-{i:016x}", box if i % (runs // 10) == 0 else f"b-{i % 1000:016x}",
                   "failed" if i % 7 == 0 else "ok", int(i % 7 == 0), now - (runs - i) * 1000, 12.5,
                   f"{commands[i % len(commands)]} --seed {i}")

    start = time.perf_counter()
    db = sqlite3.connect(f"{env['XDG_STATE_HOME']}/aisbx/store.db")
    with db:
        db.executemany("INSERT INTO runs (id, box, status, exit_code, started_ms, wall_ms, command) "
                       "VALUES (?,?,?,?,?,?,?)", rows())
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    print(f"made {runs} runs in {time.perf_counter() - start:.1f} s", file=sys.stderr)


def bench_history(args, env, root):
    project = f"{root}/project"
    os.mkdir(project)
    envs = {n: {**env, "XDG_STATE_HOME": f"{root}/history-{n}"} for n in (0, args.runs)}
    envs["none"] = {**env, "XDG_STATE_HOME": "/dev/null"}  # nowhere to note it: what a note costs is the difference
    full = envs[args.runs]
    for e in (envs[0], full):
        subprocess.run([args.aisbx, "create", "few"], cwd=project, env=e, check=True, stdout=subprocess.DEVNULL)
    db = sqlite3.connect(f"{full['XDG_STATE_HOME']}/aisbx/store.db")
    box = db.execute("SELECT id FROM boxes").fetchone()[0]
    db.close()
    fill_history(full, args.runs, box)

    contest = Contest(args.aisbx, env, args.rounds)
    contest.add("run -- true, no history", lambda i: ["run", "--json", "--", "/bin/true"], project, env=envs["none"])
    for n in (0, args.runs):
        contest.add(f"run -- true, {n} runs before", lambda i: ["run", "--json", "--", "/bin/true"], project, env=envs[n])
    contest.run("adding a run", [("run -- true, 0 runs before", f"run -- true, {args.runs} runs before")])

    contest = Contest(args.aisbx, full, max(10, args.rounds // 10))
    for words in ([], ["--limit", "1000"], ["--box", "few"], ["--status", "failed"], ["--status", "denied"],
                  ["--match", "pytest"], ["--match", "--seed 123456"], ["--match", "no such text"], ["--since", "1h"],
                  ["--since", "1ms"], ["--box", "few", "--status", "failed", "--match", "make"]):
        contest.add(" ".join(["history", *words]), lambda i, w=words: ["history", "--json", *w], project)
    contest.run(f"history of {args.runs} runs")


PARTS = {"create": bench_create, "diff": bench_diff, "points": bench_points, "deep": bench_deep, "many": bench_many,
         "history": bench_history}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--files", type=int, default=100000)
    parser.add_argument("--changes", type=int, default=100000)
    parser.add_argument("--depth", type=int, default=200)
    parser.add_argument("--boxes", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=1000000)
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--dir", help="where to work; default: a new directory in TMPDIR")
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", "aisbx"))
    args = parser.parse_args()
    args.aisbx = os.path.abspath(shutil.which(args.aisbx) or sys.exit(f"bench: there is no {args.aisbx}"))
    root = tempfile.mkdtemp(prefix="aisbx-bench-", dir=args.dir)
    try:
        for name, part in PARTS.items():
            if not args.only or name in args.only:
                here = f"{root}/{name}"
                os.mkdir(here)
                part(args, {**os.environ, "XDG_STATE_HOME": f"{here}/state"}, here)
    finally:
        os.chdir("/")
        subprocess.run(["rm", "-rf", root], check=False)


if __name__ == "__main__":
    main()
