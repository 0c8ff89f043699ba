"""Automatic checks: verify once the records are right; check an active hostname's records and certificate daily."""

from datetime import datetime, timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import timezone

from dashboard.features.hostname.rules.steps import broken_word, is_pending
from dashboard.features.hostname.services.dns import examine
from dashboard.features.hostname.services.hostname import Memory, read, remember, reverify
from dashboard.features.hostname.services.inspection import inspect
from dashboard.features.hostname.services.watch import DAY_SECONDS, EVERY_SECONDS, moment_of
from dashboard.jobs.models import Schedule
from dashboard.jobs.unsettled import Unsettled
from dashboard.tokens.sandbox import sandbox_tls
from dashboard.tokens.workspace import Workspace

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
MAX_AGE = timedelta(days=30)


def run_watch(workspace: Workspace, timer: Schedule) -> float | None:
    """Return the seconds until the next run; None when it is verified or deleted, or after a month."""
    ref = str(timer.payload["ref"])
    memory = remember(workspace, ref, read(workspace, ref))
    if not is_pending(memory.known):
        return None
    examination = examine(memory, settings.DNS_RESOLVERS)
    timer.payload["looked"] = [[f"{need.type} {need.name}", found.kind.value] for need, found in examination.findings.items()]
    if examination.looks_right and _may_verify(timer):
        memory = _verify(workspace, ref, memory, timer)
        if not is_pending(memory.known):
            return None
    return _pause(timer)


def run_daily(workspace: Workspace, timer: Schedule) -> float | None:
    """Return a day, or an hour while something is broken; None once the hostname is deleted."""
    sandbox = sandbox_tls(workspace.person)
    memory = inspect(workspace, str(timer.payload["ref"]), settings.DNS_RESOLVERS, sandbox=sandbox)
    if not memory.known.setup:
        return None
    return HOUR.total_seconds() if broken_word(memory.known.status, memory.check) else DAY_SECONDS


def _verify(workspace: Workspace, ref: str, memory: Memory, timer: Schedule) -> Memory:
    timer.payload["asked_at"] = timezone.now().isoformat()
    timer.payload["times"] = timer.payload.get("times", 0) + 1
    before = memory.known.status
    try:
        memory = reverify(workspace, ref, host=memory.known.hostname, status=before)
    except (ValidationError, Unsettled):
        # This minute's calls are used up, or an earlier change is being checked: try again at the next run.
        return memory
    if memory.known.status != before:
        timer.payload["times"] = 0
    return memory


def _may_verify(timer: Schedule) -> bool:
    """Back off: a certificate may take half an hour, and each try is a call."""
    asked_at, times = moment_of(timer.payload.get("asked_at")), timer.payload.get("times", 0)
    pause = MINUTE / 4 if times < 4 else MINUTE if times < 30 else 10 * MINUTE
    return asked_at is None or timezone.now() - asked_at >= pause


def _pause(timer: Schedule) -> float | None:
    """Return the pause until the next run, longer with age."""
    age = timezone.now() - datetime.fromisoformat(timer.payload["since"])
    if age > MAX_AGE:
        return None
    if age < 10 * MINUTE:
        return EVERY_SECONDS
    return 60.0 if age < HOUR else 300.0 if age < DAY else 1800.0
