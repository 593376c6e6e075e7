#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What the engine of the fleet costs on this machine: one server, then three, each with `sync_interval: always`, all on loopback.

usage: fleet_engine.py --bin BUILD/bench/fleet-engine [--rounds N] [--lanes N] [--each N]
Prints a table, and what a server's memory is with so many lanes of so many jobs.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/lib"))
import nats  # noqa: E402


def run(program, *words):
    done = subprocess.run([program, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def shown(row):
    if row is None:
        return "-"
    if "per_s" in row:
        return f"{row['per_s']:,}/s"
    return str(row["count"]) if "count" in row else f"{row['p50_us']:,} / {row['p99_us']:,}"


def memory_mb(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return next(int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--lanes", type=int, default=1000)
    parser.add_argument("--each", type=int, default=100)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fleet-engine-") as top:
        top, rows = pathlib.Path(top), {}
        for n, what in ((1, nats.Server(top / "one")), (3, nats.Cluster(top / "three"))):
            what.start()
            try:
                for row in run(args.bin, what.wait().url, n, args.rounds):
                    rows.setdefault(row["what"], {})[n] = row
            finally:
                what.kill()
        print(f"{'p50 / p99 in us, or a rate':46} {'1 server':>20} {'3 servers, R3':>20}")
        for name, row in rows.items():
            print(f"{name:46} {shown(row.get(1)):>20} {shown(row.get(3)):>20}")
        # To fill it a disk that is asked to be safe after each job would take minutes, and memory does not depend on that.
        server = nats.Server(top / "full")
        server.sync = "2m"
        server.start().wait()
        try:
            before = memory_mb(server)
            rate = run(args.bin, server.url, 1, "fill", args.lanes, args.each)[0]["per_s"]
            print(f"memory of a server: {before} MB, with {args.lanes:,} lanes of {args.each} jobs {memory_mb(server)} MB (filled at {rate:,}/s)")
        finally:
            server.kill()


if __name__ == "__main__":
    main()
