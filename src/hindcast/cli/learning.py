"""`hindcast learning`: how much memory can be relied on, as one number with its computation."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hindcast.cli import commands
from hindcast.cli.options import MaybeWhy
from hindcast.cli.session import Session
from hindcast.model.errors import Refused

if TYPE_CHECKING:
    from hindcast.learning import Learning
    from hindcast.memory import Memory
    from hindcast.model.case import Case
    from hindcast.model.recollection import Recollection

INCOMPLETE_SHOWN_MAX = 3


def learning(
    session: Session,
    days: Annotated[int, typer.Option("--days", min=1, help="What counts as recent.")] = 90,
    keep: Annotated[bool, typer.Option("--keep", help="Remember how often answers were right.")] = False,
    why: MaybeWhy = None,
) -> None:
    """Say how much memory can be relied on: coverage × completeness × accuracy on your own incidents.

    Accuracy is measured on incidents that happened again: each is asked about as of before it, and the earlier case has
    to come first. It only reads, unless --keep is given: then answers are told with how often they were right.
    """
    from hindcast.casebook import Casebook
    from hindcast.experience import keep_reliability
    from hindcast.learning import HELD_BACK_MAX, learning_of

    memory = session.memory(create=True)
    cases = Casebook(memory).every()
    with session.progress("Asking about what happened again") as progress:
        asked = 0

        def recall(case: Case) -> Recollection:
            nonlocal asked
            asked += 1
            if progress is not None:
                progress(asked, min(len(cases), HELD_BACK_MAX), "incidents")
            return _recalled(memory, case)

        found = learning_of(cases, recall, now=session.now(), recent=timedelta(days=days))
    kept = None
    if keep:
        if not found.reliability:
            raise Refused(
                "Nothing could be measured: no incident has happened again yet.",
                field="--keep",
                remedy="Resolve incidents as they come; those that happen again are measured.",
            )
        reason = why or f"Measured on {found.accuracy.whole} incidents that happened again."
        kept = keep_reliability(memory, found.reliability, actor=session.who, why=reason, at=session.now())
    session.answer(_document(found, kept.id if kept is not None else None), *_shown(session, found, days))
    if kept is None and found.reliability:
        session.hint("Answers are told with how often they were right once you keep it: hindcast learning --keep")


def _recalled(memory: Memory, case: Case) -> Recollection:
    """What memory would have said to an incident before it, without anything that people said about answers since."""
    from hindcast.asking import cue_of_case
    from hindcast.learning import Earlier
    from hindcast.recall.remember import recall

    cue = cue_of_case(case, at=case.occurred_at)
    return recall(Earlier(memory.now(), case.occurred_at), cue, space=memory.space)


def _document(found: Learning, commit: str | None) -> dict[str, Any]:
    def share(name: str) -> dict[str, Any]:
        one = getattr(found, name)
        return {"part": one.part, "whole": one.whole, "share": round(one.share, 4)}

    return {
        "confidence": round(found.confidence, 4) if found.confidence is not None else None,
        **{name: share(name) for name in ("coverage", "completeness", "accuracy")},
        "reliability": msgspec.to_builtins(found.reliability),
        "missing": list(found.missing),
        "incomplete": list(found.incomplete),
        "kept": commit,
    }


def _shown(session: Session, found: Learning, days: int) -> list[RenderableType]:
    told = "not known yet" if found.confidence is None else f"{found.confidence:.2f}"
    parts: list[RenderableType] = [Text.assemble("Learning confidence: ", (told, "bold"))]
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, one, what in (
        ("coverage", found.coverage, f"incidents of the last {days} days whose failure has a resolved case"),
        (
            "completeness",
            found.completeness,
            "resolved cases that say why, what ended it, and what came of each attempt",
        ),
        ("accuracy", found.accuracy, "incidents that happened again, for which the earlier case came first"),
    ):
        table.add_row(name, f"{one.part} of {one.whole}", f"{one.share:.2f}" if one.whole else "–", what)
    parts.append(Padding(table, (0, 0, 0, 2)))
    if found.confidence is not None:
        shares = (found.coverage, found.completeness, found.accuracy)
        product = " × ".join(f"{one.share:.2f}" for one in shares)
        parts.append(Padding(Text(f"{product} = {told}"), (0, 0, 0, 2)))
    parts += [Padding(Text(line, style="yellow"), (0, 0, 0, 2)) for line in found.missing]
    if found.reliability:
        parts += [Text(""), Text("How often answers were right, by how sure they were", style="bold")]
        parts += [
            Padding(
                Text(f"{level.confidence_min:.1f}–{level.confidence_max:.1f}  {level.right} of {level.asked}"),
                (0, 0, 0, 2),
            )
            for level in found.reliability
        ]
    if found.incomplete:
        parts += [Text(""), Text("It rises with what these do not say yet", style="bold")]
        parts += [
            commands.line(session.to_paste(f"hindcast incident show {one}"))
            for one in found.incomplete[:INCOMPLETE_SHOWN_MAX]
        ]
        more = len(found.incomplete) - INCOMPLETE_SHOWN_MAX
        if more > 0:
            parts.append(Padding(Text(f"… and {more} more", style="dim"), (0, 0, 0, 2)))
    return parts
