"""Cascades: which services are in trouble together, in what order it spread, and where it likely began.

Trouble travels from a service to those that call it. So the origin is the service whose callers are explained by it;
onsets decide where the graph is not known, and weigh in where it is. What was over before the others began explains
none of them, however early it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from hindcast.detect import wording
from hindcast.model.incident import Affected
from hindcast.model.signal import Edge

# Trouble that has paused for so long is over: what begins after it began for another reason. Calls carry trouble on
# within seconds, and retries and timeouts within half a minute.
PAUSE_SECONDS = 30
# What a service that began after the candidate's trouble was over counts against it.
OVER = 1.5
# What a service that the candidate does not explain counts against it.
UNEXPLAINED = 1.0
# A service that began before the candidate counts up to this much against it, in full when it is clearly earlier.
EARLIER = 1.5
# A lead as long as this is no matter of a blurred estimate: calls would have carried the trouble long before.
LEAD_SECONDS = 30.0
LEADS_MAX = 2.0
# A candidate whose own trouble one of its callees explains is a link of the chain and not its beginning.
LINK = 1.0
# Onsets are estimates. With one error a second they are a second or two off; fewer errors say less.
ONSET_ERRORS = 2.0
ONSET_SECONDS_MIN = 1.0
# When trouble of which no end is known ends.
FOREVER = datetime(9999, 1, 1, tzinfo=UTC)
# Of very many services only the earliest are looked at as origins.
CANDIDATES_MAX = 30
# Callees and callers fail within the same second; order that is this close says nothing.
TIE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Spread:
    """The affected services in order, the likely origin first, and why it is thought to be that one."""

    order: tuple[Affected, ...]
    origin: str
    reasons: tuple[str, ...]


class Graph:
    """Who calls whom, as far as it was seen."""

    def __init__(self, edges: Iterable[Edge] = ()) -> None:
        self.callees: dict[str, set[str]] = {}
        self.callers: dict[str, set[str]] = {}
        self.size = 0
        for edge in edges:
            self.add(edge)

    def add(self, edge: Edge) -> None:
        """One more call that was seen; the same one again changes nothing."""
        callees = self.callees.setdefault(edge.caller, set())
        if edge.caller != edge.callee and edge.callee not in callees:
            callees.add(edge.callee)
            self.callers.setdefault(edge.callee, set()).add(edge.caller)
            self.size += 1

    def neighbours(self, service: str) -> set[str]:
        """Every service that calls it, or that it calls."""
        return self.callees.get(service, set()) | self.callers.get(service, set())

    def knows(self, service: str) -> bool:
        """Whether it was seen calling or being called."""
        return service in self.callees or service in self.callers

    def explained_by(self, origin: str, among: set[str]) -> set[str]:
        """The services that reach the origin through calls between troubled services, the origin included."""
        return _closure(origin, self.callers, among)

    def explaining(self, service: str, among: set[str]) -> set[str]:
        """The services that it reaches through calls between troubled services, itself included."""
        return _closure(service, self.callees, among)

    def reached_from(self, service: str, among: set[str]) -> set[str]:
        """Those of some services that a service reaches through any calls, itself included."""
        everywhere = self.callees.keys() | self.callers.keys()
        return _closure(service, self.callees, everywhere) & among


def _closure(start: str, steps: Mapping[str, set[str]], among: set[str]) -> set[str]:
    reached, waiting = {start}, [start]
    while waiting:
        for one in steps.get(waiting.pop(), set()) & among - reached:
            reached.add(one)
            waiting.append(one)
    return reached


def together(spans: Mapping[str, tuple[int, int]], *, spread_seconds: int) -> list[list[str]]:
    """Groups of services in trouble, each in order of onset, from the first and the last second of each.

    A group goes on while the next onset follows the last one soon enough, and somebody in it is still in trouble.
    """
    groups: list[list[str]] = []
    last_onset = last = 0
    for service, (onset, until) in sorted(spans.items(), key=lambda pair: (pair[1][0], pair[0])):
        if groups and onset - last_onset <= spread_seconds and onset - last <= PAUSE_SECONDS:
            groups[-1].append(service)
            last = max(last, until)
        else:
            groups.append([service])
            last = until
        last_onset = onset
    return groups


def was_over(one: Affected, at: datetime) -> bool:
    """Whether a service's trouble was over at a time."""
    return (at - _until(one)).total_seconds() > PAUSE_SECONDS


def _until(one: Affected) -> datetime:
    """The last of its trouble. Without errors and before anybody said that it is over, it may go on."""
    return one.last_trouble_at if one.errors > 0 or one.quiet_since is not None else FOREVER


def _carried_until(one: Affected, by_onset: Sequence[Affected]) -> datetime:
    """How long trouble went on that began with a service, in it or in those that began while it went on."""
    until = _until(one)
    for other in by_onset:
        if other.onset_at >= one.onset_at and (other.onset_at - until).total_seconds() <= PAUSE_SECONDS:
            until = max(until, _until(other))
    return until


def spread(affected: Sequence[Affected], graph: Graph) -> Spread:
    """Put services in the order in which trouble reached them, and name the likely origin."""
    by_onset = sorted(affected, key=lambda one: (one.onset_at, -one.surprise, one.service))
    if not by_onset:
        return Spread((), "", ())
    if len(by_onset) == 1:
        only = by_onset[0]
        return Spread((only,), only.service, (f"{wording.named(only.service)} is the only one in trouble",))
    names = {one.service for one in by_onset}
    candidates = by_onset[:CANDIDATES_MAX]
    carried = {one.service: _carried_until(one, by_onset) + timedelta(seconds=PAUSE_SECONDS) for one in candidates}
    costs = {one.service: _cost(one, by_onset, names, graph, carried) for one in candidates}
    origin = min(candidates, key=lambda one: (round(costs[one.service], 3), one.onset_at, -one.surprise, one.service))
    order = (origin, *(one for one in by_onset if one is not origin))
    return Spread(order, origin.service, _reasons(origin, order, graph.explained_by(origin.service, names), graph))


def _cost(
    one: Affected, others: Sequence[Affected], names: set[str], graph: Graph, carried: Mapping[str, datetime]
) -> float:
    """What speaks against a service being the origin."""
    is_known = graph.knows(one.service)
    explained, explaining = graph.explained_by(one.service, names), graph.explaining(one.service, names)
    cost = 0.0
    for other in others:
        if other is one:
            continue
        is_explained = other.service in explained
        if is_known and not is_explained and graph.knows(other.service):
            cost += UNEXPLAINED
        if other.onset_at > carried[one.service]:
            cost += OVER
        earlier = (one.onset_at - other.onset_at).total_seconds() - TIE_SECONDS
        blur = _blur(one) + _blur(other)
        if earlier > 0 and one.onset_at <= carried[other.service]:
            cost += EARLIER * (min(earlier / blur, 1.0) + min(earlier / LEAD_SECONDS, LEADS_MAX))
        if other.service in explaining and not is_explained and earlier > -blur:
            cost += LINK
    return cost / (len(others) - 1)


def _blur(one: Affected) -> float:
    """By how many seconds the estimate of an onset may be wrong."""
    seconds = max((one.last_trouble_at - one.onset_at).total_seconds(), 1.0)
    rate = max(one.errors, 1) / seconds
    return max(ONSET_SECONDS_MIN, ONSET_ERRORS / rate)


def _reasons(origin: Affected, order: Sequence[Affected], reached: set[str], graph: Graph) -> tuple[str, ...]:
    found = []
    rest = [one for one in order if one is not origin]
    lasting = [one for one in rest if not was_over(one, origin.onset_at)]
    lead = (min(one.onset_at for one in lasting or rest) - origin.onset_at).total_seconds()
    if lead > TIE_SECONDS:
        found.append(
            f"its trouble began at {wording.clock(origin.onset_at)}, {wording.span(int(lead))} before any other"
        )
    elif lead >= -TIE_SECONDS:
        found.append(f"its trouble began at {wording.clock(origin.onset_at)}, no later than any other")
    explained = [one.service for one in rest if one.service in reached]
    if explained:
        found.append(f"{wording.listed(explained)} depend on it")
    callees = graph.callees.get(origin.service, set())
    if graph.knows(origin.service) and not callees & {one.service for one in rest}:
        found.append("nothing that it calls is in trouble")
    if not graph.knows(origin.service):
        found.append("the order of onsets is all there is: who calls it is not known")
    return tuple(found)
