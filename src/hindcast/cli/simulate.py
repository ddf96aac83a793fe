"""`hindcast simulate` and `hindcast inject`: a seeded world to watch, here or on a running instance."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from hindcast.cli import failure, given
from hindcast.cli.ingest import address, key_for
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed

SPEED_HERE = 60.0
SPEED_LIVE = 1.0
SPEED_MAX = 1_000_000.0
SECONDS_MAX = 30 * 86_400
# After a scenario is over, detection holds for a while before it says so.
AFTERWARDS_SECONDS = 210
SECONDS_MIN = 600
# The same command prints the same timeline: simulated time begins on an ordinary Tuesday afternoon unless told.
SIMULATED_START = datetime(2026, 3, 3, 14, 0, tzinfo=UTC)
_PART = re.compile(r"(\d{1,200}(?:\.\d+)?)\s*([dhms]|ms)")
_UNIT_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 0.001}

Scenarios = Annotated[
    list[str] | None,
    typer.Option("--scenario", metavar="NAME", help="What goes wrong; may be given more than once. See --list."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Same seed, same world.")]
To = Annotated[
    str | None, typer.Option("--to", metavar="URL", help="A running instance that takes OTLP; live speed only.")
]


def install(app: typer.Typer, panel: str | None = None) -> None:
    """Put these commands into an app."""
    verb(app, "simulate", panel=panel)(simulate)
    verb(app, "inject", panel=panel)(inject)


def simulate(
    session: Session,
    scenario: Scenarios = None,
    length: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="TIME", help="How long, as in 10m or 1h30m; what the scenario needs if not said."
        ),
    ] = None,
    speed: Annotated[
        float | None, typer.Option("--speed", metavar="N", help="Simulated seconds in each real one; 60, with --to 1.")
    ] = None,
    rate: Annotated[float, typer.Option("--rate", metavar="N", help="Log lines a second, averaged over a week.")] = 200,
    seed: Seed = 7,
    to: To = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="When simulated time begins; not with --to.")
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List the scenarios and stop.")] = False,
) -> None:
    """Play seven services and what goes wrong with them, and watch it being noticed.

    Without --to detection runs here, on simulated time. With --to everything is sent as real OTLP to a running
    instance at the speed of life: logs, metrics, traces, and deploys as changes. With --json each event is one line.
    """
    from hindcast.simulate import World
    from hindcast.simulate import scenario as by_name

    if show_list:
        _list(session)
        return
    wanted = [by_name(name) for name in scenario or ()]
    needed = max([SECONDS_MIN, *(one.over_after_seconds + AFTERWARDS_SECONDS for one in wanted)])
    seconds = read_seconds(length, field="--for") if length is not None else needed
    pace = _checked_speed(speed, to)
    if to is not None and at is not None:
        raise Malformed(
            "A running instance judges by its own clock.", field="--at", remedy="Leave out --at, or leave out --to."
        )
    if to is None:
        from hindcast.cli.rehearse import rehearse

        begins = given.read_when(at, session.now(), field="--at") or SIMULATED_START
        world = World(seed, wanted, rate_per_s=rate, starts_at=begins)
        interrupted = rehearse(session, world, seconds, speed=pace)
    else:
        from hindcast.cli.stream import stream

        world = World(seed, wanted, rate_per_s=rate, starts_at=session.now())
        interrupted = stream(session, world, seconds, to)
    if interrupted:
        raise typer.Exit(failure.INTERRUPTED)


def inject(
    session: Session,
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="How it fails; see `simulate --list`.")],
    service: Annotated[str, typer.Option("--service", metavar="NAME", help="Which of the seven services.")],
    errors: Annotated[int, typer.Option("--errors", metavar="N", help="How many errors.")] = 120,
    to: Annotated[
        str | None, typer.Option("--to", metavar="URL", help="A running instance; the one of the settings if not said.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="Same seed, same words.")] = None,
) -> None:
    """Send a burst of errors of one service into a running instance, at once.

    120 of them pass the fixed rule of 100 errors in 2 minutes, so an incident opens within seconds.
    """
    from hindcast.adapters.otlp_sender import OtlpSender
    from hindcast.cli.stream import Sent, send
    from hindcast.simulate import burst
    from hindcast.simulate import scenario as by_name

    now = session.now()
    chosen = int(now.timestamp() * 1_000_000) if seed is None else seed
    moment = burst(by_name(scenario), service, errors, at=now, seed=chosen)
    url = to or address(session.settings)
    sender = OtlpSender(url, space=session.settings.space, key=key_for(url, session.settings))
    sent = Sent()
    try:
        send(sender, moment, sent)
    finally:
        sender.close()
    first = moment.lines[0]
    told = {
        "scenario": scenario,
        "service": service,
        "errors": errors,
        "to": sender.where,
        "seed": chosen,
        **sent.told(),
        "first": first.message,
    }
    session.answer(
        told,
        Text.assemble(
            (f"{sent.acknowledged:,}", "bold"),
            f" errors of {service} acknowledged by {sender.where}",
            f", {sent.rejected:,} rejected: {sent.problem}" if sent.rejected else "",
        ),
        Text(f"  {first.level.name} {first.message.partition(chr(10))[0]}", style="dim"),
    )
    session.hint(f"An incident should open within seconds: hindcast incident list --space {session.settings.space}")


# --- What was asked -----------------------------------------------------------------------------------------------


def read_seconds(text: str, *, field: str) -> int:
    """A length of time as people write it: 90s, 10m, 1h30m, or a plain number of seconds."""
    bare = text.strip().lower()
    parts = _PART.findall(bare)
    written = "".join(f"{number}{unit}" for number, unit in parts)
    if bare.replace(".", "", 1).isdigit():
        seconds = float(bare)
    elif parts and written == re.sub(r"\s", "", bare):
        seconds = sum(float(number) * _UNIT_SECONDS[unit] for number, unit in parts)
    else:
        seconds = 0.0
    if not 1 <= seconds <= SECONDS_MAX:
        problem = "is not a length of time" if not parts and not seconds else "is too short or too long"
        raise Malformed(
            f"{text[: given.QUOTED_CHARS_MAX]!r} {problem}.",
            field=field,
            remedy="Write 90s, 10m, 1h30m or 2d: at least a second, at most 30 days.",
        )
    return int(seconds)


def _checked_speed(speed: float | None, to: str | None) -> float:
    if speed is None:
        return SPEED_HERE if to is None else SPEED_LIVE
    if not 0 < speed <= SPEED_MAX:
        raise Malformed(
            f"{speed:g} is no speed.", field="--speed", remedy=f"Give more than 0, at most {SPEED_MAX:,.0f}."
        )
    if to is not None and speed != SPEED_LIVE:
        raise Malformed(
            "A running instance judges by its own clock, so time cannot run faster for it.",
            field="--speed",
            remedy="Leave out --speed to send live, or leave out --to to watch detection here.",
        )
    return speed


def _list(session: Session) -> None:
    from hindcast.simulate import SCENARIOS, truth

    table = Table(box=None)
    for heading in ("scenario", "what happens", "begins with", "expected"):
        table.add_column(heading, no_wrap=heading == "scenario", overflow="fold")
    document: list[dict[str, Any]] = []
    for name, one in SCENARIOS.items():
        told = truth(one)
        table.add_row(name, one.sentence, told.origin or "–", str(told.expected))
        document.append(
            {
                "name": name,
                "sentence": one.sentence,
                "origin": told.origin,
                "services": list(told.services),
                "starts_after_seconds": told.starts_after_seconds,
                "ends_after_seconds": told.ends_after_seconds,
                "cascade": told.cascade,
                "expected": str(told.expected),
            }
        )
    session.answer({"scenarios": document}, table)
