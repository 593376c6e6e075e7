# SPDX-License-Identifier: Apache-2.0
"""Keeps the manual true: its pages name exactly the options that aisbx has, and scdoc takes them."""
import functools
import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAN = ROOT / "man"
PAGES = sorted(MAN.glob("*.scd"))
# Operations with more to say than their row of the table; the pages of the others are made from it.
BY_HAND = {"run", "doctor"}
COMMON = {"json", "quiet", "help"}

# A line of `aisbx OPERATION --help`: "  -p, --profile PROFILE  ..." or "      --no-net  ...".
HELP_LINE = re.compile(r"^ {2}(?:-(\w), | {4})--([a-z-]+)(?: ([A-Z][^\s]*))?", re.M)
# The head of an option in a page: "*-p*, *--profile* _PROFILE_" or "*--ro* _HOST_[:_GUEST_]".
PAGE_LINE = re.compile(r"^(?:\*-(\w)\*, )?\*--([a-z-]+)\*(?: (\S+))?$", re.M)
MENTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")


def aisbx(*words):
    program = os.environ.get("AISBX")
    assert program, "set AISBX to the aisbx to test"
    return subprocess.run([program, *words], stdout=subprocess.PIPE, check=True).stdout.decode()


@functools.cache
def operations():
    """Name -> names of its arguments."""
    found = json.loads(aisbx("schema", "--json"))["operations"]
    return {op["name"]: set(op["arguments"]["properties"]) for op in found}


def options(pattern, text):
    """Name -> (letter, name of the value)."""
    return {name: (letter, value.replace("_", "")) for letter, name, value in pattern.findall(text)}


def page(operation):
    return (MAN / f"aisbx-{operation}.1.scd").read_text()


def paged():
    return sorted(BY_HAND)


def test_there_is_a_page_for_every_operation():
    assert {p.name for p in PAGES} == {"aisbx.1.scd", "aisbx-fleet.1.scd"} | {f"aisbx-{name}.1.scd" for name in paged()}
    listed = re.search(r"^operations = \[(.*?)\]", (ROOT / "src/op/meson.build").read_text(), re.S | re.M).group(1)
    assert set(re.findall(r"'([\w -]+)'", listed)) == set(operations())
    assert "\n@OPERATIONS@\n" in (MAN / "aisbx.1.scd").read_text()


def test_the_long_help_lists_every_operation_and_the_short_one_what_comes_first():
    short, long = aisbx("--help"), aisbx("help", "all")
    assert all(re.search(rf"^  {name}  *[A-Z]", long, re.M) for name in operations())
    assert 15 <= len(short.splitlines()) <= 24 and "aisbx help all" in short
    groups = ["Run", "Boxes", "Images", "Bring back", "Try several", "Agents", "Look and learn", "System"]
    assert re.findall(r"^([A-Z][a-z ]*[a-z])$", long, re.M) == groups
    assert re.findall(r"^([A-Z][a-z ]*?) {2,}", short, re.M) == [g for g in groups if g != "Images"], "what a beginner needs first"


def test_every_argument_of_the_schema_is_in_its_page():
    for name in paged():
        text = page(name)
        written = options(PAGE_LINE, text)
        for argument in operations()[name]:
            positional = rf"_{argument.upper()}_"
            assert argument in written or re.search(positional, text), f"aisbx-{name}(1) lacks {argument}"


def test_pages_and_help_agree():
    """Names, letters and values; nothing in one that is not in the other."""
    for name in paged():
        assert options(PAGE_LINE, page(name)) == options(HELP_LINE, aisbx(name, "--help")), name


def fleet_options():
    """Those of aisbx-fleet's commands and of --on, as its help tells them."""
    commands = re.findall(r"^  ([a-z]+) ", aisbx("fleet", "--help").split("Options of")[0], re.M)
    helps = [aisbx("fleet", "--help"), *(aisbx("fleet", command, "--help") for command in commands)]
    return {name: value for text in helps for name, value in re.findall(r"^  --([a-z-]+)(?:\[?[ =](\S+?)\]?)? {2,}\S", text, re.M)}


def test_the_page_of_the_fleet_has_all_options():
    written = set(re.findall(r"^\*--([a-z-]+)\*", page("fleet"), re.M))
    assert written == set(fleet_options())


def test_common_options_are_in_the_general_page():
    assert set(options(PAGE_LINE, (MAN / "aisbx.1.scd").read_text())) == COMMON


@pytest.mark.parametrize("source", PAGES, ids=lambda p: p.name)
def test_no_page_speaks_of_an_unknown_option(source):
    known = set().union(*operations().values()) | COMMON | {"version"}
    known |= set(fleet_options()) if source.name == "aisbx-fleet.1.scd" else set()
    known |= {name for operation in paged() for name in options(HELP_LINE, aisbx(operation, "--help"))}
    assert not set(MENTION.findall(source.read_text())) - known


@pytest.mark.parametrize("source", PAGES, ids=lambda p: p.name)
def test_scdoc_takes_it(source):
    done = subprocess.run(["scdoc"], input=source.read_bytes(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert f'.TH "{source.name.split(".")[0]}" "1"'.encode() in done.stdout


def test_checks_of_the_doctor_are_in_its_page():
    done = subprocess.run([os.environ["AISBX"], "doctor", "--json"], stdout=subprocess.PIPE, check=False)
    names = {check["name"] for check in json.loads(done.stdout)["checks"]}
    assert names and all(f"*{name}*" in page("doctor") for name in names)


def test_walls_are_in_the_page_of_run():
    walls = json.loads(aisbx("run", "--json", "--", "true"))["isolation"]["walls"]
    assert walls and all(f"*{wall}*" in page("run").split("# WALLS")[1] for wall in walls)


def profile_limits(name):
    result = json.loads(aisbx("run", "--profile", name, "--output", "16m" if name != "dev" else "256m", "--json", "--", "true"))
    return {kind: limit.get("asked", limit["value"]) for kind, limit in result["limits"].items()}


UNITS = {"s": 1000, "min": 60 * 1000, "h": 3600 * 1000, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
FIELDS = {"timeout": "wall_time", "processors": "cpu", "memory": "memory", "disk": "disk", "inodes": "inodes",
          "file size": "file_size", "processes": "processes", "open files": "files", "output": "output"}


def number(cell, kind):
    """Of a cell such as "10min" or "2g"; None for a word: no limit, or the machine's."""
    told = re.fullmatch(r"(\d+)([a-z]*)", cell)
    return told and int(told[1]) * (UNITS[told[2]] if told[2] else 1000 if kind == "cpu" else 1)


def test_numbers_of_the_profiles():
    """The table of profiles says what boxes of each profile are held to."""
    table = page("run").split("# PROFILES")[1].split("\n# ")[0]
    names = re.findall(r"^:- \*(\w+)\*$", table, re.M)
    rows = dict(re.findall(r"^\|  (.+)\n((?::.*\n)+)", table, re.M))
    columns = [profile_limits(name) for name in names]
    assert names == ["dev", "strict"] and set(FIELDS.values()) == set(columns[1])
    for row, kind in FIELDS.items():
        for cell, column in zip(re.findall(r": +(.+)", rows[row]), columns, strict=True):
            told = number(cell, kind)
            assert told == (column.get(kind) if told or kind != "memory" else None), row


def test_numbers_of_the_languages():
    """Each is strict with other numbers, as told in the second table."""
    strict = profile_limits("strict")
    table = page("run").split("# PROFILES")[1].split("\n# ")[0]
    found = re.findall(r"^\|  \*(\w+)\*\n((?::.*\n)+)", table, re.M)
    assert [name for name, _ in found] == ["python", "javascript", "shell", "go", "rust", "java", "c"]
    kinds = ["wall_time", "cpu", "memory", "processes", "disk"]
    for name, cells in found:
        told = [number(cell, kind) for cell, kind in zip(re.findall(r": +(.+)", cells), kinds, strict=True)]
        limits = profile_limits(name)
        assert [limits[kind] for kind in kinds] == told, name
        if name in ("python", "javascript", "shell"):
            assert limits == strict | {"memory": limits["memory"], "wall_time": limits["wall_time"]}
    assert set(re.findall(r'"name":"(\w+)"', aisbx("profile", "ls", "--json"))) >= {"dev", "strict", *(name for name, _ in found)}
