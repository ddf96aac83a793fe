"""Exports of incident tools, one file for each shape; every one gives cases and says which rows it could not read.

A shape recognises its rows by the fields that only it has. What nobody recognises is read by well-known names of
columns. One bad row never costs the others.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from hindcast.learn.shapes import generic, incident_io, jira, own, pagerduty
from hindcast.learn.shapes.row import Row
from hindcast.model.case import Case
from hindcast.model.errors import HindcastError, Malformed
from hindcast.ports import Progress

ROWS_MAX = 1_000_000
REASON_CHARS_MAX = 300

Read = Callable[[Row, datetime], Case]
Recognise = Callable[[Mapping[str, object]], bool]


@dataclass(frozen=True, slots=True)
class Shape:
    """One tool's export: its name, how its rows are known, and how one becomes a case."""

    name: str
    recognise: Recognise
    read: Read


# The surest first; `generic` takes what is left.
SHAPES: tuple[Shape, ...] = (
    Shape("hindcast", own.recognise, own.read),
    Shape("pagerduty", pagerduty.recognise, pagerduty.read),
    Shape("jira", jira.recognise, jira.read),
    Shape("incident.io", incident_io.recognise, incident_io.read),
    Shape("generic", generic.recognise, generic.read),
)
NAMES = tuple(shape.name for shape in SHAPES)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that could not be read: where it stands, and why."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Export:
    """What an export gave."""

    cases: tuple[Case, ...]
    rejected: tuple[Rejected, ...]
    # The shape that most of it had; empty: nothing was read.
    shape: str


def cases_of(
    text: str, *, name: str, fallback_at: datetime, shape: str = "auto", progress: Progress | None = None
) -> Export:
    """The cases of a JSON, JSONL or CSV export. `name` is the file's; its ending says which of them it is.

    Raises Malformed when the file as a whole cannot be read.
    """
    wanted = _shape(shape)
    cases: dict[str, Case] = {}
    rejected: list[Rejected] = []
    counts: dict[str, int] = {}
    rows = list(rows_of(text, name))
    for number, (place, row) in enumerate(rows):
        if progress is not None:
            progress(number + 1, len(rows), "rows")
        if number >= ROWS_MAX:
            rejected.append(Rejected(place, f"More than {ROWS_MAX} rows: split the file."))
            break
        try:
            if isinstance(row, str):
                raise Malformed(row, field=place, remedy="Correct it, or leave it out.")
            chosen = wanted or recognised(row)
            case = chosen.read(Row(row, place=place), fallback_at)
        except HindcastError as error:
            rejected.append(Rejected(place, str(error)[:REASON_CHARS_MAX]))
            continue
        counts[chosen.name] = counts.get(chosen.name, 0) + 1
        if case.id in cases:
            rejected.append(Rejected(place, f"{case.id} stands in the file twice; the first one counts."))
            continue
        cases[case.id] = case
    most = max(counts, key=lambda one: counts[one]) if counts else ""
    return Export(tuple(cases.values()), tuple(rejected), most)


def recognised(row: Mapping[str, object]) -> Shape:
    """The shape that a row has. Raises Malformed when it has none."""
    for shape in SHAPES:
        if shape.recognise(row):
            return shape
    raise Malformed(
        f"Nothing here looks like an incident: {', '.join(list(row)[:8]) or 'no fields'}.",
        field="row",
        remedy="An incident has at least a title (or summary, name, subject) in a field of its own.",
    )


def rows_of(text: str, name: str) -> Iterator[tuple[str, Mapping[str, object] | str]]:
    """The rows of a file, each with its place; a row that cannot be read is a text that says why."""
    text = text.removeprefix("\ufeff")
    if name.lower().endswith((".csv", ".tsv")):
        yield from _csv_rows(text, "\t" if name.lower().endswith(".tsv") else None)
        return
    try:
        whole = msgspec.json.decode(text.encode())
    except msgspec.DecodeError:
        yield from _json_lines(text)
        return
    yield from _json_rows(whole)


def _shape(name: str) -> Shape | None:
    if name == "auto":
        return None
    found = next((shape for shape in SHAPES if shape.name == name), None)
    if found is None:
        raise Malformed(f"There is no shape {name!r}.", field="shape", remedy=f"Use auto, {', '.join(NAMES)}.")
    return found


def _json_rows(whole: object) -> Iterator[tuple[str, Mapping[str, object] | str]]:
    """The rows of one JSON document: a list, an envelope around a list, or a single incident."""
    if isinstance(whole, dict):
        for key in ("incidents", "issues", "cases", "data", "items", "results", "records", "values"):
            inside = whole.get(key)
            if isinstance(inside, list) and not _is_incident(whole):
                yield from _listed(inside, key)
                return
        yield "item 1", whole
    elif isinstance(whole, list):
        yield from _listed(whole, "item")
    else:
        raise Malformed(
            "This JSON holds no incidents.",
            field="file",
            remedy="Give a list of incidents, or an object that holds one.",
        )


def _is_incident(whole: Mapping[str, object]) -> bool:
    """Whether an object is an incident itself although it holds a list: a title makes it one."""
    return any(isinstance(whole.get(key), str) for key in ("title", "summary", "name", "key", "incident_number"))


def _listed(items: Sequence[object], name: str) -> Iterator[tuple[str, Mapping[str, object] | str]]:
    for number, item in enumerate(items, 1):
        place = f"{name} {number}"
        yield place, item if isinstance(item, dict) else "This is no object."


def _json_lines(text: str) -> Iterator[tuple[str, Mapping[str, object] | str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            row = msgspec.json.decode(line.encode(errors="replace"))
        except msgspec.DecodeError as error:
            yield place, f"This line is no JSON: {error}."
            continue
        yield place, row if isinstance(row, dict) else "This line holds no object."


def _csv_rows(text: str, separator: str | None) -> Iterator[tuple[str, Mapping[str, object] | str]]:
    if separator is None:
        first = text.split("\n", 1)[0]
        separator = max(",;\t", key=first.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    try:
        heads = [head.strip() for head in next(reader)]
        for cells in reader:
            place = f"line {reader.line_num}"
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(heads):
                yield place, f"This row has {len(cells)} cells, and there are {len(heads)} columns."
                continue
            yield place, _row(heads, cells)
    except StopIteration:
        return
    except csv.Error as error:
        yield f"line {reader.line_num}", f"This is no CSV from here on: {error}."


def _row(heads: Sequence[str], cells: Sequence[str]) -> Mapping[str, object]:
    """One row by its columns. Jira writes a column again for every comment, so a repeated name gathers a list."""
    row: dict[str, object] = {}
    for head, cell in zip(heads, cells, strict=False):
        known = row.get(head)
        if known is None or known == "":
            row[head] = cell
        elif cell:
            row[head] = [*known, cell] if isinstance(known, list) else [known, cell]
    return row
