# SPDX-License-Identifier: Apache-2.0
"""Files without waiting for one another, and changes of a directory told to a callback."""
import asyncio

from e2b import AsyncSandbox, FilesystemEventType, NotFoundException
from waiting import until_async


async def main():
    async with await AsyncSandbox.create() as sandbox:
        files = sandbox.files
        await asyncio.gather(*(files.write(f"data/{n}.txt", str(n) * n) for n in range(10)))
        assert await asyncio.gather(*(files.read(f"data/{n}.txt") for n in range(10))) == [str(n) * n for n in range(10)]
        await files.write_files([{"path": "data/a.bin", "data": b"\x00\xff"}, {"path": "data/b.txt", "data": "text"}])
        assert await files.read("data/a.bin", format="bytes") == b"\x00\xff"
        pieces = [piece async for piece in await files.read("data/b.txt", format="stream")]
        assert b"".join(pieces) == b"text", pieces
        assert len(await files.list("data")) == 12 and await files.exists("data/b.txt")
        assert (await files.get_info("data/a.bin")).size == 2

        events = []
        handle = await files.watch_dir("data", on_event=events.append)

        async def told():
            return ("c.txt", FilesystemEventType.CREATE) in [(event.name, event.type) for event in events]

        await files.write("data/c.txt", "")
        await until_async(told)
        await handle.stop()
        known = len(events)
        assert await files.make_dir("data/sub") is True and await files.make_dir("data/sub") is False
        assert (await files.rename("data/c.txt", "data/sub/d.txt")).path == "/home/user/data/sub/d.txt"
        await files.remove("data")
        assert not await files.exists("data/sub/d.txt")
        assert len(events) == known, "it had been stopped"
        try:
            await files.read("data/a.bin")
            raise AssertionError("it was removed")
        except NotFoundException:
            pass


asyncio.run(main())
