# SPDX-License-Identifier: Apache-2.0
"""Attacks 52 to 61, 63 and 65 of archives on who unpacks them, each beside a control: the same archive without the trick works, and where
that is cheap the trick hits somebody who unpacks carelessly. (62 and 64 are attacks of manifests: who reads those tests them.)

Around each layer lies a canary that nothing may touch.
"""
import contextlib
import gzip
import io
import os
import pathlib
import stat
import tarfile

import layers
import pytest
from layers import archive, device, entry, file, folder, gone, hardlink, header, opaque, padded, pax, sparse, symlink


@pytest.fixture
def place(tmp_path):
    """PLACE/in is for layers, PLACE/canary is what they attack."""
    (tmp_path / "in").mkdir()
    (tmp_path / "canary").mkdir()
    (tmp_path / "canary/file").write_text("canary")
    (tmp_path / "canary/sub").mkdir()
    yield tmp_path
    assert sorted(os.listdir(tmp_path)) == ["canary", "in"]


@pytest.fixture
def canary(place):
    before = state(place / "canary")
    yield place / "canary"
    assert state(place / "canary") == before


def state(top):
    return {path: (os.lstat(path).st_mode, os.lstat(path).st_mtime_ns, os.lstat(path).st_nlink, path.read_bytes() if path.is_file() else None)
            for path in [top, *sorted(top.rglob("*"))]}


def unpack(place, *archives, **more):
    """Everything that is unpacked, and the answer."""
    number = len(os.listdir(place / "in"))
    work = place / "in" / str(number)
    work.mkdir()
    return layers.unpack(work, archives, **more)


def refused(place, *archives, word, **more):
    _, answer = unpack(place, *archives, **more)
    assert "error" in answer, answer
    assert word in answer["error"]["text"], answer
    return answer["error"]


def allowed(place, *archives, **more):
    below, answer = unpack(place, *archives, **more)
    assert "ok" in answer, answer
    return below, answer["ok"]


def careless(place, data):
    """Who believes every name: Python's tarfile without a filter."""
    top = place / "in/careless"
    top.mkdir()
    with contextlib.suppress(OSError), tarfile.open(fileobj=io.BytesIO(data)) as tar:
        tar.extractall(top, filter="fully_trusted") if hasattr(tarfile, "fully_trusted_filter") else tar.extractall(top)
    return top


# 52: names that lead out

@pytest.mark.parametrize("name", ["../canary/new", "a/../../../canary/new", "..", "a/..", "/../../canary/new", "./../x"])
def test_52_dots(place, canary, name):
    refused(place, archive([folder("a"), file(name, b"x")]), word="leads out")
    allowed(place, archive([folder("a"), file(name.replace("..", "b"), b"x")]))


def test_52_dots_hit_the_careless(place):
    careless(place, archive([file("../../canary/new", b"x")]))
    assert (place / "canary/new").exists()


def test_52_absolute(place, canary):
    """The top of the layer is "/": as all tools have it, and as some images need it."""
    (only,), _ = allowed(place, archive([file(str(canary / "file"), b"x"), file("///etc/passwd", b"y")]))
    assert (only / str(canary / "file").lstrip("/")).read_bytes() == b"x"
    assert (only / "etc/passwd").read_bytes() == b"y"


# 53: through a link

def targets(canary):
    return [str(canary), "../" * 30 + str(canary).lstrip("/"), "/proc/self/root" + str(canary), "/proc/self/cwd/../canary"]


@pytest.mark.parametrize("number", range(4))
def test_53_file_behind_link(place, canary, number):
    target = targets(canary)[number]
    (only,), _ = allowed(place, archive([symlink("out", target), file("out/file", b"x"), folder("out/sub", 0o777), file("out/sub/new", b"x")]))
    assert (only / "out").is_symlink() and os.readlink(only / "out") == target
    inside = [path for path in only.rglob("file") if path.is_file() and not path.is_symlink()]
    assert [path.read_bytes() for path in inside] == [b"x"]
    # the link in a layer below
    (_, upper), _ = allowed(place, archive([symlink("out", target)]), archive([file("out/file", b"x")]))
    assert not os.path.lexists(upper / "out")
    assert [path.read_bytes() for path in upper.rglob("file")] == [b"x"]


def test_53_hits_the_careless(place):
    careless(place, archive([symlink("out", str(place / "canary")), file("out/file", b"x")]))
    assert (place / "canary/file").read_bytes() == b"x"


def test_53_last_name_is_never_followed(place, canary):
    (only,), _ = allowed(place, archive([symlink("f", str(canary / "file")), file("f", b"x"), symlink("d", str(canary)), folder("d"), file("d/file", b"y")]))
    assert (only / "f").read_bytes() == b"x" and not (only / "f").is_symlink()
    assert (only / "d/file").read_bytes() == b"y" and not (only / "d").is_symlink()


def test_53_endless_links(place, canary):
    refused(place, archive([symlink("a", "b"), symlink("b", "a"), file("a/x", b"x")]), word="too many links")
    chain = [symlink(f"l{n}", f"l{n + 1}") for n in range(39)]
    allowed(place, archive([*chain, folder("l39"), file("l0/x", b"x")]))
    refused(place, archive([symlink("a", "a/" * 2000), file("a/x", b"x")]), word="links")


def test_53_file_in_the_way(place):
    refused(place, archive([file("f", b"x"), file("f/x", b"x")]), word="no directory")
    refused(place, archive([file("f", b"x")]), archive([file("f/x", b"x")]), word="no directory")


# 54, 55: deletions

def test_54_whiteout_through_link(place, canary):
    below, _ = allowed(place, archive([symlink("out", str(canary)), folder("in"), file("in/file", b"x"), symlink("to", "in")]),
                       archive([gone("out/file"), gone("out/sub"), gone("to/file")]))
    shown = layers.merged([str(one) for one in below])
    assert "in/file" not in shown and "in" in shown and "out" in shown and "to" in shown


@pytest.mark.parametrize("name", [".wh.", ".wh..", ".wh...", "a/.wh...", ".wh.x/y", "a/.wh.b/c"])
def test_54_names_that_cannot_be(place, canary, name):
    refused(place, archive([folder("a"), file("a/x", b"x")]), archive([file(name)]), word="cannot be")


def test_54_what_aufs_kept_for_itself(place):
    (_, upper), ok = allowed(place, archive([folder("a")]), archive([file(".wh..wh.aufs"), folder(".wh..wh.plnk"), file(".wh..wh.plnk/1.2", b"x"), file(".wh..wh.orph")]))
    assert os.listdir(upper) == [] and ok["left_out"]["ignored"] == 4


def test_54_forged_whiteout(place):
    """A device 0:0 means a deletion in a layer on disk: only we may make one."""
    refused(place, archive([device("x", 0, 0)]), word="forged")
    (only,), ok = allowed(place, archive([device("x", 1, 3)]))
    assert os.listdir(only) == [] and ok["left_out"]["devices"] == 1


@pytest.mark.parametrize("name", ["user.overlay.opaque", "user.overlay.redirect", "user.overlay.whiteout", "trusted.overlay.opaque", "trusted.x", "user.aisbx.owner", "security.selinux", "system.x"])
def test_55_forged_marks(place, name):
    (only,), ok = allowed(place, archive([folder("d", xattrs={name: b"y", "user.mine": b"1"}), file("f", b"x", xattrs={name: b"0:0:4755", "user.mine": b"2"})]))
    for path in (only / "d", only / "f"):
        assert "user.mine" in os.listxattr(path) and name not in os.listxattr(path)
    assert ok["left_out"]["xattrs"] == 2


def test_55_opaque_on_a_link(place, canary):
    below, _ = allowed(place, archive([symlink("out", str(canary)), folder("in"), file("in/old", b"x"), symlink("to", "in")]), archive([opaque("out"), opaque("to"), file("to/new", b"n")]))
    shown = layers.merged([str(one) for one in below])
    assert {"in/new", "to", "out"} <= shown.keys() and "in/old" not in shown
    assert "user.overlay.opaque" not in os.listxattr(canary)


# 56, 57: links

@pytest.mark.parametrize("name", ["CANARY/file", "../canary/file", "in/../../canary/file", "through/file", "", "/", "folder", "missing", ".wh.x"])
def test_56_hard_link_outside(place, canary, name):
    name = name.replace("CANARY", str(canary))
    entries = [folder("folder"), file("folder/file", b"inside"), symlink("through", str(canary))]
    answer = refused(place, archive([*entries, hardlink("mine", name)]), word="layer")
    assert "link" in answer["text"] or "leads out" in answer["text"]
    (only,), _ = allowed(place, archive([*entries, hardlink("mine", "folder/file"), hardlink("mine2", "/folder/file")]))
    assert (only / "mine").stat().st_nlink == 3


def test_56_hits_the_careless(place):
    top = careless(place, archive([symlink("through", str(place / "canary")), hardlink("mine", "through/file")]))
    assert (top / "mine").read_text() == "canary"


def test_56_write_through_a_hard_link(place, canary):
    """A hard link to a link that leads out, then a file of that name."""
    (only,), _ = allowed(place, archive([symlink("s", str(canary / "file")), hardlink("h", "s"), file("h", b"x")]))
    assert (only / "h").read_bytes() == b"x" and os.readlink(only / "s") == str(canary / "file")


def test_57_link_replaced_by_file(place, canary):
    below, _ = allowed(place, archive([symlink("f", str(canary / "file")), symlink("d", str(canary))]), archive([file("f", b"x"), folder("d"), file("d/file", b"y")]))
    shown = layers.merged([str(one) for one in below])
    assert pathlib.Path(shown["f"]).read_bytes() == b"x" and pathlib.Path(shown["d/file"]).read_bytes() == b"y"


# 58: other bytes

def test_58_digest(place):
    data = archive([file("f", b"x")])
    for key in ("digest", "diff_id"):
        refused(place, data, word="not what the image says", **{key: layers.digest(b"other")})
    allowed(place, data)


@pytest.mark.parametrize("how", ["gzip", "zstd"])
def test_58_other_bytes_after_the_end(place, how):
    """What follows an archive is part of its digests; what follows the compressed data is refused."""
    data = archive([file("f", b"x")])
    allowed(place, data + bytes(5120), how=how)
    refused(place, data + b"more", how=how, diff_id=layers.digest(data), word="not what the image says")
    blob, into = place / "in/blob", place / "in/into"
    blob.write_bytes(layers.compressed(data, how) + b"junk")
    into.mkdir()
    assert "decompress" in layers.ask(layers.request(blob, into, content=data))["error"]["text"]


def test_58_several_members(place):
    data = archive([file("f", os.urandom(5000))])
    blob, into = place / "in/blob", place / "in/into"
    blob.write_bytes(gzip.compress(data[:1000]) + gzip.compress(data[1000:]))
    into.mkdir()
    assert "ok" in layers.ask(layers.request(blob, into, content=data))


# 59: sizes

def negative(number):
    return b"\xff" + (number % 256 ** 11).to_bytes(11, "big")


BAD_SIZES = {
    "negative": header(b"f", b"0", size_field=negative(-512)),
    "most negative": header(b"f", b"0", size_field=negative(-2 ** 63)),
    "beyond 64 bits": header(b"f", b"0", size_field=b"\x80" + b"\x7f" * 11),
    "no digits": header(b"f", b"0", size_field=b"0000000z000\0"),
    "pax negative": pax([("size", "-1")]) + header(b"f", b"0"),
    "pax beyond": pax([("size", "99999999999999999999")]) + header(b"f", b"0"),
    "pax nearly 2^63": pax([("size", 2 ** 63 - 1)]) + header(b"f", b"0"),
    "pax hidden": pax([("size", "5\0")]) + header(b"f", b"0"),
    "pax of pax": header(b"p", b"x", size_field=negative(-1)),
    "long name without end": header(b"n", b"L", 2 ** 40),
    "record too long": header(b"p", b"x", 20) + padded(b"99 path=x\n0123456789"),
    "record of nothing": header(b"p", b"x", 20) + padded(b"0 a=b\n" + bytes(14)),
    "record without end": header(b"p", b"x", 12) + padded(b"12 path=abcd"),
    "sparse overlap": sparse("f", 4096, [(0, b"a" * 1024), (512, b"b" * 512)]),
    "sparse beyond": sparse("f", 1024, [(512, b"b" * 1024)]),
    "sparse wraps": entry("f", b"0", b"x" * 10, records=[("GNU.sparse.size", 20), ("GNU.sparse.map", f"{2 ** 63 - 10},10")]),
    "sparse too little": entry("f", b"0", b"x" * 512, records=[("GNU.sparse.size", 2048), ("GNU.sparse.map", "0,1024")]),
    "sparse map cut off": entry("f", b"0", b"1000000\n", records=[("GNU.sparse.major", 1), ("GNU.sparse.minor", 0), ("GNU.sparse.realsize", 5)]),
    "wrong sum": header(b"f", b"0", sum_field=b"000001\0 "),
    "owner": header(b"f", b"0", uid=2 ** 40),
    "owner nobody": pax([("uid", 2 ** 32 - 1)]) + header(b"f", b"0"),
    "unknown type": header(b"f", b"Q"),
}


@pytest.mark.parametrize("name", BAD_SIZES)
def test_59_sizes(place, name):
    _, answer = unpack(place, archive([file("before", b"x"), BAD_SIZES[name], file("after", b"y")]))
    assert "error" in answer, answer
    assert not any(one.name == "after" for one in (place / "in").rglob("*"))


def test_59_size_of_pax_counts(place):
    """One who believes the header would take the content for entries: a file that a check did not see."""
    hidden = file("evil", b"x")
    (only,), _ = allowed(place, archive([pax([("size", len(hidden))]) + header(b"f", b"0", 0) + padded(hidden), file("after", b"y")]))
    assert sorted(os.listdir(only)) == ["after", "f"] and (only / "f").read_bytes() == hidden


def test_59_links_have_no_content(place):
    (only,), _ = allowed(place, archive([file("f", b"x"), header(b"l", b"1", 512, link=b"f") + b"", header(b"s", b"2", 1024, link=b"f"), file("after", b"y")]))
    assert sorted(os.listdir(only)) == ["after", "f", "l", "s"]


# 60, 61: too much

def test_60_bomb(place):
    bomb = archive([file("zeros", bytes(50 << 20))])
    assert len(gzip.compress(bomb)) * 900 < len(bomb)
    refused(place, bomb, how="gzip", max_bytes=10 << 20, word="more than")
    allowed(place, bomb, how="gzip", max_bytes=50 << 20)


def test_60_bomb_of_many(place):
    many = archive([file(f"f{n}", b"x" * 1000) for n in range(100)])
    refused(place, many, max_bytes=99_999, word="more than")
    allowed(place, many, max_bytes=100_000)


def test_60_bomb_after_the_end(place):
    """Nothing that is unpacked, and it never ends."""
    endless = archive([file("f", b"x")]) + bytes(80 << 20)
    refused(place, endless, how="gzip", max_bytes=1 << 20, max_files=10, word="larger than")


def test_60_huge_hole(place):
    refused(place, archive([sparse("f", 1 << 50, [])]), word="more than")
    (only,), _ = allowed(place, archive([sparse("f", 1 << 35, [])]))
    assert (only / "f").stat().st_blocks < 100


def test_60_copies_from_below_count(place):
    below, _ = allowed(place, archive([file(f"f{n}", b"x" * 1000) for n in range(20)]))
    blob = place / "in/blob"
    blob.write_bytes(archive([hardlink(f"l{n}", f"f{n}") for n in range(20)]))
    for most, word in ((19_999, "error"), (20_000, "ok")):
        into = place / f"in/{most}"
        into.mkdir()
        assert word in layers.ask(layers.request(blob, into, below, max_bytes=most))


def test_61_entries(place):
    many = archive([file("same", b"") for _ in range(1001)])
    refused(place, many, max_files=1000, word="1000 entries")
    allowed(place, many, max_files=1001)


def test_61_more_than_a_million_is_refused_by_itself(place):
    blob, into = place / "in/blob", place / "in/into"
    thousand = gzip.compress(file(".wh..wh.x") * 1000)  # nothing on disk: that would take a minute
    with open(blob, "wb") as out:
        for _ in range(2000):
            out.write(thousand)
        out.write(gzip.compress(file("one-more")))
    into.mkdir()
    what = {"do": "unpack", "blob": str(blob), "digest": layers.digest(b""), "diff_id": layers.digest(b""), "media_type": layers.TYPE, "into": str(into), "one_id": not layers.IS_ROOT}
    assert "2000000 entries" in layers.ask(what, 300)["error"]["text"]


def test_61_deep(place):
    refused(place, archive([folder("d/" * n) for n in range(1, 300)]), word="too deep")
    refused(place, archive([file("d/" * 3000, b"")]), word="too long")
    allowed(place, archive([folder("d/" * n) for n in range(1, 250)]))
    refused(place, archive([file("n" * 256, b"")]), word="too long")
    allowed(place, archive([file("n" * 255, b"")]))
    # deeper by a link each
    steps = [entry for n in range(30) for entry in (folder(f"l{n}/" + "/".join("d" * 9)), symlink(f"l{n}/" + "/".join("d" * 9) + "/up", "../" * 9))]
    allowed(place, archive(steps))


def test_61_deep_by_links(place):
    """Short names that add up: each layer of links leads deeper."""
    entries = [folder("d0")]
    for n in range(40):
        entries += [folder("d" + str(n) + "/" + "/".join("x" * 20)), symlink(f"d{n + 1}", f"d{n}/" + "/".join("x" * 20))]
    refused(place, archive(entries), word="")


# 63: devices

def test_63_devices(place):
    (only,), ok = allowed(place, archive([folder("dev"), device("dev/sda", 8, 0, b"4"), device("dev/mem", 1, 1), device("dev/null", 1, 3), file("dev/f", b"x"), device("dev/f", 1, 3)]))
    assert os.listdir(only / "dev") == [] and ok["left_out"]["devices"] == 4
    below, _ = allowed(place, archive([folder("dev"), file("dev/null", b"a file")]), archive([device("dev/null", 1, 3)]))
    assert "dev/null" not in layers.merged([str(one) for one in below])


def test_63_setuid_of_mine(place):
    """As one id everything is mine: a setuid file of mine would let anybody be me."""
    (only,), ok = allowed(place, archive([file("su", b"x", mode=0o6755, uid=5, gid=6), folder("sg", 0o2755)]), one_id=True)
    assert stat.S_IMODE((only / "su").stat().st_mode) == 0o755 and os.getxattr(only / "su", layers.OWNER) == b"5:6:6755"
    assert stat.S_IMODE((only / "sg").stat().st_mode) == 0o2755 and ok["left_out"]["setuid"] == 1


# 65: cut off

@pytest.mark.parametrize("how", ["none", "gzip", "zstd"])
def test_65_cut_off(place, how):
    data = archive([file(f"f{n}", os.urandom(3000)) for n in range(10)])
    blob = layers.compressed(data, how)
    for number, end in enumerate((0, 1, 100, 512, 5000, len(blob) // 2, len(blob) - 1100, len(blob) - 1)):
        into, short = place / f"in/into{number}", place / "in/short"
        into.mkdir()
        short.write_bytes(blob[:end])
        right = layers.request(short, into, content=data) | {"digest": layers.digest(blob)}
        assert "error" in layers.ask(right)
    allowed(place, data, how=how)


def test_65_not_empty(place):
    """What is left of an attempt is never the beginning of the next."""
    data = archive([file("f", b"x")])
    blob, into = place / "in/blob", place / "in/into"
    blob.write_bytes(data)
    into.mkdir()
    (into / "half").write_text("")
    assert "not empty" in layers.ask(layers.request(blob, into))["error"]["text"]
    (into / "half").unlink()
    assert "ok" in layers.ask(layers.request(blob, into))


# The walls around it

def test_no_writing_outside(place, canary):
    """What it could do if it were taken over is little: tried by a link in the place of the directory."""
    blob = place / "in/blob"
    blob.write_bytes(archive([file("f", b"x")]))
    (place / "in/into").symlink_to(canary)
    assert "error" in layers.ask(layers.request(blob, place / "in/into"))
    (place / "in/blob2").symlink_to(blob)
    (place / "in/real").mkdir()
    assert "error" in layers.ask(layers.request(place / "in/blob2", place / "in/real"))


@pytest.mark.parametrize("key, value", [("digest", "sha256:00"), ("digest", None), ("diff_id", "md5:" + "0" * 64), ("media_type", "text/html"), ("id_shift", -1), ("max_bytes", -1), ("max_files", "x"),
                                        ("below", [1]), ("below", ["/nonexistent"]), ("into", None), ("blob", "/nonexistent"), ("blob", "/"), ("below", ["/"] * 401)])
def test_bad_requests(place, key, value):
    blob, into = place / "in/blob", place / "in/into"
    blob.write_bytes(archive([file("f", b"x")]))
    into.mkdir()
    assert "error" in layers.ask(layers.request(blob, into) | {key: value})
    assert os.listdir(into) == []
