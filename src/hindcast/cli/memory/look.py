"""Look: commands that read what a moment shows."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from hindcast.cli import complete, given, plain, render
from hindcast.cli.options import Address as AddressArgument
from hindcast.cli.options import At, Full, Limit, OnBranch, Words
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Missing
from hindcast.model.ids import Address
from hindcast.model.query import Filter, Found, Hit, Query
from hindcast.model.record import MAIN, State

RECORDS_PER_PAGE = 50


def install(app: typer.Typer, panel: str) -> None:
    """Put these commands into an app."""
    verb(app, "get", panel=panel)(get)
    verb(app, "list", panel=panel)(list_records)
    verb(app, "entries", panel=panel)(entries)
    verb(app, "search", panel=panel)(search)
    verb(app, "where", panel=panel)(where)
    verb(app, "namespaces", panel=panel)(namespaces)


def get(
    session: Session,
    address: AddressArgument,
    at: At = None,
    branch: OnBranch = MAIN,
    only_body: Annotated[bool, typer.Option("--body", help="Print the body and nothing else, as whole JSON.")] = False,
    full: Full = False,
) -> None:
    """Show the record at an address."""
    view = session.view(at, branch)
    found = view.find(address)
    if found is None:
        _say_of_entries(session, address, at, branch)
        found = view.get(address)
    if only_body:
        typer.echo(plain.written_value(found.body))
        return
    shown, is_cut = render.record(found, session.now(), full=full)
    session.answer({"record": plain.record(found), "moment": plain.moment(view.moment)}, shown)
    if is_cut:
        session.hint("Cut to fit. All of it: --full, or --body for the JSON alone.")


def _say_of_entries(session: Session, address: str, at: str | None, branch: str) -> None:
    """A path without a record of its own may have entries, which is worth saying."""
    where = Address.parse(address)
    if where.entry:
        return
    found = session.view(at, branch).entries(where.namespace, where.path)
    if found:
        raise Missing(
            f"{where} has no record of its own, but {render.plural(len(found), 'entry')}.",
            field="address",
            remedy=f"See them: hindcast memory entries {where}",
        )


def list_records(
    session: Session,
    wanted: Filter,
    place: Annotated[
        str | None,
        typer.Argument(
            metavar="WHERE",
            help="A namespace, or namespace/path for what is at and below a path.",
            autocompletion=complete.namespaces,
            show_default=False,
        ),
    ] = None,
    at: At = None,
    branch: OnBranch = MAIN,
    limit: Limit = RECORDS_PER_PAGE,
    after: Annotated[
        str | None, typer.Option("--after", metavar="ADDRESS", help="Continue behind this address.")
    ] = None,
    archived: Annotated[bool, typer.Option("--archived", help="What was archived, instead of what is live.")] = False,
    tree: Annotated[bool, typer.Option("--tree", help="Draw the paths as a tree.")] = False,
    full: Full = False,
) -> None:
    """List records in the order of their addresses."""
    states = (State.ARCHIVED,) if archived else (State.LIVE,)
    view = session.view(at, branch)
    page = view.list(given.within(wanted, place), after=after, records_max=limit, states=states)
    shown: RenderableType
    if not page.records:
        shown = Text("Nothing is here.")
    elif tree:
        shown = render.tree(page.records, session.settings.space)
    else:
        shown = render.records(page.records, session.now(), wide=session.is_wide, full=full)
    session.answer(
        {"records": plain.records(page.records), "next": page.next, "moment": plain.moment(view.moment)}, shown
    )
    if not page.records:
        session.hint("What there is: hindcast memory namespaces. Something new: hindcast memory put ADDRESS BODY.")
    if page.next is not None:
        session.hint(f"There are more: --after {page.next}, or a larger --limit.")


def entries(
    session: Session, address: AddressArgument, at: At = None, branch: OnBranch = MAIN, full: Full = False
) -> None:
    """List all entries under one path."""
    where = Address.parse(address)
    view = session.view(at, branch)
    found = view.entries(where.namespace, where.path)
    session.answer(
        {"records": plain.records(found), "moment": plain.moment(view.moment)},
        render.records(found, session.now(), wide=session.is_wide, full=full)
        if found
        else Text(f"There is nothing under {where}."),
    )
    if not found:
        session.hint(f"Add something: hindcast memory add {where} BODY --why REASON.")


def search(
    session: Session,
    words: Words,
    wanted: Filter,
    at: At = None,
    branch: OnBranch = MAIN,
    limit: Limit = 10,
    arm: Annotated[
        list[str] | None, typer.Option("--arm", metavar="ARM", help="Only words, or only meaning; both if not said.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each arm thought of each hit.")] = False,
    full: Full = False,
) -> None:
    """Find what answers a question, by its words and by its meaning, at any moment."""
    view = session.view(at, branch)
    found = view.search(Query(" ".join(words), wanted, limit, tuple(arm) if arm else None))
    parts: list[RenderableType] = [
        _hit(number, hit, session, explain=explain, full=full) for number, hit in enumerate(found.hits, 1)
    ]
    document = {**plain.found(found), "moment": plain.moment(view.moment)}
    session.answer(
        document, *(parts or [Text("Nothing like it was known at that moment." if at else "Nothing like it is known.")])
    )
    _notes(session, found)


def _hit(number: int, hit: Hit, session: Session, *, explain: bool, full: bool) -> Group:
    learned = render.brief_time(hit.record.learned_at, session.now())
    when = Text(f"   {hit.record.kind}, {hit.record.actor}, {learned}", "dim")
    lines: list[RenderableType] = [
        Text.assemble((f"{number:>2}  ", "bold"), render.address(hit.record), when),
        _body_line(hit, full=full),
    ]
    if explain:
        ranks = ", ".join(f"{arm}: place {rank.place} ({rank.score:.3f})" for arm, rank in hit.ranks.items())
        matched = f"; has {', '.join(hit.matched)}" if hit.matched else ""
        lines.append(Text(f"    score {hit.score:.4f} = {ranks}{matched}", style="dim"))
    return Group(*lines)


def _body_line(hit: Hit, *, full: bool) -> Text:
    shown = Text.assemble("    ", render.content(hit.record, full=full))
    shown.no_wrap, shown.overflow = not full, "fold" if full else "ellipsis"
    return shown


def _notes(session: Session, found: Found) -> None:
    for note in found.notes:
        session.hint(note)
    if found.unembedded:
        session.hint(
            f"{render.plural(found.unembedded, 'record')} can be found only by words until `hindcast memory index` ran."
        )
    if not found.hits:
        session.hint("Try fewer or other words, or an earlier moment with --at.")


def where(
    session: Session,
    words: Words,
    wanted: Filter,
    at: At = None,
    branch: OnBranch = MAIN,
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, metavar="N", help="At most so many namespaces.")] = 20,
    matches: Annotated[int, typer.Option("--matches", min=1, metavar="N", help="Matches shown for each.")] = 1,
) -> None:
    """Which namespaces held something like this, at that moment?"""
    view = session.view(at, branch)
    found = view.presence(Query(" ".join(words), wanted, matches), namespaces_max=limit)
    made = render.table("namespace", "records", "nearest match", "learned", "body", full=False)
    for one in found:
        for number, hit in enumerate(one.hits):
            made.add_row(
                Text(one.namespace, style="bold cyan") if not number else "",
                f"{one.records:,}" if not number else "",
                Text(str(hit.record.address).partition("/")[2], style="cyan"),
                render.brief_time(hit.record.learned_at, session.now()),
                render.content(hit.record),
            )
    document = {"namespaces": [plain.presence(one) for one in found], "moment": plain.moment(view.moment)}
    session.answer(document, made if found else Text("No namespace held anything like it."))
    if not found:
        session.hint("Try fewer or other words, or another moment with --at.")


def namespaces(session: Session, wanted: Filter, at: At = None, branch: OnBranch = MAIN) -> None:
    """List the namespaces and how many records each holds."""
    view = session.view(at, branch)
    found = view.namespaces(wanted)
    made = render.table("namespace", "records")
    for name, count in found.items():
        made.add_row(Text(name, style="bold cyan"), f"{count:,}")
    if len(found) > 1:
        made.add_section()
        made.add_row(f"all {len(found)}", f"{sum(found.values()):,}")
    session.answer(
        {"namespaces": found, "moment": plain.moment(view.moment)},
        made if found else Text("Nothing is remembered at that moment." if at else "Nothing is remembered here yet."),
    )
    if not found and at is None:
        session.hint("""Begin with: hindcast memory put team/motto '"never start from zero"' --why 'to try it'""")
