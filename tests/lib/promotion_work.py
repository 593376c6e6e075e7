# SPDX-License-Identifier: Apache-2.0
"""Random work for the model of promotion: a small tree, what a box does to it, what is done outside meanwhile.

plan() draws it up by a seed alone; do() does it; look() tells a tree as data. Standard library only, and one file: it is run on the
host and inside the box. No path is worked on twice by one side, so that what a side did can be told from before and after.
"""
import base64
import hashlib
import os
import random
import socket
import stat
import struct

LINES = 41  # of a text: edits are ten lines apart, so that they never touch
BIG = (4 << 20) + 50000  # more than a promotion keeps to merge
SMALL = 1 << 15  # contents that are told in full
WHEN = 10**18
NAMES = [b"a", b"b", b"main.c", b"sp ace", b"new\nline", b"\xff\xfe", "ünï".encode(), b"-rf", b"*", b"'\"", b"n" * 200, b"lib", b"doc",
         b"x", b"y", b"\\", b"tab\t", b"~", b"#a#", b"e\xcc\x81", b"CON", b"..."]
FILE_MODES = [0o644, 0o600, 0o755, 0o444, 0o640, 0o400]
DIR_MODES = [0o755, 0o700, 0o750, 0o2755, 0o1777, 0o500]
ACLS = {"user": 3, "group": 4}  # somebody else's ids: of sys and adm
SPECIAL = "ps"


def acl(who, perm, default=False):
    """An access list as the kernel keeps it, with one more user or group in it."""
    entries = [(0x01, 7 if default else 6, 0xffffffff), (0x04, 5, 0xffffffff), (0x10, 7, 0xffffffff), (0x20, 4, 0xffffffff)]
    entries.append((0x02 if who == "user" else 0x08, perm, ACLS[who]))
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in sorted(entries))


class Drawn:
    """What there is to work on, by path: a letter for its type. The plan of one side."""

    def __init__(self, rng, root, nodes, side, is_root):
        self.rng, self.root, self.nodes, self.side, self.is_root = rng, root, dict(nodes), side, is_root
        self.used, self.ops, self.made = set(), [], 0

    def fresh(self, parent):
        self.made += 1
        name = self.rng.choice(NAMES) + b"." + self.side.encode() + b"%d" % self.made
        return parent + b"/" + name

    def parent(self):
        """A directory of this side's, that is still there."""
        return self.rng.choice(sorted(p for p, t in self.nodes.items() if t == "d" and not self.is_used(p)))

    def is_used(self, path):
        return any(path == u or path.startswith(u + b"/") for u in self.used)

    def take(self, path):
        self.used.add(path)
        for p in [p for p in self.nodes if p.startswith(path + b"/")]:
            self.used.add(p)

    def emit(self, *op):
        self.ops.append(op)

    def token(self, shared=None):
        return shared or b"%s-%d" % (self.side.encode(), self.rng.randrange(10**9))

    def draw(self, path, shared):
        """One change of PATH, or of what is in it. SHARED: perhaps the other side does the very same."""
        kind = self.nodes[path]
        ways = {"t": "edit edit edit rewrite sneak chmod xattr rmxattr acl touch delete todir tolink tofifo rename chown",
                "f": "rewrite rewrite sneak chmod xattr acl touch delete todir rename",
                "S": "poke poke sneak touch delete chmod", "l": "retarget retarget delete tofile chown",
                "d": "chmod xattr dacl delete add add add addtree recreate tofile addspecial addlinks addsparse chown",
                "p": "delete chmod tofile", "s": "delete tofile"}[kind].split()
        way = self.rng.choice([w for w in ways if self.is_root or w != "chown"])
        if b"/" not in path and not way.startswith("add"):  # the round's own directory stays
            way = "add"
        getattr(self, "draw_" + way)(path, shared)

    def draw_edit(self, p, shared):
        self.take(p)
        self.emit("edit", p, self.rng.randrange(5) * 10, self.token(shared))

    def draw_rewrite(self, p, shared):
        self.take(p)
        self.emit("write", p, b"\0bin" + self.token(shared))

    def draw_sneak(self, p, shared):
        self.take(p)
        self.emit("sneak", p, self.side.encode())

    def draw_poke(self, p, shared):
        self.take(p)
        self.emit("poke", p, self.rng.randrange(BIG), self.token(shared))

    def draw_chmod(self, p, shared):
        if self.nodes[p] != "d":
            self.take(p)
        mode = self.rng.choice(DIR_MODES if self.nodes[p] == "d" else FILE_MODES)
        self.emit("chmod", p, mode)

    def draw_xattr(self, p, shared):
        if self.nodes[p] != "d":
            self.take(p)
        self.emit("xattr", p, self.rng.choice(["user.a", "user.b"]), self.token(shared))

    def draw_rmxattr(self, p, shared):
        self.take(p)
        self.emit("rmxattr", p, "user.a")

    def draw_acl(self, p, shared):
        if self.side == "x" and not self.is_root:  # a box's user knows no other ids
            return self.draw_xattr(p, shared)
        self.take(p)
        return self.emit("xattr", p, "system.posix_acl_access", acl(self.rng.choice(["user", "group"]), self.rng.choice([4, 6])))

    def draw_dacl(self, p, shared):
        if self.side == "x" and not self.is_root:
            return self.draw_xattr(p, shared)
        return self.emit("xattr", p, "system.posix_acl_default", acl(self.rng.choice(["user", "group"]), 5, True))

    def draw_touch(self, p, shared):
        self.take(p)
        self.emit("touch", p, WHEN + self.rng.randrange(10**17))

    def draw_delete(self, p, shared):
        self.take(p)
        self.emit("delete", p)

    def draw_recreate(self, p, shared):
        self.take(p)
        self.emit("delete", p)
        self.emit("mkdir", p, 0o755)
        self.emit("write", p + b"/anew." + self.side.encode(), self.token())

    def draw_todir(self, p, shared):
        self.take(p)
        self.emit("delete", p)
        self.emit("mkdir", p, 0o755)
        self.emit("write", p + b"/in." + self.side.encode(), self.token(shared))

    def draw_tolink(self, p, shared):
        self.take(p)
        self.emit("delete", p)
        self.emit("symlink", p, b"to-" + self.token(shared))

    def draw_tofifo(self, p, shared):
        self.take(p)
        self.emit("delete", p)
        self.emit("mkfifo", p)

    def draw_tofile(self, p, shared):
        self.take(p)
        self.emit("delete", p)
        self.emit("write", p, self.token(shared) + b"\n")

    def draw_retarget(self, p, shared):
        self.take(p)
        self.emit("delete", p)
        self.emit("symlink", p, b"now-" + self.token(shared))

    def draw_rename(self, p, shared):
        self.take(p)
        self.emit("rename", p, self.fresh(self.parent()))

    def draw_chown(self, p, shared):
        if self.nodes[p] != "d":
            self.take(p)
        self.emit("chown", p, self.rng.choice([1, 2, 1000]), self.rng.choice([1, 2, 1000]))

    def draw_add(self, p, shared):
        new = p + b"/both" if shared else self.fresh(p)
        if shared and new in self.used:
            return
        self.used.add(new)
        self.emit("write", new, self.token(shared) + b"\n")
        if self.rng.random() < 0.3:
            self.emit("chmod", new, self.rng.choice(FILE_MODES))

    def draw_addtree(self, p, shared):
        new = self.fresh(p)
        deep = self.rng.choice([1, 1, 2, 30])
        for i in range(deep):
            self.emit("mkdir", new, self.rng.choice([0o755, 0o700, 0o2755]))
            self.emit("write", new + b"/f", self.token())
            new += b"/" + self.rng.choice([b"d", b"long-" * 6, b"\xfe"])
        if self.rng.random() < 0.3:  # closed to its owner, when everything in it is there
            self.emit("close", os.path.dirname(new))

    def draw_addspecial(self, p, shared):
        self.emit(self.rng.choice(["mkfifo", "socket"]), self.fresh(p))

    def draw_addlinks(self, p, shared):
        new = self.fresh(p)
        self.emit(*(("write", new, self.token()) if self.rng.random() < 0.6 else ("symlink", new, self.token())))
        for _ in range(self.rng.randrange(1, 3)):
            self.emit("link", new, self.fresh(self.parent()))

    def draw_addsparse(self, p, shared):
        new = self.fresh(p)
        self.emit("sparse", new, BIG)
        self.emit("poke", new, self.rng.randrange(BIG), self.token())


def draw_base(rng, root, is_root):
    """(operations, path -> letter). The letters: t text, f other file, S sparse, l link, d directory, p FIFO, s socket."""
    ops, nodes = [("mkdir", root, 0o755)], {root: "d"}
    names = rng.sample(NAMES, 16)
    for name in names[:rng.randrange(3, 6)]:
        path = rng.choice([p for p, t in nodes.items() if t == "d"]) + b"/" + name
        ops.append(("mkdir", path, rng.choice([0o755, 0o755, 0o700, 0o2755, 0o775])))
        nodes[path] = "d"
        if rng.random() < 0.25:
            ops.append(("xattr", path, rng.choice(["system.posix_acl_default"] * 2 + ["system.posix_acl_access"]),
                        acl("user", 5, True)))
    for name in names[6:]:
        path = rng.choice([p for p, t in nodes.items() if t == "d"]) + b"/" + name
        kind = rng.choice("ttttttffSlllps")
        ops += {"t": [("text", path, name)], "f": [("write", path, b"\0" + name)], "S": [("sparse", path, BIG)],
                "l": [("symlink", path, rng.choice([b"a", b"../x", b"/etc/passwd", b"\xff\n"]))], "p": [("mkfifo", path)],
                "s": [("socket", path)]}[kind]
        nodes[path] = kind
        if kind in "tf" and rng.random() < 0.3:
            ops.append(("xattr", path, "user.a", b"base"))
        if kind in "tf" and rng.random() < 0.2:
            ops.append(("xattr", path, "system.posix_acl_access", acl(rng.choice(["user", "group"]), 4)))
        if is_root and rng.random() < 0.2:
            ops.append(("chown", path, rng.choice([1, 1000]), rng.choice([1, 1000])))
        if kind in "tlp" and rng.random() < 0.25:
            other = rng.choice([p for p, t in nodes.items() if t == "d"]) + b"/" + name + b".link"
            ops.append(("link", path, other))
            nodes[other] = kind
        if kind in "tfS":
            ops.append(("touch", path, WHEN - rng.randrange(10**17)))
    return ops, nodes


def plan(seed, is_root):
    """(operations of the base, of the box, of the host) of one round, all below the directory r and the seed."""
    rng = random.Random(seed)
    root = b"r%d" % seed
    base, nodes = draw_base(rng, root, is_root)
    box, host = Drawn(rng, root, nodes, "x", is_root), Drawn(rng, root, nodes, "h", is_root)
    common = []
    for _ in range(rng.randrange(1, 6)):
        free = sorted(p for p in nodes if not box.is_used(p))
        common.append((rng.choice(free), b"same%d" % rng.randrange(10**6) if rng.random() < 0.3 else None))
        box.draw(*common[-1])
    for _ in range(rng.randrange(0, 5)):
        free = sorted(p for p in nodes if not host.is_used(p))
        path, shared = rng.choice(common) if rng.random() < 0.6 else (rng.choice(free), None)
        if not host.is_used(path):
            host.draw(path, shared)
    return base, box.ops, host.ops


# Doing it.

def put(path, data, at=None):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if at is None else 0), 0o644)
    try:
        os.pwrite(fd, data, at or 0)
    finally:
        os.close(fd)


def writable(path):
    """Lets its owner write, as an editor that insists does; returns what puts that back."""
    mode = stat.S_IMODE(os.stat(path).st_mode)
    if mode & 0o200:
        return lambda: None
    os.chmod(path, mode | 0o200)
    return lambda: os.chmod(path, mode)


def change_mode(path, mode):
    """To another one, whatever it was: a box that sets what is set already has it in its layer, and did nothing."""
    os.chmod(path, mode ^ 0o011 if stat.S_IMODE(os.lstat(path).st_mode) == mode else mode)


def remove(path):
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        return os.unlink(path)
    os.chmod(path, 0o700)
    for name in os.listdir(path):
        remove(os.path.join(path, name))
    return os.rmdir(path)


def do_one(what, path, *rest):
    if what == "mkdir":
        os.mkdir(path)
        os.chmod(path, rest[0])
    elif what == "text":
        put(path, b"".join(b"line %d of %s\n" % (i, rest[0].replace(b"\n", b"_")) for i in range(LINES)))
    elif what == "edit":
        back = writable(path)
        with open(path, "rb") as f:
            lines = f.read().splitlines(True)
        if len(lines) == LINES:
            lines[rest[0]] = rest[1] + b"\n"
        else:  # by another name of the file it was made something else
            lines = [b"\0", rest[1]]
        put(path, b"".join(lines))
        back()
    elif what == "write":
        back = writable(path) if os.path.lexists(path) else lambda: None
        put(path, rest[0])
        back()
    elif what == "sneak":  # other content, the same size and time
        st, back = os.stat(path), writable(path)
        put(path, rest[0] * min(3, st.st_size), 0)
        os.utime(path, ns=(st.st_mtime_ns, st.st_mtime_ns))
        back()
    elif what in ("poke", "sparse"):
        back = writable(path) if os.path.lexists(path) else lambda: None
        put(path, rest[1] if what == "poke" else b"", rest[0] if what == "poke" else None)
        if what == "sparse":
            os.truncate(path, rest[0])
            put(path, b"head " + path[-20:], 0)
        back()
    elif what == "xattr":
        back = writable(path)
        os.setxattr(path, *rest)
        back()
    elif what == "rmxattr":
        if rest[0] in os.listxattr(path):
            back = writable(path)
            os.removexattr(path, rest[0])
            back()
    elif what == "touch":
        os.utime(path, ns=(rest[0], rest[0]))
    elif what == "symlink":
        os.symlink(rest[0], path)
    elif what == "socket":
        old = os.getcwd()
        os.chdir(os.path.dirname(path))  # addresses are short
        with socket.socket(socket.AF_UNIX) as s:
            s.bind("sock-tmp")
        os.chdir(old)
        os.rename(os.path.join(os.path.dirname(path), b"sock-tmp"), path)
    elif what == "link":
        os.link(path, rest[0], follow_symlinks=False)
    elif what == "close":
        os.chmod(path, 0)
    elif what == "chown":
        os.chown(path, *rest, follow_symlinks=False)
    else:
        {"mkfifo": os.mkfifo, "delete": remove, "rename": os.rename, "chmod": change_mode}[what](path, *rest)


def open_parents(path):
    """Directories above that their owner may not write to; returns what puts that back."""
    closed, part = [], os.path.dirname(path)
    while part:
        mode = stat.S_IMODE(os.lstat(part).st_mode)
        if mode & 0o700 != 0o700:
            closed.append((part, mode))
        part = os.path.dirname(part)
    for p, mode in reversed(closed):
        os.chmod(p, mode | 0o700)
    return lambda: [os.chmod(p, m) for p, m in closed]


def do(ops):
    """In the current directory."""
    os.umask(0o022)
    for op in ops:
        try:
            backs = [open_parents(p) for p in (op[1:3] if op[0] in ("rename", "link") else op[1:2])]
            do_one(*op)
            for back in reversed(backs):
                back()
        except OSError as err:
            raise SystemExit(f"operation {op!r:.300}: {err}") from err


# Looking.

def content(path, st):
    with open(path, "rb") as f:
        if st.st_size < SMALL:
            return base64.b64encode(f.read()).decode()
        return hashlib.sha256(f.read()).hexdigest()


def look_at(path, ids):
    """Everything of one file that counts. A closed one is opened for it."""
    st = os.lstat(path)
    kind = {stat.S_IFREG: "f", stat.S_IFDIR: "d", stat.S_IFLNK: "l", stat.S_IFIFO: "p", stat.S_IFSOCK: "s"}[stat.S_IFMT(st.st_mode)]
    mode, back = stat.S_IMODE(st.st_mode), None
    if kind in "fd" and mode & 0o400 == 0 or kind == "d" and mode & 0o500 != 0o500:
        os.chmod(path, mode | 0o700)
        back = mode
    xattrs = {k: base64.b64encode(os.getxattr(path, k)).decode() for k in os.listxattr(path, follow_symlinks=False)
              if k.startswith(("user.", "system.posix_acl")) and not k.startswith("user.overlay.")} if kind in "fd" else {}
    node = {"t": kind, "mode": 0 if kind == "l" else mode, "own": [st.st_uid, st.st_gid] if ids else [0, 0], "xa": xattrs,
            "c": content(path, st) if kind == "f" else os.fsencode(os.readlink(path)).hex() if kind == "l" else "",
            "size": st.st_size if kind == "f" else 0, "mt": st.st_mtime_ns, "ino": st.st_ino, "blocks": st.st_blocks}
    names = os.listdir(path) if kind == "d" else []
    return node, names, back


def look(root, ids):
    """path -> everything that counts, of ROOT and all below it; paths as text that any byte fits into."""
    found = {}

    def walk(path):
        node, names, back = look_at(path, ids)
        found[path.decode("latin-1")] = node
        for name in names:
            walk(path + b"/" + name)
        if back is not None:
            os.chmod(path, back)

    walk(root)
    return found
