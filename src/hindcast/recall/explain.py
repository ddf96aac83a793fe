"""Why a case is thought to be the same, in sentences that somebody can check against the two texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hindcast.model.case import Case
from hindcast.model.recollection import Cue
from hindcast.recall.keys import short_exception

NAMES_TOLD_MAX = 4
# Shares and likenesses below these are not worth a sentence.
TRACE_MIN = 0.25
WORDS_MIN = 0.6
MEANING_MIN = 0.6


def reasons(cue: Cue, case: Case, features: Mapping[str, float]) -> tuple[str, ...]:
    """What speaks for a case, the strongest first. Empty: nothing but a faint likeness."""
    return tuple(_reasons(cue, case, features))


def _reasons(cue: Cue, case: Case, features: Mapping[str, float]) -> Iterator[str]:
    if features.get("fingerprint"):
        yield "the same fingerprint: it failed at the same place"
    if features.get("message"):
        yield "the same error line"
    frames = _shared(cue.clues.frames, case.clues.frames)
    if frames and features.get("trace", 0.0) >= TRACE_MIN:
        yield f"the same stack: {_list(frames)}"
    exceptions = _shared(
        [short_exception(name) for name in cue.clues.exceptions],
        [short_exception(name) for name in case.clues.exceptions],
    )
    if exceptions:
        named = {short_exception(name): name for name in cue.clues.exceptions}
        yield f"the same exception: {_list([named[name] for name in exceptions])}"
    names = _shared(cue.clues.identifiers, case.clues.identifiers)
    if names:
        yield f"the same names: {_list(names)}"
    components = _shared(cue.clues.components, (*case.components, *case.clues.components))
    if components:
        yield f"the same component: {_list(components)}"
    if features.get("service"):
        services = _shared(cue.services, case.services)
        yield f"the same service: {_list(services)}" if services else f"it names {_list(case.services)}"
    if features.get("words", 0.0) >= WORDS_MIN:
        yield "nearly the same words"
    elif features.get("meaning", 0.0) >= MEANING_MIN:
        yield "it means nearly the same"


def _shared(asked: Sequence[str], remembered: Sequence[str]) -> list[str]:
    known = {name.lower() for name in remembered}
    return [name for name in dict.fromkeys(asked) if name.lower() in known]


def _list(names: Sequence[str]) -> str:
    told = ", ".join(names[:NAMES_TOLD_MAX])
    return f"{told} …" if len(names) > NAMES_TOLD_MAX else told
