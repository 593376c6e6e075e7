# SPDX-License-Identifier: Apache-2.0
"""The table of traps: each row that says it is proved is, by its tool; docs/traps.md tells it; and a promotion stops at what was planted."""
import os
import pathlib
import subprocess

import pytest

import pace
import table
from promote import Shelf, path_of
from proofs import PROOFS

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("AISBX_TEST_CACHE") or pathlib.Path.home() / ".cache" / "aisbx-tests")
NODE = CACHE / "traps-node/node_modules/.bin"


def plant(where, files):
    for name, text in files.items():
        path = where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(C=where / "owned", D=where))
        path.chmod(0o755)


def act(where, proof, command):
    home = where if proof.home else where / "home"
    home.mkdir(exist_ok=True)
    env = {"PATH": f"{NODE}:/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8", "TERM": "dumb", "GIT_CONFIG_NOSYSTEM": "1",
           "CARGO_HOME": str(where / "home/cargo"), "npm_config_cache": str(where / "home/npm"), "CI": "1",
           **{key: value.format(D=where) for key, value in proof.env.items()}}
    return subprocess.run(["sh", "-c", command.format(C=where / "owned", D=where)], cwd=where, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=pace.seconds(60), check=False)


@pytest.mark.parametrize("name", PROOFS)
def test_the_tool_obeys_it_unasked(tmp_path, name):
    """Without the file nothing happens, with it the planted code runs: so the row is true."""
    proof = PROOFS[name]
    where = tmp_path.resolve() / "place"
    where.mkdir()
    for command in proof.before:
        done = act(where, proof, command)
        assert done.returncode == 0, done.stdout
    plant(where, proof.others)
    said = [act(where, proof, command).stdout for command in proof.run]
    assert not (where / "owned").exists(), said
    plant(where, proof.traps)
    act(where, proof, proof.consent)
    said += [act(where, proof, command).stdout for command in proof.run]
    assert (where / "owned").exists(), said


def test_a_promotion_stops_at_each(tmp_path):
    shelf = Shelf(tmp_path)
    shelf.ok("create", "b")
    at_top = {"python-shadow", "python-pip"}  # of these the place counts
    files = {("" if name in at_top else name + "/") + path: text for name, proof in PROOFS.items() for path, text in proof.traps.items()
             if not path.startswith(".git/")}  # that stays in the box at all
    shelf.py("b", f"""
        import os
        for name, text in {files!r}.items():
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            open(name, "w").write(text.replace("{{{{", "{{").replace("}}}}", "}}"))
        """)
    found = {path_of(t).decode() for t in shelf.stopped("b")["traps"]}
    assert not set(files) - found


def test_rows_and_proofs_agree():
    named = {row["proof"] for row in table.rows()} - {""}
    assert named == set(PROOFS), named ^ set(PROOFS)


def test_the_page_tells_the_table():
    page = (ROOT / "docs/traps.md").read_text()
    assert table.page() in page, "run tests/traps/table.py and put what it prints at the end of docs/traps.md"


def expand(pattern):
    """Names that fit a pattern: one for each way through its lists."""
    start = next((i for i in range(len(pattern) - 1) if pattern[i] in "@?*" and pattern[i + 1] == "("), None)
    if start is None:
        return [pattern.replace("*", "x").replace("?", "x")]
    depth, parts, at = 0, [], start + 2
    for i in range(start + 1, len(pattern)):
        depth += (pattern[i] == "(") - (pattern[i] == ")")
        if depth == 0 or (depth == 1 and pattern[i] == "|"):
            parts.append(pattern[at:i])
            at = i + 1
        if depth == 0:
            break
    return [name for part in parts + ([""] if pattern[start] != "@" else []) for name in expand(pattern[:start] + part + pattern[at:])]


def test_every_pattern_finds_what_it_means(tmp_path):
    shelf = Shelf(tmp_path)
    shelf.ok("create", "b")
    names = set()
    for i, row in enumerate(table.rows()):
        if row["macro"] != "KEY" and not row["pattern"].startswith(("/", ".git/")):
            for k, name in enumerate(expand(row["pattern"])):
                names.add(name[2:] if name.startswith("./") else f"d{i}/{k}/{name}")
    shelf.py("b", """
        import os, sys
        for name in sys.argv[1].splitlines():
            if not os.path.lexists(name):
                os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
                open(name, "w").close()
        """, "\n".join(sorted(names)))
    found = {path_of(t).decode() for t in shelf.stopped("b")["traps"]}
    assert len(names) > 1000 and not names - found, sorted(names - found)[:20]


def test_no_row_is_there_twice():
    keys = [(row["pattern"].lower(), row["key"]) for row in table.rows()]
    assert len(keys) == len(set(keys)) and all(row["kind"] in table.KINDS and row["tool"] and row["when"] for row in table.rows())
