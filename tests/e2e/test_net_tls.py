# SPDX-License-Identifier: Apache-2.0
"""aisbx-tls between real clients and real servers: rules with paths, secrets that never enter, both versions of HTTP."""
import base64
import hashlib
import hmac
import json
import socket
import ssl
import threading

import pytest

import tls_end as t

NAME, OTHER = "api.example.test", "other.example.test"
VALUE, FAKE = "ghp_realRealRealRealRealRealRealReal1234", "ghp_fakeFakeFakeFakeFakeFakeFakeFake5678"
SECRET = {"name": "gh", "host": NAME, "value": VALUE, "placeholder": FAKE}


@pytest.fixture(scope="module", name="world")
def make_world(tmp_path_factory):
    """A root, and a server for each of two names."""
    class World:
        pass
    w = World()
    w.dir = tmp_path_factory.mktemp("tls")
    w.root = t.make_ca(w.dir)
    w.roots = w.root[1].read_text()
    w.certs = {name: t.make_cert(w.dir, w.root, name) for name in (NAME, OTHER)}
    w.servers = {name: t.Server(cert) for name, cert in w.certs.items()}
    yield w
    for server in w.servers.values():
        server.close()


@pytest.fixture(name="start")
def make_start(world, tmp_path):
    """start(rules, secrets) -> front of NAME."""
    made = []

    def start(rules=(f"net:egress:{NAME}:443", f"net:egress:{OTHER}:443"), secrets=(), name=NAME, to=None, port=443, **how):
        tls = t.Tls(t.config(rules, secrets, world.roots, **how), tmp_path)
        assert tls.first is not None and tls.first.word == t.READY, tls.stop()
        front = t.Front(tls, to or world.servers[name].port, name, port)
        made.append((tls, front))
        return front
    yield start
    for tls, front in made:
        front.close()
        status, errors = tls.stop()
        assert (status, errors) == (0, "")


def seen(result):
    assert result.returncode == 0, result
    answer = json.loads(result.stdout)
    return answer, {k.lower(): v for k, v in answer["headers"]}


def arrived(world, result):
    """The fields of the last request as its host got them; what comes back has placeholders again."""
    assert result.returncode == 0 and VALUE.encode() not in result.stdout, result
    headers = world.servers[NAME].seen[-1][2]
    return headers, {k.lower(): v for k, v in headers}


def test_a_request_passes_unchanged(start):
    front = start()
    answer, headers = seen(front.curl("-H", "X-One: 1", path="/a/b?c=%2F&d"))
    assert (answer["method"], answer["path"], headers["x-one"], headers["host"]) == ("GET", "/a/b?c=%2F&d", "1", NAME)
    closed = front.tls.closed()
    assert closed.row.verdict == t.ALLOWED and closed.row.sent > 50 and closed.row.received > 100 and closed.row.name == NAME.encode()


def test_the_secret_takes_the_placeholders_place(start, world):
    front = start(secrets=[SECRET])
    for scheme in ("Bearer", "token"):
        _, headers = arrived(world, front.curl("-H", f"Authorization: {scheme} {FAKE}"))
        assert headers["authorization"] == f"Bearer {VALUE}"


def test_the_password_of_basic_authentication_is_encoded_again(start, world):
    front = start(secrets=[{**SECRET, "how": "basic"}])
    _, headers = arrived(world, front.curl("-u", f"me:{FAKE}"))
    assert base64.b64decode(headers["authorization"].split()[1]).decode() == f"me:{VALUE}"
    _, headers = arrived(world, front.curl("-u", f"{FAKE}:x-oauth"))
    assert base64.b64decode(headers["authorization"].split()[1]).decode() == f"{VALUE}:x-oauth"


@pytest.mark.parametrize("sent", [
    ["Authorization: Bearer of-somebody-else"],
    [f"Authorization: Bearer {FAKE}", "Authorization: Bearer of-somebody-else"],
    ["Authorization: Bearer of-somebody-else", f"Authorization: Bearer {FAKE}"],
    [f"Authorization: Bearer {FAKE}", "Cookie: session=of-somebody-else", "X-Api-Key: of-somebody-else", "proxy-authorization: Basic b2Y="],
    [f"Authorization: Bearer {FAKE}", "Private-Token: of-somebody-else", "Connection: x-auth-token", "X-Auth-Token: of-somebody-else"],
    [f"Authorization: Bearer {FAKE} of-somebody-else"]])
def test_118_no_second_credential_gets_through(start, world, sent):
    front = start(secrets=[SECRET])
    answer, headers = arrived(world, front.curl(*(word for one in sent for word in ("-H", one))))
    assert "of-somebody-else" not in json.dumps(answer) and "b2Y=" not in json.dumps(answer)
    assert headers.get("authorization") in (None, f"Bearer {VALUE}")
    assert [k.lower() for k, _ in answer].count("authorization") <= 1


def test_118_control_without_a_secret_they_do(start):
    _, headers = seen(start().curl("-H", "Authorization: Bearer of-somebody-else"))
    assert headers["authorization"] == "Bearer of-somebody-else"


@pytest.mark.parametrize("words", [
    ["-H", f"Authorization: Bearer {FAKE}"], ["-H", f"X-Any: {FAKE}"], ["-u", f"me:{FAKE}"], ["-d", f"token={FAKE}"],
    ["-d", json.dumps({"a": "b" * 30000, "token": base64.b64encode(FAKE.encode()).decode()})], ["-H", "Content-Type: x/y", "--data-binary", f"{'x' * 40000}{FAKE}"]])
def test_116_the_placeholder_goes_to_no_other_host(start, world, words):
    front = start(secrets=[SECRET], name=OTHER)
    before = len(world.servers[OTHER].seen)
    result = front.curl("-w", "%{http_code}", *words)
    assert result.stdout.endswith(b"403") and b"placeholder of the secret 'gh'" in result.stdout, result
    assert front.tls.row(t.WRONG_SECRET).row.name == OTHER.encode()
    if words[0] != "-d" and "--data-binary" not in words:
        assert len(world.servers[OTHER].seen) == before


def test_116_control_text_that_is_no_placeholder_does(start):
    _, headers = seen(start(name=OTHER).curl("-H", f"X-Any: {FAKE}"))
    assert headers["x-any"] == FAKE


@pytest.mark.parametrize("path", [f"/?q={FAKE}", f"/a/{FAKE}", "/?q=" + "".join(f"%{ord(c):02x}" for c in FAKE)])
def test_116_nor_in_a_path(start, path):
    front = start(secrets=[SECRET], name=OTHER)
    assert b"placeholder" in front.curl(path=path).stdout
    front.tls.row(t.WRONG_SECRET)


def test_in_its_own_host_the_placeholder_is_replaced_only_in_its_header(start, world):
    front = start(secrets=[SECRET])
    answer, _ = seen(front.curl("-H", f"X-Other: {FAKE}", "-H", f"Authorization: Bearer {FAKE}", "-d", FAKE, path=f"/?q={FAKE}"))
    _, path, headers = world.servers[NAME].seen[-1]
    assert FAKE in path and dict(headers)["X-Other"] == FAKE and dict(headers)["Authorization"] == f"Bearer {VALUE}"
    assert answer["sha256"] == hashlib.sha256(FAKE.encode()).hexdigest()


def test_a_secret_that_comes_back_becomes_the_placeholder(start):
    front = start(secrets=[SECRET])
    result = front.curl("-i", "-H", f"Authorization: Bearer {FAKE}", "-H", "Accept-Encoding: gzip", path="/echo-secret")
    assert VALUE.encode() not in result.stdout and result.stdout.count(FAKE.encode()) == 2
    assert result.stdout.endswith(b"you are Bearer " + FAKE.encode() + b", yes.")
    result = front.curl("-i", "-u", f"me:{FAKE}", path="/echo-secret")
    assert base64.b64encode(f"me:{VALUE}".encode()) not in result.stdout and result.stdout.count(base64.b64encode(f"me:{FAKE}".encode())) == 2


@pytest.mark.parametrize("secrets, there", [((), True), ((SECRET,), False)])
def test_cookies_of_a_host_with_a_secret_do_not_come_back(start, secrets, there):
    assert (b"set-cookie" in start(secrets=secrets).curl("-i", path="/cookie").stdout.lower()) == there


def test_no_other_method_or_path_in_a_field(start, world):
    front = start(RULES)
    hidden = ("X-HTTP-Method-Override: DELETE", "X-Original-URL: /v2", "x-rewrite-url: /v2")
    arrived(world, front.curl(*(word for one in hidden for word in ("-H", one)), path="/v1/a"))
    assert "v2" not in str(world.servers[NAME].seen[-1]) and "DELETE" not in str(world.servers[NAME].seen[-1])


def test_a_client_that_does_not_trust_the_box(start, world):
    front = start()
    front.tls.ca = world.root[1]
    assert front.curl().returncode == 60
    closed = front.tls.closed()
    assert closed.row.verdict == t.BROKEN and b"does not accept the certificate" in closed.text


def test_it_has_walls(start):
    front = start()
    status = dict(line.split(":\t", 1) for line in open(f"/proc/{front.tls.process.pid}/status", encoding="utf-8").read().splitlines())
    assert (status["Seccomp"].strip(), status["NoNewPrivs"].strip(), status["Threads"].strip()) == ("2", "1", "1")


def test_a_socket_that_somebody_else_holds_does_no_harm(start):
    front = start()
    held = []
    plain = front.tls.give

    def give(client, upstream, name, port):
        held.extend([client.dup(), upstream.dup()])
        return plain(client, upstream, name, port)
    front.tls.give = give
    for _ in range(20):
        seen(front.curl())
        front.tls.closed(front.tls.next_id - 1)
        for one in held:
            try:
                one.sendall(b"x" * 100)
            except OSError:
                pass
    for one in held:
        one.close()


AWS = {"name": "aws", "host": NAME, "how": "aws-sigv4", "value": "AKIAREALREALREALREAL:realRealRealRealRealRealRealRealReal0123:real-token",
       "placeholder": "AKIAFAKEFAKEFAKEFAKE:fakeFakeFakeFakeFakeFakeFakeFakeFake0123:fake-token"}


def signature(method, path, query, headers, signed, scope, key, digest):
    """Of a request, by the rules of the documentation; escapes of the path are those of S3."""
    def mac(k, text):
        return hmac.new(k, text.encode(), "sha256").digest()
    lines = "".join(f"{name}:{headers[name]}\n" for name in signed.split(";"))
    canonical = "\n".join((method, path, "&".join(sorted(query.split("&"))), lines, signed, digest))
    text = "\n".join(("AWS4-HMAC-SHA256", headers["x-amz-date"], "/".join(scope), hashlib.sha256(canonical.encode()).hexdigest()))
    k = ("AWS4" + key).encode()
    for part in scope:
        k = mac(k, part)
    return mac(k, text).hex()


@pytest.mark.parametrize("service, told, body", [("s3", "UNSIGNED-PAYLOAD", b""), ("s3", None, b""), ("dynamodb", None, b"{\"a\": 1}" * 1000), ("dynamodb", None, b"")])
@pytest.mark.parametrize("http", ["--http1.1", "--http2"])
def test_requests_to_amazon_are_signed_anew(start, h2, world, service, told, body, http):
    front = h2(secrets=[AWS]) if http == "--http2" else start(secrets=[AWS])
    _, key, token = AWS["value"].split(":")
    fake = AWS["placeholder"].split(":")
    scope = ("20260101", "eu-west-1", service, "aws4_request")
    names = "content-type;host;x-amz-date;x-amz-security-token" if not told else "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token"
    words = ["-H", f"Authorization: AWS4-HMAC-SHA256 Credential={fake[0]}/{'/'.join(scope)}, SignedHeaders={names}, Signature=00", "-H",
             "x-amz-date: 20260101T000000Z", "-H", f"x-amz-security-token: {fake[2]}", "-H", "content-type: x/y", *(["--data-binary", "@-"] if body else []),
             *(["-H", f"x-amz-content-sha256: {told}"] if told else [])]
    result = front.curl(*words, path="/a?y=2&x=1", http=http, stdin=body)
    assert result.returncode == 0 and b"aisbx" not in result.stdout, result
    if http == "--http2":
        got = dict(line.partition(": ")[::2] for line in front.server.fields() if not line.startswith(":"))
        method = next(line for line in front.server.fields() if line.startswith(":method")).split()[1]
    else:
        method, _, items = world.servers[NAME].seen[-1]
        got = {k.lower(): v for k, v in items}
    got["host"] = NAME
    assert got["x-amz-security-token"] == token
    want = signature(method, "/a", "x=1&y=2", got, names, scope, key, told or hashlib.sha256(body).hexdigest())
    assert got["authorization"] == f"AWS4-HMAC-SHA256 Credential=AKIAREALREALREALREAL/{'/'.join(scope)}, SignedHeaders={names}, Signature={want}"


RULES = (f"https://{NAME}/v1/* GET,HEAD", f"https://{NAME}/v1/items POST")


@pytest.mark.parametrize("method, path, good", [
    ("GET", "/v1/a", True), ("HEAD", "/v1/a", True), ("POST", "/v1/items", True), ("POST", "/v1/other", False), ("GET", "/v2/a", False),
    ("DELETE", "/v1/a", False), ("GET", "/v1/%61", True), ("GET", "/%761/a", True), ("GET", "/v1/../v2/a", False), ("GET", "/v1/%2e%2e/v2", False),
    ("GET", "/v1//a", False), ("GET", "/v1/a%2fb", False), ("GET", "/v1/%252e%252e/v2", False), ("GET", "/v1/..;/v2", False), ("GET", "/V1/a", False),
    ("GET", "/v1/a%5cb", False), ("GET", "/v1", False)])
def test_rules_name_methods_and_paths(start, method, path, good):
    front = start(RULES)
    result = front.curl("--path-as-is", "-i", *(["-I"] if method == "HEAD" else ["-X", method]), path=path)
    assert result.stdout.startswith(b"HTTP/1.1 200" if good else b"HTTP/1.1 40"), result
    if not good:
        assert b"X-Aisbx: refused" in result.stdout
        front.tls.row(t.WRONG_METHOD)


def test_a_refusal_names_the_missing_rule_and_the_connection_goes_on(start):
    front = start(RULES)
    with front.connect() as s:
        s.sendall(f"DELETE /v1/x HTTP/1.1\r\nHost: {NAME}\r\n\r\nGET /v1/x HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n".encode())
        data = read_all(s)
    assert data.startswith(b"HTTP/1.1 403") and f"https://{NAME}/v1/x DELETE".encode() in data and b"HTTP/1.1 200" in data
    assert front.tls.row(t.WRONG_METHOD).row.rule == f"https://{NAME}/v1/x DELETE".encode()


def read_all(s):
    data = b""
    while piece := s.recv(65536):
        data += piece
    return data


@pytest.mark.parametrize("request_text", [
    "GET / HTTP/1.1\r\nHost: {n}\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\nHost: {n}\n\n\r\n\r\n", "GET  / HTTP/1.1\r\nHost: {n}\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: {n}\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "GET / HTTP/2.0\r\nHost: {n}\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: {n}\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", "GET / HTTP/1.1\r\nHost: {n}\r\n X: folded\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: {n}\r\nContent-Length: +3\r\n\r\nabc", "POST / HTTP/1.1\r\nHost: {n}\r\nTransfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost : {n}\r\n\r\n", "CONNECT {n}:443 HTTP/1.1\r\nHost: {n}\r\n\r\n", "GET https://{n}/ HTTP/1.1\r\nHost: {n}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: {n}\r\nX: a\0b\r\n\r\n", "POST / HTTP/1.1\r\nHost: {n}\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: {n}\r\nX: " + "y" * 70000 + "\r\n\r\n"])
def test_what_servers_read_in_different_ways_is_refused(start, world, request_text):
    front = start()
    before = len(world.servers[NAME].seen)
    with front.connect() as s:
        s.sendall(request_text.replace("{n}", NAME).encode())
        assert read_all(s).startswith(b"HTTP/1.1 400")
    front.tls.row(t.BAD_HTTP)
    assert len(world.servers[NAME].seen) - before <= request_text.count("3\nabc")


def test_the_host_of_a_request_is_the_connections(start):
    front = start()
    assert b"names " + OTHER.encode() in front.curl("-H", f"Host: {OTHER}").stdout
    front.tls.row(t.WRONG_HOST)


def test_the_name_of_tls_is_the_connections(start, world):
    front = start()
    with pytest.raises(ssl.SSLError):
        front.connect(sni=OTHER)
    front.tls.row(t.WRONG_SNI)
    assert not [s for s in world.servers[NAME].seen if s[1] == "/never"]


@pytest.mark.parametrize("kind", ["another name", "unknown root", "plain text"])
def test_a_host_that_is_not_what_it_says_gets_nothing(start, world, tmp_path, kind):
    if kind == "another name":
        server = t.Server(world.certs[OTHER])
    elif kind == "unknown root":
        server = t.Server(t.make_cert(tmp_path, t.make_ca(tmp_path), NAME))
    else:
        server = socket.create_server(("127.0.0.1", 0))
    try:
        front = start(secrets=[SECRET], to=server.getsockname()[1] if kind == "plain text" else server.port)
        if kind == "plain text":
            threading.Thread(target=lambda: server.accept()[0].sendall(b"HTTP/1.1 200 OK\r\n\r\n"), daemon=True).start()
        result = front.curl("-i", "-H", f"Authorization: Bearer {FAKE}")
        assert result.stdout.startswith(b"HTTP/1.1 502") and f"{NAME} cannot be used".encode() in result.stdout, result
        assert front.tls.closed().row.verdict == t.BROKEN
        assert not getattr(server, "seen", [])
    finally:
        server.close()


@pytest.mark.big
@pytest.mark.parametrize("secrets", [(), (SECRET,)])
def test_big_bodies_arrive_whole(start, tmp_path, secrets):
    front, size = start(secrets=secrets), 100 << 20
    piece = bytes(range(256)) * 256
    want = hashlib.sha256(piece * (size // len(piece))).hexdigest()
    result = front.curl("-o", tmp_path / "got", path=f"/big/{size}")
    assert result.returncode == 0, result
    assert hashlib.sha256((tmp_path / "got").read_bytes()).hexdigest() == want
    answer, _ = seen(front.curl("-T", tmp_path / "got"))
    assert (answer["length"], answer["sha256"]) == (size, want)
    answer, _ = seen(front.curl("-T", tmp_path / "got", "-H", "Transfer-Encoding: chunked", "-H", "Expect:"))
    assert (answer["length"], answer["sha256"]) == (size, want)
    assert front.tls.wait(lambda m: m.word == t.BYTES)


def test_chunks_trailers_and_bodies_to_the_end(start):
    front = start()
    with front.connect() as s:
        s.sendall(f"GET /chunks HTTP/1.1\r\nHost: {NAME}\r\n\r\nGET /to-end HTTP/1.1\r\nHost: {NAME}\r\n\r\n".encode())
        data = read_all(s)
    assert b"X-Sum: 3\r\n\r\n" in data and data.endswith(b"\r\n\r\nuntil the end")
    with front.connect() as s:
        s.sendall(f"GET /chunks HTTP/1.0\r\nHost: {NAME}\r\n\r\n".encode())
        assert read_all(s).endswith(b"\r\n\r\none two three")


def test_an_answer_that_is_cut_is_not_complete_for_the_client_either(start):
    assert start().curl(path="/cut").returncode == 18


def test_expect_100_continue(start):
    answer, _ = seen(start().curl("-H", "Expect: 100-continue", "-d", "x" * 2000))
    assert answer["length"] == 2000


def test_a_slow_reader_holds_up_the_sender_and_nobody_else(start):
    front = start()
    with front.connect() as slow:
        slow.sendall(f"GET /big/{50 << 20} HTTP/1.1\r\nHost: {NAME}\r\n\r\n".encode())
        assert slow.recv(1000).startswith(b"HTTP/1.1 200")
        for _ in range(3):
            seen(front.curl())
        rss = int(next(line for line in open(f"/proc/{front.tls.process.pid}/status", encoding="utf-8") if line.startswith("VmRSS")).split()[1])
        assert rss < 60000 or t.is_checked()
        n = 0
        while n < 50 << 20:
            n += len(slow.recv(1 << 20))


def test_a_websocket_is_passed_on(start):
    front = start()
    with front.connect() as s:
        s.sendall(f"GET /websocket HTTP/1.1\r\nHost: {NAME}\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += s.recv(1)
        assert head.startswith(b"HTTP/1.1 101") and b"Upgrade: websocket" in head
        for text in (b"abc", b"\x81\x00\xff" * 3):
            s.sendall(text)
            assert s.recv(100) == text[::-1]


def test_half_a_connection(start):
    front = start()
    with front.connect() as s:
        s.sendall(f"GET /half HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n".encode())
        socket.socket.shutdown(s, socket.SHUT_WR)
        assert b"/half" in read_all(s)


def test_rules_change_while_a_connection_lives(start, world):
    front = start(RULES)
    with front.connect() as s:
        ask = f"GET /v1/x HTTP/1.1\r\nHost: {NAME}\r\n\r\n".encode()
        s.sendall(ask)
        assert s.recv(65536).startswith(b"HTTP/1.1 200")
        assert front.tls.change(t.config((f"https://{NAME}/v2/* GET",), roots=world.roots)).word == t.READY
        s.sendall(ask)
        while not (data := s.recv(65536)).startswith(b"HTTP/1.1"):
            pass
        assert data.startswith(b"HTTP/1.1 403")
    assert front.tls.change(b"rule\0nonsense of a rule\0").word == t.FAILED


def test_a_connection_is_cut(start):
    front = start()
    with front.connect() as s, front.connect() as other:
        front.tls.send(t.CUT, ident=1)
        assert s.recv(1) == b""
        front.tls.closed(1)
        other.sendall(f"GET / HTTP/1.1\r\nHost: {NAME}\r\n\r\n".encode())
        assert other.recv(1000).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_the_persons_own_roots_count(world, tmp_path, monkeypatch, kind):
    roots = tmp_path / "roots"
    roots.mkdir()
    (roots / "own.pem").write_text(world.roots)
    monkeypatch.setenv("SSL_CERT_FILE", str(roots / "own.pem") if kind == "file" else "")
    monkeypatch.setenv("SSL_CERT_DIR", str(roots) if kind == "directory" else "")
    tls = t.Tls(t.config([f"net:egress:{NAME}:443"]), tmp_path)
    front = t.Front(tls, world.servers[NAME].port, NAME)
    seen(front.curl())
    front.close()
    assert tls.stop() == (0, "")


def test_idle_connections_end(start):
    front = start(idle=200)
    with front.connect() as s:
        assert s.recv(1) == b""
    front.tls.closed()


@pytest.mark.parametrize("data", [
    b"nonsense\0", b"rule", b"rule\0", b"secret\0a\0b\0", b"idle\0x\0", b"only-roots\0no pem\0", b"",
    t.config(secrets=[{**SECRET, "placeholder": "short"}]), t.config(secrets=[{**SECRET, "placeholder": VALUE}]),
    t.config(secrets=[{**SECRET, "template": "Authorization Bearer"}]), t.config(secrets=[{**SECRET, "host": "*"}]),
    t.config(secrets=[{**SECRET, "how": "aws-sigv4"}])])
def test_a_bad_configuration_starts_nothing(tmp_path, data):
    tls = t.Tls(data, tmp_path)
    assert tls.first.word == t.FAILED and tls.first.error.text
    assert tls.stop()[0] == 1


@pytest.fixture(name="h2")
def make_h2(world, tmp_path, start):
    """h2(...) -> a front as start() makes, before a server that speaks HTTP/2."""
    made = []

    def h2(*words, **how):
        files = tmp_path / "files"
        files.mkdir(exist_ok=True)
        (files / "index.html").write_bytes(b"hello\n")
        (files / "big").write_bytes(bytes(range(256)) * 4096)
        server = t.Http2Server(world.certs[how.get("name", NAME)], files, *words)
        made.append(server)
        front = start(to=server.port, **how)
        front.server = server
        return front
    yield h2
    for server in made:
        server.close()


def test_h2_a_request_passes(h2):
    front = h2()
    result = front.curl("-i", "-H", "X-One: 1", http="--http2")
    assert result.stdout.startswith(b"HTTP/2 200") and result.stdout.endswith(b"hello\n")
    assert "x-one: 1" in front.server.fields() and f":authority: {NAME}" in front.server.fields()
    assert front.tls.closed().row.verdict == t.ALLOWED


def test_h2_secrets_and_second_credentials(h2):
    front = h2(secrets=[SECRET])
    assert front.curl("-H", f"Authorization: Bearer {FAKE}", "-H", "Cookie: of=somebody-else", "-H", "X-Api-Key: of-somebody-else", http="--http2").stdout == b"hello\n"
    assert f"authorization: Bearer {VALUE}" in front.server.fields() and "somebody-else" not in front.server.log.read_text()
    assert front.curl("-u", f"me:{FAKE}", http="--http2").stdout == b"hello\n"
    assert "authorization: Basic " + base64.b64encode(f"me:{VALUE}".encode()).decode() in front.server.fields()


@pytest.mark.parametrize("words", [["-H", f"X-Any: {FAKE}"], ["-d", f"{'y' * 30000}token={FAKE}"], ["-u", f"me:{FAKE}"]])
def test_h2_116_the_placeholder_goes_to_no_other_host(h2, words):
    front = h2(secrets=[SECRET], name=OTHER)
    result = front.curl("-i", *words, http="--http2")
    assert result.stdout.startswith(b"HTTP/2 403") and b"placeholder of the secret 'gh'" in result.stdout, result
    front.tls.row(t.WRONG_SECRET)


def test_h2_a_secret_that_comes_back_becomes_the_placeholder(h2):
    front = h2(secrets=[SECRET])
    # As if the host knew it from elsewhere: an upload comes back as it is.
    result = front.curl("-d", f"x{VALUE}y" * 3000, http="--http2")
    assert result.stdout == f"x{FAKE}y".encode() * 3000


@pytest.mark.parametrize("method, path, good", [("GET", "/v1/../index.html", False), ("GET", "/big", False), ("GET", "/index.html", True),
                                                ("POST", "/index.html", False), ("GET", "/%69ndex.html", True), ("HEAD", "/big", False)])
def test_h2_rules_name_methods_and_paths(h2, method, path, good):
    front = h2(rules=(f"https://{NAME}/index.html GET",))
    result = front.curl("-i", "--path-as-is", *(["-I"] if method == "HEAD" else ["-X", method]), path=path, http="--http2")
    assert result.returncode == 0 and result.stdout.startswith(b"HTTP/2 200" if good else b"HTTP/2 40"), result
    if not good:
        front.tls.row(t.WRONG_METHOD)


def test_h2_a_hundred_streams_at_once(h2, tmp_path):
    front = h2()
    names = [f"https://{NAME}/big?{i}" for i in range(100)]
    words = [word for i, _ in enumerate(names) for word in ("-o", tmp_path / f"{i}.out")]
    result = front.curl("--parallel", "--parallel-max", "100", *words, *names[1:], path="/big?0", http="--http2")
    assert result.returncode == 0, result
    want = hashlib.sha256(bytes(range(256)) * 4096).hexdigest()
    assert {hashlib.sha256((tmp_path / f"{i}.out").read_bytes()).hexdigest() for i in range(100)} == {want}


def test_h2_many_small_requests(h2, tmp_path):
    front = h2()
    words = [word for i in range(999) for word in ("-o", tmp_path / "x", f"https://{NAME}/?{i}")]
    result = front.curl("-w", "%{http_code}\n", "--parallel", "--parallel-max", "100", "-o", tmp_path / "x", *words, http="--http2")
    assert result.returncode == 0 and result.stdout.split() == [b"200"] * 1000


@pytest.mark.big
@pytest.mark.parametrize("secrets", [(), (SECRET,)])
def test_h2_big_bodies_both_ways_at_once(h2, tmp_path, secrets):
    front = h2(secrets=secrets)
    data = bytes(range(256)) * 4096 * 100
    (tmp_path / "up").write_bytes(data)
    result = front.curl("-T", tmp_path / "up", "-o", tmp_path / "down", http="--http2")
    assert result.returncode == 0, result
    assert hashlib.sha256((tmp_path / "down").read_bytes()).hexdigest() == hashlib.sha256(data).hexdigest()


def raw(front):
    return t.Http2Raw(front.connect(alpn=("h2",)))


def test_h2_trailers_as_of_grpc_both_ways(h2):
    front = h2("--trailer=grpc-status: 0", "--trailer=grpc-message: fine")
    r = raw(front)
    r.ask(1, end=False, method="POST", more=[("te", "trailers"), ("content-type", "application/grpc")])
    r.frame(r.DATA, 0, 1, b"\0\0\0\0\5hello")
    r.frame(r.HEADERS, 5, 1, r.block([("x-sum", "7")]))
    assert dict(r.until(lambda f: f[0] == r.HEADERS)[3])[":status"] == "200"
    assert r.until(lambda f: f[0] == r.DATA and f[3])[3] == b"\0\0\0\0\5hello"
    kind, flags, _, fields = r.until(lambda f: f[0] == r.HEADERS)
    assert (kind, flags & 1, dict(fields)) == (r.HEADERS, 1, {"grpc-status": "0", "grpc-message": "fine"})
    assert "te: trailers" in front.server.fields() and "x-sum: 7" in front.server.fields()
    r.socket.close()


def test_h2_a_stream_is_reset_on_both_sides(h2):
    front = h2()
    r = raw(front)
    r.ask(1, end=False, method="POST")
    r.frame(r.DATA, 0, 1, b"x")
    while "recv DATA" not in front.server.log.read_text():
        pass
    r.frame(r.RESET, 0, 1, (8).to_bytes(4, "big"))
    r.ask(3)
    assert dict(r.until(lambda f: f[0] == r.HEADERS and f[2] == 3)[3])[":status"] == "200"
    assert "RST_STREAM" in front.server.log.read_text()
    r.socket.close()


def test_h2_many_resets_end_the_connection(h2):
    front = h2()
    r = raw(front)
    with pytest.raises((EOFError, OSError)):
        for stream in range(1, 20001, 2):
            r.ask(stream)
            r.frame(r.RESET, 0, stream, (8).to_bytes(4, "big"))
        while True:
            r.read()
    front.tls.closed()
    assert front.curl(http="--http2").stdout == b"hello\n"
    r.socket.close()


def test_h2_endless_fields_end_the_connection(h2):
    front = h2()
    r = raw(front)
    with pytest.raises((EOFError, OSError)):
        r.frame(r.HEADERS, 0, 1, r.block([(":method", "GET")]))
        for i in range(100000):
            r.frame(r.CONTINUATION, 0, 1, r.block([(f"x-{i}", "y" * 1000)]))
        while True:
            r.read()
    front.tls.closed()
    assert front.curl(http="--http2").stdout == b"hello\n"
    r.socket.close()


@pytest.mark.parametrize("fields, status", [
    ({"authority": OTHER}, "421"), ({"more": [("host", OTHER)]}, "400"), ({"path": "/a b"}, None), ({"method": "CONNECT"}, None),
    ({"more": [("connection", "close")]}, None), ({"more": [("x" * 100, "y" * 16000)] * 5}, "431")])
def test_h2_what_servers_read_in_different_ways_is_refused(h2, fields, status):
    front = h2()
    r = raw(front)
    r.ask(1, **fields) if "more" not in fields or len(fields["more"]) < 5 else pieces(r, fields["more"])
    frame = r.until(lambda f: f[2] == 1)
    assert (frame[0] == r.RESET or dict(frame[3])[":status"] == "400") if status is None else dict(frame[3])[":status"] == status
    assert not front.server.fields()
    r.socket.close()


def pieces(r, more):
    r.frame(r.HEADERS, 1, 1, r.block([(":method", "GET"), (":scheme", "https"), (":authority", NAME), (":path", "/")]))
    for i, one in enumerate(more):
        r.frame(r.CONTINUATION, 4 * (i == len(more) - 1), 1, r.block([one]))


def test_h2_a_slow_reader_is_waited_for(h2):
    front = h2()
    (front.server.log.parent / "huge").write_bytes(bytes(64 << 20))
    r = raw(front)
    r.ask(1, path="/huge")
    got = 0
    while got < 65535:  # the window of a client that never opens it again
        got += len(r.until(lambda f: f[0] == r.DATA)[3])
    r.ask(3)
    assert dict(r.until(lambda f: f[0] == r.HEADERS and f[2] == 3)[3])[":status"] == "200"
    rss = int(next(line for line in open(f"/proc/{front.tls.process.pid}/status", encoding="utf-8") if line.startswith("VmRSS")).split()[1])
    assert rss < 60000 or t.is_checked()
    r.socket.close()


def test_h2_a_host_that_is_not_what_it_says(h2, world):
    front = h2(secrets=[SECRET])
    front.to = world.servers[OTHER].port
    result = front.curl("-i", "-H", f"Authorization: Bearer {FAKE}", http="--http2-prior-knowledge")
    assert b"502" in result.stdout.splitlines()[0] and b"cannot be used" in result.stdout


def test_h2_a_host_that_goes_away(h2):
    front = h2()
    (front.server.log.parent / "huge").write_bytes(bytes(64 << 20))
    r = raw(front)
    r.ask(1, path="/huge")
    r.until(lambda f: f[0] == r.DATA)
    front.server.close()
    with pytest.raises(EOFError):
        kind = None
        while kind != r.RESET:
            kind, _, stream, _ = r.read()
        assert stream == 1
        while True:
            r.read()
    r.socket.close()
