"""The pages of jobs."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from dashboard.jobs import transitions
from dashboard.jobs.batch import Batch, Item
from dashboard.jobs.models import ItemState, Job, JobItem, Request, State
from dashboard.jobs.transitions import start
from dashboard.jobs.worker import register
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from tests.pages import PageClient
from tests.worker import run_once

Make = Callable[..., str]
PATHS = ("", "progress/", "export/", "cancellation/")
POSTS = ("rest/", "continuation/", "repetition/")


def mixed(workspace: Workspace, batch: Batch) -> None:
    for item in batch.items:
        match item.number % 4:
            case 0:
                batch.failed(item, "The service said no.")
            case 1:
                batch.done(item)
            case 2:
                batch.skipped(item, "It was gone already.")
            case _:
                batch.unknown(item, "No answer came.")


@pytest.fixture
def job(owner: Person, kind: Make) -> Job:
    return start(
        Workspace(owner), kind(mixed), items=[f"photos/{n}.jpg" for n in range(1, 9)], title="Delete 8 objects", place="abc"
    )


@pytest.fixture
def ended(job: Job) -> Job:
    run_once(job.pk)
    job.refresh_from_db()
    return job


def text(response: Any) -> str:
    return str(response.content.decode())


def streamed(response: Any) -> str:
    return b"".join(response.streaming_content).decode()


def test_another_persons_job_is_not_found(as_ada: PageClient, job: Job) -> None:
    assert "Delete 8 objects" not in text(as_ada.get("/jobs/"))
    for path in PATHS:
        assert as_ada.get(f"/jobs/{job.pk}/{path}").status_code == 404
    for path in (*POSTS, "cancellation/"):
        assert as_ada.post(f"/jobs/{job.pk}/{path}").status_code == 404
    assert as_ada.get("/jobs/999999/").status_code == 404


def test_owners_see_everybodys_jobs_and_may_end_them_but_not_go_on_with_them(
    as_owner: PageClient, ada: Person, kind: Make
) -> None:
    job = start(Workspace(ada), kind(mixed), items=["a"], title="Ada's job")
    page = text(as_owner.get("/jobs/"))
    assert "Ada&#x27;s job" in page
    assert "Ada Member" in page
    for path in POSTS:
        assert as_owner.post(f"/jobs/{job.pk}/{path}").status_code == 404
    assert "Pause" not in text(as_owner.get(f"/jobs/{job.pk}/"))
    assert as_owner.post(f"/jobs/{job.pk}/cancellation/").status_code == 303
    job.refresh_from_db()
    assert job.state == State.CANCELLED


def test_nothing_yet_is_told_apart_from_nothing_in_this_state(as_owner: PageClient, job: Job, settings: Settings) -> None:
    assert "No jobs in this state" in text(as_owner.get("/jobs/", {"state": "ended"}))
    assert "Delete 8 objects" in text(as_owner.get("/jobs/", {"state": "active"}))
    job.delete()
    page = text(as_owner.get("/jobs/"))
    assert "No jobs yet" in page
    assert "Choose a bucket" not in page
    settings.STORAGE_URL = "http://127.0.0.1:1"
    assert 'href="/storage/shared/">Choose a bucket</a>' in text(as_owner.get("/jobs/"))
    settings.STORAGE_URL = "http://127.0.0.1:1/{ref}"
    assert 'href="/?view=storage">Choose a bucket</a>' in text(as_owner.get("/jobs/"))


def test_the_list_asks_again_only_while_something_is_alive(as_owner: PageClient, job: Job) -> None:
    assert "every 5s" in text(as_owner.part("/jobs/", "jobs"))
    run_once(job.pk)
    assert "every 5s" not in text(as_owner.part("/jobs/", "jobs"))


def test_a_long_list_has_pages(as_owner: PageClient, owner: Person) -> None:
    Job.objects.bulk_create([Job(kind="this", owner=owner, title=f"Job number {n:03}", state=State.DONE) for n in range(60)])
    assert "Job number 059" in text(as_owner.get("/jobs/"))
    assert "Job number 009" not in text(as_owner.get("/jobs/"))
    assert "Job number 009" in text(as_owner.get("/jobs/", {"offset": "50"}))


def test_a_job_shows_what_became_of_its_items(as_owner: PageClient, ended: Job) -> None:
    page = text(as_owner.get(f"/jobs/{ended.pk}/"))
    for message in (
        "Delete 8 objects",
        "Partly done",
        "8 of 8",
        "photos/1.jpg",
        "The service said no.",
        "Unknown",
        "abc",
    ):
        assert message in page
    failed = text(as_owner.get(f"/jobs/{ended.pk}/", {"items": "failed"}))
    assert "photos/4.jpg" in failed
    assert "photos/1.jpg" not in failed


def test_a_job_of_which_nothing_was_done_has_failed(as_owner: PageClient, owner: Person, kind: Make) -> None:
    def none(workspace: Workspace, batch: Batch) -> None:
        for item in batch.items:
            batch.failed(item, "no")

    job = start(Workspace(owner), kind(none), items=["a", "b"], title="None")
    run_once(job.pk)
    for page in (text(as_owner.get(f"/jobs/{job.pk}/")), text(as_owner.get("/jobs/"))):
        assert "Partly done" not in page
        assert "<span>Failed</span>" in page
    assert "Retry failed" in text(as_owner.get(f"/jobs/{job.pk}/"))


def test_a_job_that_failed_while_it_was_planned_has_no_items_to_wait_for(as_owner: PageClient, owner: Person) -> None:
    job = Job.objects.create(
        kind="trial plan", owner=owner, title="Gone", state=State.FAILED, phase="plan", ended_at=timezone.now()
    )
    page = text(as_owner.get(f"/jobs/{job.pk}/"))
    assert "The job ended before its items were known." in page
    assert "until planning is done" not in page


def test_a_job_that_found_nothing_says_so_instead_of_done(as_owner: PageClient, owner: Person) -> None:
    Job.objects.create(kind="x", owner=owner, title="Empty", phase="plan", state=State.DONE, total=0)
    lost = Job.objects.create(kind="x", owner=owner, title="Lost", phase="plan", state=State.FAILED, total=0)
    page = text(as_owner.get("/jobs/"))
    assert "Nothing to do" in page
    assert "0 of 0" not in page
    assert "0 of 0" not in text(as_owner.get(f"/jobs/{lost.pk}/"))


def test_htmx_gets_the_items_alone(as_owner: PageClient, ended: Job) -> None:
    answer = text(as_owner.part(f"/jobs/{ended.pk}/", "job-items", items="failed"))
    assert "<html" not in answer
    assert "photos/4.jpg" in answer


def test_many_items_have_pages(as_owner: PageClient, owner: Person, kind: Make) -> None:
    job = start(Workspace(owner), kind(mixed), items=[Item(f"thing {n:03}") for n in range(150)])
    assert "thing 120" not in text(as_owner.get(f"/jobs/{job.pk}/"))
    assert "thing 120" in text(as_owner.get(f"/jobs/{job.pk}/", {"offset": "100"}))


def test_a_list_that_became_shorter_shows_what_is_left(as_owner: PageClient, owner: Person, kind: Make) -> None:
    job = start(Workspace(owner), kind(mixed), items=[Item(f"thing {n:03}") for n in range(100)])
    page = text(as_owner.get(f"/jobs/{job.pk}/", {"offset": "100"}))
    assert "thing 099" in page
    assert "offset=200" not in page


def test_progress_asks_again_while_alive_and_then_stops_by_itself(as_owner: PageClient, job: Job) -> None:
    alive = as_owner.part(f"/jobs/{job.pk}/progress/", "job-progress", seen=0)
    assert alive.status_code == 200
    assert "every 1s" in text(alive)
    assert "HX-Trigger" not in alive
    run_once(job.pk)
    ended = as_owner.part(f"/jobs/{job.pk}/progress/", "job-progress", seen=0)
    assert ended.status_code == 286
    assert ("close this tab" in text(alive), "close this tab" in text(ended)) == (True, False)
    assert "every" not in text(ended).partition("hx-trigger")[2].partition('"')[2].partition('"')[0]
    assert json.loads(ended["HX-Trigger"]) == {"items:changed": True}


def test_the_items_are_told_when_more_of_them_have_ended(as_owner: PageClient, job: Job) -> None:
    Job.objects.update(done=3)
    assert "items:changed" in as_owner.part(f"/jobs/{job.pk}/progress/", "job-progress", seen=0)["HX-Trigger"]
    assert "HX-Trigger" not in as_owner.part(f"/jobs/{job.pk}/progress/", "job-progress", seen=3)


def test_it_says_when_no_worker_runs(as_owner: PageClient, job: Job) -> None:
    assert "No worker is running" in text(as_owner.get(f"/jobs/{job.pk}/"))
    register()
    assert "No worker is running" not in text(as_owner.get(f"/jobs/{job.pk}/"))


def test_it_says_why_it_waits_and_until_when(as_owner: PageClient, job: Job) -> None:
    Job.objects.update(state=State.WAITING, message="The service asks us to slow down.", due_at=job.created_at)
    page = text(as_owner.get(f"/jobs/{job.pk}/"))
    assert "The service asks us to slow down." in page
    assert "Next try" in page


@pytest.mark.parametrize("requested", [Request.CANCEL, Request.PAUSE])
def test_what_was_asked_of_a_running_job_is_seen_at_once(as_owner: PageClient, job: Job, requested: Request) -> None:
    Job.objects.update(state=State.RUNNING, requested=requested)
    assert {"cancel": "Cancelling", "pause": "Pausing"}[requested] in text(as_owner.get(f"/jobs/{job.pk}/"))


def test_cancelling_asks_first(as_owner: PageClient, job: Job) -> None:
    Job.objects.update(done=3)
    question = text(as_owner.get(f"/jobs/{job.pk}/cancellation/"))
    assert "What is done stays done: 3 of 8." in question
    assert "5 won&#x27;t be started" in question
    job.refresh_from_db()
    assert job.state == State.QUEUED
    answer = as_owner.send(f"/jobs/{job.pk}/cancellation/")
    assert "jobs:changed" in answer["HX-Trigger"]
    assert "cancelled" in text(answer)
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert "Not started" in text(as_owner.get(f"/jobs/{job.pk}/"))


def test_cancelling_a_running_job_says_that_it_ends_soon(as_owner: PageClient, job: Job) -> None:
    Job.objects.update(state=State.RUNNING)
    assert "stops after the current step" in text(as_owner.send(f"/jobs/{job.pk}/cancellation/"))


def test_cancelling_what_ended_already_says_so(as_owner: PageClient, ended: Job) -> None:
    assert "has already ended" in text(as_owner.get(f"/jobs/{ended.pk}/cancellation/", follow=True))


def test_a_job_rests_goes_on_and_repeats_without_script(as_owner: PageClient, job: Job) -> None:
    home = f"/jobs/{job.pk}/"
    assert as_owner.post(f"{home}rest/").status_code == 303
    assert "Paused" in text(as_owner.get(home))
    assert as_owner.post(f"{home}continuation/").status_code == 303
    run_once(job.pk)
    assert "Retry failed" in text(as_owner.get(home))
    assert as_owner.post(f"{home}repetition/").status_code == 303
    job.refresh_from_db()
    assert job.state == State.QUEUED
    assert "because the job is in another state now" in text(as_owner.post(f"{home}repetition/", follow=True))


def test_a_stopped_job_says_why_and_can_go_on(as_owner: PageClient, job: Job) -> None:
    Job.objects.update(state=State.FAILED, message="Its owner's management token is no longer stored.")
    JobItem.objects.filter(number=1).update(state=ItemState.IN_FLIGHT)
    page = text(as_owner.get(f"/jobs/{job.pk}/"))
    assert "is no longer stored" in page
    assert "Resume" in page
    assert "Unknown" in page


def test_the_spreadsheet_has_every_item_once(as_owner: PageClient, ended: Job) -> None:
    response = as_owner.get(f"/jobs/{ended.pk}/export/")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert f"delete-8-objects-{ended.pk}-" in response["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(streamed(response))))
    assert [row["item"] for row in rows] == [f"photos/{n}.jpg" for n in range(1, 9)]
    assert [row["outcome"] for row in rows[:4]] == ["Done", "Skipped", "Unknown", "Failed"]


def test_no_cell_of_the_spreadsheet_is_a_formula(as_owner: PageClient, owner: Person, kind: Make) -> None:
    job = start(Workspace(owner), kind(mixed), items=["=1+1"])
    assert "'=1+1" in streamed(as_owner.get(f"/jobs/{job.pk}/export/"))


def test_markup_in_a_title_or_item_stays_text(as_owner: PageClient, owner: Person, kind: Make) -> None:
    job = start(Workspace(owner), kind(mixed), items=["<script>alert(1)</script>"], title="<b>bold</b>")
    page = text(as_owner.get(f"/jobs/{job.pk}/"))
    assert "<script>alert" not in page
    assert "<b>bold" not in page


def test_work_by_cursor_shows_an_open_end(as_owner: PageClient, owner: Person, kind: Make) -> None:
    job = start(Workspace(owner), kind(mixed), cursor={"prefix": ""})
    page = text(as_owner.get(f"/jobs/{job.pk}/"))
    assert "total unknown" in page
    assert transitions.cancel(job)
    assert text(as_owner.get(f"/jobs/{job.pk}/"))
