# SPDX-License-Identifier: Apache-2.0
"""Images as others make them, through the whole door: crane, skopeo and umoci fill Debian's docker-registry; aisbx pulls, runs, pushes and
pulls back, and every byte is the same.

What a box then shows is what `umoci unpack` makes of the same image. Layers made to be nasty are compared in test_unpack_same.py, broken
images in test_image_fetch.py, registries that lie in test_registry_lies.py. With AISBX_LONG=1: Debian by mmdebstrap, and a layer of 2 GB.
As root and as an ordinary user.
"""
import hashlib
import io
import json
import os
import pathlib
import stat
import subprocess
import tarfile
import time

import pytest

import box
import images
import layers
import oci_tools
import promote
import registry as reg

NAMES = ["busybox", "forty", "special", "changed"] + (["debian", "large"] if promote.LONG else [])
APPLETS = ("cat", "echo", "env", "find", "id", "ls", "pwd", "readlink", "rm", "sh", "sha256sum", "stat", "touch", "true")
RANDOM = (os.urandom(1 << 20) if promote.LONG else b"") * 64


def busybox_tar():
    """A root file system that a shell runs in, as an archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        def add(name, kind, data=b"", mode=0o755, link=""):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode, entry.linkname, entry.size, entry.mtime = kind, mode, link, len(data), layers.T0
            archive.addfile(entry, io.BytesIO(data))
        for name in ("./", "bin/", "etc/", "root/", "var/", "var/tmp/"):
            add(name, tarfile.DIRTYPE)
        add("bin/busybox", tarfile.REGTYPE, pathlib.Path(box.need("/bin/busybox", "an image")).read_bytes())
        for name in APPLETS:
            add(f"bin/{name}", tarfile.SYMTYPE, link="busybox")
        add("etc/passwd", tarfile.REGTYPE, b"root:x:0:0:root:/root:/bin/sh\napp:x:1000:1000::/:/bin/sh\n", 0o644)
        add("etc/name", tarfile.REGTYPE, b"busy\n", 0o644)
    return out.getvalue()


def crane(*words):
    return subprocess.run([oci_tools.tool("crane"), *map(str, words)], capture_output=True, timeout=600, check=True).stdout


def skopeo(*words):
    return subprocess.run([*oci_tools.SKOPEO, "--insecure-policy", *map(str, words)], capture_output=True, timeout=600, check=True).stdout


def umoci(*words):
    subprocess.run(["umoci", *map(str, words)], capture_output=True, timeout=600, check=True)


def by_crane(host, place, name, *archives):
    files = []
    for number, data in enumerate(archives):
        files += ["-f", place / f"{name}{number}.tar"]
        files[-1].write_bytes(data)
    crane("append", "--oci-empty-base", *files, "-t", f"{host}/by/{name}:1")
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    crane("mutate", f"{host}/by/{name}:1", "--set-platform", f"linux/{machine}", "--entrypoint", "/bin/sh,-c", "--cmd", "cat /etc/name; pwd; echo $WORD",
          "--env", "PATH=/bin", "--env", "WORD=w", "--workdir", "/var", "-t", f"{host}/by/{name}:1")


def by_skopeo(host, place, name, *archives):
    image = layers.layout(place / name, archives)
    skopeo("copy", "-q", "--dest-tls-verify=false", f"oci:{image}:it", f"docker://{host}/by/{name}:1")


def by_umoci(host, place, name, archive):
    """Unpacked, changed and packed again, by umoci alone; skopeo only carries it."""
    image = layers.layout(place / name, [archive])
    rootless = [] if layers.IS_ROOT else ["--rootless"]
    umoci("unpack", *rootless, "--image", f"{image}:it", place / "bundle")
    root = place / "bundle/rootfs"
    (root / "etc/name").unlink()
    (root / "etc/more").write_text("by umoci\n")
    os.link(root / "etc/more", root / "etc/again")
    umoci("repack", "--image", f"{image}:it", place / "bundle")
    umoci("config", "--image", f"{image}:it", "--config.cmd", "/bin/true", "--config.env", "PATH=/bin")
    skopeo("copy", "-q", "--dest-tls-verify=false", f"oci:{image}:it", f"docker://{host}/by/{name}:1")


def special():
    """Two layers over the busybox one: what archives seldom have."""
    first = [layers.folder("d", 0o2775, uid=1000, gid=50), layers.file("d/su", b"s" * 9, mode=0o4755), layers.file("d/sg", b"s", mode=0o2711),
             layers.device("d/null", 1, 3, mode=0o666), layers.device("d/block", 7, 0, b"4"), layers.fifo("d/pipe"),
             layers.file("d/attr", b"a", xattrs={"user.one": b"1"}), layers.file("d/hole", bytes(1 << 20)), layers.file("d/one", b"1", uid=1000, gid=1000)]
    second = [layers.hardlink("d/two", "d/one"), layers.hardlink("bin/also", "bin/busybox"), layers.symlink("d/away", "/etc/../../etc/name"), layers.gone("etc/name")]
    return [layers.archive(first), layers.archive(second)]


def forty(base):
    return [base] + [layers.archive([layers.folder("n"), layers.file(f"n/{n}", b"%d" % n), layers.file("etc/name", b"layer %d\n" % n),
                                     *([layers.gone(f"n/{n - 1}")] if n % 5 == 0 else [])]) for n in range(1, 40)]


@pytest.fixture(name="host", scope="module")
def fixture_host(tmp_path_factory):
    """A registry with all of them."""
    place = tmp_path_factory.mktemp("filled")
    base = busybox_tar()
    with reg.registry(tmp_path_factory.mktemp("registry")) as host:
        by_crane(host, place, "busybox", base)
        by_crane(host, place, "forty", *forty(base))
        by_skopeo(host, place, "special", base, *special())
        by_umoci(host, place, "changed", base)
        if promote.LONG:
            debian = subprocess.run([oci_tools.PREPARE.with_name("debian"), os.environ.get("AISBX_TEST_CACHE") or place], capture_output=True, text=True,
                                    check=True, timeout=1500).stdout.strip()
            by_crane(host, place, "debian", pathlib.Path(debian).read_bytes())
            by_crane(host, place, "large", base, layers.archive([layers.file(f"f{n}", RANDOM[n:] + RANDOM[:n]) for n in range(32)]))
        yield host


@pytest.fixture(name="door")
def fixture_door(tmp_path):
    door = images.Door(tmp_path)
    yield door
    images_away(door)


def images_away(door):
    """Root's layers have ids of their own, which nobody removes from outside."""
    for kept in door.ok("ls", "--all")["boxes"]:
        door.ok("rm", kept["id"])
    for image in door.image("ls")["images"]:
        door.image("rm", image["id"])
    door.ok("gc")
    assert door.layers() == set()


def stored(door):
    """{digest: what the file has}, each of which is what its name says."""
    found = {}
    for path in (door.state / "images/blobs/sha256").iterdir():
        with path.open("rb") as data:
            found[path.name] = hashlib.file_digest(data, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else hashlib.sha256(data.read()).hexdigest()
    assert all(name == digest for name, digest in found.items())
    return set(found)


SAYS = {"busybox": "busy\n/var\nw\n", "forty": "layer 39\n/var\nw\n", "debian": None, "large": "busy\n/var\nw\n"}


def run_it(door, name):
    """Its own command, or one that shows that it is itself."""
    if name == "debian":
        words, said = ["--", ". /etc/os-release; echo $ID; dpkg -s apt | head -1; pwd"], "debian\nPackage: apt\n/var\n"
    elif name in SAYS:
        words, said = [], SAYS[name]
    else:
        words, said = ["--", "/bin/sh", "-c", "/bin/busybox ls /etc"], {"special": "hostname\nhosts\npasswd\nresolv.conf\n",
                                                                         "changed": "again\nhostname\nhosts\nmore\npasswd\nresolv.conf\n"}[name]
    options = ["--env", "PATH=/usr/bin:/bin"] if name == "debian" else []
    status, result = door.call("run", "--image", "it", *options, *words, timeout=600)
    assert status == 0, result
    return result["stdout"], said


@pytest.mark.parametrize("name", NAMES)
def test_there_and_back(door, host, tmp_path, name, tell):
    """Pulled, run, pushed, pulled back: the same bytes, for crane and skopeo as well."""
    source, target = f"{host}/by/{name}:1", f"{host}/back/{name}:2"
    manifest = crane("manifest", source)
    began = time.monotonic()
    got = door.image("pull", "--name", "it", source, timeout=600)
    took = time.monotonic() - began
    assert got["digest"] == reg.digest(manifest)
    shown = door.image("show", "it")
    assert [x["digest"] for x in shown["layers"]] == [x["digest"] for x in json.loads(manifest)["layers"]]
    said, wanted = run_it(door, name)
    assert said == wanted
    began = time.monotonic()
    sent = door.image("push", "it", target, timeout=600)
    pushed = time.monotonic() - began
    assert sent["digest"] == got["digest"] and crane("manifest", target) == manifest
    theirs = json.loads(skopeo("inspect", "--tls-verify=false", f"docker://{target}"))
    assert theirs["Digest"] == got["digest"] and theirs["Layers"] == [x["digest"] for x in shown["layers"]]
    other = images.Door(tmp_path / "other")
    assert other.image("pull", target, timeout=600)["digest"] == got["digest"]
    assert stored(other) == stored(door) == {x[7:] for x in (got["digest"], json.loads(manifest)["config"]["digest"], *theirs["Layers"])}
    assert other.image("verify", target, timeout=600)["blobs"] == len(stored(door))
    images_away(other)
    if name in ("debian", "large"):
        tell(f"{name}: {got['size'] / 1e6:.0f} MB pulled and unpacked in {took:.1f} s, pushed in {pushed:.1f} s")


LOOK = r"""
cd /
all() { /own/busybox find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys -o -path ./run -o -path ./tmp -o -path ./own \) -prune -o "$@"; }
all -print0 | /own/busybox xargs -0 /own/busybox stat -c '%n|%f|%u:%g|%s|%Y|%i|%d'
echo
all -type f -print0 | /own/busybox xargs -0 /own/busybox sha256sum
echo
all -type l -print | while IFS= read -r one; do echo "$one|$(/own/busybox readlink "$one")"; done
"""


def seen_in_box(door):
    """What its own busybox tells of the box: {path: what is there}."""
    status, result = door.call("run", "--box", "b", "--ro", f"{box.need('/bin/busybox', 'a box')}:/own/busybox", "--", "/own/busybox", "sh", "-c", LOOK,
                               timeout=600)
    assert status == 0, result
    return read_seen(result["stdout"])


def read_seen(text):
    stats, sums, links = text.split("\n\n")
    content = {line[66:]: line[:64] for line in sums.splitlines()}
    target = dict(line.split("|", 1) for line in links.splitlines())
    found = {}
    for line in stats.splitlines():
        path, mode, owner, size, mtime, inode, dev = line.split("|")
        found[path] = {"mode": int(mode, 16), "owner": owner, "size": int(size), "mtime": int(mtime), "file": (inode, dev),
                       "has": content.get(path), "link": target.get(path)}
    return found


def made_by_umoci(host, place, name):
    skopeo("copy", "-q", "--src-tls-verify=false", f"docker://{host}/by/{name}:1", f"oci:{place}/layout:it")
    umoci("raw", "unpack", *([] if layers.IS_ROOT else ["--rootless"]), "--image", f"{place}/layout:it", place / "umoci")
    top = place / "umoci"
    modes = layers.opened(top)
    found = {}
    for path, where in layers.tree(top).items():
        st = os.lstat(where)
        kind = stat.S_IFMT(st.st_mode)
        found["." if path == "." else f"./{path}"] = {
            "mode": kind | modes[where], "owner": f"{st.st_uid}:{st.st_gid}", "size": st.st_size, "mtime": int(st.st_mtime), "file": (st.st_ino, st.st_dev),
            "has": hashlib.sha256(pathlib.Path(where).read_bytes()).hexdigest() if stat.S_ISREG(kind) else None, "link": os.readlink(where) if stat.S_ISLNK(kind) else None}
    return found


def comparable(found):
    """Without what cannot be the same: sizes and times of directories that a run made or a mount covers, inode numbers, devices."""
    groups, compared = {}, {}
    for path, what in found.items():
        if not stat.S_ISDIR(what["mode"]):
            groups.setdefault(what["file"], set()).add(path)
    for path, what in found.items():
        kind = stat.S_IFMT(what["mode"])
        if path in OWN or path.startswith("./own") or path in ("./d/null", "./d/block"):
            continue
        mode = kind if stat.S_ISLNK(kind) else what["mode"] & (0o177777 if layers.IS_ROOT or not stat.S_ISREG(kind) else 0o171777)
        compared[path] = {"mode": mode, "has": what["has"], "link": what["link"], "links": {} if stat.S_ISDIR(kind) else groups[what["file"]],
                          "size": None if stat.S_ISDIR(kind) else what["size"], "mtime": None if path in TIMES else what["mtime"],
                          "owner": what["owner"] if layers.IS_ROOT else None}
    return compared


OWN = {f"./{name}" for name in ("proc", "dev", "sys", "run", "tmp", "own", "etc/hosts", "etc/hostname", "etc/resolv.conf", "etc/group")}
TIMES = {".", "./etc"}  # places are made in them


@pytest.mark.parametrize("name", [name for name in NAMES if name != "large"])
def test_a_box_shows_what_umoci_unpacks(door, host, tmp_path, name):
    """Names, kinds, modes, times, contents, links and hard links; owners as root. A file of a lower layer that a hard link of a higher one
    names may be copied once, so the links of both layers are compared as a whole."""
    got = door.image("pull", "--name", "it", f"{host}/by/{name}:1", timeout=600)
    door.ok("create", "--from", "it", "b")
    ours, theirs = seen_in_box(door), made_by_umoci(host, tmp_path, name)
    if name == "special":
        assert got["left_out"]["devices"] == 2 and "./d/null" not in ours and "./d/block" not in ours, "no box has device nodes of an image"
        assert stat.S_IMODE(ours["./d/su"]["mode"]) == (0o4755 if layers.IS_ROOT else 0o755)
    ours, theirs = comparable(ours), comparable(theirs)
    assert ours.keys() == theirs.keys()
    assert {path: what for path, what in ours.items() if what != theirs[path]} == {path: what for path, what in theirs.items() if what != ours[path]}
