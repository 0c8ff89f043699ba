"""Many requests of one person or address at once wait for others, outside of the threads; none of them is lost."""

import select
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from tests.launch.command import Started, starting
from tests.launch.visitor import Visitor, invited

BUSY = "127.0.0.2"
THREADS = 8
REQUESTS = 60


@dataclass(frozen=True, slots=True)
class Site:
    """One web process with few threads, its owner and somebody else, who are signed in."""

    started: Started
    owner: Visitor
    viewer: Visitor

    def open_page(self) -> None:
        """As the owner, over a connection of its own, which the server accepts after all others."""
        answer = requests.get(self.started.address, cookies=self.owner.session.cookies, timeout=120)
        assert answer.ok
        assert "/login/" not in answer.url

    @contextmanager
    def asked(self, number: int, path: str = "/", cookies: str = "") -> Iterator[list[socket.socket]]:
        """Connections from one address, each of which has sent a request."""
        there = urlsplit(self.started.address)
        head = [
            f"GET {path} HTTP/1.1",
            f"Host: {there.netloc}",
            "User-Agent: Mozilla/5.0",
            "Connection: close",
            f"Cookie: {cookies}",
        ]
        with ExitStack() as held:
            made = []
            for _ in range(number):
                connection = socket.create_connection(("127.0.0.1", there.port or 0), timeout=120, source_address=(BUSY, 0))
                made.append(held.enter_context(connection))
                connection.sendall("\r\n".join([*head, "", ""]).encode())
            yield made

    @contextmanager
    def asked_by_viewer(self) -> Iterator[list[socket.socket]]:
        with self.asked(
            REQUESTS, cookies="; ".join(f"{name}={value}" for name, value in self.viewer.session.cookies.items())
        ) as made:
            yield made


@contextmanager
def running(folder: Path) -> Iterator[Site]:
    settings = {"WEB_CONCURRENCY": "1", "WEB_THREADS": str(THREADS)}
    with starting(folder / "data", **settings) as started, Visitor(started.wait_until_ready().address) as owner:
        assert started.link
        owner.enter_by(started.link)
        with invited(owner, "viewer@example.com") as viewer:
            made = Site(started, owner, viewer)
            made.open_page()
            yield made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
def site(shared: Site) -> Site:
    """A site whose owner has just asked: a client that is alone waits for nobody."""
    shared.open_page()
    return shared


def test_a_page_comes_while_the_requests_of_somebody_busy_wait(site: Site) -> None:
    with site.asked_by_viewer() as connections:
        site.open_page()
        assert len(_unanswered(connections)) > THREADS
        assert {_status(connection) for connection in connections} == {200}


def test_requests_that_wait_are_answered_when_the_web_stops(tmp_path: Path) -> None:
    with running(tmp_path) as site, site.asked_by_viewer() as connections:
        site.open_page()
        assert len(_unanswered(connections)) > THREADS
        site.started.process.send_signal(signal.SIGTERM)
        assert {_status(connection) for connection in connections} == {200}


def test_more_requests_of_an_address_than_may_wait_are_refused(site: Site) -> None:
    with site.asked(6 * 64, "/account/login/") as connections:
        site.open_page()
        assert {_status(connection) for connection in connections} == {200, 503}


def test_a_burst_of_connections_that_clients_close_ends_no_process(site: Site) -> None:
    before = site.started.children()

    def visit(_: int) -> set[int]:
        with site.asked(THREADS, "/healthz") as connections:
            return {_status(connection) for connection in connections}

    with ThreadPoolExecutor(THREADS) as clients:
        assert set().union(*clients.map(visit, range(40 * THREADS))) == {200}
    assert site.started.children() == before


def _unanswered(connections: list[socket.socket]) -> list[socket.socket]:
    answered, _, _ = select.select(connections, [], [], 0)
    return [connection for connection in connections if connection not in answered]


def _status(connection: socket.socket) -> int:
    """Read the answer to its end, and close."""
    answer = b""
    while block := connection.recv(1 << 16):
        answer += block
    connection.close()
    return int(answer.split()[1])
