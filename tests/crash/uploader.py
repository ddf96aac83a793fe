"""A program that uploads versions of a workspace until it is killed. Each life is forked from one with all imports.

It reads the number of a life from its input, forks, and tells when the life began and when it ended. The child tells
each version after it was acknowledged, never before.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import UTC, datetime

from hindcast.build import open_memory
from hindcast.build.workspaces import open_workspaces
from hindcast.config import Settings
from hindcast.ports.grounds import Incoming

FILES = 12


def say(line: str) -> None:
    """One line, in one write, so that lines of two processes never mix."""
    os.write(1, f"{line}\n".encode())


def live(store: str, life: int) -> None:
    """Upload one version after the other, for ever; every file of one holds its number."""
    settings = Settings(store=store, space="crash", model="none")
    memory = open_memory(settings)
    workspaces = open_workspaces(settings, lambda _: memory)
    count = 0
    while True:
        count += 1
        version = f"{life}-{count}".encode()
        files = (Incoming(f"d{number % 3}/f{number}.txt", iter([version])) for number in range(FILES))
        workspaces.upload("crash", "code", files, by="uploader", now=datetime.now(UTC))
        say(f"uploaded {life} {count}")


def main(store: str) -> None:
    """A life for each line of the input."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            live(store, int(line))
        say(f"began {child}")
        os.waitpid(child, 0)
        say("ended")


if __name__ == "__main__":
    main(sys.argv[1])
