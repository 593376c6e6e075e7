# SPDX-License-Identifier: Apache-2.0
"""Random work in a box and outside, promoted in every way there is: the tree is what a model of the documented rules says, and undo makes it
what it was.

Rounds go through aisbx in batches, each in a directory of its own. AISBX_LONG=1 tries 5,000 rounds instead of 300. AISBX_SEED=n repeats
the batch that begins with round n; AISBX_ROUNDS=k only the first k rounds of it.
"""
import inspect
import json
import os
import subprocess

import pytest

import promotion_model
import promotion_work
from promote import LONG, PYTHON, SLOW, Shelf, path_of

ROOT = os.geteuid() == 0
FULL = 30  # rounds in a batch
BATCH = int(os.environ.get("AISBX_ROUNDS", FULL))
ANSWERS = ["stop", "keep", "overwrite", "both", "mark"]
IN_BOX = inspect.getsource(promotion_work) + """
import json, sys
is_root, *seeds = map(int, sys.argv[1:])
for s in seeds:
    do(plan(s, is_root)[1])
json.dump({s: look(b"r%d" % s, is_root) for s in seeds}, sys.stdout)
"""


def seeds():
    if os.environ.get("AISBX_SEED"):
        return [int(os.environ["AISBX_SEED"])]
    return range(0, 5000 if LONG else 60 if SLOW else 300, FULL)


def in_box(shelf, batch):
    """The rounds as the box sees them afterwards; its output is too long for a result."""
    with shelf.start("run", "--box", "b", "--", PYTHON, "-c", IN_BOX, str(int(ROOT)), *map(str, batch)) as p:
        out, err = p.communicate(timeout=300)
    assert p.returncode == 0, err[-2000:]
    return {int(s): t for s, t in json.loads(out).items()}


def looks(batch):
    return {s: promotion_work.look(b"r%d" % s, True) for s in batch}


def story(seed, trees):
    """All there is to know of a round that went wrong."""
    base, box_ops, host_ops = promotion_work.plan(seed, ROOT)
    lines = [f"round {seed}, as {'root' if ROOT else 'an ordinary user'}", "base:", *map(repr, base), "box:", *map(repr, box_ops), "host:",
             *map(repr, host_ops)]
    return "\n  ".join(lines + [f"{name}: {tree}" for name, tree in trees])


def differences(want, have, any_time=(), marked=()):
    found = [f"{p!r}: {'not there' if p not in have else 'should not be there'}" for p in want.keys() ^ have.keys()]
    for p in want.keys() & have.keys():
        a, b = want[p], have[p]
        keys = (["t", "own"] if a.get("loose") else ["t", "mode", "own", "xa"]) + (["c", "size"] if p not in marked else [])
        if a["t"] in "fl" and p not in any_time:
            keys.append("mt")
        found += [f"{p!r}: {k} should be {a[k]!r} and is {b[k]!r}" for k in keys if a[k] != b[k]]
        if a["t"] == "f" and a["size"] > 1 << 20 and b["blocks"] * 512 > b["size"] // 2:
            found.append(f"{p!r}: its holes are gone")
    return found


def groups(tree, paths):
    """Names of one file, of those in PATHS."""
    by_ino = {}
    for p in paths:
        if tree[p]["t"] != "d":
            by_ino.setdefault(tree[p]["ino"], set()).add(p)
    return {frozenset(g) for g in by_ino.values() if len(g) > 1}


def own(node):
    return {**node, "own": [os.geteuid(), os.getegid()]}


class Batch:
    """Some rounds, in one project and one box."""

    def __init__(self, tmp_path, first):
        self.seeds = range(first, first + BATCH)
        self.answer = ANSWERS[first // FULL % len(ANSWERS)]
        self.shelf = Shelf(tmp_path)
        os.chdir(self.shelf.project)
        for s in self.seeds:
            promotion_work.do(promotion_work.plan(s, ROOT)[0])
        self.base = looks(self.seeds)
        self.shelf.ok("create", "b")
        self.box = in_box(self.shelf, self.seeds)
        for s in self.seeds:
            if not ROOT:
                promotion_model.raw_acls(self.box[s])
                self.box[s] = {p: own(n) for p, n in self.box[s].items()}
            assert not differences(self.base[s], looks([s])[s]), "the box wrote to the host"
            promotion_work.do(promotion_work.plan(s, ROOT)[2])
        self.host = looks(self.seeds)

    def model(self, seed, answer):
        m = promotion_model.Model(self.base[seed], self.box[seed], self.host[seed], answer, "b")
        m.decide(f"r{seed}")
        return m

    def check(self, seed, m):
        """The project is what M says."""
        now = looks([seed])[seed]
        found = differences(m.result, now, m.any_time, m.marked)
        for p in m.marked:
            if p in now and b"<<<<<<<" not in open(os.fsencode(p.encode("latin-1")), "rb").read():
                found.append(f"{p!r}: no marks")
        made = [p for p in m.result if p not in self.base[seed] and p not in self.host[seed] and p in self.box[seed] and p in now]
        lost = groups(self.box[seed], made) - groups(now, made)
        stayed = [p for p in m.result if m.result[p] is self.host[seed].get(p) and p in now]
        lost |= groups(self.host[seed], stayed) - groups(now, stayed)
        if found or lost:
            pytest.fail("\n".join([f"--conflict {self.answer}", *found, *(f"no longer one file: {sorted(g)}" for g in lost),
                                   story(seed, [("base", self.base[seed]), ("box", self.box[seed]), ("host", self.host[seed]),
                                                ("model", m.result), ("project", now)])]), pytrace=False)

    def promote(self, answer, some):
        """Promotes the rounds SOME, all of them by one command; the model of each."""
        models = {s: self.model(s, answer) for s in some}
        words = [] if len(some) == len(self.seeds) else [f"r{s}" for s in some]
        status, result = self.shelf.promote("b", "--yes", "--ignored", "--conflict", answer, "--", *words)
        assert status != 125, result["error"]["text"]
        stops = answer == "stop" and any(m.conflicts for m in models.values())
        said = {path_of(c).decode("latin-1") for c in result.get("conflicts", ())}
        want = {p for m in models.values() for p in m.conflicts}
        for p in sorted(said ^ want):
            seed = int(p.partition("/")[0][1:])
            pytest.fail(f"--conflict {answer}: {p!r} {'is' if p in want else 'is not'} in conflict\n" +
                        "\n".join(str(c) for c in result["conflicts"] if path_of(c).decode("latin-1") == p) +
                        story(seed, [("base", self.base[seed]), ("box", self.box[seed]), ("host", self.host[seed])]), pytrace=False)
        assert status == (1 if stops else 0), (result.get("error"), result.get("traps"))
        left = {path_of(c).decode("latin-1") for c in result["left"]}
        assert left == {p for m in models.values() for p in m.left}, left ^ {p for m in models.values() for p in m.left}
        return models, result

    def unchanged(self, why):
        now = looks(self.seeds)
        for s in self.seeds:
            found = differences(self.host[s], now[s])
            lost = groups(self.host[s], self.host[s]) ^ groups(now[s], now[s])
            if found or lost:
                pytest.fail("\n".join([why, *found, *(f"one file or not: {sorted(g)}" for g in lost),
                                       story(s, [("base", self.base[s]), ("box", self.box[s]), ("host", self.host[s]), ("now", now[s])])]),
                            pytrace=False)


@pytest.fixture
def place(tmp_path):
    """A directory whose closed parts are opened in the end, so that it can be removed."""
    yield tmp_path
    subprocess.run(["chmod", "-R", "u+rwx", tmp_path], stderr=subprocess.DEVNULL, check=False)


@pytest.mark.parametrize("first", seeds())
def test_promoted_is_what_the_model_says(place, first):
    print(f"repeat with AISBX_SEED={first} AISBX_ROUNDS={BATCH}")
    batch = Batch(place, first)
    some = list(batch.seeds)
    if batch.answer == "stop":
        models, result = batch.promote("stop", some)
        if any(m.conflicts for m in models.values()):
            assert not result["applied"]
            batch.unchanged("a promotion that conflicts stopped wrote")
            some = [s for s in some if not models[s].conflicts]
            models, result = batch.promote("stop", some)
    else:
        models, result = batch.promote(batch.answer, some)
    for s in some:
        batch.check(s, models[s])
    if not result["applied"]:
        return
    batch.shelf.undo()
    batch.unchanged("undo did not make it what it was")
    if first // FULL % 3 == 0:  # and once more: nothing of the first time is in the way
        models, _ = batch.promote(batch.answer, some)
        for s in some:
            batch.check(s, models[s])
