"""What goes along when a case is erased for legal duty: the cards made for it or from it, and what was said about them.

A card carries the words and the code of the fix that it was made from, so what is erased would live on in it. What
people have since applied, and wrote down as an attempt of another case, is theirs: it is named, and not touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hindcast.casebook.summaries import INCIDENT_NAMESPACE as INCIDENTS
from hindcast.experience import CARD_VERDICTS, CAUTIONS, VERDICTS
from hindcast.fixes.intents import NAMESPACE as INTENTS
from hindcast.fixes.keeping import NAMESPACE as CARDS
from hindcast.fixes.keeping import TEXTS_NAMESPACE
from hindcast.memory import Memory
from hindcast.model.answer import Erased
from hindcast.model.card import CardState
from hindcast.model.case import NAMESPACE as CASES
from hindcast.model.ids import Address
from hindcast.model.query import Filter
from hindcast.model.record import Record, State

# As `team_rules` names them, which reads code; erasing needs nothing of that.
RULES = "code-rules"
APPLIED = (CardState.ACCEPTED.value, CardState.MODIFIED.value)


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was erased, with what went along, and which cases still tell of a fix that was made from it."""

    erased: Erased
    cards: tuple[str, ...] = ()
    told_in: tuple[str, ...] = ()


def erase(memory: Memory, where: Address, *, actor: str, why: str, below: bool = False) -> Erasure:
    """Erase an address, and with a case or an incident every card that quotes it, in one commit."""
    if where.namespace not in (CASES, INCIDENTS):
        return Erasure(memory.erase(where, actor=actor, why=why, below=below))
    meant = _Meant(where, below)
    cards: dict[str, None] = {}
    told_in: dict[str, None] = {}
    for record in _versions(memory, CARDS):
        body = record.body
        if not isinstance(body, Mapping) or not meant.has_card(body):
            continue
        cards[record.path] = None
        if body.get("state") in APPLIED and not meant.has_path(body.get("incident")):
            told_in[f"{CASES}/{body.get('incident')}"] = None
    along = [one for card in cards for one in _of_card(card)]
    # What somebody said to a proposal has the proposal's words.
    along += {one.address: None for one in _versions(memory, VERDICTS) if meant.has_verdict(one.body)}
    erased = memory.erase(where, actor=actor, why=why, below=below, along=along)
    return Erasure(erased, tuple(cards), tuple(told_in))


@dataclass(frozen=True, slots=True)
class _Meant:
    """What is to be erased."""

    where: Address
    below: bool

    def has_path(self, path: object) -> bool:
        """Whether this names the incident, or one below it."""
        own = self.where.path
        return path == own or (self.below and str(path).startswith(f"{own}."))

    def has_card(self, body: Mapping[str, object]) -> bool:
        """Whether a card was made for it, or rests on it."""
        proposal = body.get("proposal")
        evidence = proposal.get("evidence") if isinstance(proposal, Mapping) else None
        refs = [str(ref).partition("@")[0].partition("/") for ref in evidence] if isinstance(evidence, list) else []
        is_source = any(name in (CASES, INCIDENTS) and self.has_path(path) for name, _, path in refs)
        return is_source or self.has_path(body.get("incident"))

    def has_verdict(self, body: object) -> bool:
        """Whether somebody spoke about what it proposed."""
        return isinstance(body, Mapping) and bool(body.get("action")) and self.has_path(body.get("case"))


def _versions(memory: Memory, namespace: str) -> Iterator[Record]:
    """Every version of everything in a namespace, on every branch: what a card once said is kept as well."""
    seen: set[int] = set()
    for branch in memory.branches():
        for newest in memory.now(branch.name).every(Filter(namespace=namespace), states=tuple(State)):
            if newest.version in seen:
                continue
            for record in memory.history(newest.address, branch.name):
                if record.version not in seen:
                    seen.add(record.version)
                    yield record


def _of_card(card: str) -> Iterator[Address]:
    """Everywhere that words of a card are kept."""
    for namespace in (CARDS, TEXTS_NAMESPACE, CARD_VERDICTS, CAUTIONS, INTENTS):
        yield Address(namespace, card)
    yield Address(RULES, f"team-{card.removeprefix('fix-')}")
