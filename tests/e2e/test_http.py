# SPDX-License-Identifier: Apache-2.0
"""The HTTP under the servers: who may ask, what is refused and why, answers now, later and in parts. A handler for tests stands behind it."""
import concurrent.futures
import os
import socket
import time

import pytest

import box
import http_raw
from http_raw import Reader, ask, raw, request

TOKEN = "a-token-for-tests-0123456789-abcdefghij"


def echo(*options, **popen):
    return http_raw.Server(http_raw.built("http-echo"), *options, **popen)


@pytest.fixture(name="server")
def _server():
    with echo() as server:
        yield server
        assert server.alive()


@pytest.fixture(name="tokens")
def _tokens(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"# who may ask\nalice {TOKEN}\nbob {TOKEN[::-1]}\n")
    path.chmod(0o600)
    return path


def why(answer):
    return answer.json()["error"]["message"]


# Answers


def test_an_answer_at_once_and_later(server):
    for path in ("/echo", "/later"):
        answer = ask(server, "POST", path, b'{"a":1}')
        assert (answer.status, answer.body) == (200, b'{"a":1}')
        assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["cache-control"] == "no-store"
        assert ask(server, "GET", path).body == b""


def test_parts_come_as_they_are_sent(server):
    with server.connect() as s:
        s.sendall(request(server, "GET", "/parts"))
        reader = Reader(s)
        assert reader.head()[0] == 200
        got = []
        for i in range(5):
            assert reader.chunk() == b"part %d\n" % i
            got.append(time.monotonic())
        assert reader.chunk() == b""
    assert got[4] - got[0] > 0.06, "all parts came at once, at the end"


def test_the_head_of_a_stream_does_not_wait_for_its_first_part(server):
    with server.connect() as s:
        s.sendall(request(server, "GET", "/begin"))
        status, headers = Reader(s).head()
        assert (status, headers["content-type"]) == (200, "text/event-stream")
        assert "length" not in " ".join(headers)
    server.line("ended /begin")


def test_requests_follow_one_another_on_a_connection(server):
    with server.connect() as s:
        reader = Reader(s)
        for i in range(20):
            s.sendall(request(server, "POST", "/later" if i % 3 == 0 else "/echo", b"%d" % i))
            assert reader.answer().body == b"%d" % i


def test_pipelined_requests_are_answered_in_order(server):
    with server.connect() as s:
        s.sendall(b"".join(request(server, "POST", "/later" if i % 2 else "/echo", b"%d" % i) for i in range(30)))
        reader = Reader(s)
        assert [reader.answer().body for _ in range(30)] == [b"%d" % i for i in range(30)]


def test_a_body_in_chunks_and_one_that_waits_for_a_word(server):
    head = request(server, "POST", "/echo", b"", {"Content-Length": None, "Transfer-Encoding": "chunked"})
    assert raw(server, head + b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n").body == b"abcde"
    with server.connect() as s:
        s.sendall(request(server, "POST", "/echo", b"", {"Content-Length": "5", "Expect": "100-continue"}))
        reader = Reader(s)
        assert reader.head()[0] == 100
        s.sendall(b"hello")
        assert reader.answer().body == b"hello"


def test_old_clients(server):
    """HTTP/1.0 knows no chunks: the end of the connection is the end of the answer."""
    with server.connect() as s:
        s.sendall(request(server, "GET", "/parts", version="1.0"))
        text = b""
        while got := s.recv(65536):
            text += got
    assert text.endswith(b"".join(b"part %d\n" % i for i in range(5)))


def test_a_client_that_goes_away_is_told_of(server):
    for path in ("/hang", "/begin"):
        with server.connect() as s:
            s.sendall(request(server, "GET", path))
            if path == "/begin":
                Reader(s).head()
            else:
                box.wait_until(lambda: ask(server, "GET", "/echo").status == 200)
        server.line(f"ended {path}")


def test_a_client_that_does_not_read_holds_up_only_itself(server):
    """What is sent waits in the handler, which asks how much does, not in the server."""
    before = server.rss()
    with server.connect() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        slow.sendall(request(server, "GET", "/flood"))
        box.wait_until(lambda: slow.recv(1, socket.MSG_PEEK))
        for _ in range(50):
            assert ask(server, "POST", "/later", b"x").body == b"x"
        assert server.rss() - before < http_raw.room(8 << 20)
        reader, total = Reader(slow), 0
        assert reader.head()[0] == 200
        while part := reader.chunk():
            total += len(part)
        assert total == 32 << 20
    server.line("ended /flood")


def test_many_at_once_keep_their_own_answers(server):
    def one(i):
        body = b"%d " % i * (1 + i * 37 % 3000)
        answer = ask(server, "POST", "/later" if i % 2 else "/echo", body)
        return answer.status == 200 and answer.body == body

    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        assert all(pool.map(one, range(400)))


def test_closing_sends_everybody_away():
    with echo() as server, server.connect() as hang, server.connect() as begin, server.connect() as half, server.connect():
        hang.sendall(request(server, "GET", "/hang"))
        begin.sendall(request(server, "GET", "/begin"))
        assert Reader(begin).head()[0] == 200
        half.sendall(b"POST /echo HTTP/1.1\r\nHost: x")
        assert ask(server, "GET", "/echo").status == 200
        server.process.terminate()
        server.line("closed")
        assert server.process.wait(50) == 0
        assert {"ended /hang 0", "ended /begin 0"} <= set(server.seen)
        assert Reader(hang).ended()


# Who may ask


def test_tokens(tokens):
    with echo("-t", str(tokens)) as server:
        for token, name in ((TOKEN, "alice"), (TOKEN[::-1], "bob")):
            answer = ask(server, "POST", "/echo", b"{}", {"Authorization": f"bearer {token}"})
            assert (answer.status, answer.headers["x-token"]) == (200, name)
        for value in (None, "", "Bearer", "Bearer ", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "Bearer alice"):
            for path in ("/echo", "/nowhere"):  # who has no token does not learn what there is
                answer = ask(server, "POST", path, b"{}", {"Authorization": value})
                assert answer.status == 401 and answer.headers["www-authenticate"].startswith("Bearer realm="), value
                assert TOKEN not in answer.body.decode()
        assert ask(server, "GET", "/open").status == 200
        tokens.write_text(f"carol {TOKEN}\n")  # taken over without a new start
        assert ask(server, "GET", "/echo", headers={"Authorization": f"Bearer {TOKEN}"}).headers["x-token"] == "carol"
        assert ask(server, "GET", "/echo", headers={"Authorization": f"Bearer {TOKEN[::-1]}"}).status == 401
        tokens.chmod(0o644)  # others could have read it
        assert ask(server, "GET", "/echo", headers={"Authorization": f"Bearer {TOKEN}"}).status == 401
        server.process.terminate()
        server.line("closed")
        assert not any(TOKEN in line for line in server.seen)


def test_beyond_this_machine_only_with_a_token(tokens):
    done = http_raw.subprocess.run([http_raw.built("http-echo"), "-a", "0.0.0.0:0"], capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 1 and "need a token" in done.stderr
    with echo("-a", "0.0.0.0:0", "-t", str(tokens)) as server:
        assert ask(server, "GET", "/open", host=f"127.0.0.1:{server.port}").status == 200
        assert ask(server, "GET", "/open", host=f"evil.example:{server.port}").status == 403


def test_an_address_that_is_taken(server):
    done = http_raw.subprocess.run([http_raw.built("http-echo"), "-a", f"127.0.0.1:{server.port}"], capture_output=True, text=True,
                                   timeout=50, check=False)
    assert done.returncode == 1 and "Address already in use" in done.stderr


def test_names_of_this_server(server):
    for host, status in ((f"localhost:{server.port}", 200), (f"LocalHost:{server.port}", 200), ("localhost", 403),
                         (f"evil.example:{server.port}", 403), (f"127.0.0.1.evil.example:{server.port}", 403), ("", 403),
                         (f"127.0.0.1:{server.port + 1}", 403)):
        answer = ask(server, "GET", "/echo", headers={"Host": host})
        assert answer.status in (status, 400), host
        assert status != 200 or answer.status == 200
    assert ask(server, "GET", "/echo", headers={"Host": None}).status in (400, 403)
    with echo("-h", "box.example") as named:
        assert ask(named, "GET", "/echo", host="box.example").status == 200
        assert ask(named, "GET", "/echo", host="box.example:443").status == 200
        assert "--host" in why(ask(named, "GET", "/echo", host="other.example"))


def test_pages_that_may_ask(server):
    for origin in ("http://localhost:3000", "http://127.0.0.1", "https://[::1]:8443"):
        answer = ask(server, "POST", "/echo", b"{}", {"Origin": origin})
        assert answer.status == 200 and answer.headers["access-control-allow-origin"] == origin
    for origin in ("http://evil.example", "null", "", "http://localhost.evil.example", "http://evil.example:80@localhost"):
        answer = ask(server, "POST", "/echo", b"{}", {"Origin": origin})
        assert answer.status == 403, origin
        assert "access-control-allow-origin" not in answer.headers and "--origin" in why(answer)
    with echo("-o", "https://app.example") as other:
        assert ask(other, "POST", "/echo", b"{}", {"Origin": "https://app.example"}).status == 200
        assert ask(other, "POST", "/echo", b"{}", {"Origin": "http://app.example"}).status == 403


def test_a_browser_may_ask_first(tokens):
    with echo("-t", str(tokens)) as server:
        wish = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
        answer = ask(server, "OPTIONS", "/echo", headers={"Origin": "http://localhost:1", **wish})
        assert answer.status == 204 and answer.headers["access-control-allow-methods"] == "GET, POST"
        assert "Authorization" in answer.headers["access-control-allow-headers"]
        assert ask(server, "OPTIONS", "/echo", headers={"Origin": "http://evil.example", **wish}).status == 403
        assert ask(server, "OPTIONS", "/echo").status == 401


def test_paths_and_methods(server):
    assert ask(server, "GET", "/nowhere").status == 404
    assert ask(server, "GET", "/echo/").status == 404
    for path in ("/../echo", "/./echo", "//echo", "/%65cho", "/echo%00", "/echo%2f", "/ECHO"):
        assert ask(server, "GET", path).status == 404, path
    answer = ask(server, "DELETE", "/echo")
    assert (answer.status, answer.headers["allow"]) == (405, "GET, POST")
    with server.connect() as s:
        s.sendall(request(server, "HEAD", "/echo"))
        assert Reader(s).head()[0] == 405
    assert ask(server, "GET", "/echo?a=b").status == 200


def test_a_body_must_be_json(server):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", None, "application/jsonp"):
        answer = ask(server, "POST", "/echo", b"{}", {"Content-Type": kind})
        assert answer.status == 415, kind
    assert ask(server, "POST", "/echo", b"{}", {"Content-Type": "application/json; charset=utf-8"}).status == 200
    assert ask(server, "POST", "/echo", headers={"Content-Type": "application/json"}).status == 411


def test_trace_ids(server):
    trace = "0af7651916cd43dd8448eb211c80319c"
    answer = ask(server, "GET", "/echo", headers={"traceparent": f"00-{trace}-b7ad6b7169203331-01"})
    assert answer.headers["x-trace"] == trace
    new = {ask(server, "GET", "/echo", headers={"traceparent": "nonsense"}).headers["x-trace"] for _ in range(3)}
    assert len(new) == 3 and all(len(t) == 32 and int(t, 16) for t in new)


# Limits


def test_a_refused_client_reads_why(server):
    """Though it sends its body only after its head, and is then in the middle of it."""
    with server.connect() as s:
        body = b"x" * 300000
        s.sendall(request(server, "POST", "/nowhere", b"", {"Content-Length": str(len(body))}))
        for at in range(0, len(body), 50000):
            s.sendall(body[at:at + 50000])
        reader = Reader(s)
        assert reader.answer().status == 404
        s.sendall(request(server, "GET", "/echo"))  # and goes on
        assert reader.answer().status == 200


def test_requests_at_once_are_limited():
    with echo("-r", "3") as server:
        with server.connect() as a, server.connect() as b, server.connect() as c:
            for s in (a, b, c):
                s.sendall(request(server, "GET", "/begin"))
                assert Reader(s).head()[0] == 200
            answer = ask(server, "GET", "/echo")
            assert answer.status == 503 and answer.headers["retry-after"] == "1"
        box.wait_until(lambda: ask(server, "GET", "/echo").status == 200)


def test_the_log_tells_who_and_what(tokens):
    with echo("-t", str(tokens)) as server:
        ask(server, "POST", "/echo", b'{"secret":1}', {"Authorization": f"Bearer {TOKEN}"})
        assert server.line("log ") == "log POST /echo 200 token=alice"
        ask(server, "POST", "/echo", b"{}")
        assert server.line("log ") == "log POST /echo 401 token="
        with server.connect() as s:
            s.sendall(request(server, "GET", "/hang", headers={"Authorization": f"Bearer {TOKEN}"}))
            box.wait_until(lambda: ask(server, "GET", "/open").status == 200)
        server.line("log GET /hang 0 token=alice")


def test_nothing_is_left_of_many(server):
    ask(server, "GET", "/echo")
    fds = f"/proc/{server.process.pid}/fd"
    before = len(os.listdir(fds))
    for i in range(200):
        ask(server, "POST", ("/echo", "/later", "/nowhere")[i % 3], b"x" * 100)
    box.wait_until(lambda: len(os.listdir(fds)) <= before)
