"""`hindcast group`: what people make of fingerprints. Joins and splits are records, so they stick and can be undone.

Each rule is one record in the namespace `groups`; a later commit wins over an earlier one.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from hindcast.cli.fingerprint import part_table, read_source
from hindcast.cli.options import At, OnBranch, Why
from hindcast.cli.render import clean
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Damaged, Malformed, Missing
from hindcast.model.ids import Address
from hindcast.model.query import Filter
from hindcast.model.record import MAIN, Change, Record

if TYPE_CHECKING:
    from hindcast.ingest.fingerprint.grouping import Groups, Rule

NAMESPACE = "groups"
KIND = "grouping"
# Twelve hex digits tell the rules of a team apart, and still fit on a line.
RULE_DIGEST_CHARS = 12

HELP = (
    "Joins and splits of failures, made by people.\n\n"
    "A fingerprint puts failures together by rules of its own; where it is wrong, say so. A join makes several groups "
    "one, a split takes some failures out of a group. What you said last wins, it is remembered with who said it and "
    "why, and nothing a machine does later undoes it."
)

app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="rich")

Fingerprints = Annotated[list[str], typer.Argument(metavar="FINGERPRINT...", help="The groups to join.")]
One = Annotated[
    str, typer.Argument(metavar="FINGERPRINT", help="Sixteen hex digits, as `hindcast fingerprint` prints.")
]
Into = Annotated[
    str | None, typer.Option("--into", metavar="FINGERPRINT", help="The group they become; the first one if not said.")
]
Service = Annotated[str, typer.Option("--service", metavar="NAME", help="Failures of this service.")]
Exception_ = Annotated[str, typer.Option("--exception", metavar="TYPE", help="Failures of this type.")]
Contains = Annotated[
    str, typer.Option("--message-contains", metavar="WORDS", help="Failures whose message has these words.")
]
Function = Annotated[
    str, typer.Option("--function", metavar="NAME", help="Failures with this function on their stack.")
]
Source = Annotated[str, typer.Argument(metavar="FILE", help="A file with a trace or a log line; - reads stdin.")]


def list_rules(session: Session, at: At = None, branch: OnBranch = MAIN) -> None:
    """List all joins and splits, oldest first: what comes later wins."""
    records = _records(session, at, branch)
    rules = [_rule(record) for record in records]
    document = {
        "rules": [
            {
                "address": str(record.address),
                "actor": record.actor,
                "learned_at": record.learned_at,
                **rule.to_json(),
                **_leads_to(rule),
            }
            for record, rule in zip(records, rules, strict=True)
        ]
    }
    if not records:
        session.answer(document, Text("Nobody has joined or split a group yet."))
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("rule", "what it does", "who", "why"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("rule", "who"))
    for record, rule in zip(records, rules, strict=True):
        table.add_row(record.path, Text(clean(_said(rule))), record.actor, Text(clean(rule.why)))
    session.answer(document, table)
    session.hint(f"Undo one: hindcast memory retract {records[-1].address} --why …")


def join(session: Session, fingerprints: Fingerprints, why: Why, into: Into = None, branch: OnBranch = MAIN) -> None:
    """Make several groups one."""
    from hindcast.ingest.fingerprint.grouping import Join, read_id

    numbers = [read_id(one, field="FINGERPRINT") for one in fingerprints]
    target = read_id(into, field="--into") if into is not None else numbers[0]
    others = tuple(dict.fromkeys(number for number in numbers if number != target))
    if not others:
        raise Malformed("One group alone cannot be joined.", field="FINGERPRINT", remedy="Name at least two groups.")
    _remember(session, Join(others, target, why), why, branch)


def split(
    session: Session,
    fingerprint: One,
    why: Why,
    service: Service = "",
    exception: Exception_ = "",
    message_contains: Contains = "",
    function: Function = "",
    branch: OnBranch = MAIN,
) -> None:
    """Take the failures that satisfy every condition given out of a group, into one of their own."""
    from hindcast.ingest.fingerprint.grouping import Condition, Split, read_id

    condition = Condition(service, exception, message_contains, function)
    _remember(session, Split(read_id(fingerprint, field="FINGERPRINT"), condition, why), why, branch)


def explain(session: Session, source: Source, service: Service = "", at: At = None, branch: OnBranch = MAIN) -> None:
    """Say to which group a failure belongs, and every step that led there: what counted, which rules applied."""
    from hindcast.ingest.fingerprint.grouping import observed, read_rules, written

    occurrence, made = observed(read_source(source), service=service)
    groups: Groups = read_rules(rule.to_json() for rule in map(_rule, _records(session, at, branch)))
    moves = groups.explain(occurrence)
    group = moves[-1].went_to if moves else made.id
    document = {
        "fingerprint": written(made.id),
        "group": written(group),
        "title": made.title,
        "moves": [{"from": written(m.came_from), "to": written(m.went_to), **m.rule.to_json()} for m in moves],
        "parts": [
            {"kind": part.kind, "value": part.value, "counts": [v.value for v in part.counts], "why": part.why}
            for part in made.parts
        ],
    }
    steps = [Text(clean(f"  {move}")) for move in moves] or [
        Text("  no join or split applies: the fingerprint is the group")
    ]
    session.answer(
        document,
        Text.assemble("group ", (written(group), "bold"), "  ", clean(made.title)),
        Text(f"fingerprint {written(made.id)}, scheme {made.scheme}"),
        part_table(made),
        *steps,
    )


for _name, _command, _writes in (
    ("list", list_rules, False),
    ("join", join, True),
    ("split", split, True),
    ("explain", explain, False),
):
    verb(app, _name, writes=_writes)(_command)


def _records(session: Session, at: str | None, branch: str) -> list[Record]:
    """The records of all rules, in the order in which they were said."""
    try:
        view = session.view(at, branch)
    except Missing:
        # Nothing was ever remembered here, so nobody has regrouped anything.
        if at is not None or branch != MAIN:
            raise
        return []
    return sorted(view.every(Filter(namespace=NAMESPACE, kind=KIND)), key=lambda record: (record.seq, record.version))


def _rule(record: Record) -> Rule:
    from hindcast.ingest.fingerprint.grouping import read_rule

    try:
        return read_rule(record.body)
    except Malformed as error:
        raise Damaged(
            f"{record.address} is no grouping rule: {error.problem}",
            field=error.field,
            remedy=f"Take it back: hindcast memory retract {record.address} --why …",
        ) from error


def _remember(session: Session, rule: Rule, why: str, branch: str) -> None:
    body = rule.to_json()
    identity = {name: value for name, value in body.items() if name != "why"}
    digest = hashlib.sha256(repr(sorted(identity.items())).encode()).hexdigest()[:RULE_DIGEST_CHARS]
    address = Address(NAMESPACE, digest)
    memory = session.memory(create=True)
    made = memory.commit(
        [Change(address, body, KIND, text=f"{_said(rule)} {why}")], actor=session.who, why=why, branch=branch
    )
    document: dict[str, Any] = {"address": str(address), "commit": made.id, **body, **_leads_to(rule)}
    session.answer(document, Text(clean(f"{_said(rule)} ({address})")))


def _leads_to(rule: Rule) -> dict[str, str]:
    """The group a split makes, which its condition decides."""
    from hindcast.ingest.fingerprint.grouping import Split, written

    return {"to": written(rule.to)} if isinstance(rule, Split) else {}


def _said(rule: Rule) -> str:
    """A rule in words."""
    from hindcast.ingest.fingerprint.grouping import Join, written

    if isinstance(rule, Join):
        return f"{', '.join(map(written, rule.ids))} joined into {written(rule.into)}"
    return f"{written(rule.id)} split by {rule.by}, to {written(rule.to)}"
