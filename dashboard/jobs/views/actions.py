"""What a person decides about a job: begin what was planned, plan again, cancel, pause, go on, repeat."""

from collections.abc import Callable

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.jobs import actions, plans, queries
from dashboard.jobs.models import ENDED, Job, Request, State
from dashboard.jobs.plans import Plan
from dashboard.jobs.views.access import job_of, own_job
from dashboard.jobs.views.jobs import job_page
from dashboard.labels.queries import is_production
from dashboard.team.access import PersonRequest, signed_in
from dashboard.web.answers import done, repeat
from dashboard.web.confirm import confirm, mismatch
from dashboard.web.idempotency import once

MEANWHILE = "its state has changed meanwhile, nothing was done"
OLD = "The plan was older than 24 hours, so it was made again."
ASKED = "You asked for a new plan."


@require_POST
@signed_in
def beginning(request: PersonRequest, job_id: int) -> HttpResponse:
    """The owner's word. What was typed and chosen is compared here, with the plan as it is now."""
    job = own_job(request, job_id)
    home = queries.row(job).href
    if job.state != State.PLANNED:
        return done(request, f"{job.title}: {MEANWHILE}.", to=home)
    if plans.is_expired(job):
        actions.replan(job, OLD)
        return done(request, f"{OLD} Nothing was done yet.", to=home)
    plan = plans.plan_of(job)
    policy = request.POST.get("policy", "") if plan.conflicts and plan.policies else plan.policy
    if problem := _problem(request, job, plan, policy):
        return job_page(request, job, problem=problem)

    def act() -> HttpResponse:
        said = "it has begun" if actions.apply(job, policy) else MEANWHILE
        return done(request, f"{job.title}: {said}.", to=home)

    return once(request, act, lambda outcome: repeat(request, outcome))


@require_POST
@signed_in
def planning_again(request: PersonRequest, job_id: int) -> HttpResponse:
    job = own_job(request, job_id)
    said = "it is planned again" if actions.replan(job, ASKED) else MEANWHILE
    return done(request, f"{job.title}: {said}.", to=queries.row(job).href)


@require_http_methods(["GET", "POST"])
@signed_in
def cancellation(request: PersonRequest, job_id: int) -> HttpResponse:
    job = job_of(request, job_id)
    home = queries.row(job).href
    if job.state in ENDED:
        return done(request, f"{job.title} had ended already.", changed="jobs", to=home)

    def then(_cancelled: object) -> HttpResponse:
        ended = queries.visible(request.user).filter(pk=job.pk, state=State.CANCELLED).exists()
        message = "cancelled" if ended else "it ends as soon as what it does now has ended"
        return done(request, f"{job.title}: {message}.", changed="jobs", to=home)

    only_planned = job.begun_at is None and bool(job.planned_at)
    return confirm(
        request,
        title="Discard this plan?" if only_planned else "Cancel this job?",
        button="Discard the plan" if only_planned else "Cancel the job",
        consequences=_consequences(job),
        perform=lambda: actions.cancel(job),
        then=then,
        back=home,
        keep="Keep it",
    )


@require_POST
@signed_in
def rest(request: PersonRequest, job_id: int) -> HttpResponse:
    return _act(request, own_job(request, job_id), actions.pause, "pauses as soon as what it does now has ended")


@require_POST
@signed_in
def continuation(request: PersonRequest, job_id: int) -> HttpResponse:
    return _act(request, own_job(request, job_id), actions.resume, "goes on")


@require_POST
@signed_in
def repetition(request: PersonRequest, job_id: int) -> HttpResponse:
    return _act(request, own_job(request, job_id), actions.retry_failed, "tries again what failed")


def _act(request: PersonRequest, job: Job, act: Callable[[Job], bool], message: str) -> HttpResponse:
    said = f"{job.title}: it {message}." if act(job) else f"{job.title}: {MEANWHILE}."
    return done(request, said, changed="jobs", to=queries.row(job).href)


def _problem(request: PersonRequest, job: Job, plan: Plan, policy: str) -> str:
    shown = request.POST.get("planned", "")
    if job.planned_at is None or shown != job.planned_at.isoformat():
        return "The plan was made again meanwhile. Nothing was done. Please look at it once more."
    if plan.policies and policy not in {one.value for one in plan.policies}:
        return "Choose what to do where something stands in the way. Nothing was done."
    return mismatch(request, typed=plan.typed or None, count=None, production=plan.danger and is_production(job.place))


def _consequences(job: Job) -> list[str]:
    if job.begun_at is None and job.planned_at:
        return ["Nothing has been changed, and nothing will be: this plan is dropped."]
    said = []
    if job.settled:
        said.append(f"What is done stays done: {queries.row(job).amount}.")
    if job.total is not None and job.total > job.settled:
        said.append(f"{job.total - job.settled:,} will not be begun, except for those under way right now.")
    if job.requested == Request.CANCEL:
        said.append("It waits to find out what became of those under way. If you cancel now, their outcome stays unknown.")
    return [*said, "A cancelled job can't go on later; begin a new one instead."]
