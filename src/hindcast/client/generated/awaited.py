"""A method for every call of the API. Written by `make generate` from docs/reference/openapi.json; not by hand."""

# ruff: noqa
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Literal, TypeVar

from hindcast.client.call import Call
from hindcast.client.generated import calls, shapes

T = TypeVar("T")


class AsyncCalls(ABC):
    """Calls that are awaited."""

    @abstractmethod
    async def _run(self, call: Call[T], given: Mapping[str, object]) -> T:
        """Make a call and read its answer."""

    async def alerts_list(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        service: list[str] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> shapes.PageAlert:
        """Alerts of other systems, each as it was told last, the oldest first."""
        return await self._run(
            calls.ALERTS_LIST, {"since": since, "until": until, "service": service, "cursor": cursor, "limit": limit}
        )

    async def ask(self, *, question: str, at: str | None = None) -> shapes.AskTold:
        """A question in words, answered by the tools that agents use too: by a language model that may only read, if one is configured, and otherwise by rules that say how they read the question. Every sentence names the records it rests on; what rests on none is marked. Nothing is written."""
        return await self._run(calls.ASK, {"question": question, "at": at})

    async def attempt_add(
        self,
        incident_id: str,
        *,
        action: str,
        outcome: shapes.Outcome | None = None,
        at: datetime | None = None,
        by: str | None = None,
        command: str | None = None,
        diff: str | None = None,
        config: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.IncidentTold:
        """Say what was tried. What made it worse is worth as much as what helped."""
        return await self._run(
            calls.ATTEMPT_ADD,
            {
                "incident_id": incident_id,
                "action": action,
                "outcome": outcome,
                "at": at,
                "by": by,
                "command": command,
                "diff": diff,
                "config": config,
                "if_match": if_match,
                "idempotency_key": idempotency_key,
            },
        )

    async def attempt_judge(
        self,
        incident_id: str,
        attempt_id: str,
        *,
        outcome: shapes.Outcome,
        why: str | None = None,
        action: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.IncidentTold:
        """Say what came of an attempt."""
        return await self._run(
            calls.ATTEMPT_JUDGE,
            {
                "incident_id": incident_id,
                "attempt_id": attempt_id,
                "outcome": outcome,
                "why": why,
                "action": action,
                "if_match": if_match,
                "idempotency_key": idempotency_key,
            },
        )

    async def audit_list(
        self,
        *,
        organisation: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        actor: str | None = None,
        what: str | None = None,
        outcome: shapes.Decision | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> shapes.PageAuditEntry:
        """Who did and saw what in an organisation, the newest first. `Accept: text/csv` exports the whole trail."""
        return await self._run(
            calls.AUDIT_LIST,
            {
                "organisation": organisation,
                "since": since,
                "until": until,
                "actor": actor,
                "what": what,
                "outcome": outcome,
                "cursor": cursor,
                "limit": limit,
            },
        )

    async def audit_verify(self, *, organisation: str | None = None) -> shapes.Chained:
        """Whether the trail is what was written: its chain, computed again."""
        return await self._run(calls.AUDIT_VERIFY, {"organisation": organisation})

    async def branch_add(
        self,
        *,
        name: str,
        at: str | None = None,
        branch: str | None = None,
        why: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.BranchTold:
        """Begin a branch at a moment. It sees what that moment showed; nobody else sees what it adds."""
        return await self._run(
            calls.BRANCH_ADD, {"name": name, "at": at, "branch": branch, "why": why, "idempotency_key": idempotency_key}
        )

    async def branches_list(self, *, cursor: str | None = None, limit: int | None = None) -> shapes.PageBranchTold:
        """Branches and where their heads are, the oldest first."""
        return await self._run(calls.BRANCHES_LIST, {"cursor": cursor, "limit": limit})

    async def calls_list(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> shapes.PageEdge:
        """Which service called which, most calls first."""
        return await self._run(calls.CALLS_LIST, {"since": since, "until": until, "cursor": cursor, "limit": limit})

    async def card_accept(
        self,
        card_id: str,
        *,
        branch: str | None = None,
        commit: bool | None = None,
        message: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.CardTold:
        """Make the change that a card proposes. A file that changed since the card was made is left alone (409)."""
        return await self._run(
            calls.CARD_ACCEPT,
            {
                "card_id": card_id,
                "branch": branch,
                "commit": commit,
                "message": message,
                "if_match": if_match,
                "idempotency_key": idempotency_key,
            },
        )

    async def card_get(
        self, card_id: str, *, at: str | None = None, branch: str | None = None, if_none_match: str | None = None
    ) -> shapes.CardTold:
        """One card with its diff, the whole file before and after it, and what was decided about it."""
        return await self._run(
            calls.CARD_GET, {"card_id": card_id, "at": at, "branch": branch, "if_none_match": if_none_match}
        )

    async def card_modify(
        self,
        card_id: str,
        *,
        text: str,
        branch: str | None = None,
        commit: bool | None = None,
        message: str | None = None,
        reason: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.CardTold:
        """Make a change of one's own out of what a card proposes. What was done differently is learnt from."""
        return await self._run(
            calls.CARD_MODIFY,
            {
                "card_id": card_id,
                "text": text,
                "branch": branch,
                "commit": commit,
                "message": message,
                "reason": reason,
                "if_match": if_match,
                "idempotency_key": idempotency_key,
            },
        )

    async def card_recheck(self, card_id: str, *, idempotency_key: str | None = None) -> shapes.CardTold:
        """Make a card anew for the file as it is today. The answer is the card that goes on, often another one."""
        return await self._run(calls.CARD_RECHECK, {"card_id": card_id, "idempotency_key": idempotency_key})

    async def card_reject(
        self,
        card_id: str,
        *,
        reason: str | None = None,
        dont_try: bool | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.CardTold:
        """Say no to a card: it is not proposed again for this failure; with `dont_try` others are warned of it."""
        return await self._run(
            calls.CARD_REJECT,
            {
                "card_id": card_id,
                "reason": reason,
                "dont_try": dont_try,
                "if_match": if_match,
                "idempotency_key": idempotency_key,
            },
        )

    async def card_undo(
        self, card_id: str, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> shapes.CardTold:
        """Take a decision back: the file is as it was, and what was remembered of the decision is withdrawn."""
        return await self._run(
            calls.CARD_UNDO, {"card_id": card_id, "if_match": if_match, "idempotency_key": idempotency_key}
        )

    async def cards_list(self, incident_id: str, *, workspace: str | None = None) -> shapes.DeckTold:
        """What there is to change in the code for an incident, the best first; what is warned of; what was held back."""
        return await self._run(calls.CARDS_LIST, {"incident_id": incident_id, "workspace": workspace})

    async def changes_list(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        service: list[str] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> shapes.PageSystemChange:
        """Deploys, releases and merges, the oldest first."""
        return await self._run(
            calls.CHANGES_LIST, {"since": since, "until": until, "service": service, "cursor": cursor, "limit": limit}
        )

    async def code_rule_get(self, rule_id: str, *, workspace: str | None = None) -> shapes.RuleMatchesTold:
        """A rule, and what it would find in a workspace today."""
        return await self._run(calls.CODE_RULE_GET, {"rule_id": rule_id, "workspace": workspace})

    async def code_rule_switch(
        self, rule_id: str, *, is_on: bool, idempotency_key: str | None = None
    ) -> shapes.RuleTold:
        """Say whether cards are made by a rule from now on."""
        return await self._run(
            calls.CODE_RULE_SWITCH, {"rule_id": rule_id, "is_on": is_on, "idempotency_key": idempotency_key}
        )

    async def code_rules_list(self, *, cursor: str | None = None, limit: int | None = None) -> shapes.PageRuleTold:
        """The rules that this team made from its fixes, in the order of their ids, switched on or not."""
        return await self._run(calls.CODE_RULES_LIST, {"cursor": cursor, "limit": limit})

    async def commit_add(
        self,
        *,
        changes: list[shapes.ChangeSaid],
        why: str,
        branch: str | None = None,
        expected_head: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.CommitTold:
        """Write several changes as one step: all of them, or none."""
        return await self._run(
            calls.COMMIT_ADD,
            {
                "changes": changes,
                "why": why,
                "branch": branch,
                "expected_head": expected_head,
                "idempotency_key": idempotency_key,
            },
        )

    async def commit_get(self, commit: str, *, shown: int | None = None) -> shapes.CommitChanges:
        """One commit with what it learned, changed and forgot."""
        return await self._run(calls.COMMIT_GET, {"commit": commit, "shown": shown})

    async def commits_list(
        self,
        *,
        at: str | None = None,
        branch: str | None = None,
        every: bool | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> shapes.PageCommitTold:
        """Steps of history, the newest first: who changed what, when and why."""
        return await self._run(
            calls.COMMITS_LIST, {"at": at, "branch": branch, "every": every, "cursor": cursor, "limit": limit}
        )

    async def import_documents(
        self, *, documents: list[shapes.ImportDocument], dry_run: bool | None = None, idempotency_key: str | None = None
    ) -> shapes.ImportResponse:
        """Remember postmortems as incidents, and review them: what is not surely told is left open and asked for."""
        return await self._run(
            calls.IMPORT_DOCUMENTS, {"documents": documents, "dry_run": dry_run, "idempotency_key": idempotency_key}
        )

    async def import_review(
        self, *, records: list[shapes.RecordReview], idempotency_key: str | None = None
    ) -> shapes.ReviewsResponse:
        """Accept or correct imported records, each in one go; either all of them or none."""
        return await self._run(calls.IMPORT_REVIEW, {"records": records, "idempotency_key": idempotency_key})

    async def incident_acknowledge(
        self,
        incident_id: str,
        *,
        by: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.IncidentTold:
        """Say who works on an open incident: you, or `by`. The latest to be named is its owner."""
        return await self._run(
            calls.INCIDENT_ACKNOWLEDGE,
            {"incident_id": incident_id, "by": by, "if_match": if_match, "idempotency_key": idempotency_key},
        )

    async def incident_decide(
        self,
        incident_id: str,
        *,
        verb: Literal["confirm", "dismiss", "reopen"],
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.IncidentTold:
        """Confirm that an incident is over, dismiss it as none, or reopen it."""
        return await self._run(
            calls.INCIDENT_DECIDE,
            {"incident_id": incident_id, "verb": verb, "if_match": if_match, "idempotency_key": idempotency_key},
        )

    async def incident_get(
        self,
        incident_id: str,
        *,
        at: str | None = None,
        branch: str | None = None,
        format: Literal["json", "markdown"] | None = None,
        if_none_match: str | None = None,
    ) -> shapes.IncidentTold:
        """Everything known about one incident: what detection saw, what people know, what nobody has said yet."""
        return await self._run(
            calls.INCIDENT_GET,
            {"incident_id": incident_id, "at": at, "branch": branch, "format": format, "if_none_match": if_none_match},
        )

    async def incident_join(
        self,
        incident_id: str,
        *,
        other: str,
        why: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.IncidentTold:
        """Make one incident out of two: this one goes on with what both know, the other points to it. That sticks."""
        return await self._run(
            calls.INCIDENT_JOIN,
            {
                "incident_id": incident_id,
                "other": other,
                "why": why,
                "if_match": if_match,
                "idempotency_key": idempotency_key,
            },
        )

    async def incident_recall(
        self,
        incident_id: str,
        *,
        at: str | None = None,
        branch: str | None = None,
        tokens_max: int | None = None,
        explain: bool | None = None,
        format: Literal["json", "markdown"] | None = None,
    ) -> shapes.AnswerTold:
        """What is known of an incident's failure from before it. Of one under way it is ready before anybody asks."""
        return await self._run(
            calls.INCIDENT_RECALL,
            {
                "incident_id": incident_id,
                "at": at,
                "branch": branch,
                "tokens_max": tokens_max,
                "explain": explain,
                "format": format,
            },
        )

    async def incident_resolve(
        self,
        incident_id: str,
        *,
        cause: str | None = None,
        fix: str | None = None,
        attempt: str | None = None,
        by: str | None = None,
        command: str | None = None,
        diff: str | None = None,
        config: str | None = None,
        minutes: float | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.IncidentTold:
        """Say why it happened and what ended it. What is still watched is confirmed as over with it."""
        return await self._run(
            calls.INCIDENT_RESOLVE,
            {
                "incident_id": incident_id,
                "cause": cause,
                "fix": fix,
                "attempt": attempt,
                "by": by,
                "command": command,
                "diff": diff,
                "config": config,
                "minutes": minutes,
                "if_match": if_match,
                "idempotency_key": idempotency_key,
            },
        )

    async def incident_split(
        self,
        incident_id: str,
        *,
        services: list[str] | None = None,
        failure: str | None = None,
        from_previous: bool | None = None,
        new_id: str | None = None,
        why: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.IncidentTold:
        """Take services, or a new failure, out into an incident of their own. The answer is the new one; that sticks."""
        return await self._run(
            calls.INCIDENT_SPLIT,
            {
                "incident_id": incident_id,
                "services": services,
                "failure": failure,
                "from_previous": from_previous,
                "new_id": new_id,
                "why": why,
                "if_match": if_match,
                "idempotency_key": idempotency_key,
            },
        )

    async def incidents_list(
        self,
        *,
        state: list[shapes.Standing] | None = None,
        severity: list[shapes.Severity] | None = None,
        service: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        text: str | None = None,
        at: str | None = None,
        branch: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        format: Literal["json", "csv", "markdown"] | None = None,
    ) -> shapes.PageIncidentGlance:
        """Incidents at a glance, the newest first."""
        return await self._run(
            calls.INCIDENTS_LIST,
            {
                "state": state,
                "severity": severity,
                "service": service,
                "since": since,
                "until": until,
                "text": text,
                "at": at,
                "branch": branch,
                "cursor": cursor,
                "limit": limit,
                "format": format,
            },
        )

    async def integration_test(self, name: str) -> shapes.TrialTold:
        """Send what the sender would send, through its own way in, and see whether it arrives."""
        return await self._run(calls.INTEGRATION_TEST, {"name": name})

    async def integrations_list(self) -> shapes.IntegrationsTold:
        """Every way in: where its sender sends to, what came by it lately, and the last error with its reason."""
        return await self._run(calls.INTEGRATIONS_LIST, {})

    async def invitation_accept(
        self, token: str, *, password: str, name: str | None = None, email: str | None = None
    ) -> shapes.Presence:
        """Follow a one-time link: choose a password, and be signed in."""
        return await self._run(
            calls.INVITATION_ACCEPT, {"token": token, "password": password, "name": name, "email": email}
        )

    async def invitation_get(self, token: str) -> shapes.InvitationSeen:
        """What a one-time link is for."""
        return await self._run(calls.INVITATION_GET, {"token": token})

    async def invitation_withdraw(self, invitation_id: str) -> None:
        """Take an invitation back."""
        return await self._run(calls.INVITATION_WITHDRAW, {"invitation_id": invitation_id})

    async def invitations_list(
        self, *, organisation: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> shapes.PageInvitation:
        """Invitations that nobody has followed yet."""
        return await self._run(calls.INVITATIONS_LIST, {"organisation": organisation, "cursor": cursor, "limit": limit})

    async def key_add(
        self,
        *,
        name: str,
        power: shapes.Power,
        organisation: str | None = None,
        project: str | None = None,
        expires_at: datetime | None = None,
    ) -> shapes.NewKey:
        """Make a key. Keep the secret now: it is not told again."""
        return await self._run(
            calls.KEY_ADD,
            {"name": name, "power": power, "organisation": organisation, "project": project, "expires_at": expires_at},
        )

    async def key_revoke(self, key_id: str) -> shapes.Key:
        """Revoke a key. It counts from the next request on, and open streams end."""
        return await self._run(calls.KEY_REVOKE, {"key_id": key_id})

    async def keys_list(
        self,
        *,
        organisation: str | None = None,
        project: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> shapes.PageKey:
        """The keys of an organisation, revoked and expired ones included; never their secrets."""
        return await self._run(
            calls.KEYS_LIST, {"organisation": organisation, "project": project, "cursor": cursor, "limit": limit}
        )

    async def learning_get(self) -> shapes.LearningTold:
        """How much memory can be relied on, and how often its answers were right. Counted every half hour."""
        return await self._run(calls.LEARNING_GET, {})

    async def logs_list(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        service: list[str] | None = None,
        level_min: int | None = None,
        words: str | None = None,
        trace: str | None = None,
        fingerprint: int | None = None,
        newest_first: bool | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> shapes.PageLineTold:
        """Log lines that satisfy every condition given, the oldest first."""
        return await self._run(
            calls.LOGS_LIST,
            {
                "since": since,
                "until": until,
                "service": service,
                "level_min": level_min,
                "words": words,
                "trace": trace,
                "fingerprint": fingerprint,
                "newest_first": newest_first,
                "cursor": cursor,
                "limit": limit,
            },
        )

    async def member_get(self, person: str, *, organisation: str | None = None) -> shapes.MemberSeen:
        """One of them, by id or address."""
        return await self._run(calls.MEMBER_GET, {"person": person, "organisation": organisation})

    async def member_invite(
        self, *, email: str, role: shapes.Role, organisation: str | None = None, project: str | None = None
    ) -> shapes.Link:
        """Invite somebody. Send them the link: it works once, for a day, and is not told again."""
        return await self._run(
            calls.MEMBER_INVITE, {"email": email, "role": role, "organisation": organisation, "project": project}
        )

    async def member_remove(self, person: str, *, organisation: str | None = None, project: str | None = None) -> None:
        """Take somebody out of a project, or out of the whole organisation. It counts from the next request on."""
        return await self._run(
            calls.MEMBER_REMOVE, {"person": person, "organisation": organisation, "project": project}
        )

    async def member_role_set(
        self,
        person: str,
        *,
        role: shapes.Role,
        organisation: str | None = None,
        project: str | None = None,
        if_match: str | None = None,
    ) -> shapes.MembershipSeen:
        """Make somebody a viewer, responder, maintainer or admin, of one project or of the whole organisation."""
        return await self._run(
            calls.MEMBER_ROLE_SET,
            {"person": person, "role": role, "organisation": organisation, "project": project, "if_match": if_match},
        )

    async def members_list(
        self, *, organisation: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> shapes.PageMemberSeen:
        """The people of an organisation, with what they are in which project."""
        return await self._run(calls.MEMBERS_LIST, {"organisation": organisation, "cursor": cursor, "limit": limit})

    async def memory_bisect(
        self,
        *,
        text: str | None = None,
        address: str | None = None,
        field: str | None = None,
        namespace: str | None = None,
        top: int | None = None,
        since: str | None = None,
        until: str | None = None,
        branch: str | None = None,
    ) -> shapes.TurnTold:
        """When the answer to a question changed, and which commit did it: twenty looks for a million commits."""
        return await self._run(
            calls.MEMORY_BISECT,
            {
                "text": text,
                "address": address,
                "field": field,
                "namespace": namespace,
                "top": top,
                "since": since,
                "until": until,
                "branch": branch,
            },
        )

    async def memory_diff(
        self, *, before: str, after: str | None = None, branch: str | None = None, shown: int | None = None
    ) -> shapes.DifferenceTold:
        """What was learned, changed and forgotten between two moments."""
        return await self._run(calls.MEMORY_DIFF, {"before": before, "after": after, "branch": branch, "shown": shown})

    async def memory_erase(
        self, *, address: str, why: str, below: bool | None = None, idempotency_key: str | None = None
    ) -> shapes.ErasedTold:
        """Remove a record's bodies everywhere and for ever, on every branch and in the past."""
        return await self._run(
            calls.MEMORY_ERASE, {"address": address, "why": why, "below": below, "idempotency_key": idempotency_key}
        )

    async def memory_log(
        self,
        *,
        workspace: str | None = None,
        state: list[shapes.CardState] | None = None,
        source: shapes.CardSource | None = None,
        incident: str | None = None,
        q: str | None = None,
        at: str | None = None,
        branch: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> shapes.LogTold:
        """Every proposal and what was decided about it, the newest first, with how many there are of each state."""
        return await self._run(
            calls.MEMORY_LOG,
            {
                "workspace": workspace,
                "state": state,
                "source": source,
                "incident": incident,
                "q": q,
                "at": at,
                "branch": branch,
                "cursor": cursor,
                "limit": limit,
            },
        )

    async def memory_merge(
        self,
        *,
        source: str,
        into: str | None = None,
        policy: shapes.Policy | None = None,
        choices: dict[str, Any] | None = None,
        why: str | None = None,
        expected_head: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.MergeTold:
        """Join a branch, or any other moment, into a branch."""
        return await self._run(
            calls.MEMORY_MERGE,
            {
                "source": source,
                "into": into,
                "policy": policy,
                "choices": choices,
                "why": why,
                "expected_head": expected_head,
                "idempotency_key": idempotency_key,
            },
        )

    async def memory_revert(
        self,
        *,
        commit: str,
        branch: str | None = None,
        policy: shapes.Policy | None = None,
        choices: dict[str, Any] | None = None,
        why: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.MergeTold:
        """Undo one commit by a new one, keeping what came after it. What was changed again since is a conflict."""
        return await self._run(
            calls.MEMORY_REVERT,
            {
                "commit": commit,
                "branch": branch,
                "policy": policy,
                "choices": choices,
                "why": why,
                "idempotency_key": idempotency_key,
            },
        )

    async def memory_search(
        self,
        *,
        text: str,
        at: str | None = None,
        branch: str | None = None,
        arm: list[str] | None = None,
        limit: int | None = None,
        namespace: str | None = None,
        prefix: str | None = None,
        kind: str | None = None,
        actor: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        happened_since: datetime | None = None,
        happened_until: datetime | None = None,
    ) -> shapes.FoundTold:
        """What answers a question, by its words and by its meaning, at any moment, each with how it was found."""
        return await self._run(
            calls.MEMORY_SEARCH,
            {
                "text": text,
                "at": at,
                "branch": branch,
                "arm": arm,
                "limit": limit,
                "namespace": namespace,
                "prefix": prefix,
                "kind": kind,
                "actor": actor,
                "since": since,
                "until": until,
                "happened_since": happened_since,
                "happened_until": happened_until,
            },
        )

    async def memory_verify(self) -> shapes.VerifiedTold:
        """Recompute the whole chain and name every fault. It reads everything, so it takes its time."""
        return await self._run(calls.MEMORY_VERIFY, {})

    async def metrics_list(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        service: list[str] | None = None,
        name: str | None = None,
        step_seconds: int | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> shapes.PageMeasureTold:
        """Mean values of metrics by step; counters as rates by second."""
        return await self._run(
            calls.METRICS_LIST,
            {
                "since": since,
                "until": until,
                "service": service,
                "name": name,
                "step_seconds": step_seconds,
                "cursor": cursor,
                "limit": limit,
            },
        )

    async def moment_resolve(self, *, moment: str | None = None, branch: str | None = None) -> shapes.ResolvedTold:
        """What somebody's word for a moment means: the branch, the step, and the last commit that it includes."""
        return await self._run(calls.MOMENT_RESOLVE, {"moment": moment, "branch": branch})

    async def namespaces_list(
        self,
        *,
        at: str | None = None,
        branch: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        namespace: str | None = None,
        prefix: str | None = None,
        kind: str | None = None,
        actor: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        happened_since: datetime | None = None,
        happened_until: datetime | None = None,
    ) -> shapes.PageNamespaceTold:
        """Namespaces and how many live records each holds, in the order of their names."""
        return await self._run(
            calls.NAMESPACES_LIST,
            {
                "at": at,
                "branch": branch,
                "cursor": cursor,
                "limit": limit,
                "namespace": namespace,
                "prefix": prefix,
                "kind": kind,
                "actor": actor,
                "since": since,
                "until": until,
                "happened_since": happened_since,
                "happened_until": happened_until,
            },
        )

    async def note_add(
        self,
        incident_id: str,
        *,
        text: str,
        by: str | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.IncidentTold:
        """Add a note."""
        return await self._run(
            calls.NOTE_ADD,
            {
                "incident_id": incident_id,
                "text": text,
                "by": by,
                "if_match": if_match,
                "idempotency_key": idempotency_key,
            },
        )

    async def organisation_add(self, *, name: str) -> shapes.Organisation:
        """Create an organisation; only whoever runs this installation may."""
        return await self._run(calls.ORGANISATION_ADD, {"name": name})

    async def organisations_list(
        self, *, cursor: str | None = None, limit: int | None = None
    ) -> shapes.PageOrganisation:
        """The organisations in which the caller may do anything."""
        return await self._run(calls.ORGANISATIONS_LIST, {"cursor": cursor, "limit": limit})

    async def overview_get(
        self, *, days: int | None = None, at: str | None = None, branch: str | None = None
    ) -> shapes.OverviewTold:
        """How many incidents stand where, how many recent ones are explained, and how long they took."""
        return await self._run(calls.OVERVIEW_GET, {"days": days, "at": at, "branch": branch})

    async def password_change(self, *, old: str, new: str) -> None:
        """Choose another password. Every other session of the caller ends."""
        return await self._run(calls.PASSWORD_CHANGE, {"old": old, "new": new})

    async def password_link_add(self, person: str) -> shapes.Link:
        """A one-time link by which somebody who forgot their password chooses another."""
        return await self._run(calls.PASSWORD_LINK_ADD, {"person": person})

    async def privacy_get(self) -> shapes.PrivacyTold:
        """What is taken out on the way in, how often that happened, and what leaves this machine."""
        return await self._run(calls.PRIVACY_GET, {})

    async def privacy_try(self, *, text: str, name: str | None = None) -> shapes.TextKept:
        """What would be kept of a text, by the rules that every line passes on its way in. Nothing is stored."""
        return await self._run(calls.PRIVACY_TRY, {"text": text, "name": name})

    async def rates_get(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        service: list[str] | None = None,
        step_seconds: int | None = None,
        words: str | None = None,
    ) -> shapes.RatesTold:
        """Lines counted by service, step and level."""
        return await self._run(
            calls.RATES_GET,
            {"since": since, "until": until, "service": service, "step_seconds": step_seconds, "words": words},
        )

    async def recall(
        self,
        *,
        text: str,
        services: list[str] | None = None,
        at: str | None = None,
        branch: str | None = None,
        hits_max: int | None = None,
        tokens_max: int | None = None,
        explain: bool | None = None,
    ) -> shapes.AnswerTold:
        """Whether this was seen before; its cause, the fix that worked, what not to try, and the evidence."""
        return await self._run(
            calls.RECALL,
            {
                "text": text,
                "services": services,
                "at": at,
                "branch": branch,
                "hits_max": hits_max,
                "tokens_max": tokens_max,
                "explain": explain,
            },
        )

    async def record_blame(
        self,
        *,
        address: str,
        at: str | None = None,
        branch: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> shapes.PageBlameTold:
        """Which commit gave each field of a record the value it has."""
        return await self._run(
            calls.RECORD_BLAME, {"address": address, "at": at, "branch": branch, "cursor": cursor, "limit": limit}
        )

    async def record_get(
        self, address: str, *, at: str | None = None, branch: str | None = None, if_none_match: str | None = None
    ) -> shapes.RecordTold:
        """The record at an address."""
        return await self._run(
            calls.RECORD_GET, {"address": address, "at": at, "branch": branch, "if_none_match": if_none_match}
        )

    async def record_history(
        self,
        *,
        address: str,
        at: str | None = None,
        branch: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> shapes.PageRecordTold:
        """Every version of one address, the newest first."""
        return await self._run(
            calls.RECORD_HISTORY, {"address": address, "at": at, "branch": branch, "cursor": cursor, "limit": limit}
        )

    async def record_put(
        self,
        address: str,
        *,
        body: Any,
        why: str,
        kind: str | None = None,
        text: str | None = None,
        occurred_at: datetime | None = None,
        branch: str | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
    ) -> shapes.WrittenTold:
        """Remember something at an address. What was there before stays in the past."""
        return await self._run(
            calls.RECORD_PUT,
            {
                "address": address,
                "body": body,
                "why": why,
                "kind": kind,
                "text": text,
                "occurred_at": occurred_at,
                "branch": branch,
                "if_match": if_match,
                "if_none_match": if_none_match,
            },
        )

    async def record_retract(
        self, address: str, *, why: str, branch: str | None = None, if_match: str | None = None
    ) -> shapes.WrittenTold:
        """Say that something is no longer true. The past still shows it."""
        return await self._run(
            calls.RECORD_RETRACT, {"address": address, "why": why, "branch": branch, "if_match": if_match}
        )

    async def records_list(
        self,
        *,
        archived: bool | None = None,
        at: str | None = None,
        branch: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        namespace: str | None = None,
        prefix: str | None = None,
        kind: str | None = None,
        actor: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        happened_since: datetime | None = None,
        happened_until: datetime | None = None,
    ) -> shapes.PageRecordTold:
        """Records in the order of their addresses."""
        return await self._run(
            calls.RECORDS_LIST,
            {
                "archived": archived,
                "at": at,
                "branch": branch,
                "cursor": cursor,
                "limit": limit,
                "namespace": namespace,
                "prefix": prefix,
                "kind": kind,
                "actor": actor,
                "since": since,
                "until": until,
                "happened_since": happened_since,
                "happened_until": happened_until,
            },
        )

    async def retention_get(self) -> shapes.RetentionTold:
        """How long each kind of data is kept, how much of it there is in this project, and how old the oldest is."""
        return await self._run(calls.RETENTION_GET, {})

    async def services_list(self, *, cursor: str | None = None, limit: int | None = None) -> shapes.PageServiceTold:
        """Services heard of in the last day: errors now and usually, the incident under way, the day by hours."""
        return await self._run(calls.SERVICES_LIST, {"cursor": cursor, "limit": limit})

    async def session_begin(self, *, email: str, password: str) -> shapes.Presence:
        """Sign in. The answer sets the cookie of the session."""
        return await self._run(calls.SESSION_BEGIN, {"email": email, "password": password})

    async def session_end(self) -> None:
        """Sign out, in this browser. Where nobody is signed in, there is nothing to do."""
        return await self._run(calls.SESSION_END, {})

    async def session_get(self) -> shapes.Presence:
        """Who the caller is, which spaces there are for them, and what they may do there."""
        return await self._run(calls.SESSION_GET, {})

    async def session_provider(self) -> None:
        """Send a browser to the identity provider to sign in there."""
        return await self._run(calls.SESSION_PROVIDER, {})

    async def session_provider_callback(
        self, *, state: str | None = None, code: str | None = None, error: str | None = None
    ) -> None:
        """Where the provider sends the browser back to; it goes on to the front page, signed in."""
        return await self._run(calls.SESSION_PROVIDER_CALLBACK, {"state": state, "code": code, "error": error})

    async def session_revoke(self, session_id: str) -> None:
        """Sign the caller out elsewhere."""
        return await self._run(calls.SESSION_REVOKE, {"session_id": session_id})

    async def session_ways(self) -> shapes.Ways:
        """How one can sign in here."""
        return await self._run(calls.SESSION_WAYS, {})

    async def sessions_list(self) -> list[shapes.SessionSeen]:
        """Where the caller is signed in."""
        return await self._run(calls.SESSIONS_LIST, {})

    async def settings_list(self) -> list[shapes.Explained]:
        """Every setting: its value, where that came from, its default and what it is for."""
        return await self._run(calls.SETTINGS_LIST, {})

    async def simulator_get(self) -> shapes.SimulatorTold:
        """What can go wrong here, and what does."""
        return await self._run(calls.SIMULATOR_GET, {})

    async def simulator_play(
        self,
        *,
        scenario: str | None = None,
        service: str | None = None,
        errors: int | None = None,
        rate_per_s: float | None = None,
        seed: int | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.RunTold:
        """Let something go wrong: a whole scenario, or one service at once."""
        return await self._run(
            calls.SIMULATOR_PLAY,
            {
                "scenario": scenario,
                "service": service,
                "errors": errors,
                "rate_per_s": rate_per_s,
                "seed": seed,
                "idempotency_key": idempotency_key,
            },
        )

    async def simulator_stop(self) -> shapes.RunTold:
        """End the scenario that plays."""
        return await self._run(calls.SIMULATOR_STOP, {})

    async def snapshot_add(
        self,
        *,
        name: str,
        at: str | None = None,
        branch: str | None = None,
        why: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.SnapshotTold:
        """Give a moment a name that never moves."""
        return await self._run(
            calls.SNAPSHOT_ADD,
            {"name": name, "at": at, "branch": branch, "why": why, "idempotency_key": idempotency_key},
        )

    async def snapshots_list(self, *, cursor: str | None = None, limit: int | None = None) -> shapes.PageSnapshotTold:
        """Snapshots and the commits that they name, the oldest first."""
        return await self._run(calls.SNAPSHOTS_LIST, {"cursor": cursor, "limit": limit})

    async def space_add(self, *, project: str, organisation: str | None = None) -> shapes.Space:
        """Create a project in an organisation that the caller administers."""
        return await self._run(calls.SPACE_ADD, {"project": project, "organisation": organisation})

    async def space_change(self, space: str, *, is_archived: bool, if_match: str | None = None) -> shapes.Space:
        """Archive a project (it can then only be read), or take that back."""
        return await self._run(calls.SPACE_CHANGE, {"space": space, "is_archived": is_archived, "if_match": if_match})

    async def space_get(self, space: str) -> shapes.Space:
        """One space."""
        return await self._run(calls.SPACE_GET, {"space": space})

    async def spaces_list(
        self, *, organisation: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> shapes.PageSpace:
        """The spaces in which the caller may do anything, archived ones included."""
        return await self._run(calls.SPACES_LIST, {"organisation": organisation, "cursor": cursor, "limit": limit})

    async def status_get(self) -> shapes.HindcastRestStatusStatus:
        """What was taken in since the start, what was refused, and what was noticed on the way."""
        return await self._run(calls.STATUS_GET, {})

    async def trace_get(self, trace: str) -> shapes.TraceTold:
        """One trace: what each service did, and what it logged meanwhile."""
        return await self._run(calls.TRACE_GET, {"trace": trace})

    async def verdict_add(
        self,
        incident_id: str,
        *,
        judgement: shapes.Judgement,
        asked: str | None = None,
        incident: str | None = None,
        action: str | None = None,
        why: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.VerdictTold:
        """Say whether this incident was the right memory for a question, or whether a proposal out of it was taken."""
        return await self._run(
            calls.VERDICT_ADD,
            {
                "incident_id": incident_id,
                "judgement": judgement,
                "asked": asked,
                "incident": incident,
                "action": action,
                "why": why,
                "idempotency_key": idempotency_key,
            },
        )

    async def workspace_add(
        self, *, name: str, path: str | None = None, url: str | None = None, idempotency_key: str | None = None
    ) -> shapes.WorkspaceTold:
        """Register a folder of the server's machine, or clone a repository."""
        return await self._run(
            calls.WORKSPACE_ADD, {"name": name, "path": path, "url": url, "idempotency_key": idempotency_key}
        )

    async def workspace_blame(
        self, name: str, *, path: str, first: int | None = None, last: int | None = None
    ) -> list[shapes.BlamedTold]:
        """Who last touched which lines; nothing where there is no history."""
        return await self._run(calls.WORKSPACE_BLAME, {"name": name, "path": path, "first": first, "last": last})

    async def workspace_edit(
        self, name: str, *, path: str, text: str, if_match: str | None = None, if_none_match: str | None = None
    ) -> shapes.EditedTold:
        """Change a file as it lies there; nothing is committed. The answer has what takes the change back."""
        return await self._run(
            calls.WORKSPACE_EDIT,
            {"name": name, "path": path, "text": text, "if_match": if_match, "if_none_match": if_none_match},
        )

    async def workspace_file(
        self, name: str, *, path: str, at: str | None = None, if_none_match: str | None = None
    ) -> shapes.FileTold:
        """A text file: its text, its language, and how it is written back. Its digest is the ETag."""
        return await self._run(
            calls.WORKSPACE_FILE, {"name": name, "path": path, "at": at, "if_none_match": if_none_match}
        )

    async def workspace_get(self, name: str) -> shapes.WorkspaceStateTold:
        """One workspace and how it stands: its branch, its head, what is not committed, what is under way."""
        return await self._run(calls.WORKSPACE_GET, {"name": name})

    async def workspace_lens(self, name: str, *, path: str) -> shapes.LensTold:
        """What memory knows about a file and each of its functions: who to ask, what changed lately, what broke."""
        return await self._run(calls.WORKSPACE_LENS, {"name": name, "path": path})

    async def workspace_paths(self, name: str, *, text: str, limit: int | None = None) -> list[str]:
        """Files whose path holds each word, whatever its case; those that hold it in the file's name come first."""
        return await self._run(calls.WORKSPACE_PATHS, {"name": name, "text": text, "limit": limit})

    async def workspace_refresh(self, name: str) -> shapes.WorkspaceStateTold:
        """Bring a clone up to what its origin has by now. One with changes of its own is left alone (409)."""
        return await self._run(calls.WORKSPACE_REFRESH, {"name": name})

    async def workspace_remove(self, name: str, *, files: bool | None = None) -> shapes.WorkspaceTold:
        """Forget a workspace. Cards and the log that name it stay in memory."""
        return await self._run(calls.WORKSPACE_REMOVE, {"name": name, "files": files})

    async def workspace_search(self, name: str, *, text: str, limit: int | None = None) -> list[shapes.FoundLine]:
        """Lines that hold a text, in the order of paths."""
        return await self._run(calls.WORKSPACE_SEARCH, {"name": name, "text": text, "limit": limit})

    async def workspace_tree(
        self, name: str, *, path: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> shapes.PageTreeEntry:
        """What lies in a folder, folders first; nothing that the repository ignores."""
        return await self._run(calls.WORKSPACE_TREE, {"name": name, "path": path, "cursor": cursor, "limit": limit})

    async def workspace_upload(self, name: str, *, body: bytes, drop_top: bool | None = None) -> shapes.UploadedTold:
        """Upload files, or a zip of them: the whole workspace as it shall be, all of it or nothing."""
        return await self._run(calls.WORKSPACE_UPLOAD, {"name": name, "body": body, "drop_top": drop_top})

    async def workspaces_list(self, *, cursor: str | None = None, limit: int | None = None) -> shapes.PageWorkspaceTold:
        """The workspaces of the space, by name."""
        return await self._run(calls.WORKSPACES_LIST, {"cursor": cursor, "limit": limit})
