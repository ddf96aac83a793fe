"""The limits of one act of remembering, each with its unit in its name."""

from __future__ import annotations

from dataclasses import dataclass

# In the order in which they are explained.
ARMS = ("words", "meaning", "keys", "tokens")


@dataclass(frozen=True, slots=True)
class RecallLimits:
    """How far recall looks, and how much of it is handed on."""

    # Cases in an answer. As many again may follow that were held back: they do not answer, but they may warn.
    hits_max: int = 10
    # Which arms are asked.
    arms: tuple[str, ...] = ARMS
    # Cases that the arms weigh against one another. Each arm, and the tokens, have looked at more before.
    candidates_max: int = 30
    # Of these the ones that are read and compared with the question one by one: what all arms together put further
    # down is hardly ever the answer, and reading a case costs more than weighing it.
    read_max: int = 12
    # How long the arm of tokens may look.
    tokens_ms_max: float = 60.0
    # What is read of a question. A model reads less, and words beyond it are mostly log.
    cue_chars_max: int = 4_000
    # What is read of a case when its words are compared with the question's.
    case_chars_max: int = 2_400
    # Frames that are aligned, from where it failed outwards; what lies further out is the framework's.
    frames_max: int = 40
    keys_max: int = 200
    # Lines of a question that are compared one by one.
    lines_max: int = 16
    # The best cases, which are compared with one another: who replaces or contradicts whom.
    compared_max: int = 12


LIMITS = RecallLimits()
