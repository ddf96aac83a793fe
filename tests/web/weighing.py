"""What the built pages weigh on the way to a browser, and how much that may be."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hindcast.rest.pages import STATIC

# Kilobytes, compressed: what every page needs, and what a page may add to it. More than this is felt on a phone.
SHELL_KB_MAX = 160
PAGE_KB_MAX = 30
# Editors and canvases are large; their pages say so.
PAGE_KB_MAX_BY_NAME = {"WorkspacePage": 140, "GraphPage": 85}
LANGUAGE_KB_MAX = 45
# What pages fetch by themselves as soon as they are shown; everything else waits until somebody asks for it.
# A browser is asked whether this is true (weight.mjs).
AT_ONCE: Mapping[str, tuple[str, ...]] = {
    "WorkspacePage": ("Viewer", "colouring"),
    "TimePage": ("CommitList",),
    "SettingsPage": ("Sending",),
    "IncidentPage": ("Signs",),
}

Manifest = Mapping[str, Mapping[str, Any]]


def manifest() -> Manifest:
    """Which file loads which others, as the build wrote it down."""
    found: Manifest = json.loads((STATIC / ".vite" / "manifest.json").read_text())
    return found


def closure(built: Manifest, *names: str) -> frozenset[str]:
    """Files and everything that is loaded with them at once."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += built[one].get("imports", [])
    return frozenset(found)


def kilobytes(built: Manifest, names: Iterable[str]) -> float:
    """What files weigh on the way, with gzip."""
    return sum(file_bytes(str(built[name]["file"])) for name in names) / 1024


def file_bytes(file: str) -> int:
    """What one file weighs on the way; what is too small to gain from it is sent as it is."""
    path = STATIC / file
    packed = path.with_name(path.name + ".gz")
    return int((packed if packed.exists() else path).stat().st_size)


def named(built: Manifest) -> Mapping[str, str]:
    """From the name of a part to its entry."""
    return {str(one["name"]): entry for entry, one in built.items() if "name" in one}


def shell(built: Manifest) -> frozenset[str]:
    """What is loaded before any page."""
    return closure(built, "index.html")


def pages(built: Manifest) -> Mapping[str, frozenset[str]]:
    """What each page adds to the shell, with the parts that it fetches at once."""
    entries = named(built)
    found = [one for one in built["index.html"]["dynamicImports"] if "/features/" in one]
    return {
        name: closure(built, page, *(entries[part] for part in AT_ONCE.get(name, ()))) - shell(built)
        for page in found
        for name in [str(built[page]["name"])]
    }


def page_kb_max(name: str) -> int:
    """What a page may add to the shell."""
    return PAGE_KB_MAX_BY_NAME.get(name, PAGE_KB_MAX)


def languages(built: Manifest) -> Mapping[str, frozenset[str]]:
    """What the grammar of each language adds to a page that has an editor."""
    editor = closure(built, named(built)["Viewer"]) | shell(built)
    found = [one for one in built[named(built)["WorkspacePage"]]["dynamicImports"] if "/lang-" in one]
    own = named(built)["settings"]
    return {one: closure(built, one) - editor for one in (*found, own)}
