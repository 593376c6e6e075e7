# SPDX-License-Identifier: Apache-2.0
"""aisbx-tls as the broker starts it: a control channel, connected sockets by descriptor, real servers behind it."""
import array
import ctypes
import fcntl
import hashlib
import http.server
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import threading

SETUP, CONFIG, CONNECTION, CUT, END, READY, FAILED, ROW, BYTES, CLOSED, BYE = range(1, 12)
ALLOWED, REFUSED, BROKEN = 1, 2, 3
WRONG_SNI, WRONG_HOST, BAD_HTTP, WRONG_METHOD, WRONG_SECRET = 4, 6, 7, 12, 13
TEXT_AT = None  # set below


class Address(ctypes.Structure):
    _fields_ = [("family", ctypes.c_uint8), ("bytes", ctypes.c_uint8 * 16)]


class Row(ctypes.Structure):
    _fields_ = [("act", ctypes.c_uint32), ("verdict", ctypes.c_uint32), ("reason", ctypes.c_uint32), ("record", ctypes.c_uint32),
                ("count", ctypes.c_uint64), ("sent", ctypes.c_uint64), ("received", ctypes.c_uint64), ("to", Address),
                ("port", ctypes.c_uint16), ("name", ctypes.c_char * 254), ("rule", ctypes.c_char * 512)]


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("area", ctypes.c_int), ("kind", ctypes.c_int), ("text", ctypes.c_char * 488)]


class Message(ctypes.Structure):
    _fields_ = [("word", ctypes.c_uint32), ("id", ctypes.c_uint32), ("port", ctypes.c_uint16), ("pad", ctypes.c_uint16),
                ("name", ctypes.c_char * 254), ("row", Row), ("error", Error), ("text", ctypes.c_char * 4096)]


def program():
    return os.environ.get("AISBX_TLS") or str(pathlib.Path(os.environ["AISBX"]).parent / "aisbx-tls")


def is_checked():
    """With sanitizers, which need memory of their own."""
    return b"__asan_init" in pathlib.Path(program()).read_bytes()


def config(rules=(), secrets=(), roots=None, idle=0):
    words = []
    for rule in rules:
        words += ["rule", rule]
    for s in secrets:
        words += ["secret", s["name"], s["host"], str(s.get("port", 443)), s.get("how", "header"),
                  s.get("template", "Authorization: Bearer {}" if s.get("how", "header") == "header" else ""), s["placeholder"], s["value"]]
    if roots:
        words += ["only-roots", roots]
    if idle:
        words += ["idle", str(idle)]
    return b"".join(w.encode() + b"\0" for w in words)


def sealed(data):
    fd = os.memfd_create("config", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    os.write(fd, data)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
    return fd


class Tls:
    """The program, and everything it said."""

    def __init__(self, data, directory):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.directory, self.next_id, self.said, self.heard = pathlib.Path(directory), 1, [], threading.Condition()
        theirs_fd = theirs.fileno()
        keep = os.dup(theirs_fd) if theirs_fd == 3 else theirs_fd

        def give():
            os.dup2(keep, 3)
        # pylint: disable=subprocess-popen-preexec-fn
        self.process = subprocess.Popen([program()], preexec_fn=give, pass_fds=[3], close_fds=True, stderr=subprocess.PIPE)
        theirs.close()
        self.send(SETUP, fds=[sealed(data)])
        first = self.receive()
        self.first = first
        if first and first.word == READY:
            self.ca = self.directory / "box.pem"
            self.ca.write_bytes(first.text)
            self.listener = threading.Thread(target=self.listen, daemon=True)
            self.listener.start()

    def send(self, word, name="", port=0, ident=0, fds=()):
        m = Message(word=word, id=ident, port=port, name=name.encode())
        self.control.sendmsg([bytes(m)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else [])
        for fd in fds:
            os.close(fd)

    def receive(self):
        try:
            data = self.control.recv(ctypes.sizeof(Message))
        except OSError:  # the test is over
            return None
        return Message.from_buffer_copy(data.ljust(ctypes.sizeof(Message), b"\0")) if data else None

    def listen(self):
        while (m := self.receive()) is not None:
            with self.heard:
                self.said.append(m)
                self.heard.notify_all()
        with self.heard:
            self.said.append(Message(word=99))
            self.heard.notify_all()

    def wait(self, test, seconds=30):
        """The first message of which TEST is true."""
        with self.heard:
            assert self.heard.wait_for(lambda: any(test(m) for m in self.said), seconds), [(m.word, m.row.reason, m.text) for m in self.said]
            return next(m for m in self.said if test(m))

    def row(self, reason):
        return self.wait(lambda m: m.word == ROW and m.row.reason == reason)

    def closed(self, ident=None):
        return self.wait(lambda m: m.word == CLOSED and ident in (None, m.id))

    def give(self, client, upstream, name, port=443):
        """Both are sockets, and not ours any more."""
        ident, self.next_id = self.next_id, self.next_id + 1
        self.send(CONNECTION, name, port, ident, [client.detach(), upstream.detach()])
        return ident

    def change(self, data):
        before = len(self.said)
        self.send(CONFIG, fds=[sealed(data)])
        return self.wait(lambda m: m.word in (READY, FAILED) and self.said.index(m) >= before)

    def stop(self):
        if self.process.poll() is None and self.first and self.first.word == READY:
            self.send(END)
            self.wait(lambda m: m.word in (BYE, 99))
        self.control.close()
        status = self.process.wait(30)
        errors = self.process.stderr.read().decode()
        self.process.stderr.close()
        return status, errors


class Front:
    """What stands in for the broker: accepts, connects to the host, hands both over."""

    def __init__(self, tls, to, name, port=443):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.socket.getsockname()[1]
        self.tls, self.to, self.name, self.as_port = tls, to, name, port
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            try:
                self.tls.give(client, socket.create_connection(("127.0.0.1", self.to)), self.name, self.as_port)
            except OSError:
                client.close()  # as the broker does where nobody answers

    def connect(self, sni=None, alpn=("http/1.1",), wrap=True):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        if not wrap:
            return plain
        ctx = ssl.create_default_context(cafile=str(self.tls.ca))
        if alpn:
            ctx.set_alpn_protocols(list(alpn))
        return ctx.wrap_socket(plain, server_hostname=sni or self.name)

    def curl(self, *words, path="/", http="--http1.1", stdin=None, timeout=120):
        return subprocess.run(["curl", "-sS", http, "--max-time", "100", "--cacert", self.tls.ca, "--connect-to",
                               f"{self.name}:{self.as_port}:127.0.0.1:{self.port}", *words, f"https://{self.name}:{self.as_port}{path}"],
                              input=stdin, capture_output=True, timeout=timeout, check=False)

    def close(self):
        self.socket.close()


def make_ca(directory):
    """A root that stands in for those of the world."""
    key, cert = directory / "root.key", directory / "root.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", cert,
                    "-days", "2", "-subj", "/CN=root of a test"], check=True, capture_output=True)
    return key, cert


def make_cert(directory, root, name, days=2):
    key, cert = directory / f"{name}.key", directory / f"{name}.pem"
    request, names = directory / f"{name}.csr", directory / f"{name}.ext"
    names.write_text(f"subjectAltName=DNS:{name}\n")
    subprocess.run(["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", request, "-subj",
                    f"/CN={name}"], check=True, capture_output=True)
    subprocess.run(["openssl", "x509", "-req", "-in", request, "-CA", root[1], "-CAkey", root[0], "-CAcreateserial", "-out", cert, "-days", str(days),
                    "-extfile", names], check=True, capture_output=True)
    return key, cert


class Handler(http.server.BaseHTTPRequestHandler):
    """Says what it was asked; /big sends so many bytes; /echo-secret sends credentials back."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        sums, n = hashlib.sha256(), 0
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                sums.update(self.rfile.read(size))
                n += size
                self.rfile.readline()
            while self.rfile.readline() not in (b"\r\n", b""):
                pass
        else:
            left = int(self.headers.get("Content-Length", 0))
            while left:
                piece = self.rfile.read(min(left, 65536))
                if not piece:
                    break
                sums.update(piece)
                n += len(piece)
                left -= len(piece)
        return n, sums.hexdigest()

    def answer(self):
        self.server.seen.append((self.command, self.path, list(self.headers.items())))
        path = self.path.partition("?")[0]
        if path == "/websocket":
            self.websocket()
            return
        n, digest = self.body()
        if path.startswith("/big/"):
            self.big(int(path[5:]))
        elif path == "/chunks":
            self.chunks()
        elif path == "/to-end":
            self.close_connection = True
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"until the end")
        elif path == "/cookie":
            self.send_response(204)
            self.send_header("Set-Cookie", "session=of-the-host")
            self.end_headers()
        elif path == "/echo-secret":
            self.echo()
        elif path == "/cut":
            self.close_connection = True
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"half")
        else:
            data = json.dumps({"method": self.command, "path": self.path, "headers": list(self.headers.items()), "length": n, "sha256": digest}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = answer

    def big(self, size):
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        piece = bytes(range(256)) * 256
        while size:
            n = min(size, len(piece))
            self.wfile.write(piece[:n])
            size -= n

    def chunks(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Trailer", "X-Sum")
        self.end_headers()
        for piece in (b"one ", b"two ", b"three"):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\nX-Sum: 3\r\n\r\n")

    def echo(self):
        shown = self.headers.get("Authorization", "none").encode()
        self.send_response(200)
        self.send_header("X-Shown", shown.decode())
        self.send_header("Content-Length", str(len(shown) + 14))
        self.end_headers()
        half = len(shown) // 2 + 3
        self.wfile.write(b"you are " + shown[:half])
        self.wfile.flush()
        self.wfile.write(shown[half:] + b", yes.")

    def websocket(self):
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.end_headers()
        while data := self.connection.recv(65536):
            self.connection.sendall(data[::-1])
        self.close_connection = True


class Server:
    """HTTP over TLS with one certificate."""

    def __init__(self, cert):
        ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        ctx.load_cert_chain(cert[1], cert[0])
        ctx.set_alpn_protocols(["http/1.1"])
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.seen = self.seen = []
        self.server.handle_error = lambda *_: None
        self.server.socket = ctx.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Http2Server:
    """nghttpd: files of a directory, uploads echoed, trailers; its log says what it was asked."""

    def __init__(self, cert, directory, *words):
        with socket.create_server(("127.0.0.1", 0)) as s:
            self.port = s.getsockname()[1]
        self.log = pathlib.Path(directory) / "nghttpd.log"
        with open(self.log, "wb") as out:
            # pylint: disable=consider-using-with
            self.process = subprocess.Popen(["nghttpd", "-v", "--echo-upload", "--address=127.0.0.1", "-d", directory, *words, str(self.port), cert[0], cert[1]],
                                            stdout=out, stderr=out)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                assert self.process.poll() is None, self.log.read_text()

    def fields(self):
        """All lines of fields, in order."""
        lines = re.sub(r"\x1b\[[0-9;]*m", "", self.log.read_text(errors="replace")).splitlines()
        return [line.partition(") ")[2] for line in lines if "recv (stream_id=" in line]

    def close(self):
        self.process.terminate()
        self.process.wait(30)


class Nv(ctypes.Structure):
    _fields_ = [("name", ctypes.POINTER(ctypes.c_char)), ("value", ctypes.POINTER(ctypes.c_char)), ("name_len", ctypes.c_size_t),
                ("value_len", ctypes.c_size_t), ("flags", ctypes.c_uint8)]


class Http2Raw:
    """A client that sends any frame it likes; only its reading of fields is the library's."""
    DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9

    def __init__(self, sock):
        self.socket, self.library, self.inflater = sock, ctypes.CDLL("libnghttp2.so.14"), ctypes.c_void_p()
        self.library.nghttp2_hd_inflate_hd2.restype = ctypes.c_ssize_t
        assert self.library.nghttp2_hd_inflate_new(ctypes.byref(self.inflater)) == 0
        sock.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.frame(self.SETTINGS)

    def frame(self, kind, flags=0, stream=0, payload=b""):
        self.socket.sendall(len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload)

    @staticmethod
    def block(fields):
        def text(s):
            data = s.encode()
            return (bytes([len(data)]) if len(data) < 127 else bytes([127, (len(data) - 127) % 128 | 128, (len(data) - 127) // 128])) + data
        return b"".join(b"\0" + text(name) + text(value) for name, value in fields)

    def ask(self, stream, path="/", end=True, authority="api.example.test", more=(), method="GET"):
        fields = [(":method", method), (":scheme", "https"), (":authority", authority), (":path", path), *more]
        self.frame(self.HEADERS, 4 | end, stream, self.block(fields))

    def exactly(self, n):
        data = b""
        while len(data) < n:
            piece = self.socket.recv(n - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def read(self):
        """(kind, flags, stream, payload); fields of HEADERS are a list of pairs."""
        head = self.exactly(9)
        kind, flags, stream, payload = head[3], head[4], int.from_bytes(head[5:], "big"), self.exactly(int.from_bytes(head[:3], "big"))
        return kind, flags, stream, self.fields(payload) if kind == self.HEADERS else payload

    def fields(self, block):
        found, nv, flags = [], Nv(), ctypes.c_int()
        while True:
            n = self.library.nghttp2_hd_inflate_hd2(self.inflater, ctypes.byref(nv), ctypes.byref(flags), block, ctypes.c_size_t(len(block)), 1)
            assert n >= 0
            block = block[n:]
            if flags.value & 2:
                found.append((nv.name[:nv.name_len].decode(), nv.value[:nv.value_len].decode()))
            if flags.value & 1:
                self.library.nghttp2_hd_inflate_end_headers(self.inflater)
                return found

    def until(self, test):
        while not test(frame := self.read()):
            pass
        return frame
