# SPDX-License-Identifier: Apache-2.0
"""Long random histories of edits on both sides, promotions, undos, snapshots, forks and combinations.

Every edit adds a line of its own to a part of a file that nobody else writes in, so nothing ever stands against
anything: whatever happened before, a promotion must end in everything that the project and the box have, without a
conflict, and an undo in what was there before. AISBX_LONG=1 tries 300 seeds, AISBX_SEED=n repeats one.
"""
import os
import random

import pytest

import promote
from promotion import Shelf

FILES = ["a", "d/b", "d/e/c"]
PARTS, STEPS = 60, 30
EMPTY = "".join(f"part {i}\n" + "filler\n" * 6 for i in range(PARTS))
ADD = 'mkdir -p "$(dirname "$1")"; if [ -e "$1" ]; then sed -i "s/^part $2\\$/&\\n$3/" "$1"; else echo "$3" > "$1"; fi'


def seeds():
    if os.environ.get("AISBX_SEED"):
        return [int(os.environ["AISBX_SEED"])]
    return range(300 if promote.LONG else 8)


class Box:
    def __init__(self, name, own=()):
        self.name, self.own, self.part = name, set(own), None


class History:
    """What happened, and what must be there: (file, line) of each side. The project's own part is 0.

    A box brings what it, or a box it comes from, added; what it only saw in the project is the project's.
    """

    def __init__(self, root, seed):
        self.shelf, self.rng = Shelf(root), random.Random(seed)
        self.host, self.boxes, self.done = set(), {}, []
        self.parts, self.count, self.log = iter(range(1, PARTS)), 0, []
        for file in FILES:
            path = self.shelf.project / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(EMPTY)
        self.create()

    def say(self, *words):
        self.log.append(" ".join(map(str, words)))

    def number(self):
        self.count += 1
        return self.count

    # What the two sides do.

    def create(self):
        name = f"b{self.number()}"
        self.say("create", name)
        self.shelf.ok("create", name)
        self.boxes[name] = Box(name)

    def any_box(self):
        return self.boxes[self.rng.choice(sorted(self.boxes))]

    def edit_box(self):
        box = self.any_box()
        if box.part is None:
            box.part = next(self.parts)
        new = self.rng.random() < 0.3
        line = f"{box.name}-{self.number()}"
        file = f"new/{self.rng.choice('xy')}/{line}" if new else self.rng.choice(FILES)
        self.say(box.name, "adds", line, "to", file)
        self.shelf.ok("run", "--box", box.name, "--", "sh", "-ec", ADD, "sh", file, str(box.part), line)
        box.own.add((file, line))

    def edit_host(self):
        file, line = self.rng.choice(FILES), f"host-{self.number()}"
        self.say("the host adds", line, "to", file)
        path = self.shelf.project / file
        path.write_text(path.read_text().replace("part 0\n", f"part 0\n{line}\n"))
        self.host.add((file, line))
        for entry in self.done:
            entry["edited"] |= file in entry["files"]

    # What aisbx does.

    def promote(self, box=None):
        box = box or self.any_box()
        words = ["promote", box.name]
        self.say(*words)
        status, result = self.shelf.call(*words)
        assert status == 0 and not result["conflicts"], f"{result['conflicts']}"
        brought = box.own - self.host
        assert (result["promotion"] is not None) >= bool(brought), f"{brought} was not promoted"
        if result["promotion"]:
            files = {c["path"] for c in result["changes"]}
            self.done.append({"id": result["promotion"], "brought": brought, "files": files, "edited": False})
        self.host |= brought

    def undo(self):
        if not self.done:
            return
        entry = self.done[-1]
        self.say("undo", entry["id"])
        if entry["edited"]:
            self.shelf.halted("undo")
            return
        self.shelf.ok("undo")
        self.done.pop()
        self.host -= entry["brought"]

    def snap(self):
        box = self.any_box()
        self.say("snap", box.name)
        self.shelf.ok("snap", box.name)

    def fork(self):
        box, name = self.any_box(), f"b{self.number()}"
        self.say("fork", box.name, name)
        self.shelf.ok("fork", box.name, "--name", name)
        self.boxes[name] = Box(name, box.own)
        box.part = None  # what both add from now on are different things

    def combine(self):
        if len(self.boxes) < 2:
            return
        first, second = (self.boxes[n] for n in self.rng.sample(sorted(self.boxes), 2))
        name = f"b{self.number()}"
        self.say("combine", first.name, second.name, name)
        status, result = self.shelf.call("combine", first.name, second.name, "--name", name)
        assert status == 0 and not result["conflicts"], result["conflicts"]
        self.boxes[name] = Box(name, first.own | second.own)
        first.part = second.part = None
        if len(self.boxes) > 5:
            old = self.rng.choice(sorted(set(self.boxes) - {name}))
            self.say("rm", old)
            self.shelf.ok("rm", old)
            del self.boxes[old]

    def step(self):
        self.rng.choices([self.edit_box, self.edit_host, self.promote, self.undo, self.snap, self.fork, self.combine, self.create],
                         [12, 5, 8, 4, 2, 2, 3, 1])[0]()
        self.check()

    def check(self):
        found = set()
        for here, _, names in os.walk(self.shelf.project):
            for name in names:
                path = os.path.join(here, name)
                with open(path, encoding="ascii") as f:
                    found |= {(os.path.relpath(path, self.shelf.project), line.strip()) for line in f
                              if "-" in line}
        assert found == self.host, f"too much: {found - self.host}, missing: {self.host - found}"


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.big
def test_nothing_is_lost_and_nothing_stands_against_anything(tmp_path, seed):
    history = History(tmp_path, seed)
    try:
        for _ in range(STEPS):
            history.step()
        for name in sorted(history.boxes):  # in the end everything
            history.promote(history.boxes[name])
            history.check()
    except AssertionError as err:
        raise AssertionError(f"AISBX_SEED={seed}: {err}\n  " + "\n  ".join(history.log)) from None
