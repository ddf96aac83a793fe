"""Style as a test: the few habits that are rules, each with the list of places that break it.

Every check is a function from a piece of text (a parsed module, a file's lines) to the offences in it, so that the last
part of this file can hand each one an offender and see that it is found. What ruff, mypy and import-linter already
check is not checked again here.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "hindcast"

MODULE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70
CLASS_METHODS_MAX = 12

# Classes that may show more methods than most: how many, and why splitting them would help nobody.
METHOD_ALLOWANCES: dict[str, tuple[int, str]] = {
    "hindcast.memory.Memory": (32, "the one door to memory: every verb of history, each a line or two onto a module"),
    "hindcast.ports.memory.Store": (26, "reads of history that one transaction scope has to answer together"),
    "hindcast.adapters.store_sql.SqlStore": (26, "the one implementation of the Store port"),
    "hindcast.ports.telemetry.Telemetry": (13, "one verb for each question about raw data; none is made of two others"),
    "hindcast.adapters.telemetry_clickhouse.ClickhouseTelemetry": (13, "one for each verb of its port"),
}

# Written by `make generate`, one line after the other: nobody reads them from top to bottom, and nobody writes them.
GENERATED = PurePosixPath("src/hindcast/client/generated")

# Names that say nothing of what is inside, whole or as a part joined by underscores.
BANNED_NAMES = frozenset({"util", "utils", "helper", "helpers", "common", "manager", "service", "base", "misc"})

# The faces translate every failure for whoever is outside, so they alone may catch everything.
FACES = frozenset({"cli", "rest", "mcp"})

# The parts that touch the world or put together those that do. Every other part of the package, today's and
# tomorrow's, gets the world as an argument.
WORLDLY = FACES | {"adapters", "build", "client", "config", "integrations"}
WORLDLY_MODULES = frozenset(
    # Time, chance, files.
    {"time", "random", "secrets", "glob", "io", "os", "pathlib", "shutil", "sqlite3", "tempfile"}
    # Other machines, other processes, other threads.
    | {"http", "httpx", "select", "socket", "ssl", "asyncio", "multiprocessing", "signal", "subprocess", "threading"}
)
CLOCK_CALLS = frozenset({"now", "utcnow", "today"})
CLOCK_OWNERS = frozenset({"datetime", "date"})
WORLDLY_CALLS = frozenset({"open", "input", "uuid1", "uuid4", "urandom", "default_rng"})

SKIP_CALLS = frozenset({"skip", "skipif", "skipUnless", "skipIf", "xfail", "importorskip", "expectedFailure"})
# The only good reason for a skipped test: recorded data that is not part of the repository.
SKIP_REASON = "shared data is absent"

# Put together from parts, so that this file does not hold what it looks for.
UNFINISHED = re.compile(r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX")) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:" + "|".join(("work", "root", "home", "Users")) + r")/")
REGISTRY = re.compile(
    "|".join(
        re.escape(".".join(parts))
        for parts in (
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("npmjs", "org"),
            ("yarnpkg", "com"),
            ("crates", "io"),
            ("deb", "debian", "org"),
        )
    )
    + r"|^\s*--(?:extra-)?index-url|^\s*-i\s+https?:|\"resolved\":\s*\"https?:"
)
# Recorded incidents are quoted as they were, with the paths of the machines they happened on.
QUOTED = (PurePosixPath("tests/golden"),)


@dataclass(frozen=True, slots=True)
class Module:
    """One Python file: its place in the repository, and what stands in it."""

    path: PurePosixPath
    source: str

    @property
    def tree(self) -> ast.Module:
        """The parsed source."""
        return _parsed(self.source)

    @property
    def name(self) -> str:
        """What it is imported as, when it belongs to the package."""
        parts = self.path.relative_to("src").with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def part(self) -> str:
        """The part of the package that it belongs to: `memory` for hindcast/memory/merge.py."""
        parts = self.path.relative_to("src/hindcast").parts
        return PurePosixPath(parts[0]).stem

    def at(self, node: ast.stmt | ast.expr | ast.excepthandler, what: str) -> str:
        """An offence, told with its place."""
        return f"{self.path}:{node.lineno}: {what}"


Check = Callable[[Module], Iterator[str]]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def modules(folder: str) -> tuple[Module, ...]:
    """Every Python file below a folder of the repository."""
    return tuple(
        Module(PurePosixPath(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / folder).rglob("*.py"))
    )


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that is part of the repository, committed or about to be."""
    git = shutil.which("git")
    command = [git or "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False).stdout if git else b""
    files = {ROOT / name for name in listed.decode().split("\0") if name}
    if Path(__file__).resolve() not in files:
        # Not a git checkout (an unpacked archive, say): everything but what tools have made.
        made = re.compile(r"\.(?!ci$)|__pycache__$|node_modules$|build$|dist$")
        files = {
            path for path in ROOT.rglob("*") if not any(made.match(part) for part in path.relative_to(ROOT).parts[:-1])
        }
    return tuple(sorted(path for path in files if path.is_file()))


def texts() -> Iterator[tuple[PurePosixPath, str]]:
    """Every text file of the repository with its content; what is not UTF-8 text is left out."""
    for path in project_files():
        content = path.read_bytes()
        if b"\0" in content:
            continue
        yield PurePosixPath(path.relative_to(ROOT)), content.decode("utf-8", errors="replace")


def offences(check: Check, folder: str = "src") -> list[str]:
    """What a check finds in all modules of a folder."""
    return [offence for module in modules(folder) for offence in check(module)]


def nothing(found: Sequence[str]) -> None:
    """Fail with the whole list unless nothing was found."""
    assert not found, "\n" + "\n".join(found)


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function and method, however deep."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def decorators(node: Function | ast.ClassDef) -> frozenset[str]:
    """The names of a definition's decorators without what they hang on: `setter` for @body.setter."""
    return frozenset(dotted(decorator).rpartition(".")[2] for decorator in node.decorator_list)


def public_methods(node: ast.ClassDef) -> int:
    """How many public methods a class has. An overload is the same method, and a property is none."""
    not_verbs = {"property", "cached_property", "setter", "deleter"}
    return len(
        {
            member.name
            for member in node.body
            if isinstance(member, Function) and not member.name.startswith("_") and not decorators(member) & not_verbs
        }
    )


def dotted(node: ast.AST | None) -> str:
    """A name such as `datetime.now` as it is written; empty for anything that is not just a name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute):
            return f"{dotted(value)}.{attribute}".lstrip(".")
        case ast.Call(func=function):
            return dotted(function)
    return ""


# --- Checks of modules --------------------------------------------------------------------------------------------


def long_module(module: Module) -> Iterator[str]:
    """A module with too many lines; it is usually two things."""
    lines = len(module.source.splitlines())
    if lines > MODULE_LINES_MAX and not module.path.is_relative_to(GENERATED):
        yield f"{module.path}: {lines} lines"


def long_functions(module: Module) -> Iterator[str]:
    """Functions with too many lines, their docstring and signature counted."""
    for node in functions(module.tree):
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > FUNCTION_LINES_MAX:
            yield module.at(node, f"{node.name} has {lines} lines")


def wide_classes(module: Module) -> Iterator[str]:
    """Classes with too many public methods. Properties are what a thing is, not what it does, and do not count."""
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.ClassDef) or module.path.is_relative_to(GENERATED):
            continue
        most, _ = METHOD_ALLOWANCES.get(f"{module.name}.{node.name}", (CLASS_METHODS_MAX, ""))
        if (methods := public_methods(node)) > most:
            yield module.at(node, f"{node.name} has {methods} public methods, {most} are allowed")


def empty_names(module: Module) -> Iterator[str]:
    """Files and folders whose name says nothing."""
    for part in module.path.with_suffix("").parts:
        if BANNED_NAMES & set(part.split("_")):
            yield f"{module.path}: call it by what it is, not {part!r}"


def broad_handlers(module: Module) -> Iterator[str]:
    """Handlers that catch everything, outside the faces."""
    if module.part in FACES:
        return
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        broad = [name for name in map(dotted, caught) if name.rpartition(".")[2] in {"", "Exception", "BaseException"}]
        if broad:
            yield module.at(node, f"catches {broad[0] or 'everything'}; name the errors that can happen")


def worldly_imports(module: Module) -> Iterator[str]:
    """Imports of clock, randomness, files, sockets and threads below the adapters."""
    if module.part in WORLDLY:
        return
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=names):
                imported = [alias.name for alias in names]
            case ast.ImportFrom(module=str(name), level=0):
                imported = [name]
            case _:
                continue
        for name in imported:
            if name.partition(".")[0] in WORLDLY_MODULES:
                yield module.at(node, f"imports {name}; take it through a port or as an argument")


def worldly_calls(module: Module) -> Iterator[str]:
    """Calls that ask the machine for the time, for chance or for a file, below the adapters."""
    if module.part in WORLDLY:
        return
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        owner, _, verb = dotted(node.func).rpartition(".")
        is_clock = verb in CLOCK_CALLS and owner.rpartition(".")[2] in CLOCK_OWNERS
        is_chance = owner.endswith(".random")
        # A method called open is somebody's verb; the function and what hangs on a module are the world.
        is_world = verb in WORLDLY_CALLS and (verb not in {"open", "input"} or not owner)
        if is_clock or is_chance or is_world:
            yield module.at(node, f"calls {dotted(node.func)}; take it through a port or as an argument")


def mute_module(module: Module) -> Iterator[str]:
    """A module that does not begin by saying what it is for."""
    if not ast.get_docstring(module.tree):
        yield f"{module.path}:1: no docstring"


def mute_definitions(module: Module) -> Iterator[str]:
    """Public classes, functions and methods without a sentence of their own."""

    def visit(node: ast.Module | ast.ClassDef) -> Iterator[str]:
        for member in node.body:
            if not isinstance(member, Function | ast.ClassDef) or member.name.startswith("_"):
                continue
            if not ast.get_docstring(member) and not decorators(member) & {"overload", "override", "setter"}:
                yield module.at(member, f"{member.name} has no docstring")
            if isinstance(member, ast.ClassDef):
                yield from visit(member)

    return visit(module.tree)


def mute_tests(module: Module) -> Iterator[str]:
    """Tests that do not state their fact in a sentence."""
    for node in functions(module.tree):
        if node.name.startswith("test_") and not (ast.get_docstring(node) or "").rstrip().endswith((".", "?", "!")):
            yield module.at(node, f"{node.name} states no fact in a sentence")


def skipped_tests(module: Module) -> Iterator[str]:
    """Tests that are skipped or expected to fail for any reason but absent shared data."""
    excused = {
        id(node.func)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and any(
            isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.startswith(SKIP_REASON)
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]
            for part in ast.walk(argument)
        )
    }
    for node in ast.walk(module.tree):
        match node:
            case ast.Attribute(attr=verb) if verb in SKIP_CALLS and id(node) not in excused:
                owner = dotted(node).partition(".")[0]
                if owner in {"pytest", "unittest"}:
                    yield module.at(node, f"{dotted(node)} without {SKIP_REASON!r} as its reason")
            case ast.ImportFrom(module="pytest" | "unittest", names=names):
                for alias in names:
                    if alias.name in SKIP_CALLS | {"mark"}:
                        yield module.at(node, f"imports {alias.name}; write pytest.{alias.name}, so that it is seen")


# --- Checks of text -----------------------------------------------------------------------------------------------


def lines_with(pattern: re.Pattern[str], path: PurePosixPath, text: str) -> Iterator[str]:
    """The lines of a file that hold what they should not."""
    for number, line in enumerate(text.splitlines(), start=1):
        if pattern.search(line):
            yield f"{path}:{number}: {line.strip()[:100]}"


def addresses(path: PurePosixPath, text: str) -> Iterator[str]:
    """Lines of a list of requirements that say where a package comes from."""
    return lines_with(re.compile(r"://|\s@\s|^\s*-|^\s*file:"), path, text)


def loose_pins(path: PurePosixPath, text: str) -> Iterator[str]:
    """Lines of a list of requirements that leave the version open."""
    return lines_with(re.compile(r"^(?!\s*#|\s*$|[\w.-]+==[\w.+!]+(?:\s;|$))"), path, text)


def links(text: str) -> Iterator[str]:
    """The places inside the repository that a Markdown page points to, without their anchors."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    for target in re.findall(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)", prose):
        place = target.partition("#")[0]
        if place and not re.match(r"[a-z][a-z0-9+.-]*:", place):
            yield place


def dead_links(path: Path, text: str) -> Iterator[str]:
    """Links of a Markdown page that lead nowhere."""
    for place in links(text):
        if not (path.parent / place).exists():
            yield f"{path}: {place}"


def glossary_terms(text: str) -> list[str]:
    """The first column of the glossary's tables."""
    return re.findall(r"^\| \*\*([^*|]+)\*\* \|", text, flags=re.MULTILINE)


def requirement_names(requirements: Sequence[str]) -> set[str]:
    """The bare names in a list of requirements, written the one way that pins are."""
    found = (re.match(r"\s*([A-Za-z0-9][\w.-]*)", requirement) for requirement in requirements)
    return {re.sub(r"[-_.]+", "-", match[1]).lower() for match in found if match}


@cache
def declared() -> frozenset[str]:
    """Every dependency that pyproject.toml names, extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [requirement for extra in project["optional-dependencies"].values() for requirement in extra]
    return frozenset(requirement_names([*project["dependencies"], *extras]))


def read(place: str) -> str:
    """The text of a file of the repository."""
    return (ROOT / place).read_text(encoding="utf-8")


# --- The source ---------------------------------------------------------------------------------------------------


def test_a_module_fits_in_the_head() -> None:
    """No module of the package is longer than 500 lines; 40 to 300 feel right."""
    nothing(offences(long_module))


def test_a_function_fits_on_a_screen() -> None:
    """No function of the package is longer than 70 lines."""
    nothing(offences(long_functions))


def test_a_class_has_a_small_door() -> None:
    """No class shows more than a dozen public methods, save the few whose allowance says why."""
    nothing(offences(wide_classes))


def test_an_allowance_is_needed() -> None:
    """Every allowance belongs to a class that exists and has more than a dozen public methods."""
    wide = {
        f"{module.name}.{node.name}"
        for module in modules("src")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and public_methods(node) > CLASS_METHODS_MAX
    }
    nothing(sorted(METHOD_ALLOWANCES.keys() - wide))


def test_names_say_what_is_inside() -> None:
    """No module or folder of the package has a name that any code would fit under."""
    nothing(offences(empty_names))


def test_only_the_faces_catch_everything() -> None:
    """Below CLI, REST and MCP every handler names the errors it expects."""
    nothing(offences(broad_handlers))


def test_the_core_imports_nothing_worldly() -> None:
    """Only adapters, faces and what puts them together import clock, chance, files, sockets or threads."""
    nothing(offences(worldly_imports))


def test_the_core_asks_the_machine_nothing() -> None:
    """Only adapters, faces and what puts them together ask for the time, for chance or for a file."""
    nothing(offences(worldly_calls))


def test_every_module_says_what_it_is_for() -> None:
    """Every module of the package begins with a docstring."""
    nothing(offences(mute_module))


def test_everything_public_explains_itself() -> None:
    """Every public class, function and method of the package has a docstring."""
    nothing(offences(mute_definitions))


# --- The tests ----------------------------------------------------------------------------------------------------


def test_every_test_states_a_fact() -> None:
    """Every test has a docstring that is a sentence."""
    nothing(offences(mute_tests, "tests"))


def test_no_test_is_put_aside() -> None:
    """No test is skipped or expected to fail, except where recorded data outside the repository is absent."""
    nothing(offences(skipped_tests, "tests"))


# --- The repository -----------------------------------------------------------------------------------------------


def test_nothing_is_left_for_later() -> None:
    """No file holds a note that something is unfinished: it is finished, or it is an issue."""
    nothing([found for path, text in texts() for found in lines_with(UNFINISHED, path, text)])


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    """No file holds an absolute path into somebody's home or workplace."""
    found = [
        line
        for path, text in texts()
        if not any(path.is_relative_to(quoted) for quoted in QUOTED)
        for line in lines_with(MACHINE_PATH, path, text)
    ]
    nothing(found)


def test_no_file_knows_where_packages_come_from() -> None:
    """No file names a package registry; which one is used is the machine's business."""
    nothing([found for path, text in texts() for found in lines_with(REGISTRY, path, text)])


@pytest.mark.parametrize("place", ["requirements/runtime.txt", "requirements/dev.txt"])
def test_requirements_are_pinned_without_addresses(place: str) -> None:
    """Every requirement has exactly one version and no address."""
    nothing([*addresses(PurePosixPath(place), read(place)), *loose_pins(PurePosixPath(place), read(place))])


@pytest.mark.parametrize("place", ["requirements/runtime.txt", "requirements/dev.txt"])
def test_requirements_cover_what_is_declared(place: str) -> None:
    """Every dependency in pyproject.toml is pinned; `make lock` pins a new one."""
    nothing(sorted(declared() - requirement_names(read(place).splitlines())))


def test_tools_are_pinned() -> None:
    """Every tool in requirements/dev.in is pinned; `make lock` pins a new one."""
    wanted = requirement_names(read("requirements/dev.in").splitlines())
    nothing(sorted(wanted - requirement_names(read("requirements/dev.txt").splitlines())))


# --- The documentation --------------------------------------------------------------------------------------------


def test_links_lead_somewhere() -> None:
    """Every relative link of every Markdown page points to a file or folder that exists."""
    pages = [path for path in project_files() if path.suffix == ".md"]
    nothing([dead for page in pages for dead in dead_links(page, page.read_text(encoding="utf-8"))])


def test_every_page_can_be_found() -> None:
    """Every page in docs/ is linked from the index or, for decisions, from the list of decisions."""
    docs = ROOT / "docs"
    indexes = [docs / "README.md", docs / "decisions" / "README.md"]
    linked = {(index.parent / place).resolve() for index in indexes for place in links(index.read_text("utf-8"))}
    pages = {path for path in project_files() if path.suffix == ".md" and path.is_relative_to(docs)}
    nothing(sorted(str(page.relative_to(ROOT)) for page in pages - linked - {indexes[0]}))


def test_the_glossary_names_every_value() -> None:
    """Every public class of the model is in the glossary: one noun per concept, and one place that says what it is."""
    classes = {
        node.name
        for module in modules("src/hindcast/model")
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }
    assert classes
    nothing(sorted(classes - set(glossary_terms(read("docs/reference/glossary.md")))))


def test_the_glossary_is_in_order() -> None:
    """The glossary is alphabetical and says each word once."""
    terms = [term.lower() for term in glossary_terms(read("docs/reference/glossary.md"))]
    assert terms == sorted(set(terms))


def test_every_dependency_has_a_reason() -> None:
    """Every dependency in pyproject.toml has its line in the decision about dependencies."""
    reasons = set(re.findall(r"^\| `([^`]+)`", read("docs/decisions/0002-dependencies.md"), flags=re.MULTILINE))
    nothing(sorted(declared() - reasons))


# --- The checks themselves ----------------------------------------------------------------------------------------

CORE = "src/hindcast/memory/merge.py"
LONG_FUNCTION = "def f():\n" + "    x = 1\n" * FUNCTION_LINES_MAX
WIDE_CLASS = "class C:\n" + "".join(f"    def verb{n}(self): ...\n" for n in range(CLASS_METHODS_MAX + 1))
PROPERTIES = "class C:\n" + "".join(f"    @property\n    def p{n}(self): ...\n" for n in range(CLASS_METHODS_MAX + 1))


@pytest.mark.parametrize(
    ("check", "path", "source"),
    [
        (long_module, CORE, "x = 1\n" * (MODULE_LINES_MAX + 1)),
        (long_functions, CORE, LONG_FUNCTION),
        (long_functions, CORE, "class C:\n" + "".join(f"    {line}\n" for line in LONG_FUNCTION.splitlines())),
        (wide_classes, CORE, WIDE_CLASS),
        (empty_names, "src/hindcast/memory/utils.py", ""),
        (empty_names, "src/hindcast/common/merge.py", ""),
        (empty_names, "src/hindcast/memory/branch_manager.py", ""),
        (broad_handlers, CORE, "try: ...\nexcept Exception: ..."),
        (broad_handlers, CORE, "try: ...\nexcept (KeyError, builtins.BaseException) as e: ..."),
        (broad_handlers, CORE, "try: ...\nexcept: ..."),
        (broad_handlers, "src/hindcast/adapters/clock.py", "try: ...\nexcept Exception: raise"),
        (worldly_imports, CORE, "import os.path"),
        (worldly_imports, CORE, "def f():\n    from time import sleep"),
        (worldly_imports, "src/hindcast/ports/memory.py", "import numpy, random"),
        (worldly_imports, "src/hindcast/detect/spike.py", "import threading"),
        (worldly_calls, CORE, "at = datetime.now(UTC)"),
        (worldly_calls, CORE, "at = datetime.datetime.utcnow()"),
        (worldly_calls, CORE, "day = date.today()"),
        (worldly_calls, CORE, "with open('f') as f: ..."),
        (worldly_calls, CORE, "x = np.random.rand(3)"),
        (worldly_calls, CORE, "x = uuid.uuid4()"),
        (mute_module, CORE, "x = 1"),
        (mute_definitions, CORE, "def f(): ..."),
        (mute_definitions, CORE, "class C:\n    'Says so.'\n    def f(self): ..."),
        (mute_tests, "tests/unit/test_x.py", "def test_x(): assert f()"),
        (mute_tests, "tests/unit/test_x.py", "class TestX:\n    async def test_x(self):\n        '''merge'''"),
        (skipped_tests, "tests/unit/test_x.py", "@pytest.mark.skip\ndef test_x(): ..."),
        (skipped_tests, "tests/unit/test_x.py", "@pytest.mark.xfail(reason='flaky')\ndef test_x(): ..."),
        (skipped_tests, "tests/unit/test_x.py", "def test_x():\n    pytest.skip('slow')"),
        (skipped_tests, "tests/unit/test_x.py", "x = pytest.importorskip('faiss')"),
        (skipped_tests, "tests/unit/test_x.py", "from pytest import skip"),
    ],
)
def test_a_check_finds_its_offender(check: Check, path: str, source: str) -> None:
    """Each check names the file when it is handed exactly what it is there to find."""
    found = list(check(Module(PurePosixPath(path), source)))

    assert len(found) == 1
    assert found[0].startswith(path)


@pytest.mark.parametrize(
    ("check", "path", "source"),
    [
        (long_module, CORE, "x = 1\n" * MODULE_LINES_MAX),
        (long_module, f"{GENERATED}/calls.py", "x = 1\n" * (MODULE_LINES_MAX + 1)),
        (long_functions, CORE, LONG_FUNCTION.removesuffix("    x = 1\n")),
        (wide_classes, CORE, PROPERTIES),
        (wide_classes, "src/hindcast/memory/__init__.py", WIDE_CLASS.replace("class C", "class Memory")),
        (empty_names, "src/hindcast/memory/database.py", ""),
        (broad_handlers, CORE, "try: ...\nexcept (KeyError, Stale): ..."),
        (broad_handlers, "src/hindcast/cli/__init__.py", "try: ...\nexcept Exception: ..."),
        (worldly_imports, CORE, "from datetime import datetime\nfrom . import time"),
        (worldly_imports, "src/hindcast/adapters/clock.py", "import time"),
        (worldly_calls, CORE, "at = clock.now(); page = store.open()"),
        (worldly_calls, "src/hindcast/config.py", "with open('f') as f: ..."),
        (mute_module, CORE, "'''What it is for.'''"),
        (mute_definitions, CORE, "def _f(): ...\nclass C:\n    'Says so.'\n    def __len__(self): ..."),
        (mute_tests, "tests/unit/test_x.py", "def test_x():\n    '''Merging twice changes nothing more.'''"),
        (skipped_tests, "tests/unit/test_x.py", f"pytest.skip(f'{SKIP_REASON}: {{place}}')\nqueue.skip(3)"),
        (skipped_tests, "tests/unit/test_x.py", f"mark = pytest.mark.skipif(not there, reason='{SKIP_REASON}')"),
    ],
)
def test_a_check_lets_good_code_through(check: Check, path: str, source: str) -> None:
    """Each check is silent about what only looks like an offender."""
    assert list(check(Module(PurePosixPath(path), source))) == []


@pytest.mark.parametrize(
    ("pattern", "bad", "good"),
    [
        (UNFINISHED, "# TO" + "DO: later", "# a todo list is a domain word"),
        (MACHINE_PATH, "cd /" + "root/x", "see docs/home/ and ./work/"),
        (MACHINE_PATH, "'/" + "home/ana/.config'", "GET /homepage/"),
        (REGISTRY, "https://pypi" + ".org/simple", "a wheel from PyPI"),
        (REGISTRY, "--" + "index-url https://mirror.example", "we never pass an index"),
    ],
)
def test_a_pattern_tells_bad_from_good(pattern: re.Pattern[str], bad: str, good: str) -> None:
    """Each pattern finds the line that holds an offence, and only that line."""
    assert list(lines_with(pattern, PurePosixPath("f"), f"{good}\n{bad}")) == [f"f:2: {bad}"]


def test_a_failure_lists_every_offender() -> None:
    """Whoever broke a habit in two places is told of both."""
    with pytest.raises(AssertionError, match=r"first\s+second"):
        nothing(["first", "second"])


@pytest.mark.parametrize("line", ["a @ https://mirror.example/a.whl", "--find-links wheels", "a==1 ; b\n-e ."])
def test_an_address_among_the_pins_is_found(line: str) -> None:
    """A requirement that says where it comes from is an offence."""
    assert list(addresses(PurePosixPath("dev.txt"), line)) != []


@pytest.mark.parametrize("line", ["rich", "rich>=13", "rich==13.*", "rich ; sys_platform == 'linux'"])
def test_a_loose_pin_is_found(line: str) -> None:
    """A requirement that leaves its version open is an offence, and an exact one is none."""
    assert list(loose_pins(PurePosixPath("dev.txt"), f"# why\nrich==13.9.4 ; sys_platform == 'linux'\n{line}")) == [
        f"dev.txt:3: {line}"
    ]


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    """Only links to files that are not there are dead: not addresses, anchors or examples in code."""
    page = tmp_path / "page.md"
    text = "[a](page.md#x) [b](gone.md) [c](https://example.org/y) [d](#z) `[e](no.md)`\n```\n[f](no.md)\n```\n"
    page.write_text(text, encoding="utf-8")

    assert list(dead_links(page, text)) == [f"{page}: gone.md"]
