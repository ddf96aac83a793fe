"""Writes docs/reference/mcp.md from the toolbox: `python -m hindcast.mcp.reference`, with `--check` to compare."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hindcast import toolbox
from hindcast.mcp.failure import TOLD
from hindcast.mcp.prompts import PROMPTS
from hindcast.mcp.resources import PER_PAGE, TEMPLATES
from hindcast.toolbox import TOOLS, Tool

PAGE = Path("docs/reference/mcp.md")
INTRODUCTION = """# Tools for agents (MCP)

*Written from the code by `make generate`; a test compares the two. How to connect an agent:
[connect an agent](../how-to/connect-an-agent.md).*

The same tools answer over stdio (`hindcast mcp`) and over streamable HTTP (`/mcp` of `hindcast serve`), and
`hindcast ask` uses those that read. Each answer has a text for a model, within `tokens_max`, and the same as structured
content with `evidence` (the records it rests on, as in `cases/inc-20260930-0203-payment@412`) and `is_truncated`; each
tool lists the schema of it (`outputSchema`).
Recorded text stands in quotes that it cannot end. Arguments are read generously: numbers as text, a single name for a
list, other spellings of a choice, and the names that other tools use (`query`, `limit`, `incident_id`).
"""


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION, *_overview()]
    for tool in TOOLS:
        parts += _tool(tool)
    return "\n".join([*parts, *_resources(), *_prompts(), *_failures()]).rstrip() + "\n"


def _overview() -> Iterator[str]:
    yield "| tool | it | needs |"
    yield "|---|---|---|"
    for tool in TOOLS:
        does = "reads" if tool.is_read_only else "adds, and takes nothing away"
        if tool.is_destructive:
            does = "changes files, and takes it back"
        yield f"| [`{tool.name}`](#{tool.name}) | {does} | the permission to {tool.permission} |"
    yield ""


def _tool(tool: Tool) -> Iterator[str]:
    yield f"## {tool.name}"
    yield ""
    yield f"*{tool.title}.* {tool.description}"
    yield ""
    schema = toolbox.schema(tool)
    needed = schema.get("required", [])
    yield "| argument | type | if left out | |"
    yield "|---|---|---|---|"
    for name, one in schema["properties"].items():
        default = "it is needed" if name in needed else _default(one.get("default"))
        yield f"| `{name}` | {_type(one)} | {default} | {one['description']}{_example(one)} |"
    yield ""


def _type(one: dict[str, Any]) -> str:
    if "enum" in one:
        return " or ".join(f"`{value}`" for value in one["enum"])
    match one["type"]:
        case "integer":
            return f"{one['minimum']} to {one['maximum']:,}"
        case "boolean":
            return "true or false"
        case "array":
            return f"up to {one['maxItems']} texts"
        case _:
            return f"text, up to {one['maxLength']:,} characters"


def _default(value: Any) -> str:  # noqa: ANN401
    return f"`{value}`" if value not in ("", [], None) else ""


def _example(one: dict[str, Any]) -> str:
    examples = one.get("examples")
    return f" Example: `{json.dumps(examples[0], ensure_ascii=False)}`" if examples else ""


def _resources() -> Iterator[str]:
    yield "## Resources"
    yield ""
    yield f"Incidents are listed the newest first, {PER_PAGE} to a page; what is over comes with its postmortem."
    yield ""
    yield "| address | |"
    yield "|---|---|"
    yield from (f"| `{one.uri_template}` | {one.description} |" for one in TEMPLATES)
    yield ""


def _prompts() -> Iterator[str]:
    yield "## Prompts"
    yield ""
    yield "| prompt | | arguments |"
    yield "|---|---|---|"
    for one in PROMPTS:
        arguments = "; ".join(f"`{each.name}`: {each.description}" for each in one.arguments)
        yield f"| `{one.name}` | {one.description} | {arguments} |"
    yield ""


def _failures() -> Iterator[str]:
    yield "## When a call fails"
    yield ""
    yield "The result has `isError`, and its text names the argument, what is wrong, what to do about it, and what a"
    yield "model should do next. Resources and prompts answer with an error of the protocol and the same words."
    yield ""
    yield "| kind | what a model is told |"
    yield "|---|---|"
    yield from (f"| {kind.__name__.lower()} | {told} |" for kind, told, _ in TOLD)
    yield ""


def main(arguments: Sequence[str]) -> int:
    """Write the page, or say whether it is what the code says."""
    if "--check" in arguments:
        return int(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
