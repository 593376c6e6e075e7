# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the attack suite: the probe, a project to attack from, a canary to watch."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import box  # noqa: E402


@pytest.fixture(scope="session")
def probe(tmp_path_factory):
    """The attacker: from the build, or compiled here."""
    path = os.path.join(os.environ.get("AISBX_TEST_BIN", "/nonexistent"), "probe")
    if not os.path.exists(path):
        path = str(tmp_path_factory.mktemp("probe") / "probe")
        subprocess.run([os.environ.get("CC", "cc"), "-static", "-O1", "-pthread", "-o", path,
                        str(pathlib.Path(__file__).parent / "probe.c")], check=True)
    return path


class Place:
    """PROJECT is the box's; CANARY lies beside it, where no box can see it."""

    def __init__(self, root, probe):
        self.root = root
        self.project = root / "project"
        self.project.mkdir()
        self.canary = root / "canary"
        box.make_canary(self.canary)
        box.make_canary(self.project / "tree")
        shutil.copy(probe, self.project / "probe")
        self.secret = self.canary / "private"


@pytest.fixture
def place(tmp_path, probe):
    return Place(tmp_path, probe)
