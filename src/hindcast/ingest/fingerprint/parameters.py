"""What varies from one occurrence of a message to the next, replaced by its kind: `user 4711` becomes `user <int>`.

One pass with one pattern; the alternatives stand in the order of how much they explain.
"""

from __future__ import annotations

import re

MESSAGE_CHARS_MAX = 8_192
MESSAGE_LINES_MAX = 2

_KINDS: tuple[tuple[str, str], ...] = (
    ("url", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s\"'<>\])}]+"),
    ("email", r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,253}\.[A-Za-z]{2,24}\b"),
    ("uuid", r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"),
    (
        "date",
        (
            r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?\b"
            r"|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\b"
        ),
    ),
    ("ip", r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}\b"),
    ("mac", r"\b(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}\b"),
    (
        "hex",
        r"\b0x[0-9a-fA-F]+\b|\b(?=[0-9a-f]{0,15}\d)(?=\d{0,15}[a-f])[0-9a-f]{8,64}\b|\b(?=[0-9A-F]{0,15}\d)(?=\d{0,15}[A-F])[0-9A-F]{8,64}\b",
    ),
    ("path", r"(?<![\w.>])(?:[A-Za-z]:\\|~?/)(?:[\w.@%+~-]+[/\\]){1,32}[\w.@%+~-]*"),
    ("duration", r"\b\d+(?:\.\d+)?(?:ns|us|µs|ms|s|sec|secs|seconds|m|min|mins|minutes|h|hours|d|days)\b"),
    ("size", r"\b\d+(?:\.\d+)?\s?(?:[KMGTP]i?)?[Bb](?:ytes)?\b"),
    # Letters and digits mixed, long enough to be nobody's word: a token, a pod's name, a request id.
    ("id", r"\b(?=[A-Za-z_-]{0,40}\d)(?=[\d_-]{0,40}[A-Za-z])[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+){0,12}\b"),
    ("quoted", r"\"[^\"\n]{0,200}\"|(?<!\w)'[^'\n]{0,200}'(?!\w)|`[^`\n]{0,200}`"),
    ("float", r"(?<![\w.])[+-]?\d+\.\d+(?:[eE][+-]?\d+)?\b"),
    ("int", r"(?<![\w.])[+-]?\d[\d,_]*\b"),
)
_ANY = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS))
# Words that end in a digit because they are words that do, and codes that name an error.
_WORD = re.compile(
    r"(?:utf|sha|md|base|https?|ipv|latin|gb|iso|aes|u?int|float|oauth|log|x)[-_]?\d+(?:_\d+)?\Z|[A-Za-z]{1,2}\d{1,2}\Z|v\d+\Z",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Z]{1,6}-?\d{2,5}\Z")
_NUMBERED = re.compile(r"([A-Za-z]{3,}(?:[-_][A-Za-z]{2,}){0,6}[-_]?)\d+\Z")
_SPACES = re.compile(r"\s+")


def parameterised(message: str, *, chars_max: int = MESSAGE_CHARS_MAX) -> str:
    """The first lines of a message with what varies replaced by its kind."""
    lines = [line.strip() for line in message[:chars_max].splitlines() if line.strip()]
    return _SPACES.sub(" ", _ANY.sub(_kind, "\n".join(lines[:MESSAGE_LINES_MAX]))).strip()


def _kind(match: re.Match[str]) -> str:
    kind, text = match.lastgroup or "", match[0]
    if kind == "id":
        if _WORD.match(text) or _CODE.match(text):
            return text
        # worker3 and worker4 are the same word with another number behind it.
        numbered = _NUMBERED.match(text)
        return f"{numbered[1]}<int>" if numbered is not None else "<id>"
    if kind == "quoted" and len(text) > 2:
        return f"{text[0]}<text>{text[-1]}"
    return f"<{kind}>"
