"""Rules that a team makes of its own fixes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.carrying import Shelf
from tests.recalling import NOW, cue

from hindcast.model.card import CardSource, Proposal
from hindcast.model.code import LineSpan, Place, Tongue
from hindcast.model.code_rule import CodeRule
from hindcast.model.diagnosis import Diagnosis
from hindcast.model.errors import Malformed
from hindcast.model.recollection import Familiarity, Recollection
from hindcast.propose.lint import team_rules
from hindcast.propose.rules import NotLearnt, from_json, learn, matches, places, rules, search, to_json
from hindcast.propose.sheet import Sheet

PUBLISH = "def place(order):\n    bus.publish(order.id, retries=3)\n    return order\n"
AWAITED = "def place(order):\n    bus.publish(order.id, retries=3, confirm=True)\n    return order\n"
ELSEWHERE = "def cancel(order):\n    bus.publish(\n        order.id,\n        retries=1,\n    )\n"


def learnt(before: str, after: str, tongue: Tongue = Tongue.PYTHON) -> CodeRule:
    """A rule that can be made."""
    made = learn(before, after, tongue, name="team-1", title="Confirm it.", evidence=("cases/inc-1@3",))
    assert isinstance(made, CodeRule), made
    return made


def refused(before: str, after: str, tongue: Tongue = Tongue.PYTHON) -> str:
    """Why no rule can be made."""
    made = learn(before, after, tongue, name="team-1", title="Confirm it.", evidence=())
    assert isinstance(made, NotLearnt)
    return made.reason


def test_a_keyword_that_was_added_is_added_elsewhere() -> None:
    """A call that was given one more argument makes a rule for every call of the same function without it."""
    rule = learnt(PUBLISH, AWAITED)
    (found,) = search([rule], ELSEWHERE, Tongue.PYTHON)

    assert found.fixed is not None
    assert "retries=1, confirm=True" in found.fixed
    assert places(rule, AWAITED, Tongue.PYTHON) == ()
    assert places(rule, "mail.publish(order.id)\n", Tongue.PYTHON) == ()


def test_what_only_shares_a_modules_name_is_left_alone() -> None:
    """A rule about a module's function says nothing about a variable of that name; one about a variable still does."""
    before = "import requests\n\n\ndef load(url):\n    return requests.get(url)\n"
    rule = learnt(before, before.replace("get(url)", "get(url, timeout=(3, 9))"))

    assert places(rule, "import requests\n\n\ndef other(url):\n    requests.get(url)\n", Tongue.PYTHON) != ()
    assert places(rule, "def pick(requests, name):\n    return requests.get(name)\n", Tongue.PYTHON) == ()
    assert places(rule, "def pick(name):\n    requests = {}\n    return requests.get(name)\n", Tongue.PYTHON) == ()
    own = "def place(bus, order):\n    bus.publish(order)\n"
    assert places(learnt(own, own.replace("(order)", "(order, confirm=True)")), own, Tongue.PYTHON) != ()


def test_code_that_was_replaced_is_replaced_with_other_variables() -> None:
    """Variables that stand on both sides may be called otherwise elsewhere; everything else has to be the same."""
    rule = learnt("def f(key):\n    item = store.load(key)\n", "def f(key):\n    item = store.fresh(key, 2)\n")
    (found,) = search([rule], "def g(name):\n    return store.load(name)\n", Tongue.PYTHON)

    assert found.fixed == "def g(name):\n    return store.fresh(name, 2)\n"
    assert places(rule, "def g(name):\n    return cache.load(name)\n", Tongue.PYTHON) == ()
    assert places(rule, "def g(name):\n    return store.load(name, 1)\n", Tongue.PYTHON) == ()


@pytest.mark.parametrize(
    ("tongue", "before", "after"),
    [
        (
            Tongue.GO,
            "package a\n\nfunc f(key string) {\n\tuse(store.Load(key))\n}\n",
            "package a\n\nfunc f(key string) {\n\tuse(store.Fresh(key))\n}\n",
        ),
        (Tongue.TYPESCRIPT, "const x = store.load(key);\n", "const x = store.fresh(key, { wait: false });\n"),
    ],
)
def test_rules_are_learnt_in_other_languages(tongue: Tongue, before: str, after: str) -> None:
    """Go and TypeScript are learnt from as Python is."""
    (found,) = search([learnt(before, after, tongue)], before, tongue)

    assert found.fixed == after


def test_an_import_that_came_with_the_fix_is_needed() -> None:
    """Where the import of a fix is missing, the rule finds the place and writes nothing."""
    before = "def f(key):\n    return cache.put(key, 1)\n"
    rule = learnt(before, "import time\ndef f(key):\n    return cache.put(key, 1, at=time.monotonic())\n")

    (without,) = search([rule], before, Tongue.PYTHON)
    (having,) = search([rule], "import time\n" + before, Tongue.PYTHON)
    assert without.fixed is None
    assert having.fixed is not None


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("def f(n):\n    return n + 1\n", "def f(n):\n    return n + 2\n", "too general"),
        ("def f(n):\n    g(n)\n", "def f(n):\n    g(n)\n    h(n)\n", "more than one place"),
        ("def f(n):\n    a.b(n)\n    c.d(n)\n", "def f(n):\n    a.x(n)\n    c.y(n)\n", "more than one place"),
        ("def f(n):\n    pool.take(n)\n", "def f(n):\n    pool.take(limit)\n", "`limit`"),
        ("def f(n:\n", "def f(n):\n    pass\n", "cannot be parsed"),
        ("x = 1\n", "x = 1\n", "more than one place"),
        ("def f(url):\n    a.get(url)\n", "def f(url):\n    a.get(url, timeout=wait)\n", "`wait`"),
    ],
    ids=["any sum", "a new statement", "two places", "a name of its own", "broken", "nothing", "a value of its own"],
)
def test_a_change_that_says_too_little_makes_no_rule(before: str, after: str, reason: str) -> None:
    """What would find too much, or could not be written elsewhere, is refused with its reason."""
    assert reason in refused(before, after)


def test_a_rule_that_finds_right_code_is_refused() -> None:
    """A rule that would find something in the good examples of the packs is too general."""
    before = "def f(session, user):\n    session.rollback()\n"
    after = "def f(session, user):\n    session.abandon()\n"

    assert "code that is right" in refused(before, after)


def test_other_files_are_no_code() -> None:
    """A change of a text makes no rule."""
    assert "markdown" in refused("a\n", "b\n", Tongue.MARKDOWN)


def test_what_a_rule_would_find_is_shown_before_it_counts() -> None:
    """The places of the workspace that a rule finds are listed, up to one more than allowed."""
    rule = learnt(PUBLISH, AWAITED)
    code = Shelf({"a.py": PUBLISH, "b.py": ELSEWHERE, "c.go": "package a\n", "d.py": AWAITED, "notes.md": PUBLISH})

    assert [(one.path, one.lines) for one in matches(rule, code)] == [
        ("a.py", LineSpan(2, 2)),
        ("b.py", LineSpan(2, 5)),
    ]
    assert len(matches(rule, code, matches_max=0)) == 1


def test_a_team_rule_is_a_source_of_cards() -> None:
    """A team's rule gives a card of its own kind, which names the rule and the records it was made from."""
    place = Place("b.py", 2, "cancel", LineSpan(1, 5), 1.0, "")
    sheet = Sheet(
        incident="inc-2",
        at=NOW,
        trace=None,
        places=(place,),
        recollection=Recollection(cue("x"), Familiarity.NEW, ()),
        diagnosis=Diagnosis("message lost", NOW, Familiarity.NEW, 0.0, None, "New."),
        code=Shelf({"b.py": ELSEWHERE}),
    )
    (one,) = team_rules([learnt(PUBLISH, AWAITED)])(sheet)

    assert isinstance(one, Proposal)
    assert one.source is CardSource.TEAM_RULE
    assert one.evidence == ("rule/team-1", "cases/inc-1@3")
    assert one.title == "Confirm it."


@pytest.mark.parametrize("rule", [*rules(), learnt(PUBLISH, AWAITED)], ids=lambda rule: rule.id)
def test_a_rule_is_the_same_after_it_was_kept(rule: CodeRule) -> None:
    """A rule goes through JSON unchanged."""
    assert from_json(json.loads(json.dumps(to_json(rule)))) == rule


@pytest.mark.parametrize(
    ("search_for", "problem"),
    [
        ({}, "no rule"),
        ({"rule": {"bogus": 1}}, "`bogus`"),
        ({"rule": {"pattern": "a b c"}}, "pattern"),
        ({"rule": {"all": [3]}}, "3 is no rule"),
        ({"rule": {"kind": "x"}, "extra": {}}, "`extra`"),
        ({"rule": {"kind": "no_such_kind"}}, "no_such_kind"),
        ({"rule": {"has": {"pattern": "x", "stopBy": {"nope": 1}}}}, "`nope`"),
    ],
)
def test_what_cannot_be_searched_with_is_refused(search_for: dict[str, object], problem: str) -> None:
    """A rule that was tampered with is refused by name when it is read, not when an incident comes."""
    kept = to_json(replace(learnt(PUBLISH, AWAITED), search=search_for))

    with pytest.raises(Malformed, match=problem):
        from_json(kept)


@pytest.mark.parametrize("value", [None, 3, [], {}, {"id": 1}, {**to_json(rules()[0]), "tongues": ["rust"]}])
def test_what_is_no_rule_is_refused(value: object) -> None:
    """Anything else is told to be none."""
    with pytest.raises(Malformed):
        from_json(value)
