"""A server on a raw socket, for everything that a healthy service doesn't do."""

import json
import re
import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Behave = Callable[[socket.socket, bytes], None]
Answers = dict[str, Behave]


class Server:
    """Reads each request's head (and body, unless told not to), then lets `behave` use the connection."""

    def __init__(self, behave: Behave, *, read_body: bool = True) -> None:
        self.requests: list[bytes] = []
        self.bodies: list[bytes] = []
        self.connections = 0
        self._behave = behave
        self._read_body = read_body
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.ended = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def close(self) -> None:
        self.ended.set()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection in self._open:
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                self._open.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError, ValueError), connection:
            while True:
                received = b""
                while b"\r\n\r\n" not in received:
                    more = connection.recv(65536)
                    if not more:
                        return
                    received += more
                head, _, rest = received.partition(b"\r\n\r\n")
                found = re.search(rb"(?i)content-length: (\d+)", head)
                length = int(found.group(1)) if found else 0
                body = bytearray(rest)
                while self._read_body and len(body) < length:
                    more = connection.recv(1 << 20)
                    if not more:
                        break
                    body += more
                self.requests.append(head)
                self.bodies.append(bytes(body))
                if self._read_body and len(body) < length:
                    return
                self._behave(connection, head)


@contextmanager
def serving(behave: Behave, *, read_body: bool = True) -> Iterator[Server]:
    server = Server(behave, read_body=read_body)
    try:
        yield server
    finally:
        server.close()


def answer(
    body: bytes = b"", *, status: int = 200, kind: str = "application/json", more: str = "", length: int | None = None
) -> Behave:
    """Return a complete answer; the connection stays open."""

    def behave(connection: socket.socket, _head: bytes) -> None:
        size = len(body) if length is None else length
        head = f"HTTP/1.1 {status} Whatever\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n{more}\r\n"
        connection.sendall(head.encode("latin-1") + body)

    return behave


def as_json(value: object, *, status: int = 200) -> Behave:
    """Return an answer of JSON."""
    return answer(json.dumps(value).encode(), status=status)


def by_path(answers: Answers) -> Behave:
    """Answer by the end of the request's path; other paths have an empty list."""

    def behave(connection: socket.socket, head: bytes) -> None:
        path = head.split(b" ", 2)[1].partition(b"?")[0].decode()
        next((found for end, found in answers.items() if path.endswith(end)), as_json([]))(connection, head)

    return behave


def refusal(status: int, message: str | None = None, **members: object) -> Behave:
    """Return an error payload. Without a message it quotes the whole request, including credentials."""

    def behave(connection: socket.socket, head: bytes) -> None:
        text = head.decode("latin-1") if message is None else message
        as_json({"message": text, **members}, status=status)(connection, head)

    return behave


def in_turn(*behaviours: Behave) -> Behave:
    """Send the answers in order, then repeat the last one."""
    left = list(behaviours)

    def behave(connection: socket.socket, head: bytes) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(connection, head)

    return behave


def cut(connection: socket.socket, _head: bytes) -> None:
    """End the connection without an answer."""
    connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def reset(connection: socket.socket, _head: bytes) -> None:
    """Reset the connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def silence(_connection: socket.socket, _head: bytes) -> None:
    """Never answer."""
    time.sleep(30)


def garbage(connection: socket.socket, _head: bytes) -> None:
    """Answer with something that isn't HTTP."""
    connection.sendall(b"\x00\xff\xfe nonsense\r\n\r\n\x01")
    connection.close()


def drip_head(connection: socket.socket, _head: bytes) -> None:
    """Send the headers byte by byte, without an end."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        connection.sendall(b"a")
        time.sleep(0.05)


def drip_body(connection: socket.socket, _head: bytes) -> None:
    """Send the body byte by byte, without an end."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(0.05)


def drip_endless(connection: socket.socket, _head: bytes) -> None:
    """Send one byte at a time of a body that only ends with the connection."""
    connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n[")
    while True:
        connection.sendall(b" ")
        time.sleep(0.05)


def bomb(connection: socket.socket, _head: bytes) -> None:
    """Send 200 MiB of zeros in 200 KiB."""
    packer = zlib.compressobj(wbits=31)
    body = b"".join(packer.compress(bytes(1 << 20)) for _ in range(200)) + packer.flush()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)


def huge(connection: socket.socket, _head: bytes) -> None:
    """Send an endless JSON array, chunked."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    block = b"10000\r\n" + b"[" * 65536 + b"\r\n"
    while True:
        connection.sendall(block)


def ends_after(body: bytes, *, of: int, kind: str = "application/json") -> Behave:
    """Return the beginning of an answer, after which the connection ends."""

    def behave(connection: socket.socket, head: bytes) -> None:
        answer(body, kind=kind, length=of)(connection, head)
        connection.shutdown(socket.SHUT_RDWR)

    return behave


@contextmanager
def black_hole() -> Iterator[str]:
    """Yield an address that never completes a connection, as its queue is full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = []
        for _ in range(3):
            filler = socket.socket()
            filler.setblocking(False)
            with suppress(BlockingIOError):
                filler.connect(listener.getsockname())
            waiting.append(filler)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            for filler in waiting:
                filler.close()


def closed_address() -> str:
    """Return an address where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"
