"""Cases that come to mind, made by hand: for tests of what follows from a recollection."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hindcast.model.case import Attempt, Case, CaseState, Cause, Clues, Evidence, Outcome, Resolution, Witness
from hindcast.model.ids import Address
from hindcast.model.query import Rank
from hindcast.model.recollection import Cue, CueKind, Familiarity, Recollection, Remembered
from hindcast.model.record import Record, State

NOW = datetime(2026, 11, 16, 2, 3, tzinfo=UTC)
OWN = "shop"
FINGERPRINT = 0x91AB_4C07_11D2_E0F5
# From where on tests call a case the same failure, and what may be related.
SEEN_MIN, MAYBE_MIN = 0.8, 0.3


def cue(text: str = "ConnectionResetError: [Errno 104] Connection reset by peer", **fields: Any) -> Cue:
    """A question about connections to Redis that are reset in the payment service."""
    clues = fields.pop("clues", Clues((FINGERPRINT,), ("ConnectionResetError",), (), (), ("redis",)))
    given = {"kind": CueKind.IDENTIFIERS, "at": NOW, "clues": clues, "services": ("payment",), **fields}
    return Cue(text, **given)


def attempt(action: str, outcome: Outcome, said: str = "", *, id: str = "", **fields: Any) -> Attempt:  # noqa: A002
    """Something that was tried; `said` is the sentence it was read out of."""
    evidence = fields.pop("evidence", (Evidence(Witness.TEXT, said),) if said else ())
    return Attempt(id or f"a{sum(map(ord, action)) % 97}", action, outcome, evidence=evidence, **fields)


def case(id: str = "redis-resets", *, ago: timedelta = timedelta(weeks=6), **fields: Any) -> Case:  # noqa: A002
    """The story of the worker pool, or another one with these fields."""
    cause, fix = fields.pop("cause", None), fields.pop("fix", None)
    by = fields.pop("by", "ana")
    given: dict[str, Any] = {
        "title": "Payment workers lose their Redis connections",
        "state": CaseState.RESOLVED,
        "services": ("payment",),
        "components": ("redis",),
        "clues": Clues((FINGERPRINT,), ("redis.exceptions.ConnectionError", "ConnectionResetError")),
        "cause": Cause(cause, by=by) if cause else None,
        "resolution": Resolution(fix, by=by) if isinstance(fix, str) else fix,
        "minutes": 34.0,
    }
    return Case(id=id, occurred_at=NOW - ago, **{**given, **fields})


def story(id: str = "redis-resets", **fields: Any) -> Case:  # noqa: A002
    """The whole story of the worker pool: cause, fix, and two things that did not help."""
    given: dict[str, Any] = {
        "cause": "Workers did not release their connections after a task. The pool ran dry under load.",
        "fix": "Release the connection explicitly in the task teardown, with a cap of 20 connections",
        "attempts": (
            attempt(
                "raised the pool size to 200",
                Outcome.MADE_WORSE,
                "Raising the pool size to 200 doubled the resets within two minutes.",
                by="bo",
            ),
            attempt("restarted the payment workers", Outcome.NO_EFFECT, "A restart of the workers did not help."),
        ),
        "responders": ("ana", "bo"),
    }
    return case(id, **{**given, **fields})


def remembered(about: Case, confidence: float = 0.97, **fields: Any) -> Remembered:
    """A case that came to mind, this sure."""
    familiarity = (
        Familiarity.SEEN
        if confidence >= SEEN_MIN
        else Familiarity.MAYBE
        if confidence >= MAYBE_MIN
        else Familiarity.NEW
    )
    given: dict[str, Any] = {
        "address": f"cases/{about.id}",
        "version": 12,
        "space": OWN,
        "familiarity": familiarity,
        "score": 4 * confidence,
        "ranks": {"keys": Rank(1, 7.25), "words": Rank(2, 11.5)},
        "features": {"fingerprint": 1.0, "words": 0.61},
        "reasons": ("the same exception: ConnectionResetError", "the same component: redis"),
    }
    return Remembered(case=about, confidence=confidence, **{**given, **fields})


def recollection(*found: Remembered, asked: Cue | None = None, **fields: Any) -> Recollection:
    """What came to mind; how familiar it is follows from the first that was not gated."""
    best = next((one for one in found if not one.gates), None)
    familiarity = best.familiarity if best is not None else Familiarity.NEW
    given: dict[str, Any] = {"familiarity": familiarity, "arms": ("keys", "words", "meaning", "tokens"), **fields}
    return Recollection(asked if asked is not None else cue(), remembered=found, **given)


def runbook(path: str, title: str, steps: Sequence[str], text: str = "") -> Record:
    """A runbook as it is remembered."""
    body = {"title": title, "steps": list(steps), "text": text}
    address = Address.parse(f"runbooks/{path}")
    return Record(address, body, "runbook", State.LIVE, None, NOW, NOW, "ana", "c0ffee", 1, 3)
