# SPDX-License-Identifier: Apache-2.0
"""Kills, and fails, promotions that bring commits home, and their undo, at system calls of aisbx, of the box around git, and of git.

As tests/killed/test_state_faults.py, with repositories: afterwards files, branches, HEAD and index are those of before or those of after, git finds
its repository sound, and no lock or half made file of ours, or of a git that was killed, is left in it. strace counts a number in every process, so
each place is one of aisbx and of all that it starts.
"""
import collections
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from test_state_faults import ENDS, LONG, NEVER_FAIL, PROMOTE, UNDO, Place, Promotion, facts, orphans, promotion_orphans

DATE = "2021-03-04T05:06:07"
GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Host", "GIT_AUTHOR_EMAIL": "host@example.org",
       "GIT_COMMITTER_NAME": "Host", "GIT_COMMITTER_EMAIL": "host@example.org", "GIT_AUTHOR_DATE": DATE, "GIT_COMMITTER_DATE": DATE,
       "PATH": "/usr/bin:/bin"}
# A commit on the branch the host is on, another branch, a repository that is new, and files that are in no commit.
CHANGES = f"""
export {' '.join(f"{k}='{v}'" for k, v in GIT.items() if k != "PATH")}
echo box > v; echo new > made; git add v made; git commit -qm work v made; git mv made moved; git commit -qm more made moved
git init -q -b main sub; echo s > sub/s; git -C sub add -A; git -C sub commit -qm sub; echo loose > loose
find . -name .git -prune -o ! -type d -exec touch -h -d '2021-03-04 05:06:07' {{}} +
"""
# Of all calls that may change something: those whose change outlives their process, or that begin another one. The rest is about a box's own
# mounts, walls and signals.
LASTING = {"rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "symlink", "symlinkat", "write",
           "pwrite64", "writev", "copy_file_range", "ftruncate", "syncfs", "sync_file_range", "chmod", "fchmod", "fchmodat", "fchown", "fchownat",
           "utimensat", "setxattr", "fsetxattr", "removexattr", "openat", "openat2", "open", "creat", "clone", "clone3", "vfork", "mknodat"}
ERRORS = ("ENOSPC", "EIO", "EMFILE", "ENOMEM")
EVERY = int(os.environ.get("AISBX_EVERY", "1")) if LONG else 0


def git(where, *words, check=True):
    return subprocess.run(["git", *words], cwd=where, env=GIT, capture_output=True, text=True, check=check, timeout=60).stdout


def repository(where):
    """What git has there, and what it would stumble over."""
    if not (where / ".git").is_dir():
        return {"left": sorted(p.name for p in where.glob(".git*"))}
    left = [str(p.relative_to(where)) for p in (where / ".git").rglob("*") if re.search(r"\.lock$|aisbx|/tmp_", str(p.relative_to(where)))]
    sound = subprocess.run(["git", "fsck", "--strict", "--no-dangling"], cwd=where, env=GIT, capture_output=True, text=True, check=False, timeout=60)
    return {"left": left, "fsck": (sound.returncode, re.sub("^notice: .*\n", "", sound.stderr, flags=re.M)), "refs": git(where, "for-each-ref"),
            "head": git(where, "rev-parse", "--symbolic-full-name", "HEAD", check=False), "index": git(where, "ls-files", "-s"), "status": git(where, "status", "--porcelain")}


def everything(project):
    """Files, links, attributes and times below PROJECT but what is git's, and what git says."""
    files = {p: f for p, f in facts(project).items() if ".git" not in pathlib.Path(p).parts}
    return {"files": files, "git": repository(project), "sub": repository(project / "sub") if (project / "sub").is_dir() else None}


class Repository(Promotion):
    def prepare(self):
        (self.work / "home").mkdir(parents=True)
        self.project.mkdir(parents=True)
        for name in ("v", "same", "staged"):
            (self.project / name).write_text(f"{name}\n")
        git(self.project, "init", "-q", "-b", "main")
        git(self.project, "add", "-A")
        git(self.project, "commit", "-qm", "first")
        (self.project / "staged").write_text("by the host\n")
        git(self.project, "add", "staged")
        for name in ("v", "same", "staged"):
            os.utime(self.project / name, (1.5e9, 1.5e9))
        git(self.project, "status")
        self.keep("bare")

    def restore(self):
        super(Promotion, self).restore()
        self.ok("create", "b")
        self.sh("b", CHANGES)
        self.begin()

    def settled(self):
        self.ok("recover")
        assert self.ok("recover")["recovered"] == [], "a second recover finds nothing"
        return everything(self.project)


class Promoted(Repository):
    def begin(self):
        self.ok(*PROMOTE)


STORIES = {"promote": (PROMOTE, Repository, True), "undo": (UNDO, Promoted, False)}
Story = collections.namedtuple("Story", "name lab words before after")


@pytest.fixture(name="story", scope="module", params=STORIES)
def fixture_story(request, tmp_path_factory):
    words, kind, forwards = STORIES[request.param]
    lab = kind(tmp_path_factory.mktemp("git"))
    lab.prepare()
    plain = Repository(lab.root)
    plain.template = lab.template
    plain.restore()
    old = everything(lab.project)
    plain.ok(*PROMOTE)
    new = everything(lab.project)
    assert old["git"]["refs"] != new["git"]["refs"] and not old["sub"] and new["sub"]["refs"], "the story brings no commits"
    for said in (old["git"], new["git"], new["sub"]):
        assert said["left"] == [] and said["fsck"] == (0, ""), said
    assert re.search("^M  staged$", old["git"]["status"], re.M) and re.search("^M  staged$", new["git"]["status"], re.M), (old, new)
    return Story(request.param, lab, words, *((old, new) if forwards else (new, old)))


def differing(seen, wanted):
    found = [f"{k}: {seen['files'].get(k)} not {wanted['files'].get(k)}" for k in seen["files"].keys() | wanted["files"].keys()
             if seen["files"].get(k) != wanted["files"].get(k)]
    for key in ("git", "sub"):
        one, other = seen[key] or {}, wanted[key] or {}
        found += [f"{key}.{k}: {one.get(k)!r} not {other.get(k)!r}" for k in one.keys() | other.keys() if one.get(k) != other.get(k)]
    return found


def processes(lab):
    """Of ours that still live a second later."""
    mark = f"XDG_STATE_HOME={lab.state.parent}".encode()
    end = time.monotonic() + 20
    while True:
        alive = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    alive.append((entry / "cmdline").read_bytes())
            except OSError:
                pass
        if not alive or time.monotonic() > end:
            return alive
        time.sleep(0.02)


def forgives_index(wanted, seen, outcome):
    """An index that could not follow is told; the rest is as it is to be."""
    said = (outcome.result or {}).get("error") or ""
    if not (isinstance(said, str) and "could not be updated" in said) and "could not be updated" not in outcome.said:
        return wanted
    return {**wanted, "git": {**wanted["git"], "index": seen["git"]["index"], "status": seen["git"]["status"]}}


def judge(story, where, outcome, killed):
    lab, wrong = story.lab, []
    if processes(lab):
        wrong.append(f"processes are left: {processes(lab)}")
    if not killed and outcome.status != 0:
        text = ((outcome.result or {}).get("error") or {}).get("text") or outcome.said
        if outcome.status not in (125, 1, -signal.SIGKILL) or (len(text) < 10 and where.name != "write"):
            wrong.append(f"no clean error: {outcome}")
    try:
        seen = lab.settled()
    except AssertionError as err:
        return wrong + [f"{where.name} {where.number}: {str(err)[:400]}"]
    before, after = (forgives_index(w, seen, outcome) for w in (story.before, story.after))
    if seen not in (before, after):
        wrong.append(f"from the old: {differing(seen, before)}, from the new: {differing(seen, after)}")
    if outcome.status == 0 and seen != after and not killed and (outcome.result or {}).get("applied", True):
        wrong.append(f"success without effect: {differing(seen, after)}")
    lab.ok("gc")
    if orphans(lab) or promotion_orphans(lab):
        wrong.append(f"orphans: {orphans(lab)}, {promotion_orphans(lab)}")
    status = lab.call(*(PROMOTE if seen == (story.before if story.words == PROMOTE else story.after) else UNDO))
    if status.status != 0:
        wrong.append(f"the next does not work: {status}")
    return [f"{where.name} {where.number}: {w}" for w in wrong]


def places(story):
    """Every place of a call that changes something that stays, evenly spaced without AISBX_LONG."""
    story.lab.restore()
    outcome, calls = story.lab.traced(story.words)
    assert outcome.status == 0, outcome
    found = {}
    for process in calls.values():
        counts = collections.Counter()
        for name, changes in process:
            counts[name] += 1
            if changes and name in LASTING or name in ("fsync", "fdatasync"):
                found[Place(name, counts[name])] = True
    print(len(found), "places of", story.name)
    return sorted(found)


def told(wrong):
    """For who watches a long campaign."""
    print("\n".join(wrong) if wrong else ".", end="" if not wrong else "\n", flush=True)
    return wrong


def evenly(places, most):
    return places[:: EVERY] if EVERY else places[len(places) // most // 2:: max(1, len(places) // most)]


def test_killed_at_a_call(story):
    """Whoever makes that call is killed there: aisbx, or a process it started."""
    bad, hit = [], 0
    for place in evenly(places(story), 3):
        story.lab.restore()
        outcome, _ = story.lab.traced(story.words, f"{place.name}:signal=KILL:when={place.number}")
        hit += outcome.status != 0
        bad += told(judge(story, place, outcome, killed=True))
    assert not bad, "\n".join(bad)
    assert hit or not EVERY


def test_a_failed_call(story):
    every = [(p, ERRORS[0 if EVERY else i % 4]) for i, p in enumerate(places(story)) if p.name not in ENDS | NEVER_FAIL | {"unlink"}]
    bad, hit = [], 0
    for place, error in evenly(every, 3):
        story.lab.restore()
        outcome, _ = story.lab.traced(story.words, f"{place.name}:error={error}:when={place.number}")
        hit += outcome.status != 0
        bad += told([f"{error} {w}" for w in judge(story, place, outcome, killed=False)])
    assert not bad, "\n".join(bad)
    assert hit or not EVERY


@pytest.mark.parametrize("number", (1, 2))
def test_orders_that_cannot_be_read(story, number):
    """Then git does what it was told so far: that is an error, and not all there was to do."""
    story.lab.restore()
    orders = ("-P", "/memfd:aisbx-git", "-P", "/memfd:aisbx-git (deleted)", "-e", "trace=read")
    outcome = story.lab.call(*story.words, under=("strace", "-f", "-qq", "-o", story.lab.log, *orders, "-e", f"inject=read:error=EIO:when={number}"))
    assert "(INJECTED)" in story.lab.log.read_text(), "there were no orders"
    assert outcome.status == 125, outcome
    bad = judge(story, Place("read", number), outcome, killed=False)
    assert not bad, "\n".join(bad)


# Calls of git alone: aisbx and the box around it have others for the same.
GITS = ("rename", "link", "unlink", "mkdir", "fsync")


@pytest.mark.parametrize("what", ("signal=KILL", "error=ENOSPC"))
def test_git_itself(story, what):
    """A git that dies, or finds no room, in the middle of a transaction."""
    all_of = [p for p in places(story) if p.name in GITS and (p.name != "unlink" or "KILL" in what)]  # to remove takes no room
    bad = []
    for place in evenly(all_of, 2):
        story.lab.restore()
        outcome, _ = story.lab.traced(story.words, f"{place.name}:{what}:when={place.number}")
        bad += judge(story, place, outcome, killed="KILL" in what)
    assert not bad, "\n".join(bad)
