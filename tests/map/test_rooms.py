# SPDX-License-Identifier: Apache-2.0
"""What rooms.py finds: in a small tree made for it, with one thing wrong of each kind."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import rooms  # noqa: E402

RULES = {"low": set(), "mid": {"low"}, "high": {"mid"}, "side": {"low/shown.h"}}
TREE = {
    "low/low.h": "int low(void);", "low/low.c": '#include "low/low.h"',
    "low/shown.h": "int shown(void);", "low/shown.c": '#include "low/shown.h"',
    "mid/mid.h": "int mid(void);", "mid/mid.c": '#include "low/low.h"\n#include "mid/mid.h"', "mid/other.c": "",
    "high/high.c": '#include "mid/mid.h"', "side/side.c": '#include "low/shown.h"',
}
NM = """\
libl.a:l/low_low.c.o:0000000000000000 T low
libl.a:l/low_shown.c.o:0000000000000000 T shown
libm.a:m/mid_mid.c.o:0000000000000000 T mid
libm.a:m/mid_mid.c.o:                 U low
libm.a:m/mid_mid.c.o:                 U malloc
libm.a:m/mid_other.c.o:0000000000000000 T other
libm.a:m/mid_other.c.o:                 U mid
libh.a:h/high_high.c.o:                 U mid
libs.a:s/side_side.c.o:                 U shown
"""


@pytest.fixture(name="look")
def fixture_look(tmp_path):
    def look(more=None, symbols=""):
        for name, text in {**TREE, **(more or {})}.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text + "\n")
        files = rooms.includes(tmp_path)
        found = rooms.calls(*rooms.read_nm(NM + symbols, files))
        return {"brought": rooms.brought(files, RULES), "calls": rooms.forbidden_calls(tmp_path, RULES, found),
                "rooms": rooms.circles(rooms.room_edges(files, found)), "files": rooms.file_circles(found),
                "edges": rooms.room_edges(files, found)}
    return look


def test_nothing_is_wrong(look):
    found = look()
    assert not found["brought"] and not found["calls"] and not found["rooms"] and not found["files"]
    assert rooms.ranks(found["edges"]) == [["low"], ["mid", "side"], ["high"]]


def test_a_header_that_brings_another_room_along(look):
    found = look({"mid/mid.h": '#include "low/low.h"'})["brought"]
    assert found == {("high", "low/low.h"): "high/high.c: mid/mid.h -> low/low.h"}


def test_a_symbol_of_a_room_that_may_not_be_used(look):
    found = look(symbols="libh.a:h/high_high.c.o:                 U low\n")["calls"]
    assert found == {("high", "low"): "high/high.c takes low of low/low.c"}


def test_a_symbol_beside_the_one_header_that_may_be_used(look):
    assert look(symbols="libs.a:s/side_side.c.o:                 U low\n")["calls"].keys() == {("side", "low")}


@pytest.mark.parametrize("more", [({"low/low.h": '#include "high/high.h"', "high/high.h": ""}, ""),
                                  (None, "libh.a:h/high_high.c.o:0000000000000000 T high\nlibl.a:l/low_low.c.o:                 U high\n")],
                         ids=["include", "symbol"])
def test_a_circle_of_rooms(look, more):
    found = look(*more)
    assert found["rooms"] == [("high", "low", "mid")]
    with pytest.raises(AssertionError, match="circle"):
        rooms.ranks(found["edges"])


def test_a_circle_of_files(look):
    assert look(symbols="libm.a:m/mid_mid.c.o:                 U other\n")["files"] == {"mid": [("mid/mid.c", "mid/other.c")]}


def test_the_drawing_names_every_room(look):
    edges = look()["edges"]
    text = rooms.drawing(edges)
    assert all(f"  {one} " in text for one in edges) and "high             <- mid\n" in text
