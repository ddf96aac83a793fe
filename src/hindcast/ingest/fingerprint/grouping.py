"""What people make of fingerprints: groups they joined and groups they split, applied after fingerprinting.

Rules are an ordered list and a later rule wins. Each occurrence walks through the rules once, in order, with the number
it has by then: a join moves it to the joined group, a split moves it out if its condition holds. So splitting what was
joined, and joining what was split, mean what they say. A rule never changes a fingerprint itself; it sticks because it
is remembered apart, and forgetting it undoes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from hindcast.ingest.fingerprint.scheme import Fingerprint, of_message, of_template, of_trace
from hindcast.ingest.trace import parse
from hindcast.model.errors import Malformed
from hindcast.model.record import Json

IDS_PER_JOIN_MAX = 1_000
CONDITION_CHARS_MAX = 500
ID_MAX = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Condition:
    """Which occurrences a split takes out: those for which everything that is given holds."""

    service: str = ""
    exception: str = ""
    # Anywhere in the message, upper and lower case alike.
    message_contains: str = ""
    # A function on the stack: the whole name, or its last part.
    function: str = ""

    def __post_init__(self) -> None:
        given = self.told()
        if not given:
            raise Malformed(
                "A split needs a condition.",
                field="by",
                remedy="Give at least one of service, exception, message_contains or function.",
            )
        for name, value in given.items():
            if len(value) > CONDITION_CHARS_MAX:
                raise Malformed(
                    f"The condition has {len(value)} characters.",
                    field=f"by.{name}",
                    remedy=f"Use at most {CONDITION_CHARS_MAX}.",
                )

    def holds(self, occurrence: Occurrence) -> bool:
        """Whether an occurrence is one of those."""
        return (
            (not self.service or occurrence.service == self.service)
            and (not self.exception or self.exception in (occurrence.exception, _last(occurrence.exception)))
            and (not self.message_contains or self.message_contains.casefold() in occurrence.message.casefold())
            and (not self.function or any(self.function in (name, _last(name)) for name in occurrence.functions))
        )

    def told(self) -> dict[str, str]:
        """What is given, by its name."""
        fields = {
            "service": self.service,
            "exception": self.exception,
            "message_contains": self.message_contains,
            "function": self.function,
        }
        return {name: value for name, value in fields.items() if value}

    def __str__(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {value!r}" for name, value in self.told().items())


@dataclass(frozen=True, slots=True)
class Join:
    """Several groups that are one: everything in `ids` goes to `into`."""

    ids: tuple[int, ...]
    into: int
    why: str = ""

    def __post_init__(self) -> None:
        if not self.ids or len(self.ids) > IDS_PER_JOIN_MAX:
            raise Malformed(
                f"A join of {len(self.ids)} groups.", field="ids", remedy=f"Name 1 to {IDS_PER_JOIN_MAX} of them."
            )
        for number in (*self.ids, self.into):
            _check_id(number)
        if set(self.ids) == {self.into}:
            raise Malformed("A group is joined with itself.", field="ids", remedy="Name another group to join it with.")

    def to_json(self) -> dict[str, Json]:
        """The rule as the body of a record. Numbers are text: JSON readers lose digits of 64-bit numbers."""
        return {"rule": "join", "ids": [written(one) for one in self.ids], "into": written(self.into), "why": self.why}


@dataclass(frozen=True, slots=True)
class Split:
    """One group that is two: what satisfies the condition leaves it for a group of its own."""

    id: int
    by: Condition
    why: str = ""

    def __post_init__(self) -> None:
        _check_id(self.id)

    @property
    def to(self) -> int:
        """The number of the new group: the same for the same split, wherever it is computed."""
        text = "\x1f".join(f"{name}={value}" for name, value in sorted(self.by.told().items()))
        digest = blake2b(f"{self.id:016x}\x1e{text}".encode("utf-8", "surrogatepass"), digest_size=8)
        return int.from_bytes(digest.digest(), "big") or 1

    def to_json(self) -> dict[str, Json]:
        """The rule as the body of a record."""
        return {"rule": "split", "id": written(self.id), "by": dict(self.by.told()), "why": self.why}


Rule = Join | Split


@dataclass(frozen=True, slots=True)
class Occurrence:
    """What a rule may ask of one failure."""

    fingerprint: int
    service: str = ""
    exception: str = ""
    message: str = ""
    functions: tuple[str, ...] = ()


def observed(message: str, *, stack: str = "", service: str = "", template: int = 0) -> tuple[Occurrence, Fingerprint]:
    """A log line as rules see it, with its fingerprint."""
    trace = (parse(stack) if stack else None) or parse(message)
    if trace is None:
        made = of_template(template, message) if template else of_message(message or stack)
        return Occurrence(made.id, service, "", message), made
    made = of_trace(trace)
    first = trace.raised[0]
    functions = tuple(frame.function for raised in trace.raised for frame in raised.frames)
    return Occurrence(made.id, service, first.type, first.message or message, functions), made


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a regrouping: the rule that applied, by its place in the list, and where it led."""

    position: int
    rule: Rule
    came_from: int
    went_to: int

    def __str__(self) -> str:
        if isinstance(self.rule, Join):
            what = f"joined {written(self.came_from)} into {written(self.went_to)}"
        else:
            what = f"split {written(self.came_from)} by {self.rule.by}, to {written(self.went_to)}"
        return f"{what} ({self.rule.why})" if self.rule.why else what


@dataclass(frozen=True, slots=True)
class Groups:
    """All rules of a space, oldest first."""

    rules: tuple[Rule, ...] = ()

    def regroup(self, occurrence: Occurrence) -> int:
        """The group an occurrence belongs to."""
        moves = self.explain(occurrence)
        return moves[-1].went_to if moves else occurrence.fingerprint

    def explain(self, occurrence: Occurrence) -> tuple[Move, ...]:
        """Every step from the fingerprint to the group; none when no rule applies."""
        moves: list[Move] = []
        now = occurrence.fingerprint
        for position, rule in enumerate(self.rules):
            goes_to = now
            if isinstance(rule, Join):
                goes_to = rule.into if now in rule.ids else now
            elif now == rule.id and rule.by.holds(occurrence):
                goes_to = rule.to
            if goes_to != now:
                moves.append(Move(position, rule, now, goes_to))
                now = goes_to
        return tuple(moves)

    def with_rule(self, rule: Rule) -> Groups:
        """The same with one more rule, which wins over those before it."""
        return Groups((*self.rules, rule))


def read_rule(body: Json) -> Rule:
    """A rule from the body of a record."""
    if not isinstance(body, Mapping) or body.get("rule") not in ("join", "split"):
        raise Malformed(
            "This is no grouping rule.", field="rule", remedy='Give an object with "rule": "join" or "split".'
        )
    why = body.get("why", "")
    if not isinstance(why, str):
        raise Malformed("A reason is text.", field="why", remedy="Write it as a string.")
    if body["rule"] == "join":
        ids = body.get("ids")
        if not isinstance(ids, list | tuple):
            raise Malformed("A join names no groups.", field="ids", remedy="Give a list of fingerprints.")
        return Join(tuple(read_id(one, field="ids") for one in ids), read_id(body.get("into"), field="into"), why)
    return Split(read_id(body.get("id"), field="id"), _read_condition(body.get("by")), why)


def read_rules(bodies: Iterable[Json]) -> Groups:
    """All rules, in the order given."""
    return Groups(tuple(read_rule(body) for body in bodies))


def _read_condition(body: Json) -> Condition:
    known = {"service", "exception", "message_contains", "function"}
    if not isinstance(body, Mapping):
        raise Malformed(
            "A split has no condition.", field="by", remedy=f"Give an object with {', '.join(sorted(known))}."
        )
    for name, value in body.items():
        if name not in known or not isinstance(value, str):
            raise Malformed(
                f"{name!r} is no condition.", field=f"by.{name}", remedy=f"Use texts named {', '.join(sorted(known))}."
            )
    return Condition(**{name: str(value) for name, value in body.items()})


def read_id(value: Json, *, field: str = "id") -> int:
    """A fingerprint as people and records write it: sixteen hex digits, or a number."""
    if isinstance(value, str):
        text = value.strip().lower().removeprefix("0x")
        if len(text) == 16 and all(char in "0123456789abcdef" for char in text):
            return _check_id(int(text, 16), field=field)
        if text.isascii() and text.isdigit() and len(text) <= 20:
            return _check_id(int(text), field=field)
    elif isinstance(value, int) and not isinstance(value, bool):
        return _check_id(value, field=field)
    raise Malformed(
        f"{str(value)[:40]!r} is not a fingerprint.",
        field=field,
        remedy="Write its sixteen hex digits, as `hindcast fingerprint` prints them.",
    )


def written(number: int) -> str:
    """A fingerprint as people read it: sixteen hex digits."""
    return f"{number:016x}"


def _check_id(number: int, *, field: str = "id") -> int:
    if not 0 < number <= ID_MAX:
        raise Malformed(f"{number} is not a fingerprint.", field=field, remedy="Take it from `hindcast fingerprint`.")
    return number


def _last(name: str) -> str:
    """The last part of a dotted, coloned or slashed name."""
    return name.replace("::", ".").replace("/", ".").replace("#", ".").replace(":", ".").rpartition(".")[2]
