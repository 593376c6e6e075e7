# SPDX-License-Identifier: Apache-2.0
"""aisbx-image beside registries: requests to it, Debian's docker-registry on loopback, small images of our own."""
import base64
import contextlib
import gzip
import hashlib
import io
import json
import os
import pathlib
import socket
import subprocess
import tarfile
import time
import urllib.parse
import urllib.request

import oci_tools
import pace

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
SIG = "application/vnd.dev.cosign.simplesigning.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def program():
    return str(pathlib.Path(os.environ["AISBX"]).parent / "aisbx-image")


def crane():
    return str(oci_tools.tool("crane"))


class Answer:
    """What aisbx-image said: .ok or .error, and .progress."""

    def __init__(self, text):
        lines = [json.loads(line) for line in text.splitlines()]
        self.progress = [line["progress"] for line in lines if "progress" in line]
        self.ok = lines[-1].get("ok")
        self.error = lines[-1].get("error")
        self.text = text


def start(home, request, env=None):
    """The helper, with its request; HOME is empty but for what a test put there."""
    surroundings = {"HOME": str(home), "PATH": os.environ["PATH"], **(env or {})}
    for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH"):
        if name in os.environ:
            surroundings[name] = os.environ[name]
    p = subprocess.Popen([program()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=surroundings)
    p.stdin.write(json.dumps(request))
    p.stdin.close()
    return p


def listen(p):
    with p:
        text = p.stdout.read()
    return Answer(text)


def ask(home, request, env=None):
    return listen(start(home, request, env))


def pull(home, source, env=None, **more):
    (pathlib.Path(home) / "images").mkdir(parents=True, exist_ok=True)
    return ask(home, {"do": "fetch", "from": "registry", "source": source, "blobs": f"{home}/images/blobs", **more}, env)


def push(home, manifest, to, env=None, **more):
    return ask(home, {"do": "push", "manifest": manifest, "to": to, "blobs": f"{home}/images/blobs", **more}, env)


def blobs(home):
    place = pathlib.Path(home) / "images/blobs/sha256"
    return {f"sha256:{p.name}": p.read_bytes() for p in place.iterdir()} if place.is_dir() else {}


def half_made(home):
    place = pathlib.Path(home) / "images/tmp"
    return sorted(place.iterdir()) if place.is_dir() else []


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def layer(files):
    """A tarball of FILES ({name: bytes}) and its gzip, the same each time; in haste, so no smaller."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return raw.getvalue(), gzip.compress(raw.getvalue(), compresslevel=0, mtime=0)


class Image:
    """An image of LAYERS, each {name: bytes}: .manifest (bytes), .digest, .blobs ({digest: bytes})."""

    def __init__(self, *layers, architecture=None):
        made = [layer(files) for files in layers]
        machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
        config = compact({"architecture": architecture or machine, "os": "linux", "config": {},
                          "rootfs": {"type": "layers", "diff_ids": [digest(raw) for raw, _ in made]}})
        self.layers = [packed for _, packed in made]
        self.config = config
        self.blobs = {digest(data): data for data in [config, *self.layers]}
        self.manifest = compact({"schemaVersion": 2, "mediaType": MANIFEST,
                                 "config": {"mediaType": CONFIG, "digest": digest(config), "size": len(config)},
                                 "layers": [{"mediaType": LAYER, "digest": digest(d), "size": len(d)} for d in self.layers]})
        self.digest = digest(self.manifest)


def wait_for_port(port, p, log):
    deadline = time.monotonic() + pace.seconds(30)
    while time.monotonic() < deadline:
        if p.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)  # between two looks
    raise AssertionError(f"docker-registry does not listen: {pathlib.Path(log).read_text()[-2000:]}")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


@contextlib.contextmanager
def registry(place, auth=None, tls=None, port=None):
    """Debian's docker-registry below PLACE; yields HOST:PORT. AUTH: its section of that name; TLS: (certificate, key)."""
    place = pathlib.Path(place)
    port = port or free_port()
    config = {"version": 0.1, "log": {"level": "error", "accesslog": {"disabled": True}},
              "storage": {"filesystem": {"rootdirectory": str(place / "store")}}, "http": {"addr": f"127.0.0.1:{port}"}}
    if auth:
        config["auth"] = auth
    if tls:
        config["http"]["tls"] = {"certificate": str(tls[0]), "key": str(tls[1])}
    place.mkdir(parents=True, exist_ok=True)
    (place / "config.yml").write_text(json.dumps(config))
    with open(place / "log", "w", encoding="utf-8") as log, \
            subprocess.Popen(["docker-registry", "serve", str(place / "config.yml")], stdout=log, stderr=log) as p:
        try:
            wait_for_port(port, p, place / "log")
            yield f"127.0.0.1:{port}"
        finally:
            p.kill()


def make_ca(place, *names):
    """A CA and a certificate of it for NAMES ("IP:127.0.0.1", "DNS:localhost"): (CA, certificate, key), files below PLACE."""
    place = pathlib.Path(place)
    place.mkdir(parents=True, exist_ok=True)

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=place, check=True, capture_output=True, timeout=60)

    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=a CA of a test",
            "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=a server of a test",
            "-keyout", "server.key", "-out", "server.csr")
    (place / "names").write_text(f"subjectAltName={','.join(names)}\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names",
            "-out", "server.pem")
    return place / "ca.pem", place / "server.pem", place / "server.key"


def crane_run(*words, env=None):
    return subprocess.run([crane(), *words], capture_output=True, text=True, timeout=pace.HANGS, check=True, env={**os.environ, **(env or {})}).stdout


def skopeo(*words, env=None):
    return subprocess.run([*oci_tools.SKOPEO, *words], capture_output=True, text=True, timeout=pace.HANGS, check=True, env={**os.environ, **(env or {})}).stdout


def key_pair(place):
    place.mkdir()
    for words in (["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "key"], ["pkey", "-in", "key", "-pubout", "-out", "pub"]):
        subprocess.run(["openssl", *words], cwd=place, check=True, capture_output=True, timeout=60)
    return place / "key", (place / "pub").read_text()


def put(host, name, kind, data):
    """What only a signer needs: a manifest or a blob of its own."""
    if kind:
        url, more = f"http://{host}/v2/{name}", {"Content-Type": kind}
    else:
        with urllib.request.urlopen(urllib.request.Request(f"http://{host}/v2/{name}/blobs/uploads/", method="POST", data=b""), timeout=60) as answer:
            place = urllib.parse.urljoin(f"http://{host}/", answer.headers["Location"])
        url, more = f"{place}{'&' if '?' in place else '?'}digest={digest(data)}", {"Content-Type": "application/octet-stream"}
    urllib.request.urlopen(urllib.request.Request(url, method="PUT", data=data, headers=more), timeout=60).close()


def sign_image(host, name, image, key, says=None, about=None):
    """As cosign does it for the digest IMAGE. SAYS: the repository that the signature speaks of; ABOUT: the digest."""
    payload = compact({"critical": {"identity": {"docker-reference": says or f"{host}/{name}"}, "image": {"docker-manifest-digest": about or image},
                                    "type": "cosign container image signature"}, "optional": None})
    signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=payload, capture_output=True, timeout=60, check=True).stdout
    config = b"{}"
    put(host, name, None, payload)
    put(host, name, None, config)
    put(host, f"{name}/manifests/{image.replace(':', '-')}.sig", MANIFEST, compact({
        "schemaVersion": 2, "mediaType": MANIFEST, "config": {"mediaType": CONFIG, "digest": digest(config), "size": len(config)},
        "layers": [{"mediaType": SIG, "digest": digest(payload), "size": len(payload),
                    "annotations": {"dev.cosignproject.cosign/signature": base64.b64encode(signature).decode()}}]}))
