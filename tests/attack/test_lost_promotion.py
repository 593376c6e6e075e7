# SPDX-License-Identifier: Apache-2.0
"""Attacks 148 and 149: work that a promotion, or taking one back, lost or stuck in: an edit nobody sees by size and time, access lists, links of
links, files that chattr protects, mounts, pipes.

Each with its control: what the host itself would do without a box, or the same without the obstacle.
"""
import contextlib
import os
import subprocess

import pytest

import box
from promote import Shelf, assert_same, path_of, tree, without_dir_times

WHEN = 1_600_000_000 * 10**9


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path)


def paths(rows):
    return {path_of(r).decode() for r in rows}


def sneak(path, data=b"HOST"):
    """As rsync -t, cp -p or touch -d leave it: another content, the same size, the same time."""
    st = path.stat()
    with open(path, "r+b") as f:
        f.write(data)
    os.utime(path, ns=(WHEN, WHEN))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (st.st_size, st.st_mtime_ns)


def test_148_an_edit_with_equal_size_and_time(shelf):
    """What the box deleted, or was too large to keep, and the host changed: asked about, never lost."""
    names = ["deleted", "dir/deleted", "large", "kept", "control", "dir2/control"]
    for name in names:
        path = shelf.project / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(os.urandom(5 << 20) if name == "large" else b"some text\n")
        os.utime(path, ns=(WHEN, WHEN))
    shelf.ok("create", "b")
    shelf.sh("b", "rm -r deleted dir dir2 control; printf BOX | dd of=large bs=1 seek=10 conv=notrunc; printf BOX | dd of=kept bs=1 conv=notrunc")
    for name in names[:4]:
        sneak(shelf.project / name)
    result = shelf.stopped("b")
    assert paths(result["conflicts"]) == {"deleted", "dir", "large", "kept"}, result
    assert paths(result["stale"]) == {"deleted", "dir", "large", "kept"}
    # Control: the same changes where the host did nothing go in.
    shelf.promoted("b", "--conflict", "keep")
    assert not (shelf.project / "control").exists() and not (shelf.project / "dir2").exists()
    assert (shelf.project / "deleted").read_bytes() == b"HOST text\n"


def test_148_what_changes_only_the_ctime_is_no_alarm(shelf):
    """Another name, permissions there and back, a rename there and back, a backup put back, a promotion taken back: nothing of it asks."""
    for name in ("linked", "chmod", "renamed", "restored", "undone"):
        (shelf.project / name).write_text("text\n")
        os.utime(shelf.project / name, ns=(WHEN, WHEN))
    shelf.ok("create", "b")
    shelf.sh("b", "rm linked chmod renamed restored undone")
    shelf.ok("create", "other")
    shelf.sh("other", "echo other > undone")
    os.link(shelf.project / "linked", shelf.root / "backup")
    (shelf.project / "chmod").chmod(0o600)
    (shelf.project / "chmod").chmod(0o644)
    (shelf.project / "renamed").rename(shelf.project / "x")
    (shelf.project / "x").rename(shelf.project / "renamed")
    (shelf.project / "restored").unlink()
    (shelf.project / "restored").write_text("text\n")
    os.utime(shelf.project / "restored", ns=(WHEN, WHEN))
    shelf.promoted("other")
    shelf.undo()
    assert shelf.promoted("b")["conflicts"] == []
    assert os.listdir(shelf.project) == []


def test_148_undo_sees_it_too(shelf):
    """After a promotion an edit with equal size and time: undo asks. Control: another name for the file does not count."""
    for name in ("f", "g"):
        (shelf.project / name).write_text("old text\n")
    shelf.ok("create", "b")
    shelf.sh("b", f"echo some text > f; echo some text > g; touch -d @{WHEN // 10**9} f g")
    shelf.promoted("b")
    sneak(shelf.project / "f")
    os.link(shelf.project / "g", shelf.root / "backup")
    status, result = shelf.call("undo")
    assert status == 1 and paths(result["conflicts"]) == {"f"}, result
    assert (shelf.project / "f").read_text() == "HOST text\n"


def test_148_an_artifact_that_was_edited(shelf):
    (shelf.root / "bin").mkdir()
    shelf.ok("create", "b")
    shelf.sh("b", f"echo 1234 > app; touch -d @{WHEN // 10**9} app")
    shelf.promoted("b", "--artifact", "app", "--to", f"{shelf.root}/bin/")
    shelf.sh("b", "echo 5678 > app")
    shelf.promoted("b", "--artifact", "app", "--to", f"{shelf.root}/bin/")  # the control: it is ours
    shelf.sh("b", f"echo 9999 > app; touch -d @{WHEN // 10**9} app")
    shelf.promoted("b", "--artifact", "app", "--to", f"{shelf.root}/bin/")
    sneak(shelf.root / "bin" / "app")
    shelf.sh("b", "echo 0000 > app")
    status, _ = shelf.promote("b", "--artifact", "app", "--to", f"{shelf.root}/bin/")
    assert status == 1 and (shelf.root / "bin" / "app").read_text() == "HOST\n"


def acl_of(path):
    return {k: os.getxattr(path, k) for k in os.listxattr(path) if "acl" in k}


def test_149_access_lists_of_others(shelf):
    """Lists for users a box knows no name of, beside files that are closed to their owner: both go in, and come back."""
    d, f = shelf.project / "d", shelf.project / "f"
    d.mkdir()
    (d / "in").write_text("x\n")
    f.write_text("x\n")
    f.chmod(0o444)
    subprocess.run(["setfacl", "-m", "u:bin:rx,d:u:bin:rwx,d:g:adm:rx", d], check=True)
    subprocess.run(["setfacl", "-m", "u:bin:r", f], check=True)
    before = tree(shelf.project)
    shelf.ok("create", "b")
    shelf.sh("b", """
        chmod 755 f; setfattr -n user.k -v v f; chmod 444 f
        echo new > d/new; mkdir d/sub; echo new > d/sub/new; chmod 750 d
        mkdir closed; echo s > closed/s; ln -s x closed/l; chmod 0 closed; echo z > z; chmod 0 z
        """)
    result = shelf.promoted("b")
    assert result["conflicts"] == []
    (d / "control").write_text("made outside\n")  # what the host itself makes there
    assert acl_of(d / "new") == acl_of(d / "control") != {}
    assert os.getxattr(d, "system.posix_acl_default") == os.getxattr(d / "sub", "system.posix_acl_default")
    (d / "control").unlink()
    assert f.stat().st_mode & 0o777 == 0o444 and os.getxattr(f, "user.k") == b"v" and acl_of(f)
    assert (shelf.project / "closed").stat().st_mode & 0o777 == 0
    shelf.undo()
    assert_same(without_dir_times(before), without_dir_times(tree(shelf.project)), "afterwards")


def test_149_names_of_one_link_or_pipe(shelf):
    """Symbolic links and pipes with several names: removed, led elsewhere, made."""
    os.symlink("t", shelf.project / "l1")
    os.link(shelf.project / "l1", shelf.project / "l2", follow_symlinks=False)
    os.mkfifo(shelf.project / "p1")
    os.link(shelf.project / "p1", shelf.project / "p2")
    for d in ("a", "b"):
        (shelf.project / d).mkdir()
    os.symlink("old", shelf.project / "a/cur")
    os.link(shelf.project / "a/cur", shelf.project / "b/cur", follow_symlinks=False)
    before = {n: os.lstat(shelf.project / n).st_ino for n in ("l1", "l2", "p1", "p2", "a/cur", "b/cur")}
    shelf.ok("create", "b")
    shelf.sh("b", "rm l1 l2 p1 p2; ln -sfn new a/cur; ln -sfn new b/cur; ln -s n n1; ln -P n1 n2")
    shelf.promoted("b", "--yes")
    assert sorted(os.listdir(shelf.project)) == ["a", "b", "n1", "n2"]
    assert os.readlink(shelf.project / "a/cur") == os.readlink(shelf.project / "b/cur") == "new"
    assert os.lstat(shelf.project / "n1").st_ino == os.lstat(shelf.project / "n2").st_ino
    shelf.undo()
    assert {n: os.lstat(shelf.project / n).st_ino for n in before} == before


def test_149_pipes_and_sockets_stay_with_a_word(shelf):
    shelf.ok("create", "b")
    shelf.py("b", """
        import os, socket
        os.mkfifo("p"); socket.socket(socket.AF_UNIX).bind("s"); open("file", "w").write("x")
        """)
    with shelf.start("promote", "b") as p:
        out, _ = p.communicate(timeout=60)
    assert p.returncode == 0 and b"2 left in the box: a FIFO ('p'), a socket ('s')" in out, out
    assert os.listdir(shelf.project) == ["file"]


@contextlib.contextmanager
def chattr(flag, *files):
    subprocess.run(["chattr", "+" + flag, *files], check=True)
    try:
        yield
    finally:
        subprocess.run(["chattr", "-" + flag, *files], check=False)


def check_protected(shelf):
    """What chattr protects is named with what to do, before anything is changed; everything else can go in, and be taken back."""
    p = shelf.project
    for name in ("a", "fixed", "log/x", "dir/x", "deep/er/x", "z"):
        (p / name).parent.mkdir(parents=True, exist_ok=True)
        (p / name).write_text("old\n")
    before = tree(p)
    shelf.ok("create", "b")
    shelf.sh("b", "for f in a fixed log/x z; do echo new > $f; done; echo new > log/new; echo new > dir/new; rm -r deep")
    with chattr("i", p / "fixed", p / "dir", p / "deep/er/x"), chattr("a", p / "log"):
        result = shelf.stopped("b")
        assert paths(result["conflicts"]) == {"fixed", "log/x", "log/new", "dir/new", "deep"}
        assert all(("chattr -a" if path_of(c).startswith(b"log") else "chattr -") in c["reason"] for c in result["conflicts"]), result
        for answer in ("overwrite", "both", "mark", "keep"):
            shelf.promoted("b", "--conflict", answer)
            assert [(p / n).read_text() for n in ("a", "fixed", "log/x", "z")] == ["new\n", "old\n", "old\n", "new\n"], answer
            shelf.undo()
            assert_same(without_dir_times(before), without_dir_times(tree(p)), answer)
    # Control: without protection everything goes in, also what was refused before.
    shelf.promoted("b")
    assert not (p / "deep").exists() and (p / "dir/new").read_text() == "new\n"
    with chattr("i", p / "fixed"):  # and taking back knows it beforehand
        status, result = shelf.call("undo")
        assert status == 125 and "chattr -i" in result["error"]["text"] and (p / "a").read_text() == "new\n", result
        shelf.undo("--conflict", "keep")
        assert (p / "a").read_text() == "old\n" and (p / "fixed").read_text() == "new\n"


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def check_taking_back_goes_on(shelf):
    """An obstacle nobody could know beforehand: everything else is back, what is left is named, and recover finishes it."""
    p = shelf.project
    for name in ("a", "stuck", "z"):
        (p / name).write_text("old\n")
    before = tree(p)
    shelf.ok("create", "b")
    shelf.sh("b", "for f in a stuck z; do echo new > $f; done; echo new > made")
    shelf.promoted("b")
    mount("--bind", p / "stuck", p / "stuck")
    try:
        status, result = shelf.call("undo")
        assert status == 125 and "stuck" in result["error"]["text"] and "all but 1 of 4" in result["error"]["text"], result
        assert [(p / n).read_text() for n in ("a", "stuck", "z")] == ["old\n", "new\n", "old\n"] and not (p / "made").exists()
        assert shelf.call("recover")[0] == 125  # again, with the same words
    finally:
        subprocess.run(["umount", p / "stuck"], check=True)
    assert [r["action"] for r in shelf.ok("recover")["recovered"]] == ["taken back"]
    assert_same(without_dir_times(before), without_dir_times(tree(p)), "afterwards")


def check_mount_inside(shelf):
    """A mount in the project is named in words; what lies beside it goes in. Control: without the mount all of it does."""
    p = shelf.project
    for name in ("a", "m/under", "n/m/under"):
        (p / name).parent.mkdir(parents=True, exist_ok=True)
        (p / name).write_text("old\n")
    shelf.ok("create", "b")
    shelf.sh("b", "echo new > a; echo new > m/new; rm -r n")
    mount("-t", "tmpfs", "none", p / "m")
    mount("--bind", p / "m", p / "n/m")
    try:
        (p / "m/host").write_text("host\n")
        shelf.ok("diff", "b")
        result = shelf.stopped("b")
        assert paths(result["conflicts"]) == {"m", "n"} and all("mounted" in c["reason"] for c in result["conflicts"]), result
        shelf.promoted("b", "--conflict", "keep")
        assert (p / "a").read_text() == "new\n" and os.listdir(p / "m") == ["host"] == os.listdir(p / "n/m")
    finally:
        subprocess.run(["umount", p / "n/m"], check=True)
        subprocess.run(["umount", p / "m"], check=True)
    shelf.promoted("b")
    assert (p / "m/new").exists() and not (p / "n").exists()


def test_149_a_mount_inside_an_ordinary_users_project(shelf):
    """In a namespace in which one can mount: the run says what is mounted where. Control: the same without the mount runs."""
    (shelf.project / "m").mkdir()
    for mounted in (False, True):
        script = f"{'mount -t tmpfs none m && ' if mounted else ''}exec {box.aisbx()} run --json -- true"
        p = subprocess.run(["unshare", "-Urm", "sh", "-c", script], cwd=shelf.project, env=shelf.env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, timeout=60, check=False)
        if mounted:
            assert p.returncode == 125 and b"is mounted at '" + bytes(shelf.project) + b"/m'" in p.stdout, p.stdout
        else:
            assert p.returncode == 0, p.stdout


if box.IS_ROOT:  # nobody else can protect files or mount
    test_149_protected_files = check_protected
    test_149_taking_back_goes_on_past_an_obstacle = check_taking_back_goes_on
    test_149_a_mount_inside_the_project = check_mount_inside
