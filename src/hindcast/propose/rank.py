"""The order of cards: what is known to have worked first, then what this team takes, what is surest and smallest.

Each part of a score is a share of its weight and says in words what it counted, so that anybody can see why one card
comes before another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hindcast.model.action import same_action
from hindcast.model.card import CardSeverity, CardSource, CardState, CardVerdict, Proposal
from hindcast.model.code import SourceFile
from hindcast.model.diagnosis import Advice
from hindcast.propose.carry.syntax import functions
from hindcast.propose.dealt import hunks_of
from hindcast.propose.guard import Passed
from hindcast.propose.sheet import Sheet

# More than this nobody reads at night.
CARDS_MAX = 7
# With fewer decisions than these, a share says more about chance than about the team.
DECIDED_MIN = 3
# What each part may add; together 1.
_WEIGHTS = {"evidence": 0.35, "sureness": 0.2, "preference": 0.15, "place": 0.15, "reach": 0.1, "severity": 0.05}
# Decisions that are assumed before any was made, half of them for it: a first rejection does not end a source.
_PRIOR_DECIDED = 4
_BY_SOURCE = {
    CardSource.CARRIED_OVER: 0.5,
    CardSource.SETTING: 0.5,
    CardSource.TEAM_RULE: 0.5,
    CardSource.LINTER: 0.3,
    CardSource.MODEL: 0.2,
}
_BY_SEVERITY = {CardSeverity.CRITICAL: 1.0, CardSeverity.WARNING: 0.6, CardSeverity.HINT: 0.3}
_TAKEN = (CardState.ACCEPTED, CardState.MODIFIED)
# From this share of its weight on, a part speaks for a card; below the other one against it.
_FOR_MIN, _AGAINST_MAX = 0.6, 0.35


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a score: its share, 0 to 1, and what was counted, as part of a sentence."""

    name: str
    share: float
    told: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """A proposal with its place in the order, and why it has it."""

    passed: Passed
    score: float
    parts: tuple[Part, ...]
    # How cards like it fared with this team.
    record: str

    @property
    def why(self) -> str:
        """What speaks for it and against it, in a sentence or two."""
        good = [part.told for part in self.parts if part.told and part.share >= _FOR_MIN]
        bad = [part.told for part in self.parts if part.told and part.share <= _AGAINST_MAX]
        told = f"For it: {'; '.join(good)}." if good else ""
        return " ".join(one for one in (told, f"Against it: {'; '.join(bad)}." if bad else "") if one)


@dataclass(frozen=True, slots=True)
class Preference:
    """How often this team took what was proposed, by source and by rule."""

    taken: Mapping[str, int]
    decided: Mapping[str, int]

    def share(self, proposal: Proposal) -> float:
        """How likely the team takes it, estimated with so little to go by: a rule leans on its source."""
        source = self._leaning(proposal.source, 0.5)
        return self._leaning(f"rule/{proposal.rule}", source) if proposal.rule else source

    def _leaning(self, key: str, towards: float) -> float:
        return (self.taken.get(key, 0) + _PRIOR_DECIDED * towards) / (self.decided.get(key, 0) + _PRIOR_DECIDED)

    def record(self, proposal: Proposal) -> str:
        """How cards like it fared: those of its rule where there are enough, else those of its source."""
        for key, of in ((f"rule/{proposal.rule}", " of this rule"), (str(proposal.source), "")):
            if self.decided.get(key, 0) >= DECIDED_MIN:
                return f"accepted {self.taken.get(key, 0)} of {self.decided[key]}{of}"
        return "too few to say"


def preference_of(verdicts: Iterable[CardVerdict]) -> Preference:
    """What a team's decisions say; the last one about a card counts, and none that was taken back."""
    last = {verdict.card: verdict for verdict in sorted(verdicts, key=lambda one: one.at)}
    taken: Counter[str] = Counter()
    decided: Counter[str] = Counter()
    for verdict in last.values():
        if verdict.state not in (*_TAKEN, CardState.REJECTED) or verdict.undone_by:
            continue
        rules = [ref for ref in verdict.evidence if ref.startswith("rule/")]
        for key in dict.fromkeys((str(verdict.source), *rules)):
            decided[key] += 1
            taken[key] += verdict.state in _TAKEN
    return Preference(taken, decided)


def rank(
    passed: Iterable[Passed], sheet: Sheet, preference: Preference, *, read: Sequence[SourceFile] = ()
) -> tuple[Ranked, ...]:
    """All that passed, the best first. `read` are files that may call what is changed."""
    found = [_ranked(one, sheet, preference, read) for one in passed]
    return tuple(
        sorted(
            found,
            key=lambda one: (-one.score, -one.passed.proposal.confidence, one.passed.proposal.edit.path,
                             one.passed.proposal.lines, one.passed.proposal.title),
        )
    )  # fmt: skip


def _ranked(passed: Passed, sheet: Sheet, preference: Preference, read: Sequence[SourceFile]) -> Ranked:
    proposal = passed.proposal
    parts = (
        _evidence(proposal, sheet),
        Part("sureness", proposal.confidence, f"{proposal.confidence:.0%} sure that this is the change that is meant"),
        _preferred(proposal, preference),
        _place(proposal, sheet),
        _reach(passed, read),
        Part("severity", _BY_SEVERITY[proposal.severity], ""),
    )
    score = sum(_WEIGHTS[part.name] * part.share for part in parts)
    return Ranked(passed, round(score, 4), parts, preference.record(proposal))


def _evidence(proposal: Proposal, sheet: Sheet) -> Part:
    """How well it is known to work: fixes that held, fixes that worked, then whatever its source is worth."""
    advice = next((one for one in sheet.diagnosis.fixes if _is_of(proposal, one)), None)
    if advice is None:
        is_remembered = any(not ref.startswith("rule/") for ref in proposal.evidence)
        told = "" if is_remembered else "no past incident speaks for it"
        return Part("evidence", _BY_SOURCE[proposal.source] if is_remembered else _BY_SOURCE[CardSource.LINTER], told)
    if advice.held_of:
        held = advice.held / advice.held_of
        times = f"{advice.held} of {advice.held_of} time{'' if advice.held_of == 1 else 's'}"
        return Part("evidence", 0.3 + 0.7 * held, f"the failure stayed away for weeks after it {times}")
    if advice.tried:
        return Part("evidence", 0.4 + 0.4 * advice.share, f"it worked {advice.worked} of {advice.tried} times")
    return Part("evidence", 0.6, "it ended the same failure before")


def _is_of(proposal: Proposal, advice: Advice) -> bool:
    """Whether a proposal is what an advice says."""
    theirs = {ref.partition("@")[0] for ref in advice.evidence}
    is_shared = any(ref.partition("@")[0] in theirs for ref in proposal.evidence)
    return is_shared and bool(proposal.action) and same_action(proposal.action, advice.action)


def _preferred(proposal: Proposal, preference: Preference) -> Part:
    record = preference.record(proposal)
    told = f"the team {record} such cards" if record.startswith("accepted") else ""
    return Part("preference", preference.share(proposal), told)


def _place(proposal: Proposal, sheet: Sheet) -> Part:
    """How near it is to where it failed."""
    best, told = 0.0, "the trace does not go through it"
    lines = proposal.lines
    # Frames of libraries come before the first one that is the team's own code.
    nearest = min((place.depth for place in sheet.places), default=0)
    for place in sheet.places:
        if place.path != proposal.edit.path:
            continue
        body = place.body
        is_inside = body is not None and body.first <= lines.last and lines.first <= body.last
        near = place.confidence * 0.8 ** min(place.depth - nearest, 6) * (1.0 if is_inside else 0.5)
        if near > best:
            name = f"`{place.function}`" if place.function else "the code"
            where = (
                f"it is in {name}, {'where it failed' if place.depth == nearest else 'which the trace goes through'}"
            )
            # Beside a function of the trace is neither here nor there.
            best, told = near, where if is_inside else ""
    if not sheet.places:
        return Part("place", 0.5, "")
    return Part("place", best, told)


def _reach(passed: Passed, read: Sequence[SourceFile]) -> Part:
    """How much it touches: lines, functions, and who calls them as far as was looked."""
    proposal = passed.proposal
    rows = [row for hunk in hunks_of(passed.before, proposal.edit.text or "") for row in hunk.lines]
    lines = sum(row[0] in "+-" for row in rows)
    file = next((one for one in read if one.path == proposal.edit.path), None)
    names = tuple(dict.fromkeys(_functions(passed, file))) if file is not None else ()
    callers = sum(any(_calls(name, one) for name in names) for one in read if one.path != proposal.edit.path)
    share = 1 / (1 + lines / 25 + max(len(names) - 1, 0) / 2 + callers / 10)
    told = [f"it changes {lines} line{'' if lines == 1 else 's'}"]
    if names:
        told.append(f"of {', '.join(f'`{name}`' for name in names[:3])}{' and others' if len(names) > 3 else ''}")
    if callers:
        told.append(f"called from {callers} other file{'' if callers == 1 else 's'} that the trace goes through")
    return Part("reach", share, " ".join(told))


def _functions(passed: Passed, file: SourceFile) -> Iterator[str]:
    """The innermost functions of the file as it is that the lines of a change lie in."""
    lines = passed.proposal.lines
    inside = [
        one for one in functions(file.text, file.tongue) if one.first < lines.last and one.last >= lines.first - 1
    ]
    for one in inside:
        if not any(other is not one and one.first <= other.first and other.last <= one.last for other in inside):
            yield one.name


def _calls(name: str, file: SourceFile) -> bool:
    return name in file.text and re.search(rf"(?<!\w){re.escape(name)}\s*\(", file.text) is not None
