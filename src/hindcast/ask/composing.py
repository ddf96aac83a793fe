"""Puts answers together from what tools found, without a language model: one screen, the first sentence answers.

Every sentence cites the records it rests on, and recorded text stands in quotation marks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from hindcast.ask.beginnings import Want
from hindcast.ask.events import Sentence
from hindcast.ask.intent import Intent
from hindcast.ask.wording import plain, quoted
from hindcast.reason.headline import percent
from hindcast.reason.wording import age, counted, duration, full_stop, listed
from hindcast.toolbox import ToolAnswer

FIXES_SHOWN_MAX = 2
AVOID_SHOWN_MAX = 3
NEAREST_SHOWN_MAX = 3
OTHERS_SHOWN_MAX = 2
# Below this a likeness is no news to anybody.
NEAR_MIN = 0.1
PAIRS_SHOWN_MAX = 6
LINES_SHOWN_MAX = 8
PEOPLE_SHOWN_MAX = 3
COMMAND_CHARS_MAX = 160

Data = Mapping[str, Any]


def is_empty(intent: Intent, found: ToolAnswer) -> bool:
    """Whether a tool found nothing that bears on the question."""
    data = found.data
    match intent.want:
        case Want.PATTERNS:
            return not data["actions"]
        case Want.LIST:
            return not data["incidents"]
        case Want.TOGETHER:
            return not (data["from_incidents"] or data["from_telemetry"] or data["after_changes"])
        case Want.SEARCH:
            return not data["records"]
        case Want.LEARNT:
            return not (data["learned_count"] or data["changed_count"] or data["forgotten_count"])
        case Want.AVOID:
            return not data["avoid"]
        case Want.PEOPLE:
            return not data["who_knows"]
        case Want.RECALL:
            return not data["incident"] and not data["nearest"] and not data["under_way"]
        case Want.INCIDENT:
            return False


def composed(intent: Intent, found: ToolAnswer, case: Data | None, now: datetime) -> tuple[Sentence, ...]:
    """The answer. `case` is what is known about the incident that was recalled, where there is one."""
    if is_empty(intent, found):
        return (Sentence(_nothing(intent, found), is_aside=True),)
    told = _TELLERS[intent.want](intent, found, case, now)
    return tuple(sentence for sentence in told if sentence.text)


def _nothing(intent: Intent, found: ToolAnswer) -> str:
    """An abstention that says what was looked at."""
    about = quoted(intent.about, 80) if intent.about else "this"
    match intent.want:
        case Want.RECALL if not found.data["incident"]:
            return f"Nothing recorded looks like {about}{intent.as_of}: it was not seen before."
        case Want.PEOPLE:
            return f"Nobody is recorded as having dealt with {about}."
        case Want.AVOID:
            new = "It was not seen before." if found.data["familiarity"] == "not seen before" else ""
            return (
                f"No attempt is recorded as harmful or useless for {about}. {new} That is no proof of safety.".replace(
                    "  ", " "
                )
            )
        case Want.PATTERNS:
            return f"Nothing that was tried is recorded for {about}."
        case Want.LIST:
            state = intent.arguments.get("state", "any")
            return f"No {'' if state == 'any' else f'{state} '}incident{intent.scope} is recorded."
        case Want.TOGETHER:
            return f"Nothing goes together with {about} more often than by chance, or there is too little to count."
        case Want.LEARNT:
            return "Memory has not changed in that time."
        case _:
            return f"Nothing is written down about {about}{intent.as_of}."


def _recall(intent: Intent, found: ToolAnswer, case: Data | None, now: datetime) -> Iterator[Sentence]:
    data = found.data
    prefix = f"{_capital(intent.as_of.strip())}: " if intent.as_of else ""
    for one in data["under_way"]:
        yield Sentence(full_stop(f"{prefix}It is happening now: {plain(one['text'])}"), tuple(one["evidence"]))
    if not data["incident"]:
        yield Sentence(f"{prefix}Not seen before: no recorded incident is this failure.", is_aside=True)
        yield from _nearest(data)
        yield from _avoided(data)
        return
    refs = _refs(found, data)
    is_seen = data["familiarity"] == "seen before"
    sure = f"{percent(data['confidence'])} sure"
    title = f": {quoted(case['title'], 160)}" if case else ""
    then = f", {age(datetime.fromisoformat(case['began_at']), now)}" if case else ""
    lead = "Seen before" if is_seen else "Maybe related"
    yield Sentence(f"{prefix}{lead} ({sure}){title}{then}.", refs)
    if data["cause"]:
        yield Sentence(
            f"{'Cause' if is_seen else 'Its cause'}: {quoted(data['cause']['text'])}.", _own(data["cause"], refs)
        )
    yield from _fixes(data, refs, is_seen=is_seen)
    yield from _avoided(data)
    if data["minutes"] is not None:
        yield Sentence(f"It took {duration(data['minutes'])}.", refs)
    yield from _others(data, refs, now)
    if data["who_knows"]:
        yield Sentence(f"Who knows: {plain(data['who_knows'][0])}.", _who(data, 0))
    for one in data["disputes"][:1]:
        yield Sentence(full_stop(f"Disputed: {plain(one['text'], 500)}"), tuple(one["evidence"]))
    if not is_seen:
        yield from _nearest(data)


def _refs(found: ToolAnswer, data: Data) -> tuple[str, ...]:
    """The record of the case that answers."""
    name = f"{data['incident']}@"
    own = tuple(ref for ref in found.evidence if ref.rpartition("/")[2].startswith(name))
    return own[:1] or found.evidence[:1]


def _own(claim: Data, refs: tuple[str, ...]) -> tuple[str, ...]:
    """The one record in which it stands."""
    return tuple(claim["evidence"][:1]) or refs


def _who(data: Data, place: int) -> tuple[str, ...]:
    return tuple(data["who_knows_evidence"][place][:2])


def _others(data: Data, refs: tuple[str, ...], now: datetime) -> Iterator[Sentence]:
    """The other incidents of this failure, each in a sentence of its own, and what is counted over all of them."""
    for one in data["others"][:OTHERS_SHOWN_MAX]:
        took = f", {duration(one['minutes'])}" if one["minutes"] is not None else ""
        fix = f", ended by {quoted(one['fix'], 160)}" if one["fix"] else ""
        then = age(datetime.fromisoformat(one["occurred_at"]), now)
        yield Sentence(f"Also: {quoted(one['title'], 120)}, {then}{took}{fix}.", (one["record"],))
    if data["others"]:
        middle = data["minutes_median"]
        usually = f"; median {duration(middle)}" if middle is not None else ""
        told = f"{counted(data['times_seen'], 'incident')} of this kind{usually}."
        yield Sentence(told, (*refs, *(one["record"] for one in data["others"]))[:3])


def _fixes(data: Data, refs: tuple[str, ...], *, is_seen: bool) -> Iterator[Sentence]:
    for number, fix in enumerate(data["fixes"][:FIXES_SHOWN_MAX]):
        tried = fix["worked"] + fix["no_effect"] + fix["made_worse"]
        lead = ("Fix" if is_seen else "What ended it then") if not number else "Also"
        over = f" (counted over {len(fix['evidence'])} incidents)" if len(fix["evidence"]) > 1 else ""
        told = f"{lead}: {quoted(fix['action'])}, worked {fix['worked']} of {tried}{over}."
        yield Sentence(told, tuple(fix["evidence"][:2]) or refs)
        if not number:
            for name in ("command", "config"):
                if fix.get(name):
                    yield Sentence(f"Its {name}: {quoted(fix[name], COMMAND_CHARS_MAX)}.", _own(fix, refs))
    if not data["fixes"]:
        yield Sentence("No fix that worked is recorded.", refs)


def _avoided(data: Data) -> Iterator[Sentence]:
    for one in data["avoid"][:AVOID_SHOWN_MAX]:
        tried = one["worked"] + one["no_effect"] + one["made_worse"]
        if one["made_worse"]:
            told = f"Do not try: {quoted(one['action'])}, which made it worse {one['made_worse']} of {tried}."
        elif one["worked"]:
            told = f"Did not last: {quoted(one['action'])}."
        else:
            told = f"No effect: {quoted(one['action'])}, {one['no_effect']} of {tried}."
        yield Sentence(told, tuple(one["evidence"][:2]))


def _nearest(data: Data) -> Iterator[Sentence]:
    near = [one for one in data["nearest"] if one["confidence"] >= NEAR_MIN]
    for one in near[:NEAREST_SHOWN_MAX]:
        yield Sentence(f"Near: {quoted(one['title'])}, {percent(one['confidence'])} sure.", (one["record"],))


def _avoid(intent: Intent, found: ToolAnswer, _: Data | None, __: datetime) -> Iterator[Sentence]:
    data = found.data
    harm = [one for one in data["avoid"] if one["made_worse"]]
    useless = len(data["avoid"]) - len(harm)
    about = quoted(intent.about, 80) if intent.about else "this"
    told = f"For {about}{intent.as_of}, {counted(len(harm), 'action')} made it worse and {useless} did not help."
    yield Sentence(told, found.evidence[:2])
    yield from _avoided({"avoid": data["avoid"]})
    rest = len(data["avoid"]) - AVOID_SHOWN_MAX
    if rest > 0:
        yield Sentence(f"{counted(rest, 'more action')} did not help.", found.evidence[:2])


def _patterns(intent: Intent, found: ToolAnswer, _: Data | None, __: datetime) -> Iterator[Sentence]:
    data = found.data
    good = [one for one in data["actions"] if one["worked"] and not one["made_worse"]]
    bad = [one for one in data["actions"] if one["made_worse"]]
    about = f" of {quoted(intent.about, 80)}" if intent.about else ""
    over = f"{counted(data['incidents'], 'incident')}{about}"
    if good and good[0]["worked"] == 1:
        yield Sentence(
            f"Over {over} no fix is known to have worked twice; one that worked: {quoted(good[0]['action'])}.",
            _few(good[0]),
        )
    elif good:
        yield Sentence(
            f"Most often it was {quoted(good[0]['action'])}: worked {_tried(good[0])}, over {over}.", _few(good[0])
        )
    else:
        yield Sentence(f"Over {over}, nothing is recorded as having worked.", found.evidence[:2])
    for one in good[1:4]:
        yield Sentence(f"Also worked: {quoted(one['action'])}, {_tried(one)}.", _few(one))
    for one in bad[:AVOID_SHOWN_MAX]:
        times = f"{one['made_worse']} of {_sum(one)}"
        yield Sentence(f"Do not try: {quoted(one['action'])}, which made it worse {times}.", _few(one))
    if data["minutes_median"] is not None:
        yield Sentence(f"Half of them took less than {duration(data['minutes_median'])}.", found.evidence[:2])
    yield Sentence("These are counts over different failures; ask about one error to hear what fits it.", is_aside=True)


def _sum(one: Data) -> int:
    return int(one["worked"] + one["no_effect"] + one["made_worse"])


def _tried(one: Data) -> str:
    return f"{one['worked']} of {_sum(one)}"


def _few(one: Data) -> tuple[str, ...]:
    return tuple(one["evidence"][:2])


def _together(intent: Intent, found: ToolAnswer, _: Data | None, __: datetime) -> Iterator[Sentence]:
    data = found.data
    name = intent.about.casefold()
    pairs = data["from_incidents"] or data["from_telemetry"]
    unit = "incidents" if data["from_incidents"] else "stretches of five minutes"
    for number, pair in enumerate(pairs[:PAIRS_SHOWN_MAX]):
        one, other = pair["one"], pair["other"]
        if other["name"].casefold() == name:
            one, other = other, one
        lead = "Most strongly: " if not number else ""
        told = (
            f"{lead}{_thing(one)} with {_thing(other)}, together in {pair['together']} of {one['count']} {unit}, "
            f"{pair['lift']:.1f} times as often as by chance."
        )
        yield Sentence(_capital(told), tuple(pair["evidence"]), is_aside=not pair["evidence"])
    for one in data["after_changes"][:3]:
        times = f"{one['times']} of {one['of']}"
        yield Sentence(
            f"After {plain(one['change'], 80)}: trouble of {plain(one['service'], 80)} in {times}.", is_aside=True
        )
    yield Sentence("Going together is no proof of a cause.", is_aside=True)


def _thing(thing: Data) -> str:
    return f"{thing['kind']} {plain(thing['name'], 80)}"


def _people(_: Intent, found: ToolAnswer, case: Data | None, now: datetime) -> Iterator[Sentence]:
    data = found.data
    refs = _refs(found, data)
    people = [plain(one, 160) for one in data["who_knows"][:PEOPLE_SHOWN_MAX]]
    yield Sentence(full_stop(f"Ask {people[0]}"), _who(data, 0))
    yield from (Sentence(full_stop(f"Also {one}"), _who(data, place)) for place, one in enumerate(people[1:], 1))
    if case:
        then = age(datetime.fromisoformat(case["began_at"]), now)
        sure = f"{percent(data['confidence'])} sure that it is the same"
        yield Sentence(f"It is about {quoted(case['title'], 160)}, {then}, {sure}.", refs)


def _learnt(_: Intent, found: ToolAnswer, __: Data | None, ___: datetime) -> Iterator[Sentence]:
    data = found.data
    learnt, changed, gone = data["learned_count"], data["changed_count"], data["forgotten_count"]
    yield Sentence(
        f"Memory learnt {counted(learnt, 'record')}, changed {changed} and forgot {gone}.", found.evidence[:2]
    )
    yield from _lines(found, ("+ ", "~ ", "- "), total=learnt + changed + gone)


def _search(intent: Intent, found: ToolAnswer, _: Data | None, __: datetime) -> Iterator[Sentence]:
    records = found.data["records"]
    first = records[0]
    when = f"{_capital(intent.as_of.strip())}: " if intent.as_of else ""
    yield Sentence(
        f"{when}{counted(len(records), 'record')} found; the best: {quoted(first['text'])}.", (first["record"],)
    )
    for one in records[1:LINES_SHOWN_MAX]:
        yield Sentence(f"{quoted(one['text'], 160)}.", (one["record"],))


def _lines(found: ToolAnswer, signs: tuple[str, ...], *, total: int) -> Iterator[Sentence]:
    """Lines of a tool's own text, each with the records it names."""
    shown = [line for line in found.text.splitlines() if line.startswith(signs)]
    for line in shown[:LINES_SHOWN_MAX]:
        refs = tuple(ref for ref in found.evidence if f"[{ref}]" in line)
        bare = line[2:]
        for ref in refs:
            bare = bare.replace(f"[{ref}]", "").strip()
        word = {"+": "Learnt", "~": "Changed", "-": "Forgotten"}[line[0]]
        yield Sentence(full_stop(f"{word}: {plain(bare, 200)}"), refs)
    rest = total - min(len(shown), LINES_SHOWN_MAX)
    if rest > 0:
        yield Sentence(f"And {rest} more; name moments that are closer together to see them.", is_aside=True)


def _list(intent: Intent, found: ToolAnswer, _: Data | None, now: datetime) -> Iterator[Sentence]:
    data = found.data
    rows = data["incidents"]
    shown = f"; the newest {len(rows)}" if data["found"] > len(rows) and "words" not in intent.arguments else ""
    shown = f"; the best {len(rows)}" if data["found"] > len(rows) and not shown else shown
    as_of = f"{intent.as_of.strip()}, " if intent.as_of else ""
    state = intent.arguments.get("state", "any")
    kind = "" if state == "any" else f"{state} "
    yield Sentence(
        _capital(f"{as_of}{counted(data['found'], f'{kind}incident')}{intent.scope}{shown}:"),
        is_aside=True,
    )
    for row in rows:
        took = f", took {duration(row['minutes'])}" if row["minutes"] is not None else ""
        where = f", {listed([plain(name, 40) for name in row['services']])}" if row["services"] else ""
        then = age(datetime.fromisoformat(row["began_at"]), now)
        yield Sentence(f"{quoted(row['title'], 120)}, {row['state']}, {then}{where}{took}.", (row["record"],))


def _incident(_: Intent, found: ToolAnswer, __: Data | None, now: datetime) -> Iterator[Sentence]:
    data = found.data
    refs = (data["record"],)
    then = age(datetime.fromisoformat(data["began_at"]), now)
    took = f", took {duration(data['minutes'])}" if data["minutes"] is not None else ""
    where = f", {listed([plain(name, 40) for name in data['services']])}" if data["services"] else ""
    yield Sentence(f"{quoted(data['title'], 160)}, {data['state']}, {then}{where}{took}.", refs)
    if data["joined_into"]:
        yield Sentence(f"It goes on as {plain(data['joined_into'], 80)}.", refs)
    yield Sentence(f"Cause: {quoted(data['cause'])}." if data["cause"] else "Nobody has said what caused it.", refs)
    yield Sentence(f"Ended by: {quoted(data['fix'])}." if data["fix"] else "Nobody has said what ended it.", refs)
    for one in data.get("attempts", ())[:LINES_SHOWN_MAX]:
        yield Sentence(f"Tried: {quoted(one['action'])}, {one['outcome']}.", refs)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_TELLERS: Mapping[Want, Callable[[Intent, ToolAnswer, Data | None, datetime], Iterator[Sentence]]] = {
    Want.RECALL: _recall,
    Want.AVOID: _avoid,
    Want.PATTERNS: _patterns,
    Want.TOGETHER: _together,
    Want.PEOPLE: _people,
    Want.LEARNT: _learnt,
    Want.LIST: _list,
    Want.INCIDENT: _incident,
    Want.SEARCH: _search,
}


def cites(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """Every record that an answer rests on, each once."""
    return tuple(dict.fromkeys(ref for sentence in sentences for ref in sentence.citations))
