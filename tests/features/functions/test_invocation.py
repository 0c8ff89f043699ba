"""Snippets: how a function is called, and with which credential."""

import pytest
from django.urls import reverse

from dashboard.features.functions.services.invocation import base_of
from tests.features.functions import strange
from tests.features.functions.desk import REF, Desk
from tests.features.service import Calls, Faults
from tests.pages import PageClient

TRACKING = "ktmvqhzwrbnxpgaydcle"


def text(client: PageClient, page: str, **query: str) -> str:
    return str(client.get(page, query).text)


def test_one_that_checks_shows_where_the_jwt_goes(as_keeper: PageClient, desk: Desk) -> None:
    found = text(as_keeper, desk.address("calls", desk.put(verify_jwt=True)))
    assert found.count("PROJECT_JWT") > 2
    assert "Keys that start with" in found


def test_one_that_does_not_check_needs_no_credential(as_keeper: PageClient, desk: Desk) -> None:
    found = text(as_keeper, desk.address("calls", desk.put(verify_jwt=False)))
    assert "Authorization" not in found
    assert "without a credential" in found


def test_without_the_hosted_service_the_address_is_a_placeholder_to_fill(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    assert "Enter the address of your service" in text(as_keeper, desk.address("calls", slug))
    found = text(as_keeper, desk.address("calls", slug), address="http://10.0.0.7:8000/gate/")
    assert f"http://10.0.0.7:8000/gate/functions/v1/{slug}" in found


@pytest.mark.parametrize("typed", ["ftp://a", "https://a'b", 'https://a"b', "https://a b", "//a", "https://a\n.b"])
def test_an_address_that_could_break_out_of_a_snippet_is_refused(as_keeper: PageClient, desk: Desk, typed: str) -> None:
    found = text(as_keeper, desk.address("calls", desk.put()), address=typed)
    assert "Enter an address such as https://example.com" in found
    assert "https://functions.example/functions/v1/" in found


def test_a_hostname_that_is_on_is_taken(as_keeper: PageClient) -> None:
    found = text(as_keeper, reverse("functions:calls", args=[TRACKING, "track-parcel"]))
    assert "custom hostname." in found
    assert "/functions/v1/track-parcel" in found


def test_the_hosted_service_has_an_address_for_each_project() -> None:
    hosted = "https://api.supabase.com"
    assert base_of(REF, typed="", hostname="", management_url=hosted).address == f"https://{REF}.supabase.co"
    assert base_of(REF, typed="", hostname="api.example.com", management_url=hosted).address == "https://api.example.com"


def test_three_questions_to_the_service(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    slug = desk.put()
    calls()
    as_keeper.get(desk.address("calls", slug))
    assert sorted(calls()) == [
        "GET /v1/projects",
        f"GET /v1/projects/{REF}/custom-hostname",
        f"GET /v1/projects/{REF}/functions/{slug}",
    ]


def test_a_hostname_that_is_not_told_stops_nobody(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("M15", status=500)
    assert as_keeper.get(desk.address("calls", desk.put())).status_code == 200


def test_flags_that_are_not_told_count_as_on(as_keeper: PageClient, strange_service: None) -> None:
    assert "Calls need a JWT of this project" in text(as_keeper, reverse("functions:calls", args=[strange.REF, "strange.one"]))
