"""Every rule of the packs against the code that stands beside it."""

from __future__ import annotations

import ast
import textwrap
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hindcast.model.code import Tongue
from hindcast.model.code_rule import CodeRule
from hindcast.propose.carry.syntax import faults
from hindcast.propose.rules import pack, rules, search
from hindcast.propose.rules.page import page
from hindcast.propose.rules.precision import READ, precision

EVERY = rules()


def named(rule: CodeRule) -> str:
    """What a test of a rule is called."""
    return rule.id


@pytest.mark.parametrize("rule", EVERY, ids=named)
def test_a_rule_finds_what_it_is_for(rule: CodeRule) -> None:
    """Every rule has code that it finds, and finds it in each language it is for."""
    assert rule.bad
    for example in rule.bad:
        for tongue in rule.tongues:
            assert search([rule], example.code, tongue), example.code


@pytest.mark.parametrize("rule", EVERY, ids=named)
def test_a_rule_leaves_good_code_alone(rule: CodeRule) -> None:
    """Every rule has code that it finds nothing in."""
    assert rule.good
    for code in rule.good:
        for tongue in rule.tongues:
            assert not faults(code, tongue), code
            assert [found.text for found in search([rule], code, tongue)] == []


@pytest.mark.parametrize("rule", [rule for rule in EVERY if rule.fix is not None], ids=named)
def test_a_fix_is_what_stands_beside_it(rule: CodeRule) -> None:
    """Every rule with a fix shows one; the fix gives exactly that, can be parsed, and leaves nothing to find."""
    assert any(example.fixed for example in rule.bad)
    for example in rule.bad:
        for tongue in rule.tongues:
            found = search([rule], example.code, tongue)
            assert [example.fixed] == [one.fixed for one in found]
            assert not faults(example.fixed, tongue)
            assert not search([rule], example.fixed, tongue)


@pytest.mark.parametrize("rule", pack("python"), ids=named)
def test_a_fix_keeps_its_place_when_the_code_stands_deeper(rule: CodeRule) -> None:
    """The same code inside a class, indented further, gives the same fix indented further."""
    for example in rule.bad:
        if example.code.startswith(("import ", "class ")) or "\nasync def checkout" in example.code:
            continue
        deeper = "class Holder:\n" + textwrap.indent(example.code, "    ")
        found = search([rule], deeper, Tongue.PYTHON)
        assert found
        if rule.fix is not None:
            assert found[0].fixed == "class Holder:\n" + textwrap.indent(example.fixed, "    ")
            ast.parse(found[0].fixed)


def test_ids_are_unique_and_say_their_language() -> None:
    """A rule's id begins with its language, and no two are the same."""
    ids = [rule.id for rule in EVERY]
    assert len(ids) == len(set(ids))
    for name, mark in (("python", "py-"), ("javascript", "js-"), ("go", "go-")):
        assert all(rule.id.startswith(mark) for rule in pack(name))


def test_titles_and_reasons_are_sentences() -> None:
    """What people read is written in sentences."""
    for rule in EVERY:
        assert rule.title[0].isupper() or rule.title[0] == "`"
        assert rule.title.endswith(".")
        assert rule.why.endswith(".")
        assert rule.answers


@pytest.mark.parametrize(("name", "least"), [("python", 25), ("javascript", 10), ("go", 10)])
def test_a_pack_is_worth_its_name(name: str, least: int) -> None:
    """Each language has enough rules."""
    assert len(pack(name)) >= least


def test_the_page_is_written_from_the_packs() -> None:
    """The reference lists exactly the rules there are."""
    written = Path(__file__).resolve().parents[2] / "docs" / "reference" / "rules.md"

    assert page() == written.read_text(encoding="utf-8")


def test_trust_is_what_was_counted() -> None:
    """How far a rule is trusted comes from the findings that were read, and from nothing else."""
    listed = Path(__file__).resolve().parents[2] / "bench" / "rules_read.toml"
    counted: dict[str, tuple[int, int]] = {}
    for one in tomllib.loads(listed.read_text(encoding="utf-8"))["read"]:
        right, read = counted.get(one["rule"], (0, 0))
        counted[one["rule"]] = (right + one["right"], read + 1)
        assert one["why"].endswith(".")

    assert counted == READ
    assert set(counted) <= {rule.id for rule in EVERY}
    assert (
        precision("py-error-passed-over")
        < precision("py-request-without-timeout")
        < precision("py-program-without-timeout")
    )


def test_several_threads_search_the_same_file() -> None:
    """A file that is kept parsed can be searched by several requests at once."""
    code = EVERY[0].bad[0].code
    alone = [found.text for found in search(EVERY, code, Tongue.PYTHON)]
    with ThreadPoolExecutor(max_workers=4) as pool:
        together = list(pool.map(lambda _: search(EVERY, code, Tongue.PYTHON), range(20)))

    assert alone
    assert all([found.text for found in one] == alone for one in together)
