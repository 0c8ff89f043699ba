"""What an upload or a restoration replaces is kept first."""

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from pytest_django import Settings

from dashboard.jobs import kinds
from dashboard.jobs.models import State
from dashboard.jobs.plans import REPLACE, UNKEPT
from dashboard.journal.models import Entry, Outcome
from dashboard.snapshots import capture, replacements, trash
from dashboard.snapshots.manifest import read_heads
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.catalog.conftest import Shelf, shelf
from tests.features.bulk.conftest import go, outcomes, words
from tests.features.grants import lend
from tests.features.lost import Lost, last, lost
from tests.features.service import Calls, Faults, calls, faults
from tests.pages import PageClient, htmx
from tests.people import client_of
from tests.snapshots.test_capture import in_a_folder, run
from tests.snapshots.test_pages import restoration
from tests.snapshots.test_restore import EVERYTHING, planned, text
from tests.snapshots.test_trash import deletions, for_thirty_days, held

__all__ = ["calls", "faults", "for_thirty_days", "in_a_folder", "lost", "shelf"]


def put(client: PageClient, shelf: Shelf, key: str, body: bytes = b"newer", *, policy: str = "replace", kept: str = "") -> Any:
    address = reverse("objects:upload", args=[shelf.space, shelf.bucket])
    query = {"key": key, "policy": policy, "kept": kept}
    return client.put(address, body, content_type="text/plain", query_params=query)


def test_what_an_upload_replaces_is_kept(as_owner: PageClient, shelf: Shelf, calls: Calls) -> None:
    shelf.put("a/b.txt", body=b"then")
    calls()
    answer = put(as_owner, shelf, "a/b.txt").json()
    sent = [call.partition("/storage/v1/")[2] or call for call in calls()]
    # S13, S18, S19, S13 again, then the upload.
    assert len(sent) == 5, sent
    (head,) = deletions()
    assert (held(head), head.verb) == ({"a/b.txt": b"then"}, "replaced")
    assert text(shelf, "a/b.txt") == "newer"
    assert (answer["kept"], answer["trash"]) == (head.id, reverse("snapshots:trash", args=[shelf.space, shelf.bucket]))
    shown = " ".join(as_owner.get(answer["trash"]).text.split())
    assert 'data-label="When">Replaced' in shown


@pytest.mark.parametrize(("policy", "taken"), [("new", False), ("both", True), ("unkept", True)])
def test_what_replaces_nothing_or_keeps_nothing_asks_nothing_more(
    as_owner: PageClient, shelf: Shelf, calls: Calls, policy: str, taken: bool
) -> None:
    shelf.put(*(["a.txt"] if taken else []), body=b"then")
    calls()
    answer = put(as_owner, shelf, "a.txt", policy=policy)
    assert (answer.status_code, len(calls())) == (200, 2 if policy == "both" else 1)
    assert "kept" not in answer.json()
    assert not deletions()


def test_an_upload_that_may_replace_finds_nothing_to_keep(as_owner: PageClient, shelf: Shelf) -> None:
    answer = put(as_owner, shelf, "a.txt")
    assert (answer.status_code, "kept" in answer.json(), text(shelf, "a.txt")) == (200, False, "newer")
    assert not deletions()


def test_what_one_upload_replaces_is_kept_together(as_owner: PageClient, shelf: Shelf) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    first = put(as_owner, shelf, "a.txt").json()["kept"]
    second = put(as_owner, shelf, "b.txt", kept=first).json()["kept"]
    (head,) = deletions()
    assert (head.id, held(head)) == (second, {"a.txt": b"then", "b.txt": b"then"})
    third = put(as_owner, shelf, "b.txt", b"third", kept=second).json()["kept"]
    assert {head.id: held(head).get("b.txt") for head in deletions()} == {second: b"then", third: b"newer"}


@pytest.mark.parametrize("kept", ["snapshot", "deletion", "../../generation", "20200101T000000Z-1"])
def test_it_is_kept_with_nothing_else(as_owner: PageClient, shelf: Shelf, kept: str) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    run(shelf)
    as_owner.post(reverse("objects:deletion", args=[shelf.space, shelf.bucket], query={"key": "b.txt"}), headers=htmx("dialog"))
    snapshot, deletion = read_heads(capture.store())
    ident = {"snapshot": snapshot.id, "deletion": deletion.id}.get(kept, kept)
    assert put(as_owner, shelf, "a.txt", kept=ident).status_code == 200
    assert len(read_heads(capture.store())) == 3
    assert held(deletions()[-1]) == {"a.txt": b"then"}


def test_what_can_not_be_kept_is_not_replaced(
    as_owner: PageClient, shelf: Shelf, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put("a.txt", body=b"12345")
    settings.SNAPSHOT_MAX_FILE_BYTES = 4
    refused = put(as_owner, shelf, "a.txt")
    assert (refused.status_code, refused.headers.get("X-Problem")) == (422, "NotKept")
    assert refused.json()["title"] == "Not replaced. It could not be kept. It is larger than 4 bytes."
    entry = Entry.objects.get(operation="S10")
    assert (entry.outcome, entry.message) == (Outcome.REFUSED, refused.json()["title"])
    settings.SNAPSHOT_MAX_FILE_BYTES = 0
    monkeypatch.setattr(replacements, "UPLOAD_BYTES", 4)
    assert "Delete it first" in put(as_owner, shelf, "a.txt").text
    assert text(shelf, "a.txt") == "12345"
    assert not deletions()


def test_it_is_not_replaced_while_it_can_not_be_read(as_owner: PageClient, shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", body=b"then")
    faults("S18", status=500, times=9)
    assert put(as_owner, shelf, "a.txt").status_code >= 500
    assert trash.listed(*shelf.place, ["a.txt"])["a.txt"].size == 4
    assert Entry.objects.get(operation="S10").outcome == Outcome.FAILED, "nothing is in doubt"


def test_what_a_refused_upload_would_have_replaced_is_not_kept(as_owner: PageClient, shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    first = put(as_owner, shelf, "a.txt").json()["kept"]
    faults("S10", status=403)
    assert put(as_owner, shelf, "b.txt", kept=first).status_code == 403
    assert [(head.id, held(head)) for head in deletions()] == [(first, {"a.txt": b"then"})]


def test_it_is_kept_while_nobody_knows_whether_it_was_replaced(as_owner: PageClient, shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", body=b"then")
    faults("S10", cut="before", times=1)
    assert put(as_owner, shelf, "a.txt").status_code == 504
    assert Entry.objects.get(operation="S10").outcome == Outcome.UNKNOWN
    assert [held(head) for head in deletions()] == [{"a.txt": b"then"}]


def test_what_turns_out_not_to_be_replaced_leaves_the_trash(as_owner: PageClient, shelf: Shelf, lost: Lost) -> None:
    shelf.put("a.txt", "b.txt", body=b"then")
    first = put(as_owner, shelf, "a.txt").json()["kept"]
    lost.never_applied("S10")
    assert put(as_owner, shelf, "b.txt", kept=first).status_code == 504
    assert [held(head) for head in deletions()] == [{"a.txt": b"then", "b.txt": b"then"}]
    lost.clear()
    lost.pass_time(timedelta(minutes=30))
    assert last("S10").outcome == Outcome.NOT_APPLIED
    assert [held(head) for head in deletions()] == [{"a.txt": b"then"}]


def test_a_refused_restoration_keeps_nothing(as_owner: PageClient, shelf: Shelf, faults: Faults) -> None:
    shelf.put("a.txt", body=b"then")
    run(shelf)
    shelf.storage.objects.replace(shelf.bucket, "a.txt", b"now!!", content_type="text/plain")
    faults("S10", status=403)
    as_owner.post(restoration(shelf, "a.txt"), {"count": "1"}, headers=htmx("dialog"))
    assert not deletions()


def test_a_grantee_keeps_it_for_whose_token_it_is(shelf: Shelf, ada: Person, storage_token: StoredToken) -> None:
    shelf.put("a.txt", body=b"then")
    lend(storage_token, ada, acts=["read", "upload", "change"])
    answer = put(client_of(ada), shelf, "a.txt").json()
    assert answer["trash"] == reverse("snapshots:trash", args=[shelf.space, shelf.bucket])
    (head,) = deletions()
    assert (head.deleted_by, held(head)) == (str(ada), {"a.txt": b"then"})
    shown = client_of(storage_token.person).get(reverse("snapshots:trash", args=[shelf.space, shelf.bucket])).text
    assert "Ada Member" in shown


def test_a_grantee_who_may_not_read_replaces_only_without_keeping(shelf: Shelf, ada: Person, storage_token: StoredToken) -> None:
    shelf.put("a.txt", body=b"then")
    lend(storage_token, ada, acts=["upload", "change"])
    refused = put(client_of(ada), shelf, "a.txt")
    assert (refused.status_code, "View and download" in refused.json()["text"]) == (403, True)
    assert Entry.objects.get(operation="S10").outcome == Outcome.FAILED, "nothing is in doubt"
    assert text(shelf, "a.txt") == "then"
    assert put(client_of(ada), shelf, "a.txt", policy="unkept").status_code == 200


def test_the_form_without_scripts_keeps_too(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    shelf.put("a.txt", "b.txt", body=b"12345")
    shelf.put("c.txt", body=b"1234567")
    settings.SNAPSHOT_MAX_FILE_BYTES = 6
    address = reverse("objects:upload", args=[shelf.space, shelf.bucket])
    asked = as_owner.get(address).text
    assert "Replace the object, and keep it for 30 days" in asked
    assert "Replace without keeping" in asked
    files = [SimpleUploadedFile(name, b"newer", content_type="text/plain") for name in ("a.txt", "b.txt", "c.txt", "d.txt")]
    shown = as_owner.post(address, {"path": "", "policy": "replace", "chosen": files}, follow=True).text
    assert "3 of 4 files uploaded. c.txt: Not replaced. It could not be kept. It is larger than 6 bytes." in unescape(shown)
    assert "Open trash" in shown
    assert [held(head) for head in deletions()] == [{"a.txt": b"12345", "b.txt": b"12345"}]
    assert text(shelf, "c.txt") == "1234567"
    again = [SimpleUploadedFile("c.txt", b"newer", content_type="text/plain")]
    as_owner.post(address, {"path": "", "policy": "unkept", "chosen": again})
    assert (text(shelf, "c.txt"), len(deletions())) == ("newer", 1)


def test_a_restored_file_keeps_the_one_that_it_replaces(as_owner: PageClient, shelf: Shelf, settings: Settings) -> None:
    shelf.put("a.txt", body=b"then")
    run(shelf)
    shelf.storage.objects.replace(shelf.bucket, "a.txt", b"now!!", content_type="text/plain")
    here = restoration(shelf, "a.txt")
    asked = as_owner.get(here, headers=htmx("dialog")).text
    assert "That one is kept for 30 days in the trash." in asked
    assert "Replace without keeping" in asked
    settings.SNAPSHOT_MAX_FILE_BYTES = 4
    refused = as_owner.post(here, {"count": "1"}, headers=htmx("dialog")).text
    assert "Not replaced. It could not be kept." in refused
    settings.SNAPSHOT_MAX_FILE_BYTES = 0
    done = as_owner.post(here, {"count": "1"}, headers=htmx("dialog")).text
    (head,) = deletions()
    assert held(head) == {"a.txt": b"now!!"}
    assert text(shelf, "a.txt") == "then"
    undo = reverse("snapshots:restoration", args=[shelf.space, shelf.bucket, head.id], query={"key": "a.txt"})
    assert f'<a href="{undo}">Undo</a>' in done
    assert f'href="{undo}"' in as_owner.get(reverse("snapshots:trash", args=[shelf.space, shelf.bucket])).text
    as_owner.post(undo, {"count": "1"}, headers=htmx("dialog"))
    assert (text(shelf, "a.txt"), len(deletions())) == ("now!!", 2), "it is back by one answer, and what it replaced is kept"
    shelf.storage.objects.replace(shelf.bucket, "a.txt", b"now", content_type="text/plain")
    as_owner.post(here, {"count": "1", "unkept": "yes"}, headers=htmx("dialog"))
    assert (text(shelf, "a.txt"), len(deletions())) == ("then", 2)


@pytest.mark.parametrize("policy", [REPLACE, UNKEPT])
def test_what_many_restored_files_replace_is_kept(
    as_owner: PageClient, shelf: Shelf, settings: Settings, monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    keys = ("a.txt", "b.txt", "large.txt")
    shelf.put(*keys, "gone.txt", body=b"then")
    run(shelf)
    for key in keys:
        body = b"1234567" if key == "large.txt" else b"now!!"
        shelf.storage.objects.replace(shelf.bucket, key, body, content_type="text/plain")
    shelf.storage.objects.delete(shelf.bucket, "gone.txt")
    job = planned(as_owner, shelf, **EVERYTHING)
    shown = unescape(as_owner.get(reverse("jobs:show", args=[job.pk])).text)
    assert "Keep the existing objects for 30 days in the trash." in shown
    settings.SNAPSHOT_MAX_FILE_BYTES = 6
    monkeypatch.setattr("dashboard.snapshots.trash.AT_ONCE_BYTES", 5)
    job = go(job, policy)
    assert job.state == State.DONE
    assert text(shelf, "a.txt") == text(shelf, "b.txt") == text(shelf, "gone.txt") == "then"
    if policy == UNKEPT:
        assert (text(shelf, "large.txt"), deletions()) == ("then", [])
        return
    assert outcomes(job) == {"a.txt": "done", "b.txt": "done", "gone.txt": "done", "large.txt": "failed"}
    assert words(job)["large.txt"] == "Not replaced. It could not be kept. It is larger than 6 bytes."
    assert text(shelf, "large.txt") == "1234567"
    assert [held(head) for head in deletions()] == [{"a.txt": b"now!!", "b.txt": b"now!!"}]
    home = reverse("snapshots:trash", args=[shelf.space, shelf.bucket])
    assert kinds.find(job.kind).follow_up(job) == ("Open trash", home)  # type: ignore[union-attr] # it is registered
