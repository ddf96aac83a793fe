"""The cases of carry-over and code that lies in memory, as the bench has them: tests and bench read one set."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench._carry_cases import CarryCase, Shelf, cases
else:
    # The folder of the benches is no part of what tests may import by name.
    _place = Path(__file__).resolve().parents[1] / "bench" / "_carry_cases.py"
    _spec = spec_from_file_location("hindcast_carry_cases", _place)
    _module = module_from_spec(_spec)
    sys.modules[_spec.name] = _module
    _spec.loader.exec_module(_module)
    CarryCase, Shelf, cases = _module.CarryCase, _module.Shelf, _module.cases

__all__ = ["CarryCase", "Shelf", "cases"]
