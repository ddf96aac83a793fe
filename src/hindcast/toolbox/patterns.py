"""The tool that says what worked how often, over incidents of a service, a component or an error."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hindcast.casebook.summaries import Summary, Wanted
from hindcast.model.recollection import Familiarity
from hindcast.model.record import MAIN
from hindcast.reason.headline import percent
from hindcast.reason.patterns import CASES_MAX, Patterns, Tendency, patterns_of
from hindcast.reason.wording import counted, duration, one_line
from hindcast.toolbox.choosing import Chosen, newest, on_component
from hindcast.toolbox.desk import Desk
from hindcast.toolbox.naming import At, Branch, Time, ref_of, time_of
from hindcast.toolbox.quoting import named, quoted
from hindcast.toolbox.sheet import Sheet, Tokens, refs_text
from hindcast.toolbox.tool import Arguments, Tool, ToolAnswer

ACTION_CHARS_MAX = 300
# How many cases an error may bring to mind.
HITS_MAX = 50
BEST_FIRST_MAX = 5


class PatternsArguments(Arguments, frozen=True, kw_only=True):
    """Over which incidents to count."""

    about: Annotated[
        str,
        Meta(
            max_length=200,
            description="A service or a component. Leave it out to count over all incidents.",
            examples=["payment", "redis"],
        ),
    ] = ""
    text: Annotated[
        str,
        Meta(
            max_length=20_000,
            description="An error or a trace: count only over incidents that look like the same failure.",
            examples=["too many connections for role"],
        ),
    ] = ""
    since: Time = ""
    at: At = ""
    branch: Branch = MAIN
    tokens_max: Tokens = 1_500


def _patterns(desk: Desk, given: PatternsArguments) -> ToolAnswer:
    chosen = _chosen(desk, given)
    if not chosen.kept and not given.about.strip() and len(given.text.split()) == 1:
        # One word is hardly ever an error, and often the name that belongs into `about`.
        named_so = msgspec.structs.replace(given, about=given.text.strip(), text="")
        other = _chosen(desk, named_so)
        given, chosen = (named_so, other) if other.kept else (given, chosen)
    found = patterns_of([(kept.case, ref_of(kept)) for kept in chosen.kept])
    sheet = Sheet(given.tokens_max)
    sheet.say(_head(given, found, chosen.older))
    told = [_told(one) for one in _ordered(found) if sheet.say(_line(one), *one.evidence, what="action", quotes=True)]
    unknown = sum(1 for one in found.tendencies if not one.tried)
    if unknown:
        sheet.say(f"Of {counted(unknown, 'further action')} nobody has said what came of it.")
    if found.tendencies:
        sheet.say("These are counts over incidents that may be different failures; recall says what fits one failure.")
    return sheet.answer({**_counts(found), "actions": told, "actions_without_outcome": unknown})


def _ordered(found: Patterns) -> list[Tendency]:
    """What worked best, then every warning, then the rest: however little room there is, both are heard."""
    known = [one for one in found.tendencies if one.tried]
    best = [one for one in known if one.worked and not one.made_worse][:BEST_FIRST_MAX]
    harmful = sorted((one for one in known if one.made_worse), key=lambda one: (-one.made_worse, one.tried, one.action))
    return [*best, *harmful, *(one for one in known if one not in best and one not in harmful)]


def _chosen(desk: Desk, given: PatternsArguments) -> Chosen:
    """The incidents to count over: those of a service or component, those that are alike, or all."""
    wanted = Wanted(since=time_of(desk, given.since, field="since"))
    name, alike = given.about.strip().casefold(), _alike(desk, given)

    def is_wanted(one: Summary) -> bool:
        return (not name or name in map(str.casefold, one.services)) and (alike is None or one.id in alike)

    chosen = newest(desk, given.at, given.branch, wanted=wanted, most=CASES_MAX, is_wanted=is_wanted)
    if chosen.kept or not name:
        return chosen
    # No service is called so; then it is a component, or nothing.
    components = on_component(desk, desk.view(given.at, given.branch), frozenset({name}))
    return newest(
        desk,
        given.at,
        given.branch,
        wanted=wanted,
        most=CASES_MAX,
        is_wanted=lambda one: one.id in components and (alike is None or one.id in alike),
    )


def _alike(desk: Desk, given: PatternsArguments) -> frozenset[str] | None:
    """The incidents that look like the error that was given; None: none was."""
    if not given.text.strip():
        return None
    moment = desk.moment(given.at)
    found = desk.recollect.ask(given.text, moment=moment, branch=given.branch, hits_max=HITS_MAX).recollection
    own = ("", desk.memory.space)
    return frozenset(
        one.case.id for one in found.remembered if one.familiarity is not Familiarity.NEW and one.space in own
    )


def _head(given: PatternsArguments, found: Patterns, older: int) -> str:
    of = f" of {named(given.about)}" if given.about.strip() else ""
    like = f" like {quoted(given.text, 80)}" if given.text.strip() else ""
    if not found.incidents:
        hint = "Nothing was recorded yet." if not given.since else "Ask for an earlier `since`, or leave it out."
        if of:
            hint = "Check the spelling of the service with search_incidents."
        elif like:
            hint = "Give the error as it was printed, or the name of a service or component as `about`."
        return f"No incident{of}{like} to count. {hint}"
    said = [f"{counted(found.incidents, 'incident')}{of}{like}, {found.resolved} resolved"]
    if found.recurrences:
        said.append(f"{found.recurrences} happened again")
    if found.minutes is not None:
        said.append(f"median {duration(found.minutes)}")
    if older:
        said.append(f"{older} older ones were not counted")
    return "; ".join(said) + ". In brackets: the share of times that it is likely to work, from so few tries."


def _line(one: Tendency) -> str:
    if one.made_worse:
        said = f"MADE IT WORSE {one.made_worse} of {one.tried}" + (f", worked {one.worked}" if one.worked else "")
    elif one.worked:
        said = f"worked {one.worked} of {one.tried}"
    else:
        said = f"no effect {one.no_effect} of {one.tried}"
    likely = f"{percent(one.share_min)} to {percent(one.share_max)}"
    took = f"; took {duration(one.minutes)}" if one.minutes is not None else ""
    return f"- {said} ({likely}): {quoted(one.action, ACTION_CHARS_MAX)}{took}{refs_text(one.evidence, most=1)}"


def _counts(found: Patterns) -> dict[str, Any]:
    return {
        "incidents": found.incidents,
        "resolved": found.resolved,
        "recurrences": found.recurrences,
        "minutes_median": found.minutes,
        "minutes_p90": found.minutes_long,
    }


def _told(one: Tendency) -> dict[str, Any]:
    return {
        "action": one_line(one.action, ACTION_CHARS_MAX),
        "worked": one.worked,
        "no_effect": one.no_effect,
        "made_worse": one.made_worse,
        "unknown": one.unknown,
        "share": round(one.share, 3),
        "share_min": round(one.share_min, 3),
        "share_max": round(one.share_max, 3),
        "minutes_median": one.minutes,
        "last_at": one.last_at.isoformat(),
        "evidence": list(one.evidence),
    }


RESOLUTION_PATTERNS = Tool(
    name="resolution_patterns",
    title="What worked how often",
    description=(
        "Count what was tried over many incidents of a service, a component or an error, and how often each action "
        "worked, had no effect or made it worse, with an interval for how far so few tries can be trusted. Use it for "
        "questions such as 'what usually fixes redis?'. For one failure that is happening now, use recall."
    ),
    arguments=PatternsArguments,
    run=_patterns,
)
