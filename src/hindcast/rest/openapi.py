"""Writes docs/reference/openapi.json: `python -m hindcast.rest.openapi`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from hindcast.build.running import open_app
from hindcast.config import Settings
from hindcast.rest import create_app
from hindcast.rest.contract import written

DOCUMENT = Path("docs/reference/openapi.json")


def document() -> bytes:
    """The document of a Hindcast that is opened for this and thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        # Only a demo has a simulator, and whoever reads the document wants to know of it.
        settings = Settings(store=folder, model="none", actor="nobody", mode="demo")
        running = open_app(settings)
        try:
            return written(create_app(running, settings))
        finally:
            running.close()


def main(file: Path = DOCUMENT) -> None:
    """Write the document."""
    file.write_bytes(document())


if __name__ == "__main__":
    main(*(Path(name) for name in sys.argv[1:]))
