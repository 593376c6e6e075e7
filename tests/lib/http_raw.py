# SPDX-License-Identifier: Apache-2.0
"""HTTP by hand: bytes as an attacker, or a clumsy client, would send them. Standard library only."""
import functools
import json
import os
import queue
import re
import socket
import subprocess
import threading
import urllib.parse

import box


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class Server:
    """A process that prints where it listens, as a URL or as JSON with one, and lines about what happens."""

    def __init__(self, *words, **popen):
        self.process = subprocess.Popen(list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                        **{"stderr": subprocess.PIPE, **popen})
        first = self.process.stdout.readline()
        assert "http://" in first, f"no URL but {first!r}, {self.process.stderr and self.process.stderr.read()[-2000:]}"
        self.url = re.search(r"http://[^\s\"]+", first).group()
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port
        self.lines = queue.Queue()
        self.seen = []
        self.readers = [threading.Thread(target=self._read, args=(f,), daemon=True)
                        for f in (self.process.stdout, self.process.stderr) if f]
        for reader in self.readers:
            reader.start()

    def _read(self, stream):
        for line in stream:
            self.lines.put(line.rstrip("\n"))

    def line(self, beginning, seconds=30):
        """Waits for a line that begins so; those before it are kept in `seen`."""
        while True:
            try:
                line = self.lines.get(timeout=seconds)
            except queue.Empty:
                raise AssertionError(f"no line {beginning!r}; seen {self.seen[-20:]}") from None
            self.seen.append(line)
            if line.startswith(beginning):
                return line

    def connect(self, **options):
        s = socket.create_connection((self.host, self.port), timeout=options.get("timeout", 50))
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def rss(self):
        return rss(self.process.pid)

    def alive(self):
        return self.process.poll() is None

    def stop(self):
        """Ends it as a person would; it must go in peace."""
        self.process.terminate()
        try:
            status = self.process.wait(50)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        for reader in self.readers:
            reader.join(50)
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.alive():
            self.process.kill()
        self.process.wait(50)
        for reader in self.readers:
            reader.join(50)
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()


def rss(pid):
    """Bytes of memory the process has now."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@functools.lru_cache(None)
def room(size):
    """How much more a server may have; one with a sanitizer keeps what was freed for a while, and moves what grows."""
    with open(box.aisbx(), "rb") as f:
        return size + (512 << 20 if b"__asan_init" in f.read() else 0)


def request(server, method="GET", path="/", body=None, headers=None, host=None, version="1.1"):
    """The bytes of a request; a header whose value is None is left out."""
    have = {"Host": host or f"{server.host}:{server.port}"}
    if body is not None:
        have.update({"Content-Type": "application/json", "Content-Length": str(len(body))})
    have.update(headers or {})
    text = f"{method} {path} HTTP/{version}\r\n" + "".join(f"{k}: {v}\r\n" for k, v in have.items() if v is not None)
    return text.encode("latin-1") + b"\r\n" + (body or b"")


class Reader:
    """Answers from a socket, one after the other."""

    def __init__(self, sock):
        self.sock, self.kept = sock, b""

    def more(self):
        got = self.sock.recv(65536)
        self.kept += got
        return bool(got)

    def until(self, end):
        while end not in self.kept:
            if not self.more():
                return None
        at = self.kept.index(end) + len(end)
        part, self.kept = self.kept[:at], self.kept[at:]
        return part

    def exactly(self, n):
        while len(self.kept) < n:
            if not self.more():
                return None
        part, self.kept = self.kept[:n], self.kept[n:]
        return part

    def head(self):
        """(status, headers), or None when the connection ended instead."""
        try:
            text = self.until(b"\r\n\r\n")
        except ConnectionError:
            return None
        if text is None:
            return None
        lines = text.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines[1:]:
            if ":" in line:
                name, value = line.split(":", 1)
                headers[name.strip().lower()] = value.strip()
        return int(lines[0].split()[1]), headers

    def chunk(self):
        """The next piece of a chunked body; b"" is its end, None a connection that ended."""
        size = self.until(b"\r\n")
        if size is None:
            return None
        data = self.exactly(int(size, 16) + 2)
        return None if data is None else data[:-2]

    def answer(self):
        head = self.head()
        while head and head[0] == 100:
            head = self.head()
        if head is None:
            return None
        status, headers = head
        body = b""
        if headers.get("transfer-encoding") == "chunked":
            while part := self.chunk():
                body += part
        else:
            body = self.exactly(int(headers.get("content-length", 0))) or b""
        return Answer(status, headers, body)

    def ended(self):
        """The server has closed it, and said nothing more."""
        try:
            return not self.kept and not self.more()
        except ConnectionError:
            return True


def ask(server, method="GET", path="/", body=None, headers=None, **how):
    """One request on a connection of its own; None: it was closed without an answer."""
    with server.connect() as s:
        try:
            s.sendall(request(server, method, path, body, headers, **how))
        except ConnectionError:
            pass
        return Reader(s).answer()


def raw(server, data):
    """These very bytes; the first answer, or None."""
    with server.connect() as s:
        try:
            s.sendall(data)
        except ConnectionError:
            pass
        return Reader(s).answer()


def built(name):
    path = os.path.join(os.environ.get("AISBX_TEST_BIN", ""), name)
    return box.need(path)
