"""What came of playing an outage: with an empty memory and with a year of it, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hindcast.cli.outage import Round
from hindcast.cli.render import clean
from hindcast.reason.headline import took

if TYPE_CHECKING:
    from hindcast.model.diagnosis import Advice

# Two answers fit beside each other from here on; on a narrower screen one stands below the other.
BESIDE_CHARS_MIN = 110


def beside(first: Round, second: Round, width: int) -> Group:
    """Both rounds, beside each other where there is room."""
    panels = [
        Panel(_round(first), title="Round 1: memory is empty", border_style="dim", width=_width(width)),
        Panel(_round(second), title="Round 2: memory is on", border_style="green", width=_width(width)),
    ]
    if width < BESIDE_CHARS_MIN:
        return Group(*panels)
    grid = Table.grid(padding=(0, 1))
    grid.add_row(*panels)
    return Group(grid)


def alone(one: Round) -> Panel:
    """What memory says, when it is no longer compared with an empty one."""
    return Panel(_round(one), title="Memory is on", border_style="green")


def _width(width: int) -> int:
    return width // 2 - 1 if width >= BESIDE_CHARS_MIN else width


def _round(one: Round) -> Group:
    incident, diagnosis = one.incident, one.diagnosis
    took = (
        datetime.fromisoformat(incident["opened_at"]) - datetime.fromisoformat(incident["onset_at"])
    ).total_seconds()
    when = "which was under way; this is part of it" if one.within else f"noticed after {max(took, 0):.1f} s"
    parts: list[RenderableType] = [
        Text(clean(incident["title"]), style="bold"),
        Text(f"{incident['id']}, {when}", style="dim"),
        Text(""),
        Text(clean(diagnosis.headline), style="bold green" if diagnosis.case else "bold yellow"),
    ]
    for title, lines, style in _sections(one):
        if lines:
            parts += [Text(""), Text(title, style=style or "bold")]
            parts += [Text(f"• {clean(line)}", style=style) for line in lines]
    return Group(*parts)


def _sections(one: Round) -> Iterator[tuple[str, list[str], str]]:
    diagnosis = one.diagnosis
    yield "Why", [_cited(diagnosis.cause.text, diagnosis.cause.evidence)] if diagnosis.cause else [], ""
    yield "What fixed it", [_fix(fix) for fix in diagnosis.fixes[:2]], ""
    harmful = [advice for advice in diagnosis.avoid if advice.made_worse or advice.rejected]
    yield "What to change today", list(one.changes), ""
    yield "Look out", list(one.warnings), "yellow"
    yield "Do NOT try", [_avoid(advice) for advice in harmful][:3], "red"
    yield "No use", [advice.action for advice in diagnosis.avoid if advice not in harmful][:2], ""
    yield "Who knows", [claim.text for claim in diagnosis.people[:2]], ""
    if took(diagnosis):
        yield "How long it took", [took(diagnosis)], ""
    steps = [claim.text for claim in diagnosis.next_steps] if not diagnosis.case else []
    yield "Generic checks", steps[:4], ""
    yield (
        "Nearest",
        [f"{near.title} ({near.address})" for near in diagnosis.nearest[:2]] if not diagnosis.case else [],
        "",
    )


def _fix(fix: Advice) -> str:
    held = f", held {fix.held} of {fix.held_of}" if fix.held_of else ""
    over = " incidents" if len(fix.evidence) > 1 else ""
    return f"{_cited(fix.action, fix.evidence)} (worked {fix.worked} of {fix.tried}{over}{held})"


def _avoid(advice: Advice) -> str:
    said = (*advice.happened, *advice.remarks)
    what = f": {said[0]}" if said else ""
    return _cited(f"{advice.action}{what}", advice.evidence)


def _cited(text: str, evidence: tuple[str, ...]) -> str:
    return f"{text} [{evidence[0]}]" if evidence else text
