"""The code in a link's address: 128 random bits, looked up by a keyed digest and never stored in clear."""

import re
import secrets
from hashlib import sha256

from dashboard.vault import lookup

SHAPE = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)


def new_code() -> str:
    """22 characters for an address, from the system's random source."""
    return secrets.token_urlsafe(16)


def digest(code: str, *, purpose: str = "share link") -> str:
    """What is stored to find a code again: keyed, so that the table alone opens nothing."""
    return lookup.digest(purpose, code)


def place_digest(bucket: str, key: str) -> str:
    """A place in a bucket as an index can hold it: keys may be longer than an index takes."""
    return sha256(f"{bucket}\0{key}".encode(errors="surrogatepass")).hexdigest()
