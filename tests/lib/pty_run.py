# SPDX-License-Identifier: Apache-2.0
"""A person at a terminal of some width: runs aisbx there, waits for words, types answers, and sees what was written."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import unicodedata

import box
import pace


def width_of(line):
    """Columns that a line takes."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in line)


class Terminal:
    def __init__(self, words, cwd, env, width=80, height=24):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.seen, self.read_to = b"", 0
        env = {**env, "TERM": "dumb" if env.get("TERM") == "dumb" != os.environ.get("TERM") else "xterm", "LANG": "C.UTF-8"}
        self.process = subprocess.Popen([box.aisbx(), *map(str, words)], cwd=cwd, env=env, stdin=slave, stdout=slave, stderr=slave,
                                        start_new_session=True)
        os.close(slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)

    def more(self, seconds):
        """Reads what there is; False at the end."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            chunk = os.read(self.master, 65536)
        except OSError:  # EIO: the other end is closed
            return False
        self.seen += chunk
        return bool(chunk)

    def wait(self, word, seconds=60):
        """Until WORD is written, after what was waited for before."""
        end, word = pace.Deadline(seconds), word.encode()
        while word not in self.seen[self.read_to:]:
            assert self.more(0.1) and not end.is_over(), f"{word} was not written: {self.seen.decode(errors='replace')}"
        self.read_to = self.seen.index(word, self.read_to) + len(word)

    def answer(self, question, line):
        self.wait(question)
        os.write(self.master, line.encode() + b"\n")

    def end(self, seconds=120):
        """(exit status, lines without colours)."""
        end = pace.Deadline(seconds)
        while self.more(0.1):
            assert not end.is_over(), self.seen
        return self.process.wait(60), self.lines()

    def text(self):
        return re.sub(r"\x1b\[[0-9;]*m", "", self.seen.decode(errors="replace")).replace("\r\n", "\n")

    def lines(self):
        return self.text().rstrip("\n").split("\n")
