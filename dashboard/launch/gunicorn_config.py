"""Gunicorn's configuration: `gunicorn -c python:dashboard.launch.gunicorn_config`, by `start` and in a container alike.

Threads outnumber the long transfers a worker takes at once, so that a page never waits for a slow upload. There is no
`reuse_port` (two starts would share a port without a word) and no `max_requests` (nobody listens while a long download drains).
"""

import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import gunicorn.http.wsgi
from gunicorn.glogging import Logger

from dashboard.launch.rules import Refusal, check_parts
from dashboard.web.logs import JsonFormatter

if TYPE_CHECKING:
    from gunicorn.arbiter import Arbiter
    from gunicorn.config import Config
    from gunicorn.workers.base import Worker

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3
MEBIBYTE = 1 << 20
PR_SET_PDEATHSIG = 1

wsgi_app = "dashboard.wsgi:application"
worker_class = "dashboard.launch.web_worker.WebWorker"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
threads = int(os.environ.get("WEB_THREADS", "32"))
# As many kept-alive ones beside the busy ones. With the default of 1000 one worker hoards what its neighbour could serve.
worker_connections = 2 * threads
backlog = 1024
keepalive = 5
timeout = 60
graceful_timeout = 20
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - the heartbeat file must not wait for a disk
control_socket_disable = True
loglevel = "warning"
# X-Forwarded-Proto and -For count only behind a proxy that somebody has told us of.
forwarded_allow_ips = "*" if os.environ.get("TRUSTED_PROXIES", "0").strip() not in {"", "0"} else ""
# No header may say under which path we are: SCRIPT_NAME from a client would lead every address of a page elsewhere.
forwarder_headers = ""

gunicorn.http.wsgi.SERVER = "Pilothouse"


class logger_class(Logger):  # type: ignore[misc] # noqa: N801 - the name of gunicorn's setting; gunicorn carries no types
    """Gunicorn's own lines in our form, so that no key of a password link stands in its access log either."""

    def setup(self, cfg: "Config") -> None:
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                handler.setFormatter(JsonFormatter())


def on_starting(_server: "Arbiter") -> None:
    """Refuse a setting that can't work before a worker is begun."""
    try:
        check_parts(os.environ)
    except Refusal as refusal:
        sys.stderr.write(f"pilothouse: {refusal}\n")
        sys.exit(2)


def post_fork(_server: "Arbiter", _worker: "Worker") -> None:
    """Keep the blocks of streamed bodies inside the heap, where glibc would map and unmap each; end when the arbiter dies."""
    library = ctypes.CDLL(None)
    if mallopt := getattr(library, "mallopt", None):
        mallopt(M_MMAP_THRESHOLD, 32 * MEBIBYTE)
        mallopt(M_TRIM_THRESHOLD, 64 * MEBIBYTE)
        mallopt(M_TOP_PAD, 4 * MEBIBYTE)
    if prctl := getattr(library, "prctl", None):
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def post_worker_init(_worker: "Worker") -> None:
    """Say one word on standard output when the application is loaded: `start` waits for it."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
