"""What every source of proposals gets to see, and the one signature that all of them have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from hindcast.model.card import Proposal, Warned
from hindcast.model.code import Place
from hindcast.model.diagnosis import Diagnosis
from hindcast.model.recollection import Recollection
from hindcast.model.trace import Trace
from hindcast.ports import Code


@dataclass(frozen=True, slots=True)
class Sheet:
    """An incident, what memory says to it, and today's code."""

    incident: str
    at: datetime
    # What was printed when it failed; None where there is no trace.
    trace: Trace | None
    # Frames of the trace that were found in today's code, from where it failed outwards.
    places: tuple[Place, ...]
    recollection: Recollection
    diagnosis: Diagnosis
    code: Code


# A source is a function; it reads code through the sheet and changes nothing.
Source = Callable[[Sheet], Iterable[Proposal | Warned]]


def worked_of(worked: int, tried: int) -> str:
    """How often a fix worked: "Worked twice (2 of 3)"; that it ended it, where nobody counted."""
    if not tried:
        return "It ended it then"
    times = {1: "once", 2: "twice"}.get(worked, f"{worked} times")
    return f"Worked {times} ({worked} of {tried})"
