# SPDX-License-Identifier: Apache-2.0
"""Code with callbacks that are awaited; two contexts run at the same time."""
import asyncio

from e2b_code_interpreter import AsyncSandbox


async def main():
    async with await AsyncSandbox.create() as sandbox:
        lines, results = [], []

        async def heard(message):
            await asyncio.sleep(0)
            lines.append(message.line)
            if "waiting" in message.line:
                await sandbox.files.write("go", "")

        # It ends only because what it printed arrived before it did.
        done = await sandbox.run_code("import os, time\nprint('waiting', flush=True)\nwhile not os.path.exists('/home/user/go'): time.sleep(0.05)\nprint('went on')\n6 * 7",
                                      on_stdout=heard, on_result=results.append)
        assert "".join(lines) == "waiting\nwent on\n" and done.text == "42", (lines, done)
        assert [result.text for result in results] == ["42"], results

        one, two = await asyncio.gather(sandbox.create_code_context(), sandbox.create_code_context())
        meet = "import os, time\nopen('{}', 'w').close()\nwhile not os.path.exists('{}'): time.sleep(0.05)\n'{}'"
        both = await asyncio.gather(sandbox.run_code(meet.format("left", "right", "left"), context=one), sandbox.run_code(meet.format("right", "left", "right"), context=two))
        assert [done.text for done in both] == ["'left'", "'right'"], both
        failed = await sandbox.run_code("raise ValueError('no')", context=one)
        assert (failed.error.name, failed.error.value) == ("ValueError", "no"), failed.error
        await sandbox.remove_code_context(one)
        assert {context.id for context in await sandbox.list_code_contexts()}.isdisjoint({one.id})


asyncio.run(main())
