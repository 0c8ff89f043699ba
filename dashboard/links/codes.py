"""The code in a link's address: 128 random bits, looked up by a keyed digest and never stored in clear."""

import re
import secrets
from hashlib import sha256

from dashboard.vault import lookup

SHAPE = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)


def new_code() -> str:
    """Return 22 random characters."""
    return secrets.token_urlsafe(16)


def digest(code: str, *, purpose: str) -> str:
    """Return the keyed digest by which a code is looked up. The table alone opens no link."""
    return lookup.digest(purpose, code)


def place_digest(bucket: str, key: str) -> str:
    """Digest a place in a bucket, since keys may be too long for an index."""
    return sha256(f"{bucket}\0{key}".encode(errors="surrogatepass")).hexdigest()
