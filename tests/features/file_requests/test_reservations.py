"""Places are reserved before the first byte and held exactly as long as needed, across processes, failures and lost answers."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from dashboard.catalog import leases
from dashboard.catalog.models import KeyLease
from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.features.file_requests.services import reservations
from dashboard.journal.models import Entry, Outcome
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.files.digests import DigestedBody
from dashboard.web.http.requests import ClientGone
from tests.conftest import Sandbox
from tests.features.file_requests.conftest import Desk, send
from tests.features.lost import Lost, lost

LONGEST_WAIT = timedelta(minutes=3)
MAY_RUN_FOR = timedelta(minutes=2)

__all__ = ["lost"]


def counts(asked: FileRequest) -> tuple[int, int, int]:
    asked.refresh_from_db()
    return asked.files, asked.bytes, asked.received.count()


def reserved(asked: FileRequest, *, size: int = 5) -> ReceivedFile:
    file = ReceivedFile(request=asked, visit="v", sender="Ann", name="a.png", size=size, mimetype="image/png")
    reservations.reserve(file)
    return file


class CutBody(DigestedBody):
    """The sender's connection breaks after the first bytes."""

    def read(self, size: int = -1, /) -> bytes:  # noqa: ARG002 - the signature of a body
        raise ClientGone("The upload was cut off before its end.")


@pytest.mark.django_db(transaction=True)
def test_30_senders_at_once_get_exactly_20_places(desk: Desk) -> None:
    asked, path = desk.ask(most_files=20)
    clients = [desk.sender(path, f"Sender {number}") for number in range(30)]

    def upload(number: int) -> int:
        try:
            return int(send(clients[number], path, f"{number}.png").status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(30) as crowd:
        answers = list(crowd.map(upload, range(30)))
        while 503 in answers:
            answers = [upload(number) if answer == 503 else answer for number, answer in enumerate(answers)]
    assert sorted(answers) == [200] * 20 + [410] * 10
    assert counts(asked) == (20, 100, 20)
    assert len(desk.names(f"fair/.requests/{asked.pk}/")) == 20


def test_a_cut_upload_gives_its_place_back(desk: Desk) -> None:
    asked, _ = desk.ask()
    file = reserved(asked)
    assert counts(asked) == (1, 5, 1)
    with pytest.raises(ClientGone):
        reservations.receive(Workspace(desk.person), file, CutBody(b"bytes"))
    assert counts(asked) == (0, 0, 0)


def test_a_process_killed_before_anything_was_sent_gives_its_place_back(desk: Desk) -> None:
    asked, _ = desk.ask(most_files=1)
    file = reserved(asked)
    reservations.settle_stale()
    assert counts(asked) == (1, 5, 1), "it may begin any moment"
    ReceivedFile.objects.filter(pk=file.pk).update(made_at=timezone.now() - timedelta(minutes=3))
    reservations.settle_stale()
    assert counts(asked) == (0, 0, 0)


def test_a_full_request_first_takes_back_the_places_of_killed_processes(desk: Desk) -> None:
    asked, path = desk.ask(most_files=1)
    file = reserved(asked)
    client = desk.sender(path)
    ReceivedFile.objects.filter(pk=file.pk).update(made_at=timezone.now() - timedelta(minutes=3))
    assert send(client, path, "b.png").status_code == 200
    assert counts(asked) == (1, 5, 1)


def test_a_place_is_kept_while_its_key_is_being_written(desk: Desk) -> None:
    asked, _ = desk.ask()
    file = reserved(asked)
    ReceivedFile.objects.filter(pk=file.pk).update(made_at=timezone.now() - timedelta(hours=2))
    with leases.lease(Workspace(desk.person), desk.space, desk.bucket, file.key):
        reservations.settle_stale()
        assert counts(asked) == (1, 5, 1)
    reservations.settle_stale()
    assert counts(asked) == (0, 0, 0)


def test_an_unknown_outcome_keeps_the_place_until_it_is_found_stored(desk: Desk, lost: Lost) -> None:
    asked, path = desk.ask(most_files=1)
    client = desk.sender(path)
    lost.applied_late("S9")
    answer = send(client, path, "a.png")
    assert (answer.status_code, answer.json()["state"]) == (202, "unknown")
    assert counts(asked) == (1, 5, 1)
    assert send(client, path, "b.png").status_code == 410, "the place is taken until it is known"
    assert "Not confirmed yet" in client.get(path).text
    lost.clear()
    lost.pass_time(timedelta(seconds=6))
    KeyLease.objects.all().delete()
    lost.pass_time(timedelta(minutes=3))
    reservations.settle_stale()
    assert asked.received.get().state == "received"
    assert counts(asked) == (1, 5, 1)


def test_an_unknown_outcome_gives_the_place_back_once_it_is_known_not_to_be_stored(desk: Desk, lost: Lost) -> None:
    asked, path = desk.ask(most_files=1)
    client = desk.sender(path)
    lost.never_applied("S9")
    assert send(client, path, "a.png").status_code == 202
    lost.clear()
    lost.pass_time(MAY_RUN_FOR - timedelta(seconds=1))
    reservations.settle_stale()
    assert counts(asked) == (1, 5, 1)
    lost.pass_time(timedelta(minutes=2))
    reservations.settle_stale()
    assert Entry.objects.get(operation="S9").outcome == Outcome.NOT_APPLIED
    assert counts(asked) == (0, 0, 0)


def test_a_key_that_sees_nothing_keeps_the_place_of_what_may_be_stored(desk: Desk, service: Sandbox, lost: Lost) -> None:
    asked, path = desk.ask(most_files=1)
    lost.never_applied("S9")
    assert send(desk.sender(path), path, "a.png").status_code == 202
    store(desk.person, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["inbox"])
    lost.clear()
    lost.pass_time(timedelta(hours=1))
    reservations.settle_stale()
    assert Entry.objects.get(operation="S9").outcome == Outcome.UNKNOWN
    assert counts(asked) == (1, 5, 1)


def test_a_process_killed_while_it_stored_a_file_is_settled_by_the_worker(desk: Desk, lost: Lost) -> None:
    asked, path = desk.ask()
    client = desk.sender(path)
    with lost.killed("S9"):
        send(client, path, "a.png")
    assert counts(asked) == (1, 5, 1)
    assert asked.received.get().state == "sending"
    KeyLease.objects.all().delete()
    lost.pass_time(LONGEST_WAIT + timedelta(minutes=1))
    lost.pass_time(timedelta(seconds=10))
    reservations.settle_stale()
    assert asked.received.get().state == "received"
