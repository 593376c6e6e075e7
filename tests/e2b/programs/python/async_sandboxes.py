# SPDX-License-Identifier: Apache-2.0
"""Many sandboxes at once, each on its own, made and ended by one program that waits for all of them."""
import asyncio
import uuid

from e2b import AsyncSandbox, NotFoundException, SandboxQuery

TEAM = str(uuid.uuid4())


async def work(number):
    async with await AsyncSandbox.create(metadata={"team": TEAM}, envs={"NUMBER": str(number)}) as sandbox:
        await sandbox.files.write("mine.txt", f"this is {number}")
        done = await sandbox.commands.run("cat mine.txt; echo , $NUMBER")
        info = await sandbox.get_info()
        assert info.sandbox_id == sandbox.sandbox_id and await sandbox.is_running()
        await sandbox.set_timeout(600)
        return sandbox.sandbox_id, done.stdout


async def main():
    said = await asyncio.gather(*(work(n) for n in range(5)))
    assert len({sandbox_id for sandbox_id, _ in said}) == 5
    assert [text for _, text in said] == [f"this is {n}, {n}\n" for n in range(5)], said

    kept = await AsyncSandbox.create(metadata={"team": TEAM})
    listed = await AsyncSandbox.list(query=SandboxQuery(metadata={"team": TEAM})).next_items()
    assert [info.sandbox_id for info in listed] == [kept.sandbox_id], listed
    await kept.pause()
    assert not await kept.is_running()
    again = await AsyncSandbox.connect(kept.sandbox_id)
    assert await again.is_running() and await again.get_metrics() is not None
    assert await AsyncSandbox.kill(kept.sandbox_id)
    try:
        await AsyncSandbox.connect(kept.sandbox_id)
        raise AssertionError("connected to the dead")
    except NotFoundException:
        pass


asyncio.run(main())
