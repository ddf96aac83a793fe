"""The error tree: one name for each thing a caller can do next.

Every error says what is wrong and what to do about it. The faces translate this tree in one table each
(exit codes, HTTP statuses, MCP errors); nothing below them catches it just to say it again.
"""

from __future__ import annotations


class HindcastError(Exception):
    """Something went wrong and the caller can act on it."""

    def __init__(self, problem: str, *, remedy: str, field: str | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        self.field = field

    def __str__(self) -> str:
        where = f"{self.field}: " if self.field else ""
        return f"{where}{self.problem} {self.remedy}"


class Malformed(HindcastError):
    """The input is wrong: fix it and call again."""


class Missing(HindcastError):
    """What was asked for is not there: look for what is."""


class Stale(HindcastError):
    """The world moved on meanwhile: read again, then retry."""


class Refused(HindcastError):
    """The request is well-formed but not allowed: ask for something else, or for permission."""


class Unidentified(Refused):
    """Nobody knows who asks: sign in, or send a key that is still good."""


class Unavailable(HindcastError):
    """Something outside is not answering (a lock, a full disk, a server): wait or repair it, then retry."""


class Busy(Unavailable):
    """Too much at once: nothing is broken, and the same request will do a little later."""

    def __init__(self, problem: str, *, remedy: str, retry_after_seconds: int, field: str | None = None) -> None:
        super().__init__(problem, remedy=remedy, field=field)
        self.retry_after_seconds = retry_after_seconds


class Damaged(HindcastError):
    """Stored bytes are not what was written: restore from a copy."""
