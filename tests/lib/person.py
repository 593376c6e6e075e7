# SPDX-License-Identifier: Apache-2.0
"""A person at a terminal: programs are started there, keys are pressed, and what is written is read."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pace

ESCAPES = re.compile(rb"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])")


class Person:
    """One program in a terminal of its own, as a shell starts it: in the foreground."""

    def __init__(self, words, rows=24, columns=80, **popen):
        self.master, self.slave = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.slave)
        self.out = b""
        self.read_to = 0
        self.process = subprocess.Popen(
            list(map(os.fspath, words)), start_new_session=True, preexec_fn=self._take,
            **{"stdin": self.slave, "stdout": self.slave, "stderr": self.slave, **popen})

    def _take(self):
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            self.out += os.read(self.master, 65536)
            return True
        return False

    def text(self):
        """All that was written so far, without escape sequences."""
        while self._read(0):
            pass
        return ESCAPES.sub(b"", self.out).translate(None, b"\r\x0f").decode(errors="replace")

    def see(self, text, seconds=30):
        """Waits until TEXT is written after what was seen last."""
        until = time.monotonic() + pace.seconds(seconds)
        while True:
            all_of_it = self.text()
            at = all_of_it.find(text, self.read_to)
            if at >= 0:
                self.read_to = at + len(text)
                return all_of_it
            assert time.monotonic() < until, f"no {text!r} in {all_of_it[self.read_to:]!r}"
            self._read(0.05)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def end(self, seconds=30):
        """Waits for the end: the exit status."""
        until = time.monotonic() + pace.seconds(seconds)
        while self.process.poll() is None:
            assert time.monotonic() < until, f"it goes on: {self.text()!r}"
            self._read(0.02)
        self.text()
        return self.process.returncode

    def is_as_before(self):
        """The terminal has the settings that it had."""
        return termios.tcgetattr(self.slave) == self.before
