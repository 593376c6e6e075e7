# SPDX-License-Identifier: Apache-2.0
"""The Model Context Protocol by hand, over stdio and HTTP, for those who do not keep to it. Standard library only."""
import json
import os
import queue
import re
import subprocess
import threading

import box
import http_raw
import pace

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "attacker", "version": "1"}}
WAIT = pace.HANGS


def message(method, params=None, ident=None):
    text = {"jsonrpc": "2.0", "method": method}
    if ident is not None:
        text["id"] = ident
    if params is not None:
        text["params"] = params
    return text


class Face:
    """What both have: requests by number, answers whenever they come."""

    def __init__(self):
        self.last = 0
        self.came = queue.Queue()
        self.all = []  # every message there was

    def take(self, *idents):
        """The answer with one of these ids; what else comes is kept in `all`."""
        while True:
            got = self.came.get(timeout=WAIT)
            assert got is not None, f"the server hung up; before: {self.all[-3:]}"
            self.all.append(got)
            if got.get("id") in idents and "method" not in got:
                return got

    def number(self):
        self.last += 1
        return self.last

    def ask(self, method, params=None):
        ident = self.number()
        self.send(message(method, params, ident))
        return self.take(ident)

    def notify(self, method, params=None):
        self.send(message(method, params))

    def open(self):
        assert "result" in self.ask("initialize", INITIALIZE)
        self.notify("notifications/initialized")

    def begin_tool(self, name, arguments):
        ident = self.number()
        self.send(message("tools/call", {"name": name, "arguments": arguments}, ident))
        return ident

    def tool(self, tool, **arguments):
        """(is it an error, all of its text)"""
        answer = self.take(self.begin_tool(tool, arguments))
        if "error" in answer:
            return True, json.dumps(answer["error"])
        result = answer["result"]
        return result.get("isError", False), json.dumps(result, ensure_ascii=False)

    def send(self, value):
        self.raw(json.dumps(value).encode())


class Stdio(Face):
    kind = "stdio"

    def __init__(self, project, state, *options):
        super().__init__()
        self.process = subprocess.Popen([box.aisbx(), "mcp", *options], cwd=project, env={**os.environ, "XDG_STATE_HOME": str(state)},
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.came.put(json.loads(line))
        self.came.put(None)

    def raw(self, data, end=b"\n"):
        self.process.stdin.write(data + end)
        self.process.stdin.flush()

    def refusal(self, data):
        """The code of the error that answers these bytes; 4242 is their id, if they have one."""
        self.raw(data)
        return self.take(None, 4242)["error"]["code"]

    def pid(self):
        return self.process.pid

    def __enter__(self):
        self.open()
        return self

    def __exit__(self, *_):
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(WAIT)
        finally:
            self.process.kill()
            self.process.wait()
            self.reader.join(50)
            self.process.stdout.close()


class Serve(http_raw.Server):
    """`aisbx serve`, with the token it made."""

    def __init__(self, project, state, *options):
        env = {**os.environ, "XDG_STATE_HOME": str(state)}
        super().__init__(box.aisbx(), "serve", "--listen", "0", *options, cwd=project, env=env)
        self.token = subprocess.run([box.aisbx(), "serve", "--show-token", *[o for o in options if "/" in o or o == "--token-file"]],
                                    env=env, stdout=subprocess.PIPE, text=True, check=True, timeout=WAIT).stdout.strip()


class Http(Face):
    """One session with a server; each message is a POST on a connection of its own."""
    kind = "http"

    def __init__(self, server, token=None):
        super().__init__()
        self.server, self.session = server, None
        self.headers = {"Authorization": f"Bearer {token or server.token}", "Accept": "application/json, text/event-stream"}
        self.threads = []

    def post(self, data, **headers):
        extra = {"Mcp-Session-Id": self.session} if self.session else {}
        return http_raw.ask(self.server, "POST", "/mcp", data, {**self.headers, **extra, **headers})

    def _post(self, data):
        answer = self.post(data)
        if answer is None:
            self.came.put(None)
            return
        self.session = answer.headers.get("mcp-session-id", self.session)
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            for event in re.split(rb"\r?\n\r?\n", answer.body):
                text = b"\n".join(line[5:].strip() for line in event.splitlines() if line.startswith(b"data:"))
                if text:
                    self.came.put(json.loads(text))
        elif answer.body:
            self.came.put(json.loads(answer.body))

    def raw(self, data):
        thread = threading.Thread(target=self._post, args=(data,), daemon=True)
        self.threads.append(thread)
        thread.start()
        if b'"initialize"' in data or b'"notifications/' in data:
            thread.join(WAIT)

    def refusal(self, data):
        answer = self.post(data)
        assert answer.status == 400, answer.status
        return answer.json()["error"]["code"]

    def pid(self):
        return self.server.process.pid

    def __enter__(self):
        self.open()
        return self

    def __exit__(self, *_):
        http_raw.ask(self.server, "DELETE", "/mcp", headers={**self.headers, "Mcp-Session-Id": self.session})
        for thread in self.threads:
            thread.join(50)
