# SPDX-License-Identifier: Apache-2.0
"""Every name in the list of traps, src/policy/trap.c, is tried by its unit test, and found to be of its kind."""
import fnmatch
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def patterns():
    """(pattern, kind) of every row."""
    text = (ROOT / "src/policy/trap.c").read_text()
    kinds = dict(re.findall(r'#define (\w+)\s+"([\w-]+)", "', text))
    rows = re.findall(r'^\t\{ "([^"]+)", \{ (\w+) \} \},', text, re.M)
    assert len(rows) > 100 and len(rows) == len(re.findall(r"^\t\{ .*\{ [A-Z_]+ \} \},$", text, re.M))
    return [(pattern, kinds[name]) for pattern, name in rows]


def tried():
    text = (ROOT / "tests/unit/policy/test_trap.c").read_text()
    return re.findall(r'^\t\{ "([^"]+)", "([\w-]+)" \},', text, re.M)


def test_every_name_is_tried():
    missing = [pattern for pattern, kind in patterns()
               if not any(kind == k and (fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name, pattern + "/*"))
                          for name, k in tried())]
    assert not missing


def test_no_name_is_there_twice():
    names = [pattern.lower() for pattern, _ in patterns()]
    assert len(names) == len(set(names))
