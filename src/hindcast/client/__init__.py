"""A typed client of Hindcast's API: `Hindcast` waits for answers, `AsyncHindcast` is awaited.

    with Hindcast("http://127.0.0.1:4318", key="hc_read_…", space="acme/shop") as hindcast:
        for incident in hindcast.every(hindcast.incidents_list, state="open"):
            print(incident.title)

Every operation of the API is a method of its own name (`docs/reference/openapi.json`). Errors are those of
`hindcast.model.errors`. There is no logic here that the server has too: a call is a description, an answer a value.
"""

from __future__ import annotations

from hindcast.client.awaited import AsyncHindcast
from hindcast.client.call import Patience
from hindcast.client.events import Event
from hindcast.client.waiting import Hindcast

__all__ = ["AsyncHindcast", "Event", "Hindcast", "Patience"]
