"""Settings of past fixes in today's files: found in every format, changed by position, never invented."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.carrying import Shelf
from tests.recalling import NOW, cue, pool_case
from tests.setting import CASES, COMPOSE_LIST, DEPLOYMENT, ENV, INI, PROPERTIES, TOML, SettingCase

from hindcast.model.card import CardSource, Proposal, Warned
from hindcast.model.case import Attempt, Case, Outcome, Resolution
from hindcast.model.code import LineSpan, Place
from hindcast.model.diagnosis import Advice, Diagnosis
from hindcast.model.recollection import Familiarity, Recollection, Remembered
from hindcast.propose.settings import harmful_settings, settings_again
from hindcast.propose.settings.quantity import converted, same_value
from hindcast.propose.settings.reading import settings_in
from hindcast.propose.settings.wish import phrase, told, wishes
from hindcast.propose.sheet import Sheet


def advice(config: str = "", action: str = "changed the setting", **rest: object) -> Advice:
    """Something that was set once."""
    made = Advice(action, (), 2, 0, 0, 0.7, 0.4, ("cases/redis-worker-pool@412",), config=config)
    return replace(made, **rest)  # type: ignore[arg-type]


def sheet(
    files: dict[str, str],
    *fixes: Advice,
    avoid: tuple[Advice, ...] = (),
    cases: tuple[Case, ...] = (),
    services: tuple[str, ...] = (),
    places: tuple[Place, ...] = (),
) -> Sheet:
    """What a source gets to see."""
    remembered = tuple(Remembered(case, f"cases/{case.id}", 7, "default", 0.8, Familiarity.SEEN, 1.0) for case in cases)
    asked = replace(cue("redis connections are used up"), services=services)
    recollection = Recollection(asked, Familiarity.SEEN, remembered)
    diagnosis = Diagnosis("pool", NOW, Familiarity.SEEN, 0.9, None, "Seen.", fixes=fixes, avoid=avoid)
    return Sheet("inc-1", NOW, None, places, recollection, diagnosis, Shelf(files))


def proposals(*args: object, **rest: object) -> list[Proposal]:
    """What is proposed."""
    return [one for one in settings_again(sheet(*args, **rest)) if isinstance(one, Proposal)]  # type: ignore[arg-type]


def notes(*args: object, **rest: object) -> list[Warned]:
    """What is said beside it."""
    return [one for one in settings_again(sheet(*args, **rest)) if isinstance(one, Warned)]  # type: ignore[arg-type]


def warnings(*args: object, **rest: object) -> list[Warned]:
    """What is warned of."""
    return [one for one in harmful_settings(sheet(*args, **rest)) if isinstance(one, Warned)]  # type: ignore[arg-type]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path}:{case.config}"[:60])
def test_a_setting_is_changed_where_it_stands(case: SettingCase) -> None:
    """In every format exactly the value changes: comments, quotes, order and indentation stay."""
    [made] = proposals({case.path: case.text}, advice(case.config))

    assert case.after == made.edit.text
    assert CardSource.SETTING is made.source
    assert made.evidence == ("cases/redis-worker-pool@412",)
    assert made.lines.covers(case.text[: case.text.index(case.old)].count("\n") + 1)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path}:{case.config}"[:60])
def test_a_setting_that_is_there_is_not_proposed_again(case: SettingCase) -> None:
    """Once a change was made, the same fix proposes nothing and says that it is set."""
    assert proposals({case.path: case.after}, advice(case.config)) == []
    assert any("here already" in one.text for one in notes({case.path: case.after}, advice(case.config)))


def test_a_setting_is_told_with_its_old_and_new_value() -> None:
    """The title names key, values and file; the reason names the deed and how it fared."""
    [made] = proposals({".env": ENV}, advice("REDIS_MAX_CONNECTIONS=20", "capped the connections"))

    assert made.title == "Set `REDIS_MAX_CONNECTIONS` from 50 to 20 in .env."
    assert made.why == "Worked twice (2 of 2): capped the connections."
    assert made.lines == LineSpan(3, 3)
    assert made.confidence > 0.8


def test_production_comes_first() -> None:
    """Of the same key in several environments production's is proposed, and the others are named."""
    files = {".env": ENV, "deploy/prod/.env": ENV, "deploy/dev/.env": ENV.replace("=50", "=5"), ".env.example": ENV}
    [made] = proposals(files, advice("REDIS_MAX_CONNECTIONS=20"))

    assert made.edit.path == "deploy/prod/.env"
    assert "also set in .env (50)" in made.why


def test_of_several_services_that_of_the_incident_is_meant() -> None:
    """Where services have the same key, the one that the incident names is changed."""
    files = {"web/.env": ENV, "checkout/.env": ENV}
    [made] = proposals(files, advice("REDIS_MAX_CONNECTIONS=20"), services=("checkout",))

    assert made.edit.path == "checkout/.env"


def test_what_cannot_be_told_apart_is_proposed_less_surely() -> None:
    """Two places that fit are two proposals, each naming the other; many are none."""
    two = proposals({"web/.env": ENV, "api/.env": ENV}, advice("REDIS_MAX_CONNECTIONS=20"))
    many = proposals({f"{name}/.env": ENV for name in "abcdef"}, advice("REDIS_MAX_CONNECTIONS=20"))

    assert [one.edit.path for one in two] == ["api/.env", "web/.env"]
    assert all(one.confidence < 0.5 for one in two)
    assert "web/.env:3" in two[0].why
    assert many == []


def test_settings_of_one_fix_are_one_change() -> None:
    """Keys that were set together in one file are one diff."""
    config = "[pgbouncer]\npool_mode = transaction\ndefault_pool_size = 60\nmax_client_conn = 1000"
    [made] = proposals({"pgbouncer.ini": INI}, advice(config))
    expected = INI.replace("= session", "= transaction").replace("= 20 ", "= 60 ").replace("= 100\n", "= 1000\n")

    assert expected == made.edit.text
    assert LineSpan(6, 8) == made.lines


@pytest.mark.parametrize(
    ("path", "text", "config", "before", "line"),
    [
        (".env", ENV, "REDIS_POOL_WAIT=5", "REDIS_TIMEOUT_MS='30000'\n", "REDIS_POOL_WAIT='5'\n"),
        (
            "pgbouncer.ini",
            INI,
            "[pgbouncer]\nreserve_pool_size = 5",
            "max_client_conn = 100\n",
            "reserve_pool_size = 5\n",
        ),
        ("a.properties", PROPERTIES, "server.port=8443", "server.shutdown=immediate\n", "server.port=8443\n"),
        ("c.toml", TOML, "[database.replica]\nidle = 3", "pool_size = 10\n", "idle = 3\n"),
        (
            "k8s/checkout.yaml",
            DEPLOYMENT,
            "livenessProbe:\n  failureThreshold: 6",
            "          periodSeconds: 5\n",
            "          failureThreshold: 6\n",
        ),
        ("compose.yml", COMPOSE_LIST, "environment:\n- SIZE=1", "      - 'MODE=fast'\n", "      - 'SIZE=1'\n"),
    ],
)
def test_a_missing_key_goes_beside_its_siblings(path: str, text: str, config: str, before: str, line: str) -> None:
    """A key that stands nowhere is added behind its siblings, written as they are, with less confidence."""
    [made] = proposals({path: text}, advice(config))

    assert text.replace(before, before + line) == made.edit.text
    assert made.confidence < 0.5
    assert made.title.startswith("Add `")


@pytest.mark.parametrize(
    ("path", "text", "config"),
    [
        (".env", ENV, "KAFKA_LINGER=5"),
        (".env", ENV, "size=5"),
        (".env", ENV, "MAX=5"),
        (".env", ENV, "REDIS_MAX_CONNECTIONS=***"),
        (".env", ENV, "REDIS_MAX_CONNECTIONS=${OTHER}"),
        (".env", ENV, "REDIS_MAX_CONNECTIONS="),
        (".env", ENV, "restarted everything"),
        (".env", ENV, ""),
        ("k8s/checkout.yaml", DEPLOYMENT, "startupProbe: { failureThreshold: 36, periodSeconds: 9 }"),
        ("k8s/checkout.yaml", DEPLOYMENT, "kind: StatefulSet\nmetadata: {name: db}\nspec: {replicas: 6}"),
        ("src/tasks.py", "REDIS_MAX_CONNECTIONS = 50\n", "REDIS_MAX_CONNECTIONS=20"),
        ("package-lock.json", '{"pool": {"max": 50}}', "pool.max=20"),
        (".env", "POOL_SIZE=$OTHER\n", "POOL_SIZE=20"),
        ("a.yaml", "pool: &p\n  size: *other\n", "pool.size=20"),
        ("values.yaml", "pool:\n  size: {{ .Values.size }}\n", "pool.size=20"),
    ],
)
def test_nothing_is_invented(path: str, text: str, config: str) -> None:
    """Another key, a hidden value, a reference to elsewhere, a file of no settings: nothing is proposed."""
    assert proposals({path: text}, advice(config)) == []


def test_a_number_without_a_unit_is_not_guessed() -> None:
    """Where nothing says in what unit a number counts, it is told and not changed."""
    files = {"a.yaml": "http:\n  timeout: 30\n"}

    assert proposals(files, advice("http.timeout=10s")) == []
    assert "nothing says in which unit" in notes(files, advice("http.timeout=10s"))[0].text


def test_a_sentence_is_enough_where_one_number_fits() -> None:
    """A fix in words is found by the words of a key and the old value."""
    [made] = proposals({".env": "DB_URL=x\nPOOL_SIZE=50\n"}, advice("", "lowered the pool size from 50 to 20"))
    other = proposals({".env": "POOL_SIZE=80\n"}, advice("", "lowered the pool size from 50 to 20"))
    unit = proposals({".env": "HTTP_TIMEOUT_MS=3000\n"}, advice("", "raised the timeout from 3s to 10s"))
    keyed = proposals({".env": ENV}, advice("", "lowered REDIS_MAX_CONNECTIONS from 50 to 20 and restarted"))

    assert made.edit.text == "DB_URL=x\nPOOL_SIZE=20\n"
    assert made.confidence < 0.7
    assert other == []
    assert [one.edit.text for one in unit] == ["HTTP_TIMEOUT_MS=10000\n"]
    assert ENV.replace("=50", "=20") == keyed[0].edit.text


def test_settings_in_the_code_of_the_trace_count() -> None:
    """A setting that is an argument in a function of the trace is found, though the file holds no settings."""
    text = "def connect():\n    return Pool(max_connections=50)\n"
    place = Place("worker/tasks.py", 2, "connect", LineSpan(1, 2), 0.9, "")
    [made] = proposals({"worker/tasks.py": text}, advice("max_connections=20"), places=(place,))

    assert text.replace("50", "20") == made.edit.text


def test_other_cases_that_came_to_mind_are_tried() -> None:
    """A resolution and an attempt that worked are read as fixes; what made it worse is not."""
    case = replace(
        pool_case("one"),
        resolution=Resolution("capped it", config="REDIS_MAX_CONNECTIONS=20"),
        attempts=(
            Attempt("a", "raised it", Outcome.MADE_WORSE, config="REDIS_MAX_CONNECTIONS=200"),
            Attempt("b", "less logging", Outcome.WORKED, config="LOG_LEVEL=warning"),
        ),
    )

    made = proposals({".env": ENV}, cases=(case,))

    assert [one.title for one in made] == [
        "Set `REDIS_MAX_CONNECTIONS` from 50 to 20 in .env.",
        "Set `LOG_LEVEL` from info to warning in .env.",
    ]
    assert made[0].evidence == (f"cases/{case.id}@7",)


def test_what_did_harm_is_not_proposed() -> None:
    """A value that made it worse is held back, though it helped elsewhere."""
    bad = advice("REDIS_MAX_CONNECTIONS=200", "raised the pool", worked=0, made_worse=1)

    assert proposals({".env": ENV}, advice("REDIS_MAX_CONNECTIONS=200"), avoid=(bad,)) == []


@pytest.mark.parametrize(
    ("config", "action", "text"),
    [
        ("REDIS_MAX_CONNECTIONS=200", "raised the pool", "REDIS_MAX_CONNECTIONS=200\n"),
        ("", "raised the pool size from 50 to 200", "POOL_SIZE=200\n"),
        ("", "raised REDIS_MAX_CONNECTIONS to 200", "REDIS_MAX_CONNECTIONS=200\n"),
        ("", "raised the redis pool size to 200", "REDIS_MAX_CONNECTIONS=200\n"),
        ("REDIS_TIMEOUT_MS=60000", "raised the timeout", "REDIS_TIMEOUT=60s\nREDIS_TIMEOUT_MS=60000\n"),
    ],
)
def test_a_harmful_value_that_is_set_is_warned_of(config: str, action: str, text: str) -> None:
    """What made it worse before and is set today is told, with where that is remembered."""
    [one] = warnings({".env": text}, avoid=(advice(config, action, worked=0, made_worse=2),))

    assert f"“{action}” made it worse in cases/redis-worker-pool." in one.text
    assert one.evidence == ("cases/redis-worker-pool@412",)
    assert one.path == ".env"


def test_an_example_does_no_harm() -> None:
    """A harmful value in a file that only shows how, or that tests use, is not warned of."""
    bad = advice("POOL_SIZE=200", "raised the pool", worked=0, made_worse=1)
    files = {".env.example": "POOL_SIZE=200\n", "tests/.env": "POOL_SIZE=200\n", ".env": "POOL_SIZE=200\n"}

    assert [one.path for one in warnings(files, avoid=(bad,))] == [".env"]


def test_beyond_a_harmful_value_is_harmful() -> None:
    """More than what did harm when raised is warned of; less is not, and neither is what merely had no effect."""
    bad = advice("REDIS_MAX_CONNECTIONS=200", "raised the pool size to 200", worked=0, made_worse=1)
    [one] = warnings({".env": "REDIS_MAX_CONNECTIONS=300\n"}, avoid=(bad,))

    assert "is 300 here, beyond the 200 of then" in one.text
    assert warnings({".env": "REDIS_MAX_CONNECTIONS=50\n"}, avoid=(bad,)) == []
    assert warnings({".env": "REDIS_MAX_CONNECTIONS=300\n"}, avoid=(replace(bad, made_worse=0, no_effect=3),)) == []


@pytest.mark.parametrize(
    ("one", "key", "other", "other_key", "same"),
    [
        ("30s", "timeout", "30000", "timeout_ms", True),
        ("30s", "timeout", "30000ms", "timeout", True),
        ("30", "timeout", "30s", "timeout", False),
        ("30", "timeout_s", "30", "timeout_ms", False),
        ("30", "timeout_seconds", "30", "timeout_ms", False),
        ("1Gi", "memory", "1024Mi", "memory", True),
        ("0.5", "cpu", "500m", "cpu", True),
        ("5m", "interval", "300s", "interval", True),
        ("512m", "xmx", "0.5g", "xmx", True),
        ("true", "x", "on", "x", True),
        ("true", "x", "off", "x", False),
        ("1_000", "x", "1000", "x", True),
        ("info", "x", "INFO", "x", True),
        ("50", "x", "5", "x", False),
    ],
)
def test_values_are_compared_by_what_they_mean(one: str, key: str, other: str, other_key: str, same: bool) -> None:
    """Units, of the value or of its key, count; spelling does not."""
    words, other_words = tuple(key.split("_")), tuple(other_key.split("_"))

    assert same == same_value(one, words, other, other_words)


@pytest.mark.parametrize(
    ("wanted", "key", "today", "today_key", "written"),
    [
        ("60s", "timeout", "30000", "timeout_ms", "60000"),
        ("60000", "timeout_ms", "30s", "timeout", "60s"),
        ("1500ms", "timeout", "30s", "timeout", "1500ms"),
        ("1500ms", "timeout", "30", "timeout_seconds", None),
        ("60s", "timeout", "30", "timeout", None),
        ("2Gi", "memory", "512Mi", "memory", "2Gi"),
        ("20", "size", "50", "size", "20"),
        ("off", "x", "true", "x", "false"),
        ("graceful", "x", "immediate", "x", "graceful"),
    ],
)
def test_values_are_written_in_todays_unit(
    wanted: str, key: str, today: str, today_key: str, written: str | None
) -> None:
    """A value is written as today's file counts, or not at all where that would be a guess."""
    assert written == converted(wanted, tuple(key.split("_")), today, tuple(today_key.split("_")))


def test_wishes_are_read_as_people_write_them() -> None:
    """Files, fragments, flags, arrows and sentences name the same settings."""
    assert [(one.path, one.value) for one in wishes("```yaml\na:\n  b: 1\n  c: 2\n```")] == [
        (("a", "b"), "1"),
        (("a", "c"), "2"),
    ]
    assert [(one.path[0], one.was, one.value) for one in wishes("pool_size: 50 -> 200")] == [("pool_size", "50", "200")]
    assert [("-Xmx2g", one.value) for one in wishes("-Xmx2g")] == [("-Xmx2g", "2g")]
    assert [(one.path[0], one.was, one.value) for one in told("we set `maxConns` to 5.")] == [("maxConns", "", "5")]
    assert [(one.path, one.value) for one in wishes("pool_size=60, max_overflow=20")] == [
        (("pool_size",), "60"),
        (("max_overflow",), "20"),
    ]
    assert [one.value for one in wishes("A_MS=1 B_MS=2")] == ["1", "2"]
    assert [one.path for one in wishes("JAVA_OPTS=-Da.b=1 -Xmx2g")] == [("JAVA_OPTS", "a.b"), ("JAVA_OPTS", "Xmx")]
    assert told("http.Server{IdleTimeout: 75 * time.Second}") == ()
    assert phrase("moved it to 04:15") is None
    assert phrase("plus up to 120 s of jitter") is None
    assert phrase("raised a to 5 and b to 6") is None
    assert told("restarted 3 workers, then went to 5 of them") == ()


def test_files_are_read_by_position() -> None:
    """Every value that is read stands at the place that is told."""
    for case in CASES:
        found = settings_in(case.path, case.text)
        assert found
        assert all(one.value == case.text[one.start : one.end] for one in found), case.path
