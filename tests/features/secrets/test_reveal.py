"""Showing one value or digest, and hiding it again."""

import json
import re
from collections.abc import Iterator
from hashlib import sha256

import pytest
from pytest_django.fixtures import Settings

from dashboard.features.secrets.services.secrets import Row
from dashboard.journal.models import Entry
from tests.features.secrets.desk import REF, Desk
from tests.features.service import Calls, Faults
from tests.interfaces.servers import as_json, by_path, serving
from tests.pages import PageClient


def test_a_post_shows_one_digest_and_no_cache_keeps_it(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    name = desk.put("hello")
    address = desk.address("reveal", name=name)
    answer = as_keeper.send(address, Row(name, "").id)
    assert sha256(b"hello").hexdigest() in answer.text
    assert "no-store" in answer["Cache-Control"]
    assert calls()[-1:] == [f"GET /v1/projects/{REF}/secrets"]
    assert not Entry.objects.filter(operation="M5").exists()


def test_the_list_holds_the_way_to_it(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put(form="odd & name/{}")
    listed = as_keeper.get(desk.address("index"), {"q": name}).text
    address = re.search(r'hx-post="([^"]+)"', listed)
    assert address
    assert Row(name, "").id in listed
    assert as_keeper.send(address[1].replace("&amp;", "&"), Row(name, "").id).status_code == 200


def test_it_hides_again_without_asking_the_service(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    row = Row("A", "").id
    assert as_keeper.part(desk.address("reveal", name="A"), row).text.strip() == f'<div class="value" id="{row}"></div>'
    assert calls() == []


def test_a_get_without_script_never_shows_anything(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put()
    answer = as_keeper.get(desk.address("reveal", name=name))
    assert answer.status_code == 302
    assert answer["Location"] == desk.address("index")


def test_without_script_it_is_a_page(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put("hello")
    answer = as_keeper.post(desk.address("reveal", name=name))
    assert sha256(b"hello").hexdigest() in answer.text
    assert "no-store" in answer["Cache-Control"]
    assert "Back to secrets" in answer.text


@pytest.fixture
def oldest_service(as_keeper: PageClient, settings: Settings) -> Iterator[None]:
    """A service of the oldest generation: it returns values in clear."""
    with serving(by_path({"/secrets": as_json([{"name": "PLAIN", "value": "in-clear-<4711>"}])})) as server:
        settings.MANAGEMENT_URL = server.address
        yield


def test_a_value_in_clear_is_shown_and_journaled(as_keeper: PageClient, desk: Desk, oldest_service: None) -> None:
    listed = as_keeper.get(desk.address("index"))
    assert "Value returned" in listed.text
    assert "in-clear" not in listed.text
    answer = as_keeper.send(desk.address("reveal", name="PLAIN"), Row("PLAIN", "").id)
    assert "in-clear-&lt;4711&gt;" in answer.text
    entry = Entry.objects.get(operation="M5")
    assert (entry.target, entry.place) == ("secret PLAIN", REF)
    assert "in-clear" not in json.dumps([entry.before, entry.after])


def test_a_secret_that_is_not_there_is_not_found(as_keeper: PageClient, desk: Desk) -> None:
    assert as_keeper.send(desk.address("reveal", name="NOT_THERE"), Row("NOT_THERE", "").id).status_code == 404


def test_a_failing_service_shows_nothing(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M5", status=500)
    answer = as_keeper.send(desk.address("reveal", name="A"), Row("A", "").id)
    assert answer.status_code == 422
    assert answer["HX-Reswap"] == "none"
    assert "The service failed" in answer.text
