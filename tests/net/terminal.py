# SPDX-License-Identifier: Apache-2.0
"""A person at a terminal, who is asked and types."""
import os
import pty
import re
import select

import pace


class Terminal:
    """aisbx on a terminal of its own."""

    def __init__(self, world, *command, cwd, **env):
        self.main, other = pty.openpty()
        self.p = world.popen(*command, cwd=cwd, env=world.environment(cwd, TERM="xterm", **env), stdin=other, stdout=other, stderr=other, start_new_session=True, terminal=True)
        os.close(other)
        self.text = ""

    def read_until(self, pattern, seconds=30):
        end = pace.Deadline(seconds)
        while not re.search(pattern, self.text):
            assert not end.is_over(), f"no {pattern!r} in {self.text!r}"
            if select.select([self.main], [], [], 0.05)[0]:
                try:
                    self.text += os.read(self.main, 4096).decode(errors="replace")
                except OSError:  # its other side is closed
                    assert re.search(pattern, self.text), self.text
        return self.text

    def type(self, text):
        self.text = ""
        os.write(self.main, text.encode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.p.poll() is None:
            self.p.kill()
        self.p.wait()
        os.close(self.main)
