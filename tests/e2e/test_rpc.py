# SPDX-License-Identifier: Apache-2.0
"""`aisbx rpc`: every operation by JSON-RPC, many at once, streamed, fed, cancelled; and what a bad client can do.

Attacks 120 to 122 are here. Runs as root and as an ordinary user.
"""
import base64
import hashlib
import json
import os
import re
import secrets
import selectors
import signal
import stat
import statistics
import subprocess
import tempfile
import time
import uuid

import jsonschema
import pytest

import pace
from box import IS_ROOT, aisbx, leaks_before, nothing_is_left, processes_with, wait_until
from rpc import SLOW, Rpc

MIB = 1 << 20


class Place:
    """A project, and a state directory of its own."""

    def __init__(self, root):
        self.root = root
        self.project = root / "project"
        self.project.mkdir()
        (self.project / "a.txt").write_text("one\n")
        (root / "home").mkdir()
        self.servers = []
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "HOME": str(root / "home")}

    def rpc(self, *words, **more):
        return Rpc(cwd=self.project, env=self.env, words=words, **more)

    def aisbx(self, *words, data=b"", status=None):
        done = subprocess.run([aisbx(), *words], cwd=self.project, env=self.env, input=data, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=150 * SLOW, check=False)
        assert status is None or done.returncode == status, done
        return done

    def json(self, *words, **how):
        return json.loads(self.aisbx(*words, "--json", **how).stdout.splitlines()[-1])

    def live(self):
        return self.json("ps", "--all", status=0)["runs"]

    def nothing_is_left(self):
        wait_until(lambda: not self.live(), 50 * SLOW, "the end of all runs")
        nothing_is_left(self.project, self.env)

    def finish(self):
        """Ends what is detached, and the servers that a failed test left."""
        for server in self.servers:
            server.kill()
            server.wait()
        runs = [run["run"] for run in self.live()]
        if runs:
            self.aisbx("kill", *runs)

    def serve(self, *words, path=None):
        """A server on a socket: (process, path)."""
        path = path or str(self.root / "socket")
        server = subprocess.Popen([aisbx(), "rpc", "--socket", path, *words], cwd=self.project, env=self.env,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.servers.append(server)
        wait_until(lambda: os.path.exists(path) or server.poll() is not None, 50 * SLOW, "the socket")
        return server, path


@pytest.fixture
def place(tmp_path):
    leaks_before()
    made = Place(tmp_path)
    yield made
    made.finish()


@pytest.fixture
def rpc(place):
    with place.rpc() as client:
        yield client


def rss(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:")) * 1024


def sanitized():
    with open(os.path.join(os.path.dirname(aisbx()), "aisbx-serve"), "rb") as f:
        return b"__asan_init" in f.read()


def was_cancelled(answer):
    """By its supervisor, or before there was one that listens."""
    return answer["result"]["status"] == "interrupted" if "result" in answer else answer["error"]["data"]["kind"] == "cancelled"


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


# ---- the table ----

def test_hello_and_ping(rpc):
    told = rpc.call("rpc.hello")
    assert told["protocol"] == 1 and told["limits"] == {"line": 12 * MIB, "calls": 256, "waiting": 4096, "waiting_bytes": 64 * MIB}
    assert {"run.exec", "box.create", "promote", "schema"} <= set(told["methods"])
    assert told["version"] == subprocess.run([aisbx(), "--version"], stdout=subprocess.PIPE, check=True).stdout.decode().split()[1]
    assert rpc.call("rpc.ping") == {}


def shape(value):
    """What two results of the same call have in common: names and types, not times and ids."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if type(value) in (int, float) else type(value).__name__


# What the arguments of an operation are where it needs some, and what to do first; all others are called without.
# A text in braces is what an earlier call of the same side made.
ARGUMENTS = {
    "run.exec": {"command": ["sh", "-c", "echo out; echo err >&2; exit 3"]},
    "run.code": {"lang": "shell", "code": "echo hi"},
    "run.wait": {"run": "{run}"},
    "run.kill": {"runs": ["{run}"]},
    "run.pause": {"runs": ["{run}"]},
    "run.resume": {"runs": ["{run}"]},
    "run.logs": {"run": "{run}"},
    "run.input": {"run": "{run}"},
    "run.stats": {"runs": ["{run}"]},
    "box.exec": {"target": "{run}", "command": ["echo", "hi"]},
    "box.create": {"name": "other"},
    "box.show": {"box": "first"},
    "box.fork": {"from": "first"},
    "box.snap": {"box": "first", "name": "again"},
    "box.rollback": {"box": "first", "snapshot": "start"},
    "box.rename": {"box": "first", "name": "second"},
    "box.rm": {"boxes": ["other"]},
    "box.diff": {"box": "first"},
    "promote": {"box": "first"},
    "profile.show": {"profile": "strict"},
    "profile.diff": {"a": "dev", "b": "strict"},
    "code.scan": {"files": ["a.txt"], "lang": "shell"},
    "experiment.try": {"test": "true", "command": ["touch x"]},
    "experiment.open": {"test": "true", "mode": "first"},
    "schema": {"operation": "run"},
}
LAST = ["run.kill", "run.wait", "box.rename"]


def prepare(place):
    """A box with a snapshot and a change, and a live run, by the command line."""
    place.aisbx("create", "first", status=0)
    place.aisbx("run", "--box", "first", "--", "sh", "-c", "echo more >>a.txt", status=0)
    place.aisbx("snap", "first", "start", status=0)
    run = place.aisbx("run", "--detach", "-i", "--", "sleep", "1000", status=0).stdout.decode().strip()
    return {"run": run}


def filled(value, made):
    if isinstance(value, list):
        return [filled(v, made) for v in value]
    return made[value[1:-1]] if isinstance(value, str) and value.startswith("{") else value


def by_command_line(place, op, args):
    """The result of `aisbx OP --json`, or its error."""
    words, rest, usage = op["name"].split(), [], place.aisbx(*op["name"].split(), "--help").stdout.decode()
    for name, value in args.items():
        if f" --{name} " in usage:
            words += [f"--{name}", value]
        else:
            rest += value if isinstance(value, list) else [value]
    if op["method"] in ("box.ls", "box.tree", "run.ls"):
        words.append("--all")  # as over the protocol
    done = place.aisbx(*words, "--json", "--", *rest)
    assert done.stdout, done
    return json.loads(done.stdout.splitlines()[-1])


def compare(places, made, rpc):
    ops = {op["method"]: op for op in rpc.call("schema")["operations"] if op["method"]}
    assert set(ops) == set(rpc.call("rpc.hello")["methods"])
    results = 0
    for method in sorted(ops, key=lambda m: LAST.index(m) if m in LAST else -1):
        args = [{name: filled(value, m) for name, value in ARGUMENTS.get(method, {}).items()} for m in made]
        told, answer = by_command_line(places[0], ops[method], args[0]), rpc.answer(rpc.send(method, **args[1]))
        if "error" in answer:
            error = answer["error"]
            assert told["status"] == "error", (method, told, answer)
            told["error"]["text"] = told["error"]["text"].replace(str(places[0].root), str(places[1].root))  # what both are told names their own
            # at the command line it could be the current box
            told["error"]["text"] = re.sub(r", and '[^']*' has no current box; .*", "", told["error"]["text"])
            assert {**told["error"], "kind": error["data"]["kind"]} == error["data"], method
            assert error["message"] == told["error"]["text"]
            assert method not in ARGUMENTS, error
        else:
            assert shape(told) == shape(answer["result"]), method
            for result in (told, answer["result"]):
                jsonschema.validate(result, ops[method]["result"])
            results += 1
    assert results >= 32, "of some only the error was seen"


def test_every_method_is_its_operation(tmp_path):
    """Side by side with the command line, each on its own state: the same result in shape and schema, or the same error."""
    places = [Place(tmp_path / side) for side in ("line", "rpc") if not (tmp_path / side).mkdir()]
    made = [prepare(place) for place in places]
    try:
        with places[1].rpc() as rpc:
            compare(places, made, rpc)
    finally:
        for place in places:
            place.finish()


def test_where_and_by_which_trace(place, rpc):
    (place.root / "elsewhere").mkdir()
    trace = uuid.uuid4().hex
    result = rpc.call("run.exec", command=["pwd"], _cwd=str(place.root / "elsewhere"), _trace=trace)
    assert result["stdout"] == f"{place.root}/elsewhere\n" and result["trace_id"] == trace
    assert rpc.call("run.exec", command=["pwd"])["stdout"] == f"{place.project}\n"
    assert rpc.error("run.exec", command=["pwd"], _cwd="elsewhere")["code"] == -32602
    assert rpc.error("run.exec", command=["pwd"], _cwd=str(place.root / "nowhere"))["data"]["kind"] == "not_found"
    assert rpc.error("run.exec", command=["pwd"], _trace="1" * 31)["code"] == -32602
    assert rpc.error("run.exec", command=["pwd"], _more=True)["code"] == -32602


def test_values_of_secrets_beside_the_arguments(rpc):
    """For one call; what is no variable of that name is read as ever."""
    value = secrets.token_hex(16)
    both = [value.encode(), value[::-1].encode() + b"\0\n"]
    given = dict(zip(("T", "V"), (base64.b64encode(one).decode() for one in both), strict=True))
    hashes = "sha256sum </run/secrets/A; sha256sum </run/secrets/B; cat /run/secrets/A"
    result = rpc.ok(rpc.sh(hashes, secret=["A=env:T", "B=env:V", "P=env:PATH"], _secrets=given))
    assert result["stdout"].replace("  -", "").split("\n")[:2] == [hashlib.sha256(one).hexdigest() for one in both]
    assert "[secret A]" in result["stdout"] and value not in json.dumps(result)
    assert value not in json.dumps(rpc.call("run.history", run=result["run"]))
    assert rpc.error("run.exec", command=["true"], secret=["A=env:T"])["data"]["kind"] == "not_found"
    for bad in ([], "x", {"T": 1}, {"T": "QUI"}, {"T": {}}, {f"T{i}": "QUI=" for i in range(65)}):
        wrong = rpc.error("run.exec", command=["true"], secret=["A=env:T"], _secrets=bad)
        assert wrong["code"] == -32602 and "_secrets" in wrong["message"] and "QUI" not in wrong["message"]


# ---- output and input ----

def test_output_comes_while_it_runs(rpc):
    id = rpc.sh("echo first; echo other >&2; cat; exit 4", _stream=True, _stdin=True)
    rpc.until(lambda: rpc.output(id) == b"first\n" and rpc.output(id, "stderr") == b"other\n")
    assert not rpc.answers[id]
    rpc.notify("rpc.stdin", id=id, data="grüße\n")
    rpc.until(lambda: rpc.output(id) == "first\ngrüße\n".encode())
    assert not rpc.answers[id]
    rpc.notify("rpc.stdin", id=id, data=base64.b64encode(b"\xff\x00").decode(), encoding="base64", eof=True)
    result = rpc.ok(id)
    assert rpc.output(id) == "first\ngrüße\n".encode() + b"\xff\x00"
    assert (result["stdout"], result["stderr"], result["exit_code"]) == ("", "", 4)
    assert [m for m, _ in rpc.notes[id]][0] == "begun"
    begun = rpc.notes[id][0][1]
    assert (begun["run"], begun["trace_id"]) == (result["run"], result["trace_id"])


def test_without_stream_it_is_in_the_result(rpc):
    id = rpc.sh("echo out; echo err >&2; cat")
    result = rpc.ok(id)
    assert (result["stdout"], result["stderr"]) == ("out\n", "err\n") and rpc.output(id) == b""


def test_every_byte(rpc):
    """What is no UTF-8 comes as it is, too."""
    data = bytes(range(256)) * 300
    id = rpc.send("run.exec", command=["cat"], _stream=True, _stdin=True)
    rpc.notify("rpc.stdin", id=id, data=base64.b64encode(data).decode(), encoding="base64", eof=True)
    rpc.ok(id)
    assert rpc.output(id) == data


def test_no_character_is_split(rpc):
    text = "aä€😀\0" * 40
    script = "for i in $(seq 1 %d); do head -c 1; done" % len(text.encode())
    id = rpc.sh(script, _stream=True, _stdin=True)
    rpc.notify("rpc.stdin", id=id, data=text, eof=True)
    rpc.ok(id)
    pieces = [p for m, p in rpc.notes[id] if m == "output"]
    assert all(p["encoding"] == "utf-8" for p in pieces) and "".join(p["data"] for p in pieces) == text
    id = rpc.sh("printf 'a\\303'", _stream=True)  # and what is never completed is told at the end
    rpc.ok(id)
    assert rpc.output(id) == b"a\xc3"


def test_input_that_cannot_be_taken(rpc):
    id = rpc.send("run.exec", command=["sleep", "1000"], _stdin=True)
    rpc.begun(id)
    lump = "x" * MIB
    asked = [rpc.send_params("rpc.stdin", {"id": id, "data": lump}) for _ in range(6)]
    answers = [rpc.answer(a) for a in asked]
    assert "result" in answers[0] and answers[-1]["error"]["data"]["kind"] == "limit"
    assert not rpc.answers[id], "asked and refused: nothing is lost"
    rpc.notify("rpc.stdin", id=id, data=lump)
    assert was_cancelled(rpc.answer(id)), "told and lost: it shall not go on with a part"
    assert [p["error"]["kind"] for m, p in rpc.notes[id] if m == "stdin"] == ["limit"]
    id = rpc.send("run.exec", command=["sleep", "1000"])
    rpc.begun(id)
    assert rpc.answer(rpc.send_params("rpc.stdin", {"id": id, "data": "x"}))["error"]["data"]["code"] == "EPIPE"
    assert rpc.answer(rpc.send_params("rpc.stdin", {"id": 9999, "data": "x"}))["error"]["data"]["kind"] == "not_found"
    assert rpc.answer(rpc.send_params("rpc.stdin", {"id": id, "data": "x", "encoding": "rot13"}))["error"]["code"] == -32602
    rpc.notify("rpc.cancel", id=id)
    rpc.answer(id)


def test_fifty_at_once(rpc):
    """All of them live before one of them may go on."""
    ids = [rpc.sh(f"read word; echo {n} $word", _stdin=True, id=f"n-{n}") for n in range(50)]
    for id in ids:
        rpc.begun(id)
    assert not any(rpc.answers[id] for id in ids) and len(rpc.call("run.ls")["runs"]) == 50
    for n, id in reversed(list(enumerate(ids))):
        rpc.notify("rpc.stdin", id=id, data=f"word-{n}\n", eof=True)
    for n, id in enumerate(ids):
        assert rpc.ok(id)["stdout"] == f"{n} word-{n}\n"


def test_items_come_before_the_result(rpc):
    run = rpc.call("run.exec", command=["sh", "-c", "echo one; read word; echo $word"], detach=True, interactive=True)["run"]
    id = rpc.send("run.logs", run=run, follow=True)
    rpc.until(lambda: any(m == "item" for m, _ in rpc.notes[id]))
    assert not rpc.answers[id]
    fed = rpc.send("run.input", run=run, close=True, _stdin=True)
    rpc.notify("rpc.stdin", id=fed, data="two\n", eof=True)
    assert rpc.ok(fed)["bytes"] == 4
    rpc.ok(id)
    told = [p["item"] for m, p in rpc.notes[id] if m == "item"]
    assert "".join(item["data"] for item in told if "data" in item) == "one\ntwo\n", told


# ---- attack 122: ids and cancellation ----

def test_122_cancel_before(rpc):
    assert rpc.answer(rpc.send_params("rpc.cancel", {"id": "later"}))["result"] == {"found": False}
    rpc.notify("rpc.cancel", id="later")
    assert rpc.ok(rpc.send("run.exec", command=["echo", "hi"], id="later"))["stdout"] == "hi\n"


def test_122_cancel_at_once(rpc, place):
    """Between the request and its first sign of life, again and again: one answer, nothing left."""
    ids = []
    for n in range(20):
        ids.append(rpc.send("run.exec", command=["sleep", "1000"], id=f"c-{n}"))
        time.sleep(n / 1000)
        rpc.notify("rpc.cancel", id=ids[-1])
    for id in ids:
        assert was_cancelled(rpc.answer(id))
    rpc.call("rpc.ping")
    assert all(len(rpc.answers[id]) == 1 for id in ids)
    place.nothing_is_left()


def test_122_cancel_during(rpc, place):
    mark = f"mark-{uuid.uuid4()}"
    id = rpc.sh(f": {mark}; trap '' TERM; sleep 1000 & while :; do sleep 0.1; done")
    rpc.begun(id)
    pid = rpc.call("run.ls")["runs"][0]["pid"]
    assert alive(pid)
    wait_until(lambda: processes_with(mark), 30 * SLOW, "the command")
    began = time.monotonic()
    assert rpc.answer(rpc.send_params("rpc.cancel", {"id": id}))["result"] == {"found": True}
    assert was_cancelled(rpc.answer(id))
    assert time.monotonic() - began < pace.seconds(30)
    for _ in range(3):
        rpc.notify("rpc.cancel", id=id)
    rpc.call("rpc.ping")
    assert len(rpc.answers[id]) == 1
    wait_until(lambda: not alive(pid) and not processes_with(mark), 30 * SLOW, "the end of the command")
    place.nothing_is_left()


def test_122_cancel_after(rpc, place):
    id = rpc.send("run.exec", command=["true"])
    rpc.ok(id)
    rpc.notify("rpc.cancel", id=id)
    assert rpc.answer(rpc.send_params("rpc.cancel", {"id": id}))["result"] == {"found": False}
    assert len(rpc.answers[id]) == 1
    place.nothing_is_left()


def test_122_an_id_in_use(rpc):
    """The second is refused without its id; the first goes on, and the id is free again after its answer."""
    id = rpc.sh("read word; echo $word", _stdin=True, id="same")
    rpc.begun(id)
    for method in ("run.exec", "rpc.ping", "no.such"):
        rpc.message(id="same", method=method, params={})
        rpc.until(lambda: rpc.answers[None])
        assert rpc.answers.pop(None)[0]["error"]["code"] == -32600
    assert not rpc.answers["same"]
    rpc.notify("rpc.stdin", id="same", data="first\n", eof=True)
    assert rpc.ok("same")["stdout"] == "first\n" and len(rpc.answers["same"]) == 1
    rpc.answers.clear()
    assert rpc.ok(rpc.send("run.exec", command=["echo", "again"], id="same"))["stdout"] == "again\n"


# ---- attack 120: what is no request ----

BAD = {
    "malformed": (b'{"jsonrpc":"2.0","id":1,"method":', -32700),
    "not JSON": (b"GET / HTTP/1.1", -32700),
    "two texts": (b'{"jsonrpc":"2.0","id":1,"method":"rpc.ping"}{}', -32700),
    "arrays 100,000 deep": (b"[" * 100_000 + b"]" * 100_000, -32700),
    "objects 100,000 deep": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, -32700),
    "many values": (b'{"jsonrpc":"2.0","id":1,"method":"rpc.ping","params":{"a":[' + b"[]," * 3_000_000 + b"[]]}}", -32700),
    "invalid UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"rpc.\xff\xfe"}', -32700),
    "overlong UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"rpc.ping","x":"\xc0\x80"}', -32700),
    "half a surrogate": (b'{"jsonrpc":"2.0","id":1,"method":"rpc.ping","x":"\\ud800"}', -32700),
    "a NUL": (b'{"jsonrpc":"2.0","id":1,"method":"rpc.ping"\0}', -32700),
    "a name twice": (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"rpc.ping"}', -32700),
    "huge number": (b'{"jsonrpc":"2.0","id":99999999999999999999999,"method":"rpc.ping"}', -32700),
    "batch": (b'[{"jsonrpc":"2.0","id":1,"method":"rpc.ping"}]', -32600),
    "empty batch": (b"[]", -32600),
    "a number": (b"1", -32600),
    "null": (b"null", -32600),
    "no version": (b'{"id":1,"method":"rpc.ping"}', -32600),
    "old version": (b'{"jsonrpc":"1.0","id":1,"method":"rpc.ping"}', -32600),
    "no method": (b'{"jsonrpc":"2.0","id":1}', -32600),
    "method is a number": (b'{"jsonrpc":"2.0","id":1,"method":1}', -32600),
    "method with a NUL": (b'{"jsonrpc":"2.0","id":1,"method":"rpc.ping\\u0000x"}', -32600),
    "id null": (b'{"jsonrpc":"2.0","id":null,"method":"rpc.ping"}', -32600),
    "id is a fraction": (b'{"jsonrpc":"2.0","id":1.5,"method":"rpc.ping"}', -32600),
    "id is an object": (b'{"jsonrpc":"2.0","id":{},"method":"rpc.ping"}', -32600),
    "id is long": (b'{"jsonrpc":"2.0","id":"' + b"x" * 129 + b'","method":"rpc.ping"}', -32600),
    "no such method": (b'{"jsonrpc":"2.0","id":1,"method":"box.creat"}', -32601),
    "empty method": (b'{"jsonrpc":"2.0","id":1,"method":""}', -32601),
    "only on the command line": (b'{"jsonrpc":"2.0","id":1,"method":"rpc"}', -32601),
    "params in a row": (b'{"jsonrpc":"2.0","id":1,"method":"run.exec","params":["true"]}', -32602),
    "params are text": (b'{"jsonrpc":"2.0","id":1,"method":"rpc.ping","params":"x"}', -32602),
    "no such argument": (b'{"jsonrpc":"2.0","id":1,"method":"run.exec","params":{"command":["true"],"colour":1}}', -32602),
    "wrong type": (b'{"jsonrpc":"2.0","id":1,"method":"run.exec","params":{"command":"true"}}', -32602),
    "missing argument": (b'{"jsonrpc":"2.0","id":1,"method":"box.show"}', -32602),
    "owner is no name": (b'{"jsonrpc":"2.0","id":1,"method":"rpc.hello","params":{"owner":"../x"}}', -32602),
}


def test_120_what_is_no_request(rpc):
    """Each is told what is wrong with it, with the id where it has one; the server lives, and is not larger for it."""
    rpc.call("run.exec", command=["true"])
    before = rss(rpc.pid)
    for name, (text, code) in BAD.items():
        rpc.answers.clear()
        rpc.raw(text + b"\n")
        message = rpc.take()
        assert "error" in message and message["error"]["code"] == code, (name, message)
        assert message["error"]["data"]["kind"] == "usage" and message["error"]["message"], name
        own = code in (-32601, -32602) or name in ("no version", "old version", "no method", "method is a number", "method with a NUL")
        assert message["id"] == (1 if own else None), (name, message)
    rpc.answers.clear()
    assert "'box.create'" in rpc.error("box.creat")["message"]
    assert rpc.call("rpc.ping") == {}
    assert rss(rpc.pid) - before < (64 if sanitized() else 16) * MIB


def test_120_newlines(rpc):
    """One inside a text makes two lines of it, both broken; empty lines, CR LF and a missing end do no harm."""
    rpc.raw(b'{"jsonrpc":"2.0","id":1,\n"method":"rpc.ping"}\n')
    assert [rpc.take()["error"]["code"] for _ in range(2)] == [-32700, -32700]
    rpc.raw(b'\n\r\n\n{"jsonrpc":"2.0","id":2,"method":"rpc.ping"}\r\n')
    assert rpc.ok(2) == {}
    for byte in b'{"jsonrpc":"2.0","id":3,"method":"rpc.ping"}\n':
        rpc.raw(bytes([byte]))
    assert rpc.ok(3) == {}
    rpc.raw(b'{"jsonrpc":"2.0","id":4,"method":"rpc.ping"}')
    rpc.process.stdin.close()
    assert rpc.ok(4) == {}
    rpc.to_the_end()
    assert rpc.process.wait(30 * SLOW) == 0


def test_120_what_has_no_answer(rpc):
    """Notifications, whatever they say, and answers to what was never asked."""
    for text in (b'{"jsonrpc":"2.0","method":"no.such"}', b'{"jsonrpc":"2.0","method":"run.exec","params":{"command":["true"]}}',
                 b'{"jsonrpc":"2.0","method":"rpc.cancel"}', b'{"jsonrpc":"2.0","method":"rpc.stdin","params":{"id":7}}',
                 b'{"jsonrpc":"2.0","method":"rpc.ping","params":[]}', b'{"jsonrpc":"2.0","id":1,"result":{}}'):
        rpc.raw(text + b"\n")
    assert rpc.call("rpc.ping") == {} and len(rpc.all) == 1


# ---- attack 121: too much ----

def test_121_a_line_of_a_gigabyte(place):
    with place.rpc() as rpc:
        rpc.call("rpc.ping")
        before, most, sent, lump = rss(rpc.pid), 0, 0, b"x" * MIB
        try:
            while sent < 1 << 30:
                rpc.raw(lump)
                sent += len(lump)
                most = max(most, rss(rpc.pid) - before)
        except (BrokenPipeError, FileNotFoundError, StopIteration):  # it has closed, and perhaps is gone already
            pass
        assert sent < 64 * MIB, "it went on reading"
        message = rpc.take()
        assert message["error"]["code"] == -32700 and message["id"] is None
        assert rpc.take() is None and rpc.process.wait(30 * SLOW) == 125
        print(f"growth {most} bytes")
        assert sanitized() or most < 16_000_000


def test_121_the_longest_line(rpc):
    """One byte less than too much is taken, and its memory given back."""
    rpc.call("rpc.ping")
    before = rss(rpc.pid)
    frame = b'{"jsonrpc":"2.0","id":1,"method":"rpc.ping","params":{"x":"%s"}}'
    rpc.raw(frame % (b"x" * (12 * MIB - len(frame) + 2)) + b"\n")
    assert rpc.ok(1) == {}
    wait_until(lambda: sanitized() or rss(rpc.pid) - before < 4 * MIB, 30, "the end of the line in memory")


@pytest.mark.big
def test_121_who_does_not_read(rpc):
    """The command waits, the server does not grow, and nothing is lost."""
    rpc.call("rpc.ping")
    before, size = rss(rpc.pid), 32 * MIB
    id = rpc.sh(f"head -c {size} /dev/zero | tr '\\0' x", _stream=True)
    quiet, at = 0, time.monotonic()
    while quiet < 10:  # until it has stopped growing for a while
        last = rss(rpc.pid)
        time.sleep(0.05 * SLOW)
        quiet = quiet + 1 if rss(rpc.pid) == last and time.monotonic() - at > SLOW else 0
        assert sanitized() or rss(rpc.pid) - before < 16_000_000
    rpc.ok(id)
    assert len(rpc.output(id)) == size


def test_121_who_asks_and_does_not_read(rpc):
    """Not read from any more when a little more than 1 MiB waits for it."""
    rpc.call("rpc.ping")
    before, sent = rss(rpc.pid), 0
    os.set_blocking(rpc.write_fd, False)
    line = b'{"jsonrpc":"2.0","id":1,"method":"rpc.hello"}\n'
    end = time.monotonic() + SLOW
    while time.monotonic() < end:
        try:
            sent += os.write(rpc.write_fd, (line * 100)[sent % len(line):])
        except BlockingIOError:
            time.sleep(0.01)
    assert sent < 2 * MIB and (sanitized() or rss(rpc.pid) - before < 16_000_000)
    os.set_blocking(rpc.write_fd, True)
    while len(rpc.answers[1]) < sent // len(line):
        rpc.take()


def test_a_thousand_calls_wait_for_their_turn(rpc):
    """All are answered, about in the order in which they came; one that is cancelled meanwhile at once."""
    ids = [rpc.send("box.ls") for _ in range(1000)]
    rpc.notify("rpc.cancel", id=ids[-1])
    assert was_cancelled(rpc.answer(ids[-1]))
    assert not rpc.answers[ids[-2]], "it was not its turn"
    rpc.until(lambda: all(rpc.answers[id] for id in ids))
    assert all("result" in rpc.answers[id][0] for id in ids[:-1])
    order = [m["id"] for m in rpc.all if m.get("id") in set(ids[:-1])]
    assert statistics.median(abs(at - id) for at, id in enumerate(order, ids[0])) < 64, "a slow one may be late, not all"


@pytest.mark.quiet
def test_calls_at_once_have_a_limit(place):
    """256 of one connection, 1,024 of the server; the others wait. What ends them does not, and who goes takes them along."""
    run = place.aisbx("run", "--detach", "--", "sleep", "1000", status=0).stdout.decode().strip()
    server, path = place.serve()
    clients = [Rpc(path) for _ in range(5)]
    try:
        ids = [[client.send("run.wait", run=run) for _ in range(300)] for client in clients[:4]]
        clients[3].close()
        late = clients[4].send("run.wait", run=run)
        assert was_cancelled(cancelled_first(clients[0], ids[0][-1]))
        clients[4].call("run.kill", runs=[run])
        assert "result" in clients[4].answer(late)
        for client, own in zip(clients[:3], ids):
            client.until(lambda c=client, o=own: all(c.answers[id] for id in o))
            assert sum("result" in client.answers[id][0] for id in own) == 300 - (client is clients[0])
    finally:
        for client in clients:
            client.close()
        server.terminate()
        assert server.wait(50 * SLOW) == 143
    place.nothing_is_left()


def cancelled_first(client, id):
    client.notify("rpc.cancel", id=id)
    return client.answer(id)


# ---- the end ----

def test_the_end_of_input_cancels(place):
    with place.rpc() as rpc:
        id = rpc.sh("sleep 1000")
        rpc.begun(id)
        rpc.process.stdin.close()
        assert was_cancelled(rpc.answer(id))
        assert rpc.take() is None and rpc.process.wait(30 * SLOW) == 0
    place.nothing_is_left()


def test_from_a_file_into_a_file(place):
    line = b'{"jsonrpc":"2.0","id":1,"method":"rpc.ping"}\n'
    (place.root / "in").write_bytes(line * 5000)
    with open(place.root / "in", "rb") as asked, open(place.root / "out", "wb") as told:
        asked.seek(len(line) * 4990)
        subprocess.run([aisbx(), "rpc"], stdin=asked, stdout=told, env=place.env, check=True, timeout=50 * SLOW)
    lines = (place.root / "out").read_bytes().splitlines()
    assert lines == [b'{"jsonrpc":"2.0","id":1,"result":{}}'] * 10


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_properly(place, number):
    with place.rpc() as rpc:
        id = rpc.sh("sleep 1000")
        rpc.begun(id)
        rpc.process.send_signal(number)
        assert was_cancelled(rpc.answer(id))
        assert rpc.process.wait(30 * SLOW) == 128 + number
    place.nothing_is_left()


def test_the_client_is_killed(place):
    """By SIGKILL, with commands under way: its end of the pipes is all that the server hears."""
    mark = f"mark-{uuid.uuid4()}"
    calls = [json.dumps({"jsonrpc": "2.0", "id": n, "method": "run.exec", "params": {"command": ["sh", "-c", f": {mark}; sleep 1000"], "_stream": True}})
             for n in range(8)]
    code = ("import subprocess, sys\n"
            f"p = subprocess.Popen([{aisbx()!r}, 'rpc'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
            f"p.stdin.write({chr(10).join(calls).encode()!r} + b'\\n'); p.stdin.flush()\n"
            "n = 0\n"
            "while n < 8: n += b'\"begun\"' in p.stdout.readline()\n"
            "print(p.pid, flush=True); p.wait()\n")
    with subprocess.Popen(["python3", "-c", code], cwd=place.project, env=place.env, stdout=subprocess.PIPE) as client:
        server = int(client.stdout.readline())
        assert alive(server) and len(place.live()) == 8
        client.kill()
    wait_until(lambda: not alive(server) and not processes_with(mark), 50 * SLOW, "the end of server and commands")
    place.nothing_is_left()


def test_the_server_is_killed(place):
    mark = f"mark-{uuid.uuid4()}"
    with place.rpc() as rpc:
        for id in [rpc.sh(f": {mark}; sleep 1000", _stream=True) for _ in range(8)]:
            rpc.begun(id)
        assert len(place.live()) == 8
        rpc.process.kill()
        rpc.to_the_end()
        wait_until(lambda: not processes_with(mark), 50 * SLOW, "the end of the commands")
    place.nothing_is_left()


# ---- errors ----

def test_every_kind_of_error(place, rpc):
    """Each by a real call that goes wrong so."""
    rpc.call("box.create", name="here")
    rpc.call("run.exec", box="here", command=["sh", "-c", "echo x >>a.txt"])
    rpc.call("box.snap", box="here", name="point")
    rpc.call("run.exec", box="here", command=["sh", "-c", "for i in $(seq 200); do : >$i; done"])
    loose = place.root / "home/.config/aisbx/profiles/loose.yaml"
    loose.parent.mkdir(parents=True)
    loose.write_text("extends: strict\n")
    loose.chmod(0o666)
    live = rpc.call("run.exec", command=["sleep", "1000"], detach=True)["run"]
    quick = rpc.call("run.exec", command=["true"])["run"]
    rpc.call("box.create", name="busy")
    busy = rpc.sh("sleep 1000", box="busy")
    rpc.begun(busy)
    kinds = {
        ("not_found", "box"): ("box.show", {"box": "nix"}),
        ("not_found", "snapshot"): ("box.rollback", {"box": "here", "snapshot": "nix"}),
        ("not_found", "run"): ("run.wait", {"run": "r-0123456789abcdef"}),
        ("not_found", "ended"): ("run.pause", {"runs": [quick]}),
        ("not_found", "profile"): ("profile.show", {"profile": "nix"}),
        ("not_found", "file"): ("code.scan", {"files": ["nix.py"]}),
        ("not_found", "promotion"): ("undo", {"promotion": "p-0123456789abcdef"}),
        ("exists", "box"): ("box.create", {"name": "here"}),
        ("exists", "snapshot"): ("box.snap", {"box": "here", "name": "point"}),
        ("busy", "box"): ("box.rollback", {"box": "busy", "snapshot": "nix"}),
        ("timeout", "wait"): ("run.wait", {"run": live, "timeout": "10ms"}),
        ("limit", "files"): ("run.exec", {"box": "here", "command": ["true"], "inodes": 128}),
        ("denied", "profile"): ("profile.show", {"profile": "loose"}),
        ("stale", "file"): ("file.write", {"box": "here", "path": "a.txt", "content": "y", "if": "absent"}),
        ("usage", "argument"): ("box.create", {"colour": "red"}),
        ("usage", "not paused"): ("run.resume", {"runs": [live]}),
        ("usage", "size"): ("run.exec", {"command": ["true"], "mem": "much"}),
        ("unsupported", "input"): ("run.input", {"run": live}),
    }
    for (kind, what), (method, args) in kinds.items():
        error = rpc.error(method, **args)
        assert error["data"]["kind"] == kind, (what, error)
        assert error["code"] == (-32602 if kind == "usage" else -32000), what
        assert set(error["data"]) == {"kind", "area", "code", "errno", "text"} and error["data"]["text"] == error["message"]
        assert getattr(__import__("errno"), error["data"]["code"]) == error["data"]["errno"]
    waits = rpc.send("run.wait", run=live)
    rpc.call("rpc.ping")
    rpc.notify("rpc.cancel", id=waits)
    assert rpc.answer(waits)["error"]["data"]["kind"] == "cancelled"
    rpc.notify("rpc.cancel", id=busy)
    rpc.answer(busy)
    rpc.call("run.kill", runs=[live])
    for name in ("store.db-wal", "store.db-shm"):
        (place.root / "state/aisbx" / name).unlink(missing_ok=True)
    (place.root / "state/aisbx/store.db").write_bytes(b"no database" * 1000)
    assert rpc.error("box.ls")["data"]["kind"] == "internal"


# ---- a socket ----

def test_a_socket_serves_many(place):
    server, path = place.serve()
    mode = os.lstat(path).st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600
    with Rpc(path) as one, Rpc(path) as two:
        for n, client in ((1, one), (2, two)):  # the same ids mean two calls
            client.sh(f"read word; echo {n} $word", _stdin=True, id="x")
            client.begun("x")
        one.notify("rpc.stdin", id="x", data="first\n", eof=True)
        assert one.ok("x")["stdout"] == "1 first\n" and not two.answers["x"]
        one.call("box.create", name="shown")
        assert [b["name"] for b in two.call("box.ls")["boxes"]] == ["shown"], "both are the same person"
        assert one.answer(one.send_params("rpc.cancel", {"id": "y"}))["result"] == {"found": False}
        one.close()
        two.notify("rpc.stdin", id="x", data="second\n", eof=True)
        assert two.ok("x")["stdout"] == "2 second\n", "the end of one is not that of the others"
        server.terminate()
        assert two.take() is None
    assert server.wait(30 * SLOW) == 143 and not os.path.exists(path)
    place.nothing_is_left()


def test_a_connection_that_ends_cancels_its_own(place):
    server, path = place.serve()
    mark = f"mark-{uuid.uuid4()}"
    with Rpc(path) as other:
        id = other.sh("read word; echo $word", _stdin=True)
        other.begun(id)
        with Rpc(path) as one:
            one.begun(one.sh(f": {mark}; sleep 1000"))
        wait_until(lambda: not processes_with(mark) and len(place.live()) == 1, 50 * SLOW, "the end of its command")
        other.notify("rpc.stdin", id=id, data="here\n", eof=True)
        assert other.ok(id)["stdout"] == "here\n"
    server.terminate()
    assert server.wait(30 * SLOW) == 143
    place.nothing_is_left()


def test_the_place_of_a_socket(place):
    """One that a killed server left is replaced; of a live one, and of a file, it is told; long paths are taken."""
    server, path = place.serve()
    second = place.aisbx("rpc", "--socket", path, status=125)
    assert b"another server is listening" in second.stderr
    server.kill()
    server.wait()
    assert os.path.exists(path)
    inode = os.lstat(path).st_ino
    server, path = place.serve()
    wait_until(lambda: os.lstat(path).st_ino != inode, 30 * SLOW, "the new socket")
    with Rpc(path) as client:
        assert client.call("rpc.ping") == {}
    server.terminate()
    server.wait(30 * SLOW)
    (place.root / "file").write_text("mine")
    assert b"is not a socket" in place.aisbx("rpc", "--socket", str(place.root / "file"), status=125).stderr
    assert (place.root / "file").read_text() == "mine"
    assert b"No such file" in place.aisbx("rpc", "--socket", str(place.root / "no/where"), status=125).stderr
    assert b"--private" in place.aisbx("rpc", "--private", status=125).stderr
    deep = place.root / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    server, path = place.serve(path=str(deep / "socket"))
    assert stat.S_ISSOCK(os.lstat(path).st_mode)
    server.terminate()
    assert server.wait(30 * SLOW) == 143 and os.listdir(deep) == []


def test_owners(place):
    """With --private a connection is an owner of its own; with rpc.hello one can become an owner, and not go back."""
    server, path = place.serve("--private")
    with Rpc(path) as one, Rpc(path) as two:
        one.call("box.create", name="mine")
        assert two.call("box.ls")["boxes"] == [] and two.error("box.show", box="mine")["data"]["kind"] == "not_found"
        assert [b["name"] for b in one.call("box.ls")["boxes"]] == ["mine"]
        assert one.error("rpc.hello", owner="other")["data"]["kind"] == "denied"
        with Rpc(path) as three:
            three.call("box.create", name="mine")
        with place.rpc() as person:  # what the third left expires; what the first has does not while it is there
            wait_until(lambda: any(b["expires_ms"] for b in person.call("box.ls")["boxes"]), 30 * SLOW, "an end")
            assert [bool(b["expires_ms"]) for b in person.call("box.ls")["boxes"]] == [False, True]
            person.call("box.rm", boxes=[b["id"] for b in person.call("box.ls")["boxes"] if b["expires_ms"]])
        server.terminate()
        server.wait(30 * SLOW)
    with place.rpc() as rpc:
        assert [b["name"] for b in rpc.call("box.ls")["boxes"]] == ["mine"], "the person has everything"
        rpc.call("rpc.hello", owner="agent-1")
        assert rpc.call("box.ls")["boxes"] == []
        assert rpc.error("rpc.hello", owner="agent-2")["data"]["kind"] == "denied"
        rpc.call("rpc.hello", owner="agent-1")
        rpc.call("box.create", name="agents")
        assert [b["name"] for b in rpc.call("box.ls")["boxes"]] == ["agents"]


if IS_ROOT:  # who else could be somebody else
    def test_nobody_else_may_connect(place):
        """Even where the file would let them."""
        with tempfile.TemporaryDirectory() as shared:
            os.chmod(shared, 0o755)
            server, path = place.serve(path=f"{shared}/socket")
            os.chmod(path, 0o666)
            code = ("import os, socket, sys\n"
                    "os.setuid(int(sys.argv[1])); s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[2])\n"
                    "try:\n    s.sendall(b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.ping\"}\\n'); print(s.recv(100))\n"
                    "except (BrokenPipeError, ConnectionResetError): print(b'')\n")
            said = [subprocess.run(["python3", "-c", code, uid, path], stdout=subprocess.PIPE, check=True).stdout for uid in ("65534", "0")]
            assert said[0] == b"b''\n" and b"result" in said[1]
            server.terminate()
            server.wait(30 * SLOW)


# ---- sixty-four at once ----

def numbers(spread):
    ordered = sorted(spread)
    return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]


def collect(clients, began):
    """Reads from all as they have something; how long each call took, and which were right."""
    watch, spread, seen = selectors.DefaultSelector(), [], set()
    for client in clients:
        watch.register(client.read_fd, selectors.EVENT_READ, client)
    while len(seen) < len(began):
        ready = watch.select(60 * SLOW)
        assert ready, f"{len(began) - len(seen)} of {len(began)} have not ended"
        for key, _ in ready:
            client = key.data
            client.take()
            while client.lines:
                client.take()
            for word in [id for id, answers in client.answers.items() if answers and id not in seen]:
                seen.add(word)
                spread.append(time.monotonic() - began[word])
                result = client.answers[word][0]["result"]
                said = client.output(word) if result["stdout"] == "" else result["stdout"].encode()
                assert said == f"{word}\n".encode() * 10_000, word
                assert {*client.notes, *client.answers} <= client.mine, "something for somebody else"
                client.notes.pop(word)
                client.all.clear()
    return spread, seen


@pytest.mark.big
def test_64_sessions_with_8_runs_each(place, tell):
    """Each run prints its own id 10,000 times; nothing gets to anybody else, and nothing is left."""
    sessions = 64 if IS_ROOT and SLOW == 1 else 16
    server, path = place.serve()
    clients, began = [Rpc(path) for _ in range(sessions)], {}
    try:
        for n, client in enumerate(clients):
            client.mine = {f"{n}-{k}-{uuid.uuid4().hex[:8]}" for k in range(8)}
            for k, word in enumerate(client.mine):
                began[client.sh(f"yes {word} | head -n 10000", id=word, _stream=bool(k % 2))] = time.monotonic()
        spread, seen = collect(clients, began)
        assert seen == set(began)
        p50, p99 = numbers(spread)
        tell(f"{sessions} sessions with 8 runs each: p50 {p50:.3f} s, p99 {p99:.3f} s")
    finally:
        for client in clients:
            client.close()
        server.terminate()
        assert server.wait(50 * SLOW) == 143
    place.nothing_is_left()
