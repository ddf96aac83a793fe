"""Requests as other systems send them, and what is made of them, as text that a person can check."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from hindcast.ingest.sources import SOURCES
from hindcast.model.columns import Parsed, Rejection
from hindcast.model.signal import Alert, SystemChange

FOLDER = Path(__file__).parent / "webhooks"
CASES = sorted(path.stem for path in FOLDER.glob("*.http"))
NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)


def request(case: str) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a recorded request."""
    head, _, body = (FOLDER / f"{case}.http").read_text(encoding="utf-8").partition("\n\n")
    headers = dict(line.split(": ", 1) for line in head.splitlines())
    return body.strip().encode(), headers


def told(parsed: Parsed) -> str:
    """Everything that was made of a request, one field a line; what is empty is left out."""
    blocks = [*map(fields, parsed.alerts), *map(fields, parsed.changes), *map(fields, parsed.rejections)]
    return "\n\n".join(blocks) + "\n"


def fields(one: Alert | SystemChange | Rejection) -> str:
    """One value, with its labels and its texts indented."""
    lines = [type(one).__name__]
    for name in one.__slots__:
        value = getattr(one, name)
        if isinstance(value, dict):
            lines += (f"  {name}.{key} = {inner}" for key, inner in value.items())
        elif isinstance(value, datetime):
            lines.append(f"  {name} = {value.isoformat()}")
        elif value not in ("", None):
            first, *rest = str(value).split("\n")
            lines += (f"  {name} = {first}", *(f"  {' ' * len(name)} | {line}".rstrip() for line in rest))
    return "\n".join(lines)


def keys(parsed: Parsed) -> list[str]:
    """The keys of everything that a request tells of."""
    return [*(alert.key for alert in parsed.alerts), *(change.key for change in parsed.changes)]


def source(case: str) -> str:
    """The sender that a file's name begins with."""
    return case.partition("-")[0].replace("_", "-")


@pytest.mark.parametrize("case", CASES)
def test_a_request_is_read_as_it_was_agreed(case: str) -> None:
    """A recorded request becomes the alerts and changes that the text beside it says."""
    body, headers = request(case)

    assert told(SOURCES[source(case)](body, headers, now=NOW)) == (FOLDER / f"{case}.txt").read_text(encoding="utf-8")


def test_every_source_has_a_recorded_request() -> None:
    """No sender is supported without an example of what it sends."""
    assert {source(case) for case in CASES} == set(SOURCES)


@pytest.mark.parametrize("case", CASES)
def test_a_request_that_comes_twice_has_the_same_keys(case: str) -> None:
    """A request delivered again later tells of the same alerts and changes, so that nothing is counted twice."""
    body, headers = request(case)
    later = NOW.replace(hour=5)

    first, second = (SOURCES[source(case)](body, headers, now=now) for now in (NOW, later))

    assert keys(first) == keys(second)
    assert all(keys(first))
