"""Jobs as pages: the list, one job with its progress, plan and items, and the tray of every page."""

import json
from functools import partial

from django.http import HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from dashboard.jobs import outcomes, plans, queries, workers
from dashboard.jobs import tray as trays
from dashboard.jobs.models import ENDED, Job, Phase, Request, State
from dashboard.jobs.views.access import job_of
from dashboard.labels.queries import is_production
from dashboard.team.access import PersonRequest, signed_in
from dashboard.web import notices, spreadsheet
from dashboard.web.answers import page
from dashboard.web.downloads import attach
from dashboard.web.pagination import part_of_query
from dashboard.web.places import known_name

STATES = (("", "All"), ("active", "Active"), ("ended", "Ended"))
JOBS_PER_PAGE = 50
# htmx's word for "stop asking".
STOP_POLLING = 286


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
        "here": request.get_full_path(),
        "asks_again": any(row.is_alive for row in shown.rows),
    }
    return page(request, "jobs/index.html", context, parts={"jobs": "jobs/_list.html"})


@require_GET
@signed_in
def show(request: PersonRequest, job_id: int) -> HttpResponse:
    job = job_of(request, job_id)
    return job_page(request, job)


@require_GET
@signed_in
def progress(request: PersonRequest, job_id: int) -> HttpResponse:
    """The part that asks again while the job is alive. It tells the list of items when more of them have ended."""
    job = job_of(request, job_id)
    response = page(request, "jobs/_progress.html", _progress(request, job))
    if request.GET.get("seen") != queries.mark(job) or not job.is_alive:
        response["HX-Trigger"] = json.dumps({"items:changed": True} | ({"plan:changed": True} if job.planned_at else {}))
    if not job.is_alive:
        response.status_code = STOP_POLLING
    return response


@require_GET
@signed_in
def export(request: PersonRequest, job_id: int) -> StreamingHttpResponse:
    """Every item as CSV, or those of one state."""
    job = job_of(request, job_id)
    state = request.GET.get("items", "")
    name = "-".join(
        part for part in (slugify(job.title)[:60] or "job", slugify(state), f"{job.pk}-{timezone.now():%Y-%m-%d}") if part
    )
    return attach(outcomes.as_csv(job, state=state), filename=f"{name}.csv", kind=spreadsheet.TYPE)


@require_GET
@signed_in
def tray(request: PersonRequest) -> HttpResponse:
    """The tray once more; what has ended since the last time is told to the page, and one's own by a notice.

    So is a plan that waits for a word: whoever asked for it may have been told that it goes on by itself.
    """
    but, since = request.GET.get("but", ""), request.GET.get("since", "")
    drawn = trays.tray(request.user, but=int(but) if but.isdecimal() and len(but) < 10 else 0)
    ended, planned = trays.ended_since(request.user, since), trays.planned_since(request.user, since)
    response = page(request, "jobs/_tray.html", {"tray": drawn})
    own = [_told(job) for job in ended if job.owner_id == request.user.pk and str(job.pk) != but]
    if told := [_asked(job) for job in planned if str(job.pk) != but] + own:
        response.write(notices.fragment(request, *notices.merged(told)))
    if events := trays.events(ended):
        response["HX-Trigger"] = events
    return response


def job_page(request: PersonRequest, job: Job, *, problem: str = "") -> HttpResponse:
    """One job; `problem` says why it was not begun."""
    context = {**_progress(request, job), **_items(request, job), **_plan(request, job, problem)}
    parts = {"job-items": "jobs/_items.html", "job-plan": "jobs/_plan.html"}
    return page(request, "jobs/show.html", context, parts=parts, status=422 if problem else 200)


def _plan(request: PersonRequest, job: Job, problem: str) -> dict[str, object]:
    """What was planned; before the run with everything that the owner has to say."""
    if job.planned_at is None:
        return {"plan": None}
    plan = plans.plan_of(job)
    return {
        "plan": plan,
        "mine": job.owner_id == request.user.pk,
        "waits": job.state == State.PLANNED,
        "old": plans.is_expired(job),
        "production": plan.danger and is_production(job.place),
        "policy": request.POST.get("policy") or job.parameters.get("policy") or plan.policy,
        "policy_label": next((one.label for one in plan.policies if one.value == job.parameters.get("policy")), ""),
        "typed_now": request.POST.get("typed", ""),
        "problem": problem,
        "phase_plan": Phase.PLAN,
    }


def _told(job: Job) -> notices.Notice:
    row = queries.row(job)
    tone = "good" if row.tone == "good" else "danger" if row.tone == "danger" else "info"
    return notices.Notice(f"{job.title}: {row.state.lower()}.", tone=tone, link=("Show the job", row.href))


def _asked(job: Job) -> notices.Notice:
    """It stays until it is read: nothing goes on before."""
    met = (
        f"{job.conflicts:,} in conflict, and nothing is done yet"
        if job.conflicts
        else "the plan is ready, and nothing is done yet"
    )
    return notices.Notice(f"{job.title}: {met}.", tone="info", link=("Decide", queries.row(job).href))


def _progress(request: PersonRequest, job: Job) -> dict[str, object]:
    mine = job.owner_id == request.user.pk
    row = queries.row(job, called=known_name(request, job.place) if job.place else "")
    return {
        "job": job,
        "bucket": job.parameters.get("bucket") or job.parameters.get("selection", {}).get("bucket", ""),
        "row": row,
        "counts": outcomes.counts(job)[1:],
        "asks_again": queries.seconds_to_next_look(job),
        "nobody_works": job.is_alive and not workers.anybody(),
        "seen": queries.mark(job),
        "may_cancel": job.state not in ENDED and (job.requested != Request.CANCEL or job.state == State.WAITING),
        "may_pause": mine and job.is_alive and not job.requested,
        "may_go_on": mine and job.state in {State.PAUSED, State.FAILED},
        "may_repeat": mine and job.state == State.DONE and bool(job.failed + job.unknown),
        "now": timezone.now(),
        "home": row.href,
    }


def _items(request: PersonRequest, job: Job) -> dict[str, object]:
    state = request.GET.get("items", "")
    shown = part_of_query(request, outcomes.items(job, state=state), partial(outcomes.item_rows, job))
    return {
        "items": shown,
        "all_counts": outcomes.counts(job),
        "state": state,
        "has_sizes": any(item.size for item in shown.rows),
        "planning": job.phase == Phase.PLAN,
        "here": request.get_full_path(),
    }
