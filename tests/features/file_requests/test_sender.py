"""What somebody with the link of a file request can do, and what they can't."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import RequestFactory

from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.features.file_requests.services import requests
from dashboard.journal.models import Entry
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from dashboard.web.limits.transfers import bulkhead
from dashboard.web.models import Attempt
from tests.features.file_requests.conftest import Calls, Desk, Faults, send
from tests.pages import PageClient

UNKNOWN = "/r/" + "A" * 22
KEY = re.compile(r"fair/\.requests/(\d+)/[0-9a-f]{16}/(.+)")


def test_a_file_is_stored_below_the_requests_folder_under_a_random_key(desk: Desk) -> None:
    asked, path = desk.ask()
    answer = send(desk.sender(path), path, "Fair 1.png", b"picture")
    assert answer.json() == {"state": "received", "name": "Fair 1.png"}
    (file,) = ReceivedFile.objects.all()
    match = KEY.fullmatch(file.key)
    assert match
    assert (match[1], match[2]) == (str(asked.pk), "Fair 1.png")
    with desk.storage.objects.read(desk.bucket, file.key) as stream:
        assert b"".join(stream) == b"picture"
    asked.refresh_from_db()
    assert (file.state, file.sender, asked.files, asked.bytes) == ("received", "Ann", 1, 7)


def test_the_upload_never_overwrites(desk: Desk) -> None:
    asked, path = desk.ask()
    files = desk.receive(asked, path, "a.png", "a.png")
    assert len({file.key for file in files}) == 2
    sent = Entry.objects.filter(operation="S9")
    assert [entry.after and entry.after["replace"] for entry in sent] == [False, False]
    assert not Entry.objects.filter(operation="S10").exists()


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("../../secret.png", "secret.png"),
        ("..", "file"),
        ("a/../../b.png", "b.png"),
        ("C:\\photos\\c.png", "c.png"),
        ("Übersicht €.png", "Ubersicht EUR.png"),
        ("", "file"),
        ("x" * 400 + ".png", "x" * 251 + ".png"),
        (".emptyFolderPlaceholder", "emptyFolderPlaceholder"),
    ],
)
def test_names_are_made_safe_and_never_leave_the_folder(desk: Desk, given: str, stored: str) -> None:
    asked, path = desk.ask()
    answer = send(desk.sender(path), path, given)
    assert answer.json() == {"state": "received", "name": stored}
    (file,) = asked.received.all()
    assert file.key.startswith(f"fair/.requests/{asked.pk}/")
    assert file.key.count("/") == 4


def test_a_file_that_the_request_refuses_is_refused_in_a_sentence_and_takes_no_place(desk: Desk, calls: Calls) -> None:
    asked, path = desk.ask(types=".pdf image/*", most_bytes=10)
    client = desk.sender(path)
    calls()
    refused = {
        "a.txt": send(client, path, "a.txt", kind="text/plain"),
        "evil.html": send(client, path, "evil.html", kind="image/png"),
        "a.png": send(client, path, "a.png", b"x" * 11),
    }
    assert {name: answer.status_code for name, answer in refused.items()} == dict.fromkeys(refused, 422)
    assert refused["a.txt"].json()["title"] == "Only these types are allowed: .pdf, images."
    assert refused["evil.html"].json()["title"] == "Only these types are allowed: .pdf, images."
    assert refused["a.png"].json()["title"] == "This file has 11 bytes; at most 10 bytes are allowed."
    assert not [call for call in calls() if call.startswith("POST")]
    asked.refresh_from_db()
    assert (asked.files, asked.bytes, asked.received.count()) == (0, 0, 0)
    assert send(client, path, "A.PDF", kind="application/pdf").status_code == 200


def test_the_limits_of_the_bucket_hold_too(desk: Desk) -> None:
    _, path = desk.ask()
    desk.storage.buckets.update(desk.bucket, public=False, allowed_mime_types=["application/pdf"])
    answer = send(desk.sender(path), path, "a.png")
    assert (answer.status_code, "only application/pdf" in answer.json()["title"]) == (422, True)


def test_after_the_last_file_no_more_are_taken(desk: Desk) -> None:
    asked, path = desk.ask(most_files=2)
    client = desk.sender(path)
    assert [send(client, path, "a.png").status_code for _ in range(3)] == [200, 200, 410]
    assert "No more files accepted" in PageClient().get(path).text
    assert "This link has received all the files it allows." in client.get(path).text
    asked.refresh_from_db()
    assert asked.files == 2


def test_all_files_together_may_not_exceed_the_bytes(desk: Desk) -> None:
    asked, path = desk.ask(most_total=10)
    client = desk.sender(path)
    answers = [send(client, path, "a.png", b"1234").status_code for _ in range(3)]
    assert answers == [200, 200, 410]
    assert send(client, path, "a.png", b"12").status_code == 200
    asked.refresh_from_db()
    assert (asked.files, asked.bytes) == (3, 10)


@pytest.mark.parametrize("fault", [{"status": 400}, {"status": 403}, {"status": 413}, {"status": 429}, {"status": 500}])
def test_a_place_is_given_back_when_the_file_is_not_stored(desk: Desk, faults: Faults, fault: dict[str, object]) -> None:
    asked, path = desk.ask()
    client = desk.sender(path)
    faults("S9", **fault)
    assert send(client, path, "a.png").status_code >= 400
    asked.refresh_from_db()
    assert (asked.files, asked.bytes, asked.received.count()) == (0, 0, 0)


def test_a_sender_sees_only_what_they_sent_in_this_visit(desk: Desk) -> None:
    _, path = desk.ask()
    ann, bob = desk.sender(path, "Ann"), desk.sender(path, "Bob")
    send(ann, path, "of-ann.png")
    send(bob, path, "of-bob.png")
    page = ann.get(path).text
    assert "of-ann.png" in page
    assert "Sending as <bdi>Ann</bdi>" in page
    assert "of-bob.png" not in page
    assert "Bob" not in page
    again = desk.sender(path, "Ann").get(path).text
    assert "of-ann.png" not in again, "another visit under the same name"
    assert desk.bucket not in page
    assert "fair/" not in page


def test_without_a_name_nothing_can_be_sent(desk: Desk) -> None:
    asked, path = desk.ask()
    client = PageClient()
    assert "Your name" in client.get(path).text
    refused = client.post(path, {"name": " "})
    assert (refused.status_code, "Enter your name" in refused.text) == (422, True)
    assert send(client, path, "a.png").status_code == 401
    other, elsewhere = desk.ask()
    visited = desk.sender(elsewhere)
    assert send(visited, path, "a.png").status_code == 401, "the visit of another request"
    assert (asked.received.count(), other.received.count()) == (0, 0)


def test_before_the_right_password_nothing_is_said_or_taken(desk: Desk) -> None:
    asked, path = desk.ask(password="correct horse", note="Only the good ones", title="Secret party")
    client = PageClient()
    for text in (client.get(path).text, client.post(path, {"password": "wrong"}).text, client.post(path, {"name": "Eve"}).text):
        assert "Password" in text
        assert "Secret party" not in text
        assert "good ones" not in text
    assert send(client, path, "a.png").status_code == 401
    assert client.post(path, {"password": "correct horse"}).status_code == 303
    assert client.post(path, {"name": "Ann"}).status_code == 303
    assert send(client, path, "a.png").status_code == 200
    assert asked.received.count() == 1


def test_passwords_and_codes_are_throttled(desk: Desk) -> None:
    (_, path), (_, other) = desk.ask(password="correct horse"), desk.ask()
    client = PageClient()
    assert [client.post(path, {"password": "wrong"}).status_code for _ in range(11)] == [422] * 10 + [429]
    assert client.get(other).status_code == 200, "wrong passwords lock one request"
    Attempt.objects.all().delete()
    assert [client.get(UNKNOWN[:-1] + letter).status_code for letter in "BCDEFGHIJKL"] == [404] * 10 + [429]
    assert client.get(path).status_code == 429


def test_no_answer_is_kept_found_framed_or_tells_where_it_came_from(desk: Desk) -> None:
    _, path = desk.ask()
    _, locked = desk.ask(password="correct horse")
    client = desk.sender(path)
    for answer in (
        client.get(path),
        client.get(locked),
        client.get(UNKNOWN),
        send(client, path, "a.png"),
        send(client, UNKNOWN, "a"),
    ):
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "noindex" in answer["X-Robots-Tag"]
        assert "no-store" in answer["Cache-Control"]
        policy = answer["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
    assert "script-src 'self'; connect-src 'self'" in client.get(path)["Content-Security-Policy"]
    assert "script-src" not in client.get(locked)["Content-Security-Policy"]


def test_a_revoked_request_takes_nothing_and_a_restored_one_does(desk: Desk) -> None:
    asked, path = desk.ask()
    client = desk.sender(path)
    requests.revoke(desk.person, asked)
    assert "has revoked this link" in client.get(path).text
    assert send(client, path, "a.png").json()["title"] == "Link revoked."
    asked.refresh_from_db()
    requests.restore(desk.person, asked)
    assert send(client, path, "a.png").status_code == 200


def test_an_expired_request_takes_nothing(desk: Desk, later: Callable[[timedelta], None]) -> None:
    asked, path = desk.ask()
    client = desk.sender(path)
    later(timedelta(days=7, seconds=1))
    assert (client.get(path).status_code, send(client, path, "a.png").status_code) == (410, 410)
    assert asked.received.count() == 0


def test_it_ends_with_its_makers_credential(desk: Desk) -> None:
    _, path = desk.ask()
    client = desk.sender(path)
    token = StoredToken.objects.filter(person=desk.person, kind="storage")
    fingerprint = token.get().fingerprint
    token.update(fingerprint="another")
    assert "no longer used" in client.get(path).text
    assert send(client, path, "a.png").status_code == 410
    assert "No access" in desk.client.get("/links/requests/").text
    token.update(fingerprint=fingerprint)
    assert send(client, path, "a.png").status_code == 200
    token.delete()
    assert (client.get(path).status_code, send(client, path, "a.png").status_code) == (410, 410)
    Person.objects.filter(pk=desk.person.pk).update(is_active=False)
    assert "has left the team" in client.get(path).text


def test_a_bucket_that_became_public_takes_nothing(desk: Desk) -> None:
    asked, path = desk.ask()
    client = desk.sender(path)
    desk.storage.buckets.update(desk.bucket, public=True)
    assert "would be public" in client.get(path).text
    assert send(client, path, "a.png").status_code == 410
    assert asked.received.count() == 0


def test_visitors_take_a_quarter_of_the_threads_at_most(desk: Desk, settings: object, rf: RequestFactory) -> None:
    asked, path = desk.ask()
    client = desk.sender(path)
    with bulkhead(rf.get("/", REMOTE_ADDR="192.0.2.1")):
        settings.WEB_THREADS = 4  # type: ignore[attr-defined] # pytest-django's
        answer = send(client, path, "a.png")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert FileRequest.objects.get(pk=asked.pk).files == 0


def test_the_code_is_in_the_database_only_sealed(desk: Desk) -> None:
    asked, path = desk.ask()
    row = FileRequest.objects.filter(pk=asked.pk).values().get()
    code = path.removeprefix("/r/")
    assert code not in " ".join(map(str, row.values()))
    assert asked.code == code
    assert PageClient().get(f"/l/{code}").status_code == 404, "it opens no share"


def test_the_activity_names_the_sender_the_request_and_groups_a_visit(desk: Desk) -> None:
    asked, path = desk.ask()
    desk.receive(asked, path, "a.png", "b.png")
    requests.revoke(desk.person, asked)
    page = desk.client.get("/journal/").text
    for words in ("Requested files:", "Revoked the file request", "a.png from Ann, sent to “Photos of the fair”", "2 entries"):
        assert words in page, words
