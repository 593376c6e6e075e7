# SPDX-License-Identifier: Apache-2.0
"""A command that takes too long is an exception, and does not go on; without a limit it may take its time."""
from e2b import Sandbox, TimeoutException
from waiting import until

with Sandbox.create() as sandbox:
    try:
        sandbox.commands.run("echo $$ > /tmp/pid; sleep 600", timeout=1)
        raise AssertionError("it took ten minutes")
    except TimeoutException as error:
        assert "timeout" in str(error), error
    pid = sandbox.files.read("/tmp/pid").strip()
    until(lambda: sandbox.commands.run(f"kill -0 {pid} 2>/dev/null || echo gone").stdout == "gone\n")

    assert sandbox.commands.run("sleep 0.1; echo there", timeout=0).stdout == "there\n"

    handle = sandbox.commands.run("sleep 600", background=True, timeout=1)
    try:
        handle.wait()
        raise AssertionError("it took ten minutes")
    except TimeoutException:
        pass
    assert sandbox.commands.run("echo still here").stdout == "still here\n"
