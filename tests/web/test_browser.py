"""Stories in a real browser, against a real Hindcast with a year of history and the simulator.

Each is told twice: by pointer, and by keyboard alone in the light theme.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.staging import FOLDER, Stage, add_code, staged

# Whatever reaches an element without a key, and whatever a hand could not do at all.
WITHOUT_KEYS = re.compile(
    r"\.(?:click|dblclick|fill|pressSequentially|selectOption|setChecked|check|uncheck|focus|blur|hover|tap|dragTo)(?:\?\.)?\(|page\.mouse"
    r"|(?<!keyboard)\.press\("
)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A Hindcast where everybody has to say who they are, with people of three roles, and two incidents under way."""
    with staged(tmp_path_factory.mktemp("browser")) as made:
        yield made


@pytest.fixture(scope="module")
def coded(stage: Stage) -> Stage:
    """The same, once the code that the outage happens in is there."""
    add_code(stage)
    return stage


def test_every_page_is_accessible_and_fits(stage: Stage) -> None:
    """No page, in either theme, has anything that axe objects to; none exceeds a laptop's or a phone's width."""
    stage.tell("pages")


def test_a_new_admin_sees_the_first_data(stage: Stage) -> None:
    """From a one-time link to data that arrives: every step is on a page, and a revoked key is refused at once."""
    stage.tell("first_data")


def test_a_new_admin_sees_the_first_data_by_keyboard(stage: Stage) -> None:
    """The same without a pointer; what has to be typed again has the focus."""
    stage.tell("first_data_keys")


def test_a_viewer_changes_nothing(coded: Stage) -> None:
    """What a viewer may not do is shown with the reason, and the service refuses it as well; a responder may do it."""
    coded.tell("viewer")


def test_a_viewer_changes_nothing_by_keyboard(coded: Stage) -> None:
    """What cannot be pressed can be reached and says why, and no key does it."""
    coded.tell("viewer_keys")


# Last, for by now the incidents have been quiet long enough to wait for somebody's word.


def test_an_incident_is_worked_on(stage: Stage) -> None:
    """It appears without reload, shows its evidence, takes a verdict, attempts, a resolution and the last word.

    It is joined and split, and each of these can be taken back.
    """
    stage.tell("incident")


def test_an_incident_is_worked_on_by_keyboard(stage: Stage) -> None:
    """The same without a pointer: focus is never lost, and Escape leaves what was typed into."""
    stage.tell("incident_keys")


@pytest.mark.parametrize("story", sorted(FOLDER.glob("*_keys.mjs")), ids=lambda story: story.stem)
def test_a_story_by_keyboard_uses_nothing_else(story: Path) -> None:
    """A story that is told by keyboard neither clicks nor fills, and moves the focus by keys only."""
    assert WITHOUT_KEYS.findall(story.read_text()) == []


@pytest.mark.parametrize(
    "offence", ["button.click()", "box.fill('x')", "chip.press('Enter')", "document.activeElement?.blur?.()"]
)
def test_what_a_keyboard_cannot_do_is_found(offence: str) -> None:
    """The check above finds each way around the keyboard."""
    assert WITHOUT_KEYS.search(offence)
