# SPDX-License-Identifier: Apache-2.0
"""Labelled programs, written for this: how many of the bad ones raise an alarm, and how many of the good ones.

A file's first comment is its label and a few words: malicious, tricky (malicious and disguised), benign, tricky-benign
(looks bad, is not). An alarm is a risk of high or critical by the policy that is built in.
"""
import json
import pathlib
import re
import subprocess

import box
import pytest

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
LANGUAGES = ("python", "javascript", "shell")
BAD, GOOD = ("malicious", "tricky"), ("benign", "tricky-benign")
LABEL = re.compile(r"^(?:#!.*\n)?(?:#|//|/\*) *(malicious|tricky-benign|tricky|benign)\b")
ALARM = ("high", "critical")


def label(path):
    found = LABEL.match(path.read_text(errors="replace"))
    assert found, f"{path} does not begin with its label"
    return found.group(1)


def labelled(language):
    return {path: label(path) for path in sorted((CORPUS / language).iterdir())}


def risks(language, paths):
    """Path -> (risk, rules) of each program, by one call of the program itself."""
    done = subprocess.run([box.aisbx(), "scan", "--json", *map(str, paths)], stdout=subprocess.PIPE, timeout=120)
    result = json.loads(done.stdout)
    assert "status" not in result, result
    assert result["scanned"] == len(paths) and result["skipped"] == 0
    found = {path: ("none", []) for path in map(str, paths)}
    for file in result["files"]:
        found[file["path"]] = file["risk"], sorted({f["rule"] for f in file["findings"]})
        assert file["language"] in (language, {"javascript": "typescript"}.get(language))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_precision_and_recall(language, tell):
    programs = labelled(language)
    assert len(programs) >= 130
    found = risks(language, programs)
    alarms = {path for path in programs if found[str(path)][0] in ALARM}
    bad = {path for path, kind in programs.items() if kind in BAD}
    plain = {path for path, kind in programs.items() if kind == "malicious"}
    good = set(programs) - bad
    assert len(bad) >= 60 and len(good) >= 40
    recall, plain_recall = len(alarms & bad) / len(bad), len(alarms & plain) / len(plain)
    false = len(alarms & good) / len(good)
    tell(f"scan of {language}: {len(programs)} programs; precision {len(alarms & bad) / max(1, len(alarms)):.3f}, "
         f"recall {recall:.3f} (malicious {plain_recall:.3f}), false alarms {false:.3f}")
    missed = sorted(p.name for p in bad - alarms)
    wrong = {p.name: found[str(p)] for p in sorted(alarms & good)}
    assert recall >= 0.98 and plain_recall >= 0.98, f"missed: {missed}"
    assert false <= 0.02, f"false alarms: {wrong}"


def test_there_are_enough_of_them():
    kinds = [kind for language in LANGUAGES for kind in labelled(language).values()]
    assert len(kinds) >= 400
    assert {"malicious", "tricky", "benign"} <= set(kinds)
