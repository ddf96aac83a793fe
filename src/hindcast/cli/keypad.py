"""One key at a time from a terminal, or one line where keys cannot be had singly. The end of input says stop."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.text import Text

from hindcast.cli.session import Session

# Ctrl-C and Ctrl-D, as a terminal in cbreak mode may hand them over.
_STOPPING = ("\x03", "\x04")
# An arrow key is several bytes.
PRESSED_BYTES_MAX = 64


class Keypad:
    """Asks somebody at a terminal."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def key(self, question: str, allowed: str) -> str:
        """The next key out of those that mean something; empty when nobody answers any more."""
        while True:
            pressed = self._pressed(question)
            if not pressed:
                return ""
            found = pressed.strip()[:1].lower()
            if found and found in allowed:
                return found
            self._session.err.print(Text(f"Press one of {' '.join(allowed)}.", style="dim"))

    def line(self, question: str) -> str:
        """A line of text, which may be empty. Raises Abort when nobody answers any more: that is no answer."""
        self._session.err.print(Text(question), end=" ")
        answered = sys.stdin.readline()
        if not answered:
            raise typer.Abort
        return answered.strip()

    def _pressed(self, question: str) -> str:
        """A key or a line; empty at the end."""
        with _single_keys() as terminal:
            self._session.err.print(Text(question, style="bold"), end=" ")
            if terminal is None:
                return sys.stdin.readline()
            # All that came with it is dropped: whoever hits keys faster than cards are shown has not read them.
            pressed = os.read(terminal, PRESSED_BYTES_MAX).decode(errors="replace")[:1]
        self._session.err.print(pressed if pressed.isprintable() else "")
        return "" if pressed in _STOPPING else pressed


@contextmanager
def _single_keys() -> Iterator[int | None]:
    """While this is entered, the terminal hands over each key at once. None: there is no terminal that can.

    What was typed before is forgotten, so that no key decides about a card that was not on the screen yet.
    """
    try:
        import termios
        import tty

        terminal = sys.stdin.fileno()
    except (ImportError, io.UnsupportedOperation, ValueError):
        # Another system, or no device: keys come as lines.
        yield None
        return
    try:
        before = termios.tcgetattr(terminal)
    except termios.error:
        yield None
        return
    tty.setcbreak(terminal)
    try:
        yield terminal
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
