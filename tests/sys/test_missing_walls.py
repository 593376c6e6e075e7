# SPDX-License-Identifier: Apache-2.0
"""Attack 125: a machine on which one wall cannot be built.

Each wall is taken away for real: namespaces by the kernel's own limits inside a user namespace, system calls
by a filter (deny.c), a fresh procfs by covering a part of /proc. Every time nothing may run, the refusal
must name the step and a way out, and doctor must show the same; then the same machine with the wall given
up by a person's flag must run and say so. Runs as root and as an ordinary user, with AISBX and
AISBX_TEST_BIN in the environment.
"""
import json
import os
import shutil
import subprocess
import tempfile

import pytest

AISBX = os.environ["AISBX"]
DENY = os.path.join(os.environ["AISBX_TEST_BIN"], "deny")
IS_ROOT = os.geteuid() == 0


def limit(kind):
    """No namespaces of this kind, in a user namespace made for the purpose; the host is not touched."""
    script = f'echo 0 >/proc/sys/user/max_{kind}_namespaces && exec "$@"'
    return ["unshare", "-Ur", "sh", "-ec", script, "sh"]


def deny(*calls):
    return [DENY, *calls, "--"]


def cover_proc():
    """As in a container with masked paths: the kernel then allows no other procfs."""
    return ["unshare", "-Urm", "sh", "-ec", 'mount -t tmpfs none /proc/sys && exec "$@"', "sh"]


# name, what takes it away, what doctor calls it, the step that fails, whether it can be given up
CASES = [
    ("userns", limit("user"), "userns", "namespaces", False),
    ("mount", limit("mnt"), "mount", "namespaces", False),
    ("pid", limit("pid"), "pid", "namespaces", False),
    ("net", limit("net"), "net", "namespaces", True),
    ("ipc", limit("ipc"), "ipc", "namespaces", True),
    ("uts", limit("uts"), "uts", "namespaces", True),
    ("cgroup", limit("cgroup"), "cgroup", "cgroup", True),
    ("clone3-eperm", deny("clone3", "EPERM"), "userns", "namespaces", False),
    ("clone3-enosys", deny("clone3", "ENOSYS"), "userns", "namespaces", False),
    ("landlock-enosys", deny("landlock_create_ruleset", "ENOSYS"), "landlock", "landlock", True),
    ("landlock-off", deny("landlock_create_ruleset", "EOPNOTSUPP"), "landlock", "landlock", True),
    ("landlock-enforce", deny("landlock_restrict_self", "EPERM"), "landlock", "landlock", True),
    ("seccomp-einval", deny("seccomp", "EINVAL"), "seccomp", "seccomp", True),
    ("seccomp-enosys", deny("seccomp", "ENOSYS"), "seccomp", "seccomp", True),
    ("seccomp-busy", deny("seccomp", "EBUSY"), "seccomp", "seccomp", True),
    ("descriptors", deny("close_range:2=0", "ENOSYS"), "descriptors", "descriptors", True),
    ("no-new-privs", deny("prctl:0=38", "EINVAL"), "no-new-privs", "no-new-privs", False),
    ("caps", deny("capset", "EPERM"), "caps", "caps", False),
    ("pivot_root", deny("pivot_root", "EPERM"), "root", "root", False),
    ("mount_setattr", deny("mount_setattr", "ENOSYS"), "mount", None, False),
    ("fsopen", deny("fsopen", "EPERM"), "overlay", "stage", False),
    ("tmpfs-xattr", deny("setxattr", "EOPNOTSUPP"), "tmpfs-xattr", "stage", False),
    ("procfs", cover_proc(), "procfs", "mounts", False),
]
if IS_ROOT:  # only root shifts ids; 4096 is AT_EMPTY_PATH, how the trees of the host are shifted
    CASES.append(("idmap", deny("mount_setattr:2=4096", "EINVAL"), "idmap", "namespaces", False))

EVERY = [pytest.param(*case[1:4], id=case[0]) for case in CASES]
GIVEN_UP = [pytest.param(case[1], case[2], id=case[0]) for case in CASES if case[4]]


@pytest.fixture
def place():
    path = tempfile.mkdtemp(prefix="missing-walls-")
    yield path
    shutil.rmtree(path)


def call(prefix, place, *words):
    done = subprocess.run([*prefix, AISBX, *words], cwd=place, capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, env={**os.environ, "XDG_STATE_HOME": os.path.join(place, "state")})
    assert done.returncode != 99, done.stderr  # deny itself failed
    return done


def run(prefix, place, *options):
    """Runs a command that leaves a marker on the real file system."""
    shared = os.path.join(place, "shared")
    os.makedirs(shared, exist_ok=True)
    marker = os.path.join(shared, "marker")
    done = call(prefix, place, "run", "--json", "--rw", shared, *options, "--", "sh", "-c", f"echo ran >{marker}")
    return done, os.path.exists(marker)


def test_125_control_nothing_missing(place):
    done, ran = run([], place)
    assert done.returncode == 0 and ran, done.stdout
    assert json.loads(done.stdout)["isolation"]["level"] == "full"


def test_125_control_deny_of_an_unused_call(place):
    """The filter alone is not what makes the runs below fail."""
    done, ran = run(deny("reboot", "EPERM"), place)
    assert done.returncode == 0 and ran, done.stdout


def test_125_control_nested(place):
    """Nor is the user namespace in which the limits are set."""
    done, ran = run(["unshare", "-Ur"], place)
    assert done.returncode == 0 and ran, done.stdout


@pytest.mark.parametrize("prefix,wall,step", EVERY)
def test_125_run_refuses(place, prefix, wall, step):
    done, ran = run(prefix, place)
    assert not ran, "the command ran without the wall"
    assert done.returncode == 125
    result = json.loads(done.stdout)
    assert result["status"] == "error"
    text = result["error"]["text"]
    assert f"wall '{step}'" in text if step else "wall '" in text
    assert "aisbx doctor" in text or "--without" in text, f"no way out is named: {text}"


@pytest.mark.parametrize("prefix,wall,step", EVERY)
def test_125_refusal_for_people(place, prefix, wall, step):
    done = call(prefix, place, "run", "--", "echo", "ran")
    assert done.returncode == 125
    assert done.stdout == ""
    assert done.stderr.startswith("aisbx: wall '")


@pytest.mark.parametrize("prefix,wall,step", EVERY)
def test_125_doctor_names_it(place, prefix, wall, step):
    done = call(prefix, place, "doctor", "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert result["run_will_start"] is False
    checks = {check["name"]: check for check in result["checks"]}
    assert checks[wall]["status"] == "missing"
    assert checks[wall]["refuses"] is True
    assert checks[wall]["fix"]
    assert checks["box"]["refuses"] is True
    assert "wall '" in checks["box"]["detail"]


@pytest.mark.parametrize("prefix,wall", GIVEN_UP)
def test_125_a_person_gives_it_up(place, prefix, wall):
    done, ran = run(prefix, place, "--without", wall)
    assert done.returncode == 0 and ran, done.stdout
    isolation = json.loads(done.stdout)["isolation"]
    assert isolation["level"] == "reduced"
    assert isolation["missing"] == [wall]


@pytest.mark.parametrize("wall", ["userns", "mount", "pid", "root"])
def test_125_what_no_flag_gives_up(place, wall):
    done, ran = run([], place, "--without", wall)
    assert done.returncode == 125 and not ran


def test_125_giving_up_another_wall_does_not_help(place):
    done, ran = run(deny("seccomp", "ENOSYS"), place, "--without", "landlock")
    assert done.returncode == 125 and not ran
