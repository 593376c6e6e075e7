# SPDX-License-Identifier: Apache-2.0
"""Registries that lie (tests/lib/liar.py): nothing wrong is ever kept, nobody learns a password who should not, everything ends.

Each lie has its control: the same server without it, or with what the lie lacks.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import liar
import pace
import registry as reg

IMAGE = reg.Image({"small": b"1"}, {"large": bytes(range(256)) * 1200})
OTHER = reg.Image({"small": b"2"})
LARGE = reg.digest(IMAGE.layers[-1])
QUICK = {"pause_ms": 1, "patience_s": 30}
DENIED, NOT_FOUND, LIMIT, TIMEOUT = 5, 2, 8, 9


@pytest.fixture(scope="module")
def elsewhere():
    """Another host, with the same image."""
    with liar.liar("127.0.0.2", image=IMAGE, other=OTHER) as server:
        yield server


@pytest.fixture(scope="module")
def server(elsewhere):
    with liar.liar(image=IMAGE, other=OTHER) as server:
        server.elsewhere = elsewhere.here
        yield server


@pytest.fixture(scope="module")
def safe(tmp_path_factory, elsewhere):
    """The same liar with TLS: (server, what the environment needs to trust it)."""
    ca, certificate, key = reg.make_ca(tmp_path_factory.mktemp("tls"), "IP:127.0.0.1")
    with liar.liar(tls=(certificate, key), image=IMAGE, other=OTHER) as server:
        server.elsewhere = elsewhere.here
        yield server, {"SSL_CERT_FILE": str(ca)}


@pytest.fixture(autouse=True)
def fresh(server, elsewhere):
    for s in (server, elsewhere):
        s.heard.clear()
        s.counts.clear()


def pull(home, server, lie, env=None, version=":1", **more):
    return reg.pull(home, f"{server.host}/{lie}/img{version}", env, **{"plain_http": [server.host], **QUICK, **more})


def login(home, host):
    (home / ".docker").mkdir(exist_ok=True)
    (home / ".docker/config.json").write_text(json.dumps({"auths": {host: {"auth": liar.PAIR.split()[1]}}}))


def assert_whole(home, answer):
    assert answer.error is None, answer.error
    assert answer.ok["manifest"] == IMAGE.digest
    assert reg.blobs(home) == {**IMAGE.blobs, IMAGE.digest: IMAGE.manifest}
    assert reg.half_made(home) == []


def assert_refused(home, answer, kind, *words):
    """And no manifest is there, so nothing can be used; each blob that is there is right."""
    assert answer.ok is None and answer.error["kind"] == kind, answer.text
    for word in words:
        assert word in answer.error["text"]
    there = reg.blobs(home)
    assert IMAGE.digest not in there and all(reg.digest(data) == name for name, data in there.items())


def asked_for(server, what):
    return [(method, headers) for method, path, headers in server.heard if what in path]


def test_control(tmp_path, server):
    """Who lies about nothing is believed."""
    assert_whole(tmp_path, pull(tmp_path, server, "honest"))
    assert_whole(tmp_path / "b", pull(tmp_path / "b", server, "honest", version=f"@{IMAGE.digest}"))


@pytest.mark.parametrize("lie,word", [("wrong-blob", LARGE[7:]), ("wrong-config", "digest"), ("wrong-header", "digest")])
def test_wrong_bytes(tmp_path, server, lie, word):
    assert_refused(tmp_path, pull(tmp_path, server, lie), DENIED, word)
    assert not [p for p in reg.half_made(tmp_path) if p.name.startswith(LARGE[7:])]
    assert_whole(tmp_path, pull(tmp_path, server, "honest"))


def test_wrong_manifest(tmp_path, server):
    """By digest it is refused; by tag it is another image, which is what a tag may be."""
    assert_refused(tmp_path, pull(tmp_path, server, "wrong-manifest", version=f"@{IMAGE.digest}"), DENIED, "digest")
    assert_refused(tmp_path, pull(tmp_path, server, "wrong-manifest", version=f":1@{IMAGE.digest}"), DENIED, "digest")


def test_break(tmp_path, server):
    """The rest is asked for, and only that."""
    assert_whole(tmp_path, pull(tmp_path, server, "short-once"))
    asked = asked_for(server, LARGE)
    assert [headers.get("Range") for _, headers in asked] == [None, f"bytes={len(IMAGE.layers[-1]) // 2}-"]


def test_break_without_range(tmp_path, server):
    """A server that knows no Range sends all again: it is not put behind the first half."""
    assert_whole(tmp_path, pull(tmp_path, server, "short-no-range"))
    assert len(asked_for(server, LARGE)) == 2


def test_break_with_wrong_half(tmp_path, server):
    """The whole is wrong: it is loaded once more from the start."""
    assert_whole(tmp_path, pull(tmp_path, server, "short-poison"))


def test_wrong_range(tmp_path, server):
    assert_refused(tmp_path, pull(tmp_path, server, "short-wrong-range"), DENIED, "Content-Range")


@pytest.mark.parametrize("lie,kind", [("short", TIMEOUT), ("ends-early", DENIED), ("always-busy", TIMEOUT)])
def test_never_whole(tmp_path, server, lie, kind):
    """It gives up after some tries, and says so."""
    assert_refused(tmp_path, pull(tmp_path, server, lie), kind, "127.0.0.1")
    assert 2 <= len(asked_for(server, LARGE)) <= 12
    assert_whole(tmp_path, pull(tmp_path, server, "honest"))


def test_busy_for_a_moment(tmp_path, server):
    assert_whole(tmp_path, pull(tmp_path, server, "busy"))


def test_resumed_by_the_next(tmp_path, server):
    """A helper that is killed in the middle: the next one asks for the rest. What lies there may be wrong, too."""
    (tmp_path / "images").mkdir()
    p = reg.start(tmp_path, {"do": "fetch", "from": "registry", "source": f"{server.host}/stalls/img:1", "blobs": f"{tmp_path}/images/blobs",
                             "plain_http": [server.host]})
    part = tmp_path / "images/tmp" / f"{LARGE[7:]}.part"
    half = len(IMAGE.layers[-1]) // 2
    deadline = time.monotonic() + pace.HANGS
    while not (part.exists() and part.stat().st_size == half):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    p.kill()
    p.wait()
    p.stdout.close()
    assert IMAGE.digest not in reg.blobs(tmp_path)
    server.heard.clear()
    assert_whole(tmp_path, pull(tmp_path, server, "stalls"))
    assert [headers.get("Range") for _, headers in asked_for(server, LARGE)] == [f"bytes={half}-"]
    (tmp_path / "images/blobs/sha256" / LARGE[7:]).unlink()
    part.write_bytes(b"not the first bytes of it")
    assert_whole(tmp_path, pull(tmp_path, server, "honest"))
    (tmp_path / "images/blobs/sha256" / LARGE[7:]).unlink()
    part.write_bytes(bytes(len(IMAGE.layers[-1]) + 5))
    assert_whole(tmp_path, pull(tmp_path, server, "honest"))


@pytest.mark.parametrize("lie", ["endless", "endless-manifest"])
def test_endless(tmp_path, server, lie):
    assert_refused(tmp_path, pull(tmp_path, server, lie), LIMIT, "more than")
    assert sum(p.stat().st_size for p in reg.half_made(tmp_path)) <= sum(map(len, IMAGE.layers))


def test_too_long(tmp_path, server):
    """Announced or not."""
    assert_refused(tmp_path, pull(tmp_path, server, "long"), DENIED, "Content-Length")


def test_more_than_allowed(tmp_path, server):
    """The request's own bound, before anything is loaded."""
    size = sum(map(len, IMAGE.blobs.values()))
    assert_refused(tmp_path, pull(tmp_path, server, "honest", max_bytes=size - 1), LIMIT)
    assert not asked_for(server, LARGE)
    assert_whole(tmp_path, pull(tmp_path, server, "honest", max_bytes=size + 100_000))


def test_drip(tmp_path, server):
    """A byte now and then is no answer."""
    assert_refused(tmp_path, pull(tmp_path, server, "drip", patience_s=1), TIMEOUT, "127.0.0.1")


@pytest.mark.parametrize("lie", ["headers", "interim"])
def test_endless_headers(tmp_path, server, lie):
    assert_refused(tmp_path, pull(tmp_path, server, lie), LIMIT, "headers")


def test_schema_1(tmp_path, server):
    assert "schema 1" in pull(tmp_path, server, "schema-1").error["text"]


def test_redirect_loop(tmp_path, server):
    assert_refused(tmp_path, pull(tmp_path, server, "loop"), LIMIT, "redirects")
    assert len(asked_for(server, LARGE)) == 6


def test_redirect_elsewhere(tmp_path, server, elsewhere):
    """To a host that stores the layers: followed, but it is not told who asks."""
    login(tmp_path, server.host)
    more = {"plain_http": [server.host, elsewhere.host]}
    assert_whole(tmp_path, pull(tmp_path, server, "elsewhere", **more))
    (_, headers), = asked_for(elsewhere, LARGE)
    assert "Authorization" not in headers
    assert all(headers.get("Authorization") == liar.PAIR for _, headers in asked_for(server, LARGE))


@pytest.mark.parametrize("away", ["http://tester:right@127.0.0.1/", "ftp://127.0.0.1/x", "file:///etc/passwd", "gopher://127.0.0.1:1/x", "https://"])
def test_redirect_astray(tmp_path, server, away):
    server.away = away
    answer = pull(tmp_path, server, "away")
    assert_refused(tmp_path, answer, DENIED)


def test_redirect_to_link_local(tmp_path, server):
    """The server of a cloud that knows its secrets: not even from loopback."""
    server.away = "http://169.254.169.254/latest/meta-data/"
    assert_refused(tmp_path, pull(tmp_path, server, "away", plain_http=[server.host, "169.254.169.254"]), DENIED, "169.254.169.254")


def test_redirect_to_plain(tmp_path, safe, elsewhere):
    """From https to http never, whatever is listed; to https it is followed."""
    server, env = safe
    server.away = f"{elsewhere.here}/store/{LARGE}"
    refused = pull(tmp_path, server, "away", env, plain_http=[elsewhere.host])
    assert_refused(tmp_path, refused, DENIED, "plain http")
    assert not asked_for(elsewhere, LARGE)
    server.away = f"/store/{LARGE}"
    assert_whole(tmp_path, pull(tmp_path, server, "away", env, plain_http=[]))


def test_never_enough(tmp_path, server):
    login(tmp_path, server.host)
    for lie in ("never-enough", "never-enough-tokens"):
        server.heard.clear()
        assert_refused(tmp_path, pull(tmp_path, server, lie), DENIED)
        assert len(server.heard) < 12
    assert_whole(tmp_path, pull(tmp_path, server, "basic"))


def test_token_server_elsewhere(tmp_path, server, elsewhere):
    """It gets the password only if it is listed; at the registry's own host it does. The scope is ours, not what the registry wants."""
    login(tmp_path, server.host)
    plain = [server.host, elsewhere.host]
    server.realm = f"{elsewhere.here}/token"
    assert_whole(tmp_path / "a", pull(tmp_path / "a", server, "token", plain_http=plain, auth=str(tmp_path / ".docker/config.json")))
    (_, headers), = asked_for(elsewhere, "/token?")
    assert "Authorization" not in headers
    assert all("secret" not in path and "scope=repository:token/img:pull" in path for _, path, _ in elsewhere.heard)
    elsewhere.heard.clear()
    more = {"plain_http": plain, "auth": str(tmp_path / ".docker/config.json"), "token_hosts": [elsewhere.host]}
    assert_whole(tmp_path / "b", pull(tmp_path / "b", server, "token", **more))
    assert [headers.get("Authorization") for _, headers in asked_for(elsewhere, "/token?")] == [liar.PAIR]
    server.realm = f"{server.here}/token"
    assert_whole(tmp_path / "c", pull(tmp_path / "c", server, "token", auth=str(tmp_path / ".docker/config.json")))
    assert [headers.get("Authorization") for _, headers in asked_for(server, "/token?")] == [liar.PAIR]


@pytest.mark.parametrize("at,kind,word", [("bad-token", 12, "invalid answer"), ("no-token", DENIED, "token"), ("endless-token", LIMIT, "more than"),
                                          ("moved-token", DENIED, "not followed")])
def test_bad_token_server(tmp_path, server, elsewhere, at, kind, word):
    login(tmp_path, server.host)
    server.realm = f"{server.here}/{at}"
    assert_refused(tmp_path, pull(tmp_path, server, "token", plain_http=[server.host, elsewhere.host]), kind, word)
    assert not asked_for(elsewhere, "token")


@pytest.mark.parametrize("realm", ["http://127.0.0.2:9/token", "ftp://127.0.0.1/token", "http://169.254.169.254/token", "http://a:b@127.0.0.1/token"])
def test_realm_astray(tmp_path, safe, realm):
    """From a registry with TLS to a token server without; and to what is no place to ask."""
    server, env = safe
    server.realm = realm
    assert_refused(tmp_path, pull(tmp_path, server, "token", env, plain_http=["169.254.169.254", "127.0.0.2"]), DENIED)


def test_mirror_lies(tmp_path, server, elsewhere):
    """The digest decides: the next one is asked. A mirror is not told the registry's password."""
    login(tmp_path, server.host)
    mirrors = {server.host: [f"{elsewhere.here}/wrong-blob", f"{elsewhere.here}/short"]}
    answer = reg.pull(tmp_path, f"{server.host}/basic/img:1", plain_http=[server.host, elsewhere.host], mirrors=mirrors, **QUICK)
    assert_whole(tmp_path, answer)
    assert asked_for(elsewhere, LARGE) and all("Authorization" not in headers for _, headers in asked_for(elsewhere, ""))
    assert [path.startswith("/v2/basic/") for _, path, _ in server.heard]


def store(home):
    place = pathlib.Path(home) / "images/blobs/sha256"
    place.mkdir(parents=True)
    for name, data in {**IMAGE.blobs, IMAGE.digest: IMAGE.manifest}.items():
        (place / name.split(":")[1]).write_bytes(data)


def push(home, server, lie, **more):
    return reg.push(home, IMAGE.digest, f"{server.host}/{lie}/img:1", **{"plain_http": [server.host], **QUICK, **more})


def test_upload_breaks(tmp_path, server):
    """Each blob once more, from the start."""
    store(tmp_path)
    assert push(tmp_path, server, "upload-break").ok == {"digest": IMAGE.digest, "sent": 3, "there": 0}
    bodies = [int(headers["Content-Length"]) for method, path, headers in server.heard if method == "PUT" and "/blobs/" in path]
    assert sorted(bodies) == sorted(2 * [len(data) for data in IMAGE.blobs.values()])


def test_upload_elsewhere(tmp_path, server, elsewhere, safe):
    store(tmp_path)
    server.away = f"{elsewhere.here}/takes/it"
    assert push(tmp_path, server, "upload", plain_http=[server.host, elsewhere.host]).ok["sent"] == 3
    assert len(asked_for(elsewhere, "/takes")) == 3
    for away in ("ftp://127.0.0.1/", "http://169.254.169.254/x", "https://a:b@127.0.0.1/"):
        server.away = away
        assert push(tmp_path, server, "upload", plain_http=[server.host, "169.254.169.254"]).error["kind"] == DENIED
    other, env = safe
    elsewhere.heard.clear()
    other.away = f"{elsewhere.here}/takes/it"
    assert push(tmp_path, other, "upload", env=env, plain_http=[elsewhere.host]).error["kind"] == DENIED
    assert not elsewhere.heard


INSIDE = """
import json, subprocess, sys
sys.path[:0] = json.loads(sys.argv[1])
import liar, registry as reg
import pathlib
for words in (["ip", "link", "set", "lo", "up"], *(["ip", "addr", "add", f"{a}/32", "dev", "lo"] for a in ("192.0.2.1", "192.0.2.2", "10.9.8.7")),
              ["mount", "--bind", sys.argv[3], "/etc/hosts"]):
    subprocess.run(words, check=True)
image = reg.Image({"a": b"1"}, {"b": b"2"})
home, said = pathlib.Path(sys.argv[2]), {}
with liar.liar("0.0.0.0", image=image, port=80) as server:
    for name, host, away in json.load(sys.stdin):
        server.away = f"http://{away}/store/{reg.digest(image.layers[-1])}"
        server.realm = f"http://{away}/token"
        server.heard.clear()
        for lie in ("away", "token"):
            answer = reg.pull(home / name / lie, f"{host}:80/{lie}/img:1", plain_http=["registry.test", "store.test", "near.test", "own.test", away], pause_ms=1)
            said[f"{name} {lie}"] = {"error": answer.error, "led": [path for _, path, _ in server.heard if not path.startswith("/v2/")]}
print(json.dumps(said))
"""


def test_public_registry_leads_inside(tmp_path):
    """A registry in the internet, as seen from a network of our own: it may lead to the internet only, a near one to near places, too.
    What counts is the address that a name has when it is used."""
    hosts = tmp_path / "hosts"
    hosts.write_text("192.0.2.1 registry.test\n192.0.2.2 store.test\n10.9.8.7 near.test\n127.0.0.1 own.test localhost\n")
    rows = [("public-public", "registry.test", "store.test", True), ("public-loopback", "registry.test", "127.0.0.1", False),
            ("public-number", "registry.test", "2130706433", False), ("public-six", "registry.test", "[::1]", False),
            ("public-private", "registry.test", "10.9.8.7", False), ("public-name", "registry.test", "own.test", False),
            ("public-near-name", "registry.test", "near.test", False), ("near-near", "near.test", "10.9.8.7", True),
            ("near-loopback", "near.test", "own.test", False), ("own-own", "own.test", "127.0.0.1", True)]
    with_user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    done = subprocess.run(["unshare", *with_user, "--net", "--mount", sys.executable, "-B", "-c", INSIDE, json.dumps([p for p in sys.path if p]), str(tmp_path),
                           str(hosts)], input=json.dumps([row[:3] for row in rows]), capture_output=True, text=True, timeout=pace.HANGS, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    for name, _, _, may in rows:
        for lie in ("away", "token"):
            answer = said[f"{name} {lie}"]
            if may:
                assert answer["error"] is None and answer["led"], (name, lie, answer)
            else:
                assert answer["error"]["kind"] == DENIED and not answer["led"], (name, lie, answer)


def test_killed_while_it_waits(tmp_path, server):
    """Nobody's end leaves more than a part that the next one goes on with; whoever listens is told."""
    (tmp_path / "images").mkdir()
    p = reg.start(tmp_path, {"do": "fetch", "from": "registry", "source": f"{server.host}/drip/img:1", "blobs": f"{tmp_path}/images/blobs",
                             "plain_http": [server.host]})
    assert "progress" in p.stdout.readline()
    p.send_signal(signal.SIGTERM)
    p.wait(timeout=pace.HANGS)
    p.stdout.close()
    assert IMAGE.digest not in reg.blobs(tmp_path)
    assert_whole(tmp_path, pull(tmp_path, server, "honest"))
