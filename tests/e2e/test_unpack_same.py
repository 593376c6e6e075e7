# SPDX-License-Identifier: Apache-2.0
"""Layers that aisbx-image unpacked, one on the other, are the tree that `umoci` makes of the same image: file by file."""
import json
import os
import pathlib
import stat
import subprocess
import tempfile
import time

import layers
import nasty_images
import pytest


def by_umoci(place, archives):
    image = layers.layout(place / "image", archives)
    rootless = [] if layers.IS_ROOT else ["--rootless"]
    done = subprocess.run(["umoci", "raw", "unpack", *rootless, "--image", f"{image}:it", place / "umoci"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-800:]
    return place / "umoci"


def by_tar(place, archives):
    (place / "tar").mkdir()
    (place / "tar.tar").write_bytes(*archives)
    subprocess.run(["tar", "-x", "-p", "--xattrs", "-f", place / "tar.tar", "-C", place / "tar"], check=True, timeout=60)
    return place / "tar"


@pytest.mark.parametrize("name", nasty_images.IMAGES)
def test_same_tree(name, tmp_path):
    began = time.time_ns() - 10_000_000_000
    entries = nasty_images.IMAGES[name]
    archives = [layers.archive(one) for one in entries]
    below, answer = layers.unpack(tmp_path, archives)
    assert "ok" in answer, answer
    implied = nasty_images.IMPLIED.get(name, set())
    reference = (by_tar if name in nasty_images.BY_TAR else by_umoci)(tmp_path, archives)
    modes = layers.opened(reference, *below)
    ours = layers.describe(layers.merged(list(map(str, below))), modes, implied)
    theirs = layers.describe(layers.tree(reference), modes, implied)
    assert ours.keys() == theirs.keys()
    for path, what in theirs.items():
        if stat.S_ISDIR(what["type"]) and (what["mtime"] or 0) > began:  # umoci does not put back the time of one from which it removed something
            what["mtime"] = ours[path]["mtime"]
    if not any(entry.startswith((b"./\0", b"/\0")) for one in entries for entry in one):
        ours["."], theirs["."] = None, None  # nothing describes it
    assert ours == theirs


def test_holes_stay(tmp_path):
    """Those of the archive, and long runs of zeros; what else is in a file takes its room."""
    entries = [layers.sparse("holes", 1 << 30, [(1 << 29, b"x" * 4096)]), layers.file("zeros", bytes(1 << 20)), layers.file("full", os.urandom(1 << 20))]
    (only,), answer = layers.unpack(tmp_path, [layers.archive(entries)])
    assert "ok" in answer, answer
    taken = {name: (only / name).stat().st_blocks * 512 for name in ("holes", "zeros", "full")}
    assert taken["holes"] < 65536 and taken["zeros"] < 65536 and taken["full"] >= 1 << 20
    assert (only / "holes").stat().st_size == 1 << 30 and (only / "zeros").read_bytes() == bytes(1 << 20)


def test_large(tmp_path):
    """Files of several buffers; tests/e2e/test_image_large.py has one of 2 GB."""
    size = 1 << 23
    (only,), answer = layers.unpack(tmp_path, [layers.archive([layers.file(f"f{n}", bytes([n]) * size) for n in range(8)])], how="zstd")
    assert "ok" in answer and answer["ok"]["bytes"] == 8 * size
    assert all((only / f"f{n}").stat().st_size == size for n in range(8))


def in_overlay(place, below, names):
    """What the kernel says of these paths: {path: (type, mode, inode on its layer)}. As an ordinary user in a user namespace."""
    top = place / "merged"
    top.mkdir()
    look = "import os, json, sys; print(json.dumps({n: os.path.lexists(os.path.join(sys.argv[1], n)) and [os.lstat(os.path.join(sys.argv[1], n)).st_mode, " \
           "os.lstat(os.path.join(sys.argv[1], n)).st_size] for n in json.loads(sys.stdin.read())} | {'*': sorted(os.path.relpath(os.path.join(w, n), sys.argv[1]) " \
           "for w, d, f in os.walk(sys.argv[1]) for n in d + f)}))"
    (place / "empty").mkdir()
    lower = ":".join([*(one.name for one in reversed(below)), "empty"])
    script = f'cd "$1" && mount -t overlay -o userxattr,lowerdir={lower} overlay merged && exec python3 -c "$2" merged'
    done = subprocess.run(["unshare", "-Urm", "sh", "-c", script, "sh", place, look], input=json.dumps(names), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["opaque", "opaque-top", "whiteouts-of-several", "through-link-below", "hard-links-across", "deleted-and-made-again", "forty-layers"])
def test_the_kernel_shows_the_same(name, tmp_path):
    """overlayfs itself merges the layers as these tests do."""
    below, answer = layers.unpack(tmp_path, [layers.archive(one) for one in nasty_images.IMAGES[name]])
    assert "ok" in answer, answer
    shown = layers.merged(list(map(str, below)))
    shown.pop(".")
    seen = in_overlay(tmp_path, below, sorted(shown))
    assert seen.pop("*") == sorted(shown)
    for path, (mode, size) in seen.items():
        st = os.lstat(shown[path])
        assert mode == st.st_mode and (size == st.st_size or stat.S_ISDIR(mode))


def without_namespaces(place):
    """Words before a command: as somebody who cannot make a user namespace, and so has no way around the permissions of one's own files."""
    someone = []
    if layers.IS_ROOT:
        for path in [place, *place.rglob("*")]:
            os.chown(path, 65534, 65534, follow_symlinks=False)
        someone = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    inner = 'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all --bounding-set=-all "$@"'
    return [*someone, "unshare", "-U", "-c", "--keep-caps", "sh", "-c", inner, "sh"]


@pytest.mark.parametrize("name", ["modes", "xattrs", "attributes-of-directories-stay", "types-change-in-layer"])
def test_without_user_namespaces(name, tmp_path_factory):
    with tempfile.TemporaryDirectory(prefix="aisbx-test-") as made:
        place = pathlib.Path(made)
        place.chmod(0o755)
        below, seen = [], []
        for number, entries in enumerate(nasty_images.IMAGES[name]):
            blob, into = place / f"blob{number}", place / f"layer{number}"
            blob.write_bytes(layers.archive(entries))
            into.mkdir()
            what = layers.request(blob, into, below, one_id=True)
            words = without_namespaces(place)
            assert subprocess.run([*words, "unshare", "-U", "true"], stderr=subprocess.DEVNULL, timeout=60).returncode != 0
            done = subprocess.run([*words, layers.helper()], input=json.dumps(what).encode(), capture_output=True, timeout=60)
            assert done.returncode == 0, done.stdout + done.stderr
            below.append(into)
        other = tmp_path_factory.mktemp("other")
        reference, answer = layers.unpack(other, [layers.archive(one) for one in nasty_images.IMAGES[name]], one_id=True)
        assert "ok" in answer
        for dirs in (below, reference):
            modes = layers.opened(*dirs)
            what = layers.describe(layers.merged(list(map(str, dirs))), modes)
            for path in what.values():
                path.pop("owner", None)
            what.pop(".")
            seen.append(what)
        assert seen[0] == seen[1]
