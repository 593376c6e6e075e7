#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long `run.exec true` takes by a server that is warm, beside `aisbx run -- true`, which starts anew each time.

Interleaved: each round does every one of them once, in a shuffled order, so that a noisy moment of the machine hits all of
them. Prints p50, p95, p99 and the ratio of p50 to the command line's; the goal is less than 1.

    bench/rpc.py [--rounds N] [--aisbx PATH]
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", "aisbx"))
    args = parser.parse_args()
    aisbx = shutil.which(args.aisbx)
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
