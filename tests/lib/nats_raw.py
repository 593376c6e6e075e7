# SPDX-License-Identifier: Apache-2.0
"""NATS as an enemy speaks it: one connection, whose every byte the test chooses. Libraries check subjects, make inboxes and connect again by
themselves; here nothing is done that was not asked for. Keys and signatures are made by openssl.
"""
import base64
import json
import os
import socket
import ssl
import subprocess
import tempfile
import time

PKCS8 = bytes.fromhex("302e020100300506032b657004220420")  # before the 32 bytes of an Ed25519 seed (RFC 8410)
USER = 20 << 3
SEED = 18 << 3


def encode_key(raw):
    """With the checksum (CRC-16/XMODEM), in base32."""
    crc = 0
    for byte in raw:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return base64.b32encode(raw + crc.to_bytes(2, "little")).decode().rstrip("=")


class Key:
    """A user's nkey; of SEED, or a new one."""

    def __init__(self, seed=None):
        self.raw = base64.b32decode(seed + "=" * (-len(seed) % 8))[2:34] if seed else os.urandom(32)
        self.der = PKCS8 + self.raw
        spki = subprocess.run(["openssl", "pkey", "-inform", "DER", "-pubout", "-outform", "DER"], input=self.der, capture_output=True, check=True, timeout=60).stdout
        self.public = encode_key(bytes([USER]) + spki[-32:])
        self.seed = encode_key(bytes([SEED | USER >> 5, (USER & 31) << 3]) + self.raw)

    def sign(self, text):
        with tempfile.NamedTemporaryFile() as key, tempfile.NamedTemporaryFile() as said:
            key.write(self.der)
            key.flush()
            said.write(text.encode())
            said.flush()
            signed = subprocess.run(
                ["openssl", "pkeyutl", "-sign", "-rawin", "-keyform", "DER", "-inkey", key.name, "-in", said.name], capture_output=True, check=True, timeout=60
            ).stdout
        return base64.urlsafe_b64encode(signed).decode().rstrip("=")


class Refused(Exception):
    """The server said -ERR, or closed the connection."""


class Message:
    def __init__(self, subject, reply, header, data):
        self.subject, self.reply, self.header, self.data = subject, reply, header, data

    @property
    def status(self):
        """404 of an empty answer; 0 of one with content."""
        words = self.header.split(b"\r\n")[0].split()
        return int(words[1]) if len(words) > 1 else 0

    def json(self):
        return json.loads(self.data)


class Raw:
    """PORT of a server, mostly on this machine. KEY: a Key, or None. CA: a file, for TLS."""

    def __init__(self, port, key=None, ca=None, inbox="_INBOX", host="127.0.0.1"):
        self.sock = socket.create_connection((host, port), timeout=20)
        self.left = b""
        self.inbox, self.asked, self.subscribed = inbox, 0, 0
        self.messages, self.errors = [], []
        info = json.loads(self.line().split(b" ", 1)[1])
        self.info = info
        if ca:
            context = ssl.create_default_context(cafile=str(ca))
            self.sock = context.wrap_socket(self.sock, server_hostname="localhost")
        hello = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True, "lang": "test", "version": "1", "protocol": 1}
        if key:
            hello |= {"nkey": key.public, "sig": key.sign(info["nonce"])}
        self.send(b"CONNECT " + json.dumps(hello).encode() + b"\r\n")
        self.flush()
        if self.errors:
            raise Refused(self.errors[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, data):
        try:
            self.sock.sendall(data)
        except OSError as e:
            raise Refused(str(e)) from e

    def fill(self):
        try:
            more = self.sock.recv(65536)
        except TimeoutError:
            raise
        except OSError as e:
            raise Refused(str(e)) from e
        if not more:
            raise Refused(self.errors[0] if self.errors else "closed")
        self.left += more

    def line(self):
        while b"\r\n" not in self.left:
            self.fill()
        found, self.left = self.left.split(b"\r\n", 1)
        return found

    def bytes(self, n):
        while len(self.left) < n + 2:
            self.fill()
        found, self.left = self.left[:n], self.left[n + 2 :]
        return found

    def step(self):
        """Reads one thing of the server; True: it was PONG."""
        words = self.line().split()
        kind, rest = words[0], words[1:]
        if kind == b"PING":
            self.send(b"PONG\r\n")
        elif kind == b"-ERR":
            self.errors.append(b" ".join(rest).decode().strip("'"))
        elif kind in (b"MSG", b"HMSG"):
            n_header = int(rest[-2]) if kind == b"HMSG" else 0
            n_fixed = 4 if kind == b"HMSG" else 3
            data = self.bytes(int(rest[-1]))
            reply = rest[2].decode() if len(rest) > n_fixed else ""
            self.messages.append(Message(rest[0].decode(), reply, data[:n_header], data[n_header:]))
        return kind == b"PONG"

    def flush(self):
        """The server has taken all, and all errors that it has said of it are in `errors`."""
        self.send(b"PING\r\n")
        while not self.step():
            pass

    def publish(self, subject, data=b"", reply="", header=None):
        data = data.encode() if isinstance(data, str) else data
        if header:
            head = ("NATS/1.0\r\n" + "".join(f"{k}: {v}\r\n" for k, v in header.items()) + "\r\n").encode()
            self.send(f"HPUB {subject} {reply} {len(head)} {len(head) + len(data)}\r\n".encode() + head + data + b"\r\n")
        else:
            self.send(f"PUB {subject} {reply} {len(data)}\r\n".encode() + data + b"\r\n")

    def subscribe(self, subject, queue=""):
        self.subscribed += 1
        self.send(f"SUB {subject} {queue} {self.subscribed}\r\n".encode())

    def refuses(self, act):
        """Does ACT; what the server says against it, or ""."""
        before = len(self.errors)
        act()
        self.flush()
        return self.errors[before] if len(self.errors) > before else ""

    def request(self, subject, data=b"", header=None, wait=10):
        """The answer; None: there was none in WAIT seconds. Refused: it was not allowed."""
        if not self.asked:
            self.subscribe(self.inbox + ".r.*")
        self.asked += 1
        reply = f"{self.inbox}.r.{self.asked}"
        before = len(self.errors)
        self.publish(subject, data, reply, header)
        self.flush()
        until = time.monotonic() + wait
        while time.monotonic() < until:
            if len(self.errors) > before:
                raise Refused(self.errors[before])
            for message in self.messages:
                if message.subject == reply:
                    self.messages.remove(message)
                    return message
            time.sleep(0.005)
            self.flush()
        return None
