# SPDX-License-Identifier: Apache-2.0
"""Waiting for what becomes true, in the programs beside it."""
import asyncio
import time

SECONDS = 60  # to catch a hang


def until(check):
    """What CHECK gives, as soon as it is true."""
    end = time.monotonic() + SECONDS
    while not (found := check()):
        assert time.monotonic() < end, f"after {SECONDS} s still {found!r}"
        time.sleep(0.05)
    return found


async def until_async(check):
    """The same, for a CHECK that is awaited."""
    end = time.monotonic() + SECONDS
    while not (found := await check()):
        assert time.monotonic() < end, f"after {SECONDS} s still {found!r}"
        await asyncio.sleep(0.05)
    return found
