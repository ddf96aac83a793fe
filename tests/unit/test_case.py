"""A case as JSON: what was written comes back, and what is wrong is named. And how long it took."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hindcast.model.case import (
    NOTICED_HERE,
    Attempt,
    Case,
    CaseState,
    Cause,
    Evidence,
    Note,
    Resolution,
    Witness,
    from_json,
    to_json,
)
from hindcast.model.errors import Malformed

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
SAID = (Evidence(Witness.PERSON, "it was so", at=NOW),)
WHOLE = Case(
    "a",
    "Redis resets",
    NOW,
    resolved_at=NOW,
    cause=Cause("a leak", evidence=SAID),
    attempts=(Attempt("a1", "restarted", at=NOW, evidence=SAID),),
    resolution=Resolution("released", at=NOW, evidence=SAID),
    notes=(Note("n1", "see the dashboard", NOW, "ana"),),
)


def test_a_case_survives_json() -> None:
    """Every field comes back as it was."""
    assert from_json(to_json(WHOLE)) == WHOLE


@pytest.mark.parametrize(
    ("place", "field"),
    [
        (("occurred_at",), "occurred_at"),
        (("resolved_at",), "resolved_at"),
        (("notes", 0, "at"), "notes"),
        (("cause", "evidence", 0, "at"), "cause.evidence"),
        (("attempts", 0, "at"), "attempts.at"),
        (("attempts", 0, "evidence", 0, "at"), "attempts.evidence"),
        (("resolution", "at"), "resolution.at"),
        (("resolution", "evidence", 0, "at"), "resolution.evidence"),
    ],
)
def test_a_time_without_a_timezone_is_refused_by_name(place: tuple[Any, ...], field: str) -> None:
    """No time of a case, wherever it stands, may leave open when it was."""
    body = json.loads(json.dumps(to_json(WHOLE)))
    inner: Any = body
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = "2026-11-16T02:00:00"

    with pytest.raises(Malformed, match="no timezone") as caught:
        from_json(body)
    assert caught.value.field == field


def test_what_is_no_case_says_which_field() -> None:
    """A missing or mistyped field is named, with where to see a whole case."""
    with pytest.raises(Malformed, match="no case") as caught:
        from_json({**to_json(WHOLE), "attempts": [{"id": 3}]})
    assert caught.value.field == "attempts[0].id"
    assert "cases.md" in str(caught.value.remedy)


@pytest.mark.parametrize(
    ("state", "source", "minutes"),
    [
        (CaseState.OPEN, NOTICED_HERE, None),
        (CaseState.RESOLVED, NOTICED_HERE, 34),
        # A postmortem tells when it was over, also where nobody has said what ended it.
        (CaseState.OPEN, "markdown", 34),
    ],
)
def test_how_long_it_took_is_known_once_somebody_says_that_it_is_over(
    state: CaseState, source: str, minutes: float | None
) -> None:
    """An incident that went quiet after a second, and waits for somebody's word, has not been resolved in a second."""
    over = NOW + timedelta(minutes=34)
    case = Case(id="a", title="resets", occurred_at=NOW, state=state, source=source, resolved_at=over)

    assert case.minutes_to_resolve == minutes
