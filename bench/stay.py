#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What writing costs in a box that stays, beside one that goes with its run and the host itself.

Three works on files of the project: 2,000 `chmod`, 2,000 appends, a `git checkout` that changes 5,000 files. Whole commands,
from spawn to end, in milliseconds, the median of all rounds; each round does every work in every place, in a shuffled order, on a
fresh box and a project put back as it was. No box is removed before the end: ext4 without a journal is slow, up to ten times, to make files
where many were removed within the last minutes. "on disk" is when the box is known to be on the disk, which the command does not wait for.
A box that stays writes to the file system of --dir, one that goes to memory.

    bench/stay.py [--rounds N] [--files N] [--checkout N] [--dir DIR] [--aisbx PATH]
"""
import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

APPEND = "import sys\nfor i in range(int(sys.argv[1])): open(f'f{i}', 'a').write('more\\n')"
CHMOD = "import os, sys\nfor i in range(int(sys.argv[1])): os.chmod(f'f{i}', 0o600)"
PLACES = ("host", "away", "stay")


class Bench:
    def __init__(self, args):
        self.aisbx, self.args, self.boxes = os.path.realpath(args.aisbx), args, 0
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="aisbx-stay-", dir=args.dir))
        self.plain, self.repo, self.state = self.top / "plain", self.top / "repo", self.top / "state"
        (self.top / "home").mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state), "HOME": str(self.top / "home"), "GIT_CONFIG_NOSYSTEM": "1"}
        self.works = {"chmod": (self.plain, ["/usr/bin/python3", "-c", CHMOD, str(args.files)]),
                      "append": (self.plain, ["/usr/bin/python3", "-c", APPEND, str(args.files)]),
                      "checkout": (self.repo, ["git", "checkout", "-q", "other"])}
        self.times = {(work, place): [] for work in self.works for place in (*PLACES, "disk")}

    def quietly(self, *argv, cwd):
        subprocess.run(argv, cwd=cwd, env=self.env, check=True, stdout=subprocess.DEVNULL)

    def git(self, *words):
        self.quietly("git", "-c", "user.name=b", "-c", "user.email=b@b", "-c", "gc.auto=0", *words, cwd=self.repo)

    def fill_plain(self):
        self.plain.mkdir(exist_ok=True)
        for i in range(self.args.files):
            path = self.plain / f"f{i}"
            path.write_text(f"file {i}\n" * 20)
            path.chmod(0o644)

    def make_repo(self):
        self.repo.mkdir()
        self.git("init", "-q", "-b", "main")
        for branch in ("main", "other"):
            if branch == "other":
                self.git("checkout", "-q", "-b", branch)
            for i in range(self.args.checkout):
                path = self.repo / f"d{i % 50}" / f"f{i}"
                path.parent.mkdir(exist_ok=True)
                path.write_text(f"{branch} {i}\n" * 20)
            self.git("add", "-A")
            self.git("commit", "-q", "-m", branch)
        self.git("checkout", "-q", "main")

    def timed(self, argv, cwd):
        start = time.perf_counter()
        self.quietly(*argv, cwd=cwd)
        return (time.perf_counter() - start) * 1e3

    def marks(self):
        return list(self.state.glob("aisbx/layers/*/unsynced"))

    def once(self, work, place):
        cwd, argv = self.works[work]
        if place == "host":
            took = self.timed(argv, cwd)
            if work == "checkout":
                self.git("checkout", "-q", "main")
            else:
                self.fill_plain()
            os.sync()
            return took
        if place == "away":
            return self.timed([self.aisbx, "run", "-q", "--", *argv], cwd)
        self.boxes += 1
        box = f"b{self.boxes}"
        self.quietly(self.aisbx, "create", box, cwd=cwd)
        start = time.perf_counter()
        took = self.timed([self.aisbx, "run", "-q", "--box", box, "--", *argv], cwd)
        while self.marks():
            time.sleep(0.001)
        self.times[work, "disk"].append((time.perf_counter() - start) * 1e3)
        return took

    def run(self):
        self.fill_plain()
        self.make_repo()
        os.sync()
        for i in range(-1, self.args.rounds):  # the first warms up
            todo = [(work, place) for work in self.works for place in PLACES]
            random.shuffle(todo)
            for work, place in todo:
                took = self.once(work, place)
                if i >= 0:
                    self.times[work, place].append(took)
        for work in self.works:
            host, away, stay = (statistics.median(self.times[work, place]) for place in PLACES)
            disk = statistics.median(self.times[work, "disk"])
            least = min(self.times[work, "stay"]) / min(self.times[work, "away"])
            print(f"{work:9} host {host:7.1f}  throw-away {away:7.1f}  stays {stay:7.1f}  on disk {disk:7.1f} ms   "
                  f"stays/throw-away {stay / away:5.2f} (of the fastest {least:5.2f})  stays/host {stay / host:6.2f}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--files", type=int, default=2000)
    p.add_argument("--checkout", type=int, default=5000)
    p.add_argument("--dir", default="/var/tmp")
    p.add_argument("--aisbx", default=os.environ.get("AISBX") or shutil.which("aisbx") or "aisbx")
    args = p.parse_args()
    bench = Bench(args)
    try:
        bench.run()
    finally:
        shutil.rmtree(bench.top, ignore_errors=True)
        if bench.top.exists():  # overlayfs leaves directories without any permission
            subprocess.run(["chmod", "-R", "u+rwX", str(bench.top)], check=False)
            shutil.rmtree(bench.top, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
