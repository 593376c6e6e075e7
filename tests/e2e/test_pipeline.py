# SPDX-License-Identifier: Apache-2.0
"""Stages as a person drives them: targets of every kind, gates before and after, approvals, conflicts, undo, one at a time."""
import fcntl
import json
import os
import pty
import subprocess

import jsonschema
import pytest

import box
import promotion
import rpc
from pipeline import Place, states, tree

TWO = """
stages:
  - {name: dev, to: {directory: .}%s}
  - {name: staging, to: {directory: ../staging}%s}
"""


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    place = Place(tmp_path)
    yield place
    place.call("gc")
    boxes = [b["id"] for b in place.ok("ls", "--all")["boxes"]]
    if boxes:
        place.ok("rm", *boxes)
    place.ok("gc")


def two(place, *more):
    """Two directories, with what MORE adds to each stage."""
    more = (more + ("", ""))[:2]
    place.write(TWO % tuple(f", {m}" if m else "" for m in (more if any(more) else ("gates: [not secrets]", ""))), a="one\n")


def read(place):
    return [(where / "a").read_text() for where in (place.project, place.staging)]


def test_through_all_stages_and_back(place):
    two(place)
    before = tree(place.project), tree(place.staging)
    place.box("echo two > a; echo new > n; chmod 750 n")
    status, items, result = place.call("pipeline", "run", "b")
    plain = {**result, "stages": [{k: v for k, v in s.items() if k != "before"} for s in result["stages"]]}  # what a gate says has a schema of its own
    jsonschema.validate(plain, promotion.schema_of("pipeline run"))
    assert status == 0 and result["state"] == "done" and states(result) == ["passed", "passed"] and not result["live"]
    assert [(i["stage"], i["state"]) for i in items] == [(s, t) for s in ("dev", "staging") for t in ("judging", "applying", "checking", "passed")]
    assert read(place) == ["two\n", "two\n"] and tree(place.project) == tree(place.staging)
    assert place.ok("pipeline", "show", result["pipeline"][:9])["stages"] == result["stages"]
    assert [p["pipeline"] for p in place.ok("pipeline", "ls")["pipelines"]] == [result["pipeline"]]
    back = place.ok("pipeline", "undo", result["pipeline"])
    assert back["state"] == "undone" and states(back) == ["undone", "undone"] and (tree(place.project), tree(place.staging)) == before
    assert place.ok("pipeline", "run", "b")["state"] == "done", "what was taken back can be brought again"


def test_what_goes_through_is_frozen(place):
    two(place, "", "approve: true")
    place.box("echo two > a")
    waiting = place.ok("pipeline", "run", "b", status=3)
    place.sh("echo three > a")
    place.ok("approve", waiting["pipeline"])
    assert read(place) == ["two\n", "two\n"]


def test_of_a_snapshot_up_to_a_stage(place):
    two(place)
    place.box("echo two > a")
    place.ok("snap", "b", "good")
    place.sh("echo three > a")
    result = place.ok("pipeline", "run", "b@good", "--to", "dev")
    assert result["state"] == "done" and states(result) == ["passed"] and read(place) == ["two\n", "one\n"]
    assert "no stage 'prod'" in place.refused("pipeline", "run", "b", "--to", "prod")


def test_the_stages_of_who_names_none(place):
    place.write("intents: {test: grep -q two a}\n", a="one\n")
    place.box("echo two > a")
    result = place.ok("pipeline", "run", "b")
    assert [s["stage"] for s in result["stages"]] == ["verified", "dev"] and read(place) == ["two\n", "one\n"]
    place.sh("echo bad > a")
    result = place.ok("pipeline", "run", "b", status=1)
    assert states(result) == ["failed", "pending"] and read(place) == ["two\n", "one\n"]


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("when, state", [("gates", "failed"), ("after", "undone")])
def test_a_gate_that_does_not_hold(place, at, when, state):
    """Earlier stages keep what they have, that stage has what it had, later ones are never touched."""
    two(place, *[f"{when}: [{{command: '! grep -q two a'}}]" if at == i else "" for i in range(2)])
    before = [tree(place.project), tree(place.staging)]
    place.box("echo two > a; mkdir d; echo x > d/x")
    status, _, result = place.call("pipeline", "run", "b")
    assert status == 1 and result["state"] == "stopped"
    assert states(result) == (["passed"] * at + [state] + ["pending"])[:2]
    assert "! grep -q two a" in result["stages"][at]["why"] and not result["stages"][at]["before" if when == "gates" else "after"]["passed"]
    after = [tree(place.project), tree(place.staging)]
    assert after[at:] == before[at:] and (at == 0 or read(place)[0] == "two\n")


def test_an_approval_is_a_persons_and_for_one_snapshot_and_stage(place):
    two(place, "approve: true", "approve: true")
    place.box("echo two > a")
    first = place.ok("pipeline", "run", "b", status=3)
    assert states(first) == ["waiting", "pending"] and read(place) == ["one\n", "one\n"]
    assert "is waiting for approval" in place.refused("pipeline", "run", "b")
    assert place.ok("pipeline", "resume", first["pipeline"], status=3)["state"] == "waiting"
    assert "not 's-other'" in place.refused("approve", first["pipeline"], "--snapshot", "s-other")
    said = place.ok("approve", first["pipeline"], "--note", "as agreed", "--no-resume")
    assert states(said) == ["waiting", "pending"] and read(place) == ["one\n", "one\n"]
    again = place.ok("pipeline", "resume", first["pipeline"], status=3)
    assert states(again) == ["passed", "waiting"], "the approval of one stage is none of the next"
    word = again["stages"][0]["approval"]
    assert (word["approved"], word["name"], word["uid"], word["note"], word["way"]) == (True, "ann", os.getuid(), "as agreed", "approve")
    no = place.ok("approve", first["pipeline"], "--reject", "--note", "not on a Friday", status=1)
    assert no["state"] == "stopped" and states(no) == ["passed", "failed"] and "not on a Friday" in no["stages"][1]["why"]
    assert read(place) == ["two\n", "one\n"]
    assert "is not waiting" in place.refused("approve", first["pipeline"])
    place.sh("echo three > a")
    second = place.ok("pipeline", "run", "b", status=3)
    assert states(second) == ["waiting", "pending"], "an approval of another snapshot does not count"


def test_a_model_cannot_approve(place):
    two(place, "approve: true")
    with rpc.Rpc(cwd=place.project, env=place.env) as model, rpc.Rpc(cwd=place.project, env=place.env) as other:
        model.call("rpc.hello", owner="model")
        other.call("rpc.hello", owner="other")
        model.call("box.create", name="mine")
        model.call("run.exec", box="mine", command=["sh", "-c", "echo two > a"])
        assert "only a person" in model.error("pipeline.run", box="mine", yes=True)["message"]
        begun = model.call("pipeline.run", box="mine")
        assert begun["state"] == "waiting"
        assert "only a person can approve" in model.error("pipeline.approve", pipeline=begun["pipeline"])["message"]
        assert "there is no pipeline" in other.error("pipeline.show", pipeline=begun["pipeline"])["message"], "others' are not there"
        assert model.call("pipeline.resume", pipeline=begun["pipeline"])["state"] == "waiting" and read(place)[0] == "one\n"
    assert place.ok("approve", begun["pipeline"])["state"] == "done" and read(place)[0] == "two\n"


def test_the_rules_are_those_of_the_beginning_and_never_the_boxs(place):
    """A box that rewrites the gates changes nothing of its own way, and a person is asked before they change."""
    two(place, "gates: [{command: '! grep -q evil a'}]")
    place.box("echo evil > a; printf 'stages: [{name: dev, to: {directory: .}}]' > aisbx.yaml")
    result = place.ok("pipeline", "run", "b", status=1)
    assert states(result) == ["failed", "pending"] and read(place)[0] == "one\n"
    place.sh("echo good > a")
    result = place.ok("pipeline", "run", "b", status=3)
    assert states(result) == ["waiting", "pending"] and [t["path"] for t in result["stages"][0]["target"]["traps"]] == ["aisbx.yaml"]
    result = place.ok("approve", result["pipeline"], status=3)
    assert [s["stage"] for s in result["stages"]] == ["dev", "staging"], "the file that was promoted counts from the next on"
    assert "stages: [{name: dev" in (place.project / "aisbx.yaml").read_text()


COMMAND = """
stages:
  - name: production
    to: {command: 'echo "deploy $AISBX_STAGE $AISBX_BOX" >> ../live/log; cp $AISBX_EXPORT/a ../live/a; %s', rollback: 'echo back >> ../live/log; rm -f ../live/a'}
    after: [{command: '! grep -q broken a'}]
"""


def test_a_command_needs_approval_and_gets_an_export(place):
    place.write(COMMAND % "ls -A $AISBX_EXPORT; test ! -w $AISBX_EXPORT/a || id -u", a="one\n")
    place.repository()
    place.box("echo two > a; mkdir -p d/e; ln -s ../a d/l; echo x > d/e/x; chmod 755 d/e/x")
    waiting = place.ok("pipeline", "run", "b", status=3)
    assert not (place.live / "log").exists() and "deploy" in waiting["stages"][0]["target"]["where"]
    done = place.ok("approve", waiting["pipeline"])
    assert (place.live / "log").read_text() == "deploy production b\n" and (place.live / "a").read_text() == "two\n"
    assert set(done["stages"][0]["output"].split()) - {"0"} == {"a", "aisbx.yaml", "d"}, "of repositories nothing is exported"
    assert read(place)[0] == "one\n" and os.listdir(place.top / "state" / "aisbx" / "pipelines") == []
    place.ok("pipeline", "undo", done["pipeline"])
    assert (place.live / "log").read_text() == "deploy production b\nback\n" and not (place.live / "a").exists()


@pytest.mark.parametrize("how, why", [("exit 7", "exited with 7"), ("true", "! grep -q broken a")])
def test_a_command_that_fails_is_rolled_back(place, how, why):
    place.write(COMMAND % how, a="one\n")
    place.box("echo broken > a")
    result = place.ok("pipeline", "run", "b", "--yes", status=1)
    assert states(result) == ["undone"] and why in result["stages"][0]["why"]
    assert result["stages"][0]["approval"]["way"] == "yes"
    assert (place.live / "log").read_text() == "deploy production b\nback\n" and not (place.live / "a").exists()


def test_a_command_without_rollback_stops_and_says_so(place):
    place.write("stages: [{name: p, to: {command: 'echo x >> ../live/log; exit 3'}}]", a="one\n")
    place.box("echo two > a")
    result = place.ok("pipeline", "run", "b", "--yes", status=1)
    assert states(result) == ["stuck"] and "yourself" in result["stages"][0]["why"]
    assert states(place.ok("pipeline", "undo", result["pipeline"], status=1)) == ["stuck"]
    assert states(place.ok("pipeline", "undo", result["pipeline"], "--conflict", "keep")) == ["undone"]
    assert (place.live / "log").read_text() == "x\n"


def test_what_a_stage_would_run_outside_is_looked_at_first(place):
    place.write("stages: [{name: dev, to: {directory: .}}, {name: p, to: {command: ./deploy.sh}}]", deploy__sh="#!/bin/sh\ntrue\n")
    (place.project / "deploy.sh").chmod(0o755)
    place.box("echo 'touch ../live/evil' >> deploy.sh")
    result = place.ok("pipeline", "run", "b", status=3)
    assert states(result) == ["waiting", "pending"] and "deploy.sh" in result["stages"][0]["why"]
    assert not list(place.live.iterdir())


def test_a_branch(place):
    place.write("stages: [{name: release, gates: [not secrets], to: {branch: release}}]", a="one\n")
    place.repository()
    before, head = tree(place.project), place.git("rev-parse", "HEAD")
    place.box("echo two > a; echo new > n; echo evil > .git/hooks/post-checkout; git config core.pager evil")
    result = place.ok("pipeline", "run", "b")
    commit = result["stages"][0]["commit"]
    assert place.git("rev-parse", "release").strip() == commit and place.git("rev-parse", "release^") == head
    assert place.git("show", "release:a") == "two\n" and place.git("show", "release:n") == "new\n"
    assert place.git("log", "-1", "--format=%an <%ae>", "release") == "Ann <ann@example.org>\n"
    assert place.git("rev-parse", "--abbrev-ref", "HEAD") == "main\n" and tree(place.project) == before and place.git("status", "--short") == ""
    assert "evil" not in (place.project / ".git/config").read_text() and not (place.project / ".git/hooks/post-checkout").exists()
    place.git("fsck", "--strict")
    again = place.ok("pipeline", "run", "b")
    assert again["state"] == "done" and place.git("rev-parse", "release").strip() == commit, "there is nothing new to commit"
    place.sh("echo three > a")
    third = place.ok("pipeline", "run", "b")
    assert place.git("rev-parse", "release^").strip() == commit and place.git("show", "release:a") == "three\n"
    place.ok("pipeline", "undo", third["pipeline"])
    assert place.git("rev-parse", "release").strip() == commit
    place.ok("pipeline", "undo", result["pipeline"])
    assert place.git("branch", "--list") == "* main\n"
    assert [b["name"] for b in place.ok("ls", "--all")["boxes"]] == ["b"], "no fork is left"


def test_a_branch_that_is_checked_out_and_no_repository(place):
    place.write("stages: [{name: release, to: {branch: main}}]", a="one\n")
    place.box("echo two > a")
    assert "no repository" in place.ok("pipeline", "run", "b", status=1)["stages"][0]["why"]
    place.repository()
    assert "is checked out" in place.ok("pipeline", "run", "b", status=1)["stages"][0]["why"]


def test_a_conflict_stops_at_its_stage(place):
    two(place)
    place.box("echo two > a")
    (place.staging / "a").write_text("mine\n")
    result = place.ok("pipeline", "run", "b", status=1)
    assert states(result) == ["passed", "failed"] and "changed on both sides: 'a'" in result["stages"][1]["why"]
    assert read(place) == ["two\n", "mine\n"]
    place.ok("pipeline", "undo", result["pipeline"])
    assert place.ok("pipeline", "run", "b", "--conflict", "keep")["state"] == "done" and read(place) == ["two\n", "mine\n"]


def test_a_stage_gets_what_it_missed(place):
    """What stopped before a stage comes into it with the next; what came into it is the base of what comes then."""
    two(place, "", "gates: [{command: test -e ok}]")
    place.box("echo two > a; echo n > n; echo x > x")
    assert states(place.ok("pipeline", "run", "b", status=1)) == ["passed", "failed"] and read(place) == ["two\n", "one\n"]
    place.sh("touch ok; rm x")
    assert states(place.ok("pipeline", "run", "b")) == ["passed", "passed"]
    assert tree(place.project) == tree(place.staging) and read(place) == ["two\n", "two\n"] and not (place.staging / "x").exists()
    place.sh("echo three > a; rm n")
    assert states(place.ok("pipeline", "run", "b")) == ["passed", "passed"] and tree(place.project) == tree(place.staging)
    assert read(place) == ["three\n", "three\n"]


def test_a_file_that_is_gone(place):
    """Elsewhere than in the project it goes if it is what was removed; if it says something else, a person decides."""
    two(place)
    place.box("rm a")
    result = place.ok("pipeline", "run", "b")
    assert states(result) == ["passed", "passed"] and not (place.staging / "a").exists()
    place.ok("pipeline", "undo", result["pipeline"])
    assert (place.staging / "a").read_text() == "one\n"
    (place.staging / "a").write_text("another\n")
    assert states(place.ok("pipeline", "run", "b", status=1)) == ["passed", "failed"] and (place.staging / "a").exists()
    result = place.ok("pipeline", "run", "b", "--conflict", "overwrite")
    assert states(result) == ["passed", "passed"] and not (place.staging / "a").exists()


def test_what_was_changed_since_is_not_taken_back_unasked(place):
    two(place)
    place.box("echo two > a; echo n > n")
    result = place.ok("pipeline", "run", "b")
    (place.staging / "a").write_text("since\n")
    stuck = place.ok("pipeline", "undo", result["pipeline"], status=1)
    assert states(stuck) == ["passed", "stuck"] and "'a' has changed since" in stuck["stages"][1]["why"] and read(place) == ["two\n", "since\n"]
    back = place.ok("pipeline", "undo", result["pipeline"], "--conflict", "keep")
    assert states(back) == ["undone", "undone"] and read(place) == ["one\n", "since\n"] and not (place.staging / "n").exists()


def test_one_at_a_time(place):
    two(place)
    place.box("echo two > a")
    fd = os.open(place.project, os.O_RDONLY)  # as another aisbx that is at it would
    fcntl.flock(fd, fcntl.LOCK_EX)
    assert "in progress" in place.refused("pipeline", "run", "b")
    os.close(fd)
    assert place.ok("pipeline", "run", "b")["state"] == "done"
    result = place.ok("pipeline", "ls")["pipelines"][0]
    fd = os.open(place.project, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    assert "in progress" in place.refused("pipeline", "resume", result["pipeline"]) and place.ok("pipeline", "show", result["pipeline"])["live"]
    os.close(fd)


def test_two_at_once_by_themselves(place):
    place.write("stages: [{name: live, to: {command: 'touch ../live/begun; while [ ! -e ../live/go ]; do sleep 0.02; done'}}]", a="one\n")
    place.box("echo two > a")
    one = subprocess.Popen([box.aisbx(), "pipeline", "run", "b", "--yes", "--json"], cwd=place.project, env=place.env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, text=True)
    try:
        box.wait_until((place.live / "begun").exists, seconds=120, what="the first has begun")
        assert "in progress" in place.refused("pipeline", "run", "b")
        (key,) = [p["pipeline"] for p in place.ok("pipeline", "ls")["pipelines"] if p["live"] and p["state"] == "running"]
        assert "in progress" in place.refused("pipeline", "resume", key) and "in progress" in place.refused("pipeline", "undo", key)
    finally:
        (place.live / "go").touch()
    said, _ = one.communicate(timeout=120)
    assert one.returncode == 0 and json.loads(said.splitlines()[-1])["state"] == "done"


@pytest.mark.parametrize("back", [False, True])
def test_a_command_that_still_runs_is_not_started_again(place, back):
    """Its aisbx was killed: neither the command nor its rollback begins before it has ended."""
    place.write("stages: [{name: live, to: {command: 'echo x >> ../live/log; while [ ! -e ../live/go ]; do sleep 0.02; done', rollback: rm ../live/log}}]",
                a="one\n")
    place.box("echo two > a")
    one = subprocess.Popen([box.aisbx(), "pipeline", "run", "b", "--yes", "--json"], cwd=place.project, env=place.env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL)
    try:
        box.wait_until((place.live / "log").exists, seconds=120, what="the command has begun")
        one.kill()
        one.wait()
        key = place.ok("pipeline", "ls")["pipelines"][0]["pipeline"]
        assert "still running" in place.refused("pipeline", "resume", key)
        if back:
            assert "still running" in place.refused("pipeline", "undo", key)
        assert (place.live / "log").read_text() == "x\n"
    finally:
        (place.live / "go").touch()
    box.wait_until(lambda: place.call("pipeline", "resume", key)[0] == 0, seconds=120, what="it goes on")
    assert states(place.ok("pipeline", "show", key)) == ["undone" if back else "passed"]
    assert (place.live / "log").exists() is not back


def test_a_person_at_the_terminal_is_asked(place):
    two(place, "approve: true", "approve: true")
    place.box("echo two > a")
    leader, follower = pty.openpty()
    one = subprocess.Popen([box.aisbx(), "pipeline", "run", "b"], cwd=place.project, env={**place.env, "NO_COLOR": "1"}, stdin=follower, stdout=follower,
                           stderr=follower, start_new_session=True)
    os.close(follower)
    said = b""
    for answer in (b"d\n", b"y\n", b"n\n"):
        while not said.endswith(b"[y/n/d/-] "):
            said += os.read(leader, 4096)
        os.write(leader, answer)
        said += b"\n"
    try:
        while chunk := os.read(leader, 4096):
            said += chunk
    except OSError:  # the end of a terminal
        pass
    assert one.wait(timeout=60) == 1, said
    assert b"@@ -1 +1 @@\r\n-one\r\n+two\r\n" in said, said
    assert b"1 modified" in said and b"+ passed       dev" in said and b"x failed       staging: rejected by ann" in said
    assert read(place) == ["two\n", "one\n"]


def test_for_people(place):
    two(place, "", "gates: [{command: 'exit 4'}]")
    place.box("echo two > a")
    run = subprocess.run([box.aisbx(), "pipeline", "run", "b"], cwd=place.project, env=place.env, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 1 and run.stdout.splitlines()[-2].startswith("x failed       staging: exit 4") and " stopped" in run.stdout.splitlines()[-1]
    key = place.ok("pipeline", "ls")["pipelines"][0]["pipeline"]
    shown = subprocess.run([box.aisbx(), "pipeline", "show", key], cwd=place.project, env=place.env, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "+ passed       dev\n" in shown and "    x exit 4" in shown
    listed = subprocess.run([box.aisbx(), "pipeline", "ls"], cwd=place.project, env=place.env, capture_output=True, text=True, timeout=60, check=True).stdout
    assert key in listed and "dev:passed staging:failed" in listed


def test_a_box_that_is_gone(place):
    two(place, "", "approve: true")
    place.box("echo two > a")
    waiting = place.ok("pipeline", "run", "b", status=3)
    place.ok("rm", "b")
    assert "there is no box" in place.refused("approve", waiting["pipeline"])
    back = place.ok("pipeline", "undo", waiting["pipeline"])
    assert states(back) == ["undone", "undone"] and read(place) == ["one\n", "one\n"]


# Nothing says whether the change is any good: neither tests nor gates. Then somebody must.

UNCHECKED = {
    "no stages, no tests": ("", "no tests"),
    "one stage": ("stages: [{name: dev, to: {directory: .}}]", "no stage has a gate"),
}
CHECKED = {
    "a gate before": "stages: [{name: dev, to: {directory: .}, gates: [not secrets]}]",
    "a gate after": "stages: [{name: dev, to: {directory: .}, after: [{command: test -e a}]}]",
    "a gate at a later stage": "stages: [{name: dev, to: {directory: .}}, {name: st, to: {directory: ../staging}, gates: [not secrets]}]",
}


@pytest.mark.parametrize("name", UNCHECKED)
def test_nothing_was_checked(place, name):
    stages, why = UNCHECKED[name]
    place.write(stages, a="one\n")
    place.box("echo two > a")
    result = place.ok("pipeline", "run", "b", status=3)
    asked = [s for s in result["stages"] if s["state"] == "waiting"]
    assert result["state"] == "waiting" and [s["stage"] for s in asked] == ["dev"] and "nothing was checked: " in asked[0]["why"] and why in asked[0]["why"]
    assert read(place)[0] == "one\n", "it did not wait"
    place.ok("approve", result["pipeline"], "--reject", status=1)
    done = place.ok("pipeline", "run", "b", "--yes")
    assert done["state"] == "done" and read(place)[0] == "two\n" and done["stages"][-1]["approval"]["way"] == "yes"


def test_nothing_was_checked_for_a_program(place):
    place.write("", a="one\n")
    with rpc.Rpc(cwd=place.project, env=place.env) as there:
        there.call("box.create", name="b")
        there.call("run.exec", box="b", command=["sh", "-c", "echo two > a"])
        result = there.call("pipeline.run", box="b")
        assert result["state"] == "waiting" and any("nothing was checked" in (s["why"] or "") for s in result["stages"])
    assert read(place)[0] == "one\n"


@pytest.mark.parametrize("name", CHECKED)
def test_something_was_checked(place, name):
    """The control: one check anywhere is enough not to be asked."""
    place.write(CHECKED[name], a="one\n")
    place.box("echo two > a")
    assert place.ok("pipeline", "run", "b")["state"] == "done" and read(place)[0] == "two\n"


# A stage that was rolled back is no obstacle for what comes next.

ROLLED_BACK = """
stages:
  - {name: dev, to: {directory: .}}
  - {name: staging, to: {directory: ../staging}, after: [{command: 'test ! -e bad'}]}
"""


@pytest.mark.parametrize("next_", ("rm bad; echo y > nd/y", "rm bad; echo three > a; echo xx > nd/x", "rm -r bad nd; echo z > a"))
def test_after_a_stage_that_was_rolled_back(place, next_):
    place.write(ROLLED_BACK, a="one\n")
    before = tree(place.staging)
    place.box("echo two > a; mkdir nd; echo x > nd/x; touch bad")
    result = place.ok("pipeline", "run", "b", status=1)
    assert states(result) == ["passed", "undone"] and tree(place.staging) == before
    place.sh(next_)
    assert place.ok("pipeline", "run", "b")["state"] == "done"
    assert tree(place.staging) == tree(place.project)
