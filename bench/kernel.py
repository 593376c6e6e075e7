#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long a warm cell takes in a context with ipykernel, over RPC, beside the same cell in a bare kernel of Jupyter, in one run.

Interleaved: each round does both once, in a shuffled order, so that a noisy moment of the machine hits both. Prints p50 and p95 of each
cell and the ratio of p50; the goal is 1.1 for a cell that works for a while.

    tests/jupyter/prepare CACHE; bench/kernel.py --jupyter CACHE/jupyter [--rounds N] [--aisbx PATH]
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

CELLS = {"nothing": "1", "a sum": "sum(range(3 * 10 ** 6))", "a longer sum": "sum(range(3 * 10 ** 7))"}


class Bare:
    def __init__(self, python):
        from jupyter_client.manager import KernelManager
        self.manager = KernelManager(transport="ipc", ip=tempfile.mkdtemp() + "/k")
        self.manager.kernel_spec.argv[0] = str(python)
        self.manager.start_kernel(extra_arguments=["--HistoryManager.enabled=False"])
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def once(self, code):
        asked = self.client.execute(code)
        told = None
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != asked:
                continue
            if message["msg_type"] == "execute_result":
                told = message["content"]["data"]["text/plain"]
            if message["content"].get("execution_state") == "idle":
                return told

    def close(self):
        self.manager.shutdown_kernel(now=True)


class Context:
    def __init__(self, aisbx, project, env):
        subprocess.run([aisbx, "create", "b"], cwd=project, env=env, stdout=subprocess.DEVNULL, check=True)
        self.process = subprocess.Popen([aisbx, "rpc"], cwd=project, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.n = 0

    def call(self, method, params):
        self.n += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.n:
                return answer["result"]
        raise SystemExit("aisbx rpc ended")

    def once(self, code):
        done = self.call("run.code", {"lang": "python", "box": "b", "context": "c", "policy": "none", "code": code})
        assert done["engine"] == "ipykernel", done
        return done["text"]

    def close(self):
        self.call("box.rm", {"boxes": ["b"]})
        self.process.stdin.close()
        self.process.wait()


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--aisbx", default=os.environ.get("AISBX", "aisbx"))
    words.add_argument("--jupyter", required=True, help="packages that tests/jupyter/prepare fetched")
    words.add_argument("--rounds", type=int, default=30)
    args = words.parse_args()
    sys.path.insert(0, args.jupyter)
    with tempfile.TemporaryDirectory() as top:
        project = pathlib.Path(top, "project")
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", project / ".venv"], check=True)
        shutil.copytree(args.jupyter, next((project / ".venv/lib").glob("python*/site-packages")), dirs_exist_ok=True)
        both = [Bare(project / ".venv/bin/python3"), Context(args.aisbx, project, {**os.environ, "XDG_STATE_HOME": top + "/state"})]
        for name, code in CELLS.items():
            took = [[], []]
            assert both[0].once(code) == both[1].once(code)
            for _ in range(args.rounds):
                for i in random.sample((0, 1), 2):
                    begin = time.perf_counter()
                    both[i].once(code)
                    took[i].append((time.perf_counter() - begin) * 1000)
            p50 = [statistics.median(one) for one in took]
            p95 = [sorted(one)[int(len(one) * 0.95)] for one in took]
            print(f"{name}: bare {p50[0]:.1f} ms (p95 {p95[0]:.1f}), context {p50[1]:.1f} ms (p95 {p95[1]:.1f}), ratio {p50[1] / p50[0]:.2f}")
        for one in both:
            one.close()


main()
