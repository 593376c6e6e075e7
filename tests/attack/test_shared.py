# SPDX-License-Identifier: Apache-2.0
"""Attacks 139 to 143: what a box shares with all programs of the host, and what keeps its own deadline."""
import ctypes
import fcntl
import json
import os
import select
import subprocess
import sys

import box
import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
BEGIN = """import ctypes, errno, json, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    return 0 if libc.syscall(number, *args) >= 0 else errno.errorcode[ctypes.get_errno()]
"""


def inside(place, script, *words, profile="dev", options=()):
    return box.started(box.run("python3", "-c", BEGIN + script, *words, cwd=place.project, profile=profile, options=options))


def outside(script, *words):
    done = subprocess.run([sys.executable, "-c", BEGIN + script, *words], stdout=subprocess.PIPE, check=True, timeout=60)
    return json.loads(done.stdout)


IO_SETUP = """
context = ctypes.c_ulong()
print(json.dumps(call(206, 1, ctypes.byref(context))))
"""


@pytest.mark.parametrize("profile", box.PROFILES)
def test_139_asynchronous_io(place, profile):
    """Contexts are counted for the whole machine (fs.aio-max-nr), so there are none in a box. Control: outside there are."""
    result = inside(place, IO_SETUP, profile=profile)
    assert json.loads(result["stdout"]) == "ENOSYS" and not result["violations"]
    assert outside(IO_SETUP) == 0


INOTIFY = """
n = 0
while n < int(sys.argv[1]) and libc.inotify_init1(0) >= 0:
    n += 1
print(json.dumps(n), flush=True)
sys.stdin.read()
"""


@pytest.mark.quiet
@pytest.mark.parametrize("profile", box.PROFILES)
def test_140_inotify_instances(place, profile):
    """A box gets a quarter of them; while it holds them others of the same user have some. Control: outside one gets more."""
    with open("/proc/sys/fs/inotify/max_user_instances") as f:
        quarter = int(f.read()) // 4
    with subprocess.Popen(box.command("python3", "-c", BEGIN + INOTIFY, str(quarter * 4), profile=profile, json_output=False),
                          cwd=place.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            assert select.select([child.stdout], [], [], 60)[0]
            assert json.loads(child.stdout.readline()) == quarter
            ours = LIBC.inotify_init1(0)
            assert ours >= 0, "the host was left without"
            os.close(ours)
        finally:
            child.stdin.close()
    assert child.returncode == 0
    done = subprocess.run([sys.executable, "-c", BEGIN + INOTIFY, str(quarter + 1)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=True)
    assert json.loads(done.stdout) == quarter + 1


def test_140_limit_stays(place):
    """Nobody inside raises it."""
    result = inside(place, """
try:
    open("/proc/sys/user/max_inotify_instances", "w").write("100000"); print('"written"')
except OSError as e:
    print(json.dumps(errno.errorcode[e.errno]))
""")
    assert json.loads(result["stdout"]) in ("EROFS", "EACCES", "EPERM")


# prlimit64, sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr, setpriority, ioprio_set
ON_PROCESS = """
pid = {"init": 1, "keeper": os.getppid(), "self": os.getpid()}[sys.argv[1]]
limit, param = (ctypes.c_ulong * 2)(512, 512), ctypes.c_int(0)
mask, attr = ctypes.c_ulong(1), (ctypes.c_uint * 12)(48, 0)
done = [call(302, pid, 7, limit, None), call(142, pid, ctypes.byref(param)), call(144, pid, 0, ctypes.byref(param)),
        call(203, pid, 8, ctypes.byref(mask)), call(314, pid, attr, 0), call(141, 0, pid, 19), call(251, 1, pid, 3 << 13)]
done += [call(141, 2, os.getuid(), 19)] if sys.argv[1] == "init" else []
high = 1 << 32 | pid
done += [call(302, ctypes.c_ulong(high), 7, limit, None)]
print(json.dumps(done))
sys.exit(7)
"""
# The fourth is refused already where whole processors are held without a control group.
BOUND = {"dev": False, "strict": not box.IS_ROOT}
CALLS = {"prlimit64", "sched_setparam", "sched_setscheduler", "sched_setaffinity", "sched_setattr", "setpriority", "ioprio_set"}


@pytest.mark.parametrize("profile", box.PROFILES)
def test_142_on_pid_1(place, profile):
    """Limits, order of running: of pid 1 nobody changes them, in any spelling of 1, and the exit status holds."""
    result = inside(place, ON_PROCESS, "init", profile=profile)
    assert set(json.loads(result["stdout"])) == {"EPERM"}, result["stdout"]
    missing = CALLS - box.violations(result, "syscall")
    assert missing == ({"sched_setaffinity"} if BOUND[profile] else set()) and result["exit_code"] == 7


@pytest.mark.parametrize("profile", box.PROFILES)
def test_142_on_oneself(place, profile):
    """Control: of oneself, by one's number, everything of it is done."""
    result = inside(place, ON_PROCESS, "self", profile=profile)
    done = json.loads(result["stdout"])
    assert done == [0, 0, 0, "EPERM" if BOUND[profile] else 0, 0, 0, 0, 0]
    assert not result["violations"] and result["exit_code"] == 7


TRACE = """
ATTACH, SEIZE = 16, 0x4206
def trace(pid):
    return [call(101, request, pid, None, None) for request in (ATTACH, SEIZE)]
def in_child(work):
    out, into = os.pipe()
    if not os.fork():
        os.write(into, json.dumps(work()).encode()); os._exit(0)
    os.wait()
    return json.loads(os.read(out, 4096))
parent = os.getpid()
print(json.dumps([trace(1), trace(os.getppid()), in_child(lambda: trace(parent)), in_child(lambda: in_child(lambda: trace(parent))),
                  trace(parent), trace(0), trace(-1), trace(1 << 32 | 1)]))
"""


@pytest.mark.parametrize("profile", [*box.PROFILES, "c"])
def test_079_nobody_with_other_memory_is_traced(place, profile):
    """A process may trace a parent whose memory it has (LeakSanitizer does: tests/limits/test_holds.py), and nobody else: not pid 1, its
    keeper, a parent or its parent after fork, nor itself."""
    result = inside(place, TRACE, profile=profile)
    assert json.loads(result["stdout"]) == [["EPERM", "EPERM"]] * 8, result["stdout"]
    assert "ptrace" in box.violations(result, "syscall")


@pytest.mark.parametrize("profile", [*box.PROFILES, "c"])
def test_079_same_memory_is_looked_at_and_no_more(place, profile):
    """Who shares the memory of its parent stops it, reads its registers and lets it go. It changes nothing in it, sets no option that
    would follow it elsewhere, and has no hold on a parent that became another program, a grandparent or a child."""
    result = box.started(box.run("./probe", "trace-own", cwd=place.project, profile=profile))
    tries = {t["what"]: t["errno"] for t in json.loads(result["stdout"])["tries"]}
    assert {what for what, errno in tries.items() if errno is None} == {"attach", "get registers", "detach"}, tries
    assert len(tries) == 17 and set(tries.values()) == {None, "EPERM"}, tries


def test_142_on_a_thread(place):
    """A thread that is not the first names another of its process."""
    result = inside(place, """
import threading
main, done = os.getpid(), []
def work():
    done.append(call(141, 0, main, 5)); done.append(call(141, 0, threading.get_native_id(), 6))
    done.append(call(141, 0, os.getppid(), 5))
t = threading.Thread(target=work); t.start(); t.join()
print(json.dumps(done))
""")
    assert json.loads(result["stdout"]) == [0, 0, "EPERM"]


def test_142_on_a_keeper(place, tmp_path):
    """The same of who keeps a command that joined."""
    env = {"XDG_STATE_HOME": str(tmp_path)}
    subprocess.run([box.aisbx(), "create", "b", "--ttl", "10m"], cwd=place.project, env={**os.environ, **env}, check=True,
                   stdout=subprocess.DEVNULL)
    with subprocess.Popen([box.aisbx(), "run", "--box", "b", "--", "sh", "-c", "echo here; exec cat"], cwd=place.project,
                          env={**os.environ, **env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        try:
            assert select.select([first.stdout], [], [], 60)[0] and first.stdout.readline() == b"here\n"
            result = box.started(box.run("python3", "-c", BEGIN + ON_PROCESS, "keeper", cwd=place.project, options=["--box", "b"],
                                         env=env))
        finally:
            first.stdin.close()
    assert set(json.loads(result["stdout"])) == {"EPERM"} and result["exit_code"] == 7


CRIPPLE = """
import resource
resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0))
if os.fork() == 0:
    if os.fork() == 0:
        os._exit(0)  # an orphan: its end wakes pid 1
    os._exit(0)
os.wait()
time.sleep(600)
"""


def test_142_pid_1_that_cannot_wait(place):
    """Without the filter it can be crippled: then the box ends at once, instead of spinning past its deadline."""
    result = box.started(box.run("python3", "-c", BEGIN + CRIPPLE, cwd=place.project,
                                 options=["--without", "seccomp", "--timeout", "300s"]))
    assert result["limit"] is None and result["exit_code"] != 0
    assert result["usage"]["wall_ms"] < 200_000


WATCH = """
fd = libc.inotify_init1(0o4000)
libc.inotify_add_watch(fd, b"/dev/full", 0x20)
print("ready", flush=True)
sys.stdin.read()
try:
    print(len(os.read(fd, 1 << 20)) // 16)
except BlockingIOError:
    print(0)
"""


def test_143_watch_a_device(place):
    """Root's box has nodes of its own: who watches one sees nothing of the host. An ordinary user's has the host's, and sees."""
    with subprocess.Popen(box.command("python3", "-c", BEGIN + WATCH, json_output=False), cwd=place.project,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert select.select([child.stdout], [], [], 60)[0] and child.stdout.readline() == b"ready\n"
        for mode in ("rb", "wb"):
            with open("/dev/full", mode):
                pass
        seen = int(child.communicate(timeout=60)[0])
    assert seen == 0 if box.IS_ROOT else seen >= 1  # SECURITY.md says so


TOUCH = """
fd = os.open("/dev/null", os.O_WRONLY)
done = []
for way in (lambda: os.utime(fd), lambda: os.utime("/dev/null"), lambda: os.chmod("/dev/null", 0o600)):
    try:
        way(); done.append(0)
    except OSError as e:
        done.append(errno.errorcode[e.errno])
print(json.dumps(done))
"""


@pytest.mark.parametrize("profile", box.PROFILES)
def test_143_times_of_a_device(place, profile):
    """Everybody may set them to now, since everybody may write to it; not in a box. Control: a file of the box's own."""
    before = os.stat("/dev/null")
    result = inside(place, TOUCH, profile=profile)
    assert set(json.loads(result["stdout"])) <= {"EROFS", "EPERM"}, result["stdout"]
    assert os.stat("/dev/null").st_mtime_ns == before.st_mtime_ns and os.stat("/dev/null").st_mode == before.st_mode
    own = inside(place, TOUCH.replace("/dev/null", "/tmp/own").replace("O_WRONLY", "O_WRONLY | os.O_CREAT"), profile=profile)
    assert json.loads(own["stdout"]) == [0, 0, 0]


LOCK = """
import fcntl
fd = os.open("/dev/null", os.O_RDWR)
try:
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB); print('"locked"')
except BlockingIOError:
    print('"held by another"')
"""


def test_143_lock_a_device(place):
    """A lock that somebody of the host holds is none in root's box; an ordinary user's box sees it, as SECURITY.md says."""
    with open("/dev/null", "r+b") as device:
        fcntl.flock(device, fcntl.LOCK_EX)
        try:
            seen = json.loads(inside(place, LOCK)["stdout"])
        finally:
            fcntl.flock(device, fcntl.LOCK_UN)
    assert seen == ("locked" if box.IS_ROOT else "held by another")


@pytest.mark.parametrize("profile", box.PROFILES)
def test_143_devices_work(place, profile):
    """Control: each does what it is for."""
    result = inside(place, """
assert os.read(os.open("/dev/zero", os.O_RDONLY), 3) == bytes(3)
assert os.read(os.open("/dev/null", os.O_RDWR), 3) == b"" and os.write(os.open("/dev/null", os.O_WRONLY | os.O_TRUNC), b"x") == 1
assert len(os.read(os.open("/dev/urandom", os.O_RDONLY), 8)) == 8 and len(os.read(os.open("/dev/random", os.O_RDONLY), 8)) == 8
assert os.access("/dev/null", os.W_OK | os.R_OK)
try:
    os.write(os.open("/dev/full", os.O_WRONLY), b"x")
except OSError as e:
    assert e.errno == errno.ENOSPC
else:
    raise SystemExit("not full")
""", profile=profile)
    assert result["exit_code"] == 0, result["stderr"]


IN_FLIGHT = """
import socket
s, kept = b"x", []
n = 0
try:
    while n < int(sys.argv[1]):
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        a.setblocking(False)
        kept.append((a, b))
        try:
            while n < int(sys.argv[1]):
                socket.send_fds(a, [s], [0] * 200); n += 200
        except BlockingIOError:
            pass
except OSError as e:
    assert e.errno == errno.ETOOMANYREFS, e
print(json.dumps(n), flush=True)
sys.stdin.read()
"""
PASS_ONE = """
import resource, socket
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
a, b = socket.socketpair()
try:
    socket.send_fds(a, [b"x"], [0]); print('"passed"')
except OSError as e:
    print(json.dumps(errno.errorcode[e.errno]))
"""


@pytest.mark.quiet
def test_141_descriptors_in_flight(place):
    """Counted per user of the host: root's boxes are another; of an ordinary user's box the same, as SECURITY.md says."""
    with subprocess.Popen(box.command("python3", "-c", BEGIN + IN_FLIGHT, "1000", json_output=False), cwd=place.project,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert select.select([child.stdout], [], [], 60)[0]
        assert json.loads(child.stdout.readline()) >= 400
        seen = outside(PASS_ONE)
        child.stdin.close()
    assert seen == ("passed" if box.IS_ROOT else "ETOOMANYREFS")
    assert outside(PASS_ONE) == "passed", "with the box it is over"
