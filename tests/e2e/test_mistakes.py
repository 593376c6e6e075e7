# SPDX-License-Identifier: Apache-2.0
"""Typical mistakes, and the text a person sees: mistakes.txt, each row played."""
import os
import pathlib
import re
import subprocess
import tempfile

import pytest

import box
import mistakes

HEAD, ROWS = mistakes.read()
MINE = [row for row in ROWS if row.only in ("", mistakes.who())]


@pytest.fixture(name="home")
def fixture_home():
    """Of a short name: paths in messages are cut where they are long."""
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        yield pathlib.Path(place).resolve()
        subprocess.run(["chmod", "-R", "u+rwX", place], stderr=subprocess.DEVNULL, check=False)


@pytest.mark.parametrize("row", MINE, ids=[row.title for row in MINE])
def test_what_a_person_sees(row, home):
    assert mistakes.play(row, os.path.realpath(box.aisbx()), home) == (row.said, row.status)


def test_there_are_a_hundred():
    assert len(ROWS) >= 100
    assert len({row.title for row in ROWS}) == len(ROWS)


def test_each_says_how_to_go_on():
    """A text that refuses names a command, an option, a path or what is allowed: something to type next."""
    way = re.compile(r"'aisbx [a-z]|aisbx run|did you mean|--[a-z]|allowed|write |set |give |must be|use letters|\bcd\b|chmod|needs|not needed|XDG_STATE_HOME")
    assert [row.title for row in ROWS if row.status == 125 and not way.search(row.said)] == []
