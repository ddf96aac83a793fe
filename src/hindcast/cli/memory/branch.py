"""Branch and merge: try something apart from everybody else, then join it, or take it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from hindcast.cli import complete, contrast, failure, given, plain, render
from hindcast.cli.casework import redacted, redactor_of
from hindcast.cli.options import At, Choose, Expect, Full, MaybeWhy, Moment, OnBranch, PolicyOption
from hindcast.cli.session import Session, verb
from hindcast.model.answer import Choice, Conflicts, Instead, Merged, Policy
from hindcast.model.record import MAIN


def install(app: typer.Typer, panel: str) -> None:
    """Put these commands into an app."""
    branching = typer.Typer(no_args_is_help=True, help="Begin a branch (see also: branches).")
    naming = typer.Typer(no_args_is_help=True, help="Name a moment for ever (see also: snapshots).")
    verb(branching, "create", writes=True)(create_branch)
    verb(naming, "create", writes=True)(create_snapshot)
    for group in (branching, naming):
        # A group of one command would become that command; a callback keeps it a group.
        group.callback()(_group)
    app.add_typer(branching, name="branch", rich_help_panel=panel)
    verb(app, "branches", panel=panel)(branches)
    app.add_typer(naming, name="snapshot", rich_help_panel=panel)
    verb(app, "snapshots", panel=panel)(snapshots)
    verb(app, "merge", panel=panel, writes=True)(merge)
    verb(app, "revert", panel=panel, writes=True)(revert)


def _group() -> None:
    pass


def create_branch(
    session: Session,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    start: At = None,
    why: MaybeWhy = None,
    branch: OnBranch = MAIN,
) -> None:
    """Begin a branch at a moment. It sees what that moment showed; nobody else sees what it adds."""
    moment = session.moment(start, branch)
    made = session.memory().branch(
        name, actor=session.who, why=redacted(session, why or "") or f"branch from {moment.name}", start=moment
    )
    session.answer(
        {"branch": plain.branch(made)},
        Text.assemble("Branch ", (made.name, "bold green"), f" begins at step {made.fork_seq} of {made.parent}."),
    )
    session.hint(f"Write to it with --branch {made.name}; join it with: hindcast memory merge {made.name}")


def branches(session: Session) -> None:
    """List the branches and where their heads are."""
    found = session.memory().branches()
    made = render.table("branch", "head", "begins at", "created", "by", "why")
    for one in found:
        begins = f"step {one.fork_seq} of {one.parent}" if one.parent is not None else ""
        made.add_row(
            Text(one.name, "bold green"),
            Text(render.short(one.head), "yellow"),
            begins,
            render.brief_time(one.created_at, session.now()),
            one.actor,
            render.first_line(one.why),
        )
    session.answer(
        {"branches": [plain.branch(one) for one in found]}, made if found else Text("There is no branch yet.")
    )
    if not found:
        session.hint("The first thing that is remembered begins main.")


def create_snapshot(
    session: Session,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    at: At = None,
    why: MaybeWhy = None,
    branch: OnBranch = MAIN,
) -> None:
    """Give a moment a name that never moves."""
    moment = session.moment(at, branch)
    made = session.memory().snapshot(
        name, actor=session.who, why=redacted(session, why or "") or f"snapshot of {moment.name}", moment=moment
    )
    session.answer(
        {"snapshot": plain.snapshot(made)},
        Text.assemble("Snapshot ", (made.name, "bold green"), " names ", (render.short(made.commit), "yellow"), "."),
    )
    session.hint(f"Go back to it at any time with --at {made.name}")


def snapshots(session: Session) -> None:
    """List the snapshots and the commits that they name."""
    found = session.memory().snapshots()
    made = render.table("snapshot", "commit", "branch", "created", "by", "why")
    for one in found:
        made.add_row(
            Text(one.name, "bold green"),
            Text(render.short(one.commit), "yellow"),
            one.branch,
            render.brief_time(one.created_at, session.now()),
            one.actor,
            render.first_line(one.why),
        )
    session.answer(
        {"snapshots": [plain.snapshot(one) for one in found]}, made if found else Text("There is no snapshot yet.")
    )
    if not found:
        session.hint("Take one: hindcast memory snapshot create NAME")


def merge(
    session: Session,
    source: Moment,
    into: Annotated[
        str,
        typer.Option(
            "--into",
            "--branch",
            "-b",
            metavar="NAME",
            help="The branch to join into.",
            autocompletion=complete.branches,
        ),
    ] = MAIN,
    policy: PolicyOption = Policy.ASK,
    choose: Choose = None,
    why: MaybeWhy = None,
    expect: Expect = None,
    full: Full = False,
) -> None:
    """Join a branch, or any other moment, into a branch.

    Fields that only one side changed are joined without asking. A true conflict stops it and nothing is written (exit
    code 8), with both sides shown and the commands that settle it.
    """
    memory = session.memory()
    moment = session.moment(source, into)
    found = memory.merge(
        moment,
        into,
        actor=session.who,
        why=redacted(session, why or "") or f"merge {source} into {into}",
        policy=policy,
        choices=_choices(session, choose or ()),
        expected_head=given.commit_id(expect, memory.at),
    )
    _joined(session, found, f"Merging {source} into {into}", f"{into} already has everything of {source}.", full=full)


def revert(
    session: Session,
    commit: Annotated[str, typer.Argument(metavar="COMMIT", help="The commit to undo.")],
    branch: OnBranch = MAIN,
    policy: PolicyOption = Policy.ASK,
    choose: Choose = None,
    why: MaybeWhy = None,
    full: Full = False,
) -> None:
    """Undo one commit by a new one, keeping what came after it.

    What was changed again since is a conflict, shown and settled as by merge.
    """
    memory = session.memory()
    known = memory.log(given.commit_id(commit, memory.at), commits_max=1)[0]
    found = memory.revert(
        known,
        actor=session.who,
        why=redacted(session, why or "") or f"revert {render.short(known.id)}: {render.first_line(known.why)}",
        branch=branch,
        policy=policy,
        choices=_choices(session, choose or ()),
    )
    _joined(session, found, f"Reverting {render.short(known.id)}", "There is nothing left of it to undo.", full=full)


def _choices(session: Session, texts: Sequence[str]) -> dict[str, Choice]:
    """How conflicts are settled; a body of one's own is stored without secrets."""
    return {
        address: Instead(redactor_of(session).document(choice.body)[0]) if isinstance(choice, Instead) else choice
        for address, choice in given.read_choices(texts).items()
    }


def _joined(session: Session, found: Merged | Conflicts, doing: str, nothing: str, *, full: bool) -> None:
    if isinstance(found, Conflicts):
        count = render.plural(len(found.conflicts), "conflict")
        head = Text.assemble((f"{doing} met {count}. ", "bold red"), "Nothing was written.")
        session.answer(plain.joined(found), head, "", contrast.conflicts(found, session.words, full=full))
        raise typer.Exit(failure.CONFLICTS)
    if found.commit is None:
        session.answer(plain.joined(found), Text(nothing))
        return
    taken = render.plural(found.taken, "change")
    line = Text.assemble((render.short(found.commit.id), "yellow"), f" on {found.commit.branch}: took {taken}.")
    parts = [line]
    for one in found.settled:
        fields = ", ".join(name or "the whole body" for name in one.fields)
        parts.append(Text(f"  settled {one.address}: {fields}", style="dim"))
    session.answer(plain.joined(found), Group(*parts))
