"""What came by each way in: counted by project, bounded, and without the secrets of those who sent it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.ingest.redact import Redactor
from hindcast.model.columns import Parsed, Rejection
from hindcast.model.errors import Malformed, Refused
from hindcast.model.signal import Alert, Severity, Status
from hindcast.rest.arrivals import HOURS_LATELY, NOBODYS, REASON_CHARS_MAX, Arrivals

NOW = datetime(2026, 11, 16, 12, 30, tzinfo=UTC)
ALERT = Alert("grafana", "k", Status.FIRING, "slow", "api", Severity.MINOR, NOW)


@pytest.fixture
def clock() -> ManualClock:
    """Time that goes on when it is told to."""
    return ManualClock(NOW)


@pytest.fixture
def arrivals(clock: ManualClock) -> Arrivals:
    """Counts of a server that has just started."""
    return Arrivals(clock.now, lambda text: Redactor().text(text).text, spaces_max=3)


def test_what_is_taken_is_counted_by_project_and_sender(arrivals: Arrivals) -> None:
    """Each project sees its own, by kind, with when it came last."""
    arrivals.took("shop", "grafana", Parsed(alerts=(ALERT, ALERT)))
    arrivals.took("other", "grafana", Parsed(alerts=(ALERT,)))

    found = arrivals.told("shop")["grafana"]

    assert (found.taken, found.taken_lately, found.last_at) == ({"alerts": 2}, 2, NOW)
    assert arrivals.told("nowhere") == {}


def test_a_refusal_is_kept_with_its_reason(arrivals: Arrivals) -> None:
    """The last error says what the sender was told, when, and what to do about it."""
    arrivals.refused("shop", "github", Refused("It is not signed.", field="X-Hub", remedy="Sign it."))

    found = arrivals.told("shop")["github"]

    assert found.refused_lately == 1
    assert found.last_at is None, "nothing was taken"
    assert found.last_error is not None
    assert (found.last_error.status, found.last_error.problem) == (403, "X-Hub: It is not signed.")
    assert (found.last_error.remedy, found.last_error.at) == ("Sign it.", NOW)


def test_what_is_left_out_does_not_hide_a_refusal(arrivals: Arrivals) -> None:
    """A note that a delivery changes nothing is no error, and does not replace one."""
    arrivals.refused("shop", "github", Refused("No.", remedy="Sign it."))
    arrivals.took("shop", "github", Parsed(rejections=(Rejection(0, "watch changes nothing."),)))

    found = arrivals.told("shop")["github"]

    assert found.last_error is not None
    assert found.last_left_out is not None
    assert found.last_left_out.problem == "watch changes nothing."
    assert (found.refused_lately, found.left_out_lately) == (1, 1)


def test_a_reason_holds_no_secret_and_has_an_end(arrivals: Arrivals) -> None:
    """A reason may quote what was sent; what is a secret in it is taken out like anywhere else."""
    quoted = Malformed("password=hunter2 is no status. " + "x" * 9_999, remedy="Send firing.")
    arrivals.refused("shop", "grafana", quoted)

    found = arrivals.told("shop")["grafana"].last_error

    assert found is not None
    assert "hunter2" not in found.problem
    assert len(found.problem) <= REASON_CHARS_MAX


def test_an_accident_tells_nothing_of_its_insides(arrivals: Arrivals) -> None:
    """What nobody expected is told as such, without the words of the exception."""
    arrivals.refused("shop", "otlp", ZeroDivisionError("secret insides"))

    found = arrivals.told("shop")["otlp"].last_error

    assert found is not None
    assert (found.status, "insides" in found.problem) == (500, False)


def test_lately_is_a_day(arrivals: Arrivals, clock: ManualClock) -> None:
    """Counts of the last day go as it passes; what was taken in all stays, and the hours that are kept are few."""
    for _ in range(3 * HOURS_LATELY):
        arrivals.took("shop", "grafana", Parsed(alerts=(ALERT,)))
        clock.set(clock.now() + timedelta(hours=1))

    found = arrivals.told("shop")["grafana"]

    assert (found.taken["alerts"], found.taken_lately) == (3 * HOURS_LATELY, HOURS_LATELY - 1)
    clock.set(clock.now() + timedelta(days=2))
    assert arrivals.told("shop")["grafana"].taken_lately == 0


def test_no_sender_makes_it_grow(arrivals: Arrivals) -> None:
    """Of more projects than are kept the one that nothing came for the longest is forgotten."""
    for number in range(9):
        arrivals.refused(f"space-{number}", "otlp", Refused("No.", remedy="Ask."))

    assert arrivals.told("space-0") == {}
    assert arrivals.told("space-8")["otlp"].refused_lately == 1
    assert arrivals.told(NOBODYS) == {}
