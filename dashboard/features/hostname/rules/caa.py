"""Check CAA records: who may issue a certificate. The nearest ones up the tree apply; none means every issuer may."""

import re
from collections.abc import Callable

from dashboard.features.hostname.rules.findings import Answer, Finding, Kind
from dashboard.features.hostname.rules.names import ancestors

# The service's name for an issuer, and its domain in CAA records.
AUTHORITIES = {
    "digicert": "digicert.com",
    "google": "pki.goog",
    "lets_encrypt": "letsencrypt.org",
    "ssl_com": "ssl.com",
}

_RECORD = re.compile(r'(\d+) (\w+) "([^;"]*)')


def judge(host: str, authority: str, look_up: Callable[[str, str], Answer]) -> Finding:
    """Judge one resolver's answers. `authority` may be empty or unknown to us."""
    domains = {AUTHORITIES[authority]} if authority in AUTHORITIES else set(AUTHORITIES.values())
    one_of = "one of " if len(domains) > 1 else ""
    expected = f"No CAA record, or one that allows {one_of}{', '.join(sorted(domains))}"
    for name in ancestors(host):
        answer = look_up(name, "CAA")
        if answer.why:
            fix = f"Couldn't look up the CAA records of {name}: {answer.why}."
            return Finding(Kind.UNKNOWN, expected, (), fix)
        if answer.values:
            return _weigh(name, answer, domains, expected)
    return Finding(Kind.CORRECT, expected)


def _weigh(name: str, answer: Answer, domains: set[str], expected: str) -> Finding:
    seen = tuple(f"CAA {value} at {name}" for value in answer.values)
    tags = [(found[2].lower(), found[3].strip().lower()) for value in answer.values if (found := _RECORD.match(value))]
    issuers = {domain for tag, domain in tags if tag == "issue"}
    if not issuers or issuers & domains:
        return Finding(Kind.CORRECT, expected, seen, ttl=answer.ttl)
    wanted = min(domains) if len(domains) == 1 else "letsencrypt.org"
    fix = f'Add a CAA record at {name}: 0 issue "{wanted}". Or remove the CAA records there to allow every issuer.'
    return Finding(Kind.CAA, expected, seen, fix, answer.ttl)
