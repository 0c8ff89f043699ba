"""Automatic checks: verify once the records are correct; check an active hostname's records and certificate daily."""

from datetime import datetime, timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from dashboard.features.hostname.rules.steps import broken_word, is_pending, word_of
from dashboard.features.hostname.services.dns import examine
from dashboard.features.hostname.services.hostname import Memory, read, remember, reverify
from dashboard.features.hostname.services.inspection import inspect
from dashboard.features.hostname.services.watch import DAY_SECONDS, EVERY_SECONDS
from dashboard.interfaces.management.hostname import HostnameConfiguration
from dashboard.jobs.models import Schedule
from dashboard.jobs.schedules import moment_of
from dashboard.jobs.unsettled import Unsettled
from dashboard.notifications.outbox import notify
from dashboard.tokens.sandbox import sandbox_tls
from dashboard.tokens.workspace import Workspace

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
MAX_AGE = timedelta(days=30)
CHECKED, BROKEN = "hostname check finished", "hostname broken"


def run_watch(workspace: Workspace, timer: Schedule) -> float | None:
    """Return the seconds until the next run; None when it is verified or deleted, or after a month."""
    ref = str(timer.payload["ref"])
    memory = remember(workspace, ref, read(workspace, ref))
    if not is_pending(memory.known):
        _finished(memory, timer)
        return None
    examination = examine(memory, settings.DNS_RESOLVERS)
    timer.payload["looked"] = [[f"{need.type} {need.name}", found.kind.value] for need, found in examination.findings.items()]
    if examination.looks_right and _may_verify(timer):
        memory = _verify(workspace, ref, memory, timer)
        if not is_pending(memory.known):
            _finished(memory, timer)
            return None
    pause = _pause(timer)
    if pause is None:
        _tell(CHECKED, timer, f"Automatic check of {memory.known.hostname} stopped after {MAX_AGE.days} days")
    return pause


def check_listed(workspace: Workspace, ref: str, found: HostnameConfiguration | None) -> str:
    """Check the DNS records of a hostname that a list just read."""
    memory = remember(workspace, ref, found)
    is_known = not memory.known.setup or examine(memory, settings.DNS_RESOLVERS).is_known
    return "" if is_known else "No resolver answered, so DNS wasn't checked."


def watch_ended(timer: Schedule) -> None:
    """Tell the owner that Pilothouse can't act for them any more, so the automatic check ended."""
    timer.refresh_from_db(fields=("message",))
    _tell(CHECKED, timer, f"Automatic hostname check stopped: {timer.message}")


def run_daily(workspace: Workspace, timer: Schedule) -> float | None:
    """Return a day, or an hour while something is broken; None once the hostname is deleted."""
    sandbox = sandbox_tls(workspace.person)
    memory = inspect(workspace, str(timer.payload["ref"]), settings.DNS_RESOLVERS, sandbox=sandbox)
    if not memory.known.setup:
        return None
    _notice_broken(timer, memory)
    return HOUR.total_seconds() if broken_word(memory.known.status, memory.check) else DAY_SECONDS


def _notice_broken(timer: Schedule, memory: Memory) -> None:
    """Notify the owner once of each thing that breaks; what was repaired may break again."""
    word = broken_word(memory.known.status, memory.check)
    if word and word != timer.payload.get("broken"):
        reason = memory.check.broken_record or memory.check.problem
        key = f"{timer.pk} {word} {timezone.now():%Y-%m-%d %H}"
        _tell(BROKEN, timer, f"{memory.known.hostname}: {word}{reason and ': '}{reason}", key=key)
    timer.payload["broken"] = word


def _finished(memory: Memory, timer: Schedule) -> None:
    """Tell the owner how the check ended; nothing if the hostname was deleted."""
    if memory.known.setup:
        _tell(CHECKED, timer, f"{memory.known.hostname}: {word_of(memory.known.status)}")


def _tell(kind: str, timer: Schedule, title: str, *, key: str = "") -> None:
    ref = str(timer.payload["ref"])
    address = reverse("hostname:index", args=[ref])
    notify(kind, [timer.owner], title=title, address=address, key=key or f"{timer.pk} {timer.payload.get('since')}", place=ref)


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
