"""`hindcast demo`: a running Hindcast with a year of history, one outage told twice, and seven services to watch."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hindcast.cli.browser import OpenBrowser, open_pages
from hindcast.cli.session import Session
from hindcast.cli.story import Story, Words

if TYPE_CHECKING:
    from hindcast.config import Settings
    from hindcast.memory import Memory
    from hindcast.seeding import Seeded

SPACE = "demo"
# The demo's own code, as a workspace, and where it lies beside the memory: no space can be called like that.
WORKSPACE = "shop"
SHOP = "shop.d"


class Part(StrEnum):
    """What of the demo is wanted."""

    RUN = "run"
    SEED = "seed"


def demo(
    session: Session,
    part: Annotated[
        Part, typer.Argument(help="`run` everything, or only `seed` a memory with a year of history.")
    ] = Part.RUN,
    scenario: Annotated[
        str, typer.Option("--scenario", metavar="NAME", help="What goes wrong; `hindcast simulate --list` tells.")
    ] = "pool-exhaustion",
    port: Annotated[int, typer.Option("--port", help="Where to listen.")] = 4318,
    rate: Annotated[int, typer.Option("--rate", metavar="N", min=1, max=2_000, help="Log lines a second.")] = 200,
    folder: Annotated[
        Path, typer.Option("--folder", help="Where the demo keeps what it learns; delete it to begin anew.")
    ] = Path(".demo"),
    browser: OpenBrowser = True,
    rounds_only: Annotated[bool, typer.Option("--rounds-only", help="Stop after the two rounds.")] = False,
) -> None:
    """Start Hindcast with its embedded engines, and show one outage twice: without memory, and with it.

    The Redis outage of six weeks ago happens again through the real port, in a space whose memory is empty and in one
    with a year of history. What fixed it then is proposed as changes of the demo's own code, which it writes beside its
    memory. Then seven services begin to log; after two quiet minutes something breaks, spreads, and recovers. Ctrl-C
    ends it; started again in the same folder, it remembers everything.

    `hindcast demo seed` only writes that year of history, into the space `demo` of your store unless you name another.
    """
    if part is Part.SEED:
        _seed(session, replace(session.settings, space=session.space or SPACE))
        return
    from hindcast.adapters.runtime import share_heaps

    share_heaps()
    from hindcast.rest.server import run, url_of
    from hindcast.simulate import scenario as by_name

    by_name(scenario)
    # On this machine and for whoever sits at it, whatever else is set for the real one.
    settings = replace(
        session.settings,
        store=str(folder.resolve()),
        telemetry="",
        index="",
        space=SPACE,
        host="127.0.0.1",
        port=port,
        auth="open",
        public_url="",
        mode="demo",
    )
    is_first = _seed(session, settings, shop=folder.resolve() / SHOP)
    words = Words(folder=folder.resolve(), space=SPACE, scenario=scenario, shop=folder / SHOP)
    story = Story(session, url_of(settings), words, is_first=is_first, rate_per_s=None if rounds_only else rate)

    def ready(token: str) -> None:
        story.begin(token)
        open_pages(url_of(settings), token, is_terminal=browser and session.err.is_terminal)

    try:
        run(settings, tell=session.hint, ready=ready)
    finally:
        story.stop()
    if story.failure is not None:
        raise story.failure


def _seed(session: Session, settings: Settings, *, shop: Path | None = None) -> bool:
    """Write the year of history, and its code into a folder where one is given; whether history was not there yet."""
    from hindcast.build import open_memory
    from hindcast.build.year import lived_year
    from hindcast.seeding import seed

    now = session.now()
    memory = open_memory(settings)
    try:
        with session.progress("Seeding") as progress:
            seeded = seed(memory, now=now, progress=progress, lived=lambda: lived_year(now))
        if shop is not None:
            _add_shop(session, settings, memory, shop)
    finally:
        memory.close()
    is_new = bool(seeded.cases or seeded.runbooks)
    session.hint(
        _said(seeded, settings.space) if is_new else f"The history is there already, in space {settings.space!r}."
    )
    return is_new


def _said(seeded: Seeded, space: str) -> str:
    """What memory has gained, and as of when it knows it."""
    when = (
        "each on the day it was known"
        if seeded.is_lived
        else "as learnt today: there is a history already, and nothing is back-dated into it"
    )
    return f"{seeded.cases} incidents and {seeded.runbooks} runbooks were written to space {space!r}, {when}."


def _add_shop(session: Session, settings: Settings, memory: Memory, shop: Path) -> None:
    """Write the demo's code and make it a workspace; what is there already stays as somebody left it."""
    from hindcast.build.shop import write_shop
    from hindcast.build.workspaces import open_workspaces
    from hindcast.seeding import ACTOR

    if not shop.exists():
        write_shop(shop, now=session.now())
    with closing(open_workspaces(settings, lambda _: memory)) as workspaces:
        workspaces.add_folder(settings.space, WORKSPACE, str(shop), by=ACTOR, now=session.now())
