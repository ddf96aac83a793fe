"""Joins and splits by people: what they do alone, one after the other, and how they are written down."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindcast.ingest.fingerprint import fingerprint
from hindcast.ingest.fingerprint.grouping import (
    Condition,
    Groups,
    Join,
    Occurrence,
    Rule,
    Split,
    observed,
    read_id,
    read_rule,
    read_rules,
    written,
)
from hindcast.model.errors import Malformed
from hindcast.model.record import Json

A, B, C = 0xA1, 0xB2, 0xC3
PAYMENT = Occurrence(A, "payment", "com.acme.PoolException", "No connection left", ("com.acme.Pool.take", "main.run"))
AUTH = replace(PAYMENT, service="auth")
BY_SERVICE = Condition(service="payment")

RULES = st.lists(
    st.one_of(
        st.builds(Join, st.sampled_from([(A,), (B,), (A, B)]), st.just(C)),
        st.builds(
            Split, st.sampled_from([A, B, C]), st.sampled_from([BY_SERVICE, Condition(exception="PoolException")])
        ),
    ),
    max_size=8,
)


def test_without_rules_the_fingerprint_is_the_group() -> None:
    """Nobody has said anything, so nothing is moved."""
    assert Groups().regroup(PAYMENT) == A
    assert Groups().explain(PAYMENT) == ()


def test_a_join_makes_groups_one() -> None:
    """Everything joined is in the group it was joined into, and nothing else is."""
    groups = Groups((Join((A, B), C),))

    assert [groups.regroup(replace(PAYMENT, fingerprint=one)) for one in (A, B, C, 0xD4)] == [C, C, C, 0xD4]


@pytest.mark.parametrize(
    "condition",
    [
        Condition(service="payment"),
        Condition(exception="com.acme.PoolException"),
        Condition(exception="PoolException"),
        Condition(message_contains="no CONNECTION"),
        Condition(function="com.acme.Pool.take"),
        Condition(function="take"),
        Condition(service="payment", function="run"),
    ],
)
def test_a_split_takes_out_what_satisfies_it(condition: Condition) -> None:
    """Each condition finds its occurrence, by the whole name or its last part."""
    split = Split(A, condition)

    assert Groups((split,)).regroup(PAYMENT) == split.to != A


@pytest.mark.parametrize(
    "condition",
    [
        Condition(service="pay"),
        Condition(exception="Pool"),
        Condition(message_contains="timeout"),
        Condition(function="tak"),
        Condition(service="payment", exception="IOException"),
    ],
)
def test_a_split_leaves_what_does_not_satisfy_all_of_it(condition: Condition) -> None:
    """Half a name is no name, and every condition given has to hold."""
    assert Groups((Split(A, condition),)).regroup(PAYMENT) == A


def test_what_was_joined_can_be_split() -> None:
    """A split of a joined group takes its occurrences out, from whichever fingerprint they came."""
    split = Split(C, BY_SERVICE)
    groups = Groups((Join((A, B), C), split))

    assert groups.regroup(PAYMENT) == groups.regroup(replace(PAYMENT, fingerprint=B)) == split.to
    assert groups.regroup(AUTH) == C


def test_what_was_split_can_be_joined_again() -> None:
    """A later join brings back what a split took out."""
    split = Split(A, BY_SERVICE)

    assert Groups((split, Join((split.to,), A))).regroup(PAYMENT) == A


def test_a_line_is_seen_with_its_exception_and_its_functions() -> None:
    """What rules ask of a line is taken from its stack, and its fingerprint is the line's own."""
    stack = "com.acme.PoolException: none left\n\tat com.acme.Pool.take(Pool.java:3)"
    seen, made = observed("charge failed", stack=stack, service="payment")
    plain, words = observed("charge failed", service="payment", template=7)

    assert seen == Occurrence(made.id, "payment", "com.acme.PoolException", "none left", ("com.acme.Pool.take",))
    assert made == fingerprint("charge failed", stack=stack)
    assert plain == Occurrence(words.id, "payment", "", "charge failed")
    assert words == fingerprint("charge failed", template=7)


def test_the_later_rule_wins() -> None:
    """Said last, said for good: a second join of the same group decides."""
    groups = Groups((Join((A,), B), Join((A, B), C)))

    assert groups.regroup(PAYMENT) == C
    assert groups.with_rule(Join((C,), B)).regroup(PAYMENT) == B


def test_a_split_is_the_same_group_everywhere() -> None:
    """The number of a split's group depends on the split alone, not on its reason or on who computes it."""
    assert Split(A, BY_SERVICE, "one reason").to == Split(A, BY_SERVICE, "another").to
    assert Split(A, BY_SERVICE).to != Split(B, BY_SERVICE).to
    assert Split(A, BY_SERVICE).to != Split(A, Condition(service="auth")).to


def test_every_move_is_explained() -> None:
    """The way from the fingerprint to the group names each rule that applied, and its reason."""
    groups = Groups((Join((A,), C, "same pool"), Join((B,), A), Split(C, BY_SERVICE, "owned by others")))
    moves = groups.explain(PAYMENT)

    assert [(move.position, move.came_from, move.went_to) for move in moves] == [
        (0, A, C),
        (2, C, Split(C, BY_SERVICE).to),
    ]
    assert str(moves[0]) == f"joined {written(A)} into {written(C)} (same pool)"
    assert "service 'payment'" in str(moves[1])


@given(RULES)
def test_rules_survive_being_written_down(rules: list[Rule]) -> None:
    """Rules read back from JSON group as before."""
    read = read_rules(json.loads(json.dumps(rule.to_json())) for rule in rules)

    assert read == Groups(tuple(rules))
    assert read.regroup(PAYMENT) == Groups(tuple(rules)).regroup(PAYMENT)


@given(RULES)
def test_moves_lead_from_the_fingerprint_to_the_group(rules: list[Rule]) -> None:
    """Each move begins where the last one ended, in the order of the rules."""
    moves = Groups(tuple(rules)).explain(PAYMENT)
    ends = [PAYMENT.fingerprint, *(move.went_to for move in moves)]

    assert [move.came_from for move in moves] == ends[:-1]
    assert [move.position for move in moves] == sorted({move.position for move in moves})
    assert Groups(tuple(rules)).regroup(PAYMENT) == ends[-1]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (None, "rule"),
        ({"rule": "merge"}, "rule"),
        ({"rule": "join", "into": "a1"}, "ids"),
        ({"rule": "join", "ids": ["00000000000000a1"], "into": "zz"}, "into"),
        ({"rule": "join", "ids": [], "into": "00000000000000a1"}, "ids"),
        ({"rule": "join", "ids": ["00000000000000a1"], "into": "00000000000000a1"}, "ids"),
        ({"rule": "join", "ids": [0], "into": 1}, "ids"),
        ({"rule": "split", "id": "00000000000000a1"}, "by"),
        ({"rule": "split", "id": "00000000000000a1", "by": {}}, "by"),
        ({"rule": "split", "id": "00000000000000a1", "by": {"colour": "red"}}, "by.colour"),
        ({"rule": "split", "id": "00000000000000a1", "by": {"service": 3}}, "by.service"),
        ({"rule": "split", "id": "00000000000000a1", "by": {"service": "x" * 501}}, "by.service"),
        ({"rule": "split", "id": True, "by": {"service": "x"}}, "id"),
        ({"rule": "join", "ids": [1], "into": 2, "why": 3}, "why"),
    ],
)
def test_what_is_no_rule_is_refused_by_name(body: Json, field: str) -> None:
    """A malformed rule names the field that is wrong, and a remedy."""
    with pytest.raises(Malformed) as caught:
        read_rule(body)

    assert caught.value.field == field
    assert caught.value.remedy


@pytest.mark.parametrize("text", ["00000000000000a1", "0x00000000000000A1", " 161 ", 161])
def test_a_fingerprint_is_read_as_people_write_it(text: str | int) -> None:
    """Sixteen hex digits, with or without 0x, or the number itself."""
    assert read_id(text) == 0xA1
