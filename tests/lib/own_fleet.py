# SPDX-License-Identifier: Apache-2.0
"""A fleet of its own: a nats-server, hubs and nodes as processes of the test, on loopback and in a directory of the test."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

import box
import fleet_tools

WAIT = 60


def until(true, what, seconds=WAIT):
    end = time.monotonic() + seconds
    while not (got := true()):
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)
    return got


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Fleet:
    def __init__(self, directory):
        self.dir, self.port, self.processes = pathlib.Path(directory), free_port(), {}
        for name in ("home", "project", "js"):
            (self.dir / name).mkdir()
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.dir / "home"), "XDG_STATE_HOME": str(self.dir / "state"),
                    "AISBX_NATS": f"nats://127.0.0.1:{self.port}", "LANG": "C.UTF-8"}
        self.server()

    def server(self):
        (self.dir / "nats.conf").write_text(f'listen: 127.0.0.1:{self.port}\njetstream {{ store_dir: "{self.dir}/js", sync_interval: always }}\n')
        self.begin("nats", [fleet_tools.tool("nats-server"), "-c", self.dir / "nats.conf"])
        until(self.listens, "nats-server listens")

    def listens(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def begin(self, name, words):
        with open(self.dir / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen([str(w) for w in words], cwd=self.dir / "project", env=self.env, stdin=subprocess.DEVNULL,
                                                    stdout=log, stderr=log)

    def log(self, name):
        return (self.dir / f"{name}.log").read_text(errors="replace")

    def end(self, name, how=signal.SIGTERM):
        process = self.processes.pop(name)
        process.send_signal(how)
        process.send_signal(signal.SIGCONT)
        return process.wait(WAIT)

    def hub(self, name="h", wait=True):
        self.begin(name, [box.aisbx(), "fleet", "hub", "--name", name])
        if wait:
            until(lambda: "is active" in self.log(name), f"hub {name} is active")

    def node(self, name="a", *options, wait=True):
        self.begin(name, [box.aisbx(), "fleet", "node", "--name", name, "--slots", "4", *options])
        if wait:
            until(lambda: any(n["name"] == name and n["silent_ms"] < 3000 for n in self.nodes()), f"the hub knows node {name}")

    def popen(self, *words, **more):
        return subprocess.Popen([box.aisbx(), *map(str, words)], cwd=self.dir / "project", env={**self.env, **more.pop("env", {})},
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})

    def call(self, *words, timeout=WAIT, **more):
        if "input" not in more:
            more["stdin"] = subprocess.DEVNULL
        return subprocess.run([box.aisbx(), *map(str, words)], cwd=self.dir / "project", env={**self.env, **more.pop("env", {})}, capture_output=True,
                              timeout=timeout, check=False, **more)

    def ask(self, what, *more):
        done = self.call("fleet", what, "--json", *more)
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def nodes(self):
        return self.ask("nodes").get("nodes", [])

    def finish(self):
        for name in list(self.processes):
            self.processes[name].send_signal(signal.SIGCONT)
            self.processes[name].send_signal(signal.SIGKILL)
        for process in self.processes.values():
            process.wait(WAIT)


def processes_with(mark):
    """Processes of this machine whose command line contains MARK; a job's, if it is in its command."""
    found = []
    for place in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if place.name.isdigit() and int(place.name) != os.getpid() and mark.encode() in (place / "cmdline").read_bytes():
                found.append(int(place.name))
    return found


def environment(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/environ").read_bytes()
    return b""
