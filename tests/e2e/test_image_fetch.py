# SPDX-License-Identifier: Apache-2.0
"""aisbx-image fetches from files: all blobs of an image are there and are what their names say, or it is refused and nothing is there under a wrong name."""
import base64
import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import random
import shutil
import subprocess
import tarfile

import box
import oci_tools
import images
import pytest

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
REF = "org.opencontainers.image.ref.name"
PLATFORM = {"os": "linux", "architecture": "amd64"}


class Helper:
    def __init__(self, place):
        self.blobs, self.tmp = place / "images" / "blobs", place / "images" / "tmp"
        (place / "images").mkdir()

    def ask(self, before=(), **request):
        words = [*before, box.need(os.path.join(os.path.dirname(box.aisbx()), "aisbx-image"))]
        done = subprocess.run(words, input=json.dumps(request), capture_output=True, text=True, timeout=60)
        return json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}

    def fetch(self, kind, source, **more):
        return self.ask(**{"do": "fetch", "from": kind, "source": str(source), "blobs": str(self.blobs), "platform": "linux/amd64", **more})

    def ok(self, kind, source, **more):
        answer = self.fetch(kind, source, **more)
        assert "ok" in answer, answer
        self.nothing_lies()
        wanted = {answer["ok"]["manifest"], answer["ok"]["config"], *(layer["digest"] for layer in answer["ok"]["layers"])}
        assert wanted <= self.there()
        return answer["ok"]

    def refused(self, kind, source, word, **more):
        answer = self.fetch(kind, source, **more)
        assert word in answer["error"]["text"], answer
        self.nothing_lies()
        return answer["error"]

    def there(self):
        return {"sha256:" + name for name in os.listdir(self.blobs / "sha256")}

    def nothing_lies(self):
        assert not os.listdir(self.tmp)
        for name in os.listdir(self.blobs / "sha256"):
            assert hashlib.sha256((self.blobs / "sha256" / name).read_bytes()).hexdigest() == name


@pytest.fixture(name="helper")
def fixture_helper(tmp_path):
    return Helper(tmp_path)


@pytest.fixture(name="layout")
def fixture_layout(tmp_path):
    return images.Layout(tmp_path / "layout", images.tar(images.rootfs()), images.tar({"etc/name": "second\n"}))


def index(layout, *entries, **more):
    (layout.path / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": list(entries), **more}))


def remade(layout, config=None, **changes):
    """The layout with another manifest, as a liar would write it: everything has its right digest."""
    if config is not None:
        layout.config = layout.described(CONFIG, config)
    layout.manifest = layout.described(MANIFEST, {"schemaVersion": 2, "config": layout.config, "layers": layout.layers, **changes})
    index(layout, layout.manifest)
    return layout


def packed(path, members):
    """An archive of (name, bytes), in this order."""
    with tarfile.open(path, "w") as out:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            if isinstance(data, str):
                entry.type, entry.linkname, data = tarfile.SYMTYPE, data, b""
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))
    return path


def members(layout):
    return [(str(p.relative_to(layout.path)), p.read_bytes()) for p in sorted(layout.path.rglob("*")) if p.is_file()]


# What is taken


def test_layout(helper, layout):
    got = helper.ok("layout", layout.path)
    assert got["manifest"] == layout.manifest["digest"] and got["config"] == layout.config["digest"]
    assert [(i["digest"], i["size"], i["media_type"]) for i in got["layers"]] == [(i["digest"], i["size"], images.GZIP) for i in layout.layers]
    assert got["size"] == sum(d["size"] for d in (layout.manifest, layout.config, *layout.layers)) and len(helper.there()) == 4
    assert helper.ok("layout", layout.path) == got  # and again, when all is there
    assert helper.ask(do="verify", blobs=str(helper.blobs), manifest=got["manifest"])["ok"] == {"blobs": 4, "bytes": got["size"], "files": 0, "skipped": 0}


def test_verify_names_what_is_damaged(helper, layout):
    got = helper.ok("layout", layout.path)
    for which in (got["manifest"], got["config"], got["layers"][1]["digest"]):
        path = helper.blobs / which.replace(":", "/")
        good = path.read_bytes()
        path.unlink()
        assert which in helper.ask(do="verify", blobs=str(helper.blobs), manifest=got["manifest"])["error"]["text"]
        path.write_bytes(bytes([good[0] ^ 1]) + good[1:])
        assert which in helper.ask(do="verify", blobs=str(helper.blobs), manifest=got["manifest"])["error"]["text"]
        helper.ok("layout", layout.path)  # repairs it


@pytest.mark.parametrize("order", range(6))
def test_archive_in_any_order(helper, layout, tmp_path, order):
    all_of_it = members(layout)
    random.Random(order).shuffle(all_of_it)
    if order % 2:
        all_of_it = [("./" + name, data) for name, data in all_of_it]
    path = packed(tmp_path / "a.tar", all_of_it)
    if order > 3:
        path.write_bytes(gzip.compress(path.read_bytes()))
    assert helper.ok("oci-archive", path)["manifest"] == layout.manifest["digest"]
    assert len(helper.there()) == 4


def test_hostile_members_are_not_looked_at(helper, layout, tmp_path):
    """What does not belong to the image is neither written nor kept, whatever it is called."""
    evil = [("../evil", b"x"), ("/etc/evil", b"x"), ("blobs/sha256/../../evil", b"x"), ("blobs/sha256/" + "e" * 64, b"not that"), ("blobs/sha256/link", "/etc/passwd"),
            ("blobs/sha512/" + "e" * 128, b"{}"), ("./" * 3000 + "x", b"x"), ("x" * 5000, b"x"), ("\udcff\udcfe", b"x")]
    path = packed(tmp_path / "a.tar", evil + members(layout) + evil)
    helper.ok("oci-archive", path)
    assert len(helper.there()) == 4 and not (tmp_path / "evil").exists() and not (tmp_path / "images" / "evil").exists()


def docker_members(layers, config, names=None, tags=("me/x:1",), config_name=None):
    text = json.dumps(config).encode()
    config_name = config_name or hashlib.sha256(text).hexdigest() + ".json"
    names = names or [f"{i}/layer.tar" for i in range(len(layers))]
    listed = [{"Config": config_name, "RepoTags": list(tags), "Layers": names}]
    return [(name, data) for name, data in dict(zip(names, layers)).items()] + [(config_name, text), ("manifest.json", json.dumps(listed).encode())]


def docker_config(*layers):
    return {"architecture": "amd64", "os": "linux", "config": {"Cmd": ["/bin/tool"]}, "rootfs": {"type": "layers", "diff_ids": [images.digest(a) for a in layers]}}


ONE, TWO = images.tar(images.rootfs()), images.tar({"etc/name": "second\n"})


def test_docker_old_and_new(helper, tmp_path):
    config = docker_config(ONE, TWO, ONE)
    made = {
        "old": docker_members([ONE, TWO, ONE], config, names=["a/layer.tar", "b/layer.tar", "a/layer.tar"]),
        "links": docker_members([ONE, TWO, "../a/layer.tar"], config, names=["a/layer.tar", "b/layer.tar", "c/layer.tar"]),
        "new": docker_members([ONE, TWO, ONE], config, names=[f"blobs/sha256/{hashlib.sha256(a).hexdigest()}" for a in (ONE, TWO, ONE)],
                              config_name="blobs/sha256/" + hashlib.sha256(json.dumps(config).encode()).hexdigest()),
    }
    results = []
    for name, parts in made.items():
        results.append(helper.ok("docker-archive", packed(tmp_path / f"{name}.tar", parts)))
        results.append(helper.ok("docker-archive", packed(tmp_path / f"{name}.tar", reversed(parts))))
    assert all(r == results[0] for r in results)  # the same image, to the byte
    assert [i["diff_id"] for i in results[0]["layers"]] == config["rootfs"]["diff_ids"] and results[0]["layers"][0]["media_type"] == images.TAR


def test_docker_of_several(helper, tmp_path):
    first, second = docker_members([ONE], docker_config(ONE), names=["a.tar"], tags=["a:1"]), docker_members([TWO], docker_config(TWO), names=["b.tar"], tags=["b:1", "b:2"])
    both = json.loads(first[-1][1]) + json.loads(second[-1][1])
    path = packed(tmp_path / "d.tar", [*first[:-1], *second[:-1], ("manifest.json", json.dumps(both).encode())])
    assert "a:1, b:1" in helper.refused("docker-archive", path, "not just one")["text"]
    assert "a:1" in helper.refused("docker-archive", f"{path}:c", "no image 'c'")["text"]
    assert helper.ok("docker-archive", f"{path}:docker.io/library/b:2")["layers"][0]["diff_id"] == images.digest(TWO)


@pytest.mark.parametrize("pack, media", [(bytes, images.TAR), (gzip.compress, images.GZIP), (bz2.compress, images.TAR + "+zstd"), (lzma.compress, images.TAR + "+zstd")])
def test_rootfs(helper, tmp_path, pack, media):
    path = tmp_path / "some name with spaces"
    path.write_bytes(pack(ONE))
    got = helper.ok("rootfs", path)
    assert got == helper.ok("rootfs", path)  # the same each time
    (layer,) = got["layers"]
    assert layer["diff_id"] == images.digest(ONE) and layer["media_type"] == media
    if pack in (bytes, gzip.compress):
        assert layer["digest"] == images.digest(path.read_bytes())  # the bytes are kept
    config = json.loads((helper.blobs / got["config"].replace(":", "/")).read_text())
    assert config["architecture"] == "amd64" and config["created"] == "1970-01-01T00:00:00Z"


def test_made_by_others(helper, tmp_path):
    """umoci and skopeo write them, and skopeo reads what is here."""
    os.makedirs(tmp_path / "root" / "bin")
    shutil.copy("/bin/true", tmp_path / "root" / "bin")
    layout = tmp_path / "lay"
    for words in (["init", "--layout", str(layout)], ["new", "--image", f"{layout}:t"], ["insert", "--rootless", "--image", f"{layout}:t", str(tmp_path / "root"), "/"]):
        subprocess.run([box.need("/usr/bin/umoci"), *words], check=True, capture_output=True)
    for kind in ("oci-archive", "docker-archive"):
        subprocess.run([*oci_tools.SKOPEO, "--insecure-policy", "copy", "-q", f"oci:{layout}:t", f"{kind}:{tmp_path}/{kind}:me/x:1"], check=True, capture_output=True)
    first = helper.ok("layout", f"{layout}:t")
    assert helper.ok("oci-archive", tmp_path / "oci-archive") == first
    other = helper.ok("docker-archive", tmp_path / "docker-archive")
    assert other["config"] == first["config"] and other["layers"][0]["diff_id"] == first["layers"][0]["diff_id"]


# Which one


def test_by_name(helper, layout, tmp_path):
    other = images.Layout(tmp_path / "other", images.tar({"a": "b"}))
    for blob in (other.path / "blobs" / "sha256").iterdir():
        shutil.copy(blob, layout.path / "blobs" / "sha256")
    index(layout, {**layout.manifest, "annotations": {REF: "one"}}, {**other.manifest, "annotations": {REF: "two:2"}})
    assert "one, two:2" in helper.refused("layout", layout.path, "not just one")["text"]
    assert "one, two:2" in helper.refused("layout", f"{layout.path}:three", "no image 'three'")["text"]
    assert helper.ok("layout", f"{layout.path}:two:2")["manifest"] == other.manifest["digest"]
    assert helper.ok("layout", f"{layout.path}:{layout.manifest['digest']}")["manifest"] == layout.manifest["digest"]


def test_by_platform(helper, layout, tmp_path):
    other = images.Layout(tmp_path / "other", images.tar({"a": "b"}))
    arm = json.loads(other.blob(other.config).read_text()) | {"architecture": "arm64"}
    remade(other, config=arm)
    for blob in (other.path / "blobs" / "sha256").iterdir():
        shutil.copy(blob, layout.path / "blobs" / "sha256")
    both = [{**layout.manifest, "platform": PLATFORM}, {**other.manifest, "platform": {"os": "linux", "architecture": "arm64", "variant": "v8"}}]
    nested = layout.described(INDEX, {"schemaVersion": 2, "manifests": both})
    for entries in (both, [nested]):
        index(layout, *entries)
        assert helper.ok("layout", layout.path)["manifest"] == layout.manifest["digest"]
        assert helper.ok("layout", layout.path, platform="linux/arm64")["manifest"] == other.manifest["digest"]
        assert "linux/amd64, linux/arm64/v8" in helper.refused("layout", layout.path, "not there for linux/riscv64", platform="linux/riscv64")["text"]
    helper.refused("layout", other.path, "for linux/arm64, not for linux/amd64")


# What is refused: attacks 58, 62, 64, 65 and their relatives


def damaged(which, how):
    def act(layout):
        path = layout.blob({"manifest": layout.manifest, "config": layout.config, "layer": layout.layers[1]}[which])
        data = path.read_bytes()
        path.unlink()
        if how == "changed":
            path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        elif how == "short":
            path.write_bytes(data[:-1])
        elif how == "long":
            path.write_bytes(data + b" ")
        elif how == "fifo":
            os.mkfifo(path)
        elif how == "outside":
            outside = layout.path.parent / "outside"
            outside.write_bytes(data)
            path.symlink_to(outside)
    return act


def nested_index(levels):
    def act(layout):
        entry = {**layout.manifest, "platform": PLATFORM}
        for _ in range(levels):
            entry = {**layout.described(INDEX, {"schemaVersion": 2, "manifests": [entry]}), "platform": PLATFORM}
        index(layout, entry)
    return act


def other_config(**changes):
    def act(layout):
        remade(layout, config=json.loads(layout.blob(layout.config).read_text()) | changes)
    return act


def config_of(*diff_ids, **more):
    return other_config(rootfs={"type": "layers", "diff_ids": list(diff_ids)}, **more)


def large_twice(layout):
    blob = os.urandom(70000)
    entry = {"mediaType": images.TAR, "digest": layout.add(blob), "size": len(blob)}
    layout.layers = [entry, entry]
    remade(layout)


NASTY = {
    **{f"{which} {how}": (damaged(which, how), word) for which in ("manifest", "config", "layer")
       for how, word in (("changed", "content"), ("short", ""), ("long", ""), ("gone", "has no 'blobs"), ("fifo", "regular"), ("outside", "leads out of it"))},
    "one index in another": (nested_index(2), "names an index again"),
    "ten indexes": (nested_index(10), "names an index again"),
    "a layer twice": (large_twice, "named twice"),
    "401 layers": (lambda x: remade(x, layers=[{"mediaType": images.TAR, "digest": "sha256:%064x" % i, "size": 1} for i in range(401)]), "at most 400"),
    "too few diff_ids": (config_of("sha256:" + "1" * 64), "2 layers and a config of 1"),
    "history": (config_of(images.digest(ONE), images.digest(TWO), history=[{}]), "history makes 1"),
    "not linux": (other_config(os="windows"), "for windows"),
    "schema 1": (lambda x: index(x, x.described("", {"schemaVersion": 1, "fsLayers": []})), "schema 1"),
    "manifest and index": (lambda x: remade(x, manifests=[]), "index as well"),
    "another type": (lambda x: index(x, {**x.manifest, "mediaType": "application/vnd.docker.distribution.manifest.v2+json"}), "something else"),
    "no image": (lambda x: index(x), "not just one image"),
    "a huge size": (lambda x: remade(x, layers=[{**x.layers[0], "size": 1 << 62}, {**x.layers[1], "size": 1 << 62}]), "too large"),
    "a wrong size": (lambda x: remade(x, layers=[x.layers[0], {**x.layers[1], "size": 5}]), "more than the 5 bytes"),
    "a layer of another kind": (lambda x: remade(x, layers=[{**x.layers[0], "mediaType": "application/vnd.oci.image.layer.nondistributable.v1.tar"}]), "cannot unpack"),
    "a digest that is a path": (lambda x: remade(x, layers=[{**x.layers[0], "digest": "sha256:../../../../etc/passwd"}]), "no valid sha256"),
    "no layout": (lambda x: (x.path / "oci-layout").unlink(), "OCI layout"),
    "another version": (lambda x: (x.path / "oci-layout").write_text('{"imageLayoutVersion":"2.0"}'), "version '2.0'"),
    "no JSON": (lambda x: (x.path / "index.json").write_text('{"'), "valid JSON"),
    "deep": (lambda x: (x.path / "index.json").write_text('{"a":' + "[" * 100000), "too deeply"),
    "a key twice": (lambda x: (x.path / "index.json").write_text('{"schemaVersion":2,"manifests":[],"manifests":[]}'), "valid JSON"),
    "a huge document": (lambda x: (x.path / "index.json").write_text(" " * (5 << 20)), ""),
}


@pytest.mark.parametrize("form", ["layout", "oci-archive"])
@pytest.mark.parametrize("case", NASTY)
def test_nasty(helper, layout, tmp_path, case, form):
    helper.ok("layout", layout.path)  # the control: without the damage it is taken
    shutil.rmtree(helper.blobs)
    act, word = NASTY[case]
    act(layout)
    if form == "layout":
        helper.refused("layout", layout.path, word)
        return
    if "fifo" in case or "outside" in case:  # of directories; in an archive they are members that are no files
        packed(tmp_path / "a.tar", [m for m in members(layout) if not os.path.islink(layout.path / m[0])])
        word = ""
    else:
        packed(tmp_path / "a.tar", members(layout))
        word = {"layer gone": "is missing", "config gone": "is missing"}.get(case, word)
    helper.refused("oci-archive", tmp_path / "a.tar", word)


def test_truncated_archives(helper, layout, tmp_path):
    """attack 65: at whatever place it ends, nothing of it is taken for whole."""
    whole = packed(tmp_path / "a.tar", members(layout)).read_bytes()
    end = len(whole.rstrip(b"\0"))
    for at in sorted({*range(512, end, 1536), end - 1}):
        (tmp_path / "cut.tar").write_bytes(whole[:at])
        helper.refused("oci-archive", tmp_path / "cut.tar", "")
    packed_whole = gzip.compress(ONE)
    for at in (1, 11, 100, len(packed_whole) - 9, len(packed_whole) - 1):
        (tmp_path / "cut.tar.gz").write_bytes(packed_whole[:at])
        helper.refused("rootfs", tmp_path / "cut.tar.gz", "")


def test_two_of_a_name(helper, layout, tmp_path):
    """Which of the two another reader takes, nobody knows."""
    for name in ("index.json", "oci-layout", f"blobs/sha256/{layout.layers[0]['digest'][7:]}"):
        data = (layout.path / name).read_bytes()
        helper.refused("oci-archive", packed(tmp_path / "a.tar", [*members(layout), (name, data)]), "twice")


def test_docker_that_lies(helper, tmp_path):
    config = docker_config(ONE, TWO)
    good = docker_members([ONE, TWO], config)
    cases = {
        "is sha256:": docker_members([ONE, ONE + bytes(512)], config),
        "lacks one": [m for m in good if m[0] != "1/layer.tar"],
        "of 3 layers and a config of 2": docker_members([ONE, TWO, TWO], config),
        "no tar archive": docker_members([ONE, b"hello" * 1000], config),
        "has no 'manifest.json'": good[:-1],
        "has no '../../etc/passwd'": docker_members([ONE, TWO], config, config_name="../../etc/passwd")[:2] + docker_members([ONE, TWO], config, config_name="../../etc/passwd")[3:],
        "other content than its digest": docker_members([ONE, TWO], config, config_name="blobs/sha256/" + "a" * 64),
    }
    for word, parts in cases.items():
        helper.refused("docker-archive", packed(tmp_path / "d.tar", parts), word)
    helper.ok("docker-archive", packed(tmp_path / "d.tar", good))


def test_bytes_that_are_allowed(helper, layout, tmp_path):
    size = sum(d["size"] for d in (layout.manifest, layout.config, *layout.layers))
    helper.refused("layout", layout.path, "allowed", max_bytes=size - 1)
    helper.ok("layout", layout.path, max_bytes=size)
    (tmp_path / "bomb.tar.gz").write_bytes(gzip.compress(images.tar({"a": "\0" * (8 << 20)})))  # attack 60: 8 MiB in 8 KiB
    helper.refused("rootfs", tmp_path / "bomb.tar.gz", "allowed", max_bytes=1 << 20)
    helper.ok("rootfs", tmp_path / "bomb.tar.gz", max_bytes=16 << 20)
    (tmp_path / "bomb.tar.xz").write_bytes(lzma.compress(images.tar({"a": "\0" * (8 << 20)})))
    helper.refused("rootfs", tmp_path / "bomb.tar.xz", "allowed", max_bytes=1 << 20)


def test_what_is_no_file(helper, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for kind in ("oci-archive", "docker-archive", "rootfs"):
        helper.refused(kind, tmp_path / "fifo", "no regular file")
        helper.refused(kind, tmp_path / "nothing", "No such file")
        helper.refused(kind, tmp_path, "no regular file")
        helper.refused(kind, "/dev/zero", "no regular file")
    helper.refused("layout", "/dev/null", "Not a directory")
    helper.refused("elsewhere", "/dev/null", "no source")


# Signatures


def signed(layout, key, payload, subject, place="tag"):
    data = json.dumps(payload).encode()
    (layout.path.parent / "payload").write_bytes(data)
    signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", str(key), str(layout.path.parent / "payload")], check=True, capture_output=True).stdout
    document = {"schemaVersion": 2, "mediaType": MANIFEST, "config": layout.described(CONFIG, {}),
                "layers": [{"mediaType": "application/vnd.dev.cosign.simplesigning.v1+json", "digest": layout.add(data), "size": len(data),
                            "annotations": {"dev.cosignproject.cosign/signature": base64.b64encode(signature).decode()}}]}
    annotations = {REF: f"sha256-{subject[7:]}.sig"} if place == "tag" else {"kind": "dev.cosignproject.cosign/sigs"}
    return {**layout.described(MANIFEST, document), "annotations": annotations}


def statement(digest):
    return {"critical": {"identity": {"docker-reference": "example.com/a"}, "image": {"docker-manifest-digest": digest}, "type": "cosign container image signature"}, "optional": None}


def test_signatures(helper, layout, tmp_path):
    for name in ("ours", "theirs"):
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(tmp_path / name)], check=True, capture_output=True)
    pem = subprocess.run(["openssl", "ec", "-in", str(tmp_path / "ours"), "-pubout"], check=True, capture_output=True, text=True).stdout
    named = {**layout.manifest, "platform": PLATFORM}
    this, nested = layout.manifest["digest"], layout.described(INDEX, {"schemaVersion": 2, "manifests": [named]})
    by_us, by_them = signed(layout, tmp_path / "ours", statement(this), this), signed(layout, tmp_path / "theirs", statement(this), this)
    other = "sha256:" + "0" * 64
    cases = [
        ([named], "there is no signature"),
        ([named, by_them], "none of the keys"),
        ([named, signed(layout, tmp_path / "ours", statement(other), this)], "another image"),  # somebody else's good signature, under this name
        ([named, signed(layout, tmp_path / "ours", statement(other), other)], "there is no signature"),
        ([named, by_us], None),
        ([named, by_them, by_us], None),
        ([named, signed(layout, tmp_path / "ours", statement(this), this, place="kind")], None),
        ([nested, by_us], None),
        ([nested, signed(layout, tmp_path / "ours", statement(nested["digest"]), nested["digest"])], None),
        ([nested], "there is no signature"),
    ]
    for entries, word in cases:
        index(layout, *entries)
        if helper.blobs.exists():
            shutil.rmtree(helper.blobs)
        if word:
            assert "cosign sign" in helper.refused("layout", layout.path, word, keys=[pem])["text"] and not helper.there()
            helper.ok("layout", layout.path)  # nobody asks
        else:
            helper.ok("layout", layout.path, keys=[pem])
    index(layout, named, by_us)
    helper.refused("layout", layout.path, "key 1", keys=["nonsense"])
    helper.refused("layout", layout.path, "no list", keys="nonsense")
    (tmp_path / "r.tar").write_bytes(ONE)
    helper.refused("rootfs", tmp_path / "r.tar", "has none", keys=[pem])
    helper.refused("docker-archive", tmp_path / "r.tar", "has none", keys=[pem])


# Walls and interruptions

CALLS = ("openat", "openat2", "write", "fsync", "fchmod", "renameat", "unlinkat", "flock", "close")


def counted(helper, layout, log, *inject):
    request = {"do": "fetch", "from": "layout", "source": str(layout.path), "blobs": str(helper.blobs), "platform": "linux/amd64"}
    return helper.ask(before=("strace", "-qq", "-o", str(log), "-e", "trace=" + ",".join(CALLS), *inject), **request)


def test_killed_at_every_call(helper, layout, tmp_path):
    """Whenever it ends, what is there is whole; again, it completes."""
    log = tmp_path / "log"
    assert "ok" in counted(helper, layout, log)
    lines = [line.split("(")[0] for line in log.read_text().splitlines()]
    first = next(i for i, line in enumerate(log.read_text().splitlines()) if "images" in line)
    for call in sorted(set(lines[first:])):
        before, all_of_them = lines[:first].count(call), lines.count(call)
        for number in range(before + 1, all_of_them + 1):
            shutil.rmtree(tmp_path / "images")
            (tmp_path / "images").mkdir()
            counted(helper, layout, log, "-e", f"inject={call}:signal=KILL:when={number}")
            if (helper.blobs / "sha256").exists():
                for name in os.listdir(helper.blobs / "sha256"):
                    assert hashlib.sha256((helper.blobs / "sha256" / name).read_bytes()).hexdigest() == name
    got = helper.fetch("layout", layout.path)
    assert got["ok"]["manifest"] == layout.manifest["digest"] and len(helper.there()) == 4


@pytest.mark.parametrize("call, err", [("write", "ENOSPC"), ("fsync", "EIO"), ("renameat", "EIO"), ("openat", "EMFILE")])
def test_failures_of_the_disk(helper, layout, tmp_path, call, err):
    """Nothing half-made stays, and the answer says what failed."""
    log = tmp_path / "log"
    assert "ok" in counted(helper, layout, log)
    lines = [line for line in log.read_text().splitlines() if line.startswith(call + "(")]
    writes = [i for i, line in enumerate(lines, 1) if not line.startswith("write(1,") and (call != "openat" or "blob-" in line)]
    assert writes
    for number in writes:
        shutil.rmtree(helper.blobs)
        answer = counted(helper, layout, log, "-e", f"inject={call}:error={err}:when={number}")
        assert answer["error"]["code"] < 0, answer
        helper.nothing_lies()


def test_confined(helper, layout, tmp_path):
    """The kernel holds it back: it is told to connect to nothing and to write elsewhere nothing (Landlock, before a byte of the image is read)."""
    log = tmp_path / "log"
    request = {"do": "fetch", "from": "layout", "source": str(layout.path), "blobs": str(helper.blobs), "platform": "linux/amd64"}
    helper.ask(before=("strace", "-qq", "-o", str(log), "-e", "trace=landlock_restrict_self,openat,openat2"), **request)
    text = log.read_text()
    assert 0 < text.index("landlock_restrict_self") < text.index("index.json") and "landlock_restrict_self" in text and " = 0" in text.split("landlock_restrict_self")[1].split("\n")[0]
