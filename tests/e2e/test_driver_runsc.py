# SPDX-License-Identifier: Apache-2.0
"""The driver oci with gVisor: the command runs in a kernel of its own; which walls that leaves out is told, and what it cannot is refused."""
import json
import os
import signal
import subprocess

import pytest

import oci_tools
from box import aisbx, nothing_is_left


@pytest.fixture(name="run")
def _run(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "f").write_text("host\n")
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
    driver = ("--driver", f"oci:{oci_tools.tool('runsc')}")

    def run(*words, plain=()):
        words = plain or ("run", "--json", *driver, *words)
        return subprocess.run([aisbx(), *words], cwd=project, env=env, stdin=subprocess.DEVNULL, timeout=60, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    run.project, run.env, run.driver = project, env, driver
    return run


def test_the_kernel_is_gvisors_and_the_walls_are_told(run):
    result = json.loads(run("--", "sh", "-c", "dmesg | grep -c gVisor; echo box >f; cat f; exit 7").stdout)
    assert result["exit_code"] == 7 and result["stdout"] == "1\nbox\n" and (run.project / "f").read_text() == "host\n", result
    found = result["isolation"]
    assert found["runtime"].startswith("runsc") and found["level"] == "reduced" and found["missing"] == ["landlock", "caps", "descriptors", "seccomp"]
    assert set(found["walls"]) == {"userns", "mount", "pid", "net", "ipc", "uts", "cgroup", "root", "no-new-privs", "gvisor"}
    assert result["usage"]["disk"] == 4096 and result["usage"]["inodes"] == 1


@pytest.mark.parametrize("options, script, kind", [
    (["--timeout", "3s"], "sleep 20", "wall_time"), (["--mem", "128m"], "head -c 400m /dev/zero | tail -c 400m | wc -c", "memory"),
    (["--disk", "1m"], "head -c 4m /dev/zero >big", "disk")])
def test_limits(run, options, script, kind):
    result = json.loads(run(*options, "--", "sh", "-c", script).stdout)
    assert result["limit"] and result["limit"]["kind"] == kind, result


def test_a_box_that_stays_is_every_drivers(run):
    assert run(plain=("create", "b")).returncode == 0
    assert run("--box", "b", "--", "sh", "-c", "rm f; mkdir d; echo new >d/g; ln -s d/g l").returncode == 0
    changes = {c["path"]: c["kind"] for c in json.loads(run(plain=("diff", "--json", "b")).stdout)["changes"]}
    assert changes["f"] == "deleted" and changes["d/g"] == changes["l"] == "created"
    assert run(plain=("run", "--box", "b", "--", "cat", "l")).stdout == "new\n"


def test_a_secret_of_the_person_is_hidden(run):
    home = run.project.parent
    (home / ".ssh").mkdir(mode=0o700)
    (home / ".ssh/id_rsa").write_text("SECRET\n")
    result = json.loads(run("--", "sh", "-c", "cat ~/.ssh/id_rsa; ls -a ~/.ssh; cat /proc/1/root$HOME/.ssh/id_rsa; mv ~/.ssh ~/x && cat ~/x/id_rsa").stdout)
    assert "SECRET" not in result["stdout"] + result["stderr"] and result["status"] in ("ok", "failed")


def test_what_its_own_kernel_allows_stays_in_the_box(run):
    """By the root of its pid 1, by a name that was moved, from a directory above: always the same layer."""
    result = json.loads(run("--", "sh", "-c", 'echo box >/proc/1/root"$PWD/f" && mv "$PWD" "$PWD-2" && echo two >"$PWD-2/g" && cat "$PWD-2/f"').stdout)
    assert result["stdout"] == "box\n", result
    assert (run.project / "f").read_text() == "host\n" and os.listdir(run.project) == ["f"] and not (run.project.parent / "project-2").exists()


@pytest.mark.parametrize("options, word", [(["--net", "net:egress:allowed.example:443"], "rules of the network"), (["--publish", "8080"], "publish ports"),
                                           (["--mem", "64m"], "below 128m"), (["-t"], "terminal")])
def test_what_it_cannot_is_refused(run, options, word):
    done = run(*options, "--", "true")
    assert done.returncode == 125 and word in done.stdout + done.stderr, done


def test_pause_and_no_second_command(run):
    assert run(plain=("create", "b")).returncode == 0
    assert run(plain=("run", *run.driver, "--box", "b", "--detach", "--name", "r", "--", "sleep", "60")).returncode == 0
    done = run(plain=("exec", "b", "--", "true"))
    assert done.returncode == 125 and "kernel of its own" in done.stderr
    assert run(plain=("pause", "r")).returncode == 0 and json.loads(run(plain=("ps", "--json")).stdout)["runs"][0]["state"] == "paused"
    assert run(plain=("resume", "r")).returncode == 0 and run(plain=("kill", "r")).returncode == 0


def test_nothing_is_left_of_a_supervisor_that_is_killed(run):
    with subprocess.Popen([aisbx(), "run", *run.driver, "--", "sh", "-c", "echo ready; exec sleep 3600.125"], cwd=run.project, env=run.env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGKILL)
    nothing_is_left(cwd=run.project, env=run.env)
