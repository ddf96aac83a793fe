"""Stack traces as values: what was raised, where, and what led to it.

A trace is what a program printed, taken apart. It decides nothing: which frames count is a fingerprint's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Language(StrEnum):
    """The family of languages whose way of printing a trace was recognised."""

    PYTHON = "python"
    JVM = "jvm"
    JAVASCRIPT = "javascript"
    GO = "go"
    RUBY = "ruby"
    DOTNET = "dotnet"
    RUST = "rust"
    PHP = "php"
    # C, C++, kernels, sanitizers, debuggers, crash reporters: whatever has addresses instead of a runtime.
    NATIVE = "native"


class Relation(StrEnum):
    """How one exception of a trace came to be there."""

    # The one that reached the log.
    RAISED = "raised"
    # It was the cause of the one before.
    CAUSE = "caused by"
    # It was being handled when the one before was raised.
    DURING = "during handling of"
    # It is a member of the group before.
    GROUP = "in group"
    # It was raised while cleaning up after the one before, and set aside.
    SUPPRESSED = "suppressed"


@dataclass(frozen=True, slots=True)
class Frame:
    """One call on a stack. What the trace does not tell is empty, or 0."""

    # As printed, without its arguments: `com.acme.Pool.take`, `main.(*Server).run`, `parse_header`.
    function: str
    # A package, a library or a binary, where the trace names one apart from the function.
    module: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    # False for the language's own library, for installed packages and for the runtime.
    in_app: bool = True
    # The source line, where the trace shows it.
    code: str = ""


@dataclass(frozen=True, slots=True)
class Raised:
    """One exception, panic, signal or failed check, with the stack it came from."""

    type: str
    message: str
    # Innermost first: where it happened, then who called that, and so on.
    frames: tuple[Frame, ...] = ()
    relation: Relation = Relation.RAISED
    # The condition that did not hold, as it stands in the code, when this is a failed assertion.
    asserted: str = ""
    # The file an assertion stands in, without its folder.
    asserted_in: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Thread:
    """Another stack of the same trace: a goroutine, or where the memory that was misused had been freed."""

    name: str
    frames: tuple[Frame, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """One stack trace found in a text.

    `raised` begins with the exception that reached the log; each one after it says by its relation how it led there.
    """

    language: Language
    raised: tuple[Raised, ...]
    threads: tuple[Thread, ...] = ()
    # Where it stands in the text, counted from 0, the last line included.
    first_line: int = 0
    last_line: int = 0

    @property
    def frames(self) -> int:
        """How many frames all exceptions have together."""
        return sum(len(raised.frames) for raised in self.raised)
