"""What the API's answers are made of. Written by `make generate` from docs/reference/openapi.json; not by hand."""

# ruff: noqa
from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field


class AcceptSaid(Struct, frozen=True, kw_only=True):
    """Somebody takes a card as it is."""

    branch: str | None = None
    commit: bool | None = None
    message: str | None = None


class Acceptance(Struct, frozen=True, kw_only=True):
    """What somebody who follows a one-time link chooses."""

    password: str
    name: str | None = None
    email: str | None = None


class Acknowledgement(Struct, frozen=True, kw_only=True):
    """Who works on an incident, and since when."""

    by: str
    at: datetime


class AcknowledgementSaid(Struct, frozen=True, kw_only=True):
    """Who works on it."""

    by: str | None = None


Action: TypeAlias = Literal["commit", "merge", "revert", "archive", "erase"]


class Advice(Struct, frozen=True, kw_only=True):
    """Something to do, or not to do, as one past incident tells it, with counts over all incidents of this failure."""

    action: str
    happened: list[str]
    worked: int
    no_effect: int
    made_worse: int
    share: float
    share_min: float
    evidence: list[str]
    by: list[str] | None = None
    last_at: datetime | None = None
    held: int | None = None
    held_of: int | None = None
    rejected: int | None = None
    fixed_at: datetime | None = None
    held_until: datetime | None = None
    diff: str | None = None
    command: str | None = None
    config: str | None = None
    outcome: Outcome | None = None
    elsewhere: list[Tried] | None = None
    remarks: list[str] | None = None


class Affected(Struct, frozen=True, kw_only=True):
    """One service's part in an incident."""

    service: str
    onset_at: datetime
    last_trouble_at: datetime
    errors: int | None = None
    peak: int | None = None
    usual: float | None = None
    surprise: float | None = None
    quiet_since: datetime | None = None


class Alert(Struct, frozen=True, kw_only=True):
    """What another system noticed: it opens or joins an incident like a finding of our own."""

    source: str
    key: str
    status: HindcastModelSignalStatus
    title: str
    service: str
    severity: Severity
    started_at: datetime
    ended_at: datetime | None = None
    url: str | None = None
    labels: dict[str, str] | None = None
    text: str | None = None
    stack: str | None = None


class AlterationTold(Struct, frozen=True, kw_only=True):
    """One address whose record differs between two moments."""

    address: str
    fields: list[str]
    before: RecordTold
    after: RecordTold


class AnswerTold(Struct, frozen=True, kw_only=True):
    """The answer, and on request how it came about and a text that fits a budget."""

    diagnosis: Diagnosis
    recollection: RecollectionTold | None = None
    packed: Packed | None = None
    ready_at: datetime | None = None


class AskSaid(Struct, frozen=True, kw_only=True):
    """A question."""

    question: str
    at: str | None = None


class AskTold(Struct, frozen=True, kw_only=True):
    """The answer to a question."""

    question: str
    text: str
    sentences: list[SentenceTold]
    reading: str
    model: str
    ended_by: str
    uncited: int
    notes: list[str]
    is_failure: bool
    suggestions: list[str]
    costs: CostsTold


class Attempt(Struct, frozen=True, kw_only=True):
    """Something that was tried during an incident: the unit of experience."""

    id: str
    action: str
    outcome: Outcome | None = None
    at: datetime | None = None
    by: str | None = None
    diff: str | None = None
    command: str | None = None
    config: str | None = None
    evidence: list[Evidence] | None = None
    confidence: float | None = None


class AttemptSaid(Struct, frozen=True, kw_only=True):
    """What was tried, and what came of it."""

    action: str
    outcome: Outcome | None = None
    at: datetime | None = None
    by: str | None = None
    command: str | None = None
    diff: str | None = None
    config: str | None = None


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One thing that somebody did, saw, or was kept from; or the same thing several times within a minute."""

    at: datetime
    organisation: str
    actor: str
    kind: str
    caller: str
    what: str
    space: str | None = None
    subject: str | None = None
    outcome: Decision | None = None
    peer: str | None = None
    count: int | None = None
    until: datetime | None = None
    seq: int | None = None
    digest: str | None = None


class BlameTold(Struct, frozen=True, kw_only=True):
    """Which commit gave one field of a record the value it has. The empty field is the whole body."""

    field: str
    value: Any
    commit: CommitTold


class BlamedTold(Struct, frozen=True, kw_only=True):
    """Lines that one commit last touched."""

    lines: LinesTold
    commit: CodeCommitTold


class Body(Struct, frozen=True, kw_only=True):
    """A body of one's own, where neither side has it right."""

    body: Any


class BranchSaid(Struct, frozen=True, kw_only=True):
    """A branch to begin."""

    name: str
    at: str | None = None
    branch: str | None = None
    why: str | None = None


class BranchTold(Struct, frozen=True, kw_only=True):
    """A line of history and where its head is."""

    name: str
    parent: str | None
    fork_step: int
    head: str | None
    head_step: int
    created_at: datetime
    actor: str
    why: str


Brings: TypeAlias = Literal["telemetry", "alerts", "changes"]

CallerKind: TypeAlias = Literal["local", "person", "key"]


class CardGlance(Struct, frozen=True, kw_only=True):
    """One card among others: what it proposes, why, and how sure that is. The texts of the file come with the card."""

    id: str
    incident: str
    workspace: str
    state: CardState
    source: CardSource
    title: str
    path: str
    lines: LineSpan
    severity: CardSeverity
    severity_reason: str
    why: str
    evidence: list[str]
    confidence: float
    record: str
    risk: str
    tests: list[str]
    rule: str
    again: str
    undo: str
    diff: str
    added: int
    removed: int
    made_at: datetime


CardSeverity: TypeAlias = Literal["critical", "warning", "hint"]

CardSource: TypeAlias = Literal["carried over", "setting", "linter", "team rule", "model"]

CardState: TypeAlias = Literal["proposed", "accepted", "modified", "rejected", "undone", "gone"]


class CardTold(Struct, frozen=True, kw_only=True):
    """One card with the texts it was made from and for, and what came of it."""

    id: str
    incident: str
    workspace: str
    state: CardState
    source: CardSource
    title: str
    path: str
    lines: LineSpan
    severity: CardSeverity
    severity_reason: str
    why: str
    evidence: list[str]
    confidence: float
    record: str
    risk: str
    tests: list[str]
    rule: str
    again: str
    undo: str
    diff: str
    added: int
    removed: int
    made_at: datetime
    before: str | None = None
    after: str | None = None
    line: LogLine | None = None


CaseState: TypeAlias = Literal["open", "resolved", "dismissed"]


class CaseTold(Struct, frozen=True, kw_only=True):
    """What is known about an incident: cause, attempts with outcomes, fix, who."""

    id: str
    title: str
    occurred_at: datetime
    state: CaseState
    summary: str
    services: list[str]
    components: list[str]
    symptoms: list[str]
    stack: str
    clues: CluesTold
    cause: Cause | None
    attempts: list[Attempt]
    resolution: Resolution | None
    resolved_at: datetime | None
    minutes: float | None
    severity: Severity | None
    course: Course | None
    responders: list[str]
    notes: list[Note]
    links: list[str]
    previous: str
    supersedes: list[str]
    title_by: str
    acknowledged: Acknowledgement | None
    source: str


class Cause(Struct, frozen=True, kw_only=True):
    """Why it happened."""

    text: str
    by: str | None = None
    evidence: list[Evidence] | None = None
    confidence: float | None = None


class Chained(Struct, frozen=True, kw_only=True):
    """What checking a trail saw. Write down `head` elsewhere: a trail that was cut short or made anew has another."""

    organisation: str
    entries: int
    first: int
    last: int
    head: str
    faults: list[str] | None = None


ChangeKind: TypeAlias = Literal["deploy", "release", "merge", "push", "workflow", "config", "other"]


class ChangeSaid(Struct, frozen=True, kw_only=True):
    """One change among several: a body, or its end."""

    address: str
    body: Any = None
    retract: bool | None = None
    kind: str | None = None
    text: str | None = None
    occurred_at: datetime | None = None


class Claim(Struct, frozen=True, kw_only=True):
    """A statement and the records it rests on, as in `cases/inc-20260930-0203-payment@412`."""

    text: str
    evidence: list[str]


class CluesTold(Struct, frozen=True, kw_only=True):
    """What in a text identifies a failure."""

    fingerprints: list[str]
    exceptions: list[str]
    frames: list[str]
    identifiers: list[str]
    components: list[str]
    errors: list[str]


class CodeCommitTold(Struct, frozen=True, kw_only=True):
    """A commit of the workspace's repository."""

    id: str
    at: datetime
    author: str
    subject: str


class CommitChanges(Struct, frozen=True, kw_only=True):
    """One commit with what it learned, changed and forgot."""

    commit: CommitTold
    difference: DifferenceTold


class CommitSaid(Struct, frozen=True, kw_only=True):
    """Several changes that are written as one step: all of them, or none."""

    changes: list[ChangeSaid]
    why: str
    branch: str | None = None
    expected_head: str | None = None


class CommitTold(Struct, frozen=True, kw_only=True):
    """One step of history: who changed how much, when and why."""

    id: str
    step: int
    branch: str
    parent: str | None
    merge_parent: str | None
    at: datetime
    actor: str
    why: str
    action: Action
    detail: Any
    changes: int


class ConflictTold(Struct, frozen=True, kw_only=True):
    """One address that two sides changed in ways that cannot both hold; None: that side has no record there."""

    address: str
    fields: list[str]
    base: RecordTold | None
    ours: RecordTold | None
    theirs: RecordTold | None


class CostsTold(Struct, frozen=True, kw_only=True):
    """What an answer took."""

    tokens_in: int
    tokens_out: int
    calls: int
    seconds: float


class CountedTold(Struct, frozen=True, kw_only=True):
    """A share as it was counted."""

    part: int
    whole: int


class Course(Struct, frozen=True, kw_only=True):
    """How some trouble went: the errors of its services together, counted in steps of the same length."""

    since: datetime
    step_seconds: int
    errors: list[int]


class Credentials(Struct, frozen=True, kw_only=True):
    """Who somebody says they are."""

    email: str
    password: str


CueKind: TypeAlias = Literal["trace", "identifiers", "prose"]


class CueTold(Struct, frozen=True, kw_only=True):
    """What was asked, taken apart."""

    text: str
    kind: CueKind
    at: datetime
    clues: CluesTold
    services: list[str]
    incident: str


Decision: TypeAlias = Literal["allowed", "refused"]


class DecisionSaid(Struct, frozen=True, kw_only=True):
    """What somebody decides about an incident."""

    verb: Literal["confirm", "dismiss", "reopen"]


class DeckTold(Struct, frozen=True, kw_only=True):
    """Everything there is to propose for an incident in one workspace, the best first, and what was held back."""

    incident: str
    workspace: str
    cards: list[CardGlance]
    warned: list[Warned]
    held_back: list[HeldBack]
    made_at: datetime
    notes: list[str]


class DetectionTold(Struct, frozen=True, kw_only=True):
    """What detection saw of an incident, from its onset to its end."""

    id: str
    space: str
    title: str
    state: IncidentState
    trigger: Finding
    affected: list[Affected]
    onset_at: datetime
    opened_at: datetime
    last_trouble_at: datetime
    severity: Severity
    reasons: list[str]
    quiet_since: datetime | None
    closed_at: datetime | None
    closed_by: str
    cascade: bool
    origin: str
    origin_reasons: list[str]
    findings: list[Finding]
    alerts: list[Alert]
    templates: list[SightingTold]
    fingerprints: list[SightingTold]
    exemplars: list[ExemplarTold]
    changes: list[SystemChange]
    new_failures: list[NewFailureTold]
    failures: list[str]
    course: Course | None
    previous: str | None
    joined: str | None
    relapses: int


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The Round-2 answer: one past incident as it was, and beside it the others of the same failure."""

    asked: str
    at: datetime
    familiarity: Familiarity
    confidence: float
    reliability: Reliability | None
    headline: str
    reasons: list[str] | None = None
    case: str | None = None
    occurred_at: datetime | None = None
    times_seen: int | None = None
    under_way: list[Claim] | None = None
    cause: Claim | None = None
    fixes: list[Advice] | None = None
    avoid: list[Advice] | None = None
    tried: list[Tried] | None = None
    people: list[Claim] | None = None
    minutes: float | None = None
    minutes_median: float | None = None
    others: list[OtherCase] | None = None
    differs: list[str] | None = None
    disputes: list[Claim] | None = None
    next_steps: list[Claim] | None = None
    nearest: list[Nearest] | None = None
    notes: list[str] | None = None


class DifferenceTold(Struct, frozen=True, kw_only=True):
    """What was learned, changed and forgotten from one moment to another, as far as the limit allows to show it."""

    before: MomentTold
    after: MomentTold
    learned: list[RecordTold]
    changed: list[AlterationTold]
    forgotten: list[RecordTold]
    learned_count: int
    changed_count: int
    forgotten_count: int


class Edge(Struct, frozen=True, kw_only=True):
    """One service was seen calling another."""

    caller: str
    callee: str
    calls: int
    errors: int | None = None


class EditedTold(Struct, frozen=True, kw_only=True):
    """What an edit made of a file, and what takes it back: PUT `undo_text` with this digest as If-Match."""

    path: str
    digest: str
    undo_text: str | None


class ErasedTold(Struct, frozen=True, kw_only=True):
    """What an erasure removed. The commit says so for ever; the bodies are gone."""

    commit: CommitTold
    versions: int
    addresses: list[str]
    traces_gone: bool


class ErasureSaid(Struct, frozen=True, kw_only=True):
    """What is to be gone for ever."""

    address: str
    below: bool | None = None
    why: str


class Evidence(Struct, frozen=True, kw_only=True):
    """Why we believe a statement: the sentence or the numbers, and where they stand."""

    witness: Witness
    quote: str
    ref: str | None = None
    at: datetime | None = None


class ExemplarTold(Struct, frozen=True, kw_only=True):
    """One log line that shows what an incident looked like."""

    at: datetime
    service: str
    level: int
    message: str
    stack: str
    trace: str
    template: str
    fingerprint: str
    attributes: dict[str, str]


class Explained(Struct, frozen=True, kw_only=True):
    """One setting, as it can be shown to anybody: secrets are masked."""

    name: str
    value: str | int
    source: str
    default: str | int
    what: str
    group: str
    variable: str
    choices: list[str] | None = None
    is_secret: bool | None = None


Familiarity: TypeAlias = Literal["seen before", "maybe related", "not seen before"]


class Fault(Struct, frozen=True, kw_only=True):
    """One place where the stored bytes are not what the chain says they were."""

    where: str
    what: str


class FileTold(Struct, frozen=True, kw_only=True):
    """A text file, with plain newlines and without a byte order mark, and how it is written back."""

    path: str
    text: str
    digest: str
    language: Tongue
    newline: str
    encoding: str
    has_mark: bool
    at: str


class Finding(Struct, frozen=True, kw_only=True):
    """Something unusual about one service: what was seen, what was to be expected, and since when."""

    space: str
    service: str
    rule: Rule
    onset_at: datetime
    seen_at: datetime
    value: float
    expected: float
    limit: float
    window_seconds: int | None = None
    surprise: float | None = None
    unit: str | None = None
    metric: str | None = None
    why: str | None = None
    ended_at: datetime | None = None


class FoundLine(Struct, frozen=True, kw_only=True):
    """A line of a file that holds what was searched for."""

    path: str
    line: int
    text: str


class FoundTold(Struct, frozen=True, kw_only=True):
    """What a search found, at which moment, and what it could not look at."""

    hits: list[HitTold]
    arms: list[str]
    unembedded: int
    notes: list[str]
    moment: MomentTold


class FunctionTold(Struct, frozen=True, kw_only=True):
    """A function of a file, and what is known about it."""

    name: str
    lines: LinesTold
    known: KnownTold


class Gap(Struct, frozen=True, kw_only=True):
    """What nobody has said yet, and the command that says it."""

    what: str
    command: str


class HeldBack(Struct, frozen=True, kw_only=True):
    """A proposal that is not shown, and why: so that nobody wonders whether it was thought of."""

    source: CardSource
    title: str
    path: str
    reason: str
    evidence: list[str] | None = None


HindcastModelSignalStatus: TypeAlias = Literal["firing", "acknowledged", "resolved"]


class HindcastRestStatusStatus(Struct, frozen=True, kw_only=True):
    """What was taken in since the start, what was refused, and what was noticed on the way."""

    version: str
    mode: str
    rows_waiting: int
    listeners: int
    briefings: int
    counts: dict[str, int]
    noticed: dict[str, int]


class HitTold(Struct, frozen=True, kw_only=True):
    """A record that answers, with each arm's opinion and the words of the question found in it."""

    record: RecordTold
    score: float
    ranks: dict[str, Rank]
    matched: list[str]


class ImportDocument(Struct, frozen=True, kw_only=True):
    """A postmortem, exported chat, ticket or mail, as text."""

    name: str
    text: str
    accept: bool | None = None
    corrections: dict[str, str] | None = None


class ImportRequest(Struct, frozen=True, kw_only=True):
    """Documents to remember."""

    documents: list[ImportDocument]
    dry_run: bool | None = None


class ImportResponse(Struct, frozen=True, kw_only=True):
    """What became of the documents, and the review of each record."""

    new: list[str]
    changed: list[str]
    unchanged: list[str]
    rejected: list[RejectedDocument]
    review: list[ReviewResponse]


class IncidentGlance(Struct, frozen=True, kw_only=True):
    """One incident in a list."""

    id: str
    title: str
    state: Standing
    severity: Severity | None
    services: list[str]
    onset_at: datetime
    resolved_at: datetime | None
    minutes: float | None
    cause: str
    fix: str
    attempts: int
    who: list[str]
    joined_into: str
    familiarity: Familiarity | None
    version: str


IncidentState: TypeAlias = Literal["open", "awaiting", "confirmed", "dismissed", "joined"]


class IncidentTold(Struct, frozen=True, kw_only=True):
    """One incident: what detection saw, what people know, and what nobody has said yet."""

    id: str
    title: str
    state: Standing
    severity: Severity | None
    services: list[str]
    onset_at: datetime
    resolved_at: datetime | None
    minutes: float | None
    cause: str
    fix: str
    attempts: int
    who: list[str]
    joined_into: str
    familiarity: Familiarity | None
    version: str
    detection: DetectionTold | None = None
    case: CaseTold | None = None
    apart: list[str] | None = None
    missing: list[Gap] | None = None


class IntegrationTold(Struct, frozen=True, kw_only=True):
    """One way in, and what came by it for this project since the server started."""

    name: str
    title: str
    what: str
    brings: Brings
    paths: list[str]
    port: int
    why_off: str
    secret_variable: str
    is_secret_set: bool
    came: Tally
    last_test: TrialTold | None


class IntegrationsTold(Struct, frozen=True, kw_only=True):
    """Every way in, and since when is counted."""

    since: datetime
    items: list[IntegrationTold]
    unclaimed: list[Unclaimed]


class Invitation(Struct, frozen=True, kw_only=True):
    """A one-time link: to become a member, or to choose another password."""

    id: str
    purpose: Purpose
    email: str
    organisation: str
    project: str
    role: Role
    created_at: datetime
    created_by: str
    expires_at: datetime


class InvitationSeen(Struct, frozen=True, kw_only=True):
    """What a one-time link is for."""

    purpose: Purpose
    email: str
    organisation: str
    project: str
    role: Role
    expires_at: datetime


class InvitationWanted(Struct, frozen=True, kw_only=True):
    """Somebody who is to become a member."""

    email: str
    role: Role
    organisation: str | None = None
    project: str | None = None


class JoinSaid(Struct, frozen=True, kw_only=True):
    """Which incident is part of this one."""

    other: str
    why: str | None = None


Judgement: TypeAlias = Literal["right", "wrong"]


class KeptKind(Struct, frozen=True, kw_only=True):
    """One kind of data of a project, how long it is kept, and how much of it is there."""

    kind: str
    title: str
    days: int
    ends: str
    rows: int | None = None
    oldest_at: datetime | None = None
    why_unknown: str | None = None
    variable: str | None = None


class Key(Struct, frozen=True, kw_only=True):
    """What a program proves itself with. Its secret was shown once and is nowhere."""

    id: str
    name: str
    organisation: str
    project: str
    power: Power
    created_at: datetime
    created_by: str
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None


class KeyWanted(Struct, frozen=True, kw_only=True):
    """A key that is to be."""

    name: str
    power: Power
    organisation: str | None = None
    project: str | None = None
    expires_at: datetime | None = None


class KnownTold(Struct, frozen=True, kw_only=True):
    """What is known about a file or a function: who to ask, what changed lately, what broke."""

    owners: list[str]
    commits: list[CodeCommitTold]
    troubles: list[PastTroubleTold]
    broke: str


class LastError(Struct, frozen=True, kw_only=True):
    """Why a request was refused, the last time that one was, as its sender was told."""

    at: datetime
    status: int
    problem: str
    remedy: str


class LearningTold(Struct, frozen=True, kw_only=True):
    """How much memory can be relied on, and how that was counted."""

    confidence: float | None
    coverage: CountedTold
    completeness: CountedTold
    accuracy: CountedTold
    reliability: list[Reliability]
    missing: list[str]
    incomplete: list[str]
    days: int
    counted_at: datetime


class Leaving(Struct, frozen=True, kw_only=True):
    """Something that may go to another machine."""

    name: str
    title: str
    goes: str
    what: str
    variable: str
    where: str | None = None


class LeftOut(Struct, frozen=True, kw_only=True):
    """Why a record was left out of a request that was taken, the last time that one was."""

    at: datetime
    problem: str


class LensTold(Struct, frozen=True, kw_only=True):
    """A file as memory sees it."""

    path: str
    digest: str
    known: KnownTold
    functions: list[FunctionTold]


class LineSpan(Struct, frozen=True, kw_only=True):
    """Lines of a file, the first one being 1, both included."""

    first: int
    last: int


class LineTold(Struct, frozen=True, kw_only=True):
    """One log line."""

    time: datetime
    service: str
    level: int
    message: str
    stack: str
    trace: str
    template: str
    fingerprint: str
    attributes: dict[str, str]


class LinesTold(Struct, frozen=True, kw_only=True):
    """Lines of a file, the first one being 1, both included."""

    first: int
    last: int


class Link(Struct, frozen=True, kw_only=True):
    """An invitation with its one-time link, which is told once."""

    invitation: Invitation
    link: str


class LogLine(Struct, frozen=True, kw_only=True):
    """One line of the memory log: a card as it stands, and what came of it."""

    card: str
    incident: str
    workspace: str
    state: CardState
    source: CardSource
    title: str
    path: str
    added: int
    removed: int
    by: str
    at: datetime
    reason: str | None = None
    outcome: str | None = None
    branch: str | None = None
    commit: str | None = None
    waiting: str | None = None


class LogTold(Struct, frozen=True, kw_only=True):
    """Some lines of the memory log, and how many there are of each state under the other conditions."""

    items: list[LogLine]
    counts: dict[str, int]
    next: str | None = None


Matter: TypeAlias = Literal["memory", "proposal"]


class MeasureTold(Struct, frozen=True, kw_only=True):
    """The mean of a metric within one step; a counter as its rate by second."""

    service: str
    name: str
    at: datetime
    value: float


class MemberSeen(Struct, frozen=True, kw_only=True):
    """A person of an organisation."""

    id: str
    email: str
    name: str
    memberships: list[MembershipSeen]


class MembershipSeen(Struct, frozen=True, kw_only=True):
    """What somebody is, where."""

    organisation: str
    project: str
    role: Role
    since: datetime
    by: str


class MergeSaid(Struct, frozen=True, kw_only=True):
    """A branch, or any other moment, to join into a branch."""

    source: str
    into: str | None = None
    policy: Policy | None = None
    choices: dict[str, Any] | None = None
    why: str | None = None
    expected_head: str | None = None


class MergeTold(Struct, frozen=True, kw_only=True):
    """What became of a merge or a revert. With conflicts nothing was written; `choices` settle them."""

    outcome: Literal["merged", "conflicts"]
    commit: CommitTold | None
    taken: int
    settled: list[ConflictTold]
    conflicts: list[ConflictTold]


class ModifySaid(Struct, frozen=True, kw_only=True):
    """Somebody takes a card with changes of their own."""

    branch: str | None = None
    commit: bool | None = None
    message: str | None = None
    text: str
    reason: str | None = None


class MomentTold(Struct, frozen=True, kw_only=True):
    """A place in history that reads can be made at; no step: the branch as it is whenever it is read."""

    name: str
    branch: str
    step: int | None


class MuteTold(Struct, frozen=True, kw_only=True):
    """That a service is not told of for a while, because somebody has called an incident of it over."""

    since: datetime
    until: datetime
    incident: str
    errors: int
    is_silence: bool
    why: str


class NamespaceTold(Struct, frozen=True, kw_only=True):
    """A namespace and how many live records it holds."""

    namespace: str
    records: int


class Nearest(Struct, frozen=True, kw_only=True):
    """A case that is shown for comparison, with what is alike and what is not."""

    address: str
    title: str
    confidence: float
    occurred_at: datetime
    alike: list[str] | None = None
    differs: list[str] | None = None


class NewFailureTold(Struct, frozen=True, kw_only=True):
    """A failure that began in the midst of an incident."""

    id: str
    service: str
    text: str
    count: int
    first_at: datetime
    sample: str
    stack: str
    incident: str
    also: list[str]


class NewKey(Struct, frozen=True, kw_only=True):
    """A key with its secret, which is told this once and is nowhere."""

    key: Key
    secret: str


class Note(Struct, frozen=True, kw_only=True):
    """What somebody wanted to be remembered, in their own words."""

    id: str
    text: str
    at: datetime
    by: str


class NoteSaid(Struct, frozen=True, kw_only=True):
    """What somebody wants to be remembered."""

    text: str
    by: str | None = None


class Organisation(Struct, frozen=True, kw_only=True):
    """Whoever owns projects: a company, a department. Nothing is shared between two of them."""

    name: str
    created_at: datetime
    created_by: str


class OrganisationWanted(Struct, frozen=True, kw_only=True):
    """An organisation that is to be."""

    name: str


class OtherCase(Struct, frozen=True, kw_only=True):
    """Another incident of the same failure, as it was; nothing of it is part of what is said about the leading one."""

    evidence: str
    title: str
    occurred_at: datetime
    minutes: float | None = None
    fix: str | None = None
    by: str | None = None
    is_same_fix: bool | None = None
    is_withheld: bool | None = None


Outcome: TypeAlias = Literal["worked", "no effect", "made worse", "unknown"]


class OutcomeSaid(Struct, frozen=True, kw_only=True):
    """What came of an attempt that is known."""

    outcome: Outcome
    why: str | None = None
    action: str | None = None


class OverviewTold(Struct, frozen=True, kw_only=True):
    """How many incidents stand where, and how the last days went."""

    open: int
    awaiting: int
    resolved: int
    dismissed: int
    joined: int
    days: int
    recent: int
    recent_explained: int
    minutes_median: float | None


class Packed(Struct, frozen=True, kw_only=True):
    """What fits into a budget."""

    text: str
    tokens: int
    evidence: list[str]
    left_out: list[str]


class PageAlert(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[Alert]
    next: str | None = None


class PageAuditEntry(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[AuditEntry]
    next: str | None = None


class PageBlameTold(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[BlameTold]
    next: str | None = None


class PageBranchTold(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[BranchTold]
    next: str | None = None


class PageCommitTold(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[CommitTold]
    next: str | None = None


class PageEdge(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[Edge]
    next: str | None = None


class PageIncidentGlance(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[IncidentGlance]
    next: str | None = None


class PageInvitation(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[Invitation]
    next: str | None = None


class PageKey(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[Key]
    next: str | None = None


class PageLineTold(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[LineTold]
    next: str | None = None


class PageMeasureTold(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[MeasureTold]
    next: str | None = None


class PageMemberSeen(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[MemberSeen]
    next: str | None = None


class PageNamespaceTold(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[NamespaceTold]
    next: str | None = None


class PageOrganisation(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[Organisation]
    next: str | None = None


class PageRecordTold(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[RecordTold]
    next: str | None = None


class PageRuleTold(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[RuleTold]
    next: str | None = None


class PageServiceTold(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[ServiceTold]
    next: str | None = None


class PageSnapshotTold(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[SnapshotTold]
    next: str | None = None


class PageSpace(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[Space]
    next: str | None = None


class PageSystemChange(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[SystemChange]
    next: str | None = None


class PageTreeEntry(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[TreeEntry]
    next: str | None = None


class PageWorkspaceTold(Struct, frozen=True, kw_only=True):
    """Some items of a list, and where it goes on."""

    items: list[WorkspaceTold]
    next: str | None = None


class PasswordChange(Struct, frozen=True, kw_only=True):
    """Another password."""

    old: str
    new: str


class PastTroubleTold(Struct, frozen=True, kw_only=True):
    """An incident that touched this before."""

    incident: str
    title: str
    at: datetime
    how: str


Permission: TypeAlias = Literal["ingest", "read", "record", "respond", "maintain", "administer"]

Policy: TypeAlias = Literal["ask", "ours", "theirs", "newest"]

Power: TypeAlias = Literal["ingest", "read", "write", "agent"]


class Presence(Struct, frozen=True, kw_only=True):
    """Who the caller is to Hindcast."""

    kind: CallerKind
    id: str
    actor: str
    space: str
    spaces: list[SpaceSeen]
    csrf: str


class PrivacyTold(Struct, frozen=True, kw_only=True):
    """What is taken out of what comes in, and what goes out."""

    since: datetime
    kinds: list[RedactedKind]
    allowed: int
    leaves: list[Leaving]
    on_variable: str
    off_variable: str
    allow_variable: str


Purpose: TypeAlias = Literal["join", "password"]


class Question(Struct, frozen=True, kw_only=True):
    """What somebody wants to know."""

    text: str
    services: list[str] | None = None
    at: str | None = None
    branch: str | None = None
    hits_max: int | None = None
    tokens_max: int | None = None
    explain: bool | None = None


class Rank(Struct, frozen=True, kw_only=True):
    """What one arm thought of one version: its place (1 is best) and its score on the arm's own scale."""

    place: int
    score: float


class RatePoint(Struct, frozen=True, kw_only=True):
    """The lines of one step."""

    at: datetime
    lines: int
    errors: int
    levels: dict[str, int]


class RatesTold(Struct, frozen=True, kw_only=True):
    """Lines counted by service and step."""

    since: datetime
    until: datetime
    step_seconds: int
    services: list[ServiceRates]


class RecollectionTold(Struct, frozen=True, kw_only=True):
    """What memory has to say to a cue, with the trace of every step."""

    cue: CueTold
    familiarity: Familiarity
    remembered: list[RememberedTold]
    reliability: Reliability | None
    arms: list[str]
    notes: list[str]


class RecordReview(Struct, frozen=True, kw_only=True):
    """What a person says about one record: what is not named is accepted as far as it was read surely."""

    case: str
    corrections: dict[str, str] | None = None


class RecordSaid(Struct, frozen=True, kw_only=True):
    """What is to be remembered at an address."""

    body: Any
    why: str
    kind: str | None = None
    text: str | None = None
    occurred_at: datetime | None = None
    branch: str | None = None


class RecordTold(Struct, frozen=True, kw_only=True):
    """One version of one address, as one commit remembered it."""

    address: str
    namespace: str
    path: str
    entry: str
    body: Any
    kind: str
    state: Literal["live", "retracted", "archived", "erased"]
    text: str | None
    occurred_at: datetime
    learned_at: datetime
    actor: str
    commit: str
    step: int
    version: int


class RedactedKind(Struct, frozen=True, kw_only=True):
    """One kind of secret or personal data."""

    kind: str
    what: str
    is_on: bool
    is_on_if_unsaid: bool
    count: int


class RejectSaid(Struct, frozen=True, kw_only=True):
    """Somebody says no to a card."""

    reason: str | None = None
    dont_try: bool | None = None


class RejectedDocument(Struct, frozen=True, kw_only=True):
    """A document that could not be read."""

    name: str
    reason: str


class Reliability(Struct, frozen=True, kw_only=True):
    """How often answers of one level of confidence were right."""

    confidence_min: float
    confidence_max: float
    asked: int
    right: int
    is_own: bool | None = None


class RememberedTold(Struct, frozen=True, kw_only=True):
    """One case that came to mind, with everything that spoke for and against it."""

    case: CaseTold
    address: str
    version: int
    space: str
    confidence: float
    familiarity: Familiarity
    score: float
    ranks: dict[str, Rank]
    features: dict[str, float]
    reasons: list[str]
    gates: list[str]
    superseded_by: str


class Resolution(Struct, frozen=True, kw_only=True):
    """What ended it."""

    text: str
    attempt: str | None = None
    at: datetime | None = None
    by: str | None = None
    diff: str | None = None
    command: str | None = None
    config: str | None = None
    evidence: list[Evidence] | None = None
    confidence: float | None = None


class ResolutionSaid(Struct, frozen=True, kw_only=True):
    """Why it happened and what ended it; each may be said by itself."""

    cause: str | None = None
    fix: str | None = None
    attempt: str | None = None
    by: str | None = None
    command: str | None = None
    diff: str | None = None
    config: str | None = None
    minutes: float | None = None


class ResolvedTold(Struct, frozen=True, kw_only=True):
    """What somebody's word for a moment means: the last commit it includes, None before the first."""

    moment: MomentTold
    commit: CommitTold | None


class RetentionTold(Struct, frozen=True, kw_only=True):
    """What is kept how long, and how much there is now."""

    at: datetime
    kinds: list[KeptKind]


class RevertSaid(Struct, frozen=True, kw_only=True):
    """A commit to undo."""

    commit: str
    branch: str | None = None
    policy: Policy | None = None
    choices: dict[str, Any] | None = None
    why: str | None = None


class ReviewFieldResponse(Struct, frozen=True, kw_only=True):
    """A field as it was read, with its sentences."""

    name: str
    value: str
    outcome: str
    sentences: list[str]
    sure: bool
    question: str


class ReviewRequest(Struct, frozen=True, kw_only=True):
    """Records that a person has looked at."""

    records: list[RecordReview]


class ReviewResponse(Struct, frozen=True, kw_only=True):
    """One record to look at."""

    case: str
    title: str
    open: int
    fields: list[ReviewFieldResponse]


class ReviewsResponse(Struct, frozen=True, kw_only=True):
    """The records as they stand after a review."""

    review: list[ReviewResponse]


Role: TypeAlias = Literal["viewer", "responder", "maintainer", "admin"]


class RoleWanted(Struct, frozen=True, kw_only=True):
    """What somebody is to be."""

    role: Role
    organisation: str | None = None
    project: str | None = None


Rule: TypeAlias = Literal["fixed", "adaptive", "silent", "deaf", "metric", "alert"]


class RuleMatchesTold(Struct, frozen=True, kw_only=True):
    """A rule, and what it would find in a workspace today."""

    rule: RuleTold
    matches: list[FoundLine]


class RuleSaid(Struct, frozen=True, kw_only=True):
    """Whether cards are made by a rule."""

    is_on: bool


class RuleTold(Struct, frozen=True, kw_only=True):
    """A rule that a team made from a fix."""

    id: str
    title: str
    why: str
    is_on: bool
    made_from: str
    by: str
    at: datetime
    before: str
    after: str


class RunTold(Struct, frozen=True, kw_only=True):
    """Something that goes wrong, or went."""

    scenario: str
    service: str
    started_at: datetime
    phase: str
    acknowledged: int
    by: str


class ScenarioTold(Struct, frozen=True, kw_only=True):
    """Something that can go wrong."""

    name: str
    sentence: str
    seconds: int
    expected: str


class SentenceTold(Struct, frozen=True, kw_only=True):
    """One statement and the records it rests on."""

    text: str
    citations: list[str]
    is_cited: bool
    is_aside: bool


class ServiceRates(Struct, frozen=True, kw_only=True):
    """One service's lines by step; steps without lines are left out."""

    service: str
    points: list[RatePoint]


class ServiceTold(Struct, frozen=True, kw_only=True):
    """One service at a glance."""

    name: str
    last_seen_at: datetime
    errors_per_minute: float
    lines_per_minute: float
    errors_per_minute_usual: float
    incident: str
    errors_by_hour: list[int]
    muted: MuteTold | None = None


class SessionSeen(Struct, frozen=True, kw_only=True):
    """A browser in which the caller is signed in."""

    id: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    peer: str


Severity: TypeAlias = Literal["critical", "major", "minor", "info"]


class SightingTold(Struct, frozen=True, kw_only=True):
    """A template or a fingerprint within an incident's window."""

    id: str
    text: str
    count: int
    first_at: datetime
    service: str


class SimulatorTold(Struct, frozen=True, kw_only=True):
    """What there is, and what runs in this space."""

    scenarios: list[ScenarioTold]
    services: list[str]
    running: RunTold | None


class SnapshotSaid(Struct, frozen=True, kw_only=True):
    """A moment to name for ever."""

    name: str
    at: str | None = None
    branch: str | None = None
    why: str | None = None


class SnapshotTold(Struct, frozen=True, kw_only=True):
    """A name for a commit, given once and never moved."""

    name: str
    commit: str
    branch: str
    step: int
    created_at: datetime
    actor: str
    why: str


class Space(Struct, frozen=True, kw_only=True):
    """A project as a caller sees it."""

    space: str
    organisation: str
    project: str
    created_at: datetime
    archived_at: datetime | None
    permissions: list[Permission]


class SpaceChange(Struct, frozen=True, kw_only=True):
    """What can be changed about a project."""

    is_archived: bool


class SpaceSeen(Struct, frozen=True, kw_only=True):
    """A space, and what the caller may do in it."""

    space: str
    permissions: list[Permission]


class SpaceWanted(Struct, frozen=True, kw_only=True):
    """A project that is to be."""

    project: str
    organisation: str | None = None


class Span(Struct, frozen=True, kw_only=True):
    """One stored span: a piece of work of one service, within a trace."""

    time: datetime
    duration_us: int
    service: str
    name: str
    kind: int
    trace: str
    span: str
    parent: str
    peer: str
    status: int
    attributes: dict[str, str]


class SplitSaid(Struct, frozen=True, kw_only=True):
    """Which services have a cause of their own, which failure began in its midst, or that no earlier one came back."""

    services: list[str] | None = None
    failure: str | None = None
    from_previous: bool | None = None
    new_id: str | None = None
    why: str | None = None


Standing: TypeAlias = Literal["open", "awaiting", "resolved", "dismissed", "joined"]


class SystemChange(Struct, frozen=True, kw_only=True):
    """A deploy, a release, a merged pull request: what was altered in the watched system, and by whom."""

    source: str
    key: str
    kind: ChangeKind
    at: datetime
    service: str
    title: str
    actor: str | None = None
    ref: str | None = None
    url: str | None = None
    labels: dict[str, str] | None = None


class Tally(Struct, frozen=True, kw_only=True):
    """What came by one way in for one project."""

    last_at: datetime | None = None
    taken: dict[str, int] | None = None
    taken_lately: int | None = None
    refused_lately: int | None = None
    left_out_lately: int | None = None
    last_error: LastError | None = None
    last_left_out: LeftOut | None = None


class TextKept(Struct, frozen=True, kw_only=True):
    """What would be kept of a text, and how many of each kind would be taken out."""

    text: str
    counts: dict[str, int]


class TextSaid(Struct, frozen=True, kw_only=True):
    """What a file is to become."""

    text: str


class TextTried(Struct, frozen=True, kw_only=True):
    """A text to try, and the name that it would stand under as an attribute."""

    text: str
    name: str | None = None


Tongue: TypeAlias = Literal[
    "python",
    "javascript",
    "typescript",
    "tsx",
    "go",
    "java",
    "ruby",
    "rust",
    "php",
    "csharp",
    "c",
    "shell",
    "sql",
    "yaml",
    "toml",
    "json",
    "ini",
    "env",
    "dockerfile",
    "markdown",
    "html",
    "css",
    "text",
]


class TraceTold(Struct, frozen=True, kw_only=True):
    """One trace: its spans in the order in which they began, and its log lines."""

    trace: str
    spans: list[Span]
    lines: list[LineTold]


class TreeEntry(Struct, frozen=True, kw_only=True):
    """One line of a folder of a workspace."""

    path: str
    is_folder: bool
    size: int | None = None
    is_dirty: bool | None = None


class TrialTold(Struct, frozen=True, kw_only=True):
    """What came of a try."""

    name: str
    at: datetime
    by: str
    mark: str
    is_taken: bool
    taken: dict[str, int]
    seen: dict[str, int]
    seconds: float
    status: int
    problem: str | None = None
    remedy: str | None = None


class Tried(Struct, frozen=True, kw_only=True):
    """One attempt of one incident, as its record tells it."""

    action: str
    outcome: Outcome
    by: str
    evidence: str


class TurnTold(Struct, frozen=True, kw_only=True):
    """The commit at which an answer changed; None: it is the same at both ends."""

    turn: CommitTold | None
    before: Any
    after: Any
    looks: int


class Unclaimed(Struct, frozen=True, kw_only=True):
    """What was refused before anybody knew which project it was for: a wrong key, most often."""

    name: str
    refused_lately: int
    last_error: LastError


class UploadedTold(Struct, frozen=True, kw_only=True):
    """What became of an upload."""

    workspace: WorkspaceTold
    files: int
    bytes: int
    commit: str


class VerdictSaid(Struct, frozen=True, kw_only=True):
    """Whether a case was the right memory for a question, or a proposal out of it was taken."""

    judgement: Judgement
    asked: str | None = None
    incident: str | None = None
    action: str | None = None
    why: str | None = None


class VerdictTold(Struct, frozen=True, kw_only=True):
    """A verdict that is remembered. Reverting its commit takes it back."""

    case: str
    matter: Matter
    judgement: Judgement
    by: str
    commit: str


class VerifiedTold(Struct, frozen=True, kw_only=True):
    """What verifying the chain looked at, and every fault it found."""

    sound: bool
    commits: int
    versions: int
    erased: int
    head: str | None
    faults: list[Fault]


class Wanted(Struct, frozen=True, kw_only=True):
    """What is to go wrong."""

    scenario: str | None = None
    service: str | None = None
    errors: int | None = None
    rate_per_s: float | None = None
    seed: int | None = None


class Warned(Struct, frozen=True, kw_only=True):
    """Something in today's code that memory warns of, without a diff: "pool size is 200; that made it worse in …"."""

    path: str
    lines: LineSpan
    text: str
    evidence: list[str]
    is_there: bool | None = None


class Ways(Struct, frozen=True, kw_only=True):
    """How one can sign in here."""

    is_open: bool
    password: bool
    provider: str


Witness: TypeAlias = Literal["person", "text", "telemetry", "verdict", "agent"]

WorkspaceKind: TypeAlias = Literal["path", "clone", "upload"]


class WorkspaceSaid(Struct, frozen=True, kw_only=True):
    """A workspace that is to be: a folder of the server's machine, or a repository to clone. One of both."""

    name: str
    path: str | None = None
    url: str | None = None


class WorkspaceStateTold(Struct, frozen=True, kw_only=True):
    """How a workspace stands."""

    workspace: WorkspaceTold
    branch: str
    head: str
    dirty: list[str]
    dirty_count: int
    busy_with: str


class WorkspaceTold(Struct, frozen=True, kw_only=True):
    """A workspace of the space."""

    name: str
    kind: WorkspaceKind
    root: str
    url: str
    by: str
    at: datetime


class WrittenTold(Struct, frozen=True, kw_only=True):
    """What was written, and the record as it is now; None: it was taken back."""

    commit: CommitTold
    record: RecordTold | None
    redacted: dict[str, int] | None = None
