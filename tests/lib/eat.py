# SPDX-License-Identifier: Apache-2.0
"""The program that takes what limits limit (tests/limits/eat.c), and what its result must look like."""
import os
import pathlib
import shutil
import subprocess

import box

KIB, MIB = 1 << 10, 1 << 20
SLOW = float(os.environ.get("TIMEOUT_MULTIPLIER", "1"))


def program(directory):
    """A copy in DIRECTORY, where a box can see it: from the build, or compiled here."""
    built = os.path.join(os.environ.get("AISBX_TEST_BIN", "/nonexistent"), "eat")
    path = os.path.join(directory, "eat")
    if os.path.exists(built):
        shutil.copy(built, path)
    else:
        source = pathlib.Path(__file__).resolve().parents[1] / "limits/eat.c"
        subprocess.run([os.environ.get("CC", "cc"), "-static", "-O1", "-pthread", "-o", path, str(source)], check=True)
    return path


class Table:
    """A project with the program in it; each meal is a run of its own."""

    def __init__(self, root):
        self.project = root
        program(root)

    def eat(self, *words, profile="dev", **options):
        """Options as keywords: mem="64m", cpu_time="1s"."""
        flags = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), str(value))]
        return box.started(box.run("./eat", *words, cwd=self.project, profile=profile, options=flags))


def holder(result, kind):
    """What held the limit: "cgroup" for both versions, else the words of the result."""
    by = result["limits"][kind]["by"]
    return "cgroup" if by.startswith("cgroup ") else by


def finished(result):
    """It got all it wanted and no limit is named."""
    assert result["status"] == "ok" and result["exit_code"] == 0 and result["aisbx_status"] == 0, result
    assert result["limit"] is None and result["stdout"].endswith("done\n"), result
    return result


def limited(result, kind, value):
    """A limit is named, with the value that was asked for; what was used of it is returned."""
    assert result["status"] == "limit", result
    assert result["limit"]["kind"] == kind and result["limit"]["value"] == value, result["limit"]
    assert result["limits"][kind]["value"] == value
    return result["limit"]["used"]


def stopped(result, kind, value, status):
    """The same for a limit that ended the run: the command did not get to its end, and has no exit code."""
    used = limited(result, kind, value)
    assert result["exit_code"] is None and result["signal"] is None, result
    assert result["aisbx_status"] == status and "done" not in result["stdout"].split("\n"), result
    return used


def refused(result, kind, value):
    """The same for a limit that only said no: the command ended by itself, and failed."""
    used = limited(result, kind, value)
    assert result["exit_code"] == 1 and result["aisbx_status"] == 1, result
    return used


def about(number, truth, part, more=0):
    assert abs(number - truth) <= truth * part + more, f"{number} is not {truth} within {part:.0%} and {more}"
