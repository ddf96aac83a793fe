"""Bad days at the front door: clients that are slow, many, or gone, rights that end, and clocks that jump."""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from tests.answering import SECONDS_MAX, Answering, answering
from tests.serving import wait_for

from hindcast.adapters.clock import ManualClock
from hindcast.model.access import Power, Role
from hindcast.model.errors import Unavailable, Unidentified

IDLE = 1_000
PASSWORD = "correct horse battery staple"


@pytest.fixture(scope="module")
def clock() -> ManualClock:
    """A clock that the tests set as they like."""
    return ManualClock(datetime(2026, 11, 15, 2, 0, tzinfo=UTC))


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory, clock: ManualClock) -> Iterator[Answering]:
    """A Hindcast with short patience."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Both ends of every connection are in this process.
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * IDLE)), hard))
    folder = tmp_path_factory.mktemp("days")
    with answering(folder, clock=clock, head_seconds_max=1, request_seconds_max=2) as made:
        yield made
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(autouse=True)
def left(hindcast: Answering) -> Iterator[None]:
    """Whatever a test does, its connections are closed and their places free again."""
    yield
    hindcast.hang_up()
    wait_for(lambda: not hindcast.live.streams, what="every stream to have ended")


def test_a_head_that_trickles_is_cut_off(hindcast: Answering) -> None:
    """Whoever sends a head byte by byte, or none at all, is told 408 or nothing, and the connection ends."""
    begun = hindcast.connect(b"GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    silent = hindcast.connect()
    with hindcast.client() as client:
        assert client.status_get() is not None
    heard = [one.recv(65_536) for one in (begun, silent)]

    assert all(not said or b" 408 " in said for said in heard)
    assert [one.recv(65_536) for one in (begun, silent)] == [b"", b""]


def test_a_body_that_trickles_is_cut_off(hindcast: Answering) -> None:
    """Whoever announces a body and does not send it is told 408, on our own routes and on those of protocols."""
    for path in ("/api/v1/recall", "/v1/logs"):
        kind = "Content-Type: application/json\r\nContent-Length: 9999"
        slow = hindcast.connect(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{kind}\r\n\r\n{{".encode())

        assert b" 408 " in slow.recv(65_536).split(b"\r\n")[0]


def test_a_thousand_idle_listeners_are_held(hindcast: Answering) -> None:
    """A thousand clients listen at once; each of them hears the next event, and others are answered meanwhile."""

    async def listen() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", hindcast.port)
        writer.write(hindcast.head("/api/v1/live"))
        await reader.readuntil(b"event: beat\n")
        return reader, writer

    async def story() -> list[bytes]:
        async with asyncio.timeout(SECONDS_MAX):
            made: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
            while len(made) < IDLE:
                made += await asyncio.gather(*(listen() for _ in range(50)))
            assert hindcast.live.streams == IDLE
            async with httpx.AsyncClient(trust_env=False) as other:
                assert (await other.get(f"{hindcast.url}/api/v1/status", headers=hindcast.proof)).is_success
            hindcast.live.tell("local", "incident", {"id": "told once"})
            heard = await asyncio.gather(*(reader.readuntil(b'{"id":"told once"}') for reader, _ in made))
            for _, writer in made:
                writer.close()
        return heard

    assert len(asyncio.run(story())) == IDLE


def test_a_client_that_never_reads_harms_nobody(hindcast: Answering) -> None:
    """What waits for a client that does not read is bounded; others hear everything, and it is told what it missed."""
    asleep = hindcast.connect(hindcast.head("/api/v1/live"), receive_bytes=4_096)
    awake = hindcast.listen()
    wait_for(lambda: hindcast.live.streams == 2, what="two listeners")
    # Larger together than every buffer on the way; a listener that keeps up has room for each dozen of them.
    data, is_told_gaps = "x" * 20_000, False
    for number in range(50 * 12):
        hindcast.live.tell("local", "incident", {"number": number, "data": data})
        if number % 12 == 11:
            awake.until(f'{{"number":{number},'.encode())
            is_told_gaps |= b"event: gap" in awake.heard
            awake.heard = b""
    waiting = max(one._bytes for one in hindcast.live.listeners)
    assert not is_told_gaps
    assert 0 < waiting <= hindcast.live.limits.bytes_per_listener_max

    heard = b""
    while b"event: gap" not in heard:
        heard = heard[-100:] + asleep.recv(1_048_576)
    while b"dropped" not in heard:
        heard += asleep.recv(65_536)
    assert b'"why":"slow"' in heard


def test_a_revoked_key_ends_its_streams(hindcast: Answering) -> None:
    """A stream ends with a word when its key is revoked, the very next request is refused, and other keys go on."""
    by = hindcast.access.operator
    revoked, kept = (hindcast.access.keys.create(name, Power.READ, organisation="home", by=by) for name in ("a", "b"))
    ends, goes_on = (hindcast.listen("space=local", Authorization=f"Bearer {one.secret}") for one in (revoked, kept))
    for ears in (ends, goes_on):
        ears.until(b"event: beat")
    hindcast.access.keys.revoke(revoked.key.id, by=by)

    with hindcast.client(key=revoked.secret) as client, pytest.raises(Unidentified):
        client.incidents_list()
    assert ends.told("closed") == {"why": "Your right to listen here has ended.", "type": "refused"}
    assert ends.to_the_end().endswith(b"0\r\n\r\n")
    hindcast.live.tell("local", "incident", {"id": "for the other"})
    goes_on.until(b"for the other")


def test_a_session_that_ended_ends_its_streams(hindcast: Answering) -> None:
    """Signing out on one page closes what another page of the same session listens to."""
    access = hindcast.access
    made = access.people.invite("ana@home.example", Role.ADMIN, organisation="home", by=access.operator)
    signed = access.signing.accept(made.secret, password=PASSWORD, name="Ana", peer="")
    ears = hindcast.listen("space=local", Cookie=f"hindcast={signed.secret}")
    ears.until(b"event: beat")
    access.signing.sign_out(signed.secret)

    assert ears.told("closed")["type"] == "refused"


def test_a_right_that_cannot_be_checked_ends(hindcast: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the accounts cannot be read streams go on for a while, and no longer."""

    def away() -> int:
        raise Unavailable("The accounts are away.", remedy="Wait.")

    monkeypatch.setattr(hindcast.access, "revision", away)
    ears = hindcast.listen()
    ears.until(b"event: beat")
    hindcast.live.tell("local", "incident", {"id": "still heard"})
    ears.until(b"still heard")
    monkeypatch.setattr(hindcast.live, "limits", replace(hindcast.live.limits, unchecked_seconds_max=0))

    assert ears.told("closed")["type"] == "unavailable"


def _wait_for_looks(counts: Counter[str], looks: int) -> None:
    enough = counts["ticks"] + looks
    wait_for(lambda: counts["ticks"] >= enough, what=f"{looks} more looks")


def test_a_clock_that_jumps_disturbs_nobody(hindcast: Answering, clock: ManualClock) -> None:
    """A clock set forward by days and back ends no stream and no look; commits and repeated requests stay right."""
    ears = hindcast.listen("kinds=incident,rates")
    ears.until(b"event: beat")
    counts = hindcast.running.app.counts
    once = {"Idempotency-Key": "one and the same", **hindcast.proof}
    body = {"why": "a fact", "changes": [{"address": "notes/one", "body": {"n": 1}}]}
    answers = []
    for jump in (timedelta(days=3), timedelta(days=-6), timedelta(days=3)):
        clock.move(jump)
        _wait_for_looks(counts, 2)
        answers.append(
            httpx.post(
                f"{hindcast.url}/api/v1/memory/commits", json=body, headers=once, trust_env=False, timeout=SECONDS_MAX
            )
        )
    hindcast.live.tell("local", "incident", {"id": "after the jumps"})
    ears.until(b"after the jumps")
    with hindcast.client() as client:
        client.simulator_play(scenario="bad-deploy", service="payment")
    opened = ears.told("incident", lambda data: data.get("kind") == "opened")

    assert opened["incident"]["origin"] == "payment"
    assert counts["ticks_failed"] == 0
    assert answers[0].is_success
    assert [answer.status_code for answer in answers] == [answers[0].status_code] * 3
    with hindcast.client() as client:
        times = [commit.at for commit in client.every(client.commits_list)]
        assert times == sorted(times, reverse=True)
        assert client.memory_verify() is not None


def test_a_key_that_expires_ends_its_streams(hindcast: Answering, clock: ManualClock) -> None:
    """A key whose time is over ends its streams by itself; a clock that is set back does not bring the stream back."""
    soon = clock.now() + timedelta(minutes=5)
    made = hindcast.access.keys.create(
        "short", Power.READ, organisation="home", expires_at=soon, by=hindcast.access.operator
    )
    ears = hindcast.listen("space=local", Authorization=f"Bearer {made.secret}")
    ears.until(b"event: beat")
    clock.move(timedelta(minutes=6))

    assert ears.told("closed")["type"] == "refused"
    clock.move(timedelta(minutes=-6))
    assert ears.to_the_end().endswith(b"0\r\n\r\n")
