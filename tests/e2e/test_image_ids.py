# SPDX-License-Identifier: Apache-2.0
"""Boxes on images with the subordinate ids of an ordinary user: files belong to whom the image says, and go on doing so whatever becomes of the box.

Needs root, to be somebody with such ids, in a mount namespace with another /etc/subuid and /etc/subgid.
"""
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

import box
import pytest

UID, FIRST = 65534, 300000  # nobody, and what their first subordinate id is
LINE = f"nobody:{FIRST}:65536\n"
SCRIPT = ('mount --bind "$0/subuid" /etc/subuid && mount --bind "$0/subgid" /etc/subgid && '
          f'exec setpriv --reuid {UID} --regid {UID} --clear-groups "$@"')
CHANGE = ("echo more >> /var/db/data; rm /var/db/deep/x; chown 70:70 /srv; "
          "su postgres -c 'mkdir -m 700 /srv/priv; umask 077; echo p > /srv/priv/f; mkdir -m 1777 /srv/sticky; echo q > /srv/sticky/q; mkdir -m 755 /srv/open'")


def archive():
    """A small system whose files have several owners."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        def add(name, body=None, mode=0o755, owner=0, link=None):
            entry = tarfile.TarInfo(name)
            entry.type = tarfile.SYMTYPE if link else tarfile.DIRTYPE if body is None else tarfile.REGTYPE
            entry.mode, entry.uid, entry.gid, entry.linkname, entry.size = mode, owner, owner, link or "", len(body or b"")
            tar.addfile(entry, io.BytesIO(body or b""))

        for name in ("bin", "etc", "srv", "var"):
            add(name)
        add("bin/busybox", pathlib.Path(box.need("/bin/busybox", "an image")).read_bytes())
        for name in ("sh", "cat", "chmod", "chown", "id", "ls", "mkdir", "rm", "stat", "su", "touch", "sleep"):
            add(f"bin/{name}", link="busybox")
        add("etc/passwd", b"root:x:0:0::/:/bin/sh\npostgres:x:70:70::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n", 0o644)
        add("etc/group", b"root:x:0:\npostgres:x:70:\nnobody:x:65534:\n", 0o644)
        add("var/db", mode=0o700, owner=70)
        add("var/db/data", b"of postgres\n", 0o600, 70)
        add("var/db/deep", mode=0o700, owner=70)
        add("var/db/deep/x", b"x", 0o600, 70)
        add("bin/as-root", b"#!", 0o6755)
        add("bin/as-postgres", b"#!", 0o6755, 70)
        add("etc/high", b"", 0o644, 100000)
    return out.getvalue()


class Somebody:
    """A user with subordinate ids and a home of their own."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.root.chmod(0o755)
        for name in ("home", "state", "work"):
            (self.root / name).mkdir()
            os.chown(self.root / name, UID, UID)
        self.layers = self.root / "state/aisbx/layers"
        self.allow(LINE, LINE)
        (self.root / "image.tar").write_bytes(archive())

    def allow(self, uids, gids):
        (self.root / "subuid").write_text(uids)
        (self.root / "subgid").write_text(gids)

    def run(self, *words, stdin=None):
        env = {**os.environ, "HOME": f"{self.root}/home", "XDG_STATE_HOME": f"{self.root}/state"}
        return subprocess.run(["unshare", "-m", "sh", "-c", SCRIPT, str(self.root), *words], cwd=self.root / "work", env=env,
                              input=stdin, stdin=None if stdin else subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)

    def ok(self, *words):
        done = self.run(box.aisbx(), *words)
        assert done.returncode == 0, (words, done)
        return done.stdout

    def fails(self, *words):
        done = self.run(box.aisbx(), *words)
        assert done.returncode == 125, (words, done)
        return done.stderr

    def sh(self, name, script):
        return self.ok("run", "--box", name, "--", "sh", "-ec", script)

    def others(self):
        """Files that belong to somebody else, as real ids."""
        return {str(p.relative_to(self.root)): p.lstat().st_uid for p in self.root.joinpath("state").rglob("*") if p.lstat().st_uid != UID}


@pytest.fixture(name="user")
def fixture_user():
    root = tempfile.mkdtemp(dir="/var/tmp")
    user = Somebody(root)
    user.ok("image", "import", f"{root}/image.tar", "--name", "many:1")
    yield user
    shutil.rmtree(root)


def check_owners(user):
    """Users of the image are users inside; with one id they are not."""
    told = user.ok("run", "--image", "many:1", "--ids", "sub", "--", "sh", "-ec",
                   "cat /proc/self/uid_map /proc/self/gid_map; stat -c '%n %u:%g %a' /var/db /var/db/data /bin/as-root /bin/as-postgres /etc/high; "
                   "su postgres -c 'id -u; cat /var/db/data'; touch /srv/n; chown 65534:65534 /srv/n; stat -c %u:%g /srv/n; "
                   "su nobody -c 'cat /var/db/data' || chown 65536 /srv/n || echo closed").splitlines()
    maps = [line.split() for line in told[:4]]
    assert maps == [["0", str(UID), "1"], ["1", str(FIRST), "65535"]] * 2, told
    # What would run as the real user for anybody has lost that; an id beyond the range is nobody's.
    assert told[4:9] == ["/var/db 70:70 700", "/var/db/data 70:70 600", "/bin/as-root 0:0 755", "/bin/as-postgres 70:70 6755", "/etc/high 65534:65534 644"]
    assert told[9:] == ["70", "of postgres", "65534:65534", "closed"]
    assert user.ok("run", "--image", "many:1", "--", "sh", "-c", "stat -c %u /var/db/data; chown 70 /etc/passwd || echo one") == "0\none\n"


def check_life(user):
    user.ok("create", "--from", "many:1", "--ids", "sub", "b")
    user.sh("b", CHANGE)
    assert user.others().items() >= {(str((self_path(user, "srv/priv/f"))), FIRST + 69)}
    changes = {c["path"]: c["kind"] for c in json.loads(user.ok("diff", "b", "--json"))["changes"]}
    assert changes["srv/priv/f"] == "created" and changes["var/db/deep/x"] == "deleted" and changes["var/db/data"] == "modified", changes
    assert user.ok("diff", "many:1", "b") == user.ok("diff", "b")
    assert "\n+more\n" in user.ok("diff", "b", "--patch")
    user.ok("snap", "b", "s")
    user.sh("b", "su postgres -c 'echo again > /srv/priv/f'")
    assert user.ok("file", "read", "b", "/srv/priv/f") == "again\n"
    user.ok("fork", "b", "--name", "c")
    assert user.sh("c", "cat /srv/priv/f; stat -c %u:%a /srv/priv /srv/priv/f") == "again\n70:700\n70:600\n"
    user.ok("rollback", "b", "s")
    assert user.sh("b", "cat /srv/priv/f") == "p\n"
    user.ok("promote", "b", "--artifact", "/srv/priv", "--to", ".")
    got = user.root / "work/priv/f"
    assert got.read_text() == "p\n" and got.stat().st_uid == UID and (user.root / "work/priv").stat().st_uid == UID
    assert "box 'b'" in user.fails("image", "rm", "many:1")
    user.ok("rm", "b", "c", "--yes")
    user.ok("image", "rm", "many:1")
    user.ok("gc")
    assert not user.others() and not list(user.layers.iterdir())


def self_path(user, name):
    return next(p for p in user.layers.rglob(name)).relative_to(user.root)


def check_merged(user):
    """Layers that are merged into one keep their owners: as a template without the project, and as a snapshot of a live box."""
    user.ok("create", "--from", "many:1", "--ids", "sub", "--project", ".", "b")
    user.sh("b", CHANGE + "; echo p > ./p")
    user.ok("template", "save", "b", "t")
    user.ok("create", "--from", "t", "c")
    look = "stat -c %u:%a /srv /srv/open /srv/priv/f /srv/sticky; cat /var/db/data; ls /var/db/deep"
    want = "70:755\n70:755\n70:600\n70:1777\nof postgres\nmore\n"
    assert user.sh("c", look) == want
    user.ok("run", "--box", "c", "-d", "--name", "long", "--", "sleep", "60")
    assert user.ok("exec", "c", "--", "sh", "-c", "su postgres -c 'id -u; echo live > /srv/priv/live'") == "70\n"
    user.ok("snap", "c", "live")
    user.ok("kill", "long")
    user.ok("fork", "c@live", "--name", "d")
    assert user.sh("d", "cat /srv/priv/live; " + look) == "live\n" + want


def check_packed(user):
    """A packed box has the owners that its files have inside, and the bits that had to go."""
    user.ok("create", "--from", "many:1", "--ids", "sub", "b")
    user.sh("b", CHANGE + "; echo >> /bin/as-root")
    user.ok("image", "pack", "b", "packed:1")
    assert user.ok("run", "--image", "packed:1", "--ids", "sub", "--", "stat", "-c", "%u:%g %a", "/srv/priv/f", "/srv") == "70:70 600\n70:70 755\n"
    user.ok("image", "save", "packed:1", "out", "--format", "docker-archive")
    with tarfile.open(user.root / "work/out") as whole:
        last = json.load(whole.extractfile("manifest.json"))[0]["Layers"][-1]
        with tarfile.open(fileobj=whole.extractfile(last)) as layer:
            told = {m.name: (m.uid, m.gid, oct(m.mode)) for m in layer}
    assert told["srv/priv/f"] == (70, 70, "0o600") and told["bin/as-root"] == (0, 0, "0o6755"), told


def check_refused(user):
    """Without a whole range of one's own there is no such box, and it is said why."""
    asked = ("run", "--image", "many:1", "--ids", "sub", "--", "id")
    for uids, gids, why in (("", LINE, "/etc/subuid has no range"), (LINE, "", "/etc/subgid has no range"), (f"nobody:{FIRST}:1000\n", LINE, "usermod"),
                            (f"nobody:{UID - 5}:65536\n", LINE, "usermod"), (f"daemon:{FIRST}:65536\n", LINE, "usermod"),
                            ("nobody:0:65536\n", LINE, "usermod"), (f"nobody:{FIRST}:65536x\n", LINE, "usermod"), ("nobody:4294910000:65536\n", LINE, "usermod")):
        user.allow(uids, gids)
        assert why in user.fails(*asked), (uids, gids)
    user.allow(f"# none\n{UID}:{FIRST}:65535\n", LINE)
    assert "uid=0" in user.ok(*asked), "a user is also named by number"
    user.ok("create", "--from", "many:1", "--ids", "sub", "b")
    user.allow(LINE.replace("300000", "500000"), LINE)
    assert "belong to the subordinate ids 300000:300000" in user.fails("run", "--box", "b", "--", "id")
    assert "uid=0" in user.ok(*asked), "for the others it is unpacked again"
    assert "omit it" in user.fails("create", "--ids", "sub", "x") and "give --image" in user.fails("run", "--ids", "sub", "--", "id")
    assert "native" in user.fails("run", "--image", "many:1", "--ids", "sub", "--driver", "oci:runc", "--", "id")


def check_others(user):
    """Attack: somebody else on the machine starts what an image made setuid. There is no way to it, and a state directory that stands open is closed."""
    user.ok("create", "--from", "many:1", "--ids", "sub", "b")
    asked = ("run", "--image", "many:1", "--ids", "sub", "--", "id")
    for p in user.layers.rglob("bin/as-root"):
        assert not p.stat().st_mode & 0o6000
    owners = {p: p.stat().st_uid for p in user.layers.rglob("bin/as-postgres")}
    made = next(p for p, uid in owners.items() if uid == FIRST + 69)
    assert made.stat().st_mode & 0o6000 == 0o6000
    look = ["setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups", "cat", str(made)]
    assert subprocess.run(look, capture_output=True, check=False).returncode == 1
    state = user.root / "state/aisbx"
    assert state.stat().st_mode & 0o777 == 0o700
    state.chmod(0o711)
    assert subprocess.run(look, capture_output=True, check=True).stdout == b"#!", "the control: only the directory keeps others out"
    assert "uid=0" in user.ok(*asked)
    assert state.stat().st_mode & 0o777 == 0o700 and subprocess.run(look, capture_output=True, check=False).returncode == 1, "the next command closes it"


def check_foreign_ids(user):
    """Attack: the helper is asked for ids that are not the user's. The programs that map refuse it, and nothing is unpacked."""
    helper = str(pathlib.Path(box.aisbx()).with_name("aisbx-image"))
    blob = user.root / "image.tar"
    digest = "sha256:" + hashlib.sha256(blob.read_bytes()).hexdigest()
    for ids, well in ((f"{FIRST + 1000}:{FIRST}", False), ("1:1", False), (f"{FIRST}:0", False), (f"{FIRST}:{FIRST}", True)):
        into = user.root / "work" / ids
        into.mkdir()
        os.chown(into, UID, UID)
        request = {"do": "unpack", "blob": str(blob), "digest": digest, "diff_id": digest, "media_type": "application/vnd.oci.image.layer.v1.tar",
                   "into": str(into), "below": [], "sub_ids": ids}
        done = user.run(helper, stdin=json.dumps(request))
        assert ('"ok"' in done.stdout) == well, (ids, done)
        assert bool(list(into.iterdir())) == well
    assert (user.root / f"work/{FIRST}:{FIRST}/var/db").stat().st_uid == FIRST + 69


if box.IS_ROOT:
    @pytest.mark.parametrize("check", (check_owners, check_life, check_merged, check_packed, check_refused, check_others, check_foreign_ids),
                             ids=lambda check: check.__name__[6:])
    def test_subordinate_ids(user, check):
        check(user)


def test_root_has_its_own(tmp_path):
    """Root's boxes have ids anyway, and somebody without an image has nothing to choose."""
    env = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    done = subprocess.run([box.aisbx(), "create", "--ids", "sub"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 125 and "--ids is for boxes from images" in done.stderr, done
