"""A service that says what nobody expected: it is shown as it came, and nothing is forgotten."""

from collections.abc import Iterator

import pytest
import requests
from django.urls import reverse
from pytest_django import Settings

from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from tests.conftest import Sandbox
from tests.features.hostname.desk import TICKED
from tests.interfaces.servers import Answers, as_json, by_path, serving
from tests.pages import PageClient
from tests.people import client_of

REF = "ktmvqhzwrbnxpgaydcle"
PAGE = reverse("hostname:index", args=[REF])
M15 = "/custom-hostname"


@pytest.fixture
def odd(owner: Person, service: Sandbox, settings: Settings) -> Iterator[Answers]:
    """What M15 answers, to be set by a test; M1 answers nothing."""
    store(owner, Kind.MANAGEMENT, "", service.personal_token)
    answers: Answers = {}
    with serving(by_path(answers)) as server:
        settings.MANAGEMENT_URL = server.address
        settings.DNS_RESOLVERS = [service.dns]
        yield answers


@pytest.fixture
def client(owner: Person) -> PageClient:
    return client_of(owner)


def configuration(status: str, /, **result: object) -> dict[str, object]:
    return {"status": status, "custom_hostname": "api.odd.example", "data": {"success": True, "result": result}}


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("5_services_reconfigured", "api.odd.example is active."),
        ("4_origin_setup_completed", "The service accepted the request and reports: ready to activate."),
        ("6_moved_to_the_moon", "The service accepted the request and reports: 6_moved_to_the_moon."),
    ],
)
def test_it_is_active_when_the_service_says_so(client: PageClient, odd: Answers, status: str, told: str) -> None:
    server = f"{REF}.supabase.co"
    odd[M15] = as_json(configuration("4_origin_setup_completed", custom_origin_server=server))
    odd["/activate"] = as_json(configuration(status, custom_origin_server=server))
    assert told in client.send(reverse("hostname:activation", args=[REF]), **TICKED).text


def test_an_unknown_state_is_shown_raw(client: PageClient, odd: Answers) -> None:
    odd[M15] = as_json(configuration("6_moved_to_the_moon", custom_origin_server=f"{REF}.supabase.co"))
    text = client.get(PAGE).text
    assert "6_moved_to_the_moon" in text
    assert "Unknown state" in text
    assert 'aria-current="step"' not in text
    assert "api.odd.example" in text


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"result": None},
        {"result": []},
        {"result": {"ssl": "broken", "ownership_verification": 7, "verification_errors": {"a": 1}}},
        {"result": {"ssl": {"validation_records": [None, 1, {"txt_name": "a"}], "validation_errors": ["x"]}}},
        {"result": {"deep": [[[[{"a": [{"b": {"c": "d" * 5000}}]}]]]]}},
        {"nul": "a\0b", "result": {"custom_origin_server": "a\0b", "status": "x" * 500}},
    ],
)
def test_whatever_is_in_data_the_page_stands(client: PageClient, odd: Answers, data: object) -> None:
    odd[M15] = as_json({"status": "2_initiated", "custom_hostname": "api.odd.example", "data": data})
    assert client.get(PAGE).status_code == 200
    assert client.part(PAGE, "hostname-records").status_code == 200
    assert client.get(PAGE, {"check": "now"}).status_code == 200


@pytest.mark.parametrize("host", ["", "x" * 400, "\N{SNOWMAN}.example", "<b>api</b>.example", "a..b"])
def test_whatever_the_name_is_the_page_stands(client: PageClient, odd: Answers, host: str) -> None:
    odd[M15] = as_json({**configuration("2_initiated", custom_origin_server="x.supabase.co"), "custom_hostname": host})
    assert client.get(PAGE).status_code == 200
    assert client.part(PAGE, "hostname-records").status_code == 200


def test_what_the_service_says_of_host_and_certificate_is_a_trouble(client: PageClient, odd: Answers) -> None:
    ssl = {"status": "validation_timed_out", "validation_errors": [{"message": "caa_error: forbidden"}]}
    odd[M15] = as_json(configuration("2_initiated", status="blocked", ssl=ssl))
    text = client.get(PAGE).text
    assert "caa_error: forbidden" in text
    assert "validation_timed_out" in text
    assert "blocked" in text


@pytest.mark.parametrize("status", [400, 404])
def test_not_found_says_whether_the_hostname_or_the_project_is_missing(client: PageClient, odd: Answers, status: int) -> None:
    odd[M15] = as_json({"message": "No custom hostname configuration found."}, status=status)
    assert "No custom hostname" in client.get(PAGE).text
    odd[M15] = as_json({"message": "Project not found"}, status=status)
    assert client.get(PAGE).status_code == 404


def test_one_token_never_sees_what_another_remembers(
    client: PageClient, odd: Answers, ada: Person, service: Sandbox, settings: Settings
) -> None:
    odd[M15] = as_json(configuration("2_initiated", custom_origin_server="secret-origin.example"))
    client.get(PAGE)
    settings.MANAGEMENT_URL = service.management_url
    headers = {"Authorization": f"Bearer {service.personal_token}"}
    people = requests.get(f"{service.management_url}/_keys", headers=headers, timeout=10).json()["people"]
    reader = next(one["personal_token"] for one in people if one["role"] == "read_only")
    store(ada, Kind.MANAGEMENT, "", reader)
    found = client_of(ada)
    assert "secret-origin.example" not in found.part(PAGE, "hostname-records").text
    assert "secret-origin.example" not in found.get(PAGE).text
