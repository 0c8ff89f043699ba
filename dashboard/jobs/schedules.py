"""Schedules: work that a worker repeats for a person until it is over.

A feature registers what to do, in its module `feature`::

    schedules.register("hostname watch", check)

    def check(workspace: Workspace, schedule: Schedule) -> float | None:
        \"\"\"Return the seconds until the next run, or None to end and delete the schedule.\"\"\"

and starts one in a service::

    schedules.start("hostname watch", ref, owner=workspace.person, grants=workspace.grants, first_in=0, every=60)

- There is one schedule per kind and key; `start` replaces it, and its owner.
- Exactly one worker runs a due schedule, in its main thread: it may use the database and `workspace.record`. If the worker is
  killed, the schedule is due again after two minutes, so a run must be safe to repeat.
- `workspace` is the owner's, with the credentials of its start, opened for this run. If the owner can no longer sign in, or the
  token is missing or refused, or the grant doesn't work any more, the schedule ends: `next_at` is None and `message` has the
  reason, until `start` or `stop`.
- After another interface error the next run comes when the service asked for it, else later each time (at most an hour), with
  `failures` counted and the error in `message`. An error of our own is logged and treated alike.
- A run may change `schedule.payload` (plain JSON, never a token); it is saved afterwards.
- A run is bounded: a few calls, no sleeping, well below a minute.
"""

import logging
import secrets
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import Error as DatabaseError
from django.utils import timezone

from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs.models import MESSAGE_MAX_LENGTH, Schedule
from dashboard.team.models import Person
from dashboard.tokens.actor import OWNER_LEFT, backoff_seconds, stop_reason, workspace_of
from dashboard.tokens.workspace import Workspace

log = logging.getLogger(__name__)

Run = Callable[[Workspace, Schedule], float | None]
Ended = Callable[[Schedule], object]

LEASE = timedelta(minutes=2)
INTERVAL_MIN_SECONDS = 1.0
BACKOFF_MIN_SECONDS = 5.0
BACKOFF_MAX_SECONDS = 3600.0
CANDIDATES = 4
INTERNAL_ERROR = "Something failed in Pilothouse. Its log has the details."

_runs: dict[str, Run] = {}
_ended: dict[str, Ended] = {}


def register(kind: str, run: Run, *, ended: Ended | None = None) -> None:
    """Register what schedules of a kind run. `ended` is called when Pilothouse can no longer act for the owner."""
    if _runs.setdefault(kind, run) is not run:
        raise ValueError(f"There is a schedule of kind {kind!r} already.")
    if ended:
        _ended[kind] = ended


def start(
    kind: str,
    key: str,
    *,
    owner: Person,
    first_in: float,
    every: float,
    grants: Collection[int] = (),
    payload: Mapping[str, Any] | None = None,
) -> Schedule:
    """Create or replace the schedule of this kind and key. `first_in` and `every` are seconds.

    It acts through `grants`, and with the owner's tokens at all other places.
    """
    if kind not in _runs:
        raise KeyError(f"Nothing is registered for schedules of kind {kind!r}.")
    now = timezone.now()
    values = {
        "owner": owner,
        "grants": list(grants),
        "payload": dict(payload or {}),
        "every": max(every, INTERVAL_MIN_SECONDS),
        "next_at": now + timedelta(seconds=first_in),
        "claim": "",
        "failures": 0,
        "message": "",
        "created_at": now,
        "last_run_at": None,
    }
    return Schedule.objects.update_or_create(kind=kind, key=key, defaults=values)[0]


def stop(kind: str, key: str) -> bool:
    """Delete a schedule; a run in progress goes on. Return False if there was none."""
    deleted, _ = Schedule.objects.filter(kind=kind, key=key).delete()
    return bool(deleted)


def find(kind: str, key: str) -> Schedule | None:
    """Return the schedule, active or ended, with its owner."""
    return Schedule.objects.filter(kind=kind, key=key).select_related("owner").first()


def why_ended(schedule: Schedule) -> str:
    """Return why a schedule ended; empty if it goes on. One of a person who left ends at once, not only at its next run."""
    if not schedule.owner.is_active:
        return OWNER_LEFT
    return "" if schedule.is_on else schedule.message


def moment_of(text: str | None) -> datetime | None:
    """Return a time from a payload, where it is kept as text."""
    return datetime.fromisoformat(text) if text else None


def run_due() -> bool:
    """Claim and run one due schedule. Return False if none is due, or other workers were faster."""
    schedule = _claim()
    if schedule is None:
        return False
    _run(schedule)
    return True


def any_due() -> bool:
    return Schedule.objects.filter(next_at__lte=timezone.now()).exists()


def _claim() -> Schedule | None:
    now = timezone.now()
    for schedule in Schedule.objects.filter(next_at__lte=now).order_by("next_at")[:CANDIDATES]:
        token = secrets.token_hex(16)
        unclaimed = Schedule.objects.filter(pk=schedule.pk, claim=schedule.claim, next_at=schedule.next_at)
        if unclaimed.update(claim=token, next_at=now + LEASE):
            schedule.claim = token
            return schedule
    return None


def _run(schedule: Schedule) -> None:
    try:
        with workspace_of(schedule.owner_id, schedule.grants) as workspace:
            seconds = _registered(schedule.kind)(workspace, schedule)
    except DatabaseError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a feature raises must not end the worker
        _fail(schedule, error)
        return
    except BaseException:
        # The worker is being interrupted: let another one run it at once.
        Schedule.objects.filter(pk=schedule.pk, claim=schedule.claim).update(next_at=timezone.now(), claim="")
        raise
    if seconds is None:
        Schedule.objects.filter(pk=schedule.pk, claim=schedule.claim).delete()
        return
    _release(schedule, seconds, failures=0, message="", payload=schedule.payload)


def _fail(schedule: Schedule, error: Exception) -> None:
    if reason := stop_reason(error):
        _release(schedule, None, failures=schedule.failures + 1, message=reason)
        if ended := _ended.get(schedule.kind):
            ended(schedule)
        return
    first = max(schedule.every, BACKOFF_MIN_SECONDS)
    if isinstance(error, InterfaceError):
        log.info("The schedule %s of kind %s got %s", schedule.key, schedule.kind, type(error).__name__)
        message = error.text or str(error)
        delay = max(schedule.every, backoff_seconds(error, schedule.failures, first=first))
    else:
        log.error("The schedule %s of kind %s failed", schedule.key, schedule.kind, exc_info=error)
        message = INTERNAL_ERROR
        delay = min(first * 2.0 ** min(schedule.failures, 10), BACKOFF_MAX_SECONDS)
    _release(schedule, delay, failures=schedule.failures + 1, message=message)


def _release(schedule: Schedule, seconds: float | None, *, failures: int, message: str, **values: Any) -> None:
    """Save when the next run is due, unless the schedule was stopped or replaced during the run."""
    now = timezone.now()
    next_at = None if seconds is None else now + timedelta(seconds=max(seconds, INTERVAL_MIN_SECONDS))
    Schedule.objects.filter(pk=schedule.pk, claim=schedule.claim).update(
        next_at=next_at,
        claim="",
        failures=min(failures, 1000),
        message=message[:MESSAGE_MAX_LENGTH],
        last_run_at=now,
        **values,
    )


def _registered(kind: str) -> Run:
    if kind not in _runs:
        raise LookupError(f"nothing is registered for schedules of kind {kind!r}")
    return _runs[kind]
