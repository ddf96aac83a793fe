"""Times and durations as people write them in a postmortem, read to aware moments.

A time without a zone is read as UTC and says so. A clock without a day takes the day that stands with it, or the day of
the moment before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone

# How names of months begin, in the languages that postmortems are written in.
_MONTHS = {
    "jan": 1, "ene": 1, "gen": 1, "feb": 2, "fev": 2, "fév": 2, "mar": 3, "mär": 3, "mrz": 3, "apr": 4, "abr": 4,
    "avr": 4, "may": 5, "mai": 5, "mag": 5, "mei": 5, "jun": 6, "juin": 6, "giu": 6, "jul": 7, "juil": 7, "lug": 7,
    "aug": 8, "ago": 8, "aoû": 8, "sep": 9, "set": 9, "oct": 10, "okt": 10, "out": 10, "ott": 10, "nov": 11, "dec":
    12, "dez": 12, "dic": 12, "déc": 12,
}  # fmt: skip
_MONTH = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})[a-zûé]{{0,12}}\.?"
# Zones that mean one thing to nearly everybody who writes them; others are left to be read as UTC, and noted.
_ZONES = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "BST": 60, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180,
    "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420, "JST": 540,
}  # fmt: skip
_ZONE = r"(Z|UTC|GMT|WET|BST|CES?T|EES?T|[ECMP][SD]T|JST|[+-]\d{2}:?\d{2})\b"
_DATE = re.compile(
    r"(?<![\d.])(?:(?P<y1>(?:19|20)\d\d)[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})"
    r"|(?P<y2>20\d\d)(?P<m2>[01]\d)(?P<d2>[0-3]\d)(?=T|\b)"
    rf"|(?P<d3>\d{{1,2}})(?:st|nd|rd|th|\.|er)?(?:\s{{1,20}}(?:of|"
    rf"de))?[\s-]{{1,40}}(?P<m3>{_MONTH})(?:,?(?:\s{{1,20}}de)?[\s-]{{1,40}}(?P<y3>(?:19|20)\d\d))?"
    rf"|(?P<m4>{_MONTH})\s{{1,20}}(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?![:\d])(?:,?\s{{1,20}}(?P<y4>(?:19|20)\d\d))?"
    r"|(?P<a5>\d{1,2})/(?P<b5>\d{1,2})/(?P<y5>(?:19|20)\d\d))",
    re.I,
)
_CLOCK = re.compile(
    r"(?:(?<=[\s(\[T~])|(?<=^)|(?<=[-–—|*`]))(?:(?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:[.,]\d+)?)?"
    r"(?:\s{0,20}(?P<half>[ap]\.?m\b\.?))?|(?P<h2>1[0-2]|0?[1-9])\s{0,20}(?P<half2>[ap]\.?m\b\.?)"
    r"|(?<=T)(?P<h3>[01]\d|2[0-3])(?P<m3>[0-5]\d)(?:[0-5]\d)?)"
    rf"(?:\s{{0,20}}\(?(?P<zone>{_ZONE}))?",
    re.I,
)
_ALL_TIMES = re.compile(
    rf"\b(?:all\s{{1,20}})?times?\s{{1,20}}(?:shown\s{{1,20}})?(?:are\s{{1,20}}|is\s{{1,20}})?(?:in\s{{1,20}}|given\s{{1,20}}in\s{{1,20}})?\(?{_ZONE}",
    re.I,
)
_BEFORE_DATE = re.compile(r"^[\s,T]{0,200}(?:at|@|,|\(|-|–|—|:|from|around|about|approximately|~)*\s{0,20}$", re.I)
_AFTER_DATE = re.compile(r"^[\s,]{0,200}(?:on|,|of|\(){0,200}\s{0,20}(?:the\s{1,20}|\w+day,?\s{1,20})?$", re.I)
_RANGE = re.compile(
    r"\b(?:between|from|starting(?:\s{1,20}at)?|beginning(?:\s{1,20}at)?|entre|desde|de|zwischen|von|tra|"
    r"tussen)\b",
    re.I,
)
_RANGE_JOINT = re.compile(
    r"^[\s,(]{0,40}(?:\w+\s{1,20}){0,3}?(?:and|to|until|till|through|et|y|und|bis|hasta|e|en|à|a|-|–|"
    r"—)\s{0,20}(?:\w+\s{1,20}){0,3}$",
    re.I,
)
RANGE_CHARS_MAX = 160

_NUMBER = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "ninety": 90, "half": 0.5,
}  # fmt: skip
_AMOUNT = re.compile(
    rf"(?<![\w.:/-])(\d+(?:\.\d+)?|(?:{'|'.join(_NUMBER)})(?=[\s-]))[\s-]{{0,40}}(?:an?\s{{1,20}})?"
    r"(d(?:ays?|ías?|ias?)?|h(?:(?:ou)?rs?|oras?|eures?)?|st(?:d|unden?)|m(?:in(?:ut(?:e|o|en))?s?)?|"
    r"s(?:ec(?:ond)?s?)?)\b(?!\s{0,20}/)",
    re.I,
)
_CLOCKED = re.compile(r"^\s{0,20}(\d{1,3}):(\d{2})(?::(\d{2}))?\s{0,200}(?:h|hours|hh:mm(?::ss)?)?\s{0,20}$", re.I)
_JOINS = re.compile(r"^[\s,]{0,40}(?:and\s{1,20})?$", re.I)
_UNIT_MINUTES = {"d": 1440.0, "h": 60.0, "m": 1.0, "s": 1 / 60}


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment that a text names."""

    at: datetime
    start: int
    end: int
    # Whether its zone had to be guessed, and whether it names more than a day.
    naive: bool
    has_clock: bool


@dataclass(frozen=True, slots=True)
class _Atom:
    start: int
    end: int
    day: date | None = None
    clock: time | None = None
    zone: timezone | None = None


def moments_in(text: str, *, day: date | None = None, zone: timezone | None = None) -> tuple[Moment, ...]:
    """The moments of a text in its order. `day` is the day of clocks that have none; without it they are left out."""
    return tuple(_moments(text, list(_atoms(text, day)), day, zone))


def range_in(text: str, *, day: date | None = None) -> tuple[Moment, Moment] | None:
    """From when to when, where a text says so: "between 16:15 and 22:20 UTC on 21 Nov 2016"."""
    for match in _RANGE.finditer(text):
        part = text[match.end() : match.end() + RANGE_CHARS_MAX]
        atoms = list(_atoms(part, day))
        found = list(_moments(part, atoms, day or _first_day(atoms), None))
        clocks = [one for one in found if one.has_clock] if any(one.has_clock for one in found) else found
        if len(clocks) < 2 or not _RANGE_JOINT.search(_gap(part, clocks[0], clocks[1], atoms)):
            continue
        first, last = _in_order(clocks[0], clocks[1], atoms)
        shift = match.end()
        return _shifted(first, shift), _shifted(last, shift)
    return None


def zone_of(text: str) -> timezone | None:
    """The zone that a page gives for all of its times."""
    match = _ALL_TIMES.search(text)
    return _zone(match.group(1)) if match else None


def minutes_in(text: str) -> float | None:
    """The first duration that a text names, in minutes: "1h 34m", "two hours and 5 minutes", "34 minutes"."""
    clocked = _CLOCKED.match(text)
    if clocked:
        hours, minutes, seconds = (int(part or 0) for part in clocked.groups())
        return hours * 60 + minutes + seconds / 60
    total, end = 0.0, -1
    for match in _AMOUNT.finditer(text):
        if end >= 0 and not _JOINS.match(text[end : match.start()]):
            break
        amount = match.group(1).lower()
        total += (_NUMBER.get(amount) or float(amount)) * _UNIT_MINUTES[match.group(2).lower().replace("st", "h")[0]]
        end = match.end()
    return round(total, 2) if end >= 0 else None


def _atoms(text: str, day: date | None) -> Iterator[_Atom]:
    found = [*_dates(text, day), *_clocks(text)]
    end = -1
    for atom in sorted(found, key=lambda atom: (atom.start, -atom.end)):
        if atom.start >= end:
            yield atom
            end = atom.end


def _dates(text: str, day: date | None) -> Iterator[_Atom]:
    for match in _DATE.finditer(text):
        read = _date(match.groupdict(), day)
        if read is not None:
            yield _Atom(match.start(), match.end(), day=read)


def _date(parts: dict[str, str | None], near: date | None) -> date | None:
    """The day of a match; a day without a year takes the year of the day that is near."""
    year = next((parts[key] for key in ("y1", "y2", "y3", "y4", "y5") if parts[key]), None)
    if year is None and near is None:
        return None
    if parts["a5"] and parts["b5"]:
        first, second = int(parts["a5"]), int(parts["b5"])
        month, of_month = (second, first) if first > 12 else (first, second)
    else:
        named = parts["m3"] or parts["m4"]
        month = (
            (_MONTHS.get(named[:4].lower()) or _MONTHS[named[:3].lower()])
            if named
            else int(parts["m1"] or parts["m2"] or 0)
        )
        of_month = int(parts["d1"] or parts["d2"] or parts["d3"] or parts["d4"] or 0)
    try:
        return date(int(year) if year else _year(near), month, of_month)
    except ValueError:
        return None


def _year(near: date | None) -> int:
    assert near is not None
    return near.year


def _clocks(text: str) -> Iterator[_Atom]:
    for match in _CLOCK.finditer(text):
        half = (match["half"] or match["half2"] or "").lower()
        hour = int(match["h"] or match["h2"] or match["h3"])
        if half and hour <= 12:
            hour = hour % 12 + (12 if half.startswith("p") else 0)
        clock = time(hour % 24, int(match["m"] or match["m3"] or 0), int(match["s"] or 0))
        zone = _zone(match["zone"]) if match["zone"] else None
        yield _Atom(match.start(), match.end(), clock=clock, zone=zone)


def _zone(name: str) -> timezone:
    upper = name.upper()
    if upper in _ZONES:
        return timezone(timedelta(minutes=_ZONES[upper])) if _ZONES[upper] else UTC
    digits = upper.replace(":", "")
    minutes = int(digits[1:3]) * 60 + int(digits[3:5])
    return timezone(timedelta(minutes=min(minutes, 14 * 60) * (-1 if digits[0] == "-" else 1)))


def _moments(text: str, atoms: list[_Atom], day: date | None, zone: timezone | None) -> Iterator[Moment]:
    """Days and clocks put together: each clock with the day beside it, or with the day before."""
    used: set[int] = set()
    known, last = day, None
    for index, atom in enumerate(atoms):
        if atom.clock is None:
            follow = atoms[index + 1] if index + 1 < len(atoms) else None
            known, last = atom.day, None
            if index not in used and (follow is None or follow.clock is None or not _beside(text, atom, follow)):
                yield _moment(atom, time(0), None, zone, atom, has_clock=False)
            continue
        beside = _day_beside(text, atoms, index, used)
        if beside is not None:
            known, last = beside.day, None
        elif last is not None and known is not None and _is_next_day(last, atom.clock):
            known += timedelta(days=1)
        if known is None:
            continue
        whole = _Atom(min(atom.start, beside.start) if beside else atom.start, atom.end, day=known)
        last = atom.clock
        yield _moment(whole, atom.clock, atom.zone, zone, atom, has_clock=True)


def _is_next_day(last: time, clock: time) -> bool:
    """Whether a clock that runs backwards means midnight has passed: by many hours it does, by a little it does not."""
    return last.hour * 60 + last.minute - (clock.hour * 60 + clock.minute) > 12 * 60


def _beside(text: str, atom: _Atom, follow: _Atom) -> bool:
    return _BEFORE_DATE.match(text[atom.end : follow.start]) is not None


def _day_beside(text: str, atoms: list[_Atom], index: int, used: set[int]) -> _Atom | None:
    atom = atoms[index]
    before = atoms[index - 1] if index else None
    if before is not None and before.day is not None and _beside(text, before, atom):
        return before
    after = atoms[index + 1] if index + 1 < len(atoms) else None
    if after is not None and after.day is not None and _AFTER_DATE.match(text[atom.end : after.start]):
        used.add(index + 1)
        return after
    return None


def _moment(
    atom: _Atom, clock: time, zone: timezone | None, usual: timezone | None, place: _Atom, *, has_clock: bool
) -> Moment:
    assert atom.day is not None
    at = datetime.combine(atom.day, clock, tzinfo=zone or usual or UTC).astimezone(UTC)
    return Moment(at, atom.start, place.end, naive=has_clock and zone is None and usual is None, has_clock=has_clock)


def _first_day(atoms: list[_Atom]) -> date | None:
    return next((atom.day for atom in atoms if atom.day is not None), None)


def _gap(text: str, first: Moment, second: Moment, atoms: list[_Atom]) -> str:
    """What stands between two moments, without the days that belong to them."""
    end = first.end
    for atom in atoms:
        if atom.day is not None and end <= atom.start < second.start and _AFTER_DATE.match(text[end : atom.start]):
            end = atom.end
    start = second.start
    return text[end:start] if start > end else text[first.end : second.end]


def _in_order(first: Moment, last: Moment, atoms: list[_Atom]) -> tuple[Moment, Moment]:
    """The two ends of a range: one zone for both, and the earlier one not behind the later one."""
    zones = [atom.zone for atom in atoms if atom.clock is not None]
    if first.naive and not last.naive and len(zones) > 1 and zones[1] is not None:
        at = first.at.replace(tzinfo=zones[1]).astimezone(UTC)
        first = Moment(at, first.start, first.end, naive=False, has_clock=first.has_clock)
    if last.at < first.at:
        days = [atom.day for atom in atoms if atom.day is not None]
        if len(set(days)) < 2:
            if atoms and atoms[0].day is not None:
                last = Moment(last.at + timedelta(days=1), last.start, last.end, last.naive, last.has_clock)
            else:
                first = Moment(first.at - timedelta(days=1), first.start, first.end, first.naive, first.has_clock)
    return first, last


def _shifted(one: Moment, by: int) -> Moment:
    return Moment(one.at, one.start + by, one.end + by, one.naive, one.has_clock)
