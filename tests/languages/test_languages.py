# SPDX-License-Identifier: Apache-2.0
"""A project per language, built and tested in a box under its preset and limits, without a network; and what it shows
about the presets: each rule of policies/seccomp is needed by somebody.

Each project is run twice from the same files at the same place: in a box, then outside, where it is traced. Both must
print the same, sums of what they built included. All of it is reproducible byte for byte; times are cut off by the
projects' own scripts, which are also the ones to read for what is done (tests/languages/*/check).
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

import box

HERE = pathlib.Path(__file__).resolve().parent
RULES = HERE.parents[1] / "policies" / "seccomp"
LANGUAGES = ("python", "javascript", "shell", "go", "rust", "java", "c")
# What the machine has for everybody, so that both users measure the same programs.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin"
TOOLS = {"python": ["python3"], "javascript": ["node"], "shell": ["bash", "git"], "go": ["go"], "rust": ["cargo", "rustc"],
         "java": ["javac", "java", "jar"], "c": ["gcc", "g++", "make"]}
# Limits and preset are those of the language's profile, but for time, since machines that test are busy. The box's own loopback
# is no network, and the projects have servers.
OPTIONS = ("--net", "loopback", "--timeout", "300s")
# strace counts calls when they return.
NEVER_RETURN = {"exit", "exit_group"}


def cache():
    """What the projects take from others; made by .ci/run for all, or here, once."""
    shared = os.environ.get("AISBX_TEST_CACHE")
    place = pathlib.Path(shared or pathlib.Path.home() / ".cache" / "aisbx-tests")
    if not all((place / name).is_dir() for name in ("vendor", "go")):
        subprocess.run([HERE / "prepare", place], check=True, timeout=600)
    return place


def rules(name):
    """{call: (verdict, reason, file)} of a preset, with what it includes."""
    found = {}
    for line in (RULES / f"{name}.rules").read_text().splitlines():
        words, _, reason = line.partition("#")
        words = words.split()
        if words and words[0] == "include":
            found.update(rules(words[1]))
        elif words:
            assert words[1] not in found, f"{name}.rules has {words[1]} twice"
            found[words[1]] = (words[0], reason.strip(), name)
    return found


def unused(table, calls):
    """The calls of TABLE that nobody makes, but for those that are said to be seldom."""
    return sorted(c for c, (verdict, _, _) in table.items() if verdict == "allow" and c not in calls | NEVER_RETURN)


class Measured:
    """One project: its result in a box, and what it printed and called outside."""

    def __init__(self, language, place):
        for tool in TOOLS[language]:
            assert shutil.which(tool, path=PATH), f"this machine has no {tool} in {PATH}"
        project = place / language
        shutil.copytree(HERE / language, project)
        for name, target in {"python": [("vendor", "vendor")], "go": [("go", ".cache")]}.get(language, []):
            shutil.copytree(cache() / name, project / target)
        # A fresh home with nothing in it: no settings, no caches of the person who runs the test.
        home = place / f"home-{language}"
        home.mkdir()
        env = {"PATH": PATH, "HOME": str(home), "LC_ALL": "C.UTF-8", "USER": "tester", "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]}
        self.inside = box.run("sh", "./check", cwd=project, profile=language, env=env, timeout=600, options=OPTIONS)
        self.before = sorted(p.name for p in project.iterdir())
        self.outside, self.calls = self.trace(project, env, place / f"{language}.trace")

    @staticmethod
    def trace(project, env, summary):
        """The same outside. A box has no clone3, so there shall be none here: libraries go another way then."""
        deny = box.need(os.path.join(os.environ["AISBX_TEST_BIN"], "deny"))
        done = subprocess.run([deny, "clone3", "ENOSYS", "--", "strace", "-f", "-qq", "-c", "-S", "name", "-U", "name,calls",
                               "-o", summary, "sh", "./check"], cwd=project, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
        calls = set(re.findall(r"^(\w+)\s+\d+$", summary.read_text(), re.MULTILINE)) - {"total"}
        assert len(calls) > 30, f"no trace: {summary.read_text()[:500]}"
        return done.stdout.decode(), calls


@pytest.fixture(scope="module")
def measured():
    """measured(LANGUAGE); each is measured once, when somebody first asks."""
    known = {}
    with tempfile.TemporaryDirectory(prefix="languages-") as place:
        def measure(language):
            if language not in known:
                known[language] = Measured(language, pathlib.Path(place))
            return known[language]
        yield measure


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_as_outside(measured, language):
    m = measured(language)
    wrong = [line for line in m.inside["stdout"].splitlines() if not line.startswith("ok ")]
    assert m.inside["status"] == "ok", (m.inside["limit"], m.inside["stderr"][-2000:], "\n".join(wrong)[-2000:])
    assert m.inside["stdout"] == m.outside
    assert re.search(r"^[0-9a-f]{64}  \S+$", m.outside, re.MULTILINE), "nothing was built"
    assert m.inside["violations"] == [], "the preset is too small"
    assert m.inside["isolation"]["level"] == "full" and "net" in m.inside["isolation"]["walls"]
    assert "out" not in m.before, "what was built in the box reached the machine"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_of_its_own_is_used(measured, language):
    own = {c: r for c, r in rules(language).items() if r[2] == language}
    assert unused(own, measured(language).calls) == []
    # Control: one rule more would be noticed.
    assert unused({**own, "shmget": ("allow", "", language)}, measured(language).calls) == ["shmget"]


def test_every_rule_of_the_base_is_used(measured):
    by = {language: measured(language).calls for language in LANGUAGES}
    assert unused(rules("base"), set.union(*by.values())) == []
    # The base is for all: what only one language makes, and no shell, belongs into its own file.
    init = {"clock_gettime", "close_range", "nanosleep", "setresuid", "signalfd4", "stat"}  # of the box's own first process
    users = {c: [n for n in by if c in by[n]] for c, r in rules("base").items() if r[0] == "allow" and c not in init}
    assert {c: who for c, who in users.items() if len(who) == 1 and who != ["shell"]} == {}


def test_rules_that_are_seldom_used(measured, tell):
    """Spare rules are few, each says when it is needed, and none is needed everywhere."""
    spare = {(r[2], c): r[1] for name in ("base", *LANGUAGES) for c, r in rules(name).items() if r[0] == "spare"}
    for (name, call), reason in sorted(spare.items()):
        users = [n for n in LANGUAGES if call in measured(n).calls and name in ("base", n)]
        tell(f"spare {name}: {call}, seen here in {', '.join(users) or 'none'} ({reason})")
    for language in LANGUAGES:
        tell(f"{language}: {len(rules(language))} calls allowed, {len(measured(language).calls)} seen")
    assert len(spare) <= 20 and all(spare.values())
