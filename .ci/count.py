#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up JUnit reports and the results of the steps, says which failed, and prints "N passed, N failed" last.

usage: count.py OUT     OUT/**/*.xml are reports, lines of OUT/steps are "ok NAME" or "failed NAME"
A skipped test counts as failed: what was not tried is not known to work.
"""
import pathlib
import sys
import xml.etree.ElementTree


def cases(report):
    """(name, verdict) of every test of one report."""
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        name = f"{report.parent.name}/{report.stem}: {case.get('classname', '')} {case.get('name')}"
        bad = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        yield name, bad[0] if bad else "ok"


def main():
    out = pathlib.Path(sys.argv[1])
    results = []
    for report in sorted(out.rglob("*.xml")):
        try:
            results += cases(report)
        except xml.etree.ElementTree.ParseError as err:
            results.append((f"{report}: {err}", "error"))
    for line in (out / "steps").read_text().splitlines():
        verdict, _, name = line.partition(" ")
        results.append((name, verdict))
    failed = [(name, verdict) for name, verdict in results if verdict != "ok"]
    for name, verdict in failed:
        print(f"{verdict}: {name}")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not results else 0


sys.exit(main())
