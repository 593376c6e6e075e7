# SPDX-License-Identifier: Apache-2.0
"""Commands on other machines: a real nats-server, hubs, nodes and boxes."""
import contextlib
import hashlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import time

import own_fleet
import pace
import pytest

JOB = re.compile(rb"\bj-[0-9a-f]{20}\b")


@pytest.fixture
def fleet(tmp_path):
    f = own_fleet.Fleet(tmp_path)
    try:
        yield f
    finally:
        f.finish()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One that no test harms: a hub, and the nodes a (zone=a) and b (zone=b, gpu=1)."""
    f = own_fleet.Fleet(tmp_path_factory.mktemp("fleet"))
    try:
        f.hub()
        f.node("a", "--labels", "zone=a")
        f.node("b", "--labels", "zone=b,gpu=1")
        yield f
    finally:
        f.finish()


def said(done):
    return done.returncode, done.stdout, done.stderr


def test_a_command_runs_there(shared):
    assert said(shared.call("run", "--on", "zone=a", "--", "echo", "hi")) == (0, b"hi\n", b"")


def test_the_option_may_stand_first(shared):
    assert said(shared.call("--on=zone=a", "run", "--", "echo", "hi")) == (0, b"hi\n", b"")
    assert said(shared.call("--on", "any", "run", "--", "echo", "hi")) == (0, b"hi\n", b"")


@pytest.mark.parametrize("labels, node", [("zone=a", "a"), ("zone=b", "b"), ("zone=b,gpu=1", "b"), ("gpu=1,zone=b", "b"), ("node=a", "a")])
def test_labels_choose_the_node(shared, labels, node):
    done = json.loads(shared.call("run", "--on", labels, "--json", "--", "true").stdout)
    assert done["fleet"]["node"] == node
    assert done["status"] == "ok"


@pytest.mark.parametrize("command, status", [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("nonsuch", 127)])
def test_exit_status(shared, command, status):
    assert shared.call("run", "--on", "any", "--", "sh", "-c", command).returncode == status


def test_both_streams_arrive(shared):
    assert said(shared.call("run", "--on", "any", "--", "sh", "-c", "echo out; echo err >&2; exit 3")) == (3, b"out\n", b"err\n")


def test_json_has_the_output(shared):
    done = shared.call("run", "--on", "any", "--json", "--", "sh", "-c", "echo out; echo err >&2")
    result = json.loads(done.stdout)
    assert (result["stdout"], result["stderr"], result["exit_status"], result["fleet"]["attempt"]) == ("out\n", "err\n", 0, 1)
    assert result["truncated"] == {"stdout": 0, "stderr": 0}


def test_input_arrives(shared):
    data = os.urandom(1 << 20)
    done = shared.call("run", "--on", "any", "--", "sha256sum", input=data)
    assert done.stdout.split()[0].decode() == hashlib.sha256(data).hexdigest()


def test_input_that_nobody_reads(shared):
    assert shared.call("run", "--on", "any", "--", "true", input=bytes(8 << 20)).returncode == 0


def test_bytes_that_are_no_text(shared):
    data = bytes(range(256)) * 64
    assert shared.call("run", "--on", "any", "--", "cat", input=data).stdout == data


def test_large_output_arrives_whole(shared):
    done = shared.call("run", "--on", "any", "--", "seq", "1", "2000000")
    assert done.returncode == 0
    assert hashlib.sha256(done.stdout).hexdigest() == hashlib.sha256(b"".join(b"%d\n" % i for i in range(1, 2000001))).hexdigest()
    assert done.stderr == b""


def test_a_slow_reader_loses_nothing(shared):
    p = shared.popen("run", "--on", "any", "--", "seq", "1", "1000000")
    time.sleep(3)  # far more than there is room for, on the way, waits meanwhile
    out, _ = p.communicate(timeout=own_fleet.WAIT)
    assert p.returncode == 0
    assert out.count(b"\n") == 1000000


def test_output_comes_while_it_runs(shared):
    p = shared.popen("run", "--on", "any", "--", "sh", "-c", "echo first; read line; echo got $line", stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"first\n"
    out, _ = p.communicate(b"this\n", timeout=own_fleet.WAIT)
    assert (p.returncode, out) == (0, b"got this\n")


def test_a_reader_that_leaves_ends_the_job(shared):
    mark = f"left-{os.getpid()}"
    p = shared.popen("run", "--on", "any", "--", "sh", "-c", f"while echo {mark}; do sleep 0.1; done")
    p.stdout.readline()
    p.stdout.close()
    p.wait(own_fleet.WAIT)
    own_fleet.until(lambda: not own_fleet.processes_with(mark), "the job is gone")


def test_a_box_of_a_node(shared):
    assert shared.call("create", "--on", "node=a", "kept").returncode == 0
    assert shared.call("run", "--on", "node=a", "--box", "kept", "--", "sh", "-c", "echo new > file").returncode == 0
    assert said(shared.call("file", "read", "--on", "node=a", "kept", "file"))[:2] == (0, b"new\n")
    assert b"file" in shared.call("diff", "--on", "node=a", "kept").stdout
    there = shared.call("run", "--on", "node=b", "--box", "kept", "--", "true")
    assert there.returncode == 125
    assert b"there is no box 'kept'" in there.stderr
    assert shared.call("rm", "--on", "node=a", "kept").returncode == 0


def test_run_code(shared):
    (shared.dir / "project/program.py").write_text("print(6 * 7)\n")
    assert said(shared.call("run-code", "--on", "any", "--lang", "python", "program.py"))[:2] == (0, b"42\n")


def test_tenants_do_not_see_each_other(shared):
    one, other = {"AISBX_TENANT": "one"}, {"AISBX_TENANT": "other"}
    assert shared.call("create", "--on", "node=a", "mine", env=one).returncode == 0
    assert shared.call("run", "--on", "node=a", "--box", "mine", "--", "sh", "-c", "echo secret-of-one > f", env=one).returncode == 0
    assert b"there is no box" in shared.call("run", "--on", "node=a", "--box", "mine", "--", "cat", "f", env=other).stderr
    where = shared.dir / "state/aisbx-fleet/nodes/a"
    assert (where / "tenants/one").is_dir()
    seen = shared.call("run", "--on", "node=a", "--", "sh", "-c", f"find {where} -name '*.db'; ls {where}/tenants", env=other)
    assert seen.stdout.split() == [b"other"]


@pytest.mark.parametrize("words, reason", [
    (["run", "--on", "any", "--rw", "/etc", "--", "true"], b"takes no --rw"),
    (["run", "--on", "any", "--ro", "/etc", "--", "true"], b"takes no --ro"),
    (["run", "--on", "any", "--driver", "chroot", "--", "true"], b"takes no --driver"),
    (["run", "--on", "any", "--secret", "A=env:HOME", "--", "true"], b"needs --hub-keys"),
    (["run", "--on", "any", "--without", "net", "--", "true"], b"takes no --without"),
    (["run", "--on", "any", "--device", "/dev/kvm", "--", "true"], b"takes no --device"),
    (["run", "--on", "any", "--profile", "./mine.yaml", "--", "true"], b"must be the name of a profile"),
    (["run", "--on", "any", "-t", "--", "true"], b"takes no --tty"),
    (["--on", "any", "promote", "b"], b"'promote' is not for other machines"),
    (["--on", "any", "undo"], b"'undo' is not for other machines"),
    (["--on", "any", "guard", "ls"], b"is not for other machines"),
    (["run", "--on", "a b", "--", "true"], b"are no labels"),
    (["run", "--on", "zone", "--", "true"], b"are no labels"),
    (["run", "--on", "", "--", "true"], b"are no labels"),
    (["run", "--on"], b"--on needs a value"),
    (["run", "--on", "any", "--priority", "10", "--", "true"], b"--priority must be a number from 0 to 9"),
    (["run", "--on", "any", "--deadline", "soon", "--", "true"], b"--deadline must be a time"),
    (["run", "--on", "any", "--once", "--detach", "--", "true"], b"exclude each other"),
    (["run", "--on", "any", "--tenant", "a.b", "--", "true"], b"cannot be a tenant"),
    (["run", "--on", "any", "--nonsense", "--", "true"], b"has no option '--nonsense'"),
    (["run", "--on", "any"], b""),
    (["run", "--timeout", "5s", "--on", "any", "--", "true"], b"directly behind the operation"),
    (["--on", "any"], b"needs an operation"),
    (["--on", "any", "nonsuch"], b"there is no operation 'nonsuch'"),
    (["fleet", "drian"], b"did you mean 'drain'?"),
    (["fleet", "status", "--jsno"], b"did you mean --json?"),
    (["fleet", "wait"], b"aisbx fleet wait JOB"),
    (["fleet", "wait", "j-none"], b"there is no job 'j-none'"),
    (["fleet", "drain", "none"], b"there is no node 'none'"),
    (["fleet", "node", "--name", "a.b"], b"cannot be a node's name"),
    (["fleet", "node", "--slots", "0"], b"--slots must be a number from 1"),
    (["fleet", "node", "--labels", "a"], b"--labels must be"),
    (["fleet", "node", "--creds", "/etc/hostname"], b"could read its credentials"),
    (["fleet", "node", "--dir", "relative"], b"--dir must be an absolute path"),
    (["fleet", "hub", "--replicas", "2"], b"--replicas is 1 or 3"),
    (["fleet", "hub", "--shares", "/etc/hostname"], b"is no JSON of shares"),
])
def test_wrong_input(shared, words, reason):
    done = shared.call(*words)
    assert done.returncode == 125
    assert reason in done.stderr
    assert done.stderr.startswith(b"aisbx: ")


def plant(fleet, body):
    """A job as no client of ours makes it, in the submitter's table, from which `wait` sends it."""
    fleet.call("run", "--on", "any", "--", "true")
    job = f"j-{os.urandom(10).hex()}"
    with contextlib.closing(sqlite3.connect(fleet.dir / "state/aisbx-fleet/jobs/jobs.db")) as table, table:
        (text,) = table.execute("SELECT job FROM jobs LIMIT 1").fetchone()
        made = {**json.loads(text), "id": job, "submitter": job, "body": body}
        del made["box"]  # the key of the other job
        table.execute("INSERT INTO jobs (id, job, since) VALUES (?, ?, 1)", (job, json.dumps(made)))
    return job


@pytest.mark.parametrize("body, reason", [
    ({"operation": "run", "arguments": {"rw": ["/etc"], "command": ["touch", "/etc/planted"]}}, b"takes no --rw"),
    ({"operation": "run", "arguments": {"_cwd": "/etc", "command": ["ls"]}}, b"takes no --_cwd"),
    ({"operation": "promote", "arguments": {"box": "b"}}, b"'promote' is not for other machines"),
    ({"operation": "run.exec", "arguments": {"command": ["true"]}}, b"is not for other machines"),
    ({"operation": "run", "arguments": {"command": "true"}}, b"command"),
    ({"operation": "run", "arguments": ["true"]}, b"body is not"),
    ({"operation": "x" * 1000, "arguments": {}}, b"body is not"),
    ({"operation": "run"}, b"body is not"),
    ("no object", b"body is not"),
    ("{" * 1000, b"body is not"),
])
def test_the_node_checks_for_itself(shared, body, reason):
    done = shared.call("fleet", "wait", plant(shared, body if isinstance(body, str) else json.dumps(body)))
    assert done.returncode == 125
    assert reason in done.stderr
    assert not os.path.exists("/etc/planted")


@pytest.mark.parametrize("words", [["fleet", "--help"], ["fleet", "node", "--help"], ["fleet", "wait", "--help"], ["run", "--on", "any", "--help"]])
def test_help(shared, words):
    done = shared.call(*words)
    assert done.returncode == 0
    assert done.stdout.lower().startswith(b"usage") or b"aisbx run" in done.stdout


def test_without_a_server_it_says_so(shared):
    done = shared.call("run", "--on", "any", "--", "true", env={"AISBX_NATS": "nats://127.0.0.1:1"})
    assert done.returncode == 125
    assert b"is nats-server running there" in done.stderr
    env = {k: v for k, v in shared.env.items() if k != "AISBX_NATS"}
    done = subprocess.run([own_fleet.box.aisbx(), "fleet", "status"], env=env, capture_output=True, timeout=60, check=False)
    assert done.returncode == 125
    assert b"no NATS server is given" in done.stderr


def test_or_here(shared):
    done = shared.call("run", "--on", "any", "--or-here=1s", "--", "echo", "here", env={"AISBX_NATS": "nats://127.0.0.1:1"})
    assert done.stdout == b"here\n"
    assert b"it runs on this machine" in done.stderr
    done = json.loads(shared.call("run", "--on", "any", "--or-here", "--json", "--", "true").stdout)
    assert done["fleet"]["node"] in "ab"


def test_settings_of_a_file(shared):
    config = shared.dir / "home/.config/aisbx"
    config.mkdir(parents=True, exist_ok=True)
    (config / "fleet.json").write_text(json.dumps({"nats": shared.env["AISBX_NATS"], "tenant": "of-file"}))
    env = {k: v for k, v in shared.env.items() if k != "AISBX_NATS"}
    done = subprocess.run([own_fleet.box.aisbx(), "run", "--on", "node=a", "--", "pwd"], env=env, cwd=shared.dir / "project", capture_output=True,
                          timeout=60, check=False)
    assert b"/tenants/of-file/" in done.stdout
    (config / "fleet.json").write_text("[]")
    done = subprocess.run([own_fleet.box.aisbx(), "fleet", "status"], env=env, capture_output=True, timeout=60, check=False)
    (config / "fleet.json").unlink()
    assert b"fleet.json is no JSON object" in done.stderr


def test_a_job_that_no_node_fits_waits_and_says_so(shared):
    p = shared.popen("run", "--on", "zone=none", "--", "true")
    line = p.stderr.readline()
    assert b"no node has 'zone=none'" in line
    job = JOB.search(line).group().decode()
    assert any(lane["class"] == "zone=none" and lane["waiting"] == 1 for lane in shared.ask("queue")["queue"])
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=own_fleet.WAIT)
    assert p.returncode == 130
    assert shared.ask("jobs", job)[0]["phase"] == "cancelled"


def test_cancel_by_ctrl_c(shared):
    mark = f"cancelled-{os.getpid()}"
    p = shared.popen("run", "--on", "any", "--", "sh", "-c", f"trap '' TERM; echo ready; sleep 1000; echo {mark}")
    assert p.stdout.readline() == b"ready\n"
    assert own_fleet.processes_with(mark)
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=own_fleet.WAIT)
    assert p.returncode == 130
    assert b"was cancelled" in err
    own_fleet.until(lambda: not own_fleet.processes_with(mark), "the box is gone")


def test_twice_ctrl_c_leaves_it(shared):
    p = shared.popen("run", "--on", "zone=nowhere", "--", "true")
    p.stderr.readline()
    shared.processes["h"].send_signal(signal.SIGSTOP)  # so that nobody cancels it in between
    p.send_signal(signal.SIGINT)
    assert b"again to leave it" in p.stderr.readline()
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=own_fleet.WAIT)
    shared.processes["h"].send_signal(signal.SIGCONT)
    assert p.returncode == 130
    job = JOB.search(err).group().decode()
    assert f"aisbx fleet wait {job}".encode() in err
    own_fleet.until(lambda: shared.ask("status"), "the hub is active again")
    assert shared.call("fleet", "cancel", job).returncode in (0, 125)


def test_detach_wait_cancel(shared):
    done = shared.call("run", "--on", "any", "--detach", "--", "sh", "-c", "sleep 1; echo later; exit 5")
    job = done.stdout.strip().decode()
    assert JOB.fullmatch(job.encode())
    assert said(shared.call("fleet", "wait", job))[:2] == (5, b"later\n")
    assert said(shared.call("fleet", "wait", job[:15]))[:2] == (5, b"later\n")
    assert shared.ask("jobs", job)[0]["phase"] == "ended"
    job = shared.call("--on", "any", "run", "-d", "--", "sleep", "1000").stdout.strip().decode()
    own_fleet.until(lambda: any(n["jobs"] for n in shared.nodes()), "it runs")
    assert said(shared.call("fleet", "cancel", job))[:2] == (0, f"{job} cancelled\n".encode())
    assert shared.call("fleet", "wait", job).returncode == 130
    assert b"has ended" in shared.call("fleet", "cancel", job).stderr


def test_status(shared):
    status = shared.ask("status")
    assert (status["nodes"], status["slots"]) == (2, 8)
    assert {n["name"]: n["labels"] for n in shared.nodes()} == {"a": "zone=a", "b": "zone=b,gpu=1"}
    for what in ("status", "nodes", "queue", "top", "jobs"):
        assert shared.call("fleet", what).returncode == 0


def test_a_deadline_ends_what_waits(shared):
    done = shared.call("run", "--on", "zone=never", "--deadline", "1s", "--", "true")
    assert done.returncode == 125
    assert b"deadline" in done.stderr


def test_drain(fleet):
    fleet.hub()
    fleet.node("a")
    fleet.node("b")
    p = fleet.popen("run", "--on", "node=a", "--", "sh", "-c", "echo begun; read x; echo end $x", stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"begun\n"
    assert fleet.call("fleet", "drain", "a").returncode == 0
    assert {n["name"]: n["draining"] for n in fleet.nodes()} == {"a": True, "b": False}
    for _ in range(4):
        assert json.loads(fleet.call("run", "--on", "any", "--json", "--", "true").stdout)["fleet"]["node"] == "b"
    assert p.communicate(b"well\n", timeout=own_fleet.WAIT)[0] == b"end well\n"
    assert fleet.call("fleet", "drain", "a", "--undo").returncode == 0
    assert json.loads(fleet.call("run", "--on", "node=a", "--json", "--", "true").stdout)["fleet"]["node"] == "a"


def test_a_node_that_is_told_to_end_ends_what_it_has(fleet):
    fleet.hub()
    fleet.node("a")
    p = fleet.popen("run", "--on", "any", "--", "sh", "-c", "echo begun; sleep 2; echo end")
    assert p.stdout.readline() == b"begun\n"
    assert fleet.end("a") == 0
    assert p.communicate(timeout=own_fleet.WAIT)[0] == b"end\n"


def test_a_killed_agent_takes_its_boxes_with_it_and_the_job_runs_elsewhere(fleet, tell):
    fleet.hub()
    fleet.node("a", "--labels", "zone=x")
    mark = f"moved-{os.getpid()}"
    p = fleet.popen("run", "--on", "zone=x", "--", "sh", "-c", f"echo begun; test -e /tmp/{mark} || sleep 15; echo end")
    assert p.stdout.readline() == b"begun\n"
    fleet.node("b", "--labels", "zone=x")
    fleet.end("a", signal.SIGKILL)
    began = time.monotonic()
    own_fleet.until(lambda: len(own_fleet.processes_with(mark)) <= 1, "only the client's command line has it", 5)
    assert p.stdout.readline() == b"begun\n"
    tell(f"node death to rerun: {time.monotonic() - began:.1f} s")
    out, err = p.communicate(timeout=own_fleet.WAIT)
    assert (p.returncode, out) == (0, b"end\n")
    assert b"runs again" in err


def test_boxes_die_with_the_lease_of_an_agent_that_hangs(fleet, tell):
    fleet.hub()
    fleet.node("a")
    mark = f"hangs-{os.getpid()}"
    p = fleet.popen("run", "--on", "any", "--", "sh", "-c", f"echo begun; sleep 1000; echo {mark}")
    assert p.stdout.readline() == b"begun\n"
    fleet.processes["a"].send_signal(signal.SIGSTOP)
    began = time.monotonic()
    own_fleet.until(lambda: len(own_fleet.processes_with(mark)) <= 1, "only the client's command line has it", pace.seconds(15))  # the client itself
    tell(f"an agent that hangs loses its boxes after {time.monotonic() - began:.1f} s")
    p.kill()
    p.communicate()


def test_what_may_be_done_once_is_unknown_when_its_node_is_lost(fleet):
    fleet.hub()
    fleet.node("a")
    p = fleet.popen("run", "--on", "any", "--once", "--", "sh", "-c", "echo begun; sleep 1000")
    assert p.stdout.readline() == b"begun\n"
    fleet.node("b")
    fleet.end("a", signal.SIGKILL)
    out, err = p.communicate(timeout=own_fleet.WAIT)
    assert (p.returncode, out) == (125, b"")
    assert b"may have run once on node a, or not at all" in err


def test_once_runs(shared):
    assert said(shared.call("run", "--on", "any", "--once", "--", "echo", "once")) == (0, b"once\n", b"")


def test_another_hub_takes_over(fleet, tell):
    fleet.hub("h")
    fleet.hub("i", wait=False)
    fleet.node("a")
    p = fleet.popen("run", "--on", "any", "--", "sh", "-c", "echo begun; read x; echo end", stdin=subprocess.PIPE)
    assert p.stdout.readline() == b"begun\n"
    began = time.monotonic()
    fleet.end("h", signal.SIGKILL)
    done = fleet.call("run", "--on", "any", "--", "echo", "after")
    tell(f"hub death to the next job's result: {time.monotonic() - began:.1f} s")
    assert (done.returncode, done.stdout) == (0, b"after\n")
    assert "is active" in fleet.log("i")
    assert p.communicate(b"\n", timeout=own_fleet.WAIT)[0] == b"end\n"  # what ran was not touched
    assert p.returncode == 0


def test_the_server_begins_again(fleet):
    fleet.hub()
    fleet.node("a")
    p = fleet.popen("run", "--on", "any", "--", "sh", "-c", "echo begun; sleep 5; echo end")
    assert p.stdout.readline() == b"begun\n"
    fleet.end("nats", signal.SIGKILL)
    time.sleep(1)
    fleet.server()
    out, _ = p.communicate(timeout=own_fleet.WAIT)
    assert (p.returncode, out) == (0, b"end\n")
    assert fleet.call("run", "--on", "any", "--", "echo", "after").stdout == b"after\n"


def test_a_client_that_was_killed_has_its_job_in_the_table(fleet):
    fleet.hub()
    p = fleet.popen("run", "--on", "any", "--", "echo", "kept")
    job = JOB.search(p.stderr.readline()).group().decode()  # that there is no node
    p.kill()
    p.communicate()
    fleet.node("a")
    assert said(fleet.call("fleet", "wait", job))[:2] == (0, b"kept\n")


def test_nothing_is_left(fleet):
    fleet.hub()
    fleet.node("a")
    assert fleet.call("run", "--on", "any", "--", "true").returncode == 0
    assert fleet.end("a") == 0
    assert fleet.end("h") == 0
    ours = [pid for pid in own_fleet.processes_with("") if str(fleet.dir).encode() in own_fleet.environment(pid)]
    assert ours == [fleet.processes["nats"].pid]
