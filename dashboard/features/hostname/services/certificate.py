"""Read the certificate of a hostname: connect to a public address at port 443, shake hands, disconnect. No HTTP."""

import ipaddress
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic

from cryptography import x509
from cryptography.x509.oid import NameOID

from dashboard.features.hostname.models import Verdict
from dashboard.features.hostname.services import resolver
from dashboard.features.hostname.services.resolver import NoResolver
from dashboard.interfaces.transport.dialer import dial
from dashboard.tokens.sandbox import SandboxTls
from dashboard.web.process.database import give_back

PORT = 443
SECONDS = 5.0
NAMES_MAX = 20
TEXT_MAX = 200

# OpenSSL's verification codes.
REASONS = {
    9: "It isn't valid yet.",
    10: "It has expired.",
    18: "It is self-signed.",
    19: "It is signed by an unknown authority.",
    20: "It is signed by an unknown authority.",
    21: "It is signed by an unknown authority.",
    62: "It is for another name.",
}
NOT_ACCEPTED = "It is not accepted."
TIMED_OUT = "No answer within 5 seconds."


@dataclass(frozen=True, slots=True)
class Served:
    """The certificate that a host serves. `problem`: why it isn't verified. Other members are empty if none was seen."""

    verdict: Verdict
    problem: str = ""
    issuer: str = ""
    names: tuple[str, ...] = ()
    expires_at: datetime | None = None


def read_certificate(host: str, resolvers: Sequence[str], *, sandbox: SandboxTls | None = None) -> Served:
    """Connect to the host, within five seconds after the lookup. `sandbox` is the only address that needn't be public."""
    try:
        found = resolver.resolvers(resolvers)
    except NoResolver as none:
        return Served(Verdict.UNREACHABLE, str(none))
    give_back()
    addresses = resolver.addresses(host, found)
    if addresses is None:
        return Served(Verdict.UNREACHABLE, "No resolver answered.")
    if not addresses:
        return Served(Verdict.UNREACHABLE, "The name has no address.")
    own = sandbox.address if sandbox else ""
    allowed = [address for address in addresses if address == own or is_public(address)]
    if not allowed:
        return Served(Verdict.UNREACHABLE, f"Not contacted: {addresses[0]} isn't a public address.")
    return _read(host, allowed, sandbox)


def is_public(text: str) -> bool:
    """Whether everybody on the internet reaches the same machine at this address, also if it contains an IPv4 address."""
    address = ipaddress.ip_address(text)
    inner: list[ipaddress.IPv4Address | None] = []
    if isinstance(address, ipaddress.IPv6Address):
        translated = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
        inner = [address.ipv4_mapped, address.sixtofour, translated, *(address.teredo or ())]
    return all(one.is_global and not one.is_multicast for one in (address, *filter(None, inner)))


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def _read(host: str, addresses: Sequence[str], sandbox: SandboxTls | None) -> Served:
    until, served = monotonic() + SECONDS, Served(Verdict.UNREACHABLE, TIMED_OUT)
    for position, address in enumerate(addresses):
        is_own = sandbox is not None and address == sandbox.address
        endpoint = (address, sandbox.port if sandbox and is_own else PORT)
        # Split the time, so that an address that drops packets leaves some for the others.
        ends = monotonic() + (until - monotonic()) / (len(addresses) - position)
        context = ssl.create_default_context()
        if sandbox and is_own:
            context.load_verify_locations(cadata=sandbox.authority)
        served = _verify(host, endpoint, context, ends)
        if served.verdict is not Verdict.UNREACHABLE:
            break
    return served


def _verify(host: str, endpoint: tuple[str, int], context: ssl.SSLContext, ends: float) -> Served:
    """Shake hands. If the certificate isn't accepted, connect again without verification to read it."""
    try:
        return _parse(_shake_hands(host, endpoint, context, ends), Verdict.VERIFIED)
    except ssl.SSLCertVerificationError as refused:
        problem = REASONS.get(refused.verify_code, NOT_ACCEPTED)
    except OSError as failure:
        return _unread(failure)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        return replace(_parse(_shake_hands(host, endpoint, context, ends), Verdict.INVALID), problem=problem)
    except OSError:
        return Served(Verdict.INVALID, problem)


def _shake_hands(host: str, endpoint: tuple[str, int], context: ssl.SSLContext, ends: float) -> bytes:
    """Shake hands and return the certificate. Sends nothing else."""
    address, port = endpoint
    with dial(address, port, timeout=max(0.01, ends - monotonic())) as plain:
        plain.settimeout(max(0.01, ends - monotonic()))
        with context.wrap_socket(plain, server_hostname=host) as connection:
            return connection.getpeercert(binary_form=True) or b""


def _unread(failure: OSError) -> Served:
    if isinstance(failure, TimeoutError):
        return Served(Verdict.UNREACHABLE, TIMED_OUT)
    if isinstance(failure, ssl.SSLError):
        return Served(Verdict.INVALID, "The server has no certificate for this name.")
    if isinstance(failure, ConnectionRefusedError | socket.gaierror):
        return Served(Verdict.UNREACHABLE, "The connection was refused.")
    return Served(Verdict.UNREACHABLE, "The connection failed.")


def _parse(der: bytes, verdict: Verdict) -> Served:
    try:
        found = x509.load_der_x509_certificate(der)
        issuer, names, ends = _issuer(found), _names(found), found.not_valid_after_utc
    except ValueError:
        return Served(Verdict.INVALID, "It can't be read.")
    return Served(verdict, issuer=issuer, names=names, expires_at=ends.astimezone(UTC))


def _issuer(found: x509.Certificate) -> str:
    """Return organization and common name ("Let's Encrypt, R11"), or what there is of them."""
    texts = [
        str(part.value)
        for oid in (NameOID.ORGANIZATION_NAME, NameOID.COMMON_NAME)
        for part in found.issuer.get_attributes_for_oid(oid)
    ]
    return _clean(", ".join(dict.fromkeys(texts)) or found.issuer.rfc4514_string())


def _names(found: x509.Certificate) -> tuple[str, ...]:
    try:
        extension = found.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return ()
    return tuple(_clean(name) for name in extension.value.get_values_for_type(x509.DNSName)[:NAMES_MAX])


def _clean(text: str) -> str:
    """Shorten the text, and replace NUL, which PostgreSQL can't store."""
    return text.replace("\0", "\ufffd")[:TEXT_MAX]
