# SPDX-License-Identifier: Apache-2.0
"""Devices in a box: which are shown, which never, what is told. As root and as an ordinary user.

Each machine has other devices: these tests take what is there, and /dev/full, which every machine has.
"""
import json
import os
import pathlib
import stat
import subprocess

import pytest

from box import aisbx

SHOWN = [p for p in ("/dev/net/tun", "/dev/fuse", "/dev/kvm", "/dev/hwrng", "/dev/rtc0") if os.path.exists(p)]
NEVER = [p for p in ("/dev/mem", "/dev/kmsg", "/dev/console", "/dev/tty0", "/dev/tty1", "/dev/ptmx", "/dev/loop-control", "/dev/vda", "/dev/sda",
                     "/dev/nvme0n1", "/dev/loop0", "/dev/input/event0", "/dev/uinput") if os.path.exists(p)]


@pytest.fixture(name="run")
def fixture_run(tmp_path):
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    (tmp_path / "project").mkdir()

    def run(*words):
        done = subprocess.run([aisbx(), "run", "--json", *words], check=False, capture_output=True, text=True, env=env, cwd=tmp_path / "project", timeout=60)
        return done.returncode, json.loads(done.stdout or done.stderr)
    return run


@pytest.mark.parametrize("path", ["/dev/full", *SHOWN])
def test_a_device_is_shown_if_the_caller_may_open_it(run, path):
    status, result = run("--device", path, "--", "sh", "-c", f"stat -c '%F %t:%T %a' {path}; test -w {path}")
    if not os.access(path, os.R_OK | os.W_OK):
        assert status == 125 and "you may not open" in result["error"]["text"]
        return
    st = os.stat(path)
    assert result["isolation"]["devices"] == [path] and result["isolation"]["level"] == "full"
    assert result["stdout"].startswith(f"character special file {os.major(st.st_rdev):x}:{os.minor(st.st_rdev):x} ") and status == 0, result


@pytest.mark.parametrize("path", NEVER)
def test_what_no_box_gets(run, path):
    status, result = run("--device", path, "--", "true")
    assert status == 125 and "no box gets" in result["error"]["text"], result


@pytest.mark.parametrize("path", ["/dev", "/", "/etc/passwd", "/dev/../etc/passwd", "/proc/self/mem", "/dev/no-such", "/dev/pts", "/dev/shm"])
def test_what_is_no_device(run, path):
    status, result = run("--device", path, "--", "true")
    assert status == 125 and result["status"] == "error", result


def test_a_link_is_judged_by_where_it_leads(run, tmp_path):
    (tmp_path / "link").symlink_to("/dev/kmsg" if os.path.exists("/dev/kmsg") else "/dev/ptmx")
    status, result = run("--device", tmp_path / "link", "--", "true")
    assert status == 125 and "no box gets" in result["error"]["text"]


def test_nothing_else_comes_along(run):
    _, plain = run("--", "ls", "/dev")
    _, more = run("--device", "/dev/full", "--", "ls", "/dev")
    assert plain["stdout"] == more["stdout"] and plain["isolation"]["devices"] == []


def test_a_device_cannot_be_changed_by_the_box(run):
    before = os.stat("/dev/full")
    run("--device", "/dev/full", "--", "sh", "-c", "chmod 600 /dev/full; chown 1 /dev/full; rm -f /dev/full; touch /dev/full")
    after = os.stat("/dev/full")
    assert (before.st_mode, before.st_uid, before.st_ino) == (after.st_mode, after.st_uid, after.st_ino) and stat.S_ISCHR(after.st_mode)


def test_gpu(run):
    """Told where there is none; else all of them."""
    found = [p for pattern in ("dri/card*", "dri/renderD*", "nvidia[0-9]*", "nvidiactl", "kfd") for p in pathlib.Path("/dev").glob(pattern)
             if os.access(p, os.R_OK | os.W_OK)]
    status, result = run("--gpu", "--", "true")
    if found:
        assert status == 0 and set(result["isolation"]["devices"]) >= {str(p) for p in found}
    else:
        assert status == 125 and "no device of a graphics processor" in result["error"]["text"]


def test_a_profile_shows_what_is_there(run, tmp_path):
    profile = tmp_path / "profile.yaml"
    profile.write_text("name: devices\nextends: dev\ndevices: [/dev/full, /dev/no-such, gpu]\n")
    status, result = run("--profile", profile, "--", "true")
    assert status == 0 and "/dev/full" in result["isolation"]["devices"] and "/dev/no-such" not in result["isolation"]["devices"]
    profile.write_text("name: devices\nextends: dev\ndevices: [/etc/passwd]\n")
    assert run("--profile", profile, "--", "true")[0] == 125


def test_it_is_told_at_each_run(tmp_path):
    done = subprocess.run([aisbx(), "run", "--device", "/dev/full", "--", "true"], check=True, capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}, timeout=60)
    assert "reached the drivers of /dev/full" in done.stderr
