"""The notice on pages that no worker runs."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from dashboard.jobs.models import ALIVE, Job, Schedule
from dashboard.jobs.worker import is_any_worker_alive, last_seen
from dashboard.team.models import Person


@dataclass(frozen=True, slots=True)
class Absence:
    """No worker runs while work waits. `since`, for owners of the team only, is when the last one was seen."""

    for_owner: bool
    since: datetime | None


def absence_for(person: Person) -> Absence | None:
    """Return the notice for a person whose work waits (owners: anybody's). None if a worker runs or nothing waits."""
    if is_any_worker_alive():
        return None
    jobs, timers = Job.objects.filter(state__in=ALIVE), Schedule.objects.filter(next_at__lte=timezone.now())
    if not person.is_owner:
        jobs, timers = jobs.filter(owner=person), timers.filter(owner=person)
    if not jobs.exists() and not timers.exists():
        return None
    return Absence(for_owner=person.is_owner, since=last_seen() if person.is_owner else None)
