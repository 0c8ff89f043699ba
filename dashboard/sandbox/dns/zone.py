"""Answer DNS queries from the zone table only.

A name may be set to fail: `servfail`, `nxdomain`, or `silent` (no answer).
"""

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdata
import dns.rdataclass
import dns.rdatatype
from dns.rdtypes.ANY.TXT import TXT

from dashboard.sandbox.models import Project, Record

HOSTS = ".supabase.co"
# Where the TLS server of `tls` listens.
HOST_ADDRESS = "127.0.0.1"
CHAIN = 8


def reply(question: bytes, *, largest: int | None) -> bytes | None:
    """Return the answer to one DNS message, or None to stay silent; `largest` limits its bytes."""
    try:
        query = dns.message.from_wire(question)
    except (dns.exception.DNSException, ValueError):
        return None
    if query.flags & dns.flags.QR or not query.question:
        return None
    response = dns.message.make_response(query, our_payload=4096)
    response.flags |= dns.flags.AA
    name = query.question[0].name
    if not _fill(response, name, query.question[0].rdtype):
        return None
    try:
        return response.to_wire(max_size=largest or max(512, query.payload))
    except dns.exception.TooBig:
        response.answer.clear()
        response.flags |= dns.flags.TC
        return response.to_wire()


def _fill(response: dns.message.Message, name: dns.name.Name, kind: dns.rdatatype.RdataType) -> bool:
    """Add records and the result code, following CNAMEs; return False to stay silent."""
    for _ in range(CHAIN):
        text = name.to_text(omit_final_dot=True).lower()
        records = [*Record.objects.filter(name=text), *_hosts(text)]
        broken = next((record.broken for record in records if record.broken), "")
        if broken == "silent":
            return False
        if broken:
            response.set_rcode(dns.rcode.SERVFAIL if broken == "servfail" else dns.rcode.NXDOMAIN)
            return True
        alias = next((record for record in records if record.kind == "CNAME"), None)
        wanted = [record for record in records if kind in (dns.rdatatype.ANY, dns.rdatatype.from_text(record.kind))]
        if wanted or alias is None:
            _add(response, name, wanted)
            if not records and not response.answer and not Record.objects.filter(name__endswith=f".{text}").exists():
                response.set_rcode(dns.rcode.NXDOMAIN)
            return True
        _add(response, name, [alias])
        name = dns.name.from_text(alias.value)
    return True


def _add(response: dns.message.Message, name: dns.name.Name, records: list[Record]) -> None:
    for record in records:
        data = _data(record)
        response.find_rrset(response.answer, name, data.rdclass, data.rdtype, create=True).add(data, ttl=record.ttl)


def _data(record: Record) -> dns.rdata.Rdata:
    kind = dns.rdatatype.from_text(record.kind)
    if kind == dns.rdatatype.TXT:
        text = record.value.encode()
        return TXT(dns.rdataclass.IN, kind, [text[start : start + 255] for start in range(0, len(text), 255)])
    return dns.rdata.from_text(dns.rdataclass.IN, kind, record.value, origin=dns.name.root, relativize=False)


def _hosts(text: str) -> list[Record]:
    """Return the records of the projects' own hosts, the targets of custom hostnames."""
    ref = text.removesuffix(HOSTS)
    if ref != text and Project.objects.filter(ref=ref.removeprefix("db.")).exists():
        return [Record(name=text, kind="A", value=HOST_ADDRESS)]
    return []
