"""GitHub's webhooks, for what they change in the watched system: deployments, releases, merges, pushes, workflows.

A change's key is the digest of the body, which is what GitHub signs: a body that is sent again is the same change,
whatever the headers say. What changes nothing yet (a pull request that was opened, a push to a side branch) is taken
and left out, with a note that says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import parse_qs

import msgspec

from hindcast.ingest.sources.naming import NAMING, Naming
from hindcast.ingest.sources.reading import LIMITS, Arrival, clip, flat, header, labelled, read
from hindcast.model.columns import Parsed, Rejection
from hindcast.model.errors import Malformed
from hindcast.model.reading import ready
from hindcast.model.signal import ChangeKind, SystemChange

# GitHub sends nothing larger.
BODY_BYTES_MAX = 25 * 1024 * 1024

HEADS = "refs/heads/"
# Of the digest; enough that no two bodies share it.
KEY_CHARS = 40

Part = TypeVar("Part")


class WireUser(msgspec.Struct):
    """Somebody at GitHub."""

    login: str | None = None
    name: str | None = None


class WireRepository(msgspec.Struct):
    """The repository it happened in."""

    name: str | None = None
    full_name: str | None = None
    default_branch: str | None = None
    pushed_at: float | str | None = None


class WireCommit(msgspec.Struct):
    """A commit of a push."""

    id: str | None = None
    message: str | None = None
    url: str | None = None


class WireDeployment(msgspec.Struct):
    """Something that is to be deployed."""

    id: int | None = None
    sha: str | None = None
    ref: str | None = None
    environment: str | None = None
    description: str | None = None
    payload: Any = None
    url: str | None = None
    created_at: str | None = None


class WireState(msgspec.Struct):
    """How a deployment went."""

    state: str | None = None
    description: str | None = None
    target_url: str | None = None
    environment_url: str | None = None
    log_url: str | None = None
    created_at: str | None = None
    updated_at: str | None = None


class WireRelease(msgspec.Struct):
    """A release."""

    tag_name: str | None = None
    name: str | None = None
    html_url: str | None = None
    published_at: str | None = None
    created_at: str | None = None
    prerelease: bool | None = None


class WireRun(msgspec.Struct):
    """A workflow's run, or a check's."""

    name: str | None = None
    conclusion: str | None = None
    head_branch: str | None = None
    head_sha: str | None = None
    html_url: str | None = None
    event: str | None = None
    completed_at: str | None = None
    updated_at: str | None = None


class WirePull(msgspec.Struct):
    """A pull request."""

    number: int | None = None
    title: str | None = None
    merged: bool | None = None
    merged_at: str | None = None
    merged_by: WireUser | None = None
    merge_commit_sha: str | None = None
    html_url: str | None = None
    base: dict[str, Any] | None = None


class WireEvent(msgspec.Struct):
    """A request: the parts of it that its event has."""

    action: str | None = None
    repository: WireRepository | None = None
    sender: WireUser | None = None
    pusher: WireUser | None = None
    ref: str | None = None
    after: str | None = None
    deleted: bool | None = None
    forced: bool | None = None
    compare: str | None = None
    commits: list[WireCommit] | None = None
    head_commit: WireCommit | None = None
    deployment: WireDeployment | None = None
    deployment_status: WireState | None = None
    release: WireRelease | None = None
    workflow_run: WireRun | None = None
    check_run: WireRun | None = None
    pull_request: WirePull | None = None


@dataclass(frozen=True, slots=True)
class _Told:
    """What one kind of event says of the change that it made."""

    kind: ChangeKind
    title: str
    # As the sender wrote it, and where.
    at: float | str | None
    at_field: str
    ref: str = ""
    url: str = ""
    actor: str = ""
    labels: Mapping[str, str] | None = None


def parse(body: bytes, headers: Mapping[str, str], *, now: datetime, naming: Naming = NAMING) -> Parsed:
    """The change that an event made, or a note that it made none."""
    name = _named(headers, "X-GitHub-Event", "the kind of event")
    if name == "ping":
        return Parsed()
    teller = _TELLERS.get(name)
    if teller is None:
        return _left_out(f"X-GitHub-Event: {name} changes nothing in the watched system.")
    event = read(_json(body, headers), WireEvent, bytes_max=BODY_BYTES_MAX)
    told = teller(event)
    if isinstance(told, str):
        return _left_out(told)
    repository = event.repository or WireRepository()
    labels = {
        "event": name,
        "action": event.action or "",
        "repository": repository.full_name or repository.name or "",
        **(told.labels or {}),
    }
    arrival = Arrival(now)
    change = SystemChange(
        source="github",
        key=_key_of(body),
        kind=told.kind,
        at=arrival.time(told.at, told.at_field),
        service=naming.service(told.labels or {}) or naming.called(repository.name or "", repository.full_name or ""),
        title=clip(told.title, LIMITS.title_chars_max),
        actor=told.actor or (event.sender.login if event.sender else None) or "",
        ref=told.ref,
        url=told.url,
        labels=labelled(labels),
    )
    return Parsed(changes=(change,), rejections=arrival.notes)


def _key_of(body: bytes) -> str:
    """By what a repetition is known: what is signed, which is the body. The id of a delivery is not, nor its kind."""
    return hashlib.sha256(body).hexdigest()[:KEY_CHARS]


def _push(event: WireEvent) -> _Told | str:
    branch = (event.ref or "").removeprefix(HEADS)
    repository = event.repository or WireRepository()
    if event.deleted:
        return f"ref: {branch} was deleted."
    if not (event.ref or "").startswith(HEADS) or branch != (repository.default_branch or branch):
        return (
            f"ref: {event.ref or 'nothing'} is not the branch that {repository.full_name or 'the repository'} lives on."
        )
    commits = event.commits or []
    count = f"{len(commits)} commit" + ("" if len(commits) == 1 else "s")
    head = event.head_commit or (commits[-1] if commits else WireCommit())
    return _Told(
        ChangeKind.PUSH,
        f"{'Forced push' if event.forced else 'Push'} of {count} to {branch}: {_first_line(head.message)}",
        repository.pushed_at,
        "repository.pushed_at",
        ref=event.after or head.id or "",
        url=event.compare or head.url or "",
        actor=(event.pusher.name if event.pusher else None) or "",
        labels={"branch": branch},
    )


def _deployment(event: WireEvent) -> _Told | str:
    one = _part(event.deployment, "deployment")
    return _Told(
        ChangeKind.DEPLOY,
        f"Deployment of {one.ref or one.sha or 'something'} to {one.environment or 'an environment'} begins",
        one.created_at,
        "deployment.created_at",
        ref=one.sha or one.ref or "",
        url=one.url or "",
        labels={**_deployed(one), "state": "begun"},
    )


def _deployment_status(event: WireEvent) -> _Told | str:
    one, state = _part(event.deployment, "deployment"), _part(event.deployment_status, "deployment_status")
    told_at = state.updated_at or state.created_at
    return _Told(
        ChangeKind.DEPLOY,
        f"Deployment of {one.ref or one.sha or 'something'} to {one.environment or 'an environment'}: "
        f"{state.state or 'unknown'}",
        told_at,
        "deployment_status.updated_at",
        ref=one.sha or one.ref or "",
        url=state.log_url or state.target_url or state.environment_url or one.url or "",
        labels={**_deployed(one), "state": state.state or ""},
    )


def _deployed(one: WireDeployment) -> dict[str, str]:
    """Where to, and whatever the deployer wrote into the payload: a monorepo says there which service it is."""
    payload = one.payload
    if isinstance(payload, str):
        try:
            payload = msgspec.json.decode(payload)
        except (msgspec.DecodeError, RecursionError):
            payload = None
    own = flat(payload) if isinstance(payload, Mapping) else {}
    return {**own, "environment": one.environment or "", "deployment_id": str(one.id or "")}


def _release(event: WireEvent) -> _Told | str:
    if event.action != "published":
        return f"action: a release that is {event.action or 'nothing'} is told again when it is published."
    one = _part(event.release, "release")
    return _Told(
        ChangeKind.RELEASE,
        f"Release {one.name or one.tag_name or ''}".strip(),
        one.published_at or one.created_at,
        "release.published_at",
        ref=one.tag_name or "",
        url=one.html_url or "",
        labels={"prerelease": "true" if one.prerelease else "false"},
    )


def _run(kind: str) -> Callable[[WireEvent], _Told | str]:
    def tell(event: WireEvent) -> _Told | str:
        if event.action != "completed":
            return f"action: a {kind} that is {event.action or 'nothing'} is told again when it is completed."
        one: WireRun = _part(getattr(event, kind), kind)
        return _Told(
            ChangeKind.WORKFLOW,
            f"{one.name or kind}: {one.conclusion or 'no conclusion'}",
            one.completed_at or one.updated_at,
            f"{kind}.updated_at",
            ref=one.head_sha or "",
            url=one.html_url or "",
            labels={"conclusion": one.conclusion or "", "branch": one.head_branch or "", "trigger": one.event or ""},
        )

    return tell


def _pull_request(event: WireEvent) -> _Told | str:
    one = event.pull_request or WirePull()
    if event.action != "closed" or not one.merged:
        return f"action: a pull request that is {event.action or 'nothing'} and not merged changes nothing."
    base = (one.base or {}).get("ref")
    return _Told(
        ChangeKind.MERGE,
        f"Pull request #{one.number}: {one.title or ''}",
        one.merged_at,
        "pull_request.merged_at",
        ref=one.merge_commit_sha or "",
        url=one.html_url or "",
        actor=(one.merged_by.login if one.merged_by else None) or "",
        labels={"branch": base if isinstance(base, str) else "", "number": str(one.number or "")},
    )


_TELLERS: Mapping[str, Callable[[WireEvent], _Told | str]] = {
    "push": _push,
    "deployment": _deployment,
    "deployment_status": _deployment_status,
    "release": _release,
    "workflow_run": _run("workflow_run"),
    "check_run": _run("check_run"),
    "pull_request": _pull_request,
}


def _part(part: Part | None, field: str) -> Part:
    if part is None:
        raise Malformed("This field is required.", field=field, remedy="Send the event as GitHub does.")
    return part


def _first_line(message: str | None) -> str:
    return (message or "no message").partition("\n")[0]


def _named(headers: Mapping[str, str], name: str, what: str) -> str:
    value = header(headers, name)
    if not value:
        raise Malformed("This header is required.", field=name, remedy=f"Send {what}, as GitHub does.")
    return value


def _json(body: bytes, headers: Mapping[str, str]) -> bytes:
    """The JSON itself, which GitHub can also send as a form with one field."""
    if not header(headers, "Content-Type").startswith("application/x-www-form-urlencoded"):
        return body
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=16)
    except ValueError as error:
        raise Malformed("This is not a form.", field="body", remedy="Choose application/json at GitHub.") from error
    if not fields.get("payload"):
        raise Malformed("This field is required.", field="payload", remedy="Choose application/json at GitHub.")
    return fields["payload"][0].encode()


def _left_out(why: str) -> Parsed:
    return Parsed(rejections=(Rejection(0, why),))


ready(WireEvent)
