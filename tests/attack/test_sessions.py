# SPDX-License-Identifier: Apache-2.0
"""Attacks 145 and 146: what one session has is not there for another, whatever it knows of it; nor can it find out that it is there.

145 goes through the whole table of operations: an argument that names something is given what another owner has, and what nobody has.
The answers are the same. An argument of a new operation that is not classed here fails the test.
"""
import json
import os
import re
import statistics
import subprocess
import time

import pytest

import box
import rpc

STAGES = "stages: [{name: dev, to: {directory: .}, approve: true}]\n"
# What arguments name, by their name, or by OPERATION.NAME where that differs; None: nothing that has an owner.
IDS = {"run": "run", "runs": "run", "promotion": "promotion", "artifact": "artifact", "template": "template", "plan": "plan", "plans": "plan", "names": "box",
       "pipeline": "pipeline", "experiment": "experiment", "box": "box", "boxes": "box", "take": "box", "other": "box", "from": "box", "target": "box",
       "snapshot": "snapshot", "promote.artifact": None, "experiment.try.experiment": None, "experiment.open.experiment": None}
PLAIN = set("""a args author b branch branches checks code command content context cwd device dir driver env file files gate goal grep hide if listen match message
    end mode name note operation out output owner path paths pattern policy profile project query rego replace ro rw score secret service
    services signal step test to with without allow-secret drift net publish rules tests gates key accept reviewed image reference rootfs platform
    metadata server""".split())
# For what an operation cannot do without; ids are the stranger's own.
FILL = {"command": ["true"], "path": "file", "name": "fresh", "lang": "shell", "code": "true", "ttl": 60, "goal": "g", "step": ["true"],
        "intent": "test", "to": "elsewhere", "message": "m", "branch": "1", "content": "x", "files": ["file"], "operation": "run",
        "context": "c", "branches": ["true"], "rules": ["example.org:443"], "image": "zz", "reference": "zz", "rootfs": "file", "file": "file"}
# In place of it what is of the same form and nobody's.
NOBODYS = {"run": "r-0123456789abcdef", "promotion": "p-0123456789abcdef", "artifact": "a-0123456789abcdef", "template": "nobodys", "plan": "plan-0123456789abcdef",
           "pipeline": "pipe-0123456789abcdef", "experiment": "x-0123456789abcdef", "box": "b-0123456789abcdef",
           "snapshot": "s-0123456789abcdef", "name": "zz"}


def table():
    done = subprocess.run([box.aisbx(), "schema", "--json"], stdout=subprocess.PIPE, check=True)
    return {op["method"]: op["arguments"] for op in json.loads(done.stdout)["operations"] if op["method"]}


OPS = table()


def kind_of(method, name):
    return IDS.get(f"{method}.{name}", IDS.get(name))


CASES = [(m, n) for m, a in OPS.items() for n in a["properties"] if kind_of(m, n)]


class Party:
    """An owner, or with none the person, who speaks RPC."""

    def __init__(self, ground, owner=None):
        self.rpc = rpc.Rpc(cwd=ground.project, env=ground.env)
        self.rpc.call("rpc.hello", **({"owner": owner} if owner else {}))

    def call(self, method, **arguments):
        return self.rpc.call(method, **arguments)

    def answer(self, method, arguments):
        """As it came, without what differs from call to call."""
        got = self.rpc.answer(self.rpc.send_params(method, arguments))
        return got.get("error") or {"result": got["result"]}


class Ground:
    def __init__(self, root):
        self.project, self.state = root / "project", root / "state"
        self.project.mkdir()
        self.state.mkdir()
        (self.project / "file").write_text("hello\n")
        (self.project / "aisbx.yaml").write_text(STAGES)
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state)}


def own_everything(party):
    """One of each kind, by the operations that make them."""
    made = party.call("box.create", name="t1")
    party.call("file.write", box="t1", path="new", content="secret of ann\n")
    has = {"box": made["id"], "name": "t1", "snapshot": party.call("box.snap", box="t1", name="s1")["id"],
           "artifact": party.call("artifact.save", box="t1", path="new", name="kept")["id"],
           "template": party.call("template.save", box="t1", name="anns")["name"],
           "plan": party.call("plan.create", goal="ann's goal", step=["true"], box="t1")["plan"],
           "promotion": party.call("promote", box="t1", paths=["new"])["promotion"]}
    has["experiment"] = party.call("experiment.open", count=2, test="true", box="t1")["experiment"]
    has["pipeline"] = party.call("pipeline.run", box="t1")["pipeline"]
    party.call("box.create", name="live")
    has["run"] = party.call("run.exec", box="live", detach=True, command=["sh", "-c", "echo of ann; exec sleep 600"])["run"]
    return has


@pytest.fixture(name="ground", scope="module")
def _ground(tmp_path_factory):
    return Ground(tmp_path_factory.mktemp("sessions"))


@pytest.fixture(name="ann", scope="module")
def _ann(ground):
    ann = Party(ground, "ann")
    ann.has = own_everything(ann)
    yield ann
    ann.call("run.kill", runs=[ann.has["run"]])
    ann.rpc.close()


@pytest.fixture(name="bob", scope="module")
def _bob(ground):
    bob = Party(ground, "bob")
    bob.call("box.create", name="mine")
    yield bob
    bob.rpc.close()


def test_145_every_argument_is_classed():
    new = sorted(f"{m}.{n}" for m, a in OPS.items() for n, s in a["properties"].items()
                 if s.get("type") in ("string", "array") and "enum" not in s and f"{m}.{n}" not in IDS and n not in IDS and n not in PLAIN)
    assert not new, f"say in IDS what they name, or in PLAIN that it has no owner: {new}"
    assert len(CASES) > 50 and {kind_of(m, n) for m, n in CASES} == set(NOBODYS) - {"name"}


def arguments(method, name, value):
    """The call with VALUE for that argument; what else it needs is the stranger's own."""
    schema, args = OPS[method], {}
    for other in schema.get("required", []):
        kind = kind_of(method, other)
        args[other] = FILL[other] if not kind else NOBODYS[kind] if kind != "box" else "mine"
        if kind and schema["properties"][other]["type"] == "array":
            args[other] = [args[other]]
    if method == "run.code" and name == "box":
        args["context"] = "c"
    if method == "experiment.try":
        args["branches"] = ["true"]
    args[name] = [value] if schema["properties"][name]["type"] == "array" else value
    return args


def told(answer, *words):
    """The answer as text, with what was asked for taken out."""
    text = json.dumps(answer, sort_keys=True)
    for word in words:
        text = re.sub(rf"\b{re.escape(word)}\b", "IT", text)
    return re.sub(r'"time_ms": \d+', "", text)


@pytest.mark.parametrize("method, name", CASES, ids=[f"{m}.{n}" for m, n in CASES])
def test_145_others_things_are_not_there(ann, bob, method, name):
    kind = kind_of(method, name)
    for what in [kind] + ["name"] * (kind == "box") + ["run"] * (name == "target"):
        foreign = bob.answer(method, arguments(method, name, ann.has[what]))
        nobodys = bob.answer(method, arguments(method, name, NOBODYS[what]))
        assert told(foreign, ann.has[what]) == told(nobodys, NOBODYS[what]), (foreign, nobodys)
        assert "of ann" not in json.dumps(foreign)


def test_145_control_they_are_there_for_their_owner_and_the_person(ann, ground):
    """The very ids; and after all of the above each is as it was."""
    person = Party(ground)
    for party in (ann, person):
        assert party.call("run.wait", run=ann.has["run"], timeout=0.01, output=1000)["stdout"] == "of ann\n"
        assert ann.has["run"] in [r["run"] for r in party.call("run.ls")["runs"]]
        assert party.call("box.show", box=ann.has["box"])["name"] == "t1"
        assert [s["id"] for s in party.call("box.show", box="t1")["snapshot_list"] if s["name"] == "s1"] == [ann.has["snapshot"]]
        assert party.call("artifact.show", artifact=ann.has["artifact"])["name"] == "kept"
        assert any(t["name"].endswith(ann.has["template"]) for t in party.call("template.ls")["templates"])
        assert party.call("plan.show", plan=ann.has["plan"])["goal"] == "ann's goal"
        assert party.call("experiment.show", experiment=ann.has["experiment"])["state"]
        assert party.call("pipeline.show", pipeline=ann.has["pipeline"])["box"]
        assert party.call("undo", promotion=ann.has["promotion"], dry_run=True)["conflicts"] == []
        runs = party.call("run.history")["runs"]
        assert party is person or all(party.call("run.history", run=r["run"])["runs"] for r in runs)
    person.rpc.close()


def test_145_lists_have_ones_own_only(ann, bob):
    """And what others did does not use up what one asks for."""
    for method in ("run.ls", "run.history", "box.ls", "box.tree", "artifact.ls", "template.ls", "plan.ls", "experiment.ls", "pipeline.ls", "run.stats"):
        text = json.dumps(bob.call(method))
        assert not [i for i in ann.has.values() if i.startswith(tuple("abpxrs")) and i in text], method
    mine = bob.call("run.exec", box="mine", command=["true"])["run"]
    for _ in range(3):
        ann.call("run.exec", box="t1", command=["true"])
    assert [r["run"] for r in bob.call("run.history", limit=1)["runs"]] == [mine]
    assert [e["kind"] for e in bob.call("run.history", events=True, limit=1)["events"]] == ["box.created"]


def test_145_a_run_that_ended_and_whose_box_is_gone(ann, bob, ground):
    ann.call("box.create", name="short")
    run = ann.call("run.exec", box="short", command=["true"])["run"]
    ann.call("box.rm", boxes=["short"])
    assert bob.answer("run.history", {"run": run})["data"]["kind"] == "not_found"
    assert ann.call("run.history", run=run)["runs"][0]["run"] == run
    alone = ann.call("run.exec", command=["true"])["run"]
    assert bob.answer("run.wait", {"run": alone})["data"]["kind"] == "not_found"
    assert ann.call("run.wait", run=alone)["status"] == "ok"


# 146


def test_146_a_name_is_each_owners_own(ann, bob, ground):
    """Created, forked to, renamed to: as if there were nobody else."""
    made = bob.call("box.create", name="t1")
    assert bob.call("box.show", box="t1")["id"] == made["id"] != ann.has["box"]
    ann.call("box.create", name="taken")
    assert bob.call("box.fork", **{"from": "mine"}, name="taken")["boxes"][0]["name"] == "taken"
    bob.call("box.rm", boxes=["taken"])
    assert bob.call("box.rename", box="t1", name="taken")["name"] == "taken"
    assert ann.call("box.show", box="taken")["id"] != made["id"]
    # The control: one's own names are taken, and told so.
    assert bob.answer("box.create", {"name": "taken"})["data"]["kind"] == "exists"
    assert bob.answer("box.rename", {"box": "mine", "name": "taken"})["data"]["kind"] == "exists"
    bob.call("box.rm", boxes=["taken"])
    ann.call("box.rm", boxes=["taken"])


def test_146_an_id_is_no_name_to_hide_behind(ann, bob, ground):
    """A box that is called as another's id is: the id goes to who has it."""
    bob.call("box.create", name=ann.has["box"])
    person = Party(ground)
    assert person.call("box.show", box=ann.has["box"])["owner"] == "ann"
    assert ann.call("box.show", box=ann.has["box"])["name"] == "t1"
    assert bob.call("box.show", box=ann.has["box"])["owner"] == "bob"
    bob.call("box.rm", boxes=[ann.has["box"]])
    assert ann.call("box.show", box="t1")["id"] == ann.has["box"]
    person.rpc.close()


def test_146_the_person_names_any(ann, bob, ground):
    bob.call("box.create", name="t1")
    person = Party(ground)
    both = person.answer("box.show", {"box": "t1"})
    assert "more than one owner" in both["message"] and "OWNER/t1" in both["message"]
    assert person.call("box.show", box="ann/t1")["id"] == ann.has["box"]
    assert person.call("box.diff", box="ann/t1@s1")["changes"] == [], "it is promoted"
    # What it is told can be typed again; what a session is told names the same box by its id.
    assert person.call("promote", box="ann/t1", dry_run=True)["box"] == "ann/t1"
    assert ann.call("promote", box="t1", dry_run=True)["box"] == "t1" and ann.call("promote", box="t1", dry_run=True)["box_id"] == ann.has["box"]
    own = person.call("box.create", name="t1")["id"]
    assert person.call("box.show", box="t1")["id"] == person.call("box.show", box="/t1")["id"] == own
    listed = subprocess.run([box.aisbx(), "ls", "--all"], env=ground.env, stdout=subprocess.PIPE, check=True, text=True).stdout
    assert re.search(r"^ann/t1 ", listed, re.M) and re.search(r"^bob/t1 ", listed, re.M) and re.search(r"^t1 ", listed, re.M)
    # Spelled out it is nobody else's either.
    assert told(bob.answer("box.show", {"box": "ann/t1"}), "t1") == told(bob.answer("box.show", {"box": "ann/zz"}), "zz")
    person.call("box.rm", boxes=["/t1", "bob/t1"])
    person.rpc.close()


def test_146_shared_ones_are_there_and_keep_their_owners_names(ann, bob):
    ann.call("box.create", name="common", shared=True)
    assert bob.call("box.show", box="common")["owner"] == "ann"
    assert told(bob.answer("box.rename", {"box": "common", "name": "t1"}), "t1") == told(bob.answer("box.rename", {"box": "common", "name": "zz"}), "zz")
    own = bob.call("box.create", name="common")["id"]
    assert bob.call("box.show", box="common")["id"] == own
    bob.call("box.rm", boxes=["common"])
    ann.call("box.rm", boxes=["common"])


def rounds_apart(bob, names):
    """By which part the medians of many questions differ, asked in turn."""
    took = [[] for _ in names]
    for _ in range(40):
        for name, times in zip(names, took):
            began = time.perf_counter()
            bob.answer("box.show", {"box": name})
            times.append(time.perf_counter() - began)
    first, second = map(statistics.median, took)
    return abs(first - second) / second


@pytest.mark.quiet
def test_146_no_clock_tells(ann, bob):
    """Asking for another's name takes as long as for nobody's. What differs by design does so every time, noise does not."""
    assert any(rounds_apart(bob, ("t1", "zz")) < 0.1 for _ in range(8))
    # The control: it is a question that can be answered.
    assert "result" in bob.answer("box.show", {"box": "mine"})
