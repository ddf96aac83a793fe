"""Versioned memory over HTTP: records, history, branches and merges, each read at any moment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.resting import Resting, resting

MEMORY = "/api/v1/memory"


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resting]:
    """A Hindcast; each test has a space of its own."""
    with resting(tmp_path_factory.mktemp("memory")) as made:
        yield made


@pytest.fixture
def space(request: pytest.FixtureRequest) -> str:
    """A space of the test's own, which nobody has written to."""
    name: str = request.node.name.partition("[")[0].replace("_", "-")
    return name


def put(hindcast: Resting, space: str, address: str, body: Any, *, status: int = 200, **more: Any) -> Any:
    """Remember something."""
    headers = more.pop("headers", {})
    said = {"body": body, "why": "to try it", **more}
    answer = hindcast.ask(
        "PUT", f"{MEMORY}/records/{address}", space, json=said, status=status, headers=headers
    )  # fmt: skip
    return answer.json()


def test_a_record_is_written_read_and_taken_back(hindcast: Resting, space: str) -> None:
    """What is put at an address is there with its ETag, changes with it, and is gone when it was retracted."""
    first = put(hindcast, space, "payments/pool", {"size": 20})
    assert (first["commit"]["actor"], first["record"]["body"]) == ("ana", {"size": 20})
    read = hindcast.ask("GET", f"{MEMORY}/records/payments/pool", space)
    tag = read.headers["ETag"]
    assert read.json() == first["record"]
    hindcast.ask("GET", f"{MEMORY}/records/payments/pool", space, status=304, headers={"If-None-Match": tag})

    second = put(hindcast, space, "payments/pool", {"size": 5}, headers={"If-Match": tag})
    put(hindcast, space, "payments/pool", {"size": 6}, headers={"If-Match": tag}, status=412)
    put(hindcast, space, "payments/pool", {"size": 6}, headers={"If-None-Match": "*"}, status=412)
    put(hindcast, space, "payments/new%23two", None, headers={"If-None-Match": "*"})
    put(hindcast, space, "payments/not-there", 1, headers={"If-Match": "*"}, status=412)
    then = hindcast.get(f"{MEMORY}/records/payments/pool", space, at=first["commit"]["id"])
    assert (then["body"], second["record"]["body"]) == ({"size": 20}, {"size": 5})

    hindcast.ask("DELETE", f"{MEMORY}/records/payments/pool", space, status=422)
    hindcast.ask("DELETE", f"{MEMORY}/records/payments/pool", space, params={"why": "wrong"})
    gone = hindcast.ask("GET", f"{MEMORY}/records/payments/pool", space, status=404).json()
    assert "retracted" in gone["detail"]
    versions = hindcast.get(f"{MEMORY}/history", space, address="payments/pool")["items"]
    assert [one["state"] for one in versions] == ["retracted", "live", "live"]


def test_another_write_elsewhere_disturbs_nobody(hindcast: Resting, space: str) -> None:
    """If-Match is about the record: what others write at other addresses does not make it stale."""
    put(hindcast, space, "team/motto", "first")
    tag = hindcast.ask("GET", f"{MEMORY}/records/team/motto", space).headers["ETag"]
    put(hindcast, space, "team/other", "meanwhile")

    put(hindcast, space, "team/motto", "second", headers={"If-Match": tag})


def test_lists_are_whole_and_narrowed(hindcast: Resting, space: str) -> None:
    """Pages of records join without gap; a namespace, a path and a kind narrow them."""
    changes = [{"address": f"team/a.n{number:03}", "body": number} for number in range(120)]
    said = {"changes": [*changes, {"address": "other/x", "body": 1, "kind": "note"}], "why": "many"}
    made = hindcast.ask("POST", f"{MEMORY}/commits", space, json=said).json()
    assert made["changes"] == 121

    def every(**wanted: Any) -> list[str]:
        found: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = hindcast.get(f"{MEMORY}/records", space, limit=50, **wanted, **cursor)
            found += [one["address"] for one in page["items"]]
            if page["next"] is None:
                return found
            cursor = {"cursor": page["next"]}

    assert every(namespace="team") == [one["address"] for one in changes]
    assert every(kind="note") == ["other/x"]
    assert every(namespace="team", prefix="a.n007") == ["team/a.n007"]
    assert hindcast.get(f"{MEMORY}/namespaces", space)["items"] == [
        {"namespace": "other", "records": 1},
        {"namespace": "team", "records": 120},
    ]


def test_a_search_finds_what_was_true_then(hindcast: Resting, space: str) -> None:
    """A search at a moment finds what was there at it, each hit with how it was found."""
    first = put(hindcast, space, "team/rule", "the relay is restarted by hand")
    put(hindcast, space, "team/rule", "nobody touches the queue")
    found = hindcast.get(f"{MEMORY}/search", space, text="relay", at=first["commit"]["id"])

    assert [hit["record"]["address"] for hit in found["hits"]] == ["team/rule"]
    assert found["hits"][0]["ranks"]["words"]["place"] == 1
    assert hindcast.get(f"{MEMORY}/search", space, text="relay")["hits"] == []


def test_moments_mean_something(hindcast: Resting, space: str) -> None:
    """A commit's beginning, a snapshot, a branch and a time each resolve to a step; what is none is missing."""
    commit = put(hindcast, space, "team/motto", "first")["commit"]
    hindcast.ask("POST", f"{MEMORY}/snapshots", space, json={"name": "begun"})
    put(hindcast, space, "team/motto", "second")

    def step(moment: str) -> Any:
        return hindcast.get(f"{MEMORY}/moments/resolve", space, moment=moment)["moment"]["step"]

    assert [step(moment) for moment in (commit["id"][:10], "begun", "main", "now", "2 days ago")] == [1, 1, 2, 2, 0]
    missing = hindcast.ask("GET", f"{MEMORY}/moments/resolve", space, params={"moment": "never"}, status=404).json()
    assert "time" in missing["remedy"]
    assert [one["name"] for one in hindcast.get(f"{MEMORY}/snapshots", space)["items"]] == ["begun"]


def test_history_is_told_commit_by_commit(hindcast: Resting, space: str) -> None:
    """Commits come newest first with who and why, one shows what it changed, and a field's author is known."""
    put(hindcast, space, "team/pool", {"size": 1, "why": "small"})
    second = put(hindcast, space, "team/pool", {"size": 2, "why": "small"})["commit"]
    page = hindcast.get(f"{MEMORY}/commits", space, limit=1)
    rest = hindcast.get(f"{MEMORY}/commits", space, limit=1, cursor=page["next"])
    assert (page["items"][0]["id"], rest["items"][0]["step"], rest["next"]) == (second["id"], 1, None)

    shown = hindcast.get(f"{MEMORY}/commits/{second['id'][:12]}", space)["difference"]
    assert (shown["changed_count"], shown["changed"][0]["fields"]) == (1, ["size"])
    blamed = {
        one["field"]: one["commit"]["step"]
        for one in hindcast.get(f"{MEMORY}/blame", space, address="team/pool")["items"]
    }
    assert blamed == {"size": 2, "why": 1}
    turned = hindcast.get(f"{MEMORY}/bisect", space, address="team/pool", field="size")
    assert (turned["turn"]["id"], turned["after"]) == (second["id"], {"there": True, "value": 2})
    difference = hindcast.get(f"{MEMORY}/diff", space, before="1970-01-01T00:00:00Z", shown=0)
    assert (difference["learned"], difference["learned_count"]) == ([], 1)
    hindcast.ask("GET", f"{MEMORY}/commits/main", space, status=400)
    hindcast.ask("GET", f"{MEMORY}/bisect", space, status=400)


def test_a_conflict_is_an_answer(hindcast: Resting, space: str) -> None:
    """What both sides changed comes back as conflicts and nothing is written; a choice settles it."""
    put(hindcast, space, "team/pool", {"size": 1})
    hindcast.ask("POST", f"{MEMORY}/branches", space, json={"name": "what-if"})
    put(hindcast, space, "team/pool", {"size": 2}, branch="what-if")
    head = put(hindcast, space, "team/pool", {"size": 3})["commit"]["id"]
    asked = hindcast.ask("POST", f"{MEMORY}/merge", space, json={"source": "what-if"}).json()
    assert (asked["outcome"], asked["conflicts"][0]["fields"], asked["commit"]) == ("conflicts", ["size"], None)
    assert hindcast.get(f"{MEMORY}/commits", space)["items"][0]["id"] == head

    stale = {"source": "what-if", "policy": "ours", "expected_head": asked["conflicts"][0]["base"]["commit"]}
    hindcast.ask("POST", f"{MEMORY}/merge", space, json=stale, status=409)
    settled = {"source": "what-if", "choices": {"team/pool": {"body": {"size": 9}}}, "expected_head": head}
    done = hindcast.ask("POST", f"{MEMORY}/merge", space, json=settled).json()
    assert (done["outcome"], done["commit"]["merge_parent"] is not None) == ("merged", True)
    assert hindcast.get(f"{MEMORY}/records/team/pool", space)["body"] == {"size": 9}
    undone = hindcast.ask("POST", f"{MEMORY}/revert", space, json={"commit": done["commit"]["id"][:12]}).json()
    assert undone["outcome"] == "merged"
    assert hindcast.get(f"{MEMORY}/records/team/pool", space)["body"] == {"size": 3}
    assert [one["name"] for one in hindcast.get(f"{MEMORY}/branches", space)["items"]] == ["main", "what-if"]


def test_what_is_erased_is_in_no_answer(hindcast: Resting, space: str) -> None:
    """After an erasure neither the past nor an answer kept for a repetition tells it, and the chain verifies."""
    secret = "the name of a person"
    said = {"changes": [{"address": "people/x", "body": secret}], "why": "told"}
    key = {"Idempotency-Key": "the-same"}
    first = hindcast.ask("POST", f"{MEMORY}/commits", space, json=said, headers=key).json()
    gone = hindcast.ask("POST", f"{MEMORY}/erase", space, json={"address": "people/x", "why": "a legal duty"}).json()

    assert gone["versions"] == 1
    assert secret not in hindcast.ask("GET", f"{MEMORY}/history", space, params={"address": "people/x"}).text
    hindcast.ask("GET", f"{MEMORY}/records/people/x", space, params={"at": first["id"]}, status=404)
    verified = hindcast.get(f"{MEMORY}/verify", space)
    assert (verified["sound"], verified["erased"]) == (True, 1)
    # The kept answers of the space were forgotten with it, so this is a new request.
    again = hindcast.ask("POST", f"{MEMORY}/commits", space, json=said, headers=key)
    assert "Idempotency-Replayed" not in again.headers


@pytest.mark.parametrize(
    ("method", "path", "said", "status"),
    [
        ("GET", "records/nowhere", None, 400),
        ("GET", "records/team/..%2F..%2Fetc%2Fpasswd", None, 400),
        ("GET", "records/team/a%01b", None, 400),
        ("GET", "records?prefix=a", None, 400),
        ("GET", "records?cursor=bm9uc2Vuc2U", None, 400),
        ("GET", "records?at=nothing-like-a-moment", None, 404),
        ("GET", "records?branch=no-such-branch", None, 404),
        ("GET", "search?text=", None, 422),
        ("PUT", "records/team/x", {"body": 1}, 422),
        ("PUT", "records/team/x", {"body": 1, "why": "x", "kind": "Not A Kind"}, 400),
        ("POST", "commits", {"changes": [], "why": "x"}, 422),
        ("POST", "commits", {"changes": [{"address": "a/b", "body": 1, "retract": True}], "why": "x"}, 400),
        ("POST", "commits", {"changes": [{"address": "a/b", "retract": True}], "why": "x"}, 404),
        ("POST", "branches", {"name": "main"}, 403),
        ("POST", "branches", {"name": "../../etc"}, 400),
        ("POST", "merge", {"source": "no-such-branch"}, 404),
        ("POST", "revert", {"commit": "zzzzzz"}, 400),
        ("POST", "erase", {"address": "team/nothing", "why": "x"}, 404),
    ],
)
def test_what_makes_no_sense_says_why(
    hindcast: Resting, space: str, method: str, path: str, said: Any, status: int
) -> None:
    """A mistake has its status and a remedy, and writes nothing."""
    put(hindcast, space, "team/there", 1)
    steps = hindcast.get(f"{MEMORY}/commits", space)["items"][0]["step"]
    answer = hindcast.ask(method, f"{MEMORY}/{path}", space, json=said, status=status)

    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["remedy"]
    assert hindcast.get(f"{MEMORY}/commits", space)["items"][0]["step"] == steps
