"""Reads what people type: JSON bodies, times, filters, choices. What cannot be read says how it should be written."""

from __future__ import annotations

import inspect
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from hindcast.cli import complete
from hindcast.model.answer import Choice, Instead, Policy
from hindcast.model.errors import Malformed, Missing
from hindcast.model.ids import Address, is_commit_prefix
from hindcast.model.query import Filter
from hindcast.model.record import Change, Json, State

# What is quoted back at somebody stays readable.
QUOTED_CHARS_MAX = 60
_CHANGE_FIELDS = frozenset({"address", "body", "kind", "text", "occurred_at", "retract"})

_PANEL = "Filters"


def _option(name: str, *flags: str, metavar: str, help: str) -> inspect.Parameter:  # noqa: A002
    offers = complete.namespaces if name == "namespace" else None
    option = typer.Option(*flags, metavar=metavar, help=help, rich_help_panel=_PANEL, autocompletion=offers)
    annotation = Annotated[str | None, option]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


FILTER_OPTIONS: tuple[inspect.Parameter, ...] = (
    _option("namespace", "--namespace", "-n", metavar="NAME", help="Only this namespace."),
    _option("prefix", "--prefix", metavar="PATH", help="Only this path and what is below it."),
    _option("kind", "--kind", metavar="KIND", help="Only records of this kind."),
    _option("actor", "--actor", metavar="NAME", help="Only what this actor remembered."),
    _option("since", "--since", metavar="TIME", help="Learned at or after this time."),
    _option("until", "--until", metavar="TIME", help="Learned before this time."),
    _option("happened_since", "--happened-since", metavar="TIME", help="Happened at or after this time."),
    _option("happened_until", "--happened-until", metavar="TIME", help="Happened before this time."),
)


def read_filter(now: datetime, **asked: str | None) -> Filter:
    """Which records count, from the options that say so."""
    return Filter(
        namespace=asked.get("namespace"),
        prefix=asked.get("prefix"),
        kind=asked.get("kind"),
        actor=asked.get("actor"),
        learned_since=read_when(asked.get("since"), now, field="--since"),
        learned_until=read_when(asked.get("until"), now, field="--until"),
        occurred_since=read_when(asked.get("happened_since"), now, field="--happened-since"),
        occurred_until=read_when(asked.get("happened_until"), now, field="--happened-until"),
    )


def within(wanted: Filter, where: str | None) -> Filter:
    """The same filter inside a namespace, or at and below namespace/path."""
    if where is None:
        return wanted
    namespace, _, path = where.partition("/")
    if wanted.namespace not in (None, namespace) or (path and wanted.prefix is not None):
        raise Malformed(
            f"{where!r} and the options name two places.", field="where", remedy="Say only once where to look."
        )
    return replace(wanted, namespace=namespace, prefix=path.partition("#")[0] or wanted.prefix)


def read_when(text: str | None, now: datetime, *, field: str) -> datetime | None:
    """A time as people write it."""
    if text is None:
        return None
    from hindcast.memory.moments import read_time

    found = read_time(text, now)
    if found is None:
        raise Malformed(
            f"{text[:QUOTED_CHARS_MAX]!r} is not a time.",
            field=field,
            remedy="Write 2026-03-03T10:00Z, 2026-03-03, yesterday or '2 days ago' (UTC unless it says otherwise).",
        )
    return found


def read_text(argument: str | None, file: Path | None) -> tuple[str, str]:
    """The text that was meant, and what to call it: the argument, stdin for `-`, or a file."""
    if (argument is None) == (file is None):
        raise Malformed(
            "Nothing was given to remember." if file is None else "A body was given twice.",
            field="body",
            remedy="Give the body as an argument, as - for stdin, or with --file.",
        )
    if file is None and argument != "-":
        return argument or "", "The body"
    try:
        source = sys.stdin.buffer.read() if file is None else file.read_bytes()
        return source.decode("utf-8"), str(file) if file is not None else "What stdin gave"
    except FileNotFoundError as error:
        raise Missing(f"There is no file {file}.", field="--file", remedy="Correct its path.") from error
    except UnicodeDecodeError as error:
        raise Malformed(f"Byte {error.start} is not UTF-8.", field="body", remedy="Save it as UTF-8.") from error
    except OSError as error:
        raise Malformed(
            f"{file} cannot be read: {error.strerror}.", field="--file", remedy="Name another one."
        ) from error


def read_json(text: str, *, source: str = "The body", field: str = "body") -> Json:
    """A JSON value. What is wrong with it is named by line and column, together with how to quote it."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)  # type: ignore[no-any-return]
    except json.JSONDecodeError as error:
        raise Malformed(
            f"{source} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.",
            field=field,
            remedy=_how_to_quote(text),
        ) from error
    except RecursionError as error:
        raise Malformed(f"{source} is nested too deeply.", field=field, remedy="Keep it flatter.") from error
    except ValueError as error:
        raise Malformed(f"{source} is not JSON: {error}.", field=field, remedy="Correct it.") from error


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has {twice[:QUOTED_CHARS_MAX]!r} twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _how_to_quote(text: str) -> str:
    bare = text.strip()
    if bare and bare[0] not in '{["' and "\n" not in bare and len(bare) <= QUOTED_CHARS_MAX:
        return f"To remember it as text, write {shlex.quote(json.dumps(bare, ensure_ascii=False))}."
    return """Single quotes keep the shell away from it: '{"theme": "dark"}'. Long ones fit better into --file."""


def read_changes(text: str, *, source: str, now: datetime) -> tuple[Change, ...]:
    """Changes as JSON lines, one for each address."""
    found: list[Change] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            found.append(_change(read_json(line, source=f"{source}, line {number},"), number, now))
    return tuple(found)


def _change(line: Json, number: int, now: datetime) -> Change:
    remedy = 'Write lines such as {"address": "payments/pool.size", "body": 40}, or with "retract": true.'
    if not isinstance(line, Mapping) or not isinstance(line.get("address"), str):
        raise Malformed(f"Line {number} names no address.", field="address", remedy=remedy)
    unknown = sorted(set(line) - _CHANGE_FIELDS)
    if unknown or ("body" in line) == (line.get("retract") is True):
        what = f"has an unknown field {unknown[0]!r}" if unknown else 'needs a body or "retract": true'
        raise Malformed(f"Line {number} {what}.", field="changes", remedy=remedy)
    for name in ("kind", "text", "occurred_at"):
        if not isinstance(line.get(name), str | None):
            raise Malformed(f"Line {number}: {name} is not text.", field=name, remedy=remedy)
    return change(
        str(line["address"]),
        line.get("body"),
        kind=_text(line.get("kind")),
        text=_text(line.get("text")),
        occurred=read_when(_text(line.get("occurred_at")), now, field=f"line {number}, occurred_at"),
        state=State.RETRACTED if line.get("retract") is True else State.LIVE,
    )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def change(
    address: Address | str,
    body: Json,
    *,
    kind: str | None = None,
    text: str | None = None,
    occurred: datetime | None = None,
    state: State = State.LIVE,
) -> Change:
    """One change, with the usual kind unless another one is named."""
    where = address if isinstance(address, Address) else Address.parse(address)
    made = Change(where, body, text=text, occurred_at=occurred, state=state)
    return made if kind is None else Change(where, body, kind, text, occurred, state)


def read_choices(texts: Sequence[str]) -> dict[str, Choice]:
    """How each conflict is to be settled, from ADDRESS=ours, ADDRESS=theirs, ADDRESS=newest or ADDRESS=JSON."""
    return dict(_choice(text) for text in texts)


def _choice(text: str) -> tuple[str, Choice]:
    address, _, word = text.rpartition("=")
    if address and word in (Policy.OURS, Policy.THEIRS, Policy.NEWEST):
        return str(Address.parse(address)), Policy(word)
    address, equals, body = text.partition("=")
    if not equals:
        raise Malformed(
            f"{text[:QUOTED_CHARS_MAX]!r} chooses nothing.",
            field="--choose",
            remedy="""Write ADDRESS=ours, ADDRESS=theirs, ADDRESS=newest or 'ADDRESS={"field": "value"}'.""",
        )
    return str(Address.parse(address)), Instead(
        read_json(body, source=f"The body chosen for {address}", field="--choose")
    )


def commit_id(text: str | None, resolve: Any) -> str | None:  # noqa: ANN401
    """The whole id of a commit that was named by its beginning."""
    if text is None:
        return None
    if not is_commit_prefix(text):
        raise Malformed(
            f"{text[:QUOTED_CHARS_MAX]!r} is not a commit id.",
            field="commit",
            remedy="Take one from `hindcast memory log`.",
        )
    return str(resolve(text).moment.name)
