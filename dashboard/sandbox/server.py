"""The sandbox's gunicorn: one worker process with many threads, announced once it answers requests."""

import ctypes
import json
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from typing import Any, Protocol

from gunicorn.app.base import BaseApplication
from gunicorn.workers.gthread import TConn, ThreadWorker

from dashboard.sandbox.dns.server import serve

IDLE_SECONDS = 0.005

Facts = Callable[[], dict[str, object]]


class Worker(Protocol):
    """The part of gunicorn's worker used here. `age` is 1 for the first one."""

    age: int


class Threads(ThreadWorker):  # type: ignore[misc]  # gunicorn has no type information
    """Handle a connection's immediate follow-up requests in the same thread, which is faster."""

    def handle(self, conn: TConn) -> object:
        again = super().handle(conn)
        while again is True and self.alive and select.select([conn.sock], [], [], IDLE_SECONDS)[0]:
            again = super().handle(conn)
        return again


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no type information
    """Serve on a bound socket's file descriptor. `facts` returns the line to print."""

    def __init__(self, listener: int, dns: tuple[socket.socket, socket.socket], facts: Facts, *, threads: int = 64) -> None:
        self.listener = listener
        self.dns = dns
        self.facts = facts
        self.threads = threads
        super().__init__()

    def load_config(self) -> None:
        options = {
            "bind": f"fd://{self.listener}",
            "worker_class": "dashboard.sandbox.server.Threads",
            "workers": 1,
            "threads": self.threads,
            "worker_connections": 4 * self.threads,
            "keepalive": 75,
            "timeout": 0,
            "graceful_timeout": 1,
            "limit_request_line": 8190,
            "worker_tmp_dir": "/dev/shm" if os.access("/dev/shm", os.W_OK) else None,  # noqa: S108 - where the heartbeat file costs no disk,
            "loglevel": "critical",
            "control_socket_disable": True,
            "post_fork": lambda _server, _worker: tune_malloc(),
            "post_worker_init": self.started,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Callable[..., Any]:
        from django.core.wsgi import get_wsgi_application  # noqa: PLC0415 - Django is set up in the process that serves

        return get_wsgi_application()

    def started(self, worker: Worker) -> None:
        from dashboard.sandbox import tls  # noqa: PLC0415 - models need Django set up

        serve(*self.dns)
        tls.serve()
        if worker.age == 1:
            threading.Thread(target=announce, args=(self.facts,), daemon=True).start()


def announce(facts: Facts) -> None:
    """Print the line once a request has been answered."""
    line = facts()
    for _ in range(500):
        if answers(line):
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()
            return
        time.sleep(0.02)
    sys.stderr.write(f"The sandbox does not answer at {line['management_url']}.\n")
    os.kill(os.getppid(), signal.SIGTERM)


def answers(line: dict[str, object]) -> bool:
    """Return whether M3 succeeds."""
    connection = HTTPConnection(str(line["management_url"]).removeprefix("http://"), timeout=5)
    try:
        connection.request("GET", "/v1/organizations", headers={"Authorization": f"Bearer {line['personal_token']}"})
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def tune_malloc() -> None:
    """Keep large blocks mapped, because glibc would map and unmap every streamed MiB."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for parameter, size in ((-3, 32 << 20), (-1, 64 << 20), (-2, 4 << 20)):
            mallopt(parameter, size)
