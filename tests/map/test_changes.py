# SPDX-License-Identifier: Apache-2.0
"""One list of kinds of changes, CHANGE_KINDS in src/layer/change.h: everything that speaks of changes knows each of them.

The table of merges, the words for people, the schemas, the document and the matrix of tests are each read and compared
with the list, and where they say what two changes make together, with the table as the program itself has it.
"""
import ast
import itertools
import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def read(path):
    return (ROOT / path).read_text()


def kinds():
    """Names in C -> names in results."""
    text = read("src/layer/change.h")
    body = re.search(r"#define CHANGE_KINDS\(X\)(.*?)\n\n", text, re.S).group(1)
    found = dict(re.findall(r'X\((\w+), "(\w+)"\)', body))
    assert len(found) == body.count("X(") and len(found) >= 8, found
    return found


KINDS = kinds()
NAMES = list(KINDS.values())
REAL = [name for name in NAMES if name != "none"]
# A file written as it was is no news to a person who asks what a box changed: diff does not list it.
NOT_IN_DIFF = {"touched"}


@pytest.fixture(scope="module", name="table")
def fixture_table():
    """(box, outside) -> action, as the program has it: the C test prints it."""
    folder = os.environ.get("AISBX_TEST_BIN")
    assert folder, "set AISBX_TEST_BIN to the directory of the test programs"
    out = subprocess.run([f"{folder}/test-layer-merge_table", "print"], check=True, capture_output=True, text=True).stdout
    head, *rows = [line.split("\t") for line in out.splitlines()]
    assert head == ["box", *NAMES] and [row[0] for row in rows] == NAMES, "every kind is a row and a column"
    return {(row[0], host): action for row in rows for host, action in zip(NAMES, row[1:], strict=True)}


def test_every_kind_is_a_row_and_a_column():
    """In the source, too: a kind that was forgotten would be a row of zeros, which are IMPOSSIBLE."""
    text = read("src/layer/merge.c")
    body = re.search(r"\btable\[CHANGE_KIND_COUNT\]\[CHANGE_KIND_COUNT\] = \{(.*?)\n\};", text, re.S).group(1)
    macro, rest = re.search(r"#define ROW\((.*?\\\n.*?)\n(?!\t  \[)(.*)", body, re.S).groups()
    columns = re.findall(r"\[CHANGE_(\w+)\]\s*=", macro)
    rows = re.findall(r"\[CHANGE_(\w+)\]\s*=\s*ROW\((.*?)\)", rest, re.S)
    assert columns == list(KINDS), "a column for each"
    assert [name for name, _ in rows] == list(KINDS), "a row for each"
    for name, cells in rows:
        assert len(cells.split(",")) == len(KINDS), name


def test_only_what_cannot_be_has_no_action(table):
    """Both sides are compared with one base: it had the path, or it had not."""
    for (box, host), action in table.items():
        impossible = "none" not in (box, host) and (box == "created") != (host == "created")
        assert (action == "-") == impossible, (box, host, action)


def test_every_kind_has_a_mark():
    body = re.search(r"\bchange_marks\[\] = \{(.*?)\};", read("src/cli/render_common.c"), re.S).group(1)
    marks = dict(re.findall(r'\{ "(\w+)", "(.)", \w+ \}', body))
    assert marks.keys() == set(REAL)
    assert len(set(marks.values())) == len(marks), "two kinds look the same"


def test_both_faces_use_these_marks():
    for name in ("render_box", "render_promote"):
        text = read(f"src/cli/{name}.c")
        assert "change_mark_of(text_of(c, \"kind\"))" in text and not re.search(r'\{ "(\w+)", "(.)", \w+ \}', text), name


def test_promotions_count_every_kind():
    body = re.search(r"\bcounts\[\] = \{(.*?)\};", read("src/cli/render_promote.c"), re.S).group(1)
    assert set(REAL) <= set(re.findall(r'\{ "(\w+)"', body))


def schema(operation):
    program = os.environ.get("AISBX")
    assert program, "set AISBX to the aisbx to test"
    out = subprocess.run([program, "schema", operation], check=True, capture_output=True, text=True).stdout
    return json.loads(out)["operations"][0]["result"]["properties"]


def test_every_kind_is_in_the_result_of_a_promotion():
    summary = schema("promote")["summary"]["properties"]
    assert list(summary)[:len(REAL)] == REAL
    assert set(summary) - set(REAL) == {"merged", "conflicts", "traps", "secrets"}


def test_every_kind_but_one_is_in_the_result_of_a_diff():
    summary = schema("diff")["summary"]["properties"]
    assert list(summary) == [name for name in REAL if name not in NOT_IN_DIFF]
    assert re.search(r"kind == CHANGE_TOUCH\)\s*continue; /\*", read("src/op/diff.c")), "left out, and the reason said"


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables_of(text):
    """Every table of a document, as rows of cells."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
        rows = [cells_of(line) for line in block.splitlines()]
        yield [row for row in rows if not set("".join(row)) <= set("-: ")]


def test_the_document_explains_every_kind():
    rows = next(t for t in tables_of(read("docs/internals/changes.md")) if t[0][0] == "kind")
    assert [row[0] for row in rows[1:]] == NAMES
    assert all(row[1] for row in rows)


def test_the_document_has_the_table(table):
    """Cell by cell what the program does."""
    found = [t for t in tables_of(read("docs/internals/changes.md")) if t[0][1:] == NAMES]
    assert len(found) == 1, "one table with the kinds as columns"
    rows = found[0]
    assert [row[0] for row in rows[1:]] == NAMES
    differ = [(row[0], host, cell, table[row[0], host])
              for row in rows[1:] for host, cell in zip(NAMES, row[1:], strict=True) if cell != table[row[0], host]]
    assert not differ, "box, outside, document, program"


def matrix():
    """The tables of the test matrix, without running it: (box's action, host's action) -> letter; action -> kind."""
    wanted = {"TABLE", "_LINES", "CASES", "CONTENT", "KIND"}
    module = ast.parse(read("tests/e2e/test_promote_matrix.py"))
    module.body = [n for n in module.body if isinstance(n, ast.Assign) and n.targets[0].id in wanted]
    assert len(module.body) == len(wanted)
    found = {}
    exec(compile(module, "matrix", "exec"), found)  # literals and what is built from them
    return found["CASES"], {"none": "none", **found["KIND"]}


# What a letter of the matrix may be for an action of the table. Merging contents that overlap, or are no text, is a
# conflict, and where both sides did the same, nothing is left to do. "u" is for what cannot be told from more than a new time.
LETTERS = {"nothing": ".t", "apply": "abu", "merge": "mbX.", "conflict": "X."}


def test_the_matrix_tries_every_pair(table):
    """Every pair that can be is tried, and the matrix expects what the table says."""
    cases, kind = matrix()
    tried = {}
    for (box, host), letter in cases.items():
        if "rename" in (box, host):  # two changes in one
            continue
        b, h = kind[box], kind[host]
        if (b == "created") != (h == "created") and "none" not in (b, h):
            continue  # of two different files there
        assert letter in LETTERS[table[b, h]], f"{box} and {host}: {letter!r}, but the table says {table[b, h]}"
        tried.setdefault((b, h), set()).add(letter)
    possible = {pair for pair in itertools.product(NAMES, NAMES) if table[pair] != "-"}
    assert tried.keys() == possible
    for pair, letters in tried.items():  # and not only where both did the same
        if table[pair] in ("merge", "conflict"):
            assert letters & set("mbX"), (pair, letters)
