"""Eight cheap callers: prepared bytes over connections that stay open, a twentieth of a millisecond per call.

A client library uses as much processor time as the servers measured here, and so would hide their limits.
"""

import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

CALLERS = 8
BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Call:
    """One request, ready to be sent to `place`."""

    place: tuple[str, int]
    data: bytes


def call(method: str, address: str, *, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Call:
    parts = urlsplit(address)
    assert parts.hostname
    assert parts.port
    length = {"Content-Type": "application/json", "Content-Length": str(len(body))} if body else {}
    lines = [f"{name}: {value}" for name, value in {"Host": parts.netloc, **(headers or {}), **length}.items()]
    head = "\r\n".join([f"{method} {parts.path} HTTP/1.1", *lines, "", ""])
    return Call((parts.hostname, parts.port), head.encode() + body)


def rate(calls: Sequence[Call], status: int) -> float:
    """Return the calls per second, each sent once by a free caller. Fails on any other status."""
    left, statuses = iter(calls), list[int]()

    def go(_: int) -> None:
        statuses.extend(_answers(left))

    with ThreadPoolExecutor(CALLERS) as callers:
        begun = time.monotonic()
        list(callers.map(go, range(CALLERS)))
        taken = time.monotonic() - begun
    wrong = [answer for answer in statuses if answer != status]
    if wrong or len(statuses) != len(calls):
        raise RuntimeError(f"{len(wrong)} answers were not {status}: {sorted(set(wrong))}")
    return len(calls) / taken


def _answers(left: Iterator[Call]) -> Iterator[int]:
    connection: socket.socket | None = None
    for each in left:
        if connection is None:
            connection = socket.create_connection(each.place, timeout=30)
        connection.sendall(each.data)
        status, stays = _answer(connection)
        if not stays:
            connection.close()
            connection = None
        yield status
    if connection is not None:
        connection.close()


def _answer(connection: socket.socket) -> tuple[int, bool]:
    """Read one whole answer; return its status and whether the connection stays open."""
    data = b""
    while (end := data.find(b"\r\n\r\n")) < 0:
        data += _block(connection)
    head = data[:end].lower()
    length = head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0]
    got, wanted = len(data) - end - 4, int(length)
    while got < wanted:
        got += len(_block(connection))
    return int(head[9:12]), b"\r\nconnection: close" not in head


def _block(connection: socket.socket) -> bytes:
    block = connection.recv(BLOCK)
    if not block:
        raise ConnectionError("the connection ended in the middle of an answer")
    return block
