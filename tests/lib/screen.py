# SPDX-License-Identifier: Apache-2.0
"""A real screen: tmux is the terminal, and says what a person would see."""
import os
import shutil
import subprocess
import tempfile
import time

import box
import pace


class Screen:
    """A window of tmux in which a shell runs."""

    def __init__(self, cwd, width, height, env, shell=("/bin/bash", "--noprofile", "--norc")):
        # A socket's path is short, those of tests are not.
        self.place = tempfile.mkdtemp(prefix="tm-", dir="/tmp")
        self.env = {**os.environ, "TERM": "xterm", "LANG": "C.UTF-8", **env}
        self.env.pop("TMUX", None)
        self.tmux("-f", "/dev/null", "new-session", "-d", "-s", "s", "-x", str(width), "-y", str(height), "-c", str(cwd),
                  "env", "PS1=> ", *shell)
        box.wait_until(lambda: ">" in self.text(), 60, "the shell's prompt")

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-u", "-S", f"{self.place}/s", *words], env=self.env, timeout=60, capture_output=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def type(self, line):
        self.tmux("send-keys", "-t", "s", "-l", line)
        self.tmux("send-keys", "-t", "s", "Enter")

    def keys(self, *keys):
        self.tmux("send-keys", "-t", "s", *keys)

    def text(self, *options):
        return self.tmux("capture-pane", "-p", "-t", "s", *options)

    def lines(self):
        return self.text().rstrip("\n").split("\n")

    def wait(self, *words, seconds=60):
        """Until all WORDS are on the screen; its lines."""
        try:
            box.wait_until(lambda: all(w in self.text() for w in words), seconds, f"{words} on the screen")
        except AssertionError as err:
            raise AssertionError(f"{err}:\n{self.text('-S', '-')}") from None
        return self.lines()

    def until(self, check, seconds=60):
        """What CHECK says of the lines, once it does not complain: a screen can be looked at in the middle of a drawing."""
        end = pace.Deadline(seconds)
        while True:
            lines = self.lines()
            try:
                return check(lines)
            except (AssertionError, IndexError, ValueError) as err:
                if end.is_over():
                    raise AssertionError("\n".join([str(err), *lines])) from None
            time.sleep(0.05)

    def resize(self, width, height):
        self.tmux("resize-window", "-t", "s", "-x", str(width), "-y", str(height))

    def end(self):
        subprocess.run(["tmux", "-S", f"{self.place}/s", "kill-server"], timeout=60, capture_output=True)
        shutil.rmtree(self.place)
