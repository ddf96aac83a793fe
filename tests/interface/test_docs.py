"""What the documentation shows is run: every Python block, in order, and each result that it claims."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from hindcast import cli
from hindcast.model import ids
from hindcast.model.limits import MemoryLimits

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
# These need something that a test does not have; that their code can be read is checked all the same.
NOT_RUN = {
    "docs/how-to/use-a-model.md": "a model of the reader's own",
    "docs/how-to/python-client.md": "a running server; tests/interface/test_client.py has one and runs it",
}
# These speak to a server, whose address they take from the settings.
ON_POSTGRES = {"docs/how-to/run-on-postgresql.md"}
# An expression followed by this claims to show what comes after it.
CLAIM = re.compile(r"# → (.+)$")


def place(page: Path) -> str:
    """Where a page stands in the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[str]:
    """The Python blocks of a page."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def commands(page: Path) -> list[str]:
    """The command lines in the shell blocks of a page. Other blocks show what is not to be run just so."""
    shown = SHELL.findall(page.read_text(encoding="utf-8"))
    return [] if place(page) in NOT_RUN else [line for block in shown for line in block.splitlines()]


def statements(block: str) -> Iterator[tuple[ast.stmt, str | None]]:
    """Each statement of a block, with what its last line claims that it shows."""
    lines = block.splitlines()
    for node in ast.parse(block).body:
        claim = CLAIM.search(lines[(node.end_lineno or node.lineno) - 1])
        yield node, claim[1].strip() if claim else None


def run(block: str, names: dict[str, object], where: str) -> list[str]:
    """Run a block as somebody would paste it; what it claims and does not show."""
    wrong = []
    for node, claim in statements(block):
        if claim is None or not isinstance(node, ast.Expr):
            assert claim is None, f"{where}:{node.lineno}: only an expression shows something"
            exec(compile(ast.Module([node], []), where, "exec"), names)  # noqa: S102
            continue
        shown = repr(eval(compile(ast.Expression(node.value), where, "eval"), names))  # noqa: S307
        if shown != claim:
            wrong.append(f"{where}:{node.lineno}: {ast.unparse(node)} shows {shown}, not {claim}")
    return wrong


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=place)
def test_the_code_on_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """All Python blocks of a page run in order in one namespace, in an empty folder, and show what they claim."""
    monkeypatch.chdir(tmp_path)
    # Where indexes of a server's spaces go.
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    if place(page) in ON_POSTGRES:
        monkeypatch.setenv("HINDCAST_STORE", request.getfixturevalue("postgres").address)
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    names: dict[str, object] = {"__name__": "__main__"}

    wrong = [
        line
        for number, block in enumerate(blocks(page), 1)
        for line in ([] if ast.parse(block) and place(page) in NOT_RUN else run(block, names, f"block {number}"))
    ]

    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=place)
def test_the_commands_on_a_page_work(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All commands in the shell blocks of a page work, one after the other, on a memory that begins empty."""
    monkeypatch.chdir(tmp_path)
    for name, value in {"STORE": str(tmp_path / "memory"), "MODEL": "none", "ACTOR": "ana"}.items():
        monkeypatch.setenv(f"HINDCAST_{name}", value)

    failed = {line: code for line in commands(page) if (code := cli.run(shlex.split(line)[1:])) != 0}

    assert not failed


def test_a_false_claim_is_found() -> None:
    """A block that claims what it does not show is told with its place."""
    assert run("x = 1\nx + 1  # → 3", {}, "page") == ["page:2: x + 1 shows 2, not 3"]
    assert run("x = 1\nx + 1  # → 2", {}, "page") == []


def test_the_lesson_is_there() -> None:
    """The tutorial is a page with code in it, so that the test above has something to run."""
    assert len(blocks(ROOT / "docs/tutorial/production-debugging.md")) > 10


def limits_told() -> dict[str, str]:
    """The limits that the explanation names, each with the value it gives."""
    page = (ROOT / "docs/explanation/limits.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", page, flags=re.MULTILINE))


def test_every_limit_is_explained() -> None:
    """The page about limits names each limit of memory with the value it has, and no other."""
    memory = {field.name: getattr(MemoryLimits(), field.name) for field in fields(MemoryLimits)}
    names = {name.lower(): value for name, value in vars(ids).items() if name.endswith(("_MAX", "_MIN"))}

    assert limits_told() == {name: f"{value:,}" for name, value in {**memory, **names}.items()}


def test_every_guard_exists() -> None:
    """Every test that the architecture names as the guard of a promise is there."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", page)

    missing = [
        f"{file}::{test}" for file, test in named if not re.search(rf"^ *def {test}\(", guard(file), flags=re.MULTILINE)
    ]

    assert len(named) > 20
    assert not missing


def guard(file: str) -> str:
    """A test file's text, or nothing if there is no such file."""
    path = ROOT / "tests" / file
    return path.read_text(encoding="utf-8") if path.exists() else ""
