#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to move a project of 1 GB by content, through a directory, a peer and a real S3 server on this machine.

usage: AISBX=build/src/aisbx bench/content.py [MEGABYTES] [--at DIR]     needs versitygw (tests/fleet/prepare); 1024, and DIR has to have six times as much room
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "tests/lib"))
import s3  # noqa: E402  pylint: disable=wrong-import-position
import trees  # noqa: E402  pylint: disable=wrong-import-position

PROGRAM = pathlib.Path(os.environ.get("AISBX", TOP / "build/src/aisbx")).resolve().parent / "aisbx-content"


def make(place, megabytes):
    """As projects are: 70 percent of the bytes in small files, some that are large; half of it compresses well."""
    chance = random.Random(1)
    left = megabytes << 20
    for i in range(max(1, megabytes // 200)):
        trees.write(place / f"large/file{i}", chance.randbytes(60 << 20))
        left -= 60 << 20
    i = 0
    while left > 0:
        n = int(chance.expovariate(1 / 45000)) + 200
        trees.write(place / f"dir{i % 211}/sub{i % 13}/file{i}", chance.randbytes(n // 2) + b"some text\n" * (n // 20))
        left -= n
        i += 1


def call(place, cache, *words, environment):
    began = time.monotonic()
    done = subprocess.run([PROGRAM, *map(str, words), "--tenant", "bench", "--key", place / "key", "--cache", place / cache], capture_output=True, check=False,
                          timeout=1800, env={**os.environ, **environment})
    said = json.loads(done.stdout)
    if "error" in said:
        sys.exit(said["error"]["text"])
    return said["ok"], time.monotonic() - began


def show(what, seconds, sent, received=0, note=""):
    print(f"{what:52} {seconds:7.2f} s  sent {sent / 1e6:9.3f} MB  received {received / 1e6:9.3f} MB  {note}", flush=True)


def run(place, url, kind, environment):
    first, seconds = call(place, f"cache-{kind}", "push", "--from", place / "project", "--to", url, environment=environment)
    show(f"{kind}: first push of {first['bytes'] / 1e9:.2f} GB, {first['entries']} entries", seconds, first["sent"], first["received"], f"{first['packs']} packs")
    call(place, f"cache-{kind}", "push", "--from", place / "project", "--to", url, environment=environment)
    again, seconds = call(place, f"cache-{kind}", "push", "--from", place / "project", "--to", url, environment=environment)
    show(f"{kind}: pushed again, unchanged", seconds, again["sent"], again["received"], f"{again['requests']} requests")
    pulled, seconds = call(place, f"cache-{kind}-2", "pull", first["id"], "--from", url, "--to", place / f"out-{kind}", environment=environment)
    show(f"{kind}: onto an empty node", seconds, 0, pulled["received"], f"{pulled['bytes'] / 1e6 / seconds:.0f} MB/s")
    trees.change(place / "project", 0.01, seed=len(kind))
    changed, seconds = call(place, f"cache-{kind}", "push", "--from", place / "project", "--to", url, environment=environment)
    show(f"{kind}: 1 % of files changed", seconds, changed["sent"], changed["received"], f"{100 * changed['sent'] / first['sent']:.2f} % of the first")
    pulled, seconds = call(place, f"cache-{kind}-2", "pull", changed["id"], "--from", url, "--to", place / f"out2-{kind}", environment=environment)
    show(f"{kind}: that onto a node that has the tree before", seconds, 0, pulled["received"])
    subprocess.run(["rm", "-rf", place / f"out-{kind}", place / f"out2-{kind}"], check=True)


def by_peer(place):
    """What the first machine has in its directory, straight from it."""
    pushed, _ = call(place, "cache-dir", "push", "--from", place / "project", "--to", f"dir:{place}/store", environment={})
    peer = subprocess.Popen([PROGRAM, "serve", "--from", f"dir:{place}/store", "--listen", "127.0.0.1:0", "--tenant", "bench", "--key", place / "key",
                             "--cache", place / "cache-dir"], stdout=subprocess.PIPE)
    try:
        url = "http://" + json.loads(peer.stdout.readline())["listening"]
        pulled, seconds = call(place, "cache-peer", "pull", pushed["id"], "--from", url, "--to", place / "out-peer", environment={})
        show("peer: onto an empty node", seconds, 0, pulled["received"], f"{pulled['bytes'] / 1e6 / seconds:.0f} MB/s")
    finally:
        peer.terminate()
        peer.wait()


def snapshots(place, url, environment, n=50):
    copies = 0
    stored = trees.size(place / "snapshots")
    for i in range(n):
        trees.change(place / "project", 0.001, seed=5000 + i)
        said, _ = call(place, "cache-snapshots", "push", "--from", place / "project", "--to", url, environment=environment)
        copies += said["bytes"]
    stored = trees.size(place / "snapshots") - stored
    print(f"{n} snapshots, 0.1 % of files changed between: {stored / 1e9:.3f} GB stored, {100 * stored / copies:.2f} % of {n} copies", flush=True)


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("megabytes", nargs="?", type=int, default=1024)
    words.add_argument("--at", default=None)
    words = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="content-", dir=words.at) as folder:
        place = pathlib.Path(folder)
        (place / "key").write_bytes(os.urandom(32))
        (place / "key").chmod(0o600)
        make(place / "project", words.megabytes)
        run(place, f"dir:{place}/store", "dir", {})
        by_peer(place)
        server = s3.S3(place / "s3").start()
        try:
            run(place, f"s3://{s3.BUCKET}/bench", "s3", server.environment)
        finally:
            server.kill()
        snapshots(place, f"dir:{place}/snapshots", {})


if __name__ == "__main__":
    main()
