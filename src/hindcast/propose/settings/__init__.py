"""Past fixes that were settings, found in today's configuration and changed by position; harmful values, warned of.

Nothing is written anew: a value is put in the place of another, so that comments, order, quotes, indentation and
anchors stay as they are. A key that stands nowhere is added only beside its siblings, and no value is invented.
"""

from __future__ import annotations

from collections.abc import Iterable

from hindcast.model.card import Proposal, Warned
from hindcast.propose.settings.files import ConfigurationFiles
from hindcast.propose.settings.harm import harmful_settings
from hindcast.propose.settings.source import settings_again
from hindcast.propose.sheet import Sheet

__all__ = ["harmful_settings", "settings", "settings_again"]


def settings(sheet: Sheet) -> Iterable[Proposal | Warned]:
    """What helped before and what did harm, looked for in files that are read once for both."""
    files = ConfigurationFiles(sheet)
    yield from settings_again(sheet, files)
    yield from harmful_settings(sheet, files)
