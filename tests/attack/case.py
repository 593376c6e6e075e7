# SPDX-License-Identifier: Apache-2.0
"""One attack as data, the check that every attack goes through, and its control.

A control runs the same probe with the defence off. It must succeed, or at least end differently in a
way that shows what the defence did.
"""
import json
import subprocess
from dataclasses import dataclass, field

import box
import pytest

# What a control has to show.
SUCCEEDS = "succeeds"      # the attack works
DIFFERS = "differs"        # some try ends otherwise than in the box
UNRECORDED = "unrecorded"  # the kernel refuses as well, but no violation is recorded: the filter had spoken before


@dataclass(frozen=True)
class Without:
    """In a box with these walls missing. PRIVILEGED: the attack needs capabilities, which root keeps when
    the wall `caps` is missing too, and an ordinary user gets from unshare with these letters."""
    walls: tuple = ("seccomp",)
    privileged: str = ""
    expect: str = SUCCEEDS

    def run(self, case, profile, place):
        walls = self.walls + (("caps",) if self.privileged and box.IS_ROOT else ())
        wrap = ["unshare", "-Ur" + self.privileged] if self.privileged and not box.IS_ROOT else []
        options = [word for wall in walls for word in ("--without", wall)]
        result = box.started(box.run(*wrap, "./probe", *case.words(place), cwd=place.project, profile=profile,
                                     options=options))
        assert set(result["isolation"]["missing"]) == set(walls)
        assert result["isolation"]["level"] == "reduced"
        return verdict(result), result["violations"]


@dataclass(frozen=True)
class Outside:
    """The same probe on the host itself; only for attacks that read, or open and write nothing."""
    expect: str = SUCCEEDS

    def run(self, case, profile, place):
        done = subprocess.run(["./probe", *map(str, case.words(place))], cwd=place.project, check=True,
                              stdout=subprocess.PIPE, timeout=60)
        return box.last_json(done.stdout.decode()), []


@dataclass(frozen=True)
class Reason:
    """Why there is no control."""
    text: str


@dataclass(frozen=True)
class Case:
    number: int
    name: str
    errnos: set          # each try must end with one of these
    control: object      # one of the above, or {"root": ..., "user": ...}
    violations: set = field(default_factory=set)  # system calls that must be named
    arguments: object = None  # function of the place: further words for the probe

    def words(self, place):
        return [str(self.number), *(self.arguments(place) if self.arguments else [])]


def verdict(result):
    assert result["signal"] is None, result
    try:
        return box.last_json(result["stdout"])
    except (ValueError, AssertionError):
        raise AssertionError(f"no verdict: {json.dumps(result)[:2000]}") from None


def ends(found):
    return {t["what"]: t["errno"] or "OK" for t in found["tries"]}


def check(case, profile, place):
    with box.Watch(place.root):
        result = box.started(box.run("./probe", *case.words(place), cwd=place.project, profile=profile))
    assert result["isolation"]["level"] == "full" and not result["isolation"]["missing"]
    found = verdict(result)
    assert found["tries"] and found["refused"], f"the attack worked: {ends(found)}"
    odd = {what: err for what, err in ends(found).items() if err not in case.errnos}
    assert not odd, f"refused, but not as expected: {odd}"
    assert case.violations <= box.violations(result, "syscall"), "a refusal was not recorded"
    for v in result["violations"]:
        assert v["rule"] and v["allow_with"] and v["count"] >= 1
        assert v["kind"] == "decoy" or v["by"] == "probe"

    control = case.control[box.WHO] if isinstance(case.control, dict) else case.control
    if isinstance(control, Reason):
        return
    with box.Watch(place.root):
        other, recorded = control.run(case, profile, place)
    if control.expect == SUCCEEDS:
        assert not other["refused"], f"the control failed, so this test tests nothing: {ends(other)}"
    elif control.expect == DIFFERS:
        assert ends(other) != ends(found), f"the control ended alike: {ends(other)}"
    else:
        assert not recorded


def define_tests(cases, namespace):
    """Puts one test function per case into a module: test_016_sysrq_trigger[dev], [strict]."""
    for case in cases:
        def test(place, profile, case=case):
            check(case, profile, place)

        name = f"test_{case.number:03}_{case.name}"
        assert name not in namespace
        test.__name__ = test.__qualname__ = name
        namespace[name] = pytest.mark.parametrize("profile", box.PROFILES)(test)
