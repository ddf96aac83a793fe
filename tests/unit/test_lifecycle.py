"""The life of an incident as timelines: open, quiet, awaiting, confirmed; back again; alerts of other systems."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from tests.timeline import QUIET_ERRORS_PER_S, SPACE, Timeline, kinds, only

from hindcast.detect import EventKind, Rules
from hindcast.model.errors import Malformed, Missing, Refused
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Incident, IncidentState
from hindcast.model.signal import Alert, Severity, Status

MINUTE = timedelta(minutes=1)


def quiet(rules: Rules | None = None) -> Timeline:
    """Two services with an hour of history."""
    world = Timeline(rules)
    world.usual("payment", "auth")
    world.past(60)
    world.run(5)
    return world


def outage(world: Timeline, seconds: int = 60, *, service: str = "payment", errors: float = 6.0) -> None:
    """An outage of so many seconds, and the service as before after it."""
    world.errors[service] = errors
    world.run(seconds)
    world.errors[service] = QUIET_ERRORS_PER_S


def alert(world: Timeline, status: Status = Status.FIRING, **given: str | Severity | datetime) -> Alert:
    """An alert as another system tells it now."""
    fields = {
        "source": "alertmanager",
        "key": "k1",
        "title": "HighErrorRate",
        "service": "payment",
        "severity": Severity.MAJOR,
        "started_at": world.now,
        **given,
    }
    return Alert(status=status, **fields)  # type: ignore[arg-type]


def current(world: Timeline) -> Incident:
    """The only incident that is not over."""
    (incident,) = world.detector.incidents
    return incident


# --- Recovery -----------------------------------------------------------------------------------------------------


def test_quiet_for_the_hold_window_awaits_confirmation() -> None:
    """Two minutes after the last trouble, and not before, the incident awaits a word; a person gives it."""
    world = quiet()
    outage(world)
    ended = world.now
    assert kinds(world.events) == [EventKind.OPENED]
    assert kinds(world.run(110)) == []
    awaiting = only(world.run(20), EventKind.AWAITING)
    assert awaiting.quiet_since is not None
    assert abs(awaiting.quiet_since - ended) <= timedelta(seconds=10)
    assert awaiting.last_trouble_at < awaiting.quiet_since

    event = world.detector.confirm(awaiting.id, by="ana", now=world.now)
    assert event.kind is EventKind.CONFIRMED
    assert (event.incident.state, event.incident.closed_by) == (IncidentState.CONFIRMED, "ana")
    assert event.incident.closed_at == world.now
    assert world.detector.incidents == ()


def test_a_rule_confirms_when_nobody_does() -> None:
    """After the time that the rules give people, silence is consent."""
    world = quiet(Rules(confirm_after_seconds=300))
    outage(world)
    events = world.run(320)

    assert kinds(events) == [EventKind.AWAITING, EventKind.CONFIRMED]
    assert events[-1].incident.closed_by == "rule"


def test_only_people_confirm_when_the_rules_say_so() -> None:
    """Without a time to confirm after, an incident waits for as long as it takes."""
    world = quiet(Rules(confirm_after_seconds=None))
    outage(world)
    world.run(900, tick=5)

    assert current(world).state is IncidentState.AWAITING


def test_a_relapse_is_the_same_incident() -> None:
    """Trouble that comes back while confirmation is awaited reopens the incident, and adds up in it."""
    world = quiet()
    outage(world)
    first = only(world.run(150), EventKind.AWAITING)
    outage(world)
    again = only(world.events, EventKind.REOPENED)

    assert again.id == first.id
    assert (again.relapses, again.state, again.quiet_since) == (1, IncidentState.OPEN, None)
    assert current(world).errors > first.errors + 200
    assert current(world).onset_at == first.onset_at


def test_what_comes_after_somebody_confirmed_is_a_new_incident() -> None:
    """After somebody has confirmed, trouble of the same service is a new incident; counts link it to no earlier one."""
    world = quiet()
    outage(world)
    first = only(world.run(150), EventKind.AWAITING)
    world.detector.confirm(first.id, by="ana", now=world.now)
    world.run(60)
    outage(world)
    second = current(world)

    assert second.id != first.id
    assert second.previous is None
    assert second.relapses == 0
    assert kinds(world.events).count(EventKind.OPENED) == 2


def test_long_after_the_quiet_began_it_is_a_new_incident() -> None:
    """An incident that nobody confirmed is not glued to trouble of another hour."""
    world = quiet(Rules(relapse_seconds=300))
    outage(world)
    world.run(400, tick=2)
    outage(world)
    states = {one.id: one.state for one in world.detector.incidents}

    assert list(states.values()) == [IncidentState.AWAITING, IncidentState.OPEN]
    assert world.detector.incidents[1].previous is None


def test_flapping_is_one_incident() -> None:
    """Trouble that comes and goes for half an hour opens one incident and tells little of it."""
    world = quiet()
    for _ in range(6):
        outage(world, 40)
        world.run(200)

    assert kinds(world.events).count(EventKind.OPENED) == 1
    assert len(world.detector.incidents) == 1
    assert kinds(world.events).count(EventKind.REOPENED) <= 2


def test_each_relapse_asks_for_a_longer_quiet() -> None:
    """The hold window doubles with every relapse, up to its maximum."""
    rules = Rules(hold_seconds=120, hold_seconds_max=600)

    assert [rules.hold_for(relapses) for relapses in (0, 1, 2, 3, 90)] == [120, 240, 480, 600, 600]


# --- What people say ----------------------------------------------------------------------------------------------


def test_a_dismissed_incident_does_not_come_back() -> None:
    """What somebody called no incident is usual from then on, though it goes on as before."""
    world = quiet()
    world.errors["payment"] = 2.0
    world.run(120)
    event = world.detector.dismiss(current(world).id, by="ben", now=world.now)
    assert (event.kind, event.incident.state) == (EventKind.DISMISSED, IncidentState.DISMISSED)

    assert world.run(900, tick=3) == []


def test_confirmed_in_the_midst_of_trouble_stays_confirmed() -> None:
    """Trouble that goes on after somebody's word opens nothing; new trouble after a quiet time does."""
    world = quiet()
    world.errors["payment"] = 6.0
    world.run(60)
    world.detector.confirm(current(world).id, by="ana", now=world.now)
    assert world.run(120) == []
    world.errors["payment"] = QUIET_ERRORS_PER_S
    assert world.run(200) == []
    outage(world)

    assert current(world).state is IncidentState.OPEN


def test_a_service_that_says_nothing_more_is_heard_again() -> None:
    """Confirmed minutes after its errors, and silent since, it opens another incident when they come back."""
    world = quiet(Rules(silence=False))
    world.usual("payment", errors=0.0, lines=0.0)
    world.count("payment", 150)
    first = only(world.run(200), EventKind.OPENED)
    world.detector.confirm(first.id, by="ana", now=world.now)
    assert kinds(world.run(100)) == []
    world.count("payment", 150)

    again = only(world.run(3), EventKind.OPENED)
    assert again.id != first.id


def test_a_silence_that_was_waved_aside_lasts_until_a_line() -> None:
    """Somebody knows that a service is switched off: nothing more is said of that."""
    world = quiet()
    world.usual("payment", errors=0.0, lines=0.0)
    first = only(world.run(200, tick=5), EventKind.OPENED)
    assert first.rule is Rule.SILENT
    world.detector.confirm(first.id, by="ana", now=world.now)

    assert kinds(world.run(900, tick=5)) == []


def test_a_service_that_falls_silent_anew_is_told_of() -> None:
    """After somebody's word, a line is enough for the next silence to count."""
    world = quiet()
    world.usual("payment", errors=0.0, lines=0.0)
    first = only(world.run(200, tick=5), EventKind.OPENED)
    world.detector.confirm(first.id, by="ana", now=world.now)
    world.usual("payment")
    assert kinds(world.run(1200, tick=5)) == []
    world.usual("payment", errors=0.0, lines=0.0)

    again = only(world.run(300, tick=5), EventKind.OPENED)
    assert again.id != first.id


def test_errors_and_the_silence_after_them_are_waved_aside_apart() -> None:
    """Of a service that failed and died nothing more is said, until its errors are back."""
    world = quiet()
    outage(world)
    world.usual("payment", errors=0.0, lines=0.0)
    world.run(600, tick=5)
    first = current(world)
    assert {one.rule for one in first.findings} >= {Rule.SILENT, first.rule}
    world.detector.confirm(first.id, by="ana", now=world.now)
    assert kinds(world.run(900, tick=5)) == []
    world.count("payment", 150)

    again = only(world.run(5), EventKind.OPENED)
    assert again.id != first.id
    assert again.rule is Rule.FIXED


def test_a_person_can_reopen() -> None:
    """An incident opened again by a person is open until it has been quiet for its hold window once more."""
    world = quiet()
    outage(world)
    first = only(world.run(150), EventKind.AWAITING)
    world.detector.confirm(first.id, by="ana", now=world.now)
    event = world.detector.reopen(first.id, by="ben", now=world.now)
    assert (event.kind, event.incident.state, event.incident.relapses) == (EventKind.REOPENED, IncidentState.OPEN, 1)
    assert event.incident.closed_at is None

    assert kinds(world.run(230)) == []
    assert kinds(world.run(20)) == [EventKind.AWAITING]


def test_what_cannot_be_said_of_an_incident_is_refused() -> None:
    """An unknown id, a second confirmation, reopening what is open, and nobody's word have their own errors."""
    world = quiet()
    outage(world)
    detector, incident = world.detector, current(world)
    with pytest.raises(Missing, match="no incident 'inc-x'"):
        detector.confirm("inc-x", by="ana", now=world.now)
    with pytest.raises(Refused, match="is open"):
        detector.reopen(incident.id, by="ana", now=world.now)
    with pytest.raises(Malformed, match="Nobody"):
        detector.confirm(incident.id, by=" ", now=world.now)
    detector.confirm(incident.id, by="ana", now=world.now)
    with pytest.raises(Refused, match="already confirmed"):
        detector.dismiss(incident.id, by="ana", now=world.now)


def test_two_incidents_of_one_minute_have_two_names() -> None:
    """A second incident of the same service and minute gets a number."""
    world = quiet()
    first = only(world.tick(alerts=[alert(world)]), EventKind.OPENED)
    world.detector.confirm(first.id, by="ana", now=world.now)
    world.run(10)
    second = only(world.tick(alerts=[alert(world)]), EventKind.OPENED)

    assert second.id == f"{first.id}-2"


# --- Alerts of other systems --------------------------------------------------------------------------------------


def test_an_alert_opens_an_incident() -> None:
    """A firing alert opens an incident with its own severity, and its resolution lets it come to rest."""
    world = quiet()
    fired = alert(world)
    incident = only(world.tick(alerts=[fired]), EventKind.OPENED)
    assert (incident.rule, incident.severity, incident.services) == (Rule.ALERT, Severity.MAJOR, ("payment",))
    assert incident.title == "payment: HighErrorRate"
    assert kinds(world.run(300, tick=5)) == []

    resolved = replace(fired, status=Status.RESOLVED, ended_at=world.now)
    assert [event.kind for event in world.tick(alerts=[resolved])] == [EventKind.CHANGED]
    assert kinds(world.run(150)) == [EventKind.AWAITING]


def test_the_same_alert_told_again_is_the_same() -> None:
    """Doubled, repeated and re-read tellings of an alert open nothing and tell nothing."""
    world = quiet()
    fired = alert(world)
    world.tick(alerts=[fired, fired])
    world.run(5)

    assert world.tick(alerts=[fired]) == []
    assert len(current(world).alerts) == 1


def test_an_alert_joins_the_trouble_of_its_service() -> None:
    """An alert about a service that is already in trouble belongs to that incident, and the other way round."""
    world = quiet()
    outage(world)
    world.tick(alerts=[alert(world)])
    assert [one.key for one in current(world).alerts] == ["k1"]

    world = quiet()
    world.tick(alerts=[alert(world)])
    outage(world)
    assert {one.rule for one in current(world).findings} >= {Rule.FIXED}
    assert kinds(world.events) == [EventKind.OPENED]


def test_two_systems_that_say_the_same_are_one_incident() -> None:
    """Alerts of the same title and service from two systems belong together, and the incident knows both."""
    world = quiet()
    first = alert(world, service="", title="Disk almost full on db-1")
    second = alert(world, service="", title="disk  almost full on DB-1", source="grafana", key="g7")
    world.tick(alerts=[first, second])

    assert {one.source for one in current(world).alerts} == {"alertmanager", "grafana"}


def test_an_alert_without_a_service_stands_by_itself() -> None:
    """It opens an incident that accuses no service, named by its title."""
    world = quiet()
    outage(world)
    incident = only(world.tick(alerts=[alert(world, service="", title="Disk almost full")]), EventKind.OPENED)

    assert (incident.services, incident.origin) == ((), "")
    assert incident.id == f"inc-{world.now:%Y%m%d-%H%M}-disk-almost-full"
    assert len(world.detector.incidents) == 2


@pytest.mark.parametrize("status", [Status.ACKNOWLEDGED, Status.RESOLVED])
def test_only_a_firing_alert_opens(status: Status) -> None:
    """An acknowledgement or a resolution of something unknown opens nothing."""
    world = quiet()

    assert world.tick(alerts=[alert(world, status)]) == []


def test_an_acknowledged_alert_is_not_over() -> None:
    """Somebody looks at it: the incident stays open until it is resolved."""
    world = quiet()
    fired = alert(world)
    world.tick(alerts=[fired])
    world.run(10)
    world.tick(alerts=[replace(fired, status=Status.ACKNOWLEDGED)])
    world.run(400, tick=5)

    assert current(world).state is IncidentState.OPEN
    assert current(world).alerts[0].status is Status.ACKNOWLEDGED


def test_an_alert_repeated_after_confirmation_opens_nothing() -> None:
    """The sender goes on repeating the bout that a person has closed; the next bout is a recurrence."""
    world = quiet()
    fired = alert(world)
    first = only(world.tick(alerts=[fired]), EventKind.OPENED)
    world.detector.confirm(first.id, by="ana", now=world.now)
    world.run(10)
    assert world.tick(alerts=[replace(fired, text="still firing")]) == []

    world.run(10)
    again = only(world.tick(alerts=[alert(world)]), EventKind.OPENED)
    assert again.previous == first.id


def test_a_telling_that_comes_late_changes_nothing() -> None:
    """A firing that arrives after its own resolution does not fire again."""
    world = quiet()
    fired = alert(world)
    world.tick(alerts=[fired])
    world.tick(alerts=[replace(fired, status=Status.RESOLVED, ended_at=world.now)])

    assert world.tick(alerts=[fired]) == []
    assert current(world).alerts[0].status is Status.RESOLVED


# --- Findings about metrics ---------------------------------------------------------------------------------------


def metric(world: Timeline, surprise: float, *, ended: bool = False, onset_at: datetime | None = None) -> Finding:
    """A gauge of payment that is unlike itself."""
    return Finding(
        SPACE,
        "payment",
        Rule.METRIC,
        onset_at or world.now,
        world.now,
        99.0,
        30.0,
        60.0,
        surprise=surprise,
        unit="%",
        metric="cpu",
        why="cpu 99, usually 30",
        ended_at=world.now if ended else None,
    )


def test_a_strong_metric_finding_opens_and_ends() -> None:
    """A gauge far from itself opens an incident, retelling it opens no other, and its end brings rest."""
    world = quiet()
    onset_at = world.now
    incident = only(world.tick(findings=[metric(world, 9.0)]), EventKind.OPENED)
    assert incident.title == "payment: cpu 99, usually 30"
    for _ in range(5):
        world.run(60, tick=5)
        assert kinds(world.tick(findings=[metric(world, 9.0, onset_at=onset_at)])) == []
    world.tick(findings=[metric(world, 9.0, ended=True, onset_at=onset_at)])

    assert kinds(world.run(150)) == [EventKind.AWAITING]


def test_a_finding_of_an_earlier_trouble_does_not_hold_an_incident_open() -> None:
    """A gauge that was unlike itself before the onset says nothing of whether this trouble is over."""
    world = quiet()
    onset_at = world.now - timedelta(minutes=10)
    outage(world)
    for _ in range(4):
        world.tick(findings=[metric(world, 9.0, onset_at=onset_at)])
        world.run(60, tick=2)

    assert current(world).state is IncidentState.AWAITING
    assert "cpu" in {one.metric for one in current(world).findings}


def test_a_weak_metric_finding_only_joins() -> None:
    """By itself it opens nothing; in an incident of its service it is evidence."""
    world = quiet()
    assert world.tick(findings=[metric(world, 3.0)]) == []
    outage(world)
    world.tick(findings=[metric(world, 3.0)])

    assert "cpu" in {one.metric for one in current(world).findings}
    assert kinds(world.run(200, tick=2)) == [EventKind.AWAITING]
    world.tick(findings=[metric(world, 3.5)])
    assert current(world).state is IncidentState.AWAITING
