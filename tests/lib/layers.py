# SPDX-License-Identifier: Apache-2.0
"""Layers of images for tests: written byte by byte, so that also what no tool writes can be tried; unpacked by aisbx-image; read back.

An archive is a list of entries, each of them bytes. A tree is read as a dictionary {path: what is there}, so that two can be compared.
"""
import gzip
import hashlib
import json
import os
import pathlib
import stat
import subprocess

IS_ROOT = os.geteuid() == 0
OPAQUE, OWNER = "user.overlay.opaque", "user.aisbx.owner"
TYPE = "application/vnd.oci.image.layer.v1.tar"
T0 = 1_600_000_000


def helper():
    return pathlib.Path(os.environ["AISBX"]).with_name("aisbx-image")


def octal(number, width):
    if 0 <= number < 8 ** (width - 1):
        return b"%0*o\0" % (width - 1, number)
    return bytes([0x80 if number >= 0 else 0xff]) + (number % 256 ** (width - 1)).to_bytes(width - 1, "big")


def header(name, kind, size=0, *, mode=0o644, uid=0, gid=0, mtime=T0, link=b"", dev=(0, 0), magic=b"ustar\x0000", tail=b"", size_field=None, sum_field=None):
    """One block, whatever is in it."""
    block = bytearray(512)

    def put(at, data):
        block[at:at + len(data)] = data
    put(0, name[:100])
    put(100, octal(mode, 8))
    put(108, octal(uid, 8))
    put(116, octal(gid, 8))
    put(124, size_field if size_field is not None else octal(size, 12))
    put(136, octal(int(mtime), 12))
    put(148, b" " * 8)
    put(156, kind)
    put(157, link[:100])
    put(257, magic)
    put(329, octal(dev[0], 8))
    put(337, octal(dev[1], 8))
    put(345, tail)
    put(148, sum_field if sum_field is not None else b"%06o\0 " % sum(block))
    return bytes(block)


def padded(data):
    return data + bytes(-len(data) % 512)


def record(key, value):
    body = b" " + key.encode() + b"=" + value + b"\n"
    length = len(body) + 1
    while len(str(length)) + len(body) != length:
        length = len(str(length)) + len(body)
    return str(length).encode() + body


def pax(records, kind=b"x"):
    text = b"".join(record(key, value if isinstance(value, bytes) else str(value).encode()) for key, value in records)
    return header(b"PaxHeaders/x", kind, len(text)) + padded(text)


def entry(name, kind, data=b"", *, xattrs=None, records=(), link="", mtime=T0, **more):
    """An ordinary entry; what does not fit into its header goes before it."""
    name, link = os.fsencode(name), os.fsencode(link)
    extra = list(records)
    if len(name) > 100:
        extra.append(("path", name))
    if len(link) > 100:
        extra.append(("linkpath", link))
    if isinstance(mtime, str) or mtime != int(mtime):
        extra.append(("mtime", mtime))
    extra += [("SCHILY.xattr." + key, value) for key, value in (xattrs or {}).items()]
    more.setdefault("size", len(data))
    return (pax(extra) if extra else b"") + header(name, kind, link=link, mtime=max(int(float(mtime)), 0), **more) + padded(data)


def file(name, data=b"", **more):
    return entry(name, b"0", data, **more)


def folder(name, mode=0o755, **more):
    return entry(name if name.endswith("/") else name + "/", b"5", mode=mode, **more)


def symlink(name, target, **more):
    return entry(name, b"2", link=target, mode=0o777, **more)


def hardlink(name, target, **more):
    return entry(name, b"1", link=target, **more)


def fifo(name, **more):
    return entry(name, b"6", **more)


def device(name, major, minor, kind=b"3", **more):
    return entry(name, kind, dev=(major, minor), **more)


def gone(name):
    where, _, last = name.rpartition("/")
    return file(f"{where}/.wh.{last}" if where else f".wh.{last}")


def opaque(name):
    return file(f"{name}/.wh..wh..opq")


def sparse(name, size, pieces, form="1.0", **more):
    """PIECES: [(offset, bytes)]. The last one, empty, tells GNU tar where the file ends."""
    pieces = [*pieces, (size, b"")]
    data = b"".join(piece for _, piece in pieces)
    flat = [number for at, piece in pieces for number in (at, len(piece))]
    if form == "1.0":
        lines = b"".join(b"%d\n" % n for n in [len(pieces), *flat])
        words = [("GNU.sparse.major", 1), ("GNU.sparse.minor", 0), ("GNU.sparse.name", name), ("GNU.sparse.realsize", size)]
        return entry("GNUSparseFile.0/x", b"0", padded(lines) + data, records=words, **more)
    if form == "0.1":
        words = [("GNU.sparse.size", size), ("GNU.sparse.numblocks", len(pieces)), ("GNU.sparse.name", name), ("GNU.sparse.map", ",".join(map(str, flat)))]
        return entry("GNUSparseFile.0/x", b"0", data, records=words, **more)
    assert form == "old" and len(pieces) <= 4
    tail = bytes(41) + b"".join(octal(n, 12) for n in flat)
    tail = tail.ljust(482 - 345, b"\0") + b"\0" + octal(size, 12)
    return header(os.fsencode(name), b"S", len(data), magic=b"ustar  \0", tail=tail, **more) + padded(data)


def archive(entries, end=bytes(1024)):
    return b"".join(entries) + end


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def compressed(data, how):
    if how == "gzip":
        return gzip.compress(data, 6, mtime=0)
    if how == "zstd":
        return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


def request(blob, into, below=(), *, content=None, **more):
    """CONTENT: the archive, if BLOB is not it."""
    data = pathlib.Path(blob).read_bytes()
    return {"do": "unpack", "blob": str(blob), "digest": digest(data), "diff_id": digest(data if content is None else content), "media_type": TYPE,
            "into": str(into), "below": [str(one) for one in below], "id_shift": 0, "one_id": not IS_ROOT} | more


def ask(what, timeout=60):
    """The last line of the helper's answer."""
    done = subprocess.run([helper()], input=json.dumps(what).encode(), stdout=subprocess.PIPE, timeout=timeout)
    answer = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode == 0) == ("ok" in answer)
    return answer


def unpack(place, layers, how="none", **more):
    """Unpacks archives one on the other. Gives their directories and the last answer."""
    below = []
    answer = None
    for number, data in enumerate(layers):
        blob, into = place / f"blob{number}", place / f"layer{number}"
        blob.write_bytes(compressed(data, how))
        into.mkdir()
        answer = ask(request(blob, into, below, content=data, **more))
        below.append(into)
        if "ok" not in answer:
            break
    return below, answer


def layout(place, layers, how="gzip", name="it"):
    """An OCI layout that has one image. LAYERS: archives."""
    blobs = place / "blobs/sha256"
    blobs.mkdir(parents=True)

    def add(data, kind):
        (blobs / digest(data)[7:]).write_bytes(data)
        return {"mediaType": kind, "digest": digest(data), "size": len(data)}
    kind = TYPE + {"gzip": "+gzip", "zstd": "+zstd", "none": ""}[how]
    descriptors = [add(compressed(data, how), kind) for data in layers]
    config = {"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": [digest(data) for data in layers]},
              "history": [{"created_by": "a test"} for _ in layers]}
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                "config": add(json.dumps(config).encode(), "application/vnd.oci.image.config.v1+json"), "layers": descriptors}
    entry_of_index = add(json.dumps(manifest).encode(), manifest["mediaType"]) | {"annotations": {"org.opencontainers.image.ref.name": name}}
    (place / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [entry_of_index]}))
    (place / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')
    return place


def merged(below):
    """{path: the file on disk that overlayfs would show}; oldest layer first."""
    shown = {}
    for layer in below:
        for where, folders, files in os.walk(layer):
            rel = os.path.relpath(where, layer)
            st = os.lstat(where)
            if rel != "." and OPAQUE in os.listxattr(where):
                assert os.getxattr(where, OPAQUE) == b"y"
                hide(shown, rel)
            elif rel != "." and rel in shown and not stat.S_ISDIR(os.lstat(shown[rel]).st_mode):
                hide(shown, rel)
            shown[rel] = where
            for name in folders + files:
                path = os.path.normpath(os.path.join(rel, name))
                st = os.lstat(os.path.join(where, name))
                if stat.S_ISCHR(st.st_mode):
                    assert st.st_rdev == 0
                    hide(shown, path)
                elif not stat.S_ISDIR(st.st_mode):
                    hide(shown, path)
                    shown[path] = os.path.join(where, name)
    return shown


def hide(shown, path):
    if path not in shown:  # a directory is there before what is in it
        return
    for other in [other for other in shown if other == path or other.startswith(path + "/")]:
        del shown[other]


def opened(*tops):
    """{file: its mode}; then an ordinary user can read them all."""
    modes, seen = {}, {}

    def look(path):
        st = os.lstat(path)
        modes[path] = seen.setdefault((st.st_dev, st.st_ino), stat.S_IMODE(st.st_mode))  # by its first name: then it is changed
        if not IS_ROOT and stat.S_IFMT(st.st_mode) in (stat.S_IFREG, stat.S_IFDIR):
            os.chmod(path, modes[path] | 0o700)
        if stat.S_ISDIR(st.st_mode):
            for name in os.listdir(path):
                look(os.path.join(path, name))
    for top in tops:
        look(str(top))
    return modes


def owner_of(st, xattrs):
    """Of the image; umoci has its own attribute for it, a message with two numbers."""
    note, message = xattrs.pop(OWNER, None), xattrs.pop("user.rootlesscontainers", None)
    if IS_ROOT:
        return st.st_uid, st.st_gid
    if note:
        return tuple(int(word) for word in note.split(b":")[:2])
    numbers = {}
    while message:
        field, message, number, shift = message[0] >> 3, message[1:], 0, 0
        while message[0] & 0x80:
            number, shift, message = number | (message[0] & 0x7f) << shift, shift + 7, message[1:]
        numbers[field], message = number | message[0] << shift, message[1:]
    return tuple(0 if number == 2 ** 32 - 1 else number for number in (numbers.get(1, 0), numbers.get(2, 0)))  # which means: as it is


def describe(shown, modes, implied=()):
    """{path: what can be compared}. MODES: of opened(). IMPLIED: directories that no entry describes, whose times are anybody's."""
    seen, groups = {}, {}
    for path, where in sorted(shown.items()):
        st = os.lstat(where)
        xattrs = {key: os.getxattr(where, key, follow_symlinks=False) for key in os.listxattr(where, follow_symlinks=False)}
        note = xattrs.get(OWNER, b"")
        xattrs.pop(OPAQUE, None)
        what = {"type": stat.S_IFMT(st.st_mode), "mode": int(note.split(b":")[2], 8) if note.count(b":") == 2 else modes[where], "mtime": st.st_mtime_ns}
        owner = owner_of(st, xattrs)
        if IS_ROOT or stat.S_IFMT(st.st_mode) in (stat.S_IFREG, stat.S_IFDIR):  # others have no attributes
            what["owner"] = owner
        what["xattrs"] = xattrs
        if stat.S_ISREG(st.st_mode):
            what["content"] = st.st_size, hashlib.sha256(pathlib.Path(where).read_bytes()).hexdigest()
        if stat.S_ISLNK(st.st_mode):
            what["link"] = os.readlink(where)
            what["mode"] = None
        if not stat.S_ISDIR(st.st_mode):
            groups.setdefault((st.st_dev, st.st_ino), []).append(path)
        if path in implied:
            what["mtime"] = what["mode"] = None
        seen[path] = what
    for paths in groups.values():
        for path in paths:
            seen[path]["links"] = paths
    return seen


def tree(top):
    """What is where in an ordinary directory, as merged() tells it."""
    shown = {".": str(top)}
    for where, folders, files in os.walk(top):
        for name in folders + files:
            path = os.path.join(where, name)
            shown[os.path.relpath(path, top)] = path
    return shown
