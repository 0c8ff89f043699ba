"""Pages of jobs: the list, one job with its progress, plan and items, and the tray."""

import json
from functools import partial

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from dashboard.jobs import kinds, plans, queries
from dashboard.jobs import tray as trays
from dashboard.jobs.absence import absence_for
from dashboard.jobs.models import ENDED, Approval, Job, Phase, Request, State
from dashboard.labels.services import is_production
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.rights import needs
from dashboard.web.files import spreadsheet
from dashboard.web.files.downloads import attach
from dashboard.web.http.requests import read_number
from dashboard.web.input.forms import status_of
from dashboard.web.pages import notices
from dashboard.web.pages.answers import done, page
from dashboard.web.pages.navigation import inner_address
from dashboard.web.pages.pagination import part_of_query
from dashboard.web.pages.places import known_name
from dashboard.web.text import counted

STATES = (("", "All"), ("active", "Active"), ("ended", "Ended"))
JOBS_PER_PAGE = 50
# Tells htmx to stop polling.
STOP_POLLING = 286
MISSING = "There is no such job, or it is not yours."


@require_GET
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    state = request.GET.get("state", "")
    named = partial(queries.rows, name=partial(known_name, request))
    shown = part_of_query(request, queries.jobs(request.user, state=state), named, limit=JOBS_PER_PAGE)
    context = {
        "page": shown,
        "states": STATES,
        "state": state,
        "everybody": request.user.is_owner,
        "no_worker": absence_for(request.user),
        "polls": any(row.is_alive for row in shown.rows),
    }
    return page(request, "jobs/index.html", context, parts={"jobs": "jobs/_list.html"})


@require_GET
@signed_in
def show(request: PersonRequest, job_id: int) -> HttpResponse:
    return job_page(request, job_of(request, job_id))


@require_GET
@signed_in
def progress(request: PersonRequest, job_id: int) -> HttpResponse:
    """Answer a poll of an active job. Refreshes the list of items when more have ended."""
    job = job_of(request, job_id)
    response = page(request, "jobs/_progress.html", _progress(request, job))
    if request.GET.get("seen") != queries.progress_mark(job) or not job.is_alive:
        response["HX-Trigger"] = json.dumps({"items:changed": True} | ({"plan:changed": True} if job.planned_at else {}))
    if not job.is_alive:
        response.status_code = STOP_POLLING
    return response


@require_GET
@signed_in
@needs("list exported")
def export(request: PersonRequest, job_id: int) -> StreamingHttpResponse:
    """Export items as CSV, of all states or one."""
    job = job_of(request, job_id)
    state = request.GET.get("items", "")
    parts = (slugify(job.title)[:60] or "job", slugify(state), f"{job.pk}-{timezone.now():%Y-%m-%d}")
    name = "-".join(part for part in parts if part)
    return attach(queries.as_csv(job, state=state), filename=f"{name}.csv", kind=spreadsheet.TYPE)


@require_GET
@signed_in
def tray(request: PersonRequest) -> HttpResponse:
    """Show the tray, with notices for one's own jobs that ended or were planned since the last poll."""
    but, since = request.GET.get("but", ""), request.GET.get("since", "")
    shown = trays.tray(request.user, except_job=read_number(but) or 0)
    ended, planned = trays.ended_since(request.user, since), trays.planned_since(request.user, since)
    response = page(request, "jobs/_tray.html", {"tray": shown})
    own = [_ended_notice(job) for job in ended if job.owner_id == request.user.pk and str(job.pk) != but]
    if found := [_planned_notice(job) for job in planned if str(job.pk) != but] + own:
        response.write(notices.fragment(request, *notices.merged(found)))
    if events := trays.events(ended):
        response["HX-Trigger"] = events
    return response


def started(request: HttpRequest, job: Job) -> HttpResponse:
    """Answer the form that started a job: open its page if a plan must be reviewed, else show a notice with a link to it."""
    home = reverse("jobs:show", args=[job.pk])
    if job.approval == Approval.REQUIRED:
        return done(request, "Nothing is changed until you apply the plan.", to=home)
    # A planned job may still need approval.
    is_planned = job.phase == Phase.PLAN
    message = f"Preparing to {job.title[0].lower()}{job.title[1:]}." if is_planned else f"{job.title}: started."
    return done(request, message, changed="jobs", to=job.back or home, link=("Show job", home))


def job_of(request: PersonRequest, job_id: int) -> Job:
    """Return a job that this person may see. Raises `Http404`."""
    job = queries.visible(request.user).filter(pk=job_id).first()
    if job is None:
        raise Http404(MISSING)
    return job


def own_job(request: PersonRequest, job_id: int) -> Job:
    """Return a job of this person. Nobody else may continue it, as it uses its owner's tokens. Raises `Http404`."""
    job = job_of(request, job_id)
    if job.owner_id != request.user.pk:
        raise Http404(MISSING)
    return job


def job_page(request: PersonRequest, job: Job, *, problem: ValidationError | None = None) -> HttpResponse:
    """Show one job; `problem` says why its plan was not applied."""
    context = {**_progress(request, job), **_items(request, job), **_plan(request, job, problem)}
    parts = {"job-items": "jobs/_items.html", "job-plan": "jobs/_plan.html"}
    return page(request, "jobs/show.html", context, parts=parts, status=status_of(problem))


def _plan(request: PersonRequest, job: Job, problem: ValidationError | None) -> dict[str, object]:
    if job.planned_at is None:
        return {"plan": None}
    plan = kinds.plan_of(job)
    return {
        "plan": plan,
        "mine": job.owner_id == request.user.pk,
        "waits": job.state == State.PLANNED,
        "expired": plans.is_expired(job),
        "production": plan.danger and is_production(job.place),
        "policy": request.POST.get("policy") or job.parameters.get("policy") or plan.policy,
        "policy_label": next((one.label for one in plan.policies if one.value == job.parameters.get("policy")), ""),
        "typed_now": request.POST.get("typed", ""),
        "problem": problem,
    }


def _ended_notice(job: Job) -> notices.Notice:
    row = queries.row(job)
    tone = "good" if row.tone == "good" else "danger" if row.tone == "danger" else "info"
    kind = kinds.find(job.kind)
    link = (kind and kind.follow_up(job)) or ("Show job", row.href)
    return notices.Notice(f"{job.title}: {row.state.lower()}.", tone=tone, link=link)


def _planned_notice(job: Job) -> notices.Notice:
    """Return a notice that stays until dismissed, as the job waits for approval."""
    result = counted(job.conflicts, "conflict") if job.conflicts else "ready to apply"
    return notices.Notice(f"{job.title}: {result}. Nothing was changed yet.", tone="info", link=("Review", queries.row(job).href))


def _progress(request: PersonRequest, job: Job) -> dict[str, object]:
    mine = job.owner_id == request.user.pk
    row = queries.row(job, place_name=known_name(request, job.place) if job.place else "")
    to_bucket = job.parameters.get("to_bucket", "")
    return {
        "job": job,
        "bucket": job.parameters.get("bucket") or job.parameters.get("selection", {}).get("bucket", ""),
        "to_bucket": to_bucket,
        "to_href": inner_address("bucket", job.place, to_bucket) if to_bucket else "",
        "row": row,
        "counts": queries.counts(job)[1:],
        "poll_seconds": queries.poll_seconds(job),
        "no_worker": absence_for(request.user) if job.is_alive else None,
        "seen": queries.progress_mark(job),
        "may_cancel": job.state not in ENDED and (job.requested != Request.CANCEL or job.state == State.WAITING),
        "may_pause": mine and job.is_alive and not job.requested,
        "may_resume": mine and job.state in {State.PAUSED, State.FAILED},
        "may_retry": mine and job.state == State.DONE and bool(job.failed + job.unknown),
        "now": timezone.now(),
        "home": row.href,
    }


def _items(request: PersonRequest, job: Job) -> dict[str, object]:
    state = request.GET.get("items", "")
    shown = part_of_query(request, queries.items(job, state=state), partial(queries.item_rows, job))
    return {
        "items": shown,
        "all_counts": queries.counts(job),
        "state": state,
        "has_sizes": any(item.size for item in shown.rows),
        "planning": job.phase == Phase.PLAN,
    }
