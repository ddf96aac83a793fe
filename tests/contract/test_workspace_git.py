"""Workspaces that are repositories: commits, branches, history, and whatever a repository is in the middle of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pygit2
import pytest

from hindcast.adapters.workspace_git import keep_all, open_workspace
from hindcast.adapters.workspace_git.repositories import refusal
from hindcast.model.code import Edit, LineSpan
from hindcast.model.errors import Busy, Malformed, Missing, Refused, Stale
from hindcast.ports import Workspace

if TYPE_CHECKING:
    from tests.working import Tree, forget_settings
else:
    from working import Tree, forget_settings

TASKS = "def run():\n    open()\n    return 1\n"
POOL = "SIZE = 50\n"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A repository with two files in one commit."""
    forget_settings()
    made = Tree(tmp_path / "code").init()
    made.write("src/tasks.py", TASKS)
    made.write("src/pool.py", POOL)
    made.commit("The beginning")
    return made


@pytest.fixture
def code(tree: Tree) -> Iterator[Workspace]:
    """The workspace in it."""
    opened = tree.open()
    yield opened
    opened.close()


def edit(code: Workspace, path: str, text: str | None) -> Edit:
    """An edit of a file as it is now."""
    return Edit(path, code.read(path).digest, text)


# --- Committing ---------------------------------------------------------------------------------------------------


def test_a_commit_holds_exactly_the_files_of_the_change(code: Workspace, tree: Tree) -> None:
    """What somebody staged or changed in other files stays staged and changed, and is in no commit of ours."""
    tree.write("staged.py", "staged\n")
    tree.git("add", "staged.py")
    tree.write("src/pool.py", "SIZE = 60\n")
    head = tree.git("rev-parse", "HEAD")

    done = code.apply(
        [edit(code, "src/tasks.py", "def run(): ...\n"), Edit("src/new.py", "", "x = 1\n")],
        message="Close what was opened\n\nFixes-Incident: 12",
        author="Bo <bo@example.org>",
    )

    assert (done.branch, done.commit) == ("main", tree.git("rev-parse", "HEAD"))
    assert tree.git("rev-parse", "HEAD^") == head
    said = tree.git("log", "-1", "--format=%an <%ae>|%s|%b").strip()
    assert said == "Bo <bo@example.org>|Close what was opened|Fixes-Incident: 12"
    assert tree.git("diff", "--name-status", head, "HEAD") == "A\tsrc/new.py\nM\tsrc/tasks.py"
    # It compares times alone: none of the files that were committed would have to be read again.
    assert tree.git("diff-files", "--name-only", "src") == "src/pool.py"
    assert tree.git("status", "--porcelain").split("\n") == [" M src/pool.py", "A  staged.py"]
    assert tree.git("fsck", "--strict") == ""
    assert code.state().dirty == ("src/pool.py", "staged.py")


def test_a_change_in_the_same_instant_is_not_hidden(code: Workspace, tree: Tree) -> None:
    """A file that somebody changed right after staging it, within one step of the clock, is still seen as changed."""
    place, index = tree.root / "src/pool.py", tree.root / ".git/index"
    moment = place.stat().st_mtime_ns - 10**10
    os.utime(place, ns=(moment, moment))
    tree.git("update-index", "--refresh")
    # As coarse a clock as there is: the change has the time of what was staged, and so has the index.
    place.write_text(POOL.replace("50", "60"))
    os.utime(place, ns=(moment, moment))
    os.utime(index, ns=(moment, moment))
    tree.git("config", "core.trustctime", "false")
    tree.git("config", "core.checkStat", "minimal")

    code.apply([edit(code, "src/tasks.py", "1\n")], message="Fix")

    assert tree.git("status", "--porcelain") == " M src/pool.py"
    assert code.state().dirty == ("src/pool.py",)


def test_a_committed_change_is_undone_by_another_commit(code: Workspace, tree: Tree) -> None:
    """Undoing a commit makes one that brings the files back; history keeps both."""
    tree.write("run.sh", "#!/bin/sh\r\n").chmod(0o755)
    tree.commit("A program")
    before = tree.git("rev-parse", "HEAD^{tree}")
    done = code.apply(
        [edit(code, "run.sh", None), edit(code, "src/pool.py", "SIZE = 1\n"), Edit("n.py", "", "")], message="Do"
    )

    back = code.apply(done.undo, message="Undo")

    assert tree.git("rev-parse", "HEAD^{tree}") == before
    assert tree.git("status", "--porcelain") == ""
    assert tree.raw("run.sh") == b"#!/bin/sh\r\n"
    assert tree.git("log", "--format=%s", "-2") == "Undo\nDo"
    assert back.commit == tree.git("rev-parse", "HEAD")


def test_what_is_not_committed_is_not_taken_along(code: Workspace, tree: Tree) -> None:
    """A file with changes of somebody's own is not committed with ours, and nothing else of the change is made."""
    tree.write("src/pool.py", "SIZE = 60\n")
    tree.write("loose.py", "x\n")
    before, head = tree.everything(), tree.git("rev-parse", "HEAD")

    for path in ("src/pool.py", "loose.py"):
        with pytest.raises(Refused, match=f"{path} has changes that are not committed"):
            code.apply([edit(code, "src/tasks.py", "1\n"), edit(code, path, "2\n")], message="Fix")
    assert (tree.everything(), tree.git("rev-parse", "HEAD")) == (before, head)


def test_a_first_commit_can_be_made(tmp_path: Path) -> None:
    """In a repository without a commit files are read and changed, a commit is its first, and a branch is refused."""
    forget_settings()
    tree = Tree(tmp_path / "code").init()
    tree.write("a.py", "a\n")
    code = tree.open()
    state = code.state()

    assert (state.branch, state.head, state.dirty) == ("main", "", ("a.py",))
    assert code.paths() == ("a.py",)
    assert (code.blame("a.py", LineSpan(1, 1)), code.commits("a.py", commits_max=3), code.now_at("b.py")) == (
        (),
        (),
        (),
    )
    with pytest.raises(Refused, match="no commit yet"):
        code.apply([Edit("b.py", "", "b\n")], branch="fix/one")
    done = code.apply([Edit("b.py", "", "b\n")], message="First")
    assert tree.git("log", "--format=%H %s") == f"{done.commit} First"
    assert tree.git("status", "--porcelain") == "?? a.py"


def test_a_commit_belongs_to_a_branch(code: Workspace, tree: Tree) -> None:
    """Where no branch is checked out, files are changed, a commit in place is refused, and a branch can be named."""
    tree.git("checkout", "-q", "--detach")

    assert code.state().branch == "HEAD"
    with pytest.raises(Refused, match="No branch is checked out"):
        code.apply([edit(code, "src/pool.py", "1\n")], message="Fix")
    done = code.apply([edit(code, "src/pool.py", "1\n")], branch="fix/one")
    assert tree.git("rev-parse", "fix/one") == done.commit
    code.apply([edit(code, "src/pool.py", "1\n")])
    assert tree.git("status", "--porcelain") == " M src/pool.py"


@pytest.mark.parametrize(
    ("author", "shown"),
    [
        ("Ana Ruiz <ana@example.org>", "Ana Ruiz <ana@example.org>"),
        ("ana@example.org", "ana@example.org <ana@example.org>"),
        ("key:ci\nx", "key:cix <key-cix@localhost>"),
        ("", "Hindcast <hindcast@localhost>"),
    ],
)
def test_an_author_is_whoever_decided(code: Workspace, tree: Tree, author: str, shown: str) -> None:
    """A commit names who decided, in whatever form they are known."""
    code.apply([edit(code, "src/pool.py", "1\n")], message="Fix", author=author)

    assert tree.git("log", "-1", "--format=%an <%ae>") == shown


def test_a_message_has_to_say_something(code: Workspace, tree: Tree) -> None:
    """A message of nothing but spaces is malformed, and changes nothing."""
    before = tree.everything()
    with pytest.raises(Malformed, match="message"):
        code.apply([edit(code, "src/pool.py", "1\n")], message=" \n ")
    assert tree.everything() == before


# --- Branches -----------------------------------------------------------------------------------------------------


def test_a_branch_gets_a_commit_and_the_files_stay(code: Workspace, tree: Tree) -> None:
    """A change on a branch begins at the last commit, touches nothing that is checked out, and goes on from there."""
    tree.write("loose.py", "x\n")
    before, index = tree.everything(), (tree.root / ".git/index").read_bytes()
    head = tree.git("rev-parse", "HEAD")

    first = code.apply([edit(code, "src/pool.py", "SIZE = 5\n")], branch="fix/pool", message="Smaller")
    second = code.apply(
        [edit(code, "src/tasks.py", None), Edit("n/w.py", "", "1\n")], branch="fix/pool", message="More"
    )

    assert (tree.everything(), (tree.root / ".git/index").read_bytes()) == (before, index)
    assert tree.git("rev-parse", "main") == head
    assert tree.git("log", "--format=%H", "fix/pool").split("\n") == [second.commit, first.commit, head]
    assert tree.git("diff", "--name-status", "main", "fix/pool") == "A\tn/w.py\nM\tsrc/pool.py\nD\tsrc/tasks.py"
    assert code.read_at("src/pool.py", "fix/pool").text == "SIZE = 5\n"
    code.apply(second.undo, branch="fix/pool", message="Back")
    code.apply(first.undo, branch="fix/pool", message="Back")
    assert tree.git("diff", "main", "fix/pool") == ""
    assert tree.git("fsck", "--strict") == ""


def test_a_branch_has_to_have_the_file_that_is_changed(code: Workspace, tree: Tree) -> None:
    """A change made for other bytes than a branch has is not forced on it; each case says what would help."""
    made = edit(code, "src/pool.py", "SIZE = 1\n")
    code.apply([made], branch="fix/pool")
    with pytest.raises(Refused, match="another one on the branch fix/pool"):
        code.apply([made], branch="fix/pool")
    tree.write("src/pool.py", "SIZE = 70\n")
    with pytest.raises(Refused, match="not committed, and a branch begins at the last commit"):
        code.apply([edit(code, "src/pool.py", "SIZE = 2\n")], branch="fix/other")
    gone = edit(code, "src/tasks.py", "1\n")
    tree.write("src/tasks.py", "changed\n")
    tree.commit("Somebody")
    with pytest.raises(Stale, match="not what this change was made for"):
        code.apply([gone], branch="fix/other")
    assert tree.git("branch", "--format=%(refname:short)") == "fix/pool\nmain"


def test_a_branch_that_is_checked_out_is_refused(code: Workspace, tree: Tree, tmp_path: Path) -> None:
    """A branch whose files lie somewhere is not moved under them, here or in another worktree."""
    tree.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))

    for branch in ("main", "other"):
        with pytest.raises(Refused, match=f"The branch {branch} is checked out"):
            code.apply([edit(code, "src/pool.py", "1\n")], branch=branch)


@pytest.mark.parametrize(
    "branch",
    ["-f", "HEAD", "a..b", "a b", "a~1", "x.lock", "a\nb", "a\0b", "a\ud800", "refs/../x", "/a", "x" * 201],
)
def test_a_bad_name_for_a_branch_is_malformed(code: Workspace, tree: Tree, branch: str) -> None:
    """What git does not take for a branch is told so before anything is written."""
    with pytest.raises(Malformed, match="no name for a branch"):
        code.apply([edit(code, "src/pool.py", "1\n")], branch=branch)
    assert tree.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_a_branch_inside_anothers_name_is_refused(code: Workspace, tree: Tree) -> None:
    """Where `fix` is a branch, `fix/pool` cannot be one, and that is said."""
    tree.git("branch", "fix")

    with pytest.raises(Refused, match="cannot be a branch fix/pool"):
        code.apply([edit(code, "src/pool.py", "1\n")], branch="fix/pool")


# --- Whatever a repository is in the middle of --------------------------------------------------------------------


def conflict(tree: Tree, how: str) -> None:
    """Leave a merge, rebase or the like half-way."""
    tree.git("checkout", "-q", "-b", "side")
    tree.write("src/pool.py", "SIZE = 60\n")
    tree.commit("Side")
    tree.git("checkout", "-q", "main")
    tree.write("src/pool.py", "SIZE = 70\n")
    tree.commit("Main")
    if how == "stash":
        tree.write("src/pool.py", "SIZE = 80\n")
        tree.git("stash", "-q")
        tree.git("reset", "-q", "--hard", "side")
        tree.git("stash", "pop", is_checked=False)
    else:
        tree.git(how, "side", is_checked=False)


@pytest.mark.parametrize(
    ("how", "busy"),
    [
        ("merge", "a merge"),
        ("rebase", "a rebase"),
        ("cherry-pick", "a cherry-pick"),
        ("stash", "conflicts that are not settled"),
    ],
)
def test_what_is_under_way_comes_first(code: Workspace, tree: Tree, how: str, busy: str) -> None:
    """While a merge or the like is under way files are read and nothing is changed; afterwards it is."""
    conflict(tree, how)
    before = tree.everything()
    made = edit(code, "src/tasks.py", "1\n")

    assert code.state().busy_with == busy
    for kind in ({}, {"message": "Fix"}, {"branch": "fix/one"}):
        with pytest.raises(Refused, match=f"The repository has {busy} under way"):
            code.apply([made], **kind)
    assert tree.everything() == before
    tree.git(*(("reset", "-q", "--hard") if how == "stash" else (how, "--abort")))
    code.apply([made])
    assert code.state().busy_with == ""


def test_a_git_at_work_is_waited_for(code: Workspace, tree: Tree) -> None:
    """While another git has the index or a branch locked a commit is Busy, with every file as it was."""
    before, head = tree.everything(), tree.git("rev-parse", "HEAD")
    for lock in ("index.lock", "refs/heads/main.lock"):
        place = tree.root / ".git" / lock
        place.touch()
        with pytest.raises(Busy, match="Another git is writing"):
            code.apply([edit(code, "src/pool.py", "1\n")], message="Fix")
        assert (tree.everything(), tree.git("rev-parse", "HEAD")) == (before, head)
        assert place.exists()
        place.unlink()
    assert tree.git("status", "--porcelain") == ""
    code.apply([edit(code, "src/pool.py", "1\n")], message="Fix")
    assert tree.git("status", "--porcelain") == ""


def test_no_program_of_a_repository_is_run(code: Workspace, tree: Tree, tmp_path: Path) -> None:
    """Hooks, filters, monitors and pagers that a repository names are never run, whatever is asked of it."""
    ran = tmp_path / "ran"
    program = f"touch {ran}; cat"
    for hook in ("pre-commit", "post-commit", "commit-msg", "reference-transaction", "post-index-change"):
        place = tree.root / ".git/hooks" / hook
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"#!/bin/sh\n{program}\n")
        place.chmod(0o755)
    for key in ("filter.x.clean", "filter.x.smudge", "filter.x.process", "core.fsmonitor", "diff.x.textconv"):
        tree.git("config", key, f"sh -c '{program}'")
    for key in ("core.pager", "core.editor", "gpg.program", "core.sshCommand"):
        tree.git("config", key, f"sh -c '{program}'")
    tree.git("config", "commit.gpgSign", "true")
    tree.write(".gitattributes", "filtered.txt filter=x diff=x\n")
    tree.write("filtered.txt", "text\n")

    code.state(), code.paths(), code.entries(), code.search("SIZE", lines_max=5)
    code.blame("src/pool.py", LineSpan(1, 1))
    code.apply([edit(code, "src/pool.py", "1\n")], message="Fix")
    code.apply([edit(code, "src/tasks.py", "1\n")], branch="fix/one")
    code.apply([edit(code, "filtered.txt", "other\n")])
    with pytest.raises(Refused, match=r"filtered.txt is kept in another form \(filter=x\)"):
        code.apply([Edit("filtered.txt", code.read("filtered.txt").digest, "more\n")], message="Fix")
    assert not ran.exists()
    assert tree.raw("filtered.txt") == b"other\n"


def test_line_ends_are_kept_as_the_repository_wants_them(code: Workspace, tree: Tree) -> None:
    """Where files have other line ends on disk than in commits, a commit of ours has those of commits."""
    tree.write(".gitattributes", "*.txt text eol=crlf\n")
    tree.write("a.txt", "one\r\ntwo\r\n")
    tree.commit("With rules")
    assert tree.git("show", "HEAD:a.txt") == "one\ntwo"

    code.apply([edit(code, "a.txt", "one\n2\n")], branch="fix/one")
    code.apply([edit(code, "a.txt", "one\n2\n")], message="Fix")

    assert tree.raw("a.txt") == b"one\r\n2\r\n"
    assert tree.git("show", "HEAD:a.txt") == tree.git("show", "fix/one:a.txt") == "one\n2"
    assert tree.git("status", "--porcelain") == ""


def test_submodules_are_listed_and_not_entered(code: Workspace, tree: Tree, tmp_path: Path) -> None:
    """A repository inside the repository is a folder in the tree; its files belong to a workspace of its own."""
    inner = Tree(tmp_path / "inner").init()
    inner.write("in.py", "1\n")
    inner.commit("Inner")
    tree.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "lib/inner")
    tree.commit("With a submodule")
    Tree(tree.root / "vendored").init().write("v.py", "1\n")

    assert code.paths() == (".gitmodules", "src/pool.py", "src/tasks.py")
    assert [entry.path for entry in code.entries("lib")] == ["lib/inner"]
    assert "vendored" in [entry.path for entry in code.entries()]
    for path in ("lib/inner/in.py", "vendored/v.py"):
        with pytest.raises(Refused, match="a repository of its own"):
            code.read(path)
        with pytest.raises(Refused, match="a repository of its own"):
            code.apply([Edit(path.replace(".py", "2.py"), "", "")])
    for folder in ("lib/inner", "vendored"):
        with pytest.raises(Refused, match="a repository of its own"):
            code.entries(folder)
    with pytest.raises(Missing):
        code.read_at("lib/inner", "HEAD")


def test_a_sparse_checkout_shows_what_is_checked_out(tree: Tree) -> None:
    """Files that are left out are not listed, and are changed on a branch only."""
    tree.write("docs/page.md", "page\n")
    tree.commit("Docs")
    tree.git("sparse-checkout", "set", "docs")
    code = tree.open()

    assert code.paths() == ("docs/page.md",)
    assert code.state().dirty == ()
    with pytest.raises(Missing):
        code.read("src/pool.py")
    with pytest.raises(Refused, match="sparse"):
        code.apply([Edit("src/pool.py", "", "1\n")])
    code.apply([edit(code, "docs/page.md", "other\n")], message="Fix")
    assert tree.git("status", "--porcelain") == ""
    assert tree.git("ls-files", "-t").split("\n") == ["H docs/page.md", "S src/pool.py", "S src/tasks.py"]
    there = code.read_at("src/pool.py", "HEAD")
    code.apply([Edit("src/pool.py", there.digest, "SIZE = 1\n")], branch="fix/one")
    assert tree.git("show", "fix/one:src/pool.py") == "SIZE = 1"


def test_an_index_in_parts_is_refused_with_a_remedy(code: Workspace, tree: Tree) -> None:
    """An index that is split is listed and read past; a commit says what to do, and changes nothing."""
    tree.git("update-index", "--split-index")
    before = tree.everything()

    assert code.paths() == ("src/pool.py", "src/tasks.py")
    with pytest.raises(Refused, match="git update-index --no-split-index"):
        tree.open().apply([edit(code, "src/pool.py", "1\n")], message="Fix")
    assert tree.everything() == before
    tree.git("update-index", "--no-split-index")
    tree.open().apply([edit(code, "src/pool.py", "1\n")], message="Fix")


@pytest.mark.parametrize("version", [2, 3, 4])
def test_every_index_is_read(code: Workspace, tree: Tree, version: int) -> None:
    """Ignored files that are tracked nevertheless are listed, whichever version the index has."""
    tree.write(".gitignore", "*.gen\nbuilt/\n")
    for path in ("a.gen", "built/deep/b.gen", "x" * 200 + "/" + "y" * 200 + ".gen"):
        tree.write(path, "")
        tree.git("add", "-f", path)
    tree.write("loose.gen", "")
    tree.write("built/loose.py", "")
    tree.commit("Made")
    if version == 3:
        tree.git("update-index", "--skip-worktree", "src/pool.py")
    tree.git("update-index", "--index-version", str(version))
    assert int.from_bytes((tree.root / ".git/index").read_bytes()[4:8], "big") == version

    assert list(code.paths()) == sorted(tree.git("ls-files").split("\n"))


def test_worktrees_stand_for_themselves(tree: Tree, tmp_path: Path) -> None:
    """A worktree has its own files, branch and index, and commits to the repository that it belongs to."""
    tree.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Tree(tmp_path / "side")
    code = side.open()

    done = code.apply([edit(code, "src/pool.py", "1\n")], message="Fix")

    assert (code.state().branch, code.state().dirty) == ("side", ())
    assert tree.git("rev-parse", "side") == done.commit
    assert (tree.raw("src/pool.py"), side.raw("src/pool.py")) == (POOL.encode(), b"1\n")
    assert side.git("status", "--porcelain") == tree.git("status", "--porcelain") == ""


def test_a_repository_without_files_of_its_own_is_refused(tree: Tree, tmp_path: Path) -> None:
    """A bare repository, and one that has its files elsewhere, are refused with what would help."""
    tree.git("clone", "-q", "--bare", str(tree.root), str(tmp_path / "bare.git"))
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(Refused, match="bare"):
        open_workspace(tmp_path / "bare.git")
    tree.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    with pytest.raises(Refused, match="elsewhere"):
        tree.open()
    with pytest.raises(Missing, match="no folder"):
        open_workspace(tmp_path / "gone")
    with pytest.raises(Malformed, match="no folder"):
        open_workspace(tree.root / "src/pool.py")


def test_somebody_elses_repository_is_refused() -> None:
    """A repository of another user is refused with the command that trusts it, as git does."""
    error = refusal(pygit2.GitError("repository path '/srv/code/' is not owned by current user"), Path("/srv/code"))

    assert isinstance(error, Refused)
    assert "safe.directory '/srv/code'" in error.remedy


def test_a_folder_in_a_repository_says_so(tree: Tree) -> None:
    """A folder inside a repository is a plain folder; asked to commit, it names the repository."""
    code = open_workspace(tree.root / "src")

    assert code.paths() == ("pool.py", "tasks.py")
    assert (code.state().branch, code.blame("pool.py", LineSpan(1, 1)), code.now_at("pool.py")) == ("", (), ())
    for kind in ({"branch": "fix/one"}, {"message": "Fix"}):
        with pytest.raises(Refused, match=f"it lies in the repository {tree.root}"):
            code.apply([edit(code, "pool.py", "1\n")], **kind)
    with pytest.raises(Missing, match="no history"):
        code.read_at("pool.py", "HEAD")
    assert tree.raw("src/pool.py") == POOL.encode()


def test_everything_that_is_kept_has_a_history(tmp_path: Path) -> None:
    """A folder of ours has all its files in its history, also those its own rules would ignore, and each new state."""
    forget_settings()
    tree = Tree(tmp_path / "upload")
    tree.write(".gitignore", "*.log\n")
    tree.write("a.log", "1\n")
    tree.write("node_modules/x/x.js", "1\n")
    tree.write("logo.png", b"\x89PNG\0")
    code = open_workspace(tree.root, create=True)
    assert code.paths() == (".gitignore", "a.log", "logo.png", "node_modules/x/x.js")
    first = code.state()
    assert (first.branch, first.dirty) == ("main", ())
    assert tree.git("diff-files", "--name-only") == ""

    tree.write("a.log", "2\n")
    (tree.root / "logo.png").unlink()
    commit = keep_all(tree.root, message="Uploaded again", author="ana")

    assert keep_all(tree.root, message="Uploaded again", author="ana") == commit == code.state().head
    assert code.state().dirty == ()
    assert code.read_at("a.log", first.head).text == "1\n"
    assert tree.git("show", "--format=%an %s", "--name-status", "HEAD") == "ana Uploaded again\n\nM\ta.log\nD\tlogo.png"
    assert open_workspace(tree.root, create=True).state().head == commit


# --- What may be seen ---------------------------------------------------------------------------------------------


def test_what_is_ignored_is_not_seen(code: Workspace, tree: Tree) -> None:
    """Ignored files are not listed, read, found, or changed; a rule that changes is kept to at once."""
    tree.write(".gitignore", ".env\n/built/\n")
    tree.write("src/.gitignore", "*.tmp\n!keep.tmp\n")
    for path in (".env", "built/out.py", "src/a.tmp", "src/keep.tmp", "src/deep/b.tmp"):
        tree.write(path, "secret\n")

    assert code.paths() == (".gitignore", "src/.gitignore", "src/keep.tmp", "src/pool.py", "src/tasks.py")
    assert [one.path for one in code.search("secret", lines_max=9)] == ["src/keep.tmp"]
    assert [entry.path for entry in code.entries()] == ["src", ".gitignore"]
    for path in (".env", "built/out.py", "src/deep/b.tmp", "src/new.tmp"):
        with pytest.raises(Refused, match="ignored"):
            code.read(path)
        with pytest.raises(Refused, match="ignored"):
            code.apply([Edit(path, "", "x")])
    with pytest.raises(Refused, match="ignored"):
        code.entries("built")
    tree.write("src/.gitignore", "pool.py\n")
    assert "src/deep/b.tmp" in code.paths()
    # It is tracked: rules are for what is not.
    assert "src/pool.py" in code.paths()
    tree.write(".git/info/exclude", "*.tmp\n")
    assert "src/deep/b.tmp" not in code.paths()


def test_changes_are_marked(code: Workspace, tree: Tree) -> None:
    """What differs from the last commit is marked, and so is every folder that holds such a file."""
    tree.write("a/b/new.py", "1\n")
    tree.write("same.py", "1\n")
    tree.commit("More")
    tree.write("a/b/new.py", "2\n")
    (tree.root / "src/pool.py").unlink()
    tree.write("loose.py", "1\n")

    assert code.state().dirty == ("a/b/new.py", "loose.py", "src/pool.py")
    marks = {entry.path: entry.is_dirty for entry in code.entries()}
    assert marks == {"a": True, "src": True, "loose.py": True, "same.py": False}
    assert {entry.path: entry.is_dirty for entry in code.entries("src")} == {"src/tasks.py": False}


# --- History ------------------------------------------------------------------------------------------------------


def test_lines_are_blamed_where_they_are_now(code: Workspace, tree: Tree) -> None:
    """Lines that were moved by somebody's own changes are still blamed right, and new lines have nobody."""
    first = tree.git("rev-parse", "HEAD")
    tree.write("src/tasks.py", "def run():\n    close()\n    return 1\n")
    second = tree.commit("Close it\n\nAt last.")
    tree.write("src/tasks.py", "# new\n\ndef run():\n    close()\n    return 1\n")

    found = code.blame("src/tasks.py", LineSpan(1, 99))

    assert [(one.lines, one.commit.id) for one in found] == [
        (LineSpan(3, 3), first),
        (LineSpan(4, 4), second),
        (LineSpan(5, 5), first),
    ]
    assert (found[1].commit.author, found[1].commit.subject) == ("Ana", "Close it")
    assert code.blame("src/tasks.py", LineSpan(4, 4)) == found[1:2]
    tree.write("loose.py", "1\n")
    assert code.blame("loose.py", LineSpan(1, 1)) == ()


def test_the_commits_of_a_file_are_those_that_touched_it(code: Workspace, tree: Tree) -> None:
    """Newest first, merges that only join left out, and no more than asked for."""
    tree.git("checkout", "-q", "-b", "side")
    tree.write("src/pool.py", "SIZE = 60\n")
    side = tree.commit("Side")
    tree.git("checkout", "-q", "main")
    tree.write("src/tasks.py", "1\n")
    tree.commit("Tasks")
    tree.git("merge", "-q", "--no-ff", "-m", "Join", "side")
    tree.write("src/pool.py", "SIZE = 61\n")
    last = tree.commit("Last")

    assert [one.id for one in code.commits("src/pool.py", commits_max=2)] == [last, side]
    assert [one.subject for one in code.commits("src/pool.py", commits_max=9)] == ["Last", "Side", "The beginning"]
    assert code.commits("never.py", commits_max=9) == ()


def test_a_file_is_followed_to_where_it_is_now(code: Workspace, tree: Tree) -> None:
    """A path of long ago leads to today's, over several moves and small changes, and away from what is gone."""
    long = "".join(f"line {number}\n" for number in range(30))
    tree.write("src/deep/long.py", long)
    tree.commit("Long")
    tree.git("mv", "src/deep", "lib")
    tree.commit("Moved")
    tree.git("mv", "lib/long.py", "lib/short.py")
    tree.write("lib/short.py", long.replace("line 3\n", "line three\n"))
    tree.commit("Renamed and changed")
    tree.git("rm", "-q", "src/pool.py")
    tree.commit("Gone")

    assert code.now_at("src/deep/long.py") == code.now_at("lib/long.py") == ("lib/short.py",)
    assert code.now_at("lib/short.py") == ("lib/short.py",)
    assert code.now_at("src/pool.py") == code.now_at("never.py") == ()
    tree.git("mv", "lib/short.py", "again.py")
    tree.commit("And again")
    assert code.now_at("src/deep/long.py") == ("again.py",)


def test_a_file_is_read_as_a_commit_has_it(code: Workspace, tree: Tree) -> None:
    """A commit by its id or its beginning, a branch and HEAD lead to the file as it was there; nothing else does."""
    first = tree.git("rev-parse", "HEAD")
    (tree.root / "src/link.py").symlink_to("pool.py")
    tree.write("src/pool.py", b"SIZE = 1\r\n")
    tree.commit("Other")
    tree.git("tag", "v1")

    assert [code.read_at("src/pool.py", name).text for name in (first, first[:7])] == [POOL, POOL]
    found = code.read_at("src/pool.py", "main")
    assert (found.text, found.newline, found) == ("SIZE = 1\n", "\r\n", code.read("src/pool.py"))
    assert code.read_at("src/pool.py", "HEAD") == found
    for name in ("", "v1", "HEAD~1", ":/Other", "main@{0}", "0" * 40, "abc", "-x", "a\0b"):
        with pytest.raises(Missing, match="no commit"):
            code.read_at("src/pool.py", name)
    for path in ("gone.py", "src", "src/pool.py/x"):
        with pytest.raises(Missing):
            code.read_at(path, "HEAD")
    with pytest.raises(Refused, match="link"):
        code.read_at("src/link.py", "HEAD")


def test_a_shallow_clone_knows_what_it_has(tree: Tree, tmp_path: Path) -> None:
    """Where history was cut off, what is there is told, and nothing fails."""
    tree.write("src/pool.py", "SIZE = 60\n")
    tree.commit("Second")
    tree.git("mv", "src/tasks.py", "src/jobs.py")
    tree.commit("Third")
    tree.git("clone", "-q", "--depth", "2", f"file://{tree.root}", str(tmp_path / "shallow"))
    code = open_workspace(tmp_path / "shallow")

    assert code.now_at("src/tasks.py") == ("src/jobs.py",)
    assert len(code.commits("src/jobs.py", commits_max=9)) >= 1
    assert code.commits("src/pool.py", commits_max=9) is not None
    assert code.blame("src/pool.py", LineSpan(1, 1)) is not None
