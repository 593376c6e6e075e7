#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""A fleet beside the bare engine, in one run on this machine: real servers, hubs and the protocol.

usage: bench/fleet.py --build BUILD [--part start|rate|death|fair|agents]... [--nodes N] [--queued N]
  start   submission to the first instruction, with the tenant's server up and without, beside the engine's own hops plus a local start
  rate    jobs a second through one server and three, without boxes, and what a job costs the engine in replicated writes
  death   a node is killed: how long until its job runs on another
  fair    what the smallest of 1,000 tenants waits while another has 100,000 jobs in the queue, beside an idle fleet (no boxes; hub and server are real)
  agents  what 2,000 nodes cost one server and its hubs (no boxes)
"""
import argparse
import contextlib
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/lib"))
import nats  # noqa: E402
import own_fleet  # noqa: E402

STAMP = ["date", "+%s%N"]  # when its first instruction ran, and a bit
TENANTS = 1000


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)] if values else float("nan")


def show(name, values):
    print(f"{name:66} {percentile(values, 50):9.2f} {percentile(values, 99):9.2f} ms  of {len(values)}", flush=True)


def spoken(words, timeout=900, **more):
    done = subprocess.run([*map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False, **more)
    if done.returncode:
        sys.exit(f"{words[0]}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


class Bench:
    def __init__(self, args, top):
        self.args, self.top, self.n = args, top, 0
        self.load, self.agents, self.engine = args.build / "tests/fleet-load", args.build / "bench/fleet-agents", args.build / "bench/fleet-engine"

    def place(self, name):
        self.n += 1
        place = self.top / f"{name}{self.n}"
        place.mkdir()
        return place

    @contextlib.contextmanager
    def servers(self, n=1, sync="always"):
        """Bare: a server or three, with their figures by HTTP, and `hub()` for hubs."""
        monitor = nats.free_ports(1)[0]
        settings, place = f'http: "127.0.0.1:{monitor}"\n', self.place("nats")
        what = nats.Server(place, settings=settings) if n == 1 else nats.Cluster(place, n)
        first = what if n == 1 else what.servers[0]
        for server in [what] if n == 1 else what.servers:
            server.sync = sync
        hubs = []

        def hub():
            with open(place / f"hub{len(hubs)}.log", "wb") as log:
                words = [self.args.build / "src/aisbx", "fleet", "hub", "--nats", what.url, "--replicas", str(n)]
                hubs.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, "HOME": str(place)}))
            own_fleet.until(lambda: "is active" in (place / "hub0.log").read_text(), "a hub is active")
            return hubs[-1]

        try:
            what.start().wait()
            first.all, first.urls, first.hub = what, what.url, hub
            first.figures = lambda: json.load(urllib.request.urlopen(f"http://127.0.0.1:{monitor}/varz", timeout=30))
            yield first
        finally:
            for process in hubs:
                process.kill()
                process.wait()
            what.kill()

    @contextlib.contextmanager
    def nodes(self, url, prefix, count, slots, run_ms):
        """Without boxes; `told` is filled when they end."""
        words, told = [self.agents, "nodes", url, prefix, str(count), str(slots), str(run_ms)], {}
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        try:
            if process.stdout.readline() != "ready\n":
                sys.exit("fleet-agents: not ready")
            yield told
            process.terminate()
            told.update(json.loads(process.stdout.readline()))
        finally:
            process.kill()
            process.wait()

    def submit(self, url, tenant, n, per_second=1e9, prefix="j"):
        self.n += 1
        return [self.agents, "submit", url, tenant, n, per_second, f"{prefix}{self.n}-"]


def state(server, stream):
    return nats.request(server, f"$JS.API.STREAM.INFO.{stream}", {}).get("state", {})


def first_instructions(bench, fleet, tenant, n):
    """From when the submitter takes the job until its command runs, in ms; one after the other."""
    place = fleet.dir / f"load-{tenant}"
    body = json.dumps({"operation": "run", "arguments": {"command": STAMP}, "stdin": False})
    spoken([bench.load, fleet.env["AISBX_NATS"], tenant, place, n, 1e6, 1, 0, 300000, body])
    with contextlib.closing(sqlite3.connect(place / "jobs.db")) as db:
        rows = db.execute("SELECT since, record FROM jobs ORDER BY since").fetchall()
    return [int(json.loads(json.loads(record)["result"])["result"]["stdout"]) / 1e6 - since for since, record in rows]


def local_starts(fleet, n):
    waits = []
    for _ in range(n):
        began = time.time_ns()
        waits.append((int(fleet.call("run", "--", *STAMP).stdout) - began) / 1e6)
    return waits


def part_start(bench):
    fleet, hops = own_fleet.Fleet(bench.place("fleet")), {}
    warm, drained, local = [], [], []
    try:
        fleet.hub()
        fleet.node()
        first_instructions(bench, fleet, "first", 5)
        for i in range(bench.args.rounds):
            with bench.servers() as server:  # a new one, for its numbers begin again
                rows = spoken([bench.engine, server.url, 1, 40])
            for row in rows:
                if "p50_us" in row:
                    hops.setdefault(row["what"], []).append((row["p50_us"] / 1000, row["p99_us"] / 1000))
            local += local_starts(fleet, 30)
            warm += first_instructions(bench, fleet, f"warm{i}", 31)[1:]  # the first one starts the tenant's server
            for k in range(6):
                drained += first_instructions(bench, fleet, f"drained{i}-{k}", 1)
    finally:
        fleet.finish()
    print(f"{'one server, one hub, one node; p50, p99':66}")
    for name, values in hops.items():
        print(f"  engine: {name:58} {percentile([v[0] for v in values], 50):9.2f} {percentile([v[1] for v in values], 50):9.2f} ms", flush=True)
    own = [sum(percentile([v[at] for v in hops[name]], 50) for name in ("submission until a hub has the job", "claim by compare-and-set")) +
           percentile([v[at] for v in hops["request and reply"]], 50) / 2 for at in (0, 1)]
    show("local start: `aisbx run -- date`, from the call to its first instruction", local)
    show("submission to first instruction, the tenant's server is up", warm)
    show("submission to first instruction, a tenant's first job on the node", drained)
    goal = own[0] + percentile(local, 50)
    print(f"engine's own hops (job in a hub's hands, claim, offer): p50 {own[0]:.2f} ms; with the local start {goal:.2f} ms; "
          f"warm is {percentile(warm, 50) / goal:.2f} x of it, drained {percentile(drained, 50) / goal:.2f} x", flush=True)


def part_rate(bench):
    for n in (1, 3):
        with bench.servers(n) as server:
            server.hub()
            with bench.nodes(server.urls, "n", 8, 64, 0):
                own_fleet.until(lambda: hub_nodes(server) == 8, "the hub knows the nodes")
                before = [state(server, stream) for stream in ("AISBX_JOBS", "AISBX_STATE")]
                began = time.monotonic()
                said = spoken(bench.submit(server.urls, "t%u", bench.args.jobs))[0]
                own_fleet.until(lambda: state(server, "AISBX_JOBS").get("messages") == 0, "all jobs have ended", 600)
                seconds = time.monotonic() - began
                after = [state(server, stream) for stream in ("AISBX_JOBS", "AISBX_STATE")]
        writes = sum(b["last_seq"] - a["last_seq"] for a, b in zip(before, after)) / bench.args.jobs
        print(f"{n} server{'s, R3' if n > 1 else ''}: {bench.args.jobs / seconds:,.0f} jobs a second from submission to the end "
              f"(submitted at {said['per_s']:,}/s); "
              f"of each {writes:.2f} replicated writes and 1 deletion", flush=True)


def hub_nodes(server):
    return nats.request(server, "aisbx.ask.status", {}).get("nodes", 0)


def part_death(bench):
    for round_ in range(2):
        fleet = own_fleet.Fleet(bench.place("death"))
        try:
            fleet.hub()
            time.sleep(6)  # one that has just begun waits longer, for leases of the one before it
            fleet.node("a", "--labels", "zone=x")
            job = fleet.popen("run", "--on", "zone=x", "--", "sh", "-c", "echo begun; exec sleep 1000")
            assert job.stdout.readline() == b"begun\n"
            fleet.node("b", "--labels", "zone=x")
            fleet.end("a", signal.SIGKILL)
            began = time.monotonic()
            assert job.stdout.readline() == b"begun\n"
            print(f"node death to rerun: {time.monotonic() - began:.1f} s" + (" (again)" if round_ else ""), flush=True)
            job.kill()
            job.communicate()
        finally:
            fleet.finish()


def part_fair(bench):
    """40 slots, each job 200 ms: 200 a second at most. sync_interval is 2 minutes here, or filling the queue would take most of the time."""
    waits = {}
    for what in ("idle", "full"):
        with bench.servers(sync="2m") as server:
            server.hub()
            if what == "full":
                said = spoken(bench.submit(server.urls, "big", bench.args.queued))[0]
                print(f"one tenant has queued {bench.args.queued:,} jobs, at {said['per_s']:,}/s", flush=True)
            with bench.nodes(server.urls, "n", 10, 4, 200) as told:
                own_fleet.until(lambda: hub_nodes(server) == 10, "the hub knows the nodes")
                others = bench.submit(server.urls, "t%u", 3 * TENANTS, 40)
                others = subprocess.Popen([*map(str, others)], stdout=subprocess.DEVNULL)
                time.sleep(5)
                spoken(bench.submit(server.urls, "small", 600, 10))
                time.sleep(2)
                others.kill()
                others.wait()
                left = state(server, "AISBX_JOBS").get("messages", 0)
            waits[what] = told
            print(f"{what}: the smallest tenant waits p50 {told['p50_us'] / 1000:.1f} ms, p99 {told['p99_us'] / 1000:.1f} ms, of {told['waits']}; "
                  f"{left:,} jobs still wait", flush=True)
    full, idle = waits["full"], waits["idle"]
    print(f"full : idle = {full['p50_us'] / idle['p50_us']:.2f} at p50, {full['p99_us'] / idle['p99_us']:.2f} at p99", flush=True)


def used(pid):
    """Seconds of processor, and bytes of memory."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    resident = next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmRSS"))
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), resident


def measure(server, hubs, seconds=30):
    processes = [("server", server.process.pid), ("active hub", hubs[0].pid), ("standby hub", hubs[1].pid)]
    before, varz = [used(pid) for _, pid in processes], server.figures()
    began = time.monotonic()
    time.sleep(seconds)
    took, later = time.monotonic() - began, server.figures()
    found = {"in": (later["in_msgs"] - varz["in_msgs"]) / took, "out": (later["out_msgs"] - varz["out_msgs"]) / took,
             "in B": (later["in_bytes"] - varz["in_bytes"]) / took, "out B": (later["out_bytes"] - varz["out_bytes"]) / took}
    for (name, pid), (cpu, _) in zip(processes, before):
        now = used(pid)
        found[name] = ((now[0] - cpu) / took, now[1])
    return found


def print_agents(n, found, base):
    parts = [f"{n:5} nodes: {found['in']:7.0f} messages in, {found['out']:7.0f} out, {found['in B'] / 1000:6.0f} kB in, "
             f"{found['out B'] / 1000:6.0f} kB out a second"]
    parts += [f"{name} {found[name][1] / 1e6:.1f} MB, {100 * found[name][0]:.1f} % of a processor" for name in ("server", "active hub", "standby hub")]
    print("; ".join(parts), flush=True)
    if n:
        each = ", ".join(f"{name} {(found[name][1] - base[name][1]) / n / 1024:.1f} KiB and "
                         f"{1e6 * (found[name][0] - base[name][0]) / n:.0f} us of processor a second" for name in ("server", "active hub", "standby hub"))
        print(f"      for each node: {(found['in'] - base['in']) / n:.2f} messages in and "
              f"{(found['out'] - base['out']) / n:.2f} out a second; {each}", flush=True)


def part_agents(bench):
    with bench.servers() as server, contextlib.ExitStack() as stack:
        hubs = [server.hub(), server.hub()]
        base = measure(server, hubs, 10)
        print_agents(0, base, base)
        step, n = max(1, bench.args.nodes // 4), 0
        while n < bench.args.nodes:
            stack.enter_context(bench.nodes(server.url, f"n{n}-", step, 4, 0))
            n += step
            if n in (step, bench.args.nodes):
                own_fleet.until(lambda: hub_nodes(server) >= n, f"the hub knows {n} nodes", 300)  # pylint: disable=cell-var-from-loop
                time.sleep(5)
                print_agents(n, measure(server, hubs), base)
        began = time.monotonic()
        spoken(bench.submit(server.url, "t%u", bench.args.jobs))
        own_fleet.until(lambda: state(server, "AISBX_JOBS").get("messages") == 0, "all jobs have ended", 600)
        print(f"{bench.args.jobs} jobs through these nodes: {bench.args.jobs / (time.monotonic() - began):,.0f} a second", flush=True)


PARTS = {"start": part_start, "rate": part_rate, "death": part_death, "fair": part_fair, "agents": part_agents}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=5000)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--queued", type=int, default=100000)
    args = parser.parse_args()
    os.environ["AISBX"] = str(args.build / "src/aisbx")
    with tempfile.TemporaryDirectory(prefix="fleet-bench-") as top:
        bench = Bench(args, pathlib.Path(top))
        for part in args.part or PARTS:
            PARTS[part](bench)


if __name__ == "__main__":
    main()
