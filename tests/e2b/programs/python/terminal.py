# SPDX-License-Identifier: Apache-2.0
"""A terminal with a shell in it: keys go in, the screen comes out, its size can be changed."""
from e2b import CommandExitException, PtySize, Sandbox

with Sandbox.create() as sandbox:
    terminal = sandbox.pty.create(PtySize(rows=30, cols=100), cwd="/tmp", envs={"COLOUR": "green"})
    screen = bytearray()

    def read_until(text):
        for _, _, data in terminal:
            screen.extend(data or b"")
            if text in screen:
                return screen.split(text)[0]
        raise AssertionError(bytes(screen))

    def keys(line):
        sandbox.pty.send_stdin(terminal.pid, line.encode())

    keys("stty -echo; PS1=; stty size; echo end of $((1))\n")
    assert b"30 100" in read_until(b"end of 1\r\n"), screen
    keys("pwd; echo $COLOUR $TERM; tty; echo end of $((2))\n")
    read_until(b"end of 2\r\n")
    for text in (b"\r\n/tmp\r\n", b"green xterm-256color", b"/dev/pts/"):
        assert text in screen, (text, screen)
    sandbox.pty.resize(terminal.pid, PtySize(rows=50, cols=132))
    keys("stty size; echo end of $((3))\n")
    assert b"50 132" in read_until(b"end of 3\r\n"), screen
    keys("""bash -c 'trap "echo caught; exit" INT; echo be$((1))gun; while :; do sleep 0.1; done'\n""")
    read_until(b"be1gun\r\n")
    keys("\x03")
    read_until(b"caught\r\n")
    keys("exit 5\n")
    try:
        terminal.wait()
        raise AssertionError("the shell left with 5")
    except CommandExitException as ended:
        assert ended.exit_code == 5, ended

    other = sandbox.pty.create(PtySize(rows=24, cols=80))
    assert sandbox.pty.kill(other.pid) is True
    assert sandbox.pty.kill(4194303) is False
