"""Puts together what proposes fixes: sources of cards, linter, the model of the settings. No server is needed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import datetime
from functools import cache, partial

from hindcast.adapters import processes
from hindcast.adapters.linter_ruff import RuffLinter
from hindcast.ask.quoting import as_data, marks
from hindcast.build.ask import open_llm
from hindcast.config import Settings
from hindcast.fixes import Fixes
from hindcast.fixes.composing import Named
from hindcast.fixes.decks import Ask, Decks, Patch
from hindcast.fixes.team_rules import switched_on
from hindcast.fixes.verdicts import Verdicts
from hindcast.memory import Memory
from hindcast.model.errors import HindcastError
from hindcast.ports import LLM, Linter
from hindcast.propose import settings as past
from hindcast.propose.carry import carry_over
from hindcast.propose.guard import Grounds
from hindcast.propose.lint import lint
from hindcast.propose.model_patch import Patched, PatchLimits, Pen, model_patch
from hindcast.propose.sheet import Sheet
from hindcast.recollect import Answered, Recollect
from hindcast.workspaces import Workspaces

# A patch is longer than an answer in words, and nobody waits for it.
PATCH_TOKENS_MAX = 4_000


def open_fixes(
    settings: Settings,
    memory: Callable[[str], Memory],
    recollect: Callable[[str], Recollect],
    workspaces: Workspaces,
    *,
    answered: Ask | None = None,
) -> Fixes:
    """Cards and decisions for all spaces. `answered` tells what memory says, where that is ready before it is asked."""

    def asked(space: str, incident: str, _: datetime) -> Answered:
        return recollect(space).about(incident)

    linter = RuffLinter()
    sources = (
        Named("Past fixes", carry_over),
        Named("Past settings", past.settings),
        Named("The rules", lint(linter)),
    )
    # Code leaves this machine only where somebody has said that it may.
    may_patch = settings.workspace_patches == "on" and settings.ask_model not in ("", "none")
    patch = _patch(settings, linter) if may_patch else None
    decks = Decks(
        memory,
        answered or asked,
        workspaces,
        sources=sources,
        rules=switched_on,
        patch=patch,
        fresh=asked,
        lock=threading.Lock,
    )
    verdicts = Verdicts(
        memory, workspaces, lock=threading.Lock, process=processes.identity(), is_gone=processes.is_gone
    )
    return Fixes(decks, verdicts)


def _patch(settings: Settings, linter: Linter) -> Patch:
    """Asks the language model of the settings for a patch; it is opened when it is first asked."""
    limits = PatchLimits(min(PATCH_TOKENS_MAX, settings.ask_tokens_max), float(settings.ask_seconds_max))

    @cache
    def model() -> LLM | None:
        return open_llm(settings)

    def patch(sheet: Sheet, grounds: Grounds, is_over: Callable[[], bool]) -> Patched:
        try:
            llm = model()
        except HindcastError as error:
            return Patched(note=f"The model could not be opened: {error.problem}")
        if llm is None:
            return Patched()
        nonce = os.urandom(12).hex()
        quote = partial(_quoted, nonce)
        pen = Pen(llm, linter, limits, is_over)
        return model_patch(sheet, grounds, pen, quote=quote, marks=marks(nonce))

    return patch


def _quoted(nonce: str, text: str, chars_max: int) -> str:
    return as_data(text, nonce, chars_max=chars_max)
