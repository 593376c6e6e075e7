#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the rooms of src take from each other: by includes, by headers that headers bring along, and by symbols of a build.

usage: rooms.py BUILD            tells what breaks the map (MAP of test_include_map.py)
       rooms.py --write BUILD    draws the rooms into docs/ARCHITECTURE.md
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
FREE = ("base", "aisbx")
BEGIN, END = "<!-- rooms: made by tests/map/rooms.py --write -->", "<!-- rooms end -->"


def room(path):
    return path.rpartition("/")[0]


def includes(src):
    """File of src -> headers that it includes itself."""
    return {str(p.relative_to(src)): INCLUDE.findall(p.read_text()) for p in sorted(src.rglob("*")) if p.suffix in (".c", ".h")}


def reached(files, start):
    """Every header that START sees, through others, too; with the way there."""
    ways, todo = {}, [(start, ())]
    while todo:
        name, way = todo.pop(0)
        for header in files.get(name, ()):
            if header not in ways and header in files:
                ways[header] = (*way, header)
                todo.append((header, ways[header]))
    return ways


def may(rooms, folder, header):
    target = room(header)
    return target in (folder, *FREE) or target in rooms[folder] or header in rooms[folder]


def brought(files, rooms):
    """(room, header): of a room that it may not include, but sees by a header that it may; with an example."""
    found = {}
    for name in files:
        for header, way in reached(files, name).items():
            if len(way) > 1 and not may(rooms, room(name), header):
                found.setdefault((room(name), header), f"{name}: {' -> '.join(way)}")
    return found


def read_nm(text, files):
    """`nm -A`: what every object defines and takes, by the file it is made of."""
    of_object = {name.replace("/", "_") + ".o": name for name in files}
    defined, taken = {}, {}
    for line in text.splitlines():
        where, _, rest = line.rpartition(":")
        name = of_object.get(where.rpartition("/")[2].rpartition(":")[2])
        if name is None:
            continue
        *_, kind, symbol = rest.split()
        if kind in "Uw":
            taken.setdefault(name, set()).add(symbol)
        elif kind in "TDBRVWGSC":
            defined.setdefault(symbol, set()).add(name)
    return defined, taken


def nm(build):
    libraries = sorted(pathlib.Path(build, "src").glob("libaisbx*.a"))
    assert libraries, f"{build} has no libraries"
    return subprocess.run(["nm", "-A", *libraries], check=True, capture_output=True, text=True).stdout


def calls(defined, taken):
    """(file, file it takes from) -> a symbol."""
    found = {}
    for name, symbols in taken.items():
        for symbol in symbols:
            owners = defined.get(symbol, set())
            if len(owners) == 1 and name not in owners:
                found.setdefault((name, *owners), set()).add(symbol)
    return found


def forbidden_calls(src, rooms, found):
    """(room, symbol): taken though the map has neither its room nor a header that names it."""
    wrong = {}
    for (name, owner), symbols in found.items():
        folder, target = room(name), room(owner)
        if target in (folder, *FREE) or target in rooms[folder]:
            continue
        named = " ".join((src / h).read_text() for h in rooms[folder] if h.endswith(".h") and (src / h).exists())
        for symbol in symbols:
            if not re.search(rf"\b{symbol}\b", named):
                wrong.setdefault((folder, symbol), f"{name} takes {symbol} of {owner}")
    return wrong


def circles(edges):
    """Sets of those that reach each other. EDGES: of -> set of."""
    seen = {}

    def all_from(start):
        if start not in seen:
            out, todo = set(), [start]
            while todo:
                for nxt in edges.get(todo.pop(), ()):
                    if nxt not in out:
                        out.add(nxt)
                        todo.append(nxt)
            seen[start] = out
        return seen[start]
    return sorted({tuple(sorted(other for other in all_from(one) if one in all_from(other))) for one in edges if one in all_from(one)})


def room_edges(files, found):
    """Room -> rooms that it includes something of, or takes a symbol from."""
    edges = {room(name): set() for name in files}
    for name, headers in files.items():
        edges[room(name)] |= {room(h) for h in headers if h in files}
    for name, owner in found:
        edges[room(name)].add(room(owner))
    return {one: {other for other in others if other != one} for one, others in edges.items()}


def file_circles(found):
    """Room -> circles of files in it, by symbols."""
    inside = {}
    for name, owner in found:
        if room(name) == room(owner):
            inside.setdefault(room(name), {}).setdefault(name, set()).add(owner)
    return {one: circle for one, edges in sorted(inside.items()) if (circle := circles(edges))}


def ranks(edges):
    """Rooms by how high they stand: each takes only from those before."""
    left, rows = dict(edges), []
    while left:
        row = sorted(one for one, others in left.items() if not others & set(left))
        assert row, f"a circle among {sorted(left)}"
        rows.append(row)
        left = {one: others for one, others in left.items() if one not in row}
    return rows


def drawing(edges):
    """A row for each rank, the ground first, with what each room takes from (base is taken by all)."""
    lines = ["```text"]
    for i, row in enumerate(ranks(edges)):
        for one in row:
            below = ", ".join(sorted(edges[one] - {"base"})) or "-"
            lines.append(f"{i:2}  {one:<16} <- {below}")
    return "\n".join([*lines, "```"])


def main():
    from test_include_map import MAP
    write = sys.argv[1] == "--write"
    files = includes(ROOT / "src")
    found = calls(*read_nm(nm(sys.argv[-1]), files))
    edges = room_edges(files, found)
    if write:
        page = ROOT / "docs/ARCHITECTURE.md"
        text = page.read_text()
        head, _, tail = text.partition(BEGIN)
        page.write_text(f"{head}{BEGIN}\n{drawing(edges)}\n{END}{tail.partition(END)[2]}")
        return
    for title, told in (("brought along", brought(files, MAP)), ("symbols", forbidden_calls(ROOT / "src", MAP, found))):
        print(f"{title}: {len(told)}")
        for key, example in sorted(told.items()):
            print("  ", key, example)
    print("circles of rooms:", circles(edges))
    for one, circle in file_circles(found).items():
        print("circles of files:", one, circle)


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    sys.dont_write_bytecode = True
    main()
