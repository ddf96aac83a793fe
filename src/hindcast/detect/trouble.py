"""Trouble: the state of each service that is not as usual, from the second it began to the second it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np

from hindcast.detect import wording
from hindcast.detect.counts import Counts, Ints, Name
from hindcast.detect.mutes import Mutes, Waved, goes_on
from hindcast.detect.onset import onset
from hindcast.detect.rules import Rules
from hindcast.detect.silence import Silent
from hindcast.detect.spike import STRANGER_SECONDS_MIN, Elevation, Spikes
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected

_SILENCES = frozenset({Rule.SILENT, Rule.DEAF})
# While trouble is that young, each further second makes its onset clearer.
ONSET_SETTLES_SECONDS = 120


@dataclass(slots=True)
class Trouble:
    """One service in trouble. Mutable: it follows the counts from tick to tick."""

    name: Name
    rule: Rule
    onset: int
    # The second it was noticed, and the last one in which it was seen.
    noticed: int
    last: int
    # Errors a second that were usual when it began.
    usual: float = 0.0
    # Whether that was known, or taken from the seconds before.
    is_known: bool = True
    # Whether nobody had watched the service before: what a stranger may do is then all that its usual can be.
    is_stranger: bool = False
    # The most errors within one window of the fixed rule, and how many would have been usual then.
    peak: int = 0
    usual_in_window: float = 0.0
    surprise: float = 0.0
    errors: int = 0
    # All errors of the service before the onset, to count from.
    errors_before: int = 0
    # Those of them since the onset that were split off into an incident that is over.
    errors_elsewhere: int = 0
    is_over: bool = False
    findings: dict[Rule, Finding] = field(default_factory=dict)
    # Rules whose finding is of an earlier bout.
    stale: set[Rule] = field(default_factory=set)
    # Of a silence: the second from which on a line ends it.
    silent_since: int = 0
    # What an earlier bout, or a life before a restart, already counted.
    before: Affected | None = None
    # Of a bout that followed another: the first second that can be of it, and whether it still has to find its place.
    bout_from: int = 0
    is_resumed: bool = False
    # The incident it belongs to, once it does.
    incident: str | None = None

    @property
    def is_silent(self) -> bool:
        """Whether it is a silence, which ends with a line and not with fewer errors."""
        return self.rule in _SILENCES

    def bout(self) -> Affected:
        """The present bout alone."""
        return Affected(
            service=self.name[1],
            onset_at=moment(self.onset),
            last_trouble_at=moment(self.last),
            errors=self.errors,
            peak=self.peak,
            usual=round(self.usual_in_window, 3) if self.is_known else None,
            surprise=round(self.surprise, 2),
            quiet_since=moment(self.last + 1) if self.is_over else None,
        )

    def affected(self) -> Affected:
        """Its part in an incident, as it stands, with what came before the present bout."""
        own = self.bout()
        if self.before is None:
            return own
        return replace(
            own,
            onset_at=min(own.onset_at, self.before.onset_at),
            last_trouble_at=max(own.last_trouble_at, self.before.last_trouble_at),
            errors=own.errors + self.before.errors,
            peak=max(own.peak, self.before.peak),
            usual=own.usual if own.peak >= self.before.peak else self.before.usual,
            surprise=max(own.surprise, self.before.surprise),
        )

    def resume(self, onset: int, *, now: int) -> None:
        """Begin another bout: what there was so far is over, and counts as what came before."""
        self.before = replace(self.affected(), quiet_since=moment(self.last + 1))
        self.bout_from = self.last + 1
        self.onset, self.noticed, self.last = onset, now, onset
        self.peak, self.usual_in_window, self.surprise, self.errors, self.errors_elsewhere = 0, 0.0, 0.0, 0, 0
        self.is_over, self.is_resumed = False, True
        self.stale = set(self.findings)

    def tellings(self) -> tuple[Finding, ...]:
        """Its findings as of now."""
        ended_at = moment(self.last + 1) if self.is_over else None
        return tuple(
            replace(one, onset_at=moment(self.onset), seen_at=max(one.seen_at, moment(self.last)), ended_at=ended_at)
            for one in self.findings.values()
        )


def moment(second: int) -> datetime:
    """A second since 1970 as a time."""
    return datetime.fromtimestamp(second, UTC)


class Troubles:
    """Every service in trouble, and those whose trouble somebody has waved aside until it ends."""

    def __init__(self) -> None:
        self.by_name: dict[Name, Trouble] = {}
        self.mutes = Mutes()
        # The last second of trouble that is over: errors up to it have been told of, and cannot begin anything new.
        self.spent: dict[Name, int] = {}
        # From when to when a service was in trouble that is over, so that its minutes are not taken for usual.
        self.past: dict[Name, list[tuple[int, int]]] = {}

    def of(self, space: str, incident: str) -> list[Trouble]:
        """The trouble that belongs to an incident."""
        return [one for one in self.by_name.values() if one.incident == incident and one.name[0] == space]

    def spend(self, trouble: Trouble) -> None:
        """Put trouble aside: it is over."""
        name = trouble.name
        self.by_name.pop(name, None)
        self.spent[name] = trouble.last
        self.past.setdefault(name, []).append((trouble.onset, trouble.last))

    def wave_aside(self, trouble: Trouble, *, at: int, counts: Counts, rules: Rules) -> None:
        """Put trouble aside because somebody said that it is over. What goes on is muted for a while."""
        self.spend(trouble)
        name = trouble.name
        self.spent[name] = max(trouble.last, at)
        if trouble.is_over:
            return
        incident = trouble.incident or ""
        if not trouble.is_silent and goes_on(counts, name):
            errors = counts.errors_until(counts.rows[name], at)
            self.mutes.errors[name] = Waved(at, at + rules.mute_seconds, incident, errors)
        for rule in _SILENCES & trouble.findings.keys():
            since = int(trouble.findings[rule].onset_at.timestamp())
            waved = Waved(at, at + rules.hush_seconds, incident)
            self.mutes.silences[name] = max(since, trouble.silent_since), waved

    def in_minute(self, minute: int, counts: Counts) -> Iterator[int]:
        """The rows of services that were in trouble in a minute since 1970, told of or waved aside."""
        begin, end = minute * 60, (minute + 1) * 60
        spans = [(name, one.onset, one.last if one.is_over else end) for name, one in self.by_name.items()]
        spans += [(name, waved.since, end) for name, waved in self.mutes.errors.items()]
        spans += [(name, *span) for name, known in self.past.items() for span in known]
        for name, since, until in spans:
            if name in counts.rows and since < end and until >= begin:
                yield counts.rows[name]
        oldest = begin - counts.seconds
        self.past = {
            name: kept for name, known in self.past.items() if (kept := [one for one in known if one[1] >= oldest])
        }

    def spent_rows(self, counts: Counts) -> Ints:
        """For each service the second up to which its errors count no more."""
        oldest = counts.end - counts.seconds
        self.spent = {name: second for name, second in self.spent.items() if second > oldest}
        found = np.zeros(len(counts.names), dtype=np.int64)
        for name, second in self.spent.items():
            if name in counts.rows:
                found[counts.rows[name]] = second
        return found

    def elevate(self, elevations: Iterable[Elevation], counts: Counts, spikes: Spikes) -> None:
        """Services above their usual: begin trouble where there is none, and note which rule says so."""
        for one in elevations:
            name = counts.names[one.row]
            if name in self.mutes.errors:
                continue
            trouble = self.by_name.get(name)
            if trouble is None or trouble.is_silent:
                trouble = self._begin(one, counts, spikes, trouble)
            trouble.surprise = max(trouble.surprise, one.surprise)
            if one.rule not in trouble.findings or one.rule in trouble.stale:
                trouble.findings[one.rule] = _finding(name, one, trouble.onset, counts.end)
                trouble.stale.discard(one.rule)

    def silence(self, silents: Iterable[Silent], deaf: dict[int, int], counts: Counts) -> None:
        """Services and spaces that say nothing any more."""
        for one in silents:
            name = counts.names[one.row]
            if name not in self.mutes.silences:
                self._hush(name, Rule.SILENT, one.since, one.lines_per_minute, counts.end)
        for number, since in deaf.items():
            space = counts.names[int((counts.spaces == number).argmax())][0]
            name = (space, "")
            if name not in self.mutes.silences:
                self._hush(name, Rule.DEAF, since, 0.0, counts.end)

    def unmute(self, counts: Counts, spikes: Spikes) -> None:
        """Listen again to every service that was waved aside and is as usual now, or has not been for too long.

        One that says nothing has no errors: nobody may wait for it to say that it is well. A silence ends with a line.
        """
        for name, waved in list(self.mutes.errors.items()):
            row = counts.rows.get(name)
            is_well = row is None or spikes.still(np.array([row]), np.zeros(1))[0][0] == 0
            if is_well or counts.end >= waved.until:
                # What came while it was muted is still in the window, and was waved aside.
                self.listen(name, waved, until=counts.end)
        for name, (since, waved) in list(self.mutes.silences.items()):
            if counts.end >= waved.until or heard_at(counts, rows_of(counts, name)) >= since:
                del self.mutes.silences[name]

    def listen(self, name: Name, waved: Waved, *, until: int) -> None:
        """End a mute: errors up to a second were waved aside, and what comes after it counts."""
        del self.mutes.errors[name]
        self.spent[name] = until
        self.past.setdefault(name, []).append((waved.since, until))

    def _begin(self, one: Elevation, counts: Counts, spikes: Spikes, silence: Trouble | None) -> Trouble:
        name = counts.names[one.row]
        usual = float(spikes.usual[one.row]) if one.known else 0.0
        # Errors that were told of are still in the window; they are no part of what begins after them.
        since = self.spent[name] + 1 if name in self.spent else 0
        began = onset_of(counts, one.row, usual, since=since)
        trouble = Trouble(name, one.rule, began, counts.end, began, usual=usual, is_known=one.known, bout_from=since)
        if not one.known:
            before = _usual_before(counts, one.row, began, since=since)
            trouble.usual, trouble.is_stranger = before or 0.0, before is None
        if silence is not None:
            trouble.incident, trouble.findings = silence.incident, silence.findings
            trouble.onset = min(trouble.onset, silence.onset)
        self.by_name[name] = trouble
        return trouble

    def _hush(self, name: Name, rule: Rule, since: int, usual: float, now: int) -> None:
        trouble = self.by_name.setdefault(name, Trouble(name, rule, since, now, now, usual_in_window=usual))
        if trouble.is_silent and since > trouble.silent_since:
            trouble.silent_since, trouble.is_over = since, False
        if rule in trouble.findings:
            return
        seconds = now - since + 1
        trouble.findings[rule] = Finding(
            space=name[0],
            service=name[1],
            rule=rule,
            onset_at=moment(since),
            seen_at=moment(now),
            value=0.0,
            expected=round(usual * seconds / 60, 1),
            limit=0.0,
            window_seconds=seconds,
            unit="lines",
            why=wording.silent(name[1], seconds, usual),
        )


def rows_of(counts: Counts, name: Name) -> list[int]:
    """The row of a service, or those of a whole space where none is named."""
    space, service = name
    return [row for one, row in counts.rows.items() if one[0] == space and service in ("", one[1])]


def heard_at(counts: Counts, rows: Iterable[int]) -> int:
    """The second of the last line in any of these rows; 0 where there is none."""
    return max((int(counts.last_line[row]) for row in rows), default=0)


def _finding(name: Name, one: Elevation, began: int, now: int) -> Finding:
    return Finding(
        space=name[0],
        service=name[1],
        rule=one.rule,
        onset_at=moment(began),
        seen_at=moment(now),
        value=float(one.count),
        expected=round(one.expected, 3),
        limit=round(one.limit, 3),
        window_seconds=one.window_seconds,
        surprise=round(one.surprise, 2),
        why=wording.elevated(name[1], one.count, one.window_seconds, one.expected if one.known else None),
    )


def onset_of(counts: Counts, row: int, usual: float, *, since: int = 0) -> int:
    """The second, not before `since`, from which on a service had more errors than usual."""
    first = max(int(counts.first_line[row]), counts.end - counts.seconds + 1, since)
    column = counts.column(first)
    return first + onset(counts.errors[row, column:], usual)


def _usual_before(counts: Counts, row: int, began: int, *, since: int) -> float | None:
    """Errors a second between `since` and the beginning of trouble; None where that was not watched."""
    first = counts.column(max(int(counts.first_line[row]), since))
    until = counts.column(began)
    return float(counts.errors[row, first:until].mean()) if until - first >= STRANGER_SECONDS_MIN else None
