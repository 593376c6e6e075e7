# SPDX-License-Identifier: Apache-2.0
"""nats-server for tests: one, or a cluster, on loopback, with all it stores under a directory of the test."""
import contextlib
import json
import pathlib
import signal
import socket
import subprocess
import time

import fleet_tools
import pace


def free_ports(n):
    """Ports that nobody has just now. Another may take one before the server does: then it is started with others."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


class Server:
    """One server; `settings` is more of its configuration, as text."""

    def __init__(self, directory, name="s1", port=None, cluster=None, settings="", host="127.0.0.1"):
        self.directory, self.name, self.host, self.settings = pathlib.Path(directory), name, host, settings
        self.port = port or free_ports(1)[0]
        self.cluster = cluster  # (own port, ports of all)
        self.log = self.directory / "log"
        self.store = self.directory / "store"
        self.sync = "always"
        self.process = None

    @property
    def url(self):
        return f"nats://{self.host}:{self.port}"

    def configuration(self):
        text = f'server_name: {self.name}\nlisten: "{self.host}:{self.port}"\njetstream {{ store_dir: "{self.store}", sync_interval: {self.sync} }}\n'
        if self.cluster:
            own, ports = self.cluster
            routes = ", ".join(f'"nats://{self.host}:{port}"' for port in ports)
            text += f'cluster {{ name: fleet, listen: "{self.host}:{own}", routes: [{routes}] }}\n'
        return text + self.settings

    def start(self):
        assert not self.runs(), "it runs"
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.directory / "conf").write_text(self.configuration())
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([fleet_tools.tool("nats-server"), "-c", self.directory / "conf"], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log)
        return self

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def wait(self):
        """Until it answers."""
        deadline = pace.Deadline(30)
        while True:
            with contextlib.suppress(OSError), socket.create_connection((self.host, self.port), 1) as s:
                if s.recv(5) == b"INFO ":
                    return self
            assert self.runs(), f"nats-server ended:\n{self.words()}"
            assert not deadline.is_over(), f"nats-server does not answer:\n{self.words()}"
            time.sleep(0.02)

    def words(self):
        """The end of its log."""
        return self.log.read_text(errors="replace")[-3000:] if self.log.exists() else ""

    def kill(self, how=signal.SIGKILL):
        if self.runs():
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
        if self.process is not None:
            self.process.wait(pace.HANGS)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)


class Cluster:
    """Three servers, or so many; `server.kill()` and `server.start()` are for each."""

    def __init__(self, directory, n=3, settings=""):
        ports, inner = free_ports(n), free_ports(n)
        self.servers = [Server(pathlib.Path(directory) / f"s{i + 1}", f"s{i + 1}", ports[i], (inner[i], inner), settings) for i in range(n)]

    @property
    def url(self):
        return ",".join(server.url for server in self.servers)

    def start(self):
        for server in self.servers:
            server.start()
        return self

    def wait(self):
        """Until it has a leader for streams."""
        for server in self.servers:
            server.wait()
        deadline = pace.Deadline(60)
        while "error" in request(self.servers[0], "$JS.API.INFO", {}):
            assert not deadline.is_over(), "the cluster has no leader:\n" + "\n".join(server.words() for server in self.servers)
            time.sleep(0.1)
        return self

    def kill(self):
        for server in self.servers:
            server.kill()


def request(server, subject, args):
    """One question to the engine, as JSON; without a client's library. An answer that does not come is an error, too."""
    body = json.dumps(args).encode()
    with socket.create_connection((server.host, server.port), 5) as s, s.makefile("rb") as lines:
        s.sendall(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB _INBOX.test 1\r\n'
                  b"PUB %s _INBOX.test %d\r\n%s\r\n" % (subject.encode(), len(body), body))
        try:
            for line in lines:
                words = line.split()
                if words[0] == b"PING":
                    s.sendall(b"PONG\r\n")
                elif words[0] == b"MSG":
                    return json.loads(lines.read(int(words[-1])))
                elif words[0] in (b"HMSG", b"-ERR"):
                    return {"error": {"description": line.decode()}}
        except TimeoutError:
            pass
    return {"error": {"description": "no answer"}}
