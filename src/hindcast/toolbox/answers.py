"""What each tool answers with as JSON values, for clients that check an answer or read it with a program.

Every answer has `evidence` and `is_truncated` beside these. Fields that may be missing are the parts that had no room.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Told(TypedDict):
    """What every answer has."""

    evidence: list[str]
    is_truncated: bool


class Statement(TypedDict):
    """A statement with the records it rests on."""

    text: str
    evidence: list[str]


class Elsewhere(TypedDict):
    """The same action in another incident."""

    action: str
    outcome: str
    record: str


class Advised(TypedDict):
    """An action; all but the counts stands in its record."""

    action: str
    record: NotRequired[str]
    outcome: NotRequired[str]
    by: NotRequired[list[str]]
    worked: int
    no_effect: int
    made_worse: int
    rejected: NotRequired[int]
    share: NotRequired[float]
    share_min: NotRequired[float]
    evidence: list[str]
    fixed_at: NotRequired[str]
    elsewhere: NotRequired[list[Elsewhere]]
    command: NotRequired[str]
    config: NotRequired[str]
    diff: NotRequired[str]
    in_this_incident: NotRequired[bool]


class OtherIncident(TypedDict):
    """Another incident of the same failure, as it was."""

    record: str
    title: str
    occurred_at: str
    minutes: float | None
    fix: str
    by: str
    is_same_fix: bool | None


class NearIncident(TypedDict):
    """An incident that looks near to what was asked."""

    record: str
    title: str
    confidence: float


class Recalled(Told):
    """What the team knows about a failure."""

    familiarity: str
    confidence: float
    reliability: str
    headline: str
    incident: str
    times_seen: int
    under_way: list[Statement]
    cause: Statement | None
    fixes: list[Advised]
    avoid: list[Advised]
    who_knows: list[str]
    who_knows_evidence: list[list[str]]
    minutes: float | None
    minutes_median: float | None
    others: list[OtherIncident]
    disputes: list[Statement]
    nearest: list[NearIncident]
    left_out: list[str]


class Warned(Told):
    """What not to try."""

    familiarity: str
    avoid: list[Advised]


class IncidentRow(TypedDict):
    """An incident in a list."""

    incident: str
    title: str
    state: str
    began_at: str
    services: list[str]
    minutes: float | None
    has_cause: bool
    has_fix: bool
    record: str


class IncidentsFound(Told):
    """A page of incidents."""

    found: int
    page: int
    incidents: list[IncidentRow]
    has_more: bool


class AttemptTold(TypedDict):
    """What was tried in an incident."""

    id: str
    action: str
    outcome: str
    by: str
    at: str | None


class IncidentTold(Told):
    """One incident."""

    incident: str
    record: str
    title: str
    state: str
    began_at: str
    minutes: float | None
    severity: str | None
    services: list[str]
    components: list[str]
    joined_into: str | None
    cause: str | None
    fix: str | None
    attempts: NotRequired[list[AttemptTold]]
    symptoms: NotRequired[list[str]]
    origin: NotRequired[str]
    errors: NotRequired[int]
    is_cascade: NotRequired[bool]
    missing: NotRequired[list[str]]


class ActionCounted(TypedDict):
    """An action with what came of it over several incidents."""

    action: str
    worked: int
    no_effect: int
    made_worse: int
    unknown: int
    share: float
    share_min: float
    share_max: float
    minutes_median: float | None
    last_at: str
    evidence: list[str]


class PatternsFound(Told):
    """What worked and what did not, counted over incidents."""

    incidents: int
    resolved: int
    recurrences: int
    minutes_median: float | None
    minutes_p90: float | None
    actions: list[ActionCounted]
    actions_without_outcome: int


class Thing(TypedDict):
    """A service, component or exception, and how often there was trouble of it."""

    kind: str
    name: str
    count: int


class Pair(TypedDict):
    """Two things that had trouble together."""

    one: Thing
    other: Thing
    together: int
    of: int
    lift: float
    seconds_later: float | None
    evidence: list[str]


class AfterChange(TypedDict):
    """Trouble that followed changes of one kind."""

    change: str
    service: str
    times: int
    of: int
    lift: float


class CorrelationsFound(Told):
    """What goes together, in incidents and in telemetry."""

    incidents: int
    from_incidents: list[Pair]
    from_telemetry: list[Pair]
    after_changes: list[AfterChange]
    telemetry: str


class RecordTold(TypedDict):
    """A record of memory."""

    record: str
    kind: str
    occurred_at: str
    learned_at: str
    actor: str


class RecordFound(RecordTold):
    """A record that a search found."""

    text: str
    matched: list[str]


class RecordChanged(RecordTold):
    """A record that is another than before."""

    was: str
    fields: list[str]


class RecordsFound(Told):
    """What a search of memory found."""

    records: list[RecordFound]
    at: str | None
    branch: str


class MemoryChanged(Told):
    """What memory learnt between two moments."""

    learned_count: int
    changed_count: int
    forgotten_count: int
    learned: list[RecordTold]
    changed: list[RecordChanged]
    forgotten: list[RecordTold]


class AttemptRecorded(Told):
    """What was recorded of an attempt. What is only claimed counts once telemetry or a person says the same."""

    incident: str
    attempt: str
    outcome: str
    claimed: str
    is_new: bool
    record: str


class VerdictRecorded(Told):
    """What was recorded of a verdict."""

    incident: str
    matter: str
    judgement: str
    commit: str
    record: str


class CardTold(TypedDict):
    """A change of code that is proposed."""

    card: str
    title: str
    state: str
    path: str
    first_line: int
    last_line: int
    diff: str
    is_diff_cut: bool
    severity: str
    source: str
    confidence: float
    record: str
    why: str
    risk: str
    tests: list[str]
    evidence: list[str]


class PlaceTold(TypedDict):
    """A place in the code to watch out for."""

    path: str
    first_line: int
    last_line: int
    text: str
    evidence: list[str]


class HeldBackTold(TypedDict):
    """A change that is not proposed, and why."""

    title: str
    path: str
    source: str
    reason: str
    evidence: list[str]


class CardsFound(Told):
    """What to change in the code for an incident."""

    incident: str
    workspace: str
    cards: list[CardTold]
    warned: list[PlaceTold]
    held_back: list[HeldBackTold]


class CardDecided(Told):
    """What a decision about a card did."""

    card: str
    incident: str
    workspace: str
    state: str
    path: str
    added: int
    removed: int
    branch: str
    commit: str


ANSWERS: dict[str, type[Any]] = {
    "recall": Recalled,
    "what_not_to_try": Warned,
    "search_incidents": IncidentsFound,
    "incident_get": IncidentTold,
    "resolution_patterns": PatternsFound,
    "error_correlations": CorrelationsFound,
    "memory_search": RecordsFound,
    "memory_diff": MemoryChanged,
    "attempt_record": AttemptRecorded,
    "verdict_record": VerdictRecorded,
    "fix_cards": CardsFound,
    "fix_verdict": CardDecided,
}
