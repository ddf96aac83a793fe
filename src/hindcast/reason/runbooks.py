"""Generic checks for a failure that nobody has met: what the team's runbooks say about its components and services."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hindcast.model.diagnosis import Claim
from hindcast.model.recollection import Cue
from hindcast.model.record import Record
from hindcast.reason.wording import full_stop, one_line

CHECKS_MAX = 5
CHECK_CHARS_MAX = 240
TITLE_CHARS_MAX = 80
# A runbook whose title names what is asked about is meant for it; one that only mentions it somewhere may not be.
TITLE_COUNTS = 3
FIT_MIN = 2


def checks(cue: Cue, runbooks: Sequence[Record]) -> tuple[Claim, ...]:
    """The steps of the runbook that fits best; nothing when none does."""
    fits = [(fit(cue, one), one) for one in runbooks if isinstance(one.body, Mapping)]
    fits = sorted((one for one in fits if one[0] >= FIT_MIN), key=lambda one: (-one[0], str(one[1].address)))
    if not fits:
        return ()
    runbook = fits[0][1]
    ref = f"{runbook.address}@{runbook.version}"
    title = one_line(_said(runbook, "title") or runbook.path, TITLE_CHARS_MAX)
    return tuple(
        Claim(f"Runbook “{title}”: {full_stop(one_line(step, CHECK_CHARS_MAX))}", (ref,))
        for step in _steps(runbook)[:CHECKS_MAX]
    )


def fit(cue: Cue, runbook: Record) -> int:
    """How much of what is asked about a runbook names."""
    names = {
        name.casefold()
        for name in (
            *cue.services,
            *cue.clues.components,
            *cue.clues.identifiers,
            *(one.replace("::", ".").rpartition(".")[2] for one in cue.clues.exceptions),
        )
    }
    title = f"{_said(runbook, 'title')} {runbook.path}".casefold()
    text = f"{_said(runbook, 'text')} {' '.join(_steps(runbook))}".casefold()
    return sum(TITLE_COUNTS * _names(title, name) + _names(text, name) for name in names)


def _names(text: str, name: str) -> bool:
    """Whether a text holds a name as whole words."""
    return re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text) is not None


def _said(runbook: Record, field: str) -> str:
    body: Any = runbook.body
    value = body.get(field)
    return value if isinstance(value, str) else ""


def _steps(runbook: Record) -> tuple[str, ...]:
    body: Any = runbook.body
    steps = body.get("steps")
    listed = (
        [step for step in steps if isinstance(step, str) and step.strip()] if isinstance(steps, list | tuple) else []
    )
    return tuple(listed) or tuple(line for line in _said(runbook, "text").splitlines() if line.strip())[:1]
