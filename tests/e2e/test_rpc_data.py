# SPDX-License-Identifier: Apache-2.0
"""Data connections of `aisbx rpc`: files beside the messages, and what a bad client can do there."""
import contextlib
import os
import pathlib
import random
import secrets
import select
import signal
import socket
import stat

import pytest

from box import wait_until
from files import FileBox
from rpc import SLOW, Rpc

MIB = 1 << 20


@pytest.fixture
def b(tmp_path):
    with contextlib.closing(FileBox(tmp_path)) as made:
        yield made


@pytest.fixture
def rpc(b):
    with Rpc(cwd=b.project, env=b.env) as server:
        yield server


class Data:
    def __init__(self, path, head=None):
        self.token = secrets.token_hex(16)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60 * SLOW)
        folder = os.open(pathlib.Path(path).parent, os.O_PATH)  # the paths of tests are long
        try:
            self.socket.connect(f"/proc/self/fd/{folder}/{pathlib.Path(path).name}")
        finally:
            os.close(folder)
        self.socket.sendall(self.token.encode() + b"\n" if head is None else head)

    def rest(self):
        pieces = []
        while True:
            try:
                piece = self.socket.recv(MIB)
            except ConnectionResetError:
                piece = b""
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)


def door(rpc):
    return rpc.call("rpc.hello", data=True)["data"]


def test_a_file_goes_beside(b, rpc):
    """Several at once, each over its own; the ordinary way beside them."""
    files = {f"f{i}": random.Random(i).randbytes(i * 3 * MIB + i) for i in range(4)}
    path = door(rpc)
    writes = {}
    for name, data in files.items():
        beside = Data(path)
        writes[name] = rpc.send("file.write", box="b", path=name, size=len(data), _data=beside.token)
        beside.socket.sendall(data)
    for name, data in files.items():
        assert rpc.ok(writes[name])["size"] == len(data)
    reads = []
    for name in files:
        beside = Data(path)
        reads.append((name, beside, rpc.send("file.read", box="b", path=name, raw=True, _data=beside.token)))
    for name, beside, call in reads:
        assert beside.rest() == files[name]
        assert rpc.ok(call)["sent"] == len(files[name]) and "content" not in rpc.ok(call)
    assert rpc.call("file.read", box="b", path="f0")["content"] == ""


def test_only_who_asks_has_a_door_and_it_goes_with_the_server(b):
    with Rpc(cwd=b.project, env=b.env) as rpc:
        assert "data" not in rpc.call("rpc.hello")
        assert not (b.state / "aisbx/data").exists()
        path = pathlib.Path(door(rpc))
        assert door(rpc) == str(path) and path.parent == b.state / "aisbx/data"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == []


def test_the_door_of_a_killed_server_is_removed(b):
    with Rpc(cwd=b.project, env=b.env) as first:
        left = pathlib.Path(door(first))
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
    with Rpc(cwd=b.project, env=b.env) as second, Rpc(cwd=b.project, env=b.env) as third:
        path = pathlib.Path(door(second))
        door(third)
        assert not left.exists() and path.exists(), "one that is used stays"


def test_calls_that_are_refused_close_it(b, rpc):
    path = door(rpc)
    for method, params in (("file.read", {"box": "nix", "path": "f", "raw": True}), ("file.read", {"box": "b", "path": "f", "nix": 1}),
                           ("box.ls", {}), ("run.exec", {"box": "b", "command": ["cat"]}),
                           ("file.read", {"box": "b", "path": "f", "raw": True, "_stream": True}),
                           ("file.write", {"box": "b", "path": "f", "size": 3, "_stdin": True})):
        beside = Data(path)
        assert "error" in rpc.answer(rpc.send(method, **params, _data=beside.token)), method
        assert beside.rest() == b"", method


@pytest.mark.parametrize("token", ["0" * 32, "x" * 32, "", 7, None, "0" * 64])
def test_a_token_that_nobody_said(b, rpc, token):
    path = door(rpc)
    Data(path)
    assert rpc.error("file.read", box="b", path="f", raw=True, _data=token)["data"]["code"] == "ENOTCONN"


def test_a_token_is_good_for_one_call(b, rpc):
    (b.project / "f").write_text("one")
    beside = Data(door(rpc))
    call = rpc.send("file.read", box="b", path="f", raw=True, _data=beside.token)
    assert beside.rest() == b"one" and rpc.ok(call)
    assert rpc.error("file.read", box="b", path="f", raw=True, _data=beside.token)["data"]["code"] == "ENOTCONN"


@pytest.mark.parametrize("head", [b"GET / HTTP/1.1\r\n\r\n", b"0" * 33, b"\n", b"A" * 32 + b"\n", b'{"jsonrpc":"2.0"}\n'])
def test_who_says_something_else_is_sent_away(rpc, head):
    assert Data(door(rpc), head).rest() == b""
    assert rpc.call("rpc.ping") == {}


def test_connections_without_calls_do_not_keep_out_others(b, rpc):
    """The oldest go; one that has not said its token is one of them."""
    (b.project / "f").write_text("one")
    path = door(rpc)
    idle = [Data(path, b"" if i % 2 else None) for i in range(100)]
    beside = Data(path)
    call = rpc.send("file.read", box="b", path="f", raw=True, _data=beside.token)
    assert beside.rest() == b"one" and rpc.ok(call)
    assert idle[0].rest() == b""
    assert len(os.listdir(f"/proc/{rpc.pid}/fd")) < 64 + 30


def test_a_client_that_dies_in_the_middle_changes_nothing(b, rpc):
    (b.project / "f").write_text("old")
    beside = Data(door(rpc))
    call = rpc.send("file.write", box="b", path="f", size=10 * MIB, _data=beside.token)
    beside.socket.sendall(bytes(MIB))
    beside.socket.close()
    assert rpc.answer(call)["error"]["data"]["code"] == "EPIPE"
    assert rpc.call("file.read", box="b", path="f")["content"] == "old"


def test_all_of_it_dies_in_the_middle(b):
    (b.project / "f").write_text("old")
    with Rpc(cwd=b.project, env=b.env) as rpc:
        beside = Data(door(rpc))
        rpc.send("file.write", box="b", path="f", size=10 * MIB, _data=beside.token)
        beside.socket.sendall(bytes(MIB))
        rpc.process.stdin.close()
        assert beside.rest() == b""
        assert rpc.process.wait(60 * SLOW) == 0
    assert b.ok("file read", "b", "f")["content"] == "old"


def test_cancelled_it_ends(b, rpc):
    beside = Data(door(rpc))
    call = rpc.send("file.write", box="b", path="f", size=MIB, _data=beside.token)
    assert rpc.ok(rpc.send_params("rpc.cancel", {"id": call}))["found"]
    assert "error" in rpc.answer(call)
    assert beside.rest() == b""


def test_who_does_not_read_keeps_nobody(b, rpc):
    """Neither the server, nor the box; and gets all of it when it reads."""
    data = random.Random(9).randbytes(5 * MIB)
    (b.project / "f").write_bytes(data)
    slow = Data(door(rpc))
    call = rpc.send("file.read", box="b", path="f", raw=True, _data=slow.token)
    wait_until(lambda: select.select([slow.socket], [], [], 0)[0], 60 * SLOW, "it comes")
    assert rpc.call("file.write", box="b", path="g", content="x")["size"] == 1
    assert not rpc.answers[call]
    assert slow.rest() == data and rpc.ok(call)["sent"] == len(data)


def test_an_owner_has_only_what_is_its_own(b):
    with Rpc(cwd=b.project, env=b.env) as rpc:
        rpc.call("rpc.hello", owner="ana")
        beside = Data(door(rpc))
        call = rpc.send("file.read", box="b", path="f", raw=True, _data=beside.token)
        assert rpc.answer(call)["error"]["data"]["kind"] == "not_found" and beside.rest() == b""


def test_over_a_socket(b, tmp_path):
    """Connections of one server have one door, and what one says there is of no use to another without the token."""
    (b.project / "f").write_text("one")
    with Rpc(cwd=b.project, env=b.env, words=("--socket", "s")) as server:
        wait_until(lambda: (b.project / "s").exists(), 60 * SLOW, "it listens")
        folder = os.open(b.project, os.O_PATH)
        with Rpc(path=f"/proc/self/fd/{folder}/s") as one, Rpc(path=f"/proc/self/fd/{folder}/s") as other:
            beside = Data(door(one))
            assert door(other) == door(one)
            call = one.send("file.read", box="b", path="f", raw=True, _data=beside.token)
            assert beside.rest() == b"one" and one.ok(call)
        os.close(folder)
        server.process.terminate()
        server.process.wait(60)
    assert os.listdir(b.state / "aisbx/data") == []
