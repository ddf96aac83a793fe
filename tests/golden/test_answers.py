"""Answers as somebody reads them at 2 AM: readable text that a person has looked through.

Every scene of tests/golden/answers/scenes.py has its `NAME.txt` (the screen, and what is packed into 160 tokens); some
have their `NAME.md`. After a change that is meant, write the new ones with `HINDCAST_WRITE_GOLDEN=1`, and read the
difference.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console
from tests.golden.answers.scenes import SCENES

from hindcast.cli.answer import SCREEN_LINES_MAX, shown
from hindcast.model.diagnosis import Diagnosis
from hindcast.reason.answer import claims_of
from hindcast.reason.markdown import markdown
from hindcast.recall.pack import pack

FOLDER = Path(__file__).resolve().parent / "answers"
WIDTH = 100
PACKED_TOKENS = 160
WITH_MARKDOWN = ("seen_exact", "maybe_related_with_harm", "new_with_a_runbook_that_fits", "command_and_change",
                 "text_that_would_drive_a_terminal")  # fmt: skip


def screen(diagnosis: Diagnosis, width: int = WIDTH) -> list[str]:
    """The lines of a terminal of this width."""
    out = io.StringIO()
    console = Console(file=out, width=width, markup=False, highlight=False, emoji=False, color_system=None)
    console.print(shown(diagnosis, width=width))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def golden(name: str, text: str) -> str:
    """What was found good, after having been rewritten where that was asked for."""
    path = FOLDER / name
    if os.environ.get("HINDCAST_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(SCENES))
def test_an_answer_reads_as_it_did(name: str) -> None:
    """Each scene gives the screen and the packed text that were found good."""
    scene = SCENES[name]
    packed = pack(scene.recollection, scene.diagnosis, tokens_max=PACKED_TOKENS)
    parts = [*screen(scene.diagnosis), "", f"--- packed into {PACKED_TOKENS} tokens ({packed.tokens})", packed.text]
    parts += [f"left out: {', '.join(packed.left_out) or 'nothing'}"]
    text = "\n".join(parts) + "\n"

    assert text == golden(f"{name}.txt", text)


@pytest.mark.parametrize("name", WITH_MARKDOWN)
def test_a_document_reads_as_it_did(name: str) -> None:
    """The same answer as Markdown, the trace of every case included, is the one that was found good."""
    text = markdown(SCENES[name].diagnosis, SCENES[name].recollection)

    assert text == golden(f"{name}.md", text)


@pytest.mark.parametrize("width", [40, 80, 100, 200])
@pytest.mark.parametrize("name", sorted(SCENES))
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    """Whatever is remembered, no line leaves the terminal, and nothing in it can drive the terminal."""
    lines = screen(SCENES[name].diagnosis, width)

    assert max(map(cell_len, lines)) <= width
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", "".join(lines))


@pytest.mark.parametrize("name", sorted(SCENES))
def test_an_answer_fits_on_one_screen(name: str) -> None:
    """An answer has at most 40 lines of 100 columns, however much is known."""
    assert len(screen(SCENES[name].diagnosis)) <= SCREEN_LINES_MAX


@pytest.mark.parametrize("name", sorted(SCENES))
def test_every_statement_of_a_scene_has_evidence(name: str) -> None:
    """Nothing is claimed without the address and version of a record that exists."""
    scene = SCENES[name]
    known = {f"{one.address}@{one.version}" for one in scene.recollection.remembered}
    known |= {f"{one.space}:{one.address}@{one.version}" for one in scene.recollection.remembered}
    known |= {f"{one.address}@{one.version}" for one in scene.runbooks}
    known |= {one.ref for one in scene.experience.cautions}

    for claim in claims_of(scene.diagnosis):
        assert claim.evidence, claim.text
        assert set(claim.evidence) <= known


def test_every_golden_answer_has_its_scene() -> None:
    """No file is left behind by a scene that is gone."""
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(SCENES)
    assert {path.stem for path in FOLDER.glob("*.md")} == set(WITH_MARKDOWN)
