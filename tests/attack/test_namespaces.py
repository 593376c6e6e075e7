# SPDX-License-Identifier: Apache-2.0
"""Attacks 66 to 74: namespaces, capabilities, identities, and the supervisor."""
import os
import signal
import subprocess

import box
import pytest
from case import Case, Without, define_tests, ends, verdict

OFF = Without()

define_tests([
    Case(66, "unshare_newuser", {"EPERM"}, OFF, {"unshare"}),
    Case(67, "clone_with_namespace_bits", {"EPERM"}, OFF, {"clone"}),
    Case(68, "clone3", {"ENOSYS"}, OFF),
    Case(69, "setns_by_pidfd", {"EPERM"}, Without(privileged="u"), {"setns"}),
    Case(70, "nested_userns_and_nftables", {"EPERM"}, OFF, {"unshare", "socket"}),
], globals())


def identity(place, profile, *options, wrap=()):
    result = box.started(box.run(*wrap, "./probe", "identity", cwd=place.project, profile=profile, options=options))
    return box.last_json(result["stdout"])


@pytest.mark.parametrize("profile", box.PROFILES)
def test_071_no_capability_is_passed_on(place, profile):
    """Ambient and inheritable are empty always; the others hold what the profile says and no more."""
    kept = sum(1 << bit for bit in (0, 1, 3, 4, 6, 7)) if box.IS_ROOT and profile == "dev" else 0
    found = identity(place, profile)
    assert found["CapInh"] == found["CapAmb"] == 0
    assert found["CapEff"] == found["CapPrm"] == found["CapBnd"] == kept
    assert found["NoNewPrivs"] == 1 and found["Seccomp"] == 2
    # Control: with the wall missing, the bounding set is full.
    bare = identity(place, profile, "--without", "caps")
    assert bare["CapBnd"] & (1 << 21), "without the wall there should be CAP_SYS_ADMIN to be had"


@pytest.mark.parametrize("profile", box.PROFILES)
def test_072_setgroups(place, profile):
    """Root's dev box may, since packages need it, among the box's own ids only; nobody else may."""
    allowed = box.IS_ROOT and profile == "dev"
    with box.Watch(place.root):
        found = ends(verdict(box.run("./probe", "72", cwd=place.project, profile=profile)))
    assert found == {"setgroups adm shadow": "OK" if allowed else "EPERM",
                     "setgroups unmapped": "EINVAL" if allowed else "EPERM"}
    if box.IS_ROOT:
        # Harmless: a group of the box is no group of the host, so a host file of that group stays shut.
        result = box.run("sh", "-c", "cat /proc/self/gid_map", cwd=place.project, profile=profile)
        inside, outside, count = map(int, result["stdout"].split())
        assert inside == 0 and outside > 1_000_000 and count == 65536
        control = box.run("./probe", "72", cwd=place.project, profile=profile, options=["--without", "caps"])
        assert ends(verdict(control))["setgroups adm shadow"] == "OK"
    # As a user the kernel denies it in every unprivileged user namespace: no wall of ours to switch off.


@pytest.mark.parametrize("profile", box.PROFILES)
def test_073_kill_or_ptrace_the_supervisor(place, profile):
    victim = subprocess.Popen(["sleep", "1000"])
    try:
        with box.Watch(place.root):
            result = box.started(box.run("./probe", "73", victim.pid, cwd=place.project, profile=profile))
        found = verdict(result)
        assert found["refused"], ends(found)
        assert ends(found)["ptrace pid 1"] == ends(found)["ptrace victim"] == "EPERM"
        assert ends(found)["kill victim"] == ends(found)["pidfd of victim"] == "ESRCH"
        assert result["exit_code"] == 0, "pid 1 of the box died"
        assert "ptrace" in box.violations(result)
        assert victim.poll() is None
        # Control: outside any box the same probe reaches the victim and kills it.
        done = subprocess.run(["./probe", "73", str(victim.pid)], cwd=place.project, check=True,
                              stdout=subprocess.PIPE)
        assert ends(box.last_json(done.stdout.decode()))["kill victim"] == "OK"
        assert victim.wait(50) == -signal.SIGKILL
    finally:
        victim.kill()
        victim.wait()


@pytest.mark.parametrize("profile", box.PROFILES)
def test_073_the_supervisor_is_not_to_be_seen(place, profile):
    """Every process id the box can see or signal is its own."""
    script = "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline; echo; done 2>/dev/null"
    result = box.started(box.run("sh", "-c", script, cwd=place.project, profile=profile))
    seen = [line for line in result["stdout"].splitlines() if line]
    assert 1 <= len(seen) < 6 and not any("pytest" in line or "aisbx run" in line for line in seen), seen
    outside = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE, check=False).stdout.decode()
    assert "pytest" in outside  # the control


@pytest.mark.parametrize("profile", box.PROFILES)
def test_074_sethostname(place, profile):
    before = os.uname()
    case = Case(74, "", {"EPERM", "EACCES", "EROFS"}, None)
    with box.Watch(place.root):
        result = box.started(box.run("./probe", "74", cwd=place.project, profile=profile))
    found = verdict(result)
    assert found["refused"] and set(ends(found).values()) <= case.errnos
    assert {"sethostname", "setdomainname"} <= box.violations(result)
    # Control: it works without the filter, and even then the name is the box's own.
    control, _ = Without(privileged="u").run(case, profile, place)
    assert ends(control)["sethostname"] == "OK"
    assert os.uname() == before


