"""The same outage twice: with an empty memory, and with a year of it. Shown side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hindcast.cli.render import clean
from hindcast.model.errors import Unavailable

if TYPE_CHECKING:
    from hindcast.model.diagnosis import Advice, Diagnosis

STORY = "past-redis-worker-pool"
SERVICE = "payment"
# The fixed rule opens an incident at a hundred errors within two minutes.
ERRORS = 120
WAIT_SECONDS_MAX = 30.0
POLL_SECONDS = 0.2
# Two answers fit beside each other from here on; on a narrower screen one stands below the other.
BESIDE_CHARS_MIN = 110


def play(url: str, space: str, *, now: Callable[[], datetime], seed: int) -> tuple[dict[str, Any], Diagnosis]:
    """Let the outage of a past case happen in a space of a running instance; the incident, and what memory says."""
    import httpx
    import msgspec

    from hindcast.adapters.otlp_sender import OtlpSender
    from hindcast.model.diagnosis import Diagnosis
    from hindcast.simulate.history import cases
    from hindcast.simulate.otlp import exports
    from hindcast.simulate.replay import replay

    at = now()
    story = next(case for case in cases(now=at) if case.id == STORY)
    with closing(OtlpSender(url, space=space)) as sender:
        for export in exports(replay(story, SERVICE, ERRORS, at=at, seed=seed)):
            sender.send(export.path, export.body, content_type=export.content_type, records=export.records)
    headers = {"X-Hindcast-Space": space}
    with httpx.Client(base_url=url, headers=headers, timeout=WAIT_SECONDS_MAX, trust_env=False) as client:
        incident = _opened(client)
        answer = client.get(f"/api/v1/incidents/{incident['id']}/recall").raise_for_status().json()
    return incident, msgspec.convert(answer["diagnosis"], Diagnosis)


def _opened(client: Any) -> dict[str, Any]:  # noqa: ANN401
    """The incident that the outage is, once there is one with evidence."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while time.monotonic() < deadline:
        page = client.get("/api/v1/incidents", params={"state": "open", "service": SERVICE}).raise_for_status().json()
        for one in page["items"]:
            incident = client.get(f"/api/v1/incidents/{one['id']}").raise_for_status().json()["detection"]
            # One that is still open from the last time goes on with this.
            if incident is not None and incident["exemplars"]:
                found: dict[str, Any] = incident
                return found
        time.sleep(POLL_SECONDS)
    raise Unavailable(
        f"No incident of {SERVICE} opened within {WAIT_SECONDS_MAX:.0f} seconds.",
        field="--port",
        remedy="Look at /api/v1/status: does it take signals in?",
    )


def beside(first: tuple[dict[str, Any], Diagnosis], second: tuple[dict[str, Any], Diagnosis], width: int) -> Group:
    """Both rounds, beside each other where there is room."""
    panels = [
        Panel(_round(*first), title="Round 1: memory is empty", border_style="dim", width=_width(width)),
        Panel(_round(*second), title="Round 2: memory is on", border_style="green", width=_width(width)),
    ]
    if width < BESIDE_CHARS_MIN:
        return Group(*panels)
    grid = Table.grid(padding=(0, 1))
    grid.add_row(*panels)
    return Group(grid)


def alone(one: tuple[dict[str, Any], Diagnosis]) -> Panel:
    """What memory says, when it is no longer compared with an empty one."""
    return Panel(_round(*one), title="Memory is on", border_style="green")


def _width(width: int) -> int:
    return width // 2 - 1 if width >= BESIDE_CHARS_MIN else width


def _round(incident: dict[str, Any], diagnosis: Diagnosis) -> Group:
    took = (
        datetime.fromisoformat(incident["opened_at"]) - datetime.fromisoformat(incident["onset_at"])
    ).total_seconds()
    parts: list[RenderableType] = [
        Text(clean(incident["title"]), style="bold"),
        Text(f"{incident['id']}, noticed after {max(took, 0):.1f} s", style="dim"),
        Text(""),
        Text(clean(diagnosis.headline), style="bold green" if diagnosis.case else "bold yellow"),
    ]
    for title, lines, style in _sections(diagnosis):
        if lines:
            parts += [Text(""), Text(title, style=style or "bold")]
            parts += [Text(f"• {clean(line)}", style=style) for line in lines]
    return Group(*parts)


def _sections(diagnosis: Diagnosis) -> Iterator[tuple[str, list[str], str]]:
    yield "Why", [_cited(diagnosis.cause.text, diagnosis.cause.evidence)] if diagnosis.cause else [], ""
    yield "What fixed it", [_fix(fix) for fix in diagnosis.fixes[:2]], ""
    yield "Do NOT try", [_avoid(advice) for advice in diagnosis.avoid if advice.made_worse][:3], "red"
    yield "No use", [advice.action for advice in diagnosis.avoid if not advice.made_worse][:2], ""
    yield "Who knows", [claim.text for claim in diagnosis.people[:2]], ""
    if diagnosis.minutes is not None:
        yield "How long it took", [f"{diagnosis.minutes:.0f} minutes"], ""
    steps = [claim.text for claim in diagnosis.next_steps] if not diagnosis.case else []
    yield "Generic checks", steps[:4], ""
    yield "Nearest", [f"{one.title} ({one.address})" for one in diagnosis.nearest[:2]] if not diagnosis.case else [], ""


def _fix(fix: Advice) -> str:
    held = f", held {fix.held} of {fix.held_of}" if fix.held_of else ""
    return _cited(f"{fix.action} (worked {fix.worked} of {fix.tried}{held})", fix.evidence)


def _avoid(advice: Advice) -> str:
    what = f": {advice.happened[0]}" if advice.happened else ""
    return _cited(f"{advice.action}{what}", advice.evidence)


def _cited(text: str, evidence: tuple[str, ...]) -> str:
    return f"{text} [{evidence[0]}]" if evidence else text
