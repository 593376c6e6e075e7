# SPDX-License-Identifier: Apache-2.0
"""A registry that lies, breaks off, drips and leads astray: how is the first part of the repository's name.

It is the attack, not a model of a registry: the honest part of it is only what a lie needs around itself.
"""
import base64
import contextlib
import http.server
import json
import re
import ssl
import threading

import registry as reg

PAIR = "Basic " + base64.b64encode(b"tester:right").decode()


class Liar(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_words):
        pass

    def handle(self):
        with contextlib.suppress(ConnectionError, TimeoutError, ssl.SSLError):
            super().handle()

    def do_GET(self):
        self.answer()

    do_HEAD = do_POST = do_PUT = do_PATCH = do_GET

    def answer(self):
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.heard.append((self.command, self.path, dict(self.headers)))
        if not self.path.startswith("/v2/"):
            return getattr(self, "at_" + self.path.split("?")[0].strip("/").split("/")[0].replace("-", "_"))()
        if self.path == "/v2/":
            return self.say(200, b"{}")
        lie, self.kind, self.what = re.match(r"/v2/([^/]+)/.*?(manifests|blobs)/(.*)", self.path.split("?")[0]).groups()
        return getattr(self, "lie_" + lie.replace("-", "_"), self.honest)()

    # How to answer.

    def say(self, status, body=b"", length=None, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def say_chunks(self, chunks, **headers):
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")

    def hang_up(self):
        self.close_connection = True

    def count(self, what):
        """How often this was asked before."""
        with self.server.lock:
            self.server.counts[what] = self.server.counts.get(what, 0) + 1
            return self.server.counts[what] - 1

    @property
    def data(self):
        """The honest body, or None."""
        image = self.server.image
        if self.kind == "manifests":
            return image.manifest if self.what in ("1", image.digest) else None
        return image.blobs.get(self.what)

    def is_layer(self):
        return self.kind == "blobs" and self.what == reg.digest(self.server.image.layers[-1])

    def honest(self):
        if self.data is None:
            return self.say(404)
        if self.kind == "manifests":
            return self.say(200, self.data, Content_Type=reg.MANIFEST, Docker_Content_Digest=reg.digest(self.data))
        first = re.match(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if first:
            at, size = int(first[1]), len(self.data)
            return self.say(206, self.data[at:], Content_Range=f"bytes {at}-{size - 1}/{size}")
        return self.say(200, self.data)

    def layer_only(self, lie):
        return lie() if self.is_layer() and self.command == "GET" else self.honest()

    # Wrong bytes.

    def lie_wrong_blob(self):
        wrong = bytearray(self.data or b"x")
        wrong[-1] ^= 1
        self.layer_only(lambda: self.say(200, bytes(wrong)))

    def lie_wrong_config(self):
        if self.kind == "blobs" and self.what == reg.digest(self.server.image.config):
            return self.say(200, self.data.replace(b"linux", b"lunix"))
        return self.honest()

    def lie_wrong_manifest(self):
        if self.kind == "manifests":
            return self.say(200, self.server.other.manifest, Content_Type=reg.MANIFEST)
        return self.honest()

    def lie_wrong_header(self):
        if self.kind == "manifests":
            return self.say(200, self.data, Content_Type=reg.MANIFEST, Docker_Content_Digest=self.server.other.digest)
        return self.honest()

    # Wrong lengths.

    def lie_short(self):
        """Breaks off after half of what is left, each time; without Range always after the same half."""
        self.layer_only(lambda: (self.say(200, self.data[:len(self.data) // 2], length=len(self.data)), self.hang_up()))

    def lie_short_once(self):
        if self.is_layer() and self.command == "GET" and not self.count("short-once"):
            self.say(200, self.data[:len(self.data) // 2], length=len(self.data))
            return self.hang_up()
        return self.honest()

    def lie_short_no_range(self):
        """Breaks off once, and then sends all of it to who asks for the rest."""
        if self.is_layer() and self.command == "GET" and not self.count("short-no-range"):
            self.say(200, self.data[:len(self.data) // 2], length=len(self.data))
            return self.hang_up()
        return self.layer_only(lambda: self.say(200, self.data))

    def lie_short_wrong_range(self):
        if self.is_layer() and self.command == "GET" and self.count("short-wrong-range"):
            size = len(self.data)
            return self.say(206, self.data[:10], Content_Range=f"bytes 0-9/{size}")
        return self.lie_short()

    def lie_short_poison(self):
        """First half wrong, then a break, then the right second half: the whole is wrong, but from the start it would be right."""
        if self.is_layer() and self.command == "GET" and not self.count("short-poison"):
            self.say(200, b"\0" * (len(self.data) // 2), length=len(self.data))
            return self.hang_up()
        return self.honest()

    def lie_ends_early(self):
        """As if that was all."""
        self.layer_only(lambda: self.say_chunks([self.data[:100]]))

    def lie_endless(self):
        self.layer_only(lambda: self.say_chunks(iter(lambda: bytes(1 << 16), None)))

    def lie_endless_manifest(self):
        if self.kind == "manifests" and self.command == "GET":
            return self.say_chunks(iter(lambda: b" " * (1 << 16), None), Content_Type=reg.MANIFEST)
        return self.say(404)

    def lie_long(self):
        self.layer_only(lambda: self.say(200, self.data + b"more"))

    def lie_drip(self):
        """A byte now and then, until nobody listens."""
        def drip():
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.data)))
            self.end_headers()
            while not self.server.ended.wait(0.2):
                self.wfile.write(b"x")
        self.layer_only(drip)

    def lie_stalls(self):
        """Half of it, and then nothing, until it is told to go on."""
        def stall():
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.data)))
            self.end_headers()
            self.wfile.write(self.data[:len(self.data) // 2])
            self.wfile.flush()
            self.server.ended.wait(60)
        if self.is_layer() and self.command == "GET" and not self.count("stalls"):
            return stall()
        return self.honest()

    # Wrong heads.

    def lie_headers(self):
        self.layer_only(lambda: self.say(200, self.data, **{f"X_{i}": "y" * 1000 for i in range(200)}))

    def lie_interim(self):
        """Answers that are no answers, without end."""
        def go_on():
            while not self.server.ended.is_set():
                self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n")
        self.layer_only(go_on)

    def lie_schema_1(self):
        if self.kind == "manifests":
            body = reg.compact({"schemaVersion": 1, "name": "x", "tag": "1", "fsLayers": [], "history": []})
            return self.say(200, body, Content_Type="application/vnd.docker.distribution.manifest.v1+prettyjws")
        return self.honest()

    def lie_busy(self):
        if self.kind == "blobs" and not self.count("busy" + self.what):
            return self.say(503, Retry_After="0")
        return self.honest()

    def lie_always_busy(self):
        self.layer_only(lambda: self.say(503))

    # Redirects.

    def lie_loop(self):
        self.layer_only(lambda: self.say(307, Location=f"{self.path.split('?')[0]}?{self.count('loop')}"))

    def lie_elsewhere(self):
        """To another host, which has it, but only for who knows the password here."""
        if self.headers.get("Authorization") != PAIR:
            return self.say(401, WWW_Authenticate='Basic realm="x"')
        return self.layer_only(lambda: self.say(307, Location=f"{self.server.elsewhere}/store/{self.what}?token=1"))

    def lie_away(self):
        """To whatever the test says."""
        self.layer_only(lambda: self.say(307, Location=self.server.away))

    # Passwords.

    def lie_basic(self):
        if self.headers.get("Authorization") != PAIR:
            return self.say(401, WWW_Authenticate='Basic realm="x"')
        return self.honest()

    def lie_never_enough(self):
        self.say(401, WWW_Authenticate='Basic realm="x"')

    def lie_never_enough_tokens(self):
        self.say(401, WWW_Authenticate=f'Bearer realm="{self.server.here}/token",service="x"')

    def lie_token(self):
        """The token server is where the test says; its tokens are good."""
        if self.headers.get("Authorization") != "Bearer good":
            return self.say(401, WWW_Authenticate=f'Bearer realm="{self.server.realm}",service="x",scope="repository:secret/other:pull,push"')
        return self.honest()

    # Uploads.

    def lie_upload(self):
        if self.command == "HEAD":
            return self.say(404)
        if self.command == "POST":
            return self.say(202, Location=self.server.away)
        return self.say(201)

    def lie_upload_break(self):
        """The first body is lost."""
        if self.command == "POST":
            return self.say(202, Location=f"/v2/upload-break/x/blobs/uploads/{self.count('upload')}?state=a")
        if self.command == "PUT" and self.kind == "blobs" and not self.count(f"break{len(self.body)}"):
            return self.hang_up()
        return self.say(404 if self.command == "HEAD" else 201)

    # Elsewhere.

    def at_store(self):
        self.kind, self.what = "blobs", self.path.split("?")[0].rsplit("/", 1)[1]
        self.honest()

    def at_token(self):
        self.say(200, json.dumps({"token": "good"}).encode())

    def at_bad_token(self):
        self.say(200, json.dumps({"token": "good\r\nX-Evil: yes"}).encode())

    def at_no_token(self):
        self.say(401)

    def at_endless_token(self):
        self.say_chunks(iter(lambda: b" " * (1 << 16), None))

    def at_moved_token(self):
        self.say(307, Location=f"{self.server.elsewhere}/token")

    def at_takes(self):
        self.say(201)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Who hangs up on a liar is right."""


@contextlib.contextmanager
def liar(address="127.0.0.1", tls=None, image=None, other=None, port=0):
    """A liar at ADDRESS; TLS: (certificate, key)."""
    with Server((address, port), Liar) as server:
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        server.image, server.other = image, other
        server.heard, server.counts, server.lock, server.ended = [], {}, threading.Lock(), threading.Event()
        server.host = f"{address}:{server.server_port}"
        server.here = f"{'https' if tls else 'http'}://{server.host}"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield server
        finally:
            server.ended.set()
            server.shutdown()
