# SPDX-License-Identifier: Apache-2.0
"""Kills, and fails, what brings, packs and removes images, at system calls of aisbx and of aisbx-image.

As tests/killed/test_state_faults.py. Afterwards an image is there whole or not at all, gc leaves nothing that no image needs, and the same operation,
repeated, completes.
"""
import os
import pathlib
import shutil
import signal
import sqlite3

import pytest
from test_state_faults import LONG, Lab, sample

import images

SECOND = {"etc/": None, "etc/name": "second\n", "etc/.wh.gone": "", "opt/": None, "opt/new": "new\n"}


class ImageLab(Lab):
    def prepare(self):
        (self.work / "home").mkdir(parents=True)
        self.project.mkdir()
        first = images.tar(images.rootfs(("etc/gone", "x"), ("etc/same", (images.tarfile.LNKTYPE, "etc/name"))))
        images.Layout(self.work / "tool", first, images.tar(SECOND))
        images.Layout(self.work / "other", first)
        self.ok("image", "import", self.work / "other")
        self.ok("create", "--from", "other", "b")

    def layer(self, box):
        db = sqlite3.connect(f"file:{self.state}/store.db?mode=ro", uri=True)
        try:
            top = db.execute("SELECT top FROM boxes WHERE id = ?", (box,)).fetchone()[0]
        finally:
            db.close()
        return self.state / "layers" / top / "root" / "up"

    def seen(self):
        """Each image that is there is whole: names -> what is in its layers. And nothing else is there."""
        found = {}
        needed, layers = set(), set()
        for image in self.ok("image", "ls")["images"]:
            self.ok("image", "verify", image["id"])
            shown = self.ok("image", "show", image["id"])
            needed |= {image["digest"], *(x["digest"] for x in shown["layers"])}
            layers |= {x["layer"] for x in shown["layers"]}
            found[tuple(image["names"])] = [files(self.state / "layers" / x["layer"] / "root" / "up") for x in shown["layers"]]
        return found, needed, layers

    def sound(self):
        """After gc: no layer without a row, no blob that no image needs, nothing half-made. Whether something is in `lost`, where gc puts layers that
        name an image, does not matter."""
        self.ok("gc")
        found, needed, _ = self.seen()
        db = sqlite3.connect(f"file:{self.state}/store.db?mode=ro", uri=True)
        try:
            assert db.execute("PRAGMA foreign_key_check").fetchall() == []
            rows = {r[0] for r in db.execute("SELECT id FROM layers")}
            configs = {r[0] for r in db.execute("SELECT json_extract(manifest, '$.config.digest') FROM images")}
        finally:
            db.close()
        wrong = sorted(rows ^ set(os.listdir(self.state / "layers")))
        blobs = {"sha256:" + n for n in os.listdir(self.state / "images" / "blobs" / "sha256")}
        wrong += sorted(blobs ^ (needed | configs)) + os.listdir(self.state / "images" / "tmp")
        return found, wrong


def files(up):
    found = {}
    for here, dirs, names in os.walk(up):
        for name in dirs + names:
            path = pathlib.Path(here) / name
            st = path.lstat()
            is_file = path.is_file() and not path.is_symlink()
            found[str(path.relative_to(up))] = (st.st_mode, st.st_uid, st.st_gid, st.st_nlink if is_file else 0, path.read_bytes() if is_file else st.st_rdev)
    return found


@pytest.fixture(name="lab", scope="module")
def fixture_lab(tmp_path_factory):
    lab = ImageLab(tmp_path_factory.mktemp("lab"))
    lab.prepare()
    up = lab.layer(lab.ok("show", "b")["id"])
    up.parent.mkdir(mode=0o711, exist_ok=True)
    up.mkdir(exist_ok=True)
    (up / "made").write_text("by the box\n")  # as a run leaves it
    lab.keep()
    yield lab
    shutil.rmtree(lab.root, ignore_errors=True)


OPERATIONS = {"import": ("image", "import", "../tool"), "pack": ("image", "pack", "b", "packed"), "rm": ("image", "rm", "gone")}


def begin(lab, op):
    lab.restore()
    if op == "rm":
        lab.ok("image", "import", "../tool", "--name", "gone")


def check(lab, op, place, outcome, before, after, killed):
    found, wrong = lab.sound()
    if found not in (before, after):
        wrong.append(f"neither old nor new: {sorted(found)}")
    if outcome.status == 0 and found != after:
        wrong.append("success without effect")
    if not killed and outcome.status not in (0, 125):
        wrong.append(f"no clean error: {outcome}")
    again = lab.call(*OPERATIONS[op])
    if again.status and not (op == "rm" and found == after and again.status == 125):
        wrong.append(f"it is not completed: {again}")
    if lab.sound() != (after, []):
        wrong.append("completed, it is not as it should be")
    return [f"{place.name} {place.number}: {w}" for w in wrong]


def expected(lab, op):
    begin(lab, op)
    before = lab.sound()
    lab.ok(*OPERATIONS[op])
    after = lab.sound()
    assert before != after and before[1] == after[1] == [], (before[1], after[1])
    return before[0], after[0]


def places(lab, op):
    """As lab.places, from where this operation begins."""
    restore, lab.restore = lab.restore, lambda: None
    try:
        restore()
        if op == "rm":
            lab.ok("image", "import", "../tool", "--name", "gone")
        return lab.places(OPERATIONS[op])
    finally:
        lab.restore = restore


@pytest.mark.parametrize("op", OPERATIONS)
def test_killed_at_a_call(lab, op):
    before, after = expected(lab, op)
    _, _, where_to_kill = places(lab, op)
    bad, killed = [], 0
    for place in where_to_kill if LONG else where_to_kill[::3]:
        begin(lab, op)
        outcome, _ = lab.traced(OPERATIONS[op], f"{place.name}:signal=KILL:when={place.number}")
        killed += outcome.status != 0
        bad += check(lab, op, place, outcome, before, after, killed=outcome.status == -signal.SIGKILL)
    assert not bad, "\n".join(bad)
    assert killed > 5


@pytest.mark.parametrize("op", OPERATIONS)
def test_a_failed_call(lab, op):
    before, after = expected(lab, op)
    _, own, _ = places(lab, op)
    bad, failed = [], 0
    for place, error in sample(op, own)[::1 if LONG or op == "rm" else 5]:  # of the shortest, all
        begin(lab, op)
        outcome, _ = lab.traced(OPERATIONS[op], f"{place.name}:error={error}:when={place.number}")
        failed += outcome.status != 0
        bad += [f"{error} {w}" for w in check(lab, op, place, outcome, before, after, killed=False)]
    assert not bad, "\n".join(bad)
    assert failed > 1
