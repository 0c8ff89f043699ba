"""Watch a hostname's records: a schedule shared by everybody with the same token."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from dashboard.jobs import schedules
from dashboard.jobs.models import Schedule
from dashboard.tokens.workspace import Workspace

WATCH = "hostname watch"
EVERY_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Watch:
    """A watch. `ended` says why it stopped; `looked` pairs each record with its last diagnosis."""

    owner: str
    is_mine: bool
    is_on: bool
    ended: str
    failing: str
    next_at: datetime | None
    last_run_at: datetime | None
    asked_at: datetime | None
    looked: tuple[tuple[str, str], ...]


def start_watch(workspace: Workspace, ref: str) -> None:
    """Start a watch with this person's token, or take over the existing one."""
    payload = {"ref": ref, "since": timezone.now().isoformat()}
    schedules.start(WATCH, _key(workspace, ref), owner=workspace.person, first_in=0, every=EVERY_SECONDS, payload=payload)


def stop_watch(workspace: Workspace, ref: str) -> None:
    schedules.stop(WATCH, _key(workspace, ref))


def find_watch(workspace: Workspace, ref: str) -> Watch | None:
    """Return the watch of this hostname, on or ended. Calls no service."""
    timer = schedules.find(WATCH, _key(workspace, ref))
    if timer is None:
        return None
    return Watch(
        owner=str(timer.owner),
        is_mine=timer.owner_id == workspace.person.pk,
        is_on=timer.is_on,
        ended="" if timer.is_on else timer.message,
        failing=timer.message if timer.is_on else "",
        next_at=timer.next_at,
        last_run_at=timer.last_run_at,
        asked_at=moment_of(timer.payload.get("asked_at")),
        looked=tuple((name, word) for name, word in timer.payload.get("looked", [])),
    )


def watched_refs(workspace: Workspace) -> set[str]:
    """Return the projects whose hostname is checked automatically with this token."""
    end = f" {workspace.fingerprint('management')}"
    on = Schedule.objects.filter(kind=WATCH, key__endswith=end, next_at__isnull=False)
    return {key.removesuffix(end) for key in on.values_list("key", flat=True)}


def moment_of(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _key(workspace: Workspace, ref: str) -> str:
    """A watch belongs to a token, as everything remembered does."""
    return f"{ref} {workspace.fingerprint('management')}"
