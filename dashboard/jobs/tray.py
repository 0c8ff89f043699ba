"""The tray on every page: active jobs, plans to review, jobs that just ended."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from django.db import DatabaseError
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from dashboard.jobs import kinds, queries
from dashboard.jobs.models import ALIVE, ENDED, Job, Request, State
from dashboard.web.failures.request_log import arrival
from dashboard.web.pages.frame import Viewer
from dashboard.web.process.database import read_keys

MOST_ROWS = 20
# How long ended and paused jobs stay in the tray.
SHOW_ENDED = timedelta(minutes=1)
SHOW_RESTING = timedelta(days=1)
# A job may have ended before the page was asked for to which its button leads.
OVERLAP = timedelta(seconds=2)
POLL_MIN_SECONDS = 2


@dataclass(frozen=True, slots=True)
class TrayRow:
    """A job in the tray. `owner` is empty for one's own."""

    row: queries.Row
    owner: str
    may_pause: bool
    may_resume: bool
    may_cancel: bool


@dataclass(frozen=True, slots=True)
class Tray:
    """The tray of one page. `here` is the address to poll, `every` the seconds between polls (None: don't poll)."""

    rows: list[TrayRow]
    summary: str
    share: float | None
    tone: str
    more: bool
    here: str
    every: int | None


def job_tray(request: HttpRequest) -> Tray:
    """Return the tray for the frame of a page."""
    match = request.resolver_match
    except_job = int(match.kwargs["job_id"]) if match and match.view_name == "jobs:show" else 0
    try:
        return tray(request.user, except_job=except_job, arrived=arrival(request))  # type: ignore[arg-type] # only for signed-in people
    except DatabaseError:
        # An error page must not fail because of its tray.
        return Tray(rows=[], summary="", share=None, tone="", more=False, here=reverse("jobs:tray"), every=None)


def tray(viewer: Viewer, *, except_job: int = 0, arrived: datetime | None = None) -> Tray:
    """Return the jobs that this person sees, newest first, without the one that the page itself shows.

    A page that was asked for at `arrived` may show what was read before a job changed it: it polls also if one ended since.
    """
    now = timezone.now()
    since = arrived - OVERLAP if arrived else now
    found = [job for job in _shown(viewer, now) if job.pk != except_job]
    jobs = found[:MOST_ROWS]
    rows = [_row(viewer, job) for job in jobs]
    polls = [seconds for job in jobs if (seconds := queries.poll_seconds(job))]
    stopped = [job.planned_at if job.state == State.PLANNED else job.ended_at for job in jobs]
    if arrived and any(moment and moment >= arrived for moment in stopped):
        polls.append(POLL_MIN_SECONDS)
    query = {"since": f"{since.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"} | ({"but": except_job} if except_job else {})
    return Tray(
        rows=rows,
        summary=_summary(jobs),
        share=_share(rows),
        tone=_tone(rows),
        more=len(found) > MOST_ROWS,
        here=f"{reverse('jobs:tray')}?{urlencode(query)}",
        every=max(POLL_MIN_SECONDS, min(polls)) if polls else None,
    )


def ended_since(viewer: Viewer, since: str) -> list[Job]:
    """Return jobs that ended after the moment in an earlier tray's address."""
    moment = _moment(since)
    return list(queries.listed(viewer).filter(state__in=ENDED, ended_at__gte=moment)[:MOST_ROWS]) if moment else []


def planned_since(viewer: Viewer, since: str) -> list[Job]:
    """Return one's own jobs that were planned after that moment and wait for approval."""
    moment = _moment(since)
    own = queries.listed(viewer).filter(owner_id=viewer.pk, state=State.PLANNED)
    return list(own.filter(planned_at__gte=moment)[:MOST_ROWS]) if moment else []


def events(ended: Iterable[Job]) -> str:
    """Return the HX-Trigger header for pages that show what these jobs changed; empty for none."""
    found = [kind for job in ended if (kind := kinds.find(job.kind))]
    changes = sorted({f"{thing}:changed" for kind in found for thing in kind.changes})
    return json.dumps(dict.fromkeys(changes, True)) if changes else ""


def _moment(since: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(since).replace(tzinfo=UTC)
    except ValueError:
        return None
    return max(moment, timezone.now() - SHOW_RESTING)


def _shown(viewer: Viewer, now: datetime) -> Iterable[Job]:
    """Return at most two jobs more than are shown. Finds their keys by raw SQL, because every page asks and most find none."""
    alive = ", ".join(["%s"] * len(ALIVE))
    resting = "state = %s AND planned_at > %s OR state = %s AND created_at > %s"
    where = f"WHERE (state IN ({alive}) OR ended_at > %s OR owner_id = %s AND ({resting}))"
    since = now - SHOW_RESTING
    values: list[str | int | datetime] = [*ALIVE, now - SHOW_ENDED, viewer.pk, State.PLANNED, since, State.PAUSED, since]
    if not viewer.is_owner:
        where, values = f"{where} AND owner_id = %s", [*values, viewer.pk]
    keys = read_keys(Job, f"{where} ORDER BY id DESC LIMIT {MOST_ROWS + 2}", values)
    return queries.listed(viewer).filter(pk__in=keys) if keys else ()


def _row(viewer: Viewer, job: Job) -> TrayRow:
    is_own = job.owner_id == viewer.pk
    return TrayRow(
        row=queries.row(job),
        owner="" if is_own else str(job.owner),
        may_pause=is_own and job.is_alive and not job.requested,
        may_resume=is_own and job.state == State.PAUSED,
        may_cancel=job.state not in ENDED and job.requested != Request.CANCEL,
    )


def _summary(jobs: list[Job]) -> str:
    alive = sum(job.is_alive for job in jobs)
    ready = sum(job.state == State.PLANNED for job in jobs)
    ended = sum(job.state in ENDED for job in jobs)
    counts = ((alive, "running"), (ready, "to review"), (ended, "ended"), (len(jobs) - alive - ready - ended, "paused"))
    return ", ".join(f"{count} {label}" for count, label in counts if count)


def _share(rows: list[TrayRow]) -> float | None:
    """Return the mean progress of the active jobs; None if any of them is unknown."""
    shares = [entry.row.share for entry in rows if entry.row.is_alive]
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known and len(known) == len(shares) else None


def _tone(rows: list[TrayRow]) -> str:
    tones = {entry.row.tone for entry in rows}
    return next((tone for tone in ("danger", "attention", "waiting", "good") if tone in tones), "neutral")
