"""The worker process: one job at a time, timers between its turns, a heartbeat beside it.

Everything it does may be cut off at any moment. SIGTERM lets a step end at a safe point; after five seconds it is cut.
"""

import contextlib
import logging
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from types import FrameType

from django.db import Error as DatabaseError
from django.db import connection, connections
from django.utils import timezone

from dashboard.jobs import queue, schedules, workers
from dashboard.jobs.models import Job, State
from dashboard.jobs.runner import Interrupted, WorkerHandle, run
from dashboard.jobs.sweep import sweep

log = logging.getLogger(__name__)

# Somebody may be waiting for a job of a second.
POLL_SECONDS = 0.3
TROUBLE_SECONDS = 2.0
BEAT_SECONDS = 5.0
SWEEP_SECONDS = 10.0
GRACE_SECONDS = 5.0
# Timers that run between two turns of jobs.
MOST_TIMERS = 20
# A step is meant to take seconds. One that hangs would keep its job for ever.
LONGEST_STEP = 600.0
HUNG = 70


def work(ready: Callable[[], None]) -> None:
    """Work until SIGTERM or SIGINT. `ready` is called once, when the database was reached."""
    Loop().run(ready)


class Loop:
    """The main thread of a worker."""

    def __init__(self) -> None:
        self.handle = WorkerHandle(elsewhere=lambda: queue.has_ready() or schedules.any_due())
        self._wake, self._waker = socket.socketpair()
        self._swept = 0.0
        self._troubled = False

    def run(self, ready: Callable[[], None]) -> None:
        self._listen()
        self._settle_in()
        heartbeat = Heartbeat(self.handle)
        heartbeat.start()
        ready()
        cut = False
        try:
            while not self.handle.stopping:
                if not self._round():
                    self._rest(POLL_SECONDS)
        except Interrupted:
            cut = True
            log.warning("The step that was running was cut off; what it had begun will be settled by reading back")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            heartbeat.end()
            with contextlib.suppress(DatabaseError):
                workers.leave(self.handle.worker_id or 0)
            connections.close_all()
        if cut:
            # Threads may still wait for the service; a normal end would wait for them.
            os._exit(0)

    def _round(self) -> bool:
        """One piece of whatever is due. False when there is nothing to do."""
        try:
            if time.monotonic() - self._swept > SWEEP_SECONDS:
                self._settle_in()
            return self._timers() | self._job()
        except DatabaseError:
            log.error("The database did not do what was asked; trying again", exc_info=not self._troubled)  # noqa: TRY400 - once is enough
            self._troubled = True
            connections.close_all()
            self._swept = 0.0
            self._rest(TROUBLE_SECONDS)
            return True

    def _timers(self) -> bool:
        ran = 0
        while ran < MOST_TIMERS and not self.handle.stopping and schedules.run_due():
            ran += 1
        return ran > 0

    def _job(self) -> bool:
        ticket = queue.take(f"worker {self.handle.worker_id}")
        if ticket is None:
            return False
        run(ticket.job_id, self.handle)
        queue.drop(ticket.id)
        return True

    def _settle_in(self) -> None:
        """Have a row that says we are here, and look after jobs that lost their worker."""
        if self.handle.worker_id is None or not workers.beat(self.handle.worker_id):
            self.handle.worker_id = workers.enter().pk
        sweep(self.handle.worker_id)
        self._swept = time.monotonic()
        self._troubled = False

    def _listen(self) -> None:
        self._wake.setblocking(False)
        self._waker.setblocking(False)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)
        signal.signal(signal.SIGALRM, _cut)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.handle.stopping = True
        signal.setitimer(signal.ITIMER_REAL, GRACE_SECONDS, GRACE_SECONDS)

    def _rest(self, seconds: float) -> None:
        """Sleep, but not through a signal."""
        if not self.handle.stopping:
            select.select([self._wake], [], [], seconds)
            with contextlib.suppress(BlockingIOError):
                self._wake.recv(4096)


class Heartbeat(threading.Thread):
    """Says that the worker is alive, and that the job it holds is in good hands, with a connection of its own."""

    def __init__(self, handle: WorkerHandle) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.handle = handle
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(BEAT_SECONDS):
            try:
                self._beat()
            except DatabaseError:
                log.warning("The heartbeat could not be written")
                connection.close()
        connection.close()

    def end(self) -> None:
        self.ended.set()
        self.join(BEAT_SECONDS)

    def _beat(self) -> None:
        if self.handle.worker_id is not None:
            workers.beat(self.handle.worker_id)
        lease = self.handle.lease
        if lease is None:
            return
        if time.monotonic() - lease.since > LONGEST_STEP:
            log.critical("A step of job %s hangs; this worker ends so that another can go on", lease.job_id)
            os._exit(HUNG)
        mine = Job.objects.filter(pk=lease.job_id, attempt=lease.attempt, state=State.RUNNING)
        mine.update(heartbeat_at=timezone.now())


def _cut(_number: int, _frame: FrameType | None) -> None:
    raise Interrupted
