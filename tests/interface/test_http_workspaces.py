"""Workspaces over HTTP: adding within limits, reading, editing what was read, uploads as a whole, the lens."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pygit2
import pytest
from tests.resting import Resting, resting

from hindcast.model.case import Case, Resolution
from hindcast.rest.workspaces_shapes import DIRTY_MAX

SPACE = "local"
CODE = "/api/v1/workspaces"
APP = "def pay():\n    return 1\n\n\ndef refund():\n    return 2\n"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resting]:
    """A Hindcast beside a repository, in a folder that may be registered."""
    folder = tmp_path_factory.mktemp("workspaces")
    repository = pygit2.init_repository(str(folder / "code/shop"), initial_head="main")
    root = folder / "code/shop"
    (root / "src").mkdir()
    (root / "src/app.py").write_text(APP)
    (root / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    (root / "image.png").write_bytes(b"\x89PNG\x00\x01")
    (root / "CODEOWNERS").write_text("src/ @payments\n")
    repository.index.add_all()
    who = pygit2.Signature("ana", "ana@example.com")
    repository.create_commit("HEAD", who, who, "Begin", repository.index.write_tree(), [])
    repository.index.write()
    with resting(folder, workspace_roots=str(folder / "code")) as made:
        made.ask("POST", CODE, SPACE, status=201, json={"name": "shop", "path": str(root)})
        yield made


def got(here: Resting, where: str, **params: Any) -> Any:
    """What a GET answers, decoded."""
    return here.ask("GET", where, params.pop("space", SPACE), params=params).json()


def packed(*files: tuple[str, str]) -> bytes:
    """An archive with these files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files:
            archive.writestr(name, text)
    return made.getvalue()


def upload(here: Resting, name: str, content: bytes, *, status: int = 200, query: str = "") -> Any:
    """What the upload of an archive answers."""
    headers = {"Content-Type": "application/zip"}
    answer = here.ask("POST", f"{CODE}/{name}/upload{query}", SPACE, status=status, content=content, headers=headers)
    return answer.json()


def test_a_workspace_says_how_it_stands(here: Resting) -> None:
    """A registered repository is listed, with branch, head and what differs from it."""
    listed = got(here, CODE)["items"]
    told = got(here, f"{CODE}/shop")

    assert [(one["name"], one["kind"], one["by"]) for one in listed if one["name"] == "shop"] == [
        ("shop", "path", "ana")
    ]
    assert (told["branch"], len(told["head"]), told["busy_with"]) == ("main", 40, "")
    assert told["dirty_count"] == len(told["dirty"]) <= DIRTY_MAX
    here.ask("GET", f"{CODE}/nothing", SPACE, status=404)
    assert got(here, CODE, space="elsewhere") == {"items": [], "next": None}


def test_only_listed_folders_are_registered(here: Resting) -> None:
    """A folder that no setting lists, none at all, and a name that is none are refused, each with its field."""
    for said, status, field in (
        ({"name": "etc", "path": "/etc"}, 403, "path"),
        ({"name": "up", "path": f"{here.folder}/code/../store"}, 403, "path"),
        ({"name": "no", "path": f"{here.folder}/code/nothing"}, 404, "path"),
        ({"name": "No Name", "path": f"{here.folder}/code/shop"}, 400, "name"),
        ({"name": "both", "path": "/x", "url": "https://x.example"}, 400, "path"),
        ({"name": "neither"}, 400, "path"),
        ({"name": "far", "url": "https://git.example.com/shop.git"}, 403, "url"),
        ({"name": "shop", "path": f"{here.folder}/code"}, 409, "name"),
    ):
        problem = here.ask("POST", CODE, SPACE, status=status, json=said).json()
        assert (problem["field"], bool(problem["remedy"])) == (field, True), said


def test_adding_again_is_adding_once(here: Resting) -> None:
    """A folder that is added again stays as it was added first, and a repeated request gets its first answer again."""
    said = {"name": "again", "path": f"{here.folder}/code/shop"}
    key = {"Idempotency-Key": "add-again"}
    first, repeated = (here.ask("POST", CODE, SPACE, status=201, json=said, headers=key) for _ in range(2))

    assert first.json() == repeated.json() == here.ask("POST", CODE, SPACE, status=201, json=said).json()
    assert repeated.headers["Idempotency-Replayed"] == "true"
    here.ask("DELETE", f"{CODE}/again", SPACE)


def test_a_tree_is_read_folder_by_folder(here: Resting) -> None:
    """A folder is told page by page, folders first; what lies outside is not there."""
    first = got(here, f"{CODE}/shop/tree", limit=1)
    rest = got(here, f"{CODE}/shop/tree", limit=10, cursor=first["next"])

    assert [one["path"] for one in first["items"]] == ["src"]
    assert [one["path"] for one in rest["items"]] == ["CODEOWNERS", "crlf.txt", "image.png"]
    assert got(here, f"{CODE}/shop/tree", path="src")["items"][0]["size"] == len(APP)
    for path, statuses in ((".git", (403, 404)), ("../..", (400, 403, 404)), ("nothing", (404,))):
        answer = here.client.get(f"{CODE}/shop/tree", params={"path": path, "space": SPACE})
        assert answer.status_code in statuses, (path, answer.text)


def test_a_file_has_its_digest_for_an_etag(here: Resting) -> None:
    """A file is told with how it is written back; who has it already gets 304; what is no text is refused."""
    answer = here.ask("GET", f"{CODE}/shop/file", SPACE, params={"path": "crlf.txt"})
    told = answer.json()

    assert (told["text"], told["newline"], told["encoding"]) == ("one\ntwo\n", "\r\n", "utf-8")
    assert answer.headers["ETag"] == f'"{told["digest"]}"'
    known = {"If-None-Match": answer.headers["ETag"]}
    here.ask("GET", f"{CODE}/shop/file", SPACE, status=304, params={"path": "crlf.txt"}, headers=known)
    head = got(here, f"{CODE}/shop")["head"]
    assert got(here, f"{CODE}/shop/file", path="src/app.py", at=head)["language"] == "python"
    here.ask("GET", f"{CODE}/shop/file", SPACE, status=403, params={"path": "image.png"})
    for path in ("../store/local.db", "/etc/passwd", "src/../../x", ".git/config", "nothing.py"):
        assert here.client.get(f"{CODE}/shop/file", params={"path": path, "space": SPACE}).status_code in (
            400,
            403,
            404,
        )


def test_an_edit_is_made_for_what_was_read(here: Resting) -> None:
    """An edit keeps line ends, tells what takes it back, and is not made over what somebody else wrote."""
    where: dict[str, Any] = {"params": {"path": "crlf.txt"}}
    tag = here.ask("GET", f"{CODE}/shop/file", SPACE, **where).headers["ETag"]
    edited = here.ask("PUT", f"{CODE}/shop/file", SPACE, json={"text": "one\n2\n"}, headers={"If-Match": tag}, **where)

    assert (here.folder / "code/shop/crlf.txt").read_bytes() == b"one\r\n2\r\n"
    here.ask("PUT", f"{CODE}/shop/file", SPACE, status=412, json={"text": "x"}, headers={"If-Match": tag}, **where)
    here.ask("PUT", f"{CODE}/shop/file", SPACE, status=400, json={"text": "x"}, **where)
    told = edited.json()
    assert (told["undo_text"], edited.headers["ETag"]) == ("one\ntwo\n", f'"{told["digest"]}"')
    back = {"If-Match": edited.headers["ETag"]}
    here.ask("PUT", f"{CODE}/shop/file", SPACE, json={"text": told["undo_text"]}, headers=back, **where)
    assert (here.folder / "code/shop/crlf.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_a_new_file_is_made_only_where_none_is(here: Resting) -> None:
    """`If-None-Match: *` makes a file, and never overwrites one."""
    new, text = {"If-None-Match": "*"}, {"text": "new\n"}
    made = here.ask("PUT", f"{CODE}/shop/file?path=new.py", SPACE, json=text, headers=new).json()

    assert made["undo_text"] is None
    here.ask("PUT", f"{CODE}/shop/file?path=new.py", SPACE, status=412, json=text, headers=new)
    assert "new.py" in got(here, f"{CODE}/shop")["dirty"]
    (here.folder / "code/shop/new.py").unlink()


def test_who_touched_it_and_where_it_stands(here: Resting) -> None:
    """Blame names the commit of each line, and a search the lines that hold a text."""
    blamed = got(here, f"{CODE}/shop/blame", path="src/app.py", first=2, last=3)

    assert [(one["lines"], one["commit"]["author"]) for one in blamed] == [({"first": 2, "last": 3}, "ana")]
    here.ask("GET", f"{CODE}/shop/blame", SPACE, status=404, params={"path": "src/app.py", "first": 99})
    found = got(here, f"{CODE}/shop/search", text="return 2")
    assert found == [{"path": "src/app.py", "line": 6, "text": "    return 2"}]


def test_a_file_is_found_by_words_of_its_path(here: Resting) -> None:
    """Each word has to be in the path, and a file that is called so comes before one that only lies there."""
    assert got(here, f"{CODE}/shop/paths", text="APP src") == ["src/app.py"]
    assert got(here, f"{CODE}/shop/paths", text="nosuch") == []
    assert "src/app.py" in got(here, f"{CODE}/shop/paths", text="")
    assert len(got(here, f"{CODE}/shop/paths", text="", limit=1)) == 1


def test_the_lens_tells_what_memory_knows_of_a_file(here: Resting) -> None:
    """Each function comes with its owners, its commits and the incidents that touched it before."""
    diff = "--- a/src/app.py\n+++ b/src/app.py\n@@ -5,2 +5,2 @@ def refund():\n-    return 0\n+    return 2\n"
    told = Resolution("return two", diff=diff)
    here.remember(SPACE, Case("inc-7", "refunds fail", datetime(2026, 11, 15, tzinfo=UTC), resolution=told))
    lens = got(here, f"{CODE}/shop/lens", path="src/app.py")
    pay, refund = lens["functions"]

    assert (pay["name"], pay["known"]["broke"]) == ("pay", "")
    assert refund["known"]["broke"] == "It broke once before, on 2026-11-15: refunds fail"
    assert [one["incident"] for one in refund["known"]["troubles"]] == ["inc-7"]
    assert refund["known"]["owners"] == ["@payments"]
    assert refund["known"]["commits"][0]["subject"] == "Begin"


def test_an_archive_becomes_a_workspace(here: Resting) -> None:
    """The first upload makes a workspace, the next is its next commit, the same again is none."""
    first = upload(here, "packed", packed(("top/app.py", "a = 1\n")), query="?drop_top=true")
    second = upload(here, "packed", packed(("app.py", "a = 2\n"), ("b/c.py", "c\n")))
    again = upload(here, "packed", packed(("app.py", "a = 2\n"), ("b/c.py", "c\n")))

    assert (first["workspace"]["kind"], first["files"], second["files"]) == ("upload", 1, 2)
    assert first["commit"] != second["commit"]
    assert again["commit"] == ""
    assert got(here, f"{CODE}/packed/file", path="app.py")["text"] == "a = 2\n"
    assert got(here, f"{CODE}/packed/file", path="app.py", at=first["commit"])["text"] == "a = 1\n"
    here.ask("DELETE", f"{CODE}/packed", SPACE, params={"files": True})
    here.ask("GET", f"{CODE}/packed", SPACE, status=404)


def test_files_come_as_a_form(here: Resting) -> None:
    """Files with their paths arrive as they are, also large ones; an archive among them is refused."""
    large = ("# é\n" * 60_000).encode()
    files = [("files", ("src/größe.py", large)), ("files", ("run.sh", b"#!/bin/sh\n")), ("files", ("empty", b""))]
    told = here.ask("POST", f"{CODE}/form/upload", SPACE, files=files).json()

    assert (told["files"], told["bytes"]) == (3, len(large) + 10)
    assert got(here, f"{CODE}/form/file", path="src/größe.py")["text"].encode() == large
    for wrong in (
        [("files", ("x.zip", b"PK"))],
        [("files", ("../x.py", b""))],
        [("files", ("a.py", b"")), ("files", ("A.py", b""))],
        [("note", (None, b"no file"))],
    ):
        answer = here.client.post(f"{CODE}/form/upload", files=wrong, headers={"X-Hindcast-Space": SPACE})
        assert answer.status_code in (400, 403), (wrong, answer.text)
    assert got(here, f"{CODE}/form")["dirty"] == []


@pytest.mark.parametrize(
    ("kind", "content", "status"),
    [
        ("application/json", b"{}", 415),
        ("application/zip", b"", 400),
        ("application/zip", b"PK\x05\x06 torn", 400),
        ("multipart/form-data", b"--x\r\n", 400),
        ("multipart/form-data; boundary=x", b"no part", 400),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nhalf',
            400,
        ),
        ("application/zip", packed(("../up.py", "x")), 403),
        ("application/zip", packed(("zeros", "0" * 5_000_000)), 403),
    ],
)
def test_what_is_no_upload_leaves_nothing(here: Resting, kind: str, content: bytes, status: int) -> None:
    """Bytes that are no archive, half a form, a climbing name and a bomb are refused, and no workspace is made."""
    headers = {"Content-Type": kind}
    problem = here.ask("POST", f"{CODE}/bad/upload", SPACE, status=status, content=content, headers=headers).json()

    assert problem["remedy"]
    here.ask("GET", f"{CODE}/bad", SPACE, status=404)


def test_a_body_beyond_its_limit_is_not_read(here: Resting) -> None:
    """An upload that announces more than may come is refused at once, and an edit has a limit of its own."""
    headers = {"Content-Type": "application/zip", "Content-Length": "100000001"}
    here.ask("POST", f"{CODE}/big/upload", SPACE, status=413, content=b"PK", headers=headers)
    large = json.dumps({"text": "é" * 2_000_000}, ensure_ascii=False).encode()
    here.ask(
        "PUT",
        f"{CODE}/shop/file?path=crlf.txt",
        SPACE,
        status=412,
        content=large,
        headers={"If-Match": '"0"', "Content-Type": "application/json"},
    )
