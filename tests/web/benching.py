"""A Hindcast with a repository and an outage that memory knows, for stories and pictures of the workspace."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tests.serving import serving
from tests.web.staging import Stage

from hindcast.build import open_memory
from hindcast.build.shop import write_shop
from hindcast.build.workspaces import open_workspaces
from hindcast.cli import outage
from hindcast.config import Settings
from hindcast.seeding import seed

SPACE = "demo"


@contextmanager
def benched(folder: Path) -> Iterator[Stage]:
    """One on a machine of one's own, with the demo's code as workspace and the outage of its past under way again."""
    shop, now = folder / "shop", datetime.now(UTC)
    write_shop(shop, now=now)
    settings = Settings(store=str(folder / "store"), space=SPACE, model="none")
    with closing(open_memory(settings)) as memory:
        seed(memory, now=now)
        with closing(open_workspaces(settings, lambda _: memory)) as workspaces:
            workspaces.add_folder(SPACE, "shop", str(shop), by="ana", now=now)
    with serving(folder, space=SPACE, mode="demo", auth="open", actor="ana", log_level="warning") as served:
        played = outage.play(served.url, SPACE, now=lambda: datetime.now(UTC), seed=1, key=served.token)
        yield Stage(
            served,
            {
                "url": served.url,
                "local_link": served.link,
                "incident": played.incident["id"],
                "shop": str(shop),
                "archive": _zipped("tools/run.py"),
                "trap": _zipped("../run.py"),
            },
        )


def _zipped(path: str) -> str:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr(path, "print('<b>hello</b>')\n")
    return base64.b64encode(body.getvalue()).decode()
