# SPDX-License-Identifier: Apache-2.0
"""policy.json of a pseudo-image holds for everything that runs in its boxes; each test has its control without it.

The same file runs as root and as an ordinary user.
"""
import json
import os
import sqlite3
import subprocess

import box
import image_trees as images
import images as layouts
import promote
import pytest

LABEL = "aisbx.pseudo.policy"


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    shelf = promote.Shelf(tmp_path)
    yield shelf
    images.clean(shelf)


def add(shelf, **policy):
    """bb:free has no policy, bb:bound has this one, on the same layers."""
    top = images.tree(shelf.root / "tree", files={"srv/f": "1"}, links={"bin/sync": "busybox", "bin/chown": "busybox"})
    images.add(shelf, "bb:free", top)
    images.add(shelf, "bb:bound", top, config={"Labels": {LABEL: json.dumps(policy)}})


def refused(shelf, *words):
    status, result = shelf.call(*words)
    assert status == 125, (words, result)
    return result["error"]["text"]


def test_caps(shelf):
    """Only of root's boxes: nobody else's have any."""
    add(shelf, caps=["FOWNER"])
    for name in ("free", "bound"):
        shelf.ok("create", "--from", f"bb:{name}", name)
    command = ("--", "sh", "-c", "chown 7:7 /srv/f 2>/dev/null; stat -c %u /srv/f")
    free, bound = (shelf.ok("run", "--box", name, *command) for name in ("free", "bound"))
    once = images.run(shelf, "bb:bound", *command[1:])
    assert bound["stdout"] == once["stdout"] == "0\n"
    if box.IS_ROOT:
        assert free["stdout"] == "7\n" and "chown" in free["isolation"]["caps"]
    assert [r["isolation"]["caps"] for r in (bound, once)] == ([["fowner"]] * 2 if box.IS_ROOT else [[]] * 2)


def test_a_policy_gives_nothing(shelf):
    add(shelf, caps=["SYS_ADMIN", "NET_ADMIN", "CHOWN"], seccomp="default", net="any")
    for options in ((), ("--profile", "strict")):
        free, bound = (images.run(shelf, f"bb:{name}", "sh", "-c", "mount -t tmpfs x /srv; ls /sys/class/net; cat /etc/resolv.conf", options=options)
                       for name in ("free", "bound"))
        assert set(bound["isolation"]["caps"]) <= set(free["isolation"]["caps"])
        assert bound["stdout"] == free["stdout"]


def test_seccomp(shelf):
    """Calls that the preset has not are refused in runs, boxes, and for who joins; no option brings them back."""
    add(shelf, seccomp="shell")
    free = images.run(shelf, "bb:free", "sync")
    assert free["violations"] == []
    shelf.ok("create", "--from", "bb:bound", "b")
    for options in ((), ("--seccomp", "default")):
        for result in (images.run(shelf, "bb:bound", "sync", options=options), shelf.call("run", "--box", "b", *options, "--", "sync")[1]):
            assert {v["what"] for v in result["violations"]} == {"sync"}
            assert result["violations"][0]["allow_with"] == "--without seccomp" and "seccomp=shell" in result["violations"][0]["rule"]
    kept = images.run(shelf, "bb:bound", "sync", options=("--seccomp", "python"))
    assert "seccomp=python" in kept["violations"][0]["rule"], "the person's own preset stays"


@pytest.mark.parametrize("net", ["none", "loopback"])
def test_net(shelf, net):
    """What the profile gives is taken away; what somebody asks for besides is refused before it is kept."""
    add(shelf, net=net)
    (shelf.root / "open.yaml").write_text("extends: dev\nnet: allow\negress: [example.org:443]\n")
    profile = ("--profile", str(shelf.root / "open.yaml"))
    look = ("sh", "-c", "cat /etc/resolv.conf; ls /sys/class/net 2>/dev/null; cat /proc/net/dev")
    assert "nameserver" in images.run(shelf, "bb:free", *look, options=profile)["stdout"]
    assert "nameserver" not in images.run(shelf, "bb:bound", *look, options=profile)["stdout"]
    for words in (("--net", "example.org:443"), ("--net", "allow"), ("--net", "ask"), ("--net", "net:unix:/run/x")):
        assert "the policy of the image leaves" in refused(shelf, "run", "--image", "bb:bound", *words, "--", "true"), words
        assert "the policy of the image leaves" in refused(shelf, "create", "--from", "bb:bound", *words, "no"), words
    assert images.run(shelf, "bb:bound", "true", options=("--net", "none"))["exit_code"] == 0
    assert {b["name"] for b in shelf.ok("ls", "--all")["boxes"]} == set()
    shelf.ok("create", "--from", "bb:bound", "b")
    assert "the policy of the image leaves" in refused(shelf, "allow", "example.org:443", "--box", "b")
    published = shelf.call("run", "--image", "bb:bound", "--publish", "0:80", "--", "true")
    assert published[0] == (125 if net == "none" else 0), published
    shelf.ok("create", "--from", "bb:free", "f")
    shelf.ok("allow", "example.org:443", "--box", "f")


@pytest.mark.parametrize("name", ["free", "bound"])
def test_net_of_a_live_box(shelf, name):
    """Rules and ports cannot be added while it runs either."""
    add(shelf, net="none")
    shelf.ok("create", "--from", f"bb:{name}", "b")
    run = shelf.ok("run", "--detach", "--box", "b", "--", "sleep", "600")["run"]
    try:
        allowed, published = shelf.call("allow", "example.org:443", "--box", "b"), shelf.call("ports", "b", "--publish", "0:80")
        want = 0 if name == "free" else 125
        assert (allowed[0], published[0]) == (want, want), (allowed, published)
        if want:
            assert "policy of the image" in allowed[1]["error"]["text"] and "policy of the image" in published[1]["error"]["text"]
            assert shelf.ok("exec", "b", "--", "true")["exit_code"] == 0, "who joins has the same network"
    finally:
        shelf.ok("kill", run)


@pytest.mark.parametrize("label, told", [("{", "policy.json"), ('{"caps":["FLY"]}', "does not know"), ('{"seccomp":"tight"}', "does not know"),
                                         ('{"more":1}', "nothing else"), ("", "policy.json")])
def test_not_understood(shelf, label, told):
    """Such an image does not come in; one that is there nevertheless does not run, nor what was made from it."""
    add(shelf, net="none")
    program = box.need(f"{os.environ['AISBX_TEST_BIN']}/add-image")
    config = json.dumps({"config": {**images.HERE, "Labels": {LABEL: label}}})
    done = subprocess.run([program, "bb:odd", config, str(shelf.root / "tree")], env=shelf.env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0 and told in done.stderr, done
    shelf.ok("create", "--from", "bb:bound", "b")
    shelf.ok("run", "--box", "b", "--", "true")
    store = sqlite3.connect(shelf.state / "store.db")
    with store:
        assert store.execute("UPDATE images SET config = ? WHERE config LIKE ?", (config, f"%{LABEL}%")).rowcount == 1
    store.close()
    for words in (("run", "--box", "b", "--", "true"), ("run", "--image", "bb:bound", "--", "true"), ("file", "ls", "b", "/")):
        status, result = shelf.call(words[0], *words[1:]) if words[0] != "file" else shelf.call("file ls", *words[2:])
        assert status == 125 and told in result["error"]["text"], result


def test_inherited(shelf):
    """Forks and templates stand on the same image."""
    add(shelf, seccomp="shell")
    shelf.ok("create", "--from", "bb:bound", "b")
    shelf.sh("b", "true")
    shelf.ok("fork", "b", "--name", "f")
    shelf.ok("template save", "b", "t")
    shelf.ok("create", "--from", "t", "g")
    for name in ("f", "g"):
        assert [v["what"] for v in shelf.call("run", "--box", name, "--", "sync")[1]["violations"]] == ["sync"], name
    shelf.ok("template rm", "t")


@pytest.mark.parametrize("policy, words", [
    ({"caps": ["CHOWN", "FOWNER"], "seccomp": "default", "net": "none"}, "at most the capabilities CHOWN, FOWNER; system calls of 'default'; no network"),
    ({"caps": []}, "no capabilities"), ({"net": "loopback"}, "its own loopback only"), ({"net": "any"}, "any network that the profile allows")])
def test_shown(shelf, policy, words):
    """By the image and by its boxes, to programs and to people; one without a policy says nothing."""
    whole = {"caps": None, "seccomp": None, "net": None, **policy}
    for name, want in ("free", None), ("bound", whole):
        layout = layouts.Layout(shelf.root / name, layouts.tar(layouts.rootfs()), config={"Labels": {LABEL: json.dumps(policy)} if want else {}})
        assert shelf.end(shelf.start("image", "import", "--json", "--name", f"of:{name}", layout.path))[0] == 0
        shelf.ok("create", "--from", f"of:{name}", name)
        status, image = shelf.end(shelf.start("image", "show", "--json", f"of:{name}"))
        assert status == 0 and image["policy"] == want and shelf.ok("show", name)["policy"] == want, image
        for command in ("image", "show", f"of:{name}"), ("show", name):
            with shelf.start(*command, text=True) as p:
                out = p.communicate(timeout=60)[0]
            said = [line.split(maxsplit=1)[1] for line in out.splitlines() if line.startswith("policy")]
            assert said == ([words] if want else []), out
