"""`hindcast share`: let another project know what was learnt about a component that both use, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from hindcast.cli.options import MaybeWhy
from hindcast.cli.render import clean
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed

if TYPE_CHECKING:
    from hindcast.shares import Share

HELP = (
    "Shares between projects: what was learnt about a component that both use.\n\n"
    "Each side says so in its own space: one gives, the other takes. Without both nothing crosses, only cases about "
    "that component ever do, and either side can stop it at once."
)

app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="rich")

Component = Annotated[str, typer.Argument(metavar="COMPONENT", help="What both use, as in redis.")]
Giver = Annotated[str, typer.Option("--from", metavar="SPACE", help="The space that knows.")]
Receiver = Annotated[str, typer.Option("--to", metavar="SPACE", help="The space that may ask.")]


def give(session: Session, component: Component, to: Receiver, why: MaybeWhy = None) -> None:
    """Let another space recall this one's incidents about a component."""
    from hindcast import shares

    memory = session.memory(create=True)
    commit = shares.give(memory, component, to=to, actor=session.who, why=why or f"{to} may know about {component}.")
    name = shares.component_named(component)
    session.answer(
        {"side": "given", "component": name, "space": to, "commit": commit.id},
        Text(clean(f"{to} may recall what {memory.space} knows about {name}.")),
    )
    session.hint(f"They have to take it: hindcast share take {name} --from {memory.space} --space {to}")


def take(session: Session, component: Component, source: Giver, why: MaybeWhy = None) -> None:
    """Recall another space's incidents about a component, once it gives them."""
    from hindcast import shares

    memory = session.memory(create=True)
    commit = shares.take(
        memory, component, source=source, actor=session.who, why=why or f"We want to know about {component}."
    )
    name = shares.component_named(component)
    given = _agrees(session, shares.Share(shares.Side.TAKEN, name, source))
    said = f"{memory.space} recalls what {source} knows about {name}."
    session.answer(
        {"side": "taken", "component": name, "space": source, "agreed": given, "commit": commit.id},
        Text(clean(said if given else f"{memory.space} would recall what {source} knows about {name}.")),
    )
    if not given:
        session.hint(f"They have to give it: hindcast share give {name} --to {memory.space} --space {source}")


def list_shares(session: Session) -> None:
    """List what this space gives and takes, and whether the other side agrees."""
    from hindcast import shares

    found = shares.shares_of(session.memory(create=True).now())
    agreed = [_agrees(session, one) for one in found]
    document = {
        "shares": [
            {"side": one.side, "component": one.component, "space": one.space, "by": one.by, "agreed": yes}
            for one, yes in zip(found, agreed, strict=True)
        ]
    }
    if not found:
        session.answer(document, Text("Nothing is shared."))
        return
    table = Table("component", "", "space", "by", "other side", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for one, yes in zip(found, agreed, strict=True):
        way = "given to" if one.side == "given" else "taken from"
        other = Text("agrees", style="green") if yes else Text("has not agreed", style="yellow")
        table.add_row(clean(one.component), way, one.space, one.by, other)
    session.answer(document, table)


def stop(session: Session, component: Component, to: Receiver = "", source: Giver = "", why: MaybeWhy = None) -> None:
    """Take a share back; from the next question on nothing crosses."""
    from hindcast import shares

    if bool(to) == bool(source):
        raise Malformed("Stop giving or stop taking?", field="--to", remedy="Give either --to SPACE or --from SPACE.")
    side = shares.Side.GIVEN if to else shares.Side.TAKEN
    share = shares.Share(side, component, to or source)
    commit = shares.stop(session.memory(create=True), share, actor=session.who, why=why or f"{component}: no longer.")
    session.answer(
        {"side": side, "component": shares.component_named(component), "space": to or source, "commit": commit.id},
        Text(clean(f"{component} is no longer {side} {'to' if to else 'from'} {to or source}.")),
    )


verb(app, "give", writes=True, epilog="Example: hindcast share give redis --to checkout")(give)
verb(app, "take", writes=True, epilog="Example: hindcast share take redis --from platform")(take)
verb(app, "list", epilog="Example: hindcast share list --json")(list_shares)
verb(app, "stop", writes=True, epilog="Example: hindcast share stop redis --to checkout")(stop)


def _agrees(session: Session, one: Share) -> bool:
    """Whether the other space has said its half."""
    from hindcast.shares import Side, shares_of

    other = session.other(one.space)
    theirs = shares_of(other) if other is not None else ()
    wanted = Side.TAKEN if one.side is Side.GIVEN else Side.GIVEN
    ours = session.settings.space
    return any((that.side, that.component, that.space) == (wanted, one.component, ours) for that in theirs)
