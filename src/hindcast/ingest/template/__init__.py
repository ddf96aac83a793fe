"""Templates: what log lines of one origin have in common, found while they stream by.

The door is `Miner`. How it decides is told in docs/explanation/templates.md.
"""

from __future__ import annotations

from hindcast.ingest.template.miner import Explanation, Miner, TemplateLimits
from hindcast.ingest.template.reading import VARIABLE, Part

__all__ = ["VARIABLE", "Explanation", "Miner", "Part", "TemplateLimits"]
