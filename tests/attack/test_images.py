# SPDX-License-Identifier: Apache-2.0
"""Attacks 23 to 26: images that were made to redirect what is mounted into their boxes. What a box has of its own lies where it says,
and follows no link of the image; each image has a control, the same one without the link.

The same file runs as root and as an ordinary user.
"""
import os
import pty
import shutil
import subprocess

import box
import image_trees as images
import promote
import pytest

OWN_PLACES = ("dev", "proc", "run", "sys", "tmp")


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    shelf = promote.Shelf(tmp_path)
    yield shelf
    images.clean(shelf)


def refused(shelf, image):
    """What aisbx says: it starts nothing on top of IMAGE, neither once nor in a box that stays."""
    status, result = shelf.call("run", "--image", image, "--", "true")
    assert status == 125 and "isolation" not in result, result
    shelf.ok("create", "--from", image, "hostile")
    again, told = shelf.call("run", "--box", "hostile", "--", "true")
    assert again == 125 and "isolation" not in told, told
    assert shelf.ok("diff", "hostile")["changes"] == [], "nothing was made where the link leads"
    shelf.ok("rm", "hostile")
    return str(result)


@pytest.mark.parametrize("name", OWN_PLACES)
@pytest.mark.parametrize("target", ["/etc", "etc", "../../../etc", "/proc/self/root", "missing"])
def test_026_a_place_is_a_link(shelf, name, target):
    """Nothing is mounted where the link leads: not in the image, and least of all outside."""
    images.busybox(shelf, links={name: target}, files={"etc/mine": "1\n"})
    assert "not followed" in refused(shelf, "bb:1")
    images.busybox(shelf, "control:1", files={"etc/mine": "1\n", f"{name}/mine": "1\n"})
    assert images.run(shelf, "control:1", "cat", "/etc/mine")["stdout"] == "1\n"


@pytest.mark.parametrize("links", [{"run": "var/run"}, {"tmp": "/var/tmp"}, {"run": "../../var/run", "tmp": "var/t", "var/t": "volatile/tmp"}],
                         ids=["run", "tmp", "both"])
def test_026_a_place_is_a_link_below_var(shelf, links):
    """As real images have it: followed inside the image. What is put there goes with the run, and is on no disk."""
    where = {"run": "var/run", "tmp": "var/volatile/tmp" if "var/t" in links else "var/tmp"}
    files = {f"{where[name]}/of-image": "1\n" for name in ("run", "tmp") if name in links}
    images.busybox(shelf, links=links, files=files)
    shelf.ok("create", "--from", "bb:1", "b")
    for name in files:
        place = os.path.dirname(name)
        out = shelf.sh("b", f"test ! -e /{name}; echo x > /{place}/new; cat /{'run' if 'run' in place else 'tmp'}/new; mount | while read l; do case $l in "
                            f"*\\ on\\ /{place}\\ type\\ tmpfs*) echo tmpfs;; esac; done")
        assert out == "x\ntmpfs\n", out
        assert shelf.sh("b", f"ls -A /{place}; ls -A /run/lock") == ("lock\n" if "run" in place else ""), "of the last run nothing is left"
    assert shelf.ok("diff", "b")["changes"] == []


@pytest.mark.parametrize("links", [{"run": "var/x", "tmp": "var/x"}, {"run": "var/x", "tmp": "var/x/y"}, {"run": "var/way/x", "var/way": "../etc"}, {"tmp": "/var"},
                                   {"proc": "var/x"}, {"dev": "var/x"}, {"sys": "var/x"}, {"tmp": "var/loop", "var/loop": "loop"}])
def test_026_a_link_below_var_that_is_none(shelf, links):
    """Two places at one, a way through another link, or one of those that no image moves."""
    images.busybox(shelf, links=links, files={"var/x/y/mine": "1\n", "etc/x/mine": "1\n"})
    refused(shelf, "bb:1")


def test_026_a_box_that_moves_its_run(shelf):
    """A secret of who joins is never put where it would be kept: a box can replace the image's link, and gets nothing then."""
    images.busybox(shelf, links={"run": "var/run"}, files={"var/run/x": "1\n"})
    shelf.ok("create", "--from", "bb:1", "b")
    (shelf.root / "token").write_text("a-very-secret-value-0123456789\n")
    words = ("--secret", f"TOKEN=file:{shelf.root / 'token'},as=file")
    for script, works in ("true", True), ("rm /run; mkdir /run", False):
        with shelf.start("run", "--box", "b", "--", "sh", "-c", f"{script}; echo > /srv-ready; while test ! -e /stop; do sleep 0.05; done") as p:
            box.wait_until(lambda: shelf.call("exec", "b", "--", "test", "-e", "/srv-ready")[0] == 0)
            status, result = shelf.call("exec", "b", *words, "--", "sh", "-c", "wc -c < /run/secrets/TOKEN")
            shelf.call("exec", "b", "--", "sh", "-c", "rm /srv-ready; touch /stop")
            p.wait(60)
        shelf.sh("b", "rm /stop")
        if works:
            assert status == 0 and result["stdout"].strip() in ("30", "31"), result
        else:
            assert status == 125 and "no secret is put there" in str(result), result
    assert not [f for f in shelf.state.rglob("TOKEN")], "on no disk"


@pytest.mark.parametrize("name", OWN_PLACES)
def test_026_a_place_is_a_file(shelf, name):
    images.busybox(shelf, files={name: "1\n"})
    refused(shelf, "bb:1")
    images.busybox(shelf, "control:1", files={f"{name}/file": "1\n"})
    assert images.run(shelf, "control:1", "sh", "-c", f"test -d /{name} && test ! -e /{name}/file")["exit_status"] == 0, "control: a directory is covered"


def test_026_the_way_is_a_link(shelf):
    """Where names of the network would be put: what the link leads to is not covered, and is as it was."""
    outside = shelf.root / "outside"
    outside.mkdir()
    (outside / "hosts").write_text("outside\n")
    tree = images.tree(shelf.root / "tree", {"real/hosts": "of the image\n"})
    shutil.move(tree / "etc", tree / "real/etc")
    (tree / "etc").symlink_to("/real")
    images.add(shelf, "link:1", tree)
    assert images.run(shelf, "link:1", "cat", "/etc/hosts")["stdout"] == "of the image\n"
    away = images.tree(shelf.root / "away")
    shutil.rmtree(away / "etc")
    (away / "etc").symlink_to(outside)
    images.add(shelf, "away:1", away)
    images.run(shelf, "away:1", "sh", "-c", "cat /etc/hosts; true")
    assert (outside / "hosts").read_text() == "outside\n"
    images.busybox(shelf, "control:1", files={"etc/hosts": "of the image\n"})
    assert "localhost" in images.run(shelf, "control:1", "cat", "/etc/hosts")["stdout"], "control: a plain file is covered"


@pytest.mark.parametrize("name", ["hosts", "resolv.conf", "hostname"])
@pytest.mark.parametrize("target", ["/victim", "/proc/sys/kernel/hostname", "../../../../victim"])
def test_026_names_are_links(shelf, name, target):
    """The file is put on the link itself; what it points to is as it was, and can be written as any other file."""
    images.busybox(shelf, links={f"etc/{name}": target}, files={"victim": "as it was\n"})
    shelf.ok("create", "--from", "bb:1", "b")
    assert shelf.sh("b", f"cat /victim; echo x > /etc/{name}; cat /victim /etc/{name}") == "as it was\nas it was\nx\n"
    assert shelf.ok("diff", "b")["changes"] == []


def test_023_null_is_a_link(shelf):
    """CVE-2025-31133: what is hidden is covered by a file of the box's own, whatever the image calls /dev/null."""
    links = {f"dev/{name}": "/victim" for name in ("null", "zero", "full", "tty", "random", "urandom")}
    images.busybox(shelf, links=links, files={"victim": "as it was\n"})
    images.busybox(shelf, "control:1", files={"victim": "as it was\n"})
    script = "for f in /proc/keys /proc/kcore /proc/timer_list; do test ! -e $f || dd if=$f count=1 2>/dev/null; done; echo x > /dev/null; cat /victim; " \
             "test -c /dev/null && test -c /dev/zero && head -c 3 /dev/zero | wc -c; for f in /proc/keys /proc/sysrq-trigger; do echo x 2>/dev/null > $f; done; true"
    for name in ("bb:1", "control:1"):
        assert images.run(shelf, name, "sh", "-c", script)["stdout"] == "as it was\n3\n", name


def test_024_a_terminal_is_a_link(shelf):
    """CVE-2025-52565: the terminal of a box is one of its own devpts, whatever lies at /dev/pts/0 or /dev/console in the image."""
    images.busybox(shelf, links={"dev/pts/0": "../../victim", "dev/pts/1": "/victim", "dev/console": "/victim", "dev/ptmx": "/victim"},
                   files={"victim": "as it was\n"})
    images.busybox(shelf, "control:1", files={"victim": "as it was\n"})
    for name in ("bb:1", "control:1"):
        master, slave = pty.openpty()
        with subprocess.Popen([box.aisbx(), "run", "--tty", "--image", name, "--", "sh", "-c", "tty; test -c $(tty) && cat /victim"], stdin=slave,
                              stdout=slave, stderr=slave, cwd=shelf.project, env=shelf.env) as p:
            os.close(slave)
            text = b""
            try:
                while chunk := os.read(master, 4096):
                    text += chunk
            except OSError:  # everybody has closed it
                pass
            assert p.wait(60) == 0, text
        os.close(master)
        assert text.split() == [b"/dev/pts/0", b"as", b"it", b"was"], (name, text)


def bare(tree, script, *options):
    """What SCRIPT prints on TREE alone: a root directory, and none of the places that a box has of its own."""
    done = subprocess.run(["unshare", *(() if box.IS_ROOT else ("-r",)), "chroot", *options, tree, "/bin/sh", "-c", script], capture_output=True, text=True,
                          timeout=60, env={"PATH": "/bin:/usr/bin:/usr/sbin:/sbin"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_025_procfs_is_procfs(shelf):
    """CVE-2025-52881: what aisbx writes to /proc while it builds the box goes to a procfs, checked by its descriptor, not to what the image has there."""
    fake = {f"proc/{name}": "fake\n" for name in ("self/attr/exec", "sys/user/max_inotify_instances", "sys/fs/inotify/max_user_instances", "self/uid_map",
                                                  "sysrq-trigger", "keys", "self/status")}
    images.busybox(shelf, files=fake)
    shelf.ok("create", "--from", "bb:1", "b")
    assert "fake" not in shelf.sh("b", "cat /proc/self/status /proc/sys/user/max_inotify_instances")
    assert shelf.ok("diff", "b")["changes"] == [], "the image's own files below are as they were"
    out = bare(images.tree(shelf.root / "bare", files=fake), "echo x > /proc/self/attr/exec; cat /proc/self/attr/exec /proc/self/status")
    assert out == "x\nfake\n", "control: without a procfs on it, what is written goes to the image's file, and its lies are read"


@pytest.mark.parametrize("cwd", ["/proc/1", "/dev/new", "/sys/new", "/link/new", "/proc/self/root/etc", "/../../etc"])
def test_working_directories(shelf, cwd):
    """A directory that the image asks for is made in the box or not at all."""
    outside = shelf.root / "outside"
    outside.mkdir(mode=0o777)
    tree = images.tree(shelf.root / "tree", links={"link": str(outside)})
    images.add(shelf, "bb:1", tree, config={"WorkingDir": cwd})
    before = box.facts(shelf.root / "project", shelf.root / "home")
    shelf.call("run", "--image", "bb:1", "--", "pwd")
    assert os.listdir(outside) == [] and box.changed(before, box.facts(shelf.root / "project", shelf.root / "home")) == []
    if cwd.startswith("/link"):
        os.makedirs(f"{tree}{cwd}")
        assert os.listdir(outside) == ["new"], "control: who makes it from outside by its name makes it there"


@pytest.mark.parametrize("user", ["app", "victim", "0:victim"])
def test_users_are_the_image_s(shelf, user):
    """Links to this machine's passwd are no passwd: nobody is looked up there."""
    assert user not in ("app", "victim") or user not in open("/etc/passwd", encoding="utf-8").read().split()
    tree = images.tree(shelf.root / "tree")
    for name in ("passwd", "group"):
        (tree / "etc" / name).unlink()
        (tree / "etc" / name).symlink_to(shelf.root / name)
        (shelf.root / name).write_text("app:x:7:7::/:\nvictim:x:0:0::/:\n")
    images.add(shelf, "bb:1", tree, config={"User": user})
    status, result = shelf.call("run", "--image", "bb:1", "--", "true")
    assert status == 125 and "isolation" not in result
    images.busybox(shelf, "control:1", config={"User": "app"})
    assert images.run(shelf, "control:1", "true")["status"] == "ok"


def test_set_user_ids_have_no_effect(shelf):
    """A setuid program of an image gives nothing: no new privileges in a box, and no such mount."""
    tree = images.tree(shelf.root / "tree")
    images.add_program(tree, "/usr/bin/id")  # busybox gives such a right up by itself
    (tree / "usr/bin/id").chmod(0o6755)
    images.add(shelf, "bb:1", tree, config={"User": "app"})
    want = "1000" if box.IS_ROOT else "0"
    assert images.run(shelf, "bb:1", "/bin/sh", "-c", "/usr/bin/id -u")["stdout"].strip() == want
    if box.IS_ROOT:  # nobody else can become somebody else at all
        script = 'mount -t tmpfs -o suid x "$0" && cp -a "$1"/. "$0" && exec chroot --userspec=1000:1001 "$0" /usr/bin/id -u'
        (shelf.root / "on").mkdir()
        done = subprocess.run(["unshare", "-m", "sh", "-ec", script, shelf.root / "on", tree], capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout == "0\n", "control: without these walls it is root who runs"
