"""Take the snapshots of a schedule, delete those that it no longer keeps, check the others, and tell when it stopped."""

import logging
from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from dashboard.jobs.models import ENDED, Job, Schedule, State
from dashboard.jobs.schedules import moment_of
from dashboard.notifications.outbox import notify
from dashboard.snapshots import capture, check, collect, schedule, sight, trash
from dashboard.snapshots.manifest import folder_in, named, place_of, read_heads
from dashboard.snapshots.store import StoreError
from dashboard.team.rights import require
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.pages.navigation import inner_address

log = logging.getLogger(__name__)

STOPPED = "snapshots stopped"
LOOK_SECONDS = 60.0
# A little less than a week, since a weekly snapshot may take less time than the one before.
CHECKED_AFTER = timedelta(days=6)
CANCELLED = "The job was cancelled."
GONE = "The bucket was deleted. Its snapshots stay."


def run(workspace: Workspace, timer: Schedule) -> float | None:
    """Begin a snapshot that is due, or look whether the last one has ended. Return the seconds until the next look.

    None, and the owner is told, once the bucket is gone.
    """
    kept, now = timer.payload, timezone.now()
    require(workspace.person, *schedule.ACTS)
    if kept["job"]:
        job = Job.objects.filter(pk=kept["job"]).first()
        if job and job.state not in ENDED:
            return LOOK_SECONDS
        if job and job.state == State.DONE:
            if not _keep_to_plan(workspace, timer):
                return LOOK_SECONDS
            kept |= {"good": job.created_at.isoformat(), "failed": ""}
            _check(workspace, timer)
        elif job:
            if sight.is_gone(workspace, kept["space"], kept["bucket"]):
                _tell(timer, GONE)
                return None
            kept["failed"] = job.message or CANCELLED
        kept["job"] = 0
    elif now >= (moment_of(kept["due"]) or now):
        space, bucket = kept["space"], kept["bucket"]
        kept["job"] = capture.begin(workspace, space, bucket, folder_in(timer.payload), back=_home(timer)).pk
        kept["due"] = (now + schedule.EVERY[kept["every"]]).isoformat()
        if (token := workspace.fingerprint(Kind.STORAGE, space)) not in kept["tokens"]:
            kept["tokens"].append(token)
        return LOOK_SECONDS
    due_at = moment_of(kept["due"]) or now
    return max(due_at - now, timedelta(seconds=1)).total_seconds()


def purge(workspace: Workspace, _timer: Schedule) -> float:
    """Start deleting for good what was kept long enough. Return the seconds until the next look."""
    require(workspace.person, "snapshot deleted")
    try:
        if capture.is_on() and (old := trash.expired()):
            collect.expire(workspace, old)
    except StoreError as error:
        log.warning("The trash can't be emptied: %s", error)
    return trash.DAY_SECONDS


def restored(job: Job) -> tuple[str, str] | None:
    """Return the way to where a restoration wrote, if that is elsewhere; else to what it replaced, if that was kept."""
    there = (job.parameters["to_space"], job.parameters["to_bucket"])
    if there != (job.parameters["space"], job.parameters["bucket"]):
        return "Open bucket", inner_address("bucket", *there)
    return ("Open trash", reverse("snapshots:trash", args=there)) if job.facts.get("kept") else None


def ended(timer: Schedule) -> None:
    """Tell the owner that Pilothouse can't act for them any more."""
    timer.refresh_from_db(fields=("message",))
    _tell(timer, timer.message)


def _tell(timer: Schedule, reason: str) -> None:
    notify(
        STOPPED,
        [timer.owner],
        title=f"Snapshots of {named(timer.payload['bucket'], folder_in(timer.payload))} stopped: {reason}",
        address=_home(timer),
        key=f"{timer.pk} {timer.created_at.isoformat()}",
        place=timer.payload["space"],
    )


def _keep_to_plan(workspace: Workspace, timer: Schedule) -> bool:
    """Start deleting what the schedule no longer keeps. Return False while the store can't be read."""
    space, bucket = timer.payload["space"], timer.payload["bucket"]
    try:
        heads = read_heads(capture.store(), place_of(space, bucket))
    except StoreError:
        return False
    if old := schedule.outdated(heads, timer.payload):
        collect.begin(workspace, old, back=_home(timer))
    return True


def _check(workspace: Workspace, timer: Schedule) -> None:
    """Once a week, start reading the next share of what the snapshots hold."""
    kept, now = timer.payload, timezone.now()
    if (checked_at := moment_of(kept["checked"])) and now - checked_at < CHECKED_AFTER:
        return
    check.begin(workspace, kept["space"], kept["bucket"], folder_in(timer.payload), share=kept["share"], back=_home(timer))
    kept |= {"checked": now.isoformat(), "share": (kept["share"] + 1) % check.SHARES}


def _home(timer: Schedule) -> str:
    return reverse("snapshots:index", args=[timer.payload["space"], timer.payload["bucket"]])
