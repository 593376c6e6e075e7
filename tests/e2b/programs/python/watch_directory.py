# SPDX-License-Identifier: Apache-2.0
"""Changes of a directory are told, of what lies below it when asked."""
from e2b import FilesystemEventType, Sandbox, SandboxException
from waiting import until

with Sandbox.create() as sandbox:
    files = sandbox.files
    files.make_dir("watched/below")
    handle = files.watch_dir("watched")
    seen = []

    def has(name, kind):
        seen.extend((event.name, event.type) for event in handle.get_new_events())
        return (name, kind) in seen

    files.write("watched/a.txt", "1")
    until(lambda: has("a.txt", FilesystemEventType.CREATE))
    until(lambda: has("a.txt", FilesystemEventType.WRITE))
    sandbox.commands.run("chmod 600 watched/a.txt")
    until(lambda: has("a.txt", FilesystemEventType.CHMOD))
    files.rename("watched/a.txt", "watched/b.txt")
    until(lambda: has("a.txt", FilesystemEventType.RENAME))
    files.write("watched/below/hidden.txt", "")
    files.remove("watched/b.txt")
    until(lambda: has("b.txt", FilesystemEventType.REMOVE))
    assert not any("hidden" in name for name, _ in seen), seen
    handle.stop()
    try:
        handle.get_new_events()
        raise AssertionError("it had been stopped")
    except SandboxException:
        pass

    handle, seen = files.watch_dir("watched", recursive=True), []
    files.write("watched/below/deep.txt", "")
    until(lambda: has("below/deep.txt", FilesystemEventType.CREATE))
    handle.stop()
