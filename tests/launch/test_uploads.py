"""Uploads against the real web server, on raw sockets: what only a server of our own configuration can show."""

import hashlib
import os
import random
import signal
import socket
import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import parse_headers
from pathlib import Path
from urllib.parse import quote

import pytest
import requests

from tests.launch.command import Started, parent_of, starting
from tests.launch.visitor import Visitor
from tests.sandboxes import RACE, Sandbox

BUCKET = "launch-uploads"


@dataclass
class Uploader:
    """A signed-in owner with a storage token, and a socket's view of the web server."""

    started: Started
    cookie: str
    csrf: str
    storage: str
    token: str

    def connect(self) -> socket.socket:
        host, _, port = self.started.address.removeprefix("http://").partition(":")
        return socket.create_connection((host, int(port)), timeout=30)

    def head(self, key: str, length: int, *, policy: str = "replace") -> bytes:
        target = f"/storage/shared/{BUCKET}/~upload/?key={quote(key, safe='')}&policy={policy}"
        lines = [
            f"PUT {target} HTTP/1.1",
            f"Host: {self.started.address.removeprefix('http://')}",
            f"Cookie: {self.cookie}",
            f"X-CSRFToken: {self.csrf}",
            "Content-Type: application/octet-stream",
            f"Content-Length: {length}",
        ]
        return "\r\n".join([*lines, "", ""]).encode()

    def put(self, key: str, content: bytes) -> None:
        """Give the service an object without Pilothouse."""
        headers = {"Authorization": f"Bearer {self.token}", "x-upsert": "true", "Content-Type": "application/octet-stream"}
        requests.post(
            f"{self.storage}/object/{BUCKET}/{quote(key)}", data=content, headers=headers, timeout=30
        ).raise_for_status()

    def wait_until_idle(self) -> None:
        """Until the journal shows no open upload for a second: rows are closed when an upload ends."""
        database = sqlite3.connect(self.started.data / "pilothouse.sqlite3")
        deadline, quiet = time.monotonic() + 40, 0
        try:
            while quiet < 10:
                assert time.monotonic() < deadline
                still_open = database.execute("SELECT count(*) FROM journal_entry WHERE outcome = 'open'").fetchone()[0]
                quiet = 0 if still_open else quiet + 1
                time.sleep(0.1)
        finally:
            database.close()

    def has_lease(self) -> bool:
        """Whether some key is leased to an upload."""
        with closing(sqlite3.connect(self.started.data / "pilothouse.sqlite3")) as database:
            return bool(database.execute("SELECT count(*) FROM catalog_keylease").fetchone()[0])

    def stored(self, key: str) -> bytes | None:
        """What the service holds, asked without Pilothouse."""
        answer = requests.get(
            f"{self.storage}/object/authenticated/{BUCKET}/{quote(key)}",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=30,
        )
        return answer.content if answer.ok else None


@pytest.fixture(scope="module")
def bucket(sandbox: Sandbox) -> tuple[str, str]:
    """The storage with the bucket in it, and its token."""
    ref, tokens = next(iter(sandbox.storage_tokens.items()))
    storage, token = sandbox.storage(ref), tokens["service"]
    made = requests.post(f"{storage}/bucket", json={"name": BUCKET}, headers={"Authorization": f"Bearer {token}"}, timeout=10)
    assert made.ok, made.text
    return storage, token


@pytest.fixture(scope="module")
def uploader(bucket: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Uploader]:
    with uploading(tmp_path_factory.mktemp("uploads") / "data", *bucket) as uploader:
        yield uploader


@contextmanager
def uploading(data: Path, storage: str, token: str) -> Iterator[Uploader]:
    with starting(data, STORAGE_URL=storage) as started:
        started.wait_until_ready()
        assert started.link
        with Visitor(started.address) as owner:
            owner.enter_by(started.link)
            kept = owner.submit(owner.get("/account/tokens/new/?kind=storage&space=shared"), token=token)
            assert kept.status_code == 200
            cookies = owner.session.cookies.get_dict()
        cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
        yield Uploader(started, cookie, cookies["pilothouse_csrf"], storage, token)


def answer(connection: socket.socket) -> tuple[int, bytes]:
    """The next answer on the connection, read unbuffered: what has come of the one after it stays where it is."""
    with connection.makefile("rb", buffering=0) as stream:
        status = stream.readline()
        assert status, "closed without an answer"
        length, body = int(parse_headers(stream).get("Content-Length", "0")), b""
        while len(body) < length:
            piece = stream.read(length - len(body))
            assert piece, f"closed after {body!r}"
            body += piece
        return int(status.split()[1]), body


def test_bytes_arrive_unchanged_whatever_pieces_they_come_in(uploader: Uploader) -> None:
    content = hashlib.shake_256(b"pieces").digest(3_000_001)
    with uploader.connect() as connection:
        connection.sendall(uploader.head("pieces.bin", len(content)) + content[:10])
        position, size = 10, 1
        while position < len(content):
            connection.sendall(content[position : position + size])
            position, size = position + size, size * 3 % 700_001 + 1
        assert answer(connection)[0] == 200
    assert uploader.stored("pieces.bin") == content


def test_a_request_that_follows_on_the_same_connection_is_not_swallowed(uploader: Uploader) -> None:
    follower = f"GET /healthz HTTP/1.1\r\nHost: {uploader.started.address.removeprefix('http://')}\r\n\r\n".encode()
    with uploader.connect() as connection:
        connection.sendall(uploader.head("followed.txt", 5) + b"whole" + follower)
        assert answer(connection)[0] == 200
        assert answer(connection) == (200, b"ok\n")
    assert uploader.stored("followed.txt") == b"whole"


def test_an_empty_file_is_stored(uploader: Uploader) -> None:
    with uploader.connect() as connection:
        connection.sendall(uploader.head("empty.txt", 0))
        assert answer(connection)[0] == 200
    assert uploader.stored("empty.txt") == b""


def test_of_two_uploads_to_one_new_key_at_the_same_time_the_second_is_told_to_wait(uploader: Uploader, sandbox: Sandbox) -> None:
    """The service would tell both that they were stored."""
    personal = {"Authorization": f"Bearer {sandbox.personal_token}"}
    first, second = hashlib.shake_256(b"first").digest(2 << 20), b"second"
    requests.post(f"{sandbox.management_url}/_race", json={"on": True}, headers=personal, timeout=10).raise_for_status()
    try:
        with uploader.connect() as one, uploader.connect() as other:
            one.sendall(uploader.head("raced.bin", len(first), policy="new") + first[: 1 << 20])
            deadline, status = time.monotonic() + 20, 0
            while status != 423:
                # Only once the first has its lease; until then this one must not come through either.
                assert time.monotonic() < deadline
                if uploader.has_lease():
                    other.sendall(uploader.head("raced.bin", len(second), policy="new") + second)
                    status, body = answer(other)
                    assert (status, b"You are already uploading this file name" in body) == (423, True)
            one.sendall(first[1 << 20 :])
            assert answer(one)[0] == 200
        assert uploader.stored("raced.bin") == first
        assert not uploader.has_lease()
    finally:
        requests.post(f"{sandbox.management_url}/_race", json={"on": RACE}, headers=personal, timeout=10)


def test_a_client_that_drips_is_told_to_stop(uploader: Uploader) -> None:
    begun = time.monotonic()
    with uploader.connect() as connection:
        connection.sendall(uploader.head("dripped.bin", 1 << 20))
        connection.settimeout(0.1)
        while time.monotonic() - begun < 20:
            connection.sendall(b"x" * 100)
            try:
                seen = connection.recv(4096, socket.MSG_PEEK)
            except TimeoutError:
                continue
            assert seen.startswith(b"HTTP/1.1 408 ")
            break
        else:
            pytest.fail("it was still listening after 20 seconds")
    assert time.monotonic() - begun < 15
    assert uploader.stored("dripped.bin") is None


def test_a_client_that_stands_still_is_told_to_stop(uploader: Uploader) -> None:
    begun = time.monotonic()
    with uploader.connect() as connection:
        connection.sendall(uploader.head("still.bin", 1 << 20) + b"beginning")
        assert answer(connection)[0] == 408
    assert time.monotonic() - begun < 15
    assert uploader.stored("still.bin") is None


def test_fifty_uploads_cut_at_any_point_leave_no_half_object(uploader: Uploader) -> None:
    cuts = random.Random(50)  # noqa: S311 - the same cuts in every run
    content, old = hashlib.shake_256(b"new").digest(3_000_000), b"the old one"
    for number in range(50):
        key = f"cut-{number}.bin"
        if number % 2:
            uploader.put(key, old)
        with uploader.connect() as connection:
            head = uploader.head(key, len(content), policy="replace" if number % 2 else "new")
            connection.sendall(head + content[: cuts.choice([0, 1, len(content) - 1, cuts.randrange(len(content))])])
            if number % 3 == 0:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    uploader.wait_until_idle()
    found = {number: uploader.stored(f"cut-{number}.bin") for number in range(50)}
    assert found == {number: old if number % 2 else None for number in range(50)}


@pytest.mark.exhaustive
def test_twenty_uploads_whose_worker_is_killed_leave_no_half_object(bucket: tuple[str, str], tmp_path: Path) -> None:
    old, new = b"old" * 1000, bytes(4 << 20)
    with uploading(tmp_path / "data", *bucket) as uploader:
        taken, free = [f"killed/{number}.bin" for number in range(10)], [f"killed/new {number}.bin" for number in range(10)]
        for key in taken:
            uploader.put(key, old)
        connections = [uploader.connect() for _ in (*taken, *free)]
        for connection, key in zip(connections, (*taken, *free), strict=True):
            policy = "replace" if key in taken else "new"
            connection.sendall(uploader.head(key, len(new), policy=policy) + new[: len(new) // 2])
        master = uploader.started.part("gunicorn_config")
        workers = [pid for pid in uploader.started.children() if parent_of(pid) == master]
        assert len(workers) == 2
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        for connection in connections:
            connection.close()
        assert requests.get(f"{uploader.started.address}/readyz", timeout=30).status_code == 200
        assert [uploader.stored(key) for key in taken] == [old] * 10
        assert [uploader.stored(key) for key in free] == [None] * 10
