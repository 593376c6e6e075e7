# SPDX-License-Identifier: Apache-2.0
"""What once went wrong at the door, by the official client: contexts, long answers, addresses, what sessions leave behind.

What the client takes from others is in $AISBX_TEST_CACHE, put there by tests/mcp/prepare.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import box
import pytest

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("AISBX_TEST_CACHE", "/nowhere"))
WEEK = 7 * 86400


@pytest.fixture(name="place")
def _place(tmp_path):
    for name in ("project", "state", "home", "config"):
        (tmp_path / name).mkdir()
    (tmp_path / "project" / "README").write_text("a scratch project\n")
    box.need(CACHE / "mcp-python", "the official client")
    yield tmp_path
    subprocess.run(["chmod", "-R", "u+rwX", str(tmp_path)], check=True)


def environment(place, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("AISBX", "MCP_"))}
    return {**env, "AISBX": box.aisbx(), "XDG_STATE_HOME": str(place / "state"), "XDG_CONFIG_HOME": str(place / "config"),
            "PYTHONPATH": str(CACHE / "mcp-python"), **more}


def scene(place, name, **more):
    done = subprocess.run(["/usr/bin/python3", "-B", HERE / "doors.py", name], cwd=place / "project", env=environment(place, **more),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240, text=True, check=False)
    assert done.returncode == 0 and done.stdout.rstrip().endswith("the end"), done.stdout[-4000:]


def person(place, *words):
    done = subprocess.run([box.aisbx(), *words, "--json"], cwd=place / "project", env=environment(place), stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


class Served:
    """`aisbx serve`, with the very words it says where it is."""

    def __init__(self, place):
        self.place = place
        with open(place / "log", "wb") as log:
            self.process = subprocess.Popen([box.aisbx(), "serve", "--listen", "127.0.0.1:0"], cwd=place / "project", env=environment(place),
                                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        self.said = self.process.stdout.readline().decode().strip()
        assert self.said.startswith("http://"), (self.said, (place / "log").read_text())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(50)

    @property
    def token(self):
        return subprocess.run([box.aisbx(), "serve", "--show-token"], env=environment(self.place), stdout=subprocess.PIPE, check=True,
                              text=True).stdout.strip()

    def door(self):
        return {"MCP_URL": self.said.rstrip("/") + "/mcp", "MCP_TOKEN": self.token}


def test_contexts(place):
    scene(place, "contexts")


def test_long_answers(place):
    scene(place, "long")


def test_sessions_are_apart(place):
    scene(place, "apart")


def test_the_address_that_install_writes_answers(place):
    """Told what the server prints, a client of the very text in the written file gets through."""
    with Served(place) as server:
        env = environment(place, HOME=str(place / "home"))
        subprocess.run([box.aisbx(), "install", "claude-code", "--scope", "user", "--http", server.said], cwd=place / "project", env=env,
                       stdout=subprocess.DEVNULL, check=True)
        entry = json.loads((place / "home" / ".claude.json").read_text())["mcpServers"]["aisbx"]
        assert entry["headers"] == {"Authorization": "Bearer ${AISBX_TOKEN}"}
        scene(place, "connect", MCP_URL=entry["url"], MCP_TOKEN=server.token)


# What a session leaves


def left(place):
    """The box that a session left; None while it has no end."""
    found = [b for b in person(place, "ls", "--all")["boxes"] if b["name"] == "work" and b["expires_ms"]]
    return found[0] if found else None


def check_left(place, token=""):
    """TOKEN: whose session over HTTP it was; on stdio there is none."""
    box.wait_until(lambda: left(place), 30, "the end of the box")
    work = left(place)
    assert re.fullmatch(f"mcp-[0-9a-f]{{16}}{token}", work["owner"]) and abs(work["expires_ms"] / 1000 - time.time() - WEEK) < 600, work
    key = f"{work['owner']}/work"
    shown = subprocess.run([box.aisbx(), "ls", "--all"], env=environment(place), stdout=subprocess.PIPE, check=True, text=True).stdout
    assert re.search(rf"^{key} .*  in 7 days$", shown, re.M), shown
    assert person(place, "gc")["expired"] == 0, "what is in it is not lost now"
    assert [c["path"] for c in person(place, "diff", key)["changes"]] == ["idea"]
    assert "box.left" in [e["kind"] for e in person(place, "history", "--events")["events"]]
    # Another end is the person's to choose, and is left alone then.
    person(place, "renew", key, "--ttl", "0")
    person(place, "gc")
    assert not left(place) and person(place, "show", key)["expires_ms"] is None
    person(place, "promote", key)
    assert (place / "project" / "idea").read_text() == "not to be lost\n"


def test_left_by_a_session_whose_input_ended(place):
    scene(place, "leave")
    check_left(place)


def test_left_by_a_session_over_http_that_was_deleted(place):
    with Served(place) as server:
        scene(place, "leave", **server.door())
        check_left(place, ":default")


@pytest.mark.parametrize("who", ["the next server", "gc"])
def test_left_by_a_server_that_was_killed(place, who):
    with Served(place) as server:
        client = subprocess.Popen(["/usr/bin/python3", "-B", HERE / "doors.py", "wait"], cwd=place / "project", stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, env=environment(place, **server.door()))
        try:
            assert client.stdout.readline() == b"there\n"
            assert person(place, "gc")["expired"] == 0 and not left(place), "it lives"
            server.process.send_signal(signal.SIGKILL)
            server.process.wait(50)
        finally:
            client.kill()
            client.wait(50)
            client.stdout.close()
    assert not left(place), "nobody was there to see to it"
    if who == "gc":
        person(place, "gc")
        assert left(place)
        check_left(place, ":default")
        return
    with Served(place):
        check_left(place, ":default")


def test_boxes_of_a_named_owner_stay(place):
    """The control: an owner that was named, as `install` does, comes back for what it has."""
    scene(place, "leave", MCP_WORDS="--owner claude-code")
    person(place, "gc")
    assert [b["owner"] for b in person(place, "ls", "--all")["boxes"]] == ["claude-code"] and not left(place)
