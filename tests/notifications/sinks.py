"""A real SMTP server and a real HTTP receiver, which store what they receive, and can hang, refuse or cut the connection."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Sink:
    """The messages that arrived, in order. While `let_go` is unset, the sender waits for its answer."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    posts: list[dict[str, Any]] = field(default_factory=list)
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    let_go: threading.Event = field(default_factory=threading.Event)
    refusal: str = ""
    cuts: bool = False

    def wait(self, seconds: float = 60) -> None:
        """Wait until one more message has arrived."""
        assert self.arrived.acquire(timeout=seconds), "nothing arrived"


class Smtp(socketserver.StreamRequestHandler):
    server: "Server"

    def handle(self) -> None:
        sink = self.server.sink
        self._say("220 sink")
        while line := self.rfile.readline():
            verb = line[:4].upper().strip()
            if verb == b"QUIT":
                self._say("221 bye")
                return
            if verb == b"RCPT" and sink.refusal:
                self._say(sink.refusal)
            elif verb == b"DATA":
                self._say("354 go on")
                sink.mails.append(_mail(b"".join(iter(self.rfile.readline, b".\r\n"))))
                sink.arrived.release()
                sink.let_go.wait(60)
                if sink.cuts:
                    return
                self._say("250 kept")
            else:
                self._say("250 fine")

    def _say(self, line: str) -> None:
        try:
            self.wfile.write(f"{line}\r\n".encode())
        except OSError:
            return  # the sender was killed


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    sink: Sink


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        sink: Sink = self.server.sink  # type: ignore[attr-defined] # set where it is made
        body = self.rfile.read(int(self.headers["Content-Length"]))
        sink.posts.append({"path": self.path, **json.loads(body)})
        sink.arrived.release()
        sink.let_go.wait(60)
        try:
            self.send_response(503 if sink.refusal else 200)
            self.end_headers()
        except OSError:
            return  # the sender was killed

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def smtp() -> Iterator[Sink]:
    with Server(("127.0.0.1", 0), Smtp) as server:
        yield from _serving(server)


@contextmanager
def receiver() -> Iterator[Sink]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        yield from _serving(server)


def _serving(server: Any) -> Iterator[Sink]:
    sink = server.sink = Sink(port=server.server_address[1])
    sink.let_go.set()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield sink
    sink.let_go.set()
    server.shutdown()
    thread.join()


def _mail(data: bytes) -> EmailMessage:
    found = message_from_bytes(data, policy=policy.default)
    assert isinstance(found, EmailMessage)
    return found
