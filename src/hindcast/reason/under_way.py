"""What goes on at this moment: it is no memory yet.

Whoever pastes an error while it is happening asks about the last time. Detection has made a case of it by then, and
nothing is more like the question than that case; but it knows no cause and no end, so another one has to answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from hindcast.model.case import NOTICED_HERE, Case, CaseState
from hindcast.model.diagnosis import Claim
from hindcast.model.recollection import Familiarity, Recollection, Remembered
from hindcast.reason.pool import Member, Standing, is_foreign, ref_of
from hindcast.reason.wording import age, one_line, plain_name

# What nobody has closed for longer than this is no news.
UNDER_WAY_WITHIN = timedelta(days=1)
TITLE_CHARS_MAX = 160
# As detection writes them; what people wrote instead may be longer, and stands in quotation marks.
TITLE_WORDS_MAX = 10
TOLD_MAX = 3


def goes_on(recollection: Recollection, own: str | None) -> tuple[Remembered, ...]:
    """What came to mind and is happening now, the newest first. What goes on in other spaces is theirs.

    Asked about an incident of long ago, it is what came later, and no part of the question.
    """
    now, since = recollection.cue.at, recollection.cue.since
    if since is not None and now - since >= UNDER_WAY_WITHIN:
        return ()
    found = [
        one
        for one in recollection.remembered
        if not one.gates
        and one.familiarity is not Familiarity.NEW
        and not is_foreign(one, own)
        and _is_under_way(one.case, now)
    ]
    return tuple(sorted(found, key=lambda one: (one.case.occurred_at, one.address), reverse=True))


def telling(best: Remembered, likeliest: Sequence[Remembered], members: Sequence[Member]) -> Remembered | None:
    """The likeliest case of the failure of which somebody has said how it ended; None: there is none."""
    if not _is_untold(best.case):
        return best
    known = {
        id(member.remembered)
        for member in members
        if member.is_occurrence and member.standing is Standing.CURRENT and member.remembered.space == best.space
    }
    return next((one for one in likeliest if id(one) in known and not _is_untold(one.case)), None)


def before(recollection: Recollection, now: Sequence[Remembered]) -> Recollection:
    """What came to mind without what is happening now. How often answers were right was measured with it."""
    itself = {id(one) for one in now}
    left = tuple(one for one in recollection.remembered if id(one) not in itself)
    best = next((one for one in left if not one.gates), None)
    familiarity = best.familiarity if best is not None else Familiarity.NEW
    return replace(recollection, remembered=left, familiarity=familiarity, reliability=None)


def told(now: Sequence[Remembered], at: datetime, own: str | None) -> tuple[Claim, ...]:
    """That it is happening now, for each such case."""
    return tuple(Claim(_said(one, at), (ref_of(one, own),)) for one in now[:TOLD_MAX])


def _is_under_way(case: Case, now: datetime) -> bool:
    """Whether an incident goes on, or went quiet without anybody having said what ended it."""
    is_new = timedelta() <= now - case.occurred_at < UNDER_WAY_WITHIN
    return is_new and case.source == NOTICED_HERE and _is_untold(case)


def _is_untold(case: Case) -> bool:
    return case.state is CaseState.OPEN and (case.resolution is None or not case.resolution.text.strip())


def _said(one: Remembered, now: datetime) -> str:
    case = one.case
    title = plain_name(one_line(case.title, TITLE_CHARS_MAX).rstrip("."), words_max=TITLE_WORDS_MAX)
    doubt = "" if one.familiarity is Familiarity.SEEN else ", and it may be another failure"
    quiet = " and is quiet" if case.resolved_at is not None else ""
    what = f"{title} ({plain_name(case.id)})"
    return f"{what} began {age(case.occurred_at, now)}{quiet}; nobody has said what ended it{doubt}."
