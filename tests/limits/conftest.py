# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of limits."""
import pathlib
import sys

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import eat  # noqa: E402


@pytest.fixture(scope="session")
def nothing(tmp_path_factory):
    """What a box uses whose command does nothing; where the processor is emulated its walls alone take half a second."""
    return eat.finished(eat.Table(tmp_path_factory.mktemp("nothing")).eat("nothing"))["usage"]


@pytest.fixture
def table(tmp_path):
    return eat.Table(tmp_path)
