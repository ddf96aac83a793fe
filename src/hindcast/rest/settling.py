"""What a server does once it has started: what is there now stays, and is left alone when garbage is looked for."""

from __future__ import annotations

import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hindcast.adapters.runtime import seldom_collecting

# A question gives the interpreter away dozens of times, at every row of the store and every step of its arithmetic, and
# each time has to wait this long for it where telemetry is being taken in. Python's 5 ms doubled the time to answer.
SWITCH_SECONDS = 0.001


@asynccontextmanager
async def settled() -> AsyncIterator[None]:
    """Settle down until it ends."""
    gc.collect()
    # What is there now stays; looking through it for garbage again and again would delay answers.
    gc.freeze()
    usual_seconds = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        with seldom_collecting():
            yield
    finally:
        sys.setswitchinterval(usual_seconds)
        gc.unfreeze()
