# SPDX-License-Identifier: Apache-2.0
"""Gates: what must hold before a change goes further, judged without changing anything, by the person's own aisbx.yaml."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import uuid

import pytest

import box
import mcp_raw
import rpc

TESTS = "test:\n\t@cat answer; grep -q right answer && echo '3 passed in 0.1s'\n"


def env_of(place):
    return {"HOME": str(place / "home"), "PATH": os.environ["PATH"], "XDG_STATE_HOME": str(place / "state")}


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    for name in ("project", "home", "state"):
        (tmp_path / name).mkdir()
    (tmp_path / "project" / "Makefile").write_text(TESTS)
    (tmp_path / "project" / "answer").write_text("wrong\n")
    yield tmp_path
    for kept in aisbx(tmp_path, "ls", "--all")["boxes"]:  # a layer has directories that nobody else can remove
        aisbx(tmp_path, "rm", kept["id"])
    aisbx(tmp_path, "gc")


def aisbx(place, *words, check=True):
    words = [str(w) for w in words]
    at = words.index("--") if "--" in words else len(words)
    done = subprocess.run([box.aisbx(), *words[:at], "--json", *words[at:]], cwd=place / "project", stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120, check=False, env=env_of(place))
    assert done.stdout, done.stderr
    result = json.loads(done.stdout)
    assert not check or not isinstance(result.get("error"), dict), result
    return {**result, "aisbx_status": done.returncode}


def refused(place, *words):
    result = aisbx(place, "gate", "check", *words, check=False)
    assert result["status"] == "error" and result["aisbx_status"] == 125, result
    return result["error"]["text"]


def gate(place, *words):
    """The answer, with what each check came to as "came": {text: passed}."""
    result = aisbx(place, "gate", "check", *words)
    assert result["aisbx_status"] == (0 if result["passed"] else 1)
    assert result["passed"] == all(c["passed"] for c in result["checks"])
    assert [b["name"] for b in aisbx(place, "ls", "--all")["boxes"] if b["name"].startswith("b-")] == [], "what was made for it is gone"
    return {**result, "came": {c["check"]: c["passed"] for c in result["checks"]}}


def whys(result):
    return [c["why"] for c in result["checks"]]


def make(place, name, *command):
    aisbx(place, "create", name)
    if command:
        aisbx(place, "run", "--box", name, "--", *command)
    return name


def runs(place):
    return len(aisbx(place, "history", "--limit", 1000)["runs"])


def test_an_intent_passes_and_fails(place):
    good, bad = make(place, "good", "sh", "-c", "echo right > answer"), make(place, "bad")
    result = gate(place, good, "test")
    assert result["passed"] and result["box"] == "good" and whys(result) == ["it exited with 0; 3 passed, 0 failed, 0 skipped"]
    assert aisbx(place, "history", result["checks"][0]["run"])["runs"][0]["command"] == "make test"
    result = gate(place, bad, "test")
    assert not result["passed"] and result["checks"][0]["kind"] == "intent" and "exited with 2" in whys(result)[0]
    logs = subprocess.run([box.aisbx(), "logs", result["checks"][0]["run"]], env=env_of(place), capture_output=True, timeout=60, check=True)
    assert b"wrong" in logs.stdout, "what the tests wrote can be read, though their box is gone"
    result = gate(place, good, "lint")
    assert not result["passed"] and "no command to 'lint'" in whys(result)[0] and result["checks"][0]["run"] is None


FACTS = [
    ("tests==pass", True, "tests==pass: it is pass"),
    ("tests.passed==3 and tests.failed==0", True, "tests.passed==3: it is 3; tests.failed==0: it is 0"),
    ("tests==fail", False, "tests==fail: it is pass"),
    ("lint==pass", False, "lint==pass: it is none"),
    ("changes==3 and changes.created==1 and changes.modified==1 and changes.deleted==1", True, None),
    ("changes.deleted<1", False, "changes.deleted<1: it is 1"),
    ("changes.lines-added==2 and changes.lines-removed==2", True, None),
    ("changed('dir/**') and not changed('*.md')", True, "changed('dir/**'): dir/new.py is changed; not changed('*.md'): no changed path matches"),
    ("risk>=medium", True, None),
    ("risk.findings<1", False, None),
    ("not traps and not conflicts and not secrets and not stale", True, None),
    ("violations==0", False, None),
    ("no-violations", False, "no-violations: it is false"),
    ("no-network-violations", False, "no-network-violations: it is false"),
    ("violations.network>=1", True, None),
    ("limits==0 and runs==2", True, "limits==0: it is 0; runs==2: it is 2"),
    ("usage.mem_peak<=1g and usage.disk<=1g and usage.cpu<1h and usage.wall<1h and usage.pids_peak<1000", True, None),
    ("usage.wall>2h", False, None),
    ("score>0", False, "score>0: score is not known: no command reported a score"),
]
PROGRAM = "import socket\ntry:\n    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))\nexcept OSError:\n    pass"


def test_facts(place):
    (place / "project" / "dir").mkdir()
    (place / "project" / "gone").write_text("1\n")
    make(place, "work", "sh", "-c", f"echo right > answer; rm gone; echo 'eval(input())' > dir/new.py; python3 -c \"{PROGRAM}\"")
    result = gate(place, "work", *(text for text, _, _ in FACTS))
    assert [(c["check"], c["passed"]) for c in result["checks"]] == [(text, passed) for text, passed, _ in FACTS], whys(result)
    for check, (_, _, why) in zip(result["checks"], FACTS):
        assert why is None or check["why"] == why
    facts = result["facts"]
    assert (facts["tests"], facts["lint"], facts["changes.deleted"], facts["score"], facts["no-violations"]) == ("pass", "none", 1, None, False)
    assert facts["changed"] == ["answer", "dir/new.py", "gone"]


def test_a_command_and_its_score(place):
    name = make(place, "work", "sh", "-c", "echo right > answer")
    result = gate(place, name, "--command", "grep -q right answer", "--command", "exit 3", "--command", "no-such-program")
    assert [c["passed"] for c in result["checks"]] == [True, False, False] and whys(result)[1] == "it exited with 3"
    said = """echo 99; echo '{"score": 0.75, "x": [1]}'; echo '{"score": "no"}'; echo done"""
    result = gate(place, name, "--command", said, "score>=0.7")
    assert result["passed"] and result["facts"]["score"] == 0.75 and [c["score"] for c in result["checks"]] == [None, 0.75]
    assert not gate(place, name, "--command", "echo 0.5", "score>=0.7")["passed"]
    (place / "project" / "aisbx.yaml").write_text("gates:\n  fast:\n    - {command: 'echo 12', score: 'score<=10'}\n    - {command: 'echo 9', score: 'score<=10'}\n"
                                                  "    - {command: 'echo nothing', score: 'score<=10'}\n    - {command: 'sleep 60', timeout: 100ms}\n")
    result = gate(place, name, "fast")
    assert [c["passed"] for c in result["checks"]] == [False, True, False, False] and result["gates"] == ["fast"]
    assert whys(result)[:2] == ["score<=10: it is 12", "score<=10: it is 9"] and "not known" in whys(result)[2] and "wall_time" in whys(result)[3]


def test_all_gates_of_the_project(place):
    name = make(place, "work", "sh", "-c", "echo right > answer")
    assert "gates: {ready:" in refused(place, name), "without any it says what to write"
    (place / "project" / "aisbx.yaml").write_text("gates:\n  ready: [test, 'not traps']\n  small: ['changes<=5', 'changes<=0']\n")
    result = gate(place, name)
    assert result["gates"] == ["ready", "small"] and [c["gate"] for c in result["checks"]] == ["ready", "ready", "small", "small"]
    assert result["came"] == {"test": True, "not traps": True, "changes<=5": True, "changes<=0": False}, "all are made"
    assert gate(place, name, "ready")["passed"]
    shown = subprocess.run([box.aisbx(), "gate", "check", name], cwd=place / "project", env=env_of(place), capture_output=True, timeout=60, text=True, check=False)
    assert shown.returncode == 1 and "pass not traps" in shown.stdout and "FAIL changes<=0" in shown.stdout and "1 of 4" in shown.stderr


def test_only_what_is_asked_for_is_made(place):
    name = make(place, "work", "sh", "-c", "echo right > answer")
    before, snaps = runs(place), aisbx(place, "show", name)["snapshots"]
    result = gate(place, name, "changes<5", "risk<=low", "not traps")
    assert result["passed"] and set(result["facts"]) == {"changes", "risk", "traps"} and result["snapshot"] is None
    assert runs(place) == before and aisbx(place, "show", name)["snapshots"] == snaps
    gate(place, name, "test", "tests==pass", "tests.failed<1", "--command", "true", "--command", "true")
    assert runs(place) == before + 2, "each only once, however many ask"


def test_the_candidate_stays_as_it_is(place):
    name = make(place, "work", "sh", "-c", "echo right > answer; mkfifo pipe; chmod 600 answer")
    (place / "project" / "Makefile").write_text("test:\n\techo spoilt > answer; rm -f pipe; touch more; ! test -e other\n")
    before = aisbx(place, "diff", name, "--patch", "--drift", "off")
    with box.Watch(place / "project"):
        result = gate(place, name, "test", "--command", "touch other; rm answer", "--command", "test -e answer && ! test -e other && ! test -e more")
    assert result["passed"], "and each command has it as it is"
    assert aisbx(place, "diff", name, "--patch", "--drift", "off") == before
    assert aisbx(place, "diff", f"{name}@{result['snapshot']}", "--patch", "--drift", "off") == before, "that is what was judged"
    assert gate(place, f"{name}@{result['snapshot']}", "test")["snapshot"] is None
    snaps = aisbx(place, "show", name)["snapshots"]
    assert gate(place, name, "test")["snapshot"] == result["snapshot"] and aisbx(place, "show", name)["snapshots"] == snaps, "it is what it was"
    aisbx(place, "run", "--box", name, "--", "touch", "newer")
    assert gate(place, name, "--command", "test -e newer")["passed"] and aisbx(place, "show", name)["snapshots"] == snaps + 1


def test_a_live_box(place):
    make(place, "work", "sh", "-c", "echo right > answer")
    run = aisbx(place, "run", "--box", "work", "--detach", "--", "sh", "-c", "touch begun; sleep 1000")["run"]
    box.wait_until(lambda: aisbx(place, "exec", "work", "--", "test", "-e", "begun")["exit_code"] == 0, seconds=60, what="its begin")
    assert gate(place, "work", "test", "--command", "test -e begun")["passed"]
    aisbx(place, "kill", run)
    aisbx(place, "wait", run)


def test_a_box_has_no_say_in_its_gates(place):
    (place / "project" / "aisbx.yaml").write_text("intents: {test: 'grep -q right answer'}\ngates: {ready: [test]}\n")
    name = make(place, "evil", "sh", "-c", "printf 'intents: {test: \"true\"}\\ngates: {ready: [\"changes>=0\"], easy: [\"true\"]}\\n' > aisbx.yaml")
    result = gate(place, name)
    assert not result["passed"] and result["came"] == {"test": False}
    assert "is not a gate" in refused(place, name, "easy")
    (place / "project" / "aisbx.yaml").write_text("gates: {ready: [test]}\n")
    assert not gate(place, name)["passed"], "an intent that only the box's file names does not count: make test does"
    other = make(place, "worse", "sh", "-c", "printf 'test:\\n\\ttrue\\n' > justfile")
    assert "make" in aisbx(place, "history", gate(place, other, "test")["checks"][0]["run"])["runs"][0]["command"]
    (place / "project" / "Makefile").unlink()
    assert "no command to 'test'" in whys(gate(place, name, "test"))[0], "also when nobody else names one"
    assert gate(place, other, "test")["checks"][0]["run"], "a box that makes the first one is judged by it"


def test_a_directory_as_it_is(place):
    assert not gate(place, "--dir", place / "project", "--command", "grep -q right answer")["passed"]
    (place / "project" / "answer").write_text("right\n")
    (place / "project" / "aisbx.yaml").write_text("gates: {ready: [test]}\n")
    with box.Watch(place / "project"):
        result = gate(place)
    assert result["passed"] and result["box"] is None
    assert gate(place, ".", "tests==pass")["passed"]
    result = gate(place, ".", "not traps", "--dir", place / "project")
    assert whys(result) == ["not traps: traps is not known: a directory has no changes of a box"]
    result = aisbx(place, "gate", "check", "--dir", "nowhere", "--command", "true", check=False)
    assert result["aisbx_status"] == 125


@pytest.mark.parametrize("words,told", [
    (("work", "tess"), "did you mean 'test'?"),
    (("work", "tets==pass"), "there is no fact 'tets'; did you mean 'tests'?\n  tets==pass\n  ^"),
    (("work", "risk<3"), "risk is a level, but 3 is a number"),
    (("wrk", "test"), "wrk"),
    (("work@nothing", "test"), "nothing"),
    (("work", "--rego", "x.rego"), "give both"),
])
def test_what_makes_no_sense(place, words, told):
    make(place, "work")
    assert told in refused(place, *words)
    assert runs(place) == 0, "nothing is run when a later check is wrong"


def name_of(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


def test_an_interrupt_leaves_no_box(place):
    """Not before the shell has become the command: one that has just made a child forgets the signal, whatever its trap."""
    make(place, "work")
    seconds = f"300.{uuid.uuid4().int % 10**12:012}"
    words = [box.aisbx(), "gate", "check", "work", "--command", f"exec sleep {seconds}", "--command", "true"]
    process = subprocess.Popen(words, cwd=place / "project", env=env_of(place), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    box.wait_until(lambda: "sleep" in map(name_of, box.processes_with(seconds)), seconds=60, what="the command's begin")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode != 0 and not out, (out, err)
    assert [b["name"] for b in aisbx(place, "ls", "--all")["boxes"]] == ["work"]


def test_the_method(place):
    make(place, "work", "sh", "-c", "echo right > answer")
    with rpc.Rpc(cwd=place / "project", env=env_of(place)) as server:
        result = server.call("gate.check", box="work", checks=["test", "changes<=0"], command=["true"])
        assert not result["passed"] and [c["passed"] for c in result["checks"]] == [True, False, True]
        assert "there is no fact" in json.dumps(server.error("gate.check", box="work", checks=["changes.x<1"]))


def test_the_tool(place):
    make(place, "work", "sh", "-c", "echo right > answer")
    with mcp_raw.Stdio(place / "project", place / "state", "--tools", "all", "--share") as face:
        wrong, text = face.tool("sandbox_gate", box="work", checks=["test", "changes<=0"])
        assert not wrong and "changes<=0: it is 1" in text, text
        for arguments, told in (({"box": "/etc"}, "/etc"), ({"box": "work", "dir": "/etc"}, "dir"), ({"box": "work", "profile": "dev"}, "profile")):
            wrong, text = face.tool("sandbox_gate", checks=["changes<=0"], **arguments)
            assert wrong and told in text, text
