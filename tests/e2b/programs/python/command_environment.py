# SPDX-License-Identifier: Apache-2.0
"""Variables of the sandbox and of one command, its directory."""
from e2b import InvalidArgumentException, NotFoundException, Sandbox, SandboxException

with Sandbox.create(envs={"STAGE": "test", "NAME": "sandbox"}) as sandbox:
    run = sandbox.commands.run
    assert run("echo $STAGE $NAME").stdout == "test sandbox\n"
    assert run("echo $STAGE $NAME", envs={"NAME": "command; $(echo no)"}).stdout == "test command; $(echo no)\n", "only for this one"
    assert run("echo $NAME").stdout == "sandbox\n"

    assert run("pwd").stdout == "/home/user\n"
    assert run("pwd", cwd="/tmp").stdout == "/tmp\n"
    sandbox.files.write("project/src/main.c", "")
    assert run("ls; ls ../..", cwd="project/src").stdout == "main.c\nproject\n", "from the home"
    try:
        run("true", cwd="/nowhere")
        raise AssertionError("no such directory")
    except (InvalidArgumentException, NotFoundException, SandboxException) as error:
        assert "/nowhere" in str(error), error

    assert run("echo $HOME; cd /; cd; pwd").stdout == "/home/user\n/home/user\n"
