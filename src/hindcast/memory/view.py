"""Memory at one moment: everything that can be read, whether the moment is now or long past."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hindcast.memory import search
from hindcast.model.answer import Moment, Presence
from hindcast.model.errors import Malformed, Missing, Refused
from hindcast.model.ids import Address, check_actor, check_kind, check_namespace, check_path
from hindcast.model.limits import MemoryLimits
from hindcast.model.query import EVERYTHING, Filter, Found, Hit, Looked, Page, Query, Sight
from hindcast.model.record import Record, State
from hindcast.ports import Early, Index, Store

RECORDS_PER_PAGE = 100
LIVE = (State.LIVE,)


class View:
    """What a moment shows. Reading never writes, and what a past moment shows never changes."""

    def __init__(self, store: Store, index: Index | None, moment: Moment, limits: MemoryLimits) -> None:
        self._store = store
        self._index = index
        self._limits = limits
        self._scope = moment.scope
        self.moment = moment

    @property
    def newest_step(self) -> int:
        """The newest step of the space, on whatever branch: while it stays, nothing was written."""
        return self._store.tip().seq

    def find(self, address: Address | str) -> Record | None:
        """The record at an address, or None."""
        found = self._store.get(self._scope, _askable(address))
        if found is None and isinstance(address, str):
            # Nothing can be at a malformed address, so only an empty answer needs to ask whether it is one.
            Address.parse(address)
        return found if found is not None and found.state is State.LIVE else None

    def get(self, address: Address | str) -> Record:
        """The record at an address. Missing says why there is none."""
        found = self._store.get(self._scope, _askable(address))
        if found is not None and found.state is State.LIVE:
            return found
        raise self._missing(address if isinstance(address, Address) else Address.parse(address), found)

    def _missing(self, where: Address, found: Record | None) -> Missing:
        if found is None:
            return Missing(
                f"There is nothing at {where} at this moment ({self.moment.name}).",
                field="address",
                remedy=f"See what there is: hindcast memory list {where.namespace}",
            )
        done = {State.RETRACTED: "retracted", State.ARCHIVED: "archived", State.ERASED: "erased"}[found.state]
        remedy = (
            "Its body is gone for ever."
            if found.state is State.ERASED
            else f"Earlier moments still show it: hindcast memory history {where}"
        )
        return Missing(f"{where} was {done} (version {found.version}, {found.actor}).", field="address", remedy=remedy)

    def entries(self, namespace: str, path: str) -> tuple[Record, ...]:
        """All entries that live under one path."""
        Address(namespace, path)
        wanted = Filter(namespace=namespace, prefix=path)
        found: list[Record] = []
        after: str | None = None
        while True:
            page = self.list(wanted, after=after, records_max=self._limits.records_per_page_max)
            found.extend(record for record in page.records if record.path == path)
            # A path's entries come before the paths below it.
            if page.next is None or page.records[-1].path != path:
                return tuple(found)
            after = page.next

    def list(
        self,
        wanted: Filter = EVERYTHING,
        *,
        after: str | None = None,
        records_max: int = RECORDS_PER_PAGE,
        states: Sequence[State] = LIVE,
    ) -> Page:
        """Records in address order, a page at a time."""
        check_filter(wanted)
        check_plain(after or "", field="after")
        if not 1 <= records_max <= self._limits.records_per_page_max:
            raise Refused(
                f"A page holds 1 to {self._limits.records_per_page_max} records, not {records_max}.",
                field="records_max",
                remedy="Ask for fewer and continue with `after`.",
            )
        found = self._store.page(self._scope, wanted, after=after or "", records_max=records_max + 1, states=states)
        more = len(found) > records_max
        kept = tuple(found[:records_max])
        return Page(kept, str(kept[-1].address) if more else None)

    def every(self, wanted: Filter = EVERYTHING, *, states: Sequence[State] = LIVE) -> tuple[Record, ...]:
        """All records that a filter lets through, however many pages that takes."""
        records: list[Record] = []
        after: str | None = None
        while True:
            page = self.list(wanted, after=after, records_max=self._limits.records_per_page_max, states=states)
            records.extend(page.records)
            if page.next is None:
                return tuple(records)
            after = page.next

    def namespaces(self, wanted: Filter = EVERYTHING) -> dict[str, int]:
        """How many live records each namespace holds."""
        check_filter(wanted)
        return {name: count for name, (count, _) in self._store.count(self._scope, wanted).items()}

    def count(self, wanted: Filter = EVERYTHING) -> int:
        """How many live records there are."""
        return sum(self.namespaces(wanted).values())

    def search(self, query: Query | str) -> Found:
        """The records that answer best, each with the trace of how it was found."""
        asked = Query(query) if isinstance(query, str) else query
        return search.search(self._store, self._indexed(asked), asked, self._scope)

    def look(self, query: Query, *, early: Early | None = None) -> Looked:
        """The same without reading the records, for whoever will not need all of them.

        `early` is told of some records while the search still waits for a model.
        """
        return search.look(self._store, self._indexed(query), query, self._scope, early)

    def read(self, sights: Sequence[Sight]) -> dict[int, Record]:
        """The records of what a look at this moment came upon, by version; none of those erased since."""
        return search.read(self._store, [sight.version for sight in sights])

    def _indexed(self, query: Query) -> Index:
        """The index, if there is one and it may be asked this."""
        check_query(query, self._limits)
        if self._index is None:
            raise Refused(
                "This memory was opened without an index.",
                field="search",
                remedy="Open it with a folder for its index.",
            )
        return self._index

    def presence(self, query: Query | str, *, namespaces_max: int = 50) -> tuple[Presence, ...]:
        """Which namespaces held something like this at this moment, the best matches first."""
        asked = Query(query) if isinstance(query, str) else query
        hits = self.search(replace(asked, hits_max=self._limits.hits_per_search_max)).hits
        counts = self._store.count(self._scope, asked.filter)
        grouped: dict[str, list[Hit]] = {}
        for hit in hits:
            grouped.setdefault(hit.record.namespace, []).append(hit)
        return tuple(
            Presence(name, tuple(found[: asked.hits_max]), *counts[name])
            for name, found in list(grouped.items())[:namespaces_max]
        )


def _askable(address: Address | str) -> Address | str:
    """The address, if an engine can be asked about it: some take no zero characters, none takes half characters."""
    return address if isinstance(address, Address) or address.isprintable() else Address.parse(address)


def check_filter(wanted: Filter) -> None:
    """Raise unless a filter means something."""
    if wanted.namespace is not None:
        check_namespace(wanted.namespace)
    if wanted.prefix is not None:
        if wanted.namespace is None:
            raise Malformed("A prefix needs its namespace.", field="prefix", remedy="Name the namespace as well.")
        check_path(wanted.prefix)
    if wanted.kind is not None:
        check_kind(wanted.kind)
    if wanted.actor is not None:
        check_actor(wanted.actor)
    for name in ("occurred_since", "occurred_until", "learned_since", "learned_until"):
        bound = getattr(wanted, name)
        if bound is not None and bound.tzinfo is None:
            raise Malformed(f"{bound} has no timezone.", field=name, remedy="Add one, for example +00:00.")


def check_plain(text: str, *, field: str) -> None:
    """Raise unless this is text that every engine can compare."""
    if "\0" in text or (not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text)):
        raise Malformed(f"{text[:40]!r} is not plain text.", field=field, remedy="Give what an earlier page gave.")


def check_query(query: Query, limits: MemoryLimits) -> None:
    """Raise unless a query can be asked."""
    check_filter(query.filter)
    empty = not query.text.strip() and not query.keys
    if empty or len(query.text) > limits.query_chars_max:
        raise Malformed(
            "There is nothing to search for." if empty else "The query is too long.",
            field="text",
            remedy=f"Ask with 1 to {limits.query_chars_max} characters.",
        )
    check_keys(query.keys)
    if not 1 <= query.hits_max <= limits.hits_per_search_max:
        raise Refused(
            f"A search gives 1 to {limits.hits_per_search_max} hits, not {query.hits_max}.",
            field="hits_max",
            remedy="Narrow the search with a filter instead.",
        )
    unknown = set(query.arms or ()) - set(search.ARMS)
    if unknown:
        raise Malformed(
            f"There is no arm {', '.join(sorted(unknown))}.", field="arms", remedy=f"Arms are {', '.join(search.ARMS)}."
        )
    if query.arms and not set(query.arms) - set(search.COMPARING_ARMS):
        raise Malformed(
            f"The arm {' '.join(query.arms)} finds nothing by itself: it compares what others have found.",
            field="arms",
            remedy="Ask for words, meaning or keys as well.",
        )


def check_keys(keys: Sequence[str]) -> None:
    """Raise unless these can be keys of a record."""
    if len(keys) > search.KEYS_PER_QUERY_MAX:
        raise Malformed(
            f"{len(keys)} keys in one query.", field="keys", remedy=f"Ask for at most {search.KEYS_PER_QUERY_MAX}."
        )
    for key in keys:
        check_plain(key, field="keys")
        if not 0 < len(key) <= search.KEY_CHARS_MAX:
            raise Malformed(
                f"A key of {len(key)} characters: {key[:40]!r}.",
                field="keys",
                remedy=f"A key has 1 to {search.KEY_CHARS_MAX} characters.",
            )
