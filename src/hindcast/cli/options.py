"""The arguments and options that several commands share, each said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hindcast.cli import complete
from hindcast.model.answer import Policy

Address = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS", help="namespace/path, or namespace/path#entry.", autocompletion=complete.addresses
    ),
]
Body = Annotated[
    str | None,
    typer.Argument(metavar="BODY", help="The body as JSON; - reads it from stdin.", show_default=False),
]
File = Annotated[Path | None, typer.Option("--file", "-f", metavar="FILE", help="Read the body from a file.")]
Kind = Annotated[str | None, typer.Option("--kind", metavar="KIND", help="What sort of thing it is; fact if not said.")]
SearchText = Annotated[
    str | None,
    typer.Option("--text", metavar="WORDS", help="What search reads; the words of path and body if not said."),
]
Occurred = Annotated[
    str | None, typer.Option("--occurred", metavar="TIME", help="When it happened, if that is not now.")
]
Why = Annotated[str, typer.Option("--why", "-m", metavar="REASON", help="Why. Every step of history has a reason.")]
MaybeWhy = Annotated[
    str | None, typer.Option("--why", "-m", metavar="REASON", help="Why; a plain reason is made up if not said.")
]
Expect = Annotated[
    str | None,
    typer.Option("--expect", metavar="COMMIT", help="Write only if this commit is still the branch's head."),
]
OnBranch = Annotated[
    str,
    typer.Option("--branch", "-b", metavar="NAME", help="Which branch.", autocompletion=complete.branches),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="MOMENT",
        help="As of a time, commit, snapshot, branch or branch@time.",
        autocompletion=complete.moments,
    ),
]
Moment = Annotated[
    str,
    typer.Argument(
        metavar="MOMENT", help="A time, commit, snapshot, branch or branch@time.", autocompletion=complete.moments
    ),
]
Full = Annotated[bool, typer.Option("--full", help="Show every value whole.")]
Limit = Annotated[int, typer.Option("--limit", "-l", min=1, metavar="N", help="At most so many.")]
Words = Annotated[list[str], typer.Argument(metavar="WORDS", help="What to look for, in your own words.")]
PolicyOption = Annotated[
    Policy,
    typer.Option("--policy", help="Who wins where both sides changed a field; ask stops and writes nothing."),
]
Choose = Annotated[
    list[str] | None,
    typer.Option(
        "--choose", metavar="ADDRESS=CHOICE", help="Settle one conflict: ours, theirs, newest or a JSON body."
    ),
]
