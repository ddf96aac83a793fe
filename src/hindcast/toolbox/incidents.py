"""Tools that look incidents up: by words, services, state and time, and one with everything that is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from msgspec import Meta

from hindcast.casebook.layout import CASES, Kept
from hindcast.casebook.people import missing_in
from hindcast.casebook.summaries import INCIDENT_NAMESPACE, Standing, Summary, Wanted, standing
from hindcast.memory import View
from hindcast.model.case import Attempt, Case
from hindcast.model.incident import Incident
from hindcast.model.query import Query
from hindcast.model.record import MAIN
from hindcast.reason.wording import age, counted, duration, one_line
from hindcast.toolbox.choosing import on_component
from hindcast.toolbox.desk import Desk
from hindcast.toolbox.naming import At, Branch, IncidentId, Time, detected, known, ref_of, time_of
from hindcast.toolbox.quoting import cited, named, quoted, quoted_whole
from hindcast.toolbox.sheet import Sheet, Tokens
from hindcast.toolbox.tool import Arguments, Tool, ToolAnswer

# A search looks at so many of the best before services and states are asked for; beyond that nobody pages.
HITS_MAX = 300
TITLE_CHARS_MAX = 160
TEXT_CHARS_MAX = 600
SYMPTOMS_MAX = 8
STACK_CHARS_MAX = 1_500
NAMES_MAX = 8

Shown = Literal["any", "open", "awaiting", "resolved", "dismissed", "joined"]
STATES = {Standing.AWAITING: "awaiting confirmation"}


class SearchArguments(Arguments, frozen=True, kw_only=True):
    """Which incidents."""

    words: Annotated[
        str,
        Meta(
            max_length=2_000,
            description="What to look for, in words. Leave it out to list the newest incidents.",
            examples=["redis connection reset"],
        ),
    ] = ""
    services: Annotated[
        tuple[str, ...],
        Meta(
            max_length=50,
            description="Only incidents of any of these services or components.",
            examples=[["payment", "redis"]],
        ),
    ] = ()
    state: Annotated[Shown, Meta(description="Only incidents in this state.", examples=["open"])] = "any"
    since: Time = ""
    until: Time = ""
    page: Annotated[int, Meta(ge=1, le=100, description="Which page of the results; the first is 1.", examples=[2])] = 1
    count_max: Annotated[int, Meta(ge=1, le=50, description="How many incidents on a page.", examples=[10])] = 10
    at: At = ""
    branch: Branch = MAIN
    tokens_max: Tokens = 1_500


class GetArguments(Arguments, frozen=True, kw_only=True):
    """Which incident."""

    incident: IncidentId
    at: At = ""
    branch: Branch = MAIN
    tokens_max: Tokens = 2_000


@dataclass(frozen=True, slots=True)
class _Found:
    summary: Summary
    matched: tuple[str, ...] = ()


def _search(desk: Desk, given: SearchArguments) -> ToolAnswer:
    every = _chosen(desk, given)
    start = (given.page - 1) * given.count_max
    page = every[start : start + given.count_max]
    sheet = Sheet(given.tokens_max)
    sheet.say(_search_head(given, len(every), start, len(page)))
    told = [
        _row_told(one)
        for one in page
        if sheet.say(f"- {_row(desk, one)}", _ref(one.summary), what="incident", quotes=True)
    ]
    rest = len(every) - start - len(page)
    if rest > 0:
        sheet.say(f"{counted(rest, 'more incident')}: call again with page={given.page + 1}.")
    data = {"found": len(every), "page": given.page, "incidents": told, "has_more": rest > 0}
    return sheet.answer(data, more=f"Call again with count_max={max(len(told), 1)} and page through them.")


def _chosen(desk: Desk, given: SearchArguments) -> list[_Found]:
    """Incidents that satisfy every condition: the best matches first where there are words, else the newest."""
    since, until = time_of(desk, given.since, field="since"), time_of(desk, given.until, field="until")
    table, view = desk.table(given.at, given.branch), desk.view(given.at, given.branch)
    found: Iterable[_Found]
    if given.words.strip():
        wanted = replace(CASES, occurred_since=since, occurred_until=until)
        hits = view.search(Query(given.words, wanted, HITS_MAX)).hits
        found = (_Found(known, hit.matched) for hit in hits if (known := table.find(hit.record.path)) is not None)
    else:
        found = (_Found(one) for one in table.newest(Wanted(since=since, until=until)))
    states = {Standing(given.state)} if given.state != "any" else set(Standing) - {Standing.JOINED}
    some = [one for one in found if one.summary.state in states]
    return _of_services(desk, view, some, given.services) if given.services else some


def _of_services(desk: Desk, view: View, found: Sequence[_Found], services: Sequence[str]) -> list[_Found]:
    """Those of any of these services; a name that no service has may be a component's, which the cases know."""
    names = {name.strip().casefold() for name in services}
    served = {service.casefold() for one in found for service in one.summary.services}
    components = on_component(desk, view, frozenset(names)) if names - served else frozenset()
    return [
        one
        for one in found
        if one.summary.id in components or names & {service.casefold() for service in one.summary.services}
    ]


def _search_head(given: SearchArguments, found: int, start: int, shown: int) -> str:
    asked = [f"words {quoted(given.words, 100)}"] if given.words.strip() else []
    asked += [f"services {', '.join(named(one) for one in given.services)}"] if given.services else []
    asked += [f"state {given.state}"] if given.state != "any" else []
    asked += [f"since {named(given.since)}"] if given.since else []
    asked += [f"until {named(given.until)}"] if given.until else []
    told = f" for {'; '.join(asked)}" if asked else ""
    if not found:
        return f"No incident found{told}. Try fewer conditions or other words; recall finds by error text."
    if not shown:
        return f"There are {found} incidents{told}, and none on page {given.page}. The first page is 1."
    order = "best matches first" if given.words.strip() else "newest first"
    return f"{counted(found, 'incident')}{told}; {start + 1} to {start + shown}, {order}."


def _state(case: Case, incident: Incident | None) -> Standing:
    return standing(case.state, incident.state if incident is not None else None)


def _ref(summary: Summary) -> str:
    """What to cite for an incident at a glance: what is known of it, or what was seen while nobody knows anything."""
    if summary.case_version:
        return f"cases/{summary.id}@{summary.case_version}"
    return f"{INCIDENT_NAMESPACE}/{summary.id}@{summary.detection_version}"


def _row(desk: Desk, one: _Found) -> str:
    summary = one.summary
    said = [
        f"{cited(summary.id)}: {quoted(summary.title, TITLE_CHARS_MAX)}",
        STATES.get(summary.state, summary.state.value),
        age(summary.onset_at, desk.now),
        ", ".join(named(name) for name in summary.services[:NAMES_MAX]),
        f"took {duration(summary.minutes)}" if summary.minutes is not None else "",
        "cause known" if summary.cause else "cause unknown",
        "fix known" if summary.fix else "fix unknown",
        f"matched {', '.join(named(word) for word in one.matched[:NAMES_MAX])}" if one.matched else "",
    ]
    return "; ".join(part for part in said if part)


def _row_told(one: _Found) -> dict[str, Any]:
    summary = one.summary
    return {
        "incident": summary.id,
        "title": one_line(summary.title, TITLE_CHARS_MAX),
        "state": summary.state.value,
        "began_at": summary.onset_at.isoformat(),
        "services": list(summary.services[:NAMES_MAX]),
        "minutes": summary.minutes,
        "has_cause": bool(summary.cause),
        "has_fix": bool(summary.fix),
        "record": _ref(summary),
    }


def _get(desk: Desk, given: GetArguments) -> ToolAnswer:
    view = desk.view(given.at, given.branch)
    kept = known(view, given.incident)
    incident = detected(view, kept.case.id)
    sheet, ref, told = Sheet(given.tokens_max), ref_of(kept), list[str]()
    sheet.say(f"{cited(kept.case.id)} [{cited(ref)}]", ref)
    for part, line in _lines(desk, kept, incident):
        if sheet.say(line, what=part, quotes=True):
            told.append(part)
    return sheet.answer(_told(kept, incident, frozenset(told)))


def _lines(desk: Desk, kept: Kept, incident: Incident | None) -> Iterator[tuple[str, str]]:
    """Everything known, the most useful first, each with the name of its part."""
    case = kept.case
    if kept.joined_into:
        yield "where it went", f"It is part of {cited(kept.joined_into)}, which goes on in its place: ask for that one."
    yield "title", f"Title: {quoted(case.title, TEXT_CHARS_MAX)}"
    took, state = case.minutes_to_resolve, _state(case, incident)
    yield (
        "state",
        (
            f"State: {STATES.get(state, state.value)}. Began {case.occurred_at:%Y-%m-%d %H:%M} UTC"
            f" ({age(case.occurred_at, desk.now)})"
            + (f", took {duration(took)}." if took is not None else ".")
            + (f" Severity: {case.severity}." if case.severity else "")
        ),
    )
    if case.services or case.components:
        names = [named(name) for name in (*case.services, *case.components)]
        yield "services", f"Services and components: {', '.join(names[: 2 * NAMES_MAX])}"
    if case.cause is not None:
        yield "cause", f"Cause: {quoted(case.cause.text, TEXT_CHARS_MAX)}{_by(case.cause.by)}"
    yield from _fix(case)
    yield from (("attempt", _attempt(one)) for one in case.attempts)
    if case.summary.strip():
        yield "summary", f"Summary: {quoted(case.summary, TEXT_CHARS_MAX)}"
    if incident is not None:
        yield from _seen(incident)
    for text in case.symptoms[:SYMPTOMS_MAX]:
        yield "symptom", f"Seen: {quoted(text, TEXT_CHARS_MAX)}"
    if case.acknowledged is not None:
        owner = case.acknowledged
        yield "owner", f"Owner: {named(owner.by)}, since {owner.at:%Y-%m-%d %H:%M}"
    if case.responders:
        yield "who knows", f"Who took part: {', '.join(named(name) for name in case.responders[:NAMES_MAX])}"
    for note in case.notes:
        yield "note", f"Note of {note.at:%Y-%m-%d %H:%M}{_by(note.by)}: {quoted(note.text, TEXT_CHARS_MAX)}"
    if case.previous or case.supersedes:
        kin = [
            *([f"repeats {cited(case.previous)}"] if case.previous else []),
            *(f"replaces {cited(one)}" for one in case.supersedes),
        ]
        yield "related", f"Related: it {'; it '.join(kin)}."
    gaps = [what for what, _ in missing_in(case)]
    if gaps:
        yield "what is missing", f"Nobody has said yet: {quoted('; '.join(gaps), TEXT_CHARS_MAX)}"
    if case.stack.strip():
        yield "stack", f"Stack: {quoted_whole(case.stack, STACK_CHARS_MAX)}"


def _fix(case: Case) -> Iterator[tuple[str, str]]:
    fix = case.resolution
    if fix is None:
        return
    yield "fix", f"Ended by: {quoted(fix.text, TEXT_CHARS_MAX)}{_by(fix.by)}"
    for name, text in (("command", fix.command), ("config", fix.config), ("diff", fix.diff)):
        if text.strip():
            yield f"{name} of the fix", f"{name.capitalize()} of the fix: {quoted_whole(text, STACK_CHARS_MAX)}"


def _attempt(one: Attempt) -> str:
    quote = next((f" ({quoted(said.quote, TEXT_CHARS_MAX)})" for said in one.evidence if said.quote.strip()), "")
    return f"Tried {named(one.id)}: {quoted(one.action, TEXT_CHARS_MAX)} → {one.outcome}{_by(one.by)}{quote}"


def _seen(incident: Incident) -> Iterator[tuple[str, str]]:
    """What detection counted."""
    spread = ", ".join(f"{named(one.service)} ({one.errors} errors)" for one in incident.affected[:NAMES_MAX])
    kind = "A cascade" if incident.cascade else "Detected"
    yield "detection", f"{kind}: {spread}." + (f" Likely origin: {named(incident.origin)}." if incident.origin else "")
    for change in incident.changes[:NAMES_MAX]:
        what = " ".join(part for part in (change.kind.value, change.service, change.title, change.ref) if part)
        yield "change", f"Changed before it, at {change.at:%H:%M}: {quoted(what, TEXT_CHARS_MAX)}"


def _by(name: str) -> str:
    return f", by {named(name)}" if name.strip() else ""


def _told(kept: Kept, incident: Incident | None, parts: frozenset[str]) -> dict[str, Any]:
    """The same as JSON values: the parts that had room in the text."""
    case = kept.case
    told: dict[str, Any] = {
        "incident": case.id,
        "record": ref_of(kept),
        "title": one_line(case.title, TEXT_CHARS_MAX),
        "state": _state(case, incident).value,
        "began_at": case.occurred_at.isoformat(),
        "minutes": case.minutes_to_resolve,
        "severity": case.severity.value if case.severity else None,
        "services": list(case.services),
        "components": list(case.components),
        "joined_into": kept.joined_into or None,
        "cause": one_line(case.cause.text, TEXT_CHARS_MAX) if case.cause and "cause" in parts else None,
        "fix": one_line(case.resolution.text, TEXT_CHARS_MAX) if case.resolution and "fix" in parts else None,
    }
    if "attempt" in parts:
        told["attempts"] = [
            {
                "id": one.id,
                "action": one_line(one.action, TEXT_CHARS_MAX),
                "outcome": one.outcome.value,
                "by": one.by,
                "at": one.at.isoformat() if one.at else None,
            }
            for one in case.attempts
        ]
    if "symptom" in parts:
        told["symptoms"] = [one_line(text, TEXT_CHARS_MAX) for text in case.symptoms[:SYMPTOMS_MAX]]
    if incident is not None and "detection" in parts:
        told["origin"], told["errors"], told["is_cascade"] = incident.origin, incident.errors, incident.cascade
    if "what is missing" in parts:
        told["missing"] = [what for what, _ in missing_in(case)]
    return told


SEARCH_INCIDENTS = Tool(
    name="search_incidents",
    title="Find incidents",
    description=(
        "Find incidents by words, services, state and time, or list the newest by leaving `words` out. Each line gives "
        "the incident's id, title, state, age and whether its cause and fix are known. Use the id with incident_get to "
        "read everything. To find out whether an error was seen before, use recall: it also says how sure it is."
    ),
    arguments=SearchArguments,
    run=_search,
)

INCIDENT_GET = Tool(
    name="incident_get",
    title="Read one incident",
    description=(
        "Read everything that is known about one incident, by its id: state, cause, what ended it, everything that was "
        "tried with its outcome, symptoms, notes, who took part, and what nobody has said yet."
    ),
    arguments=GetArguments,
    run=_get,
)
