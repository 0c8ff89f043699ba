"""What the sandbox promised is there after kill -9, and nothing half is."""

import hashlib
import os
import random
import signal
import socket
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conftest import stop_sandbox
from tests.environment import RUN_DIR
from tests.sandbox.storage.asking import Space
from tests.sandbox.storage.conftest import open_space


def files_of(folder: Path) -> list[Path]:
    return [path for path in (folder / "objects").rglob("*") if path.is_file()]


def kill_all(space: Space) -> None:
    """The server and its worker at once, as a power cut would."""
    pid = space.sandbox.process.pid
    workers = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for process in [pid, *map(int, workers)]:
        os.kill(process, signal.SIGKILL)
    space.sandbox.process.wait(10)
    assert space.sandbox.process.stdout
    space.sandbox.process.stdout.close()


def test_kill_9_loses_no_acknowledged_object_and_leaves_no_half_one(tmp_path: Path) -> None:
    space = open_space(tmp_path)
    space.create("b")
    sent: dict[str, dict[str, bytes]] = {}
    acknowledged: dict[str, str] = {}
    dead = threading.Event()

    def upload(worker: int) -> None:
        chance = random.Random(worker)  # noqa: S311 - a dice, no secret
        for number in range(10_000):
            if dead.is_set():
                return
            key = f"{worker}/{number % 7}"
            data = chance.randbytes(chance.choice([10, 5_000, 300_000, 3_000_000]))
            digest = hashlib.sha256(data).hexdigest()
            sent.setdefault(key, {})[digest] = data
            try:
                if space.call("PUT", f"/object/b/{key}", data=data).status == 200:
                    acknowledged[key] = digest
            except (OSError, HTTPException):
                return

    with ThreadPoolExecutor(8) as pool:
        done = [pool.submit(upload, worker) for worker in range(8)]
        deadline = time.monotonic() + 60
        while len(acknowledged) <= 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        kill_all(space)
        dead.set()
        for one in done:
            one.result()

    space = open_space(tmp_path)
    try:
        assert len(acknowledged) > 8
        found = {f"{folder}/{row['name']}": row for folder in space.names("b") for row in space.rows("b", folder)}
        assert set(acknowledged) <= set(found)
        for key, row in found.items():
            data = space.read("b", key)
            digest = hashlib.sha256(data).hexdigest()
            # The last one that was acknowledged, or the one that was on its way when the end came.
            assert digest in {acknowledged.get(key), list(sent[key])[-1]}
            assert data == sent[key][digest]
            assert row["metadata"]["size"] == len(data)
        assert len(files_of(tmp_path)) == len(found)
    finally:
        stop_sandbox(space.sandbox)


def begin(space: Space, path: str, head: str, body: bytes) -> socket.socket:
    """A request whose body is not sent to its end."""
    address = urlsplit(space.url)
    line = socket.create_connection((str(address.hostname), address.port or 80), timeout=10)
    text = f"PUT {address.path}{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {space.service}\r\n{head}\r\n\r\n"
    line.sendall(text.encode() + body)
    return line


def settle(folder: Path) -> None:
    """Until nothing is being written any more."""
    for _ in range(100):
        if not any((folder / "objects" / "incoming").iterdir()):
            return
        time.sleep(0.05)
    pytest.fail("a file is still being written")


FORM = b'--B\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: text/plain\r\n\r\n'


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("Content-Length: 100", b"x" * 99),
        ("Content-Length: 5000000", b"x" * 3_000_000),
        ("Content-Length: 100", b""),
        ("Transfer-Encoding: chunked", b"a\r\n0123456789\r\n"),
        ("Transfer-Encoding: chunked", b"a\r\n0123"),
        ("Transfer-Encoding: chunked", b"a\r\n0123456789\r\n0\r\n"),
        ("Transfer-Encoding: chunked", b"a\r\n0123456789\r\nzz\r\n\r\n"),
        ("Content-Length: 900\r\nContent-Type: multipart/form-data; boundary=B", FORM + b"x" * 100),
        ("Content-Length: 900\r\nContent-Type: multipart/form-data; boundary=B", FORM + b"x\r\n--B--\r\n"),
        ("Transfer-Encoding: chunked\r\nContent-Type: multipart/form-data; boundary=B", b"5a\r\n" + FORM[:90] + b"\r\n"),
    ],
)
def test_a_body_that_ends_early_is_never_stored(space: Space, bucket: str, head: str, body: bytes) -> None:
    space.put(bucket, "old", b"old")
    for key in ("new", "old"):
        with begin(space, f"/object/{bucket}/{key}", head, body) as line:
            line.shutdown(socket.SHUT_WR)
            line.recv(1 << 16)
    settle(RUN_DIR / "stockroom")
    assert space.names(bucket) == ["old"]
    assert space.read(bucket, "old") == b"old"


def test_a_client_that_hangs_up_leaves_nothing(space: Space, bucket: str) -> None:
    begin(space, f"/object/{bucket}/new", "Content-Length: 5000000", b"x" * 2_000_000).close()
    settle(RUN_DIR / "stockroom")
    assert space.rows(bucket) == []


def test_files_go_with_their_objects(tmp_path: Path) -> None:
    space = open_space(tmp_path)
    try:
        space.create("b")
        for key in ("a", "a", "b", "c", "d/e"):
            space.put("b", key, os.urandom(100))
        assert len(files_of(tmp_path)) == 4
        space.call("POST", "/object/copy", data={"bucketId": "b", "sourceKey": "a", "destinationKey": "f"})
        space.call("POST", "/object/move", data={"bucketId": "b", "sourceKey": "b", "destinationKey": "g"})
        assert len(files_of(tmp_path)) == 5
        space.call("DELETE", "/object/b/a")
        space.call("DELETE", "/object/b", data={"prefixes": ["c", "f"]})
        assert len(files_of(tmp_path)) == 2
        space.call("POST", "/bucket/b/empty")
        assert files_of(tmp_path) == []
    finally:
        stop_sandbox(space.sandbox)


def test_starting_again_clears_what_no_row_names(tmp_path: Path) -> None:
    space = open_space(tmp_path)
    space.create("b")
    space.put("b", "kept", b"kept")
    stop_sandbox(space.sandbox)
    (tmp_path / "objects" / "incoming" / "half").write_bytes(b"x")
    (tmp_path / "objects" / "ab").mkdir(exist_ok=True)
    (tmp_path / "objects" / "ab" / ("ab" * 16)).write_bytes(b"x")
    space = open_space(tmp_path)
    try:
        assert len(files_of(tmp_path)) == 1
        assert space.read("b", "kept") == b"kept"
    finally:
        stop_sandbox(space.sandbox)


def test_threads_that_write_the_same_folders_agree_on_them(space: Space, bucket: str) -> None:
    def work(worker: int) -> None:
        chance = random.Random(worker)  # noqa: S311 - a dice, no secret
        for _ in range(40):
            key = f"{chance.choice('aAb')}/{chance.choice('cd')}/{chance.randrange(4)}"
            match chance.randrange(4):
                case 0:
                    space.call("DELETE", f"/object/{bucket}/{key}")
                case 1:
                    other = f"{chance.choice('ab')}/{chance.randrange(4)}"
                    space.call("POST", "/object/move", data={"bucketId": bucket, "sourceKey": key, "destinationKey": other})
                case _:
                    assert space.call("PUT", f"/object/{bucket}/{key}", data=key.encode()).status == 200

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    with sqlite3.connect(RUN_DIR / "stockroom" / "sandbox.sqlite3") as database:
        chosen = "from sandbox_storage_entry where bucket_id = (select id from sandbox_storage_bucket where identifier = ?)"
        rows = database.execute(f"select key, parent, name, kind, descendants {chosen}", [bucket]).fetchall()
        leaders = database.execute(f"select sum(leads) {chosen} and kind = 0 group by parent, sort_name", [bucket]).fetchall()
    database.close()
    keys = [row[0] for row in rows if row[3] == 1]
    expected: dict[tuple[str, str], int] = {}
    for key in keys:
        segments = key.split("/")
        for depth in range(len(segments) - 1):
            folder = ("".join(part + "/" for part in segments[:depth]).lower(), segments[depth])
            expected[folder] = expected.get(folder, 0) + 1
    assert {(parent, name): count for _, parent, name, kind, count in rows if kind == 0} == expected
    assert {count for (count,) in leaders} == {1}
