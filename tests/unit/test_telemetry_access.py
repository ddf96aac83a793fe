"""Telemetry that may be away: who is told what, and when it is tried again."""

from __future__ import annotations

from typing import Any, cast

import pytest

from hindcast.adapters.telemetry_clickhouse.faults import InUse
from hindcast.build.telemetry import REOPEN_SECONDS, TelemetryAccess
from hindcast.model.errors import Damaged, HindcastError, Malformed, Unavailable
from hindcast.ports import Telemetry


class Store:
    """Enough of one."""

    is_closed = False

    def templates(self) -> tuple[str, ...]:
        """What it holds."""
        return ("kept",)

    def close(self) -> None:
        """It is over."""
        self.is_closed = True


class Opening:
    """Opens a store, or fails in the way that is to come next."""

    def __init__(self, *failures: HindcastError) -> None:
        self.failures = list(failures)
        self.tries = 0
        self.now = 100.0
        self.store = Store()
        self.heard: list[Any] = []

    def access(self) -> TelemetryAccess:
        """What is tested."""
        return TelemetryAccess(self.open, opened=self.heard.append, seconds=lambda: self.now)

    def open(self) -> Telemetry:
        """Fail, or open."""
        self.tries += 1
        if self.failures:
            raise self.failures.pop(0)
        return cast("Telemetry", self.store)


FULL = Unavailable("The disk is full.", remedy="Free some space.")


def test_a_store_that_opens_is_used_as_it_is() -> None:
    """Every verb is the store's own, and closing closes it."""
    opening = Opening()
    access = opening.access()

    assert access.templates() == ("kept",)
    assert (access.problem, opening.heard) == (None, [opening.store])
    access.close()
    assert opening.store.is_closed


@pytest.mark.parametrize("error", [FULL, Damaged("The engine does not start.", remedy="Restore a copy.")])
def test_a_store_that_does_not_open_is_tried_again_now_and_then(error: HindcastError) -> None:
    """Whoever asks is told why; one of them tries again once some seconds have passed, and then it is there."""
    opening = Opening(error, error)
    access = opening.access()
    for _ in range(3):
        with pytest.raises(Unavailable, match=error.problem):
            access.check()
    assert (opening.tries, access.problem) == (1, error)

    for tries in (2, 3):
        opening.now += REOPEN_SECONDS
        if tries == 2:
            with pytest.raises(Unavailable):
                access.templates()
        assert access.problem is error or tries == 3
    assert access.templates() == ("kept",)
    assert (opening.tries, access.problem, opening.heard) == (3, None, [opening.store])


@pytest.mark.parametrize(
    "error", [InUse("Another process has it.", remedy="Stop it."), Malformed("No address.", remedy="Correct it.")]
)
def test_what_no_waiting_mends_ends_the_start(error: HindcastError) -> None:
    """A folder that a living process owns, and an address that is wrong, are for a person to correct."""
    with pytest.raises(type(error)):
        Opening(error).access()


def test_one_that_never_opened_can_be_closed() -> None:
    """A server that ends without telemetry ends in order, and nothing is opened behind its back."""
    opening = Opening(FULL)
    access = opening.access()
    access.close()
    opening.now += REOPEN_SECONDS
    with pytest.raises(Unavailable):
        access.check()
    assert opening.tries == 1
