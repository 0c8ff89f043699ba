"""How a view answers that began a job."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from dashboard.jobs.models import Approval, Job, Phase
from dashboard.web.answers import done


def answer(request: HttpRequest, job: Job) -> HttpResponse:
    """To the job's page where its plan will be shown; else the dialog closes, a notice leads to the job, the tray looks."""
    home = reverse("jobs:show", args=[job.pk])
    if job.approval == Approval.REQUIRED:
        return done(request, "Nothing has been changed yet: first comes the plan.", to=home)
    # With a plan before it, it may still come to ask.
    said = "it is being planned" if job.phase == Phase.PLAN else "it has begun"
    return done(request, f"{job.title}: {said}.", changed="jobs", to=job.back or home, link=("Show the job", home))
