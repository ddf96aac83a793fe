"""Writes docs/reference/openapi.json, and the routes in docs/reference/rest.md: `python -m hindcast.rest.openapi`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import orjson

from hindcast.build.running import open_app
from hindcast.config import Settings
from hindcast.rest import create_app
from hindcast.rest.contract import API, written

DOCUMENT = Path("docs/reference/openapi.json")
PAGE = Path("docs/reference/rest.md")
BEGIN = "<!-- routes: written by python -m hindcast.rest.openapi -->"
END = "<!-- end of routes -->"


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


def main(file: Path = DOCUMENT, page: Path = PAGE) -> None:
    """Write the document, and its routes into the page that explains them."""
    made = document()
    file.write_bytes(made)
    page.write_text(with_routes(page.read_text(), orjson.loads(made)))


def with_routes(page: str, made: dict[str, Any]) -> str:
    """A page with the table of routes between its two marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{_routes(made)}\n{END}{after}"


def _routes(made: dict[str, Any]) -> str:
    lines: list[str] = []
    for tag in dict.fromkeys(one["tags"][0] for _, one in _operations(made)):
        words = next((known["description"] for known in made["tags"] if known["name"] == tag), "")
        lines += ["", f"### {tag}", "", words, "", "| route | what it does | `client.` |", "|---|---|---|"]
        lines += [
            f"| `{route}` | {one['summary']} | `{one['operationId']}` |"
            for route, one in _operations(made)
            if one["tags"][0] == tag
        ]
    return "\n".join([*lines, ""])


def _operations(made: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", one)
        for path, item in made["paths"].items()
        if path.startswith(API)
        for method, one in item.items()
    ]


if __name__ == "__main__":
    main(*(Path(name) for name in sys.argv[1:]))
