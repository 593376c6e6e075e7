# benign: many requests at once
import asyncio
import aiohttp

URLS = [f"https://api.example.org/items/{i}" for i in range(20)]

async def fetch(session, url):
    async with session.get(url) as r:
        return await r.json()

async def main():
    async with aiohttp.ClientSession() as session:
        for item in await asyncio.gather(*(fetch(session, u) for u in URLS)):
            print(item["id"])

asyncio.run(main())
