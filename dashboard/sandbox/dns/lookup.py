"""DNS lookups of the hostname operations, as real queries to the sandbox's DNS server."""

from dataclasses import dataclass

import dns.exception
import dns.rdatatype
import dns.resolver

from dashboard.sandbox.settings import SANDBOX_DNS

SECONDS = 2.0
ISSUERS = frozenset({"letsencrypt.org", "pki.goog", "ssl.com", "digicert.com", "sectigo.com"})


@dataclass(frozen=True)
class Found:
    """Lookup results: whether the CNAME is correct, the TXT values, and a CAA error text."""

    points_here: bool
    ownership: frozenset[str]
    certificate: frozenset[str]
    caa_error: str


def look_up(host: str, target: str, ownership_name: str, certificate_name: str) -> Found:
    """Look up all records; failed lookups count as missing."""
    alias = {answer.rstrip(".").lower() for answer in _ask(host, "CNAME")}
    return Found(
        points_here=target.lower() in alias,
        ownership=frozenset(_ask(ownership_name, "TXT")),
        certificate=frozenset(_ask(certificate_name, "TXT")),
        caa_error=_caa_error(host),
    )


def _ask(name: str, kind: str) -> list[str]:
    address, _, port = SANDBOX_DNS.rpartition(":")
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers = [address.strip("[]")]
    resolver.port = int(port)
    resolver.lifetime = SECONDS
    try:
        answer = resolver.resolve(name, kind, search=False)
    except dns.exception.DNSException:
        return []
    if kind == "TXT":
        return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]
    return [record.to_text() for record in answer]


def _caa_error(host: str) -> str:
    """Check the nearest CAA records up the tree; none allow every issuer."""
    labels = host.split(".")
    for start in range(len(labels) - 1):
        name = ".".join(labels[start:])
        issuers = {text.split('"')[1].split(";")[0].strip() for text in _ask(name, "CAA") if text.split()[1] == "issue"}
        if issuers:
            if issuers & ISSUERS:
                return ""
            return f"caa_error: CAA records of {name} forbid the issuer; add letsencrypt.org or pki.goog, or remove them"
    return ""
