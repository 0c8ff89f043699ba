"""Encrypt ("seal") a text for one owner and one purpose.

A sealed value is `v1.<key id>.<Fernet token>`. The key id names the key of VAULT_KEYS, so that values of older keys can be found
without decrypting them. Fernet has no associated data, so owner and purpose are part of the plaintext: a value copied to another
row can't be unsealed there.
"""

import json
from functools import lru_cache
from hashlib import sha256
from typing import Self

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

VERSION = "v1"


class CannotOpen(Exception):  # noqa: N818 - reads as a sentence
    """A value can't be unsealed: its key is gone, it was altered, or owner or purpose differ.

    The person has to store the secret again.
    """


class Sealed:
    """A sealed text as stored in the database; `repr` and `str` hide it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    @classmethod
    def seal(cls, text: str, *, owner: int, purpose: str) -> Self:
        """Seal a text with the newest key. `owner` is a person's id, `purpose` the text's use."""
        inside = json.dumps({"owner": owner, "purpose": purpose, "text": text})
        return cls(newest_prefix() + _fernet(tuple(settings.VAULT_KEYS)).encrypt(inside.encode()).decode())

    def open(self, *, owner: int, purpose: str) -> str:
        """Return the text. Raises `CannotOpen` unless it was sealed for this owner and purpose."""
        inside = self._inside()
        if inside.get("owner") != owner or inside.get("purpose") != purpose:
            raise CannotOpen("It was sealed for another owner or purpose.")
        return str(inside["text"])

    def resealed(self) -> "Sealed":
        """Return the same content sealed with the newest key. Raises `CannotOpen`."""
        inside = self._inside()
        return Sealed.seal(str(inside["text"]), owner=int(inside["owner"]), purpose=str(inside["purpose"]))

    def stored(self) -> str:
        """Return the text of the database column."""
        return self._text

    def _inside(self) -> dict[str, str | int]:
        version, _, rest = self._text.partition(".")
        name, _, token = rest.partition(".")
        if version != VERSION or name not in {key_id(key) for key in settings.VAULT_KEYS}:
            raise CannotOpen("None of the keys in VAULT_KEYS sealed it.")
        try:
            inside = json.loads(_fernet(tuple(settings.VAULT_KEYS)).decrypt(token.encode()))
        except (InvalidToken, ValueError):
            raise CannotOpen("It is damaged.") from None
        if not isinstance(inside, dict) or inside.keys() != {"owner", "purpose", "text"}:
            raise CannotOpen("It is damaged.")
        return inside

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sealed) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "Sealed(…)"

    __str__ = __repr__


def key_id(key: str) -> str:
    """Return the first eight hex digits of the key's SHA-256."""
    return sha256(key.encode()).hexdigest()[:8]


def newest_prefix() -> str:
    """Return the prefix of all values sealed with the newest key."""
    return f"{VERSION}.{key_id(settings.VAULT_KEYS[0])}."


@lru_cache(maxsize=4)
def _fernet(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
