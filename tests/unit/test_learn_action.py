"""Actions meet whatever their wording, and stay apart when they are different deeds."""

from __future__ import annotations

import pytest

from hindcast.model.action import ActionKey, action_key, key_similarity, opposite, same_action, similarity
from hindcast.model.action_words import BY_FORM, Deed

SAME = [
    ("raised the pool size to 200", "bump max_connections on the pool"),
    ("raised the pool size to 200", "increasing redis pool"),
    ("bump max_connections on the pool", "increasing redis pool"),
    ("rolled back", "rollback of checkout"),
    ("reverted the deploy", "rolled the deployment back"),
    ("restart the payment workers", "bounced payment-worker"),
    ("failed over the primary", "failover to the standby"),
    ("scale up checkout", "added more checkout pods"),
    ("increase replicas from 3 to 6", "scaled out"),
    ("flushed the redis cache", "clear cache"),
    ("killed the long-running queries", "terminate query"),
    ("renewed the certificate", "rotate TLS certs"),
    ("turned off the new-pricing flag", "disabled feature flag new-pricing"),
    ("changed the pool size from 20 to 50", "raise the pool"),
    ("added an index on orders", "create index orders(user_id)"),
    ("released the connection in the task teardown", "closing connections in teardown"),
    ("gave the connection back", "released the connection"),
    ("gave the pool more connections", "raised the pool size"),
    ("deployed a hotfix", "shipped the fix"),
    ("cap connections at 20", "limit the pool to 20 connections"),
]
DIFFERENT = [
    ("raise the pool size", "lower the pool size"),
    ("restart redis", "restart the payment workers"),
    ("raise the redis pool", "raise the postgres pool"),
    ("raise the timeout", "raise the pool size"),
    ("enable the flag", "disable the flag"),
    ("scaled up", "scaled down"),
    ("restart redis", "roll back redis"),
    ("add an index", "drop the index"),
    ("flush cache", "drain node"),
    ("restarted order workers", "restarted payment workers"),
    ("changed pool from 50 to 20", "raised the pool to 50"),
    ("deployed v2", "rolled back v2"),
    ("give the connection back after each task", "raised the pool size to 200"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_wordings_of_one_action_meet(one: str, other: str) -> None:
    """Two ways to say the same deed on the same thing are one action, in either order."""
    assert same_action(one, other)
    assert similarity(one, other) == pytest.approx(similarity(other, one))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_deeds_stay_apart(one: str, other: str) -> None:
    """Another direction, another deed or another thing is another action, in either order."""
    assert not same_action(one, other)
    assert not same_action(other, one)


def test_the_direction_of_a_change_comes_from_its_numbers() -> None:
    """A changed value is raised or lowered as its two numbers say; without both it is only set."""
    assert action_key("changed pool_size from 20 to 50").deed is Deed.RAISE
    assert action_key("set pool_size from 200 to 50").deed is Deed.LOWER
    assert action_key("set pool_size to 50").deed is Deed.SET


def test_opposites_are_known_as_such() -> None:
    """Lowering a pool undoes raising it; raising a timeout has nothing to do with it."""
    assert opposite("raised the pool size", "cap the pool at 20")
    assert not opposite("raised the pool size", "lower the timeout")
    assert not opposite("raised the pool size", "raised the pool size")


def test_a_bump_of_a_library_is_an_upgrade() -> None:
    """The object tells which sense of a verb is meant."""
    assert action_key("bumped the driver library to 4.2").deed is Deed.UPGRADE
    assert action_key("bumped the pool to 42").deed is Deed.RAISE


def test_passive_voice_keeps_the_object() -> None:
    """What an action was done to is found before the verb as well as behind it."""
    assert (
        action_key("the pool size was raised") == action_key("raised the pool size") == ActionKey(Deed.RAISE, ("pool",))
    )


def test_a_text_without_a_known_verb_is_compared_by_its_words() -> None:
    """Actions we have no verb for meet only when they say almost the same."""
    assert action_key("asked the vendor").deed is Deed.OTHER
    assert same_action("asked the vendor", "asked the vendor")
    assert not same_action("asked the vendor", "waited an hour")


def test_an_empty_action_is_like_no_known_one() -> None:
    """Nothing at all is no deed."""
    assert action_key("") == ActionKey(Deed.OTHER)
    assert not same_action("", "restart redis")


def test_every_key_is_like_itself() -> None:
    """A key compared with itself is the same, whatever verb it came from."""
    for word in BY_FORM:
        key = action_key(f"{word} the thing")
        assert key_similarity(key, key) == 1.0
