"""Automatic retries of pages and parts that have nothing else to show."""

import json
from html import unescape

import pytest
from django.test import RequestFactory
from django.urls import ResolverMatch

from dashboard.interfaces.errors import Broken
from dashboard.team.models import Person
from dashboard.urls import REVEALING
from dashboard.web.failures.problems import PROBLEMS
from dashboard.web.failures.retries import retry_of
from tests.conftest import Sandbox
from tests.features.service import Faults
from tests.features.test_calls import REF
from tests.markup import Element, parse
from tests.pages import PageClient, htmx
from tests.people import client_of, hold

SECRETS, FUNCTION = f"/projects/{REF}/secrets/", f"/projects/{REF}/functions/print-label/"
BUCKET = f"/storage/{REF}/handbook/"
DETAILS = f"{BUCKET}?path=procedures/&open=procedures/damaged-parcels.md"
FILE = f"{BUCKET}~preview/?key=procedures/damaged-parcels.md"


@pytest.fixture
def keeper(owner: Person, service: Sandbox) -> PageClient:
    hold(owner, service.personal_token)
    hold(owner, service.storage_tokens[REF]["service"], REF)
    return client_of(owner)


def asking(text: str) -> list[Element]:
    """The elements that retry after a pause."""
    return [one for one in parse(text).root.all("div") if "load delay:" in (one.get("hx-trigger") or "")]


def headers_of(element: Element) -> dict[str, str]:
    return dict(json.loads(unescape(element.get("hx-headers"))))


def test_a_page_with_nothing_known_asks_again_after_a_pause_that_doubles(keeper: PageClient, faults: Faults) -> None:
    faults("M5", status=500)
    answer = keeper.get(SECRETS)
    for tries in range(8):
        [element] = asking(answer.text)
        pause = min(15 * 2**tries, 900)
        assert (element.get("hx-trigger"), element.get("hx-target")) == (f"load delay:{pause}s", "#main")
        assert "Next try <time" in answer.text
        answer = keeper.get(element.get("hx-get"), headers={**htmx("main"), **headers_of(element)})
    faults("M5", delay=0)
    answer = keeper.get(SECRETS, headers={**htmx("main"), **headers_of(element)})
    assert answer["HX-Refresh"] == "true", "the page of the failure lacks the script of this one"


def test_it_asks_when_the_service_says(keeper: PageClient, faults: Faults) -> None:
    faults("M5", status=429, retry_after=40)
    [element] = asking(keeper.get(SECRETS).text)
    assert element.get("hx-trigger") in {"load delay:39s", "load delay:40s"}


def test_a_part_asks_again_in_its_place_and_is_told_once(keeper: PageClient, faults: Faults) -> None:
    faults("S13", status=500)
    answer = keeper.get(BUCKET, headers=htmx("objects"))
    [element] = asking(answer.text)
    assert (element.get("hx-target"), element.get("hx-swap")) == ("#objects", "outerHTML")
    assert 'role="alert"' in answer.text
    answer = keeper.get(element.get("hx-get"), headers={**htmx("objects"), **headers_of(element)})
    assert 'role="alert"' not in answer.text
    assert headers_of(asking(answer.text)[0]) == {"X-Tries": "2"}


@pytest.mark.parametrize(
    ("path", "operation", "target"), [(DETAILS, "S19", "#objects-details"), (FILE, "S18", "#viewer"), (FUNCTION, "M14", "#main")]
)
def test_a_page_that_lacks_a_part_asks_for_it_again(
    keeper: PageClient, faults: Faults, path: str, operation: str, target: str
) -> None:
    faults(operation, status=500)
    assert [element.get("hx-target") for element in asking(keeper.get(path).text)] == [target]


@pytest.mark.parametrize("status", [401, 403, 404, 400])
def test_a_refusal_is_not_repeated(keeper: PageClient, faults: Faults, status: int) -> None:
    faults("M5", status=status)
    assert asking(keeper.get(SECRETS).text) == []


def test_a_download_is_not_repeated(keeper: PageClient, faults: Faults) -> None:
    faults("*", status=500)
    answer = keeper.get(f"{BUCKET}~download/?key=procedures/damaged-parcels.md")
    assert "Try again" in answer.text
    assert asking(answer.text) == []


def test_what_is_sent_and_what_opens_a_dialog_are_not_repeated(keeper: PageClient, faults: Faults) -> None:
    faults("*", status=500)
    for answer in (
        keeper.post(f"{SECRETS}delete/?name=SMTP_HOST", {"name": "SMTP_HOST"}),
        keeper.get(f"{SECRETS}delete/?name=SMTP_HOST", headers=htmx("dialog")),
    ):
        assert "X-Problem" in answer
        assert asking(answer.text) == []


@pytest.mark.parametrize("name", [*sorted(REVEALING), "secrets:index"])
def test_what_reveals_a_secret_is_not_repeated(rf: RequestFactory, name: str) -> None:
    request = rf.get("/")
    request.resolver_match = ResolverMatch(
        lambda: None, (), {}, url_name=name.partition(":")[2], namespaces=[name.partition(":")[0]]
    )
    retry = retry_of(request, PROBLEMS[Broken])
    assert (retry is None) == (name in REVEALING)
