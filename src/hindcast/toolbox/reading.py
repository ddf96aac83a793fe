"""Reads arguments as generously as models write them, and says what is wrong so that a small one can mend it.

Numbers written as text, a single name where a list is wanted, an enum in another spelling, an argument by a name that
other tools use for it: all of these have one meaning and are understood. What has none is an error that names the
argument, what is allowed, and an example.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hindcast.model.errors import Malformed
from hindcast.toolbox.shape import properties_of
from hindcast.toolbox.tool import Arguments, Tool

# How other tools call what we call so. An alias counts only where the tool has no argument of that very name.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "text": ("query", "error", "question", "message", "trace", "q", "input"),
    "words": ("query", "text", "q", "search", "keywords"),
    "incident": ("incident_id", "id", "case", "case_id"),
    "services": ("service", "service_name", "component", "components"),
    "service": ("services", "service_name"),
    "about": ("service", "services", "component", "components"),
    "count_max": ("limit", "count", "max_results", "top_k", "k", "page_size"),
    "tokens_max": ("max_tokens", "tokens", "token_budget", "budget"),
    "at": ("as_of", "time", "when", "timestamp"),
    "since": ("from", "start", "after"),
    "until": ("to", "end", "before"),
    "before": ("from", "since", "start", "old"),
    "after": ("to", "until", "end", "new"),
    "card": ("card_id", "id", "fix"),
    "verdict": ("decision", "judgement", "action"),
    "reason": ("why", "comment", "note"),
    "dont_try": ("warn", "do_not_try", "is_warning"),
    "judgement": ("judgment", "verdict", "rating"),
    "outcome": ("result", "status"),
    "action": ("attempt_text", "what", "description"),
    "why": ("reason", "comment", "note"),
}
VALUE_CHARS_MAX = 60


def read_arguments(tool: Tool, given: Mapping[str, Any]) -> Arguments:
    """The arguments of a tool out of what a model wrote."""
    if not isinstance(given, Mapping):
        raise Malformed(
            f"The arguments of {tool.name} are not a JSON object.",
            field="arguments",
            remedy=f"Give them by name: {_example(tool)}",
        )
    wanted = properties_of(tool.arguments)
    named = _named(tool, {str(name): value for name, value in given.items()}, wanted)
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(tool.arguments):
        if field.name in named:
            found[field.name] = _read(field, named[field.name], wanted[field.name])
        elif field.required:
            raise Malformed(
                f"{tool.name} needs {field.name!r}: {wanted[field.name]['description']}",
                field=field.name,
                remedy=f"For example: {_example(tool)}",
            )
    return tool.arguments(**found)


def _named(tool: Tool, given: dict[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What was given by the names that the tool knows. An empty extra says nothing and is left out."""
    named = {name: value for name, value in given.items() if name in wanted and value is not None}
    for name, value in given.items():
        if name in wanted or value is None or value in ("", [], {}):
            continue
        spelt = name.strip().casefold().replace("-", "_").replace(" ", "_")
        meant = [spelt] if spelt in wanted else [ours for ours in wanted if spelt in ALIASES.get(ours, ())]
        free = next((ours for ours in meant if ours not in named), None)
        if free is None:
            raise _unknown(tool, name, wanted)
        named[free] = value
    return named


def _unknown(tool: Tool, name: str, wanted: Mapping[str, Any]) -> Malformed:
    near = difflib.get_close_matches(name.casefold(), wanted, n=1, cutoff=0.5)
    nearest = f"Did you mean {near[0]!r}? " if near else ""
    return Malformed(
        f"{tool.name} has no argument {name[:VALUE_CHARS_MAX]!r}.",
        field=name[:VALUE_CHARS_MAX],
        remedy=f"{nearest}Its arguments are {', '.join(wanted)}.",
    )


def _read(field: msgspec.structs.FieldInfo, value: Any, wanted: Mapping[str, Any]) -> Any:  # noqa: ANN401
    try:
        return msgspec.convert(_generous(value, wanted), field.type, strict=False)
    except msgspec.ValidationError as error:
        raise Malformed(
            f"{_shown(value)} cannot be {field.name!r}.",
            field=field.name,
            remedy=f"It has to be {_allowed(wanted)}.{_for_example(wanted)}",
        ) from error


def _generous(value: Any, wanted: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """The value as it was meant, where only one meaning is possible."""
    if "enum" in wanted and isinstance(value, str):
        return next((one for one in wanted["enum"] if _spelling(one) == _spelling(value)), value)
    kind = wanted.get("type")
    if kind == "string" and isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if kind == "string" and isinstance(value, Sequence) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == "array" and isinstance(value, str):
        return _listed(value)
    return value


def _listed(text: str) -> list[Any]:
    """A list that was written as text: as JSON, with commas, or a single name."""
    if text.lstrip().startswith("["):
        try:
            made = json.loads(text)
        except ValueError:
            made = None
        if isinstance(made, list):
            return made
    return [part.strip() for part in text.split(",") if part.strip()]


def _spelling(text: Any) -> str:  # noqa: ANN401
    return str(text).strip().casefold().replace("-", "_").replace(" ", "_").replace("'", "")


def _allowed(wanted: Mapping[str, Any]) -> str:
    """What a value has to be, in words."""
    if "enum" in wanted:
        return f"one of {', '.join(map(str, wanted['enum']))}"
    match wanted.get("type"):
        case "integer" | "number" as kind:
            what = "a whole number" if kind == "integer" else "a number"
            low, high = wanted.get("minimum"), wanted.get("maximum")
            return f"{what} from {low} to {high}" if low is not None and high is not None else what
        case "array":
            most = wanted.get("maxItems")
            return "a list of texts" + (f" with at most {most} of them" if most is not None else "")
        case "boolean":
            return "true or false"
        case _:
            low, high = wanted.get("minLength", 0), wanted.get("maxLength")
            return "a text" + (f" of {low} to {high} characters" if high is not None else "")


def _for_example(wanted: Mapping[str, Any]) -> str:
    examples = wanted.get("examples") or wanted.get("enum")
    return f" For example: {json.dumps(examples[0], ensure_ascii=False)}" if examples else ""


def _example(tool: Tool) -> str:
    """A call that would have worked: every argument that is needed, or the first one."""
    wanted = properties_of(tool.arguments)
    needed = [field.name for field in msgspec.structs.fields(tool.arguments) if field.required] or list(wanted)[:1]
    shown = {name: (wanted[name].get("examples") or wanted[name].get("enum") or ["…"])[0] for name in needed}
    return json.dumps(shown, ensure_ascii=False)


def _shown(value: Any) -> str:  # noqa: ANN401
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= VALUE_CHARS_MAX else f"{text[: VALUE_CHARS_MAX - 1]}…"
