"""Typing command lines, for tests that use Hindcast as somebody at a terminal would."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from hindcast import cli


@dataclass(frozen=True)
class Said:
    """What one command left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on stdout."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


def typed(
    words: Sequence[str],
    capture: pytest.CaptureFixture[str],
    patch: pytest.MonkeyPatch,
    *,
    stdin: str | bytes | None = None,
    terminal: bool = False,
) -> Said:
    """Run `hindcast WORDS` with something on stdin, which may be a terminal."""
    given = stdin.encode() if isinstance(stdin, str) else stdin or b""
    source = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    patch.setattr(source, "isatty", lambda: terminal, raising=False)
    patch.setattr(sys, "stdin", source)
    capture.readouterr()
    code = cli.run(list(words))
    told = capture.readouterr()
    return Said(code, told.out, told.err)
