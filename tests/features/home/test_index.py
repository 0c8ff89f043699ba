"""The start page."""

from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.interfaces import ManagementInterface, Token
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind, StoredToken
from tests.conftest import Sandbox
from tests.features.service import Calls
from tests.pages import PageClient

HERE = reverse("home:index")
PROJECTS = "home-projects"
BUCKETS = "home-buckets"


def test_it_never_waits_for_a_service(as_keeper: PageClient, calls: Calls) -> None:
    answer = as_keeper.get(HERE)
    assert answer.status_code == 200
    assert calls() == []


def test_projects_arrive_with_one_call(as_keeper: PageClient, calls: Calls) -> None:
    answer = as_keeper.part(HERE, PROJECTS)
    assert answer.text.count('class="glance__place"') == 6
    assert "All projects" in answer.text
    assert calls() == ["GET /v1/projects"]


def test_without_script_there_is_a_way_to_the_projects(as_keeper: PageClient) -> None:
    assert reverse("projects:index") in as_keeper.get(HERE).text
    assert "All projects" in as_keeper.get(HERE).text


def test_the_project_that_was_changed_last_comes_first(as_keeper: PageClient, service: Sandbox) -> None:
    ref = "vcyhgqxtmdzlopkenrbw"
    as_keeper.post(reverse("secrets:new", args=[ref]), {"name": "HOME_ORDER", "value": "x"})
    answer = as_keeper.part(HERE, PROJECTS)
    assert "portfolio" in answer.text.split('class="glance__place"')[1]
    ManagementInterface(service.management_url, Token(service.personal_token)).secrets.delete(ref, ["HOME_ORDER"])


def test_it_shows_the_own_changes_and_nobody_elses(
    as_owner: PageClient, as_ada: PageClient, owner: Person, service: Sandbox
) -> None:
    store(owner, Kind.MANAGEMENT, "", service.personal_token)
    assert "Token stored" in as_owner.get(HERE).text
    assert "Token stored" not in as_ada.get(HERE).text
    assert "No changes yet" in as_ada.get(HERE).text


def test_a_missing_token_is_the_first_thing_to_do(as_ada: PageClient, service: Sandbox) -> None:
    answer = as_ada.get(HERE)
    assert "Add your management token" in answer.text
    assert f"{reverse('account:token_new')}?kind=management" in answer.text
    assert PROJECTS not in answer.text


def test_a_refused_token_is_something_to_do(as_keeper: PageClient, owner: Person) -> None:
    StoredToken.objects.filter(person=owner, kind=Kind.MANAGEMENT).update(refused_at=timezone.now(), refusal="Unauthorized")
    answer = as_keeper.get(HERE)
    assert "Replace your management token" in answer.text
    assert "Unauthorized" in answer.text


def test_nothing_to_do_is_not_mentioned(as_keeper: PageClient) -> None:
    assert "Get started" not in as_keeper.get(HERE).text


def test_one_storage_alone_leads_to_its_buckets(
    as_owner: PageClient, owner: Person, service: Sandbox, settings: Settings
) -> None:
    ref = "ktmvqhzwrbnxpgaydcle"
    settings.MANAGEMENT_URL = ""
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = service.storage(ref)
    assert "Add your storage token" in as_owner.get(HERE).text
    store(owner, Kind.STORAGE, "shared", service.storage_tokens[ref]["service"])
    answer = as_owner.get(HERE)
    assert BUCKETS in answer.text
    assert PROJECTS not in answer.text
    assert "public-assets" in as_owner.part(HERE, BUCKETS).text


def test_management_alone_shows_no_storage(as_keeper: PageClient, settings: Settings) -> None:
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = ""
    answer = as_keeper.part(HERE, PROJECTS)
    assert "Storage" not in answer.text
    assert "Secrets" in answer.text


def test_storage_of_projects_without_management_shows_what_keys_are_stored_for(
    as_keeper: PageClient, settings: Settings, ref: str, calls: Calls
) -> None:
    settings.MANAGEMENT_URL = ""
    answer = as_keeper.get(HERE)
    assert reverse("buckets:index", args=[ref]) in answer.text
    assert calls() == []


def test_storage_of_projects_without_management_begins_with_a_key(
    as_owner: PageClient, service: Sandbox, settings: Settings
) -> None:
    settings.MANAGEMENT_URL = ""
    answer = as_owner.get(HERE)
    assert "Add your storage token" in answer.text
    assert f'href="{reverse("account:token_new")}?kind=storage"' in answer.text
    assert 'aria-labelledby="spaces"' not in answer.text


def test_it_takes_no_post(as_keeper: PageClient) -> None:
    assert as_keeper.post(HERE).status_code == 405
