"""Events and answers as JSON values, the same for every face."""

from __future__ import annotations

from typing import Any

import msgspec

from hindcast.ask.events import Answer, Called, Done, Event, Failed, Found, Said, Sentence, Understood


def name_of(event: Event) -> str:
    """What kind of event it is, as faces call it."""
    return type(event).__name__.lower()


def told(event: Event) -> dict[str, Any]:
    """An event."""
    match event:
        case Done(answer):
            return answer_told(answer)
        case Said(sentence):
            return sentence_told(sentence)
        case Failed(error):
            return {
                "type": f"/problems/{type(error).__name__.lower()}",
                "detail": error.problem,
                "remedy": error.remedy,
                "field": error.field,
            }
        case Understood() | Called() | Found():
            values: dict[str, Any] = msgspec.to_builtins(event)
            return values


def sentence_told(sentence: Sentence) -> dict[str, Any]:
    """A sentence with its marks."""
    return {
        "text": sentence.text,
        "citations": list(sentence.citations),
        "is_cited": sentence.is_cited,
        "is_aside": sentence.is_aside,
    }


def answer_told(answer: Answer) -> dict[str, Any]:
    """A whole answer."""
    return {
        "question": answer.question,
        "text": text_of(answer),
        "sentences": [sentence_told(sentence) for sentence in answer.sentences],
        "reading": answer.reading,
        "model": answer.model,
        "ended_by": answer.ended_by.value,
        "uncited": answer.uncited,
        "notes": list(answer.notes),
        "is_failure": answer.is_failure,
        "suggestions": list(answer.suggestions),
        "costs": msgspec.to_builtins(answer.costs),
    }


def text_of(answer: Answer) -> str:
    """The answer as one text: a line for each sentence, its records behind it, and a mark where there are none."""
    return "\n".join(line_of(sentence) for sentence in answer.sentences)


def line_of(sentence: Sentence) -> str:
    """A sentence with the records it rests on, or with the mark that it rests on none."""
    if sentence.citations:
        return f"{sentence.text} [{', '.join(short(ref) for ref in sentence.citations)}]"
    return sentence.text if sentence.is_aside else f"(uncited) {sentence.text}"


def short(ref: str) -> str:
    """A record as people name it: an incident by its id, anything else by its address."""
    address = ref.rpartition("@")[0] or ref
    return address.removeprefix("cases/")
