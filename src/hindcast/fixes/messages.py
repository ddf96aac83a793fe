"""What the commits say that cards make in a workspace."""

from __future__ import annotations

from hindcast.model.card import Card, CardVerdict
from hindcast.model.errors import Malformed

TRAILER = "Fixes-Incident"
MESSAGE_CHARS_MAX = 4_000
SUBJECT_CHARS_MAX = 72


def message_of(card: Card, message: str = "") -> str:
    """What somebody wrote, or what the card says of itself, with the incident that it fixes as the last line."""
    said = message.replace("\r\n", "\n").strip()
    if len(said) > MESSAGE_CHARS_MAX or "\0" in said:
        remedy = f"Write up to {MESSAGE_CHARS_MAX} characters of text."
        raise Malformed("This cannot be the message of a commit.", field="message", remedy=remedy)
    if not said:
        said = f"{_subject(card.proposal.title)}\n\n{card.proposal.why.strip()}".strip()
    trailer = f"{TRAILER}: {card.incident}"
    lines = said.split("\n")
    if trailer in lines:
        return f"{said}\n"
    # Trailers stand together, with an empty line before the first.
    between = "\n" if len(lines) > 1 and _is_trailer(lines[-1]) else "\n\n"
    return f"{said}{between}{trailer}\n"


def revert_of(verdict: CardVerdict) -> str:
    """What the commit says that takes another one back."""
    # After a crash the commit may not be known; what it did is.
    what = f"commit {verdict.commit}" if verdict.commit else f"what {verdict.by} accepted as {verdict.card}"
    return f"Revert: {_subject(verdict.title)}\n\nThis reverts {what}.\n"


def _subject(title: str) -> str:
    line = " ".join(title.split()).rstrip(".")
    return line if len(line) <= SUBJECT_CHARS_MAX else f"{line[: SUBJECT_CHARS_MAX - 1].rstrip()}…"


def _is_trailer(line: str) -> bool:
    name, colon, value = line.partition(": ")
    return bool(colon and value.strip()) and name.replace("-", "").isalnum() and " " not in name
