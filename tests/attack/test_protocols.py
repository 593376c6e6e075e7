# SPDX-License-Identifier: Apache-2.0
"""Attacks 120 to 124 on the servers: what is sent to hurt them is refused, costs them little, and the next request is answered.

Those on HTTP alone go against a handler for tests, with small limits; those on a protocol against `aisbx serve` and `aisbx mcp`.
`aisbx rpc` has its own in tests/e2e/test_rpc.py.
"""
import resource
import socket
import time

import pytest

import box
import pace
import http_raw
from http_raw import Reader, ask, raw, request

MIB = 1 << 20


def echo(*options):
    return http_raw.Server(http_raw.built("http-echo"), *options)


@pytest.fixture(name="server", scope="module")
def _server():
    """One for all: whatever was sent to it, it lives on and answers the next."""
    with echo() as server:
        yield server


@pytest.fixture(autouse=True)
def _lives(server):
    yield
    answer = ask(server, "POST", "/later", b"still here")
    assert server.alive() and answer.body == b"still here"


def pour(sock, block, total):
    """Sends until TOTAL, or until the server has had enough; how much it took."""
    sent = 0
    try:
        while sent < total:
            sock.sendall(block)
            sent += len(block)
    except OSError:
        pass
    return sent


# 121: a gigabyte


@pytest.mark.parametrize("head", [
    {"Content-Length": str(1 << 30)},
    {"Content-Length": str(1 << 63)},
    {"Content-Length": str(1 << 70)},
    {"Content-Length": "-1"},
    {"Content-Length": "+5"},
    {"Content-Length": "0x10"},
], ids=lambda h: h["Content-Length"])
def test_121_a_body_too_large_is_refused_before_it_comes(server, head):
    before = server.rss()
    with server.connect() as s:
        s.sendall(request(server, "POST", "/echo", b"", head))
        answer = Reader(s).answer()
        assert answer is None or answer.status in (400, 413)
        assert pour(s, b"x" * 65536, 64 * MIB) < 64 * MIB, "it went on reading"
    assert server.rss() - before < http_raw.room(2 * MIB)


def test_121_a_body_too_large_that_does_not_say_so(server):
    """The length is not told: it is counted."""
    before, most = server.rss(), 0
    with server.connect() as s:
        s.sendall(request(server, "POST", "/echo", b"", {"Content-Length": None, "Transfer-Encoding": "chunked"}))
        block, sent = b"10000\r\n" + b"x" * 65536 + b"\r\n", 0
        try:
            while sent < 1 << 30:
                s.sendall(block)
                sent += 65536
                most = max(most, server.rss())
        except OSError:
            pass
    assert sent < 64 * MIB, f"it took {sent} bytes"
    assert most - before < http_raw.room(16 * MIB), f"grew by {most - before}"
    box.wait_until(lambda: server.rss() - before < http_raw.room(2 * MIB), what="memory given back")


@pytest.mark.big
def test_121_many_large_bodies_at_once(server):
    """Each is allowed; together they would be a gigabyte."""
    before, most, socks = server.rss(), 0, [server.connect(timeout=0.05) for _ in range(64)]
    try:
        for s in socks:  # nothing has come of any when the last is allowed
            s.sendall(request(server, "POST", "/echo", b"", {"Content-Length": str(16 * MIB)}))
        for s in socks:
            pour(s, b"x" * MIB, 15 * MIB)
            most = max(most, server.rss())
    finally:
        for s in socks:
            s.close()
    assert most - before < http_raw.room(80 * MIB), f"grew by {most - before}"
    box.wait_until(lambda: server.rss() - before < http_raw.room(4 * MIB), what="memory given back")


@pytest.mark.parametrize("what", ["line", "header", "headers", "name"])
def test_121_a_head_without_an_end(server, what):
    before = server.rss()
    first = {"line": b"GET /", "header": b"GET /echo HTTP/1.1\r\nX: ", "name": b"GET /echo HTTP/1.1\r\n", "headers": b"GET /echo HTTP/1.1\r\n"}
    block = {"line": b"a", "header": b"a", "name": b"a", "headers": b"X: y\r\n"}[what] * 4096
    with server.connect() as s:
        s.sendall(first[what])
        assert pour(s, block, 64 * MIB) < 16 * MIB
        answer = Reader(s).answer()
        assert answer is None or answer.status in (400, 413, 414, 431)
    assert server.rss() - before < http_raw.room(2 * MIB)


# 120: what is no HTTP, and 124's shapes of smuggling


@pytest.mark.parametrize("data", [
    b"\x00" * 100 + b"\r\n\r\n", b"\xff\xfe\r\n\r\n", b"\r\n" * 1000, b"GET\r\n\r\n", b"GET /echo\r\n\r\n", b"GET /echo HTTP/9.9\r\n\r\n",
    b"GET /echo HTTP/1.1\r\n no: name\r\n\r\n", b"GET /echo HTTP/1.1\r\nno colon\r\n\r\n", b"GET /echo HTTP/1.1\r\n: empty\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64 + b"\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET http://evil.example/echo HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET * HTTP/1.1\r\n\r\n", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\r\n\r\n",
], ids=range(15))
def test_120_what_is_no_request(server, data):
    with server.connect() as s:
        s.settimeout(50)
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        answer = Reader(s).answer()
    assert answer is None or answer.status >= 400


# 40 bytes: a chunked body that is empty, and a request after it.
BODY = b"0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("lines", [
    "Content-Length: 3\r\nContent-Length: 40\r\n",
    "Content-Length: 40\r\nContent-Length: 40\r\n",
    "Content-Length: 3, 40\r\n",
    "Content-Length: 40\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
    "Transfer-Encoding: chunked, identity\r\n",
    "Transfer-Encoding: xchunked\r\n",
    "Transfer-Encoding: \x0bchunked\r\n",
    "Transfer-Encoding : chunked\r\nContent-Length: 40\r\n",
    "Host: evil.example\r\nContent-Length: 40\r\n",
    "Content-Length: 40\r\nContent-Type: text/plain\r\n",
    "Content-Length: 40\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n",
    "Content-Length: 4 0\r\n",
    "Content-Length: 40\r\n Content-Length: 3\r\n",
], ids=range(15))
def test_124_requests_that_two_would_read_differently(server, lines):
    """None of them is handed over, and what follows one is not taken for the next request of the connection."""
    before = len(server.seen)
    head = f"POST /echo HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nContent-Type: application/json\r\n{lines}\r\n"
    with server.connect() as s:
        s.sendall(head.encode("latin-1") + BODY)
        reader = Reader(s)
        answer = reader.answer()
        assert answer is None or answer.status in (400, 403, 411, 413), answer.status
        assert reader.answer() is None, "it answered something that was in the body"
    ask(server, "POST", "/echo", b"end")
    server.line("log POST /echo 200")
    assert not [line for line in server.seen[before:] if "smuggled" in line]


def test_124_what_follows_a_request_whose_end_is_unclear(server):
    """The library loses a header that goes on in a second line: without it the body would be the next request."""
    before = len(server.seen)
    head = f"GET /echo HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nContent-Length: 35\r\n x\r\n\r\n"
    with server.connect() as s:
        s.sendall(head.encode() + b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
        reader = Reader(s)
        reader.answer()
        assert reader.answer() is None
    ask(server, "POST", "/echo", b"end")
    server.line("log POST /echo 200")
    assert not [line for line in server.seen[before:] if "smuggled" in line]


# Slow clients


def test_121_slow_clients_do_not_keep_others_out():
    """A byte now and then keeps a connection from being idle, but not for ever."""
    with echo("-m", "600", "-c", "64") as server:
        head, body = request(server, "POST", "/echo", b"", {"Content-Length": "1000"}), b"x" * 1000
        slow = [server.connect() for _ in range(24)]
        try:
            begun, end = time.monotonic(), pace.Deadline(60)
            gone = set()
            while len(gone) < len(slow) and not end.is_over():
                for i, s in enumerate(slow):
                    text = head + body if i % 3 else b"GET /echo HTTP/1.1\r\nX-Slow: " + b"x" * 900
                    at = int((time.monotonic() - begun) * 20)
                    try:
                        s.sendall(text[at:at + 1] if i % 3 != 2 else (head if at == 0 else body[at:at + 1]))
                    except OSError:
                        gone.add(i)
                time.sleep(0.05)
                assert ask(server, "GET", "/echo").status == 200
            assert len(gone) == len(slow), f"{len(slow) - len(gone)} are still there"
        finally:
            for s in slow:
                s.close()


def test_121_a_client_that_takes_no_answer_is_sent_away():
    with echo("-m", "500") as server, server.connect() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        s.sendall(request(server, "GET", "/flood"))
        server.line("ended /flood", seconds=40)


def test_121_a_thousand_connections():
    """More than there is room for: who asks something is heard, who only connects makes room."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    with echo("-c", "256") as server:
        before, idle = server.rss(), []
        try:
            for _ in range(1000):
                idle.append(server.connect())
            for _ in range(20):
                assert ask(server, "POST", "/later", b"x").body == b"x"
            assert server.rss() - before < http_raw.room(16 * MIB)
            # Nor are those heard less that ask while others connect.
            with server.connect() as busy:
                busy.sendall(request(server, "GET", "/parts"))
                for _ in range(300):
                    idle.append(server.connect())
                assert Reader(busy).answer().body.endswith(b"part 4\n")
        finally:
            for s in idle:
                s.close()
        assert ask(server, "POST", "/later", b"x").body == b"x"


def test_122_a_thousand_requests_on_one_connection_and_gone(server):
    """Pipelined, and nobody reads the answers."""
    before = server.rss()
    with server.connect() as s:
        s.settimeout(2)
        pour(s, request(server, "POST", "/later", b"x" * 100), 200000)
    assert ask(server, "GET", "/echo").status == 200
    assert server.rss() - before < http_raw.room(4 * MIB)


# 124: pages elsewhere, and names that lead here


@pytest.mark.parametrize("headers, status", [
    ({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403), ({"Host": "evil.example"}, 403),
    ({"Host": "127.0.0.1.evil.example"}, 403), ({"Content-Type": "text/plain"}, 415),
    ({"Content-Type": "application/x-www-form-urlencoded"}, 415), ({"Content-Type": "multipart/form-data; boundary=a"}, 415),
], ids=str)
def test_124_requests_that_pages_can_make(server, headers, status):
    """Refused, and the handler never hears of it: this one would not answer."""
    assert ask(server, "POST", "/hang", b"{}", headers).status == status
    server.line(f"log POST /hang {status}")
    ask(server, "POST", "/parts", b"")
    server.line("log POST /parts 405")
    assert not [line for line in server.seen if line.startswith("ended /hang")]
