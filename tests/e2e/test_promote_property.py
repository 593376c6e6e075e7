# SPDX-License-Identifier: Apache-2.0
"""Random work done in a box and promoted leaves the very tree that the same work leaves without a box; undo takes
it back to the byte.

AISBX_LONG=1 tries 1,000 seeds instead of 12. AISBX_SEED=n repeats one; AISBX_OPS=n stops it after n operations, to
find the one that matters.
"""
import inspect
import os

import pytest

import promote_ops
from promote import LONG, SLOW, Shelf, assert_same, copy_tree, path_of, tree, without_dir_times

OPERATIONS = int(os.environ.get("AISBX_OPS", "500"))
IN_BOX = inspect.getsource(promote_ops) + """
import sys
seed, part, *parts = map(int, sys.argv[1:])
do(plan(seed, parts)[1][part])
"""


def seeds():
    if os.environ.get("AISBX_SEED"):
        return [int(os.environ["AISBX_SEED"])]
    return range(1000 if LONG else 6 if SLOW else 12)


def parts_of(seed):
    """How the operations are split, and what happens to the box between the parts."""
    if seed % 3 == 1:
        return [OPERATIONS // 2, OPERATIONS // 4, OPERATIONS // 4], "snap"
    if seed % 3 == 2:
        return [OPERATIONS // 2, OPERATIONS // 2], "promote"
    return [OPERATIONS], None


def do_in(directory, ops):
    old = os.getcwd()
    os.chdir(directory)
    mask = os.umask(0o022)
    try:
        promote_ops.do(ops)
    finally:
        os.umask(mask)
        os.chdir(old)


def known_times(found, model):
    """Keeps the times that were set, of files and directories; all others are those of the writing."""
    for path, e in found.items():
        inode = model.get(b"" if path == b"." else path)
        if inode is None or inode.mtime is None:
            e.pop("mtime", None)
        elif e["type"] != "symlink":
            e["mtime was set to"] = inode.mtime
    return found


def check_model(found, model):
    """The copy is what the model says; else the test would compare two accidents."""
    assert {b"" if p == b"." else p for p in found} == set(model)
    for path, e in found.items():
        inode = model[b"" if path == b"." else path]
        assert e["type"][0] == {"f": "f", "d": "d", "l": "s"}[inode.kind], path
        assert "mtime" not in e or e["mtime"] == inode.mtime, path
        if inode.kind != "l" and path != b".":
            assert e["mode"] == oct(inode.mode) and {k for k in e["xattrs"]} == inode.xattrs, path
        if inode.kind == "f":
            assert e["size"] == inode.size, path


def settled(shelf, *words):
    """Box and project agree: there is nothing left to promote but times of directories."""
    status, result = shelf.promote(*words)
    assert status == 0 and not [c for c in result["changes"] if (c["kind"], c["type"]) != ("touched", "directory")], result


@pytest.mark.parametrize("seed", seeds())
def test_promoted_is_what_it_would_be_without_a_box(tmp_path, seed):
    print(f"repeat with AISBX_SEED={seed}")
    parts, between = parts_of(seed)
    base, ops, model = promote_ops.plan(seed, parts)
    shelf = Shelf(tmp_path)
    do_in(shelf.project, base)
    copy = tmp_path / "copy"
    copy_tree(shelf.project, copy)
    before, promotions = tree(shelf.project), []
    assert_same(before, tree(copy), "the copy to begin with")
    shelf.ok("create", "b")
    for i, some in enumerate(ops):
        if i and between == "snap":
            shelf.ok("snap", "b")
        elif i and between == "promote":
            shelf.promoted("b", "--yes")
            promotions.append(tree(shelf.project))
            assert_same(tree(copy, times=False), tree(shelf.project, times=False), f"seed {seed}, first promotion")
        do_in(copy, some)
        shelf.py("b", IN_BOX, seed, i, *parts)
        if not promotions:
            assert_same(before, tree(shelf.project), "the box wrote to the host")

    want = known_times(tree(copy), model)
    check_model(want, model)
    result = shelf.promoted("b", "--yes")
    assert {c["outcome"] for c in result["changes"]} == {"apply"}, result["conflicts"]
    assert all(path_of(c) for c in result["changes"])
    assert_same(want, known_times(tree(shelf.project), model), f"seed {seed}")
    settled(shelf, "b", "--yes", "--dry-run")

    for older in reversed([before, *promotions]):
        shelf.undo()
        assert_same(without_dir_times(older), without_dir_times(tree(shelf.project)), f"seed {seed}, undo")


def part(found, names):
    """What lies at and below NAMES, hard links aside: the other name of a file may not have been chosen."""
    return {p: {k: v for k, v in e.items() if k not in ("mtime", "links")} for p, e in found.items()
            if p.split(b"/")[0] in names}


@pytest.mark.parametrize("seed", [s * 3 for s in seeds()][:100 if LONG else 5])
def test_chosen_paths_and_then_the_rest(tmp_path, seed):
    """Some names of the top directory are promoted: they are as in the copy, all others as before. Then the rest."""
    print(f"repeat with AISBX_SEED={seed // 3}")
    base, (ops,), _ = promote_ops.plan(seed, [OPERATIONS])
    shelf = Shelf(tmp_path)
    do_in(shelf.project, base)
    copy = tmp_path / "copy"
    copy_tree(shelf.project, copy)
    before = tree(shelf.project)
    shelf.ok("create", "b")
    do_in(copy, ops)
    shelf.py("b", IN_BOX, seed, 0, OPERATIONS)
    want = tree(copy)
    names = {p.split(b"/")[0] for p in before.keys() | want.keys()} - {b"."}
    sayable = sorted(n for n in names if n.decode(errors="ignore").encode() == n)
    chosen = set(sayable[seed % 2::2])
    status, result = shelf.promote("b", "--yes", "--", *map(os.fsdecode, sorted(chosen)))
    assert status == 0, result
    assert {path_of(c).split(b"/")[0] for c in result["changes"]} <= chosen
    now = tree(shelf.project)
    assert_same(part(want, chosen), part(now, chosen), f"seed {seed}: what was chosen")
    assert_same(part(before, names - chosen), part(now, names - chosen), f"seed {seed}: what was not")
    shelf.promote("b", "--yes")
    assert_same(part(want, names), part(tree(shelf.project), names), f"seed {seed}: all of it")
