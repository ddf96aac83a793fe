"""Puts the parts together: the only place that knows which adapters there are."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from platformdirs import user_data_path

from hindcast.adapters.clock import WallClock
from hindcast.adapters.embedder_onnx import OnnxEmbedder
from hindcast.adapters.index_local import LocalIndex
from hindcast.adapters.model_pack import default_pack
from hindcast.adapters.store_sql import open_store
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.ports import Clock, Embedder


def open_memory(settings: Settings, *, create: bool = True, clock: Clock | None = None) -> Memory:
    """Open the memory of one space, with its index and whatever gives texts a meaning."""
    return _opened(settings, embedder(settings), create, clock, shared=False)


def open_memory_with(
    settings: Settings, model: Embedder | None, *, create: bool = True, clock: Clock | None = None
) -> Memory:
    """The same for a process that many ask, about many spaces: the model is there already and loaded once.

    Nobody waits there for the model to read what was written just now.
    """
    return _opened(settings, model, create, clock, shared=True)


def _opened(settings: Settings, model: Embedder | None, create: bool, clock: Clock | None, *, shared: bool) -> Memory:
    clock = clock or WallClock()
    store = open_store(settings.store, settings.space, now=clock.now(), create=create)
    index = LocalIndex(index_folder(settings), store, embedder=model, makes_meanwhile=shared)
    return Memory(store, clock=clock, entropy=os.urandom, index=index)


def index_folder(settings: Settings) -> Path:
    """Where the index of a space lives: it can be deleted at any time."""
    if settings.index:
        return Path(settings.index) / settings.space
    if not settings.is_postgres:
        return Path(settings.store) / f"{settings.space}.index"
    # Several servers may hold spaces of one name; the address keeps their indexes apart without showing a password.
    server = hashlib.sha256(settings.store.encode()).hexdigest()[:16]
    return user_data_path("hindcast") / "index" / server / settings.space


def embedder(settings: Settings) -> Embedder | None:
    """What gives texts a meaning: an endpoint, a model pack, or nothing, and then words have to do."""
    if settings.embed_url:
        # Imported here: an HTTP client takes longer to load than most commands take to run.
        from hindcast.adapters.embedder_http import HttpEmbedder
        from hindcast.adapters.outbound import Outbound

        guard = Outbound.allowing(settings.outbound_allow)
        key = settings.embed_key or None
        return HttpEmbedder(settings.embed_url, settings.embed_model, api_key=key, outbound=guard)
    if settings.model == "none":
        return None
    folder = Path(settings.model) if settings.model else default_pack()
    return OnnxEmbedder(folder) if folder is not None else None
