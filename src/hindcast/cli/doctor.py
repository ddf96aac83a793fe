"""`hindcast doctor`: looks at everything a Hindcast needs, changes nothing, and says what to do."""

from __future__ import annotations

import typer
from rich.text import Text

from hindcast.cli.render import plural, table
from hindcast.cli.session import Session

UNWELL = 1
_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def doctor(session: Session) -> None:
    """Check configuration, stores, indexes, clocks, disk, models and who may come in; say what to do.

    It changes nothing and works while a server runs. The exit code is 1 when something is broken; what only deserves a
    look is a warning, and leaves it at 0.
    """
    from hindcast.build.doctor import examine

    checks = tuple(examine(session.read(), now=session.now()))
    broken = sum(check.level == "fail" for check in checks)
    shown = table("", "what", "found", "what to do")
    for check in checks:
        level = Text(check.level.value, style=_STYLES[check.level])
        shown.add_row(
            level, check.name, Text(check.found), Text(check.remedy, style="dim" if check.level == "ok" else "")
        )
    verdict = f"{plural(broken, 'check')} failed." if broken else "Nothing is broken."
    document = {
        "ok": not broken,
        "checks": [
            {"name": one.name, "level": one.level.value, "found": one.found, "remedy": one.remedy} for one in checks
        ],
    }
    session.answer(document, shown, Text(""), Text(verdict, style="bold red" if broken else "green"))
    if broken:
        raise typer.Exit(UNWELL)
