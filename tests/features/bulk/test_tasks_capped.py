"""The same work on a service that lists a hundred rows at most, whatever is asked for."""

from collections.abc import Iterator

import pytest

from dashboard.features.bulk import services as jobs
from dashboard.jobs import kinds, plans
from dashboard.jobs.models import State
from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.features.bulk.conftest import Desk, go, outcomes
from tests.jobs.conftest import turn

pytestmark = pytest.mark.one_database

# Two folders: one of an exact page, and one of a page and thirty.
KEYS = [f"in/00/{number:03}.txt" for number in range(100)] + [f"in/01/{number:03}.txt" for number in range(130)]
COUNT = len(KEYS)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    running = start_sandbox(RUN_DIR / "capped for bulk", "--list-cap", "100")
    yield running
    stop_sandbox(running)


@pytest.fixture
def full(desk: Desk) -> Desk:
    desk.put(*KEYS)
    return desk


def everything(desk: Desk, bucket: str) -> list[str]:
    found: list[str] = []
    for folder in ("in/00", "in/01"):
        rows = [desk.storage.objects.all(bucket, prefix=folder, limit=100, offset=at) for at in (0, 100, 200)]
        found += [f"{folder}/{row.name}" for page in rows for row in page]
    return sorted(found)


def test_a_folder_longer_than_a_page_is_copied_moved_and_deleted_as_a_whole(full: Desk) -> None:
    job = full.carry("copy", "in/", bucket=full.other)
    assert (job.state, job.done, job.failed) == (State.DONE, COUNT, 0)
    assert everything(full, full.other) == KEYS
    job = full.delete("in/")
    assert kinds.plan_of(job).button == f"Delete {COUNT} objects"
    assert go(job).done == COUNT
    assert everything(full, full.bucket) == []


def test_conflicts_behind_the_first_page_are_seen_in_the_plan(full: Desk) -> None:
    last = KEYS[-1]
    full.put(last, body=b"other", bucket=full.other)
    job = full.carry("move", "in/", bucket=full.other)
    assert (job.state, job.conflicts) == (State.PLANNED, 1)
    job = go(job, plans.SKIP)
    assert outcomes(job)[last] == "skipped"
    assert (job.done, job.skipped) == (COUNT - 1, 1)
    assert full.text(last, full.other) == "other"


def test_a_bucket_is_counted_as_a_whole_before_it_is_emptied(full: Desk) -> None:
    job = turn(jobs.empty(full.workspace, full.space, full.bucket, back="/"))
    assert f"{COUNT} objects" in kinds.plan_of(job).summary
    assert go(job).state == State.DONE
    assert everything(full, full.bucket) == []
