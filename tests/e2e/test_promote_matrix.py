# SPDX-License-Identifier: Apache-2.0
"""What the box did to a file, times what the host did to it meanwhile: the outcome of each pair, as tables.

All pairs of a table lie in one project, a directory each, and are promoted one directory at a time. Each is
tried dry, promoted, compared with a tree made without aisbx, and taken back. "Meanwhile" is after the run.
"""
import inspect
import json
import os
import shutil
import subprocess

import pytest

import promote_act
from promote import Shelf, assert_same, copy_tree, path_of, tree, without_dir_times
from promote_act import BASE, LONG_AGO, act, prepare, write

# The same source does the box's part inside the box.
IN_BOX = inspect.getsource(promote_act) + """
import json, sys
for d, *actions in json.loads(sys.argv[1]):
    for what in actions:
        act(d, what, "box")
"""

# Rows: what the box did. Columns: what the host did meanwhile.
#   .  nothing to do, nothing written           a  the box's change is applied
#   X  conflict, nothing written                m  both go in: merged
#   b  both go in, neither is a merge of contents: called apply or merge
#   t  the box set nothing but the time: it may go in or not, the rest is the host's
#   u  applied, or a conflict: of what a box deleted no content is kept, and a new time may be a new content
TABLE = """
          none create modify delete dir  symlink mode rename binary empty huge nonl crlf xattr touch
none       .     .      .      .     .      .     .     .      .      .    .    .    .     .     .
create     a     X      a      a     a      a     a     a      a      a    a    a    a     a     a
modify     a     a      m      X     X      X     m     X      X      X    X    m    X     m     b
delete     a     a      X      .     X      X     X     .      X      X    X    X    X     X     u
dir        a     a      X      X     X      X     X     X      X      X    X    X    X     X     u
symlink    a     a      X      X     X      X     X     X      X      X    X    X    X     X     a
mode       a     a      m      X     X      X     X     X      m      m    m    m    m     b     b
rename     a     a      X      a     X      X     X     a      X      X    X    X    X     X     u
binary     a     a      X      X     X      X     m     X      X      X    X    X    X     m     b
empty      a     a      X      X     X      X     m     X      X      .    X    X    X     m     b
huge       a     a      X      X     X      X     m     X      X      X    X    X    X     m     b
nonl       a     a      m      X     X      X     m     X      X      X    X    .    X     m     b
crlf       a     a      X      X     X      X     m     X      X      X    X    X    .     m     b
xattr      a     a      m      X     X      X     b     X      m      m    m    m    m     X     b
touch      a     a      t      .     .      .     t     .      t      t    t    t    t     t     a
"""
_LINES = [line.split() for line in TABLE.strip().splitlines()]
CASES = {(row[0], host): outcome for row in _LINES[1:] for host, outcome in zip(_LINES[0], row[1:], strict=True)}
def large_apart(cases):
    """Files of 64 MiB are weighed byte by byte: not with sanitizers, which make minutes of it."""
    return [pytest.param(*case, marks=[pytest.mark.big] if "huge" in case else []) for case in cases]


CONTENT = {"modify", "binary", "empty", "huge", "nonl", "crlf"}
KIND = {**dict.fromkeys(CONTENT | {"overlap"}, "modified"), "create": "created", "delete": "deleted", "dir": "replaced",
        "symlink": "replaced", "mode": "mode", "rename": "deleted", "xattr": "xattr", "touch": "touched"}
TYPE = {"dir": "directory", "symlink": "symlink"}

# What the words of a result may be called for each letter.
WORDS = {"a": {"apply"}, "m": {"merge"}, "b": {"apply", "merge"}, "X": {"conflict"}, ".": set()}


def test_the_table_is_complete():
    assert len(_LINES[0]) == 15 and len(CASES) == 225
    assert sum(v == "X" for v in CASES.values()) >= 80 and sum(v in "ambt" for v in CASES.values()) >= 80


def expected(scratch, box, host):
    """The tree that a promotion should leave: both sides' work done one after the other, by hand."""
    prepare(scratch)
    act(scratch, host, "host")
    if host in ("delete", "rename") and box == "rename":
        write(scratch + "/moved-by-box", BASE)
        os.chmod(scratch + "/moved-by-box", 0o644)
        os.utime(scratch + "/moved-by-box", ns=(LONG_AGO, LONG_AGO))
    else:
        act(scratch, box, "box")
    return tree(scratch)


def known_times(want, got, box, host):
    """Drops the times that nobody set: those of directories, and of files written by one of the two."""
    for path, e in want.items():
        unknown = e.get("mtime", 0) > LONG_AGO + 3 * 10**17 or (box == "touch" and host in CONTENT)
        unknown = unknown or (host == "touch" and box != "touch")  # what was only set outside may get lost
        if (unknown or e["type"] == "directory") and path in got:
            e.pop("mtime", None)
            got[path].pop("mtime", None)


def changes_of(result):
    """path -> (kind, type, outcome). The time of a directory follows from its entries and is nobody's change."""
    return {path_of(c): (c["kind"], c["type"], c["outcome"]) for c in result["changes"]
            if (c["kind"], c["type"]) != ("touched", "directory")}


class Matrix:
    """One project, one box, one run; then the host's edits."""

    def __init__(self, root):
        self.shelf = Shelf(root)
        self.scratch = root / "scratch"
        self.scratch.mkdir()
        self.name = "{}-{}".format
        self.project = self.shelf.project
        os.chdir(self.project)
        for pair in CASES:
            prepare(self.name(*pair))
        self.shelf.ok("create", "b")
        todo = [[self.name(box, host), box] for box, host in CASES]
        for i in range(0, len(todo), 75):  # three runs over one layer: what was taken as base stays it
            self.shelf.py("b", IN_BOX, json.dumps(todo[i:i + 75]))
        for box, host in CASES:
            act(self.name(box, host), host, "host")
        self.before = tree(self.project)

    def case(self, name):
        return tree(self.project / name)


@pytest.fixture(scope="module", name="matrix")
def fixture_matrix(tmp_path_factory):
    return Matrix(tmp_path_factory.mktemp("matrix"))


def check_words(result, name, box, host, outcome):
    """The result names the right paths with the right words."""
    found = changes_of(result)
    one, new = os.fsencode(name + "/f"), os.fsencode(name + "/new")
    if outcome == ".":
        assert found == {} and result["conflicts"] == [], result
        return
    main = new if box == "create" else one
    if box == "rename" and host in ("delete", "rename"):
        assert one not in found, "both sides deleted it: not listed"
        main = os.fsencode(name + "/moved-by-box")
        kind, kind_type = "created", "file"
    else:
        kind, kind_type = KIND[box], TYPE.get(box, "file")
    if (box, host) != ("dir", "dir"):  # there the child may be named instead of the directory
        assert main in found, f"{main} is not in {found}"
        # Of a deleted one: what was there, or is there now.
        types = {kind_type, TYPE.get(host, "file")} if kind == "deleted" else {kind_type}
        assert found[main][0] == kind and found[main][1] in types and found[main][2] in WORDS[outcome], found
    if outcome != "X":
        assert result["conflicts"] == [] and not any(c[2] == "conflict" for c in found.values()), result
        if outcome == "a":
            assert all(c[2] == "apply" for c in found.values()), found
        return
    conflict = {path_of(c): c for c in result["conflicts"]}
    if (box, host) != ("dir", "dir"):
        assert set(conflict) == {main}, conflict
        assert conflict[main]["box"] == KIND[box], conflict
        assert conflict[main]["host"] == KIND[host] or host == "touch", conflict
    assert all(len(c["reason"]) > 10 and c["resolution"] == "stop" for c in conflict.values()), conflict


@pytest.mark.parametrize("box,host", large_apart(CASES), ids=lambda v: v)
def test_pair(matrix, box, host):
    outcome = CASES[box, host]
    if outcome in "tu":  # which of the two it is
        result = matrix.shelf.promote("b", matrix.name(box, host), "--dry-run")[1]
        outcome = ("b" if result["changes"] else ".") if outcome == "t" else "X" if result["conflicts"] else "a"
    shelf, name = matrix.shelf, matrix.name(box, host)
    before = matrix.case(name)

    dry_status, dry = shelf.promote("b", name, "--dry-run")
    assert dry["dry_run"] and not dry["applied"] and dry["promotion"] is None
    assert_same(before, matrix.case(name), "a dry run wrote")
    check_words(dry, name, box, host, outcome)

    status, result = shelf.promote("b", name)
    assert status == (1 if outcome == "X" else 0), result
    check_words(result, name, box, host, outcome)
    assert changes_of(result) == changes_of(dry) and result["conflicts"] == dry["conflicts"] and status == dry_status
    if outcome in "Xm" and box != "touch" and host not in ("create", "touch") and (box, host) != ("dir", "dir"):
        assert os.fsencode(name + "/f") in {path_of(s) for s in result["stale"]}, result
    after = matrix.case(name)
    if outcome in ".X":
        assert not result["applied"] or not changes_of(result), result
        assert_same(before if outcome == "X" else without_dir_times(before),
                    after if outcome == "X" else without_dir_times(after), "nothing was to be written")
    else:
        assert result["applied"] and result["promotion"].startswith("p-"), result
        want = expected(str(matrix.scratch / name), box, host)
        known_times(want, after, box, host)
        assert_same(want, after, "the promoted tree")
        if "huge" in (box, host) and os.path.exists(f"{matrix.project}/{name}/f"):
            assert os.stat(f"{matrix.project}/{name}/f").st_blocks < 1000, "a hole was filled"
    if result["applied"]:
        # Again: box and host now agree, nothing is left to do.
        again, second = shelf.promote("b", name)
        assert again == 0 and not second["applied"] and changes_of(second) == {}, second
        shelf.undo()
        assert_same(without_dir_times(before), without_dir_times(matrix.case(name)), "undo")


def test_whole_box_with_conflicts_writes_nothing(matrix):
    """220 directories could go in, but the person is asked first."""
    result = matrix.shelf.stopped("b")
    want = {os.fsencode(f"{matrix.name(*pair)}/{'new' if pair[0] == 'create' else 'f'}")
            for pair, outcome in CASES.items() if outcome == "X"}
    got = {path_of(c) for c in result["conflicts"]}
    in_dir = {b"dir-dir/f", b"dir-dir/f/in"}
    unsure = {os.fsencode(matrix.name(*pair) + "/f") for pair, outcome in CASES.items() if outcome == "u"}
    assert got - in_dir - unsure == want - in_dir and got & in_dir
    assert_same(without_dir_times(matrix.before), without_dir_times(tree(matrix.project)), "all was undone before")


def test_whole_box_keeping_the_hosts(matrix):
    """One promotion of everything that has no conflict; each directory as it was by itself; and one undo."""
    before = tree(matrix.project)
    result = matrix.shelf.promoted("b", "--conflict", "keep")
    assert all(c["resolution"] == "keep" for c in result["conflicts"])
    for (box, host), outcome in CASES.items():
        name = matrix.name(box, host)
        after = matrix.case(name)
        if outcome in "amb":
            shutil.rmtree(matrix.scratch / name, ignore_errors=True)
            want = expected(str(matrix.scratch / name), box, host)
            known_times(want, after, box, host)
            assert_same(want, after, name)
        elif box != "rename" and outcome != "u":
            path = os.fsencode(name)
            was = {os.path.relpath(p, path): dict(e) for p, e in before.items() if p == path or p.startswith(path + b"/")}
            if outcome == "t":
                for e in [*was.values(), *after.values()]:
                    e.pop("mtime", None)
            assert_same(without_dir_times(was), without_dir_times(after), name)
    matrix.shelf.undo()
    assert_same(without_dir_times(before), without_dir_times(tree(matrix.project)), "undo")


# Situations that one word does not describe. Each is: name, the host before, what the box did, what the host did
# meanwhile, the letters of the outcomes allowed, and what would have to be done by hand to the host's tree to get
# what a promotion leaves (not used when nothing is written). All are shell, in a directory of the case's own.
SEQ = "seq 1 20 > f"
EXTRA = [
    # same result on both sides
    ("same-text", SEQ, "echo x > f", "echo x > f", ".", ""),
    ("same-creation", ":", "echo x > n", "echo x > n", ".", ""),
    ("same-mode", SEQ, "chmod 600 f", "chmod 600 f", ".", ""),
    ("same-xattr", SEQ, "setfattr -n user.a -v 1 f", "setfattr -n user.a -v 1 f", ".", ""),
    ("same-symlink", SEQ, "rm f; ln -s x f", "rm f; ln -s x f", ".", ""),
    ("same-directory", SEQ, "rm f; mkdir f; echo 1 > f/a", "rm f; mkdir f; echo 1 > f/a", ".", ""),
    ("same-rename", SEQ, "mv f g", "mv f g", ".", ""),
    ("same-deleted-tree", "mkdir d; echo 1 > d/a", "rm -r d", "rm -r d", ".", ""),
    ("same-binary", SEQ, "printf 'a\\0b' > f", "printf 'a\\0b' > f", ".", ""),
    ("changed-and-back", SEQ, "cp -p f t; echo x > f; cat t > f; touch -r t f; rm t", "sed -i 1d f", ".", ""),
    ("deleted-and-back", SEQ, "cp -p f t; rm f; mv t f", ":", ".", ""),
    ("made-and-gone", ":", "echo x > n; mkdir m; rm -r n m", "echo host > n", ".", ""),
    # text
    ("same-line", SEQ, "sed -i s/10/box/ f", "sed -i s/10/host/ f", "X", ""),
    ("same-line-same-words-and-more", SEQ, "sed -i 's/10/x/; s/^2$/box/' f", "sed -i 's/10/x/; s/18/host/' f", "m",
     "sed -i 's/^2$/box/' f"),
    ("insert-at-one-place", SEQ, "sed -i '10a box' f", "sed -i '10a host' f", "X", ""),
    ("append-both", SEQ, "echo box >> f", "echo host >> f", "X", ""),
    ("append-and-prepend", SEQ, "echo box >> f", "sed -i '1i host' f", "m", "echo box >> f"),
    ("delete-lines-apart", SEQ, "sed -i 2,4d f", "sed -i 15,17d f", "m", "sed -i 2,4d f"),
    ("delete-a-changed-line", SEQ, "sed -i 8,12d f", "sed -i s/10/host/ f", "X", ""),
    ("last-line-without-newline-both", SEQ, "printf box >> f", "printf host >> f", "X", ""),
    ("crlf-file-apart", "seq 1 20 | sed 's/$/\\r/' > f", "sed -i 's/^2\\r/box\\r/' f", "sed -i 's/^18\\r/host\\r/' f", "m",
     "sed -i 's/^2\\r/box\\r/' f"),
    ("markers-are-text", "printf '<<<<<<< a\\n1\\n2\\n3\\n4\\n5\\n=======\\n' > f", "sed -i s/^1/box/ f",
     "sed -i s/^5/host/ f", "m", "sed -i s/^1/box/ f"),
    ("nul-far-behind", "seq 1 3000 > f; printf '\\0\\n' >> f", "sed -i s/^7$/box/ f", "sed -i s/^2900$/host/ f", "m",
     "sed -i s/^7$/box/ f"),
    ("nul-before-both", "printf '\\0\\n' > f; seq 1 20 >> f", "sed -i s/^2$/box/ f", "sed -i s/^18$/host/ f", "X", ""),
    ("not-utf-8", "printf '\\377\\n' > f; seq 1 20 >> f", "sed -i s/^2$/box/ f", "sed -i s/^18$/host/ f", "m",
     "sed -i s/^2$/box/ f"),
    ("one-long-line", "head -c 300000 /dev/zero | tr '\\0' x > f; seq 1 9 >> f", "sed -i s/^2$/box/ f",
     "sed -i s/^8$/host/ f", "m", "sed -i s/^2$/box/ f"),
    ("all-lines-alike", "yes | head -40 > f", "sed -i 5s/y/box/ f", "sed -i 30s/y/host/ f", "mX", "sed -i 5s/y/box/ f"),
    # two things at once
    ("text-and-mode", SEQ, "echo box >> f; chmod 700 f", ":", "a", "echo box >> f; chmod 700 f"),
    ("text-and-mode-same-mode", SEQ, "echo box >> f; chmod 700 f", "chmod 700 f", "am", "echo box >> f"),
    ("text-apart-modes-differ", SEQ, "sed -i 2d f; chmod 700 f", "sed -i 18d f; chmod 600 f", "X", ""),
    ("text-apart-mode-of-box", SEQ, "sed -i 2d f; chmod 700 f", "sed -i 18d f", "m", "sed -i 2d f; chmod 700 f"),
    ("xattr-names-differ", SEQ, "setfattr -n user.a -v 1 f", "setfattr -n user.b -v 1 f", "X", ""),
    ("xattr-removed", SEQ + "; setfattr -n user.a -v 1 f", "setfattr -x user.a f", ":", "a", "setfattr -x user.a f"),
    ("xattr-removed-text-of-host", SEQ + "; setfattr -n user.a -v 1 f", "setfattr -x user.a f", "echo host >> f", "m",
     "setfattr -x user.a f"),
    ("xattr-of-a-directory", "mkdir d", "setfattr -n user.a -v 1 d", "echo x > d/n", "ab", "setfattr -n user.a -v 1 d"),
    ("mode-of-a-directory", "mkdir d", "chmod 700 d", "echo x > d/n", "ab", "chmod 700 d"),
    ("modes-of-a-directory", "mkdir d", "chmod 700 d", "chmod 750 d", "X", ""),
    ("xattr-of-a-read-only-file", SEQ + "; setfattr -n user.a -v 1 f; chmod 444 f",
     "chmod 644 f; setfattr -n user.a -v 2 f; chmod 444 f", ":", "a", "chmod 644 f; setfattr -n user.a -v 2 f; chmod 444 f"),
    ("read-only-with-xattr", SEQ + "; setfattr -n user.a -v 1 f", "chmod 400 f", ":", "a", "chmod 400 f"),
    # links
    ("link-to-directory", "ln -s a l", "rm l; mkdir l; echo 1 > l/f", ":", "a", "rm l; mkdir l; echo 1 > l/f"),
    ("two-names-of-the-host-gone", "echo 1 > a; ln a b", "rm a b", ":", "a", "rm a b"),
    ("two-names-of-the-host-changed", "echo 1 > a; ln a b", "echo 2 > a; echo 3 > b", ":", "a",
     "rm a b; echo 2 > a; echo 3 > b"),
    ("link-elsewhere", "ln -s a l", "ln -sfn b l", ":", "a", "ln -sfn b l"),
    ("link-elsewhere-both", "ln -s a l", "ln -sfn b l", "ln -sfn c l", "X", ""),
    ("link-gone-host-moved-it", "ln -s a l", "rm l", "ln -sfn c l", "X", ""),
    ("link-to-file", "ln -s a l", "rm l; echo x > l", ":", "a", "rm l; echo x > l"),
    ("hard-links-of-the-box", SEQ, "echo x > n; ln n o; ln n p", ":", "a", "echo x > n; ln n o; ln n p"),
    # directories
    ("two-new-directories", ":", "mkdir d; echo 1 > d/b", "mkdir d; echo 2 > d/h", "am", "echo 1 > d/b"),
    ("two-new-directories-one-name", ":", "mkdir d; echo 1 > d/x; echo 1 > d/y", "mkdir d; echo 2 > d/x", "X", ""),
    ("two-new-directories-modes", ":", "mkdir -m 700 d", "mkdir -m 755 d", "X", ""),
    ("new-file-new-directory", ":", "mkdir d", "echo x > d", "X", ""),
    ("new-tree", ":", "mkdir -p d/e/g; echo 1 > d/e/f; mkdir -m 700 d/h", "echo x > y", "a",
     "mkdir -p d/e/g; echo 1 > d/e/f; mkdir -m 700 d/h"),
    ("empty-directory-gone", "mkdir d", "rmdir d", ":", "a", "rmdir d"),
    ("tree-gone", "mkdir -p d/e; echo 1 > d/e/f", "rm -r d", "echo x > n", "a", "rm -r d"),
    ("tree-gone-host-added", "mkdir -p d/e; echo 1 > d/e/f", "rm -r d", "echo x > d/e/n", "X", ""),
    ("tree-gone-host-changed", "mkdir -p d/e; echo 1 > d/e/f", "rm -r d", "echo x > d/e/f", "X", ""),
    ("tree-gone-host-deleted-some", "mkdir -p d/e; echo 1 > d/e/f; echo 2 > d/g", "rm -r d", "rm d/g", "X", ""),
    ("tree-gone-host-chmod", "mkdir -p d/e; echo 1 > d/e/f", "rm -r d", "chmod 700 d/e/f", "X", ""),
    ("tree-gone-host-added-a-link", "mkdir -p d/e", "rm -r d", "ln -s / d/e/n", "X", ""),
    ("tree-to-file", "mkdir d; echo 1 > d/f", "rm -r d; echo x > d", ":", "a", "rm -r d; echo x > d"),
    ("tree-to-file-host-added", "mkdir d; echo 1 > d/f", "rm -r d; echo x > d", "echo 2 > d/n", "X", ""),
    ("tree-to-link-host-added", "mkdir d; echo 1 > d/f", "rm -r d; ln -s other d", "echo 2 > d/n", "X", ""),
    ("tree-made-anew", "mkdir d; echo 1 > d/f", "rm -r d; mkdir d; echo 2 > d/g", ":", "a", "rm d/f; echo 2 > d/g"),
    ("tree-made-anew-host-added", "mkdir d; echo 1 > d/f", "rm -r d; mkdir d; echo 2 > d/g", "echo 3 > d/n", "aX",
     "rm d/f; echo 2 > d/g"),
    ("tree-made-anew-host-changed", "mkdir d; echo 1 > d/f", "rm -r d; mkdir d; echo 2 > d/g", "echo 3 > d/f", "X", ""),
    ("tree-moved", "mkdir -p d/e; echo 1 > d/e/f", "mv d m", ":", "a", "mv d m"),
    ("tree-moved-host-changed", "mkdir -p d/e; echo 1 > d/e/f", "mv d m", "echo x > d/e/f", "X", ""),
    ("file-in-a-tree-the-host-deleted", "mkdir d; echo 1 > d/f; echo 2 > d/g", "echo 3 > d/f", "rm -r d", "X", ""),
    ("new-file-in-a-tree-the-host-deleted", "mkdir d; echo 1 > d/f", "echo 3 > d/n", "rm -r d", "X", ""),
    ("new-file-in-a-tree-the-host-moved", "mkdir d; echo 1 > d/f", "echo 3 > d/n", "mv d m", "X", ""),
    ("new-file-where-the-host-put-a-file", "mkdir d; echo 1 > d/f", "echo 3 > d/n", "rm -r d; echo x > d", "X", ""),
    ("new-file-where-the-host-put-a-link", "mkdir d t; echo 1 > d/f", "echo 3 > d/n", "rm -r d; ln -s t d", "X", ""),
    ("changed-where-the-host-put-a-link", "mkdir d t; echo 1 | tee d/f > t/f", "echo 3 > d/f", "rm -r d; ln -s t d", "X",
     ""),
    ("neighbours", "mkdir d; echo 1 > d/f; echo 2 > d/g", "rm d/f", "echo 3 > d/h; echo 4 > d/g", "a", "rm d/f"),
    ("both-to-directories", SEQ, "rm f; mkdir f; echo 1 > f/b", "rm f; mkdir f; echo 2 > f/h", "amX", "echo 1 > f/b"),
    ("directory-to-file-both-same", "mkdir f", "rmdir f; echo 1 > f", "rmdir f; echo 1 > f", ".", ""),
    # renames
    ("swapped", "echo 1 > f; echo 2 > g", "mv f t; mv g f; mv t g", ":", "a", "mv f t; mv g f; mv t g"),
    ("moved-over", "echo 1 > f; echo 2 > g", "mv f g", ":", "a", "mv f g"),
    ("moved-over-changed", "echo 1 > f; echo 2 > g", "mv f g", "echo 3 > g", "X", ""),
    ("moved-into-new-tree", "echo 1 > f", "mkdir d; mv f d/f", ":", "a", "mkdir d; mv f d/f"),
    ("name-taken-by-host", "echo 1 > f", "mv f g", "echo host > g", "X", ""),
]
assert len({e[0] for e in EXTRA}) == len(EXTRA)


def shell(script, cwd):
    subprocess.run(["sh", "-ec", script], cwd=cwd, check=True)


class Extra:
    def __init__(self, root):
        self.shelf = Shelf(root)
        self.scratch = root / "scratch"
        self.scratch.mkdir()
        project = self.shelf.project
        for name, base, *_ in EXTRA:
            (project / name).mkdir()
            (project / name / "other").write_text("other\n")
            shell(base, project / name)
        shell("find . -type f -exec touch -d 2001-01-01 {} +", project)
        self.shelf.ok("create", "b")
        self.shelf.sh("b", "".join(f"(cd {name}; {script})\n" for name, _, script, *_ in EXTRA))
        for name, _, _, script, *_ in EXTRA:
            shell(script, project / name)


@pytest.fixture(scope="module", name="extra")
def fixture_extra(tmp_path_factory):
    return Extra(tmp_path_factory.mktemp("extra"))


@pytest.mark.parametrize("name,base,in_box,on_host,allowed,by_hand", EXTRA, ids=[e[0] for e in EXTRA])
def test_situation(extra, name, base, in_box, on_host, allowed, by_hand):
    shelf = extra.shelf
    before = tree(shelf.project / name)
    status, result = shelf.promote("b", name)
    assert status in (0, 1), result
    outcomes = {c[2] for c in changes_of(result).values()}
    letter = "X" if status == 1 else "." if not changes_of(result) else "m" if "merge" in outcomes else "a"
    assert letter in allowed.replace("b", "am"), f"{letter} is not one of {allowed}: {result}"
    assert (letter == "X") == bool(result["conflicts"]) == ("conflict" in outcomes), result
    after = tree(shelf.project / name)
    if letter in "X.":
        assert_same(before if letter == "X" else without_dir_times(before),
                    after if letter == "X" else without_dir_times(after), "nothing was to be written")
        return
    assert result["applied"], result
    copy_tree(shelf.project / name, extra.scratch / name)  # only for its shape: emptied and filled from before
    shelf.undo()
    assert_same(without_dir_times(before), without_dir_times(tree(shelf.project / name)), "undo")
    shutil.rmtree(extra.scratch / name)
    copy_tree(shelf.project / name, extra.scratch / name)
    shell(by_hand, extra.scratch / name)
    want = tree(extra.scratch / name, times=False)
    assert_same(want, {p: {k: v for k, v in e.items() if k != "mtime"} for p, e in after.items()}, "the promoted tree")


# What a person can say to a conflict. For each pair and each answer, what lies there afterwards:
#   H  the host's stays     B  the box's     H+B  the host's, and the box's beside it as f.b     M  text with markers
# With nothing there to stand beside, the box's version may take the name itself.
ANSWERS = """
box       host      keep overwrite both mark
overlap   overlap   H    B         H+B  M
create    create    H    B         H+B  M|H+B
binary    modify    H    B         H+B  H+B
modify    binary    H    B         H+B  H+B
huge      huge      H    B         H+B  H+B
modify    delete    H    B         B|H+B B|H+B
delete    modify    H    B         H    H
dir       modify    H    B         H+B  H+B
modify    dir       H    B         H+B  H+B
symlink   modify    H    B         H+B  H+B
modify    symlink   H    B         H+B  H+B
symlink   symlink   H    B         H+B  H+B
dir       symlink   H    B         H+B  H+B
mode      mode      H    B         H+B  H|H+B
xattr     xattr     H    B         H+B  H|H+B
rename    modify    H    B         H    H
delete    dir       H    B         H    H
"""
_ROWS = [line.split() for line in ANSWERS.strip().splitlines()]
ANSWER_CASES = {(row[0], row[1], answer): ends for row in _ROWS[1:]
                for answer, ends in zip(_ROWS[0][2:], row[2:], strict=True)}


class Answers:
    def __init__(self, root):
        self.shelf = Shelf(root)
        self.scratch = root / "scratch"
        self.scratch.mkdir()
        os.chdir(self.shelf.project)
        for case in ANSWER_CASES:
            prepare("-".join(case))
        self.shelf.ok("create", "b")
        self.shelf.py("b", IN_BOX + 'for d, *_ in json.loads(sys.argv[1]): write(d + "/also", b"also")',
                      json.dumps([["-".join(case), case[0]] for case in ANSWER_CASES]))
        for case in ANSWER_CASES:
            act("-".join(case), case[1], "host")


@pytest.fixture(scope="module", name="answers")
def fixture_answers(tmp_path_factory):
    return Answers(tmp_path_factory.mktemp("answers"))


def below(found, name):
    """The part of a tree() at and below NAME, times aside, with what would differ by its place left out."""
    return {p[len(name):]: {k: v for k, v in e.items() if k not in ("mtime", "links")}
            for p, e in found.items() if p == name or p.startswith(name + b"/")}


@pytest.mark.parametrize("box,host,answer", large_apart(ANSWER_CASES), ids=lambda v: v)
def test_answer_to_a_conflict(answers, box, host, answer):
    shelf, name = answers.shelf, "-".join((box, host, answer))
    here = shelf.project / name
    before = tree(here)
    shelf.stopped("b", name)
    dry = shelf.promote("b", name, "--conflict", answer, "--dry-run")[1]
    assert_same(before, tree(here), "a dry run wrote")
    result = shelf.promoted("b", name, "--conflict", answer)
    assert [c["resolution"] for c in result["conflicts"]] == [answer] == [c["resolution"] for c in dry["conflicts"]]
    after = tree(here)
    prepare(str(answers.scratch / name))
    act(str(answers.scratch / name), box, "box")
    of_box = tree(answers.scratch / name)
    what = b"new" if box == "create" else b"f"
    beside, found = what + b".b", below(after, what)
    allowed = ANSWER_CASES[box, host, answer].split("|")
    end = "H+B" if below(after, beside) else allowed[0] if allowed[0] in "MB" else "H"
    assert end in allowed, sorted(after)
    if end == "M":
        text = found[b""]["content"]
        assert text.count(b"<<<<<<<") == text.count(b"=======") == text.count(b">>>>>>>") == 1, text
        ours = {"overlap": (b"line 10 of the host\n", b"line 10 of the box\n"),
                "create": (b"made by host\n", b"made by box\n")}[box]
        assert all(line in text for line in ours) and text.endswith(b"line 20\n" if box == "overlap" else b"\n"), text
        assert found[b""]["mode"] == "0o644" and not below(after, beside)
    else:
        assert_same(below(of_box if end == "B" else before, what), found, f"{what!r}, which should be {end}")
        assert_same(below(of_box, what) if end == "H+B" else {}, below(after, beside), "beside it")
    assert after[b"also"]["content"] == b"also", "what has no conflict goes in"
    if box == "rename":
        assert after[b"moved-by-box"]["content"] == BASE
    allowed_names = {b".", b"f", b"new", b"other", b"also", beside, b"moved-by-box"}
    assert {p.split(b"/")[0] for p in after} <= allowed_names
    shelf.undo()
    assert_same(without_dir_times(before), without_dir_times(tree(here)), "undo")


@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    made = Shelf(tmp_path)
    prepare(str(made.project / "d"))
    made.ok("create", "b")
    return made


def test_beside_a_name_that_is_taken(shelf):
    """`both` must not cost the host the file that already has that name."""
    (shelf.project / "d/f.b").write_text("mine\n")
    shelf.sh("b", "echo box > d/f")
    (shelf.project / "d/f").write_text("host\n")
    before = tree(shelf.project)
    status, result = shelf.promote("b", "--conflict", "both")
    assert (shelf.project / "d/f.b").read_text() == "mine\n" and (shelf.project / "d/f").read_text() == "host\n"
    if status == 0:
        beside = [n for n in os.listdir(shelf.project / "d") if n.startswith("f.b") and n != "f.b"]
        assert len(beside) == 1 and (shelf.project / "d" / beside[0]).read_text() == "box\n"
        shelf.undo()
    assert_same(without_dir_times(before), without_dir_times(tree(shelf.project)), f"status {status}")


def test_promote_work_on_promote_again(shelf):
    """What a promotion put there is what the box starts from next: no conflict with oneself."""
    before = tree(shelf.project)
    shelf.sh("b", "echo one > d/f; echo one > n; mkdir m; echo one > m/x; rm d/other")
    shelf.promoted("b")
    middle = tree(shelf.project)
    shelf.sh("b", "echo two > d/f; echo two > n; rm -r m; echo back > d/other")
    result = shelf.promoted("b")
    assert {c["outcome"] for c in result["changes"]} == {"apply"} and not result["conflicts"]
    assert (shelf.project / "d/f").read_text() == (shelf.project / "n").read_text() == "two\n"
    assert not (shelf.project / "m").exists() and (shelf.project / "d/other").read_text() == "back\n"
    shelf.undo()
    assert_same(without_dir_times(middle), without_dir_times(tree(shelf.project)), "undo of the second")
    shelf.undo()
    assert_same(without_dir_times(before), without_dir_times(tree(shelf.project)), "undo of the first")


def test_promote_undo_promote(shelf):
    shelf.sh("b", "echo one > d/f; echo one > n; rm d/other")
    before = tree(shelf.project)
    for _ in range(3):
        shelf.promoted("b")
        assert (shelf.project / "d/f").read_text() == "one\n" and not (shelf.project / "d/other").exists()
        shelf.undo()
        assert_same(without_dir_times(before), without_dir_times(tree(shelf.project)), "undo")


# Work in several runs: name, the host before, one script per run.
STEPS = [
    ("changed-then-deleted", "mkdir d; echo 1 > d/a; echo 2 > d/b", ["echo x > d/a", "rm -r d"]),
    ("emptied-then-deleted", "mkdir -p d/e", ["rmdir d/e", "rmdir d"]),
    ("made-then-deleted", ":", ["mkdir d; echo 1 > d/a", "rm -r d"]),
    ("deleted-then-made", "mkdir d; echo 1 > d/a", ["rm -r d", "mkdir d; echo 2 > d/b"]),
    ("file-directory-link", "echo 1 > f", ["rm f; mkdir f; echo 2 > f/a", "rm -r f; ln -s x f", "rm f; echo 3 > f"]),
    ("linked-then-deleted", ":", ["echo 1 > a; ln a b", "rm a b"]),
    ("linked-then-changed", ":", ["echo 1 > a; ln a b", "rm b; echo 2 > b", "echo 3 > a"]),
    ("mode-then-deleted", "mkdir d; echo 1 > d/a", ["chmod 700 d", "chmod 600 d/a", "rm -r d"]),
    ("moved-and-back", "mkdir d; echo 1 > d/a", ["mv d e", "mv e d", "mv d f"]),
    ("there-and-back", "echo 1 > f", ["echo 2 > f", "echo 1 > f", "echo 3 > f"]),
]


@pytest.mark.parametrize("between", ["run", "snap", "promote"])
@pytest.mark.parametrize("name,base,scripts", STEPS, ids=[s[0] for s in STEPS])
def test_work_in_steps(tmp_path, name, base, scripts, between):
    """However the work is cut into runs, snapshots and promotions: the tree is what the work alone would have made."""
    shelf = Shelf(tmp_path)
    shell(base, shelf.project)
    copy_tree(shelf.project, tmp_path / "copy")
    shelf.ok("create", "b")
    seen = []
    for i, script in enumerate(scripts):
        shelf.sh("b", script)
        shell(script, tmp_path / "copy")
        if between == "snap":
            shelf.ok("snap", "b")
        if between == "promote" or i == len(scripts) - 1:
            before = tree(shelf.project)
            status, result = shelf.promote("b")
            assert status == 0 and not result["conflicts"], (name, result)
            if result["applied"]:
                seen.append(before)
            assert_same(tree(tmp_path / "copy", times=False), tree(shelf.project, times=False), f"{name}, after {script!r}")
    for before in reversed(seen):
        shelf.undo()
        assert_same(without_dir_times(before), without_dir_times(tree(shelf.project)), f"{name}, undo")


def test_host_edits_a_promoted_file_then_the_box_does(shelf):
    """Promoted, then edited by the person, then by the box again at another line: merged, not lost."""
    shelf.sh("b", "sed -i 's/line 3$/line 3 box/' d/f")
    shelf.promoted("b")
    f = shelf.project / "d/f"
    f.write_text(f.read_text().replace("line 17\n", "line 17 host\n"))
    shelf.sh("b", "sed -i 's/line 9$/line 9 box/' d/f")
    shelf.promoted("b")
    assert [n for n in f.read_text().splitlines() if n.count(" ") > 1] == ["line 3 box", "line 9 box", "line 17 host"]


@pytest.mark.parametrize("answer", ["stop", "keep", "overwrite"])
def test_undo_of_what_the_host_changed_since(shelf, answer):
    """undo stops at what a person changed since; keep takes back the rest; overwrite takes back all."""
    before = tree(shelf.project)
    shelf.sh("b", "echo one > d/f; echo one > n")
    shelf.promoted("b")
    (shelf.project / "d/f").write_text("person\n")
    edited = tree(shelf.project)
    dry = shelf.call("undo", "--dry-run", "--conflict", answer)
    assert_same(edited, tree(shelf.project), "a dry undo wrote")
    status, result = shelf.call("undo", "--conflict", answer)
    assert status == dry[0] == (1 if answer == "stop" else 0), result
    assert [path_of(c) for c in result["conflicts"]] == [b"d/f"]
    if answer == "stop":
        assert_same(edited, tree(shelf.project), "a stopped undo wrote")
        shelf.undo("--conflict", "overwrite")
    if answer == "keep":
        assert (shelf.project / "d/f").read_text() == "person\n" and not (shelf.project / "n").exists()
    else:
        assert_same(without_dir_times(before), without_dir_times(tree(shelf.project)), "undo --conflict overwrite")


def test_paths_outside_and_absent(shelf):
    """Only what lies below the project can be named; what the box did not change is nothing to promote."""
    shelf.sh("b", "echo one > d/f; echo x > n")
    before = tree(shelf.root / "project")
    for path in ("..", "../home", "/etc", "/", "d/../..", str(shelf.root)):
        status, result = shelf.promote("b", path)
        assert status == 125 and result["error"]["text"], (path, result)
        assert_same(before, tree(shelf.project), path)
    for path in ("d/other", "no/such/path"):
        status, result = shelf.promote("b", path)
        assert status == 125 or (status == 0 and result["promotion"] is None and not result["changes"]), (path, result)
        assert_same(before, tree(shelf.project), path)
    assert {path_of(c) for c in shelf.promoted("b", str(shelf.project / "n"))["changes"]} == {b"n"}
    assert {path_of(c) for c in shelf.promoted("b", "./d/")["changes"]
            if c["type"] != "directory"} == {b"d/f"}


def test_files_that_cannot_be_read(shelf):
    """A box may take away its own right to read: the file goes in as it is, or nothing goes in."""
    shelf.sh("b", "echo secret > n; chmod 000 n; echo w > w; chmod 200 w; chmod 000 d/f; mkdir -m 300 m; echo x > m/x")
    before = tree(shelf.project)
    status, result = shelf.promote("b")
    if status == 0:
        (shelf.project / "m").chmod(0o700)
        after = tree(shelf.project)
        assert after[b"n"]["mode"] == after[b"d/f"]["mode"] == "0o0" and after[b"w"]["mode"] == "0o200"
        assert after[b"n"]["content"] == b"secret\n" and after[b"d/f"]["content"] == BASE
        (shelf.project / "m").chmod(0o300)
        shelf.undo()
    assert_same(without_dir_times(before), without_dir_times(tree(shelf.project)), f"status {status}")


def test_snapshots_and_other_targets(shelf):
    """BOX@SNAPSHOT promotes what was then; --to writes elsewhere and leaves the project alone."""
    shelf.sh("b", "echo one > d/f; echo one > n")
    shelf.ok("snap", "b", "s")
    shelf.sh("b", "echo two > d/f; echo two > o")
    copy_tree(shelf.project, shelf.root / "elsewhere")
    before, project = tree(shelf.root / "elsewhere"), tree(shelf.project)
    shelf.promoted("b@s", "--to", shelf.root / "elsewhere")
    assert_same(project, tree(shelf.project), "--to wrote to the project")
    there = shelf.root / "elsewhere"
    assert (there / "d/f").read_text() == (there / "n").read_text() == "one\n" and not (there / "o").exists()
    shelf.undo()
    assert_same(without_dir_times(before), without_dir_times(tree(there)), "undo")
    shelf.promoted("b@s")
    assert (shelf.project / "d/f").read_text() == "one\n" and not (shelf.project / "o").exists()
    shelf.promoted("b")
    assert (shelf.project / "d/f").read_text() == (shelf.project / "o").read_text() == "two\n"


def test_an_artifact(shelf):
    """One file or directory of the box, changed or not, put somewhere else."""
    shelf.sh("b", "mkdir -p build/lib; echo app > build/app; chmod 755 build/app; echo so > build/lib/so")
    target = shelf.root / "target"
    target.mkdir()
    project = tree(shelf.project)
    shelf.promoted("b", "--artifact", "build/app", "--to", target)
    assert (target / "app").read_text() == "app\n" and (target / "app").stat().st_mode & 0o777 == 0o755
    shelf.promoted("b", "--artifact", "build/app", "--to", target / "renamed")
    assert (target / "renamed").read_text() == "app\n"
    shelf.promoted("b", "--artifact", "build", "--to", f"{target}/")
    assert (target / "build/lib/so").read_text() == "so\n"
    shelf.promoted("b", "--artifact", "d/other", "--to", target)  # of the host, seen through the box
    assert (target / "other").read_text() == "other\n"
    assert_same(project, tree(shelf.project), "an artifact went into the project")
    for _ in range(4):
        shelf.undo()
    assert os.listdir(target) == []
