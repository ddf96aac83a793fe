"""What a browser has to load: each page within its budget, and the bundle of the sources that are here."""

from __future__ import annotations

import pytest
from tests.web.weighing import (
    AT_ONCE,
    LANGUAGE_KB_MAX,
    SHELL_KB_MAX,
    Manifest,
    closure,
    kilobytes,
    languages,
    manifest,
    named,
    page_kb_max,
    pages,
    shell,
)

from hindcast.rest.pages import STATIC

CSS_KB_MAX = 15
FONTS_KB_MAX = 75


@pytest.fixture(name="built", scope="module")
def _built() -> Manifest:
    return manifest()


def test_the_shell_is_light(built: Manifest) -> None:
    """What is loaded before any page fits its budget."""
    assert kilobytes(built, shell(built)) <= SHELL_KB_MAX


def test_a_page_is_light_with_all_that_it_shows_at_once(built: Manifest) -> None:
    """What a page adds to the shell, with the parts that it fetches right away, fits its budget."""
    found = pages(built)
    assert len(found) >= 8
    assert set(AT_ONCE) <= set(found)
    weights = {name: round(kilobytes(built, files), 1) for name, files in found.items()}
    assert {name: kb for name, kb in weights.items() if kb > page_kb_max(name)} == {}


def test_every_part_of_the_settings_is_light(built: Manifest) -> None:
    """Whichever part of the settings an address leads to, it fits what a page may add."""
    page = named(built)["SettingsPage"]
    parts = [one for one in built[page]["dynamicImports"] if "/settings/" in one]
    assert len(parts) >= 9
    weights = {one: round(kilobytes(built, closure(built, page, one) - shell(built)), 1) for one in parts}
    assert {name: kb for name, kb in weights.items() if kb > page_kb_max("SettingsPage")} == {}


def test_a_language_is_light(built: Manifest) -> None:
    """The grammar of any language fits its budget, once the editor is there."""
    found = languages(built)
    assert len(found) >= 6
    assert {name for name, files in found.items() if kilobytes(built, files) > LANGUAGE_KB_MAX} == set()


def test_styles_and_fonts_are_light(built: Manifest) -> None:
    """All styles together, and all fonts, fit their budgets."""
    styles = sum(path.stat().st_size for path in STATIC.rglob("*.css.gz")) / 1024
    fonts = sum(path.stat().st_size for path in STATIC.rglob("*.woff2")) / 1024
    assert built["index.html"]["css"]
    assert styles <= CSS_KB_MAX
    assert fonts <= FONTS_KB_MAX


def test_nothing_is_loaded_from_elsewhere() -> None:
    """No built page or style names another host to load from."""
    for path in (*STATIC.rglob("*.html"), *STATIC.rglob("*.css")):
        text = path.read_text()
        assert "//fonts." not in text, path
        assert "url(http" not in text, path
        assert 'src="http' not in text, path
