# SPDX-License-Identifier: Apache-2.0
"""Images as files, made by hand, byte for byte, and aisbx with a state directory of its own to bring them to.

Standard library only.
"""
import gzip
import hashlib
import io
import json
import os
import pathlib
import sqlite3
import stat
import tarfile

import promote

GZIP = "application/vnd.oci.image.layer.v1.tar+gzip"
TAR = "application/vnd.oci.image.layer.v1.tar"


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def tar(files):
    """An archive of FILES, name -> text, None for a directory, or (type, target) as tarfile has them. Pairs: names may be there twice."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, body in files.items() if isinstance(files, dict) else files:
            entry = tarfile.TarInfo(name)
            entry.mtime = 1500000000
            entry.mode = 0o755 if body is None else 0o644
            if body is None:
                entry.type = tarfile.DIRTYPE
            elif isinstance(body, tuple):
                entry.type, entry.linkname = body
            data = body.encode() if isinstance(body, str) else body if isinstance(body, bytes) else b""
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def rootfs(*more):
    """What a box needs at least."""
    return {"./": None, "etc/": None, "etc/name": "first\n", "bin/": None, "bin/tool": "#!/bin/sh\n", **dict(more)}


class Layout:
    """An OCI layout at PATH with one image of LAYERS, each the bytes of an archive."""

    def __init__(self, path, *layers, config=None, media=GZIP):
        self.path = pathlib.Path(path)
        (self.path / "blobs" / "sha256").mkdir(parents=True)
        self.layers = []
        for archive in layers:
            blob = gzip.compress(archive, mtime=0) if media == GZIP else archive
            self.layers.append({"mediaType": media, "digest": self.add(blob), "size": len(blob)})
        document = {"architecture": "amd64", "os": "linux", "config": config or {},
                    "rootfs": {"type": "layers", "diff_ids": [digest(a) for a in layers]}}
        self.config = self.described("application/vnd.oci.image.config.v1+json", document)
        self.manifest = self.described("application/vnd.oci.image.manifest.v1+json",
                                       {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": self.config,
                                        "layers": self.layers})
        (self.path / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')
        (self.path / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [self.manifest]}))

    def add(self, blob):
        name = digest(blob)
        (self.path / "blobs" / name.replace(":", "/")).write_bytes(blob)
        return name

    def described(self, media, document):
        text = json.dumps(document).encode()
        return {"mediaType": media, "digest": self.add(text), "size": len(text)}

    def blob(self, descriptor):
        return self.path / "blobs" / descriptor["digest"].replace(":", "/")

    def archive(self, path):
        """The same in one file."""
        with tarfile.open(path, "w") as out:
            for name in ("oci-layout", "index.json", "blobs"):
                out.add(self.path / name, name)
        return path


class Door(promote.Shelf):
    def image(self, what, *words, **kw):
        """The result of `aisbx image WHAT`, which succeeds."""
        return self.ok("image", what, *words, **kw)

    def refused(self, what, *words):
        """The error of one that does not: its kind and what it says."""
        status, result = self.call("image", what, *words)
        assert status, result
        return result["error"]

    def call(self, op, *words, timeout=120, **kw):
        at = 1 if op in ("image", "config") else 0
        return self.end(self.start(op, *words[:at], "--json", *words[at:], **kw), timeout)

    def blobs(self):
        place = self.state / "images" / "blobs" / "sha256"
        return {"sha256:" + name for name in os.listdir(place)} if place.exists() else set()

    def chunks(self):
        """Names of all chunks, and of the blobs that are stored as chunks."""
        place = self.state / "images"
        return {p.parent.name + p.name for p in place.glob("chunks/*/*")}, {"sha256:" + p.name for p in place.glob("indexes/*")}

    def layers(self):
        return set(os.listdir(self.state / "layers")) if (self.state / "layers").exists() else set()

    def top_of(self, box):
        """Where the box's own files are; made as a run makes it."""
        db = sqlite3.connect(f"file:{self.state}/store.db?mode=ro", uri=True)
        try:
            top = db.execute("SELECT top FROM boxes WHERE id = ?", (self.ok("show", box)["id"],)).fetchone()[0]
        finally:
            db.close()
        up = self.state / "layers" / top / "root" / "up"
        up.parent.mkdir(mode=0o711, exist_ok=True)
        up.mkdir(exist_ok=True)
        return up

    def tree(self, image):
        """What is in the layers of IMAGE, each over the one before: path -> text; None: a directory."""
        found = {}
        for layer in self.image("show", image)["layers"]:
            up = self.state / "layers" / layer["layer"] / "root" / "up"
            for here, dirs, files in os.walk(up):
                below = os.path.relpath(here, up)
                if below in found and opaque(here):
                    found = {k: v for k, v in found.items() if not k.startswith(below + "/")}
                for name in dirs + files:
                    path = pathlib.Path(here) / name
                    key = os.path.normpath(os.path.join(below, name))
                    if stat.S_ISCHR(path.lstat().st_mode):
                        found = {k: v for k, v in found.items() if k != key and not k.startswith(key + "/")}
                    else:
                        found[key] = None if path.is_dir() and not path.is_symlink() else os.readlink(path) if path.is_symlink() else path.read_text(errors="replace")
        return found


def opaque(path):
    return "user.overlay.opaque" in os.listxattr(path)
