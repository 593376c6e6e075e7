# SPDX-License-Identifier: Apache-2.0
"""Histories by chance, on both sides, and then a promotion: nothing is lost, everything is sound, and `undo` restores all of it.

With AISBX_LONG=1 500 seeds; AISBX_SEED=N is one of them alone, AISBX_SEED=N-M some of them.
"""
import os
import random
import re
import shutil
import subprocess

import pytest

from git_home import Home
from promote import LONG, SLOW

FIRST, _, LAST = os.environ.get("AISBX_SEED", "").partition("-")
SEEDS = range(int(FIRST), int(LAST or FIRST) + 1) if FIRST else range(500 if LONG else 6 if SLOW else 15)

# What is done in a work tree, in shell; @ is a number that was not there before. Each may fail: then it did nothing.
BOTH = [
    "echo @ >f1; git add -A .; git commit -qm @", "echo @ >f2; git commit -qam @", "echo @ >n@; git add n@; git commit -qm @",
    "mkdir -p d; echo @ >d/n@; git add d; git commit -qm @", "git rm -qf f3; git commit -qm @", "git mv f4 m@; git commit -qm @",
    "git commit -q --allow-empty -m @", "git commit -q --amend -m @", "git branch b@", "git tag t@", "git tag -a -m x t@",
    "git switch -q -c b@; echo @ >f5; git commit -qam @", "git switch -q side", "git switch -q main", "git checkout -q --detach",
    "git merge -q --no-edit side || git merge --abort", "git rebase -q side || git rebase --abort", "git reset -q --hard HEAD~1",
    "git reflog expire --expire=now --all; git gc -q --prune=now", "git pack-refs --all", "echo @ >f1; git stash -q", "git branch -D side",
    "git switch -q main; git branch -f side HEAD~1", "git update-ref -d refs/tags/t0",
]
BOX = BOTH * 2 + [
    "echo @ >f6", "echo @ >u@", "rm -f f3", "echo @ >f1; git add f1", "git rm -q --cached f2", "git mv f6 s@", "mkdir i@; cd i@; git init -q; echo @ >x; git add x; git commit -qm @",
    "mkdir e@; cd e@; git init -q; echo @ >x", "git init -q --bare z@", "git worktree add -q -b w@ w@", "chmod +x f5; git commit -qam @", "ln -s f1 l@; git add l@; git commit -qm @",
    "rm -rf inner", "git config core.pager @", "rm -f .git/index; git reset -q", "git update-index --assume-unchanged f1", "git repack -qad", "git commit-graph write --reachable",
]
HOST = BOTH + ["echo @ >f2", "echo @ >h@", "echo @ >f5; git add f5", "git add -N .", "git branch found $(git fsck --lost-found 2>/dev/null | sed -n 's/^dangling commit //p' | head -n 1)"]
FLAGS = [[], [], ["--refs"], ["--refs"], ["--conflict", "keep"], ["--conflict", "overwrite"], ["--refs", "--conflict", "keep"], ["--dry-run"]]

# For each work tree: the commits of its HEAD, and its files against HEAD, whatever its index says.
TELL = """
for t in %s; do cd "$top/$t" 2>/dev/null && [ -e .git ] && c=$(git rev-parse -q --verify HEAD) || continue
    echo "tree ${t#.}"; git rev-list HEAD
    export GIT_INDEX_FILE=/tmp/index; rm -f /tmp/index; git read-tree HEAD
    git status --porcelain --no-renames -uall --ignore-submodules=none | sed 's/^/status /'; unset GIT_INDEX_FILE; done"""


class Story(Home):
    """A repository of many commits, at times with others in it, and a box."""

    def __init__(self, root, seed):
        self.dice, self.number = random.Random(seed), 0
        super().__init__(root, repository=False)
        self.log = []
        self.trees = ["."]
        self.git("init", "-q")
        if self.dice.random() < 0.08:
            self.write(f1="1\n", f2="2\n")
        else:
            self.grow()
        self.ok("create", "b")

    def line(self, pool):
        self.number += 1
        return self.dice.choice(pool).replace("@", str(self.number))

    def fill(self, at):
        for i in range(1, 7):
            self.write(**{f"{at}/f{i}".removeprefix("./").replace("/", "__"): f"{i}\n" * 9})
        self.git("add", "-A", ".", at=at)
        self.git("commit", "-qm", "first", at=at)
        self.git("branch", "side", at=at)

    def grow(self):
        dice = self.dice
        self.fill(".")
        if dice.random() < 0.4:
            (self.root / "origin").mkdir()
            self.git("init", "-q", at="../origin")
            self.commit("o", at="../origin", **{f"f{i}": f"{i}\n" for i in range(1, 7)})
            self.git("branch", "side", at="../origin")
            self.git("submodule", "--quiet", "add", "../origin", "sub")
            self.git("commit", "-qm", "sub")
            self.trees.append("sub")
        for _ in range(dice.randint(0, 3)):
            self.do(self.line(BOTH), ".")
        if dice.random() < 0.4:
            self.do("git worktree add -q -b wt wt", ".")
            self.trees += ["wt"]
        if dice.random() < 0.3:
            (self.project / "inner").mkdir()
            self.git("init", "-q", at="inner")
            self.fill("inner")
            self.trees.append("inner")
        self.do("git update-ref refs/tags/t0 HEAD", ".")

    def do(self, line, at):
        """On the host."""
        self.log.append(f"host {at}: {line}")
        script = f"cd '{at}' && {{ {line}; }} >/dev/null 2>&1 || :"
        subprocess.run(["sh", "-c", script], cwd=self.project, env=self.git_env, check=True, timeout=120, stdin=subprocess.DEVNULL)

    def act_in_box(self):
        lines = [(self.line(BOX), self.dice.choice(self.trees)) for _ in range(self.dice.randint(1, 7))]
        self.log += [f"box {at}: {line}" for line, at in lines]
        self.work("top=$PWD\n" + "\n".join(f"( cd '{at}' && {{ {line}; }} ) >/dev/null 2>&1 || :" for line, at in lines))

    def act_outside(self):
        for _ in range(self.dice.randint(1, 4)):
            self.do(self.line(HOST), self.dice.choice(self.trees))

    def box_tells(self):
        """Work tree -> (commits, status)."""
        found, tree = {}, None
        for line in self.work("top=$PWD; " + TELL % " ".join(self.trees)).splitlines():
            key, _, rest = line.partition(" ")
            if key == "tree":
                tree = rest
                found[tree] = (set(), [])
            elif key == "status":
                found[tree][1].append(rest)
            else:
                found[tree][0].add(key)
        return found

    def reachable(self, at):
        return set(self.git("rev-list", "--all", *(["HEAD"] if self.at(at=at) else []), at=at).split())


def clean(status):
    """Of a repository in a repository `git status` tells what its own says better; of a new work tree, and of a
    repository without commits, only the files come; of a bare one nothing."""
    return sorted(line for line in status if not line.endswith("/") and not re.match(r".. (.*/)?[ewz]\d+/", line))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_history(tmp_path, seed):
    story = Story(tmp_path, seed)
    try:
        tell(story)
    except AssertionError as err:
        raise AssertionError("\n".join([f"AISBX_SEED={seed}", *story.log, str(err)])) from None
    finally:
        if LONG:
            story.call("rm", "b")
            story.call("gc")
            shutil.rmtree(tmp_path, ignore_errors=True)


def tell(story):
    quiet = story.everything()
    story.act_in_box()
    if story.dice.random() < 0.6:
        story.act_outside()
        if story.dice.random() < 0.3:
            story.act_in_box()
    in_box, before = story.box_tells(), story.everything()
    reached = {at: story.reachable(at) for at in before}
    words = story.dice.choice(FLAGS)
    story.log.append(f"promote {words}")
    status, result = story.promote("b", *words)
    story.log.append(f"{status} {result}")
    assert status in (0, 1), "refused"
    story.sound()
    after = story.everything()
    for at, commits in reached.items():
        lost = commits - story.reachable(at)
        assert not lost, f"commits of '{at}' are lost: {lost}"
    if status == 1 or not result["applied"]:
        assert after == before, "it did not say that it did something"
    if status == 1 or result["dry_run"]:
        return
    for at, (commits, _) in in_box.items():
        if at in after:
            missing = commits - story.reachable(at)
            assert not missing, f"commits of the box's '{at}' did not come: {missing}"
    for row in result["branches"]:
        at = row["path"]
        if row["how"] == "forward" and before == quiet and quiet.get(at, ("", "", "", "x"))[3] == "" and at in in_box and before[at][1] == row["branch"]:
            assert clean(story.status(at).splitlines()) == clean(in_box[at][1]), f"status of '{at}'"
    if result["applied"]:
        story.undo()
        back = story.everything()
        assert back == before, f"undo made of {before} {back}"
        story.sound()
