# SPDX-License-Identifier: Apache-2.0
"""Variables of the sandbox and of one command, its directory, its user."""
from e2b import InvalidArgumentException, NotFoundException, Sandbox, SandboxException

with Sandbox.create(envs={"STAGE": "test", "NAME": "sandbox"}) as sandbox:
    run = sandbox.commands.run
    assert run("echo $STAGE $NAME").stdout == "test sandbox\n"
    assert run("echo $STAGE $NAME", envs={"NAME": "command; $(echo no)"}).stdout == "test command; $(echo no)\n", "only for this one"
    assert run("echo $NAME").stdout == "sandbox\n"

    assert run("pwd").stdout == "/home/user\n"
    assert run("pwd", cwd="/tmp").stdout == "/tmp\n"
    run("mkdir -p /home/user/project/src")
    assert run("pwd", cwd="project/src").stdout == "/home/user/project/src\n", "from the home"
    try:
        run("true", cwd="/nowhere")
        raise AssertionError("no such directory")
    except (InvalidArgumentException, NotFoundException, SandboxException) as error:
        assert "/nowhere" in str(error), error

    assert run("echo $HOME; whoami").stdout == "/home/user\nuser\n"
    assert run("whoami; id -u", user="root").stdout == "root\n0\n"
    run("echo secret > /root/only-root && chmod 600 /root/only-root", user="root")
    assert sandbox.files.read("/root/only-root", user="root") == "secret\n"
