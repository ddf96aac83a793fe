"""Pages that hold: against what somebody writes, without a line, on a phone, without motion, and on paper."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.web.probing import probed
from tests.web.staging import Stage

# What names something in addresses and on disk is strict; nothing of a probe gets into it.
STRICT = {"project", "organisation", "workspace", "branch", "snapshot"}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One Hindcast for all of it; the stories are told in the order in which they stand, the incident's end last."""
    with probed(tmp_path_factory.mktemp("hardened")) as made:
        yield made


def test_names_are_refused_where_they_have_to_be_safe(stage: Stage) -> None:
    """What is part of addresses takes no markup in any form; every other field is text and takes it."""
    assert STRICT.isdisjoint(stage.told["fields"])
    assert set(stage.told["refused"]) >= STRICT
    marked = {name for name, text in stage.told["fields"].items() if "<img" in text}
    assert marked == set(stage.told["fields"]) - {"email"}


def test_what_is_said_of_incidents_is_text(stage: Stage) -> None:
    """Markup, scripts, links that run and letters that turn a line do nothing on the pages, and push nothing aside."""
    stage.tell("probes")


def test_code_memory_settings_and_addresses_are_text(stage: Stage) -> None:
    """The same of files and their past, records, names of people, whatever is typed, and whatever an address says."""
    stage.tell("probes_code")


def test_every_state_of_a_page_says_what_it_is(stage: Stage) -> None:
    """On its way, failed, old, cut off, empty or printed: a page says so, keeps what it has, and offers what to do."""
    stage.tell("states")


def test_motion_is_short_and_can_be_switched_off(stage: Stage) -> None:
    """Nothing moves for longer than a fifth of a second, and nothing at all where motion is reduced."""
    stage.tell("motion")


def test_an_incident_is_worked_on_with_a_phone(stage: Stage) -> None:
    """By touch: recall, evidence, an attempt, a fix accepted, the end; lines, yesterday; twice as large as usual."""
    stage.tell("phone")
