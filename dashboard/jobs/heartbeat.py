"""A worker's heartbeat: a thread reports that the loop is alive, since a single step may wait for the service for minutes."""

import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.utils import timezone

from dashboard.interfaces.operations import LONGEST_WAIT
from dashboard.jobs.health import FILE
from dashboard.jobs.lease import WorkerHandle
from dashboard.jobs.models import Job, State, Worker
from dashboard.web.process import liveness

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 5.0
# No single request takes longer, and each one that ends counts as progress. So a loop silent for longer hangs.
SILENT_MAX_SECONDS = LONGEST_WAIT.total_seconds() + 20
AWAY_SECONDS = 90.0
HUNG_EXIT_CODE = 70
# A clock that also runs while the machine sleeps, where the system has one.
CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def heartbeat(worker_id: int) -> bool:
    """Record that this worker is alive. Return False if another worker took it for dead and deleted its row."""
    return bool(Worker.objects.filter(pk=worker_id).update(heartbeat_at=timezone.now()))


class Heartbeat(threading.Thread):
    """Renew the worker's row, its lease and its file while the loop is alive, over a database connection of its own."""

    def __init__(self, handle: WorkerHandle, end_process: Callable[[int], object] = os._exit) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.handle = handle
        self.end_process = end_process
        self.ended = threading.Event()
        self.beaten_at = time.clock_gettime(CLOCK)

    def run(self) -> None:
        while not self.ended.wait(HEARTBEAT_SECONDS):
            try:
                self.beat()
            except DatabaseError:
                log.warning("The heartbeat could not be written")
                connection.close()
        connection.close()

    def end(self) -> None:
        self.ended.set()
        self.join(HEARTBEAT_SECONDS)

    def beat(self) -> None:
        """Report that the loop is alive; end the process if it hangs."""
        now = time.clock_gettime(CLOCK)
        away = now - self.beaten_at
        if away > AWAY_SECONDS:
            # The whole process was suspended, so the loop's silence doesn't mean that it hangs.
            liveness.note()
        if liveness.silent_seconds() > SILENT_MAX_SECONDS:
            what = f"A step of job {self.handle.lease.job_id}" if self.handle.lease else "The loop"
            log.critical("%s hangs; this worker exits so that another one can continue", what)
            self.end_process(HUNG_EXIT_CODE)
            return
        if self.handle.worker_id is not None:
            heartbeat(self.handle.worker_id)
        if lease := self.handle.lease:
            held = Job.objects.filter(pk=lease.job_id, attempt=lease.attempt, state=State.RUNNING)
            held.update(heartbeat_at=timezone.now())
        if away > AWAY_SECONDS:
            log.warning("This worker was away for %.0f s; others may have taken over its work", away)
        self.beaten_at = now
        _touch()


def _touch() -> None:
    """Renew the file that `health` checks."""
    try:
        Path(settings.DATA_DIR, FILE).touch(mode=0o600)
    except OSError as error:
        log.warning("The file of the heartbeat could not be written: %s", error.strerror)
