"""Uploads: the plan, the raw body, the form without script."""

import csv
import hashlib
import io
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from dashboard.catalog.uploads import original_name
from dashboard.interfaces import errors
from dashboard.journal.models import Entry
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.web.limits.transfers import bulkhead
from tests.conftest import Sandbox
from tests.disk import full_disk
from tests.features.objects.conftest import Desk
from tests.features.service import Faults, faults

__all__ = ["faults"]


def told(desk: Desk, verb: str, *files: tuple[str, int, str], start: dict[str, int] | None = None) -> dict[str, Any]:
    body = json.dumps({"files": files, "start": start or {}})
    answer = desk.client.post(desk.address(verb), body, content_type="application/json")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def check(desk: Desk, *receipts: dict[str, Any], start: dict[str, int] | None = None) -> dict[str, Any]:
    body = json.dumps({"receipts": receipts, "start": start or {}})
    answer = desk.client.post(desk.address("check"), body, content_type="application/json")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def sent(key: str, size: int) -> dict[str, Any]:
    """A receipt of an upload that got no answer."""
    return {"key": key, "size": size}


def plan(desk: Desk, *names: str, size: int = 1) -> list[dict[str, Any]]:
    return list(told(desk, "plan", *((name, size, "") for name in names))["files"])


def put(desk: Desk, key: str, body: bytes = b"hello", *, policy: str = "new", content_type: str = "text/plain") -> Any:
    return desk.client.put(desk.address("upload"), body, content_type=content_type, query_params={"key": key, "policy": policy})


def test_a_plan_tells_taken_and_impossible_names_before_anything_is_sent(desk: Desk, calls: Callable[[], list[str]]) -> None:
    desk.put("taken.txt", "Ubersicht.pdf")
    before = len(calls())
    found = plan(desk, "taken.txt", "free.txt", "Übersicht.pdf", "a#b", "~x")
    assert [one["state"] for one in found] == ["same", "new", "same", "new", "new"]
    assert [bool(one["problem"]) for one in found] == [False, False, True, True, True]
    assert found[2]["suggestion"] == "Ubersicht.pdf"
    assert found[3]["suggestion"]
    assert found[4]["suggestion"]
    # One S15 for all names, one S19 for each of the two that are taken.
    assert len(calls()) - before == 3


def test_a_plan_catches_long_segments_a_leading_slash_and_a_mark_with_bytes(desk: Desk, calls: Callable[[], list[str]]) -> None:
    names = ("/lead.txt", f"a/{'x' * 256}", f"{'ü' * 256}.pdf", "in/.emptyFolderPlaceholder", "mark.emptyFolderPlaceholder")
    before = len(calls())
    found = plan(desk, *names)
    assert len(calls()) - before == 1  # S15 for the suggestions
    assert all(one["problem"] for one in found)
    assert [one["suggestion"] for one in found] == [
        "lead.txt",
        f"a/{'x' * 255}",
        f"{'u' * 251}.pdf",
        "in/emptyFolderPlaceholder",
        "markemptyFolderPlaceholder",
    ]
    for name in names:
        assert put(desk, name, b"1").status_code == 422, name
    assert len(calls()) - before == 1


@pytest.mark.parametrize(
    "body", ["", "[]", '{"files": 3}', '{"files": [["a"]]}', '{"files": [["a", -1, ""]]}', '{"receipts": [{"key": 1}]}', "{"]
)
@pytest.mark.parametrize("verb", ["plan", "check"])
def test_a_broken_plan_is_refused_in_words(desk: Desk, verb: str, body: str) -> None:
    answer = desk.client.post(desk.address(verb), body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["title"]


def test_the_script_is_told_that_its_person_is_signed_out(desk: Desk, calls: Callable[[], list[str]]) -> None:
    desk.client.logout()
    before = len(calls())
    questions = [desk.client.post(desk.address(verb), "{}", content_type="application/json") for verb in ("plan", "check")]
    for answer in [*questions, put(desk, "a.txt")]:
        assert answer.status_code == 401
        assert answer.json()["title"] == "Signed out."
    assert len(calls()) == before


def test_an_upload_stores_the_very_bytes(desk: Desk) -> None:
    body = bytes(range(256)) * 5000
    answer = put(desk, "deep/er/a b+c.bin", body, content_type="application/x-thing")
    receipt = answer.json()
    assert (receipt["key"], receipt["size"]) == ("deep/er/a b+c.bin", len(body))
    assert receipt["md5"] == hashlib.md5(body, usedforsecurity=False).hexdigest()
    assert desk.bytes_of("deep/er/a b+c.bin") == body
    assert desk.storage.objects.info(desk.bucket, "deep/er/a b+c.bin").content_type == "application/x-thing"


def test_an_empty_file_is_stored(desk: Desk) -> None:
    answer = desk.client.generic("PUT", f"{desk.address('upload')}?key=empty.txt", b"", "text/plain", CONTENT_LENGTH="0")
    assert answer.json()["size"] == 0
    assert desk.bytes_of("empty.txt") == b""


@pytest.mark.parametrize(
    ("claimed", "stored"),
    [("application/octet-stream", "image/png"), ("multipart/form-data; boundary=x", "image/png"), ("text/html", "text/html")],
)
def test_an_unknown_type_is_told_by_the_ending(desk: Desk, claimed: str, stored: str) -> None:
    put(desk, "a.png", b"--x--", content_type=claimed)
    assert desk.storage.objects.info(desk.bucket, "a.png").content_type == stored
    assert desk.bytes_of("a.png") == b"--x--"


def test_files_uploaded_at_once_are_one_line_in_the_activity(desk: Desk) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        query = {"key": name, "policy": "new", "batch": "lq1x-1"}
        assert desk.client.put(desk.address("upload"), b"hello", content_type="text/plain", query_params=query).status_code == 200
    assert "3 entries" in desk.client.get("/journal/").text


def test_a_taken_name_is_refused_replaced_or_kept_beside(desk: Desk, calls: Callable[[], list[str]]) -> None:
    desk.put("a.txt", body=b"old")
    refused = put(desk, "a.txt", b"new")
    assert refused.status_code == 409
    assert refused.json()["title"]
    assert desk.bytes_of("a.txt") == b"old"
    assert put(desk, "a.txt", b"beside", policy="both").json()["key"] == "a (1).txt"
    assert desk.bytes_of("a.txt") == b"old"
    before = len(calls())
    assert put(desk, "a.txt", b"new", policy="replace").status_code == 200
    assert [call.partition(" ")[0] for call in calls()[before:]] == ["PUT"]
    assert desk.bytes_of("a.txt") == b"new"
    assert Entry.objects.latest("pk").operation == "S10"
    assert put(desk, "a.txt", b"third", policy="both").json()["key"] == "a (2).txt"


def test_a_bad_name_is_refused_before_anything_is_sent(desk: Desk, calls: Callable[[], list[str]]) -> None:
    before = len(calls())
    for key in ("Übersicht.pdf", "a#b", "~x", "", "../x", "a/./b", "a\nb"):
        answer = put(desk, key)
        assert answer.status_code == 422, key
        assert answer.json()["text"]
    assert len(calls()) == before


def test_an_unknown_policy_is_refused(desk: Desk) -> None:
    assert put(desk, "a.txt", policy="whatever").status_code == 400


def test_a_body_without_a_length_is_refused(desk: Desk) -> None:
    answer = desk.client.generic("PUT", f"{desk.address('upload')}?key=a.txt&policy=new", b"", CONTENT_LENGTH="")
    assert answer.status_code == 411
    assert desk.names() == []


def test_the_buckets_limits_are_told_in_the_services_words(desk: Desk) -> None:
    desk.storage.buckets.update(desk.bucket, public=False, file_size_limit=10, allowed_mime_types=["text/*"])
    large = put(desk, "a.txt", b"x" * 11)
    assert large.status_code == 413
    assert "maximum" in large.json()["text"]
    assert put(desk, "a.png", content_type="image/png").status_code == 415
    assert desk.names() == []


def test_a_full_house_says_when_to_come_back(desk: Desk, settings: Settings) -> None:
    settings.WEB_THREADS = 4
    held = [bulkhead() for _ in range(2)]
    for place in held:
        place.__enter__()
    try:
        answer = put(desk, "a.txt")
    finally:
        for place in held:
            place.__exit__(None, None, None)
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) >= 1
    assert answer.json()["retry_after"] >= 1


def test_a_full_disk_of_ours_is_named_in_the_uploads_json(desk: Desk, calls: Callable[[], list[str]]) -> None:
    before = len(calls())
    with full_disk():
        answer = put(desk, "a.txt")
    assert answer.status_code == 503
    assert answer.json()["title"] == "Disk full."
    assert "Nothing was changed" in answer.json()["text"]
    assert len(calls()) == before


def test_every_upload_is_in_the_journal(desk: Desk) -> None:
    put(desk, "a.txt", b"12345")
    entry = Entry.objects.latest("pk")
    assert entry.operation == "S9"
    assert entry.target == f"object {desk.bucket}/a.txt"
    digest = hashlib.md5(b"12345", usedforsecurity=False).hexdigest()
    assert entry.after == {"size": 5, "type": "text/plain", "replace": False, "md5": digest}


def test_a_weak_token_is_told_what_it_may_not(desk: Desk, owner: Person, service: Sandbox) -> None:
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["anon"])
    answer = put(desk, "a.txt")
    assert answer.status_code == 403
    assert "row-level" in answer.json()["text"]


def test_it_wants_the_forms_token(desk: Desk, owner: Person) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner)
    for address in (desk.address("upload") + "?key=a.txt", desk.address("plan")):
        assert strict.put(address, b"x").status_code in (403, 405)
    assert strict.post(desk.address("upload"), {"chosen": SimpleUploadedFile("a.txt", b"x")}).status_code == 403
    assert desk.names() == []


def test_without_script_a_form_takes_several_small_files(desk: Desk) -> None:
    asked = desk.client.get(desk.address("upload"), {"path": "in/"})
    assert 'enctype="multipart/form-data"' in asked.text
    desk.put("in/a.txt", body=b"old")
    files = [SimpleUploadedFile("a.txt", b"new"), SimpleUploadedFile("b.txt", b""), SimpleUploadedFile("c.txt", b"c")]
    answer = desk.client.post(desk.address("upload"), {"path": "in/", "policy": "new", "chosen": files}, follow=True)
    assert "2 of 3 files uploaded" in answer.text
    assert desk.bytes_of("in/a.txt") == b"old"
    assert desk.bytes_of("in/b.txt") == b""
    again = desk.client.post(desk.address("upload"), {"path": "in/", "policy": "replace", "chosen": files[:1]}, follow=True)
    assert again.status_code == 200


def test_the_form_refuses_bad_names_and_too_much(desk: Desk) -> None:
    bad = SimpleUploadedFile("Übersicht.pdf", b"x")
    answer = desk.client.post(desk.address("upload"), {"path": "", "policy": "new", "chosen": [bad]})
    assert answer.status_code == 422
    assert "English letters" in answer.text
    assert desk.client.post(desk.address("upload"), {"policy": "new"}).status_code == 422
    large = desk.client.generic("POST", desk.address("upload"), b"", CONTENT_LENGTH=str(64 * 1024 * 1024))
    assert large.status_code == 413
    assert desk.names() == []


def test_the_form_tells_the_limits_of_the_bucket_and_keeps_to_them_before_anything_is_stored(desk: Desk) -> None:
    desk.storage.buckets.update(desk.bucket, public=False, file_size_limit=4, allowed_mime_types=["text/*"])
    assert "The bucket allows at most 4 bytes per file, only text/*." in desk.client.get(desk.address("upload")).text
    files = [
        SimpleUploadedFile("good.txt", b"1234", "text/plain"),
        SimpleUploadedFile("large.txt", b"12345", "text/plain"),
        SimpleUploadedFile("a.png", b"1", "image/png"),
    ]
    answer = desk.client.post(desk.address("upload"), {"path": "", "policy": "new", "chosen": files})
    assert answer.status_code == 422
    assert "large.txt: The bucket allows at most 4 bytes per file; this one is 5 bytes." in answer.text
    assert "a.png: The bucket allows only text/*; this is image/png." in answer.text
    assert desk.names() == []


def test_a_missing_bucket_is_said_to_be_missing(desk: Desk) -> None:
    answer = desk.client.put(desk.address("upload").replace(desk.bucket.replace(" ", "%20"), "nope") + "?key=a", b"x")
    assert answer.status_code == 404
    assert "Bucket not found" in answer.json()["text"]


def test_the_service_knows_no_object_after_a_refusal(desk: Desk) -> None:
    put(desk, "a#b")
    with pytest.raises(errors.NotFound):
        desk.storage.objects.info(desk.bucket, "a-b")


def test_an_upload_is_stored_with_the_cache_control_that_was_chosen(desk: Desk) -> None:
    address = f"{desk.address('upload')}?{urlencode({'key': 'a.txt', 'policy': 'new', 'cache': 'max-age=86400'})}"
    assert desk.client.put(address, b"text", content_type="text/plain").status_code == 200
    assert desk.storage.objects.info(desk.bucket, "a.txt").cache_control == "max-age=86400"


def test_a_cache_control_that_is_no_header_is_refused_before_anything_is_stored(desk: Desk) -> None:
    address = f"{desk.address('upload')}?{urlencode({'key': 'a.txt', 'policy': 'new', 'cache': 'a: b'})}"
    refused = desk.client.put(address, b"text", content_type="text/plain")
    assert refused.status_code == 400
    assert "max-age" in refused.json()["text"]
    assert desk.names() == []


@pytest.mark.parametrize("policy", ["new", "replace"])
def test_an_upload_is_stored_with_the_type_that_was_chosen_even_one_that_says_nothing(desk: Desk, policy: str) -> None:
    if policy == "replace":
        desk.put("a.txt")
    address = f"{desk.address('upload')}?{urlencode({'key': 'a.txt', 'policy': policy, 'type': 'application/octet-stream'})}"
    assert desk.client.generic("PUT", address, b"x", "text/plain").status_code == 200
    assert desk.storage.objects.info(desk.bucket, "a.txt").content_type == "application/octet-stream"


@pytest.mark.parametrize("kind", ["text", "multipart/form-data; boundary=x", "text/plain\r\nX-A: b"])
def test_a_type_that_is_none_is_refused_before_anything_is_stored(desk: Desk, calls: Callable[[], list[str]], kind: str) -> None:
    address = f"{desk.address('upload')}?{urlencode({'key': 'a.txt', 'policy': 'new', 'type': kind})}"
    answer = desk.client.generic("PUT", address, b"x", "text/plain")
    assert (answer.status_code, answer.json()["title"]) == (400, "Invalid content type.")
    assert calls() == []


def test_the_form_takes_a_type_for_all_its_files_and_refuses_what_is_none(desk: Desk) -> None:
    page = desk.client.get(desk.address("upload")).text
    assert '<option value="image/png">' in page
    form = {"policy": "new", "content_type": "no type"}
    refused = desk.client.post(desk.address("upload"), {**form, "chosen": [SimpleUploadedFile("a.txt", b"1")]})
    assert refused.status_code == 422
    assert "Enter a type as in the header, for example: image/png" in refused.text
    form["content_type"] = "text/csv"
    desk.client.post(
        desk.address("upload"), {**form, "chosen": [SimpleUploadedFile("a.txt", b"1"), SimpleUploadedFile("b.bin", b"2")]}
    )
    assert [desk.storage.objects.info(desk.bucket, key).content_type for key in ("a.txt", "b.bin")] == ["text/csv"] * 2


def test_the_files_own_name_goes_along_and_names_the_download(desk: Desk, settings: Settings, faults: Faults) -> None:
    sent_as = {"key": "in/Ubersicht (1).txt", "policy": "new", "name": "Übersicht.txt", "batch": "b-1"}
    assert desk.client.put(desk.address("upload"), b"hello", content_type="text/plain", query_params=sent_as).status_code == 200
    assert desk.storage.objects.info(desk.bucket, sent_as["key"]).metadata == {"originalName": "Übersicht.txt"}
    assert put(desk, "in/plain.txt").status_code == 200
    assert not desk.storage.objects.info(desk.bucket, "in/plain.txt").metadata
    assert put(desk, "in/plain.txt", policy="both").json()["key"] == "in/plain (1).txt"
    assert desk.storage.objects.info(desk.bucket, "in/plain (1).txt").metadata == {"originalName": "plain.txt"}

    def named(key: str) -> str:
        return desk.client.get(desk.address("download"), {"key": key})["Location"].rpartition("download=")[2]

    assert named(sent_as["key"]) == "%C3%9Cbersicht.txt"
    assert named("in/plain (1).txt") == "plain.txt"
    assert named("in/plain.txt") == "plain.txt"
    settings.STORAGE_PUBLIC_URL = "none"
    streamed = desk.client.get(desk.address("download"), {"key": sent_as["key"]})
    assert "%C3%9Cbersicht.txt" in streamed["Content-Disposition"]
    settings.STORAGE_PUBLIC_URL = settings.STORAGE_URL
    faults("S19", status=500)
    assert named(sent_as["key"]) == "Ubersicht%20%281%29.txt"


@pytest.mark.parametrize("kept", ["a/b.txt", "..", "", "line\nbreak", 7, "x" * 300, "back\\slash", None])
def test_metadata_that_hold_no_name_of_a_file_name_no_download(kept: object) -> None:
    assert original_name({"originalName": kept}) == ""


def test_the_record_of_an_upload_stays(desk: Desk, owner: Person) -> None:
    for key, name in (("in/a.txt", "a.txt"), ("in/b 1.txt", "b#1.txt")):
        query = {"key": key, "policy": "new", "batch": "m1-1", "name": name}
        assert desk.client.put(desk.address("upload"), b"hello", content_type="text/plain", query_params=query).status_code == 200
    assert put(desk, "in/other.txt").status_code == 200
    record = desk.client.get(desk.address("batch"), {"batch": "m1-1"})
    digest = hashlib.md5(b"hello", usedforsecurity=False).hexdigest()
    for text in ("2 files", "b#1.txt", "in/b 1.txt", digest, "Done", str(owner)):
        assert text in record.text
    assert "in/other.txt" not in record.text
    rows = list(csv.reader(io.StringIO(desk.client.get(desk.address("batch_export"), {"batch": "m1-1"}).getvalue().decode())))
    assert rows[0] == ["file", "object", "bytes", "md5", "time", "person", "outcome"]
    assert [(row[0], row[1], row[2], row[3], row[5], row[6]) for row in rows[1:]] == [
        ("a.txt", "in/a.txt", "5", digest, str(owner), "done"),
        ("b#1.txt", "in/b 1.txt", "5", digest, str(owner), "done"),
    ]
    entry = Entry.objects.filter(operation="S9").order_by("pk")[1]
    shown = desk.client.get(reverse("journal:show", args=[entry.pk])).text
    address = f"{desk.address('batch')}?batch=m1-1&amp;by={owner.pk}"
    assert address in shown
    assert desk.client.get(desk.address("batch"), {"batch": "m1-1", "by": str(owner.pk + 1)}).status_code == 404
    assert desk.client.get(desk.address("batch"), {"batch": "unknown"}).status_code == 404
