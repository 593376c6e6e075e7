# SPDX-License-Identifier: Apache-2.0
"""Attacks 1 to 7, 11 and 12: ways around the clone of the file system."""
import os
import shutil
import stat
import struct
import subprocess
import tempfile

import box
import pytest
from case import Case, Outside, Without, define_tests, ends, verdict

MOUNTS_OFF = Without(walls=("seccomp", "landlock"), privileged="m")

define_tests([
    Case(1, "dotdot_chains", {"ENOENT", "EACCES", "ENOTDIR"}, Outside(), arguments=lambda place: [place.secret]),
    # The control shows that chroot works without the filter; the breakout then still ends at the box's own root.
    Case(3, "chroot_and_fchdir", {"EPERM"}, Without(privileged="i"), {"chroot"},
         arguments=lambda place: [place.secret]),
    Case(4, "pivot_root", {"EPERM"}, MOUNTS_OFF, {"mount", "pivot_root"}),
    Case(6, "bind_over_a_protected_path", {"EPERM"}, MOUNTS_OFF, {"mount", "umount2"},
         arguments=lambda place: ["/etc"]),
], globals())


@pytest.mark.parametrize("profile", box.PROFILES)
def test_002_absolute_symlink(place, profile):
    """A link to /etc leads to the box's /etc, and one to a place outside leads nowhere."""
    (place.project / "etc").symlink_to("/etc")
    (place.project / "out").symlink_to(place.canary)
    name = f"aisbx-test-{os.getpid()}"
    writable = box.IS_ROOT and profile == "dev"
    with box.Watch(place.root):
        result = box.run("./probe", "2", "etc", name, cwd=place.project, profile=profile)
        out = verdict(box.run("./probe", "2", "out", name, cwd=place.project, profile=profile))
    end = ends(verdict(result))[f"create etc/{name}"]
    assert end == "OK" if writable else end in ("EACCES", "EROFS"), end
    assert not os.path.lexists(f"/etc/{name}")
    assert ends(out) == {f"create out/{name}": "ENOENT"}
    inside = box.last_json(box.run("./probe", "identity", cwd=place.project, profile=profile)["stdout"])
    assert inside["etc_dev"] != os.stat("/etc/passwd").st_dev
    # Control: outside the link is followed to the real place.
    subprocess.run(["./probe", "2", "out", name], cwd=place.project, check=True, stdout=subprocess.DEVNULL)
    assert (place.canary / name).exists()


def test_003_breakout_ends_at_the_box(place):
    """Even with chroot allowed, the way up ends at the box's root: the real one is not above it."""
    case = Case(3, "", set(), None, arguments=lambda place: [place.secret])
    found, _ = Without(privileged="i").run(case, "dev", place)
    assert ends(found) == {"chroot": "OK", "fchdir": "OK", "read host file after breakout": "ENOENT"}


@pytest.mark.parametrize("profile", box.PROFILES)
def test_005_lower_layer_through_proc_self_root(place, profile):
    target = place.project / "tree" / "plain"
    with box.Watch(place.root):
        found = verdict(box.started(box.run("./probe", "5", target, cwd=place.project, profile=profile)))
        seen = box.run("sh", "-c", f"./probe 5 {target} >/dev/null; cat {target}", cwd=place.project, profile=profile)
    assert found["refused"] and set(ends(found).values()) <= {"EACCES", "EPERM", "ENOENT", "ELOOP"}, ends(found)
    assert seen["stdout"] == "overwritten"  # in the box, where it does no harm
    # Control: the same write reaches the host when the person shares the project instead of cloning it.
    box.run("./probe", "5", target, cwd=place.project, profile=profile, options=["--rw", str(place.project)])
    assert target.read_text() == "overwritten"


@pytest.mark.parametrize("profile", box.PROFILES)
@pytest.mark.parametrize("parent,protected,secret", [(".config", "gh", "hosts.yml"), (".docker", "config.json", "-"),
                                                     (".", ".ssh", "id_rsa")])
def test_007_rename_the_parent_of_a_protected_path(place, profile, parent, protected, secret):
    """The project is the home: its secrets are covered, and no renaming around them uncovers one."""
    home = place.project
    covered = home / parent / protected
    path = covered if secret == "-" else covered / secret
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("SECRET-TEXT\n")
    (home / "other").mkdir()
    env = {**os.environ, "HOME": str(home)}
    words = ["./probe", "7", parent, protected, secret, "SECRET-TEXT"]
    with box.Watch(place.root):
        result = box.started(box.run(*words, cwd=home, profile=profile, env=env))
    found = ends(verdict(result))
    assert found["read secret"] in ("ENOENT", "ENODATA", "EACCES"), found
    assert found["rename protected"] in ("EBUSY", "EXDEV"), found
    assert found["rmdir protected"] in ("EBUSY", "ENOTDIR", "EROFS"), found
    assert found["exchange protected"] in ("EBUSY", "EXDEV"), found
    script = (f"mv {parent} moved; cp -a {parent} copied; ln {path} hard; "
              "cat copied/*/* moved/*/* hard; grep -r SECRET-TEXT . ; exit 0")
    result = box.started(box.run("sh", "-c", script, cwd=home, profile=profile, env=env))
    assert "SECRET-TEXT" not in result["stdout"]
    # Control: the person shows it.
    shown = box.started(box.run("cat", path, cwd=home, profile=profile, env=env, options=["--ro", str(covered)]))
    assert shown["stdout"] == "SECRET-TEXT\n"


def identity(place, profile, program, *options, wrap=()):
    return box.last_json(box.started(box.run(*wrap, program, "identity", cwd=place.project, profile=profile,
                                             options=options))["stdout"])


@pytest.mark.parametrize("profile", box.PROFILES)
def test_011_setuid_gains_nothing(place, profile):
    if box.IS_ROOT:
        # Of another owner: run outside, it changes who we are.
        program = place.project / "suid"
        shutil.copy(place.project / "probe", program)
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o6755)
        with box.Watch(place.root):
            found = identity(place, profile, "./suid")
        assert found["uid"] == found["euid"] == found["gid"] == found["egid"] == found["secure"] == 0
        outside = box.last_json(subprocess.run([program, "identity"], stdout=subprocess.PIPE).stdout.decode())
        assert outside["euid"] == outside["egid"] == 65534 and outside["secure"] == 1
        return
    # The system's own set-user-id programs. glibc shows the auxiliary vector only to those that gained nothing.
    env = {**os.environ, "LD_SHOW_AUXV": "1"}
    tried = 0
    for program in ("su", "passwd", "mount", "newgrp", "chsh"):
        path = shutil.which(program, path="/usr/bin:/bin")
        if not path or not os.stat(path).st_mode & stat.S_ISUID:
            continue
        tried += 1
        result = box.started(box.run(path, "--version", cwd=place.project, profile=profile,
                                     options=["--env", "LD_SHOW_AUXV=1"]))
        vector = dict(line.split(":", 1) for line in result["stdout"].splitlines() if line.startswith("AT_"))
        assert vector["AT_SECURE"].strip() == "0" and vector["AT_EUID"].strip() == str(os.getuid()), program
        outside = subprocess.run([path, "--version"], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 stdin=subprocess.DEVNULL)
        assert b"AT_EUID" not in outside.stdout, "the control: outside it runs as root"
    assert tried, "this machine has no set-user-id program to try"


@pytest.mark.parametrize("profile", box.PROFILES)
def test_011_setuid_made_inside(place, profile):
    """A set-user-id copy made in the box, for whatever user the box can name, changes nothing either."""
    script = "cp probe s; chown 1:1 s 2>/dev/null; chmod 6755 s; ./s identity"
    with box.Watch(place.root):
        result = box.started(box.run("sh", "-c", script, cwd=place.project, profile=profile))
    found = box.last_json(result["stdout"])
    assert found["secure"] == 0 and found["uid"] == found["euid"] == os.getuid()


CAP_SYS_ADMIN = 21
FILE_CAPS = struct.pack("<IIIII", 0x02000001, 1 << CAP_SYS_ADMIN, 0, 0, 0)


@pytest.mark.parametrize("profile", box.PROFILES)
def test_012_file_capabilities(place, profile):
    setter = "import os; os.setxattr('probe', 'security.capability', bytes.fromhex('" + FILE_CAPS.hex() + "'))"
    if box.IS_ROOT:
        os.setxattr(place.project / "probe", "security.capability", FILE_CAPS)
    with box.Watch(place.root):
        found = identity(place, profile, "./probe")
        inside = box.run("/usr/bin/python3", "-c", setter, cwd=place.project, profile=profile)
    assert not found["CapEff"] & (1 << CAP_SYS_ADMIN) and not found["CapPrm"] & (1 << CAP_SYS_ADMIN)
    assert inside["exit_code"] == 1 and "PermissionError" in inside["stderr"]
    if box.IS_ROOT:
        # Control: a user who is not root gains it outside (setpriv drops root first).
        with tempfile.TemporaryDirectory() as open_to_all:
            os.chmod(open_to_all, 0o755)
            program = shutil.copy(place.project / "probe", open_to_all)
            os.setxattr(program, "security.capability", FILE_CAPS)
            outside = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", program,
                                      "identity"], stdout=subprocess.PIPE, check=True)
        assert box.last_json(outside.stdout.decode())["CapEff"] & (1 << CAP_SYS_ADMIN)
    else:
        # Control: with capabilities of one's own (unshare, no box) the attribute can be set.
        subprocess.run(["unshare", "-Ur", "/usr/bin/python3", "-c", setter], cwd=place.project, check=True)
