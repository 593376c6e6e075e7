# SPDX-License-Identifier: Apache-2.0
"""Speaks the Model Context Protocol with aisbx word by word, over stdio and HTTP, in either era. Standard library only."""
import http.client
import json
import os
import queue
import re
import subprocess
import threading
import urllib.parse

import box
import pace

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
WAIT = pace.HANGS


def meta(capabilities=None, **more):
    """params._meta of a request that says for itself what it speaks."""
    return {META + "protocolVersion": MODERN, META + "clientCapabilities": capabilities or {}, **more}


class Stdio:
    """`aisbx mcp`, with what comes from it in a queue."""

    def __init__(self, place, *options, command=("mcp",), env=None):
        env = env or {**os.environ, "XDG_STATE_HOME": str(place / "state")}
        self.last = 0
        self.process = subprocess.Popen([box.aisbx(), *command, *options], cwd=place / "project", env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.came = queue.Queue()
        self.others = []  # what came while something else was waited for
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.came.put(json.loads(line))
        self.came.put(None)

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self, method, params=None):
        """Sends a request and returns its id."""
        self.last += 1
        self.send({"id": self.last, "method": method, **({"params": params} if params is not None else {})})
        return self.last

    def notify(self, method, params=None):
        self.send({"method": method, **({"params": params} if params is not None else {})})

    def take(self, wanted):
        """The first message, of those that came or will, that WANTED is true of."""
        for i, message in enumerate(self.others):
            if wanted(message):
                return self.others.pop(i)
        while True:
            try:
                message = self.came.get(timeout=WAIT)
            except queue.Empty:
                raise AssertionError(f"it did not come; but {self.others}") from None
            assert message is not None, f"it has ended, after {self.others}"
            if wanted(message):
                return message
            self.others.append(message)

    def answer(self, ident):
        return self.take(lambda m: m.get("id") == ident and "method" not in m)

    def ask(self, method, params=None):
        return self.answer(self.begin(method, params))

    def notification(self, method):
        return self.take(lambda m: m.get("method") == method)

    def open(self, version="2025-11-25", capabilities=None):
        result = self.ask("initialize", {"protocolVersion": version, "capabilities": capabilities or {},
                                         "clientInfo": {"name": "talk", "version": "1"}})["result"]
        self.notify("notifications/initialized")
        return result

    def tool(self, name, arguments=None, **params):
        """The CallToolResult."""
        answer = self.ask("tools/call", {"name": name, "arguments": arguments or {}, **params})
        assert "result" in answer, answer
        return answer["result"]

    def close(self):
        """Ends its input; the exit status."""
        self.process.stdin.close()
        return self.process.wait(WAIT)


class Server:
    """`aisbx serve`, for as long as a `with` lasts."""

    def __init__(self, place, *options):
        self.env = {**os.environ, "XDG_STATE_HOME": str(place / "state")}
        self.log = open(place / "log", "ab")
        self.process = subprocess.Popen([box.aisbx(), "serve", "--listen", "127.0.0.1:0", *options], cwd=place / "project",
                                        env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log)
        said = self.process.stdout.readline().decode()
        found = re.search(r"http://\S+", said)
        assert found, said
        self.address = urllib.parse.urlparse(found.group()).netloc

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            assert self.process.wait(WAIT) == 0
        finally:
            self.process.stdout.close()
            self.log.close()

    def request(self, method, message=None, headers=None, timeout=WAIT):
        """The connection and the response, with its body not read."""
        body = None if message is None else json.dumps({"jsonrpc": "2.0", **message})
        connection = http.client.HTTPConnection(self.address, timeout=timeout)
        connection.request(method, "/mcp", body, {"Accept": "application/json, text/event-stream",
                                                  **({"Content-Type": "application/json"} if body else {}), **(headers or {})})
        return connection, connection.getresponse()

    def modern(self, method, params=None, capabilities=None, headers=None, ident=1, **more):
        """A request that stands for itself; the connection and the response."""
        params = {**(params or {}), "_meta": meta(capabilities, **more)}
        name = params.get("name") or params.get("uri") or params.get("taskId")
        return self.request("POST", {"id": ident, "method": method, "params": params},
                            {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, **({"Mcp-Name": name} if name else {}),
                             **(headers or {})})

    def ask(self, method, params=None, capabilities=None, **more):
        """The answer to such a request, whether it came as a text or as the last of a stream."""
        connection, response = self.modern(method, params, capabilities, **more)
        try:
            return last(response)
        finally:
            connection.close()


def events(response):
    """The events of a stream as they come: (id, data or None)."""
    ident, data = None, None
    for line in response:
        line = line.decode().rstrip("\n")
        if line.startswith("id: "):
            ident = line[4:]
        elif line.startswith("data:"):
            data = line[5:].strip()
        elif not line and data is not None:
            yield ident, json.loads(data) if data else None
            ident, data = None, None


def last(response):
    """The answer of a request, as a text or at the end of a stream."""
    if response.getheader("Content-Type") == "application/json":
        return json.loads(response.read())
    return [data for _, data in events(response) if data][-1]


class Session:
    """A session of the legacy era over HTTP."""

    def __init__(self, server, capabilities=None, headers=None):
        self.server, self.headers, self.last = server, dict(headers or {}), 0
        connection, response = server.request("POST", {"id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": capabilities or {}, "clientInfo": {"name": "talk", "version": "1"}}},
            self.headers)
        assert response.status == 200, response.read()
        self.headers.update({"Mcp-Session-Id": response.getheader("Mcp-Session-Id"), "MCP-Protocol-Version": "2025-11-25"})
        connection.close()
        assert self.post({"method": "notifications/initialized"})[1].status == 202

    def post(self, message):
        return self.server.request("POST", message, self.headers)

    def begin(self, method, params=None):
        self.last += 1
        return self.post({"id": self.last, "method": method, "params": params or {}})

    def ask(self, method, params=None):
        connection, response = self.begin(method, params)
        try:
            return last(response)
        finally:
            connection.close()


def runs(place):
    """The runs under way, of whoever."""
    env = {**os.environ, "XDG_STATE_HOME": str(place / "state")}
    done = subprocess.run([box.aisbx(), "ps", "--all", "--json"], env=env, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["runs"]


def until(condition, what):
    """Waits for it."""
    box.wait_until(condition, 60, what)
