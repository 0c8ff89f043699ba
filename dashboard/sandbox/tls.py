"""The TLS server of the projects' hosts, with certificates for custom hostnames that are set up.

It listens on the loopback address at a free port, speaks no HTTP, and signs with an authority made by its process. A name may be
set to misbehave.
"""

import socketserver
import ssl
import tempfile
import threading
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.db import connections

from dashboard.sandbox.dns.zone import HOST_ADDRESS
from dashboard.sandbox.management.hostname import ACTIVE, SET_UP
from dashboard.sandbox.models import Hostname

HOW = ("valid", "expiring", "expired", "other name", "self-signed", "unknown authority", "silent")
SILENT_SECONDS = 30.0
HANDSHAKE_SECONDS = 60.0
BEGAN = timedelta(days=30)
LASTS = {"expiring": timedelta(days=5), "expired": timedelta(days=-2)}
USUALLY_LASTS = timedelta(days=60)


class Authority(NamedTuple):
    """Signs certificates."""

    name: str
    key: ec.EllipticCurvePrivateKey

    def certificate(self) -> str:
        """Return its own certificate as PEM."""
        names = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only", "decipher_only")
        usage = x509.KeyUsage(digital_signature=True, key_cert_sign=True, crl_sign=True, **dict.fromkeys(names, False))
        unsigned = _unsigned(self.name, self.name, self.key, lasts=timedelta(days=3650)).add_extension(usage, critical=True)
        made = unsigned.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True).sign(
            self.key, hashes.SHA256()
        )
        return made.public_bytes(serialization.Encoding.PEM).decode()


AUTHORITY = Authority("Pilothouse sandbox", ec.generate_private_key(ec.SECP256R1()))
_stranger = Authority("Somebody's own authority", ec.generate_private_key(ec.SECP256R1()))
_how: dict[str, str] = {}
_address: list[tuple[str, int]] = []


def facts() -> dict[str, object]:
    """Return the server's address, its authority, and the names that misbehave."""
    host, port = _address[0]
    return {"address": host, "port": port, "authority": AUTHORITY.certificate(), "how": dict(_how)}


def misbehave(name: str, how: str) -> None:
    """Serve this certificate for a name. "valid" is the normal one."""
    if how == "valid":
        _how.pop(name, None)
    else:
        _how[name] = how


class Connection(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.sni_callback = _choose
        self.request.settimeout(HANDSHAKE_SECONDS)
        try:
            with context.wrap_socket(self.request, server_side=True):
                return
        except OSError:
            return
        finally:
            connections.close_all()


class TlsServer(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore broken connections."""


def serve() -> None:
    """Start the server; it ends with the process."""
    server = TlsServer((HOST_ADDRESS, 0), Connection)
    host, port = server.server_address[:2]
    _address[:] = [(str(host), int(port))]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 60}, daemon=True).start()


def _choose(connection: ssl.SSLObject | ssl.SSLSocket, name: str | None, _context: ssl.SSLContext) -> int | None:
    """Set the certificate for the name. Return an alert if it has none."""
    if not name or not Hostname.objects.filter(custom_hostname=name.lower(), status__in=(SET_UP, ACTIVE)).exists():
        return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
    how = _how.get(name.lower(), "valid")
    if how == "silent":
        threading.Event().wait(SILENT_SECONDS)
    connection.context = _serving(name.lower(), how)
    return None


def _serving(name: str, how: str) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    host = f"other.{name.partition('.')[2]}" if how == "other name" else name
    authority = {"self-signed": Authority(host, key), "unknown authority": _stranger}.get(how, AUTHORITY)
    names = x509.SubjectAlternativeName([x509.DNSName(host)])
    signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    unsigned = _unsigned(host, authority.name, key, lasts=LASTS.get(how, USUALLY_LASTS))
    made = (
        unsigned.add_extension(names, critical=False).add_extension(signer, critical=False).sign(authority.key, hashes.SHA256())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile(suffix=".pem") as file:
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        file.write(key.private_bytes(*form) + made.public_bytes(serialization.Encoding.PEM))
        file.flush()
        context.load_cert_chain(file.name)
    return context


def _unsigned(name: str, issuer: str, key: ec.EllipticCurvePrivateKey, *, lasts: timedelta) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer[:64])]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BEGAN)
        .not_valid_after(now + lasts)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
