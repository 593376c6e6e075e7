# SPDX-License-Identifier: Apache-2.0
"""Directories are made, entries are renamed and removed; what is not there says so."""
from e2b import FileType, InvalidArgumentException, NotFoundException, Sandbox

with Sandbox.create() as sandbox:
    files = sandbox.files
    assert files.make_dir("one/two/three") is True
    assert files.make_dir("one/two/three") is False, "it was there"
    assert files.get_info("one/two").type == FileType.DIR

    files.write("one/a.txt", "kept")
    moved = files.rename("one/a.txt", "one/two/b.txt")
    assert (moved.name, moved.path) == ("b.txt", "/home/user/one/two/b.txt"), moved
    assert files.read("one/two/b.txt") == "kept" and not files.exists("one/a.txt")
    files.write("one/c.txt", "new")
    files.rename("one/c.txt", "one/two/b.txt")
    assert files.read("one/two/b.txt") == "new", "the target is replaced"
    files.rename("one/two", "other")
    assert files.read("other/b.txt") == "new"

    assert files.remove("other/b.txt") is None and not files.exists("other/b.txt")
    files.write("other/full/file", "")
    files.remove("other")
    assert not files.exists("other"), "with all that was in it"

    for refused in (lambda: files.read("nowhere.txt"), lambda: files.rename("nowhere.txt", "x")):
        try:
            refused()
            raise AssertionError("what is not there was used")
        except NotFoundException as error:
            assert "nowhere.txt" in str(error), error
    for refused in (lambda: files.read("one"), lambda: files.write("one", "text")):
        try:
            refused()
            raise AssertionError("a directory is no file")
        except InvalidArgumentException as error:
            assert "directory" in str(error), error
