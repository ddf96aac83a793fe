"""The one authorisation point: who somebody is, and whether they may.

Every face asks here, for every request, tool call and stream, and nothing below asks again.
"""

from __future__ import annotations

from dataclasses import dataclass

from hindcast.model.access import Caller, CallerKind, Permission
from hindcast.model.errors import Missing, Refused


@dataclass(frozen=True, slots=True)
class Proof:
    """What a request brings to say who it comes from; empty where it brings nothing."""

    # An API key, however its protocol could send it: header, basic auth or URL.
    key: str = ""
    # The cookie of somebody who signed in.
    session: str = ""
    # The address it came from.
    peer: str = ""


class Access:
    """Recognises callers and authorises them. This one lets whoever sits at this machine do everything."""

    def __init__(self, *, actor: str) -> None:
        self._actor = actor

    def caller(self, _proof: Proof) -> Caller:
        """Who asks. Raises Unidentified where that has to be known and is not."""
        return Caller(CallerKind.LOCAL, "", self._actor)

    def authorise(self, caller: Caller, permission: Permission, space: str) -> None:
        """Raise unless the caller may. A space without any right in it is told of as if it did not exist."""
        allowed = caller.permissions_in(space)
        if not allowed:
            raise Missing(f"There is no space {space!r}.", field="space", remedy="GET /api/v1/spaces lists yours.")
        if permission not in allowed:
            raise Refused(
                f"This needs the permission to {permission} in {space!r}.",
                field="permission",
                remedy="Ask an admin of the project for a role or a key that has it.",
            )
