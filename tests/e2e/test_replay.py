# SPDX-License-Identifier: Apache-2.0
"""`aisbx replay`: the same run again, what is not the same, and what cannot be told."""
import json
import os
import subprocess
import textwrap

import pytest

from box import aisbx
from rpc import Rpc

PYTHON = "/usr/bin/python3"


class Shelf:
    def __init__(self, root):
        self.project, self.state = root / "project", root / "state" / "aisbx"
        self.project.mkdir()
        (self.project / "input").write_text("in\n", encoding="ascii")
        (root / "home").mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "HOME": str(root / "home")}

    def call(self, *words, env=None, **kw):
        done = subprocess.run([aisbx(), *words], cwd=self.project, env={**self.env, **(env or {})}, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **{"stdin": subprocess.DEVNULL, **kw})
        return done.returncode, done.stdout, done.stderr

    def ok(self, op, *words, want=0, **kw):
        status, out, err = self.call(op, "--json", *words, **kw)
        assert status == want, (op, words, status, out, err)
        return json.loads(out)

    def run(self, script, *options, want=0, **kw):
        """Id of a run of SCRIPT."""
        return self.ok("run", *options, "--", "sh", "-c", script, want=want, **kw)["run"]

    def replay(self, run, *options, same, **kw):
        got = self.ok("replay", *options, run, want=0 if same else 1, **kw)
        assert got["same"] is same and got["run"] == run, got
        return got


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    return Shelf(tmp_path)


@pytest.fixture(name="box")
def fixture_box(shelf):
    shelf.ok("create", "b", "--record")
    return shelf


def differs(got):
    return {d["what"]: d["kind"] for d in got["not_deterministic"]}


def not_compared(got):
    return {n["what"]: n["why"] for n in got["not_compared"]}


def test_the_same(box):
    """All that a run leaves is compared, and the box it ran in is as it was."""
    run = box.run("cat input; echo more >> input; mkdir d; echo err >&2; echo new > d/new", "--box", "b")
    box.run("rm -r d; echo other > input", "--box", "b")
    got = box.replay(run, same=True)
    assert got["stdout"]["same"] and got["stderr"]["same"] and got["changes"] == {"same": True, "count": 0, "paths": []}
    assert got["exit_code"] == {"was": 0, "is": 0} and got["status"] == {"was": "ok", "is": "ok"}
    assert not got["not_deterministic"] and not got["not_compared"] and not got["boxes"]
    assert got["usage"]["was"]["wall_ms"] > 0 and got["usage"]["is"]["wall_ms"] > 0
    assert [b["name"] for b in box.ok("ls", "--all")["boxes"]] == ["b"], "the boxes of replays go"
    assert box.ok("run", "--box", "b", "--", "cat", "input")["stdout"] == "other\n"
    replayed = box.ok("history", got["replay"][0])["runs"][0]
    assert replayed["command"].startswith("sh -c ") and replayed["exit_code"] == 0


def test_without_a_box(shelf):
    """Nothing of the host is kept: it is replayed on what there is now, and says so."""
    run = shelf.run("cat input; echo lost > input", "--record")
    got = shelf.replay(run, same=True)
    assert got["changes"] is None and got["stdout"]["same"]
    assert set(not_compared(got)) == {"start", "changes"}
    (shelf.project / "input").write_text("changed\n", encoding="ascii")
    got = shelf.replay(run, "--times", "2", same=False)
    assert got["stdout"] == {"same": False, "kind": "content", "lines": [{"line": 1, "was": "in", "is": "changed"}]}
    assert got["project_changed"] == ["input"] and "changed since" in not_compared(got)["project"]
    assert [c["what"] for c in got["changed"]] == ["stdout"] and not got["not_deterministic"]


@pytest.mark.parametrize("script,kind", (
    ("date -d @$(od -An -N3 -tu4 /dev/urandom | tr -d ' ') '+%F %T'", "time"),
    ("date +%s.%N", "time"),
    ("echo took 0.$(date +%N)s", "time"),
    ("echo seed $(od -An -N4 -tu2 /dev/urandom)", "number"),
    ("echo at 0x$(od -An -N6 -tx1 /dev/urandom | tr -d ' \\n')", "address"),
    ("mktemp", "temporary name"),
    ("seq 40 | shuf", "order"),
    ("shuf -e -n 30 $(seq 30) | tr '\\n' ' '", "order"),
    ("tr -dc a-z < /dev/urandom | head -c 40", "content"),
    ("printf 'a\\0'; head -c 64 /dev/urandom", "bytes"),
))
def test_what_a_difference_looks_like(box, script, kind):
    run = box.run(f"echo first; {script}; echo last", "--box", "b")
    got = box.replay(run, "--times", "2", same=False)
    assert differs(got) == {"stdout": kind}
    assert got["stdout"]["kind"] == kind and got["stderr"]["same"] and got["changes"]["same"]


def test_processes_have_other_numbers(box):
    """In a box of its own the first is always 2; what counts up is not."""
    run = box.run("echo pid $$", "--box", "b")
    box.replay(run, same=True)
    run = box.run("n=$(od -An -N1 -tu1 /dev/urandom); for i in $(seq $n); do true & wait; done; sh -c 'echo pid $$'", "--box", "b")
    got = box.replay(run, "--times", "3", same=False)
    assert differs(got) == {"stdout": "number"}


def test_order_by_hash(box):
    (box.project / "set.py").write_text("print({'file%d' % i for i in range(20)})\n", encoding="ascii")
    run = box.run(f"{PYTHON} set.py", "--box", "b")
    assert differs(box.replay(run, "--times", "2", same=False)) == {"stdout": "order"}
    run = box.run(f"{PYTHON} set.py", "--box", "b", "--env", "PYTHONHASHSEED=0")
    box.replay(run, "--times", "2", same=True)


def test_files(box):
    run = box.run("cat /proc/sys/kernel/random/uuid > id; echo fixed > fixed; touch $(mktemp -u tmpXXXXXXXX); echo built $(date +%s%N) > log",
                  "--box", "b")
    got = box.replay(run, same=False)
    kinds = differs(got)
    assert kinds["file id"] == "content" and kinds["file log"] == "time" and "file fixed" not in kinds
    assert sorted(k for w, k in kinds.items() if w.startswith("file tmp")) == ["temporary name"] * 2
    assert got["stdout"]["same"] and not got["changes"]["same"] and got["changes"]["count"] == 4
    how = {p["path"]: p["how"] for p in got["changes"]["paths"]}
    assert how["id"] == "modified" and sorted(how.values()) == ["created", "deleted", "modified", "modified"]
    example = next(d["example"] for d in got["not_deterministic"] if d["what"] == "file log")
    assert example["was"].startswith("built ") and example["line"] == 1


def test_ends(box):
    run = box.run("echo no; exit 3", "--box", "b", want=3)
    assert box.replay(run, same=True)["exit_code"] == {"was": 3, "is": 3}
    run = box.run("kill -9 $$", "--box", "b", want=137)
    assert box.replay(run, same=True)["exit_code"] == {"was": None, "is": None}
    run = box.run("exec sleep 60", "--box", "b", "--timeout", "100ms", want=124)
    assert box.replay(run, same=True)["status"] == {"was": "limit", "is": "limit"}


def test_an_end_by_chance(box):
    status, out, _ = box.call("run", "--json", "--box", "b", "--", "sh", "-c", "exit $(($(od -An -N1 -tu1 /dev/urandom) % 100 + 1))")
    assert status >= 1
    got = box.replay(json.loads(out)["run"], "--times", "8", same=False)
    assert differs(got) == {"exit_code": "content"}


def test_long_output_is_compared_to_its_end(box):
    """Beyond what is kept by its sum."""
    script = "yes | head -c 6000000; {}"
    run = box.run(script.format("echo end"), "--box", "b")
    assert box.ok("history", run)["runs"][0]["result"]["record"]["stdout"]["bytes"] == 6000004
    assert box.replay(run, same=True)["stdout"]["same"]
    run = box.run(script.format("date +%N"), "--box", "b")
    got = box.replay(run, same=False)
    assert got["stdout"]["same"] is False and got["stdout"]["lines"] == []


def test_what_was_not_recorded(shelf):
    shelf.ok("create", "b")
    shelf.run("echo a > a", "--box", "b")
    run = shelf.run("cat a; echo b > a", "--box", "b", "--env", "X=secret-of-mine", "--env", "PATH")
    got = shelf.replay(run, same=True)
    told = not_compared(got)
    assert set(told) == {"start", "stdout", "stderr", "changes", "variable X"}, told
    assert "was not recorded" in told["start"] and "--record" in told["stdout"]
    assert got["stdout"] is None and got["changes"] is None
    assert b"secret-of-mine" not in b"".join(p.read_bytes() for p in shelf.state.rglob("*") if p.is_file())
    text = shelf.call("replay", run)[1].decode()
    assert text.startswith("same: ") and "not compared:" in text and "variable X" in text


def test_a_box_that_is_gone(box):
    run = box.run("cat input", "--box", "b")
    box.ok("rm", "b")
    got = box.replay(run, same=True)
    assert "were removed" in not_compared(got)["start"] and got["stdout"]["same"] and got["changes"] is None


def test_a_snapshot_holds_the_start(shelf):
    """A box that rolls back, is forked or changed beside is still replayed from where the run was."""
    shelf.ok("create", "b")
    shelf.run("echo 1 > n", "--box", "b")
    run = shelf.run("cat n; echo 2 > n", "--box", "b", "--record")
    again = shelf.run("cat n", "--box", "b", "--record")
    before = [shelf.ok("history", r)["runs"][0]["result"]["record"] for r in (run, again)]
    assert before[0]["after"] == before[1]["before"] == before[1]["after"], "a snapshot that is there is not taken again"
    shelf.ok("rollback", "b", before[0]["before"])
    shelf.run("echo 3 > n", "--box", "b")
    assert shelf.replay(run, same=True)["changes"]["same"]
    assert shelf.replay(again, same=True)["stdout"]["same"]


def test_secrets_are_not_in_the_record(box):
    run = box.run("cat /run/secrets/key; echo $TOKEN", "--box", "b", "--secret", "key=env:KEY", "--secret", "TOKEN=env:KEY,as=env",
                  env={"KEY": "zebra-in-the-attic"})
    record = box.ok("history", run)["runs"][0]["result"]["record"]
    assert record["args"]["secret"] == ["key=env:KEY", "TOKEN=env:KEY,as=env"]
    files = b"".join(p.read_bytes() for p in box.state.rglob("*") if p.is_file())
    assert b"zebra-in-the-attic" not in files
    assert box.replay(run, same=True, env={"KEY": "zebra-in-the-attic"})["stdout"]["same"]
    status, out, _ = box.call("replay", "--json", run)
    assert status == 125 and "KEY" in json.loads(out)["error"]["text"], "the source is needed again"


def test_services_run_again(box):
    (box.project / "aisbx.yaml").write_text(textwrap.dedent("""\
        services:
          greeter:
            command: ["sh", "-c", "echo hello > /tmp/greeting; exec sleep 600"]
            ready: {command: ["test", "-s", "/tmp/greeting"]}
        """), encoding="ascii")
    run = box.run("cat /tmp/greeting", "--box", "b")
    got = box.replay(run, same=True)
    assert got["stdout"]["same"]
    services = box.ok("history", got["replay"][0])["runs"][0]["result"]["services"]
    assert [s["name"] for s in services] == ["greeter"]


def test_detached_and_kept(box):
    run = box.ok("run", "--box", "b", "--detach", "--", "sh", "-c", "echo out; echo x > x")["run"]
    box.ok("wait", run)
    got = box.replay(run, "--keep", "--times", "2", same=True)
    assert len(got["boxes"]) == len(got["replay"]) == 2
    assert box.ok("run", "--box", got["boxes"][1], "--", "cat", "x")["stdout"] == "x\n"


def test_input_is_not_kept(shelf):
    with open(shelf.project / "input", "rb") as f:
        run = shelf.run("cat", "--record", stdin=f)
    got = shelf.replay(run, same=False)
    assert "stdin" in not_compared(got) and got["stdout"]["lines"] == [{"line": 1, "was": "in", "is": None}]


def test_a_joined_run(box):
    """Where two run at once nobody can tell what is whose."""
    first = subprocess.Popen([aisbx(), "run", "--box", "b", "--", "sh", "-c", "echo up; read x"], cwd=box.project, env=box.env,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert first.stdout.readline() == b"up\n"
    run = box.run("echo joined", "--box", "b")
    first.communicate(b"\n")
    got = box.replay(run, same=True)
    assert "other commands ran" in not_compared(got)["start"] and got["changes"] is None and got["stdout"]["same"]


def test_what_cannot_be_replayed(shelf):
    for words, code in ((("r-none",), "ENOENT"), (("--times", "0", "r-none"), "EINVAL"), (("--times", "51", "r-none"), "EINVAL")):
        status, out, _ = shelf.call("replay", "--json", *words)
        assert status == 125 and json.loads(out)["error"]["code"] == code, out
    code = shelf.ok("run-code", "--lang", "shell", "--code", "true")["run"]
    status, out, _ = shelf.call("replay", "--json", code)
    assert status == 125 and json.loads(out)["error"]["code"] == "ENODATA" and "run-code" in json.loads(out)["error"]["text"]


def test_output_is_the_caller_s_all_the_same(shelf):
    """To record a run changes nothing of what its caller sees."""
    got = shelf.ok("run", "--record", "--", "sh", "-c", "echo out; echo err >&2")
    assert got["stdout"] == "out\n" and got["stderr"] == "err\n" and "record" not in got
    assert shelf.call("run", "--quiet", "--record", "--", "sh", "-c", "echo out; echo err >&2")[1:] == (b"out\n", b"err\n")
    assert shelf.call("logs", got["run"])[1:] == (b"out\n", b"err\n")


def test_by_rpc(box):
    run = box.run("date +%N", "--box", "b")
    with Rpc(cwd=box.project, env=box.env) as rpc:
        got = rpc.call("run.replay", run=run, times=2)
    assert got["same"] is False and differs(got) == {"stdout": "number"}


def test_an_owner_replays_its_own_only(box):
    """What a person ran with rights of theirs, no model runs again for knowing its id."""
    run = box.run("true", "--box", "b")
    with Rpc(cwd=box.project, env=box.env) as rpc:
        rpc.call("rpc.hello", owner="model")
        assert rpc.error("run.replay", run=run)["data"]["kind"] == "not_found"
        rpc.call("box.create", name="mine")
        own = rpc.call("run.exec", command=["sh", "-c", "echo x > x"], box="mine", record=True)["run"]
        got = rpc.call("run.replay", run=own)
        assert got["same"] and got["changes"]["same"]
        assert [b["name"] for b in rpc.call("box.ls")["boxes"]] == ["mine"]
