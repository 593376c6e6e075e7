#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The servers of the world that no package has, in one process: servers.py DIRECTORY, started by world.py in there.

- a name that rebinds: DNS answers of no lifetime, public and loopback in turn
- echo by UDP (7000, and 443, where QUIC would be) and TCP (7000), also at the metadata address, and at an abstract socket
- a gate before every address that no box may reach: a connection is logged even if nothing is ever said over it
- an upstream proxy: CONNECT with basic authentication
- git's http-backend behind a unix socket, for nginx
"""
import asyncio
import base64
import json
import os
import pathlib
import struct
import sys
import urllib.parse

import names

TOP = pathlib.Path(sys.argv[1])


def log(where, **what):
    with open(TOP / "log" / where, "a", encoding="utf-8") as f:
        f.write(json.dumps(what) + "\n")


class Rebinding(asyncio.DatagramProtocol):
    """Every A record is the other of the two; other types are empty."""
    count = 0

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, peer):
        end = data.index(b"\0", 12) + 5
        question, kind = data[12:end], struct.unpack(">H", data[end - 4:end - 2])[0]
        answer = b""
        if kind == 1:
            to = names.REBINDING_ADDRESSES[self.count % 2]
            self.count += 1
            answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + bytes(map(int, to.split(".")))
            log("rebind", address=to)
        self.transport.sendto(data[:2] + b"\x85\x80" + struct.pack(">HHHH", 1, bool(answer), 0, 0) + question + answer, peer)


class Echo(asyncio.DatagramProtocol):
    def __init__(self, address, port):
        self.here = address, port

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, peer):
        log("udp", address=self.here[0], port=self.here[1], data=data[:64].decode("latin-1"))
        self.transport.sendto(data, peer)


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()


async def echo(reader, writer):
    address, port = writer.get_extra_info("sockname")[:2]
    log("tcp", address=address, port=port)
    await pump(reader, writer)
    writer.close()


async def abstract(reader, writer):
    log("tcp", address="abstract", port=0)
    await pump(reader, writer)
    writer.close()


async def gate(reader, writer):
    """To the same port of 127.0.0.1, where the real server is."""
    address, port = writer.get_extra_info("sockname")[:2]
    log("tcp", address=address, port=port)
    try:
        to_reader, to_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pump(reader, to_writer), pump(to_reader, writer))
        to_writer.close()
    except OSError:
        pass
    writer.close()


async def proxy(reader, writer):
    """CONNECT HOST:PORT, with a name as well as with an address; 407 without the right credentials."""
    wanted = "Basic " + base64.b64encode(f"{names.PROXY_USER}:{urllib.parse.unquote(names.PROXY_PASSWORD)}".encode()).decode()
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, target, *_ = head.split()
        headers = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in head.split("\r\n")[1:])}
        known = headers.get("proxy-authorization") == wanted
        log("proxy", method=method, target=target, known=known)
        if method != "CONNECT" or not known:
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
            return
        host, _, port = target.rpartition(":")
        to_reader, to_writer = await asyncio.open_connection(host.strip("[]"), int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(pump(reader, to_writer), pump(to_reader, writer))
        to_writer.close()
    except (OSError, ValueError, asyncio.IncompleteReadError):
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
    finally:
        writer.close()


async def body(reader, headers):
    if headers.get("transfer-encoding") == "chunked":
        data = b""
        while size := int(await reader.readline(), 16):
            data += await reader.readexactly(size)
            await reader.readline()
        return data
    return await reader.readexactly(int(headers.get("content-length", 0)))


async def git(reader, writer):
    """One request for git http-backend, as CGI."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split()
    headers = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:])}
    path, _, query = target.partition("?")
    env = {**os.environ, "GIT_PROJECT_ROOT": str(TOP / "srv/git"), "GIT_HTTP_EXPORT_ALL": "1", "REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query,
           "CONTENT_TYPE": headers.get("content-type", ""), "HTTP_CONTENT_ENCODING": headers.get("content-encoding", ""), "GIT_PROTOCOL": headers.get("git-protocol", ""),
           "REMOTE_ADDR": "127.0.0.1", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    child = await asyncio.create_subprocess_exec("git", "http-backend", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=env)
    out, _ = await child.communicate(await body(reader, headers))
    fields, _, rest = out.partition(b"\r\n\r\n")
    status = next((line[8:] for line in fields.split(b"\r\n") if line.startswith(b"Status: ")), b"200 OK")
    kept = [line for line in fields.split(b"\r\n") if not line.startswith(b"Status: ")]
    writer.write(b"HTTP/1.0 " + status + b"\r\n" + b"\r\n".join([*kept, b"Content-Length: %d" % len(rest), b"", rest]))
    writer.close()


async def main():
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(Rebinding, ("127.0.0.1", names.REBIND_PORT))
    for address in (names.address("udp.example.net"), names.address("example.com"), names.address("example.com", 6), names.address("evil.example"),
                    names.address("evil.example", 6), names.PRIVATE, names.METADATA, "127.0.0.1"):
        for port in (443, 7000):
            await loop.create_datagram_endpoint(lambda a=address, p=port: Echo(a, p), (address, port))
    await asyncio.start_server(echo, ["0.0.0.0", "::"], 7000)
    await asyncio.start_unix_server(abstract, "\0" + names.ABSTRACT)
    for address in names.GATED:
        for port in names.GATED_PORTS:
            await asyncio.start_server(gate, address, port, reuse_port=True)  # nginx listens there for all other addresses
    await asyncio.start_server(proxy, names.PROXY, names.PROXY_PORT)
    await asyncio.start_unix_server(git, TOP / "srv/git.sock")
    (TOP / "log/servers-ready").touch()
    await asyncio.Event().wait()


asyncio.run(main())
