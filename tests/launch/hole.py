"""A proxy of the sandbox that lets everything about one project hang; and a start that uses it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import requests

from tests.launch.command import starting
from tests.launch.visitor import Visitor
from tests.sandboxes import Sandbox

THREADS = 32


class Hole(ThreadingHTTPServer):
    """`waiting` is how many requests hang now, `most` the maximum so far."""

    request_queue_size = 256
    daemon_threads = True

    def __init__(self, behind: str, swallowed: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behind, self.swallowed = behind, swallowed
        self.opened = threading.Event()
        self.count = threading.Condition()
        self.waiting = self.most = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def swallow(self) -> None:
        with self.count:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
            self.count.notify_all()
        self.opened.wait()
        with self.count:
            self.waiting -= 1

    def wait_for(self, number: int) -> None:
        """Wait until this many hang at the same time."""
        with self.count:
            assert self.count.wait_for(lambda: self.waiting >= number, timeout=30), f"{self.waiting} of {number} hang"


class _Handler(BaseHTTPRequestHandler):
    server: Hole
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.server.swallowed in self.path:
            self.server.swallow()
        with suppress(OSError):
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            kept = {name: self.headers[name] for name in ("Authorization", "apikey", "Content-Type") if name in self.headers}
            answer = requests.request(self.command, self.server.behind + self.path, data=body, headers=kept, timeout=30)
            self.send_response(answer.status_code)
            self.send_header("Content-Type", answer.headers.get("Content-Type", ""))
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

    do_POST = do_GET  # noqa: N815 - the library's name

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def hole(behind: str, swallowed: str) -> Iterator[Hole]:
    """Let requests whose path contains `swallowed` hang until the end. All others go to `behind`."""
    with Hole(behind, swallowed) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.opened.set()
            server.shutdown()


@contextmanager
def beside_a_hole(sandbox: Sandbox, data: Path, **settings: str) -> Iterator[tuple[Hole, Visitor, str, str]]:
    """Yield the proxy, a signed-in person with a management token, and the pages of a hanging and of a healthy project."""
    hanging, healthy = list(sandbox.storage_tokens)[:2]
    settings = {"WEB_CONCURRENCY": "1", "WEB_THREADS": str(THREADS), **settings}
    with (
        hole(sandbox.management_url, f"/{hanging}/") as service,
        starting(data, MANAGEMENT_URL=service.address, **settings) as started,
    ):
        started.wait_until_ready()
        assert started.link
        with Visitor(started.address) as owner:
            owner.enter_by(started.link)
            owner.submit(owner.get("/account/tokens/new/?kind=management"), token=sandbox.personal_token)
            yield service, owner, f"/projects/{hanging}/secrets/", f"/projects/{healthy}/secrets/"
