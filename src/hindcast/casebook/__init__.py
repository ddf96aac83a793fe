"""The casebook: what a team knows about its incidents, one record for each, completed by people and by measurement.

`Casebook` is its door. What a person says about a case is a function from a case to a case (`people`), and so is what
detection makes of an incident (`incident`); the casebook applies them to what is there when it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from hindcast.casebook.layout import CASES, Kept, address_of, change_of, kept_of, readable, says_the_same
from hindcast.casebook.writing import write
from hindcast.memory import Memory, View
from hindcast.model.case import Case, CaseState
from hindcast.model.errors import Missing, Refused, Stale
from hindcast.model.query import Filter
from hindcast.model.record import MAIN, Change

# How the ids of detected incidents begin, before the time, as in `inc-20261115-0203-payment`.
DETECTED = "inc-"
DETECTED_PER_PAGE = 200

Edit = Callable[[Case], Case]
# What becomes of a case that is known when the same case is handed over again: the known one first.
Settle = Callable[[Case, Case], Case]
# What becomes of several cases at once, in the order in which they were named.
Revision = Callable[[Sequence[Kept]], Sequence[Kept]]


@dataclass(frozen=True, slots=True)
class Written:
    """What became of many cases, by their ids."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()

    @property
    def has_changes(self) -> bool:
        """Whether anything was written at all."""
        return bool(self.new or self.changed)


def newest(_: Case, given: Case) -> Case:
    """What is handed over replaces what is known."""
    return given


class Casebook:
    """The cases of one space, on one branch."""

    def __init__(self, memory: Memory, *, branch: str = MAIN) -> None:
        self._memory = memory
        self._branch = branch

    # Reading

    def find(self, case_id: str) -> Case | None:
        """One case, or None."""
        kept = self.kept(case_id)
        return kept.case if kept is not None else None

    def case(self, case_id: str) -> Case:
        """One case. Raises Missing when there is none."""
        return _there(self.kept(case_id), case_id).case

    def kept(self, case_id: str) -> Kept | None:
        """One case with what people decided about its record, or None."""
        return kept_in(self._memory.now(self._branch), case_id)

    def every(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        states: Sequence[CaseState] = tuple(CaseState),
    ) -> tuple[Case, ...]:
        """Cases that began within a time, the newest first. What lies among them and is no case is left out."""
        wanted = replace(CASES, occurred_since=since, occurred_until=until)
        found = cases_in(self._memory.now(self._branch), wanted=wanted)
        return tuple(case for case in found if case.state in states)

    def detected(self, *, since: datetime) -> tuple[Case, ...]:
        """Cases of incidents that detection opened since a time, the oldest first; it costs no more than they are many.

        Their ids begin with the time, so they lie together in the order of addresses.
        """
        view, found = self._memory.now(self._branch), list[Case]()
        after: str | None = str(address_of(f"{DETECTED}{since.astimezone(UTC):%Y%m%d-%H%M}"))
        while after is not None:
            page = view.list(CASES, after=after, records_max=DETECTED_PER_PAGE)
            ours = [record for record in page.records if record.path.startswith(DETECTED)]
            found += [kept.case for record in ours if (kept := readable(record)) is not None]
            after = page.next if len(ours) == len(page.records) else None
        return tuple(found)

    # Writing

    def put(self, case: Case, *, actor: str, why: str) -> Written:
        """Remember one case as it is given."""
        return self.put_many([case], actor=actor, why=why)

    def put_many(self, cases: Iterable[Case], *, actor: str, why: str, settle: Settle = newest) -> Written:
        """Remember many cases; those that say nothing new are left alone, and if all do, nothing is committed.

        Of two with one id the later counts. `settle` decides what becomes of a case that is already known.
        """
        given = list({case.id: case for case in cases}.values())
        size = self._memory.limits.changes_per_commit_max
        parts = [given[start : start + size] for start in range(0, len(given), size)]
        done = [self._put_part(part, actor=actor, why=why, settle=settle) for part in parts]
        return Written(
            tuple(one for part in done for one in part.new),
            tuple(one for part in done for one in part.changed),
            tuple(one for part in done for one in part.unchanged),
        )

    def _put_part(self, cases: Sequence[Case], *, actor: str, why: str, settle: Settle) -> Written:
        outcome: dict[str, list[str]] = {}

        def plan(view: View) -> list[Change]:
            outcome.update(new=[], changed=[], unchanged=[])
            changes: list[Change] = []
            for case in cases:
                record = view.find(address_of(case.id))
                known = readable(record)
                wanted = Kept(case) if known is None else replace(known, case=settle(known.case, case))
                if record is not None and says_the_same(record, wanted):
                    outcome["unchanged"].append(case.id)
                    continue
                outcome["new" if record is None else "changed"].append(case.id)
                changes.append(change_of(wanted))
            return changes

        write(self._memory, plan, actor=actor, why=why, branch=self._branch)
        return Written(**{name: tuple(ids) for name, ids in outcome.items()})

    def change(self, case_id: str, edit: Edit, *, actor: str, why: str, expected: int | None = None) -> Case:
        """Apply what somebody says to a case as it is when it is written.

        Raises Missing when there is none, Refused when it has become part of another (say it of that one), and Stale
        when it is no longer of the `expected` version.
        """

        def apply(found: Sequence[Kept]) -> list[Kept]:
            kept = found[0]
            if kept.joined_into:
                raise Refused(
                    f"{case_id} is part of {kept.joined_into}.", field="id", remedy=f"Say it of {kept.joined_into}."
                )
            return [replace(kept, case=edit(kept.case))]

        return self.revise([case_id], apply, actor=actor, why=why, expected=expected)[0].case

    def revise(
        self, case_ids: Sequence[str], edit: Revision, *, actor: str, why: str, expected: int | None = None
    ) -> tuple[Kept, ...]:
        """Apply one decision to several cases in one commit; it may make new ones.

        `expected` is the version that the first of them was read at, for those who decide only on what they have seen.
        """
        made: list[Kept] = []

        def plan(view: View) -> list[Change]:
            found = [_there(kept_in(view, one), one) for one in case_ids]
            check_unchanged(found[0], expected)
            made[:] = edit(found)
            records = {kept.case.id: view.find(address_of(kept.case.id)) for kept in made}
            return [
                change_of(kept)
                for kept in made
                if (record := records[kept.case.id]) is None or not says_the_same(record, kept)
            ]

        write(self._memory, plan, actor=actor, why=why, branch=self._branch)
        return tuple(made)


def kept_in(view: View, case_id: str) -> Kept | None:
    """One case as a moment shows it, or None."""
    record = view.find(address_of(case_id))
    return kept_of(record) if record is not None else None


def cases_in(view: View, *, wanted: Filter = CASES) -> tuple[Case, ...]:
    """All cases that a moment shows, the newest first. What lies among them and is no case is left out."""
    kept = (readable(record) for record in view.every(wanted))
    found = [one.case for one in kept if one is not None]
    return tuple(sorted(found, key=lambda case: (case.occurred_at, case.id), reverse=True))


def check_unchanged(kept: Kept, expected: int | None) -> None:
    """Raise Stale unless a case is of the version that somebody has read."""
    if expected is not None and kept.version != expected:
        raise Stale(
            f"{kept.case.id} was changed since it was read.", field="version", remedy="Read it again, then decide."
        )


def _there(kept: Kept | None, case_id: str) -> Kept:
    if kept is None:
        raise Missing(f"There is no case {case_id!r}.", field="id", remedy="`hindcast incident list` shows them.")
    return kept


__all__ = ["Casebook", "Edit", "Kept", "Settle", "Written", "cases_in", "check_unchanged", "kept_in", "newest"]
