"""`hindcast incident list`: incidents at a glance, as somebody scans them at 2 AM or pipes them into grep.

One line each where there is room for it; on a narrower screen what it was stands below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.cells import cell_len, set_cell_size
from rich.text import Text

from hindcast.cli import casepage, deciding
from hindcast.cli.options import At, Limit
from hindcast.cli.render import clean
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed

if TYPE_CHECKING:
    from hindcast.casebook.summaries import Summary, Table, Wanted
    from hindcast.memory import View

ROWS_MAX = 200
DAYS = 30
# What is left for the title below which it stands on a line of its own.
TITLE_CHARS_MIN = 30
GAP = "  "
# From here on the month alone could be last year's.
THIS_YEAR = timedelta(days=330)

Name = TypeVar("Name", bound=StrEnum)

Days = Annotated[int | None, typer.Option("--days", min=1, help=f"How far back to look; {DAYS} if not said.")]
States = Annotated[
    list[str] | None,
    typer.Option("--state", metavar="STATE", help="Only those that are open, awaiting, resolved, dismissed or joined."),
]
Severities = Annotated[
    list[str] | None, typer.Option("--severity", metavar="HOW", help="Only those that are critical, major or minor.")
]
Service = Annotated[str, typer.Option("--service", metavar="NAME", help="Only those of one service.")]
Words = Annotated[
    str, typer.Option("--text", metavar="WORDS", help="Only those with every word in what is known about them.")
]


def install(app: typer.Typer) -> None:
    """Add it to `hindcast incident`."""
    verb(app, "list", epilog="Example: hindcast incident list --days 90 --state open --service payment")(list_incidents)


def list_incidents(
    session: Session,
    days: Days = None,
    state: States = None,
    severity: Severities = None,
    service: Service = "",
    text: Words = "",
    at: At = None,
    limit: Limit = ROWS_MAX,
) -> None:
    """List incidents and what is known about them, the newest first; with --at, as they were known then."""
    wanted = _wanted(session, days, state, severity, service, text, at)
    space = session.settings.space
    register = deciding.register(session)
    if at is None:
        table = register.summaries(space)
    else:
        from hindcast.casebook.summaries import table_in

        table = table_in(session.view(at))
    newest = list(islice(table.newest(wanted), limit + 1))
    shown = newest[:limit]
    if session.as_json:
        session.answer(_document(shown, session.view(at)) if shown else {"incidents": [], "cases": []})
        return
    if not shown:
        session.hint(_older(table, wanted, session.now()) or _nothing(days, at, wanted))
        return
    session.answer({}, *lines(shown, session.now(), session.out.width))
    if len(newest) > limit:
        session.hint(f"There are more: --limit {2 * limit} shows them.")
    elif older := _older(table, wanted, session.now()):
        session.hint(older)


def _older(table: Table, wanted: Wanted, now: datetime) -> str:
    """How many such incidents are older than the days that were asked for, and how to see them; empty: none."""
    if wanted.since is None:
        return ""
    every = list(table.newest(replace(wanted, since=None)))
    older = [one for one in every if one.onset_at < wanted.since]
    if not older:
        return ""
    days = (now - older[-1].onset_at).days + 1
    return f"{len(older)} older {'one' if len(older) == 1 else 'ones'}: --days {days}"


def _wanted(
    session: Session, days: int | None, state: list[str] | None, severity: list[str] | None, service: str, text: str,
    at: str | None,
) -> Wanted:  # fmt: skip
    from hindcast.casebook.summaries import Standing, Wanted
    from hindcast.model.signal import Severity

    if at is not None and days is not None:
        raise Malformed(
            "--days counts from now, and --at asks about another moment.",
            field="--days",
            remedy="Leave --days out: with --at, everything that was known then is listed.",
        )
    return Wanted(
        states=_named(Standing, state, "--state"),
        severities=_named(Severity, severity, "--severity"),
        service=service,
        since=session.now() - timedelta(days=days or DAYS) if at is None else None,
        text=text,
    )


def _named(kind: type[Name], given: list[str] | None, option: str) -> frozenset[Name]:
    known = {str(one): one for one in kind}
    words = [word.strip().casefold() for word in given or ()]
    for word in words:
        if word not in known:
            raise Malformed(f"{option} cannot be {word!r}.", field=option, remedy=f"Use one of: {', '.join(known)}.")
    return frozenset(known[word] for word in words)


def _document(shown: Sequence[Summary], view: View) -> dict[str, Any]:
    """What was detected and what is known, whole: only those that are listed are read."""
    from hindcast.casebook.layout import address_of, readable
    from hindcast.model.case import to_json as case_json
    from hindcast.model.ids import Address
    from hindcast.register import NAMESPACE

    seen = [view.find(Address(NAMESPACE, one.id)) for one in shown if one.detection_version]
    known = [readable(view.find(address_of(one.id))) for one in shown if one.case_version]
    return {
        "incidents": [record.body for record in seen if record is not None],
        "cases": [case_json(kept.case) for kept in known if kept is not None],
    }


def _nothing(days: int | None, at: str | None, wanted: Wanted) -> str:
    if wanted.states or wanted.severities or wanted.service or wanted.text:
        return f"No such incident. Ask for less{', or look further back with --days' if at is None else ''}."
    if at is not None:
        return "No incident was known at that moment."
    return f"No incident in the last {days or DAYS} days. `hindcast simulate --list` shows how to make one."


def lines(shown: Sequence[Summary], now: datetime, width: int) -> Iterator[Text]:
    """The list; nothing where there is nothing in it."""
    if not shown:
        return
    cells = [[Text(clean(one.id)), *_standing(one), Text(_began(one, now)), Text(_took(one, now))] for one in shown]
    known = [Text(_known(one), style="dim") for one in shown]
    heads = [Text(word) for word in ("incident", "state", "severity", "began", "took")]
    # What is known is the first thing to give way, and then the title goes below.
    if width - _width(_columns([heads, *cells])) - _width([max(one.cell_len for one in known)]) >= TITLE_CHARS_MIN:
        cells, known, heads = [[*row, one] for row, one in zip(cells, known, strict=True)], [], [*heads, Text("known")]
    columns = _columns([heads, *cells])
    left = width - _width(columns)
    is_beside = left >= TITLE_CHARS_MIN
    yield Text.assemble(_padded(heads, columns), "what" if is_beside else "", style="bold")
    for number, (one, row) in enumerate(zip(shown, cells, strict=True)):
        if is_beside:
            yield Text.assemble(_padded(row, columns), _cut(clean(one.title), left))
            continue
        told = f" ({known[number]})" if known and known[number] else ""
        yield _padded(row, columns)
        title = _cut(clean(one.title), max(width - len(GAP) - len(told), TITLE_CHARS_MIN))
        yield Text.assemble(GAP, title, (told, "dim"))


def _standing(one: Summary) -> tuple[Text, Text]:
    state, severity = str(one.state), str(one.severity or "")
    return (
        Text(state, style=casepage.STATES.get(state, "dim")),
        Text(severity, style=casepage.SEVERITIES.get(severity, "")),
    )


def _columns(rows: Sequence[Sequence[Text]]) -> list[int]:
    return [max(row[at].cell_len for row in rows) for at in range(len(rows[0]))]


def _width(columns: Sequence[int]) -> int:
    return sum(columns) + len(GAP) * len(columns)


def _padded(row: Sequence[Text], columns: Sequence[int]) -> Text:
    made = Text()
    for text, wide in zip(row, columns, strict=True):
        made.append_text(text).append(" " * (wide - text.cell_len) + GAP)
    return made


def _cut(text: str, cells_max: int) -> str:
    return text if cell_len(text) <= cells_max else f"{set_cell_size(text, cells_max - 1).rstrip()}…"


def _began(one: Summary, now: datetime) -> str:
    """As short as it can be said: this year's need no year, older ones no time of day."""
    began = one.onset_at.astimezone(UTC)
    return f"{began:%m-%d %H:%M}" if now - began < THIS_YEAR else f"{began:%Y-%m-%d}"


def _took(one: Summary, now: datetime) -> str:
    if one.minutes is not None:
        return casepage.duration(timedelta(minutes=one.minutes))
    return casepage.duration(now - one.onset_at) if str(one.state) == "open" else ""


def _known(one: Summary) -> str:
    words = [word for word, said in (("cause", one.cause), ("fix", one.fix)) if said]
    return ", ".join([*words, f"{one.attempts} tried"] if one.attempts else words)
