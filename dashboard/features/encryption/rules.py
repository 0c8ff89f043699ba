"""Root keys as text: their format, their fingerprint, and new ones."""

import re
import secrets
from dataclasses import asdict, dataclass, field
from hashlib import sha256

KEY_CHARACTERS = 64
_FORMAT = re.compile(r"[0-9a-f]{64}")
DISTINCT_CHARACTERS_MIN = 6


@dataclass(frozen=True, slots=True)
class Replacement:
    """A new key, and the digest of the key it may replace. `lowered`: it was pasted with capital letters."""

    key: str = field(repr=False)
    replaces: str
    lowered: bool = False
    generated: bool = False

    def payload(self) -> dict[str, object]:
        return asdict(self)


def new_key() -> str:
    """Return 32 random bytes in the service's format."""
    return secrets.token_hex(KEY_CHARACTERS // 2)


def fingerprint(key: str) -> str:
    """Return the first 16 hex digits of the key's SHA-256, in groups of four."""
    return _grouped(sha256(key.encode()).hexdigest())


def short(digest: str) -> str:
    """Return the fingerprint for a digest in the journal ("sha256:…"); empty for anything else."""
    name, _, found = digest.partition(":")
    return _grouped(found) if name == "sha256" else ""


def key_problem(key: str) -> str | None:
    """Return why this can't be a root key, without quoting it; None if it can."""
    if len(key) != KEY_CHARACTERS:
        return f"A root key has {KEY_CHARACTERS} characters; this has {len(key)}."
    if not _FORMAT.fullmatch(key):
        return "Use the digits 0 to 9 and the letters a to f only."
    if len(set(key)) < DISTINCT_CHARACTERS_MIN:
        return "This is not a random key: it repeats a few characters."
    return None


def _grouped(digits: str) -> str:
    return " ".join(digits[start : start + 4] for start in range(0, 16, 4))
