# SPDX-License-Identifier: Apache-2.0
"""Tools for the OpenAI Agents SDK: Agent(tools=tools(box))."""
from __future__ import annotations

from typing import List, Optional

from agents import FunctionTool, function_tool
from aisbx import AsyncSandbox

from ._tools import tools_of


def tools(box: AsyncSandbox, names: Optional[List[str]] = None) -> List[FunctionTool]:
    """The tools of BOX: all of aisbx_agents.TOOLS, or those of these names."""
    return [function_tool(tool) for tool in tools_of(box, names)]
