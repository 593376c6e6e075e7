# SPDX-License-Identifier: Apache-2.0
"""Scenes at the door by the official Python client, each what once went wrong there.

usage: doors.py contexts|long|apart|connect|fleet|leave|wait, in the directory of a scratch project; AISBX, for HTTP
MCP_URL and MCP_TOKEN, else what `aisbx mcp` is told as MCP_WORDS, in the environment. The first thing that is wrong ends it; the last line is "the end".
"""
import asyncio
import contextlib
import json
import os
import subprocess
import sys

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

AISBX = os.environ["AISBX"]
MOST = 24 * 1024


def connect(*words):
    """To the server at MCP_URL, or to one of its own."""
    if "MCP_URL" in os.environ:
        headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
        server = streamable_http_client(os.environ["MCP_URL"], http_client=httpx2.AsyncClient(headers=headers, timeout=60))
    else:
        server = StdioServerParameters(command=AISBX, args=["mcp", *words, *os.environ.get("MCP_WORDS", "").split()], env=dict(os.environ), cwd=os.getcwd())
    return Client(server, mode="legacy")


class Tools:
    def __init__(self, client):
        self.client = client

    async def call(self, tool, error=False, **arguments):
        """The structured result, with its text and links; never longer than agreed."""
        got = await self.client.call_tool(tool, arguments)
        wire = json.dumps(got.model_dump(by_alias=True, exclude_none=True, mode="json"), separators=(",", ":"), ensure_ascii=False)
        assert len(wire.encode()) <= MOST, (tool, arguments, len(wire.encode()))
        assert bool(got.is_error) == error, (tool, arguments, got.content[0].text)
        return {**got.structured_content, "text": got.content[0].text, "links": [c.uri for c in got.content if c.type == "resource_link"]}

    async def read(self, uri):
        got = await self.client.read_resource(uri)
        assert [c.uri for c in got.contents] == [uri]
        return got.contents[0].text

    async def code(self, lang, code, **more):
        return await self.call("sandbox_run_code", lang=lang, code=code, box="b", context="main", **more)


async def contexts():
    """Interpreters answer and remember, in all three languages, and go with their box."""
    async with connect() as client:
        tools = Tools(client)
        await tools.call("sandbox_create", name="b")
        for lang, first, then in (("python", "x = 6 * 7", "print(x)"), ("javascript", "var x = 6 * 7", "console.log(x)"),
                                  ("shell", "x=42; cd /", "echo $x")):
            made = await tools.code(lang, first)
            assert made["status"] == "ok" and made["context_new"] is True, made
            for _ in range(2):
                again = await tools.code(lang, then)
                assert again["stdout"] == "42\n" and "42" in again["text"] and again["context_new"] is False, again
        value = await tools.code("python", "x + 1")
        assert value["text"].startswith("43") or "43" in value["stdout"], value
        wrong = await tools.code("python", "import sys\nprint('said', file=sys.stderr)\nraise ValueError('no')")
        assert wrong["status"] == "failed" and wrong["exception"]["name"] == "ValueError" and wrong["stderr"].startswith("said\n"), wrong
        assert (await tools.code("python", "print(x)"))["stdout"] == "42\n", "an exception is no end"
        slow = await tools.code("python", "while True: pass", timeout=0.5)
        assert slow["status"] == "limit", slow
        long = await tools.code("python", "print('\u00e4\u20ac' * 30000)")
        whole = json.loads(await tools.read(long["links"][0]))
        assert whole["stdout"] == "\u00e4\u20ac" * 30000 + "\n" and long["truncated"]["stdout"] > 100000, long["truncated"]
        made = await tools.code("python", "import os; open('made', 'w').write('1'); os.environ['V']", env={"V": "it's"})
        assert made["text"].endswith('"it\'s"\n') or "it's" in made["text"], made
        assert [f["path"] for f in made["files"]] == ["made"] and (await tools.code("python", "os.environ['V']"))["files"] == []
        there = (await tools.call("sandbox_contexts", box="b"))["contexts"]
        assert [(c["language"], c["context"]) for c in there] == [("python", "main"), ("javascript", "main"), ("shell", "main")], there
        ended = await tools.call("sandbox_contexts", box="b", end="main")
        assert ended["ended"] == 3 and ended["contexts"] == [], ended
        assert (await tools.code("shell", "x=42; echo $V"))["context_new"] is True
        assert (await tools.code("python", "x = 42"))["context_new"] is True
        alone = await tools.call("sandbox_run_code", lang="javascript", code="[6 * 7]")
        assert "[ 42 ]" in alone["text"], alone
        gone = await tools.code("python", "import os; os._exit(0)")
        assert gone["status"] == "failed" and "ended the interpreter" in gone["text"], gone
        # With interpreters in it a box goes; with a command it does not.
        busy = await tools.call("sandbox_run", box="b", command="sleep 600", detach=True)
        assert "in use" in (await tools.call("sandbox_remove", error=True, boxes=["b"]))["text"]
        assert (await tools.code("shell", "echo $x"))["stdout"] == "42\n", "a refusal ends no interpreter"
        await tools.call("sandbox_kill", runs=[busy["run"]])
        assert (await tools.call("sandbox_remove", boxes=["b"]))["removed"] == ["b"]


async def long():
    """Whatever is long comes as its beginning and end, told so in words, and whole by its link."""
    async with connect("--tools", "all") as client:
        tools = Tools(client)
        await tools.call("sandbox_create", name="b")

        async def check_streams(got, **want):
            assert set(got["links"]) == {f"aisbx://runs/{got['run']}/{s}" for s, text in want.items() if len(text.encode()) > 12000}, got["links"]
            for stream, text in want.items():
                if f"aisbx://runs/{got['run']}/{stream}" not in got["links"]:
                    assert got[stream] == text, (stream, got[stream][:100])
                    continue
                head, rest = got[stream].split("[... ", 1)
                left, tail = rest.split(" ...]\n", 1)
                lost = int(left.split()[0])
                assert "bytes are left out here" in left and left in got["text"], left
                assert text.startswith(head.rstrip("\n")) and text.endswith(tail) and "\ufffd" not in got[stream], got[stream][:100]
                assert got["truncated"][stream] == lost and abs(len(text.encode()) - lost - len((head + tail).encode())) <= 1
                assert await tools.read(f"aisbx://runs/{got['run']}/{stream}") == text

        seq = "".join(f"{n}\n" for n in range(1, 150001))
        await check_streams(await tools.call("sandbox_run", box="b", command="seq 150000; echo end >&2"), stdout=seq, stderr="end\n")
        await check_streams(await tools.call("sandbox_run", box="b", command="seq 9000; seq 9000 >&2"),
                            stdout=seq[:seq.index("9001\n")], stderr=seq[:seq.index("9001\n")])
        await check_streams(await tools.call("sandbox_run_code", lang="python", code="print('\u20ac' * 50000)"), stdout="\u20ac" * 50000 + "\n", stderr="")
        await tools.call("sandbox_run", box="b", command=r"yes '\"\\	' | head -c 100000 | tr y '\001'")
        begun = await tools.call("sandbox_run", box="b", command="seq 30000", detach=True)
        waited = await tools.call("sandbox_wait", run=begun["run"])
        assert waited["links"] == [f"aisbx://runs/{begun['run']}/stdout"] and waited["stdout"].startswith("1\n2\n"), waited["stdout"][:50]
        assert await tools.read(waited["links"][0]) == seq[:seq.index("30001\n")]

        await tools.call("sandbox_run", box="b", command="seq 20000 > big; mkdir many; cd many; seq -f 'a-long-name-of-a-file-%g' 3000 | xargs touch")
        read, at, parts = "", 0, 0
        while at is not None:
            part = await tools.call("sandbox_read_file", box="b", path="big", offset=at)
            read, at, parts = read + part["content"], part.get("next_offset"), parts + 1
        assert read == seq[:seq.index("20001\n")] and parts > 5, (len(read), parts)
        for tool, arguments, count in (("sandbox_diff", {"box": "b"}, lambda w: len(w["changes"])),
                                       ("sandbox_promote", {"box": "b", "dry_run": True}, lambda w: len(w["changes"])),
                                       ("sandbox_list_files", {"box": "b", "path": "many"}, lambda w: len(w["entries"]))):
            got = await tools.call(tool, **arguments)
            assert got["links"] == [got["whole"]] and got["whole"] in got["text"] and got["not_shown"], (tool, got["links"], list(got))
            whole = json.loads(await tools.read(got["whole"]))
            assert count(whole) >= 1000 and count(whole) == count(got) + sum(got["not_shown"].values()), (tool, count(whole), got["not_shown"])
        for _ in range(12):
            await tools.call("sandbox_run", box="b", command=["true", "x" * 1500])
        history = await tools.call("sandbox_run_history", limit=50)
        assert len(json.loads(await tools.read(history["whole"]))["runs"]) > 14, history["whole"]
        # What an operation reads of its own runs is there as well, though it is kept for others.
        tried = await tools.call("sandbox_experiment", branches=["true"], test="echo tested; echo so >&2", box="b")
        assert [(t["stdout_tail"], t["stderr_tail"]) for t in tried["branches"]] == [("tested\n", "so\n")], tried["branches"]
        async with connect() as other:  # another session has none of these
            with contextlib.suppress(Exception):
                await other.read_resource(history["whole"])
                raise SystemExit("another session read it")
        await tools.call("sandbox_remove", boxes=["b"])


async def apart():
    """Two sessions with a box of the same name; what one knows of the other's runs opens nothing."""
    async with connect() as one, connect() as two:
        a, b = Tools(one), Tools(two)
        ids = [(await t.call("sandbox_create", name="t1"))["id"] for t in (a, b)]
        assert ids[0] != ids[1] and [x["id"] for x in (await b.call("sandbox_list"))["boxes"]] == [ids[1]]
        run = (await a.call("sandbox_run", box="t1", command="echo of one; sleep 600", detach=True))["run"]
        for tool, arguments in (("sandbox_wait", lambda r: {"run": r}), ("sandbox_kill", lambda r: {"runs": [r]})):
            foreign, nobodys = [(await b.call(tool, error=True, **arguments(r)))["text"].replace(r, "IT") for r in (run, "r-0123456789abcdef")]
            assert foreign == nobodys, (foreign, nobodys)
        for stream in ("stdout", "result"):
            with contextlib.suppress(Exception):
                await two.read_resource(f"aisbx://runs/{run}/{stream}")
                raise SystemExit("it was read")
        assert (await a.call("sandbox_wait", run=run, timeout=0.1))["stdout"] == "of one\n"
        await a.call("sandbox_kill", runs=[run])
        for t in (a, b):
            await t.call("sandbox_remove", boxes=["t1"])


async def just_connect():
    async with connect() as client:
        names = [t.name for t in (await client.list_tools()).tools]
        assert "sandbox_run" in names, names
        assert (await Tools(client).call("sandbox_run", command="echo through the door"))["stdout"] == "through the door\n"


async def fleet():
    """With --on among the words: a box at its home, and what is long."""
    async with connect() as client:
        tools = Tools(client)
        assert "sandbox_promote" not in [t.name for t in (await client.list_tools()).tools]
        made = await tools.call("sandbox_create", name="official")
        await tools.call("sandbox_write_file", box="official", path="f", content="written\n")
        ran = await tools.call("sandbox_run", box="official", command="cat f; seq 150000")
        assert ran["node"] == made["node"] and ran["stdout"].startswith("written\n1\n"), ran
        whole = json.loads(await tools.read(ran["links"][0]))
        assert whole["stdout"] == "written\n" + "".join(f"{n}\n" for n in range(1, 150001)), len(whole["stdout"])
        assert (await tools.call("sandbox_read_file", box="official", path="f"))["content"] == "written\n"
        assert (await tools.call("sandbox_remove", boxes=["official"]))["removed"] == ["official"]


async def leave():
    """Work, and then the end of the session."""
    async with connect() as client:
        await leave_work(client)


async def leave_work(client):
    tools = Tools(client)
    await tools.call("sandbox_create", name="work")
    await tools.call("sandbox_write_file", box="work", path="idea", content="not to be lost\n")
    person = json.loads(subprocess.run([AISBX, "ls", "--all", "--json"], stdout=subprocess.PIPE, check=True).stdout)["boxes"]
    assert [b["expires_ms"] for b in person if b["name"] == "work"] == [None], "while the session lives it stays"


async def wait():
    """Work, and then nothing: who started us ends the server."""
    async with connect() as client:
        await leave_work(client)
        print("there", flush=True)
        await asyncio.sleep(600)


asyncio.run({"contexts": contexts, "long": long, "apart": apart, "connect": just_connect, "fleet": fleet, "leave": leave, "wait": wait}[sys.argv[1]]())
print("the end", flush=True)
