# SPDX-License-Identifier: Apache-2.0
"""What an agent can do with a box, in texts that a model reads: the same for every library."""
from __future__ import annotations

import inspect
from typing import Awaitable, Callable, List, Optional

from aisbx import AisbxError, AsyncSandbox

MOST = 24 * 1024  # characters of an answer: what is more, a model does not need to read

Tool = Callable[..., Awaitable[str]]


def cut(text: str) -> str:
    """Its beginning and its end."""
    if len(text) <= MOST:
        return text
    half = MOST // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


class Tools:
    """The tools of one box. Each answers with a text, also when something fails: the model is to read why."""

    def __init__(self, box: AsyncSandbox) -> None:
        self._box = box

    async def run_command(self, command: str, timeout_seconds: Optional[float] = None) -> str:
        """Run a shell command in the sandbox, a clone of this machine. Its changes stay inside. Answers with exit status and output."""
        done = await self._box.commands.run(command, timeout=timeout_seconds)
        parts = [f"exit status {done.exit_code}" + (f" ({done.error})" if done.error else "")]
        parts += [f"{name}:\n{text.rstrip()}" for name, text in (("stdout", done.stdout), ("stderr", done.stderr)) if text.strip()]
        return "\n".join(parts)

    async def run_code(self, code: str, language: str = "python") -> str:
        """Run a program given as text in the sandbox. Answers with what it printed, or with its error."""
        done = await self._box.run_code(code, language)
        text = "".join(done.logs.stdout) + "".join(done.logs.stderr)
        return text + (f"\n{done.error.name}: {done.error.value}" if done.error else "")

    async def read_file(self, path: str) -> str:
        """Read a text file of the sandbox. A relative path is below the project."""
        return await self._box.files.read(path)

    async def write_file(self, path: str, content: str) -> str:
        """Write a text file in the sandbox, with the directories it needs. A relative path is below the project."""
        await self._box.files.write(path, content)
        return f"written: {path}"

    async def show_changes(self) -> str:
        """Show what the sandbox changed in the project so far, as a patch."""
        diff = await self._box.diff(patch=True)
        return f"{diff.created} created, {diff.modified} modified, {diff.deleted} deleted\n{diff.patch or ''}"


TOOLS = ("run_command", "run_code", "read_file", "write_file", "show_changes")


def _in_words(tool: Tool) -> Tool:
    """TOOL with the same name, text and arguments, whose errors are answers and whose answers are not too long."""
    async def safe(*args: object, **given: object) -> str:
        try:
            return cut(await tool(*args, **given))
        except AisbxError as e:
            return cut(f"error: {e}")

    safe.__name__, safe.__doc__ = tool.__name__, tool.__doc__
    safe.__signature__ = inspect.signature(tool, eval_str=True)  # type: ignore[attr-defined]
    safe.__annotations__ = {name: p.annotation for name, p in safe.__signature__.parameters.items()} | {"return": str}  # type: ignore[attr-defined]
    return safe


def tools_of(box: AsyncSandbox, names: Optional[List[str]] = None) -> List[Tool]:
    """The functions for a library to wrap: all, or those of these names."""
    tools = Tools(box)
    unknown = set(names or ()) - set(TOOLS)
    if unknown:
        raise ValueError(f"no tool is called {', '.join(sorted(unknown))}; there are {', '.join(TOOLS)}")
    return [_in_words(getattr(tools, name)) for name in TOOLS if names is None or name in names]
