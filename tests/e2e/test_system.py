# SPDX-License-Identifier: Apache-2.0
"""What a box of root changes outside of its project: told as packages, users and files, promoted on its own, undone; and who may not.

As root in a root file system of the test's own. As an ordinary user: the refusals.
"""
import os
import stat
import subprocess

import pytest

import own_root
from promotion import Shelf

ROOT = os.geteuid() == 0
HELLO = "dpkg -i hello-2.10-3.deb >/dev/null"


@pytest.fixture(name="root", scope="module")
def fixture_root(tmp_path_factory):
    return own_root.OwnRoot(tmp_path_factory.mktemp("system") / "root")


@pytest.fixture(name="clean")
def fixture_clean(root):
    """The root, as it was before; afterwards without boxes, and unchanged."""
    before = facts(root)
    yield root
    for p in root.ok("ls")["boxes"]:
        root.ok("rm", p["name"])
    now = facts(root)
    assert not [path for path in {*now, *before} if now.get(path) != before.get(path)], "the test did not take back what it promoted"


def facts(root):
    """Everything but the project and what aisbx keeps: mode, owner, content."""
    found = {}
    for here, dirs, files in os.walk(root.top):
        if here == str(root.top):
            dirs[:] = [d for d in dirs if d in ("etc", "usr", "opt", "var")]
            files = []
        for name in dirs + files:
            path = os.path.join(here, name)
            st = os.lstat(path)
            content = os.readlink(path) if stat.S_ISLNK(st.st_mode) else open(path, "rb").read() if stat.S_ISREG(st.st_mode) else None
            found[os.path.relpath(path, root.top)] = (st.st_mode, st.st_uid, st.st_gid, content)
    return found


@pytest.fixture(name="hello", scope="module")
def fixture_hello(root):
    root.deb("hello", "2.10-3")
    root.deb("hello", "2.12-1", files=[("usr/bin/NAME", "echo hello\n"), ("etc/NAME.conf", "x\n")])
    root.deb("other", "1.0")
    return root


def test_a_package_is_told_as_one(hello, clean):
    clean.box("b", HELLO)
    lines = clean.text("diff", "b").splitlines()
    assert lines[:3] == ["no changes", "1 package installed: hello 2.10-3", "/usr: 1 file changed"]
    system = clean.ok("diff", "b")["system"]
    assert system["packages"] == [{"name": "hello", "change": "installed", "version": "2.10-3", "previous": None, "manager": "dpkg"}]
    assert (system["files"], system["directories"]) == (1, [{"path": "/usr", "files": 1}]) and system["noise"] > 3 and "changes" not in system
    assert "+ file      /usr/bin/hello" in clean.text("diff", "--system", "b")
    everything = clean.ok("diff", "--system", "b")["system"]["changes"]
    assert {c["path"] for c in everything if not c["noise"]} == {"/usr/bin/hello"}
    assert not [c for c in everything if "shadow" in c["path"]], "what aisbx gave the box is no change of it"


def test_a_box_that_changed_nothing_of_the_system(clean):
    clean.box("b", "echo x > /project/x; true > /tmp/x")
    assert clean.ok("diff", "b")["system"] is None
    assert clean.text("promote", "--system", "b") == "nothing to promote\n"


def test_a_package_by_files_and_back(hello, clean):
    before = facts(clean)
    clean.box("b", HELLO)
    status, asked = clean.call("promote", "--system", "b")
    assert status == 1 and not asked["applied"] and facts(clean) == before, "the system always needs --yes"
    assert not clean.ok("promote", "--system", "b", "--dry-run", "--yes")["applied"]
    made = clean.ok("promote", "--system", "b", "--yes")
    assert made["applied"] and made["target"] == "/"
    st = os.stat(clean.top / "usr/bin/hello")
    assert (st.st_uid, st.st_gid, st.st_mode & 0o7777) == (0, 0, 0o755), "ids are those of the host, not the box's"
    query = subprocess.run(["dpkg-query", f"--admindir={clean.top}/var/lib/dpkg", "-W", "hello"], check=True, capture_output=True, text=True)
    assert query.stdout == "hello\t2.10-3\n"
    assert clean.ok("diff", "b")["system"]["files"] == 0
    clean.box("b", "dpkg -i other-1.0.deb >/dev/null")
    clean.ok("promote", "--system", "b", "--yes")
    assert clean.has("usr/bin/other"), "what was promoted is the base of the next one: dpkg's status is no conflict"
    for _ in range(2):
        clean.ok("undo", "--box", "b")
    assert facts(clean) == before


def test_upgraded_removed_and_unpacked(hello, clean):
    clean.box("a", HELLO)
    clean.ok("promote", "--system", "a", "--yes")
    clean.box("up", "dpkg -i hello-2.12-1.deb >/dev/null")
    assert "1 package upgraded: hello 2.12-1 (was 2.10-3)" in clean.text("diff", "up")
    clean.box("gone", "dpkg -P hello >/dev/null")
    assert "1 package removed: hello 2.10-3" in clean.text("diff", "gone")
    clean.box("half", "dpkg --unpack other-1.0.deb >/dev/null")
    assert "1 package unpacked: other 1.0" in clean.text("diff", "half")
    assert clean.text("promote", "--system", "--packages", "up") == "apt-get install hello=2.12-1\n"
    assert clean.text("promote", "--system", "--packages", "gone") == "apt-get remove hello\n"
    clean.ok("undo", "--box", "a")


@pytest.mark.parametrize("mounts", [[], ["var/log"]], ids=["one", "several"])
def test_packages_that_changed_on_both_sides(hello, clean, mounts, monkeypatch):
    """The notes of a package manager are never merged, and files without them are not promoted either."""
    monkeypatch.setattr(clean, "mounts", mounts)
    clean.box("a", HELLO)
    clean.box("b", "dpkg -i other-1.0.deb >/dev/null")
    clean.ok("promote", "--system", "a", "--yes")
    assert clean.ok("diff", "b")["system"]["packages"][0]["name"] == "other", "what the host got meanwhile is not told as removed"
    assert len(clean.ok("diff", "b")["system"]["packages"]) == 1
    status, result = clean.call("promote", "--system", "b", "--yes")
    assert status == 1 and {c["path"] for c in result["conflicts"]} >= {"var/lib/dpkg/status"}
    for how in ("keep", "overwrite", "mark", "both"):
        status, result = clean.call("promote", "--system", "b", "--yes", "--conflict", how)
        assert status == 125 and "--packages" in result["error"]["text"], how
    assert not clean.has("usr/bin/other")
    assert clean.text("promote", "--system", "--packages", "b") == "apt-get install other=1.0\n"
    clean.ok("undo", "--box", "a")


TRAPS = {
    "etc/sudoers.d/x": "echo x > /etc/sudoers.d/x", "etc/cron.d/x": "echo x > /etc/cron.d/x", "etc/ld.so.preload": "echo /x > /etc/ld.so.preload",
    "etc/profile.d/x.sh": "echo x > /etc/profile.d/x.sh", "etc/pam.d/login": "echo x > /etc/pam.d/login",
    "etc/systemd/system/x.service": "echo x > /etc/systemd/system/x.service", "etc/apt/apt.conf.d/x": "echo x > /etc/apt/apt.conf.d/x",
    "usr/lib/systemd/system/x.timer": "echo x > /usr/lib/systemd/system/x.timer", "etc/passwd": "echo eve:x:0:0::/:/bin/sh >> /etc/passwd",
    "usr/local/bin/ls": "cp /usr/bin/true /usr/local/bin/ls", "usr/bin/cat": "echo x >> /usr/bin/cat", "opt/s": "cp /usr/bin/true /opt/s; chmod 4755 /opt/s",
    "usr/local/bin": "chmod 777 /usr/local/bin", "usr/share/mine": "mkdir -p /usr/share; echo x > /usr/share/mine; chown 1000 /usr/share/mine",
    "etc/Cron.d/x": "mkdir /etc/Cron.d; echo x > /etc/Cron.d/x",
}


def test_traps(clean):
    dirs = "etc/sudoers.d etc/profile.d etc/pam.d etc/systemd/system etc/apt/apt.conf.d usr/lib/systemd/system"
    script = "; ".join([f"mkdir -p {' '.join('/' + d for d in dirs.split())}", *TRAPS.values(), "echo plain > /etc/plain; echo x > /opt/plain"])
    clean.box("b", script)
    _, result = clean.call("promote", "--system", "b")
    assert {t["path"] for t in result["traps"]} == set(TRAPS)
    assert clean.ok("diff", "b")["system"]["users"] == ["eve"] and "1 user added: eve" in clean.text("diff", "b")


def test_passwords_stay(clean):
    """A box has names without hashes: brought home, nobody could log in any more."""
    real = clean.read("etc/shadow")
    clean.box("b", "echo 'eve:x:1234:1234::/:/bin/sh' >> /etc/passwd; echo 'root::0:0:99999:7:::' > /etc/shadow; rm -f /etc/gshadow; echo x > /etc/shadow-")
    result = clean.ok("promote", "--system", "b", "--yes")
    assert clean.read("etc/shadow") == real and not clean.has("etc/shadow-") and "eve" in clean.read("etc/passwd")
    assert [s for s in result["stayed"] if "/etc/shadow" in s]
    clean.ok("undo", "--box", "b")


def test_owners_modes_and_special_files(clean):
    clean.box("b", "mkdir /opt/d; echo x > /opt/d/f; chown 1000:1001 /opt/d/f; chmod 6755 /opt/d/f; ln -s /etc/plain /opt/l; mkfifo /opt/p; "
                   "chown 7:8 /opt/d; ln /opt/d/f /opt/d/g")
    result = clean.ok("promote", "--system", "b", "--yes")
    st = os.stat(clean.top / "opt/d/f")
    assert (st.st_uid, st.st_gid, st.st_mode & 0o7777, st.st_nlink) == (1000, 1001, 0o6755, 2)
    assert (os.stat(clean.top / "opt/d").st_uid, os.stat(clean.top / "opt/d").st_gid) == (7, 8)
    assert os.readlink(clean.top / "opt/l") == "/etc/plain" and not clean.has("opt/p")
    assert [t for t in result["traps"] if t["kind"] == "setuid"] and [x for x in result["left"] if x["path"] == "opt/p"]
    clean.ok("undo", "--box", "b")


def test_both_sides_changed_a_file(clean):
    clean.write("etc/both", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    clean.write("etc/same", "a\n")
    clean.box("b", "sed -i s/1/one/ /etc/both; echo box > /etc/same")
    clean.write("etc/both", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
    clean.write("etc/same", "host\n")
    status, result = clean.call("promote", "--system", "b", "--yes")
    assert status == 1 and [c["path"] for c in result["conflicts"]] == ["etc/same"]
    clean.ok("promote", "--system", "b", "--yes", "/etc/both")
    assert clean.read("etc/both") == "one\n2\n3\n4\n5\n6\n7\n8\nnine\n" and clean.read("etc/same") == "host\n"
    for name in ("both", "same"):
        (clean.top / "etc" / name).unlink()


def test_neither_the_project_nor_the_state_nor_logs(clean):
    (clean.top / "project/p").write_text("1\n")
    clean.box("b", "echo 2 > /project/p; echo x > /var/log/x; mkdir -p /var/cache/x; echo x > /var/cache/x/y; echo x > /etc/x")
    result = clean.ok("promote", "--system", "b", "--yes")
    assert [c["path"] for c in result["changes"]] == ["etc/x"] and clean.read("project/p") == "1\n"
    assert any("logs, caches" in s for s in result["stayed"])
    clean.ok("undo", "--box", "b")


def test_snapshots_and_forks(clean):
    before = facts(clean)
    clean.box("b", "echo 1 > /etc/x")
    clean.ok("snap", "b", "one")
    clean.box("b", "echo 2 > /etc/x; echo y > /etc/y")
    assert clean.ok("diff", "b@one")["system"]["files"] == 1 and clean.ok("diff", "b")["system"]["files"] == 2
    clean.ok("promote", "--system", "b@one", "--yes")
    assert clean.read("etc/x") == "1\n" and not clean.has("etc/y")
    clean.ok("undo", "--box", "b")
    clean.ok("fork", "b@one", "--name", "f")
    clean.box("f", "echo f > /etc/f")
    clean.ok("promote", "--system", "f", "--yes")
    assert clean.read("etc/x") == "1\n" and clean.read("etc/f") == "f\n"
    clean.ok("undo", "--box", "f")
    assert facts(clean) == before


def test_undo_leaves_what_changed_since(clean):
    clean.box("b", "echo 1 > /etc/x; echo 1 > /etc/y")
    made = clean.ok("promote", "--system", "b", "--yes")
    clean.write("etc/x", "mine\n")
    status, result = clean.call("undo", made["promotion"])
    assert status == 1 and [c["path"] for c in result["conflicts"]] == ["etc/x"]
    clean.ok("undo", made["promotion"], "--conflict", "keep")
    assert clean.read("etc/x") == "mine\n" and not clean.has("etc/y")
    (clean.top / "etc/x").unlink()


def test_pip_and_usr_local(clean):
    site = "/usr/local/lib/python3.11/dist-packages"
    clean.box("b", f"mkdir -p {site}/requests-2.31.0.dist-info {site}/requests/__pycache__; echo x > {site}/requests/a.py; "
                   f"echo x > {site}/requests/__pycache__/a.pyc; echo x > {site}/requests-2.31.0.dist-info/METADATA; mkdir '{site}/e;vil-1.dist-info'")
    lines = clean.text("diff", "b").splitlines()
    assert "1 package installed: requests 2.31.0 (pip)" in lines and "/usr/local: 2 files changed" in lines
    assert clean.text("promote", "--system", "--packages", "b") == "pip install requests==2.31.0\n"


@pytest.mark.parametrize("text", ["Package: -oops\nStatus: install ok installed\nVersion: 1\n", "Package: a;b\nStatus: install ok installed\nVersion: 1\n",
                                  "Package: a\nStatus: install ok installed\nVersion: $(id)\n", "Package: " + "a" * 5000 + "\nVersion: 1\n", "\\000\\n" * 50],
                         ids=["option", "shell", "version", "long", "nul"])
def test_hostile_notes(hello, clean, text):
    """What a box wrote there must not become part of a command that a person copies."""
    (clean.top / "project/status").write_text(text.encode().decode("unicode_escape") if text.startswith("\\") else text)
    clean.box("b", "cp /project/status /var/lib/dpkg/status; mkdir -p /var/lib/dpkg/info; touch '/var/lib/dpkg/info/a.list'")
    assert clean.text("promote", "--system", "--packages", "b") == "No packages were changed in the box.\n"


def test_notes_that_are_no_file(clean):
    for script in ("rm /var/lib/dpkg/status; mkfifo /var/lib/dpkg/status", "rm /var/lib/dpkg/status; ln -s /etc/shadow /var/lib/dpkg/status",
                   "mv /var/lib/dpkg /var/lib/x; ln -s /etc /var/lib/dpkg"):
        clean.box("b", script)
        clean.ok("diff", "b")
        clean.ok("rm", "b")


def test_usage(clean):
    clean.box("b", "echo x > /etc/x")
    for words in (["--packages"], ["--system", "--to", "/opt"], ["--system", "--artifact", "x"], ["--system", "--merge"]):
        status, result = clean.call("promote", "b", *words)
        assert status == 125 and result["status"] == "error", words


def test_an_ordinary_user_is_refused(tmp_path):
    shelf = Shelf(tmp_path)
    shelf.ok("create", "b")
    assert "only root" in shelf.refused("EPERM", "promote", "--system", "--yes", "b")
    assert "only root" in shelf.refused("EPERM", "promote", "--system", "--packages", "b")
    assert shelf.ok("diff", "b")["system"] is None
    shelf.ok("rm", "b")


# Each user has tests of its own.
for name in [n for n in globals() if n.startswith("test_") and (n == "test_an_ordinary_user_is_refused") == ROOT]:
    del globals()[name]
