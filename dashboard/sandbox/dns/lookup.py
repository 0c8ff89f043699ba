"""What the hostname operations learn from DNS: real queries to the sandbox's own answers."""

from dataclasses import dataclass

import dns.exception
import dns.rdatatype
import dns.resolver

from dashboard.sandbox.settings import SANDBOX_DNS

SECONDS = 2.0
ISSUERS = frozenset({"letsencrypt.org", "pki.goog", "ssl.com", "digicert.com", "sectigo.com"})


@dataclass(frozen=True)
class Found:
    """`points_here`: the host's CNAME is the one wanted; the TXT values seen; an issuer that CAA forbids, in words."""

    points_here: bool
    ownership: frozenset[str]
    certificate: frozenset[str]
    caa_error: str


def look_up(host: str, target: str, ownership_name: str, certificate_name: str) -> Found:
    """Ask for all of it; whatever can't be found out counts as not there."""
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
    """The nearest CAA records up the tree count; none at all allow everybody."""
    labels = host.split(".")
    for start in range(len(labels) - 1):
        name = ".".join(labels[start:])
        issuers = {text.split('"')[1].split(";")[0].strip() for text in _ask(name, "CAA") if text.split()[1] == "issue"}
        if issuers:
            if issuers & ISSUERS:
                return ""
            return f"caa_error: CAA records of {name} forbid the issuer; add letsencrypt.org or pki.goog, or remove them"
    return ""
