"""Values out of JSON, from several threads."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import hindcast
from hindcast.model.reading import is_ready

SOURCE = Path(hindcast.__file__).parent
# Those take a type that somebody hands them.
DOORS = {"msgspec.convert": 1, "msgspec.json.decode": None, "msgspec.yaml.decode": None, "read_value": 0, "read": 1}
# Only one thread ever reads these: a command at its start, or the demo's own story.
ALONE = {"hindcast.simulate.history", "hindcast.simulate.shop", "hindcast.cli.stream", "hindcast.cli.outage"}


def modules() -> list[str]:
    """Every module of ours that reads something with msgspec."""
    names = [one.name for one in pkgutil.walk_packages([str(SOURCE)], "hindcast.")]
    return [name for name in names if name not in ALONE and "msgspec" in source_of(name)]


def source_of(name: str) -> str:
    """The text of a module."""
    path = SOURCE.joinpath(*name.split(".")[1:])
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.read_text() if file.exists() else ""


def types_read(module: ModuleType) -> Iterator[tuple[str, object]]:
    """The types that a module names where it reads; what is a parameter there is named by its callers."""
    for call in ast.walk(ast.parse(source_of(module.__name__))):
        if not isinstance(call, ast.Call) or (door := ast.unparse(call.func)) not in DOORS:
            continue
        place = DOORS[door]
        named = [one.value for one in call.keywords if one.arg == "type"]
        if place is not None and len(call.args) > place:
            named.append(call.args[place])
        for one in named:
            text = ast.unparse(one)
            try:
                yield text, eval(text, vars(module))  # noqa: S307
            except (NameError, AttributeError):
                continue


def has_classes(kind: object) -> bool:
    """Whether there is something in a type that msgspec has to learn."""
    inner = getattr(kind, "__args__", ())
    return (
        any(has_classes(one) for one in inner)
        or hasattr(kind, "__dataclass_fields__")
        or hasattr(kind, "__struct_fields__")
    )


@pytest.mark.parametrize("name", modules())
def test_a_type_that_threads_may_read_is_learnt_before(name: str) -> None:
    """No two threads ever let msgspec learn the same class at once: it would crash, or wait for ever."""
    module = importlib.import_module(name)
    assert [text for text, kind in types_read(module) if has_classes(kind) and not is_ready(kind)] == []


FIRST = """
import sys, threading
from importlib import resources
from hindcast.recall.learnt import FILE, parse
sys.setswitchinterval(1e-6)
content = resources.files("hindcast.recall").joinpath(FILE).read_bytes()
threads = [threading.Thread(target=parse, args=(content,), daemon=True) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join(30)
print(sum(thread.is_alive() for thread in threads))
"""


def test_several_threads_may_be_the_first_to_read() -> None:
    """What a server has learnt can be read by all of its threads at once, from the first question on."""
    for _ in range(3):
        ran = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, timeout=120)
        assert (ran.returncode, ran.stdout.strip()) == (0, "0"), ran.stderr
