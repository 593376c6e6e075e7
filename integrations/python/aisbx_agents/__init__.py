# SPDX-License-Identifier: Apache-2.0
"""A box of aisbx as tools of an agent: `aisbx_agents.openai.tools(box)`, `aisbx_agents.langchain.tools(box)`.

Both take an `aisbx.AsyncSandbox` of yours, which you create and kill. Bringing changes into the project is not among the tools: do that
yourself, with `box.promote()`, when you have seen `box.diff()`.
"""
from ._tools import TOOLS, Tools

__all__ = ["TOOLS", "Tools"]
