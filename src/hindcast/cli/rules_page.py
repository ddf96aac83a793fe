"""Writes docs/reference/rules.md from the packs of rules: `python -m hindcast.cli.rules_page`."""

from __future__ import annotations

from pathlib import Path

from hindcast.propose.rules.page import page

PAGE = Path("docs/reference/rules.md")

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
