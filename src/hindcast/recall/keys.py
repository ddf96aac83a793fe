"""The keys of a case: whole values by which it is found exactly, at any moment and on any branch.

A key is a prefix and a value. The index knows how rare each one is, so that a shared frame that few cases have counts
for more than one that all of them have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hindcast.model.case import Case, Clues

FINGERPRINT = "fp"
FRAME = "frame"
EXCEPTION = "exc"
IDENTIFIER = "id"
COMPONENT = "cmp"
SERVICE = "svc"
# Every arm by itself: the prefixes whose keys it asks for.
PREFIXES = (FINGERPRINT, FRAME, EXCEPTION, IDENTIFIER, COMPONENT, SERVICE)

KEYS_PER_CASE_MAX = 400
KEY_CHARS_MAX = 200


def keys_of_case(case: Case) -> tuple[str, ...]:
    """All keys of a case, for the list `keys` of its record."""
    components = (*case.components, *case.clues.components)
    return _keys(case.clues, components, case.services)


def keys_of_clues(clues: Clues, services: Iterable[str] = ()) -> tuple[str, ...]:
    """The keys that a question with these clues looks for."""
    return _keys(clues, clues.components, services)


def having(prefix: str, keys: Iterable[str]) -> tuple[str, ...]:
    """The keys of one kind."""
    return tuple(key for key in keys if key.startswith(f"{prefix}:"))


def _keys(clues: Clues, components: Iterable[str], services: Iterable[str]) -> tuple[str, ...]:
    found = dict.fromkeys(_each(clues, components, services))
    return tuple(key for key in found if len(key) <= KEY_CHARS_MAX)[:KEYS_PER_CASE_MAX]


def _each(clues: Clues, components: Iterable[str], services: Iterable[str]) -> Iterator[str]:
    yield from (f"{FINGERPRINT}:{number:016x}" for number in clues.fingerprints)
    yield from (f"{EXCEPTION}:{short_exception(name)}" for name in clues.exceptions)
    yield from (f"{FRAME}:{name.lower()}" for name in clues.frames)
    yield from (f"{COMPONENT}:{name.lower()}" for name in components)
    yield from (f"{SERVICE}:{name.lower()}" for name in services)
    yield from (f"{IDENTIFIER}:{name.lower()}" for name in clues.identifiers)


def short_exception(exception: str) -> str:
    """The type without its package: a library may move it, and people leave it out."""
    return exception.replace("::", ".").rpartition(".")[2].lower()
