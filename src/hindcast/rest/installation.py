"""What this installation is set to, with what each setting is for. Secrets are masked, whoever asks."""

from __future__ import annotations

from fastapi import FastAPI

from hindcast.config import Settings
from hindcast.config.explaining import Explained, explained_values
from hindcast.rest.seat import Operating


def add(app: FastAPI, settings: Settings) -> None:
    """Add the route."""

    @app.get("/api/v1/settings", tags=["settings"], operation_id="settings_list")
    def show(_: Operating) -> tuple[Explained, ...]:
        """Every setting: its value, where that came from, its default and what it is for."""
        return explained_values(settings)
