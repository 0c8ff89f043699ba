"""Actions on a job: apply its plan, plan again, cancel, pause, resume, retry."""

from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.jobs import kinds, plans, queries, transitions
from dashboard.jobs.models import ENDED, Job, Request, State
from dashboard.jobs.plans import Plan
from dashboard.jobs.views.jobs import job_of, job_page, own_job
from dashboard.labels.services import is_production
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.rights import needs
from dashboard.web.input.forms import STALE
from dashboard.web.input.idempotency import once
from dashboard.web.pages.answers import done, repeat
from dashboard.web.pages.confirm import confirm, mismatch

NOT_NOW = "nothing was changed, because the job is in another state now"
EXPIRED = "The plan was older than 24 hours, so it is being made again."
REQUESTED = "You asked for a new plan."


@require_POST
@signed_in
@needs("job begun")
def apply(request: PersonRequest, job_id: int) -> HttpResponse:
    """Apply the plan, if what was typed and chosen fits the current plan."""
    job = own_job(request, job_id)
    home = queries.row(job).href
    if job.state != State.PLANNED:
        return done(request, f"{job.title}: {NOT_NOW}.", to=home)
    if plans.is_expired(job):
        transitions.replan_on_request(job, EXPIRED)
        return done(request, f"{EXPIRED} Nothing was changed.", to=home)
    plan = kinds.plan_of(job)
    policy = request.POST.get("policy", "") if plan.policies else plan.policy
    if problem := _problem(request, job, plan, policy):
        return job_page(request, job, problem=problem)

    def act() -> HttpResponse:
        result = "started" if transitions.apply(job, policy) else NOT_NOW
        return done(request, f"{job.title}: {result}.", to=home)

    return once(request, act, lambda outcome: repeat(request, outcome))


@require_POST
@signed_in
@needs("job begun")
def replan(request: PersonRequest, job_id: int) -> HttpResponse:
    job = own_job(request, job_id)
    result = "planning again" if transitions.replan_on_request(job, REQUESTED) else NOT_NOW
    return done(request, f"{job.title}: {result}.", to=queries.row(job).href)


@require_http_methods(["GET", "POST"])
@signed_in
def cancel(request: PersonRequest, job_id: int) -> HttpResponse:
    job = job_of(request, job_id)
    home = queries.row(job).href
    if job.state in ENDED:
        return done(request, f"{job.title} has already ended.", changed="jobs", to=home)

    def then(_cancelled: object) -> HttpResponse:
        ended = queries.visible(request.user).filter(pk=job.pk, state=State.CANCELLED).exists()
        result = "cancelled" if ended else "stops after the current step"
        return done(request, f"{job.title}: {result}.", changed="jobs", to=home)

    only_planned = job.begun_at is None and bool(job.planned_at)
    return confirm(
        request,
        title="Discard this plan?" if only_planned else "Cancel this job?",
        button="Discard plan" if only_planned else "Cancel job",
        consequences=_consequences(job),
        perform=lambda: transitions.cancel(job),
        then=then,
        back=home,
        keep="Keep it",
    )


@require_POST
@signed_in
def pause(request: PersonRequest, job_id: int) -> HttpResponse:
    return _act(request, own_job(request, job_id), transitions.pause, "pauses after the current step")


@require_POST
@signed_in
def resume(request: PersonRequest, job_id: int) -> HttpResponse:
    return _act(request, own_job(request, job_id), transitions.resume, "resumed")


@require_POST
@signed_in
@needs("job begun")
def retry(request: PersonRequest, job_id: int) -> HttpResponse:
    return _act(request, own_job(request, job_id), transitions.retry_failed, "retrying what failed")


def _act(request: PersonRequest, job: Job, act: Callable[[Job], bool], result: str) -> HttpResponse:
    message = f"{job.title}: {result if act(job) else NOT_NOW}."
    return done(request, message, changed="jobs", to=queries.row(job).href)


def _problem(request: PersonRequest, job: Job, plan: Plan, policy: str) -> ValidationError | None:
    reviewed = request.POST.get("planned", "")
    if job.planned_at is None or reviewed != job.planned_at.isoformat():
        return ValidationError("Nothing was changed: the plan was made again. Review it once more.", code=STALE)
    if plan.policies and policy not in {one.value for one in plan.policies}:
        return ValidationError("Nothing was changed. Choose what to do with the conflicts.")
    return mismatch(request, typed=plan.typed or None, count=None, production=plan.danger and is_production(job.place))


def _consequences(job: Job) -> list[str]:
    if job.begun_at is None and job.planned_at:
        return ["Nothing was changed. The plan is deleted."]
    texts = []
    if job.with_outcome:
        texts.append(f"What is done stays done: {queries.row(job).amount}.")
    if job.total is not None and job.total > job.with_outcome:
        texts.append(f"{job.total - job.with_outcome:,} won't be started, except those in progress.")
    if job.requested == Request.CANCEL:
        texts.append("Items in progress are still being checked. If you cancel now, their outcome stays unknown.")
    return [*texts, "A cancelled job can't be resumed."]
