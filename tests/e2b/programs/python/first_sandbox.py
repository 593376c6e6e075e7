# SPDX-License-Identifier: Apache-2.0
"""A sandbox is made, runs a command and some code, keeps a file, and is gone after kill."""
from e2b_code_interpreter import Sandbox

sandbox = Sandbox.create()
assert sandbox.sandbox_id and sandbox.is_running()

assert sandbox.commands.run("echo hello from the sandbox").stdout == "hello from the sandbox\n"
assert sandbox.run_code("greeting = 'hello'\ngreeting.upper()").text == "'HELLO'"
sandbox.files.write("greeting.txt", "hello")
assert sandbox.files.read("greeting.txt") == "hello"

assert sandbox.kill() is True
assert sandbox.is_running() is False
assert sandbox.kill() is False, "a second kill finds nothing"

with Sandbox.create() as other:
    assert other.commands.run("cat greeting.txt || echo nothing", cwd="/home/user").stdout == "nothing\n", "nothing is left of the first"
    left = other.sandbox_id
assert left not in [info.sandbox_id for info in Sandbox.list().next_items()], "with ends it"
