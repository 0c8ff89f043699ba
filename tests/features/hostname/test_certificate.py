"""The certificate that a hostname serves, read from the sandbox's TLS server: with what it says, and why it isn't verified."""

import re
import socket
import struct
import threading
from contextlib import suppress

import pytest

from dashboard.features.hostname.models import Verdict
from dashboard.features.hostname.services.certificate import Served, is_public, read_certificate
from dashboard.team.models import Person
from dashboard.tokens.sandbox import SandboxTls, sandbox_tls
from tests.features.hostname.desk import Desk
from tests.features.hostname.test_overview import state_in
from tests.pages import PageClient


@pytest.fixture
def tls(as_keeper: PageClient, owner: Person, desk: Desk) -> SandboxTls:
    found = sandbox_tls(owner)
    assert found
    return found


@pytest.fixture
def active(desk: Desk) -> tuple[str, str]:
    return desk.active()


def certificate(client: PageClient, desk: Desk, ref: str) -> str:
    """The text of the card."""
    return state_in(client.part(desk.address("index", ref), "hostname-certificate").text)


def test_a_verified_certificate_shows_issuer_names_and_days_left(
    as_keeper: PageClient, desk: Desk, active: tuple[str, str]
) -> None:
    ref, host = active
    as_keeper.get(desk.address("index", ref))
    assert "Not checked yet" in certificate(as_keeper, desk, ref)
    notice = as_keeper.send(desk.address("check", ref))
    assert "Certificate: verified." in notice.text
    shown = certificate(as_keeper, desk, ref)
    assert "State Verified Issuer Pilothouse sandbox" in shown
    assert f"Names {host}" in shown
    assert re.search(r"Expires in (59|60) days", shown)
    assert "Checked just now" in shown


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ("expired", "It has expired."),
        ("other name", "It is for another name."),
        ("self-signed", "It is self-signed."),
        ("unknown authority", "It is signed by an unknown authority."),
    ],
)
def test_a_certificate_that_is_not_verified_says_why_and_what_it_holds(
    as_keeper: PageClient, desk: Desk, active: tuple[str, str], how: str, problem: str
) -> None:
    ref, host = active
    desk.serve(host, how)
    assert f"Certificate: invalid. {problem}" in as_keeper.send(desk.address("check", ref)).text
    shown = certificate(as_keeper, desk, ref)
    assert f"State Invalid Problem {problem} Issuer" in shown
    assert f"Names {'other' if how == 'other name' else 'api'}.{host.partition('.')[2]}" in shown


def test_one_that_expires_soon_is_not_just_verified(as_keeper: PageClient, desk: Desk, active: tuple[str, str]) -> None:
    ref, host = active
    desk.serve(host, "expiring")
    as_keeper.send(desk.address("check", ref))
    assert "State Expires soon" in certificate(as_keeper, desk, ref)


def test_a_server_that_says_nothing_is_given_up_and_is_no_verdict(
    as_keeper: PageClient, desk: Desk, active: tuple[str, str]
) -> None:
    ref, host = active
    desk.serve(host, "silent")
    assert "Certificate: not checked. No answer within 5 seconds." in as_keeper.send(desk.address("check", ref)).text
    assert "State Not checked Problem No answer within 5 seconds." in certificate(as_keeper, desk, ref)


def test_a_server_without_a_certificate_for_the_name_is_invalid(desk: Desk, tls: SandboxTls) -> None:
    host = desk.host()
    desk.publish(host, "A", tls.address)
    found = read_certificate(host, [desk.sandbox.dns], sandbox=tls)
    assert found == Served(Verdict.INVALID, "The server has no certificate for this name.")


@pytest.mark.parametrize(("is_open", "problem"), [(False, "The connection was refused."), (True, "The connection failed.")])
def test_a_server_that_takes_no_connection_is_no_verdict(desk: Desk, tls: SandboxTls, is_open: bool, problem: str) -> None:
    def reset(listener: socket.socket) -> None:
        with listener.accept()[0] as connection:
            connection.recv(1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with socket.create_server((tls.address, 0)) as listener:
        own = SandboxTls(tls.address, listener.getsockname()[1], tls.authority)
        if is_open:
            threading.Thread(target=reset, args=(listener,), daemon=True).start()
        else:
            listener.close()
        host = desk.host()
        desk.publish(host, "A", tls.address)
        assert read_certificate(host, [desk.sandbox.dns], sandbox=own) == Served(Verdict.UNREACHABLE, problem)


@pytest.mark.parametrize("address", ["10.0.0.1", "192.168.1.1", "127.0.0.2", "169.254.169.254"])
def test_an_address_in_a_private_range_is_not_contacted(desk: Desk, tls: SandboxTls, address: str) -> None:
    host = desk.host()
    desk.publish(host, "A", address)
    found = read_certificate(host, [desk.sandbox.dns], sandbox=tls)
    assert found == Served(Verdict.UNREACHABLE, f"Not contacted: {address} isn't a public address.")


def test_without_a_sandbox_its_address_is_private_too(desk: Desk, active: tuple[str, str]) -> None:
    found = read_certificate(active[1], [desk.sandbox.dns])
    assert found == Served(Verdict.UNREACHABLE, "Not contacted: 127.0.0.1 isn't a public address.")


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07::1", True),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("100.64.0.1", False),
        ("0.0.0.1", False),
        ("127.0.0.1", False),
        ("169.254.169.254", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("203.0.113.80", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fd00:ec2::254", False),
        ("ff02::1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:169.254.169.254", False),
        ("2002:7f00:1::1", False),
        ("2002:a00:1::1", False),
        ("64:ff9b::a00:1", False),
        ("64:ff9b::5db8:d70e", True),
    ],
)
def test_only_globally_routable_addresses_count_as_public(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_nothing_but_a_handshake_is_sent(desk: Desk, tls: SandboxTls) -> None:
    """A server that never answers sees a hello that names the host, and no request."""
    received: list[bytes] = []
    listener = socket.create_server((tls.address, 0))

    def listen() -> None:
        with suppress(OSError), listener.accept()[0] as connection:
            while block := connection.recv(65536):
                received.append(block)
                connection.shutdown(socket.SHUT_WR)

    thread = threading.Thread(target=listen)
    thread.start()
    host = desk.host()
    desk.publish(host, "A", tls.address)
    own = SandboxTls(tls.address, listener.getsockname()[1], tls.authority)
    found = read_certificate(host, [desk.sandbox.dns], sandbox=own)
    thread.join(20)
    listener.close()
    sent = b"".join(received)
    assert found.verdict is not Verdict.VERIFIED
    assert sent.startswith(b"\x16\x03")
    assert host.encode() in sent
    assert b"HTTP/" not in sent


@pytest.mark.parametrize(("kind", "problem"), [("servfail", "No resolver answered."), ("nothing", "The name has no address.")])
def test_a_name_without_an_address_is_no_verdict(desk: Desk, tls: SandboxTls, kind: str, problem: str) -> None:
    host = desk.host()
    if kind == "servfail":
        desk.dns({"action": "break", "name": host, "how": "servfail"})
    assert read_certificate(host, [desk.sandbox.dns], sandbox=tls) == Served(Verdict.UNREACHABLE, problem)
