# SPDX-License-Identifier: Apache-2.0
"""Reads the JUnit reports of steps and of their second tries, and says which tests passed, failed, or did now this, now that.

A skipped test counts as failed: what was not tried is not known to work.
"""
import collections
import xml.etree.ElementTree

BAD = ("failure", "error", "skipped")


def cases(directory):
    """(report, class, name) -> what was said of a test that failed, None of one that passed; of a broken report its name."""
    found = {}
    for report in sorted(directory.rglob("*.xml")):
        try:
            for case in xml.etree.ElementTree.parse(report).iter("testcase"):
                bad = [child for child in case if child.tag in BAD]
                key = (report.stem, case.get("classname") or "", case.get("name"))
                # A test that fails and then fails to clean up stands there twice.
                found[key] = f"{bad[0].get('message') or ''}\n{bad[0].text or ''}" if bad else found.get(key)
        except xml.etree.ElementTree.ParseError as err:
            found[(report.stem, "", "report")] = str(err)
    return found


def failed(directory):
    return [key for key, text in cases(directory).items() if text is not None]


def brief(directory):
    """A line for each test that failed: its name, and the first that was said of it."""
    for (_, klass, name), text in cases(directory).items():
        if text is not None:
            yield f"{' '.join(filter(None, (klass, name)))}: {(text.strip().splitlines() or [''])[0][:200]}"


def explains(directory):
    """Whether a suite that failed told which tests did; if not, there is nothing to try again."""
    return any(name != "report" for _, _, name in failed(directory))


def note_flaky(directory, name):
    (directory / "flaky").write_text(name)


class Verdicts:
    def __init__(self, out, again, logs):
        self.passed, self.flaky, self.failed, self.logs = 0, {}, {}, logs
        for step in sorted(out.iterdir()):
            self.add(step.name, cases(step), cases(again / step.name))
        for mark in again.glob("*/flaky"):
            self.flaky[mark.read_text()] = "the whole step failed the first time"

    def add(self, step, first, second):
        for key, text in first.items():
            name = f"{step}: {' '.join(filter(None, key[1:]))}"
            if text is None:
                self.passed += 1
            elif key in second and second[key] is None:
                self.flaky[name] = text
            else:
                self.failed[name] = second.get(key) or text

    def step(self, name, why=None):
        if why is None:
            self.passed += 1
        else:
            self.failed[name] = why

    def tell(self, at_most):
        """Prints all of it, "N passed, N failed" last; returns the exit status."""
        for name, text in self.flaky.items():
            print(f"flaky: {name}\n  the first time, beside others:\n{indent(text)}\n  once more, alone: passed")
            log = self.logs / f"{name.partition(':')[0]}-again"
            if log.exists():
                print(indent(log.read_text(errors="replace"), 15))
        for name, text in self.failed.items():
            print(f"failed: {name}\n{indent(text, 12)}")
        count = collections.Counter(passed=self.passed + len(self.flaky), failed=len(self.failed))
        if len(self.flaky) > at_most:
            print(f"failed: {len(self.flaky)} tests were flaky; {at_most} at most may be")
            count["failed"] += 1
        if self.flaky:
            print(f"ci: {len(self.flaky)} flaky")
        print(f"{count['passed']} passed, {count['failed']} failed", flush=True)
        return 1 if count["failed"] or not count["passed"] else 0


def indent(text, lines=40):
    kept = [line[:300] for line in text.strip().splitlines()]
    return "\n".join(f"    {line}" for line in kept[-lines:])
