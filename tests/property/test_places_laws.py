"""Laws of finding a trace in code: what today's code prints is found in it, wherever it ran; no text is too strange."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.carrying import Shelf

from hindcast.model.code import LineSpan
from hindcast.model.trace import Frame, Language, Raised, Trace
from hindcast.propose.places import locate

FOLDERS = ("worker", "web", "store", "jobs", "core")
NAMES = ("tasks", "pool", "client", "retry", "main")
# None of them is the name of a folder above.
PREFIXES = (
    "/app",
    "/usr/src/app",
    "/srv/releases/42",
    "C:\\build",
    "file:///opt/shop",
    "/go/src/github.com/acme/shop",
    "",
)


@st.composite
def projects(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    """Files of a project, each with the functions it has; no two functions share a name."""
    paths = draw(
        st.sets(
            st.tuples(st.sampled_from(FOLDERS), st.sampled_from(FOLDERS), st.sampled_from(NAMES)),
            min_size=1,
            max_size=8,
        )
    )
    counts = [draw(st.integers(1, 4)) for _ in paths]
    return {
        f"{one}/{two}/{name}.py": tuple(f"step_{number}_{index}" for index in range(count))
        for number, ((one, two, name), count) in enumerate(zip(sorted(paths), counts, strict=True))
    }


def written(functions: tuple[str, ...]) -> str:
    """A file with these functions, five lines each."""
    return "".join(
        f"def {name}(task):\n    one = task.key\n    call_{name}(one)\n    return one\n\n" for name in functions
    )


@settings(max_examples=60, deadline=None)
@given(projects(), st.data())
def test_what_the_code_prints_is_found_wherever_it_ran(files: dict[str, tuple[str, ...]], data: st.DataObject) -> None:
    """Every line of every function is found exactly, with the text of the line or without, below any prefix."""
    code = Shelf({path: written(functions) for path, functions in files.items()})
    path = data.draw(st.sampled_from(sorted(files)))
    index = data.draw(st.integers(0, len(files[path]) - 1))
    step = data.draw(st.integers(1, 3))
    prefix = data.draw(st.sampled_from(PREFIXES))
    line = index * 5 + 1 + step
    text = code.files[path].split("\n")[line - 1] if data.draw(st.booleans()) else ""
    printed = (
        f"{prefix}\\{path}".replace("/", "\\")
        if "\\" in prefix
        else f"{prefix}/{path}".lstrip("/" if not prefix else "")
    )
    frame = Frame(files[path][index], file=printed, line=line, code=text.strip())

    places = locate(Trace(Language.PYTHON, (Raised("E", "", (frame,)),)), code)

    assert [(path, line, LineSpan(index * 5 + 1, index * 5 + 4))] == [(one.path, one.line, one.body) for one in places]
    assert places[0].confidence > 0.85


@settings(max_examples=60, deadline=None)
@given(projects(), st.integers(1, 40), st.data())
def test_lines_above_do_not_matter(files: dict[str, tuple[str, ...]], above: int, data: st.DataObject) -> None:
    """A function that moved down is found by its name and the text of the line."""
    path = data.draw(st.sampled_from(sorted(files)))
    texts = {one: written(functions) for one, functions in files.items()}
    name = files[path][-1]
    line = (len(files[path]) - 1) * 5 + 3
    frame = Frame(name, file=f"/app/{path}", line=line, code=f"call_{name}(one)")
    code = Shelf({**texts, path: "# a comment\n" * above + texts[path]})

    assert [(path, line + above)] == [
        (one.path, one.line) for one in locate(Trace(Language.PYTHON, (Raised("E", "", (frame,)),)), code)
    ]


ANY = st.text(max_size=60) | st.text(alphabet="./\\:@?<>[]()$!a1_ *-", max_size=60)


@settings(max_examples=150, deadline=None)
@given(ANY, ANY, ANY, ANY, st.integers(-5, 10**9), st.sampled_from(Language), st.booleans(), ANY)
def test_no_frame_is_too_strange(
    function: str, module: str, file: str, text: str, line: int, language: Language, in_app: bool, content: str
) -> None:
    """Whatever a frame and a file hold, finding it gives places of files that are there, with lines that they have."""
    frame = Frame(function, module, file, line, in_app=in_app, code=text)
    name = file.replace("\\", "/").rpartition("/")[2] or "x"
    code = Shelf({f"a/{name}": content, "a/b.py": content, "b/c.go": content, "d/e.ts": content})

    for place in locate(Trace(language, (Raised("E", "", (frame,)),)), code):
        assert place.path in code.files
        assert 0 <= place.line <= len(code.files[place.path].split("\n"))
        assert 0 < place.confidence <= 1
