"""A program that counts up a shared record: read, add one, write on what was read, and read again if that was stale."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime

from hindcast.adapters.clock import WallClock
from hindcast.adapters.store_sql import open_store
from hindcast.memory import Memory
from hindcast.model.errors import Stale
from hindcast.model.ids import Address
from hindcast.model.record import Change


def main() -> None:
    """Count, once told to begin."""
    where, space, name, times = sys.argv[1:]
    memory = Memory(open_store(where, space, now=datetime.now(UTC)), clock=WallClock(), entropy=os.urandom)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    stale = 0
    for _ in range(int(times)):
        while True:
            view = memory.at("main")
            head = memory.log(view.moment, commits_max=1)[0]
            count = view.get("shared/counter").body
            change = Change(Address("shared", "counter"), int(str(count)) + 1)
            try:
                memory.commit([change], actor=name, why="one more", expected_head=head.id)
            except Stale:
                stale += 1
            else:
                break
    sys.stdout.write(f"{stale}\n")
    memory.close()


if __name__ == "__main__":
    main()
