#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What boxes cost: create by size of the tree, snapshot, rollback and fork by number of changes, history by its length.

Whole commands, from spawn to end, in milliseconds; `aisbx --version` runs beside them as the floor
of starting a program, so "own" is p50 without it. Interleaved: each round runs every command once,
in a shuffled order. A ratio compares the large one with the small one of the same kind.

    bench/boxes.py [--rounds N] [--files N] [--changes N] [--runs N] [--only create|points|history] [--aisbx PATH]
"""
import argparse
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
    """FILES empty files, 1,000 to a directory."""
    start = time.perf_counter()
    for at in range(0, files, 1000):
        here = f"{root}/{at // 1000 // 100}/{at // 1000}"
        os.makedirs(here)
        for i in range(min(1000, files - at)):
            os.mknod(f"{here}/file{i}", 0o100644)
    print(f"made {files} files in {time.perf_counter() - start:.1f} s", file=sys.stderr)


def bench_create(args, env, root):
    contest = Contest(args.aisbx, env, args.rounds)
    names = []
    for files in (100, args.files):
        tree = f"{root}/tree-{files}"
        make_tree(tree, files)
        names.append(f"create, {files} files")
        contest.add(names[-1], lambda i, n=files: ["create", f"c{n}-{i + 2}"], tree)
    runs = []
    for files in (100, args.files):
        subprocess.run([args.aisbx, "create", f"r{files}"], cwd=f"{root}/tree-{files}", env=env, check=True,
                       stdout=subprocess.DEVNULL)
        runs.append(f"run --box -- true, {files} files")
        contest.add(runs[-1], lambda i, n=files: ["run", "--box", f"r{n}", "--", "/bin/true"], root)
    contest.run("create by size of the tree", [names, runs])


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
            subprocess.run([args.aisbx, *words], cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)

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


PARTS = {"create": bench_create, "points": bench_points, "history": bench_history}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--files", type=int, default=100000)
    parser.add_argument("--changes", type=int, default=100000)
    parser.add_argument("--runs", type=int, default=1000000)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--dir", help="where to work; default: a new directory in TMPDIR")
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", "aisbx"))
    args = parser.parse_args()
    args.aisbx = os.path.abspath(shutil.which(args.aisbx) or sys.exit(f"bench: there is no {args.aisbx}"))
    root = tempfile.mkdtemp(prefix="aisbx-bench-", dir=args.dir)
    try:
        for name, part in PARTS.items():
            if args.only in (None, name):
                here = f"{root}/{name}"
                os.mkdir(here)
                part(args, {**os.environ, "XDG_STATE_HOME": f"{here}/state"}, here)
    finally:
        os.chdir("/")
        subprocess.run(["rm", "-rf", root], check=False)


if __name__ == "__main__":
    main()
