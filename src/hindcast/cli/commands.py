"""Commands that are printed for somebody to paste: they name the program, the store and the space that this run had.

The texts of Hindcast say `hindcast incident show ID`. Whoever called it with --store and --space, or by a path because
it is not on the PATH, has to paste that, too.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

# What may follow the program's name: else `hindcast` is a word of a sentence. That it is all there is, is a test.
NAMES = (
    "ask", "audit", "config", "demo", "doctor", "evaluate", "fingerprint", "fix", "group", "import",
    "incident", "ingest", "inject", "key", "learning", "mcp", "memory", "models", "organisation", "person",
    "project", "recall", "review", "serve", "share", "simulate", "template", "workspace",
)  # fmt: skip
_COMMAND = re.compile(rf"(?<![\w/.-])hindcast (?=(?:{'|'.join(NAMES)})\b)")
# Where a printed command ends, as far as its own options matter.
_END = re.compile(r"[`\n]|   ")
# The command within a sentence, and what is said after it.
_LAST = re.compile(rf"^(?P<lead>.*?):? (?P<command>hindcast (?:{'|'.join(NAMES)})\b.*?)(?P<rest> \(or .*\))?$")


def to_paste(text: str, where: Mapping[str, str | None]) -> str:
    """The same text with commands as they have to be typed here; `where` has the options that this run was given."""
    called = program()

    def placed(found: re.Match[str]) -> str:
        rest = text[found.end() :]
        end = _END.search(rest)
        own = rest[: end.start()] if end else rest
        given = [(f"--{name}", value) for name, value in where.items() if value and f"--{name} " not in own]
        return " ".join([called, *(f"{name} {shlex.quote(value)}" for name, value in given), ""])

    return _COMMAND.sub(placed, text)


def parted(text: str) -> tuple[str, str]:
    """A sentence that ends in a command, without it; and the command, so that it can stand on a line of its own."""
    found = _LAST.match(text)
    return (f"{found['lead']}{found['rest'] or ''}", found["command"]) if found else (text, "")


def line(command: str) -> RenderableType:
    """A command on a line of its own, however long: what is broken into lines cannot be pasted."""
    # In a group: a console that prints several texts makes one of them, which is broken into lines.
    return Group(Text(f"  {command}", style="cyan", no_wrap=True, overflow="ignore"))


def whole(where: str) -> str:
    """A store or a file as it is called from any folder; the address of a server stays as it is."""
    return where if "://" in where else str(Path(where).expanduser().resolve())


def program() -> str:
    """How this program has to be called from any folder: by its name where that is found, else by its path."""
    name = Path(sys.argv[0]).name if sys.argv else ""
    if name == "hindcast":
        found = shutil.which("hindcast")
        if found and os.path.realpath(found) == os.path.realpath(sys.argv[0]):
            return "hindcast"
        return shlex.quote(str(Path(sys.argv[0]).resolve()))
    if name == "__main__.py" and Path(sys.argv[0]).parent.name == "hindcast":
        return f"{shlex.quote(sys.executable)} -m hindcast"
    return "hindcast"
