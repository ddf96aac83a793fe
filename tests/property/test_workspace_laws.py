"""Laws of workspaces: bytes come back as they were, nothing outside is touched, and git would list the same."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.working import Tree, forget_settings

from hindcast.adapters.workspace_git import open_workspace
from hindcast.adapters.workspace_git.names import are_all_listed, is_listed, parts_of
from hindcast.adapters.workspace_git.texts import Decoded, decode, encode
from hindcast.model.code import Edit
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused, Stale

ENDS = st.sampled_from(["\n", "\r\n"])
LINES = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0\n\r"), max_size=6)
ENCODINGS = st.sampled_from([("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("cp1252", b"")])


def decoded(raw: bytes) -> Decoded | None:
    """The text of some bytes; None where they are none."""
    try:
        return decode(raw, "file")
    except Refused:
        return None


@settings(max_examples=300)
@given(st.binary(max_size=60) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace")))
@example(b"a\r\r\nb\nc\r")
@example(b"\xef\xbb\xbf\xef\xbb\xbf")
@example(b"\r")
@example(b"a\rb\n\r\n")
def test_what_is_not_edited_gives_the_same_bytes(raw: bytes) -> None:
    """Any bytes that are read as text are written back as they were."""
    found = decoded(raw)

    assert found is None or encode(found.text, found, "file") == raw


@settings(max_examples=300)
@given(st.lists(st.tuples(LINES, ENDS), max_size=8), LINES, st.lists(LINES, max_size=8), ENCODINGS)
def test_a_text_is_read_as_it_was_written(
    before: list[tuple[str, str]], last: str, after: list[str], how: tuple[str, bytes]
) -> None:
    """Whatever text replaces another, with any line ends and encoding, is read again just so, or refused."""
    encoding, mark = how
    raw = mark + ("".join(line + end for line, end in before) + last).encode(encoding, "ignore")
    like = decoded(raw)
    if like is None:
        return
    text = "\n".join(after)
    try:
        again = decoded(encode(text, like, "file"))
    except Refused:
        # A character that the encoding lacks.
        assert like.encoding in ("cp1252", "latin-1")
        return
    # A file of one byte for a character may turn out to be another encoding, and a mark at its beginning a mark.
    if like.encoding in ("utf-8", "utf-16-le") and not text.startswith("\ufeff"):
        assert again is not None
        assert (again.text, again.encoding, again.mark) == (text, like.encoding, like.mark)


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 999), ENDS), min_size=2, max_size=12, unique_by=lambda one: one[0]), st.data())
def test_lines_that_stay_keep_their_ends(lines: list[tuple[int, str]], data: st.DataObject) -> None:
    """Where lines are put in, changed or taken out, every other line keeps its bytes, mixed line ends included."""
    at = data.draw(st.integers(0, len(lines) - 1))
    size = data.draw(st.integers(0, len(lines) - at))
    put_in = data.draw(st.lists(st.sampled_from(["new", "other"]), max_size=3))
    raw = "".join(f"{number}{end}" for number, end in lines).encode()
    like = decode(raw, "file")
    now = [str(number) for number, _ in lines]
    now[at : at + size] = put_in

    written = encode("\n".join([*now, ""]), like, "file").decode()

    before = "".join(f"{number}{end}" for number, end in lines[:at])
    after = "".join(f"{number}{end}" for number, end in lines[at + size :])
    assert written.startswith(before)
    assert written.endswith(after)
    middle = written[len(before) : len(written) - len(after)]
    assert middle == "".join(line + like.newline for line in put_in)


@settings(max_examples=500)
@given(
    st.text(max_size=12) | st.lists(st.sampled_from([*"/.gGiIt ~1:\\", "..", ".git", "\u200c", "\0", "a"])).map("".join)
)
def test_a_path_that_is_taken_leads_inside(path: str) -> None:
    """A path is taken only if each of its steps is the name of something, and none is the repository's own."""
    try:
        names = parts_of(path)
    except (Malformed, Refused):
        return
    assert "/".join(names) == path
    for name in names:
        assert name not in {"", ".", ".."}
        assert not set(name) & set("/\\\0\n\r")
        bare = "".join(one for one in name if one.isascii() and one.isprintable()).lower().rstrip(". ")
        assert bare != ".git"
        assert not bare.startswith("git~")


# What names are made of, the letters that hidden ones begin with more often than others.
LETTERS = st.text(st.sampled_from("aZ9-_. ~:gGiItT\\\u200b\u202eé"), min_size=1, max_size=6)


@settings(max_examples=300, deadline=None)
@given(st.lists(LETTERS | st.sampled_from((".git", "git~1", "GIT~2", ".hindcast-x", "plain.py")), max_size=4))
def test_names_that_pass_at_one_glance_pass_one_by_one(names: list[str]) -> None:
    """Looking at a whole folder's names at once lets nothing through that looking at each would not."""
    if are_all_listed(names):
        assert all(map(is_listed, names))


# --- A model of a tree, with everything in it that leads astray ---------------------------------------------------

# Files that may be, and what is a folder, a link, a pipe, the repository's own, or outside.
GOOD = ("b", "n", "a/c", "a/d/e")
BAD = ("a", "link", "link/c", "up", "up/secret", "pipe", "a/to-b", ".git/config", "../out/secret")
NAMES = (*GOOD, *GOOD, *BAD)
TEXTS = st.sampled_from(["", "1\n", "2\r\n", "3"])
STEPS = st.lists(st.tuples(st.sampled_from(NAMES), st.none() | TEXTS, st.booleans()), min_size=1, max_size=3)


def astray(root: Path) -> Path:
    """A tree with links and a pipe in it; the folder outside that the links lead to."""
    outside = root.with_name("out")
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (root / "a").mkdir(parents=True)
    (root / "b").write_bytes(b"b\n")
    (root / "link").symlink_to("a")
    (root / "up").symlink_to(outside)
    (root / "a/to-b").symlink_to("../b")
    os.mkfifo(root / "pipe")
    return outside


def expected(model: dict[str, bytes], steps: list[tuple[str, str | None, bool]]) -> dict[str, bytes] | None:
    """What a change makes of the files, as the model knows them; None where it is not made."""
    made = dict(model)
    if len({path for path, _, _ in steps}) != len(steps):
        return None
    for path, text, is_right in steps:
        if path in BAD or not is_right or (text is None and path not in model):
            return None
        if text is None:
            del made[path]
        else:
            # All files of the model have plain newlines, or none.
            made[path] = text.replace("\r\n", "\n").encode()
    return made


@settings(max_examples=60)
@given(st.lists(STEPS, min_size=1, max_size=6))
def test_a_change_is_made_whole_and_inside(changes: list[list[tuple[str, str | None, bool]]]) -> None:
    """Whatever is asked of a tree full of links, its files are what the model says, and outside nothing changes."""
    forget_settings()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "code"
        outside = astray(root)
        code = open_workspace(root)
        model = {"b": b"b\n"}
        for steps in changes:
            edits = []
            for path, text, is_right in steps:
                known = sha256(model[path]).hexdigest() if path in model else ""
                edits.append(Edit(path, known if is_right else "0" * 64, text))
            after = expected(model, steps)
            try:
                done = code.apply(edits)
            except (Malformed, Refused, Stale, Missing):
                assert after is None
            else:
                assert after is not None
                code.apply(done.undo)
                assert seen(root) == model
                code.apply(edits)
                model = after
            assert seen(root) == model
            assert list(code.paths()) == sorted(model)
            assert {path.name: path.read_text() for path in outside.iterdir()} == {"secret": "secret"}


def seen(root: Path) -> dict[str, bytes]:
    """Every file of a tree, links and pipes left out."""
    return Tree(root).everything()


# --- Listings -----------------------------------------------------------------------------------------------------

PLACES = ["a.py", "b.tmp", "d/a.py", "d/b.tmp", "d/e/a.py", "d/e/b.tmp", "out/x.py", "out/deep/x.tmp"]
RULES = ["*.tmp\n", "out/\n", "/d/e\n", "*\n!*/\n!*.py\n", "d/**/a.py\n", "", "!b.tmp\n"]
DEEDS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PLACES)),
    st.tuples(st.just("remove"), st.sampled_from(PLACES)),
    st.tuples(st.just("add"), st.sampled_from(PLACES)),
    st.tuples(st.sampled_from([".gitignore", "d/.gitignore", ".git/info/exclude"]), st.sampled_from(RULES)),
)


@settings(max_examples=40)
@given(st.lists(DEEDS, min_size=3, max_size=10))
def test_what_is_listed_is_what_git_lists(deeds: list[tuple[str, str]]) -> None:
    """After any changes to files, index and rules, a listing that was kept is what git itself would list."""
    forget_settings()
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(Path(place) / "code").init()
        code = tree.open()
        for deed, what in deeds:
            if deed == "write":
                tree.write(what, "")
            elif deed == "remove":
                with suppress(FileNotFoundError):
                    (tree.root / what).unlink()
            elif deed == "add":
                tree.git("add", "-f", what, is_checked=False)
            else:
                tree.write(deed, what)
            code.paths()
        listed = set(tree.git("ls-files", "-co", "--exclude-standard").split("\n"))
        there = {path for path in listed if path and (tree.root / path).is_file()}
        assert list(code.paths()) == sorted(there)
        assert list(tree.open().paths()) == sorted(there)
        for path in PLACES:
            if (tree.root / path).is_file():
                try:
                    code.read(path)
                except HindcastError:
                    assert path not in there
                else:
                    assert path in there
