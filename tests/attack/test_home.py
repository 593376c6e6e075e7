# SPDX-License-Identifier: Apache-2.0
"""Attacks 126 to 131, 150 and 161: what a box leaves in a repository for the host's own git to trip over.

Of 126 to 130 some of each kind; all of them, by every door, are in tests/git/test_variants.py. Controls do the same on the host.
"""
import hashlib
import json
import os
import shutil
import struct
import subprocess
import zlib

import pytest

import box
import git_plant
import git_variants
from git_home import Home
from promote import PYTHON, Shelf

NAMED = {v.name: v for v in git_variants.variants()}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    made = git_variants.Stage(tmp_path_factory.mktemp("base"))
    made.make()
    git_variants.prepare(made)
    return made


class Lab(Shelf):
    """A project with repositories of every kind, and what payloads need."""

    def __init__(self, top, base, chosen):
        super().__init__(top)
        self.project.rmdir()
        self.stage = git_variants.Stage(top)
        base.copy_to(self.stage)
        self.stage.payloads(chosen)
        shutil.copy(git_plant.__file__, self.project / "payload/plant.py")

    def plant(self, steps):
        self.sh("b", f"{PYTHON} payload/plant.py /dev/stdin <<'END'\n{json.dumps(steps)}\nEND")


def attack(tmp_path, base, profile, *names):
    """Planted, promoted without a word, and then a person works there; the control plants it on the host."""
    chosen = [NAMED[n] for n in names]
    lab = Lab(tmp_path / "lab", base, chosen)
    lab.ok("create", "b", "--profile", profile)
    lab.sh("b", "echo honest >honest")
    lab.plant(lab.stage.steps(chosen))
    lab.promoted("b")
    assert (lab.project / "honest").exists()
    assert not lab.stage.arrived()
    lab.stage.live(chosen, dict.fromkeys(["", *(v.tree for v in chosen)]))
    assert not lab.stage.fired()
    for v in chosen:
        control = git_variants.Stage(tmp_path / f"control-{v.name}")
        base.copy_to(control)
        control.plant(v)
        control.shell(v.trigger, control.project / v.tree, check=False)
        assert v.name in control.fired(), f"the control of {v.name} failed, so this test tests nothing"


CASES = {
    "126_configuration_of_a_submodule": ["V.sub-config-fsmonitor", "V.sub-config-include", "V.sub-config-diff.external"],
    "127_hooks_of_a_submodule": ["V.sub-hook-post-checkout", "V.sub-hook-pre-commit"],
    "128_a_submodule_in_a_submodule": ["V.deep-config-fsmonitor", "V.deep-hook-post-checkout"],
    "129_commondir_of_a_work_tree": ["V.worktree-commondir"],
    "130_a_bare_repository": ["V.shape-bare", "V.shape-bare-deep", "V.bare-config"],
    "130_whose_head_dangles": ["V.shape-head-dangles"],
    "130_with_commondir_and_no_objects": ["V.shape-commondir", "V.shape-gitfile-commondir"],
    "130_that_the_host_began": ["V.shape-added-to"],
}


def define_tests():
    for name, names in CASES.items():
        def test(tmp_path, base, profile, names=names):
            attack(tmp_path, base, profile, *names)

        test.__name__ = test.__qualname__ = f"test_{name}"
        globals()[f"test_{name}"] = pytest.mark.parametrize("profile", box.PROFILES)(test)


define_tests()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_130_in_two_promotions(tmp_path, base, order):
    """Neither half is a git directory; together they would be one."""
    v = NAMED["V.shape-bare"]
    lab = Lab(tmp_path, base, [v])
    lab.ok("create", "b")
    steps = lab.stage.steps([v])
    halves = [[s for s in steps if s[1].endswith("/HEAD")], [s for s in steps if not s[1].endswith("/HEAD")]]
    for i in order:
        lab.plant(halves[i])
        lab.promote("b", "--yes")
    lab.stage.shell("git status; git st", lab.project / "docs/bare", check=False)
    assert not lab.stage.fired()
    # Control: the rest by hand.
    git_plant.plant(steps, lab.project)
    lab.stage.shell("git status", lab.project / "docs/bare", check=False)
    assert lab.stage.fired() == {v.name}


# 131: what redirects objects.

@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def test_131_replaced_commits(home):
    home.commit("two", f="2\n")
    evil = "git replace $(git rev-parse HEAD) $(git commit-tree -m evil HEAD~1^{tree})"
    home.box(script=evil + "; echo x >g; git add g; git commit -qm three")
    result = home.promoted("b", "--refs")
    assert home.git("replace", "-l") == "" and home.subjects() == ["three", "two", "one"], result
    # Control.
    subprocess.run(["sh", "-ec", evil], cwd=home.project, env=home.git_env, check=True, stdout=subprocess.DEVNULL)
    assert home.subjects() == ["evil"]


def test_131_grafts(home):
    home.commit("two", f="2\n")
    evil = "mkdir -p .git/info; git rev-parse HEAD >.git/info/grafts"
    home.box(script=evil + "; echo x >g; git add g; git commit -qm three")
    home.promoted("b")
    assert home.subjects() == ["three", "two", "one"] and not (home.project / ".git/info/grafts").exists()
    subprocess.run(["sh", "-ec", evil], cwd=home.project, env=home.git_env, check=True)
    assert home.subjects() == ["three"]


def test_131_alternates(home):
    """Objects of which only the box's store knows do not come by a pointer to it; those of its commits come."""
    other = "git init -q --bare store; echo secret | git -C store hash-object -w --stdin"
    evil = "mkdir -p .git/objects/info; echo \"$PWD/store/objects\" >.git/objects/info/alternates"
    oid = home.box(script=f"{other}; {evil}; echo x >g; git add g; git commit -qm two").strip()
    home.promoted("b")
    assert not (home.project / ".git/objects/info/alternates").exists()
    home.git("cat-file", "-e", oid, want=1)
    home.sound()
    subprocess.run(["sh", "-ec", f"{other}; {evil}"], cwd=home.project, env=home.git_env, check=True, stdout=subprocess.DEVNULL)
    home.git("cat-file", "-e", oid)


def crafted(body, victim):
    """(name, pack, index): the pack has BODY, and its index says that it is VICTIM. Git does not look again."""
    data = b"PACK" + struct.pack(">II", 2, 1) + bytes([0x30 | len(body)]) + zlib.compress(body)
    pack = data + hashlib.sha1(data).digest()
    first = victim[0]
    index = b"\xfftOc" + struct.pack(">I", 2) + b"".join(struct.pack(">I", int(i >= first)) for i in range(256)) + victim + \
        struct.pack(">I", zlib.crc32(data[12:])) + struct.pack(">I", 12) + pack[-20:]
    return hashlib.sha1(victim).hexdigest(), pack, index + hashlib.sha1(index).digest()


def test_131_a_crafted_pack_index(home):
    """An object by the name of another: in the box it is, on the host nothing of it."""
    home.commit("two", f="good\n")
    victim = home.git("rev-parse", "HEAD:f")
    name, pack, index = crafted(b"evil\n", bytes.fromhex(victim))
    steps = [("hex", f".git/objects/pack/pack-{name}.{end}", data.hex()) for end, data in (("pack", pack), ("idx", index))]
    home.ok("create", "b")
    assert home.work(f"cat >/tmp/plant.py <<'END'\n{open(git_plant.__file__, encoding='utf-8').read()}\nEND\n"
                     f"cat >/tmp/steps <<'END'\n{json.dumps(steps)}\nEND\n{PYTHON} /tmp/plant.py /tmp/steps; git show HEAD:f") == "evil\n"
    home.work("echo x >g; git add g; git commit -qm three; git repack -qad || :")
    status, result = home.promote("b")
    assert status in (0, 125), result
    assert home.git("show", "HEAD:f") == "good" and not (home.project / f".git/objects/pack/pack-{name}.idx").exists()
    home.sound()
    # Control.
    for path in (home.project / ".git/objects" / victim[:2]).iterdir():
        os.utime(path)
    git_plant.plant(steps, home.project)
    assert home.git("show", "HEAD:f") == "evil"


def test_150_pruned_in_the_box(home):
    """`git gc --prune=now` in a box takes nothing from the host, which came to need it meanwhile."""
    lost = home.commit("lost", f="lost\n")
    home.git("reset", "-q", "--hard", "HEAD~1")
    prune = "git reflog expire --expire=now --all; git gc -q --prune=now"
    home.box(script=prune + "; echo x >g; git add g; git commit -qm two")
    home.work(f"git cat-file -e {lost}", want=1)
    home.git("branch", "found", lost)
    home.promoted("b")
    assert home.subjects("found") == ["lost", "one"] and home.subjects() == ["two", "one"]
    home.sound()
    # Control: on the host.
    home.git("branch", "-D", "found")
    subprocess.run(["sh", "-ec", prune], cwd=home.project, env=home.git_env, check=True)
    home.git("cat-file", "-e", lost, want=1)


@pytest.mark.parametrize("words", [[], ["--yes"], ["easy", "--yes"], ["easy/post-checkout", "--yes"], [".git", "--yes"], [".git/hooks", "--yes"]])
def test_161_a_link_to_hooks(home, words):
    """The host has a link to .git/hooks in the project, and the box writes through it."""
    (home.project / ".git/hooks").mkdir(exist_ok=True)
    os.symlink(".git/hooks", home.project / "easy")
    canary = home.root / "canary"
    evil = f"printf '#!/bin/sh\\n: >\"{canary}\"\\n' >easy/post-checkout; chmod +x easy/post-checkout"
    home.box(script=evil + "; echo 2 >f")
    home.promote("b", *words)
    assert not (home.project / ".git/hooks/post-checkout").exists()
    home.git("checkout", "-q", "-b", "x")
    assert not canary.exists()
    # Control.
    subprocess.run(["sh", "-ec", evil], cwd=home.project, check=True)
    home.git("checkout", "-q", "-b", "y")
    assert canary.exists()


def test_161_a_link_that_becomes_a_directory(home):
    """First the box brings a link to .git, then a directory of the same name with a hook in it; and the other way round."""
    canary = home.root / "canary"
    script = f"printf '#!/bin/sh\\n: >\"{canary}\"\\n' >d/hooks/post-checkout; chmod +x d/hooks/post-checkout"
    home.box(script="ln -s .git d")
    home.promote("b", "--yes")
    for then in (f"rm d; mkdir -p d/hooks; {script}", f"rm -rf d; ln -s .git d; mkdir -p .git/hooks; {script}"):
        home.work(then)
        home.promote("b", "--yes")
        assert not (home.project / ".git/hooks/post-checkout").exists()
        home.git("checkout", "-q", "-B", "x")
        assert not canary.exists()
    # Control.
    subprocess.run(["sh", "-ec", f"rm -rf d; ln -s .git d; mkdir -p .git/hooks; {script}"], cwd=home.project, check=True)
    home.git("checkout", "-q", "-B", "y")
    assert canary.exists()
