"""What is held back: what the team rejected, what made it worse, what does not fit, and what nobody may touch.

Each proposal passes, or is held back with a reason in words. What two sources propose alike is one proposal that rests
on the evidence of both.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from hindcast.model.action import same_action
from hindcast.model.card import Card, CardSource, CardVerdict, HeldBack, Proposal
from hindcast.model.code import SourceFile, Tongue
from hindcast.model.errors import HindcastError
from hindcast.ports import Code
from hindcast.propose.carry.lex import Sort, lex
from hindcast.propose.carry.syntax import faults, has_grammar
from hindcast.propose.dealt import hunks_of
from hindcast.propose.harm import Harm, is_repeated, turned_by
from hindcast.propose.settings.reading import is_configuration, settings_in

# Which source speaks where several propose the same: what is known to have worked before what is known to be wrong.
_LEADING = (
    CardSource.CARRIED_OVER,
    CardSource.SETTING,
    CardSource.TEAM_RULE,
    CardSource.LINTER,
    CardSource.MODEL,
)
# Two sources that agree are surer than each, and nothing is ever certain.
_SURE_MAX = 0.99
_SECRETS = (
    r"(?:^|/)(?:secrets?(?:/|\.[\w.]+$)|credentials(?:/|$|\.\w+$)|\.(?:netrc|npmrc|pypirc|pgpass|ssh|gnupg|aws)(?:/|$)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)$|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg)$)"
)
# The first that fits names what a file is; nothing in these is changed by a card.
_FORBIDDEN = tuple(
    (name, re.compile(pattern, re.I))
    for name, pattern in (
        ("the repository's own records", r"(?:^|/)\.(?:git|hg|svn|jj)(?:/|$)"),
        # These make git fetch from elsewhere, or run something over every file.
        ("what git itself goes by", r"(?:^|/)\.(?:gitmodules|gitattributes|gitconfig|lfsconfig)$"),
        (
            "a lock file, which its tool writes",
            r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.ya?ml|go\.sum|[^/]*\.lock|[^/]*\.lockb)$",
        ),
        ("where secrets are kept", _SECRETS),
        (
            "somebody else's code, which the next update brings back",
            r"(?:^|/)(?:node_modules|bower_components|vendor|third_party|site-packages|\.venv|venv|\.tox)/",
        ),
        (
            "made by a tool, which writes it anew",
            r"(?:^|/)(?:__pycache__/|[^/]*(?:\.min\.(?:js|css)|_pb2(?:_grpc)?\.pyi?|\.pb\.go|\.g\.dart|\.generated\.\w+)$)",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Rejection:
    """What somebody did not want for this failure, with the card it was, where that is still known."""

    verdict: CardVerdict
    card: Card | None = None
    # Whether its file has no such path any more, so that the same may be proposed for another one.
    is_moved: bool = False


def unchanged(_then: str, _now: str) -> bool:
    """Nothing is known to have changed."""
    return False


@dataclass(frozen=True, slots=True)
class Grounds:
    """What proposals are held against."""

    harms: tuple[Harm, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    # Whether a record tells another outcome in its later version than in the earlier one; both as `cases/x@412`.
    has_turned: Callable[[str, str], bool] = unchanged
    # Larger files have no cards.
    file_bytes_max: int = 300_000


@dataclass(frozen=True, slots=True)
class Passed:
    """A proposal that may be shown, the file as it is, and why it is shown although it was rejected."""

    proposal: Proposal
    before: str
    again: str = ""


@dataclass(frozen=True, slots=True)
class Guarded:
    """What may be shown, and what may not."""

    passed: tuple[Passed, ...]
    held_back: tuple[HeldBack, ...]


class _Held(Exception):
    """Why a proposal is not shown."""

    def __init__(self, reason: str, evidence: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.evidence = evidence


def guard(found: Iterable[Proposal], code: Code, grounds: Grounds) -> Guarded:
    """Hold every proposal against what is known."""
    passed: list[Passed] = []
    held: dict[tuple[str, str, str], HeldBack] = {}
    grounds = replace(grounds, rejections=_placed(grounds.rejections, code))
    for proposal in joined(found):
        try:
            passed.append(_passed(proposal, code, grounds))
        except _Held as why:
            evidence = why.evidence or proposal.evidence
            one = HeldBack(proposal.source, proposal.title, proposal.edit.path, why.reason, evidence)
            held.setdefault((one.title, one.path, one.reason), one)
    return Guarded(tuple(passed), tuple(held.values()))


def _passed(proposal: Proposal, code: Code, grounds: Grounds) -> Passed:
    before, tongue = _fitting(proposal, code, grounds.file_bytes_max)
    _harmless(proposal, before, grounds.harms)
    return Passed(proposal, before, _again(_Changing(proposal, before, tongue), grounds))


def forbidden(path: str) -> str:
    """Why a file may not be changed by a card; empty where it may."""
    parts = path.split("/")
    if not path or path.startswith("/") or "\\" in path or "\0" in path or any(one in ("", ".", "..") for one in parts):
        return f"{path[:80]!r} is no path inside the workspace."
    # Names that some file systems take for the same: `.GIT`, `.git `, `git~1`.
    bare = "/".join(re.sub(r"(?<![\s.])[\s.]+$", "", re.sub(r"^git~\d+$", ".git", part, flags=re.I)) for part in parts)
    return next((f"{path} is {name}." for name, pattern in _FORBIDDEN if pattern.search(bare or path)), "")


def _fitting(proposal: Proposal, code: Code, bytes_max: int) -> tuple[str, Tongue]:
    """The file as it is, where the change fits it, and what it is written in."""
    edit = proposal.edit
    if why := forbidden(edit.path):
        raise _Held(why)
    file = _file(proposal, code)
    before, after = file.text if file is not None else "", edit.text or ""
    if (file.digest if file is not None else "") != edit.expected:
        raise _Held("The file changed while this was worked out; it is looked at again.")
    if before == after:
        raise _Held("It changes nothing.")
    if max(len(before.encode("utf-8", "replace")), len(after.encode("utf-8", "replace"))) > bytes_max:
        raise _Held(f"The file is too large for a card, which holds up to {bytes_max:,} bytes.")
    tongue = file.tongue if file is not None else Tongue.TEXT
    if edit.text is not None and not still_parses(edit.path, tongue, before, edit.text):
        raise _Held(f"The file would no longer be readable as {tongue}.")
    return before, tongue


def _file(proposal: Proposal, code: Code) -> SourceFile | None:
    path = proposal.edit.path
    try:
        return code.read(path)
    except HindcastError as error:
        if not proposal.edit.expected and path not in code.paths():
            return None
        raise _Held(f"The file cannot be changed: {error.problem}") from error


def still_parses(path: str, tongue: Tongue, before: str, after: str) -> bool:
    """Whether a change leaves a file at least as readable as it was, as far as its language can be read here."""
    if has_grammar(tongue):
        return faults(after, tongue) <= faults(before, tongue)
    if tongue is Tongue.JSON:
        return _reads(json.loads, after) or not _reads(json.loads, before)
    if tongue is Tongue.TOML:
        return _reads(tomllib.loads, after) or not _reads(tomllib.loads, before)
    if is_configuration(path):
        return bool(settings_in(path, after)) or not settings_in(path, before)
    return True


def _reads(reader: Callable[[str], object], text: str) -> bool:
    try:
        reader(text)
    except (ValueError, RecursionError):
        return False
    return True


def _harmless(proposal: Proposal, before: str, harms: Sequence[Harm]) -> None:
    edit = proposal.edit
    turned = turned_by(edit.path, before, edit.text or "")
    for harm in harms:
        if is_repeated(harm, proposal.action, turned):
            raise _Held(harm.told, harm.evidence)


# What the team rejected


@dataclass(frozen=True, slots=True)
class _Changing:
    """A proposal, the file as it is, and what that is written in."""

    proposal: Proposal
    before: str
    tongue: Tongue


def _placed(rejections: tuple[Rejection, ...], code: Code) -> tuple[Rejection, ...]:
    if not rejections:
        return ()
    there = frozenset(code.paths())
    return tuple(replace(one, is_moved=one.verdict.path not in there) for one in rejections)


def _again(changing: _Changing, grounds: Grounds) -> str:
    """Why a proposal is made again though it was rejected; empty where it never was."""
    told = ""
    # The latest word counts, whatever was said before it.
    for one in sorted(grounds.rejections, key=lambda one: one.verdict.at, reverse=True):
        if not _is_same(changing, one):
            continue
        told = _since(changing.proposal, one.verdict, grounds.has_turned)
        if not told:
            raise _Held(f"{_rejected(one.verdict)}.", (f"cards/{one.verdict.card}", *one.verdict.evidence))
        break
    return told


def _rejected(verdict: CardVerdict) -> str:
    at = verdict.at
    why = f": {verdict.reason.strip().rstrip('.')}" if verdict.reason.strip() else ""
    return f"Rejected by {verdict.by} on {at.day} {at:%B %Y}{why}"


def _is_same(changing: _Changing, rejection: Rejection) -> bool:
    """Whether a proposal repeats what was rejected: the same deed in the same place, the same code, the same finding.

    One fix may have several cards, which all carry its words: rejecting one says nothing about the others. Whoever
    proposes the same code again, with a comment to it or laid out otherwise, proposes the same.
    """
    verdict, card, proposal = rejection.verdict, rejection.card, changing.proposal
    is_deed = bool(proposal.action and verdict.action) and same_action(proposal.action, verdict.action)
    is_file = verdict.path == proposal.edit.path or rejection.is_moved
    if card is None or not card.diff:
        return is_deed and is_file
    path, before, after = proposal.edit.path, changing.before, proposal.edit.text or ""
    ours = _changed(before, after, changing.tongue)
    theirs = _changed(card.before, card.after, changing.tongue)
    if is_file and ours == theirs:
        return True
    if is_deed and is_file and ours.removed == theirs.removed:
        return True
    if is_deed and (set_now := _set(path, before, after)):
        return set_now == _set(card.proposal.edit.path, card.before, card.after)
    same_source = proposal.source is verdict.source and proposal.rule == card.proposal.rule
    return is_file and same_source and bool(ours.removed) and ours.removed == theirs.removed


def _set(path: str, before: str, after: str) -> frozenset[tuple[tuple[str, ...], str]]:
    """What a change sets: the words of each key, and its value."""
    return frozenset((one.words, one.value) for one in turned_by(path, before, after))


@dataclass(frozen=True, slots=True)
class _Changed:
    added: tuple[str, ...]
    removed: tuple[str, ...]


@lru_cache(maxsize=256)
def _changed(before: str, after: str, tongue: Tongue) -> _Changed:
    """What is put in and taken out, as code: neither comments nor layout count."""
    rows = [row for hunk in hunks_of(before, after) for row in hunk.lines]
    return _Changed(*(_code("\n".join(row[1:] for row in rows if row[0] == mark), tongue) for mark in "+-"))


def _code(text: str, tongue: Tongue) -> tuple[str, ...]:
    plain = tuple(token.key for token in lex(text, tongue) if token.sort is not Sort.COMMENT)
    # Where a comment is all that changes, the comment is what it is about.
    return plain or tuple(text.split())


def _since(proposal: Proposal, verdict: CardVerdict, has_turned: Callable[[str, str], bool]) -> str:
    """What has become known since it was rejected, in a sentence; empty where nothing has."""
    then = {ref.partition("@")[0]: ref for ref in verdict.evidence}
    new = [ref for ref in proposal.evidence if ref.partition("@")[0] not in then and not ref.startswith("rule/")]
    if new:
        where = ", ".join(dict.fromkeys(ref.partition("@")[0] for ref in new))
        return f"{_rejected(verdict)}. Since then {where} speaks for it as well."
    for ref in proposal.evidence:
        before = then.get(ref.partition("@")[0], ref)
        if before != ref and has_turned(before, ref):
            return f"{_rejected(verdict)}. Since then {ref.partition('@')[0]} tells another outcome."
    return ""


# What several sources propose alike


def joined(found: Iterable[Proposal]) -> tuple[Proposal, ...]:
    """Each change once: where several propose it, the leading source speaks and the evidence is everybody's."""
    alike: dict[tuple[str, str], list[Proposal]] = {}
    for proposal in found:
        alike.setdefault((proposal.edit.path, _plain(proposal.edit.text)), []).append(proposal)
    return tuple(_joined(group) for group in alike.values())


def _plain(text: str | None) -> str:
    """A text without what only formatting changes at the ends of lines."""
    return "\0" if text is None else "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def _joined(group: Sequence[Proposal]) -> Proposal:
    first, *others = sorted(group, key=lambda one: (_LEADING.index(one.source), -one.confidence))
    if not others:
        return first
    unsure = 1.0
    for source in dict.fromkeys(one.source for one in group):
        unsure *= 1 - max(one.confidence for one in group if one.source is source)
    return replace(
        first,
        why=" ".join((first.why, *_beside(first, others))),
        evidence=tuple(dict.fromkeys(ref for one in (first, *others) for ref in one.evidence)),
        confidence=round(min(max(1 - unsure, first.confidence), _SURE_MAX), 3),
        rule=first.rule or next((one.rule for one in others if one.rule), ""),
        tests=tuple(dict.fromkeys(test for one in (first, *others) for test in one.tests)),
    )


def _beside(first: Proposal, others: Sequence[Proposal]) -> Iterator[str]:
    for source in dict.fromkeys(one.source for one in others if one.source is not first.source):
        told = {
            CardSource.LINTER: "A linter finds the same",
            CardSource.TEAM_RULE: "A rule of the team finds the same",
            CardSource.SETTING: "A past setting says the same",
            CardSource.CARRIED_OVER: "A past fix did the same",
            CardSource.MODEL: "A model proposes the same",
        }[source]
        yield f"{told}."
