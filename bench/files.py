#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to read and write a file of a box from outside, beside a command in the box that does the same.

Whole commands, from spawn to end, in milliseconds, in an idle box and in a live one. Interleaved: each round runs every command
once, in a shuffled order; `aisbx --version` is the floor of starting a program.

A large file through the SDKs, each way, beside `cp` of the same bytes and a bare connection with them, which are what a disk and a kernel
take; processor time is that of all processes of this program and its children, so that it says something on a busy machine, too.

    bench/files.py [--rounds N] [--size BYTES] [--large BYTES] [--dir DIR] [--aisbx PATH] [--typescript DIR]

DIR of --typescript is what tests/sdk/prepare-typescript prints; without it that SDK is left out.
"""
import argparse
import asyncio
import os
import pathlib
import random
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

NULL = os.open("/dev/null", os.O_RDWR)


def once(argv, env, cwd):
    actions = [(os.POSIX_SPAWN_DUP2, NULL, fd) for fd in (0, 1)]
    os.chdir(cwd)
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        sys.exit(f"bench: {' '.join(argv)[:200]} failed with status {status}")
    return (time.perf_counter() - start) * 1e3


def contest(title, aisbx, env, cwd, rounds, size):
    entries = {
        "aisbx --version": ["--version"],
        "run --box B -- cat f": ["run", "--box", "b", "--", "cat", "f"],
        "file read B f": ["file", "read", "b", "f"],
        "file stat B f": ["file", "stat", "b", "f"],
        "file ls B": ["file", "ls", "b"],
        "run --box B -- sh -c '> g'": ["run", "--box", "b", "--", "sh", "-c", "cat f > g"],
        "file write B g": ["file", "write", "b", "g", "--content", "x" * min(size, 100000)],
    }
    times = {name: [] for name in entries}
    for i in range(-2, rounds):
        for name in random.sample(list(entries), len(entries)):
            took = once([aisbx, *entries[name]], env, cwd)
            if i >= 0:
                times[name].append(took)
    print(f"{title}: {'':{30 - len(title)}} p50 ms   p90 ms")
    for name, all_times in times.items():
        print(f"  {name:30} {statistics.median(all_times):7.2f}  {statistics.quantiles(all_times, n=10)[-1]:7.2f}")


TYPESCRIPT = """
const [sdk, project, size, rounds] = process.argv.slice(2);
const { Sandbox } = await import(`${sdk}/dist/index.js`);
const { randomBytes } = await import("node:crypto");
const data = randomBytes(Number(size));
const sandbox = await Sandbox.create({ project });
await sandbox.files.write("warm", data.subarray(0, 1 << 20));
for (let i = 0; i < Number(rounds); i++) {
	let began = performance.now();
	await sandbox.files.write("big", data);
	console.log("write", performance.now() - began);
	began = performance.now();
	const got = await sandbox.files.read("big", { format: "bytes" });
	console.log("read", performance.now() - began);
	if (Buffer.compare(got, data) !== 0) throw new Error("another file came back");
}
await sandbox.kill();
"""


def used():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) * 1e3


def copy(source, target):
    subprocess.run(["cp", source, target], check=True)


def bare(data):
    """The bytes through a connection between two threads."""
    ours, theirs = socket.socketpair()
    sender = threading.Thread(target=lambda: (ours.sendall(data), ours.close()))
    sender.start()
    while theirs.recv(1 << 20):
        pass
    sender.join()
    theirs.close()


def large_python(aisbx_module, project, data, rounds, note, bare_file):
    client = aisbx_module.Client()
    loop = asyncio.new_event_loop()
    sync = aisbx_module.Sandbox.create(project=str(project), client=client)
    other = loop.run_until_complete(aisbx_module.AsyncSandbox.connect(sync.name, client=client))
    entries = {
        "cp": lambda: copy(bare_file, str(bare_file) + ".copy"),
        "a bare connection": lambda: bare(data),
        "Python: write": lambda: sync.files.write("big", data),
        "Python: read": lambda: sync.files.read("big", "bytes"),
        "Python, asyncio: write": lambda: loop.run_until_complete(other.files.write("big", data)),
        "Python, asyncio: read": lambda: loop.run_until_complete(other.files.read("big", "bytes")),
    }
    sync.files.write("big", data)
    if sync.files.read("big", "bytes") != data:
        sys.exit("bench: another file came back")
    for _ in range(rounds):
        for name in random.sample(list(entries), len(entries)):
            start = time.perf_counter()
            entries[name]()
            note(name, (time.perf_counter() - start) * 1e3)
    sync.kill()
    loop.close()
    client.close()


def large(root, project, size, rounds, typescript, env):
    os.environ.update(env)
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "sdk/python"))
    import aisbx as aisbx_module  # noqa: PLC0415 - it is found there only now
    data = os.urandom(size)
    source = root / "large"
    source.write_bytes(data)
    times = {}
    began = used()
    large_python(aisbx_module, project, data, rounds, lambda name, ms: times.setdefault(name, []).append(ms), source)
    spent = (used() - began) / rounds
    if typescript:
        script = root / "bench.mjs"
        script.write_text(TYPESCRIPT, encoding="utf-8")
        out = subprocess.run(["node", script, typescript, project, str(size), str(rounds)], check=True, stdout=subprocess.PIPE, text=True).stdout
        for line in out.splitlines():
            times.setdefault("TypeScript: " + line.split()[0], []).append(float(line.split()[1]))
    print(f"{size / 1e6:.0f} MB: {'':26} p50 ms   best ms")
    for name, all_times in times.items():
        print(f"  {name:30} {statistics.median(all_times):7.0f}  {min(all_times):7.0f}")
    print(f"  processor time of one round of the first six: {spent:.0f} ms; load of the machine: {os.getloadavg()[0]:.1f}")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--rounds", type=int, default=40)
    p.add_argument("--size", type=int, default=1024)
    p.add_argument("--large", type=int, default=50_000_000, help="0: leave it out")
    p.add_argument("--dir")
    p.add_argument("--typescript", metavar="DIR")
    p.add_argument("--aisbx", default=str(pathlib.Path(__file__).resolve().parents[1] / "build/src/aisbx"))
    a = p.parse_args()
    root = pathlib.Path(tempfile.mkdtemp(prefix="bench-files-", dir=a.dir))
    project = root / "project"
    project.mkdir()
    (project / "f").write_bytes(b"x" * a.size)
    env = {**os.environ, "XDG_STATE_HOME": str(root / "state")}
    try:
        subprocess.run([a.aisbx, "create", "b"], cwd=project, env=env, check=True, stdout=NULL)
        contest("idle box", a.aisbx, env, project, a.rounds, a.size)
        live = subprocess.Popen([a.aisbx, "run", "--timeout", "0", "--box", "b", "--", "cat"], cwd=project, env=env,
                                stdin=subprocess.PIPE, stdout=NULL)
        while subprocess.run([a.aisbx, "exec", "b", "--", "true"], env=env, stderr=NULL, check=False).returncode:
            pass
        contest("live box", a.aisbx, env, project, a.rounds, a.size)
        live.communicate()
        if a.large:
            large(root, project, a.large, max(3, a.rounds // 8), a.typescript, {"XDG_STATE_HOME": env["XDG_STATE_HOME"], "AISBX": a.aisbx})
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
