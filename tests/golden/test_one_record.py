"""Over the demo's year and the golden scenes, in every door: what stands together stands in one cited record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.carrying import Shelf
from tests.golden.answers.scenes import SCENES, Scene
from tests.golden.test_answers import screen
from tests.questions import NOW, asked, desk_of, seeded
from tests.whole import (
    Records,
    advice_breaks,
    broken,
    lines_of_markdown,
    lines_of_pack,
    parts_of_screen,
    person_breaks,
    text_breaks,
)  # fmt: skip

from hindcast import toolbox
from hindcast.casebook import Casebook
from hindcast.casebook.layout import address_of
from hindcast.memory import Memory
from hindcast.model.case import Case
from hindcast.model.diagnosis import Diagnosis
from hindcast.propose.settings.remembered import harmed, helped
from hindcast.propose.sheet import Sheet
from hindcast.reason.markdown import markdown
from hindcast.reason.wording import duration
from hindcast.recall.pack import pack
from hindcast.recollect import Answered, Recollect
from hindcast.rest import shapes

TOKENS = 4_000
GOLDEN = Path(__file__).resolve().parents[2] / "bench" / "recall_set" / "held.jsonl"
# As many as are asked within seconds.
QUESTIONS_MAX = 150
QUESTIONS = [json.loads(line)["text"] for line in GOLDEN.read_text(encoding="utf-8").splitlines()[:QUESTIONS_MAX]]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The demo's year."""
    with seeded(tmp_path_factory.mktemp("law")) as opened:
        yield opened


@pytest.fixture(scope="module")
def year(memory: Memory) -> Records:
    """Its records, as they are cited."""
    view = memory.now()
    cases = Casebook(memory).every()
    return Records({f"cases/{one.id}@{view.get(address_of(one.id)).version}": one for one in cases})


@pytest.fixture(scope="module")
def answers(memory: Memory, year: Records) -> tuple[Answered, ...]:
    """What memory says to every incident of the year as it was asked then, and to every golden question."""
    recollect = Recollect(memory, now=lambda: NOW)
    found = [recollect.about(case.id) for case in year.cases.values()]
    return (*found, *(recollect.ask(question) for question in QUESTIONS))


def of_scene(scene: Scene) -> Records:
    """What a scene's answer may cite."""
    found: dict[str, Case] = {}
    for one in scene.recollection.remembered:
        found[f"{one.address}@{one.version}"] = one.case
    for one in scene.recollection.remembered:
        # Of two with one address, the other space's is cited with its space.
        if one.space:
            found[f"{one.space}:{one.address}@{one.version}"] = one.case
            if one.space == scene.space:
                found[f"{one.address}@{one.version}"] = one.case
    return Records(found)


def as_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """What REST sends and the page reads."""
    found: dict[str, Any] = json.loads(msgspec.json.encode(diagnosis))
    return found


def kept(breaks: list[str]) -> None:
    """Fail with everything that is broken."""
    assert not breaks, "\n".join(dict.fromkeys(breaks))


def test_rest_the_page_and_briefings(answers: tuple[Answered, ...], year: Records) -> None:
    """What is sent as JSON, by whichever route, keeps the law; most of it was seen before."""
    told = [as_json(shapes.answer(one, explain=False, packed=None)["diagnosis"]) for one in answers]

    assert sum(bool(one["case"]) for one in told) > len(told) / 2
    assert sum(len(one["others"]) for one in told) > 50
    kept([text for one in told for text in broken(one, year)])


@pytest.mark.parametrize("name", sorted(SCENES))
def test_every_scene(name: str) -> None:
    """The same of every golden answer, in JSON."""
    scene = SCENES[name]

    kept(broken(as_json(scene.diagnosis), of_scene(scene)))


def test_the_text_for_a_model(answers: tuple[Answered, ...], year: Records) -> None:
    """Each line that is packed for a model is of the record that it cites."""
    for one in answers:
        packed = pack(one.recollection, one.diagnosis, tokens_max=TOKENS).text
        kept(text_breaks(lines_of_pack(packed), year))


def test_markdown(answers: tuple[Answered, ...], year: Records) -> None:
    """Each line of a document, and each command below it, is of the record that it cites first."""
    for one in answers:
        kept(text_breaks(lines_of_markdown(markdown(one.diagnosis)), year))


def test_the_screen(answers: tuple[Answered, ...], year: Records) -> None:
    """What is printed in a terminal before a number is of the record with that number."""
    for one in answers[::3]:
        kept(text_breaks(parts_of_screen("\n".join(screen(one.diagnosis))), year))


def test_mcp(memory: Memory, year: Records) -> None:
    """What agents get, as values and as lines."""
    desk = desk_of(memory)
    for case in list(year.cases.values())[::4]:
        told = toolbox.call("recall", {"incident": case.id, "tokens_max": TOKENS}, desk)
        data = told.data
        breaks = [text for advice in (*data["fixes"], *data["avoid"]) for text in advice_breaks(advice, year)]
        for person, evidence in zip(data["who_knows"], data["who_knows_evidence"], strict=True):
            breaks += person_breaks(person, evidence, year)
        kept([*breaks, *text_breaks(lines_of_pack(told.text), year)])


def test_words(memory: Memory, year: Records) -> None:
    """Each sentence of an answer in words is of the record that it cites first."""
    desk = desk_of(memory)
    for case in list(year.cases.values())[::5]:
        answer = asked(f"What did we do last time? {case.symptoms[0] if case.symptoms else case.title}", desk).answer
        kept(text_breaks(((one.text, one.citations) for one in answer.sentences if one.citations), year))
        for one in answer.sentences:
            if one.text.startswith("It took "):
                took = year.cases[one.citations[0]].minutes_to_resolve
                assert took is not None
                assert one.text == f"It took {duration(took)}."


def test_cards(answers: tuple[Answered, ...], year: Records) -> None:
    """What a card proposes out of memory, and what it warns of, is of the first record that it cites."""
    for one in answers:
        found = Sheet("inc", NOW, None, (), one.recollection, one.diagnosis, Shelf({}))
        for deed in (*helped(found), *harmed(found)):
            kept(text_breaks([(deed.action, deed.evidence)], year))


def test_no_sentence_of_ours_stands_in_quotation_marks(answers: tuple[Answered, ...]) -> None:
    """Whatever is quoted in a document or on a screen was written by people."""
    ours = re.compile(
        r"(?:had a part in|: (?:fixed it|found the cause|tried something|was there)|nobody has said"
        r"|gives another cause|It came back|not to try it|incidents of this kind)"
    )
    for one in answers:
        packed = pack(one.recollection, one.diagnosis, tokens_max=TOKENS).text
        quotes = re.findall(r"“([^”]*)”", markdown(one.diagnosis))
        quotes += [quote for line in packed.splitlines() for quote in re.findall(r'"((?:[^"\\]|\\.)*)"', line)]
        assert not [quote for quote in quotes if ours.search(quote)]


def test_the_law_is_not_kept_by_a_mixture(answers: tuple[Answered, ...], year: Records) -> None:
    """A command of another incident, somebody else, another day, another length of time or cause breaks it."""
    told = next(
        found
        for one in answers
        if (found := as_json(one.diagnosis))["case"] and found["fixes"] and found["cause"] and found["others"]
    )
    first = told["fixes"][0]
    mixed = (
        {**told, "minutes": 1_234.0},
        {**told, "cause": {**told["cause"], "text": "Somebody pulled the plug of another rack."}},
        {**told, "fixes": [{**first, "command": "rm -rf /"}]},
        {**told, "fixes": [{**first, "by": ["eve"]}]},
        {**told, "fixes": [{**first, "fixed_at": "2020-01-01T00:00:00Z"}]},
        {**told, "people": [{"text": "eve: fixed it, today", "evidence": [first["evidence"][0]]}]},
    )

    assert not broken(told, year)
    for one in mixed:
        assert broken(one, year)
