"""What a tool is, and what it answers with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from hindcast.model.access import Permission
from hindcast.toolbox.desk import Desk


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a tool is called with; every field has a description and, where one helps, an example."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool found, for a model to read and for a program to use."""

    # Within the budget that was asked for. Recorded text stands in quotes that it cannot end.
    text: str
    # The same as JSON values; it holds no more than the text tells.
    data: Mapping[str, Any] = field(default_factory=dict)
    # Every record that the text rests on, as in `cases/inc-20260930-0203-payment@412`.
    evidence: tuple[str, ...] = ()
    # Whether something did not fit; the text says how to get the rest.
    is_truncated: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a model can do."""

    name: str
    title: str
    # Written for small models: what it is for, when to use it, what comes back.
    description: str
    arguments: type[Arguments]
    # Takes the desk and arguments of exactly that type.
    run: Callable[[Desk, Any], ToolAnswer]
    permission: Permission = Permission.READ
    # Whether something that was there is gone afterwards. Memory only ever adds; files are changed.
    is_destructive: bool = False
    # Whether doing it twice comes to the same as doing it once.
    is_idempotent: bool = True

    @property
    def is_read_only(self) -> bool:
        """Whether it changes nothing."""
        return self.permission is Permission.READ
