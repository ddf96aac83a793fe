"""Passwords as argon2id hashes, with the parameters that the library recommends for servers."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError


class Argon2Passwords:
    """See `ports.Passwords`."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()

    def hashed(self, password: str, salt: bytes) -> str:
        """What is kept of a password."""
        return self._hasher.hash(password, salt=salt)

    def is_right(self, password: str, kept: str) -> bool:
        """Whether a password is the one that this was made of."""
        try:
            return self._hasher.verify(kept, password)
        except (VerificationError, InvalidHashError):
            return False

    def is_outdated(self, kept: str) -> bool:
        """Whether it was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(kept)
