# SPDX-License-Identifier: Apache-2.0
"""Boxes that stand on an image: everything that boxes can do, on another system than this machine.

The same file runs as root and as an ordinary user.
"""
import os
import subprocess
import sys

import box
import image_trees as images
import promote
import pytest


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    shelf = promote.Shelf(tmp_path)
    yield shelf
    images.clean(shelf)


def kinds(result):
    return {c["path"]: c["kind"] for c in result["changes"]}


def said(shelf, *words):
    done = subprocess.run([box.aisbx(), *words], cwd=shelf.project, env=shelf.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 125, (words, done)
    return done.stderr


def test_nothing_of_this_machine(shelf):
    """Its root is the image's alone: of the host neither files nor variables, nor names, nor the home."""
    images.busybox(shelf, config={"Env": ["PATH=/bin", "A=1"]})
    (shelf.root / "home/secret").write_text("s")
    shelf.env["TOKEN_OF_MINE"] = "x"
    shelf.ok("create", "--from", "bb:1", "b")
    assert shelf.sh("b", "ls /").split() == ["bin", "dev", "etc", "proc", "run", "sys", "tmp"]
    found = dict(line.split("=", 1) for line in shelf.sh("b", "env").splitlines())
    assert set(found) - {"SHLVL", "PWD", "TERM", "COLORTERM", "NO_COLOR"} == {"PATH", "A", "HOME", "AISBX_BOX"}
    assert found["PATH"] == "/bin" and found["A"] == "1" and found["HOME"] == "/root"
    assert shelf.sh("b", "hostname; cat /etc/hostname; pwd") == "b\nb\n/\n"
    assert shelf.sh("b", "cat /etc/hosts").split()[:2] == ["127.0.0.1", "localhost"]
    assert "nameserver" not in shelf.sh("b", "cat /etc/resolv.conf"), "it has no network"
    assert shelf.sh("b", "find /bin /etc /run /tmp -name secret; id -u; id -g") == "0\n0\n"
    assert not os.path.exists("/etc/aisbx-was-here") and shelf.sh("b", "touch /etc/aisbx-was-here; ls /etc/aisbx-was-here")
    assert not os.path.exists("/etc/aisbx-was-here")


def test_settings(shelf):
    """Entrypoint and command as containers have them; a box that stays keeps all but the entrypoint."""
    images.busybox(shelf, config={"Entrypoint": ["echo", "in"], "Cmd": ["a", "b"], "WorkingDir": "/made/here", "Env": ["PATH=/bin", "V=a b"]})
    assert images.run(shelf, "bb:1")["stdout"] == "in a b\n"
    assert images.run(shelf, "bb:1", "x", "y")["stdout"] == "in x y\n"
    shelf.ok("create", "--from", "bb:1", "b")
    assert shelf.sh("b", 'pwd; echo "$V"') == "/made/here\na b\n"
    assert shelf.ok("run", "--box", "b")["stdout"] == "in a b\n"
    assert shelf.ok("run", "--box", "b", "--env", "V=mine", "-C", "/etc", "--", "sh", "-c", 'echo "$V"; pwd')["stdout"] == "mine\n/etc\n"


@pytest.mark.parametrize("user, want", [("app", (1000, 1001, "50")), ("1000", (1000, 1001, "50")), ("1000:50", (1000, 50, "")), ("app:more", (1000, 50, "")),
                                        ("7:8", (7, 8, "")), ("", (0, 0, "50 60")), ("root", (0, 0, "50 60"))])
def test_user(shelf, user, want):
    """By the image's own files. With one id all of them are that one, which is root inside, and it is told."""
    images.busybox(shelf, config={"User": user})
    result = images.run(shelf, "bb:1", "sh", "-c", "id -u; id -g; id -G; echo $HOME; touch /etc/new 2>/dev/null; echo $?")
    uid, gid, groups, home, wrote = result["stdout"].splitlines()
    if box.IS_ROOT and want[0]:
        assert (int(uid), int(gid)) == want[:2] and set(groups.split()) - {gid} == set(want[2].split())
        assert wrote == "1", "only the image's root may"
        assert "image_user" not in result
    else:
        assert (int(uid), int(gid), wrote) == (0, 0, "0")
        assert ("image_user" in result) == (want[0] != 0)
    assert home == {1000: "/home/app", 7: "/", 0: "/root"}[want[0]]


def test_no_such_user(shelf):
    images.busybox(shelf, config={"User": "daemon"})
    assert "the user 'daemon', which is not in its /etc/passwd" in said(shelf, "run", "--image", "bb:1", "--", "true")
    images.busybox(shelf, "big:1", config={"User": "70000"})
    assert "ids below 65536 only" in said(shelf, "run", "--image", "big:1", "--", "true")


def test_changes(shelf):
    """diff, snapshot, rollback, fork, files and artifacts, as of any box; compared with the image."""
    images.busybox(shelf, files={"srv/a": "1\n", "srv/b": "1\n", "srv/d/c": "1\n"})
    shelf.ok("create", "--from", "bb:1", "b")
    shelf.sh("b", "true")
    assert shelf.ok("diff", "b")["changes"] == [], "mount points and names are no changes of the box"
    shelf.sh("b", "echo 2 > /srv/a; rm /srv/b; rm -r /srv/d; mkdir /srv/d /opt; echo 3 > /opt/n")
    want = {"srv/a": "modified", "srv/b": "deleted", "srv/d/c": "deleted", "opt": "created", "opt/n": "created"}
    found = shelf.ok("diff", "b")
    assert kinds(found) == want and found["project"] == "/"
    assert kinds(shelf.ok("diff", "bb:1", "b")) == kinds(shelf.ok("diff", "image:bb:1", "b")) == want
    assert {p: k for p, k in kinds(shelf.ok("diff", "b", "bb:1")).items() if k != "deleted"} == {"srv/a": "modified", "srv/b": "created", "srv/d/c": "created"}
    assert "-1\n+2\n" in shelf.ok("diff", "--patch", "b")["patch"]
    shelf.ok("snap", "b", "one")
    shelf.sh("b", "echo 4 > /opt/n; touch /etc/late")
    assert kinds(shelf.ok("diff", "b@one", "b")) == {"opt/n": "modified", "etc/late": "created"}
    shelf.ok("fork", "b@one", "--name", "f")
    shelf.ok("create", "--from", "b@one", "g")
    shelf.ok("rollback", "b", "one")
    for name in ("b", "f", "g"):
        assert kinds(shelf.ok("diff", name)) == want, name
        assert shelf.sh(name, "cat /srv/a /opt/n; ls /srv/d") == "2\n3\n"
        assert shelf.ok("show", name)["image"] == shelf.ok("show", "b")["image"]
    assert shelf.ok("file read", "b", "/opt/n")["content"] == "3\n"
    promoted = shelf.promoted("b", "--artifact", "opt/n", "--to", shelf.project)
    assert (shelf.project / "n").read_text() == "3\n" and promoted["applied"]
    assert (shelf.project / "n").stat().st_uid == os.geteuid()
    for words in (["b"], ["b", "--system"], ["b", "--artifact", "opt/n"]):
        status, result = shelf.call("promote", *words)
        assert status == 125 or "error" in result, result
    assert not os.path.exists("/opt/n")


def test_two_images(shelf):
    base = images.tree(shelf.root / "base", {"srv/a": "1\n", "srv/b": "1\n"})
    images.add(shelf, "one:1", base)
    images.add(shelf, "two:1", base, images.tree(shelf.root / "more", {"srv/a": "2\n", "srv/n": "1\n"}, busybox=False))
    assert kinds(shelf.ok("diff", "one:1", "two:1")) == {"srv/a": "modified", "srv/n": "created"}
    shelf.ok("create", "--from", "two:1", "b")
    assert shelf.sh("b", "cat /srv/a /srv/b /srv/n") == "2\n1\n1\n"
    assert kinds(shelf.ok("diff", "one:1", "b")) == {"srv/a": "modified", "srv/n": "created"}
    assert shelf.ok("diff", "b")["changes"] == []
    assert "give two" in said(shelf, "diff", "one:1")


def test_project_only_where_asked(shelf):
    images.busybox(shelf)
    (shelf.project / "mine").write_text("1\n")
    look = ["sh", "-c", f"pwd; ls {shelf.project} 2>/dev/null || echo none"]
    assert images.run(shelf, "bb:1", *look)["stdout"] == "/\nnone\n"
    assert images.run(shelf, "bb:1", *look, options=["--here"])["stdout"] == f"{shelf.project}\nmine\n"
    assert images.run(shelf, "bb:1", *look, options=["--project", "."])["stdout"] == f"{shelf.project}\nmine\n"
    assert shelf.ok("create", "--from", "bb:1", "--project", shelf.project, "b")["project"] == str(shelf.project)
    assert shelf.ok("create", "--from", "bb:1", "c")["project"] is None
    shelf.sh("b", "echo 2 > mine; touch /etc/elsewhere")
    assert kinds(shelf.ok("diff", "b")) == {"mine": "modified"} and (shelf.project / "mine").read_text() == "1\n"
    assert kinds(shelf.ok("diff", "bb:1", "b")).get("etc/elsewhere") == "created"
    shelf.promoted("b")
    assert (shelf.project / "mine").read_text() == "2\n"


def test_throwaway(shelf):
    """Nothing stays of a run on top of an image, and the image does not change."""
    images.busybox(shelf)
    assert images.run(shelf, "bb:1", "sh", "-c", "touch /etc/x; rm /etc/passwd; ls /etc/x")["stdout"] == "/etc/x\n"
    assert images.run(shelf, "bb:1", "sh", "-c", "ls /etc/x /etc/passwd 2>/dev/null; true")["stdout"] == "/etc/passwd\n"
    assert len(os.listdir(shelf.state / "layers")) == 1


def test_exec_and_shell(shelf):
    """Others join such a box as any other; its shell is the image's own."""
    images.busybox(shelf)
    shelf.ok("create", "--from", "bb:1", "b")
    with shelf.start("run", "--box", "b", "--", "sh", "-c", "echo up; exec cat", stdin=subprocess.PIPE) as live:
        assert live.stdout.readline() == b"up\n"
        assert shelf.sh("b", "id -u; pwd; echo $HOME") == "0\n/\n/root\n"
        live.stdin.close()
        live.wait(30)
    done = subprocess.run([box.aisbx(), "shell", "b"], input="echo $0 $((1+1)); cat /etc/passwd\n", env={**shelf.env, "SHELL": "/bin/bash"}, cwd=shelf.project,
                          capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"/bin/sh 2\n{images.PASSWD}"


def test_from(shelf):
    """Which of all that may be meant is said, or asked."""
    images.busybox(shelf, "docker.io/library/thing:latest")
    images.busybox(shelf, "registry.example/a/b:1")
    for name in ("thing", "thing:latest", "docker.io/library/thing:latest", "image:thing"):
        shelf.ok("create", "--from", name)
    shelf.ok("create", "--from", "registry.example/a/b:1")
    shelf.ok("create", "thing")
    told = said(shelf, "create", "--from", "thing")
    assert "is a box and an image" in told and "'box:thing' or 'image:thing'" in told
    assert shelf.ok("create", "--from", "box:thing")["project"] == str(shelf.project)
    assert shelf.ok("create", "--from", "image:thing")["project"] is None
    assert shelf.ok("create", "--from", "host")["image"] is None
    assert "aisbx image pull nothing" in said(shelf, "create", "--from", "nothing")
    assert "omit --profile" in said(shelf, "create", "--from", "box:thing", "--profile", "strict")
    assert "no project to pin" in said(shelf, "create", "--from", "image:thing", "--pin")
    assert "contradict" in said(shelf, "run", "--box", "thing", "--image", "thing", "--", "true")


def test_long_chains_are_folded_above_the_image(shelf):
    """The layers of the image stay what they are, however many snapshots a box has."""
    base = images.tree(shelf.root / "base", {"srv/a": "1\n"})
    layers = [images.tree(shelf.root / f"l{i}", {f"srv/f{i}": f"{i}\n"}, busybox=False) for i in range(5)]
    images.add(shelf, "deep:1", base, *layers)
    shelf.ok("create", "--from", "deep:1", "b")
    before = set(os.listdir(shelf.state / "layers"))
    for i in range(66):
        if i % 16 == 0:
            shelf.sh("b", f"echo {i} > /srv/n; rm -f /srv/f{i // 16}")
        shelf.ok("snap", "b")
    shelf.sh("b", "echo end > /srv/n")
    shelf.ok("snap", "b")
    assert before < set(os.listdir(shelf.state / "layers"))
    assert shelf.sh("b", "cat /srv/a /srv/n; ls /srv") == "1\nend\na\nn\n"
    assert {p: k for p, k in kinds(shelf.ok("diff", "b")).items()} == {"srv/n": "created", **{f"srv/f{i}": "deleted" for i in (0, 1, 2, 3, 4)}}


def test_rebuilt(shelf):
    """A store that is lost is rebuilt with its images; their boxes still stand on them."""
    images.busybox(shelf, config={"Env": ["PATH=/bin", "V=1"]})
    shelf.ok("create", "--from", "bb:1", "b")
    shelf.sh("b", "echo 1 > /etc/n")
    for name in ("store.db", "store.db-wal", "store.db-shm", "store.db.log"):
        (shelf.state / name).unlink(missing_ok=True)
    shelf.ok("recover", "--rebuild")
    assert shelf.sh("b", "cat /etc/n; echo $V") == "1\n1\n"
    assert kinds(shelf.ok("diff", "bb:1", "b")) == {"etc/n": "created"}
    shelf.ok("gc")
    assert images.run(shelf, "bb:1", "true")["status"] == "ok"


def test_a_lost_image_is_no_host(shelf):
    """Without its image a box does not run: never on this machine instead."""
    image = images.busybox(shelf)
    shelf.ok("create", "--from", "bb:1", "b")
    python = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute('PRAGMA foreign_keys=ON'); d.execute('DELETE FROM images'); d.commit()"
    subprocess.run([sys.executable, "-c", python, shelf.state / "store.db"], check=True)
    told = said(shelf, "run", "--box", "b", "--", "true")
    assert image in told and "nothing can run in it" in told


@pytest.mark.parametrize("profile", box.PROFILES)
def test_profiles(shelf, profile):
    """A read-only system is one of an image, too."""
    images.busybox(shelf)
    result = images.run(shelf, "bb:1", "sh", "-c", "touch /etc/x 2>/dev/null; echo $?; touch /tmp/x /root 2>/dev/null; echo $?", options=["--profile", profile])
    assert result["stdout"].split()[0] == ("0" if profile == "dev" else "1")
    assert result["isolation"]["level"] == "full" and len(result["isolation"]["walls"]) == 13


def test_system_and_project(shelf):
    """A box with both: diff shows both, promotion is about the project alone."""
    images.busybox(shelf, files={"srv/a": "1\n", "var/lib/dpkg/status": "", "lib/apk/db/installed": "P:musl\nV:1.2.4-r1\nA:x86_64\n\n"})
    (shelf.project / "mine").write_text("1\n")
    shelf.ok("create", "--from", "bb:1", "--project", shelf.project, "b")
    shelf.ok("create", "--from", "bb:1", "c")
    shelf.sh("b", "true")
    assert shelf.ok("diff", "b")["system"] is None, "places to mount on are no changes"
    change = ("echo 2 > /srv/a; touch /etc/new; echo app2:x:7:7::/:/bin/sh >> /etc/passwd; "
              "printf 'Package: hello\\nStatus: install ok installed\\nVersion: 2.10-3\\nArchitecture: amd64\\n\\n' > /var/lib/dpkg/status; "
              "printf 'P:musl\\nV:1.2.5-r0\\nA:x86_64\\n\\nP:curl\\nV:8-r0\\nA:x86_64\\n\\n' > /lib/apk/db/installed")
    shelf.sh("b", f"echo 2 > {shelf.project}/mine; {change}")
    shelf.sh("c", change)
    found, alone = shelf.ok("diff", "--system", "b"), shelf.ok("diff", "c")
    assert kinds(found) == {"mine": "modified"} and found["project"] == str(shelf.project)
    assert {c["path"]: c["kind"] for c in found["system"]["changes"] if not c["noise"]} == {"/srv/a": "modified", "/etc/new": "created", "/etc/passwd": "modified"}
    for system in (found["system"], alone["system"]):
        assert {(p["name"], p["change"], p["version"], p["previous"], p["manager"]) for p in system["packages"]} == {
            ("hello", "installed", "2.10-3", None, "dpkg"), ("musl", "upgraded", "1.2.5-r0", "1.2.4-r1", "apk"), ("curl", "installed", "8-r0", None, "apk")}
        assert system["users"] == ["app2"]
    assert alone["project"] == "/" and alone["system"]["files"] == 0 and "srv/a" in kinds(alone), "files are listed once"
    shelf.promoted("b")
    assert (shelf.project / "mine").read_text() == "2\n" and not os.path.exists("/etc/new") and not (shelf.project / "srv").exists()
    status, result = shelf.call("promote", "b", "--system")
    assert status == 125 and "error" in result, "what it changed of its system is nothing of this machine's"
