# SPDX-License-Identifier: Apache-2.0
"""Attacks 120 to 124 on the interfaces of E2B: what is sent to hurt them is refused, costs little, and the next request is answered."""
import base64
import hashlib
import json
import os
import struct
import time

import pytest

import box
import http_raw
from http_raw import Reader, ask, request

MIB = 1 << 20


class Owner:
    """What a client has: a key, and after `create` the tokens of a sandbox."""

    def __init__(self, server, key):
        self.server, self.key = server, key
        self.made = None

    def control(self, method, path, body=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        return ask(self.server, method, path, data, {"X-API-KEY": self.key, **headers})

    def create(self, **wishes):
        answer = self.control("POST", "/v2/sandboxes", {"templateID": "base", "timeout": 300, **wishes})
        assert answer.status == 201, answer.body
        self.made = answer.json()
        return self

    @property
    def id(self):
        return self.made["sandboxID"]

    def headers(self, port=49983, **more):
        return {"E2b-Sandbox-Id": self.id, "E2b-Sandbox-Port": str(port), "X-Access-Token": self.made["envdAccessToken"], **more}

    def rpc(self, method, body, **more):
        return ask(self.server, "POST", f"/{method}", json.dumps(body).encode(), self.headers(**more))

    def write(self, path, data):
        answer = ask(self.server, "POST", f"/files?path={path}", data, self.headers(**{"Content-Type": "application/octet-stream"}))
        assert answer.status == 200, answer.body

    def read(self, path):
        return ask(self.server, "GET", f"/files?path={path}", None, self.headers())


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory):
    ground = tmp_path_factory.mktemp("e2b")
    (ground / "project").mkdir()
    keys = ground / "keys"
    keys.write_text("".join(f"{name} {name * 8}\n" for name in ("alice", "bobby")))
    keys.chmod(0o600)
    env = {**os.environ, "XDG_STATE_HOME": str(ground / "state"), "XDG_CACHE_HOME": str(ground / "cache")}
    with http_raw.Server(box.aisbx(), "serve", "--listen", "0", "--e2b", "--token-file", str(keys), cwd=ground / "project", env=env) as server:
        server.state = ground / "state"
        yield server
        assert server.stop() == 0


@pytest.fixture(name="alice", scope="module")
def _alice(server):
    return Owner(server, "alice" * 8).create(metadata={"of": "alice"})


@pytest.fixture(autouse=True)
def _lives(alice):
    yield
    assert alice.server.alive()
    assert ask(alice.server, "GET", "/health", None, alice.headers()).status == 204


def envelope(message, flags=0):
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack(">BI", flags, len(data)) + data


def start(owner, data):
    return ask(owner.server, "POST", "/process.Process/Start", data, owner.headers(**{"Content-Type": "application/connect+json"}))


# 120: what is no JSON, and no envelope


@pytest.mark.parametrize("data", [
    b"{", b"[" * 100000, b"\xff\xfe", b'{"a":"\xc3("}', b"{}\n{}", b"null", b"[]", b'{"a":1,"a":2}', b"[" + b"0," * 200000 + b"0]",
], ids=range(9))
def test_120_a_body_that_is_no_object(alice, data):
    for path, headers in (("/v2/sandboxes", {"X-API-KEY": alice.key}), ("/filesystem.Filesystem/Stat", alice.headers()), ("/execute", alice.headers(49999))):
        answer = ask(alice.server, "POST", path, data, headers)
        assert answer.status == 400 and answer.json()["message"], (path, answer.status, answer.body)


@pytest.mark.parametrize("data", [
    b"", b"\x00", b"\x00\x00\x00\x00\x05{}", b"\x00\xff\xff\xff\xff{}", envelope(b"{}", 1), envelope(b"{"), envelope(b"[" * 100000), envelope(b"7"),
    b"\x80\x00\x00\x00\x00",
], ids=range(9))
def test_120_what_is_no_envelope(alice, data):
    answer = start(alice, data)
    body = answer.body
    flags, size = struct.unpack(">BI", body[:5])
    assert answer.status == 200 and flags == 2 and size == len(body) - 5
    assert json.loads(body[5:])["error"]["code"] == "invalid_argument"


@pytest.mark.parametrize("config", [
    {}, {"cmd": 7}, {"cmd": "sh", "args": [1]}, {"cmd": "sh", "args": ["-c", "true\0x"]}, {"cmd": ""}, {"cmd": "sh", "envs": {"A=B": "1", "": "2", "C": 3}},
], ids=range(6))
def test_120_a_process_that_is_none(alice, config):
    """It is refused, or ends; what the server did not understand never runs with something else in its place."""
    answer = start(alice, envelope({"process": config}))
    assert answer.status == 200 and b'"error"' in answer.body or b'"end"' in answer.body


@pytest.mark.parametrize("kind, data", [
    ("multipart/form-data", b"x"), ("multipart/form-data; boundary=B", b""), ("multipart/form-data; boundary=B", b"--B\r\n"),
    ("multipart/form-data; boundary=B", b"--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nno end"),
    ("multipart/form-data; boundary=B", b"--B--\r\n"),
], ids=range(5))
def test_120_a_form_that_is_none(alice, kind, data):
    answer = ask(alice.server, "POST", "/files", data, alice.headers(**{"Content-Type": kind}))
    assert answer.status == 400, answer.body


# 121: a gigabyte


@pytest.mark.parametrize("path", ["/files?path=big", "/v2/sandboxes", "/process.Process/Start", "/nowhere"])
def test_121_a_stranger_is_refused_before_the_body_comes(alice, path):
    server, before = alice.server, alice.server.rss()
    with server.connect() as s:
        s.sendall(request(server, "POST", path, b"", {"Content-Length": str(48 * MIB), "E2b-Sandbox-Id": alice.id, "X-Access-Token": "0" * 64}))
        sent = 0
        try:
            while sent < 48 * MIB:
                s.sendall(b"x" * 65536)
                sent += 65536
        except OSError:
            pass
        assert sent < 32 * MIB, "it went on reading"
    assert server.rss() - before < http_raw.room(4 * MIB)


@pytest.mark.parametrize("path, size", [("/files?path=big", 1 << 30), ("/process.Process/Start", 9 * MIB), ("/execute", 1 << 63)])
def test_121_a_body_that_is_too_large(alice, path, size):
    server, before = alice.server, alice.server.rss()
    port = 49999 if path == "/execute" else 49983
    with server.connect() as s:
        s.sendall(request(server, "POST", path, b"", alice.headers(port, **{"Content-Length": str(size)})))
        answer = Reader(s).answer()
    assert answer is None or answer.status in (400, 413)
    assert server.rss() - before < http_raw.room(4 * MIB)


def test_121_a_stream_without_an_end(alice):
    """Its length is not told, so it is counted."""
    server, before, most, sent = alice.server, alice.server.rss(), 0, 0
    with server.connect() as s:
        s.sendall(request(server, "POST", "/process.Process/StreamInput", b"", alice.headers(**{"Content-Length": None, "Transfer-Encoding": "chunked"})))
        try:
            while sent < 1 << 30:
                s.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                sent += 65536
                most = max(most, server.rss())
        except OSError:
            pass
    assert sent < 64 * MIB, f"it took {sent} bytes"
    assert most - before < http_raw.room(24 * MIB), f"grew by {most - before}"


def test_121_a_command_that_writes_for_ever_and_a_client_that_does_not_read(alice):
    server, before = alice.server, alice.server.rss()
    data = envelope({"process": {"cmd": "/bin/sh", "args": ["-c", "yes"]}, "tag": "flood"})
    with server.connect() as s:
        s.sendall(request(server, "POST", "/process.Process/Start", data, alice.headers(**{"Content-Type": "application/connect+json"})))
        Reader(s).head()
        for _ in range(20):
            assert ask(server, "GET", "/health", None, alice.headers()).status == 204
            time.sleep(0.02)
        assert server.rss() - before < http_raw.room(24 * MIB)
    assert alice.rpc("process.Process/SendSignal", {"process": {"tag": "flood"}, "signal": "SIGNAL_SIGKILL"}).status == 200
    box.wait_until(lambda: not alice.rpc("process.Process/List", {}).json()["processes"], what="the end of the flood")


def test_121_no_more_processes_than_are_allowed(alice):
    other = Owner(alice.server, "alice" * 8).create()
    data = envelope({"process": {"cmd": "/bin/sleep", "args": ["1000"]}})
    socks, refused = [], False
    try:
        for _ in range(140):
            s = other.server.connect()
            socks.append(s)
            s.sendall(request(other.server, "POST", "/process.Process/Start", data, other.headers(**{"Content-Type": "application/connect+json"})))
            reader = Reader(s)
            reader.head()
            if b"resource_exhausted" in (reader.chunk() or b""):
                refused = True
                break
        assert refused and len(socks) > 100
    finally:
        for s in socks:
            s.close()
        assert other.control("DELETE", f"/sandboxes/{other.id}").status == 204


# 122: cancelled before, during and after


def test_122_clients_that_go_leave_nothing_but_their_processes(alice):
    """The process goes on, and its number is not given again; calls of files end with their client."""
    server = alice.server
    data = envelope({"process": {"cmd": "/bin/sh", "args": ["-c", "echo begun; read line; echo $line"]}, "stdin": True})
    with server.connect() as s:
        s.sendall(request(server, "POST", "/process.Process/Start", data, alice.headers(**{"Content-Type": "application/connect+json"})))
        reader = Reader(s)
        reader.head()
        pid = json.loads(reader.chunk()[5:])["event"]["start"]["pid"]
    for _ in range(20):
        with server.connect() as s:
            s.sendall(request(server, "GET", "/files?path=/etc/hostname", None, alice.headers()))
    assert [p["pid"] for p in alice.rpc("process.Process/List", {}).json()["processes"]] == [pid]
    selector = {"process": {"pid": pid}}
    assert alice.rpc("process.Process/SendInput", {**selector, "input": {"stdin": base64.b64encode(b"late\n").decode()}}).status == 200
    answer = ask(server, "POST", "/process.Process/Connect", envelope(selector), alice.headers(**{"Content-Type": "application/connect+json"}))
    said = b"".join(base64.b64decode(e["event"]["data"]["stdout"]) for e in envelopes(answer.body) if "data" in e.get("event", {}))
    assert said == b"begun\nlate\n"
    assert alice.rpc("process.Process/SendInput", {**selector, "input": {"stdin": ""}}).status == 404


def envelopes(body):
    while body:
        _, size = struct.unpack(">BI", body[:5])
        yield json.loads(body[5:5 + size])
        body = body[5 + size:]


def test_122_a_sandbox_ended_while_it_works(alice):
    other = Owner(alice.server, "alice" * 8).create()
    data = envelope({"process": {"cmd": "/bin/sleep", "args": ["1000"]}})
    with other.server.connect() as s:
        s.sendall(request(other.server, "POST", "/process.Process/Start", data, other.headers(**{"Content-Type": "application/connect+json"})))
        reader = Reader(s)
        reader.head()
        reader.chunk()
        assert other.control("DELETE", f"/sandboxes/{other.id}").status == 204
        assert other.control("DELETE", f"/sandboxes/{other.id}").status == 404
        rest = b"".join(iter(reader.chunk, b""))
    assert [e for e in envelopes(rest) if "end" in e.get("event", {})] and rest.endswith(envelope(b"{}", 2))
    assert other.read("x").status == 502


# 123: paths


@pytest.mark.parametrize("path", ["..%2f..%2f..%2fetc%2fshadow-of-the-test", "%2e%2e/%2e%2e/x", "/proc/1/root/x", "a%00b", "%zz", ""])
def test_123_a_path_leads_nowhere_but_into_the_box(alice, path):
    answer = alice.read(path)
    assert answer.status in (400, 403, 404), (answer.status, answer.body)


def test_123_a_link_to_a_file_of_the_host(alice, tmp_path):
    """The box has its own files: a link leads to what is there, never to the machine's."""
    secret = tmp_path / "secret"
    secret.write_text("of the host")
    answer = start(alice, envelope({"process": {"cmd": "/bin/ln", "args": ["-s", str(secret), "/home/user/link"]}}))
    assert b'"exitCode":0' in answer.body
    alice.write("/home/user/link", b"of the box")
    assert alice.read("link").body == b"of the box"
    assert secret.read_text() == "of the host"


# 124: who may


def test_124_without_a_key_nothing_is_there(alice):
    server = alice.server
    for method, path in (("GET", "/sandboxes"), ("POST", "/sandboxes"), ("DELETE", f"/sandboxes/{alice.id}"), ("GET", "/nowhere"), ("GET", "/v2/sandboxes")):
        for headers in ({}, {"X-API-KEY": "alice" * 7}, {"X-API-KEY": "alice" * 8 + "x"}, {"X-API-KEY": ""}, {"Authorization": f"Bearer {alice.key}"}):
            assert ask(server, method, path, b"{}" if method == "POST" else None, headers).status == 401


def test_124_another_owner_sees_nothing(alice):
    bobby = Owner(alice.server, "bobby" * 8)
    assert bobby.control("GET", "/v2/sandboxes").json() == []
    there, nowhere = (bobby.control("GET", f"/sandboxes/{name}") for name in (alice.id, "i" + "a" * 24))
    assert there.status == nowhere.status == 404
    assert there.body.replace(alice.id.encode(), b"") == nowhere.body.replace(b"i" + b"a" * 24, b"")
    for method, path in (("DELETE", ""), ("POST", "/timeout"), ("POST", "/pause"), ("POST", "/connect"), ("GET", "/metrics"), ("POST", "/snapshots")):
        assert bobby.control(method, f"/sandboxes/{alice.id}{path}", {} if method == "POST" else None).status == 404
    assert bobby.control("POST", "/sandboxes", {"templateID": f"{alice.id}@s-0000000000000000"}).status == 404
    assert [s["sandboxID"] for s in alice.control("GET", "/v2/sandboxes").json()] == [alice.id]


@pytest.mark.parametrize("spoil", [
    lambda t: "", lambda t: t[:-1], lambda t: t + "0", lambda t: t.upper(), lambda t: "0" * 64, lambda t: hashlib.sha256(t.encode()).hexdigest(),
], ids=range(6))
def test_124_the_token_of_a_sandbox(alice, spoil):
    headers = alice.headers(**{"X-Access-Token": spoil(alice.made["envdAccessToken"])})
    assert ask(alice.server, "GET", "/files?path=/etc/hostname", None, headers).status == 401
    assert ask(alice.server, "POST", "/process.Process/List", b"{}", headers).status == 401
    assert ask(alice.server, "GET", "/health", None, headers).status == 502


def test_124_a_token_opens_one_sandbox_and_the_weaker_one_no_files(alice):
    other = Owner(alice.server, "alice" * 8).create()
    mixed = alice.headers(**{"X-Access-Token": other.made["envdAccessToken"]})
    assert ask(alice.server, "POST", "/process.Process/List", b"{}", mixed).status == 401
    weak = {"E2b-Sandbox-Id": alice.id, "E2b-Sandbox-Port": "49983", "E2B-Traffic-Access-Token": alice.made["trafficAccessToken"]}
    assert ask(alice.server, "POST", "/process.Process/List", b"{}", weak).status == 401
    assert ask(alice.server, "GET", "/contexts", None, {**weak, "E2b-Sandbox-Port": "49999"}).status == 200
    assert other.control("DELETE", f"/sandboxes/{other.id}").status == 204


def signed(owner, path, operation, expires=None, user=""):
    raw = ":".join([path, operation, user, owner.made["envdAccessToken"]] + ([str(expires)] if expires else []))
    text = base64.b64encode(hashlib.sha256(raw.encode()).digest()).rstrip(b"=").decode().replace("+", "%2B").replace("/", "%2F")
    return f"/files?path={path}&signature=v1_{text}" + (f"&signature_expiration={expires}" if expires else "")


def test_124_signed_addresses(alice):
    server, soon = alice.server, int(time.time()) + 1000
    alice.write("note", b"signed")
    assert ask(server, "GET", signed(alice, "note", "read")).body == b"signed"
    assert ask(server, "GET", signed(alice, "note", "read", soon)).body == b"signed"
    for path in (signed(alice, "note", "write"), signed(alice, "other", "read").replace("other", "note"), signed(alice, "note", "read", soon).replace(str(soon), str(soon + 1)),
                 signed(alice, "note", "read", int(time.time()) - 1), signed(alice, "note", "read", user="root"), "/files?path=note&signature="):
        assert ask(server, "GET", path).status == 401, path
    assert ask(server, "POST", signed(alice, "note", "read"), b"x", {"Content-Type": "application/octet-stream"}).status == 401


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost.evil.example"])
def test_124_pages_elsewhere(alice, origin):
    assert ask(alice.server, "GET", "/sandboxes", None, {"X-API-KEY": alice.key, "Origin": origin}).status == 403
    assert ask(alice.server, "POST", "/process.Process/List", b"{}", alice.headers(Origin=origin)).status == 403


def test_124_the_other_protocol_keeps_its_rules(alice):
    server = alice.server
    assert ask(server, "POST", "/mcp", b"{}", {"X-API-KEY": alice.key}).status == 401
    assert ask(server, "POST", "/mcp", b"{}", {"Authorization": f"Bearer {alice.key}", "Host": "evil.example"}).status == 403
    assert ask(server, "GET", "/healthz").status == 200
    unsigned = ask(server, "GET", "/files?box=b-1&owner=&until=1&path=/x&signature=0")  # of `aisbx file url`, at the same path
    assert unsigned.status == 403 and b'"text"' in unsigned.body


def test_124_what_is_remembered_is_nobody_elses(alice):
    state = alice.server.state / "aisbx/serve/e2b"
    assert state.stat().st_mode & 0o777 == 0o700
    (file,) = (f for f in state.iterdir() if f.stem == alice.id)
    assert file.stat().st_mode & 0o777 == 0o600
    assert alice.key not in file.read_text() and alice.made["envdAccessToken"] not in file.read_text()
