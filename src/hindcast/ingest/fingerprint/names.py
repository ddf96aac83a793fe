"""The name of a frame with what compilers and runtimes generate taken out, so that the next build has the same name."""

from __future__ import annotations

import re
from functools import lru_cache

from hindcast.ingest.fingerprint.machinery import ENTRIES
from hindcast.model.trace import Frame, Language

_JVM = (
    # Proxies and generated classes: the class they stand for is what counts.
    (re.compile(r"\$\$(?:EnhancerBy|FastClassBy|SpringCGLIB|KeyFactoryBy|BulkBeanBy)[\w$]*"), "<auto>"),
    (
        re.compile(
            r"_\$\$_(?:jvst|javassist|Weld)[\w$]*|\$(?:HibernateProxy|ByteBuddy|MockitoMock|auxiliary|HibernateAccessOptimizer)\$[\w$]*"
        ),
        "<auto>",
    ),
    (re.compile(r"\$\$Lambda(?:\$\d+)?(?:[/.]?0?x?[0-9a-f]+)?(?:/\d+)?"), "<lambda>"),
    (re.compile(r"\blambda\$(\w+)\$\d+"), r"\1<lambda>"),
    (re.compile(r"\b(Generated(?:Method|Constructor|SerializationConstructor)Accessor)\d+"), r"\1<auto>"),
    (re.compile(r"\bLambdaForm\$\w+(?:/0x[0-9a-f]+|/\d+)?"), "LambdaForm"),
    (re.compile(r"(?:jdk\.proxy\d+\.|com\.sun\.proxy\.)?\$Proxy\d+"), "<proxy>"),
    (re.compile(r"\baccess\$\d+"), "access"),
    # Anonymous classes are numbered in the order in which the compiler met them.
    (re.compile(r"\$\d+(?=[.$]|$)"), "<anonymous>"),
)
_GO = (
    (re.compile(r"\[(?:\.\.\.|[^\]]{0,400})\]"), ""),
    (re.compile(r"(?:\.func\d+|\.gowrap\d+|\.deferwrap\d+|\.\d+){1,400}$|(?:-fm|·\d+)$"), ""),
    (re.compile(r"\.glob\.\.func\d+"), ".glob"),
)
_RUST = (
    (re.compile(r"::h[0-9a-f]{16}$"), ""),
    (re.compile(r"(?:::)?(?:\{\{closure\}\}|\{closure#\d+\}|_\$u7b\$\$u7b\$closure\$u7d\$\$u7d\$)"), ""),
    (re.compile(r"::\{(?:impl|shim)[^}]*\}"), ""),
    (re.compile(r"::<[^<>]*(?:<[^<>]*>[^<>]*)*>"), ""),
    (re.compile(r"::_::"), "::"),
)
_DOTNET = (
    # Async methods, iterators and lambdas become classes of their own, named after the method they were written in.
    (re.compile(r"<<(\w+)>b__[\d_]+>d(?:\.MoveNext)?"), r"\1"),
    (re.compile(r"<(\w+)>d__\d+(?:`\d+)?(?:\.MoveNext)?"), r"\1"),
    (re.compile(r"(?:\.?<>c(?:__DisplayClass[\d_]+)?)(?:`\d+)?(?=[.+])"), ""),
    (re.compile(r"<(\w*)>[bg]__(?:(\w+)\|)?[\d_]+"), r"\1"),
    (re.compile(r"`\d+|\[[^\]]{0,400}\]"), ""),
    (re.compile(r"\.\.+"), "."),
)
_PHP = (
    (re.compile(r"class@anonymous.*?(?=->|::|$)"), "class@anonymous"),
    (re.compile(r"\{closure[^}]*\}"), "{closure}"),
    (re.compile(r"->"), "::"),
)
_RUBY = (
    (re.compile(r"^(?:(?:block(?: \(\d+ levels\))?|rescue|ensure) in )+"), ""),
    (re.compile(r"_{2,200}\d+_\d+$|_{2,200}_?\d{6,200}_?\d*$"), ""),
)
_JAVASCRIPT = (
    (re.compile(r" \[as [^\]]+\]$|^(?:async |new )+"), ""),
    (re.compile(r"^(?:Object|Module|Function|Array|Context|exports|module)\.(?=\w)"), ""),
    (re.compile(r"(?:\w{1,200}\.){0,200}<anonymous>|^\?+$|^anonymous$|/<$|</<"), ""),
)
_NATIVE = (
    (re.compile(r"\s{0,20}\[clone [^\]]{0,200}\]|\s{0,20}\[abi:\w+\]|\[inlined\]"), ""),
    (
        re.compile(
            r"(?:\.(?:cold|isra|part|constprop|llvm|lto_priv|cfi|cfi_jt|localalias|specialized)(?:\.\d+)*){1,200}$"
        ),
        "",
    ),
    (re.compile(r"\$[0-9a-f]{32}$"), ""),
    (re.compile(r"\$_\d+"), "$_"),
    (re.compile(r"\{lambda\([^)]*\)#\d+\}|'lambda\d*'|<lambda_[0-9a-f]+>"), "<lambda>"),
    (re.compile(r"::h[0-9a-f]{16}$"), ""),
)
_RULES = {
    Language.JVM: _JVM,
    Language.GO: _GO,
    Language.RUST: _RUST,
    Language.DOTNET: _DOTNET,
    Language.PHP: _PHP,
    Language.RUBY: _RUBY,
    Language.JAVASCRIPT: _JAVASCRIPT,
    Language.NATIVE: _NATIVE,
}
# These name a function without its module, so the file says which one it is.
_BY_FILE = frozenset({Language.PYTHON, Language.JAVASCRIPT, Language.RUBY, Language.PHP})
# A build gives each bundle a new name: main.3f2a9c1b.js, chunk-XYZ12345.js, app~9182.js.
_BUNDLE = re.compile(r"(?:[.~_-](?=[0-9a-zA-Z]*\d)[0-9a-zA-Z]{6,64})+(?=\.)|[.~_-]\d+(?=\.)")
_ADDRESS = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{16,}\b|\d{5,}")


def name_of(frame: Frame, language: Language) -> str:
    """What a frame is called whichever build it comes from; empty when the trace does not tell."""
    name = frame.function
    if name in ENTRIES and language in (Language.NATIVE, Language.RUST):
        # Every program has one, so its file says which one it is.
        return basename(frame.file)
    name = _ungenerated(name, language)
    if name or not frame.in_app or frame.file.startswith("<"):
        return name
    return _file_of(frame) or basename(frame.module)


# The functions of a program are few, and each stands on thousands of stacks.
@lru_cache(maxsize=65_536)
def _ungenerated(name: str, language: Language) -> str:
    for pattern, instead in _RULES.get(language, ()):
        name = pattern.sub(instead, name)
    if language is Language.GO:
        # Where a module lives is not what it is: forks and vendoring move it.
        name = name.rpartition("/")[2]
    return _ADDRESS.sub("<n>", name).strip(" .")


def key_of(frame: Frame, language: Language) -> str:
    """What a frame counts as: its name, with its file where a name alone says too little."""
    name = name_of(frame, language)
    if language in _BY_FILE and frame.file:
        file = _file_of(frame).lower()
        return name if not name or name.lower() == file else f"{file}:{name}"
    return name


def is_generated(name: str) -> bool:
    """Whether a name belongs to a class that was made while running: a proxy, an accessor."""
    return "<auto>" in name or "<proxy>" in name


def _file_of(frame: Frame) -> str:
    return _unbuilt(frame.file) if frame.file else ""


@lru_cache(maxsize=65_536)
def _unbuilt(file: str) -> str:
    """A file without its folder, and without what a build put into its name."""
    return _BUNDLE.sub("", basename(file.partition("?")[0]))


def basename(path: str) -> str:
    """The last part of a path, whichever way its slashes lean."""
    return path.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
