"""Jobs that a request may touch."""

from django.http import Http404

from dashboard.jobs import queries
from dashboard.jobs.models import Job
from dashboard.team.access import PersonRequest

MISSING = "There is no such job, or it is not yours."


def job_of(request: PersonRequest, job_id: int) -> Job:
    """Raises `Http404` for what this person may not see."""
    job = queries.visible(request.user).filter(pk=job_id).first()
    if job is None:
        raise Http404(MISSING)
    return job


def own_job(request: PersonRequest, job_id: int) -> Job:
    """It goes on with its owner's tokens, so nobody else may say so. Raises `Http404`."""
    job = job_of(request, job_id)
    if job.owner_id != request.user.pk:
        raise Http404(MISSING)
    return job
