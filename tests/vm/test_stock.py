# SPDX-License-Identifier: Apache-2.0
"""What only this machine shows: a distribution's own kernel, with cgroup v2 alone, and older than what aisbx is made on.

Run by tests/vm/run, as root and as a user who was given a part of the tree. The limits themselves are tried by tests/limits.
"""
import json
import os
import re
import signal
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
import box  # noqa: E402

TREE = "/sys/fs/cgroup"


def own_group():
    with open("/proc/self/cgroup", encoding="ascii") as f:
        lines = f.read().splitlines()
    assert len(lines) == 1 and lines[0].startswith("0::/"), f"not v2 alone: {lines}"
    return TREE + lines[0][3:]


def our_groups():
    return [os.path.join(at, name) for at, names, _ in os.walk(TREE) for name in names if name.startswith("aisbx-")]


def read(*path):
    with open(os.path.join(*path), encoding="ascii") as f:
        return f.read().strip()


def version():
    return tuple(map(int, re.match(r"(\d+)\.(\d+)", os.uname().release).groups()))


def aisbx(*words, cwd, check=True):
    done = subprocess.run([box.aisbx(), *words], cwd=cwd, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, check=False)
    assert not check or done.returncode == 0, done
    return done


def test_the_machine_is_the_one_meant():
    assert version() < (6, 6), "a kernel with what newer ones have shows nothing here"
    group = own_group()
    assert group.startswith(TREE + ("/system.slice/" if box.IS_ROOT else "/user.slice/u1/"))
    assert os.access(os.path.dirname(group), os.W_OK) and "memory" in read(group, "cgroup.controllers")


def test_doctor(tmp_path):
    result = json.loads(aisbx("doctor", "--json", "--leaks", cwd=tmp_path).stdout)
    checks = {check["name"]: check for check in result["checks"]}
    assert result["run_will_start"] and result["level"] == "full" and result["facts"]["cgroup"] == "v2"
    assert not [name for name, check in checks.items() if check["status"] == "missing"]
    assert checks["limits"]["status"] == "ok" and checks["limits"]["detail"].count("cgroup v2") == 3
    for name in ("tmpfs-xattr", "overlay"):
        assert checks[name]["status"] == "limited" and "6.6" in checks[name]["fix"], checks[name]
    assert not any(result["leaks"][kind] for kind in ("processes", "mounts", "cgroups", "namespaces", "files")), result["leaks"]


@pytest.mark.parametrize("profile", box.PROFILES)
def test_all_walls_and_nothing_left(tmp_path, profile):
    box.make_canary(tmp_path / "p")
    with box.Watch(tmp_path / "p"):
        result = box.run("sh", "-ec", "rm -r deep && mkdir deep && echo new >deep/new && mv deep moved && cat moved/new && "
                         "cat /proc/self/cgroup", cwd=tmp_path / "p", profile=profile)
    assert result["status"] == "ok" and result["isolation"]["level"] == "full", result
    assert result["stdout"] == "new\n0::/\n", "the box is to see its own group as the root of the tree"
    assert not our_groups()
    passing = os.path.join(os.environ["XDG_STATE_HOME"], "aisbx/passing")
    assert os.path.isdir(passing) and not os.listdir(passing), "changes go to disk here, and away"


def test_our_own_group_stays_as_it_was(tmp_path):
    group = own_group()
    before = [read(group, name) for name in ("cgroup.type", "cgroup.subtree_control")]
    box.run("true", cwd=tmp_path, options=["--mem", "64m", "--pids", "20", "--cpu", "1"])
    box.run("true", cwd=tmp_path, options=["--pids", "20", "--cpu", "0.5"])  # the two that could be had without asking above
    assert [read(group, name) for name in ("cgroup.type", "cgroup.subtree_control")] == before == ["domain", ""]


LIMITS = ["--mem", "96m", "--pids", "16", "--cpu", "0.5"]


def test_groups_hold_the_limits(tmp_path):
    """Seen from outside, while it runs."""
    with subprocess.Popen(box.command("sh", "-c", "echo up; cat", options=LIMITS, json_output=False), cwd=tmp_path,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdout.readline() == b"up\n"
        group, = our_groups()
        assert (read(group, "memory.max"), read(group, "pids.max")) == (str(96 << 20), "16")
        assert read(group, "memory.oom.group") == "1" and read(group, "cpu.max").split()[0] == "50000"
        box.wait_until(lambda: len(read(group, "cgroup.procs").split()) == 3, what="pid 1, sh and cat are in the group")
        run.communicate(b"")
    assert run.returncode == 0 and not our_groups()


OVER = {
    "memory": (["--mem", "48m"], "x = bytearray(120 << 20)", "memory", 48 << 20),
    "processes": (["--pids", "8"], "import os, time\nfor _ in range(20):\n  if os.fork() == 0: time.sleep(60)", "processes", 8),
    "processor time": (["--cpu-time", "1s"], "while True: pass", "cpu_time", 1000),
    "wall time": (["--timeout", "2s"], "import time; time.sleep(60)", "wall_time", 2000),
}


@pytest.mark.parametrize("name", OVER)
def test_over(tmp_path, name):
    options, program, kind, value = OVER[name]
    result = box.started(box.run("/usr/bin/python3", "-Sc", program, cwd=tmp_path, options=options))
    assert result["status"] == "limit" and result["limit"]["kind"] == kind and result["limit"]["value"] == value, result
    if kind in ("memory", "processes"):
        assert result["limits"][kind]["by"] == "cgroup v2"
        assert result["limit"]["used"] == value
    assert not our_groups()


def test_under(tmp_path):
    result = box.run("/usr/bin/python3", "-Sc", "x = bytearray(64 << 20)", cwd=tmp_path, options=LIMITS)
    assert result["status"] == "ok", result
    assert 64 << 20 < result["usage"]["mem_peak"] < 84 << 20, result["usage"]


def test_half_a_processor(tmp_path):
    """A second of work at half a processor takes two."""
    spin = "import time\nwhile time.process_time() < 1.2: pass"
    usage = box.started(box.run("/usr/bin/python3", "-Sc", spin, cwd=tmp_path, options=["--cpu", "0.5"]))["usage"]
    assert usage["wall_ms"] > usage["cpu_ms"] * 1.7, usage


def test_supervisor_killed(tmp_path):
    """Nothing of the box lives on; what is left of it goes with gc."""
    marker = f"marker-{os.getpid()}"
    with subprocess.Popen(box.command("sh", "-c", f"echo up; sleep 1000; : {marker}", json_output=False), cwd=tmp_path,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as run:
        assert run.stdout.readline() == b"up\n"
        group, = our_groups()
        run.send_signal(signal.SIGKILL)
    box.wait_until(lambda: not read(group, "cgroup.procs"), what="everybody in the group is gone")
    assert aisbx("doctor", "--leaks", cwd=tmp_path, check=False).returncode == 1
    box.wait_until(lambda: aisbx("gc", cwd=tmp_path) and not our_groups(), seconds=60, what="gc has removed the group")
    assert aisbx("doctor", "--leaks", cwd=tmp_path).returncode == 0


def test_box_with_a_chain_of_layers(tmp_path):
    """Overlayfs wants them in one string here."""
    (tmp_path / "p/d").mkdir(parents=True)
    (tmp_path / "p/d/f").write_text("host\n")
    name = f"chain-{box.WHO}"
    aisbx("create", name, cwd=tmp_path / "p")
    for i in range(4):
        aisbx("run", "--box", name, "--", "sh", "-ec", f"rm -r d; mkdir d; echo {i} >d/{i}; echo {i} >>list", cwd=tmp_path / "p")
        aisbx("snap", name, f"s{i}", cwd=tmp_path / "p")
    assert aisbx("run", "--box", name, "--", "sh", "-c", "ls d; cat list", cwd=tmp_path / "p").stdout == "3\n0\n1\n2\n3\n"
    aisbx("rollback", name, "s1", cwd=tmp_path / "p")
    assert aisbx("run", "--box", name, "--", "sh", "-c", "ls d; cat list", cwd=tmp_path / "p").stdout == "1\n0\n1\n"
    aisbx("promote", name, "--yes", cwd=tmp_path / "p")
    assert (tmp_path / "p/list").read_text() == "0\n1\n" and os.listdir(tmp_path / "p/d") == ["1"]
    aisbx("rm", name, cwd=tmp_path / "p")
