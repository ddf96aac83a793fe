"""Shows a case to a person: what is known, what was tried and what came of it, and what is still missing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from hindcast.cli.render import clean, cut
from hindcast.model.case import Attempt, Case, Evidence, Outcome, Witness, to_json
from hindcast.model.incident import Incident

if TYPE_CHECKING:
    from hindcast.casebook import Kept
    from hindcast.cli.session import Session

STATES = {"open": "bold red", "awaiting": "yellow", "confirmed": "green", "resolved": "green"}
SEVERITIES = {"critical": "bold red", "major": "red", "minor": "yellow"}
OUTCOMES = {
    Outcome.WORKED: ("✓", "green"),
    Outcome.NO_EFFECT: ("–", "dim"),
    Outcome.MADE_WORSE: ("✗", "bold red"),
    Outcome.UNKNOWN: ("?", "yellow"),
}
SYMPTOMS_SHOWN_MAX = 6
QUOTE_CHARS_MAX = 160


def standing(case: Case | None, incident: Incident | None) -> str:
    """Where an incident stands: what whoever watches says while it lasts, what people said once it is over."""
    from hindcast.casebook.summaries import standing as stands

    if case is None and incident is None:
        return ""
    return str(stands(case.state if case is not None else None, incident.state if incident is not None else None))


def document(kept: Kept | None, incident: Incident | None, gaps: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Everything known about one incident, as plain values."""
    from hindcast.model.incident import to_json as incident_json

    said: dict[str, Any] = dict(incident_json(incident)) if incident is not None else {}
    if kept is not None:
        said.setdefault("id", kept.case.id)
        said.setdefault("title", kept.case.title)
        said["case"] = to_json(kept.case)
        said["version"] = kept.version
        said["joined_into"] = kept.joined_into or None
    said["missing"] = [{"what": what, "command": command} for what, command in gaps]
    return said


def lesson(kept: Kept) -> list[RenderableType]:
    """What a case teaches: cause, fix, attempts, people, notes."""
    case = kept.case
    parts: list[RenderableType] = []
    if kept.joined_into:
        parts.append(Text(f"It is part of {kept.joined_into}, which goes on in its place.", style="yellow"))
    if case.acknowledged is not None:
        owner = case.acknowledged
        parts += _section("Owner", [f"{owner.by}, since {owner.at:%Y-%m-%d %H:%M} UTC"])
    if case.cause is not None:
        parts += _section("Cause", [_line(case.cause.text, case.cause.by, case.cause.evidence)])
    if case.resolution is not None:
        fix = case.resolution
        parts += _section("What ended it", [_line(fix.text, fix.by, fix.evidence), *_means(fix)])
    if case.attempts:
        parts += [Text(""), Text("What was tried", style="bold")]
        parts += [line for one in case.attempts for line in _attempt(one)]
    if case.responders:
        parts += _section("Who took part", [", ".join(case.responders)])
    if case.notes:
        said = (f"{one.by}: {one.text}" if one.by else one.text for one in case.notes)
        parts += _section("Notes", [f"{one.at:%H:%M} {text}" for one, text in zip(case.notes, said, strict=True)])
    return parts


def symptoms(case: Case) -> list[RenderableType]:
    """What was seen, where nothing more exact is known."""
    lines = list(case.symptoms[:SYMPTOMS_SHOWN_MAX])
    more = len(case.symptoms) - len(lines)
    if more:
        lines.append(f"… and {more} more")
    return _section("What was seen", lines) if lines else []


def typed(session: Session, gaps: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """What is missing, with commands as they have to be typed here."""
    return tuple((what, session.to_paste(command)) for what, command in gaps)


def missing(gaps: Sequence[tuple[str, str]]) -> list[RenderableType]:
    """What nobody has said yet, and how to say it."""
    if not gaps:
        return []
    parts: list[RenderableType] = [Text(""), Text("Nobody has said yet", style="bold")]
    for what, command in gaps:
        # Long or not, on one line: what is broken into lines cannot be pasted.
        line = Text.assemble("  ", clean(what), "  ", (command, "cyan"), no_wrap=True, overflow="ignore")
        parts.append(line)
    return parts


def duration(length: timedelta) -> str:
    """A length of time as a person says it."""
    seconds = max(int(length.total_seconds()), 0)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{seconds} s"


def _section(title: str, lines: Sequence[str]) -> list[RenderableType]:
    return [Text(""), Text(title, style="bold"), *(Padding(Text(clean(line)), (0, 0, 0, 2)) for line in lines)]


def _line(text: str, by: str, evidence: Sequence[Evidence]) -> str:
    refs = [one.ref for one in evidence if one.ref]
    said = f"{text} ({by})" if by else text
    return f"{said} [{refs[0]}]" if refs else said


def _means(one: Any) -> list[str]:  # noqa: ANN401
    """Command, configuration and diff of an attempt or a resolution."""
    lines: list[str] = []
    if one.command:
        lines.append(f"$ {one.command}")
    lines += one.config.splitlines()
    lines += one.diff.splitlines()
    return lines


def _attempt(one: Attempt) -> list[RenderableType]:
    mark, style = OUTCOMES[one.outcome]
    who = f" ({one.by})" if one.by else ""
    when = f" at {one.at:%H:%M}" if one.at is not None else ""
    sure = "" if one.confidence >= 1 else f", {one.confidence:.0%} sure"
    head = Text.assemble((f"{mark} {one.outcome}", style), f"  {one.id}  {clean(one.action)}{who}{when}{sure}")
    lines = [
        f"{clean(said.ref) if said.witness is Witness.AGENT and said.ref else said.witness}: "
        f"{cut(clean(' '.join(said.quote.split())), QUOTE_CHARS_MAX)}"
        for said in one.evidence
    ]
    lines += [clean(line) for line in _means(one)]
    return [Padding(head, (0, 0, 0, 2)), *(Padding(Text(line, style="dim"), (0, 0, 0, 6)) for line in lines)]
