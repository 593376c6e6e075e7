# SPDX-License-Identifier: Apache-2.0
"""A server in the sandbox, which its other commands reach; a sandbox without internet reaches nobody outside."""
from e2b import CommandExitException, Sandbox
from waiting import until

FETCH = "import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=30).read().decode())"


def fetch(sandbox, path):
    try:
        return sandbox.commands.run('python3 -c "$FETCH" "http://127.0.0.1:8017$WANTED"', envs={"FETCH": FETCH, "WANTED": path}).stdout
    except CommandExitException as failed:
        return "HTTP 404" if "404" in failed.stderr else None


with Sandbox.create(allow_internet_access=False) as sandbox:
    sandbox.files.write("site/index.html", "<h1>from the sandbox</h1>")
    server = sandbox.commands.run("python3 -m http.server 8017 --bind 127.0.0.1 --directory site", background=True)
    assert until(lambda: fetch(sandbox, "/index.html")) == "<h1>from the sandbox</h1>"
    assert fetch(sandbox, "/missing") == "HTTP 404"
    assert sandbox.get_host(8017).startswith(f"8017-{sandbox.sandbox_id}.")
    assert server.kill()
    until(lambda: fetch(sandbox, "/index.html") is None)

    try:
        sandbox.commands.run("python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), timeout=5)'")
        raise AssertionError("it reached the internet")
    except CommandExitException as failed:
        assert failed.exit_code == 1, failed
    assert sandbox.get_info().allow_internet_access is False
