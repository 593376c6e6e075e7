# SPDX-License-Identifier: Apache-2.0
"""aisbx-image and real registries: Debian's docker-registry on loopback, filled by crane and skopeo.

Open, with passwords, with tokens, with TLS; pull, push and pull back, byte by byte. What a registry does that lies is in
test_registry_lies.py.
"""
import base64
import http.server
import json
import os
import pathlib
import subprocess
import threading
import time
import urllib.parse
import urllib.request

import pytest

import registry as reg

# Of "tester" and "right", by bcrypt, the only kind that docker-registry reads.
HTPASSWD = "tester:$2b$05$abcdefghijklmnopqrstuu8xaCxxL82bnl.UY74PMksDxIJShppPC\n"
PAIR = base64.b64encode(b"tester:right").decode()


@pytest.fixture(scope="module")
def tarballs(tmp_path_factory):
    """Two layers as files: one of some 200 KB, one small."""
    place = tmp_path_factory.mktemp("layers")
    files = []
    for name, content in (("a", {"etc/a": b"a\n", "noise": os.urandom(200_000)}), ("b", {"etc/b": b"b\n"})):
        files.append(place / f"{name}.tar")
        files[-1].write_bytes(reg.layer(content)[0])
    return files


@pytest.fixture(scope="module")
def host(tmp_path_factory, tarballs):
    """An open registry with team/tool:1 (by crane), :multi (an index), team/zstd:1 (by skopeo)."""
    with reg.registry(tmp_path_factory.mktemp("open")) as host:
        words = [w for f in tarballs for w in ("-f", str(f))]
        reg.crane_run("append", *words, "-t", f"{host}/team/tool:1", "--oci-empty-base")
        for arch in ("amd64", "arm64"):
            reg.crane_run("append", *words[:2 if arch == "amd64" else 4], "-t", f"{host}/team/tool:{arch}")
            reg.crane_run("mutate", f"{host}/team/tool:{arch}", "--set-platform", f"linux/{arch}", "-t", f"{host}/team/tool:{arch}")
        reg.crane_run("index", "append", "-m", f"{host}/team/tool:amd64", "-m", f"{host}/team/tool:arm64", "-t", f"{host}/team/tool:multi")
        reg.skopeo("--insecure-policy", "copy", "-q", "--dest-tls-verify=false", "--dest-compress-format=zstd", "--format=oci",
                   f"oci:{layout(tmp_path_factory.mktemp('layout'))}", f"docker://{host}/team/zstd:1")
        yield host


def layout(place):
    """An OCI layout with a layer that is not compressed, so that skopeo does that."""
    raw, _ = reg.layer({"noise": os.urandom(10_000), "zeros": bytes(100_000)})
    config = reg.compact({"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": [reg.digest(raw)]}})
    manifest = reg.compact({"schemaVersion": 2, "mediaType": reg.MANIFEST, "config": {"mediaType": reg.CONFIG, "digest": reg.digest(config), "size": len(config)},
                            "layers": [{"mediaType": reg.LAYER.removesuffix("+gzip"), "digest": reg.digest(raw), "size": len(raw)}]})
    (place / "blobs/sha256").mkdir(parents=True)
    for data in (raw, config, manifest):
        (place / "blobs/sha256" / reg.digest(data).split(":")[1]).write_bytes(data)
    (place / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')
    (place / "index.json").write_bytes(reg.compact({"schemaVersion": 2, "manifests": [
        {"mediaType": reg.MANIFEST, "digest": reg.digest(manifest), "size": len(manifest)}]}))
    return place


@pytest.fixture(scope="module")
def closed(tmp_path_factory, tarballs):
    """A registry with TLS that wants a password; (HOST:PORT, the CA's file)."""
    place = tmp_path_factory.mktemp("closed")
    ca, certificate, key = reg.make_ca(place / "tls", "IP:127.0.0.1", "DNS:localhost")
    (place / "htpasswd").write_text(HTPASSWD)
    with reg.registry(place, auth={"htpasswd": {"realm": "test", "path": str(place / "htpasswd")}}, tls=(certificate, key)) as host:
        login(place, host)
        reg.crane_run("append", "-f", str(tarballs[1]), "-t", f"{host}/team/tool:1", "--oci-empty-base",
                      env={"SSL_CERT_FILE": str(ca), "DOCKER_CONFIG": str(place / ".docker")})
        yield host, ca


def login(home, host, entry=None, **more):
    """The file that `docker login` writes."""
    path = pathlib.Path(home) / ".docker/config.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"auths": {host: entry or {"auth": PAIR}}, **more}))
    return path


def manifest_of(host, name, **more):
    """By crane, which is not ours."""
    return json.loads(reg.crane_run("manifest", f"{host}/{name}", **more))


def check_pulled(home, answer, wanted, digest):
    """All blobs are there and nothing else, each is what its name says."""
    assert answer.error is None, answer.error
    assert answer.ok["manifest"] == digest
    assert [layer["digest"] for layer in answer.ok["layers"]] == [layer["digest"] for layer in wanted["layers"]]
    there = reg.blobs(home)
    assert all(reg.digest(data) == name for name, data in there.items())
    assert {digest, wanted["config"]["digest"], *(layer["digest"] for layer in wanted["layers"])} <= there.keys()
    assert reg.half_made(home) == []


@pytest.mark.parametrize("name,kind", [("team/tool:1", "gzip"), ("team/zstd:1", "zstd")])
def test_pull(tmp_path, host, name, kind):
    wanted, digest = manifest_of(host, name), reg.crane_run("digest", f"{host}/{name}").strip()
    answer = reg.pull(tmp_path, f"{host}/{name}", platform="linux/amd64" if kind == "zstd" else None)
    check_pulled(tmp_path, answer, wanted, digest)
    assert {layer["media_type"] for layer in answer.ok["layers"]} == {f"application/vnd.oci.image.layer.v1.tar+{kind}"}


def test_pull_by_digest_and_localhost(tmp_path, host):
    wanted, digest = manifest_of(host, "team/tool:1"), reg.crane_run("digest", f"{host}/team/tool:1").strip()
    name = f"localhost:{host.split(':')[1]}/team/tool"
    check_pulled(tmp_path, reg.pull(tmp_path, f"{name}@{digest}"), wanted, digest)
    again = reg.pull(tmp_path, f"{name}:multi@{digest}")  # the digest decides
    assert again.ok["manifest"] == digest


@pytest.mark.parametrize("arch,layers", [("amd64", 1), ("arm64", 2)])
def test_index(tmp_path, host, arch, layers):
    answer = reg.pull(tmp_path, f"{host}/team/tool:multi", platform=f"linux/{arch}")
    assert answer.ok["manifest"] == reg.crane_run("digest", f"{host}/team/tool:{arch}").strip()
    assert len(answer.ok["layers"]) == layers
    missing = reg.pull(tmp_path, f"{host}/team/tool:multi", platform="linux/s390x")
    assert missing.error and "s390x" in missing.error["text"]


def test_what_is_there_is_not_loaded(tmp_path, host):
    """Also when only a part of it is."""
    first = reg.pull(tmp_path, f"{host}/team/tool:1")
    assert len({line["layer"] for line in first.progress if line["done"] < line["total"]}) == 3
    again = reg.pull(tmp_path, f"{host}/team/tool:1")
    assert again.ok == first.ok and all(line["done"] == line["total"] for line in again.progress)
    lost = first.ok["layers"][1]["digest"]
    (tmp_path / "images/blobs/sha256" / lost.split(":")[1]).unlink()
    third = reg.pull(tmp_path, f"{host}/team/tool:1")
    assert third.ok == first.ok
    assert {line["layer"] for line in third.progress if line["done"] < line["total"]} == {lost}


def test_push_and_pull_back(tmp_path, host):
    """The same bytes as before, for us, crane and skopeo."""
    pulled = reg.pull(tmp_path / "a", f"{host}/team/tool:1").ok
    sent = reg.push(tmp_path / "a", pulled["manifest"], f"{host}/copies/tool:mine")
    assert sent.ok == {"digest": pulled["manifest"], "sent": 3, "there": 0}, sent.error
    assert {line["what"] for line in sent.progress} == {"upload"}
    seen = json.loads(reg.skopeo("inspect", "--tls-verify=false", f"docker://{host}/copies/tool:mine"))
    assert seen["Digest"] == pulled["manifest"] and seen["Layers"] == [layer["digest"] for layer in pulled["layers"]]
    reg.crane_run("validate", "--remote", f"{host}/copies/tool:mine")
    back = reg.pull(tmp_path / "b", f"{host}/copies/tool:mine")
    assert back.ok == pulled and reg.blobs(tmp_path / "b") == reg.blobs(tmp_path / "a")
    again = reg.push(tmp_path / "a", pulled["manifest"], f"{host}/copies/tool:other")
    assert again.ok == {"digest": pulled["manifest"], "sent": 0, "there": 3}
    mounted = reg.push(tmp_path / "a", pulled["manifest"], f"{host}/mounts/tool:1", mount_from="team/tool")
    assert mounted.ok == {"digest": pulled["manifest"], "sent": 0, "there": 3}


def store(home, image):
    """The image as if it was pulled."""
    place = pathlib.Path(home) / "images/blobs/sha256"
    place.mkdir(parents=True)
    for name, data in {**image.blobs, image.digest: image.manifest}.items():
        (place / name.split(":")[1]).write_bytes(data)


@pytest.mark.big
def test_large_layer_goes_in_parts(tmp_path, host):
    """More than one part of an upload; several layers at once, each with its own progress."""
    image = reg.Image({"noise": os.urandom(33 << 20)}, {"more": os.urandom(5_000_000)}, {"x": b"x"}, {"y": b"y"})
    store(tmp_path / "a", image)
    sent = reg.push(tmp_path / "a", image.digest, f"{host}/large/tool:1")
    assert sent.ok and sent.ok["sent"] == len(image.blobs), sent.error
    back = reg.pull(tmp_path / "b", f"{host}/large/tool:1")
    assert back.ok["manifest"] == image.digest
    assert reg.blobs(tmp_path / "b").keys() == image.blobs.keys() | {image.digest}
    for what in ("download", "upload"):
        assert {p["layer"] for p in back.progress + sent.progress if p["what"] == what} == image.blobs.keys()


def test_not_there(tmp_path, host):
    for name in ("team/tool:9", "nobody/nothing:1", f"team/tool@sha256:{'0' * 64}"):
        answer = reg.pull(tmp_path, f"{host}/{name}")
        assert answer.error["kind"] == 2 and "has no" in answer.error["text"]  # not found
    assert not reg.blobs(tmp_path) and not reg.half_made(tmp_path)
    nobody = reg.pull(tmp_path, f"127.0.0.1:{reg.free_port()}/team/tool:1")
    assert nobody.error and "127.0.0.1" in nobody.error["text"]


def test_push_needs_all_blobs(tmp_path, host):
    image = reg.Image({"a": b"a"})
    store(tmp_path, image)
    (tmp_path / "images/blobs/sha256" / reg.digest(image.layers[0]).split(":")[1]).unlink()
    assert reg.push(tmp_path, image.digest, f"{host}/part/tool:1").error
    assert reg.pull(tmp_path / "b", f"{host}/part/tool:1").error["kind"] == 2
    other = reg.push(tmp_path, image.digest, f"{host}/part/tool@sha256:{'0' * 64}")
    assert "another image" in other.error["text"]


def test_two_at_once(tmp_path, host):
    """Both get the image; neither breaks what the other writes."""
    image = reg.Image(*({f"{i}": os.urandom(300_000)} for i in range(4)))
    store(tmp_path / "a", image)
    assert reg.push(tmp_path / "a", image.digest, f"{host}/both/tool:1").ok
    request = {"do": "fetch", "from": "registry", "source": f"{host}/both/tool:1", "blobs": f"{tmp_path}/b/images/blobs"}
    (tmp_path / "b/images").mkdir(parents=True)
    for answer in [reg.listen(p) for p in [reg.start(tmp_path / "b", request) for _ in range(4)]]:
        assert answer.error is None, answer.error
    assert reg.blobs(tmp_path / "b").keys() == image.blobs.keys() | {image.digest}
    assert reg.half_made(tmp_path / "b") == []


def test_password(tmp_path, closed):
    """From ~/.docker/config.json, podman's auth.json, and a file that is named; over TLS of a CA of ours."""
    host, ca = closed
    env = {"SSL_CERT_FILE": str(ca)}
    denied = reg.pull(tmp_path, f"{host}/team/tool:1", env)
    assert denied.error["kind"] == 5 and "login" in denied.error["text"]
    login(tmp_path, host)
    assert reg.pull(tmp_path, f"{host}/team/tool:1", env).ok
    path = login(tmp_path, host, {"auth": base64.b64encode(b"tester:wrong").decode()})
    wrong = reg.pull(tmp_path, f"{host}/team/tool:1", env)
    assert wrong.error["kind"] == 5 and "refused" in wrong.error["text"] and "wrong" not in wrong.text
    path.unlink()
    run = tmp_path / "run/containers"
    run.mkdir(parents=True)
    (run / "auth.json").write_text(json.dumps({"auths": {f"{host}/team": {"auth": PAIR}}}))
    assert reg.pull(tmp_path, f"{host}/team/tool:1", {**env, "XDG_RUNTIME_DIR": str(tmp_path / "run")}).ok
    assert reg.pull(tmp_path, f"{host}/team/tool:1", env, auth=str(run / "auth.json")).ok
    assert reg.pull(tmp_path, f"{host}/team/tool:1", {**env, "XDG_RUNTIME_DIR": str(tmp_path / "run")}, auth=str(login(tmp_path, "another"))).ok
    assert reg.pull(tmp_path, f"{host}/team/tool:1", {**env, "XDG_RUNTIME_DIR": str(tmp_path / "run")}, auth=False).error["kind"] == 5
    assert reg.pull(tmp_path, f"{host}/team/tool:1", env, auth=str(tmp_path / "none")).error


def test_push_with_password(tmp_path, closed):
    host, ca = closed
    env = {"SSL_CERT_FILE": str(ca)}
    image = reg.Image({"a": b"pushed"})
    store(tmp_path, image)
    assert reg.push(tmp_path, image.digest, f"{host}/mine/tool:1", env).error["kind"] == 5
    login(tmp_path, host)
    assert reg.push(tmp_path, image.digest, f"{host}/mine/tool:1", env).ok == {"digest": image.digest, "sent": 2, "there": 0}
    assert reg.pull(tmp_path / "b", f"{host}/mine/tool:1", env, auth=str(tmp_path / ".docker/config.json")).ok["manifest"] == image.digest


def test_tls_is_verified(tmp_path, closed):
    """A CA that nobody knows, and a certificate for another name."""
    host, ca = closed
    login(tmp_path, host)
    unknown = reg.pull(tmp_path, f"{host}/team/tool:1")
    assert unknown.error["kind"] == 5 and "certificate" in unknown.error["text"].lower()
    other = reg.pull(tmp_path, f"127.0.0.2:{host.split(':')[1]}/team/tool:1", {"SSL_CERT_FILE": str(ca)})
    assert other.error  # docker-registry listens on 127.0.0.1 only
    assert not reg.blobs(tmp_path)


HELPER = """#!/bin/sh
read -r asked
echo "$1 $asked" >>"$HOME/asked"
[ "$asked" = "{host}" ] || {{ echo "credentials not found in native keychain"; exit 1; }}
echo '{answer}'
"""


def test_credential_helper(tmp_path, closed):
    host, ca = closed
    tools = tmp_path / "bin"
    tools.mkdir()
    program = tools / "docker-credential-test"
    answer = json.dumps({"ServerURL": host, "Username": "tester", "Secret": "right"})
    program.write_text(HELPER.format(host=host, answer=answer))
    program.chmod(0o755)
    env = {"SSL_CERT_FILE": str(ca), "PATH": f"{tools}:{os.environ['PATH']}"}
    login(tmp_path, host, {}, credHelpers={host: "test"})
    pulled = reg.pull(tmp_path, f"{host}/team/tool:1", env)
    assert pulled.ok and "right" not in pulled.text
    assert (tmp_path / "asked").read_text() == f"get {host}\n"
    login(tmp_path, "another", {}, credsStore="test")
    assert reg.pull(tmp_path, f"{host}/team/tool:1", env).ok
    login(tmp_path, host, {"auth": PAIR}, credsStore="test")  # it knows nothing: the file itself
    program.write_text(HELPER.format(host="another", answer="{}"))
    assert reg.pull(tmp_path, f"{host}/team/tool:1", env).ok
    program.write_text("#!/bin/sh\necho 'right is no JSON'\n")
    broken = reg.pull(tmp_path, f"{host}/team/tool:1", env)
    assert "invalid answer" in broken.error["text"] and "right" not in broken.text
    login(tmp_path, host, {}, credsStore="../test")
    assert "invalid" in reg.pull(tmp_path, f"{host}/team/tool:1", env).error["text"]
    login(tmp_path, host, {}, credsStore="missing")
    assert "docker-credential-missing" in reg.pull(tmp_path, f"{host}/team/tool:1", env).error["text"]


class Tokens(http.server.BaseHTTPRequestHandler):
    """A token server as docker-registry wants it: JWTs, signed by a certificate it trusts. Everybody may pull, the tester may push."""

    def log_message(self, *_words):
        pass

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        self.give(form.get("refresh_token") == "identity", [form["scope"]])

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        self.give(self.headers.get("Authorization") == f"Basic {PAIR}", query.get("scope", []))

    def give(self, is_tester, scopes):
        self.server.asked.append((self.command, is_tester, scopes))
        access = []
        for scope in scopes:
            kind, name, actions = scope.split(":")
            access.append({"type": kind, "name": name, "actions": [a for a in actions.split(",") if a == "pull" or is_tester]})
        now = int(time.time())
        claims = {"iss": "test", "sub": "", "aud": "test", "exp": now + 600, "nbf": now - 60, "iat": now, "jti": str(now), "access": access}
        body = reg.compact({"token": self.server.sign(claims)})
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def signer(place):
    """A certificate, and what signs with it: RS256 with the certificate inside."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=tokens", "-keyout", "key", "-out", "cert"],
                   cwd=place, check=True, capture_output=True, timeout=60)
    x5c = "".join((place / "cert").read_text().splitlines()[1:-1])

    def plain(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    def sign(claims):
        text = plain(reg.compact({"typ": "JWT", "alg": "RS256", "x5c": [x5c]})) + "." + plain(reg.compact(claims))
        signed = subprocess.run(["openssl", "dgst", "-sha256", "-sign", place / "key"], input=text.encode(), capture_output=True, timeout=60, check=True).stdout
        return f"{text}.{plain(signed)}"

    return place / "cert", sign


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    """A registry that wants tokens: (HOST:PORT, the token server)."""
    place = tmp_path_factory.mktemp("tokens")
    certificate, sign = signer(place)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tokens) as server:
        server.asked, server.sign = [], sign
        threading.Thread(target=server.serve_forever, daemon=True).start()
        auth = {"realm": f"http://127.0.0.1:{server.server_port}/token", "service": "test", "issuer": "test", "rootcertbundle": str(certificate)}
        with reg.registry(place / "registry", auth={"token": auth}) as host:
            yield host, server
        server.shutdown()


def test_tokens(tmp_path, tokens):
    """Nobody may push; the tester may, by password or identity token; then everybody may pull. One token serves all calls."""
    host, server = tokens
    image = reg.Image({"a": b"1"}, {"b": b"2"}, {"c": b"3"})
    store(tmp_path, image)
    assert reg.push(tmp_path, image.digest, f"{host}/team/tool:1").error["kind"] == 5
    login(tmp_path, host)
    server.asked.clear()
    assert reg.push(tmp_path, image.digest, f"{host}/team/tool:1", mount_from="else/where").ok == {"digest": image.digest, "sent": 4, "there": 0}
    assert server.asked == [("GET", True, ["repository:team/tool:pull,push", "repository:else/where:pull"])]
    login(tmp_path, host, {"identitytoken": "identity"})
    assert reg.push(tmp_path, image.digest, f"{host}/team/two:1").ok
    assert server.asked[1:] == [("POST", True, ["repository:team/two:pull,push"])]
    server.asked.clear()
    assert reg.pull(tmp_path / "b", f"{host}/team/tool:1").ok["manifest"] == image.digest
    assert server.asked == [("GET", False, ["repository:team/tool:pull"])]


def test_signature(tmp_path, host):
    """None, one of another key, the right one; what is not signed is not loaded."""
    image = reg.Image({"a": b"signed"})
    store(tmp_path / "a", image)
    assert reg.push(tmp_path / "a", image.digest, f"{host}/signed/tool:1").ok
    key, public = reg.key_pair(tmp_path / "k1")
    _, other = reg.key_pair(tmp_path / "k2")
    missing = reg.pull(tmp_path / "b", f"{host}/signed/tool:1", keys=[public])
    assert missing.error["kind"] == 5 and "no signature" in missing.error["text"]
    reg.sign_image(host, "signed/tool", image.digest, key)
    wrong = reg.pull(tmp_path / "b", f"{host}/signed/tool:1", keys=[other])
    assert wrong.error["kind"] == 5
    assert not reg.blobs(tmp_path / "b")
    assert reg.pull(tmp_path / "b", f"{host}/signed/tool:1", keys=[other, public]).ok["manifest"] == image.digest
    assert reg.digest(b"{}") not in reg.blobs(tmp_path / "b")  # a signature is no part of the image


def test_mirrors(tmp_path, host):
    """In their order; the registry itself when they have nothing."""
    nothing = f"http://127.0.0.1:{reg.free_port()}"
    digest = reg.crane_run("digest", f"{host}/team/tool:1").strip()
    name = "registry.invalid/tool:1"
    assert reg.pull(tmp_path / "a", name, mirrors={"registry.invalid": [nothing, f"http://{host}/team"]}).ok["manifest"] == digest
    assert reg.pull(tmp_path / "b", f"{host}/team/tool:1", mirrors={host: [nothing, f"http://{host}/elsewhere/"]}).ok["manifest"] == digest
    assert reg.pull(tmp_path / "c", name, mirrors={"other.invalid": [f"http://{host}/team"]}).error
    plain = reg.pull(tmp_path / "c", name, mirrors={"registry.invalid": ["http://mirror.invalid/"]})
    assert "plain_http" in plain.error["text"]
    assert not reg.blobs(tmp_path / "c")
