"""Guarded state changes: start a job, apply or remake its plan, cancel, pause, resume, retry.

`enqueue` and `finish` take a query that finds the job only in the state it leaves. They return False if it has left it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from dashboard.jobs import kinds, settlement
from dashboard.jobs.batch import Item, add_items
from dashboard.jobs.models import (
    BACK_MAX_LENGTH,
    CLAIMABLE,
    ENDED,
    MESSAGE_MAX_LENGTH,
    Approval,
    ItemState,
    Job,
    JobItem,
    Phase,
    Request,
    State,
)
from dashboard.notifications.outbox import notify
from dashboard.team.models import Person
from dashboard.tokens.models import Kind as TokenKind
from dashboard.tokens.takeover import Takeover
from dashboard.tokens.workspace import Workspace
from dashboard.web.http.metrics import count_job

# Owners still watch shorter jobs, so only failures of those are worth a notification.
NOTIFIED_AFTER = timedelta(minutes=1)
NOTIFICATIONS = {State.PLANNED: "job decision", State.DONE: "job finished", State.FAILED: "job failed"}
UNSETTLED = "The job was cancelled before the outcome could be verified."


def start(
    workspace: Workspace,
    kind: str,
    *,
    items: Iterable[Item | str] = (),
    title: str = "",
    place: str = "",
    back: str = "",
    parameters: Mapping[str, Any] | None = None,
    cursor: Any = None,
    approval: str = Approval.REQUIRED,
) -> Job:
    """Queue a job for a worker.

    `title` is the headline ("Delete 12 objects from photos"; default: the kind's title), `place` the project's ref or the space,
    `back` the address of the page it was started from. `parameters` and `cursor` are ids and plain facts, never a secret.

    A kind with a plan is planned first, from `cursor` on (default `{}`); `approval` says whether its owner has to approve it.
    """
    found = kinds.find(kind)
    if found is None:
        raise KeyError(f"No kind of job is called {kind!r}.")
    first = ({} if cursor is None else cursor) if found.plan else cursor
    with transaction.atomic():
        job = Job.objects.create(
            kind=kind,
            owner=workspace.person,
            grants=workspace.grants,
            title=(title or found.title)[:200],
            place=place,
            # A deep folder may make the address too long to be stored; a bucket's never is.
            back=back if len(back) <= BACK_MAX_LENGTH else back.partition("?")[0],
            parameters=dict(parameters or {}),
            cursor=first,
            initial_cursor=first if found.plan else None,
            phase=Phase.PLAN if found.plan else Phase.RUN,
            approval=Approval(approval) if found.plan else Approval.NONE,
        )
        last, job.conflicts = add_items(job, items)
        job.total = last if last or first is None else None
        job.save(update_fields=("total", "conflicts"))
    return job


def apply(job: Job, policy: str = "") -> bool:
    """Run the plan that `job` shows, treating conflicts by `policy`. Return False if that plan is not waiting for approval."""
    with transaction.atomic():
        planned = Job.objects.filter(pk=job.pk, state=State.PLANNED, planned_at=job.planned_at)
        found = planned.select_for_update().first()
        if found is None:
            return False
        parameters = {**found.parameters, "policy": policy} if policy else found.parameters
        return enqueue(planned, phase=Phase.RUN, scanned=0, parameters=parameters, replan_reason="")


def replan(jobs: QuerySet[Job], reason: str) -> bool:
    """Discard the plan of the job that `jobs` finds and make a new one."""
    with transaction.atomic():
        job = jobs.select_for_update(of=("self",)).first()
        if job is None:
            return False
        JobItem.objects.filter(job=job).delete()
        return enqueue(
            jobs,
            phase=Phase.PLAN,
            cursor=job.initial_cursor,
            facts={},
            planned_at=None,
            begun_at=None,
            total=None,
            conflicts=0,
            scanned=0,
            approval=Approval.REQUIRED,
            replan_reason=reason[:MESSAGE_MAX_LENGTH],
            requested=Request.NOTHING,
        )


def replan_on_request(job: Job, reason: str) -> bool:
    """Make the plan again. Return False if it is not waiting for approval."""
    return replan(Job.objects.filter(pk=job.pk, state=State.PLANNED), reason)


def unfinished_of(person: Person) -> QuerySet[Job]:
    """Return a person's jobs that wait for a decision or may be resumed, without personal ones (`Kind.personal`)."""
    return _shared_of(person).filter(state__in=(State.PLANNED, State.PAUSED, State.FAILED))


def partly_done_of(person: Person) -> QuerySet[Job]:
    """Return a person's finished jobs whose failed items may be retried, without personal ones."""
    return _shared_of(person).filter(Q(failed__gt=0) | Q(unknown__gt=0), state=State.DONE)


def hand_over(found: Callable[[Person], QuerySet[Job]], person: Person, receiver: Person) -> int:
    """Transfer a person's jobs to somebody whose tokens allow them. Return how many.

    Nothing runs before the receiver decides. Jobs only planned so far are planned again with the receiver's token.
    """
    takeover = Takeover(person, receiver)
    moved = [job for job in found(person) if takeover.allows(TokenKind.STORAGE, job.place, job.grants)]
    for job in moved:
        give_to(receiver, job)
    return len(moved)


def give_to(receiver: Person, job: Job) -> None:
    """Transfer a job that is not running, to go on with the receiver's own tokens."""
    Job.objects.filter(pk=job.pk).update(owner=receiver, grants=[])
    replan_on_request(job, "Handed over.")


def _shared_of(person: Person) -> QuerySet[Job]:
    shared = [kind.name for kind in kinds.registered() if not kind.personal]
    return Job.objects.filter(owner=person, kind__in=shared)


def cancel(job: Job) -> bool:
    """Cancel at once if nothing is in flight, else before the worker's next step. Return False if it had ended.

    A second request, while the job waits for the service, gives up the items in flight as unknown.
    """
    with transaction.atomic():
        found = Job.objects.select_for_update().get(pk=job.pk)
        row = Job.objects.filter(pk=job.pk)
        if found.state in ENDED:
            return False
        if found.state == State.RUNNING:
            row.update(requested=Request.CANCEL)
            return True
        in_flight = found.items.filter(state=ItemState.IN_FLIGHT)
        if in_flight.exists() and found.requested != Request.CANCEL:
            return enqueue(row, requested=Request.CANCEL)
        unknown = in_flight.update(state=ItemState.UNKNOWN, message=UNSETTLED)
        return finish(row, State.CANCELLED, unknown=found.unknown + unknown)


def pause(job: Job) -> bool:
    """Pause before the next step. Return False if there is nothing to pause."""
    with transaction.atomic():
        found = Job.objects.select_for_update().get(pk=job.pk)
        row = Job.objects.filter(pk=job.pk)
        if found.state == State.RUNNING and not found.requested:
            return bool(row.update(requested=Request.PAUSE))
        if found.state in CLAIMABLE and not found.requested:
            return finish(row, State.PAUSED)
    return False


def resume(job: Job) -> bool:
    """Queue a paused or failed job again. Return False if it is neither."""
    resting = Job.objects.filter(pk=job.pk, state__in=(State.PAUSED, State.FAILED))
    return enqueue(resting, lost_workers=0, pauses=0, requested=Request.NOTHING)


def retry_failed(job: Job) -> bool:
    """Retry the failed items of a finished job; unknown ones are verified first. Return False if there are none."""
    with transaction.atomic():
        found = Job.objects.select_for_update().get(pk=job.pk)
        if found.state != State.DONE or not found.failed + found.unknown:
            return False
        fresh = {"tries": 0, "message": "", "ended_at": None}
        found.items.filter(state=ItemState.FAILED).update(state=ItemState.WAITING, **fresh)
        found.items.filter(state=ItemState.UNKNOWN).update(state=ItemState.IN_FLIGHT, **fresh)
        return enqueue(
            Job.objects.filter(pk=job.pk),
            phase=Phase.RUN,
            requested=Request.NOTHING,
            scanned=0,
            failed=0,
            unknown=0,
            lost_workers=0,
            pauses=0,
        )


def enqueue(
    jobs: QuerySet[Job], *, state: State = State.QUEUED, delay_seconds: float = 0.0, message: str = "", **values: Any
) -> bool:
    """Queue the job, to be claimed after a delay."""
    updated = jobs.update(
        state=state,
        due_at=timezone.now() + timedelta(seconds=max(0.0, delay_seconds)),
        worker=None,
        heartbeat_at=None,
        message=message[:MESSAGE_MAX_LENGTH],
        ended_at=None,
        **values,
    )
    return bool(updated)


def finish(jobs: QuerySet[Job], state: State, *, message: str = "", **values: Any) -> bool:
    """Put the job in a state from which no worker claims it: ended, paused or planned. Its owner is notified."""
    with transaction.atomic():
        pks = list(jobs.values_list("pk", flat=True))
        updated = jobs.update(
            state=state,
            requested=Request.NOTHING,
            worker=None,
            heartbeat_at=None,
            message=message[:MESSAGE_MAX_LENGTH],
            ended_at=timezone.now() if state in ENDED else None,
            **values,
        )
        if updated and state in ENDED:
            _end_doubts(pks)
        if updated and state in NOTIFICATIONS:
            _notify(Job.objects.select_related("owner").get(pk=pks[0]))
    if updated:
        count_job(state)
    return bool(updated)


def _end_doubts(jobs: Sequence[int]) -> None:
    """Report writes whose outcome this job no longer finds out as unknown. If it is resumed, its findings replace that."""
    doubtful = JobItem.objects.filter(job__in=jobs, state__in=(ItemState.IN_FLIGHT, ItemState.UNKNOWN), entry__isnull=False)
    for entry in filter(None, doubtful.order_by().values_list("entry", flat=True).distinct()):
        settlement.leave_unknown(entry)


def _notify(job: Job) -> None:
    since = job.begun_at or job.created_at if job.state == State.DONE else job.created_at
    incomplete = job.failed + job.unknown if job.state == State.DONE else 0
    remark = job.facts.get("remark", "") if job.state == State.DONE else ""
    if job.state != State.FAILED and not incomplete and not remark and timezone.now() - since < NOTIFIED_AFTER:
        return
    count = f", {incomplete:,} not done or unknown" if incomplete and not job.all_failed else ""
    count += f", {remark}" if remark else ""
    notify(
        NOTIFICATIONS[State.FAILED if job.all_failed else State(job.state)],
        [job.owner],
        title=f"{job.ending}{count}: {job.title}",
        address=reverse("jobs:show", args=[job.pk]),
        key=f"{job.pk} {job.attempt} {job.state}",
        place=job.place,
    )
