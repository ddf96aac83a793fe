"""Remember: commands that add to history."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from hindcast.cli import given, plain, render
from hindcast.cli.casework import redactor_of
from hindcast.cli.options import Address as AddressArgument
from hindcast.cli.options import Body, Expect, File, Kind, Occurred, OnBranch, SearchText, Why
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed
from hindcast.model.ids import Address
from hindcast.model.record import MAIN, Change, Commit, Json, State

# Twelve hex digits tell the entries of one path apart, and still fit on a line.
ENTRY_DIGEST_CHARS = 12
ADDRESSES_SHOWN_MAX = 10


def install(app: typer.Typer, panel: str) -> None:
    """Put these commands into an app."""
    verb(app, "put", panel=panel, writes=True)(put)
    verb(app, "add", panel=panel, writes=True)(add)
    verb(app, "commit", panel=panel, writes=True)(commit)
    verb(app, "retract", panel=panel, writes=True)(retract)


def put(
    session: Session,
    address: AddressArgument,
    why: Why,
    body: Body = None,
    file: File = None,
    entry: Annotated[str | None, typer.Option("--entry", metavar="NAME", help="Which entry under the path.")] = None,
    kind: Kind = None,
    text: SearchText = None,
    occurred: Occurred = None,
    branch: OnBranch = MAIN,
    expect: Expect = None,
) -> None:
    """Remember one thing at an address.

    What was there before stays in the past. The body is any JSON value.
    """
    where = Address.parse(address)
    if entry is not None:
        if where.entry not in ("", entry):
            raise Malformed("Two entries were named.", field="--entry", remedy=f"Keep #{where.entry} or {entry}.")
        where = Address(where.namespace, where.path, entry)
    held = given.read_json(*given.read_text(body, file)[:1], source=_source(body, file))
    when = given.read_when(occurred, session.now(), field="--occurred")
    _write(session, [given.change(where, held, kind=kind, text=text, occurred=when)], why, branch, expect)


def add(
    session: Session,
    address: AddressArgument,
    why: Why,
    body: Body = None,
    file: File = None,
    kind: Kind = None,
    text: SearchText = None,
    occurred: Occurred = None,
    branch: OnBranch = MAIN,
    expect: Expect = None,
) -> None:
    """Remember one more thing under a path, beside what is there.

    The entry is named after its content, so the same thing added twice is one entry.
    """
    where = Address.parse(address)
    if where.entry:
        raise Malformed(
            f"{where} names an entry.", field="address", remedy=f"Say {where.namespace}/{where.path}, or use put."
        )
    held = given.read_json(*given.read_text(body, file)[:1], source=_source(body, file))
    held, _ = redactor_of(session).document(held)
    where = Address(where.namespace, where.path, entry_name(held))
    memory = session.memory(create=True)
    if memory.now(branch).find(where) is not None:
        session.answer(
            {"commit": None, "branch": branch, "addresses": [str(where)]}, Text(f"Already remembered: {where}")
        )
        return
    when = given.read_when(occurred, session.now(), field="--occurred")
    _write(session, [given.change(where, held, kind=kind, text=text, occurred=when)], why, branch, expect)


def entry_name(body: Json) -> str:
    """What an entry is called after: its content."""
    from hindcast.memory.chain import canonical

    return hashlib.sha256(canonical(body)).hexdigest()[:ENTRY_DIGEST_CHARS]


def commit(
    session: Session,
    why: Why,
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines; - or nothing reads stdin.")] = "-",
    branch: OnBranch = MAIN,
    expect: Expect = None,
) -> None:
    """Write many changes as one step: all of them, or none.

    One JSON object on each line: {"address": "payments/pool.size", "body": 40}, with kind, text and occurred_at if you
    like, or {"address": "payments/pool.size", "retract": true}.
    """
    from pathlib import Path

    text, source = given.read_text("-" if file == "-" else None, None if file == "-" else Path(file))
    _write(session, given.read_changes(text, source=source, now=session.now()), why, branch, expect)


def retract(
    session: Session, address: AddressArgument, why: Why, branch: OnBranch = MAIN, expect: Expect = None
) -> None:
    """Say that something is no longer true. The past still shows it."""
    change = Change(Address.parse(address), state=State.RETRACTED)
    _write(session, [change], why, branch, expect, create=False)


def _source(body: str | None, file: object) -> str:
    return str(file) if file is not None else "What stdin gave" if body == "-" else "The body"


def _write(
    session: Session, changes: Sequence[Change], why: str, branch: str, expect: str | None, *, create: bool = True
) -> None:
    memory = session.memory(create=create)
    from hindcast.ingest.redact import redacted_record

    head = given.commit_id(expect, memory.at)
    clean = redactor_of(session)
    found: Counter[str] = Counter()
    ready = []
    for change in changes:
        without, counts = redacted_record(clean, change)
        ready.append(without)
        found.update(counts)
    made = memory.commit(ready, actor=session.who, why=clean.text(why).text, branch=branch, expected_head=head)
    addresses = [str(change.address) for change in changes]
    session.answer(
        {"commit": plain.commit(made), "branch": branch, "addresses": addresses, "redacted": dict(found)},
        _written(made, changes),
    )
    if found:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(found.items()))
        session.hint(f"Secrets were taken out: {kinds}. Memory keeps none; see redact_off in the settings.")


def _written(made: Commit, changes: Sequence[Change]) -> Text:
    line = Text.assemble((render.short(made.id), "yellow"), f" on {made.branch}: ")
    for number, change in enumerate(changes[:ADDRESSES_SHOWN_MAX]):
        verb_said = "remembered" if change.state is State.LIVE else "retracted"
        line.append(f"{', ' if number else ''}{verb_said} ")
        line.append(str(change.address), style="cyan")
    if len(changes) > ADDRESSES_SHOWN_MAX:
        line.append(f" and {len(changes) - ADDRESSES_SHOWN_MAX:,} more")
    return line
