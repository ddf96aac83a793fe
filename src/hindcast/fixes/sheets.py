"""The sheet of an incident: its trace, where that leads in today's code, and what memory says to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from hindcast.ingest.trace import parse
from hindcast.learn.prose import SURE_MIN, attempts_in
from hindcast.memory import View
from hindcast.model.case import Case, Outcome
from hindcast.model.code import Place
from hindcast.model.errors import Malformed
from hindcast.model.ids import Address
from hindcast.model.incident import Exemplar, from_json
from hindcast.model.recollection import Familiarity, Recollection
from hindcast.model.trace import Trace
from hindcast.ports import Code
from hindcast.propose.harm import Harm
from hindcast.propose.places import locate
from hindcast.propose.sheet import Sheet
from hindcast.recollect import Answered
from hindcast.register import NAMESPACE as INCIDENTS

# Of many exemplars the first few different stacks are read; they are of one failure.
STACKS_MAX = 4
STACK_CHARS_MAX = 60_000
# A case tells at most so much that is worth reading for what did harm.
PROSE_CHARS_MAX = 20_000


def stacks_of(view: View, case: Case) -> tuple[str, ...]:
    """The stacks that were printed during an incident, each once: those of its lines first, then what the case has.

    Some senders print the stack as part of the message, so messages are read too, after everything that is a stack.
    """
    lines = _exemplars(view, case.id)
    found = [*(one.stack for one in lines), case.stack, *(one.message for one in lines if not one.stack)]
    return tuple(dict.fromkeys(one[:STACK_CHARS_MAX] for one in found if one.strip()))[:STACKS_MAX]


def _exemplars(view: View, incident: str) -> tuple[Exemplar, ...]:
    record = view.find(Address(INCIDENTS, incident))
    if record is None or not isinstance(record.body, dict):
        return ()
    try:
        return from_json(record.body).exemplars
    except Malformed:
        # Somebody wrote something else there; the case has its own stack.
        return ()


def sheet_of(incident: str, answered: Answered, stacks: Sequence[str], code: Code, *, at: datetime) -> Sheet:
    """What sources get to see."""
    trace, places = _located([trace for stack in stacks if (trace := parsed(stack)) is not None], code)
    return Sheet(incident, at, trace, places, answered.recollection, answered.diagnosis, code)


@lru_cache(maxsize=256)
def parsed(stack: str) -> Trace | None:
    """The trace in a text."""
    return parse(stack)


def _located(traces: Sequence[Trace], code: Code) -> tuple[Trace | None, tuple[Place, ...]]:
    """The first trace that leads into this code, or else the first one."""
    for trace in traces:
        places = locate(trace, code)
        if places:
            return trace, places
    return (traces[0] if traces else None), ()


def told_harms(recollection: Recollection) -> tuple[Harm, ...]:
    """Harm that cases tell in sentences only: in notes, causes, summaries and endings."""
    found: list[Harm] = []
    for one in recollection.remembered:
        if one.familiarity is Familiarity.NEW:
            continue
        evidence = (f"{one.address}@{one.version}",)
        found += [Harm(action, said, evidence) for action, said in _harm_in(_prose(one.case))]
    return tuple(found)


def _prose(case: Case) -> str:
    parts = [case.summary]
    parts += [case.cause.text] if case.cause is not None else []
    parts += [case.resolution.text] if case.resolution is not None else []
    parts += [note.text for note in case.notes]
    parts += [said.quote for attempt in case.attempts for said in attempt.evidence]
    return "\n\n".join(dict.fromkeys(part.strip() for part in parts if part.strip()))[:PROSE_CHARS_MAX]


@lru_cache(maxsize=1_024)
def _harm_in(prose: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (one.action, one.evidence[0].quote if one.evidence else "")
        for one in attempts_in(prose)
        if one.outcome is Outcome.MADE_WORSE and one.confidence >= SURE_MIN
    )
