"""The live stream: who hears what, and from where on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from hindcast.rest import live
from hindcast.rest.live import Live


async def heard(frames: AsyncIterator[bytes], count: int) -> list[bytes]:
    """The next events of a listener, without the lines that only keep a connection open."""
    found: list[bytes] = []
    while len(found) < count:
        frame = await asyncio.wait_for(anext(frames), 5)
        if not frame.startswith(b":"):
            found.append(frame)
    return found


def test_a_listener_hears_its_own_space_only() -> None:
    """An event reaches everybody who listens to its space, and nobody else."""

    async def story() -> list[bytes]:
        stream = Live()
        stream.attach(asyncio.get_running_loop())
        frames = stream.listen("ours")
        await anext(frames)
        stream.tell("theirs", "incident", {"id": "not for us"})
        stream.tell("ours", "incident", {"id": "for us"})
        return await heard(frames, 1)

    assert asyncio.run(story()) == [b'id: 2\nevent: incident\ndata: {"id":"for us"}\n\n']


def test_a_listener_that_comes_back_hears_what_it_missed() -> None:
    """Whoever names the last event it heard is told everything since, in order."""

    async def story() -> list[bytes]:
        stream = Live()
        stream.attach(asyncio.get_running_loop())
        for number in range(4):
            stream.tell("ours", "incident", number)
        await asyncio.sleep(0)
        return await heard(stream.listen("ours", after=2), 2)

    assert [frame.splitlines()[0] for frame in asyncio.run(story())] == [b"id: 3", b"id: 4"]


def test_a_listener_that_sleeps_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """A listener that does not keep up costs a bounded amount of memory, and then its connection."""
    monkeypatch.setattr(live, "EVENTS_PER_LISTENER_MAX", 3)

    async def story() -> int:
        stream = Live()
        stream.attach(asyncio.get_running_loop())
        frames = stream.listen("ours")
        await anext(frames)
        for number in range(10):
            stream.tell("ours", "incident", number)
        await asyncio.sleep(0)
        return len([frame async for frame in frames])

    assert asyncio.run(story()) == 3
