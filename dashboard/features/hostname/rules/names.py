"""Host names as people type them, and the zone they stand in."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

LONGEST = 253
LONGEST_LABEL = 63
LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)", re.ASCII)

# Under these second labels a country hands out names: example.co.uk is a domain of its own, not a part of co.uk.
SECOND_LABELS = frozenset({"ac", "co", "com", "edu", "gob", "gouv", "gov", "gv", "net", "nom", "or", "org"})


def tidied(text: str) -> str:
    """The host name in what was typed or pasted: an address, the dots of a zone file, capitals and umlauts are taken as meant."""
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
    """Why this can't be a custom hostname, as a sentence; None where it can."""
    return next(_problems(host), None)


def _problems(host: str) -> Iterator[str]:
    labels = host.split(".")
    if len(host) > LONGEST:
        yield f"A host name has at most {LONGEST} characters; this one has {len(host)}."
    if "*" in host:
        yield "One name at a time: a wildcard can't be a custom hostname."
    for label in labels:
        if len(label) > LONGEST_LABEL:
            yield f"Between two dots stand at most {LONGEST_LABEL} characters; “{label[:20]}…” has {len(label)}."
        elif not LABEL.fullmatch(label):
            yield "A host name is made of letters, digits and hyphens between dots, such as api.example.com."
    if labels[-1].isdecimal():
        yield "That is an address, not a name. Give a name such as api.example.com."
    if len(labels) < 2:
        yield "Give the whole name with its domain, such as api.example.com."
    elif len(labels) <= _domain_labels(labels):
        yield (
            f"{host} is a domain itself. A custom hostname needs a CNAME record, and none can stand at the top of a domain, "
            f"where its name servers are named. Use a name below it, such as api.{host}."
        )


def zones_of(host: str) -> list[str]:
    """Every domain that the host may be managed in, the usual one first."""
    labels = host.split(".")
    least = _domain_labels(labels)
    return [".".join(labels[start:]) for start in range(len(labels) - least, 0, -1)]


def ancestors(host: str) -> list[str]:
    """The host and every domain above it but the topmost, from below."""
    labels = host.split(".")
    return [".".join(labels[start:]) for start in range(max(1, len(labels) - 1))]


def relative(name: str, zone: str) -> str:
    """The name as a registrar wants it that adds the zone itself; “@” for the zone."""
    name, zone = plain(name), plain(zone)
    if name == zone:
        return "@"
    return name.removesuffix(f".{zone}") if zone else name


def plain(name: str) -> str:
    """For comparing: lower case, no dot at the end."""
    return name.strip().rstrip(".").lower()


def _domain_labels(labels: list[str]) -> int:
    country = len(labels) > 1 and len(labels[-1]) == 2 and labels[-2] in SECOND_LABELS
    return 3 if country else 2
