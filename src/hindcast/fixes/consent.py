"""A person's consent to a change that an agent makes: recorded in memory, for one card, and for a while.

An agent that says that a person has agreed proves nothing. Whoever agrees says so here, under their own name; it lasts
long enough for the agent to go on, and no longer, so that nothing is changed in the night by a word of the morning.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from hindcast.memory import Memory, View
from hindcast.model.errors import Refused
from hindcast.model.ids import Address
from hindcast.model.record import Change, Commit

NAMESPACE = "consents"
KIND = "consent"
LASTS = timedelta(hours=1)


def record_consent(memory: Memory, card: str, *, by: str, now: datetime) -> Commit:
    """Remember that a person lets agents change the file that a card is about."""
    text = f"{by} lets an agent change the file of {card}"
    body = {"card": card, "by": by, "at": now.isoformat()}
    return memory.commit([Change(Address(NAMESPACE, card), body, KIND, text=text)], actor=by, why=text)


def check_consent(view: View, card: str, *, actor: str, now: datetime) -> None:
    """Raise Refused unless somebody other than the actor has agreed lately."""
    record = view.find(Address(NAMESPACE, card))
    body = record.body if record is not None and isinstance(record.body, dict) else {}
    try:
        at = datetime.fromisoformat(str(body.get("at", "")))
    except ValueError:
        at = None
    is_others = str(body.get("by", "")) not in ("", actor)
    if at is None or at.tzinfo is None or not is_others or not timedelta() <= now - at <= LASTS:
        raise Refused(
            f"Nobody has agreed that an agent changes the file of {card}, or it is longer ago than an hour.",
            field="card",
            remedy=f"Ask a person to run `hindcast fix allow {card}`, or to accept it on the page of the incident.",
        )
