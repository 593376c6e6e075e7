#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a box's way to the network costs: `aisbx run --net RULE`, beside no box at all and others who relay without root.

A server (build/bench/traffic) listens on an address of a network namespace that is made for this. Its clients reach it
directly (loopback), through socat, from a box, and from network namespaces behind slirp4netns and pasta, if these are installed.

- bytes per second of one connection, both ways, and their ratio to loopback's
- microseconds of one byte to and fro, and what is added to loopback's
- connections per second, each opened, answered and closed
- memory of the broker's processes (PSS) with idle connections, and what the kernel's slabs grew by for all sides of them

Interleaved: each round measures every contender once, in a shuffled order, so that a noisy moment of the machine hits all of them.
A ratio is the median of the rounds' ratios. Where the limit of open files is low, there are fewer idle connections.

    bench/net.py [--rounds N] [--ms N] [--idle N] [--aisbx PATH] [--traffic PATH] [--one-cpu]
"""
import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

AT, PORT, RELAYED = "198.18.0.1", 9000, 9001
RULE = f"198.18.0.0/24:{PORT}"
KINDS = ("send", "receive", "ping", "connect")
GOALS = {"send": 0.7, "receive": 0.7, "ping": 300, "idle": 200}


def enter():
    """Starts itself again in namespaces of its own, as an ordinary user, too."""
    if os.environ.get("BENCH_NET_INSIDE"):
        return
    os.environ["BENCH_NET_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "-Urnm", sys.executable, *sys.argv])


def raise_limit(wanted):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        hard = max(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (ValueError, OSError):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


class Place:
    """The namespace's addresses, and all that is started in it."""

    def __init__(self, args, directory):
        self.args, self.directory, self.started = args, directory, []
        for words in ("link set lo up", f"addr add {AT}/32 dev lo", "link add up0 type veth peer name up1", "addr add 198.19.0.1/24 dev up0",
                      "link set up0 up", "link set up1 up", "route add default via 198.19.0.254"):  # pasta takes its routes from one
            subprocess.run(["ip", *words.split()], check=True)
        server = self.start([args.traffic, "serve", AT, str(PORT)], stdout=subprocess.PIPE)
        server.stdout.readline()

    def start(self, words, **kw):
        kw.setdefault("stdout", subprocess.DEVNULL)
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kw)
        self.started.append(process)
        return process

    def end(self):
        for process in reversed(self.started):
            process.kill()
            process.wait()

    def behind(self, relay):
        """Words that run a command in a namespace behind what relay(PID) starts."""
        holder = self.start(["unshare", "-Urn", "sh", "-c", "echo; exec sleep 600"], stdout=subprocess.PIPE)
        holder.stdout.readline()
        self.start(relay(str(holder.pid)))
        return ["nsenter", "-t", str(holder.pid), "-U", "-n", "--preserve-credentials"]

    def contenders(self):
        """Name to the words before the client, and the port it connects to."""
        found = {"loopback": ([], AT, PORT),
                 "aisbx": ([self.args.aisbx, "run", "--quiet", "--net", RULE, "--"], AT, PORT)}
        if shutil.which("socat"):
            self.start(["socat", f"TCP-LISTEN:{RELAYED},fork,reuseaddr,nodelay,backlog=4096", f"TCP:{AT}:{PORT},nodelay"])
            found["socat"] = ([], "127.0.0.1", RELAYED)
        if shutil.which("slirp4netns"):
            found["slirp4netns"] = (self.behind(lambda pid: ["slirp4netns", "-c", "-m", "65520", pid, "tap0"]), AT, PORT)
        if shutil.which("pasta"):
            found["pasta"] = (self.behind(lambda pid: ["pasta", "--config-net", "-f", "-t", "none", "-u", "none", "-T", "none",
                                                       "-U", "none", pid]), AT, PORT)
        return found

    def measure(self, contender, kind):
        before, address, port = contender
        # Few connections: the port of each stays taken for a minute, and the kernel searches longer and longer.
        number = {"ping": 1000, "connect": 300}.get(kind, self.args.ms)
        words = [*before, self.args.traffic, kind, address, str(port), str(number)]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.directory, check=False, timeout=60)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.decode()}")
        return float(done.stdout)

    def wait_for(self, contender):
        until = time.monotonic() + 10
        while True:  # it is up when the first connection gets through
            try:
                return self.measure(contender, "ping")
            except RuntimeError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)


def descendants(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            below = [int(word) for word in f.read().split()]
    except OSError:
        return []
    return below + [p for child in below for p in descendants(child)]


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
            return f.read().strip()
    except OSError:
        return ""


def kib(path, key):
    with open(path, encoding="ascii") as f:
        return next((int(line.split()[1]) for line in f if line.startswith(key + ":")), 0)


def brokers_kib(pid):
    return sum(kib(f"/proc/{p}/smaps_rollup", "Pss") for p in descendants(pid) if name_of(p) == "aisbx-net")


def hold_idle(place, n):
    """MiB of the broker's processes, of the kernel's slabs, and seconds, for N connections that do nothing."""
    slab = kib("/proc/meminfo", "Slab")
    began = time.monotonic()
    words = [place.args.aisbx, "run", "--quiet", "--net", RULE, "--", place.args.traffic, "idle", AT, str(PORT), str(n)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=place.directory) as box:
        said = box.stdout.readline()
        took = time.monotonic() - began
        if said.strip() != str(n).encode():
            raise RuntimeError(f"no {n} connections: {said!r}")
        found = brokers_kib(box.pid) / 1024, (kib("/proc/meminfo", "Slab") - slab) / 1024, took
        box.stdin.close()
    return found


def rounds_of(place, args):
    """Kind to contender to one number per round."""
    todo = place.contenders()
    times = {kind: {name: [] for name in todo} for kind in KINDS}
    for name in todo:
        place.wait_for(todo[name])
    for _ in range(args.rounds):
        for kind in KINDS:
            for name in random.sample(list(todo), len(todo)):
                times[kind][name].append(place.measure(todo[name], kind))
    return times


def against(values, base):
    return statistics.median(a / b for a, b in zip(values, base))


def show(times):
    print(f"{'':12} {'send GB/s':>10} {'x':>5} {'receive GB/s':>13} {'x':>5} {'ping us':>8} {'added':>6} {'connect/s':>10} {'x':>5}")
    for name in times["send"]:
        cells = []
        for kind, width, unit in (("send", 10, 1e9), ("receive", 13, 1e9), ("ping", 8, 1), ("connect", 10, 1)):
            values, base = times[kind][name], times[kind]["loopback"]
            cells.append(f"{statistics.median(values) / unit:{width}.{0 if kind == 'connect' else 1 if kind == 'ping' else 2}f}")
            cells.append(f"{statistics.median(a - b for a, b in zip(values, base)):6.1f}" if kind == "ping" else f"{against(values, base):5.2f}")
        print(f"{name:12} {' '.join(cells)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--ms", type=int, default=120)
    parser.add_argument("--idle", type=int, default=10000)
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", shutil.which("aisbx")))
    parser.add_argument("--traffic")
    parser.add_argument("--one-cpu", action="store_true", help="all on one processor: what it costs, not how well it is spread")
    args = parser.parse_args()
    args.aisbx = os.path.abspath(args.aisbx)
    args.traffic = os.path.abspath(args.traffic or os.path.join(os.path.dirname(args.aisbx), "../bench/traffic"))
    files = raise_limit(2 * args.idle + 256)  # only the machine's root can
    enter()
    if args.one_cpu:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    idle = min(args.idle, (files - 512) // 2)
    with tempfile.TemporaryDirectory(prefix="bench-net-") as directory:
        os.environ["XDG_STATE_HOME"] = os.path.join(directory, "state")
        project = os.path.join(directory, "project")
        os.mkdir(project)
        args.traffic = shutil.copy(args.traffic, project)  # where the box sees it
        place = Place(args, project)
        try:
            times = rounds_of(place, args)
            held = hold_idle(place, idle) if idle > 0 else None
        finally:
            place.end()
    print(f"one connection, {args.rounds} rounds interleaved, {len(os.sched_getaffinity(0))} processors")
    show(times)
    goals = [(f"{kind} {against(times[kind]['aisbx'], times[kind]['loopback']):.2f} x loopback, goal {GOALS[kind]}",
              against(times[kind]["aisbx"], times[kind]["loopback"]) >= GOALS[kind]) for kind in ("send", "receive")]
    added = statistics.median(a - b for a, b in zip(times["ping"]["aisbx"], times["ping"]["loopback"]))
    goals.append((f"{added:.1f} us added, goal {GOALS['ping']}", added < GOALS["ping"]))
    if held:
        print(f"{idle} idle connections: broker {held[0]:.1f} MiB, the kernel's slabs {held[1]:+.1f} MiB for all sides; opened in {held[2]:.1f} s")
        goals.append((f"{held[0]:.1f} MiB, goal {GOALS['idle']}", held[0] * 1.048576 < GOALS["idle"]))
    for text, good in goals:
        print("good:" if good else "MISSED:", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
