"""Laws of access: after any sequence of changes everybody may do exactly what the model says, and no more.

The model is told what happened; it never asks the code under test.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from tests.admitting import PASSWORD, PEER, Desk, desk

from hindcast.access import Proof
from hindcast.access.secret import INVITATION, KEY, SESSION, id_of, make
from hindcast.access.throttle import Pace
from hindcast.model.access import POWER_PERMISSIONS, ROLE_PERMISSIONS, Permission, Power, Role, space_of
from hindcast.model.account import check_email, split_space
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused, Unidentified

ORGANISATIONS = ("home", "acme")
PROJECTS = ("one", "two")
# Every place that a right can be for, the whole of each organisation included.
SCOPES = [(organisation, project) for organisation in ORGANISATIONS for project in ("", *PROJECTS)]
SPACES = [space_of(organisation, project) for organisation in ORGANISATIONS for project in PROJECTS]
NAMES = ("ana", "bo", "cy")
ARCHIVED = {Permission.READ, Permission.ADMINISTER}

people = st.sampled_from(NAMES)
scopes = st.sampled_from(SCOPES)
roles = st.sampled_from(list(Role))
powers = st.sampled_from(list(Power))


@dataclass
class HeldKey:
    """What the model knows of a key."""

    secret: str
    id: str
    power: Power
    scope: tuple[str, str]
    is_revoked: bool = False
    hours_left: int | None = None


class Rights(RuleBasedStateMachine):
    """People come and go, roles change, keys are made, revoked and expire, projects are archived and restored."""

    @initialize()
    def begin(self) -> None:
        """Two organisations with two projects each, and an admin of each whom nobody touches."""
        self.folder = Path(tempfile.mkdtemp(prefix="hindcast-rights-"))
        self.made: Desk = desk(self.folder)
        self.made.access.projects.add_organisation("acme", by=self.made.operator)
        for organisation in ORGANISATIONS:
            for project in PROJECTS:
                self.made.access.projects.create(organisation, project, by=self.made.operator)
        for organisation in ORGANISATIONS:
            self.made.join(f"root@{organisation}.example", organisation=organisation)
        self.roles: dict[str, dict[tuple[str, str], Role]] = {name: {} for name in NAMES}
        self.sessions: dict[str, str] = {}
        self.keys: list[HeldKey] = []
        self.archived: set[str] = set()

    def teardown(self) -> None:
        """Leave nothing behind."""
        if hasattr(self, "made"):
            self.made.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    @rule(name=people, scope=scopes, role=roles)
    def join(self, name: str, scope: tuple[str, str], role: Role) -> None:
        """Somebody takes up an invitation; who is a member there already is not invited."""
        email = f"{name}@example.com"
        invite = self.made.access.people.invite
        if scope in self.roles[name]:
            with pytest.raises(Refused):
                invite(email, role, organisation=scope[0], project=scope[1], by=self.made.operator)
            return
        link = invite(email, role, organisation=scope[0], project=scope[1], by=self.made.operator)
        self.sessions[name] = self.made.access.signing.accept(link.secret, password=PASSWORD, peer=PEER).secret
        self.roles[name][scope] = role

    @rule(name=people, scope=scopes, role=roles)
    def change(self, name: str, scope: tuple[str, str], role: Role) -> None:
        """A member of an organisation gets a role in it, or in one of its projects."""
        is_member = any(organisation == scope[0] for organisation, _ in self.roles[name])
        self._act(is_member, "set_role", f"{name}@example.com", role, scope=scope)
        if is_member:
            self.roles[name][scope] = role

    @rule(name=people, scope=scopes)
    def leave(self, name: str, scope: tuple[str, str]) -> None:
        """Somebody is taken out of a project, or of an organisation with all of its projects."""
        gone = [one for one in self.roles[name] if one[0] == scope[0] and scope[1] in ("", one[1])]
        self._act(bool(gone), "remove", f"{name}@example.com", scope=scope)
        for one in gone:
            del self.roles[name][one]
        if not self.roles[name]:
            # Whoever belongs to nothing has no session any more, also not when they come back.
            self.sessions.pop(name, None)

    def _act(self, is_possible: bool, verb: str, *words: Any, scope: tuple[str, str]) -> None:
        act = getattr(self.made.access.people, verb)
        try:
            act(*words, organisation=scope[0], project=scope[1], by=self.made.operator)
        except Missing:
            assert not is_possible
        else:
            assert is_possible

    @rule(scope=scopes, power=powers, hours=st.one_of(st.none(), st.integers(1, 3)))
    def make_key(self, scope: tuple[str, str], power: Power, hours: int | None) -> None:
        """A key is made; one that ingests is for one project."""
        ends = self.made.clock.now() + timedelta(hours=hours) if hours is not None else None
        name = f"key {len(self.keys)}"
        create = self.made.access.keys.create
        if power is Power.INGEST and not scope[1]:
            with pytest.raises(Malformed):
                create(name, power, organisation=scope[0], by=self.made.operator)
            return
        made = create(name, power, organisation=scope[0], project=scope[1], expires_at=ends, by=self.made.operator)
        self.keys.append(HeldKey(made.secret, made.key.id, power, scope, hours_left=hours))

    @rule(number=st.integers(0, 20))
    def revoke(self, number: int) -> None:
        """A key is revoked."""
        if self.keys:
            key = self.keys[number % len(self.keys)]
            self.made.access.keys.revoke(key.id, by=self.made.operator)
            key.is_revoked = True

    @rule(space=st.sampled_from(SPACES))
    def archive_or_restore(self, space: str) -> None:
        """A project is archived, or restored where it is."""
        projects = self.made.access.projects
        (projects.restore if space in self.archived else projects.archive)(space, by=self.made.operator)
        self.archived ^= {space}

    @rule()
    def an_hour_passes(self) -> None:
        """Keys grow older."""
        self.made.later(hours=1)
        for key in self.keys:
            if key.hours_left is not None:
                key.hours_left -= 1

    @invariant()
    def everybody_may_what_the_model_says(self) -> None:
        """Every session and every key is let in exactly where and for what the model says."""
        if not hasattr(self, "made"):
            return
        callers = [(Proof(session=text), self._of_person(name)) for name, text in self.sessions.items()]
        callers += [(Proof(key=key.secret), self._of_key(key)) for key in self.keys]
        for proof, allowed in callers:
            for space in (*SPACES, "none", "home/one", "other/one"):
                for permission in Permission:
                    wanted = permission in allowed.get(space, set())
                    assert self.made.access.admits(proof, permission, space) is wanted, (proof, space, permission)

    @invariant()
    def what_is_said_fits(self) -> None:
        """Who has no right in a space hears that it is not there, who has another one that this is refused."""
        if not hasattr(self, "made"):
            return
        for name, text in self.sessions.items():
            try:
                caller = self.made.access.caller(Proof(session=text))
            except Unidentified:
                raise AssertionError(f"{name} is not known any more") from None
            for space in SPACES:
                allowed = self._of_person(name).get(space, set())
                for permission in (Permission.READ, Permission.ADMINISTER):
                    said = self._asked(caller, permission, space)
                    assert said is (None if permission in allowed else Refused if allowed else Missing)

    def _asked(self, caller: Any, permission: Permission, space: str) -> type[HindcastError] | None:
        try:
            self.made.access.authorise(caller, permission, space)
        except HindcastError as error:
            return type(error)
        return None

    def _of_person(self, name: str) -> dict[str, set[Permission]]:
        return self._where({scope: set(ROLE_PERMISSIONS[role]) for scope, role in self.roles[name].items()})

    def _of_key(self, key: HeldKey) -> dict[str, set[Permission]]:
        is_good = not key.is_revoked and (key.hours_left is None or key.hours_left > 0)
        return self._where({key.scope: set(POWER_PERMISSIONS[key.power])}) if is_good else {}

    def _where(self, rights: dict[tuple[str, str], set[Permission]]) -> dict[str, set[Permission]]:
        """What rights come to in each space."""
        found: dict[str, set[Permission]] = {}
        for organisation in ORGANISATIONS:
            for project in PROJECTS:
                space = space_of(organisation, project)
                both = rights.get((organisation, ""), set()) | rights.get((organisation, project), set())
                if both:
                    found[space] = both & ARCHIVED if space in self.archived else both
        return found


def test_everybody_may_do_exactly_what_their_rights_say() -> None:
    """After any sequence of changes to people, keys and projects, everybody may do what a plain model says."""
    run_state_machine_as_test(Rights, settings=settings(max_examples=12, stateful_step_count=14))


@given(st.binary(min_size=64, max_size=64), st.sampled_from([None, *Power]))
def test_a_secret_is_known_by_its_own_kind_only(noise: bytes, power: Power | None) -> None:
    """A secret gives back its id as what it was made, and is nothing as anything else or with anything added."""
    taken = iter((noise[:6], noise[6:38]))
    kind = KEY if power is not None else SESSION
    made = make(kind, lambda _size: next(taken), power=power)

    assert id_of(kind, made.text) == made.id
    for other in {KEY, SESSION, INVITATION} - {kind}:
        assert id_of(other, made.text) is None
    for wrong in (f"{made.text} ", f" {made.text}", f"{made.text}\n", made.text.upper(), f"{made.text}0"):
        assert id_of(kind, wrong) is None
    assert made.text not in repr(made.credential)


@given(st.text(max_size=80))
def test_an_address_is_one_line_or_none(text: str) -> None:
    """Whatever passes for an e-mail address is printable, has no spaces and no capitals, and passes again."""
    try:
        found = check_email(text)
    except Malformed:
        return
    assert found.isprintable()
    assert not any(char.isspace() for char in found)
    assert check_email(found) == found == found.lower()


@given(st.from_regex(r"[a-zA-Z0-9_./-]{0,20}", fullmatch=True))
def test_a_space_has_one_spelling(space: str) -> None:
    """What can be split into organisation and project is what they make together: nothing has two names."""
    try:
        organisation, project = split_space(space)
    except Malformed:
        return
    assert space_of(organisation, project) == space


@given(st.integers(0, 100), st.integers(1, 10_000), st.integers(0, 10**9))
def test_waiting_only_grows_and_has_an_end(free: int, seconds_max: int, count: int) -> None:
    """More failures never mean a shorter wait, and no wait is longer than the limit."""
    pace = Pace(free, seconds_max)

    assert 0 <= pace.wait_seconds(count) <= pace.wait_seconds(count + 1) <= seconds_max
    assert pace.wait_seconds(min(count, free - 1)) == 0
