"""The same work on a service of the document's own generation: it never reaches another bucket, and it does not say so."""

from collections.abc import Iterator

import pytest

from dashboard.features.bulk import services as jobs
from dashboard.features.bulk.rules import Labels
from dashboard.features.bulk.tasks.transfer import OLDER
from dashboard.features.bulk.tasks.transfer_plan import IGNORES_DESTINATION
from dashboard.jobs.models import State
from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.features.bulk.conftest import Desk, go, outcomes, through, words
from tests.jobs.conftest import turn


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    running = start_sandbox(RUN_DIR / "older for bulk", "--generation", "document")
    yield running
    stop_sandbox(running)


@pytest.mark.parametrize("verb", ["move", "copy"])
def test_a_service_that_passes_over_the_other_bucket_is_noticed_before_anything_is_done(desk: Desk, verb: str) -> None:
    desk.put("in/a.txt", "in/b.txt")
    desk.put("a.txt", bucket=desk.other)
    job = desk.carry(verb, "in/", to="there/", bucket=desk.other)
    assert (job.state, job.message) == (State.FAILED, IGNORES_DESTINATION)
    assert job.done == 0
    assert desk.names() == ["in/a.txt", "in/b.txt"]
    assert desk.names(desk.other) == ["a.txt"]


def test_what_can_not_be_replaced_stays_and_so_does_the_original(desk: Desk) -> None:
    desk.put("a.txt", body=b"new")
    desk.put("to/a.txt", body=b"old")
    job = go(desk.carry("move", "a.txt", to="to/"), "replace")
    assert words(job) == {"a.txt": OLDER.message}
    assert (desk.text("a.txt"), desk.text("to/a.txt")) == ("new", "old")


def test_moves_deletions_and_emptying_work(desk: Desk) -> None:
    desk.put("in/a.txt", "in/b.txt", "in/deep/c.txt")
    assert outcomes(desk.rename("in/", "out")) == {"in/a.txt": "done", "in/b.txt": "done", "in/deep/c.txt": "done"}
    assert go(desk.delete("out/deep/")).done == 1
    assert desk.names() == ["out/a.txt", "out/b.txt"]
    job = go(turn(jobs.remove(desk.workspace, desk.space, desk.bucket, back="/")))
    assert set(outcomes(job).values()) == {"done"}, words(job)
    assert desk.bucket not in {bucket.id for bucket in desk.storage.buckets.all()}


def test_caching_is_changed_by_storing_the_bytes_again(desk: Desk) -> None:
    desk.put("a.txt", body=b"text")
    job = through(jobs.label(desk.workspace, desk.selection("a.txt"), Labels(cache_control="max-age=60"), back="/"))
    assert outcomes(job) == {"a.txt": "done"}, words(job)
    assert desk.storage.objects.info(desk.bucket, "a.txt").cache_control == "max-age=60"
    assert desk.text("a.txt") == "text"
