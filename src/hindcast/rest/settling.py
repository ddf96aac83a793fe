"""What a server does once it has started: leave alone what stays, and give back what only starting needed."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import chain, repeat

from starlette.concurrency import run_in_threadpool

from hindcast.adapters.footprint import give_back, seldom_collecting

# A question gives the interpreter away dozens of times, at every row of the store and every step of its arithmetic, and
# each time has to wait this long for it where telemetry is being taken in. Python's 5 ms doubled the time to answer.
SWITCH_SECONDS = 0.001
# Soon after the start, once the first briefings have loaded the model, and then now and then.
FIRST_SECONDS = (3, 15, 60)
THEN_SECONDS = 600


@asynccontextmanager
async def settled() -> AsyncIterator[None]:
    """Settle down, and go on giving back until it ends."""
    gc.collect()
    # What is there now stays; looking through it for garbage again and again would delay answers.
    gc.freeze()
    usual_seconds = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    task = asyncio.create_task(_give_back())
    try:
        with seldom_collecting():
            yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        sys.setswitchinterval(usual_seconds)
        gc.unfreeze()


async def _give_back() -> None:
    for seconds in chain(FIRST_SECONDS, repeat(THEN_SECONDS)):
        await asyncio.sleep(seconds)
        await run_in_threadpool(give_back)
