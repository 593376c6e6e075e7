# SPDX-License-Identifier: Apache-2.0
"""Layers become images: the same bytes for the same tree, read by the programs of others; pseudo-images and back."""
import hashlib
import io
import json
import os
import pathlib
import shutil
import stat
import subprocess
import tarfile

import box
import oci_tools
import pytest

OPAQUE = "user.overlay.opaque"
OWNER = "user.aisbx.owner"


def ask(**request):
    """What aisbx-image answers: its last line."""
    helper = box.need(os.path.join(os.path.dirname(box.aisbx()), "aisbx-image"))
    done = subprocess.run([helper], input=json.dumps(request), capture_output=True, text=True, timeout=120, check=False)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(autouse=True)
def places(tmp_path):
    """What a state directory has already."""
    (tmp_path / "images").mkdir()
    (tmp_path / "fetched").mkdir()


def ok(**request):
    answer = ask(**request)
    assert "ok" in answer, answer
    return answer["ok"]


def refused(**request):
    answer = ask(**request)
    assert "error" in answer, answer
    return answer["error"]["text"]


def pack(tmp_path, *layers, compression="gzip", **more):
    more.setdefault("image", {"parent": None, "cmd": ["/bin/sh"], "env": ["A=b"], "workdir": "/etc", "created": 0})
    more.setdefault("below", [])
    return ok(do="pack", layers=[str(p) for p in layers], blobs=str(tmp_path / "images/blobs"), compression=compression, id_shift=0, one_id=True, **more)


def write(tmp_path, image, form, path, name="localhost/made/here:1.0"):
    ok(do="write", to=form, path=str(path), blobs=str(tmp_path / "images/blobs"), manifest=image["manifest"], name=name)
    return path


def make(up, turned=False):
    """A tree with one of everything, made in one order or in the other."""
    def plain(path, text, mode=0o644):
        (up / path).write_bytes(text)
        (up / path).chmod(mode)

    steps = [
        lambda: (up / "etc").mkdir(),
        lambda: (up / "etc/empty").mkdir(mode=0o700),
        lambda: plain("etc/motd", b"hello\n"),
        lambda: plain("etc/shadow", b"x", 0o600),
        lambda: (up / "etc/link").symlink_to("/nowhere/" + "x" * 150),
        lambda: os.mkfifo(up / "pipe", 0o640),
        lambda: plain("name with ünïcode\n", b""),
        lambda: plain("tool", b"#!/bin/sh\n", 0o4755),
        lambda: (up / ("d" * 120)).mkdir(),
        lambda: plain("d" * 120 + "/" + "f" * 200, os.urandom(0) + b"long"),
        lambda: plain("sparse", b"\0" * 300000 + b"end"),
        lambda: plain("big", bytes(range(256)) * 3000),
    ]
    first = [step for i, step in enumerate(steps) if i in (0, 8)]
    rest = [step for i, step in enumerate(steps) if i not in (0, 8)]
    up.mkdir()
    for step in (first[::-1] + rest[::-1] if turned else first + rest):
        step()
    os.link(up / "etc/motd", up / "same")
    os.setxattr(up / "big", "user.note", b"a\0b")
    for place, dirs, files in os.walk(up, topdown=False):
        for name in sorted(dirs + files, reverse=turned):
            os.utime(os.path.join(place, name), (5, 1700000000), follow_symlinks=False)
    return up


def tree(top):
    """Everything a packed tree says, path by path; owners only if there are several to be had."""
    found, firsts = {}, {}
    for place, dirs, files in os.walk(top):
        for name in dirs + files:
            path = pathlib.Path(place, name)
            st, rel = path.lstat(), str(path.relative_to(top))
            said = [stat.S_IFMT(st.st_mode), int(st.st_mtime)]
            if path.is_symlink():
                said.append(os.readlink(path))
            else:
                said.append(stat.S_IMODE(st.st_mode))
                said.append({k: os.getxattr(path, k) for k in os.listxattr(path) if k.startswith("user.") and not k.startswith(("user.rootless", "user.aisbx"))} if stat.S_ISREG(st.st_mode) else None)
            if stat.S_ISREG(st.st_mode):
                said.append(hashlib.sha256(path.read_bytes()).hexdigest())
                firsts.setdefault(st.st_ino, []).append(rel)
            found[rel] = said
    return found, sorted(sorted(names) for names in firsts.values() if len(names) > 1)


def umoci(tmp_path, layout, tag="1.0"):
    bundle = tmp_path / "bundle"
    words = ["umoci", "unpack", "--image", f"{layout}:{tag}"] + ([] if os.geteuid() == 0 else ["--rootless"]) + [str(bundle)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return bundle / "rootfs"


@pytest.mark.parametrize("compression", ["gzip", "zstd", "none"])
def test_the_same_tree_is_the_same_image(tmp_path, compression):
    one, two = make(tmp_path / "one"), make(tmp_path / "two", turned=True)
    a, b, c = (pack(tmp_path, up, compression=compression) for up in (one, two, one))
    assert a == b == c
    assert a["files"] == 13 and a["left_out"] == 0
    blob = (tmp_path / "images/blobs/sha256" / a["digest"].split(":")[1]).read_bytes()
    assert hashlib.sha256(blob).hexdigest() == a["digest"].split(":")[1] and len(blob) == a["size"]
    if compression == "gzip":
        assert blob[:10] == bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]), "a name, a time or flags"
    (two / "etc/motd").write_bytes(b"other\n")
    assert pack(tmp_path, two, compression=compression)["diff_id"] != a["diff_id"]


def test_times_can_be_limited(tmp_path):
    one, two = make(tmp_path / "one"), make(tmp_path / "two")
    for path in (two / "etc", two / "big"):
        os.utime(path, (5, 1800000000))
    assert pack(tmp_path, one)["diff_id"] != pack(tmp_path, two)["diff_id"]
    assert pack(tmp_path, one, mtime=1700000000)["diff_id"] == pack(tmp_path, two, mtime=1700000000)["diff_id"]


def test_umoci_unpacks_the_same_tree(tmp_path):
    up = make(tmp_path / "up")
    layout = write(tmp_path, pack(tmp_path, up)["image"], "layout", tmp_path / "layout")
    assert tree(umoci(tmp_path, layout)) == tree(up)


@pytest.mark.parametrize("form", ["layout", "oci-archive", "docker-archive"])
@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_skopeo_reads_every_form(tmp_path, form, compression):
    image = pack(tmp_path, make(tmp_path / "up"), compression=compression)["image"]
    path = write(tmp_path, image, form, tmp_path / "made")
    source = {"layout": f"oci:{path}:1.0", "oci-archive": f"oci-archive:{path}:1.0", "docker-archive": f"docker-archive:{path}:localhost/made/here:1.0"}[form]
    done = subprocess.run([*oci_tools.SKOPEO, "--insecure-policy", "copy", "-q", source, f"dir:{tmp_path / 'dir'}"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    manifest = (tmp_path / "dir/manifest.json").read_bytes()
    config = json.loads((tmp_path / "dir" / json.loads(manifest)["config"]["digest"].split(":")[1]).read_text())
    assert config["rootfs"]["diff_ids"] == [layer["diff_id"] for layer in image["layers"]]
    assert config["config"]["Cmd"] == ["/bin/sh"] and config["config"]["Env"] == ["A=b"] and config["config"]["WorkingDir"] == "/etc"
    if form != "docker-archive":
        assert "sha256:" + hashlib.sha256(manifest).hexdigest() == image["manifest"]
    again = tmp_path / "again"
    write(tmp_path, image, form, again)
    if form != "layout":
        assert again.read_bytes() == path.read_bytes()


def test_a_layer_on_an_image(tmp_path):
    base, top = make(tmp_path / "base"), tmp_path / "top"
    (base / "gone").write_text("")
    (base / "etc/old").write_text("")
    parent = pack(tmp_path, base)["image"]
    (top / "etc").mkdir(parents=True)
    os.setxattr(top / "etc", OPAQUE, b"y")
    (top / "etc/new").write_text("new")
    os.mknod(top / "gone", stat.S_IFCHR, 0)
    os.mknod(top / "never", stat.S_IFCHR, 0)
    made = pack(tmp_path, top, below=[str(base)], image={"parent": parent["manifest"], "user": "7:8"})
    assert [layer["digest"] for layer in made["image"]["layers"]][:1] == [parent["layers"][0]["digest"]] and len(made["image"]["layers"]) == 2
    blob = tmp_path / "images/blobs/sha256" / made["digest"].split(":")[1]
    assert tarfile.open(blob).getnames() == [".wh.gone", "etc", "etc/.wh..wh..opq", "etc/new"]
    config = json.loads((tmp_path / "images/blobs/sha256" / made["image"]["config"].split(":")[1]).read_text())
    assert config["config"]["User"] == "7:8" and config["config"]["Cmd"] == ["/bin/sh"]
    root = umoci(tmp_path, write(tmp_path, made["image"], "layout", tmp_path / "layout"))
    assert sorted(os.listdir(root / "etc")) == ["new"] and not (root / "gone").exists() and (root / "big").exists()
    assert made["diff_id"] == pack(tmp_path, top, below=[str(base)])["diff_id"]
    names = tarfile.open(tmp_path / "images/blobs/sha256" / pack(tmp_path, top, below=None)["digest"].split(":")[1]).getnames()
    assert names[:2] == [".wh.gone", ".wh.never"], "what is below is not known: everything that is deleted counts"


def test_layers_are_merged(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    for up in (one, two):
        (up / "d").mkdir(parents=True)
    (one / "d/a").write_text("old")
    (one / "d/b").write_text("stays")
    (one / "c").write_text("gone")
    (two / "d/a").write_text("new!")
    os.mknod(two / "c", stat.S_IFCHR, 0)
    made = pack(tmp_path, one, two, compression="none")
    archive = tarfile.open(tmp_path / "images/blobs/sha256" / made["digest"].split(":")[1])
    assert [(m.name, m.size) for m in archive] == [("d", 0), ("d/a", 4), ("d/b", 5)]


def test_owners_come_from_the_attribute(tmp_path):
    up = tmp_path / "up"
    up.mkdir()
    for name, owner in (("a", b"33:44"), ("b", b"0:99:4755"), ("c", b"root:root"), ("d", b"4294967295:0"), ("e", b"3000000:1")):
        (up / name).write_text("")
        (up / name).chmod(0o755)
        os.setxattr(up / name, OWNER, owner)
    made = pack(tmp_path, up, compression="none")
    archive = tarfile.open(tmp_path / "images/blobs/sha256" / made["digest"].split(":")[1])
    assert [(m.uid, m.gid, m.mode, m.uname, m.gname, m.pax_headers) for m in archive] == [
        (33, 44, 0o755, "", "", {}), (0, 99, 0o4755, "", "", {}), (0, 0, 0o755, "", "", {}), (0, 0, 0o755, "", "", {}),
        (3000000, 1, 0o755, "", "", {"uid": "3000000"})]


def test_shifted_owners(tmp_path):
    if os.geteuid() != 0:  # nobody else can give files away
        shift = os.geteuid() - 5
        wanted = (5, os.getegid() - shift if 0 <= os.getegid() - shift < 65536 else 65534)
    else:
        shift, wanted = 100000, (7, 65534)
    up = tmp_path / "up"
    up.mkdir()
    (up / "f").write_text("")
    if os.geteuid() == 0:
        os.chown(up / "f", 100007, 3)
    made = ok(do="pack", layers=[str(up)], below=[], blobs=str(tmp_path / "images/blobs"), compression="none", id_shift=shift, one_id=False)
    member = tarfile.open(tmp_path / "images/blobs/sha256" / made["digest"].split(":")[1]).next()
    assert (member.uid, member.gid) == wanted


def test_a_box_that_wants_to_hurt(tmp_path):
    up = tmp_path / "up"
    (up / "d").mkdir(parents=True)
    os.mkfifo(up / "d/pipe")  # opened, it would wait for a writer
    (up / "link").symlink_to("/etc")
    (up / "shut").mkdir()
    (up / "shut/f").write_text("inside")
    (up / "shut").chmod(0)
    made = pack(tmp_path, up, compression="none")
    names = tarfile.open(tmp_path / "images/blobs/sha256" / made["digest"].split(":")[1]).getnames()
    (up / "shut").chmod(0o755)
    assert names == ["d", "d/pipe", "link", "shut", "shut/f"]
    request = {"do": "pack", "layers": [str(up)], "below": [], "blobs": str(tmp_path / "images/blobs"), "compression": "none", "one_id": True}
    with (up / "huge").open("wb") as f:
        f.truncate(1 << 40)
    assert "more than" in refused(**request) and "more than" in refused(**request, max_bytes=100000)
    (up / "huge").unlink()
    (up / ".wh.etc").write_text("")
    assert "'.wh.etc'" in refused(**request)
    (up / ".wh.etc").unlink()
    for bad in ({"layers": ["relative"]}, {"layers": "x"}, {"compression": "xz"}, {"id_shift": -1}, {"max_bytes": "1"}, {"mtime": -1}, {"image": []}, {"image": {"env": "x"}}):
        assert "invalid" in refused(**{**request, **bad}), bad
    assert os.listdir(tmp_path / "images/tmp") == []


def test_nothing_is_overwritten(tmp_path):
    image = pack(tmp_path, make(tmp_path / "up"))["image"]
    (tmp_path / "there").write_text("mine")
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir/mine").write_text("mine")
    for form, path in (("oci-archive", "there"), ("docker-archive", "there"), ("pseudo-archive", "there"), ("layout", "dir"), ("pseudo", "dir")):
        text = refused(do="write", to=form, path=str(tmp_path / path), blobs=str(tmp_path / "images/blobs"), manifest=image["manifest"], name="x")
        assert "exists" in text
    assert (tmp_path / "there").read_text() == "mine" and os.listdir(tmp_path / "dir") == ["mine"]


def test_a_changed_blob_is_not_written(tmp_path):
    image = pack(tmp_path, make(tmp_path / "up"))["image"]
    blob = tmp_path / "images/blobs/sha256" / image["layers"][0]["digest"].split(":")[1]
    data = bytearray(blob.read_bytes())
    data[len(data) // 2] ^= 1
    blob.chmod(0o600)
    blob.write_bytes(data)
    for form in ("oci-archive", "docker-archive", "layout", "pseudo", "pseudo-archive"):
        assert ask(do="write", to=form, path=str(tmp_path / form), blobs=str(tmp_path / "images/blobs"), manifest=image["manifest"], name="x").get("error"), form
    assert not (tmp_path / "oci-archive").exists() and not (tmp_path / "layout/index.json").exists() and not (tmp_path / "pseudo/image.yaml").exists()


# Pseudo-images.

def whole(top):
    return {str(p.relative_to(top)): p.read_bytes() for p in sorted(top.rglob("*")) if p.is_file()}


def pseudo(tmp_path, text=None, policy='{ "net" : "none" }\n', **more):
    """One that somebody wrote by hand: with comments, in an order of its own."""
    image = pack(tmp_path, make(tmp_path / "up"), compression="zstd")["image"]
    top = tmp_path / "pseudo"
    (top / "layers").mkdir(parents=True)
    layer = image["layers"][0]
    shutil.copyfile(tmp_path / "images/blobs/sha256" / layer["digest"].split(":")[1], top / "layers/001-all.tar.zst")
    (top / "image.yaml").write_text(text or "# ours\nversion: '2'\nname: tools/here\nbase: none\nenv: [\"A=ü\"]\nlayers:\n- {file: layers/001-all.tar.zst, digest: '%s'}\nuser: 5:6\nworkdir: /etc\n" % layer["digest"])
    if policy:
        (top / "policy.json").write_text(policy)
    return top


def fetch(tmp_path, path, **more):
    return ok(do="fetch", **{"from": "pseudo"}, source=str(path), blobs=str(tmp_path / "fetched/blobs"), **more)


@pytest.mark.parametrize("policy", [None, '{ "net" : "none" ,"caps":["CHOWN"]}\n'])
def test_pseudo_to_oci_and_back(tmp_path, policy):
    top = pseudo(tmp_path, policy=policy)
    image = fetch(tmp_path, top)
    place = {"do": "write", "blobs": str(tmp_path / "fetched/blobs"), "manifest": image["manifest"], "name": "other:3"}
    ok(**place, to="pseudo", path=str(tmp_path / "back"))
    assert whole(tmp_path / "back") == whole(top)
    ok(**place, to="pseudo-archive", path=str(tmp_path / "back.tar"))
    assert fetch(tmp_path, tmp_path / "back.tar") == image
    ok(**place, to="layout", path=str(tmp_path / "layout"))
    config = json.loads((tmp_path / "fetched/blobs/sha256" / image["config"].split(":")[1]).read_text())["config"]
    assert config["User"] == "5:6" and config["Env"] == ["A=ü"]
    shutil.rmtree(tmp_path / "fetched/blobs")
    moved = ok(do="fetch", **{"from": "layout"}, source=str(tmp_path / "layout"), blobs=str(tmp_path / "fetched/blobs"))
    assert moved["manifest"] == image["manifest"]
    ok(**place, to="pseudo", path=str(tmp_path / "back again"))
    assert whole(tmp_path / "back again") == whole(top)


def test_any_image_becomes_a_pseudo_image(tmp_path):
    image = pack(tmp_path, make(tmp_path / "up"), image={"parent": None, "cmd": ["a", "b: c"], "env": ["Q=\"'\\#\n"], "user": "yes", "labels": {"x": "y"}})["image"]
    top = write(tmp_path, image, "pseudo", tmp_path / "pseudo", name="localhost:5000/some/tool:1.2")
    assert "name: \"some/tool\"\nversion: \"1.2\"\nbase: \"none\"\n" in (top / "image.yaml").read_text()
    there = fetch(tmp_path, top)
    assert there["layers"] == image["layers"]
    config = json.loads((tmp_path / "fetched/blobs/sha256" / there["config"].split(":")[1]).read_text())["config"]
    assert (config["Cmd"], config["Env"], config["User"]) == (["a", "b: c"], ["Q=\"'\\#\n"], "yes")
    write(tmp_path, image, "pseudo", tmp_path / "again", name="localhost:5000/some/tool:1.2")
    assert whole(tmp_path / "again") == whole(top)


def test_a_base_must_be_there(tmp_path):
    top = pseudo(tmp_path)
    base = fetch(tmp_path, top)
    text = (top / "image.yaml").read_text()
    missing = "localhost/base@sha256:" + "0" * 64
    (top / "image.yaml").write_text(text.replace("base: none", "base: " + missing))
    request = {"do": "fetch", "from": "pseudo", "source": str(top), "blobs": str(tmp_path / "fetched/blobs")}
    assert "aisbx image pull " + missing in refused(**request)
    (tmp_path / "up/more").write_text("more")
    upper = pack(tmp_path, tmp_path / "up", compression="zstd")["image"]["layers"][0]
    shutil.copyfile(tmp_path / "images/blobs/sha256" / upper["digest"].split(":")[1], top / "layers/001-all.tar.zst")
    (top / "image.yaml").write_text(text.replace("base: none", "base: localhost/base@" + base["manifest"]).replace(base["layers"][0]["digest"], upper["digest"]))
    made = ok(**request)
    assert [layer["digest"] for layer in made["layers"]] == [base["layers"][0]["digest"], upper["digest"]]
    ok(do="write", to="pseudo", path=str(tmp_path / "back"), blobs=str(tmp_path / "fetched/blobs"), manifest=made["manifest"])
    assert whole(tmp_path / "back") == whole(top), "the layers of the base do not belong to it"


@pytest.mark.parametrize("change, words", [
    (("base: none", "base: debian"), "digest"), (("base: none", "base: none\nbase: host"), "twice"), (("base: none", "base: none\nbad: 1"), "'bad'"),
    (("layers/001", "../001"), "layers/NAME"), (("layers/001", "layers/../001"), "layers/NAME"), (("name: tools/here", "name: &a x"), "anchors"),
    (("name: tools/here", "name: !!str x"), "tags"), (("user: 5:6", "user: [1]"), "texts"), (("name: tools/here", "name: -x"), "'name'"),
    (("workdir: /etc", "--- {}"), "second"), (("workdir: /etc", "workdir: " + "[" * 50), "nested"), (("workdir: /etc", "cmd: *a"), "alias"),
    (("001-all.tar.zst, digest", "001-all.tar.zst, x: y, digest"), "nothing else"), (("001-all", "002-all"), "002-all"),
])
def test_what_is_no_image_yaml(tmp_path, change, words):
    top = pseudo(tmp_path)
    text = (top / "image.yaml").read_text()
    assert change[0] in text
    (top / "image.yaml").write_text(text.replace(*change))
    assert words in refused(do="fetch", **{"from": "pseudo"}, source=str(top), blobs=str(tmp_path / "fetched/blobs"))


def test_a_pseudo_image_that_lies(tmp_path):
    top = pseudo(tmp_path)
    layer = top / "layers/001-all.tar.zst"
    whole_layer = layer.read_bytes()
    request = {"do": "fetch", "from": "pseudo", "source": str(top), "blobs": str(tmp_path / "fetched/blobs")}
    layer.write_bytes(whole_layer + b"x")
    assert "001-all" in refused(**request)
    other = io.BytesIO()
    tarfile.open(fileobj=other, mode="w").close()
    layer.write_bytes(other.getvalue())
    assert "digest" in refused(**request)
    layer.unlink()
    layer.symlink_to("/etc/passwd")
    assert "001-all" in refused(**request)
    layer.unlink()
    layer.write_bytes(whole_layer)
    for policy in ('{"net": "everything"}', '{"caps": "all"}', '{"more": 1}', "[]", "{"):
        (top / "policy.json").write_text(policy)
        assert "policy.json" in refused(**request), policy
