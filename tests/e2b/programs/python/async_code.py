# SPDX-License-Identifier: Apache-2.0
"""Code with callbacks that are awaited; two contexts run at the same time."""
import asyncio

from e2b_code_interpreter import AsyncSandbox


async def main():
    async with await AsyncSandbox.create() as sandbox:
        lines, results = [], []

        async def heard(message):
            await sandbox.files.write("heard.txt", message.line)
            lines.append(message.line)

        done = await sandbox.run_code("print('one')\nprint('two')\n6 * 7", on_stdout=heard, on_result=results.append)
        assert "".join(lines) == "one\ntwo\n" and done.text == "42", (lines, done)
        assert await sandbox.files.read("heard.txt") == lines[-1]
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
