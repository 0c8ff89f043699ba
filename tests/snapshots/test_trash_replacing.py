"""What a move or a copy replaces is kept first."""

from html import unescape

import pytest
from django.urls import reverse
from pytest_django import Settings

from dashboard.catalog.selection import Selection
from dashboard.features.bulk import services as bulk
from dashboard.features.bulk.rules import Verb, into
from dashboard.jobs import kinds
from dashboard.jobs.models import Job, State
from dashboard.jobs.plans import REPLACE, UNKEPT
from dashboard.snapshots import trash
from tests.catalog.conftest import Shelf, shelf
from tests.features.bulk.conftest import go, outcomes, words
from tests.features.service import Faults, faults
from tests.jobs.conftest import turn
from tests.pages import PageClient
from tests.snapshots.test_capture import in_a_folder
from tests.snapshots.test_restore import names, text
from tests.snapshots.test_trash import deletions, for_thirty_days, held

__all__ = ["faults", "for_thirty_days", "in_a_folder", "shelf"]


def carried(shelf: Shelf, verb: Verb, *keys: str) -> Job:
    wanted = into(verb, Selection(shelf.space, shelf.bucket, keys=keys), shelf.bucket, "there/")
    return turn(bulk.transfer(shelf.workspace, wanted, back="/"))


@pytest.mark.parametrize("verb", ["move", "copy"])
def test_what_is_replaced_is_kept(as_owner: PageClient, shelf: Shelf, verb: Verb) -> None:
    shelf.put("a.txt", "new.txt", body=b"newer")
    shelf.put("there/a.txt", body=b"then")
    job = carried(shelf, verb, "a.txt", "new.txt")
    shown = unescape(as_owner.get(reverse("jobs:show", args=[job.pk])).text)
    assert "Keep the existing objects for 30 days in the trash." in shown
    assert "Replace without keeping" in shown
    job = go(job, REPLACE)
    assert (job.state, job.done, text(shelf, "there/a.txt")) == (State.DONE, 2, "newer")
    assert [held(head) for head in deletions()] == [{"there/a.txt": b"then"}]
    home = reverse("snapshots:trash", args=[shelf.space, shelf.bucket])
    assert kinds.find(job.kind).follow_up(job) == ("Open trash", home)  # type: ignore[union-attr] # it is registered


def test_what_can_not_be_kept_is_not_replaced(shelf: Shelf, settings: Settings) -> None:
    settings.SNAPSHOT_MAX_FILE_BYTES = 4
    shelf.put("large.txt", "small.txt", body=b"newer")
    shelf.put("there/large.txt", body=b"12345")
    shelf.put("there/small.txt", body=b"1")
    job = go(carried(shelf, "move", "large.txt", "small.txt"), REPLACE)
    assert outcomes(job) == {"large.txt": "failed", "small.txt": "done"}
    assert words(job)["large.txt"] == "Not replaced. It could not be kept. It is larger than 4 bytes."
    assert text(shelf, "there/large.txt") == "12345"
    assert text(shelf, "large.txt") == "newer"


@pytest.mark.parametrize("left", [(), ("there/b.txt",)])
def test_what_is_gone_since_the_plan_needs_no_keeping(shelf: Shelf, left: tuple[str, ...]) -> None:
    shelf.put("a.txt", "b.txt", body=b"newer")
    shelf.put("there/a.txt", "there/b.txt", body=b"then")
    job = carried(shelf, "copy", "a.txt", "b.txt")
    for key in {"there/a.txt", "there/b.txt"} - {*left}:
        shelf.storage.objects.delete(shelf.bucket, key)
    assert outcomes(go(job, REPLACE)) == {"a.txt": "done", "b.txt": "done"}
    assert [held(head) for head in deletions()] == [{key: b"then"} for key in left]


def test_a_token_that_may_not_read_replaces_only_without_keeping(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", body=b"newer")
    shelf.put("there/a.txt", body=b"then")
    job = carried(shelf, "copy", "a.txt")
    faults("S18", status=403, message="Not for you", times=1)
    assert outcomes(go(job, REPLACE)) == {"a.txt": "failed"}
    assert text(shelf, "there/a.txt") == "then"
    assert outcomes(go(carried(shelf, "copy", "a.txt"), UNKEPT)) == {"a.txt": "done"}
    assert (text(shelf, "there/a.txt"), deletions()) == ("newer", [])


def test_many_bytes_are_kept_in_parts_and_are_one_row(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trash, "AT_ONCE_BYTES", 8)
    keys = ["a.txt", "b.txt", "c.txt"]
    shelf.put(*keys, body=b"newer")
    shelf.put(*(f"there/{key}" for key in keys), body=b"12345")
    job = go(carried(shelf, "move", *keys), REPLACE)
    assert (job.done, names(shelf)) == (3, ["there"])
    (head,) = deletions()
    assert held(head) == {f"there/{key}": b"12345" for key in keys}


def test_a_replacement_without_an_answer_loses_nothing(shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", body=b"newer")
    shelf.put("there/a.txt", body=b"then")
    job = carried(shelf, "copy", "a.txt")
    faults("S12", cut="after", times=1)
    assert outcomes(go(job, REPLACE)) == {"a.txt": "done"}
    assert {"there/a.txt": b"then"} in [held(head) for head in deletions()]


def test_where_nothing_is_kept_replacing_is_as_before(shelf: Shelf, settings: Settings) -> None:
    settings.TRASH_DAYS = 0
    shelf.put("a.txt", body=b"newer")
    shelf.put("there/a.txt", body=b"then")
    job = carried(shelf, "copy", "a.txt")
    assert [one.value for one in kinds.plan_of(job).policies] == ["skip", "both", "replace", "stop"]
    go(job, REPLACE)
    assert (text(shelf, "there/a.txt"), deletions()) == ("newer", [])
