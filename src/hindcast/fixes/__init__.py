"""Fixes: from an incident to cards, and from cards to what people decided about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # What reads code takes its time to load; who only passes fixes on need not wait for it.
    from hindcast.fixes.decks import Decks
    from hindcast.fixes.verdicts import Verdicts


@dataclass(frozen=True, slots=True)
class Fixes:
    """What there is to propose, and what people decide about it."""

    decks: Decks
    verdicts: Verdicts
