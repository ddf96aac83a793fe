"""Access when many things happen at the same instant."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.admitting import PASSWORD, PEER, Desk, desk

from hindcast.access import Proof
from hindcast.access.throttle import PAIR
from hindcast.model.access import Power, Role
from hindcast.model.account import Membership, Person
from hindcast.model.errors import Busy, HindcastError, Missing, Refused, Unidentified

AT_ONCE = 8


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Desk]:
    """An installation with one admin."""
    made = desk(tmp_path)
    made.join("root@example.com")
    yield made
    made.close()


def together(act: Callable[[int], object]) -> list[type[HindcastError] | None]:
    """What came of doing something eight times at the same instant: an error's kind, or None where it worked."""
    barrier = threading.Barrier(AT_ONCE)

    def once(number: int) -> type[HindcastError] | None:
        barrier.wait()
        try:
            act(number)
        except HindcastError as error:
            return type(error)
        return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(once, range(AT_ONCE)))


def test_no_request_that_begins_after_a_revocation_is_let_in(home: Desk) -> None:
    """While eight threads use a key without pause, none of them gets in once revoking it has returned."""
    made = home.access.keys.create("k", Power.READ, organisation="home", by=home.operator)
    proof, revoked, using = Proof(key=made.secret), threading.Event(), threading.Barrier(AT_ONCE + 1)

    def use() -> bool:
        home.access.caller(proof)
        using.wait()
        while True:
            is_late = revoked.is_set()
            try:
                home.access.caller(proof)
            except Unidentified:
                return True
            if is_late:
                return False

    with ThreadPoolExecutor(AT_ONCE) as pool:
        users = [pool.submit(use) for _ in range(AT_ONCE)]
        using.wait()
        home.access.keys.revoke(made.key.id, by=home.operator)
        revoked.set()
        assert all(user.result() for user in users)


def test_a_link_that_all_take_up_at_once_is_taken_up_once(home: Desk) -> None:
    """Of eight who open one invitation at the same instant one becomes a member, with the password of that one."""
    link = home.access.people.invite("ana@example.com", Role.VIEWER, organisation="home", by=home.operator).secret

    came = together(lambda number: home.access.signing.accept(link, password=f"{PASSWORD} {number}", peer=PEER))

    assert came.count(None) == 1
    assert set(came) <= {None, Missing, Unidentified}
    (ana,) = home.accounts.find(Person, email="ana@example.com")
    assert len(home.accounts.find(Membership, person=ana.id)) == 1
    home.access.signing.sign_in("ana@example.com", f"{PASSWORD} {came.index(None)}", peer="198.51.100.1")


def test_admins_who_remove_each_other_leave_one(home: Desk) -> None:
    """When every admin is removed at the same instant the last one stays."""
    for number in range(AT_ONCE - 1):
        home.join(f"a{number}@example.com")
    admins = [member.person.id for member in home.access.people.list("home", by=home.operator)]

    came = together(lambda number: home.access.people.remove(admins[number], organisation="home", by=home.operator))

    assert (came.count(None), came.count(Refused)) == (AT_ONCE - 1, 1)
    assert len(home.accounts.find(Membership, organisation="home")) == 1


def test_guesses_at_the_same_instant_are_all_counted(home: Desk) -> None:
    """Eight guesses at once are no way around the delay: only as many as are free are looked at."""
    came = together(lambda _: home.access.signing.sign_in("root@example.com", "wrong horse battery", peer=PEER))

    assert came.count(Unidentified) == PAIR.free
    assert came.count(Busy) == AT_ONCE - PAIR.free


def test_two_keys_of_one_name_are_not_made_at_once(home: Desk) -> None:
    """Of eight keys of one name that are made at the same instant there is one."""
    came = together(lambda _: home.access.keys.create("bot", Power.READ, organisation="home", by=home.operator))

    assert (came.count(None), came.count(Refused)) == (1, AT_ONCE - 1)
    assert home.access.audit.verify("home", by=home.operator).faults == ()
