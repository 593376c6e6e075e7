# SPDX-License-Identifier: Apache-2.0
"""Keeps the manual true: its pages name exactly the options that aisbx has, and scdoc takes them."""
import functools
import json
import math
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
    assert {p.name for p in PAGES} == {"aisbx.1.scd"} | {f"aisbx-{name}.1.scd" for name in paged()}
    made = re.search(r"foreach op : \[(.*?)\]", (MAN / "meson.build").read_text(), re.S).group(1)
    assert set(re.findall(r"'(\w+)'", made)) == set(operations()) - BY_HAND
    general = (MAN / "aisbx.1.scd").read_text()
    for name in operations():
        assert re.search(rf"^\*aisbx {name}\*", general, re.M), f"aisbx(1) does not list {name}"


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


def test_common_options_are_in_the_general_page():
    assert set(options(PAGE_LINE, (MAN / "aisbx.1.scd").read_text())) == COMMON


@pytest.mark.parametrize("source", PAGES, ids=lambda p: p.name)
def test_no_page_speaks_of_an_unknown_option(source):
    known = set().union(*operations().values()) | COMMON | {"version"}
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


def product(text):
    """Of a C expression such as "100 * MIB"."""
    return math.prod({"MIB": 1 << 20}.get(word) or int(word) for word in text.split(" * "))


def test_numbers_of_the_profiles():
    """The table of profiles says what src/policy/profile.c says."""
    source = (ROOT / "src/policy/profile.c").read_text()
    rows = dict(re.findall(r"^\|  (.+)\n((?::.*\n)+)", page("run"), re.M))
    fields = {"timeout": (r"timeout_ms = ([^,]+),", {"s": 1000, "h": 3600 * 1000}),
              "disk": (r"disk_bytes = ([^,]+),", {"m": 1 << 20, "g": 1 << 30}),
              "processes": (r"\.pids = ([^,]+),", {"": 1}),
              "open files": (r"\.files = ([^,]+),", {"": 1}),
              "output": (r"output_bytes = ([^,]+),", {"m": 1 << 20})}
    for row, (pattern, units) in fields.items():
        real = [product(text) for text in re.findall(pattern, source)]
        told = [int(number) * units[unit] for number, unit in re.findall(r": +(\d+)(\w?)", rows[row])]
        assert told == real, row
