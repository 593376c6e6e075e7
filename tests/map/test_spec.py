# SPDX-License-Identifier: Apache-2.0
"""Keeps docs/SPEC.md true: every requirement once, with a status, and every test it names exists. And the table
of rooms in docs/ARCHITECTURE.md: it is the map that test_include_map.py enforces."""
import importlib.util
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = ROOT / "docs/SPEC.md"

# How many requirements each letter has.
COUNTS = {"A": 10, "B": 4, "C": 6, "D": 11, "E": 7, "F": 11, "G": 3, "H": 6, "I": 11, "J": 4, "K": 6}
REQUIREMENTS = [f"{letter}{n}" for letter, count in COUNTS.items() for n in range(1, count + 1)]
STATUSES = {"done", "partly", "not yet"}

ROW = re.compile(r"^\| ([A-Z]\d+) \| ([^|]+) \| ([^|]+) \|(.*)\|$", re.M)
TEST = re.compile(r"`(tests/[^`:]+\.(?:py|c))(?:::([^`]+))?`")
PATH = re.compile(r"`((?:src|tests|docs|policies|packaging|bench|tools|man|include)/[^`:*]*)`")


def rows():
    return ROW.findall(SPEC.read_text())


def names_in(path):
    """Names of the tests in a file, also of those that attack/case.py makes from its list of cases."""
    text = path.read_text()
    if path.suffix == ".c":
        return set(re.findall(r"cmocka_unit_test\w*\(\s*(\w+)", text))
    made = {f"test_{int(number):03}_{name}" for number, name in re.findall(r'\bCase\((\d+), "(\w+)"', text)}
    return made | set(re.findall(r"^def (test_\w+)", text, re.M))


def test_every_requirement_is_listed_once():
    assert [row[0] for row in rows()] == REQUIREMENTS


def test_every_status_is_known():
    odd = {row[0]: row[2] for row in rows() if row[2] not in STATUSES}
    assert not odd


def test_every_named_test_exists():
    missing = []
    for file, name in TEST.findall(SPEC.read_text()):
        path = ROOT / file
        if not path.is_file() or (name and name not in names_in(path)):
            missing.append(f"{file}::{name}")
    assert not missing


def test_every_named_file_exists():
    assert not [path for path in PATH.findall(SPEC.read_text()) if not (ROOT / path).exists()]


def test_what_is_done_names_its_test():
    """A number without a test is not done, and one that is not begun has none."""
    for number, _, status, proof in rows():
        has_test = any(name for _, name in TEST.findall(proof))
        assert has_test or status != "done", f"{number} is done, but by what test?"
        assert not has_test or status != "not yet", f"{number} has a test, so it is begun"


def test_the_names_are_found():
    """The control: what is read out of the files is not empty."""
    assert "test_066_unshare_newuser" in names_in(ROOT / "tests/attack/test_namespaces.py")
    assert "test_every_known_call_is_listed" in names_in(ROOT / "tests/sys/test_seccomp_matrix.c")
    assert len(rows()) > 50


def test_the_rooms_of_the_architecture_page():
    found = importlib.util.spec_from_file_location("include_map", pathlib.Path(__file__).with_name("test_include_map.py"))
    include_map = importlib.util.module_from_spec(found)
    found.loader.exec_module(include_map)
    table = (ROOT / "docs/ARCHITECTURE.md").read_text().split("## Rooms")[1].split("\n## ")[0]
    told = {folder: set(re.findall(r"`([^`]+)`", may)) for folder, may in
            re.findall(r"^\| `([\w/]+)` \| ([^|]+) \|", table, re.M)}
    assert told == include_map.MAP
