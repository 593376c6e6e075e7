# SPDX-License-Identifier: Apache-2.0
"""A layer of 2 GB (with AISBX_LONG=1; else of 24 MB): the tree that `umoci` makes of it, in little memory, holes stay holes. Says what it took beside umoci and tar."""
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys

import pytest

import images
import layers
import test_image_door

fixture_door = test_image_door.fixture_door
pytestmark = pytest.mark.big
LONG = os.environ.get("AISBX_LONG") == "1"
SIZE = (2 << 30) if LONG else (24 << 20)
MIB = 1 << 20
MOST_MEMORY = 64 * MIB
HOLE = SIZE // 4  # umoci writes its zeros
SPARSE = layers.sparse("data/holes", 8 * HOLE, [(0, b"first" * 1000), (5 * HOLE, os.urandom(MIB)), (8 * HOLE - 4096, b"l" * 4096)])


class Big(images.Layout):
    """Its one layer is written piece by piece, so that the test itself needs no memory for it."""

    def __init__(self, path, how):
        self.how, self.diff_id = how, None
        super().__init__(path, b"")
        self.layers = [self.big_layer()]
        config = {"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": [self.diff_id]}}
        manifest = {"schemaVersion": 2, "config": self.described("application/vnd.oci.image.config.v1+json", config), "layers": self.layers}
        self.manifest = {**self.described("application/vnd.oci.image.manifest.v1+json", manifest), "annotations": {"org.opencontainers.image.ref.name": "it"}}
        (self.path / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [self.manifest]}))

    def pieces(self):
        yield layers.folder("data") + layers.header(b"data/full", b"0", SIZE)
        block = os.urandom(MIB)
        for number in range(SIZE // MIB):
            yield number.to_bytes(8, "big") + block[8:]
        yield SPARSE + layers.file("data/zeros", bytes(MIB)) + layers.file("data/last", b"last") + bytes(1024)

    def big_layer(self):
        path, inner, outer, size = self.path / "new", hashlib.sha256(), hashlib.sha256(), 0
        with open(path, "wb") as f:
            packer = subprocess.Popen(["gzip", "-1"] if self.how == "gzip" else ["cat"], stdin=subprocess.PIPE, stdout=f)
            for piece in self.pieces():
                inner.update(piece)
                packer.stdin.write(piece)
            packer.stdin.close()
            assert packer.wait(600) == 0
        with open(path, "rb") as f:
            while part := f.read(MIB):
                outer.update(part)
                size += len(part)
        self.diff_id = f"sha256:{inner.hexdigest()}"
        path.rename(self.path / "blobs" / "sha256" / outer.hexdigest())
        return {"mediaType": images.TAR + ("+gzip" if self.how == "gzip" else ""), "digest": f"sha256:{outer.hexdigest()}", "size": size}


# A process between: what is started has, until it executes something, the memory of who starts it, and that counts.
BETWEEN = """
import resource, subprocess, sys, time
began = time.monotonic()
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
if done.returncode: sys.exit(done.stdout.decode(errors="replace")[-2000:])
print(time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def measured(words, **kw):
    """(seconds, bytes of memory that it or what it started took at most)"""
    done = subprocess.run([sys.executable, "-S", "-c", BETWEEN, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=3600, check=False, **kw)
    assert done.returncode == 0, done.stderr[-2000:]
    seconds, kilobytes = done.stdout.split()
    return float(seconds), int(kilobytes) * 1024


def facts(top):
    """Names and what they are, without what is in them."""
    found = {}
    for here, dirs, names in os.walk(top):
        for name in dirs + names:
            st = os.lstat(os.path.join(here, name))
            found[os.path.relpath(os.path.join(here, name), top)] = (stat.S_IFMT(st.st_mode), stat.S_IMODE(st.st_mode), 0 if name in dirs else st.st_size, int(st.st_mtime))
    return found


def same_content(one, other):
    return subprocess.run(["cmp", one, other], timeout=600, check=False).returncode == 0


@pytest.mark.parametrize("how", ["none", "gzip"])
def test_large_layer(door, tmp_path, how):
    layout = Big(tmp_path / "big", how)
    took, memory = measured([os.environ["AISBX"], "image", "import", "--json", layout.path], env=door.env, cwd=door.project)
    assert memory < MOST_MEMORY, f"{memory // MIB} MiB"
    ours = door.state / "layers" / door.image("show", "big")["layers"][0]["layer"] / "root" / "up"
    blob = layout.path / "blobs" / layout.layers[0]["digest"].replace(":", "/")
    (tmp_path / "alone").mkdir()
    request = {"do": "unpack", "blob": str(blob), "digest": layout.layers[0]["digest"], "diff_id": layout.diff_id, "media_type": layout.layers[0]["mediaType"],
               "into": str(tmp_path / "alone"), "below": [], "id_shift": 0, "one_id": not layers.IS_ROOT}
    alone, helper_memory = measured(["sh", "-c", 'exec "$0" <<E\n' + json.dumps(request) + "\nE", layers.helper()])
    shutil.rmtree(tmp_path / "alone")
    rootless = [] if layers.IS_ROOT else ["--rootless"]
    by_umoci, _ = measured(["umoci", "raw", "unpack", *rootless, "--image", f"{layout.path}:it", tmp_path / "umoci"])
    theirs = tmp_path / "umoci"
    assert facts(ours) == facts(theirs)
    for name in ("full", "zeros", "last"):
        assert same_content(ours / "data" / name, theirs / "data" / name)
    assert ends_of(ours / "data" / "holes") == ends_of(theirs / "data" / "holes")
    assert (ours / "data" / "holes").stat().st_blocks * 512 < 2 * MIB and (ours / "data" / "zeros").stat().st_blocks * 512 < 65536
    shutil.rmtree(theirs)
    (tmp_path / "tar").mkdir()
    by_tar, _ = measured(["tar", *(["-z"] if how == "gzip" else []), "-xf", blob, "-C", tmp_path / "tar"])
    synced, _ = measured(["sync", "-f", tmp_path])
    print(f"\n{SIZE // MIB} MiB, {how}: import {took:.1f} s, memory at most {memory // MIB} MiB; aisbx-image unpack {alone:.1f} s, {helper_memory // MIB} MiB; "
          f"umoci {by_umoci:.1f} s, tar {by_tar:.1f} s and then sync {synced:.1f} s")


def ends_of(path):
    """The pieces of the sparse file, and some of its holes."""
    with open(path, "rb") as f:
        return [hashlib.sha256(os.pread(f.fileno(), MIB, at)).hexdigest() for at in (0, HOLE, 5 * HOLE - 4096, 5 * HOLE, 6 * HOLE, 8 * HOLE - 8192)]
