"""Deleting a bucket."""

import pytest
from django.urls import reverse

from dashboard.journal.models import Entry, Outcome
from dashboard.links.models import Share
from dashboard.links.states import State
from dashboard.team.models import Person
from tests.features.buckets.desk import Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient


def test_it_deletes_an_empty_bucket(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    name = desk.put()
    assert "is not empty" not in as_keeper.part(desk.address("delete", name), "dialog").text
    calls()
    answer = as_keeper.send(desk.address("delete", name), typed=name)
    assert f"Bucket {name} deleted." in answer.text
    assert len(calls()) == 3
    assert desk.bucket(name) is None


def test_without_script_it_leads_back_to_the_list(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put()
    assert as_keeper.get(desk.address("delete", name)).status_code == 200
    answer = as_keeper.post(desk.address("delete", name), {"typed": name})
    assert (answer.status_code, answer["Location"]) == (303, desk.address("index"))
    assert desk.bucket(name) is None


def test_a_full_bucket_is_counted_in_the_same_dialog(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    name = desk.put()
    desk.storage.objects.upload(name, "a.txt", b"x", content_type="text/plain")
    calls()
    question = as_keeper.part(desk.address("delete", name), "dialog")
    assert len(calls()) == 2
    assert question["Location"] == reverse("bulk:removal", args=[desk.space, name])


@pytest.mark.parametrize("key", ["a.txt", "old/.emptyFolderPlaceholder"])
def test_what_came_meanwhile_keeps_the_bucket(as_keeper: PageClient, desk: Desk, key: str) -> None:
    name = desk.put()
    assert as_keeper.part(desk.address("delete", name), "dialog").status_code == 200
    desk.storage.objects.upload(name, key, b"", content_type="text/plain")
    answer = as_keeper.send(desk.address("delete", name), typed=name)
    assert answer.status_code == 422
    assert "Not deleted: the bucket is not empty." in answer.text
    assert "No objects are listed" not in answer.text
    assert reverse("bulk:removal", args=[desk.space, name]) in answer.text
    assert desk.bucket(name)
    assert not Entry.objects.filter(operation="S6").exists()


def test_links_into_a_deleted_bucket_are_known_to_lead_to_nothing(as_keeper: PageClient, desk: Desk, owner: Person) -> None:
    name = desk.put()
    desk.linked(owner, name, "a.txt")
    as_keeper.send(desk.address("delete", name), typed=name)
    assert Share.objects.get().state == State.GONE


def test_what_the_list_does_not_show_stands_in_the_way_all_the_same(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    name = desk.put()
    faults("S6", status=409, message="The bucket you tried to delete is not empty")
    answer = as_keeper.send(desk.address("delete", name), typed=name)
    assert answer.status_code == 422
    assert "your token can't see them" in answer.text
    assert Entry.objects.get(operation="S6").outcome == Outcome.REFUSED


def test_contents_that_can_not_be_listed_are_not_taken_for_none(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    name, words = desk.put(), "contents could not be listed. The service deletes only empty buckets."
    assert words not in as_keeper.get(desk.address("delete", name)).text
    faults("S13", status=500)
    assert words in as_keeper.get(desk.address("delete", name)).text


@pytest.mark.parametrize("typed", ["", "another", "TEST"])
def test_another_name_deletes_nothing(as_keeper: PageClient, desk: Desk, typed: str) -> None:
    name = desk.put()
    assert as_keeper.send(desk.address("delete", name), typed=typed).status_code == 422
    assert desk.bucket(name)


def test_it_is_written_in_the_journal(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(public=True)
    as_keeper.send(desk.address("delete", name), typed=name)
    entry = Entry.objects.get(operation="S6")
    assert (entry.target, entry.place, entry.outcome) == (f"bucket {name}", desk.space, Outcome.DONE)
    assert entry.before
    assert entry.before["public"] is True


def test_a_failing_service_keeps_what_was_typed(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    name = desk.put()
    faults("S6", status=500)
    answer = as_keeper.send(desk.address("delete", name), typed=name)
    assert answer.status_code == 422
    assert answer["HX-Retarget"] == "#dialog-alert"
    assert "Nothing was changed." in answer.text


def test_a_bucket_that_is_not_there_is_not_found(as_keeper: PageClient, desk: Desk) -> None:
    assert as_keeper.get(desk.address("delete", "not-there")).status_code == 404


def test_what_is_gone_already_is_said_over_the_list_which_looks_again(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.send(desk.address("delete", "not-there"), typed="not-there")
    assert "Bucket not-there was already deleted." in answer.text
    assert "buckets:changed" in answer["HX-Trigger"]
