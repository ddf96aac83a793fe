"""How a frame of a trace names a file: whatever machine, container, package or bundle it was printed on.

A trace was printed where the program ran, and its paths are those of that place. Here a frame becomes the parts of a
path that mean something in a repository, or nothing where it names no source file of the project.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hindcast.model.trace import Frame, Language

# A path longer than this was not printed by a program that anybody wrote.
PATH_CHARS_MAX = 1_000

_SCHEME = re.compile(
    r"^(?:webpack(?:-internal)?|file|https?|app|rsc|turbopack|ng|vite|capacitor|async)://(?P<rest>.*)$", re.I
)
_DRIVE = re.compile(r"^[A-Za-z]:(?=/)")
_QUERY = re.compile(r"[?#].*$")
# `bundle.js`, `main.3f2a9c81.js`, `chunk-ABCD1234.mjs`, `vendor.min.js`: made by a tool, and their lines mean nothing.
_BUNDLED = re.compile(
    r"(?:\.min\.(?:m?js|css)|^(?:bundle|vendors?|runtime|polyfills|commons)(?:[.~-][\w~.-]*)?\.m?js"
    r"|(?:^|[.-])chunk(?:[.-][\w.-]{0,200})?\.m?js|[.-](?=[\w]*\d)[0-9a-f]{8,40}\.m?js|-(?=\w*\d)(?=\w*[A-Z])[\w]{8}\.m?js|\.bundle\.m?js)$"
)
# No file: code that was made while the program ran, or that the runtime holds.
_NO_FILE = re.compile(
    r"^(?:<.*>|\[.*\]|node:.*|internal/.*|native|Unknown Source|Native Method|eval at .*"
    r"|.*\.(?:so|dll|dylib|exe|jar)(?:\.\d+)*)$",
    re.I,
)
# What comes before a package that was installed; behind it, only the whole path means something.
_INSTALLED = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|vendor/bundle/.*?/gems/[^/]+|gems/[^/]+)/(?P<rest>.+)$"
)
_GO_MODULE = re.compile(r"(?:^|/)pkg/mod/(?P<module>[^@]+)@[^/]+/(?P<rest>.+)$")
_JVM_ENDINGS = (".java", ".kt", ".scala", ".groovy", ".clj")
_MODULE = re.compile(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$")


@dataclass(frozen=True, slots=True)
class Printed:
    """The parts of a path as a frame names it, the file last."""

    parts: tuple[str, ...]
    # "path" as it was printed; "module" or "package" where the path was made from names.
    by: str = "path"
    # Whether only the whole of it counts: an installed package of the same name as one of the project's folders is
    # not the project's.
    is_whole: bool = False
    # The Go module it belongs to, as far as the path tells.
    module: str = ""


def printed(frame: Frame, language: Language) -> tuple[Printed, ...]:
    """What files a frame may name, the likeliest spelling first; none where it names no file of a project."""
    file = frame.file.strip()
    if len(file) > PATH_CHARS_MAX or len(frame.function) > PATH_CHARS_MAX:
        return ()
    if not file:
        return _of_module(frame, language)
    parts = path_parts(file)
    if not parts or is_bundled(parts[-1]) or _NO_FILE.match(file):
        return ()
    if language is Language.JVM and len(parts) == 1 and parts[0].endswith(_JVM_ENDINGS):
        return _of_package(frame, parts[0])
    path = "/".join(parts)
    if (match := _GO_MODULE.search(path)) is not None:
        return (Printed(tuple(match["rest"].split("/")), module=_unescaped(match["module"])),)
    if (match := _INSTALLED.search(path)) is not None:
        return (Printed(tuple(match["rest"].split("/")), is_whole=True),)
    return (Printed(parts),) if frame.in_app else ()


def path_parts(file: str) -> tuple[str, ...]:
    """A path as it was printed, without scheme, host, drive, query and steps that lead nowhere."""
    text = file.strip().strip("\"'").replace("\\", "/")
    is_remote = re.match(r"^https?://", text, re.I) is not None
    if (match := _SCHEME.match(text)) is not None:
        # `webpack:///./src/a.js`, `webpack://shop/./src/a.js`, `http://host/static/a.js`.
        text = match["rest"].partition("/")[2] if is_remote else match["rest"]
        if text.startswith("(") and ")" in text:
            text = text.partition(")")[2]
    text = _DRIVE.sub("", _QUERY.sub("", text).lstrip("/") if _DRIVE.match(text.lstrip("/")) else _QUERY.sub("", text))
    parts: list[str] = []
    for part in text.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            # What was before it is not where the file is.
            parts = parts[:-1]
            continue
        parts.append(part)
    return tuple(parts)


def is_bundled(name: str) -> bool:
    """Whether a file was made by a bundler or a minifier, so that its lines are nobody's."""
    return _BUNDLED.search(name) is not None


def simple_name(function: str) -> str:
    """The name of a function as its definition spells it; empty where it has none: lambdas, module level."""
    name = function.strip()
    if name.startswith("async "):
        name = name[6:]
    name = name.removeprefix("new ")
    name = re.sub(r"\s{0,20}\[as [^\]]{0,200}\]$|\(.*\)$|<(?!locals|module|lambda|anonymous)[\w, ]*>", "", name)
    # Go's closures are numbered within their function; Java's lambdas name the method they are in.
    name = re.sub(r"(?:\.(?:func|gowrap)?\d{1,20}){1,20}$", "", name)
    if (match := re.search(r"lambda\$(\w+)\$\d+$", name)) is not None:
        return match[1]
    last = re.split(r"::|[./#\\]|->|\s", name)[-1]
    if last.startswith("<") or not re.match(r"^[^\W\d][\w$?!]*$", last) or last in ("anonymous", "closure"):
        return ""
    return last


def _of_module(frame: Frame, language: Language) -> tuple[Printed, ...]:
    """Files that a module, or a function with its module before it, would have."""
    if not frame.in_app:
        return ()
    names = [name for name in (frame.module, frame.function) if name and _MODULE.match(name) and "." in name]
    ending = {Language.PYTHON: ".py", Language.JVM: ".java"}.get(language)
    if ending is None or not names:
        return ()
    words = names[0].split(".")
    if names[0] == frame.module:
        return (Printed((*words[:-1], words[-1] + ending), "module"), *_package_file(words, ending))
    # `app.worker.tasks.Pool.take`: how many of the words are the module, the words do not tell.
    counts = range(len(words) - 1, 0, -1)
    return tuple(Printed((*words[: count - 1], words[count - 1] + ending), "module") for count in counts[:4])


def _package_file(words: list[str], ending: str) -> tuple[Printed, ...]:
    return (Printed((*words, "__init__.py"), "module"),) if ending == ".py" else ()


def _of_package(frame: Frame, name: str) -> tuple[Printed, ...]:
    """`com.acme.Pool.take` in `Pool.java` is `com/acme/Pool.java`."""
    words = frame.function.split("/")[-1].split(".")
    folders = words[:-2]
    if not frame.in_app:
        return ()
    return (Printed((*folders, name), "package" if folders else "path"),)


def _unescaped(module: str) -> str:
    """Go writes capitals of a module's path as `!a` in its cache."""
    return re.sub(r"!([a-z])", lambda match: match[1].upper(), module)
