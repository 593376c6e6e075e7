# SPDX-License-Identifier: Apache-2.0
"""Carries out steps from a JSON file in the current directory: in a box as the attack, on the host as its control.

Also a program: `git_plant.py STEPS`.
"""
import json
import os
import pathlib
import shutil
import sys


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()


def plant(steps, top="."):
    """Each is (what, path, text)."""
    for what, name, text in steps:
        path = pathlib.Path(top, name)
        if what != "append" and what != "dir":
            remove(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if what == "dir":
            path.mkdir(exist_ok=True)
        elif what == "link":
            path.symlink_to(text)
        elif what == "move":
            pathlib.Path(top, text).rename(path)
        elif what in ("write", "program"):
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
            path.chmod(0o755 if what == "program" else 0o644)
        elif what == "hex":
            path.write_bytes(bytes.fromhex(text))
        elif what == "append":
            with path.open("a", encoding="utf-8") as f:
                f.write(text)
        else:
            assert what == "remove", what


if __name__ == "__main__":
    plant(json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
