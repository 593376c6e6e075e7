# SPDX-License-Identifier: Apache-2.0
"""A disk that becomes full while an image is brought or packed, or while equal files are joined.

The state directory is a small file system that only this test sees; a file takes all of it but some KiB. What does not fit fails with a message that says
what, where and what to do; what is there is whole; and with room the same command completes. gc, which makes room, needs none.
"""
import errno
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from test_image_kill import ImageLab, LONG

import box
import images
import registry as reg

BIG = "".join(chr(33 + n * n % 89 * (n % 7 + 1) % 90) for n in range(700_000))
# As root a namespace of mounts is enough; others need one of users, in which they stay who they are.
ALONE = ["unshare", "-m"] if box.IS_ROOT else ["unshare", "-U", "-c", "--keep-caps", "-m"]
KIB = [0, 12, 60, 250, 700, 1200] if not LONG else [0, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, *range(256, 3300, 128)]


class SmallLab(ImageLab):
    def __init__(self, root):
        super().__init__(root)
        self.env["TMPDIR"] = "/tmp"
        mount = self.state.parent
        mount.mkdir(parents=True)
        self.project.mkdir()
        (self.work / "home").mkdir()
        self.holder = subprocess.Popen([*ALONE, "sh", "-ec", 'mount -t tmpfs -o size=32m,mode=700 none "$1"; echo up; exec cat', "-", mount],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.holder.stdout.readline() == b"up\n"
        self.inside = pathlib.Path(f"/proc/{self.holder.pid}/root{mount}")
        self.state = self.inside / "aisbx"
        self.ballast = self.inside / "ballast"

    def close(self):
        self.holder.stdin.close()
        self.holder.wait(60)

    def call(self, *words, under=()):
        ids = [] if box.IS_ROOT else ["-U", "--preserve-credentials"]
        return super().call(*words, under=("nsenter", *ids, "-m", "-t", str(self.holder.pid), f"--wd={self.project}", "--", *under))

    def prepare(self):
        images.Layout(self.work / "tool", self.first(), images.tar({"opt/": None, "opt/big": BIG}), media=images.TAR)
        images.Layout(self.work / "other", self.first())
        images.Layout(self.work / "equal", self.first(), images.tar({"opt/": None, "opt/big": BIG, "opt/more": "more"}))
        self.ok("image", "import", self.work / "other")
        self.ok("create", "--from", "other", "b")
        up = self.top(self.ok("show", "b")["id"])
        (up / "made").write_text(BIG)
        self.copy(self.inside, self.root / "template")

    @staticmethod
    def copy(source, target):
        subprocess.run(["sh", "-ec", 'mkdir -p "$2"; chmod -fR u+rwX "$2" || :; find "$2" -mindepth 1 -maxdepth 1 -exec rm -rf {} +; cp -a "$1"/. "$2"', "-", source, target],
                       check=True, timeout=60)

    def restore(self):
        self.copy(self.root / "template", self.inside)

    def leave(self, kib):
        """So much room, and no more."""
        self.ballast.unlink(missing_ok=True)
        fs = os.statvfs(self.inside)
        with open(self.ballast, "wb") as f:
            try:
                os.posix_fallocate(f.fileno(), 0, max(4096, fs.f_bavail * fs.f_frsize - kib * 1024))
            except OSError as problem:
                assert problem.errno == errno.ENOSPC


@pytest.fixture(name="lab", scope="module")
def fixture_lab(tmp_path_factory):
    lab = SmallLab(tmp_path_factory.mktemp("lab"))
    lab.prepare()
    with reg.registry(tmp_path_factory.mktemp("registry")) as host:
        reg.skopeo("copy", "--dest-tls-verify=false", f"oci:{lab.work}/tool", f"docker://{host}/a/tool:1")
        OPERATIONS["pull"] = ("image", "pull", f"{host}/a/tool:1")
        yield lab
    lab.close()
    shutil.rmtree(lab.root, ignore_errors=True)


OPERATIONS = {"pull": None, "import": ("image", "import", "../tool"), "pack": ("image", "pack", "b", "packed"), "gc": ("gc", "--share")}


def begin(lab, op):
    lab.restore()
    if op == "gc":
        lab.ok("image", "import", "../tool")
        lab.ok("image", "import", "../equal")


def told(lab, outcome):
    """What is missing in what was said."""
    text = ((outcome.result or {}).get("error") or {}).get("text") or outcome.said
    wanted = (r"No space left|disk is full", re.escape(str(lab.inside).split("/root", 1)[1]), r" \d+ MiB left", r"'aisbx gc'")
    return [f"it does not say {what}: {text}" for what in wanted if not re.search(what, text)]


@pytest.mark.parametrize("op", OPERATIONS)
def test_full_disk(lab, op):
    begin(lab, op)
    before = lab.seen()[0]
    lab.ok(*OPERATIONS[op])
    after = lab.seen()[0]
    wrong, failed = [], 0
    for kib in KIB if LONG or op != "gc" else KIB[:2]:
        begin(lab, op)
        lab.leave(kib)
        outcome = lab.call(*OPERATIONS[op])
        failed += outcome.status != 0
        if outcome.status:
            wrong += [f"{kib} KiB: {w}" for w in told(lab, outcome)]
        lab.ballast.unlink()
        found = lab.seen()[0]
        if found != (before if outcome.status else after) and not (op == "gc" and found in (before, after)):
            wrong.append(f"{kib} KiB: {outcome.status}, and yet there is {sorted(found)}")
        lab.ok(*OPERATIONS[op])
        found, left = lab.sound()
        if found != after or left:
            wrong.append(f"{kib} KiB: repeated, it is not as it should be: {sorted(found)} {left}")
    assert not wrong, "\n".join(wrong)
    assert failed > 3 if op != "gc" else not failed, "the disk was full; and gc, which makes room, needs none"
