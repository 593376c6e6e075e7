# SPDX-License-Identifier: Apache-2.0
"""Boxes while they live: further commands join, a snapshot is taken under a running program.

Runs as root and as an ordinary user, with both profiles: the boxes are built differently.
"""
import fcntl
import json
import os
import pty
import select
import signal
import socket
import stat
import subprocess
import textwrap
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

import pace
from box import IS_ROOT, PROFILES, aisbx, need, processes_with, wait_until

PYTHON = "/usr/bin/python3"


class Live:
    """A box of its own state directory, and a first command in it that ends when it is told to."""

    def __init__(self, root, profile):
        self.root, self.profile = root, profile
        self.project = root / "project"
        self.project.mkdir()
        self.state = root / "state" / "aisbx"
        (root / "home").mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state.parent), "HOME": str(root / "home")}
        self.started = []
        self.box = self.ok("create", "b", "--profile", profile)["id"]

    def start(self, *words, **popen):
        p = subprocess.Popen([aisbx(), *map(os.fspath, words)], cwd=self.project, env=self.env,
                             **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                                **popen})
        self.started.append(p)
        return p

    def call(self, op, *words, timeout=60):
        p = self.start(op, "--json", *words)
        out, err = p.communicate(timeout=timeout)
        try:
            return p.returncode, json.loads(out)
        except ValueError:
            raise AssertionError(f"{op} {words}: no JSON but {out[:500]!r}, {err[:500]!r}") from None

    def ok(self, op, *words, **kw):
        status, result = self.call(op, *words, **kw)
        assert status == 0, f"{op} {words}: {status}, {result}"
        return result

    def refused(self, code, op, *words):
        status, result = self.call(op, *words)
        assert status == 125 and result["status"] == "error", f"{op} {words} was not refused: {status}, {result}"
        assert result["error"]["code"] == code, result
        return result["error"]["text"]

    def run(self, *words, options=(), **kw):
        """(exit status, result) of a command in the box."""
        status, result = self.call("run", "--box", "b", *options, "--", *words, **kw)
        assert "isolation" in result, result
        return status, result

    def sh(self, script, want=0, options=(), **kw):
        status, result = self.run("sh", "-ec", script, options=options, **kw)
        assert status == want, result
        return result["stdout"]

    def first(self, script="echo up; read x", options=(), **popen):
        """The first command; it has said "up" when this returns."""
        p = self.start("run", "--box", "b", "--timeout", "60s", *options, "--", "sh", "-c", script,
                       **{"stdin": subprocess.PIPE, **popen})
        assert p.stdout.readline() == b"up\n", p.stderr.read()
        return p

    def joined(self, script, options=(), prepare=":"):
        """A joined command that has said "up"."""
        p = self.start("run", "--box", "b", *options, "--", "sh", "-c", f"{prepare}; echo up; {script}",
                       stdin=subprocess.PIPE)
        assert p.stdout.readline() == b"up\n", p.stderr.read()
        return p

    def socket(self):
        return self.state / "live" / self.box

    def finish(self):
        for p in self.started:
            if p.poll() is None:
                p.kill()
            p.wait()
            for f in (p.stdin, p.stdout, p.stderr):
                if f:
                    f.close()


def end(p, word=b"\n", want=0):
    out, err = p.communicate(word, timeout=50)
    assert p.returncode == want, (p.returncode, out, err)
    return out


@pytest.fixture(name="live", params=PROFILES)
def fixture_live(tmp_path, request):
    made = Live(tmp_path, request.param)
    yield made
    made.finish()
    assert os.listdir(made.project) == [], "the box's changes reached the host"


@pytest.fixture(name="dev")
def fixture_dev(tmp_path):
    """Where the profile makes no difference."""
    made = Live(tmp_path, "dev")
    yield made
    made.finish()


def test_a_second_command_joins(live):
    first = live.first("echo here > f; echo up; read x; cat g; echo $x")
    assert live.sh("cat f; echo there > g") == "here\n"
    assert live.sh("cat g; ps -e -o args=").startswith("there\n")
    assert "read x" in live.sh("ps -e -o args=")
    assert end(first, b"end\n") == b"there\nend\n"
    assert live.sh("cat f g") == "here\nthere\n", "what both wrote stays in the box"
    assert not live.socket().exists()


WALLS = r"""
import json, os, resource
status = dict(l.rstrip("\n").split(":\t", 1) for l in open("/proc/self/status") if ":\t" in l)
print(json.dumps({
    **{k: status[k] for k in ("Seccomp", "Seccomp_filters", "NoNewPrivs", "CapInh", "CapPrm", "CapEff", "CapBnd",
                              "CapAmb", "Uid", "Gid", "Groups", "SigBlk", "SigIgn")},
    **{n: os.readlink("/proc/self/ns/" + n) for n in os.listdir("/proc/self/ns")},
    "uid_map": open("/proc/self/uid_map").read(), "gid_map": open("/proc/self/gid_map").read(),
    "mounts": open("/proc/self/mountinfo").read(), "root": os.stat("/").st_dev, "cwd": os.getcwd(),
    "limits": [resource.getrlimit(i) for i in range(16)], "umask": os.umask(0), "host": os.uname().nodename,
    "env": sorted(k for k in os.environ), "fds": sorted(int(f) for f in os.listdir("/proc/self/fd"))[:-1],
    "oom": open("/proc/self/oom_score_adj").read(), "nice": os.nice(0), "dumpable": os.stat("/proc/self/exe").st_uid,
}))
"""


def test_walls_of_the_joined_are_those_of_the_first(live):
    """Everything the kernel tells a process about its own walls, compared."""
    words = [PYTHON, "-c", WALLS]
    first = live.start("run", "--box", "b", "--", "sh", "-c", '"$@"; exec sleep 60', "sh", *words)
    told = json.loads(first.stdout.readline())
    status, result = live.run("sh", "-c", '"$@"; true', "sh", *words)
    assert status == 0, result
    assert json.loads(result["stdout"]) == told
    assert told["fds"] == [0, 1, 2] and told["Seccomp"] == "2" and told["NoNewPrivs"] == "1"
    assert result["isolation"]["level"] == "full" and not result["isolation"]["missing"]
    # Alone in the box the same command tells the same but for names of namespaces and mounts, which are new.
    first.kill()
    first.wait()
    status, alone = live.run(*words)
    assert alone["isolation"] == result["isolation"]


def test_landlock_holds_for_the_joined(live):
    """What only Landlock refuses: changing a mount where one has every capability; and the root is not writable
    where the profile says so."""
    first = live.first()
    status, result = live.run(PYTHON, "-c", textwrap.dedent("""
        import ctypes, errno, os
        libc = ctypes.CDLL(None, use_errno=True)
        # A new ruleset on top of 16 fails with E2BIG: count how many layers there are already.
        n = 0
        attr = (ctypes.c_uint64 * 1)(1)
        fd = libc.syscall(444, attr, 8, 0)
        assert fd >= 0, os.strerror(ctypes.get_errno())
        while libc.syscall(446, fd, 0) == 0:
            n += 1
        print(n, errno.errorcode[ctypes.get_errno()])
        """))
    assert status == 0 and result["stdout"].split() == ["15", "E2BIG"], result
    end(first)


def test_exit_statuses_and_streams(live):
    first = live.first()
    for script, want in (("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143)):
        assert live.run("sh", "-c", script)[0] == want, script
    status, result = live.run("sh", "-c", "echo out; echo err >&2; cat")
    assert status == 0 and (result["stdout"], result["stderr"]) == ("out\n", "err\n")
    status, result = live.run("/nope")
    assert status == 127 and result["status"] == "error" and "/nope" in result["error"]
    status, result = live.run("true", options=["--cwd", "/nope"])
    assert status == 126 and "/nope" in result["error"]
    piped = live.start("run", "--box", "b", "--", "sh", "-c", "read a; echo $a; exec cat", stdin=subprocess.PIPE)
    assert piped.communicate(b"one\n" + b"x" * 300000, timeout=50)[0] == b"one\n" + b"x" * 300000
    status, result = live.run("sh", "-c", "yes | head -c 100000", options=["--output", "10"])
    assert result["truncated"]["stdout"] == 100000 - 10
    end(first)


def test_environment_and_directory_are_the_joiners(live):
    first = live.first(options=["--env", "MINE=first"])
    assert live.sh("echo ${MINE-unset} $YOURS; pwd", options=["--env", "YOURS=second", "--cwd", "/usr"]) == \
        "unset second\n/usr\n"
    long = "x" * 100000
    assert live.sh("echo ${#LONG}", options=["--env", "LONG=" + long]) == "100000\n"
    many = [f"{i}-" + "y" * 1000 for i in range(1000)]
    status, result = live.run("sh", "-c", 'echo $#; echo ${1000}', "sh", *many)
    assert status == 0 and result["stdout"].split()[0] == "1000"
    end(first)


def test_numbers_are_the_commands_own(live):
    first = live.first()
    status, result = live.run(PYTHON, "-c", "s = bytearray(30 << 20); n = 0\nfor i in range(10**7): n += i")
    assert status == 0 and result["usage"]["cpu_ms"] > 100 and result["usage"]["mem_peak"] > 30 << 20
    end(first)
    history = live.ok("history")["runs"]
    assert {r["command"].split()[0] for r in history} == {"sh", PYTHON} and all(r["box"] == live.box for r in history)


@pytest.mark.big
def test_the_first_does_not_count_the_joined(live):
    first = live.start("run", "--json", "--box", "b", "--", "sh", "-c", "sleep 0.3; echo done")
    wait_until(live.socket().exists, what="the first command")
    busy = live.start("run", "--json", "--box", "b", "--", PYTHON, "-c",
                      "import time\nwhile time.process_time() < 2: pass")
    out, _ = first.communicate(timeout=50)
    result = json.loads(out)
    assert json.loads(busy.communicate(timeout=50)[0])["usage"]["cpu_ms"] > 1800
    assert result["stdout"] == "done\n" and result["usage"]["cpu_ms"] < 500
    assert 300 <= result["usage"]["wall_ms"] < 1900, "the first command's own time, without its wait for the others"


def test_signals_reach_the_joined_alone(live):
    first = live.first("trap 'echo first hit' TERM INT; echo up; read x; echo $x")
    second = live.joined("while :; do sleep 0.01; done", prepare="trap 'echo hit; exit 5' TERM")
    second.send_signal(signal.SIGTERM)
    assert end(second, None, want=5) == b"hit\n"
    deaf = live.joined("while :; do sleep 0.01; done", prepare="trap '' TERM INT")
    deaf.send_signal(signal.SIGTERM)
    deaf.send_signal(signal.SIGINT)
    assert deaf.wait(50) in (130, 143)
    assert end(first, b"untouched\n") == b"untouched\n"


def alive(marker):
    """Processes with MARKER that are no aisbx."""
    found = []
    for pid in processes_with(marker):
        try:
            if "aisbx" not in os.readlink(f"/proc/{pid}/exe"):
                found.append(pid)
        except PermissionError:  # another user's, so one of a box of root
            found.append(pid)
        except OSError:
            pass
    return found


# Leaves its session, its parent and its signals behind, and makes children while it is hunted.
RESISTS = """
import os, signal, sys, time
for s in range(1, 65):
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
def child():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            return True
        os._exit(0)
for _ in range(4):
    try:
        if child(): break
    except OSError: pass  # the limit is reached already
print("up", flush=True) if os.getsid(0) != os.getpid() else None
end = time.time() + 60
while time.time() < end:
    if FORK:
        try:
            if os.fork() == 0 and os.fork() == 0: continue
        except OSError: pass
        try: os.waitpid(-1, os.WNOHANG)
        except OSError: pass
    time.sleep(0.001)
"""


# Enough of them to be hard to catch, not so many that the machine has nothing left for others.
MANY = ("--pids", "200")


@pytest.mark.quiet
@pytest.mark.parametrize("forks", (0, 1))
def test_nothing_of_the_joined_outlives_its_deadline(live, forks):
    """E4 for each command: the first goes on, the joined is gone with all it started."""
    marker = uuid.uuid4().hex
    first = live.first(options=MANY)
    began = time.monotonic()
    status, result = live.run(PYTHON, "-c", RESISTS.replace("FORK", str(forks)), marker,
                              options=["--timeout", "1s", *MANY], timeout=50)
    assert status == 124 and result["status"] == "limit" and result["limit"]["kind"] == "wall_time"
    assert time.monotonic() - began < pace.seconds(5)
    assert alive(marker) == []
    assert first.poll() is None
    assert live.sh("echo still here", options=MANY) == "still here\n"
    end(first)


def test_nothing_of_the_joined_outlives_its_command(live):
    marker = uuid.uuid4().hex
    first = live.first()
    status, _ = live.run(PYTHON, "-c", "import os,sys,time\nif os.fork(): sys.exit(3)\nos.setsid()\ntime.sleep(60)", marker)
    assert status == 3 and alive(marker) == [] and first.poll() is None
    end(first)


def test_nothing_of_the_joined_outlives_its_supervisor(live):
    marker = uuid.uuid4().hex
    first = live.first()
    p = live.start("run", "--box", "b", "--", PYTHON, "-c", RESISTS.replace("FORK", "0"), marker)
    wait_until(lambda: len(alive(marker)) >= 4, what="the joined command")
    p.kill()
    p.wait()
    wait_until(lambda: alive(marker) == [], 3, "the end of the joined command")
    assert first.poll() is None and live.sh("echo on") == "on\n"
    end(first)


def test_a_stopped_supervisor_does_not_save_the_joined(live):
    """The keeper inside knows the deadline as well."""
    marker = uuid.uuid4().hex
    first = live.first()
    p = live.start("run", "--box", "b", "--timeout", "1s", "--", PYTHON, "-c", RESISTS.replace("FORK", "0"), marker)
    wait_until(lambda: len(alive(marker)) >= 4, what="the joined command")
    p.send_signal(signal.SIGSTOP)
    wait_until(lambda: alive(marker) == [], 30, "the end of the joined command")
    p.send_signal(signal.SIGCONT)
    assert p.wait(50) in (124, 137) and first.poll() is None
    end(first)


def test_a_keeper_that_is_stopped_or_killed_from_inside(live):
    """Then nobody can tell whose processes are whose: the box ends rather than a deadline."""
    for script in ("for p in $(pidof aisbx-jail); do [ $p = 1 ] || kill -%s $p; done; sleep 60" % s for s in ("STOP", "KILL")):
        marker = uuid.uuid4().hex
        first = live.first()
        began = time.monotonic()
        status, result = live.run("sh", "-c", script, marker, options=["--timeout", "1s"])
        assert status in (124, 137), result
        assert time.monotonic() - began < pace.seconds(50)
        wait_until(lambda marker=marker: alive(marker) == [], 30, "the end of all")
        assert first.wait(50) == 137


def test_the_first_ends_before_the_joined(live):
    """It waits for them, its leftovers do not; its result is its own."""
    first = live.first("setsid sleep 61 & echo up; read x; exit 4")
    second = live.joined("read x; echo $x; ps -e -o args= | grep -c '[s]leep 61'; true")
    first.stdin.close()
    time.sleep(0.2)
    assert first.poll() is None, "it did not wait for the joined"
    third = live.sh("echo more may come")  # and the lock is still the first's
    assert third == "more may come\n"
    assert end(second, b"after\n") == b"after\n0\n", "a process of the first outlived it"
    assert first.wait(50) == 4
    assert live.sh("echo again") == "again\n"


def test_a_person_is_told_why_the_first_waits(dev):
    master, slave = pty.openpty()
    first = dev.first(stderr=slave)
    second = dev.joined("read x")
    first.stdin.close()
    text = read_until(master, b"joined")
    assert b"joined its box goes on" in text
    first.send_signal(signal.SIGINT)  # enough of waiting
    assert first.wait(50) == 1, "the status of its read"
    assert second.wait(50) == 137
    os.close(master)
    os.close(slave)


@pytest.mark.quiet
def test_the_first_ones_deadline_leaves_the_joined(live):
    marker = uuid.uuid4().hex
    first = live.start("run", "--box", "b", "--timeout", "3s", *MANY, "--", "sh", "-c",
                       'echo up > up; echo up; while [ -e up ]; do sleep 0.01; done; exec "$@"', "sh", PYTHON, "-c",
                       RESISTS.replace("FORK", "1"), marker)
    assert first.stdout.readline() == b"up\n"
    second = live.joined("rm up; read x; echo $x", options=MANY)
    assert first.stdout.readline().startswith(b"up"), "its children, who may say it at once"
    wait_until(lambda: alive(marker) == [], 30, "the end of the first command")
    assert first.poll() is None
    assert end(second, b"I am well\n") == b"I am well\n"
    assert first.wait(50) == 124


def test_the_first_supervisor_is_killed(live):
    first = live.first()
    second = live.start("run", "--json", "--box", "b", "--", "sh", "-c", "echo up; exec sleep 60")
    wait_until(lambda: "sleep 60" in live.sh("ps -e -o args="), what="the joined command")
    first.kill()
    out, _ = second.communicate(timeout=50)
    result = json.loads(out)
    assert second.returncode == 137 and result["status"] == "interrupted" and result["stdout"] == "up\n"
    # What it left of its socket is in nobody's way.
    assert live.socket().exists()
    assert live.sh("echo new life") == "new life\n"
    assert not live.socket().exists()


def test_walls_cannot_be_changed(live):
    other = next(p for p in PROFILES if p != live.profile)
    net = "none" if live.profile == "dev" else "loopback"
    first = live.first()
    for options, words in ((["--profile", other], f"--profile {other}"), (["--net", net], f"--net {net}"),
                           (["--pids", "33"], "--pids 33"), (["--files", "99"], "--files 99"),
                           (["--ro", "/usr:/mnt"], "--ro /usr:/mnt"), (["--rw", "/usr:/mnt"], "--rw /usr:/mnt"),
                           (["--hide", "/usr"], "--hide /usr"), (["--without", "landlock"], "--without landlock")):
        text = live.refused("EBUSY", "run", "--box", "b", *options, "--", "true")
        assert f"'{words}'" in text and "live" in text and "fork" in text, text
    end(first)
    # The same options are fine, and fewer are not: nobody gets fewer walls than he asked for.
    options = ["--net", net, "--ro", "/usr:/opt", "--pids", "50"]
    first = live.first(options=options)
    assert live.sh("ls /opt", options=options) == live.sh("ls /usr", options=options)
    assert f"--net {net}" in live.refused("EBUSY", "run", "--box", "b", "--", "true")
    end(first)
    first = live.first(options=["--without", "landlock"])
    assert "'--without landlock'" in live.refused("EBUSY", "run", "--box", "b", "--", "true")
    status, result = live.run("true", options=["--without", "landlock"])
    assert status == 0 and result["isolation"]["missing"] == ["landlock"]
    end(first)


def test_other_operations_wait_or_are_refused(dev):
    dev.ok("snap", "b", "s")
    first = dev.first()
    for words in (("rollback", "b", "s"), ("rm", "b"), ("promote", "b", "--yes")):
        began = time.monotonic()
        assert "in use" in dev.refused("EBUSY", *words)
        assert time.monotonic() - began < pace.seconds(1.5), "a run can take hours: nobody waits for it"
    end(first)
    lock = open(dev.state / "locks" / dev.box, "w")
    subprocess.run(["flock", "-n", str(lock.fileno())], pass_fds=[lock.fileno()], check=True)
    began = time.monotonic()
    assert "in use" in dev.refused("EBUSY", "run", "--box", "b", "--", "true")
    assert 1.5 < time.monotonic() - began < pace.seconds(10)
    waiting = dev.start("run", "--box", "b", "--", "echo", "patient")
    time.sleep(0.2)
    lock.close()
    assert end(waiting, None) == b"patient\n"


def test_twenty_at_once(live):
    first = live.first("echo up; read x; cat f* | sort -n")
    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(lambda i: live.sh(f"echo {i} > f{i}; echo {i}; sleep 0.1"), range(20)))
    assert done == [f"{i}\n" for i in range(20)]
    assert end(first) == "".join(f"{i}\n" for i in range(20)).encode()


@pytest.mark.big
def test_boxes_end_while_others_knock(dev):
    """Whoever comes: it is the first, or it joins; never an error, never a lost line."""
    def many(who):
        for i in range(15):
            dev.sh(f"echo {who}-{i} >> log")
        return True
    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(many, range(6)))
    assert sorted(dev.sh("cat log").split()) == sorted(f"{w}-{i}" for w in range(6) for i in range(15))
    assert not dev.socket().exists() and os.listdir(dev.state / "live") == []


def test_no_process_left_for_a_keeper(tmp_path):
    live = Live(tmp_path, "strict")
    try:
        first = live.start("run", "--box", "b", "--pids", "8", "--", PYTHON, "-c", textwrap.dedent("""
            import os, time
            try:
                while os.fork(): pass
            except OSError:
                print("up", flush=True)
            time.sleep(60)
            """))
        assert first.stdout.readline() == b"up\n"
        status, result = live.call("run", "--box", "b", "--pids", "8", "--", "true")
        assert status == 125 and "limit" in result["error"]["text"], result
        assert first.poll() is None
    finally:
        live.finish()


def read_until(fd, marker, seconds=30):
    text, end = b"", pace.Deadline(seconds)
    while marker not in text:
        assert not end.is_over(), text
        if select.select([fd], [], [], 0.1)[0]:
            try:
                text += os.read(fd, 4096)
            except OSError:
                break
    assert marker in text, text
    return text


def test_a_terminal_of_its_own(live):
    first = live.first()
    master, slave = pty.openpty()
    p = subprocess.Popen([aisbx(), "run", "-it", "--box", "b", "--", "sh"], cwd=live.project, env=live.env,
                         stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    live.started.append(p)
    os.close(slave)
    os.write(master, b"tty; echo pid-$$-; stty size; ps -o tty= -p $$\n")
    text = read_until(master, b"pts/", 10)
    os.write(master, b"trap 'echo caught' INT; echo ready-$((1+1))\n")
    read_until(master, b"ready-2")
    os.write(master, b"sleep 60\n")
    wait_until(lambda: "sleep 60" in live.sh("ps -e -o args="), what="the sleep")
    os.write(master, b"\x03")
    read_until(master, b"caught")
    os.write(master, b"exit 6\n")
    assert p.wait(50) == 6, text
    # And both at once: the first with one, too.
    end(first)
    os.close(master)


def test_two_terminals(dev):
    both = []
    for i in range(2):
        master, slave = pty.openpty()
        p = subprocess.Popen([aisbx(), "run", "-it", "--box", "b", "--", "sh"], cwd=dev.project, env=dev.env,
                             stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        dev.started.append(p)
        os.close(slave)
        os.write(master, b"tty; echo ready-$((1+1))\n")
        assert b"/dev/pts/%d" % i in read_until(master, b"ready-2")
        both.append((p, master))
    os.write(both[0][1], b"exit 3\n")  # the first: it waits, with its terminal put back
    read_until(both[0][1], b"goes on")
    os.write(both[1][1], b"echo still-$((1+1)); exit 4\n")
    read_until(both[1][1], b"still-2")
    assert both[1][0].wait(50) == 4 and both[0][0].wait(50) == 3
    for _, master in both:
        os.close(master)


# The socket is nobody else's.

def test_the_socket_is_private(dev):
    first = dev.first()
    assert stat.S_IMODE(os.stat(dev.socket()).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(dev.socket().parent).st_mode) == 0o700
    assert dev.sh(f"ls {dev.state} 2>&1 || true; ls {dev.socket()} 2>/dev/null || echo none").endswith("none\n")
    end(first)


def test_a_long_path_to_the_state(tmp_path):
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    live = Live(deep, "dev")
    try:
        first = live.first()
        assert live.sh("echo joined") == "joined\n" and live.socket().exists()
        end(first)
    finally:
        live.finish()


def test_nonsense_on_the_socket(dev):
    """Whatever is said to it: the supervisor goes on, and others can join."""
    first = dev.first()
    for data, fds in ((b"", []), (b"x", []), (b"\x01" * 5000, [0, 1, 2]), (b"\x01\0\0\0\x01\0\0\0" + b"\0" * 504, []),
                      (b"\x01\0\0\0\x01\0\0\0" + b"\0" * 504, [0] * 20), (b"\x02\0\0\0\x09\0\0\0" + b"\0" * 504, []),
                      (b"\x63\0\0\0\x01\0\0\0" + b"\0" * 504, [0])):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            here = os.open(dev.socket().parent, os.O_PATH)
            s.connect(f"/proc/self/fd/{here}/{dev.box}")
            os.close(here)
            if data:
                socket.send_fds(s, [data], fds)
        assert dev.sh("echo well") == "well\n"
    silent = []
    for _ in range(3):  # who says nothing holds others up for a while, not for ever
        silent.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        here = os.open(dev.socket().parent, os.O_PATH)
        silent[-1].connect(f"/proc/self/fd/{here}/{dev.box}")
        os.close(here)
    silent.pop().close()
    silent.pop().close()
    assert dev.sh("echo well", timeout=50) == "well\n"
    silent.pop().close()
    fds = os.listdir(f"/proc/{first.pid}/fd")
    dev.sh("true")
    assert len(os.listdir(f"/proc/{first.pid}/fd")) <= len(fds), "a descriptor stayed with the supervisor"
    end(first)


def test_a_forged_plan(dev):
    """A plan that is not sealed, or wants other walls, does not get past pid 1, whoever the supervisor let in."""
    first = dev.first()
    # The text of the walls as aisbx itself sends it: by listening in its place.
    live = dev.socket()
    live.rename(live.with_suffix(".away"))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    os.chdir(live.parent)
    listener.bind(live.name)
    listener.listen(1)
    p = dev.start("run", "--box", "b", "--", "true")
    conn, _ = listener.accept()
    message, fds, _, _ = socket.recv_fds(conn, 70000, 20)
    conn.close()
    listener.close()
    live.unlink()
    live.with_suffix(".away").rename(live)
    p.wait(50)
    assert len(fds) == 5
    good = os.pread(fds[1], 1 << 20, 0)
    assert b"--profile dev\0" in message

    def attempt(plan, seal=True):
        mem = os.memfd_create("plan", os.MFD_ALLOW_SEALING)
        os.write(mem, plan)
        if seal:
            fcntl.fcntl(mem, 1033, 0xf)  # F_ADD_SEALS
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        null = os.open("/dev/null", os.O_RDWR)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.connect(live.name)
            socket.send_fds(s, [message], [b.fileno(), mem, null, null, null])
            assert s.recv(1000)
        b.close()
        os.close(mem)
        os.close(null)
        a.settimeout(50)
        got = a.recv(4096)
        a.close()
        return got

    READY, FAILED = b"\x03\0\0\0", b"\x02\0\0\0"
    assert attempt(good)[:4] == READY
    assert attempt(good, seal=False)[:4] == FAILED
    assert attempt(good[:-8])[:4] == FAILED
    for at in range(16, 56):  # the order and the capabilities: not one bit may differ, but for the terminal
        forged = bytearray(good)
        forged[at] ^= 0x80
        assert attempt(bytes(forged))[:4] == FAILED, at
    assert dev.sh("echo well") == "well\n"
    os.chdir("/")
    end(first)


# Snapshots of a live box.

def snapshot(live, name, files):
    """What FILES hold in snapshot NAME, seen from a fork of it."""
    fork = live.ok("fork", f"b@{name}", "--name", "fork-" + name)
    status, result = live.call("run", "--box", fork["boxes"][0]["id"], "--", "cat", *files)
    assert status == 0, result
    return result["stdout"]


# Each round goes to two pairs of files: into the first pair a, then b, into the second d, then c. So whatever order a
# copy that does not stop us takes, in one of the pairs it finds the second file ahead of the first. With rests between: as fast
# as they can, two of them fill the 100 MiB of 'strict' (EDQUOT) before a busy machine has taken four snapshots.
PAIRS = """
import itertools, os, time
fds = {n: os.open(n, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644) for n in "abcd"}
print("up", flush=True)
for i in itertools.count():
    for n in "abdc":
        os.write(fds[n], b"0123456789abcde\\n" * PAD)
    if i % 4 == 3:
        time.sleep(0.004)
"""


def test_a_snapshot_under_load(live):
    first = live.start("run", "--box", "b", "--timeout", "600s", "--", PYTHON, "-c", PAIRS.replace("PAD", "2"))
    assert first.stdout.readline() == b"up\n"
    joined = live.start("run", "--box", "b", "--", PYTHON, "-c",
                        "import os; os.mkdir('j'); os.chdir('j')\n" + PAIRS.replace("PAD", "8"))
    assert joined.stdout.readline() == b"up\n"
    names = [d + n for d in ("", "j/") for n in "abcd"]
    size = "stat -c '%s' " + " ".join(names)
    for i in range(4):
        before = list(map(int, live.sh(size).split()))
        live.ok("snap", "b", f"s{i}")
        wait_until(lambda before=before: all(x > y for x, y in zip(map(int, live.sh(size).split()), before)),
                   what="everybody going on")
    first.kill()
    first.wait()
    for i in range(4):
        live.ok("fork", f"b@s{i}", "--name", f"f{i}")
        _, result = live.call("run", "--box", f"f{i}", "--", "sh", "-c", size)
        for (a, b, c, d), step in ((map(int, result["stdout"].split()[:4]), 32),
                                   (map(int, result["stdout"].split()[4:]), 128)):
            sizes = (a, b, d, c)  # as written
            rounds = [s // step for s in sizes]
            assert all(s % step == 0 for s in sizes), "a write was cut in two"
            assert rounds[0] - rounds[-1] in (0, 1) and rounds == sorted(rounds, reverse=True), f"of no one moment: {rounds}"


KINDS = """
mkdir -p d/sub; echo one > d/one; echo two > plain2; chmod 751 d; chmod 4750 d/one; ln d/one hard; ln -s nowhere link
rm -r gone; rm -r old; mkdir old; echo new > old/new; truncate -s 5M hole; echo end >> hole; mkfifo pipe
touch -d @1000000000 plain2; mkdir -m 0 shut; echo secret > unreadable; chmod 0 unreadable
"""
LOOK = r"""
find . -printf '%P %y %m %n %s %T@ %l %U\n' | grep -v '^\(\.\|\) ' | sed 's/ \([0-9]*\)\.[0-9]* / \1 /' | sort
stat -c 'hole %b' hole | awk '{print $2 < 1000}'; cat d/one hard old/new
"""


def test_a_snapshot_of_a_live_box_is_the_box(live):
    """Every kind of file, and what the box does afterwards is not in it."""
    for name in ("gone", "old"):
        (live.project / name).mkdir()
        (live.project / name / "inside").write_text("host\n")
    first = live.first(KINDS + "echo up; read x")
    told = live.sh(LOOK)
    live.ok("snap", "b", "s")
    live.sh("rm -r d old plain2 hard; echo later > later; chmod 700 shut; rmdir shut; rm -f unreadable")
    after = live.sh("ls -A")
    live.ok("snap", "b", "t")
    end(first)
    assert live.sh("ls -A") == after, "what was removed after the snapshot is gone for good"
    live.ok("fork", "b@s", "--name", "f")
    _, result = live.call("run", "--box", "f", "--", "sh", "-ec", LOOK)
    assert result["stdout"] == told
    live.ok("fork", "b@t", "--name", "g")
    _, result = live.call("run", "--box", "g", "--", "ls", "-A")
    assert result["stdout"] == after
    changes = {c["path"] for c in live.ok("diff", "b", "b@t")["changes"]}
    assert changes == set(), "the last snapshot is what the box became"
    live.ok("rollback", "b", "s")
    assert live.sh(LOOK) == told
    tree = live.ok("tree", "--all")
    assert {s["name"] for s in tree["snapshots"]} == {"s", "t"}
    live.ok("gc")
    assert live.sh(LOOK) == told
    for name in ("gone", "old"):
        (live.project / name / "inside").unlink()
        (live.project / name).rmdir()


def stat_of(path):
    """State and parent."""
    with open(path + "/stat", encoding="utf-8", errors="replace") as f:
        state, parent = f.read().rsplit(")", 1)[1].split()[:2]
    return state, int(parent)


def states(supervisor):
    """Pid -> one letter per thread of each process of the box but its pid 1, from outside. By parentage: a process
    whose first thread has ended shows neither its command nor its namespaces."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            parents[int(name)] = stat_of("/proc/" + name)[1]
        except OSError:
            pass
    found, layer = {}, {pid for pid, parent in parents.items() if parent == supervisor.pid}
    while layer:
        layer = {pid for pid, parent in parents.items() if parent in layer}
        for pid in layer:
            try:
                found[pid] = {stat_of(f"/proc/{pid}/task/{task}")[0] for task in os.listdir(f"/proc/{pid}/task")}
            except (FileNotFoundError, ProcessLookupError):  # gone meanwhile
                pass
    return found


def all_rest(supervisor, at_least):
    found = states(supervisor)
    return len(found) >= at_least and all(letters <= {"T", "Z"} for letters in found.values())


FREEZE = b"\x02\0\0\0\x03\0\0\0" + b"\0" * 2040  # word and version; the rest is not looked at


def freeze(live):
    """A connection that holds the box still."""
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    here = os.open(live.socket().parent, os.O_PATH)
    s.connect(f"/proc/self/fd/{here}/{live.box}")
    os.close(here)
    s.settimeout(50)
    s.send(FREEZE)
    answer = s.recv(1000)
    return s, int.from_bytes(answer[16:20], "little", signed=True)


MOVES = """
import ctypes, os, sys, threading, time
def run():
    while True:
        time.sleep(0.001)
        open(sys.argv[1] + ".beat", "a").write(".")
USER
threading.Thread(target=run).start()
print("up", flush=True)
ctypes.CDLL(None).syscall(60, 0)  # only this thread: what is left looks like a zombie from outside
"""


@pytest.mark.parametrize("user", (0, 1))
def test_nobody_moves_while_the_box_is_frozen(live, user):
    """Also threads whose first one has ended, other users in a box of root, and commands that joined."""
    marker = uuid.uuid4().hex
    become = "os.chmod('.', 0o777); os.setuid(1000)" if user and IS_ROOT and live.profile == "dev" else ""
    first = live.start("run", "--box", "b", "--", PYTHON, "-c", MOVES.replace("USER", become), "a" + marker)
    assert first.stdout.readline() == b"up\n", first.stderr.read()
    joined = live.start("run", "--box", "b", "--", PYTHON, "-c", MOVES.replace("USER", become), "b" + marker)
    assert joined.stdout.readline() == b"up\n", joined.stderr.read()
    beat = f"stat -c %s a{marker}.beat b{marker}.beat"
    wait_until(lambda: len(live.run("sh", "-ec", beat)[1]["stdout"].split()) == 2, what="both")
    held, code = freeze(live)
    assert code == 0
    assert all_rest(first, 3), states(first)  # two commands and a keeper
    late = live.start("run", "--box", "b", "--", "sh", "-c", beat)
    time.sleep(0.2)
    assert late.poll() is None, "a command joined a frozen box"
    assert all_rest(first, 3), states(first)
    held.close()
    before = list(map(int, end(late, None).split()))
    wait_until(lambda: all(x > y for x, y in zip(map(int, live.sh(beat).split()), before)), what="both going on")
    # And at its end, whatever its user id was, nothing of the joined is left.
    joined.kill()
    wait_until(lambda: len(states(first)) == 1, 30, "the end of the joined")
    first.kill()
    first.wait()


def test_who_was_stopped_stays_stopped(dev):
    look = "ps -e -o stat=,args= | awk '$2 == \"sleep\" {print substr($1,1,1), $3}' | sort"
    first = dev.first("sleep 71 & sleep 72 & echo up; read x")
    wait_until(lambda: dev.sh(look) == "S 71\nS 72\n", what="both")
    dev.sh("kill -STOP $(pgrep -f '^sleep 71')")
    stopped = dev.sh(look)
    assert stopped == "S 72\nT 71\n"
    held, code = freeze(dev)
    assert code == 0
    held.close()
    assert dev.sh(look) == stopped
    end(first)


def test_a_deadline_does_not_wait_for_a_snapshot(live):
    marker = uuid.uuid4().hex
    first = live.first()
    joined = live.start("run", "--json", "--box", "b", "--timeout", "1s", "--", "sh", "-c", "echo up > up; exec sleep 60",
                        marker)
    wait_until(lambda: live.run("test", "-e", "up")[0] == 0, what="the joined")
    held, code = freeze(live)
    assert code == 0
    assert joined.wait(50) == 124 and alive(marker) == []
    assert int.from_bytes(held.recv(1000)[16:20], "little", signed=True) == -62, "ETIME: who copies is told"
    held.close()
    assert live.sh("echo on") == "on\n"
    end(first)


def test_the_first_deadline_and_end_while_frozen(dev):
    first = dev.start("run", "--box", "b", "--timeout", "1s", "--", "sh", "-c", "echo up; sleep 60")
    assert first.stdout.readline() == b"up\n"
    held, code = freeze(dev)
    assert code == 0 and first.wait(50) == 124
    assert held.recv(1000) == b""
    held.close()
    dev.ok("snap", "b")


def test_a_shell_does_not_notice(dev):
    """No job is reported as stopped, and the terminal stays with who had it."""
    need("/bin/bash")
    first = dev.first()
    master, slave = pty.openpty()
    p = subprocess.Popen([aisbx(), "run", "-it", "--box", "b", "--", "bash", "--norc", "-i"], cwd=dev.project,
                         env={**dev.env, "PS1": "$ "}, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    dev.started.append(p)
    os.close(slave)
    os.write(master, b"echo ready-$((1+1)); sh -c 'echo in-$((2+2)); read x; echo got-$x'\n")
    text = read_until(master, b"in-4")
    for _ in range(3):
        held, code = freeze(dev)
        assert code == 0
        held.close()
    os.write(master, b"word\n")
    text += read_until(master, b"got-word")
    os.write(master, b"jobs; exit 9\n")
    assert p.wait(50) == 9
    try:
        text += os.read(master, 4096)
    except OSError:
        pass
    assert b"Stopped" not in text and b"[1]" not in text, text
    os.close(master)
    end(first)


def test_a_snapshot_of_a_name_that_is_taken_stops_nobody(dev):
    dev.ok("snap", "b", "s")
    first = dev.first()
    assert "'s'" in dev.refused("EEXIST", "snap", "b", "s")
    end(first)


def test_who_snaps_is_killed(dev):
    """Its end is the thaw, and what it copied is collected."""
    first = dev.first("i=0; while [ $i -lt 3000 ]; do echo $i > f$i; i=$((i+1)); done; echo up; read x")
    layers = set(os.listdir(dev.state / "layers"))
    p = dev.start("snap", "b", "s")
    wait_until(lambda: set(os.listdir(dev.state / "layers")) - layers or p.poll() is not None, what="the copy")
    p.kill()
    p.wait()
    assert dev.sh("echo on; ls | wc -l") == "on\n3000\n"
    end(first)
    dev.ok("gc")
    assert len(os.listdir(dev.state / "layers")) <= len(layers) + (p.returncode == 0)
    dev.ok("snap", "b", "again")


def test_processes_are_made_while_the_box_is_frozen(dev):
    """Who waits for a child of vfork cannot be stopped until that has become a program."""
    first = dev.first("""
        for i in 1 2 3; do (while :; do /bin/true; done) & done
        python3 -c 'import subprocess
        while True: subprocess.run(["/bin/true"])' & echo up; read x""".replace("\n        ", "\n"))
    for _ in range(40):
        began = time.monotonic()
        held, code = freeze(dev)
        assert code == 0 and time.monotonic() - began < pace.seconds(3)
        assert all_rest(first, 4), states(first)
        held.close()
    first.kill()


def test_a_joined_command_is_suspended_alone(dev):
    first = dev.first("echo up; while read x; do echo $x; done")
    second = dev.joined("while read x; do echo $x; done")
    second.send_signal(signal.SIGTSTP)
    wait_until(lambda: stat_of(f"/proc/{second.pid}")[0] == "T", what="the joiner's stop")
    wait_until(lambda: dev.sh("ps -e -o stat=,args= | grep -c '^T.*[e]cho up; while' || true") == "1\n",
               what="its command's stop, and only its")
    first.stdin.write(b"first\n")
    first.stdin.flush()
    assert first.stdout.readline() == b"first\n"
    second.send_signal(signal.SIGCONT)
    second.stdin.write(b"second\n")
    second.stdin.flush()
    assert second.stdout.readline() == b"second\n"
    assert end(second, b"") == b"" and end(first, b"") == b""


def test_a_live_snapshot_knows_its_bases(dev):
    """What it changed can be merged with what the host changed after it, as after a run."""
    path = dev.project / "f"
    path.write_text("".join(f"{i}\n" for i in range(10)))
    first = dev.first("sed -i s/^0/box/ f; echo up; read x")
    dev.ok("snap", "b", "s")
    time.sleep(0.05)  # a tick of the clock that files are stamped with
    path.write_text(path.read_text().replace("9", "host"))
    end(first)
    dev.ok("fork", "b@s", "--name", "f")
    dev.ok("promote", "f", "--yes")
    assert path.read_text().split() == ["box", *"12345678", "host"]
    path.unlink()
