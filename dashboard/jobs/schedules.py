"""Watches: something a worker does for a person every now and then, until it says that it is over.

A feature registers what is to be done, in `AppConfig.ready`::

    from dashboard.jobs import timers

    timers.register("hostname watch", look)

    def look(workspace: Workspace, timer: Timer) -> float | None:
        \"\"\"Seconds until the next look; None: it is over, and the timer goes.\"\"\"

and begins one for a key, in a service::

    timers.watch("hostname watch", ref, owner=workspace.person, first_in=0, every=60, payload={"since": "…"})
    timers.stop("hostname watch", ref)
    timers.find("hostname watch", ref)   # a Timer or None; is_on, next_at, last_run_at, failures, words, owner

- There is one timer for each kind and key; `watch` puts a new one in the place of an old one (and of its owner).
- Exactly one worker runs a timer that is due, in the worker's main thread: it may use the database, and workspace.record.
  When that worker is killed meanwhile the timer is due again after two minutes: the callable must be safe to repeat.
- `workspace` is the owner's, made for this run. When the owner may not sign in any more, or the token is missing or refused, the
  timer ends: its row stays with `next_at` None and the reason in `words`, until `watch` or `stop`.
- Any other interface error is caught here: the next run comes after the time the service asked for, else later each time
  (`every`, twice that, … an hour at most), with `failures` counted and the error in `words`. An error of our own is logged, and
  treated alike.
- The callable may change `timer.payload` (plain JSON, never a token): it is saved when the next run is.
- It is one bounded piece of work: a few calls, no sleeping, well below a minute.
"""

import logging
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.db import Error as DatabaseError
from django.utils import timezone

from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs import actor
from dashboard.jobs.models import MESSAGE_MAX_LENGTH, Schedule
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace

log = logging.getLogger(__name__)

Run = Callable[[Workspace, Schedule], float | None]
Ended = Callable[[Schedule], object]

LEASE = timedelta(minutes=2)
SHORTEST = 1.0
LONGEST_BACKOFF = 3600.0

_runs: dict[str, Run] = {}
_ended: dict[str, Ended] = {}


def register(kind: str, run: Run, *, ended: Ended | None = None) -> None:
    """Say what a timer of this kind does. Once, in `AppConfig.ready`. `ended`: when nobody can act for its owner any more."""
    if _runs.setdefault(kind, run) is not run:
        raise ValueError(f"There is a timer of the kind {kind!r} already.")
    if ended:
        _ended[kind] = ended


def watch(
    kind: str, key: str, *, owner: Person, first_in: float, every: float, payload: Mapping[str, Any] | None = None
) -> Schedule:
    """Begin a timer, in place of the one that this kind has for this key. `first_in` and `every` are seconds."""
    if kind not in _runs:
        raise KeyError(f"Nothing is registered for timers of the kind {kind!r}.")
    now = timezone.now()
    values = {
        "owner": owner,
        "payload": dict(payload or {}),
        "every": max(every, SHORTEST),
        "next_at": now + timedelta(seconds=first_in),
        "claim": "",
        "failures": 0,
        "message": "",
        "created_at": now,
        "last_run_at": None,
    }
    return Schedule.objects.update_or_create(kind=kind, key=key, defaults=values)[0]


def stop(kind: str, key: str) -> bool:
    """End a timer and forget it. A run that is under way ends by itself and leaves nothing behind. False: there was none."""
    deleted, _ = Schedule.objects.filter(kind=kind, key=key).delete()
    return bool(deleted)


def find(kind: str, key: str) -> Schedule | None:
    """The timer, on or ended, with its owner."""
    return Schedule.objects.filter(kind=kind, key=key).select_related("owner").first()


def run_due() -> bool:
    """Run one timer that is due, if there is one and nobody else takes it. For the worker."""
    schedule = _claim()
    if schedule is None:
        return False
    _run(schedule)
    return True


def any_due() -> bool:
    """Is there a timer to run now?"""
    return Schedule.objects.filter(next_at__lte=timezone.now()).exists()


def _claim() -> Schedule | None:
    now = timezone.now()
    for schedule in Schedule.objects.filter(next_at__lte=now).order_by("next_at")[:4]:
        mark = secrets.token_hex(16)
        mine = Schedule.objects.filter(pk=schedule.pk, claim=schedule.claim, next_at=schedule.next_at)
        if mine.update(claim=mark, next_at=now + LEASE):
            schedule.claim = mark
            return schedule
    return None


def _run(schedule: Schedule) -> None:
    try:
        with actor.workspace_of(schedule.owner_id) as workspace:
            seconds = _known(schedule.kind)(workspace, schedule)
    except DatabaseError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a feature raises must not end the worker
        _failed(schedule, error)
        return
    except BaseException:
        # The worker has to end: another one does it at once.
        Schedule.objects.filter(pk=schedule.pk, claim=schedule.claim).update(next_at=timezone.now(), claim="")
        raise
    if seconds is None:
        Schedule.objects.filter(pk=schedule.pk, claim=schedule.claim).delete()
        return
    _close(schedule, seconds, failures=0, message="", payload=schedule.payload)


def _failed(schedule: Schedule, error: Exception) -> None:
    if reason := actor.ending(error):
        _close(schedule, None, failures=schedule.failures + 1, message=reason)
        if ended := _ended.get(schedule.kind):
            ended(schedule)
        return
    if isinstance(error, InterfaceError):
        log.info("The timer %s of kind %s got %s", schedule.key, schedule.kind, type(error).__name__)
        message = error.text or str(error)
    else:
        log.error("The timer %s of kind %s failed", schedule.key, schedule.kind, exc_info=error)
        message = "Something failed in Pilothouse; its log says what."
    backoff = min(max(schedule.every, 5.0) * 2.0 ** min(schedule.failures, 10), LONGEST_BACKOFF)
    if isinstance(error, InterfaceError):
        backoff = max(schedule.every, actor.pause_after(error, schedule.failures, first=max(schedule.every, 5.0)))
    _close(schedule, backoff, failures=schedule.failures + 1, message=message)


def _close(schedule: Schedule, seconds: float | None, *, failures: int, message: str, **values: Any) -> None:
    """Write down when it comes round again, unless it was stopped or begun anew meanwhile."""
    now = timezone.now()
    next_at = None if seconds is None else now + timedelta(seconds=max(seconds, SHORTEST))
    Schedule.objects.filter(pk=schedule.pk, claim=schedule.claim).update(
        next_at=next_at, claim="", failures=min(failures, 1000), message=message[:MESSAGE_MAX_LENGTH], last_run_at=now, **values
    )


def _known(kind: str) -> Run:
    if kind not in _runs:
        raise LookupError(f"nothing is registered for timers of the kind {kind!r}")
    return _runs[kind]
