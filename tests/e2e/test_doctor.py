# SPDX-License-Identifier: Apache-2.0
"""`aisbx doctor` as a person, a program and a janitor use it.

Leaks are planted and counted in namespaces of the test's own: a fresh /proc, an empty /tmp, cgroups of plain
directories, so that nothing else on the machine counts. Runs as root and as an ordinary user, with AISBX and
AISBX_TEST_BIN in the environment.
"""
import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import tempfile
import threading

import pytest

from box import wait_until

AISBX = os.environ["AISBX"]
DENY = os.path.join(os.environ["AISBX_TEST_BIN"], "deny")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
         "null": type(None)}
LEAKS = ["processes", "mounts", "cgroups", "namespaces", "files"]


@pytest.fixture
def place():
    path = tempfile.mkdtemp(prefix="doctor-", dir="/var/tmp")
    yield path
    shutil.rmtree(path)


def call(place, *words, prefix=(), env=None):
    return subprocess.run([*prefix, AISBX, *words], cwd=place, capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})})


def violations(schema, value, at="result"):
    """What of VALUE the schema does not allow; a member it does not know is one of those."""
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    fits = any(isinstance(value, TYPES[t]) and (t == "boolean" or not isinstance(value, bool)) for t in types)
    found = [] if fits else [f"{at}: {value!r} is not {types}"]
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name, member in value.items():
            found += violations(known[name], member, f"{at}.{name}") if name in known else [f"{at}.{name}: unknown"]
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            found += violations(schema["items"], item, f"{at}[{i}]")
    return found


def result_schema(place):
    return json.loads(call(place, "schema", "--json", "doctor").stdout)["operations"][0]["result"]


@pytest.mark.parametrize("prefix", [(), (DENY, "seccomp", "ENOSYS", "--"), ("unshare", "-Ur")],
                         ids=["whole", "without-seccomp", "nested"])
def test_result_fits_its_schema(place, prefix):
    result = json.loads(call(place, "doctor", "--json", "--leaks", prefix=prefix).stdout)
    schema = result_schema(place)
    assert violations(schema, result) == []
    assert set(result) == set(schema["properties"])  # nothing promised is left out
    assert {c["status"] for c in result["checks"]} <= {"ok", "missing", "limited"}


def test_validator_notices():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert violations(schema, {"n": True}) and violations(schema, {"m": 1}) and not violations(schema, {"n": 1})


def test_every_wall_is_checked(place):
    checks = [c["name"] for c in json.loads(call(place, "doctor", "--json").stdout)["checks"]]
    run = json.loads(call(place, "run", "--json", "--", "true").stdout)
    assert set(run["isolation"]["walls"]) <= set(checks)
    assert checks[-1] == "box"


def test_healthy_machine(place):
    done = call(place, "doctor", "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 0 and result["run_will_start"] is True and result["level"] == "full"
    assert not any(c["refuses"] for c in result["checks"])
    assert result["mode"] == ("root" if os.geteuid() == 0 else "user")
    assert result["kernel"] == os.uname().release and result["uid"] == os.geteuid()


def test_nested_is_called_so(place):
    assert json.loads(call(place, "doctor", "--json", prefix=("unshare", "-Ur")).stdout)["mode"] == "nested"


def test_words_for_people(place):
    done = call(place, "doctor")
    assert done.returncode == 0 and done.stderr == ""
    assert "\033" not in done.stdout
    assert done.stdout.isascii()
    assert done.stdout.splitlines()[-1] == "aisbx run will start: full walls"


def test_words_when_something_is_missing(place):
    done = call(place, "doctor", prefix=(DENY, "landlock_create_ruleset", "EOPNOTSUPP", "--"))
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines[-1] == "aisbx run will refuse: missing landlock"
    at = next(i for i, line in enumerate(lines) if line.split()[:2] == ["missing", "landlock"])
    assert lines[at + 1].strip().startswith("fix: ") and "lsm=landlock" in lines[at + 1]


def test_quiet_says_nothing(place):
    done = call(place, "doctor", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def on_terminal(place, env):
    """What doctor writes to a terminal."""
    master, slave = pty.openpty()
    child = subprocess.Popen([AISBX, "doctor"], cwd=place, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                             env={**os.environ, **env})
    os.close(slave)
    text = b""
    try:
        while chunk := os.read(master, 4096):
            text += chunk
    except OSError:  # EIO: the other side is closed
        pass
    os.close(master)
    assert child.wait(timeout=60) == 0
    return text.decode()


def test_colour_on_a_terminal(place):
    text = on_terminal(place, {"NO_COLOR": ""})
    assert "\033[32mok" in text and "\033[0m" in text


def test_no_color_is_respected(place):
    assert "\033" not in on_terminal(place, {"NO_COLOR": "1"})


# In namespaces of its own; pid 1 there is this shell, and everything in it ends with it.
SCRIPT = r"""
mount -t tmpfs tmp /tmp
mount -t tmpfs groups /sys/fs/cgroup
export XDG_STATE_HOME=$PWD/state XDG_RUNTIME_DIR=$PWD/runtime
doctor() { "$PWD/aisbx" doctor --leaks --json && echo 'status 0' || echo "status $?"; }
"""


def leaks_after(place, plant):
    """Plants leaks by a shell script and returns what doctor counted, and its exit status."""
    for name in ("aisbx", "aisbx-jail"):
        shutil.copy(os.path.join(os.path.dirname(AISBX), name), place)
    for name, program in (("sleeper", "sleep"), ("reader", "cat")):
        shutil.copy(shutil.which(program), os.path.join(place, name))
    done = subprocess.run(["unshare", "-Urmpf", "--mount-proc", "sh", "-euc", SCRIPT + plant], cwd=place,
                          capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    lines = done.stdout.splitlines()
    assert len(lines) >= 2, done.stderr
    return json.loads(lines[-2])["leaks"], lines[-1]


def test_no_leaks_after_runs(place):
    leaks, status = leaks_after(place, """
        ./aisbx run -- true
        ./aisbx run -- sh -c 'sleep 100 & exit 3' || true
        ./aisbx run --timeout 100ms -- sleep 100 || true
        doctor""")
    assert status == "status 0", leaks
    assert [leaks[kind] for kind in LEAKS] == [0, 0, 0, 0, 0]
    assert leaks["live_boxes"] == 0 and leaks["found"] == []


# An orphan: called by the bare name aisbx-jail, deaf to signals, and its parent is not aisbx: here, the shell.
DEAF = "import os, signal; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()); os.execv('./reader', ['aisbx-jail'])"
FIFO = "mkfifo fifo && exec 3<>fifo && "
ORPHAN = FIFO + f'{{}} python3 -c "{DEAF}" <&3 & '
READY = 'until [ "$(tr -d "\\0" </proc/$!/cmdline)" = aisbx-jail ]; do :; done; doctor'
GONE = "aisbx-4194304-1234abcd"  # no process has this pid


@pytest.mark.parametrize("plant,expected", [
    pytest.param(ORPHAN.format("") + READY, {"processes": 1}, id="process"),
    pytest.param(ORPHAN.format("exec unshare -n") + READY, {"processes": 1, "namespaces": 1}, id="namespace"),
    pytest.param("mkdir m && mount -t tmpfs aisbx m && doctor", {"mounts": 1}, id="mount"),
    pytest.param(f"mkdir -p /sys/fs/cgroup/user/{GONE} && : >/sys/fs/cgroup/user/{GONE}/cgroup.procs && doctor", {"cgroups": 1},
                 id="cgroup"),
    pytest.param("mkdir -m 700 /tmp/aisbx-rego-abcdef && : >/tmp/aisbx-rego-abcdef/policy.rego && doctor", {"files": 1}, id="policy"),
    pytest.param("mkdir -p state/aisbx/passing/p-1 && doctor", {"files": 1}, id="layer"),
])
def test_planted_leak_is_counted(place, plant, expected):
    leaks, status = leaks_after(place, plant)
    assert status == "status 1"
    assert {kind: leaks[kind] for kind in LEAKS if leaks[kind]} == expected
    assert len(leaks["found"]) == sum(expected.values()) - expected.get("namespaces", 0)


def group(name, procs=""):
    return f"mkdir -p /sys/fs/cgroup/{name} && echo {procs or '-n'} >/sys/fs/cgroup/{name}/cgroup.procs && "


NO_LEAKS = {
    "cgroup-in-use": group(GONE, "1") + "doctor",
    "cgroup-of-a-live-supervisor": group("aisbx-$$-1234abcd") + "doctor",
    "cgroups-of-strangers": "".join(map(group, ["aisbx", "aisbx-7", "aisbx-mine", GONE + "-x", "aisbx-04194304-1", "aisbx-4194304-0x1"])) + "doctor",
    "cgroup-that-comes-and-goes": f"(while :; do {group(GONE + '$i')} rm -r /sys/fs/cgroup/{GONE}$i; i=$((i + 1)); done) & doctor",
    "files-of-strangers": ": >/tmp/aisbx-x && mkdir -p /tmp/aisbx-mine /tmp/aisbx-rego-long-name /tmp/aisbx-1-abcd && doctor",
    "directory-that-is-no-desk": "mkdir -m 700 /tmp/aisbx-rego-abcdef && : >/tmp/aisbx-rego-abcdef/novel && doctor",
    "desk-in-use": "mkdir -m 700 /tmp/aisbx-rego-abcdef && flock -s /tmp/aisbx-rego-abcdef sleep 100 & "
                   "until [ -d /tmp/aisbx-rego-abcdef ] && ! flock -n /tmp/aisbx-rego-abcdef true; do :; done; doctor",
    "other-files": "mkdir -p state/aisbx/layers state/aisbx/run-1 && : >/tmp/aisbxen && doctor",
    "other-program": "mkdir aisbx-o && cp sleeper aisbx-o/other && aisbx-o/other 100 & doctor",
    "program-of-that-name": "mkdir o && cp sleeper o/aisbx-jail && PATH=o:$PATH aisbx-jail 100 & until pgrep -x aisbx-jail; do :; done; doctor",
    "program-of-that-name-without-words": FIFO + "cp reader aisbx-jail2 && bash -c 'exec -a aisbx-jail ./reader' <&3 & " + READY,
    "mount-of-a-stranger": "mkdir /tmp/m && mount -t tmpfs aisbx-mine /tmp/m && mount -t ramfs aisbx /tmp/m && doctor",
    "supervisor-of-another-name": "mv aisbx box-of-mine && ln -s box-of-mine aisbx && ./box-of-mine run --timeout 0 -- sh -c 'echo up; sleep 100' >up & "
                                  "until [ -s up ]; do :; done; doctor",
}


@pytest.mark.parametrize("plant", NO_LEAKS.values(), ids=NO_LEAKS)
def test_what_is_no_leak_is_not_counted(place, plant):
    leaks, status = leaks_after(place, plant)
    assert status == "status 0", leaks
    assert leaks["found"] == []


def test_a_leak_is_still_found_among_all_that_is_none(place):
    leaks, status = leaks_after(place, "mkdir /tmp/aisbx-mine && " + group("aisbx-mine") + group(GONE) + "doctor")
    assert status == "status 1" and leaks["found"] == [f"cgroup /sys/fs/cgroup/{GONE}"]


def test_doctor_in_a_box_does_not_count_the_box(place):
    there = os.path.dirname(os.path.abspath(AISBX))
    result = json.loads(call(place, "run", "--json", "--ro", there, "--", AISBX, "doctor", "--leaks", "--json").stdout)
    leaks = json.loads(result["stdout"])["leaks"]
    assert leaks["mounts"] == 0, leaks


def test_live_box_is_no_leak_and_dies_with_its_supervisor(place):
    live = """
        ./aisbx run --timeout 0 -- sleep 100 & box=$!
        until doctor | grep -q '"live_boxes":1'; do kill -0 $box; done
    """
    leaks, status = leaks_after(place, live + "doctor")
    assert status == "status 0" and leaks["live_boxes"] == 1
    shutil.rmtree(os.path.join(place, "state"), ignore_errors=True)
    leaks, status = leaks_after(place, live + """
        kill -9 $box
        while doctor | grep -q -e '"live_boxes":1' -e '"processes":1'; do :; done
        doctor""")
    assert status == "status 0", leaks
    assert leaks["live_boxes"] == 0 and leaks["processes"] == 0


def test_use_by_others_is_no_leak(place, tmp_path):
    """On the machine as it is: runs of another state directory begin and end all the time, one supervisor is killed."""
    def env(name):
        return {**os.environ, "XDG_STATE_HOME": str(tmp_path / name)}

    def ours(text):
        """Others may really have left something here, so: what this test knows of."""
        return any(word in text for word in (place, mine, *(f"aisbx-{pid}-" for pid in pids)))

    mine, pids, done = tempfile.mkdtemp(prefix="aisbx-", dir="/tmp"), set(), threading.Event()

    def others(number):
        while not done.is_set():
            words = (["run", "--", "true"], ["run", "--timeout", "30ms", "--", "sleep", "60"])[number]
            p = subprocess.Popen([AISBX, *words], cwd=place, env=env("other"), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            pids.add(p.pid)
            p.wait(timeout=60)

    threads = [threading.Thread(target=others, args=(number,)) for number in range(2)]
    try:
        for t in threads:
            t.start()
        for _ in range(10):
            result = json.loads(call(place, "doctor", "--leaks", "--json", env=env("own")).stdout)
            assert not [text for text in result["leaks"]["found"] if ours(text)], result["leaks"]
    finally:
        done.set()
        for t in threads:
            t.join()
        os.rmdir(mine)
    assert len(pids) > 10, "others were hardly there"


def groups_of(pid):
    """Control groups of the box of supervisor PID."""
    return [os.path.join(at, name) for at, names, _ in os.walk("/sys/fs/cgroup") for name in names if name.startswith(f"aisbx-{pid}-")]


def members(group):
    try:
        return pathlib.Path(group, "cgroup.procs").read_text(encoding="ascii").split()
    except OSError:  # somebody's run has swept it
        return []


def test_group_of_a_killed_supervisor_is_a_leak(place):
    """Where this user has control groups at all; elsewhere nothing is left, and nothing may be told."""
    def told(pid):
        return [text for text in json.loads(call(place, "doctor", "--leaks", "--json").stdout)["leaks"]["found"] if f"aisbx-{pid}-" in text]

    with subprocess.Popen([AISBX, "run", "--timeout", "0", "--", "sh", "-c", "echo up; sleep 100"], cwd=place, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as run:
        assert run.stdout.readline() == b"up\n"
        groups = groups_of(run.pid)
        assert groups or os.geteuid(), "root has control groups"
        assert told(run.pid) == [], "it lives"
        os.kill(run.pid, signal.SIGKILL)
    wait_until(lambda: not any(map(members, groups)), what="the end of the box")
    # Doctor lists 32, and others may have left more; whose runs sweep them, and ours.
    wait_until(lambda: set(told(run.pid)) >= {f"cgroup {g}" for g in groups_of(run.pid)}, what="doctor tells it")
    wait_until(lambda: call(place, "gc").returncode == 0 and not groups_of(run.pid), what="gc has removed them")
    assert told(run.pid) == []
