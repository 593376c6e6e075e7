# SPDX-License-Identifier: Apache-2.0
"""A plain client of `aisbx rpc`: sends lines, reads lines, keeps what came for whom. Nothing of the SDKs."""
import base64
import collections
import json
import os
import select
import socket
import subprocess

import pace
from box import aisbx

SLOW = float(os.environ.get("TIMEOUT_MULTIPLIER", "1"))


class Rpc:
    """Over a process's standard input and output, or a connection to a socket."""

    def __init__(self, path=None, cwd=None, env=None, words=(), command=("rpc",)):
        self.process = None
        if path is None:
            self.process = subprocess.Popen([aisbx(), *command, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, cwd=cwd, env=env, bufsize=0)
            self.write_fd, self.read_fd = self.process.stdin.fileno(), self.process.stdout.fileno()
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(path)
            self.write_fd = self.read_fd = self.socket.fileno()
        self.next_id = 0
        self.part = b""
        self.lines = collections.deque()
        self.answers = collections.defaultdict(list)   # by id
        self.notes = collections.defaultdict(list)     # (method, params) by id
        self.all = []

    @property
    def pid(self):
        return self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.process is None:
            self.socket.close()
            return
        for end in (self.process.stdin, self.process.stdout):
            end.close()
        try:
            self.process.wait(20 * SLOW)
        finally:
            self.process.kill()
            self.process.wait()
            self.stderr = self.process.stderr.read()
            self.process.stderr.close()
            assert b"Sanitizer" not in self.stderr, self.stderr.decode()

    def raw(self, data):
        while data:
            data = data[os.write(self.write_fd, data):]

    def message(self, **members):
        self.raw(json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\n")

    def send(self, method, *, id=None, **params):
        """Sends a request; its id. Names of arguments with an underscore inside are meant to have a hyphen."""
        if id is None:
            self.next_id += 1
            id = self.next_id
        self.message(id=id, method=method, params=names(params))
        return id

    def send_params(self, method, params):
        """As they are: of the protocol's own methods, whose `id` is an argument."""
        self.next_id += 1
        self.message(id=self.next_id, method=method, params=params)
        return self.next_id

    def notify(self, method, **params):
        self.message(method=method, params=params)

    def line(self, timeout=60):
        """The next line, or None at the end."""
        end = pace.Deadline(timeout)
        while not self.lines:
            if not select.select([self.read_fd], [], [], 0.5)[0]:
                assert not end.is_over(), f"nothing came in {timeout} s; so far {self.all[-3:]}"
                continue
            try:
                data = os.read(self.read_fd, 1 << 16)
            except ConnectionResetError:  # it was closed with something of ours unread; what it sent was read before
                data = b""
            if not data:
                assert not self.part, f"a line was cut off: {self.part[:200]!r}"
                return None
            *whole, self.part = (self.part + data).split(b"\n")
            self.lines.extend(whole)
        return self.lines.popleft()

    def take(self, timeout=60):
        """One message, put where it belongs; None at the end."""
        line = self.line(timeout)
        if line is None:
            return None
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        self.all.append(message)
        if "method" in message:
            assert "id" not in message, "the server asks nothing"
            self.notes[message["params"]["id"]].append((message["method"], message["params"]))
        else:
            assert ("result" in message) != ("error" in message)
            self.answers[message["id"]].append(message)
        return message

    def until(self, condition, timeout=60):
        while not condition():
            assert self.take(timeout) is not None, f"the conversation ended; so far {self.all[-3:]}"

    def answer(self, id, timeout=60):
        self.until(lambda: self.answers[id], timeout)
        return self.answers[id][0]

    def ok(self, id, timeout=60):
        answer = self.answer(id, timeout)
        assert "result" in answer, answer
        return answer["result"]

    def call(self, method, **params):
        return self.ok(self.send(method, **params))

    def error(self, method, **params):
        answer = self.answer(self.send(method, **params))
        assert "error" in answer, answer
        return answer["error"]

    def sh(self, script, **params):
        return self.send("run.exec", command=["sh", "-c", script], **params)

    def begun(self, id):
        """Waits until the command of a call runs; the id of its run."""
        self.until(lambda: any(m == "begun" for m, _ in self.notes[id]) or self.answers[id])
        return next(p["run"] for m, p in self.notes[id] if m == "begun")

    def output(self, id, stream="stdout"):
        """What has come of it so far."""
        return b"".join(data_of(p) for m, p in self.notes[id] if m == "output" and p["stream"] == stream)

    def to_the_end(self):
        while self.take() is not None:
            pass


def names(params):
    return {name if name.startswith("_") else name.replace("_", "-"): value for name, value in params.items()}


def data_of(params):
    return base64.b64decode(params["data"], validate=True) if params["encoding"] == "base64" else params["data"].encode()
