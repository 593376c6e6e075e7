#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long `run.exec true` takes by a server that is warm, beside `aisbx run -- true`, which starts anew each time.

Interleaved: each round does every one of them once, in a shuffled order, so that a noisy moment of the machine hits all of
them. Prints p50, p95, p99 and the ratio of p50 to the command line's; the goal is less than 1.

With --pipelined it sends N calls at once instead, `box.ls` over RPC and `sandbox_list` over MCP, beside the same one after another, and prints when the first
and the last were answered, and by how many places the order of the answers differs from that of the calls.

    bench/rpc.py [--rounds N] [--pipelined N] [--aisbx PATH]
"""
import argparse
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

TRUE = shutil.which("true")


class CommandLine:
    def __init__(self, aisbx):
        self.argv = [aisbx, "run", "--json", "--", TRUE]
        self.null = os.open("/dev/null", os.O_RDWR)

    def once(self):
        actions = [(os.POSIX_SPAWN_DUP2, self.null, fd) for fd in (0, 1, 2)]
        _, status = os.waitpid(os.posix_spawn(self.argv[0], self.argv, os.environ, file_actions=actions), 0)
        return status == 0

    def close(self):
        os.close(self.null)


class Server:
    """A line for each request; the answer is the first line that has its id."""

    def __init__(self, aisbx, mode):
        self.process = subprocess.Popen([aisbx, mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.out = open(self.process.stdout.fileno(), "rb", closefd=False)
        self.id = 0

    def send(self, text):
        self.process.stdin.write(text)

    def ask(self, method, params):
        self.id += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}).encode() + b"\n")
        mark = b'"id":%d,' % self.id
        while True:
            line = self.out.readline()
            if not line:
                sys.exit("bench: the server ended")
            if mark in line and b'"result"' in line:
                return line
            if b'"error":{' in line:
                sys.exit(f"bench: {line.decode()}")

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


class Rpc(Server):
    def __init__(self, aisbx):
        super().__init__(aisbx, "rpc")

    def once(self):
        return b'"exit_code":0' in self.ask("run.exec", {"command": [TRUE]})


class Socket(Rpc):
    def __init__(self, aisbx):  # pylint: disable=super-init-not-called
        self.place = tempfile.TemporaryDirectory()
        path = os.path.join(self.place.name, "rpc")
        self.process = subprocess.Popen([aisbx, "rpc", "--socket", path], stdin=subprocess.DEVNULL)
        while not os.path.exists(path):
            time.sleep(0.01)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.out = self.socket.makefile("rb")
        self.id = 0

    def send(self, text):
        self.socket.sendall(text)

    def close(self):
        self.out.close()
        self.socket.close()
        self.process.terminate()
        self.process.wait(10)
        self.place.cleanup()


class Mcp(Server):
    def __init__(self, aisbx):
        super().__init__(aisbx, "mcp")
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def once(self):
        return b'"exit_code":0' in self.ask("tools/call", {"name": "sandbox_run", "arguments": {"command": [TRUE]}})


def pipelined(server, n, request):
    """Seconds until the first answer and the last, and how many places the median and the last displaced answer are from their call's."""
    text = b"".join(json.dumps({"jsonrpc": "2.0", "id": i, **request}).encode() + b"\n" for i in range(n))
    start, first, order = time.perf_counter(), None, []
    writer = threading.Thread(target=server.process.stdin.write, args=(text,))
    writer.start()
    while len(order) < n:
        answer = json.loads(server.out.readline())
        if "result" not in answer and "error" not in answer:
            continue
        if "error" in answer:
            sys.exit(f"bench: {answer}")
        first = first or time.perf_counter() - start
        order.append(answer["id"])
    took = time.perf_counter() - start
    writer.join()
    apart = [abs(at - ident) for at, ident in enumerate(order)]
    return first, took, statistics.median(apart), max(apart)


def main_pipelined(aisbx, n):
    asked = {"rpc": (Rpc, "box.ls", {}), "mcp": (Mcp, "tools/call", {"name": "sandbox_list", "arguments": {}})}
    print(f"{'':10} {'one by one':>12} {'at once':>10} {'per call':>10} {'first':>10} {'displaced: median, most':>26}")
    for name, (make, method, params) in asked.items():
        server = make(aisbx)
        server.ask(method, params)
        start = time.perf_counter()
        for _ in range(n):
            server.ask(method, params)
        alone = time.perf_counter() - start
        first, took, median, most = pipelined(server, n, {"method": method, "params": params})
        server.close()
        print(f"{name:10} {alone:10.2f} s {took:8.2f} s {took / n * 1000:7.2f} ms {first * 1000:7.1f} ms {median:18.0f}, {most}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", "aisbx"))
    parser.add_argument("--pipelined", type=int)
    args = parser.parse_args()
    aisbx = shutil.which(args.aisbx)
    if args.pipelined:
        main_pipelined(aisbx, args.pipelined)
        return
    todo = {"aisbx run": CommandLine(aisbx), "rpc": Rpc(aisbx), "rpc --socket": Socket(aisbx), "mcp": Mcp(aisbx)}
    times = {name: [] for name in todo}
    for n in range(args.rounds + 3):
        for name in random.sample(list(todo), len(todo)):
            start = time.perf_counter()
            if not todo[name].once():
                sys.exit(f"bench: {name} failed")
            if n >= 3:  # the first are for warming up
                times[name].append((time.perf_counter() - start) * 1e3)
    for each in todo.values():
        each.close()
    base = statistics.median(times["aisbx run"])
    print(f"`true` in a box of its own, {args.rounds} rounds interleaved, uid {os.getuid()}")
    print(f"{'':14} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8} {'x aisbx run':>12}")
    for name, values in times.items():
        cuts = statistics.quantiles(values, n=100)
        print(f"{name:14} {statistics.median(values):8.2f} {cuts[94]:8.2f} {cuts[98]:8.2f} {statistics.median(values) / base:12.2f}")


if __name__ == "__main__":
    main()
