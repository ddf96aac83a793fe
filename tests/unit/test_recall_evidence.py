"""What counts as evidence that two incidents are one failure, and what does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.recalling import NOW, SmallMemory, case, said

from hindcast.asking import cue_of, cue_of_case
from hindcast.clues import clues_of
from hindcast.model.case import NOTICED_HERE, Case, CaseState, Cause, Clues, Resolution
from hindcast.model.recollection import Familiarity, Recollection
from hindcast.reason.answer import diagnose
from hindcast.recall.evidence import say_otherwise
from hindcast.recall.reading import title_of, words_of_case
from hindcast.recall.remember import recall

NGINX = (
    '2026/11/15 02:03:0{second} [error] 31#31: *18{second}1 {failed}, client: 172.18.0.1, server: , request: "GET '
    '/cart/ HTTP/1.1", upstream: "http://127.0.0.1:{port}/cart/", host: "shop.example"'
)
PAUSED = "upstream timed out (110: Connection timed out) while reading response header from upstream"
WRONG = "connect() failed (111: Connection refused) while connecting to upstream"
STACK = """Traceback (most recent call last):
  File "/srv/shop/store/views.py", line 41, in product
    item = get_object_or_404(Product, slug=slug)
  File "/usr/local/lib/python3.11/site-packages/psycopg2/__init__.py", line 122, in connect
    conn = _connect(dsn, connection_factory=connection_factory, **kwasync)
psycopg2.OperationalError: connection to server at "127.0.0.1", port 15432 failed: {reason}"""
CONNECT = 'OperationalError: connection to server at "<text>", port <int> failed:'
REFUSED, TOO_MANY = "Connection refused", "FATAL:  sorry, too many clients already"


def nginx(id_: str, failed: str, *, port: int = 8000, days_ago: float = 1) -> Case:
    """An incident of nginx as detection writes it."""
    lines = tuple(NGINX.format(second=second, failed=failed, port=port) for second in range(3))
    made = case(id_, "nginx: 60 errors in 2 minutes (usually 0.1)", *lines, days_ago=days_ago, services=("nginx",))
    return replace(made, clues=clues_of("\n".join(lines)), title_by=NOTICED_HERE)


def web(id_: str, reason: str, *, days_ago: float = 1, cause: str = "", fix: str = "", previous: str = "") -> Case:
    """An incident of a Django shop that cannot reach its database; resolved where its cause and its fix are given."""
    title, lines = "web: 90 errors in 2 minutes", ("Internal Server Error: /p/tea-pot/",)
    clues = clues_of(lines[0], stack=STACK.format(reason=reason))
    return replace(
        case(id_, title, *lines, days_ago=days_ago, services=("web",)),
        clues=clues,
        stack=STACK.format(reason=reason),
        cause=Cause(cause, evidence=said("seen")) if cause else None,
        resolution=Resolution(fix, evidence=said("it recovered")) if fix else None,
        state=CaseState.RESOLVED if fix else CaseState.OPEN,
        previous=previous,
    )


def asked(one: Case, *known: Case) -> Recollection:
    """What comes to mind to an incident."""
    return recall(SmallMemory(*known), cue_of_case(one, at=NOW))


def test_a_wrong_upstream_is_no_paused_redis() -> None:
    """Two failures behind nginx share its fixed wording and a title made of counts: they may be related, no more."""
    found = asked(nginx("now", WRONG, port=8009, days_ago=0), nginx("redis-paused", PAUSED))
    again = asked(nginx("now", WRONG, port=8009, days_ago=0), nginx("wrong-upstream", WRONG, port=8009))

    assert found.familiarity is not Familiarity.SEEN
    assert found.remembered[0].confidence < 0.5
    assert again.familiarity is Familiarity.SEEN


def test_exhausted_connections_are_no_stopped_server() -> None:
    """One stack and one type of exception with two errors are two failures, in a question as in an incident."""
    stopped = web("stopped", REFUSED, cause="nobody started it", fix="started PostgreSQL")
    exhausted = web("exhausted", TOO_MANY, cause="a report kept a hundred", fix="gave the report a pool")
    pasted, _ = cue_of(STACK.format(reason=TOO_MANY), at=NOW)

    assert asked(web("now", TOO_MANY, days_ago=0), stopped).familiarity is not Familiarity.SEEN
    assert recall(SmallMemory(stopped), pasted).familiarity is not Familiarity.SEEN
    found = asked(web("now", TOO_MANY, days_ago=0), stopped, exhausted)
    again = recall(SmallMemory(stopped, exhausted), pasted)
    assert found.familiarity is Familiarity.SEEN
    assert [one.case.id for one in found.remembered] == ["exhausted", "stopped"]
    assert [one.case.id for one in again.remembered] == ["exhausted", "stopped"]


def test_exhausted_connections_are_no_bad_deploy() -> None:
    """A link to the last incident of a service brings neither its cause nor its fix, and warns against nothing."""
    deploy = replace(
        case(
            "deploy",
            "web: 100 errors in 2 minutes",
            "django.core.exceptions.ImproperlyConfigured: PRICES is not set",
            days_ago=0.1,
            services=("web",),
            cause=Cause("release 4.2 needs a setting", evidence=said("seen")),
            resolution=Resolution("rolled web back", evidence=said("it recovered")),
        ),
        clues=clues_of(
            "Internal Server Error: /",
            stack='Traceback (most recent call last):\n  File "/srv/shop/shop/settings.py", line 9, in <module>\n'
            "    PRICES = required()\ndjango.core.exceptions.ImproperlyConfigured: PRICES is not set",
        ),
    )
    older = web("stopped", REFUSED, days_ago=3, cause="nobody started it", fix="started PostgreSQL")
    found = asked(web("now", TOO_MANY, days_ago=0, previous="deploy"), deploy, older)
    told = diagnose(found)

    assert told.familiarity is not Familiarity.SEEN
    assert not told.fixes
    assert not told.avoid


@pytest.mark.parametrize(
    "title",
    [
        "nginx: 1,204 errors in 2 minutes (usually 0.1)",
        "web: 1 error in 30 seconds, with auth and 2 more",
        "auth: payment: 132 errors in 2 minutes",
        "worker has gone silent: no line for 2 minutes (usually 160 a minute)",
        "nothing comes in any more: no line from any service for 3 minutes",
        "cascade from payment: 6 services (payment, auth, user, stock and 2 more)",
    ],
)
def test_what_detection_calls_an_incident_is_read_nowhere(title: str) -> None:
    """Neither the index nor a comparison sees it, in records of earlier releases either; people's titles count."""
    line = "connect() failed (111: Connection refused) while connecting to upstream"
    older = case("older", title, line, services=("nginx",))
    newer = replace(older, title="upstream refuses", title_by=NOTICED_HERE)
    imported = replace(older, source="markdown")

    for generated in (older, newer):
        assert title_of(generated) == ""
        assert words_of_case(generated).splitlines()[0] == line
        assert generated.title not in cue_of_case(generated, at=NOW).text
    assert title_of(imported) == title


def test_an_incident_of_numbers_alone_is_asked_by_what_it_concerns() -> None:
    """Where nothing was seen but a silence, the names of what it concerns are all there is to ask by."""
    silent = case("silent", "worker has gone silent: no line for 2 minutes", services=("worker",))
    silent = replace(silent, title_by=NOTICED_HERE, clues=Clues())
    found = asked(replace(silent, id="now"), silent)

    assert found.cue.text == "worker"
    assert found.familiarity is not Familiarity.SEEN


@pytest.mark.parametrize(
    ("one", "other", "otherwise"),
    [
        ("KeyError: '<text>'", "KeyError: '<text>'", False),
        (f"{CONNECT} Connection refused", f"{CONNECT} FATAL: sorry, too many clients already", True),
        ("ConnectionError: max number of clients reached", "ConnectionError: Error while reading from <ip>", True),
        ("java.net.SocketException: Connection reset", "ConnectionResetError: Connection reset by peer", False),
        ("TimeoutError", "TimeoutError: timed out", False),
        ("TimeoutError", "KeyError", True),
    ],
)  # fmt: skip
def test_errors_are_told_apart_by_what_they_say(one: str, other: str, *, otherwise: bool) -> None:
    """What varies does not count, nor does a driver's wording that stands around every reason."""
    assert say_otherwise([one], [other]) is otherwise
    assert say_otherwise([other], [one]) is otherwise
    assert not say_otherwise([], [one])
