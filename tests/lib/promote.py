# SPDX-License-Identifier: Apache-2.0
"""What the tests of promotion share: a project with boxes over it, whole trees as data, and a process that swaps names.

Standard library only.
"""
import contextlib
import ctypes
import hashlib
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import textwrap

import box

PYTHON = "/usr/bin/python3"
LONG = os.environ.get("AISBX_LONG") == "1"
SLOW = float(os.environ.get("TIMEOUT_MULTIPLIER", "1")) > 1  # a build with sanitizers or for coverage: fewer of the same kind


class Shelf:
    """aisbx with a project, a home and a state directory of the test's own, all below ROOT."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.project = self.root / "project"
        self.project.mkdir(parents=True)
        (self.root / "home").mkdir()
        self.state = self.root / "state" / "aisbx"
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state.parent), "HOME": str(self.root / "home")}

    def start(self, *words, cwd=None, **popen):
        return subprocess.Popen([box.aisbx(), *map(os.fspath, words)], cwd=cwd or self.project, env=self.env,
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                                   "stderr": subprocess.PIPE, **popen})

    def end(self, process, timeout=120):
        """(exit status, result) of a started `aisbx ... --json`."""
        with process as p:
            try:
                out, err = p.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                p.kill()
                raise
        try:
            return p.returncode, json.loads(out)
        except ValueError:
            raise AssertionError(f"{p.args}: no JSON but {out[:500]!r}, {err[:500]!r}") from None

    def call(self, op, *words, timeout=120, **kw):
        return self.end(self.start(op, "--json", *words, **kw), timeout)

    def ok(self, op, *words, **kw):
        status, result = self.call(op, *words, **kw)
        assert status == 0, f"{op} {words}: {status}, {result}"
        return result

    def sh(self, name, script, want=0, timeout=120):
        """Standard output of a shell script run in the box NAME."""
        status, result = self.call("run", "--box", name, "--", "sh", "-ec", script, timeout=timeout)
        assert status == want and "isolation" in result, f"{script!r}: {result}"
        return result["stdout"]

    def py(self, name, source, *args, want=0, timeout=120):
        """Standard output of a Python program run in the box NAME."""
        status, result = self.call("run", "--box", name, "--", PYTHON, "-c", textwrap.dedent(source), *map(str, args),
                                   timeout=timeout)
        assert status == want and "isolation" in result, result.get("stderr", result)
        return result["stdout"]

    def promote(self, *words, **kw):
        """(exit status, result) of a promotion, whose result must be whole and must agree with itself."""
        return sound(*self.call("promote", *words, **kw))

    def promoted(self, *words, **kw):
        """The result of a promotion that wrote something."""
        status, result = self.promote(*words, **kw)
        assert status == 0 and result["applied"] and result["promotion"], f"{words} was not promoted: {result}"
        return result

    def stopped(self, *words, **kw):
        """The result of a promotion that a conflict or a trap stopped. Nothing in the project may have changed."""
        before = tree(self.project)
        status, result = self.promote(*words, **kw)
        assert status == 1 and (result["conflicts"] or result["traps"]), f"{words} was not stopped: {status}, {result}"
        assert not result["applied"] and result["promotion"] is None, result
        assert_same(before, tree(self.project), "a stopped promotion wrote")
        return result

    def undo(self, *words, **kw):
        status, result = self.call("undo", *words, **kw)
        assert status == 0, f"undo {words}: {status}, {result}"
        return result

    def journal(self):
        """What lies below promotions/ in the state directory: name -> names in it."""
        top = self.state / "promotions"
        return {n: sorted(os.listdir(top / n)) for n in sorted(os.listdir(top))} if top.is_dir() else {}


KINDS = ("created", "modified", "deleted", "replaced", "mode", "xattr", "touched")
TRAPS = {"git-hook", "git-config", "editor", "agent", "tool", "lifecycle", "startup", "ci", "gate", "setuid", "symlink", "capability"}


def path_of(row):
    """The bytes of a path in a result, whether it could be written as text or not."""
    return bytes.fromhex(row["path_hex"]) if row.get("path_hex") else os.fsencode(row["path"])


def sound(status, result):
    """A result of promote is well formed, and its parts agree. Returns both for convenience."""
    assert status in (0, 1, 125), (status, result)
    if status == 125:
        assert result["status"] == "error" and result["error"]["text"], result
        return status, result
    for key in ("promotion", "box", "target", "applied", "dry_run", "summary", "changes", "conflicts", "traps", "stale"):
        assert key in result, f"no {key!r} in {result}"
    for change in result["changes"]:
        assert change["kind"] in KINDS and change["outcome"] in ("apply", "merge", "conflict"), change
    for kind in KINDS:
        of_kind = [c for c in result["changes"] if c["kind"] == kind]  # a conflict counts if it was decided
        clear = sum(c["outcome"] != "conflict" for c in of_kind)
        assert clear <= result["summary"][kind] <= len(of_kind), (kind, result)
    assert result["summary"]["conflicts"] == len(result["conflicts"]), result
    assert result["summary"]["traps"] == len(result["traps"]), result
    assert result["summary"]["merged"] == sum(c["outcome"] == "merge" for c in result["changes"]), result
    assert {t["kind"] for t in result["traps"]} <= TRAPS and all(t["why"] for t in result["traps"]), result
    assert all(c["reason"] for c in result["conflicts"]), result
    assert (result["promotion"] is not None) == result["applied"], result
    return status, result


# Trees as data.

def entry(path, times=True):
    """Everything of one file that matters, as a dictionary. Huge files by their data only, not by their holes."""
    st = os.lstat(path)
    kind = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "symlink"}.get(stat.S_IFMT(st.st_mode), "odd")
    found = {"type": kind, "owner": (st.st_uid, st.st_gid)}
    if kind == "symlink":
        found["target"] = os.readlink(path)
    else:
        found["mode"] = oct(stat.S_IMODE(st.st_mode))
        found["xattrs"] = {k: os.getxattr(path, k) for k in sorted(os.listxattr(path))}
    if kind == "file":
        found["size"], found["content"] = st.st_size, content(path, st)
    if times:
        found["mtime"] = st.st_mtime_ns
    return found


def content(path, st):
    """The bytes themselves when they are few, for a readable failure; else a hash of data and where it lies."""
    with readable(path, st) as fd:
        if st.st_size <= 4096:
            return os.read(fd, 8192)
        digest, at = hashlib.sha256(), 0
        while at < st.st_size:
            try:
                at = os.lseek(fd, at, os.SEEK_DATA)
            except OSError:  # a hole until the end
                break
            end = os.lseek(fd, at, os.SEEK_HOLE)
            os.lseek(fd, at, os.SEEK_SET)
            while at < end:
                block = os.read(fd, min(1 << 16, end - at))
                # Where a hole begins is the file system's choice: only blocks with something in them count.
                for i in range(0, len(block), 4096):
                    piece = block[i:i + 4096].rstrip(b"\0")
                    if piece:
                        digest.update(b"%d:%d:" % (at + i, len(piece)) + piece)
                at += len(block)
        return digest.hexdigest()


@contextlib.contextmanager
def readable(path, st):
    """Opens a file even when its own mode forbids its owner to read it; leaves mode and times as they were."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except PermissionError:
        os.chmod(path, stat.S_IMODE(st.st_mode) | 0o400)
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        os.chmod(path, stat.S_IMODE(st.st_mode))
    try:
        yield fd
    finally:
        os.close(fd)


def tree(root, times=True, dir_times=True):
    """path -> entry of everything below ROOT and ROOT itself as ".", plus "links": the groups of hard links."""
    root = os.fsencode(root)
    found, inodes = {}, {}
    todo = [b""]
    while todo:
        rel = todo.pop()
        path = os.path.join(root, rel) if rel else root
        found[rel or b"."] = e = entry(path)
        if not times or (e["type"] == "directory" and not dir_times) or e["type"] == "symlink":
            del e["mtime"]
        if e["type"] == "directory":
            todo += [os.path.join(rel, n) for n in os.listdir(path)]
        else:
            inodes.setdefault(os.lstat(path).st_ino, []).append(rel)
    for group in inodes.values():
        if len(group) > 1:
            for rel in group:
                found[rel]["links"] = sorted(group)
    return found


def differences(want, got):
    """Lines for a person: which paths differ, and in what."""
    lines = []
    for path in sorted(want.keys() | got.keys()):
        a, b = want.get(path), got.get(path)
        if a == b:
            continue
        if a is None or b is None:
            lines.append(f"{path!r}: {'is there and should not be' if a is None else 'is missing'}: {a or b}")
            continue
        for key in sorted(a.keys() | b.keys()):
            if a.get(key) != b.get(key):
                lines.append(f"{path!r}: {key} should be {a.get(key)!r}, is {b.get(key)!r}")
    return lines


def assert_same(want, got, what):
    lines = differences(want, got)
    assert not lines, f"{what}: {len(lines)} differences\n" + "\n".join(lines[:30])


def without_dir_times(found):
    return {p: {k: v for k, v in e.items() if k != "mtime" or e["type"] != "directory"} for p, e in found.items()}


def copy_tree(source, target):
    """A plain copy with everything tree() looks at. cp keeps hard links, holes, times, owners and attributes."""
    subprocess.run(["cp", "-a", "--sparse=always", os.fspath(source), os.fspath(target)], check=True)


# A process that swaps names on the host.

AT_FDCWD, RENAME_EXCHANGE = -100, 2
_libc = ctypes.CDLL(None, use_errno=True)


def exchange(a, b):
    """Swaps two names in one step."""
    if _libc.renameat2(AT_FDCWD, os.fsencode(a), AT_FDCWD, os.fsencode(b), RENAME_EXCHANGE) != 0:
        err = ctypes.get_errno()
        raise OSError(err, os.strerror(err), os.fspath(a))


_SWAPPER = """
import ctypes, os, random, sys, time
a, b, counter = map(os.fsencode, sys.argv[1:4])
most = int(sys.argv[4])
swap = ctypes.CDLL(None).renameat2
n = failed = 0
out = os.open(counter, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
os.write(1, b"go")
while os.getppid() == int(sys.argv[5]) and n < most:
    if random.random() < 0.5:  # also pauses, of half a millisecond to half a second: however fast the machine, in some a promotion gets
        time.sleep(0.0005 * 1000 ** random.random())  # through, and in some half through
    for _ in range(random.choice([1, 2, 5, 64])):
        if swap(-100, a, -100, b, 2) == 0:
            n += 1
        else:
            failed += 1  # one of the names is away for a moment
    os.pwrite(out, b"%d %d\\n" % (n, failed), 0)
"""


class Swapper:
    """with Swapper(a, b) as s: the two names are exchanged as fast as it goes; s.swaps says how often."""

    def __init__(self, a, b, counter, most=10**12):
        self.words = [PYTHON, "-c", _SWAPPER, os.fspath(a), os.fspath(b), os.fspath(counter), str(most), str(os.getpid())]
        self.counter = counter

    def __enter__(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE)
        assert self.process.stdout.read(2) == b"go"
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        return False

    def counts(self):
        words = pathlib.Path(self.counter).read_text().split()
        return (int(words[0]), int(words[1])) if words else (0, 0)

    @property
    def swaps(self):
        return self.counts()[0]


def remove(path):
    """Whatever lies there, or nothing."""
    path = os.fspath(path)
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def say(text):
    """A figure for the report: pytest shows it with -s or -rP."""
    print(text, file=sys.stdout, flush=True)
