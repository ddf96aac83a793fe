"""What somebody does to code at this machine, written down in the audit trail as what comes over the network is.

Memory says what was decided about a card; the trail says so apart from it, sealed, beside everything else that people
and keys did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hindcast.cli.session import Session
from hindcast.model.card import CardState, CardVerdict
from hindcast.model.errors import HindcastError

_VERBS: Mapping[CardState, str] = {
    CardState.ACCEPTED: "accept",
    CardState.MODIFIED: "modify",
    CardState.REJECTED: "reject",
    CardState.UNDONE: "undo",
}


def noted(session: Session, what: str, subject: str) -> None:
    """Write down what was done. It is done, whether or not the trail can be written; that it could not be is told."""
    from hindcast.cli.accounts import opened

    try:
        with opened(session) as access:
            by = replace(access.operator, actor=session.who)
            access.audit.record(by, what, space=session.settings.space, subject=subject)
    except HindcastError as error:
        session.hint(f"This is not in the audit trail: {error.problem}")


def decided(session: Session, verdict: CardVerdict) -> None:
    """Write down what somebody decided about a card."""
    noted(session, f"{_VERBS.get(verdict.state, 'decide')} card", verdict.card)
