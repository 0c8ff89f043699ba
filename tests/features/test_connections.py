"""No request keeps a connection of the database's pool while it waits for the service, or while its answer is streamed."""

import time
from collections.abc import Iterator

import pytest
import requests
from django.db import connection, connections, transaction
from django.http import StreamingHttpResponse
from django.test import RequestFactory
from requests.adapters import HTTPAdapter

from dashboard.journal.models import Entry
from dashboard.team.models import Person
from dashboard.web.process.database import Streams, give_back, in_chunks
from tests.features.test_calls import PAGES, REF
from tests.pages import PageClient

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL has a pool of connections"),
]


@pytest.mark.parametrize("address", [address for address, asks in PAGES.items() if asks])
def test_no_page_keeps_a_connection_while_it_waits_for_the_service(
    as_keeper: PageClient, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    mine, kept, original = connections["default"], [], HTTPAdapter.send

    def watched(self: HTTPAdapter, request: requests.PreparedRequest, **options: object) -> requests.Response:
        # A call of a pool's thread begins before the thread of the request has come to its wait.
        until = time.monotonic() + 10
        while mine.connection is not None and time.monotonic() < until:
            time.sleep(0.005)
        if mine.connection is not None:
            kept.append(f"{request.method} {request.path_url}")
        return original(self, request, **options)  # type: ignore[arg-type] # passed on as they came

    monkeypatch.setattr(HTTPAdapter, "send", watched)
    assert as_keeper.get(address.format(project=f"/projects/{REF}/", storage=f"/storage/{REF}/")).status_code == 200
    assert kept == []


def test_no_streamed_answer_keeps_a_connection_while_it_is_taken(owner: Person) -> None:
    Entry.objects.bulk_create(Entry(person=owner, operation="M1") for _ in range(5))

    def blocks() -> Iterator[bytes]:
        for entry in in_chunks(Entry.objects.order_by("pk"), 2):
            yield entry.operation.encode()

    response = Streams(lambda _: StreamingHttpResponse(blocks()))(RequestFactory().get("/"))
    assert isinstance(response, StreamingHttpResponse)
    taken = []
    for block in response:
        assert connection.connection is None
        taken.append(block)
    assert taken == [b"M1"] * 5


def test_a_transaction_keeps_its_connection(owner: Person) -> None:
    with transaction.atomic():
        Person.objects.filter(pk=owner.pk).update(name="Olga")
        give_back()
        assert connection.connection is not None
    give_back()
    assert connection.connection is None
    assert Person.objects.get(pk=owner.pk).name == "Olga"
