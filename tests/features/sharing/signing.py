"""Steps of the sign desk, as its tests take them."""

import csv
from concurrent.futures import ThreadPoolExecutor
from io import StringIO

from django.urls import reverse
from django.utils import timezone

from dashboard.catalog import crawl
from dashboard.features.sharing.models import LinkSet
from dashboard.jobs.models import Job, State
from dashboard.tokens.workspace import Workspace
from tests.features.sharing.conftest import Desk
from tests.worker import run_once

MISSING = "Either the object does not exist or you do not have access to it"


def address(desk: Desk, verb: str = "desk", *more: object) -> str:
    return reverse(f"sharing:{verb}", args=(desk.space, desk.bucket, *more))


def prepared(desk: Desk, **fields: object) -> LinkSet:
    """Return the set that the form leads to."""
    answer = desk.client.post(address(desk), {"life": "3600", "opens": "view", **fields})
    assert answer.status_code == 303, answer.text
    return LinkSet.objects.latest("pk")


def signed(desk: Desk, links: LinkSet, **fields: object) -> LinkSet:
    answer = desk.client.post(address(desk, "signing", links.pk), fields)
    assert answer.status_code == 303, answer.text
    links.refresh_from_db()
    return links


def output(desk: Desk, links: LinkSet, kind: str) -> str:
    answer = desk.client.get(address(desk, "output", links.pk, kind))
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    return answer.getvalue().decode()


def through(job: Job) -> Job:
    for _ in range(60):
        Job.objects.filter(pk=job.pk).update(due_at=timezone.now())
        run_once(job.pk)
        job.refresh_from_db()
        if not job.is_alive:
            return job
    raise AssertionError(f"the job does not end: {job.state} ({job.message})")


def crawled(desk: Desk) -> None:
    """Crawl the whole bucket, so that searches find its objects."""
    assert through(crawl.begin(Workspace(desk.person), desk.space, desk.bucket).job).state == State.DONE


def job_of(links: LinkSet) -> Job:
    assert links.job is not None
    return links.job


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text)))


def fill(desk: Desk, keys: list[str]) -> None:
    """Create copies of one object, several at a time."""
    desk.put("seed")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: desk.storage.objects.copy(desk.bucket, "seed", key), keys))
