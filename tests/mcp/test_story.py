# SPDX-License-Identifier: Apache-2.0
"""The official clients drive a whole story, over stdio and over HTTP, in both eras of the protocol.

What they take from others is in $AISBX_TEST_CACHE, put there by tests/mcp/prepare.
"""
import os
import pathlib
import re
import subprocess

import box
import pytest

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("AISBX_TEST_CACHE", "/nowhere"))
PYTHON = ["/usr/bin/python3", "-B", str(HERE / "story.py")]
NODE = ["node", str(HERE / "story.mjs")]
CLIENTS = {"python-legacy": ([*PYTHON, "{}", "legacy"], 15), "python-2026-07-28": ([*PYTHON, "{}", "2026-07-28"], 15),
           "typescript": ([*NODE, "{}"], 14)}
# Both speak the newer revision; with sanitizers one of them is enough.
clients = pytest.mark.parametrize("client", [pytest.param(name, marks=[pytest.mark.big] if name == "python-2026-07-28" else []) for name in CLIENTS])


@pytest.fixture
def project(tmp_path):
    """A scratch project with nothing in it but a file, and a home of its own."""
    for name in ("project", "state", "home", "config"):
        (tmp_path / name).mkdir()
    (tmp_path / "project" / "README").write_text("a scratch project\n")
    yield tmp_path
    # A story that broke off leaves boxes, with directories of overlayfs that nobody may enter.
    subprocess.run(["chmod", "-R", "u+rwX", str(tmp_path)], check=True)


def environment(place):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("AISBX", "MCP_"))}
    return {**env, "AISBX": box.aisbx(), "XDG_STATE_HOME": str(place / "state"), "XDG_CONFIG_HOME": str(place / "config"),
            "PYTHONPATH": str(CACHE / "mcp-python"), "MCP_SDK": str(CACHE / "mcp-node")}


def tell(place, words, env, steps):
    """Runs a story to its end and prints it."""
    done = subprocess.run(words, cwd=place / "project", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=240, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout[-4000:]
    assert done.stdout.rstrip().endswith("the end")
    assert len(re.findall("^ok ", done.stdout, re.M)) >= steps, "steps are missing"


@clients
def test_over_stdio(project, client):
    box.need(CACHE / "mcp-node", "the story")
    words, steps = CLIENTS[client]
    tell(project, [w.format("stdio") for w in words], environment(project), steps)


@pytest.fixture
def served(project):
    """`aisbx serve` for the scratch project: where it is, and its token."""
    env = environment(project)
    with open(project / "log", "wb") as log:
        server = subprocess.Popen([box.aisbx(), "serve", "--listen", "127.0.0.1:0"], cwd=project / "project", env=env,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
    try:
        said = server.stdout.readline().decode()
        url = re.search(r"http://\S+", said)
        assert url, (said, (project / "log").read_text())
        token = subprocess.run([box.aisbx(), "serve", "--show-token"], env=env, stdout=subprocess.PIPE, check=True, text=True)
        yield {**env, "MCP_URL": url.group().rstrip("/") + "/mcp", "MCP_TOKEN": token.stdout.strip()}
    finally:
        server.terminate()
        server.wait(50)


@clients
def test_over_http(project, served, client):
    box.need(CACHE / "mcp-node", "the story")
    words, steps = CLIENTS[client]
    tell(project, [w.format("http") for w in words], served, steps)
