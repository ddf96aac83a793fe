"""`hindcast import`: postmortems, exports of incident tools and runbooks become memory, and again without harm."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from hindcast.cli.plain import Plain
from hindcast.cli.session import Session, verb
from hindcast.model.errors import HindcastError, Malformed, Missing

if TYPE_CHECKING:
    from hindcast.casebook import Written
    from hindcast.ingest.redact import Redactor
    from hindcast.learn.review import Review
    from hindcast.model.case import Case
    from hindcast.model.record import Change, Json
    from hindcast.ports import Progress

PAGES = (".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc")
TABLES = (".json", ".jsonl", ".ndjson", ".csv", ".tsv")
FILE_BYTES_MAX = 200_000_000
PAGE_BYTES_MAX = 5_000_000
FILES_MAX = 100_000
# More than this is not read on a screen; --json has them all.
SHOWN_MAX = 15
EPILOG = """[dim]# Everything a team has written down, and again next week[/dim]
hindcast import postmortems/ pagerduty.json
hindcast import jira.csv --dry-run
hindcast import runbooks/ --as runbook"""


class Shape(StrEnum):
    """What a file holds."""

    AUTO = "auto"
    MARKDOWN = "markdown"
    PAGERDUTY = "pagerduty"
    JIRA = "jira"
    INCIDENT_IO = "incident.io"
    GENERIC = "generic"
    HINDCAST = "hindcast"


class Kind(StrEnum):
    """What it becomes."""

    CASE = "case"
    RUNBOOK = "runbook"


@dataclass(slots=True)
class Reading:
    """What the files gave so far."""

    cases: dict[str, Case] = field(default_factory=dict)
    runbooks: dict[str, dict[str, Json]] = field(default_factory=dict)
    rejected: list[tuple[str, str]] = field(default_factory=list)
    redacted: dict[str, int] = field(default_factory=dict)
    # By case: a cause that is too unsure to be stated.
    suggestions: dict[str, str] = field(default_factory=dict)
    files: int = 0


def install(app: typer.Typer, panel: str | None = None) -> None:
    """Put the command into an app."""
    verb(app, "import", panel=panel, writes=True, epilog=EPILOG)(import_files)


def import_files(
    session: Session,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files, and folders of them.")],
    shape: Annotated[
        Shape, typer.Option("--shape", help="What the files hold; each row tells, if not said.")
    ] = Shape.AUTO,
    kind: Annotated[Kind, typer.Option("--as", help="What they become.")] = Kind.CASE,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be remembered; write nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Accept what was read surely; leave the rest open.")] = False,
    no_review: Annotated[bool, typer.Option("--no-review", help="Show no review and ask nothing.")] = False,
) -> None:
    """Remember postmortems (Markdown or plain text), exports (JSON, JSONL, CSV) and runbooks.

    What was tried and what came of it is read out of the prose, with the sentence as evidence. Secrets are taken out
    first. Importing again takes what the source says now and keeps what people said since; the same again is no change.
    It ends in a review: each record with the sentences it was read from, to accept or correct in one line.
    """
    from hindcast.build.running import redactor
    from hindcast.cli.import_review import accept, walk
    from hindcast.learn.review import review_of

    files = _files(paths)
    reading = Reading()
    clean = redactor(session.settings)
    with session.progress("reading") as bar:
        for number, (path, name) in enumerate(files):
            _read(path, name, shape, kind, clean, reading, bar if len(files) == 1 else None)
            if bar is not None and len(files) > 1:
                bar(number + 1, len(files), "files")
    if not reading.cases and not reading.runbooks:
        raise Malformed(
            f"Nothing could be read: {_first(reading)}",
            field="path",
            remedy="Give Markdown, text, JSON, JSONL or CSV; --shape says what a file holds.",
        )
    if kind is Kind.RUNBOOK:
        written = _keep_runbooks(session, reading, dry_run=dry_run)
    else:
        written = _keep_cases(session, list(reading.cases.values()), dry_run=dry_run)
    touched = {*written.new, *written.changed}
    records = [case for case in reading.cases.values() if case.id in touched]
    reviews = [review_of(case, suggestion=reading.suggestions.get(case.id, "")) for case in records]
    _tell(session, reading, written, kind, [] if no_review else reviews, dry_run=dry_run)
    if no_review or dry_run or not reviews:
        return
    if yes:
        accept(session, reviews)
    elif not session.as_json and sys.stdin.isatty():
        walk(session, reviews)


def _files(paths: Sequence[Path]) -> list[tuple[Path, str]]:
    """Every file that is meant, with the name that makes its id: its place below the folder that was named."""
    found: dict[Path, str] = {}
    for path in paths:
        if path.is_file():
            found.setdefault(path.resolve(), path.name)
        elif path.is_dir():
            inside = (one for one in sorted(path.rglob("*")) if one.suffix.lower() in PAGES + TABLES and one.is_file())
            for one in inside:
                below = one.relative_to(path)
                if not any(part.startswith(".") for part in below.parts):
                    found.setdefault(one.resolve(), below.as_posix())
        else:
            raise Missing(f"{path} is not there.", field="path", remedy="Name a file or a folder.")
    if not found:
        raise Missing(
            f"{', '.join(map(str, paths))} holds no file of a known kind.",
            field="path",
            remedy=f"Known are {' '.join((*PAGES, *TABLES))}.",
        )
    if len(found) > FILES_MAX:
        raise Malformed(f"{len(found)} files are too many.", field="path", remedy=f"Import {FILES_MAX} at a time.")
    return list(found.items())


def _read(
    path: Path, name: str, shape: Shape, kind: Kind, clean: Redactor, reading: Reading, bar: Progress | None
) -> None:
    """Read one file; whatever is wrong with it is kept as a reason, and the next one is read."""
    reading.files += 1
    is_page = shape is Shape.MARKDOWN or (shape is Shape.AUTO and path.suffix.lower() not in TABLES)
    try:
        text = _text(path, PAGE_BYTES_MAX if is_page or kind is Kind.RUNBOOK else FILE_BYTES_MAX)
        changed_at = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
        if kind is Kind.RUNBOOK:
            _read_runbook(text, name, clean, reading)
            return
        for place, case in _cases(text, name, shape, changed_at, reading, bar, clean, is_page=is_page):
            _take(place, _ready(case, clean, reading), reading)
    except HindcastError as error:
        reading.rejected.append((name, str(error)))
    except OSError as error:
        reading.rejected.append((name, f"It cannot be read: {error.strerror or error}."))


def _text(path: Path, bytes_max: int) -> str:
    size = path.stat().st_size
    if size > bytes_max:
        raise Malformed(f"It has {size:,} bytes.", field="file", remedy=f"Split it: up to {bytes_max:,} are read.")
    content = path.read_bytes()
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    if b"\0" in content[:8_000]:
        raise Malformed("This is no text.", field="file", remedy="Export it as Markdown, text, JSON or CSV.")
    return content.decode("utf-8-sig", errors="replace")


def _cases(
    text: str,
    name: str,
    shape: Shape,
    changed_at: datetime,
    reading: Reading,
    bar: Progress | None,
    clean: Redactor,
    *,
    is_page: bool,
) -> Iterator[tuple[str, Case]]:
    from hindcast.learn.postmortem import read_postmortem
    from hindcast.learn.shapes import cases_of

    if is_page:
        read = read_postmortem(text, name=name, fallback_at=changed_at)
        if read.suggestion is not None:
            reading.suggestions[read.case.id] = clean.text(read.suggestion.text).text
        yield name, read.case
        return
    export = cases_of(text, name=name, fallback_at=changed_at, shape=shape.value, progress=bar)
    reading.rejected += [(f"{name}, {one.place}", one.reason) for one in export.rejected]
    yield from ((name, case) for case in export.cases)


def _take(place: str, case: Case, reading: Reading) -> None:
    if case.id in reading.cases:
        reading.rejected.append((place, f"{case.id} comes from two files; the first one counts."))
        return
    reading.cases[case.id] = case


def _ready(case: Case, clean: Redactor, reading: Reading) -> Case:
    """The case without secrets, with what identifies its failure."""
    from hindcast.clues import with_clues
    from hindcast.model.case import from_json, to_json

    made = with_clues(from_json(_without_secrets(to_json(case), clean, reading)))
    return replace(made, components=made.components or made.clues.components)


def _without_secrets(value: Any, clean: Redactor, reading: Reading) -> Any:  # noqa: ANN401
    """Plain values with every text redacted; ids stay, so that the same source gives the same case."""
    done, counts = clean.document(value, keep=_KEPT)
    for what, count in counts.items():
        reading.redacted[what] = reading.redacted.get(what, 0) + count
    return done


# Ids, times and words of our own.
_KEPT = frozenset({"id", "at", "occurred_at", "resolved_at", "state", "outcome", "witness", "severity", "source"})


def _read_runbook(text: str, name: str, clean: Redactor, reading: Reading) -> None:
    from hindcast.learn.runbook import runbook_of
    from hindcast.recall.reading import components

    body = _without_secrets(runbook_of(text, name=name), clean, reading)
    named = f"{body['title']}\n{body['text']}"
    found: list[Json] = [*components(named)]
    reading.runbooks.setdefault(body["id"], {**body, "components": found, "services": []})


def _keep_cases(session: Session, cases: Sequence[Case], *, dry_run: bool) -> Written:
    from hindcast.casebook import Casebook, Written
    from hindcast.learn.merge import settled

    if dry_run:
        known = _known(session, [case.id for case in cases])
        new = [case.id for case in cases if known.get(case.id) is None]
        same = [case.id for case in cases if (old := known.get(case.id)) is not None and settled(old, case) == old]
        return Written(tuple(new), tuple(case.id for case in cases if case.id not in {*new, *same}), tuple(same))
    memory = session.memory(create=True)
    told = f"Imported {len(cases)} case{'' if len(cases) == 1 else 's'}."
    written = Casebook(memory).put_many(cases, actor=session.who, why=told, settle=settled)
    if written.has_changes:
        _index(session)
    return written


def _known(session: Session, ids: Iterable[str]) -> dict[str, Case | None]:
    """What memory holds already; a memory that does not exist yet holds nothing."""
    from hindcast.casebook import Casebook

    try:
        casebook = Casebook(session.memory())
    except Missing:
        return {}
    return {one: casebook.find(one) for one in ids}


def _keep_runbooks(session: Session, reading: Reading, *, dry_run: bool) -> Written:
    from hindcast.casebook import Written
    from hindcast.casebook.writing import write
    from hindcast.memory import View
    from hindcast.model.ids import Address
    from hindcast.model.record import Change
    from hindcast.recollect import RUNBOOK, RUNBOOKS

    sorted_out: dict[str, list[str]] = {}

    def plan(view: View) -> list[Change]:
        sorted_out.update(new=[], changed=[], unchanged=[])
        changes = []
        for name, body in reading.runbooks.items():
            record = view.find(Address(RUNBOOKS, name))
            if record is not None and record.body == body:
                sorted_out["unchanged"].append(name)
                continue
            sorted_out["new" if record is None else "changed"].append(name)
            changes.append(Change(Address(RUNBOOKS, name), body, RUNBOOK))
        return changes

    if dry_run:
        try:
            plan(session.memory().now())
        except Missing:
            sorted_out.update(new=list(reading.runbooks), changed=[], unchanged=[])
    else:
        write(session.memory(create=True), plan, actor=session.who, why=f"Imported {len(reading.runbooks)} runbooks.")
        if sorted_out["new"] or sorted_out["changed"]:
            _index(session)
    return Written(**{name: tuple(ids) for name, ids in sorted_out.items()})


def _index(session: Session) -> None:
    """Make what is new searchable by its meaning; by its words it is already."""
    with session.progress("indexing") as bar:
        session.memory().index(bar)


def _tell(
    session: Session,
    reading: Reading,
    written: Written,
    kind: Kind,
    reviews: Sequence[Review],
    *,
    dry_run: bool,
) -> None:
    from hindcast.cli.import_review import document_of

    document: Plain = {
        "kind": kind.value,
        "files": reading.files,
        "dry_run": dry_run,
        "new": list(written.new),
        "changed": list(written.changed),
        "unchanged": list(written.unchanged),
        "rejected": [{"place": place, "reason": reason} for place, reason in reading.rejected],
        "redacted": reading.redacted,
        "review": [document_of(one) for one in reviews],
    }
    session.answer(document, *_shown(reading, written, reviews, dry_run=dry_run))
    if dry_run:
        session.hint("Nothing was written. Leave --dry-run out to remember it.")
    elif written.has_changes and kind is Kind.CASE:
        session.hint(f"See one: hindcast incident show {(*written.new, *written.changed)[0]}")


def _shown(reading: Reading, written: Written, reviews: Sequence[Review], *, dry_run: bool) -> list[RenderableType]:
    from hindcast.cli.import_review import shown

    counts = f"{len(written.new)} new, {len(written.changed)} changed, {len(written.unchanged)} unchanged"
    would = "would be " if dry_run and written.has_changes else ""
    lines = [Text(f"{would}{counts}, {len(reading.rejected)} rejected, from {_files_said(reading.files)}")]
    if reading.redacted:
        kinds = ", ".join(f"{count} {what}" for what, count in sorted(reading.redacted.items()))
        lines.append(Text(f"Taken out before storing: {kinds}"))
    if reading.rejected:
        lines.append(Text("Not read:", style="bold"))
        lines += [Text(f"  {place}: {reason}") for place, reason in reading.rejected[:SHOWN_MAX]]
        lines += _more(len(reading.rejected))
    walks = sys.stdin.isatty() and not dry_run
    for one in [] if walks else reviews[:SHOWN_MAX]:
        lines += shown(one)
    lines += [] if walks else _more(len(reviews))
    return list(lines)


def _more(count: int) -> list[Text]:
    return [Text(f"  … and {count - SHOWN_MAX} more; --json shows all.")] if count > SHOWN_MAX else []


def _files_said(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _first(reading: Reading) -> str:
    if not reading.rejected:
        return "no incident is in there."
    place, reason = reading.rejected[0]
    more = f" (and {len(reading.rejected) - 1} more)" if len(reading.rejected) > 1 else ""
    return f"{place}: {reason}{more}"
