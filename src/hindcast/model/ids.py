"""Names: where a record lives, what branches and snapshots are called, how commits are identified.

An *address* is `namespace/path#entry`: the namespace has no slash, the path is dotted, and the entry (left out for
the usual single entry) tells several records under one path apart.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from hindcast.model.errors import Malformed

NAMESPACE_CHARS_MAX = 128
PATH_CHARS_MAX = 512
PATH_SEGMENTS_MAX = 32
ENTRY_CHARS_MAX = 128
KIND_CHARS_MAX = 64
ACTOR_CHARS_MAX = 200
NAME_CHARS_MAX = 128
COMMIT_ID_CHARS = 64
# Six hex digits tell a few thousand commits apart, and no shorter word is mistaken for a commit.
COMMIT_PREFIX_CHARS_MIN = 6

_NAMESPACE = re.compile(r"[\w@:+~-][\w@:+~.-]*")
_SEGMENT = re.compile(r"[^.#\s\x00-\x1f\x7f](?:[^.#\x00-\x1f\x7f]*[^.#\s\x00-\x1f\x7f])?")
_ENTRY = re.compile(r"[\w@:+~.-]+")
_KIND = re.compile(r"[a-z][a-z0-9_-]*")
_NAME = re.compile(r"[^\W\d_][\w./-]*")
_COMMIT = re.compile(rf"[0-9a-f]{{{COMMIT_PREFIX_CHARS_MIN},{COMMIT_ID_CHARS}}}")
_TIME_LIKE = re.compile(r"\d{4}-\d{2}")
# Lone surrogates cannot be written as UTF-8, and bidirectional controls can make one path look like another.
_UNPRINTABLE_CATEGORIES = frozenset({"Cs", "Cc", "Zl", "Zp"})
_TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """Where a record lives. Checked when it is made, and valid from then on."""

    namespace: str
    path: str
    entry: str = ""

    def __post_init__(self) -> None:
        check_namespace(self.namespace)
        check_path(self.path)
        if self.entry and (len(self.entry) > ENTRY_CHARS_MAX or not _ENTRY.fullmatch(self.entry)):
            raise Malformed(
                f"{self.entry!r} is not an entry name.",
                field="entry",
                remedy=f"Use up to {ENTRY_CHARS_MAX} letters, digits or any of @ : + ~ . - _",
            )

    def __str__(self) -> str:
        return f"{self.namespace}/{self.path}#{self.entry}" if self.entry else f"{self.namespace}/{self.path}"

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read `namespace/path` or `namespace/path#entry`."""
        namespace, slash, rest = text.partition("/")
        if not slash:
            raise Malformed(
                f"{text!r} is not an address.",
                field="address",
                remedy="Write namespace/path, for example production_user/preferences.ui.theme.",
            )
        path, _, entry = rest.partition("#")
        return cls(namespace, path, entry)


def split_stored(address: str) -> Address:
    """Take apart an address that was checked when it was written; reading does not check it again."""
    namespace, _, rest = address.partition("/")
    path, _, entry = rest.partition("#")
    made = object.__new__(Address)
    object.__setattr__(made, "namespace", namespace)
    object.__setattr__(made, "path", path)
    object.__setattr__(made, "entry", entry)
    return made


def check_namespace(namespace: str) -> None:
    """Raise unless this can name a namespace."""
    if not namespace or len(namespace) > NAMESPACE_CHARS_MAX or not _NAMESPACE.fullmatch(namespace):
        raise Malformed(
            f"{namespace!r} is not a namespace.",
            field="namespace",
            remedy=f"Use up to {NAMESPACE_CHARS_MAX} letters, digits or any of _ - . : @ + ~ (no slash, no space).",
        )


def check_path(path: str) -> None:
    """Raise unless this is a dotted path."""
    segments = path.split(".")
    if len(path) > PATH_CHARS_MAX or len(segments) > PATH_SEGMENTS_MAX:
        raise Malformed(
            f"The path {path[:40]!r}… has {len(path)} characters in {len(segments)} segments.",
            field="path",
            remedy=f"At most {PATH_CHARS_MAX} characters and {PATH_SEGMENTS_MAX} segments are kept.",
        )
    for segment in segments:
        if not _SEGMENT.fullmatch(segment) or any(map(_is_deceptive, segment)):
            raise Malformed(
                f"{path!r} is not a path" + (": a segment is empty." if not segment else f": see {segment!r}."),
                field="path",
                remedy="Write dotted segments such as preferences.ui.theme, without '#' or control characters.",
            )


def _is_deceptive(char: str) -> bool:
    return char > "~" and (
        unicodedata.category(char) in _UNPRINTABLE_CATEGORIES or unicodedata.bidirectional(char) in _TURNING
    )


def check_kind(kind: str) -> None:
    """Raise unless this can name a kind of record."""
    if len(kind) > KIND_CHARS_MAX or not _KIND.fullmatch(kind):
        raise Malformed(
            f"{kind!r} is not a kind.",
            field="kind",
            remedy="Use a lower-case word such as fact, incident or postmortem.",
        )


def check_actor(actor: str) -> None:
    """Raise unless this can name who acted."""
    if not actor.strip() or len(actor) > ACTOR_CHARS_MAX or not actor.isprintable():
        raise Malformed(
            f"{actor[:40]!r} does not name an actor.",
            field="actor",
            remedy=f"Say who acts, in up to {ACTOR_CHARS_MAX} printable characters, for example ana or agent:triage.",
        )


def check_name(name: str, *, field: str) -> None:
    """Raise unless this can name a branch or a snapshot without being mistaken for a commit or a time."""
    if len(name) > NAME_CHARS_MAX or not _NAME.fullmatch(name) or _COMMIT.fullmatch(name) or _TIME_LIKE.match(name):
        raise Malformed(
            f"{name!r} cannot name a {field}.",
            field=field,
            remedy="Start with a letter, use letters, digits or any of . _ / -, and do not look like a commit id.",
        )


def is_commit_prefix(text: str) -> bool:
    """Whether this could be a commit id or the beginning of one."""
    return _COMMIT.fullmatch(text) is not None
