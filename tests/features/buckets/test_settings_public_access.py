"""Making a bucket public or private: what it opens, and what strangers really get afterwards."""

import pytest
from django.urls import reverse

from dashboard.team.models import Person
from tests.features.buckets.desk import Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient, is_ticked


def upload(desk: Desk, name: str, *keys: str) -> None:
    for key in keys:
        desk.storage.objects.upload(name, key, b"x" * 1024, content_type="text/plain")


def test_it_says_what_becomes_readable_and_then_what_strangers_get(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    name = desk.put()
    upload(desk, name, "report.pdf")
    calls()
    question = as_keeper.send(desk.address("edit", name), public="on")
    assert question.status_code == 422
    for words in ("report.pdf", f"Make {name} public", "Not counted", f"/object/public/{name}/"):
        assert words in question.text
    assert len(calls()) == 2
    assert getattr(desk.bucket(name), "public", None) is False
    answer = as_keeper.send(desk.address("edit", name), public="on", publish="on")
    assert f"{name} is public" in answer.text
    assert "Public" in answer.text
    assert f"/object/public/{name}/report.pdf" in answer.text
    assert "buckets:changed" in answer["HX-Trigger"]
    assert getattr(desk.bucket(name), "public", None) is True


@pytest.mark.parametrize("refusal", ["a type", "the service"])
def test_a_box_that_is_ticked_stays_so_while_something_else_is_refused(
    as_keeper: PageClient, desk: Desk, faults: Faults, refusal: str
) -> None:
    name = desk.put()
    if refusal == "the service":
        faults("S5", status=403)
    types = "*/*" if refusal == "a type" else "image/*"
    answer = as_keeper.send(desk.address("edit", name), public="on", publish="on", types=types)
    assert (answer.status_code, is_ticked(answer.text, "publish")) == (422, True)
    assert f"Make {name} public" in answer.text
    assert "The bucket is empty" in answer.text


def test_what_was_crawled_gives_the_numbers_and_links_become_pointless(
    as_keeper: PageClient, desk: Desk, owner: Person, calls: Calls
) -> None:
    name = desk.put()
    desk.crawled(owner, name, {f"{number}.txt": 1024 for number in range(5)})
    desk.linked(owner, name, "0.txt")
    calls()
    question = as_keeper.send(desk.address("edit", name), public="on")
    assert calls() == [f"GET /{desk.space}/storage/v1/bucket/{name}"]
    for words in ("5 objects,", "5.1 KB", "0.txt, 1.txt, 2.txt and more", "As of", "1 share link into it will protect nothing"):
        assert words in question.text


def test_an_empty_bucket_and_one_that_is_not_told_are_told_apart(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    name = desk.put()
    assert "The bucket is empty" in as_keeper.send(desk.address("edit", name), public="on").text
    answer = as_keeper.send(desk.address("edit", name), public="on", publish="on")
    assert "No file to test with" in answer.text
    other = desk.put()
    faults("S13", status=500)
    question = as_keeper.send(desk.address("edit", other), public="on")
    assert question.status_code == 422
    assert "contents could not be listed" in question.text


def test_a_file_in_a_deeper_folder_is_found_to_test_with(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(public=True)
    upload(desk, name, "a/b/c.txt", "d/e/f/g.txt")
    assert f"/object/public/{name}/a/b/c.txt" in as_keeper.get(desk.address("check", name), follow=True).text


def test_a_stranger_who_is_refused_all_the_same_is_said(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    name = desk.put()
    upload(desk, name, "a.txt")
    for operation in ("S20", "S21"):
        faults(operation, status=403, message="blocked by a rule")
    answer = as_keeper.send(desk.address("edit", name), public="on", publish="on")
    assert "Public, but not reachable" in answer.text
    assert "blocked by a rule" in answer.text
    faults("S20", status=500)
    assert "Unknown" in as_keeper.part(desk.address("check", name), "dialog", key="a.txt").text


def test_going_private_says_what_lives_on_and_tries_the_door(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(public=True)
    upload(desk, name, "folder/a.txt")
    settings = as_keeper.part(desk.address("edit", name), "dialog")
    assert "cached copies remain for a while" in settings.text
    assert reverse("buckets:check", args=[desk.space, name]) in settings.text
    answer = as_keeper.send(desk.address("edit", name))
    assert "Private" in answer.text
    assert "folder/a.txt" in answer.text


def test_without_script_the_truth_is_a_page_of_three_calls(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    name = desk.put()
    upload(desk, name, "a b.txt")
    answer = as_keeper.post(desk.address("edit", name), {"public": "on", "publish": "on"})
    assert (answer.status_code, answer["Location"]) == (303, f"{desk.address('check', name)}?key=a+b.txt")
    calls()
    page = as_keeper.get(answer["Location"])
    assert "Public" in page.text
    assert len(calls()) == 3
    sought = as_keeper.get(desk.address("check", name))
    assert (sought.status_code, sought["Location"]) == (302, answer["Location"])


def test_an_empty_object_is_an_object(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(public=True)
    desk.storage.objects.upload(name, "nothing.txt", b"", content_type="text/plain")
    assert "Public" in as_keeper.get(desk.address("check", name), {"key": "nothing.txt"}).text


def test_a_bucket_that_is_not_there_is_not_found(as_keeper: PageClient, desk: Desk) -> None:
    assert as_keeper.get(desk.address("check", "not-there"), {"key": "b"}).status_code == 404
