"""The built wheel, installed into an environment of its own: it has all that Hindcast needs of itself."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from tests.serving import STOP_SECONDS_MAX, free_port, wait_for

from hindcast.config.local_token import FILE, local_link, read_token

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "hindcast"


@dataclass(frozen=True)
class Installed:
    """A wheel, and the environment in which it is installed."""

    wheel: Path
    environment: Path

    def command(self, *words: str) -> list[str]:
        """A call of the program that was installed."""
        return [str(self.environment / "bin" / "hindcast"), *words]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel as it would be published. What it depends on is taken from the environment of this test."""
    folder = tmp_path_factory.mktemp("wheel")
    environment = folder / "environment"
    run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder), at=ROOT)
    (wheel,) = folder.glob("*.whl")
    venv.create(environment)
    python = environment / "bin" / "python"
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--no-deps",
        "--no-index",
        str(wheel),
        at=folder,
    )
    (packages,) = environment.glob("lib/python*/site-packages")
    # A folder that a .pth names has its own .pth files left alone: the package that is tested elsewhere is not found.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    found = run(str(python), "-c", "import hindcast; print(hindcast.__file__)", at=folder)
    assert Path(found.strip()).is_relative_to(packages)
    return Installed(wheel, environment)


def surroundings(folder: Path) -> Mapping[str, str]:
    """The environment of somebody who has set nothing, and whose home is empty."""
    ours = {
        name: value for name, value in os.environ.items() if not name.startswith(("HINDCAST_", "PYTHONPATH", "XDG_"))
    }
    # Without a model: making one is not what is tested, and takes long.
    return {**ours, "HOME": str(folder), "HINDCAST_MODEL": "none"}


def run(*words: str, at: Path) -> str:
    """What a command says that succeeds."""
    done = subprocess.run(words, cwd=at, env=surroundings(at), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def running(command: list[str], folder: Path, port: int) -> Iterator[httpx.Client]:
    """A program that serves at a port, once it is healthy, until it is told to end, which it does in order."""
    log = folder / "said.log"
    with log.open("wb") as said:
        process = subprocess.Popen(command, cwd=folder, env=surroundings(folder), stdout=said, stderr=said)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=10) as client:

            def is_healthy() -> bool:
                assert process.poll() is None, log.read_text()
                try:
                    return client.get("/healthz").is_success
                except httpx.TransportError:
                    return False

            wait_for(is_healthy, what=f"{log} says why it does not answer", seconds_max=120)
            yield client
        process.send_signal(signal.SIGINT)
        assert process.wait(STOP_SECONDS_MAX) in (0, 130), log.read_text()
    finally:
        process.kill()
        process.wait()


def test_every_file_of_the_package_is_in_the_wheel(installed: Installed) -> None:
    """Pages, rules, histories and prompts are not code, and come along all the same."""
    with zipfile.ZipFile(installed.wheel) as archive:
        inside = {name.removeprefix("hindcast/") for name in archive.namelist() if name.startswith("hindcast/")}
    files = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*") if path.is_file()}

    assert {file for file in files if "__pycache__" not in file} == inside
    assert "static/index.html" in inside


def test_the_installed_program_says_what_its_demo_takes(installed: Installed, tmp_path: Path) -> None:
    """Help needs nothing but the wheel, and leaves nothing behind."""
    assert "--port" in run(*installed.command("demo", "--help"), at=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_installed_program_serves_its_pages(installed: Installed, tmp_path: Path) -> None:
    """`hindcast serve` in an empty folder is healthy; its link leads to the pages and what they load."""
    port, store = free_port(), tmp_path / "store"
    command = installed.command("--store", str(store), "serve", "--port", str(port))
    with running(command, tmp_path, port) as client:
        client.headers["Accept"] = "text/html"
        page = client.get(local_link("", read_token(store / FILE)), follow_redirects=True)
        loaded = re.findall(r'src="(/[^"]+)"', page.text)

        assert page.is_success
        assert len(loaded) > 1
        assert all(client.get(one).is_success for one in loaded)


def test_the_installed_program_plays_its_demo(installed: Installed, tmp_path: Path) -> None:
    """`hindcast demo` in an empty folder writes its year and is healthy."""
    port = free_port()
    with running(installed.command("demo", "--port", str(port), "--rounds-only"), tmp_path, port):
        said = (tmp_path / "said.log").read_text()

    assert "incidents and 9 runbooks were written" in said
