"""A program that writes until it is killed. Each life is a process of its own, forked from one that has imported all.

It reads the number of a life from its input, forks, and tells when the life began and when it ended. The child tells
each commit after it was acknowledged, never before.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime

from hindcast.adapters.clock import WallClock
from hindcast.adapters.store_sql import open_store
from hindcast.memory import Memory
from hindcast.model.ids import Address
from hindcast.model.record import Change

SMALL, LARGE = 5, 300


def say(line: str) -> None:
    """One line, in one write, so that lines of two processes never mix."""
    os.write(1, f"{line}\n".encode())


def live(folder: str, life: int) -> None:
    """Commit batches for ever: every batch has one marker in all its records, and now and then something is erased."""
    memory = Memory(open_store(folder, "crash", now=datetime.now(UTC)), clock=WallClock(), entropy=os.urandom)
    count = 0
    while True:
        count += 1
        marker = f"{life}-{count}"
        namespace, size = ("large", LARGE) if count % 5 == 0 else ("small", SMALL)
        changes = [Change(Address(namespace, f"k{number}"), {"marker": marker}) for number in range(size)]
        say(f"wrote {memory.commit(changes, actor='writer', why=marker).id} {marker}")
        if count % 7 == 0:
            secret = Address("secret", f"s{life}")
            say(f"wrote {memory.put(secret, marker, actor='writer', why=marker).id} {marker}")
            say(f"wrote {memory.erase(secret, actor='writer', why=marker).commit.id} {marker}")


def main() -> None:
    """Fork a life for every number that comes in."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            live(sys.argv[1], int(line))
        say(f"began {child}")
        os.waitpid(child, 0)
        say("ended")


if __name__ == "__main__":
    main()
