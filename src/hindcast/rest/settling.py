"""What a server does once it has started: leave alone what stays, and give back what only starting needed."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import chain, repeat

from starlette.concurrency import run_in_threadpool

from hindcast.adapters.footprint import give_back

# Requests make many small objects that reference counting frees by itself; the collector only has to find cycles.
GC_THRESHOLDS = (50_000, 20, 50)
# Soon after the start, once the first briefings have loaded the model, and then now and then.
FIRST_SECONDS = (3, 15, 60)
THEN_SECONDS = 600


@asynccontextmanager
async def settled() -> AsyncIterator[None]:
    """Settle down, and go on giving back until it ends."""
    gc.collect()
    # What is there now stays; looking through it for garbage again and again would delay answers.
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    task = asyncio.create_task(_give_back())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        gc.unfreeze()


async def _give_back() -> None:
    for seconds in chain(FIRST_SECONDS, repeat(THEN_SECONDS)):
        await asyncio.sleep(seconds)
        await run_in_threadpool(give_back)
