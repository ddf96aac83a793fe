"""Tools about code: what memory proposes to change for an incident, and deciding about one of these cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from hindcast.model.access import Permission
from hindcast.model.card import Card, CardState, CardVerdict, Deck, HeldBack, Warned
from hindcast.model.code import LineSpan
from hindcast.model.errors import Malformed, Unavailable
from hindcast.model.ids import Address
from hindcast.reason.headline import percent
from hindcast.reason.wording import counted, one_line
from hindcast.toolbox.desk import Desk
from hindcast.toolbox.naming import IncidentId, known, ref_of
from hindcast.toolbox.quoting import cited, named, quoted, quoted_whole
from hindcast.toolbox.sheet import Sheet, Tokens, refs_text
from hindcast.toolbox.tool import Arguments, Tool, ToolAnswer

if TYPE_CHECKING:
    from hindcast.fixes import Fixes

TITLE_CHARS_MAX = 200
TEXT_CHARS_MAX = 400
DIFF_CHARS_MAX = 2_000
REASON_CHARS_MAX = 4_000
# Larger files have no cards.
FILE_CHARS_MAX = 600_000
PATH_CHARS_MAX = 200

WorkspaceName = Annotated[
    str,
    Meta(max_length=200, description="Whose code; without it the only workspace there is.", examples=["shop"]),
]


class CardsArguments(Arguments, frozen=True, kw_only=True):
    """Which incident."""

    incident: IncidentId
    workspace: WorkspaceName = ""
    tokens_max: Tokens = 2_500


class DecideArguments(Arguments, frozen=True, kw_only=True):
    """What to decide about which card."""

    card: Annotated[
        str,
        Meta(max_length=200, description="The id of the card, as fix_cards shows it.", examples=["fix-1a2b3c4d5e6f"]),
    ]
    verdict: Annotated[
        Literal["accept", "reject", "modify", "undo"],
        Meta(description="accept makes the change, modify makes yours instead, undo takes a decision back."),
    ]
    reason: Annotated[str, Meta(max_length=REASON_CHARS_MAX, description="Why.", examples=["it hides the leak"])] = ""
    dont_try: Annotated[
        bool, Meta(description="With reject: warn of it whenever this failure is recalled.", examples=[True])
    ] = False
    text: Annotated[
        str,
        Meta(max_length=FILE_CHARS_MAX, description="With modify: the whole file as it shall be, every line of it."),
    ] = ""
    branch: Annotated[
        str,
        Meta(
            max_length=200,
            description="Put the change on this branch of the repository as a commit; files stay as they are.",
            examples=["fix/redis-release"],
        ),
    ] = ""
    commit: Annotated[bool, Meta(description="Commit the change where the repository stands.", examples=[True])] = False
    message: Annotated[str, Meta(max_length=REASON_CHARS_MAX, description="The message of that commit.")] = ""


def _cards(desk: Desk, given: CardsArguments) -> ToolAnswer:
    kept = known(desk.memory.now(), given.incident)
    deck = _fixes(desk).decks.deck(desk.space, kept.case.id, workspace=given.workspace, now=desk.now)
    sheet = Sheet(given.tokens_max)
    sheet.say(f"{_head(deck)}{refs_text((ref_of(kept),))}", ref_of(kept))
    cards = [_card_told(one) for one in deck.cards if _say_card(sheet, one)]
    warned = [_warned_told(one) for one in deck.warned if _say_warned(sheet, one)]
    held = [_held_told(one) for one in deck.held_back if _say_held(sheet, one)]
    for note in deck.notes:
        sheet.say(f"Note: {quoted(note, TEXT_CHARS_MAX)}", what="note", quotes=True)
    if cards:
        sheet.say("Nothing is changed yet. Show a card to a person before fix_verdict accepts it.")
    return sheet.answer(
        {
            "incident": deck.incident,
            "workspace": deck.workspace,
            "cards": cards,
            "warned": warned,
            "held_back": held,
        }
    )


def _head(deck: Deck) -> str:
    where = f"{cited(deck.incident)} in workspace {named(deck.workspace)}"
    beside = [
        *([f"{counted(len(deck.warned), 'thing')} to watch out for"] if deck.warned else []),
        *([f"{counted(len(deck.held_back), 'proposal')} held back"] if deck.held_back else []),
    ]
    told = f"; {', '.join(beside)}" if beside else ""
    if not deck.cards:
        return f"No change of code is proposed for {where}{told}."
    return f"{counted(len(deck.cards), 'card')} for {where}, best first{told}."


def _say_card(sheet: Sheet, card: Card) -> bool:
    proposal = card.proposal
    record = f"; with this team: {one_line(card.record, TEXT_CHARS_MAX)}" if card.record else ""
    state = "" if card.state is CardState.PROPOSED else f"; {card.state.value}"
    head = (
        f"- {cited(card.id)} ({proposal.severity.value}, {percent(proposal.confidence)} sure, "
        f"{proposal.source.value}{record}{state}): {quoted(proposal.title, TITLE_CHARS_MAX)} in "
        f"{_where(proposal.edit.path, proposal.lines)}, +{card.added} -{card.removed}{refs_text(proposal.evidence)}"
    )
    lines = [head, f"  Diff: {quoted_whole(card.diff, DIFF_CHARS_MAX)}"]
    for name, text in (("Why", proposal.why), ("Shown again", card.again), ("Risk", proposal.risk)):
        if text.strip():
            lines.append(f"  {name}: {quoted(text, TEXT_CHARS_MAX)}")
    if proposal.tests:
        lines.append(f"  Tests: {quoted('; '.join(proposal.tests), TEXT_CHARS_MAX)}")
    return sheet.say("\n".join(lines), *_records(proposal.evidence), what="card", quotes=True)


def _say_warned(sheet: Sheet, one: Warned) -> bool:
    line = f"- Watch out, {_where(one.path, one.lines)}: {quoted(one.text, TEXT_CHARS_MAX)}{refs_text(one.evidence)}"
    return sheet.say(line, *_records(one.evidence), what="warning", quotes=True)


def _say_held(sheet: Sheet, one: HeldBack) -> bool:
    what = f"{quoted(one.title, TITLE_CHARS_MAX)} in {named(one.path, PATH_CHARS_MAX)}"
    line = f"- Held back, do not try: {what}: {quoted(one.reason, TEXT_CHARS_MAX)}{refs_text(one.evidence)}"
    return sheet.say(line, *_records(one.evidence), what="proposal held back", quotes=True)


def _records(evidence: Sequence[str]) -> tuple[str, ...]:
    """What of it is a record; rules about code are none."""
    return tuple(ref for ref in evidence if "@" in ref)


def _where(path: str, lines: LineSpan) -> str:
    span = f"{lines.first}-{lines.last}" if lines.last > lines.first else str(lines.first)
    return f"{named(path, PATH_CHARS_MAX)}:{span}"


def _card_told(card: Card) -> dict[str, Any]:
    proposal = card.proposal
    return {
        "card": card.id,
        "title": one_line(proposal.title, TITLE_CHARS_MAX),
        "state": card.state.value,
        "path": proposal.edit.path,
        "first_line": proposal.lines.first,
        "last_line": proposal.lines.last,
        "diff": card.diff[:DIFF_CHARS_MAX],
        "is_diff_cut": len(card.diff) > DIFF_CHARS_MAX,
        "severity": proposal.severity.value,
        "source": proposal.source.value,
        "confidence": round(proposal.confidence, 3),
        "record": card.record,
        "why": one_line(proposal.why, TEXT_CHARS_MAX),
        "risk": one_line(proposal.risk, TEXT_CHARS_MAX),
        "tests": list(proposal.tests),
        "evidence": list(proposal.evidence),
    }


def _warned_told(one: Warned) -> dict[str, Any]:
    return {
        "path": one.path,
        "first_line": one.lines.first,
        "last_line": one.lines.last,
        "text": one_line(one.text, TEXT_CHARS_MAX),
        "evidence": list(one.evidence),
    }


def _held_told(one: HeldBack) -> dict[str, Any]:
    return {
        "title": one_line(one.title, TITLE_CHARS_MAX),
        "path": one.path,
        "source": one.source.value,
        "reason": one_line(one.reason, TEXT_CHARS_MAX),
        "evidence": list(one.evidence),
    }


def _decide(desk: Desk, given: DecideArguments) -> ToolAnswer:
    card = given.card.strip()
    verdicts, who, now = _fixes(desk).verdicts, desk.actor, desk.now
    reason = desk.clean(given.reason).strip()
    _check_fits(given)
    _check_agreed(desk, card, given.verdict)
    match given.verdict:
        case "accept":
            made = verdicts.accept(
                desk.space, card, by=who, now=now, branch=given.branch, message=given.message, is_committed=given.commit
            )
        case "modify":
            made = verdicts.modify(
                desk.space,
                card,
                given.text,
                by=who,
                now=now,
                reason=reason,
                branch=given.branch,
                message=given.message,
                is_committed=given.commit,
            )
        case "reject":
            made = verdicts.reject(desk.space, card, by=who, now=now, reason=reason, is_warning=given.dont_try or None)
        case "undo":
            made = verdicts.undo(desk.space, card, by=who, now=now)
    desk.decided(made)
    record = desk.memory.now().get(Address("cards", made.card))
    return _decided(made, f"{record.address}@{record.version}")


def _check_agreed(desk: Desk, card: str, verdict: str) -> None:
    """Raise where a file would be changed and no person has said so: to reject a card changes none."""
    # Imported here: parsers of a dozen languages take their time to load, and most agents only ask.
    from hindcast.fixes.consent import check_consent
    from hindcast.fixes.keeping import card_there

    view = desk.memory.now()
    is_applied = card_there(view, card).state in (CardState.ACCEPTED, CardState.MODIFIED)
    if verdict in ("accept", "modify") or (verdict == "undo" and is_applied):
        check_consent(view, card, actor=desk.actor, now=desk.now)


def _check_fits(given: DecideArguments) -> None:
    """Raise where an argument belongs to another verdict: a model that mixes them up means something else."""
    if (given.verdict == "modify") != bool(given.text):
        raise Malformed(
            "The file as it shall be is missing." if given.verdict == "modify" else "A text comes with modify only.",
            field="text",
            remedy='Give {"verdict": "modify", "text": "the whole file"}, or accept the card as it is.',
        )
    if given.dont_try and given.verdict != "reject":
        raise Malformed(
            "Only what is rejected is warned of.", field="dont_try", remedy='Give {"verdict": "reject"} with it.'
        )


def _decided(made: CardVerdict, ref: str) -> ToolAnswer:
    path = named(made.path, PATH_CHARS_MAX)
    where = f" on branch {named(made.branch)}" if made.branch else ""
    where += f", commit {made.commit[:12]}" if made.commit else ""
    warned = "; whoever recalls it is warned not to try it" if made.is_warning else ""
    told = {
        CardState.ACCEPTED: f"accepted: {path} is changed (+{made.added} -{made.removed}){where}",
        CardState.MODIFIED: f"accepted with changes: {path} is changed (+{made.added} -{made.removed}){where}",
        CardState.REJECTED: f"rejected: {path} stays as it is, and it is not proposed again for this failure{warned}",
        CardState.UNDONE: f"taken back: {path} is as it was before it",
    }.get(made.state, made.state.value)
    text = f"{cited(made.card)} is {told}. [{cited(ref)}]"
    if made.state in (CardState.ACCEPTED, CardState.MODIFIED):
        text += f"\nTo take it back, call fix_verdict with card={cited(made.card)} and verdict=undo."
    data = {
        "card": made.card,
        "incident": made.incident,
        "workspace": made.workspace,
        "state": made.state.value,
        "path": made.path,
        "added": made.added,
        "removed": made.removed,
        "branch": made.branch,
        "commit": made.commit,
    }
    return ToolAnswer(text, data, (ref,))


def _fixes(desk: Desk) -> Fixes:
    if desk.fixes is None:
        raise Unavailable("There is no code to change here.", remedy="Use a Hindcast that has workspaces.")
    return desk.fixes()


FIX_CARDS = Tool(
    name="fix_cards",
    title="What to change in the code for an incident",
    description=(
        "List what could be changed in today's code for an incident, as cards with diffs: past fixes carried over, "
        "settings, rules. Each says how sure it is, why, its evidence, how such cards fared with this team, and what "
        "might go wrong. Also what to watch out for in the code, and what was held back because the team rejected it "
        "or it did harm: do not propose those again. It changes no file."
    ),
    arguments=CardsArguments,
    run=_cards,
)

FIX_VERDICT = Tool(
    name="fix_verdict",
    title="Decide about a proposed change",
    description=(
        "Decide about a card that fix_cards showed: accept changes the file, modify writes your own version of the "
        "whole file instead, reject teaches that it is not wanted (with `dont_try` others are warned of it), undo "
        "takes the last decision back. Before a file is changed a person has to agree with `hindcast fix allow CARD`; "
        "that lasts an hour, and without it the call is refused. If the file changed since the card was made, nothing "
        "is written: call fix_cards again."
    ),
    arguments=DecideArguments,
    run=_decide,
    permission=Permission.RESPOND,
    is_destructive=True,
    is_idempotent=False,
)
