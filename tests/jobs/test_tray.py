"""The tray on every page."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.jobs import transitions
from dashboard.jobs.batch import Batch
from dashboard.jobs.models import Job, State
from dashboard.jobs.transitions import start
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.pages import PageClient
from tests.worker import run_once

Make = Callable[..., str]
HOME = "/account/"


def all_done(workspace: Workspace, batch: Batch) -> None:
    for item in batch.items:
        batch.done(item)


@pytest.fixture
def job(owner: Person, kind: Make) -> Job:
    return start(Workspace(owner), kind(all_done), items=["a", "b"], title="Delete two objects")


def tray(client: PageClient, **asked: str) -> Any:
    return client.part("/jobs/tray/", "job-tray", **asked)


def text(response: Any) -> str:
    return str(response.content.decode())


def part(page: str) -> str:
    """The tray of a page."""
    return page.partition('id="job-tray"')[2].partition('class="person"')[0]


def test_every_page_shows_what_is_under_way(as_owner: PageClient, job: Job) -> None:
    shown = part(text(as_owner.get("/journal/")))
    for message in (
        "Delete two objects",
        "1 running",
        "Queued",
        "0 of 2",
        f"/jobs/{job.pk}/",
        f"/jobs/{job.pk}/rest/",
        "every 2s",
    ):
        assert message in shown


def test_without_jobs_it_is_hidden_and_asks_only_when_told_to(as_owner: PageClient) -> None:
    shown = part(text(as_owner.get("/journal/")))
    assert "hidden" in shown
    assert "every" not in shown
    assert 'hx-trigger="jobs:changed from:body"' in shown


def test_who_is_not_signed_in_has_none(visitor: PageClient, job: Job) -> None:
    assert "job-tray" not in text(visitor.get("/account/login/"))


def test_it_stops_asking_when_everything_has_ended_and_lingers_a_moment(as_owner: PageClient, job: Job) -> None:
    run_once(job.pk)
    shown = text(tray(as_owner))
    assert "1 ended" in shown
    assert "every" not in shown
    assert f"/jobs/{job.pk}/rest/" not in shown
    assert f"/jobs/{job.pk}/cancellation/" not in shown
    Job.objects.update(ended_at=timezone.now() - timedelta(minutes=2))
    assert "Delete two objects" not in text(tray(as_owner))


def test_the_page_hears_once_what_a_job_that_ended_has_changed(as_owner: PageClient, owner: Person, tmp_path: Path) -> None:
    job = start(Workspace(owner), "trial plan", parameters={"file": str(tmp_path / "file")}, title="Write them", approval="none")
    shown = text(as_owner.get("/journal/"))
    since = address(shown)
    first = tray(as_owner, **since)
    assert "HX-Trigger" not in first
    run_once(job.pk)
    second = tray(as_owner, **address(text(first)))
    assert json.loads(second["HX-Trigger"]) == {"lines:changed": True}
    assert "Write them: done." in text(second)
    third = tray(as_owner, **address(text(second)))
    assert "HX-Trigger" not in third
    assert "Write them: done." not in text(third)


def test_the_page_hears_of_a_job_that_ended_while_the_page_was_made(as_owner: PageClient, owner: Person, tmp_path: Path) -> None:
    """What the page shows was read before the job changed it."""
    job = start(Workspace(owner), "trial plan", parameters={"file": str(tmp_path / "file")}, title="Write them", approval="none")
    run_once(job.pk)
    assert "every" not in part(text(as_owner.get("/journal/"))), "what ended before is shown by the page"
    Job.objects.update(ended_at=timezone.now() + timedelta(seconds=1))
    shown = text(as_owner.get("/journal/"))
    assert "1 ended" in part(shown)
    assert "every 2s" in part(shown)
    told = tray(as_owner, **address(shown))
    assert json.loads(told["HX-Trigger"]) == {"lines:changed": True}
    assert "Write them: done." in text(told)
    assert "every" not in part(text(told))


def test_a_plan_that_waits_for_a_word_is_told_once(as_owner: PageClient, owner: Person, tmp_path: Path) -> None:
    planned = start(Workspace(owner), "trial plan", parameters={"file": str(tmp_path / "file")}, title="Write them")
    first = tray(as_owner, **address(text(as_owner.get("/journal/"))))
    assert "Nothing was changed yet" not in text(first)
    run_once(planned.pk)
    second = tray(as_owner, **address(text(first)))
    assert "Write them: " in text(second)
    assert f'Nothing was changed yet. <a href="/jobs/{planned.pk}/">Review</a>' in text(second)
    assert "Nothing was changed yet" not in text(tray(as_owner, **address(text(second))))
    assert "Nothing was changed yet" not in text(tray(as_owner, **address(text(first)), but=str(planned.pk)))


def test_a_plan_that_was_made_again_is_in_sight_like_a_new_one(as_owner: PageClient, owner: Person, tmp_path: Path) -> None:
    planned = start(Workspace(owner), "trial plan", parameters={"file": str(tmp_path / "file")}, title="Write them")
    Job.objects.update(created_at=timezone.now() - timedelta(days=3))
    run_once(planned.pk)
    assert "Write them" in text(tray(as_owner))


def test_a_tab_that_slept_for_an_hour_still_hears_it(as_owner: PageClient, owner: Person, tmp_path: Path) -> None:
    job = start(Workspace(owner), "trial plan", parameters={"file": str(tmp_path / "file")}, approval="none")
    since = address(text(as_owner.get("/journal/")))
    run_once(job.pk)
    hour = timedelta(hours=1)
    Job.objects.update(ended_at=timezone.now() - hour)
    since["since"] = f"{timezone.now() - 2 * hour:%Y-%m-%dT%H:%M:%S.%f}"
    assert "lines:changed" in tray(as_owner, **since)["HX-Trigger"]


@pytest.mark.parametrize("since", ["", "yesterday", "2026-13-45", "9" * 400])
def test_a_moment_that_makes_no_sense_is_no_moment(as_owner: PageClient, job: Job, since: str) -> None:
    run_once(job.pk)
    response = tray(as_owner, since=since, but="x")
    assert response.status_code == 200
    assert "HX-Trigger" not in response


def test_it_leaves_out_the_job_whose_page_it_is_on(as_owner: PageClient, job: Job) -> None:
    assert "Delete two objects" not in part(text(as_owner.get(f"/jobs/{job.pk}/")))
    assert "Delete two objects" not in text(tray(as_owner, but=str(job.pk)))


def test_owners_see_everybodys_and_others_their_own(as_owner: PageClient, as_ada: PageClient, ada: Person, kind: Make) -> None:
    job = start(Workspace(ada), kind(all_done), items=["a"], title="Ada's job")
    seen = text(tray(as_owner))
    assert "Ada Member" in seen
    assert f"/jobs/{job.pk}/rest/" not in seen
    assert f"/jobs/{job.pk}/cancellation/" in seen
    Job.objects.update(owner=Person.objects.get(email="olga@example.org"))
    assert "Ada&#x27;s job" not in text(tray(as_ada))


def test_what_waits_for_a_word_or_rests_stays_for_a_day(as_owner: PageClient, owner: Person, job: Job, tmp_path: Path) -> None:
    planned = start(Workspace(owner), "trial plan", parameters={"file": str(tmp_path / "file")}, title="Think first")
    run_once(planned.pk)
    assert transitions.pause(job)
    shown = text(tray(as_owner))
    assert "1 to review, 1 paused" in shown
    assert "every" not in shown
    assert f"/jobs/{job.pk}/continuation/" in shown
    ago = timezone.now() - timedelta(days=2)
    Job.objects.update(created_at=ago, planned_at=ago)
    assert "job-tray__row" not in text(tray(as_owner))


def test_it_says_when_the_next_try_is(as_owner: PageClient, job: Job) -> None:
    Job.objects.update(state=State.WAITING, due_at=timezone.now() + timedelta(minutes=2))
    assert "Next try" in text(tray(as_owner))


def test_it_does_not_read_what_it_does_not_show(as_owner: PageClient, owner: Person, job: Job) -> None:
    Job.objects.bulk_create([Job(kind="this", owner=owner, title=f"Job {n}", facts={"long": "x" * 10_000}) for n in range(30)])
    with CaptureQueriesContext(
        connection,
    ) as seen:
        shown = text(tray(as_owner))
    assert "More in all jobs" in shown
    assert shown.count('job-tray__row"') == 20
    assert sum("jobs_job" in query["sql"] for query in seen.captured_queries) <= 2
    assert not any('"facts"' in query["sql"] for query in seen.captured_queries)


def test_markup_in_a_title_stays_text(as_owner: PageClient, owner: Person, kind: Make) -> None:
    start(Workspace(owner), kind(all_done), items=["a"], title="<b>bold</b>")
    assert "<b>bold" not in text(tray(as_owner))


def address(page: str) -> dict[str, str]:
    """What the tray asks for next time."""
    found = page.partition('id="job-tray"')[2].partition('hx-get="')[2].partition('"')[0].replace("&amp;", "&")
    return {name: values[0] for name, values in parse_qs(urlsplit(found).query).items()}
