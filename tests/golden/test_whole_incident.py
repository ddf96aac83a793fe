"""Nine answers over the demo's year, each of which once joined two past incidents into one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, timedelta

import pytest
from tests.questions import NOW, asked, desk_of, seeded

from hindcast.casebook import Casebook
from hindcast.clues import with_clues
from hindcast.memory import Memory
from hindcast.model.case import Case, CaseState, Cause, Resolution
from hindcast.model.diagnosis import Diagnosis
from hindcast.reason.markdown import markdown
from hindcast.recollect import Recollect

CHECKOUT = "past-pg-idle-in-transaction"
NOTEBOOK = "past-pg-idle-analytics-notebook"
REDIS = "past-redis-worker-pool"
EXHAUSTED = """remaining connection slots are reserved for roles with the SUPERUSER attribute
sorry, too many clients already: user=payment host=10.21.4.17 port=50212
HikariPool-1 - Thread starvation: active=40 idle=0 waiting=212, order ord-481233 gave up
Could not open JDBC connection for order ord-481207"""
BANK = (
    "javax.net.ssl.SSLHandshakeException: PKIX path validation failed: "
    "java.security.cert.CertPathValidatorException: validity check failed"
)
INTERNAL = "x509: certificate has expired Certificate notification-tls Ready=False"


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The demo's year."""
    with seeded(tmp_path_factory.mktemp("whole")) as opened:
        yield opened


@pytest.fixture(scope="module")
def after_a_burst(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The same after a burst of two seconds that root resolved, linked to the incident of October."""
    with seeded(tmp_path_factory.mktemp("burst")) as opened:
        casebook = Casebook(opened)
        then, began = casebook.case(REDIS), NOW - timedelta(hours=3)
        over = began + timedelta(seconds=2)
        burst = Case(
            "inc-burst",
            "payment: 60 errors in 2 seconds",
            began,
            CaseState.RESOLVED,
            services=("payment",),
            symptoms=then.symptoms,
            stack=then.stack,
            cause=Cause("pool never released", by="root"),
            resolution=Resolution("released connection in teardown", by="root", at=over),
            resolved_at=over,
            previous=REDIS,
        )
        casebook.put_many([with_clues(burst)], actor="root", why="It is over.")
        opened.index(None)
        yield opened


def answer(memory: Memory, text: str, *services: str) -> Diagnosis:
    """What memory answers."""
    return Recollect(memory, now=lambda: NOW).ask(text, services=services).diagnosis


def case_of(memory: Memory, ref: str) -> Case:
    """The record that is cited."""
    return Casebook(memory).case(ref.partition("/")[2].partition("@")[0])


def test_the_fix_comes_with_its_own_command(memory: Memory) -> None:
    """What ended the checkout outage is shown with the command that ended it, and with no command of a notebook."""
    fix = answer(memory, EXHAUSTED, "database", "payment").fixes[0]

    assert fix.action.startswith("End the sessions that are idle in transaction")
    assert "pg_terminate_backend" in fix.command
    assert fix.config == "idle_in_transaction_session_timeout = '30s'"
    assert "analytics" not in fix.command


def test_it_took_as_long_as_that_incident_took(memory: Memory) -> None:
    """The checkout outage took 41 minutes, whatever the median over others is."""
    found = answer(memory, EXHAUSTED, "database", "payment")

    assert (found.case, found.minutes) == (CHECKOUT, 41)


def test_it_was_fixed_on_the_day_of_that_incident(memory: Memory) -> None:
    """The date beside the fix is that of the incident whose fix it is."""
    found = answer(memory, EXHAUSTED, "database", "payment")
    fixed_at = found.fixes[0].fixed_at

    assert fixed_at is not None
    assert fixed_at.astimezone(UTC).date() == case_of(memory, f"cases/{CHECKOUT}@1").occurred_at.date()


def test_the_headline_is_about_one_incident(memory: Memory) -> None:
    """When it was, what it was and how it was fixed are of one incident; how often it was is told apart."""
    headline = answer(memory, EXHAUSTED, "database", "payment").headline

    assert headline.startswith(
        "Your team hit this 2 months ago: Database out of connections, checkout down. Fixed in 41 minutes by lena: "
    )


def test_another_partners_setting_is_not_the_banks(memory: Memory) -> None:
    """The bank renewed its certificate; the host of the card network belongs to the card network's incident."""
    found = answer(memory, BANK, "payment")
    first = found.fixes[0]

    assert found.case == "past-cert-bank-expired"
    assert first.action == "They renewed it. Payouts were paused and replayed."
    assert (first.command, first.config, first.diff) == ("", "", "")
    assert found.minutes == 140


def test_the_cause_cites_the_record_that_says_it(memory: Memory) -> None:
    """Another cause of another certificate is no evidence for this one."""
    found = answer(memory, INTERNAL)

    assert found.cause is not None
    assert len(found.cause.evidence) == 1
    said = case_of(memory, found.cause.evidence[0]).cause
    assert said is not None
    assert found.cause.text.rstrip(".") in said.text
    assert found.cause.evidence[0].startswith(f"cases/{found.case}@")


def test_who_fixed_it_is_who_did(after_a_burst: Memory) -> None:
    """What priya wrote in October is not what root did in two seconds today, in whichever door."""
    found = answer(after_a_burst, case_of(after_a_burst, f"cases/{REDIS}@1").stack, "payment")

    for fix in found.fixes:
        case = case_of(after_a_burst, fix.evidence[0])
        resolution = case.resolution
        assert resolution is not None
        assert fix.action.rstrip(".") == resolution.text.rstrip(".")
        assert fix.by == (resolution.by,)
        assert fix.fixed_at == resolution.at
    assert "root: Release" not in found.headline
    assert "by root, priya" not in markdown(found)


def test_words_say_how_long_the_cited_incident_took(memory: Memory) -> None:
    """In words, a length of time stands beside a record that took so long."""
    said = asked(f"What did we do last time? {EXHAUSTED}", desk_of(memory)).answer

    took = [one for one in said.sentences if "took" in one.text]
    assert took
    for one in took:
        (ref,) = one.citations[:1]
        assert case_of(memory, ref).minutes_to_resolve == 41
        assert "41 minutes" in one.text


def test_three_words_do_not_replace_the_cause_of_another_incident(after_a_burst: Memory) -> None:
    """A cause is that of the incident which is told, and two seconds and 34 minutes make no 17."""
    found = answer(after_a_burst, case_of(after_a_burst, f"cases/{REDIS}@1").stack, "payment")
    lead = Casebook(after_a_burst).case(found.case)

    assert found.cause is not None
    assert lead.cause is not None
    assert found.cause.text.rstrip(".") == " ".join(lead.cause.text.split()).rstrip(".")
    assert [ref.partition("@")[0] for ref in found.cause.evidence] == [f"cases/{found.case}"]
    assert found.minutes is not None
    assert abs(found.minutes - (lead.minutes_to_resolve or 0)) < 0.1
