"""Takes apart what somebody pasted: traces, fingerprints, identifiers. The same for a question and for a case."""

from __future__ import annotations

from dataclasses import replace

from hindcast.ingest.fingerprint import of_message, of_trace
from hindcast.ingest.fingerprint.names import name_of
from hindcast.ingest.fingerprint.parameters import parameterised
from hindcast.ingest.level import is_access
from hindcast.ingest.trace import parse
from hindcast.model.case import Case, Clues
from hindcast.model.trace import Relation, Trace
from hindcast.recall.reading import components, exceptions, identifiers, title_of

# Of a long text the first lines and the last are read: errors stand at either end.
READ_CHARS_MAX = 200_000
LINES_FINGERPRINTED_MAX = 5
LINE_CHARS_MAX = 1_000
ERROR_CHARS_MAX = 400


def clues_of(text: str, *, stack: str = "", earlier: bool = False) -> Clues:
    """What in a text (and the stack that came with it) identifies a failure.

    A question also asks by the numbers that its trace had under `earlier` rules, which records of then still hold.
    """
    if len(text) > READ_CHARS_MAX:
        half = READ_CHARS_MAX // 2
        text = f"{text[:half]}\n{text[-half:]}"
    whole = f"{text}\n{stack}" if stack else text
    trace = (parse(stack) if stack else None) or parse(text)
    words = [line.strip()[:LINE_CHARS_MAX] for line in text.splitlines() if line.strip()]
    numbers: list[int] = []
    if trace is not None:
        made = of_trace(trace)
        numbers += [number for number in (made.app, made.system, *(made.earlier if earlier else ())) if number]
    else:
        numbers += [of_message(line).id for line in words[:LINES_FINGERPRINTED_MAX] if not is_access(line)]
    return Clues(
        fingerprints=tuple(dict.fromkeys(numbers)),
        exceptions=_exceptions(trace) or exceptions(text),
        frames=_frames(trace),
        identifiers=identifiers(whole),
        components=components(whole),
        errors=_errors(trace),
    )


def with_clues(case: Case) -> Case:
    """The case with the clues of its own words: of what was seen, and of its title where nobody wrote that down."""
    seen = "\n".join(case.symptoms) or f"{title_of(case)}\n{case.summary}"
    return replace(case, clues=clues_of(seen, stack=case.stack))


def _exceptions(trace: Trace | None) -> tuple[str, ...]:
    if trace is None:
        return ()
    return tuple(
        dict.fromkeys(one.type for one in trace.raised if one.type and one.relation is not Relation.SUPPRESSED)
    )


def _errors(trace: Trace | None) -> tuple[str, ...]:
    if trace is None:
        return ()
    said = (
        (one.type, parameterised(one.message)[:ERROR_CHARS_MAX])
        for one in trace.raised
        if one.relation is not Relation.SUPPRESSED
    )
    return tuple(dict.fromkeys(": ".join(filter(None, one)) for one in said if any(one)))


def _frames(trace: Trace | None) -> tuple[str, ...]:
    if trace is None:
        return ()
    names = (name_of(frame, trace.language) for one in trace.raised for frame in one.frames)
    return tuple(dict.fromkeys(name for name in names if name))
