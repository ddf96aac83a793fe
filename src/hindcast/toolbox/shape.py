"""The shape of arguments and answers as a JSON schema that any client understands: no references, nothing open."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from hindcast.toolbox.tool import Arguments

_REFERENCE = "#/$defs/"


def schema_of(arguments: type[Arguments]) -> dict[str, Any]:
    """The schema of a tool's arguments."""
    return msgspec.json.decode(_schema(arguments), type=dict[str, Any])


def answer_schema_of(answer: Any) -> dict[str, Any]:  # noqa: ANN401
    """The schema of what a tool answers with."""
    return msgspec.json.decode(_schema(answer), type=dict[str, Any])


def properties_of(arguments: type[Arguments]) -> dict[str, dict[str, Any]]:
    """What each argument has to be, by its name."""
    found: dict[str, dict[str, Any]] = schema_of(arguments)["properties"]
    return found


@cache
def _schema(shape: type[Any]) -> bytes:
    whole = msgspec.json.schema(shape)
    made = _inlined(whole, whole.get("$defs", {}))
    made.pop("$defs", None)
    # The name and docstring of a class of ours say nothing that the tool's own words do not.
    made.pop("title", None)
    made.pop("description", None)
    made.setdefault("properties", {})
    return msgspec.json.encode(made)


def _inlined(value: Any, known: dict[str, Any]) -> Any:  # noqa: ANN401
    if isinstance(value, list):
        return [_inlined(one, known) for one in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        target = {**known[value["$ref"].removeprefix(_REFERENCE)]}
        value = {**target, **{name: one for name, one in value.items() if name != "$ref"}}
    made = {name: _inlined(one, known) for name, one in value.items()}
    if "properties" in made and isinstance(made.get("title"), str):
        # The name of a class of ours; a field of that name has a schema and no text.
        del made["title"]
    if "enum" in made:
        # Some clients refuse a value without a type.
        made.setdefault("type", "string")
    return made
