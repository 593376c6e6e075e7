# SPDX-License-Identifier: Apache-2.0
"""A paused sandbox keeps its files, its programs and its variables; connect makes it go on."""
from e2b import SandboxState
from e2b_code_interpreter import Sandbox
from waiting import until

sandbox = Sandbox.create(timeout=300, metadata={"kept": "yes"})
sandbox.files.write("/home/user/state.txt", "before the pause")
sandbox.run_code("counter = 41")
sleeper = sandbox.commands.run("touch asleep; sleep 600", background=True)
until(lambda: sandbox.files.exists("asleep"))

sandbox.pause()
assert sandbox.get_info().state == SandboxState.PAUSED
assert sandbox.is_running() is False

same = Sandbox.connect(sandbox.sandbox_id, timeout=300)
assert same.sandbox_id == sandbox.sandbox_id and same.is_running()
assert same.get_info().state == SandboxState.RUNNING and same.get_info().metadata == {"kept": "yes"}
assert same.files.read("/home/user/state.txt") == "before the pause"
assert sleeper.pid in [process.pid for process in same.commands.list()], "what ran goes on"
assert same.run_code("counter + 1").text == "42"

sandbox.pause()
assert sandbox.connect().is_running(), "the object itself can connect, too"
assert same.commands.kill(sleeper.pid)
assert same.kill()
