"""The review at the end of `hindcast import`: each record with its sentences, accepted or corrected in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from hindcast.cli.casework import redacted
from hindcast.cli.plain import Plain
from hindcast.cli.render import clean, plural
from hindcast.cli.session import Session
from hindcast.model.errors import HindcastError

if TYPE_CHECKING:
    from hindcast.learn.review import Correction, Review, ReviewItem

NAMES = {"cause": "Cause", "fix": "Fix", "people": "People", "minutes": "Minutes"}
MARKS = {"worked": "✓", "no effect": "–", "made worse": "✗", "unknown": "?"}
HOW = "Enter accepts; or write: cause=…; fix=…; a1=worked|no-effect|worse|never; people=…; minutes=…; [s]kip, [q]uit"
SENTENCE_CHARS_MAX = 300


def document_of(review: Review) -> Plain:
    """A review as a document."""
    return {
        "case": review.case,
        "title": review.title,
        "open": len(review.questions),
        "fields": [
            {
                "name": one.name,
                "value": one.value,
                "outcome": one.outcome,
                "sentences": list(one.sentences),
                "sure": one.sure,
                "question": one.question,
            }
            for one in review.items
        ],
    }


def shown(review: Review) -> list[Text]:
    """A review as lines: what was read, from which sentence, and what is asked."""
    lines = [Text(""), Text(clean(review.title), style="bold"), Text(f"  {review.case}", style="dim")]
    for one in review.items:
        lines.append(_line(one))
        quotes = [quote for quote in one.sentences if quote != one.value]
        lines += [Text(f"         “{clean(quote)[:SENTENCE_CHARS_MAX]}”", style="dim") for quote in quotes]
        if one.question:
            lines.append(Text(f"         asked: {clean(one.question)}", style="yellow"))
    return lines


def _line(one: ReviewItem) -> Text:
    if one.name in NAMES:
        return Text(f"  {NAMES[one.name]:<8}{clean(one.value) or '(open)'}")
    return Text(f"  {one.name:<5}{MARKS.get(one.outcome, '?')} {clean(one.value)}: {one.outcome}")


def accept(session: Session, reviews: Sequence[Review]) -> None:
    """Accept what was read surely; leave the rest open."""
    from hindcast.learn.review import Correction

    for one in reviews:
        _write(session, one, Correction())
    questions = sum(len(one.questions) for one in reviews)
    session.hint(f"Accepted what was read surely. {plural(questions, 'field')} left open.")


def walk(session: Session, reviews: Sequence[Review]) -> None:
    """Go through the records one by one; each is written when it is settled."""
    from hindcast.learn.review import Correction

    settled = 0
    for number, one in enumerate(reviews, 1):
        session.err.print(*shown(one), sep="\n")
        prompt = f"{number} of {len(reviews)}. {HOW}\n>"
        said = _said(session, prompt)
        while isinstance(said, Correction) and not _tried(session, one, said):
            said = _said(session, prompt)
        if said is None:
            break
        settled += isinstance(said, Correction)
    session.hint(f"Settled {settled} of {plural(len(reviews), 'record')}. The others stay as they were read.")


def _said(session: Session, prompt: str) -> Correction | str | None:
    """What somebody answers: a correction, `skip`, or None to stop. A line that cannot be read is asked again."""
    from hindcast.learn.review import Correction, read_correction

    while True:
        answer = str(typer.prompt(prompt, default="", show_default=False, prompt_suffix=" ", err=True)).strip()
        if answer.lower() in ("q", "quit"):
            return None
        if answer.lower() in ("s", "skip"):
            return "skip"
        if answer.lower() in ("", "y", "yes"):
            return Correction()
        try:
            return read_correction(redacted(session, answer))
        except HindcastError as error:
            session.err.print(Text(str(error)))


def _tried(session: Session, review: Review, said: Correction) -> bool:
    try:
        _write(session, review, said)
    except HindcastError as error:
        session.err.print(Text(str(error)))
        return False
    return True


def _write(session: Session, review: Review, said: Correction) -> None:
    from hindcast.casebook import Casebook
    from hindcast.clues import with_clues
    from hindcast.learn.review import settle

    at, who = session.now(), session.who
    Casebook(session.memory()).change(
        review.case,
        lambda case: replace(with_clues(settle(case, said, by=who, at=at)), components=case.components),
        actor=who,
        why=f"{who} reviewed what was imported.",
    )
