# SPDX-License-Identifier: Apache-2.0
"""Attacks 153 to 156 and 159: getting past what judges a change. Rules that are gone in a subdirectory, a judge that the box
rewrites, errands without gates or with somebody else's record, an answer from before the question.

Each has a control: the same act where the defence has nothing to say."""
import json
import os
import pty
import select
import subprocess

import pytest

import box
import pace
from pipeline import Place, states


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    made = Place(tmp_path)
    (made.project / "sub/deep").mkdir(parents=True)
    yield made
    for kept in made.ok("ls", "--all")["boxes"]:  # a layer has directories that nobody else can remove
        made.ok("rm", kept["id"])


# 153: rules that are gone in a subdirectory.

RULES = "guard: {rules: [{command: 'touch forbidden*', do: refuse, why: never}], gates: [changes.created < 1]}\n"
LOOSE = """
guard: {rules: [{command: 'touch forbidden*', do: run}], promote: auto}
intents: {test: 'true'}
gates: {ready: [runs >= 0]}
stages: [{name: dev, gates: [not secrets], to: {directory: .}}]
experiments: {one: {branches: {a: touch new}, test: 'true'}}
"""
SUBS = ("sub", "sub/deep")


def verdict(place, where):
    got, _, result = place.call("guard", "--explain", "--", "touch", "forbidden", cwd=place.project / where)
    assert result["act"] == {10: "box", 12: "refuse"}[got], result
    return result


def hook(place, where):
    asked = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(place.project / where), "tool_input": {"command": "touch forbidden"}}
    done = subprocess.run([box.aisbx(), "guard", "--hook", "claude-code"], input=json.dumps(asked), cwd="/", env=place.env, capture_output=True,
                          text=True, timeout=60, check=False)
    return json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"]


@pytest.mark.parametrize("where", SUBS)
def test_153_guard_in_a_subdirectory(place, where):
    assert verdict(place, where)["act"] == "box" and hook(place, where) == "allow", "the control: nobody forbids it"
    (place.project / "aisbx.yaml").write_text(RULES)
    assert verdict(place, where)["files"] == [str(place.project / "aisbx.yaml")]
    assert verdict(place, where)["act"] == "refuse" and hook(place, where) == "deny"
    (place.project / where / "aisbx.yaml").write_text(LOOSE)
    assert verdict(place, where)["act"] == "refuse" and hook(place, where) == "deny", "the nearer file takes nothing away"
    assert verdict(place, where)["files"] == [str(place.project / "aisbx.yaml"), str(place.project / where / "aisbx.yaml")]


def night(place, **authority):
    """A queue beside the project; returns how to put an errand into it, and how to have it done."""
    top = place.top / "night"
    (top / "queue").mkdir(parents=True)
    lines = {"classes": "[run, box]", "where": f"[{place.project}]", "promote": f"[{place.project}]", "budget": "{actions: 100}", **authority}
    (top / "authority.yaml").write_text("".join(f"{k}: {v}\n" for k, v in lines.items()))
    for path, mode in ((top, 0o700), (top / "queue", 0o700), (top / "authority.yaml", 0o600)):
        path.chmod(mode)

    def errand(name, **what):
        path = top / "queue" / name
        path.write_text(json.dumps({"where": str(place.project), **what}))
        path.chmod(0o600)
        place.ok("guard", "--daemon", top, "--once")
        records = sorted((top / "done").iterdir(), key=lambda f: f.stat().st_mtime_ns)
        return json.loads(records[-1].read_text()) if records else None

    errand.dir = top
    return errand


def test_153_errand_in_a_subdirectory(place):
    errand = night(place)
    sub = str(place.project / "sub")
    assert errand("1.json", where=sub, command="touch forbidden1")["promoted"], "the control: nobody forbids it"
    assert (place.project / "sub/forbidden1").exists()
    (place.project / "aisbx.yaml").write_text(RULES)
    (place.project / "sub/aisbx.yaml").write_text(LOOSE)
    assert errand("2.json", where=sub, command="touch forbidden2")["status"] == "refused"
    assert not errand("3.json", where=sub, command="touch new")["promoted"]
    assert sorted(f.name for f in (place.project / "sub").iterdir()) == ["aisbx.yaml", "deep", "forbidden1"]


def test_153_gates_and_experiments_of_a_subdirectory(place):
    sub = place.project / "sub"
    place.ok("create", "b", cwd=sub)
    place.sh("touch new")
    (sub / "aisbx.yaml").write_text(LOOSE)
    assert place.ok("gate", "check", "b", "ready")["passed"], "the control: only its own file is there"
    tried = place.ok("try", "--experiment", "one", cwd=sub)
    assert tried["branches"][0]["state"] == "winner"
    (place.project / "aisbx.yaml").write_text(
        "gates: {ready: [changes.created < 1]}\nexperiments: {one: {branches: {a: touch new}, test: 'true', gates: [ready]}}\n")
    for words in (("ready",), ()):  # by its name, and all there are
        result = place.ok("gate", "check", "b", *words, status=1)
        assert [c["passed"] for c in result["checks"]] == [False, True]
        assert result["files"] == [str(place.project / "aisbx.yaml"), str(sub / "aisbx.yaml")]
    _, _, tried = place.call("try", "--experiment", "one", cwd=sub)
    assert tried["branches"][0]["state"] == "failed" and "changes.created" in tried["branches"][0]["why"]
    _, _, tried = place.call("try", "--gate", "ready", "--test", "true", "--", "touch x", cwd=sub)
    assert tried["branches"][0]["state"] == "failed"


def test_153_stages_of_a_subdirectory(place):
    sub = place.project / "sub"
    (sub / "aisbx.yaml").write_text(LOOSE)
    place.ok("create", "b", cwd=sub)
    place.sh("touch new")
    place.ok("create", "c", cwd=sub)
    place.sh("touch other", "c")
    assert states(place.ok("pipeline", "run", "c")) == ["passed"] and (sub / "other").exists(), "the control: only its own file is there"
    (place.project / "aisbx.yaml").write_text(
        f"stages: [{{name: checked, gates: [changes.created < 1]}}, {{name: staging, to: {{directory: {place.staging}}}}}, "
        "{name: dev, to: {directory: .}}]\n")
    _, _, went = place.call("pipeline", "run", "b")
    assert states(went)[0] == "failed" and not (sub / "new").exists() and len(went["stages"]) == 3
    # What passes goes to its own place in each target.
    (place.project / "aisbx.yaml").write_text((place.project / "aisbx.yaml").read_text().replace("< 1", "< 2"))
    (place.staging / "sub/deep").mkdir(parents=True)
    went = place.ok("pipeline", "run", "b", "--yes")
    assert states(went) == ["passed", "passed", "passed"], went
    assert (place.staging / "sub/new").exists() and (sub / "new").exists() and not (place.project / "new").exists()


def test_153_who_wrote_it(place):
    sub = place.project / "sub"
    (place.project / "aisbx.yaml").write_text("gates: {ready: [runs >= 0]}\n")
    assert place.ok("gate", "check", ".", "ready", cwd=sub)["passed"], "the control"
    own_group = os.getgid() == os.getuid()  # as many systems give everybody, with files that it may write
    (place.project / "aisbx.yaml").chmod(0o664)
    assert not own_group or place.ok("gate", "check", ".", "ready", cwd=sub)["passed"]
    (place.project / "aisbx.yaml").chmod(0o646 if own_group else 0o664)
    assert "chmod go-w" in place.refused("gate", "check", ".", "ready", cwd=sub)
    assert verdict(place, "sub")["reasons"][-1]["rule"] == "rules", "nothing runs as it is by rules that cannot be read"
    (place.project / "aisbx.yaml").chmod(0o644)
    if box.IS_ROOT:  # others cannot give a file away
        os.chown(place.project / "aisbx.yaml", 12345, 12345)
        assert "belongs to somebody else" in place.refused("gate", "check", ".", "ready", cwd=sub)
        # Where everybody may leave one it stops nobody below.
        place.project.chmod(0o1777)
        assert "is not a gate" in place.refused("gate", "check", ".", "ready", cwd=sub)
        assert "belongs to somebody else" in place.refused("gate", "check", ".", "ready")


# 154: errands with branches that pass neither the guard nor gates.

def test_154_branches_are_judged_and_gated(place):
    errand = night(place)
    won = errand("0.json", branches=["echo 0 > answer0"], test="true")
    assert won["promoted"] and (place.project / "answer0").exists(), "the control: nobody has anything against it"
    assert won["undo"] in (errand.dir / "report.md").read_text().split("## Promoted")[1]
    place.ok(*won["undo"].split()[1:])
    assert not (place.project / "answer0").exists()
    (place.project / "aisbx.yaml").write_text(RULES)
    assert errand("1.json", branches=["true", "touch forbidden"], test="true")["status"] == "refused"
    assert errand("2.json", branches=["touch new"], test="touch forbidden")["status"] == "refused"
    kept = errand("3.json", branches=["touch new"], test="true")
    assert not kept["promoted"] and [c["passed"] for c in kept["gates"]] == [False]
    assert kept["box"] in (errand.dir / "report.md").read_text()
    assert errand("4.json", branches=["echo >> aisbx.yaml"], test="true")["promoted"] is False, "a trap waits for a person"
    # Gates of the person's own count beside those of project and authority.
    (place.project / "aisbx.yaml").unlink()
    (place.top / "home/.config/aisbx").mkdir(parents=True)
    (place.top / "home/.config/aisbx/guard.yaml").write_text("guard: {gates: [changes.created < 1]}\n")
    assert not errand("5.json", branches=["touch new"], test="true")["promoted"]
    assert not errand("6.json", command="touch new")["promoted"]
    assert not (place.project / "new").exists()


def test_154_gates_of_the_authority(place):
    errand = night(place, gates="[changes.created < 2]")
    assert errand("1.json", branches=["touch a"], test="true")["promoted"], "the control"
    assert not errand("2.json", branches=["touch b c"], test="true")["promoted"]


# 155: an errand's name used twice, and time that nobody counts.

def test_155_a_name_used_again(place):
    errand = night(place, budget="{actions: 3}")
    names = [errand("010.json", command=f"echo {i} > file{i}")["name"] for i in range(3)]
    assert names == ["010.json", "010-2.json", "010-3.json"]
    assert (place.project / "file2").exists(), "the control: within the budget it is done"
    errand("010.json", command="echo 3 > file3")
    assert not (place.project / "file3").exists() and "actions: 3 of 3" in (errand.dir / "report.md").read_text()
    assert sorted(f.name for f in (errand.dir / "done").iterdir()) == ["010-2.json.json", "010-3.json.json", "010.json.json"]
    assert (errand.dir / "queue/010.json").exists()


def test_155_a_record_too_long_to_be_read_again(place):
    errand = night(place, budget="{actions: 1}")
    many = "i=0; while [ $i -lt 4000 ]; do : > " + "x" * 200 + "$i; i=$((i+1)); done"
    record = errand("1.json", command=many)
    assert record["promoted"] and record["undo"] and record["cut"], "the control: once it is done"
    errand("2.json", command="touch more")
    assert not (place.project / "more").exists(), "it counts"
    (errand.dir / "authority.yaml").write_text((errand.dir / "authority.yaml").read_text().replace("actions: 1", "actions: 9"))
    (errand.dir / "done/0.json").write_text("[]")
    (errand.dir / "done/0.json").chmod(0o600)
    errand("3.json", command="touch more")
    assert not (place.project / "more").exists(), "what cannot be read is not taken for nothing"
    (errand.dir / "done/0.json").unlink()
    errand("4.json", command="touch more")
    assert (place.project / "more").exists(), "the control"


# Nobody waits for the child, which has used a second by then and goes on.
BURN = """python3 -c "
import os, time
if os.fork() == 0:
  while True:
    if time.process_time() > 1: open('/tmp/used', 'w')
while not os.path.exists('/tmp/used'): time.sleep(.01)"
"""


@pytest.mark.parametrize("what", [{"command": BURN}, {"branches": [BURN], "test": "true"}])
def test_155_time_of_those_nobody_waits_for(place, what):
    errand = night(place, budget="{actions: 9, cpu: 1h}")
    record = errand("1.json", **what)
    assert record["status"] == "ok" and record["cpu_ms"] >= 500, record
    (errand.dir / "authority.yaml").write_text((errand.dir / "authority.yaml").read_text().replace("1h", "500ms"))
    assert errand("2.json", command="touch new")["name"] == "1.json", "the budget is used up"
    assert "processor time budget" in (errand.dir / "report.md").read_text() and not (place.project / "new").exists()


# 156: a box rewrites the script, test or score its gate runs.

SMOKE = "#!/bin/sh\ngrep -q right answer\n"
ALWAYS = "#!/bin/sh\necho '{\"score\": 100}'\n"
GATES = "gates:\n  ready: [{command: ./smoke.sh%s}]\n"
BY_BOX = ", judges_from: box"


def put(place, files, where=""):
    for name, text in files.items():
        path = place.project / where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if text.startswith("#!"):
            path.chmod(0o755)


def judged(place, *checks, box_name="b"):
    got, _, result = place.call("gate", "check", box_name, *checks)
    assert got in (0, 1), result
    assert got == (0 if result["passed"] else 1)
    return result


def plant(text, name):
    return f"cat > {name} <<'X'\n{text}X\nchmod +x {name}\n"


def test_156_the_script_of_a_gate(place):
    put(place, {"smoke.sh": SMOKE, "answer": "wrong\n", "aisbx.yaml": GATES % BY_BOX})
    place.box(plant(ALWAYS, "smoke.sh"))
    assert judged(place)["passed"], "the control: the file says that the box's own counts"
    (place.project / "aisbx.yaml").write_text(GATES % "")
    result = judged(place)
    assert not result["passed"] and result["checks"][0]["judges"] == ["smoke.sh"]
    assert "your own 'smoke.sh'" in result["checks"][0]["why"]
    assert "score" in place.sh("cat smoke.sh"), "the box stays as it is"
    for script in ("rm smoke.sh", "rm smoke.sh; ln -s /bin/true smoke.sh", "chmod 000 smoke.sh", "rm smoke.sh; mkdir -p smoke.sh/x"):
        place.ok("rm", "b")
        place.box(script)
        assert not judged(place)["passed"], script
    # What is right passes, by the same script.
    place.ok("rm", "b")
    place.box(plant(ALWAYS, "smoke.sh") + "echo right > answer")
    assert judged(place)["passed"]


def test_156_a_script_in_a_directory_that_leads_elsewhere(place):
    put(place, {"ci/check.sh": SMOKE, "answer": "wrong\n", "aisbx.yaml": "gates: {ready: [{command: ci/check.sh, judges_from: box}]}\n"})
    for script in ("mv ci old; ln -s evil ci; mkdir evil", "rm -rf ci; mkdir ci", "mkdir evil; mv ci old; mv evil ci"):
        place.box(f"{script}\n" + plant(ALWAYS, "ci/check.sh"))
        assert judged(place)["passed"], "the control"
        (place.project / "aisbx.yaml").write_text("gates: {ready: [{command: ci/check.sh}]}\n")
        assert not judged(place)["passed"], script
        (place.project / "aisbx.yaml").write_text("gates: {ready: [{command: ci/check.sh, judges_from: box}]}\n")
        place.ok("rm", "b")


def test_156_rewritten_while_it_is_judged(place):
    """What the gate runs before its script is the box's own, and may try."""
    put(place, {"smoke.sh": SMOKE, "step": "true\n", "answer": "wrong\n"})
    place.box("cat > step <<'Y'\n" + plant(ALWAYS, "new") + "cp new smoke.sh; mv new smoke.sh\nY\n")
    for words, passes in ((", judges_from: box", True), ("", False)):
        (place.project / "aisbx.yaml").write_text("gates: {ready: [{command: cat step | sh; ./smoke.sh%s}]}\n" % words)
        assert judged(place)["passed"] == passes


def test_156_a_script_the_person_does_not_have(place):
    put(place, {"aisbx.yaml": GATES % ""})
    place.box(plant(ALWAYS, "smoke.sh"))
    assert not judged(place)["passed"]
    (place.project / "aisbx.yaml").write_text(GATES % BY_BOX)
    assert judged(place)["passed"], "the control"


UNITTEST = "import unittest, code_here\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(code_here.answer, 42)\n"
EMPTY = "import unittest\nclass T(unittest.TestCase):\n    def test(self): pass\n"
NAMED = "intents: {test: {command: python3 -m unittest discover -s tests -t .%s}}\ngates: {ready: [test]}\n"
AGAINST_TESTS = ("rm -rf tests; mkdir tests; touch tests/__init__.py\n" + plant(EMPTY, "tests/test_a.py"),
                 plant(EMPTY, "tests/test_a.py"), "rm tests/test_a.py\n" + plant(EMPTY, "tests/test_b.py"),
                 "cp -r tests other; mv tests old; ln -s other tests\n" + plant(EMPTY, "other/test_a.py"))


@pytest.mark.parametrize("script", AGAINST_TESTS)
def test_156_tests(place, script):
    put(place, {"tests/test_a.py": UNITTEST, "tests/__init__.py": "", "code_here.py": "answer = 41\n", "requirements.txt": "", "aisbx.yaml": NAMED % BY_BOX})
    place.box(script)
    assert judged(place)["passed"], "the control: the file says that the box's own count"
    for text in (NAMED % "", "gates: {ready: [test]}\n"):  # named, and found by what is customary
        (place.project / "aisbx.yaml").write_text(text)
        result = judged(place, "ready")
        assert not result["passed"] and result["checks"][0]["judges"], result
    assert not judged(place, "tests==pass")["passed"]
    got, _, tried = place.call("try", "--", script)
    assert got == 1 and tried["branches"][0]["state"] == "failed", tried


def test_156_new_tests_of_the_box_count_as_well(place):
    put(place, {"tests/test_a.py": UNITTEST, "tests/__init__.py": "", "code_here.py": "answer = 42\n", "aisbx.yaml": NAMED % ""})
    place.box(plant(UNITTEST.replace("42", "43"), "tests/test_new.py"))
    assert not judged(place)["passed"] and judged(place)["checks"][0]["judges"] == []
    place.sh(plant(UNITTEST, "tests/test_new.py"))
    assert judged(place)["passed"]


def test_156_settings_of_who_runs_the_tests(place):
    put(place, {"test_a.py": "def test_a(): assert False\n", "aisbx.yaml": "intents: {test: {command: python3 -B -m pytest -p no:cacheprovider%s}}\n" % BY_BOX})
    for script in (plant("def pytest_sessionfinish(session): session.exitstatus = 0\n", "conftest.py"), plant("[pytest]\ncollect_ignore_glob = *\naddopts = --co\n", "pytest.ini")):
        place.box(script)
        assert judged(place, "tests==pass")["passed"], "the control"
        (place.project / "aisbx.yaml").write_text("intents: {test: {command: python3 -B -m pytest -p no:cacheprovider}}\n")
        result = judged(place, "test")
        assert not result["passed"] and result["checks"][0]["judges"]
        (place.project / "aisbx.yaml").write_text("intents: {test: {command: python3 -B -m pytest -p no:cacheprovider%s}}\n" % BY_BOX)
        place.ok("rm", "b")


def test_156_recipes(place):
    put(place, {"Makefile": "test:\n\tgrep -q right answer\n", "answer": "wrong\n"})
    for number, script in enumerate((plant("test:\n\ttrue\n", "Makefile"), plant("test:\n\ttrue\n", "GNUmakefile"))):
        place.box(script, f"b{number}")
        (place.project / "aisbx.yaml").write_text("intents: {test: {command: make test, judges_from: box}}\n")
        assert judged(place, "test", box_name=f"b{number}")["passed"], "the control"
        (place.project / "aisbx.yaml").unlink()
        assert not judged(place, "test", box_name=f"b{number}")["passed"]


def test_156_what_is_listed(place):
    put(place, {"check": "#!/bin/sh\n. lib/rules\n", "lib/rules": "grep -q right answer\n", "answer": "wrong\n",
                "aisbx.yaml": "gates: {ready: [{command: ./check}]}\n"})
    place.box("echo true > lib/rules")
    assert judged(place)["passed"], "the control: nobody says that it judges"
    (place.project / "aisbx.yaml").write_text("judges: [lib/]\ngates: {ready: [{command: ./check}]}\n")
    assert not judged(place)["passed"]


def test_156_what_is_printed_is_no_fact(place):
    put(place, {"Makefile": "test:\n\t@cat said; exit $$(cat status)\n", "said": "1 failed in 0.1s\n", "status": "1\n"})
    place.box("echo '42 passed in 0.1s' > said; echo 0 > status")
    facts = ("tests.passed>=40", "tests.failed==0", "tests==pass")
    assert all(judged(place, f)["passed"] for f in facts), "the control: it exits with 0"
    place.sh("echo 1 > status")
    assert not any(judged(place, f)["passed"] for f in facts)
    put(place, {"score.sh": "#!/bin/sh\necho '{\"score\": 100}'\nexit $(cat status)\n"})
    assert not judged(place, "--command", "./score.sh", "score>=90")["passed"]
    assert [c["passed"] for c in judged(place, "--command", "./score.sh", "score>=90")["checks"]] == [False, False]
    place.sh("echo 0 > status")
    assert judged(place, "--command", "./score.sh", "score>=90")["passed"], "the control"


def test_156_a_change_of_a_judge_is_a_trap(place):
    put(place, {"smoke.sh": SMOKE, "tests/test_a.py": UNITTEST, "code_here.py": "answer = 42\n",
                "aisbx.yaml": "gates: {ready: [{command: ./smoke.sh}, test]}\nintents: {test: python3 -m unittest discover}\n"})
    for script, path in ((plant(ALWAYS, "smoke.sh"), "smoke.sh"), (plant(EMPTY, "tests/test_a.py"), "tests/test_a.py"), ("rm tests/test_a.py", "tests/test_a.py"),
                         ("rm -r tests", "tests"), ("chmod -x smoke.sh", "smoke.sh"), ("touch sitecustomize.py", "sitecustomize.py")):
        place.box(script)
        got, _, result = place.call("promote", "b")
        assert got and not result["applied"] and ("gate", path) in [(t["kind"], t["path"]) for t in result["traps"]], (script, result)
        place.ok("rm", "b")
    place.box(plant(EMPTY, "tests/test_new.py") + "echo 'answer = 43' > code_here.py")
    assert place.ok("promote", "b")["applied"], "additions and the code itself do not wait"
    place.sh(plant(ALWAYS, "smoke.sh"))
    (place.project / "aisbx.yaml").write_text(GATES % BY_BOX)
    assert place.ok("promote", "b")["applied"], "the control: the file says that the box's own counts"
    assert (place.project / "smoke.sh").read_text() == ALWAYS


def test_156_a_script_of_a_file_above(place):
    put(place, {"smoke.sh": "#!/bin/sh\ngrep -q right sub/answer\n", "sub/answer": "wrong\n", "aisbx.yaml": GATES % ""})
    place.ok("create", "b", "--here", cwd=place.project / "sub")
    assert not judged(place, "ready")["passed"]
    place.sh("echo right > answer")
    assert judged(place, "ready")["passed"], "it is seen in the box, though only a directory below is its project"


def test_156_a_project_by_another_name(place):
    """A link leads to it: what its file names is found by both."""
    put(place, {"check": "#!/bin/sh\n. lib/rules\n", "lib/rules": "grep -q right answer\n", "answer": "wrong\n",
                "aisbx.yaml": "judges: [lib/, extra]\ngates: {ready: [{command: ./check}]}\n", "extra": "#!/bin/sh\n"})
    (place.top / "link").symlink_to("project")
    place.ok("create", "b", "--project", place.top / "link")
    place.sh("echo true > lib/rules")
    assert not judged(place)["passed"]
    got, _, result = place.call("promote", "b")
    assert got and ("gate", "lib/rules") in [(t["kind"], t["path"]) for t in result["traps"]]
    (place.project / "aisbx.yaml").write_text("gates: {ready: [{command: ./check}]}\n")
    assert judged(place)["passed"] and place.ok("promote", "b")["applied"], "the control: nobody says that it judges"


def test_156_more_than_can_be_laid_over(place):
    put(place, {"aisbx.yaml": NAMED % "", **{f"tests/test_{i}.py": EMPTY for i in range(101)}})
    place.box("for f in tests/test_*.py; do echo >> $f; done")
    assert "more than 100" in place.refused("gate", "check", "b")


# 159: an answer typed before the question was asked.

def at_terminal(place, words, question, before, after):
    """(exit status, screen) of aisbx at a terminal where BEFORE was typed before it was started, and AFTER once it asked."""
    master, slave = pty.openpty()
    try:
        os.write(master, before)
        with subprocess.Popen([box.aisbx(), *words], cwd=place.project, env=place.env, stdin=slave, stdout=slave, stderr=slave) as child:
            os.close(slave)
            screen, end, answered = b"", pace.Deadline(60), False
            while not end.is_over():
                ready, _, _ = select.select([master], [], [], 0.1)
                try:
                    more = os.read(master, 65536) if ready else b"-"
                except OSError:  # nobody has the other side any more
                    break
                screen += more if ready else b""
                if question in screen and not answered:
                    os.write(master, after)
                    answered = True
            return child.wait(timeout=60), screen.decode()
    finally:
        os.close(master)


@pytest.mark.parametrize("before", [b"y\n", b"yes\ny\ny\n"])
def test_159_approval(place, before):
    (place.project / "aisbx.yaml").write_text("stages: [{name: dev, to: {directory: .}, approve: true}]\n")
    place.box("touch new")
    status, screen = at_terminal(place, ["pipeline", "run", "b"], b"[y/n/d/-]", before, b"later\n")
    assert status == 3 and not (place.project / "new").exists(), screen
    waiting = place.ok("pipeline", "ls")["pipelines"][0]["pipeline"]
    place.call("approve", waiting, "--reject")
    status, screen = at_terminal(place, ["pipeline", "run", "b"], b"[y/n/d/-]", b"", before)
    assert status == 0 and (place.project / "new").exists(), f"the control: the same, typed after the question: {screen}"


def test_159_the_guard(place):
    (place.project / "aisbx.yaml").write_text("guard: {rules: [{command: 'touch *', do: ask}]}\n")
    status, screen = at_terminal(place, ["guard", "--", "touch", "new"], b"[y/N]", b"y\n", b"\n")
    assert status == 125 and not (place.project / "new").exists(), screen
    status, screen = at_terminal(place, ["guard", "--", "touch", "new"], b"[y/N]", b"", b"y\n")
    assert status == 0 and (place.project / "new").exists(), f"the control: {screen}"
