# SPDX-License-Identifier: Apache-2.0
"""A whole story by the official Python client: what an agent does from the first box to a promotion and back.

usage: story.py stdio|http legacy|2026-07-28, in the directory of a scratch project; AISBX, and for http MCP_URL and MCP_TOKEN, in
the environment. Prints a line for each step that went well; the first thing that is wrong ends it.
"""
import asyncio
import glob
import json
import os
import subprocess
import sys
import time

import httpx2
import jsonschema
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

AISBX = os.environ["AISBX"]
CALC = "def add(a, b):\n    return a + b\n"
TESTS = "import unittest\nimport calc\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n"
TEST = "python3 -B -m unittest -v"
# A picture of one dot, and what draws it as matplotlib would.
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PYPLOT = f"""import base64
def get_fignums(): return [1]
def close(which): pass
class figure:
    def __init__(self, number): pass
    def savefig(self, to, **how):
        data = base64.b64decode("{DOT}")
        to.write(data) if hasattr(to, "write") else open(to, "wb").write(data)
"""
WAIT = "until [ -e go ]; do sleep 0.02; done"
# Found by no other process of this machine.
MARK = f"1000.{os.getpid()}"


def step(name):
    print(f"ok {time.monotonic() - BEGAN:6.2f} s  {name}", flush=True)


async def until(what, condition):
    """Waits for a condition, for as long as a busy machine may take."""
    for _ in range(600):
        found = condition()
        if found:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"it did not come to it: {what}")


def live():
    """Runs of this test that are there, as a person sees them."""
    done = subprocess.run([AISBX, "ps", "--all", "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["runs"]


def processes(mark):
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words:
            found.append(path)
    return found


class Story:
    def __init__(self, client, asked):
        self.client, self.asked, self.schemas = client, asked, {}

    async def call(self, tool, progress=None, error=False, **arguments):
        """The structured result, which always is as its schema says; and there is always text."""
        result = await self.client.call_tool(tool, arguments, progress_callback=progress)
        text = result.content[0].text
        assert bool(result.is_error) == error, f"{tool}: {text}"
        jsonschema.validate(result.structured_content, self.schemas[tool])
        data = dict(result.structured_content)
        data["text"], data["links"] = text, [c.uri for c in result.content if c.type == "resource_link"]
        return data

    async def tools(self):
        listed = await self.client.list_tools()
        for tool in listed.tools:
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
            self.schemas[tool.name] = tool.output_schema
        wire = json.dumps(listed.model_dump(by_alias=True, exclude_none=True, mode="json"), separators=(",", ":"))
        assert len(wire) < 16 * 1024, len(wire)
        assert 14 <= len(listed.tools) <= 28, [t.name for t in listed.tools]
        step(f"{len(listed.tools)} tools in {len(wire)} bytes")

    async def write(self, box, path, content):
        return await self.call("sandbox_write_file", box=box, path=path, content=content)

    async def make(self):
        made = await self.call("sandbox_create", name="story")
        assert made["name"] == "story" and made["project"] == os.getcwd(), made
        await self.write("story", "calc.py", CALC)
        await self.write("story", "test_calc.py", TESTS)
        read = await self.call("sandbox_read_file", box="story", path="calc.py")
        assert read["content"] == CALC and read["text"].startswith(CALC), read
        listed = await self.call("sandbox_list_files", box="story")
        assert {"calc.py", "test_calc.py", "README"} <= {e["path"] for e in listed["entries"]}, listed
        assert not os.path.exists("calc.py"), "it is in the real project"
        step("a box, with files")

    async def test(self):
        ran = await self.call("sandbox_run", box="story", command=TEST)
        assert ran["status"] == "ok" and ran["exit_code"] == 0 and "test_add" in ran["stderr"], ran
        assert "OK" in ran["text"] and "exit code 0" in ran["text"], ran
        by_intent = await self.call("sandbox_intent", intent="test", box="story")
        assert by_intent["status"] == "ok" and "unittest" in " ".join(by_intent["command"]), by_intent
        step("its tests pass")

    async def break_and_roll_back(self):
        await self.call("sandbox_snapshot", box="story", name="good")
        # Of another length: Python takes a file of the same length and second for the one that it has compiled.
        await self.call("sandbox_write_file", box="story", path="calc.py", replace="a + b", **{"with": "a - b  # ?"})
        ran = await self.call("sandbox_run", box="story", command=TEST.split())
        assert ran["status"] == "failed" and ran["exit_code"] == 1 and "-1 != 5" in ran["stderr"], ran
        await self.call("sandbox_rollback", box="story", snapshot="good")
        ran = await self.call("sandbox_run", box="story", command=TEST)
        assert ran["status"] == "ok", ran
        step("broken, rolled back, whole again")

    async def fork_and_run_all(self):
        forked = await self.call("sandbox_fork", **{"from": "story@good"}, count=3, name="idea")
        names = [b["name"] for b in forked["boxes"]]
        assert names == ["idea-1", "idea-2", "idea-3"], forked
        runs = [asyncio.create_task(self.call("sandbox_run", box=n, command=f"{WAIT}; printf '\\351\\n' > latin1; echo {n} > idea.txt; cat idea.txt"))
                for n in names]
        await until("three live runs", lambda: len(live()) == 3)
        for name in names:
            await self.write(name, "go", "")
        ran = await asyncio.gather(*runs)
        assert [r["stdout"] for r in ran] == [n + "\n" for n in names], ran
        for name in names:
            diff = await self.call("sandbox_diff", box=name)
            assert f"+{name}\n" in diff["patch"] and f"+{name}\n" in diff["text"], diff
            assert {"idea.txt", "calc.py"} <= {c["path"] for c in diff["changes"]}, diff
        between = await self.call("sandbox_diff", box="idea-1", other="idea-2")
        assert "-idea-1" in between["patch"] and "+idea-2" in between["patch"], between
        step("three forks at once, each its own")

    async def promote_and_undo(self):
        look = await self.call("sandbox_promote", box="idea-2", dry_run=True)
        assert look["applied"] is False and look["summary"]["created"] >= 3, look
        done = await self.call("sandbox_promote", box="idea-2", paths=["calc.py", "test_calc.py", "idea.txt"])
        assert done["applied"] is True and done["promotion"], done
        assert len(self.asked) == 1 and os.getcwd() in self.asked[0] and "idea.txt" in self.asked[0], self.asked
        with open("idea.txt") as f:
            assert f.read() == "idea-2\n"
        assert not os.path.exists("go")
        undone = await self.call("sandbox_undo", promotion=done["promotion"])
        assert undone["undone"] is True and sorted(os.listdir()) == ["README"], (undone, os.listdir())
        step("promoted after asking, and undone")

    async def stream(self, logged):
        """What it writes is here before it ends: the end waits for an answer to it."""
        heard, marks = [], []

        async def progress(done, total, message):
            marks.append(done)
            heard.append(message or "")
            if "first" in (message or "") and "go" not in heard:
                heard.append("go")
                await self.write("story", "go", "")

        ran = await self.call("sandbox_run", progress=progress, box="story", command=f"echo first; {WAIT}; rm go; echo last >&2")
        assert ran["stdout"] == "first\n" and ran["stderr"] == "last\n", ran
        assert marks == sorted(set(marks)), marks
        await until("the log", lambda: any("first" in str(m) for m in logged))
        step("output comes while it runs, as progress and as log")

    async def cancel(self):
        begun = asyncio.Event()

        async def progress(done, total, message):
            if "begun" in (message or ""):
                begun.set()

        call = asyncio.create_task(self.call("sandbox_run", progress=progress, box="story",
                                             command=f"(sleep {MARK} & sleep {MARK}) & echo begun; setsid sleep {MARK}"))
        await asyncio.wait_for(begun.wait(), 30)
        assert len(processes(MARK)) == 3 and len(live()) == 1
        call.cancel()
        try:
            await call
            raise AssertionError("a cancelled call has a result")
        except asyncio.CancelledError:
            pass
        await until("nothing is left", lambda: not processes(MARK) and not live())
        again = await self.call("sandbox_run", box="story", command="echo still here")
        assert again["stdout"] == "still here\n", again
        step("cancelled midway, and nothing is left")

    async def background(self):
        begun = await self.call("sandbox_run", box="story", command=f"echo one; {WAIT}; rm go; echo two", detach=True)
        assert begun["status"] == "running" and begun["run"] in begun["text"], begun
        so_far = await self.call("sandbox_wait", run=begun["run"], timeout=0.2)
        assert so_far["status"] == "running", so_far
        await self.write("story", "go", "")
        done = await self.call("sandbox_wait", run=begun["run"])
        assert done["status"] == "ok" and done["stdout"] == "one\ntwo\n", done
        begun = await self.call("sandbox_run", command=["sleep", MARK], detach=True)
        await self.call("sandbox_kill", runs=[begun["run"]])
        assert not processes(MARK)
        done = await self.call("sandbox_wait", run=begun["run"])
        assert done["status"] == "interrupted", done
        step("in the background: waited for, and ended")

    async def long_output(self):
        ran = await self.call("sandbox_run", box="story", command="seq 1 400000; echo end >&2")
        whole = "".join(f"{n}\n" for n in range(1, 400001))
        assert len(json.dumps(ran)) < 24 << 10 and ran["truncated"]["stdout"] > 1000000, len(ran["stdout"])
        assert ran["stdout"].startswith("1\n2\n3\n") and ran["stdout"].endswith("399999\n400000\n") and ran["stderr"] == "end\n"
        assert ran["links"] == [f"aisbx://runs/{ran['run']}/stdout"], ran["links"]
        read = await self.client.read_resource(ran["links"][0])
        assert read.contents[0].text == whole, len(read.contents[0].text)
        step("long output is cut, and linked to in whole")

    async def mistakes(self):
        for tool, arguments, word in (("sandbox_run", {"comand": "ls"}, "command"), ("sandbox_run", {}, "command"),
                                      ("sandbox_diff", {"box": "nobody"}, "nobody"),
                                      ("sandbox_rollback", {"box": "story", "snapshot": "never"}, "never"),
                                      ("sandbox_read_file", {"box": "story", "path": "missing"}, "missing"),
                                      ("sandbox_run", {"command": "x", "rw": ["/"]}, "rw"),
                                      ("sandbox_run", {"command": ["no-such-program"]}, "no-such-program")):
            wrong = await self.call(tool, error=True, **arguments)
            assert word in wrong["text"] and wrong["error"], wrong
        step("mistakes are told, in words that help")

    async def code(self):
        ran = await self.call("sandbox_run_code", lang="python", code="print(6 * 7)\nopen('left.txt', 'w').write('x')")
        assert ran["stdout"] == "42\n" and [f["path"] for f in ran["files"]] == ["left.txt"], ran
        ran = await self.call("sandbox_run_code", lang="python", code="raise ValueError('no')")
        assert ran["status"] == "failed" and "ValueError: no" in ran["text"], ran
        step("a program as text")

    async def pictures(self):
        await self.write("story", "dot.b64", DOT)
        await self.call("sandbox_run", box="story", command="base64 -d dot.b64 > dot.png && truncate -s 600K large.png && head -c 16 dot.png | dd of=large.png conv=notrunc")
        got = await self.client.call_tool("sandbox_read_file", {"box": "story", "path": "dot.png"})
        text, picture = got.content
        assert (picture.type, picture.mime_type, picture.data) == ("image", "image/png", DOT) and "image/png, 70 bytes" in text.text, got
        assert "content" not in got.structured_content and got.structured_content["size"] == 70, got
        read = await self.call("sandbox_read_file", box="story", path="dot.png", encoding="base64")
        assert read["content"] == DOT, read
        wrong = await self.call("sandbox_read_file", error=True, box="story", path="large.png")
        assert "picture of more than 512" in wrong["error"] and "smaller copy" in wrong["error"], wrong
        await self.write("story", "plots/matplotlib/pyplot.py", PYPLOT)
        code = "import sys; sys.path.insert(0, 'plots')\nimport matplotlib.pyplot as plt\nprint('drawn')"
        drawn = await self.client.call_tool("sandbox_run_code", {"lang": "python", "code": code, "box": "story", "context": "main"})
        assert [c.data for c in drawn.content if c.type == "image"] == [DOT] and drawn.structured_content["stdout"] == "drawn\n", drawn
        step("pictures: of a file, and drawn by a program")

    async def resources(self):
        uris = [r.uri for r in (await self.client.list_resources()).resources]
        assert "aisbx://boxes" in uris and "aisbx://boxes/story/diff" in uris, uris
        templates = [t.uri_template for t in (await self.client.list_resource_templates()).resource_templates]
        assert "aisbx://boxes/{box}/files/{+path}" in templates, templates
        read = await self.client.read_resource("aisbx://boxes/story/files/calc.py")
        assert read.contents[0].text == CALC, read
        read = await self.client.read_resource("aisbx://boxes/story/diff")
        assert "+def add(a, b):" in read.contents[0].text, read
        prompts = [p.name for p in (await self.client.list_prompts()).prompts]
        assert {"safe-change", "try-ideas", "investigate"} <= set(prompts), prompts
        got = await self.client.get_prompt("safe-change", {"task": "add subtraction"})
        assert "add subtraction" in got.messages[0].content.text, got
        step("resources and prompts")

    async def tidy(self):
        removed = await self.call("sandbox_remove", boxes=["story", "idea-1", "idea-2", "idea-3"])
        assert len(removed["removed"]) == 4, removed
        listed = await self.call("sandbox_list")
        assert listed["boxes"] == [] and not live() and os.listdir() == ["README"], listed
        step("everything is gone")


async def main(transport, mode):
    asked, logged = [], []

    async def elicit(_context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"approve": True})

    async def log(params):
        logged.append(params.data)

    if transport == "stdio":
        server = StdioServerParameters(command=AISBX, args=["mcp"], env=dict(os.environ), cwd=os.getcwd())
    else:
        server = streamable_http_client(os.environ["MCP_URL"], http_client=httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}, timeout=60))
    async with Client(server, mode=mode, elicitation_callback=elicit, logging_callback=log, log_level="info") as client:
        step(f"connected, {client.protocol_version}")
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else mode)
        if mode == "legacy":
            await client.set_logging_level("info")
        story = Story(client, asked)
        for part in (story.tools(), story.make(), story.test(), story.break_and_roll_back(), story.fork_and_run_all(),
                     story.promote_and_undo(), story.stream(logged), story.cancel(), story.background(), story.long_output(),
                     story.mistakes(), story.code(), story.pictures(), story.resources(), story.tidy()):
            await part
    print("the end", flush=True)


BEGAN = time.monotonic()
asyncio.run(main(*sys.argv[1:]))
