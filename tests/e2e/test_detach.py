# SPDX-License-Identifier: Apache-2.0
"""Detached runs: started, seen, followed, fed, paused, entered, waited for and killed by other processes.

Runs as root and as an ordinary user.
"""
import fcntl
import hashlib
import json
import os
import pty
import signal
import socket
import stat
import struct
import subprocess
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

import pace
from box import PROFILES, aisbx, processes_with, wait_until
from runs import State

MIB = 1 << 20
HEAD = struct.Struct("=QII")


@pytest.fixture(name="at")
def fixture_at(tmp_path):
    made = State(tmp_path)
    yield made
    made.finish()
    live = made.state / "live"
    assert not live.exists() or os.listdir(live) == [], "sockets of runs that are gone"
    assert os.listdir(made.project) == []


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


# Starting


@pytest.mark.parametrize("profile", PROFILES)
def test_a_run_goes_on_without_its_caller(at, profile):
    run = at.sh("echo out; echo err >&2; read x; echo done; exit 7", options=["-i", "--profile", profile])
    assert run.startswith("r-")
    seen = at.ps()[run]
    assert seen["state"] == "running" and seen["detached"] is True and seen["profile"] == profile
    at.ok("input", "--close", run)
    status, result = at.wait(run)
    assert status == 7 and result["exit_code"] == 7 and result["status"] == "failed" and result["run"] == run
    assert at.logs(run) == b"out\ndone\n" and run not in at.ps()
    assert at.history(run)["status"] == "failed"


def test_the_result_of_detaching(at):
    box = at.ok("create", "b")["id"]
    made = at.ok("run", "--detach", "--box", "b", "--", "sleep", "60")
    assert made["box"] == box and made["detached"] is True and len(made["trace_id"]) == 32
    assert at.ps()[made["run"]]["box"] == box and at.ps()[made["run"]]["trace_id"] == made["trace_id"]
    at.ok("kill", made["run"])
    assert at.wait(made["run"])[1]["trace_id"] == made["trace_id"]


def test_what_cannot_start_is_told_at_once(at):
    assert "there is no profile 'x'" in at.refused("ENOENT", "run", "--detach", "--profile", "x", "--", "true")
    text = at.refused("ENOENT", "run", "--detach", "--project", "/not/there", "--", "true")
    assert "/not/there" in text
    # A wall that cannot be built is known only to the process that was to supervise it.
    text = at.refused("ENOENT", "run", "--detach", "--ro", "/not/there", "--", "true")
    assert "/not/there" in text
    assert at.ps() == {} and os.listdir(at.state / "runs") == []


def test_a_command_that_is_not_there(at):
    run = at.detach("/no/such/program")
    status, result = at.wait(run)
    assert status == 127 and result["status"] == "error" and "/no/such/program" in result["error"]


def test_nobody_waits_for_what_the_supervisor_holds(at):
    """Who reads our output to its end, and whoever else gave us a descriptor, is not held up by a detached run."""
    read, write = os.pipe()
    os.set_inheritable(write, True)
    begin = time.monotonic()
    p = at.start("run", "--detach", "--json", "--", "sleep", "60", pass_fds=[write])
    os.close(write)
    out, err = p.communicate(timeout=50)  # reads to the end of both
    assert p.returncode == 0 and err == b""
    assert os.read(read, 1) == b"", "another descriptor of the caller's"
    os.close(read)
    pid = at.supervisor(json.loads(out)["run"])
    assert time.monotonic() - begin < pace.seconds(50)
    links = {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
    assert not [link for link in links if "pts" in link], links
    assert [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in (0, 1, 2)] == ["/dev/null"] * 3
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    assert os.getsid(pid) != os.getsid(0)


def test_the_terminal_may_go(at):
    """A run that was started from a terminal outlives its hang-up."""
    master, slave = pty.openpty()
    p = at.start("run", "--detach", "--", "sh", "-c", "sleep 0.5; echo alive", stdin=slave, stdout=subprocess.PIPE,
                 stderr=slave, start_new_session=True,
                 preexec_fn=lambda: fcntl.ioctl(slave, 0x540E, 0))  # TIOCSCTTY
    run = p.stdout.read().decode().strip()
    p.wait(50)
    os.close(slave)
    os.close(master)
    assert at.wait(run)[0] == 0 and at.logs(run) == b"alive\n"


def test_who_is_gone_before_the_walls_are_up_leaves_no_run(at):
    """Killed at any moment of the start: either the run is there and listed, or there is nothing of it."""
    for delay in (0, 0.001, 0.002, 0.004, 0.006, 0.008, 0.012):
        marker = uuid.uuid4().hex
        p = at.start("run", "--detach", "--", "sh", "-c", "sleep 60; :", marker)
        time.sleep(delay)
        p.kill()
        p.wait()

        def settled(marker=marker):
            runs = [r for r in at.ps().values() if marker in (r["command"] or "")]
            return len(runs) == (1 if processes_with(marker) else 0) and all(r["state"] == "running" for r in runs)

        wait_until(settled, 30, f"an end or a run after {delay} s")
    for half in (at.state / "live").glob(".r-*"):  # who is killed before its socket has its name leaves that for gc
        half.unlink()


def test_a_run_whose_id_nobody_heard_does_not_start(at):
    """Its start is held up by a lock on its box until its caller is gone."""
    marker = uuid.uuid4().hex
    box = at.ok("create", "b")["id"]
    at.ok("run", "--box", "b", "--", "true")
    with open(at.state / "locks" / box, "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        p = at.start("run", "--detach", "--box", "b", "--", "sh", "-c", "sleep 60; :", marker)
        wait_until(lambda: len(processes_with(marker)) == 2, 30, "the supervisor")
        p.kill()
        p.wait()
    wait_until(lambda: processes_with(marker) == [], 30, "the end of the supervisor")
    assert at.ps() == {} and os.listdir(at.state / "runs") == []
    assert marker not in json.dumps(at.ok("history"))


def test_files_are_for_nobody_else(at):
    run = at.sh("echo secret; sleep 60")
    at.until(run, b"secret")
    for path, mode in (("live", 0o700), ("runs", 0o700), (f"runs/{run}", 0o700), (f"runs/{run}/log", 0o600),
                       (f"runs/{run}/run.json", 0o600), (f"live/{run}", 0o600)):
        assert stat.S_IMODE(os.stat(at.state / path).st_mode) == mode, path


def test_a_box_does_not_see_the_state(at):
    """Also of the first run of all, which makes the directory, and wherever that lies."""
    at.env["XDG_STATE_HOME"] = str(at.project / "state")
    run = at.sh("ls -A state/aisbx; echo end")
    at.call("wait", run)
    assert at.logs(run) == b"end\n"
    subprocess.run(["rm", "-r", at.project / "state"], check=True)
    at.env["XDG_STATE_HOME"] = str(at.state.parent)


# Logs


def records(at, run):
    found, at_byte = [], 0
    data = (at.state / "runs" / run / "log").read_bytes()
    while at_byte < len(data):
        time_us, stream, length = HEAD.unpack_from(data, at_byte)
        found.append((time_us, stream, data[at_byte + 16:at_byte + 16 + length]))
        at_byte += 16 + length
    assert at_byte == len(data)
    return found


def test_order_and_times_of_both_streams_are_kept(at):
    before = time.time_ns() // 1000
    run = at.sh("for i in 1 2 3; do echo o$i; sleep 0.05; echo e$i >&2; sleep 0.05; done")
    at.wait(run)
    found = records(at, run)
    assert [(s, d) for _, s, d in found] == [(1, b"o1\n"), (2, b"e1\n"), (1, b"o2\n"), (2, b"e2\n"), (1, b"o3\n"),
                                            (2, b"e3\n"), (0, b"")]
    times = [t for t, _, _ in found]
    assert times == sorted(times) and before <= times[0] and times[-1] <= time.time_ns() // 1000
    status, out, err = at.call("logs", run)
    assert (status, out, err) == (0, b"o1\no2\no3\n", b"e1\ne2\ne3\n")


def test_timestamps_are_before_each_line(at):
    run = at.sh("printf 'one\\ntw'; sleep 0.1; printf 'o\\n\\nend'; printf 'error\\n' >&2")
    at.wait(run)
    status, out, err = at.call("logs", "--timestamps", run)
    lines = out.decode().split("\n")
    assert status == 0 and [line[28:] for line in lines] == ["one", "two", "", "end"]
    for line in lines + err.decode().splitlines():
        time.strptime(line[:26], "%Y-%m-%dT%H:%M:%S.%f")
        assert line[26:28] == "Z "
    assert err.decode().endswith("Z error\n")


def test_json_is_a_text_per_record(at):
    """Letters that lie in two records are whole; what is no UTF-8 becomes U+FFFD."""
    run = at.detach("/usr/bin/python3", "-c", "import os,time\n"
                    "for b in 'a\u00e9\u20ac\U0001f600z'.encode(): os.write(1, bytes([b])); time.sleep(0.02)\n"
                    "os.write(2, b'bad \\xff\\xfe\\n'); time.sleep(0.05); os.write(1, b'\\xe2\\x82')")
    at.wait(run)
    status, out, _ = at.call("logs", "--json", run)
    items = [json.loads(line) for line in out.splitlines()]
    assert status == 0 and items[-1] == {"run": run, "complete": True}
    assert "".join(i["data"] for i in items[:-1] if i["stream"] == "stdout") == "a\u00e9\u20ac\U0001f600z\ufffd\ufffd"
    assert "".join(i["data"] for i in items[:-1] if i["stream"] == "stderr") == "bad \ufffd\ufffd\n"
    assert all(i["time_us"] > 1e15 for i in items[:-1])


def test_follow_from_the_start_and_after_the_end(at):
    run = at.sh("for i in 1 2 3 4 5; do echo $i; sleep 0.1; done", options=["-i"])
    followers = [at.start("logs", "--follow", run) for _ in range(4)]
    time.sleep(0.25)
    followers.append(at.start("logs", "--follow", run))
    for p in followers:
        out, err = p.communicate(timeout=50)
        assert (p.returncode, out, err) == (0, b"1\n2\n3\n4\n5\n", b"")
    assert at.logs(run, "--follow") == b"1\n2\n3\n4\n5\n", "after the end"


def test_a_follower_sees_each_line_at_once_and_does_not_spin(at):
    run = at.sh("while read x; do echo $x; done", options=["-i"])
    p = at.start("logs", "--follow", run)
    for word in (b"one\n", b"two\n", b"three\n"):
        assert at.call("input", run, data=word)[0] == 0
        begin = time.monotonic()
        assert p.stdout.readline() == word
        assert time.monotonic() - begin < pace.seconds(1)

    def woken():
        with open(f"/proc/{p.pid}/status", encoding="ascii") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("voluntary_ctxt_switches"))

    time.sleep(0.2)
    before = woken()
    time.sleep(0.5)
    assert woken() - before <= 1, "a follower with nothing to do sleeps"
    at.ok("kill", run)
    assert p.wait(50) == 0


def test_much_output_is_complete(at):
    """20 MiB in pieces of all sizes, while somebody follows; no byte is lost, none is twice."""
    run = at.detach("/usr/bin/python3", "-c", "import os\nn=0\nfor i in range(3000):\n"
                    " d=(b'%08d\\n' % i) * (1 + i * 7 % 1500)\n n+=len(d)\n os.write(1,d) if len(d)<5 else open(1,'wb',"
                    "buffering=0,closefd=False).write(d)\n")
    p = at.start("logs", "--follow", run, stderr=subprocess.DEVNULL)
    out = p.stdout.read()
    assert p.wait(50) == 0 and at.wait(run)[0] == 0
    want = b"".join(b"%08d\n" % i * (1 + i * 7 % 1500) for i in range(3000))
    assert out == want
    with open(at.project.parent / "out", "w+b") as f:
        assert at.call("logs", run, stdout=f)[0] == 0
        f.seek(0)
        assert f.read() == want, "to a file"
    os.remove(at.project.parent / "out")


def test_a_cap_keeps_head_and_tail(at):
    run = at.detach("/usr/bin/python3", "-c", "import sys\nfor i in range(100000): sys.stdout.write('%06d\\n' % i)",
                    options=["--output", "10000"])
    status, result = at.wait(run)
    out = at.logs(run).decode()
    assert status == 0 and result["truncated"]["stdout"] == 690000
    assert out.startswith("000000\n000001\n") and out.endswith("099998\n099999\n")
    assert out.count("[aisbx: 690000 bytes cut here]") == 1 and len(out) == 10000 + len("\n[aisbx: 690000 bytes cut here]\n")


def test_logs_of_what_was_not_detached(at):
    result = at.ok("run", "--", "true")
    assert "wrote nothing" in at.refused("ENOENT", "logs", result["run"])
    live = at.start("run", "--", "sh", "-c", "echo up; read x", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert live.stdout.readline() == b"up\n"
    run = at.ok("ps")["runs"][0]["run"]
    assert "was not detached" in at.refused("ENOENT", "logs", run)
    live.communicate(b"\n", timeout=60)
    assert at.logs(run) == b"up\n"


def test_a_damaged_log_is_told(at):
    run = at.sh("echo x")
    at.wait(run)
    log = at.state / "runs" / run / "log"
    log.write_bytes(HEAD.pack(1, 77, 3) + b"abc")
    assert "damaged" in at.refused("EBADMSG", "logs", run)
    log.write_bytes(HEAD.pack(1, 1, 300) + b"abc")  # as a supervisor leaves it that is killed while it writes
    assert at.logs(run) == b"abc" and at.logs(run, "--follow") == b"abc"


def test_a_full_disk_is_told_and_stops_nobody(at):
    """The log grows up to a limit on the size of files; what does not fit is counted."""
    run = subprocess.run(["sh", "-c", 'ulimit -f 64; exec "$0" run --detach -- sh -c "$1"', aisbx(),
                          "head -c 300000 /dev/zero; echo end >&2"], cwd=at.project, env=at.env, check=True,
                         stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
    run = run.stdout.decode().strip()
    status, result = at.wait(run)
    assert status == 0, result
    assert result["truncated"]["stdout"] > 0 and "log_error" in result
    assert result["truncated"]["stdout"] + len(at.logs(run)) == 300000


# Waiting and ending


@pytest.mark.parametrize("script,status,word", [("exit 0", 0, "ok"), ("exit 3", 3, "failed"), ("kill -9 $$", 137, "failed")])
def test_wait_exits_as_the_run(at, script, status, word):
    run = at.sh(script)
    assert at.wait(run)[0] == status
    got, result = at.wait(run)  # and again, long after
    assert got == status and result["status"] == word


def test_wait_of_a_deadline(at):
    run = at.detach("sleep", "60", options=["--timeout", "300ms"])
    status, result = at.wait(run)
    assert status == 124 and result["limit"]["kind"] == "wall_time"


def test_a_deadline_before_the_walls_are_up_is_the_runs_own(at):
    run = at.detach("sleep", "60", options=["--timeout", "1ms"])
    status, result = at.wait(run)
    assert status == 124 and result["limit"]["kind"] == "wall_time" and result["isolation"]["level"] == "none"
    assert at.logs(run) == b""


def test_wait_with_a_timeout(at):
    run = at.detach("sleep", "60")
    begin = time.monotonic()
    assert "has not ended" in at.refused("ETIMEDOUT", "wait", "--timeout", "300ms", run)
    assert 0.3 <= time.monotonic() - begin < pace.seconds(50)
    assert run in at.ps()


def test_wait_tells_what_was_written(at):
    """Of each stream the end, in whole letters; how much came before it; also of a run that goes on."""
    run = at.sh("echo first; echo second >&2; until [ -e go ]; do sleep 0.02; done")
    wait_until(lambda: at.logs(run).startswith(b"first"), 30, "its output")
    status, out, _ = at.call("wait", "--json", "--timeout", "100ms", "--output", "1m", run)
    result = json.loads(out)
    assert status == 125 and result["status"] == "running" and result["exit_code"] is None
    assert (result["stdout"], result["stderr"], result["truncated"]) == ("first\n", "second\n", {"stdout": 0, "stderr": 0})
    at.call("kill", run)
    run = at.sh("printf 'abc\\342\\202\\254\\342\\202\\254'; printf '\\377x' >&2; exit 3")
    status, out, _ = at.call("wait", "--json", "--output", "4", run)
    result = json.loads(out)
    assert status == 3 and result["status"] == "failed"
    assert (result["stdout"], result["truncated"]["stdout"]) == ("\u20ac", 5)
    assert (result["stderr"], result["truncated"]["stderr"]) == ("\ufffdx", 0)
    assert "stdout" not in json.loads(at.call("wait", "--json", run)[1])


def test_wait_has_the_end_of_much_output(at):
    run = at.sh("seq 1 300000")
    result = json.loads(at.call("wait", "--json", "--output", "64k", run)[1])
    whole = "".join(f"{n}\n" for n in range(1, 300001))
    assert result["stdout"] == whole[-65536:] and result["truncated"]["stdout"] == len(whole) - 65536


def test_wait_for_a_run_that_is_not_detached(at):
    p = at.start("run", "--", "sh", "-c", "sleep 0.5; exit 9")
    run = wait_until(lambda: next(iter(at.ps()), None), 30, "a run")
    assert at.ps()[run]["detached"] is False
    assert at.wait(run)[0] == 9 and p.wait(50) == 9


@pytest.mark.parametrize("op", [("wait",), ("logs",), ("kill",), ("pause",), ("resume",), ("input",), ("stats",),
                                ("exec", "--", "true")])
def test_unknown_runs(at, op):
    name, *rest = op
    for key in ("r-0123456789abcdef", "r-../../etc", "r-\u00e9"):
        assert "there is no run" in at.refused("ENOENT", name, key, *rest)
    assert at.refused("ENOENT" if name == "exec" else "EINVAL", name, "", *rest)


def test_ids_by_their_beginning(at):
    runs = [at.detach("sleep", "60") for _ in range(2)]
    assert at.ok("pause", runs[0][:10])["runs"] == [runs[0]]
    text = at.refused("EINVAL", "kill", "r-")
    assert "several runs begin with 'r-'" in text
    assert set(at.ps()) == set(runs), "an ambiguous id ends nothing"
    assert at.ok("kill", *[r[:12] for r in runs])["runs"] == runs
    assert at.wait(runs[1][:9])[1]["run"] == runs[1], "also of one that has ended"


def test_kill_ends_everything_and_waits_for_it(at):
    marker = uuid.uuid4().hex
    run = at.sh(f"trap '' TERM INT HUP; setsid sh -c 'trap \"\" TERM; sleep 60; : {marker}' & echo up; wait; sleep 60; : {marker}")
    at.until(run, b"up")
    wait_until(lambda: len(processes_with(marker)) >= 2, 30, "its children")
    at.ok("kill", run)
    assert processes_with(marker) == [] and run not in at.ps()
    status, result = at.wait(run)
    assert status == 137 and result["status"] == "interrupted" and result["signal"] == 9
    assert "has ended" in at.refused("ESRCH", "kill", run)


def test_kill_with_a_signal(at):
    run = at.sh("trap 'echo usr1' USR1; trap 'echo term; exit 5' TERM; echo up; while :; do sleep 0.01; done")
    at.until(run, b"up")
    for name in ("USR1", "SIGUSR1", "usr1", "10"):
        at.ok("kill", "--signal", name, run)
    at.until(run, b"usr1")
    assert run in at.ps()
    at.ok("kill", "-s", "TERM", run)
    status, result = at.wait(run)
    assert status == 5 and result["status"] == "interrupted"
    assert "no signal 'NONE'" in at.refused("EINVAL", "kill", "--signal", "NONE", run)
    assert "no signal '65'" in at.refused("EINVAL", "kill", "--signal", "65", run)


def test_a_typo_among_several_ends_none(at):
    run = at.detach("sleep", "60")
    at.refused("ENOENT", "kill", run, "r-0000000000000000")
    assert at.ps()[run]["state"] == "running"


def test_kill_while_starting(at):
    """As soon as it has a socket it can be ended, walls or not; nothing of it stays."""
    for _ in range(8):
        marker = uuid.uuid4().hex
        p = at.start("run", "--", "sh", "-c", "sleep 60; :", marker)
        live = at.state / "live"
        run = wait_until(lambda: next((n for n in (os.listdir(live) if live.exists() else []) if n.startswith("r-")), None),
                         30, "its socket")
        at.call("kill", run)
        assert p.wait(50) in (137, 125)
        assert processes_with(marker) == []


def test_killing_a_run_that_is_not_detached(at):
    p = at.start("run", "--json", "--", "sleep", "60")
    run = wait_until(lambda: next((r for r, s in at.ps().items() if s["state"] == "running"), None), 30, "a run")
    at.ok("kill", run)
    out, _ = p.communicate(timeout=50)
    assert p.returncode == 137 and json.loads(out)["status"] == "interrupted" and json.loads(out)["run"] == run


# When the supervisor is killed


@pytest.mark.parametrize("looks", ["ps", "wait", "logs", "gc", "stats"])
def test_a_killed_supervisor_leaves_no_process_and_a_record(at, looks):
    marker = uuid.uuid4().hex
    run = at.sh(f"trap '' TERM HUP; echo up; setsid sleep 60.{int(marker[:8], 16)} & sleep 60; : {marker}")
    at.until(run, b"up")
    pid = at.supervisor(run)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not processes_with(marker) and not processes_with(f"60.{int(marker[:8], 16)}"), 30, "the end of the box")
    wait_until(lambda: gone(pid), 30, "the end of the supervisor")
    assert (at.state / "live" / run).exists()
    leaks = json.loads(at.call("doctor", "--leaks", "--json")[1])["leaks"]
    assert leaks["dead_runs"] == 1 and any(run in line for line in leaks["found"])
    if looks == "wait":
        status, result = at.wait(run)
        assert status == 137 and result["status"] == "interrupted" and "killed" in result["error"]
    elif looks == "logs":
        assert at.logs(run, "--follow") == b"up\n"
    else:
        assert run not in json.dumps(at.ok(looks))
    assert not (at.state / "live" / run).exists()
    record = at.history(run)
    assert record["status"] == "interrupted" and marker in record["command"] and record["result"]["exit_status"] == 137
    leaks = json.loads(at.call("doctor", "--leaks", "--json")[1])["leaks"]
    assert leaks["dead_runs"] == 0 and not [line for line in leaks["found"] if run in line], leaks


def test_who_waits_and_follows_hears_of_a_killed_supervisor(at):
    run = at.sh("echo up; sleep 60")
    at.until(run, b"up")
    waiter, follower = at.start("wait", run), at.start("logs", "--follow", run)
    assert follower.stdout.readline() == b"up\n"
    os.kill(at.supervisor(run), signal.SIGKILL)
    assert waiter.wait(50) == 137
    assert follower.wait(50) == 0


@pytest.mark.big
def test_a_stopped_supervisor_makes_nobody_else_wait(at):
    """It is listed as what it is; its deadline holds all the same."""
    marker = uuid.uuid4().hex
    stopped, other = at.sh(f"sleep 60; : {marker}", options=["--timeout", "5s"]), at.detach("sleep", "60")
    pid = at.supervisor(stopped)
    os.kill(pid, signal.SIGSTOP)
    try:
        begin = time.monotonic()
        seen = at.ps()
        assert time.monotonic() - begin < pace.seconds(5)
        assert seen[stopped]["state"] == "unresponsive" and seen[other]["state"] == "running"
        wait_until(lambda: processes_with(marker) == [pid], 30, "its deadline")
    finally:
        os.kill(pid, signal.SIGCONT)
    assert at.wait(stopped)[0] == 124


# Pausing


def ticks(run, at):
    return len(at.logs(run))


@pytest.mark.parametrize("profile", PROFILES)
def test_pause_and_resume(at, profile):
    run = at.sh("while :; do echo .; sleep 0.01; done", options=["--profile", profile])
    at.until(run, b".")
    at.ok("pause", run)
    assert at.ps()[run]["state"] == "paused"
    before = ticks(run, at)
    time.sleep(0.3)
    assert ticks(run, at) == before, "somebody moves"
    assert "paused already" in at.refused("EALREADY", "pause", run)
    at.ok("resume", run)
    assert at.ps()[run]["state"] == "running"
    wait_until(lambda: ticks(run, at) > before, 30, "it goes on")
    assert "not paused" in at.refused("EALREADY", "resume", run)


def test_a_deadline_holds_while_paused(at):
    marker = uuid.uuid4().hex
    run = at.sh(f"setsid sh -c 'sleep 60; : {marker}' & sleep 60; : {marker}", options=["--timeout", "2s"])
    at.ok("pause", run)
    status, result = at.wait(run)
    assert status == 124 and result["limit"]["kind"] == "wall_time" and result["limit"]["used"] < 4000
    assert processes_with(marker) == []


def test_a_paused_run_can_be_killed(at):
    marker = uuid.uuid4().hex
    run = at.sh(f"sleep 60; : {marker}")
    at.ok("pause", run)
    at.ok("kill", run)
    assert processes_with(marker) == [] and at.wait(run)[0] == 137


def test_a_supervisor_killed_while_paused_leaves_nobody(at):
    marker = uuid.uuid4().hex
    run = at.sh(f"sleep 60; : {marker}")
    at.ok("pause", run)
    os.kill(at.supervisor(run), signal.SIGKILL)
    wait_until(lambda: not processes_with(marker), 30, "the end of the box")


def test_a_paused_box_takes_no_command_but_can_be_snapshotted(at):
    at.ok("create", "b")
    run = at.ok("run", "--detach", "--box", "b", "--", "sh", "-c", "echo x > f; while :; do sleep 0.01; done")["run"]
    wait_until(lambda: at.call("exec", "b", "--", "cat", "f")[1] == b"x\n", 30, "its file")
    at.ok("pause", run)
    assert "paused" in at.refused("EBUSY", "run", "--box", "b", "--", "true")
    assert "paused" in at.refused("EBUSY", "exec", run, "--", "true")
    at.ok("snap", "b", "s")
    assert at.ps()[run]["state"] == "paused"
    time.sleep(0.1)
    at.ok("resume", run)
    assert at.call("exec", "b", "--", "cat", "f")[1] == b"x\n"


def test_a_joined_commands_deadline_holds_while_its_box_is_paused(at):
    """And the others stay paused."""
    marker = uuid.uuid4().hex
    at.ok("create", "b")
    first = at.ok("run", "--detach", "--box", "b", "--", "sh", "-c", "while :; do echo .; sleep 0.01; done")["run"]
    at.until(first, b".")
    second = at.ok("run", "--detach", "--box", "b", "--timeout", "2s", "--", "sh", "-c", f"sleep 60; : {marker}")["run"]
    assert at.ps()[second]["joined"] is True
    at.ok("pause", first)
    assert "joined" in at.refused("EOPNOTSUPP", "pause", second)
    assert at.wait(second)[0] == 124
    assert processes_with(marker) == []
    time.sleep(1)
    before = ticks(first, at)
    time.sleep(0.3)
    assert ticks(first, at) == before and at.ps()[first]["state"] == "paused"


# Input


def test_input_comes_in_parts_until_it_is_closed(at):
    run = at.sh("while read x; do echo got $x; done; echo eof", options=["-i"])
    assert at.ok("input", run, data=b"one\n") == {"run": run, "bytes": 4, "closed": False}
    at.until(run, b"got one")
    assert at.ok("input", "--close", run, data=b"two\nthree\n")["closed"] is True
    assert at.wait(run)[0] == 0
    assert at.logs(run) == b"got one\ngot two\ngot three\neof\n"
    assert "has ended" in at.refused("ESRCH", "input", run, data=b"x")


def test_a_command_that_has_had_enough_before_its_input_is_closed(at):
    run = at.sh("read x; echo got $x", options=["-i"])
    feeder = at.start("input", "--close", "--json", run, stdin=subprocess.PIPE)
    feeder.stdin.write(b"one\n")
    feeder.stdin.flush()
    assert at.wait(run)[0] == 0
    out, err = feeder.communicate(timeout=60)
    assert feeder.returncode == 0 and json.loads(out) == {"run": run, "bytes": 4, "closed": True}, (out, err)


@pytest.mark.big
def test_a_signal_before_pid_1_is_known(at):
    """Both are there when the supervisor looks for the first time: what was born is killed, and who waits for a plan goes."""
    at.ok("create", "b")
    tracer = at.start("-qq", "-o", "/dev/null", "-e", "inject=sendmsg:delay_exit=2000000:when=1", "-e", "inject=kill:delay_exit=300000",
                      aisbx(), "run", "--json", "--box", "b", "--", "sleep", "300", executable="/usr/bin/strace")

    def children(pid, name):
        done = subprocess.run(["pgrep", "-x", "-P", str(pid), name], stdout=subprocess.PIPE, check=False)
        return [int(word) for word in done.stdout.split()]
    supervisor = wait_until(lambda: children(tracer.pid, "aisbx"))[0]
    wait_until(lambda: len(children(supervisor, "aisbx-jail")) == 2, what="pid 1 of the box")
    os.kill(supervisor, signal.SIGTERM)
    out, err = tracer.communicate(timeout=60)
    assert json.loads(out)["status"] == "interrupted", (out, err)
    assert at.ok("run", "--box", "b", "--", "echo", "on")["stdout"] == "on\n"


def test_a_run_that_ends_while_it_is_told_that_its_input_is_closed(at):
    run = at.sh("read x; echo got $x; sleep 60", options=["-i"])
    feeder = at.start("input", "--close", "--json", run, stdin=subprocess.PIPE)
    feeder.stdin.write(b"one\n")
    feeder.stdin.flush()
    at.until(run, b"got one")
    supervisor = at.ps()[run]["pid"]
    os.kill(supervisor, signal.SIGSTOP)  # so the question reaches it, and the answer never comes
    feeder.stdin.close()
    wait_until(lambda: any(os.path.realpath(f"/proc/{feeder.pid}/fd/{fd}").split("/")[-1].startswith("socket:")
                           for fd in os.listdir(f"/proc/{feeder.pid}/fd")), what="the question")
    os.kill(supervisor, signal.SIGKILL)
    feeder.stdin = None
    out, err = feeder.communicate(timeout=60)
    assert feeder.returncode == 0 and json.loads(out) == {"run": run, "bytes": 4, "closed": True}, (out, err)


def test_input_that_nobody_takes(at):
    run = at.sh("cat; echo end; sleep 60")
    at.until(run, b"end")  # without -i the input is empty
    assert "--detach -i" in at.refused("EOPNOTSUPP", "input", run, data=b"x")
    run = at.sh("exec <&-; echo up; sleep 60", options=["-i"])
    at.until(run, b"up")
    assert "has closed its input" in at.refused("EPIPE", "input", run, data=b"x")
    at.ok("input", "--close", run)
    assert "closed" in at.refused("EPIPE", "input", run, data=b"x")


def test_much_input(at):
    run = at.detach("sha256sum", options=["-i"])
    data = os.urandom(5 * MIB)
    at.ok("input", "--close", run, data=data)
    assert at.wait(run)[0] == 0
    assert at.logs(run).split()[0].decode() == hashlib.sha256(data).hexdigest()


# Commands that join


@pytest.mark.parametrize("options", [(), ("--profile", "strict"), ("--net", "loopback"), ("--without", "landlock"),
                                     ("--pids", "77", "--ro", "/etc:/mnt/etc")])
def test_exec_is_behind_the_walls_that_stand(at, options):
    run = at.sh("echo here > /tmp/f; echo up; sleep 60", options=options)
    at.until(run, b"up")
    result = at.ok("exec", run, "--", "sh", "-c", "cat /tmp/f; ps -e -o args=")
    assert result["stdout"].startswith("here\n") and "sleep 60" in result["stdout"]
    assert result["isolation"]["missing"] == (["landlock"] if "landlock" in options else [])
    assert at.history(result["run"])["status"] == "ok"
    # The box's own are not told: they may be others than those of its profile. Those of its processes hold for this one.
    files = int(at.ok("exec", run, "--", "sh", "-c", "ulimit -Hn")["stdout"])
    assert result["limits"].pop("files")["value"] == files
    largest = at.ok("exec", run, "--", "sh", "-c", "ulimit -Hf")["stdout"].strip()
    assert str(result["limits"].pop("file_size", {"value": "unlimited"})["value"]) == (
        largest if largest == "unlimited" else str(int(largest) * 512))
    assert result["limits"] == {"wall_time": {"value": 30000 if "strict" in options else 3600000, "by": "supervisor"},
                                "output": {"value": 4 << 20, "by": "supervisor"}}


def test_exec_by_box_and_its_status(at):
    at.ok("create", "b")
    assert "nothing runs in box 'b'" in at.refused("ESRCH", "exec", "b", "--", "true")
    run = at.ok("run", "--detach", "--box", "b", "--", "sh", "-c", "echo up; sleep 60")["run"]
    at.until(run, b"up")
    assert at.call("exec", "b", "--", "sh", "-c", "exit 4")[0] == 4
    assert at.call("exec", run, "--", "/no/such")[0] == 127
    assert at.call("exec", "--timeout", "200ms", "b", "--", "sleep", "60")[0] == 124
    assert at.call("exec", "b", "--", "cat", data=b"through")[1] == b"through"
    at.ok("rename", "b", "r-box")  # a box may be called like a run
    assert at.call("exec", "r-box", "--", "echo", "hi")[1] == b"hi\n"
    at.ok("rename", "r-box", "b")
    joined = at.ok("run", "--detach", "--box", "b", "--", "sleep", "60")["run"]
    assert "sleep 60" in at.ok("exec", joined, "--", "ps", "-e", "-o", "args=")["stdout"]
    at.ok("kill", run, joined)
    assert "has ended" in at.refused("ESRCH", "exec", run, "--", "true")


# Stats


def test_stats_tell_what_is_used(at):
    busy = at.sh("head -c 3000000 /dev/zero > /tmp/x; echo up; while :; do :; done")
    idle = at.detach("sleep", "60")
    at.until(busy, b"up")

    def look():
        runs = {r["run"]: r for r in at.ok("stats")["runs"]}
        # Without a control group time is counted in ticks: of a short moment the share may be seen as nothing.
        return runs if runs[busy]["cpu_ms"] > 100 and runs[busy]["cpu_percent"] > 15 > runs[idle]["cpu_percent"] else None

    runs = wait_until(look, 30, "a busy and an idle run")
    assert 3000000 <= runs[busy]["disk"] < 4 * MIB and runs[idle]["disk"] < MIB
    assert runs[idle]["pids"] == 2 and 0 < runs[idle]["mem"] < 64 * MIB
    assert runs[busy]["output"] == {"stdout": 3, "stderr": 0}
    assert runs[busy]["mem_peak"] >= runs[busy]["mem"] * 0.9
    at.ok("kill", busy)
    usage = at.history(busy)["result"]["usage"]
    assert usage["mem_peak"] >= runs[busy]["mem_peak"] * 0.9 > 0 and usage["pids_peak"] >= 2 and usage["cpu_ms"] >= runs[busy]["cpu_ms"]


def test_stats_follow_until_the_end(at):
    run = at.sh("sleep 1")
    status, out, _ = at.call("stats", "--json", "--follow", "--interval", "100ms", run)
    looks = [json.loads(line) for line in out.splitlines()]
    assert status == 0 and len(looks) > 4 and looks[-1]["runs"] == []
    assert all(look["runs"][0]["run"] == run for look in looks[:-1])
    walls = [look["runs"][0]["wall_ms"] for look in looks[:-1]]
    assert walls == sorted(walls)
    assert "interval must be" in at.refused("EINVAL", "stats", "--interval", "1ms")


# Many, and cleaning up


def test_fifty_at_once(at):
    with ThreadPoolExecutor(16) as pool:
        runs = list(pool.map(lambda i: at.sh(f"echo {i}; read x; exit {i}", options=["-i"]), range(50)))
        assert len(set(runs)) == 50 and set(at.ps()) == set(runs)
        assert all(r["state"] == "running" for r in at.ps().values())
        waits = [pool.submit(at.wait, run) for run in runs[:8]]
        list(pool.map(lambda run: at.ok("input", run, data=b"\n"), runs))
        assert [w.result()[0] for w in waits] == list(range(8))
        assert [s for s, _ in pool.map(at.wait, runs)] == list(range(50))
        assert list(pool.map(at.logs, runs)) == [b"%d\n" % i for i in range(50)]
    assert at.ps() == {}


def test_gc_keeps_a_week_and_a_gigabyte(at):
    old, new, live = at.sh("echo old"), at.sh("echo new"), at.sh("echo live; sleep 60")
    at.wait(old)
    at.wait(new)
    at.until(live, b"live")
    runs = at.state / "runs"
    week = time.time() - 8 * 86400
    named = {os.readlink(runs / name): name for name in os.listdir(runs) if "@" in name}
    for run in (old, live):
        for name in os.listdir(runs / run):
            os.utime(runs / run / name, (week, week))
        os.utime(runs / named[run], (week, week), follow_symlinks=False)
    assert at.ok("gc")["logs"] == 1
    left = {new, live, named[new], named[live]}
    assert set(os.listdir(runs)) == left, "not the one that lives, however old"
    assert at.logs(old) == b"old\n", "the kept output is there"
    assert at.history(old)["status"] == "ok" and at.wait(old)[0] == 0
    # Two that are too large together: the older goes.
    for run, age in ((old, 200), (new, 100)):
        (runs / run).mkdir(exist_ok=True, mode=0o700)
        with open(runs / run / "log", "wb") as f:
            os.posix_fallocate(f.fileno(), 0, 600 * MIB)
        os.utime(runs / run / "log", (time.time() - age,) * 2)
    assert at.ok("gc")["logs"] == 1
    assert set(os.listdir(runs)) == left


def test_a_strange_guest_does_not_disturb(at):
    """Who connects and says nothing, or nonsense, or too much, is sent away; the run goes on and answers others."""
    run = at.detach("sleep", "60")
    live = os.open(at.state / "live", os.O_RDONLY)
    path = f"/proc/self/fd/{live}/{run}"  # however long the name of the directory is
    silent = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(3)]
    for s in silent:
        s.connect(path)
    for words in (b"", b"x", b"\0" * 4096, b"\xff" * 100000):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.connect(path)
            s.send(words)
    for s in silent:
        s.close()
    os.close(live)
    wait_until(lambda: at.ps()[run]["state"] == "running", 30, "an answer")
    assert at.ok("kill", run)["runs"] == [run]
