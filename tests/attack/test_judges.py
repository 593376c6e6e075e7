# SPDX-License-Identifier: Apache-2.0
"""Attacks 153 to 156 and 159: getting past what judges a change. Rules that are gone in a subdirectory, a judge that the box
rewrites, errands without gates or with somebody else's record, an answer from before the question.

Each has a control: the same act where the defence has nothing to say."""
import json
import os
import subprocess

import pytest

import box
from pipeline import Place, states


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    made = Place(tmp_path)
    (made.project / "sub/deep").mkdir(parents=True)
    yield made
    for kept in made.ok("ls")["boxes"]:  # a layer has directories that nobody else can remove
        made.ok("rm", kept["id"])


# 153: rules that are gone in a subdirectory.

RULES = "guard: {rules: [{command: 'touch forbidden*', do: refuse, why: never}], gates: [changes.created < 1]}\n"
LOOSE = """
guard: {rules: [{command: 'touch forbidden*', do: run}], promote: auto}
intents: {test: 'true'}
gates: {ready: [runs >= 0]}
stages: [{name: dev, to: {directory: .}}]
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
    (place.project / "aisbx.yaml").chmod(0o664)
    assert "chmod go-w" in place.refused("gate", "check", ".", "ready", cwd=sub)
    assert verdict(place, "sub")["reasons"][-1]["rule"] == "rules", "nothing runs as it is by rules that cannot be read"
    (place.project / "aisbx.yaml").chmod(0o644)
    if box.IS_ROOT:  # others cannot give a file away
        os.chown(place.project / "aisbx.yaml", 12345, 12345)
        assert "belongs to somebody else" in place.refused("gate", "check", ".", "ready", cwd=sub)
        # Where everybody may leave one it stops nobody below.
        place.project.chmod(0o1777)
        assert "neither a gate" in place.refused("gate", "check", ".", "ready", cwd=sub)
        assert "belongs to somebody else" in place.refused("gate", "check", ".", "ready")
