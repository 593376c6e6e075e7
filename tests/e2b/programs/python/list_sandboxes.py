# SPDX-License-Identifier: Apache-2.0
"""Sandboxes are found again by their metadata, page by page."""
import uuid

from e2b import Sandbox, SandboxQuery, SandboxState

team = f"team & {uuid.uuid4()}"
made = [Sandbox.create(metadata={"team": team, "number": str(n)}, timeout=300) for n in range(3)]


def listed(**query):
    return {info.sandbox_id for info in Sandbox.list(query=SandboxQuery(**query)).next_items()}


assert listed(metadata={"team": team}) == {sandbox.sandbox_id for sandbox in made}
assert listed(metadata={"team": team, "number": "1"}) == {made[1].sandbox_id}
assert listed(metadata={"team": "nobody's"}) == set()

pages, paginator = [], Sandbox.list(query=SandboxQuery(metadata={"team": team}), limit=2)
while paginator.has_next:
    pages.append(paginator.next_items())
assert [len(page) for page in pages] == [2, 1], pages
assert {info.sandbox_id for page in pages for info in page} == {sandbox.sandbox_id for sandbox in made}

info = pages[0][0]
assert info.metadata["team"] == team and info.state == SandboxState.RUNNING and info.started_at < info.end_at
assert info.cpu_count > 0 and info.memory_mb > 0 and info.template_id, info

made[0].pause()
assert listed(metadata={"team": team}, state=[SandboxState.PAUSED]) == {made[0].sandbox_id}
assert listed(metadata={"team": team}, state=[SandboxState.RUNNING]) == {made[1].sandbox_id, made[2].sandbox_id}
for sandbox in made:
    assert sandbox.kill()
assert listed(metadata={"team": team}) == set()
