"""Look up DNS records in parallel, with a deadline, at the configured resolvers or the system's."""

import socket
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from time import monotonic

import dns.exception
import dns.name
import dns.resolver
from dns.rdata import Rdata
from dns.rdtypes.txtbase import TXTBase

from dashboard.features.hostname.rules.findings import Answer, Question

SECONDS_EACH = 2.0
SECONDS_ALL = 5.0
MAX_RESOLVERS = 3
THREADS = 24

IN_TIME = "it did not answer in time"


@dataclass(frozen=True, slots=True)
class Resolver:
    """A resolver; `label` is its name in the configuration."""

    label: str
    address: str
    port: int = 53


Answers = Mapping[Resolver, Mapping[Question, Answer]]


class NoResolver(Exception):  # noqa: N818 - a state of the machine
    """No resolver is configured or found."""


def resolvers(configured: Iterable[str]) -> list[Resolver]:
    """Return the configured resolvers (`host:port`), else the system's; at most three. Raises `NoResolver`."""
    named = [entry.strip() for entry in configured if entry.strip()]
    found = [resolver for entry in named if (resolver := _configured(entry))] if named else _systems()
    if not found:
        raise NoResolver("None of the configured resolvers can be found." if named else "The system has no resolver.")
    return found[:MAX_RESOLVERS]


def ask(questions: Collection[Question], of: Collection[Resolver], *, seconds: float = SECONDS_ALL) -> Answers:
    """Send every question to every resolver. `Answer.why` says so if there is no answer within `seconds` in all."""
    until = monotonic() + seconds
    pairs = [(resolver, question) for resolver in of for question in dict.fromkeys(questions)]
    futures = [_pool().submit(_look_up, question, resolver, until) for resolver, question in pairs]
    wait(futures, timeout=seconds)
    answers: dict[Resolver, dict[Question, Answer]] = {resolver: {} for resolver in of}
    for (resolver, question), future in zip(pairs, futures, strict=True):
        answers[resolver][question] = _result(future)
    return answers


def addresses(host: str, of: Iterable[Resolver], *, seconds: float = SECONDS_EACH) -> list[str] | None:
    """Return the addresses that the first resolver with an answer finds, following CNAMEs; None if none answers in time."""
    until = monotonic() + seconds
    for resolver in of:
        found = [_addresses(host, kind, resolver, until) for kind in ("A", "AAAA")]
        if any(answer is not None for answer in found):
            return [address for answer in found for address in answer or ()]
    return None


def _addresses(host: str, kind: str, resolver: Resolver, until: float) -> list[str] | None:
    try:
        found = _query(resolver, until - monotonic()).resolve(dns.name.from_text(host), kind, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except (dns.exception.DNSException, OSError, ValueError):
        return None
    return [_text(record) for record in found]


def _result(future: Future[Answer]) -> Answer:
    if future.done():
        return future.result()
    future.cancel()
    return Answer(why=IN_TIME)


def _look_up(question: Question, resolver: Resolver, until: float) -> Answer:
    seconds = min(SECONDS_EACH, until - monotonic())
    if seconds <= 0:
        return Answer(why=IN_TIME)
    try:
        name = dns.name.from_text(question.name)
        found = _query(resolver, seconds).resolve(name, question.kind, raise_on_no_answer=False, search=False)
    except dns.resolver.NXDOMAIN:
        return Answer()
    except (dns.exception.DNSException, OSError, ValueError) as failure:
        return Answer(why=_why(failure))
    if found.rrset is None or found.canonical_name != found.qname:
        return Answer()
    return Answer(values=tuple(sorted({_text(record) for record in found.rrset})), ttl=found.rrset.ttl)


def _query(resolver: Resolver, seconds: float) -> dns.resolver.Resolver:
    query = dns.resolver.Resolver(configure=False)
    query.nameservers, query.port = [resolver.address], resolver.port
    query.timeout, query.lifetime = max(seconds, 0.02) / 2, max(seconds, 0.02)
    return query


def _why(failure: Exception) -> str:
    match failure:
        case dns.exception.Timeout():
            return IN_TIME
        case dns.resolver.NoNameservers():
            return "it answered with a failure, such as SERVFAIL or REFUSED"
        case OSError():
            return "it can't be reached"
    return "the name, or its answer, can't be read"


def _text(record: Rdata) -> str:
    if isinstance(record, TXTBase):
        return b"".join(record.strings).decode("utf-8", "replace")
    return str(record.to_text())


def _configured(entry: str) -> Resolver | None:
    """Resolve one entry of the configuration; None if it has no address."""
    host, _, port = entry.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_DGRAM)
    except (OSError, ValueError, UnicodeError):
        return None
    return Resolver(entry, str(found[0][4][0]), int(port))


def _systems() -> list[Resolver]:
    try:
        system = dns.resolver.Resolver()
    except (dns.exception.DNSException, OSError):
        return []
    return [Resolver(str(address), str(address), system.port) for address in system.nameservers]


@cache
def _pool() -> ThreadPoolExecutor:
    """Create the pool at first use, after the workers were forked. Its threads use no database."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="dns")
