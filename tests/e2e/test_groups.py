# SPDX-License-Identifier: Apache-2.0
"""Files of a supplementary group: changed in a box where /etc/subgid lets it know the group, else the run says so and what to write there.

Needs root, to be somebody with such a group, in a mount namespace with another /etc/subgid.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

import box

USER, GROUP = "nobody", 60123
WORK = "echo more >> a; echo more >> d/b; echo new > n; mkdir e; echo new > e/k"


def somebody(root, subgid, *words):
    """(exit status, standard output, standard error) of aisbx as USER, who is in GROUP."""
    script = 'mount --bind "$0" /etc/subgid && exec setpriv --reuid 65534 --regid 65534 --groups 65534,%d "$@"' % GROUP
    env = {**os.environ, "HOME": f"{root}/home", "XDG_STATE_HOME": f"{root}/state"}
    p = subprocess.run(["unshare", "-m", "sh", "-c", script, subgid, box.aisbx(), *words], cwd=f"{root}/project", env=env,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def owners(root):
    project = pathlib.Path(root) / "project"
    return {str(p.relative_to(project)): (p.stat().st_uid, p.stat().st_gid) for p in project.rglob("*")}


def make(root, line):
    os.chmod(root, 0o755)
    project, subgid = pathlib.Path(root) / "project", pathlib.Path(root) / "subgid"
    for d in ("project", "project/d", "home", "state"):
        os.mkdir(f"{root}/{d}")
        os.chown(f"{root}/{d}", 65534, GROUP)
    for d in (project, project / "d"):
        d.chmod(0o2775)
    for f in ("a", "d/b"):
        (project / f).write_text("text\n")
        os.chown(project / f, 65534, GROUP)
    subgid.write_text(line)
    subgid.chmod(0o644)
    return project, str(subgid)


def check_known(root):
    project, subgid = make(root, f"{USER}:{GROUP}:1\n")
    before = owners(root)
    assert somebody(root, subgid, "create", "b")[0] == 0
    status, out, err = somebody(root, subgid, "run", "--box", "b", "--", "sh", "-ec", WORK)
    assert status == 0 and err == "", (out, err)
    assert (project / "a").read_text() == "text\n"
    status, out, err = somebody(root, subgid, "promote", "b")
    assert status == 0, (out, err)
    assert [(project / n).read_text() for n in ("a", "d/b", "n", "e/k")] == ["text\nmore\n", "text\nmore\n", "new\n", "new\n"]
    assert set(owners(root).values()) == {(65534, GROUP)} and (project / "e").stat().st_mode & 0o7777 == 0o2755
    assert somebody(root, subgid, "undo")[0] == 0 and owners(root) == before


def check_unknown(root):
    """The control: without the line nothing of that group can be changed, and the first line of the run says why."""
    project, subgid = make(root, f"{USER}:100000:10\n")
    assert somebody(root, subgid, "create", "b")[0] == 0
    status, _, err = somebody(root, subgid, "run", "--box", "b", "--", "sh", "-c", WORK)
    assert f"cannot be changed in the box, only read; the line '{USER}:{GROUP}:1' in /etc/subgid allows it" in err.splitlines()[0], err
    assert "Value too large" in err
    status, out, err = somebody(root, subgid, "run", "--json", "--", "true")
    assert status == 0 and f"'{USER}:{GROUP}:1'" in out and not err, (out, err)
    # What is new gets the directory's group all the same, as outside.
    assert somebody(root, subgid, "promote", "b")[0] == 0
    assert (project / "a").read_text() == "text\n" and (project / "e/k").read_text() == "new\n"
    assert set(owners(root).values()) == {(65534, GROUP)}


if box.IS_ROOT:
    def test_a_group_that_subgid_names():
        root = tempfile.mkdtemp(dir="/var/tmp")
        check_known(root)
        shutil.rmtree(root)

    def test_a_group_that_it_does_not():
        root = tempfile.mkdtemp(dir="/var/tmp")
        check_unknown(root)
        shutil.rmtree(root)
