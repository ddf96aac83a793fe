"""Settings as a source of cards: every fix that was a setting, looked for in today's configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hindcast.model.card import CardSeverity, CardSource, Proposal, Warned
from hindcast.model.code import Edit, LineSpan, SourceFile
from hindcast.propose.settings.add import addition
from hindcast.propose.settings.change import with_values
from hindcast.propose.settings.entry import line_of, words_of
from hindcast.propose.settings.files import ConfigurationFiles
from hindcast.propose.settings.matching import Match, is_set, matches, phrase_matches, standing
from hindcast.propose.settings.quantity import converted, same_value
from hindcast.propose.settings.remembered import Deed, harmed, helped
from hindcast.propose.settings.wish import Wish
from hindcast.propose.sheet import Sheet

# In more places than these, nobody can tell which one was meant.
PLACES_MAX = 3
# How much of a proposal's confidence is that memory recalled the right case.
_MEMORY_SHARE = 0.3
# A sentence says less exactly what it is about than a key does; without the old value it says still less.
_SENTENCE = 0.65
_SENTENCE_WITHOUT_OLD = 0.45


@dataclass(frozen=True, slots=True)
class _Aim:
    """A setting of today, the value it should have, and how sure that is."""

    match: Match
    value: str
    confidence: float
    notes: tuple[str, ...] = ()


def settings_again(sheet: Sheet, files: ConfigurationFiles | None = None) -> Iterable[Proposal | Warned]:
    """The past fixes of this failure that were settings, as changes of today's files, and what is set already."""
    files = files or ConfigurationFiles(sheet)
    harmful = harmed(sheet)
    for deed in helped(sheet):
        singles: dict[str, list[_Aim]] = {}
        for wish in deed.wishes:
            if _is_harmful(wish, harmful):
                continue
            aims, notes = _aims(wish, files, sheet)
            yield from _notes(deed, notes)
            if len(aims) == 1:
                singles.setdefault(aims[0].match.file.path, []).append(aims[0])
            else:
                for aim in aims:
                    yield from _changes(deed, [aim])
            if not aims and not notes:
                yield from _added(deed, wish, files)
        for together in singles.values():
            yield from _changes(deed, together)
        if deed.phrase is not None:
            yield from _said(deed, files)


def _aims(wish: Wish, files: ConfigurationFiles, sheet: Sheet) -> tuple[list[_Aim], list[tuple[Match, str]]]:
    """Where a wish is to be set, or what there is to say about where it is not."""
    found = matches(wish, files.about(wish))
    if not found:
        return [], []
    best = _of_services([one for one in found if standing(one.file.path) == standing(found[0].file.path)], sheet)
    others = [one for one in found if one not in best]
    open_ones = [one for one in best if not is_set(one, wish.value, wish.words)]
    if not open_ones:
        return [], [(best[0], f"`{best[0].setting.key}` is {best[0].setting.value} here already.")]
    if len(open_ones) > PLACES_MAX:
        return [], []
    aims: list[_Aim] = []
    notes: list[tuple[Match, str]] = []
    for one in open_ones:
        value = converted(wish.value, wish.words, one.setting.value, one.words)
        if value is None:
            text = (
                f"`{one.setting.key}` is {one.setting.value} here, and {wish.value} then; nothing says in which unit."
            )
            notes.append((one, text))
            continue
        sure = one.likeness * (1.0 if wish.is_quoted else 0.9) / len(open_ones)
        aims.append(_Aim(one, value, sure, _beside(one, open_ones, others)))
    return aims, notes


def _beside(one: Match, equals: Sequence[Match], others: Sequence[Match]) -> tuple[str, ...]:
    """Where else the same key stands."""
    notes = []
    elsewhere = [f"{other.file.path}:{_line(other)}" for other in equals if other is not one]
    if elsewhere:
        notes.append(f"The same key stands in {' and '.join(elsewhere)}; memory does not say which one was meant.")
    if others:
        told = ", ".join(f"{other.file.path} ({other.setting.value})" for other in others[:PLACES_MAX])
        notes.append(f"It is also set in {told}, which is left as it is.")
    return tuple(notes)


def _of_services(found: list[Match], sheet: Sheet) -> list[Match]:
    """Of several, those that belong to a service of the incident, if any does."""
    services = [words_of(service) for service in sheet.recollection.cue.services]
    near = [
        one
        for one in found
        if any(
            _within(service, words_of(one.file.path, *one.setting.path[:-1], *one.setting.scope))
            for service in services
        )
    ]
    return near if near and len(found) > 1 else found


def _within(part: Sequence[str], whole: Sequence[str]) -> bool:
    size = len(part)
    return size > 0 and any(tuple(whole[at : at + size]) == tuple(part) for at in range(len(whole) - size + 1))


def _said(deed: Deed, files: ConfigurationFiles) -> Iterator[Proposal | Warned]:
    """A number that a sentence is about: only where one setting fits, and its old value where that was said."""
    said = deed.phrase
    if said is None:
        return
    found = phrase_matches(said, files.with_number(*((said.was, said.value) if said.was else ())))
    now = [one for one in found if is_set(one, said.value, one.words)]
    if said.was:
        found = tuple(one for one in found if is_set(one, said.was, one.words))
    best = [one for one in found if standing(one.file.path) == standing(found[0].file.path)]
    if not best and now:
        yield from _notes(deed, [(now[0], f"`{now[0].setting.key}` is {now[0].setting.value} here already.")])
    if len(best) != 1:
        return
    one = best[0]
    value = converted(said.value, one.words if said.value.isdigit() else (), one.setting.value, one.words)
    if value is not None and not same_value(value, one.words, one.setting.value, one.words):
        sure = _SENTENCE if said.was else _SENTENCE_WITHOUT_OLD
        note = f"The key is a reading of “{deed.action}”."
        yield from _changes(deed, [_Aim(one, value, sure, (note,))])


def _changes(deed: Deed, aims: Sequence[_Aim]) -> Iterator[Proposal]:
    """One proposal for what is changed in one file."""
    file = aims[0].match.file
    text = with_values(file.path, file.text, [(aim.match.setting, aim.value) for aim in aims])
    if text is None or text == file.text:
        return
    told = [f"`{aim.match.setting.key}` from {aim.match.setting.value or 'nothing'} to {aim.value}" for aim in aims]
    lines = sorted(_line(aim.match) for aim in aims)
    notes = tuple(dict.fromkeys(note for aim in aims for note in aim.notes))
    title = f"Set {', '.join(told)} in {file.path}."
    sure = min(aim.confidence for aim in aims)
    yield _proposal(deed, file, text, LineSpan(lines[0], lines[-1]), title, notes, sure)


def _added(deed: Deed, wish: Wish, files: ConfigurationFiles) -> Iterator[Proposal]:
    """A key that is nowhere, beside its siblings, where it has any."""
    found = addition(wish, files.beside(wish))
    if found is not None:
        title = f"Add `{wish.path[-1]}` with {wish.value} to {found.file.path}."
        note = f"The key is not there yet; it stands beside `{found.sibling.key}`, which hangs below the same name."
        span = LineSpan(max(found.line - 1, 1), max(found.line - 1, 1))
        yield _proposal(deed, found.file, found.text, span, title, (note,), found.confidence)


def _proposal(
    deed: Deed, file: SourceFile, text: str, lines: LineSpan, title: str, notes: Sequence[str], sure: float
) -> Proposal:
    return Proposal(
        source=CardSource.SETTING,
        title=title,
        edit=Edit(file.path, file.digest, text),
        lines=lines,
        why=" ".join((f"{deed.record}: {deed.action.rstrip('.')}." if deed.action else f"{deed.record}.", *notes)),
        evidence=deed.evidence,
        confidence=round(sure * (1 - _MEMORY_SHARE + _MEMORY_SHARE * deed.confidence), 3),
        severity=CardSeverity.WARNING,
        severity_reason="It ended the same failure before.",
        action=deed.action or title,
        risk="It takes effect when what reads this file is started again.",
    )


def _notes(deed: Deed, notes: Iterable[tuple[Match, str]]) -> Iterator[Warned]:
    for match, text in notes:
        line = _line(match)
        yield Warned(match.file.path, LineSpan(line, line), f"{text} {deed.record}: {deed.action}", deed.evidence)


def _is_harmful(wish: Wish, harmful: Iterable[Deed]) -> bool:
    """Whether memory says that just this made it worse."""
    return any(
        bad.words[-len(wish.words) :] == wish.words[-len(bad.words) :]
        and same_value(bad.value, bad.words, wish.value, wish.words)
        for deed in harmful
        for bad in deed.wishes
    )


def _line(match: Match) -> int:
    return line_of(match.file.text, match.setting.start)
