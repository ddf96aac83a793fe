"""What people decide about cards, on a real repository and a real memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.deciding import CODE, FINGERPRINT, FIXED, INCIDENT, QUICK, SLOW, SPACE, TITLE, WORKER, Shop, git, shop

from hindcast.casebook import Casebook
from hindcast.casebook.joining import join
from hindcast.experience import card_verdicts_of, card_verdicts_on, cautions_of
from hindcast.fixes.intents import intents_in
from hindcast.fixes.keeping import FILE_BYTES_MAX, address_of
from hindcast.fixes.verdicts import REASON_CHARS_MAX, Verdicts
from hindcast.model.card import CardSource, CardState, CardVerdict
from hindcast.model.case import Attempt, Case, Outcome, Witness
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused, Stale


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Shop]:
    """The service with one open incident."""
    made = shop(tmp_path)
    yield made
    made.close()


def nothing_happened(here: Shop, text: str = CODE) -> None:
    """Nothing was decided, and no file was touched."""
    assert here.read() == text
    assert card_verdicts_of(here.view) == ()
    assert intents_in(here.view) == ()
    assert here.case.attempts == ()


def test_accepting_a_card_edits_the_file_and_is_remembered_in_one_commit(here: Shop) -> None:
    """Card, decision and the incident's case change in one step, and nothing is left under way."""
    card = here.card()

    verdict = here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    assert here.read() == FIXED
    assert here.state(card) is CardState.ACCEPTED
    assert (verdict.state, verdict.by, verdict.added, verdict.removed) == (CardState.ACCEPTED, "bo", 1, 1)
    assert verdict.fingerprints == (FINGERPRINT,)
    assert card_verdicts_of(here.view) == (verdict,)
    assert intents_in(here.view) == ()
    newest = here.memory.log(commits_max=1)[0]
    written = {str(record.address) for record in here.memory.changes(newest).learned}
    written |= {str(one.after.address) for one in here.memory.changes(newest).changed}
    assert {f"cards/{card.id}", f"card-verdicts/{card.id}#1", f"cases/{INCIDENT}"} <= written
    assert (newest.actor, newest.why) == ("bo", f"Accepted: {TITLE.rstrip('.')} ({WORKER}).")


def test_what_was_accepted_is_an_attempt_that_waits_for_its_deployment(here: Shop) -> None:
    """The case has the action, the diff, who and why we know; it has no time before it runs anywhere."""
    card = here.card()
    verdict = here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    (attempt,) = here.case.attempts
    assert (attempt.id, attempt.action, attempt.by, attempt.diff) == (
        verdict.attempt,
        TITLE.rstrip("."),
        "bo",
        card.diff,
    )
    assert (attempt.outcome, attempt.at) == (Outcome.UNKNOWN, None)
    assert attempt.evidence[0].witness is Witness.VERDICT
    assert attempt.evidence[0].ref == f"cards/{card.id}"
    assert here.case.responders == ("bo",)


def test_a_card_on_a_branch_leaves_the_checked_out_files_alone(here: Shop) -> None:
    """The branch has the change as a commit by whoever decided, which names the incident; the files stay."""
    card = here.card()

    verdict = here.verdicts.accept(SPACE, card.id, by="bo", now=here.now, branch="fix/bank-timeout")

    assert here.read() == CODE
    assert git(here.root, "show", f"fix/bank-timeout:{WORKER}") == FIXED
    assert git(here.root, "rev-parse", "fix/bank-timeout").strip() == verdict.commit
    told = git(here.root, "log", "-1", "--format=%an%n%B", verdict.commit)
    assert told.startswith("bo\n")
    assert git(here.root, "log", "-1", "--format=%(trailers:key=Fixes-Incident,valueonly)", verdict.commit).strip() == (
        INCIDENT
    )
    assert verdict.branch == "fix/bank-timeout"


def test_several_cards_about_one_file_may_go_to_one_branch(here: Shop) -> None:
    """Each is joined with what the branch has by then, and each can be taken back by itself."""
    first = here.card()
    second = here.card(CODE.replace("Give it back.", "Give the money back."), title="Say what is given back.")
    here.verdicts.accept(SPACE, first.id, by="bo", now=here.now, branch="fix/bank")

    here.verdicts.accept(SPACE, second.id, by="bo", now=here.now, branch="fix/bank")

    assert git(here.root, "show", f"fix/bank:{WORKER}") == FIXED.replace("Give it back.", "Give the money back.")
    assert here.case.attempts[1].diff == second.diff
    here.verdicts.undo(SPACE, first.id, by="cy", now=here.now)
    assert git(here.root, "show", f"fix/bank:{WORKER}") == CODE.replace("Give it back.", "Give the money back.")
    assert here.read() == CODE


def test_a_card_for_work_in_progress_goes_to_a_branch_without_it(here: Shop) -> None:
    """What is not committed yet stays out of the branch; where it is in the card's way, that is said."""
    here.write(CODE + "# mine, not committed\n")
    card = here.card(FIXED + "# mine, not committed\n")

    here.verdicts.accept(SPACE, card.id, by="bo", now=here.now, branch="fix/bank")
    assert git(here.root, "show", f"fix/bank:{WORKER}") == FIXED

    mine = CODE.replace("answer = ", "said = answer = ")
    here.write(mine)
    other = here.card(mine.replace(SLOW, QUICK))
    with pytest.raises(Stale, match="another one on the branch") as raised:
        here.verdicts.accept(SPACE, other.id, by="bo", now=here.now, branch="fix/other")
    assert "Commit what is changed" in raised.value.remedy


def test_a_card_may_be_committed_where_the_workspace_stands(here: Shop) -> None:
    """The message is what somebody wrote, with the incident as its trailer, and only the card's file is in it."""
    card = here.card()
    here.write("mine\n", "notes.txt")
    git(here.root, "add", "notes.txt")

    verdict = here.verdicts.accept(
        SPACE, card.id, by="bo", now=here.now, message="Wait for the bank, but not for ever\n\nSigned-off-by: bo"
    )

    assert git(here.root, "show", "--format=", "--name-only", "HEAD").split() == [WORKER]
    assert git(here.root, "log", "-1", "--format=%H").strip() == verdict.commit
    assert git(here.root, "log", "-1", "--format=%B").strip() == (
        f"Wait for the bank, but not for ever\n\nSigned-off-by: bo\nFixes-Incident: {INCIDENT}"
    )
    assert git(here.root, "status", "--porcelain").split() == ["A", "notes.txt"]


def test_a_file_that_changed_since_blocks_accepting(here: Shop) -> None:
    """The card is stale, the remedy is to check it again, and neither files nor memory change."""
    card = here.card()
    here.write(CODE + "# later\n")

    with pytest.raises(Stale, match="has changed since") as raised:
        here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    assert f"hindcast fix recheck {card.id}" in raised.value.remedy
    nothing_happened(here, CODE + "# later\n")
    assert here.state(card) is CardState.PROPOSED


def test_a_change_that_is_there_already_is_refused(here: Shop) -> None:
    """A diff is never applied twice."""
    card = here.card()
    here.write(FIXED)

    with pytest.raises(Refused, match="has this change already"):
        here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    nothing_happened(here, FIXED)


def test_a_card_for_a_file_that_is_gone_is_refused(here: Shop) -> None:
    """What was deleted since is not brought back by a card."""
    card = here.card()
    (here.root / WORKER).unlink()

    with pytest.raises(Refused, match="is gone"):
        here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    assert not (here.root / WORKER).exists()
    assert intents_in(here.view) == ()


def test_a_file_that_cannot_be_changed_leaves_no_intent(here: Shop) -> None:
    """A workspace that refuses, here because of a merge under way, leaves the card as it was."""
    card = here.card()
    (here.root / ".git" / "MERGE_HEAD").write_text(git(here.root, "rev-parse", "HEAD"))

    with pytest.raises(Refused, match="merge"):
        here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    nothing_happened(here)
    assert here.state(card) is CardState.PROPOSED
    (here.root / ".git" / "MERGE_HEAD").unlink()
    here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)


@pytest.mark.parametrize("branch", ["a\0b", "a\ud800", "../x", "x" * 300])
def test_a_branch_that_cannot_be_leaves_no_intent(here: Shop, branch: str) -> None:
    """Whatever is typed as its name, the card can be decided about right away."""
    card = here.card()
    with pytest.raises(Malformed):
        here.verdicts.accept(SPACE, card.id, by="bo", now=here.now, branch=branch)

    assert here.verdicts.accept(SPACE, card.id, by="bo", now=here.now).state is CardState.ACCEPTED


def test_a_card_may_make_a_file_and_remove_one(here: Shop) -> None:
    """A new file is made and an old one removed, and taking that back removes and makes them again."""
    made = here.card("TIMEOUT = 5\n", path="payment/limits.py", title="Keep limits in one place.")
    gone = here.card(None, title="Remove the worker.")

    here.verdicts.accept(SPACE, made.id, by="bo", now=here.now)
    here.verdicts.accept(SPACE, gone.id, by="bo", now=here.now)
    assert here.read("payment/limits.py") == "TIMEOUT = 5\n"
    assert not (here.root / WORKER).exists()

    here.verdicts.undo(SPACE, made.id, by="cy", now=here.now)
    here.verdicts.undo(SPACE, gone.id, by="cy", now=here.now)
    assert not (here.root / "payment/limits.py").exists()
    assert here.read() == CODE


@pytest.mark.parametrize("other_process", [False, True])
def test_of_two_who_decide_at_once_exactly_one_does(here: Shop, other_process: bool) -> None:
    """One acceptance is remembered; the other is told that somebody decided, in one process or in two."""
    card, now = here.card(), here.now
    minds = [here.verdicts, here.again() if other_process else here.verdicts]
    begin = threading.Barrier(2)
    done: list[CardVerdict | HindcastError] = []

    def decide(verdicts: Verdicts, by: str) -> None:
        begin.wait()
        try:
            done.append(verdicts.accept(SPACE, card.id, by=by, now=now))
        except HindcastError as error:
            done.append(error)

    threads = [
        threading.Thread(target=decide, args=(mind, by)) for mind, by in zip(minds, ("bo", "cy"), strict=True)
    ]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    winners = [one for one in done if isinstance(one, CardVerdict)]
    assert card_verdicts_of(here.view) == tuple(winners)
    assert len(winners) == 1
    assert [type(one) for one in done if not isinstance(one, CardVerdict)] == [Stale]
    assert here.read() == FIXED
    assert len(here.case.attempts) == 1


def test_who_decides_otherwise_while_files_change_has_the_last_word(here: Shop) -> None:
    """Files that were changed for a card that somebody else rejected meanwhile come back."""
    card, now = here.card(), here.now
    workspace = here.places.open(SPACE, "shop")
    apply = workspace.apply

    def slowly(*args: object, **named: object) -> object:
        workspace.apply = apply  # type: ignore[method-assign]
        done = apply(*args, **named)  # type: ignore[arg-type]
        # Another process took the intent for one of a crash, and somebody there said no.
        here.write(CODE)
        here.again().settle(SPACE, now=now)
        here.again().reject(SPACE, card.id, by="cy", now=now, reason="not now")
        here.write(FIXED)
        return done

    workspace.apply = slowly  # type: ignore[method-assign,assignment]
    with pytest.raises(Stale, match="rejected meanwhile"):
        here.verdicts.accept(SPACE, card.id, by="bo", now=now)

    assert here.read() == CODE
    assert here.state(card) is CardState.REJECTED
    assert intents_in(here.view) == ()


def test_who_is_finished_by_another_process_meanwhile_has_decided(here: Shop) -> None:
    """A server that begins between the files and the decision completes it, and it is remembered once."""
    card, now = here.card(), here.now
    workspace = here.places.open(SPACE, "shop")
    apply = workspace.apply

    def overtaken(*args: object, **named: object) -> object:
        done = apply(*args, **named)  # type: ignore[arg-type]
        assert len(here.again().settle(SPACE, now=now)) == 1
        return done

    workspace.apply = overtaken  # type: ignore[method-assign,assignment]
    verdict = here.verdicts.accept(SPACE, card.id, by="bo", now=now)
    undone = here.verdicts.undo(SPACE, card.id, by="cy", now=now)

    assert [one.state for one in card_verdicts_on(here.view, card.id)] == [verdict.state, undone.state]
    assert here.read() == CODE
    assert here.state(card) is CardState.UNDONE


def test_what_memory_cannot_hold_leaves_the_file_as_it_was(here: Shop) -> None:
    """A case that is full to the brim takes no further attempt, and then nothing is carried out by halves."""
    card = here.card()
    tried = [Attempt(f"A{number}", "tried", diff="x" * 20_000) for number in range(49)]
    full = replace(here.case, attempts=(*tried, Attempt("A49", "tried", diff="x" * 12_500)))
    Casebook(here.memory).put(full, actor="bo", why="Much was tried.")

    with pytest.raises(HindcastError, match="bytes"):
        here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    assert here.read() == CODE
    assert here.state(card) is CardState.PROPOSED
    assert (card_verdicts_of(here.view), intents_in(here.view), here.case) == ((), (), full)


def test_a_version_that_was_not_read_is_not_decided_about(here: Shop) -> None:
    """Whoever names the version they have seen decides about that one only."""
    card = here.card()
    version = here.view.get(address_of(card.id)).version

    with pytest.raises(Stale, match="changed since it was read"):
        here.verdicts.reject(SPACE, card.id, by="bo", now=here.now, expected=version + 1)
    here.verdicts.reject(SPACE, card.id, by="bo", now=here.now, expected=version)

    with pytest.raises(Missing, match="There is no card"):
        here.verdicts.accept(SPACE, "fix-nowhere", by="bo", now=here.now)


def test_a_modified_card_applies_what_was_written_and_keeps_both_diffs(here: Shop) -> None:
    """What was proposed and what was applied stay side by side."""
    card = here.card()
    text = CODE.replace(SLOW, SLOW.replace("json=order", "json=order, timeout=(3, 30)"))

    verdict = here.verdicts.modify(
        SPACE, card.id, text.replace("\n", "\r\n"), by="bo", now=here.now, reason="reads are slow"
    )

    assert here.read() == text
    assert here.state(card) is CardState.MODIFIED
    assert verdict.proposed == card.diff
    assert "+    answer = requests.post(" in verdict.applied
    assert "timeout=(3, 30)" in verdict.applied
    assert "timeout=(3, 30)" in here.case.attempts[0].diff
    assert verdict.reason == "reads are slow"


def test_writing_what_was_proposed_is_accepting_it(here: Shop) -> None:
    """Nothing is learnt from a modification that modifies nothing."""
    card = here.card()

    verdict = here.verdicts.modify(SPACE, card.id, FIXED, by="bo", now=here.now)

    assert (verdict.state, verdict.proposed, verdict.applied) == (CardState.ACCEPTED, "", "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (FIXED.replace("def refund(order):", "def refund(order:"), r"cannot be read as python from line 12 on"),
        (CODE, "Nothing is changed"),
        ("x = 1\0", "not text"),
        ("#" * (FILE_BYTES_MAX + 1), f"{FILE_BYTES_MAX + 1} bytes"),
    ],
)
def test_a_text_that_makes_no_sense_is_malformed(here: Shop, text: str, problem: str) -> None:
    """What does not parse names its line; what is nothing, no text or too much is refused before any file changes."""
    card = here.card()

    with pytest.raises(Malformed, match=problem) as raised:
        here.verdicts.modify(SPACE, card.id, text, by="bo", now=here.now)

    assert raised.value.field == "text"
    nothing_happened(here)


def test_rejecting_touches_no_file_and_is_remembered(here: Shop) -> None:
    """A rejection is a decision like any other, and nothing to be warned of unless it says so."""
    card = here.card()

    verdict = here.verdicts.reject(SPACE, card.id, by="bo", now=here.now, reason="  the bank is slow by contract ")

    assert verdict.reason == "the bank is slow by contract"
    assert here.state(card) is CardState.REJECTED
    assert here.read() == CODE
    assert here.case.attempts == ()
    assert cautions_of(here.view) == ()
    with pytest.raises(Stale, match="was rejected by bo already"):
        here.verdicts.accept(SPACE, card.id, by="cy", now=here.now)
    with pytest.raises(Malformed, match="reason has"):
        here.verdicts.reject(SPACE, card.id, by="bo", now=here.now, reason="x" * (REASON_CHARS_MAX + 1))


@pytest.mark.parametrize(
    ("reason", "is_warning"),
    [
        ("Don't try this: it hides the leak", True),
        ("do not ever do that again", True),
        ("never again", True),
        ("we had it in March and it made things\nmuch worse", True),
        ("it hides the leak", False),
        ("not this week", False),
        ("we don't use redis here", False),
        ("it does not do what it says", False),
        ("", False),
    ],
)
def test_a_reason_may_say_itself_that_nobody_should_try_it(here: Shop, reason: str, is_warning: bool) -> None:
    """A rejection warns when its reason says so; where somebody decides about the warning, that counts."""
    card = here.card()

    said = here.verdicts.reject(SPACE, card.id, by="bo", now=here.now, reason=reason)
    assert said.is_warning is is_warning
    assert len(cautions_of(here.view)) == is_warning

    here.verdicts.undo(SPACE, card.id, by="bo", now=here.now)
    said = here.verdicts.reject(SPACE, card.id, by="bo", now=here.now, reason=reason, is_warning=False)
    assert not said.is_warning
    assert cautions_of(here.view) == ()


def test_a_rejection_that_warns_is_a_caution_until_it_is_taken_back(here: Shop) -> None:
    """What not to try names who said so, why, and for which failure."""
    card = here.card()
    here.verdicts.reject(SPACE, card.id, by="bo", now=here.now, reason="it hides the leak", is_warning=True)

    (caution,) = cautions_of(here.view)
    assert (caution.action, caution.why, caution.by) == (TITLE, "it hides the leak", "bo")
    assert caution.fingerprints == (FINGERPRINT,)
    assert here.view.get(caution.ref.partition("@")[0]).version == int(caution.ref.rpartition("@")[2])

    here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)
    assert cautions_of(here.view) == ()
    assert here.state(card) is CardState.PROPOSED


def test_taking_back_what_was_accepted_brings_file_card_and_case_back(here: Shop) -> None:
    """The file is what it was, the attempt is withdrawn, and both decisions stay in history."""
    card = here.card()
    here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    verdict = here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)

    assert here.read() == CODE
    assert here.state(card) is CardState.UNDONE
    assert here.case.attempts == ()
    assert (verdict.state, verdict.by) == (CardState.UNDONE, "cy")
    accepted, undone = card_verdicts_on(here.view, card.id)
    assert (accepted.undone_by, undone) == ("cy", verdict)
    with pytest.raises(Refused, match="nothing to take back"):
        here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)


def test_what_was_taken_back_can_be_accepted_afresh(here: Shop) -> None:
    """Undoing an undo is a new decision, with a number of its own."""
    card = here.card()
    here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)
    here.verdicts.undo(SPACE, card.id, by="bo", now=here.now)

    here.verdicts.accept(SPACE, card.id, by="cy", now=here.now)

    assert here.read() == FIXED
    said = card_verdicts_on(here.view, card.id)
    assert [(one.state, one.by) for one in said] == [
        (CardState.ACCEPTED, "bo"),
        (CardState.UNDONE, "bo"),
        (CardState.ACCEPTED, "cy"),
    ]
    assert [one.by for one in here.case.attempts] == ["cy"]


def test_taking_back_leaves_what_others_changed_since(here: Shop) -> None:
    """A change elsewhere in the file stays; one in the same place has to be sorted out by a person."""
    card = here.card()
    here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)
    here.write(FIXED.replace("Give it back.", "Give the money back."))

    here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)
    assert here.read() == CODE.replace("Give it back.", "Give the money back.")

    here.write(CODE)
    here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)
    touched = FIXED.replace("timeout=5", "timeout=9")
    here.write(touched)
    with pytest.raises(Stale, match="changed again since, in the same place"):
        here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)
    assert here.read() == touched
    assert here.state(card) is CardState.ACCEPTED


def test_a_modification_is_taken_back_to_what_was_there_before(here: Shop) -> None:
    """Not to what the card proposed."""
    card = here.card()
    text = CODE.replace(SLOW, SLOW.replace("json=order", "json=order, timeout=1")).removesuffix("\n")
    here.verdicts.modify(SPACE, card.id, text, by="bo", now=here.now)

    here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)

    assert here.read() == CODE


@pytest.mark.parametrize("branch", ["", "fix/bank"])
def test_what_was_committed_is_taken_back_by_a_commit(here: Shop, branch: str) -> None:
    """History is never rewritten: the branch has both commits."""
    card = here.card()
    made = here.verdicts.accept(SPACE, card.id, by="bo", now=here.now, branch=branch, is_committed=True)

    undone = here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)

    where = branch or "main"
    assert git(here.root, "show", f"{where}:{WORKER}") == CODE
    assert git(here.root, "log", "-2", "--format=%H", where).split() == [undone.commit, made.commit]
    assert f"This reverts commit {made.commit}." in git(here.root, "log", "-1", "--format=%B", where)
    assert here.read() == CODE


def test_a_branch_that_is_gone_cannot_be_taken_back(here: Shop) -> None:
    """Where the change went, only people know; the card stays accepted."""
    card = here.card()
    here.verdicts.accept(SPACE, card.id, by="bo", now=here.now, branch="fix/bank")
    git(here.root, "branch", "-D", "fix/bank")

    with pytest.raises(Stale, match="branch fix/bank is gone"):
        here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)

    assert here.state(card) is CardState.ACCEPTED


def test_what_ended_an_incident_stays_in_its_case_when_it_is_taken_back(here: Shop) -> None:
    """An attempt whose outcome is known was tried, whatever becomes of the file; that it was taken back is added."""
    card = here.card()
    verdict = here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    def worked(case: Case) -> Case:
        from hindcast.casebook.people import Fix, resolved

        return resolved(case, Fix(attempt=verdict.attempt), by="bo", at=here.now)

    Casebook(here.memory).change(INCIDENT, worked, actor="bo", why="It is over.")
    here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)

    (attempt,) = here.case.attempts
    assert attempt.outcome is Outcome.WORKED
    assert "cy took it back" in attempt.evidence[-1].quote


def test_a_card_of_an_incident_that_was_joined_counts_for_the_one_that_goes_on(here: Shop) -> None:
    """The attempt is where people look for it."""
    card = here.card()
    home = Case("inc-home", "Everything hangs", here.now, services=("payment",))
    Casebook(here.memory).put(home, actor="bo", why="It hung.")
    join(Casebook(here.memory), "inc-home", INCIDENT, actor="bo", why="The same.")

    here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    assert [one.by for one in Casebook(here.memory).case("inc-home").attempts] == ["bo"]


def test_a_modification_offers_a_rule_that_a_person_switches_on(here: Shop) -> None:
    """It is off, tells what it would find elsewhere, and is withdrawn with the decision it was made from."""
    card = here.card()
    here.verdicts.modify(SPACE, card.id, CODE.replace(SLOW, QUICK.replace("5", "7")), by="bo", now=here.now)

    (rule,) = here.verdicts.rules(SPACE)
    assert rule.title.startswith(f"Write it as in {WORKER}: `")
    assert (rule.is_on, rule.made_from, rule.by) == (False, card.id, "bo")
    found = here.verdicts.rule_matches(SPACE, rule.id)
    assert [(one.path, one.text) for one in found] == [
        (WORKER, 'return requests.post("https://bank.test/refund", json=order).json()')
    ]

    assert here.verdicts.switch_rule(SPACE, rule.id, is_on=True, by="cy", now=here.now).is_on
    assert here.verdicts.rules(SPACE)[0].by == "cy"
    assert not here.verdicts.switch_rule(SPACE, rule.id, is_on=False, by="cy", now=here.now).is_on
    here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)
    assert here.verdicts.rules(SPACE) == ()
    with pytest.raises(Missing, match="There is no rule"):
        here.verdicts.rule_matches(SPACE, rule.id)


def test_what_a_rule_found_teaches_no_second_rule(here: Shop) -> None:
    """Accepting a linter's card as it is says nothing that its rule does not know."""
    card = here.card(source=CardSource.LINTER)

    here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    assert here.verdicts.rules(SPACE) == ()
