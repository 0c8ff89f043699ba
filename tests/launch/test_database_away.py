"""While the database is away: probes and pages answer at once, one line says why, and all is well when it is back."""

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import requests

from tests.launch.command import free_port, starting
from tests.launch.replicas import NOWHERE

THREADS = 4


@pytest.fixture
def database() -> Iterator[str]:
    """The address of an empty database of its own."""
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres"):
        pytest.skip("DATABASE_URL names no PostgreSQL server")
    name = f"away_{secrets.token_hex(4)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{server.rpartition('/')[0]}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


class Way:
    """The way to the database: once `hole` is set, everything is taken and nothing arrives."""

    def __init__(self, host: str, port: int) -> None:
        self.hole = threading.Event()
        self._behind = host, port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = [self._listener]
        self.port = self._listener.getsockname()[1]

    def run(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._behind)
                self._ends += [client, server]
                for source, target in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def close(self) -> None:
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if not self.hole.is_set():
                    target.sendall(data)
            target.shutdown(socket.SHUT_WR)


@contextmanager
def way_to(address: str) -> Iterator[tuple[Way, str]]:
    """The way, and the address of the database at its beginning."""
    parts = urlsplit(address)
    way = Way(parts.hostname or "127.0.0.1", parts.port or 5432)
    threading.Thread(target=way.run, daemon=True).start()
    try:
        yield way, parts._replace(netloc=f"{parts.username}@127.0.0.1:{way.port}").geturl()
    finally:
        way.close()


def test_probes_and_pages_answer_while_the_database_hangs(database: str, tmp_path: Path) -> None:
    health = f"http://127.0.0.1:{free_port()}"
    given = {"MANAGEMENT_URL": NOWHERE, "HEALTH_ADDRESS": health.removeprefix("http://")}
    given |= {"WEB_CONCURRENCY": "1", "WEB_THREADS": str(THREADS)}
    with (
        way_to(database) as (way, address),
        starting(tmp_path / "data", DATABASE_URL=address, **given) as started,
    ):
        started.wait_until_ready()
        assert (status(f"{health}/readyz"), status(f"{started.address}/readyz")) == (200, 200)
        assert status(f"{started.address}/") == 302
        way.hole.set()
        assert status(f"{started.address}/") == 503  # from now on it is known
        assert_answered(f"{started.address}/", 503, within=1)
        with ExitStack() as stack:
            for _ in range(THREADS):  # each reads a request that does not end
                busy = stack.enter_context(socket.create_connection(("127.0.0.1", urlsplit(started.address).port or 0)))
                busy.sendall(b"GET / HTTP/1.1\r\n")
            with pytest.raises(requests.Timeout):
                status(f"{started.address}/healthz", seconds=0.5)
            assert_answered(f"{health}/healthz", 200, within=0.1)
            assert_answered(f"{health}/readyz", 503, within=1)
        way.hole.clear()
        lines = []
        while "The database answers again" not in (line := started.next_line(30)):
            lines.append(line)
        of_the_web = [line for line in lines if "dashboard.jobs" not in line and "dashboard.notifications" not in line]
        assert [line for line in of_the_web if "Traceback" in line] == []
        assert (
            len([line for line in lines if "The database is away" in line and "dashboard.web.process.postgresql.circuit" in line])
            <= 2
        )
        wait_for(f"{started.address}/", 302)
        wait_for(f"{health}/readyz", 200)
        assert status(f"{health}/") == 404


def test_pages_are_refused_at_once_where_nothing_listens_any_more(database: str, tmp_path: Path) -> None:
    with way_to(database) as (way, address), starting(tmp_path / "data", DATABASE_URL=address, MANAGEMENT_URL=NOWHERE) as started:
        started.wait_until_ready()
        assert status(f"{started.address}/") == 302
        way.close()
        wait_for(f"{started.address}/", 503)
        assert "refused" in started.wait_for("The database is away")
        assert_answered(f"{started.address}/", 503, within=1)


def status(address: str, seconds: float = 20) -> int:
    """The status for somebody whose session has to be read from the database."""
    cookies = {"pilothouse_session": "k" * 32}
    return requests.get(address, cookies=cookies, timeout=seconds, allow_redirects=False).status_code


def assert_answered(address: str, wanted: int, *, within: float) -> None:
    """The quickest of some answers counts: the machine may be busy."""
    taken = []
    for _ in range(20):
        began = time.monotonic()
        assert status(address) == wanted
        taken.append(time.monotonic() - began)
        if taken[-1] < within:
            return
    raise AssertionError(f"{address} took {min(taken):.2f} seconds")


def wait_for(address: str, wanted: int) -> None:
    deadline = time.monotonic() + 20
    while status(address) != wanted:
        assert time.monotonic() < deadline
        time.sleep(0.1)
