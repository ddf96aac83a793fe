"""An answer as Markdown, for a ticket, a channel or a file. Remembered text stays text: it makes no heading or link."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hindcast.model.diagnosis import Advice, Diagnosis, Nearest
from hindcast.model.recollection import Familiarity, Recollection, Remembered
from hindcast.reason.headline import other_case, percent, took, track_record
from hindcast.reason.wording import age, full_stop, listed, one_line

TEXT_CHARS_MAX = 600
ASKED_LINES_MAX = 20
ASKED_CHARS_MAX = 2_000

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!])")
# What moves a cursor or turns the direction of writing.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_FENCE = re.compile(r"`{3,}")


def markdown(diagnosis: Diagnosis, recollection: Recollection | None = None) -> str:
    """The whole answer; with a recollection, the trace of every case behind it as well."""
    lines = list(_answer(diagnosis))
    if recollection is not None:
        lines += _traces(recollection)
    return "\n".join(lines).rstrip() + "\n"


def plain(text: str, chars_max: int = TEXT_CHARS_MAX) -> str:
    """One line of remembered text, with everything escaped that Markdown would act on."""
    return _SPECIAL.sub(r"\\\1", _UNSEEN.sub("�", one_line(text, chars_max)))


def fenced(text: str, language: str = "text") -> Iterator[str]:
    """Several lines of remembered text in a block that they cannot close."""
    fence = "`" * max(3, *(len(found) + 1 for found in _FENCE.findall(text)), 3)
    yield f"{fence}{language}"
    yield from (_UNSEEN.sub("�", line) for line in text.strip("\n").splitlines())
    yield fence


def _answer(diagnosis: Diagnosis) -> Iterator[str]:
    is_seen = diagnosis.familiarity is Familiarity.SEEN
    yield f"## {diagnosis.familiarity.value.capitalize()}{_sureness(diagnosis)}"
    yield ""
    yield f"**{plain(diagnosis.headline)}**"
    for one in diagnosis.under_way:
        yield ""
        yield f"Happening now: {plain(one.text)}{_cited(one.evidence)}"
    yield ""
    yield "Asked:"
    yield ""
    yield from fenced("\n".join(diagnosis.asked[:ASKED_CHARS_MAX].splitlines()[:ASKED_LINES_MAX]))
    yield from _list("How so", [plain(one) for one in diagnosis.reasons])
    if diagnosis.cause is not None:
        yield from _section("Cause" if is_seen else "Cause then")
        yield f"{plain(diagnosis.cause.text)}{_cited(diagnosis.cause.evidence)}"
    yield from _fixes(diagnosis, is_seen=is_seen)
    yield from _list("Don't try" if diagnosis.case else "Beware", [_avoided(one) for one in diagnosis.avoid])
    tried = [
        f"{plain(one.action)}: {one.outcome.value}{_by((one.by,))}{_cited((one.evidence,))}" for one in diagnosis.tried
    ]
    yield from _list("What was tried then", tried)
    yield from _list("Who knows", [f"{plain(one.text)}{_cited(one.evidence)}" for one in diagnosis.people])
    others = [f"{plain(other_case(one))}{_cited((one.evidence,))}" for one in diagnosis.others]
    yield from _list("Other incidents of this kind", others)
    if took(diagnosis):
        yield from _section("How long it took")
        yield full_stop(took(diagnosis))
    yield from _list("What differs this time", [plain(one) for one in diagnosis.differs])
    yield from _list(
        "Where records disagree", [f"{plain(one.text)}{_cited(one.evidence)}" for one in diagnosis.disputes]
    )
    steps = [f"{plain(one.text)}{_cited(one.evidence)}" for one in diagnosis.next_steps]
    yield from _list("Next", steps, numbered=True)
    near = [_near(one, diagnosis) for one in diagnosis.nearest]
    yield from _list("Also near" if diagnosis.case else "Nearest", near)
    yield from _list("Notes", [plain(one) for one in diagnosis.notes])


def _sureness(diagnosis: Diagnosis) -> str:
    if not diagnosis.case:
        return ""
    said = f", {percent(diagnosis.confidence)} likely the same"
    known = track_record(diagnosis.reliability)
    return f"{said}; {known}" if known else said


def _fixes(diagnosis: Diagnosis, *, is_seen: bool) -> Iterator[str]:
    if not diagnosis.fixes:
        return
    yield from _section("Fix" if is_seen else "What ended it then")
    for fix in diagnosis.fixes:
        held = f", held {fix.held} of {fix.held_of}" if fix.held_of else ""
        known = (
            f"worked {fix.worked} of {fix.tried}{held}; likely {percent(fix.share)}, at least {percent(fix.share_min)}"
        )
        if len(fix.evidence) < 2:
            yield f"- {plain(fix.action)} ({known}){_by(fix.by)}{_cited(fix.evidence)}"
        else:
            yield f"- {plain(fix.action)}{_by(fix.by)}{_cited(fix.evidence[:1])}"
            yield f"  - In {len(fix.evidence)} incidents: {known}{_cited(fix.evidence)}"
        for text, language in ((fix.command, "sh"), (fix.config, "text"), (fix.diff, "diff")):
            if text.strip():
                yield ""
                yield from (f"  {line}" for line in fenced(text, language))


def _avoided(one: Advice) -> str:
    if one.made_worse:
        what = f"made it worse {one.made_worse} of {one.tried}" + (f", worked {one.worked}" if one.worked else "")
    elif not one.tried:
        what = f"turned down by {plain(listed(one.by))}"
    elif one.worked and one.held_of:
        what = f"did not hold {one.held_of - one.held} of {one.held_of}"
    else:
        what = f"no effect {one.no_effect} of {one.tried}"
    quotes = "".join(f" “{plain(quote)}”" for quote in one.happened)
    remarks = "".join(f" {plain(remark)}" for remark in one.remarks)
    told = f"**{plain(one.action)}**: {what}.{quotes}{remarks}{_cited(one.evidence)}"
    if not one.elsewhere:
        return told
    own = f"**{plain(one.action)}**: {one.outcome.value}.{quotes}{_cited(one.evidence[:1])}"
    others = [f"  - {plain(each.action)}: {each.outcome.value}{_cited((each.evidence,))}" for each in one.elsewhere]
    return "\n".join([own, *others, f"  - In {len(one.evidence)} incidents: {what}.{remarks}{_cited(one.evidence)}"])


def _near(one: Nearest, diagnosis: Diagnosis) -> str:
    said = (
        f"{plain(one.title)} ({percent(one.confidence)}, {age(one.occurred_at, diagnosis.at)}){_cited((one.address,))}"
    )
    if one.alike:
        said += f". Alike: {plain('; '.join(one.alike))}"
    return f"{said}. But: {plain(' '.join(one.differs))}" if one.differs else said


def _traces(recollection: Recollection) -> Iterator[str]:
    yield from _section("What came to mind")
    yield f"Arms: {', '.join(recollection.arms) or 'none'}."
    for one in recollection.remembered:
        yield from _trace(one)


def _trace(one: Remembered) -> Iterator[str]:
    yield ""
    yield f"#### `{one.address}@{one.version}` {plain(one.case.title)}"
    yield ""
    yield f"- {one.familiarity.value}, confidence {one.confidence:.3f}, score {one.score:.3f}"
    for arm, rank in sorted(one.ranks.items()):
        yield f"- arm {arm}: #{rank.place} ({rank.score:.3f})"
    for name, value in sorted(one.features.items()):
        yield f"- {plain(name)}: {value:.3f}"
    yield from (f"- for it: {plain(reason)}" for reason in one.reasons)
    yield from (f"- held back: {plain(gate)}" for gate in one.gates)


def _list(title: str, items: Sequence[str], *, numbered: bool = False) -> Iterator[str]:
    if items:
        yield from _section(title)
        yield from (f"{f'{number}.' if numbered else '-'} {item}" for number, item in enumerate(items, 1))


def _section(title: str) -> Iterator[str]:
    yield ""
    yield f"### {title}"
    yield ""


def _by(names: Sequence[str]) -> str:
    named = [plain(name, 60) for name in names if name.strip()]
    return f", by {', '.join(named)}" if named else ""


def _cited(refs: Sequence[str]) -> str:
    return "".join(f" `{_UNSEEN.sub('', ref).replace('`', '')}`" for ref in refs)
