# SPDX-License-Identifier: Apache-2.0
"""What a command wrote, and how it ended: an exit code other than 0 is an exception with everything in it."""
from e2b import CommandExitException, Sandbox

with Sandbox.create() as sandbox:
    done = sandbox.commands.run("echo out; echo err >&2")
    assert (done.stdout, done.stderr, done.exit_code) == ("out\n", "err\n", 0) and not done.error, done

    try:
        sandbox.commands.run("echo almost; echo not quite >&2; exit 3")
        raise AssertionError("exit 3 is no success")
    except CommandExitException as failed:
        assert (failed.stdout, failed.stderr, failed.exit_code) == ("almost\n", "not quite\n", 3), failed

    assert sandbox.commands.run("printf '\\303\\244\\342\\202\\254%s' '\U0001f600'").stdout == "\u00e4\u20ac\U0001f600"
    assert len(sandbox.commands.run("seq 1 100000").stdout) == 588895, "all of it, also when it is long"
    assert sandbox.commands.run("set -o pipefail; seq 3 | tac | paste -sd,").stdout == "3,2,1\n", "bash reads it"

    try:
        sandbox.commands.run("no-such-program")
        raise AssertionError("no such program")
    except CommandExitException as failed:
        assert failed.exit_code == 127 and "not found" in failed.stderr, failed
    try:
        sandbox.commands.run("kill -TERM $$")
        raise AssertionError("a signal is no success")
    except CommandExitException as failed:
        assert failed.exit_code != 0, failed
