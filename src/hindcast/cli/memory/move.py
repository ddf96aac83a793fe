"""Moves a whole history out of a space and into another one, as JSON lines."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer
from rich.text import Text

from hindcast.cli import render
from hindcast.cli.session import Session
from hindcast.model.errors import Malformed, Missing, Refused, Unavailable

# Between the first byte and the rename nobody sees this file.
_UNFINISHED_SUFFIX = ".part"


def export(
    session: Session,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to; - or nothing means stdout.")] = "-",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write the whole history as JSON lines, lossless."""
    if file == "-":
        if session.as_json:
            raise Malformed(
                "An export is JSON lines already.", field="--json", remedy="Name a file, or leave --json out."
            )
        for line in session.memory().export():
            sys.stdout.buffer.write(line)
        return
    target = Path(file)
    if target.exists() and not force:
        raise Refused(f"{target} is there already.", field="file", remedy="Name another file, or add --force.")
    memory = session.memory()
    with session.progress("Exporting") as report, _whole(target) as out:
        lines = _written(out, memory.export(report))
    document = {"file": str(target), "lines": lines, "bytes": target.stat().st_size}
    session.answer(document, Text(f"{target}: {lines:,} lines, {render.size(target.stat().st_size)}."))


def _written(out: IO[bytes], lines: Iterable[bytes]) -> int:
    count = 0
    for line in lines:
        out.write(line)
        count += 1
    return count


@contextmanager
def _whole(target: Path) -> Iterator[IO[bytes]]:
    """A file that appears when it is complete, and not before."""
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=_UNFINISHED_SUFFIX)
    except OSError as error:
        raise Unavailable(f"{target} cannot be written: {error.strerror}.", remedy="Name another place.") from error
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(target)
    except OSError as error:
        raise Unavailable(
            f"{target} cannot be written: {error.strerror}.", remedy="Free some space or name another place."
        ) from error
    finally:
        part.unlink(missing_ok=True)


def import_file(
    session: Session,
    file: Annotated[str, typer.Argument(metavar="FILE", help="An export; - reads stdin.")],
) -> None:
    """Take in an export, into a space that holds nothing yet. All of it, or nothing."""
    with _source(file) as source, session.progress("Importing") as report:
        count = session.memory(create=True).import_lines(source, report)
    session.answer(
        {"commits": count, "space": session.settings.space},
        Text(f"{render.plural(count, 'commit')} came into {session.settings.space}."),
    )
    session.hint("Check them: hindcast memory verify")


@contextmanager
def _source(file: str) -> Iterator[IO[bytes]]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        opened = Path(file).open("rb")  # noqa: SIM115
    except FileNotFoundError as error:
        raise Missing(f"There is no file {file}.", field="file", remedy="Correct its path.") from error
    except OSError as error:
        raise Malformed(
            f"{file} cannot be read: {error.strerror}.", field="file", remedy="Name another one."
        ) from error
    with opened:
        yield opened
