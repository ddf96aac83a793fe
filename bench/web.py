"""How much of a browser's main thread the Live page takes: 10,000 rows at once, then 50, 500 and 2,000 rows a second.

Drives Debian's Chromium on the built pages of a real `hindcast serve`; the lines are made beside it. `--seconds N`
says how long each pace is measured.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hindcast.config.local_token import FILE, read_token

DRIVER = Path(__file__).resolve().parent / "_web_live.mjs"
START_SECONDS_MAX = 60


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """A Hindcast on an empty store: where it answers, and what proves that somebody is at this machine."""
    port = free_port()
    settings = {"STORE": str(folder / "store"), "MODEL": "none", "CONFIG": os.devnull, "LOG_LEVEL": "warning"}
    environment = {**os.environ, **{f"HINDCAST_{name}": value for name, value in settings.items()}}
    command = [sys.executable, "-m", "hindcast", "serve", "--port", str(port), "--syslog-port", str(free_port())]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until_ready(url)
        yield url, read_token(folder / "store" / FILE)
    finally:
        process.terminate()
        process.wait()


def wait_until_ready(url: str) -> None:
    """Come back when it answers."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + START_SECONDS_MAX
    while True:
        try:
            with opener.open(f"{url}/readyz", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10, help="how long each pace is measured")
    asked = parser.parse_args()
    node = shutil.which("node")
    if node is None:
        sys.exit("Node drives the browser: install Node 20 or newer.")
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (url, token):
        subprocess.run([node, str(DRIVER), url, str(asked.seconds), token], check=True)


if __name__ == "__main__":
    main()
