# SPDX-License-Identifier: Apache-2.0
"""Images that are allowed and seldom thought of. {name: layers}, a layer is a list of entries (layers.py).

IMPLIED names the directories that no entry describes: what mode and time they get is up to who unpacks.
"""
from layers import T0, entry, fifo, file, folder, gone, hardlink, header, opaque, padded, pax, sparse, symlink

BASE = [folder("./"), folder("etc"), file("etc/passwd", b"root\n"), folder("usr"), folder("usr/lib"), file("usr/lib/libc", b"c" * 5000), symlink("lib", "usr/lib"),
        folder("dir", 0o750), file("dir/one", b"1"), file("dir/two", b"2"), folder("dir/deep"), file("dir/deep/file", b"deep")]
CAPABILITY = bytes.fromhex("0100000200040000000000000000000000000000")  # cap_net_bind_service=ep
IMPLIED = {
    "no-parents": {"a", "a/b", "a/b/c"},
    "through-dangling-link": {"here", "here/later"},
    "deleted-then-inside": {"dir"},
    "long-names": {"x" * 100, "x" * 100 + "/" + "y" * 100},
    "gnu-long-names": {"g" * 100, "g" * 100 + "/" + "h" * 99},
    "absolute-names": {"opt"},
}
# Which umoci cannot read; the reference is GNU tar.
BY_TAR = {"sparse", "global-header"}


def gnu_long(name, data, link=None):
    """As GNU tar writes long names and targets."""
    before = header(b"././@LongLink", b"L", len(name) + 1, magic=b"ustar  \0") + padded(name.encode() + b"\0")
    if link:
        before += header(b"././@LongLink", b"K", len(link) + 1, magic=b"ustar  \0") + padded(link.encode() + b"\0")
    return before + header(name.encode()[:100], b"2" if link else b"0", len(data), magic=b"ustar  \0", link=(link or "").encode()[:100]) + padded(data)


def ustar_prefix(name, data):
    where, _, last = name.rpartition("/")
    return header(last.encode(), b"0", len(data), tail=where.encode()) + padded(data)


IMAGES = {
    "plain": [BASE],
    "one-file-changed": [BASE, [file("etc/passwd", b"root\nbin\n", mode=0o600, mtime=T0 + 5)]],
    "deletions": [BASE, [gone("etc/passwd"), gone("dir/deep")]],
    "deletion-of-nothing": [BASE, [gone("etc/nothing"), file("etc/new", b"n")]],
    "gone-in-nothing": [BASE, [gone("nothing/there")]],
    "opaque": [BASE, [folder("dir", 0o700), opaque("dir"), file("dir/three", b"3")]],
    "opaque-last": [BASE, [folder("dir", 0o700), file("dir/three", b"3"), folder("dir/deep"), file("dir/deep/new", b"n"), opaque("dir")]],
    "opaque-without-entry": [BASE, [opaque("dir")]],
    "opaque-top": [BASE, [file("etc/new", b"n"), file(".wh..wh..opq"), file("dir/new", b"n")]],
    "deleted-and-made-again": [BASE, [gone("dir"), folder("dir", 0o711), file("dir/three", b"3")]],
    "made-and-deleted": [BASE, [folder("dir", 0o711), file("dir/three", b"3"), gone("dir")]],
    "deleted-then-inside": [BASE, [gone("dir"), file("dir/three", b"3")]],
    "file-stays-beside-its-deletion": [BASE, [file("etc/passwd", b"mine"), gone("etc/passwd")]],
    "through-link-below": [BASE, [file("lib/libm", b"m"), gone("lib/libc")]],
    "through-link-in-layer": [[*BASE, file("lib/libm", b"m"), symlink("abs", "/usr"), file("abs/lib/x", b"x"), symlink("up", "../../../usr"), file("up/lib/y", b"y")]],
    "through-link-of-links": [[folder("real"), symlink("c", "real"), symlink("b", "/c"), symlink("a", "./b")], [file("a/file", b"f")]],
    "through-dangling-link": [[symlink("away", "here/later")], [file("away/file", b"f")]],
    "link-becomes-directory": [BASE, [folder("lib", 0o755), file("lib/own", b"o")]],
    "link-becomes-file": [BASE, [file("lib", b"f")]],
    "directory-becomes-file": [BASE, [file("dir", b"f")]],
    "directory-becomes-link": [BASE, [symlink("dir", "usr/lib"), file("dir/led", b"l")]],
    "file-becomes-directory": [BASE, [folder("etc/passwd", 0o700), file("etc/passwd/x", b"x")], [file("etc/passwd", b"back")], [folder("etc/passwd")]],
    "twice": [[*BASE, file("etc/passwd", b"second", mode=0o640), folder("dir", 0o700, mtime=T0 + 9), symlink("lib", "etc"), symlink("lib", "dir")]],
    "types-change-in-layer": [[*BASE, file("dir", b"now a file"), folder("dir", 0o755), file("dir/new", b"n"), symlink("etc/passwd", "shadow"), folder("lib"), file("lib/x", b"x")]],
    "hard-links": [[*BASE, hardlink("etc/passwd-", "etc/passwd"), hardlink("dir/too", "./etc/passwd"), hardlink("dir/via", "lib/libc"), symlink("sym", "etc"),
                    hardlink("sym2", "sym")]],
    "hard-links-across": [BASE, [hardlink("usr/lib/libc.6", "usr/lib/libc")], [hardlink("etc/passwd-", "etc/passwd"), hardlink("lib/again", "lib/libc.6")]],
    "hard-link-replaces": [[*BASE, hardlink("dir/one", "etc/passwd"), hardlink("dir/deep", "etc/passwd"), file("etc/passwd", b"new")]],
    "hard-link-group-below": [[*BASE, hardlink("dir/h1", "dir/one"), hardlink("dir/h2", "dir/one")], [hardlink("dir/h3", "dir/h1")]],
    "no-parents": [[file("a/b/c/file", b"f")]],
    "absolute-names": [[folder("/"), file("/opt/x", b"x"), *BASE[1:]]],
    "dots": [[folder("././/etc//"), file("./etc/./passwd", b"p"), hardlink(".//x", "etc//./passwd")]],
    "long-names": [[file("x" * 100 + "/" + "y" * 100 + "/" + "z" * 255, b"f"), symlink("l", "t" * 3000)]],
    "gnu-long-names": [[gnu_long("g" * 100 + "/" + "h" * 99 + "/file", b"f"), gnu_long("g" * 100 + "/" + "l" * 200, b"", "t" * 300)]],
    "ustar-prefix": [[folder("p" * 90), ustar_prefix("p" * 90 + "/" + "n" * 90, b"f")]],
    "odd-names": [[file("new\nline", b"1"), file("back\\slash", b"2"), file(b"\xff\xfe".decode("utf8", "surrogateescape"), b"3"), file("e\u0301", b"nfd"), file("\u00e9", b"nfc"),
                   file("-rf", b"4"), file(" ", b"5"), file("...", b"6"), file("wh.x", b"7"), file(".whx", b"8"), entry("pax-e\u0301", b"0", b"9", records=[("path", "pax-e\u0301".encode())])]],
    "modes": [[folder("t", 0o1777), folder("s", 0o2775), file("s/inside", b"i"), folder("s/sub", 0o755), file("none", b"n", mode=0), folder("closed", 0), file("closed/file", b"f"),
               folder("read-only", 0o555), file("read-only/file", b"f"), fifo("pipe", mode=0o622)]],
    "groups": [[folder("s", 0o2775, gid=50), file("s/f", b"f"), folder("s/d"), symlink("s/l", "f"), fifo("s/p"), file("s/d/g", b"g", gid=50)], [file("s/new", b"n"), folder("s/d2")]],
    "setuid": [[file("su", b"s", mode=0o4755), file("sg", b"s", mode=0o2755), file("both", b"s", mode=0o6711)]],
    "owners": [[folder("home", uid=1000, gid=1000), file("home/f", b"f", uid=1000, gid=1001), symlink("home/l", "f", uid=1000, gid=1000), file("big", b"b", uid=65534, gid=65534)],
               [file("home/g", b"g", uid=33, gid=33)]],
    "times": [[folder("d", mtime=T0 + 0.123456789), file("d/f", b"f", mtime="1600000000.987654321"), file("old", b"o", mtime="-1.5"), symlink("l", "x", mtime="1500000000.25"),
               folder("d/e", mtime=5), file("d/e/f", b"f")]],
    "xattrs": [[folder("d", xattrs={"user.d": b"dir"}), file("f", b"f", xattrs={"user.one": b"1", "user.bin": bytes(range(256)), "user.empty": b""})],
               [file("d/new", b"n"), file("f", b"g", xattrs={"user.two": b"2"})]],
    "xattrs-twice": [[folder("d", xattrs={"user.a": b"1"}), folder("d", xattrs={"user.b": b"2"})]],
    "sparse": [[sparse("s1", 1 << 20, [(0, b"a" * 4096), (1 << 19, b"b" * 4096)]), sparse("s2", 1 << 20, [(65536, b"c" * 512)], "0.1"),
                sparse("s3", 1 << 20, [(4096, b"d" * 4096)], "old"), sparse("s4", 1 << 20, []), file("zeros", bytes(1 << 20))]],
    "global-header": [[pax([("comment", "a commit")], b"g"), *BASE]],
    "sizes": [[file(f"f{n}", bytes([n % 251]) * n) for n in (0, 1, 511, 512, 513, 4095, 65535, 65536, 65537, 262143, 262144, 524289)]],
    "attributes-of-directories-stay": [[folder("d", 0o2750, uid=7, gid=8, mtime=T0 + 0.5, xattrs={"user.k": b"v"}), folder("d/e", 0o711, mtime=77), file("d/e/f", b"f")],
                                       [file("d/e/g", b"g")], [gone("d/e/f")]],
    "forty-layers": [[folder("n", mtime=T0 + n), file(f"n/{n}", b"%d" % n), *([gone(f"n/{n - 3}")] if n > 3 and n % 3 == 0 else []), file("last", b"%d" % n),
                      *([hardlink(f"n/link{n}", "last")] if n % 10 == 0 else [])] for n in range(40)],
    "whiteouts-of-several": [BASE, [gone("dir/one")], [file("dir/one", b"again")], [gone("dir")], [folder("dir"), file("dir/last", b"l")], [opaque("dir"), file("dir/very-last", b"v")]],
    "empty-layers": [BASE, [], [folder("./", 0o711, mtime=T0 + 3)], []],
}
