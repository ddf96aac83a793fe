"""The page of what happens now, in a real browser against a real Hindcast with the simulator."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.web.staging import Stage, staged


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A Hindcast in demo mode with an admin and a year of history."""
    with staged(tmp_path_factory.mktemp("live")) as made:
        yield made


def test_an_outage_appears_and_memory_is_asked(stage: Stage) -> None:
    """It appears without reload, memory knows it, and what a cut connection missed is marked and fetched."""
    stage.tell("live")


def test_live_is_worked_by_keyboard(stage: Stage) -> None:
    """The outage, its service, its lines and the analysis are reached without a pointer."""
    stage.tell("live_keys")
