# SPDX-License-Identifier: Apache-2.0
"""Machines on which single files are mount points, as containers have for /etc/resolv.conf: a box starts, and shows what is mounted.

Each test mounts in a namespace of its own; the host is not touched. Runs as root and as an ordinary user, with AISBX in the environment.
"""
import json
import os
import subprocess

import pytest

AISBX = os.environ["AISBX"]
IS_ROOT = os.geteuid() == 0
BIG = 100_000  # more than is copied


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def entered(mounts):
    """For a command after MOUNTS, a script. An ordinary user mounts in a user namespace, and has no rights there any more when the command begins."""
    own = [] if IS_ROOT else ["--map-current-user", "--keep-caps"]
    drop = "" if IS_ROOT else "setpriv --inh-caps=-all --ambient-caps=-all "
    return ["unshare", *own, "--mount", "sh", "-ec", f'{mounts}\nexec {drop}"$@"', "sh"]


def call(place, mounts, *words):
    return subprocess.run([*entered(mounts), AISBX, *words], cwd=place / "project", capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, env={**os.environ, "XDG_STATE_HOME": str(place / "state")})


def run(place, mounts, *words, options=()):
    done = call(place, mounts, "run", "--json", *options, "--", *words)
    result = json.loads(done.stdout)
    assert "error" not in result or not result["error"], result
    assert result["isolation"]["level"] == "full"
    return result


def bound(place, target, text, fs=""):
    """A script that mounts a file with TEXT on TARGET, from a file system of the kind FS if it is given."""
    source = place / "source"
    if fs:
        source.mkdir()
        (place / "text").write_text(text)
        return f"mount -t {fs} none {source}; cat {place}/text > {source}/file; mount --bind {source}/file {target}"
    source.write_text(text)
    return f"mount --bind {source} {target}"


@pytest.mark.parametrize("profile", ["dev", "strict"])
@pytest.mark.parametrize("fs", ["", "tmpfs"])
@pytest.mark.parametrize("target", ["/etc/resolv.conf", "/etc/debian_version"])
def test_what_is_mounted_is_shown(place, target, fs, profile):
    result = run(place, bound(place, target, "from a mount\n", fs), "cat", target, options=["--profile", profile])
    assert (result["exit_code"], result["stdout"]) == (0, "from a mount\n"), result


def test_in_a_box_that_stays(place):
    mounts = bound(place, "/etc/resolv.conf", "from a mount\n")
    assert call(place, mounts, "create", "kept").returncode == 0
    result = run(place, mounts, "cat", "/etc/resolv.conf", options=["--box", "kept"])
    assert result["stdout"] == "from a mount\n", result
    assert call(place, mounts, "diff", "kept").stdout == "no changes\n"
    if IS_ROOT:  # whose boxes can change the system: the rest of the directory
        run(place, mounts, "sh", "-ec", "echo mine > /etc/debian_version; echo mine > /etc/new", options=["--box", "kept"])
        assert run(place, mounts, "cat", "/etc/debian_version", "/etc/new", options=["--box", "kept"])["stdout"] == "mine\n" * 2
    assert call(place, mounts, "rm", "kept").returncode == 0


def test_a_big_file(place):
    result = run(place, bound(place, "/etc/debian_version", "x" * BIG), "wc", "-c", "/etc/debian_version")
    assert result["stdout"].split()[0] == str(BIG), result


@pytest.mark.parametrize("profile", ["dev", "strict"])
def test_a_file_under_a_device_stays_hidden(place, profile):
    """As containers hide files: neither the device is shown nor what lies below."""
    result = run(place, "mount --bind /dev/null /etc/debian_version", "sh", "-c", "cat /etc/debian_version; test ! -c /etc/debian_version && echo no device",
                 options=["--profile", profile])
    assert result["stdout"] == "no device\n", result


def test_only_the_box_can_change_it(place):
    """Of root's boxes, which can change the system; those of others cannot."""
    script = "echo more >> /etc/resolv.conf; cat /etc/resolv.conf; rm /etc/resolv.conf; echo new > /etc/other; mv /etc/other /etc/resolv.conf; cat /etc/resolv.conf"
    result = run(place, bound(place, "/etc/resolv.conf", "from a mount\n"), "sh", "-ec", script)
    assert result["stdout"] == ("from a mount\nmore\nnew\n" if IS_ROOT else ""), result
    assert (place / "source").read_text() == "from a mount\n"
