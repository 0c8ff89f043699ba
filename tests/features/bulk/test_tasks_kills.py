"""Long work, its worker killed, its calls refused: every object once, and where it should be."""

import time
from collections import Counter
from collections.abc import Callable

import pytest

from dashboard.features.bulk import services as jobs
from dashboard.features.bulk.rules import into
from dashboard.jobs import transitions
from dashboard.jobs.models import Job, JobItem, State
from tests.conftest import Sandbox
from tests.environment import RUN_DIR
from tests.features.bulk.conftest import Desk, Faults
from tests.jobs.conftest import Process, turn, wait_for, workers
from tests.sandbox.storage.many import key_of, seed

pytestmark = pytest.mark.exhaustive

__all__ = ["workers"]

FEWER = 1000


def kill_after(process: Process, job: Job, done: int) -> None:
    """In the midst of its work, not between two pieces of it."""
    # Killed between noting a call and sending it, a worker leaves a doubt that lasts as long as the call might run.
    until = time.monotonic() + 360
    while time.monotonic() < until:
        job.refresh_from_db()
        if job.state == State.RUNNING and job.done >= done:
            time.sleep(0.05)
            process.kill()
            return
        time.sleep(0.02)
    raise AssertionError(f"{job.state} {job.message}: {job.done} of {job.total}")


@pytest.mark.one_database
@pytest.mark.usefixtures("transactional_db")
def test_ten_thousand_moves_survive_two_kills_and_refused_calls(  # noqa: PLR0917 - fixtures
    desk: Desk,
    service: Sandbox,
    faults: Faults,
    workers: Callable[[], Process],
    monkeypatch: pytest.MonkeyPatch,
    exhaustive: bool,
) -> None:
    count = 10_000 if exhaustive else FEWER
    monkeypatch.setenv("STORAGE_URL", service.storage_url)
    seed(RUN_DIR / "sandbox", desk.space, desk.bucket, count)
    marks = {key_of(number): f'"{number:032x}"' for number in range(count)}
    faults("S11", status=400, message="Not this one", every=50)
    wanted = into("move", desk.selection("in/"), desk.bucket, "out/")
    job = jobs.transfer(desk.workspace, wanted, back="/")
    kill_after(workers().wait_until_ready(), job, count // 10)
    kill_after(workers().wait_until_ready(), job, count // 2)
    workers().wait_until_ready()
    job = wait_for(job, State.DONE, State.FAILED, seconds=360)
    assert job.state == State.DONE, job.message
    rows = list(JobItem.objects.filter(job=job).values_list("target", "state"))
    assert Counter(target for target, _ in rows) == dict.fromkeys(marks, 1)
    refused = {target for target, state in rows if state == "failed"}
    assert (job.done, job.failed, job.skipped, job.unknown) == (count - len(refused), len(refused), 0, 0)
    # One in 50 calls; those that a kill cut are sent again.
    assert 0.75 <= len(refused) / (count / 50) <= 1.25
    assert everything(desk) == {key if key in refused else f"out/{key}": mark for key, mark in marks.items()}

    faults("S11", status=400, times=1, skip=count)
    assert transitions.retry_failed(job)
    job = wait_for(job, State.DONE, State.FAILED, seconds=360)
    assert (job.state, job.done, job.failed) == (State.DONE, count, 0)
    assert everything(desk) == {f"out/{key}": mark for key, mark in marks.items()}


@pytest.mark.one_database
@pytest.mark.usefixtures("transactional_db")
def test_a_copy_survives_two_kills(
    desk: Desk, service: Sandbox, workers: Callable[[], Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORAGE_URL", service.storage_url)
    seed(RUN_DIR / "sandbox", desk.space, desk.bucket, FEWER)
    marks = {key_of(number): f'"{number:032x}"' for number in range(FEWER)}
    job = jobs.transfer(desk.workspace, into("copy", desk.selection("in/"), desk.other, ""), back="/")
    kill_after(workers().wait_until_ready(), job, FEWER // 10)
    kill_after(workers().wait_until_ready(), job, FEWER // 2)
    workers().wait_until_ready()
    job = wait_for(job, State.DONE, State.FAILED, seconds=360)
    assert (job.state, job.done, job.failed, job.skipped, job.unknown) == (State.DONE, FEWER, 0, 0, 0), job.message
    assert everything(desk) == marks
    assert everything(desk, bucket=desk.other) == marks


@pytest.mark.usefixtures("transactional_db")
def test_a_deletion_survives_two_kills_in_the_midst_of_a_batch(
    desk: Desk, service: Sandbox, faults: Faults, workers: Callable[[], Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORAGE_URL", service.storage_url)
    seed(RUN_DIR / "sandbox", desk.space, desk.bucket, FEWER)
    desk.put("keep.txt")
    job = turn(jobs.delete(desk.workspace, desk.selection("in/"), back="/"))
    faults("S8", delay=1)
    assert transitions.apply(job)
    kill_after(workers().wait_until_ready(), job, 0)
    kill_after(workers().wait_until_ready(), job, 100)
    faults("S8", delay=0.01)
    workers().wait_until_ready()
    job = wait_for(job, State.DONE, State.FAILED, seconds=360)
    assert (job.state, job.done, job.failed, job.skipped, job.unknown) == (State.DONE, FEWER, 0, 0, 0), job.message
    assert list(everything(desk)) == ["keep.txt"]


def everything(desk: Desk, folder: str = "", *, bucket: str = "") -> dict[str, str | None]:
    """ETag by key."""
    found: dict[str, str | None] = {}
    for row in desk.storage.objects.all(bucket or desk.bucket, prefix=folder, limit=1500):
        if row.is_folder:
            found |= everything(desk, f"{folder}{row.name}/", bucket=bucket)
        else:
            found[folder + row.name] = row.etag
    return found
