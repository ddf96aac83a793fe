"""Makes and revokes keys until it is killed. It tells each step after it was acknowledged, never before."""

from __future__ import annotations

import os
import sys

from hindcast.build.accounts import open_accounts
from hindcast.config import Settings
from hindcast.model.access import Power


def live(folder: str) -> None:
    """Make keys for ever, and revoke every second one."""
    access = open_accounts(Settings(store=folder, actor="keymaker"))
    count = 0
    while True:
        count += 1
        made = access.keys.create(f"{os.getpid()}-{count}", Power.READ, organisation="home", by=access.operator)
        os.write(1, f"made {made.secret}\n".encode())
        if count % 2 == 0:
            access.keys.revoke(made.key.id, by=access.operator)
            os.write(1, f"revoked {made.secret}\n".encode())


if __name__ == "__main__":
    live(sys.argv[1])
