"""Answers with a language model: it asks for tools, reads what they find, and words an answer that is checked.

The model decides nothing. It is offered the tools that only read; each call is checked, counted and made here, at the
desk of one space; what comes back is data between marks; and what it says in the end counts only as far as it cites
records that a tool has shown. Budgets are kept here, whatever the model's server counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

from hindcast.ask.citing import Checked, Evidence, Sentences
from hindcast.ask.direct import summary
from hindcast.ask.events import Answer, Called, Costs, Done, EndedBy, Event, Found, Said
from hindcast.ask.quoting import as_data, marks
from hindcast.ask.wording import plain
from hindcast.model.conversation import Call, Conversation, Offer, Piece, Result, Round, Spent
from hindcast.model.errors import HindcastError, Missing
from hindcast.ports import LLM
from hindcast.reason.wording import counted, listed
from hindcast.recall.pack import tokens_of
from hindcast.toolbox import TOOLS, Desk, call, schema

# What one reply may take, and what one result may add to a conversation.
REPLY_TOKENS_MAX = 2_000
RESULT_TOKENS_MAX = 3_000
RESULT_CHARS_MAX = 14_000
QUESTION_CHARS_MAX = 20_000
ARGUMENTS_CHARS_MAX = 20_000
SHOWN_CHARS_MAX = 200
# With less than this left, another reply could not say anything.
TOKENS_LEFT_MIN = 300
# Servers count a little differently; more than this over the limit is no difference but a model that goes on.
OVER_MAX = 1.5

READABLE = tuple(tool for tool in TOOLS if tool.is_read_only)
_OFFERED = frozenset(tool.name for tool in READABLE)


@dataclass(frozen=True, slots=True)
class AskLimits:
    """What one question may cost."""

    tokens_max: int = 50_000
    seconds_max: float = 60.0
    calls_max: int = 12


@dataclass(frozen=True, slots=True)
class World:
    """What happens outside while a question is answered."""

    # Seconds that only ever grow.
    seconds: Callable[[], float]
    # Whether nobody waits for the answer any more.
    is_over: Callable[[], bool]


class Stopped(Exception):
    """Nobody waits for the answer any more."""


class Unanswered(Exception):
    """The model did not come to an answer; why, and in words."""

    def __init__(self, ended_by: EndedBy, why: str) -> None:
        super().__init__(why)
        self.ended_by = ended_by
        self.why = why


@dataclass(frozen=True, slots=True)
class _Reply:
    """What a model said, and what it asked for."""

    said: tuple[Checked, ...]
    calls: tuple[Call, ...]
    memo: object


class Dialogue:
    """One question put to a language model, until it has answered or a budget is spent."""

    def __init__(self, llm: LLM, desk: Desk, limits: AskLimits, *, nonce: str, world: World, at: str = "") -> None:
        self._llm = llm
        self._desk = desk
        self._limits = limits
        self._nonce = nonce
        self._seconds = world.seconds
        self._is_over = world.is_over
        self._at = at
        self._began = world.seconds()
        self._evidence = Evidence()
        self._made: dict[str, str] = {}
        self.costs = Costs()
        self._invented = 0
        self._removed = 0

    def answered(self, question: str) -> Iterator[Event]:
        """The events of an answer, `Done` last. Raises Unanswered where the model does not come to one."""
        conversation = self._begun(question)
        while True:
            # Once every call is spent it is asked a last time, without tools, for what it has.
            is_last = self.costs.calls >= self._limits.calls_max
            conversation = replace(conversation, offers=() if is_last else _offers())
            reply = yield from self._reply(conversation)
            if not reply.calls:
                yield Done(self._answer(question, reply.said))
                return
            if is_last:
                raise Unanswered(EndedBy.CALLS, f"it asked for more than {counted(self._limits.calls_max, 'call')}")
            results: list[Result] = []
            for one in reply.calls:
                told = yield from self._called(one)
                results.append(Result(one, told))
            words = " ".join(checked.sentence.text for checked in reply.said)
            done = Round(words, tuple(results), reply.memo)
            conversation = replace(conversation, rounds=(*conversation.rounds, done))

    def _begun(self, question: str) -> Conversation:
        begin, end = marks(self._nonce)
        asked_at = f" Answer with what was known at {self._at}: every call is made as of then." if self._at else ""
        instructions = _instructions().format(
            now=f"{self._desk.now:%Y-%m-%d %H:%M} UTC",
            asked_at=plain(asked_at, SHOWN_CHARS_MAX),
            calls_max=self._limits.calls_max,
            begin=begin,
            end=end,
        )
        return Conversation(instructions, as_data(question, self._nonce, chars_max=QUESTION_CHARS_MAX))

    def _reply(self, conversation: Conversation) -> Generator[Event, None, _Reply]:
        """One reply: sentences as they are complete; returns them, the calls it asks for, and the adapter's memo."""
        sent = _tokens_in(conversation)
        left = self._limits.tokens_max - self.costs.tokens_in - self.costs.tokens_out - sent
        seconds_left = self._limits.seconds_max - (self._seconds() - self._began)
        if left < TOKENS_LEFT_MIN:
            raise Unanswered(EndedBy.TOKENS, f"it needed more than {self._limits.tokens_max:,} tokens")
        if self._is_over():
            raise Stopped
        if seconds_left <= 0:
            raise Unanswered(EndedBy.SECONDS, f"it took longer than {self._limits.seconds_max:.0f} seconds")
        allowed = min(left, REPLY_TOKENS_MAX)
        cutter, said, calls, spent, heard = Sentences(), list[Checked](), list[Call](), Spent(0, 0), 0
        pieces = self._llm.reply(conversation, tokens_max=allowed, seconds_max=seconds_left)
        with closing(pieces):  # type: ignore[type-var]
            for piece in self._guarded(pieces):
                if self._is_over():
                    raise Stopped
                if isinstance(piece, Spent):
                    spent = piece
                elif isinstance(piece, Call):
                    heard += tokens_of(piece.arguments[:ARGUMENTS_CHARS_MAX])
                    calls.append(piece)
                else:
                    heard += tokens_of(piece.text)
                    for checked in map(self._checked, cutter.add(piece.text)):
                        said.append(checked)
                        yield Said(checked.sentence)
                if heard > OVER_MAX * allowed:
                    self._spend(Spent(sent, heard))
                    raise Unanswered(EndedBy.TOKENS, "it did not stop speaking")
        for checked in map(self._checked, cutter.end()):
            said.append(checked)
            yield Said(checked.sentence)
        self._spend(Spent(spent.tokens_in or sent, spent.tokens_out or heard))
        return _Reply(tuple(said), tuple(calls), spent.memo)

    def _guarded(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """Pieces of a reply; what goes wrong with the model is no failure of the question."""
        try:
            yield from pieces
        except HindcastError as error:
            is_late = self._seconds() - self._began >= self._limits.seconds_max
            ended_by = EndedBy.SECONDS if is_late else EndedBy.MODEL_FAILED
            raise Unanswered(ended_by, plain(str(error), SHOWN_CHARS_MAX * 2)) from error

    def _spend(self, spent: Spent) -> None:
        costs = self.costs
        self.costs = replace(
            costs, tokens_in=costs.tokens_in + spent.tokens_in, tokens_out=costs.tokens_out + spent.tokens_out
        )

    def _checked(self, text: str) -> Checked:
        checked = self._evidence.check(text)
        self._invented += checked.invented
        self._removed += checked.removed
        return checked

    def _called(self, one: Call) -> Generator[Event, None, str]:
        """Make a call, if it may be made; returns what the model is told."""
        if self.costs.calls >= self._limits.calls_max:
            return "No more calls can be made. Answer with what you have."
        self.costs = replace(self.costs, calls=self.costs.calls + 1)
        tool = one.tool.strip()
        try:
            arguments = self._arguments(one)
            shown = {name: _short(value) for name, value in arguments.items()}
            yield Called(plain(tool, 80), shown)
            if tool not in _OFFERED:
                # Tools that write are not offered, so they do not exist here.
                raise Missing(
                    f"There is no tool {tool[:80]!r}.",
                    field="name",
                    remedy=f"The tools are {', '.join(sorted(_OFFERED))}.",
                )
            key = json.dumps([tool, arguments], sort_keys=True, default=str)
            if key in self._made:
                yield Found(tool, "The same call was made before.")
                return f"You have made this call before. It said:\n{self._made[key]}"
            found = call(tool, arguments, self._desk)
        except HindcastError as error:
            yield Found(plain(tool, 80), plain(str(error), SHOWN_CHARS_MAX), is_error=True)
            return as_data(f"Error. {error}", self._nonce, chars_max=RESULT_CHARS_MAX)
        self._evidence.add(found.evidence, found.text)
        yield Found(tool, summary(found), found.evidence)
        self._made[key] = as_data(found.text, self._nonce, chars_max=RESULT_CHARS_MAX)
        return self._made[key]

    def _arguments(self, one: Call) -> dict[str, Any]:
        """The arguments of a call, as of the moment that is asked about, and for no more than there is room for."""
        try:
            given = json.loads(one.arguments[: ARGUMENTS_CHARS_MAX + 1] or "{}")
        except ValueError as error:
            raise Missing(
                "The arguments are not JSON.", field="arguments", remedy='Write an object, such as {"text": "…"}.'
            ) from error
        if not isinstance(given, dict):
            raise Missing("The arguments are no object.", field="arguments", remedy='Write {"text": "…"}.')
        wanted = given.get("tokens_max")
        if isinstance(wanted, int | float) and wanted > RESULT_TOKENS_MAX:
            given["tokens_max"] = RESULT_TOKENS_MAX
        if self._at:
            given["after" if one.tool.strip() == "memory_diff" else "at"] = self._at
        return given

    def _answer(self, question: str, said: Sequence[Checked]) -> Answer:
        sentences = tuple(checked.sentence for checked in said if checked.sentence.text)
        if not any(sentence.citations for sentence in sentences):
            why = "it said nothing that rests on a record" if sentences else "it said nothing"
            raise Unanswered(EndedBy.UNSUPPORTED, why)
        answer = Answer(question, sentences, costs=self.costs, model=self._llm.name)
        return replace(answer, notes=tuple(self._notes(answer.uncited)))

    def _notes(self, uncited: int) -> Iterator[str]:
        if uncited:
            verb = "rests" if uncited == 1 else "rest"
            yield f"{counted(uncited, 'sentence')} {verb} on no record and {'is' if uncited == 1 else 'are'} marked."
        if self._invented:
            verb = "was" if self._invented == 1 else "were"
            yield f"{counted(self._invented, 'id')} that no tool had shown {verb} taken out."
        if self._evidence.suspects:
            names = listed(sorted(self._evidence.suspects), most=3)
            yield f"Text that speaks to language models stands in {names}: what rests on it alone is not believed."
        if self._removed:
            yield f"Links, images or markup were taken out: {self._removed}."


def _offers() -> tuple[Offer, ...]:
    return tuple(Offer(tool.name, tool.description, schema(tool)) for tool in READABLE)


def _instructions() -> str:
    return resources.files("hindcast.ask").joinpath("prompts/instructions.md").read_text("utf-8")


def _tokens_in(conversation: Conversation) -> int:
    """What a conversation costs to send, counted without anybody's tokenizer: rather too much than too little."""
    told = [conversation.instructions, conversation.question]
    for one in conversation.rounds:
        told += [one.said, *(f"{each.call.tool} {each.call.arguments} {each.text}" for each in one.results)]
    return sum(map(tokens_of, told)) + sum(tokens_of(json.dumps(offer.schema)) for offer in conversation.offers)


def _short(value: Any) -> Any:  # noqa: ANN401
    """A value as it is shown while it works."""
    if isinstance(value, str):
        return plain(value, SHOWN_CHARS_MAX)
    return (
        value if isinstance(value, int | float | bool) or value is None else plain(json.dumps(value), SHOWN_CHARS_MAX)
    )
