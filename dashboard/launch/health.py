"""Health checks: `/healthz` (the process runs), `/readyz` (database reachable and migrated); and `/metrics`, if it is on.

Probes are answered among other requests and, at HEALTH_ADDRESS, by threads reserved for them.
"""

import socket
import threading
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse

Answer = Callable[[HttpRequest], HttpResponse]

# Longest wait of a probe for the database.
PATIENCE_SECONDS = 0.8
SLOW_PROBE_SECONDS = 5.0
AWAY = "the database does not answer"
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Content-Type": "text/plain; charset=utf-8"}


class HealthMiddleware:
    """Answer probes before host checks, because probes use IP addresses instead of ALLOWED_HOSTS."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        match request.path_info:
            case "/healthz" | "/readyz" as path:
                return _plain(*answer_of(path))
            case "/metrics" | "/metrics/database" if settings.METRICS_ADDRESS:
                return _figures(request)
            case _:
                return self.get_response(request)


class HealthServer(ThreadingHTTPServer):
    """Serve probes on a socket shared by all processes of the web, with a thread per probe."""

    daemon_threads = True

    def __init__(self, listener: socket.socket) -> None:
        super().__init__(listener.getsockname(), _Probe, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        # Another process may have accepted it first.
        listener.setblocking(False)
        threading.Thread(target=self.serve_forever, name="health", daemon=True).start()

    def stop(self) -> None:
        """Refuse further probes."""
        self.shutdown()
        self.server_close()


class _Probe(BaseHTTPRequestHandler):
    timeout = SLOW_PROBE_SECONDS
    server_version, sys_version = "Pilothouse", ""

    def do_GET(self) -> None:
        text, status = answer_of(self.path)
        body = f"{text}\n".encode()
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - the library's name

    def log_message(self, *_: object) -> None:
        """Don't log probes."""


class Readiness:
    """Tell whether the database answers and is up to date. A check has its own thread and its own connection outside the pool."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: _Check | None = None
        self._migrated = False

    def __call__(self) -> tuple[str, int]:
        """Wait briefly for the running check, or for a new one. Checks our own database only: services may be down."""
        with self._lock:
            if self._running is None or self._running.ended.is_set():
                self._running = _Check(migrated=self._migrated)
            check = self._running
        if not check.ended.wait(PATIENCE_SECONDS):
            return AWAY, HTTPStatus.SERVICE_UNAVAILABLE
        self._migrated |= check.result == ("ok", HTTPStatus.OK)
        return check.result


class _Check:
    """One check of the database. `result` is valid once `ended` is set."""

    def __init__(self, *, migrated: bool) -> None:
        self.ended = threading.Event()
        self.result: tuple[str, int] = (AWAY, HTTPStatus.SERVICE_UNAVAILABLE)
        self._is_migrated = migrated
        threading.Thread(target=self._run, name="readiness", daemon=True).start()

    def _run(self) -> None:
        connection = connections["default"].copy()
        connection.settings_dict["OPTIONS"].pop("pool", None)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            if not self._is_migrated:
                executor = MigrationExecutor(connection)
                self._is_migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
            missing = ("migrations are missing", HTTPStatus.SERVICE_UNAVAILABLE)
            self.result = ("ok", HTTPStatus.OK) if self._is_migrated else missing
        except DatabaseError:
            return  # `result` says so already.
        finally:
            connection.close()
            self.ended.set()


@cache
def _readiness() -> Readiness:
    return Readiness()


def answer_of(path: str) -> tuple[str, int]:
    """Return the text and the status to answer a probe."""
    match path.partition("?")[0]:
        case "/healthz":
            return "ok", HTTPStatus.OK
        case "/readyz":
            return _readiness()()
        case _:
            return "not found", HTTPStatus.NOT_FOUND


def _figures(request: HttpRequest) -> HttpResponse:
    from dashboard.launch.metrics import exposition  # noqa: PLC0415 - loads its library only where figures are on

    try:
        return exposition(request)
    except DatabaseError:
        return _plain(AWAY, HTTPStatus.SERVICE_UNAVAILABLE)


def _plain(text: str, status: int) -> HttpResponse:
    return HttpResponse(f"{text}\n", status=status, headers={**HEADERS, "Content-Length": str(len(text) + 1)})
