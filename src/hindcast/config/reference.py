"""Writes docs/reference/settings.md from the settings: `python -m hindcast.config.reference`; `--check` compares."""

from __future__ import annotations

import sys
from pathlib import Path

from hindcast.config.explaining import page

PAGE = Path("docs/reference/settings.md")


def main() -> int:
    """Write the page, or say whether it is what the settings say."""
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text(encoding="utf-8") == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
