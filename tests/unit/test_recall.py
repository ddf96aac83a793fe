"""From a cue to what comes to mind: order, confidence, abstention, odd input."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.recalling import POOL_FINGERPRINT, RESET, STACK, SmallMemory, case, cue, pool_case

from hindcast.model.case import CaseState, Cause
from hindcast.model.errors import Malformed
from hindcast.model.recollection import CueKind, Familiarity
from hindcast.recall.arms import ask
from hindcast.recall.limits import RecallLimits
from hindcast.recall.remember import recall

OTHERS = (
    case("cert", "API certificate expired", "x509: certificate has expired or is not yet valid", components=("tls",)),
    case("disk", "Postgres ran out of disk", "PANIC: could not write to file pg_wal: No space left on device"),
    case("lag", "Kafka consumer lag in analytics", "consumer group analytics-rollup lag 480000, rebalance in progress"),
    case("jwks", "Logins failed after key rotation", "JWTSignatureError: no key with kid 7 in the key set"),
    case("oom", "User service killed for memory", "OOMKilled: container user exceeded its limit, heap kept growing"),
    case("evict", "Sessions vanished", "redis evicted session keys: maxmemory reached, policy allkeys-lru"),
    case("dns", "Names did not resolve", "getaddrinfo ENOTFOUND mail.internal, coredns answered SERVFAIL"),
)


def test_the_same_stack_is_seen_before() -> None:
    """A question with the stack of a past case names it first, and says that it was seen before."""
    found = recall(SmallMemory(*OTHERS, pool_case()), cue(RESET, frames=STACK, fingerprints=(POOL_FINGERPRINT,)))

    assert found.best is not None
    assert found.best.case.id == "redis-worker-pool"
    assert Familiarity.SEEN is found.familiarity is found.best.familiarity
    assert any("fingerprint" in reason for reason in found.best.reasons)
    assert any("same stack: read_response" in reason for reason in found.best.reasons)


def test_a_cut_trace_still_finds_its_stack() -> None:
    """A trace that lost its innermost frame and its fingerprint finds the case by the frames that are left."""
    found = recall(SmallMemory(*OTHERS, pool_case()), cue(RESET, frames=STACK[1:4], fingerprints=(77,)))

    assert found.best is not None
    assert found.best.case.id == "redis-worker-pool"
    assert found.best.features["trace"] > 0.5


def test_a_component_alone_is_not_a_memory() -> None:
    """That some incident with redis exists does not make another failure of redis seen before."""
    asked = cue("redis: MISCONF background saving is failing, writes are disabled until the snapshot works again")
    found = recall(SmallMemory(*OTHERS, pool_case()), asked)

    assert Familiarity.SEEN is not found.familiarity


def test_what_shares_nothing_is_new() -> None:
    """A failure unlike anything remembered is not seen before, whatever happens to be nearest."""
    found = recall(SmallMemory(*OTHERS, pool_case()), cue("invoice PDFs are printed with the wrong page size"))

    assert Familiarity.NEW is found.familiarity


def test_a_wrong_service_name_does_not_hide_the_case() -> None:
    """Naming another service than the case's still brings the same stack to mind first."""
    asked = cue(RESET, frames=STACK, fingerprints=(POOL_FINGERPRINT,), services=("analytics",))
    found = recall(SmallMemory(*OTHERS, pool_case()), asked)

    assert found.best is not None
    assert found.best.case.id == "redis-worker-pool"
    assert Familiarity.SEEN is found.familiarity


def test_without_a_model_words_and_traces_still_answer() -> None:
    """With no embedder the same stack is still seen before, and the answer says which arm was missing."""
    memory = SmallMemory(*OTHERS, pool_case(), model=False)
    found = recall(memory, cue(RESET, frames=STACK, fingerprints=(POOL_FINGERPRINT,)))

    assert found.best is not None
    assert found.best.case.id == "redis-worker-pool"
    assert Familiarity.SEEN is found.familiarity
    assert found.arms == ("words", "keys")
    assert any("no model" in note for note in found.notes)


def test_nobody_is_surer_than_whoever_stands_before_them() -> None:
    """Confidence falls along the list."""
    found = recall(SmallMemory(*OTHERS, pool_case()), cue("redis connection reset by peer in payment workers"))
    confidences = [one.confidence for one in found.remembered if not one.gates]

    assert confidences == sorted(confidences, reverse=True)


def test_an_incident_does_not_remember_itself() -> None:
    """The incident that asks is left out of what it is told."""
    found = recall(SmallMemory(*OTHERS, pool_case()), cue(RESET, frames=STACK, incident="redis-worker-pool"))

    assert "redis-worker-pool" not in {one.case.id for one in found.remembered}


def test_what_was_no_incident_is_not_remembered() -> None:
    """A dismissed case is left out."""
    found = recall(SmallMemory(pool_case(state=CaseState.DISMISSED)), cue(RESET, frames=STACK))

    assert found.remembered == ()
    assert Familiarity.NEW is found.familiarity


def test_an_empty_memory_says_new() -> None:
    """Before anything was learnt every failure is new, and there is nobody to be confident in."""
    found = recall(SmallMemory(), cue(RESET))

    assert Familiarity.NEW is found.familiarity
    assert found.best is None


@pytest.mark.parametrize("text", ["", "   \n\t ", "\0\0"])
def test_an_empty_question_is_refused_by_name(text: str) -> None:
    """A question without any text names the field and says what to give instead."""
    with pytest.raises(Malformed) as refused:
        recall(SmallMemory(pool_case()), cue(text))

    assert refused.value.field == "text"
    assert refused.value.remedy


@pytest.mark.parametrize(
    "text", ["\ud800 reset \udfff by peer", "redis\0connection reset", "🦀" * 5_000, "a" * 300_000]
)
def test_odd_characters_are_asked_as_plain_text(text: str) -> None:
    """Halves of characters, zeros and endless words reach the index as text that it can take."""
    memory = SmallMemory(pool_case())
    recall(memory, cue(text))

    sent = memory.asked[0].text
    assert "\0" not in sent
    assert len(sent) <= RecallLimits().cue_chars_max
    assert sent.encode()


def test_one_query_asks_every_arm() -> None:
    """The index is asked once, for cases only, with every arm scoring what any of them found."""
    memory = SmallMemory(pool_case())
    recall(memory, cue(RESET, frames=STACK), limits=RecallLimits(candidates_max=20, tokens_ms_max=5))

    (query,) = memory.asked
    assert query.arms == ("words", "meaning", "keys", "tokens")
    assert (query.filter.namespace, query.filter.kind) == ("cases", "case")
    assert (query.scored_by_all, query.hits_max, query.tokens_ms_max) == (True, 20, 5)
    assert "frame:checkout" in query.keys


def test_only_what_the_arms_put_first_is_read() -> None:
    """Of all that was found, the cases that all arms together put first are read, each once; all of it is weighed."""
    strangers = [case(f"stranger-{at}", f"connection pool of {at}") for at in range(24)]
    memory = SmallMemory(*strangers, pool_case())

    asked = ask(
        memory, cue(RESET, frames=STACK, fingerprints=(POOL_FINGERPRINT,)), RecallLimits(read_max=4, hits_max=4)
    )

    assert len(asked.candidates) == 4
    assert asked.weighed == 25
    assert max(asked.candidates, key=lambda one: one.fused).case.id == "redis-worker-pool"
    assert len(memory.versions_read) == len(set(memory.versions_read))


def test_what_cannot_answer_makes_room() -> None:
    """The asking incident itself and what was dismissed are no answers, and the next ones are read in their place."""
    dismissed = [pool_case(f"dismissed-{at}", state=CaseState.DISMISSED) for at in range(3)]
    strangers = [case(f"stranger-{at}", f"redis connection pool of {at}") for at in range(6)]
    memory = SmallMemory(*dismissed, pool_case("asking"), *strangers, pool_case())

    asked = ask(memory, replace(cue(RESET, frames=STACK), incident="asking"), RecallLimits(read_max=4, hits_max=4))

    assert len(asked.candidates) == 4
    assert "redis-worker-pool" in {one.case.id for one in asked.candidates}
    assert not {"asking", *(one.id for one in dismissed)} & {one.case.id for one in asked.candidates}
    assert asked.weighed == 7


def test_what_may_not_be_known_here_does_not_weigh_here() -> None:
    """Where others share some of their cases, everything is read to know which, and only those count."""
    strangers = [case(f"stranger-{at}", f"redis connection pool of {at}") for at in range(6)]
    memory = SmallMemory(*strangers, pool_case())

    asked = ask(
        memory,
        cue(RESET, frames=STACK),
        RecallLimits(read_max=2, hits_max=2),
        allowed=lambda one: not one.id.startswith("stranger-1"),
    )

    assert asked.weighed == len(asked.candidates) == 6
    alone = ask(SmallMemory(*strangers[:1], *strangers[2:], pool_case()), cue(RESET, frames=STACK), RecallLimits())
    assert [one.fused for one in asked.candidates] == [one.fused for one in alone.candidates]


def test_a_question_without_keys_leaves_that_arm_out() -> None:
    """Plain words have no keys, so that arm is not asked."""
    memory = SmallMemory(pool_case())
    recall(memory, cue("everything is slow since lunch"))

    assert memory.asked[0].arms is not None
    assert "keys" not in memory.asked[0].arms


def test_a_record_that_is_no_case_is_left_out_and_named() -> None:
    """A damaged body does not stop the others from answering, and a note names it."""
    memory = SmallMemory(pool_case(), bodies={"torn": {"id": "torn"}, "list": ["redis"]})
    found = recall(memory, cue(RESET, frames=STACK))

    assert [one.case.id for one in found.remembered] == ["redis-worker-pool"]
    assert {"cases/torn", "cases/list"} <= {note.split()[0] for note in found.notes}


def test_no_more_hits_than_asked_for() -> None:
    """The limit of hits bounds the answer, the best ones being kept."""
    found = recall(SmallMemory(*OTHERS, pool_case()), cue(RESET, frames=STACK), limits=RecallLimits(hits_max=1))

    assert [one.case.id for one in found.remembered] == ["redis-worker-pool"]


def test_a_report_that_states_its_cause_finds_others_of_that_cause() -> None:
    """After the very same failure, cases of the same kind of cause come first."""
    causes = {"cut": "a fiber was cut and the router had failed hardware", "typo": "a wrong value in the configuration"}
    cases = [
        case(id_, f"Shop unreachable in region {id_}", "requests failed", cause=Cause(text))
        for id_, text in causes.items()
    ]
    report = "Shop unreachable in a region.\nRoot cause: the new limit was misconfigured, an incorrect setting."
    found = recall(SmallMemory(*OTHERS, *cases), cue(report))

    assert found.remembered[0].case.id == "typo"
    assert found.remembered[0].features["mechanism"] > 0


def test_every_hit_shows_its_trace() -> None:
    """Each hit carries every arm's opinion and the features that made its score."""
    found = recall(SmallMemory(*OTHERS, pool_case()), cue(RESET, kind=CueKind.IDENTIFIERS), space="payments")

    for one in found.remembered:
        assert {"words", "meaning", "keys", "tokens"} == set(one.ranks)
        assert {"fused", "words", "trace", "identifiers"} <= set(one.features)
        assert one.space == "payments"
