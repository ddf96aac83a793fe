"""Secrets that are known by the name they stand under: `password=…`, `"api_key": "…"`, `Cookie: …`, `user:…@host`.

The name, the user and the host stay; only the value goes. A value that plainly is none (`password: required`,
`token=null`, `${DB_PASSWORD}`) stays too, because what it says is worth more than it hides.
"""

from __future__ import annotations

import re

from hindcast.ingest.redact.rule import Match, Rule, any_of, secret
from hindcast.ingest.redact.shapes import is_user_and_password

# Between a name and its value: `=`, `:`, `=>`, with the closing quote of a JSON name, escaped or not.
_BETWEEN = r"""\\{0,7}["'`]?\]?[ \t]{0,3}(?:=>|:=|==?|:|：)[ \t]{0,3}"""
_BETWEEN_HINT = r"""[\\"'`\]]*[ \t]*[:=：]"""

# A value in quotes goes up to the closing one, or to the end of a text that was cut before it. The third form is JSON
# inside of JSON, where the quotes themselves are escaped; the fourth is that one level deeper.
_QUOTED = (
    r""""(?P<secret_double>[^"\\]*+(?:\\(?s:.)[^"\\]*+)*)"""
    r"""|'(?P<secret_single>[^'\\]*+(?:\\(?s:.)[^'\\]*+)*)"""
    r"""|\\"(?P<secret_escaped>[^"\\]*+(?:\\\\(?:\\(?s:.)|[^\\])[^"\\]*+)*)"""
    r"""|\\{2,7}"(?P<secret_deep>[^"\\]*+(?:\\(?!\\{0,7}")[^"\\]*+)*)"""
)
# A value without quotes ends at white space, and at punctuation unless the value goes on right behind it. A comma, a
# semicolon or an ampersand before another name ends it too, and so does the \\n of a line break inside of JSON.
_BARE = (
    r"""(?P<secret_bare>(?:[^\s"'`,;&)\]}<>|\\]++"""
    r"""|[,;&](?!\s|\Z|[\w.%\[\]-]{1,64}[=:])"""
    r"""|["'`)\]}>|](?=[A-Za-z0-9])|\\(?![nrt])(?=[A-Za-z0-9]))+)"""
)
_VALUE = f"(?:{_QUOTED}|{_BARE})"

# What stands in place of a secret, or speaks about one.
_WORDS = frozenset(
    """
    null none nil undefined true false yes no empty unset set blank hidden masked redacted filtered removed
    required invalid incorrect expired missing wrong mismatch must cannot can is was are not too failed failure ok valid
    changed reset updated accepted denied rejected unknown provided given generated rotated revoked unauthorized granted
    allowed forbidden disabled enabled optional error authentication string bearer basic
    """.split()  # noqa: SIM905
)
_STANDS_FOR_ANOTHER = re.compile(
    r"[*.xX•#-]+|\$\{[^{}]*\}?|\$[A-Z_][A-Z0-9_]*|\$\([\w.-]+\)?|%(?:\(\w+\))?[sdrvq]|\{\{?[\w. ]*\}?\}?|\?|<[\w -]*>?"
)
# How a cluster names the object that holds a secret: namespace/name.
_OBJECT = re.compile(r"[a-z0-9.-]{1,64}/[a-z0-9.-]{1,64}")

# What a credential is made of when nothing quotes it.
_TOKEN = re.compile(r"[\w.~+/=:%@!*,;&$^#?|'`\"\\-]+")
TOKEN_CHARS_MIN = 6
# A shorter number counts something, a longer one may be a credential.
TOKEN_DIGITS_MIN = 12
# After a colon, a shorter word without digits is part of a sentence.
TOKEN_LETTERS_MIN = 16


def _is_said(match: Match) -> bool:
    """Whether a value is one at all, and no word about one."""
    value = secret(match)
    return value.strip("[]()<>.!").lower() not in _WORDS and not _STANDS_FOR_ANOTHER.fullmatch(value)


def _is_password(match: Match) -> bool:
    """PWD is also where a shell stands, and whoever counts passes and failures writes a number, or a colon."""
    name, value = match["name"].lower(), secret(match)
    if name == "pwd" and value.startswith(("/", "~", "C:\\")):
        return False
    if name == "pass" and (value.isdigit() or (match["secret_bare"] is not None and "=" not in match["between"])):
        return False
    return _is_said(match)


def _is_secret(match: Match) -> bool:
    return _is_said(match) and not _OBJECT.fullmatch(secret(match))


def _is_token(match: Match) -> bool:
    """Parsers complain of tokens and models count them; a credential is longer than a number, and no plain word."""
    value = secret(match)
    if len(value) < TOKEN_CHARS_MIN or (value.isdigit() and len(value) < TOKEN_DIGITS_MIN):
        return False
    if match["secret_bare"] is not None:
        # Token{d43ac4b and login(user are how programs print things.
        if not _TOKEN.fullmatch(value):
            return False
        if "=" not in match["between"] and value.isalpha():
            return len(value) >= TOKEN_LETTERS_MIN
    return _is_said(match)


def _is_random(match: Match) -> bool:
    """A name is a word, a number or words; a credential mixes letters and digits, or is longer than words are."""
    value = secret(match)
    mixed = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return (mixed or (len(value) >= 24 and "_" not in value and "-" not in value)) and _is_said(match)


def _is_login(match: Match) -> bool:
    """`--user 1000:1000` and `--user root:root` say who runs a process, not how somebody logs in."""
    value = secret(match)
    return not value.isdigit() and value != match["user"]


def _named(names: str) -> str:
    return f"(?i:(?P<name>{names}))(?P<between>{_BETWEEN}){_VALUE}"


def _option(names: str) -> str:
    return (
        rf"(?<![\w-])--?(?i:(?P<name>{names}))(?P<between>[ ]{{1,3}})(?![-|])"
        r"(?:\"(?P<secret_double>[^\"]{1,512})|'(?P<secret_single>[^']{1,512})|(?P<secret_bare>[^\s\"']{1,512}))"
    )


# A credential inside of an address that somebody may open.
_SIGNED = r"(?i:[?&](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|awsaccesskeyid)=)"

# What stands under these is a credential if it looks like one: the code of a sign-in, the key of a service.
_ASKED = r"(?i:[?&;](?:key|code|auth|pass|pw|sas|apikey|authkey|session|sid)=)"

# Passwords as other languages name them.
_ABROAD = (
    "contrase(?:ñ|n|%C3%B1)a",
    "clave",
    "mot[_ -]?de[_ -]?passe",
    "mdp",
    "(?:pass|kenn|zugangs)wort",
    "senha",
    "wachtwoord",
    "parola",
    "has(?:ł|l)o",
    "heslo",
    "salasana",
    "adgangskode",
    "l(?:ö|o)senord",
    "(?:ş|s)ifre",
    "jelsz(?:ó|o)",
    "пароль",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "암호",
)
_ABROAD_WORDS = tuple(
    """
    contraseña contrasena contrase%c3%b1a clave passe mdp wort senha wachtwoord parola hasło haslo heslo salasana
    adgangskode senord ifre jelszó jelszo пароль 密码 密碼 口令 パスワード 비밀번호 암호
    """.split()  # noqa: SIM905
)

# In an address or a form, `=` and `:` are written %3D and %3A, quotes %22.
_ENCODED_NAMES = r"passw(?:or)?d|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|client[_-]?secret"
_ENCODED = (
    rf"(?i:(?P<name>{_ENCODED_NAMES})(?:%22)?%(?:25)?3[da](?:%20|\+)?(?:%22)?)"
    r"(?P<secret>(?:[^\s\"'&%<>\\]|%(?!22|26|2C|2c|0[AaDd])[0-9A-Fa-f]{2}){3,512})"
)

_COOKIE_NAME = r"[\w.!#$%*+^|~-]{1,128}"
_COOKIES = rf"{_COOKIE_NAME}=[^\s;,\"'\\]*+(?:;[ ]?{_COOKIE_NAME}(?:=[^;\"'\\\r\n]*+)?)*"
_SESSIONS = r"JSESSIONID|PHPSESSID|ASP\.NET_SessionId|ASPSESSIONID\w{0,16}|connect\.sid|laravel_session"

# Digest, AWS4-HMAC-SHA256 and the like are lists of name=value.
_PAIRS = r"""(?P<secret_pairs>(?:[\w-]{1,64}=(?:\\{0,3}"[^"\r\n]*+"|[^\s",]*+)(?:,[ ]{0,3})?)+)"""

NAMED_RULES: tuple[Rule, ...] = (
    # scheme://user:password@host. Up to the last @ before the path; else a password with a slash in it.
    Rule(
        "password",
        r"://[^\s/:@?#\"'<>]{0,256}+:(?:(?P<secret>[^\s/\"'<>]{1,256})(?=@)"
        r"|(?![0-9]{1,5}[/?#])(?P<secret_slashed>[^\s\"'<>@]{1,256})(?=@[\w\[]))",
        hint=r"://[^ /@]*:[^ ]+@",
        words=("://",),
    ),
    # Without a scheme: user:password@tcp(host), jdbc:oracle:thin:user/password@host, curl -u user:password.
    Rule(
        "password",
        r"(?<![\w:/.-])[\w.-]{1,64}+:(?P<secret>[^\s@/\"']{1,256}+)@(?:tcp|unix|udp|cloudsql)\(",
        hint=r"@(?:tcp|unix|udp|cloudsql)\(",
        words=("@tcp(", "@unix(", "@udp(", "@cloudsql("),
    ),
    Rule(
        "password",
        r"(?i:jdbc:oracle:\w{1,8}:)[\w.-]{1,64}+/(?P<secret>[^\s@\"']{1,256}+)@",
        hint=any_of("jdbc:oracle:"),
        words=("jdbc:oracle:",),
    ),
    Rule(
        "password",
        r"(?<![\w-])(?:-u|--user)[ =]?[\"']?(?P<user>[\w.@-]{1,64}+):(?P<secret>[^\s\"']{1,256})",
        hint=r"(?:^|[^\w-])(?:-u|--user)[ =]?[\"']?[\w.@-]+:",
        words=("-u", "--user"),
        accepts=_is_login,
    ),
    Rule(
        "token",
        r"(?i:authorization)" + _BETWEEN + r"""\\{0,3}["'`]?\[?["']?(?:"""
        r"(?i:digest|hawk|oauth|signature|aws4-hmac-sha256|hmac-sha256)[ ]{1,3}"
        + _PAIRS
        + r"|(?:(?i:bearer|basic|token|negotiate|ntlm|apikey|api-key|key|hmac)[ ]{1,3})?"
        r"(?!(?i:digest|hawk|oauth|signature|aws4-hmac-sha256|hmac-sha256)[ ])(?P<secret>[^\s\"',;\\\]]++))",
        hint=any_of("authorization") + _BETWEEN_HINT,
        words=("authorization",),
        accepts=_is_said,
    ),
    Rule(
        "cookie",
        r"(?i:cookies?2?)" + _BETWEEN + r"""\\{0,3}["'`]?\[?["']?""" + f"(?P<secret>{_COOKIES})",
        hint=any_of("cookie") + "[sS]?2?" + _BETWEEN_HINT,
        words=("cookie",),
    ),
    Rule(
        "cookie",
        rf"(?i:(?<![A-Za-z0-9])(?:{_SESSIONS}))=(?P<secret>[^\s;,&\"'\\]++)",
        hint=any_of("sessionid", "phpsessid", "connect.sid", "laravel_session") + r"\w*=",
        words=("sessionid", "phpsessid", "connect.sid", "laravel_session"),
    ),
    Rule(
        "token",
        _SIGNED + r"(?P<secret>[^\s&\"'<>]{8,}+)",
        hint=r"[?&]" + any_of("sig", "x-amz-s", "x-goog-s", "awsaccess") + r"[\w-]*=",
        words=("sig", "x-amz-s", "x-goog-s", "awsaccess"),
    ),
    Rule(
        "token",
        _ASKED + r"(?P<secret>[\w.~/+%=-]{10,}+)",
        hint=r"[?&;]" + any_of("key", "code", "auth", "pass", "pw", "sas", "api", "s") + r"[\w-]*=",
        words=("key=", "code=", "auth=", "pass=", "pw=", "sas=", "session=", "sid="),
        accepts=_is_random,
    ),
    Rule(
        "password",
        _ENCODED,
        hint=any_of("passw", "pwd", "passphrase", "secret", "token", "key") + r"[\w-]*(?:%22)?%(?:25)?3[aAdD]",
        words=("%3d", "%3a", "%253d", "%253a"),
        accepts=_is_said,
    ),
    Rule(
        "password",
        r"(?<![A-Za-z])_?(?i:auth)" + _BETWEEN + r"""\\{0,3}["'`]?(?P<secret>[A-Za-z0-9+/]{6,}+={0,2})""",
        hint=any_of("auth") + _BETWEEN_HINT,
        words=("auth",),
        accepts=is_user_and_password,
    ),
    Rule(
        "password",
        r"(?<![\w-])(?i:mysql|mariadb)[\w-]{0,16}[ ][^\n|;&]{0,256}?(?<= )-p[\"']?(?P<secret>[^\s\"']{1,256})",
        hint=any_of("mysql", "mariadb") + r"[\w-]* [^\n|;&]*-p[^ ]",
        words=("mysql", "mariadb"),
        accepts=_is_said,
    ),
    Rule(
        "password",
        r"(?i:sshpass)[ ]{1,3}-p[ ]{0,3}(?:\"(?P<secret_double>[^\"]{1,256})|'(?P<secret_single>[^']{1,256})"
        r"|(?P<secret_bare>[^\s\"']{1,256}))",
        hint=any_of("sshpass") + " +-p",
        words=("sshpass",),
        accepts=_is_said,
    ),
    Rule(
        "password",
        r"(?i:redis-cli)[ ][^\n|;&]{0,256}?(?<= )(?:-a|--pass)[ ][\"']?(?P<secret>[^\s\"']{1,256})",
        hint=any_of("redis-cli") + r" [^\n|;&]*-(?:a|-pass) ",
        words=("redis-cli",),
        accepts=_is_said,
    ),
    Rule(
        "password",
        _named("|".join(_ABROAD)),
        hint=any_of(*_ABROAD_WORDS) + _BETWEEN_HINT,
        words=_ABROAD_WORDS,
        accepts=_is_password,
    ),
    Rule(
        "password",
        _named(
            r"passw(?:or)?d(?:[_-]?(?:hash|digest|salt|confirm(?:ation)?|again|repeat|new|old|plain|value|[0-9]{1,2}))?"
            r"|passphrase|passcode|(?<![a-z])pwd|(?<![a-z])pass"
        ),
        hint=any_of("pass", "pwd") + r"[\w-]*" + _BETWEEN_HINT,
        words=("pass", "pwd"),
        accepts=_is_password,
    ),
    Rule(
        "password",
        r"(?i:<(?:\w{1,32}[:.])?\w{0,32}passw(?:or)?d>)(?P<secret>[^<]{1,512})",
        hint=any_of("passw") + r"\w*>",
        words=("passw",),
    ),
    Rule(
        "password",
        r"(?i:identified[ ]{1,3}by[ ]{1,3}(?:password[ ]{1,3})?)['\"](?P<secret>[^'\"]{1,256})",
        hint=any_of("identified "),
        words=("identified ",),
    ),
    Rule(
        "password",
        _option("[a-z-]{0,16}passw(?:or)?d|passphrase"),
        hint="-[a-zA-Z-]*" + any_of("pass") + "[a-zA-Z]* ",
        words=("passw", "passphrase"),
        accepts=_is_said,
    ),
    Rule(
        "token",
        _option("[a-z-]{0,16}(?:token|api-?key|secret)"),
        hint="-[a-zA-Z-]*" + any_of("token", "key", "secret") + " ",
        words=("token ", "key ", "secret "),
        accepts=_is_token,
    ),
    Rule(
        "secret",
        _named(r"secret(?:[_-]?(?:access[_-]?key|key[_-]?base|key|token|value|string))?"),
        hint=any_of("secret") + r"[\w-]*" + _BETWEEN_HINT,
        words=("secret",),
        accepts=_is_secret,
    ),
    Rule(
        "api-key",
        _named(
            r"(?:api|access|account|auth|client|encryption|function|license|master|private|service|signing|ssh|storage"
            r"|subscription|webhook)[_-]?key"
        ),
        hint="[a-zA-Z][_-]?" + any_of("key") + _BETWEEN_HINT,
        words=("key",),
        accepts=_is_token,
    ),
    Rule("token", _named("token"), hint=any_of("token") + _BETWEEN_HINT, words=("token",), accepts=_is_token),
)

# The last part of an attribute's name without its hyphens, and the kind of what stands under it.
_ATTRIBUTE_KINDS = tuple(
    (kind, re.compile(pattern, re.ASCII))
    for kind, pattern in (
        ("password", r"\w{0,200}(?:passw(?:or)?d|passphrase|passcode)(?:hash|confirm(?:ation)?)?|pass|pwd"),
        ("password", r"contrase[ñn]a|clave|motdepasse|mdp|(?:pass|kenn)wort|senha|wachtwoord|parola|has[łl]o|пароль"),
        ("cookie", r"(?:set)?cookies?2?|jsessionid|phpsessid"),
        ("secret", r"\w{0,200}secret(?:key|accesskey|token|value|string|keybase)?|credentials?"),
        ("token", r"(?:proxy)?authorization|\w{0,200}token|jwt|bearer|xamzsignature"),
        ("api-key", r"\w{0,200}(?:api|access|account|auth|encryption|master|private|signing|subscription|ssh)key"),
    )
)
_PART = re.compile(r"[./:\s\[\]]+")


def kind_of_name(name: str) -> str | None:
    """The kind of secret that an attribute's name promises: `http.request.header.set-cookie` promises a cookie.

    The name's last part counts, and all of it: `token_count` and `password_changed_at` promise nothing.
    """
    parts = [part for part in _PART.split(name.lower()) if part and not part.isdigit()]
    if not parts:
        return None
    last = re.sub(r"[_-]", "", parts[-1])
    return next((kind for kind, pattern in _ATTRIBUTE_KINDS if pattern.fullmatch(last)), None)
