"""Laws of cards: what is kept comes back, a diff makes one text into the other, one change is one card."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindcast.fixes import keeping
from hindcast.model.card import Card, CardSeverity, CardSource, CardState, Proposal
from hindcast.model.code import Edit, LineSpan
from hindcast.model.errors import Malformed
from hindcast.propose.dealt import ID_PREFIX, dealt, hunks_of

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
WORDS = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
# Few different lines, so that texts have much in common, with and without a newline at the end.
TEXTS = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(st.sampled_from(["", "a", "b = 1", "    c", "ü\t", "d\r"]), max_size=12),
    st.sampled_from(["", "\n", "\n\n"]),
)
LONG = st.lists(st.text(alphabet="abc", min_size=1, max_size=3), min_size=1, max_size=30)


def proposal(path: str, before: str, after: str | None) -> Proposal:
    """A change of one file."""
    expected = "d1" if before else ""
    return Proposal(CardSource.LINTER, "Do it.", Edit(path, expected, after), LineSpan(1, 1), "why", ("rule/x",), 0.5)


@st.composite
def cards(draw: st.DrawFn) -> Card:
    """A card as it may come to be kept."""
    before, after = draw(TEXTS), draw(st.none() | TEXTS)
    made = proposal(draw(st.sampled_from(["a.py", "src/ü b.yaml"])), before, after)
    made = replace(
        made,
        source=draw(st.sampled_from(CardSource)),
        severity=draw(st.sampled_from(CardSeverity)),
        title=draw(WORDS),
        why=draw(WORDS),
        evidence=tuple(draw(st.lists(WORDS, max_size=3))),
        confidence=draw(st.floats(0, 1)),
        tests=tuple(draw(st.lists(WORDS, max_size=2))),
    )
    card = dealt(made, before, incident="inc-1", workspace="shop", at=NOW)
    state = draw(st.sampled_from(CardState))
    return replace(card, state=state, record=draw(WORDS), again=draw(WORDS), standing=draw(WORDS))


@given(cards())
def test_a_card_that_is_kept_comes_back_as_it_was(card: Card) -> None:
    """Both records of a card, through JSON, give the very same card; the small one alone all but the texts."""
    body = json.loads(json.dumps(keeping.to_json(card)))
    texts = json.loads(json.dumps(keeping.texts_to_json(card)))

    assert keeping.from_json(body, texts) == card
    bare = replace(card.proposal, edit=replace(card.proposal.edit, text=None))
    assert keeping.from_json(body) == replace(card, before="", after="", proposal=bare)


@given(TEXTS, TEXTS)
def test_a_diff_makes_one_text_into_the_other(before: str, after: str) -> None:
    """What the hunks keep and add, laid over the old text where they say, is the new text to the last newline."""
    lines = _with_ends(before)
    made: list[str] = []
    at = 0
    for hunk in hunks_of(before, after):
        made += lines[at : hunk.old_first]
        assert [_line(row) for row in hunk.lines if row[0] != "+"] == lines[hunk.old_first :][: hunk.old_count]
        assert len(made) == hunk.new_first
        made += [_line(row) for row in hunk.lines if row[0] != "-"]
        at = hunk.old_first + hunk.old_count
    assert "".join(made + lines[at:]) == after


@given(LONG, st.integers(0, 29), st.lists(st.text(alphabet="xyz", min_size=1, max_size=3), max_size=5))
def test_the_same_change_is_the_same_card(lines: list[str], place: int, above: list[str]) -> None:
    """A file that has grown far from the change still has the same card; another incident has one of its own."""
    place %= len(lines)
    head = [f"h{number}" for number in range(6)]
    before = [*head, *lines, *head]
    after = [*head, *lines[:place], "NEW", *lines[place:], *head]
    one = _dealt("\n".join(before), "\n".join(after))
    grown = _dealt("\n".join([*above, *before]), "\n".join([*above, *after]))

    assert one.id == grown.id
    assert one.id.startswith(ID_PREFIX)
    assert one.id != _dealt("\n".join(before), "\n".join(after), incident="inc-2").id
    assert one.id != _dealt("\n".join(before), "\n".join(before) + "\nother").id


@given(st.integers(2, 4))
def test_places_that_look_alike_have_cards_of_their_own(copies: int) -> None:
    """The same change in each of several equal functions is several cards."""
    block = ["def f():", "    one()", "    two()", "    three()", "    four()", "    five()", "    six()", "", ""]
    before = block * copies
    ids = set()
    for copy in range(copies):
        after = list(before)
        after.insert(copy * len(block) + 4, "    new()")
        ids.add(_dealt("\n".join(before), "\n".join(after)).id)

    assert len(ids) == copies


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ({}, None),
        ({"proposal": {"edit": 3}}, None),
        ("whole", {"before": 3, "splice": None}),
        ("whole", {"before": "abc", "splice": [2, 1, ""]}),
        ("whole", {"before": "abc", "splice": [0, 9, ""]}),
        ("naive", None),
    ],
)
def test_what_is_no_card_is_refused(body: object, texts: dict[str, object] | None) -> None:
    """A record that somebody else wrote is Malformed, with the field that is wrong."""
    whole = keeping.to_json(_dealt("a", "b"))
    given = {"whole": whole, "naive": {**whole, "made_at": "2026-11-16T02:00:00"}}.get(str(body), body)

    with pytest.raises(Malformed):
        keeping.from_json(given, texts)  # type: ignore[arg-type]


def _dealt(before: str, after: str, *, incident: str = "inc-1") -> Card:
    return dealt(proposal("a.py", before, after), before, incident=incident, workspace="shop", at=NOW)


def _with_ends(text: str) -> list[str]:
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _line(row: str) -> str:
    text, is_open, _ = row[1:].partition("\n\\ No newline")
    return text if is_open else f"{text}\n"
