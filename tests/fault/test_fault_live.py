# SPDX-License-Identifier: Apache-2.0
"""Fails, and kills at, every system call of a command that joins a live box: of its aisbx and of its keeper.

AISBX must be a build with -Dfault=true. Whatever fails: the joined command ran behind every wall or a message says
why not; the box's first command is not harmed, unless a keeper was killed, which ends the box; and nothing is left.
"""
import errno
import json
import os
import re
import signal
import subprocess
import time

import pace
import pytest

ERRORS = (errno.ENOMEM, errno.EIO)
PAST_THE_END = 4
MOST_CALLS = 500


class Box:
    def __init__(self, root):
        self.root = root
        (root / "project").mkdir()
        (root / "home").mkdir()
        self.aisbx("create", "b")

    def start(self, *words, fault="none:0:0"):
        env = {"PATH": "/usr/bin:/bin", "HOME": str(self.root / "home"), "AISBX_FAULT": fault}
        return subprocess.Popen([os.environ["AISBX"], *words], cwd=self.root / "project", env=env,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def aisbx(self, *words, fault="none:0:0"):
        with self.start(*words, fault=fault) as p:
            out, err = p.communicate(timeout=50)
        return p.returncode, out, err

    def first(self, fault):
        p = self.start("run", "--box", "b", "--", "sh", "-c", "echo up; read x; echo ended", fault=fault)
        assert p.stdout.readline() == "up\n"
        return p


@pytest.fixture(name="box")
def fixture_box(tmp_path):
    return Box(tmp_path)


def join(box, fault="none:0:0"):
    status, out, err = box.aisbx("run", "--json", "--box", "b", "--env", "AISBX_FAULT=none", "--", "echo", "here",
                                 fault=fault)
    try:
        result = json.loads(out)
    except ValueError:
        result = None
    if result and "isolation" in result and result["isolation"]["level"] != "none":
        assert result["isolation"]["missing"] == []
    said = err + ((result or {}).get("stderr") or "")
    call = re.search(r"fault: \w+ call \d+ \((\w+)\)", said)
    return status, result, call and call.group(1)


def end(first, want=(0,)):
    out, _ = first.communicate("\n", timeout=50)
    assert first.returncode in want, first.returncode
    return out


def is_good(status, result):
    """It ran, or it is said why not, or it is known to have been lost."""
    if status == 0:
        return result["stdout"] == "here\n"
    if status == 125:
        return len(result["error"]["text"]) > 10
    return status == 137 and result["status"] == "interrupted"


@pytest.mark.parametrize("what", [*ERRORS, "KILL"])
def test_the_joining_side(box, what):
    first, untouched, failed = box.first("none:0:0"), 0, 0
    for number in range(1, MOST_CALLS):
        status, result, call = join(box, f"aisbx:{number}:{what}")
        good = status == -signal.SIGKILL if what == "KILL" and call else is_good(status, result)
        assert good, (number, call, status, result)
        failed += status != 0
        assert first.poll() is None, (number, call)
        untouched = untouched + 1 if not call else 0
        if untouched == PAST_THE_END:
            break
    assert failed > 5 and join(box)[0] == 0
    children = subprocess.run(["ps", "-e", "-o", "args="], capture_output=True, text=True, check=True).stdout
    assert str(box.root) not in children
    assert end(first) == "ended\n"


@pytest.mark.parametrize("what", [*ERRORS, "KILL"])
def test_the_keeper(box, what):
    untouched, failed = 0, 0
    for number in range(1, MOST_CALLS):
        first = box.first(f"keeper:{number}:{what}")
        began = time.monotonic()
        status, result, call = join(box)
        assert is_good(status, result), (number, call, status, result)
        assert time.monotonic() - began < pace.seconds(40)
        end(first, want=(0, 137) if what == "KILL" else (0,))
        # Where it was killed before its command started, the box ended, and the command ran in the next one.
        hit = status != 0 or call or first.returncode != 0
        failed += bool(hit)
        untouched = untouched + 1 if not hit else 0
        if untouched == PAST_THE_END:
            break
    assert failed > 5
    assert join(box)[0] == 0, "the box is well after all of it"
