"""Values that memory warns of, where they are set today."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hindcast.model.action import action_key
from hindcast.model.action_words import Deed as Kind
from hindcast.model.card import Proposal, Warned
from hindcast.model.code import LineSpan
from hindcast.propose.settings.entry import line_of
from hindcast.propose.settings.files import ConfigurationFiles
from hindcast.propose.settings.matching import Match, is_set, matches, phrase_matches, standing
from hindcast.propose.settings.quantity import quantity
from hindcast.propose.settings.remembered import Deed, harmed
from hindcast.propose.sheet import Sheet

# More places than these say that the key is too general to warn of.
PLACES_MAX = 5


def harmful_settings(sheet: Sheet, files: ConfigurationFiles | None = None) -> Iterable[Proposal | Warned]:
    """What is set today and made this failure worse before, with where that is remembered."""
    files = files or ConfigurationFiles(sheet)
    seen: set[tuple[str, int]] = set()
    for deed in harmed(sheet):
        for match, value in _set_today(deed, files):
            key = (match.file.path, match.setting.start)
            # What only developers, tests and readers use does no harm.
            if key not in seen and standing(match.file.path) > 0:
                seen.add(key)
                yield _warned(deed, match, value)


def _set_today(deed: Deed, files: ConfigurationFiles) -> Iterator[tuple[Match, str]]:
    """Settings that have the harmful value, or lie beyond it in the direction that did the harm."""
    for wish in deed.wishes:
        found = [one for one in matches(wish, files.about(wish)) if _is_as_bad(deed, one, wish.value, wish.words)]
        if len(found) <= PLACES_MAX:
            yield from ((one, wish.value) for one in found)
    if deed.phrase is not None:
        value = deed.phrase.value
        near = phrase_matches(deed.phrase, files.with_number(value))
        # A sentence names no key: only the very value says that this is what it was about.
        found = [one for one in near if is_set(one, value, one.words if value.isdigit() else ())]
        if len(found) <= PLACES_MAX:
            yield from ((one, value) for one in found)


def _is_as_bad(deed: Deed, match: Match, value: str, words: tuple[str, ...]) -> bool:
    if is_set(match, value, words):
        return True
    kind = action_key(deed.action).deed
    bad, today = quantity(value, words), quantity(match.setting.value, match.words)
    if bad is None or today is None or bad.family != today.family:
        return False
    if kind in (Kind.RAISE, Kind.SCALE_UP):
        return today.amount > bad.amount
    return kind in (Kind.LOWER, Kind.SCALE_DOWN) and today.amount < bad.amount


def _warned(deed: Deed, match: Match, value: str) -> Warned:
    line = line_of(match.file.text, match.setting.start)
    where = ", ".join(one.partition("@")[0] for one in deed.evidence) or "a past incident"
    today = match.setting.value
    what = f"“{deed.action.rstrip('.')}”" if deed.action else f"setting it to {value}"
    beyond = "" if is_set(match, value, match.words) or today == value else f", beyond the {value} of then"
    text = f"`{match.setting.key}` is {today} here{beyond}; {what} made it worse in {where}."
    return Warned(match.file.path, LineSpan(line, line), text, deed.evidence)
