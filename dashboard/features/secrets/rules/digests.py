"""Compare secrets by what the service returns of each: its value, or a digest of one of two kinds."""

from collections.abc import Mapping
from hashlib import md5, sha256

from dashboard.interfaces.management.secrets import Secret

SHA256, MD5 = "SHA-256 digest", "MD5 digest"
# What a service returns of a secret, as `Secret.value_is` says.
KINDS = (SHA256, MD5, "value")


def digests_of(value: str) -> dict[str, str]:
    """Return the digests that a service may return instead of the value, by kind."""
    text = value.encode(errors="surrogatepass")
    return {SHA256: sha256(text).hexdigest(), MD5: md5(text, usedforsecurity=False).hexdigest()}


def digests_in(secret: Secret) -> dict[str, str]:
    """Return the digests that are known of a listed secret."""
    return digests_of(secret.value) if secret.value_is == "value" else {secret.value_is: secret.value}


def are_equal(one: Mapping[str, str], other: Mapping[str, str]) -> bool | None:
    """Whether they stand for the same value; None if they are of different kinds."""
    kinds = one.keys() & other.keys()
    return all(one[kind] == other[kind] for kind in kinds) if kinds else None


def has_value(secret: Secret, digests: Mapping[str, str]) -> bool:
    """Whether the service has the value of these digests. A value that looks like a digest may have been returned in clear."""
    return digests_of(secret.value)[SHA256] == digests[SHA256] or bool(are_equal(digests_in(secret), digests))
