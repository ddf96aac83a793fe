"""What is held back, and why: what was rejected, what did harm, what does not fit, and what nobody may touch."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.carrying import Shelf
from tests.proposing import LOOP, NOW, PAST, advice, card_of, digest, proposed, sheet, verdict_on

from hindcast.fixes.sheets import told_harms
from hindcast.model.card import CardSource, Proposal
from hindcast.model.case import Attempt, Case, Note, Outcome
from hindcast.model.code import Edit, LineSpan
from hindcast.propose.guard import Grounds, Guarded, Rejection, forbidden, guard
from hindcast.propose.harm import harms_of
from hindcast.propose.sheet import Sheet

PATH = "worker/loop.py"
CONFIG = "config/production.toml"
FIXED = LOOP.replace("    task.run(connection)\n", "    task.run(connection)\n    pool.release(connection)\n")
CODE = Shelf({PATH: LOOP, CONFIG: "[redis]\npool_size = 20\nurl = 'redis://main'\n"})
RELEASE = proposed(CODE, PATH, FIXED)


def setting(value: int, **more: str) -> Proposal:
    """A pool of another size."""
    text = CODE.files[CONFIG].replace("pool_size = 20", f"pool_size = {value}")
    return proposed(
        CODE, CONFIG, text, source=CardSource.SETTING, title=f"Set pool_size to {value}.", action="", **more
    )


def held(found: Guarded) -> list[str]:
    """The reasons of what was held back; nothing may have passed."""
    assert found.passed == ()
    return [one.reason for one in found.held_back]


def against(asked: Sheet) -> Grounds:
    """What memory says against things, filed or told in sentences."""
    return Grounds(harms=(*harms_of(asked), *told_harms(asked.recollection)))


def test_what_nothing_speaks_against_passes() -> None:
    """A change that fits its file and repeats nothing is passed on with the file as it is."""
    found = guard([RELEASE], CODE, Grounds())

    assert [(one.proposal, one.before, one.again) for one in found.passed] == [(RELEASE, LOOP, "")]
    assert found.held_back == ()


@pytest.mark.parametrize(
    "path",
    [
        ".git/config", ".GIT/hooks/pre-commit", ".git /config", "git~1/config", "sub/.git/index", "poetry.lock",
        "web/package-lock.json", "go.sum", "secrets/redis.yaml", "deploy/secret.yaml", "certs/server.pem", "id_rsa",
        ".ssh/config", ".npmrc", "vendor/redis/client.go", "web/node_modules/a/index.js", "venv/lib/x.py",
        "api_pb2.py", "static/app.min.js", "../outside.py", "/etc/passwd", "a/../../b.py", "a\\b.py", "a//b.py", "",
        ".gitmodules", "a/.GitAttributes",
    ],
)  # fmt: skip
def test_what_nobody_may_touch_is_named(path: str) -> None:
    """Git's own files, lock files, secrets, other people's code, generated code and paths that lead out are refused."""
    assert forbidden(path)


@pytest.mark.parametrize(
    "path", ["src/gitlog.py", ".gitignore", ".env", "config/secretary.py", "src/vendors.py", "keys.py", "a.b.py"]
)
def test_names_that_only_look_like_it_are_free(path: str) -> None:
    """A file is not held back because its name resembles what is forbidden."""
    assert forbidden(path) == ""


def test_a_file_that_has_changed_holds_its_proposal_back() -> None:
    """An edit that was made for other bytes is not shown."""
    stale = replace(RELEASE, edit=replace(RELEASE.edit, expected=digest("something else")))

    assert held(guard([stale], CODE, Grounds())) == [
        "The file changed while this was worked out; it is looked at again."
    ]


def test_a_file_that_is_not_there_holds_its_proposal_back() -> None:
    """An edit of a file that is gone says so; a new file in its own place is none of that."""
    gone = replace(RELEASE, edit=Edit("worker/gone.py", "d1", "x = 1\n"))
    new = replace(RELEASE, edit=Edit("worker/new.py", "", "x = 1\n"), lines=LineSpan(1, 1))

    found = guard([gone, new], CODE, Grounds())

    assert [one.proposal.edit.path for one in found.passed] == ["worker/new.py"]
    assert "There is no file worker/gone.py" in found.held_back[0].reason


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (PATH, LOOP.replace("def take(pool):", "def take(pool:")),
        (PATH, LOOP.replace("    task.run", "   task.run")),
        (CONFIG, "[redis\npool_size = 5\n"),
    ],
)
def test_what_does_not_parse_is_held_back(path: str, text: str) -> None:
    """A change after which a file could no longer be read is not shown."""
    (reason,) = held(guard([proposed(CODE, path, text)], CODE, Grounds()))

    assert "no longer be readable" in reason


def test_a_file_that_was_broken_may_be_mended() -> None:
    """A file that cannot be read today may be changed into one that can."""
    code = Shelf({PATH: "def take(:\n    pass\n"})

    assert guard([proposed(code, PATH, "def take():\n    pass\n")], code, Grounds()).passed


def test_a_file_that_is_too_large_has_no_card() -> None:
    """The reason names the limit."""
    (reason,) = held(guard([RELEASE], CODE, Grounds(file_bytes_max=50)))

    assert "50 bytes" in reason


# Harm


def test_what_made_it_worse_is_not_proposed() -> None:
    """An action that memory says to avoid is held back in whatever words it comes, with the record that says so."""
    asked = sheet({}, avoid=(advice("raised the redis pool size to 200", made_worse=2),))
    again = proposed(CODE, PATH, f"# more\n{LOOP}", action="bump max_connections on the redis pool")

    found = guard([again, RELEASE], CODE, against(asked))

    assert [one.proposal for one in found.passed] == [RELEASE]
    assert found.held_back[0].reason == "“raised the redis pool size to 200” made it worse in cases/past-redis."
    assert found.held_back[0].evidence == (PAST,)


def test_what_worked_at_times_and_had_no_effect_at_others_is_proposed() -> None:
    """Only what never worked, or ever made it worse, is held back."""
    asked = sheet({}, avoid=(advice(RELEASE.action, worked=1, no_effect=1),))
    never = sheet({}, avoid=(advice(RELEASE.action, no_effect=1),))

    assert guard([RELEASE], CODE, against(asked)).passed
    assert held(guard([RELEASE], CODE, against(never))) == [f"“{RELEASE.action}” had no effect in cases/past-redis."]


@pytest.mark.parametrize(("value", "passes"), [(50, False), (80, False), (30, True), (10, True)])
def test_a_value_is_held_against_an_attempt_that_names_its_key(value: int, passes: bool) -> None:
    """The value that did harm, and any beyond it in the same direction, is held back; a step before it is not."""
    tried = Attempt("A1", "set redis.pool_size from 20 to 50", Outcome.MADE_WORSE, config="redis.pool_size = 50")
    raised = replace(tried, action="raised redis.pool_size from 20 to 50")

    assert bool(guard([setting(value)], CODE, against(sheet({}, attempts=(raised,)))).passed) is passes


@pytest.mark.parametrize(
    "sentence",
    ["Raising the pool to 50 made it worse.", "We bumped the pool size to 50, which only made things worse."],
)
def test_harm_that_is_told_only_in_a_sentence_counts(sentence: str) -> None:
    """A note nobody filed as an attempt still keeps its value from being proposed, in settings and in code."""
    case = Case("past-redis", "Redis", NOW, notes=(Note("n1", sentence, NOW, "ana"),))
    grounds = against(sheet({}, case=case))
    code = Shelf({"a/pool.py": "POOL = Pool(max_connections=20)\n"})
    in_code = proposed(code, "a/pool.py", "POOL = Pool(max_connections=50)\n", action="")

    assert "made it worse in cases/past-redis" in held(guard([setting(50)], CODE, grounds))[0]
    assert "made it worse in cases/past-redis" in held(guard([in_code], code, grounds))[0]
    assert guard([setting(10), RELEASE], CODE, grounds).passed[1:]


def test_lowering_what_was_raised_is_no_repetition() -> None:
    """Memory warns of raising a pool; a card that lowers it is shown."""
    asked = sheet({}, avoid=(advice("raised the redis pool size from 50 to 200", made_worse=1),))

    assert guard([setting(10, why="It worked.")], CODE, against(asked)).passed


# What the team rejected


def test_what_was_rejected_is_not_proposed_again() -> None:
    """The reason names who, when and why, and cites the card."""
    card = card_of(RELEASE, LOOP)
    grounds = Grounds(rejections=(Rejection(verdict_on(card, reason="it hides the leak"), card),))

    found = guard([RELEASE], CODE, grounds)

    assert held(found) == ["Rejected by ana on 16 November 2026: it hides the leak."]
    assert found.held_back[0].evidence[0] == f"cards/{card.id}"


def test_rejecting_one_card_of_a_fix_says_nothing_about_the_others() -> None:
    """Two cards carry the words of one fix; only the one that was rejected is held back."""
    cap = replace(setting(10), action=RELEASE.action)
    card = card_of(cap, CODE.files[CONFIG])

    found = guard([RELEASE, cap], CODE, Grounds(rejections=(Rejection(verdict_on(card), card),)))

    assert [one.proposal for one in found.passed] == [RELEASE]


def test_the_same_finding_in_other_words_is_still_the_same() -> None:
    """What one rule says about the same lines is not proposed again with another text."""
    code = Shelf({PATH: "def f(x=[]):\n    return x\n"})
    first = proposed(code, PATH, "def f(x=None):\n    return x\n", source=CardSource.LINTER, action="", rule="r1")
    other = proposed(code, PATH, "def f(x=()):\n    return x\n", source=CardSource.LINTER, action="", rule="r1")
    better = replace(other, source=CardSource.CARRIED_OVER, rule="")
    card = card_of(first, code.files[PATH])
    grounds = Grounds(rejections=(Rejection(verdict_on(card), card),))

    found = guard([other], code, grounds)

    assert held(found) == ["Rejected by ana on 16 November 2026."]
    assert guard([better], code, grounds).passed, "another source that changes the same lines was never asked about"


@pytest.mark.parametrize(
    "text",
    [
        FIXED.replace("pool.release(connection)", "pool.release(connection)  # give it back"),
        FIXED.replace("    pool.release(", "    # Give it back.\n    pool.release("),
        FIXED.replace("pool.release(connection)", "pool.release(\n        connection,\n    )"),
        FIXED.replace("pool.release(connection)", "pool.release( connection )"),
    ],
)
def test_another_source_with_the_same_code_is_the_same(text: str) -> None:
    """A model that says the same in other words, with a comment or laid out otherwise, has been answered."""
    card = card_of(RELEASE, LOOP)
    said = proposed(CODE, PATH, text, source=CardSource.MODEL, title="Return it to the pool.", action="", evidence=())

    assert held(guard([said], CODE, Grounds(rejections=(Rejection(verdict_on(card), card),)))) == [
        "Rejected by ana on 16 November 2026."
    ]


def test_a_rejection_follows_a_file_that_was_moved_and_no_other() -> None:
    """The change of a file that is elsewhere by now was rejected; that of a second file of the same name was not."""
    card = card_of(RELEASE, LOOP)
    grounds = Grounds(rejections=(Rejection(verdict_on(card), card),))
    moved, twin = Shelf({"jobs/runner.py": LOOP}), Shelf({PATH: FIXED, "mailer/loop.py": LOOP})

    assert held(guard([proposed(moved, "jobs/runner.py", FIXED)], moved, grounds))
    assert guard([proposed(twin, "mailer/loop.py", FIXED)], twin, grounds).passed


def test_new_evidence_brings_a_rejected_proposal_back_and_says_so() -> None:
    """Another incident that speaks for it is a reason to ask again, told on the card."""
    card = card_of(RELEASE, LOOP)
    now = replace(RELEASE, evidence=(PAST, "cases/past-other@9"))

    (passed,) = guard([now], CODE, Grounds(rejections=(Rejection(verdict_on(card), card),))).passed

    assert passed.again == "Rejected by ana on 16 November 2026. Since then cases/past-other speaks for it as well."


def test_another_outcome_brings_a_rejected_proposal_back() -> None:
    """A later version of the same record counts only where it tells another outcome."""
    card = card_of(RELEASE, LOOP)
    now = replace(RELEASE, evidence=("cases/past-redis@12",))
    rejections = (Rejection(verdict_on(card), card),)

    (passed,) = guard([now], CODE, Grounds(rejections=rejections, has_turned=lambda *_: True)).passed

    assert passed.again.endswith("Since then cases/past-redis tells another outcome.")
    assert held(guard([now], CODE, Grounds(rejections=rejections)))


# The same from several sources


def test_what_two_sources_propose_is_one_proposal_with_the_evidence_of_both() -> None:
    """The past fix speaks, the rule stands beside it, and both together are surer than either."""
    found = proposed(
        CODE, PATH, FIXED.replace("release(connection)\n", "release(connection)  \n"), source=CardSource.LINTER,
        evidence=("rule/py-unreleased",), rule="py-unreleased", confidence=0.5,
    )  # fmt: skip

    (one,) = guard([found, RELEASE], CODE, Grounds()).passed

    assert one.proposal.source is CardSource.CARRIED_OVER
    assert one.proposal.evidence == (PAST, "rule/py-unreleased")
    assert one.proposal.rule == "py-unreleased"
    assert 0.8 < one.proposal.confidence < 0.95
    assert one.proposal.why == "It ended it then. A linter finds the same."
