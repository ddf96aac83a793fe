"""`hindcast recall`: have we seen this, what ended it, and what not to try."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hindcast.cli import commands, options
from hindcast.cli.render import clean
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed

if TYPE_CHECKING:
    from datetime import datetime

    from hindcast.model.diagnosis import Diagnosis
    from hindcast.model.recollection import Recollection, Remembered

# More than this nobody pipes in to ask about; it bounds what is held in memory.
STDIN_BYTES_MAX = 80_000_000
TEXT_FIELD = "TEXT"
# As much of what was asked as a verdict on the answer has to repeat.
ASKED_CHARS_MAX = 300


class Format(StrEnum):
    """How an answer is written."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    JSON = "json"


Asked = Annotated[
    list[str] | None,
    typer.Argument(metavar="TEXT", help="An error, a stack trace or a question; - reads stdin.", show_default=False),
]
Incident = Annotated[
    str, typer.Option("--incident", metavar="ID", help="Ask about an incident's failure.", show_default=False)
]
Services = Annotated[list[str] | None, typer.Option("--service", metavar="NAME", help="Where it happens; repeat it.")]
Explain = Annotated[bool, typer.Option("--explain", help="Show why each case came to mind, or was held back.")]
Shape = Annotated[Format, typer.Option("--format", help="For a person, a document or a script.")]
Tokens = Annotated[
    int | None,
    typer.Option("--tokens", metavar="N", help="For a model's context: at most so many tokens.", show_default=False),
]
Hits = Annotated[int, typer.Option("--hits", min=1, max=50, metavar="N", help="How many cases may come to mind.")]
EPILOG = """[dim]# Paste the error, or pipe the log.[/dim]
hindcast recall "ConnectionResetError: [Errno 104] Connection reset by peer"
kubectl logs payment-7d9f | hindcast recall - --service payment
hindcast recall --incident inc-20261115-0203-payment --explain"""


def install(app: typer.Typer, panel: str | None = None) -> None:
    """Put the command into an app."""
    verb(app, "recall", panel=panel, epilog=EPILOG)(recall)


def recall(
    session: Session,
    asked: Asked = None,
    incident: Incident = "",
    service: Services = None,
    explain: Explain = False,
    at: options.At = None,
    branch: options.OnBranch = "main",
    shape: Shape = Format.TERMINAL,
    tokens: Tokens = None,
    hits: Hits = 10,
) -> None:
    """Say whether the team has seen this before: the cause, the fix, what not to try, who knows. It writes nothing."""
    from hindcast.ask.intent import failure_in
    from hindcast.recollect import Recollect

    if shape is Format.JSON:
        session.as_json = True
    text = _text(asked, incident)
    asking = Recollect(session.memory(), now=session.now, others=session.other)
    moment = _moment(session, at)
    if incident:
        answered = asking.about(incident, moment=moment, branch=branch, hits_max=hits)
    else:
        failure = failure_in(text, session.now())
        answered = asking.ask(failure, services=tuple(service or ()), moment=moment, branch=branch, hits_max=hits)
    if tokens is not None:
        _pack(session, answered.recollection, answered.diagnosis, tokens)
        return
    _show(session, answered.recollection, answered.diagnosis, shape, explain=explain)
    if shape is Format.TERMINAL and session.out.is_terminal:
        _hint(session, answered.diagnosis)
        if incident and _has_code(session):
            session.hint(f"What to change in the code: hindcast review {incident}")


def _text(asked: list[str] | None, incident: str) -> str:
    """What is asked, out of the arguments or stdin."""
    words = asked or []
    if bool(words) == bool(incident):
        raise Malformed(
            "Nothing was asked." if not words else "A text and an incident were given.",
            field=TEXT_FIELD if not words else "--incident",
            remedy="Paste an error, pipe a log with -, or name an incident with --incident.",
        )
    if words != ["-"]:
        return " ".join(words)
    content = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(content) > STDIN_BYTES_MAX:
        raise Malformed(
            f"Stdin gave more than {STDIN_BYTES_MAX:,} bytes.",
            field=TEXT_FIELD,
            remedy="Pipe the part around the error, as in `tail -n 20000 app.log | hindcast recall -`.",
        )
    # Windows writes its logs so, and says so in the first two bytes.
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    return content.decode(encoding, errors="replace").removeprefix("\ufeff")


def _moment(session: Session, at: str | None) -> str | datetime | None:
    """The moment that is asked about; a time as such, so that ages are counted from it."""
    if at is None:
        return None
    from hindcast.memory.moments import read_time

    return read_time(at, session.now()) or at


def _pack(session: Session, recollection: Recollection, diagnosis: Diagnosis, tokens: int) -> None:
    from hindcast.recall.pack import pack

    packed = pack(recollection, diagnosis, tokens_max=tokens)
    document = {
        "text": packed.text,
        "tokens": packed.tokens,
        "tokens_max": tokens,
        "evidence": list(packed.evidence),
        "left_out": list(packed.left_out),
    }
    if session.as_json:
        session.answer(document)
        return
    # For a program, not for a screen: as it is, without a width.
    sys.stdout.write(clean(packed.text) + "\n")


def _show(session: Session, recollection: Recollection, diagnosis: Diagnosis, shape: Format, *, explain: bool) -> None:
    import msgspec

    from hindcast.cli.answer import shown
    from hindcast.reason.markdown import markdown

    if shape is Format.MARKDOWN and not session.as_json:
        sys.stdout.write(session.to_paste(markdown(diagnosis, recollection if explain else None)))
        return
    document: dict[str, Any] = msgspec.to_builtins(diagnosis)
    told, typed = _parted(session, diagnosis, recollection.cue.text)
    parts: list[RenderableType] = [shown(told, width=session.out.width)]
    parts += [commands.line(command) for command in typed]
    if explain:
        document["explained"] = msgspec.to_builtins(recollection)
        parts += _explained(recollection)
    session.answer(document, *parts)


def _parted(session: Session, diagnosis: Diagnosis, asked: str) -> tuple[Diagnosis, list[str]]:
    """The answer without the commands that its steps and notes end in, and those commands as they can be pasted."""
    typed: list[str] = []
    first = next((line.strip() for line in asked.splitlines() if line.strip()), "")[:ASKED_CHARS_MAX]

    def without(said: str) -> str:
        text, command = commands.parted(said)
        if not command:
            return text
        typed.append(session.to_paste(command.replace("--for TEXT", f"--for {shlex.quote(clean(first))}")))
        return f"{text}: see below."

    steps = tuple(replace(step, text=without(step.text)) for step in diagnosis.next_steps)
    return replace(diagnosis, next_steps=steps, notes=tuple(map(without, diagnosis.notes))), typed


def _explained(recollection: Recollection) -> list[RenderableType]:
    """The trace of every case: which arm put it where, what was compared, what spoke for and against it."""
    cue = recollection.cue
    clues = cue.clues
    heads = [
        ("read as", cue.kind.value),
        ("fingerprints", ", ".join(f"{number:016x}" for number in clues.fingerprints)),
        ("exceptions", ", ".join(clues.exceptions)),
        ("frames", ", ".join(clues.frames[:12])),
        ("identifiers", ", ".join(clues.identifiers[:20])),
        ("components", ", ".join(clues.components)),
        ("services", ", ".join(cue.services)),
        ("arms", ", ".join(recollection.arms)),
    ]
    grid = _grid()
    for label, text in heads:
        if text:
            grid.add_row(Text(label, style="dim"), Text(clean(text)))
    parts: list[RenderableType] = [Text("\nWhat was asked", style="bold"), grid]
    parts += [_trace(place, one) for place, one in enumerate(recollection.remembered, 1)]
    if not recollection.remembered:
        parts.append(Text("Nothing came to mind."))
    return parts


def _trace(place: int, one: Remembered) -> RenderableType:
    grid = _grid()
    grid.title = Text(f"\n{place}. {clean(one.address)}@{one.version}  {clean(one.case.title)}", style="bold")
    grid.title_justify = "left"
    ranks = ", ".join(f"{arm} #{rank.place} ({rank.score:.3f})" for arm, rank in sorted(one.ranks.items()))
    features = ", ".join(f"{name} {value:.3f}" for name, value in sorted(one.features.items()))
    sure = f"{one.confidence:.3f}, {one.familiarity.value}; score {one.score:.3f}"
    rows = [("confidence", sure), ("space", one.space), ("arms", ranks), ("features", features)]
    for label, text in rows:
        if text:
            grid.add_row(Text(label, style="dim"), Text(clean(text)))
    for reason in one.reasons:
        grid.add_row(Text("for it", style="green"), Text(clean(reason)))
    for gate in one.gates:
        grid.add_row(Text("held back", style="red"), Text(clean(gate)))
    return grid


def _grid() -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=12, no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _has_code(session: Session) -> bool:
    """Whether anybody said where the code is."""
    from hindcast.model.query import Filter

    return bool(session.memory().now().list(Filter(namespace="workspaces"), records_max=1).records)


def _hint(session: Session, diagnosis: Diagnosis) -> None:
    """How to say whether the answer was right, or how to begin where there is none."""
    if not diagnosis.case:
        session.hint("Write down what you try, for the next time: `hindcast incident attempt --help` says how.")
    elif ":" not in diagnosis.case:
        session.hint("Say whether it was this with the last command: --right, or --wrong.")
