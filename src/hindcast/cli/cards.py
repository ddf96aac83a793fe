"""Shows cards to a person: a deck as a list, one card with its diff, and the memory log.

A diff keeps its lines whole: in a pipe it can be given to `git apply` as it is, and a terminal folds long ones itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from hindcast.cli.render import ago, clean, cut, facts, plural
from hindcast.model.card import Card, CardSeverity, CardState, Deck, HeldBack, LogLine, Warned
from hindcast.model.code import LineSpan

if TYPE_CHECKING:
    from hindcast.cli.session import Session
    from hindcast.fixes.team_rules import TeamRule
    from hindcast.model.workspace import FoundLine

SEVERITIES = {CardSeverity.CRITICAL: "bold red", CardSeverity.WARNING: "yellow", CardSeverity.HINT: "dim"}
# A mark and a colour: a greyscale screen and a colour-blind reader have the mark.
STATES = {
    CardState.PROPOSED: ("·", ""),
    CardState.ACCEPTED: ("✓", "green"),
    CardState.MODIFIED: ("✎", "green"),
    CardState.REJECTED: ("✗", "red"),
    CardState.UNDONE: ("↶", "yellow"),
    CardState.GONE: ("–", "dim"),
}
# Below this nobody should take a card for knowledge.
GUESS_BELOW = 0.6
TITLE_CHARS_MAX = 70
REASON_CHARS_MAX = 160
HELD_BACK_SHOWN_MAX = 10
# A card that is longer is better read in an editor.
DIFF_LINES_MAX = 400


def sure(confidence: float) -> str:
    """How sure a source is, as people say it; certainty is never claimed."""
    share = f"{min(max(round(100 * confidence), 1), 99)} %"
    return share if confidence >= GUESS_BELOW else f"{share}, a guess"


def where(path: str, lines: LineSpan) -> str:
    """A place in a file, as editors open it."""
    return f"{path}:{lines.first}" + (f"-{lines.last}" if lines.last > lines.first else "")


def size(added: int, removed: int) -> Text:
    """How much a change adds and removes."""
    return Text.assemble((f"+{added}", "green"), " ", (f"−{removed}", "red"))


def state(value: CardState) -> Text:
    """What became of a card, with its mark."""
    mark, style = STATES[value]
    return Text(f"{mark} {value.value}", style=style)


def diff(text: str, *, lines_max: int = DIFF_LINES_MAX) -> Text:
    """A unified diff in its colours, with whole lines."""
    lines = clean(text).splitlines()
    shown = Text(no_wrap=True)
    for line in lines[:lines_max]:
        shown.append(f"{line}\n", style=_style(line))
    if len(lines) > lines_max:
        shown.append(f"… {plural(len(lines) - lines_max, 'more line')}\n", style="dim")
    shown.rstrip()
    return shown


def _style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}.get(line[:1], "")


def page(card: Card, decided: str = "") -> list[RenderableType]:
    """One card without its diff: the sentence, where, how sure, why, and what might go wrong."""
    proposal = card.proposal
    severity = Text(proposal.severity.value, style=SEVERITIES[proposal.severity])
    if proposal.severity_reason:
        severity.append(f"  {clean(proposal.severity_reason)}", style="default")
    rows: list[tuple[str, RenderableType | str]] = [
        ("card", Text.assemble((card.id, "bold cyan"), "  ", state(card.state))),
        ("incident", Text(f"{clean(card.incident)} in {clean(card.workspace)}")),
        (
            "where",
            Text.assemble(clean(where(proposal.edit.path, proposal.lines)), "  ", size(card.added, card.removed)),
        ),
        ("severity", severity),
        ("sure", Text(sure(proposal.confidence) + (f"; with this team: {clean(card.record)}" if card.record else ""))),
        ("from", Text(proposal.source.value)),
    ]
    for name, text in (
        ("decided", decided),
        ("why", proposal.why),
        ("again", card.again),
        ("risk", proposal.risk),
        ("tests", "; ".join(proposal.tests)),
        ("evidence", ", ".join(proposal.evidence)),
        ("undo", card.undo),
    ):
        if text.strip():
            rows.append((name, Text(clean(text), style="yellow" if name in ("again", "risk") else "")))
    return [Text(clean(proposal.title), style="bold"), facts(rows)]


def deck(found: Deck) -> list[RenderableType]:
    """Everything there is to propose, what is warned of, and what was held back and why."""
    parts: list[RenderableType] = [_row(card) for card in found.cards]
    beside = asides(found)
    return [*parts, *([""] if parts and beside else []), *beside]


def asides(found: Deck) -> list[RenderableType]:
    """What stands beside the cards: warnings, what was held back, and what could not be asked."""
    parts: list[RenderableType] = []
    if found.warned:
        parts += [Text("Watch out", style="bold yellow"), *map(_warned, found.warned)]
    if found.held_back:
        parts += [""] if parts else []
        parts += [Text("Held back", style="bold"), *map(_held_back, found.held_back[:HELD_BACK_SHOWN_MAX])]
        rest = len(found.held_back) - HELD_BACK_SHOWN_MAX
        if rest > 0:
            parts.append(Text(f"  and {plural(rest, 'more proposal')}", style="dim"))
    parts += [Text(clean(note), style="dim") for note in found.notes]
    return parts


def _row(card: Card) -> RenderableType:
    """One card in two lines, which fit any terminal: an id or a path that is cut cannot be copied."""
    proposal = card.proposal
    head = Text.assemble(
        (card.id, "cyan"),
        "  ",
        state(card.state),
        "  ",
        (proposal.severity.value, SEVERITIES[proposal.severity]),
        f"  {sure(proposal.confidence)}  ",
        size(card.added, card.removed),
        f"  {clean(where(proposal.edit.path, proposal.lines))}",
    )
    return Group(head, _under(Text(clean(proposal.title), style="bold")))


def _under(text: Text) -> Padding:
    """Text that belongs to the line above it."""
    return Padding(text, (0, 0, 0, 4))


def _warned(one: Warned) -> RenderableType:
    head = Text.assemble(("! ", "yellow"), (clean(where(one.path, one.lines)), "bold"))
    return Group(head, _under(Text(clean(one.text))))


def _held_back(one: HeldBack) -> RenderableType:
    head = Text.assemble(("✗ ", "dim"), clean(one.title), (f"  {clean(one.path)}", "dim"))
    return Group(head, _under(Text(cut(clean(one.reason), REASON_CHARS_MAX))))


def log(lines: Sequence[LogLine], now: datetime) -> list[RenderableType]:
    """The memory log, two lines for each card: what became of it, and what it was about."""
    return [_logged(line, now) for line in lines]


def decided(line: LogLine, now: datetime) -> str:
    """Who decided about a card and when, why, and what came of it; empty where nobody has."""
    if line.state in (CardState.PROPOSED, CardState.GONE):
        return ""
    return "; ".join((f"by {line.by} {ago(line.at, now)}", *_said(line)))


def _said(line: LogLine) -> list[str]:
    """What there is to say of a decision, beside who made it and when."""
    where = " ".join(part for part in (line.branch, line.commit[:12]) if part)
    told = (line.reason, line.outcome and f"outcome: {line.outcome}", line.waiting, where)
    return [part.strip().rstrip(".") for part in told if part.strip()]


def _logged(line: LogLine, now: datetime) -> RenderableType:
    told = _said(line)
    head = Text.assemble(
        state(line.state),
        "  ",
        (line.card, "cyan"),
        f"  {ago(line.at, now)} by {clean(line.by)}  ",
        size(line.added, line.removed),
        f"  {clean(line.path)}",
    )
    said = [_under(Text(cut(clean("; ".join(told)), REASON_CHARS_MAX), style="dim"))] if told else []
    return Group(head, _under(Text(clean(line.title))), *said)


def rules(found: Sequence[TeamRule], now: datetime) -> RenderableType:
    """The rules of a team, one line each."""
    if not found:
        return Text("No rule was made here yet. One may be, whenever a fix is accepted or modified.")
    made = Table(Column("rule", no_wrap=True), "", "what", "made from", "by", "when", box=None, pad_edge=False)
    made.padding = (0, 2, 0, 0)
    for one in found:
        mark = Text("on", style="green") if one.is_on else Text("off", style="dim")
        made.add_row(
            one.id, mark, cut(clean(one.title), TITLE_CHARS_MAX), one.made_from, clean(one.by), ago(one.at, now)
        )
    return made


def rule(one: TeamRule, matches: Sequence[FoundLine]) -> list[RenderableType]:
    """One rule, and what it would find today."""
    head = Text.assemble((clean(one.title), "bold"), f"  {one.id}, {'on' if one.is_on else 'off'}")
    parts: list[RenderableType] = [head, Text(clean(one.why), style="dim")]
    if not matches:
        return [*parts, Text("It would find nothing in the code of today.")]
    parts.append(Text(f"It would find {plural(len(matches), 'place')}:"))
    return [*parts, *(Text(f"  {clean(line.path)}:{line.line}  {clean(line.text)}") for line in matches)]


def show(session: Session, card: Card, line: LogLine | None = None) -> None:
    """Print one card with its diff, and with what was decided about it where its line of the log is given."""
    session.answer({}, *page(card, decided(line, session.now()) if line is not None else ""), "")
    session.out.print(diff(card.diff), soft_wrap=True)
