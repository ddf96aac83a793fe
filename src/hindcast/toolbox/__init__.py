"""The toolbox: what a model may do with the memory of one space, as tools with typed arguments and bounded answers.

The MCP face hands these tools to agents, and asking uses the same ones. `call` is the door: it finds the tool, reads
its arguments as generously as a model writes them, and runs it at a desk. Whether the caller may is not asked here: a
tool names the permission it needs, and its face has asked the one authorisation point before it calls.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from hindcast.model.errors import Missing
from hindcast.toolbox import correlations, fixing, incidents, patterns, recalling, recording, remembered
from hindcast.toolbox.answers import ANSWERS
from hindcast.toolbox.desk import Desk, Desks
from hindcast.toolbox.reading import read_arguments
from hindcast.toolbox.shape import answer_schema_of, schema_of
from hindcast.toolbox.tool import Tool, ToolAnswer

# In the order in which somebody meets them during an incident.
TOOLS: tuple[Tool, ...] = (
    recalling.RECALL,
    recalling.WHAT_NOT_TO_TRY,
    incidents.SEARCH_INCIDENTS,
    incidents.INCIDENT_GET,
    patterns.RESOLUTION_PATTERNS,
    correlations.ERROR_CORRELATIONS,
    remembered.MEMORY_SEARCH,
    remembered.MEMORY_DIFF,
    recording.ATTEMPT_RECORD,
    recording.VERDICT_RECORD,
    fixing.FIX_CARDS,
    fixing.FIX_VERDICT,
)

_BY_NAME = {tool.name: tool for tool in TOOLS}


def find(name: str) -> Tool:
    """A tool by its name, in any spelling. Raises Missing, with the nearest, where there is none."""
    spelt = name.strip().casefold().replace("-", "_").replace(" ", "_").rpartition(".")[2]
    if spelt in _BY_NAME:
        return _BY_NAME[spelt]
    near = difflib.get_close_matches(spelt, _BY_NAME, n=1, cutoff=0.4)
    nearest = f"Did you mean {near[0]}? " if near else ""
    raise Missing(
        f"There is no tool {name[:80]!r}.", field="name", remedy=f"{nearest}The tools are {', '.join(_BY_NAME)}."
    )


def schema(tool: Tool) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, without references and closed to other fields."""
    return schema_of(tool.arguments)


def answer_schema(tool: Tool) -> dict[str, Any]:
    """The JSON schema of what a tool answers with, evidence included, without references."""
    return answer_schema_of(ANSWERS[tool.name])


def call(name: str, arguments: Mapping[str, Any], desk: Desk) -> ToolAnswer:
    """Run a tool. Raises an error of the tree, which says what is wrong with which argument and gives an example."""
    tool = find(name)
    return tool.run(desk, read_arguments(tool, arguments))


__all__ = ["TOOLS", "Desk", "Desks", "Tool", "ToolAnswer", "answer_schema", "call", "find", "schema"]
