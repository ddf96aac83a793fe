"""What a file is written in, by its name, or by the first line of a file whose name does not tell."""

from __future__ import annotations

from hindcast.model.code import Tongue

_BY_ENDING = {
    **dict.fromkeys(("py", "pyi", "pyw"), Tongue.PYTHON),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx"), Tongue.JAVASCRIPT),
    **dict.fromkeys(("ts", "mts", "cts"), Tongue.TYPESCRIPT),
    "tsx": Tongue.TSX,
    "go": Tongue.GO,
    "java": Tongue.JAVA,
    **dict.fromkeys(("rb", "rake", "gemspec"), Tongue.RUBY),
    "rs": Tongue.RUST,
    "php": Tongue.PHP,
    "cs": Tongue.CSHARP,
    **dict.fromkeys(("c", "h", "cc", "cpp", "cxx", "hh", "hpp"), Tongue.C),
    **dict.fromkeys(("sh", "bash", "zsh", "ksh"), Tongue.SHELL),
    "sql": Tongue.SQL,
    **dict.fromkeys(("yaml", "yml"), Tongue.YAML),
    "toml": Tongue.TOML,
    **dict.fromkeys(("json", "json5", "jsonc"), Tongue.JSON),
    **dict.fromkeys(("ini", "cfg", "conf", "properties"), Tongue.INI),
    "env": Tongue.ENV,
    "dockerfile": Tongue.DOCKERFILE,
    **dict.fromkeys(("md", "markdown"), Tongue.MARKDOWN),
    **dict.fromkeys(("html", "htm"), Tongue.HTML),
    "css": Tongue.CSS,
}

_BY_NAME = {
    "dockerfile": Tongue.DOCKERFILE,
    "containerfile": Tongue.DOCKERFILE,
    "rakefile": Tongue.RUBY,
    "gemfile": Tongue.RUBY,
    "pipfile": Tongue.TOML,
    "cargo.lock": Tongue.TOML,
    "poetry.lock": Tongue.TOML,
    "uv.lock": Tongue.TOML,
    ".editorconfig": Tongue.INI,
    ".bashrc": Tongue.SHELL,
    ".profile": Tongue.SHELL,
}

# Programs that a file's first line may name.
_BY_PROGRAM = {
    "python": Tongue.PYTHON,
    "pypy": Tongue.PYTHON,
    "node": Tongue.JAVASCRIPT,
    "deno": Tongue.TYPESCRIPT,
    "ruby": Tongue.RUBY,
    "php": Tongue.PHP,
    "sh": Tongue.SHELL,
    "bash": Tongue.SHELL,
    "dash": Tongue.SHELL,
    "ksh": Tongue.SHELL,
    "zsh": Tongue.SHELL,
}


def tongue_of(path: str, text: str) -> Tongue:
    """What a file is written in."""
    name = path.rpartition("/")[2].lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.startswith("dockerfile."):
        return Tongue.DOCKERFILE
    # .env, .env.production and production.env alike.
    if name == ".env" or name.startswith(".env."):
        return Tongue.ENV
    ending = name.rpartition(".")[2] if "." in name else ""
    return _BY_ENDING.get(ending) or _by_program(text)


def _by_program(text: str) -> Tongue:
    first = text[:200].partition("\n")[0]
    if not first.startswith("#!"):
        return Tongue.TEXT
    words = [word.rpartition("/")[2] for word in first[2:].split()]
    if words[:1] == ["env"]:
        # What env itself is told comes before the program: options and settings.
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    program = words[0].rstrip("0123456789.") if words else ""
    return _BY_PROGRAM.get(program, Tongue.TEXT)
