"""What a rule of redaction is: a kind of secret, how it is found, and what is written in its place.

Patterns are Python's, read with ASCII meaning, and written so that they take time in proportion to the text: they begin
with a literal or behind a boundary, and what repeats cannot be divided in two ways. Nothing but a single character
repeats possessively: Python reads `(?:a|b)*+` wrongly before 3.11.5, and then lets secrets pass. Hints are RE2's, which
always takes time in proportion to the text; a whole column is looked through with all hints at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from hindcast.model.errors import Malformed

KIND = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
KIND_CHARS_MAX = 32

Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class Rule:
    """One way in which one kind of secret is written."""

    # What the placeholder calls it: lower-case words joined by hyphens.
    kind: str
    # The secret is the group named `secret` (or `secret_…`, where there are several ways to end), else the whole match.
    pattern: str
    # Found in every text in which the pattern is found, and in few others. Without one, every text of a column is
    # looked at by the pattern itself: right, but slow.
    hint: str = ""
    # One of these, in lower case, is in every text in which the pattern is found; the pattern is tried where one is.
    words: tuple[str, ...] = ()
    # Looks closer at a match: false means that it is no secret after all.
    accepts: Callable[[Match], bool] | None = None

    def __post_init__(self) -> None:
        if not KIND.fullmatch(self.kind) or len(self.kind) > KIND_CHARS_MAX:
            raise Malformed(
                f"{self.kind!r} cannot name a kind of secret.",
                field="kind",
                remedy=f"Use up to {KIND_CHARS_MAX} lower-case letters, digits and single hyphens, as in badge-no.",
            )
        try:
            found = re.compile(self.pattern, re.ASCII).search("")
        except re.error as error:
            raise Malformed(
                f"{self.pattern!r} is not a regular expression: {error}.",
                field="pattern",
                remedy="Write one as Python's re module reads it.",
            ) from error
        if found is not None:
            raise Malformed(
                f"{self.pattern!r} is found in an empty text, so it says nothing of a secret.",
                field="pattern",
                remedy="Ask for at least one character.",
            )

    @property
    def placeholder(self) -> str:
        """What is written where the secret stood."""
        return placeholder(self.kind)


def secret_group(match: Match) -> int | str:
    """The group of a match that holds the secret."""
    for name in match.re.groupindex:
        if name.startswith("secret") and match[name] is not None:
            return name
    return 0


def secret(match: Match) -> str:
    """The secret that a match has found."""
    return match[secret_group(match)]


def placeholder(kind: str) -> str:
    """What is written in place of a secret of this kind."""
    return f"[redacted:{kind}]"


def either_case(word: str) -> str:
    """A word in upper or lower case, as an expression that folds no letters outside ASCII and so stays small."""
    return "".join(f"[{char.lower()}{char.upper()}]" if char.isalpha() else re.escape(char) for char in word)


def any_of(*words: str) -> str:
    """Any of some words in upper or lower case, for a hint."""
    return "(?:" + "|".join(either_case(word) for word in words) + ")"
