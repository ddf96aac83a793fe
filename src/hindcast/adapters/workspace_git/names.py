"""Which paths may name something in a workspace, judged before any file is touched.

A path has slashes, is relative, and says each step once: the same file has one name. What a repository keeps for
itself cannot be named in any spelling that some file system would take for it, and what cannot be shown in a line
(control characters, marks that turn the direction of writing) is no name either.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from hindcast.model.errors import Malformed, Refused

PATH_BYTES_MAX = 4_000
NAME_BYTES_MAX = 255
# What we write beside a file until it takes the file's place, and the note of what is under way in a plain folder.
OWN_PREFIX = ".hindcast-"

# Control characters, marks that cannot be seen or turn the direction of writing, and bytes that are no UTF-8.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# As Windows shortens `.git`, and as it names the folder itself.
_SHORTENED = re.compile(r"^(git~[0-9]+|\.git(:.*)?)$")
# How names look at a glance: each byte that no plain name has is a zero, and whatever the name of the repository's own
# folder, or of something of ours, may begin with is a `g`.
_GLANCE = bytes(
    0 if not 32 <= one < 127 or one == ord("\\") else ord("g") if one in b".gG" else one for one in range(256)
)


def parts_of(path: str, *, field: str = "path") -> tuple[str, ...]:
    """The names on the way to a file or folder. Raises Malformed for what is no path, Refused for what is outside."""
    remedy = "Give a path as the workspace lists it, relative to the workspace and with slashes."
    if not path:
        raise Malformed("The path is empty.", field=field, remedy=remedy)
    if "\0" in path or len(path.encode("utf-8", "surrogatepass")) > PATH_BYTES_MAX:
        why = "It has a NUL character in it." if "\0" in path else f"It is longer than {PATH_BYTES_MAX} bytes."
        raise Malformed(why, field=field, remedy=remedy)
    if path.startswith("/") or re.match(r"^[A-Za-z]:[\\/]", path):
        raise Refused(f"{shown(path)} is an absolute path.", field=field, remedy=remedy)
    parts = tuple(path.split("/"))
    if ".." in parts:
        raise Refused(f"{shown(path)} leads out of the workspace.", field=field, remedy=remedy)
    if "" in parts or "." in parts:
        raise Malformed(f"{shown(path)} has an empty step in it.", field=field, remedy=remedy)
    if "\\" in path:
        raise Malformed(f"{shown(path)} has a backslash in it.", field=field, remedy=remedy)
    for name in parts:
        if is_hidden(name):
            raise Refused(f"{shown(path)} belongs to the repository itself.", field=field, remedy=remedy)
        if not is_plain(name):
            raise Refused(f"{shown(path)} has characters that cannot be shown.", field=field, remedy=remedy)
        if len(name.encode()) > NAME_BYTES_MAX:
            raise Malformed(f"A name in it is longer than {NAME_BYTES_MAX} bytes.", field=field, remedy=remedy)
    return parts


@lru_cache(maxsize=65_536)
def is_listed(name: str) -> bool:
    """Whether something with a name is shown in listings: exactly what parts_of lets through."""
    return is_plain(name) and "\\" not in name and not is_hidden(name)


def are_all_listed(names: Iterable[str]) -> bool:
    """Whether names are listed beyond doubt, all of them, seen at one glance; where not, each has to be looked at."""
    return looks_usual(("/" + "/".join(names)).encode("utf-8", "surrogatepass"))


def looks_usual(row: bytes) -> bool:
    """The same of names in a row, with a slash before each."""
    seen = row.translate(_GLANCE)
    return 0 not in seen and b"/g" not in seen


def is_plain(name: str) -> bool:
    """Whether a name can be shown in a line as it is."""
    return (name.isascii() and name.isprintable()) or not any(unicodedata.category(one) in _UNSEEN for one in name)


def is_hidden(name: str) -> bool:
    """Whether a name is the repository's own folder, on any file system, or something of ours that is under way."""
    if name.isascii() and name[:1] not in ".gG":
        return False
    seen = "".join(one for one in name if unicodedata.category(one) not in _UNSEEN and not _is_selector(one))
    folded = unicodedata.normalize("NFKC", seen).casefold().rstrip(". ")
    return bool(_SHORTENED.match(folded)) or folded.startswith(OWN_PREFIX)


def _is_selector(one: str) -> bool:
    return "\ufe00" <= one <= "\ufe0f"


def shown(path: str) -> str:
    """A path for a message: short, and in characters that can be printed."""
    text = path if is_plain(path) else ascii(path)[1:-1]
    return text if len(text) <= 200 else f"{text[:200]}…"
