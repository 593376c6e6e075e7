# SPDX-License-Identifier: Apache-2.0
"""A command in the background: listed, left, found again by its pid, waited for, killed."""
from e2b import CommandExitException, NotFoundException, Sandbox
from waiting import until

with Sandbox.create() as sandbox:
    handle = sandbox.commands.run("echo started; until [ -e /tmp/go ]; do sleep 0.05; done; echo finished; exit 0", background=True)
    found = {process.pid: process for process in sandbox.commands.list()}
    assert handle.pid in found and any("started" in word for word in found[handle.pid].args), found
    handle.disconnect()

    again = sandbox.commands.connect(handle.pid)
    assert again.pid == handle.pid
    sandbox.files.write("/tmp/go", "")
    done = again.wait()
    assert done.exit_code == 0 and done.stdout.endswith("finished\n"), done
    until(lambda: handle.pid not in [process.pid for process in sandbox.commands.list()])

    endless = sandbox.commands.run("sleep 600 & wait", background=True, timeout=0)
    assert sandbox.commands.kill(endless.pid) is True
    try:
        endless.wait()
        raise AssertionError("a killed command succeeded")
    except CommandExitException as ended:
        assert ended.exit_code != 0, ended
    until(lambda: endless.pid not in [process.pid for process in sandbox.commands.list()])
    assert endless.kill() is False, "nothing is left to kill"
    try:
        sandbox.commands.connect(endless.pid)
        raise AssertionError("connected to what has ended")
    except NotFoundException:
        pass
