# SPDX-License-Identifier: Apache-2.0
"""Boxes that stay: create, run, snapshot, roll back, fork, remove and history, as a person drives them.

The same file runs as root and as an ordinary user; where the two differ, both outcomes are checked.
Every test has a state directory and a project of its own.
"""
import json
import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import pace
from box import IS_ROOT, Watch, aisbx, facts, make_canary, wait_until

PYTHON = "/usr/bin/python3"
LONG = os.environ.get("AISBX_LONG") == "1"


class Shelf:
    """aisbx with a state directory and a project of the test's own."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.project = self.root / "project"
        self.state = self.root / "state" / "aisbx"
        make_canary(self.project)
        (self.project / "d").mkdir()
        (self.project / "d" / "old").write_text("old\n")
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state.parent), "HOME": str(self.root / "home")}
        (self.root / "home").mkdir()

    def start(self, *words, cwd=None, **popen):
        return subprocess.Popen([aisbx(), *map(os.fspath, words)], cwd=cwd or self.project, env=self.env,
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                                   "stderr": subprocess.PIPE, **popen})

    def call(self, op, *words, cwd=None, timeout=60):
        """(exit status, result) of `aisbx OP --json WORDS`."""
        with self.start(op, "--json", *words, cwd=cwd) as p:
            try:
                out, err = p.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                p.kill()
                raise
        try:
            return p.returncode, json.loads(out)
        except ValueError:
            raise AssertionError(f"{op} {words}: no JSON but {out[:500]!r}, {err[:500]!r}") from None

    def ok(self, op, *words, **kw):
        status, result = self.call(op, *words, **kw)
        assert status == 0, f"{op} {words}: {status}, {result}"
        return result

    def refused(self, code, op, *words, **kw):
        """The text of a refusal with this errno's name."""
        status, result = self.call(op, *words, **kw)
        assert status == 125 and result["status"] == "error", f"{op} {words} was not refused: {status}, {result}"
        assert result["error"]["code"] == code, result
        return result["error"]["text"]

    def sh(self, box, script, want=0, options=(), timeout=60):
        """Standard output of a shell script run in BOX."""
        status, result = self.call("run", "--box", box, *options, "--", "sh", "-ec", script, timeout=timeout)
        assert status == want and "isolation" in result, f"{script!r}: {result}"
        assert "history_error" not in result, result
        return result["stdout"]

    def py(self, box, source, want=0):
        status, result = self.call("run", "--box", box, "--", PYTHON, "-c", textwrap.dedent(source))
        assert status == want, result.get("stderr", result)
        return result["stdout"]

    def names(self):
        return {b["name"] for b in self.ok("ls", "--all")["boxes"]}


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    made = Shelf(tmp_path)
    before = facts(made.project)
    yield made
    if made.project.exists():
        after = facts(made.project)
        assert after == before, "the box's changes reached the host"


# Changes stay in the box.

def test_changes_stay_in_the_box_and_off_the_host(shelf):
    made = shelf.ok("create", "one")
    assert made["name"] == "one" and made["id"].startswith("b-") and made["project"] == str(shelf.project)
    assert made["profile"] == "dev" and made["expires_ms"] is None and made["autosnap"] is False
    assert abs(made["created_ms"] / 1e3 - time.time()) < 60
    shelf.sh("one", "echo new > new; echo more >> plain; rm private; mkdir -p a/b; ln -s plain a/l")
    assert shelf.sh("one", "cat new plain a/../plain; readlink a/l; test ! -e private") == \
        "new\ncanary\nmore\ncanary\nmore\nplain\n"
    assert shelf.sh(made["id"], "cat new") == "new\n"
    shelf.sh("one", "false", want=1)
    assert shelf.sh("one", "cat new") == "new\n"


def test_a_run_without_a_box_sees_none_and_keeps_none(shelf):
    shelf.ok("create", "one")
    shelf.sh("one", "echo x > only-in-one")
    _, result = shelf.call("run", "--", "sh", "-c", "ls; echo y > mine")
    assert "only-in-one" not in result["stdout"]
    assert "mine" not in shelf.sh("one", "ls")


def test_two_boxes_do_not_see_each_other(shelf):
    for name in ("one", "two"):
        shelf.ok("create", name)
        shelf.sh(name, f"echo {name} > who; echo {name} >> plain")
    assert shelf.sh("one", "cat who plain") == "one\ncanary\none\n"
    assert shelf.sh("two", "cat who plain") == "two\ncanary\ntwo\n"


def test_deletes_and_replaced_directories(shelf):
    shelf.ok("create", "b")
    shelf.sh("b", "rm -r d; mkdir d; echo n > d/new")
    assert shelf.sh("b", "ls d") == "new\n"
    shelf.ok("snap", "b", "replaced")
    assert shelf.sh("b", "ls d") == "new\n"
    shelf.sh("b", "rm -r d; echo file > d")  # a file where a directory was, two layers up
    shelf.ok("snap", "b", "file")
    assert shelf.sh("b", "cat d") == "file\n"
    shelf.sh("b", "rm d; mkdir -p d/deep; rm -r deep; rm plain")
    shelf.ok("snap", "b", "again")
    assert shelf.sh("b", "find d; test ! -e deep; test ! -e plain") == "d\nd/deep\n"
    shelf.sh("b", "echo back > plain; mkdir deep")  # over whiteouts
    shelf.ok("snap", "b", "back")
    assert shelf.sh("b", "cat plain; ls -A deep") == "back\n"


def test_renamed_directories(shelf):
    shelf.ok("create", "b")
    shelf.sh("b", "mv deep moved; mv d d2; mv moved/er er")
    for _ in range(2):
        assert shelf.sh("b", "cat er/file moved/read-only d2/old; test ! -e deep; test ! -e d; test ! -e moved/er") == \
            "deep\nro\nold\n"
        shelf.ok("snap", "b")
        shelf.sh("b", "mv er er2; mv er2 er")


def test_modes_links_times_and_xattrs(shelf):
    shelf.ok("create", "b")
    script = """
        import os
        os.chmod("plain", 0o4751); os.chmod("d", 0o1770); os.setxattr("plain", "user.note", b"a\\0b")
        os.setxattr("d", "user.dir", b"x" * 200); os.removexattr("private", "user.canary")
        os.remove("link"); os.symlink("/no where\\n", "link"); os.link("program", "d/linked")
        os.utime("program", ns=(10**18 + 5, 10**18 + 7)); os.mkfifo("fifo"); os.chmod("deep", 0o500)
        """
    look = """
        import os
        print(oct(os.stat("plain").st_mode), oct(os.stat("d").st_mode), oct(os.stat("deep").st_mode),
              os.getxattr("plain", "user.note"), len(os.getxattr("d", "user.dir")), os.listxattr("private"),
              repr(os.readlink("link")), os.stat("program").st_mtime_ns, os.stat("fifo").st_mode >> 12,
              os.stat("program").st_ino == os.stat("d/linked").st_ino)
        """
    shelf.py("b", script)
    want = ("0o104751 0o41770 0o40500 b'a\\x00b' 200 [] '/no where\\n' 1000000000000000007 1 True\n")
    assert shelf.py("b", look) == want
    shelf.ok("snap", "b", "s")
    assert shelf.py("b", look) == want
    shelf.ok("fork", "b@s", "--name", "f")
    assert shelf.py("f", look) == want


def test_directories_without_permissions(shelf):
    """What a box took from itself stops nobody, root or not."""
    shelf.ok("create", "b")
    shelf.sh("b", "mkdir -p a/shut; echo 1 > a/shut/x; chmod 0 a/shut")
    assert {c["path"] for c in shelf.call("diff", "b")[1]["changes"]} == {"a", "a/shut", "a/shut/x"}
    shelf.ok("fork", "b", "--name", "kept")
    shelf.ok("rollback", "b", shelf.ok("show", "b")["snapshot_list"][0]["id"])
    assert shelf.sh("kept", "chmod u+rwx a/shut; cat a/shut/x") == "1\n"
    shelf.ok("create", "c")
    shelf.sh("c", "mkdir -p a/shut; echo 1 > a/shut/x; chmod 0 a/shut")
    shelf.sh("c", "chmod u+rx a/shut")
    assert {c["path"] for c in shelf.call("diff", "c")[1]["changes"]} == {"a", "a/shut", "a/shut/x"}


def test_odd_names(shelf):
    shelf.ok("create", "b")
    make = """
        import os
        names = [b"new\\nline", b"\\xff\\xfe", b"n" * 255, b" ", b"-rf", b"tab\\t", b"\\\\", b"'\\"", b".wh.old", b"\\xe2\\x82"]
        """
    shelf.py("b", make + """
        for n in names:
            open(n, "wb").write(n)
        os.mkdir(b"dir\\xff\\n"); open(b"dir\\xff\\n/f", "w").close()
        """)
    shelf.ok("snap", "b", "s")
    assert shelf.py("b", make + """
        print(all(open(n, "rb").read() == n for n in names), os.listdir(b"dir\\xff\\n"))
        for n in names:
            os.remove(n)
        """) == "True [b'f']\n"
    assert shelf.py("b", make + "print(any(map(os.path.exists, names)))") == "False\n"
    shelf.ok("rollback", "b", "s")
    assert shelf.py("b", make + "print(all(map(os.path.exists, names)))") == "True\n"
    shelf.ok("rm", "b")


def test_the_systems_files(shelf):
    """As root with the profile dev the system can be changed, in the box; for a user it is read-only."""
    tree = shelf.root / "deb"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "usr/share/aisbx-tiny").mkdir(parents=True)
    (tree / "usr/share/aisbx-tiny/file").write_text("tiny\n")
    (tree / "DEBIAN/control").write_text("Package: aisbx-tiny\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.c>\n"
                                         "Description: nothing\n")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, shelf.root / "tiny.deb"], check=True,
                   stdout=subprocess.DEVNULL, timeout=60)
    install = ("--ro", f"{shelf.root / 'tiny.deb'}:/mnt/tiny.deb")
    shelf.ok("create", "b")
    shelf.ok("create", "other")
    with Watch("/etc", "/var/lib/dpkg", "/usr/share/doc", content=False):
        if not IS_ROOT:
            assert "Read-only" in shelf.call("run", "--box", "b", "--", "touch", "/usr/aisbx-x")[1]["stderr"]
            return
        shelf.sh("b", "touch /usr/aisbx-x; echo y >> /etc/hostname; rm /etc/passwd-")
        shelf.sh("b", "dpkg -i /mnt/tiny.deb", options=install)
        for _ in range(2):
            assert shelf.sh("b", "ls /usr/aisbx-x; tail -n1 /etc/hostname; cat /usr/share/aisbx-tiny/file; "
                                 "dpkg-query -Wf '${Status}\\n' aisbx-tiny; test ! -e /etc/passwd-") == \
                "/usr/aisbx-x\ny\ntiny\ninstall ok installed\n"
            shelf.ok("snap", "b")
        shelf.sh("b", "useradd -M aisbx-new; echo aisbx-new:secret | chpasswd -e")
        assert shelf.sh("b", "grep -h aisbx-new /etc/passwd /etc/shadow | cut -d: -f1,2") == \
            "aisbx-new:x\naisbx-new:secret\n"
        assert shelf.sh("other", "ls -d /usr/aisbx-x /usr/share/aisbx-tiny || true") == ""
    assert not os.path.exists("/usr/aisbx-x") and not os.path.exists("/usr/share/aisbx-tiny")
    assert subprocess.run(["dpkg-query", "-W", "aisbx-tiny"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          check=False, timeout=60).returncode != 0


def test_what_aisbx_keeps_is_out_of_sight(shelf):
    """A project that holds the state directory would let a box read, or rewrite, the others."""
    status, result = shelf.call("create", "one", "--project", shelf.root)
    assert status == 125 and "XDG_STATE_HOME" in result["error"]["text"]


# Snapshots and rolling back.

def test_snapshot_change_rollback(shelf):
    shelf.ok("create", "b")
    shelf.sh("b", "echo 1 > v; echo one >> plain")
    one = shelf.ok("snap", "b", "one")
    assert one["name"] == "one" and one["automatic"] is False
    shelf.sh("b", "echo 2 > v; rm plain; mkdir x")
    two = shelf.ok("snap", "b", "two")
    shelf.sh("b", "echo 3 > v; rm -r x d")
    assert shelf.ok("rollback", "b", "one", "--drift", "off") == {"box": "b", "snapshot": "one"}
    assert shelf.sh("b", "cat v plain; test ! -e x; ls d") == "1\ncanary\none\nold\n"
    assert [s["name"] for s in shelf.ok("show", "b")["snapshot_list"]] == ["one", "two"]
    shelf.ok("rollback", "b", two["id"])  # later ones stay, and ids work
    assert shelf.sh("b", "cat v; test ! -e plain; test -d x; ls d") == "2\nold\n"
    shelf.ok("gc")  # what the rollbacks dropped goes, nothing else
    assert shelf.sh("b", "cat v") == "2\n"
    shelf.ok("rollback", "b", "one")
    assert shelf.sh("b", "cat v") == "1\n"
    tree = shelf.ok("tree", "--all")
    assert {s["name"]: s["parent"] for s in tree["snapshots"]} == {"one": None, "two": one["id"]}
    assert [b["on"] for b in tree["boxes"]] == [one["id"]]


def test_a_snapshot_of_nothing_is_the_machine(shelf):
    shelf.ok("create", "b")
    shelf.ok("snap", "b", "clean")
    shelf.sh("b", "rm -r d; echo x > plain")
    shelf.ok("rollback", "b", "clean")
    assert shelf.sh("b", "cat plain d/old") == "canary\nold\n"


def test_automatic_snapshots(shelf):
    assert shelf.ok("create", "auto", "--autosnap")["autosnap"] is True

    def taken():
        return shelf.ok("show", "auto")["snapshot_list"]

    shelf.sh("auto", "true")
    shelf.sh("auto", "cat plain; ls -laR . > /dev/null; : > gone; rm gone")
    assert taken() == []
    shelf.sh("auto", "echo 1 > v")
    assert [s["automatic"] for s in taken()] == [True]
    shelf.sh("auto", "true")
    assert len(taken()) == 1
    shelf.sh("auto", "echo 2 > v; exit 3", want=3)  # a run that failed changed something, too
    shelf.sh("auto", "rm v")
    assert len(taken()) == 3
    shelf.ok("rollback", "auto", taken()[0]["name"])
    assert shelf.sh("auto", "cat v") == "1\n"
    shelf.sh("auto", "chmod 0711 .")
    assert len(taken()) == 4, "the mode of the project itself is a change"


@pytest.mark.big
def test_200_snapshots_deep(shelf):
    shelf.ok("create", "deep")
    for i in range(200):
        if i % 20 == 0:
            shelf.sh("deep", f"echo {i} > f{i}; echo {i} > last")
        shelf.ok("snap", "deep", f"s{i}")
    assert shelf.sh("deep", "cat last; ls f* | wc -l; cat plain") == "180\n10\ncanary\n"
    shelf.ok("rollback", "deep", "s100")
    assert shelf.sh("deep", "cat last; ls f* | wc -l") == "100\n6\n"
    shelf.ok("fork", "deep@s199", "--name", "f")
    assert shelf.sh("f", "cat last; rm f0; mv d e; cat e/old") == "180\nold\n"
    shelf.ok("rm", "deep")
    assert shelf.sh("f", "cat last; ls f* | wc -l") == "180\n9\n"


# Chains of layers that are folded into one.

def chain(shelf, box):
    """Layers a run in the box stacks, its own first."""
    db = sqlite3.connect(shelf.state / "store.db")
    found = [row[0] for row in db.execute(
        "WITH RECURSIVE chain(id, parent, depth) AS (SELECT l.id, l.parent, 0 FROM layers l JOIN boxes b ON b.top = l.id "
        "WHERE b.name = ? UNION ALL SELECT l.id, l.parent, depth + 1 FROM layers l JOIN chain c ON l.id = c.parent) "
        "SELECT id FROM chain ORDER BY depth", (box,))]
    db.close()
    return found


@pytest.mark.big
def test_snapshots_without_end(shelf):
    """Overlayfs takes 500 layers: long chains are folded, and every snapshot stays what it was."""
    deep = 600 if LONG else 70
    last = deep - 1
    shelf.ok("create", "deep", "--autosnap")
    depths = []
    for i in range(deep):
        result = shelf.ok("run", "--box", "deep", "--", "sh", "-c",
                          f"echo {i} > l{i}; echo {i} > last; rm -f l{i - 2}; mkdir -p d/{i % 7}; echo {i} > d/{i % 7}/x")
        assert "snapshot_error" not in result
        depths.append(len(chain(shelf, "deep")))
    assert max(depths) < 100 and sorted(depths) != depths, "chains are short, because they are folded"
    assert shelf.sh("deep", "cat last d/*/x d/old; echo l[0-9]*") == \
        f"{last}\n" + "".join(f"{last - (last - k) % 7}\n" for k in range(7)) + f"old\nl{last - 1} l{last}\n"
    snaps = shelf.ok("show", "deep")["snapshot_list"]
    assert len(snaps) == deep

    tree = shelf.ok("tree", "--all")
    parents = {s["id"]: s["parent"] for s in tree["snapshots"]}
    assert [parents[s["id"]] for s in snaps] == [None, *(s["id"] for s in snaps[:-1])]
    assert tree["boxes"][0]["on"] == snaps[-1]["id"]
    assert subprocess.run([aisbx(), "tree", "--all"], env=shelf.env, stdout=subprocess.PIPE, check=True, timeout=60,
                          text=True).stdout.count("snapshot") == deep

    for i in (p for p in (0, 5, 62, 63, 64, 65, 127, 128, 300, 479, 480, last - 1, last) if p < deep):
        shelf.ok("fork", f"deep@{snaps[i]['name']}", "--name", f"f{i}")
        was = "".join(f"{i - (i - k) % 7}\n" for k in range(min(7, i + 1)))
        assert shelf.sh(f"f{i}", "cat last d/[0-9]*/x; echo l[0-9]*") == \
            f"{i}\n{was}" + (f"l{i - 1} l{i}\n" if i else "l0\n").replace("l9 l10", "l10 l9")
        shelf.ok("rollback", "deep", snaps[i]["id"])
        assert shelf.sh("deep", "cat last") == f"{i}\n"
    shelf.ok("gc")
    shelf.ok("rm", "deep", timeout=300)
    shelf.ok("gc")
    assert shelf.sh(f"f{last - 1}", "cat last") == f"{last - 1}\n"
    shelf.ok("rm", *(b["name"] for b in shelf.ok("ls", "--all")["boxes"]), timeout=300)
    shelf.ok("history")
    shelf.ok("gc")
    assert [p for p in left(shelf) if not p.startswith("locks/")] == []


def test_the_tree_when_what_was_folded_is_gone(shelf):
    """a - sa - b's 70 snapshots - folded layer - c: without b, c stands on sa."""
    shelf.ok("create", "a")
    shelf.sh("a", "echo a > a")
    on_a = shelf.ok("snap", "a", "sa")["id"]
    shelf.ok("fork", "a@sa", "--name", "b")
    for i in range(70):
        last = shelf.ok("snap", "b", f"s{i}")["id"]
    shelf.sh("b", "echo b > b")
    shelf.ok("fork", "b", "--name", "c")
    assert len(chain(shelf, "c")) < 20

    def on(box):
        return next(x["on"] for x in shelf.ok("tree", "--all")["boxes"] if x["name"] == box)

    assert on("c") == on("b") != last and on("a") == on_a
    shelf.ok("rm", "b")
    shelf.ok("gc")
    assert on("c") == on_a
    assert shelf.sh("c", "cat a b") == "a\nb\n"


@pytest.mark.big
def test_a_chain_as_long_as_they_once_became(shelf):
    """Stores of earlier versions have chains of up to 472 layers."""
    shelf.ok("create", "old")
    shelf.sh("old", "echo 1 > v; mkdir -p k; echo k > k/k")
    db = sqlite3.connect(shelf.state / "store.db")
    box, top = db.execute("SELECT id, top FROM boxes").fetchone()
    below = top
    owner = os.stat(shelf.state / "layers" / top / "project" / "up")
    for i in range(471):
        new = f"l-{i:016x}"
        up = shelf.state / "layers" / new / "project" / "up"
        up.mkdir(parents=True)
        (up / f"f{i}").write_text(f"{i}\n")
        for path in (up, up / f"f{i}"):
            os.chown(path, owner.st_uid, owner.st_gid)
        with db:
            db.execute("INSERT INTO layers (id, parent, frozen) VALUES (?, ?, 1)", (new, below))
            db.execute("INSERT INTO snapshots (id, box, name, layer, created_ms, automatic, seq) VALUES (?,?,?,?,1,0,?)",
                       (f"s-{i:016x}", box, f"s{i}", new, i + 1))
        below = new
    with db:
        db.execute("UPDATE boxes SET top = ? WHERE id = ?", (below, box))
    db.close()
    for snap in ("s469", "s470"):
        shelf.ok("rollback", "old", snap)
        assert shelf.sh("old", "cat v k/k f0 f469; ls f* | wc -l") == f"1\nk\n0\n469\n{int(snap[1:]) + 1}\n"
    assert len(chain(shelf, "old")) == 473
    shelf.sh("old", "echo 2 > v; rm f0")
    shelf.ok("snap", "old", "new")
    assert len(chain(shelf, "old")) == 2
    assert shelf.sh("old", "cat v k/k f469; ls f* | wc -l") == "2\nk\n469\n470\n"
    tree = {s["name"]: s["parent"] for s in shelf.ok("tree", "--all")["snapshots"]}
    assert tree["new"] == f"s-{470:016x}" and tree["s470"] == f"s-{469:016x}"


STEP = """
import os, random, shutil, sys
pick = random.Random(int(sys.argv[1]))
NAMES = ["a", "b", "c", "d", "deep", "plain"]
def path():
    return os.path.join(".", *pick.choices(NAMES, k=pick.choice([1, 2, 2, 3, 3, 4])))
def write(p, how=os.O_TRUNC):
    fd = os.open(p, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | how, 0o644)  # a FIFO is not waited for
    os.write(fd, f"{sys.argv[1]} {pick.random()}\\n".encode())
    os.close(fd)
def remove(p):
    if p.count("/") < pick.choice([1, 2, 3]):  # not too often all at once
        raise OSError
    shutil.rmtree(p) if os.path.isdir(p) and not os.path.islink(p) else os.remove(p)
def again(p):
    remove(p)
    os.mkdir(p)
    write(p + "/new")
def other(p):
    if os.path.isdir(p):
        remove(p)
        write(p)
    else:
        remove(p)
        os.makedirs(p + "/sub")
ACTS = [
    lambda p: write(p), lambda p: write(p, os.O_APPEND), lambda p: os.makedirs(p), lambda p: os.makedirs(p),
    lambda p: os.makedirs(os.path.dirname(p), exist_ok=True) or write(p), remove, again, other,
    lambda p: os.rename(p, path()), lambda p: shutil.move(p, path()), lambda p: os.link(p, path()),
    lambda p: os.link(p, path()), lambda p: os.symlink(path(), p), lambda p: os.mkfifo(p),
    lambda p: os.chmod(p, pick.choice([0, 0o555, 0o700, 0o755, 0o4711]), follow_symlinks=True),
    lambda p: os.setxattr(p, "user.x", str(pick.random()).encode()),
    lambda p: os.utime(p, ns=(pick.randrange(10**18), pick.randrange(10**18))),
]
done = 0
for _ in range(40):
    try:
        pick.choice(ACTS)(path())
        done += 1
    except (OSError, shutil.Error):
        pass
print(done)
"""

WALK = """
import hashlib, json, os, stat, sys
seen, groups = {}, {}
def look(p):
    st = os.lstat(p)
    facts = [oct(st.st_mode), st.st_uid, st.st_gid, st.st_mtime_ns, 0 if stat.S_ISDIR(st.st_mode) else st.st_size]
    if stat.S_ISLNK(st.st_mode):
        facts.append(os.readlink(p))
    else:
        try:
            facts += sorted((k, os.getxattr(p, k).hex()) for k in os.listxattr(p))
        except OSError as e:
            facts.append(e.errno)
    if stat.S_ISREG(st.st_mode):
        try:
            facts.append(hashlib.sha256(open(p, "rb").read()).hexdigest())
        except OSError as e:
            facts.append(e.errno)
    if not stat.S_ISDIR(st.st_mode):
        groups.setdefault(st.st_ino, []).append(p)
    seen[p] = facts
    if stat.S_ISDIR(st.st_mode):
        try:
            names = sorted(os.listdir(p))
        except OSError as e:
            names = []
            facts.append(e.errno)
        facts.append(names)
        for name in names:
            try:
                look(p + "/" + name)
            except PermissionError:
                seen[p + "/" + name] = "no permission"
if len(sys.argv) > 1:
    os.system("chmod -R u+rwX .")
look(".")
print(json.dumps([seen, sorted(g for g in groups.values() if len(g) > 1)]))
"""


@pytest.mark.parametrize("seed", range(1, 11) if LONG else (1,))
@pytest.mark.big
def test_a_folded_chain_shows_the_same(shelf, seed):
    """Random steps, each in a layer of its own; where the chain was folded, box and snapshot are compared in full."""
    shelf.ok("create", "r")
    folded = done = 0
    for i in range(140 if LONG else 70):
        done += int(shelf.ok("run", "--box", "r", "--", PYTHON, "-c", STEP, str(seed * 1000 + i))["stdout"])
        before = len(chain(shelf, "r"))
        shelf.ok("snap", "r", f"s{i}")
        if len(chain(shelf, "r")) > before:
            continue
        folded += 1
        shelf.ok("fork", f"r@s{i}", "--name", f"long{i}")
        shelf.ok("fork", "r", "--name", f"short{i}")
        assert len(chain(shelf, f"long{i}")) == before + 1 and len(chain(shelf, f"short{i}")) == 2
        for words in ((), ("open",)):  # as it is; and what closed directories hide
            views = [json.loads(shelf.ok("run", "--box", f"{kind}{i}", "--", PYTHON, "-c", WALK, *words)["stdout"])
                     for kind in ("long", "short")]
            assert len(views[0][0]) > 15
            for seen, _ in views:
                del seen["."][3]  # a new top layer's own directory is as old as the layer
            assert {p: [v[0].get(p) for v in views] for p in views[0][0].keys() | views[1][0].keys()
                    if views[0][0].get(p) != views[1][0].get(p)} == {}
            assert views[0][1] == views[1][1], "names of one file"
    assert (folded >= 2 and done > 600) if LONG else (folded == 1 and done > 300)
    shelf.ok("rm", *(b["name"] for b in shelf.ok("ls", "--all")["boxes"]))  # pytest cannot remove closed directories
    shelf.ok("history")
    shelf.ok("gc")
    assert [p for p in left(shelf) if not p.startswith("locks/")] == []


def long_chain(shelf, files=20000):
    """A box whose next snapshot folds its chain, which takes a while."""
    shelf.ok("create", "b")
    shelf.py("b", f"""
        import os
        for i in range({files}):
            if i % 1000 == 0:
                os.mkdir(f"n{{i // 1000}}")
            open(f"n{{i // 1000}}/{{i}}", "w").close()
        """)
    for i in range(63):
        shelf.ok("snap", "b", f"s{i}")
    assert len(chain(shelf, "b")) == 64
    return f"ls -d n* | wc -l; ls n*/* | wc -l", f"{files // 1000}\n{files}\n"


def begin_fold(shelf):
    """A snapshot under way, stopped while it folds, and the name of the layer it makes."""
    layers = shelf.state / "layers"
    before = set(os.listdir(layers))
    p = shelf.start("snap", "--json", "b", "folded")
    wait_until(lambda: [n for n in set(os.listdir(layers)) - before if (layers / n / "project/up/n1").exists()],
               what="the fold")
    p.send_signal(signal.SIGSTOP)
    assert p.poll() is None
    new = set(os.listdir(layers)) - before
    assert len(new) == 1, "it had only begun"
    return p, new.pop()


@pytest.mark.quiet
def test_a_fold_that_is_killed(shelf):
    script, want = long_chain(shelf)
    p, new = begin_fold(shelf)
    p.kill()
    p.communicate()
    assert shelf.sh("b", script) == want
    assert (shelf.state / "layers" / new).exists()
    assert shelf.ok("gc")["leftovers"] == 1
    assert not (shelf.state / "layers" / new).exists()
    assert shelf.sh("b", script) == want
    shelf.ok("snap", "b", "folded")
    assert len(chain(shelf, "b")) == 2
    assert shelf.sh("b", script) == want
    assert shelf.ok("gc")["leftovers"] == 0


@pytest.mark.quiet
def test_gc_and_others_while_a_chain_is_folded(shelf):
    script, want = long_chain(shelf)
    p, new = begin_fold(shelf)
    try:
        assert shelf.ok("gc") == {"expired": 0, "layers": 0, "promotions": 0, "leftovers": 0, "blobs": 0, "unreadable": 0, "shared": 0, "aside": 0, "forgotten": 0, "logs": 0}
        shelf.ok("create", "other")  # nobody waits for it
    finally:
        p.send_signal(signal.SIGCONT)
    assert p.communicate(timeout=60)[0] and p.returncode == 0
    assert chain(shelf, "b")[1:] == [new]
    shelf.ok("gc")
    assert shelf.sh("b", script) == want


def test_a_snapshot_whose_name_is_taken_leaves_no_fold(shelf):
    shelf.ok("create", "b")
    for i in range(63):
        shelf.ok("snap", "b", f"s{i}")
    before = sorted(os.listdir(shelf.state / "layers"))
    shelf.refused("EEXIST", "snap", "b", "s3")
    assert sorted(os.listdir(shelf.state / "layers")) == before


# Forks.

def test_fork_of_a_box_as_it_is(shelf):
    shelf.ok("create", "b", "--autosnap", "--profile", "strict")
    shelf.sh("b", "echo base > v")
    forks = shelf.ok("fork", "b", "--count", "3", "--name", "idea")["boxes"]
    assert [f["name"] for f in forks] == ["idea-1", "idea-2", "idea-3"]
    assert all(f["profile"] == "strict" and f["autosnap"] and f["project"] == str(shelf.project) for f in forks)
    for f in forks:
        shelf.sh(f["name"], f"cat v; echo {f['name']} > v")
    for f in forks:
        assert shelf.sh(f["id"], "cat v") == f["name"] + "\n"
    assert shelf.sh("b", "cat v") == "base\n"
    shelf.sh("b", "echo later > v")
    assert shelf.sh("idea-1", "cat v") == "idea-1\n"
    assert shelf.names() == {"b", "idea-1", "idea-2", "idea-3"}


def test_fork_of_a_snapshot(shelf):
    shelf.ok("create", "b")
    shelf.sh("b", "echo 1 > v")
    shelf.ok("snap", "b", "one")
    shelf.sh("b", "echo 2 > v")
    unnamed = shelf.ok("fork", "b@one")["boxes"][0]
    assert unnamed["name"] == "b-2"
    shelf.ok("fork", "b@one", "--name", "two")
    assert shelf.sh(unnamed["id"], "cat v") == "1\n" == shelf.sh("two", "cat v")
    shelf.sh("two", "rm v")
    shelf.ok("fork", "two", "--name", "three")
    assert shelf.sh("three", "ls v || echo none") == "none\n"
    tree = shelf.ok("tree", "--all")
    snaps = {s["id"]: s for s in tree["snapshots"]}
    on = {b["name"]: b["on"] for b in tree["boxes"]}
    assert snaps[on["b"]]["name"] == "one" == snaps[on[unnamed["name"]]]["name"]
    assert snaps[on["three"]]["parent"] == on["b"]


def test_forks_outlive_the_box_they_came_from(shelf):
    shelf.ok("create", "b")
    shelf.sh("b", "echo 1 > v; rm plain")
    shelf.ok("snap", "b", "one")
    shelf.ok("fork", "b@one", "--name", "kept")
    shelf.sh("b", "echo 2 > v")
    assert shelf.ok("rm", "b") == {"removed": ["b"]}
    shelf.ok("gc")
    assert shelf.sh("kept", "cat v; test ! -e plain") == "1\n"
    assert shelf.names() == {"kept"}
    tree = shelf.ok("tree", "--all")
    assert [b["on"] for b in tree["boxes"]] == [None] and tree["snapshots"] == []
    shelf.ok("fork", "kept", "--name", "child")
    shelf.ok("rm", "kept")
    assert shelf.sh("child", "cat v") == "1\n"


def test_fork_with_a_name_that_is_taken_makes_none(shelf):
    shelf.ok("create", "b")
    shelf.ok("create", "idea-2")
    before = shelf.ok("tree", "--all")
    assert "idea-2" in shelf.refused("EEXIST", "fork", "b", "--count", "3", "--name", "idea")
    assert shelf.ok("tree", "--all") == before, "half of the forks, or their snapshot, stayed"


def test_forking_a_box_again_and_again_does_not_deepen_it(shelf):
    shelf.ok("create", "b")
    shelf.sh("b", "echo 1 > v")
    for i in range(5):
        shelf.ok("fork", "b", "--name", f"f{i}")
    assert shelf.ok("show", "b")["snapshots"] == 1, "nothing changed between the forks: one snapshot serves them all"


# Names and refusals.

@pytest.mark.parametrize("name", ["a/b", "..", ".", "a@b", "-x", "", "a b", "a\n", "ä", "n" * 65, ".hidden", "%s"])
def test_names_that_are_none(shelf, name):
    shelf.ok("create", "good")
    for words in (("create", "--", name), ("rename", "--", "good", name), ("snap", "--", "good", name),
                  ("fork", "--name", name, "good")):
        text = shelf.refused("EINVAL", *words)
        assert "is not a valid name" in text and "letters" in text, text
    assert shelf.names() == {"good"}
    assert shelf.ok("show", "good")["snapshots"] == 0
    assert len(os.listdir(shelf.state / "layers")) == 1
    assert shelf.ok("gc")["leftovers"] == 0


def test_names_of_the_longest(shelf):
    long = "n" * 64
    shelf.ok("create", long)
    shelf.ok("snap", long, long)
    assert shelf.ok("fork", f"{long}@{long}", "--name", "f")["boxes"][0]["name"] == "f"
    assert shelf.call("fork", f"{long}@{long}x")[0] == 125, "a longer name found a shorter snapshot"
    shelf.ok("create", "b")
    shelf.ok("snap", "b", long)
    assert shelf.call("fork", f"b@{long}x")[0] == 125, "a longer name found a shorter snapshot"
    status, result = shelf.call("fork", "b", "--count", "2", "--name", "m" * 64)
    assert status == 125 or {f["name"][:64] for f in result["boxes"]} == {"m" * 64}, f"cut short: {result}"


def test_unknown_boxes_and_snapshots(shelf):
    for words in (("show", "nope"), ("rm", "nope"), ("rename", "nope", "x"), ("snap", "nope"), ("fork", "nope"),
                  ("rollback", "nope", "s"), ("run", "--box", "nope", "--", "true"), ("history", "--box", "nope")):
        text = shelf.refused("ENOENT", *words)
        assert "'nope'" in text and "aisbx create" in text, text
    shelf.ok("create", "b")
    assert "'aisbx ls --all' lists them" in shelf.refused("ENOENT", "show", "something-else")
    assert "did you mean 'b'?" in shelf.refused("ENOENT", "show", "bb")
    for words in (("rollback", "b", "nope"), ("fork", "b@nope")):
        text = shelf.refused("ENOENT", *words)
        assert "'nope'" in text and "aisbx snap" in text, text
    shelf.ok("snap", "b", "of-b")
    assert "aisbx tree" in shelf.refused("ENOENT", "rollback", "b", "something")
    assert "did you mean 'of-b'?" in shelf.refused("ENOENT", "rollback", "b", "ofb")
    shelf.ok("create", "c")
    shelf.ok("snap", "c", "of-c")
    assert "of-c" in shelf.refused("ENOENT", "rollback", "b", "of-c")  # another box's


def test_a_name_twice(shelf):
    first = shelf.ok("create", "b")
    assert "'b'" in shelf.refused("EEXIST", "create", "b")
    shelf.ok("snap", "b", "s")
    assert "'s'" in shelf.refused("EEXIST", "snap", "b", "s")
    shelf.ok("create", "c")
    assert "'b'" in shelf.refused("EEXIST", "rename", "c", "b")
    shelf.ok("snap", "c", "s")  # names of snapshots are a box's own
    assert shelf.sh("b", "cat plain") == "canary\n"
    assert shelf.ok("show", "b")["id"] == first["id"]
    assert shelf.ok("gc") == {"expired": 0, "layers": 0, "promotions": 0, "leftovers": 0, "blobs": 0, "unreadable": 0, "shared": 0, "aside": 0, "forgotten": 0, "logs": 0}


def test_rename(shelf):
    made = shelf.ok("create", "b")
    shelf.sh("b", "echo 1 > v")
    assert shelf.ok("rename", "b", "c") == {"id": made["id"], "name": "c", "project": made["project"]}
    assert shelf.sh("c", "cat v") == "1\n"
    shelf.refused("ENOENT", "show", "b")
    assert shelf.ok("create", "b")["id"] != made["id"]


@pytest.mark.parametrize("words", [("rm", "b@s"), ("show", "b@s"), ("snap", "b@s"), ("rename", "b@s", "x"),
                                   ("rollback", "b@s", "s"), ("rm", "b@nope")])
def test_a_snapshot_where_a_box_is_meant(shelf, words):
    """`rm b@s` must never remove b."""
    shelf.ok("create", "b")
    shelf.ok("snap", "b", "s")
    assert "b@" in shelf.refused("EINVAL", *words)
    assert shelf.names() == {"b"}


def test_rm_of_several(shelf):
    for name in "abcd":
        shelf.ok("create", name)
    assert shelf.ok("rm", "a", "b") == {"removed": ["a", "b"]}
    shelf.refused("ENOENT", "rm", "c", "nope", "d")
    assert shelf.names() == {"c", "d"}, "one bad name: none is removed"
    with shelf.start("rm", "c", "--json") as p:  # options may follow, as everywhere else
        out, err = p.communicate(timeout=60)
    assert p.returncode == 0 and json.loads(out) == {"removed": ["c"]}, (out, err)


def test_a_project_that_is_gone(shelf):
    shelf.ok("create", "b")
    shelf.ok("snap", "b", "s")
    shutil.rmtree(shelf.project)
    status, result = shelf.call("run", "--box", "b", "--", "true", cwd=shelf.root)
    assert status == 125 and result["error"]["code"] == "ENOENT"
    assert str(shelf.project) in result["error"]["text"] and "project" in result["error"]["text"]
    for words in (("show", "b"), ("snap", "b"), ("rollback", "b", "s"), ("rm", "b"), ("gc",)):
        shelf.ok(*words, cwd=shelf.root)


def test_a_project_that_is_none(shelf):
    assert "plain" in shelf.refused("ENOTDIR", "create", "x", "--project", "plain")
    assert "nope" in shelf.refused("ENOENT", "create", "x", "--project", "nope")
    assert shelf.names() == set()
    shelf.ok("create", "b")
    assert "--project" in shelf.refused("EINVAL", "run", "--box", "b", "--project", ".", "--", "true")


def test_a_project_whose_name_is_no_text(shelf):
    odd = os.fsencode(shelf.root) + b"/odd\xff\n"
    os.mkdir(odd)
    status, result = shelf.call("create", "b", cwd=odd)
    if status == 125:  # to refuse it is fine; to make a box that no list shows is not
        assert "UTF-8" in result["error"]["text"] and shelf.names() == set()
        return
    assert shelf.names() == {"b"} and shelf.ok("show", "b")["name"] == "b"
    shelf.sh("b", "echo x > y; cat y")


# Several at once.

def test_a_busy_box(shelf):
    shelf.ok("create", "b")
    shelf.ok("snap", "b", "s")
    with shelf.start("run", "--box", "b", "--", "sh", "-c", "echo up; read x; echo $x > v",
                     stdin=subprocess.PIPE) as first:
        assert first.stdout.readline() == b"up\n"
        for words in (("rollback", "b", "s"), ("rm", "b"), ("fork", "b")):
            text = shelf.refused("EBUSY", *words)
            assert "'b'" in text and "in use" in text and "fork" in text, text
        assert first.poll() is None
        # What the text advises must be possible: a snapshot is frozen, whatever its box does.
        shelf.ok("fork", "b@s", "--name", "f")
        assert shelf.sh("f", "cat plain") == "canary\n"
        shelf.ok("show", "b")
        shelf.ok("tree", "--all")
        shelf.ok("gc")
        first.stdin.write(b"done\n")
        first.stdin.close()
        assert first.wait(60) == 0
    assert shelf.sh("b", "cat v") == "done\n"


def test_gc_leaves_a_busy_box_that_is_due(shelf):
    """A run counts the time its box has left by a clock that nobody sets; gc goes by the calendar."""
    shelf.ok("create", "b", "--ttl", "1h")
    with shelf.start("run", "--box", "b", "--", "sh", "-c", "echo up; read x; echo $x > v; cat v",
                     stdin=subprocess.PIPE) as first:
        assert first.stdout.readline() == b"up\n"
        with sqlite3.connect(shelf.state / "store.db") as db:
            db.execute("UPDATE boxes SET expires_ms = 1")
        db.close()
        assert shelf.ok("gc")["expired"] == 0
        out, _ = first.communicate(b"done\n", timeout=60)
        assert first.returncode == 0 and out == b"done\n"
    assert shelf.ok("gc")["expired"] == 1


def test_a_killed_run_frees_the_box(shelf):
    shelf.ok("create", "b")
    with shelf.start("run", "--box", "b", "--", "sh", "-c", "echo 1 > v; echo up; exec sleep 1000") as first:
        assert first.stdout.readline() == b"up\n"
        first.kill()
        first.wait(60)
    wait_until(lambda: shelf.call("run", "--box", "b", "--", "true")[0] == 0, what="the box being free")
    assert shelf.sh("b", "cat v") == "1\n"


def test_many_create_at_once_in_a_new_state_directory(shelf):
    with ThreadPoolExecutor(32) as pool:
        made = list(pool.map(lambda i: shelf.ok("create", f"b{i}"), range(64)))
    assert shelf.names() == {f"b{i}" for i in range(64)} == {b["name"] for b in made}


def test_many_ask_for_one_name(shelf):
    with ThreadPoolExecutor(16) as pool:
        got = list(pool.map(lambda i: shelf.call("create", "same")[0], range(32)))
    assert sorted(got) == [0] + [125] * 31
    assert len(os.listdir(shelf.state / "layers")) == 1


@pytest.mark.big
def test_rm_and_gc_at_once(shelf):
    for i in range(8):
        shelf.ok("create", f"b{i}")
        shelf.sh(f"b{i}", "mkdir z; cd z; for i in $(seq 200); do mkdir $i; : > $i/f; done")
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(shelf.call, *words) for i in range(8) for words in (("rm", f"b{i}"), ("gc",))]
    assert [j.result() for j in jobs if j.result()[0] != 0] == []
    shelf.ok("gc")
    assert os.listdir(shelf.state / "layers") == []


def test_snapshots_of_several_boxes_at_once(shelf):
    for i in range(8):
        shelf.ok("create", f"b{i}")

    def work(i):
        for n in range(10):
            shelf.sh(f"b{i}", f"echo {n} > v")
            shelf.ok("snap", f"b{i}", f"s{n}")
        shelf.ok("rollback", f"b{i}", f"s{i}")
        return shelf.sh(f"b{i}", "cat v")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [f"{i}\n" for i in range(8)]
    assert len(shelf.ok("tree", "--all")["snapshots"]) == 80


# The end of boxes.

def left(shelf):
    """What the state directory holds besides the database and empty directories."""
    found = [str(p.relative_to(shelf.state)) for p in shelf.state.rglob("*")]
    return sorted(p for p in found if not p.startswith(("store.db", "output", "turns")) and p not in ("layers", "live", "locks", "pids"))


def test_nothing_is_left(shelf):
    shelf.ok("create", "a")
    shelf.ok("create", "b", "--autosnap")
    shelf.sh("a", "mkdir -m 0 shut; mkdir -p x/y/z; chmod 0 x/y; : > f; chmod 0 f; rm -r deep")
    shelf.sh("b", "echo x > v; mkfifo p; ln -s / l")
    shelf.ok("snap", "a", "s")
    shelf.sh("a", "rm f")
    shelf.ok("rollback", "a", "s")
    shelf.ok("fork", "a@s", "--count", "3", "--name", "f")
    shelf.ok("fork", "f-1", "--name", "g")
    shelf.ok("create", "old", "--ttl", "1ms")
    shelf.ok("rm", "a", "f-2", "b", "f-1", "g", "f-3")
    wait_until(lambda: shelf.ok("gc")["expired"], what="the box's time")
    shelf.ok("history")
    shelf.ok("gc")
    assert shelf.names() == set()
    assert left(shelf) == []
    with sqlite3.connect(shelf.state / "store.db") as db:
        for table in ("boxes", "layers", "snapshots"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    db.close()


def test_ttl(shelf):
    now = time.time() * 1000
    hour = shelf.ok("create", "hour", "--ttl", "1h")
    assert abs(hour["expires_ms"] - now - 3600e3) < 60e3
    shelf.sh("hour", "echo 1 > v")
    shelf.ok("fork", "hour", "--name", "soon", "--ttl", "1ms")
    wait_until(lambda: shelf.ok("gc")["expired"] == 1, what="the fork's time")
    assert shelf.names() == {"hour"}
    assert shelf.sh("hour", "cat v") == "1\n"
    for far in ("100000000000d", "99999999999d"):
        status, made = shelf.call("create", "far", "--ttl", far)
        if status == 0:
            assert made["expires_ms"] > now
            shelf.ok("gc")
            assert "far" in shelf.names()
            shelf.ok("rm", "far")


@pytest.fixture(name="few_descriptors")
def fixture_few_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))  # what an ordinary login has
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few_descriptors")
@pytest.mark.big
def test_very_deep_directories_can_be_removed(shelf):
    shelf.ok("create", "b")
    assert shelf.py("b", """
        import os
        for _ in range(4000):
            os.mkdir("deeper")
            os.chdir("deeper")
        print("made")
        """) == "made\n"
    try:
        shelf.ok("rm", "b")
        shelf.ok("gc")
        assert os.listdir(shelf.state / "layers") == []
    finally:  # pytest's own cleaning up cannot
        subprocess.run(["rm", "-rf", shelf.state], check=True, timeout=60)


def test_gc_removes_what_a_crash_left_and_puts_aside_what_nobody_knows(shelf):
    shelf.ok("create", "b")
    shelf.sh("b", "echo 1 > v")
    for name in ("l-0123456789abcdef", ".dead-l-0123456789abcdee"):
        (shelf.state / "layers" / name / "project/up/x").mkdir(parents=True)
    assert shelf.ok("gc") == {"expired": 0, "layers": 0, "promotions": 0, "leftovers": 1, "blobs": 0, "unreadable": 0, "shared": 0, "aside": 1, "forgotten": 0, "logs": 0}
    assert len(os.listdir(shelf.state / "layers")) == 1
    assert [p.name for p in (shelf.state / "lost").glob("*/layers/*")] == ["l-0123456789abcdef"]
    assert shelf.sh("b", "cat v") == "1\n"


def test_a_state_directory_that_is_none(shelf):
    shelf.state.parent.mkdir()
    shelf.state.symlink_to("/nonexistent/aisbx")
    assert str(shelf.state) in shelf.call("ls", "--all")[1]["error"]["text"]
    status, result = shelf.call("run", "--", "true", timeout=50)  # it must not wait for ever
    assert status == 0 and str(shelf.state) in result["history_error"]
    shelf.state.unlink()
    shelf.state.write_text("a file")
    assert str(shelf.state) in shelf.call("ls", "--all")[1]["error"]["text"]
    assert str(shelf.state) in shelf.call("run", "--", "true")[1]["history_error"]


def test_a_broken_database(shelf):
    shelf.ok("create", "b")
    for name in os.listdir(shelf.state):
        if name.startswith("store.db-"):
            os.remove(shelf.state / name)
    (shelf.state / "store.db").write_bytes(b"this is no database" * 1000)
    text = shelf.refused("EUCLEAN", "ls")
    assert str(shelf.state / "store.db") in text
    assert shelf.call("run", "--", "true")[0] == 0, "a run without a box needs no database"


# A thousand boxes.

def quickest(shelf, *words):
    """Milliseconds, of 21 rounds: what others do on the machine only adds to it."""
    times = []
    for _ in range(21):
        start = time.perf_counter()
        done = subprocess.run([aisbx(), *words], env=shelf.env, cwd=shelf.project, stdout=subprocess.DEVNULL,
                              check=False, timeout=60)
        times.append((time.perf_counter() - start) * 1e3)
        assert done.returncode == 0
    return min(times)


@pytest.mark.big
def test_a_thousand_boxes(shelf):
    shelf.ok("create", "base")
    shelf.sh("base", "echo base > v")
    for i in range(50):
        shelf.ok("snap", "base", f"s{i}")
    start = time.perf_counter()
    shelf.ok("fork", "base@s49", "--count", "1000", "--name", "n")
    took = time.perf_counter() - start
    for i in (1, 500, 1000):
        assert shelf.sh(f"n-{i}", f"cat v; echo {i} > v") == "base\n"
    assert shelf.sh("n-2", "cat v") == "base\n"
    assert len(shelf.ok("ls", "--all")["boxes"]) == 1001
    floor, ls, tree = quickest(shelf, "--version"), quickest(shelf, "ls", "--json"), quickest(shelf, "tree", "--json")
    people = quickest(shelf, "ls"), quickest(shelf, "tree")
    print(f"\n1,000 forks {took * 1e3:.0f} ms; --version {floor:.1f} ms, ls --json {ls:.1f} ms, "
          f"tree --json {tree:.1f} ms, ls {people[0]:.1f} ms, tree {people[1]:.1f} ms")
    start = time.perf_counter()
    shelf.ok("rm", *(f"n-{i}" for i in range(1, 1001)), timeout=300)
    print(f"rm of 1,000: {(time.perf_counter() - start) * 1e3:.0f} ms")
    shelf.ok("rm", "base")
    shelf.ok("history")
    shelf.ok("gc")
    assert [p for p in left(shelf) if not p.startswith("locks/")] == []
    # 50 ms on an idle machine where a bare start takes less than one; a sanitizer slows both.
    assert max(ls, tree, *people) < 50 * max(pace.slowness(), floor)


# History.

def test_history_and_its_filters(shelf):
    assert shelf.ok("history") == {"runs": []}
    box = shelf.ok("create", "b")["id"]
    shelf.sh("b", "exit 3", want=3)
    shelf.call("run", "--", "sh", "-c", "kill -9 $$")
    shelf.call("run", "--timeout", "20ms", "--", "sleep", "100")
    shelf.call("run", "--", "/nonexistent/program")
    last = shelf.call("run", "--", "echo", "a b")[1]
    runs = shelf.ok("history")["runs"]
    assert [(r["status"], r["exit_code"], r["box"]) for r in runs] == \
        [("ok", 0, None), ("error", None, None), ("limit", None, None), ("failed", None, None), ("failed", 3, box)]
    assert runs[0]["run"] == last["run"] and abs(runs[0]["wall_ms"] - last["usage"]["wall_ms"]) < 1
    assert all(abs(r["started_ms"] / 1e3 - time.time()) < 120 for r in runs)
    assert [r["started_ms"] for r in runs] == sorted((r["started_ms"] for r in runs), reverse=True)

    def ids(*words):
        return [r["run"] for r in shelf.ok("history", *words)["runs"]]

    every = [r["run"] for r in runs]
    assert ids("--box", "b") == every[4:] == ids("--box", box)
    assert ids("--status", "failed") == every[3:] and ids("--status", "limit") == every[2:3]
    assert ids("--match", "nonexistent/prog") == every[1:2]
    assert ids("--match", "%") == [] == ids("--match", "SLEEP")
    assert ids("--limit", "2") == every[:2] and ids("-n", "100") == every and ids("--limit", "0") == []
    assert ids("--since", "1h") == every and ids("--since", "0ms") == []
    assert ids("--status", "failed", "--box", "b", "--match", "exit", "--since", "1h", "-n", "1") == every[4:]
    shelf.ok("rm", "b")
    assert ids() == every, "a box that is gone takes no history along"
    assert ids("--box", box) == every[4:], "runs of a box that is gone can be asked for by its id"
    assert "status" in shelf.refused("EINVAL", "history", "--status", "nope")


@pytest.mark.parametrize("word", ["a\tb", "a\nb", "a\\b", "\\t\\n\\\\", "\\", "\t", "\n", "ü\u2028'\"$`", "x" * 100000,
                                  "\r\n\x01\x7f"])
def test_commands_come_back_exact(shelf, word):
    shelf.call("run", "--", "true", word)
    shelf.call("run", "--", "true", word, word)
    assert [r["command"] for r in shelf.ok("history")["runs"]] == [f"true {word} {word}", f"true {word}"]


def test_a_torn_note_spoils_no_other(shelf):
    first = shelf.call("run", "--", "true", "1")[1]["run"]
    notes = shelf.state / "runs.notes"
    whole = notes.read_bytes()
    notes.write_bytes(whole + whole[:len(whole) // 2].replace(b"r-", b"r_"))  # a full disk, or a crash
    second = shelf.call("run", "--", "true", "2")[1]["run"]
    runs = shelf.ok("history")["runs"]
    assert [(r["run"], r["command"]) for r in runs] == [(second, "true 2"), (first, "true 1")]


@pytest.mark.big
def test_32_processes_write_history_at_once(shelf):
    reading = True

    def read():
        while reading:
            shelf.ok("history", "--limit", "5")

    def run(i):
        status, result = shelf.call("run", "--", "true", f"n{i}")
        assert status == 0 and "history_error" not in result, result
        return result["run"], f"true n{i}"

    with ThreadPoolExecutor(34) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        start = time.perf_counter()
        try:
            done = list(pool.map(run, range(400)))
        finally:
            reading = False
        took = time.perf_counter() - start
    for r in readers:
        r.result()
    runs = shelf.ok("history", "--limit", "10000")["runs"]
    print(f"\n400 runs, 32 at once, 2 readers: {took:.1f} s")
    assert sorted((r["run"], r["command"]) for r in runs) == sorted(done)


def test_runs_that_aisbx_refused_are_no_runs(shelf):
    shelf.call("run", "--project", "/nonexistent", "--", "true")
    assert shelf.ok("history") == {"runs": []}


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, *sys.argv[1:]]))
