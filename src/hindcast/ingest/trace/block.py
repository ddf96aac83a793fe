"""One exception while it is being read, for the families that print its name, its message and then its calls."""

from __future__ import annotations

from dataclasses import dataclass, field

from hindcast.model.trace import Frame, Relation


@dataclass(slots=True)
class Block:
    """What has been read of it so far."""

    type: str
    message: str
    relation: Relation
    frames: list[Frame] = field(default_factory=list)
