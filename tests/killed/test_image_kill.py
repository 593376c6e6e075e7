# SPDX-License-Identifier: Apache-2.0
"""Kills what brings, packs and removes images before a system call of aisbx or of aisbx-image; and fails such calls.

tests/support/kill_at.c counts the calls of each process. What a kill leaves is looked at as a whole: names, contents, rows, without the ids and times that
are new each time. Of several kills that leave the same, the first is examined: an image is there whole or not at all, and can be run or not; the same
operation, repeated, completes; gc leaves nothing that no image needs. With AISBX_LONG=1 at every call, else at some of each process, in equal distances.
"""
import collections
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import tempfile

import pytest
from test_state_faults import LONG, Lab, Outcome, sample

import images
import registry as reg

KILL_AT = pathlib.Path(os.environ["AISBX_TEST_BIN"]) / "kill-at"
# A program of 132 bytes for x86-64: exit(7).
RUNS = bytes.fromhex("7f454c4602010100000000000000000002003e0001000000780040000000000040000000000000000000000000000000000000004000380001000000000000"
                     "0001000000050000000000000000000000000040000000000000004000000000008400000000000000840000000000000000100000000000006a075f6a3c580f05909090")
TEXT = " ".join(hashlib.sha256(b"%d" % n).hexdigest() for n in range(800))  # enough to become chunks
SECOND = {"etc/": None, "etc/name": "second\n", "etc/.wh.gone": "", "opt/": None, "opt/new": TEXT}
RANDOM = re.compile(rb"(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])|(?<![0-9])[0-9]{10,19}(?![0-9])")


def masked(text):
    return RANDOM.sub(b"*", text if isinstance(text, bytes) else os.fsencode(text))


def content(path, name, st):
    if stat.S_ISLNK(st.st_mode):
        return os.readlink(path)
    if not stat.S_ISREG(st.st_mode):
        return st.st_rdev
    if name.startswith("store.db"):  # what is in it is read from its tables
        return st.st_size
    with open(path, "rb") as f:
        return hashlib.sha256(masked(f.read())).hexdigest()


def query(state, *queries):
    """Rows of the store, read from a copy: to look must change nothing."""
    with tempfile.TemporaryDirectory() as copy:
        for path in state.glob("store.db*"):
            shutil.copy(path, copy)
        with contextlib.closing(sqlite3.connect(f"{copy}/store.db")) as db:
            return [db.execute(q).fetchall() for q in queries] if queries else sorted(masked(line) for line in db.iterdump())


def left(state):
    """What a kill left, as one text."""
    found = []
    for here, dirs, names in os.walk(state):
        for name in dirs + names:
            path = os.path.join(here, name)
            st = os.lstat(path)
            found.append((masked(os.path.relpath(path, state)), st.st_mode, content(path, name, st) if name in names else 0))
    return hashlib.sha256(repr((sorted(found, key=repr), query(state))).encode()).hexdigest()


class ImageLab(Lab):
    host = None

    @staticmethod
    def first():
        made = images.tar(images.rootfs(("etc/gone", "x"), ("etc/same", (images.tarfile.LNKTYPE, "etc/name")), ("bin/seven", RUNS)))
        return with_checksums(made.replace(b"bin/seven".ljust(100, b"\0") + b"0000644", b"bin/seven".ljust(100, b"\0") + b"0000755"))

    def prepare(self):
        (self.work / "home").mkdir(parents=True)
        self.project.mkdir()
        first = self.first()
        images.Layout(self.work / "tool", first, images.tar(SECOND), media=images.TAR)
        images.Layout(self.work / "other", first)
        self.ok("image", "import", self.work / "other")
        self.ok("create", "--from", "other", "b")

    def top(self, box):
        """Where the box's own files are; made as a run makes it."""
        [[(top,)]] = query(self.state, f"SELECT top FROM boxes WHERE id = '{box}'")
        up = self.state / "layers" / top / "root" / "up"
        up.parent.mkdir(mode=0o711, exist_ok=True)
        up.mkdir(exist_ok=True)
        return up

    def seen(self):
        """Each image that is there is whole, and runs: names -> what is in its layers."""
        found, needed = {}, set()
        for image in self.ok("image", "ls")["images"]:
            self.ok("image", "verify", image["id"])
            shown = self.ok("image", "show", image["id"])
            needed |= {image["digest"], *(x["digest"] for x in shown["layers"])}
            found[tuple(re.sub(r":[0-9]+/", "/", name) for name in image["names"])] = [files(self.state / "layers" / x["layer"] / "root" / "up") for x in shown["layers"]]
            ran = self.call("run", "--image", image["id"], "--", "/bin/seven")
            assert ran.status == 7, ran
        return found, needed

    def sound(self):
        """After gc: no layer without a row, no blob that no image needs, nothing half-made, nothing put aside."""
        self.ok("gc")
        found, needed = self.seen()
        broken, known, configs = query(self.state, "PRAGMA foreign_key_check", "SELECT id FROM layers",
                                       "SELECT json_extract(manifest, '$.config.digest') FROM images")
        assert broken == []
        in_rows, configs = {r[0] for r in known}, {r[0] for r in configs}
        place = self.state / "images"
        wrong = sorted(in_rows ^ set(os.listdir(self.state / "layers")))
        blobs = ["sha256:" + p.name for p in (*place.glob("blobs/sha256/*"), *place.glob("indexes/*"))]
        wrong += sorted(set(blobs) ^ (needed | configs)) + os.listdir(place / "tmp")
        wrong += [f"{b} is there twice" for b in set(blobs) if blobs.count(b) > 1]
        wrong += [f"lost: {p}" for p in self.state.glob("lost/*/*/*")]
        return found, wrong

    def at(self, words, place):
        """The operation, killed there: (outcome, calls of each process)."""
        at = words.index("--") if "--" in words else len(words)
        done = subprocess.run([KILL_AT, ":".join(map(str, place)), self.log, os.environ["AISBX"], *words[:at], "--json", *words[at:]], cwd=self.project,
                              env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        said = done.stdout.strip()
        calls = [int(line.split(maxsplit=2)[1]) for line in self.log.read_text().splitlines()]
        return Outcome(done.returncode, json.loads(said) if said.endswith("}") else None, said + done.stderr), calls


def quick_place():
    """A directory in memory, where that has all it takes: a kill leaves what is written, on the disk or not."""
    made = tempfile.mkdtemp(prefix="aisbx-test-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        os.setxattr(made, "user.overlay.test", b"y")
        os.removexattr(made, "user.overlay.test")
        return made
    except OSError:
        os.rmdir(made)
        return None


def with_checksums(archive):
    """Of headers that were changed."""
    out = bytearray(archive)
    for at in range(0, len(out), 512):
        block = out[at:at + 512]
        if block[257:262] == b"ustar":
            block[148:156] = b" " * 8
            out[at + 148:at + 156] = b"%06o\0 " % sum(block)
    return bytes(out)


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
    lab = ImageLab(quick_place() or tmp_path_factory.mktemp("lab"))
    lab.prepare()
    up = lab.top(lab.ok("show", "b")["id"])
    (up / "made").write_text("by the box\n" + TEXT)  # as a run leaves it
    lab.keep()
    with reg.registry(tmp_path_factory.mktemp("registry")) as host:
        reg.skopeo("copy", "--dest-tls-verify=false", f"oci:{lab.work}/tool", f"docker://{host}/a/tool:1")
        NAMES["pull"] = f"{host}/a/tool:1"
        OPERATIONS["pull"] = ("image", "pull", NAMES["pull"])
        yield lab
    shutil.rmtree(lab.root, ignore_errors=True)


OPERATIONS = {"pull": None, "import": ("image", "import", "../tool"), "pack": ("image", "pack", "b", "packed"), "rm": ("image", "rm", "gone")}


NAMES = {"import": "tool", "pack": "packed", "rm": "gone"}


def begin(lab, op):
    lab.restore()
    if op == "rm":
        lab.ok("image", "import", "../tool", "--name", "gone")


def expected(lab, op):
    begin(lab, op)
    before = lab.sound()
    lab.ok(*OPERATIONS[op])
    after = lab.sound()
    assert before != after and before[1] == after[1] == [], (before[1], after[1])
    return before[0], after[0]


def check_repeated(lab, op, before, after):
    """The same again, at once."""
    found, _ = lab.seen()
    wrong = [] if found in (before, after) else [f"neither old nor new: {sorted(found)}"]
    again = lab.call(*OPERATIONS[op])
    if again.status and not (op == "rm" and found == after and again.status == 125):
        wrong.append(f"it is not completed: {again}")
    if lab.seen()[0] != after:
        wrong.append("completed, it is not as it should be")
    return wrong


def check_collected(lab, op, before, after):
    """gc, and the same again."""
    found, wrong = lab.sound()
    if found not in (before, after):
        wrong.append(f"neither old nor new: {sorted(found)}")
    again = lab.call(*OPERATIONS[op])
    if again.status and not (op == "rm" and found == after and again.status == 125):
        wrong.append(f"collected, it is not completed: {again}")
    if lab.sound() != (after, []):
        wrong.append("collected and completed, it is not as it should be")
    return wrong


def check(lab, op, before, after, checks):
    """What is wrong after a kill or an error."""
    wrong = []
    if len(checks) > 1:
        shutil.rmtree(lab.root / "left", ignore_errors=True)
        subprocess.run(["cp", "-a", lab.work / "state", lab.root / "left"], check=True, timeout=60)
    for number, one in enumerate(checks):
        if number:
            subprocess.run(["chmod", "-R", "u+rwX", lab.work / "state"], check=True, timeout=60)
            shutil.rmtree(lab.work / "state")
            subprocess.run(["cp", "-a", lab.root / "left", lab.work / "state"], check=True, timeout=60)
        try:
            wrong += one(lab, op, before, after)
        except AssertionError as problem:
            wrong.append(str(problem)[:600])
    return wrong


def kill_places(calls, most):
    """Of all calls of all processes about MOST, in equal distances, of each the last."""
    every = [(p + 1, c + 1) for p, n in enumerate(calls) for c in range(n)]
    if LONG:
        return every
    step = max(1, len(every) // most)
    return sorted({*every[step // 2::step], *((p + 1, n) for p, n in enumerate(calls) if n)})


@pytest.mark.parametrize("op", OPERATIONS)
def test_killed_at_a_call(lab, op):
    before, after = expected(lab, op)
    begin(lab, op)
    untouched = left(lab.state)
    _, calls = lab.at(OPERATIONS[op], (0, 0))
    assert len(calls) > 3 or op == "rm", "nobody was asked"
    places, seen, bad, killed, fresh = kill_places(calls, 10 if op == "rm" else 20), {}, [], collections.Counter(), False
    for place in places:
        if not fresh:
            begin(lab, op)
        outcome, _ = lab.at(OPERATIONS[op], place)
        killed[place[0]] += outcome.status != 0
        now = left(lab.state)
        fresh = now == untouched
        if outcome.status == 0 and lab.call("image", "show", NAMES[op]).status != (125 if op == "rm" else 0):
            bad.append(f"{place}: success without effect")
        if now in seen:
            continue
        seen[now] = place
        checks = [check_repeated, check_collected]
        bad += [f"{place}: {w}" for w in check(lab, op, before, after, checks if LONG else checks[len(seen) % 2:][:1])]
        fresh = False
    print(f"\n{op}: {sum(calls)} calls of {len(calls)} processes, {len(places)} kills, {len(seen)} different ends")
    assert not bad, "\n".join(bad)
    assert killed[1] > 2 and (op == "rm" or len(killed) > 3), killed
    assert len(seen) > 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("op", ["pull", "pack"])
def test_a_signal_leaves_no_half_layer(lab, op, number):
    """Ctrl-C while a layer is unpacked: without gc nothing of it is there, and aisbx has ended by that signal."""
    begin(lab, op)
    before = set(os.listdir(lab.state / "layers"))
    _, calls = lab.at(OPERATIONS[op], (0, 0))
    for at in (0.3, 0.6, 0.95):
        begin(lab, op)
        outcome, _ = lab.at(OPERATIONS[op], (3, int(at * calls[2]), int(number)))
        assert outcome.status == -number, outcome
        assert set(os.listdir(lab.state / "layers")) == before and not os.listdir(lab.state / "images" / "tmp")
    assert check(lab, op, *expected(lab, op), [check_repeated]) == []


@pytest.mark.parametrize("draft", [True, False])
def test_a_layer_without_a_row(lab, draft):
    """Of an image on its way, killed before its commit: gc removes it. Of one that was there, as after the loss of the store: gc puts it aside."""
    begin(lab, "import")
    lab.ok(*OPERATIONS["import"])
    layer = lab.state / "layers" / lab.ok("image", "show", "tool")["layers"][-1]["layer"]
    assert not (layer / "draft").exists(), "it has its row"
    stray = layer.parent / "l-00000000000000aa"
    subprocess.run(["cp", "-a", layer, stray], check=True, timeout=60)
    if draft:
        (stray / "draft").touch()
    lab.ok("gc")
    assert not stray.exists() and layer.exists()
    assert len(list(lab.state.glob("lost/*/layers/l-00000000000000aa"))) == (0 if draft else 1)


def places_to_fail(lab, op):
    """As lab.places, from where this operation begins."""
    restore, lab.restore = lab.restore, lambda: None
    try:
        restore()
        if op == "rm":
            lab.ok("image", "import", "../tool", "--name", "gone")
        return lab.places(OPERATIONS[op])[1]
    finally:
        lab.restore = restore


@pytest.mark.parametrize("op", OPERATIONS)
def test_a_failed_call(lab, op):
    before, after = expected(lab, op)
    own = places_to_fail(lab, op)
    bad, failed = [], 0
    for number, (place, error) in enumerate(sample(op, own)[::1 if LONG else 3 if op == "rm" else 9]):
        begin(lab, op)
        outcome, _ = lab.traced(OPERATIONS[op], f"{place.name}:error={error}:when={place.number}")
        failed += outcome.status != 0
        wrong = check(lab, op, before, after, [check_collected if number % 2 else check_repeated])
        if outcome.status not in (0, 125):
            wrong.append(f"no clean error: {outcome}")
        bad += [f"{error} {place.name} {place.number}: {w}" for w in wrong]
    assert not bad, "\n".join(bad)
    assert failed > 1
