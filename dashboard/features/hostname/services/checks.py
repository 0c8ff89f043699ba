"""The record doctor, asked about what is remembered."""

from django.conf import settings

from dashboard.features.hostname.models import Purpose, SeenRecord
from dashboard.features.hostname.rules.findings import Finding
from dashboard.features.hostname.services import dns, resolver
from dashboard.features.hostname.services.dns import Examination, Need
from dashboard.features.hostname.services.hostname import Memory
from dashboard.features.hostname.services.resolver import NoResolver, Question

# No issuer has to be allowed any more.
CERTIFIED = frozenset({"active", "pending_deployment"})


def examine(memory: Memory) -> Examination:
    """Look up every record that the service still asks for, and the CNAME for ever. Real look-ups; a few seconds at most."""
    needs = [need_of(record, memory.known.hostname) for record in memory.records if is_needed(record)]
    return _examine(needs, authority=memory.known.authority, certified=memory.known.certificate in CERTIFIED)


def examine_before(host: str, target: str) -> Finding:
    """The CNAME of a hostname that is to be set up, whose target is known."""
    need = Need("CNAME", host, target, host)
    return _examine([need], certified=True).findings[need]


def is_top_of_zone(host: str) -> bool:
    """Whether name servers are named at this very name, so that no CNAME can stand there. False when nobody could be asked."""
    questions = [Question(host, "NS"), Question(host, "SOA")]
    try:
        answers = resolver.ask(questions, resolver.resolvers(settings.DNS_RESOLVERS))
    except NoResolver:
        return False
    return any(answer.values for said in answers.values() for answer in said.values())


def is_needed(record: SeenRecord) -> bool:
    return record.asked or record.purpose == Purpose.CNAME


def need_of(record: SeenRecord, host: str) -> Need:
    return Need(record.type, record.name, record.value, host)


def _examine(needs: list[Need], *, authority: str = "", certified: bool = False) -> Examination:
    try:
        asked = resolver.resolvers(settings.DNS_RESOLVERS)
    except NoResolver as nobody:
        return dns.unasked(needs, str(nobody))
    return dns.examine(needs, asked, authority=authority, certified=certified)
