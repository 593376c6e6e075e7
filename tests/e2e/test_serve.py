# SPDX-License-Identifier: Apache-2.0
"""`aisbx serve` as a person starts it: what it prints, where its token is, what it logs, and that nothing is left when it ends."""
import json
import os
import re
import signal
import subprocess
import time

import pytest

import box
import http_raw
import mcp_raw


@pytest.fixture(name="ground")
def _ground(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def environment(ground):
    return {**os.environ, "XDG_STATE_HOME": str(ground / "state")}


def aisbx(ground, *words):
    return subprocess.run([box.aisbx(), *words], cwd=ground / "project", env=environment(ground), stdin=subprocess.DEVNULL, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def serve(ground, *options):
    return mcp_raw.Serve(ground / "project", ground / "state", *options)


def test_the_first_start_makes_a_token(ground):
    with serve(ground) as server:
        path = ground / "state/aisbx/serve/tokens"
        assert server.line("aisbx: the token is in ") == f"aisbx: the token is in {path}; 'aisbx serve --show-token' prints it"
        assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
        assert path.read_text() == f"default {server.token}\n" and len(server.token) == 43
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", server.url)
        assert http_raw.ask(server, "GET", "/healthz").json()["status"] == "ok"
        assert http_raw.ask(server, "POST", "/mcp", b"{}").status == 401
        assert server.stop() == 0
        assert not any(server.token in line for line in list(server.lines.queue) + server.seen), "the token was told"
    with serve(ground) as again:
        assert again.token == server.token
        assert again.stop() == 0


def test_what_programs_read(ground):
    with http_raw.Server(box.aisbx(), "serve", "--listen", "127.0.0.1:0", "--json", cwd=ground / "project", env=environment(ground)) as server:
        assert server.stop() == 0
        assert http_raw.urllib.parse.urlsplit(server.url).port
    process = subprocess.Popen([box.aisbx(), "serve", "--listen", "[::1]:0", "--json"], cwd=ground / "project", env=environment(ground),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = json.loads(process.stdout.readline())
        assert line["pid"] == process.pid and line["token_file"].endswith("/serve/tokens") and line["url"].startswith("http://[::1]:")
    finally:
        process.terminate()
        rest, words = process.communicate(timeout=50)
    assert (process.returncode, rest, words) == (0, "", "")


def test_words_of_caution(ground):
    with http_raw.Server(box.aisbx(), "serve", "--listen", "0", "--no-token", cwd=ground / "project", env=environment(ground)) as server:
        server.line("aisbx: no token: every program of every user on this machine has access")
        assert http_raw.ask(server, "GET", "/nowhere").status == 404
        assert server.stop() == 0
    assert not (ground / "state/aisbx/serve").exists()
    with serve(ground, "--listen", "0.0.0.0:0") as server:
        server.line("aisbx: other machines can reach this address; the token is sent unencrypted, so put a TLS proxy in front")
        assert server.stop() == 0


@pytest.mark.parametrize("options, why", [
    (("--listen", "0.0.0.0:0", "--no-token"), "need a token"),
    (("--listen", "example.org:80"), "is not an address to listen on"),
    (("--token-file", "/nonexistent"), "No such file"),
    (("--token-file", "loose"), "chmod 600"),
    (("--no-token", "--show-token"), "there is none to show"),
    (("--log", "loud"), "none"),
], ids=lambda v: " ".join(v) if isinstance(v, tuple) else "")
def test_what_it_refuses(ground, options, why):
    loose = ground / "project/loose"
    loose.write_text("a " + "b" * 40 + "\n")
    loose.chmod(0o644)
    done = aisbx(ground, "serve", *options)
    assert done.returncode == 125 and why in done.stderr and not done.stdout


def test_the_log(ground):
    with serve(ground, "--log", "json") as server:
        trace = "0af7651916cd43dd8448eb211c80319c"
        with mcp_raw.Http(server) as face:
            face.headers["traceparent"] = f"00-{trace}-b7ad6b7169203331-01"
            assert "secret-word" in face.tool("sandbox_run", command=["echo", "secret-word"])[1]
        http_raw.ask(server, "GET", "/a\"b\xff\x7f", headers={"Authorization": f"Bearer {server.token}x"})
        assert server.stop() == 0
        lines = [line for line in list(server.lines.queue) if line.startswith("{")]
    records = [json.loads(line) for line in lines]
    assert all(set(r) == {"time", "trace_id", "method", "path", "status", "ms", "token"} for r in records)
    assert [(r["method"], r["path"], r["status"], r["token"]) for r in records[:4]] == [
        ("POST", "/mcp", 200, "default"), ("POST", "/mcp", 202, "default"), ("POST", "/mcp", 200, "default"), ("DELETE", "/mcp", 204, "default")]
    assert records[2]["trace_id"] == trace and records[0]["trace_id"] != records[1]["trace_id"]
    assert abs(time.time() - time.mktime(time.strptime(records[0]["time"][:19] + "UTC", "%Y-%m-%dT%H:%M:%S%Z"))) < 90000
    assert all(r["ms"] > 0 for r in records) and not any(server.token in line or "secret-word" in line for line in lines)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_end_leaves_nothing(ground, how):
    with serve(ground) as server:
        mark = f"mark-{time.monotonic_ns()}"
        face = mcp_raw.Http(server)
        face.open()
        for _ in range(3):
            face.begin_tool("sandbox_run", {"command": ["sh", "-c", f"trap '' TERM; sleep 1000; : {mark}"]})
        box.wait_until(lambda: len(box.processes_with(f"sleep 1000; : {mark}")) >= 3, 30)
        server.process.send_signal(how)
        assert server.process.wait(50) == 0
        assert not box.processes_with(mark)
    runs = aisbx(ground, "ps", "--all", "--json")
    assert json.loads(runs.stdout)["runs"] == []
    assert json.loads(aisbx(ground, "ls", "--all", "--json").stdout)["boxes"] == []


def test_a_killed_server_takes_its_calls_along(ground):
    with serve(ground) as server:
        mark = f"mark-{time.monotonic_ns()}"
        face = mcp_raw.Http(server)
        face.open()
        face.begin_tool("sandbox_run", {"command": ["sh", "-c", f"sleep 1000; : {mark}"]})
        box.wait_until(lambda: box.processes_with(mark), 30)
        server.process.kill()
        box.wait_until(lambda: not box.processes_with(mark), 30, "the command's end")
