# SPDX-License-Identifier: Apache-2.0
"""What is in a directory, and everything about one entry."""
import datetime

from e2b import FileType, InvalidArgumentException, NotFoundException, Sandbox

with Sandbox.create() as sandbox:
    files = sandbox.files
    files.write_files([{"path": "tree/a.txt", "data": "12345"}, {"path": "tree/sub/b.txt", "data": ""}, {"path": "tree/sub/deep/c.txt", "data": ""}])
    sandbox.commands.run("ln -s tree/a.txt link && chmod 640 tree/a.txt")

    entries = {entry.name: entry for entry in files.list("tree")}
    assert set(entries) == {"a.txt", "sub"}, entries
    assert entries["sub"].type == FileType.DIR and entries["a.txt"].type == FileType.FILE
    assert entries["a.txt"].path == "/home/user/tree/a.txt" and entries["a.txt"].size == 5
    assert {entry.path for entry in files.list("/home/user/tree", depth=2)} == {
        f"/home/user/tree/{name}" for name in ("a.txt", "sub", "sub/b.txt", "sub/deep")}

    info = files.get_info("tree/a.txt")
    assert (info.name, info.path, info.type, info.size) == ("a.txt", "/home/user/tree/a.txt", FileType.FILE, 5), info
    assert info.mode & 0o777 == 0o640 and info.permissions.endswith("rw-r-----"), info
    assert (info.owner, info.group) == ("user", "user"), info
    now = datetime.datetime.now(datetime.timezone.utc)
    assert abs((now - info.modified_time.astimezone(datetime.timezone.utc)).total_seconds()) < 600, info
    assert files.get_info("link").symlink_target in ("tree/a.txt", "/home/user/tree/a.txt")
    assert files.get_info("/etc").type == FileType.DIR

    assert files.exists("tree/a.txt") and files.exists("/home/user/tree/sub") and not files.exists("tree/z.txt")
    for refused, kind in ((lambda: files.list("nowhere"), NotFoundException), (lambda: files.get_info("nowhere"), NotFoundException),
                          (lambda: files.list("tree/a.txt"), InvalidArgumentException), (lambda: files.list("tree", depth=0), InvalidArgumentException)):
        try:
            refused()
            raise AssertionError("listed")
        except kind:
            pass
