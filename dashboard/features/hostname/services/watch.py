"""Automatic checks of hostnames.

Records are checked until they are verified, for everybody with the same token. An active hostname is checked daily, for everybody
who can read the project.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.jobs import schedules
from dashboard.jobs.models import Schedule
from dashboard.team.models import Person
from dashboard.tokens.credentials import own_token
from dashboard.tokens.models import Kind
from dashboard.tokens.takeover import Takeover
from dashboard.tokens.workspace import Workspace

WATCH = "hostname watch"
DAILY = "hostname daily check"
EVERY_SECONDS = 15.0
DAY_SECONDS = 86400.0


@dataclass(frozen=True, slots=True)
class Watch:
    """A watch. `ended` says why it stopped; `seen` changes whenever the diagnosis of a record does."""

    owner: str
    is_mine: bool
    is_on: bool
    ended: str
    failing: str
    next_at: datetime | None
    last_run_at: datetime | None
    asked_at: datetime | None
    seen: str


def start_watch(workspace: Workspace, ref: str) -> None:
    """Start a watch with this person's token, or take over the existing one."""
    payload = {"ref": ref, "since": timezone.now().isoformat()}
    schedules.start(
        WATCH,
        _key(workspace, ref),
        owner=workspace.person,
        grants=workspace.grants,
        first_in=0,
        every=EVERY_SECONDS,
        payload=payload,
    )


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
        asked_at=schedules.moment_of(timer.payload.get("asked_at")),
        seen=" ".join(word for _, word in timer.payload.get("looked", [])),
    )


def watched_refs(workspace: Workspace, refs: Iterable[str]) -> set[str]:
    """Return the refs whose hostname is checked automatically with this person's credential."""
    keys = {_key(workspace, ref): ref for ref in refs}
    on = Schedule.objects.filter(kind=WATCH, next_at__isnull=False).values_list("key", flat=True)
    return {keys[key] for key in on if key in keys}


@dataclass(frozen=True, slots=True)
class Daily:
    """The daily check of a hostname, for its owner. `ended` says why it stopped, `failing` what failed in the last run."""

    owner: str
    is_mine: bool
    ended: str
    failing: str
    next_at: datetime | None

    @property
    def is_on(self) -> bool:
        return not self.ended


def start_daily(workspace: Workspace, ref: str) -> None:
    """Start the daily check with this person's token, or take over that of another person."""
    schedules.start(
        DAILY,
        ref,
        owner=workspace.person,
        grants=workspace.grants,
        first_in=0,
        every=DAY_SECONDS,
        payload={"ref": ref},
    )


def stop_daily(ref: str) -> None:
    schedules.stop(DAILY, ref)


def stop_dailies(person: Person) -> int:
    """Stop the daily checks that are made for this person. Return how many."""
    return Schedule.objects.filter(owner=person, kind=DAILY).delete()[0]


def find_daily(workspace: Workspace, ref: str) -> Daily | None:
    """Return the daily check of this project, on or ended. Calls no service."""
    return find_dailies(workspace, [ref]).get(ref)


def find_dailies(workspace: Workspace, refs: Iterable[str]) -> dict[str, Daily]:
    """Return the daily checks of several projects, by ref."""
    timers = Schedule.objects.filter(kind=DAILY, key__in=list(refs)).select_related("owner")
    return {timer.key: _daily(workspace, timer) for timer in timers}


def checks_of(person: Person) -> QuerySet[Schedule]:
    """Return a person's automatic checks, on or ended."""
    return Schedule.objects.filter(owner=person, kind__in=(WATCH, DAILY))


def hand_over(person: Person, receiver: Person) -> int:
    """Transfer a person's automatic checks to somebody else's management token. Return how many. Checks the receiver has stay."""
    takeover, token = Takeover(person, receiver), own_token(receiver, Kind.MANAGEMENT, "")
    if token is None:
        return 0
    moved = 0
    for timer in checks_of(person):
        ref = str(timer.payload["ref"])
        key = ref if timer.kind == DAILY else f"{ref} {token.fingerprint}"
        is_taken = timer.key != key and schedules.find(timer.kind, key)
        if is_taken or not takeover.allows(Kind.MANAGEMENT, ref, timer.grants):
            continue
        schedules.stop(timer.kind, timer.key)
        schedules.start(timer.kind, key, owner=receiver, first_in=0, every=timer.every, payload=timer.payload)
        moved += 1
    return moved


def _daily(workspace: Workspace, timer: Schedule) -> Daily:
    return Daily(
        owner=str(timer.owner),
        is_mine=timer.owner_id == workspace.person.pk,
        ended=schedules.why_ended(timer),
        failing=timer.message if timer.is_on else "",
        next_at=timer.next_at,
    )


def _key(workspace: Workspace, ref: str) -> str:
    """Return the watch's key. It contains the token, as a watch belongs to it like all stored states."""
    return f"{ref} {workspace.fingerprint('management', ref)}"
