"""How answers quote: recorded text stands in quotation marks that it cannot close, on one line, and makes no markup.

Whatever ends up in an answer passes here, from a record as from a language model: links and images could carry what is
remembered to somebody else's server as soon as a page shows them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hindcast.reason.wording import one_line

QUOTE_CHARS_MAX = 240
LINK_REMOVED = "(link removed)"
IMAGE_REMOVED = "(image removed)"

_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)
_IMAGE = re.compile(r"!\[[^\]]*\]\s*(?:\([^)]*\)?|\[[^\]]*\])?")
_LINK = re.compile(r"\[([^\]]{0,200})\]\([^)]*\)?")
_ADDRESS = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{1,20}:\s{0,2}//|\bwww\.|(?<![:\w/])//(?=[\w-]+\.))\S*|\b(?:javascript|data|vbscript|mailto):\S+",
    re.IGNORECASE,
)
_DEFINITION = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*\S+.*$", re.MULTILINE)
_QUOTES = str.maketrans({"“": "'", "”": "'", "„": "'", "«": "'", "»": "'"})


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without anything that a page would act on, and how much had to go."""

    text: str
    removed: int


def cleaned(text: str) -> Cleaned:
    """A language model's text without links, images and markup; what was there is marked."""
    text = _UNSEEN.sub("", text)
    removed = 0
    for pattern, instead in (
        (_IMAGE, IMAGE_REMOVED),
        (_DEFINITION, LINK_REMOVED),
        (_LINK, rf"\1 {LINK_REMOVED}"),
        (_ADDRESS, LINK_REMOVED),
    ):
        text, count = pattern.subn(instead, text)
        removed += count
    # Halves of a link or an image, which another sentence could complete.
    return Cleaned(_unmarked(text.replace("![", "! [").replace("](", "] (")), removed)


def quoted(text: str, chars_max: int = QUOTE_CHARS_MAX) -> str:
    """One line of recorded text in quotation marks."""
    line = one_line(_UNSEEN.sub("", text), chars_max).translate(_QUOTES)
    return f"“{_unmarked(_IMAGE.sub(IMAGE_REMOVED, line)).rstrip('.')}”"


def plain(text: str, chars_max: int = QUOTE_CHARS_MAX) -> str:
    """One line of our own words around names, with nothing in it that a page would act on."""
    return cleaned(one_line(text, chars_max)).text


def _unmarked(text: str) -> str:
    """The same without tags: what looks like one stays readable, and is none."""
    return text.replace("<", "‹").replace(">", "›")
