"""What is alike and what is not between what is asked and a case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hindcast.model.case import Case
from hindcast.model.recollection import Cue, Remembered
from hindcast.reason.wording import listed, one_line, plain_name

ALIKE_MAX = 4
DIFFERS_MAX = 4
FRAMES_NAMED_MAX = 3
TEXT_CHARS_MAX = 200
# As in "deploy of checkout 4.12.0".
CHANGE_WORDS_MAX = 6


def alike(cue: Cue, remembered: Remembered) -> tuple[str, ...]:
    """Why a case came to mind: recall's reasons, or else what both have in common."""
    if remembered.reasons:
        return remembered.reasons[:ALIKE_MAX]
    case = remembered.case
    found = [
        (_shared(cue.clues.frames, case.clues.frames), "the same functions on the stack"),
        (_shared(_short(cue.clues.exceptions), _short(case.clues.exceptions)), "the same exception"),
        (_shared(cue.services, case.services), "the same service"),
        (_shared(cue.clues.components, _components(case)), "the same component"),
    ]
    return tuple(f"{what}: {listed(names, most=FRAMES_NAMED_MAX)}" for names, what in found if names)[:ALIKE_MAX]


def differs(cue: Cue, case: Case, changes: Sequence[str] = ()) -> tuple[str, ...]:
    """What is not as it was then, in sentences. Silence about something is no difference."""
    found: list[str] = []
    services = _new(cue.services, case.services)
    if services and case.services:
        if len(services) == len(cue.services):
            found.append(f"It is in {_names(services)} now; then it was in {_names(case.services)}.")
        else:
            found.append(f"It affects {_names(services)} as well.")
    ours, theirs = _short(cue.clues.exceptions), _short(case.clues.exceptions)
    if ours and theirs and not _shared(ours, theirs):
        found.append(f"The exception is {_names(ours, most=2)} now; then it was {_names(theirs, most=2)}.")
    components = _new(cue.clues.components, _components(case))
    if components and _components(case):
        found.append(f"It mentions {_names(components)}; then it did not.")
    for change in changes:
        text = one_line(change, TEXT_CHARS_MAX)
        if text and not _was_there(text, case):
            found.append(
                f"Just before it: {plain_name(text, words_max=CHANGE_WORDS_MAX)}. Then there was no such change."
            )
    return tuple(found[:DIFFERS_MAX])


def _names(names: Sequence[str], *, most: int = 4) -> str:
    return listed([plain_name(one) for one in names], most=most)


def _was_there(change: str, case: Case) -> bool:
    told = (note.text for note in case.notes)
    return any(change.casefold() in text.casefold() for text in (*told, *case.links, *case.symptoms))


def _components(case: Case) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*case.components, *case.clues.components)))


def _short(exceptions: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.replace("::", ".").rpartition(".")[2] for name in exceptions))


def _shared(a: Sequence[str], b: Sequence[str]) -> tuple[str, ...]:
    known = {name.casefold() for name in b}
    return tuple(name for name in a if name.casefold() in known)


def _new(a: Sequence[str], b: Sequence[str]) -> tuple[str, ...]:
    known = {name.casefold() for name in b}
    return tuple(name for name in a if name.casefold() not in known)
