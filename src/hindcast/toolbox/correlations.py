"""The tool that says what goes together in time, from incidents and, where it can be read, from telemetry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from msgspec import Meta

from hindcast.casebook.summaries import Standing, Summary, Wanted
from hindcast.model.errors import Malformed, Unavailable
from hindcast.model.incident import Incident
from hindcast.model.record import MAIN
from hindcast.model.signal import Level
from hindcast.ports import Telemetry
from hindcast.reason.correlate import TOGETHER_MIN, Followed, Occasion, Together, followed, together, troubled
from hindcast.reason.wording import counted, duration
from hindcast.toolbox.choosing import newest
from hindcast.toolbox.desk import Desk
from hindcast.toolbox.naming import At, Branch, Time, detected, ref_of, time_of
from hindcast.toolbox.quoting import named, quoted
from hindcast.toolbox.sheet import Sheet, Tokens, refs_text
from hindcast.toolbox.tool import Arguments, Tool, ToolAnswer

# The newest say most about the system as it is, and more of them would take seconds to read.
INCIDENTS_MAX = 2_000
LINES_SHOWN_MAX = 40
ERRORS_SHOWN_MAX = 8
ERROR_CHARS_MAX = 200
# Raw telemetry is counted over at most this; further back, incidents remember it better.
TELEMETRY_SPAN_MAX = timedelta(days=7)
TELEMETRY_SPAN = timedelta(days=1)
STEP = timedelta(minutes=5)
FOLLOWED_WITHIN = timedelta(minutes=30)
EXCEPTIONS_PER_INCIDENT_MAX = 5
# Names that say no more than that something failed.
ANY_ERROR = frozenset({"Error", "Exception", "RuntimeException", "RuntimeError"})

Thing = tuple[str, str]


class CorrelationsArguments(Arguments, frozen=True, kw_only=True):
    """What to look at."""

    about: Annotated[
        str,
        Meta(
            max_length=200,
            description="A service, component or exception: only what goes together with it. Leave it out for all.",
            examples=["payment", "redis", "TimeoutError"],
        ),
    ] = ""
    since: Time = ""
    until: Time = ""
    at: At = ""
    branch: Branch = MAIN
    tokens_max: Tokens = 1_500


@dataclass(frozen=True, slots=True)
class _Counted:
    """What telemetry says of a span."""

    pairs: tuple[Together, ...] = ()
    after_changes: tuple[Followed, ...] = ()
    errors: tuple[tuple[str, str, int], ...] = ()
    # What was counted, or why nothing was.
    note: str = ""


def _correlations(desk: Desk, given: CorrelationsArguments) -> ToolAnswer:
    since, until = time_of(desk, given.since, field="since"), time_of(desk, given.until, field="until")
    if since is not None and until is not None and since >= until:
        raise Malformed("since is not before until.", field="since", remedy="Give an earlier time.")
    occasions, older = _incidents(desk, given, Wanted(since=since, until=until))
    about = _about(given.about, occasions)
    pairs = together(occasions, about=about) if about or not given.about.strip() else ()
    # What runs on the same things is no news, unless somebody asks about one of them.
    pairs = tuple(one for one in pairs if about or {one.one[0], one.other[0]} != {"component"})
    counts = _telemetry(desk, given.about.strip(), since, until) if not given.at.strip() else _Counted(note=_PAST)
    sheet = Sheet(given.tokens_max)
    sheet.say(_head(given.about, occasions, pairs, is_known=bool(about) or not given.about.strip(), older=older))
    sheet.say(f"Telemetry: {counts.note}")
    told = [_pair_told(one) for one in pairs[:LINES_SHOWN_MAX] if _say(sheet, one)]
    seen = [_pair_told(one) for one in counts.pairs[:LINES_SHOWN_MAX] if _say(sheet, one, of="minutes")]
    changes = [one for one in counts.after_changes[:LINES_SHOWN_MAX] if sheet.say(_after(one), what="change")]
    for service, text, count in counts.errors:
        sheet.say(f"- Frequent error of {named(service)}, {count} ×: {quoted(text, ERROR_CHARS_MAX)}", quotes=True)
    if told or seen or changes:
        sheet.say("Going together is no proof of a cause.")
    data = {
        "incidents": len(occasions),
        "from_incidents": told,
        "from_telemetry": seen,
        "after_changes": [
            {"change": one.change, "service": one.service, "times": one.times, "of": one.of, "lift": one.lift}
            for one in changes
        ],
        "telemetry": counts.note,
    }
    return sheet.answer(data)


_PAST = "not asked, because `at` asks what was known at an earlier moment."


def _incidents(desk: Desk, given: CorrelationsArguments, wanted: Wanted) -> tuple[list[Occasion], int]:
    """The newest incidents as occasions, the oldest first, and how many older ones were left out."""
    view = desk.view(given.at, given.branch)
    chosen = newest(desk, given.at, given.branch, wanted=wanted, most=INCIDENTS_MAX, is_wanted=_is_one)
    found = []
    for kept in reversed(chosen.kept):
        case = kept.case
        things: list[Thing] = [("service", name) for name in case.services]
        things += [("component", name) for name in dict.fromkeys((*case.components, *case.clues.components))]
        names = (name.rpartition(".")[2] for name in case.clues.exceptions)
        telling = [name for name in dict.fromkeys(names) if name not in ANY_ERROR]
        things += [("error", name) for name in telling[:EXCEPTIONS_PER_INCIDENT_MAX]]
        incident = detected(view, case.id)
        first = _firsts(incident) if incident is not None else {}
        found.append(Occasion(ref_of(kept), frozenset((*things, *first)), first))
    return found, chosen.older


def _is_one(summary: Summary) -> bool:
    return summary.state is not Standing.DISMISSED


def _firsts(incident: Incident) -> dict[Thing, datetime]:
    """When each service and each change of an incident first showed."""
    first: dict[Thing, datetime] = {("service", one.service): one.onset_at for one in incident.affected}
    for change in incident.changes:
        first.setdefault(("change", _change_name(change.kind.value, change.service)), change.at)
    return first


def _change_name(kind: str, service: str) -> str:
    return f"{kind} of {service}" if service else kind


def _about(text: str, occasions: Sequence[Occasion]) -> frozenset[Thing]:
    """The things that a name means, in any spelling."""
    name = text.strip().casefold()
    every = {thing for occasion in occasions for thing in occasion.things}
    return frozenset(thing for thing in every if name and thing[1].casefold() in (name, name.rpartition(".")[2]))


def _head(about: str, occasions: Sequence[Occasion], pairs: Sequence[Together], *, is_known: bool, older: int) -> str:
    if not occasions:
        return "There are no incidents in this time, so nothing can be counted from them."
    whole = f"Counted over {counted(len(occasions), 'incident')}" + (f" (not over {older} older ones)" if older else "")
    if not is_known:
        return f"{whole}: none has {named(about)}. Check its spelling with search_incidents."
    if not pairs:
        return f"{whole}: not enough. No pair was seen together {TOGETHER_MIN} times and more often than by chance."
    return f"{whole}, the strongest first:"


def _say(sheet: Sheet, one: Together, *, of: str = "incidents") -> bool:
    apart = f"{one.one_count - one.together} and {one.other_count - one.together}"
    where = f"together in {one.together} {of}, each alone in {apart}"
    later = ""
    if one.seconds_later is not None and one.seconds_later >= 1:
        minutes = one.seconds_later / 60
        after = duration(minutes) if minutes >= 1 else f"{round(one.seconds_later)} seconds"
        later = f"; {_thing(one.other)} follows {after} later"
    line = f"- {_thing(one.one)} + {_thing(one.other)}: {where}; {one.lift:.1f} × chance{later}"
    refs = one.evidence if of == "incidents" else ()
    return sheet.say(line + refs_text(refs, most=1), *refs[:1], what="pair")


def _thing(thing: Thing) -> str:
    kind, name = thing
    return f"{kind} {named(name)}"


def _after(one: Followed) -> str:
    within = duration(FOLLOWED_WITHIN / timedelta(minutes=1))
    return (
        f"- After {named(one.change)}: trouble of {named(one.service)} within {within} in {one.times} of {one.of}; "
        f"{one.lift:.1f} × chance"
    )


def _pair_told(one: Together) -> dict[str, Any]:
    return {
        "one": {"kind": one.one[0], "name": one.one[1], "count": one.one_count},
        "other": {"kind": one.other[0], "name": one.other[1], "count": one.other_count},
        "together": one.together,
        "of": one.occasions,
        "lift": one.lift,
        "seconds_later": one.seconds_later,
        "evidence": [ref for ref in one.evidence[:1] if ref],
    }


def _telemetry(desk: Desk, about: str, since: datetime | None, until: datetime | None) -> _Counted:
    """What telemetry says of the asked span, as far as it reaches; where it cannot be read, why."""
    end = min(until or desk.now, desk.now)
    start = max(since or end - TELEMETRY_SPAN, end - TELEMETRY_SPAN_MAX)
    if start >= end:
        return _Counted(note="not asked, because the time lies in the future.")
    try:
        with desk.telemetry() as telemetry:
            if telemetry is None:
                return _Counted(note="there is none here; these counts are from incidents alone.")
            return _counted(telemetry, desk.memory.space, about, start, end)
    except Unavailable as error:
        return _Counted(note=f"it cannot be read now ({error.problem}) These counts are from incidents alone.")


def _counted(telemetry: Telemetry, space: str, about: str, start: datetime, end: datetime) -> _Counted:
    steps = list(_steps(start, end))
    errors = _errors(telemetry, space, end, steps)
    troubles = troubled(errors)
    occasions = [
        Occasion(
            "",
            frozenset(("service", service) for service, times in troubles.items() if step in times),
            {},
        )
        for step in steps
    ]
    named_ = frozenset({("service", name) for name in troubles if name.casefold() == about.casefold()})
    pairs = together(occasions, about=named_) if named_ or not about else ()
    changes = [
        (change.at, _change_name(change.kind.value, change.service))
        for change in telemetry.changes(space, start, end)
        if not change.is_test
    ]
    after = followed(changes, troubles, since=start, until=end, within=FOLLOWED_WITHIN)
    services = [name for name in errors if not about or name.casefold() == about.casefold()]
    top = telemetry.top_fingerprints(space, services, start, end, count_max=ERRORS_SHOWN_MAX) if services else ()
    span = f"{start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M} UTC"
    found = counted(len(troubles), "service")
    note = f"{span} in steps of {STEP // timedelta(minutes=1)} minutes; {found} had far more errors than usual."
    if not pairs:
        note += f" No two of them {TOGETHER_MIN} times together more often than by chance."
    return _Counted(
        pairs,
        tuple(one for one in after if not about or about.casefold() in _names_of(one)),
        tuple((one.service, one.text, one.count) for one in top),
        note,
    )


def _names_of(one: Followed) -> tuple[str, str]:
    """The service that was in trouble, and the one that was changed."""
    return one.service.casefold(), one.change.casefold().rpartition(" of ")[2]


def _steps(start: datetime, end: datetime) -> Iterator[datetime]:
    seconds = int(STEP.total_seconds())
    step = datetime.fromtimestamp(start.timestamp() // seconds * seconds, tz=start.tzinfo)
    while step < end:
        yield step
        step += STEP


def _errors(
    telemetry: Telemetry, space: str, end: datetime, steps: Sequence[datetime]
) -> dict[str, dict[datetime, int]]:
    """Errors by service and step, the steps without any included."""
    seconds = int(STEP.total_seconds())
    table = telemetry.rates(steps[0], end, space=space, step_seconds=seconds)
    found: dict[str, dict[datetime, int]] = {}
    for row in table.select(["second", "service", "level", "count"]).to_pylist():
        if row["level"] >= Level.ERROR:
            by_step = found.setdefault(row["service"], dict.fromkeys(steps, 0))
            if row["second"] in by_step:
                by_step[row["second"]] += int(row["count"])
    return found


ERROR_CORRELATIONS = Tool(
    name="error_correlations",
    title="What goes together in time",
    description=(
        "Find which services, components, errors and changes turn up in the same incidents, and which services have "
        "trouble in the same minutes or after a change, with counts and how many times more often than by chance. Says "
        "'not enough' where there is too little to count. Going together is no proof of a cause."
    ),
    arguments=CorrelationsArguments,
    run=_correlations,
)
