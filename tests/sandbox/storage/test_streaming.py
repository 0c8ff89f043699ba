"""Large bodies pass through without filling memory, and stay byte for byte what they were."""

import hashlib
import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.sandbox.storage.asking import Space

SIZE = 200 << 20
BLOCK = bytes(range(256)) * 4096
MOST_GROWTH = 24 << 10  # KiB


def worker_of(space: Space) -> int:
    pid = space.sandbox.process.pid
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def peak(space: Space) -> int:
    """The most memory that the worker ever held, in KiB."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{worker_of(space)}/status").read_text())
    assert found
    return int(found[1])


def forget_peak(space: Space) -> None:
    Path(f"/proc/{worker_of(space)}/clear_refs").write_text("5")


def send(space: Space, path: str, head: str, pieces: Iterator[bytes]) -> bytes:
    address = urlsplit(space.url)
    with socket.create_connection((str(address.hostname), address.port or 80), timeout=60) as line:
        head = f"Host: x\r\nConnection: close\r\nAuthorization: Bearer {space.service}\r\n{head}"
        line.sendall(f"PUT {address.path}{path} HTTP/1.1\r\n{head}\r\n\r\n".encode())
        for piece in pieces:
            line.sendall(piece)
        return b"".join(iter(lambda: line.recv(1 << 16), b""))


def blocks() -> Iterator[bytes]:
    return (BLOCK for _ in range(SIZE // len(BLOCK)))


def raw() -> tuple[str, Iterator[bytes]]:
    return f"Content-Length: {SIZE}\r\nContent-Type: application/x-test", blocks()


def chunked() -> tuple[str, Iterator[bytes]]:
    def pieces() -> Iterator[bytes]:
        for block in blocks():
            yield b"%x\r\n" % len(block) + block + b"\r\n"
        yield b"0\r\n\r\n"

    return "Transfer-Encoding: chunked", pieces()


def form() -> tuple[str, Iterator[bytes]]:
    head = b'--B\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: text/plain\r\n\r\n'
    tail = b"\r\n--B--\r\n"

    def pieces() -> Iterator[bytes]:
        yield head
        yield from blocks()
        yield tail

    return f"Content-Length: {SIZE + len(head) + len(tail)}\r\nContent-Type: multipart/form-data; boundary=B", pieces()


def download(space: Space, path: str) -> tuple[int, str]:
    address = urlsplit(space.url)
    with socket.create_connection((str(address.hostname), address.port or 80), timeout=60) as line:
        start = (
            f"GET {address.path}{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {space.service}\r\n\r\n"
        )
        line.sendall(start.encode())
        with line.makefile("rb") as answer:
            while answer.readline().strip():
                pass
            digest, size = hashlib.sha256(), 0
            while block := answer.read(1 << 20):
                digest.update(block)
                size += len(block)
    return size, digest.hexdigest()


def test_large_bodies_leave_memory_alone(space: Space, bucket: str) -> None:
    digest = hashlib.sha256()
    for block in blocks():
        digest.update(block)
    for number, (head, pieces) in enumerate((raw(), chunked(), form())):
        path = f"/object/{bucket}/large{number}"
        send(space, f"/object/{bucket}/small", "Content-Length: 4", iter([b"warm"]))
        forget_peak(space)
        before = peak(space)
        assert b" 200 OK" in send(space, path, head, pieces)
        assert peak(space) - before < MOST_GROWTH
        forget_peak(space)
        before = peak(space)
        assert download(space, f"/object/authenticated/{bucket}/large{number}") == (SIZE, digest.hexdigest())
        assert peak(space) - before < MOST_GROWTH
    assert space.call("POST", f"/bucket/{bucket}/empty").status == 200


def test_a_refusal_is_heard_by_a_client_that_is_still_sending(space: Space, fresh: str) -> None:
    space.create(fresh, file_size_limit=1000)
    answer = send(space, f"/object/{fresh}/large", f"Content-Length: {100 << 20}", (BLOCK for _ in range(100)))
    assert b"The object exceeded the maximum allowed size" in answer


@pytest.mark.parametrize("asked", ["bytes=5242879-5242882", "bytes=-3", "bytes=10485759-"])
def test_a_part_of_a_large_object_is_the_right_one(space: Space, bucket: str, asked: str) -> None:
    data = BLOCK * 10
    space.put(bucket, "ten", data)
    first, _, last = asked.removeprefix("bytes=").partition("-")
    expected = data[-int(last) :] if not first else data[int(first) : int(last) + 1 if last else None]
    assert space.call("GET", f"/object/authenticated/{bucket}/ten", Range=asked).body == expected


def test_who_reads_while_others_replace_gets_one_whole_version(space: Space, bucket: str) -> None:
    space.put(bucket, "k", b"0" * 500_000)
    over = threading.Event()

    def write() -> None:
        for number in range(60):
            space.put(bucket, "k", b"%d" % (number % 10) * (500_000 + number))
        over.set()

    def read() -> int:
        times = 0
        while not over.is_set():
            reply = space.call("GET", f"/object/authenticated/{bucket}/k")
            assert reply.headers["etag"] == f'"{hashlib.md5(reply.body, usedforsecurity=False).hexdigest()}"'
            times += 1
        return times

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        pool.submit(write).result()
        assert all(reader.result() for reader in readers)
