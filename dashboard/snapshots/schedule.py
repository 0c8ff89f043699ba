"""Snapshots that are taken daily or weekly, and how long they are kept.

A bucket has one schedule, of who saved it last, and each of its folders may have one, which looks after that folder's snapshots.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.jobs import schedules
from dashboard.jobs.models import Job, Schedule, State
from dashboard.jobs.schedules import moment_of
from dashboard.snapshots.capture import TAKE, begin, is_on, manages, require_own
from dashboard.snapshots.manifest import Head, folder_in, named, place_of
from dashboard.team.models import Person
from dashboard.tokens.credentials import own_token
from dashboard.tokens.models import Kind
from dashboard.tokens.sight import sees_all
from dashboard.tokens.takeover import Takeover
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.cards import Stopped
from dashboard.web.failures.local_problems import forbidden

KIND = "snapshots"
ACTS = ("job begun", "snapshot deleted")
EVERY = {"daily": timedelta(days=1), "weekly": timedelta(days=7)}
FOREIGN = "Only people with the same token, or with one that sees every file, can change this schedule. Nothing was changed."


@dataclass(frozen=True, slots=True)
class Plan:
    """The schedule of a bucket or, with `folder`, of that folder: `every` is a key of `EVERY`; the last `last` snapshots and
    those of `days` days are kept.

    `ended` says why it stopped, `failed` why the last one wasn't taken. `good_at`: when the last whole one was begun.
    `due_at`: when the next one is due; None if it is.
    """

    bucket: str
    folder: str
    every: str
    last: int
    days: int
    owner: str
    is_mine: bool
    ended: str
    failed: str
    good_at: datetime | None
    due_at: datetime | None

    @property
    def of(self) -> str:
        """The bucket, and the folder of a schedule for one."""
        return named(self.bucket, self.folder)


def find(workspace: Workspace, space: str, bucket: str, folder: str = "") -> Plan | None:
    """Return the schedule of a bucket or a folder, on or ended. Calls neither the service nor the store."""
    timer = schedules.find(KIND, _key(space, bucket, folder)) if is_on() else None
    return _plan(timer, workspace.person) if timer else None


def find_inside(workspace: Workspace, space: str, bucket: str) -> list[Plan]:
    """Return the schedules of a bucket and its folders, in order of folders. Calls neither the service nor the store."""
    timers = Schedule.objects.filter(kind=KIND, payload__space=space, payload__bucket=bucket).select_related("owner")
    return sorted((_plan(timer, workspace.person) for timer in timers), key=lambda plan: plan.folder)


def find_all(workspace: Workspace, spaces: Collection[str]) -> dict[str, list[Plan]]:
    """Return the schedules of each space that use this person's token, by bucket. Calls neither the service nor the store."""
    found: dict[str, list[Plan]] = {space: [] for space in spaces}
    if is_on():
        own = {space: workspace.fingerprint(Kind.STORAGE, space) for space in spaces if manages(workspace, space)}
        for timer in Schedule.objects.filter(kind=KIND, payload__space__in=list(own)).select_related("owner").order_by("key"):
            space = timer.payload["space"]
            if timer.owner == workspace.person or own[space] in timer.payload["tokens"]:
                found[space].append(_plan(timer, workspace.person))
    return found


def taken_lately(workspace: Workspace, spaces: Collection[str]) -> dict[str, bool]:
    """Return, for spaces where the person may take snapshots, whether their token took one of a whole bucket.

    Only as far as jobs are kept, which is 30 days. Doesn't call the store.
    """
    tokens = {space: workspace.fingerprint(Kind.STORAGE, space) for space in spaces if manages(workspace, space)}
    done = Job.objects.filter(kind=TAKE, state=State.DONE, place__in=list(tokens)).only("place", "parameters")
    taken = {job.place for job in done if job.parameters["token"] == tokens[job.place] and not folder_in(job.parameters)}
    return {space: space in taken for space in tokens}


def _plan(timer: Schedule, person: Person) -> Plan:
    due_at = moment_of(timer.payload["due"])
    return Plan(
        bucket=timer.payload["bucket"],
        folder=folder_in(timer.payload),
        every=timer.payload["every"],
        last=timer.payload["last"],
        days=timer.payload["days"],
        owner=str(timer.owner),
        is_mine=timer.owner_id == person.pk,
        ended=schedules.why_ended(timer),
        failed=timer.payload["failed"],
        good_at=moment_of(timer.payload["good"]),
        due_at=due_at if due_at and due_at > timezone.now() else None,
    )


def take(workspace: Workspace, space: str, bucket: str, folder: str = "", *, back: str) -> Job:
    """Take a snapshot now, as `capture.begin`. The person's own schedule of it waits for its end, too, as for one of its own."""
    job = begin(workspace, space, bucket, folder, back=back)
    timer = schedules.find(KIND, _key(space, bucket, folder))
    if timer and timer.owner == workspace.person and timer.is_on:
        unclaimed = Schedule.objects.filter(pk=timer.pk, claim=timer.claim, next_at=timer.next_at)
        unclaimed.update(payload={**timer.payload, "job": job.pk}, next_at=timezone.now())
    return job


def start(workspace: Workspace, space: str, bucket: str, folder: str = "", *, every: str, last: int, days: int) -> None:
    """Start or change the schedule of a bucket or a folder with this person's token.

    The next snapshot is due as if the schedule had always been like this. Raises `Stopped` for a grant, and for a plain token
    that the schedule never used.
    """
    timer = _changeable(workspace, space, bucket, folder)
    kept = {**(timer.payload if timer else {}), "every": every, "last": last, "days": days}
    good_at, now = moment_of(kept.get("good")), timezone.now()
    due_at = max(good_at + EVERY[every], now) if good_at else now
    kept |= {"space": space, "bucket": bucket, "folder": folder}
    _start(workspace.person, kept, workspace.fingerprint(Kind.STORAGE, space), due_at)


def stop(workspace: Workspace, space: str, bucket: str, folder: str = "") -> None:
    """End the schedule of a bucket or a folder; its snapshots stay. Raises as `start`."""
    _changeable(workspace, space, bucket, folder)
    schedules.stop(KIND, _key(space, bucket, folder))


def of(person: Person) -> QuerySet[Schedule]:
    """Return a person's schedules, on or ended."""
    return Schedule.objects.filter(owner=person, kind=KIND)


def hand_over(person: Person, receiver: Person) -> int:
    """Transfer a person's schedules to somebody whose own token reads as much. Return how many."""
    takeover, moved = Takeover(person, receiver), 0
    for timer in of(person):
        space = timer.payload["space"]
        token = own_token(receiver, Kind.STORAGE, space)
        if token and takeover.allows(Kind.STORAGE, space):
            due_at = moment_of(timer.payload["due"]) or timezone.now()
            _start(receiver, timer.payload, token.fingerprint, max(due_at, timezone.now()))
            moved += 1
    return moved


def outdated(heads: Sequence[Head], kept: Mapping[str, Any]) -> list[Head]:
    """Return the snapshots that the schedule no longer keeps: those by its tokens of its bucket or folder, neither
    among the last nor young enough.

    The newest that holds any bytes is kept: the bucket may have been emptied since.
    """
    heads = [head for head in heads if head.folder == folder_in(kept)]
    own = [head for head in heads if head.token in kept["tokens"] and not head.is_trash]
    filled = [head for head in own if head.bytes][-1:]
    oldest = timezone.now() - timedelta(days=kept["days"])
    return [head for head in own[: -kept["last"]] if head.begun < oldest and head not in filled]


def _start(owner: Person, kept: Mapping[str, Any], token: str, due_at: datetime) -> None:
    """`tokens` are those that it took snapshots with; `job` is the one that it waits for; `share` is checked next."""
    first = {"good": "", "failed": "", "tokens": [], "checked": "", "share": 0}
    payload = {**first, **kept, "due": due_at.isoformat(), "job": 0}
    payload["tokens"] = list(dict.fromkeys([*payload["tokens"], token]))
    schedules.start(
        KIND,
        _key(payload["space"], payload["bucket"], folder_in(payload)),
        owner=owner,
        first_in=(due_at - timezone.now()).total_seconds(),
        every=EVERY[payload["every"]].total_seconds(),
        payload=payload,
    )


def _key(space: str, bucket: str, folder: str) -> str:
    return place_of(space, named(bucket, folder))


def _changeable(workspace: Workspace, space: str, bucket: str, folder: str) -> Schedule | None:
    require_own(workspace, space)
    timer = schedules.find(KIND, _key(space, bucket, folder))
    is_own = (
        timer is None or timer.owner == workspace.person or workspace.fingerprint(Kind.STORAGE, space) in timer.payload["tokens"]
    )
    if not is_own and not sees_all(workspace, space):
        raise Stopped(forbidden(FOREIGN))
    return timer
