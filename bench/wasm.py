#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How soon a program of a model has printed its result: as WebAssembly and natively, behind walls and bare, one after the other in each round.

usage: bench/wasm.py --aisbx build/src/aisbx [--rounds 50] [--languages DIR]
DIR has both languages (tests/wasm/prepare); default: those of the person.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time

PYTHON, NODE = "print(6*7)", "console.log(6*7)"
# (module (memory (export "memory") 1) (func (export "_start")))
EMPTY = bytes.fromhex("0061736d01000000 010401600000 03020100 0503010001 071302066d656d6f72790200065f73746172740000 0a040102000b")
FLOOD = 200


class Server:
    """`aisbx rpc`: one process, one call after another."""

    def __init__(self, aisbx):
        self.process = subprocess.Popen([aisbx, "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.id = 0

    def call(self, method, **params):
        self.id += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.id:
                assert "result" in answer, answer
                return answer["result"]


    def flood(self, n, method, **params):
        """So many calls without waiting for answers: answers a second."""
        began = time.perf_counter()
        first = self.id + 1
        self.process.stdin.write("".join(json.dumps({"jsonrpc": "2.0", "id": first + i, "method": method, "params": params}) + "\n" for i in range(n)))
        self.process.stdin.flush()
        self.id += n
        waiting = set(range(first, first + n))
        while waiting:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") in waiting:
                assert answer.get("result", {}).get("status") == "ok", answer
                waiting.remove(answer["id"])
        return n / (time.perf_counter() - began)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aisbx", required=True)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--languages")
    options = parser.parse_args()
    if options.languages:
        os.environ["AISBX_WASM_LANGUAGES"] = os.path.abspath(options.languages)
    aisbx = os.path.abspath(options.aisbx)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("empty.wasm", "wb") as f:
            f.write(EMPTY)
        for name, text in (("p.py", PYTHON), ("p.js", NODE)):
            with open(name, "w", encoding="utf-8") as f:
                f.write(text)
        run = [aisbx, "run", "--profile", "strict", "--here"]
        code = [aisbx, "run-code"]
        server = Server(aisbx)
        rows = {
            "fork and exec of true": ["/bin/true"],
            "aisbx run -- true (native)": [*run, "--", "true"],
            "python3, bare": ["/usr/bin/python3", "p.py"],
            "python3, driver native": [*run, "--", "/usr/bin/python3", "p.py"],
            "python3, driver wasm": [*run, "--driver", "wasm", "--", "python3", "p.py"],
            "run-code python, wasm, with its scan": [*code, "--driver", "wasm", "--lang", "python", "p.py"],
            "run-code python, wasm, no scan": [*code, "--driver", "wasm", "--policy", "none", "--lang", "python", "p.py"],
            "run-code python, wasm, no scan, by the server": ("run.code", {"lang": "python", "code": PYTHON, "driver": "wasm", "policy": "none"}),
            "node, bare": [shutil.which("node") or "node", "p.js"],
            "node, driver native": [*run, "--", "node", "p.js"],
            "node, driver wasm": [*run, "--driver", "wasm", "--", "node", "p.js"],
            "run-code javascript, wasm, no scan, by the server": ("run.code", {"lang": "javascript", "code": NODE, "driver": "wasm", "policy": "none"}),
        }
        times = {name: [] for name in rows}
        for _ in range(options.rounds):
            for name, what in rows.items():
                began = time.perf_counter()
                if isinstance(what, tuple):
                    assert server.call(what[0], **what[1])["status"] == "ok"
                else:
                    subprocess.run(what, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                times[name].append((time.perf_counter() - began) * 1e3)
        empty = {"command": ["./empty.wasm"], "driver": "wasm", "profile": "strict", "project": folder}
        server.flood(20, "run.exec", **empty)  # it is compiled
        a_second = [server.flood(FLOOD, "run.exec", **empty) for _ in range(3)]
        server.process.stdin.close()
        server.process.wait()
        os.chdir("/")
    print(f"an empty module by the server, {FLOOD} calls at once: {statistics.median(a_second):.0f} a second")
    base = statistics.median(times["python3, bare"])
    print(f"{options.rounds} rounds; ms")
    for name, list_ in times.items():
        list_.sort()
        print(f"{name:52} p50 {statistics.median(list_):7.1f}   p95 {list_[int(len(list_) * 0.95)]:7.1f}   {statistics.median(list_) / base:6.2f} x bare python3")


if __name__ == "__main__":
    main()
