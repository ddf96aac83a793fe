"""Where a text stops being readable as what it is written in, for whoever has to mend it."""

from __future__ import annotations

import json
import re
import tomllib

from hindcast.model.code import Tongue
from hindcast.propose.carry.syntax import fault_line

_TOML_LINE = re.compile(r"at line (\d+)")


def line_of_fault(text: str, tongue: Tongue) -> int | None:
    """The first line that cannot be read, the first one being 1; None where all can, or nobody here can tell."""
    if tongue is Tongue.JSON:
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            return error.lineno
        except RecursionError:
            return 1
        return None
    if tongue is Tongue.TOML:
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            found = _TOML_LINE.search(str(error))
            return int(found[1]) if found else text.count("\n") + 1
        except RecursionError:
            return 1
        return None
    return fault_line(text, tongue)
