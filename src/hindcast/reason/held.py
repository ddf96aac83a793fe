"""Whether a fix lasted: did the failure stay away after it, or was it back before long?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from hindcast.model.recollection import Cue, Familiarity
from hindcast.reason.pool import Member, Standing
from hindcast.reason.tries import Try
from hindcast.reason.wording import counted, plain_name

# Long enough for weekly jobs, releases and peaks to have come round twice.
HOLD_DAYS_MIN = 14


@dataclass(frozen=True, slots=True)
class Lasting:
    """How often the failure stayed away, of how often that can be told."""

    held: int = 0
    held_of: int = 0
    # What happened where it did not: "It came back 3 days later (cases/inc-…@7)."
    told: tuple[str, ...] = ()
    # When it ended the failure last, and when that was back; None: it was not seen since.
    ended_at: datetime | None = None
    back_at: datetime | None = None

    @property
    def is_short(self) -> bool:
        """Whether it never lasted, as far as can be told."""
        return self.held_of > 0 and self.held == 0


def lasting(worked: Sequence[Try], members: Sequence[Member], cue: Cue) -> Lasting:
    """How well what ended the cases lasted, judged by when the same failure was seen next."""
    held, told = 0, []
    last: tuple[datetime | None, datetime | None] = (None, None)
    endings = [one for one in worked if one.is_ending]
    for one in endings:
        back_at, ref = _next(one, members, cue)
        ended_at = max(one.at, one.member.case.occurred_at)
        if not one.member.is_foreign and (last[0] is None or ended_at > last[0]):
            last = (ended_at, back_at)
        enough = timedelta(days=HOLD_DAYS_MIN)
        if back_at is None:
            # Too early to tell is neither.
            held += 1 if cue.at - ended_at >= enough else 0
        elif back_at - ended_at >= enough:
            held += 1
        else:
            days = max((back_at - ended_at).days, 0)
            when = f"{counted(days, 'day')} later" if days else "the same day"
            told.append(f"It came back {when}{f' ({plain_name(ref)})' if ref else ''}.")
    return Lasting(held, held + len(told), tuple(told), *last)


def _next(one: Try, members: Sequence[Member], cue: Cue) -> tuple[datetime | None, str]:
    """When the failure was seen next after the case of a try: in another case, or now."""
    own = one.member
    if own.standing is Standing.CURRENT and own.remembered.familiarity is not Familiarity.SEEN:
        # What may be another failure says nothing about how long this one stayed away.
        return None, ""
    later = [
        (member.case.occurred_at, member.ref)
        for member in members
        if member.is_occurrence
        # What happens in another space happens to another system.
        and member.remembered.space == own.remembered.space
        and member is not own
        and member.case.occurred_at > own.case.occurred_at
    ]
    # A question may be mere curiosity; an incident that asks is the failure itself.
    if cue.incident and not own.is_foreign and (cue.since or cue.at) > own.case.occurred_at:
        later.append((cue.since or cue.at, ""))
    return min(later, default=(None, ""), key=lambda found: found[0])
