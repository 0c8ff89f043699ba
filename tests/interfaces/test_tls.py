"""TLS is always verified: a service that is not who it says gets no byte of a request."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from socket import create_server

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dashboard.interfaces import Timing, errors
from tests.interfaces.conftest import Connect

NOW = datetime.now(UTC)


def _certificate(folder: Path, *, host: str = "localhost", days: int = 1) -> tuple[Path, Path]:
    """A certificate that signs itself, and its key, as files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - timedelta(days=9))
        .not_valid_after(NOW + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    private.write_bytes(key.private_bytes(*form))
    return certificate, private


@contextmanager
def _serving(certificate: Path, key: Path, *, highest: ssl.TLSVersion | None = None) -> Iterator[tuple[str, list[bytes]]]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if highest:
        context.maximum_version = highest
    received: list[bytes] = []
    listener = create_server(("127.0.0.1", 0))

    def accept() -> None:
        with suppress(OSError):
            while True:
                plain, _ = listener.accept()
                with suppress(OSError), context.wrap_socket(plain, server_side=True) as connection:
                    received.append(connection.recv(65536))
                    connection.sendall(
                        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]"
                    )

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    yield f"https://localhost:{listener.getsockname()[1]}", received
    listener.shutdown(2)
    listener.close()
    thread.join(5)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "self-signed"),
        ({"days": -1}, "has expired"),
        ({"host": "elsewhere.example"}, "for another host"),
    ],
)
def test_a_wrong_certificate_is_refused_with_its_reason(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, object], reason: str
) -> None:
    make: Callable[..., tuple[Path, Path]] = _certificate
    certificate, key = make(tmp_path, **options)
    if options:  # so that nothing else is wrong with it
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with _serving(certificate, key) as (address, received):
        management, storage = connect(address, timing=Timing(pause=0.0))
        with pytest.raises(errors.Unreachable, match=reason):
            management.projects.all()
        with pytest.raises(errors.Unreachable, match=reason):
            storage.objects.upload("b", "k", b"x", content_type="text/plain")
    assert b"".join(received) == b""


def test_a_certificate_of_ones_own_is_trusted_where_the_environment_names_it(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = _certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with _serving(certificate, key) as (address, received):
        assert connect(address, timing=Timing())[0].projects.all() == []
    assert b"Bearer canary" in received[0]


def test_a_service_without_tls_is_refused(connect: Connect, tmp_path: Path) -> None:
    listener = create_server(("127.0.0.1", 0))

    def speak_plainly() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(1000)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    threading.Thread(target=speak_plainly, daemon=True).start()
    with pytest.raises(errors.Unreachable, match="its TLS handshake failed"):
        connect(f"https://localhost:{listener.getsockname()[1]}", timing=Timing(pause=0.0))[0].projects.all()
    listener.shutdown(2)
    listener.close()
