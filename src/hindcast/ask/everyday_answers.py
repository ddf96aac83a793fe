"""What each everyday question is answered with, from the facts; every recorded text stands in quotation marks.

A sentence about one incident takes everything from that incident's record. A sentence over several says that it counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from hindcast.ask.dates import MONTH_NAMES, Window
from hindcast.ask.events import Sentence
from hindcast.ask.everyday import Asks, Everyday, examples
from hindcast.ask.facts import COMMAND_CHARS_MAX, Facts, names_of, ref_of, row_told
from hindcast.ask.wording import plain, quoted
from hindcast.casebook.layout import Kept
from hindcast.casebook.summaries import Standing, Summary
from hindcast.model.case import Attempt, Outcome
from hindcast.model.signal import Severity
from hindcast.reason.wording import age, counted, day, duration
from hindcast.toolbox.naming import ref_of as kept_ref

ROWS_SHOWN_MAX = 8
SERVICES_SHOWN_MAX = 5
NOTES_SHOWN_MAX = 2
ATTEMPTS_SHOWN_MAX = 4
# From so many durations on their middle says what is usual.
USUAL_MIN = 2
UNDER_WAY = (Standing.OPEN, Standing.AWAITING)
ENDED = (Standing.RESOLVED,)
_NUMBERS = {
    "two": 2,
    "three": 3,
    "few": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_SEVERITIES = (Severity.CRITICAL, Severity.MAJOR, Severity.MINOR)


@dataclass(frozen=True, slots=True)
class Told:
    """The answer to an everyday question: how it was read, and what was said."""

    reading: str
    sentences: tuple[Sentence, ...]


def told(question: Everyday, facts: Facts) -> Told | None:
    """The answer; None where the facts hold nothing that the question could mean."""
    sentences = tuple(_TELLERS[question.asks](question, facts))
    return Told(_reading(question), sentences) if sentences else None


def _reading(question: Everyday) -> str:
    of = f" of {plain(question.name, 40)}" if question.name else ""
    when = f", {question.window.said}" if question.window.said else ""
    about = quoted(question.topic, 80)
    texts: Mapping[Asks, str] = {
        Asks.HELP: "what can be asked",
        Asks.SERVICE: f"how {plain(question.name, 40)} is",
        Asks.OPEN: "which incidents are open",
        Asks.MUTED: "for which services detection is muted",
        Asks.NEWEST: f"the newest incidents{of}{when}",
        Asks.UNEXPLAINED: f"which incidents have no {question.which or 'cause'}{when}",
        Asks.EXTREME: f"the {question.which} incident{of}{when}",
        Asks.SEVERITY: f"which {question.which} incidents{of} there were{when}",
        Asks.COUNT: f"how many incidents{of} there were{when}",
        Asks.MOST: f"which services had the most incidents{when}",
        Asks.USUAL_DURATION: f"how long incidents{of} usually take{when}",
        Asks.ON_CALL: "who is on call",
        Asks.CHANGED: f"what changed before the newest incident{of}",
        Asks.SINCE: f"when {about} began" if question.topic else f"since when there is an incident{of}",
        Asks.WHERE: f"which services {about} reached"
        if question.topic
        else "which services the newest incident reached",
        Asks.DURATION: f"how long {about} took",
        Asks.FIXED: f"who ended {about}, and how",
        Asks.LEARNT_FROM: f"what was learnt from {about}",
        Asks.COMPARE: "how two times compare",
    }
    return texts[question.asks]


def _help(_: Everyday, __: Facts) -> Iterator[Sentence]:
    yield Sentence("I answer from what is recorded here. You can ask, for example:", is_aside=True)
    yield from (Sentence(f"– {one}", is_aside=True) for one in examples()[1:13])
    yield Sentence("Or paste an error, a stack trace or log lines.", is_aside=True)


def _open(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    of = f" of {plain(question.name, 40)}" if question.name else ""
    rows = facts.rows(question.name, states=UNDER_WAY)
    going = [one for one in rows if one.state is Standing.OPEN]
    calm = [one for one in rows if one.state is Standing.AWAITING]
    if going:
        verb = "is" if len(going) == 1 else "are"
        yield Sentence(f"{counted(len(going), 'incident')}{of} {verb} open{_shown(going)}:", is_aside=True)
        yield from (row_told(one, facts.now) for one in going[:ROWS_SHOWN_MAX])
    else:
        yield Sentence(f"No incident{of} is open.", is_aside=True)
    if calm:
        verb = "has" if len(calm) == 1 else "have"
        yield Sentence(f"{len(calm)} {verb} recovered; please confirm:", is_aside=True)
        yield from (row_told(one, facts.now) for one in calm[: ROWS_SHOWN_MAX // 2])
    if not rows and (last := facts.rows(question.name)):
        one = last[0]
        yield Sentence(f"The newest{of} was {quoted(one.title, 120)}, {_age(one, facts)}.", ref_of(one))


def _muted(_: Everyday, facts: Facts) -> Iterator[Sentence]:
    text = (
        "Whether detection is muted for a service is not in memory: the service's row on the page Live and the page of "
        "its incident say so."
    )
    yield Sentence(text, is_aside=True)
    rows = facts.rows(states=UNDER_WAY)
    if rows:
        yield Sentence(f"{counted(len(rows), 'incident')} not over yet:", is_aside=True)
        yield from (row_told(one, facts.now) for one in rows[:ROWS_SHOWN_MAX])


def _newest(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    rows = facts.rows(question.name, question.window)
    if not rows:
        yield _none(question)
        return
    most = int(question.which) if question.which.isdigit() else _NUMBERS.get(question.which, 1)
    shown = rows[: min(max(most, 1), 2 * ROWS_SHOWN_MAX)]
    many = f"{len(shown)} newest incidents" if len(shown) > 1 else "newest incident"
    yield Sentence(f"The {many}{_scope(question)}:", is_aside=True)
    yield from (row_told(one, facts.now) for one in shown)


def _unexplained(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    by_fix = question.which.startswith(("fix", "solution"))
    what = "fix" if by_fix else "cause"
    rows = [one for one in facts.rows(question.name, question.window) if one.state is not Standing.DISMISSED]
    rows = [one for one in rows if not (one.fix if by_fix else one.cause)]
    if not rows:
        yield Sentence(f"Every incident{_scope(question)} has a recorded {what}.", is_aside=True)
        return
    verb = "has" if len(rows) == 1 else "have"
    yield Sentence(
        f"{counted(len(rows), 'incident')}{_scope(question)} {verb} no recorded {what}{_shown(rows)}:", is_aside=True
    )
    yield from (row_told(one, facts.now) for one in rows[:ROWS_SHOWN_MAX])


def _extreme(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    rows = [one for one in facts.rows(question.name, question.window, ENDED) if one.minutes is not None]
    if not rows:
        yield _none(question)
        return

    def rank(one: Summary) -> tuple[int, float]:
        place = _SEVERITIES.index(one.severity) if one.severity in _SEVERITIES else len(_SEVERITIES)
        return (-place if question.which == "worst" else 0, one.minutes or 0.0)

    one = min(rows, key=rank) if question.which == "shortest" else max(rows, key=rank)
    yield Sentence(
        f"The {question.which} of {counted(len(rows), 'resolved incident')}{_scope(question)}:", is_aside=True
    )
    severity = f", {one.severity}" if question.which == "worst" and one.severity else ""
    text = f"{quoted(one.title, 160)}, {day(one.onset_at)}{severity}, took {duration(one.minutes or 0)}."
    yield Sentence(text, ref_of(one))
    if one.cause:
        yield Sentence(f"Cause: {quoted(one.cause)}.", ref_of(one))


def _severity(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    rows = [one for one in facts.rows(question.name, question.window) if one.severity == question.which]
    if not rows:
        yield _none(question, f"{question.which} ")
        return
    text = f"{counted(len(rows), f'{question.which} incident')}{_scope(question)}{_shown(rows)}:"
    yield Sentence(text, is_aside=True)
    yield from (row_told(one, facts.now) for one in rows[:ROWS_SHOWN_MAX])


def _count(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    rows = facts.rows(question.name, question.window)
    if not rows:
        yield _none(question)
        return
    yield Sentence(f"{counted(len(rows), 'incident')}{_scope(question)}{_shown(rows)}:", is_aside=True)
    yield from (row_told(one, facts.now) for one in rows[:ROWS_SHOWN_MAX])


def _most(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    rows = facts.rows(window=question.window)
    counts = Counter(service for one in rows for service in dict.fromkeys(one.services))
    if not counts:
        yield _none(question)
        return
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    yield Sentence(f"Over {counted(len(rows), 'incident')}{_scope(question)}, counted for each service:", is_aside=True)
    for number, name in enumerate(ordered[:SERVICES_SHOWN_MAX]):
        own = [one for one in rows if name in one.services]
        lead = "Most: " if not number else ""
        many = counted(counts[name], "incident")
        text = f"{lead}{plain(name, 40)}: {many}, the newest {_age(own[0], facts)}."
        yield Sentence(text, ref_of(own[0]))


def _usual_duration(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    rows = [one for one in facts.rows(question.name, question.window, ENDED) if one.minutes is not None]
    if not rows:
        yield _none(question, "resolved ")
        return
    lengths = [one.minutes for one in rows if one.minutes is not None]
    if len(rows) >= USUAL_MIN:
        usual = f"Median {duration(median(lengths))} over {counted(len(rows), 'resolved incident')}{_scope(question)}."
        yield Sentence(usual, is_aside=True)
    shortest, longest = min(rows, key=lambda one: one.minutes or 0), max(rows, key=lambda one: one.minutes or 0)
    for word, one in (("Shortest", shortest), ("Longest", longest)):
        text = f"{word}: {quoted(one.title, 120)}, {day(one.onset_at)}, {duration(one.minutes or 0)}."
        yield Sentence(text, ref_of(one))


def _on_call(_: Everyday, facts: Facts) -> Iterator[Sentence]:
    text = (
        "Hindcast does not know who is on call: that is kept where your team pages people (PagerDuty, Opsgenie or a "
        "calendar)."
    )
    yield Sentence(text, is_aside=True)
    if rows := [one for one in facts.rows() if one.who]:
        one = rows[0]
        newest = f"{quoted(one.title, 120)}, {_age(one, facts)}"
        text = f"Took part in the newest incident, {newest}: {names_of(one.who)}."
        yield Sentence(text, ref_of(one))
    yield Sentence("Ask “who knows about …” to hear who dealt with a failure.", is_aside=True)


def _changed(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    rows = facts.rows(question.name, question.window)
    if not rows:
        yield _none(question)
        return
    one = rows[0]
    seen = facts.seen(one.id)
    yield Sentence(
        f"The newest incident{_scope(question)} is {quoted(one.title, 120)}, {_age(one, facts)}.",
        ref_of(one),
    )
    for change in seen.changes[:ROWS_SHOWN_MAX] if seen is not None else ():
        of = f" of {plain(change.service, 40)}" if change.service else ""
        named = f": {quoted(f'{change.title} {change.ref}'.strip(), 120)}" if change.title or change.ref else ""
        yield Sentence(f"Before it, at {change.at:%H:%M} UTC: {change.kind.value}{of}{named}.", ref_of(one))
    if seen is None or not seen.changes:
        yield Sentence("No deploy, release or merge before it is recorded.", ref_of(one))
    if one.cause:
        yield Sentence(f"Its recorded cause: {quoted(one.cause)}.", ref_of(one))


def _since(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    if question.topic:
        yield from _of_past(question, facts, lambda kept: (_began(kept),))
        return
    rows = facts.rows(question.name, states=UNDER_WAY)
    if not rows:
        of = f" of {plain(question.name, 40)}" if question.name else ""
        yield Sentence(f"No incident{of} is open now.", is_aside=True)
        rows = facts.rows(question.name, question.window)[:1]
    for one in rows[:ROWS_SHOWN_MAX]:
        when = f"{day(one.onset_at)} at {one.onset_at:%H:%M} UTC, {_age(one, facts)}"
        text = f"{quoted(one.title, 120)} began on {when}."
        yield Sentence(text, ref_of(one))


def _where(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    if question.topic:
        yield from _of_past(
            question, facts, lambda kept: (_reached(kept.case.title, kept.case.services, (kept_ref(kept),)),)
        )
        return
    going = facts.rows(states=UNDER_WAY) if question.which in ("", "current") else []
    rows = going or facts.rows(window=question.window)[:1]
    if not rows:
        yield _none(question)
    yield from (_reached(one.title, one.services, ref_of(one)) for one in rows[:ROWS_SHOWN_MAX])


def _reached(title: str, services: Sequence[str], refs: tuple[str, ...]) -> Sentence:
    where = names_of(services) if services else "no service is recorded"
    return Sentence(f"{quoted(title, 120)}: {where}.", refs)


def _duration(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    def length(kept: Kept) -> Iterator[Sentence]:
        took = kept.case.minutes_to_resolve
        text = f"It took {duration(took)}." if took is not None else "It is not recorded how long it took."
        yield Sentence(text, (kept_ref(kept),))

    yield from _of_past(question, facts, length)


def _fixed(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    yield from _of_past(question, facts, _ended)


def _ended(kept: Kept) -> Iterator[Sentence]:
    """Who ended one incident, how, and with what, all of it from its own record."""
    case, refs = kept.case, (kept_ref(kept),)
    fix = case.resolution
    if fix is None:
        yield Sentence("Nobody has said what ended it.", refs)
        return
    by = f"{plain(fix.by, 60)} fixed it" if fix.by else "Who fixed it is not recorded; it was ended by"
    yield Sentence(f"{by}: {quoted(fix.text)}.", refs)
    for name, text in (("command", fix.command), ("setting", fix.config)):
        if text.strip():
            yield Sentence(f"Its {name}: {quoted(text, COMMAND_CHARS_MAX)}.", refs)


def _learnt_from(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    yield from _of_past(question, facts, _lesson)


def _lesson(kept: Kept) -> Iterator[Sentence]:
    case, refs = kept.case, (kept_ref(kept),)
    yield Sentence(f"Cause: {quoted(case.cause.text)}." if case.cause else "Nobody has said what caused it.", refs)
    yield from _ended(kept)
    bad = [one for one in case.attempts if one.outcome is Outcome.MADE_WORSE]
    useless = [one for one in case.attempts if one.outcome is Outcome.NO_EFFECT]
    yield from (Sentence(f"Made it worse: {_deed(one)}.", refs) for one in bad[:ATTEMPTS_SHOWN_MAX])
    yield from (Sentence(f"No effect: {_deed(one)}.", refs) for one in useless[:ATTEMPTS_SHOWN_MAX])
    for note in case.notes[:NOTES_SHOWN_MAX]:
        by = f" by {plain(note.by, 60)}" if note.by else ""
        yield Sentence(f"Noted{by}: {quoted(note.text)}.", refs)


def _deed(one: Attempt) -> str:
    by = f", by {plain(one.by, 60)}" if one.by else ""
    return f"{quoted(one.action)}{by}"


def _of_past(
    question: Everyday, facts: Facts, told: Callable[[Kept], Iterator[Sentence] | Sequence[Sentence]]
) -> Iterator[Sentence]:
    """What is told of the one past incident that the question means; nothing where none fits."""
    found = facts.past(question.topic)
    if found is None:
        return
    kept, how = found
    case = kept.case
    sure = "" if how == "seen before" else f" ({how})"
    yield Sentence(f"{quoted(case.title, 160)}, {day(case.occurred_at)}{sure}:", (kept_ref(kept),))
    yield from told(kept)


def _began(kept: Kept) -> Sentence:
    at = kept.case.occurred_at
    return Sentence(f"It began on {day(at)} at {at:%H:%M} UTC.", (kept_ref(kept),))


def _compare(question: Everyday, facts: Facts) -> Iterator[Sentence]:
    first, second = (facts.rows(window=Window(span.start, span.end)) for span in question.spans)
    names = [
        _capital(span.said) if span.said.lower() in MONTH_NAMES else plain(span.said, 40) for span in question.spans
    ]
    more = len(second) - len(first)
    verdict = f"{abs(more)} {'more' if more > 0 else 'fewer'} than" if more else "as many as"
    end = question.spans[1].end
    # The time that goes on is no whole month yet.
    so_far = " so far" if end >= facts.now else ""
    text = f"{_capital(names[1])}{so_far}: {counted(len(second), 'incident')}, {verdict} {names[0]} ({len(first)})."
    yield Sentence(text, is_aside=True)
    for name, rows in zip(names, (first, second), strict=True):
        if not rows:
            continue
        lengths = [one.minutes for one in rows if one.minutes is not None]
        services = Counter(service for one in rows for service in dict.fromkeys(one.services)).most_common(1)
        critical = sum(one.severity is Severity.CRITICAL for one in rows)
        said = [f"{critical} critical"]
        said += [f"median {duration(median(lengths))}"] if lengths else []
        said += [f"most often {plain(services[0][0], 40)} ({services[0][1]})"] if services else []
        yield Sentence(f"{_capital(name)}: {', '.join(said)}.", is_aside=True)


def _age(one: Summary, facts: Facts) -> str:
    return age(one.onset_at, facts.now)


def _none(question: Everyday, kind: str = "") -> Sentence:
    """A no to what was understood: it names everything that was looked for."""
    return Sentence(f"No {kind}incident{_scope(question)} is recorded.", is_aside=True)


def _scope(question: Everyday) -> str:
    of = f" of {plain(question.name, 40)}" if question.name else ""
    return of + (f" {question.window.said}" if question.window.said else "")


def _shown(rows: Sequence[Summary]) -> str:
    return f"; the newest {ROWS_SHOWN_MAX}" if len(rows) > ROWS_SHOWN_MAX else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_TELLERS: Mapping[Asks, Callable[[Everyday, Facts], Iterator[Sentence]]] = {
    Asks.HELP: _help,
    Asks.SERVICE: _open,
    Asks.OPEN: _open,
    Asks.MUTED: _muted,
    Asks.NEWEST: _newest,
    Asks.UNEXPLAINED: _unexplained,
    Asks.EXTREME: _extreme,
    Asks.SEVERITY: _severity,
    Asks.COUNT: _count,
    Asks.MOST: _most,
    Asks.USUAL_DURATION: _usual_duration,
    Asks.ON_CALL: _on_call,
    Asks.CHANGED: _changed,
    Asks.SINCE: _since,
    Asks.WHERE: _where,
    Asks.DURATION: _duration,
    Asks.FIXED: _fixed,
    Asks.LEARNT_FROM: _learnt_from,
    Asks.COMPARE: _compare,
}
