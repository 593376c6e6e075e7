# SPDX-License-Identifier: Apache-2.0
"""A server in the sandbox is reached by its host name; a sandbox without internet reaches nobody."""
import os
import urllib.error
import urllib.parse
import urllib.request

from e2b import CommandExitException, Sandbox
from waiting import until


def get(host, path="/"):
    """Asks the machine that serves for HOST, as a name server would have it."""
    server = urllib.parse.urlsplit(os.environ["E2B_API_URL"]).netloc
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://{server}{path}", headers={"Host": host}), timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


with Sandbox.create(allow_internet_access=False) as sandbox:
    sandbox.files.write("site/index.html", "<h1>from the sandbox</h1>")
    host = sandbox.get_host(8017)
    assert host.startswith(f"8017-{sandbox.sandbox_id}."), host
    assert get(host)[0] == 502, "nobody listens yet"
    server = sandbox.commands.run("python3 -m http.server 8017 --bind 127.0.0.1 --directory site", background=True)
    until(lambda: get(host)[0] == 200)
    assert get(host) == (200, b"<h1>from the sandbox</h1>")
    assert get(host, "/missing")[0] == 404
    assert server.kill()

    try:
        sandbox.commands.run("python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), timeout=5)'")
        raise AssertionError("it reached the internet")
    except CommandExitException as failed:
        assert failed.exit_code == 1, failed
