# SPDX-License-Identifier: Apache-2.0
"""What goes wrong has a class of its own, also what this server does not have."""
import os

from e2b import (AuthenticationException, InvalidArgumentException, NotFoundException, Sandbox, SandboxException, SandboxNotFoundException, Template,
                 Volume)


def raised(kind, act, *texts):
    try:
        act()
    except kind as error:
        assert all(text in str(error) for text in texts), (str(error), texts)
        return error
    raise AssertionError(f"no {kind.__name__}")


key = os.environ["E2B_API_KEY"]
wrong = "e2b_" + "0" * (len(key) - 4)
for act in (lambda: Sandbox.create(api_key=wrong), lambda: Sandbox.list(api_key=wrong).next_items(), lambda: Sandbox.kill("any", api_key=wrong)):
    raised(AuthenticationException, act, "401")

raised(SandboxNotFoundException, lambda: Sandbox.connect("nosuchsandbox"))
raised(NotFoundException, lambda: Sandbox.get_info("nosuchsandbox"))
raised(NotFoundException, lambda: Sandbox.set_timeout("nosuchsandbox", 60))
assert Sandbox.kill("nosuchsandbox") is False
raised(SandboxException, lambda: Sandbox.create(template="nobody-built-this"), "nobody-built-this")
raised(SandboxException, lambda: Sandbox.create(timeout=-1), "timeout")

with Sandbox.create() as sandbox:
    raised(NotFoundException, lambda: sandbox.files.read("/no/such/file"), "/no/such/file")
    raised(NotFoundException, lambda: sandbox.commands.send_stdin(4194303, "text"), "4194303")
    raised(InvalidArgumentException, lambda: sandbox.files.list(".", depth=0))
    raised(SandboxException, lambda: sandbox.commands.run("true", user="nobody-of-that-name"), "nobody-of-that-name")

# What E2B keeps in its cloud.
raised(Exception, lambda: Volume.create("data"), "501")
raised(Exception, lambda: Template.build(Template().from_image("debian:12"), alias="mine"), "501")
