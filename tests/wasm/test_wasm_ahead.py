# SPDX-License-Identifier: Apache-2.0
"""A server makes the box of the next program while nobody waits: it is the same box, for one program, and none is left.

What shows that a box was made ahead is its process, aisbx-wasm below the server, while no call is under way; what shows that a program ran in it is
that this process is gone then, and that another one comes.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import box
import mcp_raw
import pace
import pytest
import wasm
from box import wait_until
from rpc import Rpc

PRINT = {"python": "print(6 * 7)", "javascript": "console.log(6 * 7)"}
# What differs from one run to another by nature.
OWN = {"run", "trace_id", "usage"}


def read(pid, name):
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_text()
    except OSError:  # it has ended
        return ""


def below(pid):
    """Processes that PID began, and these. The jail is a child of the server's child, and the program is its."""
    found = []
    for child in map(int, read(pid, f"task/{pid}/children").split()):
        found += [child, *below(child)]
    return found


def name_of(pid):
    return read(pid, "comm").strip()


def is_there(pid):
    state = read(pid, "stat").rpartition(")")[2].split()[:1]
    return bool(state) and state != ["Z"]


class Place:
    """A server with a state directory, a home and a project of its own."""

    def __init__(self, root):
        self.project, self.home = root / "project", root / "home"
        self.project.mkdir()
        self.home.mkdir()
        wasm.languages()
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "HOME": str(self.home)}
        self.env.pop("XDG_CONFIG_HOME", None)
        self.servers = []

    def serve(self, **how):
        self.servers.append(Rpc(cwd=self.project, env=self.env, **how))
        return self.servers[-1]

    def aisbx(self, *words):
        done = subprocess.run([box.aisbx(), *words, "--json"], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=120, check=False)
        return json.loads(done.stdout.splitlines()[-1])

    def finish(self):
        for server in self.servers:
            server.close()
        box.nothing_is_left(self.project, self.env)


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    box.leaks_before()
    made = Place(tmp_path)
    yield made
    made.finish()


def code(server, lang="javascript", text=None, **more):
    return server.call("run.code", lang=lang, code=PRINT[lang] if text is None else text, **{"driver": "wasm", "policy": "none", **more})


RECEIVES = "45 "  # recvfrom(), the only thing that a child does which is ready


def waiting(server):
    """The process that waits in a box which was made ahead. SERVER: it, or its process."""
    def look():
        found = below(getattr(server, "pid", server))
        ready = [pid for pid in found if name_of(pid) in ("aisbx-serve", "aisbx-http") and read(pid, "syscall").startswith(RECEIVES)]
        programs = [pid for pid in found if name_of(pid) == "aisbx-wasm" and is_there(pid)]
        return programs[0] if len(ready) == len(programs) == 1 else None

    return wait_until(look, 30, "a box that was made ahead")


def none_waits(server):
    wait_until(lambda: not below(server.pid), 30, "the end of everybody below the server")


@pytest.mark.parametrize("lang", ["python", "javascript"])
def test_the_same_result(place, lang):
    server = place.serve()
    first = code(server, lang)
    for _ in range(3):
        ready = waiting(server)
        again = code(server, lang)
        assert not is_there(ready), "the program ran somewhere else"
        assert again["stdout"] == "42\n" and {k: v for k, v in again.items() if k not in OWN} == {k: v for k, v in first.items() if k not in OWN}
        assert again["usage"]["fuel"] == first["usage"]["fuel"] and again["run"] != first["run"]
        assert set(again["isolation"]["walls"]) == set(first["isolation"]["walls"]) and not again["isolation"]["missing"]
    ids = [row["run"] for row in place.aisbx("history")["runs"]]
    assert len(ids) == 4 == len(set(ids)), "a box that nobody used is no run"
    assert place.aisbx("ps")["runs"] == []


def test_nothing_of_one_program_is_in_the_next(place):
    text = """
        import os, random, sys
        seen = [os.path.exists(p) for p in ("left", "/tmp/left")], getattr(sys, "mark", None), os.listdir(".")
        sys.mark = 1
        for p in ("left", "/tmp/left"):
            open(p, "w").write("x")
        print(seen, random.random(), sys.stdin.read() == "")"""
    text = "\n".join(line[8:] for line in text.splitlines())
    server, said = place.serve(), []
    for _ in range(4):
        done = code(server, "python", text)
        assert done["status"] == "ok", done
        said.append(done["stdout"].split())
        waiting(server)
    assert all(words[:5] == ["([False,", "False],", "None,", "[])", words[4]] and words[-1] == "True" for words in said), said
    assert len({words[4] for words in said}) == 4, "random numbers are the same"


def test_a_profile_that_was_changed_meanwhile_counts(place):
    """What stands is another box than the one that is to be made now: it is thrown away, whatever it would have allowed."""
    profile = place.home / ".config/aisbx/profiles/mine.yaml"
    profile.parent.mkdir(parents=True)
    profile.write_text("extends: javascript\nmem: 200m\n")
    server = place.serve()
    assert code(server, profile="mine")["limits"]["memory"]["value"] == 200 << 20
    ready = waiting(server)
    profile.write_text("extends: javascript\nmem: 100m\npids: 30\n")
    done = code(server, profile="mine")
    assert done["stdout"] == "42\n" and done["limits"]["memory"]["value"] == 100 << 20 and done["limits"]["processes"]["value"] == 30, done["limits"]
    assert not is_there(ready)


def test_a_language_that_was_added_again_counts(place, tmp_path):
    """Its path is the same, and its file another one: this is no part of the plan."""
    languages = tmp_path / "languages"
    shutil.copytree(wasm.languages(), languages)
    languages.chmod(0o755)
    place.env["AISBX_WASM_LANGUAGES"] = str(languages)
    server, compiled = place.serve(), languages / "javascript-wasm.cwasm"
    code(server)
    ready = waiting(server)
    fresh = languages / "fresh"
    fresh.write_bytes(wasm.of_another_engine(compiled.read_bytes()))
    fresh.rename(compiled)
    assert "has to be added again" in code(server)["error"]
    wait_until(lambda: not is_there(ready), 30, "the end of the box with the earlier one")


def test_another_call_leaves_it_alone(place):
    server = place.serve()
    code(server)
    ready = waiting(server)
    others = [{"timeout": 20}, {"env": ["A=1"]}, {"_stdin": True}, {"fuel": 10**9}, {"_cwd": "/"}, {"mem": 200 << 20}, {"args": ["x"]}]
    for number, more in enumerate(others):
        call = server.send("run.code", lang="javascript", code=PRINT["javascript"], driver="wasm", policy="none", **more)
        if "_stdin" in more:
            server.notify("rpc.stdin", id=call, eof=True)
        assert server.ok(call)["stdout"] == "42\n"
        assert is_there(ready) or number > 3, more  # four kinds of calls are expected, no more
    assert code(server)["stdout"] == "42\n"


@pytest.mark.parametrize("what", ["fuel", "time", "memory", "output", "exception", "exit", "syntax", "refused"])
def test_how_it_ends(place, what):
    """Twice: in a box of its own, and in one that was made ahead, long enough ago for every deadline."""
    lang, text, more = {
        "fuel": ("python", "while True: pass", {"fuel": 20_000_000}),
        "time": ("javascript", "while (true);", {"timeout": 1}),
        "memory": ("python", "x = []\nwhile True: x.append('x' * 1000000)", {"mem": 96 << 20}),
        "output": ("python", "print('x' * 3000000)", {"output": 100_000}),
        "exception": ("python", "1 / 0", {}),
        "exit": ("javascript", "process.exit(7)", {}),
        "syntax": ("python", "def", {}),
        "refused": ("python", "open('/etc/shadow')", {}),
    }[what]
    server = place.serve()
    first = code(server, lang, text, **more)
    ready = waiting(server)
    if what == "time":
        began = time.monotonic()
        wait_until(lambda: time.monotonic() - began > 2, 10, "longer than the program may run")
    second = code(server, lang, text, **more)
    assert not is_there(ready)
    for key in ("status", "exit_code", "exit_status", "exception", "error"):
        assert first.get(key) == second.get(key), (key, first, second)
    assert (first["limit"] or {}).get("kind") == (second["limit"] or {}).get("kind")
    assert what not in ("fuel", "time", "memory") or second["status"] == "limit"
    if what == "fuel":
        assert first["usage"]["fuel"] == second["usage"]["fuel"]
    if what == "time":
        assert 1000 <= second["usage"]["wall_ms"] < pace.seconds(6) * 1000


def test_output_as_it_comes_and_an_end_before_it(place):
    server = place.serve()
    text = "console.log('one'); setTimeout(() => console.log('two'), 100000)"
    code(server)
    ready = waiting(server)
    call = server.send("run.code", lang="javascript", code=text, driver="wasm", policy="none", _stream=True, _trace="0123456789abcdef" * 2)
    server.until(lambda: server.output(call) == b"one\n")
    assert [p["trace_id"] for m, p in server.notes[call] if m == "begun"] == ["0123456789abcdef" * 2]
    assert name_of(ready) == "aisbx-wasm", "it runs in the box that was made ahead"
    server.notify("rpc.cancel", id=call)
    done = server.ok(call)
    assert done["status"] == "interrupted", done
    waiting(server)


@pytest.mark.parametrize("whom", ["aisbx-wasm", "aisbx-jail", "aisbx-serve"])
def test_one_that_was_killed_meanwhile(place, whom):
    server = place.serve()
    code(server)
    waiting(server)
    box_of_it = below(server.pid)
    os.kill(next(pid for pid in box_of_it if name_of(pid) == whom), signal.SIGKILL)
    wait_until(lambda: not any(is_there(pid) for pid in box_of_it if name_of(pid) != "aisbx-serve"), 30, "the end of its box")
    wait_until(lambda: whom != "aisbx-serve" or not set(box_of_it) & set(below(server.pid)), 30, "that the server knows")
    assert code(server)["stdout"] == "42\n"


@pytest.mark.parametrize("how", ["end", "TERM", "KILL"])
def test_with_the_server_it_ends(place, how):
    server = place.serve()
    code(server)
    waiting(server)
    all_of_them = below(server.pid)
    assert len(all_of_them) >= 3
    if how == "end":
        server.process.stdin.close()
    else:
        os.kill(server.pid, getattr(signal, f"SIG{how}"))
    server.process.wait(pace.seconds(20))
    wait_until(lambda: not any(map(is_there, all_of_them)), 20, "the end of everybody")


def test_many_at_once(place):
    """Beside others that wait nothing is made ahead; all are answered, and in the end one box waits."""
    server = place.serve()
    calls = [server.send("run.code", lang="javascript", code=f"console.log({i})", driver="wasm", policy="none") for i in range(12)]
    assert [server.ok(call)["stdout"] for call in calls] == [f"{i}\n" for i in range(12)]
    waiting(server)


def test_what_is_not_made_ahead(place):
    """Of programs that run natively, and of those that have what the next need not have."""
    server = place.serve()
    for more in ({"driver": "native"}, {"secret": ["T=env:HOME"]}, {"ro": ["/etc/hostname"]}, {"out": str(place.project / "out")}):
        assert code(server, **more)["stdout"] == "42\n", more
        none_waits(server)


def test_what_turns_out_to_need_another_driver(place):
    """Or to be refused by the scan: the box was for nothing, and the program gets what it would have got without."""
    server = place.serve()
    for lang, text, driver in (("python", "import subprocess; print(subprocess.run(['echo', '42'], capture_output=True, text=True).stdout, end='')", "native"),
                               ("python", PRINT["python"], "wasm"), ("python", "import ctypes; print(42)", "native")):
        first = code(server, "python", driver="auto")
        assert first["driver"]["name"] == "wasm" and first["stdout"] == "42\n"
        ready = waiting(server)
        done = code(server, lang, text, driver="auto")
        assert done["driver"]["name"] == driver and done["stdout"] == "42\n" and done["limits"]["wall_time"] == first["limits"]["wall_time"], done
        assert not is_there(ready)
    server = place.serve()  # of the kind of call above a box waits, too
    assert code(server, policy="default")["stdout"] == "42\n"
    ready = waiting(server)
    denied = code(server, policy="default", text="require('child_process').execSync('rm -rf /')")
    assert denied["status"] == "denied" and "run" not in denied, denied
    wait_until(lambda: not is_there(ready), 30, "the end of the box of a program that was refused")


@pytest.mark.parametrize("face", ["stdio", "http"])
def test_tools_for_models(place, tmp_path, face):
    """Over HTTP one process serves all sessions, and each has boxes of its own."""
    words = {"lang": "javascript", "driver": "wasm", "code": "console.log(6 * 7)"}
    if face == "stdio":
        with mcp_raw.Stdio(place.project, tmp_path / "state") as client:
            assert "42" in client.tool("sandbox_run_code", **words)[1]
            ready = waiting(client.pid())
            assert "42" in client.tool("sandbox_run_code", **words)[1]
            assert not is_there(ready)
        return
    with mcp_raw.Serve(place.project, tmp_path / "state") as server, mcp_raw.Http(server) as one, mcp_raw.Http(server) as two:
        assert "42" in one.tool("sandbox_run_code", **words)[1]
        ready = waiting(one.pid())
        assert "42" in two.tool("sandbox_run_code", **words)[1]
        assert is_there(ready), "the box of another session was used"
        assert "42" in one.tool("sandbox_run_code", **words)[1]
        assert not is_there(ready)
