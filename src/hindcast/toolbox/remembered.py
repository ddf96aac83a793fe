"""Tools that read memory itself: a search as of any moment on any branch, and what changed between two moments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta

from hindcast.model.answer import Alteration, Moment
from hindcast.model.errors import Missing
from hindcast.model.query import Filter, Query
from hindcast.model.record import MAIN, Json, Record
from hindcast.reason.wording import counted
from hindcast.toolbox.desk import Desk
from hindcast.toolbox.naming import At, Branch
from hindcast.toolbox.quoting import cited, named, quoted
from hindcast.toolbox.sheet import Sheet, Tokens
from hindcast.toolbox.tool import Arguments, Tool, ToolAnswer

EXCERPT_CHARS_MAX = 300
FIELDS_SHOWN_MAX = 8
WORDS_SHOWN_MAX = 8

Namespace = Annotated[
    str,
    Meta(
        max_length=128,
        description="Only records of this namespace, for example cases, incidents, runbooks or verdicts.",
        examples=["runbooks"],
    ),
]
Later = Annotated[
    str,
    Meta(
        max_length=200,
        description="A moment: a time, a commit id, a snapshot or a branch.",
        examples=["2026-10-01T12:00Z", "1 week ago"],
    ),
]


class SearchArguments(Arguments, frozen=True, kw_only=True):
    """What to search for."""

    words: Annotated[
        str, Meta(min_length=1, max_length=2_000, description="What to look for, in words.", examples=["pool size"])
    ]
    namespace: Namespace = ""
    kind: Annotated[
        str, Meta(max_length=64, description="Only records of this kind.", examples=["runbook", "case", "fact"])
    ] = ""
    at: At = ""
    branch: Branch = MAIN
    count_max: Annotated[int, Meta(ge=1, le=50, description="How many records at most.", examples=[5])] = 8
    tokens_max: Tokens = 1_500


class DiffArguments(Arguments, frozen=True, kw_only=True):
    """Which two moments."""

    before: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=200,
            description="The earlier moment: a time, a commit id, a snapshot or a branch.",
            examples=["1 week ago", "2026-10-01T12:00Z"],
        ),
    ]
    after: Later = ""
    branch: Branch = MAIN
    namespace: Namespace = ""
    tokens_max: Tokens = 1_500


def _search(desk: Desk, given: SearchArguments) -> ToolAnswer:
    view = desk.view(given.at, given.branch)
    wanted = Filter(namespace=given.namespace or None, kind=given.kind or None)
    found = view.search(Query(given.words, wanted, given.count_max))
    sheet = Sheet(given.tokens_max)
    when = f" as of {named(given.at)}" if given.at.strip() else ""
    sheet.say(
        f"{counted(len(found.hits), 'record')} found{when}, the best first." if found.hits else _none(desk, given)
    )
    told = []
    for hit in found.hits:
        record = hit.record
        ref = ref_of(record)
        why = f"; matched {', '.join(named(word) for word in hit.matched[:WORDS_SHOWN_MAX])}" if hit.matched else ""
        text = excerpt(record)
        head = f"[{cited(ref)}] {record.kind}, learnt {record.learned_at:%Y-%m-%d}{why}"
        line = f"- {head}: {quoted(text, EXCERPT_CHARS_MAX)}"
        if sheet.say(line, ref, what="record", quotes=True):
            told.append(_told(record) | {"text": text[:EXCERPT_CHARS_MAX], "matched": list(hit.matched)})
    for note in found.notes:
        sheet.say(f"Note: {note}")
    return sheet.answer({"records": told, "at": given.at or None, "branch": given.branch})


def _none(desk: Desk, given: SearchArguments) -> str:
    names = desk.view(given.at, given.branch).namespaces()
    if not names:
        return "Nothing found: this memory was empty at that moment." if given.at else "Nothing found: memory is empty."
    held = ", ".join(f"{named(name)} ({count})" for name, count in sorted(names.items())[:12])
    return f"Nothing found. Namespaces at that moment: {held}. Try other words or leave namespace and kind out."


def excerpt(record: Record) -> str:
    """What a record says, for somebody who has not asked for the whole of it."""
    if record.text and record.text.strip():
        return record.text
    return "; ".join(_strings(record.body))


def _strings(body: Json) -> Iterator[str]:
    """What a body says, its title first; below that a value is told with the name of its field."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, Mapping):
        for name in sorted(body, key=lambda name: (name != "title", name != "text")):
            yield from (part if name in ("title", "text") else f"{name}: {part}" for part in _strings(body[name]))
    elif isinstance(body, Sequence):
        yield from (part for one in body for part in _strings(one))
    elif body is not None:
        yield str(body)


def ref_of(record: Record) -> str:
    """What to cite for a record."""
    return f"{record.address}@{record.version}"


def _told(record: Record) -> dict[str, Any]:
    return {
        "record": ref_of(record),
        "kind": record.kind,
        "occurred_at": record.occurred_at.isoformat(),
        "learned_at": record.learned_at.isoformat(),
        "actor": record.actor,
    }


def _diff(desk: Desk, given: DiffArguments) -> ToolAnswer:
    before = _resolved(desk, given.before, given.branch, field="before")
    after = _resolved(desk, given.after or given.branch, given.branch, field="after")
    found = desk.memory.diff(before, after)
    learned = [one for one in found.learned if given.namespace in ("", one.namespace)]
    changed = [one for one in found.changed if given.namespace in ("", one.after.namespace)]
    forgotten = [one for one in found.forgotten if given.namespace in ("", one.namespace)]
    sheet = Sheet(given.tokens_max)
    span = f"From {named(given.before)} to {named(given.after or 'now')}"
    sheet.say(f"{span}: {len(learned)} learnt, {len(changed)} changed, {len(forgotten)} forgotten.")
    data = {
        "learned_count": len(learned),
        "changed_count": len(changed),
        "forgotten_count": len(forgotten),
        "learned": [_told(one) for one in learned if _say_record(sheet, "+", one, "learnt record")],
        "changed": [_altered_told(one) for one in changed if _say_altered(sheet, one)],
        "forgotten": [_told(one) for one in forgotten if _say_record(sheet, "-", one, "forgotten record")],
    }
    return sheet.answer(data, more="Ask for moments that are closer together, one namespace, or a larger tokens_max.")


def _say_record(sheet: Sheet, sign: str, one: Record, what: str) -> bool:
    text = quoted(excerpt(one), EXCERPT_CHARS_MAX // 2)
    line = f"{sign} [{cited(ref_of(one))}] {one.kind}, by {named(one.actor)}: {text}"
    return sheet.say(line, ref_of(one), what=what, quotes=True)


def _say_altered(sheet: Sheet, one: Alteration) -> bool:
    fields = ", ".join(named(name) for name in one.fields[:FIELDS_SHOWN_MAX]) or "its whole content"
    was, now = ref_of(one.before), ref_of(one.after)
    line = f"~ [{cited(now)}] was [{cited(was)}]; changed {fields}, by {named(one.after.actor)}"
    return sheet.say(line, now, was, what="changed record")


def _altered_told(one: Alteration) -> dict[str, Any]:
    return _told(one.after) | {"was": ref_of(one.before), "fields": list(one.fields)}


def _resolved(desk: Desk, text: str, branch: str, *, field: str) -> Moment:
    try:
        return desk.view(text, branch).moment
    except Missing as error:
        where = field if error.field == "at" else error.field
        raise Missing(error.problem, field=where, remedy=error.remedy) from error


MEMORY_SEARCH = Tool(
    name="memory_search",
    title="Search everything that is remembered",
    description=(
        "Search all records of memory by words: incidents, runbooks, verdicts, facts. With `at` the answer is what was "
        "known at that moment in the past, with `branch` what an experiment holds. Each hit comes with its record id "
        "and an excerpt."
    ),
    arguments=SearchArguments,
    run=_search,
)

MEMORY_DIFF = Tool(
    name="memory_diff",
    title="What memory learnt between two moments",
    description=(
        "Compare memory at two moments: which records were learnt, changed or forgotten between `before` and `after` "
        "(now, if left out), and who wrote them. Use it for questions such as 'what did we learn since yesterday?'."
    ),
    arguments=DiffArguments,
    run=_diff,
)
