#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The probe that network tests run inside a box: inside.py ACT WORDS..., several acts with "," between them. One JSON list at the end: an object
for each act, with "seconds", and "error" where it failed. Also a small DNS client, byte by byte, for who wants to know what is answered.
"""
import errno
import json
import socket
import ssl
import struct
import subprocess
import sys
import time

TYPES = {"A": 1, "CNAME": 5, "MX": 15, "TXT": 16, "AAAA": 28, "SRV": 33, "SVCB": 64, "HTTPS": 65, "ANY": 255}
CODES = {0: "NOERROR", 1: "FORMERR", 2: "SERVFAIL", 3: "NXDOMAIN", 4: "NOTIMP", 5: "REFUSED"}
TIMEOUT = 6


def resolve(name, port="443"):
    return {"addresses": sorted({a[4][0] for a in socket.getaddrinfo(name, int(port), type=socket.SOCK_STREAM)})}


def connect(host, port):
    with socket.create_connection((host, int(port)), TIMEOUT) as s:
        return {"peer": s.getpeername()[0]}


def _request(s, host, path, more=""):
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n".encode())
    return _answer(s)


def _answer(s):
    data = b""
    while piece := s.recv(65536):
        data += piece
    if not data:
        raise ConnectionResetError(errno.ECONNRESET, "closed without an answer")
    head, _, body = data.decode("latin-1").partition("\r\n\r\n")
    found = {"status": int(head.split()[1]), "body": body[:2000]}
    if body.startswith("{"):
        found["whoami"] = json.loads(body)
    return found


def http(to, port, host, path="/whoami"):
    with socket.create_connection((to, int(port)), TIMEOUT) as s:
        return _request(s, host, path)


def https(to, port, sni, host, path="/whoami"):
    """SNI "-": none is sent."""
    context = ssl.create_default_context()
    if sni in ("-", "") or sni != host:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((to, int(port)), TIMEOUT) as s, context.wrap_socket(s, server_hostname=None if sni == "-" else sni) as t:
        return _request(t, host, path)


def raw(to, port, *pieces):
    """Sends these pieces (Python's escapes), each in a packet; all that is answered until the end."""
    with socket.create_connection((to, int(port)), TIMEOUT) as s:
        data = b""
        try:
            for piece in pieces:
                s.sendall(piece.encode().decode("unicode_escape").encode("latin-1"))
            s.shutdown(socket.SHUT_WR)
            while piece := s.recv(65536):
                data += piece
        except OSError as e:
            if e.errno not in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN):
                raise
            return {"answer": data.decode("latin-1"), "reset": True}
        return {"answer": data.decode("latin-1"), "reset": False}


def _client_hello(sni):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    if sni == "-":
        context.check_hostname = False
    try:
        context.wrap_bio(incoming, outgoing, server_hostname=None if sni == "-" else sni).do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()
    raise AssertionError("no ClientHello")


def _with_extension(record, kind, data):
    """The extensions end the ClientHello; three lengths know of them."""
    extension = struct.pack(">HH", kind, len(data)) + data
    at = 5 + 4 + 2 + 32  # record and handshake header, version, random
    at += 1 + record[at]  # session
    at += 2 + struct.unpack(">H", record[at:at + 2])[0]  # ciphers
    at += 1 + record[at]  # compression
    grown = len(extension)
    body = record[9:at] + struct.pack(">H", struct.unpack(">H", record[at:at + 2])[0] + grown) + record[at + 2:] + extension
    return record[:3] + struct.pack(">H", len(body) + 4) + record[5:6] + struct.pack(">I", len(body))[1:] + body


def hello(to, port, sni, *options):
    """A ClientHello made by hand. nul: '!' in the name is a NUL; upper: as it is written; ech: with an encrypted name; bytes: sent one by one;
    records: in two TLS records; slow: the second half after a while. What comes back: "handshake", "alert", "nothing"."""
    record = _client_hello(sni.replace("!", "q"))
    if "nul" in options:
        record = record.replace(sni.replace("!", "q").encode(), sni.replace("!", "\0").encode())
    if "upper" in options:
        record = record.replace(sni.encode(), sni.upper().encode())
    if "ech" in options:
        record = _with_extension(record, 0xFE0D, b"\0\0\1\0\1\x2a\0\x20" + bytes(32) + b"\0\x80" + bytes(128))
    if "records" in options:
        half = (len(record) - 5) // 8  # before the name
        record = record[:3] + struct.pack(">H", half) + record[5:5 + half] + record[:3] + struct.pack(">H", len(record) - 5 - half) + record[5 + half:]
    with socket.create_connection((to, int(port)), TIMEOUT) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in ([record[i:i + 1] for i in range(len(record))] if "bytes" in options else [record]):
            s.sendall(piece)
        kind = s.recv(1)
        return {"back": {b"\x16": "handshake", b"\x15": "alert", b"": "nothing"}.get(kind, kind.hex())}


def ports(to, first, last):
    """Those of this range that accept a connection."""
    found = []
    for port in range(int(first), int(last) + 1):
        with socket.socket() as s:
            s.settimeout(TIMEOUT)
            if s.connect_ex((to, port)) == 0:
                found.append(port)
    return {"open": found}


def routes():
    """The default routes of this network namespace, and its devices."""
    with open("/proc/net/route", encoding="ascii") as f:
        rows = [line.split() for line in f][1:]
    with open("/proc/net/dev", encoding="ascii") as f:
        devices = [line.split(":")[0].strip() for line in f if ":" in line]
    return {"default": [row[0] for row in rows if row[1] == "00000000"], "devices": sorted(devices)}


def commands(file):
    """Shell commands of a JSON file, by name: status, output and seconds of each."""
    found = {}
    with open(file, encoding="utf-8") as f:
        wanted = json.load(f)
    for name, script in wanted.items():
        began = time.monotonic()
        done = subprocess.run(["sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        found[name] = {"status": done.returncode, "out": done.stdout.decode("latin-1")[-2000:], "err": done.stderr.decode("latin-1")[-500:],
                       "seconds": round(time.monotonic() - began, 3)}
    return found


def talk(to, port, first):
    """Says this, or with "-" nothing, and hears as much as that, or what comes, with the connection still open."""
    data = b"" if first == "-" else first.encode().decode("unicode_escape").encode("latin-1")
    with socket.create_connection((to, int(port)), TIMEOUT) as s:
        s.sendall(data)
        answer = s.recv(65536)
        while answer and len(answer) < len(data):
            answer += s.recv(65536)
        return {"answer": answer.decode("latin-1")}


def two_requests(to, port, first, second):
    """Two requests over one connection: the second after the answer to the first."""
    with socket.create_connection((to, int(port)), TIMEOUT) as s:
        s.sendall(f"GET /whoami HTTP/1.1\r\nHost: {first}\r\n\r\n".encode())
        one = s.recv(65536).decode("latin-1")
        s.sendall(f"GET /whoami HTTP/1.1\r\nHost: {second}\r\nConnection: close\r\n\r\n".encode())
        found = {"first": one}
        try:
            found["second"] = ""
            while piece := s.recv(65536):
                found["second"] += piece.decode("latin-1")
        except OSError as e:
            found["error"] = errno.errorcode[e.errno]
        return found


def udp(to, port, word="hello"):
    """Connected, so that an ICMP answer is an error here."""
    family, _, _, _, address = socket.getaddrinfo(to, int(port), type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.settimeout(TIMEOUT)
        s.connect(address)
        s.send(word.encode("latin-1"))
        return {"answer": s.recv(65536).decode("latin-1")[:64]}


def quic(to, port="443"):
    """The first packet of a QUIC version 1 client, long header, 1200 bytes."""
    return udp(to, port, "\xc0\0\0\0\1\x08" + "\0" * 1194)


def abstract(name):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("\0" + name)
        return {"connected": True}


def _name(packet, at):
    labels, end = [], None
    while packet[at]:
        if packet[at] >= 0xC0:
            end = end or at + 2
            at = struct.unpack(">H", packet[at:at + 2])[0] & 0x3FFF
            continue
        labels.append(packet[at + 1:at + 1 + packet[at]].decode("latin-1"))
        at += packet[at] + 1
    return ".".join(labels), end or at + 1


def _record(packet, at):
    name, at = _name(packet, at)
    kind, klass, ttl, size = struct.unpack(">HHIH", packet[at:at + 10])
    at += 10
    data = packet[at:at + size]
    if kind == 1:
        value = socket.inet_ntop(socket.AF_INET, data)
    elif kind == 28:
        value = socket.inet_ntop(socket.AF_INET6, data)
    elif kind == 5:
        value = _name(packet, at)[0]
    elif kind == 33:
        value = [*struct.unpack(">HHH", data[:6]), _name(packet, at + 6)[0]]
    elif kind == 16:
        value = data[1:1 + data[0]].decode("latin-1")
    else:
        value = data.hex()
    return {"name": name, "type": kind, "class": klass, "ttl": ttl, "value": value}, at + size


def server():
    with open("/etc/resolv.conf", encoding="ascii") as f:
        return next(line.split()[1] for line in f if line.startswith("nameserver"))


def dns(name, kind="A", *options):
    """Options: tcp, edns, at=SERVER, hex (the name is hexadecimal digits of its wire form), split (TCP, byte by byte)."""
    options, at = set(options), next((o[3:] for o in options if o.startswith("at=")), None) or server()
    if "hex" in options:
        wire = bytes.fromhex(name)
    else:
        wire = b"".join(bytes([len(label)]) + label.encode() for label in name.rstrip(".").split(".")) + b"\0"
    query = struct.pack(">HHHHHH", 0x4242, 0x0100, 1, 0, 0, "edns" in options) + wire + struct.pack(">HH", TYPES[kind], 1)
    if "edns" in options:
        query += b"\0" + struct.pack(">HHIH", 41, 4096, 0, 0)
    if options & {"tcp", "split"}:
        with socket.create_connection((at, 53), TIMEOUT) as s:
            message = struct.pack(">H", len(query)) + query
            for piece in ([message[i:i + 1] for i in range(len(message))] if "split" in options else [message]):
                s.sendall(piece)
            with s.makefile("rb") as f:
                packet = f.read(struct.unpack(">H", f.read(2))[0])
    else:
        with socket.socket(socket.AF_INET6 if ":" in at else socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(TIMEOUT)
            s.connect((at, 53))
            s.send(query)
            packet = s.recv(65536)
    number, flags, questions, answers, authorities, more = struct.unpack(">HHHHHH", packet[:12])
    position = 12
    for _ in range(questions):
        position = _name(packet, position)[1] + 4
    records = []
    for _ in range(answers + authorities + more):
        record, position = _record(packet, position)
        records.append(record)
    return {"code": CODES[flags & 15], "id": number, "answers": records[:answers], "edns": any(r["type"] == 41 for r in records[answers:]), "bytes": len(packet)}


def main(words):
    acts, now = [[]], []
    for word in words:
        if word == ",":
            acts.append([])
        else:
            acts[-1].append(word)
    for act in acts:
        began = time.monotonic()
        try:
            found = globals()[act[0]](*act[1:])
        except socket.gaierror as e:
            found = {"error": {socket.EAI_NONAME: "NONAME", socket.EAI_AGAIN: "AGAIN", socket.EAI_NODATA: "NODATA"}.get(e.errno, str(e))}
        except ssl.SSLError as e:
            found = {"error": "TLS", "text": str(e)}
        except TimeoutError:
            found = {"error": "TIMEOUT"}
        except OSError as e:
            found = {"error": errno.errorcode.get(e.errno, str(e)), "text": str(e)}
        now.append({**found, "seconds": round(time.monotonic() - began, 3)})
    print(json.dumps(now))


if __name__ == "__main__":
    main(sys.argv[1:])
