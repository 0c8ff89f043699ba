"""What is refused before anything is sent, how connections are opened, and what a fork leaves behind."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import responses

from dashboard.interfaces import ManagementInterface, StorageInterface, Timing, errors
from dashboard.interfaces.transport import dialer
from tests.interfaces import servers
from tests.interfaces.calls import REF
from tests.interfaces.conftest import SHORT, Connect

ROOT = Path(__file__).parent.parent.parent
Both = tuple[ManagementInterface, StorageInterface]


@pytest.mark.parametrize(
    "call",
    [
        lambda both: both[1].objects.upload("b", "k", b"x", content_type="text/plain\r\nX-Evil: 1"),
        lambda both: both[1].objects.upload("b", "k", b"x", content_type=" text/plain"),
        lambda both: both[1].objects.upload("b", "k", b"x", content_type="текст/plain"),
        lambda both: both[1].objects.upload("b", "k", b"x", content_type="text/plain", cache_control="max-age=\n60"),
        lambda both: both[1].objects.read("b", "k", headers={"Range": "bytes=0-1\r\nX: y"}),
        lambda both: both[0].organizations.create("half \ud800"),
        lambda both: both[0].secrets.create(REF, {"A": "\udfff"}),
        lambda both: both[0].types.generate(REF, ["half \ud800"]),
        lambda both: both[0].types.generate(REF, ["a,b"]),
        lambda both: both[0].functions.get(REF, "a/b"),
    ],
)
def test_what_can_not_be_sent_is_refused_as_it_stands(connect: Connect, call: Callable[[Both], object]) -> None:
    with responses.RequestsMock() as mock:
        with pytest.raises(errors.NameRefused):
            call(connect("https://service.example/v1"))
        assert len(mock.calls) == 0


def test_looking_a_name_up_has_an_end(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(*_args: object, **_more: object) -> list[dialer.Address]:
        time.sleep(6)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", stuck)
    started = time.monotonic()
    with pytest.raises(errors.Unreachable):
        connect("http://slow.example", timing=SHORT)[0].projects.all()
    assert time.monotonic() - started < 5


def test_an_address_that_swallows_connections_leaves_time_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    with servers.black_hole() as hole, servers.serving(servers.answer(b"[]")) as server:
        ports = [int(address.rpartition(":")[2]) for address in (hole, server.address)]
        found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port)) for port in ports]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: found)
        started = time.monotonic()
        with dialer.dial("two.example", 80, timeout=4) as sock:
            assert sock.getpeername()[1] == ports[1]
        assert time.monotonic() - started < 3.5


def test_a_connection_that_the_service_closed_meanwhile_is_replaced(connect: Connect) -> None:
    def close_after(connection: socket.socket, head: bytes) -> None:
        servers.answer(b'{"id": "o", "name": "n"}')(connection, head)
        connection.close()

    with servers.serving(close_after) as server:
        management, _ = connect(server.address)
        for _ in range(3):
            assert management.organizations.create("n").id == "o"
            time.sleep(0.05)
        assert server.connections == 3


SCRIPT = """
import os, sys
from dashboard.interfaces import ManagementInterface, Timing, Token, errors
management = ManagementInterface(sys.argv[1], Token("t"), timing=Timing(quick=0.5, pause=0.0))
assert management.projects.all() == []
child = os.fork()
try:
    management.organizations.all()
except errors.TimedOut:
    if child:
        _, status = os.waitpid(child, 0)
        sys.exit(os.waitstatus_to_exitcode(status))
    os._exit(0)
os._exit(9)
"""


def test_a_forked_process_has_its_own_watchdog_and_connections() -> None:
    def slow_or_not(connection: socket.socket, head: bytes) -> None:
        (servers.drip_head if b"organizations" in head else servers.answer(b"[]"))(connection, head)

    with servers.serving(slow_or_not) as server:
        done = subprocess.run([sys.executable, "-c", SCRIPT, server.address], cwd=ROOT, timeout=30, check=False)
        assert done.returncode == 0
        assert server.connections == 2, "the parent keeps its own, the child opens one"


def test_a_path_that_changed_on_the_way_is_not_sent(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.interfaces.paths.check_segments", lambda _path: None)
    with servers.serving(servers.answer(b'{"message": "gone"}')) as server:
        _, storage = connect(server.address, timing=Timing())
        for key in ("..", "../../bucket/x", "a/../../../bucket/x"):
            with pytest.raises(errors.NameRefused, match="Nothing was sent"):
                storage.objects.delete("b", key)
        assert server.requests == []
