"""The settings of a file, read as its name says that it is written."""

from __future__ import annotations

import re
from functools import lru_cache

from hindcast.propose.settings.blocks import read_yaml
from hindcast.propose.settings.entry import Form, Setting
from hindcast.propose.settings.flat import read_code, read_dockerfile, read_lines
from hindcast.propose.settings.flow import Flow, Scalar, Unreadable
from hindcast.propose.settings.leaves import Leaf, settings_of_leaves

# A file of settings that is larger is data.
FILE_CHARS_MAX = 300_000

_YAML = re.compile(r"\.ya?ml(?:\.(?:j2|tpl|tmpl|gotmpl|example|sample|dist))?$", re.I)
_JSON = re.compile(r"\.(?:json|jsonc|json5)$", re.I)
_LOCK = re.compile(
    r"(?:^|/)(?:package-lock|npm-shrinkwrap|composer\.lock|pnpm-lock|yarn\.lock|poetry\.lock|uv\.lock|.*\.lock)(?:\.\w+)?$",
    re.I,
)
_LINES = re.compile(
    r"(?:(?:^|/)\.?env(?:\.[\w.-]+)?|\.env|\.ini|\.cfg|\.properties|\.service|\.socket|\.timer|\.slice|\.envrc)$",
    re.I,
)
_DOCKERFILE = re.compile(r"(?:^|/)(?:Dockerfile|Containerfile)(?:\.[\w-]+)?$|\.dockerfile$", re.I)
_CODE = re.compile(
    r"(?:^|[/_.-])(?:settings|config|configuration|conf|constants|defaults|options|limits|env)(?:[/_.-][\w./-]{0,200})?\.(?:py|js|mjs|cjs|ts)$",
    re.I,
)
_CODE_ENDINGS = (".py", ".js", ".mjs", ".cjs", ".ts")
# Most files of a project are code, and say by none of these words that they hold settings or are an exception.
_SAYS_SO = re.compile(
    r"settings|conf|constants|defaults|options|limits|env|lock|dockerfile|containerfile|npm-shrinkwrap", re.I
)


def is_configuration(path: str) -> bool:
    """Whether a file may hold settings, as far as its name tells."""
    return _reader(path) != ""


def settings_in(path: str, text: str) -> tuple[Setting, ...]:
    """Every setting of a file, in its order; empty for a file that holds none or is too large."""
    if len(text) > FILE_CHARS_MAX:
        return ()
    return _read(_reader(path) or ("code" if path.endswith(_CODE_ENDINGS) else ""), text)


@lru_cache(maxsize=1_024)
def _read(reader: str, text: str) -> tuple[Setting, ...]:
    if reader == "json" or (reader == "yaml" and text.lstrip()[:1] == "{" and "{{" not in text):
        found = read_json(text)
        return found if found or reader == "json" else read_yaml(text)
    if reader == "yaml":
        return read_yaml(text)
    if reader == "toml":
        return read_lines(text, form=Form.TOML)
    if reader in ("lines", "conf"):
        return read_lines(text, is_spaced=reader == "conf")
    if reader == "dockerfile":
        return read_dockerfile(text)
    return read_code(text) if reader == "code" else ()


def read_json(text: str) -> tuple[Setting, ...]:
    """The settings of a JSON text, with comments or without; none where it does not close."""
    leaves: list[Leaf] = []
    items = iter(range(1, 10**7))

    def emit(path: tuple[str | int, ...], key: Scalar | None, value: Scalar) -> None:
        if path:
            leaves.append(Leaf(path, key, value))

    try:
        Flow(text, emit, lambda: next(items)).read(0, ())
    except Unreadable:
        return ()
    return tuple(settings_of_leaves(leaves, Form.JSON))


@lru_cache(maxsize=16_384)
def _reader(path: str) -> str:
    if path.endswith(_CODE_ENDINGS) and not _SAYS_SO.search(path):
        return ""
    if _LOCK.search(path):
        return ""
    for name, pattern in (
        ("yaml", _YAML),
        ("json", _JSON),
        ("lines", _LINES),
        ("dockerfile", _DOCKERFILE),
        ("code", _CODE),
    ):
        if pattern.search(path):
            return name
    if path.lower().endswith((".conf", ".cnf")):
        return "conf"
    return "toml" if path.lower().endswith(".toml") else ""
