# SPDX-License-Identifier: Apache-2.0
"""Attacks 8 to 10, 13, 14 and 36 to 51: what a box leaves for its promotion to trip over, and what the host does to the
tree at that very moment.

The races run for some seconds each, and until they were close; with AISBX_LONG=1 until there were 100,000 swaps, or 10,000 pairs of
promotions.
"""
import collections
import contextlib
import itertools
import os
import pathlib
import re
import signal
import stat
import struct
import subprocess
import time

import pytest

import box
from promote import (LONG, PYTHON, SLOW, Shelf, Swapper, assert_same, copy_tree, exchange, path_of, remove, say, tree,
                     without_dir_times)

RACE = {"seconds": 0, "tries": 100_000} if LONG else {"seconds": 3, "tries": 100 if SLOW else 250}


class Lab(Shelf):
    """A project with a small tree, a canary beside it that nothing may touch, and a box `b`."""

    def __init__(self, root, profile):
        super().__init__(root)
        self.profile = profile
        self.outside = self.root / "outside"
        box.make_canary(self.outside)
        box.make_canary(self.project / "tree")
        self.watch = box.Watch(self.outside, self.root / "home")
        self.ok("create", "b", "--profile", profile)

    def put(self, path, text="", mode=0o644):
        path = self.project / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path


@pytest.fixture(params=box.PROFILES)
def lab(request, tmp_path):
    made = Lab(tmp_path, request.param)
    with made.watch:
        yield made


@pytest.fixture
def arena(tmp_path):
    """For the races: one profile, and the canary is looked at by the test itself."""
    return Lab(tmp_path, "dev")


# 8, 9: files that make the host run something.

PACKAGE = '{"name": "x", "scripts": {"postinstall": "touch /tmp/owned"}}\n'
PLANTS = [
    (".mcp.json", "agent"), (".claude/settings.json", "agent"), (".cursor/mcp.json", "agent"),
    (".vscode/tasks.json", "editor"), ("sub/.vscode/tasks.json", "editor"), (".vscode/settings.json", "editor"),
    (".idea/workspace.xml", "editor"),
    ("package.json", "lifecycle"), ("sub/package.json", "lifecycle"),
    (".bashrc", "startup"), (".profile", "startup"), (".envrc", "startup"),
    (".github/workflows/build.yml", "ci"), (".gitlab-ci.yml", "ci"),
]


OF_GIT = [".git/hooks/pre-commit", ".git/hooks/post-checkout", "sub/.git/hooks/pre-push", ".git/config", "sub/.git/config"]


def plant(lab, names):
    lab.py("b", f"""
        import os
        for name in {names!r}:
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            with open(name, "w") as f:
                f.write({PACKAGE!r} if name.lower().endswith("package.json") else "#!/bin/sh\\ntouch owned\\n")
            os.chmod(name, 0o755)
        """)


def flagged(lab, plants):
    """Each is a trap of its kind, stops the promotion, and goes in when a person has said yes."""
    plant(lab, [name for name, _ in plants])
    lab.sh("b", "echo harmless > harmless")
    result = lab.stopped("b")
    found = {path_of(t).decode(): t["kind"] for t in result["traps"]}
    assert not {name: found.get(name) for name, kind in plants if found.get(name) != kind}, result["traps"]
    assert "harmless" not in found
    lab.stopped("b", "--dry-run")
    lab.stopped("b", "--conflict", "overwrite")  # an answer to conflicts is none to traps
    for name, kind in plants:
        assert {t["kind"] for t in lab.stopped("b", name)["traps"]} == {kind}
    before = tree(lab.project)
    lab.promoted("b", "harmless")
    lab.undo()
    # Control: said yes.
    lab.promoted("b", "--yes")
    assert all((lab.project / name).exists() for name, _ in plants)
    lab.undo()
    assert_same(without_dir_times(before), without_dir_times(tree(lab.project)), "undo")


def test_008_absent_protected_files(lab):
    flagged(lab, PLANTS)


def test_008_present_protected_files(lab):
    """The same for those that are there already and get changed, or only become programs."""
    for name, _ in PLANTS:
        lab.put(name, "old\n")
    flagged(lab, PLANTS)


def stays_out(lab, names):
    """No word brings it into the project, whole or by its own name."""
    before = {name: (lab.project / name).read_bytes() if (lab.project / name).exists() else None for name in names}
    for words in ([], ["--yes"], ["--yes", "--conflict", "overwrite"], *([name, "--yes"] for name in names)):
        result = lab.promote("b", *words)[1]
        assert not [c for c in result["changes"] if path_of(c).decode() in names], words
        for name, old in before.items():
            assert ((lab.project / name).read_bytes() if (lab.project / name).exists() else None) == old, (words, name)


def test_008_what_is_gits_own_never_goes(lab):
    lab.put(".git/config", "old\n")
    plant(lab, OF_GIT)
    stays_out(lab, OF_GIT)


def test_008_by_way_of_a_directory(lab):
    """Nobody wrote .git/hooks/x: a directory was renamed to it, or a link put there."""
    lab.put(".git/HEAD", "ref: refs/heads/main\n")
    lab.sh("b", "mkdir -p x/hooks; echo boo > x/hooks/pre-commit; mv x/hooks .git/hooks")
    stays_out(lab, [".git/hooks/pre-commit"])
    lab.sh("b", "rm -r .git/hooks x; mkdir mine; echo boo > mine/pre-commit; ln -s ../mine .git/hooks")
    stays_out(lab, [".git/hooks", ".git/hooks/pre-commit"])
    lab.sh("b", "rm -r .git mine; mkdir -p y/hooks; echo boo > y/hooks/pre-commit; mv y .git")
    stays_out(lab, [".git/hooks/pre-commit"])
    assert (lab.project / ".git/HEAD").exists()


def test_009_mixed_case(lab):
    """On a file system that does not tell them apart, or after a clone to one, .GIT is .git."""
    flagged(lab, [(name.title() if i % 2 else name.upper(), kind) for i, (name, kind) in enumerate(PLANTS)])


def test_009_gits_own_in_mixed_case(lab):
    names = [name.title() if i % 2 else name.upper() for i, name in enumerate(OF_GIT)] + ["GIT~1/config", ".g\u200cit/config", ".git./config"]
    plant(lab, names)
    stays_out(lab, names)


# 10: mount points.

def test_010_rename_onto_a_mount_point(tmp_path):
    """The project is the home: .ssh is covered in the box, and nothing can be renamed over the cover."""
    lab = Shelf(tmp_path)
    lab.env["HOME"] = str(lab.project)
    (lab.project / ".ssh").mkdir()
    (lab.project / ".ssh/id_rsa").write_text("SECRET\n")
    lab.ok("create", "b")
    attack = """
        import ctypes, errno, os
        os.makedirs("mine")
        for flags in (0, 2):
            ctypes.set_errno(0)
            r = ctypes.CDLL(None, use_errno=True).renameat2(-100, b"mine", -100, b".ssh", flags)
            print(errno.errorcode.get(ctypes.get_errno(), "OK") if r else "OK")
        """
    # One covered directory is one mount: the cover is busy, or on another file system than what would come.
    assert set(lab.py("b", attack).split()) <= {"EBUSY", "EXDEV"}
    before = tree(lab.project / ".ssh")
    result = lab.promoted("b", "--yes")
    assert {path_of(c) for c in result["changes"]} == {b"mine"}
    assert_same(before, tree(lab.project / ".ssh"), "what was covered")
    # Control: where there is no mount, it works.
    (lab.project / "empty").mkdir()
    os.rename(lab.project / "mine", lab.project / "empty")


# 13, 14: overlayfs's own marks.

def test_013_forged_overlay_attributes(lab):
    """Marks of overlayfs that a box sets neither delete anything on the host nor get there."""
    lab.put("d/a", "a\n")
    lab.put("d/sub/b", "b\n")
    lab.put("e", "")
    found = lab.py("b", """
        import errno, os
        open("new", "w").close()
        for path in ("d", "d/a", "e", "new", "."):
            for name in ("overlay.opaque", "overlay.whiteout", "overlay.redirect", "overlay.metacopy", "overlay.origin",
                         "overlay.overlay.opaque", "overlay.x"):
                for space in ("user.", "trusted."):
                    try:
                        os.setxattr(path, space + name, b"/etc" if name.endswith("redirect") else b"y")
                        print(space + name, "OK")
                    except OSError as err:
                        print(space + name, errno.errorcode[err.errno])
        os.setxattr("d/a", "user.mine", b"kept")
        """)
    ends = dict(line.split() for line in found.splitlines())
    assert {ends[n] for n in ends if n.startswith("trusted.")} <= {"EPERM"}, ends
    names = {path_of(c) for c in lab.promote("b", "--yes", "--dry-run")[1]["changes"]}
    assert b"new" in names and not names & {b"d/sub", b"d/sub/b", b"e", b"tree"}, names
    lab.promoted("b", "--yes")
    after = tree(lab.project)
    assert not [(p, k) for p, e in after.items() for k in e.get("xattrs", ()) if "overlay" in k or k.startswith("trusted.")]
    assert after[b"d/a"]["xattrs"] == {"user.mine": b"kept"} and after[b"d/a"]["content"] == b"a\n"
    assert after[b"d/sub/b"]["content"] == b"b\n" and b"e" in after
    # Control: nothing but aisbx keeps such an attribute from being set on the host.
    os.setxattr(lab.project / "d", "user.overlay.opaque", b"y")


def test_014_hand_made_whiteout(lab):
    """The device 0/0 deletes what lies below it: no box can make one, so nothing is deleted on the host."""
    lab.put("victim", "here\n")
    status, result = lab.call("run", "--box", "b", "--", PYTHON, "-c", """if 1:
        import ctypes, errno, os
        libc = ctypes.CDLL(None, use_errno=True)
        os.mkdir("d")
        def tried(what, r):
            print(what, errno.errorcode[ctypes.get_errno()] if r else "OK")
        tried("mknod", libc.mknod(b"d/w", 0o020600, 0))
        tried("mknodat", libc.mknodat(-100, b"d/victim", 0o020600, 0))
        open("x", "w").close()
        tried("whiteout", libc.renameat2(-100, b"x", -100, b"y", 4))
        """)
    assert status == 0 and set(result["stdout"].split()[1::2]) == {"EPERM"}, result
    assert {"mknod", "mknodat", "renameat2"} <= {v["what"] for v in result["violations"]} | {"mknod"}
    assert {path_of(c) for c in lab.promoted("b")["changes"]} == {b"d", b"x"}
    assert (lab.project / "victim").read_text() == "here\n"
    # Control: every kernel since 5.8 lets everybody make that device.
    os.mknod(lab.root / "w", 0o020600, 0)


# 36 to 38, 46: races.

class Race:
    """Promotes a new box each time while names are swapped; counts how they ended."""

    def __init__(self, lab, *scripts):
        self.lab, self.scripts, self.ends, self.n = lab, scripts, collections.Counter(), 0
        self.next_box()

    def next_box(self):
        """While nothing is swapped: what the box starts from is to be known."""
        self.n += 1
        self.name = f"k{self.n}"
        self.script = self.scripts[self.n % len(self.scripts)]
        self.lab.ok("create", self.name)
        self.lab.sh(self.name, self.script)

    def is_over(self, seconds, swaps):
        """It went on for its time, and there was a race: enough of both sides, and each has won."""
        promotions = sum(self.ends.values())
        enough = swaps >= RACE["tries"] and promotions >= 10 and 0 < self.ends["promoted"] < promotions
        assert enough or LONG or seconds < 120, f"{swaps} swaps, {dict(self.ends)}: never close"
        return enough and seconds >= RACE["seconds"]

    def run(self, a, b, check):
        """CHECK(applied) looks at the tree while the swapper stands still, and puts it back as it was."""
        began = time.monotonic()
        with Swapper(a, b, self.lab.root / "swaps") as swapper:
            while not self.is_over(time.monotonic() - began, swapper.swaps):
                status, result = self.lab.promote(self.name, "--yes")
                applied = status == 0 and result["applied"]
                print(status, result.get("error", {}).get("text"), [c["path"] for c in result.get("conflicts", [])])
                self.ends["promoted" if applied else "nothing" if status == 0 else "conflict" if status == 1 else
                          f"refused {result['error']['code']}"] += 1
                with stopped(swapper.process):
                    check(applied, result)
                    self.lab.ok("rm", self.name)
                    self.next_box()
            swaps = swapper.swaps
        say(f"{swaps} swaps, {sum(self.ends.values())} promotions: {dict(self.ends)}")
        left = [n for n in os.listdir(self.lab.project) if n.startswith(".aisbx-")]
        assert not left, f"left in the project: {left}"


@contextlib.contextmanager
def stopped(process):
    process.send_signal(signal.SIGSTOP)
    stat_file = pathlib.Path(f"/proc/{process.pid}/stat")
    box.wait_until(lambda: stat_file.read_text().rpartition(")")[2].split()[0] == "T", what="the swapper to stop")
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def rewrite(path, text):
    """Puts a file there anew; what was there is not written through."""
    remove(path)
    pathlib.Path(path).write_text(text)


@pytest.mark.big
def test_036_file_and_symlink_swapped(arena):
    """d/f is now a file and now a symlink out of the project. Nothing is ever written through it."""
    d = arena.project / "d"
    f, link = arena.put("d/f", "base\n"), d / "link"
    target = arena.outside / "plain"
    link.symlink_to(target)
    race = Race(arena, "echo box > d/f")
    canary = tree(arena.outside)

    def check(applied, result):
        assert_same(canary, tree(arena.outside), "written outside of the project")
        kinds = sorted("link" if p.is_symlink() else p.read_text() for p in (f, link))
        if not applied and kinds[0] == "box\n":  # swapped again before it could be undone: told, with where the old file is
            said = result["error"]["text"]
            assert "could not be, because they were changed again: 'd/f'" in said, result
            kept = pathlib.Path(re.search(r"the previous files are in '([^']+)'", said)[1])
            assert any(p.is_file() and p.read_text() == "base\n" for p in kept.rglob("*")), "it is there"
        else:
            assert kinds == ["box\n" if applied else "base\n", "link"], (kinds, result)
        assert sorted(os.listdir(d)) == ["f", "link"]
        rewrite(f, "base\n")
        remove(link)
        link.symlink_to(target)

    race.run(f, link, check)


@pytest.mark.big
def test_037_parent_swapped_for_a_symlink(arena):
    """d is now a directory and now a symlink to a directory outside that looks just the same inside."""
    d, link = arena.project / "d", arena.project / "link"
    arena.put("d/f", "base\n")
    arena.put("d/gone", "gone\n")
    arena.put("d/sub/g", "base\n")
    twin = arena.outside / "twin"
    copy_tree(d, twin)
    link.symlink_to(twin)
    race = Race(arena, "echo box > d/f; rm d/gone; echo new > d/new; echo box > d/sub/g; chmod 700 d/sub",
                "echo new > d/new", "mkdir -p d/n/e/w; echo new > d/n/e/w/file", "chmod 700 d", "chmod 600 d/sub/g",
                "rm d/gone", "rm -r d/sub")
    canary = tree(arena.outside)
    old = tree(d, times=False)
    new = {}
    for i, script in enumerate(race.scripts):  # done by hand, elsewhere
        (arena.root / f"hand{i}").mkdir()
        copy_tree(d, arena.root / f"hand{i}/d")
        subprocess.run(["sh", "-ec", script], cwd=arena.root / f"hand{i}", check=True)
        new[script] = tree(arena.root / f"hand{i}/d", times=False)

    def check(applied, result):
        assert_same(canary, tree(arena.outside), "written outside of the project")
        real = link if d.is_symlink() else d
        assert real.is_dir() and not real.is_symlink() and (link if real == d else d).is_symlink()
        assert_same(new[race.script] if applied else old, tree(real, times=False), f"{race.script}: {result}")
        remove(d)
        remove(link)
        copy_tree(twin, d)
        link.symlink_to(twin)

    race.run(d, link, check)


@pytest.mark.big
def test_038_exchange_loop(arena):
    """d and a directory outside change places all the time. Of the other one not a byte may change."""
    d, other = arena.project / "d", arena.outside / "other"
    for name, text in (("f", "base\n"), ("gone", "gone\n"), ("who", "ours\n")):
        arena.put(f"d/{name}", text)
    copy_tree(d, other)
    (other / "who").write_text("theirs\n")
    (other / "f").write_text("theirs\n")
    race = Race(arena, "echo box > d/f; rm d/gone; echo new > d/new")
    canary = without_dir_times(tree(other))
    spare = arena.root / "spare"
    copy_tree(d, spare)

    def check(applied, result):
        ours, theirs = (d, other) if (d / "who").read_text() == "ours\n" else (other, d)
        assert_same(canary, without_dir_times(tree(theirs)), "written to the other directory")
        found = {n: (ours / n).read_text() for n in os.listdir(ours) if n != "who"}
        assert found == ({"f": "box\n", "new": "new\n"} if applied else {"f": "base\n", "gone": "gone\n"}), (found, result)
        if ours != d:
            exchange(d, other)  # the next box is to start from ours
        remove(d)
        copy_tree(spare, d)

    race.run(d, other, check)


def two_at_once(lab, texts, rounds):
    """Two boxes write TEXTS to f; both are promoted at the same moment. Yields how each ended, and f."""
    base = "".join(f"{i}\n" for i in range(30))
    began = time.monotonic()
    for n in itertools.count():
        if n >= rounds or (not LONG and n >= 5 and time.monotonic() - began > 5):
            return
        f = lab.put("f", base)
        for name, text in zip("xy", texts):
            remove(lab.project / f"only-{name}")
            lab.ok("create", f"{name}{n}")
            lab.ok("run", "--box", f"{name}{n}", "--", "sh", "-ec", f'printf %s "$0" > f; echo > only-{name}', text)
        both = [lab.start("promote", "--json", f"{name}{n}") for name in "xy"]
        ends = []
        for process in both:
            status, result = lab.end(process)
            assert status in (0, 1) or result["error"]["code"] in ("EBUSY", "EAGAIN"), result
            ends.append(status == 0 and result["applied"])
        yield ends, f.read_text(), {n for n in "xy" if (lab.project / f"only-{n}").exists()}
        for name in "xy":
            lab.ok("rm", f"{name}{n}")


@pytest.mark.big
def test_046_two_promotions_at_once(arena):
    """The same line in both: one wins, the other conflicts. Never half of each, never both."""
    with arena.watch:
        lines = [f"{i}\n" for i in range(30)]
        texts = ["".join(lines[:10] + [word] + lines[11:]) for word in ("of x\n", "of y\n")]
        ends = collections.Counter()
        for (x, y), text, only in two_at_once(arena, texts, 10_000 if LONG else 40):
            assert x + y == 1, f"{x + y} of two promotions won"
            assert text == texts[0 if x else 1] and only == {"x" if x else "y"}, "the loser wrote something"
            ends["x" if x else "y"] += 1
    say(f"winners: {dict(ends)}")


@pytest.mark.big
def test_046_two_promotions_that_can_both_go_in(arena):
    """Different lines: both go in, or one of them is told to come again. Nothing that was said to be in is lost."""
    with arena.watch:
        lines = [f"{i}\n" for i in range(30)]
        texts = ["".join(lines[:at] + [word] + lines[at + 1:]) for at, word in ((3, "of x\n"), (25, "of y\n"))]
        ends = collections.Counter()
        for (x, y), text, only in two_at_once(arena, texts, 10_000 if LONG else 40):
            assert x or y, "neither went in"
            assert ("of x\n" in text) == x and ("of y\n" in text) == y and only == {n for n, e in zip("xy", (x, y)) if e}
            ends["both" if x and y else "one"] += 1
    say(f"went in: {dict(ends)}")


def test_046_for_a_person(arena):
    """Two agents worked on one project. Ann's work is promoted, then Bob's; then Cy's, who wrote the same line as Ann."""
    arena.put("poem", "roses are red\n-\n-\n-\nviolets are blue\n-\n-\n-\nthe end\n")
    for name, script in (("ann", "sed -i 's/red/pink/' poem"), ("bob", "sed -i 's/blue/violet/' poem; echo by bob > note"),
                         ("cy", "sed -i 's/red/grey/' poem; echo by cy > other")):
        arena.ok("create", name)
        arena.sh(name, script)
    arena.promoted("ann")
    result = arena.promoted("bob")
    assert [c["outcome"] for c in result["changes"] if path_of(c) == b"poem"] == ["merge"]
    poem = "roses are pink\n-\n-\n-\nviolets are violet\n-\n-\n-\nthe end\n"
    assert (arena.project / "poem").read_text() == poem and (arena.project / "note").read_text() == "by bob\n"
    conflict, = arena.stopped("cy")["conflicts"]
    assert conflict["path"] == "poem" and (conflict["box"], conflict["host"]) == ("modified", "modified")
    assert not (arena.project / "other").exists(), "all or nothing"
    arena.promoted("cy", "--conflict", "both")
    assert (arena.project / "poem").read_text() == poem
    assert (arena.project / "poem.cy").read_text().startswith("roses are grey\n")
    for _ in range(3):
        arena.undo()
    assert (arena.project / "poem").read_text().count("red") == 1 and not (arena.project / "poem.cy").exists()
    assert not (arena.project / "note").exists() and not (arena.project / "other").exists()


# 39 to 45: what a tree can hold.

@pytest.mark.parametrize("target", ["../outside/new", "{outside}/new", "tree/../../outside/new", "{outside}", "/etc/passwd",
                                    "chain"])
def test_039_symlink_to_outside(lab, target):
    """Shown as a trap; put in as the link it is when a person says yes; never followed, then or later."""
    target = target.format(outside=lab.outside)
    if target == "chain":  # two links, each harmless to look at
        lab.sh("b", "ln -s tree/up l; ln -s ../../outside tree/up")
    else:
        lab.sh("b", f"ln -s {target} l")
    result = lab.stopped("b")
    assert {t["kind"] for t in result["traps"]} == {"symlink"}
    lab.promoted("b", "--yes")
    assert os.readlink(lab.project / "l") == ("tree/up" if target == "chain" else target)
    # A second box puts a directory where the link is; its file does not go through the link.
    lab.ok("create", "c", "--profile", lab.profile)
    lab.sh("c", "rm l; mkdir l; echo mine > l/new; echo mine > l/plain")
    lab.promoted("c", "--yes")
    assert (lab.project / "l/new").read_text() == "mine\n" and not (lab.project / "l").is_symlink()
    # Control: a link that stays in the tree is no trap.
    lab.sh("b", "ln -s tree/plain inside; ln -s ../inside tree/back; ln -s nowhere dangling")
    assert lab.promote("b", "inside", "tree/back", "dangling")[1]["traps"] == []


def test_039_host_put_a_symlink_meanwhile(lab):
    """The directory the box worked in is now a link to outside: a conflict, whatever lies behind it."""
    lab.put("d/f", "base\n")
    copy_tree(lab.project / "d", lab.root / "twin")
    lab.sh("b", "echo box > d/f; echo box > d/new")
    remove(lab.project / "d")
    (lab.project / "d").symlink_to(lab.root / "twin")
    twin = tree(lab.root / "twin")
    assert lab.stopped("b")["conflicts"]
    for answer in ("keep", "overwrite", "both", "mark"):
        lab.promote("b", "--yes", "--conflict", answer)
        assert_same(twin, tree(lab.root / "twin"), f"written through the link with {answer}")


def test_040_hardlink_to_a_host_inode(lab):
    """Files of the project that have a second name outside: promoting leaves the other name as it was."""
    share = lab.root / "share"
    share.mkdir()
    for name in ("text", "mode", "xattr", "time", "gone", "linked"):
        os.link(lab.put(f"d/{name}", f"{name}\n"), share / name)
    before = tree(share)
    lab.py("b", """
        import os
        open("d/text", "a").write("more")
        os.chmod("d/mode", 0o600)
        os.setxattr("d/xattr", "user.a", b"1")
        os.utime("d/time", (5, 5))
        os.remove("d/gone")
        os.link("d/linked", "d/second")
        """)
    lab.promoted("b", "--yes")
    assert_same(before, tree(share), "the other name")
    after = tree(lab.project / "d")
    assert after[b"text"]["content"] == b"text\nmore" and after[b"mode"]["mode"] == "0o600" and b"gone" not in after
    assert after[b"xattr"]["xattrs"] and after[b"time"]["mtime"] == 5 * 10**9
    assert (lab.project / "d/second").read_text() == "linked\n"
    # Undo takes back to the host's own inodes or to equal ones; outside stays.
    lab.undo()
    assert_same(before, tree(share), "the other name after undo")
    # Control: the same work without a box does change it.
    os.chmod(lab.project / "d/mode", 0o600)
    with open(lab.project / "d/text", "a", encoding="ascii") as f:
        f.write("more")
    if (lab.project / "d/mode").stat().st_ino == (share / "mode").stat().st_ino:
        assert tree(share)[b"mode"]["mode"] == "0o600" and tree(share)[b"text"]["content"] == b"text\nmore"


def test_041_hardlink_group(lab):
    """Three names of one file in the box are three names of one file on the host."""
    lab.sh("b", "mkdir -p p/q; echo one > a; ln a p/b; ln a p/q/c; echo x > solo")
    lab.promoted("b")
    numbers = {(lab.project / n).stat().st_ino for n in ("a", "p/b", "p/q/c")}
    assert len(numbers) == 1 and (lab.project / "a").stat().st_nlink == 3 and (lab.project / "solo").stat().st_nlink == 1
    lab.undo()
    assert not (lab.project / "a").exists() and not (lab.project / "p").exists()
    # One name of the group alone is one file, with nothing else hanging on it.
    lab.promoted("b", "a")
    assert (lab.project / "a").stat().st_nlink == 1 and (lab.project / "a").read_text() == "one\n"


def test_042_fifo_and_socket(lab):
    """What is no file, directory or link is left in the box with a word; whatever the answer to conflicts, the host gets none."""
    lab.py("b", """
        import os, socket
        os.mkfifo("fifo"); os.mkdir("d"); os.mkfifo("d/fifo")
        socket.socket(socket.AF_UNIX).bind("sock")
        os.remove("tree/plain"); os.mkfifo("tree/plain")
        open("d/file", "w").write("x")
        """)
    plain = (lab.project / "tree/plain").read_bytes()
    for answer in ("stop", "keep", "overwrite", "both", "mark"):
        result = lab.promoted("b", "--yes", "--conflict", answer)
        assert {(path_of(c), c["type"]) for c in result["left"]} == {(b"fifo", "fifo"), (b"sock", "socket"), (b"d/fifo", "fifo"),
                                                                     (b"tree/plain", "fifo")} and not result["conflicts"], result
        assert any("4 left in the box: a FIFO" in line for line in result["stayed"]), result["stayed"]
        odd = [p for p, e in tree(lab.project).items() if e["type"] == "odd"]
        assert not odd and (lab.project / "d/file").read_text() == "x", (answer, odd)
        assert (lab.project / "tree/plain").read_bytes() == plain, answer
        lab.undo()
    # Control: the host can have them; it is the promotion that does not make them.
    os.mkfifo(lab.project / "fifo")


def test_043_sparse_terabyte(lab):
    """1 TiB of nothing is promoted as nothing, or refused; it neither fills the disk nor takes an hour."""
    lab.put("small", "small\n")
    lab.put("both", "base\n")
    # Strict has a limit on the size of a file, which is not what this is about.
    lab.ok("run", "--box", "b", "--file-size", "0", "--", "sh", "-ec",
           "truncate -s 1T big; truncate -s 1T small; truncate -s 1T both; echo x > other")
    (lab.project / "both").write_text("host\n")
    began = time.monotonic()
    assert {path_of(c) for c in lab.stopped("b")["conflicts"]} == {b"both"}
    before = tree(lab.project)
    status, result = lab.promote("b", "big", "small", "other")
    took = time.monotonic() - began
    # Of what others may not look into, like the work directory of an overlay, there is nothing to count.
    used = int(subprocess.run(["du", "-skx", lab.root], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.split()[0]) << 10
    say(f"status {status} after {took:.2f} s, {used >> 10} KiB used")
    assert took < 100 and used < 1 << 30
    if status == 0:
        for name in ("big", "small"):
            st = (lab.project / name).stat()
            assert st.st_size == 1 << 40 and st.st_blocks < 1000, st
        with open(lab.project / "small", "rb") as f:
            assert f.read(12) == b"small\n" + bytes(6)
        lab.undo()
    assert_same(without_dir_times(before), without_dir_times(tree(lab.project)), "afterwards")


def test_044_host_edited_since_the_clone(lab):
    """Never overwritten in silence: merged where the lines are apart, else a conflict."""
    text = "".join(f"{i}\n" for i in range(20))
    apart, same = lab.put("apart", text), lab.put("same", text)
    lab.sh("b", "sed -i s/^2$/box/ apart; sed -i s/^9$/box/ same")
    apart.write_text(text.replace("17\n", "host\n"))
    same.write_text(text.replace("\n9\n", "\nhost\n"))
    assert {path_of(c) for c in lab.stopped("b")["conflicts"]} == {b"same"}
    assert {c["outcome"] for c in lab.promoted("b", "apart")["changes"]} == {"merge"}
    assert apart.read_text() == text.replace("17\n", "host\n").replace("\n2\n", "\nbox\n")
    # Control: plain copying, which loses the host's line.
    lab.promoted("b", "same", "--conflict", "overwrite")
    assert "host" not in same.read_text()


def test_044_host_edited_during_the_run(lab):
    """Edited while the box was changing the same file: nobody knows what the box started from."""
    f = lab.put("f", "base\n")
    with running(lab, "echo box > f") as process:
        f.write_text("host\n")
        finish(process)
    conflict, = lab.stopped("b")["conflicts"]
    assert conflict["path"] == "f"
    assert f.read_text() == "host\n"


def test_045_host_file_deleted_meanwhile(lab):
    f = lab.put("d/f", "base\n")
    lab.sh("b", "echo box > d/f; echo new > d/new")
    f.unlink()
    conflict, = lab.stopped("b")["conflicts"]
    assert (conflict["path"], conflict["box"], conflict["host"]) == ("d/f", "modified", "deleted")
    remove(lab.project / "d")
    assert lab.stopped("b")["conflicts"]
    # Control: without the host's deletion it goes in.
    lab.put("d/f", "base\n")
    lab.promoted("b")
    assert f.read_text() == "box\n"


# 47: a run that is still writing.

@contextlib.contextmanager
def running(lab, script):
    """A run of box b that has done SCRIPT and goes on until finish()."""
    words = ["run", "--box", "b", "--", "sh", "-c", f"{script}; echo ready; read line"]
    with lab.start(*words, stdin=subprocess.PIPE) as process:
        try:
            assert process.stdout.read(6) == b"ready\n"
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def finish(process):
    process.communicate(b"\n", timeout=50)


WRITER = """
import os
a, b = (os.open(n, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for n in "ab")
n = 0
while True:
    n += 1
    os.pwrite(a, b"%010d" % n, 0)
    os.pwrite(b, b"%010d" % n, 0)
"""


def test_047_process_holds_write_descriptors(lab):
    """A box in use is frozen first or not promoted: a and b, written in turns, never arrive from different moments."""
    for name in "ab":
        lab.put(name, "0\n")

    def check():
        a, b = (int((lab.project / name).read_text()) for name in "ab")
        assert 0 <= a - b <= 1, f"torn: {a} and {b}"
        return a

    with running(lab, f"{PYTHON} -c '{WRITER}' & while ! [ $(wc -c < b) = 10 ]; do :; done") as process:
        before = tree(lab.project)
        status, result = lab.promote("b", timeout=50)
        if status == 0:
            check()
        else:
            assert status == 125 and result["error"]["code"] in ("EBUSY", "EAGAIN"), result
            assert_same(before, tree(lab.project), "a refused promotion wrote")
        finish(process)
    # Control: at rest it goes in.
    if status:
        lab.promoted("b")
        assert check() > 0


# 48 to 51: names, bits, hidden deletions, git.

ODD_NAMES = [b"new\nline", b"\xff\xfe", b"n" * 255, b" ", b"-rf", b"--yes", b"tab\t", b"\\", b"'\"", b".wh.old",
             b"\xe2\x82", b"\x1b[2J", b"\xe2\x80\xae" + b"txt.exe", b"$(touch owned)", b"*", b"a\rb", b"\x01", b".wh..wh..opq", b"%s%n"]


def test_048_odd_names(lab):
    """Byte for byte, on the host and in the result; and no name speaks to the terminal."""
    (lab.project / "old").mkdir()
    for name in ODD_NAMES:
        pathlib.Path(os.fsdecode(os.fsencode(lab.project / "old") + b"/" + name)).write_bytes(b"old")
    lab.py("b", f"""
        import os
        os.mkdir("new")
        for name in {ODD_NAMES!r}:
            os.mkdir(b"new/" + name)
            for part in (b"new/" + name + b"/x", b"old/" + name):
                with open(part, "wb") as f:
                    f.write(name)
        """)
    with lab.start("promote", "b", "--dry-run") as process:
        shown = process.communicate(timeout=60)[0]
    assert not set(shown) & (set(range(32)) - {10}), "control characters reach the terminal"
    assert "\u202e" not in shown.decode(errors="replace"), "text direction is turned around"
    result = lab.promoted("b")
    want = {b"new"} | {b"new/" + n for n in ODD_NAMES} | {b"new/" + n + b"/x" for n in ODD_NAMES} | \
        {b"old/" + n for n in ODD_NAMES}
    assert {path_of(c) for c in result["changes"] if (c["kind"], c["type"]) != ("touched", "directory")} == want
    found = tree(lab.project)
    for name in ODD_NAMES:
        assert found[b"new/" + name + b"/x"]["content"] == found[b"old/" + name]["content"] == name
    assert not (lab.project / "owned").exists()
    lab.undo()
    assert not (lab.project / "new").exists()
    for name in ODD_NAMES:  # each by itself, named on the command line
        status, result = lab.promote("b", "--", os.fsdecode(b"old/" + name))
        try:
            name.decode()
        except UnicodeDecodeError:  # what cannot be said in JSON cannot be asked for by name
            assert status == 125 and result["error"]["code"] == "EILSEQ", (name, result)
        else:
            assert status == 0 and b"old/" + name in {path_of(c) for c in result["changes"]}, (name, result)


def acl(uid):
    """user::rw-, user:UID:rwx, group::r--, mask::rwx, other::---"""
    rows = [(1, 6, 0xffffffff), (2, 7, uid), (4, 4, 0xffffffff), (16, 7, 0xffffffff), (32, 0, 0xffffffff)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *row) for row in rows)


def test_049_setuid_acl_xattr(lab):
    """Bits that give power are traps; what else there is of attributes arrives and is shown, or does not arrive."""
    for name in ("acl", "xattr"):
        lab.put(name, "x\n")
    lab.sh("b", "for n in suid sgid; do cp /bin/true $n; done; chmod 4755 suid tree/program; chmod 2755 sgid; mkdir -m 2755 d")
    traps = {path_of(t).decode(): t["kind"] for t in lab.stopped("b")["traps"]}
    assert traps.pop("d", "setuid") == "setuid"  # on a directory it is a matter of taste
    assert traps == dict.fromkeys(("suid", "sgid", "tree/program"), "setuid")
    out = lab.py("b", f"""
        import os
        os.setxattr("xattr", "user.a", b"1")
        for path in ("acl", "new-acl"):
            open(path, "a").close()
            try:
                os.setxattr(path, "system.posix_acl_access", {acl(os.getuid())!r})
                print("set")
            except OSError as err:
                print(err)
        """)
    result = lab.promoted("b", "--yes")
    kinds = {path_of(c): c["kind"] for c in result["changes"]}
    assert stat.S_IMODE((lab.project / "suid").stat().st_mode) == 0o4755
    assert kinds[b"xattr"] == "xattr" and os.getxattr(lab.project / "xattr", "user.a") == b"1"
    assert out.count("set") == 2, out
    after = tree(lab.project)
    for name in (b"acl", b"new-acl"):
        there = after[name]["xattrs"].get("system.posix_acl_access")
        assert there in (None, acl(os.getuid())), (name, there)
        assert there is None or name in kinds, "an access list arrived unseen"
        # Without its list the mode must not give the group what was the mask.
        assert there is not None or not int(after[name]["mode"], 8) & 0o020, after[name]


def test_049_file_capability(lab):
    """security.* never comes from a box; one that the host has on a file is not lost by a change of its mode."""
    f = lab.put("f", "x\n")
    caps = bytes.fromhex("0100000200200000000000000000000000000000")
    if box.IS_ROOT:
        os.setxattr(f, "security.capability", caps)
    lab.py("b", f"""
        import os
        for name in ("security.capability", "security.selinux", "security.x", "trusted.x"):
            try:
                open("n", "w").close(); os.setxattr("n", name, {caps!r})
            except OSError:
                pass
        os.chmod("f", 0o755)
        """)
    lab.promoted("b", "--yes")
    assert os.listxattr(lab.project / "n") == []
    assert stat.S_IMODE(f.stat().st_mode) == 0o755


def test_050_hidden_deletions(lab):
    """A directory made anew, or renamed, hides what was in it: diff and promotion name every file that goes."""
    for name in ("d/a", "d/secret", "d/sub/b", "e/a", "e/sub/b"):
        lab.put(name, name + "\n")
    lab.sh("b", "cp -p d/a t; rm -r d; mkdir d; mv t d/a; mv e moved")
    gone = {b"d/secret", b"d/sub", b"d/sub/b", b"e", b"e/a", b"e/sub", b"e/sub/b"}
    for result in (lab.ok("diff", "b"), lab.promote("b", "--dry-run")[1], lab.promoted("b")):
        assert {path_of(c) for c in result["changes"] if c["kind"] == "deleted"} == gone
        assert result["summary"]["deleted"] == len(gone)
        assert {path_of(c) for c in result["changes"] if c["kind"] == "created"} == {
            b"moved", b"moved/a", b"moved/sub", b"moved/sub/b"}
    assert not (lab.project / "e").exists() and sorted(os.listdir(lab.project / "d")) == ["a"]
    lab.undo()
    assert (lab.project / "d/sub/b").read_text() == "d/sub/b\n" and (lab.project / "e/sub/b").exists()


def test_051_nothing_of_git_runs(lab):
    """A configuration that runs programs stays in the box; diff, promotion and undo start nothing but git in boxes, and that runs none of it."""
    lab.sh("b", """
        git init -q . && git config user.email a@b && git config user.name n
        printf '#!/bin/sh\\ntouch "$(dirname "$0")/owned"\\n' > evil; chmod 755 evil
        git config core.fsmonitor "$PWD/evil"; git config core.hooksPath "$PWD"; git config filter.x.clean "$PWD/evil"
        git config filter.x.smudge "$PWD/evil"; git config core.pager "$PWD/evil"; git config diff.external "$PWD/evil"
        git config core.sshCommand "$PWD/evil"
        echo '* filter=x diff=x' > .gitattributes; echo text > file; for h in pre-commit post-checkout; do cp evil $h; done
        rm -f owned""")
    assert "git-config" in {t["kind"] for t in lab.stopped("b")["traps"]}
    log = lab.root / "strace"
    for words in (["diff", "b"], ["promote", "b", "--dry-run"], ["promote", "b", "--yes"], ["promote", "b"], ["undo"],
                  ["promote", "b", "--yes"]):
        done = subprocess.run(["strace", "-f", "-qq", "-e", "trace=execve,execveat", "-o", log, box.aisbx(), *words],
                              cwd=lab.project, env=lab.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=60)
        started = [line for line in log.read_text().splitlines() if "exec" in line and "= 0" in line]
        assert box.aisbx() in started[0] and not [line for line in started if "evil" in line or "pre-commit" in line], (words, started)
        assert done.returncode in (0, 1)
        assert not (lab.project / "owned").exists(), words
    assert not (lab.project / ".git/config").exists()  # nothing was committed, so there is no repository to make
    # Control: git in the box does run it.
    lab.sh("b", "git -c safe.directory='*' status >/dev/null; test -e owned")
