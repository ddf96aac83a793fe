"""`hindcast memory`: everything that versioned memory can do, in the order in which one gets to know it."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from hindcast.cli.memory import branch, keep, look, remember, time

HELP = (
    "Versioned memory: remember, look, go back in time, branch, merge.\n\n"
    "A record lives at an address, namespace/path, such as payments/pool.size, and its body is any JSON value. Every "
    "write is a commit that says who did it and why, and nothing is ever overwritten: whatever reads takes --at MOMENT "
    "(a time such as '2 days ago', a commit, a snapshot or a branch) and shows what was known then.\n\n"
    "Each command explains itself: hindcast memory COMMAND --help"
)

EPILOG = """[bold]A first walk[/bold]

[dim]# Remember something, and change it[/dim]
hindcast memory put payments/pool '{"size": 20}' --why 'from the runbook'
hindcast memory put payments/pool '{"size": 5}' --why 'saves connections'

[dim]# What is known now, what was known then, and how to find it again[/dim]
hindcast memory get payments/pool
hindcast memory get payments/pool --at '1 minute ago'
hindcast memory search connection pool

[dim]# Which commit made the difference? Take it from there, apart from the others[/dim]
hindcast memory bisect --path payments/pool --field size
hindcast memory branch create fix --at COMMIT
hindcast memory put payments/pool '{"size": 40}' --why 'load test' --branch fix

[dim]# Join it; a conflict is shown, never guessed. Then see the whole story[/dim]
hindcast memory merge fix
hindcast memory log --graph
"""


class _Ordered(TyperGroup):
    """Keeps groups beside the commands that list what they make."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401
        names = super().list_commands(ctx)
        for group, neighbour in (("branch", "branches"), ("snapshot", "snapshots")):
            names.remove(group)
            names.insert(names.index(neighbour), group)
        return names


app = typer.Typer(cls=_Ordered, no_args_is_help=True, help=HELP, epilog=EPILOG, rich_markup_mode="rich")

remember.install(app, "Remember")
look.install(app, "Look")
time.install(app, "Go back in time")
branch.install(app, "Branch and merge")
keep.install(app, "Keep")
