"""What a language model is told by tools stands between marks that nobody can guess: inside them everything is data.

Each question has marks of its own. Whatever inside looks like a mark is written so that it is none.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"<(/?\s*data)", re.IGNORECASE)
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


def marks(nonce: str) -> tuple[str, str]:
    """Where data begins and where it ends."""
    return f"<data-{nonce}>", f"</data-{nonce}>"


def as_data(text: str, nonce: str, *, chars_max: int) -> str:
    """A text between marks; too long a one is cut, and says so."""
    begin, end = marks(nonce)
    kept = (
        text if len(text) <= chars_max else f"{text[:chars_max]}\n(cut here: {len(text) - chars_max} more characters)"
    )
    bare = _MARK.sub(r"‹\1", _UNSEEN.sub("", kept)).replace(nonce, "…")
    return f"{begin}\n{bare}\n{end}"
