# SPDX-License-Identifier: Apache-2.0
"""Disk and inodes of boxes that stay: what is within passes, what is more is stopped and named, and there is a way out.

What such a box keeps lies on the host's file system, so the numbers are compared with what the host sees there. Attack 110
(filling the disk), in the ways that are peculiar to these boxes, is here, too.
"""
import json
import os
import pathlib
import subprocess
import textwrap

import pytest

from box import PROFILES, aisbx, make_canary, wait_until

MIB = 1 << 20
PYTHON = "/usr/bin/python3"
# How much more than its limit a box may get before somebody looks, on a machine that is busy with other tests.
GRACE = 512 * MIB


class Shelf:
    """aisbx with a state directory, a project and a box `b` of the test's own."""

    def __init__(self, root, profile="dev", state=None):
        self.project = root / "project"
        self.state = (state or root) / "state" / "aisbx"
        make_canary(self.project)
        (root / "home").mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state.parent), "HOME": str(root / "home")}
        self.ok("create", "b", "--profile", profile)

    def start(self, *words, **popen):
        return subprocess.Popen([aisbx(), *map(str, words)], cwd=self.project, env=self.env,
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **popen})

    def call(self, op, *words):
        with self.start(op, "--json", *words) as p:
            out, _ = p.communicate(timeout=120)
        return p.returncode, json.loads(out)

    def ok(self, op, *words):
        status, result = self.call(op, *words)
        assert status == 0, f"{op} {words}: {status}, {result}"
        return result

    def run(self, script, *options, box="b", program=("sh", "-ec")):
        status, result = self.call("run", "--box", box, "--timeout", "60s", *options, "--", *program, script)
        result["aisbx_status"] = status
        return result

    def py(self, source, *options, **kw):
        return self.run(textwrap.dedent(source), *options, program=(PYTHON, "-c"), **kw)

    def kept(self):
        """(bytes, names) of everything in the uppers of all layers, as the host's own tools count: of a file its blocks once, its names all."""
        blocks, names, seen = 0, 0, set()
        for up in self.state.glob("layers/*/*/up"):
            for here, dirs, files in os.walk(up):
                names += 1 + len(files) + sum(os.path.islink(os.path.join(here, n)) for n in dirs)
                for path in [here, *(os.path.join(here, n) for n in files + dirs)]:
                    st = os.lstat(path)
                    if st.st_ino not in seen:
                        seen.add(st.st_ino)
                        blocks += st.st_blocks
        return blocks * 512, names

    def clear(self):
        """Everything goes, however deep it is nested: also what pytest could not remove."""
        for box in self.ok("ls", "--all")["boxes"]:
            # Who was killed keeps the box for as long as the kernel takes to clean up after it.
            wait_until(lambda name=box["name"]: self.call("rm", name)[0] == 0, 30, "the box to be free")
        self.ok("gc")
        assert not list(self.state.glob("layers/*"))


@pytest.fixture(name="shelf", params=PROFILES)
def fixture_shelf(tmp_path, request):
    shelf = Shelf(tmp_path, request.param)
    yield shelf
    shelf.clear()


@pytest.fixture(name="one")
def fixture_one(tmp_path):
    shelf = Shelf(tmp_path)
    yield shelf
    shelf.clear()


def stopped(result, kind, value):
    assert result["status"] == "limit", result
    assert result["limit"]["kind"] == kind and result["limit"]["value"] == value, result
    assert result["aisbx_status"] == 137 and result["exit_code"] is None
    assert result["limits"][kind] == {"value": value, "by": "watch"}
    assert result["limit"]["used"] > value
    assert result["usage"]["wall_ms"] < 90000, "it was seen at the end only: who is over his limit and does not end sleeps for 100 s"
    return result


def near(told, real):
    assert abs(told - real) <= real / 20, f"told {told}, in truth {real}"


# Just under, just over.

def test_just_under_passes_and_is_counted(shelf):
    result = shelf.run("head -c 19000000 /dev/zero >a", "--disk", "20m", "--inodes", "1000")
    assert result["status"] == "ok" and result["limit"] is None, result
    assert result["limits"]["disk"] == {"value": 20 * MIB, "by": "watch"}
    real, inodes = shelf.kept()
    near(result["usage"]["disk"], real)
    assert result["usage"]["inodes"] == inodes
    assert 19000000 <= result["usage"]["disk"] <= 20 * MIB


def test_just_over_is_stopped_however_fast_it_ends(shelf):
    """A command that is done before anybody looked is stopped in name only, but named it is."""
    result = stopped(shelf.run("head -c 22000000 /dev/zero >a", "--disk", "20m"), "disk", 20 * MIB)
    real, _ = shelf.kept()
    near(result["limit"]["used"], real)
    near(result["usage"]["disk"], real)


def test_110_a_disk_is_not_filled(shelf):
    """As attack: it would take 3 GB if it could."""
    result = stopped(shelf.py("""
        import os
        block = bytes(1 << 20)
        for n in range(3):
            with open(f'f{n}', 'wb') as f:
                for _ in range(1000):
                    f.write(block)
        print('not stopped')
        """, "--disk", "64m", "--file-size", "0"), "disk", 64 * MIB)
    assert "not stopped" not in result["stdout"]
    real, _ = shelf.kept()
    assert 64 * MIB < real < 64 * MIB + GRACE
    near(result["limit"]["used"], real)


@pytest.mark.quiet
def test_110_inodes_are_not_used_up(shelf):
    result = stopped(shelf.py("""
        import os
        n = 0
        while True:
            os.mkdir(f'd{n}')
            for i in range(50):
                os.close(os.open(f'd{n}/f{i}', os.O_CREAT))
                os.symlink('x', f'd{n}/l{i}')
            n += 1
        """, "--inodes", "2000"), "inodes", 2000)
    _, inodes = shelf.kept()
    assert 2000 < inodes < 200000
    near(result["limit"]["used"], inodes)
    near(result["usage"]["inodes"], inodes)


def test_just_under_the_inodes_passes(shelf):
    have = shelf.run("true")["usage"]["inodes"]
    result = shelf.run("mkdir d; for i in $(seq 100); do echo >d/f$i; ln d/f$i d/g$i; done", "--inodes", have + 201)
    assert result["status"] == "ok", result
    _, names = shelf.kept()
    assert result["usage"]["inodes"] == names == have + 201, "a file with two names is two"


LINKS = """
    import os
    open('f', 'w').close()
    for i in range({n}):
        os.link('f', f'l{{i}}')
    """


def test_157_hard_links_are_names(shelf):
    """One file, and each of its names is an entry that the host has to keep and read. What is just under passes, what is just over does not."""
    have = shelf.run("true")["usage"]["inodes"]
    result = shelf.py(LINKS.format(n=999), "--inodes", have + 1000)
    assert result["status"] == "ok" and result["usage"]["inodes"] == have + 1000, result
    result = stopped(shelf.run("ln f one-more", "--inodes", have + 1000), "inodes", have + 1000)
    assert result["limit"]["used"] == have + 1001
    # Control: so many inodes there are not.
    assert len({os.lstat(p).st_ino for up in shelf.state.glob("layers/*/project/up") for p in up.glob("*")}) < 10


@pytest.mark.quiet
def test_157_links_without_end_are_stopped(shelf):
    result = stopped(shelf.py("""
        import os
        n = 0
        while True:
            os.close(os.open(f'f{n}', os.O_CREAT))
            for i in range(1000):
                os.link(f'f{n}', f'l{n}-{i}')
            n += 1
        """, "--inodes", "2000"), "inodes", 2000)
    _, names = shelf.kept()
    assert 2000 < result["limit"]["used"] <= names < 400000


def test_the_limit_of_the_profile_holds(one):
    """Nobody asked for one: strict has 100 MiB."""
    one.ok("create", "s", "--profile", "strict")
    result = stopped(one.run("for i in 1 2 3 4 5 6; do head -c 50m /dev/zero >f$i; done", box="s"), "disk", 100 * MIB)
    assert result["limits"]["inodes"]["by"] == "watch"


def test_a_sparse_file_counts_by_its_blocks(one):
    result = one.run("truncate -s 1T big; printf x | dd of=big bs=1 seek=500G conv=notrunc 2>/dev/null", "--disk", "4m",
                     "--file-size", "0")
    assert result["status"] == "ok", result
    assert result["usage"]["disk"] < MIB


def test_a_thing_removed_counts_no_more(one):
    for _ in range(4):
        result = one.run("head -c 15m /dev/zero >a; rm a", "--disk", "20m")
        assert result["status"] == "ok" and result["usage"]["disk"] < MIB, result


def test_a_copy_on_write_counts_whole(one):
    """A file of the host that is changed in one byte is kept whole, and so it counts."""
    (one.project / "large").write_bytes(os.urandom(30 * MIB))
    stopped(one.run("printf x >>large; sleep 30", "--disk", "20m"), "disk", 20 * MIB)


def test_tmp_and_home_are_not_kept(one):
    """They are in the box's own memory, bounded by the same number, and refuse what does not fit."""
    result = one.run("head -c 15m /dev/zero >/tmp/a; head -c 15m /dev/zero >b", "--disk", "20m")
    assert result["status"] == "ok", result
    assert 15 * MIB <= result["usage"]["disk"] < 16 * MIB
    result = one.run("head -c 30m /dev/zero >/tmp/a", "--disk", "20m")
    assert result["status"] == "limit" and result["limit"]["kind"] == "disk", result
    assert result["exit_code"] == 1 and "No space left" in result["stderr"]


# Ways around it.

def test_110_directories_closed_to_their_owner(one):
    """As an ordinary user, who watches is as much bound by a mode as who is watched."""
    stopped(one.py("""
        import os, time
        os.makedirs('d/e')
        for n in range(30):
            with open(f'd/e/{n}', 'wb') as f:
                f.write(bytes(1 << 20))
            if n == 2:
                os.chmod('d/e', 0o300)
                os.chmod('d', 0o300)
        time.sleep(100)
        """, "--disk", "20m"), "disk", 20 * MIB)


def test_110_files_without_a_name(one):
    """Removed and held open a file still takes space, and no directory shows it."""
    result = stopped(one.py("""
        import os, time
        f = open('a', 'wb')
        os.remove('a')
        block = bytes(1 << 20)
        for n in range(20000):
            f.write(block)
            f.flush()
            time.sleep(0.001)
        """, "--disk", "100m", "--file-size", "0"), "disk", 100 * MIB)
    assert result["usage"]["disk"] < MIB, "they are gone with the box"


@pytest.mark.big
def test_110_as_deep_as_it_goes(one):
    stopped(one.py("""
        import os, time
        for n in range(1000):
            os.mkdir('d')
            os.chdir('d')
        for n in range(30):
            with open(str(n), 'wb') as f:
                f.write(bytes(1 << 20))
        time.sleep(100)
        """, "--disk", "20m"), "disk", 20 * MIB)


@pytest.mark.big
def test_110_behind_many_files(one):
    """The more there is to count the later it is seen; but seen it is. What is told was counted, if not to the end."""
    one.py("""
        import os
        for d in range(60):
            os.mkdir(str(d))
            for n in range(500):
                os.close(os.open(f'{d}/{n}', os.O_CREAT))
        """)
    result = stopped(one.run("head -c 3000m /dev/zero >a", "--disk", "50m", "--file-size", "0"), "disk", 50 * MIB)
    assert 0 < result["usage"]["inodes"] <= 30100 and result["usage"]["disk"] > 50 * MIB
    assert one.kept()[0] < 50 * MIB + 3 * GRACE


@pytest.mark.big
def test_110_deep_and_wide(one):
    """More branches below a great depth than anybody counts: taken for what it is."""
    result = one.py("""
        import os, time
        for n in range(140):
            os.mkdir('d')
            os.chdir('d')
            for i in range(200 if n > 110 else 0):
                os.mkdir(str(i))
        time.sleep(100)
        """, "--inodes", "100000")
    stopped(result, "inodes", 100000)


@pytest.mark.big
def test_110_moving_targets(one):
    """Files that are moved about are neither counted twice nor missed for long."""
    source = """
        import os, time
        for d in ('a', 'b'):
            os.makedirs(d)
            for n in range(300):
                os.mkdir(f'{d}/{n}')
        for n in range(%d):
            with open(f'a/0/{n}', 'wb') as f:
                f.write(bytes(1 << 20))
        end = time.monotonic() + %d
        while time.monotonic() < end:
            os.rename('a/0', 'b/0/x')
            os.rename('b/0/x', 'a/0')
            for n in range(5):
                os.rename(f'a/0/{n}', f'b/299/{n}')
            for n in range(5):
                os.rename(f'b/299/{n}', f'a/0/{n}')
        """
    result = one.py(source % (14, 4), "--disk", "20m")
    assert result["status"] == "ok", result
    stopped(one.py(source.replace("os.makedirs(d)", "os.makedirs(d + 'x')").replace("{d}/", "{d}x/")
                   .replace("'a/", "'ax/").replace("'b/", "'bx/").replace("f'a/", "f'ax/").replace("f'b/", "f'bx/")
                   % (14, 40), "--disk", "20m"), "disk", 20 * MIB)


def test_neighbours_are_not_disturbed(one):
    """One box is stopped, the other, on the same file system, is not; nor is it counted the other's."""
    one.ok("create", "quiet")
    with one.start("run", "--json", "--box", "quiet", "--disk", "8m", "--", "sh", "-ec",
                   "echo up; read x; head -c 4m /dev/zero >mine", stdin=subprocess.PIPE) as quiet:
        for _ in range(3):
            stopped(one.run("rm -f a; head -c 500m /dev/zero >a", "--disk", "30m", "--file-size", "0"), "disk", 30 * MIB)
            assert one.run("rm a", "--disk", "4g")["status"] == "ok"
        out, _ = quiet.communicate(b"\n", timeout=60)
    result = json.loads(out)
    assert result["status"] == "ok" and result["stdout"] == "up\n", result
    assert 4 * MIB <= result["usage"]["disk"] < 5 * MIB


# The way out.

def test_a_full_box_is_told_so_and_can_be_used(one):
    one.run("echo good >good")
    one.ok("snap", "b", "before")
    stopped(one.run("echo more >more; head -c 30m /dev/zero >a; sleep 30", "--disk", "20m"), "disk", 20 * MIB)
    result = one.run("echo ran", "--disk", "20m")
    assert result["status"] == "error" and result["error"]["code"] == "EDQUOT" and result["aisbx_status"] == 125
    for word in ("'b'", "20 MiB", "--disk", "rollback", "aisbx rm"):
        assert word in result["error"]["text"]
    assert {c["path"] for c in one.ok("diff", "b")["changes"]} == {"a", "good", "more"}
    assert one.run("cat more; rm a", "--disk", "100m")["stdout"] == "more\n"
    assert one.run("echo again", "--disk", "20m")["status"] == "ok"


def test_a_full_box_is_rolled_back(one):
    one.run("echo good >good")
    one.ok("snap", "b", "before")
    stopped(one.run("head -c 30m /dev/zero >a; sleep 30", "--disk", "20m"), "disk", 20 * MIB)
    one.ok("rollback", "b", "before")
    assert one.run("ls a 2>/dev/null || cat good", "--disk", "20m")["stdout"] == "good\n"
    one.ok("gc")
    assert one.kept()[0] < 2 * MIB


def test_a_full_box_is_snapped_and_has_room_again(one):
    """What counts is what was written since the last snapshot."""
    stopped(one.run("head -c 30m /dev/zero >a; sleep 30", "--disk", "20m"), "disk", 20 * MIB)
    one.ok("snap", "b", "full")
    result = one.run("head -c 15m /dev/zero >c", "--disk", "20m")
    assert result["status"] == "ok" and 15 * MIB <= result["usage"]["disk"] < 16 * MIB, result


def test_a_full_box_is_promoted_forked_and_removed(one):
    stopped(one.run("echo new >new; head -c 30m /dev/zero >a; sleep 30", "--disk", "20m"), "disk", 20 * MIB)
    size = next(one.state.glob("layers/*/project/up/a")).stat().st_size
    one.ok("fork", "b", "--name", "f")
    one.ok("promote", "b")
    assert (one.project / "new").read_text() == "new\n" and (one.project / "a").stat().st_size == size
    one.ok("undo")
    assert not (one.project / "a").exists()
    one.clear()


def test_joined_commands_have_the_limit_in_common(one):
    with one.start("run", "--json", "--box", "b", "--disk", "20m", "--", "sh", "-c", "echo >up; sleep 60") as first:
        wait_until(lambda: list(one.state.glob("layers/*/project/up/up")), 30, "the first command")
        other = one.run("true", "--disk", "40m")
        assert other["status"] == "error" and "--disk" in other["error"]["text"]
        joined = one.run("head -c 8m /dev/zero >small", "--disk", "20m")
        assert joined["status"] == "ok" and 8 * MIB <= joined["usage"]["disk"] < 9 * MIB, joined
        second = one.run("head -c 500m /dev/zero >a; sleep 60", "--disk", "20m", "--file-size", "0")
        out, _ = first.communicate(timeout=60)
    assert second["status"] != "ok"
    result = json.loads(out)
    assert result["status"] == "limit" and result["limit"]["kind"] == "disk", result


def test_stats_tell_what_is_kept_while_it_runs(one):
    run = one.ok("run", "--detach", "--box", "b", "--", "sh", "-c", "head -c 8m /dev/zero >a; sleep 60")["run"]

    def disk():
        return one.ok("stats", run)["runs"][0]["disk"]
    wait_until(lambda: 8 * MIB <= disk() < 9 * MIB, 30, "8 MiB in the statistics")
    one.ok("kill", run)


@pytest.mark.big
def test_nobody_counts_when_the_run_is_over(one):
    """The child that counts a large box goes with the run, and with a supervisor that is killed."""
    one.py("""
        import os
        for d in range(300):
            os.mkdir(str(d))
            for n in range(100):
                os.close(os.open(f'{d}/{n}', os.O_CREAT))
        """)
    marker = str(one.state)
    with one.start("run", "--box", "b", "--disk", "200m", "--", "sh", "-c", f": {marker}; while :; do echo >x; rm x; done") as p:
        wait_until(lambda: children(p.pid) > 1, 30, "a child that counts")
        p.kill()
        p.wait()
    wait_until(lambda: not mine(marker), 30, "the end of all")


def children(pid):
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return len(text.split())


def mine(marker):
    found = []
    for proc in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (proc / "cmdline").read_bytes():
                found.append(proc.name)
        except OSError:
            continue
    return found

