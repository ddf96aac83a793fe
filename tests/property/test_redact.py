"""Laws of redaction, for texts made of everything that secrets are made of."""

from __future__ import annotations

import re
from time import process_time

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindcast.ingest.redact import DEFAULT_RULES, OPTIONAL_RULES, Redactor, Rule
from hindcast.ingest.redact.redactor import FEW_BYTES

EVERY_RULE = (*DEFAULT_RULES, *OPTIONAL_RULES)
REDACTOR = Redactor(EVERY_RULE)

# Pieces that begin, join and end secrets, so that texts made of them are full of near misses.
NAMES = [
    "password",
    "passwd",
    "PASSWORD",
    "pwd",
    "pass",
    "passphrase",
    "secret",
    "client_secret",
    "secret_key",
    "token",
    "access_token",
    "api_key",
    "apikey",
    "Authorization",
    "Cookie",
    "Set-Cookie",
    "Bearer",
    "Basic",
    "Digest",
    "card",
    "pan",
    "identified",
    "contraseña",
    "CONTRASEÑA",
    "contrase%C3%B1a",
    "mot de passe",
    "Passwort",
    "hasło",
    "пароль",
    "密码",
    "?key",
    "&code",
    "auth",
    "sshpass -p ",
    "mysqldump -p",
    "redis-cli -a ",
]
JOINTS = [
    "=",
    ":",
    ": ",
    " = ",
    "=>",
    '":"',
    '": "',
    "='",
    '\\":\\"',
    " ",
    "  ",
    "\t",
    "\n",
    ";",
    ",",
    "&",
    "?",
    "/",
    "@",
    "://",
    "：",
    "%3D",
    "%253d",
    "%22%3A%22",
]
ENDS = ['"', "'", "\\", "\\\\", "\\n", "(", ")", "[", "]", "{", "}", "<", ">", "-", "--", "_", ".", "*", "$", "%", "|"]
VALUES = [
    "hunter2",
    "x",
    "null",
    "required",
    "ana@example.org",
    "user@1000.service",
    "4111111111111111",
    "4111 1111 1111 1111",
    "3782-822463-10005",
    "378282246310005",
    "4222222222222",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + "0123456789abcdefghij",
    "xoxb-" + "1234567890",
    "sk-" + "abcdefghijklmnopqrst",
    "sk_live_" + "abcdefgh",
    "SK" + "0123456789abcdef" * 2,
    "eyJhbGciOiJI" + ".eyJz.abc",
    "dXNlcjpwYXNz",
    "postgres://u:p@h",
    "u:p@tcp(h)",
    "-u a:b",
    "--password ",
    "by 'x'",
    "-----BEGIN PRIVATE " + "KEY-----",
    "-----END PRIVATE " + "KEY-----",
    "[redacted:password]",
    "[redacted:email]",
    "[redacted:",
    "DE89370400440532013000",
    "078-05-1120",
    "MIIEowIBAAKCAQEA7bq1y2k3nN8zO0pQm5sT6uV7wX8yZ9aB1cD2eF3gH4iJ5kL6",
    "Qk9uT3pWc1hZ0a==",
    "NRAK-" + "ABCDEFGHIJ0123456789",
    "x1y2z3w4.atlasv1." + "abcdefghijklmnopqrst",
    "hc_" + "write_0123456789ab_0123456789abcdef0123456789abcdef",
    "JSESSIONID=",
    "?sig=abcdefgh",
    "<password>",
    "é",
    "ſ",
    "K",
    "\u2028",
    "0",
    "a",
]
pieces = st.sampled_from([*NAMES, *JOINTS, *ENDS, *VALUES])
soup = st.lists(st.one_of(pieces, pieces, st.text(st.characters(exclude_categories=["Cs"]), max_size=3)), max_size=14)
texts = soup.map("".join)


# Long enough for a column to be looked through by its hints; a few short texts are read one by one.
PLAIN = "nothing to see here " * (FEW_BYTES // 20 + 1)


@settings(max_examples=400)
@given(st.lists(st.one_of(st.none(), texts), max_size=8), st.booleans())
def test_a_column_is_redacted_like_its_texts(rows: list[str | None], long: bool) -> None:
    """Whatever the rows hold, a column comes out as its texts do one by one, and counts the same."""
    column, counts = REDACTOR.column(pa.array([*rows, PLAIN if long else ""], pa.string()))
    alone = [None if row is None else REDACTOR.text(row) for row in rows]

    assert column.to_pylist()[:-1] == [None if one is None else one.text for one in alone]
    assert sum(counts.values()) == sum(sum(one.counts.values()) for one in alone if one is not None)


@settings(max_examples=800)
@given(texts)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    """What was redacted once comes out as it is, with nothing counted."""
    once = REDACTOR.text(text)

    assert REDACTOR.text(once.text).text == once.text
    assert REDACTOR.text(once.text).counts == {}


@settings(max_examples=800)
@given(texts)
def test_a_rule_looks_where_its_pattern_is_found(text: str) -> None:
    """Wherever a pattern is found, its hint is found in the column and one of its words in the text."""
    for rule in EVERY_RULE:
        if re.search(rule.pattern, text, re.ASCII):
            assert pc.match_substring_regex(pa.array([text]), rule.hint)[0].as_py(), rule
            assert not rule.words or any(word in text.lower() for word in rule.words), rule


# Secrets that nothing around them excuses: each is known by its own shape or by the name it stands under.
PLANTED = [
    ("AKIA" + "Q3EGRIOSFODNN7QQ", "Q3EGRIOSFODNN7QQ"),
    ("password=Zq9-Zq9-Zq9", "Zq9-Zq9-Zq9"),
    ('"password": "Zq9 Zq9"', "Zq9 Zq9"),
    ("redis://u:Zq9Zq9@cache", "Zq9Zq9"),
    ("Authorization: Bearer Zq9Zq9", "Zq9Zq9"),
    ("api_key=Zq9Zq9Zq9", "Zq9Zq9Zq9"),
    ("zq9zq9@example.org", "zq9zq9"),
    ("Cookie: a=Zq9Zq9", "Zq9Zq9"),
    ("-----BEGIN PRIVATE " + "KEY-----\nZq9Zq9\n-----END PRIVATE " + "KEY-----", "Zq9Zq9"),
]


@settings(max_examples=1000)
@given(st.sampled_from(PLANTED), texts, texts)
def test_a_secret_goes_whatever_stands_around_it(planted: tuple[str, str], before: str, after: str) -> None:
    """Between any two texts on lines of their own, a secret goes, and no placeholder holds a part of it."""
    written, secret = planted

    redacted = REDACTOR.text(f"{before}\n{written}\n{after}").text

    assert secret not in redacted


@settings(max_examples=200)
@given(st.dictionaries(texts, texts, max_size=6))
def test_attributes_are_redacted_like_their_values(values: dict[str, str]) -> None:
    """A column of maps comes out as each of its values does alone, by name."""
    maps = pa.array([list(values.items())], pa.map_(pa.string(), pa.string()))

    clean, _ = REDACTOR.attributes(maps)

    assert clean.to_pylist() == [[(name, REDACTOR.named(name, value).text) for name, value in values.items()]]


HARD = [
    "a",
    "4",
    "41111111",
    "a@",
    "a.",
    "@a.",
    "a@a.",
    ":",
    "://",
    "://a:",
    "://a:a",
    "//:@",
    "a:a@",
    "-",
    "-a",
    "-u a",
    "a ",
    "password",
    "password=",
    "pass=",
    'password="',
    "password=\\",
    "password=a,",
    "password=,a",
    "--password",
    "<password",
    "token:",
    "secret_key",
    'api_key=\\"',
    "Authorization: ",
    "Authorization: Digest a=",
    "Authorization: Digest a=b,",
    "cookie: a=b;",
    "cookie=",
    "Cookie: a",
    "JSESSIONID",
    "eyJ",
    "eyJaaaaaaaa.",
    "-----BEGIN ",
    "-----END ",
    "sk-",
    "AKIA",
    "-----BEGIN PRIVATE " + "KEY-----",
    "gl",
    "xox",
    "hooks.slack.com/services/",
    "jdbc:oracle:a:a/",
    "identified by ",
    "<a:",
    "card ",
    "card card",
    "cardcardcard",
    "AA00 ",
    "00-",
    "basic ",
    "bearer ",
    "bearer a",
    "?sig=",
    "\\",
    '"',
    "é",
    "[redacted:password]",
    "[redacted:",
    "[redacted:email]@",
    "pass:",
    "pass:" * 150 + " ",
    "token=null",
    "4000 ",
    "mysql ",
    "mysql -p",
    "redis-cli -a",
    "redis-cli ",
    "auth=a",
    "auth:",
    "&key=a",
    "password%3D",
    "token%3Da%2",
    "clave clave ",
    "a.atlasv1.",
    "discord.com/api/webhooks/1",
    "a" * 32,
    "f" * 36,
]
TEXT_CHARS = 100_000
# What is linear takes a fraction of a second, and what is quadratic takes minutes.
SECONDS_MAX = 20


@pytest.mark.parametrize("piece", HARD)
def test_no_text_takes_long(piece: str) -> None:
    """A text made to be hard takes time in proportion to its length."""
    started = process_time()

    REDACTOR.text(piece * (TEXT_CHARS // len(piece)))
    REDACTOR.text("password=" + piece * (TEXT_CHARS // len(piece)) + "!")

    assert process_time() - started < SECONDS_MAX


@settings(max_examples=60)
@given(st.lists(pieces, min_size=1, max_size=4).map("".join))
def test_no_repetition_takes_long(piece: str) -> None:
    """Whatever is repeated takes time in proportion to its length."""
    started = process_time()

    REDACTOR.text(piece * (TEXT_CHARS // 10 // len(piece)))

    assert process_time() - started < SECONDS_MAX


@given(st.from_regex(r"[a-z]{1,8}(?:-[a-z0-9]{1,4}){0,3}", fullmatch=True))
def test_any_kind_of_ones_own_is_held_still(kind: str) -> None:
    """A kind of one's own is redacted once, and its placeholder is known again."""
    redactor = Redactor([Rule(kind, "[a-z0-9]+")])

    once = redactor.text("abc-def").text

    assert once == f"[redacted:{kind}]-[redacted:{kind}]"
    assert redactor.text(once).text == once
