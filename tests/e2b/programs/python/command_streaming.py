# SPDX-License-Identifier: Apache-2.0
"""Output arrives while the command runs: it goes on only when the program that reads has answered."""
from e2b import Sandbox

with Sandbox.create() as sandbox:
    out, err = [], []

    def answer(text):
        out.append(text)
        if "question" in text:  # the command waits for this file
            sandbox.files.write("/tmp/answer", "42")

    done = sandbox.commands.run("echo question; until [ -s /tmp/answer ]; do sleep 0.05; done; echo got $(cat /tmp/answer); echo bye >&2",
                                on_stdout=answer, on_stderr=err.append)
    assert "".join(out) == done.stdout == "question\ngot 42\n", (out, done)
    assert "".join(err) == done.stderr == "bye\n", (err, done)
    assert len(out) == 2, "in two pieces, for the first was there before the second"

    handle = sandbox.commands.run("for n in 1 2 3; do echo line $n; done; exit 0", background=True)
    text = "".join(stdout for stdout, stderr, pty in handle if stdout)
    assert text == "line 1\nline 2\nline 3\n", text
