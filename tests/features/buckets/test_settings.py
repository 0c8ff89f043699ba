"""The settings of a bucket."""

import re

import pytest

from dashboard.journal.models import Entry, Outcome
from dashboard.team.models import Person
from tests.features.buckets.desk import Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient


def test_it_shows_what_is_set(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    name = desk.put(file_size_limit=1_500_000, allowed_mime_types=["image/png"])
    calls()
    answer = as_keeper.part(desk.address("edit", name), "dialog")
    assert 'value="1.5"' in answer.text
    assert '<option value="MB" selected>' in answer.text
    assert "image/png</textarea>" in answer.text
    assert len(calls()) == 1


def test_it_changes_only_what_differs(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(file_size_limit=1000, allowed_mime_types=["image/png"])
    answer = as_keeper.send(desk.address("edit", name), size="2", size_unit="KB", types="image/png")
    assert f"Settings of {name} saved." in answer.text
    bucket = desk.bucket(name)
    assert bucket
    assert (bucket.public, bucket.file_size_limit, bucket.allowed_mime_types) == (False, 2000, ["image/png"])


def test_an_empty_field_takes_a_limit_away(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(file_size_limit=1000, allowed_mime_types=["image/png"])
    answer = as_keeper.post(desk.address("edit", name), {"size": "", "size_unit": "KB", "types": ""})
    assert (answer.status_code, answer["Location"]) == (303, desk.address("index"))
    bucket = desk.bucket(name)
    assert bucket
    assert (bucket.file_size_limit, bucket.allowed_mime_types) == (None, None)


def test_staying_public_and_becoming_private_are_not_asked_about(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(public=True)
    assert as_keeper.send(desk.address("edit", name), public="on", size="1", size_unit="MB").status_code == 200
    assert getattr(desk.bucket(name), "public", None) is True
    assert as_keeper.send(desk.address("edit", name)).status_code == 200
    assert getattr(desk.bucket(name), "public", None) is False


def test_settings_changed_meanwhile_are_not_overwritten_unseen(as_keeper: PageClient, desk: Desk) -> None:
    name, seen = desk.put(), re.compile(r'name="seen" value="(\w+)"')
    address = desk.address("edit", name)
    [before] = seen.findall(as_keeper.part(address, "dialog").text)
    as_keeper.send(address, size="5", size_unit="MB", seen=before)
    answer = as_keeper.send(address, size="", size_unit="MB", types="image/*", seen=before)
    assert answer.status_code == 409
    assert "The bucket is now private and allows up to 5.0 MB per object, any type. Save again to replace that." in answer.text
    assert "image/*</textarea>" in answer.text
    bucket = desk.bucket(name)
    assert bucket
    assert (bucket.file_size_limit, bucket.allowed_mime_types) == (5_000_000, None)
    [now] = seen.findall(answer.text)
    as_keeper.send(address, size="", size_unit="MB", types="image/*", seen=now)
    bucket = desk.bucket(name)
    assert bucket
    assert (bucket.file_size_limit, bucket.allowed_mime_types) == (None, ["image/*"])


def test_an_unchanged_form_keeps_every_byte_of_a_limit(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(file_size_limit=50 << 20)
    page = as_keeper.part(desk.address("edit", name), "dialog").text
    typed = re.search(r'name="size" value="([^"]+)"', page)
    assert typed
    assert typed[1] == "52.4288"
    assert re.search(r'value="MB"\s+selected', page)
    assert as_keeper.send(desk.address("edit", name), size=typed[1], size_unit="MB").status_code == 200
    assert getattr(desk.bucket(name), "file_size_limit", None) == 50 << 20


def test_it_is_written_in_the_journal(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(file_size_limit=1000)
    as_keeper.send(desk.address("edit", name), public="on", publish="on", size="1", size_unit="KB")
    entry = Entry.objects.get(operation="S5")
    assert (entry.target, entry.place, entry.outcome) == (f"bucket {name}", desk.space, Outcome.DONE)
    assert entry.before
    assert entry.before["public"] is False
    assert entry.after
    assert entry.after["public"] is True


def test_what_is_wrong_is_said_at_the_field(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.send(desk.address("edit", desk.put()), types="*/*")
    assert answer.status_code == 422
    assert "refuse every upload" in answer.text


def test_a_limit_above_the_services_own_stands_on_the_form(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.send(desk.address("edit", desk.put()), size="8000000", size_unit="GB")
    assert answer.status_code == 422
    assert "Above the service&#x27;s own limit" in answer.text
    assert 'id="id_size_error"' in answer.text


@pytest.mark.parametrize("bucket", ["not-there", "a b c"])
def test_a_bucket_that_is_not_there_is_not_found(as_keeper: PageClient, desk: Desk, bucket: str) -> None:
    assert as_keeper.get(desk.address("edit", bucket)).status_code == 404
    assert as_keeper.post(desk.address("edit", bucket)).status_code == 404


def test_larger_objects_are_counted_while_a_limit_is_typed(
    as_keeper: PageClient, desk: Desk, owner: Person, calls: Calls
) -> None:
    name = desk.put()
    desk.crawled(owner, name, {"small.txt": 10, "large.bin": 3000, "larger.bin": 4000})
    calls()
    for typed, words in (
        ({"size": "2", "size_unit": "KB"}, "2 objects are larger than 2.0 KB"),
        ({"size": "3.5", "size_unit": "KB"}, "1 object is larger than 3.5 KB"),
        ({"size": "4", "size_unit": "KB"}, "No object is larger than 4.0 KB."),
        ({"size": "x", "size_unit": "KB"}, "Enter a number"),
        ({"size": "", "size_unit": "KB"}, 'role="status"'),
    ):
        assert words in " ".join(as_keeper.part(desk.address("limit", name), "size-advice", **typed).text.split())
    uncounted = as_keeper.part(desk.address("limit", desk.put()), "size-advice", size="1", size_unit="B")
    assert "Not counted: larger objects are unknown." in uncounted.text
    assert calls() == [f"POST /{desk.space}/storage/v1/bucket/"]
    saved = as_keeper.send(desk.address("edit", name), size="2", size_unit="KB")
    assert "2 objects are larger than 2.0 KB and stay unchanged." in saved.text


def test_a_type_that_the_service_does_not_take_is_said_at_the_field(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("S5", status=415, message="mime type x/y is not supported")
    answer = as_keeper.send(desk.address("edit", desk.put()), types="x/y")
    assert answer.status_code == 422
    assert 'id="id_types_error"' in answer.text
