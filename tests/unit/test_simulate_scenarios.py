"""Each scenario does what its truth says: in the services it names, in order, in time, and nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from hindcast.model.signal import Level
from hindcast.simulate import NAMES, SCENARIOS, Expected, Phase, World, burst, scenario, truth
from hindcast.simulate.counts import LEVELS
from hindcast.simulate.gauges import KINDS
from hindcast.simulate.topology import PLACES

START = datetime(2026, 3, 3, 14, 0, tzinfo=UTC)
BAD = LEVELS.index(Level.ERROR)
# The fixed rule: so many errors of one service within so many seconds are an incident.
ERRORS_MIN, WINDOW_SECONDS = 100, 120
TROUBLED = [name for name, one in SCENARIOS.items() if one.expected in (Expected.OUTAGE, Expected.CASCADE)]


def world(*names: str, seed: int = 7, rate_per_s: float = 200.0) -> World:
    """A world in which these scenarios begin at START."""
    return World(seed, names, rate_per_s=rate_per_s, starts_at=START)


def errors(*names: str, seconds: int, seed: int = 7) -> NDArray[np.int64]:
    """Errors of each second and service since START."""
    counts = world(*names, seed=seed).counts(START, START + timedelta(seconds=seconds))
    found: NDArray[np.int64] = counts[:, :, BAD:].sum(axis=2)
    return found


def fullest_window(of_seconds: NDArray[np.int64]) -> int:
    """The most errors within any window of the fixed rule."""
    sums = np.concatenate([[0], np.cumsum(of_seconds)])
    return int((sums[WINDOW_SECONDS:] - sums[:-WINDOW_SECONDS]).max())


def test_there_are_ten_scenarios() -> None:
    """The ten that were promised, each under its name with a sentence for people."""
    assert len(SCENARIOS) == 10
    assert all(name == one.name and one.sentence.endswith(".") for name, one in SCENARIOS.items())


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_truth_is_about_known_services(name: str) -> None:
    """A truth names services that exist, the origin first, and five or more of them make a cascade."""
    told = truth(name)

    assert set(told.services) <= set(NAMES)
    assert told.services[:1] == ((told.origin,) if told.origin else ())
    assert told.cascade == (len(told.services) >= 5) == (told.expected is Expected.CASCADE)
    assert told.starts_after_seconds <= told.ends_after_seconds
    assert told == truth(scenario(name))


@pytest.mark.parametrize("name", TROUBLED)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_trouble_stays_within_its_time(name: str, seed: int) -> None:
    """Before it starts and after it ends, errors are exactly those of an ordinary day."""
    told = truth(name)
    with_it = errors(name, seconds=600, seed=seed)
    without = errors(seconds=600, seed=seed)

    assert (with_it[: told.starts_after_seconds] == without[: told.starts_after_seconds]).all()
    assert (with_it[told.ends_after_seconds :] == without[told.ends_after_seconds :]).all()


@pytest.mark.parametrize("name", TROUBLED)
def test_trouble_stays_with_its_services(name: str) -> None:
    """A service that the truth does not name has exactly the errors of an ordinary day."""
    others = [PLACES[one] for one in NAMES if one not in truth(name).services]

    assert (errors(name, seconds=600)[:, others] == errors(seconds=600)[:, others]).all()


@pytest.mark.parametrize("name", TROUBLED)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_trouble_spreads_in_the_order_of_the_truth(name: str, seed: int) -> None:
    """The origin's errors rise first, and each further service follows those that the truth names before it."""
    told = truth(name)
    added = errors(name, seconds=600, seed=seed) - errors(seconds=600, seed=seed)

    # When a service has added its tenth error: chance alone moves that by a second or two, not by more.
    onsets = [int(np.argmax(np.cumsum(added[:, PLACES[one]]) >= 10)) for one in told.services]

    assert onsets == sorted(onsets)
    assert told.starts_after_seconds <= onsets[0] < told.starts_after_seconds + 20


@pytest.mark.parametrize("name", TROUBLED)
def test_the_origin_passes_the_fixed_rule(name: str) -> None:
    """At the usual rate the origin has far more than a hundred errors within two minutes, and noise never has."""
    origin = PLACES[truth(name).origin]

    assert fullest_window(errors(name, seconds=600)[:, origin]) > 1.5 * ERRORS_MIN
    assert all(fullest_window(errors(seconds=6 * 3600)[:, place]) < ERRORS_MIN for place in range(len(NAMES)))


@pytest.mark.parametrize("seed", range(5))
def test_noisy_but_healthy_stays_under_the_fixed_rule(seed: int) -> None:
    """Over six hours the noisy services have more errors than usual, and never a hundred within two minutes."""
    seconds = 6 * 3600
    noisy, usual = errors("noisy-but-healthy", seconds=seconds, seed=seed), errors(seconds=seconds, seed=seed)

    for service in ("notification", "analytics"):
        place = PLACES[service]
        assert noisy[:, place].sum() > 1.5 * usual[:, place].sum()
        assert fullest_window(noisy[:, place]) < ERRORS_MIN


def test_noisy_services_have_always_been_noisy() -> None:
    """A day before the scenario begins they complain as much, so that a baseline can learn it."""
    day = timedelta(days=1)
    place = PLACES["notification"]
    before = world("noisy-but-healthy").counts(START - day, START)[:, place, BAD].sum()
    after = world("noisy-but-healthy").counts(START, START + day)[:, place, BAD].sum()

    assert before == pytest.approx(after, rel=0.15)


def test_a_silent_service_says_nothing() -> None:
    """While it hangs, notification writes no line and no span; the others go on as always."""
    told = truth("silent-service")
    at = START + timedelta(seconds=told.starts_after_seconds + 5)
    silent = world("silent-service").step(at, 60)
    usual = world().step(at, 60)

    assert not [line for line in silent.lines if line.service == "notification"]
    assert not [span for span in silent.spans if span.service == "notification"]
    assert len([line for line in usual.lines if line.service == "notification"]) > 600
    counts = world("silent-service").counts(START, START + timedelta(seconds=600))
    others = [place for place in range(len(NAMES)) if place != PLACES["notification"]]
    assert (counts[:, others] == world().counts(START, START + timedelta(seconds=600))[:, others]).all()


def test_flapping_comes_and_goes() -> None:
    """The errors of payment stop and start again at least four times."""
    place = PLACES["payment"]
    added = errors("flapping", seconds=600)[:, place] - errors(seconds=600)[:, place]
    loud = added.reshape(-1, 10).sum(axis=1) > 30

    assert int((np.diff(loud.astype(int)) == 1).sum()) >= 4


def test_a_leak_fills_memory_before_anything_fails() -> None:
    """Memory of analytics climbs while there is not one error more, and ends in lines that are fatal."""
    told = truth("memory-leak")
    moment = world("memory-leak").step(START, told.starts_after_seconds + 60)
    used = [
        value.value for value in moment.gauges if value.service == "analytics" and value.name == KINDS["memory"].name
    ]

    assert used[told.starts_after_seconds // 10 - 1] > 3 * used[5]
    fatal = [line for line in moment.lines if line.level is Level.FATAL]
    assert {line.service for line in fatal} == {"analytics"}
    assert fatal[0].time_ns // 10**9 >= START.timestamp() + told.starts_after_seconds


def test_a_bad_deploy_begins_and_ends_with_a_change() -> None:
    """The deploy comes just before the errors, the rollback just before they end, each told once."""
    told = truth("bad-deploy")
    whole = world("bad-deploy", rate_per_s=5).step(START, 600)
    after = [(change.at - START).total_seconds() for change in whole.changes]

    assert [change.service for change in whole.changes] == ["user", "user"]
    assert 0 < told.starts_after_seconds - after[0] <= 30
    assert 0 < told.ends_after_seconds - after[1] <= 60
    assert len({change.key for change in whole.changes}) == 2


def test_scenarios_can_happen_together() -> None:
    """Two scenarios in one world trouble the services of both."""
    both = errors("certificate-expiry", "queue-backlog", seconds=400)
    one = errors("certificate-expiry", seconds=400)

    assert both[:, PLACES["notification"]].sum() > one[:, PLACES["notification"]].sum() + 200
    assert both[:, PLACES["payment"]].sum() > one[:, PLACES["payment"]].sum() + 50


@pytest.mark.parametrize("name", SCENARIOS)
def test_phases_follow_one_another(name: str) -> None:
    """A scenario begins quiet, ends calm unless it is always there, and tells what each phase is."""
    one = scenario(name)
    changes = one.changes_of_phase()

    assert changes[0] == (0, Phase.QUIET)
    assert one.always or changes[-1][1] is Phase.CALM
    assert all(one.phase(after) is phase for after, phase in changes)
    assert {phase for phase, _ in one.told} >= {phase for _, phase in changes} - {Phase.QUIET, Phase.CALM}


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("service", NAMES)
def test_a_burst_is_so_many_errors_of_one_service(name: str, service: str) -> None:
    """120 injected errors are 120 error lines of that service within the last second, whatever the scenario."""
    moment = burst(scenario(name), service, 120, at=START, seed=7)

    assert len(moment.lines) == 120
    assert {(line.service, line.level) for line in moment.lines} == {(service, Level.ERROR)}
    now = int(START.timestamp()) * 10**9
    assert all(now - 10**9 <= line.time_ns < now for line in moment.lines)
    assert len({line.trace for line in moment.lines}) == 120


@pytest.mark.parametrize(
    ("service", "way", "sign"),
    [
        ("payment", "pool-exhaustion", "\tat com.example.payment"),
        ("auth", "certificate-expiry", "Caused by: javax.net.ssl.SSLHandshakeException"),
        ("user", "bad-deploy", 'Traceback (most recent call last):\n  File "/app/user/server.py"'),
        ("analytics", "memory-leak", "MemoryError: Unable to allocate"),
        ("notification", "slow-database", "\n    at Receipts.send (/app/src/receipts/send.js:"),
        ("api-gateway", "bad-deploy", "\n\ngoroutine "),
    ],
)
def test_stack_traces_look_like_their_language(service: str, way: str, sign: str) -> None:
    """A burst holds stack traces as Java, Python, JavaScript and Go print them, through the service's own code."""
    stacks = [line.stack for line in burst(scenario(way), service, 50, at=START, seed=1).lines]

    assert any(sign in stack for stack in stacks)
