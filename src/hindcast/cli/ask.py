"""`hindcast ask`: a question in words, answered from what is remembered, every sentence with its records."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hindcast.cli import options
from hindcast.cli.render import clean
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed

if TYPE_CHECKING:
    from hindcast.ask.events import Answer, Event, Sentence

STDIN_BYTES_MAX = 2_000_000
ARGUMENTS_CHARS_MAX = 100

Asked = Annotated[
    list[str] | None,
    typer.Argument(metavar="QUESTION", help="In words; - reads stdin, as in an error.", show_default=False),
]
EPILOG = """[dim]# Words, or an error as it is; the tools that answer are the ones that agents use.[/dim]
hindcast ask what usually fixes redis
hindcast ask "what did we know about redis on 3 November?"
kubectl logs payment-7d9f --tail 50 | hindcast ask -"""


def install(app: typer.Typer, panel: str | None = None) -> None:
    """Put the command into an app."""
    verb(app, "ask", panel=panel, epilog=EPILOG)(ask)


def ask(session: Session, asked: Asked = None, at: options.At = None) -> None:
    """Answer a question from what is remembered. It writes nothing.

    Rules read the question and say how; or a language model does, if one is set (ask_model), with tools that only read.
    Every sentence names the incidents it rests on, and what rests on none is marked (uncited).
    """
    from hindcast.ask import Done, Failed
    from hindcast.ask.telling import answer_told
    from hindcast.build.ask import open_asker
    from hindcast.build.desks import open_desks

    question = _question(asked)
    asker = open_asker(session.settings)
    desks = open_desks(session.settings, session.memory, now=session.now, others=session.other)
    desk = desks.at(session.settings.space, actor=session.who)
    shown = _Shown(session)
    for event in asker.ask(question, desk, at=at or ""):
        if isinstance(event, Failed):
            raise event.error
        if not isinstance(event, Done):
            shown.tell(event)
        elif session.as_json:
            session.answer(answer_told(event.answer))
        else:
            shown.end(event.answer)


def _question(asked: list[str] | None) -> str:
    words = asked or []
    if not words:
        raise Malformed(
            "Nothing was asked.", field="QUESTION", remedy='Ask in words: hindcast ask "what usually fixes redis?"'
        )
    if words != ["-"]:
        return " ".join(words)
    content = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(content) > STDIN_BYTES_MAX:
        raise Malformed(
            f"Stdin gave more than {STDIN_BYTES_MAX:,} bytes.",
            field="QUESTION",
            remedy="Pipe the part around the error, or use `hindcast recall -`, which reads whole logs.",
        )
    return content.decode("utf-8", errors="replace").removeprefix("\ufeff")


class _Shown:
    """An answer on a terminal as it comes; elsewhere only the answer itself, when it is complete."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._is_live = session.out.is_terminal and not session.as_json
        self._said = 0

    def tell(self, event: Event) -> None:
        """What happens while it is answered."""
        from hindcast.ask.events import Called, Found, Said, Understood

        if self._session.as_json:
            return
        if isinstance(event, Said):
            if self._is_live:
                self._said += 1
                self._print(event.sentence)
        elif isinstance(event, Understood):
            self._dim(f"I read this as: {event.reading}.")
        elif isinstance(event, Called):
            given = " ".join(f"{name}={_short(value)}" for name, value in event.arguments.items())
            self._dim(f"→ {event.tool} {given}")
        elif isinstance(event, Found):
            self._dim(f"  {'refused: ' if event.is_error else ''}{event.summary}")

    def end(self, answer: Answer) -> None:
        """What is left to show once the answer is complete."""
        session = self._session
        if not self._is_live:
            for sentence in answer.sentences:
                self._print(sentence)
        for note in answer.notes:
            session.out.print(Text(f"Note: {clean(note)}", style="yellow"), soft_wrap=True)
        costs = answer.costs
        tokens = f", {costs.tokens_in:,} + {costs.tokens_out:,} tokens of {answer.model}" if answer.model else ""
        self._dim(f"{costs.calls} {'call' if costs.calls == 1 else 'calls'}{tokens}, {costs.seconds:.1f} s")

    def _print(self, sentence: Sentence) -> None:
        from hindcast.ask.telling import short

        line = Text(clean(sentence.text))
        if sentence.citations:
            line.append(f" [{', '.join(clean(short(ref)) for ref in sentence.citations)}]", style="cyan")
        elif not sentence.is_aside:
            line = Text("(uncited) ", style="yellow") + line
        self._session.out.print(line, soft_wrap=not self._is_live)

    def _dim(self, text: str) -> None:
        self._session.hint(clean(text))


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= ARGUMENTS_CHARS_MAX else f"{text[: ARGUMENTS_CHARS_MAX - 1]}…"
