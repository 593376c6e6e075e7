#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Of the ways a file is compiled, keeps one of each kind: clang-tidy would look at it once for every program it is part of.

usage: tidy-commands.py BUILD OUT     OUT gets a compile_commands.json with what is left of BUILD's
Kinds differ in what is defined, not in where the object goes or whether it can be moved.
"""
import json
import os
import pathlib
import shlex
import sys


def kind(entry):
    words = shlex.split(entry["command"])
    return (os.path.normpath(os.path.join(entry["directory"], entry["file"])),
            tuple(sorted(word for word in words if word.startswith(("-D", "-U", "-std")))))


build, out = map(pathlib.Path, sys.argv[1:])
entries = json.loads((build / "compile_commands.json").read_text())
left = list({kind(entry): entry for entry in reversed(entries)}.values())
out.mkdir(exist_ok=True)
(out / "compile_commands.json").write_text(json.dumps(left, indent=1))
print(f"{len(left)} of {len(entries)} commands")
