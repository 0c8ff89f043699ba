"""The overview of one project."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.catalog.models import Catalog
from dashboard.facts.models import KeptFact
from dashboard.journal.recorder import record
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.features.service import Calls
from tests.markup import parse
from tests.pages import PageClient
from tests.people import client_of, hold

REF = "ktmvqhzwrbnxpgaydcle"
HERE = reverse("projects:show", args=[REF])
FACTS_READ = ("hostname", "access", "bans", "functions", "storage")


def test_it_shows_the_facts_and_the_ways_on(as_keeper: PageClient) -> None:
    answer = as_keeper.get(HERE)
    assert answer.status_code == 200
    for fact in (REF, "Nordlicht Logistik", "Central EU (Frankfurt)", "14 Mar 2023", "17.6.1.084", f"db.{REF}.supabase.co"):
        assert fact in answer.text
    assert reverse("secrets:index", args=[REF]) in answer.text
    assert reverse("buckets:index", args=[REF]) in answer.text


def test_it_asks_the_service_two_things(as_keeper: PageClient, calls: Calls) -> None:
    as_keeper.get(HERE)
    assert sorted(calls()) == ["GET /v1/organizations", "GET /v1/projects"]


def test_its_facts_load_with_one_call_each_and_name_the_next_step(as_keeper: PageClient, calls: Calls) -> None:
    assert "data-turn" in as_keeper.get(HERE).text
    calls()
    facts = as_keeper.part(reverse("projects:facts", args=[REF]), "project-facts").text
    assert len(calls()) == len(FACTS_READ)
    for words in ("track.nordlicht-logistik.example", "1 function is throttled", "Open functions", "4 · 1 public"):
        assert words in facts
    assert "data-turn" not in facts
    assert "1 function is throttled" in as_keeper.get(HERE).text


def test_facts_of_a_paused_project_say_that_it_is_paused(as_keeper: PageClient) -> None:
    paused = reverse("projects:facts", args=["qnlfwrtaxvjbkmcysdge"])
    facts = as_keeper.part(paused, "project-facts").text
    assert "The project is paused." in facts
    assert "service failed" not in facts


def test_secrets_are_counted_by_the_token_that_opens_them(as_keeper: PageClient, owner: Person, calls: Calls) -> None:
    assert "Not counted Not opened with your token yet." in figures(as_keeper)["Secrets"]
    count = len(Workspace(owner).management.secrets.all(REF))
    as_keeper.get(reverse("secrets:index", args=[REF]))
    calls()
    assert f"{count} secrets Changed " in figures(as_keeper)["Secrets"]
    assert not [call for call in calls() if "secrets" in call]


def test_an_old_count_of_secrets_says_how_old_it_is(as_keeper: PageClient) -> None:
    as_keeper.get(reverse("secrets:index", args=[REF]))
    assert "As of" not in figures(as_keeper)["Secrets"]
    kept = KeptFact.objects.get(key="secrets")
    kept.value = {**(kept.value or {}), "as_of": (timezone.now() - timedelta(days=2)).isoformat()}
    kept.save()
    assert "As of 2 days ago." in figures(as_keeper)["Secrets"]


def test_its_facts_are_a_part_of_the_page(as_keeper: PageClient) -> None:
    assert as_keeper.get(reverse("projects:facts", args=[REF]))["Location"] == HERE


def test_it_shows_the_latest_changes_of_this_project_only(as_owner: PageClient, owner: Person, service: Sandbox) -> None:
    store(owner, Kind.MANAGEMENT, "", service.personal_token)
    assert "No changes yet" in as_owner.get(HERE).text
    store(owner, Kind.STORAGE, REF, service.storage_tokens[REF]["service"])
    page = as_owner.get(HERE).text
    assert "the storage token for parcel-tracking Olga Owner" in parse(page).root.text
    assert f"{reverse('journal:index')}?place={REF}" in page


def figures(client: PageClient) -> dict[str, str]:
    """The text of each figure, by its title."""
    root = parse(client.part(reverse("projects:facts", args=[REF]), "project-facts").text).root
    found = [one for one in root if one.get("class") == "glance__figure"]
    return {one.all("h3")[0].text: one.text for one in found}


def test_cards_picture_their_sections(as_keeper: PageClient, owner: Person) -> None:
    shown = figures(as_keeper)
    assert list(shown) == ["Hostname", "Restrictions", "Bans", "Functions", "Secrets", "Buckets", "Size", "Links"]
    assert "Set up, done Ownership verified, done Certificate in place, done Activated, done Active" in shown["Hostname"]
    assert "Needs a JWT notify-recipient Throttled v22 Open to anyone track-parcel v14" in shown["Functions"]
    assert "Not counted" in shown["Size"]
    Catalog.objects.bulk_create(counted(owner, {"labels": 700, "handbook": 200, "a": 40, "b": 30, "c": 20, "d": 10}))
    size = figures(as_keeper)["Size"]
    assert [size.index(name) for name in ("labels", "handbook", "Others")] == sorted(
        size.index(name) for name in ("labels", "handbook", "Others")
    )
    assert "Others 2 · 30 bytes" in size


def counted(owner: Person, sizes: dict[str, int]) -> list[Catalog]:
    """Finished counts of buckets of one object each."""
    known = {"space": REF, "token": Workspace(owner).fingerprint(Kind.STORAGE, REF), "as_of": timezone.now(), "count": 1}
    return [Catalog(**known, bucket=bucket, bytes=size) for bucket, size in sizes.items()]


def test_who_changed_secrets_last_is_named_to_those_who_may_see_the_entry(
    as_keeper: PageClient, as_ada: PageClient, ada: Person, owner: Person, service: Sandbox
) -> None:
    hold(ada, service.personal_token)
    with record(person_id=owner.pk, operation="M6", place=REF, target="SMTP_HOST"):
        pass
    assert "Changed just now by Olga Owner." in figures(as_keeper)["Secrets"]
    assert figures(as_ada)["Secrets"] == "Secrets Not counted Not opened with your token yet."


def test_an_owner_sees_who_else_has_tokens_here_and_a_member_does_not(
    as_keeper: PageClient, as_ada: PageClient, ada: Person, service: Sandbox
) -> None:
    hold(ada, service.personal_token)
    hold(ada, service.storage_tokens[REF]["service"], REF)
    as_keeper.part(reverse("projects:facts", args=[REF]), "project-facts")
    tokens = as_keeper.get(HERE).text.partition('aria-labelledby="tokens"')[2].partition("</section>")[0]
    assert tokens.count("Ada Member") == 2
    assert "Olga Owner" not in as_ada.get(HERE).text.partition('aria-labelledby="tokens"')[2].partition("</section>")[0]


@pytest.fixture
def as_keeper(owner: Person, service: Sandbox) -> PageClient:
    """Somebody with a management token and the key for the storage of this project."""
    hold(owner, service.personal_token)
    hold(owner, service.storage_tokens[REF]["service"], REF)
    return client_of(owner)


def test_it_says_which_tokens_reach_it(as_owner: PageClient, management_token: object) -> None:
    answer = as_owner.get(HERE)
    assert "No storage token" in answer.text
    assert f"?kind=storage&amp;space={REF}" in answer.text


@pytest.fixture(scope="module")
def older() -> Iterator[Sandbox]:
    running = start_sandbox(RUN_DIR / "older-projects", "--generation", "document")
    yield running
    stop_sandbox(running)


def test_a_project_without_a_database_says_so(
    older: Sandbox, service: Sandbox, settings: Settings, owner: Person, as_owner: PageClient
) -> None:
    settings.MANAGEMENT_URL = older.management_url
    hold(owner, older.personal_token)
    answer = as_owner.get(reverse("projects:show", args=["qnlfwrtaxvjbkmcysdge"]))
    assert answer.status_code == 200
    assert "Unknown: starting or paused" in answer.text


@pytest.mark.parametrize("unknown", ["aaaaaaaaaaaaaaaaaaaa", "..x", "A B", "ünknown"])
def test_a_project_that_is_not_there_is_not_found(as_keeper: PageClient, unknown: str) -> None:
    assert as_keeper.get(reverse("projects:show", args=[unknown])).status_code == 404


def test_another_persons_project_is_not_found(as_ada: PageClient, service: Sandbox) -> None:
    answer = as_ada.get(HERE)
    assert "No management token yet" in answer.text
    assert "parcel-tracking" not in answer.text


def test_it_takes_no_post(as_keeper: PageClient) -> None:
    assert as_keeper.post(HERE).status_code == 405
