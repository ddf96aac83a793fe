"""Traces as programs print them, and what is made of each: readable text that a person has looked through.

Every `NAME.txt` in tests/golden/traces has its `NAME.out`. After a change that is meant, write the new ones with
`HINDCAST_WRITE_GOLDEN=1`, and read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hindcast.ingest.fingerprint import Variant, of_trace
from hindcast.ingest.trace import parse_all
from hindcast.model.trace import Frame, Language, Trace

FOLDER = Path(__file__).resolve().parent / "traces"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))


def shown_frame(frame: Frame) -> str:
    """One frame on one line."""
    place = f" {frame.file}:{frame.line}" if frame.file else ""
    column = f":{frame.column}" if frame.column else ""
    module = f" [{frame.module}]" if frame.module else ""
    code = f"  | {frame.code}" if frame.code else ""
    return f"  {'app' if frame.in_app else 'lib'} {frame.function or '-'}{place}{column}{module}{code}"


def shown(trace: Trace) -> str:
    """A trace and its fingerprint as text."""
    lines = [f"== {trace.language.value}, lines {trace.first_line + 1} to {trace.last_line + 1}"]
    for raised in trace.raised:
        lines.append(f"{raised.relation.value}: {raised.type or '-'}: {raised.message!r}")
        if raised.asserted:
            lines.append(f"  asserted {raised.asserted!r} in {raised.asserted_in or '-'}")
        lines += [f"  note {note!r}" for note in raised.notes]
        lines += [shown_frame(frame) for frame in raised.frames]
    for thread in trace.threads:
        lines.append(f"thread {thread.name}")
        lines += [shown_frame(frame) for frame in thread.frames]
    made = of_trace(trace)
    lines.append(f"title {made.title}")
    for part in made.parts:
        mark = "".join(v.value[0] if v in part.counts else "-" for v in (Variant.APP, Variant.SYSTEM))
        lines.append(f"  {mark} {part.kind} {part.value}  ({part.why})")
    lines.append(f"nearest {' < '.join(made.nearest)}")
    lines.append(f"fingerprint {made.id:016x} app {made.app:016x} system {made.system:016x} scheme {made.scheme}")
    return "\n".join(lines)


@pytest.mark.parametrize("name", NAMES)
def test_a_trace_reads_as_it_did(name: str) -> None:
    """Each recorded trace gives the frames, the reasons and the fingerprint that were found good."""
    found = parse_all((FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
    text = "\n".join(shown(trace) for trace in found) + "\n"
    golden = FOLDER / f"{name}.out"
    if os.environ.get("HINDCAST_WRITE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")

    assert text == golden.read_text(encoding="utf-8")


def test_every_language_is_recorded() -> None:
    """There is at least one recorded trace of every family of languages."""
    recorded = {trace.language for name in NAMES for trace in parse_all((FOLDER / f"{name}.txt").read_text("utf-8"))}

    assert recorded == set(Language)
