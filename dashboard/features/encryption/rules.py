"""Root keys as texts: their form, their fingerprint, new ones, and how one travels through a form without being seen."""

import json
import re
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from typing import Self

from django.utils import timezone

from dashboard.vault.seals import CannotOpen, Sealed

LENGTH = 64
FORM = re.compile(r"[0-9a-f]{64}")
LEAST_DIFFERENT = 6
PATIENCE = timedelta(minutes=30)


class TooLate(Exception):  # noqa: N818 - a state of the form
    """A sealed replacement that was left too long, or is not one."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A key that may take the place of another: for this person, this project, and this present key only."""

    key: str = field(repr=False)
    replaces: str
    lowered: bool = False
    made: bool = False

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.key)

    def sealed(self, *, owner: int, ref: str) -> str:
        """For a hidden field: nobody can read it there, and nobody can put another key in its place."""
        inside = {
            "key": self.key,
            "replaces": self.replaces,
            "lowered": self.lowered,
            "made": self.made,
            "at": timezone.now().timestamp(),
        }
        return Sealed.seal(json.dumps(inside), owner=owner, purpose=_purpose(ref)).stored()

    @classmethod
    def opened(cls, sealed: str, *, owner: int, ref: str) -> Self:
        """Raises `TooLate` for one that is older than half an hour, belongs elsewhere, or was touched."""
        try:
            inside = json.loads(Sealed(sealed).open(owner=owner, purpose=_purpose(ref)))
        except CannotOpen:
            raise TooLate from None
        if not 0 <= timezone.now().timestamp() - inside["at"] <= PATIENCE.total_seconds():
            raise TooLate
        return cls(key=inside["key"], replaces=inside["replaces"], lowered=inside["lowered"], made=inside["made"])


def new_key() -> str:
    """32 bytes of the system's random source, as the service writes them."""
    return secrets.token_hex(LENGTH // 2)


def fingerprint(key: str) -> str:
    """The first 16 hex digits of the SHA-256 of the key's text, in groups of four."""
    found = sha256(key.encode()).hexdigest()[:16]
    return " ".join(found[start : start + 4] for start in range(0, 16, 4))


def short(digest: str) -> str:
    """The same fingerprint, from a digest as the journal keeps it ("sha256:…"); empty for anything else."""
    name, _, found = digest.partition(":")
    return " ".join(found[start : start + 4] for start in range(0, 16, 4)) if name == "sha256" else ""


def key_problem(key: str) -> str | None:
    """Why this can't be a root key, as a sentence. It never quotes the key."""
    if len(key) != LENGTH:
        return f"A root key has {LENGTH} characters; this has {len(key)}."
    if not FORM.fullmatch(key):
        return "A root key is written with the digits 0 to 9 and the letters a to f only."
    if len(set(key)) < LEAST_DIFFERENT:
        return "This is no random key: it repeats a few characters only. Take one from a random source."
    return None


def _purpose(ref: str) -> str:
    return f"replace the root key of {ref}"
