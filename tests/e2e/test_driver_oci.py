# SPDX-License-Identifier: Apache-2.0
"""The driver oci: what a box of an OCI runtime is and does is what every box is and does; what it cannot is refused by name.

All tests of boxes can be run with it: AISBX_TEST_DRIVER=oci:runc (tests/lib/other_driver.py, docs/drivers.md).
"""
import fnmatch
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from box import aisbx, nothing_is_left, wait_until
from pty_run import Terminal

RUNC = ("--driver", "oci:runc")
WALLS = {"userns", "mount", "pid", "net", "ipc", "uts", "cgroup", "root", "landlock", "caps", "no-new-privs", "descriptors", "seccomp"}


class Place:
    def __init__(self, root):
        self.project = root / "project"
        self.project.mkdir()
        (self.project / "f").write_text("host\n")
        (root / "home").mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "HOME": str(root / "home")}

    def aisbx(self, *words, check=True, **how):
        done = subprocess.run([aisbx(), *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
        assert not check or done.returncode == 0, done
        return done

    def json(self, *words):
        done = self.aisbx(words[0], "--json", *words[1:], check=False)
        return json.loads(done.stdout)

    def run(self, *words, options=(), driver=RUNC):
        done = self.aisbx("run", "--json", *driver, *options, "--", *words, check=False)
        return json.loads(done.stdout)


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_walls_are_measured_and_the_runtime_is_named(place):
    """By the container's pid 1, with its own eyes; the same list as native's."""
    found = place.run("true")["isolation"]
    assert found["driver"] == "oci" and found["level"] == "full"
    assert set(found["walls"]) == WALLS and not found["missing"]
    version = subprocess.run(["runc", "--version"], env={"PATH": "/usr/sbin:/usr/bin"}, stdout=subprocess.PIPE, text=True, check=True)
    assert found["runtime"] == "runc " + version.stdout.split()[2]


def test_what_a_command_sees_is_what_native_shows(place):
    """Ids, mounts by their kind, variables, host name aside: one box as the other."""
    script = ("id; pwd; ls -la /dev | awk '{print $1, $NF}'; cut -d' ' -f5,6 /proc/self/mountinfo | sort; env | sort | grep -v AISBX_BOX; "
              "grep -e ^Cap -e ^NoNew -e ^Seccomp: /proc/self/status; ulimit -a")
    native = place.run("sh", "-c", script, driver=("--driver", "native"))
    oci = place.run("sh", "-c", script)
    assert native["status"] == oci["status"] == "ok"
    # The runtime covers single files of /proc with mounts of its own, and mounts /dev once more where it is; its outer pid 1 is one process more.
    rest = [{line for line in result["stdout"].splitlines() if not line.startswith(("/proc", "/dev ", "process "))} for result in (native, oci)]
    assert rest[0] == rest[1] and len(rest[0]) > 40


@pytest.mark.parametrize("script, status", [("exit 0", 0), ("exit 7", 7), ("exit 137", 137), ("kill -9 $$", 137), ("kill -TERM $$", 143)])
def test_exit_statuses(place, script, status):
    result = place.run("sh", "-c", script)
    assert result["exit_status"] == status
    assert (result["signal"] is None) == script.startswith("exit")


@pytest.mark.parametrize("words, status", [(["/nonexistent"], 127), (["./f"], 126)])
def test_what_cannot_be_executed(place, words, status):
    assert place.run(*words)["exit_status"] == status


def test_a_filter_that_says_what_it_refused(place):
    result = place.run("unshare", "-U", "true")
    assert result["exit_code"] == 1 and "unshare" in {v["what"] for v in result["violations"] if v["kind"] == "syscall"}


@pytest.mark.parametrize("options, script, kind", [
    (["--mem", "16m"], "head -c 64m /dev/zero | tail -c 64m | (sleep 1; wc -c)", "memory"),
    (["--mem", "4m"], "head -c 16m /dev/zero | tail -c 16m | (sleep 1; wc -c)", "memory"),
    (["--pids", "4"], "for i in 1 2 3 4 5 6; do sleep 5 & done; exit 1", "processes"),
    (["--timeout", "300ms"], "sleep 20", "wall_time"),
    (["--cpu-time", "300ms"], "while :; do :; done", "cpu_time"),
    (["--disk", "1m"], "head -c 4m /dev/zero >big", "disk"),
])
def test_limits(place, options, script, kind):
    """Also ones that are below what the runtime itself needs: it has more room until it is gone."""
    result = place.run("sh", "-c", script, options=options)
    assert result["limit"] and result["limit"]["kind"] == kind, result


def test_processes_that_are_refused_are_told(place):
    """Also to a command that goes on: the group refuses before the limit of a process does, and only it counts."""
    script = ("import os, sys, time\npids = []\nfor _ in range(40):\n    try:\n        pid = os.fork()\n    except OSError:\n        break\n"
              "    if not pid:\n        time.sleep(60)\n    pids.append(pid)\nfor pid in pids:\n    os.kill(pid, 9)\nprint(len(pids))")
    native, oci = (place.run("python3", "-c", script, options=["--pids", "20"], driver=d) for d in (("--driver", "native"), RUNC))
    assert native["stdout"] == oci["stdout"] and native["status"] == oci["status"] == "ok"
    assert [(v["kind"], v["allow_with"]) for v in native["violations"]] == [(v["kind"], v["allow_with"]) for v in oci["violations"]]


def test_the_time_of_the_runtime_is_not_the_commands(place):
    used = [place.run("true", driver=d)["usage"]["cpu_ms"] for d in (("--driver", "native"), RUNC)]
    assert used[1] < 3 * used[0] + 4, used  # a runtime takes 15 and more


def test_pid_1_has_its_name(place):
    assert place.run("sh", "-c", "tr '\\0' '\\n' </proc/1/cmdline | head -1; cat /proc/1/comm")["stdout"] == "aisbx-jail\naisbx-jail\n"


def test_a_caller_with_a_small_file_size_limit(place):
    """runc protects its program by a mount, not by a copy that is larger than the limit."""
    done = subprocess.run(["sh", "-c", 'ulimit -f 4096; exec "$@"', "sh", aisbx(), "run", *RUNC, "--", "true"], cwd=place.project, env=place.env,
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 0, done


def test_the_version_is_asked_once_for_each_file(place):
    """What is kept holds for that very file; another one, or half a line, is asked again."""
    said = place.run("true")["isolation"]["runtime"]
    kept = pathlib.Path(place.env["XDG_STATE_HOME"]) / "aisbx/oci-runc.version"
    key, line = kept.read_text().splitlines()
    assert line == said and "/runc" in key
    for text, told in ((f"{key}\nrunc 9.9\n", "runc 9.9"), (f"{key}\nrunc 9.", said), (f"{key}0\nrunc 9.9\n", said), (f"{key}\nrunc \x1b[2J\n", said)):
        kept.write_text(text)
        assert place.run("true")["isolation"]["runtime"] == told


def test_output_beyond_its_limit_is_dropped(place):
    result = place.run("sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x", options=["--output", "1000"])
    assert result["truncated"]["stdout"] == 99000 and len(result["stdout"]) < 1100


def test_a_box_that_stays(place):
    """Changes, snapshot, diff, fork, rollback and promotion know nothing of drivers."""
    place.aisbx("create", "b")
    assert place.run("sh", "-c", "echo one >f; echo new >g", options=["--box", "b"])["status"] == "ok"
    place.aisbx("snap", "b", "s")
    assert place.run("sh", "-c", "echo two >f", options=["--box", "b"])["status"] == "ok"
    assert place.aisbx("run", "--box", "b", "--", "cat", "f", "g").stdout == "two\nnew\n"  # native, in the same box
    place.aisbx("rollback", "b", "s")
    assert place.run("cat", "f", options=["--box", "b"])["stdout"] == "one\n"
    assert {c["path"]: c["kind"] for c in place.json("diff", "b")["changes"]} == {"f": "modified", "g": "created"}
    assert (place.project / "f").read_text() == "host\n"
    place.aisbx("promote", "b", "--yes")
    assert (place.project / "f").read_text() == "one\n" and (place.project / "g").read_text() == "new\n"
    st = os.stat(place.project / "g")
    assert (st.st_uid, st.st_gid) == (os.geteuid(), os.getegid()) and stat.S_IMODE(st.st_mode) & 0o600 == 0o600


def test_a_live_box(place):
    """Detached; a second command by exec and by run; pause, resume, stats, kill."""
    place.aisbx("create", "b")
    place.aisbx("run", *RUNC, "--box", "b", "--detach", "--name", "r", "--", "sh", "-c", "while :; do echo x >>ticks; sleep 0.05; done")
    wait_until(lambda: "x" in place.aisbx("exec", "b", "--", "sh", "-c", "cat ticks 2>/dev/null; :").stdout, what="the first tick")
    joined = place.json("exec", "b", "--", "sh", "-c", "ps -e | grep -c sleep; hostname")
    assert joined["status"] == "ok" and joined["isolation"]["level"] == "full" and joined["isolation"]["driver"] == "oci"
    assert set(joined["isolation"]["walls"]) == WALLS
    place.aisbx("pause", "r")
    assert place.json("ps")["runs"][0]["state"] == "paused"
    used = [place.json("stats", "r") for _ in range(2)]
    assert used[1]["runs"][0]["cpu_ms"] - used[0]["runs"][0]["cpu_ms"] < 5  # pid 1 alone is awake
    place.aisbx("resume", "r")
    place.aisbx("kill", "r")
    assert place.json("wait", "r")["status"] in ("interrupted", "failed")


def test_a_run_with_another_driver_does_not_join(place):
    """A live box of one driver is not entered as if another had built it."""
    place.aisbx("create", "b")
    place.aisbx("run", *RUNC, "--box", "b", "--detach", "--name", "r", "--", "sleep", "60")
    done = place.aisbx("run", "--box", "b", "--", "true", check=False)
    assert done.returncode == 125 and "oci" in done.stderr
    place.aisbx("kill", "r")


def test_ctrl_c(place):
    process = subprocess.Popen([aisbx(), "run", *RUNC, "--", "sh", "-c", "echo ready; exec sleep 60"], cwd=place.project, env=place.env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    process.stdout.close()


def test_a_terminal(place):
    """Of the box's own, with job control, as with native."""
    with Terminal(["run", "-t", *RUNC, "--", "sh", "-c", "test -t 0 && tty && ps -o tty= -p $$; exit 5"], place.project, place.env) as terminal:
        terminal.wait("/dev/pts/0")
        terminal.wait("pts/0")
        assert terminal.process.wait(20) == 5


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_of_a_supervisor_that_is_killed(place, how):
    """No runtime, no container, no mount: all of it is below one pid 1 that goes with the supervisor."""
    process = subprocess.Popen([aisbx(), "run", *RUNC, "--", "sh", "-c", "echo ready; exec sleep 3600.125"], cwd=place.project, env=place.env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(how)
    process.wait(20)
    process.stdout.close()
    nothing_is_left(cwd=place.project, env=place.env)


def test_network_rules_hold(place):
    """The broker is outside of the container, and the same: a name that no rule has is refused and told."""
    script = "getent hosts allowed.example; exec 3<>/dev/tcp/198.51.100.7/80"
    result = place.run("bash", "-c", script, options=["--net", "net:egress:allowed.example:443"])
    assert result["exit_code"] != 0 and any(v["kind"] == "net" for v in result["violations"]), result


def test_services_run_in_the_container(place):
    (place.project / "aisbx.yaml").write_text("version: 1\nservices:\n  s:\n    command: echo up >/tmp/up; exec sleep 60\n    ready:\n      file: /tmp/up\n")
    result = place.run("cat", "/tmp/up")
    assert result["status"] == "ok" and result["stdout"] == "up\n", result


@pytest.mark.parametrize("driver, word", [("oci:docker", "there is no OCI runtime"), ("oci:/bin/true", "none of the runtimes"),
                                          ("oci:/nonexistent/runc", "not installed"), ("oci:kata", "kata"), ("native:runc", "no driver"),
                                          ("magic", "no driver")])
def test_what_is_not_there_is_refused_and_nothing_takes_its_place(place, driver, word):
    done = place.aisbx("run", "--driver", driver, "--", "true", check=False)
    assert done.returncode == 125 and word in done.stderr


def test_crun_works_or_says_why_not(place):
    """With v1 controllers it refuses; its words and what helps are told. With v2 alone it is a box as every other (tests/vm)."""
    done = place.aisbx("run", "--driver", "oci:crun", "--", "id", "-u", check=False)
    if pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists():
        assert done.returncode == 0 and done.stdout == f"{os.geteuid()}\n"
    else:
        assert done.returncode == 125 and "hybrid" in done.stderr and "unified_cgroup_hierarchy" in done.stderr and done.stdout == ""


def test_the_doctor_tries_each_runtime(place):
    checks = {c["name"]: c for c in place.json("doctor")["checks"]}
    assert checks["oci:runc"]["status"] == "ok" and "13 walls measured" in checks["oci:runc"]["detail"]


def test_a_profile_may_name_it(place):
    (place.project / "p.yaml").write_text("extends: dev\ndriver: oci:runc\n")
    found = place.run("true", driver=(), options=["--profile", "./p.yaml"])["isolation"]
    assert found["driver"] == "oci" and found["runtime"].startswith("runc ")


if os.environ.get("AISBX_LONG"):  # eight minutes; what docs/drivers.md has is from such a run
    TESTS = pathlib.Path(__file__).resolve().parents[1]
    KNOWN = [line.split(None, 2)[1] for line in (TESTS / "driver-differences.txt").read_text().splitlines() if line and not line.startswith("#")]

    @pytest.mark.parametrize("file", sorted(path.relative_to(TESTS) for room in ("attack", "limits") for path in (TESTS / room).glob("test_*.py")), ids=str)
    def test_all_attacks_and_limits(tmp_path, file):
        env = {**{k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}, "AISBX_TEST_DRIVER": "oci:runc"}
        subprocess.run([sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "-q", f"--junitxml={tmp_path}/report.xml",
                        f"--basetemp={tmp_path}/t", TESTS / file], env=env, check=False, timeout=1200, stdout=subprocess.DEVNULL)
        cases = list(ET.parse(tmp_path / "report.xml").iter("testcase"))
        failed = [f"{file.stem}::{case.get('name')}" for case in cases if case.find("failure") is not None or case.find("error") is not None]
        assert cases and not [name for name in failed if not any(fnmatch.fnmatchcase(name, known.replace("[", "[[]")) for known in KNOWN)]
