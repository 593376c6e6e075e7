# SPDX-License-Identifier: Apache-2.0
"""What a promotion must make of three trees, by the rules that docs/internals/changes.md and docs/conflicts.md tell people.

Trees are data, as promotion_work.look() tells them: BASE as it was when the box took it, BOX as the box left it, HOST as it is now.
"""
import base64
import struct

from promotion_work import ACLS, SMALL

KEPT = 4 << 20  # contents up to this can be merged
NOTHING, APPLY, MERGE, CONFLICT = "nothing", "apply", "merge", "conflict"
KINDS = ["none", "created", "modified", "deleted", "replaced", "mode", "xattr", "touched"]
_ = None
TABLE = {kind: dict(zip(KINDS, row)) for kind, row in {
    "created": (APPLY, CONFLICT, _, _, _, _, _, _),
    "modified": (APPLY, _, MERGE, CONFLICT, CONFLICT, MERGE, MERGE, APPLY),
    "deleted": (APPLY, _, CONFLICT, NOTHING, CONFLICT, CONFLICT, CONFLICT, APPLY),
    "replaced": (APPLY, _, CONFLICT, CONFLICT, CONFLICT, CONFLICT, CONFLICT, APPLY),
    "mode": (APPLY, _, MERGE, CONFLICT, CONFLICT, MERGE, MERGE, APPLY),
    "xattr": (APPLY, _, MERGE, CONFLICT, CONFLICT, MERGE, MERGE, APPLY),
    "touched": (APPLY, _, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, APPLY)}.items()}


def aspects(a, b):
    """What differs of two files of one type."""
    found = set()
    if a["t"] in "fl" and (a["c"], a["size"]) != (b["c"], b["size"]):
        found.add("content")
    if (a["mode"], a["own"]) != (b["mode"], b["own"]):
        found.add("mode")
    if a["xa"] != b["xa"]:
        found.add("xattr")
    if a["t"] != "d" and a["mt"] != b["mt"]:  # of a directory it changes with whatever is made in it
        found.add("time")
    return found


def kind(a, b):
    if a is None or b is None:
        return "none" if a is b else "created" if a is None else "deleted"
    if a["t"] != b["t"]:
        return "replaced"
    differ = aspects(a, b)
    for aspect, name in (("content", "modified"), ("mode", "mode"), ("xattr", "xattr"), ("time", "touched")):
        if aspect in differ:
            return name
    return "none"


def merge_lines(base, ours, theirs):
    """(text, True) or (None, whether lines stood against each other). Edits replace single lines, far apart."""
    texts = [base64.b64decode(t["c"]) if t["size"] < SMALL else b"\0" for t in (base, ours, theirs)]
    if any(b"\0" in t for t in texts):
        return None, False
    o, a, b = (t.splitlines(True) for t in texts)
    if not len(o) == len(a) == len(b):
        return None, None
    out = []
    for x, y, z in zip(o, a, b):
        if y != x and z != x and y != z:
            return None, True
        out.append(y if y != x else z)
    return b"".join(out), True


class Model:
    def __init__(self, base, box, host, resolution, name):
        self.base, self.box, self.host, self.resolution, self.name = base, box, host, resolution, name
        self.result, self.conflicts, self.left, self.marked = {}, set(), set(), set()
        self.any_time, self.linked = set(), []
        self.children = {}
        for tree in (base, box, host):
            for p in tree:
                if "/" in p:
                    self.children.setdefault(p.rpartition("/")[0], set()).add(p)

    def below(self, tree, path):
        return {p: n for p, n in tree.items() if p == path or p.startswith(path + "/")}

    def same_below(self, a, b, path):
        one, two = self.below(a, path), self.below(b, path)
        return one.keys() == two.keys() and all(kind(one[p], two[p]) == "none" for p in one)

    def touched_below(self, a, b, path):
        """As above, but times count for nothing."""
        one, two = self.below(a, path), self.below(b, path)
        return one.keys() == two.keys() and all(kind(one[p], two[p]) in ("none", "touched") for p in one)

    def keep(self, path):
        self.result.update(self.below(self.host, path))

    def version(self, path, to, whole=None):
        """The box's version of PATH, at TO: what it made itself, and in directories that it only worked in what the host shows."""
        b, x = self.base.get(path), self.box.get(path)
        if not whole and self.same_below(self.base, self.box, path):
            b = x = self.host.get(path)
        if x is None:
            return
        if x["t"] in "ps":
            self.left.add(to)
            return
        whole = whole or b is None or b["t"] != "d" or x["t"] != "d" or self.is_anew(path)
        self.result[to] = dict(x)
        for child in sorted(self.children.get(path, ())):
            self.version(child, to + child[len(path):], whole)

    def is_anew(self, path):
        """The box removed the directory and made another one."""
        return any(p.rpartition("/")[2].startswith("anew.x") for p in self.children.get(path, ()) if p in self.box)

    def conflict(self, path, marked=None):
        self.conflicts.add(path)
        if self.resolution == "overwrite":
            if path in self.box:
                self.version(path, path)
            return
        self.keep(path)
        if self.resolution == "mark" and marked is not None:
            self.result[path] = marked
            self.marked.add(path)
            self.any_time.add(path)
        elif self.resolution in ("both", "mark") and path in self.box:
            self.version(path, f"{path}.{self.name}")

    def merge_dirs(self, path, b, x, h):
        differ = aspects(h, x)
        is_dir = b is not None and b["t"] == "d"
        by_box, by_host = (aspects(b, x), aspects(b, h)) if is_dir else (differ, differ)
        take = differ & by_box
        if take & by_host:
            self.conflicts.add(path)
            if self.resolution in ("both", "mark"):
                self.version(path, f"{path}.{self.name}")
            if self.resolution != "overwrite":
                take -= by_host
        self.result[path] = self.blend(h, x, take)
        for child in sorted(self.children.get(path, ())):
            self.decide(child)

    def blend(self, h, x, take):
        node = dict(h)
        if len(take & {"mode", "xattr"}) == 1 and any("system.posix_acl_access" in n["xa"] for n in (h, x)):
            node["loose"] = True  # one thing to the kernel: it decides what the permissions of one side make of the list of the other
        for aspect, keys in (("content", ("c", "size")), ("mode", ("mode", "own")), ("xattr", ("xa",)), ("time", ("mt",))):
            if aspect in take:
                node.update({k: x[k] for k in keys})
        return node

    def change_of(self, b, tree, path):
        """What a side did to PATH; a directory counts with everything in it."""
        now = tree.get(path)
        found = kind(b, now)
        if b is not None and now is not None and b["t"] == now["t"] == "d" and found != "mode" and not self.touched_below(self.base, tree, path):
            return "modified"
        return found

    def merge_aspects(self, path, b, x, h):
        by_box, by_host, differ = aspects(b, x), aspects(b, h), aspects(h, x)
        both, take = by_box & by_host & differ, (differ & by_box) - by_host
        if both & {"mode", "xattr"}:
            return self.conflict(path)
        if "content" in both:
            if x["t"] != "f" or b["size"] > KEPT:
                return self.conflict(path)
            text, stood = merge_lines(b, h, x)
            if text is None:
                assert stood is not None, f"{path!r}: the model knows no merge of these"
                return self.conflict(path, self.blend(h, x, take) if stood else None)
            self.result[path] = {**self.blend(h, x, take), "c": base64.b64encode(text).decode(), "size": len(text)}
            self.any_time.add(path)
            return None
        if not take - {"time"}:
            return self.keep(path)
        self.result[path] = self.blend(h, x, take)
        self.any_time.add(path)
        return None

    def decide(self, path):
        b, x, h = self.base.get(path), self.box.get(path), self.host.get(path)
        if self.same_below(self.base, self.box, path):
            return self.keep(path)
        if x is not None and x["t"] in "ps":
            if kind(h, x) != "none":
                self.left.add(path)
            return self.keep(path)
        if x is not None and h is not None and x["t"] == h["t"] == "d":
            return self.merge_dirs(path, b, x, h)
        same = kind(h, x)
        if same == "none":
            return self.keep(path)
        by_box, by_host = self.change_of(b, self.box, path), self.change_of(b, self.host, path)
        if by_box == "none" or (same == "touched" and by_host not in ("none", "touched")):
            return self.keep(path)
        action = TABLE[by_box][by_host]
        if action == APPLY:
            return self.version(path, path) if x is not None else None
        if action == MERGE:
            return self.merge_aspects(path, b, x, h)
        return self.keep(path) if action == NOTHING else self.conflict(path)


def raw_acls(tree):
    """In a box of an ordinary user other ids have no name: puts back those that the work gives, one for users and one for groups."""
    ids = {0x02: ACLS["user"], 0x08: ACLS["group"]}
    for node in tree.values():
        for key, value in node["xa"].items():
            if key.startswith("system.posix_acl"):
                data = base64.b64decode(value)
                entries = [struct.unpack_from("<HHI", data, at) for at in range(4, len(data), 8)]
                packed = b"".join(struct.pack("<HHI", tag, perm, ids.get(tag, who)) for tag, perm, who in entries)
                node["xa"][key] = base64.b64encode(data[:4] + packed).decode()
