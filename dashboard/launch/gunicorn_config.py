"""Gunicorn's configuration, for `start` and containers: `gunicorn -c python:dashboard.launch.gunicorn_config`.

A worker has more threads than transfer slots, so that pages don't wait for uploads. `reuse_port` is off, because two starts would
silently share a port. `max_requests` is off, because a restarting worker accepts nothing until its downloads end.
"""

import ctypes
import os
import shutil
import socket
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import gunicorn.http.wsgi
from gunicorn.glogging import Logger

from dashboard.launch.ports import listen
from dashboard.launch.rules import Refusal, check, check_parts, setting
from dashboard.launch.web_worker import WebResponse
from dashboard.web.http.logs import JsonFormatter
from dashboard.web.process.kernel import end_with_parent, refuse_inspection

if TYPE_CHECKING:
    from gunicorn.arbiter import Arbiter
    from gunicorn.config import Config
    from gunicorn.workers.base import Worker

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3
MEBIBYTE = 1 << 20
# The socket option has a name in Python from 3.12 on.
TCP_NOTSENT_LOWAT = 25
UNSENT_BYTES = 512 << 10
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"

refuse_inspection()
try:
    check(os.environ)
except Refusal as refusal:
    sys.stderr.write(f"pilothouse: {refusal}\n")
    sys.exit(2)

wsgi_app = "dashboard.wsgi:application"
worker_class = "dashboard.launch.web_worker.WebWorker"
workers = int(setting(os.environ, "WEB_CONCURRENCY") or 2)
threads = int(setting(os.environ, "WEB_THREADS") or 32)
# Allow as many idle connections as busy ones. With the default of 1000, one worker takes connections that another could serve.
worker_connections = 2 * threads
backlog = 1024
keepalive = 5
timeout = 60
graceful_timeout = 20
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - the heartbeat file must not wait for a disk
control_socket_disable = True
loglevel = "warning"
# Trust X-Forwarded-Proto and X-Forwarded-For only behind a configured proxy.
forwarded_allow_ips = "*" if int(setting(os.environ, "TRUSTED_PROXIES") or 0) else ""
# Ignore SCRIPT_NAME headers, by which a client could change every address of a page.
forwarder_headers = ""

gunicorn.http.wsgi.SERVER = "Pilothouse"
gunicorn.http.wsgi.Response = WebResponse


class logger_class(Logger):  # type: ignore[misc] # noqa: N801 - the name of gunicorn's setting; gunicorn carries no types
    """Format gunicorn's log lines with our formatter, which redacts password link keys."""

    def setup(self, cfg: "Config") -> None:
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                handler.setFormatter(JsonFormatter())


# The socket of HEALTH_ADDRESS, shared by the workers.
health: list[socket.socket] = []


def on_starting(server: "Arbiter") -> None:
    """Check settings, create what workers share, and load the application once.

    With `preload_app`, gunicorn would load it before the settings are checked.
    """
    try:
        check_parts(os.environ)
        if setting(os.environ, "METRICS_ADDRESS"):
            # Set before prometheus_client is imported, which reads it then.
            os.environ[METRICS_FOLDER] = mkdtemp(prefix="pilothouse-metrics-", dir=worker_tmp_dir)
        if address := setting(os.environ, "HEALTH_ADDRESS"):
            host, _, port = address.rpartition(":")
            health.append(listen(host.strip("[]"), int(port), "Choose another HEALTH_ADDRESS."))
        server.app.wsgi()
        _refuse_newer_database()
        _make_folder_of_snapshots()
    except Refusal as refusal:
        sys.stderr.write(f"pilothouse: {refusal}\n")
        sys.exit(2)


def _refuse_newer_database() -> None:
    from dashboard.launch.versions import refuse_newer  # noqa: PLC0415 - models need the application

    refuse_newer()


def _make_folder_of_snapshots() -> None:
    """Make it now or never: made anew by a process that needs it, a disk that is away would seem an empty store."""
    from django.conf import settings  # noqa: PLC0415 - only once the settings are checked

    from dashboard.snapshots.store import StoreError, make_folder  # noqa: PLC0415 - needs the application

    try:
        make_folder(settings.SNAPSHOT_URL)
    except StoreError as error:
        sys.stderr.write(f"pilothouse: {error}\n")


def when_ready(server: "Arbiter") -> None:
    """Limit unsent data in the kernel: for a slow reader it would be megabytes, which can't be taken back."""
    if sys.platform == "linux":
        for listener in server.LISTENERS:
            if listener.sock.family in (socket.AF_INET, socket.AF_INET6):
                listener.sock.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_BYTES)


def on_exit(_server: "Arbiter") -> None:
    """Delete the folder of the metrics."""
    if folder := os.environ.get(METRICS_FOLDER):
        shutil.rmtree(folder, ignore_errors=True)


def post_fork(_server: "Arbiter", _worker: "Worker") -> None:
    """Keep blocks of streamed bodies in the heap, as glibc would map and unmap each; exit when the arbiter dies."""
    library = ctypes.CDLL(None)
    if mallopt := getattr(library, "mallopt", None):
        mallopt(M_MMAP_THRESHOLD, 32 * MEBIBYTE)
        mallopt(M_TRIM_THRESHOLD, 64 * MEBIBYTE)
        mallopt(M_TOP_PAD, 4 * MEBIBYTE)
    end_with_parent()


def post_worker_init(worker: "Worker") -> None:
    """Serve probes, and print one word on standard output once the application is loaded: `start` waits for it."""
    for listener in health:
        from dashboard.launch.health import HealthServer  # noqa: PLC0415 - Django's, so only once the settings are checked

        worker.health = HealthServer(listener)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
