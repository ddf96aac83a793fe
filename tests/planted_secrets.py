"""Secrets as they end up in logs, one of each sort, for tests of every door.

Put together from parts, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass

A = "Zq9xW3vB7nK1mT5rY8cD2fG6hJ4"
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
PEM_LINE = "MIIEowIBAAKCAQEA7bq1y2k3nN8zO0pQm5sT6uV7wX8yZ9aB1cD2eF3gH4iJ5kL6"
PEM_END = "Qk9uT3pWc1hZ0a=="


@dataclass(frozen=True)
class Planted:
    """A text as it is logged, and the part that nothing may keep."""

    name: str
    text: str
    secret: str


def _pem(kind: str) -> str:
    return (
        f"-----BEGIN {kind}PRIVATE KEY-----\n{PEM_LINE}\n{PEM_LINE[::-1]}\n{PEM_END}\n-----END {kind}PRIVATE KEY-----"
    )


def _login(name: str) -> str:
    return base64.b64encode(f"ana:{_own(name, A)}".encode()).decode()


_SHAPED = {
    "aws access key": "AKIA" + "Q3EGRIOSFODNN7QQ",
    "aws session key": "ASIA" + "Q3EGRIOSFODNN7QZ",
    "github token": "ghp_" + A + "0123456789",
    "github app token": "ghs_" + A + "0123456789",
    "github fine-grained token": "github_pat_" + "11ABCDEFG0" + A + "_" + A,
    "gitlab token": "glpat-" + A[:20],
    "gitlab runner token": "glrt-" + A[:20],
    "slack bot token": "xoxb-" + "123456789012-" + A,
    "slack app token": "xapp-1-" + A + "-" + A,
    "slack webhook": "https://hooks.slack.com/services/T00000000/B00000000/" + A,
    "discord webhook": "https://discord.com/api/webhooks/112233445566778899/" + A + A,
    "discord webhook, older": "https://discordapp.com/api/webhooks/112233445566778899/" + A + A,
    "teams webhook": "https://acme.webhook.office.com/webhookb2/" + A + "@" + A + "/IncomingWebhook/" + HEX[:32],
    "telegram bot token": "110201543:AA" + A + "abcdef",
    "telegram address": "https://api.telegram.org/bot110201543:AA" + A + "abcdef",
    "stripe key": "sk_live_" + A,
    "stripe restricted key": "rk_live_" + A,
    "stripe webhook secret": "whsec_" + A,
    "google api key": "AIza" + A + "abcdefgh",
    "google oauth token": "ya29." + A,
    "google client secret": "GOCSPX-" + A,
    "openai key": "sk-proj-" + A,
    "anthropic key": "sk-ant-api03-" + A,
    "hugging face token": "hf_" + A,
    "npm token": "npm_" + A,
    "pypi token": "pypi-" + A + A,
    "docker token": "dckr_pat_" + A,
    "sendgrid key": "SG." + A + "." + A,
    "twilio key": "SK" + HEX[:32],
    "mailgun key": "key-" + HEX[:32],
    "digitalocean token": "dop_v1_" + HEX,
    "shopify token": "shpat_" + HEX[:32],
    "linear key": "lin_api_" + A,
    "grafana token": "glsa_" + A + "_1a2b3c4d",
    "vault token": "hvs." + A,
    "databricks token": "dapi" + HEX[:32],
    "doppler token": "dp.pt." + A,
    "age key": "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "terraform token": "2KQFnPkbxWu5Ij.atlasv1." + A + A,
    "new relic key": "NRAK-" + "ABCDEFGHIJ0123456789KLMNOPQ",
    "new relic license": HEX[:36] + "NRAL",
    "notion token": "ntn_" + A + "0123456789",
    "hindcast key": "hc_write_" + HEX[:12] + "_" + HEX,
    "hindcast session": "hs_" + HEX[:12] + "_" + HEX,
    "hindcast invitation": "hi_" + HEX[:12] + "_" + HEX,
    "json web token": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + A,
}
_NAMED = {
    "password": ("password=%s", A),
    "password in json": ('{"password": "%s"}', A),
    "password in yaml": ("db_password: '%s'", A),
    "password in xml": ("<db:password>%s</db:password>", A),
    "password in an option": ("mysql --password %s -h db", A),
    "password behind -p": ("mysqldump -u root -p%s shop", A),
    "password of sshpass": ("sshpass -p '%s' ssh deploy@10.0.0.1", A),
    "password of redis-cli": ("redis-cli -h cache -a %s ping", A),
    "password of curl": ("curl -u admin:%s https://db.internal/", A),
    "password in sql": ("CREATE USER app IDENTIFIED BY '%s'", A),
    "password in an address": ("postgres://app:%s@db:5432/shop", A),
    "password without a user": ("redis://:%s@cache:6379/0", A),
    "password of go's mysql": ("app:%s@tcp(db:3306)/shop", A),
    "password of oracle": ("jdbc:oracle:thin:scott/%s@db:1521", A),
    "password in a connection string": ("Server=db;User=sa;Pwd=%s;Database=shop", A),
    "password, encoded": ("body=user%%3Dana%%26password%%3D%s%%26x%%3D1", A),
    "password in encoded json": ("q=%%7B%%22password%%22%%3A%%22%s%%22%%7D", A),
    "password in spanish": ("contraseña=%s", A),
    "password in german": ("Passwort: %s", A),
    "password in french": ("mot de passe : %s", A),
    "password in russian": ("пароль=%s", A),
    "password in chinese": ("密码：%s", A),
    "passphrase": ("passphrase=%s", A),
    "bearer token": ("Authorization: Bearer %s", A),
    "digest credentials": ('Authorization: Digest username="m", response="%s"', HEX[:32]),
    "token": ("token=%s", A),
    "refresh token": ("refreshToken: '%s'", A),
    "token option": ("deploy --token %s", A),
    "api key": ("x-api-key: %s", A),
    "aws secret key": ("aws_secret_access_key=%s", A + "abcdefghijklm"),
    "azure account key": ("AccountKey=%s;EndpointSuffix=core", A + "=="),
    "client secret": ("client_secret=%s", A),
    "key in an address": ("GET /maps/api/js?key=%s&v=3", A),
    "code of a sign-in": ("GET /callback?code=%s&state=x1", A),
    "signed address": ("GET /backup.tgz?se=2026&sig=%s", A),
    "cookie": ("Cookie: sid=%s; theme=dark", A),
    "session id": ("GET /cart;JSESSIONID=%s", A),
}

_LOGINS = {
    "basic credentials": "Authorization: Basic %s",
    "docker login": '{"auths":{"registry.acme.example":{"auth":"%s"}}}',
}


def _own(name: str, text: str) -> str:
    """The text with random parts of its own, so that it is known which secret was kept."""
    made = hashlib.sha256(name.encode()).hexdigest()
    letters = "".join(chr(ord("K") + int(char, 16)) if place % 2 else char for place, char in enumerate(made))
    return text.replace(A, letters[: len(A)]).replace(HEX[:32], made[:32])


PLANTED: tuple[Planted, ...] = (
    *(
        Planted(name, f"upstream said {_own(name, text)} at 10:02", _own(name, text).rpartition("/webhook")[2][-24:])
        for name, text in _SHAPED.items()
    ),
    *(Planted(name, template % _own(name, value), _own(name, value)) for name, (template, value) in _NAMED.items()),
    *(Planted(name, text % _login(name), _login(name)) for name, text in _LOGINS.items()),
    Planted("private key", _pem("RSA "), PEM_LINE),
    Planted("openssh key", _pem("OPENSSH "), PEM_LINE),
    Planted("private key, escaped", _pem("EC ").replace("\n", "\\n"), PEM_LINE),
)
