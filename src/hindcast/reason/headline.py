"""The one sentence or two that say it all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from hindcast.model.case import Case, CaseState
from hindcast.model.diagnosis import Advice, Diagnosis, OtherCase
from hindcast.model.recollection import Remembered
from hindcast.model.verdict import Reliability
from hindcast.reason.wording import age, day, duration, first_sentence, full_stop, last, one_line, plain_name, recorded

TITLE_CHARS_MAX = 100
FIX_CHARS_MAX = 160


def seen_headline(
    best: Remembered, ref: str, occurrences: Sequence[Case], fixes: Sequence[Advice], middle: float | None,
    now: datetime, whose: str,
) -> str:  # fmt: skip
    """As in "Your team hit this 6 weeks ago: …. Fixed in 34 minutes by ana: …."; `occurrences` are those before now.

    All of it is about one incident. How often there was one is counted in a sentence of its own.
    """
    began = age(best.case.occurred_at, now)
    if not occurrences:
        return f"It is happening now and began {began}: {_title(best.case)} It was not seen before that."
    told = f"{whose or 'Your team'} hit this {began}: {_title(best.case)} {_ending(best.case, ref, fixes, occurrences)}"
    return told if len(occurrences) == 1 else f"{told} {_counted(occurrences, middle, now)}"


def _counted(occurrences: Sequence[Case], middle: float | None, now: datetime) -> str:
    newest = max(case.occurred_at for case in occurrences)
    usually = f"; median {duration(middle)}" if middle is not None else ""
    return f"{len(occurrences)} incidents of this kind, the last {last(newest, now)}{usually}."


def maybe_headline(best: Remembered, ref: str, fixes: Sequence[Advice], now: datetime, whose: str) -> str:
    """What may be related, told as the past that it is."""
    where = f" in {whose}" if whose else ""
    title, when = _title(best.case).rstrip("."), age(best.case.occurred_at, now)
    said = f"Maybe related: {title}, {when}{where}."
    own = next((fix for fix in fixes if fix.record == ref), None)
    if own is None:
        return said
    took = best.case.minutes_to_resolve
    after = f" after {duration(took)}" if took is not None else ""
    return f"{said} Then it ended{after} with: {_fix(own)}"


def new_headline(nearest: Sequence[Remembered]) -> str:
    """That nobody has met this, as far as memory knows."""
    if not nearest:
        return "Not seen before. Nothing in memory is like it."
    first = nearest[0]
    title = _title(first.case).rstrip(".")
    if first.gates:
        why = full_stop(first.gates[0])
        return f"Not seen before in anything that still holds. The nearest was held back ({why.rstrip('.')}): {title}."
    return f"Not seen before. The nearest, {percent(first.confidence)} likely the same: {title}."


def took(diagnosis: Diagnosis) -> str:
    """How long the incident that answers took; the median over all of them is called one."""
    said = duration(diagnosis.minutes) if diagnosis.minutes is not None else ""
    if diagnosis.minutes_median is None:
        return said
    middle = f"median of {max(diagnosis.times_seen, 2)} incidents: {duration(diagnosis.minutes_median)}"
    return f"{said}; {middle}" if said else middle


def other_case(one: OtherCase) -> str:
    """Another incident of the same failure in a line: "28 October 2026: “…”, 16 minutes, another fix: “…”, by lena"."""
    said = [f"{day(one.occurred_at)}: {recorded(one.title, TITLE_CHARS_MAX)}"]
    if one.minutes is not None:
        said.append(duration(one.minutes))
    if one.fix:
        which = "the same fix" if one.is_same_fix else "another fix"
        said.append(f"{which}: {recorded(one.fix, FIX_CHARS_MAX)}" + (f", by {plain_name(one.by)}" if one.by else ""))
    else:
        said.append("what ended it is not proposed" if one.is_withheld else "what ended it is not recorded")
    return ", ".join(said)


def track_record(level: Reliability | None) -> str:
    """How often answers this sure were right, and where that was counted; empty where nobody did."""
    if level is None or not level.asked:
        return ""
    if level.is_own:
        return f"answers this sure were right {level.right} of {level.asked} times in this project"
    return f"not yet measured here ({level.right} of {level.asked} on Hindcast's own test set)"


def percent(share: float) -> str:
    """A share as people say it; certainty is never claimed."""
    return f"{min(max(round(100 * share), 0 if share <= 0 else 1), 99)} %"


def _title(case: Case) -> str:
    return full_stop(one_line(case.title, TITLE_CHARS_MAX) or "(no title)")


def _fix(fix: Advice) -> str:
    return full_stop(first_sentence(fix.action, FIX_CHARS_MAX))


def _ending(case: Case, ref: str, fixes: Sequence[Advice], occurrences: Sequence[Case]) -> str:
    took = case.minutes_to_resolve
    after = f" in {duration(took)}" if took is not None else ""
    if fixes and fixes[0].record == ref:
        who = f" by {fixes[0].by[0]}" if fixes[0].by else ""
        on, until = _held(fixes[0], occurrences)
        said = f"{on}{who}{after}{until}" if on else f"{after}{who}"
        return f"Fixed{said}: {_fix(fixes[0])}"
    if fixes:
        return f"What ended it in {plain_name(fixes[0].record)}: {_fix(fixes[0])}"
    if case.resolution is not None and case.resolution.text.strip():
        return "What ended it then is not proposed; see why below."
    if case.state is CaseState.RESOLVED and took is not None:
        return f"It was over after {duration(took)}; what ended it is not recorded."
    return "How it ended is not recorded."


def _held(fix: Advice, occurrences: Sequence[Case]) -> tuple[str, str]:
    """When a fix was made, and until when it held, where no other incident came in between: that is asked first."""
    if fix.fixed_at is None or fix.held_until is None or fix.held_until in [one.occurred_at for one in occurrences]:
        return "", ""
    on, until = day(fix.fixed_at), day(fix.held_until)
    back = f"{fix.held_until.astimezone(UTC):%H:%M} UTC that day" if on == until else until
    return f" on {on}", f", held until {back}"
