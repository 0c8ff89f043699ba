"""Jobs as pages: the list, one job with its progress and items, and what a person may do with it."""

import json
from collections.abc import Callable

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.jobs import acts, presence, reading
from dashboard.jobs.models import ENDED, Asked, Job, State
from dashboard.team.access import PersonRequest, signed_in
from dashboard.web.answers import done, page
from dashboard.web.confirm import confirm
from dashboard.web.paging import Page, address, window

STATES = (("", "All"), ("active", "Active"), ("ended", "Ended"))
JOBS_PER_PAGE = 50
# htmx's word for "stop asking".
STOP_POLLING = 286


@require_GET
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    state = request.GET.get("state", "")
    asked = window(request, limit=JOBS_PER_PAGE)
    end = asked.offset + asked.limit
    found = list(reading.jobs(request.user, state=state)[asked.offset : end + 1])
    rows = reading.rows(found[: asked.limit])
    context = {
        "page": Page(
            rows=rows,
            offset=asked.offset,
            next=address(request, end) if len(found) > asked.limit else "",
            previous=address(request, max(0, asked.offset - asked.limit)) if asked.offset else "",
        ),
        "states": STATES,
        "state": state,
        "everybody": request.user.is_owner,
        "here": request.get_full_path(),
        "asks_again": any(row.is_alive for row in rows),
    }
    return page(request, "jobs/index.html", context, parts={"jobs": "jobs/_list.html"})


@require_GET
@signed_in
def show(request: PersonRequest, job_id: int) -> HttpResponse:
    job = _job(request, job_id)
    context = {**_progress(request, job), **_items(request, job)}
    return page(request, "jobs/show.html", context, parts={"job-items": "jobs/_items.html"})


@require_GET
@signed_in
def progress(request: PersonRequest, job_id: int) -> HttpResponse:
    """The part that asks again while the job is alive. It tells the list of items when more of them have ended."""
    job = _job(request, job_id)
    response = page(request, "jobs/_progress.html", _progress(request, job))
    if request.GET.get("seen") != str(job.settled) or job.state in ENDED:
        response["HX-Trigger"] = json.dumps({"items:changed": True})
    if not job.is_alive:
        response.status_code = STOP_POLLING
    return response


@require_GET
@signed_in
def export(request: PersonRequest, job_id: int) -> StreamingHttpResponse:
    """Every item as CSV."""
    job = _job(request, job_id)
    response = StreamingHttpResponse(reading.as_csv(job), content_type="text/csv; charset=utf-8")
    name = f"{slugify(job.title)[:60] or 'job'}-{job.pk}-{timezone.now():%Y-%m-%d}"
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


@require_http_methods(["GET", "POST"])
@signed_in
def cancellation(request: PersonRequest, job_id: int) -> HttpResponse:
    job = _job(request, job_id)
    home = reading.row(job).href
    if job.state in ENDED:
        return done(request, f"{job.title} had ended already.", changed="jobs", to=home)

    def then() -> HttpResponse:
        ended = reading.visible(request.user).filter(pk=job.pk, state=State.CANCELLED).exists()
        words = "cancelled" if ended else "it ends as soon as what it does now has ended"
        return done(request, f"{job.title}: {words}.", changed="jobs", to=home)

    return confirm(
        request,
        title="Cancel this job?",
        button="Cancel the job",
        consequences=_consequences(job),
        perform=lambda: acts.cancel(job),
        then=then,
        back=home,
        keep="Keep it",
    )


@require_POST
@signed_in
def rest(request: PersonRequest, job_id: int) -> HttpResponse:
    return _act(request, _own(request, job_id), acts.pause, "pauses as soon as what it does now has ended")


@require_POST
@signed_in
def continuation(request: PersonRequest, job_id: int) -> HttpResponse:
    return _act(request, _own(request, job_id), acts.go_on, "goes on")


@require_POST
@signed_in
def repetition(request: PersonRequest, job_id: int) -> HttpResponse:
    return _act(request, _own(request, job_id), acts.repeat_failed, "tries again what failed")


def _act(request: PersonRequest, job: Job, act: Callable[[Job], bool], words: str) -> HttpResponse:
    said = f"{job.title}: it {words}." if act(job) else f"{job.title}: its state has changed meanwhile, nothing was done."
    return done(request, said, changed="jobs", to=reading.row(job).href)


def _job(request: PersonRequest, job_id: int) -> Job:
    job = reading.visible(request.user).filter(pk=job_id).first()
    if job is None:
        raise Http404("There is no such job, or it is not yours.")
    return job


def _own(request: PersonRequest, job_id: int) -> Job:
    """It goes on with its owner's tokens, so nobody else may say so."""
    job = _job(request, job_id)
    if job.owner_id != request.user.pk:
        raise Http404("There is no such job, or it is not yours.")
    return job


def _progress(request: PersonRequest, job: Job) -> dict[str, object]:
    mine = job.owner_id == request.user.pk
    return {
        "job": job,
        "row": reading.row(job),
        "counts": reading.counts(job)[1:],
        "asks_again": reading.seconds_to_next_look(job),
        "nobody_works": job.is_alive and not presence.anybody(),
        "may_cancel": job.state not in ENDED and (job.asked != Asked.CANCEL or job.state == State.WAITING),
        "may_pause": mine and job.is_alive and not job.asked,
        "may_go_on": mine and job.state in {State.PAUSED, State.FAILED},
        "may_repeat": mine and job.state == State.DONE and bool(job.failed + job.unknown),
        "now": timezone.now(),
        "home": reading.row(job).href,
    }


def _items(request: PersonRequest, job: Job) -> dict[str, object]:
    state = request.GET.get("items", "")
    asked = window(request)
    end = asked.offset + asked.limit
    found = list(reading.items(job, state=state)[asked.offset : end + 1])
    return {
        "items": Page(
            rows=reading.item_rows(job, found[: asked.limit]),
            offset=asked.offset,
            next=address(request, end) if len(found) > asked.limit else "",
            previous=address(request, max(0, asked.offset - asked.limit)) if asked.offset else "",
        ),
        "all_counts": reading.counts(job),
        "state": state,
        "here": request.get_full_path(),
    }


def _consequences(job: Job) -> list[str]:
    said = []
    if job.settled:
        said.append(f"What is done stays done: {reading.row(job).amount}.")
    if job.total is not None and job.total > job.settled:
        said.append(f"{job.total - job.settled:,} will not be begun, except for those under way right now.")
    if job.asked == Asked.CANCEL:
        said.append("It waits to find out what became of those under way. If you cancel now, their outcome stays unknown.")
    return [*said, "A cancelled job can't go on later; begin a new one instead."]
