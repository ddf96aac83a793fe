"""Shares: both sides have to agree, only cases about the component cross, and a stop takes effect at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.clues import clues_of
from hindcast.config import Settings
from hindcast.memory import Memory, View
from hindcast.model.case import Case, CaseState, Clues
from hindcast.model.errors import Malformed, Missing
from hindcast.model.query import Query, Sight
from hindcast.model.recollection import Cue, CueKind
from hindcast.recall.shared import recall_shared
from hindcast.shares import Share, Side, component_named, give, granted, grants, shares_of, stop, take

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
ASKED = "redis ConnectionResetError pool exhausted"
CASES = (
    Case("redis-pool", "redis ConnectionResetError, pool exhausted", NOW, components=("redis",)),
    Case("redis-clue", "ConnectionResetError in the cache, pool exhausted", NOW, clues=Clues(components=("redis",))),
    Case("kafka-lag", "kafka ConnectionResetError, pool exhausted", NOW, components=("kafka",)),
    Case("secret", "payroll pool exhausted, ConnectionResetError", NOW),
    replace(Case("no-incident", "redis pool exhausted", NOW, components=("redis",)), state=CaseState.DISMISSED),
)


class Spaces:
    """Two spaces in one folder; ours asks, theirs knows."""

    def __init__(self, folder: Path) -> None:
        settings = Settings(store=str(folder), actor="ana", model="none")
        clock = ManualClock(NOW)
        self.ours = open_memory(replace(settings, space="ours"), clock=clock)
        self.theirs = open_memory(replace(settings, space="theirs"), clock=clock)
        Casebook(self.theirs).put_many(CASES, actor="bo", why="told")
        self.theirs.put("runbooks/redis", {"title": "redis pool exhausted"}, actor="bo", why="x", kind="runbook")

    def view(self, space: str) -> View | None:
        """The present of a space, if it is there."""
        return {"ours": self.ours, "theirs": self.theirs}[space].now() if space in ("ours", "theirs") else None

    def seen(self, text: str = ASKED) -> set[str]:
        """What ours recalls of theirs when it asks."""
        cue = Cue(text, CueKind.IDENTIFIERS, NOW, clues_of(text))
        agreed = grants(self.ours.now(), "ours", self.view)
        found = recall_shared(self.ours.now(), cue, grants=agreed, space="ours")
        assert all(one.space == "theirs" for one in found.remembered)
        return {one.case.id for one in found.remembered}


@pytest.fixture
def spaces(tmp_path: Path) -> Iterator[Spaces]:
    """Two spaces."""
    made = Spaces(tmp_path)
    yield made
    made.ours.close()
    made.theirs.close()


def agree(spaces: Spaces, component: str = "redis") -> None:
    """Both say yes."""
    give(spaces.theirs, component, to="ours", actor="bo", why="we share the cluster")
    take(spaces.ours, component, source="theirs", actor="ana", why="we share the cluster")


def test_nothing_crosses_without_both_sides(spaces: Spaces) -> None:
    """A space recalls nothing of another unless one gives and the other takes the same component."""
    assert spaces.seen() == set()
    give(spaces.theirs, "redis", to="ours", actor="bo", why="x")
    assert spaces.seen() == set()
    stop(spaces.theirs, Share(Side.GIVEN, "redis", "ours"), actor="bo", why="x")
    take(spaces.ours, "redis", source="theirs", actor="ana", why="x")
    assert spaces.seen() == set()
    give(spaces.theirs, "kafka", to="ours", actor="bo", why="x")
    assert spaces.seen() == set()


def test_only_cases_about_the_component_cross(spaces: Spaces) -> None:
    """With both sides, cases that have the component are recalled, and no other record of that space."""
    agree(spaces)

    assert spaces.seen() == {"redis-pool", "redis-clue"}
    assert spaces.seen("kafka ConnectionResetError pool exhausted") == set()


def test_what_is_lent_shows_nothing_else_however_it_is_asked(spaces: Spaces) -> None:
    """Whoever holds what is lent can neither look for nor read anything that is not shared."""
    agree(spaces)
    (grant,) = grants(spaces.ours.now(), "ours", spaces.view)

    shown = grant.memory.look(Query("pool exhausted", hits_max=50)).sights
    everything = [Sight(version, 1.0, {}) for version in range(1, 50)]

    for asked in (shown, everything):
        found = {str(record.address) for record in grant.memory.read(asked).values()}
        assert found == {"cases/redis-pool", "cases/redis-clue"}


@pytest.mark.parametrize("side", Side)
def test_either_side_stops_it_at_once(spaces: Spaces, side: Side) -> None:
    """From the next question on nothing crosses when one side takes its word back, and history still shows it."""
    agree(spaces)
    assert spaces.seen()
    memory, other = (spaces.theirs, "ours") if side is Side.GIVEN else (spaces.ours, "theirs")
    stop(memory, Share(side, "Redis", other), actor="cy", why="no longer")

    assert spaces.seen() == set()
    assert [commit.why for commit in memory.log(commits_max=2)] == ["no longer", "we share the cluster"]
    with pytest.raises(Missing, match="redis is not"):
        stop(memory, Share(side, "redis", other), actor="cy", why="again")


def test_a_grant_is_for_one_space(spaces: Spaces) -> None:
    """What is given to one space is given to no other."""
    give(spaces.theirs, "redis", to="somebody-else", actor="bo", why="x")

    assert granted(spaces.theirs.now(), "somebody-else") == {"redis"}
    assert granted(spaces.theirs.now(), "ours") == frozenset()


def test_a_space_that_is_not_there_shares_nothing(spaces: Spaces) -> None:
    """Taking from a space that does not exist (yet) is no error; there is nothing to take."""
    take(spaces.ours, "redis", source="gone", actor="ana", why="x")

    assert grants(spaces.ours.now(), "ours", spaces.view) == ()


def test_spaces_may_use_the_same_ids(spaces: Spaces) -> None:
    """A case of another space does not hide one's own of the same id."""
    agree(spaces)
    Casebook(spaces.ours).put(CASES[0], actor="ana", why="told")
    cue = Cue(ASKED, CueKind.IDENTIFIERS, NOW, clues_of(ASKED))
    found = recall_shared(spaces.ours.now(), cue, grants=grants(spaces.ours.now(), "ours", spaces.view), space="ours")

    assert {(one.space, one.case.id) for one in found.remembered} >= {("ours", "redis-pool"), ("theirs", "redis-pool")}


def test_shares_are_listed_with_who_said_so(spaces: Spaces) -> None:
    """What a space gives and takes can be read, and what lies among it and is no share is left out."""
    agree(spaces)
    spaces.ours.put("shares/odd", {"side": "both"}, actor="bo", why="by hand", kind="share")

    assert shares_of(spaces.ours.now()) == (Share(Side.TAKEN, "redis", "theirs", "ana"),)
    assert shares_of(spaces.theirs.now()) == (Share(Side.GIVEN, "redis", "ours", "bo"),)


def test_a_component_has_one_name(spaces: Spaces) -> None:
    """Other spellings of a component are the same component; an unknown one goes by its own name."""
    assert [component_named(one) for one in ("PostgreSQL", " Redis ", "our-Cluster")] == [
        "postgres",
        "redis",
        "our-cluster",
    ]
    assert stop_is_refused(spaces.ours, "")


def stop_is_refused(memory: Memory, component: str) -> bool:
    """Whether nothing can be given under this name."""
    with pytest.raises(Malformed) as caught:
        give(memory, component, to="theirs", actor="ana", why="x")
    return caught.value.field == "component"


@pytest.mark.parametrize("space", ["ours", "", "12345678"])
def test_a_share_needs_another_space(spaces: Spaces, space: str) -> None:
    """A share with oneself, or with what cannot be a space, is refused by its field."""
    with pytest.raises(Malformed) as caught:
        give(spaces.ours, "redis", to=space, actor="ana", why="x")
    assert caught.value.field == "space"
