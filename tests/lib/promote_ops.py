# SPDX-License-Identifier: Apache-2.0
"""Random work on a tree, by number: the same seed gives the same operations, wherever they are done.

plan() draws operations up from a model in memory, so that none depends on what a file system answers; do() does
them. Standard library only, and one file: it is run on the host and inside the box.
"""
import os
import random
import shutil
import stat

NAMES = [b"a", b"b", b"c.txt", b"main.c", b"Makefile", b"sp ace", b"new\nline", b"\xff\xfe", "ünï".encode(), b"-rf",
         b".hidden", b"*", b"'\"", b"n" * 255, b"lib", b"src", b"doc", b"x", b"y", b"z", b"\\", b"tab\t", b"~", b"#a#"]
FILE_MODES = [0o644, 0o644, 0o600, 0o755, 0o444, 0o640, 0o400]
DIR_MODES = [0o755, 0o700, 0o750, 0o1777]
MAX_DEPTH = 5
WHEN = 10**18  # in nanoseconds: 2001; base files are older, set times lie behind it


class Inode:
    def __init__(self, kind, made, mode=0o644):
        self.kind, self.made, self.mode = kind, made, mode
        self.size, self.xattrs = 0, set()
        self.mtime = None  # known only while somebody has set it
        self.frozen = False  # hard links in a frozen layer: overlayfs would part them at a change


class Plan:
    """The model and the operations that led to it. Paths are bytes, "" the tree itself."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.nodes = {b"": Inode("d", False, 0o755)}
        self.ops = []
        self.making_base = True
        self.draw_base()
        self.base_ops, self.ops = self.ops, []
        self.making_base = False

    # What there is.

    def paths(self, kind, test=lambda inode: True):
        return [p for p in sorted(self.nodes) if p and self.nodes[p].kind in kind and not self.nodes[p].frozen
                and test(self.nodes[p])]

    def links(self, inode):
        return [p for p, i in self.nodes.items() if i is inode]

    def below(self, path):
        return [p for p in self.nodes if p == path or p.startswith(path + b"/")]

    def free_name(self):
        """A name that is not there, in some directory; None when none was found."""
        dirs = [p for p in sorted(self.nodes) if self.nodes[p].kind == "d" and p.count(b"/") < MAX_DEPTH - 1]
        for _ in range(20):
            parent, name = self.rng.choice(dirs), self.rng.choice(NAMES)
            path = parent + b"/" + name if parent else name
            if path not in self.nodes and len(path) < 1500:
                return path
        return None

    # Changes of the model.

    def emit(self, *op):
        self.ops.append(op)

    def entry_changed(self, path):
        self.nodes[os.path.dirname(path)].mtime = None

    def add(self, path, inode):
        self.nodes[path] = inode
        self.entry_changed(path)

    def drop(self, path):
        for p in self.below(path):
            del self.nodes[p]
        self.entry_changed(path)

    def move(self, old, new):
        moved = {new + p[len(old):]: self.nodes[p] for p in self.below(old)}
        self.drop(old)
        self.nodes.update(moved)
        self.entry_changed(new)

    def text(self):
        kind = self.rng.random()
        if kind < 0.1:
            return b""
        if kind < 0.8:
            return b"".join(b"%d %d\n" % (i, self.rng.randrange(1000)) for i in range(self.rng.randrange(1, 40)))
        return self.rng.randbytes(self.rng.choice([10, 4096, 5000, 70000]))

    def make_writable(self, path):
        inode = self.nodes[path]
        if not inode.mode & 0o200:
            inode.mode |= 0o200
            self.emit("chmod", path, inode.mode)

    # Operations. Each returns False when there is nothing to do it to.

    def op_write(self):
        return self.change_content("write")

    def op_append(self):
        return self.change_content("append")

    def op_truncate(self):
        return self.change_content("truncate")

    def op_overwrite(self):
        return self.change_content("overwrite")

    def op_sparse(self):
        return self.change_content("sparse")

    def change_content(self, how):
        files = self.paths("f")
        if not files:
            return False
        path, data = self.rng.choice(files), self.text()
        inode = self.nodes[path]
        self.make_writable(path)
        at = {"write": 0, "append": inode.size, "sparse": self.rng.randrange(1, 8 << 20)}.get(how)
        if how == "truncate":
            inode.size = at = self.rng.choice([0, inode.size // 2, inode.size + 5000])
            data = b""
        elif how == "overwrite":
            at = self.rng.randrange(inode.size + 1)
        if how != "truncate":
            inode.size = len(data) if how == "write" else max(inode.size, at + len(data)) if data else inode.size
        if how in ("write", "truncate") or data:
            inode.mtime = None
        self.emit(how, path, at, data)
        return True

    def op_create(self):
        path = self.free_name()
        if not path:
            return False
        inode = Inode("f", not self.making_base, self.rng.choice(FILE_MODES))
        data = self.text()
        inode.size = len(data)
        self.add(path, inode)
        self.emit("create", path, inode.mode, data)
        return True

    def op_mkdir(self):
        path = self.free_name()
        if not path:
            return False
        inode = Inode("d", not self.making_base, self.rng.choice(DIR_MODES))
        self.add(path, inode)
        self.emit("mkdir", path, inode.mode)
        return True

    def op_symlink(self):
        path = self.free_name()
        if not path:
            return False
        target = self.rng.choice([b"a", b"../x", b"no/such", b"/etc/passwd", b"\xff\n", b".", b"x" * 300])
        self.add(path, Inode("l", not self.making_base))
        self.emit("symlink", path, target)
        return True

    def op_link(self):
        old, new = self.paths("f", lambda i: i.made), self.free_name()
        if not old or not new:
            return False
        old = self.rng.choice(old)
        self.add(new, self.nodes[old])
        self.emit("link", old, new)
        return True

    def op_unlink(self):
        found = [p for p in sorted(self.nodes) if self.nodes[p].kind in "fl"]
        if len(found) < 15:
            return False
        path = self.rng.choice(found)
        self.drop(path)
        self.emit("unlink", path)
        return True

    def op_rmtree(self):
        found = [p for p in sorted(self.nodes) if p and self.nodes[p].kind == "d"]
        if not found or len(self.nodes) < 40:
            return False
        path = self.rng.choice(found)
        if len(self.below(path)) > len(self.nodes) // 3:
            return False
        self.drop(path)
        self.emit("rmtree", path)
        return True

    def op_rename(self):
        """A file or a link, to a free name or over another one."""
        old = self.paths("fl")
        new = self.rng.choice(old) if old and self.rng.random() < 0.4 else self.free_name()
        if not old or not new:
            return False
        old = self.rng.choice(old)
        if old == new or self.nodes.get(new) is self.nodes[old]:
            return False
        if new in self.nodes:
            self.drop(new)
        self.move(old, new)
        self.emit("rename", old, new)
        return True

    def op_move_dir(self):
        """One made in this sequence by rename; others, as mv does in a box, by copying."""
        old, new = self.paths("d"), self.free_name()
        if not old or not new:
            return False
        old = self.rng.choice(old)
        inside = self.below(old)
        depth = max(p.count(b"/") for p in inside) - old.count(b"/") + new.count(b"/")
        if new == old or new.startswith(old + b"/") or depth >= MAX_DEPTH + 1 or len(max(inside, key=len)) > 2000:
            return False
        inodes = [self.nodes[p] for p in inside]
        if self.nodes[old].made:
            how = "rename"
        else:
            how = "mvtree"
            if any(i.frozen or not set(self.links(i)) <= set(inside) for i in inodes):
                return False
            # The copies are inodes of the sequence's own.
            for i in inodes:
                i.made = True
        self.move(old, new)
        self.emit(how, old, new)
        return True

    def op_chmod(self):
        found = self.paths("fd")
        if not found:
            return False
        path = self.rng.choice(found)
        inode = self.nodes[path]
        inode.mode = self.rng.choice(FILE_MODES if inode.kind == "f" else DIR_MODES)
        self.emit("chmod", path, inode.mode)
        return True

    def op_setxattr(self):
        found = self.paths("fd")
        if not found:
            return False
        path = self.rng.choice(found)
        self.make_writable(path)
        name = self.rng.choice(["user.a", "user.b", "user.mime_type"])
        self.nodes[path].xattrs.add(name)
        self.emit("setxattr", path, name, self.rng.randbytes(self.rng.choice([0, 1, 30, 200])))
        return True

    def op_removexattr(self):
        found = self.paths("fd", lambda i: i.xattrs)
        if not found:
            return False
        path = self.rng.choice(found)
        self.make_writable(path)
        name = self.rng.choice(sorted(self.nodes[path].xattrs))
        self.nodes[path].xattrs.discard(name)
        self.emit("removexattr", path, name)
        return True

    def op_utime(self, kind="ffd"):
        found = self.paths(self.rng.choice(kind))
        if not found:
            return False
        path = self.rng.choice(found)
        self.nodes[path].mtime = WHEN + self.rng.randrange(10**17)
        self.emit("utime", path, self.nodes[path].mtime)
        return True

    # Whole sequences.

    def draw_base(self):
        for wanted, op in ((8, self.op_mkdir), (28, self.op_create), (4, self.op_symlink), (6, self.op_setxattr)):
            done = 0
            while done < wanted:
                done += bool(op())
        for path in sorted(self.nodes):
            if self.nodes[path].kind in "fd" and path:
                self.nodes[path].mtime = WHEN - self.rng.randrange(10**17)
                self.emit("utime", path, self.nodes[path].mtime)

    WEIGHTS = {"write": 10, "append": 8, "truncate": 5, "overwrite": 8, "sparse": 2, "create": 14, "mkdir": 6, "symlink": 4,
               "link": 5, "unlink": 9, "rmtree": 2, "rename": 10, "move_dir": 4, "chmod": 6, "setxattr": 5,
               "removexattr": 3, "utime": 8}

    def draw(self, count):
        """COUNT more operations."""
        names, weights = list(self.WEIGHTS), list(self.WEIGHTS.values())
        done = 0
        while done < count:
            done += bool(getattr(self, "op_" + self.rng.choices(names, weights)[0])())

    def draw_end(self):
        """Times of directories last, when nothing below them changes any more."""
        for path in sorted(self.nodes):
            if path and self.nodes[path].kind == "d" and self.rng.random() < 0.5:
                self.nodes[path].mtime = WHEN + self.rng.randrange(10**17)
                self.emit("utime", path, self.nodes[path].mtime)

    def freeze(self):
        """What there is becomes a lower layer: no longer the sequence's own."""
        for inode in set(self.nodes.values()):
            inode.made = False
            inode.frozen = len(self.links(inode)) > 1


def plan(seed, parts):
    """(operations that make the base, [operations of each part], the model at the end)."""
    p = Plan(seed)
    done = []
    for i, count in enumerate(parts):
        if i:
            p.freeze()
        p.draw(count)
        if i == len(parts) - 1:
            p.draw_end()
        done.append(p.ops)
        p.ops = []
    return p.base_ops, done, p.nodes


# Doing them.

def put(path, flags, at, data):
    fd = os.open(path, os.O_WRONLY | flags)
    try:
        os.pwrite(fd, data, at) if at else os.write(fd, data)
    finally:
        os.close(fd)


def copy_attributes(old, new):
    st = os.stat(old)
    for name in os.listxattr(old):
        if name.startswith("user."):
            os.setxattr(new, name, os.getxattr(old, name))
    os.chmod(new, stat.S_IMODE(st.st_mode))
    os.utime(new, ns=(st.st_mtime_ns, st.st_mtime_ns))


def copy_tree(old, new, seen):
    os.mkdir(new)
    for name in sorted(os.listdir(old)):
        a, b = os.path.join(old, name), os.path.join(new, name)
        st = os.lstat(a)
        if stat.S_ISDIR(st.st_mode):
            copy_tree(a, b, seen)
        elif stat.S_ISLNK(st.st_mode):
            os.symlink(os.readlink(a), b)
        elif st.st_ino in seen:
            os.link(seen[st.st_ino], b)
        else:
            shutil.copyfile(a, b)
            copy_attributes(a, b)
            seen[st.st_ino] = b
    copy_attributes(old, new)


def do_one(what, path, *rest):
    if what == "write":
        put(path, os.O_TRUNC, 0, rest[1])
    elif what == "append":
        put(path, os.O_APPEND, 0, rest[1])
    elif what in ("overwrite", "sparse"):
        put(path, 0, *rest)
    elif what == "truncate":
        os.truncate(path, rest[0])
    elif what == "create":
        put(path, os.O_CREAT | os.O_EXCL, 0, rest[1])
        os.chmod(path, rest[0])
    elif what == "mkdir":
        os.mkdir(path)
        os.chmod(path, rest[0])
    elif what == "symlink":
        os.symlink(rest[0], path)
    elif what == "utime":
        os.utime(path, ns=(rest[0], rest[0]))
    elif what == "mvtree":
        copy_tree(path, rest[0], {})
        shutil.rmtree(path)
    else:
        {"link": os.link, "unlink": os.unlink, "rmtree": shutil.rmtree, "rename": os.rename, "chmod": os.chmod,
         "setxattr": os.setxattr, "removexattr": os.removexattr}[what](path, *rest)


def do(ops):
    """In the current directory. An operation that fails says which one it was."""
    os.umask(0o022)
    for i, op in enumerate(ops):
        try:
            do_one(*op)
        except OSError as err:
            raise SystemExit(f"operation {i} of {len(ops)}, {op!r:.300}: {err}")
