# SPDX-License-Identifier: Apache-2.0
"""A whole fleet on this machine: three NATS servers, two hubs, eight nodes, submitters of four tenants, PostgreSQL with a collector, S3; each in a
network namespace of its own, and each node in a PID namespace as well, so that it can die as a machine does."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import chaos_net

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fleet"))
import history_world  # noqa: E402  pylint: disable=wrong-import-position
import nats  # noqa: E402  pylint: disable=wrong-import-position
import s3  # noqa: E402  pylint: disable=wrong-import-position

AISBX = pathlib.Path(os.environ["AISBX"])
LOAD = pathlib.Path(os.environ["AISBX_TEST_BIN"]) / "fleet-load"
TENANTS = ["alpha", "beta", "gamma", "delta"]
SERVERS, HUBS, NODES = ["s1", "s2", "s3"], ["h1", "h2"], [f"n{i}" for i in range(1, 9)]
PORT, ROUTES = 4222, 6222
# Locks of one file for each job, which the kernel gives to one box at a time: two boxes of a job that live at once see each other, however they die.
# The lines are on the disk of the node where the box is.
COMMAND = """exec 9>>LOCKS/$1; flock -n 9 || echo "$1 twice" >>DISK/runs
read at rest </proc/uptime; echo "$1 begin $at" >>DISK/runs
case $1 in *[379]) sleep 3;; *) sleep 0.1;; esac
read at rest </proc/uptime; echo "$1 end $at" >>DISK/runs"""


class Server(nats.Server):
    """One of three."""

    def __init__(self, place, directory):
        super().__init__(directory, place.name, PORT, host=place.ip)
        self.place, self.routes = place, []

    def configuration(self):
        routes = ", ".join(f'"nats://{ip}:{ROUTES}"' for ip in self.routes)
        return super().configuration() + f'cluster {{ name: fleet, listen: "{self.host}:{ROUTES}", routes: [{routes}] }}\n'

    def start(self):
        return self.place.call(super().start)

    def answers(self):
        return self.place.call(nats.request, self, "$JS.API.INFO", {})


class S3(s3.S3):
    """On the address of its place."""

    def __init__(self, place, directory):
        super().__init__(directory)
        self.where = place
        self.environment["AISBX_S3_ENDPOINT"] = f"http://{place.ip}:{self.port}"

    def start(self):
        with open(self.place / "log", "ab") as log:
            self.process = subprocess.Popen(self.where.words(s3.program(), "--access", s3.KEY, "--secret", s3.SECRET, "--port", f"{self.where.ip}:{self.port}",
                                                             "--health", "/health", "--quiet", "posix", self.files),
                                            stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.place)
        return self


class World:
    def __init__(self, directory, per_second, jobs, once_every):
        self.dir, self.jobs, self.per_second, self.once_every = pathlib.Path(directory), jobs, per_second, once_every
        self.processes, self.stopped, self.hurt = {}, set(), set()
        for name in ("locks", "disk", "logs"):
            (self.dir / name).mkdir()
        (self.dir / "locks").chmod(0o777)
        self.postgres = history_world.Postgres()
        self.net = None
        try:
            self.net = chaos_net.Net([*SERVERS, *HUBS, *NODES, "submitters", "centre", "s3", "test"])
            self.servers = {name: Server(self.net[name], self.dir / name) for name in SERVERS}
            for server in self.servers.values():
                server.routes = [self.net[name].ip for name in SERVERS]
            (self.dir / "s3").mkdir()
            self.s3 = S3(self.net["s3"], self.dir / "s3")
        except BaseException:
            self.close()
            raise
        self.url = ",".join(f"nats://{self.net[name].ip}:{PORT}" for name in SERVERS)

    # What runs.

    def begin(self, name, place, words, **env):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.dir / "home"), "LANG": "C.UTF-8", "AISBX_NATS": self.url, **env}
        with open(self.dir / "logs" / name, "ab") as log:
            self.processes[name] = subprocess.Popen(self.net[place].words(*words), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.dir, env=env)

    def hub(self, name):
        self.begin(name, name, [AISBX, "fleet", "hub", "--name", name, "--replicas", "3"])

    def node(self, name):
        """The first process of its PID namespace only waits: so the agent can die alone, or with all that it started."""
        disk = self.dir / f"{name}-disk"
        disk.mkdir(exist_ok=True)
        script = 'mount --bind "$1" "$2" && shift 2 && "$@" & wait'
        agent = [AISBX, "fleet", "node", "--name", name, "--slots", "8", "--dir", self.dir / name, "--allow", "run.exec"]
        apart = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
        self.begin(name, name, [*apart, "sh", "-c", script, "sh", disk, self.dir / "disk", *agent])

    def agent(self, name):
        """The pid of a node's agent; None: there is none."""
        for first in chaos_net.children(self.processes[name].pid):
            for shell in chaos_net.children(first):
                with_name = pathlib.Path(f"/proc/{shell}/cmdline")
                if with_name.exists() and b"fleet" in with_name.read_bytes():
                    return shell
        return None

    def outbox(self, node, tenant):
        state = self.dir / node / "tenants" / tenant / "state"
        if (state / "aisbx").is_dir() and f"{node}-{tenant}" not in self.processes:
            words = [AISBX.parent / "aisbx-outbox", "--nats", self.url, "--node", f"{node}-{tenant}", "--every", "5s"]
            self.begin(f"{node}-{tenant}", node, words, XDG_STATE_HOME=str(state))

    def collector(self):
        self.begin("collector", "centre", [AISBX.parent / "aisbx-collect", "--nats", self.url, "--postgres", self.postgres.dsn])

    def load(self, tenant):
        command = COMMAND.replace("LOCKS", str(self.dir / "locks")).replace("DISK", str(self.dir / "disk"))
        arguments = {"rw": [str(self.dir / "locks"), str(self.dir / "disk")], "command": ["sh", "-c", command, "sh", "@JOB@"]}
        body = json.dumps({"operation": "run.exec", "stdin": False, "arguments": arguments})
        self.begin(f"load-{tenant}", "submitters", [LOAD, self.url, tenant, self.dir / f"jobs-{tenant}", self.jobs // len(TENANTS),
                                                    self.per_second / len(TENANTS), 100, self.once_every, 20000, body])

    def start(self):
        for server in self.servers.values():
            server.start()
        self.until(lambda: "error" not in self.ask("$JS.API.INFO"), "the servers have a leader")
        for hub in HUBS:
            self.hub(hub)
        for node in NODES:
            self.node(node)
        self.postgres.start()
        self.collector()
        self.s3.start()
        self.until(lambda: "error" not in self.ask("$JS.API.STREAM.INFO.AISBX_STATE"), "the streams are there")
        return self

    def signal(self, name, how):
        process = self.processes[name]
        if process.poll() is None:
            process.send_signal(how)

    def kill(self, name):
        process = self.processes.pop(name)
        for how in (signal.SIGCONT, signal.SIGKILL):
            if process.poll() is None:
                process.send_signal(how)
        process.wait(60)

    # What is asked.

    def ask(self, subject, **args):
        """The engine, by a server that answers."""
        answer = {"error": {"description": "no server runs"}}
        for server in self.servers.values():
            if server.runs():
                try:
                    answer = self.net["test"].call(nats.request, server, subject, args)
                except OSError as e:
                    answer = {"error": {"description": str(e)}}
                if "error" not in answer:
                    break
        return answer

    def ask_hub(self, what):
        return self.ask(f"aisbx.ask.{what}")

    def leader(self, stream="AISBX_STATE"):
        return self.ask(f"$JS.API.STREAM.INFO.{stream}").get("cluster", {}).get("leader") or SERVERS[0]

    def is_current(self):
        """Every replica of every stream has all."""
        said = self.ask("$JS.API.STREAM.LIST")
        streams = said.get("streams") or []
        others = [s["cluster"].get("replicas") or [] for s in streams]
        return bool(streams) and all(len(two) == 2 and all(r["current"] and not r.get("offline") for r in two) for two in others)

    def until(self, true, what, seconds=180):
        end = time.monotonic() + seconds
        while not (got := true()):
            assert time.monotonic() < end, f"not within {seconds} s: {what}\n" + self.words()
            time.sleep(0.2)
        return got

    def keep_alive(self):
        """Starts again what ended by itself; says what did."""
        ended = [name for name, process in self.processes.items() if process.poll() is not None and name not in self.stopped]
        for name in ended:
            status = self.processes.pop(name).returncode
            if name in HUBS:
                self.hub(name)
            elif name in NODES:
                self.node(name)
            elif name == "collector":
                self.collector()
            elif name.startswith("load-") and status:
                self.load(name[5:])
            elif name.startswith("load-"):
                self.stopped.add(name)
        for node in NODES:
            for tenant in TENANTS:
                self.outbox(node, tenant)
        return ended

    def is_done(self):
        return all(f"load-{tenant}" in self.stopped for tenant in TENANTS)

    def words(self):
        logs = [*sorted((self.dir / "logs").iterdir()), *(self.dir / s / "log" for s in SERVERS)]
        return "\n".join(f"--- {log.name}\n" + log.read_text(errors="replace")[-600:] for log in logs if log.exists() and "-" not in log.name)

    def close(self):
        for name in list(self.processes):
            self.kill(name)
        if self.net is not None:
            for server in getattr(self, "servers", {}).values():
                server.kill()
            if hasattr(self, "s3"):
                self.s3.kill()
            self.net.end()
        self.postgres.remove()

    def save(self, name, place):
        shutil.copytree(self.servers[name].store, place)
