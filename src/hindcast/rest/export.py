"""Incidents as files: a table for spreadsheets (CSV) and a page for people (Markdown).

What is exported was written by strangers: logs, alerts, people in a hurry. A cell that a spreadsheet would take for a
formula is made plain text, and a page shows markup instead of obeying it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from hindcast.casebook import Kept
from hindcast.casebook.people import TEXT_CHARS_MAX
from hindcast.casebook.summaries import Summary
from hindcast.model.case import Attempt, Case
from hindcast.reason.markdown import plain as escaped

CSV = "text/csv"
MARKDOWN = "text/markdown"
# What a browser shows and never runs.
PLAIN = "text/plain"
# More than this belongs into an export of the memory itself.
ROWS_MAX = 100_000
COLUMNS = (
    "id", "title", "state", "severity", "services", "onset_at", "resolved_at", "minutes", "cause", "fix", "attempts",
    "who",
)  # fmt: skip
# How a cell begins that spreadsheets run as a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def cell(value: object) -> str:
    """A value as a cell that is text and nothing else."""
    text = _CONTROL.sub(" ", str(value)) if value is not None else ""
    return f"'{text}" if text.startswith(_FORMULA) else text


def table(summaries: Iterable[Summary]) -> str:
    """Incidents as CSV, with a line of names first."""
    made = io.StringIO()
    writer = csv.writer(made)
    writer.writerow(COLUMNS)
    for one in summaries:
        writer.writerow(map(cell, _cells(one)))
    return made.getvalue()


def listing(summaries: Iterable[Summary]) -> str:
    """Incidents as a table in Markdown."""
    lines = ["| incident | state | severity | began | what | cause | fix |", "|---|---|---|---|---|---|---|"]
    for one in summaries:
        cells = (one.id, one.state, one.severity or "", _time(one.onset_at), one.title, one.cause, one.fix)
        lines.append(f"| {' | '.join(plain(str(value)) for value in cells)} |")
    return "\n".join(lines) + "\n"


def page(summary: Summary, kept: Kept | None) -> str:
    """One incident as a page in Markdown."""
    facts = [
        f"- Incident: {plain(summary.id)}",
        f"- State: {summary.state}",
        *([f"- Severity: {summary.severity}"] if summary.severity else []),
        f"- Began: {_time(summary.onset_at)}",
        *([f"- Ended: {_time(summary.resolved_at)}"] if summary.resolved_at else []),
        *([f"- Took: {summary.minutes:.0f} minutes"] if summary.minutes is not None else []),
        *([f"- Services: {plain(', '.join(summary.services))}"] if summary.services else []),
        *([f"- Who: {plain(', '.join(summary.who))}"] if summary.who else []),
    ]
    if kept is not None and kept.case.acknowledged is not None:
        facts.append(f"- Owner: {plain(kept.case.acknowledged.by)}")
    told = list(_told(kept.case)) if kept is not None else []
    return "\n".join([f"# {plain(summary.title)}", "", *facts, *told]) + "\n"


def plain(text: str) -> str:
    """Text as Markdown shows it: no markup, no HTML, one line."""
    return escaped(text, TEXT_CHARS_MAX)


def _told(case: Case) -> Iterator[str]:
    if case.summary:
        yield from ("", plain(case.summary))
    yield from _section("Cause", [plain(case.cause.text)] if case.cause is not None else [])
    yield from _section("What ended it", [plain(case.resolution.text)] if case.resolution is not None else [])
    yield from _section("What was tried", [_attempt(one) for one in case.attempts], bullet="- ")
    yield from _section("What was seen", [plain(one) for one in case.symptoms], bullet="- ")
    yield from _section(
        "Notes",
        [f"{_time(note.at)} {plain(note.by) + ': ' if note.by else ''}{plain(note.text)}" for note in case.notes],
        bullet="- ",
    )
    yield from _section("Links", [plain(one) for one in case.links], bullet="- ")


def _section(title: str, lines: Sequence[str], *, bullet: str = "") -> Iterator[str]:
    if lines:
        yield from ("", f"## {title}", "", *(f"{bullet}{line}" for line in lines))


def _attempt(one: Attempt) -> str:
    who = f", {plain(one.by)}" if one.by else ""
    return f"{plain(one.id)} {plain(one.action)} ({one.outcome}{who})"


def _cells(one: Summary) -> tuple[object, ...]:
    return (
        one.id,
        one.title,
        one.state,
        one.severity,
        ", ".join(one.services),
        _time(one.onset_at),
        _time(one.resolved_at) if one.resolved_at is not None else None,
        f"{one.minutes:g}" if one.minutes is not None else None,
        one.cause,
        one.fix,
        one.attempts,
        ", ".join(one.who),
    )


def _time(time: datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")
