# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of CI and says what came of them: side by side what can be, then alone what needs quiet, then once more, alone, every
test that failed.

usage: ci.py [--list] [--keep DIR] [STEP [TEST...]]     by .ci/run, which installs what is needed first
"""
import contextlib
import itertools
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import time

import cost
import reports
import steps

LANES = 5  # steps side by side: two of tests, which wait more than they work, and what fills the rest of two processors
# Seconds; what is not done by then has failed, while there is still time to say so.
AT_MOST = 24 * 3600 if steps.LONG else 87 * 60
TO_END = 20  # seconds that a step has after it was told to end
FLAKY_AT_MOST = 3


def tell(text):
    print(f"ci: {text}", flush=True)


class Running:
    """One step at work, its output in a log."""

    def __init__(self, ci, step, command, log):
        self.step, self.log, self.began, self.told_to_end = step, log, time.monotonic(), None
        with open(log, "wb") as out:
            self.process = subprocess.Popen(list(map(str, command)), cwd=ci.source, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                            start_new_session=True)

    def ended(self):
        """(exit status, seconds by the clock, seconds of processors) when it has ended, else None."""
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if not pid:
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return self.process.returncode, time.monotonic() - self.began, usage.ru_utime + usage.ru_stime

    def kill(self):
        """With its session: programs like timeout have process groups of their own."""
        if self.process.returncode is None:
            self.told_to_end = self.told_to_end or time.monotonic()
            patient = time.monotonic() - self.told_to_end < TO_END
            subprocess.run(["pkill", "-TERM" if patient else "-KILL", "-s", str(self.process.pid)], check=False)


class Ci:
    def __init__(self, top, tests=()):
        self.top, self.tests = top, tests
        self.source = top / "src"
        self.running, self.spent, self.failed = [], {}, {}
        # Installing what was missing took time, too.
        self.began = time.monotonic() - max(0, time.time() - float(os.environ.get("AISBX_CI_BEGAN", time.time())))

    def late(self):
        return time.monotonic() - self.began > AT_MOST

    def start(self, step):
        log = self.top / "log" / step.name
        self.running.append(Running(self, step, step.command(self), log))

    def reap(self):
        """Waits until one step has ended, and says so."""
        while True:
            for running in self.running:
                result = running.ended()
                if result:
                    self.running.remove(running)
                    return self.told(running, *result)
            if self.late():
                for running in self.running:
                    running.kill()
            time.sleep(0.1)

    def told(self, running, status, seconds, processors):
        name = running.step.name
        self.spent[name] = processors
        # Tests that failed are not the end yet; a suite that could not run them all, or tell which, is.
        excused = status == 1 and running.step.again == "cases" and reports.explains(self.top / "out" / name)
        verdict = "ok" if status == 0 else "tests" if excused else "failed"
        tell(f"{verdict:6} {seconds:5.0f} s {processors:5.0f} s cpu  {name}")
        if running.step.shows:
            print(running.log.read_text(errors="replace"), end="", flush=True)
        if verdict == "tests":
            for what in reports.brief(self.top / "out" / name):
                print(f"    {what}", flush=True)
        if verdict == "failed":
            print("".join(f"    {line}\n" for line in tail(running.log, 40)), end="", flush=True)
            self.failed[name] = "\n".join([f"exit status {status}; its last lines:", *tail(running.log, 11)])
        return name

    def run(self, wanted):
        """Every step of WANTED after what it needs; the quiet ones last, one by one."""
        done, waiting = set(), [step for step in wanted if not step.quiet]
        while waiting or self.running:
            for step in list(waiting):
                if self.failed.keys() & set(step.needs):
                    waiting.remove(step)
                    self.failed[step.name] = "what it needs failed"
                elif len(self.running) < LANES and set(step.needs) <= done and not self.late():
                    waiting.remove(step)
                    self.start(step)
            if not self.running:
                break
            done.add(self.reap())
        for step in (step for step in wanted if step.quiet):
            if self.failed.keys() & set(step.needs):
                self.failed[step.name] = "what it needs failed"
            elif not self.late():
                self.start(step)
                done.add(self.reap())
        for step in wanted:
            if step.name not in done:
                self.failed.setdefault(step.name, "not done in time")

    def again(self, wanted):
        """Alone, what failed beside others: tests by name, or a whole step."""
        for step in wanted:
            first, second = self.top / "out" / step.name, self.top / "again" / step.name
            if self.late() or not (reports.failed(first) if step.again == "cases" else step.again and step.name in self.failed):
                continue
            tell(f"once more, alone: {step.name}")
            second.mkdir(parents=True)
            second.chmod(0o1777)
            self.running.append(Running(self, step, step.once_more(self, first, second), self.top / "log" / f"{step.name}-again"))
            while not (result := self.running[0].ended()):
                if self.late():
                    self.running[0].kill()
                time.sleep(0.1)
            self.running.clear()
            tell(f"{'passed' if result[0] == 0 else 'failed again'}, after {result[1]:.0f} s: {step.name}")
            if step.again == "whole" and result[0] == 0:
                reports.note_flaky(second, step.name)
                del self.failed[step.name]

    def kill(self):
        for running in self.running:
            running.kill()


def tail(path, lines):
    return path.read_text(errors="replace").splitlines()[-lines:]


def place():
    """A new directory, of the same name as last time if nobody is there: compilers write down where things are, and the cache of what
    they made is of use only there."""
    for number in itertools.count():
        with contextlib.suppress(FileExistsError):
            top = pathlib.Path(f"/var/tmp/aisbx-ci.{number}")
            top.mkdir(mode=0o700)
            return top


def prepare(top, source):
    """The clone may lie where an ordinary user cannot read it; everything happens in a copy that anybody can."""
    for name in ("src", "out", "again", "log"):
        (top / name).mkdir()
    tar = subprocess.Popen(["tar", "-C", source, "--exclude=./.git", "--exclude=./build*", "--exclude=__pycache__", "-cf", "-", "."],
                           stdout=subprocess.PIPE)
    subprocess.run(["tar", "-C", top / "src", "--no-same-owner", "-xf", "-"], stdin=tar.stdout, check=True)
    if tar.wait():
        sys.exit("ci: could not copy the source")
    subprocess.run(["chmod", "-R", "a+rX", top], check=True)
    try:
        pwd.getpwnam(steps.USER)
    except KeyError:
        subprocess.run(["useradd", "--create-home", "--shell", "/bin/bash", steps.USER], check=True)


def measured(top, pattern):
    """Lines that steps printed for whoever reads this: figures of tests, tables of benchmarks."""
    for log in sorted((top / "log").iterdir()):
        for line in log.read_text(errors="replace").splitlines():
            if line.startswith(pattern):
                tell(f"{log.name}: {line[len(pattern):]}")


def conclude(ci, has_budget):
    """Prints everything that was measured, what was flaky, what failed; returns the exit status."""
    measured(ci.top, "figure: ")
    verdicts = reports.Verdicts(ci.top / "out", ci.top / "again", ci.top / "log")
    for name, why in sorted(ci.failed.items()):
        verdicts.step(name, why)
    for name in ci.spent.keys() - ci.failed.keys():
        verdicts.step(name)
    if has_budget:
        for text in cost.exceeded(ci.source / "CONTRIBUTING.md", ci.spent):
            verdicts.step(f"cost: {text}", "over its budget")
    tell(f"everything took {time.monotonic() - ci.began:.0f} s, {sum(ci.spent.values()):.0f} s of processors")
    return verdicts.tell(FLAKY_AT_MOST)


def main(words):
    keep = None
    if words[:1] == ["--list"]:
        for step in steps.STEPS:
            print(f"{step.name:16} {' '.join(step.needs)}".rstrip())
        return 0
    if words[:1] == ["--keep"] and len(words) > 1:
        keep, words = pathlib.Path(words[1]).absolute(), words[2:]
    names = [step.name for step in steps.STEPS]
    if words and words[0] not in names:
        print(f"ci: there is no step '{words[0]}'; .ci/run --list names them", file=sys.stderr)
        return 2
    top = place()
    ci = Ci(top, words[1:])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(143))
    try:
        prepare(top, pathlib.Path(__file__).resolve().parents[1])
        wanted = steps.closure(words[0]) if words else steps.STEPS
        ci.run(wanted)
        ci.again(wanted)
        return conclude(ci, not words and not steps.LONG)
    finally:
        ci.kill()
        if keep:
            for name in ("out", "again", "log"):
                shutil.copytree(top / name, keep / name, dirs_exist_ok=True)
        subprocess.run(["rm", "-rf", top], check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
