"""Puts together what answers questions: with the language model of the settings, or without one."""

from __future__ import annotations

import os
import time

from hindcast.ask import Asker, AskLimits
from hindcast.config import Settings
from hindcast.ports import LLM


def open_asker(settings: Settings) -> Asker:
    """Whoever answers questions. Raises where the settings name a model that cannot be used."""
    limits = AskLimits(settings.ask_tokens_max, float(settings.ask_seconds_max), settings.ask_calls_max)
    return Asker(open_llm(settings), limits, seconds=time.monotonic, entropy=os.urandom)


def open_llm(settings: Settings) -> LLM | None:
    """The language model of the settings; None: questions are answered by the tools directly."""
    if settings.ask_model in ("", "none"):
        return None
    # Imported here: most installations have no model, and its libraries take their time.
    from hindcast.adapters.llm_model import ModelLLM
    from hindcast.adapters.outbound import Outbound

    guard = Outbound.allowing(settings.outbound_allow)
    return ModelLLM(settings.ask_model, url=settings.ask_url, key=settings.ask_key, outbound=guard)
