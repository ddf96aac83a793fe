"""Tells of failures: one table from the error tree to exit codes, and two calm lines on stderr for each."""

from __future__ import annotations

import os
import sys
import traceback

import orjson
import typer

from hindcast.cli.render import clean
from hindcast.model.errors import Damaged, HindcastError, Malformed, Missing, Refused, Stale, Unavailable

CONFLICTS = 8
FAULTS = 7
UNEXPECTED = 70
INTERRUPTED = 130

# The one table. What a caller can do next decides the code, so that a script can decide without reading words.
EXIT_CODES: dict[type[HindcastError], int] = {
    Malformed: 2,
    Missing: 3,
    Stale: 4,
    Refused: 5,
    Unavailable: 6,
    Damaged: 7,
}

MEANINGS: tuple[tuple[int, str, str], ...] = (
    (0, "", "It worked."),
    (2, "Malformed", "The input is wrong: fix it and call again. Wrong options count as well."),
    (3, "Missing", "What was asked for is not there: look for what is."),
    (4, "Stale", "The world moved on meanwhile: read again, then retry."),
    (5, "Refused", "Well-formed but not allowed: ask for something else, or for permission."),
    (6, "Unavailable", "Something outside does not answer (a lock, a full disk, a server): wait, then retry."),
    (7, "Damaged", "Stored bytes are not what was written, or `verify` found faults: restore from a copy."),
    (8, "", "A merge or revert met conflicts and wrote nothing: choose, then run it again."),
    (70, "", "A bug in Hindcast. HINDCAST_DEBUG=1 shows the traceback."),
    (130, "", "Interrupted with Ctrl-C."),
)


def tell(error: Exception, *, as_json: bool) -> int:
    """Say on stderr what went wrong and what to do about it; the exit code for it."""
    kind, problem, remedy, field, code = _translated(error)
    if as_json:
        told = {"kind": kind, "problem": problem, "remedy": remedy, "field": field, "exit_code": code}
        _write(orjson.dumps({"error": told}, option=orjson.OPT_INDENT_2).decode())
        return code
    where = f"{field}: " if field else ""
    for line in (f"{where}{problem}", remedy):
        if line:
            _write(clean(line))
    if code == UNEXPECTED and _debugging():
        _write("".join(traceback.format_exception(error)))
    return code


def _translated(error: Exception) -> tuple[str, str, str, str | None, int]:
    """Kind, problem, remedy, field and exit code of any error at all."""
    if isinstance(error, HindcastError):
        code = next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), UNEXPECTED)
        return type(error).__name__, error.problem, error.remedy, error.field, code
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "hindcast"
        return "Malformed", error.format_message(), f"See `{command} --help`.", None, EXIT_CODES[Malformed]
    if isinstance(error, typer.Abort):
        return "Refused", "Nothing was answered, so nothing was done.", "Run it again.", None, EXIT_CODES[Refused]
    problem = f"Hindcast met something it did not expect ({type(error).__name__}: {error})."
    remedy = "" if _debugging() else "This is a bug. Run it again with HINDCAST_DEBUG=1 to see where, and report it."
    return "Unexpected", problem, remedy, None, UNEXPECTED


def _debugging() -> bool:
    return os.environ.get("HINDCAST_DEBUG") == "1"


def _write(text: str) -> None:
    sys.stderr.write(text.rstrip("\n") + "\n")
