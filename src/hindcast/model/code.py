"""Code as values: a file of a workspace as it was read, a place in it, and an edit that knows what it was made for.

Texts have plain newlines in here, whatever the file has. A file's digest is that of its bytes, so that an edit can be
held against the very bytes it was made for.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Tongue(StrEnum):
    """What a file is written in, as far as its name tells."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    TSX = "tsx"
    GO = "go"
    JAVA = "java"
    RUBY = "ruby"
    RUST = "rust"
    PHP = "php"
    CSHARP = "csharp"
    C = "c"
    SHELL = "shell"
    SQL = "sql"
    YAML = "yaml"
    TOML = "toml"
    JSON = "json"
    INI = "ini"
    # NAME=value, as in .env and systemd's environment files.
    ENV = "env"
    DOCKERFILE = "dockerfile"
    MARKDOWN = "markdown"
    HTML = "html"
    CSS = "css"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A text file of a workspace."""

    # Relative to the workspace, with slashes: `src/worker/tasks.py`.
    path: str
    # With plain newlines and without a byte order mark.
    text: str
    # Of the bytes as they lie there (sha256, hex).
    digest: str
    tongue: Tongue
    # How it is written back: its line ends ("\n", "\r\n" or "\r"), encoding and byte order mark.
    newline: str = "\n"
    encoding: str = "utf-8"
    has_mark: bool = False

    @property
    def lines(self) -> tuple[str, ...]:
        """Its lines, without their ends."""
        return tuple(self.text.split("\n"))


@dataclass(frozen=True, slots=True, order=True)
class LineSpan:
    """Lines of a file, the first one being 1, both included."""

    first: int
    last: int

    def covers(self, line: int) -> bool:
        """Whether a line lies in it."""
        return self.first <= line <= self.last


@dataclass(frozen=True, slots=True)
class Edit:
    """What a file is to become, and the digest of what it has to be before; None as text removes it."""

    path: str
    # Empty: the file must not exist yet.
    expected: str
    text: str | None


@dataclass(frozen=True, slots=True)
class CodeCommit:
    """A commit of a workspace's repository, as far as it explains a line."""

    id: str
    at: datetime
    author: str
    # Its first line.
    subject: str


@dataclass(frozen=True, slots=True)
class Blamed:
    """Lines that one commit last touched."""

    lines: LineSpan
    commit: CodeCommit


@dataclass(frozen=True, slots=True)
class Place:
    """Where in today's code a frame of a trace is."""

    path: str
    # In today's code; 0 when only the file is certain.
    line: int
    # The function as the trace names it, and the lines of its definition today, where that was found.
    function: str
    body: LineSpan | None
    # How sure that is, 0 to 1, and why: "the path ends alike", "moved in 1a2b3c".
    confidence: float
    how: str
    # Which frame it is: 0 is where it failed.
    depth: int = 0


@dataclass(frozen=True, slots=True)
class PastTrouble:
    """An incident that touched a place before, by its trace or by its fix."""

    case: str
    title: str
    at: datetime
    # "its fix changed it", "its trace went through it".
    how: str


@dataclass(frozen=True, slots=True)
class Context:
    """What there is to know about a place before anybody changes it."""

    # As CODEOWNERS names them, or else the authors of most of its lines.
    owners: tuple[str, ...] = ()
    # Those that its lines are from, newest first.
    commits: tuple[CodeCommit, ...] = ()
    # The latest first.
    troubles: tuple[PastTrouble, ...] = ()
