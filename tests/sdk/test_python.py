# SPDX-License-Identifier: Apache-2.0
"""The Python SDK: every case of cases.json with both kinds of sandbox, and what only Python has."""
import asyncio
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib"), str(HERE.parents[1] / "sdk/python")]
import box  # noqa: F401  its state directory is for tests
import aisbx
import case_runner

KINDS = {"sync": aisbx.Sandbox, "async": aisbx.AsyncSandbox}


@pytest.fixture(name="project")
def fixture_project(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", case_runner.CASES, ids=[case["name"] for case in case_runner.CASES])
def test_case(case, kind, project):
    asyncio.run(asyncio.wait_for(case_runner.Runner(KINDS[kind], project).run(case), 60))


def test_there_are_enough_cases_and_no_two_are_called_the_same():
    names = [case["name"] for case in case_runner.CASES]
    assert len(names) >= 60 and len(set(names)) == len(names)
