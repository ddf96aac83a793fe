"""From a trace to today's code: which file a frame means, and where its line is by now."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.carrying import Shelf

from hindcast.ingest.trace import parse_all
from hindcast.model.code import LineSpan, Place
from hindcast.model.trace import Frame, Language, Raised, Relation, Trace
from hindcast.propose.places import locate
from hindcast.propose.printed import is_bundled, path_parts, simple_name

TASKS = """from worker.pool import pool


def run_task(task):
    conn = pool.checkout()
    payload = conn.get(task.key)
    return handle(payload)


class Pool:
    def take(self):
        return self.free.pop()
"""
SCRIPT = """export class Cart {
  total() {
    return this.items.reduce((a, b) => a + b.price, 0);
  }
}

export const checkout = async (cart) => {
  return pay(cart.total());
};
"""
GO = """package pool

func (p *Pool) Take() *Conn {
	return <-p.free
}
"""
JAVA = "package com.acme;\n\nclass Pool {\n  Conn take() {\n    return free.pop();\n  }\n}\n"


def found(
    frame: Frame, files: dict[str, str], language: Language = Language.PYTHON, **rest: object
) -> tuple[Place, ...]:
    """Where one frame is."""
    trace = Trace(language, (Raised("Error", "boom", (frame,)),))
    return locate(trace, Shelf(files, **rest))  # type: ignore[arg-type]


def frame(file: str, line: int = 6, function: str = "run_task", code: str = "payload = conn.get(task.key)") -> Frame:
    """A frame as a trace has it."""
    return Frame(function, file=file, line=line, code=code)


@pytest.mark.parametrize(
    ("printed", "path"),
    [
        ("worker/tasks.py", "worker/tasks.py"),
        ("/app/worker/tasks.py", "worker/tasks.py"),
        ("/usr/src/app/worker/tasks.py", "worker/tasks.py"),
        ("/opt/venv/lib/python3.11/site-packages/worker/tasks.py", "src/worker/tasks.py"),
        ("/srv/releases/20261101/src/worker/tasks.py", "src/worker/tasks.py"),
        ("C:\\svc\\worker\\tasks.py", "worker/tasks.py"),
        ("file:///C:/svc/worker/tasks.py", "worker/tasks.py"),
        ("file:///app/worker/tasks.py", "src/worker/tasks.py"),
        ("/APP/Worker/Tasks.py", "worker/tasks.py"),
        ("/app/./worker/../worker/tasks.py", "worker/tasks.py"),
        ("/app/worker/tasks.py", "backend/src/worker/tasks.py"),
        ("/app/tasks.py", "tasks.py"),
    ],
)
def test_where_a_program_ran_does_not_matter(printed: str, path: str) -> None:
    """A frame is found whatever the container, the installation, the drive or the case of its path."""
    places = found(frame(printed), {path: TASKS, "worker/other.py": "x = 1\n"})

    assert [(path, 6, LineSpan(4, 7))] == [(place.path, place.line, place.body) for place in places]
    assert places[0].confidence >= 0.7


@pytest.mark.parametrize(
    ("printed", "path"),
    [
        ("webpack:///./src/cart.js", "src/cart.js"),
        ("webpack://shop/./src/cart.js?1a2b", "src/cart.js"),
        ("webpack-internal:///(rsc)/./src/cart.js", "src/cart.js"),
        ("http://localhost:5173/src/cart.js?t=1700000000", "src/cart.js"),
        ("file:///app/src/cart.js", "web/src/cart.js"),
    ],
)
def test_a_bundler_keeps_the_path_of_a_source(printed: str, path: str) -> None:
    """A frame of a script is found through the addresses that bundlers and browsers print."""
    [place] = found(Frame("Cart.total", file=printed, line=3), {path: SCRIPT}, Language.JAVASCRIPT)

    assert (path, 3, LineSpan(2, 4)) == (place.path, place.line, place.body)


@pytest.mark.parametrize(
    "name",
    ["app.min.js", "main.3f2a9c81.js", "bundle.js", "vendor.js", "vendors~main.js", "index-BcD12xYz.js", "chunk-2a.js"],
)
def test_what_a_bundler_made_is_nobodys_code(name: str) -> None:
    """A frame in a bundle has no place, even where the bundle lies in the workspace."""
    assert is_bundled(name)
    assert found(Frame("t", file=f"https://shop.example/static/{name}", line=1), {f"static/{name}": "t()\n"}) == ()


@pytest.mark.parametrize(
    "name", ["main.js", "index.js", "checkout-service.js", "decade.js", "runtime_config.js", "a1.ts"]
)
def test_a_source_is_not_taken_for_a_bundle(name: str) -> None:
    """Names that people give to their files are not those of bundles."""
    assert not is_bundled(name)


@pytest.mark.parametrize(
    "file",
    ["<string>", "<frozen importlib._bootstrap>", "node:internal/timers", "[native code]", "", "x" * 2_000, "///"],
)
def test_what_is_no_file_has_no_place(file: str) -> None:
    """Code that a runtime holds is not looked for."""
    assert found(frame(file), {"worker/tasks.py": TASKS, "timers": "x\n"}) == ()


def test_a_library_is_not_the_project() -> None:
    """A frame of an installed package is not taken for a file of the project that has the same name."""
    files = {"web/utils.py": TASKS, "tasks.py": TASKS}

    assert found(frame("/venv/lib/python3.11/site-packages/redis/utils.py"), files) == ()
    assert found(frame("/venv/lib/python3.11/site-packages/celery/tasks.py"), files) == ()
    assert found(replace(frame("/usr/lib/python3.11/web/utils.py"), in_app=False), files) == ()


def test_a_module_is_a_path() -> None:
    """A frame that names a module and no file is found in the file of the module."""
    files = {"src/app/worker/tasks.py": TASKS, "src/app/tasks.py": TASKS}
    [place] = found(Frame("run_task", module="app.worker.tasks"), files)
    [dotted] = found(Frame("app.worker.tasks.run_task"), files)

    assert "src/app/worker/tasks.py" == place.path == dotted.path
    assert LineSpan(4, 7) == place.body == dotted.body


def test_a_package_of_java_is_a_path() -> None:
    """A frame of the JVM is found by its package, and another class of the same name is not taken."""
    files = {"core/src/main/java/com/acme/Pool.java": JAVA, "core/src/main/java/org/other/Pool.java": JAVA}
    [place] = found(Frame("com.acme.Pool.take", file="Pool.java", line=5), files, Language.JVM)

    assert (place.path, place.line) == ("core/src/main/java/com/acme/Pool.java", 5)


def test_go_knows_its_modules() -> None:
    """The project's own module is found in the cache of downloads, trimmed paths too; other modules are not."""
    files = {"go.mod": "module github.com/acme/shop\n\ngo 1.22\n", "pool/pool.go": GO}
    cached = Frame(
        "github.com/acme/shop/pool.(*Pool).Take", file="/go/pkg/mod/github.com/acme/shop@v1.2.0/pool/pool.go", line=4
    )
    trimmed = replace(cached, file="github.com/acme/shop/pool/pool.go")
    other = replace(cached, file="/go/pkg/mod/github.com/else/lib@v1.2.0/pool/pool.go")

    for one in (cached, trimmed):
        [place] = found(one, files, Language.GO)
        assert ("pool/pool.go", 4, LineSpan(3, 5)) == (place.path, place.line, place.body)
    assert found(other, files, Language.GO) == ()


def test_the_line_is_found_by_its_words() -> None:
    """A line that moved since is found in its function by what it says, not by its number."""
    moved = "import os\nimport sys\n\n\n" + TASKS
    [place] = found(frame("/app/worker/tasks.py"), {"worker/tasks.py": moved})

    assert (10, LineSpan(8, 11)) == (place.line, place.body)
    assert "the line was 6" in place.how


def test_a_line_number_is_not_believed_against_the_function() -> None:
    """Without the text of the line, a number outside the function gives the function's beginning."""
    moved = "\n" * 20 + TASKS
    [place] = found(frame("/app/worker/tasks.py", code=""), {"worker/tasks.py": moved})

    assert (24, LineSpan(24, 27)) == (place.line, place.body)
    assert place.confidence < 0.9


def test_a_renamed_function_is_found_by_the_line() -> None:
    """A function that is called otherwise today is found by the line it still has."""
    renamed = TASKS.replace("def run_task", "def perform")
    [place] = found(frame("/app/worker/tasks.py"), {"worker/tasks.py": renamed})

    assert (6, LineSpan(4, 7)) == (place.line, place.body)
    assert "`perform`" in place.how


def test_a_function_that_is_gone_leaves_only_the_file() -> None:
    """Where neither function nor line is left, the file is given with little confidence and no line."""
    [place] = found(frame("/app/worker/tasks.py"), {"worker/tasks.py": "def other():\n    pass\n" * 5})

    assert (place.line, place.body) == (0, None)
    assert place.confidence < 0.5


def test_a_file_that_moved_is_found_through_history() -> None:
    """A frame of a file that is elsewhere today is found where history says it went."""
    files = {"jobs/runner.py": TASKS, "src/readme.md": ""}
    [place] = found(frame("/app/worker/tasks.py"), files, moved={"src/worker/tasks.py": ("jobs/runner.py",)})

    assert (place.path, place.line) == ("jobs/runner.py", 6)
    assert "src/worker/tasks.py moved here" in place.how


def test_history_is_asked_when_the_path_has_something_else_today() -> None:
    """A new file at the old path does not hide where the old one went."""
    files = {"worker/tasks.py": "def fresh():\n    pass\n", "jobs/runner.py": TASKS}
    [place] = found(frame("/app/worker/tasks.py"), files, moved={"worker/tasks.py": ("jobs/runner.py",)})

    assert place.path == "jobs/runner.py"


def test_of_two_alike_the_one_with_the_function_is_meant() -> None:
    """Of files whose paths fit equally, the one that has the function is taken."""
    files = {"a/worker/tasks.py": "def other():\n    pass\n", "b/worker/tasks.py": TASKS}

    assert [place.path for place in found(frame("/app/worker/tasks.py"), files)] == ["b/worker/tasks.py"]


def test_a_folder_of_the_container_may_be_called_like_one_of_the_project() -> None:
    """A longer path that has nothing of the frame gives way to a shorter one that has its line."""
    files = {"app/worker/tasks.py": "x = 1\n", "worker/tasks.py": TASKS}

    assert [place.path for place in found(frame("/app/worker/tasks.py"), files)] == ["worker/tasks.py"]


def test_neighbours_in_the_trace_decide() -> None:
    """Of files that are the same, the one beside the other frames is taken."""
    files = {
        "a/worker/tasks.py": TASKS,
        "b/worker/tasks.py": TASKS,
        "b/worker/main.py": "def main():\n    run_task(1)\n",
    }
    outer = Frame("main", file="/app/worker/main.py", line=2, code="run_task(1)")
    trace = Trace(Language.PYTHON, (Raised("E", "", (frame("/app/worker/tasks.py"), outer)),))

    assert [(one.path, one.depth) for one in locate(trace, Shelf(files))] == [
        ("b/worker/tasks.py", 0),
        ("b/worker/main.py", 1),
    ]


def test_what_cannot_be_decided_is_said() -> None:
    """Two files that fit equally are both given, each half as sure and naming the other; of many, none is."""
    two = {"a/worker/tasks.py": TASKS, "b/worker/tasks.py": TASKS}
    places = found(frame("/app/worker/tasks.py"), two)

    assert [place.path for place in places] == ["a/worker/tasks.py", "b/worker/tasks.py"]
    assert all(place.confidence < 0.5 for place in places)
    assert "b/worker/tasks.py fits as well" in places[0].how
    assert found(frame("/app/worker/tasks.py"), {f"{one}/worker/tasks.py": TASKS for one in "abcdef"}) == ()


def test_a_name_alone_needs_the_function() -> None:
    """A file of which only the name agrees is taken for its function, and not without it."""
    assert [one.path for one in found(frame("/app/worker/tasks.py"), {"jobs/tasks.py": TASKS})] == ["jobs/tasks.py"]
    assert found(frame("/app/worker/tasks.py"), {"jobs/tasks.py": "def other():\n    pass\n"}) == ()
    assert found(frame("/app/worker/__init__.py"), {"jobs/__init__.py": TASKS}) == ()


def test_the_cause_is_where_it_failed() -> None:
    """The deepest cause comes first, and a place that is named twice is given once."""
    inner = frame("/app/worker/tasks.py", 12, "take", "return self.free.pop()")
    outer = frame("/app/worker/tasks.py")
    trace = Trace(
        Language.PYTHON, (Raised("Wrapped", "", (outer,)), Raised("Empty", "", (inner, outer), Relation.CAUSE))
    )

    assert [(one.line, one.depth) for one in locate(trace, Shelf({"worker/tasks.py": TASKS}))] == [(12, 0), (6, 1)]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("run_task", "run_task"),
        ("Pool.take", "take"),
        ("async checkout", "checkout"),
        ("new Cart", "Cart"),
        ("Object.total [as sum]", "total"),
        ("main.(*Server).run", "run"),
        ("main.(*Server).run.func1", "run"),
        ("main.run.func2.1", "run"),
        ("com.acme.Pool.take", "take"),
        ("com.acme.Pool.lambda$take$0", "take"),
        ("shop::pool::take", "take"),
        ("Shop\\Pool->take", "take"),
        ("<module>", ""),
        ("<lambda>", ""),
        ("Object.<anonymous>", ""),
        ("outer.<locals>.inner", "inner"),
        ("", ""),
    ],
)
def test_the_name_of_a_function_is_that_of_its_definition(function: str, name: str) -> None:
    """However a trace decorates a function, its definition's name is read out of it."""
    assert name == simple_name(function)


def test_paths_are_read_whatever_their_separators() -> None:
    """Drives, schemes, queries and empty steps are no parts of a path."""
    assert ("srv", "a", "b.py") == path_parts("D:\\srv\\a\\b.py") == path_parts("/srv//a/./x/../b.py?x=1#y")


def test_a_real_trace_is_found_from_its_text() -> None:
    """A trace as Python prints it is taken apart and found in the code, without the library's frames."""
    text = (
        "Traceback (most recent call last):\n"
        '  File "/app/worker/tasks.py", line 6, in run_task\n    payload = conn.get(task.key)\n'
        '  File "/usr/local/lib/python3.11/site-packages/redis/client.py", line 90, in get\n    return self.execute()\n'
        "redis.exceptions.ConnectionError: Too many connections\n"
    )
    [trace] = parse_all(text)
    [place] = locate(trace, Shelf({"src/worker/tasks.py": TASKS, "src/client.py": "def get():\n    pass\n"}))

    assert ("src/worker/tasks.py", 6, "run_task", LineSpan(4, 7), 1) == (
        place.path,
        place.line,
        place.function,
        place.body,
        place.depth,
    )
