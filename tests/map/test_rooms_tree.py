# SPDX-License-Identifier: Apache-2.0
"""What rooms.py reads of this tree and its build keeps to the map; what does not yet is a debt with a reason, and a debt that was paid leaves the list."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import rooms  # noqa: E402
from test_include_map import MAP  # noqa: E402

BOX_H = "box/box.h hands out what it is made of"
RESULT = "results of box name types of rooms below, whose names and ends are asked there"
FLEET = "options of a hub and a node are those of the bus and of the core"
# (room, room it sees or takes from beside the map): why it still does.
SEEN = {
    **{(one, other): BOX_H for one in ("artifact", "flow", "guard", "promote", "server/e2b", "server/http") for other in ("policy", "run")},
    **{(one, "secret"): BOX_H for one in ("guard", "server/e2b", "server/http")},
    **{(one, other): BOX_H for one in ("guard", "server/e2b", "server/http") for other in ("driver", "jail", "project", "store")},
    **{(one, other): BOX_H for one, other in (("box", "run"), ("promote", "project"), ("artifact", "jail"), ("artifact", "project"),
                                              ("op", "policy"), ("op", "run"), ("op", "store"))},
    **{(one, "box"): "op/op.h has struct caller, which is box's" for one in ("cli", "server/core", "server/e2b", "server/http", "server/mcp", "server/rpc")},
    **{(one, other): RESULT for one, other in (("flow", "layer"), ("flow", "scan/core"), ("flow", "helpers/file"), ("guard", "layer"),
                                               ("op", "layer"), ("op", "scan/core"), ("op", "helpers/file"))},
    ("fleet", "fleet/bus"): FLEET, ("fleet", "fleet/core"): FLEET,
    **{("fleet/history", other): BOX_H for other in ("box", "driver", "jail", "policy", "project", "run", "secret")},
    ("fleet/history", "layer"): "what a promotion changed is told by its journal and by checksums",
    ("fleet/client", "box"): "op/op.h has struct caller, which is box's",
    **{(one, "secret"): "secret/secrets.h has the redactor of what was read" for one in ("fleet/client", "server/core", "server/rpc")},
    ("guard", "expr"): "flow/gate.h names what gates are made of",
}
TAKEN = {
    ("flow", "layer"): RESULT, ("guard", "layer"): RESULT, ("op", "layer"): RESULT, ("op", "scan/core"): RESULT, ("promote", "project"): RESULT,
    ("op", "policy"): "the schema of services",
    **{(one, "store"): "rows of the store are read where box has no call for it yet" for one in ("guard", "op", "server/http")},
}
# Rooms whose files call each other in a circle: why. No other room may have one.
CIRCLES = {
    "agent": "formats call back who edits", "box": "a run settles git, which runs in a box", "cli": "one renderer shows what is part of another's result",
    "driver": "the table names the driver, which uses its wrappers", "guard": "a reader of commands meets commands in commands",
    "layer": "the journal keeps times", "op": "schema and serve read the table whose rows they are", "policy": "the table of keys names readers",
    "net/tls": "a connection and the protocol it speaks move each other; both tell the broker, who begins them",
    "promote": "a plan of git asks for wishes, which are settled by plans",
    "project": "tables name readers, which read tables", "run": "two accounts of one box", "server/http": "an exchange belongs to its server",
    "server/e2b": "handlers answer by the requests that called them",
    "server/mcp": "requests answer by the envelope that made them", "store": "opening the database reads what is in it",
}


@pytest.fixture(scope="module", name="tree")
def fixture_tree():
    program = os.environ.get("AISBX")
    assert program, "set AISBX to the aisbx to test"
    files = rooms.includes(rooms.ROOT / "src")
    found = rooms.calls(*rooms.read_nm(rooms.nm(pathlib.Path(program).parents[1]), files))
    return files, found


def pairs(found, target):
    told = {}
    for key, example in found.items():
        told.setdefault((key[0], target(key, example)), example)
    return told


def check(told, debts):
    new = {pair: example for pair, example in told.items() if pair not in debts}
    assert not new, "beside the map"
    assert not set(debts) - set(told), "debts that are paid: take them off the list"


def test_headers_bring_nothing_along(tree):
    check(pairs(rooms.brought(tree[0], MAP), lambda key, _: rooms.room(key[1])), SEEN)


def test_symbols_keep_to_the_map(tree):
    assert len(tree[1]) > 500
    check(pairs(rooms.forbidden_calls(rooms.ROOT / "src", MAP, tree[1]), lambda _, example: rooms.room(example.rpartition(" of ")[2])), TAKEN)


def test_no_circle_of_rooms(tree):
    assert rooms.circles(rooms.room_edges(*tree)) == []


def test_circles_of_files_have_a_reason(tree):
    assert rooms.file_circles(tree[1]).keys() == CIRCLES.keys()


def test_the_drawing_is_true(tree):
    text = (rooms.ROOT / "docs/ARCHITECTURE.md").read_text()
    assert f"{rooms.BEGIN}\n{rooms.drawing(rooms.room_edges(*tree))}\n{rooms.END}" in text, "tests/map/rooms.py --write BUILD"
