"""Go back in time: commands that read history itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hindcast.cli import complete, contrast, graph, plain, render
from hindcast.cli.options import Address as AddressArgument
from hindcast.cli.options import At, Full, Limit, Moment, OnBranch
from hindcast.cli.session import Session, verb
from hindcast.model.answer import Difference, NoTurn
from hindcast.model.answer import Moment as Place
from hindcast.model.errors import Malformed
from hindcast.model.ids import Address
from hindcast.model.query import Filter, Query
from hindcast.model.record import MAIN, Action, Commit, Json

if TYPE_CHECKING:
    from hindcast.memory import Memory

COMMITS_PER_PAGE = 20
COMMITS_PER_FETCH = 1_000
# Before anything could have been remembered.
BEGINNING = "1970-01-01T00:00:00+00:00"


def install(app: typer.Typer, panel: str) -> None:
    """Put these commands into an app."""
    verb(app, "log", panel=panel)(log)
    verb(app, "show", panel=panel)(show)
    verb(app, "history", panel=panel)(history)
    verb(app, "diff", panel=panel)(diff)
    verb(app, "blame", panel=panel)(blame)
    verb(app, "bisect", panel=panel)(bisect)


def log(
    session: Session,
    at: At = None,
    branch: Annotated[
        str | None,
        typer.Option(
            "--branch", "-b", metavar="NAME", help="Which branch; main if not said.", autocompletion=complete.branches
        ),
    ] = None,
    draw: Annotated[bool, typer.Option("--graph", help="Draw the branches beside the commits.")] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Commits of all branches. --graph alone shows them, too.")
    ] = False,
    limit: Limit = COMMITS_PER_PAGE,
    before: Annotated[
        int | None, typer.Option("--before", metavar="STEP", help="Continue below this step.", min=1)
    ] = None,
) -> None:
    """Show the steps of history, newest first: who changed what, when and why."""
    memory = session.memory()
    everything = every or (draw and at is None and branch is None)
    moment = None if everything else session.moment(at, branch or MAIN)
    if draw and moment is not None:
        found = _leading_to(memory, moment, before, limit + 1)
    else:
        found = list(memory.log(moment, before=before, commits_max=limit + 1))
    commits, more = found[:limit], len(found) > limit
    names = _names(memory)
    document = {
        "commits": [{**plain.commit(commit), "names": names.get(commit.id, [])} for commit in commits],
        "next": commits[-1].seq if more else None,
    }
    session.answer(
        document, _log(commits, session, names, draw=draw) if commits else Text("Nothing has been remembered yet.")
    )
    if more:
        session.hint(f"There are earlier ones: --before {commits[-1].seq}, or a larger --limit.")
    if commits and before is None:
        session.hint("See one of them: hindcast memory show COMMIT")


def _leading_to(memory: Memory, moment: Place, before: int | None, commits_max: int) -> list[Commit]:
    """The commits from which a moment came, through merges as well, newest first."""
    heads = memory.log(moment, commits_max=1)
    wanted = {head.id for head in heads}
    found: list[Commit] = []
    last = heads[0].seq + 1 if heads else 0
    while wanted and len(found) < commits_max and last > 1:
        page = memory.log(None, before=last, commits_max=COMMITS_PER_FETCH)
        for commit in page:
            if commit.id in wanted:
                wanted.discard(commit.id)
                wanted.update(parent for parent in (commit.parent, commit.merge_parent) if parent is not None)
                found.append(commit)
        last = page[-1].seq if page else 0
    return [commit for commit in found if before is None or commit.seq < before][:commits_max]


def _names(memory: Memory) -> dict[str, list[str]]:
    """The branches and snapshots that point at each commit."""
    names: dict[str, list[str]] = {}
    for branch in memory.branches():
        if branch.head is not None:
            names.setdefault(branch.head, []).append(branch.name)
    for snapshot in memory.snapshots():
        names.setdefault(snapshot.commit, []).append(f"snapshot {snapshot.name}")
    return names


def _log(commits: list[Commit], session: Session, names: Mapping[str, list[str]], *, draw: bool) -> RenderableType:
    now = session.now()
    if draw:
        rows = list(graph.draw(commits))
        made = Table.grid(padding=(0, 1))
        made.add_column(no_wrap=True)
        made.add_column(overflow="fold")
        for row in rows:
            made.add_row(row.drawing, render.commit_line(row.commit, now, names) if row.commit is not None else "")
        return made
    made = render.table("commit", "when", "by", "changes", "why")
    for commit in commits:
        why = Text(render.first_line(commit.why))
        if commit.id in names:
            why.append(f"  ({', '.join(names[commit.id])})", style="bold green")
        when = render.brief_time(commit.at, now)
        made.add_row(Text(render.short(commit.id), "yellow"), when, commit.actor, str(commit.changes), why)
    return made


def show(session: Session, moment: Moment = MAIN, branch: OnBranch = MAIN, full: Full = False) -> None:
    """Show one commit: what it learned, changed and forgot, with values."""
    memory = session.memory()
    place = session.moment(moment, branch)
    found = memory.log(place, commits_max=1)
    if not found:
        session.answer({"commit": None}, Text("Nothing had been remembered by then."))
        return
    commit = found[0]
    changes = memory.changes(commit)
    parts: list[RenderableType] = [render.commit_head(commit, session.now()), "", contrast.tally(changes)]
    if commit.action is Action.ERASE and isinstance(commit.detail, Mapping):
        parts[-1] = Text(
            f"erased for ever: {', '.join(map(str, _listed(commit.detail.get('addresses'))))}", style="red"
        )
    session.answer(
        {"commit": plain.commit(commit), **plain.difference(changes)}, *parts, contrast.difference(changes, full=full)
    )
    _say_cut(session, changes, full=full)


def _listed(value: Json) -> list[Json]:
    return list(value) if isinstance(value, list | tuple) else []


def _say_cut(session: Session, found: Difference, *, full: bool) -> None:
    total = len(found.learned) + len(found.changed) + len(found.forgotten)
    if not full and total > contrast.CHANGES_SHOWN_MAX:
        session.hint(f"{contrast.CHANGES_SHOWN_MAX} of {total:,} are shown. All of them: --full or --json.")


def history(
    session: Session, address: AddressArgument, at: At = None, branch: OnBranch = MAIN, full: Full = False
) -> None:
    """Show every version of one address, newest first."""
    found = session.memory().history(address, session.moment(at, branch))
    made = render.table("commit", "learned", "by", "body", full=full)
    for record in found:
        when = render.brief_time(record.learned_at, session.now())
        made.add_row(Text(render.short(record.commit), "yellow"), when, record.actor, render.content(record, full=full))
    session.answer(
        {"address": str(Address.parse(address)), "versions": plain.records(found)},
        Group(render.address(found[0]), made),
    )


def diff(
    session: Session,
    before: Moment,
    after: Annotated[
        str,
        typer.Argument(metavar="MOMENT", help="The later moment; main if not said.", autocompletion=complete.moments),
    ] = MAIN,
    branch: OnBranch = MAIN,
    full: Full = False,
) -> None:
    """Show what was learned, changed and forgotten between two moments."""
    found = session.memory().diff(session.moment(before, branch), session.moment(after, branch))
    head = Text.assemble((f"{found.before.name[:40]} → {found.after.name[:40]}", "bold"), "   ", contrast.tally(found))
    session.answer(plain.difference(found), head, contrast.difference(found, full=full))
    _say_cut(session, found, full=full)


def blame(
    session: Session, address: AddressArgument, at: At = None, branch: OnBranch = MAIN, full: Full = False
) -> None:
    """Show for each field of a record which commit gave it the value it has."""
    found = session.memory().blame(address, session.moment(at, branch))
    made = render.table("field", "value", "commit", "when", "by", "why")
    for one in found:
        made.add_row(
            one.field or "(the whole body)",
            render.value(one.value, chars_max=None if full else 40),
            Text(render.short(one.commit.id), "yellow"),
            render.brief_time(one.commit.at, session.now()),
            one.commit.actor,
            render.first_line(one.commit.why),
        )
    session.answer({"address": str(Address.parse(address)), "fields": plain.blame(found)}, made)


def bisect(
    session: Session,
    words: Annotated[list[str] | None, typer.Argument(metavar="WORDS", help="A question, as for search.")] = None,
    path: Annotated[
        str | None, typer.Option("--path", metavar="ADDRESS", help="Ask for the value at an address instead.")
    ] = None,
    field: Annotated[str, typer.Option("--field", metavar="FIELD", help="Only this dotted field of it.")] = "",
    since: Annotated[
        str | None,
        typer.Option(
            "--since", metavar="MOMENT", help="Where to begin; if not said, at the first that is known of it."
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="MOMENT", help="Where to end; the branch's head if not said.")
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, metavar="N", help="How many hits make the answer.")] = 1,
    namespace: Annotated[
        str | None, typer.Option("--namespace", "-n", metavar="NAME", help="Search only here.")
    ] = None,
    branch: OnBranch = MAIN,
    full: Full = False,
) -> None:
    """When did the answer to a question change, and which commit did it?

    Looks at as few moments as possible: twenty are enough for a million commits.
    """
    if bool(words) == (path is not None):
        raise Malformed(
            "A bisection needs one question.",
            field="question",
            remedy="Give words to search for, or --path ADDRESS for the value at an address.",
        )
    from hindcast.memory.compare import value_at

    question = (
        value_at(Address.parse(path), field)
        if path is not None
        else Query(" ".join(words or ()), Filter(namespace=namespace), top)
    )
    last = session.moment(until, branch)
    if since is None and path is not None:
        # That it came into being is no answer to when it changed.
        since = session.memory().history(path, last)[-1].commit
    found = session.memory().bisect(question, since=session.moment(since or BEGINNING, branch), until=last)
    document: dict[str, Any] = {"looks": found.looks}
    if isinstance(found, NoTurn):
        document.update(turn=None, before=found.answer, after=found.answer)
    else:
        document.update(turn=plain.commit(found.commit), before=found.before, after=found.after)
    session.answer(document, contrast.turn(found, session.now(), full=full))
    if not isinstance(found, NoTurn):
        session.hint(f"All that it changed: hindcast memory show {render.short(found.commit.id)}")
