# SPDX-License-Identifier: Apache-2.0
"""Commands side by side in one sandbox; callbacks while they run; a terminal whose screen comes by a callback."""
import asyncio

from e2b import AsyncSandbox, CommandExitException, PtySize
from waiting import until_async


async def main():
    async with await AsyncSandbox.create() as sandbox:
        run = sandbox.commands.run
        # Each waits for the other: one after the other they would never end.
        both = await asyncio.gather(*(run(f"touch {a}; until [ -e {b} ]; do sleep 0.05; done; echo {a}") for a, b in (("left", "right"), ("right", "left"))))
        assert [done.stdout for done in both] == ["left\n", "right\n"], both

        out = []

        async def heard(text):
            out.append(text)
            if "ready" in text:
                await sandbox.files.write("go", "")

        handle = await run("echo ready; until [ -e go ]; do sleep 0.05; done; echo gone >&2; exit 4", background=True, on_stdout=heard, on_stderr=out.append)
        try:
            await handle.wait()
            raise AssertionError("exit 4 is no success")
        except CommandExitException as failed:
            assert (failed.exit_code, failed.stderr) == (4, "gone\n"), failed
        assert out == ["ready\n", "gone\n"], out

        typed = await run("read -r a; read -r b; echo $b $a", background=True, stdin=True)
        await sandbox.commands.send_stdin(typed.pid, "first\nsecond\n")
        assert (await typed.wait()).stdout == "second first\n"
        endless = await run("sleep 600", background=True)
        assert endless.pid in [process.pid for process in await sandbox.commands.list()]
        assert await endless.kill()

        screen = bytearray()
        terminal = await sandbox.pty.create(PtySize(rows=20, cols=60), on_data=screen.extend)

        async def shown():
            return b"20 60\r\n" in screen

        await sandbox.pty.send_stdin(terminal.pid, b"stty size; exit\n")
        await until_async(shown)
        assert (await terminal.wait()).exit_code == 0


asyncio.run(main())
