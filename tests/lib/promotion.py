# SPDX-License-Identifier: Apache-2.0
"""The shelf of tests/lib/promote.py for tests of what a person sees: results by their schema, refusals, leftovers."""
import functools
import json
import os
import pathlib
import subprocess

import jsonschema

import promote
from box import aisbx, changed, facts

OPERATIONS = ("promote", "undo", "recover", "combine")


def strict(schema):
    """Objects have no fields that their schema does not name."""
    if isinstance(schema, list):
        return [strict(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    known = {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {}
    return {**{k: strict(v) for k, v in schema.items()}, **known}


@functools.lru_cache
def schema_of(operation):
    out = subprocess.run([aisbx(), "schema", operation], check=True, capture_output=True, timeout=60).stdout
    (found,) = json.loads(out)["operations"]
    assert found["name"] == operation
    return strict(found["result"])


class Shelf(promote.Shelf):
    """Every result of these operations is what its schema says."""

    def __init__(self, root, state=None):
        super().__init__(root)
        if state:
            self.state = pathlib.Path(state) / "aisbx"
            self.env["XDG_STATE_HOME"] = str(state)
        self.before = ()  # words in front of every command

    def start(self, *words, cwd=None, **popen):
        return subprocess.Popen([*self.before, aisbx(), *map(os.fspath, words)], cwd=cwd or self.project, env=self.env,
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                                   "stderr": subprocess.PIPE, **popen})

    def call(self, op, *words, **kw):
        status, result = super().call(op, *words, **kw)
        if op in OPERATIONS and status in (0, 1):
            jsonschema.validate(result, schema_of(op))
        return status, result

    def refused(self, code, op, *words, **kw):
        """The text of a refusal with this errno's name, after which everything is as before."""
        before = facts(self.project)
        status, result = self.call(op, *words, **kw)
        assert status == 125 and result["status"] == "error", f"{op} {words} was not refused: {status}, {result}"
        assert result["error"]["code"] == code, result
        assert not changed(before, facts(self.project))
        return result["error"]["text"]

    def halted(self, op, *words, **kw):
        """The result of what conflicts or traps stopped, after which everything is as before."""
        before = facts(self.project)
        status, result = self.call(op, *words, **kw)
        assert status == 1, f"{op} {words} was not stopped: {status}, {result}"
        assert not changed(before, facts(self.project))
        assert not result.get("applied") and not result.get("undone"), result
        return result

    def box(self, name, script=None):
        self.ok("create", name)
        return self.sh(name, script) if script else None

    def write(self, **files):
        """write(a="text"): a file of the real project; "__" in a name is a slash."""
        for name, text in files.items():
            path = self.project / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def read(self, name):
        path = self.project / name
        return path.read_text() if path.exists() else None

    def journals(self):
        """Names in promotions/, and of promotions what they hold."""
        top = self.state / "promotions"
        return {n: sorted(os.listdir(top / n)) if (top / n).is_dir() else None for n in sorted(os.listdir(top))}


def paths(rows):
    return sorted(row["path"] for row in rows)


def tree(top, times=False):
    """Names and contents below TOP, for comparisons."""
    found = {}
    for here, dirs, files in os.walk(top):
        for name in dirs + files:
            path = os.path.join(here, name)
            st = os.lstat(path)
            content = None
            if os.path.islink(path):
                content = os.readlink(path)
            elif not os.path.isdir(path):
                content = pathlib.Path(path).read_bytes()
            found[os.path.relpath(path, top)] = (oct(st.st_mode), content, st.st_mtime_ns if times and name in files else 0)
    return found
