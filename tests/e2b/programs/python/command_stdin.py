# SPDX-License-Identifier: Apache-2.0
"""A command that asks: text and bytes go to its standard input, until it is closed."""
from e2b import Sandbox

with Sandbox.create() as sandbox:
    handle = sandbox.commands.run("while read -r name; do echo hello $name; done; echo the end", background=True, stdin=True)
    sandbox.commands.send_stdin(handle.pid, "Ada\n")
    handle.send_stdin("Grace\n")
    sandbox.commands.close_stdin(handle.pid)
    assert handle.wait().stdout == "hello Ada\nhello Grace\nthe end\n"

    counter = sandbox.commands.run("wc -c", background=True, stdin=True)
    for _ in range(3):
        counter.send_stdin("\u20ac" * 1000)
    counter.close_stdin()
    assert counter.wait().stdout.strip() == "9000"

    assert sandbox.commands.run("cat", stdin=False).stdout == "", "without it there is nothing to read"
