"""Past fixes that were settings, found in today's configuration and changed by position; harmful values, warned of.

Nothing is written anew: a value is put in the place of another, so that comments, order, quotes, indentation and
anchors stay as they are. A key that stands nowhere is added only beside its siblings, and no value is invented.
"""

from hindcast.propose.settings.harm import harmful_settings
from hindcast.propose.settings.source import settings_again

__all__ = ["harmful_settings", "settings_again"]
