"""What a person may do with a job: begin what was planned, cancel, pause, let it go on, repeat what failed."""

from django.db import transaction

from dashboard.jobs import transitions
from dashboard.jobs.models import ENDED, ItemState, Job, Phase, Request, State

GIVEN_UP = "The job was cancelled before it could be found out what became of this."


def apply(job: Job, policy: str = "") -> bool:
    """Act on the plan that `job` shows, treating conflicts as `policy` says. False: that plan does not wait for this word."""
    with transaction.atomic():
        planned = Job.objects.filter(pk=job.pk, state=State.PLANNED, planned_at=job.planned_at)
        found = planned.select_for_update().first()
        if found is None:
            return False
        parameters = {**found.parameters, "policy": policy} if policy else found.parameters
        return transitions.enqueue(planned, phase=Phase.RUN, scanned=0, parameters=parameters, replan_reason="")


def replan(job: Job, message: str) -> bool:
    """Make the plan anew; `words` say why. False: the job does not wait to be begun."""
    return transitions.replan(Job.objects.filter(pk=job.pk, state=State.PLANNED), message)


def cancel(job: Job) -> bool:
    """End it: at once where nothing is in flight, else before the worker's next step. False: it had ended already.

    Asked twice of a job that waits for the service, it ends without knowing what became of what is in flight.
    """
    with transaction.atomic():
        found = Job.objects.select_for_update().get(pk=job.pk)
        same = Job.objects.filter(pk=job.pk)
        if found.state in ENDED:
            return False
        if found.state == State.RUNNING:
            same.update(requested=Request.CANCEL)
            return True
        in_flight = found.items.filter(state=ItemState.IN_FLIGHT)
        if in_flight.exists() and found.requested != Request.CANCEL:
            return transitions.enqueue(same, requested=Request.CANCEL)
        lost = in_flight.update(state=ItemState.UNKNOWN, message=GIVEN_UP)
        same.update(unknown=found.unknown + lost)
        return transitions.finish(same, State.CANCELLED)


def pause(job: Job) -> bool:
    """Let it rest until `go_on`: before the next step. False: there is nothing to pause."""
    with transaction.atomic():
        found = Job.objects.select_for_update().get(pk=job.pk)
        same = Job.objects.filter(pk=job.pk)
        if found.state == State.RUNNING and not found.requested:
            return bool(same.update(requested=Request.PAUSE))
        if found.state in {State.QUEUED, State.WAITING} and not found.requested:
            return transitions.finish(same, State.PAUSED)
    return False


def resume(job: Job) -> bool:
    """Put a paused or stopped job in line again. False: it is neither."""
    resting = Job.objects.filter(pk=job.pk, state__in=(State.PAUSED, State.FAILED))
    return transitions.enqueue(resting, lost_workers=0, pauses=0, requested=Request.NOTHING)


def retry_failed(job: Job) -> bool:
    """Try again what failed in a job that is done; what is unknown is read back first. False: there is nothing of the kind."""
    with transaction.atomic():
        found = Job.objects.select_for_update().get(pk=job.pk)
        if found.state != State.DONE or not found.failed + found.unknown:
            return False
        fresh = {"tries": 0, "message": "", "ended_at": None}
        found.items.filter(state=ItemState.FAILED).update(state=ItemState.WAITING, **fresh)
        found.items.filter(state=ItemState.UNKNOWN).update(state=ItemState.IN_FLIGHT, **fresh)
        same = Job.objects.filter(pk=job.pk)
        return transitions.enqueue(
            same, phase=Phase.RUN, scanned=0, failed=0, unknown=0, lost_workers=0, pauses=0, requested=Request.NOTHING
        )
