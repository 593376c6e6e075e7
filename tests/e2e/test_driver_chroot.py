# SPDX-License-Identifier: Apache-2.0
"""The driver chroot, the last resort: only by its name and only for root, with one wall less, which it says loudly."""
import json
import os
import subprocess

import pytest

from box import IS_ROOT, aisbx

CHROOT = ("--driver", "chroot")
WALLS = {"mount", "pid", "net", "ipc", "uts", "cgroup", "root", "landlock", "caps", "no-new-privs", "descriptors", "seccomp"}


@pytest.fixture(name="run")
def _run(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "f").write_text("host\n")
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}

    def run(*words):
        return subprocess.run([aisbx(), *words], cwd=project, env=env, stdin=subprocess.DEVNULL, timeout=60, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    run.project = project
    return run


if IS_ROOT:
    def test_it_says_loudly_what_it_lacks(run):
        done = run("run", *CHROOT, "--", "sh", "-c", "echo box >f; cat f")
        assert done.returncode == 0 and done.stdout == "box\n" and (run.project / "f").read_text() == "host\n"
        assert done.stderr.startswith("aisbx: WARNING: the driver 'chroot' has no wall 'userns'") and "this run had no wall 'userns'" in done.stderr

    def test_all_other_walls_are_measured(run):
        result = json.loads(run("run", "--json", *CHROOT, "--", "true").stdout)
        found = result["isolation"]
        assert found["driver"] == "chroot" and found["level"] == "reduced" and found["missing"] == ["userns"]
        assert set(found["walls"]) == WALLS and found["caps"] == [] and "userns" in result["weaker_driver"]

    @pytest.mark.parametrize("script", [
        "echo x >/proc/sys/kernel/hostname", "echo x >/proc/sys/kernel/core_pattern", "echo h >/proc/sysrq-trigger", "mknod n c 1 1",
        "mount -t tmpfs x /mnt", "unshare -m true", "chroot / true", "ls /sys/kernel/debug/", "dmesg", "hostname x",
        "nice -n -5 sh -c 'test $(nice) -lt 0'", "chown 1 f", "nsenter -t 1 -m true"])
    def test_root_without_rights(run, script):
        """What the machine's root could do and this one cannot."""
        assert json.loads(run("run", "--json", *CHROOT, "--", "sh", "-c", script).stdout)["exit_code"] not in (0, None)

    def test_limits_hold(run):
        result = json.loads(run("run", "--json", *CHROOT, "--mem", "16m", "--", "sh", "-c", "head -c 64m /dev/zero | tail -c 64m | wc -c").stdout)
        assert result["limit"]["kind"] == "memory"

    @pytest.mark.parametrize("options, word", [
        (["--net", "net:egress:allowed.example:443"], "rules of the network"), (["--without", "caps"], "leave out --without caps"),
        (["--box", "b"], "store the changes"), (["--without", "userns"], "cannot be built without")])
    def test_what_it_cannot_is_refused(run, options, word):
        assert run("create", "b").returncode == 0
        done = run("run", *CHROOT, *options, "--", "true")
        assert done.returncode == 125 and word in done.stderr, done
else:
    def test_an_ordinary_user_is_refused(run):
        done = run("run", *CHROOT, "--", "true")
        assert done.returncode == 125 and "for root only" in done.stderr


def test_no_profile_chooses_it(run):
    (run.project / "p.yaml").write_text("extends: dev\ndriver: chroot\n")
    done = run("run", "--profile", "./p.yaml", "--", "true")
    assert done.returncode == 125 and "--driver chroot" in done.stderr
