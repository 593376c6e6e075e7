# SPDX-License-Identifier: Apache-2.0
"""Seccomp presets as a person meets them: what is refused, what allows it again, and that boxes work behind each."""
import json
import os
import subprocess

import box
import pytest

PRESETS = ("python", "javascript", "shell", "go", "rust", "java", "c")
PYTHON = "/usr/bin/python3"
# shmget: no preset has it, default has. mount: nobody has. Both answers are printed.
TRY = ("import ctypes; c = ctypes.CDLL(None, use_errno=True); "
       "print(c.shmget(0, 4096, 0o1600) >= 0, c.mount(b'x', b'/tmp', b'tmpfs', 0, None), ctypes.get_errno())")


def violations(result):
    return {v["what"]: v for v in result["violations"]}


@pytest.mark.parametrize("how", ["option", "profile"])
@pytest.mark.parametrize("preset", PRESETS)
def test_outside_the_preset_is_refused(tmp_path, preset, how):
    """By the option, and by the profile of the language, which has its preset."""
    chosen = {"options": ["--seccomp", preset]} if how == "option" else {"profile": preset}
    result = box.started(box.run(PYTHON, "-c", TRY, cwd=tmp_path, **chosen))
    assert result["stdout"] == "False -1 1\n", result
    found = violations(result)
    assert set(found) == {"shmget", "mount"}
    assert found["shmget"]["rule"].startswith(f"seccomp={preset}: not needed for")
    assert found["shmget"]["allow_with"] == "--seccomp default"
    assert found["mount"]["rule"] == f"seccomp={preset}: changes what the box sees"
    assert found["mount"]["allow_with"] == "--without seccomp"


def test_what_the_violation_says_allows_it(tmp_path):
    for options in ([], ["--seccomp", "default"]):
        result = box.started(box.run(PYTHON, "-c", TRY, cwd=tmp_path, options=options))
        assert result["stdout"] == "True -1 1\n"
        assert set(violations(result)) == {"mount"}
        assert violations(result)["mount"]["rule"].startswith("seccomp=default: ")


def test_a_name_that_is_none(tmp_path):
    done = subprocess.run([box.aisbx(), "run", "--seccomp", "pyhton", "--", "true"], cwd=tmp_path, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 125 and b"pyhton" in done.stderr and b"python" in done.stderr, done


def test_the_first_process_works_behind_the_smallest(tmp_path):
    """It runs behind the filter, too: commands that join, a terminal, pauses, snapshots while it lives, deadlines."""
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    project = tmp_path / "project"
    project.mkdir()

    def call(*words):
        done = subprocess.run([box.aisbx(), *words], cwd=project, env=env, stdin=subprocess.DEVNULL, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stdout, done.stderr

    def ok(*words):
        status, out, err = call(*words)
        assert status == 0, (words, out, err)
        return json.loads(out)

    ok("create", "--json", "b")
    first = subprocess.Popen([box.aisbx(), "run", "--json", "--box", "b", "--seccomp", "rust", "--", "sh", "-c",
                              "touch there; until [ -e end ]; do sleep 0.01; done"], cwd=project, env=env,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        box.wait_until(lambda: call("exec", "b", "--", "test", "-e", "there")[0] == 0, what="the first command")
        assert ok("exec", "--json", "b", "--", "sh", "-c", "echo joined; sleep 0.01 & wait")["stdout"] == "joined\n"
        assert call("exec", "--timeout", "200ms", "b", "--", "sh", "-c", "setsid sleep 100")[0] == 124
        # Who does not ask for the box's own preset would have other walls than it.
        status, _, err = call("run", "--box", "b", "--", "true")
        assert status == 125 and b"--seccomp rust" in err, err
        joined = ok("run", "--json", "--box", "b", "--seccomp", "rust", "--", PYTHON, "-c", TRY)
        assert joined["stdout"].startswith("False"), "a command that joins is behind the box's filter"
        ok("snap", "--json", "b")
        run = ok("ps", "--all", "--json")["runs"][0]["run"]
        ok("pause", "--json", run)
        ok("resume", "--json", run)
        ok("exec", "--json", "b", "--", "touch", "end")
        result = json.loads(first.communicate(timeout=60)[0])
    finally:
        first.kill()
    assert result["status"] == "ok", result
    assert {(v["what"], v["by"]) for v in result["violations"]} == {("shmget", "python3"), ("mount", "python3")}
    done = subprocess.run(["script", "-qec", f"{box.aisbx()} run -t --seccomp rust -- tty", "/dev/null"], cwd=project,
                          env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=60)
    assert b"/dev/pts/" in done.stdout and b"refused" not in done.stdout, done.stdout
