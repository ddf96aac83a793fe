"""One run of one command: what was said on the command line, the memory it opens, and where its answer goes.

`verb` makes a command of a function and gives it the options that every command has. Whatever is heavy is imported only
when a memory is opened, so that help and completion stay quick.
"""

from __future__ import annotations

import difflib
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from hindcast.cli import commands, given
from hindcast.cli.plain import Plain, written
from hindcast.config import Settings, read_settings
from hindcast.config.reading import ReadSettings, read
from hindcast.model.answer import Moment
from hindcast.model.errors import HindcastError, Malformed, Missing
from hindcast.model.query import Filter
from hindcast.model.record import MAIN

if TYPE_CHECKING:
    from hindcast.memory import Memory, View
    from hindcast.ports import Clock, Progress

# Where there is no terminal there is no width; this one fits tables and still fits a review.
PIPED_WIDTH_CHARS = 120
WIDE_CHARS_MIN = 115
SPACES_SHOWN_MAX = 10

# What every run takes for the time; None: the wall clock. A test puts a clock of its own here.
clock: Clock | None = None

_WHERE = "Where and how"
Store = Annotated[
    str | None,
    typer.Option("--store", metavar="WHERE", help="A folder, or postgresql://…", rich_help_panel=_WHERE),
]
Space = Annotated[
    str | None, typer.Option("--space", metavar="NAME", help="Whose history to use.", rich_help_panel=_WHERE)
]
Actor = Annotated[str | None, typer.Option("--actor", metavar="NAME", help="Who acts.", rich_help_panel=_WHERE)]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="A settings file in TOML.", rich_help_panel=_WHERE),
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer with one JSON document.", rich_help_panel=_WHERE)]
NoColor = Annotated[bool, typer.Option("--no-color", help="Plain text; NO_COLOR does it too.", rich_help_panel=_WHERE)]

_SHARED: tuple[tuple[str, Any, Any], ...] = (
    ("store", Store, None),
    ("space", Space, None),
    ("actor", Actor, None),
    ("config", Config, None),
    ("as_json", AsJson, False),
    ("no_color", NoColor, False),
)


@dataclass
class Session:
    """What one command works with."""

    store: str | None = None
    space: str | None = None
    actor: str | None = None
    config: Path | None = None
    as_json: bool = False
    no_color: bool = False
    # The words that came after `hindcast`, to show how to go on from here.
    words: tuple[str, ...] = ()
    # Whether the command may write, and so begin a space that is not there yet.
    is_writing: bool = True
    _memory: Memory | None = field(default=None, repr=False)
    # Memories of other spaces that were looked into.
    _others: list[Memory] = field(default_factory=list, repr=False)

    @cached_property
    def settings(self) -> Settings:
        """Flags, environment and file, put together."""
        return read_settings({"store": self.store, "space": self.space, "actor": self.actor}, file=self.config)

    def read(self) -> ReadSettings[Settings]:
        """The same, with where each of them came from."""
        return read(Settings, {"store": self.store, "space": self.space, "actor": self.actor}, file=self.config)

    @cached_property
    def out(self) -> Console:
        """Where answers go."""
        return console(sys.stdout, no_color=self.no_color)

    @cached_property
    def err(self) -> Console:
        """Where progress, hints and questions go."""
        return console(sys.stderr, no_color=self.no_color)

    @property
    def is_wide(self) -> bool:
        """Whether there is room for more than the most important."""
        return self.out.width >= WIDE_CHARS_MIN

    @property
    def who(self) -> str:
        """Who acts."""
        return self.settings.actor

    def now(self) -> datetime:
        """The time this run takes for the present."""
        return clock.now() if clock is not None else datetime.now(UTC)

    def memory(self, *, create: bool = False) -> Memory:
        """The memory of this run's space, opened the first time it is asked for."""
        if self._memory is None:
            from hindcast.build import open_memory

            self._check_space()
            self._memory = open_memory(self.settings, create=create, clock=clock)
        return self._memory

    def _check_space(self) -> None:
        """Raise where a command that only reads names a space that is not there: no answer is an empty one."""
        if self.is_writing or not self.space:
            return
        from hindcast.adapters.store_sql import spaces_in

        known = spaces_in(self.settings.store)
        if known and self.space not in known:
            near = difflib.get_close_matches(self.space, known, n=1)
            meant = f"Did you mean {near[0]!r}? " if near else ""
            names = ", ".join(known[:SPACES_SHOWN_MAX]) + (" and others" if len(known) > SPACES_SHOWN_MAX else "")
            raise Malformed(
                f"There is no space {self.space!r} in this store.",
                field="--space",
                remedy=f"{meant}There is {names}.",
            )

    @property
    def where(self) -> dict[str, str | None]:
        """The options that say which store and space this run is about, as they hold in any folder."""
        return {
            "store": commands.whole(self.store) if self.store else None,
            "space": self.space,
            "config": commands.whole(str(self.config)) if self.config is not None else None,
        }

    def to_paste(self, text: str) -> str:
        """A text whose commands can be pasted as they stand."""
        return commands.to_paste(text, self.where)

    def other(self, space: str) -> View | None:
        """The present of another space of the same store, or None where there is no such space."""
        from hindcast.build import open_memory

        try:
            memory = open_memory(replace(self.settings, space=space), create=False, clock=clock)
        except Missing:
            return None
        self._others.append(memory)
        return memory.now()

    def view(self, at: str | None, branch: str = MAIN) -> View:
        """What a moment shows; without one, what the branch holds now."""
        return self.memory().at(at, branch=branch) if at is not None else self.memory().now(branch)

    def moment(self, at: str | None, branch: str = MAIN) -> Moment:
        """The moment itself, held still."""
        return self.memory().at(at if at is not None else branch, branch=branch).moment

    def answer(self, document: Plain, *shown: RenderableType) -> None:
        """Print the answer: as one JSON document, or for a person."""
        if self.as_json:
            sys.stdout.write(written(document) + "\n")
            return
        if self.out.is_terminal:
            self.out.print(*shown, sep="\n", crop=False)
            return
        # Padding helps a screen and bothers whoever reads a pipe or compares files.
        with self.out.capture() as captured:
            self.out.print(*shown, sep="\n", crop=False)
        sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))

    def hint(self, text: str) -> None:
        """Say quietly what could come next; never part of the answer."""
        if not self.as_json:
            self.err.print(Text(self.to_paste(text), style="dim"), soft_wrap=True)

    @contextmanager
    def progress(self, what: str) -> Iterator[Progress | None]:
        """A bar on stderr while something long runs, if somebody is watching."""
        if self.as_json or not self.err.is_terminal:
            yield None
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=self.err, transient=True) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total, unit: bar.update(task, completed=done, total=total, description=f"{what} {unit}")

    def close(self) -> None:
        """Let go of the memory."""
        for memory in self._others:
            memory.close()
        self._others.clear()
        if self._memory is not None:
            self._memory.close()
            self._memory = None


def console(stream: Any, *, no_color: bool) -> Console:  # noqa: ANN401
    """A console that prints text as it is: what is remembered is never read as markup."""
    plain = no_color or bool(os.environ.get("NO_COLOR"))
    made = Console(file=stream, markup=False, highlight=False, emoji=False, color_system=None if plain else "auto")
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPED_WIDTH_CHARS
    return made


def verb(
    app: typer.Typer,
    name: str,
    *,
    panel: str | None = None,
    writes: bool = False,
    fills: bool = False,
    epilog: str | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command of a function whose first parameter is the session; one typed Filter becomes filter options.

    One that writes has an actor and may begin a space; one that fills a space may begin it too, with others' commits.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(function, eval_str=True).parameters.values())
        filtered = next((parameter.name for parameter in own if parameter.annotation is Filter), None)
        shared = [entry for entry in _SHARED if entry[0] != "actor" or writes]

        def command(context: typer.Context, **values: Any) -> None:  # noqa: ANN401
            session = _session(context, {entry[0]: values.pop(entry[0]) for entry in shared})
            session.is_writing = writes or fills
            try:
                if filtered is not None:
                    asked = {entry.name: values.pop(entry.name) for entry in given.FILTER_OPTIONS}
                    values[filtered] = given.read_filter(session.now(), **asked)
                function(session, **values)
            except HindcastError as error:
                error.remedy = session.to_paste(error.remedy)
                raise
            finally:
                session.close()

        parameters = [
            inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
            *(
                parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
                for parameter in own[1:]
                if parameter.name != filtered
            ),
            *(given.FILTER_OPTIONS if filtered is not None else ()),
            *(
                inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
                for key, annotation, default in shared
            ),
        ]
        _dress(command, function, parameters)
        app.command(name, rich_help_panel=panel, epilog=epilog)(command)
        return function

    return decorate


def _dress(command: Any, function: Callable[..., None], parameters: list[inspect.Parameter]) -> None:  # noqa: ANN401
    """Let a wrapper look like the function it stands for, with the parameters that it takes."""
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = inspect.Signature(parameters)
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def remember_globals(context: typer.Context, values: Mapping[str, Any]) -> None:
    """Keep what was said before the command's name, for the command."""
    context.ensure_object(dict)
    context.obj.update(values)


def quiet(command: Any) -> Any:  # noqa: ANN401
    """Keep help from calling a flag a <bool>: a flag takes no value, and somebody would try to give it one."""
    for param in command.get_params(typer.Context(command)):
        if getattr(param, "is_flag", False):
            param.metavar = ""
    for inner in getattr(command, "commands", {}).values():
        quiet(inner)
    return command


def session_of(context: typer.Context) -> Session:
    """A session from what was said before the command's name."""
    return _session(context, {})


def _session(context: typer.Context, said: Mapping[str, Any]) -> Session:
    """What was said after the command's name counts before what was said ahead of it."""
    before = context.obj if isinstance(context.obj, dict) else {}
    values = {key: said.get(key) or before.get(key) for key, _, _ in _SHARED}
    return Session(
        store=values["store"],
        space=values["space"],
        actor=values["actor"],
        config=values["config"],
        as_json=bool(values["as_json"]),
        no_color=bool(values["no_color"]),
        words=tuple(before.get("words", ())),
    )
