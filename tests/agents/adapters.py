# SPDX-License-Identifier: Apache-2.0
"""Calls the tools that both adapters make, as the libraries call them for a model. usage: adapters.py openai|langchain"""
import asyncio
import json
import sys

from aisbx import AsyncSandbox

CALLS = [
    ("write_file", {"path": "sub/new.txt", "content": "a new file\n"}, "written: sub/new.txt"),
    ("read_file", {"path": "sub/new.txt"}, "a new file\n"),
    ("run_command", {"command": "cat sub/new.txt; echo oops >&2; exit 3"}, "exit status 3\nstdout:\na new file\nstderr:\noops"),
    ("run_command", {"command": "sleep 60", "timeout_seconds": 0.2}, "error: "),
    ("run_code", {"code": "print(6 * 7)"}, "42\n"),
    ("run_code", {"code": "1 / 0"}, "ZeroDivisionError"),
    ("read_file", {"path": "not/there"}, "error: "),
    ("run_command", {"command": "seq 100000"}, "characters left out"),
    ("show_changes", {}, "2 created, 0 modified, 0 deleted\n"),
]


def openai_calls(box):
    from agents.tool_context import ToolContext
    from aisbx_agents.openai import tools
    found = {tool.name: tool for tool in tools(box)}

    async def call(name, given):
        text = json.dumps(given)
        return await found[name].on_invoke_tool(ToolContext(context=None, tool_name=name, tool_call_id="1", tool_arguments=text), text)
    return {name: (tool.description, tool.params_json_schema) for name, tool in found.items()}, call, tools


def langchain_calls(box):
    from aisbx_agents.langchain import tools
    found = {tool.name: tool for tool in tools(box)}

    async def call(name, given):
        return (await found[name].ainvoke({"type": "tool_call", "id": "1", "name": name, "args": given})).content
    return {name: (tool.description, tool.tool_call_schema.model_json_schema()) for name, tool in found.items()}, call, tools


async def main(library):
    box = await AsyncSandbox.create()
    try:
        shown, call, tools = {"openai": openai_calls, "langchain": langchain_calls}[library](box)
        assert list(shown) == ["run_command", "run_code", "read_file", "write_file", "show_changes"], shown
        for name, (text, schema) in shown.items():
            assert "sandbox" in text and "--" not in text and set(schema["properties"]) >= {a for n, given, _ in CALLS if n == name for a in given}, (name, text, schema)
        for name, given, want in CALLS:
            answer = await call(name, given)
            assert want in answer and len(answer) < 25000, (name, given, answer[:2000])
        assert [t.name for t in tools(box, ["read_file"])] == ["read_file"]
        try:
            tools(box, ["promote"])
            raise AssertionError("there is no such tool")
        except ValueError as e:
            assert "promote" in str(e)
    finally:
        await box.kill()
    print("the end")


asyncio.run(main(sys.argv[1]))
