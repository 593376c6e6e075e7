# SPDX-License-Identifier: Apache-2.0
"""`aisbx try` and `aisbx experiment`: who wins and why, what is left, what is told meanwhile; budgets, flakiness, wrong input."""
import json
import os
import signal
import uuid

import pytest

import box
from rpc import Rpc
from tries import Tries, by_name, states


@pytest.fixture(name="tries")
def fixture_tries(tmp_path):
    t = Tries(tmp_path)
    (t.project / "value").write_text("0\n")
    yield t
    t.clear()


IS_2 = ("--test", "grep -q 2 value")


def test_the_best_of_those_that_pass_wins(tries):
    """The test of the first takes a second more, by what the branch did: that is no matter of how fast the machine is."""
    result = tries.trying("echo 2 > value; echo 3 > slow", "echo 3 > value", "echo 2 > value; echo 0 > slow; echo x > more",
                          options=("--test", "sleep $(cat slow); grep -q 2 value", "--name", "slow", "--name", "wrong", "--name", "quick"))
    assert (result["state"], result["winner"], result["mode"], result["aisbx_status"]) == ("won", "quick", "best", 0)
    assert states(result) == {"slow": "passed", "wrong": "failed", "quick": "winner"}
    assert [(b["name"], b["rank"]) for b in result["branches"]] == [("quick", 1), ("slow", 2), ("wrong", None)]
    quick, wrong = by_name(result)["quick"], by_name(result)["wrong"]
    assert quick["score"] < by_name(result)["slow"]["score"] and by_name(result)["slow"]["score"] >= 3000
    assert quick["changes"] == {"created": 2, "modified": 1, "deleted": 0} and quick["passed_of"] == "1/1"
    assert wrong["why"] == "the test exited with 1" and wrong["score"] is None and wrong["box"] is None
    assert len(quick["runs"]) == 2 and quick["cpu_ms"] > 0 and quick["mem_peak"] > 0 and quick["wall_ms"] > 0
    assert result["differs"] == [{"branch": "quick", "against": "slow", "files": ["more", "slow"], "more": 0}]
    assert tries.boxes() == [result["box"]] == [quick["box"]]
    assert tries.read(result["box"], "value") == "2\n" and (tries.project / "value").read_text() == "0\n"
    shown = tries.call("experiment", "show", result["experiment"])
    assert shown["state"] == "won" and shown["winner"] == "quick" and "stdout_tail" not in shown["branches"][0]
    assert [x["experiment"] for x in tries.call("experiment", "ls")["experiments"]] == [result["experiment"]]


def test_what_is_told_meanwhile(tries):
    result = tries.trying("echo 2 > value; sleep 1", "false", options=IS_2)
    first, second = ([i for i in tries.items if i["n"] == n] for n in (1, 2))
    assert {i["experiment"] for i in tries.items} == {result["experiment"]} and {i["of"] for i in tries.items} == {2}
    order = list(dict.fromkeys(i["state"] for i in first))
    assert order == ["waiting", "running", "testing", "passed", "winner"]
    assert [i["state"] for i in second][0] == "waiting" and second[-1]["state"] == "failed" and "exited with 1" in second[-1]["why"]
    assert sum(i["state"] == "running" for i in first) >= 2, "while it runs it is looked at"
    assert any(i["state"] == "running" and i["mem_peak"] > 0 for i in first)
    assert first[-1]["changes"] == 1 and first[-1]["score"] > 0


def test_first_to_pass(tries):
    mark = f"mark-{uuid.uuid4().hex}"
    result = tries.trying(f"sh -c 'sleep 600' {mark} & wait", "echo 2 > value", f"trap '' TERM; sh -c 'trap \"\" TERM; sleep 600' {mark}; sleep 600",
                          options=("--mode", "first", *IS_2))
    assert result["winner"] == "2" and states(result) == {"1": "stopped", "2": "winner", "3": "stopped"}
    assert {b["why"] for b in result["branches"] if b["state"] == "stopped"} == {"another was first"}
    assert not box.processes_with(mark) and tries.boxes() == [result["box"]]


def test_all_only_compares(tries):
    result = tries.trying("echo 2 > value", "echo 22 > value", "echo 1 > value", options=("--mode", "all", "--keep", *IS_2))
    assert result["winner"] is None and result["box"] is None and result["state"] == "compared" and result["aisbx_status"] == 0
    assert states(result) == {"1": "passed", "2": "passed", "3": "failed"} and len(result["differs"]) == 1
    assert tries.boxes() == sorted(b["box"] for b in result["branches"]), "--keep"


def test_nobody_passes(tries):
    result = tries.trying("echo out; echo err >&2; exit 3", "kill -9 $$", "no-such-program-at-all", options=IS_2)
    assert (result["state"], result["winner"], result["aisbx_status"]) == ("none", None, 1)
    why = {b["name"]: b["why"] for b in result["branches"]}
    assert why == {"1": "the command exited with 3", "2": "the command was ended by signal 9", "3": "the command exited with 127"}
    assert by_name(result)["1"]["stdout_tail"] == "out\n" and by_name(result)["1"]["stderr_tail"] == "err\n"
    assert tries.boxes() == []


def test_what_tests_leave_behind_is_not_kept(tries):
    result = tries.trying("echo 2 > value", options=("--test", "touch left; echo 9 > value", "--repeat", "2"))
    assert result["winner"] == "1" and by_name(result)["1"]["passed_of"] == "2/2"
    assert tries.read(result["box"], "value") == "2\n"
    assert tries.call("diff", result["box"])["summary"]["created"] == 0


def test_a_flaky_branch_has_not_passed(tries):
    """The test fails the second time it is asked, by a counter that is shared with the host."""
    (tries.root / "shared").mkdir()
    flaky = f"echo x >> {tries.root}/shared/count; ! grep -q flaky value || test $(wc -l < {tries.root}/shared/count) -ne 2"
    result = tries.trying("echo flaky > value", options=("--repeat", "3", "--rw", f"{tries.root}/shared", "--test", flaky))
    branch = by_name(result)["1"]
    assert result["state"] == "none" and branch["state"] == "flaky" and branch["passed_of"] == "2/3" and len(branch["runs"]) == 4
    assert branch["why"] == "the test passed only 2 of 3 times" and result["aisbx_status"] == 1


def test_the_intent_of_the_project_is_the_test(tries):
    """As the real directory says it: a branch that rewrites what a test is has not passed by that."""
    (tries.project / "aisbx.yaml").write_text("intents: {test: 'grep -q 2 value && echo 7 passed in 0.01s'}\n")
    result = tries.trying("echo 2 > value", "echo 'intents: {test: \"true\"}' > aisbx.yaml")
    assert states(result) == {"1": "winner", "2": "failed"}
    assert by_name(result)["1"]["tests"] == {"passed": 7, "failed": 0, "skipped": 0}


def test_budget_of_time(tries):
    result = tries.trying("echo 2 > value", "sleep 600", options=("--budget-time", "6s", *IS_2))
    assert result["state"] == "budget" and states(result) == {"1": "winner", "2": "stopped"} and result["aisbx_status"] == 0
    assert by_name(result)["2"]["why"] == "the time budget was used up"
    result = tries.trying("sleep 600", options=("--budget-time", "300ms", *IS_2))
    assert result["state"] == "budget" and result["winner"] is None and result["aisbx_status"] == 1


def test_budget_of_processor_time(tries):
    result = tries.trying("while :; do :; done", options=("--budget-cpu", "500ms", *IS_2))
    assert result["state"] == "budget" and by_name(result)["1"]["why"] == "the processor time budget was used up"


def test_budget_of_runs(tries):
    result = tries.trying("echo 2 > value", "echo 2 > value", "echo 2 > value", options=("--budget-runs", "3", "--parallel", "1", *IS_2))
    assert result["state"] == "budget" and states(result) == {"1": "winner", "2": "stopped", "3": "stopped"}
    assert sum(len(b["runs"]) for b in result["branches"]) == 3


def test_one_after_the_other(tries):
    (tries.root / "shared").mkdir()
    log = tries.root / "shared/log"
    result = tries.trying(*(f"echo begin >> {log}; sleep 0.05; echo end >> {log}",) * 4,
                          options=("--parallel", "1", "--rw", f"{tries.root}/shared", "--test", f"echo test >> {log}"))
    assert result["state"] == "won" and log.read_text().split() == ["begin", "end", "test"] * 4


def test_from_a_box(tries):
    tries.call("create", "base")
    tries.call("run", "--box", "base", "--", "sh", "-c", "echo 1 > value")
    snap = tries.call("snap", "base", "one")["name"]
    tries.call("run", "--box", "base", "--", "sh", "-c", "echo 5 > value")
    result = tries.trying("echo $(($(cat value) + 1)) > value", options=("--box", f"base@{snap}", *IS_2))
    assert result["winner"] == "1" and set(tries.boxes()) == {"base", result["box"]}
    assert tries.read("base", "value") == "5\n"


def test_promote(tries):
    result = tries.trying("echo 2 > value", "echo 3 > value", options=("--promote", *IS_2))
    assert (tries.project / "value").read_text() == "2\n" and result["promotion"]["promotion"], result["promotion"]
    tries.call("undo")
    assert (tries.project / "value").read_text() == "0\n"


def test_gates_must_hold_as_well(tries):
    (tries.project / "aisbx.yaml").write_text("gates: {small: [changes.created<2]}\n")
    result = tries.trying("echo 2 > value; touch a b", "echo 2 > value; touch a", "rm aisbx.yaml; echo 2 > value; touch a b c",
                          options=("--gate", "small", "--gate", "changes.deleted==0", *IS_2))
    assert states(result) == {"1": "failed", "2": "winner", "3": "failed"}, result
    assert "changes.created<2" in by_name(result)["1"]["why"] and "it is 2" in by_name(result)["1"]["why"]
    assert tries.boxes() == [result["box"]], "what gates made is gone"


def test_gates_alone_decide(tries):
    result = tries.trying("touch a", "true", options=("--gate", "changes.created==1"))
    assert states(result) == {"1": "winner", "2": "failed"} and by_name(result)["1"]["passed_of"] is None


def test_score(tries):
    """By facts, or by what the test says; the least, or the most."""
    branches = ("touch a b", "touch a", "touch a b c")
    assert tries.trying(*branches, options=("--test", "true", "--score", "changes.created"))["winner"] == "2"
    most = tries.trying(*branches, options=("--test", "true", "--score", "changes.created", "--prefer", "most"))
    assert most["winner"] == "3" and [b["score"] for b in most["branches"]] == [3, 2, 1]
    said = tries.trying("echo 7 > value", "echo 5 > value", "echo none > value", options=("--test", "cat value", "--score", "score"))
    assert said["winner"] == "2" and states(said)["3"] == "failed" and "score is not known" in by_name(said)["3"]["why"]
    assert "--prefer most needs a --score" in tries.refused("try", "--test", "true", "--prefer", "most", "--", "true")
    assert "changes.nothing" in tries.refused("try", "--test", "true", "--score", "changes.nothing", "--", "true")
    assert "no-such" in tries.refused("try", "--test", "true", "--gate", "no-such", "--", "true")


FILE = """
experiments:
  speed:
    branches: {plain: "true", two: "echo 2 > value", words: [sh, -c, "echo 22 > value; touch more"]}
    test: grep -q 2 value
    gates: [changes.created==0]
    score: changes
    mode: best
    repeat: 2
"""


def test_from_the_project_file(tries):
    (tries.project / "aisbx.yaml").write_text(FILE)
    result = tries.call("try", "--experiment", "speed")
    assert states(result) == {"plain": "failed", "two": "winner", "words": "failed"}, result
    assert by_name(result)["two"]["passed_of"] == "2/2" and by_name(result)["two"]["score"] == 1
    assert tries.call("experiment", "show", result["experiment"])["name"] == "speed"
    assert "no experiment 'slow'" in tries.refused("try", "--experiment", "slow")
    other = tries.call("try", "--experiment", "speed", "--repeat", "1", "--mode", "all", "--", "echo 2 > value", "--", "touch 2")
    assert other["mode"] == "all" and states(other) == {"1": "passed", "2": "failed"} and by_name(other)["1"]["passed_of"] == "1/1"


def test_promoted_through_stages(tries):
    (tries.project / "aisbx.yaml").write_text("stages: [{name: verified, gates: [changes.created==0]}, {name: dev, to: {directory: .}}]\n")
    result = tries.trying("echo 2 > value", options=("--promote", *IS_2))
    assert result["promotion"] is None and result["pipeline"]["state"] == "done", result["pipeline"]
    assert (tries.project / "value").read_text() == "2\n"


def test_words_are_a_command(tries):
    result = tries.call("try", *IS_2, "--", "sh", "-c", "echo 2 > $0", "value", "--", "echo  '2' > value")
    assert [b["command"] for b in sorted(result["branches"], key=lambda b: b["n"])] == ["sh -c echo 2 > $0 value", "echo  '2' > value"]
    assert set(states(result).values()) == {"winner", "passed"}


def test_wrong_input(tries):
    assert "nothing to try" in tries.refused("try", "--test", "true")
    assert "branch 2 has no command" in tries.refused("try", "--test", "true", "--", "true", "--", "--", "true")
    assert "branch 1 has no command" in tries.refused("try", "--test", "true", "--", " ")
    assert "no command to test" in tries.refused("try", "--", "true")
    assert "2 names for 1 branches" in tries.refused("try", "--test", "true", "--name", "a", "--name", "b", "--", "true")
    assert "two branches have the name 'a'" in tries.refused("try", "--test", "true", "--name", "a", "--name", "a", "--", "true", "--", "true")
    assert "must have 1 to 64 bytes" in tries.refused("try", "--test", "true", "--name", "", "--", "true")
    assert "repeat must be 1 to 1000" in tries.refused("try", "--test", "true", "--repeat", "0", "--", "true")
    assert "at most 256" in tries.refused("try", "--test", "true", *["--", "true"] * 257)
    assert "no box 'nobody'" in tries.refused("try", "--test", "true", "--box", "nobody", "--", "true")
    assert "omit --project" in tries.refused("try", "--test", "true", "--box", "nobody", "--project", ".", "--", "true")
    assert tries.boxes() == [] and tries.call("experiment", "ls")["experiments"] == [], "nothing was begun"


def wait_for_runs(tries, n):
    box.wait_until(lambda: len(tries.call("ps", "--all")["runs"]) == n, what=f"{n} runs")


def test_ctrl_c(tries):
    mark = f"mark-{uuid.uuid4().hex}"
    going = tries.start("try", *IS_2, *["--", f"sh -c 'sleep 600' {mark}; true"] * 3)
    wait_for_runs(tries, 3)
    going.send_signal(signal.SIGINT)
    out, _ = going.communicate(timeout=60)
    result = json.loads(out.splitlines()[-1])
    assert result["state"] == "interrupted" and set(states(result).values()) == {"stopped"} and going.returncode == 130
    assert not box.processes_with(mark) and tries.boxes() == []


def test_ctrl_c_when_one_has_passed(tries):
    """Nobody wins by that: whoever presses it wants none of it."""
    going = tries.start("try", *IS_2, "--", "echo 2 > value", "--", "sleep 600")
    for line in going.stdout:
        if json.loads(line)["state"] == "passed":
            break
    going.send_signal(signal.SIGINT)
    out, _ = going.communicate(timeout=60)
    result = json.loads(out.splitlines()[-1])
    assert result["state"] == "interrupted" and result["winner"] is None and states(result) == {"1": "passed", "2": "stopped"}
    assert tries.boxes() == []


def test_killed(tries):
    """Nobody outlives it, and gc removes what it had made."""
    mark = f"mark-{uuid.uuid4().hex}"
    going = tries.start("try", *IS_2, *["--", f"sh -c 'sleep 600' {mark}; true"] * 3)
    wait_for_runs(tries, 3)
    assert len(tries.boxes()) == 4 and tries.call("gc")["expired"] == 0 and len(tries.boxes()) == 4, "it goes on"
    going.kill()
    going.communicate(timeout=60)
    box.wait_until(lambda: not box.processes_with(mark), what="the end of all")
    # Who watched a command holds its box for a moment longer; gc leaves what somebody holds.
    box.wait_until(lambda: tries.call("gc") and not tries.boxes(), what="the end of who held the boxes")
    assert os.listdir(tries.root / "state/aisbx/experiments") == []
    assert [x["state"] for x in tries.call("experiment", "ls")["experiments"]] == ["interrupted"]


def test_open_ended_first(tries):
    x = tries.call("experiment", "open", "--count", "3", "--mode", "first", *IS_2)
    assert x["state"] == "open" and [b["name"] for b in x["branches"]] == ["1", "2", "3"] and len(tries.boxes()) == 4
    names = [b["box"] for b in x["branches"]]
    mark = f"mark-{uuid.uuid4().hex}"
    live = tries.call("run", "--detach", "--box", names[2], "--", "sh", "-c", "sleep 600", mark)
    failed = tries.call("experiment", "ready", x["experiment"], "2")
    assert failed["passed"] is False and failed["why"] == "the test exited with 1" and failed["aisbx_status"] == 1
    tries.call("run", "--box", names[1], "--", "sh", "-c", "echo 2 > value")
    won = tries.call("experiment", "ready", x["experiment"][:8], "2")
    assert won["passed"] and won["won"] and won["ended"]["winner"] == "2" and won["ended"]["box"] == names[1]
    assert tries.boxes() == [names[1]] and not box.processes_with(mark)
    assert live["run"] not in [r["run"] for r in tries.call("ps", "--all")["runs"]]
    assert "branch '2' won" in tries.refused("experiment", "ready", x["experiment"], "1")
    assert "branch '2' won" in tries.refused("experiment", "end", x["experiment"])


def test_open_ended_best(tries):
    """What was judged is what is promoted, not what came into the box afterwards."""
    x = tries.call("experiment", "open", "--name", "a", "--name", "b", *IS_2)
    names = {b["name"]: b["box"] for b in x["branches"]}
    tries.call("run", "--box", names["b"], "--", "sh", "-c", "echo 2 > value")
    assert tries.call("experiment", "ready", x["experiment"], "b")["passed"]
    assert "no branch 'c'" in tries.refused("experiment", "ready", x["experiment"], "c")
    tries.call("run", "--box", names["b"], "--", "sh", "-c", "echo evil > value; touch evil")
    ended = tries.call("experiment", "end", x["experiment"], "--promote")
    assert ended["state"] == "won" and ended["winner"] == "b" and tries.boxes() == [names["b"]]
    assert (tries.project / "value").read_text() == "2\n" and not (tries.project / "evil").exists()


def test_open_ended_without_a_winner(tries):
    x = tries.call("experiment", "open", *IS_2)
    ended = tries.call("experiment", "end", x["experiment"])
    assert ended["state"] == "none" and ended["winner"] is None and tries.boxes() == []
    assert "has ended" in tries.refused("experiment", "end", x["experiment"])
    assert "there is no experiment 'x-none'" in tries.refused("experiment", "show", "x-none")
    assert "must have 1 to 256" in tries.refused("experiment", "open", "--count", "0", *IS_2)


def test_by_rpc_for_an_owner(tries):
    """Items come while it goes; another owner has neither the experiment nor its box."""
    with Rpc(cwd=tries.project, env={**os.environ, **tries.env}) as rpc:
        rpc.call("rpc.hello", owner="ann")
        asked = rpc.send("experiment.try", branches=["echo 2 > value", "false"], test="grep -q 2 value")
        result = rpc.ok(asked)
        told = [params["item"]["state"] for method, params in rpc.notes[asked] if method == "item"]
        assert result["winner"] == "1" and [b["name"] for b in rpc.call("box.ls")["boxes"]] == [result["box"]]
        assert told[:2] == ["waiting", "waiting"] and told[-1] == "winner", rpc.notes[asked]
    with Rpc(cwd=tries.project, env={**os.environ, **tries.env}) as rpc:
        rpc.call("rpc.hello", owner="bob")
        assert rpc.call("experiment.ls")["experiments"] == [] and rpc.call("box.ls")["boxes"] == []
        assert rpc.error("experiment.show", experiment=result["experiment"])["data"]["kind"] == "not_found"


def test_a_call_that_is_cancelled(tries):
    mark = f"mark-{uuid.uuid4().hex}"
    with Rpc(cwd=tries.project, env={**os.environ, **tries.env}) as rpc:
        asked = rpc.send("experiment.try", branches=[f"sh -c 'sleep 600' {mark}; true"] * 2, test="true")
        box.wait_until(lambda: len(box.processes_with(mark)) >= 2, what="both")
        rpc.send_params("rpc.cancel", {"id": asked})
        result = rpc.ok(asked)
        assert result["state"] == "interrupted" and set(states(result).values()) == {"stopped"}
        assert not box.processes_with(mark)
    assert tries.boxes() == []
