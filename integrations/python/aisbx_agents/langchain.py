# SPDX-License-Identifier: Apache-2.0
"""Tools for LangChain and LangGraph: create_agent(model, tools(box))."""
from __future__ import annotations

from typing import List, Optional

from aisbx import AsyncSandbox
from langchain_core.tools import BaseTool, StructuredTool

from ._tools import tools_of


def tools(box: AsyncSandbox, names: Optional[List[str]] = None) -> List[BaseTool]:
    """The tools of BOX: all of aisbx_agents.TOOLS, or those of these names. They are asynchronous (`ainvoke`)."""
    return [StructuredTool.from_function(coroutine=tool) for tool in tools_of(box, names)]
