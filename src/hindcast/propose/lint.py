"""Rules on the code of a trace: what is wrong in the functions that failed, and in those that called them.

Only functions of the trace are looked at, and only rules that answer the kind of error are shown, a few at most. A rule
with a safe fix gives a proposal, one without gives a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hindcast.model.card import CardSeverity, CardSource, Proposal, Warned
from hindcast.model.code import Edit, LineSpan, Place, SourceFile, Tongue
from hindcast.model.code_rule import CodeRule, ErrorKind
from hindcast.model.errors import Missing, Refused, Unavailable
from hindcast.model.recollection import Familiarity
from hindcast.ports import Code, Lint, Linter
from hindcast.propose.carry.syntax import enclosing, faults
from hindcast.propose.rules.kinds import kinds_of
from hindcast.propose.rules.pack import rules as packed
from hindcast.propose.rules.precision import precision
from hindcast.propose.rules.ruffs import RUFFS
from hindcast.propose.rules.search import TONGUES, search
from hindcast.propose.sheet import Sheet, Source

# Frames further out than this have little to do with what failed.
PLACES_MAX = 6
PROPOSALS_MAX = 4
WARNINGS_MAX = 3
PER_RULE_MAX = 2
# What a step outwards costs: the function that failed is looked at first, its callers at lower weight.
_CALLER_WEIGHT = 0.75
# A finding on another line than the one that failed.
_ELSEWHERE_WEIGHT = 0.85
# Nothing tells what kind of error it was.
_UNKNOWN_WEIGHT = 0.6
_SEVERITY_ORDER = {CardSeverity.CRITICAL: 0, CardSeverity.WARNING: 1, CardSeverity.HINT: 2}


@dataclass(frozen=True, slots=True)
class Spot:
    """A function of the trace in today's code."""

    file: SourceFile
    lines: LineSpan
    place: Place

    @property
    def weight(self) -> float:
        """How much what is found in it has to do with the failure."""
        return self.place.confidence * _CALLER_WEIGHT ** min(self.place.depth, 4)


@dataclass(frozen=True, slots=True)
class _Found:
    """What a rule found, whoever's rule it is."""

    spot: Spot
    rule: str
    title: str
    why: str
    answers: tuple[ErrorKind, ...]
    severity: CardSeverity
    lines: LineSpan
    fixed: str | None
    risk: str
    trust: float


def lint(linter: Linter | None = None, rules: Sequence[CodeRule] | None = None) -> Source:
    """The source of cards from the packs, and from a linter where there is one."""
    known = packed() if rules is None else tuple(rules)

    def source(sheet: Sheet) -> Iterable[Proposal | Warned]:
        spots = tuple(spots_of(sheet))
        kinds = told_kinds(sheet)
        found = [one for spot in spots for one in _by_rules(known, spot)]
        if linter is not None:
            found += _by_linter(linter, [spot for spot in spots if spot.file.tongue is Tongue.PYTHON])
        return _shown(found, kinds)

    return source


def told_kinds(sheet: Sheet) -> frozenset[ErrorKind]:
    """What the incident was about: by its trace, or where that says nothing, by what was asked and what memory says."""
    kinds = kinds_of(sheet.trace)
    words = [] if kinds else [sheet.diagnosis.asked[:2_000]]
    if sheet.diagnosis.familiarity is Familiarity.SEEN and sheet.diagnosis.cause is not None:
        words.append(sheet.diagnosis.cause.text)
    return kinds | kinds_of(None, words)


def spots_of(sheet: Sheet) -> Iterator[Spot]:
    """The functions of the trace that can be read, each once, from where it failed outwards."""
    seen: set[tuple[str, LineSpan]] = set()
    for place in sorted(sheet.places, key=lambda one: one.depth)[:PLACES_MAX]:
        file = _readable(sheet.code, place.path)
        lines = None if file is None else _body(file, place)
        if file is None or lines is None or (file.path, lines) in seen:
            continue
        seen.add((file.path, lines))
        yield Spot(file, lines, place)


def _readable(code: Code, path: str) -> SourceFile | None:
    try:
        file = code.read(path)
    except (Missing, Refused):
        # A file that is gone or no text has nothing to be looked at.
        return None
    return file if file.tongue in TONGUES else None


def _body(file: SourceFile, place: Place) -> LineSpan | None:
    if place.body is not None:
        return place.body
    around = enclosing(file.text, file.tongue, place.line - 1) if place.line else None
    return None if around is None else LineSpan(around.first + 1, around.last + 1)


def _by_rules(rules: Sequence[CodeRule], spot: Spot) -> Iterator[_Found]:
    for one in search(rules, spot.file.text, spot.file.tongue, spot.lines):
        rule = one.rule
        risk = rule.fix.risk if rule.fix is not None else ""
        trust = precision(rule.id)
        yield _Found(
            spot, rule.id, rule.title, rule.why, rule.answers, rule.severity, one.lines, one.fixed, risk, trust
        )


def _by_linter(linter: Linter, spots: Sequence[Spot]) -> list[_Found]:
    texts = tuple(dict.fromkeys(spot.file.text for spot in spots))
    try:
        said = dict(zip(texts, linter.lint_each(texts, [rule.code for rule in RUFFS]), strict=True))
    except Unavailable:
        # A linter that cannot run takes nothing from what the other rules found.
        return []
    return [one for spot in spots for one in _said_of(spot, said[spot.file.text])]


def _said_of(spot: Spot, said: Sequence[Lint]) -> Iterator[_Found]:
    by_code = {rule.code: rule for rule in RUFFS}
    for one in said:
        rule = by_code.get(one.code)
        if rule is None or not (spot.lines.first <= one.lines.first and one.lines.last <= spot.lines.last):
            continue
        fixed = one.fixed
        if fixed is not None and (fixed == spot.file.text or faults(fixed, spot.file.tongue)):
            fixed = None
        name = f"ruff-{one.code}"
        why = f"{rule.why} ruff says: {one.message}."
        yield _Found(
            spot, name, rule.title, why, rule.answers, rule.severity, one.lines, fixed, rule.risk, precision(name)
        )


def _shown(found: Sequence[_Found], kinds: frozenset[ErrorKind]) -> Iterator[Proposal | Warned]:
    """What is worth showing: the surest first, one for the same lines, a few of each."""
    fitting = [one for one in found if (set(one.answers) & kinds if kinds else one.severity is not CardSeverity.HINT)]
    ordered = sorted(
        fitting, key=lambda one: (one.fixed is None, -_confidence(one, kinds), _SEVERITY_ORDER[one.severity])
    )
    taken: list[_Found] = []
    for one in ordered:
        limit = PROPOSALS_MAX if one.fixed is not None else WARNINGS_MAX
        if (
            sum((other.fixed is None) is (one.fixed is None) for other in taken) >= limit
            or sum(other.rule == one.rule for other in taken) >= PER_RULE_MAX
            or any(_touch(one, other) for other in taken)
        ):
            continue
        taken.append(one)
        yield _warned(one) if one.fixed is None else _proposal(one, one.fixed, kinds)


def _touch(one: _Found, other: _Found) -> bool:
    """Whether two findings are about the same lines of a file."""
    mine, theirs = _changed(one), _changed(other)
    same = one.spot.file.path == other.spot.file.path
    return same and mine.first <= theirs.last and theirs.first <= mine.last


def _changed(one: _Found) -> LineSpan:
    return one.lines if one.fixed is None else changed(one.spot.file.text, one.fixed)


def changed(before: str, after: str) -> LineSpan:
    """The lines of a text that differ in another; where lines are only added, the one they come behind."""
    old, new = before.split("\n"), after.split("\n")
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    first = min(head + 1, len(old))
    return (
        LineSpan(first, max(first, len(old) - tail)) if len(old) - tail > head else LineSpan(max(head, 1), max(head, 1))
    )


def _confidence(one: _Found, kinds: frozenset[ErrorKind]) -> float:
    here = one.spot.place.line and one.lines.covers(one.spot.place.line)
    known = 1.0 if kinds else _UNKNOWN_WEIGHT
    return round(one.trust * one.spot.weight * known * (1.0 if here else _ELSEWHERE_WEIGHT), 3)


def _proposal(one: _Found, fixed: str, kinds: frozenset[ErrorKind]) -> Proposal:
    file = one.spot.file
    return Proposal(
        source=CardSource.LINTER,
        title=one.title,
        edit=Edit(file.path, file.digest, fixed),
        lines=changed(file.text, fixed),
        why=" ".join([one.why, *_reasons(one, kinds)]),
        evidence=(f"rule/{one.rule}",),
        confidence=_confidence(one, kinds),
        severity=one.severity if one.spot.place.depth == 0 else _milder(one.severity),
        severity_reason=_where(one.spot.place),
        action=one.title.rstrip("."),
        rule=one.rule,
        risk=one.risk,
    )


def _warned(one: _Found) -> Warned:
    text = f"{one.title} {one.why} {_where(one.spot.place)}"
    return Warned(one.spot.file.path, one.lines, text, (f"rule/{one.rule}",))


def _reasons(one: _Found, kinds: frozenset[ErrorKind]) -> Iterator[str]:
    yield _where(one.spot.place)
    answered = [kind for kind in one.answers if kind in kinds]
    if answered:
        yield f"It answers the kind of error that was raised: {', '.join(answered)}."
    else:
        yield "Nothing tells what kind of error it was; this is what is wrong there."


def _where(place: Place) -> str:
    name = f"`{place.function}`" if place.function else "The code"
    return f"{name} is where it failed." if place.depth == 0 else f"{name} called what failed."


def _milder(severity: CardSeverity) -> CardSeverity:
    """In a caller, one step less depends on it."""
    return CardSeverity.WARNING if severity is CardSeverity.CRITICAL else CardSeverity.HINT


def team_rules(rules: Sequence[CodeRule]) -> Source:
    """The source of cards from a team's own rules: whatever the error, since the team has met it before."""
    known = tuple(rules)

    def source(sheet: Sheet) -> Iterable[Proposal | Warned]:
        kinds = told_kinds(sheet)
        found = [one for spot in spots_of(sheet) for one in _by_rules(known, spot)]
        evidence = {rule.id: rule.evidence for rule in known}
        # A rule that a team made from one fix is about that failure; kinds are only as good as the guess they are.
        own = [replace(one, answers=one.answers or tuple(kinds)) for one in found]
        for shown in _shown(own, kinds):
            rule = shown.evidence[0].removeprefix("rule/")
            rests = (*shown.evidence, *evidence.get(rule, ()))
            if isinstance(shown, Proposal):
                yield replace(shown, source=CardSource.TEAM_RULE, evidence=rests)
            else:
                yield replace(shown, evidence=rests)

    return source
