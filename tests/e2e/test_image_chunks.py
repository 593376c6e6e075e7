# SPDX-License-Identifier: Apache-2.0
"""Packed layers are stored as chunks, equal ones once, and come out byte for byte; unpacked files are compared with them.

The same file runs as root and as an ordinary user.
"""
import hashlib
import os
import pathlib
import random

import pytest

import images
import test_image_door

fixture_door = test_image_door.fixture_door
WORDS = [bytes(random.Random(n).choices(b"abcdefghijklmnop", k=9)) for n in range(500)]


def text(seed, size):
    return b" ".join(random.Random(seed).choices(WORDS, k=size // 10))


def files(changed=()):
    """A root file system of 4 MiB in 100 files."""
    tree = images.rootfs(*((f"srv/f{n:03}", text(n, 40000)) for n in range(100)))
    return {**tree, **{f"srv/f{n:03}": text(n, 40000) + b"changed" for n in changed}}


def du(door):
    return door.ok("du")


def import_tar(door, tmp_path, name, tree):
    path = tmp_path / f"{name}.tar"
    path.write_bytes(images.tar(tree))
    return door.ok("image", "import", path)


def test_equal_chunks_are_stored_once(door, tmp_path):
    import_tar(door, tmp_path, "one", files())
    chunks, blobs = door.chunks()
    first = du(door)
    assert len(blobs) == 1 and 10 < len(chunks) < 200 and first["chunked"] > 4_000_000
    assert first["chunks"] < first["chunked"] / 2, "they are compressed"
    import_tar(door, tmp_path, "two", files(changed=[50]))
    more, _ = door.chunks()
    assert len(more) - len(chunks) <= 3, "only what changed is new"
    assert du(door)["chunked"] > 1.9 * first["chunked"] and du(door)["chunks"] < 1.2 * first["chunks"]
    assert door.image("verify", "one")["files"] > 100 and door.image("verify", "two")["not_kept"] == 0
    door.image("rm", "one")
    assert chunks - door.chunks()[0], "what only that one had is gone"
    door.image("verify", "two")


def blob_of(door, layout, digest):
    door.image("save", "packed", "--format", "layout", layout)
    return (layout / "blobs" / digest.replace(":", "/")).read_bytes()


@pytest.mark.parametrize("compression", ["gzip", "zstd", "none"])
def test_packed_layers_come_out_as_they_went_in(door, tmp_path, compression):
    images.Layout(tmp_path / "base", images.tar(images.rootfs()))
    door.image("import", tmp_path / "base")
    door.ok("create", "--from", "base", "b")
    top = door.top_of("b")
    (top / "srv").mkdir(parents=True)
    for n in range(60):
        (top / "srv" / f"f{n}").write_bytes(text(n, 40000))
    packed = door.image("pack", "b", "packed", "--compression", compression)
    layer = door.image("show", "packed")["layers"][-1]
    assert layer["digest"] in door.chunks()[1] and layer["digest"] not in door.blobs() and layer["blob"]
    assert "sha256:" + hashlib.sha256(blob_of(door, tmp_path / "out", layer["digest"])).hexdigest() == layer["digest"]
    before = len(door.chunks()[0])
    with open(top / "srv" / "f30", "ab") as f:
        f.write(b"more")
    again = door.image("pack", "b", "again", "--compression", compression)
    assert again["digest"] != packed["digest"] and len(door.chunks()[0]) - before <= 3
    door.ok("rm", "b")
    for name in ("again", "packed"):
        door.image("rm", name)
    back = door.image("import", tmp_path / "out", "--name", "back")
    assert back["digest"] == packed["digest"] and door.image("verify", "back")["blobs"] == 4


def test_a_chunked_layer_is_unpacked_again(door, tmp_path):
    import_tar(door, tmp_path, "one", files())
    digest = door.image("show", "one")["layers"][0]["digest"]
    images.Layout(tmp_path / "same", images.tar(files()), media=images.TAR)
    door.image("import", tmp_path / "same")
    assert door.image("show", "same")["layers"][0]["digest"] == digest and door.chunks()[1] == {digest} and digest not in door.blobs()


def damage(path, change):
    mode, times = path.stat().st_mode, (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    path.chmod(0o600)
    change(path)
    path.chmod(mode)
    os.utime(path, ns=times)


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_a_damaged_chunk_is_told_and_healed(door, tmp_path):
    import_tar(door, tmp_path, "one", files())
    chunk = next((door.state / "images").glob("chunks/*/*"))
    damage(chunk, flip)
    said = door.refused("verify", "one")["text"]
    assert "is damaged" in said and chunk.name in said
    import_tar(door, tmp_path, "one", files())
    door.image("verify", "one")
    chunk.unlink()
    assert "is missing" in door.refused("verify", "one")["text"]
    import_tar(door, tmp_path, "one", files())
    door.image("verify", "one")


def test_gc_keeps_chunks_while_an_index_is_damaged(door, tmp_path):
    import_tar(door, tmp_path, "one", files())
    import_tar(door, tmp_path, "two", files(changed=range(40, 60)))
    index = door.state / "images" / "indexes" / door.image("show", "one")["layers"][0]["digest"][7:]
    good = index.read_bytes()
    damage(index, lambda p: p.write_bytes(good[:-1]))
    before = door.chunks()
    door.image("rm", "two")
    assert door.ok("gc")["unreadable"] == 1 and door.chunks()[0] == before[0]
    damage(index, lambda p: p.write_bytes(good))
    assert door.ok("gc")["unreadable"] == 0 and door.chunks()[0] < before[0]
    door.image("verify", "one")


CHANGES = {
    "content": lambda p: damage(p, flip),
    "size": lambda p: damage(p, lambda q: q.write_bytes(q.read_bytes() + b"x")),
    "mode": lambda p: p.chmod(0o600),
    "gone": pathlib.Path.unlink,
    "kind": lambda p: (p.unlink(), p.mkdir()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_unpacked_files_are_compared(door, tmp_path, change):
    images.Layout(tmp_path / "tool", images.tar(images.rootfs(("srv/x", b"content" * 1000), ("etc/same", (images.tarfile.LNKTYPE, "etc/name")))))
    door.image("import", tmp_path / "tool")
    good = door.image("verify", "tool")["files"]
    assert good >= 5
    up = door.state / "layers" / door.image("show", "tool")["layers"][0]["layer"] / "root" / "up"
    CHANGES[change](up / "srv" / "x")
    said = door.refused("verify", "tool")
    assert said["code"] == "EUCLEAN" and "/srv/x" in said["text"], said


def test_the_last_of_equal_names_counts(door, tmp_path):
    tree = images.tar([("a", b"first"), ("b", b"x"), ("a", b"second, longer"), ("d/e", b"gone"), ("d", b"a file now")])
    images.Layout(tmp_path / "tool", tree)
    door.image("import", tmp_path / "tool")
    assert door.image("verify", "tool")["files"] >= 3
