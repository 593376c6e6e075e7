# SPDX-License-Identifier: Apache-2.0
"""Directories for tests of content that travels: made, changed, and described so that two can be compared."""
import hashlib
import os
import pathlib
import random
import stat


def write(path, data):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def make_project(place, files=400, size=20000, seed=1):
    """Files of some SIZE on average, half as compressible as text."""
    chance = random.Random(seed)
    for i in range(files):
        n = int(size * (0.25 + 1.5 * chance.random()))
        write(pathlib.Path(place) / f"dir{i % 23}/sub{i % 7}/file{i}", chance.randbytes(n // 2) + b"text " * (n // 10))
    return pathlib.Path(place)


def change(place, share, seed):
    """Rewrites the middle of SHARE of the files."""
    chance = random.Random(seed)
    files = sorted(p for p in pathlib.Path(place).rglob("file*") if p.is_file())
    for path in chance.sample(files, max(1, int(len(files) * share))):
        data = path.read_bytes()
        path.write_bytes(data[:len(data) // 2] + chance.randbytes(40) + data[len(data) // 2:])


def make_nasty(place):
    """Everything that a tree may hold."""
    place = os.fsencode(place)
    os.makedirs(place + b"/dir/deep/deeper")
    for name, data in {b"plain": b"hello\n", b"empty": b"", b"\xff\xfe\x80": b"no text", b"with\nline": b"x", b"n" * 255: b"long name", b"dir.txt": b"beside dir",
                       b"dir/file": b"inside", b"exact": b"e" * (2 << 20), b"below": b"b" * ((2 << 20) - 1), b"large": random.Random(5).randbytes(9 << 20)}.items():
        with open(place + b"/" + name, "wb") as f:
            f.write(data)
    path = place
    for _ in range(100):
        path += b"/d"
        os.mkdir(path)
    with open(path + b"/bottom", "wb") as f:
        f.write(b"deep")
    with open(place + b"/sparse", "wb") as f:
        f.truncate(64 << 20)
        f.seek(40 << 20)
        f.write(b"data in a hole")
    os.link(place + b"/plain", place + b"/dir/deep/second name")
    os.link(place + b"/plain", place + b"/aaa first name")
    os.symlink(b"/etc/passwd", place + b"/out")
    os.symlink(b"../../nowhere/\xff", place + b"/dir/broken")
    os.mkfifo(place + b"/fifo", 0o640)
    os.mknod(place + b"/dir/gone", stat.S_IFCHR, 0)
    os.setxattr(place + b"/dir", "user.overlay.opaque", b"y")
    os.setxattr(place + b"/plain", "user.note", b"\0binary\xff")
    os.setxattr(place + b"/empty", "user.empty", b"")
    os.chmod(place + b"/exact", 0o400)
    os.chmod(place + b"/below", 0o751)
    os.utime(place + b"/plain", ns=(1, 1234567890_123456789))
    os.utime(place + b"/out", ns=(1, 5_000000001), follow_symlinks=False)
    os.utime(place + b"/dir/deep", ns=(1, 7_000000000))
    os.chmod(place + b"/dir/deep/deeper", 0o500)


def describe(place):
    """Path -> all that must be the same."""
    place, found, inodes = os.fsencode(place), {}, {}
    names = [b""]
    for top, dirs, files in os.walk(place):
        names += [os.path.join(top, n)[len(place) + 1:] for n in dirs + files]
    for name in sorted(names):
        path = os.path.join(place, name)
        st = os.lstat(path)
        row = [stat.S_IFMT(st.st_mode), stat.S_IMODE(st.st_mode), st.st_mtime_ns]
        if stat.S_ISREG(st.st_mode):
            with open(path, "rb") as f:
                row += [st.st_size, hashlib.sha256(f.read()).hexdigest(), inodes.setdefault(st.st_ino, name)]
        if stat.S_ISLNK(st.st_mode):
            row.append(os.readlink(path))
        if stat.S_ISREG(st.st_mode) or stat.S_ISDIR(st.st_mode):
            row.append({x: os.getxattr(path, x) for x in os.listxattr(path) if x.startswith("user.")})
        found[name] = row
    return found


def size(place):
    return sum(p.lstat().st_size for p in pathlib.Path(place).rglob("*") if p.is_file())
