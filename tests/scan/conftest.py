# SPDX-License-Identifier: Apache-2.0
"""Makes tests/lib importable for the tests of the scan, and shows the figures they measure, also when all is well."""
import pathlib
import sys

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

FIGURES = []


@pytest.fixture
def tell():
    """tell("line"): into the summary of the run."""
    return FIGURES.append


def pytest_terminal_summary(terminalreporter):
    for line in FIGURES:
        terminalreporter.write_line(line)
