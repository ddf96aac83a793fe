"""Detection as timelines: seconds of counts in, events out."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from tests.timeline import QUIET_ERRORS_PER_S, SPACE, START, Timeline, kinds, only, rate_table

from hindcast.detect import Detector, EventKind, Rules, ServiceRule
from hindcast.model.errors import Malformed
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Incident, IncidentState, from_json, to_json
from hindcast.model.signal import Severity

# --- The fixed rule -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("errors", "opened"), [(99, 0), (100, 1)])
def test_the_hundredth_error_opens(errors: int, opened: int) -> None:
    """A hundred errors in two minutes open an incident, and ninety-nine do not."""
    world = Timeline()
    world.count("payment", errors // 2, ago=-1)
    world.run(60)
    world.count("payment", errors - errors // 2)

    assert kinds(world.run(1)) == [EventKind.OPENED] * opened


def test_errors_that_are_further_apart_than_the_window_do_not_add_up() -> None:
    """Sixty errors, and sixty more two minutes later, never are a hundred in two minutes."""
    world = Timeline()
    world.count("payment", 60, ago=-1)
    world.run(121)
    world.count("payment", 60)

    assert world.run(30) == []


def test_an_incident_says_what_it_is() -> None:
    """The title names the service, the count, the window and what is usual; the id has service and onset."""
    world = Timeline()
    world.usual("payment", "auth", errors=0.01)
    world.past(60)
    assert world.run(60) == []
    world.count("payment", 132)
    incident = only(world.run(1), EventKind.OPENED)

    assert incident.title.startswith("payment: 13")
    assert incident.title.endswith("errors in 2 minutes (usually 1)")
    assert incident.id == f"inc-20261116-{world.now - timedelta(seconds=1):%H%M}-payment"
    assert (incident.rule, incident.severity, incident.services) == (Rule.FIXED, Severity.MAJOR, ("payment",))
    assert incident.onset_at == world.now - timedelta(seconds=1)
    assert incident.trigger.value >= 132
    assert incident.trigger.limit == 100


def test_a_title_says_nothing_of_what_nobody_knows() -> None:
    """Where it is not known yet what is usual, a title does not speak of a history: memory may well have one."""
    world = Timeline()
    world.count("payment", 120, ago=-1)

    assert only(world.run(1), EventKind.OPENED).title == "payment: 120 errors in 2 minutes"


def test_a_service_may_have_its_own_line() -> None:
    """A rule of a service's own is taken at its word; one that is ignored opens nothing."""
    rules = Rules(
        services={"payment": ServiceRule(errors_min=5, window_seconds=60), "batch": ServiceRule(ignored=True)}
    )
    world = Timeline(rules)
    world.count("payment", 5, ago=-1)
    world.count("batch", 5000, ago=-1)

    assert only(world.run(2), EventKind.OPENED).services == ("payment",)


def test_usual_errors_are_no_trouble() -> None:
    """A service that always has two hundred errors in two minutes is left alone, from its first minute on."""
    world = Timeline()
    world.usual("legacy", errors=1.7, lines=300.0)

    assert world.run(1500, tick=5) == []


def test_usual_errors_open_when_nobody_asks_for_the_usual() -> None:
    """With `knows_usual` off the fixed rule counts, and does nothing else."""
    world = Timeline(Rules(knows_usual=False))
    world.usual("legacy", errors=1.7, lines=300.0)

    assert only(world.run(300), EventKind.OPENED).services == ("legacy",)


def test_a_hundred_errors_at_once_stand_out_of_noise() -> None:
    """In a service with a hundred errors of noise in two minutes, 120 more in a second are noticed at once."""
    world = Timeline()
    world.usual("search", errors=0.9, lines=200.0)
    world.past(60)
    assert world.run(60) == []
    world.count("search", 120)

    assert kinds(world.run(2)) == [EventKind.OPENED]


def test_a_stranger_in_a_flood_is_heard() -> None:
    """A hundred errors among a flood of harmless lines are noticed even while nothing is known of the service."""
    world = Timeline()
    world.usual("search", errors=0.0, lines=3000.0)
    world.run(60)
    world.count("search", 120)

    assert only(world.run(2), EventKind.OPENED).affected[0].usual is None


# --- The adaptive rule --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_a_quiet_service_that_gets_worse_is_noticed(seed: int) -> None:
    """From 0.05 to 0.5 errors a second, far below the fixed rule, takes about a minute to be noticed."""
    world = Timeline(seed=seed)
    world.usual("user")
    world.past(60)
    assert world.run(60, tick=2) == []
    world.errors["user"] = 0.5
    incident = only(world.run(130), EventKind.OPENED)

    assert (incident.rule, incident.severity) == (Rule.ADAPTIVE, Severity.MINOR)
    assert incident.affected[0].usual is not None
    assert 3 < incident.affected[0].usual < 12


def test_more_traffic_explains_more_errors() -> None:
    """A rush that triples lines and errors alike is no incident."""
    world = Timeline()
    world.usual("user", errors=0.25, lines=50.0)
    world.past(60)
    assert world.run(60) == []
    world.usual("user", errors=1.5, lines=300.0)

    assert world.run(600) == []


def test_the_adaptive_rule_can_be_switched_off() -> None:
    """Without it only the fixed rule speaks."""
    world = Timeline(Rules(adaptive=False))
    world.usual("user")
    world.past(60)
    world.errors["user"] = 0.5

    assert world.run(240) == []


def test_a_single_clump_is_no_trouble_that_lasts() -> None:
    """Thirty errors in one second are few enough to pass."""
    world = Timeline()
    world.usual("user")
    world.past(60)
    world.count("user", 30)

    assert world.run(120) == []


# --- Silence ------------------------------------------------------------------------------------------------------


def test_a_service_that_goes_silent_is_named() -> None:
    """A steady service that stops while others go on is in trouble, and is over it with its first line."""
    world = Timeline()
    world.usual("payment", "auth")
    world.past(40)
    world.run(60, tick=3)
    world.usual("payment", errors=0.0, lines=0.0)
    incident = only(world.run(130), EventKind.OPENED)
    assert incident.title.startswith("payment has gone silent: no line for 2 minutes (usually")
    assert (incident.rule, incident.services) == (Rule.SILENT, ("payment",))

    world.usual("payment")
    awaiting = only(world.run(130), EventKind.AWAITING)
    assert awaiting.quiet_since is not None
    assert abs(awaiting.quiet_since - (START + timedelta(seconds=191))) <= timedelta(seconds=2)


def test_when_everything_stops_nobody_is_accused() -> None:
    """Nothing from anybody is a finding of its own kind: no service is named, and none when lines come again."""
    world = Timeline()
    world.usual("payment", "auth", "user")
    world.past(40)
    world.run(60, tick=3)
    for service in world.lines:
        world.usual(service, errors=0.0, lines=0.0)
    incident = only(world.run(300), EventKind.OPENED)
    assert (incident.rule, incident.services, incident.origin) == (Rule.DEAF, (), "")
    assert incident.title == "nothing comes in any more: no line from any service for 2 minutes"
    assert incident.id.endswith("-no-data")

    world.usual("auth", "user")
    world.run(20)
    world.usual("payment")
    assert kinds(world.run(200)) == [EventKind.AWAITING]


def test_nothing_recovers_while_nobody_listens() -> None:
    """An open incident does not turn quiet because no lines come in at all."""
    world = Timeline()
    world.usual("payment", "auth")
    world.past(40)
    world.run(60, tick=3)
    world.errors["payment"] = 5.0
    world.run(60)
    for service in world.lines:
        world.usual(service, errors=0.0, lines=0.0)

    assert EventKind.AWAITING not in kinds(world.run(400))


def test_a_service_that_seldom_speaks_cannot_go_silent() -> None:
    """A service with a line every few minutes is not missed."""
    world = Timeline()
    world.usual("auth")
    world.usual("cron", errors=0.0, lines=0.02)
    world.past(60)
    world.run(60)
    world.usual("cron", errors=0.0, lines=0.0)

    assert world.run(900, tick=5) == []


# --- Reading again, late and wrong --------------------------------------------------------------------------------


def test_late_counts_still_count() -> None:
    """Errors that arrive a minute late open the incident, with the onset that they had."""
    world = Timeline()
    world.usual("payment", "auth")
    world.past(30)
    world.run(90, tick=3)
    world.count("payment", 150, ago=60)
    incident = only(world.run(1), EventKind.OPENED)

    assert incident.onset_at == START + timedelta(seconds=30)


def test_a_tick_may_come_again() -> None:
    """The same tick a second time tells nothing new and counts nothing twice."""
    world = Timeline()
    world.count("payment", 120, ago=-1)
    incident = only(world.run(1), EventKind.OPENED)

    assert world.detector.tick(world.table(), now=world.now) == ()
    assert [one.errors for one in world.detector.incidents] == [120]
    assert incident.errors == 120


def test_time_does_not_go_back() -> None:
    """A clock that is set back by seconds is waited for; a tick of an earlier hour is refused."""
    world = Timeline()
    world.count("payment", 120, ago=-1)
    world.run(100)
    before = world.detector.incidents

    assert world.detector.tick(world.table(), now=world.now - timedelta(seconds=5)) == ()
    assert world.detector.incidents[0].errors == before[0].errors
    with pytest.raises(Malformed, match="before the last tick"):
        world.detector.tick(world.table(), now=START - timedelta(hours=1))


@pytest.mark.parametrize(
    ("table", "field"),
    [
        (rate_table([]).drop_columns(["level"]), "level"),
        (rate_table([]).set_column(2, "service", pa.array([], pa.int64())), "service"),
        (rate_table([(SPACE, START, "a", 9, 1)]).set_column(4, "count", pa.array([None], pa.uint64())), "count"),
    ],
)
def test_a_wrong_table_is_named_by_its_column(table: pa.Table, field: str) -> None:
    """A missing column, a wrong type and an empty cell are told with the column's name."""
    with pytest.raises(Malformed) as failure:
        Detector().tick(table, now=START)

    assert failure.value.field == field


def test_a_time_without_a_timezone_is_refused() -> None:
    """The detector does not guess where a naive time was written."""
    with pytest.raises(Malformed, match="timezone"):
        Detector().tick(rate_table([]), now=START.replace(tzinfo=None))


def test_a_flood_of_names_is_bounded() -> None:
    """A space with too many services loses the newest names, is counted, and harms no other space."""
    detector = Detector(Rules(services_per_space_max=10))
    flood = [("noisy", START, f"service-{number}", 17, 200) for number in range(50)]
    events = detector.tick(rate_table([*flood, (SPACE, START, "payment", 17, 200)]), now=START)

    assert (SPACE, ("payment",)) in [(event.incident.space, event.incident.services) for event in events]
    assert detector.names_ignored == 40


def test_a_full_space_makes_room_for_those_who_speak() -> None:
    """Names that were heard once and never again give their places to services that come later."""
    world = Timeline(Rules(services_per_space_max=10))
    for number in range(10):
        world.count(f"pod-{number}", 1, level=9, ago=-1)
    world.run(1)
    world.usual("payment")
    world.run(1500, tick=10)
    world.count("payment", 150)

    assert only(world.run(1), EventKind.OPENED).services == ("payment",)


# --- Restarts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1, 10, 60, 300])
def test_what_is_usual_is_learnt_from_the_past(step: int) -> None:
    """After a restart stored counts, in steps of any length, tell noise from trouble at once."""
    chance = np.random.default_rng(3)
    rows: list[tuple[str, datetime, str, int, int]] = []
    for second in range(0, 2 * 3600, step):
        at = START - timedelta(hours=2) + timedelta(seconds=second)
        for service, errors, lines in (("legacy", 1.7, 300.0), ("user", 0.05, 10.0)):
            counts = ((17, chance.poisson(errors * step)), (9, chance.poisson(lines * step)))
            rows.extend((SPACE, at, service, level, int(count)) for level, count in counts if count)
    world = Timeline()
    world.detector.backfill(rate_table(rows), now=START, step_seconds=step)
    world.usual("legacy", errors=1.7, lines=300.0)
    world.usual("user")
    assert world.run(300) == []
    world.errors["user"] = 0.6

    assert only(world.run(130), EventKind.OPENED).services == ("user",)


def test_an_incident_outlives_a_restart() -> None:
    """A restored incident goes on: no second one opens, its errors add up, and it comes to rest."""
    world = Timeline()
    world.usual("payment", "auth")
    world.past(30)
    world.errors["payment"] = 5.0
    world.run(60)
    before = world.detector.incidents[0]
    stored = from_json(json.loads(json.dumps(to_json(before))))
    assert stored == before

    world.detector = Detector()
    world.detector.backfill(world.table(600), now=world.now)
    world.detector.restore([stored])
    assert kinds(world.run(30)) == []
    assert world.detector.incidents[0].errors > before.errors + 100

    world.errors["payment"] = QUIET_ERRORS_PER_S
    assert kinds(world.run(200)) == [EventKind.AWAITING]
    assert world.detector.incidents[0].id == before.id


def test_what_was_closed_before_a_restart_does_not_open_again() -> None:
    """Errors that a confirmed incident has told of are still in the window, and open nothing."""
    world = Timeline()
    world.count("payment", 120, ago=-1)
    incident = only(world.run(1), EventKind.OPENED)
    closed = replace(incident, state=IncidentState.CONFIRMED, closed_at=world.now, closed_by="ana")
    world.detector = Detector()
    world.detector.restore([closed])

    assert world.run(60) == []


# --- Incidents as values ------------------------------------------------------------------------------------------

LINE = {"at": "2026-11-16T02:00:00Z", "service": "payment", "level": 17, "message": "pool exhausted"}


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("severity", "awful", "severity"),
        ("onset_at", "2026-11-16T02:00:00", "onset_at"),
        ("affected", 3, "affected"),
        # A time without a timezone is found however deep it lies.
        ("exemplars", [LINE, {**LINE, "at": "2026-11-16T02:00:00"}], "exemplars[1].at"),
    ],
)
def test_a_body_that_is_no_incident_is_refused(name: str, value: object, field: str) -> None:
    """What cannot be read as an incident is told with the field that is wrong."""
    finding = Finding(SPACE, "payment", Rule.FIXED, START, START, 120.0, 1.0, 100.0)
    incident = Incident("i", SPACE, "t", IncidentState.OPEN, finding, (), START, START, START, Severity.MAJOR)

    with pytest.raises(Malformed) as failure:
        from_json({**to_json(incident), name: value})
    assert failure.value.field == field


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"errors_min": 0}, "errors_min"),
        ({"window_seconds": 5}, "window_seconds"),
        ({"cascade_services_min": 1}, "cascade_services_min"),
        ({"relapse_seconds": -1}, "relapse_seconds"),
        ({"hold_seconds": 4000}, "hold_seconds_max"),
    ],
)
def test_rules_that_cannot_hold_are_refused(wrong: dict[str, int], field: str) -> None:
    """A rule out of range is told by its name when it is made, not when it first matters."""
    with pytest.raises(Malformed) as failure:
        Rules(**wrong)  # type: ignore[arg-type]
    assert failure.value.field == field
