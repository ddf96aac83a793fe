"""Asking in words: a question goes to the same tools that agents use, read by rules or by a language model.

Without a model the question is read by rules and answered from what one or two tools find. With one, the model works
with the tools that only read, within budgets, and its answer is checked sentence by sentence; where it fails, the tools
answer directly, and the answer says so. Asking writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from hindcast.ask import direct
from hindcast.ask.events import Called, Costs, Done, Event, Failed, Found, Understood
from hindcast.ask.loop import AskLimits, Dialogue, Stopped, Unanswered, World
from hindcast.model.errors import HindcastError, Malformed
from hindcast.ports import LLM
from hindcast.toolbox import Desk

# As much as a log that somebody pastes; a longer one belongs to `recall`.
ASKED_CHARS_MAX = 400_000


class Asker:
    """Answers questions. May be used by several threads at once."""

    def __init__(
        self, llm: LLM | None, limits: AskLimits, *, seconds: Callable[[], float], entropy: Callable[[int], bytes]
    ) -> None:
        self._llm = llm
        self._limits = limits
        # Seconds that only ever grow.
        self._seconds = seconds
        self._entropy = entropy

    @property
    def model(self) -> str:
        """The language model that words answers; empty if there is none."""
        return self._llm.name if self._llm is not None else ""

    def ask(
        self, question: str, desk: Desk, *, at: str = "", is_over: Callable[[], bool] = lambda: False
    ) -> Iterator[Event]:
        """What happens while a question is answered. The last event is `Done`, or `Failed` where there is no answer.

        `at` asks what was known at a moment. Where nobody waits for the answer any more, `is_over` says so: then the
        work ends soon, a request to a model included, and there is no last event.
        """
        began = self._seconds()
        try:
            _check(question)
            for event in self._events(question, desk, at, is_over):
                yield self._timed(event, began) if isinstance(event, Done) else event
        except HindcastError as error:
            yield Failed(error)
        except Stopped:
            return

    def _timed(self, done: Done, began: float) -> Done:
        costs = replace(done.answer.costs, seconds=round(self._seconds() - began, 3))
        return Done(replace(done.answer, costs=costs))

    def _events(self, question: str, desk: Desk, at: str, is_over: Callable[[], bool]) -> Iterator[Event]:
        if self._llm is None:
            yield from direct.answered(question, desk, at=at)
            return
        nonce = self._entropy(12).hex()
        world = World(self._seconds, is_over)
        dialogue = Dialogue(self._llm, desk, self._limits, nonce=nonce, world=world, at=at)
        try:
            for event in dialogue.answered(question):
                yield _with_failure(event, question, desk) if isinstance(event, Done) else event
        except Unanswered as unanswered:
            note = f"{self._llm.name} gave no answer: {unanswered.why}. The tools answered instead."
            yield from self._instead(question, desk, at, dialogue.costs, note, unanswered)

    def _instead(
        self, question: str, desk: Desk, at: str, costs: Costs, note: str, unanswered: Unanswered
    ) -> Iterator[Event]:
        """What the tools answer directly, and why they did."""
        for event in direct.answered(question, desk, at=at):
            if not isinstance(event, Done):
                yield event
                continue
            answer = event.answer
            whole = replace(costs, calls=costs.calls + answer.costs.calls)
            yield Done(replace(answer, ended_by=unanswered.ended_by, costs=whole, notes=(note, *answer.notes)))


def _with_failure(done: Done, question: str, desk: Desk) -> Done:
    return Done(replace(done.answer, is_failure=direct.describes(question, desk)))


def _check(question: str) -> None:
    if not question.strip():
        raise Malformed(
            "Nothing was asked.", field="question", remedy='Ask in words, such as "what usually fixes redis?".'
        )
    if len(question) > ASKED_CHARS_MAX:
        raise Malformed(
            f"The question has {len(question):,} characters.",
            field="question",
            remedy=f"Ask with at most {ASKED_CHARS_MAX:,}; `hindcast recall -` reads whole logs.",
        )


__all__ = ["ASKED_CHARS_MAX", "AskLimits", "Asker", "Called", "Done", "Event", "Failed", "Found", "Understood"]
