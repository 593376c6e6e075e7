# SPDX-License-Identifier: Apache-2.0
"""A snapshot outlives its sandbox; from it others are made that go their own ways."""
from e2b import Sandbox, SandboxException

sandbox = Sandbox.create()
sandbox.commands.run("mkdir -p model && echo v1 > model/version")
snapshot = sandbox.create_snapshot()
assert snapshot.snapshot_id
sandbox.commands.run("echo v2 > model/version")
assert snapshot.snapshot_id in [one.snapshot_id for one in sandbox.list_snapshots().next_items()]
assert sandbox.kill()

with Sandbox.create(snapshot.snapshot_id) as one, Sandbox.create(snapshot.snapshot_id) as two:
    assert one.files.read("model/version") == two.files.read("model/version") == "v1\n"
    one.files.write("model/version", "v3\n")
    assert two.files.read("model/version") == "v1\n"
assert Sandbox.delete_snapshot(snapshot.snapshot_id) is True
assert Sandbox.delete_snapshot(snapshot.snapshot_id) is False
try:
    Sandbox.create(snapshot.snapshot_id)
    raise AssertionError("made from a snapshot that is gone")
except SandboxException:
    pass
