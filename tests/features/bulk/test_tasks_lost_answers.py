"""Every write of a job whose answer gets lost: its item stays in flight until reading back shows what became of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.urls import reverse

from dashboard.features.bulk import services as jobs
from dashboard.jobs import settlement, transitions
from dashboard.jobs.models import ItemState, Job, State
from dashboard.jobs.unsettled import ENDED
from dashboard.journal.models import Entry, Outcome
from dashboard.notifications.models import Notification
from tests.features.bulk.conftest import Calls, Desk, Faults, outcomes, words
from tests.features.lost import Lost, lost
from tests.jobs.conftest import turn

MAY_RUN_FOR = timedelta(minutes=2)

__all__ = ["lost"]


@dataclass(frozen=True, slots=True)
class Work:
    """A job, the operation whose answer gets lost, how it begins its request, and whether the service shows the new state."""

    operation: str
    request: Callable[[Desk], str]
    start: Callable[[Desk], Job]
    is_applied: Callable[[Desk], bool]


def put(desk: Desk) -> None:
    desk.put("a/1", "a/2", body=b"bytes")


def deletion(desk: Desk) -> Job:
    put(desk)
    return turn(jobs.delete(desk.workspace, desk.selection("a/"), back="/"))


def emptying(desk: Desk) -> Job:
    put(desk)
    return turn(jobs.empty(desk.workspace, desk.space, desk.bucket, back="/"))


def removal(desk: Desk) -> Job:
    return turn(jobs.remove(desk.workspace, desk.space, desk.bucket, back="/"))


def carried(verb: str, *, across: bool = False) -> Callable[[Desk], Job]:
    def start(desk: Desk) -> Job:
        put(desk)
        return desk.carry(verb, "a/", to="b/", bucket=desk.other if across else "")

    return start


def is_gone(desk: Desk) -> bool:
    return not desk.names(folder="a/")


def is_there(desk: Desk) -> bool:
    return desk.names(folder="b/") == ["b/a/1", "b/a/2"]


WORKS = {
    "delete": Work("S8", lambda desk: f"DELETE {_root(desk)}/object/{_quoted(desk)}", deletion, is_gone),
    "empty": Work("S3", lambda desk: f"POST {_root(desk)}/bucket/{_quoted(desk)}/empty", emptying, is_gone),
    "remove": Work(
        "S6",
        lambda desk: f"DELETE {_root(desk)}/bucket/{_quoted(desk)}",
        removal,
        lambda desk: desk.bucket not in {bucket.id for bucket in desk.storage.buckets.all()},
    ),
    "move": Work("S11", lambda desk: f"POST {_root(desk)}/object/move", carried("move"), is_there),
    "copy": Work("S12", lambda desk: f"POST {_root(desk)}/object/copy", carried("copy"), is_there),
    "move across, copying": Work(
        "S12",
        lambda desk: f"POST {_root(desk)}/object/copy",
        carried("move", across=True),
        lambda desk: is_gone(desk) and desk.names(desk.other) == ["b/a/1", "b/a/2"],
    ),
    "move across, deleting": Work(
        "S8",
        lambda desk: f"DELETE {_root(desk)}/object/{_quoted(desk)}",
        carried("move", across=True),
        lambda desk: is_gone(desk) and desk.names(desk.other) == ["b/a/1", "b/a/2"],
    ),
}


def _root(desk: Desk) -> str:
    return f"/{desk.space}/storage/v1"


def _quoted(desk: Desk) -> str:
    return desk.bucket.replace(" ", "%20")


@pytest.fixture(params=WORKS)
def work(request: pytest.FixtureRequest) -> Work:
    return WORKS[request.param]


def begin(desk: Desk, work: Work, fault: Callable[[], None]) -> Job:
    """The job, up to the write whose answer is lost."""
    fault()
    job = work.start(desk)
    if job.state == State.PLANNED:
        assert transitions.apply(job)
        job = turn(job)
    return job


def pass_time(lost: Lost, job: Job, span: timedelta) -> Job:
    """Turn after turn of a worker until so much time went by."""
    step = timedelta(seconds=30)
    while span > timedelta():
        lost.clock.shift(min(step, span))
        span -= step
        job = turn(job)
    return job


def writes(found: list[str], desk: Desk, work: Work) -> int:
    return found.count(work.request(desk))


@pytest.mark.exhaustive
def test_a_write_that_is_carried_out_late_is_in_flight_and_then_done(
    desk: Desk, work: Work, lost: Lost, calls: Calls, faults: Faults
) -> None:
    job = begin(desk, work, lambda: lose(faults, work, late=True))
    sent = writes(calls(), desk, work)
    assert not work.is_applied(desk)
    job = pass_time(lost, job, MAY_RUN_FOR - timedelta(seconds=20))
    assert job.state == State.WAITING, words(job)
    assert ItemState.IN_FLIGHT in outcomes(job).values()
    assert "Checking the outcome of" in job.message
    before = writes(calls(), desk, work)
    lost.clear()
    job = pass_time(lost, job, timedelta(minutes=2))
    assert (job.state, job.failed, job.unknown) == (State.DONE, 0, 0), words(job)
    assert work.is_applied(desk)
    assert sent + before + writes(calls(), desk, work) == expected(work)
    # The original of a late copy is deleted by a second batch.
    first = [Outcome.PARTLY] if work is WORKS["move across, copying"] else []
    assert told(work) == [*first, Outcome.DONE], "the entry of a batch says what its items turned out to be"
    assert messages() == in_doubt(), "one for each write that was in doubt"


@pytest.mark.exhaustive
def test_a_write_that_is_never_carried_out_is_sent_again_only_when_it_was_not_applied(
    desk: Desk, work: Work, lost: Lost, calls: Calls, faults: Faults
) -> None:
    job = begin(desk, work, lambda: lose(faults, work, cut="before"))
    sent = writes(calls(), desk, work)
    # The service says that it empties a bucket within an hour.
    may_run_for = timedelta(hours=1) if work.operation == "S3" else MAY_RUN_FOR
    job = pass_time(lost, job, may_run_for - timedelta(seconds=20))
    assert job.state == State.WAITING, words(job)
    sent += writes(calls(), desk, work)
    job = pass_time(lost, job, timedelta(minutes=2))
    assert (job.state, job.failed, job.unknown) == (State.DONE, 0, 0), words(job)
    assert work.is_applied(desk)
    assert sent == expected(work)
    assert writes(calls(), desk, work) == 1
    assert told(work)[1:] == [Outcome.DONE]
    first = entries(work)[0]
    if first.operation in ("S11", "S12"):
        assert (first.outcome, first.after) == (Outcome.PARTLY, {"done": 1, "of": 2})
    else:
        assert first.outcome == Outcome.NOT_APPLIED
    assert messages() == in_doubt()


def test_until_a_bucket_is_empty_every_other_write_to_it_waits(desk: Desk, lost: Lost, faults: Faults, calls: Calls) -> None:
    job = begin(desk, WORKS["empty"], lambda: lose(faults, WORKS["empty"], late=True))
    entry = Entry.objects.get(operation="S3")
    assert entry.check_until
    calls()
    form = {"key": "new.txt", "policy": "new"}
    address = reverse("objects:upload", args=[desk.space, desk.bucket])
    assert desk.client.put(address, b"1", content_type="text/plain", query_params=form).status_code == 423
    moved = desk.carry("move", "a/", to="b/")
    deleted = turn(jobs.delete(desk.workspace, desk.selection("a/"), back="/"))
    again = turn(jobs.empty(desk.workspace, desk.space, desk.bucket, back="/"))
    for other in (moved, deleted, again):
        waiting = turn(other) if other.state != State.PLANNED else other
        if waiting.state == State.PLANNED:
            assert transitions.apply(waiting)
            waiting = turn(waiting)
        assert waiting.state == State.WAITING
        assert "still being checked" in waiting.message
    sent = [call for call in calls() if call.startswith(("DELETE", "PUT")) or call.endswith(("/move", "/empty", "/new.txt"))]
    assert sent == []
    lost.clear()
    pass_time(lost, job, timedelta(seconds=90))
    entry.refresh_from_db()
    assert (entry.outcome, messages()) == (Outcome.DONE, [str(entry.pk)])
    assert desk.client.put(address, b"1", content_type="text/plain", query_params=form).status_code == 200


def test_a_job_that_gives_up_tells_of_what_it_left_in_doubt_and_corrects_that_when_it_is_resumed(
    desk: Desk, lost: Lost, faults: Faults
) -> None:
    job = begin(desk, WORKS["delete"], lambda: lose(faults, WORKS["delete"], late=True))
    settlement.adopt()
    assert messages() == [], "the job tells it"
    transitions.finish(Job.objects.filter(pk=job.pk), State.FAILED, message="Gave up.")
    entry = Entry.objects.get(operation="S8")
    assert messages() == [str(entry.pk)]
    assert "unknown." in told_of(entry)
    lost.clear()
    assert transitions.resume(job)
    pass_time(lost, job, timedelta(minutes=1))
    entry.refresh_from_db()
    assert entry.outcome == Outcome.DONE
    assert messages() == [str(entry.pk)], "the one message is corrected"
    assert "done." in told_of(entry)


def messages() -> list[str]:
    """The entries of which somebody was told how their doubt ended."""
    return sorted(Notification.objects.filter(kind=ENDED, person__isnull=False).values_list("key", flat=True))


def told_of(entry: Entry) -> str:
    return Notification.objects.get(kind=ENDED, key=str(entry.pk), person__isnull=False).title


def in_doubt() -> list[str]:
    """The entries that were corrected by reading back."""
    return sorted(map(str, Entry.objects.filter(settled_at__isnull=False).values_list("pk", flat=True)))


def entries(work: Work) -> list[Entry]:
    """What the journal says of the batches, oldest first. Across buckets, an entry of S12 stands for the deletion, too."""
    operation = "S12" if "across" in next(name for name, one in WORKS.items() if one is work) else work.operation
    return list(Entry.objects.filter(operation=operation).exclude(target__startswith="a question").order_by("pk"))


def told(work: Work) -> list[str]:
    return [entry.outcome for entry in entries(work)]


def lose(faults: Faults, work: Work, **fault: object) -> None:
    # The first S12 of a job across buckets asks whether the service reaches the other one.
    probes = work is WORKS["move across, copying"]
    faults(work.operation, times=1, skip=int(probes), **fault)


def expected(work: Work) -> int:
    """How many requests of the kind the job sends when none gets lost."""
    return {"S11": 2, "S12": 3 if work is WORKS["move across, copying"] else 2}.get(
        work.operation, 2 if work is WORKS["move across, deleting"] else 1
    )
