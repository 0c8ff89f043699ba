"""Which processes are workers, and which of them are gone: on the same machine a killed one is known at once."""

import os
from datetime import timedelta
from pathlib import Path

from django.db.models import F
from django.utils import timezone

from dashboard.jobs.models import Worker

STALE = timedelta(seconds=60)
FRESH = timedelta(seconds=30)


def enter() -> Worker:
    """A row for this process."""
    return Worker.objects.create(where=_where(), pid=os.getpid(), born=_born(os.getpid()))


def leave(worker_id: int) -> None:
    Worker.objects.filter(pk=worker_id).delete()


def beat(worker_id: int) -> bool:
    """Say that this worker is alive. False: others took it for dead, and its row is gone."""
    return bool(Worker.objects.filter(pk=worker_id).update(heartbeat_at=timezone.now()))


def dead() -> list[int]:
    """Workers that are gone: silent for a minute, or their process has ended."""
    silent = timezone.now() - STALE
    return [worker.pk for worker in Worker.objects.all() if worker.heartbeat_at < silent or _has_ended(worker)]


def anybody() -> bool:
    """Does any worker run? For a page on which a job waits."""
    return Worker.objects.filter(heartbeat_at__gt=timezone.now() - FRESH, started_at__lte=F("heartbeat_at")).exists()


def _has_ended(worker: Worker) -> bool:
    return bool(worker.where) and worker.where == _where() and _born(worker.pid) != worker.born


def _where() -> str:
    """Where a process id means the same process: this boot and this namespace. Empty where that can't be known."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _born(pid: int) -> str:
    """When a process began, in ticks since the boot; empty for one that has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in {"Z", "X"} else fields[19]
