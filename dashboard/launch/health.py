"""Health checks: `/healthz` (the process runs), `/readyz` (database reachable and migrated); and `/metrics`, if it is on."""

from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse

Answer = Callable[[HttpRequest], HttpResponse]


class HealthMiddleware:
    """Answer probes before host checks, because probes use IP addresses instead of ALLOWED_HOSTS."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        self.migrated = False

    def __call__(self, request: HttpRequest) -> HttpResponse:
        match request.path_info:
            case "/healthz":
                return _plain("ok", 200)
            case "/readyz":
                return self._ready()
            case "/metrics" | "/metrics/database" if settings.METRICS_ADDRESS:
                return _figures(request)
            case _:
                return self.get_response(request)

    def _ready(self) -> HttpResponse:
        """Check our own database only; the dashboard is useful while a service is down."""
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            if not self.migrated:
                executor = MigrationExecutor(connection)
                self.migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        except DatabaseError:
            return _plain("the database does not answer", 503)
        return _plain("ok", 200) if self.migrated else _plain("migrations are missing", 503)


def _figures(request: HttpRequest) -> HttpResponse:
    from dashboard.launch.metrics import exposition  # noqa: PLC0415 - loads its library only where figures are on

    try:
        return exposition(request)
    except DatabaseError:
        return _plain("the database does not answer", 503)


def _plain(text: str, status: int) -> HttpResponse:
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Content-Length": str(len(text) + 1)}
    return HttpResponse(f"{text}\n", status=status, content_type="text/plain; charset=utf-8", headers=headers)
