"""Revoking access ends what is under way through it at the real web server and worker: downloads, an upload and a job."""

import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from dashboard.interfaces import StorageInterface, Token, errors
from tests.launch.command import Started, starting
from tests.launch.visitor import Visitor, invited
from tests.sandboxes import Sandbox

BUCKET = "launch-grants"
ACTS = ("read", "share", "upload", "change", "delete", "buckets")
MIB = 1 << 20
# Slow enough that everything takes half a minute, unless it is ended.
SIZE, BLOCK, PAUSE_SECONDS = 64 * MIB, 1 << 16, 0.03
COPIES, COPY_SECONDS = 240, 1.0
GENEROUS_SECONDS = 12


@dataclass
class Line:
    """A slow connection on which somebody loads a file up or down. `ended_at`: when the server had ended it."""

    visitor: Visitor
    path: str
    is_upload: bool = False
    moved: int = 0
    ended_at: float = 0
    port: int = 0

    def run(self) -> None:
        there = urlsplit(self.visitor.address)
        with closing(socket.socket()) as connection:
            # Little is on its way at any time.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BLOCK)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BLOCK)
            connection.settimeout(60)
            connection.connect(("127.0.0.1", there.port))
            self.port = connection.getsockname()[1]
            connection.sendall(self._head(there.netloc))
            with suppress(ConnectionError):
                self._send(connection) if self.is_upload else self._receive(connection)
            self.ended_at = time.monotonic()

    def waiting(self) -> int:
        """Return the bytes of the answer that the server's kernel holds."""
        rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(int(row[4].partition(":")[0], 16) for row in rows if int(row[2].rpartition(":")[2], 16) == self.port)

    def _send(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        while self.moved < SIZE:
            time.sleep(PAUSE_SECONDS)
            with suppress(BlockingIOError):
                connection.recv(BLOCK)
                return
            with suppress(BlockingIOError):
                self.moved += connection.send(bytes(BLOCK))

    def _receive(self, connection: socket.socket) -> None:
        while block := connection.recv(BLOCK):
            self.moved += len(block)
            time.sleep(PAUSE_SECONDS)

    def _head(self, host: str) -> bytes:
        cookies = self.visitor.session.cookies.get_dict()
        lines = [
            f"{'PUT' if self.is_upload else 'GET'} {self.path} HTTP/1.1",
            f"Host: {host}",
            "Connection: close",
            f"Cookie: {'; '.join(f'{name}={value}' for name, value in cookies.items())}",
        ]
        if self.is_upload:
            csrf = cookies["pilothouse_csrf"]
            lines += [f"X-CSRFToken: {csrf}", "Content-Type: application/octet-stream", f"Content-Length: {SIZE}"]
        return "\r\n".join([*lines, "", ""]).encode()


@pytest.fixture
def storage(sandbox: Sandbox) -> Iterator[StorageInterface]:
    """A storage with one large object and many small ones in the folder `team/`. Copies take long."""
    ref, tokens = next(iter(sandbox.storage_tokens.items()))
    storage = StorageInterface(sandbox.storage(ref), Token(tokens["service"]))
    storage.buckets.create(BUCKET)
    storage.objects.upload(BUCKET, "team/large.bin", bytes(SIZE), content_type="application/octet-stream")
    for number in range(COPIES):
        storage.objects.upload(BUCKET, f"team/many/{number}.txt", b"x", content_type="text/plain")
    faults, headers = f"{sandbox.management_url}/_faults", {"Authorization": f"Bearer {sandbox.personal_token}"}
    requests.post(faults, json={"operation": "S12", "delay": COPY_SECONDS}, headers=headers, timeout=10).raise_for_status()
    yield storage
    requests.delete(faults, headers=headers, timeout=10).raise_for_status()
    storage.buckets.empty(BUCKET)
    storage.buckets.delete(BUCKET)


def job_of(started: Started) -> tuple[str, int, str]:
    """State, items done and message of the only job."""
    with closing(sqlite3.connect(started.data / "pilothouse.sqlite3", timeout=20)) as database:
        found: tuple[str, int, str] = database.execute("SELECT state, done, message FROM jobs_job").fetchone()
        return found


def wait_until(is_so: Callable[[], bool], seconds: float = 60) -> float:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return time.monotonic()


def test_revoking_ends_downloads_an_upload_and_a_job_within_seconds(
    sandbox: Sandbox, storage: StorageInterface, tmp_path: Path
) -> None:
    ref, tokens = next(iter(sandbox.storage_tokens.items()))
    with (
        starting(tmp_path / "data", STORAGE_URL=sandbox.storage(ref)) as started,
        ThreadPoolExecutor(3) as pool,
        Visitor(started.wait_until_ready().address) as owner,
    ):
        assert started.link
        owner.enter_by(started.link)
        owner.submit(owner.get("/account/tokens/new/?kind=storage&space=shared"), token=tokens["service"])
        home = f"/storage/shared/{BUCKET}/"
        with invited(owner, "nora@example.org") as nora:
            new, folder = "/access/new/?place=shared&person=2", f"{BUCKET}/team/"
            owner.submit(owner.get(new), people="2", folders=folder, storage_acts=[*ACTS], life="none")
            nora.post(f"{home}~bulk/copy/?folder=team/many/", to_bucket=BUCKET, to="team/copies/")
            lines = {
                "download": Line(nora, f"{home}~download/?key=team/large.bin"),
                "ZIP": Line(nora, f"{home}~download/archive/?go=1&folder=team/"),
                "upload": Line(nora, f"{home}~upload/?key=team/new.bin&policy=new", is_upload=True),
            }
            ended = [pool.submit(line.run) for line in lines.values()]
            wait_until(lambda: all(line.moved > 4 * MIB for line in lines.values()) and job_of(started)[1] > 0)
            # Whatever the kernel holds still arrives after the access was revoked.
            held = max(lines[name].waiting() for name in ("download", "ZIP"))
            owner.post("/access/1/revocation/")
            revoked = time.monotonic()
            seconds = {"job": wait_until(lambda: job_of(started)[0] == "failed") - revoked}
            for future in ended:
                future.result(60)
    assert 0 < held < MIB
    seconds |= {name: line.ended_at - revoked for name, line in lines.items()}
    assert max(seconds.values()) < GENEROUS_SECONDS, seconds
    assert all(line.moved < SIZE for line in lines.values())
    state, done, message = job_of(started)
    assert (state, message, 0 < done < COPIES) == ("failed", "owner@localhost revoked this access.", True)
    with pytest.raises(errors.NotFound):
        storage.objects.info(BUCKET, "team/new.bin")
