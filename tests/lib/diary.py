# SPDX-License-Identifier: Apache-2.0
"""A person's week as data: what is typed, what is on the screen afterwards, what is not.

A diary is a list of steps. Each begins with an empty screen of 80 columns. Of every screen it holds that no line is wider, that there is no
JSON, and that a box has a name and no id.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from typing import NamedTuple

import box
import screen

WIDTH, HEIGHT = 80, 50
PATIENCE = 30  # seconds for a step
DESK = r"^[\w.-]+> $"  # the prompt outside
BOX = r"^\[[\w-]+\] .*[$#] $"  # the prompt of a shell in a box
ASKED = r"\? $"
WORDS = "[a-z]+-[a-z]+"
NEVER = (r'\{"|"\w+": ', r"(?:^|box )\W*b-[0-9a-f]{16}\b", r"(?i)segmentation fault|assertion .* failed")


class Step(NamedTuple):
    """What is typed (Press: keys), regular expressions of what is seen and what not, the last line at the end."""

    typed: object
    sees: tuple = ()
    never: tuple = ()
    ends: str = DESK


class Press(tuple):
    """Keys, by tmux's names."""

    def __new__(cls, *keys):
        return super().__new__(cls, keys)


class Person:
    """A home with one project, and a terminal in it."""

    def __init__(self, files, path=(), before=""):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="week-", dir="/tmp"))  # short, as a home is
        self.project = self.home / "shop"
        self.screen, self.width = None, WIDTH
        for name, text in files.items():
            (self.project / name).parent.mkdir(parents=True, exist_ok=True)
            (self.project / name).write_text(text, encoding="utf-8")
        # No history of the shell: it would be written when the terminal has gone, while the home is being removed.
        self.env = {"HOME": str(self.home), "HISTFILE": "", "USER": "me", "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TERM": "screen", "NO_COLOR": "",
                    "PS1": r"\W> ", "PATH": ":".join([os.path.dirname(box.aisbx()), *path, "/usr/local/bin:/usr/bin:/bin"])}
        self.sh("git init -q -b main && git config --global user.name Me && git config --global user.email me@example.org")
        self.sh("git add -A && git commit -qm start")
        self.sh(before)

    def sh(self, command, check=True):
        return subprocess.run(["/bin/sh", "-c", command], cwd=self.project, env=self.env, timeout=300, check=check, capture_output=True, text=True)

    def __enter__(self):
        clean = ("env", "-i", *(f"{k}={v}" for k, v in self.env.items()))
        self.screen = screen.Screen(self.project, WIDTH, HEIGHT, {}, (*clean, "/bin/bash", "--noprofile", "--norc"))
        return self

    def __exit__(self, *_):
        self.screen.end()
        self.sh("for r in $(aisbx ps --all --json | grep -o 'r-[0-9a-f]*' | sort -u); do aisbx kill $r; aisbx wait $r; done; aisbx rm --all --yes", check=False)
        subprocess.run(["chmod", "-R", "u+rwX", self.home], check=False)
        shutil.rmtree(self.home)

    def lines(self):
        """Those that were written, though they be wider than the screen."""
        return self.screen.text("-J", "-S", "-").rstrip("\n").split("\n")

    def do(self, step):
        self.screen.tmux("send-keys", "-t", "s", "-R", ";", "clear-history", "-t", "s")
        if isinstance(step.typed, Press):
            self.screen.keys(*step.typed)
        else:
            self.screen.keys("-l", step.typed)
            self.screen.keys("Enter")

    def is_seen(self, step):
        """The whole text, once the command is over and all is there; else what is missing."""
        lines = self.lines()
        text = "\n".join(line.rstrip() for line in lines)
        typed = isinstance(step.typed, Press) or step.typed in text
        over = re.search(step.ends, lines[-1].rstrip() + " ")
        return typed and over and len(lines) > 1 and all(re.search(s, text, re.M) for s in step.sees), text

    def check(self, number, step):
        try:
            box.wait_until(lambda: self.is_seen(step)[0], PATIENCE, f"step {number}, {step.typed}")
        except AssertionError as err:
            raise AssertionError(f"{err}: {step.sees}\n" + "\n".join(self.lines())) from None
        text = self.is_seen(step)[1]
        for pattern in (*step.never, *NEVER):
            assert not re.search(pattern, text, re.M), f"step {number} shows {pattern}:\n{text}"
        wide = [line for line in text.split("\n") if len(line) > self.width]
        assert not wide, f"step {number} has lines of more than {self.width} columns: {wide}"

    def play(self, diary, wide=False):
        """WIDE: what is typed does not fit, so that the window is larger meanwhile."""
        self.width = 2 * WIDTH if wide else WIDTH
        self.screen.resize(self.width, HEIGHT)
        for number, step in enumerate(diary, 1):
            self.do(step)
            self.check(number, step)
