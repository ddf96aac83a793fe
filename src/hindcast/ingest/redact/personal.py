"""What belongs to a person: e-mail addresses and card numbers; bank accounts and social security numbers when asked.

Numbers are checked by their own rule (Luhn, modulo 97), so that identifiers of the same length are left alone.
"""

from __future__ import annotations

from hindcast.ingest.redact.rule import Match, Rule, any_of, secret

# What looks like the end of a domain and is the end of a file, a unit or a package: logo@2x.png, user@1000.service.
_NO_DOMAIN = (
    "service|socket|timer|target|slice|scope|mount|automount|device|swap|path"
    "|png|jpe?g|gif|webp|svg|ico|css|m?js|cjs|jsx|tsx?|py|java|rb|go|rs|so|dll|exe|jar|log|json|ya?ml|md|html?|map|gz|tgz|zip"
)

# Not in an address (//user@host), a path (a/b@c.d), or where a host and a path follow (git@host.example:team/code).
_EMAIL = (
    r"(?<![\w.+%'/@-])[A-Za-z0-9_][\w.+%'-]*+@"
    r"(?:[A-Za-z0-9][A-Za-z0-9-]*+\.(?=[A-Za-z0-9]))+"
    rf"(?!(?:{_NO_DOMAIN})(?![A-Za-z0-9-]))[A-Za-z]{{2,24}}(?![A-Za-z0-9-]|\.[A-Za-z0-9])(?!:(?:[/~]|[\w.-]{{1,64}}/))"
)

# Networks by their first digits and lengths; with one separator between groups of four, or Amex's and Diners' own
# groups. Behind a slash, a dot, a sign or an underscore stands the number of something.
_CARD = (
    r"(?<![\w./+-])(?:"
    r"(?:4[0-9]{3}|5[1-5][0-9]{2}|2(?:2[2-9]|[3-6][0-9]|7[01])[0-9]|2720"
    r"|6011|64[4-9][0-9]|65[0-9]{2}|62[0-9]{2}|35[2-8][0-9])"
    r"([ -]?)[0-9]{4}\1[0-9]{4}\1[0-9]{4}"
    r"|3[47][0-9]{2}([ -]?)[0-9]{6}\2[0-9]{5}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]([ -]?)[0-9]{6}\3[0-9]{4}"
    r")(?![\w-])(?!\.[0-9])"
)
_CARD_HINT = r"\b[2-6][0-9]{3}(?:[0-9]{10,12}\b|[ -][0-9]{4}(?:[0-9]{2})?[ -][0-9])"
# Twelve, thirteen and seventeen to nineteen digits in a row are nearly always something else (a time, a 64-bit id),
# so numbers of those lengths only count where they are called a card.
_CALLED_CARD = (
    r"(?i:(?<![a-z])(?:[a-z]{1,16}[_ -]?)?(?:card|pan|ccn?)(?:[_ -]?(?:number|num|no|nr))?)"
    r"\\{0,3}[\"']?[ ]?[:=#]?[ ]?\\{0,3}[\"']?(?P<secret>[2-6][0-9]{11,18})(?![\w-])(?!\.[0-9])"
)
_CALLED_CARD_HINT = any_of("card", "pan", "ccn", "cc") + r"[A-Za-z_ -]*[\\\"' :=#]*[2-6][0-9]{9}"


def luhn(digits: str) -> bool:
    """Whether the last digit is the one that follows from the others."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        digit = ord(char) - 48
        total += digit if place % 2 == 0 else (digit * 2 - 9 if digit > 4 else digit * 2)
    return total % 10 == 0


def _is_card(match: Match) -> bool:
    digits = "".join(char for char in secret(match) if char.isdigit())
    return luhn(digits) and len(set(digits)) > 1


def _is_iban(match: Match) -> bool:
    text = match[0].replace(" ", "")
    moved = text[4:] + text[:4]
    return 15 <= len(text) <= 34 and int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


PERSONAL_RULES: tuple[Rule, ...] = (
    Rule("email", _EMAIL, hint=r"[\w.+%'-]@[A-Za-z0-9-]+\.[A-Za-z0-9]", words=("@",)),
    Rule("card", _CARD, hint=_CARD_HINT, accepts=_is_card),
    Rule("card", _CALLED_CARD, hint=_CALLED_CARD_HINT, words=("card", "pan", "cc"), accepts=_is_card),
)

# Left alone unless they are asked for: the shapes are common among other identifiers.
OPTIONAL_RULES: tuple[Rule, ...] = (
    Rule(
        "iban",
        r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])",
        hint="[A-Z][A-Z][0-9][0-9] ?[A-Z0-9]",
        accepts=_is_iban,
    ),
    Rule(
        "ssn",
        r"(?<![\w.-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w-])",
        hint="[0-9][0-9][0-9]-[0-9][0-9]-[0-9]",
    ),
)
