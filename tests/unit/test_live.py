"""The live stream: who hears what, from where on, and what somebody who does not keep up costs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.hearing import events, heard

from hindcast.model.errors import Busy
from hindcast.rest.listening import KINDS, LiveLimits, Pass, Tail, Wish
from hindcast.rest.live import Live

OURS = Wish("ours")


def play(story: Callable[[Live], Any], limits: LiveLimits | None = None) -> Any:
    """Let a story happen in a loop, with a stream of its own."""

    async def run() -> Any:
        live = Live(limits, epoch="e")
        live.attach(asyncio.get_running_loop())
        return await story(live)

    return asyncio.run(run())


def test_a_listener_hears_its_own_space_only() -> None:
    """An event reaches everybody who listens to its space, and nobody else; numbers of a space tell of no other."""

    async def story(live: Live) -> Any:
        listener = live.listen(OURS)
        live.tell("theirs", "incident", {"id": "not for us"})
        live.tell("ours", "incident", {"id": "for us"})
        return await heard(listener)

    assert play(story) == [("incident", "e-1", {"id": "for us"})]


def test_a_listener_hears_the_kinds_it_asked_for() -> None:
    """Who wants rates is not told of lines, and lines go to those alone whose conditions they meet."""

    async def story(live: Live) -> Any:
        rates = live.listen(Wish("ours", frozenset({"rates"})))
        bad, slow = Tail(level_min=17), Tail(words=("slow",))
        first = live.listen(Wish("ours", frozenset({"line"}), bad))
        second = live.listen(Wish("ours", frozenset({"line"}), slow))
        live.pass_by("ours", "rates", 1)
        live.pass_by("ours", "line", 2, bad)
        live.pass_by("ours", "line", 3, slow)
        return [await heard(one) for one in (rates, first, second)]

    assert play(story) == [[("rates", "", 1)], [("line", "", 2)], [("line", "", 3)]]


def test_a_listener_that_comes_back_hears_what_it_missed() -> None:
    """Whoever names the last event it heard is told everything since, in order, and nothing twice."""

    async def story(live: Live) -> Any:
        for number in range(4):
            live.tell("ours", "incident", number)
        await asyncio.sleep(0)
        return await heard(live.listen(OURS, after="e-2"))

    assert play(story) == [("incident", "e-3", 2), ("incident", "e-4", 3)]


def test_a_new_listener_learns_where_it_stands() -> None:
    """The first beat names the newest event, so that nothing is missed even by who has heard none."""

    async def story(live: Live) -> Any:
        live.tell("ours", "incident", 0)
        await asyncio.sleep(0)
        return events(await live.listen(OURS).take())

    assert play(story) == [("beat", "e-1", {})]


@pytest.mark.parametrize("after", ["before-7", "e-9", "e-x", "nonsense", "e-" + "9" * 30])
def test_an_id_of_another_start_is_a_gap(after: str) -> None:
    """An id that this start did not give is answered with a gap, and then with all that this start has kept."""

    async def story(live: Live) -> Any:
        live.tell("ours", "incident", 0)
        await asyncio.sleep(0)
        return await heard(live.listen(OURS, after=after))

    gap, told = play(story)
    assert (gap[0], gap[2]["why"], gap[2]["dropped"]) == ("gap", "restarted", None)
    assert told == ("incident", "e-1", 0)


def test_an_id_that_is_too_old_is_a_gap_with_a_count() -> None:
    """Events that are no longer kept are counted, not left out in silence."""

    async def story(live: Live) -> Any:
        for number in range(10):
            live.tell("ours", "incident", number)
        await asyncio.sleep(0)
        return await heard(live.listen(OURS, after="e-2"))

    found = play(story, LiveLimits(events_per_space_max=3))
    assert found[0] == ("gap", "", {"why": "too old", "dropped": {"any": 5}})
    assert [one[1] for one in found[1:]] == ["e-8", "e-9", "e-10"]


def test_a_loud_space_empties_no_others_past() -> None:
    """When room for kept events runs out, the space that takes the most gives way."""

    async def story(live: Live) -> Any:
        live.tell("ours", "incident", "quiet")
        for _ in range(50):
            live.tell("theirs", "incident", "x" * 100)
        await asyncio.sleep(0)
        return await heard(live.listen(OURS, after="e-0"))

    assert play(story, LiveLimits(bytes_kept_max=1_000)) == [("incident", "e-1", "quiet")]


def test_a_listener_that_sleeps_is_told_what_it_missed() -> None:
    """What does not fit into a listener's room is counted by kind, and told as a gap where it is missing."""

    async def story(live: Live) -> Any:
        listener = live.listen(Wish("ours", KINDS))
        await listener.take()
        for number in range(10):
            live.tell("ours", "incident", number)
            live.pass_by("ours", "rates", number)
        before = await heard(listener)
        live.tell("ours", "incident", "later")
        return before, await heard(listener)

    before, later = play(story, LiveLimits(frames_per_listener_max=6))
    told = [one for one in before if one[0] != "gap"]
    gaps = [one[2] for one in before if one[0] == "gap"]
    dropped = sum(sum(gap["dropped"].values()) for gap in gaps)
    assert all(gap["why"] == "slow" for gap in gaps)
    assert len(told) + dropped == 20
    assert len([one for one in told if one[0] == "incident"]) > len([one for one in told if one[0] == "rates"])
    assert [one[2] for one in later] == ["later"]


def test_lines_do_not_crowd_out_incidents() -> None:
    """However many lines wait for a listener, there is room left for an incident."""

    async def story(live: Live) -> Any:
        listener = live.listen(Wish("ours", KINDS))
        for number in range(1_000):
            live.pass_by("ours", "line", number, Tail())
        live.tell("ours", "incident", "seen")
        return await heard(listener)

    assert ("incident", "e-1", "seen") in play(story, LiveLimits(frames_per_listener_max=20))


def test_what_waits_for_a_listener_is_bounded_in_bytes() -> None:
    """Large events use up the room of a listener as many small ones do."""

    async def story(live: Live) -> Any:
        listener = live.listen(OURS)
        for _ in range(50):
            live.tell("ours", "incident", "x" * 1_000)
        return await heard(listener)

    found = play(story, LiveLimits(bytes_per_listener_max=10_000))
    assert len([one for one in found if one[0] == "incident"]) < 10
    assert found[-1][0] == "gap"


def test_one_event_is_one_piece_of_bytes_for_everybody() -> None:
    """A frame is made once; listeners share it."""

    async def story(live: Live) -> Any:
        listeners = [live.listen(OURS) for _ in range(3)]
        for listener in listeners:
            await listener.take()
        live.tell("ours", "incident", "x" * 100)
        await asyncio.sleep(0)
        return {id(listener._waiting[0]) for listener in listeners}

    assert len(play(story)) == 1


def test_streams_are_bounded() -> None:
    """There is a limit on streams in all, on those of one caller, and on sets of conditions; each says what to do."""

    async def story(live: Live) -> list[str]:
        live.listen(OURS, Pass(caller="ana"))
        problems = []
        for wish, right in (
            (OURS, Pass(caller="ana")),
            (Wish("ours", frozenset({"line"}), Tail(level_min=9)), Pass()),
            (Wish("ours", frozenset({"line"}), Tail(level_min=17)), Pass()),
            (OURS, Pass(caller="bo")),
            (OURS, Pass()),
        ):
            try:
                live.listen(wish, right)
            except Busy as error:
                problems.append(error.problem)
        return problems

    limits = LiveLimits(streams_max=3, streams_per_caller_max=1, tails_max=1)
    assert play(story, limits) == [
        "You have 1 streams open already.",
        "Lines are followed under 1 different conditions already.",
        "3 streams are open already.",
    ]


def test_whoever_leaves_makes_room() -> None:
    """A stream that ended counts no more, and what nobody wants is no longer fed."""

    async def story(live: Live) -> Any:
        first = live.listen(Wish("ours", KINDS), Pass(caller="ana"))
        fed = live.is_fed_on.is_set()
        live.leave(first)
        live.leave(first)
        live.listen(OURS, Pass(caller="ana"))
        return fed, live.is_fed_on.is_set(), live.streams, live.tails, live.rated

    limits = LiveLimits(streams_max=1, streams_per_caller_max=1)
    assert play(story, limits) == (True, False, 1, frozenset(), frozenset())


def test_a_stopping_hindcast_says_so() -> None:
    """Whoever listens when it stops, and whoever comes while it does, hears why as the last thing."""

    async def story(live: Live) -> Any:
        before = live.listen(OURS)
        live.end("stopping")
        await asyncio.sleep(0)
        after = live.listen(OURS)
        said = [events(await one.take())[-1] for one in (before, after)]
        return said, await before.take(), await after.take()

    assert play(story) == ([("closed", "", {"why": "stopping"})] * 2, b"", b"")


def test_a_beat_disturbs_nobody() -> None:
    """A beat goes to those to whom nothing else is being told."""

    async def story(live: Live) -> Any:
        idle, busy = live.listen(OURS), live.listen(OURS)
        await idle.take()
        live.beat()
        return events(await idle.take()), events(await busy.take())

    assert play(story) == ([("beat", "e-0", {})], [("beat", "e-0", {})])
