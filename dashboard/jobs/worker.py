"""The worker process: one job at a time, schedules between its slices, heartbeat and courier in their own threads.

It may be interrupted at any moment. SIGTERM lets a step end at a safe point; after five seconds it is interrupted.
"""

import contextlib
import logging
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from types import FrameType

from django.db import Error as DatabaseError
from django.db import connections
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone

from dashboard.jobs import kinds, retention, schedules, transitions
from dashboard.jobs.heartbeat import Heartbeat, heartbeat
from dashboard.jobs.lease import Interrupted, WorkerHandle, claim_next, due_jobs
from dashboard.jobs.models import ItemState, Job, State, Worker
from dashboard.jobs.runner import run
from dashboard.notifications.delivery import Courier
from dashboard.web.process import liveness

log = logging.getLogger(__name__)

# Short, as a person may be waiting for a job of one second.
POLL_SECONDS = 0.3
DATABASE_RETRY_SECONDS = 2.0
SWEEP_SECONDS = 10.0
GRACE_SECONDS = 5.0
MOST_SCHEDULES = 20

JOB_STALE_AFTER = timedelta(seconds=30)
WORKER_STALE_AFTER = timedelta(seconds=60)
WORKER_SEEN_WITHIN = timedelta(seconds=30)
MOST_LOST_WORKERS = 8
# The process id in the row of a stopped worker.
STOPPED = 0


def work(ready: Callable[[], None]) -> None:
    """Work until SIGTERM or SIGINT. `ready` is called once the database is reached."""
    Loop().run(ready)


def live_workers() -> QuerySet[Worker]:
    """Return workers that claim queued jobs."""
    return Worker.objects.exclude(pid=STOPPED).filter(
        heartbeat_at__gt=timezone.now() - WORKER_SEEN_WITHIN, started_at__lte=F("heartbeat_at")
    )


def is_any_worker_alive() -> bool:
    """Whether queued jobs will be claimed."""
    return live_workers().exists()


def last_seen() -> datetime | None:
    """Return when the last worker was seen; None if there was none, or its row was deleted."""
    last: datetime | None = Worker.objects.aggregate(last=Max("heartbeat_at"))["last"]
    return last


def sweep(worker_id: int | None = None) -> int:
    """Queue jobs whose worker is gone, and delete old rows. Return the number of recovered jobs.

    `worker_id` is the calling worker, which holds no job at this moment.
    """
    dead = dead_workers()
    stale = Q(heartbeat_at__lt=timezone.now() - JOB_STALE_AFTER) | Q(worker_id__in=dead)
    if worker_id is not None:
        stale |= Q(worker_id=worker_id)
    orphans = list(Job.objects.filter(stale, state=State.RUNNING))
    for job in orphans:
        _recover(job)
    Worker.objects.filter(pk__in=dead).delete()
    retention.tidy()
    return len(orphans)


def register() -> Worker:
    """Insert a row for this process."""
    pid = os.getpid()
    return Worker.objects.create(pid_namespace=_pid_namespace(), pid=pid, process_start=_process_start(pid))


def leave(worker_id: int) -> None:
    """Mark a worker as stopped. The row keeps the time until another worker deletes it."""
    Worker.objects.filter(pk=worker_id).update(pid=STOPPED, heartbeat_at=timezone.now())


def dead_workers() -> list[int]:
    """Return workers whose process has ended, or that were silent for a minute."""
    silent_since = timezone.now() - WORKER_STALE_AFTER
    return [worker.pk for worker in Worker.objects.all() if worker.heartbeat_at < silent_since or _has_exited(worker)]


class Loop:
    """The main thread of a worker."""

    def __init__(self) -> None:
        self.handle = WorkerHandle(has_other_work=lambda: due_jobs().exists() or schedules.any_due())
        self._wake, self._waker = socket.socketpair()
        self._swept = 0.0
        self._database_failing = False

    def run(self, ready: Callable[[], None]) -> None:
        self._handle_signals()
        self._sweep()
        beats, courier = Heartbeat(self.handle), Courier()
        beats.start()
        courier.start()
        ready()
        interrupted = False
        try:
            while not self.handle.stopping:
                if not self._run_due():
                    self._sleep(POLL_SECONDS)
        except Interrupted:
            interrupted = True
            log.warning("The running step was interrupted; items in flight will be settled by reading back")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            beats.end()
            courier.end(GRACE_SECONDS)
            with contextlib.suppress(DatabaseError):
                leave(self.handle.worker_id or 0)
            connections.close_all()
        if interrupted:
            # A normal exit would wait for threads that are waiting for the service.
            os._exit(0)

    def _run_due(self) -> bool:
        """Run due schedules and one slice of a job. Return False if nothing was due."""
        liveness.note()
        try:
            if time.monotonic() - self._swept > SWEEP_SECONDS:
                self._sweep()
            return self._run_schedules() | self._run_job()
        except DatabaseError:
            log.error("The database failed; retrying", exc_info=not self._database_failing)  # noqa: TRY400 - once is enough
            self._database_failing = True
            connections.close_all()
            self._swept = 0.0
            self._sleep(DATABASE_RETRY_SECONDS)
            return True

    def _run_schedules(self) -> bool:
        ran = 0
        while ran < MOST_SCHEDULES and not self.handle.stopping and schedules.run_due():
            liveness.note()
            ran += 1
        return ran > 0

    def _run_job(self) -> bool:
        job = claim_next(self.handle)
        if job:
            run(job, self.handle)
        return job is not None

    def _sweep(self) -> None:
        """Renew this worker's row, and recover the jobs of dead workers."""
        if self.handle.worker_id is None or not heartbeat(self.handle.worker_id):
            self.handle.worker_id = register().pk
        sweep(self.handle.worker_id)
        self._swept = time.monotonic()
        self._database_failing = False

    def _handle_signals(self) -> None:
        self._wake.setblocking(False)
        self._waker.setblocking(False)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)
        signal.signal(signal.SIGALRM, _interrupt)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.handle.stopping = True
        signal.setitimer(signal.ITIMER_REAL, GRACE_SECONDS, GRACE_SECONDS)

    def _sleep(self, seconds: float) -> None:
        """Sleep until a signal or timeout."""
        if not self.handle.stopping:
            select.select([self._wake], [], [], seconds)
            with contextlib.suppress(BlockingIOError):
                self._wake.recv(4096)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise Interrupted


def _recover(job: Job) -> None:
    """Queue an orphaned job. Guarded by the attempt, so that a worker that is alive after all keeps its job."""
    orphan = Job.objects.filter(pk=job.pk, state=State.RUNNING, attempt=job.attempt)
    if job.lost_workers + 1 >= MOST_LOST_WORKERS:
        message = f"The worker died {MOST_LOST_WORKERS} times in a row while running this job."
        transitions.finish(orphan, State.FAILED, message=message)
        return
    kind = kinds.find(job.kind)
    in_flight = job.items.filter(state=ItemState.IN_FLIGHT).exists()
    delay = kind.settle_delay if kind and in_flight else 0.0
    # Raising the attempt refuses the dead worker's writes at once, not only after the next claim.
    if transitions.enqueue(orphan, delay_seconds=delay, attempt=F("attempt") + 1, lost_workers=F("lost_workers") + 1):
        log.warning("Job %s lost its worker and was queued again", job.pk)


def _has_exited(worker: Worker) -> bool:
    if worker.pid == STOPPED:
        return True
    is_local = bool(worker.pid_namespace) and worker.pid_namespace == _pid_namespace()
    return is_local and _process_start(worker.pid) != worker.process_start


def _pid_namespace() -> str:
    """Identify the boot and namespace in which a process id is unique. Empty if unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _process_start(pid: int) -> str:
    """Return when a process started, in clock ticks since boot. Empty if it has exited."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in {"Z", "X"} else fields[19]
