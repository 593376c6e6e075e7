# SPDX-License-Identifier: Apache-2.0
"""A command that takes too long is an exception, and does not go on; without a limit it may take its time."""
from e2b import CommandExitException, Sandbox, TimeoutException
from waiting import until

with Sandbox.create() as sandbox:
    try:
        sandbox.commands.run("exec flock held sleep 600", timeout=1)
        raise AssertionError("it took ten minutes")
    except (TimeoutException, CommandExitException):  # whoever notices first, the client or the server
        pass
    assert sandbox.commands.run("flock held echo free").stdout == "free\n", "who held the lock has ended"
    until(lambda: not sandbox.commands.list())

    assert sandbox.commands.run("sleep 0.1; echo there", timeout=0).stdout == "there\n"

    handle = sandbox.commands.run("sleep 600", background=True, timeout=1)
    try:
        handle.wait()
        raise AssertionError("it took ten minutes")
    except (TimeoutException, CommandExitException):
        pass
    assert sandbox.commands.run("echo still here").stdout == "still here\n"
