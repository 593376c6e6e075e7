# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the network tests: a world for each process that runs tests, a project for each test."""
import pathlib
import shutil
import sys

import pytest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
sys.path.insert(0, str(HERE))

from world import World  # noqa: E402


@pytest.fixture(name="world", scope="session")
def fixture_world():
    with World() as world:
        yield world


@pytest.fixture(name="project")
def fixture_project(tmp_path):
    """Where a box works, in a home of its own; inside.py, the probe of these tests, lies in it."""
    path = tmp_path / "home/project"
    path.mkdir(parents=True)
    shutil.copy(HERE / "inside.py", path)
    return path
