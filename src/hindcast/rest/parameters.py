"""The names of query parameters: one that a route does not know is refused, with the nearest that it does.

A parameter that is read over silently gives an answer without the filter that was asked for, and a script acts on it.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable

from hindcast.model.errors import Malformed

# Where an identity provider sends a browser back to; it adds what it likes to the address.
OTHERS_ADD = frozenset({"/api/v1/session/provider/callback"})
NAME_CHARS_MAX = 60

# Names of one thing: whoever means one of them by another is told which it is called here.
_SAME: tuple[frozenset[str], ...] = (
    frozenset({"words", "text", "q", "query", "search", "contains", "grep", "filter"}),
    frozenset({"since", "from", "start", "after", "begin"}),
    frozenset({"until", "to", "end", "before"}),
    frozenset({"limit", "size", "count", "per_page", "page_size", "max", "most"}),
    frozenset({"cursor", "page", "offset", "token", "next"}),
    frozenset({"level", "severity", "level_min", "loglevel"}),
    frozenset({"service", "services", "service_name", "app"}),
    frozenset({"at", "when", "time", "moment", "as_of"}),
    frozenset({"space", "project", "tenant"}),
    frozenset({"state", "status", "states"}),
)


def check(given: Iterable[str], known: Collection[str]) -> None:
    """Raise Malformed at the first parameter that is not known."""
    name = next((name for name in given if name not in known), None)
    if name is None:
        return
    near = _nearest(name, known)
    meant = f"Did you mean {near!r}? " if near else ""
    names = f"Its parameters are {', '.join(sorted(known))}." if known else "It takes none."
    shown = name[:NAME_CHARS_MAX]
    raise Malformed(f"There is no parameter {shown!r} here.", field=shown, remedy=f"{meant}{names}")


def _nearest(name: str, known: Collection[str]) -> str:
    spelt = name.casefold().replace("-", "_")
    same = next((one for group in _SAME if spelt in group for one in sorted(group & set(known))), "")
    return same or next(iter(difflib.get_close_matches(spelt, known, n=1, cutoff=0.6)), "")
