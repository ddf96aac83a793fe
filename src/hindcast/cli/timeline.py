"""Tells a simulation as a timeline: one line for each thing that happens, in simulated time, and a closing summary.

What the world does and what Hindcast says of it stand side by side, so that a person can compare them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson
from rich.table import Table
from rich.text import Text

from hindcast.cli.render import clean, cut
from hindcast.cli.session import Session

# Who says it: the simulated world, the detector, or what carries one to the other.
WORLD, HINDCAST, SENDER = "world", "hindcast", "sender"
KIND_CHARS = 9
BELOW_CHARS_MAX = 110
MARGIN_CHARS = 38

_STYLES = {
    "quiet": "green",
    "calm": "green",
    "building": "yellow",
    "outage": "red",
    "recovery": "cyan",
    "deploy": "yellow",
    "opened": "bold white on red",
    "grew": "bold red",
    "cascade": "bold white on magenta",
    "changed": "red",
    "awaiting": "bold cyan",
    "reopened": "bold white on red",
    "confirmed": "bold green",
    "dismissed": "bold green",
    "joined": "dim",
    "lost": "bold red",
    "noise": "green",
}
_NAMES = {WORLD: "world", HINDCAST: "Hindcast", SENDER: "sender"}


@dataclass
class Timeline:
    """Where the events of one run go: to a person line by line, or to a program as JSON lines."""

    session: Session
    starts_at: datetime
    events: list[dict[str, Any]] = field(default_factory=list)

    def say(self, at: datetime, who: str, kind: str, text: str, *, below: str = "", **told: object) -> None:
        """One thing that happened, and what shows or explains it on a line below."""
        after_seconds = round((at - self.starts_at).total_seconds(), 3)
        event = {"at": at, "after_seconds": after_seconds, "who": who, "event": kind, "text": text, **told}
        if below:
            event["below"] = below
        self.events.append(event)
        if self.session.as_json:
            sys.stdout.write(orjson.dumps(event, option=orjson.OPT_UTC_Z).decode() + "\n")
            sys.stdout.flush()
            return
        line = Text.assemble(
            (f"{at.astimezone(UTC):%H:%M:%S}", "bold" if who == HINDCAST else ""),
            (f"  {'+' + clock(after_seconds):>6}  ", "dim"),
            (f"{_NAMES[who]:<9}", "dim" if who != HINDCAST else "bold"),
            (f"{kind:<{KIND_CHARS}}", _STYLES.get(kind, "")),
            "  ",
            (clean(text), "" if who == HINDCAST else "dim"),
        )
        self.session.out.print(line, soft_wrap=True)
        if below:
            shown = cut(clean(below.partition("\n")[0]), BELOW_CHARS_MAX)
            self.session.out.print(Text(f"{'':{MARGIN_CHARS}}│ {shown}", style="dim"), soft_wrap=True)

    def close(self, document: dict[str, Any], rows: Sequence[tuple[str, str]], verdict: Text) -> None:
        """The closing summary."""
        if self.session.as_json:
            sys.stdout.write(orjson.dumps({"event": "summary", **document}, option=orjson.OPT_UTC_Z).decode() + "\n")
            return
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in rows:
            table.add_row(name, value)
        self.session.answer({}, Text(), table, Text(), verdict)


def clock(seconds: float) -> str:
    """A length of time as a clock shows it: 3:09, or 1:02:05 beyond an hour."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
