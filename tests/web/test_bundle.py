"""What a browser has to load: each page within its budget, and the bundle of the sources that are here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from hindcast.rest.pages import STATIC

# Kilobytes, compressed: what every page needs, and what a page may add to it. More than this is felt on a phone.
SHELL_KB_MAX = 160
PAGE_KB_MAX = 30
# Editors and canvases are large; their pages say so.
PAGE_KB_MAX_BY_NAME = {"WorkspacePage": 140, "GraphPage": 85}
LANGUAGE_KB_MAX = 45
# What pages fetch by themselves as soon as they are shown; everything else waits until somebody asks for it.
AT_ONCE = {
    "WorkspacePage": ("Viewer", "TwoSides"),
    "TimePage": ("CommitList",),
    "SettingsPage": ("Sending",),
    "IncidentPage": ("More", "Signs"),
}
CSS_KB_MAX = 15
FONTS_KB_MAX = 75

Manifest = Mapping[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    """Which file loads which others, as the build wrote it down."""
    found: Manifest = json.loads((STATIC / ".vite" / "manifest.json").read_text())
    return found


def closure(manifest: Manifest, name: str) -> frozenset[str]:
    """A file and everything that is loaded with it at once."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += manifest[one].get("imports", [])
    return frozenset(found)


def kilobytes(manifest: Manifest, names: Iterable[str]) -> float:
    """What files weigh on the way, with gzip."""
    sizes: list[int] = []
    for name in names:
        path = STATIC / manifest[name]["file"]
        packed = path.with_name(path.name + ".gz")
        sizes.append(int((packed if packed.exists() else path).stat().st_size))
    return sum(sizes) / 1024


def test_the_shell_is_light(manifest: Manifest) -> None:
    """What is loaded before any page fits its budget."""
    assert kilobytes(manifest, closure(manifest, "index.html")) <= SHELL_KB_MAX


def test_every_page_is_light(manifest: Manifest) -> None:
    """What a page adds to the shell fits its budget."""
    shell = closure(manifest, "index.html")
    pages = [name for name in manifest["index.html"]["dynamicImports"] if "/features/" in name]
    assert len(pages) >= 6
    weights = {manifest[name]["name"]: kilobytes(manifest, closure(manifest, name) - shell) for name in pages}
    heavy = {name: kb for name, kb in weights.items() if kb > PAGE_KB_MAX_BY_NAME.get(name, PAGE_KB_MAX)}
    assert not heavy


@pytest.mark.parametrize(("page", "parts"), AT_ONCE.items())
def test_a_page_is_light_with_all_that_it_shows_at_once(manifest: Manifest, page: str, parts: Iterable[str]) -> None:
    """A page that fetches parts of itself right away fits, with them and the shell, what both may weigh."""
    names = {str(one["name"]): name for name, one in manifest.items() if "name" in one}
    loaded = closure(manifest, "index.html").union(*(closure(manifest, names[one]) for one in (page, *parts)))
    assert kilobytes(manifest, loaded) <= SHELL_KB_MAX + PAGE_KB_MAX_BY_NAME.get(page, PAGE_KB_MAX)


def test_a_language_is_light(manifest: Manifest) -> None:
    """The grammar of any language fits its budget, once the editor is there."""
    names = {str(one["name"]): name for name, one in manifest.items() if "name" in one}
    editor = closure(manifest, names["Viewer"]) | closure(manifest, "index.html")
    languages = [one for one in manifest[names["WorkspacePage"]]["dynamicImports"] if "/lang-" in one]
    assert len(languages) >= 5
    for one in languages:
        assert kilobytes(manifest, closure(manifest, one) - editor) <= LANGUAGE_KB_MAX, one


def test_styles_and_fonts_are_light(manifest: Manifest) -> None:
    """All styles together, and all fonts, fit their budgets."""
    styles = sum(path.stat().st_size for path in STATIC.rglob("*.css.gz")) / 1024
    fonts = sum(path.stat().st_size for path in STATIC.rglob("*.woff2")) / 1024
    assert manifest["index.html"]["css"]
    assert styles <= CSS_KB_MAX
    assert fonts <= FONTS_KB_MAX


def test_nothing_is_loaded_from_elsewhere() -> None:
    """No built page or style names another host to load from."""
    for path in (*STATIC.rglob("*.html"), *STATIC.rglob("*.css")):
        text = path.read_text()
        assert "//fonts." not in text, path
        assert "url(http" not in text, path
        assert 'src="http' not in text, path
