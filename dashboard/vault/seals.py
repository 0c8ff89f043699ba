"""Seal a text for one owner and purpose, and open it again for the same two only.

A sealed value is `v1.<key id>.<Fernet token>`. The key id names the key of VAULT_KEYS that sealed it, so that what is still to be
re-sealed can be found without opening anything. Fernet binds no context, therefore owner and purpose stand inside the plaintext:
a value copied to another row does not open there.
"""

import json
from functools import lru_cache
from hashlib import sha256
from typing import Self

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

VERSION = "v1"


class CannotOpen(Exception):  # noqa: N818 - what happened, for a sentence
    """A sealed value that does not open: its key is gone, it was changed, or it belongs to somebody else.

    The way out is always the same: the person stores the secret again.
    """


class Sealed:
    """A sealed text as the database keeps it. Neither `repr` nor `str` shows it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    @classmethod
    def seal(cls, text: str, *, owner: int, purpose: str) -> Self:
        """Seal with the newest key. `owner` is a person's id, `purpose` says what the text is and where it may go."""
        inside = json.dumps({"owner": owner, "purpose": purpose, "text": text})
        return cls(newest_prefix() + _fernet(tuple(settings.VAULT_KEYS)).encrypt(inside.encode()).decode())

    def open(self, *, owner: int, purpose: str) -> str:
        """The text, if it was sealed for this owner and purpose; `CannotOpen` otherwise."""
        inside = self._inside()
        if inside.get("owner") != owner or inside.get("purpose") != purpose:
            raise CannotOpen("It was sealed for somebody or something else.")
        return str(inside["text"])

    def resealed(self) -> "Sealed":
        """The same content under the newest key; `CannotOpen` if it can't be read."""
        inside = self._inside()
        return Sealed.seal(str(inside["text"]), owner=int(inside["owner"]), purpose=str(inside["purpose"]))

    def stored(self) -> str:
        """What goes into the database column."""
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
    """The first eight hex digits of the key's SHA-256: enough to find it again, nothing to learn from."""
    return sha256(key.encode()).hexdigest()[:8]


def newest_prefix() -> str:
    """How every value begins that is sealed with the newest key."""
    return f"{VERSION}.{key_id(settings.VAULT_KEYS[0])}."


@lru_cache(maxsize=4)
def _fernet(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
