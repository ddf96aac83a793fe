"""Opens the pages in a browser, where somebody sits before a screen."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Mapping
from typing import Annotated

import typer

from hindcast.config.local_token import local_link

OpenBrowser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the pages in a browser, where there is a screen.")
]


def is_sensible(environment: Mapping[str, str], *, is_terminal: bool, platform: str) -> bool:
    """Whether a browser can be opened here and somebody would see it: at a terminal, on a screen, not over SSH."""
    is_remote = "SSH_CONNECTION" in environment or "CI" in environment
    has_screen = platform in ("darwin", "win32") or bool(
        environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    )
    return is_terminal and has_screen and not is_remote


def open_pages(url: str, token: str, *, is_terminal: bool) -> None:
    """Open the pages of a server that has just begun to answer. The server does not wait for the browser."""
    if token and is_sensible(os.environ, is_terminal=is_terminal, platform=sys.platform):
        threading.Thread(target=webbrowser.open, args=(local_link(url, token),), daemon=True).start()
