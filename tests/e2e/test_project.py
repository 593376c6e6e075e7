# SPDX-License-Identifier: Apache-2.0
"""aisbx.yaml: reader and schema judge alike, all that is wrong is told at once, what is shown says the same."""
import json
import os
import subprocess

import jsonschema
import pytest
import yaml

import box
import rpc

HEAD = {"version": 1}


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def aisbx(*words, cwd):
    """Exit status and result of `aisbx ... --json`."""
    done = subprocess.run([box.aisbx(), *map(str, words), "--json"], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                          check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.fixture(name="schema", scope="module")
def fixture_schema():
    schema = aisbx("project", "schema", cwd="/")[1]
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def write(place, document, name="aisbx.yaml"):
    path = place / name
    path.write_text(document if isinstance(document, str) else yaml.safe_dump(document, default_flow_style=True, sort_keys=False))
    return path


FULL = """
version: 1
services:
  db: {command: [redis-server], ready: {port: 6379, timeout: 5s}, restart: on-failure, env: {A: 1, B: }}
  web: {command: serve, after: [db], ready: {file: up}, restart: no}
intents:
  test: make test
  lint: [make, lint]
  bench: {command: ./bench.sh, cwd: tools/bench, env: {N: 3}, timeout: 5m}
gates:
  ready: [test, lint, "changes.deleted < 10", not traps, {command: ./size.sh, timeout: 30s}, {command: [./score.py], score: score >= 0.8},
          {rego: policy/gate.rego, query: data.aisbx.allow}]
  strict: [ready, no-network-violations, usage.mem_peak <= 256mib]
stages:
- {name: verified, gates: [strict]}
- {name: dev, to: {directory: .}, after: [test]}
- {name: staging, to: {directory: ../staging}, gates: [ready, "risk <= medium"]}
- {name: release, to: {branch: team/release-2.x}}
- {name: production, to: {command: ./deploy.sh, rollback: [./undeploy.sh, --now]}, approve: true}
experiments:
  dates:
    branches: {patch: ./a.sh, revert: [git, revert, HEAD]}
    test: make test
    gates: [strict]
    mode: best
    score: usage.wall
    prefer: most
    repeat: 3
    budget: {time: 10m, cpu: 5m, runs: 40}
    parallel: 8
guard:
  rules: [{command: "git push *", do: refuse, why: people push}, {command: ls *, do: run}]
  gates: [ready]
  promote: auto
"""

GOOD = [
    "", "version: 1\n", "version: '1'\n", FULL,
    "gates: {a: [b], b: [test]}\n", "gates: {x: [traps]}\n", "gates: {a: [{command: 5}]}\n",
    "stages: []\n", "stages: [{name: ok, approve: yes}]\n", "stages: [{name: a, approve: no, gates: [test]}]\n",
    "stages: [{name: 1, to: {directory: 2}}]\n", "stages: [{name: a, to: {branch: v1.x/y-z}}]\n",
    "experiments: {}\n", "experiments: {a: {branches: {b: x}, repeat: '3', budget: {}}}\n", "experiments: {a: {branches: {b: x}, budget: {time: 1.5h}}}\n",
    "guard: {}\n", "guard: {rules: []}\n", "guard: {promote: show}\n", "intents: {}\n", "services: {}\n",
    "services: {a: {command: x, restart: no, ready: {port: '80'}}}\n",
    "judges: []\n", "judges: [ci/, 'data/*.json', '**/x']\nintents: {test: {command: x, judges_from: box}}\n",
    "gates: {a: [{command: x, judges_from: project}]}\n",
]


@pytest.mark.parametrize("text", GOOD, ids=lambda t: t[:60].strip())
def test_schema_and_reader_take_what_is_right(place, schema, text):
    status, result = aisbx("project", "check", write(place, text), cwd=place)
    assert (status, result["ok"], result["errors"]) == (0, True, [])
    assert not list(schema.iter_errors(yaml.safe_load(text) or {}))
    shown = aisbx("project", "show", cwd=place)[1]
    assert not list(schema.iter_errors(shown["project"])), "what is shown is such a file"


# What both refuse: the shape is wrong.
BAD = [
    {"judges": "ci"}, {"judges": ["/ci"]}, {"judges": ["../ci"]}, {"judges": [""]}, {"judges": ["x"] * 257}, {"gates": {"a": [{"command": "x", "judges_from": "me"}]}},
    {"intents": {"test": {"command": "x", "judges_from": True}}}, {"servises": {}}, {"version": 2}, {"version": "one"}, {"gates": ["test"]}, {"gates": {"a": "test"}}, {"gates": {"a": []}}, {"gates": {"a b": ["test"]}},
    {"gates": {"-a": ["test"]}}, {"gates": {"a" * 33: ["test"]}}, {"gates": {"a": [["test"]]}}, {"gates": {"a": [""]}}, {"gates": {"a": [{}]}},
    {"gates": {"a": [{"comand": "x"}]}}, {"gates": {"a": [{"timeout": "3s"}]}}, {"gates": {"a": [{"command": "x", "timeout": "soon"}]}},
    {"gates": {"a": [{"command": "x", "timeout": 0}]}}, {"gates": {"a": [{"command": "x", "timeout": "0s"}]}}, {"gates": {"a": [{"command": []}]}},
    {"gates": {"a": [{"command": ""}]}}, {"gates": {"a": [{"command": "x", "score": ""}]}}, {"gates": {"a": [{"rego": "x"}]}},
    {"gates": {"a": [{"query": "data.x"}]}}, {"gates": {"a": [{"rego": "../x", "query": "data.x"}]}}, {"gates": {"a": [{"rego": "/x", "query": "data.x"}]}},
    {"gates": {"a": [{"rego": "a/./x", "query": "data.x"}]}}, {"gates": {"a": [{"rego": "a//x", "query": "data.x"}]}},
    {"gates": {"a": [{"rego": "x", "query": "input.x"}]}}, {"gates": {"a": [{"rego": "x", "query": "data"}]}}, {"gates": {"a": [{"rego": "x", "query": "data.x", "score": "1"}]}},
    {"gates": {"a": ["test"] * 33}}, {"gates": {f"g{i}": ["test"] for i in range(65)}},
    {"stages": {"a": 1}}, {"stages": ["a"]}, {"stages": [{"gates": ["test"]}]}, {"stages": [{"name": "a"}]}, {"stages": [{"name": "a/b", "approve": True}]},
    {"stages": [{"name": "a", "approve": "maybe"}]}, {"stages": [{"name": "a", "gates": ["test"], "after": ["test"]}]}, {"stages": [{"name": "a", "to": "x"}]},
    {"stages": [{"name": "a", "to": {}}]}, {"stages": [{"name": "a", "to": {"directory": "x", "branch": "y"}}]}, {"stages": [{"name": "a", "to": {"directory": ""}}]},
    {"stages": [{"name": "a", "to": {"directory": "x", "rollback": "y"}}]}, {"stages": [{"name": "a", "gates": []}]}, {"stages": [{"name": "a", "gate": ["test"]}]},
    *({"stages": [{"name": "a", "to": {"branch": b}}]} for b in ("-x", "a..b", "a//b", "/a", "a/", "a.", "x.lock", "x.lock/y", "HEAD", "a b", "a~1", "a:b", ".a", "a/.b", "a" * 201)),
    {"stages": [{"name": f"s{i}", "approve": True} for i in range(33)]},
    {"experiments": ["a"]}, {"experiments": {"a": "b"}}, {"experiments": {"a/b": {"branches": {"a": "b"}}}}, {"experiments": {"a": {"test": "x"}}},
    {"experiments": {"a": {"branches": {}}}}, {"experiments": {"a": {"branches": ["x"]}}}, {"experiments": {"a": {"branches": {"-a": "x"}}}},
    {"experiments": {"a": {"branches": {"a": ""}}}},
    *({"experiments": {"a": {"branches": {"a": "x"}, **more}}} for more in (
        {"mode": "any"}, {"prefer": "more"}, {"score": ""}, {"repeat": 0}, {"repeat": 1001}, {"repeat": "x"}, {"parallel": 65}, {"budget": "10m"},
        {"budget": {"time": 0}}, {"budget": {"runs": "many"}}, {"budget": {"money": 1}}, {"gates": []}, {"tests": "y"})),
    {"guard": ["a"]}, {"guard": {"rules": {"a": "b"}}}, {"guard": {"rules": ["x"]}}, {"guard": {"rules": [{"command": "x"}]}}, {"guard": {"rules": [{"do": "run"}]}},
    {"guard": {"rules": [{"command": "", "do": "run"}]}}, {"guard": {"rules": [{"command": "x", "do": "deny"}]}}, {"guard": {"rules": [{"command": "x", "do": "run", "why": ""}]}},
    {"guard": {"promote": "always"}}, {"guard": {"rule": []}}, {"guard": {"gates": []}}, {"guard": {"rules": [{"command": "x", "do": "run"}] * 257}},
    {"intents": {"tests": "x"}}, {"intents": {"test": {}}}, {"intents": {"test": []}}, {"intents": {"test": {"command": "x", "cwd": "../y"}}},
    {"intents": {"test": {"command": "x", "env": {"1A": "b"}}}}, {"intents": {"test": {"command": "x", "timeout": "soon"}}},
    {"services": {"a": {}}}, {"services": {"a": {"command": "x", "ready": {"port": 0}}}}, {"services": {"a": {"command": "x", "ready": {}}}},
    {"services": {"a": {"command": "x", "ready": {"port": 1, "file": "y"}}}}, {"services": {"a": {"command": "x", "restart": "sometimes"}}},
    {"services": {"a": {"command": "x", "after": "b"}}}, {"services": {"../a": {"command": "x"}}}, {"services": {f"s{i}": {"command": "x"} for i in range(33)}},
]


@pytest.mark.parametrize("document", BAD, ids=lambda d: json.dumps(d)[:80])
def test_neither_schema_nor_reader_take_what_is_wrong(place, schema, document):
    assert list(schema.iter_errors(document))
    status, result = aisbx("project", "check", write(place, document), cwd=place)
    assert (status, result["ok"]) == (1, False)
    assert all(e["line"] and e["column"] and e["text"] for e in result["errors"])


# What has the right shape and means nothing: only the reader can tell.
MEANINGLESS = [
    ("gates: {a: [tset]}", 1, 13, "did you mean 'test'?"), ("gates: {test: [lint]}", 1, 9, "that is an intent"), ("gates: {a: [b], b: [a]}", 1, 21, "contains itself"),
    ("gates: {a: ['changes.deleted <']}", 1, 13, "expected a fact"), ("gates: {a: ['changes.deletd < 3']}", 1, 13, "changes.deleted"),
    ("gates: {a: [{command: x, score: 'score >='}]}", 1, 33, "expected a fact"), ("gates: {a: [tests]}", 1, 13, "compare it with pass"),
    ("stages:\n- {name: a, approve: true}\n- {name: a, approve: true}", 3, 3, "stage 'a' is repeated"), ("stages: [{name: a, gates: [redy]}]\ngates: {ready: [test]}", 1, 28, "did you mean 'ready'?"),
    ("experiments: {a: {branches: {b: x}, score: tests}}", 1, 44, "score must be a number"), ("services: {a: {command: x, after: [a]}}", 1, 12, "wait for each other"),
    ("version: 1\nversion: 1", 2, 1, "is repeated"), ("a: [", 2, 1, "invalid YAML"), ("version: !!int 1", 1, 10, "tags"),
]


@pytest.mark.parametrize("text,line,column,words", MEANINGLESS, ids=lambda v: str(v)[:50])
def test_what_means_nothing_is_told_with_its_place(place, text, line, column, words):
    status, result = aisbx("project", "check", write(place, text + "\n"), cwd=place)
    assert status == 1 and len(result["errors"]) == 1, result
    error = result["errors"][0]
    assert (error["line"], error["column"]) == (line, column) and words in error["text"], error


def test_everything_that_is_wrong_is_told_at_once(place):
    write(place, "version: 2\nservises: {}\ngates:\n  a: [tset]\n  b: []\nstages:\n- {name: x}\n- {name: y, approve: perhaps}\n")
    status, result = aisbx("project", "check", cwd=place)
    assert status == 1 and sorted(e["line"] for e in result["errors"]) == [1, 2, 4, 5, 7, 8]
    words = subprocess.run([box.aisbx(), "project", "check", "aisbx.yaml"], cwd=place, capture_output=True, text=True, check=False)
    assert words.returncode == 1 and words.stdout.endswith("\n6 errors\n") and f"{place}/aisbx.yaml:4:7: 'tset'" in words.stdout
    lines = "".join(f"- {{name: 's {i}'}}\n" for i in range(32))
    write(place, "stages:\n" + lines * 9)
    assert len(aisbx("project", "check", cwd=place)[1]["errors"]) == 1, "too many are not looked at"
    write(place, "guard:\n  rules:\n" + "  - {}\n" * 200)
    assert len(aisbx("project", "check", cwd=place)[1]["errors"]) == 64


def test_shown_says_the_same(place):
    write(place, FULL)
    first = aisbx("project", "show", cwd=place)[1]
    assert first["own_stages"] and first["file"] == str(place / "aisbx.yaml")
    assert first["project"]["stages"][0] == {"name": "verified", "gates": ["strict"], "approve": False}
    assert first["project"]["gates"]["strict"][0] == "ready" and first["project"]["experiments"]["dates"]["budget"] == {"time": "10m", "cpu": "5m", "runs": 40}
    text = subprocess.run([box.aisbx(), "project", "show"], cwd=place, capture_output=True, text=True, check=True).stdout
    write(place, text)
    assert aisbx("project", "show", cwd=place)[1] == first, text


def test_stages_of_a_project_that_names_none(place):
    shown = aisbx("project", "show", cwd=place)[1]
    dev = {"name": "dev", "to": {"directory": "."}, "approve": False}
    assert shown["file"] is None and not shown["own_stages"]
    assert shown["project"]["stages"] == [{"name": "verified", "gates": ["not traps"], "approve": False}, dev]
    write(place, "intents: {test: make check}\n")
    assert aisbx("project", "show", cwd=place)[1]["project"]["stages"] == [{"name": "verified", "gates": ["test", "not traps"], "approve": False}, dev]
    (place / "aisbx.yaml").unlink()
    (place / "Makefile").write_text("test:\n\ttrue\n")
    shown = aisbx("project", "show", place, cwd="/")[1]["project"]["stages"]
    assert shown[0]["gates"] == ["test", "not traps"], "found, though nobody names it"


def test_what_is_no_file(place):
    path = place / "aisbx.yaml"
    assert "there is no '" in aisbx("project", "check", cwd=place)[1]["error"]["text"]
    path.symlink_to(place / "nowhere")
    assert "No such file" in aisbx("project", "show", cwd=place)[1]["error"]["text"], "a link that leads nowhere is not the same as none"
    path.unlink()
    os.mkfifo(path)
    for op in ("check", "show"):
        status, result = aisbx("project", op, cwd=place)
        assert status not in (0, 1) and "regular file" in result["error"]["text"]
    path.unlink()
    path.write_text("#" * 65537)
    status, result = aisbx("project", "check", cwd=place)
    assert status == 1 and result["errors"][0]["line"] is None and "at most 65536 bytes" in result["errors"][0]["text"]
    path.write_text("# " + "x" * 65534)
    assert aisbx("project", "check", cwd=place)[0] == 0
    path.write_bytes(b"version: \xff\n")
    assert aisbx("project", "check", cwd=place)[0] == 1
    path.unlink()
    (place / "real.yaml").write_text("stages: [{name: own, approve: true}]\n")
    path.symlink_to("real.yaml")
    assert aisbx("project", "show", cwd=place)[1]["own_stages"], "the person's own link is followed"


def test_nothing_in_it_is_run(place):
    write(place, FULL.replace("./size.sh", "touch ran").replace("make test", "touch ran").replace("./deploy.sh", "touch ran"))
    with box.Watch(place):
        aisbx("project", "check", cwd=place)
        aisbx("project", "show", cwd=place)


def test_whoever_is_no_person_sees_the_project_alone(place, tmp_path):
    """What is told of a file tells what is in it."""
    write(place, "version: 1\n")
    other = tmp_path / "private.yaml"
    other.write_text("hunter2: x\n")
    with rpc.Rpc(cwd=place, env=dict(os.environ)) as agent:
        agent.call("rpc.hello", owner="agent-1")
        assert agent.call("project.check")["ok"] and agent.call("project.show", dir=".")["file"] == str(place / "aisbx.yaml")
        for answer in (agent.error("project.check", path=str(other)), agent.error("project.show", dir=str(tmp_path))):
            assert "only a person may choose" in answer["message"], answer
    assert "hunter2" in json.dumps(aisbx("project", "check", other, cwd=place)[1]), "a person may"
