"""How far each rule is to be trusted: how often it was right on code that nobody here wrote.

The counts are those of `bench/rules_read.toml`, where every finding was read; a test compares the two.
"""

from __future__ import annotations

# A rule that found nothing there is as good as its examples: a little less sure than one that was tried.
_RIGHT_BEFORE, _READ_BEFORE = 8.5, 10.0
# Rule: how many of its findings were right, of how many that were read.
READ: dict[str, tuple[int, int]] = {
    "py-catches-exit": (10, 11),
    "py-connection-not-closed-on-error": (1, 1),
    "py-error-passed-over": (0, 1),
    "py-program-without-timeout": (4, 4),
}


def precision(rule: str) -> float:
    """The share of a rule's findings that is right, as far as is known."""
    right, read = READ.get(rule, (0, 0))
    return (right + _RIGHT_BEFORE) / (read + _READ_BEFORE)
