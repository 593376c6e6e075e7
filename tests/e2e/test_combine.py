# SPDX-License-Identifier: Apache-2.0
"""Combining two boxes: both stay as they are, the third has what both did, and promotes like one after the other."""
import inspect
import os

import pytest

import promote
import promote_ops
from promotion import Shelf, paths, tree

# Random work in two directories, of which each box does one.
IN_BOX = inspect.getsource(promote_ops) + """
import sys
where, seed, part, *parts = sys.argv[1:]
os.chdir(where)
do(plan(int(seed), [int(p) for p in parts])[1][int(part)])
"""

@pytest.fixture(name="shelf")
def fixture_shelf(tmp_path):
    return Shelf(tmp_path)


NUMBERS = "".join(f"{i}\n" for i in range(20))


@pytest.fixture(name="pair")
def fixture_pair(shelf):
    """Two boxes that changed different things, and one file in different places."""
    shelf.write(text=NUMBERS, a="1\n", b="1\n", gone_a="g", gone_b="g", both_gone="g", d__one="1\n", d__two="1\n",
                old__x="x", mode="m")
    shelf.box("one", """
        sed -i s/^3$/one/ text; echo one > a; rm gone_a both_gone; mkdir -p new; echo 1 > new/one; echo one > d/one
        rm -r old; chmod 600 mode; ln -s a link""")
    shelf.box("two", """
        sed -i s/^15$/two/ text; echo two > b; rm gone_b both_gone; mkdir -p new; echo 2 > new/two; echo two > d/two; mkdir e""")
    return shelf


def test_combined_is_what_both_are_one_after_the_other(pair):
    before = tree(pair.project)
    result = pair.ok("combine", "one", "two", "--name", "both")
    assert result["box"]["name"] == "both" and result["conflicts"] == []
    assert {c["path"]: c["outcome"] for c in result["changes"]}["text"] == "merge"
    assert tree(pair.project) == before, "nothing of the project is touched"
    pair.promoted("one")
    pair.promoted("two")
    expected = tree(pair.project)
    assert "one\n" in pair.read("text") and "two\n" in pair.read("text")
    pair.ok("undo")
    pair.ok("undo")
    assert tree(pair.project) == before
    result = pair.promoted("both")
    assert {c["outcome"] for c in result["changes"]} == {"apply"}, "for the project there is nothing to merge"
    assert tree(pair.project) == expected
    pair.ok("undo")
    assert tree(pair.project) == before


def test_both_boxes_stay_as_they_are(pair):
    seen = {n: pair.sh(n, "find . -type f | sort | xargs cat; ls -R") for n in ("one", "two")}
    diffs = {n: pair.ok("diff", n) for n in ("one", "two")}
    pair.ok("combine", "one", "two", "--name", "both")
    pair.sh("both", "echo more > a; rm -r d")
    for name in ("one", "two"):
        assert pair.sh(name, "find . -type f | sort | xargs cat; ls -R") == seen[name]
        assert pair.ok("diff", name) == diffs[name]
    assert pair.sh("both", "cat a b; ls") == "more\ntwo\na\nb\ne\nlink\nmode\nnew\ntext\n"


def test_the_order_does_not_matter_without_conflicts(pair):
    pair.ok("combine", "one", "two", "--name", "x")
    pair.ok("combine", "two", "one", "--name", "y")
    listing = "find . | sort; find . -type f | sort | xargs cat; stat -c %a mode"
    assert pair.sh("x", listing) == pair.sh("y", listing)
    assert pair.ok("combine", "x", "y", "--name", "z")["changes"] == []
    assert pair.sh("z", listing) == pair.sh("x", listing)


@pytest.mark.parametrize("before", [["one"], ["two"], ["one", "two"], ["two", "one"]], ids="-".join)
def test_boxes_that_were_promoted_before(pair, before):
    """Whatever of it is in the project already: in the end all of both is, once."""
    pair.promoted("one")
    pair.promoted("two")
    expected = tree(pair.project)
    pair.ok("undo")
    pair.ok("undo")
    for name in before:
        pair.promoted(name)
    pair.ok("combine", "one", "two", "--name", "both")
    result = pair.ok("promote", "both")
    assert result["conflicts"] == [] and (result["promotion"] is None) == (len(before) == 2)
    assert tree(pair.project) == expected


def test_a_box_that_was_promoted_before_and_conflicts(shelf):
    """The first box's version is kept in the combination; the project has the second's: one of both must be chosen again."""
    shelf.write(f="1\n")
    shelf.box("one", "echo one > f")
    shelf.box("two", "echo two > f")
    shelf.promoted("two")
    assert paths(shelf.halted("combine", "one", "two")["conflicts"]) == ["f"]
    shelf.ok("combine", "one", "two", "--name", "kept", "--conflict", "keep")
    assert paths(shelf.halted("promote", "kept")["conflicts"]) == ["f"]
    shelf.ok("combine", "one", "two", "--name", "other", "--conflict", "overwrite")
    assert shelf.ok("promote", "other")["promotion"] is None


def test_a_promotion_both_know(shelf):
    """The first box began with what the second had promoted: that is what both stand on."""
    shelf.write(t=NUMBERS)
    shelf.box("two", "sed -i s/^5$/promoted/ t")
    shelf.promoted("two")
    shelf.box("one", "sed -i s/^15$/one/ t")
    shelf.sh("two", "sed -i s/^promoted$/more/ t")
    for first, second in (("one", "two"), ("two", "one")):
        shelf.ok("combine", first, second, "--name", f"{first}-{second}")
        assert shelf.sh(f"{first}-{second}", "cat t") == NUMBERS.replace("\n5\n", "\nmore\n").replace("\n15\n", "\none\n")


def numbers(**changes):
    """NUMBERS with lines replaced: numbers(_5="five") has "five" instead of 5."""
    text = NUMBERS
    for number, line in changes.items():
        text = text.replace(f"\n{number[1:]}\n", f"\n{line}\n")
    return text


BOTH_ORDERS = pytest.mark.parametrize("first,second", [("one", "two"), ("two", "one")])


@BOTH_ORDERS
def test_a_promotion_one_began_with_and_the_host_worked_on(shelf, first, second):
    """What was promoted is in the host's file that the other began with, though that is not the very same any more."""
    shelf.write(t=NUMBERS)
    shelf.box("two", "sed -i s/^5$/promoted/ t")
    shelf.promoted("two")
    shelf.write(t=numbers(_5="promoted", _10="host"))
    shelf.box("one", "sed -i s/^15$/one/ t")
    shelf.sh("two", "sed -i s/^promoted$/more/ t")
    shelf.ok("combine", first, second, "--name", "both")
    assert shelf.sh("both", "cat t") == numbers(_5="more", _10="host", _15="one")
    shelf.write(t=numbers(_5="promoted", _10="again"))
    shelf.promoted("both")
    assert shelf.read("t") == numbers(_5="more", _10="again", _15="one")


@BOTH_ORDERS
def test_a_promotion_one_began_with_that_is_undone(shelf, first, second):
    """Then it is not the host's any more, and still the second's: the combination brings it."""
    shelf.write(t=NUMBERS)
    shelf.box("two", "sed -i s/^5$/promoted/ t; mkdir new; echo 2 > new/two")
    shelf.promoted("two")
    shelf.box("one", "sed -i s/^15$/one/ t; echo 1 > new/one")
    shelf.ok("combine", first, second, "--name", "before")
    shelf.ok("undo")
    shelf.ok("combine", first, second, "--name", "after")
    for name in ("before", "after"):
        shelf.promoted(name)
        assert shelf.read("t") == numbers(_5="promoted", _15="one")
        assert (shelf.read("new/one"), shelf.read("new/two")) == ("1\n", "2\n")
        shelf.ok("undo")
        assert shelf.read("t") == NUMBERS


@BOTH_ORDERS
def test_what_only_one_changed_is_taken_as_it_is(shelf, first, second):
    """What the host has there when they are combined is not in it: the host may lose it again."""
    shelf.write(t=NUMBERS, gone="1\n", d__x="1\n")
    shelf.box("two", "sed -i s/^5$/two/ t; rm gone; echo 2 > d/x; mkdir e")
    shelf.box("one", "echo 1 > other")
    shelf.box("third", "sed -i s/^10$/third/ t")
    shelf.promoted("third")
    shelf.write(t=numbers(_10="third", _15="host"))
    shelf.ok("combine", first, second, "--name", "both")
    assert shelf.sh("both", "cat t; ls; ls d") == shelf.sh("two", "cat t; ls -d d e") .replace("d\ne\n", "d\ne\nother\nt\nx\n")
    shelf.write(t=numbers(_15="another"))
    shelf.promoted("both")
    assert shelf.read("t") == numbers(_5="two", _15="another")
    assert shelf.read("gone") is None and shelf.read("d/x") == "2\n" and (shelf.project / "e").is_dir()


def test_what_only_one_changed_and_the_host_as_well_the_same(shelf):
    """The second's version is in the combination, also where it is the host's for now."""
    shelf.write(t=NUMBERS)
    shelf.box("two", "sed -i s/^5$/two/ t")
    shelf.box("one", "echo 1 > other")
    shelf.promoted("two")
    shelf.ok("combine", "one", "two", "--name", "both")
    shelf.ok("undo")
    assert shelf.sh("both", "cat t") == numbers(_5="two")
    shelf.promoted("both")
    assert shelf.read("t") == numbers(_5="two")


def test_a_directory_only_one_made_stays_one_the_host_shows_through(shelf):
    shelf.box("one", "echo 1 > other")
    shelf.box("two", "mkdir -p new/x; echo 2 > new/x/two")
    shelf.ok("combine", "one", "two", "--name", "both")
    shelf.write(new__x__host="h", new__host="h")
    assert shelf.sh("both", "cd new; ls . x") == shelf.sh("two", "cd new; ls . x") == ".:\nhost\nx\n\nx:\nhost\ntwo\n"
    shelf.promoted("both")
    assert shelf.read("new/x/two") == "2\n" and shelf.read("new/x/host") == "h"


def test_a_deletion_in_a_directory_that_is_gone(shelf):
    """The second deleted one of its files, the host all of it."""
    shelf.write(d__x="1\n", d__y="1\n")
    shelf.box("one", "echo 1 > other")
    shelf.box("two", "rm d/x; chmod 700 d")
    (shelf.project / "d/x").unlink()
    (shelf.project / "d/y").unlink()
    (shelf.project / "d").rmdir()
    shelf.ok("combine", "one", "two", "--name", "both")
    shelf.write(d__x="1\n", d__y="1\n")
    assert shelf.sh("both", "ls d; stat -c %a d") == "y\n700\n"


@BOTH_ORDERS
@pytest.mark.parametrize("promoted", [["one"], ["two"], ["one", "two"], ["two", "one"]], ids="-".join)
def test_promotions_that_are_undone_after_the_combination(shelf, promoted, first, second):
    """However many of them are taken back, the combination brings what is not there, and nothing twice."""
    shelf.write(t=NUMBERS)
    shelf.box("one", "sed -i s/^5$/one/ t; echo 1 > made-one")
    shelf.write(t=numbers(_10="host"))
    shelf.box("two", "sed -i s/^15$/two/ t; echo 2 > made-two")
    for name in promoted:
        shelf.promoted(name)
    shelf.ok("combine", first, second, "--name", "both")
    for n_undone in range(len(promoted) + 1):
        result = shelf.ok("promote", "both")
        assert (result["promotion"] is None) == (n_undone == 0 and len(promoted) == 2)
        assert shelf.read("t") == numbers(_5="one", _10="host", _15="two")
        assert (shelf.read("made-one"), shelf.read("made-two")) == ("1\n", "2\n")
        if result["promotion"]:
            shelf.ok("undo")
        if n_undone < len(promoted):
            shelf.ok("undo")
    assert shelf.read("t") == numbers(_10="host")


def test_forks_of_which_one_promoted_what_both_have(shelf):
    """Work of both that is in the project already: the combination need not bring it, and does not stand against it."""
    shelf.write(t=NUMBERS)
    shelf.box("two", "sed -i s/^5$/common/ t")
    shelf.ok("fork", "two", "--name", "one")
    shelf.sh("one", "sed -i s/^15$/one/ t")
    shelf.promoted("two")
    shelf.ok("combine", "one", "two", "--name", "both")
    shelf.write(t=numbers(_5="edited"))
    shelf.promoted("both")
    assert shelf.read("t") == numbers(_5="edited", _15="one")


def test_a_line_that_was_promoted_and_undone_before(shelf):
    """The first has gone into the project meanwhile, and began with the line; it is the second's all the same."""
    shelf.write(t=NUMBERS)
    shelf.box("two", "sed -i s/^5$/two/ t")
    shelf.promoted("two")
    shelf.box("one", "sed -i s/^15$/one/ t")
    shelf.ok("undo")
    shelf.promoted("one")
    assert shelf.read("t") == numbers(_15="one")
    shelf.write(t=numbers(_10="host", _15="one"))
    shelf.ok("combine", "one", "two", "--name", "both")
    shelf.promoted("both")
    assert shelf.read("t") == numbers(_5="two", _10="host", _15="one")


def test_a_combination_of_a_combination(shelf):
    """What it is based on follows from what its parts are based on, as often as it is combined again."""
    shelf.write(t=NUMBERS)
    shelf.box("one", "sed -i s/^2$/one/ t")
    shelf.promoted("one")
    shelf.box("two", "sed -i s/^8$/two/ t")
    shelf.ok("combine", "two", "one", "--name", "both")
    shelf.sh("one", "sed -i s/^17$/later/ t")
    shelf.promoted("one")
    shelf.write(t=shelf.read("t").replace("\n12\n", "\nhost\n"))
    for i, pair in enumerate((("both", "one"), ("one", "both"))):
        shelf.ok("combine", *pair, "--name", f"all{i}")
        shelf.promoted(f"all{i}")
        assert shelf.read("t") == numbers(_2="one", _8="two", _12="host", _17="later")
        shelf.ok("undo")
        assert shelf.read("t") == numbers(_2="one", _12="host", _17="later")


def test_a_combination_with_a_part_of_it_again(shelf):
    """What the host did between is in the combination and not in its part: it is nobody's to delete."""
    shelf.write(t=NUMBERS)
    shelf.box("one", "sed -i s/^5$/one/ t")
    shelf.box("empty", "true")
    shelf.ok("combine", "empty", "one", "--name", "copy")
    shelf.write(t=numbers(_10="host"))
    shelf.box("two", "sed -i s/^15$/two/ t")
    shelf.promoted("copy")
    shelf.ok("combine", "two", "copy", "--name", "both")
    shelf.ok("combine", "both", "one", "--name", "all")
    assert shelf.sh("all", "cat t") == numbers(_5="one", _10="host", _15="two")
    shelf.write(t=numbers(_5="one", _10="more"))
    shelf.promoted("all")
    assert shelf.read("t") == numbers(_5="one", _10="more", _15="two")


def boxes(shelf):
    return sorted(b["name"] for b in shelf.ok("ls", "--all")["boxes"])


@pytest.mark.parametrize("how,expected", [("keep", "one"), ("overwrite", "two")])
def test_conflicts_of_a_combination(pair, how, expected):
    pair.sh("one", "echo one > b; echo one > made; rm d/two")
    pair.sh("two", "echo two > made")
    result = pair.halted("combine", "one", "two", "--name", "both")
    assert result["box"] is None and paths(result["conflicts"]) == ["b", "d/two", "made"]
    assert boxes(pair) == ["one", "two"], "none was made"
    result = pair.ok("combine", "one", "two", "--name", "both", "--conflict", how)
    assert {c["resolution"] for c in result["conflicts"]} == {how}
    assert pair.sh("both", "cat b made; cat d/two 2>/dev/null || true") == f"{expected}\n{expected}\n" + (
        "two\n" if how == "overwrite" else "")


def test_a_combination_that_was_stopped_leaves_nothing(pair):
    pair.sh("one", "echo one > b")
    pair.halted("combine", "one", "two")  # which froze the first box's layer, as a fork does
    pair.ok("gc")
    before = sorted(os.listdir(pair.state / "layers"))
    pair.halted("combine", "one", "two")
    pair.ok("gc")
    assert sorted(os.listdir(pair.state / "layers")) == before


def test_forks_of_one_snapshot(shelf):
    """What both stand on is the base, not what the host has."""
    shelf.write(f=NUMBERS, quiet="q")
    shelf.box("b", "sed -i s/^8$/common/ f; echo c > common; mkdir d; echo 1 > d/x; echo 1 > d/y")
    shelf.ok("snap", "b", "s")
    shelf.ok("fork", "b@s", "--name", "one")
    shelf.ok("fork", "b@s", "--name", "two")
    shelf.sh("one", "sed -i s/^2$/one/ f; rm d/x; echo one >> common")
    shelf.sh("two", "sed -i s/^15$/two/ f; echo 2 > d/y; echo two > d/z")
    result = shelf.ok("combine", "one", "two", "--name", "both")
    assert result["conflicts"] == []
    assert {c["path"]: (c["kind"], c["outcome"]) for c in result["changes"]} == {
        "f": ("modified", "merge"), "d/y": ("modified", "apply"), "d/z": ("created", "apply")}
    text = shelf.sh("both", "cat f")
    assert all(word in text for word in ("common\n", "one\n", "two\n"))
    assert shelf.sh("both", "cat common; ls d") == "c\none\ny\nz\n"
    shelf.write(quiet="host")
    shelf.promoted("both")
    assert shelf.read("f") == text and shelf.read("quiet") == "host" and shelf.read("d/x") is None


def test_both_deleted_what_they_stand_on(shelf):
    shelf.box("b", "mkdir d; echo 1 > d/x; echo f > f")
    shelf.ok("snap", "b", "s")
    shelf.ok("fork", "b@s", "--name", "one")
    shelf.ok("fork", "b@s", "--name", "two")
    shelf.sh("one", "rm -r d; rm f")
    shelf.sh("two", "rm -r d; echo 2 > f")
    assert paths(shelf.halted("combine", "one", "two")["conflicts"]) == ["f"]
    shelf.ok("combine", "one", "two", "--name", "both", "--conflict", "overwrite")
    assert shelf.sh("both", "ls; cat f") == "f\n2\n"


@pytest.mark.parametrize("work", ["rm -r d", "rm -r d; echo file > d", "rm -r d; mkdir d; echo n > d/new", "rm -r d; ln -s nowhere d"])
@pytest.mark.parametrize("of_host", [False, True])
def test_forks_of_which_one_removes_a_common_directory(shelf, work, of_host):
    """The other never touched it, though the layers it stands on did."""
    if of_host:
        shelf.write(d__x="0\n", d__y="0\n")
    shelf.box("b", "mkdir -p d/e; echo 1 > d/x")
    shelf.ok("fork", "b", "--name", "one")
    shelf.ok("fork", "b", "--name", "two")
    shelf.sh("one", work)
    shelf.sh("two", "echo 2 > f")
    for first, second in (("one", "two"), ("two", "one")):
        shelf.ok("combine", first, second, "--name", f"{first}-{second}")
        look = "ls -ld d 2>/dev/null | cut -c1; ls -R d 2>/dev/null || true; readlink d || true"
        assert shelf.sh(f"{first}-{second}", look + "; cat f") == shelf.sh("one", look) + "2\n"
    shelf.promoted("one-two")


def test_a_directory_one_deleted_and_the_other_worked_in(shelf):
    shelf.write(d__x="1\n", d__y="1\n")
    shelf.box("one", "rm -r d")
    shelf.box("two", "echo 2 > d/x")
    assert shelf.halted("combine", "one", "two")["conflicts"]
    assert shelf.halted("combine", "two", "one")["conflicts"]


def test_a_directory_one_replaced(shelf):
    shelf.write(d__x="1\n", d__y="1\n", f="1\n")
    shelf.box("one", "rm -r d; mkdir d; echo n > d/new")
    shelf.box("two", "rm f; mkdir f; echo in > f/in")
    shelf.ok("combine", "one", "two", "--name", "both")
    assert shelf.sh("both", "find . -mindepth 1 | sort") == "./d\n./d/new\n./f\n./f/in\n"
    shelf.ok("combine", "two", "one", "--name", "back")
    assert shelf.sh("back", "find . -mindepth 1 | sort") == "./d\n./d/new\n./f\n./f/in\n"
    shelf.promoted("back")
    assert tree(shelf.project).keys() == {"d", "d/new", "f", "f/in"}


def test_what_cannot_be_combined(pair, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    pair.ok("create", "elsewhere", cwd=other)
    assert "different projects" in pair.refused("EINVAL", "combine", "one", "elsewhere")
    pair.refused("ENOENT", "combine", "one", "missing")
    pair.refused("EEXIST", "combine", "one", "two", "--name", "two")
    assert boxes(pair) == ["elsewhere", "one", "two"]


def test_a_box_with_itself(pair):
    status, result = pair.call("combine", "one", "one", "--name", "same")
    assert status == 125 or (status == 0 and result["changes"] == [] and pair.sh("same", "cat a") == "one\n"), result


def do_in(directory, ops):
    old, mask = os.getcwd(), os.umask(0o022)
    os.chdir(directory)
    try:
        promote_ops.do(ops)
    finally:
        os.umask(mask)
        os.chdir(old)


@pytest.mark.parametrize("seed", range(6))
def test_random_work(shelf, seed):
    """Each box works in a directory of its own; every other time they are forks of one that began both."""
    sides = {"one": seed * 2, "two": seed * 2 + 1}
    parts = [100, 100]
    copy = shelf.root / "copy"
    for name, number in sides.items():
        (shelf.project / name).mkdir()
        do_in(shelf.project / name, promote_ops.plan(number, parts)[0])
    promote.copy_tree(shelf.project, copy)
    before = promote.tree(shelf.project)
    if seed % 2:
        shelf.ok("create", "common")
    for i in range(2):
        for name, number in sides.items():
            do_in(copy / name, promote_ops.plan(number, parts)[1][i])
            if i == 0 and not seed % 2:
                shelf.ok("create", name)
            if i == 1 and seed % 2:
                shelf.ok("fork", "common", "--name", name)
        for name, number in sides.items():
            shelf.py("common" if i == 0 and seed % 2 else name, IN_BOX, name, number, i, *parts)
    assert shelf.ok("combine", "one", "two", "--name", "both")["conflicts"] == []
    promote.assert_same(before, promote.tree(shelf.project), "a combination wrote to the host")
    shelf.promoted("both", "--yes")
    promote.assert_same(promote.tree(copy, times=False), promote.tree(shelf.project, times=False), f"seed {seed}")
    shelf.ok("undo")
    promote.assert_same(promote.without_dir_times(before), promote.without_dir_times(promote.tree(shelf.project)), "undo")
