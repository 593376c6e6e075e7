# SPDX-License-Identifier: Apache-2.0
"""What a side can do to a file: one source, run here for the host and inside the box for the box."""
import os

BASE = "".join("line %d\n" % i for i in range(1, 21)).encode()
LONG_AGO = 10**18  # in nanoseconds: 2001


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def prepare(d):
    os.mkdir(d)
    for name, data in (("f", BASE), ("other", b"other\n")):
        write(d + "/" + name, data)
        os.chmod(d + "/" + name, 0o644)
        os.utime(d + "/" + name, ns=(LONG_AGO, LONG_AGO))


def act(d, what, side):
    """Does WHAT to d/f (or makes d/new). The two sides do it differently, so that one can tell whose it is."""
    in_box = side == "box"
    f = d + "/f"
    if what == "create":
        write(d + "/new", b"made by " + side.encode() + b"\n")
    elif what == "modify":  # one line each, far from each other
        old = b"line 3\n" if in_box else b"line 17\n"
        write(f, read(f).replace(old, old[:-1] + b" of the " + side.encode() + b"\n"))
    elif what == "overlap":  # the same line
        write(f, read(f).replace(b"line 10\n", b"line 10 of the " + side.encode() + b"\n"))
    elif what == "delete":
        os.remove(f)
    elif what == "dir":
        os.remove(f)
        os.mkdir(f)
        write(f + "/in", side.encode())
    elif what == "symlink":
        os.remove(f)
        os.symlink("other" if in_box else "./other", f)
    elif what == "mode":
        os.chmod(f, 0o600 if in_box else 0o755)
    elif what == "rename":
        os.rename(f, d + "/moved-by-" + side)
    elif what == "binary":
        write(f, b"\x7fELF\0\1\2" + side.encode() + bytes(range(256)))
    elif what == "empty":
        os.truncate(f, 0)
    elif what == "huge":  # text to look at, then a hole: no more than 64 MiB can be merged
        write(f, b"huge of the " + side.encode() + b"\n" + b"line\n" * 2000)
        os.truncate(f, (65 if in_box else 66) << 20)
    elif what == "nonl":  # the last line without its newline
        write(f, read(f)[:-1])
    elif what == "crlf":
        write(f, read(f).replace(b"\n", b"\r\n"))
    elif what == "xattr":
        os.setxattr(f, "user.note", side.encode())
    elif what == "touch":
        when = LONG_AGO + (10**17 if in_box else 2 * 10**17)
        os.utime(f, ns=(when, when))
    else:
        assert what == "none", what
