"""Redaction: what is taken out, what stays, and what a reader is told stood there."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from hindcast.ingest.redact import (
    DEFAULT_RULES,
    OPTIONAL_RULES,
    Redactor,
    Rule,
    redacted_alert,
    redacted_change,
)
from hindcast.ingest.redact.named import kind_of_name
from hindcast.ingest.redact.personal import luhn
from hindcast.ingest.redact.redactor import FEW_BYTES
from hindcast.model.errors import Malformed
from hindcast.model.signal import Alert, ChangeKind, Severity, Status, SystemChange

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)

# Put together from parts, so that no scanner takes this file for a leak.
AWS = "AKIA" + "IOSFODNN7EXAMPLE"
AWS_SECRET = "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"
GITHUB = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
GITHUB_PAT = "github_pat_" + "11ABCDEFG0abcdefghijkl_0123456789abcdefghij"
SLACK = "xoxb-" + "1234567890-abcdefghij"
STRIPE = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
GOOGLE = "AIza" + "SyA-1234567890abcdefghijklmnopqrstuv"
OPENAI = "sk-" + "proj-abcdefghijklmnopqrstuvwx"
ANTHROPIC = "sk-ant-" + "api03-abcdefghijklmnop"
NPM = "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789"
JWT = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0.abc_def-123"
PEM = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEow\nabc+/=\n-----END RSA PRIVATE " + "KEY-----"

TAKEN_OUT = [
    (f"key {AWS} used", AWS, "key [redacted:api-key] used"),
    (f"aws_secret_access_key = {AWS_SECRET}", AWS_SECRET, "aws_secret_access_key = [redacted:secret]"),
    (f'{{"SecretAccessKey":"{AWS_SECRET}"}}', AWS_SECRET, '{"SecretAccessKey":"[redacted:secret]"}'),
    (f"push with {GITHUB}.", GITHUB, "push with [redacted:api-key]."),
    (f"CI_{GITHUB}", GITHUB, "CI_[redacted:api-key]"),
    (GITHUB_PAT, GITHUB_PAT, "[redacted:api-key]"),
    (f"slack {SLACK}", SLACK, "slack [redacted:api-key]"),
    (f"api_key={STRIPE}", STRIPE, "api_key=[redacted:api-key]"),
    (f"?key={GOOGLE}&x=1", GOOGLE, "?key=[redacted:api-key]&x=1"),
    (f"OPENAI {OPENAI}", OPENAI, "OPENAI [redacted:api-key]"),
    (f"({ANTHROPIC})", ANTHROPIC, "([redacted:api-key])"),
    (f"//registry/:_authToken={NPM}", NPM, "//registry/:_authToken=[redacted:api-key]"),
    (
        "https://hooks.slack.com/services/T00/B00/Xy1",
        "T00/B00/Xy1",
        "https://hooks.slack.com/services/[redacted:api-key]",
    ),
    ("api-key: 8f7d6a5s4d", "8f7d6a5s4d", "api-key: [redacted:api-key]"),
    ("X-API-Key: 12345-abcde", "12345-abcde", "X-API-Key: [redacted:api-key]"),
    ("AccountKey=ab12+/cd==;EndpointSuffix=x", "ab12+/cd==", "AccountKey=[redacted:api-key];EndpointSuffix=x"),
    ("Authorization: Bearer abc.def", "abc.def", "Authorization: Bearer [redacted:token]"),
    ('"authorization":["Bearer abcdef"]', "abcdef", '"authorization":["Bearer [redacted:token]"]'),
    ("authorization=Basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "authorization=Basic [redacted:password]"),
    ("Authorization: s3ss10n", "s3ss10n", "Authorization: [redacted:token]"),
    (
        'Authorization: Digest username="m", response="6629fae"',
        "6629fae",
        "Authorization: Digest [redacted:token]",
    ),
    ("sent Bearer 0123456789abcdef to", "0123456789abcdef", "sent Bearer [redacted:token] to"),
    ("got basic dXNlcjpwYXNzd29yZA== from", "dXNlcjpwYXNzd29yZA==", "got basic [redacted:password] from"),
    (f"jwt {JWT} end", JWT, "jwt [redacted:token] end"),
    ("token=abcdef", "abcdef", "token=[redacted:token]"),
    ("refreshToken: 'a1b2c3'", "a1b2c3", "refreshToken: '[redacted:token]'"),
    ("GET /x?sig=abcdefgh%2F1&se=2026", "abcdefgh%2F1", "GET /x?sig=[redacted:token]&se=2026"),
    ("deploy --token abc123def", "abc123def", "deploy --token [redacted:token]"),
    ("password=hunter2", "hunter2", "password=[redacted:password]"),
    ("Password: hunter2!", "hunter2!", "Password: [redacted:password]"),
    ("password=$ecret1", "$ecret1", "password=[redacted:password]"),
    ("password=secret", "secret", "password=[redacted:password]"),
    ("password=a,b;c&d user=x", "a,b;c&d", "password=[redacted:password] user=x"),
    ("?user=x&password=p1&y=2", "p1", "?user=x&password=[redacted:password]&y=2"),
    (r"password=abc\nuser=x", "abc", r"password=[redacted:password]\nuser=x"),
    ("{user=x, password=p1}", "p1", "{user=x, password=[redacted:password]}"),
    ('{"password":"hun\\"ter2","user":"ana"}', "ter2", '{"password":"[redacted:password]","user":"ana"}'),
    ("{'passwd': 'p 1'}", "p 1", "{'passwd': '[redacted:password]'}"),
    (
        r'{"m":"{\"password\":\"hun\\\"ter2\",\"u\":1}"}',
        "ter2",
        r'{"m":"{\"password\":\"[redacted:password]\",\"u\":1}"}',
    ),
    ('{"password":"cut off her', "cut off", '{"password":"[redacted:password]'),
    ("map[password:hunter2 user:x]", "hunter2", "map[password:[redacted:password] user:x]"),
    ("DB_PASSWORD='p w d'", "p w d", "DB_PASSWORD='[redacted:password]'"),
    ("pwd=Sommer2026!", "Sommer2026!", "pwd=[redacted:password]"),
    ("<db:password>abc</db:password>", "abc", "<db:password>[redacted:password]</db:password>"),
    ("CREATE USER x IDENTIFIED BY 'pw1'", "pw1", "CREATE USER x IDENTIFIED BY '[redacted:password]'"),
    ("mysql -uroot --password hunter2 -h db", "hunter2", "mysql -uroot --password [redacted:password] -h db"),
    ("curl -u admin:hunter2 http://x", "hunter2", "curl -u admin:[redacted:password] http://x"),
    ("postgres://app:s3cr3t@db:5432/o", "s3cr3t", "postgres://app:[redacted:password]@db:5432/o"),
    ("redis://:p4ss@cache:6379/0", "p4ss", "redis://:[redacted:password]@cache:6379/0"),
    ("mongodb+srv://u:p@ss@c.example.net/db", "p@ss", "mongodb+srv://u:[redacted:password]@c.example.net/db"),
    ("https://u:pa/ss@host/x", "pa/ss", "https://u:[redacted:password]@host/x"),
    ("app:s3cret@tcp(db:3306)/orders", "s3cret", "app:[redacted:password]@tcp(db:3306)/orders"),
    ("jdbc:oracle:thin:scott/tiger@db:1521", "tiger", "jdbc:oracle:thin:scott/[redacted:password]@db:1521"),
    ("Server=db;Password=Str0ng!Pass;Database=x", "Str0ng!Pass", "Server=db;Password=[redacted:password];Database=x"),
    ("client_secret: abc123", "abc123", "client_secret: [redacted:secret]"),
    ("Cookie: sid=abc123; theme=dark", "abc123", "Cookie: [redacted:cookie]"),
    ('"set-cookie":"s=x1; Path=/; HttpOnly","a":1', "x1", '"set-cookie":"[redacted:cookie]","a":1'),
    ("GET /;JSESSIONID=A1B2 200", "A1B2", "GET /;JSESSIONID=[redacted:cookie] 200"),
    (f"loaded {PEM} ok", "MIIEow", "loaded [redacted:private-key] ok"),
    (PEM.partition("-----END")[0], "MIIEow", "[redacted:private-key]"),
    (PEM.replace("\n", "\\n"), "MIIEow", "[redacted:private-key]"),
    ("to ana.lopez+x@example.co.uk, please", "ana.lopez", "to [redacted:email], please"),
    ("Ask ana@example.com. She knows.", "ana@", "Ask [redacted:email]. She knows."),
    ("from=<bo@example.org>", "bo@", "from=<[redacted:email]>"),
    ("mailto:ana@example.com: no", "ana@", "mailto:[redacted:email]: no"),
    ("card 4111 1111 1111 1111 12/27", "4111 1111", "card [redacted:card] 12/27"),
    ("pan=4111-1111-1111-1111", "4111", "pan=[redacted:card]"),
    ("amex 378282246310005,", "378282246310005", "amex [redacted:card],"),
    ("'3782 822463 10005'", "3782 822463", "'[redacted:card]'"),
    (
        "https://api.telegram.org/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe",
        "AAHdqTcvCH1v",
        "https://api.telegram.org/[redacted:api-key]/getMe",
    ),
    ("mysqldump -u root -pS3cr3t shop", "S3cr3t", "mysqldump -u root -p[redacted:password] shop"),
    ("sshpass -p 'S3cr3t' ssh ana@host", "S3cr3t", "sshpass -p '[redacted:password]' ssh ana@host"),
    ("GET /maps?key=4f9c2d7a1b3e&v=3", "4f9c2d7a1b3e", "GET /maps?key=[redacted:token]&v=3"),
    ('{"auth":"YW5hOmh1bnRlcjI="}', "YW5hOmh1", '{"auth":"[redacted:password]"}'),
    ("contraseña=hunter2", "hunter2", "contraseña=[redacted:password]"),
    ("x=1%26password%3Dhunter2%26y", "hunter2", "x=1%26password%3D[redacted:password]%26y"),
    ("MIIEowIBAAKCAQEA7bq1y2k3nN8zO0pQm5sT6uV7wX8yZ9aB1cD2eF3gH4iJ5kL6", "MIIEow", "[redacted:private-key]"),
    ("card_number: 4222222222222", "4222222222222", "card_number: [redacted:card]"),
]


@pytest.mark.parametrize(("text", "secret", "expected"), TAKEN_OUT, ids=[text[:40] for text, _, _ in TAKEN_OUT])
def test_a_secret_is_taken_out(text: str, secret: str, expected: str) -> None:
    """A secret goes, a placeholder says what stood there, and everything around it stays."""
    redacted = Redactor().text(text)

    assert redacted.text == expected
    assert secret not in redacted.text
    assert sum(redacted.counts.values()) == 1


@pytest.mark.parametrize(
    "text",
    [
        # Ids, hashes, times, addresses.
        "trace=4bf92f3577b34da6a3ce929d0e0e4736 span=00f067aa0ba902b7",
        "id 550e8400-e29b-41d4-a716-446655440000 commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
        "ts=1700000000000 at 1700000000000000000 20261115020304",
        "block blk_4123456789012345678 and blk_-4111111111111111",
        "offset 4598433702547350123 of partition 7",
        "/orders/4111111111111111 is an id, 4111111111111112 has a wrong digit",
        "10.1.2.3:8080 fe80::1 00:1b:44:11:3a:b7",
        "task-scheduler-abcdefghijklmnopqrst disk-abcdefghijklmnopqrs0",
        # Stack frames and paths.
        "at com.example.Foo.bar(Foo.java:42)",
        'File "/srv/app/x.py", line 3, in login(password, token)',
        "node_modules/@babel/core@7.1.2/lib/index.js:12:3",
        "git@github.com:acme/payments.git ana@host:/srv/x bo@files.example.org:/srv/x",
        "ssh://git@host.example.com/x http://host:8080/path?x=a@b",
        "user@1000.service: Succeeded. logo@2x.png Foo@1a2b3c4d",
        # Words about secrets.
        "Failed password for root from 10.0.0.1 port 22 ssh2",
        "password: required, token: missing, authorization: denied",
        "Unexpected token: function, Unexpected token: < in JSON at position 0",
        "max_tokens=4096 prompt_tokens: 812 token_count=12 token=5",
        'secret "kube-system/app-tls" not found; secret=default/app-tls',
        "password=null password='' token=undefined api_key=****** password=[FILTERED]",
        "password=${DB_PASSWORD} password=%s password: {{ .Values.password }} password=?",
        "basic information about bearer authentication",
        "pwd=/var/www pass: 12 fail: 3 pass=12",
        "docker run --user 1000:1000 --user root:root",
        "cookie: missing",
        "GET /x?code=ERR_TIMEOUT&key=user:profile:1&code=404",
        "mysql -h db -u root -p shop",
        "auth=enabled auth: ok, sshpass: command not found",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "addToken: AppToken{11516628 token=Token{d43ac4b Record{1}}",
        "asks for a passphrase:\\n\\nrun it again",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """What only resembles a secret, and helps whoever reads it, is left as it is."""
    assert Redactor().text(text).text == text


def test_a_secret_inside_of_none_is_found() -> None:
    """Where what comes first is no secret after all, the search goes on inside of it."""
    redacted = Redactor().text("pass: password=hunter2, qty 4000 4111 1111 1111 1111")

    assert redacted.text == "pass: password=[redacted:password], qty 4000 [redacted:card]"


def test_several_secrets_are_counted_by_kind() -> None:
    """A text tells how many secrets of each kind were taken out of it."""
    redacted = Redactor().text("ana@example.org and bo@example.org use password=a1 on redis://:b2@cache")

    assert redacted.counts == {"email": 2, "password": 2}


def test_a_placeholder_is_left_alone() -> None:
    """What another process has redacted already is not redacted again, under whatever name it stands."""
    text = "password=[redacted:api-key] token: [redacted:email] postgres://u:[redacted:password]@db/x"

    assert Redactor().text(text).text == text


def test_the_name_of_a_kind_names_no_value() -> None:
    """What follows a placeholder is not taken for its value."""
    assert Redactor().text(f"{AWS}: user12345 is denied").text == "[redacted:api-key]: user12345 is denied"
    assert Redactor().text("[redacted:password]: hunter2").text == "[redacted:password]: hunter2"
    assert Redactor().text(f"{AWS}: api_key=abc123").text == "[redacted:api-key]: api_key=[redacted:api-key]"


def test_a_rule_of_ones_own_cannot_break_a_placeholder() -> None:
    """A rule that matches every word leaves placeholders whole."""
    redactor = Redactor([*DEFAULT_RULES, Rule("word", r"\w+")])

    assert redactor.text("a password=x1").text == "[redacted:word] [redacted:word]=[redacted:password]"


def test_a_secret_that_touches_a_placeholder_goes_with_it() -> None:
    """What stands right beside something hidden, in the same value, is hidden together with it."""
    assert Redactor().text("password='a[redacted:email]b'").text == "password='[redacted:password]'"


def test_a_column_is_redacted_like_its_texts() -> None:
    """Every row of a column comes out as it would alone; null stays null; the counts add up."""
    texts = [text for text, _, _ in TAKEN_OUT]
    plain = "plain " * FEW_BYTES
    column, counts = Redactor().column(pa.array([*texts, None, "", plain]))

    assert column.to_pylist() == [*(expected for _, _, expected in TAKEN_OUT), None, "", plain]
    assert sum(counts.values()) == len(texts)


def test_a_column_without_secrets_is_not_copied() -> None:
    """Ordinary lines cost one look: the very same column comes back."""
    column = pa.array(["plain", "lines" * FEW_BYTES])

    assert Redactor().column(column)[0] is column


def test_chunks_and_slices_are_one_column() -> None:
    """A column in chunks, or cut out of a longer one, is redacted row by row as well."""
    chunks = pa.chunked_array([["x", "password=a"], ["password=b"]])

    assert Redactor().column(chunks)[0].to_pylist() == ["x", *["password=[redacted:password]"] * 2]
    assert Redactor().column(chunks.chunk(0).slice(1))[0].to_pylist() == ["password=[redacted:password]"]
    assert Redactor().column(pa.array([], pa.string()))[0].to_pylist() == []
    assert Redactor().column(pa.array([None], pa.string()))[0].to_pylist() == [None]


def test_an_attribute_goes_by_its_name() -> None:
    """What stands under a name that promises a secret is replaced, whatever it looks like; the rest is read."""
    maps = pa.array(
        [
            [("http.request.header.authorization", "x"), ("path", "/a")],
            None,
            [],
            [("db.password", "y"), ("user", "ana@example.org"), ("token_count", "12"), ("password", "")],
        ],
        pa.map_(pa.string(), pa.string()),
    )

    clean, counts = Redactor().attributes(maps)

    assert clean.to_pylist() == [
        [("http.request.header.authorization", "[redacted:token]"), ("path", "/a")],
        None,
        [],
        [("db.password", "[redacted:password]"), ("user", "[redacted:email]"), ("token_count", "12"), ("password", "")],
    ]
    assert clean.type == maps.type
    assert counts == {"token": 1, "password": 1, "email": 1}
    assert Redactor().attributes(clean) == (clean, {})


def test_attributes_of_a_slice_are_its_own() -> None:
    """Maps cut out of a longer column come out with their own values and no others."""
    maps = pa.array([[("password", "a")], [("k", "v")], [("secret", "b")]], pa.map_(pa.string(), pa.string()))

    clean, counts = Redactor().attributes(maps.slice(1))

    assert clean.to_pylist() == [[("k", "v")], [("secret", "[redacted:secret]")]]
    assert counts == {"secret": 1}
    assert Redactor().attributes(maps.slice(1, 1))[1] == {}
    assert Redactor().attributes(maps.slice(0, 0))[0].to_pylist() == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("password", "password"),
        ("db_password", "password"),
        ("userPassword", "password"),
        ("http.request.header.Authorization", "token"),
        ("http.response.header.set-cookie", "cookie"),
        ("x-api-key", "api-key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("client.secret", "secret"),
        ("access_token", "token"),
        ("http.request.header.cookie[0]", "cookie"),
        ("token_count", None),
        ("tokens", None),
        ("password_changed_at", None),
        ("session.id", None),
        ("key", None),
        ("messaging.kafka.message.key", None),
        ("code.function.signature", None),
        ("...", None),
        ("", None),
    ],
)
def test_a_name_promises_a_secret(name: str, kind: str | None) -> None:
    """Only the last part of an attribute's name counts, and all of it."""
    assert kind_of_name(name) == kind


def test_a_kind_can_be_switched_off() -> None:
    """A kind that is switched off stays in texts and under names, and other kinds do not."""
    redactor = Redactor.chosen(off=["email", "password"])
    maps = pa.array([[("password", "x"), ("secret", "y")]], pa.map_(pa.string(), pa.string()))

    assert redactor.text("ana@example.org token=abc123").text == "ana@example.org token=[redacted:token]"
    assert redactor.attributes(maps)[0].to_pylist() == [[("password", "x"), ("secret", "[redacted:secret]")]]
    assert redactor.named("password", "x").text == "x"


def test_optional_kinds_can_be_switched_on() -> None:
    """Bank accounts and social security numbers are left alone unless they are asked for, and checked then."""
    text = "DE89 3704 0044 0532 0130 00, GB82WEST12345698765432, DE00370400440532013000, 078-05-1120, 000-05-1120"
    redactor = Redactor.chosen(on=["iban", "ssn"])

    assert Redactor().text(text).text == text
    assert redactor.text(text).text == (
        "[redacted:iban], [redacted:iban], DE00370400440532013000, [redacted:ssn], 000-05-1120"
    )


def test_a_value_can_be_allowed() -> None:
    """Values on the list of exceptions stay, by themselves or by a pattern with a star."""
    redactor = Redactor.chosen(allow=["noreply@example.com", "*@example.org", "changeme"])
    maps = pa.array([[("password", "changeme"), ("password2", "x")]], pa.map_(pa.string(), pa.string()))

    assert redactor.text("noreply@example.com ana@example.org bo@example.com").text == (
        "noreply@example.com ana@example.org [redacted:email]"
    )
    assert redactor.text("password=changeme").text == "password=changeme"
    assert redactor.attributes(maps)[0].to_pylist() == [[("password", "changeme"), ("password2", "x")]]
    assert redactor.named("password", "changeme").text == "changeme"


def test_a_pattern_of_ones_own_is_a_kind_of_its_own() -> None:
    """A pattern without a hint is right for columns too; a group called secret says which part goes."""
    redactor = Redactor.chosen(patterns={"badge": r"badge (?P<secret>B\d{4})"})

    assert redactor.text("badge B1234 used").text == "badge [redacted:badge] used"
    assert redactor.column(pa.array(["badge B1234", "x"]))[0].to_pylist() == ["badge [redacted:badge]", "x"]
    assert "badge" in redactor.kinds


@pytest.mark.parametrize(
    ("settings", "field", "names"),
    [
        ({"off": ["mail"]}, "off", "email"),
        ({"on": ["email"]}, "on", "iban"),
        ({"patterns": {"Badge No": "x"}}, "kind", "Badge No"),
        ({"patterns": {"badge": "("}}, "pattern", "("),
        ({"patterns": {"badge": "x*"}}, "pattern", "x*"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, list[str]], field: str, names: str) -> None:
    """A setting that cannot be is refused with its name and what would be right."""
    with pytest.raises(Malformed) as caught:
        Redactor.chosen(**settings)  # type: ignore[arg-type]

    assert caught.value.field == field
    assert names in str(caught.value)


def test_no_rules_change_nothing() -> None:
    """Redaction can be switched off altogether."""
    column = pa.array(["password=x"])

    assert Redactor([]).text("password=x").text == "password=x"
    assert Redactor([]).column(column)[0] is column


def test_every_rule_says_where_to_look() -> None:
    """All rules that come with the product have a hint, so that a column is looked through in one pass."""
    assert all(rule.hint for rule in (*DEFAULT_RULES, *OPTIONAL_RULES))


def test_no_group_repeats_possessively() -> None:
    """Python reads such a group wrongly before 3.11.5, as Debian 12 has it, and lets secrets pass; we write none."""
    possessive = re.compile(r"\)(?:[*+?]|\{[0-9,]*\})\+|\(\?>")
    assert possessive.search(r"(?:a|b)*+")
    assert [rule.pattern for rule in (*DEFAULT_RULES, *OPTIONAL_RULES) if possessive.search(rule.pattern)] == []


def test_luhn_is_checked() -> None:
    """The last digit of a card number follows from the others."""
    assert luhn("4111111111111111")
    assert not luhn("4111111111111112")


def test_an_alert_is_redacted_before_it_is_kept() -> None:
    """Title, text, stack, address and labels of an alert lose their secrets; its key stays."""
    alert = Alert(
        "sentry", "a@b.example", Status.FIRING, "mail to ana@example.org", "auth", Severity.MAJOR, NOW,
        url="https://u:p1@host/x", labels={"password": "x", "host": "a"}, text="token=abc123", stack="password=p2",
    )  # fmt: skip

    clean, counts = redacted_alert(Redactor(), alert)

    assert (clean.key, clean.title, clean.text) == ("a@b.example", "mail to [redacted:email]", "token=[redacted:token]")
    assert (clean.url, clean.stack) == ("https://u:[redacted:password]@host/x", "password=[redacted:password]")
    assert clean.labels == {"password": "[redacted:password]", "host": "a"}
    assert counts == {"email": 1, "token": 1, "password": 3}


def test_a_change_is_redacted_and_its_actor_stays() -> None:
    """Who made a change is what one asks first, so the actor is kept as the sender gave it."""
    change = SystemChange(
        "github", "1", ChangeKind.DEPLOY, NOW, "payment", "Rotate api_key=abc123", actor="ana@example.org",
        labels={"token": "x"},
    )  # fmt: skip

    clean, counts = redacted_change(Redactor(), change)

    assert (clean.title, clean.actor) == ("Rotate api_key=[redacted:api-key]", "ana@example.org")
    assert clean.labels == {"token": "[redacted:token]"}
    assert counts == {"api-key": 1, "token": 1}
