"""Normalise and check host names, and find the DNS zones they can be managed in."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from tldextract import TLDExtract

HOST_MAX = 253
LABEL_MAX = 63
LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)", re.ASCII)

# The bundled list of public suffixes, without network or cache. Loading it takes 0.4 s, at first use.
_SUFFIXES = TLDExtract(suffix_list_urls=(), cache_dir=None)


def normalize(text: str) -> str:
    """Return the host name in a pasted URL or zone file line, in lower case and ASCII."""
    text = text.strip()
    if "//" in text:
        text = urlsplit(text).netloc
    text = re.split(r"[/?#]", text, maxsplit=1)[0].rpartition("@")[2]
    text = re.sub(r":\d*$", "", text).strip().strip(".").lower()
    if not text.isascii():
        try:
            text = text.encode("idna").decode("ascii")
        except UnicodeError:
            return text
    return text


def hostname_problem(host: str) -> str | None:
    """Return why this can't be a custom hostname, or None."""
    return next(_problems(host), None)


def _problems(host: str) -> Iterator[str]:
    labels = host.split(".")
    if len(host) > HOST_MAX:
        yield f"A host name has at most {HOST_MAX} characters; this one has {len(host)}."
    if "*" in host:
        yield "A wildcard can't be a custom hostname."
    for label in labels:
        if len(label) > LABEL_MAX:
            yield f"A part between dots has at most {LABEL_MAX} characters; “{label[:20]}…” has {len(label)}."
        elif not LABEL.fullmatch(label):
            yield "Use letters, digits and hyphens between dots, such as api.example.com."
    if labels[-1].isdecimal():
        yield "This is an address. Enter a name such as api.example.com."
    if len(labels) < 2:
        yield "Enter the full name with its domain, such as api.example.com."
    elif len(labels) <= _domain_labels(labels):
        yield (
            f"{host} is a domain itself, which can't have the CNAME record that a custom hostname needs. "
            f"Use a name below it, such as api.{host}."
        )


def zones_of(host: str) -> list[str]:
    """Return every zone that the host may be managed in, the registered domain first."""
    labels = host.split(".")
    least = _domain_labels(labels)
    return [".".join(labels[start:]) for start in range(len(labels) - least, 0, -1)]


def ancestors(host: str) -> list[str]:
    """Return the host and the domains above it, without the top-level domain."""
    labels = host.split(".")
    return [".".join(labels[start:]) for start in range(max(1, len(labels) - 1))]


def relative(name: str, zone: str) -> str:
    """Return the name for registrars that append the zone; “@” for the zone itself."""
    name, zone = plain(name), plain(zone)
    if name == zone:
        return "@"
    return name.removesuffix(f".{zone}") if zone else name


def plain(name: str) -> str:
    """Return a name for comparison: lower case, without the final dot."""
    return name.strip().rstrip(".").lower()


def _domain_labels(labels: list[str]) -> int:
    """Return how many labels the registered domain has: one more than its public suffix, or two if that is unknown."""
    suffix = _SUFFIXES(".".join(labels)).suffix
    return suffix.count(".") + 2 if suffix else 2
