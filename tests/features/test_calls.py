"""What each page asks of the service, in one table. No page of one project needs more than three calls; they run side by side.

A list of a bucket with folders makes one more, after the first: by time, as by name folders that differ only in case are one.
"""

from collections.abc import Iterator

import pytest
import requests
from pytest_django import Settings

from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from tests.features.service import Calls
from tests.pages import PageClient
from tests.people import client_of, hold
from tests.sandboxes import Sandbox, start_sandbox, stop_sandbox

REF = "ktmvqhzwrbnxpgaydcle"
PROJECTS, ORGANIZATIONS = "GET /v1/projects", "GET /v1/organizations"
SECRETS, FUNCTIONS, HOSTNAME = (f"GET /v1/projects/{REF}/{part}" for part in ("secrets", "functions", "custom-hostname"))
FUNCTION, BODY = f"{FUNCTIONS}/print-label", f"{FUNCTIONS}/print-label/body"
KEY, RESTRICTIONS = (f"GET /v1/projects/{REF}/{part}" for part in ("pgsodium", "network-restrictions"))
BANS = f"POST /v1/projects/{REF}/network-bans/retrieve"
TYPES = f"GET /v1/projects/{REF}/types/typescript"
BUCKETS, BUCKET, LIST = (
    f"{verb} /{REF}/storage/v1/{part}"
    for verb, part in (("GET", "bucket/"), ("GET", "bucket/handbook"), ("POST", "object/list/handbook"))
)
STRANGER, STRANGER_INFO = (f"GET /{REF}/storage/v1/object/{part}public/handbook/welcome/first-week.md" for part in ("", "info/"))

PAGES: dict[str, list[str]] = {
    # These draw their frame at once, and load what they ask of many projects afterwards.
    "/": [],
    "/hostnames/": [],
    "/?view=network&address=203.0.113.7": [],
    "/organizations/": [PROJECTS, ORGANIZATIONS],
    "/projects/new/": [ORGANIZATIONS],
    "{project}": [PROJECTS, ORGANIZATIONS],
    "{project}label/": [PROJECTS],
    "{project}switch/?section=secrets": [PROJECTS],
    "{project}secrets/": [PROJECTS, SECRETS],
    "{project}secrets/new/": [SECRETS],
    "{project}secrets/draft/": [PROJECTS, SECRETS],
    "{project}secrets/comparison/": [PROJECTS, SECRETS],
    "{project}secrets/names/": [SECRETS],
    "{project}secrets/delete/?name=SMTP_HOST": [SECRETS],
    "{project}types/": [PROJECTS],
    "{project}types/?schemas=public&wait=1": [PROJECTS, TYPES],
    "{project}functions/": [PROJECTS, FUNCTIONS],
    "{project}functions/~new/": [PROJECTS],
    "{project}functions/print-label/": [PROJECTS, FUNCTION, BODY],
    "{project}functions/print-label/sources/": [PROJECTS, BODY],
    "{project}functions/print-label/versions/": [PROJECTS, FUNCTION],
    "{project}functions/print-label/calls/": [PROJECTS, FUNCTION, HOSTNAME],
    "{project}functions/print-label/settings/": [FUNCTION],
    "{project}functions/print-label/note/": [FUNCTION],
    "{project}functions/print-label/deployments/": [PROJECTS, FUNCTION, BODY],
    "{project}functions/print-label/delete/": [FUNCTION, BODY],
    "{project}hostname/": [PROJECTS, HOSTNAME],
    "{project}hostname/new/": [PROJECTS],
    "{project}hostname/instructions/": [HOSTNAME],
    "{project}encryption/": [PROJECTS, KEY],
    "{project}network/bans/": [PROJECTS, BANS],
    "{project}network/restrictions/": [PROJECTS, RESTRICTIONS],
    "/?view=storage": [],
    "{storage}": [PROJECTS, BUCKETS],
    "{storage}~switch/": [BUCKETS],
    "{storage}~new/": [],
    "{storage}~edit/handbook/": [BUCKET],
    "{storage}~delete/handbook/": [BUCKET, LIST],
    "{storage}~limit/handbook/?size=1&size_unit=MB": [],
    "{storage}~check/handbook/?key=welcome/first-week.md": [BUCKET, STRANGER, STRANGER_INFO],
    "{storage}handbook/": [PROJECTS, BUCKET, LIST, LIST],
    "{storage}handbook/?path=welcome/": [PROJECTS, BUCKET, LIST],
    "{storage}handbook/~upload/": [BUCKET],
    "{storage}handbook/~folder/": [],
    "{storage}handbook/~details/public/?key=welcome/first-week.md": [BUCKET, STRANGER, STRANGER_INFO],
    "{storage}handbook/~links/?key=welcome/first-week.md": [],
    "{storage}handbook/~deletion/?key=welcome/first-week.md": [],
    "{storage}handbook/~usage/": [PROJECTS, BUCKET],
    "{storage}handbook/~search/": [PROJECTS],
    "{storage}handbook/~search/?q=invoice": [PROJECTS],
    "{storage}handbook/~download/archive/?folder=welcome/": [LIST],
    "{storage}handbook/~download/manifest/?folder=welcome/": [],
    "{storage}handbook/~share/?key=a.txt": [],
    "{storage}handbook/~sign/": [],
    "{storage}handbook/~sign/?folder=welcome/": [],
    # What is ours alone.
    "/search/?q=secrets": [PROJECTS],
    "/search/keys/": [],
    "/links/": [],
    "/links/presigned/": [],
    "/links/ending/?all=1": [],
    "/account/": [],
    "/account/setup/": [PROJECTS],
    "/journal/": [],
    "/notifications/": [],
    "/notifications/settings/": [],
    "/people/": [],
    "/jobs/": [],
    "/jobs/tray/": [],
    "{storage}handbook/~bulk/move/?key=welcome/first-week.md": [BUCKETS, LIST],
    "{storage}handbook/~bulk/copy/?folder=welcome/": [BUCKETS, LIST, LIST],
    "{storage}handbook/~bulk/places/?to_bucket=handbook": [BUCKETS, LIST, LIST],
    "{storage}handbook/~bulk/rename/?key=welcome/first-week.md": [],
    "{storage}handbook/~bulk/deletion/?folder=welcome/": [LIST],
    "{storage}handbook/~bulk/emptying/": [BUCKET, *[LIST] * 4],
    "{storage}handbook/~bulk/removal/": [BUCKET, *[LIST] * 4],
}


def test_no_page_may_ask_for_more_than_three_things() -> None:
    assert max(len(set(expected)) for expected in PAGES.values()) == 3
    # Counting a bucket asks for each of its folders.
    counting = {"{storage}handbook/~bulk/emptying/", "{storage}handbook/~bulk/removal/"}
    assert max(len(expected) for address, expected in PAGES.items() if address not in counting) == 4


@pytest.mark.exhaustive
@pytest.mark.parametrize("address", PAGES)
def test_a_page_asks_for_this_and_no_more(
    as_keeper: PageClient, owner: Person, service: Sandbox, calls: Calls, address: str
) -> None:
    store(owner, Kind.STORAGE, REF, service.storage_tokens[REF]["service"])
    calls()
    answer = as_keeper.get(address.format(project=f"/projects/{REF}/", storage=f"/storage/{REF}/"))
    assert answer.status_code == (302 if "~delete" in address else 200), "a bucket that isn't empty is counted elsewhere"
    assert sorted(calls()) == sorted(PAGES[address])


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A service with 200 projects more."""
    running = start_sandbox(tmp_path_factory.mktemp("crowded") / "sandbox")
    body = {"organization_id": "quiet-harbour-heron", "db_pass": "demo", "region": "eu-west-1", "plan": "free"}
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {running.personal_token}"
        for number in range(200):
            made = session.post(f"{running.management_url}/v1/projects", json={**body, "name": f"p{number}"}, timeout=30)
            made.raise_for_status()
    yield running
    stop_sandbox(running)


@pytest.fixture
def as_busy(owner: Person, crowded: Sandbox, settings: Settings) -> PageClient:
    """Somebody who reaches all of them."""
    settings.MANAGEMENT_URL = crowded.management_url
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = crowded.storage_url
    hold(owner, crowded.personal_token)
    return client_of(owner)


OVER_ALL = {
    ("/", ""): [],
    ("/", "home-waiting"): [PROJECTS, ORGANIZATIONS],
    ("/", "home-list"): [],
    ("/", "home-attention"): [],
    ("/?list=now", ""): [PROJECTS, ORGANIZATIONS],
    ("/organizations/?wait=1", ""): [PROJECTS, ORGANIZATIONS],
    ("/?view=storage", "home-waiting"): [PROJECTS, ORGANIZATIONS],
    ("/?view=network&address=203.0.113.7", "home-waiting"): [PROJECTS, ORGANIZATIONS],
    ("/hostnames/", "home-waiting"): [PROJECTS, ORGANIZATIONS],
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("address", "target"), OVER_ALL)
def test_a_page_over_two_hundred_projects_makes_two_calls_at_most(
    as_busy: PageClient, calls: Calls, address: str, target: str
) -> None:
    calls()
    answer = as_busy.part(address, target) if target else as_busy.get(address)
    assert answer.status_code == 200
    assert sorted(calls()) == sorted(OVER_ALL[address, target])
    assert all(len(expected) <= 2 for expected in OVER_ALL.values())
