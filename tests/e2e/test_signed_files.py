# SPDX-License-Identifier: Apache-2.0
"""Signed addresses of files: `aisbx file url`, and what `aisbx serve` gives and takes there."""
import contextlib
import hashlib
import http.client
import json
import os
import random
import re
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest

import http_raw
from box import aisbx, wait_until
from files import FileBox
from rpc import SLOW, Rpc

MIB = 1 << 20


class Ground(FileBox):
    """A box, and a server for its state directory."""

    def __init__(self, root):
        super().__init__(root)
        self.server = http_raw.Server(aisbx(), "serve", "--listen", "127.0.0.1:0", cwd=self.project, env=self.env)

    def url(self, path, *options):
        return self.ok("file url", "b", path, "--server", self.server.url, *options)["url"]

    def connect(self):
        return http.client.HTTPConnection(self.server.host, self.server.port, timeout=60 * SLOW)


@pytest.fixture
def g(tmp_path):
    with contextlib.closing(Ground(tmp_path)) as ground, ground.server:
        yield ground
        assert not ground.server.alive() or ground.server.stop() == 0


def ask(url, method="GET", data=None, **headers):
    """Status and body."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=60 * SLOW) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()


def test_there_and_back(g):
    data = random.Random(1).randbytes(20 * MIB + 3)
    put = g.ok("file url", "b", "d/a b&c=%.bin", "--write", "--server", g.server.url + "/")
    assert put["method"] == "PUT" and put["path"] == str(g.project / "d/a b&c=%.bin") and put["box"].startswith("b-")
    status, said = ask(put["url"], "PUT", data)
    assert status == 200 and json.loads(said)["sha256"] == hashlib.sha256(data).hexdigest() and json.loads(said)["created"]
    get = g.url("d/a b&c=%.bin")
    with urllib.request.urlopen(get, timeout=60 * SLOW) as answer:
        assert answer.read() == data
        assert answer.headers["Content-Type"] == "application/octet-stream" and answer.headers["Content-Disposition"] == "attachment"
        assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Cache-Control"] == "no-store"
    assert ask(put["url"], "PUT", b"")[0] == 200
    assert ask(get) == (200, b"")
    assert not (g.project / "d").exists()


def test_curl_does_it(g):
    (g.project / "in").write_bytes(bytes(range(256)) * 4096)
    subprocess.run(["curl", "-sSf", "-T", "in", g.url("out", "--write")], cwd=g.project, check=True, timeout=60 * SLOW, stdout=subprocess.DEVNULL)
    got = subprocess.run(["curl", "-sSf", g.url("out")], check=True, timeout=60 * SLOW, stdout=subprocess.PIPE).stdout
    assert got == (g.project / "in").read_bytes()


def test_what_a_person_sees(g):
    out = subprocess.run([aisbx(), "file", "url", "b", "f"], cwd=g.project, env=g.env, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.fullmatch(r"http://127\.0\.0\.1:24729/files\?box=b-\w+&owner=&until=\d+&path=/\S+/f&signature=[0-9a-f]{64}\n", out)
    g.refused("EINVAL", "file url", "b", "f", "--expires", "8d")
    g.refused("EINVAL", "file url", "b", "f", "--server", "ftp://x")
    g.refused("EINVAL", "file url", "b", "f", "--server", "http://x?y")
    g.refused("ENOENT", "file url", "nobox", "f")


@pytest.mark.parametrize("change", [
    ("PUT", {}), ("GET", {"path": "/etc/passwd"}), ("GET", {"box": "b-0000000000000000"}), ("GET", {"owner": "ana"}), ("GET", {"until": "99999999999"}),
    ("GET", {"signature": "0" * 64}), ("GET", {"signature": ""}), ("GET", {"signature": None}), ("GET", {"path": None}), ("GET", {"until": None}),
], ids=str)
def test_what_was_not_signed_is_refused(g, change):
    (g.project / "f").write_text("one")
    method, other = change
    url = urllib.parse.urlsplit(g.url("f"))
    parts = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
    query = "&".join(f"{k}={v}" for k, v in {**parts, **other}.items() if v is not None)
    token = (g.state / "aisbx/serve/tokens").read_text().split()[1]
    for headers in ({}, {"Authorization": f"Bearer {token}"}):
        status, said = ask(url._replace(query=query).geturl(), method, b"x" if method == "PUT" else None, **headers)
        assert status == 403 and "signed" in json.loads(said)["error"]["text"]
    assert ask(url.geturl()) == (200, b"one") and g.ok("file read", "b", "f")["content"] == "one"


def test_of_another_state_directory(g, tmp_path):
    (tmp_path / "other").mkdir()
    with contextlib.closing(FileBox(tmp_path / "other")) as other:
        url = other.ok("file url", "b", "f", "--server", g.server.url)["url"]
    assert ask(url)[0] == 403


def test_errors_have_their_status(g):
    assert ask(g.url("none"))[0] == 404
    assert ask(g.url("."))[0] == 400
    assert ask(g.url(".", "--write"), "PUT", bytes(3 * MIB))[0] == 400  # heard by who has written all of it
    gone = g.url("f", "--write")
    g.ok("rm", "b", "--yes")
    status, said = ask(gone, "PUT", b"x")
    assert status == 404 and "no box" in json.loads(said)["error"]["text"]


def test_shapes_that_are_refused(g):
    """As everywhere on this server; and a body must say how long it is."""
    target = urllib.parse.urlsplit(g.url("f", "--write"))
    path = f"{target.path}?{target.query}"
    for request, status in ((f"PUT {path} HTTP/1.1\r\nHost: {target.netloc}\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
                            (f"PUT {path} HTTP/1.1\r\nHost: {target.netloc}\r\nContent-Length: {(1 << 30) + 1}\r\n\r\n", 413),
                            (f"PUT {path} HTTP/1.1\r\nHost: evil\r\nContent-Length: 1\r\n\r\nx", 403),
                            (f"POST {path} HTTP/1.1\r\nHost: {target.netloc}\r\nContent-Length: 0\r\n\r\n", 405),
                            (f"PUT {path} HTTP/1.1\r\nHost: {target.netloc}\r\nOrigin: http://evil\r\nContent-Length: 1\r\n\r\nx", 403)):
        with g.server.connect() as s:
            s.sendall(request.encode())
            assert s.recv(4096).startswith(f"HTTP/1.1 {status}".encode()), request


def test_a_client_that_dies_in_the_middle_changes_nothing(g):
    (g.project / "f").write_text("old")
    connection = g.connect()
    target = urllib.parse.urlsplit(g.url("f", "--write"))
    connection.putrequest("PUT", f"{target.path}?{target.query}")
    connection.putheader("Content-Length", str(20 * MIB))
    connection.endheaders()
    connection.send(bytes(2 * MIB))
    wait_until(lambda: children(g.server.process.pid), 60 * SLOW, "it is being written")
    connection.close()
    wait_until(lambda: not children(g.server.process.pid), 60 * SLOW, "the call ends")
    assert g.ok("file read", "b", "f")["content"] == "old"


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return f.read().split()


def test_who_does_not_read_keeps_nobody_and_no_memory(g):
    """The server holds a part; the box and other requests go on; what is read in the end is whole."""
    data = random.Random(3).randbytes(60 * MIB)
    g.ok("file write", "b", "f", data=data)
    before = g.server.rss()
    slow = socket.create_connection((g.server.host, g.server.port), timeout=60 * SLOW)
    target = urllib.parse.urlsplit(g.url("f"))
    slow.sendall(f"GET {target.path}?{target.query} HTTP/1.1\r\nHost: {target.netloc}\r\nConnection: close\r\n\r\n".encode())
    with slow:
        first = slow.recv(4096, socket.MSG_PEEK)
        assert first.startswith(b"HTTP/1.1 200")
        g.ok("file write", "b", "g", "--content", "x")
        assert ask(g.url("g")) == (200, b"x")
        assert g.server.rss() - before < http_raw.room(16 * MIB)
        answer = http.client.HTTPResponse(slow)
        answer.begin()
        assert hashlib.sha256(answer.read()).digest() == hashlib.sha256(data).digest()
    assert g.server.rss() - before < http_raw.room(24 * MIB)


def test_many_at_once(g):
    """More than there are places for are asked to try again, and nobody else is in the way of them."""
    held = []
    target = urllib.parse.urlsplit(g.url("f", "--write"))
    for _ in range(70):
        connection = g.connect()
        connection.putrequest("PUT", f"{target.path}?{target.query}")
        connection.putheader("Content-Length", "4")
        connection.endheaders(b"ab")
        held.append(connection)
    wait_until(lambda: len(children(g.server.process.pid)) == 64, 60 * SLOW, "all places are taken")
    assert ask(urllib.parse.urlunsplit(target), "PUT", b"late")[0] == 503
    done = []
    for connection in held:
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.send(b"cd")
            done.append(connection.getresponse().status)
        connection.close()
    assert done.count(200) == 64 and set(done) <= {200, 503}
    assert g.ok("file read", "b", "f")["content"] == "abcd"


def test_an_owner_signs_for_what_it_has(g):
    with Rpc(cwd=g.project, env=g.env) as rpc:
        rpc.call("rpc.hello", owner="ana")
        rpc.call("box.create", name="hers")
        rpc.call("file.write", box="hers", path="f", content="hers")
        mine = rpc.call("file.url", box="hers", path="f", server=g.server.url)["url"]
        assert "owner=ana" in mine and ask(mine) == (200, b"hers")
        assert rpc.error("file.url", box="b", path="f")["data"]["kind"] == "not_found"


def test_a_secret_is_removed_here_too(g):
    (g.home / "value").write_text("a-value-that-nobody-guesses")
    g.ok("run", "--box", "b", "--secret", f"TOKEN=file:{g.home}/value", "--", "true")
    (g.project / "f").write_text("<a-value-that-nobody-guesses>")
    assert ask(g.url("f")) == (200, b"<[secret TOKEN]>")


def test_the_server_ends_while_files_are_on_their_way(g):
    (g.project / "f").write_text("old")
    target = urllib.parse.urlsplit(g.url("f", "--write"))
    connection = g.connect()
    connection.putrequest("PUT", f"{target.path}?{target.query}")
    connection.putheader("Content-Length", "10")
    connection.endheaders(b"abc")
    wait_until(lambda: children(g.server.process.pid), 60 * SLOW, "it is being written")
    left = children(g.server.process.pid)
    assert g.server.stop() == 0
    assert not any(os.path.exists(f"/proc/{pid}") for pid in left)
    assert g.ok("file read", "b", "f")["content"] == "old"
    connection.close()
