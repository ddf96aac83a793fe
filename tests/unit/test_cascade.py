"""Cascades: five or more together, in order, with a likely origin; never made of noise."""

from __future__ import annotations

from datetime import timedelta

import pyarrow as pa
import pytest
from tests.timeline import SPACE, START, Timeline, kinds, only

from hindcast.detect import EventKind
from hindcast.detect.cascade import Graph, spread, together
from hindcast.model.finding import Rule
from hindcast.model.incident import Affected, IncidentState
from hindcast.model.signal import Edge, Severity

SERVICES = ("api-gateway", "auth", "database", "payment", "notification", "user", "analytics")
CALLS = (
    ("api-gateway", "auth"),
    ("api-gateway", "payment"),
    ("api-gateway", "user"),
    ("auth", "database"),
    ("payment", "database"),
    ("user", "database"),
    ("analytics", "database"),
)


def affected(service: str, after: float, *, errors: int = 300, seconds: int = 60, surprise: float = 20.0) -> Affected:
    """A service in trouble since so many seconds after the start."""
    onset_at = START + timedelta(seconds=after)
    return Affected(service, onset_at, onset_at + timedelta(seconds=seconds), errors, errors, 1.0, surprise)


def graph(*calls: tuple[str, str]) -> Graph:
    """Who calls whom."""
    return Graph([Edge(caller, callee, 10) for caller, callee in calls])


# --- The origin ---------------------------------------------------------------------------------------------------


def test_without_a_graph_the_first_is_the_origin() -> None:
    """Services stand in the order of their onsets, and the reason says that this is all there is."""
    found = spread([affected("c", 9), affected("a", 0), affected("b", 5)], Graph())

    assert [one.service for one in found.order] == ["a", "b", "c"]
    assert found.origin == "a"
    assert found.reasons == (
        "its trouble began at 02:00:00, 5 seconds before any other",
        "the order of onsets is all there is: who calls it is not known",
    )


def test_the_graph_settles_what_onsets_leave_open() -> None:
    """Of services that fail within a second, the one that all others depend on is the origin."""
    found = spread([affected("api-gateway", 0), affected("payment", 0.5), affected("database", 1)], graph(*CALLS))

    assert found.origin == "database"
    assert "api-gateway, payment depend on it" in found.reasons
    assert "nothing that it calls is in trouble" in found.reasons


def test_a_clearly_earlier_service_beats_the_graph() -> None:
    """What began long before anything it calls is where it began: an overload travels downwards."""
    late = [affected("database", 60), affected("auth", 62), affected("user", 61)]

    assert spread([affected("api-gateway", 0), *late], graph(*CALLS)).origin == "api-gateway"


def test_few_errors_blur_an_onset() -> None:
    """With an error every ten seconds an onset says little, so the graph decides."""
    slow = affected("database", 8, errors=6)
    found = spread([affected("payment", 0), affected("user", 1), slow], graph(*CALLS))

    assert found.origin == "database"


def test_a_circle_of_calls_has_an_origin_too() -> None:
    """Services that call one another in a circle are told apart by their onsets."""
    found = spread([affected("a", 4), affected("b", 0), affected("c", 8)], graph(("a", "b"), ("b", "c"), ("c", "a")))

    assert found.origin == "b"


def test_many_services_are_ordered() -> None:
    """Five hundred services in trouble are put in order, the earliest first."""
    found = spread([affected(f"s{number:03}", number) for number in range(500)], Graph())

    assert found.origin == "s000"
    assert len(found.order) == 500


def test_a_long_pause_separates() -> None:
    """Onsets belong together while no pause between them is longer than the spread."""
    spans = {"a": (0, 950), "b": (250, 950), "c": (500, 950), "d": (900, 950)}

    assert together(spans, spread_seconds=300) == [["a", "b", "c"], ["d"]]


# --- In life ------------------------------------------------------------------------------------------------------


def watched() -> Timeline:
    """Seven services with an hour of history and a known graph."""
    world = Timeline(seed=4)
    world.usual(*SERVICES, errors=0.1, lines=20.0)
    world.past(60)
    world.tick(edges=CALLS)
    assert world.run(30) == []
    return world


def test_one_outage_is_named_by_name() -> None:
    """With noise in six other services, one service down is one incident of one service."""
    world = watched()
    world.errors["payment"] = 8.0
    incident = only(world.run(120), EventKind.OPENED)
    world.errors["payment"] = 0.1
    world.run(240)

    assert incident.services == ("payment",)
    assert world.detector.incidents[0].services == ("payment",)
    assert not world.detector.incidents[0].cascade
    assert incident.title.startswith("payment: ")


def test_a_cascade_has_its_order_and_its_origin() -> None:
    """Trouble that spreads from the database upwards is one incident, a cascade that names the database."""
    world = watched()
    for service, pause in (("database", 6), ("payment", 5), ("user", 5), ("auth", 5), ("api-gateway", 60)):
        world.errors[service] = 6.0
        world.run(pause)
    told = [event for event in world.events if event.kind is EventKind.CASCADE]

    assert len(told) == 1
    assert EventKind.JOINED not in kinds(world.events)
    incident = world.detector.incidents[0]
    assert len(world.detector.incidents) == 1
    assert incident.origin == "database"
    assert incident.services == ("database", "payment", "user", "auth", "api-gateway")
    assert incident.severity is Severity.CRITICAL
    assert incident.title == "cascade from database: 5 services (database, payment, user, auth and 1 more)"
    assert "5 services are affected together" in incident.reasons


def test_four_services_are_no_cascade() -> None:
    """Four services in trouble together are named, each or with those they depend on, and not called a cascade."""
    world = watched()
    for service in ("database", "payment", "user", "auth"):
        world.errors[service] = 6.0
    world.run(90)

    assert not any(one.cascade for one in world.detector.incidents)
    assert {name for one in world.detector.incidents for name in one.services} == {
        "database",
        "payment",
        "user",
        "auth",
    }


def test_the_service_between_two_others_makes_them_one() -> None:
    """The caller's caller and the database open in the same second, and who stands between them is placed last."""
    world = Timeline()
    world.tick(edges=(("edge", "web"), ("web", "postgres")))
    for service in ("edge", "postgres", "web"):
        world.count(service, 150, ago=-1)
    incident = only(world.run(1), EventKind.OPENED)

    assert set(incident.services) == {"edge", "postgres", "web"}
    assert incident.origin == "postgres"
    assert not incident.cascade
    assert [one.id for one in world.detector.incidents] == [incident.id]


def test_a_caller_that_opened_first_goes_on_with_what_it_calls() -> None:
    """An incident that was told of takes in the one that opens below it; errors of all three are counted in it."""
    world = watched()
    world.errors["api-gateway"] = 6.0
    world.run(40)
    alone = only(world.events, EventKind.OPENED)
    for service in ("database", "payment"):
        world.errors[service] = 6.0
    world.run(40)
    (incident,) = world.detector.incidents

    assert incident.id == alone.id
    assert set(incident.services) == {"api-gateway", "payment", "database"}


def test_calls_that_are_seen_later_join_what_stood_apart() -> None:
    """Two services open an incident each; once a span says that one calls the other they are one, and that is told."""
    world = Timeline(seed=5)
    world.usual(*SERVICES, errors=0.1, lines=20.0)
    world.past(60)
    world.run(10)
    for service in ("payment", "database"):
        world.errors[service] = 8.0
        world.run(20)
    apart = {one.id for one in world.detector.incidents}
    world.tick(edges=(("payment", "database"),))
    (left,) = world.detector.incidents
    joined = only(world.events, EventKind.JOINED)

    assert len(apart) == 2
    assert {left.id, joined.id} == apart
    assert joined.joined == left.id
    assert set(left.services) == {"payment", "database"}


def test_a_call_joins_nothing_that_was_over_before() -> None:
    """A burst that ended a minute and a half earlier stays apart, also when its service calls the one in trouble."""
    world = watched()
    world.count("payment", 120, ago=-1)
    world.run(90)
    world.errors["database"] = 6.0
    world.run(60)

    assert {one.services for one in world.detector.incidents} == {("payment",), ("database",)}


def test_strangers_stay_apart_until_they_are_a_cascade() -> None:
    """Without a graph each service has its own incident; the fifth makes them one, and the others say so."""
    world = Timeline(seed=5)
    world.usual(*SERVICES, errors=0.1, lines=20.0)
    world.past(60)
    world.run(10)
    for service in ("user", "auth", "payment", "database", "analytics"):
        world.errors[service] = 8.0
        world.run(20)
    opened = [event.incident for event in world.events if event.kind is EventKind.OPENED]
    joined = [event.incident for event in world.events if event.kind is EventKind.JOINED]
    left = world.detector.incidents

    assert len(opened) == 4
    assert len(left) == 1
    assert left[0].cascade
    assert left[0].origin == "user"
    assert {(one.state, one.joined) for one in joined} == {(IncidentState.JOINED, left[0].id)}
    assert len(joined) == 3


def test_a_silent_origin_is_part_of_its_cascade() -> None:
    """A database that dies without a word, and four callers in errors, are one cascade."""
    world = watched()
    world.usual("database", errors=0.0, lines=0.0)
    for service in ("auth", "payment", "user", "analytics"):
        world.errors[service] = 6.0
    world.run(180)
    incident = world.detector.incidents[0]

    assert incident.cascade
    assert incident.origin == "database"
    assert Rule.SILENT in {one.rule for one in incident.findings}


@pytest.mark.parametrize("services", [5, 60])
def test_a_cascade_at_once_is_one_incident(services: int) -> None:
    """When everything fails in the same second, one incident opens, and it is a cascade."""
    world = Timeline()
    for number in range(services):
        world.count(f"service-{number}", 150, ago=-1)

    assert kinds(world.run(1)) == [EventKind.OPENED, EventKind.CASCADE]
    assert len(world.detector.incidents[0].services) == services


def test_a_cascade_that_comes_back_is_the_same() -> None:
    """Five services that fail together again, while confirmation is awaited, reopen their cascade."""
    world = Timeline()
    for number in range(5):
        world.count(f"service-{number}", 150, ago=-1)
    world.run(200, tick=2)
    for number in range(5):
        world.count(f"service-{number}", 150)
    world.run(2)

    assert kinds(world.events) == [EventKind.OPENED, EventKind.CASCADE, EventKind.AWAITING, EventKind.REOPENED]
    assert len(world.detector.incidents) == 1
    assert world.detector.incidents[0].errors == 1500


def test_spaces_do_not_add_up() -> None:
    """Three services here and three there are no cascade of six."""
    world = Timeline()
    for number in range(3):
        world.count(f"service-{number}", 150)
    table = world.table()
    other = table.set_column(0, table.schema.field(0), [["other"] * table.num_rows])
    events = world.detector.tick(pa.concat_tables([table, other]), now=world.now)

    assert [event.kind for event in events] == [EventKind.OPENED] * 6
    assert {event.incident.space for event in events} == {SPACE, "other"}
