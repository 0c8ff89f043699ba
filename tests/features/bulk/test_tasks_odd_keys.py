"""Objects whose keys nothing can be stored under any more are moved away and deleted like others."""

import pytest

from dashboard.jobs.models import State
from tests.conftest import Sandbox
from tests.features.bulk.conftest import Desk, go, words
from tests.features.odd_keys import LONG, put_odd
from tests.pages import kept


@pytest.fixture
def odd(desk: Desk, service: Sandbox) -> list[str]:
    return put_odd(desk.storage, desk.bucket, service.storage(desk.space), service.storage_tokens[desk.space]["service"])


def test_they_are_moved_one_by_one_and_with_their_folder(desk: Desk, odd: list[str]) -> None:
    del odd
    job = desk.carry("move", "/lead.txt", to="out/")
    assert job.state == State.DONE, words(job)
    job = desk.carry("move", "/", to="out/")
    assert job.state == State.DONE, words(job)
    job = desk.carry("move", "full/.emptyFolderPlaceholder", to="out/")
    assert job.state == State.DONE, words(job)
    job = desk.rename(f"long/{LONG}", "short.txt")
    assert job.state == State.DONE, words(job)
    # A folder without a name keeps it where it goes.
    assert desk.names() == ["long/short.txt", "out/.emptyFolderPlaceholder", "out///two/deep.txt", "out/lead.txt"]


def test_they_are_deleted_one_by_one_and_with_their_folder(desk: Desk, odd: list[str]) -> None:
    for key in odd[2:]:
        assert go(desk.delete(key)).state == State.DONE
    assert desk.names() == odd[1::-1]
    job = go(desk.delete("/"))
    assert (job.state, job.done) == (State.DONE, 2), words(job)
    assert desk.names() == []


def test_a_mark_with_bytes_in_it_is_counted_as_an_object(desk: Desk, odd: list[str]) -> None:
    del odd
    job = desk.delete("full/")
    assert job.facts["objects"] == 1
    assert not job.facts.get("marks")


def test_nothing_is_moved_to_a_key_that_begins_with_a_slash(desk: Desk) -> None:
    desk.put("a.txt")
    address = kept(desk.client, desk.address("move"), key=["a.txt"])
    answer = desk.client.post(address, {"to_bucket": desk.bucket, "to": "/in/", "new": ""})
    assert answer.status_code == 422
    assert "begin with a slash" in answer.text
    assert desk.names() == ["a.txt"]
