"""The tray on every page: what is alive, what waits for a word, what ended a moment ago."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from django.db import DatabaseError
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from dashboard.jobs import kinds, queries
from dashboard.jobs.models import ALIVE, ENDED, Job, Request, State

MOST = 20
# What ended stays in sight for so long, what rests for so long.
LINGERS = timedelta(minutes=1)
RESTS = timedelta(days=1)
# A page is read before its tray: what ended between the two is told all the same.
OVERLAP = timedelta(seconds=2)
QUICKEST = 2


@dataclass(frozen=True, slots=True)
class TrayRow:
    """A job in the tray. `who` is empty for one's own."""

    row: queries.Row
    who: str
    may_pause: bool
    may_go_on: bool
    may_cancel: bool


@dataclass(frozen=True, slots=True)
class Tray:
    """`here` is the address to ask again, `every` the seconds until then (None: nothing changes by itself)."""

    rows: list[TrayRow]
    message: str
    share: float | None
    tone: str
    more: bool
    here: str
    every: int | None


def job_tray(request: HttpRequest) -> Tray:
    """For the frame of a page of somebody signed in."""
    match = request.resolver_match
    but = int(match.kwargs["job_id"]) if match and match.view_name == "jobs:show" else 0
    try:
        return tray(request.user, but=but, now=timezone.now() - OVERLAP)  # type: ignore[arg-type] # base.html asks for nobody else
    except DatabaseError:
        # A page that tells of a failure must not fail over this.
        return Tray(rows=[], message="", share=None, tone="", more=False, here=reverse("jobs:tray"), every=None)


def tray(viewer: queries.Viewer, *, but: int = 0, now: datetime | None = None) -> Tray:
    """What this person sees of jobs, newest first. `but` is a job that the page itself shows."""
    now = now or timezone.now()
    found = _shown(viewer, now).exclude(pk=but)[: MOST + 1]
    jobs = list(found)[:MOST]
    rows = [_row(viewer, job) for job in jobs]
    looks = [pause for job in jobs if (pause := queries.seconds_to_next_look(job))]
    asked = {"since": f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"} | ({"but": but} if but else {})
    return Tray(
        rows=rows,
        message=_words(jobs),
        share=_share(rows),
        tone=_tone(rows),
        more=len(found) > MOST,
        here=f"{reverse('jobs:tray')}?{urlencode(asked)}",
        every=max(QUICKEST, min(looks)) if looks else None,
    )


def ended_since(viewer: queries.Viewer, since: str) -> list[Job]:
    """Jobs that ended after the moment that an earlier tray named; none where it named none."""
    moment = _moment(since)
    return list(queries.listed(viewer).filter(state__in=ENDED, ended_at__gte=moment)[:MOST]) if moment else []


def planned_since(viewer: queries.Viewer, since: str) -> list[Job]:
    """One's own jobs whose plan was complete after that moment and waits for a word."""
    moment = _moment(since)
    own = queries.listed(viewer).filter(owner_id=viewer.pk, state=State.PLANNED)
    return list(own.filter(planned_at__gte=moment)[:MOST]) if moment else []


def events(ended: Iterable[Job]) -> str:
    """What pages have to hear because these jobs ended, for the header HX-Trigger; empty for nothing."""
    found = [kind for job in ended if (kind := kinds.find(job.kind))]
    changes = sorted({f"{thing}:changed" for kind in found for thing in kind.changes})
    return json.dumps(dict.fromkeys(changes, True)) if changes else ""


def _moment(since: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(since).replace(tzinfo=UTC)
    except ValueError:
        return None
    return max(moment, timezone.now() - RESTS)


def _shown(viewer: queries.Viewer, now: datetime) -> QuerySet[Job]:
    resting = Q(state=State.PLANNED, planned_at__gt=now - RESTS) | Q(state=State.PAUSED, created_at__gt=now - RESTS)
    just_ended = Q(ended_at__gt=now - LINGERS)
    return queries.listed(viewer).filter(Q(state__in=ALIVE) | resting & Q(owner_id=viewer.pk) | just_ended)


def _row(viewer: queries.Viewer, job: Job) -> TrayRow:
    mine = job.owner_id == viewer.pk
    return TrayRow(
        row=queries.row(job),
        who="" if mine else str(job.owner),
        may_pause=mine and job.is_alive and not job.requested,
        may_go_on=mine and job.state == State.PAUSED,
        may_cancel=job.state not in ENDED and job.requested != Request.CANCEL,
    )


def _words(jobs: list[Job]) -> str:
    alive = sum(job.is_alive for job in jobs)
    ready = sum(job.state == State.PLANNED for job in jobs)
    ended = sum(job.state in ENDED for job in jobs)
    told = ((alive, "running"), (ready, "ready"), (ended, "ended"), (len(jobs) - alive - ready - ended, "paused"))
    return ", ".join(f"{count} {word}" for count, word in told if count)


def _share(rows: list[TrayRow]) -> float | None:
    """Of everything alive, where all of it can be known."""
    shares = [shown.row.share for shown in rows if shown.row.is_alive]
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known and len(known) == len(shares) else None


def _tone(rows: list[TrayRow]) -> str:
    tones = {shown.row.tone for shown in rows}
    return next((tone for tone in ("danger", "attention", "waiting", "good") if tone in tones), "neutral")
