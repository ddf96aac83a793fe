"""The law of answers: what stands together in an answer stands together in one cited record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hindcast.model.case import Case
from hindcast.reason.wording import duration

# Shorter texts are found in many records by chance; longer ones are cut in some doors.
KEY_CHARS = 36
KEY_CHARS_MIN = 26
# Sentences about several records, which they name: each fact is of one of them.
COMPARING = re.compile(r"Disputed:|Note:|Since:|made it worse in |gives? another cause|agree on “|ended with “")
# Rounding of seconds and of minutes.
MINUTES_OFF_MAX = 0.6

_REF = re.compile(r"(?:[\w.-]+:)?(?:cases|cautions|runbooks)/[^\s\[\]`,\"]+?@\d+")
_NUMBERED = re.compile(r"\[(\d+)\]")
_ROW = "\x00"
_DEEDS = re.compile(r"([\w .'-]+?): ((?:fixed it|found the cause|tried something|was there)[^;,]*)")
_FIXED = re.compile(r"Fixed(?P<how>[^:]*): (?P<fix>.*?)(?: \d+ incidents of this kind.*)?$", re.DOTALL)
_BY = re.compile(r"\bby (?P<who>[\w.'-]+)")
_IN = re.compile(r"\bin (?P<long>(?:less than a minute|\d+ (?:minute|hour|day)s?(?: \d+ (?:minute|hour)s?)?))")


@dataclass(frozen=True)
class Records:
    """The records that answers may cite, by how they are cited."""

    cases: Mapping[str, Case]
    _facts: list[str] = field(default_factory=list)

    def case(self, ref: str) -> Case | None:
        """The case behind a reference; None: it is something else."""
        return self.cases.get(ref)

    def facts(self) -> list[str]:
        """The beginnings of everything that is recorded as cause, fix, attempt or means."""
        if not self._facts:
            keys = {plain(text)[:KEY_CHARS].strip() for case in self.cases.values() for text in texts_of(case)}
            self._facts.extend(sorted(key for key in keys if len(key) >= KEY_CHARS_MIN))
        return self._facts


def texts_of(case: Case) -> Iterator[str]:
    """What a record says of its cause, of what was tried, and of what ended it, with commands and settings."""
    if case.cause is not None:
        yield case.cause.text
    for one in (*case.attempts, *((case.resolution,) if case.resolution is not None else ())):
        yield getattr(one, "action", "") or getattr(one, "text", "")
        yield from (text for text in (one.command, one.config, one.diff) if text.strip())
        yield from (each.quote for each in one.evidence)


def plain(text: str) -> str:
    """A text as it can be found in every door: no marks, no case, single blanks."""
    return " ".join(re.sub(r"[^\w]+", " ", text.casefold()).split())


# What answers are made of.


def broken(told: Mapping[str, Any], records: Records) -> list[str]:
    """What an answer, as JSON values, says of one record that this record does not say."""
    found: list[str] = []
    lead = _lead(told, records)
    if lead is not None:
        found += _unless(_is_minutes(told["minutes"], lead), f"{lead.id} did not take {told['minutes']} minutes")
        found += _unless(_at(told["occurred_at"]) == lead.occurred_at, f"{lead.id} was not at {told['occurred_at']}")
        found += headline_breaks(told["headline"], lead)
    if told["cause"] is not None:
        found += _breaks_cause(told["cause"], records)
    for advice in (*told["fixes"], *told["avoid"]):
        found += advice_breaks(advice, records)
    for one in told["others"]:
        found += _breaks_other(one, records)
    for person in told["people"]:
        found += person_breaks(person["text"], person["evidence"], records)
    for one in told["tried"]:
        found += _breaks_try(one, records)
    return found


def _lead(told: Mapping[str, Any], records: Records) -> Case | None:
    name = told["case"].rpartition(":")[2]
    own = [case for ref, case in records.cases.items() if ref.rpartition("@")[0].endswith(f"cases/{name}")]
    same = [case for case in own if case.occurred_at == _at(told["occurred_at"])] if name else []
    return same[0] if same else None


def _at(value: Any) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def _unless(is_kept: bool, what: str) -> list[str]:
    return [] if is_kept else [what]


def _is_minutes(minutes: float | None, case: Case) -> bool:
    own = case.minutes_to_resolve
    return minutes is None if own is None else minutes is not None and abs(own - minutes) <= MINUTES_OFF_MAX


def _breaks_cause(cause: Mapping[str, Any], records: Records) -> list[str]:
    case = records.case(cause["evidence"][0])
    own = case.cause.text if case is not None and case.cause is not None else ""
    return _unless(
        len(cause["evidence"]) == 1 and plain(cause["text"]) in plain(own), f"{cause['evidence']}: {cause['text']}"
    )


def advice_breaks(advice: Mapping[str, Any], records: Records) -> list[str]:
    """What an advice says that is not in its first record."""
    ref = advice["evidence"][0]
    case = records.case(ref)
    if case is None:
        # Somebody's word about a card: it is no incident, and has no means.
        return _unless(not any(advice.get(name) for name in ("command", "config", "diff")), f"{ref} has means")
    ending = (case.resolution,) if case.resolution is not None else ()
    deeds = (*case.attempts, *ending)
    said = [plain(getattr(one, "action", "") or getattr(one, "text", "")) for one in deeds]
    words = set(plain(advice["action"]).split())
    found = _unless(any(words <= set(text.split()) for text in said), f"{ref} does not say {advice['action']!r}")
    for name in ("command", "config", "diff"):
        text = advice.get(name, "").strip()
        found += _unless(not text or text in {getattr(one, name).strip() for one in deeds}, f"{ref} has no {text!r}")
    people = {plain(one.by) for one in deeds}
    found += [f"{ref} names no {name}" for name in advice.get("by", ()) if plain(name) not in people]
    quotes = [plain(each.quote) for one in deeds for each in one.evidence]
    for quote in advice.get("happened", ()):
        is_said = any(text.startswith(plain(quote)) for text in quotes)
        found += _unless(is_said, f"{ref} does not say {quote!r}")
    times = {one.at for one in deeds} | {case.resolved_at, case.occurred_at}
    fixed_at = _at(advice.get("fixed_at"))
    found += _unless(fixed_at is None or fixed_at in times, f"{ref} did not end at {fixed_at}")
    for each in advice.get("elsewhere", ()):
        found += _breaks_try({"evidence": each.get("evidence", each.get("record")), **each}, records)
    return found


def _breaks_try(one: Mapping[str, Any], records: Records) -> list[str]:
    case = records.case(one["evidence"])
    if case is None:
        return [f"{one['evidence']} is no case"]
    said = [plain(each.action) for each in case.attempts]
    said += [plain(case.resolution.text)] if case.resolution is not None else []
    words = set(plain(one["action"]).split())
    return _unless(any(words <= set(text.split()) for text in said), f"{one['evidence']}: {one['action']!r}")


def _breaks_other(one: Mapping[str, Any], records: Records) -> list[str]:
    ref = one.get("evidence") or one["record"]
    case = records.case(ref)
    if case is None:
        return [f"{ref} is no case"]
    found = _unless(_is_minutes(one["minutes"], case), f"{ref} did not take {one['minutes']}")
    found += _unless(_at(one["occurred_at"]) == case.occurred_at, f"{ref} was not at {one['occurred_at']}")
    found += _unless(plain(one["title"]) == plain(case.title), f"{ref} is not {one['title']!r}")
    return found + (_breaks_try({"evidence": ref, "action": one["fix"]}, records) if one["fix"] else [])


def person_breaks(text: str, evidence: Sequence[str], records: Records) -> list[str]:
    """What is said of a person that the first record does not say."""
    case = records.case(evidence[0])
    found = _DEEDS.match(text)
    if case is None or found is None:
        return [f"{evidence[0]}: {text}"]
    name, deeds = plain(found[1]), found[2]
    fixed = plain(case.resolution.by) if case.resolution is not None else ""
    why = plain(case.cause.by) if case.cause is not None else ""
    return [
        *_unless("fixed it" not in deeds or name == fixed, f"{evidence[0]}: {text}"),
        *_unless("found the cause" not in deeds or name == why, f"{evidence[0]}: {text}"),
    ]


def headline_breaks(headline: str, lead: Case) -> list[str]:
    """What the sentence that says it all says and its incident does not."""
    found = _FIXED.search(headline)
    if found is None:
        return []
    who, long = _BY.search(found["how"]), _IN.search(found["how"])
    ending = lead.resolution
    people = {one.by for one in lead.attempts} | ({ending.by} if ending is not None else set())
    breaks = _unless(
        who is None or who["who"] in {name.split()[0] for name in people if name}, f"{lead.id}: {headline}"
    )
    took = lead.minutes_to_resolve
    return breaks + _unless(long is None or (took is not None and duration(took) == long["long"]), headline)


# What is only text.


def text_breaks(units: Iterable[tuple[str, Sequence[str]]], records: Records) -> list[str]:
    """Whatever is told in a unit of text and is not in the first record that the unit cites."""
    facts = records.facts()
    found = []
    for text, refs in units:
        told = plain(text)
        named = [*refs, *_REF.findall(text)] if COMPARING.search(text) else refs[:1]
        cases = [case for ref in named if (case := records.case(ref)) is not None]
        own = " | ".join(plain(said) for case in cases for said in texts_of(case))
        found += [f"{named} does not say {key!r}: {text[:200]}" for key in facts if key in told and key not in own]
    return found


def lines_of_pack(text: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The lines of a packed answer, each with the record it is of: without one of its own, the leading one."""
    head, *lines = text.split("\n")
    main = _REF.findall(head)[:1]
    for line in lines:
        # What came of cases that are held back is told of others, by their names.
        if line.startswith("Note:"):
            continue
        refs = _REF.findall(line.rpartition(" [")[2]) if line.endswith("]") else []
        yield line, main if not refs or "[also " in line else refs


def lines_of_markdown(text: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The lines of a document; what stands in a block belongs to the line above it."""
    body = text.partition("### What came to mind")[0]
    _, _, body = body.partition("```\n")
    refs: list[str] = []
    for line in body.split("\n"):
        own = _REF.findall(line)
        refs = own or (refs if line.startswith("  ") else [])
        if refs:
            yield line, refs


def parts_of_screen(text: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The parts of a screen between citations; commands and quotations belong to the part before them."""
    body, _, evidence = text.rpartition("\nEvidence ")
    known = dict(re.findall(r"\[(\d+)\]\s+(\S+)", " ".join(evidence.split())))
    # A row begins in the first column.
    rows = "\n".join(f"{_ROW}{line}" if line[:1].strip() else line for line in body.split("\n"))
    joined = " ".join(rows.split())
    begin = 0
    before: list[str] = []
    for found in re.finditer(r"(?:\[\d+\])+", joined):
        refs = [known[number] for number in _NUMBERED.findall(found[0]) if number in known]
        part = joined[begin : found.start()]
        means, rest = _means(part)
        if means and before:
            yield means, before
        yield rest, refs
        begin, before = found.end(), refs


def _means(part: str) -> tuple[str, str]:
    """What still belongs to the part before: all up to the next row, or else a quotation; and what comes then."""
    if _ROW in part:
        means, _, rest = part.partition(_ROW)
        return means, rest
    found = re.match(r"\s*“[^”]*”", part)
    return (found[0], part[found.end() :]) if found else ("", part)
