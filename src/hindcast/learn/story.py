"""What happened when, according to a page: its beginning, its end, its timeline, and what was tried on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone

from hindcast.learn.attempts import attempt_of, attempts_listed, attempts_told, is_list, items_of, outcome_of, told_well
from hindcast.learn.facts import is_known, names_in, people_in
from hindcast.learn.moments import Moment, minutes_in, moments_in, range_in, zone_of
from hindcast.learn.page import Page, Part
from hindcast.learn.prose import attempts_in, told_once
from hindcast.learn.roles import Field, field_of
from hindcast.learn.sentences import FENCE, sentences_of
from hindcast.learn.sequence import follow
from hindcast.learn.talk import Line
from hindcast.model.action import action_key
from hindcast.model.action_words import Deed
from hindcast.model.case import Attempt, Outcome

# What is noted when a source does not say when it happened.
NO_TIME = "No time is named: the time of the file is used."
# Nobody works longer on one incident; a later moment in a page is about something else.
LASTS_DAYS_MAX = 60

_BEGAN = re.compile(
    r"\b(?:fault\s+occur\w*|(?:outage|incident|impact|issue|problem|errors?|failures?|"
    r"degradation)\s+(?:\w+\s+)?(?:start\w*|began|begins?)|"
    r"start(?:ed|s)?\s+of|onset|first\s+(?:detected|errors?|seen|occur\w+|alert|signs?|report\w*|impact\w*)|"
    r"start(?:\s+time|s|ed)?\b|began\b|begins\b)",
    re.I,
)
_ENDED = re.compile(
    r"\b(?:resolved|resolution|recovered|recovery|restored|end\s+of|ended|ends|fully\s+operational|all\s+clear|"
    r"back\s+to\s+normal|"
    r"closed|mitigated|fixed|over)\b",
    re.I,
)
_NOT_ENDED = re.compile(
    r"\b(?:not|partially|partly|some|still|un)\s*(?:yet\s+)?(?:been\s+)?(?:resolved|recovered|restored|fixed|"
    r"mitigated)",
    re.I,
)
_ENDS_BEFORE = re.compile(
    r"\b(?:over|resolved|recovered|restored|fixed|back|ended|normal|until|till|healthy|fine|good)\b[^.]{0,25}$", re.I
)
_LASTED = re.compile(
    r"\b(?:lasted|lasting|took|for(?:\s+(?:about|around|approximately|roughly|nearly|almost|over|a\s+total\s+of))?|"
    r"duration\s+(?:of|was)|total(?:ly)?(?:\s+of)?|down\s+for|after|within)\s+((?:about\s+|around\s+|"
    r"approximately\s+|roughly\s+|nearly\s+|over\s+)?"
    r"[\w.]{1,20}[\s-]*(?:an?\s+)?(?:days?|hours?|hrs?|minutes?|mins?)\b(?:[\s,]*(?:and\s+)?[\w.]+\s*(?:minutes?|"
    r"mins?)\b)?)"
    r"|(?<![\w.])([\w.]{1,20}-(?:minute|hour|day))(?=\s+(?:outage|incident|interruption|degradation|window|"
    r"disruption))",
    re.I,
)
_SURELY_LASTED = re.compile(r"\b(?:lasted|lasting|duration|outage|total|down\s+for)\b", re.I)
_ENTRY = re.compile(r"^\s*(?:[-*+•]\s*|\|\s*|>\s*|#{2,6}\s*|\d+[.)]\s+)*[\[(*_`]*")
_LEAD = re.compile(r"^[\s\])*_`|:,–—-]+")
_NOTED = re.compile(r"^(?:Note|Comment|Update|Reply)\s+(?:by|from)\s+([^\W\d_][\w.' -]{1,40}?):\s+", re.I)
# What an incident tool logs by itself.
_ROUTINE = re.compile(
    r"^(?:acknowledged|triggered|assigned|escalated|resolved|closed|declared|reported|"
    r"paged)\s+(?:by|to)\b",
    re.I,
)
_RESULT = re.compile(r"^- (?!\d{1,2}:\d\d).* -> \S")
_CLOCKED = re.compile(r"^\W*(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d\b")
_BY = re.compile(r"^@?([^\W\d_][\w.'-]{1,20}(?: [A-Z][\w'-]+)?):\s+")


@dataclass(frozen=True, slots=True)
class Times:
    """When it began and ended, and what had to be guessed for it."""

    began: datetime
    ended: datetime | None
    minutes: float | None
    guesses: tuple[str, ...] = ()

    @property
    def are_known(self) -> bool:
        """Whether the page names a time at all."""
        return NO_TIME not in self.guesses


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a timeline."""

    at: datetime
    text: str
    naive: bool


def times_of(page: Page, *, name: str, fallback_at: datetime) -> Times:
    """When a page says it began and ended. What it does not say is taken from less and less sure places."""
    zone = zone_of(page.text)
    day = _day(page, name)
    entries = timeline_of(page, day, zone)
    began, ended, naive = _edges(page, day, zone, entries)
    guesses: list[str] = []
    if began is None:
        began = _plain_day(page, name)
        if began is not None:
            guesses.append("The page names only a day: the time of day is not known.")
    if began is None:
        began = fallback_at
        guesses.append(NO_TIME)
    elif naive:
        guesses.append("The page's times have no timezone: they are read as UTC.")
    minutes = _minutes(page)
    if minutes is None and ended is None and (lasted := _LASTED.search(page.title)):
        minutes = minutes_in((lasted.group(1) or lasted.group(2)).replace("-", " "))
    if ended is not None and not began <= ended <= began + timedelta(days=LASTS_DAYS_MAX):
        ended = None
    if ended is None and minutes is not None:
        ended = began + timedelta(minutes=minutes)
    return Times(began, ended, minutes, tuple(guesses))


def timeline_of(page: Page, day: date | None, zone: timezone | None) -> tuple[Entry, ...]:
    """The lines of a page's timeline that begin with a time, in their order."""
    found: list[Entry] = []
    known = day
    for part in page.of(Field.TIMELINE) or tuple(part for part in page.parts if part.field in (None, Field.SUMMARY)):
        for line in FENCE.sub("", part.text).splitlines():
            mark = _ENTRY.match(line)
            start = mark.end() if mark else 0
            moments = moments_in(line[start:], day=known, zone=zone)
            if not moments or moments[0].start > 3:
                if found and line.strip() and line.startswith((" ", "\t")) and not moments:
                    found[-1] = replace(found[-1], text=f"{found[-1].text} {line.strip()}")
                continue
            first = moments[0]
            known = first.at.date()
            if not first.has_clock:
                continue
            at = _after_midnight(first, found, line[start:])
            known = at.date()
            text = _LEAD.sub("", _without_range(line[start:], first, moments)).strip(" |")
            found.append(Entry(at, text, first.naive))
    return tuple(found)


def attempts_of(page: Page, name: str, times: Times) -> tuple[Attempt, ...]:
    """What was tried according to a page: line by line of its timeline, and in its prose. Action items are left out."""
    zone = zone_of(page.text)
    entries = timeline_of(page, times.began.date() if times.are_known else None, zone)
    known = frozenset(name.casefold() for name in people_in(page.text))
    known |= {one.casefold() for part in page.of(Field.RESPONDERS) for one in names_in(part.text)}
    found: list[Attempt] = list(_from_entries(entries, name, times, known))
    told_by_entries = bool(entries) and not page.of(Field.TIMELINE)
    for part in page.parts:
        if part.field in _UNTOLD or not part.text.strip() or (part.field is Field.TIMELINE and entries):
            continue
        if told_by_entries and part.field in (None, Field.SUMMARY):
            part = replace(part, text="\n".join(line for line in part.text.split("\n") if not _CLOCKED.match(line)))
        found += (_timed(one, times, zone) for one in _from_part(part, name))
    return told_once(found)


def _from_part(part: Part, name: str) -> Sequence[Attempt]:
    """What a part says was tried: all of it in a part about that, what worked in the part about the fix."""
    if part.field is Field.ATTEMPTS:
        return attempts_listed(part.text, name=part.name, ref=name)
    rows = [line for line in part.text.split("\n") if _RESULT.match(line)]
    if rows:
        # Rows of a table of attempts, wherever it stands: each says what came of it.
        rest = "\n".join(line for line in part.text.split("\n") if line not in rows)
        return [*attempts_listed("\n".join(rows), ref=name), *_from_part(replace(part, text=rest), name)]
    read = [told_well(one) for one in attempts_in(part.text, ref=name) if not _is_background(one)]
    if part.field is not Field.RESOLUTION:
        quoted = {one.quote for attempt in read for one in attempt.evidence}
        more = [one for one in attempts_told(part.text, name) if one.evidence[0].quote not in quoted]
        return [one for one in (*read, *more) if not _is_trigger(one)]
    fixed = [_as_fix(_with_doer(one)) for one in _whole_fixes(read)]
    if fixed:
        return fixed
    items = items_of(part.text) if is_list(part.text) else [one.text for one in sentences_of(part.text)[:1]]
    told = [one for item in items if is_known(item) and (one := attempt_of(item, ref=name)) is not None]
    return [_as_fix(one) for one in told]


def _is_background(one: Attempt) -> bool:
    """Whether it had been done before all of this: "had been moved behind the new firewall"."""
    return one.outcome is Outcome.UNKNOWN and re.search(r"\bhad\s+been\b", one.evidence[0].quote) is not None


def _whole_fixes(read: Sequence[Attempt]) -> Iterator[Attempt]:
    """What a sentence about the fix says was done is one fix: "moved the scope and flushed the leases"."""
    for quote in dict.fromkeys(one.evidence[0].quote for one in read):
        same = [one for one in read if one.evidence[0].quote == quote]
        whole = attempt_of(re.sub(r"\s+", " ", quote)) if len(same) > 1 else None
        if whole is None or len({one.outcome for one in same}) > 1:
            yield from same
        else:
            yield replace(same[0], id=whole.id, action=whole.action, by=same[0].by or whole.by)


def _with_doer(one: Attempt) -> Attempt:
    """The attempt with the name that its sentence begins with: "sam set the limit to 5"."""
    told = one if one.by else attempt_of(one.evidence[0].quote)
    return replace(one, by=told.by) if told is not None and told.by else one


def _timed(one: Attempt, times: Times, zone: timezone | None) -> Attempt:
    """An attempt with the time that its sentence begins with."""
    quote = one.evidence[0].quote
    moments = moments_in(quote, day=times.began.date() if times.are_known else None, zone=zone)
    if one.at is not None or not moments or moments[0].start > 2 or not moments[0].has_clock:
        return one
    at = moments[0].at
    return replace(one, at=at if at >= times.began else at + timedelta(days=1))


# Parts that tell of no attempt: plans, and what made it happen rather than what was tried against it.
_UNTOLD = (Field.ACTIONS, Field.CAUSE, Field.LINKS, Field.RESPONDERS, Field.SERVICES, Field.SYMPTOMS, Field.TITLE)


def _as_fix(one: Attempt) -> Attempt:
    """What the part about the fix says was done is what worked, unless it says otherwise."""
    return one if one.outcome is not Outcome.UNKNOWN else replace(one, outcome=Outcome.WORKED, confidence=0.7)


def _is_trigger(one: Attempt) -> bool:
    """Whether it is what started the incident: a change that broke something is no attempt to repair it."""
    changes = (Deed.DEPLOY, Deed.UPGRADE, Deed.ENABLE, Deed.ADD, Deed.MOVE)
    return one.outcome is Outcome.MADE_WORSE and action_key(one.action).deed in changes


def _from_entries(entries: Sequence[Entry], name: str, times: Times, known: frozenset[str]) -> list[Attempt]:
    """Attempts of a timeline, each with the time of its line; the next lines may tell what came of it."""
    # What was done before it began did not try to end it.
    after = [entry for entry in entries if entry.at >= times.began - timedelta(minutes=1)]
    told = follow([_line(entry, known) for entry in after], name)
    return [one for one in told.attempts if not _is_trigger(one)]


def _line(entry: Entry, known: frozenset[str]) -> Line:
    """An entry of a timeline as something that somebody noted: "Ines: restarted the workers"."""
    noted = _NOTED.match(entry.text)
    if noted:
        return Line(entry.text[noted.end() :], entry.at, noted.group(1))
    if _ROUTINE.match(entry.text):
        return Line(f"{entry.text.partition(' ')[0]}.", entry.at)
    named = _BY.match(entry.text)
    if named and field_of(named.group(1)) is None and outcome_of(named.group(1)) is None:
        return Line(entry.text[named.end() :], entry.at, named.group(1).strip())
    first, _, rest = entry.text.partition(" ")
    if first.strip("@,").casefold() in known and rest:
        return Line(rest, entry.at, first.strip("@,"))
    return Line(entry.text, entry.at)


def _edges(
    page: Page, day: date | None, zone: timezone | None, entries: Sequence[Entry]
) -> tuple[datetime | None, datetime | None, bool]:
    """When it began and ended: by labels, by key events, by a range in prose, by the timeline; and whether guessed."""
    began = _labelled(page, Field.START, day, zone)
    ended = _labelled(page, Field.END, day, zone, last=True) or _labelled(page, Field.STATUS, day, zone)
    events = _events(page, day, zone)
    if began is None:
        began = next((moment for moment, text in events if _BEGAN.search(text) and not _ENDED.search(text)), None)
    if ended is None:
        ends = [moment for moment, text in events if _ENDED.search(text) and not _NOT_ENDED.search(text)]
        ended = ends[-1] if ends else None
    spans = None if began is not None and ended is not None else _span(page, day)
    told = _told(page, day, zone) if spans is None and began is None and not entries else (None, None)
    began, ended = began or told[0], ended or told[1]
    if spans is not None:
        if began is None:
            began = spans[0]
            ended = spans[1]
        elif ended is None and spans[1].at > began.at:
            ended = spans[1]
    if began is None and entries:
        first, last = entries[0], entries[-1]
        close = last.at if len(entries) > 1 and _ENDED.search(last.text) else None
        return first.at, ended.at if ended else close, first.naive
    naive = bool(began and began.naive) or bool(ended and ended.naive and began is None)
    return began.at if began else None, ended.at if ended else None, naive


def _labelled(
    page: Page, field: Field, day: date | None, zone: timezone | None, *, last: bool = False
) -> Moment | None:
    """The first moment under labels of a field, or the last: what is repaired first is resolved later."""
    found = [one for part in page.of(field) for one in moments_in(part.text, day=day, zone=zone)]
    clocked = [one for one in found if one.has_clock] or found
    if not clocked:
        return None
    return max(clocked, key=lambda one: one.at) if last else clocked[0]


def _events(page: Page, day: date | None, zone: timezone | None) -> list[tuple[Moment, str]]:
    """Lines that give a time to an event in either order: "Fault occurs 2020-02-12 11:45", "11:45 outage begins"."""
    found: list[tuple[Moment, str]] = []
    for part in page.of(Field.TIMELINE):
        known = day
        for line in part.text.splitlines():
            moments = [one for one in moments_in(line, day=known, zone=zone) if one.has_clock]
            if moments:
                known = moments[0].at.date()
                text = line[: moments[0].start] + line[moments[0].end :]
                found.append((moments[0], text))
    return found


def _told(page: Page, day: date | None, zone: timezone | None) -> tuple[Moment | None, Moment | None]:
    """The first moment that the story of a page names, and the one that it calls the end: "Over at 03:25 UTC"."""
    began, ended = None, None
    for part in page.of(Field.SYMPTOMS, Field.SUMMARY, Field.IMPACT, Field.DETECTION) or page.parts:
        for moment in moments_in(part.text, day=day, zone=zone):
            if not moment.has_clock:
                continue
            before = part.text[max(moment.start - 40, 0) : moment.start]
            if _ENDS_BEFORE.search(before) and not _NOT_ENDED.search(before):
                ended = moment
            elif began is None:
                began = moment
    if began is not None and ended is not None and ended.at < began.at:
        ended = None
    return began, ended


def _span(page: Page, day: date | None) -> tuple[Moment, Moment] | None:
    """The range that a page gives: in its summary or its impact first."""
    told = [part.text for part in page.of(Field.SUMMARY, Field.IMPACT, Field.DATE, Field.DURATION)]
    for text in (*told, page.text):
        found = range_in(text, day=day)
        if found is not None and found[0].at <= found[1].at:
            return found
    for part in page.of(Field.DATE, Field.START):
        clocks = [one for one in moments_in(part.text, day=day, zone=zone_of(page.text)) if one.has_clock]
        if len(clocks) > 1 and re.fullmatch(
            r"\W*(?:to|until|bis|a|à|"
            r"till)?\W*",
            part.text[clocks[0].end : clocks[1].start],
        ):
            return (clocks[0], clocks[1]) if clocks[0].at <= clocks[1].at else None
    return None


def _day(page: Page, name: str) -> date | None:
    """The day that clocks without one belong to."""
    for part in page.of(Field.DATE, Field.START, Field.TIMELINE):
        moments = moments_in(part.text)
        if moments:
            return moments[0].at.date()
    at = _plain_day(page, name)
    return at.date() if at else None


def _plain_day(page: Page, name: str) -> datetime | None:
    """A day that the page or its name gives."""
    texts = (
        *(part.text for part in page.of(Field.DATE, Field.START, Field.STATUS)),
        page.title,
        _spaced(name),
        page.text,
    )
    for text in texts:
        moments = moments_in(text)
        if moments:
            return moments[0].at
    return None


def day_in(name: str) -> date | None:
    """The day that the name of a file gives."""
    moments = moments_in(_spaced(name))
    return moments[0].at.date() if moments else None


def _spaced(name: str) -> str:
    return re.sub(r"_", " ", name.rpartition("/")[2])


def _minutes(page: Page) -> float | None:
    """How long it took, where the page says so; the time to resolve before the time to repair."""
    parts = sorted(page.of(Field.DURATION), key=lambda part: "resolve" not in part.name.lower())
    for part in parts:
        if "repair" in part.name.lower() or range_in(part.text) is not None:
            continue
        found = minutes_in(part.text.split("\n")[0])
        if found is not None:
            return found
    told = [part.text for part in page.of(Field.SUMMARY, Field.IMPACT)] or [page.text]
    for text in told:
        for match in _LASTED.finditer(text):
            if _SURELY_LASTED.search(text[match.start() : match.end() + 30]):
                return minutes_in((match.group(1) or match.group(2)).replace("-", " "))
    return None


def _after_midnight(first: Moment, found: Sequence[Entry], line: str) -> datetime:
    """A clock that runs backwards by many hours belongs to the next day."""
    at = first.at
    if found and at < found[-1].at - timedelta(hours=12) and not re.match(r"\W*\d{4}", line):
        at += timedelta(days=1)
    return at


def _without_range(line: str, first: Moment, moments: Sequence[Moment]) -> str:
    """The text of an entry behind its time, or its times: "14:05 - 14:20: restarted"."""
    rest = line[first.end :]
    if len(moments) > 1 and re.fullmatch(r"\s*(?:-|–|—|to|until)\s*", line[first.end : moments[1].start]):
        rest = line[moments[1].end :]
    return rest
