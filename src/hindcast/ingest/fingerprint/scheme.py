"""The fingerprint of a failure: one number for all its occurrences, and the reasons for it.

A fingerprint counts what the code is responsible for (the type, the frames, an assertion's text) and leaves out what
one run is (ids, addresses, line numbers, how deep a recursion went). Each part says whether it counted, and why; the
parts that counted are all that goes into the number, so anybody can compute it again.

There are two keys. `app` counts the application's own frames, so that a new version of a framework changes nothing;
`system` counts libraries as well. The number is the first, or the second when no frame is the application's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b

from hindcast.ingest.fingerprint.machinery import ENTRIES, is_harness, is_machinery
from hindcast.ingest.fingerprint.names import is_generated, key_of, name_of
from hindcast.ingest.fingerprint.parameters import parameterised
from hindcast.ingest.trace import LIMITS, TraceLimits, parse
from hindcast.model.trace import Frame, Language, Raised, Relation, Trace

# The rules as of this day. A number made under other rules is another number: never compare across schemes.
SCHEME = "2026-11-15"

# Of one exception. Callers further out split one failure into as many groups as there are ways to reach it.
FRAMES_COUNTED_MAX = 12
# Inlining and missing symbols make long native stacks differ from build to build; three names tell a crash.
NATIVE_FRAMES_COUNTED_MAX = 3
NEAREST_MAX = 3
# The longest recursion, in frames from one call of a function to its next, that is recognised as one.
CYCLE_FRAMES_MAX = 16
# A stack that ran out shows the same calls this often, at the least.
RECURSION_TIMES_MIN = 3
TITLE_CHARS_MAX = 200

# Exceptions in which a driver passes on whatever its server said: the words are the failure.
_PASSED_ON = re.compile(
    r"(?:[\w.:$\\/-]{1,120}[.:\\/])?(?:OperationalError|DatabaseError|InterfaceError|InternalError|DBAPIError|SQLException"
    r"|PSQLException|SQL\w{1,40}Exception|PDOException|StatementInvalid|ConnectionNotEstablished|ConnectionBad"
    r"|RedisError|ResponseError|CommandError|Mongo(?:Server|Network|Db)?(?:Error|Exception)|KafkaError|KafkaException)"
)
_OVERFLOW = re.compile(r"stack[- ]?overflow|recursion", re.IGNORECASE)


class Variant(StrEnum):
    """Which key a part counts in."""

    APP = "app"
    SYSTEM = "system"


BOTH = (Variant.APP, Variant.SYSTEM)


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that was looked at, whether it counted and why."""

    # type, assertion, recursion, frame, message or template.
    kind: str
    value: str
    # The keys it counted in; none: it was left out.
    counts: tuple[Variant, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What makes two failures the same one."""

    # Unsigned, 64 bits, never 0.
    id: int
    scheme: str
    title: str
    parts: tuple[Part, ...]
    # 0 where no frame of the application's counts.
    app: int
    system: int
    # The assertion that failed and the functions nearest to the failure, as they stand in the trace: for people.
    nearest: tuple[str, ...] = ()
    # The numbers it had while no words beside frames counted, where these are others: old records know it by them.
    earlier: tuple[int, ...] = ()


def fingerprint(text: str, *, stack: str = "", template: int = 0, limits: TraceLimits = LIMITS) -> Fingerprint:
    """The fingerprint of a log line: of its stack, of a trace in its text, of its template, or of its words."""
    trace = (parse(stack, limits) if stack else None) or parse(text, limits)
    if trace is not None:
        return of_trace(trace)
    return of_template(template, text or stack) if template else of_message(text or stack)


def of_trace(trace: Trace) -> Fingerprint:
    """The fingerprint of a trace."""
    parts: list[Part] = []
    chain = [_look(raised, trace.language) for raised in _distinct(trace.raised)]
    for looked in chain:
        parts += _of_raised(looked, trace.language)
    has_app = any(part.kind in ("frame", "recursion") and Variant.APP in part.counts for part in parts)
    has_frames = any(part.kind in ("frame", "recursion") and part.counts for part in parts)
    stands = has_frames or any(part.kind == "assertion" for part in parts)
    own = has_app or trace.language is Language.NATIVE or any(part.kind == "assertion" for part in parts)
    for looked in chain:
        text = parameterised(looked.raised.message)
        if text and looked.raised.relation is not Relation.SUPPRESSED:
            why = _why_words_count(looked.raised, stands=stands, own=own)
            parts.append(Part("message", text, BOTH if why else (), why or "the stack tells more"))
    nearest = _nearest(chain)
    title = _title(chain[0].raised, _where(chain), trace.language)
    made = _made(parts, title, has_app=has_app or not has_frames, nearest=nearest)
    if not stands or not any(part.kind == "message" and part.counts for part in parts):
        return made
    before = _made([part for part in parts if part.kind != "message"], title, has_app=has_app)
    return replace(made, earlier=tuple(number for number in (before.app, before.system) if number))


def _why_words_count(raised: Raised, *, stands: bool, own: bool) -> str:
    """Why an exception's words count; empty where the stack tells more."""
    if not stands:
        return "no frame counts, so the words do"
    if not own:
        return "every frame is a library's, which fails in many ways, so the words count"
    if _PASSED_ON.fullmatch(raised.type):
        return "the type passes on what another system said, so its words count"
    return ""


def of_message(message: str) -> Fingerprint:
    """The fingerprint of words alone."""
    text = parameterised(message)
    part = Part("message", text, BOTH, "there is no stack, so the words count, less what varies in them")
    return _made([part], text[:TITLE_CHARS_MAX] or "(no message)", has_app=True)


def of_template(template: int, message: str) -> Fingerprint:
    """The fingerprint of a line by the template it was mined to: the same as long as the template is."""
    text = parameterised(message)
    parts = [
        Part("template", str(template), BOTH, "there is no stack, and the template stands for the words"),
        Part("message", text, (), "its template counts instead"),
    ]
    return _made(parts, text[:TITLE_CHARS_MAX] or "(no message)", has_app=True)


def key(parts: Iterable[Part], variant: Variant, scheme: str = SCHEME) -> int:
    """The number that the counting parts make: what anybody can compute again."""
    digest = blake2b(scheme.encode(), digest_size=8)
    for part in parts:
        if variant in part.counts:
            digest.update(f"\x1e{part.kind}\x1f{part.value}".encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest(), "big") or 1


def _made(parts: Sequence[Part], title: str, *, has_app: bool, nearest: tuple[str, ...] = ()) -> Fingerprint:
    system = key(parts, Variant.SYSTEM)
    app = key(parts, Variant.APP) if has_app else 0
    return Fingerprint(app or system, SCHEME, title, tuple(parts), app, system, nearest)


def _distinct(chain: Sequence[Raised]) -> tuple[Raised, ...]:
    """A chain without a group's wrapper and without members that are alike: how many failed at once is chance."""
    members = any(raised.relation is Relation.GROUP for raised in chain)
    kept: list[Raised] = []
    seen: set[tuple[object, ...]] = set()
    for position, raised in enumerate(chain):
        following = chain[position + 1].relation if position + 1 < len(chain) else None
        if members and following is Relation.GROUP and raised.relation is not Relation.GROUP:
            continue
        if raised.relation is Relation.GROUP:
            alike = (raised.type, *(frame.function for frame in raised.frames))
            if alike in seen:
                continue
            seen.add(alike)
        kept.append(raised)
    return tuple(kept)


def _of_raised(looked: _Looked, language: Language) -> list[Part]:
    raised = looked.raised
    parts: list[Part] = []
    if raised.relation is Relation.SUPPRESSED:
        return [Part("type", raised.type, (), "it was suppressed: cleaning up failed after the failure itself")]
    if raised.type:
        parts.append(Part("type", raised.type, BOTH, f"the type of what was {_said(raised.relation)}"))
    if raised.asserted or raised.asserted_in:
        text = _assertion(raised)
        parts.append(Part("assertion", text, BOTH, "an assertion's text is code, so it counts"))
    return parts + _frames(looked, language)


def _said(relation: Relation) -> str:
    return "raised" if relation is Relation.RAISED else f"raised ({relation.value})"


def _assertion(raised: Raised) -> str:
    if raised.asserted and raised.asserted_in:
        return f"{raised.asserted} in {raised.asserted_in}"
    return raised.asserted or raised.asserted_in


@dataclass(frozen=True, slots=True)
class _Looked:
    """One exception with what each of its frames is called, and why it cannot count (empty: it can)."""

    raised: Raised
    keys: tuple[str, ...]
    names: tuple[str, ...]
    reasons: tuple[str, ...]


def _look(raised: Raised, language: Language) -> _Looked:
    names = tuple(name_of(frame, language) for frame in raised.frames)
    keys = tuple(key_of(frame, language) for frame in raised.frames)
    return _Looked(raised, keys, names, tuple(_left_out(raised.frames, names, language)))


def _frames(looked: _Looked, language: Language) -> list[Part]:
    """Every frame, innermost first, with its reason; before them the recursion that used up the stack, if one did."""
    frames, names, reasons = looked.raised.frames, looked.keys, looked.reasons
    parts = []
    if _ran_out(looked.raised):
        cycle = _cycle([name for name, reason in zip(names, reasons, strict=True) if not reason])
        if cycle:
            parts.append(
                Part("recursion", " > ".join(cycle), BOTH, "the calls that went round until the stack ran out")
            )
            reasons = tuple(reason or "where a recursion begins and ends is chance" for reason in reasons)
    most = NATIVE_FRAMES_COUNTED_MAX if language is Language.NATIVE else FRAMES_COUNTED_MAX
    wide = [n for n in range(len(frames)) if not reasons[n]]
    system, system_repeats = _folded(wide, names, most)
    own, own_repeats = _folded([n for n in wide if frames[n].in_app], names, most)
    chosen = {Variant.APP: set(own), Variant.SYSTEM: set(system)}
    repeats = system_repeats | own_repeats
    for n, frame in enumerate(frames):
        counts = tuple(variant for variant in BOTH if n in chosen[variant])
        if counts:
            why = "the application's own" if frame.in_app else "a library's, so it counts for the system key only"
        else:
            why = reasons[n] or ("repeats the frames before it" if n in repeats else f"only the {most} nearest count")
        parts.append(Part("frame", names[n] or frame.function or frame.module or "?", counts, why))
    return parts


def _left_out(frames: Sequence[Frame], names: Sequence[str], language: Language) -> list[str]:
    """For each frame why it cannot count; empty where it can."""
    reasons: list[str] = []
    beyond = counted = False
    native = language in (Language.NATIVE, Language.RUST)
    any_named = any(frame.function for frame in frames)
    for frame, name in zip(frames, names, strict=True):
        beyond = beyond or (native and counted and is_harness(frame))
        if beyond:
            reasons.append("outside the entry point: it calls every program the same way")
        elif is_machinery(frame, language):
            reasons.append("it noticed, reported or provoked the failure")
        elif is_generated(name):
            reasons.append("it was generated while running")
        elif not name or (any_named and not frame.function and frame.module):
            reasons.append("it has no name")
        else:
            reasons.append("")
            counted = True
        beyond = beyond or (native and frame.function in ENTRIES)
    return reasons


def _ran_out(raised: Raised) -> bool:
    return _OVERFLOW.search(raised.type) is not None or "maximum recursion depth" in raised.message


def _cycle(names: Sequence[str]) -> tuple[str, ...]:
    """The names that went round, beginning with the least of them, so that the moment it stopped does not matter."""
    often = Counter(names)
    if not names or max(often.values()) < RECURSION_TIMES_MIN:
        return ()
    limit = max(2, max(often.values()) / 4)
    round_trip: list[str] = []
    for name in names:
        if often[name] >= limit and name not in round_trip:
            round_trip.append(name)
    first = round_trip.index(min(round_trip))
    return tuple(round_trip[first:] + round_trip[:first])[:CYCLE_FRAMES_MAX]


def _folded(positions: Sequence[int], names: Sequence[str], most: int) -> tuple[list[int], set[int]]:
    """The first positions without repetitions, and those that repeat: one frame like the one before, or several."""
    kept: list[int] = []
    called: list[str] = []
    repeats: set[int] = set()
    for position in positions:
        kept.append(position)
        called.append(names[position])
        for size in range(1, min(CYCLE_FRAMES_MAX, len(kept) // 2) + 1):
            if called[-1] == called[-1 - size] and called[-size:] == called[-2 * size : -size]:
                repeats.update(kept[-size:])
                del kept[-size:], called[-size:]
                break
        if len(kept) > most + CYCLE_FRAMES_MAX:
            # Whatever repeats from here on, the first ones stay.
            break
    return kept[:most], repeats


def _nearest(chain: Sequence[_Looked]) -> tuple[str, ...]:
    """What a person would call the failure: the assertion, then the first functions that are not machinery.

    An exception with few of its own is told further by its cause.
    """
    found: list[str] = []
    for looked in chain:
        raised = looked.raised
        if raised.asserted or raised.asserted_in:
            found.append(_assertion(raised))
        named = [name for name, reason in zip(looked.names, looked.reasons, strict=True) if name and not reason]
        # Where a recursion ended is chance; what went round is not.
        cycle = _cycle(named) if _ran_out(raised) else ()
        found += [name for name in named if name in cycle] if cycle else named
        if len(found) >= NEAREST_MAX:
            break
    return tuple(found[:NEAREST_MAX])


def _title(raised: Raised, where: str, language: Language) -> str:
    """What a person reads in a list: what was raised, its words without what varies, and where."""
    text = raised.asserted or parameterised(raised.message, chars_max=600)
    said = raised.type or text or "crash"
    if language is Language.NATIVE and raised.type and not raised.asserted:
        # A sanitizer's words are addresses.
        text = ""
    if raised.type and text:
        kind, colon, last = raised.type.rpartition(": ")
        said = f"{kind}: {text}" if colon and text.startswith(last) else f"{raised.type}: {text}"
    room = TITLE_CHARS_MAX - min(len(where), 80) - 4
    return f"{said[:room]} in {where[:80]}" if where else said[:TITLE_CHARS_MAX]


def _where(chain: Sequence[_Looked]) -> str:
    """The function nearest to the failure, the application's own if there is one."""
    for own in (True, False):
        for looked in chain:
            for frame, name, reason in zip(looked.raised.frames, looked.names, looked.reasons, strict=True):
                if name and not reason and frame.in_app is own:
                    return name
    return ""
