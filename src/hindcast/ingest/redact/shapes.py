"""Secrets that are known by their own shape, wherever they stand: keys of well-known makers, tokens, private keys.

A value without a shape of its own (an AWS secret key, a random password) is only found by the name that it stands
under (`hindcast.ingest.redact.named`): 40 random letters could as well be a commit.
"""

from __future__ import annotations

import base64
import binascii

from hindcast.ingest.redact.rule import Match, Rule, any_of, secret

# A key begins where no letter or digit comes before it.
_START = r"(?<![A-Za-z0-9])"

# What a key looks like, what is looked for first in a column, and what in a text.
_KEYS: tuple[tuple[str, str, str], ...] = (
    # Hindcast's own: keys, sessions and invitations
    (r"hc_[\w-]{40,}+|h[islt]_[0-9a-f_]{32,}+", "h[cislt]_", "hc_ hi_ hs_ ht_ hl_"),
    # AWS
    (r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", "AKIA|ASIA|ABIA|ACCA", "akia asia abia acca"),
    # GitHub, GitLab
    (r"gh[opusr]_[A-Za-z0-9]{16,}+", "gh[opusr]_", "gho_ ghp_ ghu_ ghs_ ghr_"),
    (r"github_pat_\w{16,}+", "github_pat_", "github_pat_"),
    (
        r"gl(?:pat|ptt|dt|rt|cbt|agent|oas|soat)-[\w-]{16,}+",
        "gl[a-z]+-",
        "glpat- glptt- gldt- glrt- glcbt- glagent- gloas- glsoat-",
    ),
    # Slack, and the address of an incoming webhook, which is as good as a key
    (r"xox[abceoprs](?:\.xox[bp])?-[\w-]{8,}+", "xox[abceoprs]", "xox"),
    (r"xapp-[\w-]{16,}+", "xapp-", "xapp-"),
    (
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/-]{8,}+)",
        r"hooks\.slack\.com",
        "hooks.slack.com",
    ),
    # Incoming webhooks of Discord and Microsoft Teams, which are as good as keys too
    (
        r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/(?P<secret_discord>[0-9]{6,24}/[\w-]{16,}+)",
        r"discord(?:app)?\.com/api/",
        "discord.com/api/ discordapp.com/api/",
    ),
    (
        r"(?:outlook\.office(?:365)?\.com|webhook\.office\.com)/webhook(?:b2)?/(?P<secret_teams>[\w@/-]{16,}+)",
        r"\.office(?:365)?\.com/webhook",
        ".office.com/webhook .office365.com/webhook",
    ),
    # Stripe
    (r"[sr]k_(?:live|test)_[A-Za-z0-9]{8,}+", "[sr]k_live_|[sr]k_test_", "k_live_ k_test_"),
    (r"whsec_[A-Za-z0-9+/=]{16,}+", "whsec_", "whsec_"),
    # Google
    (r"AIza[\w-]{30,}+", "AIza", "aiza"),
    (r"ya29\.[\w-]{16,}+", r"ya29\.", "ya29."),
    (r"GOCSPX-[\w-]{16,}+", "GOCSPX-", "gocspx-"),
    # OpenAI, Anthropic and others that begin in the same way
    (r"sk-[A-Za-z0-9][\w-]{15,}+", "sk-", "sk-"),
    # Hugging Face, npm, PyPI, Docker
    (r"hf_[A-Za-z0-9]{24,}+", "hf_", "hf_"),
    (r"npm_[A-Za-z0-9]{24,}+", "npm_", "npm_"),
    (r"pypi-[\w-]{40,}+", "pypi-", "pypi-"),
    (r"dckr_[a-z]{1,8}_[\w-]{16,}+", "dckr_", "dckr_"),
    # SendGrid, Twilio, Mailgun, Telegram
    (r"SG\.[\w-]{16,}+\.[\w-]{16,}+", r"SG\.", "sg."),
    (r"SK[0-9a-f]{32}(?![A-Za-z0-9])", "SK[0-9a-f][0-9a-f]", "sk"),
    (r"key-[0-9a-f]{32}(?![A-Za-z0-9])", "key-[0-9a-f][0-9a-f][0-9a-f]", "key-"),
    (r"(?:bot)?[0-9]{6,12}:AA[\w-]{30,}+", ":AA", ":aa"),
    # Terraform Cloud, New Relic, Notion
    (r"[A-Za-z0-9]{6,32}\.atlasv1\.[\w=-]{20,}+", r"\.atlasv1\.", ".atlasv1."),
    (r"NR(?:AK|II|IQ|JS|RA|AA)-[\w-]{16,}+", "NR[A-Z][A-Z]-", "nrak- nrii- nriq- nrjs- nrra- nraa-"),
    (r"[0-9a-f]{32,36}NRAL(?![A-Za-z0-9])", "[0-9a-f]+NRAL", "nral"),
    (r"ntn_[A-Za-z0-9]{20,}+", "ntn_", "ntn_"),
    (r"secret_[A-Za-z0-9]{40,}+", "secret_[A-Za-z0-9]", "secret_"),
    # DigitalOcean, Shopify, Linear, Grafana, HashiCorp Vault, Databricks, Doppler
    (r"do[opr]_v1_[0-9a-f]{32,}+", "do[opr]_v1_", "_v1_"),
    (r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{16,}+", "shp[a-z][a-z]_", "shp"),
    (r"lin_api_[A-Za-z0-9]{16,}+", "lin_api_", "lin_api_"),
    (r"gl(?:sa|c)_[A-Za-z0-9+/=_]{20,}+", "glsa_|glc_", "glsa_ glc_"),
    (r"hv[bsr]\.[\w-]{20,}+", r"hv[bsr]\.", "hvb. hvs. hvr."),
    (r"dapi[0-9a-f]{32}(?![A-Za-z0-9])", "dapi[0-9a-f]", "dapi"),
    (r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{20,}+", r"dp\.[a-z]+\.", "dp."),
    (r"AGE-SECRET-KEY-1[A-Z0-9]{20,}+", "AGE-SECRET-KEY-", "age-secret-key-"),
)

BASIC_CHARS_MAX = 4096


def _is_credential(match: Match) -> bool:
    """Words may follow "bearer" as well; a token has a digit in it or is longer than words are."""
    token = secret(match)
    return len(token) >= 24 or any(char.isdigit() for char in token)


def _is_random(match: Match) -> bool:
    """A line of a key has letters of both cases and digits in it; a hash in hexadecimal has not."""
    text = secret(match)
    has = [any(char.islower() for char in text), any(char.isupper() for char in text), any(map(str.isdigit, text))]
    return sum(has) + any(char in "+/=" for char in text) >= 3


def is_user_and_password(match: Match) -> bool:
    """What follows "basic" is a credential if it says user:password in Base64."""
    encoded = secret(match)[:BASIC_CHARS_MAX]
    padded = encoded.rstrip("=")
    try:
        return b":" in base64.b64decode(padded[: len(padded) // 4 * 4] or padded, validate=True)
    except (binascii.Error, ValueError):
        return False


SHAPE_RULES: tuple[Rule, ...] = (
    # To the end of the block, or of the text where the block was cut.
    Rule(
        "private-key",
        r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]++|-(?!----END ))*(?:-----END [A-Z0-9 ]{0,60}-----)?",
        hint="-----BEGIN ",
        words=("-----begin ",),
    ),
    Rule("private-key", r"PuTTY-User-Key-File-[0-9]: (?s:.+)", hint="PuTTY-User-Key-File-", words=("putty-user-key-",)),
    # A line of such a block that came as a text of its own: full, or the padded end.
    Rule(
        "private-key",
        r"\A\s{0,8}(?P<secret>[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{76}|[A-Za-z0-9+/]{6,75}={1,2})\s{0,8}\Z",
        hint=r"^\s*[A-Za-z0-9+/]{40}[A-Za-z0-9+/=]*\s*$|^\s*[A-Za-z0-9+/]+==?\s*$",
        accepts=_is_random,
    ),
    # A JSON web token has three parts, an encrypted one five.
    Rule("token", r"(?<![\w-])eyJ[\w-]{8,}+(?:\.[\w-]*+){2,4}", hint="eyJ", words=("eyj",)),
    Rule(
        "api-key",
        _START + "(?:" + "|".join(key for key, _, _ in _KEYS) + ")",
        hint=r"(?:\b|_)(?:" + "|".join(hint for _, hint, _ in _KEYS) + ")",
        words=tuple(word for _, _, words in _KEYS for word in words.split()),
    ),
    Rule(
        "token",
        r"(?i:(?<![a-z0-9])bearer)[ \t]{1,3}(?P<secret>[A-Za-z0-9._~+/=-]{8,}+)",
        hint=any_of("bearer") + "[ \t]",
        words=("bearer",),
        accepts=_is_credential,
    ),
    Rule(
        "password",
        r"(?i:(?<![a-z0-9])basic)[ \t]{1,3}(?P<secret>[A-Za-z0-9+/]{4,}+={0,2})",
        hint=any_of("basic") + "[ \t]",
        words=("basic",),
        accepts=is_user_and_password,
    ),
)
