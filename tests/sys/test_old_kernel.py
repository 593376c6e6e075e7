# SPDX-License-Identifier: Apache-2.0
"""Kernels before 6.6, whose tmpfs keeps no user xattrs, and before 6.8, whose overlayfs knows no "lowerdir+".

The kernel here calls itself 2.6 and refuses what an old one would. tests/vm runs on one that really is old.
"""
import fcntl
import glob
import json
import os
import signal
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
import box  # noqa: E402

DENY = os.path.join(os.environ["AISBX_TEST_BIN"], "deny")
OLDER = ["setarch", "x86_64", "--uname-2.6"]
# memfd and stage: what tells that a tmpfs keeps no xattrs, and what must not be needed then
NO_XATTRS = [*OLDER, DENY, "fsetxattr", "EOPNOTSUPP", "setxattr", "EOPNOTSUPP", "--"]
SECOND_PLACE = f"/var/tmp/aisbx-passing-{os.geteuid()}"


class Place:
    """A project with something to replace, and an environment with a state of its own."""

    def __init__(self, path):
        for name in ("project/d/e", "home", "state"):
            (path / name).mkdir(parents=True)
        self.project, self.state, self.passing = path / "project", path / "state", path / "state/aisbx/passing"
        (self.project / "d/e/f").write_text("old\n")
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state), "HOME": str(path / "home")}


@pytest.fixture(name="place")
def _place(tmp_path):
    yield Place(tmp_path)
    # Overlayfs leaves directories that nobody may enter.
    subprocess.run(["chmod", "-R", "u+rwX", tmp_path], check=True)


def aisbx(place, *words, prefix=(), env=None):
    return subprocess.run([*prefix, box.aisbx(), *words], cwd=place.project, env=env or place.env, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def leftovers(place):
    return os.listdir(place.passing) if place.passing.exists() else []


@pytest.fixture(name="second")
def _second():
    """A user has but one, which these tests take in turn: they have the program under test in common, and lock it.

    Yields a function that tells what is in it now and was not before.
    """
    def names():
        return set(os.listdir(SECOND_PLACE)) if os.path.isdir(SECOND_PLACE) else set()

    with open(box.aisbx(), "rb") as program:
        fcntl.flock(program, fcntl.LOCK_EX)
        before = names()
        yield lambda: names() - before


REPLACE = "rm -r d && mkdir d && echo new >d/g && find . -type f && mv d d2 && cat d2/g"


@pytest.mark.parametrize("profile", box.PROFILES)
def test_changes_go_to_disk_and_away(place, profile):
    with box.Watch(place.project):
        done = aisbx(place, "run", "--json", "--profile", profile, "--", "sh", "-ec", REPLACE, prefix=NO_XATTRS)
    result = json.loads(done.stdout)
    assert (result["status"], result["stdout"]) == ("ok", "./d/g\nnew\n"), result
    assert result["isolation"]["level"] == "full"
    assert place.passing.is_dir(), "this run did not need the disk: nothing was tested"
    assert not leftovers(place)


def test_not_where_tmpfs_will_do(place):
    """An old name alone changes nothing."""
    done = aisbx(place, "run", "--", "sh", "-ec", REPLACE, prefix=OLDER)
    assert done.stdout == "./d/g\nnew\n", done
    assert not place.passing.exists()


def test_project_that_holds_the_state(place, second):
    env = {**place.env, "XDG_STATE_HOME": str(place.project / "state")}
    done = aisbx(place, "run", "--", "sh", "-ec", "rm -r d && mkdir d && ls", prefix=NO_XATTRS, env=env)
    assert done.stdout == "d\nstate\n", done
    assert not os.path.exists(place.project / "state/aisbx/passing") and os.path.isdir(SECOND_PLACE)
    assert not second()


def test_refused_where_no_file_system_will_do(place, second):
    prefix = [*OLDER, DENY, "fsetxattr", "EOPNOTSUPP", "setxattr", "EOPNOTSUPP", "fgetxattr", "EOPNOTSUPP", "--"]
    done = aisbx(place, "run", "--", "touch", "ran", prefix=prefix)
    assert done.returncode == 125 and str(place.passing) in done.stderr and "XDG_STATE_HOME" in done.stderr, done
    assert not leftovers(place) and not second()


@pytest.mark.usefixtures("second")
def test_second_place_of_somebody_else_is_not_used(place):
    """What others may write is no place for what a run writes: it gets another, of a name nobody could know."""
    os.makedirs(SECOND_PLACE, exist_ok=True)
    os.chmod(SECOND_PLACE, 0o777)
    env = {**place.env, "XDG_STATE_HOME": str(place.project / "state")}
    before = set(glob.glob(SECOND_PLACE + "-*"))
    stamp = os.stat(SECOND_PLACE).st_mtime_ns
    try:
        done = aisbx(place, "run", "--", "sh", "-ec", "rm -r d && mkdir d && ls", prefix=NO_XATTRS, env=env)
        assert os.stat(SECOND_PLACE).st_mtime_ns == stamp
    finally:
        os.chmod(SECOND_PLACE, 0o711)
    other, = set(glob.glob(SECOND_PLACE + "-*")) or before
    assert done.stdout == "d\nstate\n", done
    assert os.stat(other).st_uid == os.geteuid() and not os.listdir(other)
    if other not in before:
        os.rmdir(other)


def test_killed_run_is_a_leak_and_collected(place):
    def leaks():
        return json.loads(aisbx(place, "doctor", "--leaks", "--json").stdout)["leaks"]

    with subprocess.Popen([*NO_XATTRS, box.aisbx(), "run", "--", "sh", "-c", "rm -r d; echo up; sleep 60"],
                          cwd=place.project, env=place.env, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as run:
        assert run.stdout.readline() == b"up\n"
        layer, = os.listdir(place.passing)
        assert aisbx(place, "gc").returncode == 0 and os.listdir(place.passing) == [layer], "gc took a live run's layer"
        assert not [text for text in leaks()["found"] if layer in text]
        run.send_signal(signal.SIGKILL)
    box.wait_until(lambda: [text for text in leaks()["found"] if layer in text], what="the leak is seen")
    assert json.loads(aisbx(place, "gc", "--json").stdout)["leftovers"] == 1
    assert not leftovers(place)


def test_layers_in_one_string(place):
    """A box with a chain of layers, on a kernel that wants them joined; and the same box on this one."""
    def run(prefix, script):
        done = aisbx(place, "run", "--box", "b", "--", "sh", "-ec", script, prefix=prefix)
        assert done.returncode == 0, done
        return done.stdout

    assert aisbx(place, "create", "b").returncode == 0
    for i in range(12):
        run(OLDER if i % 2 else (), f"echo {i} >>d/list; rm -rf d/e; mkdir -p d/e; echo {i} >d/e/{i}")
        assert aisbx(place, "snap", "b").returncode == 0
    lists = {run(prefix, "cat d/list; ls -A d d/e") for prefix in ((), tuple(OLDER))}
    assert lists == {"".join(f"{i}\n" for i in range(12)) + "d:\ne\nlist\n\nd/e:\n11\n"}
    for prefix, key in (((), "lowerdir+="), (OLDER, "lowerdir=")):  # each was mounted in its own way
        shown = [line for line in run(prefix, "cat /proc/self/mountinfo").splitlines() if f" {place.project} " in line]
        assert len(shown) == 1 and key in shown[0], shown


@pytest.mark.big
def test_long_chain_in_one_string(place):
    """60 layers are more than one option of fsconfig could hold."""
    assert aisbx(place, "create", "b").returncode == 0
    for i in range(60):
        assert aisbx(place, "run", "--box", "b", "--", "sh", "-c", f"echo {i} >n{i}").returncode == 0
        assert aisbx(place, "snap", "b").returncode == 0
    done = aisbx(place, "run", "--box", "b", "--", "sh", "-c", "ls n* | wc -l", prefix=OLDER)
    assert done.stdout == "60\n", done


def test_doctor_calls_it_limited(place):
    checks = {c["name"]: c for c in json.loads(aisbx(place, "doctor", "--json", prefix=NO_XATTRS).stdout)["checks"]}
    tmpfs = checks["tmpfs-xattr"]
    assert tmpfs["status"] == "limited" and "6.6" in tmpfs["fix"] and not tmpfs["refuses"], tmpfs
    assert checks["box"]["status"] == "ok"
