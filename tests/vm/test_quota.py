# SPDX-License-Identifier: Apache-2.0
"""Project quotas on the disk of boxes that stay, on a file system that has them: only root's boxes do; others are watched.

Run by tests/vm/run: the kernel must have quotas. All that moves files between layers and the project is tried, since the
kernel refuses to link or move a file from one project into another.
"""
import json
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
import box  # noqa: E402

MIB = 1 << 20
PYTHON = "/usr/bin/python3"


class Shelf:
    def __init__(self, root):
        self.root, self.project = root, root / "project"
        self.project.mkdir(exist_ok=True)
        (self.project / "old").write_text("old\n")
        self.state = root / "state" / "aisbx"
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "HOME": str(root)}
        self.ok("create", "b")

    def call(self, op, *words):
        done = subprocess.run([box.aisbx(), op, "--json", *map(str, words)], cwd=self.project, env=self.env, timeout=200,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
        return done.returncode, json.loads(done.stdout)

    def ok(self, op, *words):
        status, result = self.call(op, *words)
        assert status == 0, f"{op} {words}: {status}, {result}"
        return result

    def run(self, script, *options, name="b"):
        return self.call("run", "--box", name, *options, "--", "sh", "-ec", script)[1]


def mount(image, at, options):
    subprocess.run(["mount", "-o", f"loop{options}", image, at], check=True, timeout=60)


@pytest.fixture(name="disk")
def fixture_disk(tmp_path):
    """An ext4 with quotas, for root; who is nobody has the directory."""
    at = tmp_path / "disk"
    at.mkdir()
    if not box.IS_ROOT:
        yield at
        return
    image = tmp_path / "image"
    with open(image, "wb") as f:
        f.truncate(300 * MIB)
    subprocess.run(["mkfs.ext4", "-q", "-O", "quota,project", image], check=True, timeout=120)
    mount(image, at, ",prjquota")
    yield at
    # Who brings what a box wrote to the disk may still be at it, after the run.
    box.wait_until(lambda: subprocess.run(["umount", at], stderr=subprocess.DEVNULL, timeout=60, check=False).returncode == 0,
                   what="nobody is at work on the disk")


def project_id(path):
    out = subprocess.run(["lsattr", "-p", "-d", path], check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout
    return int(out.split()[0])


def test_who_holds_it(disk):
    result = Shelf(disk).run("true", "--disk", "20m")
    by = "project quota" if box.IS_ROOT else "watch"
    assert result["limits"]["disk"] == {"value": 20 * MIB, "by": by} and result["limits"]["inodes"]["by"] == by, result


def test_disk(disk):
    shelf = Shelf(disk)
    assert shelf.run("head -c 18m /dev/zero >a", "--disk", "20m")["status"] == "ok"
    result = shelf.run("head -c 40m /dev/zero >b; sleep 100", "--disk", "20m")
    assert result["status"] == "limit" and result["limit"]["kind"] == "disk", result
    if box.IS_ROOT:
        assert result["exit_code"] == 1 and "quota exceeded" in result["stderr"], result
        assert result["limit"]["used"] <= 20 * MIB, "not a byte more"
        # Nothing the box can do changes whose files they are.
        result = shelf.run("rm -f b; mkdir d; chattr -p 0 d || true; chattr -P d || true; head -c 40m /dev/zero >d/b", "--disk", "20m")
        assert result["status"] == "limit" and result["usage"]["disk"] <= 20 * MIB, result
    assert shelf.run("rm -rf b d", "--disk", "40m")["status"] == "ok"
    assert shelf.run("head -c 30m /dev/zero >b", "--disk", "60m")["status"] == "ok"


def test_inodes(disk):
    shelf = Shelf(disk)
    result = shelf.run("i=0; while :; do i=$((i+1)); echo >f$i; done", "--inodes", "300")
    assert result["status"] == "limit" and result["limit"]["kind"] == "inodes", result
    if box.IS_ROOT:
        assert result["limit"]["used"] == 300


def test_157_hard_links_are_names(disk):
    """A quota counts one inode for them all: so they are watched, whoever holds the rest."""
    shelf = Shelf(disk)
    have = shelf.run("true")["usage"]["inodes"]
    links = "/usr/bin/python3 -c 'import os; [os.link(\"f\", \"%s%%d\" %% i) for i in range(300)]'"  # 300 processes take minutes on such a machine
    result = shelf.run("echo >f; " + links % "l", "--inodes", have + 400)
    assert result["status"] == "ok" and result["usage"]["inodes"] >= 301, result
    result = shelf.run(links % "m" + "; sleep 100", "--inodes", have + 400)
    assert result["status"] == "limit" and result["limit"]["kind"] == "inodes" and result["limit"]["used"] > have + 400, result


def test_copies_of_the_hosts_files_count(disk):
    shelf = Shelf(disk)
    (shelf.project / "large").write_bytes(os.urandom(30 * MIB))
    result = shelf.run("printf x >>large; sleep 100", "--disk", "20m")
    if box.IS_ROOT:  # the copy was refused and is gone, so nothing is full at the end
        assert result["exit_code"] and "quota exceeded" in result["stderr"] and result["usage"]["disk"] < MIB, result
    else:
        assert result["status"] == "limit" and result["limit"]["kind"] == "disk", result


def test_everything_that_moves_files(disk):
    shelf = Shelf(disk)
    shelf.run("mkdir -p d/e; head -c 12m /dev/zero >d/e/a; ln d/e/a d/l; mv d/e f; rm old", "--disk", "20m")
    shelf.ok("snap", "b", "one")
    # What is frozen has no limit, and what comes next has all of it.
    assert shelf.run("cat f/a >g; mv f/a f/h; ln f/h f/i", "--disk", "30m")["status"] == "ok"
    shelf.ok("snap", "b", "two")
    shelf.ok("rollback", "b", "one")
    assert shelf.run("ls d f", "--disk", "20m")["stdout"] == "d:\nl\n\nf:\na\n"
    shelf.ok("fork", "b@two", "--name", "c")
    assert shelf.run("ls f; echo c >c", "--disk", "20m", name="c")["stdout"] == "h\ni\n"
    assert shelf.run("mv f k; echo b >b", "--disk", "40m")["status"] == "ok"
    shelf.ok("promote", "b")
    assert (shelf.project / "k/a").stat().st_size == 12 * MIB and not (shelf.project / "old").exists()
    if box.IS_ROOT:
        for path in ("k", "k/a", "d/l", "b"):
            assert project_id(shelf.project / path) == 0, "what is the host's is no longer the box's"
    with open(shelf.project / "k/a", "ab") as f:
        f.write(bytes(50 * MIB))
    (shelf.project / "k/a").write_bytes(bytes(12 * MIB))
    shelf.ok("rm", "b")
    shelf.ok("rm", "c")
    shelf.ok("gc")
    assert not list(shelf.state.glob("layers/*"))


def test_folding(disk):
    """Snapshots until the layers are folded, by linking files of many projects into one layer."""
    shelf = Shelf(disk)
    for i in range(66):  # a layer is one whether or not something was written, and each run takes long here
        if i % 8 == 0:
            assert shelf.run(f"echo {i} >f{i}; echo {i} >>all", "--disk", "20m")["status"] == "ok"
        shelf.ok("snap", "b", f"s{i}")
    assert shelf.run("cat f* | wc -l; wc -l <all", "--disk", "20m")["stdout"].split() == ["9", "9"]
    up = pathlib.Path(shelf.state) / "layers"
    assert any(len(list(d.glob("project/up/f*"))) > 7 for d in up.iterdir()), "nothing was folded"
    assert shelf.run("head -c 30m /dev/zero >x; sleep 100", "--disk", "20m")["status"] == "limit"


def test_without_the_option_it_is_watched(disk):
    if box.IS_ROOT:
        subprocess.run(["umount", disk], check=True, timeout=60)
        mount(disk.parent / "image", disk, "")
    result = Shelf(disk).run("head -c 30m /dev/zero >a; sleep 100", "--disk", "20m")
    assert result["limits"]["disk"]["by"] == "watch", result
    assert result["status"] == "limit" and result["limit"]["kind"] == "disk", result
