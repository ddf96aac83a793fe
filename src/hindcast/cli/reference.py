"""Writes docs/reference/cli.md from the command tree: `python -m hindcast.cli.reference`, with `--check` to compare.

The same tree gives the same page on every machine: no terminal, width, home folder or environment takes part.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from hindcast.cli import failure
from hindcast.cli.tree import command_tree, models_command

PAGE = Path("docs/reference/cli.md")
INTRODUCTION = """# The command line

*Written from the code by `make generate`; a test compares the two. For a walk through it, see
[use the CLI](../how-to/use-the-cli.md).*

`hindcast --install-completion` teaches your shell to complete commands, options, branches, snapshots and namespaces.
The options under *everywhere* may stand before the command or after it. Settings come from options, then from
`HINDCAST_STORE`, `HINDCAST_SPACE`, `HINDCAST_ACTOR` and their like, then from the file that `--config` names.
"""
LINE_CHARS = 120
# Shown once at the top instead of under each command.
EVERYWHERE = ("store", "space", "config", "as_json", "no_color")
_HIDDEN = frozenset({"help", "install_completion", "show_completion"})
_MARKUP = re.compile(r"\[/?(?:bold|dim)\]")


def page() -> str:
    """The whole page."""
    root = command_tree()
    parts = [INTRODUCTION, *_exit_codes(), *_everywhere(root)]
    for path, command in _commands(root, ("hindcast",)):
        parts.extend(_command(path, command))
    return "\n".join(parts).rstrip() + "\n"


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:  # noqa: ANN401
    """Every group and command below one, in the order in which help shows them."""
    if path == ("hindcast", "models"):
        command = models_command()
    if len(path) > 1:
        yield path, command
    if hasattr(command, "commands"):
        context = typer.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if not found.hidden:
                yield from _commands(found, (*path, name))


def _exit_codes() -> Iterator[str]:
    yield "## Exit codes\n"
    yield "| code | error | what it means |\n|---|---|---|"
    for code, name, meaning in failure.MEANINGS:
        yield f"| {code} | {name} | {meaning} |"
    yield "\nErrors go to stderr in two lines, what is wrong and what to do; with `--json` as"
    yield '`{"error": {"kind", "problem", "remedy", "field", "exit_code"}}`.\n'


def _everywhere(root: Any) -> Iterator[str]:  # noqa: ANN401
    yield "## Everywhere\n"
    yield from _options([param for param in root.params if param.name not in _HIDDEN])


def _command(path: Sequence[str], command: Any) -> Iterator[str]:  # noqa: ANN401
    yield f"{'#' * min(len(path), 4)} {' '.join(path)}\n"
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        yield textwrap.fill(" ".join(paragraph.split()), LINE_CHARS, break_on_hyphens=False) + "\n"
    if hasattr(command, "commands"):
        if command.epilog:
            yield "```text\n" + _MARKUP.sub("", inspect.cleandoc(command.epilog)) + "\n```\n"
        return
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option" and param.name not in _HIDDEN]
    usage = [_argument(param) for param in arguments]
    yield f"```\n{' '.join([*path, *usage, '[OPTIONS]'])}\n```\n"
    for argument in arguments:
        yield f"- `{_argument(argument)}`: {argument.help or ''}"
    if arguments:
        yield ""
    own = [option for option in options if option.name not in EVERYWHERE]
    if own:
        yield from _options(own)


def _argument(param: Any) -> str:  # noqa: ANN401
    name = f"{param.metavar or param.name.upper()}{'...' if param.nargs != 1 else ''}"
    return name if param.required else f"[{name}]"


def _options(params: Sequence[Any]) -> Iterator[str]:
    yield "| option | what it does | default |\n|---|---|---|"
    for param in params:
        names = ", ".join(f"`{name}`" for name in (*param.opts, *param.secondary_opts))
        metavar = "" if param.is_flag else f" `{_metavar(param)}`"
        yield f"| {names}{metavar} | {_cell(param.help or '')} | {_default(param)} |"
    yield ""


def _metavar(param: Any) -> str:  # noqa: ANN401
    choices = param.type_descriptor.choices
    shown = param.metavar or ("|".join(str(getattr(one, "value", one)) for one in choices) if choices else "VALUE")
    return shown.replace("|", "\\|")


def _default(param: Any) -> str:  # noqa: ANN401
    if param.required:
        return "required"
    value = getattr(param.default, "value", param.default)
    return "" if value in (None, False, "", [], ()) else f"`{value}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main(words: Sequence[str]) -> int:
    """Write the page, or with --check say whether it is up to date."""
    fresh = page()
    if "--check" not in words:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(fresh, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == fresh:
        return 0
    sys.stderr.write(f"{PAGE} is not what the code says.\nRun make generate.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
