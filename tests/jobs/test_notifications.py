"""What a job's owner is notified of."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.jobs import queries, transitions
from dashboard.jobs.batch import Batch
from dashboard.jobs.models import Job, State
from dashboard.jobs.transitions import start
from dashboard.notifications.models import Notification
from dashboard.tokens.workspace import Workspace
from tests.jobs.conftest import Step, all_done, failing, turn


def told() -> list[tuple[str, str, str]]:
    return list(Notification.objects.order_by("pk").values_list("kind", "title", "address"))


def old(job: Job) -> Job:
    """As if it had begun two minutes ago."""
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=2))
    job.refresh_from_db()
    return job


def test_the_owner_of_a_failed_job_is_notified_at_once(workspace: Workspace, kind: Callable[..., str]) -> None:
    job = turn(start(workspace, kind(failing(RuntimeError("no"))), items=["a"], title="Delete a"))
    assert told() == [("job failed", "Failed: Delete a", f"/jobs/{job.pk}/")]


def test_a_finished_job_is_notified_of_only_if_it_took_a_minute(workspace: Workspace, kind: Callable[..., str]) -> None:
    name = kind(all_done)
    turn(start(workspace, name, items=["a"], title="Short"))
    assert told() == []
    job = turn(old(start(workspace, name, items=["a"], title="Long")))
    # It begins to run in the turn that ends it.
    assert told() == []
    job = start(workspace, name, items=["a"], title="Long")
    Job.objects.filter(pk=job.pk).update(begun_at=timezone.now() - timedelta(minutes=2))
    turn(job)
    assert told() == [("job finished", "Done: Long", f"/jobs/{job.pk}/")]


def test_a_job_that_left_items_undone_is_notified_of_however_short(workspace: Workspace, kind: Callable[..., str]) -> None:
    def half(workspace: Workspace, batch: Batch) -> None:
        batch.done(batch.items[0])
        batch.failed(batch.items[1], "no")

    step: Step = half
    job = turn(start(workspace, kind(step), items=["a", "b"], title="Half"))
    assert told() == [("job finished", "Partly done, 1 not done or unknown: Half", f"/jobs/{job.pk}/")]


def test_a_job_whose_every_item_failed_is_notified_of_as_failed(workspace: Workspace, kind: Callable[..., str]) -> None:
    def none(workspace: Workspace, batch: Batch) -> None:
        for item in batch.items:
            batch.failed(item, "no")

    job = turn(start(workspace, kind(none), items=["a", "b"], title="None"))
    assert told() == [("job failed", "Failed: None", f"/jobs/{job.pk}/")]


@pytest.mark.parametrize(
    ("counts", "ending"),
    [
        ({"total": 2, "done": 2}, "Done"),
        ({"total": 0}, "Nothing to do"),
        ({"total": 0, "failed": 1}, "Failed"),
        ({"total": 0, "failed": 1, "done": 1}, "Partly done"),
        ({"total": 2, "failed": 1, "skipped": 1}, "Partly done"),
        ({"total": 2, "failed": 1, "unknown": 1}, "Outcome unknown"),
        ({"state": "failed", "total": 0}, "Failed"),
    ],
)
def test_a_notification_names_the_ending_that_the_page_shows(
    workspace: Workspace, counts: dict[str, str | int], ending: str
) -> None:
    before = {**counts, "state": "running"}
    job = Job.objects.create(kind="x", owner=workspace.person, title="Some", **before)
    old(job)
    transitions.finish(Job.objects.filter(pk=job.pk), State(str(counts.get("state", "done"))))
    job.refresh_from_db()
    assert queries.row(job).state == ending
    assert [title.split(",")[0].removesuffix(": Some") for _, title, _ in told()] == [ending]


def test_a_plan_that_took_a_minute_asks_its_owner_for_a_decision(workspace: Workspace, tmp_path: object) -> None:
    parameters = {"file": f"{tmp_path}/effects", "pages": 1, "plan_seconds": 0, "seconds": 0, "check_seconds": 0}
    job = turn(start(workspace, "trial plan", title="Quick plan", parameters=parameters))
    assert (job.state, told()) == ("planned", [])
    job = turn(old(start(workspace, "trial plan", title="Plan", parameters=parameters)))
    assert told() == [("job decision", "Ready to apply: Plan", f"/jobs/{job.pk}/")]
